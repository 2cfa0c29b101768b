"""A command line run in this process, and what may not come of it."""

from __future__ import annotations

import json
import unicodedata
from dataclasses import dataclass

from click.testing import CliRunner

from evenhand.cli import group
from fuzz.outcome import HangError, Outcome, crash

CODES = (0, 1, 2)


@dataclass(frozen=True)
class Ran:
    """What a command wrote, how it ended, and the error it did not catch."""

    arguments: tuple[str, ...]
    code: int
    stdout: str
    stderr: str
    error: BaseException | None

    def fault(self, detail: str) -> Outcome | None:
        """A traceback, a strange exit code, an error that is not one line, or hostile output."""
        if self.error is not None:
            return crash(self.error, detail)
        if self.code not in CODES:
            return Outcome("wrong", f"exit code {self.code}", detail)
        said = self.stderr.split("evenhand: error: ")
        if self.code == 2 and len(said) != 2:
            return Outcome("wrong", "no error, or several", f"{detail}\n{self.stderr!r}")
        if self.code == 2 and (not said[1].strip() or "\n" in said[1].strip("\n")):
            return Outcome("wrong", "an error that is not one line", f"{detail}\n{said[1]!r}")
        if self.code != 2 and len(said) != 1:
            return Outcome("wrong", "an error without its exit code", f"{detail}\n{self.stderr!r}")
        return self._output_fault(detail)

    def _output_fault(self, detail: str) -> Outcome | None:
        styled = [
            b for a, b in zip(self.arguments, self.arguments[1:], strict=False) if a == "--format"
        ]
        style = styled[-1] if styled else "table"
        asked_help = {"-h", "--help", "--help-all"} & set(self.arguments)
        if style == "json" and self.code == 0 and self.stdout.strip() and not asked_help:
            try:
                json.loads(self.stdout, parse_constant=refuse)
            except ValueError as e:
                return Outcome("wrong", "output that is no JSON", f"{detail}\n{e}")
        shown = self.stderr + (self.stdout if style == "table" else "")
        raw = sorted({c for c in shown if c != "\n" and unicodedata.category(c) == "Cc"})
        if raw:
            return Outcome("wrong", f"a raw control character {raw[0]!r}", detail)
        return None


def refuse(name: str) -> None:
    """NaN and Infinity are not JSON."""
    raise ValueError(f"{name} in JSON")


def invoke(arguments: list[str], stdin: bytes = b"") -> Ran:
    """Run the command line with these arguments."""
    try:
        result = CliRunner().invoke(group, arguments, input=stdin)
    except (HangError, KeyboardInterrupt):
        raise
    except BaseException as e:  # a panic of compiled code is no Exception
        return Ran(tuple(arguments), 1, "", "", e)
    error = None if isinstance(result.exception, SystemExit) else result.exception
    return Ran(tuple(arguments), result.exit_code, result.stdout, result.stderr, error)

"""Record what every command prints and every verb returns: ``python -m tests.golden [NAME…]``."""

from __future__ import annotations

import difflib
import hashlib
import json
import math
import os
import re
import shutil
import sys
import warnings
from collections.abc import Iterator
from contextlib import chdir, contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from click.testing import CliRunner

from evenhand import __version__
from evenhand.cli import every_command, group
from tests.awkward import make
from tests.golden.cases import COMMANDS, ERRORS, FILES, FORMATS, PYTHON, values
from tests.pages import TASK, places, script

RECORDED = Path(__file__).with_name("recorded")
TOLERANCE = {"rel_tol": 1e-12, "abs_tol": 1e-14}
NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+(?:e[-+]?\d+)?|e[-+]?\d+)(?![\w.]*\w)", re.IGNORECASE)
DIGITS = re.compile(r"-?\d+(?:\.\d+)?(?:e[-+]?\d+)?")
BULKY = re.compile(r"<(svg|style|script)\b.*?</\1>", re.DOTALL)
WIDTH = {"COLUMNS": "80", "NO_COLOR": "1"}


@contextmanager
def world() -> Iterator[dict[str, Any]]:
    """The folder of the documentation's commands, with the example task and awkward files."""
    with places().world() as names, chdir(names["home"]):
        shutil.copytree(TASK, "task")
        for name, content in FILES.items():
            Path(name).parent.mkdir(exist_ok=True)
            Path(name).write_bytes(content if isinstance(content, bytes) else content.encode())
        make.main("awkward")
        for path in Path().rglob("*"):
            os.utime(path, (0, 0))
        yield {**names, **values(names)}


def recordings() -> dict[str, Any]:
    """What is recorded, by the name of its file: functions of the names in the world."""
    recorders: dict[str, Any] = dict.fromkeys(COMMANDS, commands)
    return {**recorders, "errors": errors, "awkward": awkward, "help": helps, "python": python}


def recording(name: str, names: dict[str, Any]) -> str:
    """All sections of one file, each headed by what was run."""
    return "".join(f"$ {head}\n{text}\n" for head, text in recordings()[name](name, names))


def commands(name: str, _: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """The outputs of a command: the first of each list in every format, the others as JSON."""
    for lines in COMMANDS[name]:
        for i, line in enumerate(lines):
            if name in ("count", "merge") or re.search(r" (--format|--output) ", line):
                yield command(line)
                continue
            for style in FORMATS if i == 0 else FORMATS[:1]:
                yield command(f"{line} --format {style}")


def errors(*_: Any) -> Iterator[tuple[str, str]]:
    """Commands that end in an error."""
    return map(command, ERRORS)


def awkward(*_: Any) -> Iterator[tuple[str, str]]:
    """Awkward files through two commands."""
    for case in make.CASES:
        home = Path("awkward", case.name.replace(" ", "-").replace(",", ""))
        with chdir(home):
            for verb in ("score", "rank"):
                files = ["--true", "gold", "--pred", "run"]
                others = ["--pred", "other"]
                if case.gold is not None:
                    files, others = [case.gold, case.run], [case.other]
                else:
                    files = [case.run, *files]
                line = [verb, *files, *(others if verb == "rank" else []), *case.options]
                line += [] if "--metric" in line else ["--metric", "accuracy"]
                line += ["--replicates", "20", "--format", "table" if verb == "score" else "csv"]
                yield f"cd {home}; evenhand {' '.join(line)}", run(line)


def helps(*_: Any) -> Iterator[tuple[str, str]]:
    """The help of every command."""
    for name in ("", "publish", *dict(every_command())):
        yield command(f"{name} --help".strip())


def python(_: str, names: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """The results of expressions, or their errors."""
    for expression in PYTHON:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                text = written(eval(expression, names))
            except Exception as error:
                text = f"! {type(error).__name__}: {error}"
        notes = "".join(f"! {type(w.message).__name__}: {w.message}\n" for w in caught)
        yield expression, masked(f"{text}\n{notes}")


def written(value: Any) -> str:
    """A value as text: results as JSON, charts as their specification."""
    if hasattr(value, "to_dict"):
        return f"{value!r}\n{compact(value.to_dict())}"
    return compact(value)


def compact(value: Any) -> str:
    """JSON with a line for each entry of the outermost object or list."""

    def plain(other: Any) -> Any:
        if isinstance(other, np.ndarray | np.generic):
            return other.tolist()
        return other.to_dict() if hasattr(other, "to_dict") else repr(other)

    def dump(part: Any) -> str:
        return json.dumps(part, default=plain, ensure_ascii=False)

    if isinstance(value, dict):
        return "\n".join(f"{key}: {dump(part)}" for key, part in value.items())
    if isinstance(value, list):
        return "\n".join(map(dump, value))
    return dump(value)


def command(line: str) -> tuple[str, str]:
    """A command as typed, and what came of it."""
    return f"evenhand {line}", run(script("executed").words(line))


def run(words: list[str]) -> str:
    """Exit code, standard output or the file that was written, and standard error."""
    done = CliRunner(env=WIDTH).invoke(group, words, prog_name="evenhand")
    text = short(done.stdout)
    for option, path in pairwise(words):
        if option in ("--output", "--plot") and Path(path).exists():
            text += short(Path(path).read_text(encoding="utf-8"))
    notes = "".join(f"! {line}\n" for line in done.stderr.splitlines())
    if not isinstance(done.exception, SystemExit | None):
        notes += f"! Traceback: {done.exception!r}\n"
    return masked(f"exit code {done.exit_code}\n{text}{notes}")


def masked(text: str) -> str:
    """Text without the version and what a saved table is known by."""
    return re.sub(r"\b[0-9a-f]{32}\b", "ID", text.replace(__version__, "VERSION"))


def short(text: str) -> str:
    """JSON with an entry a line; HTML with a tag a line, its pictures as sums; other text as is."""
    if text.startswith("{"):
        return f"{compact(json.loads(text))}\n"
    if not text.lower().startswith(("<!doctype", "<svg")):
        return text
    return re.sub(r">\s*<", ">\n<", BULKY.sub(summed, text))


def summed(part: re.Match[str]) -> str:
    """A digest of the text without its numbers, and a weighted sum of these.

    Places in a picture depend on the fonts of the machine: charts are held by their specifications.
    """
    digest = hashlib.sha256(DIGITS.sub("#", part[0]).encode()).hexdigest()[:16]
    if part[1] == "svg":
        return f"<svg {digest}>"
    numbers = [float(number) for number in DIGITS.findall(part[0])]
    total = math.fsum(number * (1 + i % 7) for i, number in enumerate(numbers))
    return f"<{part[1]} {digest}, {len(numbers)} numbers with sum {total!r}>"


def differences(before: str, after: str) -> list[str]:
    """Where two recordings differ, as lines of a comparison; numbers may differ by rounding."""
    if same(before, after):
        return []
    first, second = before.split("\n"), after.split("\n")
    if len(first) == len(second):
        second = [a if same(a, b) else b for a, b in zip(first, second, strict=True)]
    return list(difflib.unified_diff(first, second, "recorded", "now", lineterm="", n=2))


def same(before: str, after: str) -> bool:
    """Whether the words are equal and the numbers almost, which may make columns wider."""
    if before == after:
        return True
    if (first := NUMBER.findall(before)) == (second := NUMBER.findall(after)):
        return False
    words, others = (re.sub(" +", " ", NUMBER.sub("#", text)) for text in (before, after))
    pairs = zip(first, second, strict=False)
    return words == others and all(math.isclose(float(a), float(b), **TOLERANCE) for a, b in pairs)


def main() -> None:
    """Record all, or those named."""
    RECORDED.mkdir(exist_ok=True)
    chosen = sys.argv[1:] or list(recordings())
    with world() as names:
        for name in chosen:
            text = recording(name, names)
            path = RECORDED / f"{name}.txt"
            before = path.read_bytes().decode() if path.exists() else ""
            if not same(before, text):
                path.write_bytes(text.encode())
                print(f"recorded {name}", file=sys.stderr)
    if not sys.argv[1:]:
        for path in RECORDED.glob("*.txt"):
            if path.stem not in chosen:
                path.unlink()


if __name__ == "__main__":
    main()

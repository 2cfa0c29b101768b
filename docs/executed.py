"""Run the examples of a page: what a command prints stands below it, as in a terminal.

A block of kind ``console`` has commands after ``$``, run one after the other in one folder; one
of kind ``pycon`` is a Python session, which goes on from block to block. Lists of commands
without ``$`` show nothing and stay as they are.
"""

from __future__ import annotations

import io
import re
import shlex
import subprocess
from collections.abc import Iterator
from contextlib import chdir, redirect_stdout
from glob import glob
from typing import Any
from unittest.mock import patch

from click.testing import CliRunner

from evenhand.cli import group

BLOCK = re.compile(r"^```(console|pycon)\n((?:\$|>>>) .*?)^```$", re.MULTILINE | re.DOTALL)

COMMAND = re.compile(r"^\$ (.*<<'END'\n(?:.*\n)*?END|(?:.*\\\n)*.*)\n", re.MULTILINE)
"""To the end of the line, of lines that a backslash continues, or of a text that it is given."""

COLUMNS = "120"
"""The width of a page's blocks."""


def executed(page: str, folder: str) -> str:
    """The page with every output as it is now, files being made in the folder."""
    session: dict[str, Any] = {"__name__": "__main__"}

    def again(block: re.Match[str]) -> str:
        kind, text = block.groups()
        lines = commands(text) if kind == "console" else statements(text, session)
        return f"```{kind}\n{''.join(lines)}```"

    with chdir(folder):
        return BLOCK.sub(again, page)


def commands(text: str) -> Iterator[str]:
    """Each command and what it prints."""
    for command in COMMAND.findall(text):
        yield f"$ {command}\n{ended(run(command))}"


def run(command: str) -> str:
    """What a command prints to the screen: ours here, others, also after a pipe, by the shell."""
    if not command.startswith("evenhand "):
        return shell(command)
    ours, _, others = command.partition(" | ")
    found = CliRunner(env={"COLUMNS": COLUMNS}).invoke(group, words(ours.replace("\\\n", " "))[1:])
    if found.exit_code not in (0, 1) or not isinstance(found.exception, SystemExit | None):
        raise ValueError(f"{command}: {found.stderr}") from found.exception
    return shell(others, found.stdout) if others else found.stdout


def words(command: str) -> list[str]:
    """The words of a command as a shell has them: files for a pattern that is not in quotes."""
    found = []
    for word in shlex.split(command, posix=False):
        (plain,) = shlex.split(word) or [""]
        found += sorted(glob(word)) or [plain]
    return found


def shell(command: str, given: str = "") -> str:
    """What a command of the system prints, given something to read."""
    call = {"input": given, "capture_output": True, "text": True, "check": True}
    return str(subprocess.run(["bash", "-c", command], **call).stdout)


def statements(text: str, session: dict[str, Any]) -> Iterator[str]:
    """Each statement and what it prints."""
    for lines in re.findall(r"^>>> .*\n(?:\.\.\..*\n)*", text, re.MULTILINE):
        code = re.sub(r"^(>>> |\.\.\. ?)", "", lines, flags=re.MULTILINE)
        shown = io.StringIO()
        with redirect_stdout(shown), patch.dict("os.environ", COLUMNS=COLUMNS):
            exec(compile(code, "<page>", "single"), session)
        yield f"{lines}{ended(shown.getvalue())}"


def ended(text: str) -> str:
    """Lines without spaces at their ends, the last with its end."""
    text = re.sub(r" +$", "", text, flags=re.MULTILINE).rstrip("\n")
    return f"{text}\n" if text else ""

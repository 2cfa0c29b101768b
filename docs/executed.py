"""Run the examples of a page: what a command prints stands below it, as in a terminal.

A block of kind ``console`` has commands after ``$``, run one after the other in one folder; one
of kind ``pycon`` is a Python session, which goes on from block to block.
"""

from __future__ import annotations

import codeop
import io
import re
import shlex
import subprocess
from collections.abc import Iterator
from contextlib import chdir, redirect_stdout
from typing import Any

from click.testing import CliRunner

from evenhand.cli import group

BLOCK = re.compile(r"^```(console|pycon)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


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
    if not text.startswith("$ "):
        raise ValueError(f"expected a command after $, got {text.partition(chr(10))[0]!r}")
    for command in re.findall(r"^\$ ((?:.*\\\n)*.*)\n", text, re.MULTILINE):
        yield f"$ {command}\n{ended(run(command))}"


def run(command: str) -> str:
    """What a command prints to the screen: ours here, others by the shell."""
    name, *arguments = shlex.split(command.replace("\\\n", " "))
    if name != "evenhand":
        done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True)
        return done.stdout
    found = CliRunner().invoke(group, arguments)
    if found.exit_code == 2:
        raise ValueError(f"{command}: {found.stderr}")
    return found.stdout


def statements(text: str, session: dict[str, Any]) -> Iterator[str]:
    """Each statement and what it prints."""
    for lines in re.findall(r"^>>> .*\n(?:\.\.\. .*\n)*", text, re.MULTILINE):
        code = re.sub(r"^(>>> |\.\.\. )", "", lines, flags=re.MULTILINE)
        compiled = codeop.compile_command(code, "<page>", "single")
        if compiled is None:
            raise ValueError(f"not a whole statement: {code}")
        shown = io.StringIO()
        with redirect_stdout(shown):
            exec(compiled, session)
        yield f"{lines}{ended(shown.getvalue())}"


def ended(text: str) -> str:
    """Lines without spaces at their ends, the last with its end."""
    text = re.sub(r" +$", "", text, flags=re.MULTILINE).rstrip("\n")
    return f"{text}\n" if text else ""

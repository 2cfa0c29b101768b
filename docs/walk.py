"""The walk of one row: every file and function that scoring two files runs, in order."""

from __future__ import annotations

import json
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

TASK = Path(__file__).parents[1] / "examples" / "shared-task"
COMMAND = ["score", "gold.txt", "systems/balanced.txt", "--metric", "macro_f1"]
TRACED = """
import contextlib, io, json, os, sys
import evenhand
from evenhand.cli import group
home, calls = os.path.dirname(evenhand.__file__) + os.sep, []
def note(frame, event, _):
    code = frame.f_code
    if event == "call" and code.co_filename.startswith(home) and code.co_name[0] != "<":
        calls.append((code.co_filename.removeprefix(home).replace(os.sep, "/"), code.co_qualname))
for watched in (False, True):  # the second time, when nothing is left to load
    sys.setprofile(note if watched else None)
    with contextlib.suppress(SystemExit), contextlib.redirect_stdout(io.StringIO()):
        group.main(sys.argv[1:])
sys.setprofile(None)
print(json.dumps(calls))
"""
SHOWN = 6
"""Functions of a file that are named."""


def calls() -> list[tuple[str, str]]:
    """The file and the name of each function of the package that the command calls, in order."""
    done = subprocess.run(
        [sys.executable, "-c", TRACED, *COMMAND],
        capture_output=True,
        text=True,
        check=True,
        cwd=TASK,
    )
    return [(file, name) for file, name in json.loads(done.stdout)]


def walk_part() -> str:
    """The files in the order in which they are reached, with the functions that run first."""
    every = calls()
    files: dict[str, dict[str, None]] = {}
    for file, name in every:
        files.setdefault(file, {})[name.replace("<locals>.", "")] = None
    packages = [file.split("/")[0].removesuffix(".py") for file, _ in every]
    changes = sum(a != b for a, b in pairwise(packages))
    functions = sum(map(len, files.values()))
    rows = ["| file | functions, in the order in which they are called |", "| --- | --- |"]
    for file, names in files.items():
        more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
        rows.append(f"| `{file}` | {', '.join(f'`{n}`' for n in list(names)[:SHOWN])}{more} |")
    words = f"{functions} functions in {len(files)} files run, with {changes} changes of package."
    return "\n".join([words, "", *rows])

"""The page that follows a row through the house names files that the row really passes."""

import re
import subprocess
import sys
from pathlib import Path

import evenhand as eh
from tests.pages import DOCS, TASK

SOURCE = Path(eh.__file__).parent
TRACED = """
import contextlib, io, sys
from evenhand.cli import group
seen = {}
def note(frame, event, arg):
    if event == "call":
        seen.setdefault(frame.f_code.co_filename, len(seen))
for watched in (False, True):  # the second time, when nothing is left to load
    sys.setprofile(note if watched else None)
    with contextlib.suppress(SystemExit), contextlib.redirect_stdout(io.StringIO()):
        group.main(["score", "gold.txt", "systems/balanced.txt", "--metric", "macro_f1"])
sys.setprofile(None)
print(*seen, sep="\\n")
"""


def test_the_files_of_the_walk_are_passed():
    text = (DOCS / "walk.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| \d+ \| (.*?) \|", text, re.M)
    named = [n for row in rows for n in re.findall(r"`([\w/]+\.py)`", row)]
    assert len(named) > 20
    done = subprocess.run(
        [sys.executable, "-c", TRACED], capture_output=True, text=True, check=True, cwd=TASK
    )
    passed = set(done.stdout.splitlines())
    assert [name for name in named if str(SOURCE / name) not in passed] == []

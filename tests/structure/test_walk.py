"""The page that follows a row through the packages names files that the row really passes."""

import re

from tests.pages import DOCS, script


def test_the_files_of_the_walk_are_passed():
    text = (DOCS / "walk.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (?:\d+ \| )?(`.*?) \|", text, re.M)
    named = {n for row in rows for n in re.findall(r"`([\w/]+\.py)`", row)}
    assert len(named) > 40
    assert named <= {file for file, _ in script("walk").calls()}

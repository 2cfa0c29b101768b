"""What the documentation shows of the example task is what its commands print."""

import re
import sys
from contextlib import chdir
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TASK = ROOT / "examples" / "shared-task"
PAGES = [ROOT / "README.md", ROOT / "docs" / "publishing.md"]
BLOCK = re.compile(r"^```console\n(\$ evenhand \w+ gold\.txt .*?)^```$", re.M | re.S)


@pytest.fixture(scope="module")
def commands():
    sys.path.insert(0, str(ROOT / "docs"))
    try:
        import executed
    finally:
        sys.path.remove(str(ROOT / "docs"))
    return executed.commands


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_outputs_are_those_of_the_commands(page, commands):
    blocks = BLOCK.findall(page.read_text(encoding="utf-8"))
    assert blocks
    with chdir(TASK):
        for text in blocks:
            assert "".join(commands(text)) == text

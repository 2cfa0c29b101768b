"""Files that are counted at the command line."""

import json
from dataclasses import dataclass

import pytest


@dataclass(frozen=True)
class Counted:
    """What ``evenhand count`` wrote: cells by label (None is outside), and what it said."""

    cells: dict
    n: int
    missing: int
    dropped: int
    said: str


def parsed(text, said=""):
    """A saved table as its JSON has it; for one table, not for a stack."""
    record = json.loads(text)
    names, cells = [*record["labels"], None], record["cells"]
    columns = [cells[c] for c in ("table", "true", "pred", "weight")]
    keys = [tuple(k) if isinstance(k, list) else k for axis in record["keys"] for k in axis]
    found = {}
    for table, true, pred, weight in zip(*columns, strict=True):
        cell = (names[true], names[pred])
        found[(keys[table], *cell) if keys else cell] = weight
    return Counted(found, *(sum(record[c]) for c in ("n", "missing", "dropped")), said)


@pytest.fixture(autouse=True)
def _empty_directory(here):
    """Every test runs in a directory of its own."""


@pytest.fixture
def count(run):
    """The cells that ``evenhand count`` finds with these arguments."""

    def call(*arguments, **options):
        result = run("count", *arguments, **options)
        assert result.exit_code == 0, result.output
        return parsed(result.stdout, result.stderr)

    return call

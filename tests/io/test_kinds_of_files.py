"""Another kind of file is one function and one entry in the table of kinds."""

import json
import zipfile

import pytest

from evenhand.io.sources import KINDS, FileKind

COLUMNS = ("--true", "target", "--pred", "output.answer")
ROWS = [{"target": t, "output": {"answer": p}} for t, p in ("ab", "aa", "bb")]


def log_rows(path, name):
    """The samples of a log: a zip archive with a JSON file for each."""
    with zipfile.ZipFile(path) as archive:
        for member in archive.namelist():
            yield json.loads(archive.read(member))


@pytest.fixture
def log(here, monkeypatch):
    kind = FileKind("a log", suffixes=(".runlog",), rows=log_rows)
    monkeypatch.setitem(KINDS, "runlog", kind)
    with zipfile.ZipFile(here / "x.runlog", "w") as archive:
        for i, row in enumerate(ROWS):
            archive.writestr(f"samples/{i}.json", json.dumps(row, indent=1))
    return "x.runlog"


def test_a_kind_that_yields_rows_is_counted(log, count):
    assert count(log, *COLUMNS).cells == {("a", "b"): 1, ("a", "a"): 1, ("b", "b"): 1}


def test_it_is_checked_as_json_lines_are(log, fails, here):
    with zipfile.ZipFile(here / log, "a") as archive:
        archive.writestr("samples/9.json", '{"target": 1, "output": {"answer": "a"}}')
    error = fails("count", log, *COLUMNS)
    assert error.startswith("x.runlog, column 'target' must be of one type, got integers and text")


def test_it_is_looked_at(log, run):
    found = json.loads(run("look", log, "--format", "json").stdout)
    assert (found["kind"], found["rows"]) == ("a log", 3)


def test_files_of_every_kind_are_told_apart():
    suffixes = [suffix for kind in KINDS.values() for suffix in kind.suffixes]
    assert len(suffixes) == len(set(suffixes))
    assert len({kind.words for kind in KINDS.values()}) == len(KINDS)

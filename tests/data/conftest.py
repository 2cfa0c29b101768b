"""Files in an empty directory, and runs of the command line that count them."""

import io
import json
from dataclasses import dataclass

import polars as pl
import pytest
from click.testing import CliRunner

from evenhand.cli import group


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
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def written(kind, rows):
    """The bytes of a file of that kind."""
    out = io.BytesIO()
    {
        "csv": rows.write_csv,
        "tsv": lambda file: rows.write_csv(file, separator="\t"),
        "jsonl": rows.write_ndjson,
        "parquet": rows.write_parquet,
        "arrow": rows.write_ipc,
    }[kind](out)
    return out.getvalue()


@pytest.fixture(name="written")
def _written():
    return written


@pytest.fixture
def write(here):
    """Write a file, of text, bytes or a Polars frame of some kind, and give its name."""

    def make(name, content, kind=None):
        (here / name).parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, pl.DataFrame):
            content = written(kind or name.rpartition(".")[2], content)
        (here / name).write_bytes(content if isinstance(content, bytes) else content.encode())
        return name

    return make


@pytest.fixture
def run():
    """Run evenhand with these arguments."""

    def call(*arguments, **options):
        return CliRunner().invoke(group, list(map(str, arguments)), prog_name="evenhand", **options)

    return call


@pytest.fixture
def count(run):
    """The cells that ``evenhand count`` finds with these arguments."""

    def call(*arguments, **options):
        result = run("count", *arguments, **options)
        assert result.exit_code == 0, result.output
        return parsed(result.stdout, result.stderr)

    return call


@pytest.fixture
def fails(run):
    """Run what must fail: exit code 2, nothing on stdout, one line on stderr, given back."""

    def call(*arguments, **options):
        result = run(*arguments, **options)
        assert result.exit_code == 2, result.output
        assert result.stdout == ""
        (line,) = result.stderr.splitlines()
        assert line.startswith("evenhand: error: ")
        return line.removeprefix("evenhand: error: ")

    return call

"""The same every time: Hypothesis' examples, unless ``make fuzz`` asks for others, and numbers.

``make test`` tries the first examples of each law, ``make slow`` all of them.
"""

import io
import os
import zlib

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers

from evenhand.cli import group

os.environ.pop("COLUMNS", None)  # which pytest's workers set; tests of a width say which

settings.register_profile(
    "same",
    deadline=None,
    max_examples=100,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize=True,
    database=None,
)
settings.register_profile("quick", settings.get_profile("same"), max_examples=30)
settings.register_profile("random", settings.get_profile("same"), derandomize=False)
settings.load_profile("same")

# Hypothesis also draws the constants of all local modules imported so far, and which those are
# depends on the tests that a worker ran before.
providers._get_local_constants = lambda: providers._local_constants


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item):
    """Start the generators of a test's module from its name, whichever tests ran before it."""
    for generator in vars(getattr(item, "module", item)).values():
        if isinstance(generator, np.random.Generator):
            generator.bit_generator.state = np.random.PCG64(zlib.crc32(item.name.encode())).state


# Files in an empty directory, and runs of the command line in this process.


@pytest.fixture
def here(tmp_path, monkeypatch):
    """An empty directory, in which the test runs."""
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
def fails(run):
    """Run what must fail: exit code 2, nothing on stdout, one line on stderr, given back."""

    def call(*arguments, **options):
        result = run(*arguments, **options)
        assert result.exit_code == 2, result.output
        assert result.stdout == ""
        (line,) = result.stderr.splitlines()
        assert line.startswith("evenhand: error: ") and "Traceback" not in line
        return line.removeprefix("evenhand: error: ")

    return call


@pytest.fixture
def lines(write):
    """Two files with one label per line."""
    return write("gold.txt", "a\nb\nb\na\n"), write("pred.txt", "a\nb\na\na\n")

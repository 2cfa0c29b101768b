"""Runs of the command line, in this process, in an empty directory."""

import pytest
from click.testing import CliRunner

from evenhand.cli import group


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def write(here):
    """Write a file, text or bytes, and give its name."""

    def make(name, content):
        (here / name).write_bytes(content if isinstance(content, bytes) else content.encode())
        return name

    return make


@pytest.fixture
def run():
    """Run evenhand with these arguments."""

    def call(*arguments):
        return CliRunner().invoke(group, list(map(str, arguments)), prog_name="evenhand")

    return call


@pytest.fixture
def fails(run):
    """Run what must fail: exit code 2, one line on stderr, which is given back."""

    def call(*arguments):
        result = run(*arguments)
        assert result.exit_code == 2, result.output
        assert result.stdout == ""
        (line,) = result.stderr.splitlines()
        assert line.startswith("evenhand: error: ")
        assert "Traceback" not in line
        return line.removeprefix("evenhand: error: ")

    return call


@pytest.fixture
def answers(write):
    """A file of answers: two languages, weights, one prediction missing."""
    return write(
        "answers.csv",
        "id,gold,system,weight,language,source\n"
        "1,a,a,1,en,news\n"
        "2,b,b,2,en,web\n"
        "3,b,a,0.5,de,news\n"
        "4,a,a,1,de,web\n"
        "5,b,,1,de,web\n",
    )


@pytest.fixture
def lines(write):
    """Two files with one label a line."""
    return write("gold.txt", "a\nb\nb\na\n"), write("pred.txt", "a\nb\na\na\n")

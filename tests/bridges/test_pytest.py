"""The plugin in real runs of pytest: what passes, what fails, what the summary says."""

import os
import subprocess
import sys

import pytest

TESTS = """
TRUE = list("ab" * 100)
NEW = list("ab" * 95 + "ba" * 5)

def test_good(at_least, not_worse):
    at_least(TRUE, NEW, metrics="accuracy", value=0.9)
    not_worse(TRUE, NEW, TRUE, margin=0.01, metrics="accuracy")

def test_bad(at_least):
    at_least(TRUE, NEW, metrics="accuracy", value=0.93)

def test_of_something_else():
    pass
"""


def ran(folder, *options):
    (folder / "test_model.py").write_text(TESTS)
    alone = {"NO_COLOR": "1", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_ADDOPTS": ""}
    environment = os.environ | alone
    command = [sys.executable, "-m", "pytest", "-p", "evenhand.bridges.pytest", "-p", "xdist"]
    done = subprocess.run(
        [*command, *options, "--rootdir", str(folder), "-p", "no:cacheprovider", str(folder)],
        capture_output=True, text=True, check=False, cwd=folder, env=environment,
    )  # fmt: skip
    return done.returncode, done.stdout


@pytest.mark.parametrize("options", [(), ("-n", "2")], ids=["alone", "in processes"])
def test_a_summary_of_every_check(tmp_path, options):
    code, text = ran(tmp_path, *options)
    assert code == 1
    lines = text.partition("= evenhand =")[2].splitlines()
    assert [line.split()[:2] for line in lines[1:4]] == [
        ["FAILED", "test_model.py::test_bad"],
        ["passed", "test_model.py::test_good"],
        ["passed", "test_model.py::test_good"],
    ]
    assert lines[1].endswith(
        "it is not shown that accuracy is at least 0.93: 0.9500, at least 0.9181 (95 %)"
    )
    assert "accuracy is at least 0.9: 0.9500, at least 0.9181 (95 %)" in text
    assert ">       at_least(TRUE, NEW, metrics" in text  # the line of the test


def test_checks_of_fixtures_and_of_tests_that_may_fail_are_told_once(tmp_path):
    (tmp_path / "test_more.py").write_text("""
import pytest
from test_model import NEW, TRUE

@pytest.fixture
def sound(at_least):
    at_least(TRUE, NEW, metrics="accuracy", value=0.93)

def test_with_a_fixture_that_fails(sound):
    pass

@pytest.mark.xfail
def test_that_may_fail(at_least):
    at_least(TRUE, NEW, metrics="accuracy", value=0.99)

@pytest.fixture
def untidy():
    yield
    raise OSError("at the end")

def test_that_ends_badly(at_least, untidy):
    at_least(TRUE, NEW, metrics="accuracy", value=0.9)
""")
    _, text = ran(tmp_path, "-k", "more")
    lines = text.partition("= evenhand =")[2].splitlines()
    assert sorted(" ".join(line.split()[:2]) for line in lines[1:4]) == [
        "FAILED test_more.py::test_that_may_fail",
        "FAILED test_more.py::test_with_a_fixture_that_fails",
        "passed test_more.py::test_that_ends_badly",
    ]
    assert "test_more" not in lines[4] or lines[4].startswith(("=", "ERROR", "FAILED test_more"))


def test_checks_are_also_in_junit_s_xml_without_a_warning(tmp_path):
    written = tmp_path / "results.xml"
    code, text = ran(tmp_path, "-k", "good", "-W", "error", f"--junitxml={written}")
    assert code == 0, text
    assert written.read_text().count('<property name="evenhand_checks" value="[True, ') == 2


def test_nothing_is_said_where_nothing_is_asked(tmp_path):
    code, text = ran(tmp_path, "-k", "something_else")
    assert code == 0
    assert "evenhand =" not in text

"""A loop of links is a file that cannot be read, wherever its name stands."""

import os

import pytest


@pytest.fixture
def loop(here, write):
    os.symlink("one", "two")
    os.symlink("two", "one")
    write("gold.txt", "a\nb\n")
    write("pred.txt", "a\na\n")


@pytest.mark.parametrize(
    "command",
    [
        "score gold.txt one",
        "score one gold.txt",
        "rank gold.txt pred.txt one",
        "compare gold.txt pred.txt one",
        "gate gold.txt pred.txt one --margin 0.1",
        "report gold.txt pred.txt one -o report.html",
        "agree one",
        "look one",
        "score gold.txt pred.txt --map one",
    ],
)
def test_a_loop_of_links_is_one_line(loop, fails, command):
    assert fails(*command.split()) == "one cannot be read: Too many levels of symbolic links"


def test_two_of_them_are_one_line_too(loop, fails):
    reason = "cannot be read: Too many levels of symbolic links"
    assert fails("compare", "gold.txt", "one", "two") == (
        f"2 of 2 files cannot be read: one {reason}; two {reason}; --keep-going goes on without "
        "them"
    )

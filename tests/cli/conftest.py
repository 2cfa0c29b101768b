"""Runs of the command line, in this process, in an empty directory."""

import pytest


@pytest.fixture(autouse=True)
def _empty_directory(here):
    """Every test runs in a directory of its own."""


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

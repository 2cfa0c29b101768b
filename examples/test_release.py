"""May the new system go out? As a test of a model, with a table of what was asked at the end.

python -m pytest examples/test_release.py      (evenhand's plugin loads by itself)
"""

from pathlib import Path

import pytest

HERE = Path(__file__).parent / "shared-task"


def labels(name):
    return (HERE / name).read_text().splitlines()


@pytest.fixture
def gold():
    return labels("gold.txt")


def test_the_new_system_is_not_worse(gold, not_worse):
    old, new = labels("systems/fallback.txt"), labels("systems/strong-b.txt")
    not_worse(gold, old, new, margin=0.01, metrics="macro_f1")


def test_it_is_good_enough(gold, at_least):
    new = labels("systems/strong-b.txt")
    at_least(gold, new, metrics="macro_f1", value=0.75)
    at_least(gold, new, metrics="recall:label=worried", value=0.5)

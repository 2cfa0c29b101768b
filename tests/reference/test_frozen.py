"""Values of PyCM and scikit-learn, frozen, so that none of them is needed."""

import json
from pathlib import Path

import pytest

import evenhand as eh

FROZEN = json.loads((Path(__file__).parent / "frozen.json").read_text())
TABLES = FROZEN["tables"]


def known(value):
    """PyCM has the text None where it has no value."""
    return isinstance(value, int | float)


def value(spelling, cells, label=None):
    text = spelling
    if label is not None:
        text += f"{',' if ':' in spelling else ':'}label={label}"
    return eh.score(cells, metrics=[text], interval=None)[text].value


@pytest.mark.parametrize("name", TABLES[0]["pycm"]["overall"])
def test_pycm(name):
    compared = 0
    for table in TABLES:
        theirs = table["pycm"]["overall"].get(name, "None")
        if known(theirs):
            assert value(name, table["cells"]) == pytest.approx(theirs, rel=1e-9, abs=1e-9)
            compared += 1
    assert compared > 25


@pytest.mark.parametrize("name", TABLES[0]["pycm"]["classes"])
def test_pycm_of_each_class(name):
    compared = 0
    for table in TABLES[::3]:
        for label, theirs in enumerate(table["pycm"]["classes"][name]):
            if known(theirs):
                ours = value(name, table["cells"], label)
                assert ours == pytest.approx(theirs, rel=1e-9, abs=1e-9)
                compared += 1
    assert compared > 30


@pytest.mark.parametrize("name", TABLES[0]["scikit-learn"])
def test_scikit_learn(name):
    for table in TABLES:
        theirs = table["scikit-learn"][name]
        assert value(name, table["cells"]) == pytest.approx(theirs, rel=1e-9, abs=1e-9)

"""Few labels are counted by Python, many by others: the table is the same."""

import numpy as np
import pytest

import evenhand as eh
import evenhand.data.factorize as arrays
from evenhand.errors import InputError

rng = np.random.default_rng(2)
TRUE, PRED = rng.integers(0, 4, (2, 80))
NAMES = np.array(["bird", "cat", "é", "z"])
FORMS = {
    "list of text": lambda x: NAMES[x].tolist(),
    "tuple of text": lambda x: tuple(NAMES[x].tolist()),
    "array of text": lambda x: NAMES[x],
    "array of objects": lambda x: NAMES[x].astype(object),
    "integers": lambda x: x - 2,
    "unsigned": lambda x: x.astype(np.uint64) + np.uint64(1 << 62),
    "other bytes": lambda x: x.astype(">i4"),
    "list of integers": lambda x: x.tolist(),
    "booleans": lambda x: x > 1,
    "with nulls": lambda x: [None if i % 9 == 5 else v for i, v in enumerate(NAMES[x].tolist())],
}


def content(table):
    return (*(x.tolist() for x in table.nonzero()), table.labels, int(table.n), int(table.missing))


@pytest.mark.parametrize("form", FORMS)
def test_few_and_many_labels_are_counted_alike(form, monkeypatch):
    true = FORMS["list of text" if form == "with nulls" else form](TRUE)
    pred = FORMS[form](PRED)
    few = content(eh.Confusion.from_labels(true, pred))
    monkeypatch.setattr(arrays, "FEW", 0)
    assert content(eh.Confusion.from_labels(true, pred)) == few


def test_few_labels_of_two_types_are_no_labels_of_one():
    with pytest.raises(InputError, match="of one type, got bool and int"):
        eh.Confusion.from_labels([1, True], [1, 1])
    with pytest.raises(InputError, match="must have labels of one type, got int and str"):
        eh.Confusion.from_labels([1, 2], ["1", "2"])
    with pytest.raises(InputError, match="same length, got 2 and 3"):
        eh.Confusion.from_labels(["a", "b"], ["a", "b", "b"])


def test_labels_that_no_engine_can_hold_are_counted():
    huge = [1 << 70, 5]
    assert eh.Confusion.from_labels(huge, huge).labels == (5, 1 << 70)
    assert eh.Confusion.from_labels(["\ud800", "a"], ["a", "a"]).labels == ("a", "\ud800")

"""Soft tables: what the probabilities must be."""

import re

import pandas as pd
import pytest

from evenhand import Confusion, InputError

NAN = float("nan")


@pytest.mark.parametrize(
    ("y_true", "probabilities", "message"),
    [
        (
            ["a", "b"],
            [[0.5, 0.5]],
            "probabilities must have shape (2, 2) (items × labels), got (1, 2)",
        ),
        (["a", "b"], [0.5, 0.5], "probabilities must have shape (2, 2) (items × labels), got (2,)"),
        (["a", "b"], [[1, 0], [0.2, 0.7]], "sum to 1 for every item, got [0.2, 0.7] at item 1"),
        (
            ["a", "b"],
            [[-0.2, 1.2], [0, 1]],
            "must be ≥ 0 and sum to 1 for every item, got [-0.2, 1.2]",
        ),
        (["a", "b"], [[NAN, 1], [0, 1]], "got [nan, 1.0] at item 0"),
        (["a", "b"], [["x", "y"], ["z", "w"]], "probabilities must "),
        (["a", "b"], [[0.5, 0.5], [1]], "probabilities must "),
        (["a", "c"], [[1, 0], [0, 1]], "y_true must hold only the given labels 'a', 'b', got 'c'"),
        (["a", None], [[1, 0], [0, 1]], "y_true must not be null, got 1 null"),
        (
            [1, 2],
            [[1, 0], [0, 1]],
            "labels and y_true must have labels of one type, got str and int",
        ),
    ],
)
def test_refused(y_true, probabilities, message):
    with pytest.raises(InputError, match=re.escape(message)):
        Confusion.from_probabilities(y_true, probabilities, labels=["a", "b"])


def test_labels_are_needed():
    with pytest.raises(TypeError, match="labels"):
        Confusion.from_probabilities(["a"], [[1.0]])


def test_each_item_adds_its_probabilities_to_its_true_row():
    table = Confusion.from_probabilities(
        list("aab"), [[0.75, 0.25], [0.5, 0.5], [0, 1]], labels="ab"
    )
    assert table.cells.tolist() == [[1.25, 0.75], [0, 1]]
    assert (table.n, table.total) == (3, 3)


def test_weights_multiply():
    table = Confusion.from_probabilities(["a"], [[0.75, 0.25]], labels="ab", weights=[4])
    assert table.cells.tolist() == [[3, 1], [0, 0]]


def test_certain_probabilities_are_the_hard_table():
    true, pred = list("abcab"), list("aacbb")
    sure = [[float(p == v) for v in "abc"] for p in pred]
    soft = Confusion.from_probabilities(true, sure, labels="abc")
    assert soft.cells.tolist() == Confusion.from_labels(true, pred).cells.tolist()


def test_the_columns_of_a_frame_are_found_by_name():
    frame = pd.DataFrame({"b": [0.9, 0.2], "a": [0.1, 0.8]})
    table = Confusion.from_probabilities(["a", "b"], frame, labels=["a", "b"])
    assert table.cells.tolist() == [[0.1, 0.9], [0.8, 0.2]]

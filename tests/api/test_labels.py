"""What from_labels refuses, and the words it uses."""

import re

import numpy as np
import pytest

from evenhand import Confusion, InputError

DIFFERENT = "1, '1', 1.0 and True are different labels"
APART = "1, '1' and True are different labels"


@pytest.mark.parametrize(
    ("y_true", "y_pred", "message"),
    [
        ([1, "a"], [1, 1], f"y_true must be of one type, got int and str; {DIFFERENT}"),
        ([1], [1.5, "a"], f"y_pred must be of one type, got float and str; {DIFFERENT}"),
        ([True, 1], [1, 1], f"y_true must be of one type, got bool and int; {DIFFERENT}"),
        ([1, 1.0], [1, 1], f"y_true must be of one type, got float and int; {DIFFERENT}"),
        ([1], ["1"], f"must have labels of one type, got int and str; {APART}"),
        ([True], [1], f"must have labels of one type, got bool and int; {APART}"),
        ([1.0, 1.5], [1, 1], "got float and int; floats are integers only where all of them are"),
        ([2.0**53], [1], "got float and int; floats are integers only where all of them are whole"),
        ([1], [1, 2], "y_true and y_pred must have the same length, got 1 and 2"),
        ([], [], "y_true must not be empty: there is no item to count"),
        ("ab", "ab", "y_true must be a sequence of labels, got str"),
        (["a"], b"a", "y_pred must be a sequence of labels, got bytes"),
        (5, [5], "y_true must be a sequence of labels, got int"),
        (None, None, "y_true must be a sequence of labels, got NoneType"),
        ([(1, 2)], [(1, 2)], "must be text, integers, booleans or floats, got tuple; convert"),
        ([[1], [2]], [1, 2], "must be text, integers, booleans or floats, got list; convert"),
        ([1j], [1j], "must be text, integers, booleans or floats, got complex; convert"),
        (np.ones((1, 2)), np.ones((1, 2)), "y_true must be one-dimensional, got shape (1, 2)"),
        (np.array(1), np.array(1), "y_true must be one-dimensional, got shape ()"),
        ([b"\xff"], ["a"], r"labels must be text in UTF-8, got b'\xff'"),
        (np.array([b"\xff"]), ["a"], r"labels must be text in UTF-8, got "),
    ],
)
def test_refused(y_true, y_pred, message):
    with pytest.raises(InputError, match=re.escape(message)):
        Confusion.from_labels(y_true, y_pred)


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ([1], "y_true must hold only the given labels 1, got 2"),
        ([1, 1, 2], "labels must be distinct, got 1 more than once"),
        (
            ["1", "2"],
            f"labels and y_true must have labels of one type, got str and int; {APART}",
        ),
        ([True, False], "labels and y_true must have labels of one type, got bool and int"),
        ([1, None], "labels must not be null, got None"),
        ([1, "2"], "labels must be of one type, got int and str"),
        ([], "labels must name at least one class, got none"),
        (5, "labels must be a list of labels, got 5"),
    ],
)
def test_labels_refused(labels, message):
    with pytest.raises(InputError, match=re.escape(message)):
        Confusion.from_labels([1, 2], [2, 1], labels=labels)


def test_many_labels_are_listed_in_part():
    with pytest.raises(InputError, match=r"got 5, 6, 7, 8, 9 and 11 more$"):
        Confusion.from_labels(range(21), range(21), labels=range(5))


def test_five_labels_are_listed_whole():
    with pytest.raises(InputError, match=r"got 5, 6, 7, 8, 9$"):
        Confusion.from_labels(range(10), range(10), labels=range(5))


def test_all_duplicates_are_found_among_many_labels():
    with pytest.raises(InputError, match=r"^labels must be distinct, got 3, 5999 more than once$"):
        Confusion.from_labels([1], [1], labels=[*range(6000), 5999, 3])


def test_an_error_is_a_value_error():
    with pytest.raises(ValueError, match="same length"):
        Confusion.from_labels([1], [])

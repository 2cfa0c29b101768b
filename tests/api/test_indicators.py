"""Multi-label data: indicators, sparse matrices and label sets."""

import re

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import evenhand as eh
from evenhand import InputError, MultiLabel
from evenhand.errors import MetricError

make = MultiLabel.from_indicators
ONES = np.array([[1, 0, 1], [0, 1, 0]])
OTHERS = np.array([[1, 1, 0], [0, 1, 0]])
SETS = [{0, 2}, {1}], [{0, 1}, {1}]


@pytest.mark.parametrize(
    ("y_true", "y_pred", "message"),
    [
        ([[1, 0], [0, 1]], [[1, 0]], "must have the same shape, got (2, 2) and (1, 2)"),
        ([[1, 0]], [[1, 0, 0]], "must have the same shape, got (1, 2) and (1, 3)"),
        (np.array([[2, 0]]), np.array([[1, 0]]), "y_true must hold only 0 and 1, got 2"),
        (np.array([[1, 0]]), np.array([[1.5, 0]]), "y_pred must hold only 0 and 1, got 1.5"),
        (np.array([[np.nan, 0]]), np.array([[1, 0]]), "y_true must hold only 0 and 1, got nan"),
        ([1, 0], [1, 0], "y_true must be items × labels of 0 and 1, or a list of label sets"),
        ("ab", "ab", "y_true must be items × labels of 0 and 1, or a list of label sets"),
        (np.zeros((0, 2)), np.zeros((0, 2)), "y_true must not be empty: there is no item"),
        ([{"a"}], [{"a"}, {"b"}], "must have the same length, got 1 and 2"),
        ([{"a"}, {1}], [{"a"}, {"a"}], "y_true must be of one type, got int and str"),
        ([{"a"}], [{1}], "y_true and y_pred must have labels of one type, got str and int"),
        ([{"a"}, "b"], [{"a"}, {"b"}], "y_true must be a list of label sets, got str at item 1"),
        (
            [{"a"}, {"b"}],
            [{"a"}, None],
            "y_pred must be a list of label sets, got NoneType at item 1",
        ),
        ([set(), {"b", None}], [{"b"}, {"b"}], "label sets, got a null at item 1"),
        ([set()], [set()], "there is no class"),
    ],
)
def test_refused(y_true, y_pred, message):
    with pytest.raises(InputError, match=re.escape(message)):
        make(y_true, y_pred)


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (["a"], "labels must have length 3 (one per column of the indicators), got 1"),
        (["a", "a", "b"], "labels must be distinct, got 'a' more than once"),
    ],
)
def test_labels_refused(labels, message):
    with pytest.raises(InputError, match=re.escape(message)):
        make(ONES, OTHERS, labels=labels)


def test_a_set_holds_only_given_labels():
    with pytest.raises(InputError, match=r"y_pred must hold only the given labels 'a', got 'b'"):
        make([{"a"}], [{"b"}], labels=["a"])


@pytest.mark.parametrize(
    ("y_true", "y_pred"),
    [
        (ONES, OTHERS),
        (ONES.astype(bool), OTHERS.astype(float)),
        (ONES.tolist(), OTHERS.tolist()),
        (sparse.csr_matrix(ONES), sparse.coo_array(OTHERS)),
        (sparse.csc_array(ONES), OTHERS),
        SETS,
        ([[0, 2], [1]], [[0, 1], [1]]),
        ([(2, 0), (1,)], [frozenset({0, 1}), [1]]),
        (pd.DataFrame(ONES), pd.DataFrame(OTHERS)),
    ],
)
def test_the_same_margins_from_every_kind(y_true, y_pred):
    table = make(y_true, y_pred)
    assert table.labels == (0, 1, 2)
    assert table.prevalence.tolist() == [1, 1, 1]
    assert table.bias.tolist() == [1, 2, 0]
    assert table.correct.tolist() == [1, 1, 0]
    assert (table.n, table.total) == (2, 2)


def test_an_item_may_have_no_label():
    table = make([set(), {"a"}], [{"a"}, set()])
    assert (table.prevalence.tolist(), table.correct.tolist()) == ([1], [0])
    assert eh.subset_accuracy(table) == 0


def test_frames_are_matched_by_column_name():
    true = pd.DataFrame({"a": [1, 1], "b": [0, 0]})
    pred = pd.DataFrame({"b": [0, 0], "a": [1, 1]})
    table = make(true, pred)
    assert (table.labels, table.correct.tolist()) == (("a", "b"), [2, 0])


@pytest.mark.parametrize("name", ["accuracy", "kappa", "mcc", "bookmaker_gain"])
def test_whole_table_metrics_are_refused(name):
    message = rf"^{name} is not defined for multi-label data; subset_accuracy and hamming_loss are$"
    with pytest.raises(MetricError, match=message):
        getattr(eh, name)(make(ONES, OTHERS))


def test_calibration_is_refused():
    with pytest.raises(MetricError, match=r"^macro_f1@uniform: multi-label data have no class mix"):
        eh.score(make(ONES, OTHERS), metrics=["macro_f1@uniform"])


def test_item_metrics_want_items():
    with pytest.raises(MetricError, match=r"^hamming_loss is for multi-label data, got a single-"):
        eh.hamming_loss([[1, 0], [0, 1]])


@pytest.mark.parametrize(
    ("classes", "message"),
    [
        ([], "classes must name at least one label, got none"),
        ("all", "classes must be 'task', 'true', 'seen' or a list of labels, got 'all'"),
        ([7], "classes must be among 0, 1, 2, got 7"),
    ],
)
def test_classes_refused(classes, message):
    with pytest.raises(InputError, match=message):
        eh.macro_f1(make(ONES, OTHERS), classes=classes)


def test_repr_lists_the_margins():
    assert repr(make([{"a"}], [{"a"}])) == (
        "MultiLabel(1 item, 1 label)\n"
        "label  true  predicted  correct\n"
        "a         1          1        1"
    )


def test_sets_of_lists_are_refused():
    with pytest.raises(InputError, match="y_pred must be a list of label sets, got list at item 0"):
        make([{0}, {1}], [[[1], [2]], [[1], [1]]])

"""Prevalence: scaled and calibrated tables, by the second paper's worked example."""

import numpy as np
import pytest

import evenhand as eh
from evenhand.catalogue.binding import evaluate
from evenhand.core.margins import factors

TABLE = eh.Confusion.from_matrix([[15, 10], [5, 10]], labels="ab")


def test_the_papers_table_2_becomes_its_table_4():
    """Class b twice as frequent: macro precision moves from 5/8 to 19/30, recall does not."""
    moved = TABLE.scale([1, 2])
    assert moved.cells.tolist() == [[15, 10], [10, 20]]
    assert eh.macro_precision(TABLE) == pytest.approx(5 / 8, abs=1e-15)
    assert eh.macro_precision(moved) == pytest.approx(19 / 30, abs=1e-15)
    assert eh.macro_recall(moved) == eh.macro_recall(TABLE) == pytest.approx(19 / 30, abs=1e-15)


def test_uniform():
    """λ = 1/(k·prevalence): rows 15/50, 10/50 and 5/30, 10/30."""
    found = TABLE.calibrate()
    assert found.cells == pytest.approx(np.array([[0.3, 0.2], [1 / 6, 1 / 3]]))
    assert factors(TABLE.prevalence) == pytest.approx([1 / 50, 1 / 30])


def test_a_class_that_is_never_true_is_left_as_it_is():
    """Two classes of three occur: they get a half each, the third has nothing to scale."""
    table = eh.Confusion.from_matrix([[3, 1, 0], [0, 1, 1], [0, 0, 0]], outside=[0, 2, 0])
    assert table.calibrate().prevalence == pytest.approx([0.5, 0.5, 0])
    assert table.calibrate().total == pytest.approx(1)
    assert table.calibrate().outside == pytest.approx([0, 0.25, 0])
    assert factors(np.array([4, 0, 1])) == pytest.approx([1 / 8, 0, 1 / 2])


def test_each_table_of_a_stack_has_its_own_classes():
    stack = eh.Confusion.from_matrix([[[3, 1], [0, 0]], [[3, 1], [1, 1]]])
    assert stack.calibrate().prevalence == pytest.approx(np.array([[1, 0], [0.5, 0.5]]))


def test_a_target():
    """Accuracy under a mix is the recalls' mean in that mix: 0.2·3/5 + 0.8·2/3."""
    found = evaluate("accuracy@a=0.2,b=0.8", TABLE)
    assert found == pytest.approx(0.2 * 3 / 5 + 0.8 * 2 / 3, abs=1e-15)
    assert TABLE.calibrate({"b": 0.8, "a": 0.2}).prevalence == pytest.approx([0.2, 0.8])


def test_the_averaged_classes_are_those_of_the_observed_table():
    """A class that was seen stays in the mean whatever the calibration makes of it."""
    cells = [[3, 1, 1], [0, 4, 1], [0, 0, 0]]
    table = eh.Confusion.from_matrix(cells)
    seen = evaluate("macro_recall@uniform", table, classes="seen")
    assert seen == pytest.approx((3 / 5 + 4 / 5 + 0) / 3)
    assert evaluate("macro_recall@uniform", table) == pytest.approx(0.7)


@pytest.mark.parametrize(
    ("prevalence", "message"),
    [
        ({"a": 1.0}, "must state the share of every class: missing 'b', for which 0 is left"),
        ({"a": 0.5, "b": 0.6}, r"must sum to 1, got 1\.1"),
        ({"a": -0.5, "b": 1.5}, "must be numbers ≥ 0, got -0.5 for 'a'"),
        ({"a": float("nan"), "b": 1.0}, "must be numbers ≥ 0"),
        ({"a": 0.5, "c": 0.5}, "must be among 'a', 'b', got 'c'"),
    ],
)
def test_targets_that_make_no_sense(prevalence, message):
    with pytest.raises(eh.InputError, match=message):
        TABLE.calibrate(prevalence)


def test_what_never_occurs_cannot_become_frequent():
    table = eh.Confusion.from_matrix([[3, 1], [0, 0]], labels="ab")
    with pytest.raises(eh.InputError, match="'b' cannot be set: no item has that true class"):
        table.calibrate({"a": 0.5, "b": 0.5})
    assert table.calibrate({"a": 1.0}).total == pytest.approx(1)


def test_margins_alone_cannot_be_calibrated():
    with pytest.raises(eh.MetricError, match="needs the cells"):
        evaluate("macro_f1@uniform", TABLE.counts())

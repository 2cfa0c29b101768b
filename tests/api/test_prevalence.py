"""Calibration and scaling: what a prevalence must be."""

import re

import numpy as np
import pytest

from evenhand import Confusion, InputError

TABLE = Confusion.from_matrix([[6, 1, 1], [1, 5, 2], [2, 3, 7]], labels=["bird", "cat", "dog"])
NEVER = Confusion.from_matrix([[0, 0], [1, 2]], labels=["a", "b"])
NAN = float("nan")


@pytest.mark.parametrize(
    ("prevalence", "message"),
    [
        ({"bird": 0.5, "cat": 0.5}, "missing 'dog', for which 0 is left"),
        (
            {"cat": 0.2},
            "prevalence must state the share of every class: missing 'bird', 'dog', for which 0.8 "
            "is left",
        ),
        ({}, "missing 'bird', 'cat', 'dog', for which 1 is left"),
        ({"bird": 1.2}, "missing 'cat', 'dog', for which 0 is left"),
        ({"bird": 0.5, "cat": 0.5, "dog": 0.5}, "prevalence must sum to 1, got 1.5"),
        (
            {"bird": 0.6, "cat": 0.5, "dog": -0.1},
            "prevalence must be numbers ≥ 0, got -0.1 for 'dog'",
        ),
        ({"bird": 1, "cat": 0, "dog": NAN}, "prevalence must be numbers ≥ 0, got nan for 'dog'"),
        ({"bird": 1, "cat": 0, "dog": "x"}, "prevalence must be numbers ≥ 0, got "),
        (
            {"bird": 1, "cow": 0},
            "classes of the prevalence must be among 'bird', 'cat', 'dog', got 'cow'",
        ),
        (5, "prevalence must map classes to shares, got 5"),
        ("uniform", "prevalence must map classes to shares, got 'uniform'"),
    ],
)
def test_refused(prevalence, message):
    with pytest.raises(InputError, match=re.escape(message)):
        TABLE.calibrate(prevalence)


def test_a_class_that_is_never_true_has_no_row_to_scale():
    message = r"^prevalence of 'a' cannot be set: no item has that true class$"
    with pytest.raises(InputError, match=message):
        NEVER.calibrate({"a": 0.5, "b": 0.5})


def test_a_class_that_is_never_true_may_be_left_out():
    assert NEVER.calibrate({"b": 1}).prevalence.tolist() == [0, 1]
    assert NEVER.calibrate().prevalence.tolist() == [0, 1]


def test_uniform_makes_classes_alike_and_keeps_recalls():
    made = TABLE.calibrate()
    np.testing.assert_allclose(made.prevalence, 1 / 3, rtol=1e-15)
    before, after = (t.correct / t.prevalence for t in (TABLE, made))
    np.testing.assert_allclose(after, before, rtol=1e-14)


def test_the_order_of_the_mapping_does_not_matter():
    made = TABLE.calibrate({"dog": 0.7, "bird": 0.1, "cat": 0.2})
    np.testing.assert_allclose(made.prevalence, [0.1, 0.2, 0.7], rtol=1e-14)


def test_every_table_of_a_stack_is_calibrated():
    stack = Confusion.stack([TABLE, TABLE + TABLE]).calibrate({"bird": 0.2, "cat": 0.3, "dog": 0.5})
    np.testing.assert_allclose(stack.prevalence, [[0.2, 0.3, 0.5]] * 2, rtol=1e-14)


def test_squares_scale_with_the_square():
    table = Confusion.from_labels(["a", "b"], ["a", "a"], weights=[2, 3])
    assert table.scale([10, 1]).squares.tolist() == [[400, 0, 0], [9, 0, 0]]


@pytest.mark.parametrize("factors", [[1, 2], [1, 2, -3], [1, 2, NAN], [[1, 2, 3], [1, 2, 3]]])
def test_factors_refused(factors):
    with pytest.raises(InputError, match=r"^factors must be 3 finite numbers ≥ 0, one a class"):
        TABLE.scale(factors)

"""Curves of thresholds: their points, the dot of the decisions, the band, what is a line."""

import numpy as np
import pytest
from sklearn import metrics as sk

import evenhand as eh
from evenhand.charts.curves import GRID

RNG = np.random.default_rng(0)
TRUE = np.where(RNG.random(150) < 0.3, "spam", "ham")
A, B = (np.clip(x * (TRUE == "spam") + 0.6 * RNG.random(150), 0, 1).round(2) for x in (0.4, 0.3))
ONE = eh.Sample.from_probabilities(TRUE, {"A": A})
TWO = eh.Sample.from_probabilities(TRUE, {"A": A, "B": B})


def layers(chart):
    """The values of each layer of a chart by the names of their fields."""
    spec = chart.to_dict()
    inner = [spec, *spec.get("layer", [])]
    return [x["data"]["values"] for x in inner if "values" in x.get("data", {})]


def line(chart, name):
    (values,) = (v for v in layers(chart) if v and "series" in v[0])
    return [row for row in values if row["series"] == name]


def dots(chart):
    (values,) = (v for v in layers(chart) if v and "tip" in v[0] and "series" not in v[0])
    return values


def test_roc_is_scikit_learns():
    x, y, _ = sk.roc_curve(TRUE == "spam", A, drop_intermediate=False)
    # just behind each rate, where the curve has jumped
    expected = np.interp(GRID + 1e-6, x + 1e-9 * np.arange(len(x)), y)
    values = [row["value"] for row in line(eh.plot.roc(ONE), "A")]
    np.testing.assert_allclose(values, expected, atol=1e-4)


def test_precision_is_that_of_the_highest_threshold_that_reaches_a_recall():
    values = [row["value"] for row in line(eh.plot.precision_recall(ONE), "A")]
    precision, recall, _ = sk.precision_recall_curve(TRUE == "spam", A)
    for at, value in zip(GRID[1:], values[1:], strict=True):
        reached = np.flatnonzero(recall >= at - 1e-12)
        assert value == pytest.approx(precision[reached[-1]])


def test_the_dot_is_where_the_decisions_stand():
    table = ONE.decided().table("A")
    (dot,) = dots(eh.plot.roc(ONE))
    false = eh.false_positive_rate(table, label="spam")
    assert (dot["at"], dot["value"]) == pytest.approx((false, eh.recall(table, label="spam")))
    (dot,) = dots(eh.plot.precision_recall(ONE))
    precision = eh.precision(table, label="spam")
    assert (dot["at"], dot["value"]) == pytest.approx((eh.recall(table, label="spam"), precision))


def test_one_line_has_a_band_and_several_have_none():
    rows = line(eh.plot.roc(ONE), "A")
    assert all(row["low"] <= row["value"] + 0.05 and row["low"] < row["high"] for row in rows[:20])
    chart = eh.plot.roc(TWO)
    assert line(chart, "B")[0]["low"] is None
    assert chart.description.startswith(f"ROC AUC of spam: A {eh.roc_auc(TRUE, A):.3f}, B ")


def test_a_line_a_class_of_several():
    p = RNG.dirichlet(np.ones(3), 60)
    soft = eh.Sample.from_probabilities(np.arange(60) % 3, {"M": p})
    chart = eh.plot.roc(soft)
    assert chart.title == "ROC curve of each class" and len(dots(chart)) == 3
    of_one = eh.plot.roc(soft, label=2)
    assert of_one.title == "ROC curve of 2"
    assert f"M {eh.roc_auc(np.arange(60) % 3, p, label=2):.3f}" in of_one.description


def test_only_of_probabilities():
    with pytest.raises(eh.InputError, match="sample must be a Sample with probabilities"):
        eh.plot.roc([[3, 1], [1, 3]])

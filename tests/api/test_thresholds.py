"""Thresholds: the data they take, what is refused, and the command."""

import json

import numpy as np
import polars as pl
import pytest

import evenhand as eh
from evenhand.data.arguments import FORMS
from evenhand.errors import InputError

TRUE = list("aababbab") * 3
P = np.random.default_rng(0).dirichlet((1, 1), len(TRUE))
SOFT = eh.Sample.from_probabilities(TRUE, {"s": P}, labels="ab")
BOTH = eh.Sample.from_probabilities(TRUE, {"s": P, "t": P}, labels="ab")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: eh.thresholds(TRUE, SOFT, label="a"), f"takes {FORMS['thresholds']}, got 2 argu"),
        (lambda: eh.thresholds(BOTH, label="a"), "got a Sample of 2 systems ('s', 't')"),
        (lambda: eh.thresholds(SOFT.decided(), label="a"), f"takes {FORMS['thresholds']}, got a S"),
        (lambda: eh.thresholds(label="a"), "got nothing"),
        (lambda: eh.thresholds(SOFT, label="c"), "label must be among 'a', 'b', got 'c'"),
        (lambda: eh.thresholds(SOFT, label="a", weights=[1] * 24), "weights must be given where"),
        (lambda: eh.thresholds(SOFT, label="a", at=[0.5, 1.5]), "must be numbers from 0 to 1"),
        (lambda: eh.thresholds(SOFT, label="a", at=[]), "must be numbers from 0 to 1"),
        (lambda: eh.thresholds(SOFT, label="a", at=["x"]), "numbers from 0 to 1, got ['x']"),
        (lambda: eh.thresholds(SOFT, label="a", interval="bca"), "must be 'auto', 'delta' or None"),
        (
            lambda: eh.thresholds(SOFT, label="a", by_metric="f1_gap"),
            "no value of f1_gap is better than another, so no threshold is best",
        ),
        (
            lambda: eh.thresholds(
                ["a", "a"], [[0.5, 0.5]] * 2, labels="abc"[:2], label="b", classes=["b"],
                by_metric="macro_recall", undefined="nan",
            ),
            "macro_recall has no value at any threshold, so none is best",
        ),
        (
            lambda: eh.thresholds(["a"], [[1.0]], labels=["a"], label="a"),
            "a threshold needs another class to decide for, got 'a' alone",
        ),
        (
            lambda: eh.thresholds(TRUE, P, labels="ab", label="a", weights=[0.0] * 24),
            "holds only items of weight 0: there is nothing to score",
        ),
        (lambda: eh.plot.thresholds(SOFT), "must be the result of eh.thresholds, got a SoftSample"),
    ],
)  # fmt: skip
def test_what_does_not_fit(call, message):
    with pytest.raises(InputError) as caught:
        call()
    assert message in str(caught.value)


def test_labels_and_probabilities_are_the_sample():
    assert eh.thresholds(TRUE, P, labels="ab", label="a") == eh.thresholds(SOFT, label="a")
    frame = pl.DataFrame({"b": P[:, 1], "a": P[:, 0]})
    assert eh.thresholds(TRUE, frame, labels="ab", label="a") == eh.thresholds(SOFT, label="a")


def test_what_is_scored_are_the_most_probable_classes():
    found = eh.score(SOFT, metrics=["macro_f1", "accuracy"])
    assert found == eh.score(SOFT.decided(), metrics=["macro_f1", "accuracy"])
    assert "'b' is predicted above a probability of 0.5" in str(found)
    both = eh.score(SOFT, metrics=["expected_accuracy", "accuracy"])
    data = json.loads(both.to_json())
    assert list(data["metrics"]) == ["expected_accuracy", "accuracy"]
    assert data["metrics"]["accuracy"]["value"] == found["accuracy"].value
    soft = P[np.arange(24), [int(t == "b") for t in TRUE]].mean()
    assert data["metrics"]["expected_accuracy"]["value"] == pytest.approx(soft)
    assert both["expected_accuracy"].signature.metric == "expected_accuracy"
    assert both.to_polars()["metric"].head(2).to_list() == ["expected_accuracy", "accuracy"]


def test_slices_have_them_too():
    by = ["x", "y"] * 12
    sliced = eh.Sample.from_probabilities(TRUE, {"s": P}, labels="ab", by=by)
    found = eh.score(sliced, metrics=["accuracy", "expected_accuracy"])
    assert [s.key for s in found.slices] == ["x", "y"]
    true = np.array([int(t == "b") for t in TRUE])
    right, soft = P.argmax(axis=1) == true, P[np.arange(24), true]
    for i, part in enumerate(found.slices):
        assert part["accuracy"].value == pytest.approx(right[i::2].mean())
        assert part["expected_accuracy"].value == pytest.approx(soft[i::2].mean())

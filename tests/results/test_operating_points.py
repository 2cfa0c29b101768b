"""What systems decide stands beside an area under a curve."""

import numpy as np
import pytest

import evenhand as eh

TRUE = np.array([0, 0, 0, 0, 0, 0, 1, 1, 1, 1])
A = np.array([0.1, 0.2, 0.3, 0.4, 0.6, 0.7, 0.45, 0.8, 0.9, 0.95])
"""Two false alarms and one miss at 0.5."""
AREAS = ["roc_auc", "average_precision", "pr_auc_trapezoid", "roc_auc:label=1"]


def soft(weights=None):
    p = {name: np.stack([1 - x, x], axis=1) for name, x in (("A", A), ("B", A[::-1]))}
    return eh.Sample.from_probabilities(TRUE, p, labels=[0, 1], weights=weights)


@pytest.mark.parametrize("metric", AREAS)
def test_counts_by_hand_beside_every_area(metric):
    found = eh.compare(soft(), metrics=metric)
    board = eh.rank(soft(), by_metric=metric, metrics="roc_auc", replicates=9)
    for result in (found, board):
        first = next(p for p in result.operating_points if p.system == "A")
        counts = (first.true_positives, first.false_negatives, first.false_positives)
        assert (first.label, first.threshold, *counts, first.true_negatives) == (1, 0.5, 3, 1, 2, 4)
        assert (first.sensitivity, first.specificity, first.precision) == (0.75, 4 / 6, 0.6)
        listed = result.to_dict()["operating_points"][0]
        assert listed["system"] == "A" and listed["precision"] == 0.6
        for text in (str(result), result.to_html(), result.to_markdown()):
            assert "Operating points" in text and "0.7500" in text


def test_weights_count():
    first, _ = eh.compare(soft(np.arange(1.0, 11.0)), metrics="roc_auc").operating_points
    counts = (first.true_positives, first.false_negatives, first.false_positives)
    assert (*counts, first.true_negatives) == (27, 7, 11, 10)


def test_of_several_classes_each_by_the_most_probable():
    true, p = [0, 1, 2, 2], np.array([[6, 3, 1], [6, 3, 1], [1, 3, 6], [3, 4, 3]]) / 10
    sample = eh.Sample.from_probabilities(true, {"A": p, "B": p}, labels=[0, 1, 2])
    points = eh.compare(sample, metrics="roc_auc").operating_points
    assert [(p.system, p.label) for p in points] == [(s, k) for s in "AB" for k in range(3)]
    assert [p.true_positives for p in points[:3]] == [1, 0, 1]
    assert {p.threshold for p in points} == {None}
    named = eh.compare(sample, metrics="roc_auc:label=2").operating_points
    assert [p.label for p in named] == [2, 2]


def test_scores_that_are_no_probabilities_are_decided_by_their_sign():
    sample = eh.Sample.from_probabilities(TRUE, {"A": A * 8 - 4, "B": A[::-1] * 8 - 4})
    points = eh.rank(sample, by_metric="roc_auc", replicates=9).operating_points
    assert {p.threshold for p in points} == {0.0} and points[0].false_positives == 2


def test_none_where_there_is_no_area():
    assert eh.compare(soft(), metrics="brier").operating_points == ()
    labels = eh.rank(
        TRUE, {"A": 1 * (A > 0.5), "B": 1 * (A > 0.9)}, metrics="macro_f1", replicates=9
    )
    assert labels.to_dict()["operating_points"] == []
    assert "Operating points" not in str(labels)

"""Metrics of probabilities are scikit-learn's, ties and weights included."""

import numpy as np
import pytest
from sklearn import metrics as sk

import evenhand as eh

SEEDS = range(6)


def two(seed, n=80):
    """Two classes, scores with ties, weights some of which are 0."""
    rng = np.random.default_rng(seed)
    true = rng.permutation(np.repeat([0, 1], [n // 2, n - n // 2]))
    p = np.clip(0.3 * true + 0.7 * rng.random(n), 0, 1).round(1 + seed % 3)
    return true, p, rng.integers(0, 4, n) / 2


def several(seed, n=120, k=4):
    """Four classes, probabilities rounded to few digits."""
    rng = np.random.default_rng(seed)
    true = np.concatenate([np.arange(k), rng.integers(0, k, n - k)])
    p = rng.dirichlet(np.ones(k), n)
    p[np.arange(n), true] += rng.random(n)
    counts = np.maximum(np.rint(20 * p), 1)
    return true, counts / counts.sum(axis=1, keepdims=True), rng.integers(1, 5, n) / 2


def equal(own, theirs):
    assert own == pytest.approx(theirs, rel=0, abs=1e-9)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("seed", SEEDS)
def test_two_classes(seed, weighted):
    true, p, weight = two(seed)
    w, theirs = ({"weights": weight}, {"sample_weight": weight}) if weighted else ({}, {})
    equal(eh.roc_auc(true, p, **w), sk.roc_auc_score(true, p, **theirs))
    for most in (0.05, 0.3, 0.77):
        own = eh.roc_auc(true, p, max_fpr=most, **w)
        equal(own, sk.roc_auc_score(true, p, max_fpr=most, **theirs))
    equal(eh.average_precision(true, p, **w), sk.average_precision_score(true, p, **theirs))
    precision, recall, _ = sk.precision_recall_curve(true, p, **theirs)
    equal(eh.pr_auc_trapezoid(true, p, **w), sk.auc(recall, precision))
    equal(eh.brier(true, p, **w), sk.brier_score_loss(true, p, **theirs))
    equal(eh.brier(true, p, scale="2", **w), 2 * sk.brier_score_loss(true, p, **theirs))
    equal(eh.log_loss(true, p, **w), sk.log_loss(true, p, **theirs))


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("seed", SEEDS)
def test_several_classes(seed, weighted):
    true, p, weight = several(seed)
    w, theirs = ({"weights": weight}, {"sample_weight": weight}) if weighted else ({}, {})
    for ours, name, how in (
        ("ovr", "macro", "ovr"),
        ("ovr_weighted", "weighted", "ovr"),
        ("micro", "micro", "ovr"),
        *([] if weighted else [("ovo", "macro", "ovo"), ("ovo_weighted", "weighted", "ovo")]),
    ):
        own = eh.roc_auc(true, p, average=ours, **w)
        equal(own, sk.roc_auc_score(true, p, average=name, multi_class=how, **theirs))
    for average in ("macro", "weighted", "micro"):
        own = eh.average_precision(true, p, average=average, **w)
        equal(own, sk.average_precision_score(true, p, average=average, **theirs))
    equal(eh.brier(true, p, **w), sk.brier_score_loss(true, p, **theirs))
    equal(eh.log_loss(true, p, **w), sk.log_loss(true, p, **theirs))
    for k in (1, 2, 3):
        equal(eh.top_k_accuracy(true, p, k=k, **w), sk.top_k_accuracy_score(true, p, k=k, **theirs))


def test_one_class_of_several():
    true, p, weight = several(1)
    own = eh.roc_auc(true, p, label=2, weights=weight)
    equal(own, sk.roc_auc_score(true == 2, p[:, 2], sample_weight=weight))
    own = eh.average_precision(true, p, label=2)
    equal(own, sk.average_precision_score(true == 2, p[:, 2]))
    equal(eh.brier(true, p, label=2), sk.brier_score_loss(true == 2, p[:, 2]))
    equal(eh.log_loss(true, p, label=2), sk.log_loss(true == 2, p[:, 2]))


def test_a_probability_of_zero_is_clipped():
    equal(eh.log_loss([0, 1], [0.5, 0.0]), sk.log_loss([0, 1], [0.5, 0.0]))


@pytest.mark.parametrize("weighted", [False, True])
def test_the_parts_of_the_brier_score(weighted):
    """CORP: isotonic regression by scikit-learn, the class mix, and what is left."""
    from sklearn.isotonic import IsotonicRegression

    true, p, weight = two(3)
    w, theirs = ({"weights": weight}, {"sample_weight": weight}) if weighted else ({}, {})
    fit = IsotonicRegression().fit(p, true, **theirs).predict(p)
    mix = np.full(len(true), np.average(true, weights=weight if weighted else None))
    score, left, none = (sk.brier_score_loss(true, x, **theirs) for x in (p, fit, mix))
    equal(eh.brier_miscalibration(true, p, **w), score - left)
    equal(eh.brier_discrimination(true, p, **w), none - left)
    equal(eh.brier_uncertainty(true, p, **w), none)
    several_true, several_p, _ = several(0)
    parts = [
        eh.brier_miscalibration(several_true, several_p),
        -eh.brier_discrimination(several_true, several_p),
        eh.brier_uncertainty(several_true, several_p),
    ]
    equal(sum(parts), eh.brier(several_true, several_p))


def test_calibration_error_by_hand():
    """Bins up to a half and above it: |0.5 − 0| of one item, |0.9 + 0.7 − 1| of two."""
    p = [[0.5, 0.5], [0.1, 0.9], [0.3, 0.7]]
    assert eh.ece([1, 1, 0], p, bins=2) == pytest.approx((0.5 + 0.6) / 3)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("k", [2, 5])
def test_several_labels(k, weighted):
    rng = np.random.default_rng(k)
    true = (rng.random((70, k)) < 0.4).astype(int)
    p = np.clip(0.3 * true + 0.65 * rng.random((70, k)), 0, 1).round(2)
    weight = rng.integers(1, 5, 70) / 2
    w, theirs = ({"weights": weight}, {"sample_weight": weight}) if weighted else ({}, {})
    for average in ("macro", "weighted", "micro"):
        own = eh.roc_auc(true, p, average=average, **w)
        equal(own, sk.roc_auc_score(true, p, average=average, **theirs))
        own = eh.average_precision(true, p, average=average, **w)
        equal(own, sk.average_precision_score(true, p, average=average, **theirs))
    own = eh.roc_auc(true, p, label=1, **w)
    equal(own, sk.roc_auc_score(true[:, 1], p[:, 1], **theirs))
    scores = eh.score(true, p, **w)
    equal(scores["roc_auc"].value, sk.roc_auc_score(true, p, **theirs))
    assert scores["micro_f1"].value == eh.score(true, p >= 0.5, **w)["micro_f1"].value
    assert any(c.code == "labels_decided" for c in scores.cautions)
    assert scores["roc_auc"].low < scores["roc_auc"].value < scores["roc_auc"].high

"""scikit-learn as the judge, over random labels, weights, policies and label subsets."""

import math
import warnings

import numpy as np
import pytest
import sklearn.metrics as sk

import evenhand as eh
from evenhand.catalogue.binding import evaluate

SEEDS = range(25)
POLICIES = [0.0, 1.0, math.nan]


@pytest.fixture(autouse=True)
def quiet():
    """scikit-learn warns of every undefined ratio; here they are the point."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def draw(seed):
    """True and predicted labels, integers or text, balanced or not; sometimes weights."""
    rng = np.random.default_rng(seed)
    k, n = int(rng.integers(2, 7)), int(rng.integers(3, 60))
    names = np.arange(k) * 3 - 2 if seed % 2 else np.array([f"class {i}" for i in range(k)])
    mix = rng.dirichlet(np.full(k, 0.6), 2)
    true, pred = (rng.choice(k, n, p=p) for p in mix)
    pred = np.where(rng.random(n) < 0.5, true, pred)
    weights = rng.uniform(0.1, 3, n) if seed % 3 else None
    return names[true], names[pred], weights


def tables(seed):
    true, pred, weights = draw(seed)
    return eh.Confusion.from_labels(true, pred, weights=weights), true, pred, weights


def close(found, expected):
    return float(found) == pytest.approx(float(expected), abs=1e-12, nan_ok=True)


@pytest.mark.parametrize("seed", SEEDS)
def test_confusion_matrix(seed):
    table, true, pred, weights = tables(seed)
    assert np.allclose(table.cells, sk.confusion_matrix(true, pred, sample_weight=weights))


@pytest.mark.parametrize("rule", ["task", "seen"])
@pytest.mark.parametrize("undefined", POLICIES)
@pytest.mark.parametrize("seed", SEEDS)
def test_precision_recall_f(seed, undefined, rule):
    """The classes of the task are scikit-learn's with the true ones for labels."""
    table, true, pred, weights = tables(seed)
    options = {"sample_weight": weights, "zero_division": undefined}
    how = {"classes": rule, "undefined": undefined}
    labels = np.unique(true) if rule == "task" else None
    for average in ("macro", "micro", "weighted"):
        those = None if average == "micro" else labels
        expected = sk.precision_recall_fscore_support(
            true, pred, average=average, labels=those, **options
        )[:3]
        for name, value in zip(("precision", "recall", "f1"), expected, strict=True):
            assert close(evaluate(f"{average}_{name}", table, **how), value), (average, name)
    for beta in (0.5, 2):
        value = sk.fbeta_score(true, pred, beta=beta, average="macro", labels=labels, **options)
        assert close(evaluate(f"macro_fbeta:beta={beta}", table, **how), value)
    per_class = sk.precision_recall_fscore_support(true, pred, **options)
    for function, values in zip((eh.precision, eh.recall, eh.f1), per_class, strict=False):
        assert np.allclose(function(table, undefined=undefined), values, equal_nan=True)
    assert np.allclose(table.prevalence, per_class[3])


@pytest.mark.parametrize("undefined", POLICIES)
@pytest.mark.parametrize("seed", SEEDS)
def test_label_subsets(seed, undefined):
    """Classes left out of the average, and one listed that never occurs."""
    table, true, pred, weights = tables(seed)
    labels = list(table.labels[::2])
    if seed % 4 == 0:
        strange = 99 if isinstance(labels[0], int) else "strange"
        table = eh.Confusion.from_labels(
            true, pred, weights=weights, labels=[*table.labels, strange]
        )
        labels.append(strange)
    options = {"sample_weight": weights, "zero_division": undefined, "labels": labels}
    # where no listed class is true scikit-learn forgets the weights; here that is 0/0
    supported = table.prevalence[[table.labels.index(v) for v in labels]].sum() > 0
    for average in ("macro", "micro", *(["weighted"] if supported else [])):
        expected = sk.precision_recall_fscore_support(true, pred, average=average, **options)[:3]
        for name, value in zip(("precision", "recall", "f1"), expected, strict=True):
            found = evaluate(f"{average}_{name}", table, classes=labels, undefined=undefined)
            assert close(found, value), (average, name)


@pytest.mark.parametrize("seed", SEEDS)
def test_whole_table(seed):
    table, true, pred, weights = tables(seed)
    if weights is None:
        assert close(evaluate("kappa", table), sk.cohen_kappa_score(true, pred))
    expected = {
        "accuracy": sk.accuracy_score(true, pred, sample_weight=weights),
        "balanced_accuracy": sk.balanced_accuracy_score(true, pred, sample_weight=weights),
        "kappa": sk.cohen_kappa_score(true, pred, sample_weight=weights),
        "mcc": sk.matthews_corrcoef(true, pred, sample_weight=weights),
    }
    for name, value in expected.items():
        value = 0.0 if math.isnan(value) else value  # 0/0, which is 0 here
        assert close(evaluate(name, table), value), name


@pytest.mark.parametrize("seed", SEEDS)
def test_answers_outside_are_a_label_of_their_own(seed):
    _, true, pred, weights = tables(seed)
    rng = np.random.default_rng(seed)
    own = -1000 if true.dtype.kind == "i" else "no answer"
    pred = np.where(rng.random(len(pred)) < 0.3, np.array(own, object), pred.astype(object))
    labels = sorted({*true.tolist(), *(p for p in pred if p != own)})
    nulls = [None if p == own else p for p in pred]
    table = eh.Confusion.from_labels(true, nulls, labels=labels, weights=weights)
    as_label = np.array(pred.tolist())
    expected = {
        "accuracy": sk.accuracy_score(true, as_label, sample_weight=weights),
        "kappa": sk.cohen_kappa_score(true, as_label, sample_weight=weights),
        "mcc": sk.matthews_corrcoef(true, as_label, sample_weight=weights),
        "macro_recall": sk.recall_score(
            true, as_label, labels=labels, average="macro", sample_weight=weights, zero_division=0
        ),
        "macro_f1": sk.f1_score(
            true, as_label, labels=labels, average="macro", sample_weight=weights, zero_division=0
        ),
        "micro_f1": sk.f1_score(
            true, as_label, labels=labels, average="micro", sample_weight=weights, zero_division=0
        ),
    }
    for name, value in expected.items():
        value = 0.0 if math.isnan(value) else value
        assert close(evaluate(name, table, classes=labels), value), name


def test_issue_8747():
    true = [1, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 4, 4]
    pred = [1, 1, 1, 0, 0, 2, 2, 3, 3, 3, 4, 3, 4, 3]
    for average in ("macro", "micro", "weighted"):
        expected = sk.f1_score(true, pred, labels=[1, 2, 3, 4], average=average)
        found = getattr(eh, f"{average}_f1")(true, pred, classes=[1, 2, 3, 4])
        assert close(found, expected)


def indicators(seed):
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(1, 20)), int(rng.integers(2, 6))
    true = rng.random((n, k)) < rng.uniform(0.1, 0.6, k)
    pred = np.where(rng.random((n, k)) < 0.6, true, rng.random((n, k)) < 0.4)
    weights = rng.uniform(0.1, 3, n) if seed % 2 else None
    return true.astype(int), pred.astype(int), weights


@pytest.mark.parametrize("undefined", POLICIES)
@pytest.mark.parametrize("seed", SEEDS)
def test_multilabel(seed, undefined):
    true, pred, weights = indicators(seed)
    multi = eh.MultiLabel.from_indicators(true, pred, weights=weights)
    every = list(multi.labels)
    options = {"sample_weight": weights, "zero_division": undefined}
    for average in ("samples", "macro", "micro", "weighted"):
        expected = sk.precision_recall_fscore_support(true, pred, average=average, **options)[:3]
        for name, value in zip(("precision", "recall", "f1"), expected, strict=True):
            found = evaluate(f"{average}_{name}", multi, classes=every, undefined=undefined)
            assert close(found, value), (average, name)


@pytest.mark.parametrize("seed", SEEDS)
def test_multilabel_as_a_whole(seed):
    true, pred, weights = indicators(seed)
    multi = eh.MultiLabel.from_indicators(true, pred, weights=weights)
    subset = sk.accuracy_score(true, pred, sample_weight=weights)
    assert close(evaluate("subset_accuracy", multi), subset)
    hamming = sk.hamming_loss(true, pred, sample_weight=weights)
    assert close(evaluate("hamming_loss", multi), hamming)

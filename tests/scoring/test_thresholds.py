"""Thresholds: every table, the best of them, and what choosing it adds, against brute force."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sklearn.metrics import f1_score, precision_recall_curve

import evenhand as eh
from evenhand.catalogue.binding import bind
from evenhand.core.kernel import margins_along
from evenhand.core.margins import Counts
from evenhand.records import MEASURED
from evenhand.scoring import thresholds as at_thresholds
from evenhand.scoring.thresholds import FOLDS, ThresholdDecision, roundest

LABELS = "abcd"


def soft(n, k, seed, *, ties=False, never=False, weights=False, clusters=None):
    """Items whose probabilities lean to the truth; with ``never`` the first class is never true."""
    rng = np.random.default_rng(seed)
    true = rng.integers(int(never), k, n)
    logits = rng.normal(size=(n, k)) + 1.2 * (true[:, None] == np.arange(k))
    p = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    if ties:
        p = np.floor(p * 8) / 8
        p[:, -1] += 1 - p.sum(axis=1)
    return eh.Sample.from_probabilities(
        [LABELS[t] for t in true],
        {"s": p},
        labels=LABELS[:k],
        weights=rng.choice([0.3, 1.0, 2.7], n) if weights else None,
        cluster=None if clusters is None else rng.integers(0, clusters, n),
    )


def every_threshold(sample, label):
    own = sample.probability[0][:, sample.labels.index(label)]
    return sorted({*np.minimum(own, 1.0).tolist(), 1.0}, reverse=True)


# -- the tables ----------------------------------------------------------------------------------


@given(
    st.integers(2, 4).flatmap(
        lambda k: st.tuples(
            st.just(k),
            st.integers(0, k - 1),
            st.lists(
                st.tuples(
                    st.integers(0, k - 1),
                    st.integers(0, k - 2),
                    st.integers(0, 5),
                    st.integers(0, 3),
                ),
                min_size=1,
                max_size=12,
            ),
        )
    ),
    st.booleans(),
)
def test_margins_are_those_of_each_table(drawn, fractions):
    k, label, items = drawn
    true, other, place, weight = (np.array(x) for x in zip(*items, strict=True))
    other = np.where(other >= label, other + 1, other)
    weight = weight * 0.1 if fractions else weight
    found = margins_along(true, other, place, weight, label=label, k=k, size=5)
    for t in range(5):
        cells = np.zeros((k, k), weight.dtype)
        np.add.at(cells, (true, np.where(place <= t, label, other)), weight)
        wanted = Counts.from_cells(cells)
        one = found.at(t)
        for name in (
            "correct",
            "bias",
            "prevalence",
            "total",
            "false_negatives",
            "false_positives",
        ):
            np.testing.assert_allclose(
                getattr(one, name), getattr(wanted, name), rtol=0, atol=1e-12
            )
            assert fractions or getattr(one, name).dtype.kind == "i"
        assert np.all(one.false_negatives >= 0)
        assert np.all(one.false_positives >= 0)


METRICS = ["macro_f1", "micro_f1", "accuracy", "mcc", "f1:label=b", "macro_f1@uniform", "kappa"]


@pytest.mark.parametrize("classes", ["task", "seen", ["a", "c"]])
@pytest.mark.parametrize("weights", [False, True])
@pytest.mark.parametrize(("label", "never"), [("a", True), ("a", False), ("c", False)])
def test_every_threshold_has_the_number_of_the_decided_sample(classes, weights, label, never):
    sample = soft(60, 3, 1, ties=True, never=never, weights=weights)
    at = every_threshold(sample, label)
    metrics = METRICS if not never else METRICS[:-2]
    how = {"classes": classes, "undefined": 0}
    found = eh.thresholds(sample, label=label, metrics=metrics, at=at, interval=None, **how)
    assert list(found.thresholds) == sorted(at)
    for i, threshold in enumerate(found.thresholds):
        one = eh.score(sample.decided(label, threshold), metrics=metrics, interval=None, **how)
        for m in metrics:
            assert found[m].value[i] == pytest.approx(one[m].value, rel=0, abs=1e-12 * weights)
    for m in metrics:
        best = eh.thresholds(sample, label=label, by_metric=m, interval=None, at=[0.5], **how)
        assert best.chosen[m].value == pytest.approx(max(found[m].value), rel=0, abs=1e-12)
        there = eh.score(sample.decided(label, best.best), metrics=m, interval=None, **how)
        slack = 1e-12 * weights  # whose sums depend on the order of addition
        assert there[m].value == pytest.approx(best.chosen[m].value, rel=0, abs=slack)


def test_blocks_change_nothing(monkeypatch):
    sample = soft(80, 3, 2)
    table = sample.decided().table("s")
    kernel = bind("macro_f1", table)
    whole = ThresholdDecision.from_sample(sample, 1).scored([kernel])[0]
    monkeypatch.setattr(at_thresholds, "SCORED_AT_ONCE", 21)
    assert ThresholdDecision.from_sample(sample, 1).scored([kernel])[0].tolist() == whole.tolist()


def test_two_classes_are_those_of_scikit_learn():
    sample = soft(300, 2, 3)
    own = sample.probability[0][:, 1]
    precision, recall, at = precision_recall_curve(sample.true, own)
    found = eh.thresholds(sample, label="b", by_metric="f1:label=b", at=at)
    np.testing.assert_allclose(found["precision:label=b"].value, precision[:-1], rtol=0, atol=1e-12)
    np.testing.assert_allclose(found["recall:label=b"].value, recall[:-1], rtol=0, atol=1e-12)
    f1 = [f1_score(sample.true, own >= t) for t in at]
    np.testing.assert_allclose(found["f1:label=b"].value, f1, rtol=0, atol=1e-12)
    assert found.chosen["f1:label=b"].value == pytest.approx(max(f1), rel=0, abs=1e-12)
    assert f1_score(sample.true, own >= found.best) == pytest.approx(max(f1), rel=0, abs=1e-12)


def test_by_hand():
    p = [[0.9, 0.1], [0.7, 0.3], [0.6, 0.4], [0.2, 0.8]]
    found = eh.thresholds([0, 0, 1, 1], p, labels=[0, 1], label=1, at=[0, 0.3, 0.35, 0.8, 1])
    # all 1: F1 0 and 2/3; from 0.3 on: 2/3 and 4/5; above 0.3: all right; 0.8: 4/5 and 2/3; none
    wanted = [Fraction(1, 3), Fraction(11, 15), Fraction(1), Fraction(11, 15), Fraction(1, 3)]
    assert found["macro_f1"].value == pytest.approx([float(w) for w in wanted], abs=1e-15)
    assert 0.3 < found.best <= 0.4
    assert found.argmax["macro_f1"].value == pytest.approx(11 / 15)


def test_lower_is_better_for_some_and_a_function_may_say_what_is_best():
    sample = soft(60, 2, 4)

    def errors(c):
        return -(c.total - c.sum(c.correct)) / c.total

    found = eh.thresholds(sample, label="b", by_metric=errors)
    wanted = eh.thresholds(sample, label="b", by_metric="accuracy")
    assert found.best == wanted.best
    assert found.optimism.value == pytest.approx(wanted.optimism.value, rel=0, abs=1e-12)


# -- the number that is named ----------------------------------------------------------------------


@given(st.integers(0, 10**6), st.integers(0, 10**6))
@example(300_000, 400_000)
@example(12, 13)
def test_the_roundest_number_is_in_the_range_and_none_there_is_shorter(a, b):
    low, high = sorted((a, b))
    found = Fraction(str(roundest(low / 10**6, high / 10**6))) * 10**6
    if low == high:
        assert found == high
        return
    assert low < found <= high
    digits = next(d for d in range(9) if found * 10**d % 10**6 == 0)
    step = 10**6 // 10 ** max(digits - 1, 1)  # of the numbers with a digit less
    assert digits <= 1 or high // step * step <= low


def test_of_equal_thresholds_the_highest_is_taken():
    p = [[0.2, 0.8], [0.4, 0.6], [0.6, 0.4], [0.8, 0.2]]
    found = eh.thresholds(list("baba"), p, labels="ab", label="b", by_metric="accuracy")
    # right are 1 + 2, 1 + 1, 2 + 1 and 2 + 0 of four, and 2 where none is b
    assert 0.6 < found.best <= 0.8


# -- what choosing adds ----------------------------------------------------------------------------


@pytest.mark.parametrize("how", [{}, {"weights": True}, {"clusters": 23}], ids=str)
def test_expected_is_cross_fitted(how, monkeypatch):
    monkeypatch.setattr(at_thresholds, "REPEATS", 3)
    sample = soft(70, 3, 5, **how)
    found = eh.thresholds(sample, label="a", by_metric="macro_f1", seed=9)
    folds, rng = ThresholdDecision.from_sample(sample, 0), np.random.default_rng(9)
    names, values = np.array(sample.labels), []
    own, rest = sample.probability[0][:, 0], sample.probability[0].copy()
    rest[:, 0] = -1
    weight = np.ones(70) if sample.weight is None else sample.weight
    for _ in range(3):
        fold = folds.folds(rng)
        pred = np.empty(70, object)
        for f in range(FOLDS):
            kept = fold != f
            part = eh.Sample.from_probabilities(
                names[sample.true[kept]],
                {"s": sample.probability[0][kept]},
                labels=sample.labels,
                weights=weight[kept],
            )
            # of all thresholds of the rest, the middle between the best and highest and the next
            tried = every_threshold(part, "a")
            scored = [eh.macro_f1(part.decided("a", t).table("s")) for t in tried]
            at = next(i for i, v in enumerate(scored) if v >= max(scored) - 1e-12)
            threshold = np.mean(tried[at : at + 2]) if at + 1 < len(tried) else -np.inf
            choice = np.where(own >= threshold, 0, rest.argmax(axis=1))
            pred[~kept] = names[choice[~kept]]
        table = eh.Confusion.from_labels(names[sample.true], pred.tolist(), weights=weight)
        values.append(eh.macro_f1(table))
    assert found.expected.value == pytest.approx(np.mean(values), rel=0, abs=1e-12)
    gap = found.chosen["macro_f1"].value - np.mean(values)
    assert found.optimism.value == pytest.approx(gap, rel=0, abs=1e-12)
    assert found.expected.low < found.expected.value < found.expected.high
    (note,) = [n for n in found.cautions if n.code == "chosen_here"]
    assert (note.threshold, note.expected) == (found.best, found.expected.value)


def test_the_error_of_optimism_is_of_the_difference_on_the_same_items(monkeypatch):
    monkeypatch.setattr(at_thresholds, "REPEATS", 1)
    sample = soft(200, 2, 6)
    found = eh.thresholds(sample, label="b", by_metric="accuracy")
    folds = ThresholdDecision.from_sample(sample, 1)
    kernel = bind("accuracy", sample.decided().table("s"))
    elsewhere = folds.crossfitted(kernel, 0)[:, 0] == sample.true
    here = folds.at(np.array([found.best]))[:, 0] == sample.true
    apart = here.astype(float) - elsewhere
    assert found.optimism.value == pytest.approx(apart.mean(), rel=0, abs=1e-12)
    assert found.optimism.se == pytest.approx(apart.std() / np.sqrt(200), rel=0, abs=1e-12)


def test_folds_spread_classes_and_keep_clusters_whole():
    sample = soft(203, 3, 7)
    fold = ThresholdDecision.from_sample(sample, 0).folds(np.random.default_rng(0))
    for t in range(3):
        sizes = np.bincount(fold[sample.true == t], minlength=FOLDS)
        assert sizes.max() - sizes.min() <= 1
    grouped = soft(203, 3, 7, clusters=31)
    fold = ThresholdDecision.from_sample(grouped, 0).folds(np.random.default_rng(0))
    for c in range(31):
        assert len(set(fold[grouped.cluster == c])) <= 1
    assert len(set(fold)) == FOLDS


def test_probabilities_that_say_nothing_are_flattered():
    rng = np.random.default_rng(8)
    p = rng.random(400)
    truth = rng.integers(0, 2, 400).tolist()
    both = np.stack([1 - p, p], axis=1)
    found = eh.thresholds(truth, both, labels=[0, 1], label=1, by_metric="accuracy")
    assert found.chosen["accuracy"].value > 0.5
    assert found.optimism.value > found.optimism.se > 0
    assert found.expected.low < 0.5 < found.expected.high


def test_one_cluster_tells_nothing_of_others():
    p = [[0.9, 0.1], [0.7, 0.3], [0.6, 0.4], [0.2, 0.8]]
    one = {"labels": [0, 1], "label": 1, "cluster": [5] * 4, "interval": None}
    found = eh.thresholds([0, 0, 1, 1], p, **one)
    assert found.expected is None
    assert found.optimism is None
    assert [n.code for n in found.cautions] == ["chosen_here"]


@settings(max_examples=20)
@given(st.integers(0, 10**6))
def test_the_order_of_items_does_not_matter(seed):
    rng = np.random.default_rng(seed)
    true, p = rng.integers(0, 2, 40), rng.random(40).round(2)
    both = np.stack([1 - p, p], axis=1)
    order = rng.permutation(40)
    made = [
        eh.thresholds(t.tolist(), q, labels=[0, 1], label=1, at=[0.5])
        for t, q in ((true, both), (true[order], both[order]))
    ]
    assert made[0] == made[1]


# -- intervals -------------------------------------------------------------------------------------


@pytest.mark.parametrize("how", [{}, {"weights": True}, {"clusters": 40}], ids=str)
@pytest.mark.parametrize("interval", ["auto", "delta"])
def test_intervals_are_those_of_the_decided_sample(how, interval):
    sample = soft(150, 3, 10, **how)
    asked = {"interval": interval, "level": 0.9}
    found = eh.thresholds(sample, label="b", at=[0.2, 0.4, 0.6], **asked)
    for i, t in enumerate(found.thresholds):
        one = eh.score(sample.decided("b", t), metrics=list(found), **asked)
        for m, s in one.items():
            got = (found[m].value[i], found[m].low[i], found[m].high[i])
            assert got == pytest.approx((s.value, s.low, s.high), rel=0, abs=1e-12)
    for scores, decided in (
        (found.argmax, sample.decided()),
        (found.chosen, sample.decided("b", found.best)),
    ):
        one = eh.score(decided, metrics=list(found), **asked)
        for m, s in one.items():
            got, wanted = ({f: getattr(x, f) for f in MEASURED.split()} for x in (scores[m], s))
            assert got.pop("method") == wanted.pop("method")
            assert got == pytest.approx(wanted, rel=0, abs=1e-12)


def test_blocks_of_thresholds_change_nothing(monkeypatch):

    sample = soft(50, 3, 11, clusters=12)
    whole = eh.thresholds(sample, label="a")
    monkeypatch.setattr(at_thresholds, "BLOCK", 500)
    found = eh.thresholds(sample, label="a")
    assert replace(found, curves=whole.curves) == whole
    for metric, curve in found.curves.items():
        assert curve.value == whole.curves[metric].value
        for end in ("low", "high"):  # rows come in another order
            ends = (np.array(getattr(c, end), float) for c in (curve, whole.curves[metric]))
            np.testing.assert_allclose(*ends, rtol=0, atol=1e-12)

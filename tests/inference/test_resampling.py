"""Bootstrap and randomisation against full enumeration, and their seeds."""

from collections import Counter
from itertools import product

import numpy as np
import pytest

import evenhand as eh
from evenhand.catalogue.binding import bind, evaluate
from evenhand.inference.bootstrap import acceleration, bootstrap, replicates
from evenhand.inference.multiplicity import holm, sampled
from evenhand.inference.permutation import mid_p
from evenhand.inference.rows import rows_of

TRUE, A, B = list("aabbc"), list("abbbc"), list("acbab")
METRICS = ["accuracy", "macro_f1", "mcc", "macro_f1@uniform", "f1_gap"]


def resampled_values(metric, table):
    """The metric on every one of the n^n resamples of the items, and how often each value."""
    found = Counter()
    classes = [v for v, there in zip(table.labels, table.averaged(), strict=True) if there]
    for draw in product(range(len(TRUE)), repeat=len(TRUE)):
        cells = np.zeros((3, 4))
        for i in draw:
            cells["abc".index(TRUE[i]), "abc".index(A[i])] += 1
        drawn = eh.Confusion.from_matrix(cells[:, :3], labels="abc")
        target = table.target()
        if metric.endswith("@uniform"):
            scaled = drawn.scale(
                np.divide(target, drawn.prevalence, where=drawn.prevalence > 0, out=np.zeros(3))
            )
            value = evaluate(metric.partition("@")[0], scaled, classes=classes)
        else:
            value = evaluate(metric, drawn, classes=classes)
        found[round(float(value), 9)] += 1
    return found


@pytest.mark.parametrize("metric", METRICS)
def test_bootstrap_is_the_distribution_over_all_resamples(metric):
    table = eh.Confusion.from_labels(TRUE, A)
    rows, kernel = rows_of(table), bind(metric, table)
    expected = resampled_values(metric, table)
    ways = Counter()
    for draw in product(range(len(TRUE)), repeat=len(TRUE)):
        cells = Counter((TRUE[i], A[i]) for i in draw)
        ways[tuple(sorted(cells.items()))] += 1
    found = Counter()
    names = [("abc"[t], "abc"[p]) for t, p in zip(rows.true, rows.pred[:, 0], strict=True)]
    for cells, times in ways.items():
        weights = np.array([[dict(cells).get(name, 0) for name in names]], float)
        found[round(float(rows.values([kernel], weights)[0][0, 0]), 9)] += times
    assert found == expected


def test_draws_have_the_multinomial_law():
    table = eh.Confusion.from_labels(TRUE, A)
    rows, kernel = rows_of(table), bind("macro_f1", table)
    values = bootstrap(rows, [kernel], count=40_000, seed=3)[0][:, 0].round(9)
    expected = resampled_values("macro_f1", table)
    whole = sum(expected.values())
    for value, times in expected.items():
        share = times / whole
        assert np.mean(values == value) == pytest.approx(
            share, abs=5 * np.sqrt(share * (1 - share) / 40_000)
        )


@pytest.mark.parametrize("n", [3, 40])  # few items a row are drawn one by one, many by binomials
def test_draws_keep_the_size_and_the_strata(n):
    table = eh.Confusion.from_matrix(np.array([[5, 1], [2, 4]]) * n)
    rows = rows_of(table)
    free = np.concatenate(list(replicates(rows, 50)))
    assert (free.sum(1) == 12 * n).all()
    assert len(np.unique(free[:, 0] + free[:, 1])) > 1
    within = np.concatenate(list(replicates(rows, 50, stratify=True)))
    assert (within[:, :2].sum(1) == 6 * n).all() and (within[:, 2:].sum(1) == 6 * n).all()


def test_clusters_are_drawn_whole():
    sample = eh.Sample.from_labels("aabbab", {"A": list("ababab")}, cluster=[1, 1, 2, 2, 3, 3])
    rows = rows_of(sample)
    weights = np.concatenate(list(replicates(rows, 200)))
    for c in range(3):
        mine = weights[:, rows.cluster == c]
        ratio = mine / rows.weight[rows.cluster == c]
        assert (ratio == ratio[:, :1]).all()


def test_weighted_items_are_drawn_as_items():
    sample = eh.Sample.from_labels("aaab", {"A": list("aabb")}, weights=[1, 1, 2.5, 1])
    rows = rows_of(sample)
    assert rows.items.sum() == 4
    weights = np.concatenate(list(replicates(rows, 100)))
    each = weights / (rows.weight / rows.items)
    assert (each.sum(1) == 4).all() and np.allclose(each, np.rint(each))


def test_jackknife_by_cells_is_the_item_jackknife():
    table = eh.Confusion.from_matrix([[6, 1, 1], [1, 5, 2], [2, 3, 7]])
    kernel = bind("macro_f1", table)
    found = float(acceleration(rows_of(table), [kernel])[0][0])
    values = []
    for t, p in np.ndindex(3, 3):
        for _ in range(int(table.cells[t, p])):
            less = table.cells.copy()
            less[t, p] -= 1
            values.append(float(eh.macro_f1(less)))
    d = np.mean(values) - np.array(values)
    assert found == pytest.approx((d**3).sum() / (6 * (d**2).sum() ** 1.5), rel=1e-9)


def swapped(metric, true, a, b, swaps, groups=None):
    """|difference| / error after a swap, the slopes by small changes of each item's weight."""
    a, b = list(a), list(b)
    for i in range(len(true)):
        if swaps[i if groups is None else groups[i]]:
            a[i], b[i] = b[i], a[i]

    def difference(weights):
        tables = [eh.Confusion.from_labels(true, x, labels="abc", weights=weights) for x in (a, b)]
        first, second = (float(evaluate(metric, t, classes="true")) for t in tables)
        return first - second

    size, ones = 1e-5, np.ones(len(true))
    moves = size * np.eye(len(true))
    slopes = np.array([(difference(ones + m) - difference(ones - m)) / (2 * size) for m in moves])
    slopes -= slopes.mean()
    if groups is not None:
        slopes = np.bincount(groups, slopes) * np.sqrt(3 / 2)
    seen, error = difference(ones), np.sqrt((slopes**2).sum())
    if abs(seen) < 1e-9:
        return seen, 0.0
    return seen, abs(seen) / error if error > 1e-7 else np.inf


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("groups", [None, [0, 0, 1, 2, 2]])
def test_randomisation_is_the_share_of_all_swaps(metric, groups):
    size = len(TRUE) if groups is None else 3
    difference, observed = swapped(metric, TRUE, A, B, [0] * size, groups)
    every = [swapped(metric, TRUE, A, B, s, groups)[1] for s in product((0, 1), repeat=size)]
    expected = np.mean([t >= observed * (1 - 1e-6) for t in every])
    sample = eh.Sample.from_labels(TRUE, {"A": A, "B": B}, cluster=groups)
    found = eh.compare(sample, metrics=[metric])[metric]
    assert found.difference == pytest.approx(difference)
    assert found.p["randomisation"] == pytest.approx(float(expected), abs=1e-12)


def test_sampled_randomisation_nears_the_exact_one():
    rng = np.random.default_rng(0)
    true = rng.integers(0, 3, 40)
    a, b = (np.where(rng.random(40) < 0.6, true, rng.integers(0, 3, 40)) for _ in "ab")
    right_a, right_b = (a == true), (b == true)
    only = [int((right_a & ~right_b).sum()), int((right_b & ~right_a).sum())]
    n, gap = sum(only), abs(only[0] - only[1])
    from math import comb

    exact = sum(comb(n, x) for x in range(n + 1) if abs(2 * x - n) >= gap) / 2**n
    found = eh.compare(true, a, b, metrics=["accuracy"], replicates=20_000)["accuracy"]
    assert found.p["randomisation"] == pytest.approx(exact, abs=0.02)


@pytest.mark.parametrize(("b", "c"), [(2, 8), (0, 5), (7, 3), (4, 4), (0, 0), (10, 30)])
def test_mcnemar_in_closed_form(b, c):
    from fractions import Fraction
    from math import comb

    n = b + c
    point = [Fraction(comb(n, x), 2**n) for x in range(n + 1)]
    exact = 2 * sum(point[: min(b, c) + 1]) - point[min(b, c)]
    assert mid_p(b, c) == pytest.approx(float(min(exact, 1)) if b != c else 1.0, rel=1e-10)


def test_mcnemar_of_very_many_items():
    assert 0 < mid_p(500_000, 503_000) < 0.01


def test_holm_by_hand():
    assert holm([0.01, 0.02, 0.03, 0.5]) == pytest.approx([0.04, 0.06, 0.06, 0.5])
    assert holm([0.04, 0.001]) == pytest.approx([0.04, 0.002])
    assert holm([0.9, 0.8]) == [1.0, 1.0]


def test_a_sampled_p_is_never_zero():
    assert sampled(np.zeros(999), 0.5) == 0.001
    true = np.repeat([0, 1], 200)
    metrics = ["accuracy", "macro_f1"]
    found = eh.compare(true, true, 1 - true, metrics=metrics, replicates=99, tests="all")
    for pair in found.pairs:
        assert pair.p["bootstrap"] == pair.p["randomisation"] == 0.01


def test_the_same_seed_whatever_the_order():
    rng = np.random.default_rng(5)
    n = 300
    true = rng.integers(0, 4, n)
    systems = {s: np.where(rng.random(n) < 0.6, true, rng.integers(0, 4, n)) for s in "ABC"}
    cluster = np.array([f"doc{i}" for i in rng.integers(0, 60, n)])
    weights = rng.choice([0.5, 1.0, 2.0], n)
    order = rng.permutation(n)
    for extra in ({}, {"cluster": cluster}, {"weights": weights}):
        how = {"metrics": ["macro_f1"], "replicates": 200, "tests": "all"}
        first = eh.compare(true, systems, **how, **extra)
        moved = {k: v[order] for k, v in extra.items()}
        again = eh.compare(
            true[order],
            {s: systems[s][order] for s in "CAB"},
            **how,
            **moved,
        )
        ps = {frozenset(p.systems): p for p in again.pairs}
        for pair in first.pairs:
            other = ps[frozenset(pair.systems)]
            assert abs(other.difference) == pytest.approx(abs(pair.difference), abs=1e-14)
            assert other.p["bootstrap"] == pair.p["bootstrap"]
            assert other.p["randomisation"] == pair.p["randomisation"]
    a = eh.score(eh.Sample.from_labels(true, {"A": systems["A"]}, cluster=cluster), interval="bca")
    b = eh.score(
        eh.Sample.from_labels(true[order], {"A": systems["A"][order]}, cluster=cluster[order]),
        interval="bca",
    )
    assert a["macro_f1"].low == b["macro_f1"].low
    other = eh.score(eh.Confusion.from_labels(true, systems["A"]), interval="bootstrap", seed=1)
    base = eh.score(eh.Confusion.from_labels(true, systems["A"]), interval="bootstrap")
    assert base["macro_f1"].low != other["macro_f1"].low


def test_multilabel_and_soft_items_in_any_order():
    rng = np.random.default_rng(6)
    true, pred = rng.integers(0, 2, (2, 50, 3))
    p = rng.dirichlet(np.ones(3), 50)
    y, order = rng.integers(0, 3, 50), rng.permutation(50)
    for metric, first, again in (
        (
            "macro_f1",
            eh.MultiLabel.from_indicators(true, pred),
            eh.MultiLabel.from_indicators(true[order], pred[order]),
        ),
        (
            "expected_macro_f1",
            eh.Sample.from_probabilities(y, {"A": p}, labels=[0, 1, 2]),
            eh.Sample.from_probabilities(y[order], {"A": p[order]}, labels=[0, 1, 2]),
        ),
    ):
        a, b = (eh.score(x, metrics=[metric], interval="bootstrap")[metric] for x in (first, again))
        assert (a.low, a.high) == pytest.approx((b.low, b.high), abs=1e-14)


def test_chunks_change_nothing(monkeypatch):
    table = eh.Confusion.from_matrix([[60, 11], [21, 54]])
    whole = eh.score(table, metrics=["macro_f1"], interval="bootstrap")["macro_f1"]
    monkeypatch.setattr("evenhand.inference.bootstrap.CHUNK", 5000)
    assert eh.score(table, metrics=["macro_f1"], interval="bootstrap")["macro_f1"] == whole

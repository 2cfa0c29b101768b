"""Square and add: metrics at a class mix whose rates may be 0 or 1."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq
from scipy.stats import binom

import evenhand as eh
from evenhand.catalogue.lists import default_metrics
from evenhand.inference.delta import row_items
from evenhand.inference.rows import rows_of
from evenhand.inference.wilson import mid_p_limits

METRICS = ["accuracy", "macro_f1", "mcc", "kappa", "precision:label=0", "f1_of_averages"]


def limits(x, n, tail=0.025):
    """Mid-p limits, by solving the sums of the binomial distribution."""

    def above(p):
        return binom.sf(x, n, p) + binom.pmf(x, n, p) / 2 - tail

    def below(p):
        return binom.cdf(x, n, p) - binom.pmf(x, n, p) / 2 - tail

    low = brentq(above, 0, x / n, xtol=1e-13) if x else 0.0
    return low, brentq(below, x / n, 1, xtol=1e-13) if x < n else 1.0


@pytest.mark.parametrize("n", [1, 2, 7, 20])
def test_mid_p_limits_are_those_of_the_binomial(n):
    low, high = mid_p_limits(np.arange(n + 1) / n, np.full(n + 1, float(n)), 0.95)
    wanted = np.array([limits(x, n) for x in range(n + 1)])
    assert low == pytest.approx(wanted[:, 0], abs=1e-9)
    assert high == pytest.approx(wanted[:, 1], abs=1e-9)


def test_accuracy_is_squared_and_added_by_hand():
    found = eh.shift.extrapolate([[40, 10], [3, 27]], to={0: 0.2, 1: 0.8}, metrics="accuracy")
    v, (l0, h0), (l1, h1) = found["accuracy"], limits(40, 50), limits(27, 30)
    assert v.value == pytest.approx(0.2 * 0.8 + 0.8 * 0.9) and v.method == "mover"
    assert v.low == pytest.approx(v.value - np.hypot(0.2 * (0.8 - l0), 0.8 * (0.9 - l1)), abs=1e-9)
    assert v.high == pytest.approx(v.value + np.hypot(0.2 * (h0 - 0.8), 0.8 * (h1 - 0.9)), abs=1e-9)


def test_a_recall_of_1_is_not_certain():
    """50 of 50: errors of up to 1 − 0.025^(1/50) are left open, and weigh as much as the class."""
    found = eh.shift.extrapolate([[50, 0], [10, 40]], to={0: 0.99, 1: 0.01}, metrics="accuracy")
    v, (low, _) = found["accuracy"], limits(40, 50)
    down = np.hypot(0.99 * (1 - 0.025 ** (1 / 50)), 0.01 * (0.8 - low))
    assert v.low == pytest.approx(v.value - down, abs=1e-9)
    assert v.low < 0.99 * found.classes[0].expected["recall"].low + 0.01
    # alarms of the class of 1 %, of which the 50 showed none, take its precision with them
    most = 1 - 0.025 ** (1 / 50)
    precision = found.classes[1].expected["precision"]
    assert precision.value == precision.high == 1
    assert precision.low == pytest.approx(0.008 / (0.008 + 0.99 * most), abs=0.02)


@pytest.mark.parametrize("share", [0.01, 0.5, 0.99])
@pytest.mark.parametrize("n", [10, 20])
def test_coverage_over_every_table(share, n):
    """All tables of n items a class, each with its exact chance, where recalls of 0 and 1 occur."""
    x, y = (a.ravel() for a in np.meshgrid(np.arange(n + 1), np.arange(n + 1), indexing="ij"))
    tables = np.stack([np.stack([x, n - x], -1), np.stack([n - y, y], -1)], -2)
    spelled = [f"{m}@0={1 - share:g},1={share:g}" for m in METRICS]
    found = eh.score(eh.Confusion.from_matrix(tables), metrics=spelled)
    ends = {m: np.array([(s[m].low, s[m].high) for s in found.slices], float).T for m in spelled}
    for a, b in [(1, 1), (0.98, 0.98), (0.7, 1), (0.9, 0.98), (0.7, 0), (0.98, 0.02)]:
        chance = binom.pmf(x, n, a) * binom.pmf(y, n, b)
        real = eh.Confusion.from_matrix([[a, 1 - a], [1 - b, b]])
        for m in spelled:
            true = eh.score(real, metrics=[m], interval=None)[m].value
            low, high = ends[m]
            assert chance[(low - 1e-9 <= true) & (true <= high + 1e-9)].sum() >= 0.93, (m, a, b)


@given(st.integers(0, 2**32 - 1), st.integers(2, 5))
@settings(max_examples=40, deadline=None)
def test_an_estimate_lies_inside_its_interval(seed, k):
    rng = np.random.default_rng(seed)
    cells = rng.integers(0, 12, (k, k)) * rng.integers(0, 2, (k, k)) + np.eye(k, dtype=int)
    table = eh.Confusion.from_matrix(cells, outside=rng.integers(0, 2, k))
    mix = dict(enumerate(rng.dirichlet(np.full(k, 0.3))))
    names = [*map(str, default_metrics()), "f1_gap", "macro_f1@uniform"]
    found = eh.shift.extrapolate(table, to=mix, metrics=names)
    curves = eh.shift.sweep(table, label=0, at=[0.01, 0.99], metrics=names).curves["system"]
    points = [*found.expected.values()]
    points += [v for c in found.classes for v in c.expected.values() if v.low is not None]
    for v in points:
        assert np.isnan(v.value) or v.low <= v.value <= v.high
    for c in curves.values():
        for low, value, high in zip(c.low, c.value, c.high, strict=True):
            assert low is None or low <= value <= high


def test_of_many_items_it_is_the_delta_method():
    cells = 10_000 * np.array([[60, 10, 5], [4, 30, 6], [9, 2, 74]])
    mix = {0: 0.2, 1: 0.7, 2: 0.1}
    one, two = (eh.shift.extrapolate(cells, to=mix, interval=how) for how in ("auto", "delta"))
    for name, v in one.expected.items():
        other = two[name]
        assert v.se == pytest.approx(other.se, rel=5e-3), name
        assert v.low == pytest.approx(other.low, abs=0.02 * other.se)
    for a, b in zip(one.classes, two.classes, strict=True):
        for name in ("precision", "f1"):
            assert a.expected[name].se == pytest.approx(b.expected[name].se, rel=5e-3)


def test_equal_weights_change_nothing():
    truth, guess = np.repeat([0, 0, 1, 1], [20, 3, 5, 9]), np.repeat([0, 1, 0, 1], [20, 3, 5, 9])
    plain = eh.shift.extrapolate(truth, guess, to=None, metrics="mcc")
    heavy = eh.shift.extrapolate(truth, guess, to=None, metrics="mcc", weights=np.full(37, 2.5))
    assert heavy["mcc"].low == pytest.approx(plain["mcc"].low, abs=1e-9)


def test_items_that_repeat_count_once():
    """Clusters of m equal items: worth one item each, but for the factor of few clusters."""
    truth, guess = np.repeat([0, 0, 1, 1], [20, 3, 5, 9]), np.repeat([0, 1, 0, 1], [20, 3, 5, 9])
    sample = eh.Sample.from_labels(
        np.repeat(truth, 4), {"A": np.repeat(guess, 4)}, cluster=np.repeat(np.arange(37), 4)
    )
    found = row_items(sample.tables(), rows_of(sample))
    assert found == pytest.approx(np.array([[23, 14]]) * 36 / 37)
    sure = eh.Sample.from_labels(
        [0] * 8 + [1] * 4, {"A": [0] * 8 + [1] * 4}, cluster=[*"aabbccddeeff"]
    )
    assert row_items(sure.tables(), rows_of(sure)) == pytest.approx(np.array([[4, 2]]))


def test_two_systems_that_never_miss_a_class_are_not_told_apart_by_it():
    """Where the class is common the interval of the difference is as wide as both recalls."""
    one = eh.Confusion.from_matrix([[30, 0], [12, 38]])
    two = eh.Confusion.from_matrix([[30, 0], [3, 47]])
    (low, high) = (
        eh.shift.sweep(one, label=0, against=two, metrics="accuracy", interval=how, at=[0.2, 0.9])
        for how in ("delta", "auto")
    )
    assert low.leads == high.leads == {"accuracy": "second"}
    other = eh.Confusion.from_matrix([[29, 1], [3, 47]])
    plain, honest = (
        eh.shift.sweep(one, label=0, against=other, metrics="accuracy", interval=how).crossings[0]
        for how in ("delta", "auto")
    )
    assert honest.share == pytest.approx(plain.share, abs=1e-6)
    assert honest.low < plain.low

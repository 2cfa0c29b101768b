"""Numbers at the end of what a float can hold: right, or refused in one line."""

import math
import re

import numpy as np
import polars as pl
import pytest

import evenhand as eh
from evenhand.catalogue.binding import evaluate
from evenhand.errors import InputError, MetricError
from evenhand.options import MOST_REPLICATES
from tests import oracle

TABLE = [[6, 1, 1], [1, 5, 2], [2, 3, 7]]
TRUE, PRED = list("aabbcc" * 5), list("abbbca" * 5)


def scored(**options):
    return eh.score(TABLE, metrics=["macro_f1"], **options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"level": 0.9999999999999999}, "level must be at most 0.999999999999, got 0.9999999999"),
        ({"level": 1}, "level must be between 0 and 1, got 1"),
        ({"level": 0}, "level must be between 0 and 1, got 0"),
        ({"level": math.nan}, "level must be between 0 and 1, got nan"),
        ({"level": "high"}, "level must be between 0 and 1, got 'high'"),
        ({"seed": -1}, "seed must be a whole number ≥ 0, got -1"),
        ({"seed": 0.5}, "seed must be a whole number ≥ 0, got 0.5"),
        ({"replicates": 0}, "replicates must be a whole number from 1 to 1,000,000, got 0"),
        ({"replicates": 10**20}, "replicates must be a whole number from 1 to 1,000,000, got 1000"),
        ({"replicates": 2.5}, "replicates must be a whole number from 1 to 1,000,000, got 2.5"),
    ],
)
def test_settings_of_intervals(options, message):
    for call in (
        lambda: scored(**options),
        lambda: eh.compare(TRUE, {"A": TRUE, "B": PRED}, **options),
        lambda: eh.rank(TRUE, {"A": TRUE, "B": PRED}, **options),
        lambda: eh.shift.estimate_prevalence(TABLE, predicted={0: 1, 1: 1, 2: 1}, **options),
    ):
        with pytest.raises(InputError, match=re.escape(message)):
            call()


@pytest.mark.parametrize("interval", ["auto", "delta", "bootstrap", "bca"])
@pytest.mark.parametrize("level", [1e-300, 1e-9, 1 - 1e-12])
def test_levels_that_have_a_quantile(interval, level):
    found = scored(interval=interval, level=level, replicates=20)["macro_f1"]
    assert found.value == pytest.approx(0.64349376114082)
    assert found.low is None or found.low <= found.high


@pytest.mark.parametrize("seed", [0, 2**64, 10**30])
def test_seeds_of_any_size(seed):
    once, again = (scored(interval="bootstrap", replicates=20, seed=seed) for _ in range(2))
    assert once["macro_f1"].low == again["macro_f1"].low
    assert MOST_REPLICATES == 1_000_000


def test_a_seed_of_properties():
    with pytest.raises(InputError, match="seed must be a whole number ≥ 0, got -1"):
        eh.properties.check("accuracy", seed=-1)


@pytest.mark.parametrize(
    ("beta", "message"),
    [
        (-1, "must be a finite number ≥ 0, got -1"),
        (math.nan, "must be a finite number ≥ 0, got nan"),
        (math.inf, "must be a finite number ≥ 0, got inf"),
        ("two", "must be a finite number ≥ 0, got 'two'"),
    ],
)
@pytest.mark.parametrize("name", ["fbeta", "macro_fbeta", "fbeta_of_averages"])
def test_betas_without_a_value(name, beta, message):
    with pytest.raises(MetricError, match=re.escape(f"beta of {name} {message}")):
        getattr(eh, name)(TABLE, beta=beta)


def test_betas_at_the_ends():
    assert eh.macro_fbeta(TABLE, beta=0) == pytest.approx(eh.macro_precision(TABLE), rel=1e-15)
    assert eh.macro_fbeta(TABLE, beta=1e100) == pytest.approx(eh.macro_recall(TABLE), rel=1e-15)
    assert eh.fbeta_of_averages(TABLE, beta=1e200) == pytest.approx(eh.macro_recall(TABLE))
    assert eh.fbeta(TABLE, beta=1e200) == pytest.approx(eh.recall(TABLE), rel=1e-15)
    with pytest.raises(MetricError, match="p of macro_recall must be a number, got nan"):
        eh.macro_recall(TABLE, p=math.nan)


@pytest.mark.parametrize("beta", [1e-300, 1e-200, 1e-100, 0.5, 3, 1e100, 1e155, 1e200, 1e308])
@pytest.mark.parametrize("undefined", [0, 1, math.nan])
def test_betas_beside_exact_fractions(beta, undefined):
    """One class is predicted but never true, one true but never predicted."""
    cells = [[6, 1, 0], [2, 5, 0], [1, 2, 0]]
    for m in (cells, np.transpose(cells).tolist()):
        exact = oracle.value("macro_fbeta", m, undefined=undefined, beta=beta)
        table = eh.Confusion.from_matrix(m)
        found = evaluate(f"macro_fbeta:beta={beta}", table, undefined=undefined)
        assert found == pytest.approx(exact, rel=1e-12)


@pytest.mark.parametrize("unit", [1e308, 1e304, 1e-310])
def test_sums_that_leave_the_floats(unit):
    message = "weights must add up to 0 or from 1e-150 to 1e+150"
    with pytest.raises(InputError, match=re.escape(message)):
        eh.Confusion.from_matrix(np.full((2, 2), unit))


@pytest.mark.parametrize("weight", [1e152, 1e-155, 1e-200])
def test_weights_whose_squares_leave_the_floats(weight):
    """An interval needs the squares: better no score than a wrong width."""
    weights = np.full(len(TRUE), weight)
    with pytest.raises(InputError, match="weights must be "):
        eh.Confusion.from_labels(TRUE, PRED, weights=weights)
    frame = pl.DataFrame({"t": TRUE, "p": PRED, "w": weights})
    with pytest.raises(InputError, match="column 'w' must hold weights that are 0 or from 1e-150"):
        eh.Confusion.from_frame(frame.lazy(), true="t", pred="p", weights="w")
    with pytest.raises(InputError, match="weights must be "):
        eh.Sample.from_labels(TRUE, {"A": PRED}, weights=weights)


@pytest.mark.parametrize("unit", [1e-140, 1e-60, 1e60, 1e140])
def test_a_common_factor_changes_no_interval(unit):
    rng = np.random.default_rng(0)
    weights = rng.uniform(0.5, 2, len(TRUE))
    for interval in ("auto", "delta", "bootstrap", "bca"):
        a, b = (
            eh.score(
                eh.Sample.from_labels(TRUE, {"A": PRED}, weights=w),
                interval=interval,
                replicates=30,
            )
            for w in (weights, weights * unit)
        )
        for name in ("macro_f1", "kappa", "mcc", "accuracy", "weighted_f1"):
            for x in ("value", "low", "high"):
                assert getattr(a[name], x) == pytest.approx(getattr(b[name], x), rel=1e-9)

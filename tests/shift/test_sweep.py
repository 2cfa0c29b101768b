"""Sweeps: one class from rare to common, and where two systems change places."""

import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import evenhand as eh
from evenhand.catalogue.lists import default_metrics
from evenhand.inference import mover

A = eh.Confusion.from_matrix([[80, 20], [10, 90]], labels="ab")
B = eh.Confusion.from_matrix([[60, 40], [2, 98]], labels="ab")


@given(st.integers(0, 2**32 - 1), st.floats(0.01, 0.99))
@settings(max_examples=30, deadline=None)
def test_every_point_is_an_extrapolation(seed, share):
    rng = np.random.default_rng(seed)
    cells = rng.integers(0, 20, (4, 4)) + np.eye(4, dtype=int)
    table = eh.Confusion.from_matrix(cells, labels="abcd", outside=rng.integers(0, 3, 4))
    names = [*map(str, default_metrics()), "macro_f1@uniform"]
    found = eh.shift.sweep(table, label="b", metrics=names, at=[share])
    rest = np.array(table.prevalence, float)
    rest[1] = 0
    mix = (1 - share) * rest / rest.sum()
    mix[1] = share
    one = eh.shift.extrapolate(
        table, to=dict(zip("abcd", mix, strict=True)), metrics=names, interval="delta"
    )
    auto = eh.shift.extrapolate(table, to=dict(zip("abcd", mix, strict=True)), metrics=names)
    for name in names:
        curve = found.curves["system"][name]
        assert curve.value[0] == pytest.approx(one[name].value, rel=1e-9, abs=1e-12)
        if auto[name].method == "delta, logit" and curve.low[0] is not None:
            assert curve.low[0] == pytest.approx(auto[name].low, rel=1e-6, abs=1e-9)
            assert curve.high[0] == pytest.approx(auto[name].high, rel=1e-6, abs=1e-9)


def test_accuracy_changes_places_where_the_lines_meet():
    """0.8x + 0.9(1−x) = 0.6x + 0.98(1−x) at x = 0.08/0.28."""
    found = eh.shift.sweep(A, label="a", metrics=["accuracy", "macro_recall", "f1_gap"], against=B)
    (crossing,) = found.crossings
    assert crossing.share == pytest.approx(0.08 / 0.28, abs=1e-6)
    assert (crossing.below, crossing.above) == ("second", "first")
    assert crossing.low < crossing.share < crossing.high
    assert found.leads == {"macro_recall": "first"}
    assert any("independent" in w for w in found.warnings)


def test_the_range_of_doubt_is_where_the_difference_is_not_clear():
    found = eh.shift.sweep(A, label="a", metrics=["accuracy"], against=B, interval="delta")
    (c,) = found.crossings
    for share in (c.low, c.high):
        gap = (0.8 * share + 0.9 * (1 - share)) - (0.6 * share + 0.98 * (1 - share))
        variance = share**2 * (0.8 * 0.2 + 0.6 * 0.4) / 100
        variance += (1 - share) ** 2 * (0.9 * 0.1 + 0.98 * 0.02) / 100
        assert abs(gap) == pytest.approx(1.959964 * variance**0.5, rel=1e-3)


def test_paired_items_are_surer_than_independent_ones():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 3, 3000)
    base = np.where(rng.random(3000) < 0.25, rng.integers(0, 3, 3000), truth)
    other = np.where((truth == 1) & (rng.random(3000) < 0.2), 0, base)
    other = np.where((truth == 2) & (rng.random(3000) < 0.6), truth, other)
    sample = eh.Sample.from_labels(truth, {"base": base, "other": other})
    paired = eh.shift.sweep(sample, label=1, metrics=["accuracy"])
    apart = eh.shift.sweep(
        sample.table("base"),
        label=1,
        metrics=["accuracy"],
        against=sample.table("other"),
        classes="true",
    )
    (p,), (q,) = paired.crossings, apart.crossings
    assert p.share == pytest.approx(q.share, abs=1e-6)
    assert (p.below, p.above) == ("other", "base") and q.below == "second"
    assert p.high - p.low < q.high - q.low
    grouped = eh.Sample.from_labels(truth, {"base": base, "other": other}, cluster=np.arange(3000))
    (r,) = eh.shift.sweep(grouped, label=1, metrics=["accuracy"]).crossings
    assert r.low == pytest.approx(p.low, abs=1e-3)


@pytest.mark.parametrize("interval", ["auto", "delta"])
@pytest.mark.parametrize("chunk", [1 << 20, 300])
def test_metrics_together_are_as_each_alone(monkeypatch, interval, chunk):
    """Curves and crossings of all metrics come from one stack, cut wherever memory asks."""
    rng = np.random.default_rng(5)
    truth = rng.integers(0, 3, 400)
    wrong, sure = rng.integers(0, 3, 400), rng.random(400)
    answers = [
        np.where(sure < np.array(p)[truth], wrong, truth)
        for p in ((0.1, 0.7, 0.3), (0.6, 0.2, 0.4))
    ]
    names = ["accuracy", "macro_f1", "macro_f1@uniform", "mcc", "f1:label=1", "f1_gap"]
    sample = eh.Sample.from_labels(truth, dict(zip("ab", answers, strict=True)))
    for data in ({}, {"against": sample.table("b")}):
        one = sample.table("a") if data else sample
        how = {"label": 1, "interval": interval, **data}
        alone = [eh.shift.sweep(one, metrics=name, **how) for name in names]
        with monkeypatch.context() as m:
            m.setattr(mover, "CHUNK", chunk)
            m.setattr(sys.modules["evenhand.shift.sweeps"], "CHUNK", chunk)
            found = eh.shift.sweep(one, metrics=names, **how)
        assert len(found.crossings) >= 3
        each = [c.to_dict() for x in alone for c in x.crossings]
        assert [c.to_dict() for c in found.crossings] == each
        assert found.leads == {k: v for x in alone for k, v in x.leads.items()}
        for key, curve in found.items():
            own = next(x[key] for x in alone if key in x)
            assert curve.value == pytest.approx(own.value, rel=1e-12)
            assert curve.low == pytest.approx(own.low, rel=1e-9)


def test_forms():
    found = eh.shift.sweep(A, label="a", metrics=["macro_f1", "mcc"], against=B, at=[0.1, 0.5, 0.9])
    d = found.to_dict()
    assert d["shares"] == [0.1, 0.5, 0.9] and len(d["systems"]) == 2
    assert len(d["systems"][0]["metrics"]["mcc"]["value"]) == 3
    assert {c["metric"] for c in d["crossings"]} == {"macro_f1", "mcc"}
    assert len(found.to_pandas()) == len(found.to_polars()) == 2 * 2 * 3
    assert "share" in repr(found) and "change at" in found.to_markdown()
    assert "toprule" in found.to_latex() and "<table" in found._repr_html_()
    single = eh.shift.sweep(A, label="a", metrics=["mcc"])
    assert "crossings" not in single.to_dict() and len(single.shares) == 105
    assert single.observed == 0.5
    quick = eh.shift.sweep(A, label="a", metrics=["mcc"], interval=None)
    assert quick.curves["system"]["mcc"].value == single.curves["system"]["mcc"].value
    assert set(quick.curves["system"]["mcc"].low) == {None}


def test_equal_systems_change_no_places():
    found = eh.shift.sweep(A, label="a", metrics=["macro_f1"], against=A)
    assert not found.crossings and found.leads == {"macro_f1": None}


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: eh.shift.sweep(A, label="z"), "class to sweep must be among"),
        (lambda: eh.shift.sweep([[3, 1], [0, 0]], label=0), "not of all"),
        (lambda: eh.shift.sweep(A, label="a", at=[2]), "from 0 to 1"),
        (lambda: eh.shift.sweep(A, label="a", at=[]), "from 0 to 1"),
        (lambda: eh.shift.sweep(A, label="a", at=0.5), "numbers from 0 to 1, got 0.5"),
        (
            lambda: eh.shift.sweep(
                A, label="a", against=eh.Confusion.from_matrix([[3, 1], [0, 0]], labels="ab")
            ),
            "same true classes",
        ),
    ],
)
def test_refused(call, words):
    with pytest.raises(eh.InputError, match=words):
        call()

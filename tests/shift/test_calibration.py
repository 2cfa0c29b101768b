"""Calibration: the documents' examples, and laws over random tables."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import evenhand as eh
from evenhand.catalogue.lists import default_metrics

# Opitz 2022, tables 2-4, printed there with rows = predicted.
OBSERVED = eh.Confusion.from_matrix([[15, 5], [10, 10]], labels="xy", rows="pred")


def test_the_documents_example():
    """Table 2, scaled by λ = (1, 2) to table 4: macro precision 5/8 becomes 19/30."""
    assert eh.macro_precision(OBSERVED) == pytest.approx(5 / 8, abs=1e-15)
    scaled = OBSERVED.scale([1, 2])
    assert scaled.cells.tolist() == [[15, 10], [10, 20]]
    assert eh.macro_precision(scaled) == pytest.approx(19 / 30, abs=1e-15)


def test_extrapolation_says_the_same():
    """x stays at 25 items and y becomes 30: shares 25/55 and 30/55."""
    mix = {"x": 25 / 55, "y": 30 / 55}
    spelled = f"macro_precision@x={25 / 55},y={30 / 55}"
    found = eh.shift.extrapolate(OBSERVED, to=mix, metrics=["macro_precision", spelled])
    assert found.observed["macro_precision"].value == pytest.approx(5 / 8, abs=1e-15)
    assert found["macro_precision"].value == pytest.approx(19 / 30, abs=1e-15)
    assert [c.expected["precision"].value for c in found.classes] == pytest.approx([3 / 5, 2 / 3])
    assert found[spelled].value == pytest.approx(19 / 30, abs=1e-15)
    assert found[spelled] == found.observed[spelled]
    assert found["macro_precision"].low == pytest.approx(found[spelled].low)


@st.composite
def tables(draw, outside=False):
    k = draw(st.integers(2, 6))
    cells = draw(st.lists(st.integers(0, 30), min_size=k * k, max_size=k * k))
    cells = np.array(cells).reshape(k, k)
    assume((cells.sum(axis=1) > 0).all())
    lost = draw(st.lists(st.integers(0, 5), min_size=k, max_size=k)) if outside else None
    return eh.Confusion.from_matrix(cells, labels="abcdef"[:k], outside=lost)


@given(tables(outside=True))
def test_calibrated_accuracy_is_macro_recall(table):
    assert eh.accuracy(table.calibrate()) == pytest.approx(eh.macro_recall(table, classes="true"))


@given(tables())
def test_calibrated_kappa_is_macro_recall_beyond_chance(table):
    k = table.k
    expected = (eh.macro_recall(table) - 1 / k) / (1 - 1 / k)
    assert eh.kappa(table.calibrate()) == pytest.approx(expected, abs=1e-9)


FACTORS = st.lists(st.floats(0.01, 100), min_size=6, max_size=6)


@given(tables(outside=True), FACTORS, st.sampled_from([*map(str, default_metrics())]))
@settings(max_examples=2 * settings.default.max_examples)
def test_every_calibrated_metric_ignores_row_scaling(table, factors, name):
    scaled = table.scale(factors[: table.k])
    with np.errstate(all="ignore"):
        for target in (None, {v: (i + 1) for i, v in enumerate(table.labels)}):
            if target is not None:
                whole = sum(target.values())
                target = {v: x / whole for v, x in target.items()}
            a, b = (getattr(eh, name)(t.calibrate(target)) for t in (table, scaled))
            assert a == pytest.approx(b, rel=1e-7, abs=1e-9)


@given(tables(outside=True), FACTORS)
def test_recalls_do_not_change(table, factors):
    assert np.allclose(eh.recall(table), eh.recall(table.scale(factors[: table.k])))


@given(tables(outside=True), st.lists(st.floats(0.01, 1), min_size=6, max_size=6))
def test_precision_is_eq_26(table, weights):
    """π_j·R_jj / Σ_i π_i·R_ij, whatever the table."""
    mix = np.array(weights[: table.k]) / sum(weights[: table.k])
    found = eh.shift.extrapolate(
        table,
        to=dict(zip(table.labels, mix, strict=True)),
        metrics=["macro_precision"],
        interval=None,
    )
    rates = table.cells / np.asarray(table.prevalence)[:, None]
    bias = mix @ rates
    with np.errstate(invalid="ignore"):
        expected = np.nan_to_num(mix * np.diagonal(rates) / bias)
    assert np.allclose([c.expected["precision"].value for c in found.classes], expected)
    assert np.allclose([c.predicted[1] for c in found.classes], bias)
    assert np.allclose([c.share[1] for c in found.classes], mix)


@given(tables(outside=True))
def test_the_observed_mix_changes_nothing(table):
    mix = dict(zip(table.labels, table.prevalence / table.total, strict=True))
    names = [m for m in map(str, default_metrics()) if m != "bookmaker_gain"]
    found = eh.shift.extrapolate(table, to=mix, metrics=names, interval=None)
    for name in names:
        assert found[name].value == pytest.approx(found.observed[name].value, rel=1e-9, abs=1e-12)

"""The documents' theorems, on random tables."""

import math
from functools import partial

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import evenhand as eh
from evenhand.catalogue.binding import evaluate
from evenhand.core.margins import Counts
from evenhand.core.metrics.macro import bound, pair_terms
from tests.laws.strategies import POLICIES, cells, full_cells, tables

TINY = 1e-12


@given(table=tables(max_k=6), undefined=st.sampled_from(POLICIES))
def test_macro_f1_between_its_bounds(table, undefined):
    """max(0, P̄ + R̄ − 1) ≤ macro_f1 ≤ f1_of_averages, under every policy."""
    names = ("macro_precision", "macro_recall", "macro_f1", "f1_of_averages")
    p, r, mean, averages = (float(evaluate(n, table, undefined=undefined)) for n in names)
    if math.isnan(averages):
        assert math.isnan(undefined) and (math.isnan(p) or math.isnan(r))
        return
    assert max(0, p + r - 1) - TINY <= mean <= averages + TINY


@given(table=tables(max_k=6))
def test_the_gap_is_never_negative_and_below_its_bound(table):
    k = int(table.averaged("seen").sum())
    gap = float(evaluate("f1_gap", table))
    assert -TINY <= gap < bound(k) + (TINY if k == 1 else 0)


@given(m=cells(min_k=2))
def test_when_there_is_a_gap(m):
    """Exactly when two classes with hits differ in prevalence/bias: p_x·b_y ≠ p_y·b_x."""
    c = Counts.from_cells(m)
    hit = np.flatnonzero(c.correct)
    cross = np.multiply.outer(c.prevalence[hit], c.bias[hit])
    assert (float(evaluate("f1_gap", c)) > 1e-9) == bool(np.any(cross != cross.T))


@given(m=cells(max_k=6), averaged=st.lists(st.booleans(), min_size=6, max_size=6))
def test_the_lemma(m, averaged):
    mask = np.array(averaged[: len(m)])
    c = Counts.from_cells(m, averaged=mask)
    terms = pair_terms(c)
    assert np.array_equal(terms, terms.T)
    assert np.all(terms >= 0)
    assert np.all(terms[~mask] == 0)
    assert math.isclose(terms.sum(), float(evaluate("f1_gap", c)), abs_tol=TINY)


@given(table=tables(min_k=2))
def test_shares_of_the_gap(table):
    found = eh.twins(table)
    shares = [share for *_, share in found.pairs]
    assert shares == sorted(shares, reverse=True)
    assert not shares or math.isclose(sum(shares), 1, rel_tol=1e-9)
    assert all(a != b and {a, b} <= set(table.labels) for a, b, _ in found.pairs)
    assert len({frozenset(pair[:2]) for pair in found.pairs}) == len(shares)


@given(table=tables(outside=False))
def test_truth_and_prediction_change_places(table):
    turned = table.transpose()
    seen = partial(evaluate, classes="seen")
    for a, b in (("macro_precision", "macro_recall"), ("micro_precision", "micro_recall")):
        assert math.isclose(seen(a, table), seen(b, turned), abs_tol=TINY)
        assert math.isclose(seen(b, table), seen(a, turned), abs_tol=TINY)
    for name in ("macro_f1", "f1_of_averages", "f1_gap", "accuracy", "micro_f1", "kappa", "mcc"):
        assert math.isclose(seen(name, table), seen(name, turned), abs_tol=TINY)
    assert np.allclose(eh.precision(table), eh.recall(turned))


@given(table=tables(min_k=2))
def test_kappa_and_mcc_have_one_sign_and_mcc_the_larger_size(table):
    kappa, mcc = (float(evaluate(name, table)) for name in ("kappa", "mcc"))
    assert abs(mcc) >= abs(kappa) - TINY
    assert kappa * mcc >= 0


def test_below_zero_the_order_turns():
    assert round(eh.kappa([[0, 1], [5, 0]]), 3) == -0.385
    assert eh.mcc([[0, 1], [5, 0]]) == -1


@given(table=tables(outside=False))
def test_micro_averages_are_accuracy(table):
    names = ("micro_precision", "micro_recall", "micro_f1", "weighted_recall", "accuracy")
    values = [float(evaluate(name, table)) for name in names]
    assert max(values) - min(values) < TINY


@given(m=full_cells())
def test_what_calibration_makes_of_accuracy_and_kappa(m):
    """Accuracy becomes macro recall, kappa a line through it."""
    table, k = eh.Confusion.from_matrix(m), len(m)
    recall = float(evaluate("macro_recall", table))
    assert math.isclose(evaluate("accuracy@uniform", table), recall, abs_tol=TINY)
    line = (recall - 1 / k) / (1 - 1 / k)
    assert math.isclose(evaluate("kappa@uniform", table), line, abs_tol=TINY)


@given(m=full_cells(), target=st.lists(st.integers(1, 20), min_size=5, max_size=5))
def test_calibration_to_a_target(m, target):
    """The prevalence is the target's; recalls, row by row, stay."""
    k = len(m)
    shares = [x / sum(target[:k]) for x in target[:k]]
    table = eh.Confusion.from_matrix(m)
    found = table.calibrate(dict(enumerate(shares)))
    assert np.allclose(found.prevalence, shares)
    assert np.allclose(eh.recall(found), eh.recall(table))
    rows, old = found.cells, table.cells
    assert np.allclose(rows / rows.sum(axis=1)[:, None], old / old.sum(axis=1)[:, None])


@given(m=full_cells())
def test_the_bookmaker_by_bets(m):
    """Eq. 9: every item pays 1, and s/prevalence comes back for each hit."""
    s, prevalence = m.sum(), m.sum(axis=1)
    won = sum(m[i, i] * s / prevalence[i] for i in range(len(m))) - s
    table = eh.Confusion.from_matrix(m)
    assert math.isclose(evaluate("bookmaker_gain", table), won, rel_tol=1e-12, abs_tol=1e-9)
    recall = float(evaluate("macro_recall", table, classes="true"))
    assert math.isclose(won, len(m) * s * recall - s, rel_tol=1e-9, abs_tol=1e-9)


@given(m=cells(), beta=st.sampled_from([0.0, 0.5, 1.0, 2.0, 10.0]))
def test_fbeta_lies_between_precision_and_recall(m, beta):
    table = eh.Confusion.from_matrix(m)
    p, r, f = eh.precision(table), eh.recall(table), eh.fbeta(table, beta=beta)
    assert np.all(f <= np.maximum(p, r) + TINY)
    assert np.all(f >= np.minimum(p, r) - TINY)

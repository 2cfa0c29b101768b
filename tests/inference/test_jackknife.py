"""Errors of averages that hold where classes are small, against tables written out."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

import evenhand as eh
from evenhand.catalogue.binding import bind, evaluate, views_of
from evenhand.core.derivatives import PseudoItems
from evenhand.core.margins import Counts
from evenhand.inference.delta import smoothed_estimate
from evenhand.inference.jackknife import deletion_influence, score_covariances, score_errors
from evenhand.inference.rows import rows_of

RANDOM = np.random.default_rng(8)
TABLES = RANDOM.poisson(1.0, (12, 4, 4)) + 4 * np.eye(4, dtype=int)
STACK = eh.Confusion.from_matrix(TABLES)
AVERAGES = ["macro_f1", "f1_of_averages", "macro_precision", "macro_recall", "macro_fbeta:beta=2"]
TURNED = {"macro_precision": "macro_recall", "macro_recall": "macro_precision"}


def smoothed(table, kernel, **how):
    rows = rows_of(table)
    return smoothed_estimate(rows, [kernel], **how).standard_error(rows, [kernel])[0]


def value(metric, cells):
    return float(evaluate(metric, eh.Confusion.from_matrix(cells)))


def with_pseudo_items(cells):
    """Two more items of each class: half on the diagonal, half like the columns are predicted."""
    pull = np.tile(cells.sum(axis=0) + 1.0, (len(cells), 1))
    np.fill_diagonal(pull, 0)
    return cells + pull / pull.sum(axis=1, keepdims=True) + np.eye(len(cells))


def numeric_slopes(metric, cells, step=1e-6):
    found = np.zeros_like(cells)
    for at in np.ndindex(cells.shape):
        move = np.zeros_like(cells)
        move[at] = step
        found[at] = (value(metric, cells + move) - value(metric, cells - move)) / (2 * step)
    return found


@pytest.mark.parametrize("metric", AVERAGES)
def test_the_delta_method_at_the_table_with_pseudo_items_written_out(metric):
    kernel = bind(metric, STACK)
    found = smoothed(STACK, kernel)
    for i, cells in enumerate(TABLES[:4]):
        table = with_pseudo_items(cells)
        share, slope = table / table.sum(), numeric_slopes(metric, table) * table.sum()
        each = share * (slope - (share * slope).sum()) ** 2
        assert found.se[i] == pytest.approx(np.sqrt(each.sum() / cells.sum()), rel=1e-5)
        rows, items = each.sum(axis=1), cells.sum(axis=1)
        assert found.df[i] == pytest.approx(
            rows.sum() ** 2 / (rows**2 / (items + 1)).sum(), rel=1e-5
        )


@pytest.mark.parametrize("metric", AVERAGES)
def test_leaving_items_out_one_by_one(metric):
    kernel = bind(metric, STACK)
    rows, counts = rows_of(STACK), views_of([kernel], STACK).prepared(kernel)
    found = rows.standard_error(deletion_influence(rows, kernel, counts))
    for i, cells in enumerate(TABLES[:4]):
        less = []
        for at in np.argwhere(cells > 0):
            left = cells.copy()
            left[tuple(at)] -= 1
            less += [value(metric, left)] * cells[tuple(at)]
        n = len(less)
        assert found[i] == pytest.approx(np.sqrt((n - 1) * np.var(less)), rel=1e-9)


@pytest.mark.parametrize("metric", ["macro_f1", "f1_of_averages", "macro_precision"])
def test_predictions_are_smoothed_as_the_truth_of_the_turned_table(metric):
    turned = eh.Confusion.from_matrix(TABLES.swapaxes(1, 2))
    one = smoothed(STACK, bind(metric, STACK), by_prediction=True)
    other = smoothed(turned, bind(TURNED.get(metric, metric), turned))
    for name in ("se", "df", "n_eff"):
        assert getattr(one, name) == pytest.approx(getattr(other, name), rel=1e-9)


def test_predictions_say_nothing_of_recall():
    error = smoothed(STACK, bind("macro_recall", STACK), by_prediction=True)
    assert not error.se.any() and np.isinf(error.df).all()


@pytest.mark.parametrize("metric", ["macro_precision", "f1_of_averages", "macro_f1"])
def test_a_class_never_predicted_is_not_taken_for_known(metric):
    """One right prediction more makes it no less sure: the widths are of one size."""
    never, once = (
        eh.score([[90, 5, 0], [8, 60, 0], [6, 4 - hit, hit]], metrics=metric)[metric]
        for hit in (0, 1)
    )
    assert never.high - never.low > 0.5 * (once.high - once.low)


def test_no_width_jumps_as_predictions_grow():
    """It shrinks by less than a tenth with one item more, and never grows."""
    for metric in ("macro_precision", "macro_f1", "mcc", "weighted_f1"):
        scores = [
            eh.score([[300, 20, 0], [30, 200, 0], [10, 10, c]], metrics=metric)[metric]
            for c in range(10, 30)
        ]
        widths = np.array([s.high - s.low for s in scores])
        assert (widths[1:] / widths[:-1] > 0.9).all() and (widths[1:] < widths[:-1] * 1.01).all()


@pytest.mark.parametrize("metric", AVERAGES)
def test_of_two_systems_each_alone_has_its_own_error(metric):
    """And the difference from oneself has none."""
    joint = RANDOM.poisson(1.0, (3, 4, 4)) + 2 * np.eye(3, 4, dtype=int)[:, :, None]
    true, *pred = np.nonzero(joint)
    one, two = ([None if j == 3 else j for j in p.tolist()] for p in pred)
    sample = eh.Sample.from_labels(true, {"A": one, "B": two}, counts=joint[(true, *pred)])
    rows = rows_of(sample)
    tables = sample.tables()
    kernel = bind(metric, tables, classes="true")
    (seen,) = score_covariances(rows, [kernel])
    alone = score_errors(rows_of(tables), [kernel], [views_of([kernel], tables).prepared(kernel)])[
        0
    ][0]
    assert seen.errors == pytest.approx(alone.se, rel=1e-9)
    assert seen.df == pytest.approx(alone.df, rel=1e-9)
    twice = replace(rows, pred=rows.pred[:, [0, 0]])
    same = replace(kernel, averaged=None if kernel.averaged is None else kernel.averaged[[0, 0]])
    (found,) = score_covariances(twice, [same])
    assert found.between().variance.tolist() == [0.0]


def test_classes_that_occur_nowhere_change_nothing():
    wide = np.zeros((6, 6), int)
    wide[:4, :4] = TABLES[0]
    for metric in AVERAGES:
        one, other = (
            eh.score(cells.tolist(), metrics=metric, classes=[0, 1, 2, 3])[metric]
            for cells in (TABLES[0], wide)
        )
        assert (one.low, one.high) == pytest.approx((other.low, other.high), rel=1e-9)


def test_a_slice_is_scored_as_its_table_alone():
    for i, scores in enumerate(eh.score(STACK, metrics=AVERAGES[:4]).slices):
        alone = eh.score(TABLES[i].tolist(), metrics=AVERAGES[:4])
        for metric, s in alone.metrics.items():
            assert (scores[metric].low, scores[metric].high) == pytest.approx((s.low, s.high))


def test_margins_of_counts_are_laid_flat():
    c = Counts.from_cells(TABLES.reshape(3, 4, 4, 4)).flat()
    assert c.bias.tolist() == TABLES.sum(axis=1).tolist() and c.total.shape == (12,)


def test_classes_beside_an_average_keep_their_own_intervals():
    table = [[45, 5, 0], [3, 50, 2], [1, 1, 9]]
    asked = eh.score(table, metrics=["macro_f1"], interval="jackknife")
    usual = eh.score(table, metrics=["macro_f1"])
    assert asked["macro_f1"] == usual["macro_f1"]
    assert asked.classes == usual.classes
    found = eh.shift.extrapolate(table, metrics=["macro_f1"], interval="jackknife")
    assert found["macro_f1"].method == "wilson, effective"


@pytest.mark.parametrize("stray", ["b", None])
@pytest.mark.parametrize("n", [5, 30, 100])
def test_one_class_alone_is_never_certain(n, stray):
    """Exactly, over every number of right answers: intervals of averages over one class hold."""
    averages = {"macro_recall": lambda r: r, "macro_f1": lambda r: 2 * r / (1 + r)}
    answers = [["a"] * hits + [stray] * (n - hits) for hits in range(n + 1)]
    tables = [eh.Confusion.from_labels(["a"] * n, pred) for pred in answers]
    ends = {hits: eh.score(table, metrics=[*averages]) for hits, table in enumerate(tables)}
    assert all(ends[n][m].low < 1 == ends[n][m].high for m in averages)
    for metric, at in averages.items():
        held = []
        for rate in np.linspace(0.5, 0.99, 50):
            chance = [math.comb(n, h) * rate**h * (1 - rate) ** (n - h) for h in range(n + 1)]
            held.append(
                sum(
                    p
                    for p, s in zip(chance, ends.values(), strict=True)
                    if s[metric].low <= at(rate) <= s[metric].high
                )
            )
        assert min(held) > 0.9
        assert np.mean(held) > 0.95


def test_outside_predictions_draw_pseudo_items_like_a_column_does():
    cells = np.array([[8, 0, 2], [1, 5, 0]])
    smooth = PseudoItems.of_cells(cells)
    assert smooth.columns.tolist() == [10.0, 6.0, 3.0]
    written = cells + smooth.cells()
    counts = Counts.from_cells(cells[:, :-1], cells[:, -1])
    found = smooth.margins(counts)
    assert found.bias == pytest.approx(written[:, :-1].sum(axis=0))
    assert found.outside == pytest.approx(written[:, -1].sum())
    assert found.total == pytest.approx(written.sum())

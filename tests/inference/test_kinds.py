"""Classes of the same margins are stepped once, and nothing else changes."""

import numpy as np
import pytest

import evenhand as eh
from evenhand.core.derivatives import GUESS, Kinds, gradient, reductions
from evenhand.core.margins import Counts
from evenhand.core.registry import all_metrics

METRICS = [m for m in all_metrics() if m.needs == "counts" and not m.of_one_class and m.smooth]


def table(k=200, n=300):
    rng = np.random.default_rng(4)
    true = rng.integers(0, k, n)
    pred = np.where(rng.random(n) < 0.6, true, rng.integers(0, k, n))
    return eh.Confusion.from_labels(true, pred, labels=range(k))


@pytest.mark.parametrize("metric", METRICS, ids=lambda m: m.name)
@pytest.mark.parametrize("listed", [None, "all", "some"])
def test_the_gradient_is_that_of_all_classes(metric, listed):
    mask = {None: None, "all": np.ones(200, bool), "some": np.arange(200) % 3 > 0}[listed]
    c = table().counts_over(mask, 0.0)
    kinds = Kinds.of(c)
    assert kinds is not None and len(kinds.first) < 100
    short, whole = gradient(metric.function, c, kinds=kinds), gradient(metric.function, c)
    assert vars(short).keys() == vars(whole).keys()
    for name, found in vars(short).items():
        np.testing.assert_allclose(found, getattr(whole, name), 1e-12, 1e-15, err_msg=name)


def test_a_kind_has_the_margins_of_its_classes():
    c = table().counts()
    kinds = Kinds.of(c)
    for x in (c.correct, c.bias, c.prevalence):
        np.testing.assert_array_equal(x[kinds.first][kinds.kind], x)
    assert len(kinds.first) == len(set(zip(c.correct, c.bias, c.prevalence, strict=True)))


def test_there_are_no_kinds_of_fractions_of_stacks_and_of_classes_all_different():
    assert Kinds.of(eh.Confusion.from_matrix(np.full((9, 9), 0.5)).counts()) is None
    assert Kinds.of(eh.Confusion.from_matrix(np.ones((2, 9, 9), int)).counts()) is None
    assert Kinds.of(eh.Confusion.from_matrix(np.diag(np.arange(1, 10))).counts()) is None


@pytest.mark.parametrize("metric", METRICS, ids=lambda m: m.name)
def test_reductions_are_counted_on_one_class_as_on_many(metric, monkeypatch):
    runs = []
    run = gradient.__globals__["_run"]
    monkeypatch.setitem(gradient.__globals__, "_run", lambda *given: runs.append(1) or run(*given))
    known = reductions(metric.function, 0.0)
    assert known <= GUESS
    runs.clear()
    gradient(metric.function, Counts.from_cells(np.arange(1, 26).reshape(5, 5)), reductions=known)
    assert len(runs) == 1
    if known:
        fewer = Counts.from_cells(np.arange(1, 26).reshape(5, 5))
        gradient(metric.function, fewer, reductions=known - 1)
        assert len(runs) == 3

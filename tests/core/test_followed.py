"""Slopes carried along are those of complex steps, for every metric of margins."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from evenhand.core.arrays import Array
from evenhand.core.derivatives import DualArray, _followed, followed, gradient, where
from evenhand.core.margins import Counts
from evenhand.core.registry import Metric, all_metrics

PARTS = ("value", "correct", "false_positives", "false_negatives", "total", "outside")
METRICS = [m for m in all_metrics() if m.needs == "counts" and m.smooth and not m.of_one_class]


def tables(*, whole: bool, outside: bool, averaged: Array | None, undefined: float) -> Counts:
    """Twenty tables of four classes, with hits and errors in all of them."""
    rng = np.random.default_rng(5)
    cells: Any = rng.integers(1, 9, (20, 4, 4))
    cells[..., range(4), range(4)] += rng.integers(0, 20, (20, 4))
    lost = rng.integers(0, 3, (20, 4)) * outside
    if not whole:
        cells = cells * rng.uniform(0.1, 3, cells.shape)
    return Counts.from_cells(cells, lost, averaged=averaged, undefined=undefined)


@pytest.mark.parametrize("metric", METRICS, ids=lambda m: m.name)
@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("averaged", [None, np.array([True, False, True, True])])
def test_slopes_agree(metric: Metric, whole: bool, averaged: Array | None) -> None:
    for undefined in (0.0, 1.0, np.nan):
        c = tables(whole=whole, outside=True, averaged=averaged, undefined=undefined)
        mine, steps = followed(metric.function, c), gradient(metric.function, c)
        for name in PARTS:
            np.testing.assert_allclose(
                getattr(mine, name), getattr(steps, name), rtol=1e-9, atol=1e-13, err_msg=name
            )


@pytest.mark.parametrize("metric", [m for m in METRICS if m.default], ids=lambda m: m.name)
def test_the_metrics_of_a_comparison_need_no_steps(metric: Metric) -> None:
    c = tables(whole=True, outside=False, averaged=None, undefined=0.0)
    assert _followed(metric.function, c).correct.shape == (20, 4)


def test_what_cannot_be_carried_is_stepped() -> None:
    def wave(c: Counts) -> Array:
        return np.sin(c.mean(c.correct / c.prevalence))

    c = tables(whole=True, outside=False, averaged=None, undefined=0.0)
    with pytest.raises(TypeError):
        _followed(wave, c)
    np.testing.assert_array_equal(followed(wave, c).correct, gradient(wave, c).correct)


def test_classes_that_meet_elsewhere_are_refused() -> None:
    def own_sum(c: Counts) -> Array:
        return (c.correct / c.prevalence)[..., 0]

    c = tables(whole=True, outside=False, averaged=None, undefined=0.0)
    with pytest.raises(ValueError, match="reduce classes only by"):
        followed(own_sum, c)


def test_carried_numbers_follow_the_rules_of_slopes() -> None:
    x = DualArray(np.array([0.25, 4.0]), {0: 1.0})
    y = DualArray(np.array([2.0, 3.0]), {0: 0.5, 1: 1.0})
    assert ((x - y).slopes[0], (x - y).slopes[1]) == (0.5, -1.0)
    np.testing.assert_allclose((x / y).slopes[0], 1 / y.value - x.value * 0.5 / y.value**2)
    np.testing.assert_allclose((x / y).slopes[1], -x.value / y.value**2)
    np.testing.assert_allclose(np.sqrt(x).slopes[0], 0.5 / np.sqrt(x.value))
    np.testing.assert_allclose(np.log1p(x * y).slopes[1], x.value / (1 + x.value * y.value))
    np.testing.assert_allclose((x**3).slopes[0], 3 * x.value**2)
    chosen = where(np.array([True, False]), x, y)
    assert chosen.value.tolist() == [0.25, 3.0]
    assert chosen.slopes[0].tolist() == [1.0, 0.5]
    assert chosen.slopes[1].tolist() == [0.0, 1.0]
    assert (x < y).tolist() == [True, False]
    with pytest.raises(TypeError):
        np.asarray(x)

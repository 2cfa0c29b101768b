"""The simulations behind figures 1 to 3 of Opitz & Burst (2019), from fresh draws."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.core.counts import Counts
from evenhand.core.metrics.macro import f1_gap, f1_of_averages, macro_f1
from evenhand.simulate import even_errors, graded_errors, graded_mix, tables, uniform_guess

Floats = NDArray[np.float64]
RARE = (0.95, 0.05)
ITEMS = {1: 1000, 2: 2000, 3: 2000}
MIXES = {
    "2 classes, 95 : 5": (0.95, 0.05),
    "2 classes, 70 : 30": (0.7, 0.3),
    "4 classes, 85 : 5 : 5 : 5": (0.85, 0.05, 0.05, 0.05),
    "4 classes, 40 : 30 : 20 : 10": (0.4, 0.3, 0.2, 0.1),
}
"""Class mixes of figure 1b: its legend is not in the text, so these are ours."""


def scores(cells: NDArray[Any]) -> tuple[Floats, Floats]:
    """The F1 of averages and the mean of F1 of tables."""
    c = Counts.from_cells(cells)
    return np.asarray(f1_of_averages(c)), np.asarray(macro_f1(c))


def binary_tasks(draws: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Random classifiers on random data sets of 1,000 items, 95 % of them of one class."""
    made = tables(RARE, uniform_guess(2), items=ITEMS[1], draws=draws, rng=rng)
    return scores(made.cells)


def figure_1a(seed: int) -> dict[str, float]:
    """What figure 1a and its text report of one run: the highest scores, and how alike they are."""
    a, b = binary_tasks(1000, np.random.default_rng([seed, 1]))
    return {
        "f1_of_averages": float(a.max()),
        "macro_f1": float(b.max()),
        "rms": float(np.sqrt(((a - b) ** 2).mean())),
        "pearson": float(np.corrcoef(a, b)[0, 1]),
        "spearman": spearman(a, b),
    }


def spearman(a: Any, b: Any) -> float:
    """Rank correlation; ties get their mean rank."""
    return float(np.corrcoef(ranks(a), ranks(b))[0, 1])


def ranks(x: Any) -> Floats:
    """Ranks from 1 for the smallest; ties share the mean."""
    _, place, count = np.unique(np.asarray(x), return_inverse=True, return_counts=True)
    last = np.cumsum(count)
    return np.asarray((last - (count - 1) / 2)[place])


@lru_cache
def grid(figure: int, k: int, points: int, draws: int, seed: int) -> Floats:
    """Gaps of figure 2 (class mix) or 3 (kind of errors): draws × skew × accuracy."""
    rng = np.random.default_rng([seed, figure, k])
    x, y = axes(k, points)
    if figure == 2:
        mix, channel = graded_mix(k, y[:, None]), even_errors(k, x[None, :])
    else:
        mix, channel = graded_mix(k, 0.0), graded_errors(k, x[None, :], y[:, None])
    made = tables(mix, channel, items=ITEMS[figure], draws=draws, rng=rng)
    return np.asarray(f1_gap(Counts.from_cells(made.cells)))


def axes(k: int, points: int) -> tuple[Floats, Floats]:
    """Accuracy from 1/k to 1, and skew from 0 to 1."""
    return np.linspace(1 / k, 1, points), np.linspace(0, 1, points)


def peak(figure: int, k: int) -> tuple[float, float]:
    """The largest gap on the grid, of the means over draws, and of single draws on average."""
    gaps = grid(figure, k, points=21, draws=12, seed=0)
    return float(gaps.mean(axis=0).max()), float(gaps.max(axis=(1, 2)).mean())

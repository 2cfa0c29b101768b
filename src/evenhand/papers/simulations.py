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
SIZES = (4, 13)
DRAWS = 200
POINTS = 21
MIXES = {
    "2 classes, 95 : 5": RARE,
    "2 classes, 70 : 30": (0.7, 0.3),
    "4 classes, 85 : 5 : 5 : 5": (0.85, 0.05, 0.05, 0.05),
    "4 classes, 40 : 30 : 20 : 10": (0.4, 0.3, 0.2, 0.1),
}
"""Class mixes of figure 1b: its legend is not in the text, so these are ours."""


def scores(cells: NDArray[Any]) -> tuple[Floats, Floats]:
    """The F1 of averages and the mean of F1 of tables."""
    c = Counts.from_cells(cells)
    return np.asarray(f1_of_averages(c)), np.asarray(macro_f1(c))


def random_tasks(mix: tuple[float, ...], *seed: int) -> tuple[Floats, Floats]:
    """Scores of uniform guesses on 1,000 data sets of 1,000 items."""
    rng = np.random.default_rng(seed)
    made = tables(mix, uniform_guess(len(mix)), items=1000, draws=1000, rng=rng)
    return scores(made.cells)


def binary_tasks(seed: int, run: int = 0) -> tuple[Floats, Floats]:
    """The tasks of figure 1a: 95 % of the items are of one class."""
    return random_tasks(RARE, seed, 1, run)


@lru_cache
def figure_1a(seed: int, run: int = 0) -> dict[str, float]:
    """What figure 1a and its text report of one run: the highest scores, and how alike they are."""
    a, b = binary_tasks(seed, run)
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


def chance_of(r: float, n: int) -> float:
    """Two-sided p of a correlation of n pairs, by Student's t."""
    from scipy.special import stdtr

    return float(2 * stdtr(n - 2, -abs(r) * np.sqrt((n - 2) / (1 - r * r))))


def ranks(x: Any) -> Floats:
    """Ranks from 1 for the smallest; ties share the mean."""
    _, place, count = np.unique(np.asarray(x), return_inverse=True, return_counts=True)
    last = np.cumsum(count)
    return np.asarray((last - (count - 1) / 2)[place])


@lru_cache
def grid(figure: int, k: int, *, seed: int, draws: int = DRAWS) -> Floats:
    """Gaps of figure 2 (class mix) or 3 (kind of errors): draws × skew × accuracy."""
    rng = np.random.default_rng([seed, figure, k])
    x, y = axes(k)
    if figure == 2:
        mix, channel = graded_mix(k, y[:, None]), even_errors(k, x[None, :])
    else:
        mix, channel = graded_mix(k, 0.0), graded_errors(k, x[None, :], y[:, None])
    made = tables(mix, channel, items=2000, draws=draws, rng=rng)
    return np.asarray(f1_gap(Counts.from_cells(made.cells)))


def axes(k: int) -> tuple[Floats, Floats]:
    """Accuracy from 1/k to 1, and skew from 0 to 1."""
    return np.linspace(1 / k, 1, POINTS), np.linspace(0, 1, POINTS)


def peaks(gaps: Floats) -> tuple[float, float]:
    """The largest gap on a grid: of the means over draws, and the median of single draws."""
    return float(gaps.mean(axis=0).max()), float(np.median(gaps.max(axis=(1, 2))))

"""Means over folds: how sure they are, though folds share most of what they were trained on."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.infer.pvalue import two_sided
from evenhand.infer.quantile import reach
from evenhand.notes.method import Method


@dataclass(frozen=True)
class ResampledMean:
    """A mean over folds, its standard error and the degrees of freedom behind it."""

    mean: float
    se: float
    freedom: int

    def ends(self, level: float) -> tuple[float, float]:
        """The interval by Student's distribution."""
        width = reach(level, self.freedom) * self.se
        return self.mean - width, self.mean + width

    def measured(
        self, level: float, low: float = -math.inf, high: float = math.inf
    ) -> dict[str, Any]:
        """Value, error and ends of an :class:`Interval`, cut at the ends of the metric's range.

        Without a width there is no interval.
        """
        about: dict[str, Any] = {"value": self.mean, "level": level}
        if not self.se > 0:  # nor if it is not a number
            return {**about, "note": "no width"}
        lower, upper = self.ends(level)
        ends = {"low": max(lower, low), "high": min(upper, high)}
        return {**about, "se": self.se, **ends, "method": Method("resampled t")}

    @property
    def p(self) -> float:
        """Two-sided p of a mean of 0."""
        return float(two_sided(self.mean / self.se, self.freedom)) if self.se else math.nan


def resampled_mean(values: NDArray[np.float64], test_to_train: float) -> ResampledMean:
    """The corrected resampled t: error² = (1/J + n_test/n_train) · s², on J − 1 degrees of freedom.

    Scores of J folds are not independent: their models share items. s²/J, as if they were, is
    several times too small (Nadeau & Bengio 2003; over repeats Bouckaert & Frank 2004).

    >>> found = resampled_mean(np.array([0.8, 0.7, 0.9, 0.8, 0.8]), 1 / 4)
    >>> round(found.mean, 3), round(found.se, 4), round(found.se / (0.005 / 5) ** 0.5, 4)
    (0.8, 0.0474, 1.5)
    """
    folds = len(values)
    spread = float(np.var(values, ddof=1))
    if spread <= 1e-24:  # the same score in another order of addition
        spread = 0.0
    return ResampledMean(
        float(np.mean(values)), math.sqrt((1 / folds + test_to_train) * spread), folds - 1
    )

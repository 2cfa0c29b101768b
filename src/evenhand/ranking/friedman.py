"""Friedman's test over slices, and Nemenyi's critical difference of mean ranks."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from evenhand.infer.design import Floats
from evenhand.notes.record import Record
from evenhand.ranking.ranks import average_ranks

SLICES, SYSTEMS = 5, 3
"""The fewest of each for which the test says anything worth hearing."""


@dataclass(frozen=True)
class Friedman(Record):
    """Do the slices rank the systems alike by more than chance?

    ``critical`` is the difference of mean ranks beyond which Nemenyi's test tells two systems
    apart, whatever the pair.
    """

    told = ("statistic", "p", "mean_ranks", "critical_difference", "slices")

    statistic: float
    p: float
    mean_ranks: dict[str, float]
    critical: float
    slices: int

    @property
    def critical_difference(self) -> float:
        """The same, by the name that it has in JSON."""
        return self.critical


def friedman(
    values: Floats, systems: tuple[str, ...], better: str = "higher", level: float = 0.95
) -> Friedman | None:
    """The test on slices × systems scores; ``None`` where there are too few of either.

    χ² from the mean ranks, corrected for ties; p by Iman and Davenport's F, which is less timid.
    (Friedman 1937; Iman & Davenport 1980; Demšar 2006.)

    >>> found = friedman(np.array([[3, 2, 1.0]] * 6), ("a", "b", "c"))
    >>> found.statistic, found.mean_ranks
    (12.0, {'a': 1.0, 'b': 2.0, 'c': 3.0})
    """
    n, k = values.shape
    if n < SLICES or k < SYSTEMS or np.isnan(values).any():
        return None
    r = average_ranks(values, better)
    mean = r.mean(axis=0)
    spread = ((r - (k + 1) / 2) ** 2).sum()
    chi = 0.0
    if spread > 0:
        chi = float(n**2 * (k - 1) * ((mean - (k + 1) / 2) ** 2).sum() / spread)
    names = dict(zip(systems, mean.tolist(), strict=True))
    return Friedman(chi, _p(chi, n, k), names, nemenyi(k, n, level), n)


def _p(chi: float, n: int, k: int) -> float:
    from scipy.special import fdtrc

    rest = n * (k - 1) - chi
    if rest <= 1e-9:  # all slices agree: the chance of that, under no difference
        return float(math.factorial(k)) ** (1 - n)
    return float(fdtrc(k - 1, (k - 1) * (n - 1), (n - 1) * chi / rest))


def nemenyi(k: int, n: int, level: float = 0.95) -> float:
    """Critical difference of the mean ranks of k systems over n slices: q·√(k(k+1) / 12n).

    >>> round(nemenyi(4, 14, 0.95), 3)  # q/√2 = 2.569 in Demšar 2006, table 5
    1.254
    """
    return studentized_range(level, k) * math.sqrt(k * (k + 1) / (12 * n))


def studentized_range(level: float, k: int) -> float:
    """Quantile of the range of k standard normals: k∫φ(z)·(Φ(z) − Φ(z − q))^{k−1} dz = level."""
    from scipy.special import ndtr

    z = np.linspace(-8, 8, 2001)
    density = np.exp(-(z**2) / 2) / math.sqrt(2 * math.pi)

    def chance(q: float) -> float:
        return float(k * np.trapezoid(density * (ndtr(z) - ndtr(z - q)) ** (k - 1), z))

    low, high = 0.0, 20.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if chance(middle) < level else (low, middle)
    return high

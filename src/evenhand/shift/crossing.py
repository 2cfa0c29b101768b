"""Crossing: the class shares at which two systems change places."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from evenhand.infer.design import Floats
from evenhand.notes.interval import Interval

Difference = Callable[[Floats], tuple[Floats, Floats]]
"""Shares of the class → first minus second system, and how far its interval reaches towards 0."""

LEVELS, FINE = 4, 33
EQUAL = 1e-12
"""Differences up to this are none: systems that are equal all along change no places."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Crossing(Interval):
    """A share of the class at which two systems change places on a metric.

    ``below`` leads at smaller shares, ``above`` at larger ones. From ``low`` to ``high`` the
    interval of their difference holds 0; ``None`` where that goes on to the end of the sweep.

    >>> import evenhand as eh
    >>> one, other = [[90, 10], [30, 70]], [[70, 30], [10, 90]]
    >>> found = eh.shift.sweep(one, label=0, against=other, metrics="accuracy")
    >>> round(found.crossings[0].share, 6), found.crossings[0].above
    (0.5, 'first')
    """

    told = ("metric", "share", "low", "high", "below", "above")

    metric: str
    below: str
    above: str

    @property
    def share(self) -> float:
        """The share itself."""
        return self.value


def crossings(
    difference: Difference, shares: Floats, gap: Floats
) -> list[tuple[float, float | None, float | None, bool]]:
    """Where the difference changes sign: share, the range of doubt around it, who led before.

    The range of doubt is where the interval of the difference holds 0. The last entry says
    whether the first system leads below the share. Roots are bracketed on the grid and refined.

    >>> def line(s):
    ...     return s - 0.25, np.full(len(s), 0.1)
    >>> grid = np.linspace(0, 1, 11)
    >>> [round(float(x), 4) for x in crossings(line, grid, line(grid)[0])[0][:3]]
    [0.25, 0.15, 0.35]
    """
    known = np.flatnonzero(np.abs(gap) > EQUAL)
    found = []
    for a, b in pairwise(known):
        if gap[a] * gap[b] >= 0:
            continue
        root = refined(lambda s: difference(s)[0], float(shares[a]), float(shares[b]))
        low, high = (_doubt(difference, shares, root, side) for side in (-1, 1))
        found.append((root, low, high, bool(gap[a] > 0)))
    return found


def refined(function: Callable[[Floats], Floats], low: float, high: float) -> float:
    """The root between two shares at which ``function`` has different signs."""
    for _ in range(LEVELS):
        s = np.linspace(low, high, FINE)
        v = function(s)
        change = np.flatnonzero(np.sign(v[:-1]) != np.sign(v[1:]))
        if not len(change):
            break
        low, high = float(s[change[0]]), float(s[change[0] + 1])
    return (low + high) / 2


def _doubt(difference: Difference, shares: Floats, root: float, side: int) -> float | None:
    """The nearest share on one side at which the difference is clear of 0."""

    def clear(s: Floats) -> Floats:
        gap, reach = difference(s)
        return np.abs(gap) - reach

    beyond = shares[shares < root][::-1] if side < 0 else shares[shares > root]
    if not len(beyond):
        return None
    sure = np.flatnonzero(clear(beyond) > 0)
    if not len(sure):
        return None
    near = root if sure[0] == 0 else float(beyond[sure[0] - 1])
    return refined(clear, near, float(beyond[sure[0]]))

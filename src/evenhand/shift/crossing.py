"""Crossing: the class shares at which two systems change places."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from evenhand.core.kernel import Kernel
from evenhand.infer.design import Codes, Floats
from evenhand.infer.mover import Limited
from evenhand.infer.settings import Settings
from evenhand.notes.curve import Curve
from evenhand.notes.interval import Interval
from evenhand.shift.curves import Swept

Function = Callable[[Codes, Floats], Floats]
"""Metrics (N), and shares of the class for each (N × P) → numbers there."""

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


def places(
    swept: Swept,
    metrics: dict[str, Kernel],
    curves: list[list[Curve]],
    shares: Floats,
    along: Callable[[Floats], Floats],
    limits: list[Limited] | None,
    how: Settings,
) -> tuple[tuple[Crossing, ...], dict[str, str | None]]:
    """Where two systems change places on each metric, and who leads where they never do.

    ``along`` gives the class mixes at shares. Of a metric without a direction nothing is said.
    """
    every = zip(metrics.items(), [k.better for k in metrics.values()], curves, strict=True)
    judged = [(*named, better, each) for named, better, each in every if better != "neither"]
    ahead: dict[str, Floats] = {}
    for name, _, better, each in judged:
        first, second = np.array([c.value for c in each])
        ahead[name] = second - first if better == "lower" else first - second

    def asked(metric: Codes, at: Floats) -> tuple[list[Kernel], Floats]:
        return [judged[m][1] for m in metric], along(at)

    def gap(metric: Codes, at: Floats) -> Floats:
        return swept.gap(*asked(metric, at))

    def clear(metric: Codes, at: Floats) -> Floats:
        return swept.clear(*asked(metric, at), limits, how.z)

    found = []
    for m, share, low, high, first in crossings(gap, clear, shares, list(ahead.values())):
        below, above = swept.systems if first else swept.systems[::-1]
        place = (share, None, low, high, how.level)
        found.append(Crossing(*place, metric=judged[m][0], below=below, above=above))
    rest = ahead.keys() - {c.metric for c in found}
    return tuple(found), {n: _leader(swept.systems, x) for n, x in ahead.items() if n in rest}


def _leader(systems: tuple[str, ...], gap: Floats) -> str | None:
    """The system that is ahead wherever they differ; ``None`` if they never do."""
    known = gap[np.abs(gap) > EQUAL]
    return None if not len(known) else systems[0 if known[0] > 0 else 1]


def crossings(
    gap: Function, clear: Function, shares: Floats, gaps: Sequence[Floats]
) -> list[tuple[int, float, float | None, float | None, bool]]:
    """Where differences change sign: metric, share, the range of doubt around it, who led before.

    ``gap`` is the difference of the systems, ``gaps`` what it is at the shares of the sweep, by
    metric; ``clear`` is how far its interval is from 0, negative where it holds 0: the range of
    doubt. The last entry says whether the first system leads below the share. Roots are bracketed
    on the grid and refined, those of all metrics together.

    >>> def gap(metric, s):
    ...     return s - 0.25
    >>> grid = np.linspace(0, 1, 11)
    >>> ((_, *found, _),) = crossings(gap, lambda m, s: abs(s - 0.25) - 0.1, grid, [grid - 0.25])
    >>> [round(float(x), 4) for x in found]
    [0.25, 0.15, 0.35]
    """
    places = [
        (m, a, b)
        for m, seen in enumerate(gaps)
        for a, b in pairwise(np.flatnonzero(np.abs(seen) > EQUAL))
        if seen[a] * seen[b] < 0
    ]
    if not places:
        return []
    metric, before, after = np.array(places).T
    root = refined(gap, metric, shares[before], shares[after])
    found = zip(places, root.tolist(), _doubt(clear, metric, shares, root), strict=True)
    return [(m, share, *doubt, bool(gaps[m][a] > 0)) for (m, a, _), share, doubt in found]


def refined(function: Function, metric: Codes, low: Floats, high: Floats) -> Floats:
    """The roots between shares at which ``function`` has different signs, of each metric."""
    each = np.arange(len(metric))
    for _ in range(LEVELS):
        s = np.linspace(low, high, FINE, axis=-1)
        sign = np.sign(function(metric, s))
        change = sign[:, :-1] != sign[:, 1:]
        at, some = change.argmax(axis=1), change.any(axis=1)
        low, high = np.where(some, s[each, at], low), np.where(some, s[each, at + 1], high)
    return (low + high) / 2


def _doubt(
    clear: Function, metric: Codes, shares: Floats, root: Floats
) -> list[tuple[float | None, float | None]]:
    """The nearest shares below and above each root at which the difference is clear of 0."""
    sure = clear(metric, np.broadcast_to(shares, (len(metric), len(shares)))) > 0
    between = {}
    for i, known in enumerate(sure):
        sides = np.flatnonzero(shares < root[i])[::-1], np.flatnonzero(shares > root[i])
        for side, beyond in enumerate(sides):
            first = np.flatnonzero(known[beyond])[:1]
            if len(first):
                near = shares[beyond[first - 1]] if first > 0 else root[i]
                between[i, side] = np.append(near, shares[beyond[first]])
    if not between:
        return [(None, None)] * len(root)
    near, far = np.array(list(between.values())).T
    found = refined(clear, metric[[i for i, _ in between]], near, far)
    ends = dict(zip(between, found.tolist(), strict=True))
    return [(ends.get((i, 0)), ends.get((i, 1))) for i in range(len(root))]

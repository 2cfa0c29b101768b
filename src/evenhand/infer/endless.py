"""Endless slopes: where a metric turns so sharply that no slope says how it answers."""

from __future__ import annotations

import numpy as np

from evenhand.core.gradient import Gradient
from evenhand.infer.design import Floats

STEEP = 1e6
"""Slope, times the least margin, beyond which it has none: that of a ratio is 1 at most."""


def endless(g: Gradient, value: Floats, step: Floats) -> Floats:
    """Of which tables the slope is infinite, as of a geometric mean at a recall of 0.

    ``value`` is the metric's, ``step`` the least margin of each table. A complex step of 1e-20 then
    has a slope out of all proportion, or moves the value itself, as no smooth function lets it.
    """
    with np.errstate(invalid="ignore", over="ignore"):
        sides = [np.abs(x).max(axis=-1) for x in (g.correct, g.alarms, g.misses)]
        steep = np.maximum.reduce(sides) * step > STEEP * np.maximum(step, np.abs(value))
        moved = np.abs(g.value - value) > 1e-15 + 1e-11 * np.abs(value)
    return np.asarray(steep | moved)

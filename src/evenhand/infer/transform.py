"""Transformations that keep an interval inside a metric's range."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from evenhand.core.kernel import Kernel
from evenhand.errors import InputError
from evenhand.infer.design import Floats
from evenhand.infer.wilson import around_share
from evenhand.notes.method import Scale

TRANSFORMS = ("logit", "fisher", "range", "score")


def around(
    value: Floats, se: Floats, z: Floats | float, kernel: Kernel, scale: Scale | None
) -> tuple[Floats, Floats]:
    """value ± z·se: plain, cut at the ends of the metric's range, or on a scale of that range."""
    if scale == "score":
        ends = extent(kernel)
        return scored(value, decisions(value, se, *ends), z, *ends)
    half = z * se
    if scale in ("logit", "fisher"):
        return transformed(value, half, *extent(kernel))
    low, high = value - half, value + half
    if scale == "cut":
        low, high = (np.clip(x, *extent(kernel)) for x in (low, high))
    return low, high


def scored(
    value: Floats, n: Floats, z: Floats | float, least: Floats | float, most: Floats | float
) -> tuple[Floats, Floats]:
    """Wilson's interval of the place in the range, as if it were a share of n decisions."""
    with np.errstate(invalid="ignore"):  # where all distances are 0, no place is in the range
        low, high = around_share((value - least) / (most - least), n, z)
    return least + (most - least) * low, least + (most - least) * high


def decisions(value: Floats, se: Floats, low: Floats | float, high: Floats | float) -> Floats:
    """How many plain decisions tell as much: u(1 − u)/variance, with u the place in the range.

    A share of n decisions has the variance u(1 − u)/n (the effective sample size of Kish 1965).
    NaN where an error says nothing.
    """
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        found = (value - low) * (high - value) / np.square(se)
    return np.where(np.isfinite(found) & (found > 0), found, np.nan)


def chosen(transform: str | None, kernel: Kernel) -> Scale | None:
    """The transformation for this metric: ``range`` takes the one that its range asks for."""
    if transform is None:
        return None
    if transform not in TRANSFORMS:
        raise InputError(f"transform must be one of {', '.join(TRANSFORMS)}, got {transform!r}")
    low, high = extent(kernel)
    if not (math.isfinite(low) and math.isfinite(high)):
        if transform in ("range", "score"):
            return None
        raise InputError(f"{kernel.name} has no finite range: transform does not apply to it")
    fitting: Scale = "fisher" if low == -high else "logit"
    if transform == "score":
        return "score"
    if transform not in ("range", fitting):
        raise InputError(
            f"transform {transform!r} does not fit {kernel.name}, whose range is "
            f"{low:g} to {high:g}; use {fitting!r}"
        )
    return fitting


def extent(kernel: Kernel) -> tuple[float, float]:
    """The metric's range; unbounded for a user's own function."""
    if kernel.record is None:
        return -math.inf, math.inf
    return kernel.record.low, kernel.record.high


def extents(kernels: Sequence[Kernel], like: Floats) -> tuple[Floats, Floats]:
    """The ranges of several metrics, ready to meet numbers that have these as their first axis."""
    low, high = np.array([extent(k) for k in kernels]).T.reshape(2, -1, *[1] * (like.ndim - 1))
    return low, high


def farthest(kernel: Kernel) -> float:
    """How far two values of the metric can be apart."""
    low, high = extent(kernel)
    return high - low


def transformed(value: Floats, half: Floats, low: float, high: float) -> tuple[Floats, Floats]:
    """value ± half on the log-odds of the place in the range.

    For a range of −1 to 1 the log-odds are twice Fisher's artanh, so it is the same interval.

    >>> [round(float(x), 4) for x in transformed(np.array(0.9), np.array(0.098), 0, 1)]
    [0.7518, 0.9639]
    """
    u = (value - low) / (high - low)
    slope = u * (1 - u) * (high - low)
    with np.errstate(divide="ignore", invalid="ignore"):
        middle, half = np.log(u / (1 - u)), half / slope
        ends = [low + (high - low) / (1 + np.exp(-(middle + s * half))) for s in (-1, 1)]
    inside = (u > 0) & (u < 1)
    return np.where(inside, ends[0], np.nan), np.where(inside, ends[1], np.nan)

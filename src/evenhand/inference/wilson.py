"""Wilson's interval, the mid-p interval, critical values and scales."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from evenhand.core.derivatives import slope
from evenhand.core.kernel import Kernel
from evenhand.errors import InputError
from evenhand.inference.rows import Floats
from evenhand.records import Method, Scale

NORMAL = 1e6
"""Degrees of freedom beyond which Student's distribution is the normal one to six digits."""


def quantile(p: float, df: Floats | float = math.inf) -> Any:
    """Student's quantile for each degrees of freedom, the normal one where they are infinite.

    Of a number it is a number.

    >>> quantile(0.975, np.array([4, np.inf])).round(4).tolist()
    [2.7764, 1.96]
    """
    from scipy.special import ndtri, stdtrit

    few = np.asarray(df) < NORMAL
    quantiles = np.where(few, stdtrit(np.where(few, df, 1.0), p), ndtri(p))
    return quantiles if quantiles.ndim else quantiles.item()


def critical_value(level: float, df: Floats | float = math.inf) -> Any:
    """The number of standard errors on either side in an interval of this level."""
    return quantile((1 + level) / 2, df)


def boundary(rejected: Callable[[float], bool], inside: float, outside: float) -> float:
    """The last number that is not rejected between one that is not and one that is."""
    for _ in range(60):
        middle = (inside + outside) / 2
        inside, outside = (inside, middle) if rejected(middle) else (middle, outside)
    return inside


LEAST = 1e-12
"""Relative width or error that is rounding only."""


def is_informative(width: Any, scale: Any = 1.0, least: float = LEAST) -> Floats:
    """Whether a width or an error is finite and above rounding, for numbers of this scale.

    >>> is_informative(np.array([0.1, 1e-17, np.inf, np.nan])).tolist()
    [True, False, False, False]
    """
    with np.errstate(invalid="ignore"):
        wide = np.asarray(width) > least * np.maximum(1.0, np.abs(scale))
    return np.asarray(wide & np.isfinite(width))


def informative_ends(low: Floats, high: Floats, least: float = LEAST) -> tuple[Floats, Floats]:
    """Both ends of an interval, NaN where its width is not informative."""
    with np.errstate(invalid="ignore"):
        known = is_informative(high - low, least=least)
    return np.where(known, low, np.nan), np.where(known, high, np.nan)


def method_array(method: Method | None, like: Floats) -> Floats:
    """An array of one method, of the shape of ``like``; ``np.full`` would make it a plain text.

    >>> method_array(Method("delta", "cut"), np.zeros(2))[1].scale
    'cut'
    """
    methods = np.empty(np.shape(like), object)
    methods.fill(method)
    return methods


# Wilson's score interval (Wilson 1927).


def wilson(hits: Floats, trials: Floats, level: float) -> tuple[Floats, Floats]:
    """Ends of the interval for ``hits`` out of ``trials``; NaN without trials.

    (p + z²/2n ± z·√(p(1−p)/n + z²/4n²)) / (1 + z²/n)

    >>> [round(float(x), 4) for x in wilson(np.array(10), np.array(10), 0.95)]
    [0.7225, 1.0]
    """
    n = np.where(trials > 0, trials, np.nan).astype(np.float64)
    return wilson_interval(hits / n, n, critical_value(level))


def wilson_interval(p: Floats, n: Floats, z: Floats | float) -> tuple[Floats, Floats]:
    """Wilson's interval of a share ``p`` of ``n``, for a critical value ``z``."""
    middle = (p + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z / (1 + z**2 / n) * np.sqrt(p * (1 - p) / n + (z / (2 * n)) ** 2)
    return np.where(p == 0, 0.0 * n, middle - half), np.where(p == 1, n / n, middle + half)


def through_share(
    hits: Floats, trials: Floats, through: Callable[[Any], Any] | None, level: float
) -> tuple[Floats, Floats, Floats]:
    """Standard error and ends of a share, or of an increasing function of it.

    F1 of a class is 2J/(1 + J), with J its Jaccard index, the share of right decisions among the
    items that concern it:

    >>> share = through_share(np.array(7), np.array(10), lambda j: 2 * j / (1 + j), 0.95)
    >>> [round(float(x), 4) for x in share]
    [0.1003, 0.5681, 0.943]
    """
    n = np.where(trials > 0, trials, math.nan)
    p = hits / n
    se, low, high = np.sqrt(p * (1 - p) / n), *wilson(hits, trials, level)
    if through is None:
        return np.asarray(se), low, high
    return np.asarray(se * slope(through, p)), through(low), through(high)


STEPS = 40
"""Bisections, after which a share is known to rounding."""


def mid_p_limits(share: Floats, trials: Floats, level: float) -> tuple[Floats, Floats]:
    """Shares p at which P(X > x) + P(X = x)/2, or that of the other tail, is half of 1 − level.

    x = share · trials, whole or not. Above no hits there is one limit, as below nothing but hits,
    and the other end is the share itself. (Lancaster 1961; Berry & Armitage 1995.)

    >>> low, high = mid_p_limits(np.array([0.0, 0.95, 1.0]), np.array(20.0), 0.95)
    >>> low.round(4).tolist(), high.round(4).tolist()
    ([0.0, 0.7772, 0.8609], [0.1391, 0.9975, 1.0])
    """
    share, trials = np.broadcast_arrays(share, trials)
    low = _lower(share, trials, (1 - level) / 2)
    return low, 1 - _lower(1 - share, trials, (1 - level) / 2)


def _lower(share: Floats, trials: Floats, tail: float) -> Floats:
    from scipy.special import betainc

    x = share * trials
    rest = np.maximum(trials - x, 0.0)
    some, all_hits = x > 0, rest <= 1e-9 * trials
    a, b = np.where(some, x, 1.0), np.where(all_hits, 1.0, rest)
    low, high = np.zeros(share.shape), np.array(share, np.float64)
    for _ in range(STEPS):
        p = (low + high) / 2
        more = np.where(all_hits, 0.0, betainc(a + 1, b, p))  # P(X > x)
        at_least = np.where(all_hits, p**a, betainc(a, b + 1, p))
        below = (more + at_least) / 2 < tail
        low, high = np.where(below, p, low), np.where(below, high, p)
    return np.where(some, (low + high) / 2, 0.0)


# Scales that keep an interval inside a metric's range.


def interval_around(
    value: Floats, se: Floats, z: Floats | float, kernel: Kernel, scale: Scale | None
) -> tuple[Floats, Floats]:
    """value ± z·se: plain, cut at the ends of the metric's range, or on a scale of that range.

    On the logarithmic scale it is value · exp(± z·se/value).
    """
    span, half = extent(kernel), z * se
    if scale == "score":
        return score_interval(value, effective_sample_size(value, se, *span), z, *span)
    if scale in ("logit", "fisher"):
        return transformed(value, half, *span)
    if scale == "log":
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            return value * np.exp(-half / value), value * np.exp(half / value)
    low, high = value - half, value + half
    return (np.clip(low, *span), np.clip(high, *span)) if scale == "cut" else (low, high)


def score_interval(
    value: Floats, n: Floats, z: Floats | float, least: Floats | float, most: Floats | float
) -> tuple[Floats, Floats]:
    """Wilson's interval of the position in the range, as a share of n decisions."""
    with np.errstate(invalid="ignore"):  # the range may be empty
        low, high = wilson_interval((value - least) / (most - least), n, z)
    return least + (most - least) * low, least + (most - least) * high


def effective_sample_size(
    value: Floats, se: Floats, low: Floats | float, high: Floats | float
) -> Floats:
    """Decisions whose share has the same variance: u(1 − u)/variance, u the position in the range.

    The effective sample size of Kish (1965); NaN where the error is 0 or undefined.
    """
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        size = (value - low) * (high - value) / np.square(se)
    return np.where(np.isfinite(size) & (size > 0), size, np.nan)


def interval_scale(transform: str | None, kernel: Kernel) -> Scale | None:
    """The scale of a metric's interval for a transform; ``range`` chooses by the metric's range."""
    if transform is None:
        return None
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


def automatic_scale(kernel: Kernel) -> Scale | None:
    """The scale of a metric's interval that covers best."""
    record = kernel.record
    if record.better == "neither":
        return "cut"  # a difference of scores lies at an end of its range, where no scale fits
    if (record.of_one_class or record.needs == "scores") and record.high == math.inf:
        return "log"  # likelihood and odds ratios; log loss, whose few large items skew it
    one_sided = any(map(math.isfinite, extent(kernel)))
    return interval_scale("score", kernel) or ("cut" if one_sided else None)


def extent(kernel: Kernel) -> tuple[float, float]:
    """The metric's range."""
    return kernel.record.low, kernel.record.high


def extents(kernels: Sequence[Kernel], like: Floats) -> tuple[Floats, Floats]:
    """Lows and highs of several metrics, shaped for arrays with metrics as the first axis."""
    low, high = np.array([extent(k) for k in kernels]).T.reshape(2, -1, *[1] * (like.ndim - 1))
    return low, high


def farthest(kernel: Kernel) -> float:
    """The largest difference of two values of the metric."""
    low, high = extent(kernel)
    return high - low


def transformed(value: Floats, half: Floats, low: float, high: float) -> tuple[Floats, Floats]:
    """value ± half on the log-odds of the position in the range.

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

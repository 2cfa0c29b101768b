"""The bootstrap: percentile and BCa."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from evenhand.core.kernel import Kernel
from evenhand.errors import InputError
from evenhand.inference.rows import STRATIFIED_CLUSTERS, Codes, Floats, Rows, grouped
from evenhand.inference.wilson import critical_value

# Replicate weights.

CHUNK = 1 << 22
"""Numbers drawn at a time, to bound memory."""


def resampling_units(rows: Rows) -> tuple[Any, Codes, Floats]:
    """The unit of each row, how many there are of each, and what one adds to the row's weight."""
    if rows.cluster is not None:
        names, unit = np.unique(rows.cluster, return_inverse=True)
        return unit, np.ones(len(names), np.int64), rows.weight
    if rows.items is None:
        raise InputError(
            "a weighted or soft table cannot be resampled, it has forgotten its items: "
            "use Sample.from_labels or Sample.from_probabilities, or interval='delta'"
        )
    return slice(None), rows.items, rows.weight / np.maximum(rows.items, 1)


def replicates(
    rows: Rows, count: int, *, seed: int = 0, stratify: bool = False
) -> Iterator[Floats]:
    """Bootstrap weights of the rows (B × rows), yielded in chunks of the ``count`` replicates.

    Items are drawn with replacement, as a multinomial over the rows; with clusters, clusters are
    drawn; with ``stratify``, items within their true class.
    """
    rng = np.random.default_rng(seed)
    if stratify and rows.cluster is not None:
        raise InputError(STRATIFIED_CLUSTERS)
    unit, units, weight = resampling_units(rows)
    groups: list[Any] = [slice(None)]
    if stratify:
        groups = [np.flatnonzero(rows.strata == s) for s in np.unique(rows.strata)]
    chunk, unweighted = max(1, CHUNK // max(len(rows.weight), 1)), rows.counts_items
    for start in range(0, count, chunk):
        draws = np.zeros((min(chunk, count - start), len(units)), np.int64)
        for group in groups:
            draws[:, group] = drawn(rng, units[group], len(draws))
        yield draws if unweighted else draws[:, unit] * weight


def drawn(rng: np.random.Generator, units: Codes, size: int) -> Codes:
    """How often each row is drawn (size × rows), drawing Σ ``units`` units with replacement."""
    n, rows = int(units.sum()), len(units)
    if n > 8 * rows:
        return rng.multinomial(n, units / n, size=size)
    row_of_unit = np.repeat(np.arange(rows), units)
    times_drawn = np.empty((size, rows), np.int64)
    chunk = max(1, (1 << 16) // n)
    for i in range(0, size, chunk):
        part = times_drawn[i : i + chunk]
        picks = row_of_unit[rng.integers(0, n, (len(part), n))]
        picks += rows * np.arange(len(part))[:, None]
        part[:] = np.bincount(picks.reshape(-1), minlength=part.size).reshape(part.shape)
    return times_drawn


# Percentile and BCa intervals.


def bootstrap(
    rows: Rows, kernels: list[Kernel], *, count: int, seed: int = 0, stratify: bool = False
) -> list[Floats]:
    """Replicates of each metric (count × systems), all metrics on the same draws.

    The classes averaged stay those of the data. (Efron & Tibshirani 1993.)
    """
    parts = [rows.values(kernels, w) for w in replicates(rows, count, seed=seed, stratify=stratify)]
    return [np.concatenate(metric) for metric in zip(*parts, strict=True)]


def percentile(values: Floats, level: float) -> tuple[Floats, Floats]:
    """The central ``level`` of the replicates on the first axis, ignoring NaN."""
    tail = (1 - level) / 2
    return quantiles(values, np.array([tail, 1 - tail]))


def quantiles(values: Floats, probabilities: Floats) -> tuple[Floats, Floats]:
    """Quantiles of the replicates at two probabilities, each a number or one per column."""
    ordered = np.sort(values, axis=0)  # NaN come last
    defined = np.count_nonzero(~np.isnan(values), axis=0)
    probability = np.stack([np.broadcast_to(p, defined.shape) for p in probabilities])
    position = np.where(np.isnan(probability), 0.0, probability) * np.maximum(defined - 1, 0)
    before = np.floor(position).astype(np.int64)
    after = np.minimum(before + 1, np.maximum(defined - 1, 0))
    a, b = (np.take_along_axis(ordered, i, axis=0) for i in (before, after))
    exact = (position == before) | (a == b)  # also if both are infinite
    with np.errstate(invalid="ignore"):
        interpolated = np.where(exact, a, a + (position - before) * (b - a))
    quantile = np.where(np.isnan(probability) | (defined == 0), np.nan, interpolated)
    return quantile[0], quantile[1]


JACKKNIFE_ROWS = 1 << 9
"""Rows beyond which the acceleration is computed from influences, equal to O(1/n)."""


def bca(
    values: Floats, observed: Floats, acceleration: Floats, level: float
) -> tuple[Floats, Floats]:
    """The bias-corrected and accelerated interval from replicates (count × …) (Efron 1987).

    Replicates that tie with the observed value count half: metrics on counts are discrete.
    """
    from scipy.special import ndtr, ndtri

    share_below = np.mean(values < observed, axis=0) + np.mean(values == observed, axis=0) / 2
    bias = _finite(ndtri(share_below))  # NaN where all replicates lie on one side
    z = critical_value(level)
    shifted = np.stack([bias - z, bias + z])
    with np.errstate(divide="ignore", invalid="ignore"):
        return quantiles(values, ndtr(_finite(bias + shifted / (1 - acceleration * shifted))))


def acceleration(rows: Rows, kernels: list[Kernel]) -> list[Floats]:
    """Σ d³ / (6·(Σ d²)^1.5) of the jackknife, for each metric and system.

    Leaving out any item of a row gives the same value, so that a row (or cluster) is evaluated
    once and weighted by its items.
    """
    unit, units, removed = resampling_units(rows)
    unit, times = np.arange(len(units))[unit], units.astype(np.float64)
    if len(times) > JACKKNIFE_ROWS:
        weight = np.ones(len(unit)) if rows.cluster is None else rows.weight
        return [
            np.zeros(rows.k)  # one value per class: corrected for bias alone
            if k.by_class
            else _skewness(grouped(weight * rows.influences([k])[0], unit, len(times)).T, times)
            for k in kernels
        ]
    chunk = max(1, CHUNK // len(rows.weight))
    parts = [
        rows.values(kernels, rows.weight - removed * (unit == left_out[:, None]))
        for left_out in np.split(np.arange(len(times)), range(chunk, len(times), chunk))
    ]
    return [_skewness(-np.concatenate(v), times) for v in zip(*parts, strict=True)]


def _skewness(values: Floats, times: Floats) -> Floats:
    """Σ d³ / (6·(Σ d²)^1.5) of values that occur so many times, ignoring NaN."""
    weight = times.reshape(-1, *[1] * (values.ndim - 1))
    defined = np.where(np.isnan(values), 0.0, weight)
    values = np.nan_to_num(values)
    d = values - (defined * values).sum(axis=0) / np.maximum(defined.sum(axis=0), 1)
    largest = np.abs(d).max(axis=0, initial=0)
    d = d / np.where(largest > 0, largest, 1.0)  # no overflow in powers
    squares = (defined * d**2).sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(squares > 0, (defined * d**3).sum(axis=0) / (6 * squares**1.5), 0.0)


def _finite(x: Floats) -> Floats:
    return np.where(np.isfinite(x), x, np.nan)


def resampled_ends(
    rows: Rows,
    kernels: list[Kernel],
    method: str,
    level: float,
    *,
    count: int,
    seed: int = 0,
    stratify: bool = False,
) -> list[Floats]:
    """Standard error, low and high end of each metric (3 × systems), by percentiles or BCa."""
    if method == "bca" and stratify:
        raise InputError("bca has no stratified form here: use interval='bootstrap'")
    samples = bootstrap(rows, kernels, count=count, seed=seed, stratify=stratify)
    if method == "bootstrap":
        ends = [percentile(v, level) for v in samples]
    else:
        observed = rows.values(kernels, rows.weight[None])
        parts = zip(samples, observed, acceleration(rows, kernels), strict=True)
        ends = [bca(v, o[0], a, level) for v, o, a in parts]
    return [np.stack([_deviation(v), *e]) for v, e in zip(samples, ends, strict=True)]


def _deviation(values: Floats) -> Floats:
    """The standard deviation of the replicates, ignoring NaN; NaN if some are infinite."""
    defined = ~np.isnan(values)
    n = np.maximum(defined.sum(axis=0), 1)
    with np.errstate(invalid="ignore"):
        mean = values.sum(axis=0, where=defined) / n
        squares = ((values - mean) ** 2).sum(axis=0, where=defined)
    return np.asarray(np.sqrt(squares / np.maximum(n - 1, 1)))

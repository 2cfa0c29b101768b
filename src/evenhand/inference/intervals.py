"""Intervals of scores: which method is used for each metric, and its result."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from evenhand.core.kernel import OVER_ITEMS, Kernel, TableViews, asked_views
from evenhand.data.multilabel import AnyTable
from evenhand.errors import InputError
from evenhand.inference.bootstrap import BootstrapSettings, replicated
from evenhand.inference.delta import (
    NonzeroCells,
    cells_error,
    class_error,
    rows_class_error,
    rows_error,
)
from evenhand.inference.jackknife import StandardError, applies, biased, effective, smoothed, steady
from evenhand.inference.mover import EstimationProblem, per_system
from evenhand.inference.rows import Data, Floats, NoGradientError
from evenhand.inference.wilson import (
    around,
    chosen,
    effective_sample_size,
    extent,
    extents,
    is_informative,
    reaches,
    refusal,
    scored,
    through_share,
)
from evenhand.records import Intervals, Method, Scale, by
from evenhand.warnings import NoGradient

CELLS_AT_ONCE = 1 << 18
"""Cells × metrics whose jackknife errors are computed together."""

ENOUGH_DECISIONS, ENOUGH_ITEMS = 200, 1000
"""Effective decisions, and items, from which on the delta method needs no smoothing."""


@dataclass(frozen=True, eq=False)
class Estimate(Intervals):
    """A metric of every system (or slice) with its interval.

    With one value per class, a second axis holds the classes. ``no_gradient`` is set if the metric
    has none, ``sure`` is the jackknife's error, if the interval was computed from it.
    """

    kernel: Kernel = field(kw_only=True)
    no_gradient: NoGradient | None = None
    sure: StandardError | None = None


def estimates(
    data: Data,
    kernels: list[Kernel],
    settings: BootstrapSettings,
    table: AnyTable | None = None,
    views: TableViews | None = None,
) -> list[Estimate]:
    """Each metric with its interval, for every system or slice at once.

    ``table`` has the data's tables and ``views`` the margins that the kernels use, if known.
    """
    problem = EstimationProblem(data, kernels, settings.stratify, table, views)
    if settings.method in ("bootstrap", "bca"):
        method = Method("bca" if settings.method == "bca" else "bootstrap")
        ends = enumerate(replicated(problem, settings))
        scores = [_estimate(problem, i, settings, e, method) for i, e in ends]
    else:
        analytic = _by_rates(problem, settings)
        analytic |= _by_jackknife(problem, settings, analytic)
        every = range(len(kernels))
        scores = [analytic.get(i) or _by_proportion(problem, i, settings) for i in every]
    return [_without_zero_width(e, problem, i, settings) for i, e in enumerate(scores)]


def _estimate(
    problem: EstimationProblem,
    i: int,
    settings: BootstrapSettings,
    ends: Any,
    method: Method | None,
    **details: Any,
) -> Estimate:
    """The estimate of kernel ``i`` from its standard error, low and high end."""
    value, kernel = problem.values[i], problem.kernels[i]
    (se, low, high), methods = ends, by(method, value)
    return Estimate(value, se, low, high, methods, settings.level, kernel=kernel, **details)


def _by_rates(problem: EstimationProblem, settings: BootstrapSettings) -> dict[int, Estimate]:
    """The metrics at a stated class mix, if every rate can be moved to its limits."""
    kernels = problem.kernels
    usual = [i for i, k in enumerate(kernels) if _usual(k, settings)]
    mixed = [i for i in usual if kernels[i].target is not None and not kernels[i].over_cells]
    if not mixed or not problem.movable:
        return {}
    limited, scores = problem.limited(settings.level), dict[int, Estimate]()
    for view, first in asked_views([kernels[i] for i in mixed]).items():
        indices = [i for i in mixed if kernels[i].view == view]
        mix = np.broadcast_to(np.asarray(first.target), limited.rates.shape[:-1])
        values = [problem.values[i] for i in indices]
        ends = limited.intervals(values, [kernels[i] for i in indices], mix)
        for i, e in zip(indices, ends, strict=True):
            scores[i] = _estimate(problem, i, settings, e, Method("mover"))
    return scores


def _by_jackknife(
    problem: EstimationProblem, settings: BootstrapSettings, done: dict[int, Estimate]
) -> dict[int, Estimate]:
    """The averages of counted items that weigh classes equally, those at one mix together."""
    if settings.method not in ("auto", "jackknife") or not problem.counts_items:
        return {}
    cells, scores = problem.cells, dict[int, Estimate]()
    if cells is None:
        return {}
    size = max(1, CELLS_AT_ONCE // max(1, len(cells.weight)))
    averages = [i for i, k in enumerate(problem.kernels) if i not in done and applies(k)]
    for view in asked_views(problem.kernels):
        own = [i for i in averages if problem.kernels[i].view == view]
        for start in range(0, len(own), size):
            scores |= _jackknifed(problem, cells, own[start : start + size], settings)
    return scores


def _jackknifed(
    problem: EstimationProblem, cells: NonzeroCells, indices: list[int], settings: BootstrapSettings
) -> dict[int, Estimate]:
    kernels = [problem.kernels[i] for i in indices]
    values = np.stack([problem.values[i] for i in indices])
    shaped = values.reshape(-1, *cells.shape)
    errors = steady(cells, kernels, shaped, problem.views, stratify=settings.stratify)
    se, decisions, z = (
        x.reshape(values.shape) for x in (errors.se, errors.decisions, errors.reach(settings.level))
    )
    low, high = scored(values, decisions, z, *extents(kernels, values))
    scores = {}
    for j, (i, kernel) in enumerate(zip(indices, kernels, strict=True)):
        scale, ends, error = _scale(kernel, settings), (se[j], low[j], high[j]), errors[j]
        if scale == "cut":
            se_j = np.where(biased(kernel), np.nan, se[j])
            ends = (se_j, *around(values[j], se_j, z[j], kernel, "cut"))
        method = Method("jackknife", "cut" if scale == "cut" else "score")
        sure = None if scale == "cut" else error
        scores[i] = _estimate(problem, i, settings, ends, method, sure=sure)
    return scores


def _by_proportion(problem: EstimationProblem, i: int, settings: BootstrapSettings) -> Estimate:
    """Wilson's interval in the tables where the metric is a proportion, else the delta method."""
    kernel, proportion = problem.kernels[i], problem.counted[i]
    if settings.method != "auto" and _usual(kernel, settings):
        settings = replace(settings, method="auto")
    if proportion is None or settings.method not in ("auto", "wilson"):
        return _by_delta(problem, i, settings)
    ends = _wilson_ends(problem, i, settings)
    is_proportion = ~np.isnan(per_system(proportion[1], kernel))
    if is_proportion.all():
        return _estimate(problem, i, settings, ends, Method("wilson"))
    other = _by_delta(problem, i, settings)
    se, low, high = np.where(is_proportion, ends, (other.se, other.low, other.high))
    other.method[is_proportion] = Method("wilson")
    return replace(other, se=se, low=low, high=high)


def _usual(kernel: Kernel, settings: BootstrapSettings) -> bool:
    """Whether the usual method applies: a value per class is no average to be jackknifed."""
    return settings.method == "auto" or (settings.method == "jackknife" and kernel.by_class)


def _wilson_ends(problem: EstimationProblem, i: int, settings: BootstrapSettings) -> list[Floats]:
    """Standard error and ends of a proportion, or of a function that grows with one."""
    kernel, proportion = problem.kernels[i], problem.counted[i]
    assert proportion is not None and kernel.record is not None
    ends = through_share(*proportion, kernel.record.through, settings.level)
    return [per_system(x, kernel) for x in ends]


def _by_delta(problem: EstimationProblem, i: int, settings: BootstrapSettings) -> Estimate:
    """The delta method, smoothed by pseudo-counts where there are few items."""
    kernel, value, auto = problem.kernels[i], problem.values[i], settings.method == "auto"
    if settings.method == "jackknife":
        raise InputError(
            f"jackknife is for averages of counted items that weigh classes alike, and "
            f"{kernel.name} is none here; use delta or bootstrap"
        )
    if settings.method == "wilson":
        if not kernel.by_class:
            raise refusal(kernel)
        return Estimate.bare(value, "no proportion", kernel=kernel, level=settings.level)
    try:
        se = per_system(_delta_error(problem, kernel, settings), kernel)
    except NoGradientError as e:
        if not auto:
            raise
        details = {"kernel": kernel, "no_gradient": e.note, "level": settings.level}
        return Estimate.bare(value, "no gradient", **details)
    scale, z, span = _scale(kernel, settings), _critical(problem, settings, value), extent(kernel)
    decisions = effective_sample_size(value, se, *span)
    if auto and scale == "score" and _weighted_average(problem, kernel, settings):
        errors = _effective_errors(problem, kernel)
        decisions = np.where(np.isnan(se), se, np.fmin(decisions, errors.decisions))
        se = np.where(np.isnan(se), se, np.fmax(se, errors.se))
        ends = scored(value, decisions, errors.reach(settings.level), *span)
        return _estimate(problem, i, settings, (se, *ends), Method("smoothed", "score"))
    if not auto or not problem.counts_items or not _smoothable(kernel):
        ends = around(value, se, z, kernel, scale)
        return _estimate(problem, i, settings, (se, *ends), Method("delta", scale))
    items = np.broadcast_to(problem.table.n, problem.table.shape).reshape(-1)
    few = ~(decisions >= ENOUGH_DECISIONS) | (items < ENOUGH_ITEMS)  # also if decisions are NaN
    if few.any():
        assert problem.cells is not None
        errors = smoothed(problem.cells, [kernel], stratify=settings.stratify)[0]
        decisions = np.where(few, np.fmin(decisions, per_system(errors.decisions)), decisions)
        se = np.where(few, np.fmax(se, per_system(errors.se)), se)
        z = np.where(few, per_system(errors.reach(settings.level)), z)
    ends = scored(value, decisions, z, *span)
    score = _estimate(problem, i, settings, (se, *ends), Method("delta", "score"))
    score.method[few] = Method("smoothed", "score")
    return score


def _critical(
    problem: EstimationProblem, settings: BootstrapSettings, value: Floats
) -> Floats | float:
    """The critical value, Student's if there are clusters."""
    if problem.data.cluster is None:
        return settings.z
    units = problem.rows.units if problem.cells is None else problem.cells.units
    z = reaches(settings.level, units.freedom)
    return z[:, None] if value.ndim > 1 else z


def _scale(kernel: Kernel, settings: BootstrapSettings) -> Scale | None:
    """The scale of the interval; for ``auto`` the one that covers best."""
    if settings.method not in ("auto", "jackknife"):
        by_range = settings.transform and kernel.by_class
        return chosen("range" if by_range else settings.transform, kernel)
    if kernel.record is not None and kernel.record.better == "neither":
        return "cut"  # a difference of scores lies at an end of its range, where no scale fits
    one_sided = any(map(math.isfinite, extent(kernel)))
    return chosen("score", kernel) or ("cut" if one_sided else None)


def _delta_error(problem: EstimationProblem, kernel: Kernel, settings: BootstrapSettings) -> Floats:
    """Standard errors by the delta method, from the cells if these are enough, else from rows."""
    cells, views = problem.cells, problem.views
    if cells is not None:
        if not kernel.by_class:
            return cells_error(cells, kernel, views, stratify=settings.stratify)
        if kernel.target is None or (problem.data.in_cells and cells.cluster is None):
            return class_error(cells, kernel, views)
        kernels = [kernel.of_class(j, cells.k) for j in range(cells.k)]
        return np.stack([cells_error(cells, k, views) for k in kernels], axis=-1)
    rows = problem.rows
    if kernel.by_class and kernel.target is not None:
        kernels = [kernel.of_class(j, rows.design.k) for j in range(rows.design.k)]
        return np.stack([rows_error(rows, psi) for psi in rows.influences(kernels)], axis=-1)
    if kernel.by_class:
        return np.stack([rows_class_error(rows, kernel, s) for s in range(rows.design.systems)])
    psi = rows.influences([kernel], problem.row_views)[0]
    return rows_error(rows, psi, stratify=settings.stratify)


def _weighted_average(
    problem: EstimationProblem, kernel: Kernel, settings: BootstrapSettings
) -> bool:
    """Whether it is an average over classes of items with weights or in clusters."""
    plain = problem.counts_items or kernel.target is not None or settings.stratify
    return not plain and applies(kernel) and problem.cells is not None


def _effective_errors(problem: EstimationProblem, kernel: Kernel) -> StandardError:
    """The standard error of an average over classes of items with weights or in clusters."""
    assert problem.cells is not None
    errors = effective(problem.cells, kernel, problem.effective_items)
    return StandardError(*map(per_system, (errors.se, errors.freedom, errors.decisions)))


def _smoothable(kernel: Kernel) -> bool:
    """Whether pseudo-counts may be added: bounded metrics that are no average over classes."""
    record = kernel.record
    if record is None or kernel.by_class or kernel.over_cells or applies(kernel):
        return False
    return record.bounded and record.better != "neither"


def _without_zero_width(
    estimate: Estimate, problem: EstimationProblem, i: int, settings: BootstrapSettings
) -> Estimate:
    """Wilson's interval, or none, in place of intervals without width."""
    with np.errstate(invalid="ignore"):  # infinite values have no width
        flat = ~is_informative(estimate.high - estimate.low)
    if not flat.any():
        return estimate
    se, low, high = np.where(flat, np.nan, (estimate.se, estimate.low, estimate.high))
    method = estimate.method.copy()
    method[flat] = None
    if problem.counted[i] is not None:
        low, high = np.where(flat, _wilson_ends(problem, i, settings)[1:], (low, high))
        method[flat & ~np.isnan(low)] = Method("wilson", instead_of=settings.method)
    return replace(estimate, se=se, low=low, high=high, method=method)


def bare(kernels: list[Kernel], views: TableViews) -> list[Estimate]:
    """Each metric of every table without an interval."""
    values = zip(views.values(kernels), kernels, strict=True)
    return [Estimate.bare(per_system(v, k), kernel=k) for v, k in values]


def zero_over_zero(scores: list[Estimate], views: TableViews) -> list[Floats]:
    """For each metric, in which tables with a delta interval the value of some 0/0 matters."""
    involved = []
    for e in scores:
        delta = [m is not None and m.name in ("delta", "smoothed") for m in e.method.tolist()]
        tables = ~np.isnan(e.low) & (e.kernel.view != OVER_ITEMS) & np.array(delta, bool)
        if tables.any():
            others = [u for u in (0.0, 1.0) if e.kernel.undefined != u]
            values = views.values([replace(e.kernel, undefined=u) for u in others])
            a, b = per_system(values[0]), e.value if len(others) < 2 else per_system(values[1])
            tables &= (a != b) & ~(np.isnan(a) & np.isnan(b))
        involved.append(tables)
    return involved

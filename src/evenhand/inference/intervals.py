"""Intervals of scores: which method is used for each metric, and its result."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any, cast

import numpy as np

from evenhand.catalogue.binding import views_of
from evenhand.catalogue.signature import IntervalField, ReplicateField
from evenhand.core.kernel import OVER_ITEMS, Kernel, TableViews, asked_views
from evenhand.data.confusion import Confusion
from evenhand.data.multilabel import AnyTable
from evenhand.errors import InputError
from evenhand.inference.bootstrap import resampled_ends
from evenhand.inference.delta import SmoothedSlopes, StandardError, row_items
from evenhand.inference.jackknife import (
    average_error,
    averages_classes,
    biased,
    weighted_average_error,
)
from evenhand.inference.mover import limited, movable
from evenhand.inference.rows import CodeDesign, Data, Floats, NoGradientError, Rows, rows_of
from evenhand.inference.wilson import (
    around,
    chosen,
    critical_value,
    effective_sample_size,
    extent,
    extents,
    is_informative,
    refusal,
    scored,
    through_share,
)
from evenhand.options import IntervalOptions
from evenhand.records import Intervals, Method, Scale, by
from evenhand.warnings import NoGradient

ROWS_AT_ONCE = 1 << 18
"""Rows × metrics whose jackknife errors are computed together."""

ENOUGH_DECISIONS, ENOUGH_ITEMS = 200, 1000
"""Effective sample size, and items, from which on the delta method needs no smoothing."""


@dataclass(frozen=True)
class IntervalSettings:
    """The method of an interval, its level and its draws.

    ``auto`` is Wilson's interval for plain proportions, square-and-add for metrics at a stated
    class mix, the jackknife for averages that weigh classes equally, and the delta method for
    everything else. The last two use Wilson's formula with the effective sample size, or are cut
    at the ends of the range for metrics that are neither better high nor low: see
    docs/intervals.md and docs/prevalence.md for why.
    """

    method: str = "auto"
    level: float = 0.95
    replicates: int = 2000
    seed: int = 0
    transform: str | None = None
    stratify: bool = False
    further: tuple[tuple[str, float], ...] = ()

    @classmethod
    def from_options(cls, options: IntervalOptions) -> IntervalSettings | None:
        """The settings that a verb's options state; none for no interval."""
        if options.interval is None:
            return None
        names = [f.name for f in fields(cls) if hasattr(options, f.name)]
        return cls(options.interval, **{name: getattr(options, name) for name in names})

    @property
    def z(self) -> float:
        """The normal critical value of the level."""
        return float(critical_value(self.level))

    @property
    def drawn(self) -> ReplicateField | None:
        """Number of replicates and seed, if the method resamples."""
        if self.method not in ("bootstrap", "bca"):
            return None
        return ReplicateField(self.replicates, self.seed)

    def signed(self, data: Data) -> IntervalField:
        """The interval field of a signature for these data."""
        return IntervalField(
            self.method,
            self.level,
            self.transform,
            stratified=self.stratify,
            clusters=data.cluster is not None,
            drawn=self.drawn,
            further=self.further,
        )


@dataclass(frozen=True, eq=False)
class Estimate(Intervals):
    """A metric of every system (or slice) with its interval.

    With one value per class, a second axis holds the classes. ``no_gradient`` is set if the metric
    has none, ``average_error`` is the error behind the interval of an average over classes.
    """

    kernel: Kernel = field(kw_only=True)
    no_gradient: NoGradient | None = None
    average_error: StandardError | None = None


class EstimationProblem:
    """Data and kernels with their values and rows, and the settings of their intervals."""

    def __init__(
        self,
        data: Data,
        kernels: list[Kernel],
        settings: IntervalSettings,
        table: AnyTable | None = None,
        views: TableViews | None = None,
    ) -> None:
        self.table = data.tables() if table is None else table
        plain = self.table.weighing == "none"
        self.data = self.table if plain and data.in_cells else data  # the table is sufficient
        self.counts_items = plain and self.data.in_cells
        self.kernels, self.settings = kernels, settings
        self.views = views_of(kernels, self.table) if views is None else views
        self.values = list(map(per_system, self.views.values(kernels), kernels))
        independent = plain and self.data.cluster is None and not settings.stratify
        shares = self.views.proportions(kernels) if independent else [None] * len(kernels)
        self.proportions = list(map(self._proportion, kernels, shares))

    def _proportion(self, kernel: Kernel, share: Any) -> tuple[Floats, Floats] | None:
        """Hits and trials of a metric that is a proportion of independent items.

        Trials are NaN in tables where it is none.
        """
        of_one_class = kernel.record is not None and kernel.record.of_one_class
        if share is None or (self.table.task == "multi" and not of_one_class):
            return None  # several labels of an item are not independent decisions
        hits, trials = (np.asarray(x, np.float64) for x in share)
        return None if np.isnan(trials).all() else (hits, trials)

    @cached_property
    def rows(self) -> Rows:
        """The rows behind the errors: cells, if these are sufficient."""
        return rows_of(self.table if self.data.in_cells else self.data)

    @property
    def hard(self) -> bool:
        """Whether items have one true and one predicted label."""
        return isinstance(self.rows.design, CodeDesign)

    @cached_property
    def row_views(self) -> TableViews:
        """The margins that kernels use, or the distinct items."""
        return self.views if self.hard else self.rows.views(self.kernels)

    @cached_property
    def effective_items(self) -> Floats:
        """The effective number of items of each true class (tables × k)."""
        return row_items(cast(Confusion, self.table), self.rows).reshape(-1, self.table.k)

    def method(self, kernel: Kernel) -> str:
        """The method for a metric: a value per class is no average to be jackknifed."""
        method = self.settings.method
        return "auto" if method == "jackknife" and kernel.by_class else method

    def estimate(self, i: int, ends: Any, method: Method | None, **details: Any) -> Estimate:
        """The estimate of kernel ``i`` from its standard error, low and high end."""
        value, kernel = self.values[i], self.kernels[i]
        se, low, high = ends
        methods, level = by(method, value), self.settings.level
        return Estimate(value, se, low, high, methods, level, kernel=kernel, **details)

    def wilson(self, i: int) -> list[Floats]:
        """Standard error and ends of a proportion, or of a function that grows with one."""
        kernel, proportion = self.kernels[i], self.proportions[i]
        assert proportion is not None and kernel.record is not None
        ends = through_share(*proportion, kernel.record.through, self.settings.level)
        return [per_system(x, kernel) for x in ends]


def estimates(
    data: Data,
    kernels: list[Kernel],
    settings: IntervalSettings | None,
    table: AnyTable | None = None,
    views: TableViews | None = None,
) -> list[Estimate]:
    """Each metric with its interval if there are ``settings``, for every system or slice at once.

    ``table`` has the data's tables and ``views`` the margins that the kernels use, if known.
    """
    if settings is None:
        tables: Any = data.tables() if table is None else table
        return bare(kernels, views_of(kernels, tables) if views is None else views)
    problem = EstimationProblem(data, kernels, settings, table, views)
    if settings.drawn is not None:
        method = Method("bca" if settings.method == "bca" else "bootstrap")
        scores = [problem.estimate(i, e, method) for i, e in enumerate(_resampled(problem))]
    else:
        analytic = _by_rates(problem)
        analytic |= _by_jackknife(problem, analytic)
        every = range(len(kernels))
        scores = [analytic.get(i) or _by_proportion(problem, i) for i in every]
    return [_without_zero_width(e, problem, i) for i, e in enumerate(scores)]


def _resampled(problem: EstimationProblem) -> list[Floats]:
    """Standard error and ends of each metric by resampling, each table of a stack by itself."""
    s, data = problem.settings, problem.data
    parts = [(data, problem.kernels)]
    if isinstance(data, Confusion) and data.shape:
        parts = [(t, [k.at(i) for k in problem.kernels]) for i, t in enumerate(data)]
    ends = [
        resampled_ends(
            rows_of(one), kernels, s.method, s.level,
            count=s.replicates, seed=s.seed, stratify=s.stratify,
        )
        for one, kernels in parts
    ]  # fmt: skip
    return [np.concatenate(metric, axis=1) for metric in zip(*ends, strict=True)]


def _by_rates(problem: EstimationProblem) -> dict[int, Estimate]:
    """The metrics at a stated class mix, if every rate can be moved to its limits."""
    mixed = [
        i
        for i, k in enumerate(problem.kernels)
        if problem.method(k) == "auto" and k.target is not None and not k.over_cells
    ]
    table = cast(Confusion, problem.table)
    if not mixed or not problem.hard or not movable(table):
        return {}
    rates, scores = limited(table, problem.rows, problem.settings.level), dict[int, Estimate]()
    for view, first in asked_views([problem.kernels[i] for i in mixed]).items():
        indices = [i for i in mixed if problem.kernels[i].view == view]
        mix = np.broadcast_to(np.asarray(first.target), rates.rates.shape[:-1])
        kernels = [problem.kernels[i] for i in indices]
        ends = rates.intervals([problem.values[i] for i in indices], kernels, mix)
        for i, e in zip(indices, ends, strict=True):
            scores[i] = problem.estimate(i, e, Method("mover"))
    return scores


def _by_jackknife(problem: EstimationProblem, done: dict[int, Estimate]) -> dict[int, Estimate]:
    """The averages of counted items that weigh classes equally, those at one mix together."""
    if problem.settings.method not in ("auto", "jackknife") or not problem.counts_items:
        return {}
    scores = dict[int, Estimate]()
    averages = [i for i, k in enumerate(problem.kernels) if i not in done and averages_classes(k)]
    for view in asked_views(problem.kernels):
        own = [i for i in averages if problem.kernels[i].view == view]
        size = max(1, ROWS_AT_ONCE // max(1, len(problem.rows.weight)))
        for start in range(0, len(own), size):
            scores |= _jackknifed(problem, own[start : start + size])
    return scores


def _jackknifed(problem: EstimationProblem, indices: list[int]) -> dict[int, Estimate]:
    kernels, settings = [problem.kernels[i] for i in indices], problem.settings
    values = np.stack([problem.values[i] for i in indices])
    errors = average_error(problem.rows, kernels, values, problem.views, stratify=settings.stratify)
    z = errors.critical_value(settings.level)
    low, high = scored(values, errors.n_eff, z, *extents(kernels, values))
    scores = {}
    for j, (i, kernel) in enumerate(zip(indices, kernels, strict=True)):
        if _scale(problem, kernel) == "cut":
            se = np.where(biased(kernel), np.nan, errors.se[j])
            ends = (se, *around(values[j], se, z[j], kernel, "cut"))
            scores[i] = problem.estimate(i, ends, Method("jackknife", "cut"))
        else:
            ends, method = (errors.se[j], low[j], high[j]), Method("jackknife", "score")
            scores[i] = problem.estimate(i, ends, method, average_error=errors[j])
    return scores


def _by_proportion(problem: EstimationProblem, i: int) -> Estimate:
    """Wilson's interval in the tables where the metric is a proportion, else the delta method."""
    kernel, proportion = problem.kernels[i], problem.proportions[i]
    if proportion is None or problem.method(kernel) not in ("auto", "wilson"):
        return _by_delta(problem, i)
    ends = problem.wilson(i)
    is_proportion = ~np.isnan(per_system(proportion[1], kernel))
    if is_proportion.all():
        return problem.estimate(i, ends, Method("wilson"))
    other = _by_delta(problem, i)
    se, low, high = np.where(is_proportion, ends, (other.se, other.low, other.high))
    other.method[is_proportion] = Method("wilson")
    return replace(other, se=se, low=low, high=high)


def _by_delta(problem: EstimationProblem, i: int) -> Estimate:
    """The delta method, smoothed by pseudo-items where there are few items."""
    kernel, value, settings = problem.kernels[i], problem.values[i], problem.settings
    method, details = problem.method(kernel), {"kernel": kernel, "level": settings.level}
    if method == "jackknife":
        raise InputError(
            f"jackknife is for averages of counted items that weigh classes alike, and "
            f"{kernel.name} is none here; use delta or bootstrap"
        )
    if method == "wilson":
        if not kernel.by_class:
            raise refusal(kernel)
        return Estimate.bare(value, "no proportion", **details)
    try:
        error = _delta_error(problem, kernel, value)
    except NoGradientError as e:
        if method != "auto":
            raise
        return Estimate.bare(value, "no gradient", no_gradient=e.note, **details)
    scale, smoothed = _scale(problem, kernel), np.zeros(value.shape, bool)
    if method == "auto" and scale == "score" and not kernel.by_class:
        error, smoothed = _with_pseudo_items(problem, kernel, error)
    z = error.critical_value(settings.level)
    ends = scored(value, error.n_eff, z, *extent(kernel))
    if scale != "score":
        ends = around(value, error.se, z, kernel, scale)
    score = problem.estimate(i, (error.se, *ends), Method("delta", scale))
    score.method[smoothed] = Method("smoothed", "score")
    return score


def _delta_error(problem: EstimationProblem, kernel: Kernel, value: Floats) -> StandardError:
    """The delta method's error, with the clusters' degrees of freedom."""
    rows, stratify = problem.rows, problem.settings.stratify
    if kernel.by_class:
        se, df = rows.class_errors(kernel, problem.row_views), rows.df[:, None]
    else:
        se = rows.standard_error(rows.influence(kernel, problem.row_views), stratify=stratify)
        df = rows.df
    return StandardError(
        se, np.broadcast_to(df, se.shape), effective_sample_size(value, se, *extent(kernel))
    )


def _with_pseudo_items(
    problem: EstimationProblem, kernel: Kernel, error: StandardError
) -> tuple[StandardError, Floats]:
    """The larger of the error and of that with pseudo-items, and in which tables it may be that.

    For averages over classes of items with weights or in clusters, and for other metrics with a
    better end where counted items are few.
    """
    rows, stratify, record = problem.rows, problem.settings.stratify, kernel.record
    average, every = averages_classes(kernel), np.ones(error.se.shape, bool)
    if average and problem.hard and kernel.target is None and not stratify:
        other = weighted_average_error(rows, kernel, problem.effective_items)
        return error.or_larger(other).unknown(np.isnan(error.se)), every
    if average or record is None or kernel.over_cells or not problem.counts_items:
        return error, ~every
    items = np.broadcast_to(problem.table.n, error.se.shape)
    few = ~(error.n_eff >= ENOUGH_DECISIONS) | (items < ENOUGH_ITEMS)  # also if it is NaN
    if few.any():
        smoothed = SmoothedSlopes.by_truth(rows, [kernel], stratify).standard_error([kernel])
        error = error.or_larger(smoothed[0], few)
    return error, few


def _scale(problem: EstimationProblem, kernel: Kernel) -> Scale | None:
    """The scale of the interval; for ``auto`` the one that covers best."""
    settings = problem.settings
    if problem.method(kernel) not in ("auto", "jackknife"):
        by_range = settings.transform and kernel.by_class
        return chosen("range" if by_range else settings.transform, kernel)
    if kernel.record is not None and kernel.record.better == "neither":
        return "cut"  # a difference of scores lies at an end of its range, where no scale fits
    one_sided = any(map(math.isfinite, extent(kernel)))
    return chosen("score", kernel) or ("cut" if one_sided else None)


def _without_zero_width(estimate: Estimate, problem: EstimationProblem, i: int) -> Estimate:
    """Wilson's interval, or none, in place of intervals without width."""
    with np.errstate(invalid="ignore"):  # infinite values have no width
        flat = ~is_informative(estimate.high - estimate.low)
    if not flat.any():
        return estimate
    se, low, high = np.where(flat, np.nan, (estimate.se, estimate.low, estimate.high))
    method = estimate.method.copy()
    method[flat] = None
    if problem.proportions[i] is not None:
        low, high = np.where(flat, problem.wilson(i)[1:], (low, high))
        method[flat & ~np.isnan(low)] = Method("wilson", instead_of=problem.settings.method)
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


def per_system(x: Floats, kernel: Kernel | None = None) -> Floats:
    """The array with one entry per system, also for a single table; classes are the last axis."""
    x = np.asarray(x, np.float64)
    return x.reshape(-1, x.shape[-1]) if kernel and kernel.by_class else x.reshape(-1)

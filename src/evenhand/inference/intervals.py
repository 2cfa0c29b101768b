"""Intervals of scores: which method is used for each metric, and its result."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, cast

import numpy as np

from evenhand.catalogue.binding import views_of
from evenhand.catalogue.signature import IntervalField, ReplicateField
from evenhand.core.derivatives import TRACE, gradient
from evenhand.core.kernel import Kernel, TableViews
from evenhand.core.margins import Counts
from evenhand.core.properties import ACCURACY, MICRO
from evenhand.core.registry import find
from evenhand.data.confusion import Confusion
from evenhand.data.multilabel import AnyTable
from evenhand.errors import InputError
from evenhand.inference.bootstrap import resampled_ends
from evenhand.inference.delta import (
    StandardError,
    delta_estimate,
    few_classes,
    few_clusters,
    score_warnings,
    small_class_notes,
    smoothed_score_error,
)
from evenhand.inference.jackknife import biased, corrected, score_errors, smoothable
from evenhand.inference.mover import inside, limited, movable
from evenhand.inference.rows import (
    STRATIFIED_CLUSTERS,
    Data,
    Floats,
    NoGradientError,
    rows_of,
)
from evenhand.inference.wilson import (
    automatic_scale,
    critical_value,
    effective_sample_size,
    extent,
    extents,
    interval_around,
    interval_scale,
    is_informative,
    method_array,
    score_interval,
    through_share,
)
from evenhand.options import IntervalOptions
from evenhand.records import Intervals, Method, Scale
from evenhand.warnings import Biased, NoGradient, NoWidth, ResultWarning, ZeroOverZero

WILSON, EFFECTIVE = Method("wilson"), Method("wilson", "effective")
CUT = Method("jackknife", "cut")

FEW_CLASSES = 10
"""Classes up to which square-and-add alone covers at a stated class mix."""

WIDEST = 1e300
"""Stands for an end at infinity, that of an infinite odds ratio."""

ROWS_AT_ONCE = 1 << 18
"""Rows × metrics whose jackknife errors are computed together."""


@dataclass(frozen=True)
class IntervalSettings:
    """The method of an interval, its level and its draws.

    ``auto`` is Wilson's interval for plain proportions, square-and-add for metrics at a stated
    class mix, and Wilson's interval at an effective sample size for everything else; or cut at the
    ends of the range for metrics that are neither better high nor low: see docs/intervals.md and
    docs/prevalence.md for why.
    """

    method: str = "auto"
    level: float = 0.95
    replicates: int = 2000
    seed: int = 0
    transform: str | None = None
    stratify: bool = False

    @classmethod
    def from_options(cls, options: IntervalOptions) -> IntervalSettings | None:
        """The settings that a verb's options state; none for no interval."""
        if options.interval is None:
            return None
        names = [f.name for f in fields(cls) if hasattr(options, f.name)]
        return cls(options.interval, **{name: getattr(options, name) for name in names})

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
        )


@dataclass(frozen=True, eq=False)
class Estimate(Intervals):
    """A metric of every system (or slice) with its interval.

    With one value per class, a second axis holds the classes. ``no_gradient`` is set if the metric
    has none, ``error`` is the one behind Wilson's interval at an effective sample size.
    """

    kernel: Kernel = field(kw_only=True)
    no_gradient: NoGradient | None = None
    error: StandardError | None = None

    def __post_init__(self) -> None:
        """Leave the arrays as they are: no user has an estimate."""


class EstimationProblem:
    """Data and kernels with their values and rows, and the settings of their intervals."""

    def __init__(
        self,
        data: Data,
        kernels: list[Kernel],
        settings: IntervalSettings,
        table: AnyTable,
        views: TableViews,
    ) -> None:
        if settings.stratify and data.cluster is not None:
            raise InputError(STRATIFIED_CLUSTERS)
        self.table, self.kernels, self.settings = table, kernels, settings
        if settings.drawn is None:  # the table is sufficient if the items say no more
            self.rows = rows_of(table if data.in_cells else data)
            of_items = self.rows.per_item is not None or self.rows.scores is not None
            row_views = self.rows.views(kernels) if of_items else views
            self.margins = list(map(row_views.prepared, kernels))
        self.counts_items = table.weighing == "none" and data.in_cells
        self.data = table if self.counts_items else data
        independent = self.data.cluster is None and not settings.stratify
        shares = list(map(views.proportion, kernels)) if independent else [None] * len(kernels)
        self.values = list(map(per_system, views.values(kernels), kernels))
        self.proportions = list(map(self._proportion, kernels, shares))

    def _proportion(self, kernel: Kernel, share: Any) -> tuple[Floats, Floats] | None:
        """Hits and trials of a metric that is a proportion of independent items.

        Trials are NaN in tables where it is none.
        """
        if share is None or (self.table.weighing != "none" and kernel.record.needs != "scores"):
            return None
        if self.table.task == "multi" and not kernel.record.of_one_class:
            return None  # several labels of an item are not independent decisions
        hits, trials = (np.asarray(x, np.float64) for x in share)
        return None if np.isnan(trials).all() else (hits, trials)

    def method(self, kernel: Kernel) -> str:
        """The method for a metric: a value per class is no average to be jackknifed."""
        method = self.settings.method
        return "auto" if method == "jackknife" and kernel.by_class else method

    def estimate(self, i: int, ends: Any, method: Method | None, **details: Any) -> Estimate:
        """The estimate of kernel ``i`` from its standard error, low and high end."""
        value, kernel = self.values[i], self.kernels[i]
        se, low, high = ends
        methods, level = method_array(method, value), self.settings.level
        return Estimate(value, se, low, high, methods, level, kernel=kernel, **details)

    def wilson(self, i: int) -> list[Floats]:
        """Standard error and ends of a proportion, or of a function that grows with one."""
        kernel, proportion = self.kernels[i], self.proportions[i]
        assert proportion is not None
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
    table = data.tables() if table is None else table
    views = views_of(kernels, table) if views is None else views
    if settings is None:
        values = zip(views.values(kernels), kernels, strict=True)
        return [Estimate.bare(per_system(v, k), kernel=k) for v, k in values]
    problem = EstimationProblem(data, kernels, settings, table, views)
    if settings.drawn is not None:
        method = Method("bca" if settings.method == "bca" else "bootstrap")
        scores = [problem.estimate(i, e, method) for i, e in enumerate(_resampled(problem))]
    else:
        analytic = _as_observed(problem)
        others = [i for i in range(len(kernels)) if i not in analytic]
        rates = _by_rates(problem, others)
        enough = problem.table.k <= FEW_CLASSES
        sizes = _by_effective_size(problem, [i for i in others if not (enough and i in rates)])
        analytic |= sizes | rates
        for i in sizes.keys() & rates.keys():  # with many small classes square-and-add is too short
            low, high = np.fmin(rates[i].low, sizes[i].low), np.fmax(rates[i].high, sizes[i].high)
            analytic[i] = replace(rates[i], low=low, high=high)
        scores = [analytic.get(i) or _by_proportion(problem, i) for i in range(len(kernels))]
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


def _as_observed(problem: EstimationProblem) -> dict[int, Estimate]:
    """The metrics that a class mix does not change, with their intervals as observed.

    Recalls are the same at every mix, likelihood ratios of two classes too; accuracy of equal
    classes is macro recall.
    """
    table, same = cast(Confusion, problem.table), dict[int, Kernel]()
    for i, kernel in enumerate(problem.kernels):
        record = kernel.record
        if kernel.target is None or record.properties is None:
            continue
        observed = replace(kernel, target=None)
        properties, macro = record.properties, find("macro_recall")
        if record.derivation in (ACCURACY, MICRO) and macro is not None:
            occurs = np.asarray(table.prevalence > 0)
            observed = replace(observed, function=macro.function, record=macro, averaged=occurs)
        elif not (properties.prevalence_invariance or (properties.of_two and table.k == 2)):
            continue
        value = per_system(views_of([observed], table).values([observed])[0], observed)
        if np.allclose(value, problem.values[i], rtol=1e-9, atol=1e-12, equal_nan=True):
            same[i] = observed
    if not same:
        return {}
    each = estimates(problem.data, list(same.values()), problem.settings, table)
    return {
        i: replace(e, value=problem.values[i], kernel=problem.kernels[i])
        for i, e in zip(same, each, strict=True)
    }


def _by_rates(problem: EstimationProblem, indices: list[int]) -> dict[int, Estimate]:
    """The metrics at a stated class mix, if every rate can be moved to its limits."""
    mixed = [
        i
        for i in indices
        if problem.method(kernel := problem.kernels[i]) == "auto"
        and kernel.target is not None
        and not kernel.over_cells
        and _scale(problem, kernel) != "log"
    ]
    table = cast(Confusion, problem.table)
    if not mixed or not problem.rows.hard or not movable(table):
        return {}
    rates, scores = limited(table, problem.rows, problem.settings.level), dict[int, Estimate]()
    for i in mixed:
        kernel = problem.kernels[i]
        mix = np.broadcast_to(np.asarray(kernel.target), rates.rates.shape[:-1])
        half = rates.half_widths(kernel, mix)
        se = np.sqrt((half**2).sum(axis=0) / 2) / (critical_value(problem.settings.level) or np.nan)
        ends = (se, *inside(problem.values[i], half, kernel))
        scores[i] = problem.estimate(i, ends, Method("mover"))
    return scores


def _by_effective_size(problem: EstimationProblem, indices: list[int]) -> dict[int, Estimate]:
    """Wilson's interval at an effective sample size, for metrics at one mix together."""
    if problem.settings.method not in ("auto", "jackknife") or not problem.table.varies:
        return {}
    scores = dict[int, Estimate]()
    others = [i for i in indices if problem.proportions[i] is None]
    own_rows = [i for i in others if smoothable(problem.rows, problem.kernels[i])]
    for view in dict.fromkeys(problem.kernels[i].view for i in own_rows):
        own = [i for i in own_rows if problem.kernels[i].view == view]
        size = max(1, ROWS_AT_ONCE // max(1, len(problem.rows.weight)))
        for start in range(0, len(own), size):
            scores |= _at_effective_size(problem, own[start : start + size])
    return scores


def _at_effective_size(problem: EstimationProblem, indices: list[int]) -> dict[int, Estimate]:
    kernels, settings = [problem.kernels[i] for i in indices], problem.settings
    values = np.stack([problem.values[i] for i in indices])
    rows, span = problem.rows, extents(kernels, values)
    counts = [problem.margins[i] for i in indices]
    best = np.stack(list(map(_all_predicted, kernels, values, counts)))
    errors, plain = score_errors(rows, kernels, counts, stratify=settings.stratify)
    z = critical_value(settings.level, errors.df)
    low, high = score_interval(values, errors.n_eff, z, *span)
    n_eff = effective_sample_size(best, plain.se, *span)
    best_high = score_interval(best, n_eff, critical_value(settings.level, plain.df), *span)[1]
    high = np.where(best > values, np.fmax(high, np.fmax(best, best_high)), high)
    scores = {}
    for j, (i, kernel) in enumerate(zip(indices, kernels, strict=True)):
        if _scale(problem, kernel) == "cut":
            se = np.where(biased(kernel), np.nan, errors.se[j])
            ends = (se, *interval_around(values[j], se, z[j], kernel, "cut"))
            scores[i] = problem.estimate(i, ends, CUT)
            continue
        ends = errors.se[j], low[j], high[j]
        if biased(kernel).any() and rows.counts_items and kernel.target is None:
            less_bias = corrected(rows, kernel, values[j], counts[j], settings.level).value
            centre = np.where(biased(kernel), less_bias, values[j])
            again = score_interval(centre, errors.n_eff[j], z[j], *extent(kernel))
            ends = (errors.se[j], np.fmin(low[j], again[0]), np.fmax(high[j], again[1]))
        scores[i] = problem.estimate(i, ends, EFFECTIVE, error=errors[j])
    return scores


def _all_predicted(kernel: Kernel, value: Floats, c: Counts) -> Floats:
    """The value if the first prediction of each class that has none yet were right.

    Of a class that is never predicted, precision may be anything up to 1.
    """
    none = (c.bias == 0) & (c.prevalence > 0)
    if not none.any():
        return value
    trace = np.where(none, TRACE * c.prevalence, 0.0)
    return per_system(kernel.function(replace(c, correct=c.correct + trace, bias=c.bias + trace)))


def _by_proportion(problem: EstimationProblem, i: int) -> Estimate:
    """Wilson's interval in the tables where the metric is a proportion, else the delta method."""
    kernel, proportion = problem.kernels[i], problem.proportions[i]
    if proportion is None or problem.method(kernel) not in ("auto", "wilson"):
        return _by_delta(problem, i)
    ends = problem.wilson(i)
    is_proportion = ~np.isnan(per_system(proportion[1], kernel))
    if is_proportion.all():
        return problem.estimate(i, ends, WILSON)
    other = _by_delta(problem, i)
    se, low, high = np.where(is_proportion, ends, (other.se, other.low, other.high))
    methods = other.method.copy()
    methods[is_proportion] = WILSON
    return replace(other, se=se, low=low, high=high, method=methods)


def _by_delta(problem: EstimationProblem, i: int) -> Estimate:
    """The delta method."""
    kernel, value, settings = problem.kernels[i], problem.values[i], problem.settings
    method, details = problem.method(kernel), {"kernel": kernel, "level": settings.level}
    rows, margins = problem.rows, problem.margins[i]
    if method == "jackknife":
        raise InputError(
            "jackknife is for metrics of single labels that have a bounded range and are no plain "
            f"proportion, and {kernel.name} is none here; use auto, delta or bootstrap"
        )
    if method == "wilson":
        if not kernel.by_class:
            raise InputError(
                "wilson is for plain proportions of unweighted items (accuracy, precision, recall "
                f"and F1 of a class, micro averages), and {kernel.name} is none here; use delta or "
                "bootstrap"
            )
        return Estimate.bare(value, "no proportion", **details)
    try:
        if kernel.by_class:
            se, df = rows.class_errors(kernel, margins), rows.df[:, None]
        else:
            own = delta_estimate(rows, kernel, margins, value, stratify=settings.stratify)
            se, df = rows.root_sum_squares(own.units), own.df
    except NoGradientError as e:
        if method != "auto":
            raise
        return Estimate.bare(value, "no gradient", no_gradient=e.note, **details)
    error = StandardError.of_values([kernel], value[None], se[None], df)[0]
    scale = _scale(problem, kernel)
    interval_method = Method("delta", scale)
    if method == "auto" and kernel.record.needs == "scores" and rows.cluster is None:
        smoothed = smoothed_score_error(rows, kernel, error)
        if smoothed is not None and not settings.stratify:
            error = smoothed
            interval_method = EFFECTIVE if scale == "score" else interval_method
    z = critical_value(settings.level, error.df)
    ends = score_interval(value, error.n_eff, z, *extent(kernel))
    if scale != "score":
        ends = interval_around(value, error.se, z, kernel, scale)
    if scale == "log" and kernel.record.needs == "scores":  # whose error may be a multiple of it
        ends = ends[0], np.minimum(ends[1], value + 2 * z * error.se)
    estimate = problem.estimate(i, (error.se, *ends), interval_method)
    zero = (value == 0) | np.isinf(value)
    halves = scale == "log" and kernel.record.needs != "scores" and kernel.target is None
    if not (halves and zero.any() and problem.counts_items):
        return estimate
    halved, se = _with_half_counts(kernel, margins)
    low, high = interval_around(halved, se, z, kernel, scale)
    low = np.where(zero, np.where(value == 0, 0.0, low), estimate.low)
    high = np.where(zero, np.where(value == 0, high, np.inf), estimate.high)
    methods = estimate.method.copy()
    methods[zero] = Method("delta", "log+half")
    return replace(estimate, low=low, high=high, method=methods)


def _with_half_counts(kernel: Kernel, c: Counts) -> tuple[Floats, Floats]:
    """A ratio of one class and its error with half a count more in each of its four cells.

    (Haldane 1956, Anscombe 1956.)
    """
    parts = (c.correct, c.false_negatives, c.false_positives, c.true_negatives)
    cells = np.stack([c.sum(x).reshape(-1) for x in parts], axis=-1).reshape(-1, 2, 2) + 0.5
    counts = Counts.from_cells(cells, averaged=np.array([True, False]), undefined=c.undefined)
    slopes = gradient(kernel.function, counts)
    se = np.sqrt((cells * slopes.dense()[..., :-1] ** 2).sum(axis=(1, 2)))
    return np.asarray(slopes.value), se


def _scale(problem: EstimationProblem, kernel: Kernel) -> Scale | None:
    """The scale of the interval; for ``auto`` the one that covers best."""
    settings = problem.settings
    if problem.method(kernel) not in ("auto", "jackknife"):
        by_range = settings.transform and kernel.by_class
        return interval_scale("range" if by_range else settings.transform, kernel)
    return automatic_scale(kernel)


def _without_zero_width(estimate: Estimate, problem: EstimationProblem, i: int) -> Estimate:
    """Wilson's interval, or none, in place of intervals without width."""
    with np.errstate(invalid="ignore"):  # infinite values have no width
        flat = ~is_informative(np.minimum(estimate.high, WIDEST) - estimate.low)
    if not flat.any():
        return estimate
    se, low, high = np.where(flat, np.nan, (estimate.se, estimate.low, estimate.high))
    method = estimate.method.copy()
    method[flat] = None
    if problem.proportions[i] is not None:
        low, high = np.where(flat, problem.wilson(i)[1:], (low, high))
        method[flat & ~np.isnan(low)] = Method("wilson", instead_of=problem.settings.method)
    return replace(estimate, se=se, low=low, high=high, method=method)


def zero_over_zero(scores: Sequence[Estimate], views: TableViews) -> list[Floats]:
    """For each metric, in which tables with a delta interval the value of some 0/0 matters."""
    involved = []
    for e in scores:
        delta = [m is not None and m.name == "delta" for m in e.method.tolist()]
        tables = ~np.isnan(e.low) & (not e.kernel.over_items) & np.array(delta, bool)
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


# What a reader must know about the intervals of a score.


def interval_warnings(
    data: Data,
    table: AnyTable,
    names: Sequence[str],
    estimated: Sequence[Estimate],
    margins: Counts,
    views: TableViews,
) -> list[list[ResultWarning]]:
    """The warnings on each table: of the metrics with these names, then of values per class."""
    known = [~np.isnan(e.low) for e in estimated]
    metrics, classes = estimated[: len(names)], estimated[len(names) :]
    sure = [e.kernel for e, some in zip(estimated, known, strict=True) if some.any()]
    averages = zip((e.kernel for e in metrics), known, strict=False)
    rare = few_classes(averages, table, margins)
    clusters, of_scores = few_clusters(data), list(score_warnings(sure, table))
    matters = zero_over_zero(metrics, views)
    blank = [
        ~np.isnan(e.value) & ~some & (not e.note) for e, some in zip(estimated, known, strict=True)
    ]
    warnings: list[list[ResultWarning]] = []
    for i in range(len(rare)):
        rows = zip(names, metrics, blank, strict=False)
        no_ends = [(name, e.kernel) for name, e, none in rows if none[i]]
        at_end = tuple(
            name
            for name, kernel in no_ends  # small samples push these towards the end of their range
            if kernel.record.better == "neither" and np.broadcast_to(biased(kernel), len(rare))[i]
        )
        flat = tuple(name for name, _ in no_ends if name not in at_end)
        points = [
            (f"{e.kernel.name} of {table.labels[j]!r}", e.kernel.name)
            for e, none in zip(classes, blank[len(names) :], strict=True)
            for j in np.flatnonzero(none[i]).tolist()
        ]
        affected = tuple(n for n, tables in zip(names, matters, strict=True) if tables[i])
        own: list[ResultWarning] = [NoWidth(flat)] if flat else []
        own += [Biased(at_end)] if at_end else []
        if points:
            texts, of_classes = zip(*points, strict=True)
            own.append(NoWidth(texts, "class", of_classes))
        own += small_class_notes(rare[i], table.labels) if rare[i].any() else []
        own += [ZeroOverZero(metrics[0].kernel.undefined, affected)] if affected else []
        own += clusters[i] if len(clusters) > 1 else clusters[0]
        warnings.append(own + of_scores)
    return warnings

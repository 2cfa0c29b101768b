"""Intervals for any metrics on any data, by the procedure that was asked for."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import cast

import numpy as np

from evenhand.catalogue.binding import Table, values_of, views_of
from evenhand.core.kernel import Kernel, Views
from evenhand.errors import InputError, shown
from evenhand.infer.bca import acceleration, bca
from evenhand.infer.bootstrap import bootstrap, percentile
from evenhand.infer.delta import Filled, cells_error, class_error, rows_class_error, rows_error
from evenhand.infer.design import Floats
from evenhand.infer.quantile import reach
from evenhand.infer.rows import Data, NoGradientError, Rows, rows_of
from evenhand.infer.transform import around, chosen
from evenhand.infer.width import tells
from evenhand.infer.wilson import proportion, proportion_error, refusal, wilson
from evenhand.notes.interval import Intervals, by
from evenhand.notes.method import Method, Scale
from evenhand.notes.sure import NoGradient
from evenhand.signature.fields import (
    Draws,
    IntervalField,
    checked_level,
    checked_replicates,
    checked_seed,
)
from evenhand.tables.confusion import Confusion

METHODS = ("auto", "delta", "bootstrap", "bca", "wilson")


@dataclass(frozen=True)
class Settings:
    """How an interval is to be made.

    ``auto`` is Wilson's interval for plain proportions and the delta method on the scale of the
    metric's range (logit, Fisher) for everything else, but plain and cut at the ends of the range
    for metrics that are neither better high nor low: see docs/intervals.md for why.
    """

    method: str = "auto"
    level: float = 0.95
    replicates: int = 2000
    seed: int = 0
    transform: str | None = None
    stratify: bool = False

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise InputError(
                f"interval must be one of {shown(METHODS)} or None, got {self.method!r}"
            )
        checked_level(self.level)
        checked_replicates(self.replicates)
        checked_seed(self.seed)
        if self.transform is not None and self.method != "delta":
            raise InputError(f"transform goes with interval='delta', not {self.method!r}")

    @property
    def z(self) -> float:
        """The normal quantile of the level."""
        return reach(self.level)

    @property
    def drawn(self) -> Draws | None:
        """The draws, where the method is one that draws."""
        resamples = self.method in ("bootstrap", "bca")
        return Draws(self.replicates, self.seed) if resamples else None

    def signed(self, data: Data) -> IntervalField:
        """The interval field of a signature of these data."""
        whole = IntervalField(self.method, self.level, self.transform, drawn=self.drawn)
        return replace(whole, stratified=self.stratify, clusters=(data.cluster is not None))


@dataclass(frozen=True, eq=False)
class Estimate(Intervals):
    """A metric of every system (or slice) with its interval.

    With one value a class, a second axis holds the classes. ``no_gradient`` says what is wrong
    with a metric that has none.
    """

    kernel: Kernel = field(kw_only=True)
    no_gradient: NoGradient | None = None


class Source:
    """Data and kernels, with what is made from both, each once and only when needed."""

    def __init__(self, data: Data, kernels: list[Kernel], how: Settings) -> None:
        self.table: Table = data.tables()
        plain = self.table.weighing == "none"
        self.data = self.table if plain and data.in_cells else data  # they say all that there is
        self.kernels = kernels
        self.views = views_of(kernels, self.table)
        self.values = values_of(kernels, self.table, self.views)
        self.alone = plain and self.data.cluster is None and not how.stratify
        """Whether items are independent and count once."""

    @cached_property
    def cells(self) -> Filled | None:
        """The cells, where they say as much about the variance as the rows would."""
        return Filled.of(cast(Confusion, self.table)) if self.data.in_cells else None

    @cached_property
    def rows(self) -> Rows:
        return rows_of(self.data)

    @cached_property
    def row_views(self) -> Views:
        return self.rows.views(self.kernels)

    def proportion(self, kernel: Kernel, value: Floats) -> tuple[Floats, Floats] | None:
        """Hits and trials, where independent items make the metric a plain proportion."""
        single = self.table.task == "single" or (kernel.record and kernel.record.of_one_class)
        # the labels of one item are not independent decisions
        return proportion(kernel, self.views, value) if self.alone and single else None


def estimates(data: Data, kernels: list[Kernel], how: Settings) -> list[Estimate]:
    """Each metric with its interval, for every system or slice in one go."""
    source = Source(data, kernels, how)
    values = [_row(v, k) for v, k in zip(source.values, kernels, strict=True)]
    if how.method in ("bootstrap", "bca"):
        found = _resampled(source, values, how)
    else:
        found = [_analytic(source, k, v, how) for k, v in zip(kernels, values, strict=True)]
    return [_honest(e, source, how) for e in found]


def _analytic(source: Source, kernel: Kernel, value: Floats, how: Settings) -> Estimate:
    if how.method in ("auto", "wilson"):
        counted = source.proportion(kernel, value)
        if counted is not None:
            low, high = (_row(x, kernel) for x in wilson(*counted, how.level))
            se = _row(proportion_error(*counted), kernel)
            method = by(Method("wilson"), value)
            return Estimate(value, se, low, high, method, how.level, kernel=kernel)
        if how.method == "wilson" and kernel.by_class:
            return Estimate.bare(value, "no proportion", kernel=kernel, level=how.level)
        if how.method == "wilson":
            raise refusal(kernel)
    try:
        se = _row(_delta(source, kernel, how), kernel)
    except NoGradientError as e:
        if how.method != "auto":
            raise
        known = {"kernel": kernel, "level": how.level, "no_gradient": e.note}
        return Estimate.bare(value, "no gradient", **known)
    scale = _scale(kernel, how)
    ends, method = around(value, se, how.z, kernel, scale), by(Method("delta", scale), value)
    return Estimate(value, se, *ends, method, how.level, kernel=kernel)


def _scale(kernel: Kernel, how: Settings) -> Scale | None:
    """The scale asked for; ``auto`` knows which one covers best."""
    if how.method != "auto":
        return chosen("range" if how.transform and kernel.by_class else how.transform, kernel)
    if kernel.record is not None and kernel.record.better == "neither":
        return "cut"  # a difference of scores lives at an end, where log-odds go astray
    return chosen("range", kernel)


def _delta(source: Source, kernel: Kernel, how: Settings) -> Floats:
    if source.cells is not None:
        if kernel.by_class:
            return class_error(source.cells, kernel, source.views)
        return cells_error(source.cells, kernel, source.views, stratify=how.stratify)
    rows = source.rows
    if kernel.by_class and kernel.target is not None:
        each = [kernel.of_class(j, rows.design.k) for j in range(rows.design.k)]
        return np.stack([rows_error(rows, rows.influence(one)) for one in each], axis=-1)
    if kernel.by_class:
        return np.stack([rows_class_error(rows, kernel, s) for s in range(rows.design.systems)])
    return rows_error(rows, rows.influence(kernel, source.row_views), stratify=how.stratify)


def _resampled(source: Source, values: list[Floats], how: Settings) -> list[Estimate]:
    parts = [_replicated(rows, ks, how) for rows, ks in _separate(source)]
    found = []
    for j, (kernel, value) in enumerate(zip(source.kernels, values, strict=True)):
        se, low, high = (np.concatenate([p[j][i] for p in parts]) for i in range(3))
        method = by(Method("bca" if how.method == "bca" else "bootstrap"), value)
        found.append(Estimate(value, se, low, high, method, how.level, kernel=kernel))
    return found


def _separate(source: Source) -> list[tuple[Rows, list[Kernel]]]:
    """Rows that are resampled together: those of one table, or of the systems of a sample."""
    kernels = source.kernels
    if source.data is source.table and source.table.shape:
        stack = cast(Confusion, source.table)
        return [(rows_of(t), [k.at(i) for k in kernels]) for i, t in enumerate(stack)]
    return [(source.rows, kernels)]


def _replicated(
    rows: Rows, kernels: list[Kernel], how: Settings
) -> list[tuple[Floats, Floats, Floats]]:
    drawn = bootstrap(rows, kernels, count=how.replicates, seed=how.seed, stratify=how.stratify)
    if how.method == "bca":
        if how.stratify:
            raise InputError("bca has no stratified form here: use interval='bootstrap'")
        observed = rows.values(kernels, rows.weight[None])
        bend = acceleration(rows, kernels)
        ends = [bca(v, o[0], a, how.level) for v, o, a in zip(drawn, observed, bend, strict=True)]
    else:
        ends = [percentile(v, how.level) for v in drawn]
    return [(_spread(v), low, high) for v, (low, high) in zip(drawn, ends, strict=True)]


def _spread(values: Floats) -> Floats:
    known = ~np.isnan(values)
    n = np.maximum(known.sum(axis=0), 1)
    mean = np.where(known, values, 0.0).sum(axis=0) / n
    square = np.where(known, (values - mean) ** 2, 0.0).sum(axis=0)
    return np.asarray(np.sqrt(square / np.maximum(n - 1, 1)))


def _honest(e: Estimate, source: Source, how: Settings) -> Estimate:
    """No width is not knowledge: Wilson's interval where it applies, else none at all."""
    flat = ~tells(e.high - e.low)
    if not flat.any():
        return e
    low, high, se = (np.where(flat, np.nan, x) for x in (e.low, e.high, e.se))
    method = e.method.copy()
    method[flat] = None
    counted = source.proportion(e.kernel, e.value)
    if counted is not None:
        ends = [_row(x, e.kernel) for x in wilson(*counted, how.level)]
        low, high = (np.where(flat, new, x) for new, x in zip(ends, (low, high), strict=True))
        method[flat & ~np.isnan(low)] = Method("wilson", instead_of=how.method)
    return replace(e, se=se, low=low, high=high, method=method)


def _row(x: Floats, kernel: Kernel | None = None) -> Floats:
    """One entry a system, also for a single table; classes behind it."""
    x = np.asarray(x, np.float64)
    return x.reshape(-1, x.shape[-1]) if kernel and kernel.by_class else x.reshape(-1)


def bare(kernels: list[Kernel], table: Table) -> list[Estimate]:
    """Each metric of every table by itself, where no interval is asked for or can be had."""
    found = zip(kernels, values_of(kernels, table), strict=True)
    return [Estimate.bare(_row(v, k), None, kernel=k) for k, v in found]


def zero_over_zero(found: list[Estimate], table: Table) -> list[Floats]:
    """For each metric, in which tables some 0/0 takes part in an interval of the delta method."""
    asked = [e.known & _by_delta(e) & (not e.kernel.over_items) for e in found]
    each = [e.kernel if table.shape else e.kernel.at(0) for e in found]  # of one: no stack
    worths = [[u for u in (0.0, 1.0) if k.undefined != u] * bool(a.any())
              for k, a in zip(each, asked, strict=True)]  # fmt: skip
    kernels = [replace(k, undefined=u) for k, us in zip(each, worths, strict=True) for u in us]
    moved = iter(values_of(kernels, table))
    for e, which, others in zip(found, asked, worths, strict=True):
        if others:
            a, b = _row(next(moved)), e.value if len(others) < 2 else _row(next(moved))
            which &= (a != b) & ~(np.isnan(a) & np.isnan(b))
    return asked


def _by_delta(e: Estimate) -> Floats:
    return np.array([m is not None and m.name == "delta" for m in e.method.tolist()], bool)

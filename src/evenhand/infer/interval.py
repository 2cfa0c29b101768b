"""Intervals for any metrics on any data, by the procedure that was asked for."""

from __future__ import annotations

from dataclasses import dataclass, replace
from statistics import NormalDist

import numpy as np

from evenhand.errors import InputError, shown
from evenhand.evaluate import Kernel, Table
from evenhand.infer.bca import acceleration, bca
from evenhand.infer.bootstrap import bootstrap, percentile
from evenhand.infer.delta import class_error, rows_class_error, rows_error, table_error
from evenhand.infer.design import Floats
from evenhand.infer.rows import Data, Rows, rows_of
from evenhand.infer.transform import chosen, extent, transformed
from evenhand.infer.wilson import proportion, proportion_error, refusal, wilson
from evenhand.sample import Sample, SoftSample
from evenhand.table import Confusion

METHODS = ("auto", "delta", "bootstrap", "bca", "wilson")


@dataclass(frozen=True)
class Settings:
    """How an interval is to be made.

    ``auto`` is Wilson's interval for plain proportions and the delta method on the scale of the
    metric's range (logit, Fisher) for everything else: see docs/intervals.md for why.
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
        if not 0 < self.level < 1:
            raise InputError(f"level must be between 0 and 1, got {self.level}")
        if self.replicates < 1:
            raise InputError(f"replicates must be at least 1, got {self.replicates}")
        if self.transform is not None and self.method != "delta":
            raise InputError(f"transform goes with interval='delta', not {self.method!r}")

    @property
    def z(self) -> float:
        """The normal quantile of the level."""
        return NormalDist().inv_cdf((1 + self.level) / 2)

    def signature(self) -> str:
        """As in a signature's interval field: ``delta.95``, ``bootstrap.95.2000.seed0``."""
        method = self.method + (f"-{self.transform}" if self.transform else "")
        parts = [method, f"{100 * self.level:g}"]
        if self.stratify:
            parts.append("stratified")
        if self.method in ("bootstrap", "bca"):
            parts += [str(self.replicates), f"seed{self.seed}"]
        return ".".join(parts)


@dataclass(frozen=True, eq=False)
class Estimate:
    """A metric of every system (or slice) with its interval; NaN where there is none.

    With one value a class, a second axis holds the classes.
    """

    kernel: Kernel
    value: Floats
    se: Floats
    low: Floats
    high: Floats
    method: Floats

    @property
    def empty(self) -> Floats:
        """Where a value is known but no interval could be had."""
        return np.asarray(~np.isnan(self.value) & np.isnan(self.low))


def tables_of(data: Data) -> Table:
    """The table, or stack of tables, that the values are read from."""
    return data.tables() if isinstance(data, Sample | SoftSample) else data


def knows(data: Data) -> bool:
    """Whether the data say how their items vary."""
    return not isinstance(data, Confusion) or data.data.squares is not None


def estimates(data: Data, kernels: list[Kernel], how: Settings) -> list[Estimate]:
    """Each metric with its interval, for every system or slice in one go."""
    if how.method in ("bootstrap", "bca"):
        found = _resampled(data, kernels, how)
    else:
        found = [_analytic(data, k, how) for k in kernels]
    table = tables_of(data)
    return [_honest(e, data, table, how) for e in found]


def _analytic(data: Data, kernel: Kernel, how: Settings) -> Estimate:
    table = tables_of(data)
    value = _row(kernel.on(table), kernel)
    if how.method in ("auto", "wilson"):
        counted = None if _dependent(data, how) else proportion(kernel, table)
        if counted is not None:
            low, high = (_row(x, kernel) for x in wilson(*counted, how.level))
            se = _row(proportion_error(*counted), kernel)
            return Estimate(kernel, value, se, low, high, _named("wilson", value))
        if how.method == "wilson" and kernel.by_class:
            nothing = np.full(value.shape, np.nan)
            return Estimate(kernel, value, nothing, nothing, nothing, _named("wilson", value))
        if how.method == "wilson":
            raise refusal(kernel)
    se = _row(_delta(data, kernel, how), kernel)
    wanted = how.transform
    if how.method == "auto" or (wanted and kernel.by_class):
        wanted = "range"
    scale = chosen(wanted, kernel)
    if scale is None:
        low, high = value - how.z * se, value + how.z * se
    else:
        low, high = transformed(value, se, how.z, *extent(kernel))
    return Estimate(
        kernel, value, se, low, high, _named(f"delta, {scale}" if scale else "delta", value)
    )


def _delta(data: Data, kernel: Kernel, how: Settings) -> Floats:
    grouped = isinstance(data, Sample) and data.cluster is not None
    if isinstance(data, Confusion) or (isinstance(data, Sample) and not grouped):
        table = data if isinstance(data, Confusion) else data.tables()
        if kernel.by_class:
            return class_error(table, kernel)
        return table_error(table, kernel, stratify=how.stratify)
    rows = rows_of(data)
    if kernel.by_class and kernel.target is not None:
        each = [kernel.of_class(j, rows.design.k) for j in range(rows.design.k)]
        return np.stack([rows_error(rows, rows.influence(one)) for one in each], axis=-1)
    if kernel.by_class:
        return np.stack([rows_class_error(rows, kernel, s) for s in range(rows.design.systems)])
    return rows_error(rows, rows.influence(kernel), stratify=how.stratify)


def _resampled(data: Data, kernels: list[Kernel], how: Settings) -> list[Estimate]:
    parts = [_replicated(rows, ks, how) for rows, ks in _separate(data, kernels)]
    table = tables_of(data)
    found = []
    for j, kernel in enumerate(kernels):
        value = _row(kernel.on(table), kernel)
        se, low, high = (np.concatenate([p[j][i] for p in parts]) for i in range(3))
        found.append(Estimate(kernel, value, se, low, high, _named(how.method, value)))
    return found


def _separate(data: Data, kernels: list[Kernel]) -> list[tuple[Rows, list[Kernel]]]:
    """Rows to resample together. Plain items of one system are its table, which is smaller."""
    if isinstance(data, Sample) and data.cluster is None and data.square is None:
        data = data.tables()
    if isinstance(data, Confusion) and data.shape:
        return [(rows_of(t), [k.at(i) for k in kernels]) for i, t in enumerate(data)]
    return [(rows_of(data), kernels)]


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


def _honest(e: Estimate, data: Data, table: Table, how: Settings) -> Estimate:
    """No width is not knowledge: Wilson's interval where it applies, else none at all."""
    width = e.high - e.low
    flat = ~(width > 1e-12) | ~np.isfinite(width)
    if not flat.any():
        return e
    low, high, se = (np.where(flat, np.nan, x) for x in (e.low, e.high, e.se))
    method = e.method.copy()
    method[flat] = None
    counted = None if _dependent(data, how) else proportion(e.kernel, table)
    if counted is not None:
        ends = [_row(x, e.kernel) for x in wilson(*counted, how.level)]
        low, high = (np.where(flat, new, x) for new, x in zip(ends, (low, high), strict=True))
        method[flat & ~np.isnan(low)] = f"wilson ({how.method} has no width)"
    return replace(e, se=se, low=low, high=high, method=method)


def _dependent(data: Data, how: Settings) -> bool:
    return how.stratify or (isinstance(data, Sample | SoftSample) and data.cluster is not None)


def _row(x: Floats, kernel: Kernel) -> Floats:
    """One entry a system, also for a single table; classes behind it."""
    x = np.asarray(x, np.float64)
    return x.reshape(-1, x.shape[-1]) if kernel.by_class else x.reshape(-1)


def _named(method: str, like: Floats) -> Floats:
    return np.full(like.shape, method, object)


def zero_over_zero(kernels: list[Kernel], table: Table) -> list[str]:
    """Names of the metrics in which some 0/0 takes part, which delta intervals hold fixed."""
    found = []
    for kernel in kernels:
        if kernel.over_items or kernel.by_class:
            continue
        a, b = (np.asarray(replace(kernel, undefined=u).on(table)) for u in (0.0, 1.0))
        if not np.array_equal(a, b, equal_nan=True):
            found.append(kernel.name)
    return found

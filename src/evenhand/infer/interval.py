"""Intervals for any metrics on any data, by the procedure that was asked for."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from evenhand.catalogue.binding import Table
from evenhand.core.kernel import OVER_ITEMS, Kernel, Views, asked_views
from evenhand.errors import InputError, shown
from evenhand.infer.basis import Basis, row
from evenhand.infer.delta import cells_error, class_error, rows_class_error, rows_error
from evenhand.infer.design import Floats
from evenhand.infer.jackknife import Steady, applies, biased, smoothed, steady
from evenhand.infer.quantile import reach, reaches
from evenhand.infer.replicated import replicated
from evenhand.infer.rows import Data, NoGradientError
from evenhand.infer.transform import around, chosen, scored
from evenhand.infer.width import tells
from evenhand.infer.wilson import refusal, through_share
from evenhand.notes.interval import Intervals, Missing, by
from evenhand.notes.method import Method, Name, Scale
from evenhand.notes.sure import NoGradient
from evenhand.signature.fields import (
    Draws,
    IntervalField,
    checked_level,
    checked_replicates,
    checked_seed,
)

METHODS = ("auto", "delta", "jackknife", "bootstrap", "bca", "wilson")


@dataclass(frozen=True)
class Settings:
    """How an interval is to be made.

    ``auto`` is Wilson's interval for plain proportions, square-and-add for metrics at a stated
    class mix, the jackknife for averages that weigh classes alike, and the delta method for
    everything else; the last two on Wilson's scale, as if the value were a share of as many
    decisions as tell as much, but plain and cut at the ends of the range for metrics that are
    neither better high nor low: see docs/intervals.md and docs/prevalence.md for why.
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
    with a metric that has none, ``sure`` what the interval of an average was made from.
    """

    kernel: Kernel = field(kw_only=True)
    no_gradient: NoGradient | None = None
    sure: Steady | None = None


@dataclass(frozen=True, eq=False)
class Made:
    """What a procedure made of one kernel; ``flat`` is where it has no width, ``wilson`` where
    Wilson's interval stands in, ``scored`` where one from a smoothed table does, ``share`` where
    Wilson's is the one by right."""

    se: Floats
    low: Floats
    high: Floats
    name: Name | None
    scale: Scale | None = None
    note: Missing | None = None
    no_gradient: NoGradient | None = None
    flat: Floats | None = None
    wilson: Floats | None = None
    scored: Floats | None = None
    sure: Steady | None = None
    share: Floats | None = None


def estimates(
    data: Data,
    kernels: list[Kernel],
    how: Settings,
    table: Table | None = None,
    views: Views | None = None,
) -> list[Estimate]:
    """Each metric with its interval, for every system or slice in one go.

    ``table`` has the data's tables and ``views`` what the kernels ask of them, if these are known.
    """
    basis = Basis(data, kernels, how.stratify, table, views)
    drawn = how.method in ("bootstrap", "bca")
    each = range(len(kernels))
    if drawn:
        made = _resampled(basis, how)
    else:
        rated = _by_rates(basis, how)
        made = [rated[i] if i in rated else _analytic(basis, i, how) for i in each]
    made = [_honest(m, basis, i, how) for i, m in enumerate(made)]
    methods = []
    for m, value in zip(made, basis.values, strict=True):
        method = by(Method(m.name, m.scale) if m.name else None, value)
        if m.share is not None:
            method[m.share] = Method("wilson")
        if m.scored is not None:
            method[m.scored] = Method("delta", "score")
        if m.flat is not None:
            method[m.flat] = None
        if m.wilson is not None:
            method[m.wilson] = Method("wilson", instead_of=how.method)
        methods.append(method)
    return [
        Estimate(v, m.se, m.low, m.high, method, how.level, m.note,
                 kernel=k, no_gradient=m.no_gradient, sure=m.sure)
        for k, v, m, method in zip(kernels, basis.values, made, methods, strict=True)
    ]  # fmt: skip


def _analytic(basis: Basis, i: int, how: Settings) -> Made:
    kernel, counted = basis.kernels[i], basis.counted[i]
    if how.method != "auto" and _usual(kernel, how):
        how = replace(how, method="auto")
    if basis.counts_items and how.method in ("auto", "jackknife") and applies(kernel):
        return _by_jackknife(basis, i, how)
    if counted is None or how.method not in ("auto", "wilson"):
        return _by_delta(basis, i, how)
    se, low, high = _wilson(basis, i, how)
    share = ~np.isnan(row(counted[1], kernel))
    if share.all():
        return Made(se, low, high, "wilson")
    other = _by_delta(basis, i, how)
    ends = zip((se, low, high), (other.se, other.low, other.high), strict=True)
    se, low, high = (np.where(share, one, two) for one, two in ends)
    return replace(other, se=se, low=low, high=high, share=share)


def _usual(kernel: Kernel, how: Settings) -> bool:
    """Whether the method is left to us; a class is no average over classes to be jackknifed."""
    return how.method == "auto" or (how.method == "jackknife" and kernel.by_class)


def _wilson(basis: Basis, i: int, how: Settings) -> tuple[Floats, Floats, Floats]:
    kernel, counted = basis.kernels[i], basis.counted[i]
    assert counted is not None and kernel.record is not None
    found = through_share(*counted, kernel.record.through, how.level)
    se, low, high = (row(x, kernel) for x in found)
    return se, low, high


def _by_jackknife(basis: Basis, i: int, how: Settings) -> Made:
    kernel, value = basis.kernels[i], basis.values[i]
    assert basis.cells is not None
    shaped = value.reshape(basis.cells.shape)
    sure = steady(basis.cells, kernel, shaped, basis.views, stratify=how.stratify)
    if _scale(kernel, how) == "cut":
        se = np.where(biased(kernel), np.nan, row(sure.se))
        low, high = around(value, se, sure.reach(how.level), kernel, "cut")
        return Made(se, low, high, "jackknife", "cut")
    ends = scored(value, row(sure.decisions), sure.reach(how.level), kernel)
    return Made(row(sure.se), *ends, "jackknife", "score", sure=sure)


def _by_rates(basis: Basis, how: Settings) -> dict[int, Made]:
    """The metrics at a stated class mix, where every rate can be moved; those at one together."""
    asked = [k for k in basis.kernels if k.target is not None and _usual(k, how)]
    if not asked or not basis.movable:
        return {}
    limited, found = basis.limited(how.level), dict[int, Made]()
    for view, first in asked_views(asked).items():
        at = [i for i, k in enumerate(basis.kernels) if k.view == view and _usual(k, how)]
        mix = np.broadcast_to(np.asarray(first.target), limited.rates.shape[:-1])
        values, kernels = [basis.values[i] for i in at], [basis.kernels[i] for i in at]
        made = limited.intervals(values, kernels, mix)
        found |= {i: Made(*x, "mover") for i, x in zip(at, made, strict=True)}
    return found


def _by_delta(basis: Basis, i: int, how: Settings) -> Made:
    kernel, value = basis.kernels[i], basis.values[i]
    if how.method == "jackknife":
        raise InputError(
            f"jackknife is for averages of counted items that weigh classes alike, and "
            f"{kernel.name} is none here; use delta or bootstrap"
        )
    if how.method == "wilson" and kernel.by_class:
        return _nothing(value, note="no proportion")
    if how.method == "wilson":
        raise refusal(kernel)
    try:
        se = row(_delta(basis, kernel, how), kernel)
    except NoGradientError as e:
        if how.method != "auto":
            raise
        return _nothing(value, note="no gradient", no_gradient=e.note)
    scale = _scale(kernel, how)
    low, high = around(value, se, _reach(basis, how, value), kernel, scale)
    return Made(se, low, high, "delta", scale)


def _reach(basis: Basis, how: Settings, value: Floats) -> Floats | float:
    """How many errors an interval reaches; a few clusters tell less than as many items would."""
    if basis.data.cluster is None:
        return how.z
    units = basis.rows.units if basis.cells is None else basis.cells.units
    found = reaches(how.level, units.freedom)
    return found[:, None] if value.ndim > 1 else found


def _nothing(value: Floats, **why: Any) -> Made:
    nothing = np.full(value.shape, np.nan)
    return Made(nothing, nothing, nothing, None, **why)


def _scale(kernel: Kernel, how: Settings) -> Scale | None:
    """The scale asked for; ``auto`` knows which one covers best."""
    if how.method not in ("auto", "jackknife"):
        return chosen("range" if how.transform and kernel.by_class else how.transform, kernel)
    if kernel.better == "neither":
        return "cut"  # a difference of scores lives at an end, where other scales go astray
    return chosen("score", kernel)


def _delta(basis: Basis, kernel: Kernel, how: Settings) -> Floats:
    if basis.cells is not None:
        if kernel.by_class:
            return class_error(basis.cells, kernel, basis.views)
        return cells_error(basis.cells, kernel, basis.views, stratify=how.stratify)
    rows = basis.rows
    if kernel.by_class and kernel.target is not None:
        each = [kernel.of_class(j, rows.design.k) for j in range(rows.design.k)]
        return np.stack([rows_error(rows, psi) for psi in rows.influences(each)], axis=-1)
    if kernel.by_class:
        return np.stack([rows_class_error(rows, kernel, s) for s in range(rows.design.systems)])
    psi = rows.influences([kernel], basis.row_views)[0]
    return rows_error(rows, psi, stratify=how.stratify)


def _resampled(basis: Basis, how: Settings) -> list[Made]:
    name: Name = "bca" if how.method == "bca" else "bootstrap"
    draws = Draws(how.replicates, how.seed)
    return [Made(*x, name) for x in replicated(basis, name, how.level, draws, how.stratify)]


def _honest(made: Made, basis: Basis, i: int, how: Settings) -> Made:
    """No width is not knowledge: one where no class is certain, Wilson's, or none at all."""
    flat = ~tells(made.high - made.low)
    if not flat.any():
        return made
    low, high, se = (np.where(flat, np.nan, x) for x in (made.low, made.high, made.se))
    stands, counted, kernel = None, basis.counted[i], basis.kernels[i]
    if how.method == "auto" and basis.counts_items and _smoothable(kernel) and counted is None:
        assert basis.cells is not None
        sure = smoothed(basis.cells, kernel, stratify=how.stratify)
        ends = scored(basis.values[i], row(sure.decisions), sure.reach(how.level), kernel)
        low, high = (np.where(flat, new, x) for new, x in zip(ends, (low, high), strict=True))
        se = np.where(flat, row(sure.se), se)
        made, flat = replace(made, scored=flat & ~np.isnan(low)), flat & np.isnan(low)
    if counted is not None:
        ends = _wilson(basis, i, how)[1:]
        low, high = (np.where(flat, new, x) for new, x in zip(ends, (low, high), strict=True))
        stands = flat & ~np.isnan(low)
    return replace(made, se=se, low=low, high=high, flat=flat, wilson=stands)


def _smoothable(kernel: Kernel) -> bool:
    """Whether a table where no class is certain says something else about the metric."""
    known = kernel.record
    if known is None or kernel.by_class or applies(kernel):
        return False
    return known.bounded and known.better != "neither"


def bare(kernels: list[Kernel], views: Views) -> list[Estimate]:
    """Each metric of every table by itself, where no interval is asked for or can be had."""
    found = zip(views.values(kernels), kernels, strict=True)
    rows = [(row(v, k), k) for v, k in found]
    return [Estimate.bare(v, None, kernel=k) for v, k in rows]


def zero_over_zero(found: list[Estimate], views: Views) -> list[Floats]:
    """For each metric, in which tables some 0/0 takes part in an interval of the delta method."""
    asked = [~np.isnan(e.low) & (e.kernel.view != OVER_ITEMS) & _are_delta(e.method) for e in found]
    worths = [
        [u for u in (0.0, 1.0) if e.kernel.undefined != u] if which.any() else []
        for e, which in zip(found, asked, strict=True)
    ]
    kernels = [
        replace(e.kernel, undefined=u)
        for e, others in zip(found, worths, strict=True)
        for u in others
    ]
    moved = iter(views.values(kernels) if kernels else ())
    for e, which, others in zip(found, asked, worths, strict=True):
        if others:
            a, b = row(next(moved)), e.value if len(others) < 2 else row(next(moved))
            which &= (a != b) & ~(np.isnan(a) & np.isnan(b))
    return asked


def _are_delta(methods: Floats) -> Floats:
    return np.array([m is not None and m.name == "delta" for m in methods.tolist()], bool)

"""Intervals for any metrics on any data, by the procedure that was asked for."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from evenhand.catalogue.binding import Table
from evenhand.core.kernel import OVER_ITEMS, Kernel, Views, asked_views
from evenhand.errors import InputError
from evenhand.infer.basis import Basis, row
from evenhand.infer.delta import cells_error, class_error, rows_class_error, rows_error
from evenhand.infer.design import Floats
from evenhand.infer.effective import effective
from evenhand.infer.jackknife import Steady, applies, biased, smoothed, steady
from evenhand.infer.quantile import reaches
from evenhand.infer.replicated import replicated
from evenhand.infer.rows import Data, NoGradientError
from evenhand.infer.settings import Settings
from evenhand.infer.transform import around, chosen, decisions, extent, scored
from evenhand.infer.width import tells
from evenhand.infer.wilson import refusal, through_share
from evenhand.notes.interval import Intervals, Missing, by
from evenhand.notes.method import Method, Name, Scale
from evenhand.notes.sure import NoGradient
from evenhand.signature.fields import Draws

PLENTY, MANY = 200, 1000
"""Plain decisions, and items, from which on a score is as sure as its slopes say."""


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
    """What a procedure made of one kernel; ``share`` is where Wilson's interval was the one."""

    se: Floats
    low: Floats
    high: Floats
    name: Name | None
    scale: Scale | None = None
    note: Missing | None = None
    no_gradient: NoGradient | None = None
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
    if how.method in ("bootstrap", "bca"):
        made = _resampled(basis, how)
    else:
        rated = _by_rates(basis, how)
        each = range(len(kernels))
        made = [rated[i] if i in rated else _analytic(basis, i, how) for i in each]
    found = []
    for k, v, m in zip(kernels, basis.values, made, strict=True):
        method = by(Method(m.name, m.scale) if m.name else None, v)
        if m.share is not None:
            method[m.share] = Method("wilson")
        more: Any = {"kernel": k, "no_gradient": m.no_gradient, "sure": m.sure}
        found.append(Estimate(v, m.se, m.low, m.high, method, how.level, m.note, **more))
    return [_honest(e, basis, i, how) for i, e in enumerate(found)]


def _resampled(basis: Basis, how: Settings) -> list[Made]:
    name: Name = "bca" if how.method == "bca" else "bootstrap"
    draws = Draws(how.replicates, how.seed)
    return [Made(*x, name) for x in replicated(basis, name, how.level, draws, how.stratify)]


def _by_rates(basis: Basis, how: Settings) -> dict[int, Made]:
    """The metrics at a stated class mix, where every rate can be moved; those at one together."""
    usual = [k.target is not None and not k.over_cells and _usual(k, how) for k in basis.kernels]
    mixed = [k for k, is_usual in zip(basis.kernels, usual, strict=True) if is_usual]
    if not mixed or not basis.movable:
        return {}
    limited, found = basis.limited(how.level), dict[int, Made]()
    for view, first in asked_views(mixed).items():
        at = [i for i, k in enumerate(basis.kernels) if k.view == view and usual[i]]
        mix = np.broadcast_to(np.asarray(first.target), limited.rates.shape[:-1])
        values, kernels = [basis.values[i] for i in at], [basis.kernels[i] for i in at]
        made = zip(at, limited.intervals(values, kernels, mix), strict=True)
        found |= {i: Made(*ends, "mover") for i, ends in made}
    return found


def _analytic(basis: Basis, i: int, how: Settings) -> Made:
    kernel, counted = basis.kernels[i], basis.counted[i]
    if how.method != "auto" and _usual(kernel, how):
        how = replace(how, method="auto")
    if basis.counts_items and how.method in ("auto", "jackknife") and applies(kernel):
        return _by_jackknife(basis, i, how)
    if counted is None or how.method not in ("auto", "wilson"):
        return _by_delta(basis, i, how)
    ends = _wilson(basis, i, how)
    share = ~np.isnan(row(counted[1], kernel))
    if share.all():
        return Made(*ends, "wilson")
    other = _by_delta(basis, i, how)
    se, low, high = np.where(share, ends, (other.se, other.low, other.high))
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
    z, se = sure.reach(how.level), row(sure.se)
    if _scale(kernel, how) == "cut":
        se = np.where(biased(kernel), np.nan, se)
        return Made(se, *around(value, se, z, kernel, "cut"), "jackknife", "cut")
    ends = scored(value, row(sure.decisions), z, kernel)
    return Made(se, *ends, "jackknife", "score", sure=sure)


def _by_delta(basis: Basis, i: int, how: Settings) -> Made:
    kernel, value = basis.kernels[i], basis.values[i]
    nothing = np.full(value.shape, np.nan)
    if how.method == "jackknife":
        raise InputError(
            f"jackknife is for averages of counted items that weigh classes alike, and "
            f"{kernel.name} is none here; use delta or bootstrap"
        )
    if how.method == "wilson":
        if not kernel.by_class:
            raise refusal(kernel)
        return Made(nothing, nothing, nothing, None, note="no proportion")
    try:
        se = row(_delta(basis, kernel, how), kernel)
    except NoGradientError as e:
        if how.method != "auto":
            raise
        return Made(nothing, nothing, nothing, None, note="no gradient", no_gradient=e.note)
    scale, z = _scale(kernel, how), _reach(basis, how, value)
    if how.method == "auto" and scale == "score" and _effective(basis, kernel, how):
        sure = _of_effective_items(basis, kernel)
        worth = np.fmin(decisions(value, se, kernel), sure.decisions)
        worth, se = (np.where(np.isnan(se), se, x) for x in (worth, np.fmax(se, sure.se)))
        return Made(se, *scored(value, worth, sure.reach(how.level), kernel), "smoothed", "score")
    if how.method != "auto" or not basis.counts_items or not _smoothable(kernel):
        return Made(se, *around(value, se, z, kernel, scale), "delta", scale)
    worth = decisions(value, se, kernel)
    items = np.broadcast_to(basis.table.n, basis.table.shape).reshape(-1)
    few = ~(worth >= PLENTY) | (items < MANY)  # not known where there seems to be no error
    if few.any():
        assert basis.cells is not None
        sure = smoothed(basis.cells, kernel, stratify=how.stratify)
        least = np.fmin(worth, row(sure.decisions)), np.fmax(se, row(sure.se))
        worth, se = np.where(few, least, (worth, se))
        z = np.where(few, sure.reach(how.level), z)
    return Made(se, *scored(value, worth, z, kernel), "delta", "score")


def _reach(basis: Basis, how: Settings, value: Floats) -> Floats | float:
    """How many errors an interval reaches; a few clusters tell less than as many items would."""
    if basis.data.cluster is None:
        return how.z
    units = basis.rows.units if basis.cells is None else basis.cells.units
    found = reaches(how.level, units.freedom)
    return found[:, None] if value.ndim > 1 else found


def _scale(kernel: Kernel, how: Settings) -> Scale | None:
    """The scale asked for; ``auto`` knows which one covers best."""
    if how.method not in ("auto", "jackknife"):
        return chosen("range" if how.transform and kernel.by_class else how.transform, kernel)
    if kernel.record is not None and kernel.record.better == "neither":
        return "cut"  # a difference of scores lives at an end, where other scales go astray
    known = any(map(math.isfinite, extent(kernel)))  # what has one end only goes not beyond it
    return chosen("score", kernel) or ("cut" if known else None)


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


def _honest(made: Estimate, basis: Basis, i: int, how: Settings) -> Estimate:
    """No width is not knowledge: Wilson's interval, or none at all."""
    flat = ~tells(made.high - made.low)
    if not flat.any():
        return made
    se, low, high = np.where(flat, np.nan, (made.se, made.low, made.high))
    method, counted = made.method.copy(), basis.counted[i]
    method[flat] = None
    if counted is not None:
        low, high = np.where(flat, _wilson(basis, i, how)[1:], (low, high))
        method[flat & ~np.isnan(low)] = Method("wilson", instead_of=how.method)
    return replace(made, se=se, low=low, high=high, method=method)


def _effective(basis: Basis, kernel: Kernel, how: Settings) -> bool:
    """Whether items that weigh differently, or come in clusters, make an average of classes."""
    plain = basis.counts_items or kernel.target is not None or how.stratify
    return not plain and applies(kernel) and basis.hard


def _of_effective_items(basis: Basis, kernel: Kernel) -> Steady:
    """How sure that average is, in every table."""
    several = len(basis.filled) > 1
    found = [
        effective(c, kernel.at(i) if several else kernel, items)
        for i, (c, items) in enumerate(basis.filled)
    ]
    parts = zip(*((x.se, x.freedom, x.decisions) for x in found), strict=True)
    se, freedom, worth = (np.concatenate([row(x) for x in of]) for of in parts)
    return Steady(se, freedom, worth)


def _smoothable(kernel: Kernel) -> bool:
    """Whether a table where no class is certain says something else about the metric."""
    known = kernel.record
    if known is None or kernel.by_class or kernel.over_cells or applies(kernel):
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
    return np.array(
        [m is not None and m.name in ("delta", "smoothed") for m in methods.tolist()], bool
    )

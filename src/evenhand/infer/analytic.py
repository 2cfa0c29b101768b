"""Analytic intervals: by rates, by the jackknife, by Wilson's method or by the delta method.

Each is for the metrics that it covers best for; docs/intervals.md has the study.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from evenhand.core.kernel import Kernel, asked_views
from evenhand.errors import InputError
from evenhand.infer.basis import Basis, row
from evenhand.infer.delta import Filled, cells_error, class_error, rows_class_error, rows_error
from evenhand.infer.design import Floats
from evenhand.infer.effective import effective
from evenhand.infer.gradients import NoGradientError
from evenhand.infer.jackknife import Steady, applies, biased, smoothed, steady
from evenhand.infer.quantile import reaches
from evenhand.infer.settings import Settings
from evenhand.infer.transform import around, chosen, decisions, extent, extents, scored
from evenhand.infer.wilson import refusal, through_share
from evenhand.notes.interval import Missing
from evenhand.notes.method import Method, Name, Scale
from evenhand.notes.sure import NoGradient

HELD = 1 << 18
"""Cells × metrics whose errors are made at once."""

PLENTY, MANY = 200, 1000
"""Plain decisions, and items, from which on a score is as sure as its slopes say."""


@dataclass(frozen=True, eq=False)
class Made:
    """What a procedure made of one kernel; ``others`` say in which tables it was another."""

    se: Floats
    low: Floats
    high: Floats
    name: Name | None
    scale: Scale | None = None
    note: Missing | None = None
    no_gradient: NoGradient | None = None
    sure: Steady | None = None
    others: tuple[tuple[Floats, Method], ...] = ()


def analytic(basis: Basis, how: Settings) -> list[Made]:
    """What became of each kernel, several at once where they share the work."""
    found, each = _by_rates(basis, how), range(len(basis.kernels))
    found |= _by_jackknife(basis, how, [i for i in each if i not in found])
    return [found.get(i) or _alone(basis, i, how) for i in each]


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


def _by_jackknife(basis: Basis, how: Settings, left: list[int]) -> dict[int, Made]:
    """The averages that weigh classes alike, of counted items; those at one mix together."""
    cells = basis.cells if how.method in ("auto", "jackknife") and basis.counts_items else None
    if cells is None:
        return {}
    found = dict[int, Made]()
    for view in asked_views(basis.kernels):
        mine = [i for i in left if basis.kernels[i].view == view and applies(basis.kernels[i])]
        for at in _portions(mine, cells):
            found |= zip(at, _jackknifed(basis, cells, at, how), strict=True)
    return found


def _jackknifed(basis: Basis, cells: Filled, at: list[int], how: Settings) -> Iterator[Made]:
    kernels = [basis.kernels[i] for i in at]
    values = np.stack([basis.values[i] for i in at])
    shaped = values.reshape(-1, *cells.shape)
    sure = steady(cells, kernels, shaped, basis.views, stratify=how.stratify)
    se, worth, z = (
        x.reshape(values.shape) for x in (sure.se, sure.decisions, sure.reach(how.level))
    )
    low, high = scored(values, worth, z, *extents(kernels, values))
    for j, kernel in enumerate(kernels):
        if _scale(kernel, how) == "cut":
            error = np.where(biased(kernel), np.nan, se[j])
            yield Made(error, *around(values[j], error, z[j], kernel, "cut"), "jackknife", "cut")
        else:
            yield Made(se[j], low[j], high[j], "jackknife", "score", sure=sure[j])


def _portions(of: list[int], cells: Filled) -> Iterator[list[int]]:
    """As many metrics at once as weigh no more than a table of many cells does."""
    size = max(1, HELD // max(1, len(cells.weight)))
    return (of[i : i + size] for i in range(0, len(of), size))


def _alone(basis: Basis, i: int, how: Settings) -> Made:
    kernel, counted = basis.kernels[i], basis.counted[i]
    if how.method != "auto" and _usual(kernel, how):
        how = replace(how, method="auto")
    if counted is None or how.method not in ("auto", "wilson"):
        return _by_delta(basis, i, how)
    ends = wilson_ends(basis, i, how)
    share = ~np.isnan(row(counted[1], kernel))
    if share.all():
        return Made(*ends, "wilson")
    other = _by_delta(basis, i, how)
    se, low, high = np.where(share, ends, (other.se, other.low, other.high))
    others = (*other.others, (share, Method("wilson")))
    return replace(other, se=se, low=low, high=high, others=others)


def _usual(kernel: Kernel, how: Settings) -> bool:
    """Whether the method is left to us; a class is no average over classes to be jackknifed."""
    return how.method == "auto" or (how.method == "jackknife" and kernel.by_class)


def wilson_ends(basis: Basis, i: int, how: Settings) -> tuple[Floats, Floats, Floats]:
    """Error and ends of a kernel that is a share, or what grows with one."""
    kernel, counted = basis.kernels[i], basis.counted[i]
    assert counted is not None and kernel.record is not None
    found = through_share(*counted, kernel.record.through, how.level)
    se, low, high = (row(x, kernel) for x in found)
    return se, low, high


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
        worth = np.fmin(decisions(value, se, *extent(kernel)), sure.decisions)
        worth, se = (np.where(np.isnan(se), se, x) for x in (worth, np.fmax(se, sure.se)))
        ends = scored(value, worth, sure.reach(how.level), *extent(kernel))
        return Made(se, *ends, "smoothed", "score")
    if how.method != "auto" or not basis.counts_items or not _smoothable(kernel):
        return Made(se, *around(value, se, z, kernel, scale), "delta", scale)
    worth = decisions(value, se, *extent(kernel))
    items = np.broadcast_to(basis.table.n, basis.table.shape).reshape(-1)
    few = ~(worth >= PLENTY) | (items < MANY)  # not known where there seems to be no error
    if few.any():
        assert basis.cells is not None
        sure = smoothed(basis.cells, [kernel], stratify=how.stratify)[0]
        least = np.fmin(worth, row(sure.decisions)), np.fmax(se, row(sure.se))
        worth, se = np.where(few, least, (worth, se))
        z = np.where(few, row(sure.reach(how.level)), z)
    others = ((few, Method("smoothed", "score")),)
    return Made(se, *scored(value, worth, z, *extent(kernel)), "delta", "score", others=others)


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

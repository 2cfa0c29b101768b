"""Intervals for any metrics on any data, by the procedure that was asked for."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from evenhand.catalogue.binding import Table
from evenhand.core.kernel import OVER_ITEMS, Kernel, Views
from evenhand.infer.analytic import Made, analytic, wilson_ends
from evenhand.infer.basis import Basis, row
from evenhand.infer.design import Floats
from evenhand.infer.jackknife import Steady
from evenhand.infer.replicated import replicated
from evenhand.infer.rows import Data
from evenhand.infer.settings import Settings
from evenhand.infer.width import tells
from evenhand.notes.interval import Intervals, by
from evenhand.notes.method import Method, Name
from evenhand.notes.sure import NoGradient


@dataclass(frozen=True, eq=False)
class Estimate(Intervals):
    """A metric of every system (or slice) with its interval.

    With one value a class, a second axis holds the classes. ``no_gradient`` says what is wrong
    with a metric that has none, ``sure`` what the interval of an average was made from.
    """

    kernel: Kernel = field(kw_only=True)
    no_gradient: NoGradient | None = None
    sure: Steady | None = None


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
    made = _resampled(basis, how) if how.method in ("bootstrap", "bca") else analytic(basis, how)
    found = []
    for k, v, m in zip(kernels, basis.values, made, strict=True):
        method = by(Method(m.name, m.scale) if m.name else None, v)
        for where, other in m.others:
            method[where] = other
        more: Any = {"kernel": k, "no_gradient": m.no_gradient, "sure": m.sure}
        found.append(Estimate(v, m.se, m.low, m.high, method, how.level, m.note, **more))
    return [_honest(e, basis, i, how) for i, e in enumerate(found)]


def _resampled(basis: Basis, how: Settings) -> list[Made]:
    name: Name = "bca" if how.method == "bca" else "bootstrap"
    return [Made(*x, name) for x in replicated(basis, how)]


def _honest(made: Estimate, basis: Basis, i: int, how: Settings) -> Estimate:
    """No width is not knowledge: Wilson's interval, or none at all."""
    with np.errstate(invalid="ignore"):  # around an endless value there is no width
        flat = ~tells(made.high - made.low)
    if not flat.any():
        return made
    se, low, high = np.where(flat, np.nan, (made.se, made.low, made.high))
    method, counted = made.method.copy(), basis.counted[i]
    method[flat] = None
    if counted is not None:
        low, high = np.where(flat, wilson_ends(basis, i, how)[1:], (low, high))
        method[flat & ~np.isnan(low)] = Method("wilson", instead_of=how.method)
    return replace(made, se=se, low=low, high=high, method=method)


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

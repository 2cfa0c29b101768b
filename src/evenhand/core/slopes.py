"""Slopes: a metric's gradient at a table, and where it has none."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from evenhand.core.arrays import Array
from evenhand.core.counts import Counts
from evenhand.core.crossing import CellGradient
from evenhand.core.gradient import Gradient, gradient, reductions
from evenhand.core.kinds import Kinds
from evenhand.core.tape import Steps

SPAN = 1e-200
"""Part of a table below which a step's products with the other parts would vanish."""

TRACE, ROUNDING = 1e-6, 1e-8
"""A recall next to none, and what of a metric is more than noise even in a thousandth."""

AnyGradient: TypeAlias = Gradient | CellGradient


class SpanError(ValueError):
    """Weights too far apart to be followed by steps."""


def exact_slopes(
    function: Callable[[Counts], Array],
    counts: Counts,
    kinds: Kinds | None = None,
    guess: int | None = None,
    steps: Steps | None = None,
) -> Gradient:
    """The gradient of ``function``, unknown (NaN) for a table where it is infinite.

    ``guess`` is how many reductions it is thought to have, where these are not to be counted;
    ``steps`` are those at the margins of ``counts``, where others are followed there too.
    """
    steps = Steps.at(counts) if steps is None else steps
    part = steps.step / np.where(counts.total > 0, counts.total, 1.0)
    if np.any((part < SPAN) & (counts.total > 0)):
        raise SpanError(
            f"weights must lie within 200 orders of magnitude, got {np.min(part):.0e} of their sum"
        )
    known = reductions(function, counts.undefined) if guess is None else guess
    found = gradient(function, counts, reductions=known, steps=steps, kinds=kinds)
    unknown = steep(function, counts, found.value)
    return replace(found, total=np.where(unknown, np.nan, found.total)) if unknown.any() else found


def stacked(several: Sequence[AnyGradient]) -> AnyGradient:
    """The gradients of several metrics at the same tables, as one stack of them."""
    first = several[0]
    each: Any = {
        name: np.stack([getattr(g, name) for g in several])
        for name in vars(first)
        if name not in ("keys", "k")
    }
    return replace(first, **each)


def steep(function: Callable[[Counts], Array], counts: Counts, value: Array) -> NDArray[np.bool_]:
    """In which tables a trace of hits, in the classes without any, moves the metric too much.

    A thousandth of the trace moves it a thousandth as far, but not where the slope is infinite:
    a geometric mean of recalls moves by a root.
    """
    none = (counts.correct == 0) & (counts.prevalence > 0)
    if not none.any():
        return np.zeros(np.shape(value), bool)
    trace = np.where(none, TRACE * counts.prevalence, 0.0)
    with np.errstate(invalid="ignore"):  # from endless to endless there is no way to measure
        near, nearer = (
            np.abs(function(replace(counts, correct=counts.correct + part * trace)) - value)
            for part in (1, 1e-3)
        )
    return np.asarray((near > ROUNDING * np.maximum(1, np.abs(value))) & (near < 700 * nearer))

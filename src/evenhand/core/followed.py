"""Followed: the slopes of a metric at many tables at once, as :mod:`core.gradient` has them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.core.arrays import Array, floating
from evenhand.core.carried import Carried, plain
from evenhand.core.counts import Counts, column
from evenhand.core.gradient import Gradient, gradient
from evenhand.core.tape import CELLS, MOVES, SCALARS


@dataclass
class _Course:
    """Where classes met in a run: for each time the direction of its result, whether that is one
    number a class, and the slopes that went in, in directions of one number a class."""

    whole: bool
    """Whether all margins are whole numbers, whose differences are exact."""
    met: list[tuple[int, bool, dict[int, Any]]] = field(default_factory=list)
    each: set[int] = field(default_factory=lambda: set(range(len(CELLS))))
    """Directions that are one number a class."""

    def take(
        self, value: Array, x: Carried, through: Callable[[Any], Any], *, vector: bool = False
    ) -> Carried:
        """A result of ``x`` in a direction of its own; those of one number a class end here."""
        at = len(CELLS) + len(SCALARS) + len(self.met)
        ended = {d: s for d, s in x.slopes.items() if d in self.each}
        self.met.append((at, vector, ended))
        slopes = {d: through(s) for d, s in x.slopes.items() if d not in self.each}
        if vector:
            self.each.add(at)
        return Carried(value, {**slopes, at: 1.0})


@dataclass(frozen=True, eq=False)
class _Followed(Counts):
    """Counts that carry their slopes, and whose reductions are taken down."""

    course: _Course = field(kw_only=True)
    wrong: tuple[Carried, Carried] = field(kw_only=True)
    """Misses and alarms."""

    @property
    def misses(self) -> Array:
        return self.wrong[0]

    @property
    def alarms(self) -> Array:
        return self.wrong[1]

    def sum(self, x: Array) -> Array:
        x = self.listed(floating(x))
        found = plain(x).sum(axis=-1)
        if not isinstance(x, Carried):
            return found
        return self.course.take(found, x, lambda s: np.broadcast_to(s, x.shape).sum(axis=-1))

    def largest(self, x: Array) -> Array:
        x = self.listed(x, -np.inf)
        size = np.where(np.isnan(x), -np.inf, plain(x))
        if not isinstance(x, Carried):
            return size.max(axis=-1)
        chosen = np.arange(x.shape[-1]) == size.argmax(axis=-1)[..., None]
        kept = Carried(x.value, {d: np.where(chosen, s, 0.0) for d, s in x.slopes.items()})
        return self.course.take(size.max(axis=-1), kept, lambda s: s.sum(axis=-1))

    def others(self, x: Array, rest: Array = 0) -> Array:
        if not isinstance(x, Carried):
            return super().others(x, rest)
        value, left = x.value, column(plain(rest))
        if self.course.whole:
            found = value.sum(axis=-1, keepdims=True) - value + left
        else:
            found = super().others(value, plain(rest))
        made = self.course.take(
            found, x, lambda s: Counts.others(self, np.broadcast_to(s, x.shape)), vector=True
        )
        return made + Carried(0.0, column(rest).slopes) if isinstance(rest, Carried) else made


def followed(function: Callable[[Counts], Array], counts: Counts) -> Gradient:
    """Value and derivatives of a metric at a stack of tables, by whichever way is quick.

    What the quick way cannot follow is left to complex steps.

    >>> from evenhand.core.metrics.macro import macro_f1
    >>> counts = Counts.from_cells(np.array([[[6, 1, 1], [1, 5, 2], [2, 3, 7]]]))
    >>> followed(macro_f1, counts).dense()[0, 0].round(6)
    array([ 0.011534, -0.025375, -0.023483, -0.013841])
    """
    try:
        return _followed(function, counts)
    except (AttributeError, TypeError):
        return gradient(function, counts)


def _followed(function: Callable[[Counts], Array], counts: Counts) -> Gradient:
    shape = np.shape(counts.bias)
    course = _Course(counts.errors is None)
    given: dict[str, Any] = {
        name: Carried(getattr(counts, name), dict.fromkeys(at, 1.0)) for name, at in MOVES.items()
    }
    for i, name in enumerate(SCALARS, len(CELLS)):
        given[name] = Carried(np.broadcast_to(getattr(counts, name), shape[:-1]), {i: 1.0})
    misses, alarms = np.asarray(counts.misses, float), np.asarray(counts.alarms, float)
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        out = function(
            _Followed(
                **given,
                averaged=counts.averaged,
                undefined=counts.undefined,
                errors=counts.errors,
                ruled=counts.ruled,
                course=course,
                wrong=(Carried(misses, {2: 1.0}), Carried(alarms, {1: 1.0})),
            )
        )
        if out.shape != shape[:-1] or course.each & {*out.slopes}:
            raise TypeError("the function must reduce classes only by c.sum, c.mean or c.largest")
        return _gradient(out, course, counts)


def _gradient(out: Carried, course: _Course, counts: Counts) -> Gradient:
    """The slopes in margins, from those in what classes came to where they met."""
    shape = np.shape(counts.bias)
    slope: dict[int, NDArray[np.float64]] = {d: np.zeros(shape) for d in course.each}
    for at, vector, ended in reversed(course.met):
        if vector:
            answer = Counts.others(counts, slope[at])
        else:
            answer = column(np.broadcast_to(out.slopes.get(at, 0.0), shape[:-1]))
        for d, part in ended.items():
            moved = answer * part
            slope[d] += np.where(answer == 0, 0.0, moved) if not np.all(answer) else moved
    scalars = (out.slopes.get(len(CELLS) + i, 0.0) for i in range(len(SCALARS)))
    each = (np.broadcast_to(x, shape[:-1]) for x in scalars)
    return Gradient(out.value, *(slope[d] for d in range(len(CELLS))), *each)

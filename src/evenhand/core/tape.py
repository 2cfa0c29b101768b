"""Tape: a kernel is run on margins that carry complex steps, and its reductions are taken down."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.core.arrays import Array
from evenhand.core.counts import Counts, column

STEP = 1e-20
"""Size of a complex step beside the least margin: no difference is taken, nothing can cancel."""

HELD = 1 << 18
"""Entries of a margin with its steps up to which it is kept for the next metric."""

CELLS = ("correct", "alarms", "misses")
"""What is stepped for every class at once: its cell, its column and its row beside that."""
MOVES = {"correct": (0,), "bias": (0, 1), "prevalence": (0, 2)}
"""Which of these steps a margin takes part in."""
SCALARS = ("total", "outside")


@dataclass
class _Met:
    """A result in which classes met: a number a table, or a vector of what the others have.

    ``slopes`` has, in every row of steps, what went in; ``row`` is that of the step on it.
    """

    vector: bool
    row: int
    step: NDArray[Any]
    slopes: NDArray[Any]


@dataclass
class Tape:
    """Where classes met in a run; what has no row left to step is only counted."""

    step: Array
    rows: int
    times: NDArray[np.int64] | None = None
    """How many classes each margin stands for, where that is not one."""
    met: list[_Met] = field(default_factory=list)
    steps: list[NDArray[Any]] = field(init=False)
    """The steps made for every class at once."""
    stepped: list[int] = field(init=False)
    """Their rows, in order."""

    def __post_init__(self) -> None:
        self.stepped = list(range(len(CELLS)))
        self.steps = [STEP * column(self.step)] * len(CELLS)

    def take(self, result: Array, x: Array, *, vector: bool = False) -> Array:
        """A result of ``x`` with its own step in; steps made for every class end here."""
        result = np.array(result)
        result.imag[self.stepped] = 0
        row = len(CELLS) + len(SCALARS) + len(self.met)
        size, small = np.abs(result[0].real), np.minimum(self.step, 1)
        known = (size > 0) & np.isfinite(size)
        step = STEP * np.where(known, size, column(small) if vector else small)
        self.met.append(_Met(vector, row, step, np.imag(x)))
        if row < self.rows:
            result[row] += 1j * step
            if vector:
                self.stepped.append(row)
                self.steps.append(step)
        return result

    def margins(self, out: NDArray[Any], counts: Counts) -> list[NDArray[Any]]:
        """The metric's slope in what was stepped for every class, from its values in all rows.

        ``counts`` are those that were run.
        """
        slope = np.zeros((len(self.steps), *out.shape[1:], np.shape(counts.bias)[-1]))
        steps = np.empty_like(slope)
        for i, step in enumerate(self.steps):
            steps[i] = step
        for m in reversed(self.met):
            before = bisect_left(self.stepped, m.row)
            if m.vector:
                answer = self.others(counts, slope[before])
            else:
                answer = column(np.asarray(out[m.row].imag / m.step))
            part = m.slopes[self.stepped[:before]] / steps[:before]
            slope[:before] += np.where(answer == 0, 0.0, answer * part)
        return list(slope[: len(CELLS)])

    def others(self, counts: Counts, x: Array, rest: Array = 0) -> Array:
        """For each class, ``rest`` and what the other classes have of ``x``."""
        if self.times is None:
            return Counts.others(counts, x, rest)
        return Counts.others(counts, self.times * x, rest) + (self.times - 1) * x


class OneOfManyError(Exception):
    """A class was chosen among those of a kind, which are then no longer alike."""


@dataclass(frozen=True, eq=False)
class _Stepped(Counts):
    """Counts whose first axis holds the steps, and whose reductions are taken down."""

    tape: Tape = field(kw_only=True)

    def sum(self, x: Array) -> Array:
        x = np.asarray(self.listed(x))
        times = self.tape.times
        found = (x if times is None else x * times).sum(axis=-1)
        return self.tape.take(found, x) if x.dtype.kind == "c" else found

    def largest(self, x: Array) -> Array:
        x = np.asarray(self.listed(x, -np.inf))
        size = np.where(np.isnan(x), -np.inf, x.real)
        if x.dtype.kind != "c":
            return size.max(axis=-1)
        if self.tape.times is not None:
            raise OneOfManyError
        at = size.argmax(axis=-1)[..., None]
        chosen = np.arange(x.shape[-1]) == at
        imag = np.where(chosen, x.imag, 0.0)
        return self.tape.take(size.max(axis=-1) + 1j * imag.sum(axis=-1), 1j * imag)

    def others(self, x: Array, rest: Array = 0) -> Array:
        found = self.tape.others(self, x, rest)
        return self.tape.take(found, x, vector=True) if x.dtype.kind == "c" else found


@dataclass(eq=False)
class Steps:
    """Margins with steps on them, made once for all metrics that are followed there."""

    counts: Counts
    step: Array
    held: list[NDArray[Any]] = field(default_factory=list)

    @classmethod
    def at(cls, counts: Counts) -> Steps:
        """Steps beside the least of the margins."""
        return cls(counts, least(counts))

    def margins(self, rows: int) -> dict[str, Any]:
        """Every margin in so many rows of steps."""
        made = self.held
        if not made or len(made[0]) < rows:
            made = self._made(rows)
            self.held = made if made[0].size <= HELD else []
        names, cut = (*MOVES, *SCALARS), [x[:rows] for x in made]
        errors = tuple(cut[len(names) :]) or None
        return {**dict(zip(names, cut, strict=False)), "errors": errors}

    def _made(self, rows: int) -> list[NDArray[Any]]:
        counts, shape = self.counts, np.shape(self.counts.total)

        def stepped(x: Array, *at: int, each: bool = True) -> NDArray[Any]:
            x = np.asarray(x, np.float64)
            stack = np.empty((rows, *shape, x.shape[-1]) if each else (rows, *shape), np.complex128)
            stack[...] = x
            for i in at:
                stack[i] += 1j * STEP * (column(self.step) if each else self.step)
            return stack

        made = [stepped(getattr(counts, name), *at) for name, at in MOVES.items()]
        for i, name in enumerate(SCALARS, len(CELLS)):
            made.append(stepped(getattr(counts, name), i, each=False))
        if counts.errors is not None:
            made += [stepped(counts.errors[0], 2), stepped(counts.errors[1], 1)]
        return made


def least(counts: Counts) -> NDArray[np.float64]:
    """The smallest positive margin of each table: a step must be small beside every one."""
    parts = np.stack([counts.correct, counts.misses, counts.alarms]).astype(np.float64, copy=False)
    found = np.where(parts > 0, parts, np.inf).min(axis=(0, -1))
    lost = np.where(counts.outside > 0, counts.outside, np.inf)
    found = np.minimum(found, lost)
    return np.where(np.isfinite(found), found, 1.0)


def run(
    function: Callable[[Counts], Array], counts: Counts, tape: Tape, steps: Steps
) -> NDArray[Any]:
    """Values of ``function`` in every row of steps; ``tape`` takes down where classes met.

    ``counts`` say which classes are averaged, and ``steps`` has their margins.
    """
    shape, rows = np.shape(counts.total), tape.rows
    policy = {name: getattr(counts, name) for name in ("averaged", "undefined", "ruled")}
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        out = function(_Stepped(**steps.margins(rows), **policy, tape=tape))
    out = np.asarray(out, np.complex128)
    if out.shape != (rows, *shape) and out.shape not in ((), (1,)):
        raise ValueError(
            f"the function must give one number a table, got shape {out.shape[1:]} "
            f"where {shape} was due; leading axes are tables, the last one classes"
        )
    return out if out.shape == (rows, *shape) else np.broadcast_to(out, (rows, *shape))

"""The derivative of any metric in any cell, by complex steps through its margins.

A kernel is an elementwise integrand for each class and a few reductions over classes. A complex
step on a whole margin vector at once gives the slope of every integrand, because a class's
integrand sees only its own margins; one step on each reduction's result gives how the metric
answers to it, later reductions included. The chain rule joins the two. What the *other* classes
have of something is one more vector of that kind: a step on it shows how the metric answers to
each of its entries, and a class's slope is then the sum of the others' answers, in which nothing
cancels. All steps are one stack, so a kernel runs once or twice whatever the number of classes.
(The complex step is of Squire & Trapp 1998.)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.core.arrays import Array
from evenhand.core.counts import Counts, column
from evenhand.core.items import Items

STEP = 1e-20
"""Size of a complex step beside the least margin: no difference is taken, nothing can cancel."""

GUESS = 8
"""Reductions that are stepped where nobody has counted them; more make a second run."""

_CELLS = ("correct", "alarms", "misses")
"""What is stepped for every class at once: its cell, its column and its row beside that."""
_MOVES = {"correct": (0,), "bias": (0, 1), "prevalence": (0, 2)}
"""Which of these steps a margin takes part in."""
_SCALARS = ("total", "outside")


@dataclass(frozen=True, eq=False)
class Gradient:
    """A metric's value and its derivatives, for one table or a stack.

    ``correct``, ``alarms`` and ``misses`` are a class's hits, the rest of its column and the rest
    of its row: bias and prevalence move with them.
    """

    value: Array
    correct: Array
    alarms: Array
    misses: Array
    total: Array
    outside: Array

    def at(self, table: Array, true: Array, pred: Array) -> NDArray[np.float64]:
        """Derivative in single cells: table of the stack, true and predicted code (k: outside).

        g[t,t] = ∂/∂correct_t + ∂/∂total, else g[t,p] = ∂/∂misses_t + ∂/∂alarms_p + ∂/∂total: never
        the difference of a hit's slope and an error's, in which a heavy class would cancel.
        """
        k = self.alarms.shape[-1]
        row, column = table * k + true, table * (k + 1) + pred
        columns = np.concatenate([self.alarms, self.outside[..., None]], axis=-1)
        wrong = self.misses.reshape(-1)[row] + columns.reshape(-1)[column]
        cell = np.where(true == pred, self.correct.reshape(-1)[row], wrong)
        return np.asarray(cell + np.asarray(self.total).reshape(-1)[table])

    def dense(self) -> NDArray[np.float64]:
        """Derivatives in all cells, shape (…, k, k + 1) with the outside column last."""
        k = self.alarms.shape[-1]
        true, pred = np.indices((k, k + 1))
        tables = np.arange(int(np.prod(np.shape(self.total))))[:, None, None]
        return self.at(tables, true, pred).reshape(*np.shape(self.total), k, k + 1)


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
class _Tape:
    """Where classes met in a run; what has no row left to step is only counted."""

    step: Array
    rows: int
    met: list[_Met] = field(default_factory=list)
    steps: dict[int, NDArray[Any]] = field(init=False)
    """By row, the steps made for every class at once."""

    def __post_init__(self) -> None:
        self.steps = dict.fromkeys(range(len(_CELLS)), STEP * column(self.step))

    def take(self, result: Array, x: Array, *, vector: bool = False) -> Array:
        """A result of ``x`` with its own step in; steps made for every class end here."""
        result = np.array(result)
        ended = list(self.steps)
        result[ended] = result[ended].real
        row = len(_CELLS) + len(_SCALARS) + len(self.met)
        size, small = np.abs(result[0].real), np.minimum(self.step, 1)
        known = (size > 0) & np.isfinite(size)
        step = STEP * np.where(known, size, column(small) if vector else small)
        self.met.append(_Met(vector, row, step, np.imag(x)))
        if row < self.rows:
            result[row] += 1j * step
            if vector:
                self.steps[row] = step
        return result

    def margins(self, out: NDArray[Any], counts: Counts) -> list[NDArray[Any]]:
        """The metric's slope in what was stepped for every class, from its values in all rows."""
        steps = self.steps
        shape = np.shape(counts.bias)
        slope = {row: np.zeros((*out.shape[1:], shape[-1])) for row in steps}
        for m in reversed(self.met):
            if m.vector:
                answer = counts.others(slope[m.row])
            else:
                answer = column(np.asarray(out[m.row].imag / m.step))
            for row in (r for r in steps if r < m.row):
                part = m.slopes[row] / steps[row]
                slope[row] += np.where(answer == 0, 0.0, answer * part)
        return [slope[i] for i in range(len(_CELLS))]


@dataclass(frozen=True, eq=False)
class Kinds:
    """Classes with the same margins are of one kind: a class of each, and the kind of each class.

    What a metric does with a class depends on its margins alone, so it need not be done twice.
    """

    first: NDArray[np.int64]
    kind: NDArray[np.int64]

    @classmethod
    def of(cls, counts: Counts) -> Kinds | None:
        """The kinds of one table's classes, if they are few."""
        if np.ndim(counts.total) or counts.errors is not None:
            return None
        margins = counts.correct, counts.bias, counts.prevalence
        order = np.lexsort(margins)
        new = np.zeros(len(order), bool)
        new[0] = True
        for x in margins:
            new[1:] |= x[order[1:]] != x[order[:-1]]
        kind = np.empty(len(order), np.int64)
        kind[order] = np.cumsum(new) - 1
        first = order[new]
        return cls(first, kind) if 4 * len(first) < 3 * len(order) else None

    def cut(self, counts: Counts) -> tuple[Counts, Kinds]:
        """The margins of each kind; where not all are averaged, a kind is twice there."""
        kinds, averaged = self, counts.averaged
        if averaged is not None and not averaged.all():
            m = len(self.first)
            kinds = Kinds(np.tile(self.first, 2), self.kind + m * averaged)
            averaged = np.arange(2 * m) >= m
        elif averaged is not None:
            averaged = averaged[self.first]
        margins = {n: getattr(counts, n)[kinds.first] for n in _MOVES}
        return replace(counts, averaged=averaged, **margins), kinds


@dataclass(frozen=True, eq=False)
class _Stepped(Counts):
    """Counts whose first axis holds the steps, and whose reductions are taken down."""

    tape: _Tape | None = None
    kinds: Kinds | None = None

    def _all(self, x: Array) -> Array:
        """What every class has of something, where ``x`` has it of every kind."""
        return x if self.kinds is None else x.T[self.kinds.kind].T

    def sum(self, x: Array) -> Array:
        x = self._all(np.asarray(self.listed(x)))
        if x.dtype.kind != "c" or self.tape is None:
            return x.sum(axis=-1)
        return self.tape.take(x.sum(axis=-1), x)

    def largest(self, x: Array) -> Array:
        x = self._all(np.asarray(self.listed(x, -np.inf)))
        size = np.where(np.isnan(x), -np.inf, x.real)
        if x.dtype.kind != "c" or self.tape is None:
            return size.max(axis=-1)
        at = size.argmax(axis=-1)[..., None]
        chosen = np.arange(x.shape[-1]) == at
        imag = np.where(chosen, x.imag, 0.0)
        return self.tape.take(size.max(axis=-1) + 1j * imag.sum(axis=-1), 1j * imag)

    def others(self, x: Array, rest: Array = 0) -> Array:
        x = self._all(x)
        found = super().others(x, rest)
        if x.dtype.kind == "c" and self.tape is not None:
            found = self.tape.take(found, x, vector=True)
        return found if self.kinds is None else found.T[self.kinds.first].T


def gradient(
    function: Callable[[Counts], Array],
    counts: Counts,
    *,
    reductions: int = GUESS,
    step: NDArray[np.float64] | None = None,
    kinds: Kinds | None = None,
) -> Gradient:
    """Value and derivatives of ``function`` at ``counts``, which may be a stack.

    ``reductions`` is how many it is thought to have, ``step`` what :func:`least` gives; ``kinds``
    of the classes, where they are known, spare work.

    >>> from evenhand.core.metrics.macro import macro_f1
    >>> found = gradient(macro_f1, Counts.from_cells(np.array([[6, 1, 1], [1, 5, 2], [2, 3, 7]])))
    >>> found.dense()[0].round(6)  # 2(1 − F)/(k·s) on the diagonal, s = bias + prevalence
    array([ 0.011534, -0.025375, -0.023483, -0.013841])
    """
    n = len(_CELLS)
    step = least(counts) if step is None else step
    fixed = n + len(_SCALARS)
    out, tape = _run(function, counts, _Tape(step, fixed + reductions), kinds)
    if len(tape.met) > reductions:
        out, tape = _run(function, counts, _Tape(step, fixed + len(tape.met)), kinds)
    value = out[0].real
    if np.any((out[list(tape.steps)].imag != 0) & ~np.isnan(value)):
        raise ValueError(
            "the function must reduce classes only by c.sum, c.mean or c.largest: "
            "a sum or mean of its own cannot be differentiated"
        )
    scalars = [out[n + i].imag / (STEP * step) for i in range(len(_SCALARS))]
    return Gradient(value, *tape.margins(out, counts), *scalars)


@lru_cache(maxsize=256)
def reductions(function: Callable[[Counts], Array], undefined: float) -> int:
    """How often ``function`` reduces classes, as counted on a table of one class."""
    one, two = np.ones(1), np.full(1, 2.0)
    counts = Counts(one, two, two, np.asarray(3.0), np.asarray(0.0), undefined=undefined)
    return len(_run(function, counts, _Tape(least(counts), len(_CELLS) + len(_SCALARS)))[1].met)


def least(counts: Counts) -> NDArray[np.float64]:
    """The smallest positive margin of each table: a step must be small beside every one."""
    lost = column(counts.outside + 0 * counts.total)  # an array, where it may be a bare 0
    parts = [counts.correct, counts.misses, counts.alarms, lost]
    each = [np.where(x > 0, x, np.inf).min(axis=-1) for x in (np.asarray(p, float) for p in parts)]
    found = np.minimum.reduce(each)
    return np.where(np.isfinite(found), found, 1.0)


def _run(
    function: Callable[[Counts], Array], counts: Counts, tape: _Tape, kinds: Kinds | None = None
) -> tuple[NDArray[Any], _Tape]:
    shape, rows = np.shape(counts.total), tape.rows
    if kinds is not None:
        counts, kinds = kinds.cut(counts)

    def stepped(x: Array, *at: int, each: bool = True) -> NDArray[Any]:
        x = np.asarray(x, np.float64)
        wanted = (*shape, x.shape[-1]) if each else shape
        stack = np.array(np.broadcast_to(x, (rows, *wanted)), np.complex128)
        for i in at:
            stack[i] += 1j * STEP * (column(tape.step) if each else tape.step)
        return stack

    given = {name: stepped(getattr(counts, name), *at) for name, at in _MOVES.items()}
    for i, name in enumerate(_SCALARS, len(_CELLS)):
        given[name] = stepped(getattr(counts, name), i, each=False)
    errors = counts.errors and (stepped(counts.errors[0], 2), stepped(counts.errors[1], 1))
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        out = function(
            _Stepped(
                **given,
                averaged=counts.averaged,
                undefined=counts.undefined,
                errors=errors,
                ruled=counts.ruled,
                tape=tape,
                kinds=kinds,
            )
        )
    out = np.asarray(out, np.complex128)
    if out.shape != (rows, *shape) and out.shape not in ((), (1,)):
        raise ValueError(
            f"the function must give one number a table, got shape {out.shape[1:]} "
            f"where {shape} was due; leading axes are tables, the last one classes"
        )
    return out if out.shape == (rows, *shape) else np.broadcast_to(out, (rows, *shape)), tape


def elementwise(function: Callable[[Counts], Array], counts: Counts) -> list[NDArray[Any]]:
    """Derivatives of one value a class in that class's correct, bias and prevalence."""
    step = least(counts)
    rows = len(_MOVES)
    stepped: dict[str, Any] = {}
    for i, name in enumerate(_MOVES):
        stack = np.array(
            np.broadcast_to(getattr(counts, name), (rows, *np.shape(counts.bias))), np.complex128
        )
        stack[i] += 1j * STEP * step[..., None]
        stepped[name] = stack
    with np.errstate(invalid="ignore", divide="ignore"):
        out = function(Counts(**stepped, total=counts.total, undefined=counts.undefined))
    return [np.imag(out[i]) / (STEP * step[..., None]) for i in range(rows)]


@dataclass(frozen=True, eq=False)
class _SteppedItems(Items):
    """Items whose means are taken down: the mean of each call, and what each item has."""

    found: list[tuple[Array, Array]] = field(default_factory=list)
    stepped: int = -1

    def mean(self, x: Array) -> Array:
        result = super().mean(x)
        share = self.weight if not np.isnan(self.undefined) else self.weight * ~np.isnan(x)
        pull = np.where(share > 0, np.nan_to_num(x) - result, 0.0) / np.sum(share)
        self.found.append((result, pull * (share > 0)))
        return result + 1j * STEP if self.stepped == len(self.found) - 1 else result


def item_influence(function: Callable[[Items], Array], items: Items) -> NDArray[np.float64]:
    """How the metric answers to one more unit of each item's weight."""
    plain = _SteppedItems(**vars(items))
    function(plain)
    whole = np.zeros(len(items.weight))
    for j, (_, pull) in enumerate(plain.found):
        stepped = _SteppedItems(**vars(items), stepped=j)
        whole += np.imag(function(stepped)) / STEP * pull
    return whole

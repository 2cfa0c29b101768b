"""Derivatives of metrics by margins, by cells and by items."""

from __future__ import annotations

import sys
from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np
from numpy import exp, expm1, isdtype, isfinite, isnan, log, log1p, sqrt
from numpy.lib.mixins import NDArrayOperatorsMixin
from numpy.typing import NDArray

from evenhand.core.arrays import Array, floating
from evenhand.core.contingency import MARGINS, Contingency, by_group
from evenhand.core.kernel import ItemArrays
from evenhand.core.margins import Counts, column
from evenhand.core.ratio import ratio


@dataclass(frozen=True, eq=False)
class Kinds:
    """Classes with the same margins, which a metric treats alike: computed once, counted often.

    ``first`` has a class of each kind, ``kind`` the kind of each class.
    """

    first: NDArray[np.int64]
    kind: NDArray[np.int64]

    @classmethod
    def of(cls, counts: Counts) -> Kinds | None:
        """The kinds of one table's classes; ``None`` if there are nearly as many as classes."""
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

    @property
    def times(self) -> NDArray[np.int64]:
        """How many classes are of each kind."""
        return np.bincount(self.kind, minlength=len(self.first))

    def cut(self, counts: Counts) -> tuple[Counts, Kinds]:
        """The margins of each kind; one of which only some classes are averaged becomes two."""
        kinds, averaged = self, counts.averaged
        if averaged is not None and not averaged.all():
            twice = 2 * self.kind + averaged
            there = np.bincount(twice, minlength=2 * len(self.first)) > 0
            kind = (np.cumsum(there) - 1)[twice]
            first = np.empty(np.count_nonzero(there), np.int64)
            first[kind] = np.arange(len(kind))
            kinds = Kinds(first, kind)
        margins = {n: getattr(counts, n)[kinds.first] for n in ("correct", "bias", "prevalence")}
        mask = None if averaged is None else averaged[kinds.first]
        return replace(counts, averaged=mask, **margins), kinds


# Complex steps on margins: f(x + ih) = f(x) + ih·f′(x), and a tape of where classes are reduced

STEP = 1e-20
"""Size of a complex step, as a part of the smallest margin."""

CACHED = 1 << 18
"""Margins with steps of up to this many entries are cached for the next metric."""

CELLS = ("correct", "false_positives", "false_negatives")
"""What is stepped for every class at once: its hits, false positives and false negatives."""
MOVES = {"correct": (0,), "bias": (0, 1), "prevalence": (0, 2)}
"""The steps that move a margin."""
SCALARS = ("total", "outside")


@dataclass
class _Reduction:
    """A reduction over classes: to a number a table, or to the sum of the others for each class.

    ``slopes`` are those of its terms in every row of steps; ``row`` is that of its own step.
    """

    vector: bool
    row: int
    step: NDArray[Any]
    slopes: NDArray[Any]


@dataclass
class Tape:
    """The reductions of one evaluation; those that have no row left are only counted."""

    step: Array
    rows: int
    times: NDArray[np.int64] | None = None
    """How many classes each margin stands for, where that is not one."""
    reductions: list[_Reduction] = field(default_factory=list)
    steps: list[NDArray[Any]] = field(init=False)
    """The steps on every class at once."""
    stepped: list[int] = field(init=False)
    """Their rows, in order."""

    def __post_init__(self) -> None:
        self.stepped = list(range(len(CELLS)))
        self.steps = [STEP * column(self.step)] * len(CELLS)

    def take(self, result: Array, x: Array, *, vector: bool = False) -> Array:
        """A reduction of ``x`` with a step of its own; steps on every class end here."""
        result = np.array(result)
        result.imag[self.stepped] = 0
        row = len(CELLS) + len(SCALARS) + len(self.reductions)
        size, small = np.abs(result[0].real), np.minimum(self.step, 1)
        known = (size > 0) & np.isfinite(size)
        step = STEP * np.where(known, size, column(small) if vector else small)
        self.reductions.append(_Reduction(vector, row, step, np.imag(x)))
        if row < self.rows:
            result[row] += 1j * step
            if vector:
                self.stepped.append(row)
                self.steps.append(step)
        return result

    def margins(self, out: NDArray[Any], counts: Counts) -> list[NDArray[Any]]:
        """Derivatives in what was stepped for every class, from the values ``out`` of all rows."""
        slope = np.zeros((len(self.steps), *out.shape[1:], np.shape(counts.bias)[-1]))
        steps = np.empty_like(slope)
        for i, step in enumerate(self.steps):
            steps[i] = step
        for r in reversed(self.reductions):
            before = bisect_left(self.stepped, r.row)
            if r.vector:
                outer = self.leave_one_out_sum(counts, slope[before])
            else:
                outer = column(np.asarray(out[r.row].imag / r.step))
            inner = r.slopes[self.stepped[:before]] / steps[:before]
            slope[:before] += np.where(outer == 0, 0.0, outer * inner)
        return list(slope[: len(CELLS)])

    def leave_one_out_sum(self, counts: Counts, x: Array, rest: Array = 0) -> Array:
        """For each class, ``rest`` and the sum of ``x`` over the other classes."""
        if self.times is None:
            return Counts.leave_one_out_sum(counts, x, rest)
        return Counts.leave_one_out_sum(counts, self.times * x, rest) + (self.times - 1) * x


class OneOfManyError(Exception):
    """A reduction chose one class among those of a kind, which then differ."""


@dataclass(frozen=True, eq=False)
class _SteppedCounts(Counts):
    """Counts whose first axis holds the steps, and whose reductions are put on a tape."""

    tape: Tape = field(kw_only=True)

    def sum(self, x: Array) -> Array:
        x = np.asarray(self.listed(x))
        times = self.tape.times
        total = (x if times is None else x * times).sum(axis=-1)
        return self.tape.take(total, x) if x.dtype.kind == "c" else total

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

    def leave_one_out_sum(self, x: Array, rest: Array = 0) -> Array:
        sums = self.tape.leave_one_out_sum(self, x, rest)
        return self.tape.take(sums, x, vector=True) if x.dtype.kind == "c" else sums


@dataclass(eq=False)
class Steps:
    """Margins with complex steps, shared by all metrics that are differentiated there."""

    counts: Counts
    step: Array
    cached: list[NDArray[Any]] = field(default_factory=list)

    @classmethod
    def at(cls, counts: Counts) -> Steps:
        """Steps that are small compared with the smallest margin."""
        return cls(counts, smallest_margin(counts))

    def margins(self, rows: int) -> dict[str, Any]:
        """Every margin in so many rows of steps."""
        arrays = self.cached
        if not arrays or len(arrays[0]) < rows:
            arrays = self._stepped(rows)
            self.cached = arrays if arrays[0].size <= CACHED else []
        *margins, total, outside = (x[:rows] for x in arrays[:5])
        errors = tuple(x[:rows] for x in arrays[5:]) or None
        named = dict(zip(MOVES, margins, strict=True))
        return {**named, "total": total, "outside": outside, "errors": errors}

    def _stepped(self, rows: int) -> list[NDArray[Any]]:
        counts, shape = self.counts, np.shape(self.counts.total)

        def stepped(x: Array, *at: int, each: bool = True) -> NDArray[Any]:
            x = np.asarray(x, np.float64)
            stack = np.empty((rows, *shape, x.shape[-1]) if each else (rows, *shape), np.complex128)
            stack[...] = x
            for i in at:
                stack[i] += 1j * STEP * (column(self.step) if each else self.step)
            return stack

        arrays = [stepped(getattr(counts, name), *at) for name, at in MOVES.items()]
        for i, name in enumerate(SCALARS, len(CELLS)):
            arrays.append(stepped(getattr(counts, name), i, each=False))
        if counts.errors is not None:
            arrays += [stepped(counts.errors[0], 2), stepped(counts.errors[1], 1)]
        return arrays


def smallest_margin(counts: Counts) -> NDArray[np.float64]:
    """The smallest positive count of each table: a step must be small compared with it."""
    parts = np.stack([counts.correct, counts.false_negatives, counts.false_positives]).astype(
        np.float64, copy=False
    )
    outside = np.where(counts.outside > 0, counts.outside, np.inf)
    smallest = np.minimum(np.where(parts > 0, parts, np.inf).min(axis=(0, -1)), outside)
    return np.where(np.isfinite(smallest), smallest, 1.0)


def _run(
    function: Callable[[Counts], Array], counts: Counts, tape: Tape, steps: Steps
) -> NDArray[Any]:
    """Values of ``function`` in every row of steps, with its reductions on the ``tape``.

    ``counts`` say which classes are averaged, and ``steps`` has their margins.
    """
    shape, rows = np.shape(counts.total), tape.rows
    policy = {name: getattr(counts, name) for name in ("averaged", "undefined", "ruled")}
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        out = function(_SteppedCounts(**steps.margins(rows), **policy, tape=tape))
    out = np.asarray(out, np.complex128)
    if out.shape != (rows, *shape) and out.shape not in ((), (1,)):
        raise ValueError(
            f"the function must give one number a table, got shape {out.shape[1:]} "
            f"where {shape} was due; leading axes are tables, the last one classes"
        )
    return out if out.shape == (rows, *shape) else np.broadcast_to(out, (rows, *shape))


# Complex steps on cells

STEPPED = ("amount", *MARGINS)
RANKS = len(STEPPED), len(STEPPED) + 1
STEPS = len(STEPPED) + 2
"""What is stepped: amounts and margins of cells, then the ranks of true and predicted class."""
SUMS = 12
"""Sums over cells that are stepped at first; more make a second run."""


@dataclass(frozen=True, eq=False)
class CellGradient:
    """A metric's value and its derivatives in every cell, for one table or a stack.

    ``cells`` has tables × k × (k + 1), or one entry for each cell that ``keys`` names.
    """

    value: Array
    total: Array
    cells: Array
    keys: Array | None = None
    k: int = 0

    def at(self, table: Array, true: Array, pred: Array) -> NDArray[np.float64]:
        """Derivative in single cells: table of the stack, true and predicted code (k: outside)."""
        key = (table * self.k + true) * (self.k + 1) + pred
        if self.keys is not None:
            key = np.searchsorted(self.keys, key)
        slopes = self.cells.reshape(-1)[key]
        return np.asarray(slopes + np.asarray(self.total).reshape(-1)[table])

    def dense(self) -> NDArray[np.float64]:
        """Derivatives in all cells, shape (…, k, k + 1) with the outside column last."""
        shape = (*np.shape(self.total), self.k, self.k + 1)
        return np.asarray(self.cells.reshape(shape) + np.asarray(self.total)[..., None, None])


@dataclass(frozen=True, eq=False)
class _SteppedCells(Contingency):
    """Cells whose first axis holds the steps, and whose sums are recorded: step and slopes."""

    sums: list[tuple[Array, Array]] = field(default_factory=list)
    step: Array = 0.0
    plain: Contingency | None = None

    def around(self) -> tuple[Array, Array, Array]:
        """The plain sums, with the steps of the margins that they are differences of."""
        assert self.plain is not None
        row, column = self.true_prevalence - self.amount, self.pred_bias - self.amount
        steps = row, column, self.each(self.total) - self.true_prevalence - column
        first, second, third = (
            x + 1j * np.imag(s) for x, s in zip(self.plain.around(), steps, strict=True)
        )
        return first, second, third

    def ranks(self) -> tuple[Array, Array]:
        """Ranks with steps of their own; :func:`_to_cells` knows how margins move them."""
        assert self.plain is not None
        ranks = []
        for row, x in zip(RANKS, self.plain.ranks(), strict=True):
            steps = np.array(np.broadcast_to(x, np.shape(self.amount)), np.complex128)
            steps[row] += 1j * self.step
            ranks.append(steps)
        return ranks[0], ranks[1]

    def sum(self, x: Array) -> Array:
        total = np.array(super().sum(x))
        if total.dtype.kind != "c":
            return total
        n, row = STEPS, STEPS + 1 + len(self.sums)
        total[:n] = total[:n].real  # steps on every cell at once end here
        size = np.abs(total[0].real)
        step = STEP * np.where((size > 0) & np.isfinite(size), size, 1.0)
        if row < len(total):
            total[row] += 1j * step
        self.sums.append((step, np.imag(x[:n])))
        return total


def cell_gradient(
    function: Callable[[Contingency], Array], c: Contingency, sums: int = SUMS
) -> CellGradient:
    """Value and derivatives of a metric of cells; ``sums`` is a guess how many it has.

    >>> from evenhand.core.metrics.information import mutual_information
    >>> c = Contingency.from_cells(np.array([[4, 1], [2, 3]]))
    >>> cell_gradient(mutual_information, c).dense()[0].round(4)
    array([ 0.0291, -0.1125, -0.0125])
    """
    n, shape = STEPS, np.shape(c.total)
    rows = n + 1 + sums
    amounts = np.where(c.amount > 0, c.amount, np.inf)
    if c.table is None:
        small = amounts.min(axis=-1)
    else:
        small = np.full(c.seen.size, np.inf)
        np.minimum.at(small, c.table, amounts)
        small = small.reshape(c.seen.shape)
    small = np.where(np.isfinite(small), small, 1.0)
    step = STEP * c.each(small)

    def stack(x: Array) -> NDArray[np.complex128]:
        return np.array(np.broadcast_to(x, (rows, *np.shape(x))), np.complex128)

    stepped = {name: stack(getattr(c, name)) for name in STEPPED}
    for i, name in enumerate(STEPPED):
        stepped[name][i] += 1j * step
    total = stack(c.total)
    total[n] += 1j * STEP * small
    cells = _SteppedCells(**{**vars(c), **stepped, "total": total}, step=step, plain=c)
    with np.errstate(all="ignore"):
        out = np.broadcast_to(np.asarray(function(cells), np.complex128), (rows, *shape))
        if len(cells.sums) > sums:
            return cell_gradient(function, c, len(cells.sums))
        slopes = [np.zeros(np.shape(c.amount)) for _ in range(n)]
        for row, (size, inner) in enumerate(cells.sums, n + 1):
            outer = c.each(np.asarray(out[row].imag / size))
            for i in range(n):
                slopes[i] += np.where(inner[i] == 0, 0.0, outer * inner[i] / step)
        total_slope = out[n].imag / (STEP * small)
    return _to_cells(c, np.asarray(out[0].real), total_slope, slopes)


def _to_cells(c: Contingency, value: Array, total: Array, slopes: list[Array]) -> CellGradient:
    """The slope in a cell: its own, and those of its margins in all cells that have these."""
    amount, *seen, true_rank, pred_rank = slopes
    home, tables = (0, 1) if c.table is None else (c.table * (c.k + 1), c.seen.size)
    own, other, size = home + c.true, home + c.pred, tables * (c.k + 1)
    rows, columns, hits = (
        by_group(seen[i], own, size) + by_group(seen[i + 1], other, size) for i in (0, 2, 4)
    )
    ranked = by_group(true_rank, own, size) + by_group(pred_rank, other, size)
    if ranked.any():
        parts = ranked.reshape(*ranked.shape[:-1], tables, c.k + 1)
        above = np.flip(np.cumsum(np.flip(parts, axis=-1), axis=-1), axis=-1) - parts / 2
        rows, columns = (x + above.reshape(x.shape) for x in (rows, columns))
    cells = amount + rows[..., own] + columns[..., other] + np.where(c.hit, hits[..., own], 0.0)
    keys = None if c.table is None else (c.table * c.k + c.true) * (c.k + 1) + c.pred
    return CellGradient(value, total, cells, keys, c.k)


# The gradient of a metric of margins

GUESS = 8
"""Reductions that have a row where they were not counted; more make a second run."""


@dataclass(frozen=True, eq=False)
class Gradient:
    """A metric's value and its derivatives, for one table or a stack.

    ``correct``, ``false_positives`` and ``false_negatives`` are derivatives in these numbers of a
    class, with which bias and prevalence move.
    """

    value: Array
    correct: Array
    false_positives: Array
    false_negatives: Array
    total: Array
    outside: Array

    def at(self, table: Array, true: Array, pred: Array) -> NDArray[np.float64]:
        """Derivative in single cells: table of the stack, true and predicted code (k: outside).

        g[t,t] = ∂/∂correct_t + ∂/∂total, else g[t,p] = ∂/∂fn_t + ∂/∂fp_p + ∂/∂total: never
        the difference of a hit's slope and an error's, in which a heavy class would cancel.
        """
        k = self.false_positives.shape[-1]
        row, column = table * k + true, table * (k + 1) + pred
        columns = np.concatenate([self.false_positives, self.outside[..., None]], axis=-1)
        wrong = self.false_negatives.reshape(-1)[row] + columns.reshape(-1)[column]
        cell = np.where(true == pred, self.correct.reshape(-1)[row], wrong)
        return np.asarray(cell + np.asarray(self.total).reshape(-1)[table])

    def dense(self) -> NDArray[np.float64]:
        """Derivatives in all cells, shape (…, k, k + 1) with the outside column last."""
        k = self.false_positives.shape[-1]
        true, pred = np.indices((k, k + 1))
        tables = np.arange(int(np.prod(np.shape(self.total))))[:, None, None]
        return self.at(tables, true, pred).reshape(*np.shape(self.total), k, k + 1)


def gradient(
    function: Callable[[Counts], Array],
    counts: Counts,
    *,
    reductions: int = GUESS,
    steps: Steps | None = None,
    kinds: Kinds | None = None,
) -> Gradient:
    """Value and derivatives of ``function`` at ``counts``, which may be a stack.

    ``reductions`` is a guess how many it has; known ``steps`` and ``kinds`` save work.

    >>> from evenhand.core.metrics.macro import macro_f1
    >>> slopes = gradient(macro_f1, Counts.from_cells(np.array([[6, 1, 1], [1, 5, 2], [2, 3, 7]])))
    >>> slopes.dense()[0].round(6)  # 2(1 − F)/(k·s) on the diagonal, s = bias + prevalence
    array([ 0.011534, -0.025375, -0.023483, -0.013841])
    """
    steps = Steps.at(counts) if steps is None else steps
    if kinds is not None:
        try:
            cut, each = kinds.cut(counts)
            by_kind = _traced(function, cut, reductions, Steps(cut, steps.step), each.times)
            slopes = {name: getattr(by_kind, name)[..., each.kind] for name in CELLS}
            return replace(by_kind, **slopes)
        except OneOfManyError:
            pass
    return _traced(function, counts, reductions, steps)


def _traced(
    function: Callable[[Counts], Array],
    counts: Counts,
    reductions: int,
    steps: Steps,
    times: NDArray[np.int64] | None = None,
) -> Gradient:
    n = len(CELLS)
    tape = Tape(steps.step, n + len(SCALARS) + reductions, times)
    out = _run(function, counts, tape, steps)
    if len(tape.reductions) > reductions:
        return _traced(function, counts, len(tape.reductions), steps, times)
    value = out[0].real
    if np.any((out[tape.stepped].imag != 0) & np.isfinite(value)):
        raise ValueError(
            "the function must reduce classes only by c.sum, c.mean or c.largest: "
            "a sum or mean of its own cannot be differentiated"
        )
    scalars = [out[n + i].imag / (STEP * steps.step) for i in range(len(SCALARS))]
    return Gradient(value, *tape.margins(out, counts), *scalars)


@lru_cache(maxsize=256)
def reductions(function: Callable[[Counts], Array], undefined: float) -> int:
    """How often ``function`` reduces classes, as counted on a table of one class."""
    one, two = np.ones(1), np.full(1, 2.0)
    counts = Counts(one, two, two, np.asarray(3.0), np.asarray(0.0), undefined=undefined)
    steps = Steps.at(counts)
    tape = Tape(steps.step, len(CELLS) + len(SCALARS))
    _run(function, counts, tape, steps)
    return len(tape.reductions)


def elementwise(function: Callable[[Counts], Array], counts: Counts) -> list[NDArray[Any]]:
    """Derivatives of one value a class in that class's correct, bias and prevalence."""
    step = smallest_margin(counts)
    rows = len(MOVES)
    stepped: dict[str, Any] = {}
    for i, name in enumerate(MOVES):
        stack = np.array(
            np.broadcast_to(getattr(counts, name), (rows, *np.shape(counts.bias))), np.complex128
        )
        stack[i] += 1j * STEP * step[..., None]
        stepped[name] = stack
    with np.errstate(invalid="ignore", divide="ignore"):
        out = function(Counts(**stepped, total=counts.total, undefined=counts.undefined))
    return [np.imag(out[i]) / (STEP * step[..., None]) for i in range(rows)]


# Where a metric has no gradient

SPAN = 1e-200
"""Part of a table below which the products of a step would underflow."""
TRACE, ROUNDING = 1e-6, 1e-8
"""A small recall to try, and the least change of a metric that is no rounding."""

AnyGradient: TypeAlias = Gradient | CellGradient


class SpanError(ValueError):
    """Weights too far apart for complex steps."""


def exact_slopes(
    function: Callable[[Counts], Array],
    counts: Counts,
    kinds: Kinds | None = None,
    guess: int | None = None,
    steps: Steps | None = None,
) -> Gradient:
    """The gradient of ``function``, unknown (NaN) for a table where it is infinite.

    ``guess`` is a number of reductions, where these are not to be counted; known ``steps`` and
    ``kinds`` save work.
    """
    steps = Steps.at(counts) if steps is None else steps
    part = steps.step / np.where(counts.total > 0, counts.total, 1.0)
    if np.any((part < SPAN) & (counts.total > 0)):
        raise SpanError(
            f"weights must lie within 200 orders of magnitude, got {np.min(part):.0e} of their sum"
        )
    known = reductions(function, counts.undefined) if guess is None else guess
    slopes = gradient(function, counts, reductions=known, steps=steps, kinds=kinds)
    unknown = nondifferentiable(function, counts, slopes.value)
    return (
        replace(slopes, total=np.where(unknown, np.nan, slopes.total)) if unknown.any() else slopes
    )


def stacked(several: Sequence[AnyGradient]) -> AnyGradient:
    """The gradients of several metrics at the same tables, as one stack of them."""
    names = vars(several[0]).keys() - {"keys", "k"}
    stacks: Any = {name: np.stack([getattr(g, name) for g in several]) for name in names}
    return replace(several[0], **stacks)


def nondifferentiable(
    function: Callable[[Counts], Array], counts: Counts, value: Array
) -> NDArray[np.bool_]:
    """The tables where a few hits in the classes without any move the metric infinitely fast.

    A thousandth as many move it a thousandth as far where it has a slope; a geometric mean of
    recalls moves by a root.
    """
    none = (counts.correct == 0) & (counts.prevalence > 0)
    if not none.any():
        return np.zeros(np.shape(value), bool)
    trace = np.where(none, TRACE * counts.prevalence, 0.0)
    with np.errstate(invalid="ignore"):  # ∞ − ∞ is no number
        near, nearer = (
            np.abs(function(replace(counts, correct=counts.correct + part * trace)) - value)
            for part in (1, 1e-3)
        )
    return np.asarray((near > ROUNDING * np.maximum(1, np.abs(value))) & (near < 700 * nearer))


# Influence of items


@dataclass(frozen=True, eq=False)
class _SteppedItems(ItemArrays):
    """Items that record the influence of every item on each mean, and step one of the means."""

    influences: list[Array] = field(default_factory=list)
    stepped: int = -1

    def mean(self, x: Array) -> Array:
        result = super().mean(x)
        share = self.weight if not np.isnan(self.undefined) else self.weight * ~np.isnan(x)
        influence = ratio(np.where(share > 0, np.nan_to_num(x) - result, 0.0), np.sum(share))
        self.influences.append(influence * (share > 0))
        return result + 1j * STEP if self.stepped == len(self.influences) - 1 else result


def item_influence(
    function: Callable[[ItemArrays], Array], items: ItemArrays
) -> NDArray[np.float64]:
    """The derivative of the metric in the weight of each item."""
    plain = _SteppedItems(**vars(items))
    function(plain)
    influence = np.zeros(len(items.weight))
    for j, of_mean in enumerate(plain.influences):
        stepped = _SteppedItems(**vars(items), stepped=j)
        influence += np.imag(function(stepped)) / STEP * of_mean
    return influence


# Dual numbers: arrays with derivatives, as an array library for metrics to run on

__all__ = [
    "DualArray", "exp", "expm1", "isdtype", "isfinite", "isnan", "log", "log1p", "max", "ones_like",
    "plain", "real", "sqrt", "where", "zeros_like",
]  # fmt: skip

Floats = NDArray[Any]
Slopes = Mapping[int, Any]

_COMPARISONS = {
    np.equal, np.not_equal, np.less, np.less_equal, np.greater, np.greater_equal, np.isnan,
    np.isfinite,
}  # fmt: skip
"""Functions of the values alone."""

_DERIVATIVES: dict[Any, Callable[[Floats, Floats], Floats]] = {
    np.sqrt: lambda x, y: 0.5 / y,
    np.log: lambda x, y: 1 / x,
    np.log1p: lambda x, y: 1 / (1 + x),
    np.exp: lambda x, y: y,
    np.expm1: lambda x, y: y + 1,
    np.square: lambda x, y: 2 * x,
}
"""The derivative of y = f(x), from x and y."""


class DualArray(NDArrayOperatorsMixin):
    """An array with its derivatives by direction; those that are missing are 0.

    >>> x = DualArray(np.array([2.0, 3.0]), {0: 1.0})
    >>> (x * x / 2).slopes[0]
    array([2., 3.])
    """

    dtype = np.dtype(np.complex128)  # so that comparisons are of the real part

    def __init__(self, value: Any, slopes: Slopes) -> None:
        self.value: Floats = np.asarray(value, np.float64)
        self.slopes = slopes

    def __array_namespace__(self, api_version: str | None = None) -> Any:
        return sys.modules[__name__]

    @property
    def shape(self) -> tuple[int, ...]:
        """Lengths of the axes."""
        return self.value.shape

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return self.value.ndim

    def __getitem__(self, key: Any) -> DualArray:
        slopes = {d: s[key] if np.ndim(s) else s for d, s in self.slopes.items()}
        return DualArray(self.value[key], slopes)

    def __array_ufunc__(self, ufunc: Any, method: str, *operands: Any, **options: Any) -> Any:
        if method != "__call__" or options:
            return NotImplemented
        if ufunc in _COMPARISONS:
            return ufunc(*map(plain, operands))
        rule = _RULES.get(ufunc)
        if rule is not None:
            return rule(*operands)
        if ufunc not in _DERIVATIVES:
            return NotImplemented
        value = ufunc(self.value)
        slope = _DERIVATIVES[ufunc](self.value, value)
        return DualArray(value, {d: slope * s for d, s in self.slopes.items()})

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise TypeError("an array that carries slopes is no plain one")

    __hash__ = None  # type: ignore[assignment]


def plain(x: Any) -> Any:
    """The values, without their slopes."""
    return x.value if isinstance(x, DualArray) else x


def _slopes(x: Any) -> Slopes:
    return x.slopes if isinstance(x, DualArray) else {}


def _combine(
    x: Any, y: Any, first: Callable[[Any], Any], second: Callable[[Any], Any]
) -> dict[int, Any]:
    """Slopes of two numbers through the functions, added up by direction."""
    slopes = {d: first(s) for d, s in _slopes(x).items()}
    for d, s in _slopes(y).items():
        slopes[d] = slopes[d] + second(s) if d in slopes else second(s)
    return slopes


def _sum(x: Any, y: Any) -> DualArray:
    return DualArray(plain(x) + plain(y), _combine(x, y, lambda s: s, lambda s: s))


def _difference(x: Any, y: Any) -> DualArray:
    return DualArray(plain(x) - plain(y), _combine(x, y, lambda s: s, lambda s: -s))


def _product(x: Any, y: Any) -> DualArray:
    a, b = plain(x), plain(y)
    return DualArray(a * b, _combine(x, y, lambda s: s * b, lambda s: a * s))


def _quotient(x: Any, y: Any) -> DualArray:
    a, b = plain(x), plain(y)
    value = a / b
    fall = -value / b if _slopes(y) else None
    return DualArray(value, _combine(x, y, lambda s: s / b, lambda s: fall * s))


def _power(x: Any, p: Any) -> Any:
    if isinstance(p, DualArray):
        return NotImplemented
    slope = p * x.value ** (p - 1)
    return DualArray(x.value**p, {d: slope * s for d, s in x.slopes.items()})


def _minus(x: Any) -> DualArray:
    return DualArray(-x.value, {d: -s for d, s in x.slopes.items()})


_RULES: dict[Any, Callable[..., Any]] = {
    np.add: _sum,
    np.subtract: _difference,
    np.multiply: _product,
    np.divide: _quotient,
    np.negative: _minus,
    np.power: _power,
}


def where(condition: Any, x: Any, y: Any) -> Any:
    """``x`` where the condition holds, else ``y``."""
    shape = np.broadcast_shapes(np.shape(condition), np.shape(plain(x)), np.shape(plain(y)))
    holds = np.count_nonzero(condition)
    for one, all_ in ((x, holds == np.size(condition)), (y, holds == 0)):
        if all_ and np.shape(plain(one)) == shape:
            return one
    value = np.where(condition, plain(x), plain(y))
    slopes, other_slopes = _slopes(x), _slopes(y)
    chosen = {
        d: np.where(condition, slopes.get(d, 0.0), other_slopes.get(d, 0.0))
        for d in {*slopes, *other_slopes}
    }
    return DualArray(value, chosen) if chosen else value


def real(x: Any) -> Floats:
    """The values, which can be compared."""
    return np.asarray(plain(x))


def zeros_like(x: Any) -> Floats:
    """Zeros of the same shape, without slopes."""
    return np.zeros_like(plain(x))


def ones_like(x: Any) -> Floats:
    """Ones of the same shape, without slopes."""
    return np.ones_like(plain(x))


def max(x: Floats, axis: int) -> Floats:
    """The largest values, without slopes."""
    return np.asarray(np.max(x, axis=axis))


# Gradients of a stack of tables by dual numbers


@dataclass
class _ReductionLog:
    """The reductions of one evaluation: for each the direction of its result, whether that has a
    number a class, and the slopes of its terms in directions of a number a class."""

    integer: bool
    """Whether all margins are integers, whose differences are exact."""
    reductions: list[tuple[int, bool, dict[int, Any]]] = field(default_factory=list)
    each: set[int] = field(default_factory=lambda: set(range(len(CELLS))))
    """Directions of a number a class."""

    def take(
        self, value: Array, x: DualArray, through: Callable[[Any], Any], *, vector: bool = False
    ) -> DualArray:
        """A reduction of ``x`` in a direction of its own; those of a number a class end here."""
        at = len(CELLS) + len(SCALARS) + len(self.reductions)
        inner = {d: s for d, s in x.slopes.items() if d in self.each}
        self.reductions.append((at, vector, inner))
        slopes = {d: through(s) for d, s in x.slopes.items() if d not in self.each}
        if vector:
            self.each.add(at)
        return DualArray(value, {**slopes, at: 1.0})


@dataclass(frozen=True, eq=False)
class _DualCounts(Counts):
    """Counts of dual numbers, whose reductions are recorded."""

    log: _ReductionLog = field(kw_only=True)
    wrong: tuple[DualArray, DualArray] = field(kw_only=True)
    """Misses and alarms."""

    @property
    def false_negatives(self) -> Array:
        return self.wrong[0]

    @property
    def false_positives(self) -> Array:
        return self.wrong[1]

    def sum(self, x: Array) -> Array:
        x = self.listed(floating(x))
        total = plain(x).sum(axis=-1)
        if not isinstance(x, DualArray):
            return total
        return self.log.take(total, x, lambda s: np.broadcast_to(s, x.shape).sum(axis=-1))

    def largest(self, x: Array) -> Array:
        x = self.listed(x, -np.inf)
        size = np.where(np.isnan(x), -np.inf, plain(x))
        if not isinstance(x, DualArray):
            return size.max(axis=-1)
        chosen = np.arange(x.shape[-1]) == size.argmax(axis=-1)[..., None]
        chosen_only = DualArray(x.value, {d: np.where(chosen, s, 0.0) for d, s in x.slopes.items()})
        return self.log.take(size.max(axis=-1), chosen_only, lambda s: s.sum(axis=-1))

    def leave_one_out_sum(self, x: Array, rest: Array = 0) -> Array:
        if not isinstance(x, DualArray):
            return super().leave_one_out_sum(x, rest)
        value, left = x.value, column(plain(rest))
        if self.log.integer:
            sums = value.sum(axis=-1, keepdims=True) - value + left
        else:
            sums = super().leave_one_out_sum(value, plain(rest))
        result = self.log.take(
            sums,
            x,
            lambda s: Counts.leave_one_out_sum(self, np.broadcast_to(s, x.shape)),
            vector=True,
        )
        return (
            result + DualArray(0.0, column(rest).slopes) if isinstance(rest, DualArray) else result
        )


def followed(function: Callable[[Counts], Array], counts: Counts) -> Gradient:
    """Value and derivatives of a metric at a stack of tables: by dual numbers, which are quick.

    What these do not support is left to complex steps.

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
    log = _ReductionLog(counts.errors is None)
    margins: dict[str, Any] = {
        name: DualArray(getattr(counts, name), dict.fromkeys(at, 1.0)) for name, at in MOVES.items()
    }
    for i, name in enumerate(SCALARS, len(CELLS)):
        margins[name] = DualArray(np.broadcast_to(getattr(counts, name), shape[:-1]), {i: 1.0})
    misses, alarms = (
        np.asarray(counts.false_negatives, float),
        np.asarray(counts.false_positives, float),
    )
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        out = function(
            _DualCounts(
                **margins,
                averaged=counts.averaged,
                undefined=counts.undefined,
                errors=counts.errors,
                ruled=counts.ruled,
                log=log,
                wrong=(DualArray(misses, {2: 1.0}), DualArray(alarms, {1: 1.0})),
            )
        )
        if out.shape != shape[:-1] or log.each & {*out.slopes}:
            raise TypeError("the function must reduce classes only by c.sum, c.mean or c.largest")
        return _gradient(out, log, counts)


def _gradient(out: DualArray, log: _ReductionLog, counts: Counts) -> Gradient:
    """Derivatives in the margins, from those in the reductions."""
    shape = np.shape(counts.bias)
    slope: dict[int, NDArray[np.float64]] = {d: np.zeros(shape) for d in log.each}
    for at, vector, inner in reversed(log.reductions):
        if vector:
            outer = Counts.leave_one_out_sum(counts, slope[at])
        else:
            outer = column(np.broadcast_to(out.slopes.get(at, 0.0), shape[:-1]))
        for d, slopes in inner.items():
            slope[d] += np.where(outer == 0, 0.0, outer * slopes)
    scalars = (out.slopes.get(len(CELLS) + i, 0.0) for i in range(len(SCALARS)))
    each = (np.broadcast_to(x, shape[:-1]) for x in scalars)
    return Gradient(out.value, *(slope[d] for d in range(len(CELLS))), *each)

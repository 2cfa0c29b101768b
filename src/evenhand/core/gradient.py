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
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.core.arrays import Array
from evenhand.core.counts import Counts
from evenhand.core.kinds import Kinds
from evenhand.core.tape import (
    CELLS,
    MOVES,
    SCALARS,
    STEP,
    OneOfManyError,
    Steps,
    Tape,
    least,
    run,
)

GUESS = 8
"""Reductions that are stepped where nobody has counted them; more make a second run."""


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


def gradient(
    function: Callable[[Counts], Array],
    counts: Counts,
    *,
    reductions: int = GUESS,
    steps: Steps | None = None,
    kinds: Kinds | None = None,
) -> Gradient:
    """Value and derivatives of ``function`` at ``counts``, which may be a stack.

    ``reductions`` is how many it is thought to have; ``steps`` at these margins and ``kinds`` of
    the classes, where they are known, spare work.

    >>> from evenhand.core.metrics.macro import macro_f1
    >>> found = gradient(macro_f1, Counts.from_cells(np.array([[6, 1, 1], [1, 5, 2], [2, 3, 7]])))
    >>> found.dense()[0].round(6)  # 2(1 − F)/(k·s) on the diagonal, s = bias + prevalence
    array([ 0.011534, -0.025375, -0.023483, -0.013841])
    """
    steps = Steps.at(counts) if steps is None else steps
    if kinds is not None:
        try:
            cut, each = kinds.cut(counts)
            found = _traced(function, cut, reductions, Steps(cut, steps.step), each.times)
            slopes = {name: getattr(found, name)[..., each.kind] for name in CELLS}
            return replace(found, **slopes)
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
    fixed = n + len(SCALARS)
    tape = Tape(steps.step, fixed + reductions, times)
    out = run(function, counts, tape, steps)
    if len(tape.met) > reductions:
        tape = Tape(steps.step, fixed + len(tape.met), times)
        out = run(function, counts, tape, steps)
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
    run(function, counts, tape, steps)
    return len(tape.met)


def elementwise(function: Callable[[Counts], Array], counts: Counts) -> list[NDArray[Any]]:
    """Derivatives of one value a class in that class's correct, bias and prevalence."""
    step = least(counts)
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

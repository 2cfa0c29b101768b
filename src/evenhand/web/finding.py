"""Finding: tables that show what two metrics make of the same errors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from evenhand.catalogue.binding import evaluate
from evenhand.catalogue.lists import shown_in
from evenhand.catalogue.spelling import Spec
from evenhand.core.arrays import Array
from evenhand.core.twins import extremal
from evenhand.errors import InputError
from evenhand.notes.note import Note
from evenhand.results.cells import Cell
from evenhand.results.content import Content, Sheet, Words
from evenhand.results.grid import Grid
from evenhand.results.result import Result
from evenhand.results.text import listed, number
from evenhand.tables.confusion import Confusion

TRIED = 4000
"""Random tables to choose from."""
SAME = 1e-12
"""Values that differ by less are the same."""


Goal: TypeAlias = Literal["disagree", "alike", "gap"]


@dataclass(frozen=True, eq=False, repr=False)
class Found(Result):
    """A table, or two of the same true classes, that show what was looked for."""

    told = ("goal", "first", "second", "values")

    goal: Goal
    first: list[list[int]]
    second: list[list[int]] | None
    values: dict[str, tuple[float, ...]]
    cautions: tuple[Note, ...] = ()

    def content(self) -> Content:
        """The values of each table."""
        said = "; ".join(f"{m} {listed(map(number, v))}" for m, v in self.values.items())
        rows: list[list[Cell]] = [[m, *each] for m, each in self.values.items()]
        tables = ["first table", "second table"][: 1 if self.second is None else 2]
        grid = Grid(["metric", *tables], rows)
        return Content(self.goal, [Words(said, "verdict"), Sheet(grid)], lambda: grid)


def search(goal: Goal, one: str, two: str, *, k: int = 3, n: int = 60, seed: int = 0) -> Found:
    """Tables that show something about two metrics.

    ``disagree``: ``one`` prefers the first table and ``two`` the second, by as much as was found.
    ``alike``: ``one`` has the same value for both, ``two`` prefers the first by the most.
    ``gap``: one table whose two macro F1s are as far apart as k classes and n items allow in the
    family of extremal tables. The others are drawn at random, with class mixes from even to very
    uneven.
    """
    if goal == "gap":
        return _apart(k, n)
    specs = [Spec.parse(one), Spec.parse(two)]
    if str(specs[0]) == str(specs[1]):
        raise InputError(f"two metrics are needed to be told apart, got {one!r} twice")
    rng = np.random.default_rng(seed)
    judged = _widest if goal == "disagree" else _stays
    best: tuple[float, Any] = (0.0, None)
    for _ in range(8):
        cells = _tables(rng, _sizes(rng, k, n), TRIED // 8)
        stack = Confusion.from_matrix(cells)
        margin, i, j = judged(*(_signed(s, stack) for s in specs))
        if margin > best[0]:
            best = (margin, (cells[i], cells[j]))
    if best[1] is None:
        said = "rank differently" if goal == "disagree" else "tell apart in that way"
        raise InputError(f"no tables were found that {one} and {two} {said}")
    first, second = best[1]
    return _found(goal, specs, first, second)


def _apart(k: int, n: int) -> Found:
    """The extremal table of k classes with about n items."""
    pairs = len(extremal(k, 0)) // 2 + k % 2
    z = max(0, (n - k) // pairs)
    specs = [Spec.parse(m) for m in shown_in("twins")]
    return _found("gap", specs, extremal(k, z))


def _found(goal: Goal, specs: Sequence[Spec], *tables: Array) -> Found:
    stack = Confusion.from_matrix(np.stack(tables))
    values = {str(s): tuple(map(float, np.asarray(evaluate(s, stack)))) for s in specs}
    first, *rest = (t.tolist() for t in tables)
    return Found(goal, first, rest[0] if rest else None, values)


def _signed(spec: Spec, stack: Confusion) -> Array:
    values = np.asarray(evaluate(spec, stack), float)
    return -values if spec.metric.better == "lower" else values


def _widest(a: Array, b: Array) -> tuple[float, int, int]:
    """The pair that a and b order differently by the most: the smaller of both margins."""
    gain = np.minimum(a[:, None] - a, b - b[:, None])
    gain = np.where(np.isnan(gain), -np.inf, gain)
    i, j = np.unravel_index(int(gain.argmax()), gain.shape)
    return float(gain[i, j]), int(i), int(j)


def _stays(a: Array, b: Array) -> tuple[float, int, int]:
    """The pair that a holds for the same and b tells apart by the most."""
    gain = np.where(np.abs(a[:, None] - a) < SAME, b[:, None] - b, -np.inf)
    gain = np.where(np.isnan(gain), -np.inf, gain)
    i, j = np.unravel_index(int(gain.argmax()), gain.shape)
    return float(gain[i, j]), int(i), int(j)


def _sizes(rng: np.random.Generator, k: int, n: int) -> Array:
    share = rng.dirichlet(np.full(k, rng.choice([0.3, 1.0, 5.0])))
    return 1 + rng.multinomial(max(0, n - k), share)


def _tables(rng: np.random.Generator, sizes: Array, many: int) -> Array:
    """Tables with these true classes and all kinds of errors."""
    k = len(sizes)
    rows = rng.dirichlet(np.full(k, 0.4), (many, k))
    right = rng.beta(2, 1, (many, k, 1))
    rows = (1 - right) * rows + right * np.eye(k)
    return np.stack([rng.multinomial(s, rows[:, i]) for i, s in enumerate(sizes)], axis=1)

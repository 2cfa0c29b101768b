"""Finding: tables that show what two metrics make of the same errors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from evenhand.catalogue.binding import evaluate
from evenhand.catalogue.spelling import Spec
from evenhand.core.arrays import Array
from evenhand.errors import InputError
from evenhand.notes.note import Note
from evenhand.results.cells import Cell
from evenhand.results.content import Content, Sheet, Words
from evenhand.results.grid import Grid
from evenhand.results.result import Result
from evenhand.results.text import number
from evenhand.tables.confusion import Confusion

TRIED = 4000
"""Random tables to choose from."""


@dataclass(frozen=True, eq=False, repr=False)
class Found(Result):
    """Two tables of the same items that two metrics rank differently, as far apart as was found."""

    told = ("metrics", "first", "second", "values")

    metrics: tuple[str, str]
    first: list[list[int]]
    second: list[list[int]]
    values: dict[str, tuple[float, float]]
    cautions: tuple[Note, ...] = ()

    def content(self) -> Content:
        """The values of both tables."""
        said = "; ".join(f"{m} {number(a)} and {number(b)}" for m, (a, b) in self.values.items())
        rows: list[list[Cell]] = [[m, *pair] for m, pair in self.values.items()]
        grid = Grid(["metric", "first table", "second table"], rows)
        return Content("two tables", [Words(said, "verdict"), Sheet(grid)], lambda: grid)


def disagree(one: str, two: str, *, k: int = 3, n: int = 60, seed: int = 0) -> Found:
    """Two tables of the same true classes; ``one`` prefers the first, ``two`` the second.

    Drawn at random with class mixes from even to very uneven; the pair is the one whose smaller
    margin is the largest.
    """
    specs = [Spec.parse(one), Spec.parse(two)]
    if str(specs[0]) == str(specs[1]):
        raise InputError(f"two metrics are needed to disagree, got {one!r} twice")
    rng = np.random.default_rng(seed)
    best: tuple[float, Any] = (0.0, None)
    for _ in range(8):
        sizes = _sizes(rng, k, n)
        cells = _tables(rng, sizes, TRIED // 8)
        stack = Confusion.from_matrix(cells)
        a, b = (_signed(s, stack) for s in specs)
        margin, i, j = _widest(a, b)
        if margin > best[0]:
            best = (margin, (cells[i], cells[j]))
    if best[1] is None:
        raise InputError(f"no tables were found that {one} and {two} rank differently")
    first, second = best[1]
    pair = Confusion.from_matrix(np.stack([first, second]))
    values = {str(s): tuple(map(float, np.asarray(evaluate(s, pair)))) for s in specs}
    names = (str(specs[0]), str(specs[1]))
    return Found(names, first.tolist(), second.tolist(), values)  # type: ignore[arg-type]


def _signed(spec: Spec, stack: Confusion) -> Array:
    values = np.asarray(evaluate(spec, stack), float)
    return -values if spec.metric.better == "lower" else values


def _widest(a: Array, b: Array) -> tuple[float, int, int]:
    """The pair that a and b order differently by the most: the smaller of both margins."""
    gain = np.minimum(a[:, None] - a, b - b[:, None])
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

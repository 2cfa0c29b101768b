"""What several checks of claims share: tables to try, margins as the papers write them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.core.arrays import Array
from evenhand.core.counts import Counts
from evenhand.core.gradient import gradient
from evenhand.core.metrics.macro import f1_of_averages, macro_f1
from evenhand.core.metrics.one_class import f1, precision, recall
from evenhand.papers.record import Outcome, judged
from evenhand.properties.search import all_small_tables, proper, scattered_tables

Cells = NDArray[Any]
CLOSE = 1e-10


@lru_cache
def everything(k: int) -> Cells:
    """All small tables and some hundred larger ones, rows = true."""
    return np.concatenate([all_small_tables(k), scattered_tables(k, 0)])


@lru_cache
def with_every_class(k: int) -> Cells:
    """Those in which every class is true and predicted."""
    cells = everything(k)
    return np.asarray(cells[proper(cells)])


def counts(cells: Any) -> Counts:
    """The margins, every class averaged."""
    return Counts.from_cells(np.asarray(cells))


def on(metric: Callable[..., Array], cells: Any, **options: Any) -> Cells:
    """A metric's scores of a stack of tables."""
    return np.asarray(metric(counts(cells), **options))


def twins(cells: Any) -> tuple[Cells, Cells]:
    """The F1 of averages and the mean of F1."""
    return on(f1_of_averages, cells), on(macro_f1, cells)


def per_class(cells: Any) -> tuple[Cells, Cells, Cells]:
    """Precision, recall and F1 of every class."""
    c = counts(cells)
    return precision(c), recall(c), f1(c)


@lru_cache
def grid_tables(k: int, most: int) -> Cells:
    """Every k × k table with cells from 0 to ``most``."""
    return np.array(list(product(range(most + 1), repeat=k * k))).reshape(-1, k, k)


@dataclass(frozen=True, eq=False)
class Printed:
    """Tables as Opitz (2022) writes them: m[i, j] is predicted i, true j."""

    m: Cells

    @classmethod
    def sample(cls, k: int = 3) -> Printed:
        """Tables without an empty class or an empty cell, so that everything has a derivative."""
        rng = np.random.default_rng(7)
        return cls(rng.integers(1, 40, (60, k, k)).astype(np.float64))

    @property
    def n(self) -> int:
        """The number of classes."""
        return int(self.m.shape[-1])

    @property
    def correct(self) -> Cells:
        """Hits of each class."""
        return np.diagonal(self.m, axis1=-2, axis2=-1)

    @property
    def bias(self) -> Cells:
        """How often each class is predicted."""
        return np.asarray(self.m.sum(axis=-1))

    @property
    def prevalence(self) -> Cells:
        """How often each class is true."""
        return np.asarray(self.m.sum(axis=-2))

    def slope(self, metric: Callable[[Counts], Array]) -> Cells:
        """∂metric/∂m[i, j] by complex steps."""
        cells = np.swapaxes(self.m, -1, -2)
        return np.swapaxes(gradient(metric, counts(cells)).dense()[..., :-1], -1, -2)

    def off(self, x: Cells) -> Cells:
        """The entries off the diagonal."""
        return np.asarray(np.broadcast_to(x, self.m.shape)[:, ~np.eye(self.n, dtype=bool)])

    def on(self, x: Cells) -> Cells:
        """The entries on the diagonal."""
        return np.diagonal(np.broadcast_to(x, self.m.shape), axis1=-2, axis2=-1)


def same(a: Any, b: Any, close: float = CLOSE) -> bool:
    """Whether two arrays agree everywhere."""
    return bool(np.allclose(a, b, rtol=1e-9, atol=close))


def worst(a: Any, b: Any) -> float:
    """The largest difference."""
    return float(np.max(np.abs(np.asarray(a) - np.asarray(b))))


def table_text(m: Any) -> str:
    """A table on one line."""
    rows = (", ".join(str(int(x)) for x in row) for row in np.asarray(m))
    return "[" + ", ".join(f"[{r}]" for r in rows) + "]"


def equal(found: Any, base: Any, tried: str, close: float = CLOSE) -> Outcome:
    """The outcome of a claim that two computations agree."""
    return judged(same(found, base, close), f"largest difference {worst(found, base):.1g}", tried)


def compared(printed: Cells, right: Cells | None, true: Cells, fixed: str) -> Outcome:
    """The outcome of a formula held against complex steps, and against its correction."""
    good = same(printed, true)
    text = f"60 tables of 3 classes: off by up to {worst(printed, true):.2g} as printed"
    if right is not None:
        text += f", {worst(right, true):.1g} as corrected"
    return judged(good, fixed, text, corrected=right is not None and same(right, true))

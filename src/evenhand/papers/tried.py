"""Tried: the tables that claims are tried on, and what metrics give on them."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.core.arrays import Array
from evenhand.core.counts import Counts
from evenhand.core.metrics.macro import f1_of_averages, macro_f1
from evenhand.core.metrics.one_class import f1, precision, recall
from evenhand.properties.search import all_small_tables, proper, scattered_tables
from evenhand.properties.subject import subject_of

Cells = NDArray[Any]


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


def exact(metric: str, cells: Any) -> list[Fraction]:
    """A metric's scores of a stack of tables, in fractions."""
    found = subject_of(metric).exact(np.asarray(cells))
    assert found is not None
    return found


def twins(cells: Any) -> tuple[Cells, Cells]:
    """The F1 of averages and the mean of F1."""
    return on(f1_of_averages, cells), on(macro_f1, cells)


def twins_gap(m: Any) -> float:
    """How far the two are apart on one table."""
    a, b = twins(m)
    return float(a - b)


def per_class(cells: Any) -> tuple[Cells, Cells, Cells]:
    """Precision, recall and F1 of every class."""
    c = counts(cells)
    return precision(c), recall(c), f1(c)


def divided(a: Any, b: Any) -> Cells:
    """a/b as the documents have it, 0 where both are 0."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.nan_to_num(a / b))


def harmonic(p: Any, r: Any) -> Cells:
    """2pr/(p + r), 0 where both are 0."""
    return divided(2 * p * r, p + r)


def gap(p: Any, r: Any) -> Cells:
    """The gap of configurations of precisions and recalls, whether a table has them or not."""
    return np.asarray(harmonic(p.mean(axis=-1), r.mean(axis=-1)) - harmonic(p, r).mean(axis=-1))


@lru_cache
def grid_tables(k: int, most: int) -> Cells:
    """Every k × k table with cells from 0 to ``most``."""
    return np.array(list(product(range(most + 1), repeat=k * k))).reshape(-1, k, k)


def with_recalls(recalls: Cells, mix: Cells, rng: np.random.Generator, *shape: int) -> Cells:
    """Tables with these recalls and class mixes, their errors spread over classes at random."""
    k = recalls.shape[-1]
    errors = rng.dirichlet(np.ones(k), (*shape, k)) * (1 - np.eye(k))
    errors *= ((1 - recalls) / errors.sum(axis=-1))[..., None]
    return np.asarray((errors + recalls[..., None] * np.eye(k)) * mix[..., None])


def table_text(m: Any) -> str:
    """A table on one line."""
    rows = (", ".join(str(int(x)) for x in row) for row in np.asarray(m))
    return "[" + ", ".join(f"[{r}]" for r in rows) + "]"

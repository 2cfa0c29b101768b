"""Entries: what is ranked, made from whatever the user has."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from evenhand.count.forms import refusal
from evenhand.errors import InputError, shown
from evenhand.infer.rows import Rows, rows_of
from evenhand.ranking.runs import Runs, runs_of
from evenhand.tables.confusion import Confusion
from evenhand.tables.sample import Sample, SoftSample


@dataclass(frozen=True, eq=False)
class Entries:
    """Systems on the same items, or their tables alone; and which columns are runs of which.

    ``slices`` are the same systems on parts of the items, by key.
    """

    data: Sample | SoftSample | Confusion
    runs: Runs
    slices: tuple[tuple[Any, Entries], ...] = ()

    @property
    def joint(self) -> bool:
        """Whether it is known which items each system got right."""
        return bool(self.data.systems)

    @property
    def cluster(self) -> Any:
        """The cluster of each row, if it is known."""
        return self.data.cluster

    @cached_property
    def tables(self) -> Confusion:
        """The stack of all columns' tables."""
        return self.data.tables()

    @cached_property
    def rows(self) -> Rows:
        """The rows to draw from, where they are known."""
        return rows_of(self.data)

    @property
    def n(self) -> int:
        """Number of items; of tables alone, which have their own, the largest."""
        return int(np.max(self.data.n))

    def items(self, columns: list[int]) -> int:
        """Number of items in the tables of these columns."""
        return self.n if self.joint else int(np.max(np.asarray(self.data.n)[columns]))

    @property
    def varies(self) -> tuple[str, ...]:
        """What would be another one another time: items or whole clusters, and runs."""
        return ("clusters" if self.cluster is not None else "items", *["runs"] * self.runs.several)


def entries_of(
    data: Sample | SoftSample | Confusion,
    runs: Mapping[str, Iterable[str]] | str | None = None,
) -> Entries:
    """What is ranked: a sample, or tables by system, maybe in slices."""
    if data.systems:
        which = runs_of(data.systems, runs)
        found = Entries(data, which, tuple((key, Entries(s, which)) for key, s in data.slices))
    else:
        found = _of_tables(data.tables(), runs)
    if len(found.runs.systems) < 2:
        raise refusal("rank", f"one system ({shown(found.runs.systems)})")
    return found


def _of_tables(stack: Confusion, runs: Any) -> Entries:
    """Tables alone: a stack by system, or by system and slice."""
    if len(stack.shape) == 1 and all(isinstance(k, tuple) and len(k) > 1 for k in stack.keys[0]):
        return _of_pairs(stack, runs)
    if len(stack.shape) > 2:
        raise InputError(f"rank takes tables by system and slice, got {len(stack.shape)} axes")
    names = [str(k) for k in stack.keys[0]]
    if len(stack.shape) == 1:
        whole = Confusion.stack(list(stack), names)
        return Entries(whole, runs_of(names, runs))
    parts = [list(system) for system in stack]
    whole = Confusion.stack([sum(p[1:], start=p[0]) for p in parts], names)
    which = runs_of(names, runs)
    slices = [
        (key, Entries(Confusion.stack([p[j] for p in parts], names), which))
        for j, key in enumerate(stack.keys[1])
    ]
    return Entries(whole, which, tuple(slices))


def _of_pairs(stack: Confusion, runs: Any) -> Entries:
    """A stack counted by system and something else: its keys are tuples, the system first."""
    by: dict[str, dict[Any, Confusion]] = {}
    for key, table in zip(stack.keys[0], stack, strict=True):
        assert isinstance(key, tuple)
        by.setdefault(str(key[0]), {})[key[1] if len(key) == 2 else key[1:]] = table
    keys = sorted({k for parts in by.values() for k in parts}, key=str)
    lacking = [s for s, parts in by.items() if len(parts) < len(keys)]
    if lacking:
        raise InputError(f"every system needs a table of every slice; not so {shown(lacking)}")
    made = [Confusion.stack([parts[k] for k in keys], keys) for parts in by.values()]
    return _of_tables(Confusion.stack(made, list(by)), runs)

"""Slices of one system's items as one stack, where tables alone would forget the clusters."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from evenhand.core.registry import Task
from evenhand.tables.confusion import Confusion
from evenhand.tables.labels import Labels
from evenhand.tables.sample import Codes, Sample


@dataclass(frozen=True, eq=False)
class Slices:
    """The rows of many samples of one system with clusters, each with the place of its slice.

    >>> beside = {"cluster": [1, 2, 1, 2], "by": [3, 3, 4, 4]}
    >>> sample = Sample.from_labels("abab", {"A": list("aaab")}, **beside)
    >>> slices = Slices.of(sample.slices)
    >>> slices.tables().cells.tolist(), slices.clusters
    ([[[1, 0], [1, 0]], [[1, 0], [0, 1]]], array([2, 2]))
    """

    labels: Labels
    keys: tuple[Hashable, ...]
    slice: Codes
    true: Codes
    pred: Codes
    weight: NDArray[Any]
    square: NDArray[Any] | None
    cluster: Codes
    n: Codes
    missing: Codes
    dropped: Codes
    task: ClassVar[Task] = "single"
    systems: ClassVar[tuple[str, ...]] = ()
    slices: ClassVar[tuple[Any, ...]] = ()
    varies: ClassVar[bool] = True
    in_cells: ClassVar[bool] = False

    @classmethod
    def of(cls, slices: Sequence[tuple[Hashable, Sample]]) -> Slices:
        """Slices by key as one stack."""
        keys, parts = zip(*slices, strict=True)
        place = np.repeat(np.arange(len(parts)), [len(p.true) for p in parts])
        clusters = np.concatenate([p.cluster for p in parts])
        _, cluster = np.unique(place * (int(clusters.max()) + 1) + clusters, return_inverse=True)
        plain = all(p.square is None for p in parts)
        return cls(
            parts[0].labels,
            keys,
            place,
            np.concatenate([p.true for p in parts]),
            np.concatenate([p.pred[:, 0] for p in parts]),
            np.concatenate([p.weight for p in parts]),
            None if plain else np.concatenate([p.squares for p in parts]),
            cluster,
            np.array([p.n for p in parts]),
            np.array([p.missing[0] for p in parts]),
            np.array([p.dropped for p in parts]),
        )

    @classmethod
    def fit(cls, slices: Sequence[tuple[Hashable, Any]]) -> bool:
        """Whether slices are samples with clusters, which one stack can hold."""
        return bool(slices) and all(
            isinstance(p, Sample) and p.cluster is not None for _, p in slices
        )

    @cached_property
    def home(self) -> Codes:
        """The slice that each cluster is of: clusters of different slices are different."""
        found = np.empty(int(self.cluster.max()) + 1, np.int64)
        found[self.cluster] = self.slice
        return found

    @property
    def clusters(self) -> Codes:
        """How many clusters each slice has."""
        return np.bincount(self.home, minlength=len(self.keys))

    def tables(self) -> Confusion:
        """The stack of the slices' tables."""
        from evenhand.count.tally import cells_of

        columns = (self.slice, self.true, self.pred, self.weight, self.square)
        data = cells_of(*columns, k=len(self.labels), shape=(len(self.keys),))
        lost = {"missing": self.missing, "dropped": self.dropped}
        return Confusion.of(self.labels, data, keys=(self.keys,), n=self.n, axes=("slice",), **lost)

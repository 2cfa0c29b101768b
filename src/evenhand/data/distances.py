"""Distances between classes: an order, costs, a tree."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from graphlib import CycleError, TopologicalSorter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.core.arrays import ReadOnly
from evenhand.core.contingency import WORDS, Distances
from evenhand.data.factorize import real_array
from evenhand.data.labels import Label, Labels, checked, positions
from evenhand.errors import InputError, Option, quoted, shown
from evenhand.options import label_list

ORDINAL = "ordinal"
"""Another word for ``linear``: classes in the order of the table, at distances of 1."""


@dataclass(frozen=True, eq=False, repr=False)
class Distance(ReadOnly):
    """Distances between classes, or costs of predicting one (column) for another (row).

    ``shared``, if the classes form a tree, has the number of common ancestors, themselves
    included.

    >>> d = Distance.from_tree({"dog": "animal", "cat": "animal", "animal": "thing"})
    >>> d.between("dog", "cat"), d.between("dog", "animal")
    (2.0, 1.0)
    """

    name: str
    labels: Labels | None
    far: NDArray[np.float64]
    shared: NDArray[np.float64] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        is_text = isinstance(self.name, str)
        if not is_text or self.name in (*WORDS, ORDINAL, "") or not self.name.isprintable():
            raise InputError(
                f"a distance cannot be called {quoted(self.name)}: give it another name"
            )

    @classmethod
    def from_matrix(
        cls, matrix: Any, *, labels: Iterable[Any] | None = None, name: str = "matrix"
    ) -> Distance:
        """Costs of taking the class of a row for that of a column, 0 on the diagonal.

        Without ``labels`` the rows are the classes of the table that is scored, in its order. A
        data frame brings its labels in its index and columns.

        >>> Distance.from_matrix([[0, 1], [5, 0]], labels=["good", "bad"]).between("bad", "good")
        5.0
        """
        from evenhand.data.counting import unframed

        matrix, labels, *_ = unframed(matrix, labels)
        far = real_array(matrix)
        if far.ndim != 2 or far.shape[0] != far.shape[1] or not far.size:
            raise InputError("a distance must be a square matrix of numbers, a row per class")
        wrong = ~np.isfinite(far) | (far < 0) | (np.eye(len(far), dtype=bool) & (far != 0))
        if wrong.any():
            i, j = np.argwhere(wrong)[0].tolist()
            what = "0 between a class and itself" if i == j else "finite and ≥ 0"
            raise InputError(
                f"a distance must be {what}, got {far[i, j]:g} in row {i + 1}, column {j + 1}"
            )
        return cls(name, None if labels is None else checked(labels, length=len(far)), far)

    @classmethod
    def from_tree(cls, parents: Mapping[Any, Any], *, name: str = "tree") -> Distance:
        """Classes with the class above each, or a list of those: all above it are shared.

        A class that stands above all others is no part of what others share. Two classes are as
        far apart as there are classes that one of them is or lies below, and the other not.

        >>> Distance.from_tree({"F": "C", "G": "E", "E": ["B", "C"]}).between("G", "F")
        4.0
        """
        if not isinstance(parents, Mapping):
            raise InputError(
                f"a tree must map each class to that above it, got {type(parents).__name__}"
            )
        above: dict[Any, list[Any]] = {}
        for child, parent in parents.items():
            several = isinstance(parent, list | tuple | set | frozenset)
            above[child] = list(parent) if several else [p for p in [parent] if p is not None]
        nodes = list(dict.fromkeys(n for child, over in above.items() for n in (*over, child)))
        if not nodes:
            raise InputError("a tree must have a class with one above it, got none")
        tops = [n for n in nodes if not above.get(n)]
        ancestors: dict[Any, set[Any]] = {}
        try:
            for n in TopologicalSorter(above).static_order():
                ancestors[n] = {n}.union(*(ancestors[m] for m in above.get(n, ())))
        except CycleError as e:
            got = shown([n for n in nodes if n in e.args[1]][:1])
            raise InputError(f"in a tree no class stands above itself, got {got}") from None
        root = set(tops) if len(tops) == 1 else set()
        at = {n: i for i, n in enumerate(nodes)}
        ancestry = np.zeros((len(nodes), len(nodes)))
        for n in nodes:
            ancestry[at[n], [at[m] for m in ancestors[n] - root]] = 1.0
        sizes, shared = ancestry.sum(axis=1), ancestry @ ancestry.T
        return cls(name, checked(nodes), sizes[:, None] + sizes - 2 * shared, shared)

    @property
    def kind(self) -> str:
        """``tree`` or ``matrix``."""
        return "matrix" if self.shared is None else "tree"

    @cached_property
    def digest(self) -> str:
        """A hash of eight digits."""
        labels = "\x1f".join(map(repr, self.labels or ())).encode("utf-8", "surrogatepass")
        shared = b"" if self.shared is None else self.shared.tobytes()
        return hashlib.sha256(labels + self.far.tobytes() + shared).hexdigest()[:8]

    def between(self, true: Label, pred: Label) -> float:
        """The distance of a predicted class from the true one."""
        i, j = positions([true, pred], self.labels or range(len(self.far)), "classes")
        return float(self.far[i, j])

    def over(self, labels: Sequence[Label]) -> Distances:
        """The distances between these classes, with a last column for predictions of no class.

        Such a prediction is at the largest distance; in a tree it has no ancestor in common.
        """
        labels, known = label_list(labels, "labels"), self.labels
        if known is None and len(labels) != len(self.far):
            raise InputError(
                f"the distance {self.name!r} must have a row for each of the {len(labels)} classes "
                f"{shown(labels)}, got {len(self.far)}; name its rows by labels"
            )
        what = f"classes with the distance {self.name!r}"
        at = range(len(labels)) if known is None else positions(map(str, labels), known, what)
        far = self.far[np.ix_(at, at)]
        if self.shared is None:
            return Distances(np.pad(far, [(0, 0), (0, 1)], constant_values=self.far.max()))
        shared = self.shared[np.ix_(at, at)]
        outside = np.diagonal(shared)[:, None]
        return Distances(np.hstack([far, outside]), np.hstack([shared, 0 * outside]))

    def __repr__(self) -> str:
        return f"<Distance {self.name!r}: {self.kind} of {len(self.far)} classes>"


def as_distance(distance: Any) -> str | Distance | None:
    """A distance from a word, a matrix of costs, or a tree that maps classes to those above."""
    if distance is None or isinstance(distance, Distance):
        return distance
    if isinstance(distance, str):
        word = "linear" if distance == ORDINAL else distance
        if word in WORDS:
            return word
        words = ", ".join(map(repr, (ORDINAL, *WORDS)))
        raise InputError(
            Option("distance"), f" must be {words}, a matrix or a tree of classes, got {distance!r}"
        )
    if not isinstance(distance, Mapping):
        return Distance.from_matrix(distance)
    if not any(isinstance(row, Mapping) for row in distance.values()):
        return Distance.from_tree(distance)
    labels = list(distance)  # costs by true and predicted label; those that are not stated are 0
    for true, row in distance.items():
        unknown = [v for v in row if v not in distance] if isinstance(row, Mapping) else [row]
        if unknown:
            raise InputError(f"costs of {true!r} must be by its classes, got {shown(unknown)}")
    far = [[distance[t].get(p, 0.0) for p in labels] for t in labels]
    return Distance.from_matrix(far, labels=labels)

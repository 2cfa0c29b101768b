"""Confusion: labels and cells of one table, or of a stack of tables on the same labels."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np

from evenhand.core.arrays import Sealed, seal
from evenhand.core.counts import Counts
from evenhand.errors import InputError
from evenhand.tables import changes, merge, stacks
from evenhand.tables.cells import Cells
from evenhand.tables.labels import Labels, among, checked_rule
from evenhand.tables.tabular import Tabular, one_positional, plain
from evenhand.tables.weights import Margins, Numbers, Weighed, beyond

Classes = Literal["task", "true", "seen"] | Iterable[Any]
Keys = tuple[tuple[Hashable, ...], ...]


@dataclass(frozen=True, eq=False, repr=False)
class Confusion(Sealed, Tabular):
    """Cells of true × predicted class: rows are true, columns predicted, always.

    Leading axes make it a stack: systems, slices, replicates. ``keys`` names the entries of
    each leading axis. Beside the k × k cells stands the *outside* column, predictions that were
    no class at all: errors for their true class, in no class's bias. ``missing`` counts those
    of them that were null or absent, ``dropped`` the rows left out on request because the
    truth was null. ``axes`` says what the leading axes are, where that is known: ``"system"``
    (predictions of several systems), ``"slice"`` (parts of the items), or ``""``.

    Make one with :meth:`from_labels`, :meth:`from_matrix`, :meth:`from_frame` or
    :meth:`from_probabilities`.

    >>> Confusion.from_matrix([[15, 10], [5, 10]], labels="ab").bias
    array([20, 20])
    """

    labels: Labels
    data: Cells
    keys: Keys = ()
    n: float | Numbers = 0
    missing: int | Numbers = 0
    dropped: int | Numbers = 0
    axes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not isinstance(self.data, Weighed):
            raise InputError(
                "Confusion holds labels and cells that are counted already; to count, "
                "use Confusion.from_labels(y_true, y_pred), from_matrix or from_frame"
            )
        for name in ("n", "missing", "dropped"):
            object.__setattr__(self, name, plain(getattr(self, name)))
        if len(self.axes) != len(self.shape):
            object.__setattr__(self, "axes", ("",) * len(self.shape))
        super().__post_init__()

    # -- doors: the work is done in count/ -------------------------------------------------

    @classmethod
    def from_labels(
        cls,
        y_true: Any,
        y_pred: Any,
        *,
        labels: Iterable[Any] | None = None,
        weights: Any = None,
        drop_null_truth: bool = False,
    ) -> Confusion:
        """Count true against predicted labels, item by item.

        Labels may be text, integers, booleans or floats in any list, array or series. A null
        prediction, or one that ``labels`` does not list, goes outside. A null truth is an error
        unless ``drop_null_truth``, which counts the rows it drops.

        >>> Confusion.from_labels(["a", "b", "b"], ["a", "b", None])
        true \\ predicted  a  b  outside  total
        a                 1  0        0      1
        b                 0  1        1      2
        total             1  1        1      3
        """
        from evenhand.count.arrays import count_labels

        return count_labels(
            y_true, y_pred, labels=labels, weights=weights, drop_null_truth=drop_null_truth
        )

    @classmethod
    @one_positional
    def from_frame(
        cls,
        frame: Any,
        *,
        true: str,
        pred: str | Sequence[str],
        weights: str | None = None,
        counts: str | None = None,
        by: str | Sequence[str] | None = None,
        labels: Iterable[Any] | None = None,
        drop_null_truth: bool = False,
    ) -> Confusion:
        """Count two columns of a frame, where the frame is.

        Any of pandas, Polars, PyArrow, DuckDB, Ibis, Dask and PySpark, in one pass; only the
        distinct cells come back. Several prediction columns give a stack by system, ``by`` one
        or more columns a stack by their values, both together a stack with two axes. ``counts``
        names the column of how many equal items a row stands for, where a query has counted.

        >>> import polars as pl
        >>> frame = pl.DataFrame({"gold": list("aab"), "system": list("abb"), "lang": [1, 1, 2]})
        >>> Confusion.from_frame(frame, true="gold", pred="system", by="lang").keys
        ((1, 2),)
        """
        from evenhand.count.frames import count_frame

        return count_frame(
            frame,
            true=true,
            pred=pred,
            weights=weights,
            counts=counts,
            by=by,
            labels=labels,
            drop_null_truth=drop_null_truth,
        )

    @classmethod
    def from_probabilities(
        cls, y_true: Any, probabilities: Any, *, labels: Iterable[Any], weights: Any = None
    ) -> Confusion:
        """A soft table: each item adds its class probabilities to the row of its true class.

        ``probabilities`` is items × classes in the order of ``labels``; every metric works on
        the result unchanged (Opitz 2022, footnote 1).

        >>> Confusion.from_probabilities(["a", "b"], [[0.75, 0.25], [0.5, 0.5]], labels="ab").cells
        array([[0.75, 0.25],
               [0.5 , 0.5 ]])
        """
        from evenhand.count.probabilities import count_probabilities

        return count_probabilities(y_true, probabilities, labels=labels, weights=weights)

    @classmethod
    def from_matrix(
        cls,
        matrix: Any,
        *,
        labels: Iterable[Any] | None = None,
        rows: Literal["true", "pred"] = "true",
        outside: Any = None,
    ) -> Confusion:
        """Take a k × k table as it is, or a stack of them along leading axes.

        A data frame brings its labels in its index and columns. ``rows="pred"`` reads a table
        printed the other way round. ``outside`` is one count a true class.

        >>> table = Confusion.from_matrix([[15, 5], [10, 10]], labels="ab", rows="pred")
        >>> table.prevalence
        array([25, 15])
        """
        from evenhand.count.matrix import count_matrix

        return count_matrix(matrix, labels=labels, rows=rows, outside=outside)

    @classmethod
    def of(
        cls,
        labels: Labels,
        data: Cells,
        *,
        keys: Keys = (),
        n: float | Numbers | None = None,
        missing: Numbers | int = 0,
        dropped: Numbers | int = 0,
        axes: tuple[str, ...] = (),
    ) -> Confusion:
        """A table from labels and cells that already fit; items default to the total."""
        if not keys:
            keys = tuple(tuple(range(size)) for size in data.shape)
        lost = (np.asarray(x) for x in (missing, dropped))
        each = [x if x.shape == data.shape else np.broadcast_to(x, data.shape) for x in lost]
        found = cls(labels, data, keys, 0 if n is None else n, each[0], each[1], axes)
        wrong = beyond(data, found._margins[3]) if data.weight.dtype.kind == "f" else ""
        if wrong:
            raise InputError(f"weights {wrong}; divide them all by one number")
        return found if n is not None else replace(found, n=found.total)

    # -- what it holds ---------------------------------------------------------------------

    def counts(self, *, classes: Classes = "task", undefined: float = 0.0) -> Counts:
        """The margins, with the classes to average and the worth of 0/0."""
        return self.counts_over(self.averaged(classes), undefined, ruled=isinstance(classes, str))

    def counts_over(
        self, averaged: Numbers | None, undefined: float, *, ruled: bool = False
    ) -> Counts:
        """The margins, with the classes to average as a mask; ``None``: all of them."""
        return Counts(*self._margins, averaged, undefined, self._errors, ruled)

    @cached_property
    def _errors(self) -> tuple[Numbers, Numbers] | None:
        errors = self.data.errors()
        return errors and (seal(errors[0]), seal(errors[1]))

    @cached_property
    def _true(self) -> Numbers:
        """Mask of the classes that are true of some item."""
        return np.asarray(seal(self.prevalence > 0))

    @cached_property
    def _seen(self) -> Numbers:
        """Mask of the classes that are true or predicted somewhere."""
        return np.asarray(seal(self._true | (self.bias > 0)))

    @cached_property
    def _margins(self) -> Margins:
        with np.errstate(over="ignore"):  # of() refuses what is too much
            correct, bias, prevalence, total, outside = map(seal, self.data.margins())
        return correct, bias, prevalence, total, outside

    @cached_property
    def correct(self) -> Numbers:
        """Hits of each class."""
        return self._margins[0]

    @cached_property
    def bias(self) -> Numbers:
        """How often each class was predicted."""
        return self._margins[1]

    @cached_property
    def prevalence(self) -> Numbers:
        """How often each class is true."""
        return self._margins[2]

    @cached_property
    def total(self) -> float | Numbers:
        """All items, or all weight: a number, or one for each table of a stack."""
        total = self._margins[3]
        return total if self.shape else total.item()

    def rule(self, classes: str) -> str:
        """What a rule comes to: the classes of the task are those that are true of some item."""
        return "true" if checked_rule(classes) == "task" else classes

    def averaged(self, classes: Classes = "task") -> Numbers:
        """Mask (…, k) of the classes that an average runs over.

        ``"task"`` and ``"true"`` are true of some item, ``"seen"`` occur in the truth or the
        predictions; a list names them.
        """
        if isinstance(classes, str):
            return self._true if self.rule(classes) == "true" else self._seen
        return np.asarray(seal(among(classes, self.labels)))

    # -- other tables from it --------------------------------------------------------------

    def __add__(self, other: object) -> Confusion:
        """Merge: cells add, labels and keys unite."""
        if not isinstance(other, Confusion):
            return NotImplemented
        return merge.added(self, other)

    def __radd__(self, other: object) -> Confusion:
        """So that ``sum(tables)`` works, which starts from 0."""
        return self if isinstance(other, int) and other == 0 else NotImplemented

    select = changes.select
    relabel = changes.relabel
    normalised = changes.normalised
    transpose = changes.transpose
    scale = changes.scale
    calibrate = changes.calibrate
    target = changes.target

    # -- stacks ----------------------------------------------------------------------------

    def __bool__(self) -> bool:
        return True

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("one table has no length; a stack has")
        return self.shape[0]

    def __iter__(self) -> Iterator[Confusion]:
        return (self[i] for i in range(len(self)))

    __getitem__ = stacks.chosen
    at = stacks.at
    stack = staticmethod(stacks.stack)
    concat = staticmethod(stacks.concat)

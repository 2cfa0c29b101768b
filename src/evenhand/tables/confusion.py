"""Confusion: labels and cells of one table, or of a stack of tables on the same labels."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np

import evenhand.tables.cells as cell
import evenhand.tables.mix as mix
from evenhand.core.arrays import Sealed, seal
from evenhand.core.counts import Counts
from evenhand.core.prevalence import factors
from evenhand.errors import InputError, UnknownNameError, shown
from evenhand.tables.cells import Cells
from evenhand.tables.labels import Label, Labels, among, checked, checked_rule, in_order, positions
from evenhand.tables.labels import kind_of as kind
from evenhand.tables.merge import joined, on_same_keys, on_same_labels
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
        by: str | Sequence[str] | None = None,
        labels: Iterable[Any] | None = None,
        drop_null_truth: bool = False,
    ) -> Confusion:
        """Count two columns of a frame, where the frame is.

        Any of pandas, Polars, PyArrow, DuckDB, Ibis, Dask and PySpark, in one pass; only the
        distinct cells come back. Several prediction columns give a stack by system, ``by`` one
        or more columns a stack by their values, both together a stack with two axes.

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

    @property
    def shape(self) -> tuple[int, ...]:
        """Leading axes: ``()`` for one table."""
        return self.data.shape

    @property
    def k(self) -> int:
        """Number of classes."""
        return len(self.labels)

    @property
    def cells(self) -> Numbers:
        """The (…, k, k) cells as an array, rows = true."""
        return self.data.dense().weight[..., :-1]

    @property
    def outside(self) -> Numbers:
        """Per true class, the predictions that were no class at all."""
        return self.data.outside()

    @property
    def squares(self) -> Numbers | None:
        """Sums of squared weights, shape (…, k, k + 1); ``None`` if they were never known."""
        return self.data.dense().squares

    def counts(self, *, classes: Classes = "task", undefined: float = 0.0) -> Counts:
        """The margins, with the classes to average and the worth of 0/0."""
        mask = seal(self.averaged(classes))
        return self.counts_over(mask, undefined, ruled=isinstance(classes, str))

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
    def _margins(self) -> Margins:
        with np.errstate(over="ignore"):  # of() refuses what is too much
            correct, bias, prevalence, total, outside = map(seal, self.data.margins())
        return correct, bias, prevalence, total, outside

    @property
    def correct(self) -> Numbers:
        """Hits of each class."""
        return self._margins[0]

    @property
    def bias(self) -> Numbers:
        """How often each class was predicted."""
        return self._margins[1]

    @property
    def prevalence(self) -> Numbers:
        """How often each class is true."""
        return self._margins[2]

    @property
    def total(self) -> float | Numbers:
        """All items, or all weight: a number, or one for each table of a stack."""
        total: float | Numbers = plain(self._margins[3])
        return total

    def rule(self, classes: str) -> str:
        """What a rule comes to: the classes of the task are those that are true of some item."""
        return "true" if checked_rule(classes) == "task" else classes

    def averaged(self, classes: Classes = "task") -> Numbers:
        """Mask (…, k) of the classes that an average runs over.

        ``"task"`` and ``"true"`` are true of some item, ``"seen"`` occur in the truth or the
        predictions; a list names them.
        """
        if isinstance(classes, str):
            true = np.asarray(self.prevalence > 0)
            return true if self.rule(classes) == "true" else true | np.asarray(self.bias > 0)
        return among(classes, self.labels)

    # -- other tables from it --------------------------------------------------------------

    def __add__(self, other: object) -> Confusion:
        """Merge: cells add, labels and keys unite."""
        if not isinstance(other, Confusion):
            return NotImplemented
        a, b = on_same_labels([self, other])
        a, b = on_same_keys(a, b)
        return Confusion.of(
            a.labels,
            cell.add(a.data, b.data),
            keys=a.keys,
            n=a.n + b.n,
            missing=a.missing + b.missing,
            dropped=a.dropped + b.dropped,
            axes=a.axes if a.axes == b.axes else (),
        )

    def __radd__(self, other: object) -> Confusion:
        """So that ``sum(tables)`` works, which starts from 0."""
        return self if isinstance(other, int) and other == 0 else NotImplemented

    def select(self, classes: Iterable[Any]) -> Confusion:
        """The items whose true class is listed; their predictions of other classes go outside.

        This drops data. To average over some classes of the whole table, pass ``classes=`` to
        the metric instead.
        """
        wanted = classes if isinstance(classes, str) else in_order(classes, "classes")
        chosen = positions(wanted, self.labels)
        labels = checked(self.labels[i] for i in chosen)
        true = np.full(self.k, -1)
        true[chosen] = np.arange(len(chosen))
        pred = np.where(true < 0, len(chosen), true)
        data = self.data.remap(true, pred, len(chosen))
        lost = data.margins()[4]  # those that are null are no more than all that is outside
        missing = np.minimum(self.missing, np.ceil(np.asarray(lost, float)).astype(np.int64))
        n = None
        if self.data.square is not None:  # weights do not tell how many items are left
            share = np.asarray(data.margins()[3] / np.where(self.total > 0, self.total, 1))
            n = np.rint(self.n * share).astype(np.int64)
        return Confusion.of(labels, data, keys=self.keys, n=n, missing=missing, axes=self.axes)

    def relabel(self, names: Mapping[Any, Any] | Callable[[Label], Any]) -> Confusion:
        """Rename labels; those given one name are merged. Labels not in a mapping stay."""
        new = [names(v) if callable(names) else v for v in self.labels]
        if not callable(names):
            for at, name in zip(
                positions(names, self.labels, "labels to rename"), names.values(), strict=True
            ):
                new[at] = name
        kind(new, "new labels")
        labels = checked(list(dict.fromkeys(new)))
        place = {v: i for i, v in enumerate(labels)}
        to = np.array([place[v] for v in new])
        return replace(self, labels=labels, data=self.data.remap(to, to, len(labels)))

    def normalised(self, by: Literal["true", "pred", "all"] = "true") -> Confusion:
        """Shares of each true row, of each predicted column, or of the whole table."""
        if by not in ("true", "pred", "all"):
            raise InputError(f"by must be 'true', 'pred' or 'all', got {by!r}")
        return replace(self, data=self.data.shares(by))

    def transpose(self) -> Confusion:
        """Truth and prediction change places."""
        if np.any(self.outside):
            raise InputError(
                "a table with outside predictions cannot be transposed: "
                "the truth has no column for them; select() or relabel() first"
            )
        return replace(self, data=self.data.transpose())

    def scale(self, factors: Any) -> Confusion:
        """Multiply each true row by its factor, as if that class were more or less frequent."""
        try:
            by = np.asarray(factors, np.float64)
        except (TypeError, ValueError, RuntimeError):
            by = np.full(self.k, np.nan)
        if np.ma.is_masked(factors):  # no number is there, whatever lies beneath
            by = np.full(self.k, np.nan)
        fits = by.shape in ((self.k,), (*self.shape, self.k))
        if not fits or not np.all(np.isfinite(by) & (by >= 0)):
            raise InputError(f"factors must be {self.k} finite numbers ≥ 0, one a class")
        return replace(self, data=self.data.scale(by))

    def calibrate(self, prevalence: Mapping[Any, float] | None = None) -> Confusion:
        """The table as it would be if classes had this prevalence; without one, all the same.

        Recalls stay; everything else follows the new mix. A class that is never true cannot be
        scaled: without a target it is left as it is, with a target above 0 it is an error.

        >>> Confusion.from_matrix([[15, 10], [5, 10]], labels="ab").calibrate().prevalence
        array([0.5, 0.5])
        """
        return self.scale(factors(self.prevalence, self.target(prevalence)))

    def target(self, prevalence: Mapping[Any, float] | None = None) -> Numbers:
        """The class mix to calibrate to, as shares of the classes; without one, all the same."""
        if prevalence is None:
            occurs = np.asarray(self.prevalence > 0, np.float64)
            return np.asarray(occurs / np.maximum(occurs.sum(axis=-1, keepdims=True), 1))
        return mix.shares(prevalence, self.labels, self.prevalence)

    # -- stacks ----------------------------------------------------------------------------

    def __bool__(self) -> bool:
        return True

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("one table has no length; a stack has")
        return self.shape[0]

    def __iter__(self) -> Iterator[Confusion]:
        return (self[i] for i in range(len(self)))

    def __getitem__(self, index: Any) -> Confusion:
        """A table or part of a stack: by position (integers, slices, masks) or by key."""
        if not self.shape:
            raise TypeError("one table cannot be indexed; a stack can")
        if isinstance(index, str | tuple | bool) or index is None:
            return self.at(index)
        if isinstance(index, int | np.integer):
            if not -len(self) <= index < len(self):
                raise IndexError(f"position must be below {len(self)}, got {index}")
            keys, axes = self.keys[1:], self.axes[1:]
        else:
            chosen = np.arange(len(self))[index]
            keys = (tuple(self.keys[0][i] for i in chosen), *self.keys[1:])
            axes = self.axes
        at = int(index) if isinstance(index, np.integer) else index
        items = (self.n, self.missing, self.dropped)
        n, missing, dropped = (seal(np.asarray(np.asarray(x)[at])) for x in items)
        return Confusion(self.labels, self.data.take(at), keys, n, missing, dropped, axes)

    def at(self, key: Hashable) -> Confusion:
        """The table of a stack with this key."""
        if key not in self.keys[0]:
            raise UnknownNameError(f"{key!r} is not one of {shown(self.keys[0])}")
        return self[self.keys[0].index(key)]

    @classmethod
    def stack(
        cls, tables: Mapping[Hashable, Confusion] | Sequence[Confusion], keys: Any = None
    ) -> Confusion:
        """Tables side by side along a new first axis, on the union of their labels."""
        parts = list(tables.values()) if isinstance(tables, Mapping) else list(tables)
        if keys is None:
            keys = tables if isinstance(tables, Mapping) else range(len(parts))
        named = keys if isinstance(keys, Mapping) else in_order(keys, "keys")
        return joined(parts, tuple(named), new_axis=True)

    @classmethod
    def concat(cls, stacks: Sequence[Confusion]) -> Confusion:
        """Stacks one after another along their first axis, on the union of their labels."""
        parts = list(stacks)
        if any(not s.shape for s in parts):
            raise InputError("concat is for stacks; use stack() for single tables")
        return joined(parts, tuple(k for s in parts for k in s.keys[0]), new_axis=False)

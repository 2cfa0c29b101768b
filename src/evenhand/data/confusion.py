"""Confusion tables of one system, and stacks of them."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import prod
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np

from evenhand.core.arrays import ReadOnly, read_only
from evenhand.core.margins import Counts, uniform
from evenhand.core.margins import factors as scaling
from evenhand.core.ratio import ratio
from evenhand.core.scores import ItemScores
from evenhand.data import cells
from evenhand.data.cells import (
    DENSE_LIMIT,
    WEIGHTS,
    Cells,
    DenseCells,
    Numbers,
    Weighing,
    WeightedCells,
    is_weight,
)
from evenhand.data.factorize import real_array
from evenhand.data.labels import (
    Counting,
    Label,
    Labels,
    among,
    checked,
    in_order,
    is_ordered,
    kind_of,
    one_kind,
    ordered,
    positions,
    same_kind,
)
from evenhand.errors import FormError, InputError, UnknownNameError, quoted, shown
from evenhand.options import CLASSES, Classes, choice, is_number, sequence
from evenhand.warnings import ResultWarning, TotalsLeftOut

if TYPE_CHECKING:
    from evenhand.core.registry import Task
    from evenhand.data.sample import Sample


def shares(stated: Mapping[Any, float], labels: Labels, prevalence: Numbers) -> Numbers:
    """Stated shares of classes in the order of ``labels``, checked.

    Every class that occurs must have one, but for the other of two, and they must sum to 1; a
    class that is never true in one of the tables must have 0.
    """
    if not isinstance(stated, Mapping):
        raise InputError(f"prevalence must map classes to shares, got {quoted(stated)}")
    indices = positions(stated, labels, "classes of the prevalence")
    target = np.zeros(len(labels))
    for i, share in zip(indices, stated.values(), strict=True):
        if not is_number(share) or not 0 <= share < math.inf:
            raise InputError(f"prevalence must be numbers ≥ 0, got {share} for {labels[i]!r}")
        target[i] = share
    rows = np.asarray(prevalence).reshape(-1, len(labels))
    unstated = np.asarray((rows > 0).any(axis=0))
    true_classes = int(unstated.sum())
    unstated[indices] = False
    if true_classes == 2 and unstated.sum() == 1 and 0 < target.sum() < 1:
        target[unstated], unstated[:] = 1 - target.sum(), False
    absent = [labels[i] for i in np.flatnonzero(unstated)]
    if absent:
        raise InputError(
            f"prevalence must state the share of every class: missing {shown(absent)}, for which "
            f"{max(0, 1 - target.sum()):.4g} is left"
        )
    if abs(target.sum() - 1) > 1e-6:
        raise InputError(f"prevalence must sum to 1, got {target.sum():.6g}")
    never = [labels[i] for i in np.flatnonzero((rows == 0).any(axis=0) & (target > 0))]
    if never:
        raise InputError(f"prevalence of {shown(never)} cannot be set: no item has that true class")
    return np.asarray(target / target.sum())


# Tables on the same labels and keys


def _item_counts(change: Callable[..., Any], *tables: Confusion) -> dict[str, Any]:
    """Numbers of items, missing predictions and dropped rows of tables, passed to ``change``."""
    names = ("n", "missing", "dropped")
    return {name: change(*(getattr(t, name) for t in tables)) for name in names}


def united(tables: Sequence[Confusion | Sample]) -> Labels:
    """The union of the labels of tables, in natural order if those of each are."""
    first, *kinds = (one_kind(set(map(type, t.labels)), "labels") for t in tables)
    for kind in kinds:
        same_kind(first, kind, "one table", "another")
    union = dict.fromkeys(v for t in tables for v in t.labels)
    return tuple(ordered(union) if all(is_ordered(t.labels) for t in tables) else union)


def on_same_labels(tables: list[Confusion]) -> list[Confusion]:
    """The tables on the union of their labels; labels in the same order stay so."""
    first, *others = ((t.labels, list(map(type, t.labels))) for t in tables)
    if all(other == first for other in others):
        return tables
    labels = united(tables)
    place, moved = {v: i for i, v in enumerate(labels)}, []
    for t in tables:
        to = np.array([place[v] for v in t.labels])
        data = cells.dense_or_sparse(t.data, len(labels))
        moved.append(replace(t, labels=labels, data=data.remap(to, to, len(labels))))
    return moved


def pooled(stack: Confusion) -> Confusion:
    """The tables of a stack's first axis added up."""
    return _regroup(stack, [0] * len(stack))


def _regroup(stack: Confusion, to: list[int], *names: tuple[Hashable, ...]) -> Confusion:
    """The tables of the first axis in the places of the names, added up where they meet."""
    lead = tuple(map(len, names))

    def moved(x: Numbers) -> Numbers:
        sums = np.zeros((*(lead or [1]), *stack.shape[1:]), np.asarray(x).dtype)
        np.add.at(sums, to, x)
        return sums if lead else np.asarray(sums[0])

    keys, axes = (*names, *stack.keys[1:]), stack.axes[1 - len(lead) :]
    data = stack.data.regroup(np.array(to), lead)
    table = replace(stack, data=data, keys=keys, axes=axes, **_item_counts(moved, stack))
    table.refuse_extreme_weights()
    return table


# Tables of labels


class LabelTable(ReadOnly):
    """The margins of labels, and which of them averages run over."""

    labels: Labels
    systems: ClassVar[tuple[str, ...]] = ()

    @property
    @abstractmethod
    def _margins(self) -> Counts:
        """The margins, with all labels averaged."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Leading axes: ``()`` for one table."""
        return ()

    @cached_property
    def k(self) -> int:
        """Number of labels."""
        return len(self.labels)

    def tables(self) -> Self:
        """The table itself."""
        return self

    @cached_property
    def correct(self) -> Numbers:
        """Hits of each label."""
        return np.asarray(self._margins.correct)

    @cached_property
    def bias(self) -> Numbers:
        """How often each label was predicted."""
        return np.asarray(self._margins.bias)

    @cached_property
    def prevalence(self) -> Numbers:
        """How often each label is true."""
        return np.asarray(self._margins.prevalence)

    @cached_property
    def total(self) -> float | Numbers:
        """All items, or all weight: a number, or one for each table of a stack."""
        total = np.asarray(self._margins.total)
        return total if self.shape else total.item()

    @cached_property
    def _averaged(self) -> dict[str, Numbers]:
        """Masks of the labels that rules choose: true of some item, seen somewhere, all."""
        true = self.prevalence > 0
        masks = {"true": true, "seen": true | (self.bias > 0), "given": np.ones(self.k, bool)}
        return {rule: np.asarray(read_only(mask)) for rule, mask in masks.items()}

    @property
    def _task_rule(self) -> str:
        """The rule for the labels of the task."""
        return "true"

    def rule(self, classes: str) -> str:
        """The rule that applies."""
        return self._task_rule if classes == "task" else str(CLASSES.check(classes))

    def averaged(self, classes: Classes = "task") -> Numbers:
        """Mask (…, k) of the labels that an average runs over.

        ``"true"`` are true of some item, ``"seen"`` occur in the truth or the predictions; a list
        names them. ``"task"`` are those true of some item; of multi-label data those given, or
        else every label seen: a false alarm on a label that is never true is an error that shows
        nowhere else.
        """
        if not isinstance(classes, str):
            return np.asarray(read_only(among(classes, self.labels)))
        rule = self.rule(classes)
        return self._averaged[rule]

    def counts(self, *, classes: Classes = "task", undefined: float = 0.0) -> Counts:
        """The margins, with the labels to average and the value of 0/0."""
        return self.counts_over(self.averaged(classes), undefined, ruled=isinstance(classes, str))

    def counts_over(
        self, averaged: Numbers | None, undefined: float, *, ruled: bool = False
    ) -> Counts:
        """The margins, with the labels to average as a mask; ``None``: all of them."""
        return self._margins.averaging(averaged, undefined, ruled=ruled)


# Confusion tables

Keys = tuple[tuple[Hashable, ...], ...]


@dataclass(frozen=True, eq=False, repr=False)
class Confusion(LabelTable):
    """Cells of true × predicted class: rows are true, columns predicted, always.

    Leading axes make it a stack: systems, slices, replicates. ``keys`` names the entries of
    each leading axis. Beside the k × k cells stands the *outside* column, predictions that were
    no class at all: errors for their true class, in no class's bias. ``missing`` counts those
    of them that were null or absent, ``dropped`` the rows left out on request because the
    truth was null. ``axes`` says what the leading axes are, where that is known: ``"system"``
    (predictions of several systems), ``"slice"`` (parts of the items), or ``""``. A ``soft``
    table adds up class probabilities in the place of labels.

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
    soft: bool = False
    notes: tuple[ResultWarning, ...] = field(default=(), compare=False)
    """Warnings about how the items were counted."""
    task: ClassVar[Task] = "single"
    cluster: ClassVar[None] = None
    in_cells: ClassVar[bool] = True
    slices: ClassVar[tuple[Any, ...]] = ()

    def __post_init__(self) -> None:
        if not isinstance(self.data, WeightedCells):
            raise InputError(
                "Confusion holds labels and cells that are counted already; to count, "
                "use Confusion.from_labels(y_true, y_pred), from_matrix or from_frame"
            )
        for name, x in _item_counts(np.asarray, self).items():
            if not x.ndim:
                object.__setattr__(self, name, x.item())
        if len(self.axes) != len(self.shape):
            object.__setattr__(self, "axes", ("",) * len(self.shape))
        super().__post_init__()

    # -- constructors ----------------------------------------------------------------------

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
        from evenhand.data.counting import count_labels

        options = Counting(labels=labels, weights=weights, drop_null_truth=drop_null_truth)
        return count_labels(y_true, y_pred, options)

    @classmethod
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
        from evenhand.data.frames import count_frame

        columns: Any = {"weights": weights, "counts": counts, "by": by}
        options = Counting(labels=labels, drop_null_truth=drop_null_truth, **columns)
        return count_frame(frame, true, pred, options)

    @classmethod
    def from_probabilities(
        cls,
        y_true: Any,
        probabilities: Any,
        *,
        labels: Iterable[Any] | None = None,
        weights: Any = None,
    ) -> Confusion:
        """A soft table: each item adds its class probabilities to the row of its true class.

        ``probabilities`` is items × classes in the order of ``labels``, by default those of
        ``y_true``; or one number an item, the probability of the second of two classes. Every
        metric works on the result unchanged (Opitz 2022, footnote 1); results call it
        ``expected_…``.

        >>> Confusion.from_probabilities(["a", "b"], [[0.75, 0.25], [0.5, 0.5]], labels="ab").cells
        array([[0.75, 0.25],
               [0.5 , 0.5 ]])
        """
        from evenhand.data.probabilities import count_probabilities

        return count_probabilities(y_true, probabilities, Counting(labels=labels, weights=weights))

    @classmethod
    def from_matrix(
        cls,
        matrix: Any,
        *,
        labels: Iterable[Any] | None = None,
        rows: Literal["true", "pred"] | None = None,
        outside: Any = None,
    ) -> Confusion:
        """Take a k × k table as it is, or a stack of them along leading axes.

        A data frame brings its labels in its index and columns; totals are left out. Rows are the
        true classes, unless an index is called as predictions are or ``rows="pred"`` says so.
        ``outside`` is one count a true class.

        >>> table = Confusion.from_matrix([[15, 5], [10, 10]], labels="ab", rows="pred")
        >>> table.prevalence
        array([25, 15])
        """
        from evenhand.data.counting import has_totals, numbers, sides_of, unframed

        if rows is not None:
            choice(rows, ("true", "pred"), "rows")
        matrix, labels, corner, notes = unframed(matrix, labels)
        side, side_notes = sides_of(corner, rows)
        array = numbers(matrix, "matrix")
        if array.ndim < 2 or array.shape[-1] != array.shape[-2] or array.shape[-1] == 0:
            size = " × ".join(map(str, array.shape)) or "a single number"
            raise InputError(f"matrix must be square, k × k with k ≥ 1, got {size}")
        if side == "pred":
            array = np.swapaxes(array, -1, -2)
        k = array.shape[-1]
        names = tuple(range(k)) if labels is None else checked(labels, length=k)
        if has_totals(array):
            array, names, k = array[:-1, :-1], names[:-1], k - 1
            notes = (*notes, TotalsLeftOut(("the last row and column",)))
        shape = array.shape[:-1]
        column = np.zeros(shape, array.dtype) if outside is None else numbers(outside, "outside")
        if column.shape != shape:
            raise InputError(
                f"outside must have one count for each of the {k} true classes, "
                f"got shape {column.shape}"
            )
        weight = np.concatenate([array, column[..., None]], axis=-1)
        return cls.from_cells(names, DenseCells(weight), notes=(*notes, *side_notes))

    @classmethod
    def from_cells(
        cls,
        labels: Labels,
        data: Cells,
        *,
        keys: Keys = (),
        n: float | Numbers | None = None,
        missing: Numbers | int = 0,
        dropped: Numbers | int = 0,
        axes: tuple[str, ...] = (),
        soft: bool = False,
        notes: tuple[ResultWarning, ...] = (),
    ) -> Confusion:
        """A table from labels and cells that already fit; items default to the total."""
        keys = keys or tuple(tuple(range(size)) for size in data.shape)
        null, left_out = (np.broadcast_to(x, data.shape) for x in (missing, dropped))
        table = cls(labels, data, keys, 0 if n is None else n, null, left_out, axes, soft, notes)
        table.refuse_extreme_weights()
        return table if n is not None else replace(table, n=table.total)

    def refuse_extreme_weights(self) -> None:
        """Refuse sums of weights whose squares would not be finite."""
        if self.data.weight.dtype.kind == "f" and not is_weight(self._margins.total).all():
            raise InputError(f"weights must add up to {WEIGHTS}; divide them all by one number")

    # -- margins and cells -----------------------------------------------------------------

    @cached_property
    def shape(self) -> tuple[int, ...]:
        return self.data.shape

    @property
    def cells(self) -> Numbers:
        """The (…, k, k) cells as an array, rows = true."""
        return self.data.dense().weight[..., :-1]

    @cached_property
    def outside(self) -> Numbers:
        """Per true class, the predictions that were no class at all."""
        return self.data.outside()

    @property
    def squares(self) -> Numbers | None:
        """Sums of squared weights, shape (…, k, k + 1); ``None`` if they were never known."""
        return self.data.dense().squares

    def with_scores(self, scores: ItemScores) -> Confusion:
        """The stack with the scores of its items, which no other table made of it has."""
        stack = replace(self)
        vars(stack)["_scores"] = scores
        return stack

    @property
    def item_scores(self) -> ItemScores | None:
        """The scores of the items that a stack of soft tables adds up, where it has kept them."""
        return vars(self).get("_scores")

    def copies(self) -> tuple[tuple[str, ...], ...]:
        """Groups of systems with the same predictions: unknown without items."""
        return ()

    def sliced(self) -> tuple[Confusion, list[tuple[Any, Confusion]]]:
        """All items, and the slices of a stack by key; one table has none."""
        if not self.shape:
            return self, []
        slices = zip(self.keys[0], self, strict=True)
        return pooled(self), [(key, t) for key, t in slices if t.n or not t.dropped]

    @cached_property
    def weighing(self) -> Weighing:
        """Whether items have weights; unknown in a table of fractions without squares."""
        if self.data.square is not None:
            return "given"
        return "none" if self.data.weight.dtype.kind in "iu" else "unknown"

    @cached_property
    def varies(self) -> bool:
        """Whether the variance of the items is known."""
        return self.data.squares is not None

    @cached_property
    def true_squares(self) -> Numbers | None:
        """Squared weights of the items of each true class; ``None`` where each counts once."""
        if self.data.square is None:
            return None
        at, true, _, _, square = self.data.entries()
        sums = np.bincount(at * self.k + true, square, minlength=prod(self.shape) * self.k)
        return np.asarray(read_only(sums.reshape(*self.shape, self.k)))

    @cached_property
    def _margins(self) -> Counts:
        with np.errstate(over="ignore"):  # from_cells() refuses what is too much
            return self.data.margins().mapped(read_only, read_only)

    # -- other tables from it --------------------------------------------------------------

    def __add__(self, other: object) -> Confusion:
        """The sum of two tables or stacks, on the labels and keys of both."""
        if not isinstance(other, Confusion):
            return NotImplemented
        parts = [self, other]
        if self.keys != other.keys:
            if len(self.shape) != len(other.shape) or self.keys[1:] != other.keys[1:]:
                raise InputError(
                    "tables to add must have the same axes, "
                    f"got shapes {self.shape} and {other.shape}"
                )
            keys = tuple(dict.fromkeys((*self.keys[0], *other.keys[0])))
            place = {key: i for i, key in enumerate(keys)}
            parts = [_regroup(t, [place[key] for key in t.keys[0]], keys) for t in parts]
        return pooled(Confusion.stack(parts))

    def __radd__(self, other: object) -> Confusion:
        """So that ``sum(tables)`` works, which starts from 0."""
        return self if isinstance(other, int) and other == 0 else NotImplemented

    def select(self, classes: Iterable[Any]) -> Confusion:
        """The items whose true class is listed; their predictions of other classes go outside.

        This drops data. To average over some classes of the whole table, pass ``classes=`` to
        the metric instead.
        """
        ordered_classes = classes if isinstance(classes, str) else in_order(classes, "classes")
        chosen = positions(ordered_classes, self.labels)
        labels = checked(self.labels[i] for i in chosen)
        true = np.full(self.k, -1)
        true[chosen] = np.arange(len(chosen))
        pred = np.where(true < 0, len(chosen), true)
        data = self.data.remap(true, pred, len(chosen))
        margins = data.margins()
        outside = np.ceil(np.asarray(margins.outside, float)).astype(np.int64)
        missing, n = np.minimum(self.missing, outside), margins.total
        if self.data.square is not None:  # weights do not tell how many items are left
            n = np.rint(self.n * ratio(n, self.total)).astype(np.int64)
        dropped = np.zeros(self.shape, np.int64)
        return replace(self, labels=labels, data=data, n=n, missing=missing, dropped=dropped)

    def relabel(self, names: Mapping[Any, Any] | Callable[[Label], Any]) -> Confusion:
        """Rename labels; those given one name are merged. Labels not in a mapping stay."""
        if isinstance(names, type) or not (isinstance(names, Mapping) or callable(names)):
            raise InputError(f"names must map labels to new ones, got {quoted(names)}")
        if callable(names):
            new = [names(v) for v in self.labels]
        else:
            at = positions(names, self.labels, "labels to rename")
            by_index = dict(zip(at, names.values(), strict=True))
            new = [by_index.get(i, v) for i, v in enumerate(self.labels)]
        kind_of(new, "new labels")
        labels = checked(list(dict.fromkeys(new)))
        place = {v: i for i, v in enumerate(labels)}
        to = np.array([place[v] for v in new])
        return replace(self, labels=labels, data=self.data.remap(to, to, len(labels)))

    def transpose(self) -> Confusion:
        """Truth and prediction change places."""
        if np.any(self.outside):
            raise InputError(
                "a table with outside predictions cannot be transposed: "
                "the truth has no column for them; select() or relabel() first"
            )
        return replace(self, data=self.data.transpose())

    def scale(self, factors: Any) -> Confusion:
        """Multiply each true row by its factor λ, as if that class were more or less frequent.

        One factor a class in the order of the labels, or some by label, the others staying
        (Opitz 2022, eq. 5; tables 2 to 4 there).

        >>> Confusion.from_matrix([[15, 10], [5, 10]], labels="ab").scale({"b": 2}).cells
        array([[15., 10.],
               [10., 20.]])
        """
        if isinstance(factors, Mapping):
            at = positions(factors, self.labels, "classes to scale")
            by_index = dict(zip(at, factors.values(), strict=True))
            factors = [by_index.get(i, 1.0) for i in range(self.k)]
        by = real_array(factors)
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
        return self.scale(scaling(self.prevalence, self.target(prevalence)))

    def target(self, prevalence: Mapping[Any, float] | None = None) -> Numbers:
        """The class mix to calibrate to, as shares of the classes; without one, all the same."""
        if prevalence is None:
            return np.asarray(uniform(self.prevalence))
        return shares(prevalence, self.labels, self.prevalence)

    # -- stacks ----------------------------------------------------------------------------

    def __bool__(self) -> bool:
        return True

    def __len__(self) -> int:
        if not self.shape:
            raise FormError("one table has no length; a stack has")
        return self.shape[0]

    def __iter__(self) -> Iterator[Confusion]:
        return (self[i] for i in range(len(self)))

    def __getitem__(self, index: Any) -> Confusion:
        """A table or part of a stack: by position (integers, slices, masks) or by key."""
        if not self.shape:
            raise FormError("one table cannot be indexed; a stack can")
        if isinstance(index, str | tuple | bool) or index is None:
            return self.at(index)
        keys, axes, at = self.keys[1:], self.axes[1:], index
        if isinstance(index, int | np.integer):
            if not -len(self) <= index < len(self):
                raise IndexError(f"position must be below {len(self)}, got {index}")
            at = int(index)
        else:
            chosen = np.arange(len(self))[index]
            keys, axes = (tuple(self.keys[0][i] for i in chosen), *keys), self.axes
        items = _item_counts(lambda x: read_only(np.asarray(np.asarray(x)[at])), self)
        part = replace(self, data=self.data.take(at), keys=keys, axes=axes, **items)
        scores = self.item_scores
        return part if scores is None else part.with_scores(scores.take(at))

    def at(self, key: Hashable) -> Confusion:
        """The table of a stack with this key."""
        if key not in self.keys[0]:
            raise UnknownNameError(f"{key!r} is not one of {shown(self.keys[0])}")
        return self[self.keys[0].index(key)]

    @staticmethod
    def stack(
        tables: Mapping[Hashable, Confusion] | Sequence[Confusion], keys: Any = None
    ) -> Confusion:
        """Tables side by side along a new first axis, on the union of their labels."""
        values = tables.values() if isinstance(tables, Mapping) else tables
        parts = sequence(values, "a stack", "tables")
        if keys is None:
            keys = tables if isinstance(tables, Mapping) else range(len(parts))
        names = tuple(keys if isinstance(keys, Mapping) else in_order(keys, "keys"))
        for part in parts:
            if not isinstance(part, Confusion):
                raise InputError(f"a stack is made of tables, got {quoted(part)}")
        if not parts:
            raise InputError("a stack must have at least one table, got none")
        first, *others = on_same_labels(parts)
        if any(p.keys != first.keys for p in others):
            raise InputError("tables of a stack must have the same keys on their other axes")
        if len(names) != len(parts) or len(set(names)) != len(parts):
            raise InputError(f"keys must be {len(parts)} different ones, got {shown(names)}")
        if len({p.soft for p in parts}) > 1:
            raise InputError(
                "soft tables, which add up probabilities, cannot stand with tables of labels: "
                "decide first (Sample.from_probabilities(…).decided())"
            )
        axes = first.axes if all(p.axes == first.axes for p in others) else ("",) * len(first.axes)
        return first.from_cells(
            first.labels,
            cells.stack([p.data for p in (first, *others)]),
            keys=(names, *first.keys),
            axes=("", *axes),
            soft=first.soft,
            notes=tuple(dict.fromkeys(note for p in parts for note in p.notes)),
            **_item_counts(lambda *x: np.stack(x), first, *others),
        )

    # -- files, frames and screens ---------------------------------------------------------

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Numbers:
        """The cells as a numpy array, without the outside column."""
        cells = np.asarray(self.cells, dtype)
        return cells.copy() if copy else cells

    def to_pandas(self) -> Any:
        """A pandas frame of the cells, true labels in its index, predicted ones in its columns."""
        import pandas as pd

        if self.shape:
            raise InputError("to_pandas() is for one table; index the stack first")
        labels = list(self.labels)
        frame = pd.DataFrame(self.cells, index=labels, columns=labels)
        return frame.rename_axis(index="true", columns="predicted")

    def nonzero(self) -> tuple[Numbers, Numbers, Numbers]:
        """The non-empty cells of one table: true code, predicted code (k = outside), weight."""
        if self.shape:
            raise InputError("nonzero() is for one table; index the stack first")
        _, true, pred, weight, _ = self.data.entries()
        return read_only(true), read_only(pred), read_only(weight)

    def save(self, path: str) -> None:
        """Write the table to a file in JSON; read it with load()."""
        from evenhand.io.saved import save

        save(self, path)

    @classmethod
    def load(cls, path: str) -> Confusion:
        """The table that :meth:`save` or ``evenhand count`` wrote."""
        from evenhand.io.saved import load

        return load(path).table

    def __repr__(self) -> str:
        from evenhand.results.result import confusion_text

        return confusion_text(self)

    def _repr_html_(self) -> str:
        from evenhand.results.result import confusion_html

        return confusion_html(self)


# Tables of many classes

LARGE = 1 << 21
"""Tables × classes beyond which a stack is scored block by block."""

BLOCK = 1 << 18
"""Approximate tables × classes of a block, which fits the cache."""


def many(table: Confusion) -> bool:
    """Whether a table has so many classes that only those that occur in it are scored."""
    return table.k * (table.k + 1) > DENSE_LIMIT


def large(table: Confusion) -> bool:
    """Whether a stack is too large to compute all its margins at once."""
    return bool(table.shape) and prod(table.shape) * table.k > LARGE


def blocks(table: Confusion, named: Iterable[int] | None = ()) -> Iterator[Confusion]:
    """The stack itself, or the small parts of a large one.

    If there are many classes, a part has those that occur in it and those ``named``, or all if
    ``named`` is ``None``.
    """
    if not large(table):
        yield table
        return
    narrow = many(table) and named is not None
    cells = table.data.filled / len(table)  # of one table; each has a row and a column
    tables = max(BLOCK / table.k, (BLOCK / (2 * cells + 1)) ** 0.5 if narrow else 1)
    step = max(1, int(tables))
    for start in range(0, len(table), step):
        part = table[start : start + step]
        yield drop_empty_classes(part, named or ()) if narrow else part


def drop_empty_classes(table: Confusion, named: Iterable[int]) -> Confusion:
    """A stack with only the classes that occur in some table of it, and those ``named``."""
    _, true, pred, _, _ = table.data.entries()
    occurs = np.zeros(table.k + 1, bool)
    occurs[true] = occurs[pred] = True
    occurs[list(named)] = True
    to = np.where(occurs[:-1], np.cumsum(occurs[:-1]) - 1, -1)
    labels = tuple(table.labels[i] for i in np.flatnonzero(occurs[:-1]).tolist())
    return replace(table, labels=labels, data=table.data.remap(to, to, len(labels)))

"""Counting arrays into tables and samples."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence, Sized
from dataclasses import dataclass, replace
from datetime import date, time, timedelta
from decimal import Decimal
from itertools import repeat, zip_longest
from math import prod
from numbers import Real
from operator import itemgetter
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.core.arrays import read_only, taken
from evenhand.data.cells import (
    WEIGHTS,
    Cells,
    Entries,
    Numbers,
    coalesce,
    dense_pays,
    is_weight,
    to_dense,
)
from evenhand.data.confusion import Confusion
from evenhand.data.factorize import (
    Codes,
    FactorizedLabels,
    array_of,
    coded,
    count_integers,
    factorize,
    is_frame,
    on_host,
    polars_column,
)
from evenhand.data.labels import (
    Label,
    Labels,
    checked,
    common_spellings,
    is_null,
    kind_of,
    ordered,
    plain,
    same_kind,
)
from evenhand.data.sample import Sample
from evenhand.errors import InputError, Option, mapping, quoted, sequence, shown
from evenhand.text import key_text
from evenhand.warnings import ResultWarning, SameLabels


def numbers(values: Any, what: str) -> Numbers:
    """Finite numbers ≥ 0 as an array, of integers if all are whole."""
    array = array_of(values, what)
    if array.dtype.kind == "O":
        try:
            array = array.astype(np.float64)
        except (ValueError, TypeError, OverflowError):
            raise InputError(f"{what} must hold numbers, one length a row") from None
    if array.dtype.kind not in "iufb":
        raise InputError(f"{what} must hold numbers, got {array.dtype}")
    if array.size == 0 or values is None:
        raise InputError(f"{what} must not be empty")
    for words, wrong in (("finite counts", ~np.isfinite(array)), ("counts ≥ 0", array < 0)):
        if wrong.any():
            at = tuple(int(i) for i in np.argwhere(wrong)[0])
            raise InputError(f"{what} must hold {words}, got {array[at]} at {at}")
    if array.dtype.kind == "f":
        is_integer = np.all((array == np.floor(array)) & (array < 2.0**63))
    else:
        is_integer = np.all(array <= np.iinfo(np.int64).max)
    return array.astype(np.int64 if is_integer else np.float64)


def in_unit(values: Any, what: str) -> NDArray[np.float64]:
    """One or more numbers from 0 to 1, sorted."""
    try:
        array = np.array(sorted(values), np.float64) if np.isrealobj(values) else np.zeros(0)
    except (TypeError, ValueError):
        array = np.zeros(0)
    if array.ndim != 1 or not len(array) or not np.all((array >= 0) & (array <= 1)):
        raise InputError(f"{what} must be numbers from 0 to 1, got {quoted(values)}")
    return array


def unframed(matrix: Any, labels: Iterable[Any] | None) -> tuple[Any, Iterable[Any] | None]:
    """The values of a matrix and its labels, which a data frame has in its index and columns."""
    if not hasattr(matrix, "to_numpy"):
        return matrix, labels
    index, columns = getattr(matrix, "index", None), getattr(matrix, "columns", None)
    if index is not None and columns is not None and list(index) != list(columns):
        if set(index) != set(columns) or len(set(columns)) != len(columns):
            raise InputError(
                "index and columns of the frame must name the same classes, "
                f"got {shown(index)} and {shown(columns)}"
            )
        matrix, columns = matrix.loc[:, list(index)], index
    if labels is None and columns is not None:
        labels = list(columns)
    return matrix.to_numpy(), labels


NO_ITEM = "{} must not be null everywhere: no item is left to count"


@dataclass(frozen=True)
class Tally:
    """Counted rows of (table, true label, predicted label), as every counter returns them.

    ``weight`` and ``square`` (sums of weights and of their squares) are ``None`` if items have no
    weights. Equal rows are added up. ``copies`` is the number of systems, if ``table`` has them.
    """

    true: FactorizedLabels
    pred: FactorizedLabels
    items: NDArray[np.int64]
    weight: NDArray[Any] | None = None
    square: NDArray[Any] | None = None
    table: Codes | None = None
    keys: tuple[tuple[Hashable, ...], ...] = ()
    copies: int = 1

    def confusion(
        self,
        *,
        labels: Iterable[Any] | None = None,
        drop_null_truth: bool = False,
        names: tuple[str, str] = ("y_true", "y_pred"),
    ) -> Confusion:
        """The table, or the stack of them; a null truth is an error unless dropped on request."""
        listed = None if labels is None else checked(labels)
        new = new_labels([self.true, *self._predictions()], listed)
        truth, guess = respelled(self.true, new), respelled(self.pred, new)
        classes = shared_labels([truth, guess], listed, names, new)
        true, pred = recode(truth, classes), recode(guess, classes)
        shape = tuple(len(k) for k in self.keys)
        table = np.zeros(len(true), np.int64) if self.table is None else self.table

        def items_in(rows: Any) -> NDArray[np.int64]:
            if not shape:
                return np.asarray(self.items[rows].sum(), np.int64)
            sums = np.bincount(table[rows], self.items[rows], minlength=prod(shape))
            return np.rint(sums).astype(np.int64).reshape(shape)

        no_truth, null = true < 0, guess.codes < 0
        weight = self.items if self.weight is None else self.weight
        rows: Any = (table, true, pred, weight, self.square)
        dropped = np.count_nonzero(no_truth)
        if dropped:
            items = int(self.items[no_truth].sum()) // self.copies
            refuse_truth(truth, items, classes, names[0], drop=drop_null_truth)
            if dropped == len(no_truth):
                raise InputError(NO_ITEM.format(names[0]))
            rows = taken(~no_truth, *rows)
        return Confusion.from_cells(
            classes,
            cells_of(rows, k=len(classes), shape=shape),
            keys=self.keys,
            n=items_in(~no_truth if dropped else slice(None)),
            missing=items_in(~no_truth & null) if np.count_nonzero(null) else 0,
            dropped=items_in(no_truth) if dropped else 0,
            notes=spelling_notes(new),
        )

    def _predictions(self) -> list[FactorizedLabels]:
        """The labels that each system predicts, which may be spelled differently."""
        if self.copies == 1 or self.table is None:
            return [self.pred]
        system = self.table // (prod(len(k) for k in self.keys) // self.copies)
        each = (np.unique(self.pred.codes[system == i]) for i in range(self.copies))
        labels = self.pred.labels
        return [
            FactorizedLabels(codes, [labels[c] for c in codes if c >= 0], None) for codes in each
        ]


def cells_of(rows: Entries, *, k: int, shape: tuple[int, ...] = ()) -> Cells:
    """Cells from rows of codes, where a predicted −1 is outside; dense or sparse."""
    table, true, pred, weight, square = rows
    outside = pred < 0
    column = np.where(outside, k, pred) if np.count_nonzero(outside) else pred
    make = to_dense if dense_pays(k, prod(shape), len(weight)) else coalesce
    return make((table, true, column, weight, square), k=k, shape=shape)


def new_labels(
    columns: Sequence[FactorizedLabels], listed: Labels | None
) -> dict[Any, Label | None]:
    """New labels by the type and value of labels in some columns; the truth is the first column.

    An empty prediction is null (``None``), unless some item is truly labelled so.
    """
    spellings = [*(c.labels for c in columns), *([] if listed is None else [listed])]
    new: dict[Any, Label | None] = {**common_spellings(spellings)}
    truth, *guesses = columns
    if "" not in (*truth.labels, *(listed or ())) and any("" in c.labels for c in guesses):
        new[str, ""] = None
    return new


def respelled(column: FactorizedLabels, new: Mapping[Any, Label | None]) -> FactorizedLabels:
    """The column with new labels for some; items whose new label is ``None`` become null."""
    labels = [new.get((type(v), v), v) for v in column.labels] if new else column.labels
    if labels == column.labels and list(map(type, labels)) == list(map(type, column.labels)):
        return column
    known = [v for v in labels if v is not None]
    place = {v: i for i, v in enumerate(dict.fromkeys(known))}
    to = np.array([*(-1 if v is None else place[v] for v in labels), -1], np.int64)
    return FactorizedLabels(to[column.codes], list(place), kind_of(known, "labels"))


def spelling_notes(new: Mapping[Any, Label | None]) -> tuple[ResultWarning, ...]:
    """A warning about labels that were spelled differently, if there are any."""
    pairs = tuple((old[1], label) for old, label in new.items() if label is not None)
    return (SameLabels(pairs),) if pairs else ()


def shared_labels(
    columns: list[FactorizedLabels],
    labels: Iterable[Any] | None,
    names: Iterable[str],
    new: Mapping[Any, Label | None] = MappingProxyType({}),
) -> Labels:
    """The classes of a table: as given, or all that occur, in natural order.

    ``new`` has new labels for some of those given.
    """
    kind, first = None, ""
    for column, name in zip(columns, names, strict=True):
        kind = same_kind(kind, column.kind, first, name)
        first = first or name
    if labels is None:
        distinct: set[Label] = set().union(*(c.labels for c in columns))
        if not distinct:
            raise InputError(f"{first} must not be null everywhere: there is no class")
        return tuple(ordered(distinct))
    classes = checked([new.get((type(v), v), v) for v in checked(labels)])
    same_kind(kind_of(classes, "labels"), kind, "labels", first)
    return classes


def recode(column: FactorizedLabels, labels: Labels) -> Codes:
    """The column's codes in the order of ``labels``; −1 for null and for labels not listed."""
    place = {v: i for i, v in enumerate(labels)}
    to = np.array([*map(place.get, column.labels, repeat(-1)), -1], np.int64)
    return to[column.codes]


def refuse_truth(
    truth: FactorizedLabels, items: int, labels: Labels, name: str, *, drop: bool, first: str = ""
) -> None:
    """Refuse true labels that are no class, and nulls unless they are to be dropped."""
    refuse_strange(truth.labels, labels, name)
    if not drop:
        raise NullTruthError(name, items, first)


def refuse_strange(values: Iterable[Label], labels: Labels, name: str) -> None:
    """Refuse values that are not among the labels."""
    known = set(labels)
    unknown = [v for v in values if v not in known]
    if unknown:
        raise InputError(
            f"{name} must hold only the given labels {shown(labels)}, got {shown(unknown)}"
        )


class NullTruthError(InputError):
    """Items without a true label, and where the first is, if that is known."""

    def __init__(self, name: str, items: int, first: str = "") -> None:
        self.name, self.items = name, items
        where = f", the first at {first}" if first else ""
        super().__init__(
            f"{name} must not be null, got {items:,} null(s){where}; ",
            Option("drop_null_truth"),
            " leaves such items out, and counts them",
        )

    def first(self, place: str) -> NullTruthError:
        """The same error, saying where."""
        return NullTruthError(self.name, self.items, place)

    def __reduce__(self) -> Any:
        return type(self), (self.name, self.items)


# Slices and clusters


def slices_of(keys: Iterable[Any], what: str = "by") -> tuple[Codes, tuple[Hashable, ...]]:
    """The slice of each item as a code, and the slices' keys in natural order, null last."""

    def plain_key(value: Any) -> Any:
        if isinstance(value, tuple):
            return tuple(map(plain_key, value))
        return None if is_null(value) else plain(value)

    rows = [plain_key(key) for key in keys]
    try:
        distinct = in_natural_order(set(rows))
    except TypeError:
        raise InputError(f"{what} must hold plain values to slice by") from None
    place = {key: i for i, key in enumerate(distinct)}
    return np.array([place[row] for row in rows], np.int64), tuple(distinct)


def keys_of(columns: Sequence[Iterable[Any]]) -> list[Any] | None:
    """The key of each item's slice: the value of one column, or a tuple of those of several."""
    if not columns:
        return None
    return list(columns[0]) if len(columns) == 1 else list(zip(*columns, strict=True))


def one_each(by: Any, n: int) -> list[Any]:
    """The key of each of ``n`` items' slice."""
    keys = sequence(by, "by", "values, one an item")
    if len(keys) != n:
        raise InputError(f"by must have {n:,} entries, one an item, got {len(keys):,}")
    return keys


def parts_of(by: Any, n: int) -> list[tuple[Hashable, Codes]]:
    """The key of each slice with the indices of its items."""
    codes, keys = slices_of(one_each(by, n))
    order = np.argsort(codes, kind="stable")
    parts = np.split(order, np.searchsorted(codes[order], np.arange(1, len(keys))))
    return list(zip(keys, parts, strict=True))


def in_natural_order(keys: Iterable[Any]) -> list[Any]:
    """Keys of slices sorted by column, type and value: null last, integers as text by number.

    >>> in_natural_order([("10", "b"), ("2", None), ("2", "a")])
    [('2', 'a'), ('2', None), ('10', 'b')]
    """
    distinct = list(keys)
    rows = [key if isinstance(key, tuple) else (key,) for key in distinct]
    places = [{v: i for i, v in enumerate(_natural(set(c)))} for c in zip_longest(*rows)]
    order = [tuple(place[v] for place, v in zip(places, row, strict=False)) for row in rows]
    return [key for _, key in sorted(zip(order, distinct, strict=True), key=itemgetter(0))]


def _natural(values: Iterable[Any]) -> list[Any]:
    kinds: dict[tuple[bool, str], list[Any]] = {}
    for v in values:
        kinds.setdefault((v is None, type(v).__name__), []).append(v)
    return [v for kind in sorted(kinds) for v in ordered(kinds[kind])]


def _dates_as_text(values: Any) -> Any:
    """Values as they are, or as text if some are dates, times or decimals."""
    kind = str(getattr(values, "dtype", "object")).lower()
    if not any(word in kind for word in ("object", "date", "time", "duration", "decimal")):
        return values
    rows = sequence(values, "cluster", "values, one an item")
    if not any(isinstance(v, date | time | timedelta | Decimal | np.datetime64) for v in rows):
        return values
    return [None if is_null(v) else str(v) for v in rows]


def clusters(values: Any, n: int) -> Codes:
    """The cluster of each item as a code, in the order of the clusters' names."""
    column = factorize(_dates_as_text(values), "cluster")
    if len(column) != n:
        raise InputError(f"cluster must have {n:,} entries, one an item, got {len(column):,}")
    if (column.codes < 0).any():
        raise InputError(f"cluster must not be null, got a null at {first_null(column)}")
    return recode(column, tuple(ordered(column.labels)))  # whatever the order of items


# Counting labels

FEW = 1 << 14
"""Items up to which Python counts faster than other libraries start."""

NAMES = ("y_true", "y_pred")

PLAIN = {str: "str", int: "int", bool: "bool"}
"""Types whose values are never null and equal only within the type."""


def count_labels(
    y_true: Any,
    y_pred: Any,
    *,
    labels: Iterable[Any] | None = None,
    weights: Any = None,
    by: Any = None,
    drop_null_truth: bool = False,
) -> Confusion:
    """The table of two equally long columns of labels; by slices, the stack of their tables."""
    if isinstance(y_true, str):
        raise InputError("y_true must be a sequence of labels, got str")
    if by is None:
        tally = _tally(y_true, y_pred, weights)
    else:
        tally = _tally_items(y_true, y_pred, weights, by)
    table = tally.confusion(labels=labels, drop_null_truth=drop_null_truth)
    return table if by is None else replace(table, axes=("slice",))


def _tally(y_true: Any, y_pred: Any, weights: Any) -> Tally:
    """Labels counted by the fastest means for their type."""
    y_true, y_pred = _native_bytes(y_true), _native_bytes(y_pred)
    if weights is None:
        (few_true, left), (few_pred, right) = _few_labels(y_true), _few_labels(y_pred)
        if left and right:
            same_length(few_true, few_pred)
            pairs = Counter(zip(few_true, few_pred, strict=True))
            truth, guess = map(coded, zip(*pairs, strict=True), (left, right))
            return Tally(truth, guess, np.array(list(pairs.values()), np.int64))
        true, pred = _integer_array(y_true), _integer_array(y_pred)
        if true is not None and pred is not None:
            same_length(true, pred)
            values_true, values_pred, items = count_integers(true, pred)
            return Tally(factorize(values_true), factorize(values_pred), items)
    true, pred = map(polars_column, (y_true, y_pred), NAMES)
    if true is not None and pred is not None:
        return _tally_polars(true, pred, item_weights(weights, same_length(true, pred)))
    return _tally_items(y_true, y_pred, weights)


def _tally_items(y_true: Any, y_pred: Any, weights: Any, by: Any = None) -> Tally:
    """One row an item, in slices or not."""
    truth, guess = map(factorize, (y_true, y_pred), NAMES)
    n = same_length(truth, guess)
    weight = item_weights(weights, n)
    square = None if weight is None else weight**2
    codes, *keys = (None,) if by is None else slices_of(one_each(by, n))
    return Tally(truth, guess, np.ones(n, np.int64), weight, square, codes, tuple(keys))


def _few_labels(values: Any) -> tuple[Sequence[Any], str]:
    """A short list of labels of one type, and its kind; nothing for other labels."""
    if type(values) is np.ndarray and values.ndim == 1 and values.dtype.kind in "iubUTO":
        values = values.tolist() if len(values) <= FEW else ()
    elif type(values) not in (list, tuple) or len(values) > FEW:
        values = ()
    types = set(map(type, values))
    kind = PLAIN.get(types.pop(), "") if len(types) == 1 else ""
    return (values, kind) if kind else ((), "")


def _native_bytes(values: Any) -> Any:
    """An array in the byte order of this machine."""
    if isinstance(values, np.ndarray) and not values.dtype.isnative:
        return values.astype(values.dtype.newbyteorder("="))
    return values


def _integer_array(values: Any) -> NDArray[Any] | None:
    """An array of signed integers; ``None`` for everything else."""
    library = type(values).__module__.partition(".")[0]
    if library in ("torch", "jax", "jaxlib"):
        values = on_host(values)
    elif library != "numpy":
        return None
    array = np.asarray(values)
    if array.ndim != 1 or array.dtype.kind not in "iu" or isinstance(values, np.ma.MaskedArray):
        return None
    if array.dtype == np.uint64:
        if array.size and int(array.max()) >= 1 << 63:
            return None
        return array.view(np.int64)
    return array


def _tally_polars(true: Any, pred: Any, weight: NDArray[Any] | None) -> Tally:
    """Distinct pairs of two Polars columns, in one pass."""
    import polars as pl

    frame = pl.LazyFrame({"true": true, "pred": pred})
    sums = [pl.len().cast(pl.Int64).alias("items")]
    if weight is not None:
        frame = frame.with_columns(weight=pl.Series(weight), square=pl.Series(weight**2))
        sums += [pl.col("weight").sum(), pl.col("square").sum()]
    pairs = frame.group_by("true", "pred").agg(sums).sort("true", "pred").collect()
    truth, guess = map(factorize, (pairs["true"], pairs["pred"]), NAMES)
    items, *weights = (pairs[name].to_numpy() for name in pairs.columns[2:])
    square, weight = (weights.pop(), weights.pop()) if weights else (None, None)
    return Tally(truth, guess, items, weight, square)


def same_length(true: Sized, pred: Sized, names: tuple[str, str] = NAMES) -> int:
    """The number of items, which both sides must have, at least one."""
    n, other = len(true), len(pred)
    if n != other:
        raise InputError(
            f"{names[0]} and {names[1]} must have the same length, got {n:,} and {other:,}"
        )
    if not n:
        raise InputError(f"{names[0]} must not be empty: there is no item to count")
    return n


def item_weights(weights: Any, n: int) -> NDArray[Any] | None:
    """Weights as an array, one an item."""
    if weights is None:
        return None
    if np.ma.is_masked(weights):
        at = int(np.flatnonzero(np.ma.getmaskarray(weights))[0])
        raise InputError(f"weights must be {n:,} numbers, one an item, got none at item {at}")
    try:
        array = np.asarray(on_host(weights))
    except (ValueError, TypeError, RuntimeError):
        raise InputError(f"weights must be {n:,} numbers, one an item") from None
    if array.shape != (n,):
        raise InputError(f"weights must be {n:,} numbers, one an item, got shape {array.shape}")
    if array.dtype.kind not in "iufb":
        others = [v for v in array.tolist() if not isinstance(v, Real)] or [array.dtype.name]
        raise InputError(f"weights must be {n:,} numbers, one an item, got {shown(others)}")
    weight = array.astype(np.float64)
    bad = np.flatnonzero(~is_weight(weight))
    if len(bad):
        raise InputError(f"weights must be {WEIGHTS}, got {array[bad[0]]} at item {bad[0]}")
    return weight


def first_null(column: FactorizedLabels) -> str:
    """The place of the first null of a column for a message; empty if there is none."""
    null = np.flatnonzero(column.codes < 0)
    return f"item {int(null[0])}" if len(null) else ""


# Counting samples of several systems


def count_sample(
    y_true: Any,
    predictions: Any,
    *,
    labels: Iterable[Any] | None = None,
    weights: Any = None,
    counts: Any = None,
    cluster: Any = None,
    by: Any = None,
    drop_null_truth: bool = False,
    truth: str = "y_true",
    names: Sequence[str] | None = None,
) -> Sample:
    """The sample of one column of truth and one of predictions for each named system.

    ``truth`` and ``names`` are what errors call the columns.
    """
    if is_frame(predictions):
        predictions = {name: predictions[name] for name in predictions.columns}
    mapping(predictions, "predictions", "at least one system's name to its labels")
    systems = tuple(map(str, predictions))
    if len(set(systems)) < len(systems):
        raise InputError(f"systems must have different names as text, got {shown(predictions)}")
    called = [truth, *(names or (f"predictions of {name!r}" for name in systems))]
    true = factorize(list(y_true) if isinstance(y_true, str) else y_true, truth)
    guesses = [factorize(p, name) for p, name in zip(predictions.values(), called[1:], strict=True)]
    for name, guess in zip(called[1:], guesses, strict=True):
        same_length(true, guess, (truth, name))
    n, listed = len(true), None if labels is None else checked(labels)
    new = new_labels([true, *guesses], listed)
    true, *guesses = (respelled(column, new) for column in (true, *guesses))
    classes = shared_labels([true, *guesses], listed, called, new)
    items = CodedSample(
        classes,
        systems,
        recode(true, classes),
        np.stack([recode(g, classes) for g in guesses], axis=1),
        np.stack([g.codes < 0 for g in guesses], axis=1),
        item_weights(weights, n),
        _frequencies(counts, n),
        None if cluster is None else clusters(cluster, n),
    )
    if items.no_truth.any():
        first = first_null(true) if counts is None else ""
        refuse_truth(true, items.dropped, classes, truth, drop=drop_null_truth, first=first)
    sample = replace(items.sample(truth), notes=spelling_notes(new))
    if by is None:
        return sample
    parts = (
        (key, items.at(at).sample(f"{truth} of {key_text(key)}", renumber=False))
        for key, at in parts_of(by, n)
        if not items.no_truth[at].all()  # dropped rows make no slice
    )
    return replace(sample, slices=tuple(parts))


@dataclass(frozen=True, eq=False)
class CodedSample:
    """Items as codes: truth, prediction of each system, nulls, weight, frequency and cluster."""

    labels: Labels
    systems: tuple[str, ...]
    true: Codes
    pred: Codes
    null: NDArray[np.bool_]
    weight: NDArray[Any] | None
    times: NDArray[Any] | None
    cluster: Codes | None

    def at(self, rows: Any) -> CodedSample:
        """Some of the items."""
        columns = (self.true, self.pred, self.null, self.weight, self.times, self.cluster)
        return CodedSample(self.labels, self.systems, *taken(rows, *columns))

    @property
    def no_truth(self) -> NDArray[np.bool_]:
        """Mask of the items without a true class."""
        return np.asarray(self.true < 0)

    @property
    def dropped(self) -> int:
        """The number of items without a true class."""
        times = np.ones(len(self.true), np.int64) if self.times is None else self.times
        return int(times[self.no_truth].sum())

    def sample(self, truth: str, *, renumber: bool = True) -> Sample:
        """The distinct rows of the items with a true class.

        Clusters are numbered anew, or keep the codes that slices share if not ``renumber``.
        """
        if self.no_truth.all():
            raise InputError(NO_ITEM.format(truth))
        items = self.at(~self.no_truth) if self.no_truth.any() else self
        true, pred, weight, times = items.true, items.pred, items.weight, items.times
        columns = [true, *pred.T]
        if items.cluster is not None:
            columns.append(items.cluster)
        if weight is not None:  # items of one row weigh the same, so that a row can be resampled
            columns.append(np.unique(weight, return_inverse=True)[1])
        first, row = distinct_rows(columns)
        frequency = np.zeros(len(first), np.int64)
        np.add.at(frequency, row, 1 if times is None else times)
        summed: NDArray[Any] = frequency
        square: NDArray[Any] | None = None
        if weight is not None:
            summed, square = frequency * weight[first], frequency * weight[first] ** 2
        group = None
        if items.cluster is not None:
            group = items.cluster[first]
            group = np.unique(group, return_inverse=True)[1] if renumber else group
        return Sample(
            labels=items.labels,
            systems=items.systems,
            true=read_only(true[first]),
            pred=read_only(pred[first]),
            weight=read_only(summed),
            square=read_only(square),
            cluster=read_only(group),
            n=int(frequency.sum()),
            missing=items.null.sum(axis=0) if times is None else times @ items.null,
            dropped=self.dropped,
        )


def distinct_rows(columns: list[Codes]) -> tuple[Codes, Codes]:
    """The first item of each distinct row in sorted order, and the row of each item."""
    row = columns[0]
    first = np.zeros(0, np.int64)
    for column in [np.zeros_like(row), *columns[1:]]:
        span = int(column.max(initial=0)) + 2
        _, first, row = np.unique(row * span + column + 1, return_index=True, return_inverse=True)
    return first, row


def _frequencies(values: Any, n: int) -> NDArray[Any] | None:
    if values is None:
        return None
    counts = numbers(values, "counts")
    if counts.shape != (n,) or counts.dtype.kind != "i":
        raise InputError(f"counts must be {n:,} whole numbers ≥ 0, one a row")
    return counts

"""Counting arrays into tables and samples."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Mapping, Sequence, Sized
from dataclasses import dataclass, replace
from itertools import repeat
from math import isclose, prod
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.core.arrays import read_only, take
from evenhand.data.cells import (
    WEIGHTS,
    Numbers,
    cells_of,
    is_weight,
)
from evenhand.data.confusion import Confusion
from evenhand.data.factorize import (
    Codes,
    FactorizedLabels,
    array_of,
    count_integers,
    factorize,
    is_frame,
    on_host,
    polars_column,
    real_array,
    refuse_other_order,
)
from evenhand.data.labels import (
    INTEGER_TEXT,
    Counting,
    Label,
    Labels,
    checked,
    common_spellings,
    is_null,
    kind_of,
    lookalikes,
    ordered,
    plain,
    same_kind,
)
from evenhand.data.matching import words
from evenhand.data.sample import Sample
from evenhand.errors import InputError, Option, quoted, shown
from evenhand.options import mapping, sequence
from evenhand.text import counted
from evenhand.warnings import CaseApart, ResultWarning, RowsPredicted, SameLabels, TotalsLeftOut


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
    for kind, wrong in (("finite counts", ~np.isfinite(array)), ("counts ≥ 0", array < 0)):
        if wrong.any():
            at = tuple(int(i) for i in np.argwhere(wrong)[0])
            raise InputError(f"{what} must hold {kind}, got {array[at]} at {at}")
    if array.dtype.kind == "f":
        is_integer = np.all((array == np.floor(array)) & (array < 2.0**63))
    else:
        is_integer = np.all(array <= np.iinfo(np.int64).max)
    return array.astype(np.int64 if is_integer else np.float64)


def sorted_numbers(values: Any, what: str, most: float | None = 1.0) -> NDArray[np.float64]:
    """One or more numbers, sorted: from 0 to ``most``, or any finite ones."""
    several = isinstance(values, Iterable) and getattr(values, "ndim", 1) > 0
    array = real_array(list(values) if several else None)
    low, high = (0, most) if most is not None else (-np.finfo(float).max, np.finfo(float).max)
    if array.ndim != 1 or not len(array) or not np.all((array >= low) & (array <= high)):
        words = "numbers" if most is None else f"numbers from 0 to {most:g}"
        raise InputError(f"{what} must be {words}, got {quoted(values)}")
    return np.sort(array)


TOTALS = re.compile(r"(grand |row |column )?(all|totals?|sums?|support)")
_SIDES = {
    "pred": re.compile("pred|preds|predict|predicted|predictions?|ypred"),
    "true": re.compile("true|truth|actual|gold|reference|target|observed|ytrue"),
}
"""Words in the corner of a table that say what its rows are; the first counts."""


FEWEST_TOTAL = 10
"""Items of a table from which its last row and column are no sums by chance."""


def without_totals(
    rows: Sequence[Any], columns: Sequence[Any], cells: Sequence[Sequence[Any]]
) -> tuple[Sequence[Any], Sequence[Any], Sequence[Sequence[Any]], tuple[ResultWarning, ...]]:
    """A table without a last row and a last column that are named as sums, and are."""
    names = []
    for _ in range(2):
        is_named = len(cells) > 1 and rows and TOTALS.fullmatch(words(str(rows[-1])))
        if is_named and all(isclose(sum(x[:-1]), x[-1]) for x in zip(*cells, strict=True)):
            names.append(str(rows[-1]))
            rows, cells = rows[:-1], cells[:-1]
        rows, columns, cells = columns, rows, list(zip(*cells, strict=True))
    return rows, columns, cells, (TotalsLeftOut(tuple(dict.fromkeys(names))),) if names else ()


def has_totals(cells: Numbers) -> bool:
    """Whether the last row and the last column of a table are the sums of the others."""
    if cells.ndim != 2 or len(cells) < 3 or cells[-1, -1] < FEWEST_TOTAL:
        return False
    rows = np.allclose(cells[:-1].sum(axis=0), cells[-1], rtol=1e-9)
    return bool(rows and np.allclose(cells[:, :-1].sum(axis=1), cells[:, -1], rtol=1e-9))


def refuse_shares(cells: Numbers) -> None:
    """Refuse a table of shares of each true class, which has lost how frequent classes are."""
    with np.errstate(over="ignore"):
        sums, slack = cells.sum(axis=-1), cells.shape[-1] * 0.005
    for total in (1, 100):
        if cells.dtype.kind == "f" and len(sums) > 1 and np.all(abs(sums - total) <= slack * total):
            raise InputError(
                f"matrix must hold counts, got rows that all sum to {total}: shares of each true "
                "class, which do not tell how frequent classes are; multiply each row by its items"
            )


def sides_of(corner: Any, rows: str | None) -> tuple[str, tuple[ResultWarning, ...]]:
    """What the rows of a table are, by option or as its corner says, and a warning of that."""
    text = words(str(corner or ""))
    sides = (side for word in text.split() for side, x in _SIDES.items() if x.fullmatch(word))
    side = next(sides, None)
    if side is not None and rows not in (None, side):
        raise InputError(
            f"{str(corner)!r} in the corner of the table says what its rows are: leave out ",
            Option("rows", str(rows)),
            ", or give the corner another name",
        )
    notes = (RowsPredicted(str(corner)),) if side == "pred" and rows is None else ()
    return rows or side or "true", notes


def unframed(
    matrix: Any, labels: Iterable[Any] | None
) -> tuple[Any, Iterable[Any] | None, Any, tuple[ResultWarning, ...]]:
    """The values of a matrix, its labels, what its rows are called, and a warning of totals.

    A data frame has its labels in its index and columns; totals are left out.
    """
    if not (hasattr(matrix, "to_numpy") and hasattr(matrix, "columns")):
        return matrix, labels, None, ()
    values, index = matrix.to_numpy(), getattr(matrix, "index", None)
    notes: tuple[ResultWarning, ...] = ()
    columns: Sequence[Any] = list(matrix.columns)
    rows: Sequence[Any] = columns if index is None else list(index)
    if values.dtype.kind in "iuf" and values.ndim == 2:
        rows, columns, _, notes = without_totals(rows, columns, values.tolist())
        values = values[: len(rows), : len(columns)]
    if rows != columns:
        if set(rows) != set(columns) or len(set(columns)) != len(columns):
            raise InputError(
                "index and columns of the frame must name the same classes, "
                f"got {shown(rows)} and {shown(columns)}"
            )
        values = values[:, [columns.index(v) for v in rows]]
    return values, rows if labels is None else labels, getattr(index, "name", None), notes


@dataclass(frozen=True)
class Tally:
    """Counted rows of (slice, true label, predicted label) of a system, as counters return them.

    ``weight`` and ``square`` (sums of weights and of their squares) are ``None`` if items have no
    weights. Equal rows are added up.
    """

    true: FactorizedLabels
    pred: FactorizedLabels
    items: NDArray[np.int64]
    weight: NDArray[Any] | None = None
    square: NDArray[Any] | None = None
    slice: Codes | None = None


def table_of_tally(
    tally: Tally, options: Counting, slices: tuple[Hashable, ...] | None = None
) -> Confusion:
    """The table, or the stack of those of the slices; a null truth is an error unless dropped."""
    columns, names = [tally.true, tally.pred], options.names or NAMES
    classes, (truth, guess), notes = on_common_labels(columns, options.labels, names)
    true, no_truth = true_codes(truth, classes, tally.items, options, names[0])
    keys = () if slices is None else (slices,)
    shape = tuple(map(len, keys))
    table = np.zeros(len(true), np.int64) if tally.slice is None else tally.slice

    def items_in(rows: Any) -> NDArray[np.int64]:
        sums = np.bincount(table[rows], tally.items[rows], minlength=prod(shape))
        return np.rint(sums).astype(np.int64) if shape else tally.items[rows].sum()

    weight = tally.items if tally.weight is None else tally.weight
    rows: Any = (table, true, recode(guess, classes), weight, tally.square)
    if no_truth.any():
        rows = take(~no_truth, *rows)
    return Confusion.from_cells(
        classes,
        cells_of(rows, k=len(classes), shape=shape),
        keys=keys,
        n=items_in(~no_truth),
        missing=items_in(~no_truth & (guess.codes < 0)),
        dropped=items_in(no_truth),
        axes=("slice",) * len(keys),
        notes=notes,
    )


MOST_COMPARED = 10_000
"""Labels of which some are sought that differ in case or spaces alone."""


def on_common_labels(
    columns: Sequence[FactorizedLabels], labels: Iterable[Any] | None, names: Iterable[str]
) -> tuple[Labels, list[FactorizedLabels], tuple[ResultWarning, ...]]:
    """The classes of columns, the columns in one spelling, and a warning if they had several.

    The truth is the first column. An empty prediction is null, unless some item is truly labelled
    so.
    """
    listed = None if labels is None else checked(labels)
    spellings = [*(c.labels for c in columns), *([] if listed is None else [listed])]
    new: dict[Any, Label | None] = {**common_spellings(spellings)}
    truth, *guesses = columns
    if "" not in (*truth.labels, *(listed or ())) and any("" in c.labels for c in guesses):
        new[str, ""] = None
    columns = [respelled(column, new) for column in columns]
    classes = None if listed is None else [new.get((type(v), v), v) for v in listed]
    compared = columns[0].labels if len(truth.labels) <= MOST_COMPARED else ()
    apart, notes = lookalikes(compared), spelling_notes(new)
    notes = (*notes, CaseApart(apart)) if apart else notes
    return shared_labels(columns, classes, names), columns, notes


def spelling_notes(new: Mapping[Any, Label | None]) -> tuple[ResultWarning, ...]:
    """A warning about labels that were spelled differently, if there are any."""
    pairs = tuple((old[1], label) for old, label in new.items() if label is not None)
    return (SameLabels(pairs),) if pairs else ()


def respelled(column: FactorizedLabels, new: Mapping[Any, Label | None]) -> FactorizedLabels:
    """The column with new labels for some; items whose new label is ``None`` become null."""
    labels = [new.get((type(v), v), v) for v in column.labels] if new else column.labels
    if labels == column.labels and list(map(type, labels)) == list(map(type, column.labels)):
        return column
    known = [v for v in labels if v is not None]
    place = {v: i for i, v in enumerate(dict.fromkeys(known))}
    to = np.array([*(-1 if v is None else place[v] for v in labels), -1], np.int64)
    return FactorizedLabels(to[column.codes], list(place), kind_of(known, "labels"))


def shared_labels(
    columns: Sequence[FactorizedLabels], labels: Iterable[Any] | None, names: Iterable[str]
) -> Labels:
    """The classes of a table: as given, or all that occur, in natural order."""
    kind, first = None, ""
    for column, name in zip(columns, names, strict=True):
        kind = same_kind(kind, column.kind, first, name)
        first = first or name
    if labels is None:
        distinct: set[Label] = set().union(*(c.labels for c in columns))
        if not distinct:
            raise InputError(f"{first} must not be null everywhere: there is no class")
        return tuple(ordered(distinct))
    classes = checked(labels)
    same_kind(kind_of(classes, "labels"), kind, "labels", first)
    return classes


def recode(column: FactorizedLabels, labels: Labels) -> Codes:
    """The column's codes in the order of ``labels``; −1 for null and for labels not listed."""
    place = {v: i for i, v in enumerate(labels)}
    to = np.array([*map(place.get, column.labels, repeat(-1)), -1], np.int64)
    return to[column.codes]


def true_codes(
    truth: FactorizedLabels, labels: Labels, items: Codes | None, options: Counting, name: str
) -> tuple[Codes, NDArray[np.bool_]]:
    """The true code of each row, and the rows without one, which are refused unless dropped.

    ``items`` are those of a row; ``None`` if each row is one.
    """
    true = recode(truth, labels)
    no_truth = true < 0
    if no_truth.any():
        refuse_strange(truth.labels, labels, name)
        if not options.drop_null_truth:
            if items is None:
                place = f"item {np.flatnonzero(no_truth)[0]}"
                raise NullTruthError(name, int(no_truth.sum()), place)
            raise NullTruthError(name, int(items[no_truth].sum()))
        if no_truth.all():
            raise InputError(f"{name} must not be null everywhere: no item is left to count")
    return true, no_truth


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
            f"{name} must not be null, got {counted(items, 'null')}{where}; ",
            Option("drop_null_truth"),
            " leaves such items out, and counts them",
        )

    def first(self, place: str) -> NullTruthError:
        """The same error, saying where."""
        return NullTruthError(self.name, self.items, place)

    def __reduce__(self) -> Any:
        return type(self), (self.name, self.items)


# Slices and clusters


def slices_of(values: Any, what: str = "by") -> tuple[Codes, tuple[Hashable, ...]]:
    """The slice of each item as a code, and the slices' keys in natural order, null last."""

    def plain_key(value: Any) -> Any:
        if isinstance(value, tuple):
            return tuple(map(plain_key, value))
        return None if is_null(value) else plain(value)

    rows = sequence(values, what, "values, one per item")
    try:
        keys = {row: plain_key(row) for row in rows}
        distinct = in_natural_order(set(keys.values()))
    except TypeError:
        raise InputError(f"{what} must hold plain values to group items by") from None
    place = {key: i for i, key in enumerate(distinct)}
    code = {row: place[key] for row, key in keys.items()}
    return np.fromiter(map(code.__getitem__, rows), np.int64, len(rows)), tuple(distinct)


def keys_of(columns: Sequence[Iterable[Any]]) -> list[Any] | None:
    """The key of each item's slice: the value of one column, or a tuple of those of several."""
    if not columns:
        return None
    return list(columns[0]) if len(columns) == 1 else list(zip(*columns, strict=True))


def refuse_length(values: Sized, n: int, what: str) -> None:
    """Refuse a column that does not have one value for each of ``n`` items."""
    if len(values) != n:
        raise InputError(f"{what} must have {n:,} entries, one per item, got {len(values):,}")


def parts_of(by: Any, n: int) -> list[tuple[Hashable, Codes]]:
    """The key of each slice with the indices of its items; without ``by`` there are none."""
    if by is None:
        return []
    codes, keys = slices_of(by)
    refuse_length(codes, n, "by")
    order = np.argsort(codes, kind="stable")
    parts = np.split(order, np.searchsorted(codes[order], np.arange(1, len(keys))))
    return list(zip(keys, parts, strict=True))


def in_natural_order(keys: Iterable[Any]) -> list[Any]:
    """Keys of slices sorted by column, type and value: null last, integers as text by number.

    >>> in_natural_order([("10", "b"), ("2", None), ("2", "a")])
    [('2', 'a'), ('2', None), ('10', 'b')]
    """

    def place(key: Any) -> Any:
        if isinstance(key, tuple):
            return tuple(map(place, key))
        is_number = isinstance(key, str) and INTEGER_TEXT.fullmatch(key) is not None
        number = int(key) if is_number else 0
        return key is None, type(key).__name__, not is_number, number, key

    return sorted(keys, key=place)


def clusters(values: Any, n: int) -> Codes | None:
    """The cluster of each item as a code, in the order of the clusters' names, if there are any."""
    if values is None:
        return None
    codes, keys = slices_of(values, "cluster")
    refuse_length(codes, n, "cluster")
    if keys[-1] is None:
        at = int(np.flatnonzero(codes == len(keys) - 1)[0])
        raise InputError(f"cluster must not be null, got a null at item {at}")
    return codes


def renumbered(codes: Codes | None) -> Codes | None:
    """Codes from 0 on without gaps, if there are any."""
    return None if codes is None else np.unique(codes, return_inverse=True)[1]


# Counting labels

NAMES = ("y_true", "y_pred")


def count_labels(y_true: Any, y_pred: Any, options: Counting) -> Confusion:
    """The table of two equally long columns of labels; by slices, the stack of their tables."""
    if isinstance(y_true, str):
        raise InputError("y_true must be a sequence of labels, got str")
    refuse_other_order(y_true, {"y_pred": y_pred}, options)
    codes, keys = (None, None) if options.by is None else slices_of(options.by)
    return table_of_tally(_tally(y_true, y_pred, options.weights, codes), options, keys)


def _tally(y_true: Any, y_pred: Any, weights: Any, slices: Codes | None) -> Tally:
    """Integers counted as they are, columns of text in Polars, others as codes."""
    is_plain = weights is None and slices is None
    true, pred = map(_integer_array, (y_true, y_pred)) if is_plain else (None, None)
    if true is not None and pred is not None:
        same_length(true, pred)
        true, pred, items = count_integers(true, pred)
        return Tally(factorize(true), factorize(pred), items)
    if slices is None:
        true, pred = map(polars_column, (y_true, y_pred), NAMES)
    if true is not None and pred is not None:
        return _tally_polars(true, pred, item_weights(weights, same_length(true, pred)))
    truth, guess = map(factorize, (y_true, y_pred), NAMES)
    n = same_length(truth, guess)
    if is_plain:
        true, pred, items = count_integers(truth.codes, guess.codes)
        return Tally(replace(truth, codes=true), replace(guess, codes=pred), items)
    if slices is not None:
        refuse_length(slices, n, "by")
    weight = item_weights(weights, n)
    square = None if weight is None else weight**2
    return Tally(truth, guess, np.ones(n, np.int64), weight, square, slices)


_INTEGERS = [np.dtype(f"{kind}{size}") for kind in "iu" for size in (1, 2, 4, 8)][:-1]
"""Types of which all values are signed integers of 64 bits."""


def _integer_array(values: Any) -> NDArray[Any] | None:
    """An array of signed integers; ``None`` for everything else."""
    if type(values).__module__.partition(".")[0] not in ("numpy", "torch", "jax", "jaxlib"):
        return None
    array = np.asarray(on_host(values))
    is_plain = array.ndim == 1 and not isinstance(values, np.ma.MaskedArray)
    return array if is_plain and array.dtype in _INTEGERS else None


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
    columns = {name: pairs[name].to_numpy() for name in pairs.columns[2:]}
    return Tally(truth, guess, **columns)


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
    """Weights as an array, one per item."""
    if weights is None:
        return None
    array = array_of(weights, "weights")
    if array.shape != (n,):
        raise InputError(f"weights must be {n:,} numbers, one per item, got shape {array.shape}")
    if array.dtype.kind not in "iufb":
        others = [v for v in array.tolist() if not isinstance(v, Real)] or [array.dtype.name]
        raise InputError(f"weights must be {n:,} numbers, one per item, got {shown(others)}")
    weight = array.astype(np.float64)
    bad = np.flatnonzero(~is_weight(weight))
    if len(bad):
        raise InputError(f"weights must be {WEIGHTS}, got {array[bad[0]]} at item {bad[0]}")
    return weight


# Counting samples of several systems


def count_sample(y_true: Any, predictions: Any, options: Counting) -> Sample:
    """The sample of one column of truth and one of predictions for each named system."""
    if is_frame(predictions):
        predictions = {name: predictions[name] for name in predictions.columns}
    mapping(predictions, "predictions", "at least one system's name to its labels")
    systems = tuple(map(str, predictions))
    if len(set(systems)) < len(systems):
        raise InputError(f"systems must have different names as text, got {shown(predictions)}")
    called = options.names or ["y_true", *(f"predictions of {name!r}" for name in systems)]
    truth, counts = called[0], options.counts
    true = factorize(list(y_true) if isinstance(y_true, str) else y_true, truth)
    guesses = [factorize(p, name) for p, name in zip(predictions.values(), called[1:], strict=True)]
    for name, guess in zip(called[1:], guesses, strict=True):
        same_length(true, guess, (truth, name))
    spoken = ["y_pred"] if systems == ("system",) else systems
    refuse_other_order(y_true, dict(zip(spoken, predictions.values(), strict=True)), options)
    n = len(true)
    classes, (true, *guesses), notes = on_common_labels([true, *guesses], options.labels, called)
    times = np.ones(n, np.int64) if counts is None else numbers(counts, "counts")
    if times.shape != (n,) or times.dtype.kind != "i":
        raise InputError(f"counts must be {n:,} whole numbers ≥ 0, one a row")
    items = None if counts is None else times
    codes, no_truth = true_codes(true, classes, items, options, truth)
    columns = (
        codes,
        np.stack([recode(g, classes) for g in guesses], axis=1),
        np.stack([g.codes < 0 for g in guesses], axis=1),
        item_weights(options.weights, n),
        times,
        clusters(options.cluster, n),
    )
    sample = coded_sample(classes, systems, columns)
    slices = tuple(
        (key, coded_sample(classes, systems, take(at, *columns), renumber=False))
        for key, at in parts_of(options.by, n)
        if not no_truth[at].all()
    )
    return replace(sample, notes=notes, slices=slices)


def coded_sample(
    labels: Labels, systems: tuple[str, ...], columns: Sequence[Any], *, renumber: bool = True
) -> Sample:
    """The distinct rows of the items with a true class.

    The columns are true codes, predicted ones by system, which of these were null, weights, the
    items of each row, and clusters, which are numbered anew, or keep the codes that slices share
    if not ``renumber``.
    """
    known, items = columns[0] >= 0, int(columns[4].sum())
    rows = columns if known.all() else take(known, *columns)
    true, pred, null, weight, times, cluster = rows
    keys = [true, *pred.T, *([] if cluster is None else [cluster])]
    if weight is not None:  # items of one row weigh the same, so that a row can be resampled
        keys.append(np.unique(weight, return_inverse=True)[1])
    first, row = distinct_rows(keys)
    frequency = np.zeros(len(first), np.int64)
    np.add.at(frequency, row, times)
    true, pred, each, group = take(first, true, pred, weight, cluster)
    total, square = (frequency, None) if each is None else (frequency * each, frequency * each**2)
    group = renumbered(group) if renumber else group
    n, missing = int(frequency.sum()), times @ null
    fields: Any = map(read_only, (true, pred, total, square, group, n, missing, items - n))
    return Sample(labels, systems, *fields)


FEW_CODES = 1 << 16
"""Codes up to which a table of them beats sorting."""


def distinct_rows(columns: list[Codes]) -> tuple[Codes, Codes]:
    """The first item of each distinct row in sorted order, and the row of each item."""
    row = columns[0]
    for column in columns[1:]:
        span = int(column.max(initial=0)) + 2
        code = row * span + column + 1
        if code.min(initial=0) >= 0 and code.max(initial=0) < FEW_CODES:
            row = (np.cumsum(np.bincount(code) > 0) - 1)[code]
        else:
            row = np.unique(code, return_inverse=True)[1]
    first = np.empty(int(row.max(initial=-1)) + 1, np.int64)
    first[row[::-1]] = np.arange(len(row))[::-1]
    return first, row

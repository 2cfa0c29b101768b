"""Frames of any library, counted where they are: one pass, elementary aggregations only.

pandas, Polars (eager and lazy), PyArrow, DuckDB, Ibis, Dask and PySpark all go through the same
narwhals expressions; only the distinct cells come back.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from evenhand.count.encode import encode
from evenhand.count.engines import (
    collected,
    in_narwhals,
    kind_of_column,
    named_column,
    of_one_kind,
    refuse_case,
    refuse_objects,
    unpivoted,
    values_in,
    without_star,
)
from evenhand.count.samples import count_sample
from evenhand.count.slices import keys_of, slices_of
from evenhand.count.tally import Tally
from evenhand.count.trim import trim
from evenhand.errors import InputError, NoRowsError, shown
from evenhand.tables.confusion import Confusion
from evenhand.tables.labels import in_order, same_kind
from evenhand.tables.sample import Sample
from evenhand.tables.weights import WEIGHTS, is_weight

TRUE, PRED, BY, SYSTEM = "true", "pred", "by", "system"
WEIGHT, SUM, SQUARE, FIT, KNOWN = "weight", "sum", "square", "fit", "known"
ROWS, COUNT = "rows", "count"
ITEMS = "evenhand:items"
"""What the column of how often a row came is called: a name that no column has."""


def count_frame(
    frame: Any,
    *,
    true: str,
    pred: str | Sequence[str],
    weights: str | None = None,
    counts: str | None = None,
    by: str | Sequence[str] | None = None,
    labels: Iterable[Any] | None = None,
    drop_null_truth: bool = False,
    names: tuple[str, str] | None = None,
    of_files: bool = False,
) -> Confusion:
    """The table of two columns; a stack by system, by the values of ``by``, or by both.

    ``names`` are what errors call the two columns. A Polars frame ``of_files`` has its labels
    trimmed once they are few.
    """
    columns, lazy = Columns.of(true, pred, weights, by, counts), in_narwhals(frame)
    columns.fit(lazy)
    cells = columns.cells(of_one_kind(lazy, columns.labels), of_files)
    if not len(cells[ITEMS]):
        whole = " and ".join(names or ("the frame",))
        raise NoRowsError(f"{whole} has no rows: there is no item to count")
    called = names or (f"column {true!r}", f"column {', '.join(map(repr, columns.systems))}")
    tally = columns.tally(cells, called)
    found = tally.confusion(labels=labels, drop_null_truth=drop_null_truth, names=called)
    return replace(found, axes=("system",) * columns.wide + ("slice",) * bool(columns.by))


def count_frame_rows(
    frame: Any,
    *,
    true: str,
    pred: str | Sequence[str],
    weights: str | None = None,
    cluster: str | None = None,
    by: str | Sequence[str] | None = None,
    labels: Iterable[Any] | None = None,
    drop_null_truth: bool = False,
) -> Sample:
    """The sample of a column of truth and one for each system, and what stands beside them."""
    columns, lazy = Columns.of(true, pred, weights, by), in_narwhals(frame)
    all_of = replace(columns, by=[*columns.by, *([] if cluster is None else [cluster])])
    all_of.fit(lazy)
    rows = distinct_rows(of_one_kind(lazy, all_of.labels), [*all_of.labels, *columns.weights])
    return count_sample(
        rows[true],
        {name: rows[name] for name in columns.systems},
        labels=labels,
        weights=None if weights is None else rows[weights],
        counts=np.asarray(rows[ITEMS]).astype(np.int64),
        cluster=None if cluster is None else rows[cluster],
        by=keys_of([values_in(rows[c]) for c in columns.by]),
        drop_null_truth=drop_null_truth,
        truth=f"column {true!r}",
        names=[f"column {name!r}" for name in columns.systems],
    )


@dataclass(frozen=True)
class Columns:
    """The columns of a frame that are counted; ``wide`` where systems are an axis of the table."""

    true: str
    systems: list[str]
    weights: list[str]
    by: list[str]
    wide: bool
    counts: list[str]

    @classmethod
    def of(
        cls, true: str, pred: Any, weights: str | None, by: Any, counts: str | None = None
    ) -> Columns:
        """From what a user names: one column of predictions or several, slices or none."""
        systems, slices = _names(pred, "pred"), [] if by is None else _names(by, "by")
        if not systems or len(set(systems)) < len(systems):
            raise InputError(f"pred must name different columns, got {shown(systems)}")
        if weights is not None and counts is not None:
            raise InputError("counts go without weights: what was added up has lost its squares")
        weighing, counting = ([] if c is None else [c] for c in (weights, counts))
        return cls(true, systems, weighing, slices, systems != [pred], counting)

    @property
    def labels(self) -> list[str]:
        """Those that hold labels or slices, which must be of one kind."""
        return [self.true, *self.systems, *self.by]

    def fit(self, frame: Any) -> None:
        """All are there, once each, weights are numbers, systems have labels of one kind."""
        schema = dict(frame.collect_schema())
        wanted: list[Any] = [self.true, *self.systems, *self.weights, *self.counts, *self.by]
        strange = [c for c in wanted if not isinstance(c, str)]
        if strange:
            raise InputError(f"the names of columns must be text, got {shown(strange)}")
        absent = [c for c in wanted if c not in schema]
        if absent:
            have = shown(schema, 12)
            raise InputError(f"the frame has columns {have}, expected {shown(absent)} too")
        refuse_case(frame, wanted, list(schema))
        refuse_objects(frame, wanted, schema)
        for c in self.weights:
            if not (schema[c].is_numeric() or kind_of_column(schema[c]) == "bool"):
                raise InputError(f"column {c!r} must hold numbers, got {schema[c]}")
        for c in self.counts:
            if not schema[c].is_integer():
                raise InputError(f"column {c!r} must hold whole numbers of items, got {schema[c]}")
        kind, first = None, ""
        for column in self.systems if len(self.systems) > 1 else ():
            kind = same_kind(
                kind, kind_of_column(schema[column]), f"column {first!r}", f"column {column!r}"
            )
            first = first or column

    def cells(self, frame: Any, of_files: bool) -> dict[str, Any]:
        """The distinct combinations of labels and slices, with their sums, as columns.

        All columns get names of ours first, so that none can collide, whatever users call theirs.
        """
        import narwhals as nw

        frame = without_star(frame)
        places = [f"{BY}{i}" for i in range(len(self.by))]
        guesses = [f"{PRED}{i}" for i in range(len(self.systems))] if self.wide else [PRED]
        weight = [WEIGHT] * len(self.weights)
        ours = zip(self.labels, [TRUE, *guesses, *places], strict=True)
        kept = [named_column(frame, c).alias(place) for c, place in ours]
        kept += [named_column(frame, c).cast(nw.Float64).alias(WEIGHT) for c in self.weights]
        kept += [named_column(frame, c).cast(nw.Int64).alias(COUNT) for c in self.counts]
        frame = frame.select(*kept)
        if self.wide:
            beside = [*weight, *([COUNT] if self.counts else [])]
            frame = unpivoted(frame, guesses, [TRUE, *places, *beside], SYSTEM, PRED)
        sums = [nw.len().alias(ROWS if self.counts else ITEMS)]
        if self.counts:
            n = nw.col(COUNT)
            frame = frame.with_columns((n >= 0).cast(nw.Int64).alias(FIT))
            sums += [n.sum().alias(ITEMS), nw.col(FIT).sum().alias(FIT)]
        if weight:
            w = nw.col(WEIGHT)
            fit = is_weight(w).cast(nw.Int64).alias(FIT)
            frame = frame.with_columns((w * w).alias(SQUARE), fit)
            sums += [w.sum().alias(SUM), *(nw.col(c).sum().alias(c) for c in (SQUARE, FIT))]
            sums.append(w.count().alias(KNOWN))
        keys = [*([SYSTEM] if self.wide else []), *places, TRUE, PRED]
        found = collected(frame.group_by(*keys).agg(*sums))
        if of_files:
            found = nw.from_native(trim(found.to_native(), keys), eager_only=True)
        return {c: found[c].to_native() for c in found.columns}

    def tally(self, found: dict[str, Any], names: tuple[str, str]) -> Tally:
        """The cells as every counter returns them."""
        for name in self.counts:
            rows, fit = (np.asarray(found[c], np.float64).sum() for c in (ROWS, FIT))
            if fit < rows:  # a null fits as little
                raise InputError(f"column {name!r} must hold a number of items ≥ 0 in every row")
        items = np.asarray(found[ITEMS]).astype(np.int64)
        weight = square = None
        for name in self.weights:
            known = np.asarray(found[KNOWN]).astype(np.int64)
            if known.sum() != items.sum():
                raise InputError(
                    f"column {name!r} must hold a weight for every row, "
                    f"got {(items.sum() - known.sum()) // len(self.systems):,} null(s)"
                )
            weight, square, fit = (np.asarray(found[c], np.float64) for c in (SUM, SQUARE, FIT))
            if fit.sum() < items.sum():
                raise InputError(f"column {name!r} must hold weights that are {WEIGHTS}")
        table = None
        keys: list[tuple[Hashable, ...]] = []
        if self.wide:
            table = np.array(
                [int(v.removeprefix(PRED)) for v in values_in(found[SYSTEM])], np.int64
            )
            keys.append(tuple(self.systems))
            each = np.bincount(table, items, minlength=len(self.systems))
            if each.min() != each.max():
                raise InputError(f"the engine lost rows: it counted {each.tolist()} of each system")
        if self.by:
            values = keys_of([values_in(found[f"{BY}{i}"]) for i in range(len(self.by))])
            place, slices = slices_of(values or (), f"column {shown(self.by)}")
            table = place if table is None else table * len(slices) + place
            keys.append(slices)
        true, pred = map(encode, (found[TRUE], found[PRED]), names)
        copies = len(self.systems)
        return Tally(true, pred, items, weight, square, table, tuple(keys), copies)


def distinct_rows(frame: Any, columns: Sequence[str], *, of_files: bool = False) -> dict[str, Any]:
    """The distinct rows of some columns by name, with how many items each is in :data:`ITEMS`."""
    import narwhals as nw

    frame = without_star(in_narwhals(frame))
    names = {c: f"{TRUE}{i}" for i, c in enumerate(dict.fromkeys(columns))}
    kept = [named_column(frame, c).alias(name) for c, name in names.items()]
    found = collected(frame.select(*kept).group_by(*names.values()).agg(nw.len().alias(ITEMS)))
    if of_files:
        found = nw.from_native(trim(found.to_native(), names.values()), eager_only=True)
    rows = {c: found[name].to_native() for c, name in names.items()}
    return {**rows, ITEMS: found[ITEMS].to_native()}


def _names(given: Any, what: str) -> list[Any]:
    """One name or several, as a list."""
    one = isinstance(given, str) or not hasattr(given, "__iter__")
    return [given] if one else in_order(given, what)

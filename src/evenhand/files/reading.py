"""Files of labels, counted as they stream by."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from evenhand.count.exact import exact
from evenhand.count.frames import count_frame
from evenhand.count.lists import count_lists
from evenhand.count.trim import trim
from evenhand.errors import InputError, NoRowsError, shown
from evenhand.files.check import (
    check,
    columns_of,
    explained,
    refuse_empty_lines,
    refuse_mixed,
    refuse_unlike,
)
from evenhand.files.join import joined
from evenhand.files.saved import is_saved, load
from evenhand.files.sources import Source, opened, scan
from evenhand.notes.note import Note
from evenhand.notes.reading import ComparedAsText
from evenhand.tables.confusion import Confusion
from evenhand.tables.labels import read_as
from evenhand.tables.multilabel import MultiLabel
from evenhand.tables.weights import WEIGHTS, is_weight

TRUE, PRED = "evenhand:true", "evenhand:pred"
"""What the labels of two files are called side by side: names that no column has."""
NO_COLUMNS = "{} holds one label a line: it has no columns to name"


@dataclass(frozen=True)
class Reading:
    """How files are read, and what a reader of the result ought to know of it."""

    true: str | None = None
    pred: str | None = None
    label: str | None = None
    weights: str | None = None
    by: Sequence[str] = ()
    cluster: str | None = None
    id: str | None = None
    missing: str = "error"
    drop_null_truth: bool = False
    labels: Iterable[Any] | None = None
    notes: list[Note] = field(default_factory=list)

    def one(self, name: str) -> Confusion | MultiLabel:
        """One file, or files of one kind, with truth and predictions in columns; a saved table."""
        with opened(name, columns=bool(self.true and self.pred)) as source, explained(source):
            if len(source.paths) == 1 and is_saved(source.paths[0]):
                return self.saved(source)
            if not (self.true and self.pred):
                raise InputError(_ask(source))
            if self.id is not None:
                raise InputError(f"--id joins two files, GOLD and PRED; got only {source.name}")
            if not source.has_columns:
                raise InputError(NO_COLUMNS.format(source.name))
            frame = scan(source)
            columns(frame, source, [self.true, self.pred, *self.beside])
            places = (
                f"{source.name}, column {self.true!r}",
                f"{source.name}, column {self.pred!r}",
            )
            sources = [(source, [self.true, self.pred])]
            return self.counted(frame, self.true, self.pred, places, sources)

    def saved(self, source: Source) -> Confusion:
        """The table that a file keeps; it has been read already."""
        if self.true or self.pred or self.label or self.id or self.beside:
            raise InputError(f"{source.name} is a saved table: it has no columns to choose")
        if self.labels is not None or self.drop_null_truth:
            raise InputError(f"{source.name} is a saved table: its labels are counted already")
        return load(source.paths[0], source.name).table

    def two(self, gold: str, pred: str) -> Confusion | MultiLabel:
        """A file of truth and a file of predictions, by line or joined by id."""
        import polars as pl
        from narwhals.exceptions import ShapeError

        with self.opened(gold, TRUE) as a, self.opened(pred, PRED) as b, explained(a, b):
            frame = self.paired(a, b)
            sources = self.labelled(a, b)
            places = [f"{s.name}, column {c[0]!r}" if c else s.name for s, c in sources]
            try:
                return self.counted(frame, TRUE, PRED, (places[0], places[1]), sources)
            except (pl.exceptions.ShapeError, ShapeError):
                refuse_unpaired(a, b)
                raise

    def named(self, role: str) -> str | None:
        """The column that holds the labels of that role, if it has been named."""
        return (self.true if role == TRUE else self.pred) or self.label

    def opened(self, name: str, role: str) -> AbstractContextManager[Source]:
        """One of two files; naming a column says that it has some."""
        return opened(name, columns=bool(self.named(role) or self.id))

    def labelled(self, gold: Source, pred: Source) -> list[tuple[Source, list[str]]]:
        """Both files with the columns of their labels."""
        sides = ((gold, self.named(TRUE)), (pred, self.named(PRED)))
        return [(source, [column] if column else []) for source, column in sides]

    def paired(self, gold: Source, pred: Source) -> Any:
        """Both files side by side, the labels in columns ``TRUE`` and ``PRED``."""
        import polars as pl

        left, right = self.column(gold, TRUE), self.column(pred, PRED)
        kinds = [frame.collect_schema()[c] for frame, c in ((left, TRUE), (right, PRED))]
        if (kinds[0] == pl.String) != (kinds[1] == pl.String):
            at = kinds.index(pl.String)
            if kinds[1 - at].is_integer():
                self.notes.append(ComparedAsText((pred, gold)[at].name, (gold, pred)[at].name))
                left, right = left.cast({TRUE: pl.String}), right.cast({PRED: pl.String})
        if self.id is not None:
            for source in (gold, pred):
                refuse_unlike(source, [self.id])
            return joined(left, right, self.id, self.missing, (gold.name, pred.name))
        return pl.concat([left, right], how="horizontal")

    def column(self, source: Source, role: str) -> Any:
        """The labels of one file as a column named for its role, and what stands beside it."""
        import polars as pl

        refuse_saved(source)
        frame, column = scan(source), self.named(role)
        if not source.has_columns:
            if self.id is not None:
                raise InputError(f"{source.name} has no columns to join by {self.id!r}")
            if column is not None:
                raise InputError(NO_COLUMNS.format(source.name))
            if role == TRUE and self.beside:
                raise InputError(
                    f"{source.name} holds one label a line: --weights, --cluster and --by "
                    "need columns"
                )
            return frame.select(pl.col("line").alias(role))
        if column is None:
            raise InputError(_ask(source, role))
        extra = [*([] if self.id is None else [self.id]), *(self.beside if role == TRUE else [])]
        columns(frame, source, [column, *extra])
        kept = frame.select(pl.col(exact(column)).alias(role), *map(exact, dict.fromkeys(extra)))
        return kept if self.id is None else trim(kept, [self.id])

    @property
    def beside(self) -> list[str]:
        """The columns of the truth that stand beside the labels."""
        return [c for c in (self.weights, self.cluster, *self.by) if c is not None]

    def counted(
        self,
        frame: Any,
        true: str,
        pred: str,
        places: tuple[str, str],
        sources: Sequence[tuple[Source, list[str]]],
    ) -> Confusion | MultiLabel:
        """The table of two columns of a lazy frame; what is amiss is looked for in ``sources``."""
        import polars as pl

        schema = frame.collect_schema()
        where = sources[0][0].name
        lists = [isinstance(schema[c], pl.List) for c in (true, pred)]
        if self.weights and (lists[0] or schema[self.weights] == pl.String):
            frame = numeric(frame, self.weights, where)
        if lists[0] != lists[1]:
            raise InputError(f"{' and '.join(places)} must both hold lists of labels, or neither")
        if lists[0]:
            multi = self.multilabel(frame, true, pred, places)
            refuse_mixed(multi.labels, sources)
            return multi
        try:
            table = count_frame(
                frame,
                true=true,
                pred=pred,
                weights=self.weights,
                by=list(self.by) or None,
                labels=self.labels_for(frame, true, places),
                drop_null_truth=self.drop_null_truth,
                name=places,
                of_files=True,
            )
        except InputError:
            for source, _ in sources:
                check(source)  # which may know the place
            if self.weights:
                numeric(frame, self.weights, where)
            raise
        if np.any(table.missing):
            for source, _ in sources:
                refuse_empty_lines(source)
        (truth, named), *others = sources
        slices = [v for keys in table.keys for key in keys for v in _parts(key)]
        refuse_mixed([*table.labels, *slices], [(truth, [*named, *self.by]), *others])
        return table

    def labels_as(self, dtype: Any) -> Iterable[Any] | None:
        """The labels given as text, as what the column holds."""
        if self.labels is None:
            return None
        is_kind = {
            "int": dtype.is_integer(),
            "float": dtype.is_float(),
            "bool": str(dtype) == "Boolean",
        }
        return read_as(self.labels, next((kind for kind, hit in is_kind.items() if hit), "str"))

    def labels_for(self, frame: Any, true: str, places: tuple[str, str]) -> Iterable[Any] | None:
        """The labels as what the truth holds; a file without rows may hold anything."""
        import polars as pl

        try:
            return self.labels_as(frame.collect_schema()[true])
        except InputError:
            if not frame.select(pl.len()).collect(engine="streaming").item():
                raise NoRowsError(f"{' and '.join(places)}: there is no item to count") from None
            raise

    def without_labels(self) -> tuple[Reading, Iterable[Any] | None]:
        """The same reading of whatever labels there are, and the labels it was to expect."""
        return replace(self, labels=None), self.labels

    def multilabel(self, frame: Any, true: str, pred: str, places: tuple[str, str]) -> MultiLabel:
        """Columns that hold lists of labels; an item without a prediction has none."""
        import polars as pl

        if self.by or self.cluster:
            raise InputError("multi-label data cannot be sliced or clustered yet: leave out --by")
        if self.id is not None and self.missing == "wrong":
            frame = frame.with_columns(pl.col(exact(pred)).fill_null([]))
        labels = self.labels_as(frame.collect_schema()[true].inner)
        frame = trim(frame, [true, pred])
        return count_lists(frame, true, pred, weights=self.weights, labels=labels, places=places)


def _parts(key: Any) -> tuple[Any, ...]:
    """The values of a slice's key, one a column."""
    return key if isinstance(key, tuple) else (key,)


def refuse_saved(source: Source) -> None:
    """A saved table has forgotten its items."""
    if is_saved(source.paths[0]):
        raise InputError(f"{source.name} is a saved table: labels of items are needed here")


def numeric(frame: Any, column: str, name: str) -> Any:
    """A column of weights as numbers; the first that is none is named."""
    import polars as pl

    number = pl.col(exact(column)).cast(pl.Float64, strict=False)
    found = trim(frame, [column]).with_columns(number)
    rows = found.select(pl.col(exact(column)).alias("")).with_row_index("row")
    bad = rows.filter(~is_weight(pl.col("")).fill_null(False)).head(1).collect(engine="streaming")
    for row, weight in bad.iter_rows():
        (came,) = frame.select(exact(column)).slice(row, 1).collect().row(0)
        wanted = "a number" if weight is None else f"a weight that is {WEIGHTS}"
        raise InputError(f"{name}, column {column}, row {row + 1}: expected {wanted}, got {came!r}")
    return found


def columns(frame: Any, source: Source, wanted: list[str]) -> dict[str, Any]:
    """The columns of a file and their types; those wanted must be there."""
    have = dict(frame.collect_schema())
    absent = [c for c in wanted if c not in have]
    if absent:
        raise InputError(columns_of(source, have, f", expected {shown(absent)} too"))
    twice = [c for c in wanted if f"{c}_duplicated_0" in have]
    if twice:
        raise InputError(f"{source.name} has more than one column called {shown(twice)}")
    return have


def which_columns(name: str) -> str:
    """What to say when a file does not tell which of its columns hold labels."""
    with opened(name) as source, explained(source):
        refuse_saved(source)
        return _ask(source)


def _ask(source: Source, role: str = "") -> str:
    if not source.has_columns:
        return f"{source.name} holds one label a line: give GOLD and PRED"
    option = {TRUE: "--true COL", PRED: "--pred COL"}.get(role, "--true COL --pred COL")
    return columns_of(source, scan(source).collect_schema(), f": say which with {option}")


def refuse_unpaired(gold: Source, pred: Source) -> None:
    """Name the empty line, or the two lengths, for which two files cannot be paired."""
    import polars as pl

    for source in (gold, pred):
        check(source)
    sizes = [scan(s).select(pl.len()).collect(engine="streaming").item() for s in (gold, pred)]
    if sizes[0] != sizes[1]:
        hint = ", or an --id to join by" if gold.has_columns and pred.has_columns else ""
        raise InputError(
            f"{gold.name} has {sizes[0]:,} labels and {pred.name} has {sizes[1]:,}: "
            f"they must have one each for the same items{hint}"
        )

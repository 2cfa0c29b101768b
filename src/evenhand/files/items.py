"""Items of files: one a row, wherever their labels stand; counted as they stream by."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from evenhand.count.exact import exact
from evenhand.count.frames import ITEMS, count_frame, distinct_rows
from evenhand.count.lists import count_lists
from evenhand.count.samples import count_sample
from evenhand.count.slices import keys_of
from evenhand.errors import InputError, NoRowsError, Option
from evenhand.files.amiss import first_row, lacking, missing, numeric, placed
from evenhand.files.check import refuse_empty_lines
from evenhand.files.reading import Reading
from evenhand.files.rename import rename_columns, renamed
from evenhand.files.sequences import SEQUENCE, refuse_sequences
from evenhand.files.sources import Source, height
from evenhand.notes.note import Note
from evenhand.notes.reading import NoSets
from evenhand.tables.confusion import Confusion
from evenhand.tables.multilabel import MultiLabel
from evenhand.tables.sample import Sample

TRUE = "evenhand:true"
"""What the column of the truth is called: a name that no column has."""


def pred(i: int) -> str:
    """What the column of the i-th system is called."""
    return f"evenhand:pred {i}"


@dataclass(frozen=True)
class Place:
    """Where labels stand: in a column of a file, or in its lines."""

    source: Source
    column: str | None = None

    def __str__(self) -> str:
        named = "" if self.column is None else f", column {self.column!r}"
        return f"{self.source.name}{named}"


@dataclass(frozen=True)
class Items:
    """Items one a row of a lazy frame: the truth, a prediction a system, what stands beside.

    The labels are in columns of our own names, ``reading.beside`` under the user's. ``runs`` says
    which systems are runs of one, ``failed`` what was wrong with files left out, ``notes`` what
    a reader of the result ought to know.
    """

    reading: Reading
    frame: Any
    truth: Place
    systems: Mapping[str, Place]
    notes: tuple[Note, ...] = ()
    runs: Mapping[str, Sequence[str]] | None = None
    failed: Mapping[str, InputError] = field(default_factory=dict)
    as_in_file: bool = True
    """Whether a row of the frame is the same row of the file of the truth."""

    def without(self, failed: Mapping[str, InputError]) -> Items:
        """The items without some systems, and why these were left out."""
        import polars as pl

        kept = [name for name in self.systems if name not in failed]
        others = [c for c in self.frame.collect_schema() if c not in self.columns[1:]]
        places = [pred(i) for i, name in enumerate(self.systems) if name in kept]
        runs = None
        if self.runs is not None:
            left = {name: [r for r in runs if r in kept] for name, runs in self.runs.items()}
            runs = {name: runs for name, runs in left.items() if runs}
        return replace(
            self,
            frame=self.frame.select(
                *map(exact, others), *(pl.col(c).alias(pred(i)) for i, c in enumerate(places))
            ),
            systems={name: self.systems[name] for name in kept},
            runs=runs,
            failed={**self.failed, **failed},
        )

    @property
    def columns(self) -> list[str]:
        """The columns of labels."""
        return [TRUE, *(pred(i) for i in range(len(self.systems)))]

    @property
    def places(self) -> list[Place]:
        """Where the columns of labels stand."""
        return [self.truth, *self.systems.values()]

    @property
    def sources(self) -> list[Source]:
        """The files."""
        return list(dict.fromkeys(p.source for p in (self.truth, *self.systems.values())))

    def counted(self, *, rows: bool) -> tuple[Any, list[Note]]:
        """A table, lists of labels as sets; or with ``rows`` a sample, which forgets less.

        With it comes what is to be known of labels that got other names.
        """
        with placed(self):
            return self._counted(rows)

    def _counted(self, rows: bool) -> tuple[Any, list[Note]]:
        import polars as pl

        schema = self.frame.collect_schema()
        lists = [c for c in self.columns if isinstance(schema[c], pl.List)]
        if lists and len(self.systems) == 1:
            if len(lists) == 1:
                both = " and ".join(map(str, self.places))
                raise InputError(f"{both} must both hold lists of labels, or neither")
            return self._multilabel()
        if lists:
            place = self.places[self.columns.index(lists[0])]
            raise InputError(
                f"{place}: every item must have one label here, got {schema[lists[0]]}; "
                "score takes sets of labels, and ",
                Option("kind", "tokens"),
                " one item a token",
            )
        rows = rows or len(self.systems) > 1 or self.reading.cluster is not None
        return self._sample() if rows else self._table()

    def _table(self) -> tuple[Confusion, list[Note]]:
        reading, places = self.reading, (str(self.truth), str(self.places[1]))
        table = count_frame(
            self._weighed,
            true=TRUE,
            pred=pred(0),
            weights=reading.weights,
            by=list(reading.by) or None,
            labels=None if reading.renames else self._labels(self.frame.collect_schema()[TRUE]),
            drop_null_truth=reading.drop_null_truth,
            names=places,
            of_files=True,
        )
        if np.any(table.missing):
            self._refuse_empty_lines()
        return renamed(table, reading)

    def _sample(self) -> tuple[Sample, list[Note]]:
        reading, rows = self.reading, self._rows()
        labels = [rows[c] for c in self.columns]
        if any(column.null_count() for column in labels):
            self._refuse_empty_lines()
        (truth, *guesses), notes = rename_columns(labels, reading)
        sample = count_sample(
            truth,
            dict(zip(self.systems, guesses, strict=True)),
            labels=self._labels(truth.dtype),
            **self._beside(rows),
            counts=rows[ITEMS].to_numpy(),
            drop_null_truth=reading.drop_null_truth,
            truth=str(self.truth),
            names=list(map(str, self.places[1:])),
        )
        return sample, notes

    def _multilabel(self) -> tuple[MultiLabel, list[Note]]:
        import polars as pl

        frame, reading = self._weighed, self.reading
        notes: list[Note] = []
        for place, c in zip(self.places, self.columns, strict=True):
            dtype = frame.collect_schema()[c]
            if dtype.inner.is_nested():
                raise InputError(f"{place} must hold lists of labels, got {dtype}")
        if reading.id is not None and reading.missing == "wrong":
            absent = pl.col(pred(0)).is_null().sum()
            items = int(frame.select(absent).collect(engine="streaming").item())
            notes += [NoSets(items)] if items else []
            frame = frame.with_columns(pl.col(pred(0)).fill_null([]))
        rows = _in_order(replace(self, frame=frame)._rows())
        for place, c in zip(self.places, self.columns, strict=True):
            if lacking(rows[c]).any():
                at, (came,) = first_row(self, c, lacking)
                got = None if came is None else list(came)
                raise InputError(f"{place}{at}: expected a list of labels, got {got}")
        if reading.kind is None:
            refuse_sequences(self, [rows[c] for c in self.columns])
        sides, renamings = rename_columns([rows[c] for c in self.columns], reading)
        sets = count_lists(
            sides,
            labels=self._labels(sides[0].dtype.inner),
            **self._beside(rows),
            times=rows[ITEMS].to_numpy(),
            places=list(map(str, self.places)),
        )
        return sets, [*notes, *renamings]

    def _rows(self) -> dict[str, Any]:
        """The distinct rows of all columns, with how many items each is."""
        rows = distinct_rows(self._weighed, [*self.columns, *self.reading.beside], of_files=True)
        if not len(rows[ITEMS]):
            raise NoRowsError(f"{self._named} has no rows: there is no item to count")
        return rows | {ITEMS: rows[ITEMS].cast(int)}

    def _beside(self, rows: Mapping[str, Any]) -> dict[str, Any]:
        """What stands beside the labels of each row."""
        reading = self.reading
        if reading.cluster is not None and missing(rows[reading.cluster]).any():
            at, _ = first_row(self, reading.cluster, missing)
            raise InputError(
                f"{self.truth.source.name}, column {reading.cluster}{at}: expected a cluster, got "
                "none"
            )
        if reading.cluster == SEQUENCE and rows[SEQUENCE].n_unique() < 2:
            reading = replace(reading, cluster=None)  # one sequence tells nothing of others
        return {
            "weights": None if reading.weights is None else rows[reading.weights].to_numpy(),
            "cluster": None if reading.cluster is None else rows[reading.cluster],
            "by": keys_of([rows[c].to_list() for c in reading.by]),
        }

    @property
    def _named(self) -> str:
        return " and ".join(dict.fromkeys(source.name for source in self.sources))

    @property
    def _weighed(self) -> Any:
        """The frame, its weights as numbers."""
        weights, schema = self.reading.weights, self.frame.collect_schema()
        if weights is None or schema[weights].is_numeric():
            return self.frame
        return numeric(self, weights)

    def _labels(self, dtype: Any) -> Iterable[Any] | None:
        """The classes to expect, as what the truth holds; a file without rows may hold anything."""
        try:
            return self.reading.labels_as(kind_of(dtype))
        except InputError:
            if not height(self.frame):
                both = " and ".join(map(str, self.places))
                raise NoRowsError(f"{both}: there is no item to count") from None
            raise

    def _refuse_empty_lines(self) -> None:
        for source in self.sources:
            refuse_empty_lines(source)


def kind_of(dtype: Any) -> str:
    """The kind of labels that a column of a Polars type holds."""
    hits = (dtype.is_integer(), dtype.is_float(), str(dtype) == "Boolean", True)
    return ("int", "float", "bool", "str")[hits.index(True)]


def _in_order(rows: dict[str, Any]) -> dict[str, Any]:
    """The rows in an order of their own, or sums would depend on which thread was first."""
    import polars as pl

    text = pl.col(pl.List).list.sort().cast(pl.List(pl.String)).list.join("\0")
    frame = pl.DataFrame(rows)
    place = frame.select(text, pl.exclude(pl.List)).select(pl.struct(pl.all()).arg_sort())
    return frame[place.to_series()].to_dict()

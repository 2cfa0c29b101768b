"""From a command's source to a table or a sample."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

import click

from evenhand.catalogue.binding import Table
from evenhand.cli.options import label_list
from evenhand.cli.progress import progress
from evenhand.cli.records import Source
from evenhand.files.reading import Reading, which_columns
from evenhand.files.rename import relabelled, renamed
from evenhand.files.systems import (
    Panel,
    panel_of_columns,
    panel_of_files,
    sample_of_columns,
    single,
)
from evenhand.files.written import read_matrix
from evenhand.infer.rows import Data
from evenhand.notes.note import Note
from evenhand.tables.confusion import Confusion
from evenhand.tables.sample import Sample

D = TypeVar("D", bound=Data, covariant=True)


@dataclass(frozen=True)
class Loaded(Generic[D]):
    """A table or a sample, and what a reader ought to know of how it was read."""

    data: D
    notes: tuple[Note, ...]

    @property
    def table(self) -> Table:
        """The table, or the tables of the sample."""
        return self.data.tables()


def table_from(source: Source) -> Loaded[Table]:
    """The table that a source describes.

    A matrix; one saved table; one file with columns; or two files, of lines or columns.
    """
    reading, labels = before_renaming(source)
    with progress("counting"):
        table = _table(source, reading)
    table, notes = renamed(table, *source.renaming, labels)
    return Loaded(table, (*reading.notes, *notes))


def reading_of(source: Source) -> Reading:
    """How the files of a source are read."""
    labels = label_list(source.labels)
    return Reading(
        true=source.true,
        pred=source.pred or next(iter(source.systems), None),
        label=source.label,
        weights=source.weights,
        by=source.by,
        cluster=source.cluster,
        id=source.id,
        missing=source.missing,
        drop_null_truth=source.drop_null_truth,
        labels=[v.casefold() for v in labels] if labels and source.ignore_case else labels,
    )


def before_renaming(source: Source) -> tuple[Reading, Iterable[Any] | None]:
    """How files are read whose labels are renamed then, and the labels to expect after that."""
    reading = reading_of(source)
    if source.matrix is None and any(source.renaming):
        return reading.without_labels()
    return reading, None  # a matrix needs the names of its rows as it is


def matrix_of(text: str, reading: Reading, rows: str = "true") -> Confusion:
    """A matrix whose rows and columns the labels name, if any are given."""
    labels = None if reading.labels is None else list(reading.labels)
    return read_matrix(text, labels=labels, rows=rows)


def _table(source: Source, reading: Reading) -> Table:
    files = source.files
    if source.matrix is not None:
        if files or reading.true or reading.pred or reading.label or reading.beside:
            raise click.UsageError("--matrix takes no label files and no columns beside it.")
        return matrix_of(source.matrix, reading, source.rows)
    if source.rows != "true":
        raise click.UsageError("--rows says how a --matrix reads; label files have no such rows.")
    if len(files) == 1:
        return reading.one(files[0])
    if len(files) == 2:
        return reading.two(files[0], files[1])
    raise click.UsageError(
        f"Expected GOLD PRED, one file with --true and --pred, or --matrix; got {len(files)} files."
    )


def sample_from(source: Source) -> Loaded[Sample]:
    """Systems on the same items: one file with columns, or GOLD and a file for each system."""
    reading = reading_of(source)
    with progress("counting"):
        if len(source.files) == 1 and reading.true and source.systems and not any(source.renaming):
            found = sample_of_columns(reading, source.files[0], source.systems)
            return Loaded(found, tuple(reading.notes))
        panel, notes = relabelled(single(panel_from(source, reading)), *source.renaming)
        return Loaded(panel.sample(reading), (*reading.notes, *notes))


def data_from(source: Source, *, drawn: bool = False) -> Loaded[Table | Sample]:
    """A table; or a sample, where the table would forget what an interval needs."""
    if not (source.cluster or (drawn and source.weights)):
        return table_from(source)
    if source.matrix or source.by:
        raise click.UsageError(
            "--cluster, and a bootstrap of --weights, need label files with columns, without --by."
        )
    return sample_from(replace(source, systems=(source.pred,) if source.pred else ()))


def panel_from(source: Source, reading: Reading) -> Panel:
    """The items of the systems named: columns of one file, or GOLD and a file each."""
    if not source.files:
        raise click.UsageError("Expected GOLD A B…, or one file with --true and --pred.")
    gold, *runs = source.files
    if not runs:
        if not (reading.true and source.systems):
            raise click.UsageError(which_columns(gold))
        return panel_of_columns(reading, gold, source.systems)
    if len(source.systems) > 1:
        raise click.UsageError("Several --pred name columns of one file; got several files.")
    return panel_of_files(reading, gold, runs, keep_going=source.keep_going)

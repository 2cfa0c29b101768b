"""From a command's arguments to a table or a sample."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import click

from evenhand.cli.options import label_list
from evenhand.cli.progress import progress
from evenhand.count.files import Reading, which_columns
from evenhand.count.rename import relabelled, renamed
from evenhand.count.systems import Panel, panel_of_columns, panel_of_files, sample_of_columns
from evenhand.count.written import read_matrix
from evenhand.errors import InputError
from evenhand.evaluate import Table
from evenhand.notes.note import Note


@dataclass(frozen=True)
class Loaded:
    """A table, and what a reader ought to know of how it was read."""

    table: Any
    notes: tuple[Note, ...]


def table_from(files: Sequence[str], **given: Any) -> Loaded:
    """The table that the arguments describe.

    A matrix; one saved table; one file with columns; or two files, of lines or columns.
    """
    reading, rename = reading_of(**given), renaming_of(**given)
    matrix, labels = given.get("matrix"), None
    if any(rename) and matrix is None:  # a matrix needs the names of its rows as it is
        reading, labels = reading.without_labels()
    with progress("counting"):
        table = _table(list(files), reading, matrix, given.get("rows", "true"))
    table, notes = renamed(table, *rename, labels)
    return Loaded(table, (*reading.notes, *notes))


def renaming_of(**given: Any) -> tuple[str | None, bool]:
    """The map of labels, and whether case is ignored."""
    return given.get("mapping"), bool(given.get("ignore_case"))


def reading_of(**given: Any) -> Reading:
    """How the options say that files are read."""
    return Reading(
        true=given.get("true"),
        pred=given.get("pred"),
        label=given.get("label"),
        weights=given.get("weights"),
        by=tuple(given.get("by") or ()),
        cluster=given.get("cluster"),
        id=given.get("id"),
        missing=given.get("missing") or "error",
        drop_null_truth=bool(given.get("drop_null_truth")),
        labels=_labels(given.get("labels"), bool(given.get("ignore_case"))),
    )


def _labels(text: str | None, fold: bool) -> list[str] | None:
    """The labels given, in small letters where case is ignored."""
    given = label_list(text)
    return [v.casefold() for v in given] if given and fold else given


def _table(files: list[str], reading: Reading, matrix: str | None, rows: str) -> Table:
    columns = reading.true or reading.pred or reading.label or reading.weights or reading.by
    if matrix is not None:
        if files or columns:
            raise click.UsageError("--matrix takes no label files and no columns beside it.")
        return read_matrix(matrix, labels=label_list_of(reading), rows=rows)
    if rows != "true":
        raise click.UsageError("--rows says how a --matrix reads; label files have no such rows.")
    if len(files) == 1:
        return reading.one(files[0])
    if len(files) == 2:
        return reading.two(files[0], files[1])
    raise click.UsageError(
        f"Expected GOLD PRED, one file with --true and --pred, or --matrix; got {len(files)} files."
    )


def sample_from(files: Sequence[str], *, pred: Sequence[str] = (), **given: Any) -> Loaded:
    """Systems on the same items: one file with columns, or GOLD and a file for each system."""
    reading = reading_of(**given)
    renaming = given.get("mapping") or given.get("ignore_case")
    with progress("counting"):
        if len(files) == 1 and reading.true and pred and not renaming:
            return Loaded(sample_of_columns(reading, files[0], pred), tuple(reading.notes))
        panel = single(panel_from(files, reading, pred))
        panel, notes = relabelled(panel, given.get("mapping"), bool(given.get("ignore_case")))
        return Loaded(panel.sample(reading), (*reading.notes, *notes))


def data_from(
    files: Sequence[str], source: dict[str, Any], cluster: str | None, *, items: bool
) -> Loaded:
    """A table; or a sample, where the table would forget what an interval needs."""
    if not items:
        return table_from(files, **source)
    if source["matrix"] or source.get("by"):
        raise click.UsageError(
            "--cluster, and a bootstrap of --weights, need label files with columns, without --by."
        )
    kept = {name: v for name, v in source.items() if name not in ("pred", "matrix", "rows", "by")}
    pred = [source["pred"]] if source["pred"] else []
    return sample_from(files, pred=pred, cluster=cluster, **kept)


def panel_from(
    files: Sequence[str], reading: Reading, pred: Sequence[str] = (), *, keep_going: bool = False
) -> Panel:
    """The items of the systems named: columns of one file, or GOLD and a file each."""
    if not files:
        raise click.UsageError("Expected GOLD A B…, or one file with --true and --pred.")
    if len(files) == 1:
        if not (reading.true and pred):
            raise click.UsageError(which_columns(files[0]))
        return panel_of_columns(reading, files[0], pred)
    if len(pred) > 1:
        raise click.UsageError("Several --pred name columns of one file; got several files.")
    reading.pred = pred[0] if pred else None
    return panel_of_files(reading, files[0], files[1:], keep_going=keep_going)


def single(panel: Panel, *, truth_only: bool = False) -> Panel:
    """The panel, if its items have one label each."""
    columns = {"the truth": panel.truth, **({} if truth_only else panel.systems)}
    lists = [name for name, column in columns.items() if column.dtype.is_nested()]
    if lists:
        raise InputError(
            f"every item must have one label here, got {columns[lists[0]].dtype} in {lists[0]}; "
            "score takes lists of labels"
        )
    return panel


def label_list_of(reading: Reading) -> list[str] | None:
    """The labels given, if any."""
    return None if reading.labels is None else list(reading.labels)


def named(matrix: str) -> str:
    """What a heading calls the matrix: its file, if it has one."""
    return matrix if os.path.isfile(matrix) else "matrix"

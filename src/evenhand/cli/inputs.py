"""From a command's source to a table or a sample."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from evenhand.cli.progress import progress
from evenhand.cli.records import Source
from evenhand.errors import shown
from evenhand.files.archives import holds_several
from evenhand.files.gather import refuse_few
from evenhand.files.matrices import read_matrix
from evenhand.files.read import Read, read
from evenhand.files.rename import renamed
from evenhand.files.saved import is_saved, load
from evenhand.notes.note import Note
from evenhand.tables.confusion import Confusion


def data_from(source: Source, *, drawn: bool = False) -> Read[Any]:
    """The data of one system: a matrix, a saved table, a file with columns, or two files.

    A table; or a sample, where the table would forget what an interval needs.
    """
    if source.matrix is not None:
        if source.files or source.of_columns:
            raise click.UsageError("--matrix takes no label files and no columns beside it.")
        refuse_dropping(source)
        table, notes = matrix_from(source.matrix, source)
        return Read(table, tuple(notes))
    if source.rows != "true":
        raise click.UsageError("--rows says how a --matrix reads; label files have no such rows.")
    if len(source.files) not in (1, 2):
        raise click.UsageError(
            "Expected GOLD PRED, one file with --true and --pred, or --matrix; "
            f"got {len(source.files)} files."
        )
    if len(source.pred) > 1:
        raise click.UsageError(
            f"Expected the --pred of one system, got {shown(source.pred)}; "
            "compare, rank and report take several."
        )
    with progress("counting"):
        return read(source, rows=bool(source.cluster or (drawn and source.weights)))


def of_one(source: Source) -> bool:
    """Whether the input is that of ``score``."""
    if source.matrix is not None:
        return True
    if source.tables or source.system:
        return False
    if len(source.files) != 1:
        return len(source.files) == 2 and not holds_several(source.files[1])
    if is_saved(source.files[0]):
        return not load(source.files[0]).table.shape
    return len(source.pred) == 1 or source.probabilities is not None


def refuse_dropping(source: Source) -> None:
    """Tables have no rows to leave out."""
    if source.drop_null_truth:
        raise click.UsageError("Tables are counted already: leave out --drop-null-truth.")


def matrix_from(text: str, source: Source) -> tuple[Confusion, list[Note]]:
    """A matrix whose rows and columns the labels name, if any are given, and then its renaming."""
    labels = source.labels_as("str")
    table = read_matrix(text, labels=None if labels is None else list(labels), rows=source.rows)
    return renamed(table, replace(source, labels=None))


def systems_from(source: Source) -> Read[Any]:
    """Systems on the same items: columns of one file, or GOLD and a file for each system."""
    if not source.files:
        raise click.UsageError("Expected GOLD A B…, or one file with --true and --pred.")
    with progress("counting"):
        return read(source, several=True)


def named_system(name: str | None, systems: Sequence[str]) -> str | None:
    """A system by its name, or by the file that it came from."""
    if name is None or name in systems:
        return name
    path = Path(name)
    return next((n for n in (path.name, path.stem) if n in systems), name)


def two_systems(source: Source) -> Read[Any]:
    """An old system and a new one, which may be one file or column by both names."""
    if not source.files:
        raise click.UsageError("Expected GOLD OLD NEW, or one file with --true and --pred.")
    loaded = compared_from(source)
    refuse_few(loaded.data.systems, loaded.failed)
    if len(loaded.data.systems) != 2:
        raise click.UsageError(
            f"Expected two systems, OLD and NEW, got {shown(loaded.data.systems)}."
        )
    return loaded


def compared_from(source: Source) -> Read[Any]:
    """Systems to hold against each other: two may be one file or column by both names."""
    files = len(source.files) > 1
    given = source.files[1:] if files else source.pred
    if len(given) != 2 or not (given[0] == given[1] or same_file(*given)):
        return systems_from(source)
    once = replace(source, files=source.files[:2]) if files else replace(source, pred=given[:1])
    loaded = systems_from(once)
    return replace(loaded, data=loaded.data.doubled("(again)"))


def same_file(one: str, other: str) -> bool:
    """Whether two names are of one file."""
    return os.path.exists(one) and os.path.exists(other) and os.path.samefile(one, other)


def whole_only(source: Source, command: str, metric: str) -> None:
    """Some answers are of one table: what slices have of it, score says."""
    if source.by:
        raise click.UsageError(
            f"{command} looks at all items together: leave out --by; of slices the same is "
            f"evenhand score … --by {source.by[0]} --metric {metric}."
        )

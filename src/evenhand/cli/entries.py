"""From the source of ``rank`` to what is ranked, and to the leaderboard."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from glob import escape, glob
from itertools import starmap
from typing import Any

import click

from evenhand.cli.inputs import matrix_from, refuse_dropping, same_file, systems_from
from evenhand.cli.names import spelled
from evenhand.cli.progress import progress
from evenhand.cli.records import How, Scoring, Source
from evenhand.errors import EvenhandError, InputError, shown
from evenhand.files.archives import Member
from evenhand.files.gather import refuse_few, system_names
from evenhand.files.opening import files_of
from evenhand.files.read import Read
from evenhand.files.rename import renamed
from evenhand.files.saved import is_saved, load
from evenhand.files.scratch import Scratch
from evenhand.notes.note import Note
from evenhand.notes.ranks import LeftOut
from evenhand.ranking.leaderboard import Leaderboard
from evenhand.ranking.rank import rank
from evenhand.ranking.runs import runs_of
from evenhand.tables.confusion import Confusion
from evenhand.tables.sample import Sample


def ranked(
    given: Read[Any], source: Source, by_metric: str, scoring: Scoring, how: How
) -> Leaderboard:
    """The leaderboard, with a note on every system left out."""
    metrics = (by_metric, *scoring.metrics) if scoring.metrics else None
    units, runs = 1 + len(given.data.slices), given.runs or source.run
    order: dict[str, Any] = {"runs": runs, "by_metric": by_metric, "metrics": metrics}
    with progress("bootstrap", units * scoring.replicates) as advance:
        board = rank(given.data, **order, progress=advance, **how)
    return board.noted(*given.notes, *starmap(LeftOut, worded(given.failed)))


def worded(failed: Mapping[str, EvenhandError]) -> list[tuple[str, str]]:
    """What was wrong with each file left out, in the words of the command line."""
    return [(name, error.said(spelled)) for name, error in failed.items()]


def entries_from(source: Source) -> Read[Any]:
    """What is ranked: tables alone, or the items of the files."""
    if not source.files:
        raise click.UsageError("Expected GOLD RUN…, one file with columns, or --tables.")
    if source.tables or (len(source.files) == 1 and is_saved(source.files[0])):
        if source.of_columns:
            raise click.UsageError("Tables have no columns to choose.")
        refuse_dropping(source)
        with Scratch() as scratch:
            return _tables(source, files_of(source.files, scratch))
    if source.run and "{" not in source.run and not source.system:
        raise click.UsageError(
            f"--run {source.run} names a column of a file with --system; for names of systems "
            "give a pattern such as '{system}-{run}'."
        )
    found = systems_from(source)
    systems = runs_of(found.data.systems, found.runs or source.run).systems
    _refuse_one(systems, found.failed)
    return found


def sets_from(source: Source, sets: Sequence[tuple[str, str, str]]) -> Read[Any]:
    """Several data sets, each of GOLD and the runs on it, as slices of all their items."""
    if source.files or source.by or source.tables:
        raise click.UsageError("--set takes the place of files, --by and --tables.")
    names = [name for name, _, _ in sets]
    if len(set(names)) < len(names):
        raise click.UsageError(f"A data set must be named once, got {shown(names)}.")
    found = {}
    for name, gold, runs in sets:
        files = (gold, *(path for path in runs_in(runs) if not same_file(path, gold)))
        found[name] = entries_from(replace(source, files=files))
    data = Sample.from_sets({name: read.data for name, read in found.items()})
    notes = dict.fromkeys(note for read in found.values() for note in read.notes)
    failed = {f"{name}: {at}": e for name, read in found.items() for at, e in read.failed.items()}
    first = next(iter(found.values()))
    return Read(data, tuple(notes), first.runs, failed)


def runs_in(place: str) -> list[str]:
    """The files of a folder or of a pattern, in the order of their names."""
    if os.path.isdir(place):
        return sorted(p for p in glob(os.path.join(escape(place), "*")) if os.path.isfile(p))
    found = sorted(glob(place)) if not os.path.exists(place) else [place]
    if not found:
        raise InputError(f"{place} must be a folder, a pattern or a file of runs, and is none")
    return found


def _refuse_one(systems: Sequence[Any], failed: Mapping[str, InputError]) -> None:
    refuse_few(systems, failed)
    if len(systems) < 2:
        raise click.UsageError(f"Expected at least two systems to rank, got {shown(systems)}.")


def _tables(source: Source, files: Sequence[Member]) -> Read[Any]:
    """Saved stacks as they are; saved single tables and matrices under their files' names."""
    found: dict[Any, Confusion] = {}
    failed: dict[str, InputError] = {}
    notes: list[Note] = []
    for file, name in zip(files, system_names([file.name for file in files]), strict=True):
        path = file.name
        try:
            table, more = _renamed_table(file, source)
        except InputError as e:
            if not source.keep_going:
                raise
            failed[name] = e
            continue
        if table.axes[:1] == ("slice",) and not source.tables:
            raise InputError(
                f"{path} holds slices ({shown(table.keys[0])}), which score takes; if they are "
                "systems, say so with --tables"
            )
        notes += more
        parts = dict(zip(table.keys[0], table, strict=True)) if table.shape else {name: table}
        twice = [k for k in parts if k in found]
        if twice:
            raise InputError(f"a system must be named once, got {shown(twice)} again in {path}")
        found |= parts
    _refuse_one(list(found), failed)
    return Read(Confusion.stack(found), tuple(notes), failed=failed)


def _renamed_table(file: Member, source: Source) -> tuple[Confusion, list[Note]]:
    """A matrix, whose rows the labels name, or a saved table, which has them after renaming."""
    path = str(file.path or file.name)
    if not is_saved(path):
        return matrix_from(path, source)
    if source.labels is not None and not source.renames:
        raise InputError(f"{file.name} is a saved table: its labels are counted already")
    return renamed(load(path, file.name).table, source)

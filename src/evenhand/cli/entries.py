"""From the source of ``rank`` to what is ranked, and to the leaderboard."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import starmap
from typing import Any

import click

from evenhand.cli.inputs import matrix_from, systems_from
from evenhand.cli.names import spelled
from evenhand.cli.progress import progress
from evenhand.cli.records import How, Scoring, Source
from evenhand.errors import EvenhandError, InputError, shown
from evenhand.files.gather import refuse_few, system_names
from evenhand.files.rename import renamed
from evenhand.files.saved import is_saved, load
from evenhand.notes.note import Note
from evenhand.notes.ranks import LeftOut
from evenhand.ranking.leaderboard import Leaderboard
from evenhand.ranking.rank import rank
from evenhand.ranking.runs import runs_of
from evenhand.tables.confusion import Confusion
from evenhand.tables.sample import Sample


@dataclass(frozen=True)
class Entered:
    """What is ranked, and what a reader ought to know of how it was read."""

    data: Sample | Confusion
    runs: Mapping[str, Sequence[str]] | str | None
    notes: tuple[Note, ...]
    failed: Mapping[str, EvenhandError] = field(default_factory=dict)

    def ranked(self, by_metric: str, scoring: Scoring, how: How) -> Leaderboard:
        """The leaderboard, with a note on every system left out."""
        metrics = (by_metric, *scoring.metrics) if scoring.metrics else None
        units = 1 + len(self.data.slices)
        with progress("bootstrap", units * scoring.replicates) as advance:
            board = rank(
                self.data,
                runs=self.runs,
                by_metric=by_metric,
                metrics=metrics,
                progress=advance,
                **how,
            )
        return board.noted(*self.notes, *starmap(LeftOut, worded(self.failed)))


def worded(failed: Mapping[str, EvenhandError]) -> list[tuple[str, str]]:
    """What was wrong with each file left out, in the words of the command line."""
    return [(name, error.said(spelled)) for name, error in failed.items()]


def entries_from(source: Source) -> Entered:
    """What is ranked: tables alone, or the items of the files."""
    if not source.files:
        raise click.UsageError("Expected GOLD RUN…, one file with columns, or --tables.")
    if source.tables or (len(source.files) == 1 and is_saved(source.files[0])):
        if source.of_columns:
            raise click.UsageError("Tables have no columns to choose.")
        return _tables(source)
    pattern = source.run if source.run and "{" in source.run else None
    if source.run and not pattern and not source.system:
        raise click.UsageError(
            f"--run {source.run} names a column of a file with --system; for names of systems "
            "give a pattern such as '{system}-{run}'."
        )
    found = systems_from(source)
    runs = pattern or found.runs
    ranked = runs_of(found.data.systems, runs).systems
    refuse_few(ranked, found.failed)
    if len(ranked) < 2:
        raise click.UsageError(f"Expected at least two systems to rank, got {shown(ranked)}.")
    return Entered(found.data, runs, found.notes, found.failed)


def _tables(source: Source) -> Entered:
    """Saved stacks as they are; saved single tables and matrices under their files' names."""
    found: dict[Any, Confusion] = {}
    failed: dict[str, InputError] = {}
    notes: list[Note] = []
    for path, name in zip(source.files, system_names(source.files), strict=True):
        try:
            table, more = _renamed_table(path, source)
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
    refuse_few(found, failed)
    return Entered(Confusion.stack(found), source.run, tuple(notes), failed)


def _renamed_table(path: str, source: Source) -> tuple[Confusion, list[Note]]:
    """A matrix, whose rows the labels name, or a saved table, which has them after renaming."""
    if not is_saved(path):
        return matrix_from(path, source)
    if source.labels is not None and not source.renames:
        raise InputError(f"{path} is a saved table: its labels are counted already")
    return renamed(load(path).table, source)

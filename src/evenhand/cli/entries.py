"""From the source of ``rank`` to what is ranked, and to the leaderboard."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import starmap
from typing import Any

import click

from evenhand.cli.inputs import matrix_of, panel_from, reading_of
from evenhand.cli.progress import progress
from evenhand.cli.records import How, Scoring, Source
from evenhand.errors import EvenhandError, InputError, shown
from evenhand.files.reading import Reading
from evenhand.files.rename import relabelled, renamed
from evenhand.files.saved import is_saved, load
from evenhand.files.systems import (
    Panel,
    panel_of_columns,
    panel_of_long,
    refuse_few,
    single,
    system_names,
)
from evenhand.notes.note import Note
from evenhand.notes.ranks import LeftOut
from evenhand.notes.reading import NoSystems
from evenhand.ranking.leaderboard import Leaderboard
from evenhand.ranking.rank import rank
from evenhand.ranking.runs import runs_of
from evenhand.tables.confusion import Confusion


@dataclass(frozen=True)
class Given:
    """The arguments of ``eh.rank``, and what a reader ought to know of how they were read."""

    data: tuple[Any, ...]
    options: Mapping[str, Any]
    notes: tuple[Note, ...]
    failed: Mapping[str, str] = field(default_factory=dict)
    units: int = 1

    def tables(self) -> Confusion:
        """The systems' tables, which say which classes there are."""
        if len(self.data) == 1:
            stack: Confusion = self.data[0]
            return stack
        from evenhand.count.samples import count_sample

        kept = ("labels", "drop_null_truth")
        return count_sample(*self.data, **{k: self.options[k] for k in kept}).tables()

    def ranked(self, by_metric: str, scoring: Scoring, how: How) -> Leaderboard:
        """The leaderboard, with a note on every system left out."""
        metrics = (by_metric, *scoring.metrics) if scoring.metrics else None
        with progress("bootstrap", self.units * scoring.replicates) as advance:
            board = rank(
                *self.data,
                **self.options,
                **how,
                by_metric=by_metric,
                metrics=metrics,
                progress=advance,
            )
        return board.noted(*self.notes, *starmap(LeftOut, self.failed.items()))


def entries_from(source: Source) -> Given:
    """What is ranked: tables alone, or the items of the files."""
    reading = reading_of(source)
    if not source.files:
        raise click.UsageError("Expected GOLD RUN…, one file with columns, or --tables.")
    if source.tables or (len(source.files) == 1 and is_saved(source.files[0])):
        if reading.true or reading.pred or source.system or reading.id or reading.beside:
            raise click.UsageError("Tables have no columns to choose.")
        return _tables(source, reading)
    pattern = source.run if source.run and "{" in source.run else None
    with progress("counting"):
        panel, strange = _panel(source, reading, None if pattern else source.run)
        panel, notes = relabelled(single(panel), *source.renaming)
    ranked = runs_of(list(panel.systems), pattern or panel.runs).systems
    refuse_few(ranked, panel.failed)
    if len(ranked) < 2:
        raise click.UsageError(f"Expected at least two systems to rank, got {shown(ranked)}.")
    keys = panel.keys(reading.by) if reading.by else None
    options = {
        "runs": pattern or panel.runs,
        "by": keys,
        "labels": reading.labels_as(panel.truth.dtype),
        "weights": panel.beside[reading.weights] if reading.weights else None,
        "cluster": panel.beside[reading.cluster] if reading.cluster else None,
        "drop_null_truth": reading.drop_null_truth,
    }
    units = 1 + (0 if keys is None else len(set(keys)))
    found = (*reading.notes, *strange, *notes)
    return Given((panel.truth, dict(panel.systems)), options, found, panel.failed, units)


def _panel(source: Source, reading: Reading, run: str | None) -> tuple[Panel, list[Note]]:
    """The items, ``run`` being a column; and which columns of a wide file are no systems."""
    if run and not source.system:
        raise click.UsageError(
            f"--run {run} names a column of a file with --system; for names of systems give "
            "a pattern such as '{system}-{run}'."
        )
    first, *others = source.files
    if source.system:
        if others or len(source.systems) > 1:
            raise click.UsageError("--system goes with one file, --true COL and --pred COL.")
        return panel_of_long(reading, first, source.system, run), []
    if not others and not source.systems:
        return _answering(single(panel_of_columns(reading, first), truth_only=True), reading)
    if not others:
        return panel_of_columns(reading, first, source.systems), []
    return panel_from(source, reading), []


def _answering(panel: Panel, reading: Reading) -> tuple[Panel, list[Note]]:
    """Without the columns that share no label with the truth: ids, texts, notes."""
    truth = set(panel.truth.drop_nulls().unique().to_list())
    strange = [
        name
        for name, p in panel.systems.items()
        if p.dtype.is_nested() or not truth & set(p.drop_nulls().unique().to_list())
    ]
    systems = {name: p for name, p in panel.systems.items() if name not in strange}
    notes: list[Note] = [NoSystems(tuple(strange), str(reading.true))] if strange else []
    return replace(panel, systems=systems), notes


def _tables(source: Source, reading: Reading) -> Given:
    """Saved stacks as they are; saved single tables and matrices under their files' names."""
    found: dict[Any, Confusion] = {}
    failed: dict[str, str] = {}
    notes: list[Note] = []
    for path, name in zip(source.files, system_names(list(source.files)), strict=True):
        try:
            table, more = _renamed_table(path, reading, source.renaming)
        except EvenhandError as e:
            if not source.keep_going:
                raise
            failed[name] = str(e)
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
    return Given((Confusion.stack(found),), {"runs": source.run}, tuple(notes), failed)


def _renamed_table(
    path: str, reading: Reading, rename: tuple[str | None, bool]
) -> tuple[Any, list[Note]]:
    """A matrix, whose rows the labels name, or a saved table, which has them after renaming."""
    if not is_saved(path):
        return renamed(matrix_of(path, reading), *rename)
    if reading.labels is not None and not any(rename):
        raise InputError(f"{path} is a saved table: its labels are counted already")
    return renamed(load(path).table, *rename, reading.labels)

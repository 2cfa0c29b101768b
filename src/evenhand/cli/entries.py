"""From the arguments of ``rank`` to what is ranked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import click

from evenhand.cli.inputs import panel_from, reading_of, single
from evenhand.cli.progress import progress
from evenhand.count.files import Reading
from evenhand.count.rename import relabelled, renamed
from evenhand.count.saved import is_saved, load
from evenhand.count.systems import (
    Panel,
    panel_of_columns,
    panel_of_long,
    refuse_few,
    system_names,
)
from evenhand.count.written import read_matrix
from evenhand.errors import EvenhandError, InputError, shown
from evenhand.notes.note import Note
from evenhand.notes.reading import NoSystems
from evenhand.ranking.runs import runs_of
from evenhand.table import Confusion


@dataclass(frozen=True)
class Given:
    """The arguments of ``eh.rank``, and what a reader ought to know of how they were read."""

    data: tuple[Any, ...]
    options: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[Note, ...] = ()
    failed: Mapping[str, str] = field(default_factory=dict)
    units: int = 1

    def tables(self) -> Confusion:
        """The systems' tables, which say which classes there are."""
        if len(self.data) == 1:
            stack = self.data[0]
            return Confusion.stack(stack) if isinstance(stack, Mapping) else stack
        from evenhand.count.samples import count_sample

        kept = ("labels", "drop_null_truth")
        return count_sample(*self.data, **{k: self.options[k] for k in kept}).tables()


def entries_from(
    files: Sequence[str],
    *,
    pred: Sequence[str] = (),
    system: str | None = None,
    run: str | None = None,
    tables: bool = False,
    keep_going: bool = False,
    **given: Any,
) -> Given:
    """What is ranked: tables alone, or the items of the files."""
    reading = reading_of(**given)
    if not files:
        raise click.UsageError("Expected GOLD RUN…, one file with columns, or --tables.")
    mapping, fold = given.get("mapping"), bool(given.get("ignore_case"))
    if tables or (len(files) == 1 and is_saved(files[0])):
        if reading.true or pred or system or reading.id or reading.beside:
            raise click.UsageError("Tables have no columns to choose.")
        return _tables(files, reading, run, keep_going, (mapping, fold), said=tables)
    with progress("counting"):
        panel = single(_panel(files, reading, list(pred), system, run, keep_going))
        panel, notes = relabelled(panel, mapping, fold)
    pattern = run if run is not None and _is_pattern(run) else None
    refuse_few(runs_of(list(panel.systems), pattern or panel.runs).systems, panel.failed)
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
    found = (*reading.notes, *notes)
    return Given((panel.truth, dict(panel.systems)), options, found, panel.failed, units)


def _panel(
    files: Sequence[str],
    reading: Reading,
    pred: list[str],
    system: str | None,
    run: str | None,
    keep_going: bool,
) -> Panel:
    column = run if run is not None and not _is_pattern(run) else None
    if column and not system:
        raise click.UsageError(
            f"--run {column} names a column of a file with --system; for names of systems give "
            "a pattern such as '{system}-{run}'."
        )
    if system:
        if len(files) != 1 or len(pred) > 1:
            raise click.UsageError("--system goes with one file, --true COL and --pred COL.")
        reading.pred = pred[0] if pred else None
        return panel_of_long(reading, files[0], system, column)
    if len(files) == 1:
        panel = panel_of_columns(reading, files[0], pred)
        return panel if pred else _answering(single(panel, truth_only=True), reading)
    return panel_from(files, reading, pred, keep_going=keep_going)


def _answering(panel: Panel, reading: Reading) -> Panel:
    """Without the columns that share no label with the truth: ids, texts, notes."""
    truth = set(panel.truth.drop_nulls().unique().to_list())
    strange = [
        name
        for name, p in panel.systems.items()
        if p.dtype.is_nested() or not truth & set(p.drop_nulls().unique().to_list())
    ]
    if strange:
        reading.notes.append(NoSystems(tuple(strange), str(reading.true)))
    systems = {name: p for name, p in panel.systems.items() if name not in strange}
    return replace(panel, systems=systems)


def _is_pattern(text: str) -> bool:
    return "{" in text


def _tables(
    files: Sequence[str],
    reading: Reading,
    run: str | None,
    keep_going: bool,
    rename: tuple[str | None, bool],
    said: bool,
) -> Given:
    """Saved stacks as they are; saved single tables and matrices under their files' names."""
    found: dict[Any, Confusion] = {}
    failed: dict[str, str] = {}
    notes: list[Note] = []
    labels = None if reading.labels is None else list(reading.labels)
    for path, name in zip(files, system_names(list(files)), strict=True):
        try:
            table, more = _renamed_table(path, labels, rename)
        except EvenhandError as e:
            if not keep_going:
                raise
            failed[name] = str(e)
            continue
        if table.axes[:1] == ("slice",) and not said:
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
    return Given((Confusion.stack(found),), {"runs": run}, tuple(notes), failed)


def _renamed_table(
    path: str, labels: list[str] | None, rename: tuple[str | None, bool]
) -> tuple[Any, list[Note]]:
    """A matrix, whose rows the labels name, or a saved table, which has them after renaming."""
    if not is_saved(path):
        return renamed(read_matrix(path, labels=labels, rows="true"), *rename)
    if labels is not None and not any(rename):
        raise InputError(f"{path} is a saved table: its labels are counted already")
    return renamed(load(path).table, *rename, labels)

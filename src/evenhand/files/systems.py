"""Several systems from files: the truth and each system's predictions, item by item."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from evenhand.count.exact import exact, values_of
from evenhand.count.samples import count_sample
from evenhand.count.trim import trim
from evenhand.errors import InputError, NoRowsError, shown
from evenhand.files.check import explained, refuse_empty_lines, refuse_mixed
from evenhand.files.reading import (
    PRED,
    TRUE,
    Reading,
    columns,
    numeric,
    refuse_saved,
    refuse_unpaired,
    which_columns,
)
from evenhand.files.sources import Source, opened, scan
from evenhand.tables.labels import is_null
from evenhand.tables.sample import Sample

TIMES = "evenhand:times"
"""What the column of how often a row came is called: a name that no column has."""


@dataclass(frozen=True)
class Panel:
    """Items one a row: the truth, the prediction of each system, and what stands beside them.

    ``beside`` are the columns named for weights, clusters and slices; ``runs`` says which
    columns are runs of one system; ``failed`` holds what was wrong with files left out. ``times``
    says how often each row came, where those that look alike are one.
    """

    truth: Any
    systems: Mapping[str, Any]
    beside: Mapping[str, Any] = field(default_factory=dict)
    runs: Mapping[str, Sequence[str]] | None = None
    failed: Mapping[str, str] = field(default_factory=dict)
    times: Any = None

    def sample(self, reading: Reading, labels: Sequence[Any] | None = None) -> Sample:
        """The items as a sample, counted as ``reading`` says."""
        return count_sample(
            self.truth,
            self.systems,
            labels=reading.labels_as(self.truth.dtype) if labels is None else labels,
            weights=self.beside[reading.weights] if reading.weights else None,
            cluster=self.beside[reading.cluster] if reading.cluster else None,
            counts=None if self.times is None else self.times.to_numpy(),
            drop_null_truth=reading.drop_null_truth,
        )

    def keys(self, by: Sequence[str]) -> list[Any]:
        """The slice of each item: the value of one column, or a tuple of several."""
        values = [self.beside[c].to_list() for c in by]
        return values[0] if len(values) == 1 else list(zip(*values, strict=True))

    def labels(self) -> set[Any]:
        """Every label of truth and predictions."""
        columns = (self.truth, *self.systems.values())
        return {v for column in columns for v in column.drop_nulls().unique().to_list()}

    def relabelled(self, rename: Callable[[Any], Any]) -> Panel:
        """Every label of truth and predictions by another name."""
        return replace(
            self,
            truth=_renamed(self.truth, rename),
            systems={name: _renamed(p, rename) for name, p in self.systems.items()},
        )


def panel_of_files(
    reading: Reading, gold: str, runs: Sequence[str], *, keep_going: bool = False
) -> Panel:
    """One file of truth and one of predictions for each system, by line or joined by id.

    With ``keep_going`` a file that does not fit is left out and named in ``failed``.
    """
    names = system_names(list(runs))
    found: dict[str, Any] = {}
    failed: dict[str, str] = {}
    frame: Any = None
    with reading.opened(gold, TRUE) as truth:
        for path, name in zip(runs, names, strict=True):
            try:
                with reading.opened(path, PRED) as source, explained(truth, source):
                    paired = _paired(reading, truth, source)
            except InputError as e:
                if not keep_going:
                    raise
                failed[name] = str(e)
                continue
            found[name], frame = paired[PRED], paired if frame is None else frame
    if frame is None:
        refuse_few(found, failed)
        raise InputError("there is no system to rank")
    beside = {c: values_of(frame, c) for c in reading.beside}
    return Panel(frame[TRUE], found, beside, failed=failed)


def refuse_few(found: Collection[Any], failed: Mapping[str, str]) -> None:
    """With so many systems left out that there is no ranking, say why they are."""
    if failed and len(found) < 2:
        left = f"only {shown(found)} is" if found else "no system is"
        reasons = "; ".join(f"{name}: {reason}" for name, reason in failed.items())
        raise InputError(f"{left} left to rank: {reasons}")


def _paired(reading: Reading, gold: Any, run: Any) -> Any:
    import polars as pl

    frame = reading.paired(gold, run)
    if reading.weights:
        frame = numeric(frame, reading.weights, gold.name)
    try:
        frame = trim(frame.collect(), [TRUE, PRED, *reading.beside])
    except pl.exceptions.ShapeError:
        refuse_unpaired(gold, run)
        raise
    if frame[TRUE].null_count() or frame[PRED].null_count():
        for source in (gold, run):
            refuse_empty_lines(source)
    (truth, named), guess = reading.labelled(gold, run)
    seen = _distinct(frame, [TRUE, PRED, *reading.beside])
    refuse_mixed(seen, [(truth, [*named, *reading.beside]), guess])
    return frame


def _distinct(frame: Any, columns: Iterable[str]) -> Iterator[Any]:
    """The values of some columns."""
    for column in dict.fromkeys(columns):
        yield from values_of(frame, column).unique().to_list()


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


def sample_of_columns(reading: Reading, path: str, systems: Sequence[str]) -> Sample:
    """One file with a column of truth and one for each system, counted as it streams by.

    Rows that look alike become one where they are; only what is amiss is looked for item by item.
    """
    with opened(path, columns=True) as source, explained(source):
        try:
            return single(_of_columns(reading, source, systems, alike=True)).sample(reading)
        except InputError:
            return single(_of_columns(reading, source, systems)).sample(reading)


def panel_of_columns(reading: Reading, path: str, systems: Sequence[str] = ()) -> Panel:
    """One file with a column of truth and one for each system; without names, all others."""
    if not reading.true:
        raise InputError(which_columns(path))
    with opened(path, columns=True) as source, explained(source):
        return _of_columns(reading, source, systems)


def _of_columns(
    reading: Reading, source: Source, systems: Sequence[str], *, alike: bool = False
) -> Panel:
    """``alike``: rows that look alike become one, with how often they came."""
    import polars as pl

    if len(set(systems)) != len(systems):
        raise InputError(f"a system must be named once, got {shown(systems)}")
    refuse_saved(source)
    frame, true = scan(source), str(reading.true)
    taken = [true, *reading.beside, *([reading.id] if reading.id else [])]
    have = columns(frame, source, [*taken, *systems])
    names = list(systems) or [c for c in have if c not in [*taken, *source.partitions]]
    if not names:
        raise InputError(f"{source.name} has no column left for a system's predictions")
    if reading.weights:
        frame = numeric(frame, reading.weights, source.name)
    wanted = dict.fromkeys([true, *names, *reading.beside])
    frame = frame.select(*map(exact, wanted))
    if alike and TIMES in wanted:
        raise InputError(f"no column may be called {TIMES!r}")
    if alike:
        frame = frame.group_by(*map(exact, wanted)).agg(pl.len().cast(pl.Int64).alias(TIMES))
    frame = trim(frame.collect(engine="streaming" if alike else "auto"), wanted)
    refuse_mixed(_distinct(frame, wanted), [(source, list(wanted))])
    found = {name: values_of(frame, name) for name in names}
    beside = {c: values_of(frame, c) for c in reading.beside}
    times = frame[TIMES] if alike else None
    return Panel(values_of(frame, true), found, beside, times=times)


def panel_of_long(reading: Reading, path: str, system: str, run: str | None = None) -> Panel:
    """One file with a row for each item and system, aligned by id or by the order of rows."""
    if not (reading.true and reading.pred):
        raise InputError(which_columns(path))
    import polars as pl

    keys = [system, *([run] if run else [])]
    if run == system:
        raise InputError(f"systems and their runs must be in two columns, got {system!r} for both")
    with opened(path, columns=True) as source, explained(source):
        refuse_saved(source)
        frame = scan(source)
        wanted = [reading.true, reading.pred, *keys, *reading.beside]
        wanted += [reading.id] if reading.id else []
        columns(frame, source, wanted)
        if reading.weights:
            frame = numeric(frame, reading.weights, source.name)
        frame = trim(frame.select(*map(exact, dict.fromkeys(wanted))).collect(), wanted)
        refuse_mixed(_distinct(frame, wanted), [(source, list(dict.fromkeys(wanted)))])
    if not len(frame):
        raise NoRowsError(f"{path} has no rows: there is no item to count")
    for key in keys:
        if frame[key].null_count():
            at = values_of(frame, key).is_null().arg_max() or 0
            raise InputError(f"{path}, column {key}, row {at + 1}: expected a name, got none")
    parts = {
        "/".join(map(str, k)): (str(k[0]), part)
        for k, part in sorted(
            frame.group_by(*map(exact, keys), maintain_order=True),
            key=lambda p: tuple(map(str, p[0])),
        )
    }
    items = pl.concat([part for _, part in parts.values()])
    if reading.id is None:
        truth, found = _by_order(reading, path, parts)
    else:
        truth, found = _by_id(reading, path, parts, items)
    runs: dict[str, list[str]] = {}
    for name, (whole, _) in parts.items():
        runs.setdefault(whole, []).append(name)
    beside = {c: values_of(truth, c) for c in reading.beside}
    return Panel(values_of(truth, reading.true), found, beside, runs if run else None)


def _by_order(
    reading: Reading, path: str, parts: Mapping[str, tuple[str, Any]]
) -> tuple[Any, dict[str, Any]]:
    (first, (_, truth)), *others = parts.items()
    same = [exact(c) for c in dict.fromkeys((reading.true or "", *reading.beside))]
    for name, (_, part) in others:
        if not part.select(same).equals(truth.select(same)):
            raise InputError(
                f"{path}: {first!r} ({len(truth):,} rows) and {name!r} ({len(part):,} rows) do "
                "not have the same items in the same order; say which items are which with --id COL"
            )
    pred = reading.pred or ""
    return truth, {name: values_of(part, pred) for name, (_, part) in parts.items()}


def _by_id(
    reading: Reading, path: str, parts: Mapping[str, tuple[str, Any]], items: Any
) -> tuple[Any, dict[str, Any]]:
    import polars as pl

    key, column = reading.id or "", exact(reading.id or "")
    known = dict.fromkeys([key, reading.true or "", *reading.beside])
    facts = items.select(*map(exact, known)).unique(maintain_order=True)
    twice = _repeated(facts, key)
    if len(twice):
        raise InputError(
            f"{path}: {len(twice):,} id(s) with more than one truth (or weight, cluster or slice): "
            f"{shown(twice.to_list())}"
        )
    facts = facts.sort(column)
    found = {}
    for name, (_, part) in parts.items():
        again = _repeated(part, key)
        if len(again):
            raise InputError(
                f"{path}: system {name!r} has {len(again):,} id(s) more than once: "
                f"{shown(again.to_list())}"
            )
        lacks = facts.join(part, on=column, how="anti")[key]
        if len(lacks) and reading.missing != "wrong":
            raise InputError(
                f"{path}: system {name!r} lacks {len(lacks):,} id(s) of the others: "
                f"{shown(lacks.to_list())}; --missing wrong counts them as errors"
            )
        right = part.select(column, pl.col(exact(reading.pred or "")).alias(PRED))
        left = facts.select(column)
        found[name] = left.join(right, on=column, how="left", maintain_order="left")[PRED]
    return facts, found


def _repeated(frame: Any, key: str) -> Any:
    """The ids that stand in more than one row."""
    ids = values_of(frame, key)
    return ids.filter(ids.is_duplicated()).unique(maintain_order=True)


def system_names(paths: list[str]) -> list[str]:
    """Systems are called as their files, without folder and ending while that tells them apart."""
    where: dict[Path, str] = {}
    for p in paths:
        same = where.setdefault(Path(p).resolve(), p)
        if same is not p and p != "-":
            raise InputError(f"a system must be named once, got {p} twice")
    for short in (lambda p: p.stem, lambda p: p.name, str):
        names = [str(short(Path(p))) for p in paths]
        if len(set(names)) == len(names):
            return names
    raise InputError(f"a system must be named once, got {shown(paths)}")


def _renamed(column: Any, rename: Callable[[Any], Any]) -> Any:
    import polars as pl

    known = {v: rename(v) for v in column.drop_nulls().unique().to_list() if not is_null(v)}
    return pl.Series([None if is_null(v) else known[v] for v in column.to_list()])

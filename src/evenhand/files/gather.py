"""From files to items: one file, wide or long, or files side by side or joined by id."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from evenhand.count.trim import trim
from evenhand.errors import InputError, shown
from evenhand.files.archives import only
from evenhand.files.check import explained
from evenhand.files.columns import (
    NO_COLUMNS,
    Columns,
    find_columns,
    named_options,
    which_columns,
)
from evenhand.files.items import TRUE, Items, Place, pred
from evenhand.files.join import ID, joined
from evenhand.files.long import of_long
from evenhand.files.opening import files_of, opened
from evenhand.files.reading import Reading
from evenhand.files.saved import is_saved
from evenhand.files.scratch import Scratch
from evenhand.files.sequences import unfolded
from evenhand.files.soft import Soft, SoftItems, soft_columns
from evenhand.files.sources import LINE, Source, scan
from evenhand.files.wide import of_wide
from evenhand.notes.note import Note
from evenhand.notes.reading import ComparedAsText


@contextmanager
def gathered(reading: Reading, first: Source, *, several: bool) -> Iterator[Items]:
    """The items that a reading describes, as long as its files are open; ``first`` is.

    With ``several``, one file without names of systems has one in each column that is left.
    """
    if len(reading.files) == 1:
        with explained(first):
            refuse_saved(first)
            yield of_long(reading, first) if reading.system else of_wide(reading, first, several)
        return
    if reading.system or len(reading.pred) > 1:
        raise InputError(
            f"several systems in columns are those of one file, got {len(reading.files)} files"
        )
    with ExitStack() as stack:
        runs, failed = _runs(reading, first, stack, several)
        with explained(first, *runs.values()):
            yield _beside(reading, first, runs, failed)


def _runs(
    reading: Reading, gold: Source, stack: ExitStack, several: bool
) -> tuple[dict[str, Source], dict[str, InputError]]:
    """The files of predictions by the names of their systems; and what is wrong with others.

    Whether a file fits is known once it is counted with the truth: by itself only where
    others are to go on without it.
    """
    found: dict[str, Source] = {}
    failed: dict[str, InputError] = {}
    runs = files_of(reading.files[1:], stack.enter_context(Scratch()))
    if not several:
        runs = [only(runs, reading.files[-1])]
    columns, layout = bool(reading.guess or reading.id), reading.layout
    for run, name in zip(runs, system_names([run.name for run in runs]), strict=True):
        try:
            source = stack.enter_context(
                opened(run.name, at=run.path, columns=columns, layout=layout)
            )
            if reading.keep_going:
                with explained(gold, source):
                    unfolded(_beside(reading, gold, {name: source})).counted(rows=True)
        except InputError as e:
            if not reading.keep_going:
                raise
            failed[name] = e
            continue
        found[name] = source
    if not found:
        refuse_few(found, failed)
    return found, failed


def refuse_few(found: Collection[Any], failed: Mapping[str, InputError]) -> None:
    """With so many systems left out that there is no ranking, say why they are."""
    if failed and len(found) < 2:
        left = f"only {shown(found)} is" if found else "no system is"
        reasons = [(f"{name}: ", *reason.args, "; ") for name, reason in failed.items()]
        raise InputError(f"{left} left: ", *[p for parts in reasons for p in parts][:-1])


def _beside(
    reading: Reading,
    gold: Source,
    runs: Mapping[str, Source],
    failed: Mapping[str, InputError] | None = None,
) -> Items:
    """A file of truth and one of predictions for each system, by line or joined by id."""
    import polars as pl

    files = [gold, *runs.values()]
    sides = [_side(reading, gold, reading.truth, TRUE)]
    soft: dict[str, Soft] = {}
    for i, (name, source) in enumerate(runs.items()):
        if reading.probabilities is None:
            sides.append(_side(reading, source, reading.guess, pred(i)))
        else:
            soft[name] = soft_columns(reading, source, scan(source), i)
            sides.append(_soft_side(reading, source, soft[name]))
    frames = [side.frame for side in sides]
    texts: tuple[Note, ...] = ()
    if not soft:
        frames, texts = _as_text(files, frames)
    notes = (*(note for side in sides for note in side.notes), *texts)
    if reading.id is None:
        frame = pl.concat(frames, how="horizontal")
    else:
        frame = joined(frames, [source.name for source in files], reading)
    truth, *places = [side.place for side in sides]
    systems = dict(zip(runs, places, strict=True))
    if soft:
        return SoftItems(reading, frame, truth, systems, notes, failed=failed or {}, soft=soft)
    return Items(reading, frame, truth, systems, notes, failed=failed or {})


class Side(NamedTuple):
    """What one file gives: its columns, where the labels stand, what is to be known of it."""

    frame: Any
    place: Place
    notes: tuple[Note, ...] = ()


def _side(reading: Reading, source: Source, column: str | None, role: str) -> Side:
    """The labels of one file under the name of their role, and what stands beside the truth."""
    import polars as pl

    refuse_saved(source)
    beside = reading.beside if role == TRUE else []
    if not source.has_columns:
        if reading.id is not None:
            raise InputError(f"{source.name} has no columns to join by {reading.id!r}")
        if column is not None:
            raise InputError(NO_COLUMNS.format(source.name))
        if beside:
            asked = [n for n in ("weights", "cluster", "by") if getattr(reading, n)]
            raise InputError(
                f"{source.name} holds one label a line, but a column is asked for with ",
                *named_options(*asked),
            )
        return Side(scan(source).select(pl.col(LINE).alias(role)), Place(source))
    if column is None:
        raise which_columns(source, "true" if role == TRUE else "pred")
    found = find_columns(source, [column, *reading.ids, *beside])
    kept = _with_ids(reading, found, found.expr(column, role), *map(found.expr, beside))
    return Side(kept, Place(source, found.called[column]), found.notes)


def _soft_side(reading: Reading, source: Source, soft: Soft) -> Side:
    """The probabilities of one file, and its ids if there are to be any."""
    found = find_columns(source, reading.ids)
    kept = _with_ids(reading, found, *soft.columns)
    return Side(kept, Place(source, reading.probabilities), found.notes)


def _with_ids(reading: Reading, found: Columns, *columns: Any) -> Any:
    """Columns of a file, and its ids without the spaces around them."""
    kept = found.frame.select(*columns, *(found.expr(c, ID) for c in reading.ids))
    return trim(kept, [ID]) if reading.ids else kept


def _as_text(files: Sequence[Source], frames: Sequence[Any]) -> tuple[list[Any], tuple[Note, ...]]:
    """The frames with whole numbers as text where another file has text; and a note of each."""
    import polars as pl

    roles = [TRUE, *(pred(i) for i in range(len(frames) - 1))]
    kinds = [f.collect_schema()[role] for f, role in zip(frames, roles, strict=True)]
    texts = [source for source, kind in zip(files, kinds, strict=True) if kind == pl.String]
    found, notes = list(frames), []
    for i, kind in enumerate(kinds if texts else ()):
        if kind.is_integer():
            found[i] = frames[i].cast({roles[i]: pl.String})
            notes.append(ComparedAsText(files[i].name, texts[0].name))
    return found, tuple(notes)


def refuse_saved(source: Source) -> None:
    """A saved table has forgotten its items."""
    if is_saved(source.paths[0]):
        raise InputError(f"{source.name} is a saved table: labels of items are needed here")


def system_names(paths: Sequence[str]) -> list[str]:
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

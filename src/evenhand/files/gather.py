"""From files to items: columns of one file, files side by side or joined by id, long files."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from evenhand.count.exact import exact
from evenhand.count.trim import trim
from evenhand.errors import InputError, Option, shown
from evenhand.files.archives import only
from evenhand.files.check import explained
from evenhand.files.columns import MARKS, find_columns, named_options, which_columns
from evenhand.files.items import TRUE, Items, Place, pred
from evenhand.files.join import ID, joined
from evenhand.files.long import of_long
from evenhand.files.opening import files_of, opened
from evenhand.files.reading import Reading
from evenhand.files.rename import new_name
from evenhand.files.saved import is_saved
from evenhand.files.scratch import Scratch
from evenhand.files.sequences import unfolded
from evenhand.files.soft import Soft, SoftItems, soft_columns
from evenhand.files.sources import Source, scan
from evenhand.notes.note import Note
from evenhand.notes.reading import ComparedAsText, NoSystems

NO_COLUMNS = "{} holds one label a line: it has no columns to name"


@contextmanager
def gathered(reading: Reading, first: Source, *, several: bool) -> Iterator[Items]:
    """The items that a reading describes, as long as its files are open; ``first`` is.

    With ``several``, one file without names of systems has one in each column that is left.
    """
    if len(reading.files) == 1:
        with explained(first):
            refuse_saved(first)
            yield of_long(reading, first) if reading.system else _wide(reading, first, several)
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


def _wide(reading: Reading, source: Source, several: bool) -> Items:
    """One file with a column of truth and one for each system; without names, all others."""
    import polars as pl

    if not source.has_columns:
        raise InputError(NO_COLUMNS.format(source.name)) if reading.of_columns else _ask(source)
    true, systems = reading.true, list(reading.pred)
    if true and reading.probabilities is not None:
        return _wide_soft(reading, source, true, several)
    if not true or not (systems or several):
        raise which_columns(source, "true", "pred")
    taken = [true, *reading.beside, *([reading.id] if reading.id else [])]
    found = find_columns(source, [*taken, *systems])
    frame, notes = found.frame, found.notes
    true, systems = found.called[true], [found.called[c] for c in systems]
    if true in systems:
        raise InputError(
            f"{source.name}: column {true!r} cannot hold both truth and predictions; what two "
            "files call alike is named by ",
            Option("label"),
        )
    if len(set(systems)) != len(systems):
        raise InputError(f"a system must be named once, got {shown(systems)}")
    if not systems:
        twice = [c for c in frame.collect_schema() if f"{c}_duplicated_0" in frame.collect_schema()]
        if twice:
            raise InputError(f"{source.name} has more than one column called {shown(twice)}")
        used = {*found.called.values(), *source.partitions}
        others = [c for c in frame.collect_schema() if c not in used]
        if source.is_json:
            source.learnt.refuse_like(source.name, true, others)
        systems, strange = _answering(reading, frame, true, others)
        notes += strange
    if not systems:
        raise InputError(f"{source.name} has no column left for a system's predictions")
    if reading.id is not None:
        joined([frame.select(found.expr(reading.id, ID))], [source.name], reading)
    labels = [pl.col(exact(c)).alias(pred(i)) for i, c in enumerate(systems)]
    return Items(
        reading,
        frame.select(pl.col(exact(true)).alias(TRUE), *labels, *map(found.expr, reading.beside)),
        Place(source, true),
        {c: Place(source, c) for c in systems},
        notes,
    )


def _wide_soft(reading: Reading, source: Source, true: str, several: bool) -> Items:
    """One file with a column of truth and the probabilities of one system."""

    if reading.pred or several:
        raise InputError(
            f"{source.name}: probabilities of several systems stand in a file each, beside one of "
            "the truth"
        )
    ids = [] if reading.id is None else [reading.id]
    found = find_columns(source, [true, *reading.beside, *ids])
    if ids:
        joined([found.frame.select(found.expr(ids[0], ID))], [source.name], reading)
    soft = soft_columns(reading, source, found.frame)
    return SoftItems(
        reading,
        found.frame.select(found.expr(true, TRUE), *soft.columns, *map(found.expr, reading.beside)),
        Place(source, found.called[true]),
        {"system": Place(source, reading.probabilities)},
        found.notes,
        soft={"system": soft},
    )


def _answering(
    reading: Reading, frame: Any, true: str, columns: Sequence[str]
) -> tuple[list[str], tuple[Note, ...]]:
    """The columns that share some label with the truth: others are ids, texts, notes."""
    import polars as pl

    named = [pl.col(exact(c)).alias(pred(i)) for i, c in enumerate(columns)]
    frame = frame.select(pl.col(exact(true)).alias(TRUE), *named)
    frame = trim(frame, frame.collect_schema().names())
    schema = frame.collect_schema()
    held = {c: dtype for c, dtype in schema.items() if c != TRUE and dtype != pl.Null}
    plain = [TRUE, *(c for c, dtype in held.items() if not dtype.is_nested())]
    numbers = [c for c in plain if schema[c].is_numeric() or schema[c] == pl.Boolean]
    frame = frame.select(plain).cast(dict.fromkeys(numbers, pl.Float64))
    if schema[TRUE].is_nested():
        return list(columns), ()
    truth = frame.select(pl.col(TRUE).unique()).collect(engine="streaming")[TRUE].drop_nulls()
    alike = [c for c in plain[1:] if frame.collect_schema()[c] == truth.dtype]
    if not alike:
        return [], (NoSystems(tuple(columns), true),) if columns else ()
    sizes = frame.select(pl.col(alike).n_unique()).collect(engine="streaming").row(0, named=True)
    name, found = new_name(reading), set()
    known = set(map(name, truth))
    for c in alike:
        if c in numbers and sizes[c] > max(10, 3 * len(truth)):
            continue  # an id, an age
        labels = frame.select(pl.col(c).unique()).collect(engine="streaming")[c].drop_nulls()
        if not known.isdisjoint(map(name, labels)):
            found.add(c)
    strange = tuple(c for i, c in enumerate(columns) if pred(i) not in found)
    notes = (NoSystems(strange, true),) if strange else ()
    return [c for c in columns if c not in strange], notes


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
        return Side(scan(source).select(pl.col("line").alias(role)), Place(source))
    if column is None:
        raise which_columns(source, "true" if role == TRUE else "pred")
    ids = [] if reading.id is None else [reading.id]
    found = find_columns(source, [column, *ids, *beside])
    kept = found.frame.select(
        found.expr(column, role), *(found.expr(c, ID) for c in ids), *map(found.expr, beside)
    )
    kept = trim(kept, [ID]) if ids else kept
    return Side(kept, Place(source, found.called[column]), found.notes)


def _soft_side(reading: Reading, source: Source, soft: Soft) -> Side:
    """The probabilities of one file, and its ids if there are to be any."""
    ids = [] if reading.id is None else [reading.id]
    found = find_columns(source, ids)
    kept = found.frame.select(*soft.columns, *(found.expr(c, ID) for c in ids))
    kept = trim(kept, [ID]) if ids else kept
    return Side(kept, Place(source, reading.probabilities), found.notes)


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


def _ask(source: Source) -> InputError:
    """What to do with a file of lines: it goes with another, or has columns after all."""
    asked = f"{source.name} holds one label a line: give a file of truth and one of predictions"
    line = str(next(iter(scan(source).head(1).collect().to_series()), ""))
    if not any(mark in line for mark in MARKS):
        return InputError(asked)
    return InputError(asked, ", or say which columns it has with ", *named_options("true", "pred"))


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

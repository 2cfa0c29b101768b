"""Loading: from files to tables and samples."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np

from evenhand.catalogue.binding import folded
from evenhand.data.cells import Numbers
from evenhand.data.confusion import Confusion
from evenhand.data.factorize import escape_column, trim
from evenhand.data.labels import Label, Labels
from evenhand.data.multilabel import AnyTable
from evenhand.data.sample import Sample, SoftSample
from evenhand.errors import InputError, NoRowsError, Option, shown
from evenhand.io.columns import (
    NO_COLUMNS,
    Choice,
    ReadOptions,
    SelectedColumns,
    choose,
    find_columns,
    named_options,
    refuse_twice,
    settle,
    which_columns,
)
from evenhand.io.delimited import MARKS, TextLayout, blocks
from evenhand.io.detection import HEADING
from evenhand.io.documents import counted
from evenhand.io.items import (
    ID,
    SAMPLE,
    TRUE,
    WRONG,
    Items,
    LabelPlace,
    ProbabilityColumns,
    SoftItems,
    explained,
    joined,
    kind_of,
    new_name,
    pred,
    renamed,
    sampled,
    soft_columns,
    unfolded,
)
from evenhand.io.saved import is_saved, load
from evenhand.io.scratch import Scratch
from evenhand.io.sources import (
    LINE,
    Member,
    Source,
    bare_suffix,
    files_of,
    only,
    opened,
    scan,
)
from evenhand.warnings import (
    ComparedAsText,
    EqualToTruth,
    FileLayout,
    FilesRead,
    HeaderCounted,
    LayoutFound,
    NoSystems,
    ResultWarning,
)

SYSTEM, RUN = "evenhand:system", "evenhand:run"


def of_long(reading: ReadOptions, source: Source) -> Items:
    """One file with a row for each item and system, aligned by id or by the order of rows."""
    import polars as pl

    system, run, path = str(reading.system), reading.run, source.name
    if run == system:
        raise InputError(f"systems and their runs must be in two columns, got {system!r} for both")
    found = _columns(reading, source)
    frame = _named(reading, found)
    if not len(frame):
        raise NoRowsError(f"{path} has no rows: there is no item to count")
    keys = [SYSTEM] if run is None else [SYSTEM, RUN]
    for key, name in zip(keys, (system, run), strict=False):
        if frame[key].null_count():
            at = frame[key].is_null().arg_max() or 0
            raise InputError(f"{path}, column {name}, row {at + 1}: expected a name, got none")
    parts = {
        "/".join(map(str, k)): (str(k[0]), part)
        for k, part in sorted(
            frame.group_by(keys, maintain_order=True), key=lambda p: tuple(map(str, p[0]))
        )
    }
    each = {name: part for name, (_, part) in parts.items()}
    truth = _by_order(reading, path, each) if reading.id is None else _by_id(reading, path, each)
    runs: dict[str, list[str]] = {}
    for name, (whole, _) in parts.items():
        runs.setdefault(whole, []).append(name)
    truth_in, guess_in = (found.called[c] for c in (str(reading.true), reading.pred[0]))
    items = Items(
        reading,
        truth.lazy(),
        LabelPlace(source, truth_in),
        dict.fromkeys(parts, LabelPlace(source, guess_in)),
        found.notes,
        runs=None if run is None else runs,
        as_in_file=False,
    )
    return items if reading.sample is None else sampled(items, pl.col(ID), reading.weights)


def _columns(reading: ReadOptions, source: Source) -> SelectedColumns:
    """The columns that are read."""
    if not (reading.true and reading.pred):
        raise which_columns(source, "true", "pred")
    return find_columns(source, [*_ours(reading).values(), *reading.beside])


def _ours(reading: ReadOptions) -> dict[str, str]:
    """The columns that get names of ours."""
    ours = {TRUE: reading.true, pred(0): reading.pred[0], SYSTEM: reading.system}
    ours |= {RUN: reading.run, ID: reading.id, SAMPLE: reading.sample}
    return {name: c for name, c in ours.items() if c is not None}


def _named(reading: ReadOptions, columns: SelectedColumns) -> Any:
    """The columns that are read, under names of ours but for those beside the truth."""
    kept = [columns.expr(c, name) for name, c in _ours(reading).items()]
    frame = columns.frame.select(*kept, *map(columns.expr, reading.beside))
    found = frame.collect(engine="streaming")
    return trim(found, found.columns)


def _by_order(reading: ReadOptions, path: str, parts: Mapping[str, Any]) -> Any:
    (first, truth), *others = parts.items()
    same = [TRUE, *map(escape_column, reading.beside)]
    for name, part in others:
        if not part.select(same).equals(truth.select(same)):
            raise InputError(
                f"{path}: {first!r} ({len(truth):,} rows) and {name!r} ({len(part):,} rows) do "
                "not have the same items in the same order; say which items are which with ",
                Option("id"),
            )
    guesses = [part[pred(0)].alias(pred(i)) for i, part in enumerate(parts.values())]
    return truth.select(same).with_columns(guesses)


def _by_id(reading: ReadOptions, path: str, parts: Mapping[str, Any]) -> Any:
    import polars as pl

    items = pl.concat([*parts.values()])
    keys = [ID] if reading.sample is None else [ID, SAMPLE]
    facts = items.select(ID, TRUE, *map(escape_column, reading.beside)).unique(maintain_order=True)
    twice = _repeated(facts, [ID])
    if twice:
        raise InputError(
            f"{path}: {len(twice):,} id(s) with more than one truth (or weight, cluster or slice): "
            f"{shown(twice)}"
        )
    if reading.sample is not None:
        facts = items.select(keys).unique().join(facts, on=ID)
    whole = facts = facts.sort(keys)
    for i, (name, part) in enumerate(parts.items()):
        again = _repeated(part, keys)
        if again:
            raise InputError(
                f"{path}: system {name!r} has {len(again):,} id(s) more than once: {shown(again)}; "
                "several rows an item are told apart by ",
                *(Option("sample"), " or ", Option("run")),
            )
        lacks = facts.join(part, on=keys, how="anti")[ID]
        if len(lacks) and reading.missing != "wrong":
            raise InputError(
                f"{path}: system {name!r} lacks {len(lacks):,} id(s) of the others: "
                f"{shown(lacks.to_list())}",
                *WRONG,
            )
        right = part.select(*keys, pl.col(pred(0)).alias(pred(i)))
        whole = whole.join(right, on=keys, how="left", maintain_order="left")
    return whole


def _repeated(frame: Any, keys: Sequence[str]) -> list[Any]:
    """The ids that stand in more than one row, or more than one of a sample."""
    twice = frame.select(keys).is_duplicated()
    return list(frame[ID].filter(twice).unique(maintain_order=True))


# Wide files: a column of truth and one for each system, in one file.


def of_wide(reading: ReadOptions, source: Source, several: bool) -> Items:
    """One file with a column of truth and one for each system; without names, all others."""
    import polars as pl

    if not source.has_columns:
        raise InputError(NO_COLUMNS.format(source.name)) if reading.of_columns else _ask(source)
    true, systems = reading.true, list(reading.pred)
    if true and reading.probabilities is not None:
        return _wide_soft(reading, source, true, several)
    if not true or not (systems or several):
        raise which_columns(source, "true", "pred")
    sample = [] if reading.sample is None else [reading.sample]
    found = find_columns(source, [true, *reading.beside, *reading.ids, *sample, *systems])
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
        have = frame.collect_schema().names()
        refuse_twice(source, have, have)
        used = {*found.called.values(), *source.partitions}
        others = [c for c in have if c not in used]
        if source.is_json:
            source.learnt.refuse_like(source.name, true, others)
        systems, strange = _answering(reading, frame, true, others)
        notes += strange
    if not systems:
        raise InputError(f"{source.name} has no column left for a system's predictions")
    _refuse_twice(reading, source, found)
    labels = [pl.col(escape_column(c)).alias(pred(i)) for i, c in enumerate(systems)]
    ids = [found.expr(c, ID) for c in reading.ids]
    columns = (pl.col(escape_column(true)).alias(TRUE), *labels, *map(found.expr, reading.beside))
    places = {c: LabelPlace(source, c) for c in systems}
    if reading.sample is None:
        return Items(reading, frame.select(columns), LabelPlace(source, true), places, notes)
    items = Items(reading, frame.select(*columns, *ids), LabelPlace(source, true), places, notes)
    return sampled(items, pl.col(ID), reading.weights)


def _refuse_twice(reading: ReadOptions, source: Source, found: SelectedColumns) -> None:
    """Ids, with the samples of an item, that stand in more than one row."""
    import polars as pl

    ids = [found.expr(c, ID) for c in reading.ids]
    if reading.sample is not None:
        ids = [pl.concat_str([*ids, found.expr(reading.sample, "")], separator=" ").alias(ID)]
    if ids:
        joined([found.frame.select(ids)], [source.name], reading)


def _wide_soft(reading: ReadOptions, source: Source, true: str, several: bool) -> Items:
    """One file with a column of truth and the probabilities of one system."""
    if reading.pred or several:
        raise InputError(
            f"{source.name}: probabilities of several systems stand in a file each, beside one of "
            "the truth"
        )
    found = find_columns(source, [true, *reading.beside, *reading.ids])
    for column in reading.ids:
        joined([found.frame.select(found.expr(column, ID))], [source.name], reading)
    soft = soft_columns(reading, source, found.frame)
    return SoftItems(
        reading,
        found.frame.select(found.expr(true, TRUE), *soft.columns, *map(found.expr, reading.beside)),
        LabelPlace(source, found.called[true]),
        {"system": LabelPlace(source, reading.probabilities)},
        found.notes,
        soft={"system": soft},
    )


def _answering(
    reading: ReadOptions, frame: Any, true: str, columns: Sequence[str]
) -> tuple[list[str], tuple[ResultWarning, ...]]:
    """The columns that share some label with the truth: others are ids, texts, notes."""
    import polars as pl

    named = [pl.col(escape_column(c)).alias(pred(i)) for i, c in enumerate(columns)]
    frame = frame.select(pl.col(escape_column(true)).alias(TRUE), *named)
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


def _ask(source: Source) -> InputError:
    """What to do with a file of lines: it goes with another, or has columns after all."""
    asked = f"{source.name} holds one label a line: give a file of truth and one of predictions"
    line = str(next(iter(scan(source).head(1).collect().to_series()), ""))
    if not any(mark in line for mark in MARKS):
        return InputError(asked)
    return InputError(asked, ", or say which columns it has with ", *named_options("true", "pred"))


# From files to items: one file, wide or long, or files side by side or joined by id.

KINDS = {"int": "integers", "float": "decimals", "bool": "booleans"}


@contextmanager
def gathered(reading: ReadOptions, first: Source, *, several: bool) -> Iterator[Items]:
    """The items that a reading describes, as long as its files are open; ``first`` is.

    With ``several``, one file without names of systems has one in each column that is left.
    """
    if len(reading.files) == 1:
        with explained(first):
            refuse_saved(first)
            reading, notes = settle(reading, first, several=several)
            items = of_long(reading, first) if reading.system else of_wide(reading, first, several)
            yield replace(items, notes=(*notes, *items.notes))
        return
    if reading.system or len(reading.pred) > 1:
        raise InputError(
            f"several systems in columns are those of one file, got {len(reading.files)} files"
        )
    with ExitStack() as stack:
        runs, failed = _runs(reading, first, stack, several)
        try:
            with explained(first, *runs.values()):
                yield _beside(reading, first, runs, failed)
        except InputError:
            if not reading.keep_going:
                _refuse_each(failures(reading, first, runs), len(runs))
            raise


def _runs(
    reading: ReadOptions, gold: Source, stack: ExitStack, several: bool
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
    names = system_names(runs)
    for run, name in zip(runs, names, strict=True):
        try:
            source = stack.enter_context(
                opened(
                    run.name,
                    at=run.path,
                    columns=columns,
                    layout=layout.for_file(run.layout, run.name),
                    names=reading.names,
                    gold=gold,
                )
            )
        except InputError as e:
            failed[name] = e
            continue
        found[name] = source
    if not reading.keep_going and not failed:
        return found, {}
    failed |= failures(reading, gold, found)
    failed = {name: failed[name] for name in names if name in failed}
    if not reading.keep_going:
        _refuse_each(failed, len(runs))
        raise next(iter(failed.values()))
    found = {name: source for name, source in found.items() if name not in failed}
    if not found:
        refuse_few(found, failed)
    return found, failed


def failures(
    reading: ReadOptions, gold: Source, runs: Mapping[str, Source]
) -> dict[str, InputError]:
    """What is wrong with files of predictions, each counted with the truth by itself."""
    failed: dict[str, InputError] = {}
    for name, source in runs.items():
        try:
            with explained(gold, source):
                unfolded(_beside(reading, gold, {name: source})).counted(rows=True)
        except InputError as e:
            failed[name] = e
    return failed


def _refuse_each(failed: Mapping[str, InputError], runs: int) -> None:
    """List what is wrong with several files, if it is not the same."""
    if len(set(map(str, failed.values()))) > 1:
        parts = [part for error in failed.values() for part in (*error.args, "; ")]
        raise InputError(
            f"{len(failed):,} of {runs:,} files cannot be read: ",
            *parts,
            Option("keep_going"),
            " goes on without them",
        )


def refuse_few(found: Collection[Any], failed: Mapping[str, InputError]) -> None:
    """With so many systems left out that there is no ranking, say why they are."""
    if failed and len(found) < 2:
        left = f"only {shown(found)} is" if found else "no system is"
        reasons = [(f"{name}: ", *reason.args, "; ") for name, reason in failed.items()]
        raise InputError(f"{left} left: ", *[p for parts in reasons for p in parts][:-1])


def _beside(
    reading: ReadOptions,
    gold: Source,
    runs: Mapping[str, Source],
    failed: Mapping[str, InputError] | None = None,
) -> Items:
    """A file of truth and one of predictions for each system, by line or joined by id."""
    import polars as pl

    files = [gold, *runs.values()]
    for file in files:
        refuse_saved(file)
    choices = choose(reading, gold, list(runs.values()))
    first, *others = choices.files
    reading = replace(reading, id=choices.id)
    if reading.missing != "error" and reading.id is None:
        raise InputError(Option("missing", reading.missing), " goes with ", Option("id"))
    sides = [_side(reading, gold, first, TRUE)]
    soft: dict[str, ProbabilityColumns] = {}
    for i, ((name, source), choice) in enumerate(zip(runs.items(), others, strict=True)):
        if reading.probabilities is None:
            sides.append(_side(reading, source, choice, pred(i)))
        else:
            soft[name] = soft_columns(reading, source, scan(source), i)
            sides.append(_soft_side(reading, source, choice, soft[name]))
    frames = [side.frame for side in sides]
    texts: tuple[ResultWarning, ...] = ()
    if not soft:
        frames, texts = _as_text(files, frames)
    notes = (*choices.notes, *(note for side in sides for note in side.notes), *texts)
    if choices.in_order or reading.id is None:
        frame = pl.concat(
            [frames[0], *(f.drop(ID, strict=False) for f in frames[1:])], how="horizontal"
        )
    else:
        frame = joined(frames, [source.name for source in files], reading)
    truth, *places = [side.place for side in sides]
    systems = dict(zip(runs, places, strict=True))
    ids = {f.name: c.id for f, c in zip(files, choices.files, strict=True) if c.id is not None}
    more: dict[str, Any] = {"failed": failed or {}, "ids": ids}
    if soft:
        return SoftItems(reading, frame, truth, systems, notes, **more, soft=soft)
    items = Items(reading, frame, truth, systems, notes, **more)
    return items if reading.sample is None else sampled(items, pl.col(ID), reading.weights)


class FileColumns(NamedTuple):
    """What one file gives: its columns, where the labels stand, what is to be known of it."""

    frame: Any
    place: LabelPlace
    notes: tuple[ResultWarning, ...] = ()


def _side(reading: ReadOptions, source: Source, choice: Choice, role: str) -> FileColumns:
    """The labels of one file under the name of their role, and what stands beside the truth."""
    import polars as pl

    beside = reading.beside if role == TRUE else []
    if not source.has_columns:
        if choice.id is not None:
            raise InputError(f"{source.name} has no columns to join by {choice.id!r}")
        if choice.label is not None:
            raise InputError(NO_COLUMNS.format(source.name))
        if beside:
            asked = [n for n in ("weights", "cluster", "by") if getattr(reading, n)]
            raise InputError(
                f"{source.name} holds one label a line, but a column is asked for with ",
                *named_options(*asked),
            )
        return FileColumns(scan(source).select(pl.col(LINE).alias(role)), LabelPlace(source))
    ids = [] if choice.id is None else [choice.id]
    samples = [c for c in (reading.sample,) if c is not None and role != TRUE]
    found = find_columns(source, [str(choice.label), *ids, *samples, *beside])
    columns = [found.expr(str(choice.label), role), *map(found.expr, beside)]
    columns += [found.expr(c, SAMPLE).cast(pl.String) for c in samples]
    kept = _with_ids(ids, found, *columns)
    return FileColumns(kept, LabelPlace(source, found.called[str(choice.label)]), found.notes)


def _soft_side(
    reading: ReadOptions, source: Source, choice: Choice, soft: ProbabilityColumns
) -> FileColumns:
    """The probabilities of one file, and its ids if there are to be any."""
    ids = [] if choice.id is None else [choice.id]
    found = find_columns(source, ids)
    kept = _with_ids(ids, found, *soft.columns)
    return FileColumns(kept, LabelPlace(source, reading.probabilities), found.notes)


def _with_ids(ids: Sequence[str], found: SelectedColumns, *columns: Any) -> Any:
    """Columns of a file, and its ids without the spaces around them."""
    kept = found.frame.select(*columns, *(found.expr(c, ID) for c in ids))
    return trim(kept, [ID]) if ids else kept


def _as_text(
    files: Sequence[Source], frames: Sequence[Any]
) -> tuple[list[Any], tuple[ResultWarning, ...]]:
    """The frames with numbers and booleans as text where another file has text, and a note each."""
    import polars as pl

    roles = [TRUE, *(pred(i) for i in range(len(frames) - 1))]
    kinds = [f.collect_schema()[role] for f, role in zip(frames, roles, strict=True)]
    texts = [source for source, kind in zip(files, kinds, strict=True) if kind == pl.String]
    found, notes = list(frames), []
    for i, kind in enumerate(kinds if texts else ()):
        word = KINDS.get(kind_of(kind), "")
        if word and not kind.is_nested():
            found[i] = frames[i].cast({roles[i]: pl.String})
            notes.append(ComparedAsText(files[i].name, texts[0].name, word))
    return found, tuple(notes)


def refuse_saved(source: Source) -> None:
    """A saved table has forgotten its items."""
    if is_saved(source.paths[0]):
        raise InputError(f"{source.name} is a saved table: labels of items are needed here")


def system_names(files: Sequence[Member]) -> list[str]:
    """Systems are called as is set for their files, or as these."""
    names = iter(_by_file([file.name for file in files if file.system is None]))
    systems = [file.system or next(names) for file in files]
    if len(set(systems)) < len(systems):
        raise InputError(f"a system must be named once, got {shown(systems)}")
    return systems


def _by_file(paths: Sequence[str]) -> list[str]:
    """The names of files, without folder and ending while that tells them apart."""
    where: dict[str, str] = {}
    for p in paths:
        same = where.setdefault(os.path.realpath(p), p)  # which a loop of links does not stop
        if same is not p and p != "-":
            raise InputError(f"a system must be named once, got {p} twice")
    for short in (lambda p: p.stem, lambda p: p.name, str):
        names = [str(short(Path(p))) for p in paths]
        if len(set(names)) == len(names):
            return names
    raise InputError(f"a system must be named once, got {shown(paths)}")


# Guards: files that fit together, and yet can hardly be what was meant.


def truth_itself(items: Items) -> dict[str, InputError]:
    """The systems that are the truth, by whatever name of its file; and what to say."""
    gold, reading = _files(items.truth.source), items.reading
    hint: tuple[str | Option, ...] = ()
    if len(items.systems) > 2 and not reading.keep_going:
        hint = ("; ", Option("keep_going"), " goes on without it")
    return {
        name: InputError(f"{place} is the truth itself, expected predictions", *hint)
        for name, place in items.systems.items()
        if place.column == items.truth.column and gold & _files(place.source)
    }


def _files(source: Source) -> set[tuple[int, int]]:
    """What all names of a file share."""
    found = map(os.stat, source.paths)
    return {(facts.st_dev, facts.st_ino) for facts in found}


class LabelMargins(NamedTuple):
    """What a table holds of each class, by system, all slices together."""

    labels: Labels
    true: Numbers
    predicted: Numbers
    right: Numbers
    outside: Numbers
    missing: Numbers

    @classmethod
    def of(cls, items: Items, table: AnyTable) -> LabelMargins:
        """Those of the systems of the items."""
        shape = (len(items.systems), -1, len(table.labels))
        classes = (table.prevalence, table.bias, table.correct, table.outside)
        true, predicted, right, outside = (
            np.asarray(x).reshape(shape).sum(axis=1) for x in classes
        )
        missing = np.asarray(table.missing).reshape(shape[0], -1).sum(axis=1)
        return cls(table.labels, true, predicted, right, outside.sum(axis=1), missing)


def no_shared_labels(items: Items, seen: LabelMargins) -> dict[str, InputError]:
    """The systems that predict labels, but none that is true of any item; and what to say.

    Classes that a person lists are known, true or not. Without any prediction there is no label
    to be strange.
    """
    labels, true, predicted, _, outside, missing = seen
    known = (true > 0) if items.reading.labels is None else np.ones_like(true, bool)
    shared = (known & (predicted > 0)).any(axis=1)
    answered = predicted.any(axis=1) | (outside > missing)
    systems, found = list(items.systems.items()), {}
    for i in np.flatnonzero(true.any(axis=1) & answered & ~shared):
        wanted, came = (
            [v for v, n in zip(labels, row, strict=True) if n] for row in (true[i], predicted[i])
        )
        name, place = systems[i]
        found[name] = _no_label_shared(items.truth, place, wanted, came)
    return found


def _no_label_shared(
    truth: LabelPlace, place: LabelPlace, wanted: Sequence[Label], came: Sequence[Label]
) -> InputError:
    text = f"{place} shares no label with {truth}: expected such as {shown(wanted)}, got "
    text += shown(came) if came else "none of the classes listed"
    if {str(v).casefold() for v in wanted} & {str(v).casefold() for v in came}:
        return InputError(f"{text}; they differ in case, which ", Option("ignore_case"), " ignores")
    if any(str(v) not in ("0", "1") for v in came) and all(map(_is_fraction, came)):
        return InputError(f"{text}; numbers for classes are read with ", Option("probabilities"))
    if set(map(folded, wanted)) & set(map(folded, came)):
        text += "; they differ in spaces or Unicode form"
    return InputError(f"{text}; ", Option("mapping"), " gives labels other names")


def _is_fraction(label: Label) -> bool:
    """Whether a label is a number from 0 to 1, as probabilities are."""
    try:
        return 0 <= float(label) <= 1
    except ValueError:
        return False


def equal_to_truth(items: Items, seen: LabelMargins) -> Iterator[ResultWarning]:
    """One note on the systems whose every label is that of the truth."""
    true, predicted, right = seen.true, seen.predicted, seen.right
    alike = (right == true).all(axis=1) & (right == predicted).all(axis=1)
    names = tuple(name for name, is_alike in zip(items.systems, alike, strict=True) if is_alike)
    if names and true.any():
        yield EqualToTruth(names)


def headers_counted(items: Items, seen: LabelMargins) -> Iterator[ResultWarning]:
    """One note on files of one label a line whose first is found nowhere else, as is a header."""
    whole = [items.truth, *items.systems.values()]
    if items.reading.weights is not None or not any(p.source.kind == "lines" for p in whole):
        return
    name = new_name(items.reading)
    amounts = [seen.true[0], *seen.predicted]
    at = {v: i for i, v in enumerate(seen.labels)}
    firsts = [_first_label(place.source) for place in whole]
    places = [None if v is None else at.get(name(v)) for v in firsts]
    found: dict[str, str] = {}
    for place, first, i in zip(whole, firsts, places, strict=True):
        if first is None or i is None:
            continue
        sides = list(zip(amounts, places, strict=True))
        alone = all(a[i] == (p == i) for a, p in sides)
        if alone and all(_repeats(np.delete(a, i)) for a, p in sides if p == i):
            found[place.source.name] = first
    if found:
        yield HeaderCounted(tuple(found.items()))


def refuse_heading(items: Items, seen: LabelMargins) -> None:
    """Refuse a true label that is the heading of its column: a header among the rows."""
    place, fixed = items.truth, "header" in items.truth.source.layout.fixed
    if place.column not in seen.labels or not place.source.has_header or fixed:
        return
    amount = seen.true[0][list(seen.labels).index(place.column)]
    if amount and (amount == 1 or HEADING.fullmatch(place.column)):
        name = place.source.name
        raise InputError(
            f"{place}: the heading is a true label too, of {amount:,.10g} item(s): take out the "
            f"header among the rows, or say that it is a label with {name}::header=yes"
        )


def layouts_found(items: Items) -> Iterator[ResultWarning]:
    """One note on the files whose layout is not as their names and the options say."""
    wanted = items.reading.layout
    files = [layout for file in items.sources if (layout := _unexpected(file, wanted))]
    if files:
        yield LayoutFound(tuple(files))


def _unexpected(source: Source, wanted: TextLayout) -> FileLayout | None:
    """What of a file's layout is not as its name and the options say."""
    layout, fields = source.layout, dict[str, Any]()
    usual = source.kind != "lines" and wanted.header is not False
    if source.kind in ("csv", "tsv", "excel", "lines") and bool(layout.header) != usual:
        fields["header"] = bool(layout.header)
    if source.kind in ("csv", "tsv"):
        usual_marks = {".tsv": "\t", ".tab": "\t", ".csv": ",", ".txt": "", ".labels": ""}
        came = layout.mark or {"csv": ",", "tsv": "\t"}[source.kind]
        if came not in (wanted.mark or usual_marks.get(bare_suffix(source.name), ",\t")):
            fields["delimiter"] = came
    if layout.encoding != wanted.encoding:
        fields["encoding"] = layout.encoding
    open_fields = {name: v for name, v in fields.items() if name not in layout.fixed}
    return FileLayout(source.name, **open_fields) if open_fields else None


def _repeats(amount: Numbers) -> bool:
    """Whether every label that occurs does so more than once."""
    return bool(amount.any() and amount[amount > 0].min() > 1)


def _first_label(source: Source) -> str | None:
    """The first label of a file of one a line."""
    if source.kind != "lines" or source.has_header:
        return None
    block = next(blocks(source.paths[0], source.name))
    return block.text.split(b"\n", 1)[0].decode().strip() or None


# The one way in: whatever files hold, as the table or the sample that a verb works on.

D = TypeVar("D", covariant=True)
TEXT = ("lines", "csv", "tsv")
"""Kinds of files that may be what a program has printed."""


@dataclass(frozen=True)
class LoadedData(Generic[D]):
    """Data from files, and what a reader of the result ought to know of how they were read.

    ``runs`` says which systems are runs of one, ``failed`` what was wrong with files left out.
    """

    data: D
    notes: tuple[ResultWarning, ...] = ()
    runs: Mapping[str, Sequence[str]] | None = None
    failed: Mapping[str, InputError] = field(default_factory=dict)


def read(
    reading: ReadOptions, *, rows: bool = False, several: bool = False, part: bool = False
) -> LoadedData[Any]:
    """The table of one system, or with ``rows`` its sample; with ``several`` systems, theirs.

    A file may also be a table that was saved, or what another program has printed of one. A
    ``part`` is counted with others.
    """
    refuse_at_odds(reading)
    first, *others = reading.files
    columns = bool(reading.truth or reading.id)
    with (
        opened(first, columns=columns, layout=reading.layout, names=reading.names) as source,
        explained(source),
    ):
        alone = not others and not several
        if alone and is_saved(source.paths[0]):
            return saved(reading, source)
        if alone and not reading.of_columns and (table := printed(reading, source)):
            return table
        with gathered(reading, source, several=several) as found:
            return _guarded(unfolded(found), rows or several, part)


def _guarded(items: Items, rows: bool, part: bool) -> LoadedData[Any]:
    """What the items are counted as; systems that cannot be meant are refused or left out.

    A ``part`` of what is counted may look strange where the whole does not.
    """
    data, notes = items.counted(rows=rows)
    seen = LabelMargins.of(items, data.tables())
    failed = truth_itself(items) | ({} if part else no_shared_labels(items, seen))
    if failed:
        if not items.reading.keep_going:
            raise next(iter(failed.values()))
        items = items.without(failed)
        refuse_few(items.systems, items.failed)
        data, notes = items.counted(rows=rows)
        seen = LabelMargins.of(items, data.tables())
    refuse_heading(items, seen)
    alike = () if part else equal_to_truth(items, seen)
    guessed = (note for file in items.sources for note in file.notes)
    notes = [
        items.read,
        *guessed,
        *layouts_found(items),
        *items.notes,
        *notes,
        *headers_counted(items, seen),
        *alike,
    ]
    return LoadedData(data, tuple(dict.fromkeys(notes)), items.runs, items.failed)


def refuse_at_odds(reading: ReadOptions) -> None:
    """Options that exclude each other, or that would be passed over in silence."""
    soft = reading.probabilities is not None
    for name, given in (("pred", reading.pred), ("kind", reading.kind), ("system", reading.system),
                        ("separator", reading.separator)):  # fmt: skip
        if soft and given:
            raise InputError(
                Option("probabilities"), " stand in the place of labels: leave out ", Option(name)
            )
    if reading.decide is not None and not soft:
        raise InputError(Option("decide"), " goes with ", Option("probabilities"))
    if reading.system and len(reading.pred) > 1:
        said = f" one column holds all predictions, got {shown(reading.pred)}"
        raise InputError("with ", Option("system"), said)
    if reading.missing != "error" and reading.id is None and len(reading.files) == 1:
        raise InputError(Option("missing", reading.missing), " goes with ", Option("id"))
    if reading.sample is not None and reading.id is None:
        raise InputError(Option("sample"), " goes with ", Option("id"))
    if reading.by_row and reading.id is not None:
        raise InputError(Option("by_row"), " goes without ", Option("id"))
    if reading.label and reading.true and (reading.pred or len(reading.files) == 1):
        raise InputError(
            Option("label"),
            " names the column of labels in all files: leave out ",
            *(Option("true"), " and ", Option("pred")),
        )
    ours = [c for c in reading.beside if c.startswith("evenhand:")]
    if ours:
        raise InputError(f"columns beside the truth must not be called {shown(ours)}")


def saved(reading: ReadOptions, source: Source) -> LoadedData[Confusion]:
    """The table that a file keeps, with other names of labels if asked for."""
    if reading.of_columns:
        raise InputError(f"{source.name} is a saved table: it has no columns to choose")
    if (reading.labels is not None and not reading.renames) or reading.drop_null_truth:
        raise InputError(f"{source.name} is a saved table: its labels are counted already")
    table, notes = renamed(load(source.paths[0], source.name).table, reading)
    return LoadedData(table, (_whole(source, "table"), *notes))


def printed(reading: ReadOptions, source: Source) -> LoadedData[Confusion] | None:
    """The table that a program has printed, if the file is such a print-out."""
    found = counted(source.paths[0], source.name) if source.kind in TEXT else None
    if found is None:
        return None
    table, notes = renamed(found[0], reading)
    return LoadedData(table, (_whole(source, "print-out"), *found[1], *notes))


def _whole(source: Source, kind: str) -> FilesRead:
    """That a file holds a table, and so no items."""
    return FilesRead((source.name,), {}, None, {source.name: {**source.described, "format": kind}})


def part_of(reading: ReadOptions, files: tuple[str, ...]) -> LoadedData[Any]:
    """The table of some of the files, its labels before they get other names."""
    labels = None if reading.renames else reading.labels
    plain = replace(reading, files=files, mapping=None, ignore_case=False, labels=labels)
    found = read(plain, part=True)
    return replace(found, data=_table_of(found.data)) if found.data.systems else found


def _table_of(data: Sample | SoftSample) -> Confusion:
    """The table of one system, or the stack of its slices."""
    if not data.slices:
        return data.tables()[0]
    parts = {key: part.tables()[0] for key, part in data.slices}
    return replace(Confusion.stack(parts), axes=("slice",))

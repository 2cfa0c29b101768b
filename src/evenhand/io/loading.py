"""Loading: from files to items, and from items to tables and samples."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
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
    FileRoles,
    ReadOptions,
    SelectedColumns,
    choose,
    find_columns,
    infer_columns,
    named_options,
    refuse_twice,
    which_columns,
)
from evenhand.io.delimited import MARKS, NotUtf8Error, TextLayout, blocks
from evenhand.io.detection import HEADING
from evenhand.io.items import (
    ID,
    SAMPLE,
    TRUE,
    Items,
    LabelPlace,
    Renaming,
    explained,
    joined,
    kind_of,
    pred,
    probability_columns,
    refuse_ids,
    renamed,
    unfolded,
    with_sample_weights,
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
    with_encodings,
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
NO_COLUMNS = "{} holds one label a line: it has no columns to name"
D = TypeVar("D", covariant=True)


@dataclass(frozen=True)
class LoadedData(Generic[D]):
    """Data from files, with warnings of how they were read.

    ``runs`` says which systems are runs of one, ``failed`` what was wrong with files left out.
    """

    data: D
    notes: tuple[ResultWarning, ...] = ()
    runs: Mapping[str, Sequence[str]] | None = None
    failed: Mapping[str, InputError] = field(default_factory=dict)


def read(
    options: ReadOptions, *, rows: bool = False, several: bool = False, part: bool = False
) -> LoadedData[Any]:
    """The table of one system, or with ``rows`` its sample; with ``several`` systems, theirs.

    A file may also be a table that was saved, or what another program has printed of one. A
    ``part`` is counted with others.
    """
    refuse_at_odds(options)
    return with_encodings(
        lambda layout: _read(options, layout, rows, several, part), options.layout, options.files
    )


def _read(
    options: ReadOptions, layout: TextLayout, rows: bool, several: bool, part: bool
) -> LoadedData[Any]:
    columns = bool(options.truth or options.id)
    first = opened(options.files[0], columns=columns, layout=layout, names=options.names)
    with first as source, explained(source):
        table = None if several or len(options.files) > 1 else _counted_already(options, source)
        if table is not None:
            return table
        with load_items(options, source, layout, several=several) as items:
            return _checked(unfolded(items), rows or several, part)


def _checked(items: Items, rows: bool, part: bool) -> LoadedData[Any]:
    """What the items are counted as; systems that cannot be meant are refused or left out.

    A ``part`` of what is counted may look strange where all of it does not.
    """
    data, notes = items.counted(rows=rows)
    margins = LabelMargins.from_table(items, data.tables())
    failed = truth_itself(items) | ({} if part else no_shared_labels(items, margins))
    if failed:
        if not items.options.keep_going:
            raise next(iter(failed.values()))
        items = items.without(failed)
        refuse_few(items.systems, items.failed)
        return _checked(items, rows, part)
    refuse_heading(items, margins)
    notes = [
        items.files_read,
        *(note for file in items.sources for note in file.notes),
        *layouts_found(items),
        *items.notes,
        *notes,
        *headers_counted(items, margins),
        *(() if part else equal_to_truth(items, margins)),
    ]
    return LoadedData(data, tuple(dict.fromkeys(notes)), items.runs, items.failed)


def refuse_at_odds(options: ReadOptions) -> None:
    """Refuse options that exclude each other, or that would have no effect."""
    soft = options.probabilities is not None
    for name in ("pred", "kind", "system", "separator"):
        if soft and getattr(options, name):
            raise InputError(
                Option("probabilities"), " stand in the place of labels: leave out ", Option(name)
            )
    if options.decide is not None and not soft:
        raise InputError(Option("decide"), " goes with ", Option("probabilities"))
    if options.system and len(options.pred) > 1:
        text = f" one column holds all predictions, got {shown(options.pred)}"
        raise InputError("with ", Option("system"), text)
    if options.system and options.run == options.system:
        text = f"systems and their runs must be in two columns, got {options.run!r} for both"
        raise InputError(text)
    if options.missing != "error" and options.id is None and len(options.files) == 1:
        raise InputError(Option("missing", options.missing), " goes with ", Option("id"))
    if options.sample is not None and options.id is None:
        raise InputError(Option("sample"), " goes with ", Option("id"))
    if options.by_row and options.id is not None:
        raise InputError(Option("by_row"), " goes without ", Option("id"))
    if options.label and options.true and (options.pred or len(options.files) == 1):
        raise InputError(
            Option("label"),
            " names the column of labels in all files: leave out ",
            *(Option("true"), " and ", Option("pred")),
        )
    reserved = [c for c in options.covariates if c.startswith("evenhand:")]
    if reserved:
        raise InputError(f"columns beside the truth must not be called {shown(reserved)}")


def _counted_already(options: ReadOptions, source: Source) -> LoadedData[Confusion] | None:
    """The table that a file holds, saved or printed by a program, if it does."""
    from evenhand.io.documents import counted

    if is_saved(source.paths[0]):
        if options.of_columns:
            raise InputError(f"{source.name} is a saved table: it has no columns to choose")
        kind, (table, notes) = "table", saved_table(source.paths[0], source.name, options)
    elif (
        not options.of_columns
        and source.kind in ("lines", "csv", "tsv")
        and (print_out := counted(source.paths[0], source.name))
    ):
        table, renamings = renamed(print_out[0], options)
        kind, notes = "print-out", [*print_out[1], *renamings]
    else:
        return None
    layout = {source.name: {**source.described, "format": kind}}
    return LoadedData(table, (FilesRead((source.name,), {}, None, layout), *notes))


def saved_table(
    path: str, name: str, options: ReadOptions
) -> tuple[Confusion, list[ResultWarning]]:
    """A saved table with labels renamed, whose items cannot be counted otherwise."""
    if (options.labels is not None and not options.renames) or options.drop_null_truth:
        raise InputError(f"{name} is a saved table: its labels are counted already")
    return renamed(load(path, name).table, options)


def part_of(options: ReadOptions, files: tuple[str, ...]) -> LoadedData[Any]:
    """The table of some of the files, its labels before they get other names."""
    labels = None if options.renames else options.labels
    plain = replace(options, files=files, mapping=None, ignore_case=False, labels=labels)
    loaded = read(plain, part=True)
    return replace(loaded, data=_table_of(loaded.data)) if loaded.data.systems else loaded


def _table_of(data: Sample | SoftSample) -> Confusion:
    """The table of one system, or the stack of its slices."""
    if not data.slices:
        return data.tables()[0]
    parts = {key: part.tables()[0] for key, part in data.slices}
    return replace(Confusion.stack(parts), axes=("slice",))


# From files to items: one file, wide or long, or a file of truth and one for each system.


@contextmanager
def load_items(
    options: ReadOptions, first: Source, layout: TextLayout, *, several: bool
) -> Iterator[Items]:
    """The items that options describe, as long as the files are open; ``first`` is.

    With ``several``, one file without names of systems has one in each column that is left.
    """
    if len(options.files) == 1:
        with explained(first):
            refuse_saved(first)
            options, notes = infer_columns(options, first, several=several)
            shape = _long_file if options.system else _wide_file
            items = shape(options, first, several)
            yield replace(items, notes=(*notes, *items.notes))
        return
    if options.system or len(options.pred) > 1:
        raise InputError(
            f"several systems in columns are those of one file, got {len(options.files)} files"
        )
    with ExitStack() as stack:
        runs, failed = _open_runs(options, first, layout, stack, several)
        try:
            with explained(first, *runs.values()):
                yield _gold_and_runs(options, first, runs, failed)
        except InputError:
            if not options.keep_going:
                _refuse_each(failures(options, first, runs), len(runs))
            raise


def _selected(
    source: Source,
    roles: Mapping[str, str | None],
    covariates: Sequence[str] = (),
    expressions: Sequence[Any] = (),
) -> SelectedColumns:
    """Columns of a file under the names of their roles; covariates keep theirs."""
    columns = {role: c for role, c in roles.items() if c is not None}
    selected = find_columns(source, [*columns.values(), *covariates])
    frame = selected.frame.select(
        *(selected.expr(c, role) for role, c in columns.items()),
        *expressions,
        *map(selected.expr, covariates),
    )
    if SAMPLE in columns:
        frame = frame.cast({SAMPLE: str})
    return replace(selected, frame=trim(frame, [c for c in (ID, SAMPLE) if c in columns]))


def _wide_file(options: ReadOptions, source: Source, several: bool) -> Items:
    """One file with a column of truth and one for each system; without names, all others."""
    if not source.has_columns:
        raise _no_columns(options, source)
    soft = options.probabilities is not None
    if not options.true or not (options.pred or several or soft):
        raise which_columns(source, "true", "pred")
    notes: tuple[ResultWarning, ...] = ()
    classes, expressions = dict[str, Sequence[str]](), list[Any]()
    roles = {ID: options.id, SAMPLE: options.sample, TRUE: options.true}
    if soft:
        if several:
            raise InputError(
                f"{source.name}: probabilities of several systems stand in a file each, beside one "
                "of the truth"
            )
        classes["system"], expressions = probability_columns(options, source, "system")
        systems = {"system": LabelPlace(source, options.probabilities)}
    else:
        names, notes = _system_columns(options, source)
        roles |= {pred(c): c for c in names}
        systems = {c: LabelPlace(source, c) for c in names}
    columns = _selected(source, roles, options.covariates, expressions)
    if options.id is not None:
        joined([columns.frame], [source.name], options)
    truth = LabelPlace(source, columns.called[options.true])
    notes = (*columns.notes, *notes)
    return _items(options, columns.frame, truth, systems, notes, soft=classes)


def _no_columns(options: ReadOptions, source: Source) -> InputError:
    """What to do with a file of lines: it goes with another, or has columns after all."""
    if options.of_columns:
        return InputError(NO_COLUMNS.format(source.name))
    text = f"{source.name} holds one label a line: give a file of truth and one of predictions"
    line = str(next(iter(scan(source).head(1).collect().to_series()), ""))
    if not any(mark in line for mark in MARKS):
        return InputError(text)
    return InputError(text, ", or say which columns it has with ", *named_options("true", "pred"))


def _system_columns(
    options: ReadOptions, source: Source
) -> tuple[list[str], tuple[ResultWarning, ...]]:
    """The columns of predictions that are named, or all that share some label with the truth."""
    columns = [c for c in (options.true, options.id, options.sample) if c]
    selected = find_columns(source, [*columns, *options.covariates, *options.pred])
    schema, true = selected.frame.collect_schema(), selected.called[str(options.true)]
    systems, others = [selected.called[c] for c in options.pred], list[str]()
    if true in systems:
        raise InputError(
            f"{source.name}: column {true!r} cannot hold both truth and predictions; what two "
            "files call alike is named by ",
            Option("label"),
        )
    if len(set(systems)) != len(systems):
        raise InputError(f"a system must be named once, got {shown(systems)}")
    if not systems:
        refuse_twice(source, schema, list(schema))
        others = [c for c in schema if c not in {*selected.called.values(), *source.partitions}]
        if source.is_json:
            source.learnt.refuse_like(source.name, true, others)
        systems = _answers(options, selected.frame, true, others)
        others = [c for c in others if c not in systems]
    if not systems:
        raise InputError(f"{source.name} has no column left for a system's predictions")
    return systems, (*selected.notes, *([NoSystems(tuple(others), true)] if others else []))


def _answers(options: ReadOptions, frame: Any, true: str, columns: Sequence[str]) -> list[str]:
    """The columns that share some label with the truth: others are ids, texts, notes."""
    import polars as pl

    schema, rename = frame.collect_schema(), Renaming(options)
    if schema[true].is_nested():
        return list(columns)

    def labels(column: str) -> set[Any]:
        text = trim(frame.select(pl.col(escape_column(column)).alias("")), [""])
        return set(map(rename, text.unique().collect(engine="streaming")[""].drop_nulls()))

    known, answers = labels(true), []
    for c in columns:
        values = set() if schema[c].is_nested() else labels(c)
        is_amount = schema[c].is_numeric() and len(values) > max(10, 3 * len(known))  # an age
        if not is_amount and not known.isdisjoint(values):
            answers.append(c)
    return answers


def _long_file(options: ReadOptions, source: Source, several: bool) -> Items:
    """One file with a row for each item and system, as a frame of truth and one for each system."""

    if not (options.true and options.pred):
        raise which_columns(source, "true", "pred")
    guess, keys = options.pred[0], {SYSTEM: options.system, RUN: options.run}
    keys = {key: name for key, name in keys.items() if name is not None}
    roles = {TRUE: options.true, pred(""): guess, ID: options.id, SAMPLE: options.sample, **keys}
    columns = _selected(source, roles, options.covariates)
    rows = trim(frame := columns.frame.collect(engine="streaming"), frame.columns)
    if not len(rows):
        raise NoRowsError(f"{source.name} has no rows: there is no item to count")
    for key, name in keys.items():
        if rows[key].null_count():
            at = rows[key].is_null().arg_max() or 0
            raise InputError(
                f"{source.name}, column {name}, row {at + 1}: expected a name, got none"
            )
    groups = rows.group_by(*keys, maintain_order=True)
    parts = dict(sorted((tuple(map(str, key)), part) for key, part in groups))
    names = ["/".join(key) for key in parts]
    truth, *predictions = _by_system(options, source, dict(zip(names, parts.values(), strict=True)))
    frame = _combined(
        options,
        [f.lazy() for f in (truth, *predictions)],
        ["the others", *(f"{source.name}: system {name!r}" for name in names)],
    )
    runs: dict[str, list[str]] = {}
    for (system, *_), name in zip(parts, names, strict=True):
        runs.setdefault(system, []).append(name)
    return _items(
        options,
        frame,
        LabelPlace(source, columns.called[options.true]),
        dict.fromkeys(names, LabelPlace(source, columns.called[guess])),
        columns.notes,
        runs=None if options.run is None else runs,
        as_in_file=False,
    )


def _by_system(options: ReadOptions, source: Source, parts: Mapping[str, Any]) -> Iterator[Any]:
    """The frame of the truth of a long file, then the predictions of each system."""
    import polars as pl

    keys = [c for c in (ID, SAMPLE) if c in next(iter(parts.values())).columns]
    facts = [*keys[:1], TRUE, *map(escape_column, options.covariates)]
    (first, truth), *others = ((name, part.select(facts)) for name, part in parts.items())
    if keys:
        truth = pl.concat([part.select(facts) for part in parts.values()]).unique()
        repeated = truth.filter(pl.struct(ID).is_duplicated()).unique(ID).lazy()
        text = "id(s) with more than one truth (or weight, cluster or slice)"
        refuse_ids(repeated, f"{source.name}: {{}} {text}")
        truth = truth.sort(ID)
    for name, part in () if keys else others:
        if not part.equals(truth):
            raise InputError(
                f"{source.name}: {first!r} ({len(truth):,} rows) and {name!r} ({len(part):,} rows) "
                "do not have the same items in the same order; say which items are which with ",
                Option("id"),
            )
    yield truth
    for name, part in parts.items():
        yield part.select(*keys, pl.col(pred("")).alias(pred(name)))


def _gold_and_runs(
    options: ReadOptions,
    gold: Source,
    runs: Mapping[str, Source],
    failed: Mapping[str, InputError] | None = None,
) -> Items:
    """A file of truth and one of predictions for each system, by row or joined by id."""
    files = [gold, *runs.values()]
    for file in files:
        refuse_saved(file)
    roles = choose(options, gold, list(runs.values()))
    options = replace(options, id=roles.files[0].id)
    if options.missing != "error" and options.id is None:
        raise InputError(Option("missing", options.missing), " goes with ", Option("id"))
    parts = list(map(partial(_file_part, options), files, roles.files, [None, *runs]))
    frames, texts = [part.frame for part in parts], list[ResultWarning]()
    if options.probabilities is None:
        frames, texts = _as_text(files, frames)
    truth, *places = [part.place for part in parts]
    return _items(
        options,
        _combined(options, frames, [file.name for file in files], in_order=roles.in_order),
        truth,
        dict(zip(runs, places, strict=True)),
        (*roles.notes, *(note for part in parts for note in part.notes), *texts),
        soft={name: p.classes for name, p in zip(runs, parts[1:], strict=True) if p.classes},
        failed=failed or {},
        ids={f.name: own.id for f, own in zip(files, roles.files, strict=True) if own.id},
    )


class FilePart(NamedTuple):
    """The columns of one file, where its labels stand, warnings, and classes of probabilities."""

    frame: Any
    place: LabelPlace
    notes: tuple[ResultWarning, ...] = ()
    classes: Sequence[str] = ()


def _file_part(
    options: ReadOptions, source: Source, own: FileRoles, system: str | None
) -> FilePart:
    """The truth of a file with its covariates, or the predictions of a system."""
    import polars as pl

    if system is not None and options.probabilities is not None:
        classes, expressions = probability_columns(options, source, system)
        columns = _selected(source, {ID: own.id}, (), expressions)
        place = LabelPlace(source, options.probabilities)
        return FilePart(columns.frame, place, columns.notes, classes)
    role = TRUE if system is None else pred(system)
    covariates = options.covariates if system is None else []
    if source.has_columns:
        roles = {role: str(own.label), ID: own.id, SAMPLE: options.sample if system else None}
        columns = _selected(source, roles, covariates)
        return FilePart(
            columns.frame, LabelPlace(source, columns.called[str(own.label)]), columns.notes
        )
    if own.id is not None:
        raise InputError(f"{source.name} has no columns to join by {own.id!r}")
    if own.label is not None:
        raise InputError(NO_COLUMNS.format(source.name))
    if covariates:
        names = [n for n in ("weights", "cluster", "by") if getattr(options, n)]
        text = f"{source.name} holds one label a line, but a column is asked for with "
        raise InputError(text, *named_options(*names))
    return FilePart(scan(source).select(pl.col(LINE).alias(role)), LabelPlace(source))


def _as_text(
    files: Sequence[Source], frames: Sequence[Any]
) -> tuple[list[Any], list[ResultWarning]]:
    """The frames with numbers and booleans as text where another file has text."""
    import polars as pl

    words = {"int": "integers", "float": "decimals", "bool": "booleans"}
    roles = [next(c for c in f.collect_schema() if c == TRUE or pred("") in c) for f in frames]
    types = [f.collect_schema()[role] for f, role in zip(frames, roles, strict=True)]
    texts = [source.name for source, dtype in zip(files, types, strict=True) if dtype == pl.String]
    changed, notes = list(frames), list[ResultWarning]()
    for i, dtype in enumerate(types if texts else ()):
        if kind_of(dtype) in words and not dtype.is_nested():
            changed[i] = frames[i].cast({roles[i]: pl.String})
            notes.append(ComparedAsText(files[i].name, texts[0], words[kind_of(dtype)]))
    return changed, notes


def _combined(
    options: ReadOptions, frames: Sequence[Any], names: Sequence[str], *, in_order: bool = False
) -> Any:
    """A frame of truth and those of predictions as one, by id or by row."""
    import polars as pl

    if options.id is not None and not in_order:
        return joined(frames, names, options)
    return pl.concat([frames[0], *(f.drop(ID, strict=False) for f in frames[1:])], how="horizontal")


def _items(options: ReadOptions, *parts: Any, **more: Any) -> Items:
    """The items; with several samples each, weighted so that all items weigh the same."""
    items = Items(options, *parts, **more)
    return items if options.sample is None or items.soft else with_sample_weights(items)


# Files of predictions: their names, and what is wrong with them.


def _open_runs(
    options: ReadOptions, gold: Source, layout: TextLayout, stack: ExitStack, several: bool
) -> tuple[dict[str, Source], dict[str, InputError]]:
    """The files of predictions by the names of their systems; and what is wrong with others.

    Whether a file fits is known once it is counted with the truth: by itself only where others
    are to go on without it.
    """
    sources: dict[str, Source] = {}
    failed: dict[str, InputError] = {}
    runs = files_of(options.files[1:], stack.enter_context(Scratch()))
    if not several:
        runs = [only(runs, options.files[-1])]
    names = system_names(runs)
    for run, name in zip(runs, names, strict=True):
        try:
            source = opened(
                run.name,
                at=run.path,
                columns=bool(options.guess or options.id),
                layout=layout.for_file(run.layout, run.name),
                names=options.names,
                gold=gold,
            )
            sources[name] = stack.enter_context(source)
        except InputError as e:
            failed[name] = e
    if failed or options.keep_going:
        failed |= failures(options, gold, sources)
    failed = {name: failed[name] for name in names if name in failed}
    if failed and not options.keep_going:
        _refuse_each(failed, len(runs))
        raise next(iter(failed.values()))
    sources = {name: source for name, source in sources.items() if name not in failed}
    if not sources:
        refuse_few(sources, failed)
    return sources, failed


def failures(
    options: ReadOptions, gold: Source, runs: Mapping[str, Source]
) -> dict[str, InputError]:
    """What is wrong with files of predictions, each counted with the truth by itself."""
    failed: dict[str, InputError] = {}
    for name, source in runs.items():
        try:
            with explained(gold, source):
                unfolded(_gold_and_runs(options, gold, {name: source})).counted(rows=True)
        except InputError as e:
            if isinstance(e, NotUtf8Error) and not source.layout.thorough:
                raise
            failed[name] = e
    return failed


def _refuse_each(failed: Mapping[str, InputError], runs: int) -> None:
    """List what is wrong with several files, if it is not the same."""
    if len(set(map(str, failed.values()))) > 1:
        parts = [part for error in failed.values() for part in (*error.args, "; ")]
        text = f"{len(failed):,} of {runs:,} files cannot be read: "
        raise InputError(text, *parts, Option("keep_going"), " goes on without them")


def refuse_few(systems: Collection[Any], failed: Mapping[str, InputError]) -> None:
    """Refuse to go on if so many systems failed that there is no ranking."""
    if failed and len(systems) < 2:
        left = f"only {shown(systems)} is" if systems else "no system is"
        reasons = [(f"{name}: ", *reason.args, "; ") for name, reason in failed.items()]
        raise InputError(f"{left} left: ", *[p for parts in reasons for p in parts][:-1])


def refuse_saved(source: Source) -> None:
    """Refuse a saved table, which has no items."""
    if is_saved(source.paths[0]):
        raise InputError(f"{source.name} is a saved table: labels of items are needed here")


def system_names(files: Sequence[Member]) -> list[str]:
    """The names of systems: as set for their files, or as these."""
    names = iter(_by_file([file.name for file in files if file.system is None]))
    systems = [file.system or next(names) for file in files]
    if len(set(systems)) < len(systems):
        raise InputError(f"a system must be named once, got {shown(systems)}")
    return systems


def _by_file(paths: Sequence[str]) -> list[str]:
    """The names of files, without folder and ending while these are different."""
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


# Checks of what was counted: files that fit together, and yet can hardly be meant.


def truth_itself(items: Items) -> dict[str, InputError]:
    """The systems that are the truth, by whatever name of its file, and the errors."""
    gold, options = _identities(items.truth.source), items.options
    advice: tuple[str | Option, ...] = ()
    if len(items.systems) > 2 and not options.keep_going:
        advice = ("; ", Option("keep_going"), " goes on without it")
    return {
        name: InputError(f"{place} is the truth itself, expected predictions", *advice)
        for name, place in items.systems.items()
        if place.column == items.truth.column and gold & _identities(place.source)
    }


def _identities(source: Source) -> set[tuple[int, int]]:
    """What all names of a file share."""
    return {(facts.st_dev, facts.st_ino) for facts in map(os.stat, source.paths)}


class LabelMargins(NamedTuple):
    """The amounts of each class in a table, by system, all slices together."""

    labels: Labels
    true: Numbers
    predicted: Numbers
    right: Numbers
    outside: Numbers
    missing: Numbers

    @classmethod
    def from_table(cls, items: Items, table: AnyTable) -> LabelMargins:
        """Those of the systems of the items."""
        shape = (len(items.systems), -1, len(table.labels))
        classes = (table.prevalence, table.bias, table.correct, table.outside)
        true, predicted, right, outside = (
            np.asarray(x).reshape(shape).sum(axis=1) for x in classes
        )
        missing = np.asarray(table.missing).reshape(shape[0], -1).sum(axis=1)
        return cls(table.labels, true, predicted, right, outside.sum(axis=1), missing)


def no_shared_labels(items: Items, margins: LabelMargins) -> dict[str, InputError]:
    """The systems that predict labels, but none that is true of any item, and the errors.

    Classes that a person lists are known, true or not. Without any prediction there is no label
    to be strange.
    """
    labels, true, predicted, _, outside, missing = margins
    known = (true > 0) if items.options.labels is None else np.ones_like(true, bool)
    shared = (known & (predicted > 0)).any(axis=1)
    answered = predicted.any(axis=1) | (outside > missing)
    systems, failed = list(items.systems.items()), {}
    for i in np.flatnonzero(true.any(axis=1) & answered & ~shared):
        sides = (
            [v for v, n in zip(labels, row, strict=True) if n] for row in (true[i], predicted[i])
        )
        name, place = systems[i]
        failed[name] = _no_shared_label(items.truth, place, *sides)
    return failed


def _no_shared_label(
    truth: LabelPlace, place: LabelPlace, true: Sequence[Label], predicted: Sequence[Label]
) -> InputError:
    text = f"{place} shares no label with {truth}: expected such as {shown(true)}, got "
    text += shown(predicted) if predicted else "none of the classes listed"
    if {str(v).casefold() for v in true} & {str(v).casefold() for v in predicted}:
        return InputError(f"{text}; they differ in case, which ", Option("ignore_case"), " ignores")
    if any(str(v) not in ("0", "1") for v in predicted) and all(map(_is_fraction, predicted)):
        return InputError(f"{text}; numbers for classes are read with ", Option("probabilities"))
    if set(map(folded, true)) & set(map(folded, predicted)):
        text += "; they differ in spaces or Unicode form"
    return InputError(f"{text}; ", Option("mapping"), " gives labels other names")


def _is_fraction(label: Label) -> bool:
    """Whether a label is a number from 0 to 1, as probabilities are."""
    try:
        return 0 <= float(label) <= 1
    except ValueError:
        return False


def equal_to_truth(items: Items, margins: LabelMargins) -> Iterator[ResultWarning]:
    """A warning of the systems whose every label is that of the truth."""
    true, predicted, right = margins.true, margins.predicted, margins.right
    equal = (right == true).all(axis=1) & (right == predicted).all(axis=1)
    names = tuple(name for name, same in zip(items.systems, equal, strict=True) if same)
    if names and true.any():
        yield EqualToTruth(names)


def headers_counted(items: Items, margins: LabelMargins) -> Iterator[ResultWarning]:
    """A warning of files of one label a line whose first occurs nowhere else, as does a header."""
    places = [items.truth, *items.systems.values()]
    if items.options.weights is not None or not any(p.source.kind == "lines" for p in places):
        return
    rename, labels = Renaming(items.options), list(margins.labels)
    firsts = [_first_label(place.source) for place in places]
    codes = [
        labels.index(name) if first and (name := rename(first)) in labels else None
        for first in firsts
    ]
    sides = list(zip([margins.true[0], *margins.predicted], codes, strict=True))
    headers: dict[str, str] = {}
    for place, first, code in zip(places, firsts, codes, strict=True):
        if first is None or code is None:
            continue
        alone = all(amounts[code] == (own == code) for amounts, own in sides)
        if alone and all(_repeats(np.delete(a, code)) for a, own in sides if own == code):
            headers[place.source.name] = first
    if headers:
        yield HeaderCounted(tuple(headers.items()))


def _repeats(amounts: Numbers) -> bool:
    """Whether every label that occurs does so more than once."""
    return bool(amounts.any() and amounts[amounts > 0].min() > 1)


def _first_label(source: Source) -> str | None:
    """The first label of a file of one a line."""
    if source.kind != "lines" or source.has_header:
        return None
    block = next(blocks(source.paths[0], source.name))
    return block.text.split(b"\n", 1)[0].decode().strip() or None


def refuse_heading(items: Items, margins: LabelMargins) -> None:
    """Refuse a true label that is the heading of its column: a header among the rows."""
    column, source = items.truth.column, items.truth.source
    is_set = "header" in source.layout.fixed
    if column is None or column not in margins.labels or not source.has_header or is_set:
        return
    amount = margins.true[0][list(margins.labels).index(column)]
    if amount and (amount == 1 or HEADING.fullmatch(column)):
        raise InputError(
            f"{items.truth}: the heading is a true label too, of {amount:,.10g} item(s): take out "
            f"the header among the rows, or say that it is a label with {source.name}::header=yes"
        )


def layouts_found(items: Items) -> Iterator[ResultWarning]:
    """A warning of the files whose layout is not as their names and the options say."""
    expected = items.options.layout
    files = [layout for file in items.sources if (layout := _unexpected(file, expected))]
    if files:
        yield LayoutFound(tuple(files))


def _unexpected(source: Source, expected: TextLayout) -> FileLayout | None:
    """What of a file's layout is not as its name and the options say."""
    layout, fields = source.layout, dict[str, Any]()
    header = source.kind != "lines" and expected.header is not False
    if source.kind in ("csv", "tsv", "excel", "lines") and bool(layout.header) != header:
        fields["header"] = bool(layout.header)
    if source.kind in ("csv", "tsv"):
        marks = {".tsv": "\t", ".tab": "\t", ".csv": ",", ".txt": "", ".labels": ""}
        mark = layout.mark or {"csv": ",", "tsv": "\t"}[source.kind]
        if mark not in (expected.mark or marks.get(bare_suffix(source.name), ",\t")):
            fields["delimiter"] = mark
    if layout.encoding != expected.encoding:
        fields["encoding"] = layout.encoding
    fields = {name: v for name, v in fields.items() if name not in layout.fixed}
    return FileLayout(source.name, **fields) if fields else None

"""Loading: from files to items, and from items to tables and samples."""

from __future__ import annotations

import os
import uuid
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack
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
from evenhand.io.checks import (
    FEW,
    refuse_copies,
    refuse_order,
    refuse_packed_labels,
    refuse_totals,
)
from evenhand.io.columns import (
    ReadOptions,
    SelectedColumns,
    choose,
    find_columns,
    infer_columns,
    named_options,
    refuse_twice,
    which_columns,
)
from evenhand.io.delimited import MARKS, InputFile, TextLayout
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
from evenhand.io.saved import Saved, identity, load
from evenhand.io.scratch import Scratch
from evenhand.io.sources import (
    LINE,
    Source,
    bare_suffix,
    expanded,
    files_of,
    is_stream,
    only,
    opened,
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
    with ExitStack() as stack:
        columns = bool(options.truth or options.id)
        file = opened(options.files[0], columns=columns, layout=options.layout, names=options.names)
        first = stack.enter_context(file)
        with explained(first):
            if len(options.files) > 1:
                refuse_order(options)
                return _read_runs(options, first, stack, rows=rows, several=several, part=part)
            table = None if several else _counted_already(options, first)
            return table or _counted(_file_items(options, first, several), rows or several, part)


def _read_runs(
    options: ReadOptions, gold: Source, stack: ExitStack, *, rows: bool, several: bool, part: bool
) -> LoadedData[Any]:
    """The systems of a file of truth and files of predictions.

    Only where something is wrong is each file counted by itself, to name those that do not fit.
    """
    if options.system or len(options.pred) > 1:
        raise InputError(
            f"several systems in columns are those of one file, got {len(options.files)} files"
        )
    files = files_of(options.files[1:], stack.enter_context(Scratch()))
    if not several:
        files = [only(files, options.files[-1])]
    runs, failed, names = dict[str, Source](), dict[str, InputError](), system_names(files)
    columns = bool(options.guess or options.id)
    for name, file in zip(names, files, strict=True):
        run = opened(file, columns=columns, layout=options.layout, names=options.names, gold=gold)
        try:
            runs[name] = stack.enter_context(run)
        except InputError as e:
            failed[name] = e

    def count(runs: Mapping[str, Source]) -> LoadedData[Any]:
        with explained(gold, *runs.values()):
            return _counted(_gold_and_runs(options, gold, runs), rows or several, part)

    error = next(iter(failed.values()), None)
    if error is None:
        try:
            return count(runs)
        except InputError as e:
            error = e
    for name, source in runs.items():
        try:
            count({name: source})
        except InputError as e:
            failed[name] = e
    failed = {name: failed[name] for name in names if name in failed}
    if not failed or not options.keep_going:
        raise _listed(failed, len(files)) if len(set(map(str, failed.values()))) > 1 else error
    runs = {name: source for name, source in runs.items() if name not in failed}
    refuse_few(runs, failed)
    return replace(count(runs), failed=failed)


def _listed(failed: Mapping[str, InputError], files: int) -> InputError:
    """What is wrong with several files."""
    parts = [part for error in failed.values() for part in (*error.args, "; ")]
    text = f"{len(failed):,} of {files:,} files cannot be read: "
    return InputError(text, *parts, Option("keep_going"), " goes on without them")


def refuse_few(systems: Collection[Any], failed: Mapping[str, InputError]) -> None:
    """Refuse to go on if so many systems failed that there is no ranking."""
    if failed and len(systems) < 2:
        left = f"only {shown(systems)} is" if systems else "no system is"
        reasons = [(f"{name}: ", *reason.args, "; ") for name, reason in failed.items()]
        raise InputError(f"{left} left: ", *[p for parts in reasons for p in parts][:-1])


def _counted(items: Items, rows: bool, part: bool) -> LoadedData[Any]:
    """What the items are counted as; systems that cannot be meant are refused.

    A ``part`` of what is counted may look strange where all of it does not.
    """
    items = unfolded(items)
    data, notes = items.counted(rows=rows)
    margins = LabelMargins.from_table(items, data.tables())
    refuse_truth_itself(items)
    true = [v for v, n in zip(margins.labels, margins.true[0], strict=True) if n]
    refuse_totals(items.truth, [v for v in true if margins.true[0][margins.labels.index(v)] == 1])
    if margins.true[0].sum() >= FEW:
        refuse_packed_labels(items.options, true, lines=not items.truth.source.has_columns)
    if not part:
        refuse_strange_labels(items, margins)
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
    return LoadedData(data, tuple(dict.fromkeys(notes)), items.runs)


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

    if source.kind == "saved":
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


def parts_of(files: list[str], columns: bool) -> list[tuple[str, ...]]:
    """What is counted one by one: every file with columns, or the one pair of files."""
    if columns:
        paths = [p for f in files for p in ([f] if is_stream(f) else expanded(f))]
        places = list(map(os.path.realpath, paths))
        for i, path in enumerate(paths):
            if places[i] in places[:i]:
                raise InputError(f"{path} is given more than once")
        refuse_copies([path for path in paths if os.path.isfile(path)])
        return [(path,) for path in paths]
    if len(files) != 2:
        raise InputError(
            "expected a file of truth and one of predictions, or files with columns named by ",
            *named_options("true", "pred"),
            f", got {len(files)} file(s)",
        )
    return [tuple(files)]


def count_part(options: ReadOptions, files: tuple[str, ...]) -> LoadedData[Saved]:
    """The table of some of the files, its labels before they get other names."""
    sources = tuple(identity(p) for f in files if not is_stream(f) for p in expanded(f))
    labels = None if options.renames else options.labels
    plain = replace(options, files=files, mapping=None, ignore_case=False, labels=labels)
    loaded = read(plain, part=True)
    table = _table_of(loaded.data) if loaded.data.systems else loaded.data
    if not isinstance(table, Confusion):
        raise InputError("multi-label data cannot be saved as a table; score them directly")
    saved = Saved(table, sources or (f"stream {uuid.uuid4().hex}",))
    return LoadedData(saved, loaded.notes)


def _table_of(data: Sample | SoftSample) -> Confusion:
    """The table of one system, or the stack of its slices."""
    if not data.slices:
        return data.tables()[0]
    parts = {key: part.tables()[0] for key, part in data.slices}
    return replace(Confusion.stack(parts), axes=("slice",))


# From files to items: one file, wide or long, or a file of truth and one for each system.


def _file_items(options: ReadOptions, source: Source, several: bool) -> Items:
    """The items of one file; with ``several``, each column that is left may be a system."""
    options, notes = infer_columns(options, source, several=several)
    items = (_long_file if options.system else _wide_file)(options, source, several)
    return replace(items, notes=(*notes, *items.notes))


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
    return selected._replace(frame=trim(frame, [c for c in (ID, SAMPLE) if c in columns]))


def _wide_file(options: ReadOptions, source: Source, several: bool) -> Items:
    """One file with a column of truth and one for each system; without names, all others."""
    if not source.has_columns:
        raise _no_columns(options, source)
    soft = options.probabilities is not None
    if not options.true or not (options.pred or several or soft):
        raise which_columns(source, "true", "pred")
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
        systems = {c: LabelPlace(source, c) for c in _system_columns(options, source)}
        roles |= {pred(c): c for c in systems}
    columns = _selected(source, roles, options.covariates, expressions)
    if options.id is not None:
        joined([columns.frame], [source.name], options)
    truth = LabelPlace(source, columns.called[options.true])
    return _items(options, columns.frame, truth, systems, soft=classes)


def _no_columns(options: ReadOptions, source: Source) -> InputError:
    """What to do with a file of lines: it goes with another, or has columns after all."""
    if options.of_columns:
        return InputError(NO_COLUMNS.format(source.name))
    text = f"{source.name} holds one label a line: give a file of truth and one of predictions"
    line = str(next(iter(source.frame.head(1).collect().to_series()), ""))
    if not any(mark in line for mark in MARKS):
        return InputError(text)
    return InputError(text, ", or say which columns it has with ", *named_options("true", "pred"))


def _system_columns(options: ReadOptions, source: Source) -> list[str]:
    """The columns of predictions that are named, or all that share some label with the truth."""
    columns = [c for c in (options.true, options.id, options.sample) if c]
    frame, called = find_columns(source, [*columns, *options.covariates, *options.pred])
    schema, true = frame.collect_schema(), called[str(options.true)]
    systems = [called[c] for c in options.pred]
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
        others = [c for c in schema if c not in {*called.values(), *source.partitions}]
        if source.is_json:
            source.json_type.refuse_like(source.name, true, others)
        systems = _answers(options, frame, true, others)
        rest = tuple(c for c in others if c not in systems)
        source.notes.extend([NoSystems(rest, true)] if rest else [])
    if not systems:
        raise InputError(f"{source.name} has no column left for a system's predictions")
    return systems


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


def _gold_and_runs(options: ReadOptions, gold: Source, runs: Mapping[str, Source]) -> Items:
    """A file of truth and one of predictions for each system, by row or joined by id."""
    files = [gold, *runs.values()]
    roles = choose(options, gold, list(runs.values()))
    options = replace(options, id=roles.ids[0])
    if options.missing != "error" and options.id is None:
        raise InputError(Option("missing", options.missing), " goes with ", Option("id"))
    part = partial(_file_part, options)
    parts = list(map(part, files, roles.labels, roles.ids, [None, *runs]))
    frames, texts = [part.frame for part in parts], list[ResultWarning]()
    if options.probabilities is None:
        frames, texts = _as_text(files, frames)
    truth, *places = [part.place for part in parts]
    return _items(
        options,
        _combined(options, frames, [file.name for file in files], in_order=roles.in_order),
        truth,
        dict(zip(runs, places, strict=True)),
        (*roles.notes, *texts),
        soft={name: p.classes for name, p in zip(runs, parts[1:], strict=True) if p.classes},
        ids={file.name: c for file, c in zip(files, roles.ids, strict=True) if c},
    )


class FilePart(NamedTuple):
    """The columns of one file, where its labels stand, and classes of probabilities."""

    frame: Any
    place: LabelPlace
    classes: Sequence[str] = ()


def _file_part(
    options: ReadOptions, source: Source, label: str | None, ids: str | None, system: str | None
) -> FilePart:
    """The truth of a file with its covariates, or the predictions of a system."""
    import polars as pl

    if system is not None and options.probabilities is not None:
        classes, expressions = probability_columns(options, source, system)
        columns = _selected(source, {ID: ids}, (), expressions)
        return FilePart(columns.frame, LabelPlace(source, options.probabilities), classes)
    role = TRUE if system is None else pred(system)
    covariates = options.covariates if system is None else []
    if source.has_columns:
        roles = {role: label, ID: ids, SAMPLE: options.sample if system else None}
        columns = _selected(source, roles, covariates)
        return FilePart(columns.frame, LabelPlace(source, columns.called[str(label)]))
    if ids is not None:
        raise InputError(f"{source.name} has no columns to join by {ids!r}")
    if label is not None:
        raise InputError(NO_COLUMNS.format(source.name))
    if covariates:
        names = [n for n in ("weights", "cluster", "by") if getattr(options, n)]
        text = f"{source.name} holds one label a line, but a column is asked for with "
        raise InputError(text, *named_options(*names))
    return FilePart(source.frame.select(pl.col(LINE).alias(role)), LabelPlace(source))


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


# The names of systems.


def system_names(files: Sequence[InputFile]) -> list[str]:
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


def refuse_truth_itself(items: Items) -> None:
    """Refuse a system that is the truth, by whatever name of its file."""
    gold, options = _identities(items.truth.source), items.options
    for place in items.systems.values():
        if place.column == items.truth.column and gold & _identities(place.source):
            advice: tuple[str | Option, ...] = ()
            if len(items.systems) > 2 and not options.keep_going:
                advice = ("; ", Option("keep_going"), " goes on without it")
            raise InputError(f"{place} is the truth itself, expected predictions", *advice)


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


def refuse_strange_labels(items: Items, margins: LabelMargins) -> None:
    """Refuse a system that predicts labels, but none that is true of any item.

    Classes that a person lists are known, true or not. Without any prediction there is no label
    to be strange.
    """
    labels, true, predicted, _, outside, missing = margins
    known = (true > 0) if items.options.labels is None else np.ones_like(true, bool)
    shared = (known & (predicted > 0)).any(axis=1)
    answered = predicted.any(axis=1) | (outside > missing)
    for i in np.flatnonzero(true.any(axis=1) & answered & ~shared):
        name, place = list(items.systems.items())[i]
        where = f"{place}, system {name!r}" if items.options.system else str(place)
        left, right = (
            [v for v, n in zip(labels, row, strict=True) if n] for row in (true[i], predicted[i])
        )
        text = f"{where} shares no label with {items.truth}: expected such as {shown(left)}, got "
        text += shown(right) if right else "none of the classes listed"
        hint: tuple[str | Option, ...] = ("; ", Option("mapping"), " gives labels other names")
        if {str(v).casefold() for v in left} & {str(v).casefold() for v in right}:
            hint = ("; they differ in case, which ", Option("ignore_case"), " ignores")
        elif any(str(v) not in ("0", "1") for v in right) and all(map(_is_fraction, right)):
            hint = ("; numbers for classes are read with ", Option("probabilities"))
        elif set(map(folded, left)) & set(map(folded, right)):
            text += "; they differ in spaces or Unicode form"
        raise InputError(text, *hint)


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
    sources = [place.source for place in (items.truth, *items.systems.values())]
    if items.options.weights is not None:
        return
    rename, labels = Renaming(items.options), list(margins.labels)
    lined = [s.kind == "lines" and not s.has_header for s in sources]
    firsts = [s.rows[0][0] if lines else None for s, lines in zip(sources, lined, strict=True)]
    codes = [labels.index(name) if (name := rename(v or "")) in labels else -1 for v in firsts]
    sides = list(zip([margins.true[0], *margins.predicted], codes, strict=True))
    headers: dict[str, str] = {}
    for source, first, code in zip(sources, firsts, codes, strict=True):
        alone = first and code >= 0 and all(a[code] == (own == code) for a, own in sides)
        if alone and all(_repeats(np.delete(a, code)) for a, own in sides if own == code):
            headers[source.name] = str(first)
    if headers:
        yield HeaderCounted(tuple(headers.items()))


def _repeats(amounts: Numbers) -> bool:
    """Whether every label that occurs does so more than once."""
    return bool(amounts.any() and amounts[amounts > 0].min() > 1)


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

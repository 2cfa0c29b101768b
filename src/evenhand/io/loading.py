"""Loading: from files to items, and from items to tables and samples."""

from __future__ import annotations

import os
import uuid
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, Generic, TypeVar

from evenhand.data.confusion import Confusion
from evenhand.data.factorize import escape_column, trim
from evenhand.data.matching import ID_COLUMN, SAMPLE_COLUMN, joined, refuse_ids
from evenhand.data.roles import (
    CLUSTER,
    EPOCH,
    FOLD,
    ID,
    JUDGE,
    WEIGHT,
    names_role,
    names_truth,
    repeated_items,
)
from evenhand.data.sample import Sample, SoftSample
from evenhand.errors import Command, InputError, NoRowsError, Option, shown
from evenhand.io.checks import checked_items, layouts_found, refuse_copies, refuse_order
from evenhand.io.columns import (
    FileColumns,
    ReadOptions,
    SelectedColumns,
    find_columns,
    infer_columns,
    named_options,
    refuse_twice,
    which_columns,
)
from evenhand.io.delimited import InputFile, parse_name
from evenhand.io.items import (
    TRUE_COLUMN,
    Items,
    LabelPlace,
    Renaming,
    explained,
    label_kind,
    pred,
    probabilities,
    renamed,
    unfolded,
    with_sample_weights,
)
from evenhand.io.logs import (
    GradesRescaled,
    LettersGraded,
    are_choices,
    are_labels,
    grade,
    graded_sample,
    is_log,
    read_logs,
    refuse_unknown,
    unparsed,
)
from evenhand.io.logs import system_names as log_systems
from evenhand.io.saved import Saved, identity, load
from evenhand.io.scratch import Scratch
from evenhand.io.sources import (
    LINE,
    Source,
    expanded,
    files_of,
    is_stream,
    only,
    opened,
)
from evenhand.text import counted
from evenhand.warnings import (
    DELIMITERS,
    ComparedAsText,
    FilesRead,
    LogsRead,
    NoSystems,
    ResultWarning,
    SamplesOfItems,
)

SYSTEM_COLUMN, RUN_COLUMN = "evenhand:system", "evenhand:run"
NO_SYSTEMS = (ID, FOLD, EPOCH, CLUSTER, JUDGE, WEIGHT)
"""Roles of columns that are no systems, whatever labels they share with the truth."""
WRONG = ("; ", Option("missing", "wrong"), " counts them as errors")
"""How to go on without predictions of some items."""
NO_COLUMNS = "{} holds one label per line: it has no columns to name"
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
    options: ReadOptions, *, rows: bool = False, several: bool = False, is_part: bool = False
) -> LoadedData[Any]:
    """The table of one system, or with ``rows`` its sample; with ``several`` systems, theirs.

    A file may also be a table that was saved, or what another program has printed of one. A
    file that ``is_part`` is counted with others.
    """
    refuse_at_odds(options)
    with ExitStack() as stack:
        plain = not replace(options, cluster=None, by=()).of_columns
        if plain and options.files and is_log(parse_name(options.files[0]).name):
            return _read_logs(options, several=several)
        if options.score:
            return _read_grades(options, stack.enter_context(Scratch()), several=several)
        columns = bool(options.truth or options.id)
        file = opened(options.files[0], columns=columns, layout=options.layout, names=options.names)
        first = stack.enter_context(file)
        count = partial(_counted, rows=rows or several, is_part=is_part)
        with explained(first):
            if len(options.files) > 1:
                refuse_order(options)
                return _read_runs(options, first, stack, several, count)
            table = None if several else _counted_already(options, first)
            if table is not None:
                return table
            options, notes = infer_columns(options, first, several=several)
            items = (_long_file if options.system else _wide_file)(options, first, several)
            return count(replace(items, notes=(*notes, *items.notes)))


def _read_runs(
    options: ReadOptions,
    gold: Source,
    stack: ExitStack,
    several: bool,
    count: Callable[[Items], LoadedData[Any]],
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

    @contextmanager
    def attempt(name: str) -> Iterator[None]:
        try:
            yield
        except InputError as e:
            failed[name] = e

    for name, file in zip(names, files, strict=True):
        run = opened(file, columns=columns, layout=options.layout, names=options.names, gold=gold)
        with attempt(name):
            runs[name] = stack.enter_context(run)

    def counted(runs: Mapping[str, Source]) -> LoadedData[Any]:
        with explained(gold, *runs.values()):
            return count(_gold_and_runs(options, gold, runs))

    error = next(iter(failed.values()), None)
    unread = len(failed)
    if error is None:
        try:
            return counted(runs)
        except InputError as e:
            error = e
    for name, source in runs.items():
        with attempt(name):
            counted({name: source})
    failed = {name: failed[name] for name in names if name in failed}
    if len(set(map(str, failed.values()))) > 1 and not options.keep_going:
        named = zip(names, files, strict=True)
        reasons = {str(failed[n]).replace(f.name, "") for n, f in named if n in failed}
        if len(failed) == len(files) and len(reasons) == 1 and not unread:
            raise failed[names[0]]
        parts = [part for e in failed.values() for part in (*e.args, "; ")]
        text = f"{len(failed):,} of {len(files):,} files cannot be read: "
        raise InputError(text, *parts, Option("keep_going"), " goes on without them")
    if not failed or not options.keep_going:
        raise error
    runs = {name: source for name, source in runs.items() if name not in failed}
    refuse_few(runs, failed)
    return replace(counted(runs), failed=failed)


def refuse_few(systems: Collection[Any], failed: Mapping[str, InputError]) -> None:
    """Refuse to go on if so many systems failed that there is no ranking."""
    if failed and len(systems) < 2:
        left = f"only {shown(systems)} is" if systems else "no system is"
        reasons = [(f"{name}: ", *reason.args, "; ") for name, reason in failed.items()]
        raise InputError(f"{left} left: ", *[p for parts in reasons for p in parts][:-1])


def _counted(items: Items, rows: bool, is_part: bool) -> LoadedData[Any]:
    """What the items are counted as; systems that cannot be meant are refused."""
    if items.options.sample is not None and not items.soft:
        items = with_sample_weights(items)
    items = unfolded(items)
    data, notes = items.counted(rows=rows)
    checks = list(checked_items(items, data, is_part=is_part))
    every = [
        items.files_read,
        *(note for file in items.sources for note in file.notes),
        *layouts_found(items),
        *items.notes,
        *notes,
        *checks,
    ]
    return LoadedData(data, tuple(dict.fromkeys(every)), items.runs)


def refuse_at_odds(options: ReadOptions) -> None:
    """Refuse options that exclude each other, or that would have no effect."""
    for name in ("pred", "kind", "system", "separator") if options.probabilities else ():
        if getattr(options, name):
            raise InputError(
                Option("probabilities"), " stand in the place of labels: leave out ", Option(name)
            )
    if options.system and len(options.pred) > 1:
        text = f" one column holds all predictions, got {shown(options.pred)}"
        raise InputError("with ", Option("system"), text)
    if options.system and options.run == options.system:
        text = f"systems and their runs must be in two columns, got {options.run!r} for both"
        raise InputError(text)
    pairs = (("decide", "probabilities"), ("sample", "id"), ("score_range", "score"))
    for name, other in pairs:
        if getattr(options, name) and not getattr(options, other):
            raise InputError(Option(name), " goes with ", Option(other))
    if len(options.files) == 1:
        refuse_missing(options)
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
        raise InputError(f"columns other than the truth must not be called {shown(reserved)}")


def refuse_missing(options: ReadOptions) -> None:
    """Refuse to count missing predictions where no ids show them."""
    if options.missing != "error" and options.id is None:
        raise InputError(Option("missing", options.missing), " goes with ", Option("id"))


def _counted_already(options: ReadOptions, source: Source) -> LoadedData[Confusion] | None:
    """The table that a file holds, saved or printed by a program, if it does."""
    from evenhand.io.documents import counted

    if source.kind == "saved":
        if options.of_columns:
            raise InputError(f"{source.name} is a saved table: it has no columns to choose")
        kind, (table, notes) = "table", saved_table(source.paths[0], source.name, options)
    else:
        texts = not options.of_columns and source.kind in ("lines", "csv", "tsv")
        print_out = counted(source) if texts else None
        if print_out is None:
            return None
        kind, (table, notes) = "print-out", renamed(print_out, options)
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
            f", got {counted(len(files), 'file')}",
        )
    return [tuple(files)]


def count_part(options: ReadOptions, files: tuple[str, ...]) -> LoadedData[Saved]:
    """The table of some of the files, its labels before they get other names."""
    sources = tuple(identity(p) for f in files if not is_stream(f) for p in expanded(f))
    labels = None if options.renames else options.labels
    plain = replace(options, files=files, mapping=None, ignore_case=False, labels=labels)
    loaded = read(plain, is_part=True)
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
    if SAMPLE_COLUMN in columns:
        frame = frame.cast({SAMPLE_COLUMN: str})
    return selected._replace(
        frame=trim(frame, [c for c in (ID_COLUMN, SAMPLE_COLUMN) if c in columns])
    )


def _wide_file(options: ReadOptions, source: Source, several: bool) -> Items:
    """One file with a column of truth and one for each system; without names, all others."""
    if not source.has_columns:
        raise _no_columns(options, source)
    soft = options.probabilities is not None
    if not options.true or not (options.pred or several or soft):
        raise which_columns(source, "true", "pred")
    expressions = []
    roles = {ID_COLUMN: options.id, SAMPLE_COLUMN: options.sample, TRUE_COLUMN: options.true}
    if soft:
        if several:
            raise InputError(
                f"{source.name}: probabilities of several systems stand in a file each, and the "
                "truth in another"
            )
        expressions = [probabilities(options, source, "system")]
        systems = {"system": LabelPlace(source, options.probabilities)}
    else:
        systems = {c: LabelPlace(source, c) for c in _system_columns(options, source)}
        roles |= {pred(c): c for c in systems}
    columns = _selected(source, roles, options.covariates, expressions)
    if options.id is not None:
        keys = columns.frame.select(ID_COLUMN, *[SAMPLE_COLUMN] * bool(options.sample))
        joined([keys], [source.name], options.id)
    truth = LabelPlace(source, columns.called[options.true])
    return Items(options, columns.frame, truth, systems)


def _no_columns(options: ReadOptions, source: Source) -> InputError:
    """What to do with a file of lines: it goes with another, or has columns after all."""
    if options.of_columns:
        return InputError(NO_COLUMNS.format(source.name))
    text = f"{source.name} holds one label per line: give a file of truth and one of predictions"
    line = str(next(iter(source.frame.head(1).collect().to_series()), ""))
    if not any(mark in line for mark in DELIMITERS):
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
        stems = {c: c.rstrip("0123456789-_ ") for c in others}  # a letter alone says nothing
        truths = {c for c, stem in stems.items() if len(stem) > 1 and names_truth(stem)}
        free = [c for c in others if c not in truths and not names_role(c, *NO_SYSTEMS)]
        if source.is_json:
            source.json_type.refuse_like(source.name, true, free)
        systems = _answers(options, frame, true, free)
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

    known, flat = labels(true), [c for c in columns if not schema[c].is_nested()]
    most = {c: max(10, 3 * len(known)) for c in flat if schema[c].is_numeric()}  # an age has more
    each = {c: labels(c) for c in flat}
    return [c for c in flat if known & each[c] and len(each[c]) <= most.get(c, len(each[c]))]


def _long_file(options: ReadOptions, source: Source, several: bool) -> Items:
    """One file with a row for each item and system, as a frame of truth and one for each system."""
    import polars as pl

    if not (options.true and options.pred):
        raise which_columns(source, "true", "pred")
    guess, keys = options.pred[0], {SYSTEM_COLUMN: options.system, RUN_COLUMN: options.run}
    keys = {key: name for key, name in keys.items() if name is not None}
    roles = {TRUE_COLUMN: options.true, pred(""): guess, ID_COLUMN: options.id}
    columns = _selected(source, roles | {SAMPLE_COLUMN: options.sample} | keys, options.covariates)
    rows = trim(frame := columns.frame.collect(engine="streaming"), frame.columns)
    if not len(rows):
        raise NoRowsError(f"{source.name} has no rows: there is no item to count")
    for key, name in keys.items():
        if rows[key].null_count():
            at = f"row {rows[key].is_null().arg_max() + 1}"
            raise InputError(f"{source.name}, column {name}, {at}: expected a name, got none")
    groups = rows.group_by(*keys, maintain_order=True)
    systems = sorted((tuple(map(str, key)), part) for key, part in groups)
    parts = {"/".join(key): part for key, part in systems}
    ids = [c for c in (ID_COLUMN, SAMPLE_COLUMN) if c in rows.columns]
    frames = [_truth_of_all(options, source, rows, parts)]
    frames += [part.select(*ids, pl.col(pred("")).alias(pred(s))) for s, part in parts.items()]
    names = ["the others", *(f"{source.name}: system {name!r}" for name in parts)]
    runs: dict[str, list[str]] = {}
    for ((system, *_), _part), name in zip(systems, parts, strict=True):
        runs.setdefault(system, []).append(name)
    return Items(
        options,
        _combined(options, [f.lazy() for f in frames], names),
        LabelPlace(source, columns.called[options.true]),
        dict.fromkeys(parts, LabelPlace(source, columns.called[guess])),
        runs=None if options.run is None else runs,
        as_in_file=False,
    )


def _truth_of_all(options: ReadOptions, source: Source, rows: Any, parts: Mapping[str, Any]) -> Any:
    """The truth of a long file, which must be the same for each system, with its covariates."""
    facts = [TRUE_COLUMN, *map(escape_column, options.covariates)]
    if options.id is not None:
        truth = rows.select(ID_COLUMN, *facts).unique().sort(ID_COLUMN)
        repeated = truth[ID_COLUMN].filter(truth[ID_COLUMN].is_duplicated()).unique()
        text = "with more than one truth (or weight, cluster or slice)"
        refuse_ids(repeated, f"{source.name}: {{}} {text}")
        return truth
    (first, truth), *others = ((name, part.select(facts)) for name, part in parts.items())
    for name, part in others:
        if not part.equals(truth):
            raise InputError(
                f"{source.name}: {first!r} ({len(truth):,} rows) and {name!r} ({len(part):,} rows) "
                "do not have the same items in the same order; say which items are which with ",
                Option("id"),
            )
    return truth


def _refuse_several(options: ReadOptions, gold: Source, source: Source) -> None:
    """Refuse a file of predictions with those of several systems or runs, told by a column."""
    if not (gold.has_columns and source.has_columns):
        return
    labels = frozenset[str]().union(*(c.values or () for c in gold.profiles))
    free = [c for c in source.profiles if c.name not in options.names]
    repeated = repeated_items(free, labels, clustered=options.cluster is not None)
    if repeated is None or repeated.id is None or repeated.id.rows == gold.profiles[0].rows:
        return
    several = repeated.system or repeated.run
    if several is not None and not repeated.sample:
        raise InputError(
            f"{source.name} has predictions of {several.distinct} values of {several.name!r}: "
            "expected a file for each, or one file that has the truth too, with ",
            Option("system", several.name),
            "; if all are samples of one system, say ",
            Option("sample", several.name),
            " and ",
            Option("id", repeated.id.name),
        )


def _gold_and_runs(options: ReadOptions, gold: Source, runs: Mapping[str, Source]) -> Items:
    """A file of truth and one of predictions for each system, by row or joined by id."""
    files = [gold, *runs.values()]
    for source in runs.values() if not (options.sample or options.by_row) else ():
        _refuse_several(options, gold, source)
    roles = FileColumns(options, gold, list(runs.values()))
    options = replace(options, id=roles.ids[0])
    refuse_missing(options)
    parts = map(partial(_file_part, options), files, roles.labels, roles.ids, [None, *runs])
    frames, (truth, *places) = zip(*parts, strict=True)
    texts: Sequence[ResultWarning] = ()
    if options.probabilities is None:
        frames, texts = _as_text(files, frames)
    return Items(
        options,
        _combined(options, frames, [file.name for file in files], same_rows=roles.same_rows),
        truth,
        dict(zip(runs, places, strict=True)),
        (*roles.notes, *texts),
        ids={file.name: c for file, c in zip(files, roles.ids, strict=True) if c},
    )


def _file_part(
    options: ReadOptions, source: Source, label: str | None, ids: str | None, system: str | None
) -> tuple[Any, LabelPlace]:
    """The truth of a file with its covariates, or the predictions of a system."""
    import polars as pl

    if system is not None and options.probabilities is not None:
        columns = _selected(source, {ID_COLUMN: ids}, (), [probabilities(options, source, system)])
        return columns.frame, LabelPlace(source, options.probabilities)
    role = TRUE_COLUMN if system is None else pred(system)
    covariates = options.covariates if system is None else []
    if source.has_columns:
        roles = {role: label, ID_COLUMN: ids, SAMPLE_COLUMN: options.sample if system else None}
        columns = _selected(source, roles, covariates)
        return columns.frame, LabelPlace(source, columns.called[str(label)])
    if ids is not None:
        raise InputError(f"{source.name} has no columns to join by {ids!r}")
    if label is not None:
        raise InputError(NO_COLUMNS.format(source.name))
    if covariates:
        names = [n for n in ("weights", "cluster", "by") if getattr(options, n)]
        text = f"{source.name} holds one label per line, but a column is asked for with "
        raise InputError(text, *named_options(*names))
    return source.frame.select(pl.col(LINE).alias(role)), LabelPlace(source)


def _as_text(
    files: Sequence[Source], frames: Sequence[Any]
) -> tuple[tuple[Any, ...], list[ResultWarning]]:
    """The frames with numbers and booleans as text where another file has text."""
    import polars as pl

    words = {"int": "integers", "float": "decimals", "bool": "booleans"}
    columns = [
        next((c, t) for c, t in f.collect_schema().items() if c == TRUE_COLUMN or pred("") in c)
        for f in frames
    ]
    texts = [file.name for file, (_, t) in zip(files, columns, strict=True) if t == pl.String]
    changed, notes = list(frames), list[ResultWarning]()
    for i, (role, dtype) in enumerate(columns if texts else ()):
        if label_kind(dtype) in words and not dtype.is_nested():
            changed[i] = frames[i].cast({role: pl.String})
            notes.append(ComparedAsText(files[i].name, texts[0], words[label_kind(dtype)]))
    return tuple(changed), notes


def _combined(
    options: ReadOptions, frames: Sequence[Any], names: Sequence[str], *, same_rows: bool = False
) -> Any:
    """A frame of truth and those of predictions as one, by id or by row."""
    import polars as pl

    if options.id is not None and not same_rows:
        advice = WRONG if options.probabilities is None else ()
        may_lack = options.missing == "wrong"
        return joined(frames, names, options.id, may_lack=may_lack, advice=advice)
    return pl.concat(
        [frames[0], *(f.drop(ID_COLUMN, strict=False) for f in frames[1:])], how="horizontal"
    )


# Logs of evaluations: each has its own truth, and all become one long file.


def _read_logs(options: ReadOptions, *, several: bool) -> LoadedData[Any]:
    """The systems of logs: their labels, or grades; the items of several tasks are sets."""
    import polars as pl

    files = [parse_name(name) for name in options.files]
    pairs = [(log, file.system) for file in files for log in read_logs(file.name, options)]
    logs = [log for log, _ in pairs]
    refuse_unknown(options, logs)
    rows = pl.concat(
        log.rows.with_columns(
            system=pl.lit(name) if name else pl.col("model").replace_strict(models)
        )
        for (log, name), models in zip(pairs, log_systems(logs), strict=True)
    )
    systems, tasks = (rows[c].unique(maintain_order=True).to_list() for c in ("system", "task"))
    _refuse_systems(options, systems, several)
    notes: list[ResultWarning] = [note for log in logs for note in log.notes]
    by_task = {task: rows.filter(pl.col("task") == task) for task in tasks}
    for task, part in by_task.items():
        own = [log for log in logs if task in log.rows["task"]]
        formats = tuple(dict.fromkeys(log.format for log in own))
        details = "".join(f", {x}" for x in dict.fromkeys(chain(*(x.details for x in own))))
        size = (part["id"].n_unique(), len(part), part["system"].n_unique())
        notes.append(LogsRead(formats, task, *size, details))
    every = rows.select("task", "id").n_unique() * len(systems)
    same = options.missing == "wrong" or rows.select("task", "id", "system").n_unique() == every
    if not (same and all(map(are_labels, by_task.values()))):
        sets = ["task"] if len(tasks) > 1 else []
        rows = rows.with_columns(pl.concat_str(pl.col(*sets, "id"), separator="/").alias("id"))
        by = [*sets, *options.by]
        sample, missing = graded_sample(rows, options.missing, cluster=options.cluster, by=by)
        return LoadedData(sample, (*notes, *missing))
    if rows["epoch"].n_unique() > 1:  # of one task: then items of all are clusters
        options = replace(options, sample="epoch")
    parts = {task: _label_rows(options, part, several) for task, part in by_task.items()}
    notes += [note for part in parts.values() for note in part.notes]
    sizes = [note for note in notes if isinstance(note, SamplesOfItems)]
    if len(sizes) > 1:
        notes = [note for note in notes if note not in sizes]
        notes.append(SamplesOfItems(sum(s.items for s in sizes), sum(s.samples for s in sizes)))
    data = [part.data for part in parts.values()]
    if len(parts) > 1:
        data = [Sample.from_sets({task: part.data for task, part in parts.items()})]
    sample = data[0].among(list(map(data[0].systems.index, systems))) if several else data[0]
    choices = any(are_choices(part["target"]) for part in by_task.values())
    return LoadedData(replace(sample, choices=choices), tuple(dict.fromkeys(notes)))


def _label_rows(options: ReadOptions, rows: Any, several: bool) -> LoadedData[Any]:
    """The labels of a task; other answers are outside, unless the scorer takes them for right."""
    import polars as pl

    right = pl.when(pl.col("score") == 1).then(pl.col("target")).otherwise(pl.col("answer"))
    rows, labels = rows.with_columns(answer=right), tuple(rows["target"].unique().sort())
    options = replace(
        options,
        true="target",
        pred=("answer",),
        id="id",
        files=options.files[:1],
        system="system" if several else None,
        labels=options.labels or labels,
    )
    source = Source(options.files[0], (), "log", table=rows)
    items = (_long_file if several else _wide_file)(options, source, several)
    loaded = _counted(items, rows=True, is_part=True)
    examples = unparsed(rows, shown=not options.no_examples)
    return replace(loaded, notes=(*loaded.notes, *examples))


def _refuse_systems(options: ReadOptions, systems: Sequence[str], several: bool) -> None:
    """Refuse several systems where one is scored."""
    if len(systems) > 1 and not several:
        command = Command((), "rank")
        raise InputError(f"{options.files[0]} has the systems {shown(systems)}: ", command)


# Grades in columns: a row for each item and system, a column for each, or a file for each.


def _read_grades(options: ReadOptions, scratch: Scratch, *, several: bool) -> LoadedData[Any]:
    """The grades of systems, which match by id, or by row where there are none."""
    import polars as pl

    refused = [n for n in ("true", "pred", "label", "weights", "run") if getattr(options, n)]
    if refused or (options.system and (len(options.score) > 1 or len(options.files) > 1)):
        refused = refused or ["system"]
        raise InputError(Option("score"), " goes without ", *named_options(*refused))
    files = files_of(options.files, scratch)
    names, parts, notes = system_names(files), list[Any](), list[ResultWarning]()
    for name, file in zip(names, files, strict=True):
        with opened(file, columns=True, layout=options.layout, names=options.names) as source:
            for column in options.score:
                system = pl.lit(column if len(options.score) > 1 else name)
                own = {} if options.system else {"system": system}
                parts.append(_graded_rows(options, source, column).with_columns(**own))
            notes += source.notes
    frame = pl.concat(parts, how="diagonal_relaxed")
    _refuse_systems(options, frame["system"].unique(maintain_order=True).to_list(), several)
    if options.score_range is not None:
        low, high = options.score_range
        notes.append(GradesRescaled(low, high))
        frame = frame.with_columns(score=(pl.col("score") - low) / (high - low))
    sample, missing = graded_sample(frame, options.missing, cluster=options.cluster, by=options.by)
    return LoadedData(sample, (*dict.fromkeys(notes), *missing))


def _graded_rows(options: ReadOptions, source: Source, column: str) -> Any:
    """The rows of a column of grades: system, id, sample, grade, cluster and slices."""
    import polars as pl

    keys = {"system": options.system, "id": options.id, "epoch": options.sample}
    free = [c for c in source.profiles if c.name not in options.names]
    clustered = bool(options.cluster or options.sample)
    repeated = repeated_items(free, frozenset(), clustered=clustered)
    if repeated is not None and not options.system and not options.by_row:
        command = Command(tuple(repeated.options), "rank" if repeated.system else "")
        raise InputError(f"{source.name} has {repeated}: ", command)
    roles = {"score": column} | {key: c for key, c in keys.items() if c is not None}
    rows = _selected(source, roles, options.covariates).frame.collect(engine="streaming")
    rows = trim(rows, [c for c in rows.columns if c != "score"])
    usual = {"id": pl.int_range(pl.len()), "epoch": pl.lit(1)}
    rows = rows.with_columns(**{c: value for c, value in usual.items() if c not in rows.columns})
    values = rows["score"].unique().to_list()
    grades = {value: grade(value, f"{source.name}, column {column!r}") for value in values}
    if {"P", "N"} & grades.keys():
        source.notes.append(LettersGraded())
    score = pl.col("score").replace_strict(grades, return_dtype=pl.Float64)
    return rows.with_columns(score, pl.col("id", "epoch").cast(pl.String))


# The names of systems.


def system_names(files: Sequence[InputFile]) -> list[str]:
    """The names of systems: as set for their files, or as these."""
    names = iter(_by_file([file.name for file in files if file.system is None]))
    systems = [file.system or next(names) for file in files]
    if len(set(systems)) < len(systems):
        raise InputError(f"a system must be named once, got {shown(systems)}")
    return systems


def _in_archive(path: Path) -> str:
    """A file as it was given; of one in an archive, the names of both without endings."""
    return f"{path.parent.stem}/{path.stem}" if path.parent.suffix else str(path)


def _by_file(paths: Sequence[str]) -> list[str]:
    """The names of files, without folder and ending while these are different."""
    where: dict[str, str] = {}
    for p in paths:
        same = where.setdefault(os.path.realpath(p), p)  # which a loop of links does not stop
        if same is not p and p != "-":
            raise InputError(f"a system must be named once, got {p} twice")
    for short in (lambda p: p.stem, lambda p: p.name, _in_archive):
        names = [str(short(Path(p))) for p in paths]
        if len(set(names)) == len(names):
            return names
    raise InputError(f"a system must be named once, got {shown(paths)}")

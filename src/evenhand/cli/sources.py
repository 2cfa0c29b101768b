"""The data that a command reads, and the options that say where they are."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from glob import escape, glob
from pathlib import Path
from typing import TYPE_CHECKING, Any

from click import UsageError

from evenhand.cli import options
from evenhand.cli.options import (
    Flags,
    SourceOptions,
    WordParam,
    choice,
    column,
    file,
    flag,
    option,
    spelled,
    together,
)
from evenhand.cli.output import progress
from evenhand.data.confusion import Confusion
from evenhand.data.sample import Sample
from evenhand.errors import EvenhandError, InputError, shown
from evenhand.io.delimited import InputFile, parse_name
from evenhand.io.items import renamed
from evenhand.io.loading import LoadedData, read, refuse_few, saved_table, system_names
from evenhand.io.logs import is_log
from evenhand.io.matrices import read_matrix
from evenhand.io.saved import is_saved, load
from evenhand.io.scratch import Scratch
from evenhand.io.sources import files_of, holds_several
from evenhand.options import LayoutOptions, RankOptions, ScoringOptions
from evenhand.warnings import LeftOut, ResultWarning

if TYPE_CHECKING:
    from evenhand.ranking.leaderboard import Leaderboard
    from evenhand.scoring.scores import Scores


def data_from(source: SourceOptions, *, drawn: bool = False, soft: bool = False) -> LoadedData[Any]:
    """The data of one system: a matrix, a saved table, a file with columns, or two files.

    A table; or a sample, where the table would forget what an interval needs. With ``soft``
    probabilities stay, which else are decided.
    """
    source = source if soft else deciding(source)
    if source.matrix is not None:
        if source.files or source.of_columns:
            raise UsageError("--matrix takes no label files and no columns.")
        refuse_dropping(source)
        table, notes = matrix_from(source.matrix, source)
        return LoadedData(table, tuple(notes))
    if source.rows != "true":
        raise UsageError("--rows says how a --matrix reads; label files have no such rows.")
    if len(source.files) not in (1, 2):
        raise UsageError(
            "Expected GOLD PRED, one file with --true and --pred, or --matrix; "
            f"got {len(source.files)} files."
        )
    if len(source.pred) > 1:
        raise UsageError(
            f"Expected the --pred of one system, got {shown(source.pred)}; "
            "compare, rank and report take several."
        )
    with progress("counting"):
        loaded = read(source, rows=bool(source.cluster or (drawn and source.weights)))
    if getattr(loaded.data, "graded", False) and not soft:
        raise UsageError(
            "Grades have no classes: score, compare, rank, gate, plan and report take them."
        )
    return loaded


def scored(source: SourceOptions, flags: Flags) -> tuple[Scores, LoadedData[Any]]:
    """The scores of one system, and its data."""
    from evenhand.scoring.score import score

    alone = replace(source, keep_going=False)  # there is nothing to go on with
    loaded = data_from(alone, soft=True)
    scores = score(loaded.data, **flags.arguments(loaded.data, ScoringOptions))
    return scores.noted(*loaded.notes), loaded


def of_one(source: SourceOptions) -> bool:
    """Whether the input is that of ``score``."""
    files, of_columns = source.files, max(len(source.pred), len(source.score))
    if source.matrix is not None or not files:
        return not source.tables
    if source.tables or source.system or len(files) > 2 or of_columns > 1:
        return False
    graded = bool(source.score) or is_log(parse_name(files[0]).name)
    if len(files) > 1 or os.path.isdir(files[0]):  # of logs and grades none is the truth
        return not graded and len(files) == 2 and not holds_several(files[1])
    if is_saved(files[0]):
        return not load(files[0]).table.shape
    known = graded or of_columns == 1 or source.probabilities is not None
    return known or len(systems_from(source, soft=True).data.systems) == 1


def refuse_dropping(source: SourceOptions) -> None:
    """Tables have no rows to leave out."""
    if source.drop_null_truth:
        raise UsageError("Tables are counted already: leave out --drop-null-truth.")


def matrix_from(text: str, source: SourceOptions) -> tuple[Confusion, list[ResultWarning]]:
    """A matrix whose rows and columns the labels name, if any are given, and then its renaming."""
    labels = source.labels_as("str")
    rows = source.rows if options.on_command_line("rows") else None
    table = read_matrix(text, labels=None if labels is None else list(labels), rows=rows)
    return renamed(table, replace(source, labels=None))


def deciding(source: SourceOptions) -> SourceOptions:
    """The source with labels in the place of probabilities: the most probable, unless told."""
    if source.probabilities is None or source.decide is not None:
        return source
    return replace(source, decide="argmax")


def systems_from(source: SourceOptions, *, soft: bool = False) -> LoadedData[Any]:
    """Systems on the same items: columns of one file, or GOLD and a file for each system."""
    source = source if soft else deciding(source)
    if not source.files:
        raise UsageError("Expected GOLD A B…, or one file with --true and --pred.")
    with progress("counting"):
        return read(source, several=True)


def judged_from(source: SourceOptions, flags: Flags) -> LoadedData[Any] | None:
    """Predictions with a judge's labels of all items and human labels of some; with --judge."""
    from evenhand.inference.prediction_powered import JudgedSample

    if flags.judge is None:
        return None
    probability = flags.label_probability
    if len(source.files) != 1 or source.true is None or not source.pred or source.system:
        raise UsageError("--judge needs one file, with --true (human labels) and --pred.")
    if probability is not None and source.weights:
        raise UsageError("--label-probability goes without --weights: both weigh items.")
    weights = source.weights if probability is None else probability
    columns = replace(source, true=flags.judge, pred=(*source.pred, source.true), weights=weights)
    loaded = systems_from(columns)
    return replace(loaded, data=JudgedSample(loaded.data, designed=probability is not None))


def named_system(name: str | None, systems: Sequence[str]) -> str | None:
    """A system by its name, or by the file that it came from."""
    names = () if name is None else (name, Path(name).name, Path(name).stem)
    return next((n for n in names if n in systems), name)


def two_systems(source: SourceOptions) -> LoadedData[Any]:
    """An old system and a new one, which may be one file or column by both names."""
    if not source.files:
        raise UsageError("Expected GOLD OLD NEW, or one file with --true and --pred.")
    loaded = compared_from(source)
    refuse_few(loaded.data.systems, loaded.failed)
    if len(loaded.data.systems) != 2:
        raise UsageError(f"Expected two systems, OLD and NEW, got {shown(loaded.data.systems)}.")
    return loaded


def compared_from(source: SourceOptions) -> LoadedData[Any]:
    """Systems to hold against each other: two may be one file or column by both names."""
    files = len(source.files) > 1
    systems = source.files[1:] if files else source.pred
    if len(systems) != 2 or not (systems[0] == systems[1] or same_file(*systems)):
        return systems_from(source, soft=True)
    once = replace(source, files=source.files[:2]) if files else replace(source, pred=systems[:1])
    loaded = systems_from(once, soft=True)
    return replace(loaded, data=loaded.data.doubled("(again)"))


def same_file(one: str, other: str) -> bool:
    """Whether two names are of one file."""
    return os.path.exists(one) and os.path.exists(other) and os.path.samefile(one, other)


def whole_only(source: SourceOptions, command: str, metric: str) -> None:
    """Some answers are of one table: what slices have of it, score says."""
    if source.by:
        raise UsageError(
            f"{command} looks at all items together: leave out --by; of slices the same is "
            f"evenhand score … --by {source.by[0]} --metric {metric}."
        )


# Leaderboards: the systems to rank, and their ranking.


def ranked(loaded: LoadedData[Any], source: SourceOptions, flags: Flags) -> Leaderboard:
    """The leaderboard, with a note on every system left out."""
    from evenhand.ranking.rank import rank

    arguments = flags.arguments(loaded.data, RankOptions)
    draws = (1 + len(loaded.data.slices)) * flags.replicates
    with progress("bootstrap", draws) as advance:
        board = rank(loaded.data, progress=advance, runs=loaded.runs or source.run, **arguments)
    return board.noted(*loaded.notes, *left_out(loaded.failed))


def left_out(failed: Mapping[str, EvenhandError]) -> list[ResultWarning]:
    """A warning for each file left out, in the words of the command line."""
    return [LeftOut(name, error.message(spelled)) for name, error in failed.items()]


def entries_from(source: SourceOptions) -> LoadedData[Any]:
    """What is ranked: tables alone, or the items of the files."""
    from evenhand.ranking.runs import runs_of

    if not source.files:
        raise UsageError("Expected GOLD PRED…, one file with columns, or --tables.")
    if source.tables or (len(source.files) == 1 and is_saved(source.files[0])):
        if source.of_columns:
            raise UsageError("Tables have no columns to choose.")
        refuse_dropping(source)
        with Scratch() as scratch:
            return _tables(source, files_of(source.files, scratch))
    if source.run and "{" not in source.run and not source.system:
        raise UsageError(
            f"--run {source.run} names a column of a file with --system; for names of systems "
            "give a pattern such as '{system}-{run}'."
        )
    loaded = systems_from(source, soft=True)
    systems = runs_of(loaded.data.systems, loaded.runs or source.run).systems
    _check_several(systems, loaded.failed)
    return loaded


def sets_from(source: SourceOptions, sets: Sequence[tuple[str, str, str]]) -> LoadedData[Any]:
    """Several data sets, each of GOLD and the runs on it, as slices of all their items."""
    if source.files or source.by or source.tables:
        raise UsageError("--set takes the place of files, --by and --tables.")
    names = [name for name, _, _ in sets]
    if len(set(names)) < len(names):
        raise UsageError(f"A data set must be named once, got {shown(names)}.")
    loaded = {}
    for name, gold, runs in sets:
        files = (gold, *(path for path in runs_in(runs) if not same_file(path, gold)))
        loaded[name] = entries_from(deciding(replace(source, files=files)))
    data = Sample.from_sets({name: part.data for name, part in loaded.items()})
    notes = dict.fromkeys(note for part in loaded.values() for note in part.notes)
    failed = {f"{name}: {at}": e for name, part in loaded.items() for at, e in part.failed.items()}
    first = next(iter(loaded.values()))
    return LoadedData(data, tuple(notes), first.runs, failed)


def runs_in(place: str) -> list[str]:
    """The files of a folder or of a pattern, in the order of their names."""
    pattern = os.path.join(escape(place), "*") if os.path.isdir(place) else place
    files = sorted(filter(os.path.isfile, glob(pattern)))
    if not files:
        raise InputError(f"{place} must be a folder, a pattern or a file of runs, and is none")
    return files


def _check_several(systems: Sequence[Any], failed: Mapping[str, InputError]) -> None:
    refuse_few(systems, failed)
    if len(systems) < 2:
        raise UsageError(f"Expected at least two systems to rank, got {shown(systems)}.")


def _tables(source: SourceOptions, files: Sequence[InputFile]) -> LoadedData[Any]:
    """Saved stacks as they are; saved single tables and matrices under their files' names."""
    tables, failed = dict[Any, Confusion](), dict[str, InputError]()
    notes: list[ResultWarning] = []
    for member, name in zip(files, system_names(files), strict=True):
        try:
            table, more = _renamed_table(member, source)
        except InputError as e:
            if not source.keep_going:
                raise
            failed[name] = e
            continue
        if table.axes[:1] == ("slice",) and not source.tables:
            raise InputError(
                f"{member.name} holds slices ({shown(table.keys[0])}), which score takes; if they "
                "are systems, say so with --tables"
            )
        notes += more
        parts = dict(zip(table.keys[0], table, strict=True)) if table.shape else {name: table}
        if twice := [k for k in parts if k in tables]:
            at = f"{shown(twice)} again in {member.name}"
            raise InputError(f"a system must be named once, got {at}")
        tables |= parts
    _check_several(list(tables), failed)
    return LoadedData(Confusion.stack(tables), tuple(notes), failed=failed)


def _renamed_table(file: InputFile, source: SourceOptions) -> tuple[Confusion, list[ResultWarning]]:
    """A matrix, whose rows the labels name, or a saved table, which has them after renaming."""
    path = str(file.path or file.name)
    return saved_table(path, file.name, source) if is_saved(path) else matrix_from(path, source)


def table_from(path: str, source: SourceOptions) -> Confusion:
    """A table in a file, saved or a matrix."""
    return _renamed_table(InputFile(path), source)[0]


def not_by_rates(_: Any, option: Any, value: str | None) -> None:
    """Refuse a judge's table where systems are compared."""
    from evenhand.inference.prediction_powered import BY_RATES

    if value is not None:
        raise InputError(BY_RATES.format("--judge-table", "--judge"))


# Options that say what is read, gathered into ``SourceOptions``.


MARK = options.NamedParam("separator")
listed = {"callback": lambda *arguments: options.label_list(arguments[-1])}
ranged: dict[str, Any] = {"callback": lambda *arguments: options.number_pair(arguments[-1])}
layout = options.declared(LayoutOptions)
labels = option("--labels", "The classes, in this order.", "A,B,…", **listed)
_labels = together(
    column("--true", "Column of the true labels, by name or number (from 1)."),
    column("--pred", "Column of a system's predictions (repeatable).", multiple=True),
    column("--label", "Column of the labels in all files."),
    column(
        "--probabilities",
        "Columns of class probabilities: by name, by how they begin, or one of lists or scores.",
        metavar="A,B,…|PREFIX|COL",
    ),
    column("--score", "Column of grades from 0 to 1 in the place of labels.", multiple=True),
    option("--score-range", "Where grades of --score lie, if not in 0,1.", "LOW,HIGH", **ranged),
    option("--decide", "How probabilities become labels.", "argmax|LABEL=THRESHOLD"),
    layout,
    labels,
    file("--map mapping", "Rename or merge labels: OLD,NEW lines."),
    flag("--ignore-case", "Take labels that differ in case for one."),
    option("--kind", "What lists of labels are.", type=WordParam(["multi-label", "tokens"])),
    option(
        "--separator", "What stands between the labels of an item, e.g. '|'.", "MARK", type=MARK
    ),
)
_logs = together(
    option("--scorer", "Of logs of evaluations: the scorer or metric that grades.", "NAME"),
    option("--filter", "Of logs of lm-evaluation-harness: the filter.", "NAME"),
    flag("--no-examples", "Of logs: do not show answers that are no label."),
)
of_items = partial(column, group="Items")
_items = together(
    of_items("--id", "Column of item ids, to match files  [default: found]"),
    flag("--by-row", "Match items by row, though the files have ids.", group="Items"),
    of_items("--sample", "Column that numbers several answers to one item."),
    choice("--missing", ("error", "wrong"), "What to do with a missing prediction.", group="Items"),
    flag("--drop-null-truth", "Leave out rows without a true label.", group="Items"),
    of_items("--weights", "Column of item weights."),
    of_items("--cluster", "Column of what items share: document, author, user."),
    of_items("--by", "Also score the items of each value of COL (repeatable).", multiple=True),
)
_matrix = together(
    file("--matrix", 'A confusion table: "6 1 1; 1 5 2; 2 3 7" or a file.', metavar="TEXT|FILE"),
    choice("--rows", ("true", "pred"), "What the rows of the matrix are."),
)
_several_files = (
    column("--system", "Column that names the system (one row per item and system)."),
    flag("--keep-going", "Leave out files that do not fit, and end with exit code 1."),
)
_positive = "The positive class, which --metric recall and scores are of."
_scores = option("--positive positive_class", _positive, "LABEL")
_ranked = together(
    options.declared(RankOptions, "by_metric"),
    column(
        "--run",
        "Training runs: a column, or a pattern of names such as '{system}-{run}'.",
        metavar="COL|PATTERN",
    ),
    flag("--tables", "The files are tables: saved ones, or matrices."),
)
judged = together(
    column("--judge", "A judge's labels of all items; --true has some humans'."),
    column("--label-probability", "With --judge: of getting a human label."),
)
_table = {"type": options.FILE, "expose_value": False, "callback": not_by_rates}
judged_pairs = together(
    judged,
    option("--judge-table", "For score only: it allows no paired test.", "FILE", **_table),
)
submitted = together(_labels, _logs, _items)
one = together(submitted, _matrix)
several = together(*_several_files, submitted, _scores)
sources_ranked = together(_ranked, several)
planned = together(*_several_files, submitted, _matrix)
reported = together(sources_ranked, _matrix)

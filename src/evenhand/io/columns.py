"""Columns: which hold labels, ids and systems, by name, by number or by their values."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, islice, permutations, product
from math import prod
from typing import Any, NamedTuple

from evenhand.data.factorize import escape_column
from evenhand.data.labels import folded, read_as
from evenhand.data.matching import (
    AS_THEY_STAND,
    BY_ROW,
    EVERY_ROW,
    FEW_ROWS,
    Match,
    Side,
    compared,
    is_id_name,
    is_shuffled_counter,
    match,
    match_commands,
    names_count,
    names_item,
)
from evenhand.data.roles import (
    EPOCH,
    FIRST_ROWS,
    ID,
    PRED,
    SAMPLE,
    TRUE,
    ColumnProfile,
    first_profiles,
    infer,
    interleaved,
    labels_of,
    may_repeat,
    names_labels,
    names_predictions,
    names_role,
    names_sureness,
    names_truth,
    other_tasks,
    repeated_items,
    repeating_columns,
    role_by_name,
    with_rivals,
    within,
)
from evenhand.errors import Command, InputError, Option, nearest, shown
from evenhand.io.delimited import TextLayout
from evenhand.io.json import inner_fields, path_to, value_at
from evenhand.io.sources import LINE, Source, height
from evenhand.text import counted
from evenhand.warnings import (
    ColumnByCase,
    ColumnByNumber,
    ColumnsTaken,
    IdsUnused,
    InferredColumn,
    MatchedById,
    MatchedByRow,
    ResultWarning,
    TruthDiffers,
)


@dataclass(frozen=True)
class ReadOptions:
    """Files of labels: the truth and a file for each system, or one file with columns.

    ``pred`` names a column of predictions for each system; ``label`` is the column that holds
    the labels in every file. ``weights``, ``cluster`` and ``by`` (slices) are columns beside the
    truth. Items of several files match by ``id``, or by ids that they share, else by line, which
    ``by_row`` insists on; one file may have a row for each item and ``system``, and ``run`` or
    ``sample``. ``mapping`` is a file of new names for labels. Lists are of
    a ``kind``: sets of labels, or sequences of tokens; ``separator`` parts text into lists.
    ``probabilities`` names the columns of a system that gives one for each class, or the one of the
    ``positive_class`` of two; ``decide`` is how they become labels, if they are to: ``argmax``, or
    ``LABEL=THRESHOLD``. Columns may be numbers, counted from 1; with ``no_header`` they have no
    other names. ``score`` are columns of grades in the place of labels, a system each, or each
    file's one, and ``score_range`` is from where to where they go, if not from 0 to 1. ``scorer``
    and ``filter`` are those of logs of evaluations, whose answers that are no label are shown
    unless ``no_examples``.
    """

    files: tuple[str, ...] = ()
    true: str | None = None
    pred: tuple[str, ...] = ()
    label: str | None = None
    id: str | None = None
    by_row: bool = False
    missing: str = "error"
    drop_null_truth: bool = False
    weights: str | None = None
    by: tuple[str, ...] = ()
    cluster: str | None = None
    labels: tuple[str, ...] | None = None
    mapping: str | None = None
    ignore_case: bool = False
    system: str | None = None
    run: str | None = None
    sample: str | None = None
    keep_going: bool = False
    kind: str | None = None
    separator: str | None = None
    probabilities: str | None = None
    positive_class: str | None = None
    decide: str | None = None
    no_header: bool = False
    delimiter: str | None = None
    encoding: str | None = None
    score: tuple[str, ...] = ()
    score_range: tuple[float, float] | None = None
    scorer: str | None = None
    filter: str | None = None
    no_examples: bool = False

    @property
    def truth(self) -> str | None:
        """The column of the truth in a file of its own, if it has been named."""
        return self.true or self.label

    @property
    def guess(self) -> str | None:
        """The column of the predictions in a file of their own, if it has been named."""
        return next(iter(self.pred), None) or self.label

    @property
    def layout(self) -> TextLayout:
        """How the text of the files lies in them, where that is set."""
        return TextLayout(False if self.no_header else None, self.delimiter, self.encoding)

    @property
    def names(self) -> list[str]:
        """The columns that are named."""
        labels = (self.true, *self.pred, self.label, *self.score)
        columns = (*labels, self.id, self.system, self.run, self.sample, *self.covariates)
        return [name for name in columns if name is not None]

    @property
    def covariates(self) -> list[str]:
        """The columns of weights, clusters and slices, which are in the file of the truth."""
        names = (self.weights, self.cluster, *self.by)
        return list(dict.fromkeys(c for c in names if c is not None))

    @property
    def of_columns(self) -> bool:
        """Whether any option is one of columns, which tables and matrices do not have."""
        columns = {*self.names} - {self.run}
        return bool(columns or self.probabilities or self.kind or self.separator)

    @property
    def renames(self) -> bool:
        """Whether labels get other names once they are counted."""
        return self.mapping is not None or self.ignore_case

    def labels_as(self, kind: str) -> Iterable[Any] | None:
        """The classes to expect, given as text, as labels of a kind; with case ignored, small."""
        if self.labels is None:
            return None
        small = self.ignore_case and kind == "str"
        return read_as([v.casefold() if small else v for v in self.labels], kind)


# Columns of one file, by name or by number.


class SelectedColumns(NamedTuple):
    """Columns by the names that a user gives, with their names in the file."""

    frame: Any
    called: Mapping[str, str]

    def expr(self, column: str, alias: str | None = None) -> Any:
        """A column, under another name or the one that the user gives."""
        import polars as pl

        return pl.col(escape_column(self.called[column])).alias(column if alias is None else alias)


def find_columns(source: Source, columns: Sequence[str]) -> SelectedColumns:
    """Columns of a file by name, or by number if none is called so.

    A field inside a column has the names of both: ``doc.category``.
    """
    frame, schema = source.frame, source.schema
    called = {c: name for c in columns if (name := name_in(source, c)) is not None}
    inner = {c: path for c in called.values() if c not in schema and (path := path_to(c, schema))}
    frame = frame.with_columns(value_at(path).alias(c) for c, path in inner.items())
    if source.is_json:
        fields = source.json_type.fields
        names = [called.get(c, c) for c in columns]
        source.json_type.refuse(source.name, [path for c in names if (path := path_to(c, fields))])
    absent = [c for c in dict.fromkeys(columns) if c not in called]
    if absent:
        near = nearest(absent[0], schema)
        raise columns_of(source, schema, f", expected {shown(absent)} too{near}")
    refuse_twice(source, columns, list(schema))
    for c, name in called.items():
        if _spelled(c) != _spelled(name):
            source.notes.append(ColumnByNumber(c, name))
        elif c != name:
            source.notes.append(ColumnByCase(source.name, c, name))
    return SelectedColumns(frame, called)


def refuse_twice(source: Source, columns: Iterable[str], schema: Sequence[str]) -> None:
    """Refuse a name that two columns have."""
    known = set(schema)
    twice = [c for c in columns if {c, f"{c}_duplicated_0"} <= known]
    if twice:
        raise InputError(f"{source.name} has more than one column called {shown(twice)}")


def name_in(source: Source, column: str) -> str | None:
    """The name of a column in the file: the same, another in case, or that of its number."""
    if path_to(column, source.schema):
        return column
    names: list[str] = list(source.schema)
    spellings = [c for c in names if _spelled(c) == _spelled(column)]
    if len(spellings) == 1:
        return spellings[0]
    number = int(column) if column.isascii() and column.isdecimal() and len(column) < 10 else 0
    in_order = source.has_columns and not source.is_json
    return names[number - 1] if in_order and 0 < number <= len(names) else None


def _spelled(name: str) -> str:
    """A column's name in lower case, one space between its words and none around them."""
    return " ".join(re.split(r"[\s_]+", unicodedata.normalize("NFKC", name).casefold())).strip()


def columns_of(source: Source, names: Iterable[str], *advice: str | Option | Command) -> InputError:
    """An error with the columns of a file."""
    names = list(names)
    if source.is_json and len(names) > 2 and all(c.missing == c.rows - 1 for c in source.profiles):
        return InputError(
            f"{source.name} has one field in every row, each time of another name "
            f"({shown(names)}): expected fields of the same names, such as id and label"
        )
    kind = "one column" if len(names) == 1 else "columns"
    return InputError(f"{source.name} has {kind} {shown(names, 12)}", *advice)


def which_columns(source: Source, *options: str) -> InputError:
    """The error that a file does not show which of its columns hold labels."""
    return columns_of(source, source.schema, ": say which with ", *named_options(*options))


def named_options(*names: str) -> list[str | Option]:
    """Options in a row, for a message."""
    return [part for name in names for part in (" and ", Option(name))][1:]


def commands(
    options: Sequence[str], choices: Iterable[Sequence[str | None]]
) -> Iterator[str | Command]:
    """Up to four commands that give options one of several values each, for an error."""
    for i, values in enumerate(islice(choices, 4)):
        yield " or " if i else ": say which with "
        yield Command(tuple(Option(n, v or "") for n, v in zip(options, values, strict=True)))


# The columns of one file that has truth and predictions.


def infer_columns(
    options: ReadOptions, source: Source, *, several: bool
) -> tuple[ReadOptions, tuple[ResultWarning, ...]]:
    """The options with the columns of one file that they do not name, where one choice fits.

    Rows of several systems, or several of one item, are refused: they are no items of their own.
    """
    if not source.has_columns or options.label is not None:
        return options, ()
    inferred = _infer_labels(options, source, several)
    if not options.by_row:
        inferred = _refuse_repeated(options, inferred, source, several)
        _refuse_copied_rows(inferred, source)
    columns = [(inferred.true, TRUE), (inferred.id, ID), *((c, PRED) for c in inferred.pred)]
    new = [(c, role) for c, role in columns if c and c not in options.names]
    choices = tuple(InferredColumn(source.name, c, role) for c, role in new)
    return inferred, (ColumnsTaken(choices),) if choices else ()


def _infer_labels(options: ReadOptions, source: Source, several: bool) -> ReadOptions:
    """The options with the columns of truth and predictions."""
    soft = options.probabilities is not None
    no_pred = soft or (several and not options.system)  # all other columns are systems
    if options.true and (options.pred or no_pred):
        return options
    columns = _free(options, source)
    if options.true or options.pred:
        name = name_in(source, options.true or options.pred[0])
        known = next((c.values for c in columns if c.name == name), None)
        others = labels_of([c for c in columns if c.name != name], known, truth=not options.true)
        pairs = [(options.true or c.name, next(iter(options.pred), c.name)) for c in others]
    else:
        roles = infer(columns)
        known = next((c.values for c in roles.columns if c.role == TRUE), None)
        guesses = labels_of([c for c in roles.columns if c.role == PRED], known, truth=False)
        pairs = [(t, c.name) for t in roles.with_role(TRUE) for c in guesses]
        if roles.unsure:
            names = [c.name for c in guesses]
            pairs += [(t, p) for t in roles.with_role(PRED) if t not in names for p in names]
            pairs += [(p, t) for t, p in pairs]
        elif not (pairs or no_pred):
            free = [c for c in columns if c.values is not None and not role_by_name(c)]
            sharing = [{a, b} for a, b in combinations(free, 2) if within(a, b.values)]
            pairs = [(a.name, b.name) for a, b in permutations(free, 2) if {a, b} in sharing]
        elif no_pred:
            pairs = pairs[:1] or [(c.name, "") for c in labels_of(columns, truth=True)]
    if len(pairs) == 1:
        true, pred = pairs[0]
        own = options.pred if options.pred or no_pred else (pred,)
        return replace(options, true=true, pred=own)
    body = source.rows[1:] if source.has_header else []
    flags = [[v.isdecimal() for v in row] for row in body]
    if len(body) > 1 and all(f == [False] + [True] * len(body) for f in flags):
        matrix = Option("matrix", source.name)
        raise InputError(f"{source.name} looks like a confusion matrix: give it with ", matrix)
    strength = {c.name: c.truth_name - c.guess_name for c in source.profiles}
    pairs.sort(key=lambda pair: strength.get(pair[1], 0) - strength.get(pair[0], 0))
    sides = [i for i, value in enumerate((options.true, options.pred or no_pred)) if not value]
    choices = dict.fromkeys(tuple(pair[i] for i in sides) for pair in pairs or [("", "")])
    raise columns_of(
        source, source.schema, *commands([("true", "pred")[i] for i in sides], choices)
    )


def _refuse_repeated(
    options: ReadOptions, inferred: ReadOptions, source: Source, several: bool
) -> ReadOptions:
    """The options with the ids of a long file, unless rows are no items of their own.

    Only columns with names of systems or ids can show that; they are counted over all rows.
    """
    used = {name_in(source, c) for c in inferred.names if c != inferred.id}
    truth = name_in(source, str(inferred.true))
    names = may_repeat(c for c in source.schema if c not in used)
    if truth is None or not names:
        return inferred
    frame = find_columns(source, [truth]).frame
    frame = frame.select(map(escape_column, dict.fromkeys([*names, truth])))
    columns, known = repeating_columns(frame, truth, names)
    if inferred.system is not None:
        ids = [c.name for c in columns if role_by_name(c) == ID]
        return replace(inferred, id=ids[0]) if len(ids) == 1 and not inferred.id else inferred
    clustered = inferred.cluster is not None or inferred.sample is not None
    for c in columns:
        if is_id_name(c.name) and 0 < c.missing < c.rows == c.distinct + c.missing:
            raise InputError(
                f"{source.name}, column {c.name!r}: {counted(c.missing, 'row')} without an id"
            )
    repeated = repeated_items(columns, known, clustered=clustered)
    if repeated is None:
        return inferred
    system = repeated.system
    if system is not None and not inferred.pred:
        inferred = _infer_labels(replace(inferred, system=system.name), source, several)
    labels = [Option("true", str(inferred.true)), *(Option("pred", c) for c in inferred.pred)]
    advice = [o for o in (*labels, *repeated.options) if not getattr(options, o.name)]
    command = Command(tuple(advice), "rank" if system is not None and not several else "")
    text = f"{source.name} has {repeated}: "
    raise InputError(text, command, *EVERY_ROW)


def _refuse_copied_rows(options: ReadOptions, source: Source) -> None:
    """Refuse items that all come equally often, with one truth each: copies, or several systems."""
    import polars as pl

    truth, schema = str(name_in(source, str(options.true))), source.schema
    if truth not in schema or options.cluster or options.sample or options.system:
        return
    used = {truth, *(name_in(source, c) for c in (*options.pred, *options.by))}
    free = [c for c in source.profiles if c.name not in used]
    others = [c for c in source.profiles if c.name in used or not names_count(c.name)]
    is_small = prod(c.distinct for c in others) <= 2 * others[0].rows or len(others) == 2
    is_flat = is_small and all(c.values and not c.is_key for c in others)
    if len(others) + 1 == len(source.profiles) and is_flat and not options.weights:
        rows = source.frame.select(escape_column(c.name) for c in others).collect()
        if len(rows) > 2 and rows.is_unique().all():
            (number,) = {c.name for c in free} - {c.name for c in others}
            raise InputError(
                f"{source.name} has every pair of labels once, with a number in {number!r}: "
                "give counts as a matrix, with ",
                Option("matrix", "FILE"),
            )
    for c in free:
        if {"train", "test"} <= {v.casefold() for v in c.values or ()}:
            by = Command((Option("by", c.name),))
            text = f"{source.name} has items to train on and to test on, by {c.name!r}: "
            raise InputError(text, by, *EVERY_ROW)
    keys = [c for c in free if c.rows >= 10 and c.is_key and c.type not in ("lists", "objects")]
    for one, other in combinations([c.name for c in keys], 2):
        differ, same = compared(source.frame, source.frame, None, one, other)
        if differ and same:
            raise InputError(
                f"{source.name} has the ids of {one!r} in {other!r} in another order: two tables "
                "stand side by side; give each in a file of its own"
            )
    few = [c.name for c in free if c.values]
    if few and (system := interleaved(source.frame, truth, few)):
        labels = [Option("true", truth), *(Option("pred", c) for c in options.pred)]
        text = f"{source.name} has the values of {system!r} in turn, each time with one truth: "
        raise InputError(text, Command((*labels, Option("system", system)), "rank"), *EVERY_ROW)
    for text in (c for c in schema if c not in used and names_item(c)):
        item, label = pl.col(escape_column(text)), pl.col(escape_column(truth))
        groups = source.frame.head(FIRST_ROWS).group_by(item.alias("item"))
        counts = groups.agg(rows=pl.len(), labels=label.n_unique()).collect()
        times, rows = counts["rows"].min(), counts["rows"].sum()
        if len(counts) >= 10 and {times} == {*counts["rows"]} - {1} and counts["labels"].max() == 1:
            size = f"{times} times ({len(counts):,} in {rows:,} rows)"
            cluster = Command((Option("cluster", text),))
            raise InputError(f"{source.name} has every {text!r} {size}: ", cluster, *EVERY_ROW)


# The columns of a file of truth and of those of predictions.


class FileColumns:
    """The columns of labels and ids in a file of truth and in those of predictions.

    ``labels`` and ``ids`` are those of each file, that of the truth first.
    """

    def __init__(self, options: ReadOptions, gold: Source, runs: Sequence[Source]) -> None:
        self.options, self.gold, self.runs, self.files = options, gold, runs, [gold, *runs]
        self.labels = self._find_labels()
        self._refuse_swapped()
        self.matches: dict[int, Match] = {}
        self.ids = self._find_ids()
        self._refuse_two_tasks()
        named = [options.truth, *[options.guess] * len(runs)]
        inferred = tuple(
            InferredColumn(source.name, label, TRUE if source is gold else PRED)
            for source, label, name in zip(self.files, self.labels, named, strict=True)
            if label is not None and not (name and name_in(source, name))
        )
        columns = (ColumnsTaken(inferred),) if inferred else ()
        self.notes = (*columns, *self._match_notes(), *self._truth_copies())

    def _compared(self, i: int, column: str, other: str) -> tuple[int, bool]:
        """On how many rows columns of the truth and of a run differ, and if they do in all."""
        keys = (str(self.ids[0]), str(self.ids[i])) if self.ids[0] and self.ids[i] else None
        in_order = i in self.matches and self.matches[i].in_order
        gold, run = self.gold.frame, self.files[i].frame
        return compared(gold, run, None if in_order else keys, column, other)

    @property
    def same_rows(self) -> bool:
        """Whether all files have the ids in the same order, so that rows match as they stand."""
        return bool(self.matches) and all(m.in_order for m in self.matches.values())

    def _find_labels(self) -> list[str | None]:
        """The column of labels of each file; all that are not certain are one error."""
        soft, truths = self.options.probabilities is not None, self._truth_candidates()
        preds = [[None] if soft else self._pred_candidates(run, truths) for run in self.runs]
        if any(len(columns) != 1 for columns in (truths, *preds)):
            raise self._ambiguous([truths, *preds])
        return [columns[0] for columns in (truths, *preds)]

    def _refuse_swapped(self) -> None:
        """Refuse a first file whose column is named as predictions, before one named as truth."""
        options, (first, *others) = self.options, map(str, self.labels)
        named = options.truth or options.guess or not self.gold.has_columns or names_truth(first)
        if named or not names_predictions(first):
            return
        for file, label in zip(options.files[1:], others, strict=False):
            if names_truth(label):
                raise InputError(
                    f"the truth comes first, and {self.gold.name} has {first!r}, {file} "
                    f"{label!r}: ",
                    Command((), first=(file, options.files[0])),
                    "; else ",
                    Command((Option("true", first), Option("pred", label))),
                )

    def _truth_candidates(self) -> Sequence[str | None]:
        """The columns that may hold the truth; ``None`` for a file of lines.

        Where names do not tell, they are the columns that share labels with runs, those of one name
        first: a ``topic`` in numbers may share the labels of a ``stance``, which is the truth where
        runs have a column called so.
        """
        options, gold = self.options, self.gold
        if not gold.has_columns and options.label and any(run.has_columns for run in self.runs):
            return [None]
        if options.truth is not None or not gold.has_columns:
            return [options.truth]
        columns = _free(options, gold)
        fits = labels_of(columns, truth=True) or labels_of(_inner(gold), truth=True)
        if options.probabilities is not None:
            return [c.name for c in fits]
        guesses = [c for run in self.runs for c in labels_of(_free(options, run), truth=False)]
        labels = frozenset[str]().union(*(c.values or () for c in guesses))
        if any(c.truth_name > 1 and "annotator" not in c.name.lower() for c in fits):
            fits = [c for c in fits if within(c, labels)] or fits
        else:
            free = [c for c in columns if role_by_name(c) == "" and c.distinct > 1]
            shared = [c for c in free if within(c, labels)]
            shared = [c for c in shared if not names_predictions(c.name)] or shared
            names = {folded(c.name) for c in guesses}
            fits = [c for c in shared if folded(c.name) in names] or shared or fits
        names = {folded(c.name) for c in fits}
        task = next((c.name for c in guesses if folded(c.name) in names), "")
        return [c.name for c in with_rivals(fits, columns, labels, task)]

    def _pred_candidates(self, run: Source, truths: Sequence[str | None]) -> Sequence[str | None]:
        """The columns that may hold predictions: as named, else those that share labels."""
        options, name, alone = self.options, self.options.guess, len(self.options.files) == 2
        if not run.has_columns and self.gold.has_columns and (options.label or not alone):
            return [None]
        if not run.has_columns or (options.pred and alone) or (name and name_in(run, name)):
            return [name]
        columns, known = _free(options, run), self._labels_in(truths)
        fits = labels_of(columns, known, truth=False) or labels_of(_inner(run), known, truth=False)
        if name is None and truths:
            fits = with_rivals(fits, columns, known, str(truths[0]))
        return [c.name for c in fits or labels_of(columns, truth=False)]

    def _labels_in(self, truths: Sequence[str | None]) -> frozenset[str] | None:
        """The labels of the truth, if they are few."""
        gold = self.gold
        names = {c and name_in(gold, c) for c in truths}
        fits = [c for c in gold.profiles if c.name in names or not gold.has_columns]
        fits = fits or [c for c in _inner(gold) if c.name in names]
        values = [c.values for c in fits if c.values is not None]
        return frozenset().union(*values) if values else None

    def _ambiguous(self, candidates: Sequence[Sequence[str | None]]) -> InputError:
        """One error for all columns that are not known, with the commands that name them."""
        options, files = self.options, self.files
        at = next(i for i, columns in enumerate(candidates) if len(columns) != 1)
        names = ["true"] * (options.truth is None and files[0].has_columns)
        names += ["pred"] * (options.guess is None or not files[0].has_columns)
        sides = {"true": candidates[0], "pred": candidates[at or 1]}
        schema = files[at].schema
        labels = self._labels_in(candidates[0]) if at and files[at].has_names else None
        if soft := _probability_columns(schema, labels or frozenset()):
            names = [*(name for name in names if name == "true"), "probabilities"]
            sides["probabilities"] = [soft]
        choices = list(product(*(sides[name] or [""] for name in names)))
        same = [c for c in choices if len(c) == 2 and c[0] == c[1]]
        return columns_of(files[at], schema, *commands(names, choices if len(same) < 2 else same))

    def _find_ids(self) -> list[str | None]:
        """The column of ids of each file, ``None`` where items match by row."""
        options, gold = self.options, self.gold
        if options.id is not None and all(name_in(s, options.id) for s in self.files):
            return [options.id] * len(self.files)
        left, *others = (
            _side(options, source, label) if source.has_columns else None
            for source, label in zip(self.files, self.labels, strict=True)
        )
        if not options.by_row and not options.id and (left is None or not left.columns):
            for run_side in filter(None, others):
                _refuse_numbered(gold.name, run_side)
                _refuse_sorted(gold.name, run_side)
        if options.by_row or left is None:
            return [options.id] * len(self.files)
        if options.truth and options.truth == options.guess:
            tasks = other_tasks(gold.profiles, str(name_in(gold, options.truth)))
            left = left._replace(tasks=[c.name for c in tasks])
        if options.id is not None and (name := name_in(gold, options.id)):
            left = left._replace(columns=[name])
        for i, side in enumerate(others, 1):
            if side is not None and (m := match(left, side, is_told=options.id is not None)):
                self.matches[i] = m
            elif side is not None:
                _refuse_sorted(gold.name, side)
        columns = list(dict.fromkeys(m.left for m in self.matches.values()))
        if options.id is None and len(columns) > 1:
            text = f"files share ids with {gold.name} in different columns"
            raise InputError(text, *commands(["id"], zip(columns, strict=True)))
        ids = [options.id or next(iter(columns), None)]
        for i, run in enumerate(self.runs, 1):
            own = options.id if len(run.schema) > 1 else None  # else labels alone
            ids.append(self.matches[i].right if i in self.matches else own)
        return ids

    def _refuse_two_tasks(self) -> None:
        """Refuse a run that has labels of its own in a second column of the truth's names."""
        options, gold, true = self.options, self.gold, str(self.labels[0])
        if options.truth or options.guess or not gold.has_columns or names_truth(true):
            return
        others = other_tasks(_free(options, gold), true)
        for i, run in enumerate(self.runs, 1):
            if not run.has_columns or self.labels[i] != true:
                continue
            for c in other_tasks(_free(options, run), true):
                same = next((o for o in others if o.name == c.name), None)
                if same and within(c, same.values) and self._compared(i, c.name, c.name)[0]:
                    tasks = [(name, name) for name in (true, c.name)]
                    raise columns_of(gold, gold.schema, *commands(["true", "pred"], tasks))

    def _match_notes(self) -> Iterator[ResultWarning]:
        """By what the items of files are matched, if by ids or although one side has some."""
        options, gold, matches = self.options, self.gold, self.matches
        if not gold.has_columns and not options.by_row:
            keys = ((r, [c for c in _keys(r, ()) if c.is_key]) for r in self.runs)
            named = tuple(r.name for r, ids in keys if any(is_id_name(c.name) for c in ids))
            yield from [IdsUnused(named, gold.name)] * bool(named)
            return
        by_row = [r for r, column in zip(self.runs, self.ids[1:], strict=True) if column is None]
        names = [c.name for c in _keys(gold, options.names)]
        has_ids = bool(matches or names)
        if has_ids and not options.by_row:
            _refuse_other_ids(gold.name, names, {s.name: _keys(s, options.names) for s in by_row})
        if matches:
            first = next(iter(matches.values()))
            others = dict.fromkeys(m.right for m in matches.values() if m.right != first.left)
            yield MatchedById(first.left, tuple(others), first.shared)
        if by_row and has_ids and (matches or not options.by_row):
            yield MatchedByRow(tuple(run.name for run in by_row), gold.name)

    def _truth_copies(self) -> Iterator[ResultWarning]:
        """Warnings of true labels in a run that are not the truth's; the same ones are refused."""
        options, gold, ids = self.options, self.gold, self.ids
        true = name_in(gold, self.labels[0]) if self.labels[0] else LINE
        for i, run in enumerate(self.runs, 1):
            if not (run.has_columns and run.has_names):
                continue
            label = self.labels[i] and name_in(run, str(self.labels[i]))
            columns = [c.name for c in run.profiles if c.values and c.name != label]
            copies = [c for c in columns if names_truth(c) or c == true]
            for copy in copies if true in gold.schema else ():
                differ, same = self._compared(i, str(true), copy)
                if differ and same and not (options.by_row or options.id):
                    by = f" if {ids[0]!r} matches them" if ids[i] else ""
                    raise InputError(
                        f"{run.name} has the labels of {gold.name} in {copy!r}, but {differ:,} "
                        f"stand on other rows{by}: ",
                        *(match_commands(str(ids[0])) if ids[i] else [Command((BY_ROW,))]),
                    )
                if 0 < 2 * differ < height(run.frame):
                    yield TruthDiffers(run.name, copy, gold.name, differ)


def _free(options: ReadOptions, source: Source) -> list[ColumnProfile]:
    """The columns of a file that no option but those of labels names."""
    used = {*options.names, *source.partitions} - {options.true, *options.pred}
    return [c for c in source.profiles if c.name not in used]


def _inner(source: Source) -> list[ColumnProfile]:
    """What the fields inside the columns of a file hold, in its first rows."""
    inner = inner_fields(source.schema)
    fields = source.frame.select(value_at(path).alias(name) for name, path in inner.items())
    return first_profiles(fields, list(inner))


def _probability_columns(columns: Iterable[str], labels: frozenset[str]) -> str | None:
    """The value of ``probabilities`` where each label has a column of its name."""
    names = set(columns)
    prefixes = (c.removesuffix(v) for v in sorted(labels)[:1] for c in names if c.endswith(v))
    prefix = next((p for p in sorted(prefixes) if {p + v for v in labels} <= names), None)
    return ",".join(sorted(labels)) if prefix == "" else prefix


def _refuse_numbered(gold: str, run: Side) -> None:
    """Refuse a run that numbers the rows of a truth without ids, and is not in their order."""
    for column in run.columns:
        if is_shuffled_counter(run, column):
            raise InputError(
                f"{run.name} numbers its rows in {column!r}, which are not in that order, and "
                f"{gold} has no ids: sort {run.name} by {column!r}",
                *AS_THEY_STAND,
            )


def _refuse_sorted(gold: str, run: Side) -> None:
    """Refuse a run whose rows are sorted by how sure it is, which no truth can be."""
    for column in filter(names_sureness, run.columns):
        values = run.first(column).cast(float, strict=False)
        if values.n_unique() >= FEW_ROWS and (
            values.is_sorted() or values.is_sorted(descending=True)
        ):
            raise InputError(
                f"{run.name} is sorted by {column!r}, so its rows are not in the order of {gold}: "
                "bring them into it, or give both files ids",
                *AS_THEY_STAND,
            )


def _side(options: ReadOptions, source: Source, label: str | None) -> Side:
    """The columns of a file that may be ids."""
    used = {c and name_in(source, c) for c in (label, *options.covariates)} | {*source.partitions}
    inner = inner_fields(source.schema)
    frame = source.frame.with_columns(value_at(path).alias(name) for name, path in inner.items())
    free = [c for c in frame.collect_schema() if c not in used]
    columns = [c for c in free if is_id_name(c) or not names_labels(c)]
    samples = [c for c in columns if names_role(c, SAMPLE, EPOCH)]
    return Side(source.name, frame, columns, source.has_names, samples)


def _keys(source: Source, named: Collection[str]) -> list[ColumnProfile]:
    """The columns of a file that are ids by their name or their values, and nothing else."""
    columns = source.profiles if source.has_columns else ()
    free = [c for c in columns if c.name not in named and c.type not in ("lists", "objects")]
    return [c for c in free if is_id_name(c.name) or (c.is_key and not names_labels(c.name))]


def _refuse_other_ids(
    gold: str, keys: Collection[str], runs: Mapping[str, Iterable[ColumnProfile]]
) -> None:
    """Refuse runs with ids of their own that are not those of the truth.

    Numbers of rows in their order go with a truth that has no ids but texts.
    """
    for run, c in ((name, c) for name, own in runs.items() for c in own):
        text = any(re.search(r"\s|[0-9]\.[0-9]", example) for example in c.examples)
        in_order = c.examples in (("0", "1", "2"), ("1", "2", "3"))
        if in_order and not any(map(is_id_name, keys)):
            continue
        if not text or is_id_name(c.name) or c.name in keys:
            raise InputError(
                f"{run} has {c.name!r} for ids, which are not those of {gold} in "
                f"{shown(keys)}: an id must be written alike in both",
                *AS_THEY_STAND,
            )

"""Columns: which are meant, by name, by number or by what they hold."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice, product
from typing import Any, NamedTuple

from evenhand.catalogue.binding import folded
from evenhand.data.factorize import escape_column, trim, values_of
from evenhand.data.labels import read_as
from evenhand.data.matching import BY_ROW, Match, Side, is_id_name, is_shuffled_counter, match
from evenhand.data.roles import (
    EPOCH,
    FIRST_ROWS,
    ID,
    PRED,
    SAMPLE,
    TRUE,
    ColumnProfile,
    RepeatedItems,
    infer,
    labels_of,
    may_repeat,
    names_role,
    profile,
    repeated_items,
    role_by_name,
    within,
)
from evenhand.errors import Command, InputError, Option, shown
from evenhand.io.delimited import MARKS, TAB, TextLayout
from evenhand.io.json import inner_fields, path_to, value_at
from evenhand.io.sources import Source, scan, scan_typed
from evenhand.io.tabular import mixed_columns
from evenhand.warnings import (
    CellsAsText,
    ColumnByCase,
    ColumnByNumber,
    ColumnsTaken,
    HeaderLikeData,
    MatchedById,
    MatchedByRow,
    ResultWarning,
    Taken,
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
    ``probabilities`` names the columns of a system that gives one for each class; ``decide`` is
    how they become labels, if they are to: ``argmax``, or ``LABEL=THRESHOLD``. Columns may be
    numbers, counted from 1; with ``no_header`` they have no other names.
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
    decide: str | None = None
    no_header: bool = False
    delimiter: str | None = None
    encoding: str | None = None

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
        named = (self.true, *self.pred, self.label, self.id, self.system, self.run, self.sample)
        return [name for name in (*named, *self.beside) if name is not None]

    @property
    def beside(self) -> list[str]:
        """The columns that stand beside the truth."""
        named = (self.weights, self.cluster, *self.by)
        return list(dict.fromkeys(c for c in named if c is not None))

    @property
    def ids(self) -> list[str]:
        """The column by which items are matched, if there is one."""
        return [] if self.id is None else [self.id]

    @property
    def of_columns(self) -> bool:
        """Whether anything is said of columns, which tables and matrices have not."""
        return bool(
            self.true
            or self.pred
            or self.label
            or self.id
            or self.system
            or self.beside
            or self.probabilities
            or self.kind
            or self.separator
        )

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


# Columns: which ones of a file are meant, by name or by number, and what to say if it has none.

FIRST = 1000
"""Rows in which to look for a header's fields, which would make them data."""
NO_COLUMNS = "{} holds one label a line: it has no columns to name"


@dataclass(frozen=True)
class SelectedColumns:
    """Columns that were asked for: what each is called in the file, and what was guessed."""

    source: Source
    frame: Any
    called: Mapping[str, str]
    notes: tuple[ResultWarning, ...] = ()

    def expr(self, asked: str, name: str | None = None) -> Any:
        """A column, under a name of its own or as it was asked for."""
        import polars as pl

        return pl.col(escape_column(self.called[asked])).alias(asked if name is None else name)


def find_columns(source: Source, wanted: Sequence[str]) -> SelectedColumns:
    """The columns of a file that are wanted: by name, or by number if none is called so.

    The name of what is inside a column is that of the column and its own: ``doc.category``.
    """
    frame = scan(source)
    schema = frame.collect_schema()
    have = list(schema)
    inside = {c: path for c in wanted if c not in have and (path := path_to(c, schema))}
    frame = frame.with_columns(value_at(path).alias(c) for c, path in inside.items())
    called = {c: c for c in inside}
    called |= {c: place for c in wanted if (place := _place(source, have, c)) is not None}
    called = {c: called[c] for c in wanted if c in called}
    absent = [c for c in wanted if c not in called]
    if source.is_json:
        fields = source.learnt.form.fields
        places = (called.get(c, c) for c in wanted)
        source.learnt.refuse(source.name, [path for c in places if (path := path_to(c, fields))])
    if absent:
        raise columns_of(source, have, f", expected {shown(dict.fromkeys(absent))} too")
    refuse_twice(source, wanted, have)
    notes = (*_numbered(source, frame, called), *_mixed(source, frame, called))
    return SelectedColumns(source, frame, called, notes)


def refuse_twice(source: Source, columns: Iterable[str], have: Sequence[str]) -> None:
    """A name that two columns have does not say which is meant."""
    known = set(have)
    twice = [c for c in columns if {c, f"{c}_duplicated_0"} <= known]
    if twice:
        raise InputError(f"{source.name} has more than one column called {shown(twice)}")


def place_of(source: Source, column: str) -> str | None:
    """What a column is called in the file, or ``None`` if it has no such column."""
    schema = scan(source).collect_schema()
    return column if path_to(column, schema) else _place(source, list(schema), column)


def _place(source: Source, have: Sequence[str], column: str) -> str | None:
    """What a column is called in the file: that, or the same in another case, or its number."""
    if column in have:
        return column
    spellings = [c for c in have if _spelled(c) == _spelled(column)]
    if len(spellings) == 1:
        return spellings[0]
    number = int(column) if column.isascii() and column.isdecimal() and len(column) < 10 else 0
    return have[number - 1] if source.in_order and 0 < number <= len(have) else None


def _spelled(name: str) -> str:
    """A column's name in small letters, one space between its words and none around them."""
    return " ".join(re.split(r"[\s_]+", unicodedata.normalize("NFKC", name).casefold())).strip()


def _mixed(source: Source, frame: Any, called: Mapping[str, str]) -> Iterator[ResultWarning]:
    """What a reader ought to know of cells of a sheet that were no text."""
    for path, name in source.files if source.kind == "excel" else ():
        columns, header = list(dict.fromkeys(called.values())), source.has_header
        for column in mixed_columns(path, source.part, frame, columns, header=header):
            yield CellsAsText(name, column)


def _numbered(source: Source, frame: Any, called: Mapping[str, str]) -> tuple[ResultWarning, ...]:
    """What a reader ought to know of columns that were found by number, or in another case."""
    other = {c: place for c, place in called.items() if c != place}
    guessed = {c: place for c, place in other.items() if _spelled(c) != _spelled(place)}
    notes: list[ResultWarning] = [ColumnByNumber(c, place) for c, place in guessed.items()]
    notes += [ColumnByCase(source.name, c, p) for c, p in other.items() if c not in guessed]
    data = like_data(source, frame, list(dict.fromkeys(guessed.values())))
    return tuple([*notes, HeaderLikeData(source.name, tuple(data))] if data else notes)


def like_data(source: Source, frame: Any, columns: Sequence[str]) -> list[str]:
    """The names of columns that stand in their columns once more, as data would."""
    if not (source.has_header and columns):
        return []
    rows = trim(frame.select(map(escape_column, columns)).head(FIRST).collect(), columns)
    said = {c: re.sub(r"_duplicated_[0-9]+$", "", c) for c in columns}
    texts = [c for c in columns if said[c] and str(rows[c].dtype) == "String"]
    return [said[c] for c in texts if (values_of(rows, c) == said[c]).any()]


def columns_of(source: Source, have: Iterable[str], *wanted: str | Option | Command) -> InputError:
    """Which columns a file has and what is wanted, with a hint if it may be read otherwise."""
    names = list(have)
    kind = "one column" if len(names) == 1 else "columns"
    return InputError(
        f"{source.name} has {kind} {shown(names, 12)}", *wanted, *_hint(source, names)
    )


def _hint(source: Source, names: Sequence[str]) -> tuple[str | Option, ...]:
    """The option that may help: another mark between fields, or no header."""
    if source.kind in ("csv", "tsv") and len(names) == 1:
        line = names[0] if source.has_header else str(scan(source).head(1).collect().item(0, 0))
        for mark, said in MARKS.items():
            if mark in line:
                spelled = Option("delimiter", TAB if mark == "\t" else mark)
                return (f"; is it separated by {said}? ", spelled, " reads it so")
    if like_data(source, scan(source), names):
        return "; its first row looks like data: ", Option("no_header"), " numbers columns from 1"
    return ()


def which_columns(source: Source, *options: str) -> InputError:
    """What to say when a file does not tell which of its columns hold labels."""
    have = scan(source).collect_schema()
    return columns_of(source, have, ": say which with ", *named_options(*options))


def named_options(*names: str) -> list[str | Option]:
    """Options in a row, for a message."""
    return [part for name in names for part in (" and ", Option(name))][1:]


# Choosing columns: of labels and of ids, where the reading does not name them.

SHOWN = 4
"""Commands that an error shows at most."""


class Choice(NamedTuple):
    """The columns of one file: of its labels, and of its ids."""

    label: str | None = None
    id: str | None = None


@dataclass(frozen=True)
class Choices:
    """The columns of each file, the truth's first, and what was taken for what."""

    files: tuple[Choice, ...]
    notes: tuple[ResultWarning, ...] = ()
    in_order: bool = False
    """Whether all have the ids in the same order, so that rows belong together as they stand."""

    @property
    def id(self) -> str | None:
        """The column of ids in the file of the truth, if items are matched by it."""
        return self.files[0].id


def choose(reading: ReadOptions, gold: Source, runs: Sequence[Source]) -> Choices:
    """The columns of labels and ids in a file of truth and in those of predictions."""
    labels, taken = _labels(reading, gold, runs)
    ids, matches = _ids(reading, [gold, *runs], labels)
    files = tuple(Choice(label, column) for label, column in zip(labels, ids, strict=True))
    notes: tuple[ResultWarning, ...] = (ColumnsTaken(tuple(taken)),) if taken else ()
    notes += _notes(reading, [gold, *runs], ids, matches)
    in_order = bool(matches) and all(m.in_order for m in matches.values())
    return Choices(files, notes, in_order)


def _labels(
    reading: ReadOptions, gold: Source, runs: Sequence[Source]
) -> tuple[list[str | None], list[Taken]]:
    """The column of labels of each file; what fits more than one reading is asked about once."""
    candidates = [_truths(reading, gold, runs)]
    soft = reading.probabilities is not None
    for run in runs:
        candidates.append([None] if soft else _guesses(reading, run, gold, candidates[0]))
    files = (gold, *runs)
    if any(len(columns) != 1 for columns in candidates):
        raise _ambiguous(reading, files, candidates)
    labels = [columns[0] for columns in candidates]
    named = [reading.truth, *[None if soft else reading.guess] * len(runs)]
    taken = [
        Taken(source.name, label, PRED if i else TRUE)
        for i, (source, label, name) in enumerate(zip(files, labels, named, strict=True))
        if label is not None and not (name is not None and place_of(source, name))
    ]
    return labels, taken


def settle(
    reading: ReadOptions, source: Source, *, several: bool
) -> tuple[ReadOptions, tuple[ResultWarning, ...]]:
    """The reading of one file, with the columns that it does not name where one reading fits.

    Rows of several systems, or several of one item, are asked about: they are no items apart.
    """
    if not source.has_columns or reading.label is not None:
        return reading, ()
    named = _named(reading, source, several)
    if not reading.by_row:
        named = _refuse_repeated(reading, named, source, several)
    roles = {"true": TRUE, "id": ID}
    taken = [
        Taken(source.name, column, roles[name])
        for name in roles
        if (column := getattr(named, name)) and not getattr(reading, name)
    ]
    taken += [Taken(source.name, c, PRED) for c in named.pred if not reading.pred]
    return named, ((ColumnsTaken(tuple(taken)),) if taken else ())


def _named(reading: ReadOptions, source: Source, several: bool) -> ReadOptions:
    """The reading with the truth and the predictions that its file has columns of."""
    soft = reading.probabilities is not None
    wide = several and not reading.system
    if reading.true and (reading.pred or soft or wide):
        return reading
    columns = _free(reading, source)
    if reading.true or reading.pred:
        place = place_of(source, reading.true or reading.pred[0])
        known = next((c.values for c in columns if c.name == place), None)
        others = labels_of([c for c in columns if c.name != place], known, truth=not reading.true)
        pairs = [(reading.true or c.name, *(reading.pred or [c.name])) for c in others]
    else:
        roles = infer(columns)
        known = next((c.values for c in roles.columns if c.role == TRUE), None)
        guesses = labels_of([c for c in roles.columns if c.role == PRED], known, truth=False)
        pairs = [(t, c.name) for t in roles.of(TRUE) for c in guesses]
        if roles.unsure and pairs:
            pairs = [pair for t, p in pairs for pair in ((t, p), (p, t))]
        if pairs and (soft or wide) and not roles.unsure:
            pairs = pairs[:1]
    if len(pairs) == 1:
        true, *pred = pairs[0]
        return replace(reading, true=true, pred=reading.pred if soft or wide else tuple(pred))
    options = [("true", reading.true), ("pred", reading.pred or soft or wide)]
    wanted = [name for name, value in options if not value]
    values = [
        [dict(zip(("true", "pred"), pair, strict=False))[n] for n in wanted] for pair in pairs
    ]
    have = scan(source).collect_schema()
    raise columns_of(source, have, *commands(wanted, values or [[""] * len(wanted)]))


def _refuse_repeated(
    reading: ReadOptions, named: ReadOptions, source: Source, several: bool
) -> ReadOptions:
    """The reading, with the ids of a long file, unless rows are no items of their own.

    Columns that may name systems or ids tell, if there are any: their first rows are looked at.
    """
    used = {place_of(source, c) for c in named.names if c != named.id}
    place = place_of(source, str(named.true))
    names = may_repeat(c for c in scan_typed(source).collect_schema() if c not in used)
    if place is None or not names:
        return named
    frame = find_columns(source, [str(named.true)]).frame
    first = frame.select(map(escape_column, dict.fromkeys([*names, place]))).head(FIRST_ROWS)
    frame = first.collect(engine="streaming").lazy()
    columns = [profile(frame, c, i) for i, c in enumerate(names, 1)]
    if named.system is not None:
        ids = [c.name for c in columns if role_by_name(c) == ID]
        return replace(named, id=ids[0]) if len(ids) == 1 and named.id is None else named
    clustered = named.cluster is not None or named.sample is not None
    labels = profile(frame, place, 0).values or frozenset()
    repeated = repeated_items(columns, labels, clustered=clustered)
    if repeated is None:
        return named
    if repeated.system is not None and not named.pred:
        named = _named(replace(named, system=repeated.system.name), source, several)
    raise _several_rows(reading, named, source, repeated, several)


def _several_rows(
    reading: ReadOptions,
    named: ReadOptions,
    source: Source,
    repeated: RepeatedItems,
    several: bool,
) -> InputError:
    """What to say of a file with several rows an item: what repeats, and the command."""
    options = [Option("true", str(named.true))] if reading.true is None else []
    options += [Option("pred", c) for c in named.pred if not reading.pred]
    system, run = repeated.system, repeated.run
    if system is not None:
        options.append(Option("system", system.name))
    if repeated.id is not None:
        again = repeated.sample or (run if system is None else None)
        if again is not None:
            options.append(Option("sample", again.name))
        elif run is not None:
            options.append(Option("run", run.name))
        options.append(Option("cluster" if system is again is None else "id", repeated.id.name))
    options = [o for o in options if not getattr(reading, o.name)]
    return InputError(
        f"{source.name} has {repeated}: ",
        Command(tuple(options), "rank" if system is not None and not several else ""),
        "; ",
        BY_ROW,
        " takes every row for an item",
    )


def _truths(reading: ReadOptions, gold: Source, runs: Sequence[Source]) -> Sequence[str | None]:
    """The columns that may hold the truth; ``None`` for a file of lines."""
    if not gold.has_columns and reading.label and any(run.has_columns for run in runs):
        return [None]
    if reading.truth is not None or not gold.has_columns:
        return [reading.truth]
    columns = _free(reading, gold)
    fits = labels_of(columns, truth=True) or labels_of(_inner(gold), truth=True)
    if max((c.truth_name for c in fits), default=0) < 2:
        fits = _shared(reading, columns, runs) or fits
    return [c.name for c in fits]


def _shared(
    reading: ReadOptions, columns: Sequence[ColumnProfile], runs: Sequence[Source]
) -> list[ColumnProfile]:
    """The columns of truth, of no name that tells, that share labels with runs: of one name first.

    A ``topic`` in numbers may share the labels of a ``stance``, which is the truth where runs have
    a column called so.
    """
    if reading.probabilities is not None:
        return []
    guesses = [c for run in runs for c in labels_of(_free(reading, run), truth=False)]
    labels = frozenset[str]().union(*(c.values or () for c in guesses))
    free = [c for c in columns if role_by_name(c) == "" and c.distinct > 1]
    fits = [c for c in free if within(c, labels)]
    names = {folded(c.name) for c in guesses}
    return [c for c in fits if folded(c.name) in names] or fits


def _guesses(
    reading: ReadOptions, run: Source, gold: Source, truths: Sequence[str | None]
) -> Sequence[str | None]:
    """The columns that may hold predictions: as named, else those that share labels."""
    named = reading.guess
    if not run.has_columns and gold.has_columns and (reading.label or len(reading.files) > 2):
        return [None]
    if not run.has_columns or (named is not None and place_of(run, named)):
        return [named]
    if reading.pred and len(reading.files) == 2:
        return [named]
    columns = _free(reading, run)
    known = _known(gold, truths)
    fits = labels_of(columns, known, truth=False) or labels_of(_inner(run), known, truth=False)
    return [c.name for c in fits or labels_of(columns, truth=False)]


def _free(reading: ReadOptions, source: Source) -> list[ColumnProfile]:
    """The columns of a file that nothing is said of."""
    labels = {reading.true, *reading.pred}
    used = {*reading.names, *source.partitions} - labels
    return [c for c in source.profiles if c.name not in used]


def _inner(source: Source) -> list[ColumnProfile]:
    """What the fields inside the columns of a file hold, in its first rows."""
    frame = scan(source)
    inner = inner_fields(frame.collect_schema())
    values = frame.select(value_at(path).alias(name) for name, path in inner.items()).head(
        FIRST_ROWS
    )
    first = values.collect(engine="streaming").lazy() if inner else values
    return [profile(first, name, i) for i, name in enumerate(inner, 1)]


def _known(gold: Source, columns: Sequence[str | None]) -> frozenset[str] | None:
    """The labels of the truth, if they are few."""
    places = {c and place_of(gold, c) for c in columns}
    fits = [c for c in gold.profiles if c.name in places or not gold.has_columns]
    fits = fits or [c for c in _inner(gold) if c.name in places]
    values = [c.values for c in fits if c.values is not None]
    return frozenset[str]().union(*values) if values else None


def _ambiguous(
    reading: ReadOptions, files: Sequence[Source], candidates: Sequence[Sequence[str | None]]
) -> InputError:
    """One error for all columns that are not known, with the commands that name them."""
    at = next(i for i, columns in enumerate(candidates) if len(columns) != 1)
    options = ["true"] * (reading.truth is None) + ["pred"] * (reading.guess is None)
    options = options if files[0].has_columns else ["pred"]
    sides = {"true": candidates[0], "pred": candidates[at if at else 1]}
    names = [sides[option] or [""] for option in options]
    have = scan(files[at]).collect_schema()
    if (
        at
        and files[at].has_names
        and (soft := _probabilities(have, _known(files[0], candidates[0])))
    ):
        options = [*options[:-1], "probabilities"] if reading.guess is None else ["probabilities"]
        names = [*names[: len(options) - 1], [soft]]
    return columns_of(files[at], have, *commands(options, product(*names)))


def _probabilities(columns: Iterable[str], labels: frozenset[str] | None) -> str | None:
    """What says that columns hold probabilities, where each label has one that is called so."""
    have = set(columns)
    if not labels:
        return None
    if labels <= have:
        return ",".join(sorted(labels))
    one = min(labels)
    prefixes = [c.removesuffix(one) for c in have if c.endswith(one)]
    return next((p for p in sorted(prefixes) if p and {p + c for c in labels} <= have), None)


def commands(
    options: Sequence[str], choices: Iterable[Sequence[str | None]]
) -> Iterator[str | Command]:
    """The commands that give options one of several values each, for the end of an error."""
    yield ": say which with "
    for i, values in enumerate(islice(choices, SHOWN)):
        yield " or " if i else ""
        yield Command(tuple(Option(n, v or "") for n, v in zip(options, values, strict=True)))


def _ids(
    reading: ReadOptions, files: Sequence[Source], labels: Sequence[str | None]
) -> tuple[list[str | None], dict[int, Match]]:
    """The column of ids of each file, none where items are matched by row; and what matches."""
    gold, *runs = files
    if reading.id is not None and all(place_of(s, reading.id) for s in files):
        return [reading.id] * len(files), {}
    if not reading.by_row and not reading.id:
        _refuse_numbered(reading, gold, runs, labels)
    if reading.by_row or not gold.has_columns:
        return [reading.id] * len(files), {}
    left = _side(reading, gold, labels[0])
    if reading.id is not None and (place := place_of(gold, reading.id)):
        left = left._replace(columns=[place])
    found = {
        i: match(left, _side(reading, run, label), is_told=reading.id is not None)
        for i, (run, label) in enumerate(zip(runs, labels[1:], strict=True), 1)
        if run.has_columns
    }
    matches = {i: m for i, m in found.items() if m is not None}
    if reading.id is not None:
        ids: list[str | None] = [
            m.right if (m := matches.get(i)) else reading.id for i in range(len(files))
        ]
        for i, run in enumerate(runs, 1):
            if i not in matches and len(scan(run).collect_schema()) == 1:
                ids[i] = None  # labels and nothing else
        return ids, matches
    columns = list(dict.fromkeys(m.left for m in matches.values()))
    if len(columns) > 1:
        raise InputError(
            f"files share ids with {gold.name} in different columns",
            *commands(["id"], zip(columns, strict=True)),
        )
    own = [m.right if (m := matches.get(i)) else None for i in range(1, len(files))]
    return [next(iter(columns), None), *own], matches


def _refuse_numbered(
    reading: ReadOptions, gold: Source, runs: Sequence[Source], labels: Sequence[str | None]
) -> None:
    """Refuse runs that number the rows of a truth without ids, and are not in their order."""
    if gold.has_columns and len(_side(reading, gold, labels[0]).columns):
        return
    for run, label in zip(runs, labels[1:], strict=True):
        side = _side(reading, run, label) if run.has_columns else None
        for column in side.columns if side else ():
            if side and is_shuffled_counter(side, column):
                raise InputError(
                    f"{run.name} numbers its rows in {column!r}, which are not in that order, and "
                    f"{gold.name} has no ids: sort {run.name} by {column!r}; ",
                    BY_ROW,
                    " takes rows as they stand",
                )


def _side(reading: ReadOptions, source: Source, label: str | None) -> Side:
    """What of a file may be ids."""
    frame = scan(source)
    used = {c and place_of(source, c) for c in (label, *reading.beside)} | {*source.partitions}
    inner = inner_fields(frame.collect_schema())
    frame = frame.with_columns(value_at(path).alias(name) for name, path in inner.items())
    columns = [c for c in frame.collect_schema() if c not in used]
    samples = [c for c in columns if names_role(c, SAMPLE, EPOCH)]
    return Side(source.name, frame, columns, source.has_names, samples)


def _notes(
    reading: ReadOptions,
    files: Sequence[Source],
    ids: Sequence[str | None],
    matches: Mapping[int, Match],
) -> tuple[ResultWarning, ...]:
    """By what the items of files are matched, if by ids or although the truth has some."""
    by_row = tuple(file.name for file, column in zip(files[1:], ids[1:], strict=True) if not column)
    keys = (c for c in files[0].profiles if files[0].has_columns and c.name not in reading.names)
    has_ids = bool(matches) or any(c.is_key or is_id_name(c.name) for c in keys)
    in_order = (MatchedByRow(by_row, files[0].name),) if by_row and has_ids else ()
    if not matches:
        return () if reading.by_row else in_order
    first = next(iter(matches.values()))
    others = tuple(dict.fromkeys(m.right for m in matches.values() if m.right != first.left))
    return (MatchedById(first.left, others, first.shared), *in_order)

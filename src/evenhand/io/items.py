"""Items: one a row, wherever their labels stand."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from evenhand.data.cells import WEIGHTS, is_weight
from evenhand.data.confusion import Confusion
from evenhand.data.counting import (
    NullTruthError,
    count_sample,
    keys_of,
    refuse_strange,
    spelling_notes,
)
from evenhand.data.factorize import escape_column, trim, values_of
from evenhand.data.frames import ITEMS, count_frame, distinct_rows
from evenhand.data.label_sets import count_lists
from evenhand.data.labels import Label, checked, common_spellings, is_ordered, ordered, read_as
from evenhand.data.labels import kind_of as labels_kind_of
from evenhand.data.matching import as_id
from evenhand.data.multilabel import MultiLabel
from evenhand.data.probabilities import count_soft_sample
from evenhand.data.sample import Sample, SoftSample
from evenhand.errors import InputError, NoRowsError, Option, shown
from evenhand.io.columns import ReadOptions, columns_of
from evenhand.io.delimited import blocks, unreadable
from evenhand.io.matrices import read_pairs
from evenhand.io.sources import Source, height, scan
from evenhand.warnings import (
    CaseIgnored,
    FilesRead,
    LabelsRenamed,
    NoSets,
    ResultWarning,
    SamplesOfItems,
)

_UNCHECKED = ("parquet", "arrow")
"""Kinds of files whose text Polars decodes as it counts."""
_TEXTS = ("String", "Categorical", "Enum", "Binary")


@contextmanager
def explained(*sources: Source) -> Iterator[None]:
    """Turn a reader's error into one line that names the file and, for text, the place."""
    import polars as pl
    from narwhals.exceptions import NarwhalsError

    try:
        yield
    except (pl.exceptions.PolarsError, NarwhalsError, OSError, pl.exceptions.PanicException) as e:
        for source in sources:
            refuse_empty_lines(source)
            if source.is_json:
                source.learnt.refuse(source.name, [(c,) for c in source.learnt.schema])
            with suppress(pl.exceptions.PolarsError):
                _refuse_bytes(source, str(e))
        raise unreadable(" and ".join(s.name for s in sources), e) from None


def _refuse_bytes(source: Source, reason: str) -> None:
    """Columns of text must be in UTF-8; those of the first file that are not are named."""
    if source.kind not in _UNCHECKED or not _is_encoding(reason):
        return
    for path, name in source.files:
        frame = scan(replace(source, paths=(path,), names=(name,)))
        types = {c: str(dtype) for c, dtype in frame.collect_schema().items()}
        texts = [c for c, dtype in types.items() if any(text in dtype for text in _TEXTS)]
        bad = [c for c in texts if not _is_readable(frame, c)]
        # Arrow reads all dictionaries at once: a bad one makes every column unreadable.
        bad = [c for c in bad if "Categorical" in types[c]] or bad
        if bad:
            raise InputError(f"{name}, column {shown(bad)}: expected UTF-8 text, got other bytes")


def _is_encoding(reason: str) -> bool:
    return "utf" in reason.lower()


def _is_readable(frame: Any, column: str) -> bool:
    """Whether a column is in UTF-8; a hash has to look at every value, and keeps none."""
    import polars as pl

    text = trim(frame.select(pl.col(escape_column(column)).alias("")), [""])
    try:
        text.select(pl.col("").hash().max()).collect(engine="streaming")
    except pl.exceptions.PolarsError as e:
        return not _is_encoding(str(e))
    return True


def refuse_empty_lines(source: Source) -> None:
    """Name the empty line of a file with one label a line, where every item must have one."""
    import polars as pl

    for path, name in source.files if source.kind == "lines" else ():
        for block in blocks(path, name):
            lines = trim(pl.read_lines(block.text, name="line"), ["line"])["line"]
            for at in lines.is_null().arg_true().head(1):
                raise InputError(
                    f"{name}, line {block.line + at}: expected a label, got an empty line"
                )


# What is amiss with items: looked for once more, to name the row.


@contextmanager
def locate_error(items: Items) -> Iterator[None]:
    """Errors of counting items, with the place where that can be found."""
    import polars as pl
    from narwhals.exceptions import ShapeError

    try:
        yield
    except (pl.exceptions.ShapeError, ShapeError):
        _refuse_unpaired(items)
        raise
    except InputError as e:
        refuse_empty_lines(items.truth.source)
        if items.reading.weights is not None:
            numeric(items, items.reading.weights)
        if isinstance(e, NullTruthError):
            at, _ = first_row(items, items.columns[0], missing)
            raise e.first(at.removeprefix(", ")) from None
        raise


def first_row(
    items: Items, column: str, wanted: Callable[[Any], Any]
) -> tuple[str, tuple[Any, ...]]:
    """The first row that is so, ``, row 3``, if rows are those of the file; and what is there."""
    frame = trim(items.frame.select(escape_column(column)).collect(), [column])
    row = int(wanted(values_of(frame, column)).arg_max() or 0)
    joined = items.reading.id is not None and len(items.sources) > 1
    moved = joined and column not in (items.columns[0], *items.reading.beside)
    named = items.as_in_file and not moved
    return f", row {row + 1}" if named else "", frame.row(row)


def missing(column: Any) -> Any:
    """Which values are none."""
    null = column.is_null()
    return null | column.is_nan().fill_null(False) if column.dtype.is_float() else null


def lacking(lists: Any) -> Any:
    """Which lists are none, or hold nothing in the place of a label."""
    import polars as pl

    return lists.is_null() | lists.list.eval(pl.element().is_null()).list.any().fill_null(False)


def numeric(items: Items, column: str) -> Any:
    """The frame with a column of weights as numbers; the first that is none is named."""
    import polars as pl

    name, frame = items.truth.source.name, items.frame
    dtype = frame.collect_schema()[column]
    if dtype.is_nested():
        raise InputError(f"{name}, column {column} must hold numbers, got {dtype}")
    number = pl.col(escape_column(column)).cast(pl.Float64, strict=False)
    found = trim(frame, [column]).with_columns(number)
    rows = found.select(pl.col(escape_column(column)).alias("")).with_row_index("row")
    bad = rows.filter(~is_weight(pl.col("")).fill_null(False)).head(1).collect(engine="streaming")
    for row, weight in bad.iter_rows():
        (came,) = frame.select(escape_column(column)).slice(row, 1).collect().row(0)
        at = f", row {row + 1}" if items.as_in_file else ""
        wanted = "a number" if weight is None else f"a weight that is {WEIGHTS}"
        raise InputError(f"{name}, column {column}{at}: expected {wanted}, got {shown([came])}")
    return found


def _refuse_unpaired(items: Items) -> None:
    """Name the empty line, or the two lengths, for which files cannot be paired."""
    for source in items.sources:
        refuse_empty_lines(source)
    gold = items.truth.source
    wanted = height(scan(gold))
    for place in items.systems.values():
        have = height(scan(place.source))
        if have != wanted:
            named: tuple[str | Option, ...] = ()
            if gold.has_columns and place.source.has_columns:
                named = (", or ", Option("id"), " to match them by")
            raise InputError(
                f"{gold.name} has {wanted:,} labels{_below(gold)} and {place.source.name} has "
                f"{have:,}{_below(place.source)}: they must have one each for the same items",
                *named,
            )


def _below(source: Source) -> str:
    return " below its header" if source.kind == "lines" and source.has_header else ""


# Joining by id: every item of the truth with its predictions, or a clear word on what is amiss.

ID = "evenhand:id"
"""What the column of ids is called: a name that no column has."""
SAMPLE = "evenhand:sample"
"""What the column of an item's samples is called."""


def joined(frames: Sequence[Any], names: Sequence[str], reading: ReadOptions) -> Any:
    """Lazy frames brought into the order of the first, the truth, by their ids.

    Ids must be unique and the same in all; where ``missing`` is ``"wrong"`` an item without a
    prediction is kept with none, which counts as an error. Frames without ids are in that order.
    Predictions may have several samples an item, which are the same in all.
    """
    import polars as pl

    in_order = [f for f in frames if ID not in f.collect_schema()]
    pairs = [(f, n) for f, n in zip(frames, names, strict=True) if ID in f.collect_schema()]
    frames, names = [f for f, _ in pairs], [n for _, n in pairs]
    kinds = {frame.collect_schema()[ID] for frame in frames}
    if len(kinds) > 1:
        frames = [f.with_columns(pl.col(ID).cast(pl.String)) for f in frames]
    if len(frames) > 1 and frames[0].collect_schema()[ID] == pl.String:
        ids = pl.col(ID)
        counts = pl.concat(f.select(n=ids.n_unique(), m=as_id(ids).n_unique()) for f in frames)
        if counts.filter(pl.col("n") != pl.col("m")).collect().is_empty():  # 1 and 1.0 are not two
            frames = [f.with_columns(as_id(ids)) for f in frames]
    for frame, name in zip(frames, names, strict=True):
        null = height(frame.filter(pl.col(ID).is_null()))
        if null:
            raise InputError(f"{name}, column {reading.id}: {null:,} row(s) have no id")
        keys = [c for c in (ID, SAMPLE) if c in frame.collect_schema()]
        repeated = frame.group_by(keys).len().filter(pl.col("len") > 1)
        _refuse(repeated, f"{name} has {{}} id(s) more than once", *AGAIN)
    whole, *others = frames
    for frame, name in zip(others, names[1:], strict=True):
        have = whole.collect_schema(), frame.collect_schema()
        keys = [c for c in (ID, SAMPLE) if c in have[0] and c in have[1]]
        gold = whole.select(keys)
        _refuse(frame.join(gold, on=keys, how="anti"), f"{name} has {{}} id(s) not in {names[0]}")
        if reading.missing != "wrong":
            absent = gold.join(frame, on=keys, how="anti")
            hint = WRONG if reading.probabilities is None else ()
            _refuse(absent, f"{name} lacks {{}} id(s) of {names[0]}", *hint)
        whole = whole.join(frame, on=keys, how="left", maintain_order="left")
    return pl.concat([whole, *in_order], how="horizontal") if in_order else whole


AGAIN = (
    "; several rows an item are told apart by ",
    *(Option("system"), ", ", Option("sample"), " or ", Option("run"), ", and kept together by "),
    Option("cluster"),
)
"""How to read a file with several rows an item."""
WRONG = ("; ", Option("missing", "wrong"), " counts them as errors")
"""How to go on without predictions of some items."""


def _refuse(rows: Any, text: str, *hint: str | Option) -> None:
    found = rows.select(ID).collect(engine="streaming")[ID].sort()
    if len(found):
        said = text.format(f"{len(found):,}")
        raise InputError(f"{said}: {shown(found.to_list())}", *hint)


# Lists in files: sets of labels, or sequences with one item a token.

SEQUENCE = "evenhand:sequence"
"""What the column of the sequence that a token is of is called."""

CHOICE = (Option("kind", "multi-label"), " or ", Option("kind", "tokens"))
"""What lists may be."""


def unfolded(items: Items) -> Items:
    """Text parted into lists and sequences into one item a token, where the reading says so."""
    reading = items.reading
    if reading.separator is not None:
        items = _parted(items, reading.separator)
    if reading.kind is not None:
        _all_lists(items)
    return _tokens(items) if reading.kind == "tokens" else items


def _parted(items: Items, mark: str) -> Items:
    """Every text as the list of what stands between the marks; nothing there is no label."""
    import polars as pl

    schema = items.frame.collect_schema()
    for place, c in zip(items.places, items.columns, strict=True):
        if schema[c] not in (pl.String, pl.Categorical, pl.Enum):
            raise InputError(
                f"{place} must hold text to be parted with ",
                Option("separator"),
                f", got {schema[c]}",
            )
    parts = pl.col(items.columns).cast(pl.String).fill_null("").str.split(mark)
    if items.reading.kind != "tokens" or not mark.strip():
        bare = pl.element().str.strip_chars()
        parts = parts.list.eval(bare.filter(bare != ""))
    return replace(items, frame=items.frame.with_columns(parts))


def _all_lists(items: Items) -> None:
    import polars as pl

    schema = items.frame.collect_schema()
    for place, c in zip(items.places, items.columns, strict=True):
        if not isinstance(schema[c], pl.List):
            raise InputError(
                f"{place} must hold lists of labels, or text that ",
                Option("separator"),
                f" parts, got {schema[c]}",
            )


def _tokens(items: Items) -> Items:
    """One item a token, of sequences that must be as long in every column; they are clusters."""
    import polars as pl

    if not items.reading.drop_null_truth:
        first = items.columns[0]
        null = items.frame.select(pl.col(first).is_null()).collect(engine="streaming")[first]
        if null.any():
            row = f", row {int(null.arg_max() or 0) + 1}" if items.as_in_file else ""
            raise InputError(f"{items.truth}{row}: expected a sequence of labels, got none")
    sizes = [pl.col(c).list.len().fill_null(0) for c in items.columns]
    rows = items.frame.select(size.alias(c) for size, c in zip(sizes, items.columns, strict=True))
    bad = rows.with_row_index("row").filter(_unlike(items.columns)).head(1)
    for place, *lengths in bad.collect(engine="streaming").iter_rows():
        at = next(i for i, length in enumerate(lengths) if length != lengths[0])
        raise InputError(
            f"row {place + 1}: {items.places[at]} has {lengths[at]:,} tokens and {items.truth} "
            f"{lengths[0]:,}: a sequence must be as long in both"
        )
    frame, reading = items.frame, items.reading
    if ID in frame.collect_schema():  # whatever the order of the files
        frame = frame.with_columns(pl.col(ID).alias(SEQUENCE))
    else:  # whatever the order of rows
        text = (pl.col(c).cast(pl.List(pl.String)).list.join("\0") for c in items.columns)
        beside = (pl.col(escape_column(c)) for c in reading.beside)
        frame = frame.sort(*text, *beside).with_row_index(SEQUENCE)
    frame = frame.filter(sizes[0] > 0).explode(items.columns)
    if reading.cluster is None:
        reading = replace(reading, cluster=SEQUENCE)
    return replace(items, frame=frame, reading=reading, as_in_file=False)


def _unlike(columns: Sequence[str]) -> Any:
    import polars as pl

    first, *others = columns
    return pl.any_horizontal(*(pl.col(c) != pl.col(first) for c in others))


def refuse_sequences(items: Items, sides: Sequence[Any]) -> None:
    """Lists that repeat a label, or are as long on both sides of every row, may be sequences."""
    for place, side in zip(items.places, sides, strict=True):
        twice = side.filter(side.list.n_unique() < side.list.len())
        if len(twice):
            raise InputError(
                f"{place} has lists that repeat a label, such as {twice[0].to_list()[:8]}: sets of "
                "labels, or sequences with one item a token? Say ",
                *CHOICE,
            )
    left, right = (side.list.len() for side in sides)
    if items.reading.separator is None and (left == right).all() and (left > 1).any():
        raise InputError(
            f"{items.places[0]} and {items.places[1]} hold lists of one length in every row: sets "
            "of labels, or sequences with one item a token? Say ",
            *CHOICE,
        )


# Renaming labels once they are counted: from a map, or by folding case.


def read_map(path: str) -> dict[str, str]:
    """Old and new names: two columns of a CSV or TSV file (no header), or a JSON object."""
    names: dict[str, str] = {}
    for old, new, where, _ in read_pairs(path, "OLD", "NEW", "old names and new names"):
        if not (isinstance(new, str) and new):
            raise InputError(f"{where}: expected a new name for {old!r}, got {new!r}")
        if names.get(old, new) != new:
            raise InputError(f"{where}: {old!r} already has another name")
        names[old] = new
    if not names:
        raise InputError(f"{path} names no labels")
    return names


@dataclass(frozen=True)
class LabelChange:
    """New names for labels: from the map ``source``, or in small letters."""

    name: Callable[[Label], Label]
    source: str | None = None

    def notes(self, before: Collection[Label], after: Collection[Label]) -> list[ResultWarning]:
        """What it did, unless it did nothing that was not asked for."""
        if self.source is not None:
            hit = sum(self.name(v) != str(v) for v in before)
            return [LabelsRenamed(self.source, hit, len(before), len(after))]
        return [] if len(before) == len(after) else [CaseIgnored(len(before), len(after))]


def changes(reading: ReadOptions) -> Iterator[LabelChange]:
    """What a reading does to labels, one after the other."""
    if reading.mapping is not None:
        names = read_map(reading.mapping)
        yield LabelChange(lambda v: names.get(str(v), str(v)), reading.mapping)
    if reading.ignore_case:
        yield LabelChange(lambda v: v.casefold() if isinstance(v, str) else v)


def new_name(reading: ReadOptions) -> Callable[[Label], Label]:
    """What a reading makes of one label."""
    found = list(changes(reading))

    def name(label: Label) -> Label:
        for change in found:
            label = change.name(label)
        return label

    return name


def renamed(table: Confusion, reading: ReadOptions) -> tuple[Confusion, list[ResultWarning]]:
    """The table with labels renamed or case folded, and a note on what that did.

    After that it has the classes to expect, in their order; without any, the natural order of
    labels holds for the new ones where it did for the old.
    """
    notes: list[ResultWarning] = []
    if not reading.renames:
        return table, notes
    natural = is_ordered(table.labels)
    for change in changes(reading):
        before = table.labels
        table = table.relabel(change.name)
        notes += change.notes(before, table.labels)
    if reading.labels is None and natural:
        return _with_classes(table, ordered(table.labels)), notes
    if reading.labels is None:
        return table, notes
    return _with_classes(
        table, reading.labels_as(labels_kind_of(table.labels, "labels") or "str")
    ), notes


def _with_classes(table: Confusion, labels: Any) -> Confusion:
    """The table with these classes: other predictions go outside, other truth is refused."""
    known = checked(labels)
    place = {v: i for i, v in enumerate(known)}
    true = np.array([place.get(v, -1) for v in table.labels])
    occurs = np.asarray(table.prevalence).reshape(-1, table.k).any(axis=0)
    refuse_strange([table.labels[i] for i in np.flatnonzero(occurs)], known, "the truth")
    data = table.data.remap(true, np.where(true < 0, len(known), true), len(known))
    return Confusion.from_cells(
        known,
        data,
        keys=table.keys,
        n=table.n,
        missing=table.missing,
        dropped=table.dropped,
        axes=table.axes,
        soft=table.soft,
        notes=table.notes,
    )


def rename_columns(
    columns: Sequence[Any], reading: ReadOptions
) -> tuple[list[Any], list[ResultWarning]]:
    """Columns of labels, or lists of them, renamed or case folded; and what that did."""
    notes: list[ResultWarning] = []
    if reading.renames:
        new = common_spellings([_labels([column]) for column in columns])
        notes += spelling_notes(new)
        columns = [
            _replaced(column, {v: new.get((type(v), v), v) for v in _labels([column])})
            for column in columns
        ]
    for change in changes(reading):
        before = _labels(columns)
        columns = [_replaced(column, {v: change.name(v) for v in before}) for column in columns]
        notes += change.notes(before, _labels(columns))
    return list(columns), notes


def _labels(columns: Iterable[Any]) -> set[Any]:
    values = (c.explode() if c.dtype.is_nested() else c for c in columns)
    return {v for column in values for v in column.drop_nulls().unique().to_list()}


def _replaced(column: Any, names: dict[Any, Any]) -> Any:
    """A column with other values, null where it was."""
    import polars as pl

    kind = pl.Series(list(names.values())).dtype
    if column.dtype.is_nested():
        element = pl.element().replace_strict(names, return_dtype=kind, default=None)
        return column.list.eval(element)
    return column.replace_strict(names, return_dtype=kind, default=None)


# Items of files: one a row, wherever their labels stand; counted as they stream by.

TRUE = "evenhand:true"
"""What the column of the truth is called: a name that no column has."""


ITEM, WEIGHT = "evenhand:item", "evenhand:weight"
"""What the columns of the item that a sample is of, and of its weight, are called."""


def pred(i: int) -> str:
    """What the column of the i-th system is called."""
    return f"evenhand:pred {i}"


@dataclass(frozen=True)
class LabelPlace:
    """Where labels stand: in a column of a file, or in its lines."""

    source: Source
    column: str | None = None

    def __str__(self) -> str:
        named = "" if self.column is None else f", column {self.column!r}"
        return f"{self.source.name}{named}"


@dataclass(frozen=True)
class Items:
    """Items one a row of a lazy frame: the truth, a prediction a system, what stands beside.

    The labels are in columns of our own names, ``reading.beside`` under the user's. ``runs`` says
    which systems are runs of one, ``failed`` what was wrong with files left out, ``notes`` what
    a reader of the result ought to know.
    """

    reading: ReadOptions
    frame: Any
    truth: LabelPlace
    systems: Mapping[str, LabelPlace]
    notes: tuple[ResultWarning, ...] = ()
    runs: Mapping[str, Sequence[str]] | None = None
    failed: Mapping[str, InputError] = field(default_factory=dict)
    as_in_file: bool = True
    """Whether a row of the frame is the same row of the file of the truth."""
    ids: Mapping[str, str] = field(default_factory=dict)
    """The columns of ids by file, where they are not called as the reading has it."""

    @property
    def read(self) -> FilesRead:
        """What was read: files, columns, how items match, how text lies."""
        reading, columns = self.reading, {s.name: dict[str, Any]() for s in self.sources}
        for name, role in ((self.truth, "true"), *((p, "pred") for p in self.systems.values())):
            own = columns[name.source.name]
            if name.column is not None:
                before = own.get("pred", ())
                several = before if name.column in before else (*before, name.column)
                own[role] = name.column if role == "true" else several
        for source, own in zip(self.sources, columns.values(), strict=True):
            if source.has_columns and (column := self.ids.get(source.name, reading.id)):
                own["id"] = column
        first = columns[self.truth.source.name]
        for option in ("system", "run", "sample", "weights", "cluster"):
            column = getattr(reading, option)
            if column is not None and not column.startswith("evenhand:"):
                first[option] = column
        if reading.by:
            first["by"] = reading.by
        matched = (reading.id or "row") if len(self.sources) > 1 or reading.system else None
        layout = {s.name: s.described for s in self.sources}
        names = tuple(columns)
        return FilesRead(names, columns, matched, layout)

    def without(self, failed: Mapping[str, InputError]) -> Items:
        """The items without some systems, and why these were left out."""
        import polars as pl

        kept = [name for name in self.systems if name not in failed]
        others = [c for c in self.frame.collect_schema() if c not in self.columns[1:]]
        places = [pred(i) for i, name in enumerate(self.systems) if name in kept]
        runs = None
        if self.runs is not None:
            left = {name: [r for r in runs if r in kept] for name, runs in self.runs.items()}
            runs = {name: runs for name, runs in left.items() if runs}
        return replace(
            self,
            frame=self.frame.select(
                *map(escape_column, others),
                *(pl.col(c).alias(pred(i)) for i, c in enumerate(places)),
            ),
            systems={name: self.systems[name] for name in kept},
            runs=runs,
            failed={**self.failed, **failed},
        )

    @property
    def columns(self) -> list[str]:
        """The columns of labels."""
        return [TRUE, *(pred(i) for i in range(len(self.systems)))]

    @property
    def places(self) -> list[LabelPlace]:
        """Where the columns of labels stand."""
        return [self.truth, *self.systems.values()]

    @property
    def sources(self) -> list[Source]:
        """The files."""
        return list(dict.fromkeys(p.source for p in (self.truth, *self.systems.values())))

    def counted(self, *, rows: bool) -> tuple[Any, list[ResultWarning]]:
        """A table, lists of labels as sets; or with ``rows`` a sample, which forgets less.

        With it comes what is to be known of labels that got other names.
        """
        with locate_error(self):
            return self._counted(rows)

    def _counted(self, rows: bool) -> tuple[Any, list[ResultWarning]]:
        import polars as pl

        schema = self.frame.collect_schema()
        lists = [c for c in self.columns if isinstance(schema[c], pl.List)]
        if lists and len(self.systems) == 1:
            if len(lists) == 1:
                both = " and ".join(map(str, self.places))
                raise InputError(f"{both} must both hold lists of labels, or neither")
            return self._multilabel()
        if lists:
            place = self.places[self.columns.index(lists[0])]
            raise InputError(
                f"{place}: every item must have one label here, got {schema[lists[0]]}; "
                "score takes sets of labels, and ",
                Option("kind", "tokens"),
                " one item a token",
            )
        rows = rows or len(self.systems) > 1 or self.reading.cluster is not None
        return self._sample() if rows else self._table()

    def _table(self) -> tuple[Confusion, list[ResultWarning]]:
        reading, places = self.reading, (str(self.truth), str(self.places[1]))
        table = count_frame(
            self._weighed,
            true=TRUE,
            pred=pred(0),
            weights=reading.weights,
            by=list(reading.by) or None,
            labels=None if reading.renames else self._labels(self.frame.collect_schema()[TRUE]),
            drop_null_truth=reading.drop_null_truth,
            names=places,
            of_files=True,
        )
        return renamed(table, reading)

    def _sample(self) -> tuple[Sample, list[ResultWarning]]:
        reading, rows = self.reading, self._rows()
        labels = [rows[c] for c in self.columns]
        (truth, *guesses), notes = rename_columns(labels, reading)
        sample = count_sample(
            truth,
            dict(zip(self.systems, guesses, strict=True)),
            labels=self._labels(truth.dtype),
            **self._beside(rows),
            counts=rows[ITEMS].to_numpy(),
            drop_null_truth=reading.drop_null_truth,
            truth=str(self.truth),
            names=list(map(str, self.places[1:])),
        )
        return sample, notes

    def _multilabel(self) -> tuple[MultiLabel, list[ResultWarning]]:
        import polars as pl

        frame, reading = self._weighed, self.reading
        notes: list[ResultWarning] = []
        for place, c in zip(self.places, self.columns, strict=True):
            dtype = frame.collect_schema()[c]
            if dtype.inner.is_nested():
                raise InputError(f"{place} must hold lists of labels, got {dtype}")
        if reading.id is not None and reading.missing == "wrong":
            absent = pl.col(pred(0)).is_null().sum()
            items = int(frame.select(absent).collect(engine="streaming").item())
            notes += [NoSets(items)] if items else []
            frame = frame.with_columns(pl.col(pred(0)).fill_null([]))
        rows = _in_order(replace(self, frame=frame)._rows())
        for place, c in zip(self.places, self.columns, strict=True):
            if lacking(rows[c]).any():
                at, (came,) = first_row(self, c, lacking)
                got = None if came is None else list(came)
                raise InputError(f"{place}{at}: expected a list of labels, got {got}")
        if reading.kind is None:
            refuse_sequences(self, [rows[c] for c in self.columns])
        sides, renamings = rename_columns([rows[c] for c in self.columns], reading)
        sets = count_lists(
            sides,
            labels=self._labels(sides[0].dtype.inner),
            **self._beside(rows),
            times=rows[ITEMS].to_numpy(),
            places=list(map(str, self.places)),
        )
        return sets, [*notes, *renamings]

    def _rows(self) -> dict[str, Any]:
        """The distinct rows of all columns, with how many items each is."""
        rows = distinct_rows(self._weighed, [*self.columns, *self.reading.beside], of_files=True)
        if not len(rows[ITEMS]):
            raise NoRowsError(f"{self._named} has no rows: there is no item to count")
        return rows | {ITEMS: rows[ITEMS].cast(int)}

    def _beside(self, rows: Mapping[str, Any]) -> dict[str, Any]:
        """What stands beside the labels of each row."""
        reading = self.reading
        if reading.cluster is not None and missing(rows[reading.cluster]).any():
            at, _ = first_row(self, reading.cluster, missing)
            raise InputError(
                f"{self.truth.source.name}, column {reading.cluster}{at}: expected a cluster, got "
                "none"
            )
        if reading.cluster == SEQUENCE and rows[SEQUENCE].n_unique() < 2:
            reading = replace(reading, cluster=None)  # one sequence tells nothing of others
        return {
            "weights": None if reading.weights is None else rows[reading.weights].to_numpy(),
            "cluster": None if reading.cluster is None else rows[reading.cluster],
            "by": keys_of([rows[c].to_list() for c in reading.by]),
        }

    @property
    def _named(self) -> str:
        return " and ".join(dict.fromkeys(source.name for source in self.sources))

    @property
    def _weighed(self) -> Any:
        """The frame, its weights as numbers."""
        weights, schema = self.reading.weights, self.frame.collect_schema()
        if weights is None or schema[weights].is_numeric():
            return self.frame
        return numeric(self, weights)

    def _labels(self, dtype: Any) -> Iterable[Any] | None:
        """The classes to expect, as what the truth holds; a file without rows may hold anything."""
        try:
            return self.reading.labels_as(kind_of(dtype))
        except InputError:
            if not height(self.frame):
                both = " and ".join(map(str, self.places))
                raise NoRowsError(f"{both}: there is no item to count") from None
            raise


def sampled(items: Items, ids: Any, weights: str | None) -> Items:
    """Items with several samples each: one weighs as much as any, and is the unit of sampling.

    ``ids`` is the expression of the item that a row is a sample of.
    """
    import polars as pl

    weight = 1 / pl.len().over(ids)
    if weights is not None:
        weight = weight * pl.col(escape_column(weights)).cast(pl.Float64)
    reading = items.reading
    frame = items.frame.with_columns(ids.alias(ITEM), weight.alias(WEIGHT))
    size = frame.select(pl.col(ITEM).n_unique(), pl.len()).collect(engine="streaming")
    note = SamplesOfItems(*size.row(0))
    reading = replace(reading, weights=WEIGHT, cluster=reading.cluster or ITEM)
    return replace(items, reading=reading, frame=frame, notes=(*items.notes, note))


def kind_of(dtype: Any) -> str:
    """The kind of labels that a column of a Polars type holds."""
    hits = (dtype.is_integer(), dtype.is_float(), str(dtype) == "Boolean", True)
    return ("int", "float", "bool", "str")[hits.index(True)]


def _in_order(rows: dict[str, Any]) -> dict[str, Any]:
    """The rows in an order of their own, or sums would depend on which thread was first."""
    import polars as pl

    text = pl.col(pl.List).list.sort().cast(pl.List(pl.String)).list.join("\0")
    frame = pl.DataFrame(rows)
    place = frame.select(text, pl.exclude(pl.List)).select(pl.struct(pl.all()).arg_sort())
    return frame[place.to_series()].to_dict()


# Class probabilities in files: a column for each class, or a list or an object an item.


class ProbabilityColumns(NamedTuple):
    """The classes that probabilities are of, as text, what their columns are called, and those."""

    classes: tuple[str, ...]
    names: tuple[str, ...]
    columns: tuple[Any, ...]


@dataclass(frozen=True)
class SoftItems(Items):
    """Items one a row: the truth, and for each system the probabilities of its classes."""

    soft: Mapping[str, ProbabilityColumns] = field(default_factory=dict)

    @property
    def columns(self) -> list[str]:
        """The columns of labels: the truth alone."""
        return [TRUE]

    @property
    def places(self) -> list[LabelPlace]:
        """Where labels stand."""
        return [self.truth]

    def without(self, failed: Mapping[str, InputError]) -> SoftItems:
        """The items without some systems, and why these were left out."""
        kept = {name: place for name, place in self.systems.items() if name not in failed}
        return replace(self, systems=kept, failed={**self.failed, **failed})

    def _counted(self, rows: bool) -> tuple[SoftSample | Sample, list[ResultWarning]]:
        """The items with their probabilities, which no group-by would make fewer."""
        import polars as pl

        reading = self.reading
        frame = self._weighed.collect(engine="streaming")
        frame = trim(frame, [TRUE, *reading.beside])
        if not len(frame):
            raise NoRowsError(f"{self._named} has no rows: there is no item to count")
        if missing(frame[TRUE]).any():
            at, _ = first_row(self, TRUE, missing)
            raise InputError(f"{self.truth}{at}: items with probabilities must have a true label")
        classes = [v for soft in self.soft.values() for v in soft.classes]
        columns = [frame[TRUE], pl.Series(classes, dtype=pl.String)]
        (truth, _), notes = rename_columns(columns, reading)
        made = {name: self._matrix(frame, name, kind_of(truth.dtype)) for name in self.systems}
        first = next(iter(made.values()))
        labels = list(reading.labels_as(kind_of(truth.dtype)) or first)
        for name, matrix in made.items():
            if set(matrix) != set(labels):
                raise InputError(
                    f"{self.systems[name]}: probabilities must be of the classes {shown(labels)}, "
                    f"got {shown(matrix)}"
                )
        tables = {name: _stacked(matrix, labels) for name, matrix in made.items()}
        beside = self._beside({c: values_of(frame, c) for c in reading.beside})
        named: Any = {"truth": str(self.truth), "places": list(map(str, self.systems.values()))}
        in_file = self.as_in_file and (reading.id is None or len(self.sources) == 1)
        sample = count_soft_sample(truth, tables, labels=labels, rows=in_file, **named, **beside)
        labelled = sample if reading.decide is None else _decided(sample, reading.decide)
        return labelled, [*notes, *labelled.notes]

    def _matrix(self, frame: Any, name: str, kind: str) -> dict[Any, Any]:
        """A system's probabilities by class; classes that got one name are added up."""
        rename = new_name(self.reading)
        found: dict[Any, Any] = {}
        soft = self.soft[name]
        for label, named in zip(soft.classes, soft.names, strict=True):
            column = frame[named]
            if column.null_count():
                at, _ = first_row(self, named, missing)
                raise InputError(
                    f"{self.systems[name].source.name}{at}: expected a probability of {label!r}, "
                    "got no number"
                )
            (new,) = read_as([rename(label.strip())], kind)
            found[new] = column if new not in found else found[new] + column
        return found


def _decided(sample: SoftSample, rule: str) -> Sample:
    """The labels that probabilities decide for."""
    label, mark, text = rule.rpartition("=")
    if not mark and rule == "argmax":
        return sample.decided()
    try:
        threshold = float(text)
    except ValueError:
        threshold = -1
    if not mark or not 0 <= threshold <= 1:
        raise InputError(
            Option("decide"), f" must be argmax, or a label and its threshold, got {rule!r}"
        )
    return sample.decided(label, threshold)


def _stacked(matrix: Mapping[Any, Any], labels: Sequence[Any]) -> Any:
    return np.column_stack([matrix[label].to_numpy() for label in labels])


def soft_columns(
    reading: ReadOptions, source: Source, frame: Any, system: int = 0
) -> ProbabilityColumns:
    """The probabilities that a reading names, as expressions on the columns of a file.

    It names a column for each class; or one that holds an object, or a list in the order of the
    labels; or how the columns' names begin, the rest being the class.
    """
    import polars as pl

    text = str(reading.probabilities)
    schema = dict(frame.collect_schema())
    names = [name.strip() for name in text.split(",")]
    if text in schema:
        return _of_one(reading, source, text, schema[text], system)
    if len(names) == 1:
        found = [c for c in schema if c.startswith(text) and c != text]
        classes = [c.removeprefix(text) for c in found]
    else:
        found = classes = names
    absent = [c for c in found if c not in schema] or ([] if len(found) > 1 else [text])
    if absent:
        raise columns_of(
            source,
            schema,
            f", expected {shown(absent)} for ",
            Option("probabilities"),
            ": a column for each class, how their names begin, or one of lists or objects",
        )
    return _numbered(classes, [pl.col(escape_column(c)) for c in found], system)


def _of_one(
    reading: ReadOptions, source: Source, column: str, dtype: Any, system: int
) -> ProbabilityColumns:
    import polars as pl

    whole = pl.col(escape_column(column))
    if isinstance(dtype, pl.Struct):
        classes = [field.name for field in dtype.fields]
        return _numbered(classes, [whole.struct.field(c) for c in classes], system)
    if not dtype.is_nested():
        if len(reading.labels or ()) != 2:
            raise InputError(
                f"{source.name}, column {column!r} has one number an item: say of which two "
                "classes with ",
                Option("labels", "NEGATIVE,POSITIVE"),
                ", or name a column for each class",
            )
        score = whole.cast(pl.Float64, strict=False)
        return _numbered(reading.labels or (), [1 - score, score], system)
    if reading.labels is None:
        raise InputError(
            f"{source.name}, column {column!r} has lists of probabilities: say of which classes "
            "with ",
            Option("labels"),
        )
    fits = whole.list.len() == len(reading.labels)
    each = [whole.list.get(i, null_on_oob=True) for i in range(len(reading.labels))]
    return _numbered(reading.labels, [pl.when(fits).then(p) for p in each], system)


def _numbered(classes: Sequence[str], columns: Sequence[Any], system: int) -> ProbabilityColumns:
    import polars as pl

    names = [f"evenhand:probability {system} {i}" for i in range(len(columns))]
    numbers = (c.cast(pl.Float64, strict=False) for c in columns)
    named = [c.alias(name) for c, name in zip(numbers, names, strict=True)]
    return ProbabilityColumns(tuple(classes), tuple(names), tuple(named))

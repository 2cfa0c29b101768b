"""Items: one a row of a lazy frame, wherever their labels stand, and counting them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from copy import copy
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

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
from evenhand.data.label_sets import count_indicators
from evenhand.data.labels import (
    Counting,
    Label,
    checked,
    common_spellings,
    is_ordered,
    ordered,
    read_as,
)
from evenhand.data.labels import kind_of as labels_kind_of
from evenhand.data.matching import ID_COLUMN
from evenhand.data.multilabel import MultiLabel
from evenhand.data.probabilities import count_soft_sample
from evenhand.data.roles import names_predictions
from evenhand.data.sample import Sample, SoftSample
from evenhand.errors import InputError, NoRowsError, Option, shown
from evenhand.io.columns import ReadOptions, columns_of
from evenhand.io.delimited import blocks, unreadable
from evenhand.io.matrices import read_pairs
from evenhand.io.sources import Source, height
from evenhand.warnings import (
    CaseIgnored,
    FilesRead,
    LabelsRenamed,
    NoSets,
    ResultWarning,
    SamplesOfItems,
)

TRUE_COLUMN = "evenhand:true"
"""The column of the truth, a name that no file has."""
ITEM, WEIGHT, SEQUENCE = "evenhand:item", "evenhand:weight", "evenhand:sequence"
"""The item that a sample is of, its weight, and the sequence that a token is of."""


def pred(system: str) -> str:
    """The column of a system's predictions."""
    return f"evenhand:pred {system}"


def missing(column: Any) -> Any:
    """Which values are none."""
    null = column.is_null()
    return null | column.is_nan().fill_null(False) if column.dtype.is_float() else null


@dataclass(frozen=True)
class LabelPlace:
    """Where labels stand: in a column of a file, or in its lines."""

    source: Source
    column: str | None = None

    def __str__(self) -> str:
        column = "" if self.column is None else f", column {self.column!r}"
        return f"{self.source.name}{column}"


@dataclass(frozen=True)
class Items:
    """Items as rows of a lazy frame: the truth, a prediction a system, weights, clusters, slices.

    Labels are in columns of our names, covariates under the user's; probabilities in the place of
    labels are objects, a field each class. ``runs`` says which systems are runs of one.
    """

    options: ReadOptions
    frame: Any
    truth: LabelPlace
    systems: Mapping[str, LabelPlace]
    notes: tuple[ResultWarning, ...] = ()
    runs: Mapping[str, Sequence[str]] | None = None
    as_in_file: bool = True
    """Whether a row of the frame is the same row of the file of the truth."""
    ids: Mapping[str, str] = field(default_factory=dict)
    """The columns of ids by file, where they are not called as in the options."""

    @property
    def soft(self) -> bool:
        """Whether systems give probabilities."""
        return self.options.probabilities is not None

    @property
    def columns(self) -> list[str]:
        """The columns of labels; where there are probabilities, that of the truth alone."""
        return [TRUE_COLUMN] if self.soft else [TRUE_COLUMN, *map(pred, self.systems)]

    @property
    def places(self) -> list[LabelPlace]:
        """Where the columns of labels stand."""
        return [self.truth, *self.systems.values()][: len(self.columns)]

    @property
    def sources(self) -> list[Source]:
        """The files."""
        return list(dict.fromkeys(p.source for p in (self.truth, *self.systems.values())))

    @property
    def files_read(self) -> FilesRead:
        """The files, their columns by role, how items match, and their layout."""
        options, sources = self.options, {s.name: s for s in self.sources}
        columns: dict[str, dict[str, Any]] = {name: {} for name in sources}
        first = columns[self.truth.source.name]
        if self.truth.column is not None:
            first["true"] = self.truth.column
        for place in filter(lambda place: place.column is not None, self.systems.values()):
            own = columns[place.source.name]
            own["pred"] = tuple(dict.fromkeys((*own.get("pred", ()), place.column)))
        for name, source in sources.items():
            column = self.ids.get(name, options.id)
            columns[name] |= {"id": column} if source.has_columns and column is not None else {}
        roles = ("system", "run", "sample", "weights", "cluster", "by")
        named = {role: column for role in roles if (column := getattr(options, role))}
        first |= {r: c for r, c in named.items() if not str(c).startswith("evenhand:")}
        several = len(sources) > 1 or options.system
        matched = None if not several else "row" if options.id is None else options.id
        layout = {name: source.described for name, source in sources.items()}
        return FilesRead(tuple(sources), columns, matched, layout)

    def counted(self, *, rows: bool) -> tuple[Any, list[ResultWarning]]:
        """A table, or sets of labels; with ``rows`` a sample, which forgets less; and warnings.

        Errors of counting are explained by the files, where the place can be found.
        """
        import polars as pl
        from narwhals.exceptions import ShapeError

        try:
            return self._soft_sample() if self.soft else self._counted(rows)
        except (pl.exceptions.ShapeError, ShapeError):
            refuse_empty_lines(*self.sources)
            _refuse_lengths(self.sources)
            raise
        except InputError as e:
            refuse_empty_lines(self.truth.source)
            if self.options.weights is not None:
                with_numbers(self, self.options.weights)
            if isinstance(e, NullTruthError):
                if self.truth.source.kind == "excel" and 2 * e.items > height(self.frame):
                    raise InputError(
                        f"{self.truth} has no label in {e.items:,} rows: of merged cells only the "
                        "first holds it, so fill it down"
                    ) from None
                at, _ = self.first_row(TRUE_COLUMN, missing)
                raise e.first(at.removeprefix(", ")) from None
            raise

    def _counted(self, rows: bool) -> tuple[Any, list[ResultWarning]]:
        import polars as pl

        schema, named = self.frame.collect_schema(), zip(self.places, self.columns, strict=True)
        lists = [(place, schema[c]) for place, c in named if isinstance(schema[c], pl.List)]
        if lists and len(self.systems) == 1:
            if len(lists) == 1:
                both = " and ".join(map(str, self.places))
                raise InputError(f"{both} must both hold lists of labels, or neither")
            return self._multilabel()
        for place, dtype in lists:
            text = f"{place}: every item must have one label here, got {dtype}; score takes sets"
            raise InputError(
                f"{text} of labels, and ", Option("kind", "tokens"), " one item a token"
            )
        rows = rows or len(self.systems) > 1 or self.options.cluster is not None
        return self._sample() if rows else self._table()

    def _table(self) -> tuple[Confusion, list[ResultWarning]]:
        options, dtype = self.options, self.frame.collect_schema()[TRUE_COLUMN]
        counting = Counting(
            labels=None if options.renames else self._labels(dtype),
            weights=options.weights,
            by=list(options.by) or None,
            drop_null_truth=options.drop_null_truth,
            names=list(map(str, self.places)),
        )
        table = count_frame(self._weighted, TRUE_COLUMN, self.columns[1], counting, of_files=True)
        return renamed(table, options)

    def _sample(self) -> tuple[Sample, list[ResultWarning]]:
        rows = self._rows(self._weighted)
        (truth, *guesses), notes = rename_columns([rows[c] for c in self.columns], self.options)
        counting = self._counting(rows, self._labels(truth.dtype))
        return count_sample(truth, dict(zip(self.systems, guesses, strict=True)), counting), notes

    def _multilabel(self) -> tuple[MultiLabel, list[ResultWarning]]:
        import polars as pl

        frame, options, guess = self._weighted, self.options, self.columns[1]
        notes: list[ResultWarning] = []
        sides, schema = list(zip(self.places, self.columns, strict=True)), frame.collect_schema()
        for place, c in sides:
            if schema[c].inner.is_nested():
                raise InputError(f"{place} must hold lists of labels, got {schema[c]}")
        if options.id is not None and options.missing == "wrong":
            absent = frame.select(pl.col(guess).is_null().sum()).collect(engine="streaming").item()
            notes += [NoSets(int(absent))] if absent else []
            frame = frame.with_columns(pl.col(guess).fill_null([]))
        rows = _sorted_rows(self._rows(frame))
        for place, c in sides:
            if lacking(rows[c]).any():
                raise self.unfit(c, place, "a list of labels", lacking)
        if options.kind is None:
            refuse_sequences(self, [rows[c] for c in self.columns])
        columns, renamings = rename_columns([rows[c] for c in self.columns], options)
        true, pred = (list(map(set, column.to_list())) for column in columns)
        counting = self._counting(rows, self._labels(columns[0].dtype.inner))
        return count_indicators(true, pred, counting), [*notes, *renamings]

    def _soft_sample(self) -> tuple[SoftSample | Sample, list[ResultWarning]]:
        """The items with their probabilities, which no group-by would make fewer."""
        import polars as pl

        options = self.options
        frame = self._weighted.collect(engine="streaming")
        frame = trim(frame, [TRUE_COLUMN, *options.covariates])
        self._refuse_empty(len(frame))
        if missing(frame[TRUE_COLUMN]).any():
            raise self.unfit(TRUE_COLUMN, self.truth, "a true label")
        shares = {s: frame[pred(s)].struct.unnest() for s in self.systems}
        classes = pl.Series([c for p in shares.values() for c in p.columns], dtype=pl.String)
        (truth, _), notes = rename_columns([frame[TRUE_COLUMN], classes], options)
        kind = label_kind(truth.dtype)
        matrices = {name: self._probabilities(name, p, kind) for name, p in shares.items()}
        first = next(iter(matrices.values()))
        labels = list(options.labels_as(kind) or self._classes(first, truth))
        arrays = {}
        for name, matrix in matrices.items():
            own = labels if len(matrix) > 1 else labels[1:]
            if set(matrix) != set(own):
                raise InputError(
                    f"{self.systems[name]}: probabilities must be of the classes {shown(labels)}, "
                    f"got {shown(matrix)}"
                )
            arrays[name] = np.column_stack([matrix[label].to_numpy() for label in own])
        rows = self.as_in_file and (options.id is None or len(self.sources) == 1)
        counting = self._counting({c: values_of(frame, c) for c in options.covariates}, labels)
        sample = count_soft_sample(truth, arrays, counting, rows=rows)
        labelled = sample if options.decide is None else _decided(sample, options.decide)
        return labelled, [*notes, *labelled.notes]

    def _classes(self, matrix: Mapping[Any, Any], truth: Any) -> list[Any]:
        """The classes of probabilities; a single one is the positive of the two true ones."""
        positive, *more = matrix
        if more:
            return list(matrix)
        others = [v for v in truth.unique(maintain_order=True).to_list() if v != positive]
        if len(others) != 1:
            raise InputError(
                f"{self.truth}: one number an item is of two classes, {positive!r} and another, "
                f"got {shown(others)} too"
            )
        return [*others, positive]

    def _probabilities(self, system: str, shares: Any, kind: str) -> dict[Any, Any]:
        """A system's probabilities by class; those of classes with one new name are added up."""
        rename, columns = Renaming(self.options), dict[Any, Any]()
        for label, column in shares.to_dict().items():
            if column.null_count():
                at = self._row(pred(system), int(column.is_null().arg_max()))
                place = f"{self.systems[system].source.name}{at}"
                raise InputError(f"{place}: expected a probability of {label!r}, got none")
            (name,) = read_as([rename(label.strip())], kind)
            columns[name] = column if name not in columns else columns[name] + column
        return columns

    def _rows(self, frame: Any) -> dict[str, Any]:
        """The distinct rows of all columns, with the number of items of each."""
        rows = distinct_rows(frame, [*self.columns, *self.options.covariates], of_files=True)
        self._refuse_empty(len(rows[ITEMS]))
        return rows | {ITEMS: rows[ITEMS].cast(int)}

    def _refuse_empty(self, rows: int) -> None:
        if not rows:
            names = " and ".join(dict.fromkeys(source.name for source in self.sources))
            raise NoRowsError(f"{names} has no rows: there is no item to count")

    def _counting(self, rows: Mapping[str, Any], labels: Iterable[Any] | None) -> Counting:
        """How rows are counted: the weight, cluster and slice of each, and their items."""
        weights, cluster = self.options.weights, self.options.cluster
        if cluster is not None and missing(rows[cluster]).any():
            raise self.unfit(cluster, f"{self.truth.source.name}, column {cluster}", "a cluster")
        if cluster == SEQUENCE and rows[SEQUENCE].n_unique() < 2:
            cluster = None  # one sequence tells nothing of others
        return Counting(
            labels=labels,
            weights=None if weights is None else rows[weights].to_numpy(),
            counts=rows[ITEMS].to_numpy() if ITEMS in rows else None,
            cluster=None if cluster is None else rows[cluster],
            by=keys_of([rows[c].to_list() for c in self.options.by]),
            drop_null_truth=self.options.drop_null_truth,
            names=list(map(str, (self.truth, *self.systems.values()))),
        )

    @property
    def _weighted(self) -> Any:
        """The frame, its weights as numbers."""
        weights = self.options.weights
        is_plain = weights is None or self.frame.collect_schema()[weights].is_numeric()
        return self.frame if is_plain else with_numbers(self, str(weights))

    def first_row(self, column: str, condition: Callable[[Any], Any]) -> tuple[str, Any]:
        """The first row that meets a condition, ``, row 3`` if rows are the file's; its value."""
        frame = trim(self.frame.select(escape_column(column)).collect(), [column])
        row = int(condition(values_of(frame, column)).arg_max() or 0)
        return self._row(column, row), frame.row(row)[0]

    def _row(self, column: str, row: int) -> str:
        """A row of a column, for a message, if it is the file's."""
        joined = self.options.id is not None and len(self.sources) > 1
        moved = joined and column not in (TRUE_COLUMN, *self.options.covariates)
        return f", row {row + 1}" if self.as_in_file and not moved else ""

    def unfit(
        self,
        column: str,
        place: LabelPlace | str,
        expected: str,
        condition: Callable[[Any], Any] = missing,
    ) -> InputError:
        """The error that the first value which meets a condition is not as expected."""
        at, value = self.first_row(column, condition)
        got = value if isinstance(value, list) else "none" if value is None else shown([value])
        return InputError(f"{place}{at}: expected {expected}, got {got}")

    def _labels(self, dtype: Any) -> Iterable[Any] | None:
        """The classes to expect, as what the truth holds; a file without rows may hold anything."""
        try:
            return self.options.labels_as(label_kind(dtype))
        except InputError:
            self._refuse_empty(height(self.frame))
            raise


def label_kind(dtype: Any) -> str:
    """The kind of labels that a column of a Polars type holds."""
    hits = (dtype.is_integer(), dtype.is_float(), str(dtype) == "Boolean", True)
    return ("int", "float", "bool", "str")[hits.index(True)]


def _sorted_rows(rows: dict[str, Any]) -> dict[str, Any]:
    """The rows in an order of their own, or sums would depend on which thread was first."""
    import polars as pl

    text = pl.col(pl.List).list.sort().cast(pl.List(pl.String)).list.join("\0")
    frame = pl.DataFrame(rows)
    order = frame.select(text, pl.exclude(pl.List)).select(pl.struct(pl.all()).arg_sort())
    return frame[order.to_series()].to_dict()


def with_sample_weights(items: Items) -> Items:
    """Items with several samples each: one weighs as much as any, and is the unit of sampling."""
    import polars as pl

    options, weight = items.options, 1 / pl.len().over(ID_COLUMN)
    if options.weights is not None:
        weight = weight * pl.col(escape_column(options.weights)).cast(pl.Float64)
    frame = items.frame.with_columns(pl.col(ID_COLUMN).alias(ITEM), weight.alias(WEIGHT))
    size = frame.select(pl.col(ITEM).n_unique(), pl.len()).collect(engine="streaming")
    note = SamplesOfItems(*size.row(0))
    options = replace(options, weights=WEIGHT, cluster=options.cluster or ITEM)
    return replace(items, options=options, frame=frame, notes=(*items.notes, note))


# Errors of reading and counting, with the place where it can be found.


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
                source.json_type.refuse(source.name, [(c,) for c in source.json_type.schema])
        raise unreadable(" and ".join(s.name for s in sources), e) from None


def refuse_empty_lines(*sources: Source) -> None:
    """Name the empty line of a file with one label per line, where every item must have one."""
    import polars as pl

    for path, name in (file for s in sources if s.kind == "lines" for file in s.files):
        for block in blocks(path, name):
            lines = trim(pl.read_lines(block.text, name="line"), ["line"])["line"]
            for at in lines.is_null().arg_true().head(1):
                raise InputError(
                    f"{name}, line {block.line + at}: expected a label, got an empty line"
                )


def lacking(lists: Any) -> Any:
    """Which lists are none, or hold nothing in the place of a label."""
    import polars as pl

    return lists.is_null() | lists.list.eval(pl.element().is_null()).list.any().fill_null(False)


def with_numbers(items: Items, column: str) -> Any:
    """The frame with a column of weights as numbers; the first that is none is named."""
    import polars as pl

    place = f"{items.truth.source.name}, column {column}"
    dtype = items.frame.collect_schema()[column]
    if dtype.is_nested():
        raise InputError(f"{place} must hold numbers, got {dtype}")

    def unfit(values: Any) -> Any:
        return ~is_weight(values.cast(pl.Float64, strict=False)).fill_null(False)

    frame, weights = trim(items.frame, [column]), pl.col(escape_column(column))
    if frame.select(unfit(weights).any().alias("")).collect(engine="streaming").item():
        _, value = items.first_row(column, unfit)
        number = pl.Series([value]).cast(pl.Float64, strict=False).item()
        words = "a number" if number is None else f"a weight that is {WEIGHTS}"
        raise items.unfit(column, place, words, unfit)
    return frame.with_columns(weights.cast(pl.Float64))


def begins_with_zero(source: Source) -> bool:
    """Whether a table of one column of whole numbers has 0 first, which was read as an item."""
    is_table = source.kind in ("csv", "tsv") and "header" not in source.layout.fixed
    numbers = all(len(row) == 1 and row[0].isdecimal() for row in source.rows)
    return is_table and not source.has_header and source.rows[:1] == [["0"]] and numbers


def _refuse_lengths(sources: Sequence[Source]) -> None:
    """Name two files that have different numbers of labels."""
    gold, *others = sources
    labels = height(gold.frame)
    for source, size in ((s, n) for s in others if (n := height(s.frame)) != labels):
        longer = gold if labels > size else source
        text = f"{gold.name} has {labels:,} labels and {source.name} has {size:,}: "
        if abs(labels - size) == 1 and begins_with_zero(longer):
            at = f"{longer.name}, 0, may be its heading: {longer.name}::header=yes"
            raise InputError(f"{text}the first of {at}")
        by_id = (", or ", Option("id"), " to match them by")
        columns = gold.has_columns and source.has_columns
        text += "they must have one each for the same items"
        raise InputError(text, *(by_id if columns else ()))


# Lists of labels: sets, or sequences with one item a token.

KINDS = (Option("kind", "multi-label"), " or ", Option("kind", "tokens"))
"""What lists may be."""


def unfolded(items: Items) -> Items:
    """Text split into lists and sequences into one item a token, where the options say so."""
    import polars as pl

    separator, kind = items.options.separator, items.options.kind
    if separator is None and kind is None:
        return items
    schema, mark = items.frame.collect_schema(), Option("separator")
    for place, c in zip(items.places, items.columns, strict=True):
        got = f", got {schema[c]}"
        if separator is not None and schema[c] not in (pl.String, pl.Categorical, pl.Enum):
            raise InputError(f"{place} must hold text to be parted with ", mark, got)
        if separator is None and not isinstance(schema[c], pl.List) and not _in_brackets(items, c):
            text = f"{place} must hold lists of labels, or text that "
            raise InputError(text, mark, f" parts{got}")
    if separator is not None:
        parts = pl.col(items.columns).cast(pl.String).fill_null("").str.split(separator)
        if kind != "tokens" or not separator.strip():
            bare = pl.element().str.strip_chars()
            parts = parts.list.eval(bare.filter(bare != ""))
        items = replace(items, frame=items.frame.with_columns(parts))
    elif texts := [c for c in items.columns if schema[c] == pl.String]:
        lists = pl.col(texts).map_elements(_as_list, return_dtype=pl.List(pl.String))
        items = replace(items, frame=items.frame.with_columns(lists))
    return _tokens(items) if kind == "tokens" else items


def _in_brackets(items: Items, column: str) -> bool:
    """Whether a column holds lists that are written as text."""
    import polars as pl

    if items.frame.collect_schema()[column] != pl.String:
        return False
    text = pl.col(column).str.strip_chars()
    is_list = text.str.contains(r"(?s)^(\[.*\]|\{.*\}|(set)?\(.*\))$").all()
    return bool(items.frame.select(is_list).collect(engine="streaming").item())


@cache
def _as_list(text: str) -> list[str]:
    """The labels of a list that is written as text, quoted or not.

    >>> _as_list("['a', 'b c']"), _as_list("[a, b c]"), _as_list("[]")
    (['a', 'b c'], ['a', 'b c'], [])
    """
    inner = text.strip().removeprefix("set")
    if quoted := re.findall(r"'([^']*)'|\"([^\"]*)\"", inner):
        return [one or other for one, other in quoted]
    return [v for part in inner[1:-1].split(",") if (v := part.strip())]


def _tokens(items: Items) -> Items:
    """One item a token, of sequences that must be as long in every column; they are clusters."""
    import polars as pl

    frame, options = items.frame, items.options
    null = frame.select(pl.col(TRUE_COLUMN).is_null().any())
    if not options.drop_null_truth and null.collect(engine="streaming").item():
        raise items.unfit(TRUE_COLUMN, items.truth, "a sequence of labels")
    sizes = frame.select(pl.col(c).list.len().fill_null(0) for c in items.columns)
    unlike = pl.any_horizontal(pl.col(c) != pl.col(TRUE_COLUMN) for c in items.columns)
    first = sizes.with_row_index("row").filter(unlike).head(1).collect(engine="streaming")
    for row, *lengths in first.iter_rows():
        i = next(i for i, length in enumerate(lengths) if length != lengths[0])
        raise InputError(
            f"row {row + 1}: {items.places[i]} has {lengths[i]:,} tokens and {items.truth} "
            f"{lengths[0]:,}: a sequence must be as long in both"
        )
    if ID_COLUMN in frame.collect_schema():  # whatever the order of the files
        frame = frame.with_columns(pl.col(ID_COLUMN).alias(SEQUENCE))
    else:  # whatever the order of rows
        text = (pl.col(c).cast(pl.List(pl.String)).list.join("\0") for c in items.columns)
        frame = frame.sort(*text, *map(escape_column, options.covariates)).with_row_index(SEQUENCE)
    frame = frame.filter(pl.col(TRUE_COLUMN).list.len() > 0).explode(items.columns)
    options = replace(options, cluster=options.cluster or SEQUENCE)
    return replace(items, frame=frame, options=options, as_in_file=False)


def refuse_sequences(items: Items, sides: Sequence[Any]) -> None:
    """Refuse lists that repeat a label, or are as long on both sides of every row."""
    ids = [side.list.first() for side in sides]
    are_pairs = all((side.list.len() == 2).all() for side in sides)
    if are_pairs and len(ids[0]) > 2 and ids[0].is_unique().all() and set(ids[0]) == set(ids[1]):
        raise InputError(
            f"{' and '.join(map(str, items.places))} hold pairs of an id and a label, such as "
            f'{sides[0][0].to_list()}: write an object with them, {{"ID": "LABEL", …}}'
        )
    question = "sets of labels, or sequences with one item a token? Say "
    for place, side in zip(items.places, sides, strict=True):
        for labels in side.filter(side.list.n_unique() < side.list.len()).head(1).to_list():
            text = f"{place} has lists that repeat a label, such as {labels[:8]}"
            raise InputError(f"{text}: {question}", *KINDS)
    left, right = (side.list.len() for side in sides)
    if items.options.separator is None and (left == right).all() and (left > 1).any():
        both = " and ".join(map(str, items.places))
        raise InputError(f"{both} hold lists of one length in every row: {question}", *KINDS)


# Renaming labels: from a map, or by folding case.


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


class Renaming:
    """The new name of a label: from a map, in lower case, or itself."""

    def __init__(self, options: ReadOptions) -> None:
        self.source = options.mapping
        self.names = {} if self.source is None else read_map(self.source)
        self.ignore_case = options.ignore_case

    def mapped(self, label: Label) -> Label:
        """Its name in the map."""
        return label if self.source is None else self.names.get(str(label), str(label))

    def __call__(self, label: Label) -> Label:
        name = self.mapped(label)
        return name.casefold() if self.ignore_case and isinstance(name, str) else name

    def of_truth(self, true: Iterable[Label], predicted: Iterable[Label]) -> Renaming:
        """That of true labels: without the map where it turns predicted labels into these.

        It then maps 1 to 0, 2 to 1 and 3 to 2, and the truth has 0, 1 and 2 already.
        """
        known, others = set(map(str, true)), list(predicted)
        is_chain = not self.names.keys().isdisjoint(self.names.values())
        before, after = (known.issuperset(map(f, others)) for f in (str, self.mapped))
        if not is_chain or before or not after:
            return self
        truth = copy(self)
        truth.names = {}
        return truth

    def notes(
        self, true: Iterable[Label], predicted: Iterable[Label], truth: Renaming
    ) -> Iterator[ResultWarning]:
        """Warnings of what it changes, ``truth`` being that of true labels."""
        labels = {*predicted, *(true if truth is self else ())}
        names = {self.mapped(v) for v in labels}
        if self.source is not None:
            changed = sum(self.mapped(v) != str(v) for v in labels)
            sides = "true and predicted" if truth is self else "predicted"
            yield LabelsRenamed(self.source, changed, len(labels), len(names), sides)
        after = {self(v) for v in labels}
        if len(after) < len(names):
            yield CaseIgnored(len(names), len(after))


def renamed(table: Confusion, options: ReadOptions) -> tuple[Confusion, list[ResultWarning]]:
    """The table with labels renamed or case folded, and warnings of what that did.

    After that it has the classes to expect, in their order; without any, the natural order of
    labels holds for the new ones where it did for the old.
    """
    if not options.renames:
        return table, []
    rename, before = Renaming(options), table.labels
    amounts = (
        np.asarray(x).reshape(-1, table.k).any(axis=0) for x in (table.prevalence, table.bias)
    )
    true, predicted = ([before[i] for i in np.flatnonzero(x)] for x in amounts)
    truth = rename.of_truth(true, predicted)
    same = truth is rename
    names = list(dict.fromkeys(map(truth, before if same else true)))
    labels = checked(names)
    if options.labels is not None:
        labels = checked(options.labels_as(labels_kind_of(labels, "labels") or "str") or ())
    elif is_ordered(before):
        labels = checked(ordered(labels))
    occurring = set(map(truth, true))
    refuse_strange([v for v in names if v in occurring], labels, "the truth")
    place = {v: i for i, v in enumerate(labels)}
    rows, columns = (np.array([place.get(f(v), -1) for v in before]) for f in (truth, rename))
    data = table.data.remap(rows, np.where(columns < 0, len(labels), columns), len(labels))
    notes = list(rename.notes(before, predicted, truth))
    return replace(table, labels=labels, data=data), notes


def rename_columns(
    columns: Sequence[Any], options: ReadOptions
) -> tuple[list[Any], list[ResultWarning]]:
    """Columns of labels, or lists of them, renamed or case folded; and warnings of that."""
    if not options.renames:
        return list(columns), []
    labels = list(map(_distinct, columns))
    common, rename = common_spellings(labels), Renaming(options)
    spelled = [{v: common.get((type(v), v), v) for v in values} for values in labels]
    predicted = {new for names in spelled[1:] for new in names.values()}
    truth = rename.of_truth(spelled[0].values(), predicted)
    renamings = [truth] + [rename] * (len(columns) - 1)
    renamed_columns = [
        _replaced(column, {v: new_name(new) for v, new in names.items()})
        for column, names, new_name in zip(columns, spelled, renamings, strict=True)
    ]
    notes = rename.notes(spelled[0].values(), predicted, truth)
    return renamed_columns, [*spelling_notes(common), *notes]


def _distinct(column: Any) -> set[Any]:
    values = column.explode() if column.dtype.is_nested() else column
    return set(values.drop_nulls().unique().to_list())


def _replaced(column: Any, names: dict[Any, Any]) -> Any:
    """A column with other values, null where it was."""
    import polars as pl

    kind = pl.Series(list(names.values())).dtype
    if column.dtype.is_nested():
        element = pl.element().replace_strict(names, return_dtype=kind, default=None)
        return column.list.eval(element)
    return column.replace_strict(names, return_dtype=kind, default=None)


# Class probabilities: a column for each class, or a list or an object an item.


def probabilities(options: ReadOptions, source: Source, system: str) -> Any:
    """The expression of a system's probabilities: objects with a field for each class.

    The option names a column for each class; or one that holds an object, or a list in the order
    of the labels; or how the columns' names begin, the rest being the class.
    """
    import polars as pl

    text = str(options.probabilities)
    names = [name.strip() for name in text.split(",")]
    by_class = {name: name for name in names}
    if len(names) == 1:
        starting = [c for c in source.schema if c.startswith(text) and c != text]
        by_class = {c.removeprefix(text): c for c in starting}
    if text in source.schema:
        columns = _one_column(options, source, text, source.schema[text])
    elif len(by_class) > 1 and all(c in source.schema for c in by_class.values()):
        columns = {label: pl.col(escape_column(c)) for label, c in by_class.items()}
    else:
        absent = [c for c in names if c not in source.schema]
        form = ": a column for each class, how their names begin, or one of lists or objects"
        expected = (f", expected {shown(absent)} for ", Option("probabilities"), form)
        raise columns_of(source, source.schema, *expected)
    if source.delimiter not in (None, ","):  # as programs write that have a comma in numbers
        columns = {v: p.cast(pl.String).str.replace(",", ".") for v, p in columns.items()}
    numbers = {label: values.cast(pl.Float64, strict=False) for label, values in columns.items()}
    return pl.struct(values.alias(c) for c, values in numbers.items()).alias(pred(system))


def _one_column(options: ReadOptions, source: Source, column: str, dtype: Any) -> dict[str, Any]:
    """The expressions of one column of objects, lists or scores, by class."""
    import polars as pl

    values, labels = pl.col(escape_column(column)), options.labels or ()
    if isinstance(dtype, pl.Struct):
        return {field.name: values.struct.field(field.name) for field in dtype.fields}
    place = f"{source.name}, column {column!r}"
    if not dtype.is_nested():
        first = str(next(iter(source.frame.select(values).head(1).collect().to_series()), ""))
        if first.startswith("["):
            raise InputError(f"{place} has lists as text: give them as JSON, or a column a class")
        for guess in (c for c in source.schema if c != column and names_predictions(c)):
            text = f"{place} goes with the predictions in {guess!r}: "
            raise InputError(text, Option("pred", guess))
        if len(labels) != 2 and options.positive_class is None:
            text = f"{place} has one number an item: say of which class with "
            other = ", or name a column for each class"
            raise InputError(text, Option("positive", "LABEL"), other)
        return {labels[1] if labels else str(options.positive_class): values}
    if not labels:
        text = f"{place} has lists of probabilities: say of which classes with "
        raise InputError(text, Option("labels"))
    rises = values.list.eval(pl.element().diff().max() > 0).list.first().fill_null(False)
    if source.frame.select((~rises).all() & (pl.len() > len(labels))).collect().item():
        raise InputError(f"{place} has its numbers from the largest on in every row: not by class")
    fits = values.list.len() == len(labels)
    each = {label: values.list.get(i, null_on_oob=True) for i, label in enumerate(labels)}
    return {label: pl.when(fits).then(p) for label, p in each.items()}


def _decided(sample: SoftSample, rule: str) -> Sample:
    """The labels that probabilities decide for."""
    if rule == "argmax":
        return sample.decided()
    label, mark, text = rule.rpartition("=")
    threshold = np.nan
    with suppress(ValueError):
        threshold = float(text)
    if mark and (0 <= threshold <= 1 or (sample.only_scores and threshold == threshold)):
        return sample.decided(label, threshold)
    raise InputError(
        Option("decide"), f" must be argmax, or a label and its threshold, got {rule!r}"
    )

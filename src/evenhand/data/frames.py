"""Counting frames of any library with its own group-by."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from evenhand.data.cells import WEIGHTS, is_weight
from evenhand.data.confusion import Confusion
from evenhand.data.counting import Tally, count_sample, keys_of, slices_of
from evenhand.data.factorize import escape_column, factorize, polars_column, run_end_decoded, trim
from evenhand.data.labels import in_order, kind_of_type, one_kind, same_kind
from evenhand.data.sample import Sample
from evenhand.errors import InputError, NoRowsError, shown

STAR = "evenhand:*"
"""The name of a column ``*`` while it is counted."""


def in_narwhals(frame: Any) -> Any:
    """A frame of any library for narwhals; eager Polars frames become lazy, which is faster."""
    import narwhals as nw
    from narwhals.exceptions import DuplicateError

    try:
        wrapped = nw.from_native(frame)
    except DuplicateError as e:
        reason = " ".join(str(e).split())
        raise InputError(f"frame must have a different name for every column: {reason}") from None
    except TypeError:
        raise InputError(
            "frame must be one of pandas, Polars, PyArrow, DuckDB, Ibis, Dask or PySpark, "
            f"got {type(frame).__name__}"
        ) from None
    if isinstance(wrapped, nw.DataFrame) and wrapped.implementation.is_polars():
        return wrapped.lazy()
    if wrapped.implementation.is_pyarrow():  # which could not group by run-end encoded columns
        return _each_column(wrapped, run_end_decoded)
    return wrapped


def _each_column(frame: Any, change: Callable[[Any], Any]) -> Any:
    """An Arrow table with every column changed."""
    import narwhals as nw

    table = frame.to_native()
    for i, column in enumerate(table.columns):
        table = table.set_column(i, table.column_names[i], change(column))
    return nw.from_native(table)


def kind_of_column(dtype: Any) -> str | None:
    """The kind of labels of a column of this type; ``None`` if categories may be of any."""
    import narwhals as nw

    if dtype.is_integer():
        return "int"
    if dtype.is_float():
        return "float"
    if dtype in (nw.String, nw.Enum):
        return "str"
    return "bool" if dtype == nw.Boolean else None


def refuse_objects(frame: Any, columns: list[str], schema: dict[str, Any]) -> None:
    """Refuse columns of Python objects in Polars, which can neither sort nor stack them."""
    import narwhals as nw

    objects = [c for c in columns if schema[c] == nw.Object]
    if objects and frame.implementation.is_polars():
        raise InputError(
            f"column {shown(objects)} must be text, integers, booleans or floats, got Object; "
            "convert such labels to text first"
        )


def refuse_case(frame: Any, columns: list[str], schema: Iterable[str]) -> None:
    """Refuse columns that differ only in case, where SQL would confuse them."""
    library = frame.implementation
    if library.is_pandas_like() or library.is_polars() or library.is_pyarrow() or library.is_dask():
        return
    times = Counter(c.lower() for c in schema)
    ambiguous = [c for c in columns if times[c.lower()] > 1]
    if ambiguous:
        raise InputError(f"columns must differ in more than case, got {shown(ambiguous)}")


def of_one_kind(frame: Any, columns: list[str]) -> Any:
    """The frame, whose columns of objects must have numbers of one type.

    pandas would group 1, 1.0 and True as one. Integers with nulls get pandas' type for them, as
    they would become floats.
    """
    import narwhals as nw

    if not (frame.implementation.is_pandas_like() or frame.implementation.is_dask()):
        return frame
    native = frame.to_native()
    integers = {}
    for c in columns:
        if native[c].dtype == object:
            types = _types(native[c])
            numbers = [t for t in types if kind_of_type(t) in ("bool", "int", "float")]
            if one_kind(numbers, f"column {c!r}") == "int" and len(numbers) == len(types):
                integers[c] = "Int64"
    try:
        return nw.from_native(native.astype(integers)) if integers else frame
    except (OverflowError, TypeError, ValueError):  # beyond 64 bits they stay as they are
        return frame


def _types(column: Any) -> set[type]:
    """The types of the objects in a column that are not null."""
    known = column.dropna()
    if hasattr(known, "compute"):
        return set(known.map(type, meta=(None, object)).unique(split_out=1).compute())
    return set(map(type, known.to_numpy()))


def without_star(frame: Any) -> Any:
    """The frame with a column ``*`` renamed in DuckDB, which reads it as all columns."""
    import narwhals as nw

    if not frame.implementation.is_duckdb() or "*" not in frame.columns:
        return frame
    names = ['"' + c.replace('"', '""') + '"' for c in frame.columns]
    selected = [f'{c} AS "{STAR}"' if c == '"*"' else c for c in names]
    return nw.from_native(frame.to_native().project(", ".join(selected)))


def named_column(frame: Any, name: str) -> Any:
    """The column of a name, escaped where an engine would read it as a pattern."""
    import narwhals as nw

    if frame.implementation.is_duckdb() and name == "*":
        return nw.col(STAR)
    if frame.implementation.is_polars():
        return nw.col(escape_column(name))
    if frame.implementation.is_pyspark():
        return nw.col("`" + name.replace("`", "``") + "`")
    return nw.col(name)


def without_categories(frame: Any) -> Any:
    """The frame without categorical columns, as different categories cannot be unpivoted."""
    import narwhals as nw

    def plain(column: Any) -> Any:
        kind = column.type
        return column.cast(kind.value_type) if hasattr(kind, "index_type") else column

    if frame.implementation.is_pyarrow():
        return _each_column(frame, plain)
    always = (nw.Enum, nw.Categorical) if frame.implementation.is_polars() else (nw.Enum,)
    texts = [c for c, dtype in frame.collect_schema().items() if dtype in always]
    return frame.with_columns(*(nw.col(c).cast(nw.String) for c in texts)) if texts else frame


def unpivoted(frame: Any, columns: list[str], index: list[str], variable: str, value: str) -> Any:
    """A row for each of some columns, nulls included: its name, its value and the index columns."""
    import narwhals as nw

    frame = without_categories(frame)
    if not frame.implementation.is_duckdb():
        return frame.unpivot(on=columns, index=index, variable_name=variable, value_name=value)
    # DuckDB's own unpivot drops nulls, and narwhals cannot tell it not to.
    parts = [
        frame.select(*index, nw.lit(c).alias(variable), nw.col(c).alias(value)) for c in columns
    ]
    return nw.concat(parts, how="vertical")


def collected(frame: Any) -> Any:
    """A frame in memory; Polars collects it by streaming."""
    if not hasattr(frame, "collect"):
        return frame
    options = {"engine": "streaming"} if frame.implementation.is_polars() else {}
    return frame.collect(**options)


def values_in(column: Any) -> list[Any]:
    """The values of a column of any library as a list."""
    method = next(m for m in ("to_pylist", "tolist", "to_list") if hasattr(column, m))
    return list(getattr(column, method)())


def column_names(frame: Any) -> list[str]:
    """The names of a frame's columns, as far as they are text; of what is no frame, none."""
    import narwhals as nw

    wrapped = nw.from_native(frame, pass_through=True)
    names = wrapped.collect_schema().names() if hasattr(wrapped, "collect_schema") else []
    return [c for c in names if isinstance(c, str)]


def in_memory(frame: Any, names: Iterable[str], most: int | None = None) -> Any:
    """Some columns of a frame; of a lazy one at most the first rows, if that is set."""
    import narwhals as nw

    wrapped: Any = without_star(nw.from_native(frame))
    columns = wrapped.select(named_column(wrapped, c).alias(c) for c in dict.fromkeys(names))
    is_lazy = isinstance(columns, nw.LazyFrame)
    return collected(columns.head(most) if is_lazy and most is not None else columns)


def first_rows(frame: Any, columns: Sequence[str], most: int) -> Any:
    """Columns of a frame in Polars, as far as it can hold them; of a lazy frame the first rows."""
    import polars as pl

    have = set(column_names(frame))
    rows = in_memory(frame, (c for c in columns if c in have), most)
    series = {c: polars_column(rows[c].to_native(), c) for c in rows.columns}
    return pl.DataFrame({c: values for c, values in series.items() if values is not None})


TRUE, PRED, BY, SYSTEM = "true", "pred", "by", "system"
WEIGHT, SUM, SQUARE, FIT, KNOWN = "weight", "sum", "square", "fit", "known"
ROWS, COUNT = "rows", "count"
ITEMS = "evenhand:items"
"""The column of the number of items of a row: a name that no user's column has."""


def count_frame(
    frame: Any,
    *,
    true: str,
    pred: str | Sequence[str],
    weights: str | None = None,
    counts: str | None = None,
    by: str | Sequence[str] | None = None,
    labels: Iterable[Any] | None = None,
    drop_null_truth: bool = False,
    names: tuple[str, str] | None = None,
    of_files: bool = False,
) -> Confusion:
    """The table of two columns; a stack by system, by the values of ``by``, or by both.

    ``names`` are the names of the two columns in errors. Labels ``of_files`` (a Polars frame) are
    trimmed after grouping, when there are few.
    """
    columns, lazy = FrameColumns.from_options(true, pred, weights, by, counts), in_narwhals(frame)
    columns.check(lazy)
    groups = columns.grouped(of_one_kind(lazy, columns.labels), of_files)
    if not len(groups[ITEMS]):
        source = " and ".join(names or ("the frame",))
        raise NoRowsError(f"{source} has no rows: there is no item to count")
    called = names or (f"column {true!r}", f"column {', '.join(map(repr, columns.systems))}")
    tally = columns.tally(groups, called)
    table = tally.confusion(labels=labels, drop_null_truth=drop_null_truth, names=called)
    return replace(table, axes=("system",) * columns.wide + ("slice",) * bool(columns.by))


def count_frame_rows(
    frame: Any,
    *,
    true: str,
    pred: str | Sequence[str],
    weights: str | None = None,
    cluster: str | None = None,
    by: str | Sequence[str] | None = None,
    labels: Iterable[Any] | None = None,
    drop_null_truth: bool = False,
) -> Sample:
    """The sample of a column of truth and one for each system, with weights and clusters."""
    columns, lazy = FrameColumns.from_options(true, pred, weights, by), in_narwhals(frame)
    grouping = replace(columns, by=[*columns.by, *([] if cluster is None else [cluster])])
    grouping.check(lazy)
    rows = distinct_rows(of_one_kind(lazy, grouping.labels), [*grouping.labels, *columns.weights])
    return count_sample(
        rows[true],
        {name: rows[name] for name in columns.systems},
        labels=labels,
        weights=None if weights is None else rows[weights],
        counts=np.asarray(rows[ITEMS]).astype(np.int64),
        cluster=None if cluster is None else rows[cluster],
        by=keys_of([values_in(rows[c]) for c in columns.by]),
        drop_null_truth=drop_null_truth,
        truth=f"column {true!r}",
        names=[f"column {name!r}" for name in columns.systems],
    )


@dataclass(frozen=True)
class FrameColumns:
    """The columns of a frame that are counted; ``wide`` if systems are an axis of the table."""

    true: str
    systems: list[str]
    weights: list[str]
    by: list[str]
    wide: bool
    counts: list[str]

    @classmethod
    def from_options(
        cls, true: str, pred: Any, weights: str | None, by: Any, counts: str | None = None
    ) -> FrameColumns:
        """From the options of a user: one or several columns of predictions and of slices."""
        systems, slices = _names(pred, "pred"), [] if by is None else _names(by, "by")
        if not systems or len(set(systems)) < len(systems):
            raise InputError(f"pred must name different columns, got {shown(systems)}")
        if weights is not None and counts is not None:
            raise InputError("counts go without weights: what was added up has lost its squares")
        weight_columns, count_columns = ([] if c is None else [c] for c in (weights, counts))
        return cls(true, systems, weight_columns, slices, systems != [pred], count_columns)

    @property
    def labels(self) -> list[str]:
        """The columns that hold labels or keys of slices."""
        return [self.true, *self.systems, *self.by]

    def check(self, frame: Any) -> None:
        """Check that columns exist, weights are numbers, and systems have labels of one kind."""
        schema = dict(frame.collect_schema())
        columns: list[Any] = [self.true, *self.systems, *self.weights, *self.counts, *self.by]
        not_text = [c for c in columns if not isinstance(c, str)]
        if not_text:
            raise InputError(f"the names of columns must be text, got {shown(not_text)}")
        absent = [c for c in columns if c not in schema]
        if absent:
            raise InputError(
                f"the frame has columns {shown(schema, 12)}, expected {shown(absent)} too"
            )
        refuse_case(frame, columns, schema)
        refuse_objects(frame, columns, schema)
        for c in self.weights:
            if not (schema[c].is_numeric() or kind_of_column(schema[c]) == "bool"):
                raise InputError(f"column {c!r} must hold numbers, got {schema[c]}")
        for c in self.counts:
            if not schema[c].is_integer():
                raise InputError(f"column {c!r} must hold whole numbers of items, got {schema[c]}")
        kind, first = None, ""
        numbers = self._mixed_numbers(schema)
        for column in self.systems if len(self.systems) > 1 else ():
            own = "float" if column in numbers else kind_of_column(schema[column])
            kind = same_kind(kind, own, f"column {first!r}", f"column {column!r}")
            first = first or column

    def _mixed_numbers(self, schema: Mapping[str, Any]) -> list[str]:
        """Systems with integers if others have floats, as in pandas if a value is missing."""
        kinds = {c: kind_of_column(schema[c]) for c in self.systems}
        return [c for c, kind in kinds.items() if kind == "int" and "float" in kinds.values()]

    def grouped(self, frame: Any, of_files: bool) -> dict[str, Any]:
        """The distinct combinations of labels and slices, with their sums, as columns.

        Columns are renamed first, so that no user's name can collide with ours.
        """
        import narwhals as nw

        floats = self._mixed_numbers(dict(frame.collect_schema())) if self.wide else []
        frame = without_star(frame)
        slices = [f"{BY}{i}" for i in range(len(self.by))]
        guesses = [f"{PRED}{i}" for i in range(len(self.systems))] if self.wide else [PRED]

        def column(c: str, name: str, dtype: Any = None) -> Any:
            original = named_column(frame, c)
            return (original if dtype is None else original.cast(dtype)).alias(name)

        selected = [
            column(c, name, nw.Float64 if c in floats else None)
            for c, name in zip(self.labels, [TRUE, *guesses, *slices], strict=True)
        ]
        selected += [column(c, WEIGHT, nw.Float64) for c in self.weights]
        selected += [column(c, COUNT, nw.Int64) for c in self.counts]
        frame = frame.select(*selected)
        if self.wide:
            numbers = [WEIGHT] * len(self.weights) + [COUNT] * len(self.counts)
            frame = unpivoted(frame, guesses, [TRUE, *slices, *numbers], SYSTEM, PRED)
        sums = [nw.len().alias(ROWS if self.counts else ITEMS)]
        if self.counts:
            n = nw.col(COUNT)
            frame = frame.with_columns((n >= 0).cast(nw.Int64).alias(FIT))
            sums += [n.sum().alias(ITEMS), nw.col(FIT).sum().alias(FIT)]
        if self.weights:
            w = nw.col(WEIGHT)
            fit = is_weight(w).cast(nw.Int64).alias(FIT)
            frame = frame.with_columns((w * w).alias(SQUARE), fit)
            sums += [w.sum().alias(SUM), *(nw.col(c).sum().alias(c) for c in (SQUARE, FIT))]
            sums.append(w.count().alias(KNOWN))
        keys = [*([SYSTEM] if self.wide else []), *slices, TRUE, PRED]
        groups = collected(frame.group_by(*keys).agg(*sums))
        if of_files:
            groups = nw.from_native(trim(groups.to_native(), keys), eager_only=True)
        return {c: groups[c].to_native() for c in groups.columns}

    def tally(self, groups: dict[str, Any], names: tuple[str, str]) -> Tally:
        """The groups as a tally."""
        for name in self.counts:
            rows, fit = (np.asarray(groups[c], np.float64).sum() for c in (ROWS, FIT))
            if fit < rows:  # negative or null
                raise InputError(f"column {name!r} must hold a number of items ≥ 0 in every row")
        items = np.asarray(groups[ITEMS]).astype(np.int64)
        weight = square = None
        for name in self.weights:
            nulls = items.sum() - np.asarray(groups[KNOWN]).astype(np.int64).sum()
            if nulls:
                raise InputError(
                    f"column {name!r} must hold a weight for every row, "
                    f"got {nulls // len(self.systems):,} null(s)"
                )
            weight, square, fit = (np.asarray(groups[c], np.float64) for c in (SUM, SQUARE, FIT))
            if fit.sum() < items.sum():
                raise InputError(f"column {name!r} must hold weights that are {WEIGHTS}")
        table = None
        keys: list[tuple[Hashable, ...]] = []
        if self.wide:
            systems = [int(v.removeprefix(PRED)) for v in values_in(groups[SYSTEM])]
            table = np.array(systems, np.int64)
            keys.append(tuple(self.systems))
            counts = np.bincount(table, items, minlength=len(self.systems)).tolist()
            if len(set(counts)) > 1:
                raise InputError(f"the engine lost rows: it counted {counts} of each system")
        if self.by:
            values = keys_of([values_in(groups[f"{BY}{i}"]) for i in range(len(self.by))])
            place, slices = slices_of(values or (), f"column {shown(self.by)}")
            table = place if table is None else table * len(slices) + place
            keys.append(slices)
        true, pred = map(factorize, (groups[TRUE], groups[PRED]), names)
        return Tally(true, pred, items, weight, square, table, tuple(keys), len(self.systems))


def distinct_rows(frame: Any, columns: Sequence[str], *, of_files: bool = False) -> dict[str, Any]:
    """The distinct rows of some columns by name, and the number of items of each (ITEMS)."""
    import narwhals as nw

    frame = without_star(in_narwhals(frame))
    names = {c: f"{TRUE}{i}" for i, c in enumerate(dict.fromkeys(columns))}
    selected = [named_column(frame, c).alias(name) for c, name in names.items()]
    rows = collected(frame.select(*selected).group_by(*names.values()).agg(nw.len().alias(ITEMS)))
    if of_files:
        rows = nw.from_native(trim(rows.to_native(), names.values()), eager_only=True)
    return {c: rows[name].to_native() for c, name in {**names, ITEMS: ITEMS}.items()}


def _names(columns: Any, what: str) -> list[Any]:
    """One or several names of columns as a list."""
    is_one = isinstance(columns, str) or not hasattr(columns, "__iter__")
    return [columns] if is_one else in_order(columns, what)

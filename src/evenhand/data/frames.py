"""Counting frames of any library with its own group-by."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from evenhand.data.cells import WEIGHTS, is_weight
from evenhand.data.confusion import Confusion
from evenhand.data.counting import Tally, count_sample, keys_of, slices_of, table_of_tally
from evenhand.data.factorize import escape_column, factorize, polars_column, trim
from evenhand.data.labels import Counting, in_order, kind_of_type, no_labels, one_kind
from evenhand.data.matching import refuse_absent
from evenhand.data.sample import Sample
from evenhand.errors import InputError, NoRowsError, shown


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
    is_eager = isinstance(wrapped, nw.DataFrame)
    return wrapped.lazy() if is_eager and wrapped.implementation.is_polars() else wrapped


def with_columns(
    frame: Any, labels: list[Any], numbers: list[Any], *, whole_numbers: bool = False
) -> Any:
    """A frame for narwhals that has these columns, of labels and of (``whole_numbers``) numbers."""
    import narwhals as nw

    wrapped, columns = in_narwhals(frame), [*labels, *numbers]
    schema, library = dict(wrapped.collect_schema()), wrapped.implementation
    not_text = [c for c in columns if not isinstance(c, str)]
    if not_text:
        raise InputError(f"the names of columns must be text, got {shown(not_text)}")
    refuse_absent(columns, schema, "the frame")
    in_memory = library.is_pandas_like() or library.is_polars() or library.is_pyarrow()
    if not in_memory and not library.is_dask():  # SQL would confuse them
        times = Counter(c.lower() for c in schema)
        stars = ["*"] if library.is_duckdb() else []  # all columns
        ambiguous = [c for c in columns if times[c.lower()] > 1 or c in stars]
        if ambiguous:
            raise InputError(
                f"columns must differ in more than case, none may be '*', got {shown(ambiguous)}"
            )
    objects = [c for c in columns if schema[c] == nw.Object]
    if objects and library.is_polars():  # which can neither sort nor group them
        raise no_labels(f"column {shown(objects)}", "Object")
    for c in numbers:
        fits = schema[c].is_numeric() or schema[c] == nw.Boolean
        if not (schema[c].is_integer() if whole_numbers else fits):
            kind = "whole numbers of items" if whole_numbers else "numbers"
            raise InputError(f"column {c!r} must hold {kind}, got {schema[c]}")
    return of_one_kind(wrapped, labels)


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
            known = native[c].dropna()
            if hasattr(known, "compute"):  # Dask
                kinds = known.map(type, meta=(None, object)).unique(split_out=1)
                types = set(kinds.compute())
            else:
                types = set(map(type, known.to_numpy()))
            numbers = [t for t in types if kind_of_type(t) in ("bool", "int", "float")]
            if one_kind(numbers, f"column {c!r}") == "int" and len(numbers) == len(types):
                integers[c] = "Int64"
    try:
        return nw.from_native(native.astype(integers)) if integers else frame
    except (OverflowError, TypeError, ValueError):  # beyond 64 bits they stay as they are
        return frame


def named_column(frame: Any, name: str) -> Any:
    """The column of a name, escaped where an engine would read it as a pattern."""
    import narwhals as nw

    if frame.implementation.is_polars():
        return nw.col(escape_column(name))
    if frame.implementation.is_pyspark():
        return nw.col("`" + name.replace("`", "``") + "`")
    return nw.col(name)


def collected(frame: Any) -> Any:
    """A frame in memory; Polars collects it by streaming."""
    options = {"engine": "streaming"} if frame.implementation.is_polars() else {}
    return frame.collect(**options) if hasattr(frame, "collect") else frame


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
    """Some columns of a frame; at most the first rows, if that is set."""
    wrapped = in_narwhals(frame)
    columns = wrapped.select(named_column(wrapped, c).alias(c) for c in dict.fromkeys(names))
    return collected(columns if most is None else columns.head(most))


def first_rows(frame: Any, columns: Sequence[str], most: int) -> Any:
    """The first rows of columns of a frame in Polars, as far as it can hold them."""
    import polars as pl

    have = set(column_names(frame))
    rows = in_memory(frame, (c for c in columns if c in have), most)
    series = {c: polars_column(rows[c].to_native(), c) for c in rows.columns}
    return pl.DataFrame({c: values for c, values in series.items() if values is not None})


ITEMS, NUMBER, SUM, SQUARE, FIT = (
    f"evenhand:{name}" for name in ("items", "number", "sum", "square", "fit")
)
"""Columns of grouped rows, with names that no user's column has."""


def distinct_rows(
    frame: Any,
    columns: Sequence[str],
    *,
    weights: str | None = None,
    counts: str | None = None,
    of_files: bool = False,
) -> dict[str, Any]:
    """The distinct rows of some columns by name, and the number of items of each (ITEMS).

    With ``weights`` also the sums of weights and of their squares; ``counts`` are the items of a
    row. Labels ``of_files`` (a Polars frame) are trimmed after grouping, when there are few.
    """
    import narwhals as nw

    frame = in_narwhals(frame)
    names = {c: f"key{i}" for i, c in enumerate(dict.fromkeys(columns))}
    selected = [named_column(frame, c).alias(name) for c, name in names.items()]
    sums, x = [nw.len().alias(ITEMS)], nw.col(NUMBER)
    column, dtype = (counts, nw.Int64) if weights is None else (weights, nw.Float64)
    if column is None:
        frame = frame.select(*selected)
    else:
        frame = frame.select(*selected, named_column(frame, column).cast(dtype).alias(NUMBER))
        fits, float_x = x >= 0 if weights is None else is_weight(x), x.cast(nw.Float64)
        squares = (float_x * float_x).alias(SQUARE)
        frame = frame.with_columns(squares, fits.cast(nw.Int64).alias(FIT))
        sums += [x.sum().alias(SUM), *(nw.col(c).sum().alias(c) for c in (SQUARE, FIT))]
    rows = collected(frame.group_by(*names.values()).agg(*sums))
    if column is not None and (bad := int(rows[ITEMS].sum() - rows[FIT].sum())):
        expected = "numbers of items ≥ 0" if weights is None else f"weights that are {WEIGHTS}"
        raise InputError(f"column {column!r} must hold {expected}, got {bad:,} that are not")
    if of_files:
        rows = nw.from_native(trim(rows.to_native(), names.values()), eager_only=True)
    own = {c: c for c in rows.columns if c not in names.values()}
    if counts is not None:
        own[ITEMS] = SUM
    return {c: rows[name].to_native() for c, name in {**names, **own}.items()}


def count_frame(
    frame: Any, true: str, pred: str | Sequence[str], options: Counting, *, of_files: bool = False
) -> Confusion:
    """The table of two columns; a stack by system, by the values of ``by``, or by both."""
    systems, slices = _systems(pred), names_in(options.by, "by")
    weights, counts, names = options.weights, options.counts, options.names
    if systems != [pred]:
        stack = Confusion.stack({s: count_frame(frame, true, s, options) for s in systems})
        return replace(stack, axes=("system", *stack.axes[1:]))
    if weights is not None and counts is not None:
        raise InputError("counts go without weights: what was added up has lost its squares")
    numbers = [c for c in (weights, counts) if c is not None]
    lazy = with_columns(frame, [true, *systems, *slices], numbers, whole_numbers=counts is not None)
    columns = [*slices, true, *systems]
    rows = distinct_rows(lazy, columns, weights=weights, counts=counts, of_files=of_files)
    items = np.asarray(rows[ITEMS]).astype(np.int64)
    if not len(items):
        source = " and ".join(names or ("the frame",))
        raise NoRowsError(f"{source} has no rows: there is no item to count")
    called = names or [f"column {c!r}" for c in (true, *systems)]
    truth, guess = (factorize(rows[c], s) for c, s in zip((true, *systems), called, strict=True))
    weight, square = (
        None if weights is None else np.asarray(rows[c], np.float64) for c in (SUM, SQUARE)
    )
    keys = keys_of([values_in(rows[c]) for c in slices])
    place, slice_keys = (None, None) if keys is None else slices_of(keys, f"column {shown(slices)}")
    tally = Tally(truth, guess, items, weight, square, place)
    return table_of_tally(tally, replace(options, names=called), slice_keys)


def count_frame_rows(frame: Any, true: str, pred: str | Sequence[str], options: Counting) -> Sample:
    """The sample of a column of truth and one for each system, with weights and clusters."""
    systems, slices = _systems(pred), names_in(options.by, "by")
    weights, cluster = ([] if c is None else [c] for c in (options.weights, options.cluster))
    lazy = with_columns(frame, [true, *systems, *slices, *cluster], weights)
    rows = distinct_rows(lazy, [true, *systems, *slices, *cluster, *weights])
    options = replace(
        options,
        weights=rows[weights[0]] if weights else None,
        counts=np.asarray(rows[ITEMS]).astype(np.int64),
        cluster=rows[cluster[0]] if cluster else None,
        by=keys_of([values_in(rows[c]) for c in slices]),
        names=[f"column {name!r}" for name in (true, *systems)],
    )
    return count_sample(rows[true], {name: rows[name] for name in systems}, options)


def _systems(pred: Any) -> list[Any]:
    """The names of different columns of predictions."""
    systems = names_in(pred, "pred")
    if not systems or len(set(map(repr, systems))) < len(systems):
        raise InputError(f"pred must name different columns, got {shown(systems)}")
    return systems


def names_in(columns: Any, what: str) -> list[Any]:
    """No, one or several names of columns as a list."""
    if columns is None:
        return []
    is_one = isinstance(columns, str) or not hasattr(columns, "__iter__")
    return [columns] if is_one else in_order(columns, what)

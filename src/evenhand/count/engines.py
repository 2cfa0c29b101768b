"""Engines: frames of every library behind one interface, and what each would read otherwise.

What is meant by a name, a type or an encoding is not what all of them take it for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

from evenhand.count.encode import run_end_decoded
from evenhand.count.exact import exact
from evenhand.errors import InputError, shown
from evenhand.tables.labels import kind_of_type, one_kind

STAR = "evenhand:*"
"""What a column called ``*`` is called meanwhile."""


def in_narwhals(frame: Any) -> Any:
    """A frame of any library; an eager one of Polars made lazy, which is several times faster."""
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
    """A table of Arrow with its columns changed."""
    import narwhals as nw

    table = frame.to_native()
    for i, column in enumerate(table.columns):
        table = table.set_column(i, table.column_names[i], change(column))
    return nw.from_native(table)


def kind_of_column(dtype: Any) -> str | None:
    """The kind of labels that a column of this type has; categories may be of any."""
    import narwhals as nw

    if dtype.is_integer():
        return "int"
    if dtype.is_float():
        return "float"
    if dtype in (nw.String, nw.Enum):
        return "str"
    return "bool" if dtype == nw.Boolean else None


def refuse_objects(frame: Any, wanted: list[str], schema: dict[str, Any]) -> None:
    """Polars keeps Python objects, but can neither sort nor stack them."""
    import narwhals as nw

    strange = [c for c in wanted if schema[c] == nw.Object]
    if strange and frame.implementation.is_polars():
        raise InputError(
            f"column {shown(strange)} must be text, integers, booleans or floats, got Object; "
            "convert such labels to text first"
        )


def refuse_case(frame: Any, wanted: list[str], have: list[str]) -> None:
    """SQL does not tell ``a`` from ``A``, and would count one column for the other."""
    library = frame.implementation
    if library.is_pandas_like() or library.is_polars() or library.is_pyarrow() or library.is_dask():
        return
    times = Counter(c.lower() for c in have)
    alike = [c for c in wanted if times[c.lower()] > 1]
    if alike:
        raise InputError(f"columns must differ in more than case, got {shown(alike)}")


def of_one_kind(frame: Any, columns: list[str]) -> Any:
    """Columns of objects must hold numbers of one type: pandas groups 1, 1.0 and True as one.

    Integers beside nulls get a type of their own, or pandas would make floats of them.
    """
    import narwhals as nw

    if not (frame.implementation.is_pandas_like() or frame.implementation.is_dask()):
        return frame
    native = frame.to_native()
    whole = {}
    for c in columns:
        if native[c].dtype == object:
            types = _types(native[c])
            numbers = [t for t in types if kind_of_type(t) in ("bool", "int", "float")]
            if one_kind(numbers, f"column {c!r}") == "int" and len(numbers) == len(types):
                whole[c] = "Int64"
    try:
        return nw.from_native(native.astype(whole)) if whole else frame
    except (OverflowError, TypeError, ValueError):  # beyond 64 bits they stay as they are
        return frame


def _types(column: Any) -> set[type]:
    """The types of the objects in a column, nulls aside."""
    known = column.dropna()
    if hasattr(known, "compute"):
        return set(known.map(type, meta=(None, object)).unique(split_out=1).compute())
    return set(map(type, known.to_numpy()))


def without_star(frame: Any) -> Any:
    """DuckDB takes a column called ``*`` for all of them, unless SQL renames it."""
    import narwhals as nw

    if not frame.implementation.is_duckdb() or "*" not in frame.columns:
        return frame
    quoted = ['"' + c.replace('"', '""') + '"' for c in frame.columns]
    named = [f'{c} AS "{STAR}"' if c == '"*"' else c for c in quoted]
    return nw.from_native(frame.to_native().project(", ".join(named)))


def named_column(frame: Any, name: str) -> Any:
    """The column of that name, which engines might read as more than a name."""
    import narwhals as nw

    if frame.implementation.is_duckdb() and name == "*":
        return nw.col(STAR)
    if frame.implementation.is_polars():
        return nw.col(exact(name))
    if frame.implementation.is_pyspark():
        return nw.col("`" + name.replace("`", "``") + "`")
    return nw.col(name)


def without_categories(frame: Any) -> Any:
    """Columns as what their categories stand for, or different ones could not be put in one."""
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
    """A row for each of some columns, nulls included: its name, its value and what is beside."""
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
    """A frame in memory; Polars streams."""
    if not hasattr(frame, "collect"):
        return frame
    return (
        frame.collect(engine="streaming") if frame.implementation.is_polars() else frame.collect()
    )


def values_in(column: Any) -> list[Any]:
    """The values of a column of any library, as Python has them."""
    method = next(m for m in ("to_pylist", "tolist", "to_list") if hasattr(column, m))
    return list(getattr(column, method)())

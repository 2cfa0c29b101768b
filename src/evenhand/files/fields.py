"""Fields: columns, and what is inside them, by one name: ``doc.category``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evenhand.count.exact import exact


def path_to(name: str, columns: Mapping[str, Any]) -> tuple[str, ...] | None:
    """The way to a field by the names of columns and of the fields in them, if there is one."""
    if name in columns:
        return (name,)
    for column, dtype in columns.items():
        if name.startswith(f"{column}.") and hasattr(dtype, "fields"):
            inner = path_to(name[len(column) + 1 :], {f.name: f.dtype for f in dtype.fields})
            if inner is not None:
                return column, *inner
    return None


def value_at(path: tuple[str, ...]) -> Any:
    """The values of a field, as an expression."""
    import polars as pl

    found = pl.col(exact(path[0]))
    for name in path[1:]:
        found = found.struct.field(exact(name))
    return found


def type_at(path: tuple[str, ...], columns: Mapping[str, Any]) -> Any:
    """What a field holds."""
    dtype = columns[path[0]]
    for name in path[1:]:
        dtype = next(f.dtype for f in dtype.fields if f.name == name)
    return dtype


def schema_of(types: Mapping[tuple[str, ...], Any]) -> dict[str, Any]:
    """The columns that have fields of these types, and no others."""
    import polars as pl

    found: dict[str, Any] = {}
    for first in dict.fromkeys(path[0] for path in types):
        inner = {path[1:]: dtype for path, dtype in types.items() if path[0] == first}
        found[first] = inner[()] if () in inner else pl.Struct(schema_of(inner))
    return found

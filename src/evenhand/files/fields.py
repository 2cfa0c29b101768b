"""Fields: columns, and what is inside them, by one name: ``doc.category``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evenhand.count.exact import exact


def path_to(name: str, columns: Mapping[str, Any]) -> tuple[str, ...] | None:
    """The way to a field by the names of columns and of the fields in them, if there is one."""
    if name in columns:
        return (name,)
    for column, held in columns.items():
        fields = getattr(held, "fields", {}) if name.startswith(f"{column}.") else {}
        if not isinstance(fields, Mapping):
            fields = {f.name: f.dtype for f in fields}
        inner = path_to(name[len(column) + 1 :], fields)
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

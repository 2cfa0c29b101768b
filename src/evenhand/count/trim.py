"""Labels of files: white space around one is no part of it, and with nothing left it is none.

This is so for every kind of file. Data in memory are taken as they are, ``""`` and ``" a"`` too.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from evenhand.count.exact import exact


def trim(frame: Any, columns: Iterable[str]) -> Any:
    """A Polars frame with the text, or the lists of text, in some columns as labels."""
    import polars as pl

    schema = frame.collect_schema()
    changed = []
    for name in dict.fromkeys(columns):
        column, dtype = pl.col(exact(name)), schema[name]
        if isinstance(dtype, pl.List) and _is_text(dtype.inner):
            changed.append(column.list.eval(_bare(pl.element())))
        elif _is_text(dtype):
            changed.append(_bare(column))
    return frame.with_columns(changed)


def _is_text(dtype: Any) -> bool:
    import polars as pl

    return dtype in (pl.String, pl.Categorical, pl.Enum, pl.Binary)


def _bare(text: Any) -> Any:
    """Text without white space around it, or null; ``replace`` would keep all rows in memory."""
    import polars as pl

    text = text.cast(pl.String).str.strip_chars()
    return pl.when(text != "").then(text)

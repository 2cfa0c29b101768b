"""What is amiss with a file, said in one line that names the place."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Any

from evenhand.count.exact import exact
from evenhand.count.trim import trim
from evenhand.errors import InputError, shown
from evenhand.files.blocks import blocks, unreadable
from evenhand.files.sources import Source, scan

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

    text = trim(frame.select(pl.col(exact(column)).alias("")), [""])
    try:
        text.select(pl.col("").hash().max()).collect(engine="streaming")
    except pl.exceptions.PolarsError as e:
        return not _is_encoding(str(e))
    return True


def refuse_empty_lines(source: Source) -> None:
    """Name the empty line of a file with one label a line: a missing answer is no empty line."""
    import polars as pl

    for path, name in source.files if source.kind == "lines" else ():
        for block in blocks(path, name):
            lines = trim(pl.read_lines(block.text, name="line"), ["line"])["line"]
            for at in lines.is_null().arg_true().head(1):
                raise InputError(
                    f"{name}, line {block.line + at}: expected a label, got an empty line"
                )

"""Spreadsheets, and folders of Parquet."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import unquote_to_bytes

from evenhand.errors import InputError, shown
from evenhand.io.delimited import distinct, unreadable
from evenhand.warnings import ResultWarning, SheetTaken


def read_sheet(path: str, name: str, sheet: str | None, *, header: bool) -> Any:
    """One sheet, the first unless told; without a header, its columns are numbered from 1."""
    import polars as pl

    if sheet is not None:
        _refuse_absent(path, name, sheet)
    with _explained(name):
        frame = pl.read_excel(
            path,
            sheet_name=sheet,
            engine="calamine",
            has_header=header,
            infer_schema_length=None,
            drop_empty_rows=False,
            drop_empty_cols=False,
            raise_if_empty=False,
        )
        if not header:
            frame.columns = [str(i + 1) for i in range(frame.width)]
        elif any(re.sub(r"_[0-9]+$", "", c) in frame.columns for c in frame.columns if "_" in c):
            frame.columns = distinct(first_rows(path, name, sheet, 1)[0])  # as in other files
    if not frame.width:
        raise InputError(f"{name} is empty, expected {'a header and rows' if header else 'rows'}")
    return _without_tail(frame)


def _without_tail(frame: Any) -> Any:
    """The rows up to the last that has something in it: sheets often have more."""
    import polars as pl

    text = pl.col(pl.String)
    bare = frame.with_columns(pl.when(text.str.strip_chars() != "").then(text))
    full = bare.select(pl.any_horizontal(pl.all().is_not_null())).to_series()
    return frame.head(len(full) - (full.reverse().arg_max() or 0) if full.any() else 0)


def sheets_left_out(files: Sequence[tuple[str, str]], is_stream: bool) -> Iterator[ResultWarning]:
    """A warning of the sheets that are not read; sheets with the columns of the first are refused.

    A first sheet without anything in it is refused too. In a stream no sheet can be named.
    """
    for path, name in files:
        heads = {sheet: first_rows(path, name, sheet, 1) for sheet in sheets(path, name)}
        first, *others = heads
        full = [sheet for sheet in others if heads[sheet]]
        own = {*heads[first][0]} - {""} if heads[first] else set()
        same = [sheet for sheet in full if own and own <= {*heads[sheet][0]}]
        if not is_stream and (same or (full and not heads[first])):
            what = "several sheets with the same columns" if same else "an empty first sheet"
            names = [f"{name}#{sheet}" for sheet in ([first, *same] if same else full)]
            raise InputError(f"{name} has {what}: say which is meant, {shown(names)}")
        if full:
            yield SheetTaken(name, first, tuple(full))


def first_rows(path: str, name: str, sheet: str | None, limit: int | None) -> list[list[str]]:
    """The first rows of a sheet as text."""
    import fastexcel

    if sheet is not None:
        _refuse_absent(path, name, sheet)
    with _explained(name):
        cells = fastexcel.read_excel(path).load_sheet(
            sheet or 0, header_row=None, n_rows=limit, schema_sample_rows=None, dtypes="string"
        )
        return [[(value or "").strip() for value in row] for row in cells.to_polars().rows()]


def sheets(path: str, name: str) -> list[str]:
    """The names of the sheets."""
    import fastexcel

    with _explained(name):
        return list(fastexcel.read_excel(path).sheet_names)


def _refuse_absent(path: str, name: str, sheet: str) -> None:
    have = sheets(path, name)
    if sheet not in have:
        raise InputError(f"{name} has sheets {shown(have)}, expected {sheet!r}")


@contextmanager
def _explained(name: str) -> Iterator[None]:
    """What the reader says, in one line."""
    import fastexcel
    import polars as pl

    try:
        yield
    except (fastexcel.FastExcelError, pl.exceptions.PolarsError) as e:
        raise unreadable(name, e) from None


# Hive partitions: folders named ``key=value`` around Parquet files, as columns of text.

_PATH = "evenhand:path"
_NULL = "__HIVE_DEFAULT_PARTITION__"


def partition(path: str) -> dict[str, str | None]:
    """What the folders of a path say of its file, as text.

    >>> partition("data/lang=de/day=__HIVE_DEFAULT_PARTITION__/part-0.parquet")
    {'lang': 'de', 'day': None}
    """
    pairs = [folder.partition("=") for folder in Path(path).parent.parts]
    return {_decoded(k): None if v == _NULL else _decoded(v) for k, mark, v in pairs if k and mark}


def partitions(paths: Sequence[str]) -> list[str]:
    """The columns that only the folders of every path give, not the files themselves."""
    import polars as pl

    first, *others = map(partition, paths)
    keys = [key for key in first if all(key in other for other in others)]
    own = pl.read_parquet_schema(paths[0]) if keys else {}
    return [key for key in keys if key not in own]


def scan_parquet(paths: Sequence[str]) -> Any:
    """Parquet files, their partitions beside their columns; a column of their own is kept."""
    import polars as pl

    keys = partitions(paths)
    if not keys:
        return pl.scan_parquet(list(paths), glob=False)
    frame = pl.scan_parquet(list(paths), glob=False, include_file_paths=_PATH)
    folders = {p: partition(p) for p in paths}

    def values(key: str) -> Any:
        def lookup(paths: Any) -> Any:  # by the batch, or all rows would be in memory
            known = {p: folders[p][key] for p in paths.unique()}
            return paths.replace_strict(known, return_dtype=pl.String)

        path = pl.col(_PATH).map_batches(lookup, return_dtype=pl.String, is_elementwise=True)
        return path.alias(key)

    return frame.with_columns(map(values, keys)).drop(_PATH)


def scan_arrow(paths: Sequence[str]) -> Any:
    """Arrow files."""
    import polars as pl

    return pl.scan_ipc(list(paths), glob=False)


def _decoded(text: str) -> str:
    return unquote_to_bytes(os.fsencode(text)).decode("utf-8", "backslashreplace")

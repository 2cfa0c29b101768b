"""Spreadsheets, and folders of Parquet."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from evenhand.errors import InputError, shown
from evenhand.io.delimited import distinct, unreadable
from evenhand.warnings import ResultWarning, SheetTaken


def read_sheet(path: str, name: str, sheet: str | None, *, header: bool) -> Any:
    """One sheet, the first unless told; without a header, its columns are numbered from 1."""
    import polars as pl

    logging.getLogger("fastexcel").addHandler(logging.NullHandler())  # of types it falls back to
    with _workbook(path, name, sheet):
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
        elif any(
            re.sub(r"_[0-9]+$", "", c) in {*frame.columns, "__UNNAMED_"} for c in frame.columns
        ):
            frame.columns = distinct(first_rows(path, name, sheet, 1)[0])  # as in other files
    if not frame.width:
        raise InputError(f"{name} is empty, expected {'a header and rows' if header else 'rows'}")
    frame = _without_tail(frame)
    blank = frame.select(pl.all_horizontal(pl.all().is_null())).to_series()
    if frame.width > 1 and blank.any():
        row = int(blank.arg_max() or 0) + 1
        raise InputError(f"{name}, row {row}: expected an item, got an empty row: take it out")
    return frame


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
    with _workbook(path, name, sheet) as book:
        cells = book.load_sheet(
            sheet or 0, header_row=None, n_rows=limit, schema_sample_rows=None, dtypes="string"
        )
        return [[(value or "").strip() for value in row] for row in cells.to_polars().rows()]


def sheets(path: str, name: str) -> list[str]:
    """The names of the sheets."""
    with _workbook(path, name) as book:
        return list(book.sheet_names)


@contextmanager
def _workbook(path: str, name: str, sheet: str | None = None) -> Iterator[Any]:
    """A spreadsheet with the sheet that is meant; what its reader says, in one line."""
    import fastexcel
    import polars as pl

    try:
        book = fastexcel.read_excel(path)
        if sheet not in (None, *book.sheet_names):
            raise InputError(f"{name} has sheets {shown(book.sheet_names)}, expected {sheet!r}")
        yield book
    except (fastexcel.FastExcelError, pl.exceptions.PolarsError) as e:
        raise unreadable(name, e) from None


# Hive partitions: folders named ``key=value`` around Parquet files, as columns of text.


def partitions(paths: Sequence[str]) -> list[str]:
    """The columns that only the folders of every path give, not the files themselves."""
    import polars as pl

    first, *others = (Path(path).parent.parts for path in paths)
    keys = [folder.partition("=")[0] for folder in first if "=" in folder]
    keys = [k for k in keys if all(any(f.startswith(f"{k}=") for f in o) for o in others)]
    own = pl.read_parquet_schema(paths[0]) if keys else {}
    return [key for key in keys if key and key not in own]


def scan_parquet(paths: Sequence[str]) -> Any:
    """Parquet files, their partitions beside their columns; a column of their own is kept."""
    import polars as pl

    types = dict.fromkeys(partitions(paths), pl.String) or None
    hive = types is not None
    return pl.scan_parquet(list(paths), glob=False, hive_partitioning=hive, hive_schema=types)


def scan_arrow(paths: Sequence[str]) -> Any:
    """Arrow files."""
    import polars as pl

    return pl.scan_ipc(list(paths), glob=False)

"""Spreadsheets: a sheet as a frame; whole numbers are integers, text is text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from evenhand.count.exact import exact
from evenhand.errors import InputError, shown
from evenhand.files.blocks import unreadable
from evenhand.files.delimited import distinct

_LIKE_OTHERS = r"^\s*(?:[-+]?[0-9][0-9.,]*(?:[eE][-+]?[0-9]+)?|(?i:true|false))\s*$"
"""Text that a cell of another kind would be read as."""


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
            frame.columns = _header(path, sheet)
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


def mixed_columns(
    path: str, sheet: str | None, frame: Any, columns: Sequence[str], *, header: bool
) -> list[str]:
    """Columns of text in which some cells are no text but were read as such."""
    import fastexcel
    import polars as pl

    found = []
    for c in columns:
        column = frame.select(pl.col(exact(c)).alias("")).collect()[""]
        if column.dtype == pl.String and column.str.contains(_LIKE_OTHERS).any():
            place = list(frame.collect_schema()).index(c)
            try:
                fastexcel.read_excel(path).load_sheet(
                    sheet or 0,
                    schema_sample_rows=None,
                    dtype_coercion="strict",
                    header_row=0 if header else None,
                    use_columns=[place],
                )
            except fastexcel.UnsupportedColumnTypeCombinationError:
                found.append(c)
    return found


def sheets(path: str, name: str) -> list[str]:
    """The names of the sheets."""
    import fastexcel

    with _explained(name):
        return list(fastexcel.read_excel(path).sheet_names)


def read_cells(path: str, name: str, sheet: str) -> list[tuple[str, ...]]:
    """Every row of a sheet as text."""
    import fastexcel

    _refuse_absent(path, name, sheet)
    with _explained(name):
        found = fastexcel.read_excel(path).load_sheet(
            sheet, header_row=None, schema_sample_rows=None, dtypes="string"
        )
        return [tuple((v or "").strip() for v in row) for row in found.to_polars().rows()]


def _refuse_absent(path: str, name: str, sheet: str) -> None:
    have = sheets(path, name)
    if sheet not in have:
        raise InputError(f"{name} has sheets {shown(have)}, expected {sheet!r}")


def _header(path: str, sheet: str | None) -> list[str]:
    """The first row as it is, two columns of one name told apart as in other files."""
    import fastexcel

    row = fastexcel.read_excel(path).load_sheet(
        sheet or 0, header_row=None, n_rows=1, dtypes="string"
    )
    return distinct([v or "" for v in row.to_polars().row(0)])


@contextmanager
def _explained(name: str) -> Iterator[None]:
    """What the reader says, in one line."""
    import fastexcel
    import polars as pl

    try:
        yield
    except (fastexcel.FastExcelError, pl.exceptions.PolarsError) as e:
        raise unreadable(name, e) from None

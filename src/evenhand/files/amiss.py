"""What is amiss with items: looked for once more, to name the row."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from evenhand.count.exact import exact, values_of
from evenhand.count.tally import NullTruthError
from evenhand.count.trim import trim
from evenhand.errors import InputError, Option, shown
from evenhand.files.check import refuse_empty_lines
from evenhand.files.sources import height, scan
from evenhand.tables.weights import WEIGHTS, is_weight

if TYPE_CHECKING:
    from evenhand.files.items import Items


@contextmanager
def placed(items: Items) -> Iterator[None]:
    """Errors of counting items, with the place where that can be found."""
    import polars as pl
    from narwhals.exceptions import ShapeError

    try:
        yield
    except (pl.exceptions.ShapeError, ShapeError):
        _refuse_unpaired(items)
        raise
    except InputError as e:
        for source in items.sources:
            refuse_empty_lines(source)
        if items.reading.weights is not None:
            numeric(items, items.reading.weights)
        if isinstance(e, NullTruthError):
            at, _ = first_row(items, items.columns[0], missing)
            raise e.first(at.removeprefix(", ")) from None
        raise


def first_row(
    items: Items, column: str, wanted: Callable[[Any], Any]
) -> tuple[str, tuple[Any, ...]]:
    """The first row that is so, ``, row 3``, if rows are those of the file; and what is there."""
    frame = trim(items.frame.select(exact(column)).collect(), [column])
    row = int(wanted(values_of(frame, column)).arg_max() or 0)
    joined = items.reading.id is not None and len(items.sources) > 1
    moved = joined and column not in (items.columns[0], *items.reading.beside)
    named = items.as_in_file and not moved
    return f", row {row + 1}" if named else "", frame.row(row)


def missing(column: Any) -> Any:
    """Which values are none."""
    null = column.is_null()
    return null | column.is_nan().fill_null(False) if column.dtype.is_float() else null


def lacking(lists: Any) -> Any:
    """Which lists are none, or hold nothing in the place of a label."""
    import polars as pl

    return lists.is_null() | lists.list.eval(pl.element().is_null()).list.any().fill_null(False)


def numeric(items: Items, column: str) -> Any:
    """The frame with a column of weights as numbers; the first that is none is named."""
    import polars as pl

    name, frame = items.truth.source.name, items.frame
    dtype = frame.collect_schema()[column]
    if dtype.is_nested():
        raise InputError(f"{name}, column {column} must hold numbers, got {dtype}")
    number = pl.col(exact(column)).cast(pl.Float64, strict=False)
    found = trim(frame, [column]).with_columns(number)
    rows = found.select(pl.col(exact(column)).alias("")).with_row_index("row")
    bad = rows.filter(~is_weight(pl.col("")).fill_null(False)).head(1).collect(engine="streaming")
    for row, weight in bad.iter_rows():
        (came,) = frame.select(exact(column)).slice(row, 1).collect().row(0)
        at = f", row {row + 1}" if items.as_in_file else ""
        wanted = "a number" if weight is None else f"a weight that is {WEIGHTS}"
        raise InputError(f"{name}, column {column}{at}: expected {wanted}, got {shown([came])}")
    return found


def _refuse_unpaired(items: Items) -> None:
    """Name the empty line, or the two lengths, for which files cannot be paired."""
    for source in items.sources:
        refuse_empty_lines(source)
    gold = items.truth.source
    wanted = height(scan(gold))
    for place in items.systems.values():
        have = height(scan(place.source))
        if have != wanted:
            named: tuple[str | Option, ...] = ()
            if gold.has_columns and place.source.has_columns:
                named = (", or ", Option("id"), " to match them by")
            raise InputError(
                f"{gold.name} has {wanted:,} labels and {place.source.name} has {have:,}: "
                "they must have one each for the same items",
                *named,
            )

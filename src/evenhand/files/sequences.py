"""Lists in files: sets of labels, or sequences with one item a token."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from evenhand.count.exact import exact
from evenhand.errors import InputError, Option
from evenhand.files.join import ID

if TYPE_CHECKING:
    from evenhand.files.items import Items

SEQUENCE = "evenhand:sequence"
"""What the column of the sequence that a token is of is called."""

CHOICE = (Option("kind", "multi-label"), " or ", Option("kind", "tokens"))
"""What lists may be."""


def unfolded(items: Items) -> Items:
    """Text parted into lists and sequences into one item a token, where the reading says so."""
    reading = items.reading
    if reading.separator is not None:
        items = _parted(items, reading.separator)
    if reading.kind is not None:
        _all_lists(items)
    return _tokens(items) if reading.kind == "tokens" else items


def _parted(items: Items, mark: str) -> Items:
    """Every text as the list of what stands between the marks; nothing there is no label."""
    import polars as pl

    schema = items.frame.collect_schema()
    for place, c in zip(items.places, items.columns, strict=True):
        if schema[c] not in (pl.String, pl.Categorical, pl.Enum):
            raise InputError(
                f"{place} must hold text to be parted with ",
                Option("separator"),
                f", got {schema[c]}",
            )
    parts = pl.col(items.columns).cast(pl.String).fill_null("").str.split(mark)
    if items.reading.kind != "tokens" or not mark.strip():
        bare = pl.element().str.strip_chars()
        parts = parts.list.eval(bare.filter(bare != ""))
    return replace(items, frame=items.frame.with_columns(parts))


def _all_lists(items: Items) -> None:
    import polars as pl

    schema = items.frame.collect_schema()
    for place, c in zip(items.places, items.columns, strict=True):
        if not isinstance(schema[c], pl.List):
            raise InputError(
                f"{place} must hold lists of labels, or text that ",
                Option("separator"),
                f" parts, got {schema[c]}",
            )


def _tokens(items: Items) -> Items:
    """One item a token, of sequences that must be as long in every column; they are clusters."""
    import polars as pl

    if not items.reading.drop_null_truth:
        first = items.columns[0]
        null = items.frame.select(pl.col(first).is_null()).collect(engine="streaming")[first]
        if null.any():
            row = f", row {int(null.arg_max() or 0) + 1}" if items.as_in_file else ""
            raise InputError(f"{items.truth}{row}: expected a sequence of labels, got none")
    sizes = [pl.col(c).list.len().fill_null(0) for c in items.columns]
    rows = items.frame.select(size.alias(c) for size, c in zip(sizes, items.columns, strict=True))
    bad = rows.with_row_index("row").filter(_unlike(items.columns)).head(1)
    for place, *lengths in bad.collect(engine="streaming").iter_rows():
        at = next(i for i, length in enumerate(lengths) if length != lengths[0])
        raise InputError(
            f"row {place + 1}: {items.places[at]} has {lengths[at]:,} tokens and {items.truth} "
            f"{lengths[0]:,}: a sequence must be as long in both"
        )
    frame, reading = items.frame, items.reading
    if ID in frame.collect_schema():  # whatever the order of the files
        frame = frame.with_columns(pl.col(ID).alias(SEQUENCE))
    else:  # whatever the order of rows
        text = (pl.col(c).cast(pl.List(pl.String)).list.join("\0") for c in items.columns)
        beside = (pl.col(exact(c)) for c in reading.beside)
        frame = frame.sort(*text, *beside).with_row_index(SEQUENCE)
    frame = frame.filter(sizes[0] > 0).explode(items.columns)
    if reading.cluster is None:
        reading = replace(reading, cluster=SEQUENCE)
    return replace(items, frame=frame, reading=reading, as_in_file=False)


def _unlike(columns: Sequence[str]) -> Any:
    import polars as pl

    first, *others = columns
    return pl.any_horizontal(*(pl.col(c) != pl.col(first) for c in others))


def refuse_sequences(items: Items, sides: Sequence[Any]) -> None:
    """Lists that repeat a label, or are as long on both sides of every row, may be sequences."""
    for place, side in zip(items.places, sides, strict=True):
        twice = side.filter(side.list.n_unique() < side.list.len())
        if len(twice):
            raise InputError(
                f"{place} has lists that repeat a label, such as {twice[0].to_list()[:8]}: sets of "
                "labels, or sequences with one item a token? Say ",
                *CHOICE,
            )
    left, right = (side.list.len() for side in sides)
    if items.reading.separator is None and (left == right).all() and (left > 1).any():
        raise InputError(
            f"{items.places[0]} and {items.places[1]} hold lists of one length in every row: sets "
            "of labels, or sequences with one item a token? Say ",
            *CHOICE,
        )

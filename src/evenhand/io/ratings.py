"""Files of ratings, and of predictions alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

import numpy as np

from evenhand.data.factorize import escape_column, trim, values_of
from evenhand.data.labels import Label, Labels
from evenhand.data.roles import PRED as PREDICTIONS
from evenhand.data.roles import names_predictions
from evenhand.errors import InputError, Option, shown
from evenhand.io.columns import columns_of, find_columns
from evenhand.io.delimited import USUAL, TextLayout
from evenhand.io.items import explained
from evenhand.io.loading import LoadedData
from evenhand.io.matrices import read_pairs
from evenhand.io.sources import LINE, Source, opened
from evenhand.warnings import ColumnsTaken, InferredColumn

UNLABELLED = Option("unlabelled_pred")


def read_predictions(
    name: str,
    labels: Labels,
    *,
    column: str | None = None,
    rename: Callable[[Label], Label] = lambda v: v,
    layout: TextLayout = USUAL,
) -> LoadedData[Any]:
    """A column of labels, or items × classes of probabilities in the order of ``labels``.

    A file of lines holds labels; one with a column named for every class holds probabilities;
    else ``column``, the only one or the one named for predictions holds labels.
    ``rename`` is what was done to the labels.
    """
    with opened(name, columns=column is not None, layout=layout) as source, explained(source):
        frame, have = source.frame, list(source.schema)
        if not source.has_columns:
            column = LINE
        if column is None:
            if {str(v) for v in labels} <= {str(rename(c.strip())) for c in have}:
                data = _probabilities(source, frame, labels, rename)
                return LoadedData(data, tuple(source.notes))
            own = [c for c in have if c not in source.partitions]
            named = own if len(own) == 1 else list(filter(names_predictions, own))
            if len(named) != 1:
                other = (
                    f"; for probabilities it must have one named for each class, {shown(labels)}"
                )
                advice = ": say which holds the labels with "
                raise columns_of(source, have, advice, UNLABELLED, other)
            (column,) = named
            note = ColumnsTaken((InferredColumn(source.name, column, PREDICTIONS),))
            source.notes.extend([note] * (len(own) > 1))
        if source.has_columns:
            frame, called = find_columns(source, [column])
            column = called[column]
        values = _labels(source, frame, {"": column})[""]
        new = {v: rename(v) for v in values.unique().to_list() if v is not None}
        if any(a != b for a, b in new.items()):  # each distinct one is looked up once
            values = [None if v is None else new[v] for v in values.to_list()]
        return LoadedData(values, tuple(source.notes))


def _labels(
    source: Source, frame: Any, columns: Mapping[str, str], hint: tuple[str | Option, ...] = ()
) -> dict[str, Any]:
    """Columns of one label per item, as series under other names."""
    names = list(dict.fromkeys(columns.values()))
    rows = trim(frame.select(*map(escape_column, names)).collect(engine="streaming"), names)
    for column, dtype in rows.schema.items():
        if dtype.is_nested():
            text = f"column {column!r} must hold one label per item, got {dtype}"
            raise InputError(f"{source.name}, {text}", *hint)
    return {key: values_of(rows, column) for key, column in columns.items()}


def _probabilities(
    source: Source, frame: Any, labels: Labels, rename: Callable[[Label], Label]
) -> Any:
    import polars as pl

    names = {c: str(rename(c.strip())) for c in frame.collect_schema()}
    groups = [[c for c, name in names.items() if name == str(v)] for v in labels]
    columns = [c for group in groups for c in group]
    numbers = pl.col(list(map(escape_column, columns))).cast(pl.Float64, strict=False)
    shares = trim(frame, columns).select(numbers).collect(engine="streaming")
    for c in columns:
        if shares[c].null_count():
            row = int(values_of(shares, c).is_null().arg_max()) + 1
            raise InputError(f"{source.name}, column {c}, row {row}: expected a probability")
    if not len(shares):
        raise InputError(f"{source.name} has a header but no rows")
    return np.column_stack([sum(shares[c].to_numpy() for c in group) for group in groups])


def read_shares(path: str) -> dict[str, float]:
    """A class mix: a JSON object, or lines of LABEL,SHARE (or a tab between), header or not.

    Whole numbers that do not sum to 1 are counts, and are made into shares.
    """
    pairs = list(read_pairs(path, "LABEL", "SHARE", "labels and shares"))
    if pairs and pairs[0].line == 1 and _number(pairs[0].value) is None:
        pairs.pop(0)  # a header
    shares: dict[str, float] = {}
    for label, value, where, _ in pairs:
        share = _number(value)
        if share is None or not 0 <= share < float("inf"):
            raise InputError(f"{where}: expected a share ≥ 0, got {shown([value])}")
        if label in shares:
            raise InputError(f"{where}: {label!r} is given twice")
        shares[label] = share
    total = sum(shares.values())
    if not total:
        raise InputError(f"{path} states no class mix")
    counts = all(v == int(v) for v in shares.values())
    return {v: x / total for v, x in shares.items()} if counts else shares


def _number(value: Any) -> float | None:
    """A number, or text that is one; nothing of what is none, or is beyond all floats."""
    with suppress(TypeError, ValueError, OverflowError):
        return None if isinstance(value, bool) else float(value)
    return None


# Ratings: the labels of several annotators, side by side or one below the other.

PRED = Option("pred")


def read_ratings(
    name: str,
    *,
    item: str | None = None,
    long: tuple[str | None, str | None] = (None, None),
    own: tuple[str, ...] = (),
    layout: TextLayout = USUAL,
) -> LoadedData[Any]:
    """Columns of ratings by annotator; or, if ``long``, of items, annotators and labels.

    Annotators that are not named, ``own``, come as a frame: some columns may be none.
    """
    import polars as pl

    with opened(name, columns=True, layout=layout) as source, explained(source):
        named = [c for c in (item, *long, *own) if c is not None]
        frame, called = find_columns(source, named)
        hint: tuple[str | Option, ...] = ()
        if long[0] is not None:
            parts = zip(("item", "annotator", "label"), named, strict=True)
            columns = {part: called[column] for part, column in parts}
        else:
            others = {called.get(item or ""), *source.partitions}
            free = (c for c in frame.collect_schema() if c not in others)
            annotators = [called[c] for c in own] or list(free)
            if len(annotators) < 2:
                text = f"a column for each of at least two annotators, got {shown(annotators)}"
                advice = ("; one row per rating is read with ", Option("annotator"))
                raise InputError(f"{source.name} must have {text}", *advice)
            columns = dict(zip(annotators, annotators, strict=True))
            hint = () if own else ("; say which columns are annotators with ", PRED)
        labels = _labels(source, frame, columns, hint)
        lists = {part: values.to_list() for part, values in labels.items()}
        data = lists if own or long[0] is not None else pl.DataFrame(labels)
        return LoadedData(data, tuple(source.notes))

"""Joining by id: every item of the truth with its predictions, or a clear word on what is amiss."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from evenhand.errors import InputError, Option, shown
from evenhand.files.reading import Reading
from evenhand.files.sources import height

ID = "evenhand:id"
"""What the column of ids is called: a name that no column has."""


def joined(frames: Sequence[Any], names: Sequence[str], reading: Reading) -> Any:
    """Lazy frames brought into the order of the first, the truth, by their ids.

    Ids must be unique and the same in all; where ``missing`` is ``"wrong"`` an item without a
    prediction is kept with none, which counts as an error.
    """
    import polars as pl

    kinds = {frame.collect_schema()[ID] for frame in frames}
    if len(kinds) > 1:
        frames = [f.with_columns(pl.col(ID).cast(pl.String)) for f in frames]
    for frame, name in zip(frames, names, strict=True):
        null = height(frame.filter(pl.col(ID).is_null()))
        if null:
            raise InputError(f"{name}, column {reading.id}: {null:,} row(s) have no id")
        repeated = frame.group_by(ID).len().filter(pl.col("len") > 1)
        _refuse(repeated, f"{name} has {{}} id(s) more than once")
    whole, *others = frames
    gold = whole.select(ID)
    for frame, name in zip(others, names[1:], strict=True):
        _refuse(frame.join(gold, on=ID, how="anti"), f"{name} has {{}} id(s) not in {names[0]}")
        if reading.missing != "wrong":
            absent = gold.join(frame, on=ID, how="anti")
            hint = WRONG if reading.probabilities is None else ()
            _refuse(absent, f"{name} lacks {{}} id(s) of {names[0]}", *hint)
        whole = whole.join(frame, on=ID, how="left", maintain_order="left")
    return whole


WRONG = ("; ", Option("missing", "wrong"), " counts them as errors")
"""How to go on without predictions of some items."""


def _refuse(rows: Any, text: str, *hint: str | Option) -> None:
    found = rows.select(ID).collect(engine="streaming")[ID].sort()
    if len(found):
        said = text.format(f"{len(found):,}")
        raise InputError(f"{said}: {shown(found.to_list())}", *hint)

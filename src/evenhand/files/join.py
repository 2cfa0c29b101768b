"""Joining by id: every item of the truth with its prediction, or a clear word on what is amiss."""

from __future__ import annotations

from typing import Any

from evenhand.count.exact import exact
from evenhand.errors import InputError, shown


def joined(gold: Any, pred: Any, key: str, missing: str, names: tuple[str, str]) -> Any:
    """Two lazy frames brought into the order of the first by their ids.

    Ids must be unique and the same on both sides; with ``missing="wrong"`` an item without a
    prediction is kept with none, which counts as an error.
    """
    import polars as pl

    kinds = [frame.collect_schema()[key] for frame in (gold, pred)]
    column = exact(key)
    if kinds[0] != kinds[1]:
        gold, pred = (f.with_columns(pl.col(column).cast(pl.String)) for f in (gold, pred))
    for frame, name in zip((gold, pred), names, strict=True):
        null = frame.filter(pl.col(column).is_null()).select(pl.len()).collect().item()
        if null:
            raise InputError(f"{name}, column {key}: {null:,} row(s) have no id")
        repeated = frame.group_by(column).len().filter(pl.col("len") > 1).sort(column)
        _refuse(repeated, key, f"{name} has {{}} id(s) more than once")
    _refuse(
        pred.join(gold, on=column, how="anti"), key, f"{names[1]} has {{}} id(s) not in {names[0]}"
    )
    absent = gold.join(pred, on=column, how="anti")
    if missing != "wrong":
        _refuse(
            absent,
            key,
            f"{names[1]} lacks {{}} id(s) of {names[0]}",
            "; --missing wrong counts them as errors",
        )
    return gold.join(pred, on=column, how="left", maintain_order="left")


def _refuse(rows: Any, key: str, text: str, hint: str = "") -> None:
    found = rows.select(exact(key)).collect(engine="streaming")[key].sort()
    if len(found):
        raise InputError(f"{text.format(f'{len(found):,}')}: {shown(found.to_list())}{hint}")

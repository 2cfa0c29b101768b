"""Splits: which items were tested in which fold, and how many were trained on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from evenhand.count.forms import COUNTED, refusal, what_came
from evenhand.count.given import Given, by_column, by_name, table_of
from evenhand.errors import InputError
from evenhand.notes.interval import Floats
from evenhand.results.reported import ALONE
from evenhand.tables.confusion import Confusion


def systems(given: Given, fold: Any, repeat: Any) -> dict[str, Given]:
    """The data of each system, sliced by fold or by repetition and fold."""
    if given.of_frame:
        by = fold if repeat is None else [repeat, fold]
        names = [given.pred] if isinstance(given.pred, str) else list(given.pred or ())
        return {name: replace(given, pred=name, by=by) for name in names}
    data = given.positional
    if len(data) < 2 or any(isinstance(d, COUNTED) for d in data):
        raise refusal(given.verb, what_came(data))
    predictions: Mapping[str, Any] = {ALONE: data[1]}
    if len(data) > 2 or isinstance(data[1], Mapping) or by_column(*data):
        predictions = by_name(given, data)[1]
    n = len(data[0])
    by = _keys("fold", fold, n)
    if repeat is not None:
        by = list(zip(_keys("repeat", repeat, n), by, strict=True))
    plain = replace(given, y_true=None, y_pred=None, by=by)
    return {str(name): replace(plain, data=(data[0], p)) for name, p in predictions.items()}


def _keys(name: str, values: Any, n: int) -> list[Any]:
    if isinstance(values, str) or not hasattr(values, "__iter__"):
        raise InputError(f"{name} must have one entry an item, got {values!r}")
    found = list(values)
    if len(found) != n:
        raise InputError(f"{name} must have {n:,} entries, one an item, got {len(found):,}")
    return found


def folds_of(given: Given) -> Confusion:
    """One table a fold."""
    found = table_of(given)
    if not isinstance(found, Confusion) or len(found.shape) != 1:
        raise InputError("cross_validated takes items with one label each, got label sets")
    if len(found) < 2:
        raise InputError("fold must name at least two folds, got one")
    return found


def repetitions(stack: Confusion, repeated: bool) -> Floats:
    """The repetition of each fold as a code."""
    keys: list[Any] = [*stack.keys[0]]
    place = {run: i for i, run in enumerate(dict.fromkeys(key[0] for key in keys if repeated))}
    return np.array([place[key[0]] if repeated else 0 for key in keys])


def test_to_train(stack: Confusion, items: Floats, train: float | None) -> float:
    """Items tested for each that is trained on, in the mean over folds."""
    tested = np.asarray(stack.n, np.float64)
    if train is not None:
        if not train > 0:
            raise InputError(f"train must be a number of items above 0, got {train!r}")
        return float(np.mean(tested) / train)
    others = items - tested
    if not others.all():
        raise InputError("repeat must have at least two folds in each, got one; or give train=")
    return float(np.mean(tested / others))

"""Stated: a table from recalls and a class mix, where there are no data yet."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np

from evenhand.catalogue.spelling import prevalence_of
from evenhand.errors import InputError, shown
from evenhand.tables.confusion import Confusion

Rates: TypeAlias = Mapping[Any, float] | str
"""Numbers by label, or written: ``a=0.8,b=0.95``."""

WHOLE = 10**9
"""Items of a table that stands for shares."""


def stated_table(recalls: Rates | float, mix: Rates) -> Confusion:
    """The table that these recalls make of this mix, errors going to the others by their shares.

    >>> table = stated_table({"a": 0.8, "b": 0.9}, "a=0.2,b=0.8")
    >>> (table.cells / table.n).round(3).tolist()
    [[0.16, 0.04], [0.08, 0.72]]
    """
    shares = _rates(mix, "mix")
    if len(shares) < 2:
        raise InputError(f"mix must have at least 2 classes, got {shown(shares)}")
    if abs(sum(shares.values()) - 1) > 1e-6 or min(shares.values()) <= 0:
        raise InputError(f"mix must be shares above 0 that sum to 1, got {shown(shares.values())}")
    if isinstance(recalls, int | float):
        recalls = dict.fromkeys(shares, float(recalls))
    right = _rates(recalls, "recalls")
    if right.keys() != shares.keys():
        raise InputError(
            f"recalls and mix must be of the same classes, got {shown(right)} and {shown(shares)}"
        )
    if not all(0 <= r <= 1 for r in right.values()):
        raise InputError(f"recalls must be between 0 and 1, got {shown(right.values())}")
    share = np.array(list(shares.values()))
    recall = np.array([right[label] for label in shares])
    others = np.where(np.eye(len(share), dtype=bool), 0.0, share)
    rows = others / others.sum(axis=1, keepdims=True) * (1 - recall)[:, None]
    cells = (rows + np.diag(recall)) * share[:, None]
    return Confusion.from_matrix(np.rint(cells * WHOLE).astype(np.int64), labels=list(shares))


def _rates(given: Any, what: str) -> dict[Any, float]:
    if isinstance(given, str):
        return dict(prevalence_of(given, given))
    if not isinstance(given, Mapping):
        raise InputError(f"{what} must be 'a=0.2,b=0.8' or a mapping of labels to numbers")
    return {label: float(rate) for label, rate in given.items()}

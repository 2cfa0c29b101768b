"""Class probabilities, counted into a soft table."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from evenhand.cells import DenseCells
from evenhand.count.arrays import first_null, item_weights
from evenhand.count.encode import encode
from evenhand.count.tally import recode, refuse_truth
from evenhand.errors import InputError
from evenhand.labels import checked, kind_of, same_kind
from evenhand.table import Confusion


def count_probabilities(
    y_true: Any, probabilities: Any, *, labels: Iterable[Any], weights: Any = None
) -> Confusion:
    """Each item's probabilities, added to the row of its true class."""
    known = checked(labels)
    truth = encode(y_true, "y_true")
    same_kind(kind_of(known, "labels"), truth.kind, "labels", "y_true")
    p = np.asarray(probabilities, np.float64)
    if p.shape != (len(truth), len(known)):
        raise InputError(
            f"probabilities must have shape {(len(truth), len(known))} (items × labels), "
            f"got {p.shape}"
        )
    if not len(truth):
        raise InputError("y_true must not be empty: there is no item to count")
    bad = ~np.isfinite(p).all(axis=1) | (p < 0).any(axis=1) | (abs(p.sum(axis=1) - 1) > 1e-6)
    if bad.any():
        at = int(np.flatnonzero(bad)[0])
        raise InputError(
            "probabilities must be ≥ 0 and sum to 1 for every item, "
            f"got {p[at].tolist()} at item {at}"
        )
    true = recode(truth, known)
    lost = int((true < 0).sum())
    if lost:
        refuse_truth(truth, lost, known, "y_true", drop=False, first=first_null(truth))
    weight = item_weights(weights, len(truth))
    cells = np.zeros((len(known), len(known) + 1))
    np.add.at(cells[:, :-1], true, p if weight is None else p * weight[:, None])
    return Confusion.of(known, DenseCells(cells), n=np.asarray(len(truth)))

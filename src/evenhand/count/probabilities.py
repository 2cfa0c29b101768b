"""Class probabilities, counted into a soft table."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from evenhand.cells import DenseCells
from evenhand.count.arrays import first_null, item_weights
from evenhand.count.encode import encode
from evenhand.count.tally import recode, refuse_truth
from evenhand.errors import InputError, shown
from evenhand.labels import Labels, checked, kind_of, same_kind
from evenhand.table import Confusion


def count_probabilities(
    y_true: Any, probabilities: Any, *, labels: Iterable[Any], weights: Any = None
) -> Confusion:
    """Each item's probabilities, added to the row of its true class."""
    known = checked(labels)
    truth = encode(y_true, "y_true")
    same_kind(kind_of(known, "labels"), truth.kind, "labels", "y_true")
    if hasattr(probabilities, "columns"):
        probabilities = _by_name(probabilities, known)
    try:
        p = np.asarray(probabilities, np.float64)
    except (ValueError, TypeError):
        raise InputError("probabilities must be numbers, items × labels") from None
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


def _by_name(frame: Any, labels: Labels) -> Any:
    """The columns of a frame in the order of the labels they are named for."""
    names = {str(c): c for c in frame.columns}
    absent = [v for v in labels if str(v) not in names]
    if absent or len(names) != len(labels):
        raise InputError(
            f"columns of the probabilities must be the labels {shown(labels)}, got {shown(names)}"
        )
    return frame[[names[str(v)] for v in labels]].to_numpy()

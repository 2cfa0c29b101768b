"""Pairs of codes, counted into cells."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.cells import DENSE_LIMIT, Cells, DenseCells, coalesce

Codes = NDArray[np.int64]


def count_codes(
    true: Codes,
    pred: Codes,
    k: int,
    weight: NDArray[Any] | None = None,
    square: NDArray[Any] | None = None,
) -> Cells:
    """Cells from codes: true in 0 … k−1, predicted in 0 … k−1 or −1 for outside.

    ``weight`` is one number a row, ``square`` its squared weights where a row stands for
    several items; integer weights without squares are plain counts.
    """
    column = np.where(pred < 0, k, pred)
    if k * (k + 1) > DENSE_LIMIT:
        ones = np.ones(len(true), np.int64) if weight is None else weight
        return coalesce(np.zeros(len(true), np.int64), true, column, ones, square, k=k)
    key = true * (k + 1) + column
    shape = (k, k + 1)

    def summed(w: NDArray[Any] | None) -> NDArray[Any]:
        cells = np.bincount(key, w, minlength=k * (k + 1)).reshape(shape)
        return cells if w is None or w.dtype.kind == "f" else np.rint(cells).astype(np.int64)

    return DenseCells(summed(weight), None if square is None else summed(square))

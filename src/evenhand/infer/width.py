"""Width: no width is not knowledge, nor is one without end."""

from __future__ import annotations

from typing import Any

import numpy as np

from evenhand.infer.design import Floats

LEAST = 1e-12
"""What a width or an error must exceed, by the size of the numbers: less is rounding."""


def tells(width: Any, of: Any = 1.0, least: float = LEAST) -> Floats:
    """Whether the width of an interval, or an error, says something about numbers of this size.

    >>> tells(np.array([0.1, 1e-17, np.inf, np.nan])).tolist()
    [True, False, False, False]
    """
    with np.errstate(invalid="ignore"):
        wide = np.asarray(width) > least * np.maximum(1.0, np.abs(of))
    return np.asarray(wide & np.isfinite(width))


def telling(low: Floats, high: Floats, least: float = LEAST) -> tuple[Floats, Floats]:
    """Both ends of an interval, undefined where it tells nothing."""
    with np.errstate(invalid="ignore"):
        known = tells(high - low, least=least)
    return np.where(known, low, np.nan), np.where(known, high, np.nan)

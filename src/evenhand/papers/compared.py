"""Compared: what is printed held against what is computed."""

from __future__ import annotations

from typing import Any

import numpy as np

from evenhand.papers.claims import Outcome, judged
from evenhand.papers.tried import Cells

CLOSE = 1e-10


def same(a: Any, b: Any, close: float = CLOSE) -> bool:
    """Whether two arrays agree everywhere."""
    return bool(np.allclose(a, b, rtol=1e-9, atol=close))


def worst(a: Any, b: Any) -> float:
    """The largest difference."""
    return float(np.max(np.abs(np.asarray(a) - np.asarray(b))))


def equal(found: Any, base: Any, tried: str, close: float = CLOSE) -> Outcome:
    """The outcome of a claim that two computations agree."""
    return judged(same(found, base, close), f"largest difference {worst(found, base):.1g}", tried)


def compared(
    printed: Cells,
    right: Cells | None,
    true: Cells,
    fixed: str,
    tried: str = "60 tables of 3 classes",
) -> Outcome:
    """The outcome of a formula held against what is true, and of its correction."""
    good = same(printed, true)
    text = f"{tried}: off by up to {worst(printed, true):.2g} as printed"
    if right is not None:
        text += f", {worst(right, true):.1g} as corrected"
    return judged(good, fixed, text, corrected=right is not None and same(right, true))

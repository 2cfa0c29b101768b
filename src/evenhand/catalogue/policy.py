"""Policy: what 0/0 is worth."""

from __future__ import annotations

import math
from typing import Any, TypeAlias

from evenhand.errors import InputError

Undefined: TypeAlias = float | str
"""The worth of 0/0: 0, 1 or NaN, also as text."""


def policy(undefined: Any) -> float:
    """The worth of 0/0: 0, 1 or NaN."""
    try:
        value = float(undefined)
    except (TypeError, ValueError):
        value = 0.5  # none of the three
    if value not in (0.0, 1.0) and not math.isnan(value):
        raise InputError(f"undefined must be 0, 1 or nan, got {undefined!r}")
    return value

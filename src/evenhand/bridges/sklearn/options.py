"""Options as scikit-learn takes them, and its warnings; what it refuses is a ``FormError``."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable
from numbers import Integral, Real
from typing import Any, Literal, TypeAlias

import numpy as np

from evenhand.errors import EvenhandWarning, FormError

Average: TypeAlias = Literal["micro", "macro", "samples", "weighted", "binary"] | None
ZeroDivision: TypeAlias = float | Literal["warn"]

AVERAGES = ("micro", "macro", "samples", "weighted", "binary", None)


def one_of(name: str, value: Any, allowed: Iterable[Any]) -> None:
    """``value`` must be one of few."""
    known = tuple(allowed)
    if not (value is None or isinstance(value, str)) or value not in known:
        raise FormError(f"{name} must be one of {', '.join(map(repr, known))}, got {value!r}")


def flag(name: str, value: Any) -> bool:
    """``value`` must be true or false."""
    if not isinstance(value, bool | np.bool_):
        raise FormError(f"{name} must be True or False, got {value!r}")
    return bool(value)


def digits_of(value: Any) -> int:
    """A number of digits."""
    if not isinstance(value, Integral) or value < 0:
        raise FormError(f"digits must be a whole number from 0 on, got {value!r}")
    return int(value)


def beta_of(value: Any) -> float:
    """A beta of F: from 0 to infinity."""
    if isinstance(value, Real) and float(value) >= 0:
        return float(value)
    raise FormError(f"beta must be a number from 0 on, got {value!r}")


def positive(value: Any) -> None:
    """A label that may be called positive."""
    if not (value is None or isinstance(value, Real | str | np.bool_)):
        raise FormError(f"pos_label must be a number, text, True, False or None, got {value!r}")


def worth(zero_division: Any, *, nan: bool = True) -> float:
    """What 0/0 is worth; with ``"warn"`` it is 0, and said."""
    if isinstance(zero_division, str) and zero_division == "warn":
        return 0.0
    if isinstance(zero_division, Real):
        if zero_division in (0, 1):
            return float(zero_division)
        if nan and math.isnan(zero_division):
            return math.nan
    allowed = "'warn', 0, 1" + " or nan" * nan
    raise FormError(f"zero_division must be {allowed}, got {zero_division!r}")


def warn_undefined(message: str) -> None:
    """Warn in scikit-learn's own class, which filters name; without it, in ours."""
    try:
        from sklearn.exceptions import UndefinedMetricWarning
    except ImportError:
        UndefinedMetricWarning = EvenhandWarning
    warnings.warn(message, UndefinedMetricWarning, stacklevel=4)

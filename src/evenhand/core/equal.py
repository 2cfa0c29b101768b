"""Equal: whether two values are the same, whatever they are made of."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np


def same(a: Any, b: Any) -> bool:
    """Whether ``a`` and ``b`` hold the same: NaN is NaN, arrays by cell, records by field.

    >>> same({"x": (1, float("nan"))}, {"x": (1, float("nan"))}), same([0.0], [1.0])
    (True, False)
    """
    if a is b:
        return True
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return _same_arrays(a, b)
    if type(a) is type(b) and is_dataclass(a):
        return all(same(_held(a, f.name), _held(b, f.name)) for f in fields(a))
    if isinstance(a, dict) and isinstance(b, dict):
        return list(a) == list(b) and all(same(v, b[k]) for k, v in a.items())
    if isinstance(a, list | tuple) and type(a) is type(b):
        return len(a) == len(b) and all(map(same, a, b))
    return bool(a == b) or (isinstance(a, float) and isinstance(b, float) and a != a and b != b)


def _held(record: Any, name: str) -> Any:
    """A field as it is stored: nothing is worked out for the sake of a comparison."""
    return vars(record).get(name) if hasattr(record, "__dict__") else getattr(record, name)


def _same_arrays(a: Any, b: Any) -> bool:
    if not (isinstance(a, np.ndarray) and isinstance(b, np.ndarray)) or a.shape != b.shape:
        return False
    return bool(np.array_equal(a, b, equal_nan=a.dtype.kind == "f" and b.dtype.kind == "f"))

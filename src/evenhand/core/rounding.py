"""Rounding: numbers that it left beyond an end of their range, brought back to that end."""

from __future__ import annotations

from evenhand.core.arrays import Array, namespace, real


def within_one(x: Array) -> Array:
    """``x`` without what rounding adds beyond −1 and 1."""
    size = abs(real(x))
    return x / namespace(x).where(size > 1, size, 1.0)


def not_below_zero(x: Array) -> Array:
    """``x`` without what rounding takes it below 0."""
    return namespace(x).where(real(x) < 0, 0.0, x)

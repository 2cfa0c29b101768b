"""Carried: arrays that carry their slopes along, one more array library for the kernels to run on.

A complex step follows one direction in each copy of the numbers. Where tables are many, copies cost
more than the slopes: here the numbers are computed once, and with them the slopes in only those
directions in which they have any. (Forward differentiation; Wengert 1964.)
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy import (  # what kernels ask of an array library beside the functions below
    exp,
    expm1,
    isdtype,
    isfinite,
    isnan,
    log,
    log1p,
    sqrt,
)
from numpy.lib.mixins import NDArrayOperatorsMixin
from numpy.typing import NDArray

__all__ = [
    "Carried", "exp", "expm1", "isdtype", "isfinite", "isnan", "log", "log1p", "max", "ones_like",
    "plain", "real", "sqrt", "where", "zeros_like",
]  # fmt: skip

Floats = NDArray[Any]
Slopes = Mapping[int, Any]

_ASKED = {
    np.equal, np.not_equal, np.less, np.less_equal, np.greater, np.greater_equal, np.isnan,
    np.isfinite,
}  # fmt: skip
"""What is answered by the values alone."""

_SLOPE: dict[Any, Callable[[Floats, Floats], Floats]] = {
    np.sqrt: lambda x, y: 0.5 / y,
    np.log: lambda x, y: 1 / x,
    np.log1p: lambda x, y: 1 / (1 + x),
    np.exp: lambda x, y: y,
    np.expm1: lambda x, y: y + 1,
    np.square: lambda x, y: 2 * x,
}
"""The slope of y = f(x), by x and y."""


class Carried(NDArrayOperatorsMixin):
    """An array and its slopes by direction; a direction that is not there has a slope of 0.

    >>> x = Carried(np.array([2.0, 3.0]), {0: 1.0})
    >>> (x * x / 2).slopes[0]
    array([2., 3.])
    """

    dtype = np.dtype(np.complex128)  # no real number: what compares must ask for the real part

    def __init__(self, value: Any, slopes: Slopes) -> None:
        self.value: Floats = np.asarray(value, np.float64)
        self.slopes = slopes

    def __array_namespace__(self, api_version: str | None = None) -> Any:
        return sys.modules[__name__]

    @property
    def shape(self) -> tuple[int, ...]:
        """Lengths of the axes."""
        return self.value.shape

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return self.value.ndim

    def __getitem__(self, key: Any) -> Carried:
        slopes = {d: s[key] if np.ndim(s) else s for d, s in self.slopes.items()}
        return Carried(self.value[key], slopes)

    def __array_ufunc__(self, ufunc: Any, method: str, *given: Any, **options: Any) -> Any:
        if method != "__call__" or options:
            return NotImplemented
        if ufunc in _ASKED:
            return ufunc(*map(plain, given))
        rule = _RULES.get(ufunc)
        if rule is not None:
            return rule(*given)
        if ufunc not in _SLOPE:
            return NotImplemented
        found = ufunc(self.value)
        slope = _SLOPE[ufunc](self.value, found)
        return Carried(found, {d: slope * s for d, s in self.slopes.items()})

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise TypeError("an array that carries slopes is no plain one")

    __hash__ = None  # type: ignore[assignment]


def plain(x: Any) -> Any:
    """The values, without their slopes."""
    return x.value if isinstance(x, Carried) else x


def _carries(x: Any) -> Slopes:
    return x.slopes if isinstance(x, Carried) else {}


def _together(
    x: Any, y: Any, first: Callable[[Any], Any], second: Callable[[Any], Any]
) -> dict[int, Any]:
    """The slopes of two numbers, each followed on, added up by direction."""
    found = {d: first(s) for d, s in _carries(x).items()}
    for d, s in _carries(y).items():
        found[d] = found[d] + second(s) if d in found else second(s)
    return found


def _sum(x: Any, y: Any) -> Carried:
    return Carried(plain(x) + plain(y), _together(x, y, lambda s: s, lambda s: s))


def _difference(x: Any, y: Any) -> Carried:
    return Carried(plain(x) - plain(y), _together(x, y, lambda s: s, lambda s: -s))


def _product(x: Any, y: Any) -> Carried:
    a, b = plain(x), plain(y)
    return Carried(a * b, _together(x, y, lambda s: s * b, lambda s: a * s))


def _quotient(x: Any, y: Any) -> Carried:
    a, b = plain(x), plain(y)
    found = a / b
    fall = -found / b if _carries(y) else None
    return Carried(found, _together(x, y, lambda s: s / b, lambda s: fall * s))


def _power(x: Any, p: Any) -> Any:
    if isinstance(p, Carried):
        return NotImplemented
    slope = p * x.value ** (p - 1)
    return Carried(x.value**p, {d: slope * s for d, s in x.slopes.items()})


def _minus(x: Any) -> Carried:
    return Carried(-x.value, {d: -s for d, s in x.slopes.items()})


_RULES: dict[Any, Callable[..., Any]] = {
    np.add: _sum,
    np.subtract: _difference,
    np.multiply: _product,
    np.divide: _quotient,
    np.negative: _minus,
    np.power: _power,
}


def where(condition: Any, x: Any, y: Any) -> Any:
    """``x`` where the condition holds, else ``y``."""
    shape = np.broadcast_shapes(np.shape(condition), np.shape(plain(x)), np.shape(plain(y)))
    holds = np.count_nonzero(condition)
    for one, all_ in ((x, holds == np.size(condition)), (y, holds == 0)):
        if all_ and np.shape(plain(one)) == shape:
            return one
    found = np.where(condition, plain(x), plain(y))
    mine, other = _carries(x), _carries(y)
    each = {d: np.where(condition, mine.get(d, 0.0), other.get(d, 0.0)) for d in {*mine, *other}}
    return Carried(found, each) if each else found


def real(x: Any) -> Floats:
    """The values, which can be compared."""
    return np.asarray(plain(x))


def zeros_like(x: Any) -> Floats:
    """As many zeros, which carry nothing."""
    return np.zeros_like(plain(x))


def ones_like(x: Any) -> Floats:
    """As many ones, which carry nothing."""
    return np.ones_like(plain(x))


def max(x: Floats, axis: int) -> Floats:
    """The largest values, of which none carries a slope."""
    return np.asarray(np.max(x, axis=axis))

"""Exact: arrays of fractions that follow enough of the array API for the kernels to run on them.

The kernels know no array library by name, so exact arithmetic is one more library. Sums,
products and quotients are exact; roots of squares are too, and other roots, logarithms and
exponentials are correct to :data:`DIGITS` digits.
"""

from __future__ import annotations

import decimal
import math
import sys
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin
from numpy.typing import NDArray

DIGITS = 80
TINY = Fraction(1, 10**50)
"""What counts as zero: far above the error of a root, far below any difference of small tables."""

_CONTEXT = decimal.Context(prec=DIGITS)
_COMPARISONS = (np.equal, np.less, np.less_equal, np.greater, np.greater_equal)
Number = Fraction | float


def fraction(value: Any) -> Number:
    """A number as a fraction; only infinity and NaN stay floats."""
    if type(value) is Fraction:
        return value
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return value
    return Fraction(value)


class Exact(NDArrayOperatorsMixin):
    """An array of fractions."""

    values: NDArray[Any]

    def __init__(self, values: Any) -> None:
        source = values.values if isinstance(values, Exact) else np.asarray(values, object)
        self.values = np.empty(source.shape, object)
        self.values.reshape(-1)[:] = [fraction(v) for v in source.reshape(-1).tolist()]

    def __array_namespace__(self, api_version: str | None = None) -> Any:
        return sys.modules[__name__]

    @property
    def shape(self) -> tuple[int, ...]:
        """Lengths of the axes."""
        return self.values.shape

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return self.values.ndim

    @property
    def dtype(self) -> str:
        """Always the same."""
        return "fraction"

    def __getitem__(self, key: Any) -> Exact:
        return Exact(self.values[key])

    def __array_ufunc__(self, ufunc: Any, method: str, *given: Any, **options: Any) -> Any:
        if ufunc is np.power:  # of fractions it would be a float
            ufunc = _POWERS
        found = getattr(ufunc, method)(*map(_plain, given), **options)
        return np.asarray(found) if ufunc in _COMPARISONS else Exact(found)

    __hash__ = None  # type: ignore[assignment]


def _plain(x: Any) -> Any:
    """Something to compute with beside an array of fractions."""
    if isinstance(x, Exact):
        return x.values
    return Exact(x).values if isinstance(x, np.ndarray) else fraction(x)


# -- the namespace: what the kernels ask of an array library -----------------------------------


def isdtype(dtype: Any, kind: Any) -> bool:
    """A fraction stands for a real number."""
    return "real floating" in (kind if isinstance(kind, tuple) else (kind,))


def sum(x: Exact, *, axis: int | None = None, keepdims: bool = False) -> Exact:
    """Sum along an axis."""
    return Exact(x.values.sum(axis=axis, keepdims=keepdims))


def max(x: Exact, *, axis: int | None = None) -> Exact:
    """Largest along an axis."""
    return Exact(x.values.max(axis=axis))


def where(condition: Any, a: Any, b: Any) -> Exact:
    """Elements of one or the other."""
    left, right = (np.asarray(_plain(x), object) for x in (a, b))
    return Exact(np.where(np.asarray(condition, bool), left, right))


def ones_like(x: Exact) -> Exact:
    """As many ones."""
    return Exact(np.ones(x.shape, np.int64))


def zeros_like(x: Exact) -> Exact:
    """As many zeros."""
    return Exact(np.zeros(x.shape, np.int64))


def concat(parts: list[Exact], *, axis: int = 0) -> Exact:
    """Parts joined along an axis."""
    return Exact(np.concatenate([p.values for p in parts], axis=axis))


def flip(x: Exact, *, axis: int) -> Exact:
    """Backwards along an axis."""
    return Exact(np.flip(x.values, axis=axis))


def cumulative_sum(x: Exact, *, axis: int) -> Exact:
    """Running sums along an axis."""
    return Exact(np.cumsum(x.values, axis=axis))


def triu(x: Exact, *, k: int = 0) -> Exact:
    """What is above the diagonal; zeros below."""
    return Exact(np.triu(x.values, k=k))


def tril(x: Exact, *, k: int = 0) -> Exact:
    """What is below the diagonal; zeros above."""
    return Exact(np.tril(x.values, k=k))


def isnan(x: Exact) -> NDArray[np.bool_]:
    """Where there is no number."""
    return np.asarray(x.values != x.values, bool)


def isfinite(x: Exact) -> NDArray[np.bool_]:
    """Where there is a fraction."""
    found = np.vectorize(lambda v: isinstance(v, Fraction), otypes=[bool])(x.values)
    return np.asarray(found, bool)


def _each(function: Callable[[Fraction], Number], x: Exact) -> Exact:
    out = np.empty(x.shape, object)
    for i, v in np.ndenumerate(x.values):
        out[i] = function(v) if isinstance(v, Fraction) else float("nan")
    return Exact(out)


def decimal_of(value: Fraction) -> decimal.Decimal:
    """A fraction to :data:`DIGITS` digits."""
    return _CONTEXT.divide(decimal.Decimal(value.numerator), decimal.Decimal(value.denominator))


def logarithm(value: Fraction) -> Fraction:
    """The natural logarithm of a fraction above 0, to :data:`DIGITS` digits."""
    return Fraction(_CONTEXT.ln(decimal_of(value)))


def power(value: Fraction, p: Fraction | float) -> Fraction:
    """A power, exact or to :data:`DIGITS` digits; of what is not positive, 0 unless p is whole."""
    if p == int(p) and (value or p >= 0):
        return value ** int(p)
    if value <= 0:
        return Fraction(0)
    exponent = _CONTEXT.multiply(_CONTEXT.ln(decimal_of(value)), decimal_of(Fraction(p)))
    return Fraction(_CONTEXT.exp(exponent))


_POWERS = np.frompyfunc(power, 2, 1)


def _root(value: Fraction) -> Number:
    if value < 0:
        return math.nan
    top, bottom = math.isqrt(value.numerator), math.isqrt(value.denominator)
    if top**2 == value.numerator and bottom**2 == value.denominator:
        return Fraction(top, bottom)
    return Fraction(_CONTEXT.sqrt(decimal_of(value)))


def sqrt(x: Exact) -> Exact:
    """Square roots."""
    return _each(_root, x)


def log(x: Exact) -> Exact:
    """Natural logarithms."""
    return _each(lambda v: logarithm(v) if v > 0 else -math.inf, x)


def exp(x: Exact) -> Exact:
    """Exponentials."""
    return _each(lambda v: Fraction(_CONTEXT.exp(decimal_of(v))), x)


def expm1(x: Exact) -> Exact:
    """Exponentials minus 1: nothing cancels that :data:`DIGITS` digits would miss."""
    return Exact(exp(x).values - 1)


def log1p(x: Exact) -> Exact:
    """Logarithms of 1 + x."""
    return log(x + 1)


class linalg:  # noqa: N801  (the standard's own name)
    """The one function of the standard's linear algebra that the kernels use."""

    @staticmethod
    def diagonal(x: Exact) -> Exact:
        """The diagonal of the last two axes."""
        return Exact(np.diagonal(x.values, axis1=-2, axis2=-1))

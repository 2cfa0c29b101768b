"""Arrays of fractions with enough of the array API standard for metrics to run on them.

Sums, products, quotients and roots of squares are exact; other roots, logarithms and
exponentials are correct to :data:`DIGITS` digits.
"""

from __future__ import annotations

import decimal
import math
import sys
from collections.abc import Callable
from fractions import Fraction
from functools import wraps
from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin
from numpy.typing import NDArray

DIGITS = 80
TINY = Fraction(1, 10**50)
"""What counts as 0: far above the error of a root, far below any difference of small tables."""

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


class ExactArray(NDArrayOperatorsMixin):
    """An array of fractions."""

    values: NDArray[Any]

    def __init__(self, values: Any) -> None:
        source = values.values if isinstance(values, ExactArray) else np.asarray(values, object)
        self.values = np.empty(source.shape, object)
        self.values.reshape(-1)[:] = [fraction(v) for v in source.reshape(-1).tolist()]

    def __array_namespace__(self, api_version: str | None = None) -> Any:
        return sys.modules[__name__]

    shape = property(lambda self: self.values.shape)
    ndim = property(lambda self: self.values.ndim)
    dtype = "fraction"
    """Always the same."""

    def __getitem__(self, key: Any) -> ExactArray:
        return ExactArray(self.values[key])

    def __array_ufunc__(self, ufunc: Any, method: str, *operands: Any, **options: Any) -> Any:
        if ufunc is np.power:  # of fractions it would be a float
            ufunc = _POWERS
        plain = [_plain(x) for x in operands]
        if "OO->O" not in ufunc.types and "O->O" not in ufunc.types:  # no fractions, as Φ⁻¹
            plain = [np.asarray(x, np.float64) for x in plain]
        values = getattr(ufunc, method)(*plain, **options)
        return np.asarray(values) if ufunc in _COMPARISONS else ExactArray(values)

    __hash__ = None  # type: ignore[assignment]


def _plain(x: Any) -> Any:
    """``x`` as numpy objects or one fraction."""
    if isinstance(x, ExactArray):
        return x.values
    return ExactArray(x).values if isinstance(x, np.ndarray) else fraction(x)


# The functions of the array API standard that metrics use


def isdtype(dtype: Any, kind: Any) -> bool:
    """A fraction stands for a real number."""
    return "real floating" in (kind if isinstance(kind, tuple) else (kind,))


def where(condition: Any, a: Any, b: Any) -> ExactArray:
    """Elements of one or the other."""
    left, right = (np.asarray(_plain(x), object) for x in (a, b))
    return ExactArray(np.where(np.asarray(condition, bool), left, right))


def _exactly(function: Callable[..., Any]) -> Callable[..., ExactArray]:
    """A function of numpy that adds, compares or moves elements, of fractions."""

    @wraps(function)
    def exactly(x: ExactArray, **options: Any) -> ExactArray:
        return ExactArray(function(x.values, **options))

    return exactly


_NUMPY: tuple[Callable[..., Any], ...] = (
    np.sum, np.max, np.flip, np.triu, np.tril, np.ones_like, np.zeros_like, np.cumsum,
)  # fmt: skip
sum, max, flip, triu, tril, ones_like, zeros_like, cumulative_sum = map(_exactly, _NUMPY)


def concat(parts: list[ExactArray], *, axis: int = 0) -> ExactArray:
    """Parts joined along an axis."""
    return ExactArray(np.concatenate([p.values for p in parts], axis=axis))


def isnan(x: ExactArray) -> NDArray[np.bool_]:
    """Where there is no number."""
    return np.asarray(x.values != x.values, bool)


def isfinite(x: ExactArray) -> NDArray[np.bool_]:
    """Where there is a fraction."""
    return np.asarray(np.vectorize(lambda v: isinstance(v, Fraction), otypes=[bool])(x.values))


def _each(function: Callable[[Fraction], Number], x: ExactArray) -> ExactArray:
    def apply(value: Number) -> Number:
        return function(value) if isinstance(value, Fraction) else math.nan

    return ExactArray(np.frompyfunc(apply, 1, 1)(x.values))


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


def sqrt(x: ExactArray) -> ExactArray:
    """Square roots."""
    return _each(_root, x)


def log(x: ExactArray) -> ExactArray:
    """Natural logarithms."""
    return _each(lambda v: logarithm(v) if v > 0 else -math.inf, x)


def exp(x: ExactArray) -> ExactArray:
    """Exponentials."""
    return _each(lambda v: Fraction(_CONTEXT.exp(decimal_of(v))), x)


def expm1(x: ExactArray) -> ExactArray:
    """Exponentials minus 1: nothing cancels that :data:`DIGITS` digits would miss."""
    return ExactArray(exp(x).values - 1)


def log1p(x: ExactArray) -> ExactArray:
    """Logarithms of 1 + x."""
    return log(x + 1)


class linalg:  # noqa: N801  (the standard's own name)
    """The one function of the standard's linear algebra that the kernels use."""

    @staticmethod
    def diagonal(x: ExactArray) -> ExactArray:
        """The diagonal of the last two axes."""
        return ExactArray(np.diagonal(x.values, axis1=-2, axis2=-1))

"""Reverse-mode differentiation of code that runs on numpy arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import count
from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin
from numpy.typing import NDArray

Floats = NDArray[Any]
Pullback = Callable[[Floats], Floats]
"""From the derivative in a result to that in one of its operands, before unbroadcasting."""

_ORDER = count()


class Traced(NDArrayOperatorsMixin):
    """An array that knows what it was computed from, so that derivatives can be traced back.

    numpy's operators, and the functions of :data:`PARTIALS` and :data:`FUNCTIONS`, run on it.

    >>> x = Traced(np.array([2.0, 3.0]))
    >>> (slope,) = backward((x * x / 2).sum(), [x])
    >>> slope
    array([2., 3.])
    """

    __slots__ = ("order", "sources", "value")
    __hash__ = object.__hash__

    def __init__(self, value: Any, sources: Sequence[tuple[Traced, Pullback]] = ()) -> None:
        self.value: Floats = value
        self.sources = sources
        self.order = next(_ORDER)

    dtype = property(lambda self: self.value.dtype)
    shape = property(lambda self: self.value.shape)
    ndim = property(lambda self: self.value.ndim)

    def __getitem__(self, key: Any) -> Traced:
        def pullback(g: Floats) -> Floats:
            slope = np.zeros(self.shape)
            if isinstance(key, np.ndarray) and key.dtype.kind == "i" and self.ndim == 1:
                return np.bincount(key, g, minlength=len(slope))
            np.add.at(slope, key, g)
            return slope

        return self.apply(lambda x: np.asarray(x[key]), pullback)

    def apply(self, function: Callable[[Floats], Floats], pullback: Pullback) -> Traced:
        """A function of this array alone, with its pullback."""
        return Traced(function(self.value), ((self, pullback),))

    def sum(self, axis: Any = None, keepdims: bool = False) -> Traced:
        """The sum along axes."""

        def pullback(g: Floats) -> Floats:
            wide = g if keepdims or axis is None else np.expand_dims(g, axis)
            return np.broadcast_to(wide, self.shape)

        return self.apply(lambda x: np.asarray(x.sum(axis=axis, keepdims=keepdims)), pullback)

    def mean(self, axis: Any = None) -> Any:
        """The mean along axes."""
        total = self.sum(axis)
        return total / (self.value.size / max(total.value.size, 1))

    def max(self, axis: int = -1) -> Traced:
        """The largest along an axis; the derivative is that of the first of several."""
        first = np.expand_dims(self.value.argmax(axis), axis)

        def pullback(g: Floats) -> Floats:
            slope = np.zeros(self.shape)
            np.put_along_axis(slope, first, np.expand_dims(g, axis), axis)
            return slope

        return self.apply(lambda x: np.asarray(x.max(axis)), pullback)

    def reshape(self, *shape: Any) -> Traced:
        """The numbers in another shape."""
        return self.apply(lambda x: x.reshape(*shape), lambda g: g.reshape(self.shape))

    def __array_ufunc__(self, ufunc: Any, method: str, *operands: Any, **options: Any) -> Any:
        values = [plain(x) for x in operands]
        if ufunc in _OF_VALUES:
            return ufunc(*values)
        partials = PARTIALS.get(ufunc)
        if partials is None or method != "__call__" or options:
            raise TypeError(f"numpy.{ufunc.__name__} cannot be differentiated here")
        value = np.asarray(ufunc(*values))

        def pullback(partial: Callable[..., Floats]) -> Pullback:
            return lambda g: partial(g, value, *values)

        pairs = zip(operands, partials, strict=True)
        return Traced(value, [(x, pullback(p)) for x, p in pairs if isinstance(x, Traced)])

    def __array_function__(self, function: Any, types: Any, args: Any, options: Any) -> Any:
        if function not in FUNCTIONS:
            raise TypeError(f"numpy.{function.__name__} cannot be differentiated here")
        return FUNCTIONS[function](*args, **options)

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise TypeError("a conversion to a plain array cannot be differentiated")


def plain(x: Any) -> Any:
    """The values of an array, without what it was computed from."""
    return x.value if isinstance(x, Traced) else x


def backward(out: Any, leaves: Sequence[Traced], seed: Any = 1.0) -> list[Floats]:
    """The derivative of ``out`` in each leaf; of an array, that of its sum weighted by ``seed``."""
    if not isinstance(out, Traced):
        return [np.zeros(x.shape) for x in leaves]
    nodes, new = {out}, [out]
    while new:
        sources = {x for node in new for x, _ in node.sources} - nodes
        nodes |= sources
        new = list(sources)
    ordered = sorted(nodes, key=lambda node: node.order, reverse=True)
    start = np.broadcast_to(seed, out.shape)
    with np.errstate(all="ignore"):
        slopes = _pulled(ordered, start, leaves, guard=False)
        if all(np.isfinite(x).all() for x in slopes):
            return slopes
        return _pulled(ordered, start, leaves, guard=True)


def _pulled(
    ordered: list[Traced], start: Floats, leaves: Sequence[Traced], *, guard: bool
) -> list[Floats]:
    """Derivatives from the last result back; with a guard, 0 · ∞ is 0: a branch not taken."""
    slopes: dict[Traced, Floats] = {ordered[0]: start}
    for node in ordered:
        g = slopes[node]
        for x, pullback in node.sources:
            slope = pullback(g)
            if guard and slope.shape == g.shape:
                slope = np.where(g == 0, 0.0, slope)
            slope = _unbroadcast(slope, x.shape)
            slopes[x] = slopes[x] + slope if x in slopes else slope
    return [slopes.get(x, np.zeros(x.shape)) for x in leaves]


def _unbroadcast(g: Floats, shape: tuple[int, ...]) -> Floats:
    """The derivative in an operand of this shape, which was broadcast to that of ``g``."""
    if g.shape == shape:
        return g
    g = g.sum(axis=tuple(range(g.ndim - len(shape))))
    narrow = tuple(i for i, n in enumerate(shape) if n == 1 and g.shape[i] != 1)
    return np.asarray(g.sum(axis=narrow, keepdims=True))


# Partial derivatives times g, from the result y and the operands.

PARTIALS: dict[Any, tuple[Callable[..., Floats], ...]] = {
    np.add: (lambda g, y, a, b: g, lambda g, y, a, b: g),
    np.subtract: (lambda g, y, a, b: g, lambda g, y, a, b: -g),
    np.multiply: (lambda g, y, a, b: g * b, lambda g, y, a, b: g * a),
    np.divide: (lambda g, y, a, b: g / b, lambda g, y, a, b: -g * y / b),
    np.power: (lambda g, y, a, b: g * b * a ** (b - 1), lambda g, y, a, b: g * y * np.log(a)),
    np.maximum: (lambda g, y, a, b: g * (a >= b), lambda g, y, a, b: g * (a < b)),
    np.minimum: (lambda g, y, a, b: g * (a <= b), lambda g, y, a, b: g * (a > b)),
    np.negative: (lambda g, y, x: -g,),
    np.absolute: (lambda g, y, x: g * np.sign(x),),
    np.square: (lambda g, y, x: 2 * g * x,),
    np.sqrt: (lambda g, y, x: g / (2 * y),),
    np.exp: (lambda g, y, x: g * y,),
    np.expm1: (lambda g, y, x: g * (y + 1),),
    np.log: (lambda g, y, x: g / x,),
    np.log1p: (lambda g, y, x: g / (1 + x),),
    np.log2: (lambda g, y, x: g / (x * np.log(2)),),
    np.log10: (lambda g, y, x: g / (x * np.log(10)),),
    np.sin: (lambda g, y, x: g * np.cos(x),),
    np.cos: (lambda g, y, x: -g * np.sin(x),),
    np.tanh: (lambda g, y, x: g * (1 - y * y),),
}

_OF_VALUES = {
    np.equal, np.not_equal, np.less, np.less_equal, np.greater, np.greater_equal, np.isnan,
    np.isfinite, np.isinf, np.sign,
}  # fmt: skip
"""Functions whose derivative is 0 wherever it exists."""


def _where(condition: Any, a: Any, b: Any) -> Traced:
    sources: list[tuple[Traced, Pullback]] = []
    if isinstance(a, Traced):
        sources.append((a, lambda g: np.where(condition, g, 0.0)))
    if isinstance(b, Traced):
        sources.append((b, lambda g: np.where(condition, 0.0, g)))
    return Traced(np.where(condition, plain(a), plain(b)), sources)


def _concatenate(parts: Sequence[Any], axis: int = 0) -> Traced:
    values = [plain(x) for x in parts]
    ends = np.cumsum([x.shape[axis] for x in values])[:-1]
    sources = [
        (x, lambda g, i=i: np.split(g, ends, axis)[i])
        for i, x in enumerate(parts)
        if isinstance(x, Traced)
    ]
    return Traced(np.concatenate(values, axis), sources)


def _cumulative_sum(x: Traced, axis: int) -> Traced:
    def pullback(g: Floats) -> Floats:
        return np.flip(np.cumsum(np.flip(g, axis), axis), axis)

    return x.apply(lambda v: np.cumsum(v, axis), pullback)


FUNCTIONS: dict[Any, Callable[..., Any]] = {
    np.where: _where,
    np.sum: Traced.sum,
    np.mean: Traced.mean,
    np.max: Traced.max,
    np.reshape: Traced.reshape,
    np.concatenate: _concatenate,
    np.cumulative_sum: _cumulative_sum,
    np.cumsum: _cumulative_sum,
    np.broadcast_to: lambda x, shape: x.apply(lambda v: np.broadcast_to(v, shape), lambda g: g),
    np.matrix_transpose: lambda x: x.apply(np.matrix_transpose, np.matrix_transpose),
    np.zeros_like: lambda x: np.zeros_like(x.value),
    np.ones_like: lambda x: np.ones_like(x.value),
    np.shape: lambda x: x.shape,
    np.ndim: lambda x: x.ndim,
}

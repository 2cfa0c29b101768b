"""Arrays: which library holds them, read-only copies, equality, rounding."""

from __future__ import annotations

import math
import sys
from dataclasses import fields, is_dataclass
from functools import partial
from typing import Any, ClassVar, TypeAlias

import numpy as np

from evenhand.core.autodiff import Traced


def same(a: Any, b: Any) -> bool:
    """Whether ``a`` and ``b`` are equal: NaN equals NaN, arrays by cell, records by field.

    >>> same({"x": (1, float("nan"))}, {"x": (1, float("nan"))}), same([0.0], [1.0])
    (True, False)
    """
    if a is b:
        return True
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        equal_nan = a.dtype.kind == "f" and b.dtype.kind == "f"
        return bool(np.array_equal(a, b, equal_nan=equal_nan))
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return False
    if type(a) is type(b) and is_dataclass(a):
        # fields as they are stored: nothing is computed for the sake of a comparison
        one, two = (vars(x).get if hasattr(x, "__dict__") else partial(getattr, x) for x in (a, b))
        return all(same(one(f.name), two(f.name)) for f in fields(a) if f.compare)
    if hasattr(a, "indptr") and hasattr(b, "indptr"):  # sparse
        return same(*((x.shape, x.data, x.indices, x.indptr) for x in (a, b)))
    if isinstance(a, dict) and isinstance(b, dict):
        return list(a) == list(b) and all(same(v, b[k]) for k, v in a.items())
    if isinstance(a, list | tuple) and type(a) is type(b):
        return len(a) == len(b) and all(map(same, a, b))
    return bool(a == b) or (isinstance(a, float) and isinstance(b, float) and a != a and b != b)


Array: TypeAlias = Any
"""An array of numpy, torch, JAX or any library that follows the array API standard."""

_NUMPY = (np.ndarray, np.generic, int, float, Traced)


def namespace(*arrays: Array) -> Any:
    """The library that ``arrays`` belong to; numpy for plain numbers.

    numpy arrays skip array-api-compat, whose import costs as much as numpy's own.
    """
    foreign = [x for x in arrays if not isinstance(x, _NUMPY)]
    if not foreign:
        return np
    from array_api_compat import array_namespace

    return array_namespace(*foreign)


SAFE = float(1 << 61)
"""Integers that add up to more than this are summed as Python integers, which cannot overflow."""


def exact(x: Array) -> Array:
    """``x``, with numpy integers whose sum could overflow as Python's integers."""
    if isinstance(x, np.ndarray) and x.dtype.kind in "iu" and x.sum(dtype=np.float64) > SAFE:
        return x.astype(object)
    return x


def is_integer(x: Array) -> bool:
    """Whether ``x`` holds integers, whose differences are exact."""
    if isinstance(x, np.ndarray):
        return bool(x.dtype.kind != "f")
    return not bool(namespace(x).isdtype(x.dtype, "real floating"))


def floating(x: Array) -> Array:
    """``x`` as floating point; floats keep their precision and device."""
    if isinstance(x, np.ndarray | Traced) and x.dtype.kind == "f":
        return x
    if isinstance(x, _NUMPY):
        return np.asarray(x, np.float64)
    xp = namespace(x)
    if xp.isdtype(x.dtype, "real floating"):
        return x
    # JAX without 64-bit support has no float64 to give; its own default is the best there is.
    wide = xp.float64 if "torch" in xp.__name__ else xp.asarray(0.0).dtype
    return xp.astype(x, wide)


def convert_like(values: Array, x: Array) -> Array:
    """A numpy array as an array of the library and the device of ``x``."""
    xp = namespace(x)
    if xp is np:
        return values
    device = {"device": x.device} if "torch" in xp.__name__ else {}
    return xp.asarray(np.array(values), **device)  # a copy: torch warns of read-only arrays


def stop_gradient(x: Array) -> Array:
    """``x`` as a constant to automatic differentiation."""
    if isinstance(x, Traced):
        return x.value
    if hasattr(x, "detach"):
        return x.detach()
    if type(x).__module__.partition(".")[0] in ("jax", "jaxlib"):
        return sys.modules["jax"].lax.stop_gradient(x)  # imported, or there were no such array
    return x


def read_only(x: Array) -> Array:
    """``x``, a new array, made read-only together with what it is a view of."""
    array = x
    while isinstance(array, np.ndarray):
        array.flags.writeable = False
        array = array.base
    return x


def sealed(x: Any) -> Any:
    """``x``, or a read-only copy if it is an array, dense or sparse, that can be written to."""
    array = x
    while isinstance(array, np.ndarray):
        if array.flags.writeable:
            return read_only(x.copy())
        array = array.base
    if hasattr(x, "indptr"):  # sparse
        return type(x)(tuple(map(sealed, (x.data, x.indices, x.indptr))), shape=x.shape)
    return x


def leave_one_out_sum(x: Array) -> Array:
    """For each entry of the last axis, the sum of all others, without cancellation.

    It is what stands before the entry plus what stands behind it.

    >>> leave_one_out_sum(np.array([[1e18, 1.0, 2.0]])).tolist()
    [[3.0, 1e+18, 1e+18]]
    """
    if isinstance(x, Traced):
        return x.apply(leave_one_out_sum, leave_one_out_sum)  # its matrix is symmetric
    xp = namespace(x)
    zero = xp.zeros_like(x[..., :1])

    def before(y: Array) -> Array:
        return xp.concat([zero, xp.cumulative_sum(y[..., :-1], axis=-1)], axis=-1)

    return before(x) + xp.flip(before(xp.flip(x, axis=-1)), axis=-1)


def take(index: Any, *arrays: Array | None) -> list[Array]:
    """Entries of several arrays at one index; ``None`` stays ``None``."""
    return [None if x is None else x[index] for x in arrays]


class ReadOnly:
    """A frozen dataclass whose arrays are read-only, also after copying and unpickling."""

    __dataclass_fields__: ClassVar[dict[str, Any]]

    def __post_init__(self) -> None:
        vars(self).update({name: sealed(value) for name, value in vars(self).items()})

    def __eq__(self, other: object) -> bool:
        return same(self, other) if type(self) is type(other) else NotImplemented

    def __hash__(self) -> int:
        return hash((type(self).__name__, getattr(self, "labels", None)))

    def __getstate__(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__dataclass_fields__}

    def __setstate__(self, state: dict[str, Any]) -> None:
        for name, value in state.items():
            object.__setattr__(self, name, value)
        self.__post_init__()


def within_one(x: Array, error: float = math.inf) -> Array:
    """``x`` brought back to −1 or 1 where rounding, of at most ``error``, left it beyond."""
    size = abs(stop_gradient(x))
    return x / namespace(x).where((size > 1) & (size <= 1 + error), size, 1.0)


def not_below_zero(x: Array) -> Array:
    """``x`` brought back to 0 where rounding left it below."""
    return namespace(x).where(x < 0, 0.0, x)

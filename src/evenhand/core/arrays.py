"""What the kernels need of an array library: numpy directly, any other through the standard."""

from __future__ import annotations

import sys
from typing import Any, ClassVar, TypeAlias

import numpy as np

from evenhand.core.equal import same

Array: TypeAlias = Any
"""An array of numpy, torch, JAX or any library that follows the array API standard."""

_OWN = (np.ndarray, np.generic, int, float)


def namespace(*arrays: Array) -> Any:
    """The library that ``arrays`` belong to; numpy for plain numbers.

    numpy arrays skip array-api-compat, whose import costs as much as numpy's own.
    """
    for x in arrays:
        if not isinstance(x, _OWN):
            break
    else:
        return np
    from array_api_compat import array_namespace

    return array_namespace(*(x for x in arrays if not isinstance(x, _OWN)))


SAFE = float(1 << 61)
"""Integers that add up to more than this are summed as Python's own, which cannot overflow."""


def exact(x: Array) -> Array:
    """``x`` ready to be added up and doubled: huge numpy integers as Python's, the rest as is."""
    if isinstance(x, np.ndarray) and x.dtype.kind in "iu" and x.sum(dtype=np.float64) > SAFE:
        return x.astype(object)
    return x


def whole(x: Array) -> bool:
    """Whether ``x`` has whole numbers, whose differences are exact; foreign floats have not."""
    if isinstance(x, np.ndarray):
        return x.dtype.kind not in "fc"
    return not namespace(x).isdtype(x.dtype, ("real floating", "complex floating"))


def floating(x: Array) -> Array:
    """``x`` as real or complex floating point; floats keep their precision and device."""
    if type(x) is np.ndarray and x.dtype.kind in "fc":
        return x
    if isinstance(x, _OWN):
        x = np.asarray(x)
        return x if x.dtype.kind in "fc" else x.astype(np.float64)
    xp = namespace(x)
    if xp.isdtype(x.dtype, ("real floating", "complex floating")):
        return x
    # JAX without 64-bit support has no float64 to give; its own default is the best there is.
    wide = xp.float64 if "torch" in xp.__name__ else xp.asarray(0.0).dtype
    return xp.astype(x, wide)


def real(x: Array) -> Array:
    """The real part, so that comparisons also work on a complex step."""
    if isinstance(x, _OWN):
        return x.real
    xp = namespace(x)
    return xp.real(x) if xp.isdtype(x.dtype, "complex floating") else x


def beside(values: Array, x: Array) -> Array:
    """``values`` of numpy as an array of the library that ``x`` belongs to, where ``x`` lies."""
    xp = namespace(x)
    if xp is np:
        return values
    device = {"device": x.device} if "torch" in xp.__name__ else {}
    return xp.asarray(np.array(values), **device)  # a copy: torch dislikes what is sealed


def fixed(x: Array) -> Array:
    """``x`` as a constant to automatic differentiation, where what its slope adds cancels out."""
    if hasattr(x, "detach"):
        return x.detach()
    if type(x).__module__.partition(".")[0] in ("jax", "jaxlib"):
        return sys.modules["jax"].lax.stop_gradient(x)  # which is there, if there is such an array
    return x


def seal(x: Array) -> Array:
    """``x``, an array that nobody else has, made read-only together with what it is a view of."""
    part = x
    while isinstance(part, np.ndarray):
        part.flags.writeable = False
        part = part.base
    return x


def sealed(x: Any) -> Any:
    """``x`` as nobody can write to it: a copy, if it is an array that somebody could write to."""
    part = x
    while isinstance(part, np.ndarray):
        if part.flags.writeable:
            return seal(x.copy())
        part = part.base
    return x


def others(x: Array) -> Array:
    """For each entry of the last axis, what the *others* have: from both ends, not by taking off.

    >>> others(np.array([[1e18, 1.0, 2.0]])).tolist()
    [[3.0, 1e+18, 1e+18]]
    """
    xp = namespace(x)
    nothing = xp.zeros_like(x[..., :1])

    def before(y: Array) -> Array:
        return xp.concat([nothing, xp.cumulative_sum(y[..., :-1], axis=-1)], axis=-1)

    return before(x) + xp.flip(before(xp.flip(x, axis=-1)), axis=-1)


def taken(index: Any, *arrays: Array | None) -> list[Array]:
    """The same entries of several arrays; where there is no array, ``None``."""
    return [None if x is None else x[index] for x in arrays]


class Sealed:
    """A frozen dataclass whose arrays nobody can write to, copied and pickled or not."""

    __dataclass_fields__: ClassVar[dict[str, Any]]

    def __post_init__(self) -> None:
        held = vars(self)
        for name, value in held.items():
            if isinstance(value, np.ndarray):
                held[name] = sealed(value)

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

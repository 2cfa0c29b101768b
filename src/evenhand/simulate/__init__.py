"""Simulate: classification tasks by class mix, classifier and size, as stacks of tables.

A task is a class mix (shares of the true classes) and a channel (for each true class, shares of
the predictions). The families here are those of Opitz & Burst (2019), section 3; any other mix
and channel will do. Everything broadcasts: grids of mixes and channels give grids of tables.

>>> import numpy as np, evenhand as eh
>>> rng = np.random.default_rng(0)
>>> tasks = eh.simulate.tables(eh.simulate.graded_mix(4, 1.0), eh.simulate.even_errors(4, 0.8),
...                            items=2000, draws=50, rng=rng)
>>> tasks.shape, int(tasks.total[0]), round(float(eh.f1_gap(tasks).mean()), 2)
((50,), 2000, 0.01)
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.data.cells import DenseCells
from evenhand.data.confusion import Confusion
from evenhand.data.counting import numbers
from evenhand.errors import InputError, quoted
from evenhand.options import whole_number

__all__ = ["even_errors", "graded_errors", "graded_mix", "random_guess", "tables", "uniform_guess"]

Floats = NDArray[np.float64]


def __dir__() -> list[str]:
    return __all__


def graded_mix(k: int, skew: Any = 1.0) -> Floats:
    """Class mixes from all equal (skew 0) to proportional to 1, 2, …, k (skew 1).

    >>> graded_mix(4, 1.0)
    array([0.1, 0.2, 0.3, 0.4])
    """
    k, skew = _classes(k, 1), _shares(skew, "skew")[..., None]
    step = np.arange(1, k + 1)
    return np.asarray((1 - skew) / k + skew * step / step.sum())


def uniform_guess(k: int) -> Floats:
    """A classifier that predicts every class alike, whatever is true.

    >>> uniform_guess(2)
    array([[0.5, 0.5],
           [0.5, 0.5]])
    """
    k = _classes(k, 1)
    return np.full((k, k), 1 / k)


def random_guess(shares: Any) -> Floats:
    """A classifier that predicts classes with these shares, whatever is true.

    >>> random_guess([0.25, 0.75])
    array([[0.25, 0.75],
           [0.25, 0.75]])
    """
    z = _shares(shares, "shares", axes=1)
    return np.asarray(np.broadcast_to(z[..., None, :], (*z.shape[:-1], z.shape[-1], z.shape[-1])))


def even_errors(k: int, accuracy: Any) -> Floats:
    """A classifier that is right with this probability and errs evenly over the other classes.

    >>> even_errors(3, 0.5)[0]
    array([0.5 , 0.25, 0.25])
    """
    return graded_errors(k, accuracy, 0.0)


def graded_errors(k: int, accuracy: Any, skew: Any = 1.0) -> Floats:
    """A classifier that prefers later classes when it errs.

    From even errors (skew 0) to the wrong class j, of 1 … k, with a share proportional to j
    (skew 1).

    >>> graded_errors(3, 0.7)[0]
    array([0.7 , 0.12, 0.18])
    """
    k, accuracy, skew = _classes(k, 2), _shares(accuracy, "accuracy"), _shares(skew, "skew")
    try:
        accuracy, skew = np.broadcast_arrays(accuracy, skew)
    except ValueError:
        raise InputError("accuracy and skew must be one number, or as many of both") from None
    step = np.arange(1, k + 1.0)
    wrong = ~np.eye(k, dtype=bool)
    even = wrong / (k - 1)
    graded = wrong * step / (step.sum() - step)[:, None]
    s, a = skew[..., None, None], accuracy[..., None, None]
    return np.asarray((1 - a) * ((1 - s) * even + s * graded) + a * np.eye(k))


def tables(
    mix: Any, channel: Any, *, items: int, draws: int = 1, rng: np.random.Generator
) -> Confusion:
    """Random tables of so many items: a stack of shape (draws, …), rows = true.

    >>> rng = np.random.default_rng(0)
    >>> int(tables([0.5, 0.5], np.eye(2), items=10, rng=rng).correct.sum())
    10
    """
    p, q = _shares(mix, "mix", axes=1), _shares(channel, "channel", axes=2)
    items = whole_number(items, "items", 0, 10**15)
    draws = whole_number(draws, "draws", 1, 1_000_000)
    if not isinstance(rng, np.random.Generator):
        raise InputError(f"rng must be numpy.random.default_rng(seed), got {quoted(rng)}")
    k = p.shape[-1]
    if q.shape[-2:] != (k, k):
        raise InputError(f"channel must be {k} × {k}, as the mix has {k} classes, got {q.shape}")
    for name, shares in (("mix", p), ("every row of channel", q)):
        fine = (shares >= 0).all(-1) & (abs(shares.sum(-1) - 1) <= 1e-9)
        if not fine.all():
            wrong = shares[~fine][0].tolist()
            raise InputError(f"{name} must be shares ≥ 0 that sum to 1, got {wrong}")
    try:
        lead = np.broadcast_shapes(p.shape[:-1], q.shape[:-2])
    except ValueError:
        raise InputError(f"mix and channel must be as many, got {p.shape} and {q.shape}") from None
    joint = np.broadcast_to(p[..., None] * q, (*lead, k, k)).reshape(*lead, k * k)
    joint = joint / joint.sum(axis=-1, keepdims=True)
    cells = rng.multinomial(items, joint, size=(draws, *lead)).reshape(draws, *lead, k, k)
    with_outside = np.zeros((*cells.shape[:-1], k + 1), np.int64)
    with_outside[..., :-1] = cells
    return Confusion.from_cells(tuple(range(k)), DenseCells(with_outside))


def _classes(k: Any, low: int) -> int:
    """A number of classes whose table fits into memory."""
    return whole_number(k, "k", low, 10_000)


def _shares(values: Any, what: str, *, axes: int = 0) -> Floats:
    """Numbers from 0 to 1 with at least so many axes."""
    array = np.asarray(numbers(values, what), np.float64)
    if array.ndim < axes or (array > 1).any():
        least = f" with at least {axes} axes" if axes > 1 else ""
        raise InputError(f"{what} must be numbers from 0 to 1{least}, got {quoted(values)}")
    return array

"""Constrained maximum likelihood: the class mix inside the simplex that fits the shares best."""

from __future__ import annotations

import numpy as np

from evenhand.infer.design import Floats
from evenhand.shift.climb import climb
from evenhand.shift.summit import TOP, affordable, taken_up


def likelihood(
    rates: Floats,
    shares: Floats,
    *,
    near: Floats | None = None,
    lack: float = TOP,
) -> Floats:
    """The mix π that makes the shares of predictions q most likely, by EM and Newton's steps.

    π_i ← π_i·Σ_j q_j·R_ij/(πR)_j, from equal shares, the outside column included, comes near;
    :mod:`evenhand.shift.summit` arrives. ``rates`` are … × k × columns, rows summing to 1;
    ``shares`` … × columns. A prediction that no class makes says nothing about the mix and is
    left aside. ``near`` is a mix to begin close to, if one is known, ``lack`` what may be missing
    of the largest log-likelihood an item.

    >>> rates = np.array([[0.8, 0.2], [0.1, 0.9]])
    >>> likelihood(rates, np.array([0.31, 0.69])).round(6)
    array([0.3, 0.7])
    >>> float(likelihood(rates, np.array([0.05, 0.95]))[0]) < 1e-6  # at the edge, still inside
    True
    """
    k, columns = rates.shape[-2:]
    many, seen = rates.reshape(-1, k, columns), shares.reshape(-1, columns)

    def step(mix: Floats, rate: Floats, share: Floats) -> tuple[Floats, Floats]:
        expected = (mix[:, None] @ rate)[:, 0]
        known = expected > 0
        safe = np.where(known, expected, 1.0)
        moved = mix * (rate @ np.where(known, share / safe, 0.0)[..., None])[..., 0]
        whole = moved.sum(axis=1, keepdims=True)
        moved = np.where(whole > 0, moved / np.where(whole > 0, whole, 1.0), mix)
        return moved, np.sum(share * np.log(safe), axis=1)

    start = np.full((len(many), k), 1 / k)
    if near is not None:
        start = 0.1 * start + 0.9 * near
    limit = 50 if affordable(len(many), k, columns) else 500
    found = climb(step, start, many, seen, limit=limit)
    found = taken_up(lambda part: many[part], seen, found, lack=lack)
    return found.reshape(rates.shape[:-1])

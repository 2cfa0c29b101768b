"""Saerens' EM: the class mix under which the class probabilities of new items fit best."""

from __future__ import annotations

import numpy as np

from evenhand.core.ratio import ratio
from evenhand.infer.design import Floats
from evenhand.shift.climb import climb
from evenhand.shift.summit import TOP, affordable, taken_up


def saerens(
    probabilities: Floats,
    weight: Floats,
    prior: Floats,
    *,
    lack: float = TOP,
) -> Floats:
    """π_k ← mean over items of post_k·π_k/prior_k / Σ_j post_j·π_j/prior_j.

    ``probabilities`` are items × k; ``weight`` says how often each item counts, once or in B
    ways (B × items); ``prior`` is the class mix that the probabilities were made for, one or B.
    (Saerens, Latinne & Decaestecker 2002.) It takes the probabilities to be calibrated. ``lack``
    is what may be missing of the largest log-likelihood an item.

    >>> p = np.array([[0.9, 0.1], [0.9, 0.1], [0.2, 0.8]])
    >>> saerens(p, np.ones(3), np.array([0.5, 0.5])).round(4)
    array([0.8472, 0.1528])
    """
    k = probabilities.shape[1]
    many = np.atleast_2d(weight)
    share = many / many.sum(axis=1, keepdims=True)
    odds = np.broadcast_to(prior, (len(many), k))
    inverse = np.asarray(ratio(1.0, odds))

    def step(mix: Floats, inverse: Floats, share: Floats) -> tuple[Floats, Floats]:
        density = (mix * inverse) @ probabilities.T  # problems × items
        density[density <= 0] = 1.0  # an item that no class could give says nothing
        moved = mix * (share / density @ probabilities) * inverse
        whole = moved.sum(axis=1, keepdims=True)
        height = np.einsum("bi,bi->b", share, np.log(density))
        return moved / np.where(whole > 0, whole, 1), height

    start = np.where(odds > 0, 1.0, 0.0)
    start /= start.sum(axis=1, keepdims=True)
    limit = 60 if affordable(len(many), k, len(probabilities)) else 5000
    found = climb(step, start, inverse, share, limit=limit)
    found = taken_up(
        lambda part: inverse[part][..., None] * probabilities.T, share, found, lack=lack
    )
    return found[0] if np.ndim(weight) == 1 else found

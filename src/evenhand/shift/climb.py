"""Climb to the top of a likelihood over the simplex: EM steps, and leaps between them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from evenhand.infer.design import Floats

Step = Callable[[Floats], tuple[Floats, Floats]]
"""Mixes (… × k) → the mixes one EM step on, and the log-likelihood before it."""


def climb(step: Step, start: Floats, *, tolerance: float = 1e-12, limit: int = 5000) -> Floats:
    """The fixed point of an EM step, for many problems side by side.

    Two steps show where the path leads; the leap along it is taken if it raises the likelihood
    and, in every part, stays inside the simplex (Varadhan & Roland 2008). All shares stay
    positive: what is 0 at the top is only approached.
    """
    x = start
    ahead, height = step(x)
    for _ in range(limit):
        further, height = step(ahead)
        r, v = ahead - x, (further - ahead) - (ahead - x)
        size = np.sqrt((r**2).sum(axis=-1) / np.maximum((v**2).sum(axis=-1), 1e-300))
        leap = np.maximum(size, 1.0)[..., None]
        far = x + 2 * leap * r + leap**2 * v
        far = np.where(far > 0, far, further)
        far = far / far.sum(axis=-1, keepdims=True)
        beyond, top = step(far)
        up = (top >= height)[..., None]
        x, ahead = np.where(up, far, ahead), np.where(up, beyond, further)
        if np.abs(ahead - x).max() <= tolerance:
            break
    return ahead

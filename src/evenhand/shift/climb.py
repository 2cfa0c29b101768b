"""Climb to the top of a likelihood over the simplex: EM steps, and leaps between them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from evenhand.infer.design import Floats

Step = Callable[..., tuple[Floats, Floats]]
"""Mixes, and the data of their problems → one EM step on, and the log-likelihood before it."""


NEAR = 1e-6
"""No share moves by more than this in the last step; ``summit`` goes on from there."""


def climb(step: Step, start: Floats, *data: Floats, limit: int) -> Floats:
    """The fixed points of an EM step, for many problems side by side (B × k; data B × …).

    Two steps show where the path leads; the leap along it is taken if it raises the likelihood,
    and where it would leave the simplex the steps hold (Varadhan & Roland 2008). All shares
    stay positive: what is 0 at the top is only approached. A problem that has arrived rests.
    """
    found = start.copy()
    at = np.arange(len(start))
    x = start
    ahead, _ = step(x, *data)
    for _ in range(limit):
        further, height = step(ahead, *data)
        r, v = ahead - x, (further - ahead) - (ahead - x)
        size = np.sqrt((r**2).sum(axis=1) / np.maximum((v**2).sum(axis=1), 1e-300))
        leap = np.maximum(size, 1.0)[:, None]
        far = x + 2 * leap * r + leap**2 * v
        far = np.where(far > 0, far, further)
        far /= far.sum(axis=1, keepdims=True)
        beyond, top = step(far, *data)
        up = (top >= height)[:, None]
        x, ahead = np.where(up, far, ahead), np.where(up, beyond, further)
        found[at] = ahead
        going = np.abs(ahead - x).max(axis=1) > NEAR
        if not going.any():
            break
        if not going.all():
            at, x, ahead, *data = (y[going] for y in (at, x, ahead, *data))  # type: ignore[assignment]
    return found

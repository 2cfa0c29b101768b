"""The frontier: systems that no other is better than on every metric."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def undominated(ranks: NDArray[np.int64]) -> list[int]:
    """Columns of metrics × systems ranks that no other column dominates.

    One system dominates another if it is nowhere behind it and somewhere ahead. (Pareto.)

    >>> undominated(np.array([[1, 2, 3], [2, 1, 3]]))
    [0, 1]
    """
    found = []
    for i in range(ranks.shape[1]):
        others = ranks - ranks[:, [i]]
        beaten = (others <= 0).all(axis=0) & (others < 0).any(axis=0)
        if not beaten.any():
            found.append(i)
    return found

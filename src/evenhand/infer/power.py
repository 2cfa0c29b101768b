"""How many items a test would need to see a difference like the one observed."""

from __future__ import annotations

import math

from evenhand.errors import InputError
from evenhand.infer.quantile import quantile, reach


def needed(difference: float, se: float, n: int, *, power: float, level: float) -> int | None:
    """Test size for this power at this level, if difference and variance an item stay as they are.

    n·((z_{1−α/2} + z_power)·se / difference)², by the delta method; ``None`` without a
    difference. It takes the observed difference for the true one, which it is not.

    >>> needed(0.02, 0.01, 1000, power=0.8, level=0.95)
    1963
    """
    if not 0 < power < 1:
        raise InputError(f"power must be between 0 and 1, got {power}")
    if not difference or not se:
        return None
    z = reach(level) + quantile(power)
    return math.ceil(n * (z * se / difference) ** 2)

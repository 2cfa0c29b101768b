"""Wilson's score interval, for metrics that are a plain proportion (Wilson 1927)."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from evenhand.core.kernel import Kernel
from evenhand.core.tape import STEP
from evenhand.errors import InputError
from evenhand.infer.design import Floats
from evenhand.infer.quantile import reach


def wilson(hits: Floats, trials: Floats, level: float) -> tuple[Floats, Floats]:
    """Ends of the interval for ``hits`` out of ``trials``; undefined without trials.

    (p + z²/2n ± z·√(p(1−p)/n + z²/4n²)) / (1 + z²/n)

    >>> [round(float(x), 4) for x in wilson(np.array(10), np.array(10), 0.95)]
    [0.7225, 1.0]
    """
    n = np.where(trials > 0, trials, np.nan).astype(np.float64)
    return around_share(hits / n, n, reach(level))


def around_share(p: Floats, n: Floats, z: Floats | float) -> tuple[Floats, Floats]:
    """Wilson's interval of a share ``p`` of ``n``, as many errors wide as ``z``."""
    middle = (p + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z / (1 + z**2 / n) * np.sqrt(p * (1 - p) / n + (z / (2 * n)) ** 2)
    low, high = np.where(p == 0, 0.0 * n, middle - half), np.where(p == 1, n / n, middle + half)
    return low, high


def refusal(kernel: Kernel) -> InputError:
    """Why there is no Wilson interval."""
    return InputError(
        f"wilson is for plain proportions of unweighted items (accuracy, precision, recall and "
        f"F1 of a class, micro averages), and {kernel.name} is none here; use delta or bootstrap"
    )


def through_share(
    hits: Floats, trials: Floats, through: Callable[[Any], Any] | None, level: float
) -> tuple[Floats, Floats, Floats]:
    """Error and ends of a share, or of what grows with it: √(p(1−p)/n) times its slope there.

    F1 of a class is 2J/(1 + J), with J its Jaccard index, the share of right decisions among the
    items that concern it:

    >>> found = through_share(np.array(7), np.array(10), lambda j: 2 * j / (1 + j), 0.95)
    >>> [round(float(x), 4) for x in found]
    [0.1003, 0.5681, 0.943]
    """
    n = np.where(trials > 0, trials, math.nan)
    p = hits / n
    se, low, high = np.sqrt(p * (1 - p) / n), *wilson(hits, trials, level)
    if through is None:
        return np.asarray(se), low, high
    with np.errstate(invalid="ignore"):
        slope = np.imag(through(p + 1j * STEP)) / STEP
    return np.asarray(se * slope), through(low), through(high)

"""Wilson's score interval, for metrics that are a plain proportion (Wilson 1927)."""

from __future__ import annotations

import math

import numpy as np

from evenhand.core.kernel import Kernel
from evenhand.errors import InputError
from evenhand.infer.design import Floats
from evenhand.infer.quantile import reach


def wilson(hits: Floats, trials: Floats, level: float) -> tuple[Floats, Floats]:
    """Ends of the interval for ``hits`` out of ``trials``; undefined without trials.

    (p + z²/2n ± z·√(p(1−p)/n + z²/4n²)) / (1 + z²/n)

    >>> [round(float(x), 4) for x in wilson(np.array(10), np.array(10), 0.95)]
    [0.7225, 1.0]
    """
    z = reach(level)
    n = np.where(trials > 0, trials, np.nan).astype(np.float64)
    p = hits / n
    middle = (p + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z / (1 + z**2 / n) * np.sqrt(p * (1 - p) / n + z**2 / (4 * n**2))
    return np.where(p == 0, 0.0, middle - half), np.where(p == 1, 1.0, middle + half)


def refusal(kernel: Kernel) -> InputError:
    """Why there is no Wilson interval."""
    return InputError(
        f"wilson is for plain proportions of unweighted items (accuracy, precision and recall of "
        f"a class, micro averages), and {kernel.name} is none here; use delta or bootstrap"
    )


def proportion_error(hits: Floats, trials: Floats) -> Floats:
    """√(p(1−p)/n)."""
    n = np.where(trials > 0, trials, math.nan)
    p = hits / n
    return np.asarray(np.sqrt(p * (1 - p) / n))

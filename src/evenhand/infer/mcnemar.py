"""McNemar's test with the mid-p, for the share of items right (Fagerland et al. 2013)."""

from __future__ import annotations

import numpy as np

from evenhand.core.kernel import Kernel
from evenhand.infer.design import CodeDesign
from evenhand.infer.rows import Rows


def mid_p(only_a: int, only_b: int) -> float:
    """Exact two-sided p less half the chance of just this table; 1 when both win as often.

    >>> round(mid_p(2, 8), 6)
    0.06543
    """
    n, few = only_a + only_b, min(only_a, only_b)
    if only_a == only_b:
        return 1.0
    from scipy.special import bdtr

    fewer = bdtr(few - 1, n, 0.5) if few else 0.0
    return float(bdtr(few, n, 0.5) + fewer)  # both tails, each with half of just this table


def mcnemar(pair: Rows, kernel: Kernel) -> float | None:
    """The p of two systems' rows; ``None`` unless the metric is the share of all items right."""
    design, record = pair.design, kernel.record
    if record is None or record.proportion is None or kernel.target is not None:
        return None
    if not isinstance(design, CodeDesign) or pair.cluster is not None or pair.items is None:
        return None
    if not np.array_equal(pair.weight, pair.items):
        return None
    c = kernel.prepared(design.counts(pair.weight[None]))
    hits, trials = record.proportion(c)
    of_all = np.array_equal(trials, c.total) and np.array_equal(hits, c.correct.sum(axis=-1))
    if not of_all or not np.allclose(kernel.function(c), hits / trials, rtol=0, atol=1e-12):
        return None
    right = design.pred == design.true[:, None]
    only = [int(pair.items[right[:, i] & ~right[:, 1 - i]].sum()) for i in (0, 1)]
    return mid_p(*only)

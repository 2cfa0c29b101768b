"""Agreement between metrics: do they put the systems in the same order?"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from evenhand.infer.design import Floats
from evenhand.ranking.ranks import average_ranks


def spearman(values: Floats, better: Sequence[str]) -> Floats:
    """Spearman's ρ between the rows of metrics × systems; undefined where all scores are equal.

    The Pearson correlation of the ranks, equal scores at their mean rank. (Spearman 1904.)

    >>> spearman(np.array([[1, 2, 3], [1, 3, 2.0]]), ["higher", "higher"])[0, 1].item()
    0.5
    """
    r = np.stack([average_ranks(v, b) for v, b in zip(values, better, strict=True)])
    return _cosine(r - r.mean(axis=1, keepdims=True))


def kendall(values: Floats, better: Sequence[str]) -> Floats:
    """Kendall's τ_b between the rows of metrics × systems: pairs in the same order less the others.

    Pairs that are equal on one metric count for neither. (Kendall 1945.)

    >>> round(kendall(np.array([[1, 2, 3], [1, 3, 2.0]]), ["higher", "higher"])[0, 1].item(), 4)
    0.3333
    """
    r = np.stack([average_ranks(v, b) for v, b in zip(values, better, strict=True)])
    first, second = np.triu_indices(r.shape[1], 1)
    return _cosine(np.sign(r[:, first] - r[:, second]))


def _cosine(x: Floats) -> Floats:
    square = (x**2).sum(axis=1)
    both = np.sqrt(np.outer(square, square))  # exact where two metrics agree
    found = np.divide(x @ x.T, both, out=np.full(both.shape, np.nan), where=both > 0)
    return np.asarray(np.clip(found, -1, 1))

"""Accuracy and the losses: shares of items, or of decisions."""

from __future__ import annotations

from typing import Any

import numpy as np

from evenhand.bridges.sklearn.options import flag
from evenhand.bridges.sklearn.reading import targets
from evenhand.bridges.sklearn.targets import Multi, Targets
from evenhand.core.metrics import items
from evenhand.core.metrics.micro import accuracy


def accuracy_score(
    y_true: Any, y_pred: Any, *, normalize: bool = True, sample_weight: Any = None
) -> float:
    """Share of items that are right, or their number; of indicators, all labels at once.

    >>> accuracy_score([0, 2, 1, 3], [0, 1, 2, 3]), accuracy_score([0, 1], [0, 0], normalize=False)
    (0.5, 1.0)
    """
    as_share = flag("normalize", normalize)
    found = targets(y_true, y_pred, sample_weight)
    share = _share_right(found)
    if as_share:
        return share
    if isinstance(found, Multi):
        return share * float(found.total)
    return float(np.sum(found.margins().correct))


def zero_one_loss(
    y_true: Any, y_pred: Any, *, normalize: bool = True, sample_weight: Any = None
) -> float:
    """Share of items that are wrong, or their number.

    >>> zero_one_loss([1, 2, 3, 4], [2, 2, 3, 4])
    0.25
    """
    as_share = flag("normalize", normalize)
    found = targets(y_true, y_pred, sample_weight)
    wrong = 1 - _share_right(found)
    return wrong if as_share else wrong * float(found.total)


def hamming_loss(y_true: Any, y_pred: Any, *, sample_weight: Any = None) -> float:
    """Share of items that are wrong; of indicators, of decisions.

    >>> import numpy as np
    >>> hamming_loss(np.array([[0, 1], [1, 1]]), np.zeros((2, 2)))
    0.75
    """
    found = targets(y_true, y_pred, sample_weight)
    if isinstance(found, Multi):
        return float(items.hamming_loss(found.items()))
    return 1 - _share_right(found)


def _share_right(found: Targets) -> float:
    if isinstance(found, Multi):
        return float(items.subset_accuracy(found.items()))
    return float(accuracy(found.margins()))

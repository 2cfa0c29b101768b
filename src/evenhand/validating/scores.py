"""Scores: one system on one metric, fold by fold."""

from __future__ import annotations

from dataclasses import dataclass

from evenhand.core.kernel import Kernel
from evenhand.infer.resampled import resampled_mean
from evenhand.infer.transform import extent
from evenhand.notes.interval import Floats, Interval


@dataclass(frozen=True, eq=False, kw_only=True)
class FoldScore(Interval):
    """A metric over folds: ``value`` is the mean of ``folds``, ``pooled`` that of all items.

    >>> import evenhand as eh
    >>> found = eh.cross_validated(list("aabbab"), list("abbbaa"), fold=[1, 1, 1, 2, 2, 2],
    ...                            metrics="macro_f1")
    >>> round(found["macro_f1"].pooled, 4), round(found["macro_f1"].value, 4)
    (0.6667, 0.6667)
    """

    told = ("system", "metric", "pooled", "value", "se", "low", "high", "method", "folds")

    system: str
    metric: str
    pooled: float
    folds: tuple[float, ...]


def fold_score(
    system: str, metric: str, kernel: Kernel, values: Floats, pooled: float, ratio: float,
    level: float,
) -> FoldScore:  # fmt: skip
    """A score from one value a fold; ``ratio`` items are tested for each that is trained on."""
    return FoldScore(
        **resampled_mean(values, ratio).measured(level, *extent(kernel)),
        system=system,
        metric=metric,
        pooled=pooled,
        folds=tuple(values.tolist()),
    )

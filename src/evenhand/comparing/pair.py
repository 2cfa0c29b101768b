"""Pair: two systems on one metric."""

from __future__ import annotations

from dataclasses import dataclass

from evenhand.core.registry import Better
from evenhand.infer.margin import Margin
from evenhand.infer.power import Needed
from evenhand.notes.interval import Interval
from evenhand.results.result import Entry


@dataclass(frozen=True, eq=False, kw_only=True)
class Pair(Entry, Interval):
    """Two systems on one metric: first minus second, how sure, and by which tests.

    ``p_adjusted`` is the first test's p after the correction, ``p_least`` the least that it could
    have been: what cannot be below the level cannot tell systems apart. ``points`` says that the
    difference is spoken of in hundredths of the metric's range.

    >>> import evenhand as eh
    >>> found = eh.compare(list("aabb"), list("aabb"), list("abbb"), metrics="accuracy")
    >>> found["accuracy"].values
    (1.0, 0.75)
    """

    told = ("systems", "metric", "values", "difference", "effect", "se", "low", "high", "p",
            "p_adjusted", "p_least", "margin", "needed")  # fmt: skip

    systems: tuple[str, str]
    metric: str
    values: tuple[float, float]
    points: bool
    better: Better
    p: dict[str, float | None]
    p_adjusted: float | None = None
    p_least: float | None = None
    margin: Margin | None = None
    needed: Needed | None = None

    @property
    def difference(self) -> float:
        """The first system's value less the second's."""
        return self.value

    @property
    def effect(self) -> float:
        """The difference in points, where the metric has a bounded range."""
        return 100 * self.difference if self.points else self.difference

"""Gaps: the groups on one metric, and how far each is from the best and from the rest."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from evenhand.catalogue.spelling import Spec
from evenhand.infer.contrast import Ends, difference, ratio
from evenhand.infer.design import Floats
from evenhand.infer.pvalue import holm, two_sided
from evenhand.infer.quantile import reach
from evenhand.notes.interval import Interval
from evenhand.notes.method import Method
from evenhand.notes.record import Record
from evenhand.results.result import Collection
from evenhand.scoring.parting import Parts
from evenhand.scoring.score import score
from evenhand.scoring.scores import Scores
from evenhand.tables.confusion import Classes

MOVER = Method("mover")
Bools = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Group(Record):
    """One group: its score, and what lies between it and the best group, and the other items.

    >>> import evenhand as eh
    >>> found = eh.groups(list("abab" * 30), list("abbb" * 30), by=list("xxyy" * 30))
    >>> group = found["accuracy"]["y"]
    >>> group.score.value, group.to_best.value, group.ratio_to_best.value
    (0.5, -0.5, 0.5)
    """

    told: ClassVar[tuple[str, ...]] = (
        "key", "n", "score", "to_best", "ratio_to_best", "to_rest", "ratio_to_rest", "p",
        "p_adjusted",
    )  # fmt: skip

    key: Any
    n: int
    score: Interval
    to_best: Interval
    ratio_to_best: Interval | None
    to_rest: Interval
    ratio_to_rest: Interval | None
    p: float | None
    p_adjusted: float | None


@dataclass(frozen=True, eq=False)
class Gap(Collection[Any, Group], Record):
    """The groups on one metric: the worst and the best, and how far they are apart.

    >>> import evenhand as eh
    >>> found = eh.groups(list("abab" * 30), list("abbb" * 30), by=list("xxyy" * 30))
    >>> found["accuracy"].worst, round(found["accuracy"].difference.value, 4)
    ('y', 0.5)
    """

    told: ClassVar[tuple[str, ...]] = (
        "metric", "worst", "best", "worst_score", "difference", "ratio", "groups",
    )  # fmt: skip

    metric: str
    worst: Any
    best: Any
    worst_score: Interval
    difference: Interval
    ratio: Interval | None
    groups: tuple[Group, ...]

    @property
    def parts(self) -> dict[Any, Group]:
        """Each group by its key."""
        return {g.key: g for g in self.groups}


class GroupScores:
    """The scores of groups and rests, at the levels that comparisons need."""

    def __init__(self, parts: Parts, metrics: Any, how: dict[str, Any], level: float) -> None:
        self.parts, self.metrics, self.how, self.level = parts, metrics, how, level
        g = len(parts.keys)
        self.pairs = g * (g - 1) // 2
        alone, of_pairs, of_all = (1 - (1 - level) / m for m in (1, self.pairs, g))
        self.plain = self._scored(parts.groups, alone)
        self.paired = self._scored(parts.groups, of_pairs)
        self.each = self._scored(parts.groups, of_all)
        self.rests = self._scored(parts.rests, of_all)
        self.r = parts.correlations(metrics, **how)

    def _scored(self, data: Any, level: float) -> Sequence[Scores]:
        return score(data, metrics=self.metrics, level=level, **self.how).slices

    def labels(self, classes: Classes) -> Sequence[Any]:
        """The classes that averages run over."""
        if not isinstance(classes, str):
            return list(classes)
        table = self.parts.tables
        mask = np.asarray(table.averaged(classes)).reshape(-1, table.k).any(axis=0)
        return [v for v, m in zip(table.labels, np.ravel(mask), strict=True) if m]

    def gap(self, m: int, name: str, spec: Spec) -> Gap:
        """Everything about one metric."""
        g, keys = len(self.parts.keys), self.parts.keys
        sign = -1.0 if spec.metric.better == "lower" else 1.0
        paired, each, rests = (_ends(x, name) for x in (self.paired, self.each, self.rests))
        own, r = _ends(self.plain, name).value, self.r[m]
        across = [Ends(*(x[:, None] for x in paired)), Ends(*(x[None, :] for x in paired))]
        apart = difference(across[0], across[1], r[:g, :g])
        between = np.arange(g), g + np.arange(g)
        aside = difference(each, rests, r[between])
        told = ~np.isnan(own)  # groups in which the metric is undefined are compared with nothing
        best, worst = (int(np.argmax(np.where(told, x * own, -np.inf))) for x in (sign, -sign))
        ratios = ratio(across[0], across[1], r[:g, :g]) if spec.metric.low >= 0 else None
        aside_ratio = ratio(each, rests, r[between]) if spec.metric.low >= 0 else None
        tested = self._tested(aside)
        adjusted = iter(holm([p for p in tested if p is not None]))
        groups = tuple(
            Group(
                keys[i],
                int(self.plain[i].n),
                self.plain[i].metrics[name],
                self._to_best(apart, i, best, sign, told),
                None if ratios is None else self._to_best(ratios, i, best, sign, told, 1.0),
                self._interval(*(x[i] for x in aside)),
                None if aside_ratio is None else self._interval(*(x[i] for x in aside_ratio)),
                tested[i],
                None if tested[i] is None else next(adjusted),
            )
            for i in range(g)
        )
        pick = _least if sign > 0 else _most
        low, high = pick(each.low[told]), pick(each.high[told])
        return Gap(
            name,
            keys[worst],
            keys[best],
            self._interval(own[worst], low, high),
            self._widest(apart, best, worst, sign, told),
            None if ratios is None else self._to_best(ratios, worst, best, sign, told, 1.0),
            groups,
        )

    def _tested(self, x: Ends) -> list[float | None]:
        """p of each group's difference to the rest, by the end of its interval that lies towards 0.

        That end knows how small the group is; an error at the value itself would not.
        """
        z = reach(1 - (1 - self.level) / len(self.parts.keys))
        half = np.where(x.value > 0, x.value - x.low, x.high - x.value)
        with np.errstate(divide="ignore", invalid="ignore"):
            p = two_sided(np.abs(x.value) * z / half)
        known = np.isfinite(half) & (half > 0)
        return [float(v) if there else None for v, there in zip(p, known, strict=True)]

    def _to_best(
        self, x: Ends, i: int, best: int, sign: float, told: Bools, nothing: float = 0.0
    ) -> Interval:
        """A group against the best: against all others at once, and itself."""
        others = told & (np.arange(len(told)) != i)
        pick = _least if sign > 0 else _most
        low, high = pick(x.low[i][others]), pick(x.high[i][others])
        bound = min if sign > 0 else max
        low, high = bound(low, nothing), bound(high, nothing)
        return self._interval(x.value[i, best], low, high)

    def _widest(self, x: Ends, best: int, worst: int, sign: float, told: Bools) -> Interval:
        """The largest difference of two groups: at least each that is shown, at most the widest."""
        pairs = np.outer(told, told) & ~np.eye(len(told), dtype=bool)
        low, high = max(_most(x.low[pairs]), 0.0), _most(x.high[pairs])
        return self._interval(sign * x.value[best, worst], low, high)

    def _interval(self, value: Any, low: Any, high: Any) -> Interval:
        if math.isnan(low) or math.isnan(high):
            note = None if math.isnan(value) else "no width"
            return Interval(float(value), level=self.level, note=note)  # type: ignore[arg-type]
        above = None if math.isinf(high) else float(high)
        return Interval(float(value), None, float(low), above, self.level, MOVER)


def _ends(scores: Sequence[Scores], name: str) -> Ends:
    found = [s.metrics[name] for s in scores]

    def column(values: Iterable[float | None]) -> Floats:
        return np.array([math.nan if v is None else v for v in values])

    return Ends(*(column(getattr(s, part) for s in found) for part in ("value", "low", "high")))


def _least(x: Floats) -> float:
    return float(np.min(x)) if x.size else math.nan


def _most(x: Floats) -> float:
    return float(np.max(x)) if x.size else math.nan

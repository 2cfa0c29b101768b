"""Groups: where one system is worst, by how much, and how sure that is."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np

from evenhand.catalogue.binding import Metrics, at_distance, named, several
from evenhand.catalogue.lists import shown_in
from evenhand.catalogue.policy import Undefined, policy
from evenhand.catalogue.spelling import Spec
from evenhand.catalogue.titles import title
from evenhand.count.given import Given
from evenhand.errors import InputError, MetricError, shown
from evenhand.infer.contrast import Ends, difference, ratio
from evenhand.infer.design import Floats
from evenhand.infer.pvalue import holm, two_sided
from evenhand.infer.quantile import reach
from evenhand.notes.data import CommonClasses
from evenhand.notes.interval import Interval
from evenhand.notes.method import Method
from evenhand.notes.note import Note
from evenhand.notes.record import Record
from evenhand.results.cells import Cell, Chance, Sure
from evenhand.results.content import Block, Content, Heading, Pictures, Sheet, Words
from evenhand.results.grid import Grid
from evenhand.results.result import Collection, Result
from evenhand.results.sentence import called
from evenhand.results.text import counted, ends, level_text, listed, number
from evenhand.scoring.parting import Parts, parts_of
from evenhand.scoring.score import score
from evenhand.scoring.scores import Scores
from evenhand.signature.fields import checked_level
from evenhand.tables.confusion import Classes
from evenhand.tables.labels import key_text, rule_or_list

MOVER = Method("mover")
SHOWN = 60
"""Groups of which a table shows each."""


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


@dataclass(frozen=True, eq=False, repr=False)
class Groups(Collection[str, Gap], Result):
    """How a system does in groups of items, metric by metric.

    >>> import evenhand as eh
    >>> list(eh.groups(list("abab" * 30), list("abbb" * 30), by=list("xxyy" * 30), metrics="mcc"))
    ['mcc']
    """

    level: float
    pairs: int
    classes: tuple[Any, ...]
    metrics: dict[str, Gap]
    overlap: bool = False
    cautions: tuple[Note, ...] = ()

    of_metrics = True

    @property
    def parts(self) -> dict[str, Gap]:
        """The gap on each metric."""
        return self.metrics

    def facts(self) -> dict[str, Any]:
        """What ``evenhand score --by COL --groups --format json`` prints."""
        how = {"correction": {"to_best": "bonferroni", "to_rest": "bonferroni", "p": "holm"}}
        return {
            **self.picked("level", "pairs"),
            **how,
            **self.picked("overlap", "classes", "metrics"),
        }

    def content(self) -> Content:
        """What is worst and by how much, then every group on every metric."""
        first = next(iter(self.metrics.values()))
        k, g = len(self.classes), len(first.groups)
        title = f"{counted(g, 'group')}, {level_text(self.level)} intervals"
        said = [_sentence(gap) for gap in self.metrics.values()]
        sharing = "; errors of shared items go together" if self.overlap else ""
        how = (
            f"Worst, difference and ratio: for all {counted(self.pairs, 'pair')} of groups at "
            "once, whichever is truly best (Bonferroni); to the rest: for all "
            f"{g} groups at once; p after Holm{sharing}. Averages run over the "
            f"{counted(k, 'class', 'classes')} true in every group."
        )
        blocks: list[Block] = [Words("\n".join(said), "verdict")]
        for gap in self.metrics.values():
            sheet = Sheet(_grid(gap), most=SHOWN, rows="groups", wide=120)
            blocks += [Heading(f"Groups by {called(gap.metric)}"), sheet]
        blocks += [Words(how, "note"), Pictures([partial(_chart, self)])]
        return Content(title, blocks, self._data, warnings=self.warnings)

    def _data(self) -> Grid:
        head = ["metric", "group", "n", "quantity", "value", "se", "low", "high", "p", "p_adjusted"]
        rows: list[list[Cell]] = []
        for gap in self.metrics.values():
            for name in ("worst_score", "difference", "ratio"):
                rows += _row([gap.metric, "", None, name], getattr(gap, name))
            for g in gap.groups:
                for name in ("score", "to_best", "ratio_to_best", "to_rest", "ratio_to_rest"):
                    begun: list[Cell] = [gap.metric, key_text(g.key), g.n, name]
                    tested = (g.p, g.p_adjusted) if name == "to_rest" else (None, None)
                    rows += _row(begun, getattr(g, name), *tested)
        return Grid(head, rows)


def _row(begun: list[Cell], x: Interval | None, *tested: float | None) -> list[list[Cell]]:
    if x is None:
        return []
    return [[*begun, x.value, x.se, x.low, x.high, *(tested or (None, None))]]


def _sentence(gap: Gap) -> str:
    if gap.worst == gap.best:
        return f"{title(gap.metric)}: all groups score {number(gap.worst_score.value)}."
    said = f"{title(gap.metric)}: worst in {key_text(gap.worst)}, {Sure(gap.worst_score).text(4)}; "
    said += f"{number(gap.difference.value)} {ends(gap.difference.low, gap.difference.high)} "
    said += f"from the best, {key_text(gap.best)}."
    level = 1 - (gap.difference.level or 0.95)
    unlike = [g.key for g in gap.groups if g.p_adjusted is not None and g.p_adjusted < level]
    return said + (f" Unlike the rest: {listed(map(key_text, unlike))}." if unlike else "")


def _grid(gap: Gap) -> Grid:
    of_ratio = gap.ratio is not None
    head = ["group", "items", gap.metric, "to the best", *["ratio"] * of_ratio]
    head += ["to the rest", *["ratio to it"] * of_ratio, "p adjusted"]
    rows: list[list[Cell]] = []
    for g in gap.groups:
        row: list[Cell] = [key_text(g.key), number(g.n), Sure(g.score), Sure(g.to_best)]
        row += [Sure(g.ratio_to_best)] if g.ratio_to_best is not None else [""] * of_ratio
        row.append(Sure(g.to_rest))
        row += [Sure(g.ratio_to_rest)] if g.ratio_to_rest is not None else [""] * of_ratio
        rows.append([*row, Chance(g.p_adjusted)])
    return Grid(head, rows)


def _chart(found: Groups) -> Any:
    from evenhand.scoring.group_chart import groups

    return groups(found)


def groups(
    *data: Any,
    by: Any = None,
    metrics: Metrics | None = None,
    classes: Classes = "task",
    undefined: Undefined = 0,
    distance: Any = None,
    level: float = 0.95,
    y_true: Any = None,
    y_pred: Any = None,
    true: str | None = None,
    pred: str | Sequence[str] | None = None,
    labels: Iterable[Any] | None = None,
    weights: Any = None,
    cluster: Any = None,
    drop_null_truth: bool = False,
) -> Groups:
    """Say in which group of the items a system is worst, by how much, and how sure that is.

    Takes what ``score`` takes of one system with ``by``, one value an item or the name of a column;
    groups that share items are a mapping of names to true or false for every item. Averages run
    over the classes that are true in every group, unless ``classes`` are listed.

    Every group has its score, its difference and its ratio to the best group and to the rest of
    the items. Differences come from the two scores' own intervals by square-and-add (Zou & Donner
    2008; ratios: Donner & Zou 2012), with the correlation of their errors where items or clusters
    are shared. The best group is not known but estimated: the interval of a difference to it is
    the smallest over all others of intervals that hold for all pairs at once (after Hsu 1984), by
    Bonferroni; those to the rest hold for all groups at once, and their p is Holm's.

    >>> import evenhand as eh
    >>> true, guess, language = list("aabb" * 40), list("aaba" * 40), ["en", "en", "en", "de"] * 40
    >>> found = eh.groups(true, guess, by=language, metrics="accuracy")
    >>> found["accuracy"].worst, found["accuracy"]["de"].to_best.value
    ('de', -1.0)
    """
    checked_level(level)
    beside: Any = {"labels": labels, "weights": weights, "cluster": cluster}
    given = Given(
        "groups", data, y_true, y_pred, true, pred, **beside, drop_null_truth=drop_null_truth
    )
    parts = parts_of(given, by)
    wanted = several(metrics, lambda: list(shown_in("lead")), distance=distance)
    specs = named([at_distance(m, distance) for m in wanted])
    known = {name: spec for name, spec in specs if isinstance(spec, Spec)}
    for name, _ in specs:
        if name not in known or known[name].metric.better == "neither":
            raise MetricError(f"{name} cannot tell the better of two groups")
    common, notes = _common(parts, rule_or_list(classes))
    how: dict[str, Any] = {"classes": common, "undefined": policy(undefined)}
    made = _Made(parts, list(known.values()), how, level)
    found = {name: made.gap(i, name, spec) for i, (name, spec) in enumerate(known.items())}
    return Groups(
        level,
        made.pairs,
        tuple(made.labels(common)),
        found,
        isinstance(by, Mapping),
        (*parts.notes, *notes),
    )


def _common(parts: Parts, classes: Classes) -> tuple[Classes, list[Note]]:
    """The classes that are true in every group; the rule itself where that makes no difference."""
    if not isinstance(classes, str):
        return classes, []
    tables = parts.tables
    there = np.asarray(tables.prevalence) > 0
    every, some = there.all(axis=0), there.any(axis=0)
    if not every.any():
        raise InputError(
            f"no class is true in every group: {shown(tables.labels)} cannot be averaged over"
        )
    if (every == some).all():
        return classes, []
    kept, left = (
        tuple(v for v, m in zip(tables.labels, np.ravel(mask), strict=True) if m)
        for mask in (every, some & ~every)
    )
    return list(kept), [CommonClasses(kept, left)]


class _Made:
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
        best, worst = int(np.argmax(sign * own)), int(np.argmin(sign * own))
        ratios = ratio(across[0], across[1], r[:g, :g]) if spec.metric.low >= 0 else None
        aside_ratio = ratio(each, rests, r[between]) if spec.metric.low >= 0 else None
        tested = self._tested(aside)
        adjusted = iter(holm([p for p in tested if p is not None]))
        groups = tuple(
            Group(
                keys[i],
                int(self.plain[i].n),
                self.plain[i].metrics[name],
                self._to_best(apart, i, best, sign),
                None if ratios is None else self._to_best(ratios, i, best, sign, 1.0),
                self._interval(*(x[i] for x in aside)),
                None if aside_ratio is None else self._interval(*(x[i] for x in aside_ratio)),
                tested[i],
                None if tested[i] is None else next(adjusted),
            )
            for i in range(g)
        )
        lowest = Ends(*(sign * x for x in each))
        low, high = sorted((sign * _least(lowest.low), sign * _least(lowest.high)))
        wide = self._widest(apart, best, worst, sign)
        return Gap(
            name,
            keys[worst],
            keys[best],
            self._interval(own[worst], low, high),
            wide,
            None if ratios is None else self._to_best(ratios, worst, best, sign, 1.0),
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

    def _to_best(self, x: Ends, i: int, best: int, sign: float, nothing: float = 0.0) -> Interval:
        """A group against the best: against all others at once, and itself."""
        others = np.arange(len(x.value)) != i
        pick = _least if sign > 0 else _most
        low, high = pick(x.low[i][others]), pick(x.high[i][others])
        bound = min if sign > 0 else max
        low, high = bound(low, nothing), bound(high, nothing)
        return self._interval(x.value[i, best], low, high)

    def _widest(self, x: Ends, best: int, worst: int, sign: float) -> Interval:
        """The largest difference of two groups: at least each that is shown, at most the widest."""
        pairs = ~np.eye(len(x.value), dtype=bool)
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
    return float(np.min(x))


def _most(x: Floats) -> float:
    return float(np.max(x))

"""One system on groups of items: the worst group, differences and ratios."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from evenhand.catalogue.binding import bind_all
from evenhand.catalogue.lists import (
    LEAD,
    AnyMetric,
    at_distance,
    in_order,
    named,
    several,
)
from evenhand.catalogue.spelling import Spec, called, title
from evenhand.data.arguments import VerbArguments, one_of, refusal, system_of, verb, what_came
from evenhand.data.confusion import Confusion, pooled
from evenhand.data.factorize import array_of
from evenhand.data.sample import Sample, concatenated
from evenhand.errors import InputError, MetricError, Option, sequence, shown
from evenhand.inference.multiplicity import holm, two_sided
from evenhand.inference.rows import (
    ContrastLimits,
    Floats,
    NoGradientError,
    centred,
    difference,
    of_clusters,
    ratio,
    rows_of,
)
from evenhand.inference.wilson import critical_value
from evenhand.options import Classes, GroupsOptions
from evenhand.records import Interval, Method, Record
from evenhand.results.document import (
    Block,
    Cell,
    Content,
    Grid,
    Heading,
    IntervalCell,
    Paragraph,
    ProbabilityCell,
    Table,
)
from evenhand.results.result import Collection, Result
from evenhand.scoring.score import score
from evenhand.scoring.scores import Scores
from evenhand.text import counted, key_text, level_text, listed, number
from evenhand.warnings import CommonClasses, NoCommonClass, ResultWarning

MOVER = Method("mover")
Bools = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class GroupParts:
    """Groups by key and the rest of each, as stacks that ``score`` takes.

    Without clusters they are tables, whose errors are independent. With clusters, or where groups
    share items, they are samples whose clusters have the same codes in every part.
    """

    keys: tuple[Hashable, ...]
    groups: Confusion | Sample
    rests: Confusion | Sample
    notes: tuple[ResultWarning, ...] = ()

    @property
    def tables(self) -> Confusion:
        """The table of each group."""
        if isinstance(self.groups, Confusion):
            return self.groups
        return Confusion.stack({i: p.tables()[0] for i, (_, p) in enumerate(self.groups.slices)})

    def correlations(self, metrics: Sequence[AnyMetric], **options: Any) -> Floats:
        """How the errors of all parts go together: metrics × 2G × 2G, groups before rests."""
        size = 2 * len(self.keys)
        independent = np.broadcast_to(np.eye(size), (len(metrics), size, size))
        if isinstance(self.groups, Confusion) or isinstance(self.rests, Confusion):
            return independent
        parts = [p for _, p in (*self.groups.slices, *self.rests.slices)]
        n_clusters = max(int(p.cluster.max()) for p in parts if p.cluster is not None) + 1
        cluster_sums = np.zeros((len(metrics), size, n_clusters))
        for i, part in enumerate(parts):
            rows = rows_of(part)
            kernels = bind_all(metrics, part.tables(), **options)
            for m, kernel in enumerate(kernels):
                try:
                    (psi,) = rows.influences([kernel])[0]
                except NoGradientError:
                    continue
                moved = centred(psi, rows.weight) * rows.weight
                cluster_sums[m, i] = np.bincount(
                    cast(Any, rows.cluster), moved, minlength=n_clusters
                )
        products = cluster_sums @ cluster_sums.transpose(0, 2, 1)
        sizes = np.sqrt(np.diagonal(products, axis1=1, axis2=2))
        both = sizes[:, :, None] * sizes[:, None, :]
        none = np.zeros_like(products)
        return np.asarray(np.divide(products, both, out=none, where=both > 0))


def parts_of(arguments: VerbArguments, by: Any) -> GroupParts:
    """The groups of the data: slices, or whatever masks of items name."""
    if isinstance(by, Mapping):
        return _overlapping(arguments, by)
    counted = one_of("groups", system_of(replace(arguments, by=by)))
    if counted.task != "single" or counted.soft:
        raise refusal("groups", what_came((counted,)), "groups need items of one label each")
    if isinstance(counted, Confusion):
        if len(counted.shape) != 1 or counted.axes[0] == "system":
            raise InputError("groups need slices of the items: say which by ", Option("by"))
        return _of_tables(Confusion.stack(dict(counted.sliced()[1])))
    if not counted.slices:
        raise InputError("groups need slices of the items: say which by ", Option("by"))
    slices, notes = of_clusters(counted.slices)
    if counted.cluster is None:
        return _of_tables(Confusion.stack({key: part.tables()[0] for key, part in slices}))
    keys = tuple(key for key, _ in slices)
    _enough(keys)
    rests = [(key, joined(p for other, p in slices if other != key)) for key in keys]
    every = joined(part for _, part in slices)
    return GroupParts(
        keys,
        replace(every, slices=tuple(slices)),
        replace(every, slices=tuple(rests)),
        tuple(notes),
    )


def _enough(keys: Sequence[Hashable]) -> None:
    if len(keys) < 2:
        raise InputError(f"groups need at least two of them to compare, got {shown(keys)}")


def _of_tables(stack: Confusion) -> GroupParts:
    keys = stack.keys[0]
    _enough(keys)
    at = range(len(keys))
    rests = [pooled(stack[[j for j in at if j != i]]) for i in at]
    return GroupParts(keys, stack, Confusion.stack(rests))


def _overlapping(arguments: VerbArguments, by: Mapping[Any, Any]) -> GroupParts:
    """Groups that may share items: each a mask, one truth an item."""
    _enough(list(by))
    columns = [sequence(mask, "groups by name", "true or false") for mask in by.values()]
    masks = array_of(columns, "groups by name")
    if masks.dtype != bool or masks.ndim != 2:
        raise InputError("groups by name must each have a true or false for every item")
    if arguments.of_frame or arguments.drop_null_truth:
        raise InputError("groups by name go with columns of labels, not with a frame")
    cluster = np.arange(masks.shape[1]) if arguments.cluster is None else arguments.cluster
    kinds = [tuple(map(bool, column)) for column in masks.T]
    arguments = replace(arguments, cluster=cluster, by=kinds)
    sample = one_of("groups", system_of(arguments))
    if not isinstance(sample, Sample):
        raise refusal("groups", what_came((sample,)), "groups need items of one label each")
    sides = []
    for inside in (True, False):
        parts = []
        for g, key in enumerate(by):
            members = [p for kind, p in sample.slices if cast(Any, kind)[g] is inside]
            if not members:
                raise InputError(f"the group {key!r} must have some items and leave others")
            parts.append((key, joined(members)))
        sides.append(replace(sample, slices=tuple(parts)))
    return GroupParts(tuple(by), sides[0], sides[1])


def joined(parts: Iterable[Sample]) -> Sample:
    """The rows of samples of different items, whose clusters have the same codes, as one."""
    every = list(parts)
    cluster = np.concatenate([cast(Any, p.cluster) for p in every])
    return replace(concatenated(every), cluster=cluster, slices=())


# Comparing the groups on one metric.


@dataclass(frozen=True, eq=False)
class Group(Record):
    """One group: its score, and what lies between it and the best group, and the other items.

    >>> import evenhand as eh
    >>> found = eh.groups(list("abab" * 30), list("abbb" * 30), by=list("xxyy" * 30))
    >>> group = found["accuracy"]["y"]
    >>> group.score.value, group.to_best.value, group.ratio_to_best.value
    (0.5, -0.5, 0.5)
    """

    json_fields = "key n score to_best ratio_to_best to_rest ratio_to_rest p p_adjusted"

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

    json_fields = "metric worst best worst_score difference ratio groups"

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

    def __init__(
        self, parts: GroupParts, metrics: Any, options: dict[str, Any], level: float
    ) -> None:
        self.parts, self.level = parts, level
        g = len(parts.keys)
        self.pairs = g * (g - 1) // 2

        def scored(data: Any, comparisons: int) -> Sequence[Scores]:
            corrected = 1 - (1 - level) / comparisons
            return score(data, metrics=metrics, level=corrected, **options).slices

        self.plain, self.paired = scored(parts.groups, 1), scored(parts.groups, self.pairs)
        self.each, self.rests = scored(parts.groups, g), scored(parts.rests, g)
        self.correlations = parts.correlations(metrics, **options)

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
        paired, each, rests = (_limits(x, name) for x in (self.paired, self.each, self.rests))
        values, r = _limits(self.plain, name).value, self.correlations[m]
        across = [
            ContrastLimits(*(x[:, None] for x in paired)),
            ContrastLimits(*(x[None, :] for x in paired)),
        ]
        differences = difference(across[0], across[1], r[:g, :g])
        between = np.arange(g), g + np.arange(g)
        to_rest = difference(each, rests, r[between])
        defined = ~np.isnan(
            values
        )  # groups in which the metric is undefined are compared with nothing
        best, worst = (
            int(np.argmax(np.where(defined, x * values, -np.inf))) for x in (sign, -sign)
        )
        ratios = ratio(across[0], across[1], r[:g, :g]) if spec.metric.low >= 0 else None
        ratio_to_rest = ratio(each, rests, r[between]) if spec.metric.low >= 0 else None
        p_values = self._p_values(to_rest)
        adjusted = iter(holm([p for p in p_values if p is not None]))
        groups = tuple(
            Group(
                keys[i],
                int(self.plain[i].n),
                self.plain[i].metrics[name],
                self._to_best(differences, i, best, sign, defined),
                None if ratios is None else self._to_best(ratios, i, best, sign, defined, 1.0),
                self._interval(*(x[i] for x in to_rest)),
                None if ratio_to_rest is None else self._interval(*(x[i] for x in ratio_to_rest)),
                p_values[i],
                None if p_values[i] is None else next(adjusted),
            )
            for i in range(g)
        )
        low, high = _extreme(each.low[defined], sign), _extreme(each.high[defined], sign)
        return Gap(
            name,
            keys[worst],
            keys[best],
            self._interval(values[worst], low, high),
            self._widest(differences, best, worst, sign, defined),
            None if ratios is None else self._to_best(ratios, worst, best, sign, defined, 1.0),
            groups,
        )

    def _p_values(self, x: ContrastLimits) -> list[float | None]:
        """p of each group's difference to the rest, by the end of its interval that lies towards 0.

        That end knows how small the group is; an error at the value itself would not.
        """
        z = critical_value(1 - (1 - self.level) / len(self.parts.keys))
        half = np.where(x.value > 0, x.value - x.low, x.high - x.value)
        with np.errstate(divide="ignore", invalid="ignore"):
            p = two_sided(np.abs(x.value) * z / half)
        known = np.isfinite(half) & (half > 0)
        return [float(v) if there else None for v, there in zip(p, known, strict=True)]

    def _to_best(
        self,
        x: ContrastLimits,
        i: int,
        best: int,
        sign: float,
        defined: Bools,
        null: float = 0.0,
    ) -> Interval:
        """A group against the best: against all others at once, and itself."""
        others = defined & (np.arange(len(defined)) != i)
        bound = min if sign > 0 else max
        ends = (bound(_extreme(end[i][others], sign), null) for end in (x.low, x.high))
        return self._interval(x.value[i, best], *ends)

    def _widest(
        self, x: ContrastLimits, best: int, worst: int, sign: float, defined: Bools
    ) -> Interval:
        """The largest difference of two groups: at least each that is shown, at most the widest."""
        pairs = np.outer(defined, defined) & ~np.eye(len(defined), dtype=bool)
        low, high = max(_extreme(x.low[pairs], -1), 0.0), _extreme(x.high[pairs], -1)
        return self._interval(sign * x.value[best, worst], low, high)

    def _interval(self, value: Any, low: Any, high: Any) -> Interval:
        if math.isnan(low) or math.isnan(high):
            note = None if math.isnan(value) else "no width"
            return Interval(float(value), level=self.level, note=note)  # type: ignore[arg-type]
        above = None if math.isinf(high) else float(high)
        return Interval(float(value), None, float(low), above, self.level, MOVER)


def _limits(scores: Sequence[Scores], name: str) -> ContrastLimits:
    intervals = [s.metrics[name] for s in scores]
    return ContrastLimits(*np.array([(x.value, x.low, x.high) for x in intervals], float).T)


def _extreme(x: Floats, sign: float) -> float:
    """The smallest value, or for a negative sign the largest."""
    return sign * float(np.min(sign * x)) if x.size else math.nan


# The result and the verb.

SHOWN = 60
"""Groups of which a table shows each."""


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
    cautions: tuple[ResultWarning, ...] = ()

    drawn_by = "scoring.charts.groups"
    of_metrics = True

    @property
    def parts(self) -> dict[str, Gap]:
        """The gap on each metric."""
        return self.metrics

    def to_json_object(self) -> dict[str, Any]:
        """What ``evenhand score --by COL --groups --format json`` prints."""
        return {
            **self.select("level pairs"),
            "correction": {"to_best": "bonferroni", "to_rest": "bonferroni", "p": "holm"},
            **self.select("overlap classes metrics"),
        }

    def content(self) -> Content:
        """What is worst and by how much, then every group on every metric."""
        first = next(iter(self.metrics.values()))
        k, g = len(self.classes), len(first.groups)
        title = f"{counted(g, 'group')}, {level_text(self.level)} intervals"
        sentences = [_sentence(gap) for gap in self.metrics.values()]
        sharing = "; errors of shared items go together" if self.overlap else ""
        note = (
            f"Worst, difference and ratio: for all {counted(self.pairs, 'pair')} of groups at "
            "once, whichever is truly best (Bonferroni); to the rest: for all "
            f"{g} groups at once; p after Holm{sharing}."
        )
        if any(Spec.parse(name).metric.averages for name in self.metrics):
            note += f" Averages run over the {counted(k, 'class', 'classes')} true in every group."
        blocks: list[Block] = [Paragraph("\n".join(sentences), "verdict")]
        for gap in self.metrics.values():
            sheet = Table(_grid(gap), most=SHOWN, rows="groups", wide=120)
            blocks += [Heading(f"Groups by {called(gap.metric)}"), sheet]
        blocks += [Paragraph(note, "note"), self.picture]
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
        known = [g.score.value for g in gap.groups if g.score.value == g.score.value]
        who = "all groups score" if len(known) != 1 else f"only {key_text(gap.best)} has a score,"
        return f"{title(gap.metric)}: {who} {number(gap.worst_score.value)}."
    worst = f"{key_text(gap.worst)}, {IntervalCell(gap.worst_score).text(4)}"
    sentence = f"{title(gap.metric)}: worst in {worst}; "
    sentence += f"{IntervalCell(gap.difference).text(4)} from the best, {key_text(gap.best)}."
    chance = 1 - (gap.difference.level or 0.95)
    unlike = [g.key for g in gap.groups if g.p_adjusted is not None and g.p_adjusted < chance]
    return sentence + (f" Unlike the rest: {listed(map(key_text, unlike))}." if unlike else "")


def _grid(gap: Gap) -> Grid:
    of_ratio = gap.ratio is not None
    head = ["group", "items", gap.metric, "to the best", *["ratio"] * of_ratio]
    head += ["to the rest", *["ratio to it"] * of_ratio, "p adjusted"]
    rows: list[list[Cell]] = []
    for g in gap.groups:
        compared = (g.score, g.to_best, g.ratio_to_best, g.to_rest, g.ratio_to_rest)
        cells = (IntervalCell(x) for x in compared if x is not None)
        rows.append([key_text(g.key), number(g.n), *cells, ProbabilityCell(g.p_adjusted)])
    return Grid(head, rows)


@verb(GroupsOptions, without=("by_row",))
def groups(arguments: VerbArguments, options: GroupsOptions) -> Groups:
    """Say in which group of the items a system is worst, by how much, and how sure that is.

    Takes what ``score`` takes of one system with ``by``, one value an item or the name of a column;
    groups that share items are a mapping of names to true or false for every item. Averages run
    over the classes that are true in every group, unless ``classes`` are listed; where there are
    none, metrics that average over classes are left out, or refused if they were asked for.

    Every group has its score, its difference and its ratio to the best group and to the rest of
    the items. Differences come from the two scores' own intervals by square-and-add (Zou & Donner
    2008; ratios: Donner & Zou 2012), with the correlation of their errors where items or clusters
    are shared. The best group is not known but estimated: the interval of a difference to it is
    the smallest over all others of intervals that hold for all pairs at once (after Hsu 1984), by
    Bonferroni; those to the rest hold for all groups at once, and their p is Holm's.

    >>> import evenhand as eh
    >>> true, guess, language = list("aabb" * 40), list("aaba" * 40), ["en", "en", "en", "de"] * 40
    >>> gaps = eh.groups(true, guess, by=language, metrics="accuracy")
    >>> gaps["accuracy"].worst, gaps["accuracy"]["de"].to_best.value
    ('de', -1.0)
    """
    by, level = arguments.by, options.level
    parts = parts_of(replace(arguments, by=None), by)
    requested = several(options.metrics, lambda: LEAD, distance=options.distance)
    specs = named([at_distance(m, options.distance) for m in requested])
    known = {name: spec for name, spec in specs if isinstance(spec, Spec)}
    for name, _ in specs:
        if name not in known or known[name].metric.better == "neither":
            raise MetricError(f"{name} cannot tell the better of two groups")
    explicit = options.metrics is not None
    common, notes = _common(parts, options.classes, known, explicit=explicit)
    binding = {"classes": common, "undefined": options.zero_division}
    scores = GroupScores(parts, list(known.values()), binding, level)
    gaps = {name: scores.gap(i, name, spec) for i, (name, spec) in enumerate(known.items())}
    return Groups(
        level,
        scores.pairs,
        () if NoCommonClass in map(type, notes) else tuple(scores.labels(common)),
        gaps,
        isinstance(by, Mapping),
        (*parts.tables.notes, *in_order(known.values(), parts.tables.labels), *parts.notes, *notes),
    )


def _common(
    parts: GroupParts, classes: Classes, metrics: dict[str, Spec], *, explicit: bool
) -> tuple[Classes, list[ResultWarning]]:
    """The classes that are true in every group; the rule itself where that makes no difference.

    Where there are none, only ``metrics`` that average over no classes stay.
    """
    averages = [name for name, spec in metrics.items() if spec.metric.averages]
    if not isinstance(classes, str) or not averages:
        return classes, []
    tables = parts.tables
    there = np.asarray(tables.prevalence) > 0
    every, some = there.all(axis=0), there.any(axis=0)
    if not every.any():
        if explicit:
            raise InputError(
                f"no class is true in every group: {listed(averages)} cannot average over "
                f"{shown(tables.labels)}; accuracy, kappa and other metrics of whole tables can "
                "be compared"
            )
        for name in averages:
            del metrics[name]
        return classes, [NoCommonClass(tuple(averages))]
    if (every == some).all():
        return classes, []
    common, others = (
        tuple(v for v, m in zip(tables.labels, np.ravel(mask), strict=True) if m)
        for mask in (every, some & ~every)
    )
    return list(common), [CommonClasses(common, others)]

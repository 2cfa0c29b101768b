"""One system on groups of items: the worst group, differences and ratios."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import compress
from typing import Any, cast

import numpy as np

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
from evenhand.data.arguments import VerbArguments, form_of, one_of, refusal, system_of, verb
from evenhand.data.confusion import Confusion, pooled
from evenhand.data.sample import Sample, concatenated
from evenhand.errors import InputError, MetricError, Option, shown
from evenhand.inference.multiplicity import holm, two_sided
from evenhand.inference.rows import (
    ContrastLimits,
    Floats,
    NoGradientError,
    difference,
    of_clusters,
    ratio,
    rows_of,
)
from evenhand.inference.wilson import critical_value
from evenhand.options import Classes, GroupsOptions
from evenhand.records import Interval, Intervals, Method, Record, by
from evenhand.records import known as known_number
from evenhand.results.document import Block, Content, Heading, Paragraph, Table
from evenhand.results.result import Collection, Result
from evenhand.scoring.score import score
from evenhand.scoring.scores import Scores
from evenhand.text import Cell, Grid, IntervalCell, counted, key_text, level_text, listed, number
from evenhand.warnings import CommonClasses, NoCommonClass, ResultWarning


@dataclass(frozen=True, eq=False)
class GroupParts:
    """Groups by key and the rest of each, as stacks that ``score`` takes.

    Without clusters they are tables, whose errors are independent; else samples whose clusters have
    the same codes in every part.
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
                moved = rows.centred(psi) * rows.weight
                cluster_sums[m, i] = np.bincount(
                    cast(Any, rows.cluster), moved, minlength=n_clusters
                )
        products = cluster_sums @ cluster_sums.transpose(0, 2, 1)
        sizes = np.sqrt(np.diagonal(products, axis1=1, axis2=2))
        both = sizes[:, :, None] * sizes[:, None, :]
        none = np.zeros_like(products)
        return np.asarray(np.divide(products, both, out=none, where=both > 0))


def parts_of(arguments: VerbArguments) -> GroupParts:
    """The groups of the data, which are their slices."""
    counted = one_of("groups", system_of(arguments))
    if counted.task != "single" or counted.soft:
        raise refusal("groups", form_of(counted), "groups need items of one label each")
    if counted.systems:
        slices, notes = of_clusters(counted.slices)
    else:
        of_slices = len(counted.shape) == 1 and counted.axes[0] != "system"
        slices, notes = counted.sliced()[1] if of_slices else [], []
    if not slices:
        raise InputError("groups need slices of the items: say which by ", Option("by"))
    keys = tuple(key for key, _ in slices)
    if len(keys) < 2:
        raise InputError(f"groups need at least two of them to compare, got {shown(keys)}")
    if counted.cluster is None:
        tables = {key: part.tables()[0] if part.systems else part for key, part in slices}
        stack, at = Confusion.stack(tables), range(len(keys))
        rests = [pooled(stack[[j for j in at if j != i]]) for i in at]
        return GroupParts(keys, stack, Confusion.stack(rests))
    others = [(key, _joined(p for other, p in slices if other != key)) for key in keys]
    every = _joined(part for _, part in slices)
    groups, rest = (replace(every, slices=tuple(parts)) for parts in (slices, others))
    return GroupParts(keys, groups, rest, tuple(notes))


def _joined(parts: Iterable[Sample]) -> Sample:
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


def gaps_of(
    parts: GroupParts, metrics: dict[str, Spec], binding: dict[str, Any], level: float
) -> dict[str, Gap]:
    """The groups compared on every metric, from scores at the levels that comparisons need."""
    g, specs = len(parts.keys), list(metrics.values())

    def scored(data: Any, comparisons: int) -> Sequence[Scores]:
        corrected = 1 - (1 - level) / comparisons
        return score(data, metrics=specs, level=corrected, **binding).slices

    plain, paired = scored(parts.groups, 1), scored(parts.groups, g * (g - 1) // 2)
    each, rests = scored(parts.groups, g), scored(parts.rests, g)
    correlations = parts.correlations(specs, **binding)
    return {
        name: _gap(spec, plain, [_limits(x, name) for x in (paired, each, rests)], r, level)
        for (name, spec), r in zip(metrics.items(), correlations, strict=True)
    }


def _gap(
    spec: Spec, plain: Sequence[Scores], limits: list[ContrastLimits], r: Floats, level: float
) -> Gap:
    """Everything about one metric; ``r`` are the correlations of errors, groups before rests.

    ``limits`` are those of groups for all pairs, of groups for each, and of rests. The largest
    difference of two groups is at least each that is shown, at most the widest. Groups in which the
    metric is undefined are compared with nothing.
    """
    g, name, keys = len(plain), spec.name, [s.key for s in plain]
    paired, each, rests = limits
    sign = -1.0 if spec.metric.better == "lower" else 1.0
    defined = ~np.isnan(paired.value)
    best, worst = (
        int(np.argmax(np.where(defined, x * paired.value, -np.inf))) for x in (sign, -sign)
    )
    others = defined & ~np.eye(g, dtype=bool)

    def intervals(value: Any, low: Any, high: Any) -> list[Interval]:
        value, low, high = np.atleast_1d(value, low, high)
        low, high = np.where(np.isnan(high), np.nan, low), np.where(np.isinf(high), np.nan, high)
        unknown = np.full(len(value), np.nan)
        return list(Intervals(value, unknown, low, high, by(Method("mover"), value), level))

    def to_best(x: ContrastLimits, null: float) -> list[Interval]:
        """Each group against the best: against all others at once, and itself."""
        ends = []
        for end in (x.low, x.high):
            least = np.where(others, sign * end, np.inf).min(axis=1)
            least = np.where(others.any(axis=1), np.minimum(least, sign * null), np.nan)
            ends.append(sign * least)
        return intervals(x.value[:, best], *ends)

    first, second = (ContrastLimits(*(np.expand_dims(x, i) for x in paired)) for i in (1, 0))
    among, between = r[:g, :g], r[np.arange(g), g + np.arange(g)]
    differences, rest = difference(first, second, among), difference(each, rests, between)
    ratio_to_best: list[Any] = [None] * g
    ratio_to_rest: list[Any] = [None] * g
    if spec.metric.low >= 0:
        ratio_to_best = to_best(ratio(first, second, among), 1.0)
        ratio_to_rest = intervals(*ratio(each, rests, between))
    p = _p_values(rest, critical_value(1 - (1 - level) / g))
    known = ~np.isnan(p)
    adjusted = np.full(g, np.nan)
    adjusted[known] = holm(p[known])
    columns = zip(
        keys,
        (s.n for s in plain),
        (s.metrics[name] for s in plain),
        to_best(differences, 0.0),
        ratio_to_best,
        intervals(*rest),
        ratio_to_rest,
        *(map(known_number, x.tolist()) for x in (p, adjusted)),
        strict=True,
    )
    pairs = others & defined[:, None]
    low, high = (x[pairs].max() if pairs.any() else np.nan for x in differences[1:])
    ends = (sign * (sign * x[defined]).min() if defined.any() else np.nan for x in each[1:])
    return Gap(
        name,
        keys[worst],
        keys[best],
        intervals(each.value[worst], *ends)[0],
        intervals(sign * differences.value[best, worst], np.maximum(low, 0.0), high)[0],
        ratio_to_best[worst],
        tuple(Group(*row) for row in columns),
    )


def _p_values(x: ContrastLimits, z: float) -> Floats:
    """p of each group's difference to the rest, by the end of its interval that lies towards 0.

    That end knows how small the group is; an error at the value itself would not.
    """
    half = np.where(x.value > 0, x.value - x.low, x.high - x.value)
    with np.errstate(divide="ignore", invalid="ignore"):
        p = two_sided(np.abs(x.value) * z / half)
    return np.where(np.isfinite(half) & (half > 0), p, np.nan)


def _limits(scores: Sequence[Scores], name: str) -> ContrastLimits:
    intervals = [s.metrics[name] for s in scores]
    return ContrastLimits(*np.array([(x.value, x.low, x.high) for x in intervals], float).T)


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
            **self.select("classes metrics"),
        }

    def content(self) -> Content:
        """What is worst and by how much, then every group on every metric."""
        first = next(iter(self.metrics.values()))
        k, g = len(self.classes), len(first.groups)
        title = f"{counted(g, 'group')}, {level_text(self.level)} intervals"
        sentences = [_sentence(gap) for gap in self.metrics.values()]
        note = (
            "Intervals of the worst score, of differences and of ratios to the best are corrected "
            f"over {counted(self.pairs, 'pair')} of groups, those to the rest over {g} groups "
            "(Bonferroni); p is corrected by Holm."
        )
        if any(Spec.parse(name).metric.averages for name in self.metrics):
            note += f" Averages run over the {counted(k, 'class', 'classes')} true in every group."
        blocks: list[Block] = [Paragraph("\n".join(sentences), "verdict")]
        for gap in self.metrics.values():
            ratios = [", ratio=ratio_to_best:interval", ", ratio to it=ratio_to_rest:interval"]
            to_best, to_rest = ratios if gap.ratio is not None else ("", "")
            grid = Grid.from_records(
                gap.groups,
                "group=key:key",
                ("items", lambda group: number(group.n)),
                (gap.metric, "score:interval"),
                f"to the best=to_best:interval{to_best}",
                f"to the rest=to_rest:interval{to_rest}, p adjusted=p_adjusted:p",
            )
            sheet = Table(grid, most=SHOWN, rows="groups", wide=120)
            blocks += [Heading(f"Groups by {called(gap.metric)}"), sheet]
        blocks += [Paragraph(note, "note"), self.picture]
        return Content(title, blocks, self._data, warnings=self.warnings)

    def _data(self) -> Grid:
        head = ["metric", "group", "n", "quantity", "value", "se", "low", "high", "p", "p_adjusted"]
        rows: list[list[Cell]] = []
        for gap in self.metrics.values():
            parts: list[Any] = [("", None, gap, "worst_score difference ratio")]
            names = "score to_best ratio_to_best to_rest ratio_to_rest"
            parts += [(key_text(group.key), group.n, group, names) for group in gap.groups]
            for key, n, part, names in parts:
                for name in names.split():
                    x: Interval | None = getattr(part, name)
                    tested = (part.p, part.p_adjusted) if name == "to_rest" else (None, None)
                    if x is not None:
                        ends = (x.value, x.se, x.low, x.high)
                        rows.append([gap.metric, key, n, name, *ends, *tested])
        return Grid(head, rows)


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
    if not unlike:
        return sentence
    return f"{sentence} Significantly different from the rest: {listed(map(key_text, unlike))}."


@verb(GroupsOptions, without=("by_row",))
def groups(arguments: VerbArguments, options: GroupsOptions) -> Groups:
    """Say in which group of the items a system is worst, by how much, and how sure that is.

    Takes what ``score`` takes of one system with ``by``, one value an item or the name of a column.
    Averages run over the classes that are true in every group, unless ``classes`` are listed; where
    there are none, metrics that average over classes are left out, or refused if they were asked
    for.

    Every group has its score, its difference and its ratio to the best group and to the rest of
    the items. Differences come from the two scores' own intervals by square-and-add (Zou & Donner
    2008; ratios: Donner & Zou 2012), with the correlation of their errors where clusters are
    shared. The best group is not known but estimated: the interval of a difference to it is
    the smallest over all others of intervals that hold for all pairs at once (after Hsu 1984), by
    Bonferroni; those to the rest hold for all groups at once, and their p is Holm's.

    >>> import evenhand as eh
    >>> true, guess, language = list("aabb" * 40), list("aaba" * 40), ["en", "en", "en", "de"] * 40
    >>> gaps = eh.groups(true, guess, by=language, metrics="accuracy")
    >>> gaps["accuracy"].worst, gaps["accuracy"]["de"].to_best.value
    ('de', -1.0)
    """
    parts = parts_of(arguments)
    requested = several(options.metrics, lambda: LEAD, distance=options.distance)
    specs = named([at_distance(m, options.distance) for m in requested])
    known = {name: spec for name, spec in specs if isinstance(spec, Spec)}
    for name, _ in specs:
        if name not in known or known[name].metric.better == "neither":
            raise MetricError(f"{name} cannot tell the better of two groups")
    explicit, tables = options.metrics is not None, parts.tables
    common, notes = _common(tables, options.classes, known, explicit=explicit)
    labels: Iterable[Any] = common
    if isinstance(common, str):
        mask = np.ravel(np.asarray(tables.averaged(common)).any(axis=0))
        labels = () if notes else compress(tables.labels, mask)
    binding = {"classes": common, "undefined": options.zero_division}
    g = len(parts.keys)
    return Groups(
        options.level,
        g * (g - 1) // 2,
        tuple(labels),
        gaps_of(parts, known, binding, options.level),
        (*tables.notes, *in_order(known.values(), tables.labels), *parts.notes, *notes),
    )


def _common(
    tables: Confusion, classes: Classes, metrics: dict[str, Spec], *, explicit: bool
) -> tuple[Classes, list[ResultWarning]]:
    """The classes that are true in every group; the rule itself where that makes no difference.

    Where there are none, only ``metrics`` that average over no classes stay.
    """
    averages = [name for name, spec in metrics.items() if spec.metric.averages]
    if not isinstance(classes, str) or not averages:
        return classes, []
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
    masks = (np.ravel(every), np.ravel(some & ~every))
    common, others = (tuple(compress(tables.labels, mask)) for mask in masks)
    return list(common), [CommonClasses(common, others)]

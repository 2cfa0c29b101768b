"""One system on groups of items: the worst group, differences and ratios."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import compress
from typing import Any, ClassVar, NamedTuple, TypeAlias, cast

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
from evenhand.core.ratio import ratio
from evenhand.data.arguments import VerbArguments, form_of, one_of, refusal, system_of, verb
from evenhand.data.confusion import Confusion
from evenhand.data.sample import Sample, SampleSlices, concatenated
from evenhand.errors import InputError, MetricError, Option, shown
from evenhand.inference.rows import (
    Floats,
    NoGradientError,
    of_clusters,
    rows_of,
)
from evenhand.inference.wilson import method_array
from evenhand.options import Classes, JudgingOptions
from evenhand.records import Interval, Intervals, Method, Record
from evenhand.results.document import Block, Content, Heading, Paragraph, Table
from evenhand.results.result import Collection, Result
from evenhand.scoring.score import score
from evenhand.scoring.scores import Scores
from evenhand.text import (
    Cell,
    Grid,
    IntervalCell,
    MetricName,
    counted,
    key_text,
    level_text,
    listed,
    measured_cells,
    number,
)
from evenhand.warnings import CommonClasses, NoCommonClass, ResultWarning

AnyGroups: TypeAlias = Confusion | Sample
"""Groups as what ``score`` takes: a stack of tables, or slices that share clusters."""


def groups_of(arguments: VerbArguments) -> tuple[AnyGroups, Confusion, list[ResultWarning]]:
    """The groups of the data, which are their slices, the table of each, and warnings.

    Without clusters they are tables, whose errors are independent; else samples whose clusters have
    the same codes in every group.
    """
    data = one_of("groups", system_of(arguments))
    if data.task != "single" or data.soft:
        raise refusal("groups", form_of(data), "groups need items of one label each")
    notes: list[ResultWarning] = []
    if data.systems:
        slices, notes[:] = of_clusters(data.slices)
    else:
        of_slices = len(data.shape) == 1 and data.axes[0] != "system"
        slices = data.sliced()[1] if of_slices else []
    if not slices:
        raise InputError("groups need slices of the items: say which by ", Option("by"))
    if len(slices) < 2:
        keys = shown([key for key, _ in slices])
        raise InputError(f"groups need at least two of them to compare, got {keys}")
    tables = Confusion.stack({k: part.tables()[0] if part.systems else part for k, part in slices})
    if data.cluster is None:
        return tables, tables, notes
    every = [part for _, part in slices]  # of different items, clusters with the same codes
    cluster = np.concatenate([cast(Any, part.cluster) for part in every])
    return replace(concatenated(every), cluster=cluster, slices=tuple(slices)), tables, notes


def correlations(metrics: Sequence[AnyMetric], groups: AnyGroups, **options: Any) -> Floats:
    """How the errors of groups go together, where they share clusters: metrics × G × G."""
    if isinstance(groups, Confusion):
        return np.broadcast_to(np.eye(len(groups)), (len(metrics), len(groups), len(groups)))
    stack = SampleSlices(groups.slices)
    rows, kernels = rows_of(stack), bind_all(metrics, stack.tables(), **options)
    cluster = np.concatenate([cast(Any, part.cluster) for _, part in stack.parts])
    sums = np.zeros((len(kernels), len(stack.parts), int(cluster.max()) + 1))
    views = rows.views(kernels)
    for total, kernel in zip(sums, kernels, strict=True):
        with suppress(NoGradientError):
            moved = rows.centred(rows.influence(kernel, views.prepared(kernel)))[0] * rows.weight
            np.add.at(total, (stack.slice, cluster), moved)
    products = sums @ sums.transpose(0, 2, 1)
    sizes = np.sqrt(np.diagonal(products, axis1=1, axis2=2))
    return np.asarray(ratio(products, sizes[:, :, None] * sizes[:, None, :]))


# Differences and ratios of two numbers from their intervals, by square-and-add.


class ContrastLimits(NamedTuple):
    """Numbers with the ends of their intervals, NaN where there is none."""

    value: Floats
    low: Floats
    high: Floats


def difference(a: ContrastLimits, b: ContrastLimits, r: Floats | float = 0.0) -> ContrastLimits:
    """a − b.

    >>> one = ContrastLimits(*(np.array(x) for x in (0.8, 0.7, 0.88)))
    >>> other = ContrastLimits(*(np.array(x) for x in (0.6, 0.5, 0.69)))
    >>> [round(float(x), 4) for x in difference(one, other)]
    [0.2, 0.0655, 0.3281]
    """
    down = _joint(a.value - a.low, b.high - b.value, r)
    up = _joint(a.high - a.value, b.value - b.low, r)
    value = a.value - b.value
    return ContrastLimits(value, value - down, value + up)


def _joint(x: Floats, y: Floats, r: Floats | float) -> Floats:
    return np.asarray(np.sqrt(np.maximum(x * x + y * y - 2 * r * x * y, 0.0)))


def quotient(a: ContrastLimits, b: ContrastLimits, r: Floats | float = 0.0) -> ContrastLimits:
    """a / b of numbers ≥ 0; without an upper end where b may be 0, and nothing where b is.

    >>> one = ContrastLimits(*(np.array(x) for x in (0.8, 0.7, 0.88)))
    >>> other = ContrastLimits(*(np.array(x) for x in (0.6, 0.5, 0.69)))
    >>> [round(float(x), 4) for x in quotient(one, other)]
    [1.3333, 1.0989, 1.637]
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        value = np.where(b.value > 0, a.value / b.value, np.nan)
        low = _end(a, b, a.low, b.high, r, -1.0)
        high = np.where(b.low > 0, _end(a, b, a.high, b.low, r, 1.0), np.inf)
    known = np.isfinite(value) & ~np.isnan(a.low) & ~np.isnan(b.low)
    return ContrastLimits(value, np.where(known, low, np.nan), np.where(known, high, np.nan))


def _end(
    a: ContrastLimits, b: ContrastLimits, x: Floats, y: Floats, r: Floats | float, side: float
) -> Floats:
    """The θ at which 0 is an end of the interval of a − θ·b; ``x`` and ``y`` are the ends used."""
    middle = a.value * b.value - r * np.abs(a.value - x) * np.abs(b.value - y)
    product = x * y * (2 * a.value - x) * (2 * b.value - y)
    root = np.sqrt(np.maximum(middle * middle - product, 0.0))
    return np.asarray(np.maximum((middle + side * root) / (y * (2 * b.value - y)), 0.0))


# Comparing the groups on one metric.


class Group(Record):
    """One group: its score, and what lies between it and the best group.

    >>> import evenhand as eh
    >>> found = eh.groups(list("abab" * 30), list("abbb" * 30), by=list("xxyy" * 30))
    >>> group = found["accuracy"]["y"]
    >>> group.score.value, group.to_best.value, group.ratio_to_best.value
    (0.5, -0.5, 0.5)
    """

    json_fields = "key n score to_best ratio_to_best"

    key: Any
    n: int
    score: Interval
    to_best: Interval
    ratio_to_best: Interval | None


class Gap(Collection[Any, Group], Record):
    """The groups on one metric: the worst and the best, and how far they are apart.

    ``worse`` are the groups that are significantly worse than the best.

    >>> import evenhand as eh
    >>> found = eh.groups(list("abab" * 30), list("abbb" * 30), by=list("xxyy" * 30))
    >>> found["accuracy"].worst, round(found["accuracy"].difference.value, 4)
    ('y', 0.5)
    """

    json_fields = "metric worst best worse worst_score difference ratio groups"
    parts_in = "groups by key"

    metric: str
    worst: Any
    best: Any
    worse: tuple[Any, ...]
    worst_score: Interval
    difference: Interval
    ratio: Interval | None
    groups: tuple[Group, ...]


def gaps_of(
    groups: AnyGroups, metrics: dict[str, Spec], binding: dict[str, Any], level: float
) -> dict[str, Gap]:
    """The groups compared on every metric, from scores at the levels that comparisons need."""
    specs = list(metrics.values())

    def scored(comparisons: int) -> Sequence[Scores]:
        corrected = 1 - (1 - level) / comparisons
        return score(groups, metrics=specs, level=corrected, **binding).slices

    plain = scored(1)
    g = len(plain)
    levels = (plain, scored(g * (g - 1) // 2), scored(g))
    together = correlations(specs, groups, **binding)
    return {s.name: _gap(s, levels, r, level) for s, r in zip(specs, together, strict=True)}


def _gap(spec: Spec, levels: Sequence[Sequence[Scores]], r: Floats, level: float) -> Gap:
    """Everything about one metric; ``r`` are the correlations of errors.

    Scores are those of groups alone, for all pairs, and for each. The largest difference of two
    groups is at least each that is shown, at most the widest. Groups in which the metric is
    undefined are compared with nothing.
    """
    intervals_of = ([s.metrics[spec.name] for s in scores] for scores in levels[1:])
    paired, each = (
        ContrastLimits(*np.array([(x.value, x.low, x.high) for x in several], float).T)
        for several in intervals_of
    )
    plain = levels[0]
    g, keys = len(plain), [s.key for s in plain]
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
        return list(
            Intervals(value, unknown, low, high, method_array(Method("mover"), value), level)
        )

    def to_best(x: ContrastLimits, null: float) -> list[Interval]:
        """Each group against the best: against all others at once, and itself."""
        least = (np.where(others, sign * end, np.inf).min(axis=1) for end in (x.low, x.high))
        some = others.any(axis=1)
        ends = (sign * np.where(some, np.minimum(end, sign * null), np.nan) for end in least)
        return intervals(x.value[:, best], *ends)

    first, second = (ContrastLimits(*(np.expand_dims(x, i) for x in paired)) for i in (1, 0))
    differences = difference(first, second, r)
    from_best = to_best(differences, 0.0)
    ratios: list[Any] = [None] * g
    if spec.metric.low >= 0:
        ratios = to_best(quotient(first, second, r), 1.0)
    pairs = others & defined[:, None]
    low, high = (x[pairs].max() if pairs.any() else np.nan for x in differences[1:])
    ends = (sign * (sign * x[defined]).min() if defined.any() else np.nan for x in each[1:])
    worse = (k for k, x in zip(keys, from_best, strict=True) if x.low and x.high)  # not up to 0
    (worst_score,) = intervals(each.value[worst], *ends)
    (apart,) = intervals(sign * differences.value[best, worst], np.maximum(low, 0.0), high)
    rows = zip(plain, from_best, ratios, strict=True)
    of_groups = (Group(s.key, s.n, s.metrics[spec.name], *to) for s, *to in rows)
    names = (spec.name, keys[worst], keys[best], tuple(worse))
    return Gap(*names, worst_score, apart, ratios[worst], tuple(of_groups))


# The result and the verb.

SHOWN = 60
"""Groups of which a table shows each."""


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

    drawn_by = "scoring.charts.groups"
    json_fields = "level pairs correction classes metrics"
    of_metrics = True
    correction: ClassVar[str] = "bonferroni"

    @property
    def worst(self) -> Hashable:
        """The worst group on the first metric."""
        worst: Hashable = next(iter(self.metrics.values())).worst
        return worst

    def content(self) -> Content:
        """What is worst and by how much, then every group on every metric."""
        k, g = len(self.classes), len(next(iter(self.values())).groups)
        title = f"{counted(g, 'group')}, {level_text(self.level)} intervals"
        sentences = [_sentence(gap) for gap in self.metrics.values()]
        note = (
            "Intervals of differences and ratios to the best are corrected over "
            f"{counted(self.pairs, 'pair')} of groups (Bonferroni)."
        )
        if any(Spec.parse(name).metric.averages for name in self.metrics):
            note += f" Averages run over the {counted(k, 'class', 'classes')} true in every group."
        blocks: list[Block] = [Paragraph("\n".join(sentences), "verdict")]
        for gap in self.metrics.values():
            grid = Grid.from_records(
                gap.groups,
                "group=key:key",
                ("items", lambda group: number(group.n)),
                (MetricName(gap.metric), "score:interval"),
                "to the best=to_best:interval",
                *["ratio=ratio_to_best:interval"] * (gap.ratio is not None),
            )
            sheet = Table(grid, most=SHOWN, rows="groups", wide=120)
            blocks += [Heading(f"Groups by {called(gap.metric)}"), sheet]
        blocks += [Paragraph(note, "note"), self.picture]
        return self.described(title, blocks, self._data)

    def _data(self) -> Grid:
        head = ["metric", "group", "n", "quantity", "value", "se", "low", "high"]
        rows: list[list[Cell]] = [
            [gap.metric, key, n, name, *measured_cells(x)[:-1]]
            for gap in self.values()
            for key, n, part in (("", None, gap), *((key_text(g.key), g.n, g) for g in gap.groups))
            for name, x in vars(part).items()
            if isinstance(x, Interval)
        ]
        return Grid(head, rows)


def _sentence(gap: Gap) -> str:
    if gap.worst == gap.best:
        known = [g.score.value for g in gap.groups if g.score.value == g.score.value]
        who = "all groups score" if len(known) != 1 else f"only {key_text(gap.best)} has a score,"
        return f"{title(gap.metric)}: {who} {number(gap.worst_score.value)}."
    worst = f"{key_text(gap.worst)}, {IntervalCell(gap.worst_score).text(4)}"
    sentence = f"{title(gap.metric)}: worst in {worst}; "
    sentence += f"{IntervalCell(gap.difference).text(4)} from the best, {key_text(gap.best)}."
    if not gap.worse:
        return f"{sentence} No group is significantly worse than the best."
    return f"{sentence} Significantly worse than the best: {listed(map(key_text, gap.worse))}."


@verb(JudgingOptions, without=("by_row",))
def groups(arguments: VerbArguments, options: JudgingOptions) -> Groups:
    """Say in which group of the items a system is worst, by how much, and how sure that is.

    Takes what ``score`` takes of one system with ``by``, one value per item or the name of a
    column. Averages run over the classes that are true in every group, unless ``classes`` are
    listed; where there are none, metrics that average over classes are left out, or refused if they
    were asked for.

    Every group has its score, and its difference and ratio to the best group; those that are
    significantly worse than the best are named. Differences come from the two scores' own
    intervals by square-and-add (Zou & Donner 2008; ratios: Donner & Zou 2012), with the
    correlation of their errors where clusters are shared. The best group is not known but
    estimated: the interval of a difference to it is the smallest over all others of intervals that
    hold for all pairs at once (after Hsu 1984), by Bonferroni.

    >>> import evenhand as eh
    >>> true, guess, language = list("aabb" * 40), list("aaba" * 40), ["en", "en", "en", "de"] * 40
    >>> gaps = eh.groups(true, guess, by=language, metrics="accuracy")
    >>> gaps["accuracy"].worst, gaps["accuracy"]["de"].to_best.value
    ('de', -1.0)
    """
    parts, tables, notes = groups_of(arguments)
    requested = several(options.metrics, lambda: LEAD, distance=options.distance)
    specs = named([at_distance(m, options.distance) for m in requested])
    known = {name: spec for name, spec in specs if isinstance(spec, Spec)}
    for name, _ in specs:
        if name not in known or known[name].metric.better == "neither":
            raise MetricError(f"{name} cannot tell the better of two groups")
    common, more = _common(tables, options.classes, known, explicit=options.metrics is not None)
    labels: Iterable[Any] = common
    if isinstance(common, str):
        mask = np.ravel(np.asarray(tables.averaged(common)).any(axis=0))
        labels = () if more else compress(tables.labels, mask)
    binding = {"classes": common, "undefined": options.zero_division}
    return Groups(
        options.level,
        len(tables) * (len(tables) - 1) // 2,
        tuple(labels),
        gaps_of(parts, known, binding, options.level),
        cautions=(*tables.notes, *in_order(known.values(), tables.labels), *notes, *more),
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

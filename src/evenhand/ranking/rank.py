"""Rank systems by a metric, with tests of their order."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.catalogue.binding import (
    bind_all,
    for_metrics,
    lost_by_system,
    notes_by_system,
    values_of,
)
from evenhand.catalogue.lists import (
    TWINS,
    AnyMetric,
    Metrics,
    as_spec,
    at_distance,
    in_order,
    named,
    ranked_metrics,
    several,
)
from evenhand.catalogue.signature import ReplicateField, Signature, signature_of
from evenhand.catalogue.spelling import Spec
from evenhand.core.kernel import Kernel
from evenhand.data.arguments import VerbArguments, refuse_empty, systems_of, verb
from evenhand.errors import MetricError, callback
from evenhand.inference.delta import few_clusters, small_class_warnings, weighs_classes_alike
from evenhand.inference.intervals import IntervalSettings
from evenhand.inference.jackknife import PairDifferences
from evenhand.inference.permutation import pairs_of
from evenhand.inference.rows import Floats, of_clusters
from evenhand.inference.wilson import around, critical_value, is_informative
from evenhand.options import Classes, RankOptions
from evenhand.ranking.leaderboard import (
    FormulaRanks,
    Leaderboard,
    MeanOfSlices,
    RankStep,
    RunSpread,
    Standing,
    System,
)
from evenhand.ranking.ranks import (
    Progress,
    Ranks,
    average_ranks,
    flips,
    friedman,
    group_letters,
    rank_ends,
    rank_probabilities,
    ranks,
)
from evenhand.ranking.runs import (
    Entries,
    MetricScores,
    Runs,
    baseline_scores,
    entries_of,
    metric_scores,
)
from evenhand.records import Interval, Intervals, Method, by, known
from evenhand.warnings import (
    Copies,
    OneRunOnly,
    OtherItems,
    ResultWarning,
    TablesAlone,
    UndefinedFor,
    UnknownVariance,
)


def spearman(values: Floats, better: Sequence[str]) -> Floats:
    """Spearman's ρ between the rows of metrics × systems; undefined where all scores are equal.

    The Pearson correlation of the ranks, equal scores at their mean rank. (Spearman 1904.)

    >>> spearman(np.array([[1, 2, 3], [1, 3, 2.0]]), ["higher", "higher"])[0, 1].item()
    0.5
    """
    r = _average_ranks(values, better)
    return _cosine(r - r.mean(axis=1, keepdims=True))


def kendall(values: Floats, better: Sequence[str]) -> Floats:
    """Kendall's τ_b between the rows of metrics × systems: pairs in the same order less the others.

    Pairs that are equal on one metric count for neither. (Kendall 1945.)

    >>> round(kendall(np.array([[1, 2, 3], [1, 3, 2.0]]), ["higher", "higher"])[0, 1].item(), 4)
    0.3333
    """
    r = _average_ranks(values, better)
    first, second = np.triu_indices(r.shape[1], 1)
    return _cosine(np.sign(r[:, first] - r[:, second]))


def _average_ranks(values: Floats, better: Sequence[str]) -> Floats:
    return np.stack([average_ranks(v, b) for v, b in zip(values, better, strict=True)])


def _cosine(x: Floats) -> Floats:
    """Cosines between the rows."""
    square = (x**2).sum(axis=1)
    both = np.sqrt(np.outer(square, square))  # exact where two metrics agree
    cosines = np.divide(x @ x.T, both, out=np.full(both.shape, np.nan), where=both > 0)
    return np.asarray(np.clip(cosines, -1, 1))


def undominated(ranks: NDArray[np.int64]) -> list[int]:
    """Columns of metrics × systems ranks that no other column dominates.

    One system dominates another if it is nowhere behind it and somewhere ahead. (Pareto.)

    >>> undominated(np.array([[1, 2, 3], [2, 1, 3]]))
    [0, 1]
    """
    columns = []
    for i in range(ranks.shape[1]):
        others = ranks - ranks[:, [i]]
        beaten = (others <= 0).all(axis=0) & (others < 0).any(axis=0)
        if not beaten.any():
            columns.append(i)
    return columns


# One system of the leaderboard.


def standings(
    scores: MetricScores, rank: Ranks, probability: Floats | None, level: float
) -> list[Standing]:
    """Each system on one metric: its score, its rank, and what the paired tests say of that."""
    columns: dict[str, list[Any]] = {"rank": rank.tolist()}
    if probability is not None:
        columns["best_probability"] = probability[:, 0].tolist()
    if scores.pairs is not None:
        apart = scores.pairs.apart(level)
        low, high = rank_ends(apart, rank)
        columns |= {"rank_low": low.tolist(), "rank_high": high.tolist()}
        columns["group"] = group_letters(apart, rank)
    return [
        Standing(**vars(interval), **dict(zip(columns, own, strict=True)))
        for interval, *own in zip(scores, *columns.values(), strict=True)
    ]


def systems_of_board(
    entries: Entries,
    request: RankRequest,
    scores: MetricScores,
    by_metric: dict[str, list[Standing]],
) -> tuple[System, ...]:
    """The systems best first by the first metric, of which ``scores`` are; equal ones by name."""
    runs, level, tables = entries.runs, request.settings.level, entries.tables
    first = by_metric[request.metrics[0][0]]
    order = sorted(range(len(first)), key=lambda i: first[i].rank)
    never_true = np.where(tables.prevalence > 0, 0, tables.bias).sum(axis=-1) / tables.total
    outside = tables.outside.sum(axis=-1) / tables.total
    systems = []
    for i, after in zip(order, [*order[1:], None], strict=True):
        columns = list(runs.columns[i])
        systems.append(
            System(
                name=runs.systems[i],
                n=entries.items(columns),
                standings={name: own[i] for name, own in by_metric.items()},
                signature=request.signature(entries, columns),
                next=None if after is None else _step(scores, i, after, runs.systems, level),
                runs=_spread(scores, runs, i) if runs.several else None,
                never_true=float(never_true[columns].mean()),
                outside=float(outside[columns].mean()),
            )
        )
    return tuple(systems)


def _step(m: MetricScores, i: int, j: int, systems: tuple[str, ...], level: float) -> RankStep:
    gap = float(m.value[i] - m.value[j])
    if m.pairs is None:
        return RankStep(gap, system=systems[j])
    p, at = m.pairs, m.pairs.at(i, j)
    half = critical_value(level, float(p.df[at])) * float(p.se[at])
    sure = Interval(gap, level=level, note="no width")
    if not math.isnan(gap + half):
        low, high = max(gap - half, -p.most), min(gap + half, p.most)
        sure = Interval(gap, float(p.se[at]), low, high, level, Method("delta"))
    raw, adjusted = known(p.p[at]), known(p.p_adjusted[at])
    return RankStep(**vars(sure), system=systems[j], p=raw, p_adjusted=adjusted)


def _spread(m: MetricScores, runs: Runs, i: int) -> RunSpread:
    r = len(runs.columns[i])
    return RunSpread(
        names=runs.names[i],
        values=tuple(m.runs[list(runs.columns[i])].tolist()),
        spread=float(m.spread[i]) if r > 1 else None,
        se_runs=float(m.spread[i]) / math.sqrt(r) if r > 1 else None,
        se_items=known(m.items[i]),
    )


# Slices and their mean.


def across(
    pooled: Leaderboard,
    parts: list[tuple[Leaderboard, MetricScores]],
    which: Runs,
    kernel: Kernel,
) -> Leaderboard:
    """The pooled leaderboard with its slices, their mean and Friedman's test.

    Slices hold different items, so the variance of their mean is the mean of their variances
    over their number, also that of the difference of two systems; runs are averaged over slices
    first, and then their spread is taken.
    """
    names, level = which.systems, pooled.level
    values = np.stack([m.value for _, m in parts])
    n = len(values)
    mean = values.mean(axis=0)
    items = np.stack([m.items for _, m in parts])
    spread = which.spread(np.stack([m.runs for _, m in parts]).mean(axis=0))
    se = np.sqrt((items**2).sum(axis=0) / n**2 + spread**2 / which.sizes)
    known = np.where(is_informative(se), se, np.nan)
    low, high = around(mean, known, critical_value(level), kernel, "cut")
    means = Intervals(mean, se, low, high, by(Method("delta", "cut"), mean), level)
    rank = ranks(mean, kernel.better)
    groups: list[str | None] = [None] * len(names)
    joint = [m.pairs.items for _, m in parts if m.pairs is not None]
    if len(joint) == n:
        pairs = pairs_of(mean, PairDifferences.of_mean(joint), spread, which.sizes)
        groups = list(group_letters(pairs.apart(level), rank))
    rows = [
        MeanOfSlices(**vars(m), name=name, rank=r, group=group)
        for m, name, r, group in zip(means, names, rank.tolist(), groups, strict=True)
    ]
    return replace(
        pooled.with_slices(board for board, _ in parts),
        mean_of_slices=tuple(sorted(rows, key=lambda m: (m.rank, m.name))),
        friedman=friedman(values, names, kernel.better, level),
    )


# The verb.


@dataclass(frozen=True)
class RankRequest:
    """What a ranking is to be made of, settled before any data are looked at."""

    metrics: list[tuple[str, AnyMetric]]
    """By name; the one to rank by is the first."""
    classes: Classes
    undefined: float
    settings: IntervalSettings

    def bound(self, entries: Entries, metrics: Iterable[AnyMetric] | None = None) -> list[Kernel]:
        """The metrics made ready for these tables, the chosen one first; or other metrics."""
        requested = [m for _, m in self.metrics] if metrics is None else metrics
        return bind_all(requested, entries.tables, classes=self.classes, undefined=self.undefined)

    def signature(self, entries: Entries, columns: list[int]) -> Signature:
        """The signature of a ranking, or of one system in it, by their columns."""
        spec, interval = as_spec(self.metrics[0][1]), self.settings.signed(entries.data)
        if entries.joint:
            interval = replace(
                interval, ranked=ReplicateField(self.settings.replicates, self.settings.seed)
            )
        signature = signature_of(
            entries.tables[columns],
            spec if isinstance(spec, Spec) else None,
            classes=self.classes,
            undefined=self.undefined,
            interval=str(interval),
        )
        return replace(signature, n=str(entries.items(columns)))


@verb(RankOptions)
def rank(arguments: VerbArguments, options: RankOptions) -> Leaderboard:
    """Rank systems by one metric, with intervals, ties and P(best).

    Takes true labels and a mapping of names to predictions, a frame with the columns ``true``
    and ``pred`` (a list), a ``Sample``, or tables alone (a stack, or a mapping of names to
    tables). ``metrics`` are those shown with
    ``by_metric``: every core metric and its calibrated version unless given. ``runs`` says
    which predictions are runs of one system: a mapping of systems to names, or a pattern such
    as ``"{system}-{run}"``. ``by`` is one value an item, for slices. ``progress`` is called
    with the number of replicates done.

    >>> board = rank("aabbbabab", {"A": list("aabbbabaa"), "B": list("ababbbaab")}, replicates=99)
    >>> [(s.name, s.standings["macro_f1"].rank) for s in board.systems]
    [('A', 1), ('B', 2)]
    """
    progress = callback(options.progress, "progress")
    chosen = _chosen(options.by_metric, options.metrics, options.distance)
    systems, specs = for_metrics(systems_of(arguments, soft=True), chosen)
    entries = entries_of(systems, options.runs)
    request = RankRequest(
        named(specs),
        options.classes,
        options.zero_division,
        IntervalSettings("auto", options.level, options.replicates, options.seed),
    )
    board, _ = _board(entries, request, progress)
    board = board.noted(
        *systems.notes,
        *map(Copies, entries.data.copies()),
        *in_order((m for _, m in request.metrics), entries.tables.labels),
    )
    slices, alone = of_clusters(entries.slices)
    if not slices:
        return board.noted(*alone)
    parts = [_board(part, request, progress, key) for key, part in slices]
    return across(board, parts, entries.runs, request.bound(entries)[0]).noted(*alone)


def _chosen(by_metric: AnyMetric, metrics: Metrics | None, distance: Any) -> list[AnyMetric]:
    """The chosen metric first, then the others; those without a direction are refused.

    Of a family those with one are taken that intervals can be made of. Unless others are named,
    they are expected values if the chosen one is.
    """
    first = as_spec(at_distance(by_metric, distance))
    expected = isinstance(first, Spec) and first.expected
    others = several(
        metrics,
        lambda: [replace(m, expected=expected) for m in ranked_metrics()],
        fits=lambda m: m.better != "neither" and m.smooth,
        distance=distance,
        or_none=True,
    )
    chosen = named([first, *others])
    for name, metric in chosen:
        spec = as_spec(metric)
        if isinstance(spec, Spec) and spec.metric.better == "neither":
            raise MetricError(f"{name} cannot rank systems: neither more nor less of it is better")
        if isinstance(spec, Spec) and spec.metric.needs == "items":
            raise MetricError(f"{name} is for multi-label data, which cannot be ranked yet")
    return [metric for _, metric in chosen]


def _board(
    entries: Entries, request: RankRequest, progress: Progress | None, key: Any = None
) -> tuple[Leaderboard, MetricScores]:
    """The leaderboard of all items or of one slice, and the scores on its metric."""
    kernels = request.bound(entries)
    tables, which, settings = entries.tables, entries.runs, request.settings
    refuse_empty(tables, "rank")
    scores = metric_scores(entries, kernels, settings)
    names, better = [name for name, _ in request.metrics], [k.better for k in kernels]
    probabilities: list[Floats] | None = None
    if entries.joint:
        probabilities = rank_probabilities(
            entries.rows,
            kernels,
            which,
            [m.value for m in scores],
            count=settings.replicates,
            seed=settings.seed,
            progress=progress,
        )
    values = np.stack([m.value for m in scores])
    rank = np.stack([ranks(v, b) for v, b in zip(values, better, strict=True)])
    by_metric = {
        name: standings(own, r, None if probabilities is None else probabilities[j], settings.level)
        for j, (name, own, r) in enumerate(zip(names, scores, rank, strict=True))
    }
    pairs = [m.pairs for m in scores if m.pairs is not None] if entries.joint else None
    systems = systems_of_board(entries, request, scores[0], by_metric)
    unbeaten = {which.systems[i] for i in undominated(rank)}
    board = Leaderboard(
        metric=names[0],
        metrics=tuple(names),
        n=entries.n,
        varies=entries.varies,
        level=settings.level,
        replicates=settings.replicates if entries.joint else None,
        systems=systems,
        correlation={
            "spearman": _square(names, spearman(values, better)),
            "kendall": _square(names, kendall(values, better)),
        },
        flips=tuple(flips(which.systems, names, rank, values, pairs, level=settings.level)),
        undominated=tuple(s.name for s in systems if s.name in unbeaten),
        twins=_twins(entries, request, kernels, scores),
        baselines=baseline_scores(
            tables[0], request.metrics, classes=request.classes, undefined=request.undefined
        ),
        signature=request.signature(entries, [c for own in which.columns for c in own]),
        cautions=(
            *notes_by_system(tables, request.classes, request.undefined),
            *_warnings(entries, kernels, scores, names),
        ),
        key=key,
        lower=better[0] == "lower",
        rank_probability={}
        if probabilities is None
        else dict(zip(which.systems, map(tuple, probabilities[0].tolist()), strict=True)),
    )
    return board, scores[0]


def _square(names: list[str], matrix: Floats) -> dict[str, dict[str, float]]:
    return {
        a: dict(zip(names, row, strict=True)) for a, row in zip(names, matrix.tolist(), strict=True)
    }


def _twins(
    entries: Entries, request: RankRequest, kernels: list[Kernel], scores: list[MetricScores]
) -> FormulaRanks | None:
    """What becomes of the order between the twins, be they among the metrics or not."""
    which = entries.runs
    known = {k.name: m.value for k, m in zip(kernels, scores, strict=True) if k.record is not None}
    extra = request.bound(entries, [m for m in TWINS if m.name not in known])
    values = map(which.mean, values_of(extra, entries.tables))
    known |= zip((k.name for k in extra), values, strict=True)
    one, other = (known[m.name] for m in TWINS)
    if np.isnan(one).any() or np.isnan(other).any():
        return None
    moved = np.flatnonzero(ranks(one) != ranks(other))
    gap = other - one
    at = int(np.argmax(gap))
    systems = tuple(which.systems[i] for i in moved)
    return FormulaRanks(len(moved), systems, float(gap[at]), which.systems[at])


def _warnings(
    entries: Entries, kernels: list[Kernel], scores: list[MetricScores], names: list[str]
) -> Iterable[ResultWarning]:
    """What a reader must know of the ranking, but for labels that are never true."""
    which = entries.runs
    if not entries.joint:
        yield TablesAlone()
        truth = np.asarray(entries.tables.prevalence)
        if not np.allclose(truth, truth[:1]):
            yield OtherItems()
    if not entries.data.varies:
        yield UnknownVariance()
    informative = [k for k, m in zip(kernels, scores, strict=True) if m.known.any()]
    own = tuple(k.name for k in informative if weighs_classes_alike(k))
    yield from small_class_warnings(informative, entries.tables, own)
    single = [s for s, c in zip(which.systems, which.columns, strict=True) if len(c) == 1]
    if which.several and single:
        yield OneRunOnly(tuple(single))
    undefined = [n for n, m in zip(names, scores, strict=True) if np.isnan(m.value).any()]
    if undefined:
        yield UndefinedFor(tuple(undefined))
    yield from lost_by_system(entries.tables)
    yield from few_clusters(entries.cluster)

"""Rank systems by a metric, with tests of their order."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

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
    name_of,
    named,
    ranked_metrics,
    several,
)
from evenhand.catalogue.signature import ReplicateField, Signature, signature_of
from evenhand.catalogue.spelling import Spec
from evenhand.core.kernel import Kernel
from evenhand.data.arguments import VerbArguments, refuse_empty, systems_of, verb
from evenhand.errors import MetricError, callback
from evenhand.inference.bootstrap import BootstrapSettings
from evenhand.inference.delta import few_clusters, small_class_warnings, weighs_classes_alike
from evenhand.inference.permutation import PairDifferences, pairs_of
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
from evenhand.ranking.runs import (
    Entries,
    MeasuredSystem,
    Runs,
    baseline_scores,
    entries_of,
    measured,
)
from evenhand.ranking.stability import (
    Progress,
    Stability,
    average_ranks,
    flips,
    friedman,
    group_letters,
    rank_ends,
    ranks,
    stability,
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

RankTests: TypeAlias = tuple[NDArray[np.int64], NDArray[np.int64], list[str]]
"""By system: the lowest and the highest rank that the paired tests leave, and its letters."""


def standings(
    entries: Entries,
    names: list[str],
    measures: list[MeasuredSystem],
    places: NDArray[np.int64],
    stable: list[Stability] | None,
    request: RankRequest,
) -> tuple[System, ...]:
    """The systems best first by the first metric; equal ones in the order of their names."""
    runs, level = entries.runs, request.settings.level
    scores = list(map(list, measures))
    tests: list[RankTests | None] = []
    for m, p in zip(measures, places, strict=True):
        apart = None if m.pairs is None else m.pairs.apart(level)
        tests.append(None if apart is None else (*rank_ends(apart, p), group_letters(apart, p)))
    order = np.argsort(places[0], kind="stable").tolist()
    tables = entries.tables
    never_true = np.where(tables.prevalence > 0, 0, tables.bias).sum(axis=-1) / tables.total
    outside = tables.outside.sum(axis=-1) / tables.total
    systems = []
    for at, i in enumerate(order):
        own = {
            name: _standing(s[i], p, t, None if stable is None else stable[j], i)
            for j, (name, s, p, t) in enumerate(zip(names, scores, places, tests, strict=True))
        }
        columns = list(runs.columns[i])
        after = order[at + 1] if at + 1 < len(order) else None
        systems.append(
            System(
                name=runs.systems[i],
                n=entries.items(columns),
                standings=own,
                signature=request.signature(entries, columns),
                next=None if after is None else _step(measures[0], i, after, runs.systems, level),
                runs=_spread(measures[0], entries, i) if runs.several else None,
                never_true=float(never_true[columns].mean()),
                outside=float(outside[columns].mean()),
            )
        )
    return tuple(systems)


def _standing(
    score: Interval,
    places: NDArray[np.int64],
    tests: RankTests | None,
    stable: Stability | None,
    i: int,
) -> Standing:
    best = None if stable is None else float(stable.best[i])
    standing = Standing(**vars(score), rank=int(places[i]), best_probability=best)
    if tests is None:
        return standing
    low, high, letters = tests
    return replace(standing, rank_low=int(low[i]), rank_high=int(high[i]), group=letters[i])


def _step(m: MeasuredSystem, i: int, j: int, systems: tuple[str, ...], level: float) -> RankStep:
    gap = float(m.value[i] - m.value[j])
    if m.pairs is None:
        return RankStep(gap, system=systems[j])
    p, at = m.pairs, m.pairs.at(i, j)
    half = critical_value(level, float(p.freedom[at])) * float(p.se[at])
    sure = Interval(gap, level=level, note="no width")
    if not math.isnan(gap + half):
        low, high = max(gap - half, -p.most), min(gap + half, p.most)
        sure = Interval(gap, float(p.se[at]), low, high, level, Method("delta"))
    raw, adjusted = known(p.p[at]), known(p.p_adjusted[at])
    return RankStep(**vars(sure), system=systems[j], p=raw, p_adjusted=adjusted)


def _spread(m: MeasuredSystem, entries: Entries, i: int) -> RunSpread:
    which = entries.runs
    r = len(which.columns[i])
    return RunSpread(
        names=which.names[i],
        values=tuple(m.runs[list(which.columns[i])].tolist()),
        spread=float(m.spread[i]) if r > 1 else None,
        se_runs=float(m.spread[i]) / math.sqrt(r) if r > 1 else None,
        se_items=known(m.items[i]),
    )


# Slices and their mean.


def across(
    pooled: Leaderboard,
    parts: list[tuple[Leaderboard, list[MeasuredSystem]]],
    which: Runs,
    kernel: Kernel,
) -> Leaderboard:
    """The pooled leaderboard with its slices, their mean and Friedman's test.

    Slices hold different items, so the variance of their mean is the mean of their variances
    over their number, also that of the difference of two systems; runs are averaged over slices
    first, and then their spread is taken.
    """
    names, level = which.systems, pooled.level
    values = np.stack([m[0].value for _, m in parts])
    n = len(values)
    mean = values.mean(axis=0)
    items = np.stack([m[0].items for _, m in parts])
    spread = which.spread(np.stack([m[0].runs for _, m in parts]).mean(axis=0))
    se = np.sqrt((items**2).sum(axis=0) / n**2 + spread**2 / which.sizes)
    known = np.where(is_informative(se), se, np.nan)
    low, high = around(mean, known, critical_value(level), kernel, "cut")
    means = Intervals(mean, se, low, high, by(Method("delta", "cut"), mean), level)
    places = ranks(mean, kernel.better)
    groups: list[str | None] = [None] * len(names)
    joint = [m[0].pairs.items for _, m in parts if m[0].pairs is not None]
    if len(joint) == n:
        pairs = pairs_of(mean, PairDifferences.of_mean(joint), spread, which.sizes)
        groups = list(group_letters(pairs.apart(level), places))
    rows = [
        MeanOfSlices(**vars(m), name=name, rank=int(place), group=group)
        for m, name, place, group in zip(means, names, places, groups, strict=True)
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

    metric: str
    metrics: list[tuple[str, AnyMetric]]
    classes: Classes
    undefined: float
    settings: BootstrapSettings

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
    """Rank systems by one metric, and say what the order is worth.

    Takes true labels and a mapping of names to predictions, a frame with the columns ``true``
    and ``pred`` (a list), a ``Sample``, or tables alone (a stack, or a mapping of names to
    tables). ``metrics`` are those to look at beside
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
        name_of(specs[0]),
        named(specs),
        options.classes,
        options.zero_division,
        BootstrapSettings("auto", options.level, options.replicates, options.seed),
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
) -> tuple[Leaderboard, list[MeasuredSystem]]:
    kernels = request.bound(entries)
    tables, which, settings = entries.tables, entries.runs, request.settings
    refuse_empty(tables, "rank")
    measures = measured(entries, kernels, settings)
    stable: list[Stability] | None = None
    rank_shares: list[tuple[float, ...]] = []
    if entries.joint:
        stable = stability(
            entries.rows,
            kernels,
            which,
            [m.value for m in measures],
            count=settings.replicates,
            seed=settings.seed,
            progress=progress,
        )
        if stable[0].places is not None:
            rank_shares = list(map(tuple, stable[0].places.tolist()))
    names = [name for name, _ in request.metrics]
    better = [k.better for k in kernels]
    values = np.stack([m.value for m in measures])
    places = np.stack([ranks(v, b) for v, b in zip(values, better, strict=True)])
    pairs = [m.pairs for m in measures if m.pairs is not None] if entries.joint else None
    systems = standings(entries, names, measures, places, stable, request)
    unbeaten = {which.systems[i] for i in undominated(places)}
    board = Leaderboard(
        metric=request.metric,
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
        flips=tuple(flips(which.systems, names, places, values, pairs, level=settings.level)),
        undominated=tuple(s.name for s in systems if s.name in unbeaten),
        twins=_twins(entries, request, kernels, measures),
        baselines=baseline_scores(
            tables[0], request.metrics, classes=request.classes, undefined=request.undefined
        ),
        signature=request.signature(entries, [c for own in which.columns for c in own]),
        cautions=(
            *notes_by_system(tables, request.classes, request.undefined),
            *_cautions(entries, kernels, measures, names),
        ),
        key=key,
        lower=better[0] == "lower",
        rank_probability=dict(zip(which.systems, rank_shares, strict=False)),
    )
    return board, measures


def _square(names: list[str], matrix: Floats) -> dict[str, dict[str, float]]:
    return {
        a: dict(zip(names, row, strict=True)) for a, row in zip(names, matrix.tolist(), strict=True)
    }


def _twins(
    entries: Entries, request: RankRequest, kernels: list[Kernel], measures: list[MeasuredSystem]
) -> FormulaRanks | None:
    """What becomes of the order between the twins, be they among the metrics or not."""
    which = entries.runs
    known = {
        k.name: m.value for k, m in zip(kernels, measures, strict=True) if k.record is not None
    }
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


def _cautions(
    entries: Entries, kernels: list[Kernel], measures: list[MeasuredSystem], names: list[str]
) -> Iterable[ResultWarning]:
    """What a reader must know of the ranking, beside the labels that are never true."""
    which = entries.runs
    if not entries.joint:
        yield TablesAlone()
        truth = np.asarray(entries.tables.prevalence)
        if not np.allclose(truth, truth[:1]):
            yield OtherItems()
    if not entries.data.varies:
        yield UnknownVariance()
    informative = [k for k, m in zip(kernels, measures, strict=True) if m.known.any()]
    own = tuple(k.name for k in informative if weighs_classes_alike(k))
    yield from small_class_warnings(informative, entries.tables, own)
    single = [s for s, c in zip(which.systems, which.columns, strict=True) if len(c) == 1]
    if which.several and single:
        yield OneRunOnly(tuple(single))
    undefined = [n for n, m in zip(names, measures, strict=True) if np.isnan(m.value).any()]
    if undefined:
        yield UndefinedFor(tuple(undefined))
    yield from lost_by_system(entries.tables)
    yield from few_clusters(entries.cluster)

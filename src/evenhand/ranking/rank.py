"""Rank systems by a metric, with tests of their order."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from itertools import repeat
from typing import Any

import numpy as np

from evenhand.catalogue.binding import (
    bind_all,
    for_metrics,
    lost_by_system,
    main_metric,
    notes_by_system,
    usual_metrics,
    values_of,
)
from evenhand.catalogue.lists import (
    TWINS,
    AnyMetric,
    as_spec,
    at_distance,
    default_score_metrics,
    in_order,
    named,
    ranked_metrics,
    several,
)
from evenhand.catalogue.signature import ReplicateField, Signature, signature_of
from evenhand.catalogue.spelling import Spec
from evenhand.data.arguments import VerbArguments, refuse_empty, systems_of, verb
from evenhand.data.confusion import Confusion
from evenhand.data.sample import GRADED, Sample, SoftSample
from evenhand.errors import MetricError
from evenhand.inference.delta import (
    few_clusters,
    score_warnings,
    small_class_warnings,
    weighs_classes_alike,
)
from evenhand.inference.intervals import IntervalSettings
from evenhand.inference.jackknife import PairDifferences
from evenhand.inference.permutation import pairs_of
from evenhand.inference.prediction_powered import (
    human_alone,
    judged_data,
)
from evenhand.inference.rows import Floats, divide, of_clusters
from evenhand.inference.wilson import critical_value, interval_around, is_informative, method_array
from evenhand.options import RankOptions, check_progress
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
    Ranks,
    average_ranks,
    best_probabilities,
    flips,
    group_letters,
    rank_ends,
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
from evenhand.records import Interval, Intervals, Method, known
from evenhand.results.operating_points import operating_points
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
    r = np.stack(list(map(average_ranks, values, better)))
    return _cosine(r - r.mean(axis=1, keepdims=True))


def kendall(values: Floats, better: Sequence[str]) -> Floats:
    """Kendall's τ_b between the rows of metrics × systems: pairs in the same order less the others.

    Pairs that are equal on one metric count for neither. (Kendall 1945.)

    >>> round(kendall(np.array([[1, 2, 3], [1, 3, 2.0]]), ["higher", "higher"])[0, 1].item(), 4)
    0.3333
    """
    r = np.stack(list(map(ranks, values, better)))
    first, second = np.triu_indices(r.shape[1], 1)
    return _cosine(np.sign(r[:, first] - r[:, second]))


def _cosine(x: Floats) -> Floats:
    """Cosines between the rows."""
    square = (x**2).sum(axis=1)
    both = np.sqrt(np.outer(square, square))  # exact where two metrics agree
    cosines = np.divide(x @ x.T, both, out=np.full(both.shape, np.nan), where=both > 0)
    return np.asarray(np.clip(cosines, -1, 1))


# One system of the leaderboard.


def standings(
    scores: MetricScores, rank: Ranks, best: dict[str, Floats], level: float
) -> list[Standing]:
    """Each system on one metric: its score, its rank, and what the paired tests say of that."""
    columns: dict[str, Any] = {n: x.tolist() for n, x in {"rank": rank, **best}.items()}
    if scores.pairs is not None:
        apart = scores.pairs.apart(level)
        low, high = (x.tolist() for x in rank_ends(apart, rank))
        columns |= {"rank_low": low, "rank_high": high, "group": group_letters(apart, rank)}
    columns |= {"judged": scores.judged} if scores.judged else {}
    rows = (dict(zip(columns, own, strict=True)) for own in zip(*columns.values(), strict=True))
    return [Standing(**vars(x), **own) for x, own in zip(scores, rows, strict=True)]


def ranked_systems(
    entries: Entries, scores: MetricScores, by_metric: dict[str, list[Standing]], signature: Any
) -> tuple[System, ...]:
    """The systems best first by the first metric, of which ``scores`` are; equal ones by name."""
    runs, tables, first = entries.runs, entries.tables, next(iter(by_metric.values()))
    order = sorted(range(len(first)), key=lambda i: first[i].rank)
    never_true, total = np.where(tables.prevalence > 0, 0, tables.bias), np.asarray(tables.total)
    never_true = divide(never_true.sum(axis=-1), total) * (tables.labels != GRADED)
    outside = divide(tables.outside.sum(axis=-1), total)
    wins, systems = win_rates(entries.data), list[System]()
    for i, after in zip(order, [*order[1:], None], strict=True):
        columns = list(runs.columns[i])
        systems.append(
            System(
                name=runs.systems[i],
                n=entries.items(columns),
                standings={name: own[i] for name, own in by_metric.items()},
                signature=signature(columns),
                next=None if after is None else _step(scores, i, after, runs.systems),
                runs=_spread(scores, runs, i) if runs.several else None,
                never_true=float(never_true[columns].mean()),
                outside=float(outside[columns].mean()),
                win_rate=None if wins is None else known(wins[columns].mean()),
            )
        )
    return tuple(systems)


def win_rates(data: Any) -> Floats | None:
    """The share of common items on which a system's grade is higher, ties half, over the others."""
    if not isinstance(data, SoftSample) or not data.graded or len(data.systems) < 2:
        return None
    grades, weight = data.probability[..., 1], data.item_scores.weight
    rates = np.full((len(grades), len(grades)), np.nan)
    for i, own in enumerate(grades):
        shares = weight * ~np.isnan(own - grades)
        wins = (shares * ((own > grades) + (own == grades) / 2)).sum(axis=-1)
        rates[i] = divide(wins, shares.sum(axis=-1), np.nan)
    np.fill_diagonal(rates, np.nan)
    return divide(np.nansum(rates, axis=1), (~np.isnan(rates)).sum(axis=1), np.nan)


def _telling(entries: Entries) -> int | None:
    """The items on which not all systems say the same, in any of their samples, if it is known."""
    data = entries.data
    if isinstance(data, Confusion) or entries.judged is not None:
        return None
    if isinstance(data, Sample):
        differs, items = (data.pred != data.pred[:, :1]).any(axis=1), data.items
    else:
        spread = np.nanmax(data.probability, axis=0) > np.nanmin(data.probability, axis=0)
        differs, items = spread.any(axis=-1), np.ones(len(spread), np.int64)
    if data.cluster is not None and data.weight is not None:
        samples_of = np.unique(data.cluster)
        if len(samples_of) == round(float(data.weight.sum())):  # each cluster is an item
            return len(np.unique(data.cluster[differs]))
        return round(float(data.weight[differs].sum()))
    return int(items[differs].sum())


def _step(m: MetricScores, i: int, j: int, systems: tuple[str, ...]) -> RankStep:
    gap = float(m.value[i] - m.value[j])
    if m.pairs is None:
        return RankStep(gap, system=systems[j])
    p, at, level = m.pairs, m.pairs.at(i, j), m.level or 0.0
    if p.items.values is not None:  # on the items of both
        gap = float(np.subtract(*p.items.values[at])) * (1 if i < j else -1)
    half = critical_value(level, float(p.df[at])) * float(p.se[at])
    sure = Interval(gap, level=level, note="no width")
    if not math.isnan(gap + half):
        low, high = max(gap - half, -p.most), min(gap + half, p.most)
        sure = Interval(gap, float(p.se[at]), low, high, level, Method("delta"))
    raw, adjusted = known(p.p[at]), known(p.p_adjusted[at])
    return RankStep(**vars(sure), system=systems[j], p=raw, p_adjusted=adjusted)


def _spread(m: MetricScores, runs: Runs, i: int) -> RunSpread:
    columns, spread = list(runs.columns[i]), float(m.spread[i])
    sd, se = (spread, spread / math.sqrt(len(columns))) if len(columns) > 1 else (None, None)
    return RunSpread(runs.names[i], tuple(m.runs[columns].tolist()), sd, se, known(m.items[i]))


# Slices and their mean.


def across(
    pooled: Leaderboard, parts: list[tuple[Leaderboard, MetricScores]], which: Runs
) -> Leaderboard:
    """The pooled leaderboard with its slices and their mean.

    Slices hold different items, so the variance of their mean is the mean of their variances
    over their number, also that of the difference of two systems; runs are averaged over slices
    first, and then their spread is taken.
    """
    names, level, kernel = which.systems, pooled.level, parts[0][1].kernel
    n, mean = len(parts), np.mean([m.value for _, m in parts], axis=0)
    spread = which.spread(np.mean([m.runs for _, m in parts], axis=0))
    twice = np.sum([m.interaction for _, m in parts], axis=0) / n**2
    own = np.sum([m.items**2 for _, m in parts], axis=0) / n**2
    se = np.sqrt(own + np.maximum(spread**2 / which.sizes - twice, 0.0))
    known = np.where(is_informative(se), se, np.nan)
    low, high = interval_around(mean, known, critical_value(level), kernel, "cut")
    means = Intervals(mean, se, low, high, method_array(Method("delta", "cut"), mean), level)
    rank = ranks(mean, kernel.record.better)
    groups: list[Any] = [None] * len(names)
    joint = [m.pairs.items for _, m in parts if m.pairs is not None]
    if len(joint) == n:
        pairs = pairs_of(mean, PairDifferences.of_mean(joint), spread, which.sizes, twice)
        groups = group_letters(pairs.apart(level), rank)
    columns = zip(means, names, rank.tolist(), groups, strict=True)
    rows = (MeanOfSlices(**vars(m), name=s, rank=r, group=g) for m, s, r, g in columns)
    ordered = tuple(sorted(rows, key=lambda m: (m.rank, m.name)))
    return replace(pooled.with_slices(board for board, _ in parts), mean_of_slices=ordered)


# The verb.


@verb(RankOptions)
def rank(arguments: VerbArguments, options: RankOptions) -> Leaderboard:
    """Rank systems by one metric, with intervals, ties and P(best).

    Takes true labels and a mapping of names to predictions, a frame with the columns ``true``
    and ``pred`` (a list), a ``Sample``, or tables alone (a stack, or a mapping of names to
    tables). ``metrics`` are those shown with
    ``by_metric``: every core metric and its calibrated version unless given. ``runs`` says
    which predictions are runs of one system: a mapping of systems to names, or a pattern such
    as ``"{system}-{run}"``. ``by`` is one value per item, for slices. ``progress`` is called
    with the number of replicates done.

    >>> board = rank("aabbbabab", {"A": list("aabbbabaa"), "B": list("ababbbaab")}, replicates=99)
    >>> [(s.name, s.standings["macro_f1"].rank) for s in board.systems]
    [('A', 1), ('B', 2)]
    """
    check_progress(options.progress)
    data, judged, warnings = judged_data(arguments, options, systems_of)
    systems, specs = for_metrics(data, _chosen(data, options))
    entries = entries_of(systems, options.runs, judged)
    board, _ = _board(entries, specs, options)
    board = board.noted(
        *systems.notes,
        *warnings,
        *human_alone((m, s.judged) for m, s in board.systems[0].standings.items()),
        *map(Copies, entries.data.copies()),
        *in_order(specs, entries.tables.labels),
    )
    slices, alone = of_clusters(entries.slices)
    if slices:
        parts = [_board(part, specs, options, key) for key, part in slices]
        board = across(board, parts, entries.runs)
    return board.noted(*alone)


def _chosen(data: Any, options: RankOptions) -> list[AnyMetric]:
    """The chosen metric first, then the others; those without a direction are refused.

    Of a family those with one are taken that intervals can be made of. Unless others are named,
    they are expected values if the chosen one is.
    """
    by_metric = main_metric(data) if options.by_metric is None else options.by_metric
    first = as_spec(at_distance(by_metric, options.distance))
    expected = isinstance(first, Spec) and first.expected

    def usual() -> list[Spec]:
        if isinstance(first, Spec) and first.metric.needs == "scores":
            return default_score_metrics(getattr(data, "only_scores", False))
        return [replace(m, expected=expected) for m in ranked_metrics()]

    others = several(
        options.metrics,
        partial(usual_metrics, data, usual),
        fits=lambda m: m.better != "neither" and m.smooth,
        distance=options.distance,
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
    entries: Entries, specs: list[AnyMetric], options: RankOptions, key: Any = None
) -> tuple[Leaderboard, MetricScores]:
    """The leaderboard of all items or of one slice, and the scores on its metric."""
    tables, which, level = entries.tables, entries.runs, options.level
    drawn = entries.joint and not entries.incomplete
    if key is None or not entries.incomplete:
        refuse_empty(tables, "rank")
    settings = IntervalSettings("auto", level, options.replicates, options.seed)
    names, kernels = [name for name, _ in named(specs)], bind_all(specs, tables, **options.binding)
    scores = metric_scores(entries, kernels, settings, options.binding)
    values, better = np.stack([m.value for m in scores]), [k.record.better for k in kernels]
    rank = np.stack(list(map(ranks, values, better)))
    best: list[dict[str, Floats]] = [{}] * len(scores)
    if drawn:
        best = best_probabilities(entries.rows, scores, which, options)
    each = map(standings, scores, rank, best, repeat(level))
    by_metric = dict(zip(names, each, strict=True))
    pairs = [m.pairs.apart(level) for m in scores if m.pairs is not None]
    runs_of_system = dict(zip(which.systems, which.names, strict=True))
    signature = partial(_signature, entries, specs[0], options, settings.signed(entries.data))
    systems = ranked_systems(entries, scores[0], by_metric, signature)
    runs = [run for s in systems for run in runs_of_system[s.name]]
    guessed = tables.labels != GRADED  # grades, which nobody guesses
    correlation = dict[str, dict[str, dict[str, float]]]()
    for kind in (spearman, kendall):
        matrix = (dict(zip(names, row, strict=True)) for row in kind(values, better).tolist())
        correlation[kind.__name__] = dict(zip(names, matrix, strict=True))
    board = Leaderboard(
        metric=names[0],
        metrics=tuple(names),
        n=entries.n,
        varies=entries.varies,
        level=level,
        replicates=options.replicates if drawn else None,
        systems=systems,
        correlation=correlation,
        flips=tuple(flips(which.systems, names, rank, values, np.stack(pairs) if pairs else None)),
        twins=_twins(entries, options, scores),
        baselines=baseline_scores(tables[0], named(specs), options) if guessed else {},
        signature=signature([c for own in which.columns for c in own]),
        cautions=(
            *notes_by_system(tables, options.classes, options.zero_division),
            *_warnings(entries, scores, names),
        ),
        key=key,
        lower=better[0] == "lower",
        telling=_telling(entries),
        operating_points=operating_points(entries.data, specs, runs),
    )
    return board, scores[0]


def _signature(
    entries: Entries, metric: AnyMetric, options: RankOptions, interval: Any, columns: list[int]
) -> Signature:
    """The signature of a ranking, or of one system in it, by their columns."""
    spec = as_spec(metric)
    if entries.joint:
        interval = replace(interval, ranked=ReplicateField(options.replicates, options.seed))
    own = spec if isinstance(spec, Spec) else None
    tables, binding = entries.tables[columns], options.binding
    signature = signature_of(tables, own, **binding, interval=str(interval))
    return replace(signature, n=str(entries.items(columns)))


def _twins(
    entries: Entries, options: RankOptions, scores: list[MetricScores]
) -> FormulaRanks | None:
    """What becomes of the order between the twins, be they among the metrics or not."""
    known, which = {m.kernel.name: m.value for m in scores if not m.kernel.record.own}, entries.runs
    if any(m.kernel.record.needs == "scores" for m in scores):
        return None
    values = values_of(bind_all(TWINS, entries.tables, **options.binding), entries.tables)
    one, other = (known.get(m.name, which.mean(v)) for m, v in zip(TWINS, values, strict=True))
    if np.isnan(one).any() or np.isnan(other).any():
        return None
    moved = np.flatnonzero(ranks(one) != ranks(other))
    at, systems = int(np.argmax(other - one)), tuple(which.systems[i] for i in moved)
    return FormulaRanks(len(moved), systems, float(other[at] - one[at]), which.systems[at])


def _warnings(
    entries: Entries, scores: list[MetricScores], names: list[str]
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
    informative = [m.kernel for m in scores if m.known.any()]
    own = tuple(k.name for k in informative if weighs_classes_alike(k))
    yield from small_class_warnings(informative, entries.tables, own)
    yield from score_warnings(informative, entries.tables)
    single = tuple(s for s, c in zip(which.systems, which.columns, strict=True) if len(c) == 1)
    if which.several and single:
        yield OneRunOnly(single)
    if undefined := tuple(n for n, m in zip(names, scores, strict=True) if np.isnan(m.value).any()):
        yield UndefinedFor(undefined)
    yield from lost_by_system(entries.tables)
    yield from few_clusters(entries.data)[0]

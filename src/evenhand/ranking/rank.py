"""Rank: a leaderboard that says how much it means."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from evenhand.catalogue.binding import bind_all, values_of
from evenhand.catalogue.distances import in_order
from evenhand.catalogue.lists import TWINS, ranked_metrics
from evenhand.catalogue.naming import (
    AnyMetric,
    Metrics,
    as_spec,
    at_distance,
    name_of,
    named,
    several,
)
from evenhand.catalogue.policy import Undefined, policy
from evenhand.catalogue.spelling import Spec
from evenhand.catalogue.strays import lost_by_system, notes_by_system
from evenhand.core.kernel import Kernel
from evenhand.count.forms import refuse_empty
from evenhand.count.given import Given, systems_of
from evenhand.errors import MetricError
from evenhand.infer.design import Floats
from evenhand.infer.few import few_clusters, too_few, weighs_classes_alike
from evenhand.infer.settings import Settings
from evenhand.infer.slices import of_clusters
from evenhand.notes.data import Copies
from evenhand.notes.note import Note
from evenhand.notes.ranks import OneRunOnly, OtherItems, TablesAlone, UndefinedFor
from evenhand.notes.sure import UnknownVariance
from evenhand.ranking.agreement import kendall, spearman
from evenhand.ranking.baselines import baseline_scores
from evenhand.ranking.entries import Entries, entries_of
from evenhand.ranking.flips import flips
from evenhand.ranking.frontier import undominated
from evenhand.ranking.leaderboard import Leaderboard, TwinPlaces
from evenhand.ranking.measure import Measured, measured
from evenhand.ranking.ranks import ranks
from evenhand.ranking.slices import across
from evenhand.ranking.stability import Progress, Stability, stability
from evenhand.ranking.standings import standings
from evenhand.signature.build import signature_of
from evenhand.signature.fields import Draws
from evenhand.signature.line import Signature
from evenhand.tables.confusion import Classes
from evenhand.tables.labels import rule_or_list


@dataclass(frozen=True)
class Asked:
    """What a ranking is to be made of, settled before any data are looked at."""

    metric: str
    metrics: list[tuple[str, AnyMetric]]
    classes: Classes
    undefined: float
    how: Settings

    def bound(self, entries: Entries, metrics: Iterable[AnyMetric] | None = None) -> list[Kernel]:
        """The metrics made ready for these tables, the chosen one first; or other metrics."""
        wanted = [m for _, m in self.metrics] if metrics is None else metrics
        how: Any = {"classes": self.classes, "undefined": self.undefined}
        return bind_all(wanted, entries.tables, **how)

    def signature(self, entries: Entries, columns: list[int]) -> Signature:
        """The signature of a ranking, or of one system in it, by their columns."""
        spec, interval = as_spec(self.metrics[0][1]), self.how.signed(entries.data)
        if entries.joint:
            interval = replace(interval, ranked=Draws(self.how.replicates, self.how.seed))
        known = spec if isinstance(spec, Spec) else None
        how: Any = {"classes": self.classes, "undefined": self.undefined}
        whole = signature_of(entries.tables[columns], known, interval=str(interval), **how)
        return replace(whole, n=str(entries.items(columns)))


def rank(
    *data: Any,
    by_metric: AnyMetric = "macro_f1",
    metrics: Metrics | None = None,
    classes: Classes = "task",
    undefined: Undefined = 0,
    distance: Any = None,
    level: float = 0.95,
    replicates: int = 2000,
    seed: int = 0,
    runs: Mapping[str, Iterable[str]] | str | None = None,
    by: Any = None,
    y_true: Any = None,
    y_pred: Any = None,
    true: str | None = None,
    pred: str | Sequence[str] | None = None,
    labels: Iterable[Any] | None = None,
    weights: Any = None,
    cluster: Any = None,
    drop_null_truth: bool = False,
    progress: Progress | None = None,
) -> Leaderboard:
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
    beside = (labels, weights, cluster, by, drop_null_truth)
    given = Given("rank", data, y_true, y_pred, true, pred, *beside)
    entries = entries_of(systems_of(given), runs)
    asked = Asked(
        name_of(at_distance(by_metric, distance)),
        _chosen(by_metric, metrics, distance),
        rule_or_list(classes),
        policy(undefined),
        Settings("auto", level, replicates, seed),
    )
    board, _ = _board(entries, asked, progress)
    board = board.noted(
        *map(Copies, entries.data.copies()),
        *in_order((m for _, m in asked.metrics), entries.tables.labels),
    )
    slices, alone = of_clusters(entries.slices)
    if not slices:
        return board.noted(*alone)
    parts = [_board(part, asked, progress, key) for key, part in slices]
    return across(board, parts, entries.runs, asked.bound(entries)[0]).noted(*alone)


def _chosen(
    by_metric: AnyMetric, metrics: Metrics | None, distance: Any
) -> list[tuple[str, AnyMetric]]:
    """The chosen metric first, then the others by name; those without a direction are refused.

    Of a family those with one are taken that intervals can be made of.
    """
    first = at_distance(by_metric, distance)
    others = several(
        metrics,
        ranked_metrics,
        fits=lambda m: m.better != "neither" and m.smooth,
        distance=distance,
        or_none=True,
    )
    found = named([first, *others])
    for name, metric in found:
        spec = as_spec(metric)
        if isinstance(spec, Spec) and spec.metric.better == "neither":
            raise MetricError(f"{name} cannot rank systems: neither more nor less of it is better")
        if isinstance(spec, Spec) and spec.metric.needs == "items":
            raise MetricError(f"{name} is for multi-label data, which cannot be ranked yet")
    return found


def _board(
    entries: Entries, asked: Asked, progress: Progress | None, key: Any = None
) -> tuple[Leaderboard, list[Measured]]:
    kernels = asked.bound(entries)
    tables, which = entries.tables, entries.runs
    refuse_empty(tables, "rank")
    found = measured(entries, kernels, asked.how)
    stable: list[Stability] | None = None
    if entries.joint:
        stable = stability(
            entries.rows,
            kernels,
            which,
            [m.value for m in found],
            count=asked.how.replicates,
            seed=asked.how.seed,
            progress=progress,
        )
    names = [name for name, _ in asked.metrics]
    better = [k.better for k in kernels]
    values = np.stack([m.value for m in found])
    places = np.stack([ranks(v, b) for v, b in zip(values, better, strict=True)])
    pairs = [m.pairs for m in found if m.pairs is not None] if entries.joint else None
    systems = standings(entries, names, found, places, stable, asked)
    unbeaten = {which.systems[i] for i in undominated(places)}
    board = Leaderboard(
        metric=asked.metric,
        metrics=tuple(names),
        n=entries.n,
        varies=entries.varies,
        level=asked.how.level,
        replicates=asked.how.replicates if entries.joint else None,
        systems=systems,
        correlation={
            "spearman": _square(names, spearman(values, better)),
            "kendall": _square(names, kendall(values, better)),
        },
        flips=tuple(flips(which.systems, names, places, values, pairs, level=asked.how.level)),
        undominated=tuple(s.name for s in systems if s.name in unbeaten),
        twins=_twins(entries, asked, kernels, found),
        baselines=baseline_scores(
            tables[0], asked.metrics, classes=asked.classes, undefined=asked.undefined
        ),
        signature=asked.signature(entries, [c for own in which.columns for c in own]),
        cautions=(
            *notes_by_system(tables, asked.classes, asked.undefined),
            *_cautions(entries, kernels, found, names),
        ),
        key=key,
        lower=better[0] == "lower",
        rank_probability=_probabilities(which.systems, stable),
    )
    return board, found


def _probabilities(
    systems: Sequence[str], stable: list[Stability] | None
) -> dict[str, tuple[float, ...]]:
    """Of each system, the chance that it has each rank by the chosen metric."""
    if not stable or stable[0].places is None:
        return {}
    return {s: tuple(p) for s, p in zip(systems, stable[0].places.tolist(), strict=True)}


def _square(names: list[str], matrix: Floats) -> dict[str, dict[str, float]]:
    return {
        a: dict(zip(names, row, strict=True)) for a, row in zip(names, matrix.tolist(), strict=True)
    }


def _twins(
    entries: Entries, asked: Asked, kernels: list[Kernel], found: list[Measured]
) -> TwinPlaces | None:
    """What becomes of the order between the twins, be they among the metrics or not."""
    which = entries.runs
    known = {k.name: m.value for k, m in zip(kernels, found, strict=True) if k.record is not None}
    extra = asked.bound(entries, [m for m in TWINS if m.name not in known])
    values = map(which.mean, values_of(extra, entries.tables))
    known |= zip((k.name for k in extra), values, strict=True)
    one, other = (known[m.name] for m in TWINS)
    if np.isnan(one).any() or np.isnan(other).any():
        return None
    moved = np.flatnonzero(ranks(one) != ranks(other))
    gap = other - one
    at = int(np.argmax(gap))
    systems = tuple(which.systems[i] for i in moved)
    return TwinPlaces(len(moved), systems, float(gap[at]), which.systems[at])


def _cautions(
    entries: Entries, kernels: list[Kernel], found: list[Measured], names: list[str]
) -> Iterable[Note]:
    """What a reader must know of the ranking, beside the labels that are never true."""
    which = entries.runs
    if not entries.joint:
        yield TablesAlone()
        truth = np.asarray(entries.tables.prevalence)
        if not np.allclose(truth, truth[:1]):
            yield OtherItems()
    if not entries.data.varies:
        yield UnknownVariance()
    sure = [k for k, m in zip(kernels, found, strict=True) if m.known.any()]
    own = tuple(k.name for k in sure if weighs_classes_alike(k))
    yield from too_few(sure, entries.tables, own)
    single = [s for s, c in zip(which.systems, which.columns, strict=True) if len(c) == 1]
    if which.several and single:
        yield OneRunOnly(tuple(single))
    undefined = [n for n, m in zip(names, found, strict=True) if np.isnan(m.value).any()]
    if undefined:
        yield UndefinedFor(tuple(undefined))
    yield from lost_by_system(entries.tables)
    yield from few_clusters(entries.cluster)

"""Systems and their runs: what is ranked, and each system's score on a metric."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import repeat
from typing import Any

import numpy as np

from evenhand.catalogue.binding import bind_all, values_of
from evenhand.catalogue.lists import AnyMetric
from evenhand.core.kernel import Kernel
from evenhand.data.arguments import refusal
from evenhand.data.cells import DenseCells
from evenhand.data.confusion import Confusion
from evenhand.data.sample import Sample, SoftSample, Systems
from evenhand.errors import InputError, shown
from evenhand.inference.delta import satterthwaite
from evenhand.inference.intervals import Estimate, IntervalSettings, estimates
from evenhand.inference.jackknife import score_covariances
from evenhand.inference.permutation import SystemPairs, pairs_of, pairs_of_all
from evenhand.inference.prediction_powered import (
    JudgedSample,
    JudgedScore,
    judged_rows,
    limits,
)
from evenhand.inference.rows import Floats, Rows, divide, rows_of
from evenhand.inference.wilson import (
    critical_value,
    extent,
    informative_ends,
    interval_around,
    interval_scale,
    method_array,
    score_interval,
)
from evenhand.options import RankOptions, mapping, sequence
from evenhand.records import Intervals, Method
from evenhand.text import group_by


@dataclass(frozen=True, eq=False)
class Runs:
    """Which columns of the data are runs of which system, systems sorted by name."""

    systems: tuple[str, ...]
    names: tuple[tuple[str, ...], ...]
    columns: tuple[tuple[int, ...], ...]

    @cached_property
    def several(self) -> bool:
        """Whether any system has more than one run."""
        return any(len(c) > 1 for c in self.columns)

    @property
    def sizes(self) -> Floats:
        """Number of runs of each system."""
        return np.array([len(c) for c in self.columns])

    def mean(self, values: Floats) -> Floats:
        """… × columns to … × systems, by the mean over a system's runs."""
        if not self.several:
            return np.asarray(values[..., [c[0] for c in self.columns]])
        return np.stack([values[..., list(c)].mean(axis=-1) for c in self.columns], axis=-1)

    def spread(self, values: Floats) -> Floats:
        """Standard deviation between a system's runs (n − 1); 0 where there is one run only."""
        own = (values[list(c)] for c in self.columns)
        return np.array([np.std(x, ddof=1) if len(x) > 1 else 0.0 for x in own])

    def drawn(
        self, values: Floats, rng: np.random.Generator, spread: Floats, interaction: Floats
    ) -> Floats:
        """Replicates (B × columns) to B × systems, the runs of each system drawn anew.

        As many runs as there are, with replacement; deviations from the mean are widened by
        √(r / (r − 1)), since a bootstrap of so few would be too narrow, and narrowed by what items
        do in one run only, which is in the draws of items and twice in these.
        """
        draws, between = self.mean(values), spread**2 / self.sizes
        if not self.several:
            return draws
        factor = np.sqrt(divide(np.maximum(between - interaction, 0.0), between + interaction))
        for s, c in enumerate(self.columns):
            r = len(c)
            if r > 1:
                times = rng.multinomial(r, np.full(r, 1 / r), size=len(values)) / r
                mean = (values[:, list(c)] * times).sum(axis=1)
                draws[:, s] += factor[s] * np.sqrt(r / (r - 1)) * (mean - draws[:, s])
        return draws


def runs_of(columns: Sequence[str], runs: Mapping[str, Iterable[str]] | str | None = None) -> Runs:
    """The systems behind the columns: given by name, by a pattern, or each its own.

    >>> runs_of(["b-1", "a-1", "a-2"], "{system}-{run}").names
    (('a-1', 'a-2'), ('b-1',))
    """
    if runs is None:
        grouping: Mapping[str, Iterable[str]] = {name: (name,) for name in columns}
    elif isinstance(runs, str):
        grouping = _matched(columns, runs)
    else:
        mapping(runs, "runs", "systems to their runs")
        grouping = {str(s): (names,) if isinstance(names, str) else sequence(names, "runs", "names")
                 for s, names in runs.items()}  # fmt: skip
    place = {name: i for i, name in enumerate(columns)}
    listed = {s: tuple(sorted(map(str, names))) for s, names in sorted(grouping.items())}
    times = Counter(name for names in listed.values() for name in names)
    odd = [name for name in {**times, **place} if name not in place or times[name] != 1]
    if odd or not all(listed.values()):
        names = shown(odd or [s for s, names in listed.items() if not names])
        raise InputError(f"runs must name every run once, under its system; not so {names}")
    at = tuple(tuple(place[n] for n in names) for names in listed.values())
    return Runs(tuple(listed), tuple(listed.values()), at)


def _matched(columns: Sequence[str], pattern: str) -> dict[str, list[str]]:
    """Columns by the system in their names; a name that does not fit is a system of its own."""
    if pattern.count("{system}") != 1 or pattern.count("{run}") != 1:
        raise InputError(f"a pattern of runs must hold {{system}} and {{run}}, got {pattern!r}")
    parts = re.split(r"(\{system\}|\{run\})", pattern)
    groups = {"{system}": "(?P<system>.+)", "{run}": "(?P<run>.+)"}
    shape = re.compile("".join(groups.get(p) or re.escape(p) for p in parts))
    matches = {name: match for name in columns if (match := shape.fullmatch(name))}
    if not matches:
        raise InputError(f"no system's name fits the pattern {pattern!r}: {shown(columns)}")
    return group_by(columns, lambda name: matches[name]["system"] if name in matches else name)


# What is ranked.


@dataclass(frozen=True, eq=False)
class Entries:
    """Systems on the same items, or their tables alone; and which columns are runs of which.

    ``slices`` are the same systems on parts of the items, by key. With a judge, the data are the
    items with human labels.
    """

    data: Sample | SoftSample | Confusion
    runs: Runs
    slices: tuple[tuple[Any, Entries], ...] = ()
    judged: JudgedSample | None = None

    @property
    def joint(self) -> bool:
        """Whether it is known which items each system got right."""
        return bool(self.data.systems)

    @property
    def incomplete(self) -> bool:
        """Whether some systems were not asked some items, of those with grades."""
        return isinstance(self.data, SoftSample) and bool(self.data.absent.any())

    @property
    def cluster(self) -> Any:
        """The cluster of each row, if it is known."""
        return self.data.cluster

    @cached_property
    def tables(self) -> Confusion:
        """The stack of all columns' tables."""
        return self.data.tables()

    @cached_property
    def rows(self) -> Rows:
        """The rows to draw from, where they are known."""
        return rows_of(self.data)

    @property
    def n(self) -> int:
        """Number of items; of tables alone, which have their own, the largest."""
        return int(np.max(self.data.n)) if self.judged is None else self.judged.sample.n

    def items(self, columns: list[int]) -> int:
        """Number of items in the tables of these columns."""
        own = self.tables.n if self.incomplete else self.data.n
        return int(np.max(np.asarray(own)[columns])) if np.ndim(own) else self.n

    @property
    def varies(self) -> tuple[str, ...]:
        """What would be another one another time: items or whole clusters, and runs."""
        return ("clusters" if self.cluster is not None else "items", *["runs"] * self.runs.several)


def entries_of(
    data: Sample | SoftSample | Confusion, runs: Any = None, judged: JudgedSample | None = None
) -> Entries:
    """What is ranked: a sample, its columns system by system, or tables, maybe in slices."""
    if isinstance(data, Systems):
        order = [c for own in runs_of(data.systems, runs).columns for c in own]
        data = data.among(order)
        which = runs_of(data.systems, runs)
        if judged is not None:
            judged = replace(judged, sample=judged.sample.among([*order, len(order)]))
        by_key = {} if judged is None else dict(judged.slices)
        slices = ((key, Entries(s, which, (), by_key.get(key))) for key, s in data.slices)
        entries = Entries(data, which, tuple(slices), judged)
        if judged is not None and which.several:
            raise InputError("with a judge each system has one run")
    else:
        entries = _of_tables(data.tables(), runs)
    if len(entries.runs.systems) < 2:
        raise refusal("rank", f"one system ({shown(entries.runs.systems)})")
    return entries


def _of_tables(stack: Confusion, runs: Any) -> Entries:
    """Tables alone: a stack by system, by system and slice, or by pairs of both."""
    if len(stack.shape) > 2:
        raise InputError(f"rank takes tables by system and slice, got {len(stack.shape)} axes")
    by: dict[str, dict[Any, Confusion]] = {}
    for key, part in zip(stack.keys[0], stack, strict=True):
        if part.shape:
            by[str(key)] = dict(zip(stack.keys[1], part, strict=True))
        elif isinstance(key, tuple) and len(key) > 1:
            by.setdefault(str(key[0]), {})[key[1] if len(key) == 2 else key[1:]] = part
        else:
            by[str(key)] = {None: part}
    parts = list(dict.fromkeys(k for tables in by.values() for k in tables))
    lacking = [s for s, tables in by.items() if len(tables) < len(parts)]
    if lacking:
        raise InputError(f"every system needs a table of every slice; not so {shown(lacking)}")
    which = runs_of(list(by), runs)
    each = ((key, Confusion.stack({s: own[key] for s, own in by.items()})) for key in parts)
    slices = tuple((key, Entries(tables, which)) for key, tables in each)
    if parts == [None]:
        return slices[0][1]
    tables = {s: [own[key] for key in parts] for s, own in by.items()}
    pooled = Confusion.stack({s: sum(own[1:], start=own[0]) for s, own in tables.items()})
    return Entries(pooled, which, slices)


# Scores of the systems.


@dataclass(frozen=True, eq=False)
class MetricScores(Intervals):
    """Systems' scores on a metric: interval, its parts, and all pairs where items are known.

    ``se`` joins ``items``, the error from the items, and ``spread``/√runs, that from the runs, less
    ``interaction``, the variance of items within runs, which is in both; ``runs`` holds the value
    of every run. With a judge, ``judged`` is what it and the human labels say alone of each system,
    and ``covariance`` how the scores vary together.
    """

    kernel: Kernel = field(kw_only=True)
    runs: Floats = field(kw_only=True)
    items: Floats = field(kw_only=True)
    spread: Floats = field(kw_only=True)
    interaction: Floats = field(kw_only=True)
    pairs: SystemPairs | None = None
    judged: tuple[JudgedScore, ...] = ()
    covariance: Floats | None = None


def metric_scores(
    entries: Entries, kernels: list[Kernel], settings: IntervalSettings, binding: Any = None
) -> list[MetricScores]:
    """Each metric of every system, with intervals, and pairs where the items are known."""
    which, varies = entries.runs, entries.data.varies
    source = entries.tables if entries.data.in_cells else entries.data  # tables are quicker
    intervals = estimates(source, kernels, settings if varies else None)
    values = [which.mean(e.value) for e in intervals]
    spreads = [which.spread(e.value) for e in intervals]
    items = [which.mean(e.se) for e in intervals]  # as if runs erred on the same items
    none = np.zeros(len(which.systems))
    joint: Any = [(None, own, none) for own in items]
    if entries.joint:
        joint = pairs_of_all(entries.rows, kernels, values, spreads, which.columns)
        if not which.several:
            joint = [(pair, own, none) for (pair, *_), own in zip(joint, items, strict=True)]
    first, scores = [c[0] for c in which.columns], []
    for e, value, spread, (pair, own, twice) in zip(intervals, values, spreads, joint, strict=True):
        se, low, high, method = (x[first] for x in (e.se, e.low, e.high, e.method))
        if which.several:
            between = np.maximum(spread**2 / which.sizes - twice, 0.0)
            se = np.sqrt(own**2 + between)
            low, high = _ends(e, which, value, se, between, settings.level)
            method = method_array(Method("delta" if e.error is None else "wilson", "runs"), value)
        level, note = (settings.level, e.note) if varies else (None, "unknown variance")
        parts: Any = {"kernel": e.kernel, "runs": e.value, "items": own, "spread": spread}
        parts |= {"interaction": twice, "level": level, "note": note, "pairs": pair}
        scores.append(MetricScores(value, se, low, high, method, **parts))
    return scores if entries.judged is None else _judged(entries.judged, scores, settings, binding)


def _judged(
    judged: JudgedSample, human: list[MetricScores], settings: IntervalSettings, binding: Any
) -> list[MetricScores]:
    """The scores by human labels, corrected by a judge."""
    cheap, rows = judged.by_judge(), judged_rows(judged, binding)
    kernels, scores = [m.kernel for m in human], []
    covariances = score_covariances(rows_of(judged.by_human()), kernels)
    by_judge = estimates(cheap, kernels, settings, cheap.tables())
    for own, alone, covariance in zip(human, by_judge, covariances, strict=True):
        correction, value, se = rows.correction(own.kernel), own.value, own.se
        low, high, method, power = own.low, own.high, own.method, 0.0
        if correction is not None and own.known.all():
            each = [limits(x, correction, own.kernel, i) for i, x in enumerate(own)]
            (se, low, high), value = np.array(each).T, correction.value
            power, covariance = correction.power, correction.covariance(covariance)
            record = own.kernel.record
            method = method_array(Method("ppi", "effective" if record.bounded else None), value)
        units = covariance.estimates[0].units
        units = units * divide(se, np.sqrt((units**2).sum(axis=1)))[:, None]
        labels = (judged.labels * divide(own.se, se, 1.0) ** 2).tolist()
        scores.append(replace(
            own, value=value, se=se, low=low, high=high, method=method, runs=value, items=se,
            pairs=pairs_of(
                value, covariance.between(), own.spread, np.ones(len(value)), own.interaction
            ),
            judged=tuple(map(JudgedScore, alone, own, repeat(power), labels)),
            covariance=units @ units.T,
        ))  # fmt: skip
    return scores


def _ends(
    e: Estimate, which: Runs, value: Floats, se: Floats, between: Floats, level: float
) -> tuple[Floats, Floats]:
    """Interval ends with Student's quantile for the runs, on the scale of the metric's range."""
    parts, df = np.stack([se**2 - between, between]), np.maximum(which.sizes - 1, 1)
    welch = satterthwaite(parts, np.stack([np.full(df.shape, np.inf), df]), axis=0)
    items_share = divide(parts[0], se**2, 1.0)
    if e.error is None:
        t = critical_value(level, welch)
        return informative_ends(
            *interval_around(value, se, t, e.kernel, interval_scale("score", e.kernel))
        )
    df, n_eff = (which.mean(x.reshape(-1)) for x in (e.error.df, e.error.n_eff))
    t = critical_value(level, np.minimum(welch, df))
    return informative_ends(*score_interval(value, n_eff * items_share, t, *extent(e.kernel)))


# Scores of guessing.

BASELINES = ("majority", "uniform", "prevalence")


def baselines(table: Confusion) -> Confusion:
    """The expected tables of classifiers that do not look at the items.

    ``majority`` always names the most frequent class, ``uniform`` every true class equally
    often, ``prevalence`` each as often as it is true.

    >>> table = Confusion.from_matrix([[3, 1], [0, 2]], labels="ab")
    >>> baselines(table).at("uniform").cells.tolist()
    [[2.0, 2.0], [1.0, 1.0]]
    """
    truth = np.asarray(table.prevalence, np.float64)
    guess = np.zeros((len(BASELINES), table.k + 1))
    guess[0, int(np.argmax(truth))] = 1.0
    guess[1, :-1] = (truth > 0) / max(int((truth > 0).sum()), 1)
    guess[2, :-1] = truth / truth.sum()
    cells = DenseCells(truth[:, None] * guess[:, None])
    n, keys = np.repeat(table.n, len(guess)), (BASELINES,)
    stack = Confusion.from_cells(table.labels, cells, n=n, keys=keys, soft=table.soft)
    scores = table.item_scores
    if scores is None:
        return stack
    same = np.broadcast_to(guess[:, None, :-1], (len(guess), len(scores.truth), table.k))
    return stack.with_scores(replace(scores, scores=same, cache={}))


def baseline_scores(
    table: Confusion, metrics: Iterable[tuple[str, AnyMetric]], options: RankOptions
) -> dict[str, dict[str, float]]:
    """Each baseline's score on its expected table, by metric.

    It is the expected score where the metric is linear in the predictions (accuracy, the
    recalls); elsewhere the expected score comes to it as the items grow many.
    """
    names, requested = zip(*metrics, strict=True)
    expected = baselines(table)
    kernels = bind_all(requested, expected, **options.binding, expected=True)
    values = np.array(values_of(kernels, expected), np.float64).T.tolist()
    rows = zip(BASELINES, values, strict=True)
    return {kind: dict(zip(names, row, strict=True)) for kind, row in rows}

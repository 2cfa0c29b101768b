"""Paired tests of systems on every metric, corrected for their number."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Literal, TypeAlias, get_args

import numpy as np

from evenhand.catalogue.binding import bind_all, values_of
from evenhand.catalogue.spelling import Spec
from evenhand.core.arrays import Array
from evenhand.core.kernel import Kernel
from evenhand.core.margins import Counts
from evenhand.core.registry import Better
from evenhand.data.arguments import refuse_empty
from evenhand.data.sample import Sample, SoftSample
from evenhand.inference.bootstrap import bootstrap
from evenhand.inference.jackknife import PairIntervals, ScoreCovariance, score_covariances
from evenhand.inference.multiplicity import any_of, by_error, over_families, sampled, step_down
from evenhand.inference.noninferiority import NonInferiority, noninferiority, refuse_wide
from evenhand.inference.permutation import (
    Randomisation,
    correlation,
    discordant,
    mid_p,
    pair_of,
    tango,
)
from evenhand.inference.prediction_powered import (
    JUDGED,
    JudgedInterval,
    JudgedSample,
    JudgedScore,
    corrected_pairs,
)
from evenhand.inference.rows import Codes, Floats, rows_of
from evenhand.inference.wilson import farthest
from evenhand.options import CompareOptions
from evenhand.records import Method, known
from evenhand.results.result import Entry

Family: TypeAlias = Literal["primary", "secondary"]


class Pair(Entry, JudgedInterval, kw_only=True):
    """Two systems on one metric: first minus second, its interval and its tests.

    ``p`` has the p of each test; with the randomisation of an average over classes also that of
    ``delta`` if it is larger, and of accuracy McNemar's mid-p, since these then decide.
    ``p_adjusted`` is the p that decides after the correction over its ``family``, ``p_least`` the
    smallest possible. The family is ``"primary"`` for the metric that decides and ``"secondary"``
    for the others.
    ``points``: the difference is reported in hundredths of the metric's range.

    >>> import evenhand as eh
    >>> comparison = eh.compare(list("aabb"), list("aabb"), list("abbb"), metrics="accuracy")
    >>> comparison["accuracy"].values
    (1.0, 0.75)
    """

    json_fields = f"""systems metric values difference effect se low high p p_adjusted p_least
    family margin items {JUDGED}"""

    systems: tuple[str, str]
    metric: str
    values: tuple[float, float]
    points: bool
    better: Better
    p: dict[str, float | None]
    p_adjusted: float | None = None
    p_least: float | None = None
    family: Family = "primary"
    margin: NonInferiority | None = None
    items: int | None = None
    """The items that both systems have, where these are not all."""

    @property
    def difference(self) -> float:
        """The first system's value less the second's."""
        return self.value

    @property
    def effect(self) -> float:
        """The difference in points, where the metric has a bounded range."""
        return 100 * self.difference if self.points else self.difference


@dataclass(frozen=True)
class TestedMetric:
    """A pair before the correction over groups: its ``p`` and the smallest p it could have.

    Tests of one ``group`` count once.
    """

    pair: Pair
    group: Hashable
    p: float | None
    least: float = 0.0


def corrected(tested: Sequence[TestedMetric], level: float) -> tuple[Pair, ...]:
    """The pairs, each corrected over its family.

    The smallest p that a pair could have had is corrected over the groups that are not all
    significant: those it would still face.
    """
    pairs = [t.pair for t in tested]
    for family in get_args(Family):
        own = [i for i, t in enumerate(tested) if t.p is not None and t.pair.family == family]
        groups = [tested[i].group for i in own]
        codes = {g: i for i, g in enumerate(dict.fromkeys(groups))}
        raw = np.array([tested[i].p for i in own], np.float64)
        adjusted = over_families(raw, [codes[g] for g in groups]).tolist()
        undecided = {g for g, p in zip(groups, adjusted, strict=True) if p >= 1 - level}
        for i, p in zip(own, adjusted, strict=True):
            least = min(1.0, max(1, len(undecided)) * tested[i].least)
            pairs[i] = replace(pairs[i], p_adjusted=p, p_least=least)
    return tuple(pairs)


BUDGET = 1 << 35
"""Numbers that draws beyond ``replicates`` may take in one comparison."""


@dataclass(frozen=True)
class CompareRequest:
    """The options of a comparison; the first of ``metrics`` decides, by the first of ``tests``."""

    metrics: list[Spec | Callable[[Counts], Array]]
    options: CompareOptions
    baseline: int | None = None
    judged: bool = False

    @property
    def tests(self) -> tuple[str, ...]:
        """The names of the tests; of scores of items, whose answers are no labels to exchange,
        those by influences (DeLong's of the area under a curve) and by resampling."""
        tests = tuple(self.options.tests)
        if self.judged:
            return ("delta",)
        if not any(isinstance(m, Spec) and m.metric.needs == "scores" for m in self.metrics):
            return tests
        return tuple(t for t in tests if t not in ("randomisation", "mcnemar")) or ("delta",)

    def enough(self, tests: int) -> int:
        """Draws with which so many tests can be significant after the correction."""
        return max(self.options.replicates, math.ceil(2 * tests / (1 - self.options.level)))


Exchanged: TypeAlias = tuple[dict[str, Floats], Floats, Floats, list[tuple[float, float] | None]]


class PairedTests:
    """Every pair of systems on every metric before the correction, of all items or one of slices.

    With a judge the sample is that by human labels, whose scores are corrected.
    """

    def __init__(
        self,
        sample: Sample | SoftSample,
        request: CompareRequest,
        slices: int = 1,
        judged: JudgedSample | None = None,
    ) -> None:
        self.sample, self.request, self.tables = sample, request, sample.tables()
        self.slices, self.judged = slices, judged
        self.n = sample.n if judged is None else judged.sample.n
        if not np.any(getattr(sample, "absent", False)):  # pairs that share no item have no test
            refuse_empty(self.tables, "compare")
        self.kernels = bind_all(request.metrics, self.tables, **request.options.binding)
        refuse_wide(request.options.margin, self.kernels)
        self.rows = rows_of(sample)
        self.pairs = self._tested()

    def _tested(self) -> list[TestedMetric]:
        rows, kernels, request, judged = self.rows, self.kernels, self.request, self.judged
        systems, options, first = self.sample.systems, request.options, request.tests[0]
        values = [np.asarray(v, np.float64) for v in values_of(kernels, self.tables)]
        level, pairs = options.level, list(combinations(range(len(systems)), 2))
        chosen = [c for c, pair in enumerate(pairs) if request.baseline in (None, *pair)]
        pairs = [pairs[c][::-1] if pairs[c][0] == request.baseline else pairs[c] for c in chosen]
        covariances, alone = list[ScoreCovariance](), list[JudgedScore]()
        if judged is None:
            covariances += score_covariances(rows, kernels)
        else:
            values, covariances, alone = corrected_pairs(
                judged, kernels, values, pairs, level, options.binding
            )
        intervals = PairIntervals.from_scores(values, covariances, kernels, pairs, level)
        paired_scores, dfs = intervals.scores, intervals.dfs
        gaps, errors, each = intervals.value, intervals.se, iter(intervals)
        differ = [v.between().items for v in covariances]
        items = [[None] * len(pairs) if x is None else x[chosen].tolist() for x in differ]
        sizes = np.zeros(dfs.shape)
        if options.margin is not None and judged is None:
            sizes = np.array([v.item_sizes(rows)[chosen] for v in covariances]).T
        most = np.array([farthest(k) for k in kernels])
        by_delta, groups = by_error(gaps, errors, dfs), _distinct(gaps, errors)
        samples = self._resampled(self.slices * len(np.unique(groups)))
        least = 1 / (1 + len(samples[0])) if first == "bootstrap" else 0.0
        averages = np.array([len(v.estimates) > 1 for v in covariances])
        differences: list[TestedMetric] = []
        for row, (i, j) in enumerate(pairs):
            names = (systems[i], systems[j])
            p, joint, floor, tangos = self._swapped((i, j), self.slices * len(pairs))
            # permutations underestimate the p of averages for rarely predicted classes
            raised = averages & (by_delta[row] > joint)
            joint[raised] = by_delta[row][raised]
            larger = averages & (by_delta[row] > p.get("randomisation", np.inf))
            p["delta"] = by_delta[row]
            if samples:
                drawn = zip((x[:, i] - x[:, j] for x in samples), gaps[row], strict=True)
                p["bootstrap"] = np.array([sampled(draws - gap, gap) for draws, gap in drawn])
            for m, kernel in enumerate(kernels):
                exact = "mcnemar" in p and first != "mcnemar" and not np.isnan(p["mcnemar"][m])
                tests = (*request.tests, *["delta"] * bool(larger[m]), *["mcnemar"] * exact)
                common = items[m][row]
                own = {test: None if common == 0 else known(p[test][m]) for test in tests}
                interval = next(each)
                if judged is not None:
                    interval = replace(interval, method=Method("ppi"))
                if (ends := tangos[m]) is not None:
                    interval = replace(interval, low=ends[0], high=ends[1], method=Method("tango"))
                pair = Pair(
                    **vars(interval),
                    metric=kernel.name,
                    points=kernel.record.bounded,
                    better=kernel.record.better,
                    systems=names,
                    values=(float(paired_scores[m, row, 0]), float(paired_scores[m, row, 1])),
                    items=common,
                    p={test: x for test, x in own.items() if x is not None or test != "mcnemar"},
                    family="secondary" if m else "primary",
                    judged=alone[row * len(kernels) + m] if alone else None,
                )
                if options.margin is not None and pair.se is not None:
                    facts = (x.item() for x in (dfs[row, m], sizes[row, m], most[m]))
                    test = noninferiority(pair.value, pair.se, options.margin, level, *facts)
                    pair = replace(pair, margin=_named(test, pair))
                deciding = "mcnemar" if exact and first == "delta" else first
                tested = TestedMetric(pair, int(groups[row, m]), own[deciding], least)
                if first == "randomisation":
                    tested = TestedMetric(pair, names, known(joint[m]), float(floor[m]))
                differences.append(tested)
        return differences

    def _resampled(self, tests: int) -> list[Floats]:
        """Replicates of all metrics, if the bootstrap is chosen: enough for the correction."""
        request, rows = self.request, self.rows
        if "bootstrap" not in request.tests:
            return []
        count, seed = request.options.replicates, request.options.seed
        if request.tests[0] == "bootstrap":
            most = BUDGET // max(1, rows.weight.size * rows.tables)
            count = min(request.enough(tests), max(count, most))
        return bootstrap(rows, self.kernels, count=count, seed=seed)

    def _swapped(self, at: tuple[int, int], families: int) -> Exchanged:
        """Randomisation and McNemar's test of one pair, whatever the order of the systems.

        With them the p that decides, of the metrics after the first corrected over these, and the
        smallest possible, NaN where a metric has no test; and Tango's interval. Of the share right,
        McNemar's mid-p decides in place of the randomisation's: as good a test, and less discrete.
        """
        rows, request, p = self.rows, self.request, dict[str, Floats]()
        joint, floor = np.full(len(self.kernels), np.nan), np.zeros(len(self.kernels))
        tangos: list[tuple[float, float] | None] = [None] * len(self.kernels)
        graded = request.tests[0] == "delta" and rows.scores is not None
        if not graded and not {"randomisation", "mcnemar"} & set(request.tests):
            return p, joint, floor, tangos
        i, j = sorted(at, key=self.sample.systems.__getitem__)
        pair, kernels = pair_of(rows, i, j), [_of_two(k, [i, j]) for k in self.kernels]
        only = [discordant(pair, kernel) for kernel in kernels]
        p["mcnemar"] = np.array([mid_p(*x) if x else None for x in only], np.float64)
        if graded or request.tests[0] in ("randomisation", "mcnemar"):
            n = int(rows.weight.sum())
            if pair.scores is not None:
                n -= int(np.isnan(pair.scores.scores).any(axis=(0, 2)).sum())
            tangos = [tango(*x, n, request.options.level) if x and any(x) else None for x in only]
            if (i, j) != at:
                tangos = [ends and (-ends[1], -ends[0]) for ends in tangos]
        if "randomisation" in request.tests:
            permuted = Randomisation(pair, kernels, seed=request.options.seed)
            permuted.draw(request.options.replicates)
            tested = np.flatnonzero(permuted.tested)
            others = tested[tested > 0]
            correlations = np.eye(1)
            if len(others):
                correlations = correlation(pair, [kernels[m] for m in others])
            if len(tested) and permuted.rare and request.tests[0] == "randomisation":
                smallest = 1 / len(permuted.chance)
                tests = math.ceil(families * any_of(smallest, correlations) / smallest)
                affordable = request.options.replicates + BUDGET // (families * permuted.cost)
                permuted.draw(min(request.enough(tests), affordable))
            p["randomisation"] = np.array(permuted.p, np.float64)
            exact = ~np.isnan(p["mcnemar"])
            raw = np.where(exact, p["mcnemar"], p["randomisation"])
            lowest = [0.5 ** sum(x) if x else f for x, f in zip(only, permuted.floor, strict=True)]
            joint[tested], floor[tested] = raw[tested], np.array(lowest)[tested]
            joint[others] = step_down(raw[others], correlations)
            least = {x: any_of(x, correlations) for x in set(floor[others].tolist())}
            floor[others] = [least[x] for x in floor[others].tolist()]
        return p, joint, floor, tangos


def _named(test: NonInferiority, pair: Pair) -> NonInferiority:
    """The test with the names of the systems that are not worse."""
    if pair.better == "neither":
        return test
    first, second = pair.systems if pair.better == "higher" else pair.systems[::-1]
    return replace(test, not_worse=(*[first] * test.above, *[second] * test.below))


def _distinct(gaps: Floats, errors: Floats) -> Codes:
    """A code for each test, the same for metrics of one pair that agree to nine digits."""
    columns = [np.indices(gaps.shape)[0].reshape(-1)]
    columns += [np.array([float(f"{v:.9e}") for v in np.ravel(x)]) for x in (gaps, errors)]
    rows = np.nan_to_num(np.stack(columns, axis=-1), nan=-1.0, posinf=-2.0)
    return np.unique(rows, axis=0, return_inverse=True)[1].reshape(gaps.shape)


def _of_two(kernel: Kernel, at: list[int]) -> Kernel:
    """A metric for two of the systems, whose answers are exchanged.

    The classes seen are those that either system predicts.
    """
    mask = kernel.averaged
    if mask is None or mask.ndim < 2:
        return kernel
    both = mask[at]
    if kernel.record.classes == "seen":
        both = both | both[::-1]
    return replace(kernel, averaged=both)

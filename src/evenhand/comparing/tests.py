"""Paired tests of systems on every metric, corrected for their number."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from evenhand.catalogue.spelling import Spec
from evenhand.core.arrays import Array
from evenhand.core.kernel import Kernel
from evenhand.core.margins import Counts
from evenhand.core.registry import Better
from evenhand.data.sample import Sample, SoftSample
from evenhand.inference.bootstrap import bootstrap
from evenhand.inference.jackknife import item_sizes, varied_of
from evenhand.inference.multiplicity import any_of, by_error, over_families, sampled, step_down
from evenhand.inference.noninferiority import NonInferiority, RequiredItems, needed, noninferiority
from evenhand.inference.permutation import Randomisation, correlation, mcnemar, pair_of
from evenhand.inference.rows import Codes, Floats, Rows, rows_of
from evenhand.inference.wilson import farthest, is_informative, reaches
from evenhand.options import CompareOptions
from evenhand.records import Interval, Intervals, Method, by, known
from evenhand.results.result import Entry


@dataclass(frozen=True, eq=False, kw_only=True)
class Pair(Entry, Interval):
    """Two systems on one metric: first minus second, its interval and its tests.

    ``p_adjusted`` is the first test's p after the correction, ``p_least`` the smallest possible.
    ``points``: the difference is reported in hundredths of the metric's range.

    >>> import evenhand as eh
    >>> comparison = eh.compare(list("aabb"), list("aabb"), list("abbb"), metrics="accuracy")
    >>> comparison["accuracy"].values
    (1.0, 0.75)
    """

    json_fields = """systems metric values difference effect se low high p p_adjusted p_least margin
    needed"""

    systems: tuple[str, str]
    metric: str
    values: tuple[float, float]
    points: bool
    better: Better
    p: dict[str, float | None]
    p_adjusted: float | None = None
    p_least: float | None = None
    margin: NonInferiority | None = None
    needed: RequiredItems | None = None

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
    """A pair before the correction over ``family``: its ``p`` and the smallest p it could have."""

    pair: Pair
    family: Hashable
    p: float | None
    least: float = 0.0


def corrected(tested: Sequence[TestedMetric], level: float) -> tuple[Pair, ...]:
    """The pairs, corrected together.

    The smallest p that a pair could have had is corrected over the families that are not all told
    apart: those it would still face.
    """
    with_p = [(i, t) for i, t in enumerate(tested) if t.p is not None]
    codes = {f: i for i, f in enumerate(dict.fromkeys(t.family for _, t in with_p))}
    raw = np.array([t.p for _, t in with_p], np.float64)
    adjusted = over_families(raw, [codes[t.family] for _, t in with_p]).tolist()
    fixed = list(zip(with_p, adjusted, strict=True))
    undecided = {t.family for (_, t), p in fixed if p >= 1 - level}
    pairs = [t.pair for t in tested]
    for (i, t), p in fixed:
        least = min(1.0, max(1, len(undecided)) * t.least)
        pairs[i] = replace(t.pair, p_adjusted=p, p_least=least)
    return tuple(pairs)


"""The first is the default."""

BUDGET = 1 << 35
"""Numbers that draws beyond ``replicates`` may take in one comparison."""


@dataclass(frozen=True)
class CompareRequest:
    """The options of a comparison; the first of ``tests`` is corrected."""

    metrics: list[Spec | Callable[[Counts], Array]]
    options: CompareOptions
    baseline: int | None = None

    @property
    def tests(self) -> tuple[str, ...]:
        """The names of the tests."""
        return tuple(self.options.tests)

    @property
    def corrected(self) -> str:
        """The test whose p values are corrected."""
        return self.tests[0]

    def enough(self, tests: int) -> int:
        """Draws with which so many tests can be significant after the correction."""
        return max(self.options.replicates, math.ceil(2 * tests / (1 - self.options.level)))


def tested_pairs(
    sample: Sample | SoftSample,
    kernels: list[Kernel],
    values: list[Floats],
    request: CompareRequest,
    slices: int = 1,
) -> list[TestedMetric]:
    """Every pair of systems on every metric before the correction, in one of so many slices."""
    rows, systems, level = rows_of(sample), sample.systems, request.options.level
    pairs = list(combinations(range(len(systems)), 2))
    chosen = [c for c, pair in enumerate(pairs) if request.baseline in (None, *pair)]
    pairs = [pairs[c][::-1] if pairs[c][0] == request.baseline else pairs[c] for c in chosen]
    covariances = list(varied_of(rows, kernels, rows.views(kernels)))
    gaps = np.array([[v[i] - v[j] for v in values] for i, j in pairs])
    errors = np.sqrt([v.between()[chosen] for v in covariances]).T
    freedoms = np.array([v.between_freedom()[chosen] for v in covariances]).T
    sizes = np.zeros(freedoms.shape)
    if request.options.margin is not None:
        sizes = np.array([item_sizes(rows, v)[chosen] for v in covariances]).T
    most = np.array([farthest(k) for k in kernels])
    half = np.where(is_informative(errors, gaps), reaches(level, freedoms) * errors, np.nan)
    low, high = np.maximum(gaps - half, -most), np.minimum(gaps + half, most)
    intervals = iter(Intervals(gaps, errors, low, high, by(Method("delta"), gaps), level))
    by_delta = by_error(gaps, errors, freedoms)
    family = _distinct(gaps, errors)
    samples = _resampled(rows, kernels, request, slices * len(np.unique(family)))
    least = 1 / (1 + len(samples[0])) if request.corrected == "bootstrap" else 0.0
    differences: list[TestedMetric] = []
    for row, (i, j) in enumerate(pairs):
        names = (systems[i], systems[j])
        p, joint, floor = _swapped(rows, kernels, systems, (i, j), request, slices * len(pairs))
        for m, (kernel, value) in enumerate(zip(kernels, values, strict=True)):
            p_delta = p[m]["delta"] = known(by_delta[row, m])
            if samples:
                replicates, gap = samples[m], gaps[row, m]
                p[m]["bootstrap"] = sampled(replicates[:, i] - replicates[:, j] - gap, gap)
            if "randomisation" in p[m] and len(covariances[m].ways) > 1:
                p[m]["randomisation"] = _larger(p[m]["randomisation"], p_delta)
                joint[m] = _larger(joint[m], p_delta)
            pair = Pair(
                **vars(next(intervals)),
                metric=kernel.name,
                points=kernel.bounded,
                better=kernel.better,
                systems=names,
                values=(float(value[i]), float(value[j])),
                p={test: p[m][test] for test in request.tests if test in p[m]},
            )
            freedom, size, bound = (x.item() for x in (freedoms[row, m], sizes[row, m], most[m]))
            margin = _within(pair, request, freedom, size, bound)
            pair = replace(pair, margin=margin, needed=_needed(pair, sample.n, request, freedom))
            tested = TestedMetric(pair, names, joint[m], floor[m])
            if request.corrected != "randomisation":
                p_first = p[m][request.corrected]
                tested = TestedMetric(pair, int(family[row, m]), p_first, least)
            differences.append(tested)
    return differences


def _larger(p: float | None, other: float | None) -> float | None:
    """The larger p of an average: permutations underestimate it for rarely predicted classes."""
    return p if p is None or other is None else max(p, other)


def _resampled(
    rows: Rows, kernels: list[Kernel], request: CompareRequest, tests: int
) -> list[Floats]:
    """Bootstrap replicates of all metrics, if that test is chosen: enough for the correction."""
    if "bootstrap" not in request.tests:
        return []
    count, seed = request.options.replicates, request.options.seed
    if request.corrected == "bootstrap":
        most = BUDGET // max(1, rows.weight.size * rows.design.systems)
        count = min(request.enough(tests), max(count, most))
    return bootstrap(rows, kernels, count=count, seed=seed)


def _distinct(gaps: Floats, errors: Floats) -> Codes:
    """A code for each test, the same for metrics of one pair that agree to nine digits."""
    columns = [np.indices(gaps.shape)[0].reshape(-1)]
    columns += [np.array([float(f"{v:.9e}") for v in np.ravel(x)]) for x in (gaps, errors)]
    rows = np.nan_to_num(np.stack(columns, axis=-1), nan=-1.0, posinf=-2.0)
    return np.unique(rows, axis=0, return_inverse=True)[1].reshape(gaps.shape)


def _within(
    pair: Pair, request: CompareRequest, freedom: float, size: float, most: float
) -> NonInferiority | None:
    """The test against the margin, if there is one and the difference has an error."""
    margin, level = request.options.margin, request.options.level
    if margin is None or pair.se is None:
        return None
    test = noninferiority(pair.value, pair.se, margin, level, freedom, size, most)
    if pair.better == "neither":
        return test
    first, second = pair.systems if pair.better == "higher" else pair.systems[::-1]
    return replace(test, not_worse=(*[first] * test.above, *[second] * test.below))


def _needed(pair: Pair, n: int, request: CompareRequest, freedom: float) -> RequiredItems | None:
    """The items needed, if a power is requested and the difference has an error."""
    level, power = request.options.level, request.options.power
    if power is None or pair.se is None:
        return None
    return needed(pair.value, pair.se, n, power=power, level=level, freedom=freedom)


def _swapped(
    rows: Rows,
    kernels: list[Kernel],
    systems: tuple[str, ...],
    at: tuple[int, int],
    request: CompareRequest,
    families: int,
) -> tuple[list[dict[str, float | None]], list[float | None], list[float]]:
    """Randomisation and McNemar's test of one pair, whatever the order of the systems.

    With them the randomisation's p after the correction over metrics, and the smallest possible.
    """
    p_values: list[dict[str, float | None]] = [{} for _ in kernels]
    joint: list[float | None] = [None] * len(kernels)
    floor = [0.0] * len(kernels)
    if not {"randomisation", "mcnemar"} & set(request.tests):
        return p_values, joint, floor
    i, j = sorted(at, key=systems.__getitem__)
    pair, count = pair_of(rows, i, j), request.options.replicates
    kernels = [_of_two(k, [i, j]) for k in kernels]
    if "randomisation" in request.tests:
        permuted = Randomisation(pair, kernels, seed=request.options.seed)
        permuted.draw(count)
        tested = np.flatnonzero(permuted.tested)
        correlations = correlation(pair, [kernels[m] for m in tested])
        if len(tested) and permuted.rare and request.corrected == "randomisation":
            smallest = 1 / len(permuted.chance)
            tests = math.ceil(families * any_of(smallest, correlations) / smallest)
            affordable = count + BUDGET // (families * permuted.cost)
            permuted.draw(min(request.enough(tests), affordable))
        for p, p_randomisation in zip(p_values, permuted.p, strict=True):
            p["randomisation"] = p_randomisation
        raw, low = np.array(permuted.p, np.float64)[tested], permuted.floor[tested].tolist()
        least = {p: any_of(p, correlations) for p in set(low)}
        stepped = step_down(raw, correlations).tolist()
        for m, p_stepped, x in zip(tested.tolist(), stepped, low, strict=True):
            joint[m], floor[m] = p_stepped, least[x]
    if "mcnemar" in request.tests:
        for p, kernel in zip(p_values, kernels, strict=True):
            p_exact = mcnemar(pair, kernel)
            if p_exact is not None:
                p["mcnemar"] = p_exact
    return p_values, joint, floor


def _of_two(kernel: Kernel, at: list[int]) -> Kernel:
    """A metric for two of the systems, whose answers are exchanged.

    The classes seen are those that either system predicts.
    """
    mask = kernel.averaged
    if mask is None or mask.ndim < 2:
        return kernel
    both = mask[at]
    if kernel.record is not None and kernel.record.classes == "seen":
        both = both | both[::-1]
    return replace(kernel, averaged=both)

"""Tested: every pair of systems on every metric, how far apart they are and by which tests."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from evenhand.catalogue.spelling import Spec
from evenhand.comparing.correcting import Tested
from evenhand.comparing.pair import Pair
from evenhand.core.arrays import Array
from evenhand.core.counts import Counts
from evenhand.core.kernel import Kernel
from evenhand.errors import InputError, shown
from evenhand.infer.bootstrap import bootstrap
from evenhand.infer.design import Codes, Floats
from evenhand.infer.margin import Margin, beside
from evenhand.infer.mcnemar import mcnemar
from evenhand.infer.pairing import correlation, pair_of
from evenhand.infer.power import Needed, needed
from evenhand.infer.pvalue import any_of, by_error, sampled, step_down
from evenhand.infer.quantile import reaches
from evenhand.infer.randomisation import Randomisation
from evenhand.infer.rows import Rows
from evenhand.infer.settings import Settings
from evenhand.infer.transform import farthest
from evenhand.infer.varied import sizes_of, varied_of
from evenhand.infer.width import tells
from evenhand.notes.interval import Interval, Intervals, by, known
from evenhand.notes.method import Method
from evenhand.tables.confusion import Classes

TESTS = ("randomisation", "delta", "bootstrap", "mcnemar")
"""The first is the one that is done where none is named."""

BUDGET = 1 << 35
"""Numbers that draws beyond those asked for may take in one comparison."""


@dataclass(frozen=True)
class Asked:
    """What is to be compared and how, settled before any data are looked at.

    The first of ``tests`` is the one that is corrected.
    """

    metrics: list[Spec | Callable[[Counts], Array]]
    classes: Classes
    worth: float
    how: Settings
    tests: tuple[str, ...] = TESTS[:1]
    power: float | None = None
    margin: float | None = None
    baseline: int | None = None

    @property
    def corrected(self) -> str:
        """The test whose p values are corrected."""
        return self.tests[0]

    def enough(self, tests: int) -> int:
        """Draws with which so many tests can be told from chance after the correction."""
        return max(self.how.replicates, math.ceil(2 * tests / (1 - self.how.level)))


def checked_tests(tests: str | Iterable[str]) -> tuple[str, ...]:
    """The tests, ``all`` or by name, if there are such and every metric has the first."""
    named = (tests,) if isinstance(tests, str) else tuple(tests)
    chosen = TESTS if named == ("all",) else tuple(dict.fromkeys(named))
    unknown = [t for t in chosen if t not in TESTS]
    if unknown or not chosen:
        raise InputError(f"tests must be 'all' or among {shown(TESTS)}, got {shown(unknown)}")
    if chosen[0] == "mcnemar":
        raise InputError("the first of tests must be one that every metric has, got 'mcnemar'")
    return chosen


def tested_pairs(
    rows: Rows,
    systems: tuple[str, ...],
    n: int,
    kernels: list[Kernel],
    values: list[Floats],
    asked: Asked,
    slices: int = 1,
) -> list[Tested]:
    """Every pair on every metric, not corrected yet, as one of so many slices."""
    at = list(combinations(range(len(systems)), 2))
    chosen = [one for one, pair in enumerate(at) if asked.baseline in (None, *pair)]
    at = [_ordered(at[one], asked.baseline) for one in chosen]
    varied = list(varied_of(rows, kernels, rows.views(kernels)))
    gaps = np.array([[v[i] - v[j] for v in values] for i, j in at])
    errors = np.sqrt([v.between()[chosen] for v in varied]).T
    free = np.array([v.between_freedom()[chosen] for v in varied]).T
    sizes = np.zeros(free.shape)
    if asked.margin is not None:
        sizes = np.array([sizes_of(rows, v)[chosen] for v in varied]).T
    family = _distinct(gaps, errors)
    drawn = _resampled(rows, kernels, asked, slices * len(np.unique(family)))
    least = 1 / (1 + len(drawn[0])) if asked.corrected == "bootstrap" else 0.0
    said: list[dict[str, Any]] = [
        {"metric": k.name, "points": k.bounded, "better": k.better} for k in kernels
    ]
    most = np.array([farthest(k) for k in kernels])
    found: list[Tested] = []
    for one, (i, j) in enumerate(at):
        d, se, freedom, names = gaps[one], errors[one], free[one], (systems[i], systems[j])
        p, joint, floor = _swapped(rows, kernels, systems, (i, j), asked, slices * len(at))
        if drawn:
            for each, x, gap in zip(p, drawn, d, strict=True):
                each["bootstrap"] = sampled(x[:, i] - x[:, j] - gap, gap)
        chances = map(known, by_error(d, se, freedom).tolist())
        for m, (each, chance) in enumerate(zip(p, chances, strict=True)):
            if "delta" in asked.tests:
                each["delta"] = chance
            if "randomisation" in each and len(varied[m].ways) > 1:
                each["randomisation"] = _larger(each["randomisation"], chance)
                joint[m] = _larger(joint[m], chance)
        sure = _sure(d, se, freedom, most, asked.how)
        for m, value in enumerate(values):
            tests = {test: p[m][test] for test in asked.tests if test in p[m]}
            own = (float(value[i]), float(value[j]))
            pair = Pair(**vars(sure[m]), **said[m], systems=names, values=own, p=tests)
            free_of, size, far = (x.item() for x in (freedom[m], sizes[one, m], most[m]))
            within = _within(pair, asked, free_of, size, far)
            pair = replace(pair, margin=within, needed=_needed(pair, n, asked, free_of))
            if asked.corrected == "randomisation":
                found.append(Tested(pair, names, joint[m], floor[m]))
            else:
                found.append(Tested(pair, int(family[one, m]), p[m][asked.corrected], least))
    return found


def _ordered(pair: tuple[int, int], baseline: int | None) -> tuple[int, int]:
    """A pair with the baseline behind, if it is of it."""
    return pair if pair[0] != baseline else pair[::-1]


def _larger(p: float | None, steady: float | None) -> float | None:
    """The p of an average by swaps, unless the error that holds for small classes says more.

    Swaps make too much of a class that is seldom predicted, and always rightly.
    """
    return p if p is None or steady is None else max(p, steady)


def _resampled(rows: Rows, kernels: list[Kernel], asked: Asked, tests: int) -> list[Floats]:
    """The metrics of all systems on replicates, where these are asked for: enough to correct."""
    if "bootstrap" not in asked.tests:
        return []
    count, seed = asked.how.replicates, asked.how.seed
    if asked.corrected == "bootstrap":
        most = BUDGET // max(1, rows.weight.size * rows.design.systems)
        count = min(asked.enough(tests), max(count, most))
    return bootstrap(rows, kernels, count=count, seed=seed)


def _sure(
    gaps: Floats, errors: Floats, freedom: Floats, most: Floats, how: Settings
) -> list[Interval]:
    """Differences with their intervals by paired standard errors, where these have a width.

    No end lies beyond what two scores can differ by at most.
    """
    half = np.where(tells(errors, gaps), reaches(how.level, freedom) * errors, np.nan)
    method = by(Method("delta"), gaps)
    low, high = np.maximum(gaps - half, -most), np.minimum(gaps + half, most)
    return list(Intervals(gaps, errors, low, high, method, how.level))


def _distinct(gaps: Floats, errors: Floats) -> Codes:
    """A number for each test, the same for metrics of one pair that come to the same."""
    pair = np.indices(gaps.shape)[0]
    both = np.stack([pair, *(_rounded(x) for x in (gaps, errors))], axis=-1)
    flat = np.nan_to_num(both.reshape(-1, 3), nan=-1.0, posinf=-2.0)
    return np.unique(flat, axis=0, return_inverse=True)[1].reshape(gaps.shape)


def _rounded(x: Floats) -> Floats:
    """Numbers to nine digits."""
    return np.array([float(f"{v:.9e}") for v in x.reshape(-1).tolist()]).reshape(x.shape)


def _within(pair: Pair, asked: Asked, freedom: float, size: float, most: float) -> Margin | None:
    """The difference beside the margin, where one is asked for and it has an error."""
    if asked.margin is None or pair.se is None:
        return None
    found = beside(pair.value, pair.se, asked.margin, asked.how.level, freedom, size, most)
    if pair.better == "neither":
        return found
    first, second = pair.systems if pair.better == "higher" else pair.systems[::-1]
    return replace(found, not_worse=(*[first] * found.above, *[second] * found.below))


def _needed(pair: Pair, n: int, asked: Asked, freedom: float) -> Needed | None:
    """The items needed, where they are asked for and the difference has an error."""
    if asked.power is None or pair.se is None:
        return None
    level, power = asked.how.level, asked.power
    return needed(pair.value, pair.se, n, power=power, level=level, freedom=freedom)


def _swapped(
    rows: Rows,
    kernels: list[Kernel],
    systems: tuple[str, ...],
    at: tuple[int, int],
    asked: Asked,
    families: int,
) -> tuple[list[dict[str, float | None]], list[float | None], list[float]]:
    """Tests that look at one pair alone, in the order of the names whatever that of the files.

    Behind them the randomisation's p after the correction over the metrics, and its least.
    """
    found: list[dict[str, float | None]] = [{} for _ in kernels]
    joint: list[float | None] = [None] * len(kernels)
    floor = [0.0] * len(kernels)
    if not {"randomisation", "mcnemar"} & set(asked.tests):
        return found, joint, floor
    i, j = sorted(at, key=systems.__getitem__)
    pair = pair_of(rows, i, j)
    two = [_of_two(k, [i, j]) for k in kernels]
    if "randomisation" in asked.tests:
        swaps = Randomisation(pair, two, seed=asked.how.seed)
        swaps.draw(asked.how.replicates)
        tested = np.flatnonzero(swaps.tested)
        alike = correlation(pair, [two[m] for m in tested])
        if len(tested) and swaps.rare and asked.corrected == "randomisation":
            seldom = 1 / len(swaps.chance)
            several = math.ceil(families * any_of(seldom, alike) / seldom)
            affordable = asked.how.replicates + BUDGET // (families * swaps.cost)
            swaps.draw(min(asked.enough(several), affordable))
        for f, p in zip(found, swaps.p, strict=True):
            f["randomisation"] = p
        raw, low = np.array(swaps.p, np.float64)[tested], swaps.floor[tested]
        least = {p: any_of(p, alike) for p in set(low.tolist())}
        stepped = step_down(raw, alike).tolist()
        for m, p, x in zip(tested.tolist(), stepped, low.tolist(), strict=True):
            joint[m], floor[m] = p, least[x]
    if "mcnemar" in asked.tests:
        for f, k in zip(found, two, strict=True):
            p_exact = mcnemar(pair, k)
            if p_exact is not None:
                f["mcnemar"] = p_exact
    return found, joint, floor


def _of_two(kernel: Kernel, at: list[int]) -> Kernel:
    """A metric for two of the systems, which may swap their answers.

    Over the classes seen, that are those which either has seen: a stray answer is an error
    wherever it is swapped to.
    """
    mask = kernel.averaged
    if mask is None or mask.ndim < 2:
        return kernel
    both = mask[at]
    if kernel.record is not None and kernel.record.classes == "seen":
        both = both | both[::-1]
    return replace(kernel, averaged=both)

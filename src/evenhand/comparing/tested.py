"""Tested: every pair of systems on every metric, how far apart they are and by which tests."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from evenhand.catalogue.spelling import Spec
from evenhand.core.arrays import Array
from evenhand.core.counts import Counts
from evenhand.core.kernel import Kernel
from evenhand.errors import InputError, shown
from evenhand.infer.bootstrap import bootstrap
from evenhand.infer.design import Floats
from evenhand.infer.interval import Settings
from evenhand.infer.mcnemar import mcnemar
from evenhand.infer.power import needed
from evenhand.infer.pvalue import holm, sampled, two_sided
from evenhand.infer.quantile import reaches
from evenhand.infer.randomisation import pair_of, randomisation
from evenhand.infer.rows import Rows
from evenhand.infer.varied import varied_of
from evenhand.infer.width import tells
from evenhand.notes.interval import Interval, Intervals, by
from evenhand.notes.method import Method
from evenhand.tables.confusion import Classes

TESTS = ("delta", "bootstrap", "randomisation", "mcnemar")


@dataclass(frozen=True, eq=False, kw_only=True)
class Pair(Interval):
    """Two systems on one metric: first minus second, how sure, and by which tests.

    ``points`` says that the difference is spoken of in hundredths of the metric's range.

    >>> import evenhand as eh
    >>> found = eh.compare(list("aabb"), list("aabb"), list("abbb"), metrics="accuracy")
    >>> found["accuracy"].values
    (1.0, 0.75)
    """

    told = ("systems", "metric", "values", "difference", "effect", "se", "low", "high", "p",
            "p_adjusted", "needed")  # fmt: skip

    systems: tuple[str, str]
    metric: str
    values: tuple[float, float]
    points: bool
    p: dict[str, float | None]
    p_adjusted: float | None = None
    needed: int | None = None

    @property
    def difference(self) -> float:
        """The first system's value less the second's."""
        return self.value

    @property
    def effect(self) -> float:
        """The difference in points, where the metric has a bounded range."""
        return 100 * self.difference if self.points else self.difference


@dataclass(frozen=True)
class Asked:
    """What is to be compared and how, settled before any data are looked at."""

    metrics: list[Spec | Callable[[Counts], Array]]
    classes: Classes
    worth: float
    how: Settings
    tests: tuple[str, ...] = TESTS
    adjust: str = "randomisation"
    power: float | None = None


def tested_pairs(
    rows: Rows,
    systems: tuple[str, ...],
    n: int,
    kernels: list[Kernel],
    values: list[Floats],
    asked: Asked,
) -> tuple[list[Pair], list[Floats]]:
    """Every pair on every metric, not corrected yet; and the replicates (draws × systems)."""
    how, chosen = asked.how, asked.tests
    views = rows.views(kernels)
    varied = [varied_of(rows, k, views) for k in kernels]
    spread = np.sqrt([v.between() for v in varied])
    free = np.array([v.between_freedom() for v in varied])
    drawn: list[Floats] = []
    if "bootstrap" in chosen:
        drawn = bootstrap(rows, kernels, count=how.replicates, seed=how.seed)
    pairs: list[Pair] = []
    for at, (i, j) in enumerate(combinations(range(len(systems)), 2)):
        gaps = np.array([v[i] - v[j] for v in values])
        errors, freedom = spread[:, at], free[:, at]
        known = tells(errors, gaps)
        p = _swaps(rows, kernels, systems, (i, j), chosen, how)
        if drawn:
            for found, d, gap in zip(p, drawn, gaps, strict=True):
                found["bootstrap"] = sampled(d[:, i] - d[:, j] - gap, gap)
        if "delta" in chosen:
            for found, chance in zip(p, _by_delta(gaps, errors, freedom, known), strict=True):
                found["delta"] = chance
        needs = [_needed(*row, n, asked) for row in zip(gaps, errors, known, strict=True)]
        sure = _sure(gaps, errors, freedom, known, how)
        for kernel, one, value, tested, size in zip(kernels, sure, values, p, needs, strict=True):
            pairs.append(
                Pair(
                    **vars(one),
                    systems=(systems[i], systems[j]),
                    metric=kernel.name,
                    values=(float(value[i]), float(value[j])),
                    points=kernel.record is not None and kernel.record.bounded,
                    p={test: tested[test] for test in TESTS if test in tested},
                    needed=size,
                )
            )
    return pairs, drawn


def checked_tests(tests: Iterable[str], adjust: str) -> tuple[str, ...]:
    """The tests, if there are such, and the one that is to be corrected is among them."""
    chosen = tuple(tests)
    unknown = [t for t in chosen if t not in TESTS]
    if unknown or not chosen:
        raise InputError(f"tests must be among {shown(TESTS)}, got {shown(unknown) or 'none'}")
    if adjust not in chosen or adjust == "mcnemar":
        raise InputError(f"adjust must be a test that every metric has, got {adjust!r}")
    return chosen


def _swaps(
    rows: Rows,
    kernels: list[Kernel],
    systems: tuple[str, ...],
    at: tuple[int, int],
    chosen: tuple[str, ...],
    how: Settings,
) -> list[dict[str, float | None]]:
    """Tests that look at one pair alone, in the order of the names whatever that of the files."""
    if not {"randomisation", "mcnemar"} & set(chosen):
        return [{} for _ in kernels]
    i, j = sorted(at, key=systems.__getitem__)
    pair = pair_of(rows, i, j)
    two = [_of_two(k, [i, j]) for k in kernels]
    found: list[dict[str, float | None]] = [{} for _ in kernels]
    if "randomisation" in chosen:
        by_swaps = randomisation(pair, two, count=how.replicates, seed=how.seed)
        for f, p in zip(found, by_swaps, strict=True):
            f["randomisation"] = p
    if "mcnemar" in chosen:
        for f, k in zip(found, two, strict=True):
            p_exact = mcnemar(pair, k)
            if p_exact is not None:
                f["mcnemar"] = p_exact
    return found


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


def _by_delta(gaps: Floats, errors: Floats, freedom: Floats, known: Floats) -> list[float | None]:
    """p values by the paired delta method; equal scores are no difference, whatever their error."""
    chance = iter(two_sided(gaps[known] / errors[known], freedom[known]).tolist())
    return [
        next(chance) if sure else None if gap else 1.0
        for gap, sure in zip(gaps.tolist(), known.tolist(), strict=True)
    ]


def _sure(
    gaps: Floats, errors: Floats, freedom: Floats, known: Floats, how: Settings
) -> list[Interval]:
    """Differences with their intervals by the paired delta method, where these have a width."""
    half = np.where(known, reaches(how.level, freedom) * errors, np.nan)
    method = by(Method("delta"), gaps)
    return list(Intervals(gaps, errors, gaps - half, gaps + half, method, how.level))


def _needed(gap: float, se: float, known: bool, n: int, asked: Asked) -> int | None:
    if asked.power is None or not known:
        return None
    return needed(float(gap), float(se), n, power=asked.power, level=asked.how.level)


def adjusted(pairs: list[Pair], adjust: str) -> tuple[Pair, ...]:
    """The pairs with the p values of one test corrected by Holm over all of them."""
    raw = [p.p[adjust] for p in pairs]
    known = [i for i, p in enumerate(raw) if p is not None and not np.isnan(p)]
    fixed = dict(zip(known, holm([float(raw[i] or 0.0) for i in known]), strict=True))
    return tuple(replace(p, p_adjusted=fixed.get(i)) for i, p in enumerate(pairs))

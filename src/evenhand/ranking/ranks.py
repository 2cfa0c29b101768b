"""Ranks and how sure they are: probabilities, Friedman's test, letters, flips."""

from __future__ import annotations

import math
import re
import string
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from evenhand.core.kernel import Kernel
from evenhand.inference.bootstrap import replicates
from evenhand.inference.permutation import SystemPairs
from evenhand.inference.rows import Floats, Rows
from evenhand.ranking.runs import Runs
from evenhand.records import Record

Ranks: TypeAlias = NDArray[np.int64]

FEWEST = 5
"""Systems below which too little is known of the curve that they come from."""

TAILS = np.array([0.41, 0.63, 0.84, 1.1, 1.46, 2.03, 3.15, 7.26])
"""Variances of eight normal curves that together are Student's t with 3 degrees of freedom."""

MIDDLES, SPREADS = 15, 16
"""Quantiles of the scores that may be the curve's middle, and widths that it may have."""


def empirical_bayes(value: Floats, drawn: Floats) -> Floats:
    """Draws of the true scores, up to what is common to all, from replicates (B × systems).

    m_i + √(V_i/v_i)·c_i, with m_i and V_i the mean and variance of θ_i given all scores, v_i the
    variance of a score's own error, and c_i a replicate's deviation from the system's mean and
    the replicate's. Systems that always score alike are drawn alike; few are left as they are.

    >>> value = np.array([0.60, 0.61, 0.62, 0.63, 0.64, 0.80])
    >>> drawn = np.random.default_rng(0).normal(value, 0.02, (5000, 6))
    >>> empirical_bayes(value, drawn).mean(axis=0).round(3).tolist()
    [0.604, 0.612, 0.621, 0.629, 0.637, 0.791]
    """
    known = ~np.isnan(value) & ~np.isnan(drawn).all(axis=0)
    if known.sum() < FEWEST:
        return drawn
    drawn = drawn[~np.isnan(drawn[:, known]).all(axis=1)]  # where anyone has a score
    c = drawn[:, known] - np.nanmean(drawn[:, known], axis=0)
    c -= np.nanmean(c, axis=1, keepdims=True)
    error = own_variance(np.nanvar(c, axis=0))
    if not error.any():
        return drawn
    mean, left = moments(value[known], error)
    draws = np.full(drawn.shape, np.nan)
    draws[:, known] = mean + np.sqrt(left / error) * c
    return draws


def own_variance(variance: Floats) -> Floats:
    """Variances of the systems' own errors from those of their deviations from the common mean.

    Own errors v add up in every pair, v_i + v_j = Var(c_i − c_j) as nearly as can be; a system
    that moves with the others as if it had none is given a hundredth of the mean.

    >>> own_variance(np.full(5, 0.8)).round(6).tolist()  # one of variance 1 less the mean of five
    [1.0, 1.0, 1.0, 1.0, 1.0]
    """
    s = len(variance)
    own = (s * variance - variance.sum() / (s - 1)) / (s - 2)
    return np.asarray(np.maximum(own, variance.mean() / 100))


def moments(value: Floats, error: Floats) -> tuple[Floats, Floats]:
    """Mean and variance of every true score, given all scores and the variances of their errors.

    Averaged over a grid of middles, spreads and tails of the curve, every middle and spread as
    likely as any other before the scores are seen.
    """
    noise = float(np.sqrt(error.mean()))
    middle = np.quantile(value, (np.arange(MIDDLES) + 0.5) / MIDDLES)[:, None, None, None]
    spread = np.geomspace(noise / 20, 2 * max(noise, float(np.ptp(value))), SPREADS)
    own = spread[:, None, None] ** 2 * TAILS[:, None]
    total = own + error  # spreads × tails × systems, and middles before them
    fit = -((value - middle) ** 2 / total + np.log(total)) / 2
    top = fit.max(axis=2, keepdims=True)
    tail = np.exp(fit - top)
    chance = (np.log(tail.sum(axis=2)) + top[:, :, 0]).sum(axis=-1) + np.log(spread)
    weight = np.exp(chance - chance.max())
    tail *= (weight / weight.sum())[..., None, None] / tail.sum(axis=2, keepdims=True)
    reliability = own / total
    theta = middle + reliability * (value - middle)
    mean = (tail * theta).sum(axis=(0, 1, 2))
    return mean, (tail * (reliability * error + (theta - mean) ** 2)).sum(axis=(0, 1, 2))


# Ranks.

TIE = 1e-12
"""Two scores this close, for scores of size 1, are the same one computed in another order."""


def ranks(values: Floats, better: str = "higher") -> Ranks:
    """The rank of each value along the last axis: 1 is best, an undefined value is last.

    >>> ranks(np.array([0.7, 0.9, 0.7, 0.5])).tolist()
    [2, 1, 2, 4]
    """
    scores = np.asarray(values, np.float64) * (-1.0 if better == "lower" else 1.0)
    scores = np.where(np.isnan(scores), -np.inf, scores)
    order = np.argsort(-scores, axis=-1, kind="stable")
    ordered = np.take_along_axis(scores, order, axis=-1)
    size = np.maximum(1.0, np.abs(np.where(np.isfinite(ordered), ordered, 0.0)))
    with np.errstate(invalid="ignore"):  # two undefined values are equal
        apart = ordered[..., :-1] - ordered[..., 1:] > TIE * size[..., :-1]
    ranks = np.ones(order.shape, np.int64)
    first = np.where(apart, np.arange(2, order.shape[-1] + 1), 1)  # of those that are equal
    np.put_along_axis(ranks, order[..., 1:], np.maximum.accumulate(first, axis=-1), axis=-1)
    return ranks


def rank_shares(drawn: Floats, better: str = "higher") -> Floats:
    """Systems × ranks: how often each takes each, from draws of scores (B × systems).

    Equal systems share the ranks that they take together, so that every rank is taken once; a
    draw in which nobody has a score says nothing.

    >>> rank_shares(np.array([[0.9, 0.9, 0.5]])).tolist()
    [[0.5, 0.5, 0.0], [0.5, 0.5, 0.0], [0.0, 0.0, 1.0]]
    """
    drawn = drawn[~np.isnan(drawn).all(axis=1)]
    rank, (count, systems) = ranks(drawn, better) - 1, drawn.shape
    group = rank + systems * np.arange(count)[:, None]
    equal = np.bincount(group.reshape(-1), minlength=group.size)[group]
    cell = rank + systems * np.arange(systems)
    shares = np.zeros(systems**2)
    for size in np.unique(equal).tolist():
        first = cell[equal == size]
        for after in range(size):
            shares += np.bincount(first + after, minlength=systems**2) / size
    return np.asarray(shares.reshape(systems, systems) / max(count, 1))


def rank_ends(apart: NDArray[np.bool_], ranks: Ranks) -> tuple[Ranks, Ranks]:
    """The interval of every rank, from which systems are told apart (systems × systems).

    1 + the number told to be better … s − the number told to be worse. If all that is told is
    true, all intervals hold: where any error among all pairs is rare, so is any wrong interval.
    (Al Mohamad, Goeman & van Zwet 2022.)

    >>> apart = np.array([[0, 0, 1], [0, 0, 0], [1, 0, 0]], bool)
    >>> [x.tolist() for x in rank_ends(apart, np.array([1, 2, 3]))]
    [[1, 1, 2], [2, 3, 3]]
    """
    above = ranks[:, None] < ranks  # who is ahead of whom
    better, worse = (apart & above).sum(axis=0), (apart & above).sum(axis=1)
    return 1 + better, len(ranks) - worse


def average_ranks(values: Floats, better: str = "higher") -> Floats:
    """Ranks where equal scores share the mean of their places, as Spearman and Friedman ask.

    >>> average_ranks(np.array([0.7, 0.9, 0.7, 0.5])).tolist()
    [2.5, 1.0, 2.5, 4.0]
    """
    low = ranks(values, better)
    equal = (low[..., :, None] == low[..., None, :]).sum(axis=-1)
    return np.asarray(low + (equal - 1) / 2)


# The probability of each rank.

Progress = Callable[[int], None]


def rank_probabilities(
    rows: Rows,
    kernels: list[Kernel],
    runs: Runs,
    values: list[Floats],
    *,
    count: int,
    seed: int,
    progress: Progress | None = None,
) -> list[Floats]:
    """The probability of each system to truly have each rank, for every metric on the same draws.

    All systems' ``values`` are drawn around by :func:`empirical_bayes`, and in one more draw all
    are equal, so that no probability is 0 or 1. (Efron & Tibshirani 1993 for the replicates.)
    """
    rng = np.random.default_rng([seed, 1])
    draws: list[list[Floats]] = [[] for _ in kernels]
    for weights in replicates(rows, count, seed=seed):
        for parts, drawn in zip(draws, rows.values(kernels, weights), strict=True):
            parts.append(runs.drawn(drawn, rng) if runs.several else runs.mean(drawn))
        if progress is not None:
            progress(len(weights))
    probabilities = []
    for kernel, value, parts in zip(kernels, values, draws, strict=True):
        equal = np.where(np.isnan(value), np.nan, 0.0)
        drawn = np.vstack([empirical_bayes(value, np.concatenate(parts)), equal])
        parts.clear()
        probabilities.append(rank_shares(drawn, kernel.better))
    return probabilities


# Friedman's test and Nemenyi's critical difference.

SLICES, SYSTEMS = 5, 3
"""The fewest of each for which the test says anything worth hearing."""


@dataclass(frozen=True)
class Friedman(Record):
    """Do the slices rank the systems alike by more than chance?

    Mean ranks that differ by ``critical_difference`` are told apart by Nemenyi's test
    whatever the pair.
    """

    json_fields = "statistic p mean_ranks critical_difference slices"

    statistic: float
    p: float
    mean_ranks: dict[str, float]
    critical_difference: float
    slices: int


def friedman(
    values: Floats, systems: tuple[str, ...], better: str = "higher", level: float = 0.95
) -> Friedman | None:
    """The test on slices × systems scores; ``None`` where there are too few of either.

    χ² from the mean ranks, corrected for ties; p by Iman and Davenport's F, which is less timid.
    (Friedman 1937; Iman & Davenport 1980; Demšar 2006.)

    >>> result = friedman(np.array([[3, 2, 1.0]] * 6), ("a", "b", "c"))
    >>> result.statistic, result.mean_ranks
    (12.0, {'a': 1.0, 'b': 2.0, 'c': 3.0})
    """
    from scipy.special import fdtrc

    n, k = values.shape
    if n < SLICES or k < SYSTEMS or np.isnan(values).any():
        return None
    r = average_ranks(values, better)
    mean = r.mean(axis=0)
    spread = ((r - (k + 1) / 2) ** 2).sum()
    chi = 0.0
    if spread > 0:
        chi = float(n**2 * (k - 1) * ((mean - (k + 1) / 2) ** 2).sum() / spread)
    rest = n * (k - 1) - chi
    if rest <= 1e-9:  # all slices agree: the chance of that, under no difference
        p = float(math.factorial(k)) ** (1 - n)
    else:
        p = float(fdtrc(k - 1, (k - 1) * (n - 1), (n - 1) * chi / rest))
    names = dict(zip(systems, mean.tolist(), strict=True))
    return Friedman(chi, p, names, nemenyi(k, n, level), n)


def nemenyi(k: int, n: int, level: float = 0.95) -> float:
    """Critical difference of the mean ranks of k systems over n slices: q·√(k(k+1) / 12n).

    >>> round(nemenyi(4, 14, 0.95), 3)  # q/√2 = 2.569 in Demšar 2006, table 5
    1.254
    """
    return studentized_range(level, k) * math.sqrt(k * (k + 1) / (12 * n))


def studentized_range(level: float, k: int) -> float:
    """Quantile of the range of k standard normals: k∫φ(z)·(Φ(z) − Φ(z − q))^{k−1} dz = level."""
    from scipy.special import ndtr

    z = np.linspace(-8, 8, 2001)
    density = np.exp(-(z**2) / 2) / math.sqrt(2 * math.pi)

    def chance(q: float) -> float:
        return float(k * np.trapezoid(density * (ndtr(z) - ndtr(z - q)) ** (k - 1), z))

    low, high = 0.0, 20.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if chance(middle) < level else (low, middle)
    return high


# Compact letter display.

_LETTERS = string.ascii_lowercase + string.ascii_uppercase
_MARK = re.compile(r"\(\d+\)|.")


def letters(apart: NDArray[np.bool_]) -> list[str]:
    """A compact letter display of systems in their order; ``apart`` says who differs from whom.

    Each letter is a group of systems, no two of them told apart; every pair that is not told
    apart is in some group together. Groups are grown greedily from the best pair that has none
    yet: few letters, in polynomial time. (Piepho 2004; Gramm et al. 2007.)

    >>> letters(np.array([[0, 0, 1], [0, 0, 0], [1, 0, 0]], bool))
    ['a', 'ab', 'b']
    """
    n = len(apart)
    together = ~(apart | apart.T)
    np.fill_diagonal(together, False)
    near, bit = [_bits(row) for row in together], [1 << i for i in range(n)]
    open_ = [near[i] >> i << i for i in range(n)]  # partners after i without a letter
    groups: list[list[int]] = []
    for i in range(n):
        alone = not near[i]
        while open_[i] or alone:
            group, members, fits = bit[i], [i], near[i]
            best = open_[i]  # its best open partner, then whoever fits all before
            while fits:
                j = (best & -best).bit_length() - 1
                group |= bit[j]
                members.append(j)
                best = fits = fits & near[j]
            groups.append(sorted(members))
            rest = ~group
            for j in members:
                open_[j] &= rest
            if alone:
                break
    groups.sort()
    display = [""] * n
    for g, members in enumerate(groups):
        for j in members:
            display[j] += _LETTERS[g] if g < len(_LETTERS) else f"({g + 1})"
    return display


def group_letters(apart: NDArray[np.bool_], ranks: Ranks) -> list[str]:
    """The letters of each system, given out from the best rank down."""
    order = np.argsort(ranks, kind="stable")
    marks = letters(apart[np.ix_(order, order)])
    return [marks[j] for j in np.argsort(order)]


def _bits(row: NDArray[np.bool_]) -> int:
    """A row of yes and no as the bits of one number."""
    return int.from_bytes(np.packbits(row, bitorder="little").tobytes(), "little")


def share_letter(a: str, b: str) -> bool:
    """Whether two systems have a letter in common.

    >>> share_letter("ab", "bc"), share_letter("(53)", "(54)")
    (True, False)
    """
    return bool(set(_MARK.findall(a)) & set(_MARK.findall(b)))


# Pairs of systems that change places with the metric.


@dataclass(frozen=True)
class Flip(Record):
    """The first metric prefers the first system, the second metric the second.

    ``differences`` are first system minus second on each metric; ``significant`` says of each
    preference whether the paired test confirms it, ``None`` where there was none.
    """

    systems: tuple[str, str]
    metrics: tuple[str, str]
    differences: tuple[float, float]
    significant: tuple[bool | None, bool | None]

    @property
    def sure(self) -> bool:
        """Whether both preferences are confirmed."""
        return all(self.significant)

    def to_dict(self) -> dict[str, Any]:
        """As in JSON."""
        return dict(vars(self))  # of which there may be very many


def flips(
    systems: tuple[str, ...],
    metrics: list[str],
    ranks: Ranks,
    values: NDArray[Any],
    pairs: list[SystemPairs] | None,
    *,
    level: float,
) -> list[Flip]:
    """Where another metric turns the order of the first one round, in the order of the systems.

    ``ranks`` and ``values`` are metrics × systems, the chosen metric first. Metrics that make the
    same order of all systems count once, by one whose preference is confirmed where there is one.
    A pair that is equal by the first metric, but on which others disagree, is listed with the
    first two that do.
    """
    order = np.argsort(ranks[0], kind="stable")
    first, second = np.triu_indices(len(order), 1)
    ordered = ranks[:, order].astype(np.int32)
    ahead = np.stack([np.sign(r[second] - r[first]).astype(np.int8) for r in ordered])
    other, at = np.nonzero((ahead[0] > 0) & (ahead < 0))
    (equal,) = np.nonzero((ahead[0] == 0) & (ahead > 0).any(axis=0) & (ahead < 0).any(axis=0))
    one = np.concatenate([np.zeros_like(at), (ahead[:, equal] > 0).argmax(axis=0)])
    other = np.concatenate([other, (ahead[:, equal] < 0).argmax(axis=0)])
    at = np.concatenate([at, equal])
    apart = None if pairs is None else np.stack([p.apart(level) for p in pairs])
    a, b = order[first[at]], order[second[at]]
    unsure = np.zeros(len(at), bool) if apart is None else ~apart[other, a, b]
    _, kind = np.unique(ranks, axis=0, return_inverse=True)
    sort = np.lexsort((other, unsure, kind.reshape(-1)[other], at))
    keys = np.stack([at, kind.reshape(-1)[other]])[:, sort]
    new = np.ones(len(at), bool)
    new[1:] = (keys[:, 1:] != keys[:, :-1]).any(axis=0)
    first_of_kind = sort[new]
    first_of_kind = first_of_kind[
        np.lexsort((other[first_of_kind], one[first_of_kind], at[first_of_kind]))
    ]  # pairs in their systems' order
    one, other, at, a, b = (x[first_of_kind] for x in (one, other, at, a, b))
    sure: list[Any] = [(None, None)] * len(at)
    if apart is not None:
        sure = list(zip(apart[one, a, b].tolist(), apart[other, a, b].tolist(), strict=True))
    gaps = [(values[m, a] - values[m, b]).tolist() for m in (one, other)]
    names = [[systems[i] for i in x.tolist()] for x in (a, b)]
    chosen = [[metrics[m] for m in x.tolist()] for x in (one, other)]
    rows = zip(zip(*names, strict=True), zip(*chosen, strict=True), zip(*gaps, strict=True), sure,
               strict=True)  # fmt: skip
    return [Flip(*row) for row in rows]

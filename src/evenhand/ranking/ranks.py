"""Ranks and how sure they are: P(best), rank intervals, letters, flips."""

from __future__ import annotations

import math
import re
import string
from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from evenhand.inference.bootstrap import replicates
from evenhand.inference.rows import Floats, Rows
from evenhand.options import RankOptions
from evenhand.ranking.runs import MetricScores, Runs
from evenhand.records import Record

Ranks: TypeAlias = NDArray[np.int64]

MIDDLES, SPREADS = 9, 12
"""Quantiles of the scores that may be the curve's middle, and widths that it may have."""
CLOSE = 3
"""True scores that are close together have a spread of the smallest third of those that fit."""
REACH = 4 * np.sqrt(2)
"""Errors behind the leader beyond which a system cannot be the best nor shapes the curve."""
OUTLIERS, OUTLIER_REACH = 0.2, 4
"""The share of systems that may come from a wider curve, and its spread in errors."""


def true_scores(
    value: Floats, drawn: Floats, rng: Generator, *, close: bool = False, outliers: float = 0.0
) -> Floats:
    """Draws of the true scores, up to what is common to all, from replicates (B × systems).

    A score is a true score and an error, whose variance v is estimated from the replicates. True
    scores come from a normal curve, a share of ``outliers`` from a wider one; or, ``close``
    together, from a uniform one, whose edge draws the leaders nearer to each other. Its middle m
    and spread τ are drawn by how well they fit, every log τ as likely as any other beforehand. Then
    θ = m + ρ(x − m) + √(ρv)·z with ρ = τ²/(τ² + v); or z is held between the edges. Systems far
    behind the highest score are left as they are: they would make the curve wide, and the leaders
    sure. The z are the replicates' own deviations, so that systems that always score alike are
    drawn alike. (Morris 1983.)

    >>> value, rng = np.array([0.60, 0.61, 0.62, 0.63, 0.64, 0.70]), np.random.default_rng(0)
    >>> true_scores(value, rng.normal(value, 0.02, (5000, 6)), rng).mean(axis=0).round(2).tolist()
    [0.61, 0.62, 0.62, 0.63, 0.63, 0.67]
    """
    from scipy.special import ndtr, ndtri

    known = ~np.isnan(value) & ~np.isnan(drawn).all(axis=0)
    if known.sum() < 2 or np.isinf(value).any() or np.isinf(drawn).any():
        return drawn
    drawn = drawn[~np.isnan(drawn[:, known]).all(axis=1)]  # where anyone has a score
    x = value[known]
    c = drawn[:, known] - np.nanmean(drawn[:, known], axis=0)
    c -= np.nanmean(c, axis=1, keepdims=True)
    variance = own_variance(np.nanvar(c, axis=0))
    noise = float(np.sqrt(variance.mean()))
    draws = np.full(drawn.shape, np.nan)
    draws[:, known] = x + c
    near = x > x.max() - REACH * noise
    if near.sum() < 2:
        return draws
    x, c, variance = x[near], c[:, near], variance[near]
    error = np.sqrt(variance)
    middles = np.quantile(x, (np.arange(MIDDLES) + 0.5) / MIDDLES)
    spreads = np.geomspace(noise / 20, 2 * max(noise, float(np.ptp(x))), SPREADS)
    m, spread = middles[:, None, None], spreads[:, None]

    def shares_below(m: Floats, spread: Floats) -> tuple[Floats, Floats]:
        """How much of each error would lie below either edge of the uniform curve."""
        edge = np.sqrt(3) * spread
        return ndtr((m - edge - x) / error), ndtr((m + edge - x) / error)

    def log_densities(m: Floats, spread: Floats) -> Iterator[Floats]:
        """How likely each score is by the normal curve, and by the wider one."""
        wide = np.maximum(spread, OUTLIER_REACH * noise)
        for share, s in ((1 - outliers, spread), (outliers, wide)):
            total = s**2 + variance
            log_share = math.log(share) if share else -math.inf
            yield log_share - ((x - m) ** 2 / total + np.log(total)) / 2

    if close:
        low, high = shares_below(m, spread)
        fit = np.log(np.maximum(high - low, 1e-300) / spread).sum(axis=-1)
    else:
        fit = np.logaddexp(*log_densities(m, spread)).sum(axis=-1)
    weight = np.exp(fit - fit.max()).reshape(-1)
    at = rng.choice(fit.size, len(c) * (CLOSE if close else 1), p=weight / weight.sum())
    at = at[np.argsort(at % SPREADS, kind="stable")][: len(c)] if close else at
    m, spread, z = middles[at // SPREADS, None], spreads[at % SPREADS, None], c / error
    if close:
        low, high = shares_below(m, spread)
        theta = x + error * ndtri(np.clip(low + ndtr(z) * (high - low), 1e-15, 1 - 1e-15))
    else:
        usual, outlying = log_densities(m, spread)
        wide = rng.random(c.shape) < np.exp(outlying - np.logaddexp(usual, outlying))
        spread = np.where(wide, np.maximum(spread, OUTLIER_REACH * noise), spread)
        reliability = spread**2 / (spread**2 + variance)
        theta = m + reliability * (x - m) + np.sqrt(reliability) * error * z
    draws[:, np.flatnonzero(known)[near]] = theta
    return draws


def own_variance(variance: Floats) -> Floats:
    """Variances of the systems' own errors from those of their deviations from the common mean.

    Own errors v add up in every pair, v_i + v_j = Var(c_i − c_j) as nearly as can be; a system
    that moves with the others as if it had none is given a hundredth of the mean.

    >>> own_variance(np.full(5, 0.8)).round(6).tolist()  # one of variance 1 less the mean of five
    [1.0, 1.0, 1.0, 1.0, 1.0]
    """
    s = len(variance)
    if s < 3:
        return np.asarray(2 * variance)
    own = (s * variance - variance.sum() / (s - 1)) / (s - 2)
    return np.asarray(np.maximum(own, variance.mean() / 100))


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


def best_shares(drawn: Floats) -> Floats:
    """How often each system is the best of draws of scores (B × systems); equal ones share.

    A draw in which nobody has a score says nothing.

    >>> best_shares(np.array([[0.9, 0.9, 0.5], [0.7, 0.8, 0.1]])).tolist()
    [0.25, 0.75, 0.0]
    """
    drawn = drawn[~np.isnan(drawn).all(axis=1)]
    highest = np.nanmax(drawn, axis=1, keepdims=True)
    size = np.where(np.isinf(highest), 0.0, np.abs(highest))
    first = drawn >= highest - TIE * np.maximum(1.0, size)
    equal = first.sum(axis=1)  # whole numbers are added up, whose sum has no order
    shares = sum(first[equal == m].sum(axis=0) / m for m in np.unique(equal).tolist())
    return np.asarray(shares / max(len(first), 1)) + np.zeros(drawn.shape[1])


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
    """Ranks where equal scores share the mean of their places, as Spearman asks.

    >>> average_ranks(np.array([0.7, 0.9, 0.7, 0.5])).tolist()
    [2.5, 1.0, 2.5, 4.0]
    """
    low = ranks(values, better)
    equal = (low[..., :, None] == low[..., None, :]).sum(axis=-1)
    return np.asarray(low + (equal - 1) / 2)


# The probability of being the best.


def best_probabilities(
    rows: Rows, scores: Sequence[MetricScores], runs: Runs, options: RankOptions
) -> list[dict[str, Floats]]:
    """P(best) of each system and its ends, for every metric on the same draws.

    All systems' scores are drawn around by :func:`true_scores`. How far true scores are apart
    is not known beforehand, and P(best) depends on it: its ends are the least and the greatest of
    true scores close together, with outliers, and of scores taken as they are. One more draw has
    all equal, so that no probability is 0 or 1. (Efron & Tibshirani 1993 for the replicates.)
    Scores that a judge corrects are drawn from a normal distribution.
    """
    rng, kernels = np.random.default_rng([options.seed, 1]), [m.kernel for m in scores]
    draws: list[list[Floats]] = [[] for _ in scores]
    if any(m.covariance is not None for m in scores):
        for m, parts in zip(scores, draws, strict=True):
            joint = np.asarray(m.covariance)
            parts += [rng.multivariate_normal(m.value, joint, options.replicates, method="svd")]
    else:
        for weights in replicates(rows, options.replicates, seed=options.seed):
            for parts, m, drawn in zip(draws, scores, rows.values(kernels, weights), strict=True):
                parts += [runs.drawn(drawn, rng, m.spread, m.interaction)]
            if options.progress is not None:
                options.progress(len(weights))
    probabilities = []
    for m, parts in zip(scores, draws, strict=True):
        sign = -1.0 if m.kernel.record.better == "lower" else 1.0
        equal, value = np.where(np.isnan(m.value), np.nan, 0.0), sign * m.value
        drawn, own = sign * np.concatenate(parts), np.random.default_rng([options.seed, 2])
        parts.clear()
        designs = [true_scores(value, drawn, own), drawn]
        designs.append(true_scores(value, drawn, own, close=True))
        designs.append(true_scores(value, drawn, own, outliers=OUTLIERS))
        best = np.stack([best_shares(np.vstack([x, equal])) for x in designs])
        ends = {"best_low": best.min(axis=0), "best_high": best.max(axis=0)}
        probabilities.append({"best_probability": best[0], **ends})
    return probabilities


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
    unmarked = np.triu(together)  # pairs without a letter in common
    groups: list[list[int]] = []
    for i in range(n):
        while unmarked[i].any() or not together[i].any():
            members, fits, partners = [i], together[i], unmarked[i]
            while fits.any():  # its best unmarked partner, then whoever fits all before
                members.append(int(partners.argmax()))
                partners = fits = fits & together[members[-1]]
            groups.append(sorted(members))
            unmarked[np.ix_(members, members)] = False
            if len(members) == 1:
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


def share_letter(a: str, b: str) -> bool:
    """Whether two systems have a letter in common.

    >>> share_letter("ab", "bc"), share_letter("(53)", "(54)")
    (True, False)
    """
    return bool(set(_MARK.findall(a)) & set(_MARK.findall(b)))


# Pairs of systems that change places with the metric.


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
    systems: tuple[str, ...], metrics: list[str], ranks: Ranks, values: Floats, apart: Floats | None
) -> list[Flip]:
    """Where another metric turns the order of the first one round, in the order of the systems.

    ``ranks`` and ``values`` are metrics × systems, the chosen metric first. Metrics that make the
    same order of all systems count once, by one whose preference is confirmed where there is one.
    """
    order = np.argsort(ranks[0], kind="stable")
    a, b = (order[i] for i in np.triu_indices(len(order), 1))
    kinds = np.unique(ranks, axis=0, return_inverse=True)[1].reshape(-1)
    flipped = []
    for kind in range(kinds.max() + 1):
        same = np.flatnonzero(kinds == kind)
        at = np.flatnonzero((ranks[0, a] < ranks[0, b]) & (ranks[same[0], a] > ranks[same[0], b]))
        confirmed = np.zeros((1, len(at))) if apart is None else apart[same][:, a[at], b[at]]
        flipped.append(np.stack([at, same[confirmed.argmax(axis=0)]]))
    at, other = np.concatenate(flipped, axis=1)
    chosen = np.lexsort((other, at))
    a, b, other = a[at[chosen]], b[at[chosen]], other[chosen]
    sure: list[Any] = [(None, None)] * len(other)
    if apart is not None:
        sure = list(zip(*(apart[m, a, b].tolist() for m in (0, other)), strict=True))
    gaps = zip(*((values[m, a] - values[m, b]).tolist() for m in (0, other)), strict=True)
    rows = zip(a.tolist(), b.tolist(), other.tolist(), gaps, sure, strict=True)
    return [
        Flip((systems[i], systems[j]), (metrics[0], metrics[m]), *rest) for i, j, m, *rest in rows
    ]

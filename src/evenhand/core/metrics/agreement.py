"""Kappa and the multi-class Matthews correlation: agreement beyond chance.

Both are built from sums of products of the parts of the table that a class divides it into,
each added up on its own and taken as a share of the total, so that counts of 10^18, weights of
10^-200 and a class 10^19 times as heavy as the rest keep their digits. An outside prediction is
a category of its own that is never true.
"""

from __future__ import annotations

from dataclasses import dataclass

from evenhand.core.arrays import Array, namespace, real
from evenhand.core.counts import Counts
from evenhand.core.promises import KAPPA, MCC
from evenhand.core.ratio import ratio
from evenhand.core.registry import metric
from evenhand.core.rounding import within_one


@dataclass(frozen=True, eq=False)
class _Parts:
    """Shares of the table: each class true, predicted, not true, not predicted."""

    true: Array
    said: Array
    untrue: Array
    unsaid: Array
    covariance: Array


def _parts(c: Counts) -> _Parts:
    """The parts, and (c·s − p·b)/s² as the sum over classes of tp·tn − fp·fn.

    tn is the other classes' hits and the errors that do not touch the class: all others' misses
    without its alarms, or all others' alarms without its misses. The smaller of the two is
    taken off: hits times what that can cancel never exceed the smaller of Σ p·(s − p) and
    Σ b·(s − b), which the result is a share of.
    """
    misses, alarms = c.misses, c.alarms
    hits, missed, alarmed = c.others(c.correct), c.others(misses), c.others(alarms, c.outside)
    fewer = real(misses) < real(alarms)
    xp = namespace(misses, alarms)
    untouched = xp.where(fewer, alarmed - misses, missed - alarms)
    true, said, untrue, unsaid, rest = (
        c.share(x) for x in (c.prevalence, c.bias, hits + missed, hits + alarmed, hits + untouched)
    )
    each = c.share(c.correct) * rest - c.share(alarms) * c.share(misses)
    return _Parts(true, said, untrue, unsaid, c.whole.sum(each))


@metric(
    symbol="κ",
    formula="(c·s − p·b) / (s² − p·b)",
    low=-1.0,
    precision=1e-14,
    tasks=("single",),
    aliases=("cohen_kappa",),
    reference="Cohen 1960; Opitz 2022, eq. 24",
    properties=KAPPA,
    example=0.46153846153846156,
    default=True,
    title="Cohen's kappa",
    shown={"lead": 4, "score": 8, "ranks": 7, "guessing": 4, "mix": 7, "shift": 5},
)
def kappa(c: Counts) -> Array:
    """Cohen's kappa: accuracy beyond chance, as a share of what chance leaves to gain."""
    parts = _parts(c)
    chance = c.whole.sum(parts.true * parts.unsaid)
    return within_one(ratio(parts.covariance, chance, c.undefined))


@metric(
    symbol="MCC",
    formula="(c·s − p·b) / √((s² − p·p)·(s² − b·b))",
    low=-1.0,
    precision=1e-14,
    tasks=("single",),
    aliases=("matthews_correlation",),
    reference="Gorodkin 2004; Opitz 2022, eq. 23",
    properties=MCC,
    example=0.4642383454426297,
    default=True,
    title="MCC",
    shown={"lead": 5, "score": 9, "ranks": 8, "guessing": 5, "mix": 8, "shift": 6},
)
def mcc(c: Counts) -> Array:
    """Matthews correlation coefficient of any number of classes."""
    w, parts = c.whole, _parts(c)
    truth, guess = w.sum(parts.true * parts.untrue), w.sum(parts.said * parts.unsaid)
    guess = guess + c.outside_share * w.sum(parts.said)
    xp = namespace(truth)
    flat = (real(truth) == 0) | (real(guess) == 0)  # a root's slope is infinite there: keep away
    less = real(truth) < real(guess)
    low, high = xp.where(less, truth, guess), xp.where(less, guess, truth)
    skew = xp.sqrt(xp.where(flat, 1.0, ratio(low, high)))
    return xp.where(flat, c.undefined, within_one(ratio(parts.covariance, low) * skew))

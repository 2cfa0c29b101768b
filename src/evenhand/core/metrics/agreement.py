"""Kappa and the multi-class Matthews correlation: agreement beyond chance.

Both are built from products of differences of the margins, each formed before it can cancel
and taken as a share of the total, so that counts of 10^18 and weights of 10^-200 keep their
digits. An outside prediction is a category of its own that is never true.
"""

from __future__ import annotations

from evenhand.core.arrays import Array, floating, namespace, real
from evenhand.core.counts import Counts, column
from evenhand.core.properties import KAPPA, MCC
from evenhand.core.ratio import ratio
from evenhand.core.registry import metric


def _share(c: Counts, x: Array) -> Array:
    return ratio(x, column(floating(c.total)))


def _covariance(c: Counts) -> Array:
    """(c·s − p·b)/s² as the sum over classes of tp·tn − fp·fn."""
    misses, alarms = c.prevalence - c.correct, c.bias - c.correct
    rest = c.others(c.prevalence) - alarms
    return c.whole.sum(
        _share(c, c.correct) * _share(c, rest) - _share(c, alarms) * _share(c, misses)
    )


@metric(
    symbol="κ",
    formula="(c·s − p·b) / (s² − p·b)",
    low=-1.0,
    tasks=("single",),
    aliases=("cohen_kappa",),
    reference="Cohen 1960; Opitz 2022, eq. 24",
    properties=KAPPA,
    example=0.46153846153846156,
)
def kappa(c: Counts) -> Array:
    """Cohen's kappa: accuracy beyond chance, as a share of what chance leaves to gain."""
    unlike = c.whole.sum(_share(c, c.prevalence) * _share(c, c.others(c.bias, c.outside)))
    return ratio(_covariance(c), unlike, c.undefined)


@metric(
    symbol="MCC",
    formula="(c·s − p·b) / √((s² − p·p)·(s² − b·b))",
    low=-1.0,
    tasks=("single",),
    aliases=("matthews_correlation",),
    reference="Gorodkin 2004; Opitz 2022, eq. 23",
    properties=MCC,
    example=0.4642383454426297,
)
def mcc(c: Counts) -> Array:
    """Matthews correlation coefficient of any number of classes."""
    w = c.whole
    truth = w.sum(_share(c, c.prevalence) * _share(c, c.others(c.prevalence)))
    guess = w.sum(_share(c, c.bias) * _share(c, c.others(c.bias, c.outside)))
    lost = c.outside + 0 * c.total  # an array like the others, where it may be a bare 0
    guess = guess + ratio(lost, c.total) * ratio(c.total - lost, c.total)
    xp = namespace(truth)
    flat = (real(truth) == 0) | (real(guess) == 0)  # a root's slope is infinite there: keep away
    skew = xp.sqrt(xp.where(flat, 1.0, ratio(truth, guess)))
    return xp.where(flat, c.undefined, ratio(_covariance(c), truth) * skew)

"""Every metric in exact fractions, written from their formulas, not from the package.

``None`` is a value that the policy nan leaves out. Roots and powers have forty digits. Beside a
value stands its *size*: of a difference, how large what is subtracted was, since no arithmetic
on rounded margins can do better than that; elsewhere the value itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from functools import cached_property
from math import inf, isnan, lcm
from typing import TypeAlias

Value: TypeAlias = Fraction | None
Sized: TypeAlias = tuple[Value, Value]

DIGITS = Context(prec=40, Emax=10**9, Emin=-(10**9))


class Exact:
    """A table in integers: cells times one unit, which all metrics but the gain forget.

    ``rows`` has a row a true class: k cells and the outside one. ``averaged`` are the classes
    that an average runs over; micro averages run over all unless they are ``listed``.
    """

    def __init__(
        self,
        rows: Sequence[Sequence[float | Fraction]],
        averaged: Iterable[int],
        undefined: float,
        listed: bool = True,
    ) -> None:
        ratios = [[x.as_integer_ratio() for x in row] for row in rows]
        self.unit = lcm(*(d for row in ratios for _, d in row))
        m = [[n * (self.unit // d) for n, d in row] for row in ratios]
        k = range(len(m))
        self.correct = [m[i][i] for i in k]
        self.bias = [sum(m[t][i] for t in k) for i in k]
        self.prevalence = [sum(m[i]) for i in k]
        self.lost = sum(row[-1] for row in m)
        self.total = sum(self.prevalence)
        self.averaged = sorted(set(averaged))
        self.named = listed
        self.undefined = None if isnan(undefined) else Fraction(undefined)

    def ratio(self, a: int | Fraction, b: int | Fraction) -> Value:
        return Fraction(a) / b if b else self.undefined

    @cached_property
    def precision(self) -> list[Value]:
        return [self.ratio(c, b) for c, b in zip(self.correct, self.bias, strict=True)]

    @cached_property
    def recall(self) -> list[Value]:
        return [self.ratio(c, p) for c, p in zip(self.correct, self.prevalence, strict=True)]

    @cached_property
    def f1(self) -> list[Value]:
        return self.f(1.0)

    def f(self, beta: float) -> list[Value]:
        w = Fraction(beta) ** 2
        margins = zip(self.correct, self.bias, self.prevalence, strict=True)
        return [self.ratio((1 + w) * c, w * p + b) for c, b, p in margins]

    def mean(self, values: list[Value], weights: list[int] | None = None) -> Value:
        known = [(x, weights[i] if weights else 1) for i, x in self.listed(values)]
        return self.ratio(sum(x * w for x, w in known), sum(w for _, w in known))

    def listed(self, values: list[Value]) -> list[tuple[int, Fraction]]:
        return [(i, x) for i in self.averaged if (x := values[i]) is not None]

    def power_mean(self, values: list[Value], p: float) -> Value:
        """(1/k·Σxᵖ)^(1/p), its limits at p = 0 and p = ±∞."""
        known = [x for _, x in self.listed(values)]
        if p == 1 or not known:
            return self.mean(values)
        if abs(p) == inf:
            return max(known) if p > 0 else min(known)
        if not any(known) or (p <= 0 and 0 in known):
            return Fraction(0)
        if p == -1:
            return len(known) / sum(1 / x for x in known)
        with localcontext(DIGITS):
            logs = [decimal(x).ln() for x in known if x]
            if p == 0:
                return fraction((sum(logs) / len(known)).exp())
            mean = sum(((log * Decimal(p)).exp() for log in logs), Decimal(0)) / len(known)
            return fraction((mean.ln() / Decimal(p)).exp())

    def all(self, margin: list[int]) -> int:
        return sum(margin[i] for i in self.averaged) if self.named else sum(margin)

    @cached_property
    def macro_precision(self) -> Value:
        return self.mean(self.precision)

    @cached_property
    def macro_recall(self) -> Value:
        return self.mean(self.recall)

    @cached_property
    def macro_f1(self) -> Value:
        return self.mean(self.f1)

    @cached_property
    def covariance(self) -> tuple[int, int]:
        """c·s − p·b = Σ tp·tn − fp·fn, and the larger of the two sums."""
        hits = alarms = 0
        for c, b, p in zip(self.correct, self.bias, self.prevalence, strict=True):
            hits += c * (self.total - b - p + c)
            alarms += (b - c) * (p - c)
        return hits - alarms, max(hits, alarms)

    def kappa(self) -> Sized:
        above, size = self.covariance
        margins = zip(self.prevalence, self.bias, strict=True)
        unlike = self.total**2 - sum(p * b for p, b in margins)
        return self.ratio(above, unlike), self.ratio(size, unlike)

    def mcc(self) -> Sized:
        above, size = self.covariance
        truth = self.total**2 - sum(p * p for p in self.prevalence)
        guess = self.total**2 - sum(b * b for b in [*self.bias, self.lost])
        if not truth * guess:
            return self.undefined, self.undefined
        whole = root(truth * guess)
        return above / whole, size / whole

    def gain(self) -> Sized:
        recalls = [c / Fraction(p) for c, p in zip(self.correct, self.prevalence, strict=True) if p]
        items, won = Fraction(self.total, self.unit), sum(recalls, Fraction(0))
        return items * (won - 1), items * max(won, Fraction(1))

    def gap(self) -> Sized:
        other = harmonic(self.macro_precision, self.macro_recall)
        if other is None or self.macro_f1 is None:
            return None, None
        return other - self.macro_f1, other

    def weighted_twin(self) -> Value:
        p = self.prevalence
        return harmonic(self.mean(self.precision, p), self.mean(self.recall, p))


def harmonic(a: Value, b: Value, beta: float = 1.0) -> Value:
    """(1 + β²)·a·b / (β²·a + b), and 0 of 0 and 0 whatever the policy."""
    if a is None or b is None:
        return None
    w = Fraction(beta) ** 2
    return (1 + w) * a * b / (w * a + b) if w * a + b else Fraction(0)


def decimal(x: Fraction) -> Decimal:
    return Decimal(x.numerator) / Decimal(x.denominator)


def fraction(x: Decimal) -> Fraction:
    """The number, and 0 for what no float could hold."""
    return Fraction(x) if x.adjusted() > -400 else Fraction(0)


def root(x: int) -> Fraction:
    """The square root."""
    with localcontext(DIGITS):
        return Fraction(Decimal(x).sqrt())


def itself(value: Value) -> Sized:
    return value, value


METRICS: dict[str, Callable[..., Sized]] = {
    "accuracy": lambda c: itself(c.ratio(sum(c.correct), c.total)),
    "micro_precision": lambda c: itself(c.ratio(c.all(c.correct), c.all(c.bias))),
    "micro_recall": lambda c: itself(c.ratio(c.all(c.correct), c.all(c.prevalence))),
    "micro_f1": lambda c: itself(
        c.ratio(2 * c.all(c.correct), c.all(c.bias) + c.all(c.prevalence))
    ),
    "macro_precision": lambda c: itself(c.macro_precision),
    "macro_recall": lambda c, p=1.0: itself(c.power_mean(c.recall, p)),
    "macro_f1": lambda c: itself(c.macro_f1),
    "f1_of_averages": lambda c: itself(harmonic(c.macro_precision, c.macro_recall)),
    "f1_gap": Exact.gap,
    "weighted_precision": lambda c: itself(c.mean(c.precision, c.prevalence)),
    "weighted_recall": lambda c: itself(c.mean(c.recall, c.prevalence)),
    "weighted_f1": lambda c: itself(c.mean(c.f1, c.prevalence)),
    "weighted_f1_of_averages": lambda c: itself(c.weighted_twin()),
    "geometric_macro_recall": lambda c: itself(c.power_mean(c.recall, 0.0)),
    "harmonic_macro_recall": lambda c: itself(c.power_mean(c.recall, -1.0)),
    "kappa": Exact.kappa,
    "mcc": Exact.mcc,
    "bookmaker_gain": Exact.gain,
    "macro_fbeta": lambda c, beta=1.0: itself(c.mean(c.f(beta))),
    "fbeta_of_averages": lambda c, beta=1.0: itself(
        harmonic(c.macro_precision, c.macro_recall, beta)
    ),
}
"""Each metric of a table, its parameters as keywords."""

OF_ONE_CLASS: dict[str, Callable[..., list[Value]]] = {
    "precision": lambda c: c.precision,
    "recall": lambda c: c.recall,
    "f1": lambda c: c.f1,
    "fbeta": lambda c, beta=1.0: c.f(beta),
}
"""Each metric of one class: its value for every class."""


def calibrated(rows: Sequence[Sequence[float]], shares: Sequence[Fraction]) -> list[list[Fraction]]:
    """Every true row scaled so that the class has its share."""
    made = []
    for row, share in zip(rows, shares, strict=True):
        cells = [Fraction(x) for x in row]
        factor = share / sum(cells)
        made.append([x * factor for x in cells])
    return made

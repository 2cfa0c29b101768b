"""Scores in exact fractions, written again from their definitions: what a reader would do."""

from fractions import Fraction
from math import isqrt


def margins(m):
    k = len(m)
    correct = [m[i][i] for i in range(k)]
    prevalence = [sum(row) for row in m]
    bias = [sum(m[t][p] for t in range(k)) for p in range(k)]
    return correct, bias, prevalence


def share(a, b):
    return Fraction(a, b) if b else Fraction(0)


def mean(xs):
    return sum(xs, Fraction(0)) / len(xs)


def accuracy(m):
    return share(sum(margins(m)[0]), sum(map(sum, m)))


def macro_precision(m):
    c, b, _ = margins(m)
    return mean([share(x, y) for x, y in zip(c, b, strict=True)])


def macro_recall(m):
    c, _, p = margins(m)
    return mean([share(x, y) for x, y in zip(c, p, strict=True)])


def macro_f1(m):
    return mean([share(2 * c, b + p) for c, b, p in zip(*margins(m), strict=True)])


def f1_of_averages(m):
    p, r = macro_precision(m), macro_recall(m)
    return 2 * p * r / (p + r) if p + r else Fraction(0)


def _agreement(m):
    c, b, p = margins(m)
    s = sum(p)
    pb = sum(x * y for x, y in zip(p, b, strict=True))
    return sum(c) * s - pb, s * s - pb, s * s - sum(x * x for x in p), s * s - sum(x * x for x in b)


def kappa(m):
    top, below, _, _ = _agreement(m)
    return share(top, below)


def mcc_squared(m):
    """MCC is a root: its signed square is a fraction, and orders tables as MCC does."""
    top, _, truth, guess = _agreement(m)
    return share(top * abs(top), truth * guess)


def is_root(value, m):
    """Whether a score, exact or not, is the MCC of a table."""
    square = mcc_squared(m)
    if isinstance(value, Fraction):
        return value * abs(value) == square
    return abs(value * abs(value) - float(square)) < 1e-12


def perfect_root(x):
    return Fraction(isqrt(x.numerator), isqrt(x.denominator))


EXACT = {
    "accuracy": accuracy,
    "macro_precision": macro_precision,
    "macro_f1": macro_f1,
    "f1_of_averages": f1_of_averages,
    "kappa": kappa,
}

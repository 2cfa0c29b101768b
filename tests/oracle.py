"""The metrics in exact fractions, written from the documents' formulas: slow, and unlike src.

Cells are rows of numbers, rows = true; ``outside`` has one count a true class. Averages run over
the classes ``averaged``, or else over those that are true of some item and micro averages over
all. ``None`` is a value that the policy nan leaves out. Only roots are not exact: they have fifty
digits.
"""

from decimal import Decimal, localcontext
from fractions import Fraction
from math import nan, prod


class Exact:
    def __init__(self, cells, *, outside=None, averaged=None, undefined=0):
        m = [[Fraction(x) for x in row] for row in cells]
        k = range(len(m))
        lost = [Fraction(x) for x in (outside or [0] * len(m))]
        self.tp = [m[i][i] for i in k]
        self.fp = [sum(m[j][i] for j in k if j != i) for i in k]
        self.fn = [sum(m[i][j] for j in k if j != i) + lost[i] for i in k]
        self.lost = sum(lost)
        self.total = sum(map(sum, m)) + self.lost
        true = [i for i in k if self.prevalence[i]]
        self.averaged = true if averaged is None else list(averaged)
        self.thrown_together = list(k) if averaged is None else self.averaged
        self.undefined = None if undefined != undefined else Fraction(undefined)

    @property
    def prevalence(self):
        return [t + f for t, f in zip(self.tp, self.fn, strict=True)]

    @property
    def bias(self):
        return [t + f for t, f in zip(self.tp, self.fp, strict=True)]

    def ratio(self, a, b):
        return a / b if b else self.undefined

    def precision(self):
        return [self.ratio(t, b) for t, b in zip(self.tp, self.bias, strict=True)]

    def recall(self):
        return [self.ratio(t, p) for t, p in zip(self.tp, self.prevalence, strict=True)]

    def fbeta(self, beta=1):
        w = Fraction(beta) ** 2
        counts = zip(self.tp, self.fp, self.fn, strict=True)
        return [self.ratio((1 + w) * t, (1 + w) * t + w * fn + fp) for t, fp, fn in counts]

    def mean(self, values, weights=None):
        weights = weights or [Fraction(1)] * len(values)
        known = [(values[i], weights[i]) for i in self.averaged if values[i] is not None]
        return self.ratio(sum(x * w for x, w in known), sum(w for _, w in known))

    def micro(self, *parts):
        sums = [sum(part[i] for i in self.thrown_together) for part in parts]
        return self.ratio(len(parts[1:]) * sums[0], sum(sums[1:]))

    def power_mean(self, values, p):
        known = [values[i] for i in self.averaged if values[i] is not None]
        if not known:
            return self.undefined
        if p in (float("inf"), float("-inf")):
            return max(known) if p > 0 else min(known)
        if p <= 0 and 0 in known:
            return Fraction(0)
        if p == -1:
            return len(known) / sum(1 / x for x in known)
        if p == 0:
            return power(prod(known), Fraction(1, len(known)))
        return power(sum(power(x, Fraction(p)) for x in known) / len(known), 1 / Fraction(p))

    def agreement(self):
        """c·s − p·b and the three squares it is measured by, the outside column included."""
        s, p, b = self.total, self.prevalence, self.bias
        chance = sum(x * y for x, y in zip(p, b, strict=True))
        squares = [s * s - sum(x * x for x in v) for v in (p, [*b, self.lost])]
        return sum(self.tp) * s - chance, s * s - chance, *squares

    def kappa(self):
        above, unlike, *_ = self.agreement()
        return self.ratio(above, unlike)

    def mcc(self):
        above, _, truth, guess = self.agreement()
        if not truth * guess:
            return self.undefined
        root = power(abs(above) ** 2 / (truth * guess), Fraction(1, 2))
        return root if above >= 0 else -root

    def gain(self):
        recalls = [t / p for t, p in zip(self.tp, self.prevalence, strict=True) if p]
        return self.total * (sum(recalls) - 1)


def harmonic(a, b, beta=1):
    if a is None or b is None:
        return None
    w = Fraction(beta) ** 2
    return (1 + w) * a * b / (w * a + b) if w * a + b else Fraction(0)


def power(x, exponent):
    """x ** exponent to fifty digits."""
    with localcontext(prec=50):
        if not x:
            return Fraction(0)
        x, e = Decimal(x.numerator) / x.denominator, Decimal(exponent.numerator)
        return Fraction((x.ln() * e / exponent.denominator).exp())


def minus(a, b):
    return None if a is None or b is None else a - b


def weighted(values):
    return lambda c: c.mean(values(c), c.prevalence)


def twin(c, beta=1):
    return harmonic(c.mean(c.precision()), c.mean(c.recall()), beta)


METRICS = {
    "accuracy": lambda c: c.ratio(sum(c.tp), c.total),
    "micro_precision": lambda c: c.micro(c.tp, c.bias),
    "micro_recall": lambda c: c.micro(c.tp, c.prevalence),
    "micro_f1": lambda c: c.micro(c.tp, c.bias, c.prevalence),
    "macro_precision": lambda c: c.mean(c.precision()),
    "macro_recall": lambda c, p=1: c.mean(c.recall()) if p == 1 else c.power_mean(c.recall(), p),
    "macro_f1": lambda c: c.mean(c.fbeta()),
    "f1_of_averages": twin,
    "f1_gap": lambda c: minus(twin(c), c.mean(c.fbeta())),
    "weighted_precision": weighted(Exact.precision),
    "weighted_recall": weighted(Exact.recall),
    "weighted_f1": weighted(Exact.fbeta),
    "weighted_f1_of_averages": lambda c: harmonic(
        weighted(Exact.precision)(c), weighted(Exact.recall)(c)
    ),
    "geometric_macro_recall": lambda c: c.power_mean(c.recall(), 0),
    "harmonic_macro_recall": lambda c: c.power_mean(c.recall(), -1),
    "kappa": Exact.kappa,
    "mcc": Exact.mcc,
    "bookmaker_gain": Exact.gain,
    "macro_fbeta": lambda c, beta=1: c.mean(c.fbeta(beta)),
    "fbeta_of_averages": twin,
}


def fraction(name, cells, *, outside=None, averaged=None, undefined=0, **options):
    """The exact value of a metric; ``None`` where it is undefined."""
    c = Exact(cells, outside=outside, averaged=averaged, undefined=undefined)
    return METRICS[name](c, **options)


def value(name, cells, **options):
    """The value of a metric as the nearest float."""
    found = fraction(name, cells, **options)
    return nan if found is None else float(found)


def shares(row, k):
    """A true row calibrated to one k-th of all."""
    return [Fraction(x) / (k * Fraction(sum(row))) for x in row]

"""The metrics in exact fractions, written from the documents' formulas: slow, and unlike src.

Cells are rows of numbers, rows = true; ``outside`` has one count a true class. Averages run over
the classes ``averaged``, or else over those that are true of some item and micro averages over
all. ``None`` is a value that the policy nan leaves out. Only roots are not exact: they have fifty
digits.
"""

from decimal import Context, Decimal, localcontext
from fractions import Fraction
from math import inf, log2, nan, prod
from statistics import NormalDist


class Exact:
    def __init__(self, cells, *, outside=None, averaged=None, undefined=0):
        m = [[Fraction(x) for x in row] for row in cells]
        k = range(len(m))
        lost = [Fraction(x) for x in (outside or [0] * len(m))]
        self.tp = [m[i][i] for i in k]
        self.fp = [sum(m[j][i] for j in k if j != i) for i in k]
        self.fn = [sum(m[i][j] for j in k if j != i) + lost[i] for i in k]
        self.cells = [[*row, x] for row, x in zip(m, lost, strict=True)]
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

    @property
    def tn(self):
        three = zip(self.tp, self.fp, self.fn, strict=True)
        return [self.total - t - f - n for t, f, n in three]

    @property
    def categories(self):
        """Truth, prediction, of every category that occurs, no class at all the last."""
        both = zip([*self.prevalence, 0], [*self.bias, self.lost], strict=True)
        return [(p, b) for p, b in both if p or b]

    def ratio(self, a, b):
        return a / b if b else self.undefined

    def ratios(self, a, b):
        return [self.ratio(x, y) for x, y in zip(a, b, strict=True)]

    def beyond(self, chance, agreed=None):
        if agreed is None:
            agreed = sum(self.tp) / self.total
        return self.ratio(agreed - chance, 1 - chance)

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


def each(function, *values):
    """A function of one value a class of each; without any where one is left out."""
    return [None if None in x else function(*x) for x in zip(*values, strict=True)]


def added(*values):
    return [sum(x) for x in zip(*values, strict=True)]


def root(x):
    return power(x, Fraction(1, 2))


def endless(c, a, b):
    """Quotients of rates, infinite over nothing."""
    return each(lambda x, y: inf if x and not y else c.ratio(x, y), a, b)


def mcc_of(c):
    found = []
    for tp, fp, fn, tn in zip(c.tp, c.fp, c.fn, c.tn, strict=True):
        square = (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)
        top = tp * tn - fp * fn
        value = root(top * top / square) if square else c.undefined
        found.append(-value if square and top < 0 else value)
    return found


def odds(c):
    """TP·TN and FP·FN of every class that is true of some items, not of all; else 0."""
    there = [p * (c.total - p) > 0 for p in c.prevalence]
    four = zip(there, c.tp, c.tn, c.fp, c.fn, strict=True)
    return [(t * n, f * m) if is_there else (0, 0) for is_there, t, n, f, m in four]


def normal(x):
    return NormalDist().inv_cdf(float(x)) if 0 < x < 1 else (inf if x else -inf)


def d_prime(c, hit, alarm):
    if hit == alarm and hit in (0, 1):
        return c.undefined
    return normal(hit) - normal(alarm)


def information_score(c):
    found = []
    for t, p, b in zip(c.tp, c.prevalence, c.bias, strict=True):
        if not p or not b:
            found.append(c.undefined)
        else:
            found.append(log2(t * c.total / (p * b)) if t else -inf)
    return found


CLASSES = {
    "precision": Exact.precision,
    "recall": Exact.recall,
    "f1": Exact.fbeta,
    "fbeta": Exact.fbeta,
    "specificity": lambda c: c.ratios(c.tn, added(c.tn, c.fp)),
    "npv": lambda c: c.ratios(c.tn, added(c.tn, c.fn)),
    "false_negative_rate": lambda c: c.ratios(c.fn, added(c.fn, c.tp)),
    "false_positive_rate": lambda c: c.ratios(c.fp, added(c.tn, c.fp)),
    "false_discovery_rate": lambda c: c.ratios(c.fp, added(c.tp, c.fp)),
    "false_omission_rate": lambda c: c.ratios(c.fn, added(c.tn, c.fn)),
    "class_accuracy": lambda c: [x / c.total for x in added(c.tp, c.tn)],
    "class_balanced_accuracy": lambda c: each(
        lambda r, s: (r + s) / 2, *of(c, "recall", "specificity")
    ),
    "class_mcc": mcc_of,
    "jaccard": lambda c: c.ratios(c.tp, added(c.tp, c.fp, c.fn)),
    "tversky": lambda c, alpha=0.5, beta=0.5: [
        c.ratio(t, t + Fraction(alpha) * m + Fraction(beta) * f)
        for t, f, m in zip(c.tp, c.fp, c.fn, strict=True)
    ],
    "gmean": lambda c: each(lambda r, s: root(r * s), *of(c, "recall", "specificity")),
    "fowlkes_mallows": lambda c: each(lambda p, r: root(p * r), *of(c, "precision", "recall")),
    "informedness": lambda c: each(lambda r, s: r + s - 1, *of(c, "recall", "specificity")),
    "markedness": lambda c: each(lambda p, n: p + n - 1, *of(c, "precision", "npv")),
    "iba": lambda c, alpha=1: each(
        lambda r, s: (1 + Fraction(alpha) * (r - s)) * r * s, *of(c, "recall", "specificity")
    ),
    "classification_success": lambda c: each(lambda p, r: p + r - 1, *of(c, "precision", "recall")),
    "positive_likelihood_ratio": lambda c: endless(c, *of(c, "recall", "false_positive_rate")),
    "negative_likelihood_ratio": lambda c: endless(c, *of(c, "false_negative_rate", "specificity")),
    "diagnostic_odds_ratio": lambda c: [
        inf if a and not b else c.ratio(Fraction(a), b) for a, b in odds(c)
    ],
    "yule_q": lambda c: [c.ratio(Fraction(a - b), a + b) for a, b in odds(c)],
    "yule_y": lambda c: [
        c.ratio(root(Fraction(a)) - root(Fraction(b)), root(Fraction(a)) + root(Fraction(b)))
        for a, b in odds(c)
    ],
    "d_prime": lambda c: each(
        lambda r, f: d_prime(c, r, f), *of(c, "recall", "false_positive_rate")
    ),
    "lift": lambda c: each(
        lambda p, n: c.ratio(p, n / c.total), CLASSES["precision"](c), c.prevalence
    ),
    "information_score": information_score,
    "net_benefit": lambda c, w=1: [
        (t - Fraction(w) * f) / c.total for t, f in zip(c.tp, c.fp, strict=True)
    ],
    "bookmaker_odds": lambda c: [c.ratio(c.total, p) for p in c.prevalence],
}


def of(c, *names):
    return [CLASSES[name](c) for name in names]


def macro(c, values, p=1):
    if {inf, -inf} <= {values[i] for i in c.averaged}:
        return c.undefined
    return c.mean(values) if p == 1 else c.power_mean(values, p)


def by_size(c, values):
    """Weighted by prevalence; a class without any has no say, whatever its value."""
    known = [0 if not p else v for v, p in zip(values, c.prevalence, strict=True)]
    if {inf, -inf} <= set(known):
        return c.undefined
    return c.mean(known, c.prevalence)


def thrown_together(c, function, options):
    """The value of one class as large as all, in as many tables."""
    one = object.__new__(Exact)
    seen = [i for i in c.thrown_together if c.prevalence[i] or c.bias[i]]
    one.tp, one.fp, one.fn = ([sum(x[i] for i in seen)] for x in (c.tp, c.fp, c.fn))
    one.total, one.undefined = c.total * len(seen), c.undefined
    return function(one, **options)[0]


def average(kind, base, c, p=1, **options):
    """An average of a metric of one class."""
    if kind == "micro":
        return thrown_together(c, CLASSES[base], options)
    values = CLASSES[base](c, **options)
    return by_size(c, values) if kind == "weighted" else macro(c, values, p)


def scott(c):
    return sum(((p + b) / (2 * c.total)) ** 2 for p, b in c.categories)


def gwet(c):
    shares = [(p + b) / (2 * c.total) for p, b in c.categories]
    if len(shares) < 2:
        return c.undefined
    return c.beyond(sum(x * (1 - x) for x in shares) / (len(shares) - 1))


def krippendorff(c):
    """1 − observed / expected disagreement of all pairs of labels (Krippendorff 1970)."""
    n = [p + b for p, b in c.categories]
    pairs = sum(n) ** 2 - sum(x * x for x in n)
    observed = 2 * (c.total - sum(c.tp)) / sum(n)
    return 1 - observed * sum(n) * (sum(n) - 1) / pairs if pairs else c.undefined


def aickin(c):
    """By halving α: for each, the two mixes are solved, and must meet by chance as it says."""
    p, b = ([float(x / c.total) for x in v] for v in (c.prevalence, c.bias))
    agreed, chance = float(sum(c.tp) / c.total), sum(x * y for x, y in zip(p, b, strict=True))
    if chance == 1 or agreed == 1:
        return c.undefined if chance == 1 else 1.0
    if agreed <= chance:
        return 0.0
    low, high = 0.0, agreed
    for _ in range(50):
        alpha = (low + high) / 2
        chance = (agreed - alpha) / (1 - alpha)
        met = sum(x * y for x, y in (mixes(*s, alpha, chance) for s in zip(p, b, strict=True)))
        low, high = (low, alpha) if met > chance else (alpha, high)
    return agreed if agreed - low < 1e-6 else low


def mixes(p, b, alpha, chance):
    """p = (1 − α)·x + α·x·y / chance and the same of b, by halving x."""
    low, high = 0.0, p / (1 - alpha)
    for _ in range(60):
        x = (low + high) / 2
        y = b / (1 - alpha + alpha * x / chance)
        low, high = (x, high) if (1 - alpha) * x + alpha * x * y / chance < p else (low, x)
    return x, b / (1 - alpha + alpha * x / chance)


def large_tail(hits, n, rate):
    """P(X ≥ hits) to some ten digits, as an integral or a sum in 60 digits."""
    with localcontext(Context(prec=60)):
        p, q = (Decimal(x.numerator) / x.denominator for x in (rate, 1 - rate))
        if q == 0:
            return 1.0
        if n * q < 1000:
            term = (n * (1 - q).ln()).exp()
            total = term
            for j in range(n - hits):
                term *= (n - j) * q / ((j + 1) * p)
                total += term
                if j > n * q + 100 and term < Decimal("1e-40"):
                    break
            return float(total)
        a, b = Decimal(hits), Decimal(n - hits + 1)
        m = a / (a + b)
        s = (m * (1 - m) / (a + b + 1)).sqrt()
        if abs(p - m) > 12 * s:
            return float(p > m)

        def density(t):
            return ((a - 1) * (t / m).ln() + (b - 1) * ((1 - t) / (1 - m)).ln()).exp()

        def simpson(low, high, steps=1000):
            w = (high - low) / steps
            weights = [1, *([4, 2] * (steps // 2))[:-1], 1]
            return w / 3 * sum(x * density(low + w * i) for i, x in enumerate(weights))

        return float(simpson(m - 12 * s, p) / simpson(m - 12 * s, m + 12 * s))


def binomial_tail(c):
    from math import comb

    n, rate = int(c.total), max(c.prevalence) / c.total
    if n > 2000:
        return large_tail(int(sum(c.tp)), n, rate)
    return sum(comb(n, j) * rate**j * (1 - rate) ** (n - j) for j in range(int(sum(c.tp)), n + 1))


def entropy(shares):
    return -sum(float(x) * log2(x) for x in shares if x)


def cross(c, shares):
    if any(p and not b for p, b in zip(c.prevalence, c.bias, strict=True)):
        return inf
    pairs = zip(c.prevalence, c.bias, shares, strict=True)
    return sum(float(p / c.total) * log2(x * c.total / b) for p, b, x in pairs if p)


def joint(c):
    return [x / c.total for row in c.cells for x in row]


def of_truth(c):
    return entropy(p / c.total for p in c.prevalence)


def of_guess(c):
    return entropy([b / c.total for b in c.bias] + [c.lost / c.total])


def mutual(c):
    return max(of_truth(c) + of_guess(c) - entropy(joint(c)), 0.0)


def confusion(c, modified=False):
    """By class, as Wei et al. write it; no class at all is one that is never true."""
    k = len(c.tp) + 1
    m = [*c.cells, [Fraction(0)] * k]
    kept = [i for i in range(k) if sum(m[i]) + sum(row[i] for row in m)]
    if len(kept) < 2:
        return c.undefined
    base, found = log2(2 * (len(kept) - 1)), 0.0
    whole = 2 * c.total - (sum(c.tp) if modified and len(kept) > 2 else 0)
    for j in kept:
        size = sum(m[j]) + sum(row[j] for row in m) - (m[j][j] if modified else 0)
        errors = [x / size for i in kept if i != j for x in (m[j][i], m[i][j]) if size]
        found += float(size / whole) * entropy(errors) / base
    return found


def squares(c):
    found, bias = Fraction(0), [*c.bias, c.lost]
    for row, p in zip(c.cells, c.prevalence, strict=True):
        found += sum(x * x / (p * b) for x, b in zip(row, bias, strict=True) if x)
    return found - 1


def cramer(c):
    k = len(c.categories)
    return root(squares(c) / (k - 1)) if k > 1 else c.undefined


def goodman_kruskal(c, rows, margin):
    most = max(margin)
    return c.ratio(sum(map(max, rows)) - most, c.total - most)


def rand(c):
    """Over pairs of items, one by one class of pairs: both together, one of the two, none."""

    def pairs(values):
        return sum(x * (x - 1) / 2 for x in values)

    both = pairs(x for row in c.cells for x in row)
    truth, guess = pairs(c.prevalence), pairs([*c.bias, c.lost])
    if both == truth == guess:
        return Fraction(1)
    chance = truth * guess / pairs([c.total])
    return (both - chance) / ((truth + guess) / 2 - chance)


def apart(c, distance):
    """Each cell with how far its classes are apart; no class is as far as can be."""
    k = len(c.tp)
    for i, row in enumerate(c.cells):
        for j, x in enumerate(row):
            d = abs(i - j) if j < k else max(k - 1, 1)
            yield i, j, x, {"quadratic": d * d, "flat": int(i != j)}.get(distance, d)


def weighted_kappa(c, distance="linear"):
    bias = [*c.bias, c.lost]
    found = list(apart(c, distance))
    chance = sum(d * c.prevalence[i] * bias[j] for i, j, _, d in found)
    return 1 - c.total * sum(x * d for _, _, x, d in found) / chance if chance else c.undefined


def interval_alpha(c):
    """From the coincidences of all pairs of labels."""
    k = len(c.tp)
    n = [*added(c.prevalence, c.bias), c.lost]

    def far(i, j):
        return 0 if i == j else max(k - 1, 1) ** 2 if k in (i, j) else (i - j) ** 2

    chance = sum(n[i] * n[j] * far(i, j) for i in range(k + 1) for j in range(k + 1))
    seen = sum(2 * x * d for _, _, x, d in apart(c, "quadratic"))
    return 1 - (sum(n) - 1) * seen / chance if chance else c.undefined


def ordinal_alpha(c):
    """From the coincidences, two labels apart as many as lie between them, and half their own."""
    k = len(c.tp)
    n = [*added(c.prevalence, c.bias), c.lost]

    def far(i, j):
        if k in (i, j):
            return 0 if i == j else sum(n[:k]) ** 2
        return (sum(n[min(i, j) : max(i, j) + 1]) - (n[i] + n[j]) / 2) ** 2 if i != j else 0

    chance = sum(n[i] * n[j] * far(i, j) for i in range(k + 1) for j in range(k + 1))
    seen = sum(2 * x * far(i, j) for i, row in enumerate(c.cells) for j, x in enumerate(row))
    return 1 - (sum(n) - 1) * seen / chance if chance else c.undefined


def macro_distance(c, distance="linear"):
    rows = [Fraction(0)] * len(c.tp)
    for i, _, x, d in apart(c, distance):
        rows[i] += x * d / c.prevalence[i] if c.prevalence[i] else 0
    true = [r for r, p in zip(rows, c.prevalence, strict=True) if p]
    return sum(true) / len(true)


METRICS |= {
    "chance_accuracy": lambda c: sum(p * b for p, b in c.categories) / c.total**2,
    "scott_pi": lambda c: c.beyond(scott(c)),
    "bennett_s": lambda c: c.beyond(Fraction(1, len(c.categories))),
    "gwet_ac1": gwet,
    "krippendorff_alpha": krippendorff,
    "aickin_alpha": aickin,
    "pabak": lambda c: 2 * sum(c.tp) / c.total - 1,
    "bangdiwala_b": lambda c: c.ratio(
        sum(t * t for t in c.tp), sum(p * b for p, b in c.categories)
    ),
    "no_information_rate": lambda c: max(c.prevalence) / c.total,
    "p_above_no_information_rate": binomial_tail,
    "class_balance_accuracy": lambda c: c.mean(
        c.ratios(c.tp, [max(x) for x in zip(c.prevalence, c.bias, strict=True)])
    ),
    "macro_csi": lambda c: c.mean(CLASSES["classification_success"](c)),
    "adjusted_balanced_accuracy": lambda c: (
        None
        if c.mean(c.recall()) is None
        else c.beyond(Fraction(1, len(c.averaged)), c.mean(c.recall()))
        if c.averaged
        else c.undefined
    ),
    "entropy_true": of_truth,
    "entropy_pred": of_guess,
    "cross_entropy": lambda c: cross(c, [Fraction(1)] * len(c.tp)),
    "kl_divergence": lambda c: cross(c, [p / c.total for p in c.prevalence]),
    "joint_entropy": lambda c: entropy(joint(c)),
    "conditional_entropy": lambda c: entropy(joint(c)) - of_truth(c),
    "mutual_information": mutual,
    "relative_classifier_information": lambda c: c.ratio(mutual(c), of_truth(c)),
    "confusion_entropy": confusion,
    "modified_confusion_entropy": lambda c: confusion(c, modified=True),
    "phi2": squares,
    "chi2": lambda c: c.total * squares(c),
    "cramers_v": cramer,
    "pearson_c": lambda c: root(squares(c) / (1 + squares(c))),
    "lambda_a": lambda c: goodman_kruskal(c, zip(*c.cells, strict=True), c.prevalence),
    "lambda_b": lambda c: goodman_kruskal(c, c.cells, [*c.bias, c.lost]),
    "adjusted_rand_index": rand,
    "weighted_kappa": weighted_kappa,
    "krippendorff_alpha_interval": interval_alpha,
    "krippendorff_alpha_ordinal": ordinal_alpha,
    "mean_absolute_error": lambda c, distance="linear": (
        sum(x * d for _, _, x, d in apart(c, distance)) / c.total
    ),
    "macro_absolute_error": macro_distance,
    "mean_cost": lambda c, distance="flat": 1 - sum(c.tp) / c.total,
    "hierarchical_precision": lambda c, distance="flat": c.ratio(sum(c.tp), c.total - c.lost),
    "hierarchical_recall": lambda c, distance="flat": sum(c.tp) / c.total,
    "hierarchical_f1": lambda c, distance="flat": 2 * sum(c.tp) / (2 * c.total - c.lost),
    "hierarchical_fbeta": lambda c, distance="flat", beta=1: c.ratio(
        (1 + Fraction(beta) ** 2) * sum(c.tp), (1 + Fraction(beta) ** 2) * c.total - c.lost
    ),
    "off_by_one_accuracy": lambda c, distance="linear": (
        sum(x for _, j, x, d in apart(c, "linear") if d <= 1 and j < len(c.tp)) / c.total
    ),
}


def fraction(name, cells, *, outside=None, averaged=None, undefined=0, **options):
    """The exact value of a metric; ``None`` where it is undefined."""
    c = Exact(cells, outside=outside, averaged=averaged, undefined=undefined)
    if name in METRICS:
        return METRICS[name](c, **options)
    kind, _, base = name.partition("_")
    return average(kind, base, c, **options)


def value(name, cells, **options):
    """The value of a metric as the nearest float."""
    found = fraction(name, cells, **options)
    return nan if found is None else float(found)


def shares(row, k):
    """A true row calibrated to one k-th of all."""
    return [Fraction(x) / (k * Fraction(sum(row))) for x in row]

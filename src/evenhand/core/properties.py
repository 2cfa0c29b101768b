"""The five properties of each metric, with the reason for each."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

NAMES = (
    "monotonicity",
    "class_sensitivity",
    "class_decomposability",
    "prevalence_invariance",
    "chance_correction",
)


@dataclass(frozen=True)
class Properties:
    """The five properties of Opitz (2022) that a metric has or lacks.

    ``chance_correction`` is the score of the best random classifier as a function of k,
    with "strict" if all random classifiers get it, "complete" if it does not depend on k
    either; ``None`` where no such function exists. ``note`` states conditions, ``because`` has a
    derivation of each property that has one. ``even`` are the properties after calibration to
    equal classes, where they are not those that :func:`calibrated` knows of any metric.
    """

    monotonicity: bool
    class_sensitivity: bool
    class_decomposability: bool
    prevalence_invariance: bool
    chance_correction: str | None
    note: str = ""
    because: Mapping[str, str] = field(default_factory=dict)
    even: Properties | None = None

    def told(self) -> dict[str, Any]:
        """As in JSON."""
        return {name: value for name, value in vars(self).items() if name != "even"}

    def lacks(self) -> tuple[str, ...]:
        """Names of the properties that the metric does not have."""
        return tuple(name for name in NAMES if not getattr(self, name))


# the first four properties: monotonicity, class sensitivity, decomposability, prevalence invariance
_MONOTONE = (True, False, False, False)
_SENSITIVE = (False, True, False, False)
_FIRST_TWO = (True, True, False, False)
_BUT_INVARIANCE = (True, True, True, False)
_ALL_FOUR = (True, True, True, True)

_RECALL_RISES = (
    "∂R_i/∂m_ii = (prevalence_i − correct_i)/prevalence_i² ≥ 0, ∂R_i/∂m_ij = "
    "−correct_i/prevalence_i² ≤ 0, and a mean rises with each of its parts"
)
_PRECISION_RISES = (
    "∂P_i/∂m_ii = (bias_i − correct_i)/bias_i² ≥ 0, ∂P_i/∂m_ji = −correct_i/bias_i² ≤ 0"
)
_ROWS_CANCEL = "scaling a true row multiplies correct_i and prevalence_i alike, so every R_i stays"


def of_recall_means(p: float = 1.0) -> Properties:
    """A generalised mean of the recalls with exponent p."""
    c, why = "1/k", "for p ≤ 1 that is at most the arithmetic mean 1/k, reached at z_i = 1/k"
    if p == 1:
        c, why = "1/k, strict", "so their mean is Σz_i/k = 1/k whatever z"
    elif p > 1:
        c = "1" if math.isinf(p) else f"k^(−1/{p:g})"
        why = f"for p > 1 the mean is convex in z and largest at a corner, where it is {c}"
    note = "" if p == 1 else f"not strict: only the bound is {c}"
    by = {"inf": "the largest", "-inf": "the smallest"}.get(f"{p:g}", f"the mean with p = {p:g}")
    return Properties(
        *_ALL_FOUR,
        c,
        note,
        {
            "monotonicity": _RECALL_RISES,
            "class_decomposability": f"by definition: {by} of g = correct/prevalence",
            "prevalence_invariance": _ROWS_CANCEL,
            "chance_correction": f"R_i = z_i for random predictions, {why}",
        },
    )


_SEES = (
    "∂/∂m_ii = (s − c)/s² for every class and ∂/∂m_ij = −c/s² for every kind of error: it sees "
    "only how many are right"
)


def of_accuracy(
    reason: str = "", *, even: str = "a function of k, strict", linear: bool = True
) -> Properties:
    """A function of accuracy (``reason`` says why it is one), and its value for equal classes."""
    so, recall = f"{reason}; " if reason else "", of_recall_means()
    then = {k: f"{so}calibrated, accuracy is macro recall: {v}" for k, v in recall.because.items()}
    if not linear:
        del then["class_decomposability"]
    return Properties(
        *_MONOTONE,
        None,
        because={
            "monotonicity": f"{so}∂/∂m_ii = (s − c)/s² ≥ 0 and ∂/∂m_ij = −c/s² ≤ 0",
            "class_sensitivity": f"{so}{_SEES}",
        },
        even=replace(recall, class_decomposability=linear, chance_correction=even, because=then),
    )


ACCURACY = of_accuracy(even="1/k, strict")
MICRO = replace(ACCURACY, note="with every class averaged, as accuracy")

MACRO_PRECISION = Properties(
    *_BUT_INVARIANCE,
    "1/k",
    "not strict: leaving a class out scores below 1/k",
    {
        "monotonicity": _PRECISION_RISES,
        "class_decomposability": "by definition: the mean with p = 1 of g = correct/bias",
        "chance_correction": "P_i = π_i z_i/z_i = π_i for every class that is predicted and 0 for "
        "the others, so the mean is at most Σπ_i/k = 1/k",
    },
)


def mean_of_f(beta: float = 1.0) -> Properties:
    """The mean of the classes' Fβ."""
    if beta == 0:
        return MACRO_PRECISION
    b = "" if beta == 1 else f", β = {beta:g}"
    return Properties(
        *_BUT_INVARIANCE,
        "1/k",
        "not strict: reached by predicting each class as often as true",
        {
            "monotonicity": "∂Fβ_i/∂m_ii = (1+β²)(Y_i − (1+β²)correct_i)/Y_i² ≥ 0 with "
            f"Y = β²·prevalence + bias, and an error only adds to Y_i and Y_j{b}",
            "class_decomposability": "by definition: the mean with p = 1 of "
            f"g = (1+β²)·correct/(β²·prevalence + bias){b}",
            "chance_correction": "the mean of (1+β²)π_i z_i/(β²π_i + z_i) is concave in z with "
            f"equal slopes β²/(1+β²) at z = π, where it is Σπ_i/k = 1/k{b}",
        },
    )


def f_of_averages(beta: float = 1.0) -> Properties:
    """Fβ of macro precision and macro recall."""
    if beta == 0:
        return MACRO_PRECISION
    return Properties(
        *_FIRST_TWO,
        "1/k",
        "not strict: leaving a class out scores below 1/k",
        {
            "monotonicity": "∂/∂m = (1+β²)(β²P̄²·∂R̄ + R̄²·∂P̄)/(β²P̄ + R̄)², and P̄ and R̄ both rise "
            "with hits and fall with errors",
            "chance_correction": "a harmonic mean lies between R̄ = 1/k and P̄ ≤ 1/k, which is 1/k "
            "when every class is predicted",
        },
    )


GAP = WEIGHTED = Properties(*_SENSITIVE, None)
KAPPA = Properties(
    *_SENSITIVE,
    "0, complete",
    because={"chance_correction": "c·s = s²·Σπ_i z_i = p·b for random predictions: numerator 0"},
)
MCC = replace(KAPPA, note="monotone for two classes, not for more")
GAIN = Properties(
    *_SENSITIVE,
    "0, complete",
    "an unbounded sum, in units of one item's stake",
    {"chance_correction": "R_i = z_i for random predictions, so ΣR_i − 1 = Σz_i − 1 = 0"},
)
_ONE = "it is about one class: renaming the classes changes it"
ONE_PRECISION = Properties(*_FIRST_TWO, None, _ONE, {"monotonicity": _PRECISION_RISES})
ONE_RECALL = Properties(
    *(True, True, False, True),
    "1",
    f"{_ONE}; a classifier that predicts nothing else gets 1",
    {
        "monotonicity": _RECALL_RISES,
        "prevalence_invariance": _ROWS_CANCEL,
        "chance_correction": "R_i = z_i, at most 1",
    },
)


def one_f(beta: float = 1.0) -> Properties:
    """The Fβ of one class."""
    because = {"monotonicity": mean_of_f(beta or 1.0).because["monotonicity"]}
    return replace(ONE_PRECISION, because=because)


_SCALED = "calibration divides each true row by its prevalence, so a scaled row comes out the same"
_EQUAL = (
    "calibration makes every class mix the same and leaves a random classifier random, so its "
    "best score can only depend on k"
)
_OF_K = "it depends on the number of classes alone"
CONSTANT = Properties(
    *(False, False, True, True),
    None,
    "the same number for every table of so many classes",
    {
        "class_sensitivity": f"{_OF_K}: no item moves it",
        "class_decomposability": _OF_K,
        "prevalence_invariance": _OF_K,
    },
)
"""Metrics that depend on the number of classes alone."""


def by_rows(reason: str, chance: str | None = "a function of k") -> Properties:
    """Of equal classes, a mean of a function of each true row."""
    because = {"class_decomposability": reason, "prevalence_invariance": _SCALED}
    if chance is not None:
        because["chance_correction"] = _EQUAL
    return Properties(False, True, True, True, chance, because=because)


def calibrated(name: str, base: Properties, *, judges: bool = True) -> Properties:
    """The properties of a metric after calibration to a fixed class mix (here: all the same).

    Prevalence invariance and some chance correction, always. Functions of accuracy become macro
    recall; kappa and the gain become linear functions of it (kappa only where every label that is
    predicted is true of some item); means of recall stay as they are. Other metrics lose
    monotonicity and decomposability, because one more item makes every other item of its class
    weigh less. Without a better end (``judges``) there is no best random classifier.
    """
    if base.even is not None:
        return base.even
    if base.prevalence_invariance:
        return base
    recall = of_recall_means()
    linear = {"kappa": "(macR − 1/k)/(1 − 1/k)", "bookmaker_gain": "k·macR − 1"}
    if name in linear:
        because = {k: f"calibrated it is {linear[name]}: {v}" for k, v in recall.because.items()}
        linear_in_recall = replace(recall, chance_correction="0, complete", because=because)
        if name == "kappa":  # a label that is never true takes its part of the agreement by chance
            del because["monotonicity"]
            note = "monotone where every label that is predicted is true of some item"
            return replace(linear_in_recall, monotonicity=False, note=note)
        return linear_in_recall
    return replace(
        base,
        monotonicity=False,
        class_decomposability=False,
        prevalence_invariance=True,
        chance_correction=(base.chance_correction or "a function of k") if judges else None,
        note="",
        because={"prevalence_invariance": _SCALED, "chance_correction": _EQUAL},
    )


# Metrics of one class, and their averages

AGAINST_REST = (
    "about one class; monotone for two classes: of more, an error between two others adds to TN"
)
SOME = "a function of k"
"""A bound on random classifiers that is the same for every class mix, but has no short formula."""
_OF_Z = "a mean of functions of z alone, which sum to 1"


def _one(
    chance: str | None = None, why: str = "", *, monotone: str = "", note: str = ""
) -> Properties:
    """A metric of one class: no mean over classes and, except recall, not prevalence invariant."""
    because = {"monotonicity": monotone, "chance_correction": why}
    reasons = {name: text for name, text in because.items() if text}
    note = note or (_ONE if monotone else AGAINST_REST)
    return Properties(bool(monotone), True, False, False, chance, note, reasons)


SPECIFICITY = _one("1", "TNR = 1 − z, which is 1 for who never predicts the class")
NPV = _one()
FALSE_NEGATIVES = replace(
    ONE_RECALL,
    chance_correction="0",
    note="it is about one class; a classifier that predicts nothing else gets 0",
    because={
        **ONE_RECALL.because,
        "monotonicity": f"1 − recall: {ONE_RECALL.because['monotonicity']}",
        "chance_correction": "FNR = 1 − z, at least 0",
    },
)
FALSE_POSITIVES = _one("0", "FPR = z, which is 0 for who never predicts the class")
FALSE_DISCOVERIES = _one(
    "0",
    "who never predicts the class has no wrong prediction of it: 0/0 counts as 0",
    monotone=f"1 − precision where it is predicted: {ONE_PRECISION.because['monotonicity']}; an "
    "error is at worst the first prediction, which takes it from 0 to 1",
)
FALSE_OMISSIONS = _one("0", "who predicts nothing but the class omits nothing: 0/0 counts as 0")
CLASS_ACCURACY = _one()
CLASS_BALANCED = _one("1/2, complete", "R + TNR = z + (1 − z) = 1")
CLASS_MCC = _one("0, complete", "TP·TN = FP·FN for random predictions; 0/0 counts as 0")
JACCARD = _one(
    monotone="TP/(TP + FP + FN): a hit adds to both parts of a share, an error to the lower alone"
)
GMEAN = _one("1/2", "√(z(1 − z)), largest at z = 1/2")
FOWLKES_MALLOWS = _one(
    monotone="√(P·R), and both rise with hits and fall with errors: "
    f"{ONE_PRECISION.because['monotonicity']}"
)
INFORMEDNESS = _one("0, complete", "R + TNR − 1 = z + (1 − z) − 1 = 0")
MARKEDNESS = _one("0", "P + NPV − 1 = π + (1 − π) − 1 = 0, less where one of them is 0/0")
SUCCESS = _one(
    monotone="P + R − 1, and both rise with hits and fall with errors: "
    f"{ONE_PRECISION.because['monotonicity']}"
)
LR_PLUS = _one("1", "R/FPR = z/z = 1, and 0/0 counts as 0")
LR_MINUS = _one("0", "FNR/TNR = 1, but who predicts nothing else has 0/0, which counts as 0")
ODDS_RATIO = _one("1", "TP·TN = FP·FN for random predictions, and 0/0 counts as 0")
YULE = _one("0, complete", "TP·TN = FP·FN for random predictions; 0/0 counts as 0")
D_PRIME = _one("0, complete", "R = FPR = z for random predictions")
_RARE = "about one class; one more item of it makes it less rare, and worth less to know"
LIFT = _one("1", "P = π where the class is predicted, and 0/0 counts as 0", note=_RARE)
INFORMATION_SCORE = _one("0, complete", "the logarithm of P/π = 1, and 0/0 counts as 0", note=_RARE)
NET_BENEFIT = _one(note="about one class; below 0, an item more dilutes the loss")
BOOKMAKER_ODDS = replace(
    _one(note="the class mix alone: it says nothing of predictions"), even=CONSTANT
)


def tversky(alpha: float = 0.5, beta: float = 0.5) -> Properties:
    """Tversky's index of one class."""
    index = _one(
        monotone="TP/(TP + α·FN + β·FP): a hit adds to both parts of a share, an error to the "
        "lower alone"
    )
    if beta != 0:
        return index
    because = {
        **index.because,
        "prevalence_invariance": "scaling a true row multiplies TP and FN alike",
        "chance_correction": "a function of R = z that is 1 for who predicts nothing else",
    }
    return replace(index, prevalence_invariance=True, chance_correction="1", because=because)


def iba(alpha: float = 1.0) -> Properties:
    """The index of balanced accuracy of one class."""
    best = {0.0: "1/4", 1.0: "8/27"}.get(alpha, SOME)
    note = "about one class; what specificity loses where it leads can raise it"
    return _one(best, "(1 + α(2z − 1))·z(1 − z) depends on z alone", note=note)


def of_average(
    kind: str, name: str, each: Properties, formula: str, **options: float
) -> Properties:
    """The properties of the macro, micro or weighted average of a metric of one class."""
    if kind == "macro":
        return _macro(name, each, formula, options)
    return _micro(name, each, options) if kind == "micro" else _weighted(name, each)


_LINEAR = (
    "precision", "recall", "f1", "fbeta", "specificity", "npv", "false_negative_rate",
    "false_positive_rate", "false_discovery_rate", "false_omission_rate", "class_accuracy",
    "class_balanced_accuracy", "class_mcc", "fowlkes_mallows", "informedness", "markedness",
    "classification_success", "lift", "net_benefit",
)  # fmt: skip
"""Metrics whose micro average is linear in accuracy."""
_ADDED = {
    "class_accuracy": "1 − 2(1 − Acc)/k",
    "net_benefit": "((1 + w)·Acc − w)/k",
}
"""Metrics whose macro average is linear in accuracy, and how."""
_MACRO: Mapping[str, tuple[str, str]] = {
    "specificity": ("1 − 1/k, strict", "TNR = 1 − z, with the mean Σ(1 − z)/k"),
    "npv": ("1 − 1/k", "NPV = 1 − π, with the mean Σ(1 − π)/k, and 0/0 counts as 0"),
    "false_negative_rate": ("1 − 1/k, strict", "FNR = 1 − z, with the mean Σ(1 − z)/k"),
    "false_positive_rate": ("1/k, strict", "FPR = z, with the mean Σz/k"),
    "gmean": ("√(k − 1)/k", "the mean of √(z(1 − z)) is concave in z, and largest at z = 1/k"),
    "fowlkes_mallows": ("1/k", "Σ√(πz) ≤ 1 (Cauchy and Schwarz), reached at z = π"),
    "classification_success": ("2/k − 1", "P + R − 1 = π + z − 1 where the class is predicted"),
    "markedness": ("0", MARKEDNESS.because["chance_correction"]),
    "positive_likelihood_ratio": ("1", LR_PLUS.because["chance_correction"]),
    "negative_likelihood_ratio": (
        "1 − 1/k",
        "FNR/TNR = 1, but 0/0, which counts as 0, of the one class that alone is predicted",
    ),
    "diagnostic_odds_ratio": ("1", ODDS_RATIO.because["chance_correction"]),
    "lift": ("1", LIFT.because["chance_correction"]),
}
"""What random classifiers reach in the mean over classes."""
_ALIKE = ("markedness", "positive_likelihood_ratio", "diagnostic_odds_ratio", "lift")
"""Metrics of which every class has the same bound, whatever its weight."""
_BY_ROWS: Mapping[str, str] = {
    "specificity": "1 − 1/k, strict",
    "false_positive_rate": "1/k, strict",
    "class_accuracy": f"{SOME}, strict",
    "class_balanced_accuracy": "1/2, complete",
    "informedness": "0, complete",
    "net_benefit": f"{SOME}, strict",
}
"""Metrics of which equal classes have a mean that is linear in the cells, and its chance."""


def _even(name: str) -> Properties | None:
    reason = "linear in the cells, each a share of its true row: a mean of what each row adds"
    return by_rows(reason, _BY_ROWS[name]) if name in _BY_ROWS else None


def _chance(name: str, each: Properties, options: Mapping[str, float]) -> tuple[str | None, str]:
    """The best random classifier's mean over classes."""
    if "complete" in (each.chance_correction or ""):
        why = each.because["chance_correction"]
        return each.chance_correction, f"the same for each class: {why}"
    p = options.get("p", 1.0)
    if name == "iba":
        best = {0.0: "(k − 1)/k²", 1.0: "1/(2k)"}.get(options.get("alpha", 1.0), SOME)
        return best if p == 1 else SOME, _OF_Z
    if name == "tversky":
        alpha, beta = options.get("alpha", 0.5), options.get("beta", 0.5)
        if beta == 0:
            return "1/k, strict" if alpha == 1 and p == 1 else SOME, _OF_Z
        is_f = alpha + beta == 1 and p == 1
        b = (alpha / beta) ** 0.5
        return ("1/k", mean_of_f(b).because["chance_correction"]) if is_f else (None, "")
    if p != 1:
        of_z = ("specificity", "false_negative_rate", "false_positive_rate", "gmean")
        return (SOME, _OF_Z) if name in of_z else (None, "")
    return _MACRO.get(name, (None, ""))


def _macro(name: str, each: Properties, formula: str, options: Mapping[str, float]) -> Properties:
    if name in _ADDED:
        return of_accuracy(f"every error is a miss and an alarm: it is {_ADDED[name]}")
    p = options.get("p", 1.0)
    separate = each.monotonicity  # it depends on nothing but what concerns the class
    invariant = separate and each.prevalence_invariance
    because = {}
    if separate:
        rises = each.because["monotonicity"]
        because["monotonicity"] = f"a mean rises with each of its parts: {rises}"
        because["class_decomposability"] = (
            f"by definition: the mean with p = {p:g} of g = {formula}"
        )
    if invariant:
        because["prevalence_invariance"] = each.because["prevalence_invariance"]
    best, why = _chance(name, each, options)
    if best is not None:
        because["chance_correction"] = why
    note = "" if separate else "with three and more classes an error can raise the values of others"
    even = CONSTANT if name == "bookmaker_odds" else _even(name)
    even = even if p == 1 else None
    return Properties(separate, True, separate, invariant, best, note, because, even)


def _micro(name: str, each: Properties, options: Mapping[str, float]) -> Properties:
    if name == "bookmaker_odds":
        return CONSTANT
    alpha, beta = options.get("alpha", 0.5), options.get("beta", 0.5)
    linear = name in _LINEAR or (name == "tversky" and alpha + beta == 1)
    strict = f"{SOME}, strict"
    if "complete" in (each.chance_correction or "") or name in _ALIKE:
        strict = f"{(each.chance_correction or '').partition(',')[0]}, complete"
    elif name == "negative_likelihood_ratio":
        strict = "1, complete"
    return of_accuracy(
        "with every class averaged Σ FP = Σ FN = s − c and Σ TN = (k − 2)·s + c: it depends on c/s "
        "and k alone, and gets better with c/s",
        even=strict,
        linear=linear,
    )


def _weighted(name: str, each: Properties) -> Properties:
    if name == "false_negative_rate":
        return of_accuracy("Σ FN/s = 1 − Acc")
    if name == "bookmaker_odds":
        because = {
            "class_decomposability": "Σ prevalence/s·s/prevalence counts the classes that are "
            "true of some item",
            "prevalence_invariance": "a class that is true of some item stays one",
        }
        return replace(CONSTANT, class_sensitivity=True, because=because, even=CONSTANT)
    if name == "lift":  # Σ prevalence/s·P·s/prevalence = Σ P
        because = {key: f"it is Σ P: {why}" for key, why in MACRO_PRECISION.because.items()}
        return replace(MACRO_PRECISION, chance_correction="1", note="", because=because)
    best, because = None, {}
    if "complete" in (each.chance_correction or "") or name in _ALIKE:
        best, why = each.chance_correction, each.because["chance_correction"]
        because = {"chance_correction": f"the same for each class: {why}"}
    return Properties(*_SENSITIVE, best, "", because, _even(name))


# Metrics of a whole table: agreement, association, distance


def _table(chance: str | None = None, why: str = "", note: str = "") -> Properties:
    """Sensitive to classes and, but for chance, without the other properties."""
    return Properties(*_SENSITIVE, chance, note, {"chance_correction": why} if why else {})


_INDEPENDENT = "truth and prediction are independent: every cell is π·z,"
DESCRIBES = _table(note="it describes and does not judge: neither end is better")
FIXED = replace(DESCRIBES, even=CONSTANT)
"""Metrics of the class mix alone."""
ROW_ENTROPY = replace(
    DESCRIBES, even=by_rows("log₂ k and the mean of the entropies of the true rows", None)
)
BEYOND_CHANCE = CONFUSION = ALPHA = _table()
BENNETT = replace(
    BEYOND_CHANCE, even=by_rows("(macR − 1/k)/(1 − 1/k), a mean of recalls", "0, complete")
)
BANGDIWALA = replace(BEYOND_CHANCE, even=by_rows("Σ R²/k, a mean of squared recalls", "1/k"))
PABAK = of_accuracy("2·Acc − 1", even="2/k − 1, strict")
SCOTT_PI = _table("0", "Acc = Σπz ≤ Σ((π + z)/2)², and both are the same at z = π")
AICKIN = _table("0, complete", "Acc = Σπz, where nothing is left to explain but chance")
BALANCE = Properties(
    *_BUT_INVARIANCE,
    "1/k",
    "not strict: reached by predicting each class as often as true",
    {
        "monotonicity": "the smaller of P and R, which both rise with hits and fall with errors: "
        f"{MACRO_PRECISION.because['monotonicity']}",
        "class_decomposability": "by definition: the mean with p = 1 of "
        "g = correct/max(prevalence, bias)",
        "chance_correction": "πz/max(π, z) = min(π, z), and Σ min(π, z) ≤ 1, reached at z = π",
    },
)
MACRO_SUCCESS = Properties(
    *_BUT_INVARIANCE,
    "2/k − 1",
    "not strict: leaving a class out scores lower",
    {
        "monotonicity": "P + R − 1, and both rise with hits and fall with errors: "
        f"{MACRO_PRECISION.because['monotonicity']}",
        "class_decomposability": "by definition: the mean with p = 1 of "
        "g = correct/bias + correct/prevalence − 1",
        "chance_correction": "P + R − 1 = π + z − 1 where the class is predicted, −1 else",
    },
)
_RECALL = of_recall_means()
ADJUSTED_RECALL = Properties(
    *_ALL_FOUR,
    "0, complete",
    because={
        **{name: f"(macR − 1/k)/(1 − 1/k): {why}" for name, why in _RECALL.because.items()},
        "chance_correction": "macR = Σz/k = 1/k whatever z",
    },
)

DIVERGENCE = _table("0", "predictions of the mix of the classes, z = π, have none")
INFORMATION = _table("0, complete", f"{_INDEPENDENT} so that log(m/(p·b)) = 0 everywhere")
CHI_SQUARE = _table("0, complete", f"{_INDEPENDENT} as χ² expects")
LAMBDA = _table(
    "0, complete", f"{_INDEPENDENT} so that the best guess is the same whatever is known"
)
RAND = _table(
    "0",
    "with x = s·Σp² and y = s·Σb² of margins p and b as shares, the agreement of pairs less that "
    "by chance has the sign of −(s² − x·s)(s² − y·s) ≤ 0, and is 0 where one class is predicted",
)


def weighted_kappa(distance: object = "linear") -> Properties:
    """Kappa with any distance between classes."""
    if distance == "flat":
        return KAPPA
    return _table("0, complete", "Σ d·m/s = Σ d·π·z for random predictions: nothing is spared")


def mean_distance(distance: object = "linear") -> Properties:
    """The mean distance of prediction and truth: the share of errors where all are 1 apart."""
    if distance == "flat":
        return of_accuracy("1 − Acc", even="1 − 1/k, strict")
    return _table(note="an error that is less bad than the mean of all makes it better")


def macro_distance(distance: object = "linear") -> Properties:
    """The mean distance, every true class weighing the same."""
    rows = "scaling a true row multiplies its cells and its prevalence alike"
    if distance == "flat":
        because = {name: f"1 − macR: {why}" for name, why in _RECALL.because.items()}
        even = Properties(*_ALL_FOUR, "1 − 1/k, strict", because=because)
        note = "a mean over the classes that are true of some item, which an item can add one to"
        return replace(even, class_decomposability=False, note=note, even=even)
    best = "⌊k²/4⌋/k" if distance == "linear" else "a function of k"
    because = {
        "prevalence_invariance": rows,
        "chance_correction": "Σ z·(mean distance of the predicted class from all) depends on z "
        "alone, and is least where the class nearest to all is predicted",
    }
    note = "an error that is less bad than the mean of its class makes it better"
    return Properties(False, True, False, True, best, note, because)


def near(distance: object = "linear") -> Properties:
    """The share of items at most one step off."""
    return _table(note="an error of one step counts as a hit")


def hierarchical(distance: object = "flat", beta: float = 1.0) -> Properties:
    """Precision, recall and F of classes with those above them."""
    if distance == "flat":
        return of_accuracy("without a tree it is accuracy", even="1/k, strict")
    return _table(note="an error that shares more classes than most items do makes it better")

"""What metrics of one class promise of the five properties, and what their averages do.

For random predictions, a share z of which are of the class, R = z and FPR = z; P is the class's
share π of the items if it is predicted at all, NPV is 1 − π if anything else is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from evenhand.core.promises import (
    CONSTANT,
    MACRO_PRECISION,
    ONE_PRECISION,
    ONE_RECALL,
    Properties,
    by_rows,
    mean_of_f,
    of_accuracy,
)

AGAINST_REST = (
    "about one class; monotone for two classes: of more, an error between two others adds to TN"
)
SOME = "a function of k"
"""A bound on random classifiers that is the same for every class mix, but has no short formula."""
_OF_Z = "a mean of functions of z alone, which sum to 1"


def _one(
    chance: str | None = None, why: str = "", *, monotone: str = "", note: str = ""
) -> Properties:
    """Of one class, and so no mean over classes and, but for recall, not free of the class mix."""
    because = {"monotonicity": monotone, "chance_correction": why}
    kept = {name: text for name, text in because.items() if text}
    words = note or (
        "it is about one class: renaming the classes changes it" if monotone else AGAINST_REST
    )
    return Properties(bool(monotone), True, False, False, chance, words, kept)


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
    found = _one(
        monotone="TP/(TP + α·FN + β·FP): a hit adds to both parts of a share, an error to the "
        "lower alone"
    )
    if beta:
        return found
    because = {
        **found.because,
        "prevalence_invariance": "scaling a true row multiplies TP and FN alike",
        "chance_correction": "a function of R = z that is 1 for who predicts nothing else",
    }
    return replace(found, prevalence_invariance=True, chance_correction="1", because=because)


def iba(alpha: float = 1.0) -> Properties:
    """The index of balanced accuracy of one class."""
    best = {0.0: "1/4", 1.0: "8/27"}.get(alpha, SOME)
    note = "about one class; what specificity loses where it leads can raise it"
    return _one(best, "(1 + α(2z − 1))·z(1 − z) depends on z alone", note=note)


def of_average(
    kind: str, name: str, each: Properties, formula: str, **options: float
) -> Properties:
    """What the macro, micro or weighted average of a metric of one class promises."""
    return {"macro": _macro, "micro": _micro, "weighted": _weighted}[kind](
        name, each, formula, **options
    )


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
    how = "linear in the cells, each a share of its true row: a mean of what each row adds"
    return by_rows(how, _BY_ROWS[name]) if name in _BY_ROWS else None


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
        whole = alpha + beta == 1 and p == 1
        b = (alpha / beta) ** 0.5
        return ("1/k", mean_of_f(b).because["chance_correction"]) if whole else (None, "")
    if p != 1:
        of_z = ("specificity", "false_negative_rate", "false_positive_rate", "gmean")
        return (SOME, _OF_Z) if name in of_z else (None, "")
    return _MACRO.get(name, (None, ""))


def _macro(name: str, each: Properties, formula: str, **options: float) -> Properties:
    if name in _ADDED:
        return of_accuracy(f"every error is a miss and an alarm: it is {_ADDED[name]}")
    apart = each.monotonicity  # it depends on nothing but what concerns the class
    because = {}
    if apart:
        because["monotonicity"] = (
            f"a mean rises with each of its parts: {each.because['monotonicity']}"
        )
        p = options.get("p", 1.0)
        because["class_decomposability"] = (
            f"by definition: the mean with p = {p:g} of g = {formula}"
        )
    if each.prevalence_invariance and apart:
        because["prevalence_invariance"] = each.because["prevalence_invariance"]
    best, why = _chance(name, each, options)
    if best is not None:
        because["chance_correction"] = why
    note = "" if apart else "with three and more classes an error can raise the values of others"
    even = CONSTANT if name == "bookmaker_odds" else _even(name)
    return Properties(
        apart,
        True,
        apart,
        apart and each.prevalence_invariance,
        best,
        note,
        because,
        even if options.get("p", 1.0) == 1 else None,
    )


def _micro(name: str, each: Properties, formula: str, **options: float) -> Properties:
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


def _weighted(name: str, each: Properties, formula: str, **options: float) -> Properties:
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
    return Properties(False, True, False, False, best, "", because, _even(name))

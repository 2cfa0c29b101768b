"""The five properties of a metric, what each metric promises of them, and why.

A promise that is kept has a derivation in ``because``; one that is not has counter-examples,
which :mod:`evenhand.properties` finds by search. Rows are true classes throughout, Z is
bias + prevalence, π the class mix, z a random classifier's shares of predictions.
"""

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
    """The five properties of Opitz (2022): what a metric does and does not promise.

    ``chance_correction`` is the score of the best random classifier as a function of k,
    with "strict" if all random classifiers get it, "complete" if it does not depend on k
    either; ``None`` where no such function exists. ``note`` states the fine print, ``because``
    quotes a derivation for each property that has one. ``even`` is what it promises of equal
    classes, where that is not what :func:`calibrated` says of any metric.
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


_MONOTONE = (True, False, False, False)
_SENSITIVE = (False, True, False, False)
_FIRST_TWO = (True, True, False, False)
_BUT_INVARIANCE = (True, True, True, False)
_ALL_FOUR = (True, True, True, True)
"""Which of the first four properties metrics have."""

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
    how: str = "", *, even: str = "a function of k, strict", linear: bool = True
) -> Properties:
    """A function of accuracy, and what it is of equal classes; ``how`` says why it is one."""
    so, recall = f"{how}; " if how else "", of_recall_means()
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


GAP = Properties(*_SENSITIVE, None)
WEIGHTED = Properties(*_SENSITIVE, None)
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
    True,
    True,
    False,
    True,
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
CONSTANT = Properties(
    False,
    False,
    True,
    True,
    None,
    "the same number for every table of so many classes",
    {
        "class_sensitivity": "it depends on the number of classes alone: no item moves it",
        "class_decomposability": "it depends on the number of classes alone",
        "prevalence_invariance": "it depends on the number of classes alone",
    },
)
"""What depends on the number of classes alone."""


def by_rows(how: str, chance: str | None = "a function of k") -> Properties:
    """Of equal classes, a mean of a function of each true row."""
    because = {"class_decomposability": how, "prevalence_invariance": _SCALED}
    if chance is not None:
        because["chance_correction"] = _EQUAL
    return Properties(False, True, True, True, chance, because=because)


def calibrated(name: str, base: Properties, *, judges: bool = True) -> Properties:
    """What is known of a metric after calibration to a fixed class mix (here: all the same).

    Prevalence invariance and some chance correction, always. Accuracy and its kin become macro
    recall; kappa and the gain become linear functions of it (kappa only where every label that is
    predicted is true of some item); means of recall stay as they are.
    The others lose what they had of monotonicity and decomposability, because one more item
    makes every other item of its class weigh less. What does not judge (no end of it is better) has
    no best random classifier.
    """
    if base.even is not None:
        return base.even
    if base.prevalence_invariance:
        return base
    recall = of_recall_means()
    linear = {"kappa": "(macR − 1/k)/(1 − 1/k)", "bookmaker_gain": "k·macR − 1"}
    if name in linear:
        because = {k: f"calibrated it is {linear[name]}: {v}" for k, v in recall.because.items()}
        found = replace(recall, chance_correction="0, complete", because=because)
        if name == "kappa":  # a label that is never true takes its part of the agreement by chance
            del because["monotonicity"]
            note = "monotone where every label that is predicted is true of some item"
            return replace(found, monotonicity=False, note=note)
        return found
    return replace(
        base,
        monotonicity=False,
        class_decomposability=False,
        prevalence_invariance=True,
        chance_correction=(base.chance_correction or "a function of k") if judges else None,
        note="",
        because={"prevalence_invariance": _SCALED, "chance_correction": _EQUAL},
    )

"""The five properties that a metric has or lacks, with the reason for each."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
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
    ``of_two`` says why it is prevalence invariant for two classes, where it is not for more.
    """

    monotonicity: bool
    class_sensitivity: bool
    class_decomposability: bool
    prevalence_invariance: bool
    chance_correction: str | None
    note: str = ""
    because: Mapping[str, str] = field(default_factory=dict)
    even: Properties | None = None
    of_two: str = ""

    def lacks(self) -> tuple[str, ...]:
        """Names of the properties that the metric does not have."""
        return tuple(name for name in NAMES if not getattr(self, name))


def derived(
    chance: str | None = None, why: str = "", note: str = "", *, because: Any = (), **more: Any
) -> Properties:
    """The properties that there are reasons for: by name, and ``why`` for the best random score.

    Class sensitivity is what most metrics have: a reason is one for its absence.

    >>> derived("1/2", "√(z(1 − z)), largest at z = 1/2", monotonicity="…").lacks()
    ('class_decomposability', 'prevalence_invariance')
    """
    reasons = dict(because) | {name: more.pop(name) for name in NAMES if name in more}
    if why:
        reasons["chance_correction"] = why
    has: dict[str, Any] = {name: name in reasons for name in NAMES[:4]}
    has["class_sensitivity"] = not has["class_sensitivity"]
    return Properties(**has, chance_correction=chance, note=note, because=reasons, **more)


def same_as(
    base: Properties, reason: str, chance: str | None, note: str = "", *, without: str = ""
) -> Properties:
    """The properties of a metric that is a rising function of another for the stated reason."""
    because = {k: f"{reason}: {why}" for k, why in base.because.items() if k != without}
    return derived(chance, note=note, because=because)


def mean_of(formula: str, p: float = 1.0) -> str:
    """Why a mean over classes is one."""
    return f"by definition: the mean with p = {p:g} of g = {formula}"


SOME = "a function of k"
"""A bound on random classifiers that is the same for every class mix, but has no short formula."""
ONE = "it is about one class: renaming the classes changes it"
AGAINST_REST = (
    "about one class; monotone for two classes: of more, an error between two others adds to TN"
)
OF_RATES = "recall and specificity are then rates of one true row each, which scaling leaves"
RECALL_RISES = (
    "∂R_i/∂m_ii = (prevalence_i − correct_i)/prevalence_i² ≥ 0, ∂R_i/∂m_ij = "
    "−correct_i/prevalence_i² ≤ 0, and a mean rises with each of its parts"
)
PRECISION_RISES = (
    "∂P_i/∂m_ii = (bias_i − correct_i)/bias_i² ≥ 0, ∂P_i/∂m_ji = −correct_i/bias_i² ≤ 0"
)
BOTH_RISE = f"and both rise with hits and fall with errors: {PRECISION_RISES}"
ROWS_CANCEL = "scaling a true row multiplies correct_i and prevalence_i alike, so every R_i stays"
_SCALED = "calibration divides each true row by its prevalence, so a scaled row comes out the same"
_EQUAL = (
    "calibration makes every class mix the same and leaves a random classifier random, so its "
    "best score can only depend on k"
)
_OF_K = "it depends on the number of classes alone"

CONSTANT = derived(
    note="the same number for every table of so many classes",
    class_sensitivity=f"{_OF_K}: no item moves it",
    class_decomposability=_OF_K,
    prevalence_invariance=_OF_K,
)
"""Metrics that depend on the number of classes alone."""
DESCRIBES = derived(note="it describes and does not judge: neither end is better")
FIXED = derived(note=DESCRIBES.note, even=CONSTANT)
"""Metrics of the class mix alone."""
MACRO_PRECISION = derived(
    "1/k, strict",
    "P_i = π_i z_i/z_i = π_i where every class is predicted, so the mean is Σπ_i/k = 1/k",
    "strict where every class is predicted: leaving one out scores below 1/k",
    monotonicity=PRECISION_RISES,
    class_decomposability=mean_of("correct/bias"),
)


def recall_mean(p: float = 1.0) -> Properties:
    """A generalised mean of the recalls with exponent p."""
    c, why = "1/k", "for p ≤ 1 that is at most the arithmetic mean 1/k, reached at z_i = 1/k"
    if p == 1:
        c, why = "1/k, strict", "so their mean is Σz_i/k = 1/k whatever z"
    elif p > 1:
        c = "1" if math.isinf(p) else f"k^(−1/{p:g})"
        why = f"for p > 1 the mean is convex in z and largest at a corner, where it is {c}"
    by = {"inf": "the largest", "-inf": "the smallest"}.get(f"{p:g}", f"the mean with p = {p:g}")
    return derived(
        c,
        f"R_i = z_i for random predictions, {why}",
        "" if p == 1 else f"not strict: only the bound is {c}",
        monotonicity=RECALL_RISES,
        class_decomposability=f"by definition: {by} of g = correct/prevalence",
        prevalence_invariance=ROWS_CANCEL,
    )


RECALL = recall_mean()


def of_accuracy(reason: str = "", *, even: str = f"{SOME}, strict", note: str = "") -> Properties:
    """A function of accuracy (``reason`` says why it is one), and its value for equal classes."""
    so = f"{reason}; " if reason else ""
    recall = f"{so}calibrated, accuracy is macro recall"
    return derived(
        note=note,
        monotonicity=f"{so}∂/∂m_ii = (s − c)/s² ≥ 0 and ∂/∂m_ij = −c/s² ≤ 0",
        class_sensitivity=f"{so}∂/∂m_ii = (s − c)/s² for every class and ∂/∂m_ij = −c/s² for "
        "every kind of error: it sees only how many are right",
        even=same_as(RECALL, recall, even),
    )


ACCURACY = of_accuracy(even="1/k, strict")
MICRO = of_accuracy(even="1/k, strict", note="with every class averaged, as accuracy")


def by_rows(reason: str, chance: str | None = SOME) -> Properties:
    """Of equal classes, a mean of a function of each true row; if it judges, of its recall."""
    because = {"class_decomposability": reason, "prevalence_invariance": _SCALED}
    if chance is None:
        return derived(because=because)
    rises = (
        f"with equal classes it depends on the recalls alone, and rises with each: {RECALL_RISES}"
    )
    return derived(chance, _EQUAL, because=because, monotonicity=rises)


def calibrated(base: Properties, *, judges: bool = True) -> Properties:
    """The properties of a metric after calibration to a fixed class mix (here: all the same).

    Prevalence invariance and some chance correction, always; means of recall stay as they are.
    Metrics lose monotonicity and decomposability, unless ``even`` says otherwise, because one more
    item makes every other item of its class weigh less. Without a better end (``judges``) there is
    no best random classifier.
    """
    if base.even is not None:
        return base.even
    if base.prevalence_invariance:
        return base
    chance = (base.chance_correction or SOME) if judges else None
    return derived(chance, _EQUAL, prevalence_invariance=_SCALED)

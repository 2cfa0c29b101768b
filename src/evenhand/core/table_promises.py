"""What metrics of a whole table promise of the five properties: agreement, association, distance.

For random predictions truth and prediction are independent: every cell holds π·z of the items.
"""

from __future__ import annotations

from dataclasses import replace

from evenhand.core.promises import (
    CONSTANT,
    KAPPA,
    MACRO_PRECISION,
    Properties,
    by_rows,
    of_accuracy,
    of_recall_means,
)


def _table(chance: str | None = None, why: str = "", note: str = "") -> Properties:
    """Sensitive to classes and, but for chance, without the other properties."""
    because = {"chance_correction": why} if why else {}
    return Properties(False, True, False, False, chance, note, because)


_INDEPENDENT = "truth and prediction are independent: every cell is π·z,"
DESCRIBES = _table(note="it describes and does not judge: neither end is better")
FIXED = replace(DESCRIBES, even=CONSTANT)
"""What says something of the class mix alone."""
ROW_ENTROPY = replace(
    DESCRIBES, even=by_rows("log₂ k and the mean of the entropies of the true rows", None)
)
BEYOND_CHANCE = _table()
BENNETT = replace(
    BEYOND_CHANCE, even=by_rows("(macR − 1/k)/(1 − 1/k), a mean of recalls", "0, complete")
)
BANGDIWALA = replace(BEYOND_CHANCE, even=by_rows("Σ R²/k, a mean of squared recalls", "1/k"))
PABAK = of_accuracy("2·Acc − 1", even="2/k − 1, strict")
SCOTT_PI = _table("0", "Acc = Σπz ≤ Σ((π + z)/2)², and both are the same at z = π")
AICKIN = _table("0, complete", "Acc = Σπz, where nothing is left to explain but chance")
BALANCE = Properties(
    True,
    True,
    True,
    False,
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
SUCCESS = Properties(
    True,
    True,
    True,
    False,
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
    True,
    True,
    True,
    True,
    "0, complete",
    because={
        **{name: f"(macR − 1/k)/(1 − 1/k): {why}" for name, why in _RECALL.because.items()},
        "chance_correction": "macR = Σz/k = 1/k whatever z",
    },
)

DIVERGENCE = _table("0", "predictions of the mix of the classes, z = π, have none")
INFORMATION = _table("0, complete", f"{_INDEPENDENT} so that log(m/(p·b)) = 0 everywhere")
CONFUSION = _table()
CHI_SQUARE = _table("0, complete", f"{_INDEPENDENT} as χ² expects")
LAMBDA = _table(
    "0, complete", f"{_INDEPENDENT} so that the best guess is the same whatever is known"
)
RAND = _table(
    "0",
    "with x = s·Σp² and y = s·Σb² of margins p and b as shares, the agreement of pairs less that "
    "by chance has the sign of −(s² − x·s)(s² − y·s) ≤ 0, and is 0 where one class is predicted",
)

ALPHA = _table()


def weighted_kappa(distance: object = "linear") -> Properties:
    """Kappa with any distance between classes."""
    if distance == "flat":
        return KAPPA
    return _table("0, complete", "Σ d·m/s = Σ d·π·z for random predictions: nothing is spared")


def mean_distance(distance: object = "linear") -> Properties:
    """The mean distance of prediction and truth: the share of errors where all are 1 apart."""
    if distance == "flat":
        return of_accuracy("1 − Acc", even="1 − 1/k, strict")
    note = "an error that is less bad than the mean of all makes it better"
    return _table(note=note)


def mean_cost(distance: object = "flat") -> Properties:
    """The mean cost of an item."""
    return mean_distance(distance)


def macro_distance(distance: object = "linear") -> Properties:
    """The mean distance, every true class weighing the same."""
    rows = "scaling a true row multiplies its cells and its prevalence alike"
    if distance == "flat":
        because = {name: f"1 − macR: {why}" for name, why in _RECALL.because.items()}
        even = Properties(True, True, True, True, "1 − 1/k, strict", because=because)
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

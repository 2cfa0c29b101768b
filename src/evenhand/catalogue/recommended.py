"""What the authors of the papers recommend, said once for all places where people choose."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

_NOTE = "Opitz & Burst 2019, section 4"
_TALE = "Shmueli 2019"
_DISCUSSED = "Opitz 2022, section 5"
_CONCLUDED = "Opitz 2022, section 6"


@dataclass(frozen=True)
class Advice:
    """One recommendation, whose it is, and the metrics that it is about.

    >>> str(ADVICE[1])
    "Say which of the two formulas a 'macro F1' is (Opitz & Burst 2019, section 4)."
    """

    words: str
    source: str
    about: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.words} ({self.source})."


ADVICE = (
    Advice(
        "Report the mean of F1 (macro_f1) as 'macro F1': it is more robust against the kind of "
        "errors, while the F1 of averages is benevolent to biased classifiers",
        _NOTE,
        ("macro_f1", "f1_of_averages", "f1_gap"),
    ),
    Advice(
        "Say which of the two formulas a 'macro F1' is",
        _NOTE,
        ("macro_f1", "f1_of_averages", "f1_gap"),
    ),
    Advice("Compare systems by one and the same formula", _TALE, ("macro_f1", "f1_of_averages")),
    Advice(
        "Report macro recall together with accuracy: they complement each other, and macro recall "
        "is accuracy after prevalence calibration",
        _CONCLUDED,
        ("macro_recall", "accuracy"),
    ),
    Advice(
        "Calibrate prevalence (write @uniform after the name) where scores change with it: a "
        "classifier's bias means more then, and scores of different data can be compared",
        _DISCUSSED,
        ("macro_precision", "macro_f1", "f1_of_averages", "kappa", "mcc"),
    ),
    Advice(
        "Show the recall of every class: scores at another class mix follow from recalls, and "
        "cannot be had from precisions",
        _DISCUSSED,
        ("macro_recall", "macro_precision", "recall", "precision"),
    ),
    Advice(
        "Take the geometric mean of recall where all classes must be predicted well",
        _DISCUSSED,
        ("geometric_macro_recall",),
    ),
)
"""In the order in which a reader meets the choices."""


def advice_on(names: Iterable[str]) -> list[Advice]:
    """What is recommended about these metrics, whatever their parameters and class mix.

    >>> [a.source for a in advice_on(["kappa@uniform", "geometric_macro_recall"])]
    ['Opitz 2022, section 5', 'Opitz 2022, section 5']
    """
    known = {name.partition("@")[0].partition(":")[0] for name in names}
    return [a for a in ADVICE if known.intersection(a.about)]

"""Prevalence: what scores become under another class mix, and which mix new data have.

``extrapolate`` a table to a stated mix, ``sweep`` one class from rare to common, and
``estimate_prevalence`` from predictions without truth; ``drift`` says whether that has changed. All
of it holds while only the mix
changes: the items of each class must be like those of the labelled data.
"""

from evenhand.shift.estimation import (
    ClassDrift,
    Drift,
    NewClass,
    PrevalenceEstimate,
    drift,
    estimate_prevalence,
)
from evenhand.shift.extrapolation import ClassShift, Extrapolation, extrapolate
from evenhand.shift.sweeps import Crossing, Sweep, sweep

__all__ = [
    "ClassDrift",
    "ClassShift",
    "Crossing",
    "Drift",
    "Extrapolation",
    "NewClass",
    "PrevalenceEstimate",
    "Sweep",
    "drift",
    "estimate_prevalence",
    "extrapolate",
    "sweep",
]


def __dir__() -> list[str]:
    return __all__

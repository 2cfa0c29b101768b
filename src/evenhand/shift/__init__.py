"""Prevalence: what scores become under another class mix, and which mix new data have.

``extrapolate`` a table to a stated mix, ``sweep`` one class from rare to common, and
``estimate_prevalence`` from predictions without truth. All of it holds while only the mix
changes: the items of each class must be like those of the labelled data.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evenhand.shift.class_shift import ClassShift
    from evenhand.shift.crossing import Crossing
    from evenhand.shift.curves import Curve
    from evenhand.shift.estimating import PrevalenceEstimate, estimate_prevalence
    from evenhand.shift.expected import NewClass
    from evenhand.shift.extrapolating import Extrapolation, extrapolate
    from evenhand.shift.sweeping import Sweep, sweep

_HOMES = {
    "ClassShift": "class_shift",
    "Crossing": "crossing",
    "Curve": "curves",
    "Extrapolation": "extrapolating",
    "NewClass": "expected",
    "PrevalenceEstimate": "estimating",
    "Sweep": "sweeping",
    "estimate_prevalence": "estimating",
    "extrapolate": "extrapolating",
    "sweep": "sweeping",
}

__all__ = [
    "ClassShift",
    "Crossing",
    "Curve",
    "Extrapolation",
    "NewClass",
    "PrevalenceEstimate",
    "Sweep",
    "estimate_prevalence",
    "extrapolate",
    "sweep",
]


if not TYPE_CHECKING:  # to whom every name is known

    def __getattr__(name: str) -> Any:
        """A public name from its home."""
        if name not in _HOMES:
            raise AttributeError(f"module 'evenhand.shift' has no attribute {name!r}")
        value = getattr(import_module(f"evenhand.shift.{_HOMES[name]}"), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return __all__

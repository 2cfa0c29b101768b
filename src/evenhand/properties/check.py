"""Check: the five properties of any metric, each with its evidence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from evenhand.catalogue.binding import Metrics, several
from evenhand.core.properties import NAMES, Properties
from evenhand.core.registry import all_metrics
from evenhand.errors import InputError
from evenhand.properties.chance import chance
from evenhand.properties.decomposability import decomposability
from evenhand.properties.invariance import invariance
from evenhand.properties.monotonicity import monotonicity
from evenhand.properties.result import Finding, Profile, Profiles
from evenhand.properties.sensitivity import sensitivity
from evenhand.properties.subject import Subject, subject_of
from evenhand.signature.fields import checked_seed

STUDIES = dict(
    zip(NAMES, (monotonicity, sensitivity, decomposability, invariance, chance), strict=True)
)
SIZES = (2, 3, 4)


def check(metric: Any, *, sizes: Sequence[int] = SIZES, seed: int = 0) -> Profile:
    """The five properties of a metric, by search over tables of so many classes (``sizes``).

    ``metric`` is a name, a spelling such as ``"macro_fbeta:beta=2"`` or ``"kappa@uniform"``, an
    address ``"module:function"``, or a function of ``Counts`` or of a matrix (rows = true).

    >>> found = check("accuracy", sizes=(2, 3))
    >>> found.monotonicity.holds, found.prevalence_invariance.holds
    (True, False)
    >>> print(found.prevalence_invariance.evidence)
    a class twice as frequent changes it: 1/3 → 1/4
    """
    checked_seed(seed)
    subject = subject_of(metric)
    numbers = _sizes(sizes)
    if subject.classes is not None:
        numbers = (subject.classes,)
    found = [
        _derived(name, study(subject, numbers, seed), subject.promised)
        for name, study in STUDIES.items()
    ]
    return Profile(subject.name, *found)


def _sizes(sizes: Sequence[int]) -> tuple[int, ...]:
    """The numbers of classes to search tables of, in order."""
    try:
        found = tuple(sorted({int(k) for k in sizes}))
    except (TypeError, ValueError, OverflowError):
        found = ()
    if not found or found[0] < 2 or found[-1] > 6:
        raise InputError(f"sizes must be a list of numbers from 2 to 6, got {sizes!r}")
    return found


def _derived(name: str, finding: Finding, promised: Properties | None) -> Finding:
    """What the search could not refute, with the derivation that the registry has for it."""
    why = None if promised is None else promised.because.get(name)
    if why is None or finding.status in ("refuted", "shown"):
        return finding
    lacking = finding.status == "not shown"
    return replace(finding, status="derived", derivation=why, lacking=lacking)


def table(
    *, metrics: Metrics | None = None, sizes: Sequence[int] = SIZES, seed: int = 0
) -> Profiles:
    """The properties of several metrics; by default of all that are registered for tables.

    >>> table(metrics=["accuracy", "kappa"], sizes=(2,)).to_dict()["metrics"]["kappa"][
    ...     "monotonicity"]["holds"]
    False
    """
    numbers = _sizes(sizes)
    found = tuple(check(m, sizes=numbers, seed=seed) for m in several(metrics, registered))
    return Profiles(found, numbers, seed)


def registered() -> list[str]:
    """Every registered metric of a table of classes, with a parameter where it needs one.

    >>> "macro_fbeta:beta=2" in registered()
    True
    """
    found = []
    for m in all_metrics():
        if m.needs != "items" and not m.of_one_class:
            found.append(f"{m.name}:beta=2" if "beta" in m.parameters else m.name)
    return found


__all__ = ["SIZES", "Subject", "check", "registered", "table"]

"""Profile: the five properties of any metric, each with its evidence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from evenhand.catalogue.naming import Metrics, several
from evenhand.core.promises import NAMES, Properties
from evenhand.core.registry import all_metrics
from evenhand.errors import InputError
from evenhand.notes.note import Note
from evenhand.properties.chance import chance
from evenhand.properties.content import ROWS, blocks, data, evidence_of, summary
from evenhand.properties.decomposability import decomposability
from evenhand.properties.finding import Finding
from evenhand.properties.invariance import invariance
from evenhand.properties.monotonicity import monotonicity
from evenhand.properties.sensitivity import sensitivity
from evenhand.properties.subject import Subject, subject_of
from evenhand.results.content import Content, Words
from evenhand.results.result import Collection, Result
from evenhand.results.text import listed
from evenhand.signature.fields import checked_seed

STUDIES = dict(
    zip(NAMES, (monotonicity, sensitivity, decomposability, invariance, chance), strict=True)
)
JUDGING = ("monotonicity", "chance_correction")
"""Properties of metrics that have a better end."""
SIZES = (2, 3, 4)
ORIENTATION = "rows = true, columns = predicted"


@dataclass(frozen=True, eq=False, repr=False)
class Profile(Collection[str, Finding], Result):
    """The five properties of one metric.

    >>> import evenhand as eh
    >>> found = eh.properties.check("accuracy", sizes=(2,))
    >>> [name for name, finding in found.items() if finding.holds]
    ['monotonicity']
    """

    metric: str
    monotonicity: Finding
    class_sensitivity: Finding
    class_decomposability: Finding
    prevalence_invariance: Finding
    chance_correction: Finding
    cautions: tuple[Note, ...] = field(default=(), kw_only=True)

    @property
    def parts(self) -> dict[str, Finding]:
        """Each property by name."""
        return {name: getattr(self, name) for name in NAMES}

    def findings(self) -> dict[str, Any]:
        """Each property as in JSON."""
        return self.picked(*NAMES)

    def facts(self) -> dict[str, Any]:
        """The metric and its properties."""
        return {"metric": self.metric, "orientation": ORIENTATION, **self.findings()}

    def content(self) -> Content:
        """What it has and lacks, and each property with its evidence."""
        said = [Words(summary(self), "verdict"), *evidence_of(self), Words(ROWS, "note")]
        return Content(self.metric, said, lambda: data([self]), warnings=self.warnings)


@dataclass(frozen=True, eq=False, repr=False)
class Profiles(Collection[str, Profile], Result):
    """The properties of several metrics: table 5 of Opitz (2022), and whatever is beside it.

    >>> import evenhand as eh
    >>> list(eh.properties.table(metrics=["kappa", "accuracy"], sizes=(2,)))
    ['kappa', 'accuracy']
    """

    profiles: tuple[Profile, ...]
    classes: tuple[int, ...]
    seed: int
    cautions: tuple[Note, ...] = ()

    of_metrics = True

    @property
    def parts(self) -> dict[str, Profile]:
        """The properties of each metric."""
        return {p.metric: p for p in self.profiles}

    def facts(self) -> dict[str, Any]:
        """What ``evenhand properties --format json`` prints."""
        return {
            "classes": self.classes,
            "seed": self.seed,
            "orientation": ORIENTATION,
            "metrics": {p.metric: p.findings() for p in self.profiles},
        }

    def content(self) -> Content:
        """The table, then each metric with its evidence."""
        title = f"the five properties of {listed(self)}"
        return Content(
            title, blocks(self.profiles), lambda: data(self.profiles), warnings=self.warnings
        )


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
    with np.errstate(invalid="ignore"):  # some metrics are infinite, and ∞ − ∞ is no number
        found = [
            _derived(name, _judging(name, study(subject, numbers, seed), subject), subject.promised)
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


def _judging(name: str, finding: Finding, subject: Subject) -> Finding:
    """What has no better end can neither reward a hit nor be beaten by a guess."""
    if subject.judges or name not in JUDGING or finding.status != "not refuted":
        return finding
    text = "neither high nor low values are better: it describes and does not judge"
    return Finding("refuted", text, finding.tried)


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
        if m.properties is not None and not m.of_one_class:
            found.append(f"{m.name}:beta=2" if "beta" in m.parameters else m.name)
    return found

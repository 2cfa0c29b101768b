"""The five properties of metrics, each with its evidence."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from evenhand.catalogue.descriptions import property_lines
from evenhand.catalogue.lists import Metrics, several
from evenhand.catalogue.spelling import Spec
from evenhand.core.properties import NAMES
from evenhand.core.registry import all_metrics
from evenhand.errors import InputError, quoted
from evenhand.options import SEED
from evenhand.properties.decomposability import decomposability
from evenhand.properties.search import Finding, FindingDetail, TriedTables
from evenhand.properties.studies import chance, invariance, monotonicity, sensitivity
from evenhand.properties.subject import Subject, subject_of
from evenhand.results.document import Block, Content, Heading, Paragraph, Section, Table
from evenhand.results.result import Collection, Result
from evenhand.text import Cell, Grid, ShownCell, listed, named

if TYPE_CHECKING:
    from evenhand.properties.search import ScoredTable

HEADS = ("I monotone", "II sensitive", "III decomposable", "IV invariant", "V corrected")
LEGEND = (
    "✓ has the property, ✗ lacks it, (✓) has it after calibration to equal classes, "
    "? was not refuted and not derived."
)
ROWS = "Tables have true classes as rows."
STATED = (
    "As the catalogue has them. evenhand properties mcc searches for tables that show it of one "
    "metric; the option all, of every metric, which takes half a minute."
)


def mark(finding: Finding) -> str:
    """A tick, a cross or a question mark, with the formula or the effect of calibration."""
    sign = {True: "✓", False: "✗", None: "?"}[finding.holds]
    detail = finding.detail
    if "formula" in detail:
        kind = "" if detail["kind"] == "bound" else f", {detail['kind']}"
        return f"{sign} {detail['formula']}{kind}"
    if finding.holds is not True and detail.get("after_calibration"):
        return f"{sign} (✓)"
    return sign


class PropertyMark(ShownCell):
    """A tick or a cross in a table."""

    finding: Finding

    def text(self, digits: int) -> str:
        return mark(self.finding)

    @property
    def sort(self) -> float | None:
        return {True: 1, None: 0, False: -1}[self.finding.holds]


def summary(profile: Profile) -> str:
    """What a metric has and lacks, in a sentence."""
    parts = []
    for words, holds in (("has", True), ("lacks", False), ("not decided:", None)):
        names = [name.replace("_", " ") for name, f in profile.items() if f.holds is holds]
        parts += [f"{words} {named(names)}"] if names else []
    return "; ".join(parts)


def evidence_of(profile: Profile) -> Iterable[Block]:
    """Each property of one metric with the tables that show it, or why it holds."""
    for name, f in profile.items():
        yield Heading(f"{name.replace('_', ' ')} {mark(f)} ({f.status})")
        lines = [f.evidence, *(f"{matrix(s)}  {s.shown}  ({s.what})" for s in f.example)]
        if f.derivation:
            lines.append(f"because {f.derivation}")
        after = f.detail.get("after_calibration")
        if f.holds is False and after is not None:
            does = "does" if after else "does not"
            lines.append(f"after calibration to equal classes it {does} hold in the same search")
        lines.append(f"tried {f.tried}")
        yield Paragraph("\n".join(f"  {line}" for line in lines))


def matrix(s: ScoredTable) -> str:
    """The table in a line, as Python and JSON write it."""
    return str([*map(list, s.table)])


def data(profiles: Sequence[Profile]) -> Grid:
    """One row a metric and property."""
    rows: list[list[Cell]] = []
    for p in profiles:
        for name, f in p.items():
            holds = {True: "true", False: "false", None: ""}[f.holds]
            example = "; ".join(f"{s.what}: {matrix(s)} = {s.full}" for s in f.example)
            said = f.status, f.evidence, f.derivation, example, str(f.tried)
            rows.append([p.metric, name, holds, *said])
    head = ["metric", "property", "holds", "status", "evidence", "derivation", "example", "tried"]
    return Grid(head, rows)


STUDIES = dict(
    zip(NAMES, (monotonicity, sensitivity, decomposability, invariance, chance), strict=True)
)
JUDGING = ("monotonicity", "chance_correction")
"""Properties that only metrics with a better end can have."""
SIZES = (2, 3, 4)
ORIENTATION = "rows = true, columns = predicted"


class Profile(Collection[str, Finding], Result):
    """The five properties of one metric.

    >>> import evenhand as eh
    >>> profile = eh.properties.check("accuracy", sizes=(2,))
    >>> [name for name, finding in profile.items() if finding.holds]
    ['monotonicity']
    """

    json_fields = f"metric orientation {' '.join(NAMES)}"
    orientation = ORIENTATION

    metric: str
    monotonicity: Finding
    class_sensitivity: Finding
    class_decomposability: Finding
    prevalence_invariance: Finding
    chance_correction: Finding

    @property
    def parts(self) -> dict[str, Finding]:
        """Each property by name."""
        return {name: getattr(self, name) for name in NAMES}

    def content(self) -> Content:
        """What it has and lacks, and each property with its evidence."""
        text = [Paragraph(summary(self), "verdict"), *evidence_of(self), Paragraph(ROWS, "note")]
        return Content(self.metric, text, lambda: data([self]), warnings=self.warning_lines)


class Profiles(Collection[str, Profile], Result):
    """The properties of several metrics, as in table 5 of Opitz (2022).

    >>> import evenhand as eh
    >>> list(eh.properties.table(metrics=["kappa", "accuracy"], sizes=(2,)))
    ['kappa', 'accuracy']
    """

    profiles: tuple[Profile, ...]
    classes: tuple[int, ...]
    seed: int

    json_fields = f"classes seed orientation metrics=parts({' '.join(NAMES)})"
    orientation = ORIENTATION
    of_metrics = True

    @property
    def parts(self) -> dict[str, Profile]:
        """The properties of each metric."""
        return {p.metric: p for p in self.profiles}

    def content(self) -> Content:
        """The table, then each metric with its evidence."""
        title = f"the five properties of {listed(self)}"
        rows: list[list[Cell]] = [[p.metric, *map(PropertyMark, p.values())] for p in self.profiles]
        is_stated = all(f.status == "stated" for p in self.profiles for f in p.values())
        blocks: list[Block] = [
            Table(Grid(["metric", *HEADS], rows), note=LEGEND),
            Paragraph(STATED if is_stated else ROWS, "note"),
            *(
                Section(f"metric-{i}", p.metric, p.metric, [Paragraph(summary(p)), *evidence_of(p)])
                for i, p in enumerate(() if is_stated else self.profiles)
            ),
        ]
        return Content(title, blocks, lambda: data(self.profiles), warnings=self.warning_lines)


def check(metric: Any, *, sizes: Sequence[int] = SIZES, seed: int = 0) -> Profile:
    """The five properties of a metric, by search over tables of so many classes (``sizes``).

    ``metric`` is a name, a spelling such as ``"macro_fbeta:beta=2"`` or ``"kappa@uniform"``, an
    address ``"module:function"``, or a function of ``Counts`` or of a matrix (rows = true).

    >>> profile = check("accuracy", sizes=(2, 3))
    >>> profile.monotonicity.holds, profile.prevalence_invariance.holds
    (True, False)
    >>> print(profile.prevalence_invariance.evidence)
    a class twice as frequent changes it: 1/3 → 1/4
    """
    SEED.check(seed, "seed")
    subject, numbers = subject_of(metric), _sizes(sizes)
    if subject.mix is not None:
        numbers = (len(subject.mix),)
    with np.errstate(invalid="ignore"):  # some metrics are infinite, and ∞ − ∞ is no number
        findings = {name: study(subject, numbers, seed) for name, study in STUDIES.items()}
    return Profile(subject.name, *(_derived(name, f, subject) for name, f in findings.items()))


def _sizes(sizes: Sequence[int]) -> tuple[int, ...]:
    """The numbers of classes to search tables of, in order."""
    try:
        numbers = sorted({operator.index(k) for k in sizes})
    except TypeError:
        numbers = []
    if not numbers or numbers[0] < 2 or numbers[-1] > 6:
        raise InputError(f"sizes must be a list of numbers from 2 to 6, got {quoted(sizes)}")
    return tuple(numbers)


def _derived(name: str, finding: Finding, subject: Subject) -> Finding:
    """The finding; derived where it was not refuted and the metric's record has a derivation.

    It is refuted where the property needs a better end and the metric has none.
    """
    if finding.status in ("refuted", "shown"):
        return finding
    if not subject.judges and name in JUDGING:
        text = "neither high nor low values are better: it describes and does not judge"
        return Finding("refuted", text, finding.tried)
    why = None if subject.known_properties is None else subject.known_properties.because.get(name)
    if why is None:
        return finding
    return replace(finding, status="derived", derivation=why, lacking=finding.status == "not shown")


def table(
    *, metrics: Metrics | None = None, sizes: Sequence[int] = SIZES, seed: int = 0
) -> Profiles:
    """The properties of several metrics; by default of all that are registered for tables.

    >>> table(metrics=["accuracy", "kappa"], sizes=(2,)).to_dict()["metrics"]["kappa"][
    ...     "monotonicity"]["holds"]
    False
    """
    numbers = _sizes(sizes)
    profiles = tuple(check(m, sizes=numbers, seed=seed) for m in several(metrics, registered))
    return Profiles(profiles, numbers, seed)


def stated() -> Profiles:
    """What the catalogue says of the properties of every registered metric, without a search.

    >>> profile = stated()["accuracy"]
    >>> profile.monotonicity.holds, profile.prevalence_invariance.holds
    (True, False)
    """
    return Profiles(tuple(map(_stated, registered())), (), 0)


def _stated(name: str) -> Profile:
    """The properties by the catalogue; where nobody has derived them, by a short search."""
    spec = Spec.parse(name)
    known = spec.metric.properties_with(**spec.options)
    even = spec.metric.properties_with(calibrate=True, **spec.options)
    if known is None or even is None:
        return check(name, sizes=SIZES[:2])
    words = dict(property_lines(spec.metric))
    findings = []
    for p in NAMES:
        value, detail = getattr(known, p), FindingDetail()
        if p == "chance_correction":
            formula, _, kind = (value or "").partition(", ")
            detail = {"formula": formula, "kind": kind or "bound"} if value else {"kind": "none"}
        elif p == "prevalence_invariance":
            detail = {"after_calibration": bool(even.prevalence_invariance)}
        evidence, why = words[p.replace("_", " ")], known.because.get(p)
        tried = TriedTables(0, (), "nothing was searched")
        findings.append(Finding("stated", evidence, tried, (), why, detail, lacking=not value))
    return Profile(name, *findings)


def registered() -> list[str]:
    """Every registered metric of a table of classes, with a parameter where it needs one.

    >>> "macro_fbeta:beta=2" in registered()
    True
    """
    return [
        f"{m.name}:beta=2" if "beta" in m.parameters else m.name
        for m in all_metrics()
        if m.needs != "items" and not m.of_one_class
    ]

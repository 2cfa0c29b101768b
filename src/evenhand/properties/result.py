"""What a study of a metric finds: frozen, with the tables that show it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Literal

from evenhand.core.properties import NAMES
from evenhand.notes.note import Note
from evenhand.notes.record import Record
from evenhand.properties.blocks import ROWS, blocks, data, evidence_of, summary
from evenhand.results.content import Content, Words
from evenhand.results.result import Collection, Result
from evenhand.results.text import MINUS, listed, number

Status = Literal["refuted", "shown", "derived", "not refuted", "not shown"]
Rows = tuple[tuple[int, ...], ...]
ORIENTATION = "rows = true, columns = predicted"


@dataclass(frozen=True, eq=False)
class Scored(Record):
    """A table, what it is in the argument, and its score, as a fraction where it is one."""

    what: str
    table: Rows
    score: float
    exact: Fraction | None = None

    @property
    def shown(self) -> str:
        """The score for a reader: a fraction if that is short, else seven digits."""
        if self.exact is not None and self.exact.denominator < 10**6:
            return f"{MINUS * (self.exact < 0)}{abs(self.exact)}"
        return number(float(f"{self.score:.7g}"), None)

    @property
    def full(self) -> str:
        """The score for a machine: the fraction, or all digits."""
        return str(self.score if self.exact is None else self.exact)

    def to_dict(self) -> dict[str, Any]:
        """As in JSON."""
        exact = None if self.exact is None else str(self.exact)
        return {**self.picked("what", "table", "score"), "exact": exact}


@dataclass(frozen=True, eq=False)
class Tried(Record):
    """What a search looked at."""

    tables: int
    classes: tuple[int, ...]
    method: str

    def __str__(self) -> str:
        of = ", ".join(map(str, self.classes))
        return f"{self.tables:,} tables of {of} classes: {self.method}"


@dataclass(frozen=True, eq=False)
class Finding(Record):
    """One property of one metric.

    ``refuted``: the tables in ``example`` show that it lacks the property. ``shown``: they show
    that it has it (only class sensitivity can be shown by an example). ``derived``: not refuted,
    and ``derivation`` says why it cannot be. ``not refuted`` and ``not shown``: the search found
    nothing, which proves nothing; ``holds`` is then ``None``. ``detail`` holds what else there is
    to say: the exponent of the mean, what calibration changes, the value of c.

    >>> import evenhand as eh
    >>> found = eh.properties.check("accuracy", sizes=(2,))
    >>> found["prevalence_invariance"].status
    'refuted'
    """

    told = ("holds", "status", "evidence", "example", "derivation", "tried")

    status: Status
    evidence: str
    tried: Tried
    example: tuple[Scored, ...] = ()
    derivation: str | None = None
    detail: Mapping[str, Any] = field(default_factory=dict)
    lacking: bool = False

    @property
    def holds(self) -> bool | None:
        """Whether the metric has the property; ``None`` if the search cannot tell."""
        if self.status == "derived":
            return not self.lacking
        return {"refuted": False, "shown": True}.get(self.status)

    def to_dict(self) -> dict[str, Any]:
        """As in JSON."""
        return {**super().to_dict(), **self.detail}


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

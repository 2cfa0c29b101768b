"""What a study of a metric finds: frozen, with the tables that show it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any, Literal

from evenhand.core.properties import NAMES
from evenhand.results import grid as grids
from evenhand.results import properties as words
from evenhand.results.grid import Grid
from evenhand.results.json import SCHEMA, record
from evenhand.results.result import Collection, Record, Result

Status = Literal["refuted", "shown", "derived", "not refuted", "not shown"]
Rows = tuple[tuple[int, ...], ...]


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
            return str(self.exact).replace("-", "−")
        return f"{self.score:.7g}".replace("-", "−")

    def to_dict(self) -> dict[str, Any]:
        """As in JSON."""
        return {
            "what": self.what,
            "table": [list(row) for row in self.table],
            "score": self.score,
            "exact": None if self.exact is None else str(self.exact),
        }


@dataclass(frozen=True, eq=False)
class Tried(Record):
    """What a search looked at."""

    tables: int
    classes: tuple[int, ...]
    method: str

    def __str__(self) -> str:
        of = ", ".join(map(str, self.classes))
        return f"{self.tables:,} tables of {of} classes: {self.method}"

    def to_dict(self) -> dict[str, Any]:
        """As in JSON."""
        return {"tables": self.tables, "classes": self.classes, "method": self.method}


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
        return {
            "holds": self.holds,
            "status": self.status,
            "evidence": self.evidence,
            "example": [s.to_dict() for s in self.example],
            "derivation": self.derivation,
            "tried": self.tried.to_dict(),
            **self.detail,
        }


@dataclass(frozen=True, eq=False)
class Profile(Collection[str, Finding], Record):
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

    @property
    def parts(self) -> dict[str, Finding]:
        """Each property by name."""
        return {name: getattr(self, name) for name in NAMES}

    def to_dict(self) -> dict[str, Any]:
        """As in JSON."""
        return {name: finding.to_dict() for name, finding in self.items()}

    def __str__(self) -> str:
        return words.profile_text(self)

    __repr__ = __str__


@dataclass(frozen=True, eq=False)
class Profiles(Collection[str, Profile], Result):
    """The properties of several metrics: table 5 of Opitz (2022), and whatever is beside it.

    >>> import evenhand as eh
    >>> list(eh.properties.table(metrics=["kappa", "accuracy"], sizes=(2,)))
    ['kappa', 'accuracy']
    """

    profiles: tuple[Profile, ...]
    classes: tuple[int, ...]
    seed: int

    of_metrics = True

    @property
    def parts(self) -> dict[str, Profile]:
        """The properties of each metric."""
        return {p.metric: p for p in self.profiles}

    def to_dict(self) -> dict[str, Any]:
        """Exactly what ``evenhand properties --format json`` prints."""
        return record(
            {
                "schema": SCHEMA,
                "classes": self.classes,
                "seed": self.seed,
                "orientation": "rows = true, columns = predicted",
                "metrics": {p.metric: p.to_dict() for p in self.profiles},
            }
        )

    @cached_property
    def grid(self) -> Grid:
        """One row a metric."""
        return words.properties_grid(self.profiles)

    @cached_property
    def long_grid(self) -> Grid:
        """One row a metric and property."""
        return words.findings_grid(self.profiles)

    def to_markdown(self, *, digits: int = 4) -> str:
        """The table and the evidence."""
        return words.properties_markdown(self.profiles, self.grid)

    def to_latex(self, *, digits: int = 4) -> str:
        """The table for a paper."""
        return grids.latex(self.grid, digits)

    def __repr__(self) -> str:
        return words.properties_text(self.profiles, self.grid)

    def _repr_html_(self) -> str:
        return grids.html_table(self.grid)

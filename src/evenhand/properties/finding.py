"""Finding: what a study of a metric finds, with the tables that show it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Literal

from evenhand.notes.record import Record
from evenhand.results.text import MINUS, number

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

"""A claim of a document: what it says, and the computation that judges it when asked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from typing import Any, Literal

from evenhand.errors import InputError
from evenhand.results import grid as grids
from evenhand.results.grid import Cell, Grid, plain
from evenhand.results.json import SCHEMA, record
from evenhand.results.result import Collection, Result
from evenhand.results.text import visible

Verdict = Literal["holds", "misprint", "fails as printed"]
DOCUMENTS = {
    "000": "Opitz & Burst 2019",
    "001": "Note on weighted metrics",
    "002": "Shmueli 2019",
    "003": "Opitz 2022",
    "004": "Opitz & Burst 2019, another rendering",
}
ROOMS = (
    "twins_theory",
    "twins_proofs",
    "twins_numbers",
    "weighted",
    "shmueli",
    "overview",
    "overview_calibration",
    "overview_properties",
    "overview_derivatives",
    "overview_chance",
    "overview_study",
)


@dataclass(frozen=True)
class Outcome:
    """What a computation found."""

    verdict: Verdict
    computed: str
    evidence: str


@dataclass(frozen=True)
class Claim:
    """One claim; ``check`` computes its outcome."""

    id: str
    where: str
    claim: str
    printed: str
    check: Callable[[], Outcome]

    @property
    def document(self) -> str:
        """The document that makes the claim."""
        return DOCUMENTS[self.id.partition("-")[0]]


@dataclass(frozen=True)
class Judged:
    """A claim with its outcome.

    >>> {j.outcome.verdict for j in recompute(["001"]).values()} <= {"holds", "misprint"}
    True
    """

    claim: Claim
    outcome: Outcome

    def to_dict(self) -> dict[str, Any]:
        """As in JSON."""
        c, o = self.claim, self.outcome
        return {
            "id": c.id,
            "document": c.document,
            "where": c.where,
            "claim": c.claim,
            "verdict": o.verdict,
            "printed": c.printed,
            "computed": o.computed,
            "evidence": o.evidence,
        }


_CLAIMS: dict[str, Claim] = {}


def claim(
    id: str, where: str, printed: str
) -> Callable[[Callable[[], Outcome]], Callable[[], Outcome]]:
    """Register a computation as the check of a claim, which its docstring states."""

    def register(check: Callable[[], Outcome]) -> Callable[[], Outcome]:
        if id in _CLAIMS:
            raise ValueError(f"two claims are called {id!r}")
        text = " ".join((check.__doc__ or "").split())
        _CLAIMS[id] = Claim(id, where, text, printed, check)
        return check

    return register


def judged(
    as_printed: bool,
    computed: str,
    evidence: str,
    *,
    corrected: bool = False,
) -> Outcome:
    """The verdict: it holds, or a corrected form does (a misprint), or it fails as printed."""
    verdict: Verdict = "holds" if as_printed else "misprint" if corrected else "fails as printed"
    return Outcome(verdict, computed, evidence)


def all_claims() -> list[Claim]:
    """Every claim, in the order of the documents."""
    for room in ROOMS:
        import_module(f"evenhand.papers.{room}")
    return sorted(_CLAIMS.values(), key=lambda c: c.id[:3])


@dataclass(frozen=True, eq=False)
class Claims(Collection[str, Judged], Result):
    """Claims with their outcomes.

    >>> found = recompute(["001"])
    >>> found[next(iter(found))].claim.document
    'Note on weighted metrics'
    """

    judged: tuple[Judged, ...]

    @property
    def parts(self) -> dict[str, Judged]:
        """The claims by their id."""
        return {j.claim.id: j for j in self.judged}

    def to_dict(self) -> dict[str, Any]:
        """Exactly what ``evenhand papers --format json`` prints."""
        return record({"schema": SCHEMA, "claims": [j.to_dict() for j in self.judged]})

    @cached_property
    def long_grid(self) -> Grid:
        """Every field: what CSV holds."""
        rows: list[list[Cell]] = [list(j.to_dict().values()) for j in self.judged]
        head = ["id", "document", "where", "claim", "verdict", "printed", "computed", "evidence"]
        return Grid(head, rows)

    @cached_property
    def grid(self) -> Grid:
        """One row a claim."""
        rows: list[list[Cell]] = [
            [c.id, c.where, c.claim, o.verdict, c.printed, o.computed, o.evidence]
            for c, o in ((j.claim, j.outcome) for j in self.judged)
        ]
        head = ["id", "where", "claim", "verdict", "printed", "computed", "evidence"]
        return Grid(head, rows, notes=[self.summary])

    @property
    def summary(self) -> str:
        """How many claims got each verdict."""
        kinds = [j.outcome.verdict for j in self.judged]
        parts = [f"{kinds.count(v)} {v}" for v in ("holds", "misprint", "fails as printed")]
        return f"{len(kinds)} claims: {', '.join(parts)}."

    def to_markdown(self, *, digits: int = 4) -> str:
        """A table of the claims."""
        return grids.markdown(self.grid, digits)

    def to_latex(self, *, digits: int = 4) -> str:
        """A table for a paper."""
        return grids.latex(self.grid, digits)

    def __repr__(self) -> str:
        few = len(self.judged) <= 3
        if few:
            return "\n\n".join(_in_full(j) for j in self.judged)
        rows: list[list[Cell]] = [
            [j.claim.id, j.outcome.verdict, j.claim.printed, j.outcome.computed]
            for j in self.judged
        ]
        short = plain(Grid(["id", "verdict", "printed", "computed"], rows), label_width=60)
        return f"{short}\n\n{self.summary} Name a claim to see all of it."

    def _repr_html_(self) -> str:
        return grids.html_table(self.grid)


def _in_full(j: Judged) -> str:
    facts = j.to_dict()
    wide = max(map(len, facts))
    return "\n".join(f"{name:<{wide}}  {visible(str(value))}" for name, value in facts.items())


def recompute(names: Sequence[str] = ()) -> Claims:
    """Judge the claims whose id, or beginning of id, or document is named; else all of them.

    >>> recompute(["Shmueli"]).summary.endswith("0 fails as printed.")
    True
    """
    known = all_claims()
    if not names:
        return Claims(tuple(Judged(c, c.check()) for c in known))
    chosen: dict[str, Claim] = {}
    for name in names:
        low = name.lower()
        found = [c for c in known if c.id == low]
        found = found or [c for c in known if c.id.startswith(low) or low in c.document.lower()]
        if not found:
            raise InputError(
                f"no claim and no document is called {name!r}: documents are "
                + ", ".join(f"{k} ({v})" for k, v in DOCUMENTS.items())
            )
        chosen |= {c.id: c for c in found}
    return Claims(tuple(Judged(c, c.check()) for c in chosen.values()))

"""A claim of a document: what it says, and the computation that judges it when asked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Literal, get_args

from evenhand.errors import InputError
from evenhand.notes.note import Note
from evenhand.results.cells import Cell
from evenhand.results.content import Block, Content, Facts, Heading, Sheet, Words
from evenhand.results.grid import Grid
from evenhand.results.result import Collection, Result
from evenhand.results.text import counted

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
    "weighted_note",
    "shmueli",
    "overview",
    "overview_calibration",
    "overview_properties",
    "overview_derivatives",
    "overview_chance",
    "overview_study",
)

HEAD = ("id", "document", "where", "claim", "verdict", "printed", "computed", "evidence")
FEW = 3
"""Claims up to which each is shown in full."""


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
        said = (c.id, c.document, c.where, c.claim, o.verdict, c.printed, o.computed, o.evidence)
        return dict(zip(HEAD, said, strict=True))


_CLAIMS: dict[str, Claim] = {}


def claim(
    id: str, where: str, printed: str
) -> Callable[[Callable[[], Outcome]], Callable[[], Outcome]]:
    """Register a computation as the check of a claim, which its docstring states."""

    def register(check: Callable[[], Outcome]) -> Callable[[], Outcome]:
        state(id, where, printed, " ".join((check.__doc__ or "").split()), check)
        return check

    return register


def state(id: str, where: str, printed: str, text: str, check: Callable[[], Outcome]) -> None:
    """Register a computation as the check of a claim: one of several of a kind."""
    if id in _CLAIMS:
        raise ValueError(f"two claims are called {id!r}")
    _CLAIMS[id] = Claim(id, where, text, printed, check)


def judged(as_printed: bool, computed: str, evidence: str, *, corrected: bool = False) -> Outcome:
    """The verdict: it holds, or a corrected form does (a misprint), or it fails as printed."""
    verdict: Verdict = "holds" if as_printed else "misprint" if corrected else "fails as printed"
    return Outcome(verdict, computed, evidence)


def all_claims() -> list[Claim]:
    """Every claim, in the order of the documents."""
    for room in ROOMS:
        import_module(f"evenhand.papers.{room}")
    return sorted(_CLAIMS.values(), key=lambda c: c.id[:3])


@dataclass(frozen=True, eq=False, repr=False)
class Claims(Collection[str, Judged], Result):
    """Claims with their outcomes.

    >>> found = recompute(["001"])
    >>> found[next(iter(found))].claim.document
    'Note on weighted metrics'
    """

    judged: tuple[Judged, ...]
    cautions: tuple[Note, ...] = ()

    @property
    def parts(self) -> dict[str, Judged]:
        """The claims by their id."""
        return {j.claim.id: j for j in self.judged}

    @property
    def summary(self) -> str:
        """How many claims got each verdict."""
        kinds = [j.outcome.verdict for j in self.judged]
        parts = [f"{kinds.count(v)} {v}" for v in get_args(Verdict)]
        return f"{counted(len(kinds), 'claim')}: {', '.join(parts)}."

    def facts(self) -> dict[str, Any]:
        """What ``evenhand papers --format json`` prints."""
        return {"claims": [j.to_dict() for j in self.judged]}

    def content(self, *, full: bool | None = None) -> Content:
        """The claims by document; in full where they are few, unless ``full`` says otherwise.

        Those that do not hold are always there in full, after the tables.
        """
        if full or (full is None and len(self.judged) <= FEW):
            said = [block for j in self.judged for block in _in_full(j)]
        else:
            said = list(self._tables())
            wrong = [j for j in self.judged if j.outcome.verdict != "holds"]
            said += [block for j in wrong for block in _in_full(j)]
            said.append(Words("Name a claim to see all of it.", "note"))
        return Content(self.summary, said, self._data, warnings=self.warnings)

    def _tables(self) -> Iterable[Block]:
        """One a document, with a row a claim."""
        of: dict[str, list[list[Cell]]] = {}
        for c, o in ((j.claim, j.outcome) for j in self.judged):
            of.setdefault(c.document, []).append([c.id, o.verdict, c.printed, o.computed, c.claim])
        head = ["id", "verdict", "printed", "computed", "claim"]
        for document, rows in of.items():
            yield Sheet(Grid(head, rows), document, rows="claims", wide=60)

    def _data(self) -> Grid:
        """Every field of every claim."""
        return Grid(HEAD, [list(j.to_dict().values()) for j in self.judged])


def _in_full(j: Judged) -> list[Block]:
    told = j.to_dict()
    return [Heading(told.pop("id")), Facts(list(told.items()))]


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

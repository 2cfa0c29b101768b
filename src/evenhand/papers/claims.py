"""A claim of a document: what it says, and the computation that judges it when asked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Literal

from evenhand.papers.documents import DOCUMENTS
from evenhand.papers.outline import place

Verdict = Literal[
    "holds", "holds with a remark", "misprint", "fails as printed", "cannot be checked"
]
ROOMS = (
    "twins_theory",
    "twins_proofs",
    "twins_numbers",
    "twins_figures",
    "weighted_note",
    "shmueli",
    "overview",
    "overview_calibration",
    "overview_properties",
    "overview_derivatives",
    "overview_chance",
    "overview_study",
    "overview_ranges",
)


@dataclass(frozen=True)
class Outcome:
    """What a computation found."""

    verdict: Verdict
    computed: str
    evidence: str


Check = Callable[..., Outcome]


@dataclass(frozen=True)
class Claim:
    """One claim; ``check`` computes its outcome, from a seed where it is ``drawn``.

    Where no computation can decide, somebody has read the document: then it is ``by_eye``.
    """

    id: str
    where: str
    claim: str
    printed: str
    check: Check
    drawn: bool = False
    by_eye: bool = False

    @property
    def document(self) -> str:
        """The document that makes the claim."""
        return str(DOCUMENTS[self.id.partition("-")[0]])

    @property
    def basis(self) -> str:
        """What the verdict rests on."""
        return "read by eye" if self.by_eye else "computed"

    def outcome(self, seed: int) -> Outcome:
        """The outcome, computed now."""
        return self.check(seed) if self.drawn else self.check()


_CLAIMS: dict[str, Claim] = {}


def claim(
    id: str, where: str, printed: str, *, drawn: bool = False, by_eye: bool = False
) -> Callable[[Check], Check]:
    """Register a computation as the check of a claim, which its docstring states."""

    def register(check: Check) -> Check:
        text = " ".join((check.__doc__ or "").split())
        state(id, where, printed, text, check, drawn=drawn, by_eye=by_eye)
        return check

    return register


def state(
    id: str,
    where: str,
    printed: str,
    text: str,
    check: Check,
    *,
    drawn: bool = False,
    by_eye: bool = False,
) -> None:
    """Register a computation as the check of a claim: one of several of a kind."""
    if id in _CLAIMS:
        raise ValueError(f"two claims are called {id!r}")
    _CLAIMS[id] = Claim(id, where, text, printed, check, drawn, by_eye)


def judged(
    as_printed: bool, computed: str, evidence: str, *, corrected: bool = False, remark: bool = False
) -> Outcome:
    """The verdict: it holds, perhaps with a remark, or a corrected form does (a misprint), or it
    fails as printed.
    """
    if as_printed:
        return Outcome("holds with a remark" if remark else "holds", computed, evidence)
    return Outcome("misprint" if corrected else "fails as printed", computed, evidence)


def open_within(possible: bool, computed: str, evidence: str) -> Outcome:
    """The verdict on numbers that others only confine: outside the confines they fail."""
    return Outcome("cannot be checked" if possible else "fails as printed", computed, evidence)


def all_claims() -> list[Claim]:
    """Every claim, in the order in which the documents make them."""
    for room in ROOMS:
        import_module(f"evenhand.papers.{room}")
    return sorted(_CLAIMS.values(), key=lambda c: (c.id[:3], place(c.id[:3], c.where)))

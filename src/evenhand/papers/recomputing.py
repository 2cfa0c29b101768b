"""Recompute the claims of the documents: all, those named, or those with some words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, get_args

from evenhand.errors import InputError
from evenhand.notes.note import Note
from evenhand.papers.choosing import chosen
from evenhand.papers.claims import Claim, Outcome, Verdict, all_claims
from evenhand.papers.documents import DOCUMENTS
from evenhand.results.cells import Cell
from evenhand.results.content import Block, Content, Facts, Heading, Sheet, Words
from evenhand.results.grid import Grid
from evenhand.results.result import Collection, Result
from evenhand.results.text import counted

HEAD = ("id", "document", "where", "claim", "verdict", "basis", "printed", "computed", "evidence")
FEW = 3
"""Claims up to which each is shown in full."""


@dataclass(frozen=True)
class Judged:
    """A claim with its outcome.

    >>> recompute(["001-weighted-f1"])["001-weighted-f1"].outcome.computed
    '841/1309'
    """

    claim: Claim
    outcome: Outcome

    def to_dict(self) -> dict[str, Any]:
        """As in JSON."""
        c, o = self.claim, self.outcome
        said = (c.id, c.document, c.where, c.claim, o.verdict, c.basis, c.printed)
        return dict(zip(HEAD, (*said, o.computed, o.evidence), strict=True))


@dataclass(frozen=True, eq=False, repr=False)
class Claims(Collection[str, Judged], Result):
    """Claims with their outcomes.

    >>> found = recompute(["lemma", "monotonously"])
    >>> found["000-lemma-not-monotone"].claim.where
    'section 2, after the lemma'
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
        parts = [f"{v} {kinds.count(v)}" for v in get_args(Verdict) if v in kinds]
        eye = sum(j.claim.by_eye for j in self.judged)
        read = f" ({eye} read by eye)" if eye else ""
        return f"{counted(len(kinds), 'claim')}{read}: {', '.join(parts)}."

    def facts(self) -> dict[str, Any]:
        """What ``evenhand papers --format json`` prints."""
        return {"claims": [j.to_dict() for j in self.judged]}

    def content(self, *, full: bool | None = None) -> Content:
        """The claims by document; in full where they are few, unless ``full`` says otherwise.

        Those that do not simply hold are always there in full, after the tables.
        """
        if full or (full is None and len(self.judged) <= FEW):
            said = [block for j in self.judged for block in _in_full(j)]
        else:
            said = list(self._tables())
            odd = [j for j in self.judged if j.outcome.verdict != "holds"]
            said += [block for j in odd for block in _in_full(j)]
            said.append(Words("Name a claim to see all of it.", "note"))
        return Content(self.summary, said, self._data, warnings=self.warnings)

    def _tables(self) -> Iterable[Block]:
        """One a document, with a row a claim."""
        of: dict[str, list[list[Cell]]] = {}
        for c, o in ((j.claim, j.outcome) for j in self.judged):
            verdict = f"{o.verdict} (read by eye)" if c.by_eye else o.verdict
            of.setdefault(c.document, []).append([c.id, verdict, c.printed, o.computed, c.claim])
        head = ["id", "verdict", "printed", "computed", "claim"]
        for document, rows in of.items():
            yield Sheet(Grid(head, rows), document, rows="claims", wide=60)

    def _data(self) -> Grid:
        """Every field of every claim."""
        return Grid(HEAD, [list(j.to_dict().values()) for j in self.judged])


def _in_full(j: Judged) -> list[Block]:
    told = j.to_dict()
    return [Heading(told.pop("id")), Facts(list(told.items()))]


def recompute(words: Sequence[str] = (), *, seed: int = 0) -> Claims:
    """Judge the claims that are named by id or its beginning, or have the words; else all.

    Words are looked for in ids, documents (author, year, title, arXiv number), sections and claims.
    Claims about simulations draw from the seed.

    >>> recompute(["001"]).summary
    '10 claims: holds 8, holds with a remark 1, misprint 1.'
    """
    known = all_claims()
    found = chosen(words, known) if words else known
    if not found:
        documents = ", ".join(f"{key} ({d.cited})" for key, d in DOCUMENTS.items())
        raise InputError(
            f"no claim has {' '.join(words)!r} in its id, document, section or words: documents "
            f"are {documents}"
        )
    return Claims(tuple(Judged(c, c.outcome(seed)) for c in found))

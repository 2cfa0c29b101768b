"""Audit: what was found in a table of reported scores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from evenhand.auditing.blocks import blocks, title
from evenhand.auditing.facts import Assumptions
from evenhand.auditing.rerank import Reranked
from evenhand.notes.note import Note
from evenhand.notes.record import Record
from evenhand.results.cells import Cell
from evenhand.results.content import Content
from evenhand.results.grid import Grid
from evenhand.results.result import Collection, Result


@dataclass(frozen=True, eq=False)
class Finding(Record):
    """A reported number that cannot be true, and the range it could have had.

    ``low`` and ``high`` are in the unit of ``reported``. ``strength`` is "proof" under the
    assumptions that ``message`` names, or "weak" where the number is possible if it was cut
    off instead of rounded, or rounded more coarsely than its column is. ``digits`` are the
    decimals that tell the range from what was printed.
    """

    told = ("column", "reported", "low", "high", "strength", "message")

    column: str
    reported: str
    low: float
    high: float
    strength: str
    reason: str
    assuming: str
    digits: int = 0

    @property
    def message(self) -> str:
        """The reason, and what it assumes."""
        return f"{self.reason} (assuming {self.assuming})"


@dataclass(frozen=True, eq=False)
class System(Record):
    """One row: the formulas that fit its macro F1, and its findings.

    ``unknown`` says that the search for its tables ended undecided: nothing was found wrong,
    and not everything was tried.
    """

    told = ("name", "formula", "ok", "findings")

    name: str
    formula: tuple[str, ...]
    findings: tuple[Finding, ...]
    unknown: bool = False

    @property
    def ok(self) -> bool:
        """Whether nothing was found."""
        return not self.findings


@dataclass(frozen=True, eq=False, repr=False)
class Audit(Collection[str, System], Result):
    """The audit of a table: its systems, the formula behind its macro F1, its assumptions.

    ``formula`` explains most of the rows whose macro F1 can be tested; ``unexplained`` are the
    rows that it does not explain.

    >>> import evenhand as eh
    >>> row = {"name": "ours", "macro_precision": "0.7", "macro_recall": "0.5", "macro_f1": "0.9"}
    >>> found = eh.audit([row])
    >>> list(found), found.ok
    (['ours'], False)
    """

    systems: tuple[System, ...]
    formula: str | None
    tested: int
    unexplained: tuple[str, ...]
    unused: tuple[str, ...]
    assumptions: Assumptions
    ranking: tuple[Reranked, ...] | None = None
    cautions: tuple[Note, ...] = ()

    @property
    def parts(self) -> dict[str, System]:
        """The systems by name."""
        return {s.name: s for s in self.systems}

    @property
    def ok(self) -> bool:
        """Whether nothing was found in any row."""
        return all(s.ok for s in self.systems)

    @property
    def summary(self) -> dict[str, Any]:
        """The audit in numbers."""
        findings = [f for s in self.systems for f in s.findings]
        proofs = sum(f.strength == "proof" for f in findings)
        return {
            "systems": len(self.systems),
            "with_findings": sum(not s.ok for s in self.systems),
            "findings": len(findings),
            "proofs": proofs,
            "weak": len(findings) - proofs,
            "formula": self.formula,
            "explained": self.tested - len(self.unexplained),
            "tested": self.tested,
            "unexplained": list(self.unexplained),
            "unknown": [s.name for s in self.systems if s.unknown],
            "unused": list(self.unused),
            "assumptions": list(self.assumptions.words),
        }

    def facts(self) -> dict[str, Any]:
        """What ``evenhand audit --format json`` prints."""
        ranked = () if self.ranking is None else ("ranking",)
        return self.picked("systems", "summary", *ranked)

    def content(self) -> Content:
        """The formula, the findings and why, the ranking, what all of it assumes."""
        return Content(title(self), blocks(self), self._data, warnings=self.warnings)

    def _data(self) -> Grid:
        """One row a finding, and one for each system without."""
        head = ["name", "formula", "ok", "column", "reported", "low", "high", "strength", "message"]
        rows: list[list[Cell]] = []
        for s in self.systems:
            start: list[Cell] = [s.name, "; ".join(s.formula), "yes" if s.ok else "no"]
            rows += [
                [*start, f.column, f.reported, f.low, f.high, f.strength, f.message]
                for f in s.findings
            ]
            if s.ok:
                rows.append([*start, "", "", None, None, "", ""])
        return Grid(head, rows)

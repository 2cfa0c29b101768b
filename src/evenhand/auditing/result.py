"""Audit: what was found in a table of reported scores, and the forms it takes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from evenhand.auditing.facts import Assumptions
from evenhand.auditing.rerank import Reranked
from evenhand.results import grid as grids
from evenhand.results.grid import Cell, Grid
from evenhand.results.json import SCHEMA, record
from evenhand.results.result import Collection, Record, Result


@dataclass(frozen=True, eq=False)
class Finding(Record):
    """A reported number that cannot be true, and the range it could have had.

    ``low`` and ``high`` are in the unit of ``reported``. ``strength`` is "proof" under the
    assumptions that ``message`` names, or "weak" where the number is possible if it was cut
    off instead of rounded, or rounded more coarsely than its column is.
    """

    column: str
    reported: str
    low: float
    high: float
    strength: str
    reason: str
    assuming: str

    @property
    def message(self) -> str:
        """The reason, and what it assumes."""
        return f"{self.reason} (assuming {self.assuming})"

    def to_dict(self) -> dict[str, Any]:
        """As in JSON."""
        return {
            "column": self.column,
            "reported": self.reported,
            "low": self.low,
            "high": self.high,
            "strength": self.strength,
            "message": self.message,
        }


@dataclass(frozen=True, eq=False)
class System(Record):
    """One row: the formulas that fit its macro F1, and its findings.

    ``unknown`` says that the search for its tables ended undecided: nothing was found wrong,
    and not everything was tried.
    """

    name: str
    formula: tuple[str, ...]
    findings: tuple[Finding, ...]
    unknown: bool = False

    @property
    def ok(self) -> bool:
        """Whether nothing was found."""
        return not self.findings

    def to_dict(self) -> dict[str, Any]:
        """As in JSON."""
        return {
            "name": self.name,
            "formula": list(self.formula),
            "ok": self.ok,
            "findings": [f.to_dict() for f in self.findings],
        }


@dataclass(frozen=True, eq=False)
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

    def to_dict(self) -> dict[str, Any]:
        """Exactly what ``evenhand audit --format json`` prints."""
        content: dict[str, Any] = {
            "schema": SCHEMA,
            "systems": [s.to_dict() for s in self.systems],
            "summary": self.summary,
        }
        if self.ranking is not None:
            content["ranking"] = [r.to_dict() for r in self.ranking]
        return record(content)

    @cached_property
    def long_grid(self) -> Grid:
        """One row a finding, and one for each system without: what CSV and frames hold."""
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

    def to_pandas(self) -> Any:
        """A pandas frame, one finding a row."""
        import pandas as pd

        return pd.DataFrame(self.long_grid.rows, columns=list(self.long_grid.columns))

    def to_polars(self) -> Any:
        """A Polars frame, one finding a row."""
        import polars as pl

        numbers = ("low", "high")
        schema = {c: pl.Float64 if c in numbers else pl.String for c in self.long_grid.columns}
        return pl.DataFrame(self.long_grid.rows, schema=schema, orient="row")

    def to_markdown(self, *, digits: int = 4) -> str:
        """The findings, the formulas and the new ranking as Markdown tables."""
        from evenhand.results.audit import audit_grids

        return "\n\n".join(grids.markdown(g, digits) for g in audit_grids(self))

    def to_latex(self, *, digits: int = 4) -> str:
        """The same as booktabs tables."""
        from evenhand.results.audit import audit_grids

        return "\n\n".join(grids.latex(g, digits) for g in audit_grids(self))

    def __repr__(self) -> str:
        from evenhand.results.audit import audit_text

        return audit_text(self, "audit")

    def _repr_html_(self) -> str:
        from evenhand.results.audit import audit_grids

        return "".join(grids.html_table(g) for g in audit_grids(self))

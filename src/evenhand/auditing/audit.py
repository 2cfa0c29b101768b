"""Audit: a table of reported scores, held against itself, and what was found in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from evenhand.auditing.causes import Causes, likely_causes
from evenhand.auditing.columns import Column
from evenhand.auditing.consistency import LIMIT
from evenhand.auditing.content import blocks, title
from evenhand.auditing.examined import Examined, examined, judged
from evenhand.auditing.examiner import Examiner
from evenhand.auditing.facts import UNTOLD, Assumptions
from evenhand.auditing.findings import Finding, finding
from evenhand.auditing.headed import Asked
from evenhand.auditing.judgement import Judgement
from evenhand.auditing.printed import COUNTED
from evenhand.auditing.reported import Row, read_source, without_spreads
from evenhand.auditing.rerank import Reranked, recomputed, reranked
from evenhand.auditing.scale import Scales
from evenhand.auditing.several import several_labels
from evenhand.auditing.vague import QUESTION
from evenhand.errors import InputError, shown
from evenhand.notes.audit import Outside, SeveralLabels, Undecided
from evenhand.notes.note import Note
from evenhand.results.cells import Cell
from evenhand.results.content import Content
from evenhand.results.grid import Grid
from evenhand.results.result import Collection, Entry, Result

EXPLAINED = 100
"""Rows whose findings are also searched for a likely cause."""


@dataclass(frozen=True, eq=False)
class System(Entry):
    """One row: the formulas that fit its macro F1, the judgement on it alone, and its findings.

    ``unknown`` says that the search for its tables ended undecided: nothing was found wrong,
    and not everything was tried. ``suspects`` are the columns without any one of which a row with
    findings would be consistent.
    """

    told = ("name", "formula", "verdict", "strength", "ok", "findings")

    name: str
    formula: tuple[str, ...]
    findings: tuple[Finding, ...]
    judgement: Judgement
    unknown: bool = False
    suspects: tuple[str, ...] = ()

    @property
    def verdict(self) -> str | None:
        """The formula that this row alone tells; none where it leaves it open."""
        return self.judgement.formula

    @property
    def strength(self) -> float | None:
        """How many times as probable the best formula makes this row as all others do."""
        return self.judgement.candidates[0].strength if self.judgement.candidates else None

    @property
    def ok(self) -> bool:
        """Whether nothing was found."""
        return not self.findings


@dataclass(frozen=True, eq=False, repr=False)
class Audit(Collection[str, System], Result):
    """The audit of a table: its systems, the formula behind its macro F1, its assumptions.

    ``ranking`` is there if asked for, or where the two macro F1s rank the systems differently.
    ``judgement`` is on all rows whose macro F1 can be tested; ``unexplained`` are those that the
    formula it names does not explain.

    >>> import evenhand as eh
    >>> row = {"name": "ours", "macro_precision": "0.7", "macro_recall": "0.5", "macro_f1": "0.9"}
    >>> found = eh.audit([row])
    >>> list(found), found.ok
    (['ours'], False)
    """

    systems: tuple[System, ...]
    judgement: Judgement
    tested: int
    unexplained: tuple[str, ...]
    unused: tuple[str, ...]
    assumptions: Assumptions
    ranking: tuple[Reranked, ...] | None = None
    cautions: tuple[Note, ...] = ()
    columns: tuple[Column, ...] = ()
    printed: tuple[Row, ...] = ()

    @property
    def parts(self) -> dict[str, System]:
        """The systems by name."""
        return {s.name: s for s in self.systems}

    @property
    def formula(self) -> str | None:
        """The formula behind the table's macro F1; none where it cannot be told."""
        return self.judgement.formula

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
            "status": self.judgement.status,
            "strength": self.judgement.strength,
            "candidates": [c.to_dict() for c in self.judgement.candidates],
            "tested": self.tested,
            "unexplained": list(self.unexplained),
            "unknown": [s.name for s in self.systems if s.unknown],
            "unused": list(self.unused),
            "assumptions": list(self.assumptions.words),
        }

    def facts(self) -> dict[str, Any]:
        """What ``evenhand audit --format json`` prints."""
        ranked = () if self.ranking is None else ("ranking",)
        taken = {"columns": [c.to_dict() for c in self.columns]}
        return taken | self.picked("systems", "summary", *ranked)

    def content(self) -> Content:
        """The formula, the findings and why, the ranking, what all of it assumes."""
        return Content(title(self), blocks(self), self._data, warnings=self.warnings)

    def _data(self) -> Grid:
        """One row a finding, and one for each system without."""
        rows: list[list[Cell]] = []
        for s in self.systems:
            found = [[*f.to_dict().values()] for f in s.findings] or [["", "", None, None, "", ""]]
            start = (s.name, "; ".join(s.formula), "yes" if s.ok else "no")
            rows += [[*start, *cells] for cells in found]
        return Grid(["name", "formula", "ok", *Finding.told], rows)


def audit(
    data: Any,
    *,
    support: Mapping[str, int] | None = None,
    meanings: Mapping[str, str] | None = None,
    columns: Sequence[str] = (),
    runs: int | None = None,
    multilabel: bool | None = None,
    abstentions: bool = False,
    complete: bool = True,
    rerank: bool = False,
    limit: int = LIMIT,
    progress: Callable[[int, int], None] | None = None,
) -> Audit:
    """Which formula is behind each reported macro F1, and which numbers cannot be true.

    ``data`` is a document with one table (CSV, LaTeX, Markdown, HTML, Excel, text copied from a
    PDF, what scikit-learn, PyCM and caret print): its file or its text; a data frame; or a list of
    dictionaries, one system a row, with keys ``name``, metrics, ``precision[LABEL]``,
    ``recall[LABEL]``, ``f1[LABEL]``, ``support[LABEL]``, ``n`` and ``correct``. ``meanings`` says
    what headings mean that cannot be guessed, ``columns`` what all of them are. ``support`` gives
    class sizes once for all rows. ``runs``: the scores are means of so many runs, 1 unless a
    spread is printed beside them. ``multilabel``: items may have several labels; unless said, the
    table's own micro averages tell. ``abstentions``: predictions may be outside the classes.
    ``complete=False``: there are more classes than those listed. ``limit`` bounds the search for
    tables in each row.

    Reference: Opitz & Burst 2019 for the two formulas; what is checked, and what each check
    assumes, stands in docs/audit.md.

    >>> row = {"macro_precision": "0.725", "macro_recall": "0.5667", "macro_f1": "0.6042"}
    >>> audit([row]).systems[0].formula
    ('macro_f1',)
    """
    if runs is not None and runs < 1:
        raise InputError(f"runs must be a whole number ≥ 1, got {runs}")
    source = read_source(data, Asked(meanings or {}, columns, tuple(map(str, support or {}))))
    notes = source.notes if runs is None else without_spreads(source.notes)
    runs = runs or (UNTOLD if source.varies else 1)
    several = multilabel
    if several is None:
        several = not abstentions and several_labels(source)
        notes = (*notes, *((SeveralLabels(),) if several else ()))
    assumptions = Assumptions(runs, abstentions, complete, several)
    examiner = Examiner(source, Scales(source), _sizes(support or {}), assumptions, limit)
    rows: list[Examined] = []
    for row in source.rows:
        rows.append(examined(examiner, row))
        if progress is not None:
            progress(len(rows), len(source.rows))
    judgement = judged(source, rows)
    systems = tuple(_systems(examiner, rows, judgement.formula))
    values = [recomputed(r.verdict.facts) for r in rows]
    ranking = reranked([row.name for row in source.rows], values)
    matters = rerank or any(r.move for r in ranking)
    unknown = tuple(s.name for s in systems if s.unknown)
    outside = tuple(r.row.name for r in rows if any(g.outside for g in r.found))
    cautions = ((Undecided, unknown), (Outside, outside))
    return Audit(
        systems,
        judgement,
        sum(r.tells for r in rows),
        tuple(r.row.name for r in rows if r.misses(judgement.formula)),
        source.unused,
        assumptions,
        ranking if matters else None,
        (*notes, *(note(names) for note, names in cautions if names)),
        tuple(source.columns.values()),
        source.rows,
    )


def _systems(examiner: Examiner, rows: Sequence[Examined], formula: str | None) -> Iterator[System]:
    """Each row with its findings, the formula of the table being known, and their causes."""
    header = examiner.source.places.get(("metric", QUESTION.of), "")
    explained = 0
    for i, one in enumerate(rows):
        found, causes = one.findings_under(formula, header), Causes()
        if one.verdict.conflicts and found and explained < EXPLAINED:
            explained += 1
            causes = likely_causes(examiner, one.row, rows[i - 1].row if i else None)
            columns = [g.conflict.column for g in found]
            found = [g for g in found if causes.concerns(g.conflict.column, columns)]
        findings = [finding(examiner, one.row, one.units, g) for g in found]
        findings = [replace(f, reason="; ".join([f.reason, *causes.words])) for f in findings]
        q = one.verdict.question
        yield System(
            one.row.name,
            () if q is None else q.fitting,
            tuple(findings),
            judged(examiner.source, [one]),
            one.verdict.unknown,
            causes.suspects,
        )


def _sizes(support: Mapping[str, int]) -> dict[str, int]:
    wrong = [v for v in support.values() if not _is_size(v)]
    if wrong:
        raise InputError(
            f"support must be whole numbers ≥ 0 of at most {COUNTED} digits, got {shown(wrong)}"
        )
    return {str(k): int(v) for k, v in support.items()}


def _is_size(value: Any) -> bool:
    try:
        return bool(int(value) == value and 0 <= value < 10**COUNTED)
    except (TypeError, ValueError, OverflowError):
        return False

"""audit: a table of reported scores, held against itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from evenhand.auditing.causes import likely_causes
from evenhand.auditing.check import LIMIT, Verdict
from evenhand.auditing.consensus import consensus
from evenhand.auditing.facts import Assumptions, Conflict
from evenhand.auditing.formulas import TWINS, fitting
from evenhand.auditing.ranges import hull
from evenhand.auditing.rerank import recomputed, reranked
from evenhand.auditing.result import Audit, Finding, System
from evenhand.auditing.row import Examiner, Graded, graded
from evenhand.auditing.scale import Reading, Scales
from evenhand.auditing.source import Row, read_source
from evenhand.auditing.written import COUNTED
from evenhand.errors import InputError, shown
from evenhand.notes.audit import Undecided

EXPLAINED = 100
"""Rows whose findings are also searched for a likely cause."""


def audit(
    data: Any,
    *,
    support: Mapping[str, int] | None = None,
    runs: int = 1,
    abstentions: bool = False,
    complete: bool = True,
    rerank: bool = False,
    limit: int = LIMIT,
    progress: Callable[[int, int], None] | None = None,
) -> Audit:
    """Which formula is behind each reported macro F1, and which numbers cannot be true.

    ``data`` is a CSV or TSV file, a data frame, or a list of dictionaries: one system a row,
    with columns ``name``, metrics, ``precision[LABEL]``, ``recall[LABEL]``, ``f1[LABEL]``,
    ``support[LABEL]``, ``n`` and ``correct``. ``support`` gives class sizes once for all rows.
    ``runs``: the scores are means of so many runs. ``abstentions``: predictions may be outside
    the classes. ``complete=False``: there are more classes than those listed. ``limit`` bounds
    the search for tables in each row.

    Reference: section 8 of the mathematics; Opitz & Burst 2019 for the two formulas.

    >>> row = {"macro_precision": "0.725", "macro_recall": "0.5667", "macro_f1": "0.6042"}
    >>> audit([row]).systems[0].formula
    ('macro_f1',)
    """
    if runs < 1:
        raise InputError(f"runs must be a whole number ≥ 1, got {runs}")
    source = read_source(data)
    supports = _sizes(support or {})
    examiner = Examiner(
        source, Scales(source), supports, Assumptions(runs, abstentions, complete), limit
    )
    results: list[tuple[Row, list[Graded], Verdict, Reading]] = []
    for i, row in enumerate(source.rows):
        results.append((row, *graded(examiner, row)))
        if progress is not None:
            progress(i + 1, len(source.rows))
    formula = consensus([(v.macro_f1, v.formulas) for _, _, v, _ in results if v.macro_f1])
    fits = [{c.name for c in v.formulas if c.fits} for _, _, v, _ in results if v.formulas]
    mixed = not fits or not set.intersection(*fits)  # no one formula explains every row
    systems, unexplained = [], []
    explained = 0
    for i, (row, found, verdict, reading) in enumerate(results):
        names = fitting(list(verdict.formulas))
        if verdict.formulas and formula not in names:
            unexplained.append(row.name)
        findings = [_finding(examiner, row, reading, g) for g in found]
        if mixed:
            findings += _other_formula(examiner, row, reading, verdict, names, formula)
        if verdict.conflicts and explained < EXPLAINED:
            explained += 1
            causes = likely_causes(examiner, row, source.rows[i - 1] if i else None)
            findings = [replace(f, reason="; ".join([f.reason, *causes])) for f in findings]
        systems.append(System(row.name, names, tuple(findings), verdict.unknown))
    ranking = None
    if rerank:
        values = [recomputed(examiner.facts(r, way, "written")) for r, _, _, way in results]
        ranking = reranked([r.name for r in source.rows], values)
    unknown = tuple(s.name for s in systems if s.unknown)
    return Audit(
        tuple(systems),
        formula,
        sum(bool(v.formulas) for _, _, v, _ in results),
        tuple(unexplained),
        source.unused,
        examiner.assumptions,
        ranking,
        (Undecided(unknown),) if unknown else (),
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


def _finding(examiner: Examiner, row: Row, reading: Reading, g: Graded) -> Finding:
    column = g.conflict.column
    scale = reading.get(column, 1)
    written = row.scores.get(column)
    reported = str(row.counts.get(column, "")) if written is None else written.text
    digits = 0 if written is None or examiner.whole(column, written) else written.finer
    reason = g.conflict.reason if not g.note else f"{g.conflict.reason}, {g.note}"
    assuming = "; ".join(examiner.assumptions.words)
    bounds = g.conflict.range
    low, high = float(bounds.low * scale), float(bounds.high * scale)
    return Finding(column, reported, low, high, g.strength, reason, assuming, digits)


def _other_formula(
    examiner: Examiner,
    row: Row,
    reading: Reading,
    verdict: Verdict,
    names: tuple[str, ...],
    formula: str | None,
) -> list[Finding]:
    """A macro F1 that only a formula fits which is neither of the twins nor the table's own."""
    if not names or formula in names or TWINS.intersection(names):
        return []
    twins = [r for c in verdict.formulas if c.name in TWINS for r in c.ranges]
    if not twins:
        return []
    header = next(h for h, c in examiner.source.columns.items() if c.of == "macro_f1")
    why = f"it is no {formula} as the other rows are, and fits only as {' or '.join(names)}"
    conflict = Conflict(header, hull(twins), why)
    return [_finding(examiner, row, reading, Graded(conflict, "weak"))]

"""Examined: a row with what was found in it, and the formula that some rows tell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from evenhand.auditing.consistency import Verdict
from evenhand.auditing.examiner import Examiner, Graded, graded
from evenhand.auditing.findings import other_formula, over_some
from evenhand.auditing.intervals import beyond
from evenhand.auditing.judgement import Judgement, judge
from evenhand.auditing.reported import Row, Source
from evenhand.auditing.scale import Units
from evenhand.auditing.weighing import Evidence


@dataclass(frozen=True)
class Examined:
    """A row, its units, the verdict on it, what was found in it, and what it says of formulas."""

    row: Row
    units: Units
    verdict: Verdict
    found: tuple[Graded, ...]
    evidence: Evidence | None

    @property
    def tells(self) -> bool:
        """Whether it says something about the formula: its other numbers agree."""
        return self.evidence is not None and self.verdict.sound

    def misses(self, formula: str | None) -> bool:
        """Whether it tells that another formula than the table's was used."""
        q = self.verdict.question
        return formula is not None and self.tells and q is not None and q.misses(formula)

    def findings_under(self, formula: str | None, header: str) -> list[Graded]:
        """What is found once the formula of the whole table is known; macro F1 is at ``header``."""
        q, found = self.verdict.question, list(self.found)
        if q is not None and formula is not None and self.tells:
            if self.misses(formula):
                found += other_formula(q, formula, header)
            else:  # it may be one over some of the classes, which no row tells by itself
                found = [g for g in found if g.conflict.column != header]
        if q is not None and q.subsets:
            found = [over_some(g) if g.conflict.column == header else g for g in found]
        return found


def examined(examiner: Examiner, row: Row) -> Examined:
    """A row held against itself, and against the intervals that are printed in it."""
    found, verdict, units = graded(examiner, row)
    found += [Graded(c, "weak") for c in beyond(row, units)]
    evidence = None if verdict.told is None else Evidence(verdict.told)
    return Examined(row, units, verdict, tuple(found), evidence)


def judged(source: Source, rows: Sequence[Examined]) -> Judgement:
    """The formula behind some rows, of those whose other numbers agree.

    None is told where headings do not say that precision and recall are macro averages: of one
    class F1 is 2PR/(P+R), and weighted averages and means of folds have it below.
    """
    told = [r.evidence for r in rows if r.evidence is not None]
    agreeing = [r.evidence for r in rows if r.evidence is not None and r.verdict.sound]
    if told and not agreeing:
        return Judgement(None, "inconsistent")
    found = judge(agreeing)
    if found.formula is not None and source.vague:
        return replace(found, formula=None, status="vague")
    return found

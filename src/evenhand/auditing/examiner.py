"""Examiner: one system's facts, read at three levels of trust, and the findings these make."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from evenhand.auditing.columns import PER_CLASS
from evenhand.auditing.consistency import Verdict, check
from evenhand.auditing.facts import Assumptions, ClassFacts, Conflict, Facts
from evenhand.auditing.printed import Level, Printed
from evenhand.auditing.ranges import Range
from evenhand.auditing.reported import Row, Source
from evenhand.auditing.scale import Scales, Units
from evenhand.errors import InputError


@dataclass(frozen=True)
class Examiner:
    """A table's columns, scales, class sizes and assumptions: all that reading a row takes."""

    source: Source
    scales: Scales
    supports: Mapping[str, int]
    assumptions: Assumptions
    limit: int

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """The classes that the table or the given sizes name."""
        kinds = (*PER_CLASS, "support")
        named = [c.of for c in self.source.columns.values() if c.kind in kinds]
        return tuple(dict.fromkeys([*named, *self.supports]))

    def whole(self, header: str, written: Printed) -> bool:
        """Whether it is a number of items and not a score."""
        return self.source.columns[header].kind == "correct" and not written.decimals

    def size(self, row: Row, label: str) -> int | None:
        """The items of a class, as the row prints them or as they are given for all rows."""
        header = self.source.places.get(("support", label), "")
        return row.counts.get(header, self.supports.get(label))

    def items(self, row: Row) -> int | None:
        """All items, as the row prints them."""
        return row.counts.get(self.source.places.get(("n", ""), ""))

    def facts(self, row: Row, units: Units, level: Level) -> Facts:
        """What a row says, read one way."""
        by_place = self.source.places

        def at(kind: str, of: str = "") -> Range | None:
            header = by_place.get((kind, of), "")
            written = row.scores.get(header)
            if written is None:
                return None
            if self.whole(header, written) and self.assumptions.runs == 1:
                return Range(written.value, written.value)
            scale = units[header]
            return written.range(scale, level, self.scales.finest.get((header, scale), 0))

        classes = tuple(
            ClassFacts(v, at("precision", v), at("recall", v), at("f1", v), self.size(row, v))
            for v in self.labels
        )
        metrics = {
            of: found
            for kind, of in by_place
            if kind == "metric" and (found := at(kind, of)) is not None
        }
        n, hits = self.items(row), at("correct")
        facts = Facts(classes, metrics, n, hits, self.assumptions, by_place)
        if facts.supports is not None and not sum(facts.supports):
            raise InputError(f"{row.name}: the sizes of the classes add up to 0, expected an item")
        return facts

    def verdict(self, row: Row, level: Level = "written") -> tuple[Verdict, Units]:
        """The verdict on a row: of the ways to read it, the one with the fewest conflicts."""
        found: list[tuple[Verdict, Units]] = []
        for units in self.scales.readings(row):
            verdict = check(self.facts(row, units, level), limit=self.limit)
            found.append((verdict, units))
            if not verdict.conflicts:
                break
        return min(found, key=lambda one: len(one[0].conflicts))

    def clean(self, row: Row, level: Level = "written") -> bool:
        """Whether a row has no conflict."""
        return not self.verdict(row, level)[0].conflicts

    @property
    def relaxed(self) -> Examiner:
        """The same, where predictions may be outside the classes."""
        return replace(self, assumptions=replace(self.assumptions, abstentions=True))

    def finer(self, row: Row) -> bool:
        """Whether a value has fewer decimals than others of its column."""
        return any(
            w.decimals < max(self.scales.finest.get((h, s), 0) for s in (1, 100))
            for h, w in row.scores.items()
        )


OUTSIDE = "unless some predictions are outside the classes, which would explain the whole row"


@dataclass(frozen=True)
class Graded:
    """A conflict with its strength: proof, or weak and why.

    ``outside`` says that predictions outside the classes would explain it.
    """

    conflict: Conflict
    strength: str
    note: str = ""
    outside: bool = False


def graded(examiner: Examiner, row: Row) -> tuple[list[Graded], Verdict, Units]:
    """The conflicts of a row by strength, with the verdict on it as written."""
    verdict, units = examiner.verdict(row)
    if not verdict.conflicts:
        found = []
        if examiner.finer(row):
            note = "if it is rounded as finely as the rest of its column"
            at_column = examiner.verdict(row, "column")[0]
            found = [Graded(c, "weak", note) for c in at_column.conflicts]
        return found, verdict, units
    cut = examiner.verdict(row, "cut")[0].conflicts
    wrong_n = _wrong_n(examiner, row)
    if wrong_n is not None:
        return [Graded(wrong_n, "proof" if cut else "weak")], verdict, units
    # A proof holds even if digits were cut off; its range is that of values rounded as written.
    as_written = {c.column: c for c in verdict.conflicts}
    if cut and examiner.relaxed.clean(row, "cut"):
        found = [Graded(as_written.get(c.column, c), "weak", OUTSIDE, True) for c in cut]
        return found, verdict, units
    proofs = [Graded(as_written.get(c.column, c), "proof") for c in cut]
    sure = {c.column for c in cut}
    note = "unless digits were cut off instead of rounded"
    weak = [Graded(c, "weak", note) for c in verdict.conflicts if c.column not in sure]
    return [*proofs, *weak], verdict, units


def _wrong_n(examiner: Examiner, row: Row) -> Conflict | None:
    """A number of items that no other row has, where the one that they all have is consistent."""
    header = examiner.source.places.get(("n", ""), "")
    others = [r.counts.get(header) for r in examiner.source.rows if r is not row]
    if header not in row.counts or len(others) < 2 or len(set(others)) != 1:
        return None
    usual = others[0]
    if usual is None or usual == row.counts[header]:
        return None
    other = replace(row, counts={**row.counts, header: usual})
    if not examiner.clean(other):
        return None
    why = f"every other row has {usual:,} items, and with as many this one is consistent"
    return Conflict(header, Range(usual, usual), why)


def changed(row: Row, header: str, written: Printed | None) -> Row:
    """The row with another value, or none, in one column."""
    scores = {h: w for h, w in row.scores.items() if h != header}
    if written is not None:
        scores[header] = written
    counts = {h: n for h, n in row.counts.items() if h != header}
    return replace(row, scores=scores, counts=counts)

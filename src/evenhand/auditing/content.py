"""Words, tables and arithmetic of an audit."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import inf
from typing import TYPE_CHECKING, ClassVar

from evenhand.auditing.consistency import Examiner
from evenhand.auditing.reported import ReportedRow, Units
from evenhand.results.document import Block, Cell, Grid, Heading, Look, Paragraph, ShownCell, Table
from evenhand.text import counted, listed, number, shortened

if TYPE_CHECKING:
    from evenhand.auditing.audit import Audit, AuditedSystem, AuditFinding, Reranked
    from evenhand.auditing.formula import FormulaVerdict, WeightedFormula

TERMS = 6
"""Terms of a sum that are written out."""

Pair = tuple[str, Fraction]
"""A number as printed, and its value as a fraction."""


@dataclass(frozen=True)
class Derivation:
    """The arithmetic that leads to a number of a row, as lines of text."""

    examiner: Examiner
    row: ReportedRow
    units: Units
    header: str = ""

    def lines(self, header: str) -> tuple[str, ...]:
        """How the number under a header follows from others; empty where no rule is known."""
        column = self.examiner.source.columns.get(header)
        if column is None:
            return ()
        rule = _RULES.get(column.name if column.kind == "metric" else column.kind)
        return () if rule is None else tuple(rule(replace(self, header=header), column.name))

    def text(self, value: Fraction) -> str:
        """A value in the unit of the number it is held against."""
        return f"{float(value * self.units.get(self.header, 1)):.6g}"

    def score(self, kind: str, name: str = "") -> Pair | None:
        """A printed score."""
        header = self.examiner.source.places.get((kind, name), "")
        printed = self.row.scores.get(header)
        return None if printed is None else (printed.text, printed.value / self.units[header])

    def size(self, label: str) -> int | None:
        """The items of a class."""
        return self.examiner.size(self.row, label)

    @property
    def items(self) -> int | None:
        """All items, as printed or as the classes have them."""
        return self.examiner.items(self.row) or sum(self.sizes) or None

    @property
    def sizes(self) -> list[int]:
        """The items of every class, or nothing."""
        sizes = [self.size(v) for v in self.examiner.labels]
        return [s for s in sizes if s is not None] if None not in sizes else []

    def every(self, kind: str) -> list[Pair]:
        """A score of every class, or nothing."""
        scores = [self.score(kind, v) for v in self.examiner.labels]
        return [f for f in scores if f is not None] if None not in scores else []


def _harmonic(w: Derivation, name: str, p: Pair | None, r: Pair | None) -> Iterator[str]:
    if p is not None and r is not None and p[1] + r[1] > 0:
        value = w.text(2 * p[1] * r[1] / (p[1] + r[1]))
        yield f"{name} = 2·{p[0]}·{r[0]} / ({p[0]} + {r[0]}) = {value}"


def _mean(w: Derivation, name: str, part: str) -> Iterator[str]:
    values = w.every(part)
    if values:
        value = w.text(sum(v for _, v in values) / Fraction(len(values)))
        yield f"{name} = ({_sum([t for t, _ in values])}) / {len(values)} = {value}"


def _weighted(w: Derivation, name: str, part: str) -> Iterator[str]:
    values, sizes = w.every(part), w.sizes
    if values and sum(sizes):
        pairs = list(zip(values, sizes, strict=True))
        value = w.text(sum(v * s for (_, v), s in pairs) / Fraction(sum(sizes)))
        terms = _sum([f"{s:,}·{t}" for (t, _), s in pairs])
        yield f"{name} = ({terms}) / {sum(sizes):,} = {value}"


def _hits(printed: Pair | None, items: int | None) -> Iterator[str]:
    if printed is not None and items:
        yield f"hits = {printed[0]} of {items:,} items = {float(printed[1] * items):.6g}"


def _sum(terms: Sequence[str]) -> str:
    shown = terms if len(terms) <= TERMS else [*terms[: TERMS - 2], "…", terms[-1]]
    return " + ".join(shown)


def _class_precision(w: Derivation, label: str) -> Iterator[str]:
    size, r, p = w.size(label), w.score("recall", label), w.score("precision", label)
    yield from _hits(r, size)
    if size and r is not None and p is not None and p[1] > 0:
        yield f"predictions = hits / {p[0]} = {float(r[1] * size / p[1]):.6g}"


def _accuracy(w: Derivation, _: str) -> Iterator[str]:
    yield from _weighted(w, "accuracy", "recall")
    yield from _hits(w.score("metric", "accuracy"), w.items)


def _macro_f1(w: Derivation, _: str) -> Iterator[str]:
    yield from _mean(w, "mean of F1", "f1")
    yield from _f1_of_averages(w, "F1 of averages, and the most that a mean of F1 can be")


def _f1_of_averages(w: Derivation, name: str) -> Iterator[str]:
    p, r = w.score("metric", "macro_precision"), w.score("metric", "macro_recall")
    yield from _harmonic(w, name, p, r)


Rule = Callable[[Derivation, str], Iterator[str]]

_RULES: dict[str, Rule] = {
    "f1": lambda w, label: _harmonic(
        w, "2PR/(P+R)", w.score("precision", label), w.score("recall", label)
    ),
    "recall": lambda w, label: _hits(w.score("recall", label), w.size(label)),
    "precision": _class_precision,
    "accuracy": _accuracy,
    "micro_f1": _accuracy,
    "macro_precision": lambda w, _: _mean(w, "mean of precision", "precision"),
    "macro_recall": lambda w, _: _mean(w, "mean of recall", "recall"),
    "macro_f1": _macro_f1,
    "reported_macro_f1": _macro_f1,
    "f1_of_averages": lambda w, _: _f1_of_averages(w, "2PR/(P+R)"),
    "weighted_precision": lambda w, _: _weighted(w, "mean of precision by size", "precision"),
    "weighted_recall": lambda w, _: _weighted(w, "mean of recall by size", "recall"),
    "weighted_f1": lambda w, _: _weighted(w, "mean of F1 by size", "f1"),
}


# Words and tables

SIGNS = (" ?", " ✗")
"""What marks a cell that is a weak finding, or a proof."""

WIDE = 12
"""Columns of a table that are all shown again."""

SHOWN = 40
"""Findings, reasons, and rows of a ranking, that a person is shown."""


@dataclass(frozen=True)
class PossibleRange(ShownCell):
    """What a reported number could have been, to its own decimals and one more."""

    finding: AuditFinding

    def text(self, digits: int) -> str:
        low, high = (number(x, self.finding.digits) for x in (self.finding.low, self.finding.high))
        return low if low == high else f"{low} to {high}"

    @property
    def sort(self) -> float | None:
        return self.finding.low


@dataclass(frozen=True)
class MarkedCell(ShownCell):
    """A number as it was printed, and a sign if it is a finding."""

    printed: str
    sign: str = ""

    def text(self, digits: int) -> str:
        return f"{self.printed}{self.sign}"

    def parts(self, digits: int) -> Iterable[tuple[str, Look]]:
        yield self.text(digits), "marked" if self.sign else "plain"

    @property
    def sort(self) -> float | None:
        return None


@dataclass(frozen=True)
class RankMove(ShownCell):
    """Places won or lost: ``+2``, ``−1``, or ``=``."""

    places: int | None

    def text(self, digits: int) -> str:
        if not self.places:
            return "" if self.places is None else "="
        return f"{'+' * (self.places > 0)}{number(self.places)}"


@dataclass(frozen=True)
class OddsCell(ShownCell):
    """How many times as probable: three digits, or ∞."""

    right: ClassVar[bool] = True
    odds: float

    def text(self, digits: int) -> str:
        return (
            "∞"
            if self.odds == inf
            else f"{self.odds:,.0f}"
            if self.odds >= 100
            else f"{self.odds:.3g}"
        )


def title(audit: Audit) -> str:
    """How many systems have findings."""
    s = audit.summary
    head = f"findings in {s['with_findings']:,} of {counted(s['systems'], 'system')}"
    if audit.ok:
        return head
    return f"{head} ({counted(s['proofs'], 'proof')}, {s['weak']:,} weak)"


def blocks(audit: Audit) -> list[Block]:
    """The formula behind macro F1, the findings and why, the ranking, what all of it assumes."""
    verdict = _verdict(audit)
    parts: list[Block] = [Paragraph(verdict, "verdict")] if verdict else []
    parts += _column_meanings(audit)
    parts += _findings(audit)
    parts += _unexplained(audit)
    parts += _ranking(audit, audit.ranking) if audit.ranking is not None else []
    assumed = "\n".join(f"  {words}" for words in audit.assumptions.words)
    parts += [Heading("Assumed"), Paragraph(assumed, "note")]
    if audit.unused:
        parts.append(Paragraph(f"Columns not used: {listed(audit.unused, SHOWN)}.", "note"))
    return parts


def _column_meanings(audit: Audit) -> list[Block]:
    """The meaning of each column whose heading is not already its name."""
    columns = [list(c.to_dict().values()) for c in audit.columns]
    rows: list[list[Cell]] = [
        [header, means] for header, means in columns if means not in (header, f"reported_{header}")
    ]
    return [Table(Grid(["heading", "taken for"], rows), "Read as", most=SHOWN)] if rows else []


def _judged(verdict: FormulaVerdict, rows: int) -> str:
    """The formula behind macro F1 and how strong the evidence is; or why it cannot be told."""
    every = counted(rows, "row")
    if verdict.status == "untested":
        return (
            "Formula behind macro F1: cannot be told. Neither of the two can be worked out without "
            "macro precision and recall, or the scores of the classes."
        )
    if verdict.status == "inconsistent":
        return (
            "Formula behind macro F1: cannot be told. No row with one has other numbers that agree "
            "with each other."
        )
    if verdict.status == "none":
        best = verdict.candidates[0]
        if not any(c.explained for c in verdict.candidates):
            return f"Formula behind macro F1: none that is known explains any of {every}."
        most = f"{best.formula} explains most, {best.explained:,} of {every}"
        return f"Formula behind macro F1: none explains the table; {most}."
    best, *others = verdict.candidates
    rival = others[0] if others else None
    share = f"{best.explained:,} of {every}"
    if best.exact:
        share += f" ({best.exact:,} to the printed digits)"
    if verdict.formula is not None:
        return (
            f"Formula behind macro F1: {best.formula} explains {share}. The evidence is "
            f"{verdict.strength}: {times(verdict)}."
        )
    if verdict.status == "vague":
        return (
            f"Formula behind macro F1: cannot be told from these headings. {best.formula} explains "
            f"{share}, but of one class, or of micro averages, F1 is 2PR/(P+R) as well, and of "
            "weighted averages or means of folds it is below that: say what P, R and F1 are."
        )
    return (
        f"Formula behind macro F1: cannot be told from these numbers. {best.formula} explains "
        f"{share}, {rival.formula} explains {rival.explained:,}: {_why_open(best, rival)}."
        if rival is not None
        else f"Formula behind macro F1: cannot be told from these numbers ({share})."
    )


def times(verdict: FormulaVerdict) -> str:
    """How strong the evidence for a formula is, as a number in words."""
    best = verdict.candidates[0]
    if best.strength == inf:
        return "no other formula gives these numbers"
    odds = "over a million" if best.strength > 1e6 else OddsCell(best.strength).text(0)
    if verdict.alone == best.formula:
        words = "no other formula gives these numbers unless one of them is misprinted or cut off"
        return f"{words}, and it makes them {odds} times as probable as that"
    return f"these digits are {odds} times as probable as under any other formula"


def _why_open(best: WeightedFormula, rival: WeightedFormula) -> str:
    """Why two formulas cannot be told apart."""
    if best.explained != rival.explained:
        return "a misprint or two, or digits that were cut off, would turn it"
    if best.exact and rival.exact:
        return "the two differ by less than the printed digits show"
    if best.exact:
        return f"the columns leave {rival.formula} so wide a range that it may be as well"
    return "the other columns do not say closely enough what either would be"


def _verdict(audit: Audit) -> str:
    """The formula, and what it means that nothing was found."""
    sentences = []
    if any(c.name == "reported_macro_f1" for c in audit.columns):
        sentences.append(_judged(audit.judgement, audit.tested))
    if audit.ok:
        sentences.append("Nothing was found; that is no proof that the numbers are true.")
    return " ".join(sentences)


def _findings(audit: Audit) -> list[Block]:
    """The findings as a table, then their reasons."""
    every = [(s.name, f) for s in audit.systems for f in s.findings]
    if not every:
        return []
    rows: list[list[Cell]] = [
        [name, f.column, f.reported, PossibleRange(f), f.strength] for name, f in every
    ]
    grid = Grid(["system", "column", "reported", "possible", "strength"], rows)
    return [
        Table(grid, "Cannot be reproduced from the rest of the row", most=SHOWN, rows="findings"),
        Heading("Why"),
        Paragraph("\n".join(_reasons(every))),
        *_printed(audit),
    ]


def _printed(audit: Audit) -> list[Block]:
    """The table as it was printed, with what cannot be reproduced marked."""
    signs = [_signs(s) for s in audit.systems]
    columns = [c for c in audit.columns if c.kind not in ("name", "other")]
    about = {c.name for c in columns if any(c.header in of_row for of_row in signs)}
    if len(columns) > WIDE:  # of many classes, those that something was found about
        columns = [c for c in columns if c.kind in ("metric", "n", "correct") or c.name in about]
    rows: list[list[Cell]] = []
    for row, of_row in zip(audit.printed, signs, strict=True):
        texts = {h: row.text(h) for h in row.scores}
        texts |= {h: f"{n:,}" for h, n in row.counts.items()}
        marked = (MarkedCell(texts.get(c.header, ""), of_row.get(c.header, "")) for c in columns)
        rows.append([row.name, *marked])
    grid = Grid(["system", *(c.printed or c.header for c in columns)], rows)
    note = (
        "✗ cannot be reproduced from the rest of its row, as far as what is assumed holds; "
        "? could be, under the condition that the reason names"
    )
    return [Table(grid, "As printed", most=SHOWN, rows="systems", note=note)] if rows else []


def _signs(system: AuditedSystem) -> dict[str, str]:
    """The marks of a row's cells: on the only suspect, or on all findings."""
    if len(system.suspects) == 1 and system.findings:
        proof = any(f.strength == "proof" for f in system.findings)
        return {system.suspects[0]: SIGNS[proof]}
    return {f.column: SIGNS[f.strength == "proof"] for f in system.findings}


def _reasons(every: Iterable[tuple[str, AuditFinding]]) -> Iterable[str]:
    """Each reason once, with the systems whose column it is about."""
    groups: dict[tuple[str, str], list[tuple[str, AuditFinding]]] = {}
    for name, f in every:
        groups.setdefault((f.column, f.reason), []).append((shortened(name, 40), f))
    for (column, reason), findings in list(groups.items())[:SHOWN]:
        systems = listed([name for name, _ in findings], SHOWN)
        yield f"  {shortened(column, 40)} of {systems}: {reason}"
        first, where = findings[0][1], f" (of {findings[0][0]})" if len(findings) > 1 else ""
        yield from (f"  → {line}{where}" for line in first.arithmetic)
        possible = PossibleRange(first).text(0)
        yield f"  → as the others are rounded: {possible}; printed: {first.reported}{where}"
    if len(groups) > SHOWN:
        yield f"  … and {counted(len(groups) - SHOWN, 'more reason', 'more reasons')}"


def _unexplained(audit: Audit) -> list[Block]:
    """The rows that the table's formula does not explain, and what does."""
    if audit.formula is None or not audit.unexplained:
        return []
    fits = {s.name: " or ".join(s.formula) or "no formula" for s in audit.systems}
    rows: list[list[Cell]] = [[name, fits[name]] for name in audit.unexplained]
    grid = Grid(["system", "what fits"], rows)
    return [Table(grid, f"Not explained by {audit.formula}", most=SHOWN)]


def _ranking(audit: Audit, ranking: tuple[Reranked, ...]) -> list[Block]:
    """Both rankings side by side, and the winner under each."""
    head = ["system", "macro_f1", "rank by it", "f1_of_averages", "rank by that", "move"]
    rows: list[list[Cell]] = [
        [
            *(r.name, r.macro_f1, r.rank_macro_f1, r.f1_of_averages, r.rank_f1_of_averages),
            RankMove(r.move),
        ]
        for r in ranking
    ]
    name, note = "Ranked by both formulas", _winners(ranking)
    if all(r.macro_f1 is None or r.f1_of_averages is None for r in ranking):
        return [Heading(name), Paragraph(note, "note")]
    unsure = [s.name for s in audit.systems if any(f.strength == "proof" for f in s.findings)]
    if unsure and any(r.rank_macro_f1 for r in ranking):
        note += f" Places may change with what cannot be reproduced: {listed(unsure, SHOWN)}."
    return [Table(Grid(head, rows), name, most=SHOWN, rows="systems", note=note)]


def _winners(ranking: tuple[Reranked, ...]) -> str:
    first = [r.name for r in ranking if r.rank_macro_f1 == 1]
    second = [r.name for r in ranking if r.rank_f1_of_averages == 1]
    if not first or not second:
        return "Per-class precision and recall are needed for both rankings."
    moves = [abs(r.move) for r in ranking if r.move]
    change = "No system moves."
    if moves:
        move = "moves" if len(moves) == 1 else "move"
        far = counted(max(moves), "place")
        change = f"{len(moves):,} of {counted(len(ranking), 'system')} {move}, by up to {far}."
    return f"Winner by macro_f1: {listed(first)}; by f1_of_averages: {listed(second)}. {change}"

"""Words, tables and arithmetic of an audit."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import inf
from typing import TYPE_CHECKING

from evenhand.auditing.consistency import Examiner, PrintedScore
from evenhand.auditing.headers import ReportedColumn
from evenhand.auditing.reported import ReportedRow, Units
from evenhand.results.document import Block, Heading, Paragraph, Table
from evenhand.text import (
    Cell,
    ExactCell,
    Grid,
    Look,
    TextCell,
    counted,
    listed,
    number,
    shortened,
)

if TYPE_CHECKING:
    from evenhand.auditing.audit import Audit, AuditedSystem, AuditFinding, Reranked
    from evenhand.auditing.formula import FormulaVerdict, WeightedFormula

TERMS = 6
"""Terms of a sum that are written out."""


@dataclass(frozen=True)
class Derivation:
    """The arithmetic that leads to the number of a row under a header, as lines of text."""

    examiner: Examiner
    row: ReportedRow
    units: Units
    header: str

    def lines(self) -> Iterator[str]:
        """How the number follows from others; nothing where no rule is known."""
        column = self.examiner.source.columns.get(self.header, ReportedColumn("", "other"))
        kind, name = column.kind, column.name
        average, _, part = name.partition("_")
        mean, sizes = f"mean of {part.replace('f1', 'F1')}", self._sizes
        p, r = self._score("precision", name), self._score("recall", name)
        if kind == "metric":
            p, r = (self._score(kind, f"macro_{rate}") for rate in ("precision", "recall"))
        match kind, name:
            case "f1", _:
                yield from self._harmonic("2PR/(P+R)", p, r)
            case "recall" | "precision", _:
                size = self.examiner.size(self.row, name)
                yield from self._hits(r, size)
                if kind == "precision" and size and r is not None and p is not None and p[1] > 0:
                    yield f"predictions = hits / {p[0]} = {float(r[1] * size / p[1]):.6g}"
            case "metric", "accuracy" | "micro_f1":
                yield from self._mean("accuracy", "recall", sizes)
                items = self.examiner.items(self.row) or sum(sizes)
                yield from self._hits(self._score("metric", "accuracy"), items)
            case "metric", "macro_f1" | "reported_macro_f1":
                yield from self._mean("mean of F1", "f1")
                most = "F1 of averages, and the most that a mean of F1 can be"
                yield from self._harmonic(most, p, r)
            case "metric", "f1_of_averages":
                yield from self._harmonic("2PR/(P+R)", p, r)
            case "metric", _ if average == "macro":
                yield from self._mean(mean, part)
            case "metric", _ if average == "weighted":
                yield from self._mean(f"{mean} by size", part, sizes)

    def _score(self, kind: str, name: str) -> PrintedScore | None:
        return self.examiner.score(self.row, self.units, kind, name)

    @property
    def _sizes(self) -> list[int]:
        """The items of every class, or nothing."""
        sizes = [self.examiner.size(self.row, v) for v in self.examiner.labels]
        return [s for s in sizes if s is not None] if None not in sizes else []

    def _text(self, value: Fraction) -> str:
        """A value in the unit of the number it is held against."""
        return f"{float(value * self.units.get(self.header, 1)):.6g}"

    def _harmonic(self, name: str, p: PrintedScore | None, r: PrintedScore | None) -> Iterator[str]:
        if p is not None and r is not None and p[1] + r[1] > 0:
            value = self._text(2 * p[1] * r[1] / (p[1] + r[1]))
            yield f"{name} = 2·{p[0]}·{r[0]} / ({p[0]} + {r[0]}) = {value}"

    def _mean(self, name: str, part: str, sizes: Sequence[int] | None = None) -> Iterator[str]:
        """The mean over all classes, if every one is printed; weighted by their sizes if any."""
        scores = [self._score(part, v) for v in self.examiner.labels]
        values = [f for f in scores if f is not None]
        weights = [1] * len(scores) if sizes is None else sizes
        if values and len(values) == len(weights) and sum(weights):
            pairs = list(zip(values, weights, strict=True))
            value = self._text(sum(v * s for (_, v), s in pairs) / Fraction(sum(weights)))
            terms = [t if sizes is None else f"{s:,}·{t}" for (t, _), s in pairs]
            if len(terms) > TERMS:
                terms = [*terms[: TERMS - 2], "…", terms[-1]]
            yield f"{name} = ({' + '.join(terms)}) / {sum(weights):,} = {value}"

    def _hits(self, printed: PrintedScore | None, items: int | None) -> Iterator[str]:
        if printed is not None and items:
            yield f"hits = {printed[0]} of {items:,} items = {float(printed[1] * items):.6g}"


# Words and tables

_RATE = re.compile(r"\b(?:\w{0,3}[pr]|[pr]\w{0,3})\b|prec|rec", re.IGNORECASE)
"""Headings that may be precision or recall."""

SIGNS = {"proof": " ✗", "weak": " ?"}
"""What marks a cell, by the strength of its finding."""

VERDICTS = {"proof": "impossible", "weak": "doubtful"}
"""What a number is called that a finding is about, by its strength."""

WIDE = 12
"""Columns of a table that are all shown again."""

SHOWN = 40
"""Findings, reasons, and rows of a ranking, that a person is shown."""


class PrintedCell(TextCell):
    """A number as it was printed, marked if it ends in the sign of a finding."""

    right = False

    def parts(self, digits: int) -> Iterable[tuple[str, Look]]:
        yield self.words, "marked" if self.words.endswith(tuple(SIGNS.values())) else "plain"


def possible(finding: AuditFinding) -> TextCell:
    """What a reported number could have been, to its own decimals and one more."""
    low, high = (number(x, finding.digits) for x in (finding.low, finding.high))
    return TextCell(finding.low, low if low == high else f"{low} to {high}")


def title(audit: Audit) -> str:
    """How many systems are suspicious, and how many findings there are."""
    s = audit.summary
    head = suspicious(s["with_findings"], s["systems"], "system")
    if missed := unused_rates(audit):
        return (
            f"macro F1 of {counted(s['systems'], 'system')} not checked, columns not used: "
            f"{listed(missed, SHOWN)} (say what they hold, as in {missed[0]}=macro_precision)"
        )
    kinds = ((s["proofs"], "impossible"), (s["weak"], "doubtful"))
    findings = ", ".join(f"{counted(n, 'number')} {kind}" for n, kind in kinds if n)
    return f"{head} ({findings})" if findings else head


def unused_rates(audit: Audit) -> list[str]:
    """Columns not used that may be precision or recall, where macro F1 was held against neither."""
    asked = any(c.name == "reported_macro_f1" for c in audit.columns)
    if not asked or audit.tested or not audit.ok:
        return []
    return [h for h in audit.unused if not h.startswith("row ") and _RATE.search(h)]


def suspicious(with_findings: int, total: int, noun: str) -> str:
    """How many systems or tables have findings.

    >>> suspicious(0, 6, "system"), suspicious(1, 6, "system")
    ('nothing suspicious in 6 systems', '1 of 6 systems is suspicious')
    """
    if not with_findings:
        return f"nothing suspicious in {counted(total, noun)}"
    verb = "is" if with_findings == 1 else "are"
    return f"{with_findings:,} of {counted(total, noun)} {verb} suspicious"


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
    columns = ((c.heading, c.taken_for) for c in audit.columns)
    rows: list[list[Cell]] = [
        [h, means] for h, means in columns if means not in (h, f"reported_{h}")
    ]
    return [Table(Grid(["heading", "taken for"], rows), "Read as", most=SHOWN)] if rows else []


_UNKNOWN = {
    "untested": "To work it out takes macro precision and recall, or the scores of the classes.",
    "inconsistent": "In every row with a macro F1 the other numbers contradict each other.",
}


def _judged(verdict: FormulaVerdict, rows: int) -> str:
    """The formula behind macro F1 and how strong the evidence is; or why it is unclear."""
    if verdict.status in _UNKNOWN:
        return f"Formula of macro F1: unknown. {_UNKNOWN[verdict.status]}"
    (best, *rivals), every = verdict.candidates, counted(rows, "row")
    exact = f" ({best.exact:,} to the printed digits)" if best.exact else ""
    fits = f"{best.formula} fits {best.explained:,} of {every}{exact}"
    if verdict.formula is not None:
        words = f"{fits}. The evidence is {verdict.strength}: {times(verdict)}."
    elif verdict.status == "vague":
        words = (
            f"unclear from these headings. {fits}, but F1 of one class or of micro averages is "
            "2PR/(P+R) too, and F1 of weighted averages or of folds is below that. Say what P, R "
            "and F1 are."
        )
    elif verdict.status == "open":
        rival = rivals[0]  # the other of the two macro F1s at least
        fits += f", {rival.formula} fits {rival.explained:,}: {_why_open(best, rival)}"
        words = f"unclear from these numbers. {fits}."
    elif not any(c.explained for c in verdict.candidates):
        words = f"no known formula fits {'the row' if rows == 1 else f'any of {every}'}."
    else:
        most = f"{best.formula} fits most, {best.explained:,} of {every}"
        words = f"no formula fits the table; {most}."
    return f"Formula of macro F1: {words}"


def times(verdict: FormulaVerdict) -> str:
    """How strong the evidence for a formula is, as a number in words."""
    best, strength = verdict.candidates[0], verdict.candidates[0].strength
    if strength == inf:
        return "no other formula gives these numbers"
    digits = ExactCell(int(strength) if strength.is_integer() else strength).text(0)
    ratio = "over a million" if strength > 1e6 else digits
    if verdict.alone == best.formula:
        return (
            "another formula gives these numbers only after a misprint, with digits cut off or as "
            f"means over runs, which is {ratio} times less probable"
        )
    return f"it is {ratio} times as probable as all other formulas together"


def _why_open(best: WeightedFormula, rival: WeightedFormula) -> str:
    """Why it is unclear which of two formulas it was."""
    if best.explained != rival.explained:
        fewer, more = sorted((best, rival), key=lambda one: one.explained)
        return (
            f"a misprint or two, digits cut off or means over runs would make {fewer.formula} fit "
            f"the other rows as well as {more.formula}"
        )
    if best.exact and rival.exact:
        return "the two differ by less than the printed digits"
    if best.exact:
        return f"the other columns leave {rival.formula} a wide range"
    return "the other columns leave both a wide range"


def _verdict(audit: Audit) -> str:
    """The formula, and what it means that nothing was found."""
    asked = any(c.name == "reported_macro_f1" for c in audit.columns)
    judged = _judged(audit.judgement, audit.tested) if asked else ""
    fine = "Nothing contradicts itself, but consistent numbers can still be wrong."
    return " ".join(filter(None, (judged, _mixed(audit), fine if audit.ok else "")))


def _mixed(audit: Audit) -> str:
    """That rows fit different formulas, where one fits some to the digit and others not at all."""
    if audit.judgement.status != "open":
        return ""
    exact = next((c.formula for c in audit.judgement.candidates if c.exact >= 2), None)
    ours = [s.name for s in audit.systems if exact in s.formula]
    others = [s for s in audit.systems if s.formula and exact not in s.formula]
    if exact is None or not others:
        return ""
    rival = listed(dict.fromkeys(formula for s in others for formula in s.formula))
    names = listed([s.name for s in others], 4)
    fits = f"{exact} fits {listed(ours, 4)}, only {rival} fits {names}"
    return f"The column may mix two formulas: {fits}."


def _findings(audit: Audit) -> list[Block]:
    """The findings as a table, then their reasons."""
    every = [(s.name, f) for s in audit.systems for f in s.findings]
    if not every:
        return []
    rows: list[list[Cell]] = [
        [name, f.column, f.reported, possible(f), VERDICTS[f.strength]] for name, f in every
    ]
    grid = Grid(["system", "column", "reported", "possible", "verdict"], rows)
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
    if len(columns) > WIDE:  # of many classes, those that something was found about
        about = {c.name for c in columns if any(c.header in of_row for of_row in signs)}
        columns = [c for c in columns if c.kind in ("metric", "n", "correct") or c.name in about]
    rows: list[list[Cell]] = []
    for row, of_row in zip(audit.printed, signs, strict=True):
        texts = {h: w.with_spread for h, w in row.scores.items()}
        texts |= {h: f"{n:,}" for h, n in row.counts.items()}
        words = (texts.get(c.header, "") + of_row.get(c.header, "") for c in columns)
        rows.append([row.name, *(PrintedCell(None, text) for text in words)])
    grid = Grid(["system", *(c.printed or c.header for c in columns)], rows)
    note = (
        "✗ impossible: it contradicts the rest of its row, if the assumptions hold; ? doubtful: it "
        "does so unless the condition named above holds"
    )
    return [Table(grid, "As printed", most=SHOWN, rows="systems", note=note)] if rows else []


def _signs(system: AuditedSystem) -> dict[str, str]:
    """The marks of a row's cells: on the only suspect, or on all findings."""
    if len(system.suspects) == 1 and system.findings:
        proof = any(f.strength == "proof" for f in system.findings)
        return {system.suspects[0]: SIGNS["proof" if proof else "weak"]}
    return {f.column: SIGNS[f.strength] for f in system.findings}


def _reasons(every: Iterable[tuple[str, AuditFinding]]) -> Iterable[str]:
    """Each reason once, with the systems whose column it is about."""
    groups: dict[tuple[str, str], list[tuple[str, AuditFinding]]] = {}
    for name, f in every:
        groups.setdefault((f.column, f.reason), []).append((shortened(name, 40), f))
    for (column, reason), findings in list(groups.items())[:SHOWN]:
        systems = listed([name for name, _ in findings], SHOWN)
        first, where = findings[0][1], f" (of {findings[0][0]})" if len(findings) > 1 else ""
        printed = f"{shortened(column, 40)} {first.reported}{where}"
        claim = "contradicts" if first.strength == "proof" else "does not fit"
        gives = f"the rest of the row, which gives {possible(first).words}"
        # no score is so low or high, whatever the rest of the row is
        outside = (first.low, first.high) in ((0, 1), (0, 100), (-1, 1), (-100, 100))
        claim = "is impossible" if outside else f"{claim} {gives}"
        yield f"  {systems}: {printed} {claim}: {reason}"
        yield from (f"  → {line}{where}" for line in first.arithmetic)
    if len(groups) > SHOWN:
        yield f"  … and {counted(len(groups) - SHOWN, 'more reason', 'more reasons')}"


def _unexplained(audit: Audit) -> list[Block]:
    """What fits the rows that the table's formula does not, or each where they differ."""
    fits = {s.name: " or ".join(s.formula) or "no formula" for s in audit.systems}
    names, title = list(audit.unexplained), f"Rows that {audit.formula} does not fit"
    if audit.formula is None:
        names = [s.name for s in audit.systems if s.judgement.status not in _UNKNOWN or s.formula]
        names = names if len({fits[name] for name in names}) > 1 else []
        title = "What fits each row"
    rows: list[list[Cell]] = [[name, fits[name]] for name in names]
    return [Table(Grid(["system", "what fits"], rows), title, most=SHOWN)] if rows else []


def _ranking(audit: Audit, ranking: tuple[Reranked, ...]) -> list[Block]:
    """Both rankings side by side, and the winner under each."""

    def move(r: Reranked) -> Cell:
        text = "=" if r.move == 0 else f"{'+' * ((r.move or 0) > 0)}{number(r.move)}"
        return TextCell(r.move, text)

    columns = "system=name, macro_f1, rank=rank_macro_f1, f1_of_averages, rank=rank_f1_of_averages"
    grid = Grid.from_records(ranking, columns, ("move", move))
    name, note = "Ranked by both formulas", _winners(ranking)
    wrong = {s.name for s in audit.systems if any(f.strength == "proof" for f in s.findings)}
    for words, ranked in (("Left out", False), ("Ranks may change", True)):
        unsure = [r.name for r in ranking if r.name in wrong and bool(r.rank_macro_f1) is ranked]
        note += f" {words}: {listed(unsure, SHOWN)} cannot be right as printed." if unsure else ""
    if all(r.macro_f1 is None or r.f1_of_averages is None for r in ranking):
        return [Heading(name), Paragraph(note, "note")]
    return [Table(grid, name, most=SHOWN, rows="systems", note=note)]


def _winners(ranking: tuple[Reranked, ...]) -> str:
    first = [r.name for r in ranking if r.rank_macro_f1 == 1]
    second = [r.name for r in ranking if r.rank_f1_of_averages == 1]
    if not first or not second:
        return "Both rankings take the precision and recall of every class."
    firsts = f"First by macro_f1: {listed(first)}; by f1_of_averages: {listed(second)}."
    moves = [abs(r.move) for r in ranking if r.move]
    if not moves:
        return f"{firsts} No system moves."
    move, far = "moves" if len(moves) == 1 else "move", counted(max(moves), "place")
    return f"{firsts} {len(moves):,} of {counted(len(ranking), 'system')} {move}, by up to {far}."

"""Worked: the arithmetic behind a finding, in lines that a reader can redo by hand.

What is printed is put into the formula as it stands; the last line has what rounding leaves open.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from evenhand.auditing.examiner import Examiner
from evenhand.auditing.reported import Row
from evenhand.auditing.scale import Units

TERMS = 6
"""Terms of a sum that are written out."""

Pair = tuple[str, Fraction]
"""A number as printed, and its value as a fraction."""


@dataclass(frozen=True)
class Worked:
    """The printed numbers of one row, by what they are."""

    examiner: Examiner
    row: Row
    units: Units
    header: str = ""

    def lines(self, header: str) -> tuple[str, ...]:
        """How the number under a header follows from others; empty where no rule is known."""
        column = self.examiner.source.columns.get(header)
        if column is None:
            return ()
        rule = _RULES.get(column.of if column.kind == "metric" else column.kind)
        return () if rule is None else tuple(rule(replace(self, header=header), column.of))

    def text(self, value: Fraction) -> str:
        """A value in the unit of the number it is held against."""
        return f"{float(value * self.units.get(self.header, 1)):.6g}"

    def score(self, kind: str, of: str = "") -> Pair | None:
        """A printed score."""
        header = self.examiner.source.places.get((kind, of), "")
        found = self.row.scores.get(header)
        return None if found is None else (found.text, found.value / self.units[header])

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
        found = [self.size(v) for v in self.examiner.labels]
        return [s for s in found if s is not None] if None not in found else []

    def every(self, kind: str) -> list[Pair]:
        """A score of every class, or nothing."""
        found = [self.score(kind, v) for v in self.examiner.labels]
        return [f for f in found if f is not None] if None not in found else []


def _harmonic(w: Worked, name: str, p: Pair | None, r: Pair | None) -> Iterator[str]:
    if p is not None and r is not None and p[1] + r[1] > 0:
        value = w.text(2 * p[1] * r[1] / (p[1] + r[1]))
        yield f"{name} = 2·{p[0]}·{r[0]} / ({p[0]} + {r[0]}) = {value}"


def _mean(w: Worked, name: str, part: str) -> Iterator[str]:
    values = w.every(part)
    if values:
        value = w.text(sum(v for _, v in values) / Fraction(len(values)))
        yield f"{name} = ({_sum([t for t, _ in values])}) / {len(values)} = {value}"


def _weighted(w: Worked, name: str, part: str) -> Iterator[str]:
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


def _class_f1(w: Worked, label: str) -> Iterator[str]:
    yield from _harmonic(w, "2PR/(P+R)", w.score("precision", label), w.score("recall", label))


def _class_recall(w: Worked, label: str) -> Iterator[str]:
    yield from _hits(w.score("recall", label), w.size(label))


def _class_precision(w: Worked, label: str) -> Iterator[str]:
    size, r, p = w.size(label), w.score("recall", label), w.score("precision", label)
    yield from _hits(r, size)
    if size and r is not None and p is not None and p[1] > 0:
        yield f"predictions = hits / {p[0]} = {float(r[1] * size / p[1]):.6g}"


def _accuracy(w: Worked, of: str) -> Iterator[str]:
    yield from _weighted(w, "accuracy", "recall")
    yield from _hits(w.score("metric", "accuracy"), w.items)


def _macro_f1(w: Worked, of: str) -> Iterator[str]:
    yield from _mean(w, "mean of F1", "f1")
    p, r = w.score("metric", "macro_precision"), w.score("metric", "macro_recall")
    yield from _harmonic(w, "F1 of averages, and the most that a mean of F1 can be", p, r)


def _of_averages(w: Worked, of: str) -> Iterator[str]:
    p, r = w.score("metric", "macro_precision"), w.score("metric", "macro_recall")
    yield from _harmonic(w, "2PR/(P+R)", p, r)


Rule = Callable[[Worked, str], Iterator[str]]

_RULES: dict[str, Rule] = {
    "f1": _class_f1,
    "recall": _class_recall,
    "precision": _class_precision,
    "accuracy": _accuracy,
    "micro_f1": _accuracy,
    "macro_precision": lambda w, _: _mean(w, "mean of precision", "precision"),
    "macro_recall": lambda w, _: _mean(w, "mean of recall", "recall"),
    "macro_f1": _macro_f1,
    "reported_macro_f1": _macro_f1,
    "f1_of_averages": _of_averages,
    "weighted_precision": lambda w, _: _weighted(w, "mean of precision by size", "precision"),
    "weighted_recall": lambda w, _: _weighted(w, "mean of recall by size", "recall"),
    "weighted_f1": lambda w, _: _weighted(w, "mean of F1 by size", "f1"),
}

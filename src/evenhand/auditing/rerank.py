"""Rerank: both macro F1s of every row recomputed, and who changes place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from evenhand.auditing.columns import PER_CLASS
from evenhand.auditing.facts import Facts
from evenhand.auditing.ranges import Range, divided, harmonic, total
from evenhand.notes.record import Record


@dataclass(frozen=True)
class Reranked(Record):
    """One system under both formulas; a positive ``move`` is places won under F1 of averages."""

    told = ("name", "macro_f1", "f1_of_averages", "rank_macro_f1", "rank_f1_of_averages", "move")

    name: str
    macro_f1: float | None
    f1_of_averages: float | None
    rank_macro_f1: int | None
    rank_f1_of_averages: int | None

    @property
    def move(self) -> int | None:
        """Places won by going from macro_f1 to f1_of_averages."""
        if self.rank_macro_f1 is None or self.rank_f1_of_averages is None:
            return None
        return self.rank_macro_f1 - self.rank_f1_of_averages


def recomputed(facts: Facts) -> tuple[Fraction | None, Fraction | None]:
    """macro_f1 and f1_of_averages of one row, from its classes as they are printed.

    The mean of F1 is of the printed F1s, or of 2PR/(P+R) where these are not printed.
    """
    p, r, mean = (_mean([getattr(c, part) for c in facts.classes]) for part in PER_CLASS)
    if mean is None:
        made = [_harmonic(_mean([c.precision]), _mean([c.recall])) for c in facts.classes]
        mean = _mean([None if f is None else Range(f, f) for f in made])
    return mean, _harmonic(p, r)


def reranked(
    names: Sequence[str], values: Sequence[tuple[Fraction | None, Fraction | None]]
) -> tuple[Reranked, ...]:
    """Both rankings side by side, by macro_f1; equal values share the smallest rank."""
    first, second = _ranks([v[0] for v in values]), _ranks([v[1] for v in values])
    rows = [
        Reranked(
            name,
            None if m is None else float(m),
            None if a is None else float(a),
            first[i],
            second[i],
        )
        for i, (name, (m, a)) in enumerate(zip(names, values, strict=True))
    ]
    last = len(rows) + 1
    return tuple(
        sorted(rows, key=lambda r: (r.rank_macro_f1 or last, r.rank_f1_of_averages or last))
    )


def _ranks(values: Sequence[Fraction | None]) -> list[int | None]:
    known = sorted((v for v in values if v is not None), reverse=True)
    first = {v: i for i, v in reversed(list(enumerate(known, 1)))}
    return [None if v is None else first[v] for v in values]


def _mean(values: Sequence[Range | None]) -> Fraction | None:
    """The mean of the ranges' middles, if all are known."""
    known = [v for v in values if v is not None]
    if not known or len(known) < len(values):
        return None
    ends = total(known)
    return divided(ends.low + ends.high, 2 * len(known))


def _harmonic(p: Fraction | None, r: Fraction | None) -> Fraction | None:
    if p is None or r is None:
        return None
    return Fraction(harmonic(Range(p, p), Range(r, r)).low)

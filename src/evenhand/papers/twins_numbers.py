"""Opitz & Burst (2019): worked tables and printed program output."""

from __future__ import annotations

from typing import Any

import numpy as np

from evenhand.core.twins import pair_terms
from evenhand.papers.claims import Outcome, claim, judged
from evenhand.papers.compared import worst
from evenhand.papers.program import digits, four
from evenhand.papers.tried import counts, per_class, twins

# Rows = true here; the document prints the transpose.
TABLE_1 = [[5, 5], [10, 10]]
TABLE_2 = [[1, 9], [1, 19]]
TABLE_3 = [[100, 0], [10000, 100]]
TABLE_4 = [[100, 5000], [5000, 100]]


def _two(table: Any) -> tuple[float, float]:
    a, b = twins(np.array(table))
    return float(a), float(b)


@claim("000-table-1", "table 1", "F1′ 0.5, F1 0.49")
def table_1() -> Outcome:
    """Both macro F1s of a small table."""
    a, b = _two(TABLE_1)
    good = f"{a:.1f} {b:.2f}" == "0.5 0.49"
    return judged(good, f"F1′ {a:.4f}, F1 {b:.4f}", "1/2 and 17/35")


@claim("000-table-2-mean", "table 2", "F1 0.48")
def table_2_mean() -> Outcome:
    """The mean of F1 of a biased classifier."""
    _, b = _two(TABLE_2)
    return judged(f"{b:.2f}" == "0.48", f"F1 {b:.4f}", "23/48")


@claim("000-table-2", "table 2", "F1′ 0.55")
def table_2() -> Outcome:
    """The F1 of averages of a biased classifier."""
    a, _ = _two(TABLE_2)
    return judged(
        f"{a:.2f}" == "0.55",
        f"F1′ {a:.4f}, so 0.56",
        "231/416: cut off, not rounded",
        corrected=f"{a:.2f}" == "0.56",
    )


@claim("000-tables-1-2", "section 3", "improves one, impairs the other")
def ranking() -> Outcome:
    """A bias towards one class raises the F1 of averages and lowers the mean of F1."""
    (a, b), (c, d) = _two(TABLE_1), _two(TABLE_2)
    return judged(c > a and d < b, f"F1′ {a:.4f} → {c:.4f}, F1 {b:.4f} → {d:.4f}", "tables 1 and 2")


@claim("000-table-3", "table 3", "F1′ 0.505, F1 0.0196, both classes' F1 0.0196")
def table_3() -> Outcome:
    """Errors of one kind only."""
    a, b = _two(TABLE_3)
    each = per_class(np.array(TABLE_3))[2]
    good = f"{a:.3f} {b:.4f}" == "0.505 0.0196" and all(f"{f:.4f}" == "0.0196" for f in each)
    return judged(good, f"F1′ {a:.6f}, F1 {b:.6f}", "51/101 and 1/51; both classes' F1 is 1/51")


@claim("000-table-4", "table 4", "F1′ = F1 = 0.0196")
def table_4() -> Outcome:
    """As many errors of both kinds."""
    a, b = _two(TABLE_4)
    return judged(f"{a:.4f} {b:.4f}" == "0.0196 0.0196", f"F1′ {a:.6f}, F1 {b:.6f}", "both 1/51")


@claim(
    "000-program-1",
    "appendix D, the program mf1",
    "0.504950495049505, 1.96078431372549e-2, 0.48534265191225007 twice",
)
def program_1() -> Outcome:
    """What the program prints for [[100, 10000], [0, 100]]."""
    gap = "0.48534265191225007"
    return _program(TABLE_3, "0.504950495049505", "1.96078431372549e-2", gap, gap)


@claim("000-program-2", "appendix D, the program mf1", "1.96078431372549e-2 twice, 0.0 twice")
def program_2() -> Outcome:
    """What the program prints for [[100, 5000], [5000, 100]]."""
    return _program(TABLE_4, "1.96078431372549e-2", "1.96078431372549e-2", "0.0", "0.0")


def _program(table: Any, *printed: str) -> Outcome:
    found = four(np.transpose(table).tolist())
    said = tuple(map(digits, found.values()))
    a, b = _two(table)
    off = worst((a, b, a - b, pair_terms(counts(table)).sum()), tuple(found.values()))
    return judged(
        said == printed and off < 1e-15,
        ", ".join(said),
        f"the listing's operations in its order; our formulas differ by {off:.1g} at most",
    )


@claim("000-appendix-e-names", "appendix E", "P_x = …, R_x = …", by_eye=True)
def haskell() -> Outcome:
    """The listing is a Haskell program."""
    return Outcome(
        "misprint",
        "p_x = …, r_x = …",
        "in Haskell a variable begins with a small letter, a capital makes a constructor: as "
        "listed it does not compile",
    )


@claim("000-appendix-e-lemma", "appendix E", "2 · (P_x R_y − P_y R_x)²")
def pairs() -> Outcome:
    """The listing's sum over unordered pairs with a factor 2 is the lemma's over ordered ones."""
    m = np.array([[6, 1, 1], [1, 5, 2], [2, 3, 7]])
    terms = pair_terms(counts(m))
    half = 2 * float(np.triu(terms, 1).sum())
    a, b = _two(m)
    return judged(abs(half - (a - b)) < 1e-15, f"{half:.12f}", "[[6, 1, 1], [1, 5, 2], [2, 3, 7]]")

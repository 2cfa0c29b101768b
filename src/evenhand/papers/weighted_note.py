"""The note on weighted metrics: its formulas and its worked example."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from evenhand.core.metrics.micro import accuracy
from evenhand.core.metrics.weighted import weighted_f1, weighted_precision, weighted_recall
from evenhand.papers.claims import Outcome, claim, judged
from evenhand.papers.compared import equal, worst
from evenhand.papers.tried import (
    Cells,
    divided,
    everything,
    exact,
    harmonic,
    on,
    per_class,
    table_text,
)

# 0 bird, 1 cat, 2 dog: one digit an item, in the order of the note.
TRUE = "1200122001211112222200022102"
PRED = "0101102002211112222200011220"
# The same lists spelled with names in the note, by their first letters.
TRUE_NAMES = "cdbbcddbbcdccccddddbbbddcbd"
PRED_NAMES = "bdbccbdbbddccccdddddbbbcddb"
MATRIX = [[6, 1, 1], [1, 5, 2], [2, 3, 7]]


def _table(true: str, pred: str, labels: str) -> Cells:
    m = np.zeros((3, 3), np.int64)
    for t, p in zip(true, pred, strict=True):
        m[labels.index(t), labels.index(p)] += 1
    return m


@claim("001-example-integers", "section 5", table_text(MATRIX))
def integers() -> Outcome:
    """The integer lists give the matrix shown."""
    m = _table(TRUE, PRED, "012")
    return judged(m.tolist() == MATRIX, table_text(m), f"{len(TRUE)} items counted")


@claim("001-example-names", "section 5", "N = 28 and the same matrix")
def names() -> Outcome:
    """The lists of names are the lists of integers."""
    m = _table(TRUE_NAMES, PRED_NAMES, "bcd")
    spelled = ["".join("bcd"[int(c)] for c in s) for s in (TRUE, PRED)]
    good = spelled == [TRUE_NAMES, PRED_NAMES]
    return judged(
        good,
        f"{len(TRUE_NAMES)} items, matrix {table_text(m)}",
        f"the integers have {len(TRUE)} items and give {table_text(MATRIX)}",
        corrected=_table(TRUE, PRED, "012").tolist() == MATRIX,
    )


@claim("001-accuracy", "section 5 (a)", "9/14 ≈ 0.6428571428571429")
def example_accuracy() -> Outcome:
    """Accuracy of the example."""
    (x,) = exact("accuracy", MATRIX)
    return judged(x == Fraction(9, 14) and float(x) == 0.6428571428571429, f"{x}", repr(float(x)))


@claim("001-weighted-precision", "section 5 (b)", "409/630 ≈ 0.6492063492063492")
def example_precision() -> Outcome:
    """Weighted precision of the example."""
    (x,) = exact("weighted_precision", MATRIX)
    good = x == Fraction(409, 630) and float(x) == 0.6492063492063492
    return judged(good, f"{x}", repr(float(x)))


@claim("001-weighted-recall", "section 5 (c)", "9/14")
def example_recall() -> Outcome:
    """Weighted recall of the example."""
    (x,) = exact("weighted_recall", MATRIX)
    return judged(x == Fraction(9, 14), f"{x}", repr(float(x)))


@claim("001-weighted-f1", "section 5 (d)", "841/1309")
def example_f1() -> Outcome:
    """Weighted F1 of the example, as a fraction."""
    (x,) = exact("weighted_f1", MATRIX)
    return judged(x == Fraction(841, 1309), f"{x}", "in exact fractions")


@claim("001-weighted-f1-digits", "section 5 (d)", "0.6424751718869367")
def example_f1_digits() -> Outcome:
    """Weighted F1 of the example, as a decimal."""
    (x,) = exact("weighted_f1", MATRIX)
    digits, right = repr(float(on(weighted_f1, MATRIX))), f"0.{round(x * 10**16)}"
    return judged(
        digits == "0.6424751718869367",
        digits,
        f"what double precision gives; 841/1309 to 16 decimals is {right}",
        remark=digits != right,
    )


@claim("001-weighted-recall-accuracy", "section 3", "(1/N) Σ M_ii")
def recall_is_accuracy() -> Outcome:
    """Weighted recall is accuracy."""
    cells = everything(3)
    a, b = on(weighted_recall, cells), on(accuracy, cells)
    return equal(a, b, f"{len(cells):,} tables")


@claim(
    "001-formulas",
    "sections 2 and 4",
    "Σ support·M_ii/Σ_j M_ji / N; 2Σ support·M_ii/(support + Σ_j M_ji) / N",
)
def formulas() -> Outcome:
    """Weighted precision and weighted F1 written on the cells."""
    cells = everything(3)
    n, support, column = cells.sum(axis=(1, 2)), cells.sum(axis=2), cells.sum(axis=1)
    hits = np.diagonal(cells, axis1=1, axis2=2)
    p = divided(support * hits, column).sum(axis=1) / n
    f = 2 * divided(support * hits, support + column).sum(axis=1) / n
    most = max(worst(p, on(weighted_precision, cells)), worst(f, on(weighted_f1, cells)))
    return judged(most < 1e-12, f"largest difference {most:.1g}", f"{len(cells):,} tables")


@claim("001-f1-simplified", "section 4", "2M_ii/(support_i + Σ_j M_ji)")
def simplified() -> Outcome:
    """A class's F1 is 2·M_ii over its row sum plus its column sum."""
    p, r, f = per_class(everything(3))
    return equal(harmonic(p, r), f, "all classes")

"""Claims of the shorter documents: the note on weighted metrics, and Shmueli (2019)."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from evenhand.core.metrics.accuracy import accuracy
from evenhand.core.metrics.macro import (
    fbeta_of_averages,
    macro_f1,
    macro_precision,
    macro_recall,
    weighted_f1,
    weighted_precision,
    weighted_recall,
)
from evenhand.core.ratio import ratio
from evenhand.papers.claims import (
    WORKED,
    Cells,
    Outcome,
    equal,
    exact,
    harmonic,
    items,
    judged,
    per_class,
    scores,
    table_text,
    twins,
    worst,
)

# A table that fits the printed percentages: cat, fish, hen; rows = true.
TABLE = [[4, 1, 1], [6, 2, 2], [3, 0, 6]]


def _percent(x: Any) -> str:
    return f"{100 * float(x):.1f}"


def claim_002_macro_f1() -> Outcome:
    """The mean of the classes' F1.

    Where: worked example
    Printed: (42.1 + 30.8 + 66.7)/3 = 46.5 %
    """
    mean = float(scores(macro_f1, TABLE))
    good = f"{(42.1 + 30.8 + 66.7) / 3:.1f}" == _percent(mean) == "46.5"
    return judged(good, f"{100 * mean:.2f} %", f"table {TABLE}; the printed addends give the same")


def claim_002_classes() -> Outcome:
    """F1 of cat, fish and hen from their precision and recall.

    Where: worked example
    Printed: 42.1, 30.8 and 66.7 %
    """
    percents = [_percent(f) for f in per_class(np.array(TABLE))[2]]
    good = percents == ["42.1", "30.8", "66.7"]
    return judged(good, ", ".join(percents), f"the table {TABLE} fits all printed percentages")


def claim_002_classes_rates() -> Outcome:
    """Precision and recall of cat, fish and hen.

    Where: worked example
    Printed: 31, 67, 67 %; 67, 20, 67 %
    """
    p, r, _ = per_class(np.array(TABLE))
    text = "; ".join(", ".join(f"{100 * x:.0f}" for x in rate) + " %" for rate in (p, r))
    return judged(text == "31, 67, 67 %; 67, 20, 67 %", text, f"table {TABLE}")


def _mean(parts: tuple[int, ...], printed: str, metric: Any) -> Outcome:
    shown, exact = sum(parts) / len(parts), float(scores(metric, TABLE))
    good, remark = _percent(exact) == printed, f"{shown:.1f}" != printed
    good &= abs(shown - float(printed)) <= 0.5
    return judged(good, remark=remark, percent=100 * exact, shown=shown, table=TABLE)


def claim_002_macro_precision() -> Outcome:
    """Macro precision.

    Where: worked example
    Printed: (31 + 67 + 67)/3 = 54.7 %

    {percent:.2f} %

    the printed addends are rounded and give {shown:.1f} %, the table {table} that fits every
    printed percentage gives what is printed
    """
    return _mean((31, 67, 67), "54.7", macro_precision)


def claim_002_macro_recall() -> Outcome:
    """Macro recall.

    Where: worked example
    Printed: (67 + 20 + 67)/3 = 51.1 %

    {percent:.2f} %

    the printed addends are rounded and give {shown:.1f} %, the table {table} that fits every
    printed percentage gives what is printed
    """
    return _mean((67, 20, 67), "51.1", macro_recall)


def claim_002_two_values() -> Outcome:
    """The second method (Macro-F1*, Fscore_M) gives another macro F1 than the first.

    Where: worked example
    Printed: Macro-F1* is not Macro-F1
    """
    a, b = twins(np.array(TABLE))
    return judged(float(a) != float(b), f"{_percent(a)} % and {_percent(b)} %", f"table {TABLE}")


def claim_002_fscore(cells: Cells) -> Outcome:
    """Fscore_M (F-score_M) is the Fβ of macro precision and macro recall.

    Where: the excerpt from Sokolova and Lapalme
    Printed: (β² + 1)PR/(β²P + R)
    """
    betas, p, r = (0.5, 1.0, 2.0), scores(macro_precision, cells), scores(macro_recall, cells)
    formula = [ratio((b**2 + 1) * p * r, b**2 * p + r) for b in betas]
    ours = [scores(fbeta_of_averages, cells, beta=b) for b in betas]
    return equal(formula, ours, "β = 1/2, 1, 2", close=1e-12)


def claim_002_beta_one(cells: Cells) -> Outcome:
    """With β = 1 precision and recall have equal weights, with other β they have not.

    Where: the excerpt from Sokolova and Lapalme
    Printed: equal weights

    the transpose, where precision and recall change places, has the same score

    {tables:,} tables; with β = 0.5 it differs by up to {half:.2f}, β = 2 it differs by up to
    {twice:.2f}
    """
    turned = np.swapaxes(cells, 1, 2)  # its precision is the recall, its recall the precision
    same, half, twice = (
        worst(*(scores(fbeta_of_averages, x, beta=beta) for x in (cells, turned)))
        for beta in (1.0, 0.5, 2.0)
    )
    return judged(same < 1e-12 < min(half, twice), tables=len(cells), half=half, twice=twice)


def claim_002_scikit_learn(sklearn: Any) -> Outcome:
    """Scikit-learn's f1_score computes the mean of F1, not the F1 of averages.

    Where: on popularity
    Printed: Macro-F1 (and not Macro-F1*)

    {score:.6f}

    mean of F1 {mean:.6f}, F1 of averages {other:.6f}
    """
    score = float(sklearn.f1_score(*items(TABLE), average="macro"))
    other, mean = map(float, twins(np.array(TABLE)))
    good = abs(score - mean) < 1e-12 < abs(score - other)
    return judged(good, score=score, mean=mean, other=other)


# The note on weighted metrics

# 0 bird, 1 cat, 2 dog: one digit an item, in the order of the note.
TRUE = "1200122001211112222200022102"
PRED = "0101102002211112222200011220"
# The same lists spelled with names in the note, by their first letters.
TRUE_NAMES = "cdbbcddbbcdccccddddbbbddcbd"
PRED_NAMES = "bdbccbdbbddccccdddddbbbcddb"


def _table(true: str, pred: str, labels: str) -> list[list[int]]:
    pairs = Counter(zip(true, pred, strict=True))
    return [[pairs[t, p] for p in labels] for t in labels]


def claim_001_example_integers(printed: str) -> Outcome:
    """The integer lists give the matrix shown.

    Where: section 5
    Printed: [[6, 1, 1], [1, 5, 2], [2, 3, 7]]
    """
    m = table_text(_table(TRUE, PRED, "012"))
    return judged(m == printed == table_text(WORKED), m, f"{len(TRUE)} items counted")


def claim_001_example_names() -> Outcome:
    """The lists of names are the lists of integers.

    Where: section 5
    Printed: N = 28 and the same matrix

    {sizes[0]} items, matrix {table}

    the integers have {sizes[1]} items and give {counted}

    Correct: the lists of 28 integers: [[6, 1, 1], [1, 5, 2], [2, 3, 7]]
    """
    spelled = ["".join("bcd"[int(c)] for c in s) for s in (TRUE, PRED)]
    table, counted = _table(TRUE_NAMES, PRED_NAMES, "bcd"), _table(TRUE, PRED, "012")
    good, sizes = spelled == [TRUE_NAMES, PRED_NAMES], (len(TRUE_NAMES), len(TRUE))
    return judged(good, corrected=counted == WORKED, sizes=sizes, table=table, counted=counted)


def _example(metric: str, printed: str) -> Outcome:
    (x,) = exact(metric, WORKED)
    return judged(printed in (str(x), f"{x} ≈ {float(x)!r}"), f"{x}", repr(float(x)))


def claim_001_accuracy(printed: str) -> Outcome:
    """Accuracy of the example.

    Where: section 5 (a)
    Printed: 9/14 ≈ 0.6428571428571429
    """
    return _example("accuracy", printed)


def claim_001_weighted_precision(printed: str) -> Outcome:
    """Weighted precision of the example.

    Where: section 5 (b)
    Printed: 409/630 ≈ 0.6492063492063492
    """
    return _example("weighted_precision", printed)


def claim_001_weighted_recall(printed: str) -> Outcome:
    """Weighted recall of the example.

    Where: section 5 (c)
    Printed: 9/14
    """
    return _example("weighted_recall", printed)


def claim_001_weighted_f1(printed: str) -> Outcome:
    """Weighted F1 of the example.

    Where: section 5 (d)
    Printed: 841/1309
    """
    return _example("weighted_f1", printed)


def claim_001_weighted_f1_digits() -> Outcome:
    """Weighted F1 of the example, as a decimal.

    Where: section 5 (d)
    Printed: 0.6424751718869367

    {ours}

    what double precision gives; 841/1309 to 16 decimals is {right}
    """
    (x,) = exact("weighted_f1", WORKED)
    ours, right = repr(float(scores(weighted_f1, WORKED))), f"0.{round(x * 10**16)}"
    return judged(ours == "0.6424751718869367", remark=ours != right, ours=ours, right=right)


def claim_001_weighted_recall_accuracy(cells: Cells) -> Outcome:
    """Weighted recall is accuracy.

    Where: section 3
    Printed: (1/N) Σ M_ii
    """
    return equal(scores(weighted_recall, cells), scores(accuracy, cells))


def claim_001_formulas(cells: Cells) -> Outcome:
    """Weighted precision and weighted F1 written on the cells.

    Where: sections 2 and 4
    Printed: Σ support·M_ii/Σ_j M_ji / N; 2Σ support·M_ii/(support + Σ_j M_ji) / N
    """
    n, support, column = cells.sum(axis=(1, 2)), cells.sum(axis=2), cells.sum(axis=1)
    hits = np.diagonal(cells, axis1=1, axis2=2)
    p = ratio(support * hits, column).sum(axis=1) / n
    f = 2 * ratio(support * hits, support + column).sum(axis=1) / n
    return equal([p, f], [scores(m, cells) for m in (weighted_precision, weighted_f1)], close=1e-12)


def claim_001_f1_simplified(cells: Cells) -> Outcome:
    """A class's F1 is 2·M_ii over its row sum plus its column sum.

    Where: section 4
    Printed: 2M_ii/(support_i + Σ_j M_ji)
    """
    p, r, f = per_class(cells)
    return equal(harmonic(p, r), f, "all classes")

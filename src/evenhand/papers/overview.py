"""Opitz (2022), main text: definitions, interpretations, identities, extrapolation."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np

from evenhand.core.metrics.gain import bookmaker_gain
from evenhand.core.metrics.macro import (
    f1_of_averages,
    geometric_macro_recall,
    macro_f1,
    macro_precision,
    macro_recall,
)
from evenhand.core.metrics.micro import accuracy, micro_f1, micro_precision, micro_recall
from evenhand.core.prevalence import factors
from evenhand.papers.claims import Outcome, claim, judged
from evenhand.papers.compared import equal, same, worst
from evenhand.papers.tried import (
    Cells,
    divided,
    everything,
    exact,
    harmonic,
    on,
    per_class,
    table_text,
    with_every_class,
)
from evenhand.tables.confusion import Confusion

TABLE_2 = np.array([[15, 10], [5, 10]])  # rows = true; the document prints the transpose
TABLE_4 = np.array([[15, 10], [10, 20]])


def calibrated(cells: Cells) -> Cells:
    """Tables with all classes equally frequent."""
    return np.asarray(cells * factors(cells.sum(axis=-1))[..., None])


@claim("003-table-3-4", "tables 2 to 4", "λ = (1, 2)")
def scaling() -> Outcome:
    """Scaling the column of class b by 2 gives table 4."""
    m = TABLE_2 * np.array([1, 2])[:, None]
    occurs = TABLE_2.sum(axis=1)[1], m.sum(axis=1)[1]
    return judged(
        bool((m == TABLE_4).all()) and occurs == (15, 30),
        f"{table_text(m)} (rows = true)",
        f"b occurs {occurs[0]} and {occurs[1]} times, as the captions say",
    )


@claim("003-eq-6", "equation 6, prevalence calibration", "λ_ii = 1/(n·prevalence(i))")
def eq_6() -> Outcome:
    """Λ_ii = 1/(n·prevalence(i)) gives all classes equal prevalence without changing the
    proportions of intra-class error types.
    """
    cells = with_every_class(3)
    found = cells / (3 * cells.sum(axis=2, keepdims=True))
    kinds = (x / x.sum(axis=2, keepdims=True) for x in (cells, found))
    equal_shares, kept = worst(found.sum(axis=2), 1 / 3), worst(*kinds)
    ours = worst(found, calibrated(cells))
    return judged(
        max(equal_shares, kept, ours) < 1e-12,
        f"every prevalence is 1/3 to {equal_shares:.1g}, proportions change by {kept:.1g} at most",
        f"{len(cells):,} tables in which every class is true; metric@uniform scores the same "
        f"tables, to {ours:.1g}",
    )


@claim("003-footnote-1", "footnote 1", "m_ij = Σ [s_2 = j]·f(s_1)_i")
def soft() -> Outcome:
    """For predicted probability distributions a table may be set by summing them into the column of
    the true class.
    """
    rng = np.random.default_rng(0)
    true, shares = np.array([0, 0, 1, 2, 2]), rng.dirichlet(np.ones(3), 5)
    found = np.zeros((3, 3))
    for pred in product(range(3), repeat=5):
        chance = np.prod(shares[np.arange(5), pred])
        np.add.at(found, (true, np.array(pred)), chance)
    summed = np.array([shares[true == t].sum(axis=0) for t in range(3)])
    ours = Confusion.from_probabilities(true.tolist(), shares, labels=range(3)).cells
    return judged(
        max(worst(summed, found), worst(ours, summed)) < 1e-12,
        f"the table that drawing each prediction gives on average, to {worst(summed, found):.1g}",
        "5 items of 3 classes, all 243 outcomes weighed by their chance; a soft table of ours is "
        "the same",
    )


@claim("003-micro", "equation 7 and appendix A", "equal")
def micro() -> Outcome:
    """Accuracy, micro precision, micro recall and micro F1 are one number."""
    cells = everything(3)
    base = on(accuracy, cells)
    most = max(worst(on(m, cells), base) for m in (micro_precision, micro_recall, micro_f1))
    return judged(
        most < 1e-12, f"largest difference {most:.1g}", f"{len(cells):,} tables, all classes"
    )


@claim("003-bags", "section 4, macro recall: drawing items from class bags", "macR")
def bags() -> Outcome:
    """The chance that a random item of a random class is predicted right is macro recall."""
    m = [[6, 1, 1], [1, 5, 2], [2, 3, 7]]
    chance = sum(Fraction(row[i], sum(row)) * Fraction(1, 3) for i, row in enumerate(m))
    return judged(exact("macro_recall", m)[0] == chance, str(chance), table_text(m))


@claim(
    "003-bookmaker",
    "section 4, macro recall: bookmaker metric, equations 9 to 13",
    "−|S| + n|S|·macR",
)
def bookmaker() -> Outcome:
    """Betting one unit an item at fair odds |S|/prevalence gains n|S|·macR − |S|."""
    m = [[6, 1, 1], [1, 5, 2], [2, 3, 7]]
    s = sum(map(sum, m))
    bets = Fraction(0)
    for t, p in product(range(3), repeat=2):
        for _ in range(m[t][p]):
            bets += (Fraction(s, sum(m[t])) if t == p else 0) - 1
    cells = with_every_class(3)
    n = cells.sum(axis=(1, 2))
    formula = -n + 3 * n * on(macro_recall, cells)
    gain = on(bookmaker_gain, cells)
    good = same(formula, gain, 1e-6) and abs(float(bets) - float(on(bookmaker_gain, m))) < 1e-9
    return judged(
        good,
        f"{bets} units on the worked example, bet by bet",
        f"{len(cells):,} tables in which every class is true; a class that is not has no odds",
    )


@claim("003-precision-spread", "section 4, macro precision", "approaches 1 − 1/n")
def precision_spread() -> Outcome:
    """Scaling classes can change macro precision by almost 1 − 1/n."""
    found = []
    for n in (2, 3, 5):
        m = np.eye(n) * 1e6
        m[0, 1:] = 1.0
        scaled = m * np.where(np.arange(n) == 0, 1e12, 1.0)[:, None]
        found.append(float(on(macro_precision, m) - on(macro_precision, scaled)) - (1 - 1 / n))
    rng = np.random.default_rng(0)
    cells = everything(3)[:2000]
    moved = on(macro_precision, cells) - on(
        macro_precision, cells * np.exp(rng.uniform(0, 9, (len(cells), 3, 1)))
    )
    return judged(
        max(map(abs, found)) < 1e-4 and abs(moved).max() < 1 - 1 / 3,
        f"within {max(map(abs, found)):.1g} of it for 2, 3 and 5 classes",
        f"and below it in {len(cells):,} random scalings: the class that is scaled up most keeps "
        "its precision",
    )


@claim("003-eq-19", "equation 19", "2/n Σ correct/(bias + prevalence)")
def eq_19() -> Outcome:
    """Macro F1 sees false positives and false negatives of a class only in their sum."""
    cells = everything(3)
    c, b, p = (np.diagonal(cells, axis1=1, axis2=2), cells.sum(axis=1), cells.sum(axis=2))
    found = 2 / 3 * divided(c, b + p).sum(axis=1)
    return equal(found, on(macro_f1, cells), f"{len(cells):,} tables")


@claim(
    "003-eq-21", "section 4, macro F1: a doppelganger (macF1′), equation 21", "H(macR(m), macR(mᵀ))"
)
def eq_21() -> Outcome:
    """The F1 of averages is an inter-annotator agreement: the harmonic mean of macro recall and the
    transpose's macro recall.
    """
    cells = everything(3)
    a, b = on(macro_recall, cells), on(macro_recall, np.swapaxes(cells, 1, 2))
    return equal(harmonic(a, b), on(f1_of_averages, cells), f"{len(cells):,} tables")


@claim("003-eq-25", "equation 25", "ⁿ√(R_1 · … · R_n)")
def eq_25() -> Outcome:
    """The geometric mean of recall is the nth root of the chance that n items, one of every class,
    are all right.
    """
    cells = everything(3)
    found = np.prod(per_class(cells)[1], axis=-1) ** (1 / 3)
    return equal(found, on(geometric_macro_recall, cells), f"{len(cells):,} tables")

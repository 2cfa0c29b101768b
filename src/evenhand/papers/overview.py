"""Opitz (2022), main text: definitions, interpretations, identities, extrapolation."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from itertools import product

import numpy as np

from evenhand.core.metrics.agreement import kappa, mcc
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
from evenhand.papers.record import Outcome, claim, judged
from evenhand.papers.tools import (
    Cells,
    equal,
    everything,
    on,
    per_class,
    same,
    table_text,
    with_every_class,
    worst,
)
from evenhand.properties.subject import subject_of

TABLE_2 = np.array([[15, 10], [5, 10]])  # rows = true; the document prints the transpose
TABLE_4 = np.array([[15, 10], [10, 20]])


def calibrated(cells: Cells) -> Cells:
    """Tables with all classes equally frequent."""
    return np.asarray(cells * factors(cells.sum(axis=-1))[..., None])


@claim(
    "003-table-3-4",
    "tables 2 to 4",
    "scaling the column of class b by 2 gives table 4",
    "λ = (1, 2)",
)
def scaling() -> Outcome:
    m = TABLE_2 * np.array([1, 2])[:, None]
    occurs = TABLE_2.sum(axis=1)[1], m.sum(axis=1)[1]
    return judged(
        bool((m == TABLE_4).all()) and occurs == (15, 30),
        f"{table_text(m)} (rows = true)",
        f"b occurs {occurs[0]} and {occurs[1]} times, as the captions say",
    )


@claim(
    "003-eq-6",
    "equation 6",
    "λ_ii = 1/(n·prevalence) makes all classes equally frequent",
    "1/n each",
)
def eq_6() -> Outcome:
    p = calibrated(with_every_class(3)).sum(axis=-1)
    return equal(p, 1 / 3, f"{len(p):,} tables")


@claim(
    "003-micro",
    "equation 7 and appendix A",
    "accuracy, micro precision, micro recall and micro F1 are one number",
    "equal",
)
def micro() -> Outcome:
    cells = everything(3)
    base = on(accuracy, cells)
    most = max(worst(on(m, cells), base) for m in (micro_precision, micro_recall, micro_f1))
    return judged(
        most < 1e-12, f"largest difference {most:.1g}", f"{len(cells):,} tables, all classes"
    )


@claim(
    "003-footnote-1",
    "footnote 1",
    "summing probability vectors into the true class's column generalises the count table",
    "m_ij = Σ [s_2 = j]·f(s_1)_i",
)
def soft() -> Outcome:
    rng = np.random.default_rng(0)
    true, pred = rng.integers(0, 3, 200), rng.integers(0, 3, 200)
    hard = np.zeros((3, 3))
    np.add.at(hard, (true, pred), 1)
    summed = np.zeros((3, 3))
    np.add.at(summed, true, np.eye(3)[pred])
    return judged(bool((hard == summed).all()), "the same table for 0/1 probabilities", "200 items")


@claim(
    "003-bags",
    "section 4, macro recall",
    "the chance that a random item of a random class is predicted right is macro recall",
    "macR",
)
def bags() -> Outcome:
    m = [[6, 1, 1], [1, 5, 2], [2, 3, 7]]
    chance = sum(Fraction(row[i], sum(row)) * Fraction(1, 3) for i, row in enumerate(m))
    found = subject_of("macro_recall").exact(np.array([m]))
    return judged(found is not None and found[0] == chance, str(chance), table_text(m))


@claim(
    "003-bookmaker",
    "equations 9 to 13",
    "betting one unit an item at fair odds |S|/prevalence gains n|S|·macR − |S|",
    "−|S| + n|S|·macR",
)
def bookmaker() -> Outcome:
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


@claim(
    "003-eq-14-16",
    "equations 14 to 16",
    "accuracy after calibration is macro recall",
    "macAcc = macR",
)
def calibrated_accuracy() -> Outcome:
    cells = with_every_class(3)
    a, b = on(accuracy, calibrated(cells)), on(macro_recall, cells)
    return equal(a, b, f"{len(cells):,} tables")


@claim(
    "003-precision-spread",
    "section 4, macro precision",
    "scaling classes can change macro precision by almost 1 − 1/n",
    "approaches 1 − 1/n",
)
def precision_spread() -> Outcome:
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


@claim(
    "003-eq-19",
    "equation 19",
    "macro F1 sees false positives and false negatives of a class only in their sum",
    "2/n Σ correct/(bias + prevalence)",
)
def eq_19() -> Outcome:
    cells = everything(3)
    c, b, p = (np.diagonal(cells, axis1=1, axis2=2), cells.sum(axis=1), cells.sum(axis=2))
    with np.errstate(invalid="ignore"):
        found = 2 / 3 * np.nan_to_num(c / (b + p)).sum(axis=1)
    base = on(macro_f1, cells)
    return equal(found, base, f"{len(cells):,} tables")


@claim(
    "003-eq-21",
    "equation 21",
    "the F1 of averages is the harmonic mean of macro recall and the transpose's macro recall",
    "H(macR(m), macR(mᵀ))",
)
def eq_21() -> Outcome:
    cells = everything(3)
    a, b = on(macro_recall, cells), on(macro_recall, np.swapaxes(cells, 1, 2))
    with np.errstate(invalid="ignore"):
        found = np.nan_to_num(2 * a * b / (a + b))
    base = on(f1_of_averages, cells)
    return equal(found, base, f"{len(cells):,} tables")


def _normalised(cells: Cells) -> tuple[Cells, Cells, Cells]:
    m = cells / cells.sum(axis=(1, 2), keepdims=True)
    return np.trace(m, axis1=1, axis2=2), m.sum(axis=1), m.sum(axis=2)


@claim(
    "003-eq-23-24",
    "equations 23 and 24",
    "MCC and kappa on normalised tables, which leaves both unchanged",
    "(c − p·b)/√…; (c − p·b)/(1 − p·b)",
)
def eq_23() -> Outcome:
    cells = with_every_class(3)
    c, b, p = _normalised(cells)
    pb = (p * b).sum(axis=1)
    m = (c - pb) / np.sqrt((1 - (b * b).sum(axis=1)) * (1 - (p * p).sum(axis=1)))
    k = (c - pb) / (1 - pb)
    most = max(worst(m, on(mcc, cells)), worst(k, on(kappa, cells)))
    return judged(most < 1e-9, f"largest difference {most:.1g}", f"{len(cells):,} tables")


@claim("003-mcc-kappa", "after equation 24", "MCC is never below kappa", "MCC ≥ KAPPA")
def mcc_above_kappa() -> Outcome:
    cells = np.concatenate([with_every_class(2), np.array([[[0, 1], [5, 0]]])])
    m, k = on(mcc, cells), on(kappa, cells)
    broken = m < k - 1e-9
    sizes = (abs(m) >= abs(k) - 1e-9).all() and (m * k >= -1e-12).all()
    a, b = float(m[-1]), float(k[-1])
    return judged(
        not broken.any(),
        f"|MCC| ≥ |KAPPA| with the same sign: {'holds' if sizes else 'fails too'}",
        f"broken by {broken.sum():,} of {len(cells):,} tables of 2 classes, wherever kappa is "
        f"negative: [[0, 1], [5, 0]] has kappa {b:.3f}, MCC {a:.3f}",
    )


@claim(
    "003-mcc-kappa-reason",
    "after equation 24",
    "because p·b is at most b·b and at most p·p",
    "p·b ≤ b·b, p·p",
)
def reason() -> Outcome:
    cells = with_every_class(2)
    _, b, p = _normalised(cells)
    pb, bb, pp = (p * b).sum(1), (b * b).sum(1), (p * p).sum(1)
    broken = pb > np.minimum(bb, pp) + 1e-12
    halves = (1 - pb >= np.sqrt((1 - bb) * (1 - pp)) - 1e-12).all()
    return judged(
        not broken.any(),
        f"broken by {broken.sum():,} of {len(cells):,} tables of 2 classes",
        f"e.g. {table_text(cells[np.flatnonzero(broken)[0]])}; what is needed, "
        f"1 − p·b ≥ √((1 − b·b)(1 − p·p)), {'holds' if halves else 'fails'} (Cauchy–Schwarz)",
    )


@claim(
    "003-kappa-calibrated",
    "section 4, kappa and MCC",
    "calibrated, kappa is (c − 1/n)/(1 − 1/n), without the classifier's bias",
    "(c − 1/n)/(1 − 1/n)",
)
def kappa_calibrated() -> Outcome:
    cells = calibrated(with_every_class(3))
    c, _, _ = _normalised(cells)
    found, base = (c - 1 / 3) / (1 - 1 / 3), on(kappa, cells)
    return equal(found, base, f"{len(cells):,} tables")


@claim(
    "003-mcc-calibrated",
    "section 4, kappa and MCC",
    "calibrated, MCC keeps the classifier's bias in its denominator",
    "(c − 1/n)/√((1 − b·b)(1 − 1/n))",
)
def mcc_calibrated() -> Outcome:
    cells = calibrated(with_every_class(3))
    c, b, _ = _normalised(cells)
    found = (c - 1 / 3) / np.sqrt((1 - (b * b).sum(1)) * (1 - 1 / 3))
    base = on(mcc, cells)
    return equal(found, base, f"{len(cells):,} tables", 1e-7)


@claim(
    "003-footnote-5",
    "footnote 5",
    "scikit-learn's confusion_matrix calibrates with this option",
    "normalize='True'",
)
def footnote_5() -> Outcome:
    allowed = ("true", "pred", "all")
    return judged(
        "True" in allowed,
        "normalize='true'",
        f"the option takes {', '.join(map(repr, allowed))} or None, and is case-sensitive",
        corrected="true" in allowed,
    )


@claim(
    "003-eq-25",
    "equation 25",
    "the geometric mean of recall is the nth root of the chance that n items, one of every class, "
    "are all right",
    "ⁿ√(R_1 · … · R_n)",
)
def eq_25() -> Outcome:
    cells = everything(3)
    found = np.prod(per_class(cells)[1], axis=-1) ** (1 / 3)
    base = on(geometric_macro_recall, cells)
    return equal(found, base, f"{len(cells):,} tables")


@claim(
    "003-eq-26-27",
    "equations 26 and 27",
    "precision on new data follows from recall, the new class mix and the new share of predictions",
    "R_i·P(class = i)/P(f → i)",
)
def eq_26() -> Outcome:
    rng = np.random.default_rng(0)
    cells = with_every_class(3)
    new = cells * np.exp(rng.uniform(-3, 3, (len(cells), 3, 1)))
    share = new / new.sum(axis=(1, 2), keepdims=True)
    recall = per_class(cells)[1]
    found = recall * share.sum(axis=2) / share.sum(axis=1)
    base = per_class(new)[0]
    b, p = share.sum(axis=1), share.sum(axis=2)
    c, pb = (recall * p).sum(axis=1), (p * b).sum(axis=1)
    also = worst((c - pb) / (1 - pb), on(kappa, new))
    return judged(
        same(found, base) and also < 1e-9,
        f"largest difference {worst(found, base):.1g}; kappa from the same numbers {also:.1g}",
        f"{len(cells):,} tables, each class scaled at random; exact where only prevalence changes",
    )


@claim(
    "003-precision-transfer",
    "section 5",
    "recall on new data cannot be had from precision on old data",
    "not possible",
)
def transfer() -> Outcome:
    old = per_class(TABLE_2)[0]
    share = TABLE_4.sum(axis=0) / TABLE_4.sum(axis=1)
    guessed, true = old * share, per_class(TABLE_4)[1]
    return judged(
        not same(guessed, true),
        f"{guessed[0]:.3f}, {guessed[1]:.3f} instead of {true[0]:.3f}, {true[1]:.3f}",
        "tables 2 and 4: the precision of table 2 does not hold in table 4",
    )


@claim(
    "003-gmacr-kin",
    "section 5",
    "the generalised means of recall do not change with prevalence",
    "any p",
)
def any_p() -> Outcome:
    cells = with_every_class(3)
    scaled = cells * np.array([1, 7, 100])[:, None]
    most = max(
        worst(on(partial(macro_recall, p=p), cells), on(partial(macro_recall, p=p), scaled))
        for p in (-2.0, -1.0, 0.0, 0.5, 2.0)
    )
    return judged(
        most < 1e-9, f"largest change {most:.1g}", f"{len(cells):,} tables, five values of p"
    )

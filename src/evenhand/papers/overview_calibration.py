"""Opitz (2022), main text: kappa and MCC, calibration, extrapolation to new data."""

from __future__ import annotations

from functools import partial

import numpy as np

from evenhand.core.metrics.agreement import kappa, mcc
from evenhand.core.metrics.macro import macro_recall
from evenhand.core.metrics.micro import accuracy
from evenhand.papers.claims import Outcome, claim, judged
from evenhand.papers.compared import equal, same, worst
from evenhand.papers.overview import TABLE_2, TABLE_4, calibrated
from evenhand.papers.tried import Cells, on, per_class, table_text, with_every_class, with_recalls


def _normalised(cells: Cells) -> tuple[Cells, Cells, Cells]:
    m = cells / cells.sum(axis=(1, 2), keepdims=True)
    return np.trace(m, axis1=1, axis2=2), m.sum(axis=1), m.sum(axis=2)


@claim("003-eq-14-16", "equations 14 to 16", "macAcc = macR")
def calibrated_accuracy() -> Outcome:
    """Accuracy after calibration is macro recall."""
    cells = with_every_class(3)
    a, b = on(accuracy, calibrated(cells)), on(macro_recall, cells)
    return equal(a, b, f"{len(cells):,} tables")


@claim("003-eq-23-24", "equations 23 and 24", "(c − p·b)/√…; (c − p·b)/(1 − p·b)")
def eq_23() -> Outcome:
    """MCC and kappa on normalised tables, which leaves both unchanged."""
    cells = with_every_class(3)
    c, b, p = _normalised(cells)
    pb = (p * b).sum(axis=1)
    m = (c - pb) / np.sqrt((1 - (b * b).sum(axis=1)) * (1 - (p * p).sum(axis=1)))
    k = (c - pb) / (1 - pb)
    most = max(worst(m, on(mcc, cells)), worst(k, on(kappa, cells)))
    return judged(most < 1e-9, f"largest difference {most:.1g}", f"{len(cells):,} tables")


@claim("003-mcc-kappa", "after equation 24", "MCC ≥ KAPPA")
def mcc_above_kappa() -> Outcome:
    """MCC is never below kappa."""
    cells = np.concatenate([with_every_class(2), np.array([[[0, 1], [5, 0]]])])
    m, k = on(mcc, cells), on(kappa, cells)
    broken = m < k - 1e-9
    sizes = (abs(m) >= abs(k) - 1e-9).all() and (m * k >= -1e-12).all()
    a, b = float(m[-1]), float(k[-1])
    below = k < -1e-12
    only = "only where kappa is" if below[broken].all() else "not only where kappa is"
    equal_there = (abs(m - k) < 1e-9) & below
    return judged(
        not broken.any(),
        f"|MCC| ≥ |KAPPA| with the same sign: {'holds' if sizes else 'fails too'}",
        f"broken by {broken.sum():,} of {len(cells):,} tables of 2 classes, {only} negative: "
        f"[[0, 1], [5, 0]] has kappa {b:.3f}, MCC {a:.3f}; of the {below.sum():,} with a negative "
        f"kappa {equal_there.sum():,} have both equal",
    )


@claim("003-mcc-kappa-reason", "after equation 24", "p·b ≤ b·b, p·p")
def reason() -> Outcome:
    """Because p·b is at most b·b and at most p·p."""
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


@claim("003-kappa-calibrated", "section 4, kappa and MCC", "(c − 1/n)/(1 − 1/n)")
def kappa_calibrated() -> Outcome:
    """Calibrated, kappa is (c − 1/n)/(1 − 1/n), without the classifier's bias."""
    cells = calibrated(with_every_class(3))
    c, _, _ = _normalised(cells)
    found, base = (c - 1 / 3) / (1 - 1 / 3), on(kappa, cells)
    return equal(found, base, f"{len(cells):,} tables")


@claim("003-mcc-calibrated", "section 4, kappa and MCC", "(c − 1/n)/√((1 − b·b)(1 − 1/n))")
def mcc_calibrated() -> Outcome:
    """Calibrated, MCC keeps the classifier's bias in its denominator."""
    cells = calibrated(with_every_class(3))
    c, b, _ = _normalised(cells)
    found = (c - 1 / 3) / np.sqrt((1 - (b * b).sum(1)) * (1 - 1 / 3))
    return equal(found, on(mcc, cells), f"{len(cells):,} tables", 1e-7)


@claim("003-bias-robust", "conclusion", "KAPPA tends to have more robustness", drawn=True)
def robust(seed: int) -> Outcome:
    """Kappa tends to have more robustness against classifier biases than MCC."""
    steadier, spreads = [], []
    for n in (3, 5):
        rng = np.random.default_rng([seed, n])
        recalls, mix = rng.uniform(0.3, 0.95, (500, 1, n)), rng.dirichlet(np.full(n, 2.0), (500, 1))
        made = with_recalls(recalls, mix, rng, 500, 60)
        k, m = (on(f, made).std(axis=1) for f in (kappa, mcc))
        steadier.append(float((k < m).mean()))
        spreads += [float(on(f, calibrated(made)).std(axis=1).mean()) for f in (kappa, mcc)]
    return judged(
        min(steadier) > 0.5 and max(spreads[::2]) < 1e-12 < min(spreads[1::2]),
        f"kappa varies less than MCC with the bias in {100 * steadier[0]:.0f} % of the tasks of 3 "
        f"classes and {100 * steadier[1]:.0f} % of 5",
        "500 class mixes and recalls, 60 classifiers each that send their errors to other classes; "
        f"calibrated, kappa does not vary at all, MCC by {spreads[1]:.3f} and {spreads[3]:.3f}; "
        "with 2 classes the recalls fix the bias",
    )


@claim("003-footnote-5", "footnote 5", "normalize='True'", by_eye=True)
def footnote_5() -> Outcome:
    """Scikit-learn's confusion_matrix calibrates with this option."""
    return Outcome(
        "misprint",
        "normalize='true'",
        "the option takes 'true', 'pred', 'all' or None, and is case-sensitive",
    )


@claim("003-eq-26-27", "equations 26 and 27", "R_i·P(class = i)/P(f → i)")
def eq_26() -> Outcome:
    """Precision on new data follows from recall, the new class mix and the new share of
    predictions.
    """
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


@claim("003-precision-transfer", "section 5, recall and precision", "not possible")
def transfer() -> Outcome:
    """Recall on new data cannot be had from precision on old data."""
    old = per_class(TABLE_2)[0]
    share = TABLE_4.sum(axis=0) / TABLE_4.sum(axis=1)
    guessed, true = old * share, per_class(TABLE_4)[1]
    return judged(
        not same(guessed, true),
        f"{guessed[0]:.3f}, {guessed[1]:.3f} instead of {true[0]:.3f}, {true[1]:.3f}",
        "tables 2 and 4: the precision of table 2 does not hold in table 4",
    )


@claim("003-gmacr-kin", "section 5, geometric mean", "any p")
def any_p() -> Outcome:
    """The generalised means of recall do not change with prevalence."""
    cells = with_every_class(3)
    scaled = cells * np.array([1, 7, 100])[:, None]
    most = max(
        worst(on(partial(macro_recall, p=p), cells), on(partial(macro_recall, p=p), scaled))
        for p in (-2.0, -1.0, 0.0, 0.5, 2.0)
    )
    return judged(
        most < 1e-9, f"largest change {most:.1g}", f"{len(cells):,} tables, five values of p"
    )

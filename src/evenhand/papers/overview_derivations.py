"""Claims of Opitz (2022): calibration, derivatives, properties."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache, partial
from typing import Any

import numpy as np

from evenhand.core.derivatives import gradient
from evenhand.core.metrics.accuracy import accuracy
from evenhand.core.metrics.agreement import kappa, mcc
from evenhand.core.metrics.macro import f1_of_averages, macro_f1, macro_precision, macro_recall
from evenhand.core.properties import NAMES
from evenhand.papers.claims import (
    CLOSE,
    SAMPLE,
    Cells,
    Outcome,
    TransposedTables,
    compared,
    counts,
    equal,
    exact,
    items,
    judged,
    per_class,
    same,
    scores,
    table_text,
    with_every_class,
    with_recalls,
    worst,
)
from evenhand.papers.overview import TABLE_2, TABLE_4, calibrated
from evenhand.properties import check
from evenhand.properties.profile import Profile, mark
from evenhand.properties.search import Finding


def _normalised(cells: Cells) -> tuple[Cells, Cells, Cells]:
    m = cells / cells.sum(axis=(1, 2), keepdims=True)
    return np.trace(m, axis1=1, axis2=2), m.sum(axis=1), m.sum(axis=2)


def claim_003_eq_14_16(proper: Cells) -> Outcome:
    """Accuracy after calibration is macro recall.

    Where: equations 14 to 16
    Printed: macAcc = macR
    """
    return equal(scores(accuracy, calibrated(proper)), scores(macro_recall, proper))


def claim_003_eq_23_24(proper: Cells) -> Outcome:
    """MCC and kappa on normalised tables, which leaves both unchanged.

    Where: equations 23 and 24
    Printed: (c − p·b)/√…; (c − p·b)/(1 − p·b)
    """
    c, b, p = _normalised(proper)
    pb = (p * b).sum(axis=1)
    m = (c - pb) / np.sqrt((1 - (b * b).sum(axis=1)) * (1 - (p * p).sum(axis=1)))
    k = (c - pb) / (1 - pb)
    return equal([m, k], [scores(mcc, proper), scores(kappa, proper)])


def claim_003_mcc_kappa() -> Outcome:
    """MCC is never below kappa.

    Where: after equation 24
    Printed: MCC ≥ KAPPA

    |MCC| ≥ |KAPPA| with the same sign: {sizes}

    broken by {broken:,} of {tables:,} tables of 2 classes, {only} negative: [[0, 1], [5, 0]] has
    kappa {k:.3f}, MCC {m:.3f}; of the {below:,} with a negative kappa {equal:,} have both equal

    Correct: |MCC| ≥ |KAPPA|, with the same sign
    """
    cells = np.concatenate([with_every_class(2), np.array([[[0, 1], [5, 0]]])])
    m, k = scores(mcc, cells), scores(kappa, cells)
    broken, below, both = m < k - 1e-9, k < -1e-12, abs(m - k) < 1e-9
    holds = (abs(m) >= abs(k) - 1e-9).all() and (m * k >= -1e-12).all()
    words = {"sizes": "holds" if holds else "fails too", "k": k[-1], "m": m[-1]}
    words["only"] = f"{'' if below[broken].all() else 'not '}only where kappa is"
    sums = {"broken": broken.sum(), "below": below.sum(), "equal": (both & below).sum()}
    return judged(not broken.any(), tables=len(cells), **words, **sums)


def claim_003_mcc_kappa_reason() -> Outcome:
    """Because p·b is at most b·b and at most p·p.

    Where: after equation 24
    Printed: p·b ≤ b·b, p·p

    broken by {broken:,} of {tables:,} tables of 2 classes

    e.g. {example}; what is needed, 1 − p·b ≥ √((1 − b·b)(1 − p·p)), {needed} (Cauchy–Schwarz)

    Correct: 2 p·b ≤ p·p + b·b, so √((s² − p·p)(s² − b·b)) ≤ s² − p·b
    """
    cells = with_every_class(2)
    _, b, p = _normalised(cells)
    pb, bb, pp = (p * b).sum(1), (b * b).sum(1), (p * p).sum(1)
    broken = pb > np.minimum(bb, pp) + 1e-12
    needed = "holds" if (1 - pb >= np.sqrt((1 - bb) * (1 - pp)) - 1e-12).all() else "fails"
    facts = {"broken": broken.sum(), "tables": len(cells), "needed": needed}
    return judged(not broken.any(), example=table_text(cells[broken.argmax()]), **facts)


def claim_003_kappa_calibrated(proper: Cells) -> Outcome:
    """Calibrated, kappa is (c − 1/n)/(1 − 1/n), without the classifier's bias.

    Where: section 4, kappa and MCC
    Printed: (c − 1/n)/(1 − 1/n)
    """
    cells = calibrated(proper)
    c, _, _ = _normalised(cells)
    return equal((c - 1 / 3) / (1 - 1 / 3), scores(kappa, cells))


def claim_003_mcc_calibrated(proper: Cells) -> Outcome:
    """Calibrated, MCC keeps the classifier's bias in its denominator.

    Where: section 4, kappa and MCC
    Printed: (c − 1/n)/√((1 − b·b)(1 − 1/n))
    """
    cells = calibrated(proper)
    c, b, _ = _normalised(cells)
    formula = (c - 1 / 3) / np.sqrt((1 - (b * b).sum(1)) * (1 - 1 / 3))
    return equal(formula, scores(mcc, cells), close=1e-7)


def claim_003_bias_robust(seed: int) -> Outcome:
    """Kappa tends to have more robustness against classifier biases than MCC.

    Where: conclusion
    Printed: KAPPA tends to have more robustness

    kappa varies less than MCC with the bias in {steadier[0]:.0f} % of the tasks of 3 classes and
    {steadier[1]:.0f} % of 5

    500 class mixes and recalls, 60 classifiers each that send their errors to other classes;
    calibrated, kappa does not vary at all, MCC by {spreads[1]:.3f} and {spreads[3]:.3f}; with 2
    classes the recalls fix the bias
    """
    steadier, spreads = [], []
    for n in (3, 5):
        rng = np.random.default_rng([seed, n])
        recalls, mix = rng.uniform(0.3, 0.95, (500, 1, n)), rng.dirichlet(np.full(n, 2.0), (500, 1))
        cells = with_recalls(recalls, mix, rng, 500, 60)
        k, m = (scores(f, cells).std(axis=1) for f in (kappa, mcc))
        steadier.append(100 * float((k < m).mean()))
        spreads += [float(scores(f, calibrated(cells)).std(axis=1).mean()) for f in (kappa, mcc)]
    good = min(steadier) > 50 and max(spreads[::2]) < 1e-12 < min(spreads[1::2])
    return judged(good, steadier=steadier, spreads=spreads)


def claim_003_footnote_3(sklearn: Any) -> Outcome:
    """The report of scikit-learn has the mean of F1 as its macro F1 by default.

    Where: footnote 3
    Printed: set as default in evaluation reports

    classification_report of table 2: {shown:.6f}

    run without options; mean of F1 {mean:.6f}, F1 of averages {other:.6f}
    """
    report = sklearn.classification_report(*items(TABLE_2), output_dict=True)
    shown = report["macro avg"]["f1-score"]
    mean, other = (float(scores(f, TABLE_2)) for f in (macro_f1, f1_of_averages))
    good = abs(shown - mean) < 1e-12 < abs(shown - other)
    return judged(good, shown=shown, mean=mean, other=other)


def claim_003_footnote_5(sklearn: Any) -> Outcome:
    """Scikit-learn's confusion_matrix calibrates with this option.

    Where: footnote 5
    Printed: normalize='True'

    normalize='true'

    run on table 2: 'True' {refusal}; 'true' gives n times the calibrated table, to {off:.1g}
    """
    matrix = partial(sklearn.confusion_matrix, *items(TABLE_2))
    try:
        refusal = f"gives {table_text(matrix(normalize='True'))}"
    except ValueError as error:
        refusal = f"is refused ({type(error).__name__})"
    off = worst(matrix(normalize="true") / 2, calibrated(TABLE_2))
    accepted = refusal.startswith("gives")
    return judged(accepted, corrected=off < CLOSE, refusal=refusal, off=off)


def claim_003_chance_accuracy(proper: Cells) -> Outcome:
    """A random classifier with the same shares of predictions is right with probability p·b.

    Where: section 4, kappa and MCC
    Printed: p·b ≈ Σ P(c = i)·P(f → i)
    """
    _, b, p = _normalised(proper)
    random = scores(accuracy, p[:, :, None] * b[:, None, :])
    tried = f"{len(proper):,} tables, truth and guess independent"
    return equal(random, (p * b).sum(axis=1), tried)


def claim_003_kappa_bound(proper: Cells) -> Outcome:
    """The denominator of kappa is its numerator for the perfect classifier, an upper bound.

    Where: section 4, kappa and MCC
    Printed: upper-bound w.r.t. the perfect classifier

    kappa is 1 in the {perfect} tables without errors and below in the others

    {tables:,} tables of 3 classes; with other biases than prevalences even c = Σ min(p, b), the
    most that the margins allow, leaves it below 1, down to {least:.2f}
    """
    c, b, p = _normalised(proper)
    k, perfect = scores(kappa, proper), np.isclose(c, 1)
    reachable = (np.minimum(p, b).sum(axis=1) - (p * b).sum(axis=1)) / (1 - (p * b).sum(axis=1))
    good = same(k[perfect], 1) and k[~perfect].max() < 1
    return judged(good, perfect=perfect.sum(), tables=len(proper), least=reachable.min())


def claim_003_eq_26_27(proper: Cells) -> Outcome:
    """Precision on new data follows from recall, the new class mix and the new share of
    predictions.

    Where: equations 26 and 27
    Printed: R_i·P(class = i)/P(f → i)

    largest difference {off:.1g}; kappa from the same numbers {also:.1g}

    {tables:,} tables, each class scaled at random; exact where only prevalence changes
    """
    rng = np.random.default_rng(0)
    new = proper * np.exp(rng.uniform(-3, 3, (len(proper), 3, 1)))
    share = new / new.sum(axis=(1, 2), keepdims=True)
    recall = per_class(proper)[1]
    b, p = share.sum(axis=1), share.sum(axis=2)
    off = worst(recall * p / b, per_class(new)[0])
    c, pb = (recall * p).sum(axis=1), (p * b).sum(axis=1)
    also = worst((c - pb) / (1 - pb), scores(kappa, new))
    return judged(max(off, also) < 1e-9, off=off, also=also, tables=len(proper))


def claim_003_precision_transfer() -> Outcome:
    """Recall on new data cannot be had from precision on old data.

    Where: section 5, recall and precision
    Printed: not possible

    {guess[0]:.3f}, {guess[1]:.3f} instead of {true[0]:.3f}, {true[1]:.3f}

    tables 2 and 4: the precision of table 2 does not hold in table 4
    """
    guess = per_class(TABLE_2)[0] * TABLE_4.sum(axis=0) / TABLE_4.sum(axis=1)
    true = per_class(TABLE_4)[1]
    return judged(not same(guess, true), guess=guess, true=true)


def claim_003_gmacr_kin(proper: Cells) -> Outcome:
    """The generalised means of recall do not change with prevalence.

    Where: section 5, geometric mean
    Printed: any p

    largest change {most:.1g}

    {tables:,} tables, five values of p
    """
    scaled = proper * np.array([1, 7, 100])[:, None]
    powers = (-2.0, -1.0, 0.0, 0.5, 2.0)
    most = max(worst(*(scores(macro_recall, x, p=p) for x in (proper, scaled))) for p in powers)
    return judged(most < 1e-9, most=most, tables=len(proper))


# Derivatives


def claim_003_appendix_b_1(t: TransposedTables) -> Outcome:
    """The derivative of macro recall.

    Where: appendix B.1
    Printed: −correct(j)/(n·prevalence(j)²); (prevalence(i) − correct(i))/(n·prevalence(i)²)
    """
    return _rate_derivative(t, t.slope(macro_recall), t.prevalence, axis=1)


def _rate_derivative(t: TransposedTables, true: Cells, margin: Cells, axis: int) -> Outcome:
    """The derivative of the mean of correct/margin, in errors and in hits."""
    wrong = np.expand_dims(-t.correct / (t.n * margin**2), axis)
    hit = (margin - t.correct) / (t.n * margin**2)
    good = same(t.off(wrong), t.off(true)) and same(hit, t.on(true))
    return judged(good, "as printed", f"{SAMPLE}, differentiated")


def claim_003_appendix_c_1(t: TransposedTables) -> Outcome:
    """The derivative of macro precision.

    Where: appendix C.1
    Printed: −correct(i)/(n·bias(i)²); (bias(i) − correct(i))/(n·bias(i)²)
    """
    return _rate_derivative(t, t.slope(macro_precision), t.bias, axis=2)


def claim_003_eq_32(t: TransposedTables) -> Outcome:
    """The derivative of macro F1 in an error.

    Where: equation 32
    Printed: −2·correct(i)/(nZ_i²) − 2·correct(j)/(nZ_j²)
    """
    part = -2 * t.correct / (t.n * (t.bias + t.prevalence) ** 2)
    printed = t.off(part[:, :, None] + part[:, None, :])
    return compared(printed, None, t.off(t.slope(macro_f1)), "as printed")


def claim_003_eq_33_34(t: TransposedTables) -> Outcome:
    """The derivative of macro F1 in a hit.

    Where: equations 33 and 34
    Printed: 2/(nZ_i) − 2correct(i)/(nZ_i²) + the same for j

    Correct: ∂macF1/∂m_ii = 2(Z_i − 2 correct(i))/(n Z_i²), Z_i = bias(i) + prevalence(i)
    """
    z = t.bias + t.prevalence
    part = 2 / (t.n * z) - 2 * t.correct / (t.n * z**2)  # twice: j is i on the diagonal
    right, fixed = 2 * (z - 2 * t.correct) / (t.n * z**2), "2(Z_i − 2·correct_i)/(nZ_i²)"
    return compared(2 * part, right, t.on(t.slope(macro_f1)), fixed)


def claim_003_eq_36_37(t: TransposedTables) -> Outcome:
    """The derivative of the F1 of averages.

    Where: equations 36 and 37
    Printed: 2(∂R̄ + ∂P̄)(R̄ + P̄ − P̄R̄)/(R̄ + P̄)

    Correct: 2(R̄²·∂P̄ + P̄²·∂R̄)/(P̄ + R̄)²
    """
    r, p = (scores(f, t.cells)[:, None, None] for f in (macro_recall, macro_precision))
    dr, dp = t.slope(macro_recall), t.slope(macro_precision)
    printed = 2 * (dr + dp) * (r + p - p * r) / (r + p)
    right = 2 * (r**2 * dp + p**2 * dr) / (p + r) ** 2
    fixed = "2(R̄²·∂P̄ + P̄²·∂R̄)/(P̄ + R̄)², which is monotone all the same"
    return compared(printed, right, t.slope(f1_of_averages), fixed)


def claim_003_eq_38(t: TransposedTables) -> Outcome:
    """Kappa on counts.

    Where: equation 38
    Printed: (cs − p·b)/(s² − p·p)

    Correct: (cs − p·b)/(s² − p·b)
    """
    true = scores(kappa, t.cells)[:, None, None]
    printed, right = (t.top / (t.s**2 - x) for x in (t.pp, t.pb))
    return compared(printed, right, true, "the denominator is s² − p·b")


def claim_003_eq_39(t: TransposedTables) -> Outcome:
    """The derivative of kappa in an error.

    Where: equation 39
    Printed: ((c − z)D_K² − (2s − z)N_K)/D_K²

    Correct: ((c − z)D_K − (2s − z)N_K)/D_K²
    """
    below, drop = t.s**2 - t.pb, (2 * t.s - t.z) * t.top
    printed, right = (t.off(((t.c - t.z) * x - drop) / below**2) for x in (below**2, below))
    return compared(printed, right, t.off(t.slope(kappa)), "(c − z)·D_K in the numerator")


def claim_003_eq_40(t: TransposedTables) -> Outcome:
    """MCC on counts.

    Where: equation 40
    Printed: (cs − p·b)/√((s² − p·p)(s² − b·b))
    """
    formula = t.top / np.sqrt((t.s**2 - t.pp) * (t.s**2 - t.bb))
    return compared(formula, None, scores(mcc, t.cells)[:, None, None], "as printed")


def claim_003_eq_41_43(t: TransposedTables) -> Outcome:
    """The derivative of MCC in an error.

    Where: equations 41 to 43
    Printed: (D_M²(c − z) − N_M(2s − v)√(s² − b·b) − N_M(2s − u)√(s² − p·p))/(2D_M³)

    Correct: (2D_M²(c − z) − N_M(2s − v)(s² − b·b) − N_M(2s − u)(s² − p·p))/(2D_M³)
    """
    truth, guess = t.s**2 - t.pp, t.s**2 - t.bb
    d, lead = np.sqrt(truth * guess), t.c - t.z
    v, u = t.top * (2 * t.s - t.v), t.top * (2 * t.s - t.u)
    printed = (d**2 * lead - v * np.sqrt(guess) - u * np.sqrt(truth)) / (2 * d**3)
    right = (2 * d**2 * lead - v * guess - u * truth) / (2 * d**3)
    fixed = "2D_M²(c − z), and no square roots in the others"
    return compared(t.off(printed), t.off(right), t.off(t.slope(mcc)), fixed)


def claim_003_appendix_f_terms(t: TransposedTables) -> Outcome:
    """The derivatives of p·b, p·p and b·b in a cell.

    Where: appendix F.1
    Printed: bias(j) + prevalence(i); 2·prevalence(j); 2·bias(i)
    """
    i, j = 0, 2
    step = 1e-3 * np.outer(np.eye(3)[i], np.eye(3)[j])
    up, down = (TransposedTables(t.m + x) for x in (step, -step))
    slopes = [(getattr(up, x) - getattr(down, x))[:, 0, 0] / 2e-3 for x in ("pb", "pp", "bb")]
    most = worst(slopes, [t.z[:, i, j], t.v[:, 0, j], t.u[:, i, 0]])
    return judged(most < 1e-5, f"largest difference {most:.1g}", "60 tables, central differences")


def claim_003_appendix_f_example() -> Outcome:
    """MCC rises when ten errors are added.

    Where: tables 6 and 7
    Printed: 0.0 → 0.07
    """
    before = np.array([[10, 1, 0], [43, 1, 0], [0, 0, 1]])  # rows = true
    after = before + np.array([[0, 0, 0], [0, 0, 10], [0, 0, 0]])
    a, b = exact("mcc", [before, after])
    good = a == 0 and f"{float(b):.2f}" == "0.07"
    return judged(good, f"{float(a):g} → {float(b):.4f}", "0 exactly at first")


def claim_003_appendix_f_argument() -> Outcome:
    """Kappa and MCC are not monotone because there are tables with N = 0 and (c − z)·D² ≠ 0.

    Where: appendix F.1, closing argument
    Printed: N → 0, but not (c − z)·D²

    table 6 has N = 0, c − z up to {lead:g}, slopes of errors up to {rises[0]:.2g} (kappa) and
    {rises[1]:.2g} (MCC)

    what it needs is c > z: [[1, 1], [1, 1]] has N = {n:g} and c − z = {less:g}, and no error raises
    either metric
    """
    table_6, other = [[10.0, 43, 0], [1, 1, 0], [0, 0, 1]], [[1.0, 1], [1, 1]]
    both = [TransposedTables(np.array([m])) for m in (table_6, other)]
    lead, less = (float(t.off(t.c - t.z).max()) for t in both)
    rises, falls = ([float(t.off(t.slope(f)).max()) for f in (kappa, mcc)] for t in both)
    top, n = (t.top.item() for t in both)
    holds = top == 0 and lead > 0 and min(rises) > 0
    remark = n == 0 and less < 0 and max(falls) < 0
    return judged(holds, remark=remark, lead=lead, rises=rises, n=n, less=less)


# Table 5: the properties

SIZES = (2, 3)
ROWS = ("macro_recall", "macro_precision", "macro_f1", "f1_of_averages", "kappa", "mcc", "accuracy")
"""The metrics of table 5."""
SHORT = dict(zip(NAMES, ("I", "II", "III", "IV", "V"), strict=True))


@lru_cache
def profile(metric: str) -> Profile:
    """The properties of a metric, by search."""
    return check(metric, sizes=SIZES)


def table_row(metric: str) -> dict[str, str]:
    """The row of table 5 as the search has it."""
    return {SHORT[name]: _mark(f) for name, f in profile(metric).items()}


def _mark(f: Finding) -> str:
    """As the laboratory marks it, with a tick for what was not refuted."""
    return mark(f if f.holds is False else replace(f, status="shown"))


def _row_text(row: dict[str, str]) -> str:
    return ", ".join(f"{s} {mark}" for s, mark in row.items())


def printed_row(text: str) -> dict[str, str]:
    """The marks of a row as printed, by property.

    >>> printed_row("I ✓, II ✗, V ✓ 1/k, strict")
    {'I': '✓', 'II': '✗', 'V': '✓ 1/k, strict'}
    """
    return dict(re.findall(r"([IV]+) (.+?)(?=, [IV]|$)", text))


def _row(metric: str, text: str) -> Outcome:
    p, row, printed = profile(metric), table_row(metric), printed_row(text)
    shown = {SHORT[name]: f.evidence for name, f in p.items()}
    why = [f"{s}: {shown[s]}" for s in row if row[s] != printed[s] or row[s].startswith("✗")]
    chance = p.chance_correction.detail
    predicting = chance["strict_inside"] and not chance["everywhere"]
    if predicting:
        one = exact(metric, LEFT_OUT)[0]
        why.append(
            f"V: {shown['V']}, as appendix C.5, which divides by z_i, supposes; one that never "
            f"predicts a class scores less, {one} in {table_text(LEFT_OUT)}"
        )
    remark = predicting or p.monotonicity.detail.get("monotone_for")
    evidence = "; ".join(why) or str(p.monotonicity.tried)
    return judged(row == printed, _row_text(row), evidence, remark=remark)


LEFT_OUT = np.array([[1, 0], [1, 0]])
"""A random classifier that never predicts the second of two equal classes, rows = true."""


def claim_003_table_5_macro_recall(printed: str) -> Outcome:
    """The five properties (PI, PII, PIII, PIV, PV) of macro Recall.

    Where: section 4, macro recall, table 5 and appendix B
    Printed: I ✓, II ✓, III ✓, IV ✓, V ✓ 1/k, strict
    """
    return _row("macro_recall", printed)


def claim_003_table_5_macro_precision(printed: str) -> Outcome:
    """The five properties (PI, PII, PIII, PIV, PV) of macro Prec.

    Where: section 4, macro precision, table 5 and appendix C
    Printed: I ✓, II ✓, III ✓, IV ✗ (✓), V ✓ 1/k, strict
    """
    return _row("macro_precision", printed)


def claim_003_table_5_macro_f1(printed: str) -> Outcome:
    """The five properties (PI, PII, PIII, PIV, PV) of macro F1.

    Where: section 4, macro F1, table 5 and appendix D
    Printed: I ✓, II ✓, III ✓, IV ✗ (✓), V ✓ 1/k
    """
    return _row("macro_f1", printed)


def claim_003_table_5_f1_of_averages(printed: str) -> Outcome:
    """The five properties (PI, PII, PIII, PIV, PV) of macro F1′.

    Where: section 4, macro F1: a doppelganger, table 5 and appendix E
    Printed: I ✓, II ✓, III ✗, IV ✗ (✓), V ✓ 1/k, strict
    """
    return _row("f1_of_averages", printed)


def claim_003_table_5_kappa(printed: str) -> Outcome:
    """The five properties (PI, PII, PIII, PIV, PV) of Kappa.

    Where: section 4, kappa and MCC, table 5 and appendix F
    Printed: I ✗, II ✓, III ✗, IV ✗ (✓), V ✓ 0, complete
    """
    return _row("kappa", printed)


def claim_003_table_5_mcc(printed: str) -> Outcome:
    """The five properties (PI, PII, PIII, PIV, PV) of MCC.

    Where: section 4, kappa and MCC, table 5 and appendix F
    Printed: I ✗, II ✓, III ✗, IV ✗ (✓), V ✓ 0, complete
    """
    return _row("mcc", printed)


def claim_003_table_5_accuracy(printed: str) -> Outcome:
    """The five properties (PI, PII, PIII, PIV, PV) of Accuracy.

    Where: section 4, accuracy, table 5 and appendix A
    Printed: I ✓, II ✗, III ✗, IV ✗, V ✗

    {row}

    {why}; calibrated it is the table's row 'Macro Acc.', the same as macro Recall: {calibrated}
    """
    row, even, recall = map(table_row, ("accuracy", "accuracy@uniform", "macro_recall"))
    why = profile("accuracy").class_decomposability.evidence
    bare, calibrated = _row_text(row).replace(" (✓)", ""), _row_text(even)
    return judged(bare == printed and even == recall, row=bare, why=why, calibrated=calibrated)


def claim_003_eq_3() -> Outcome:
    """A metric is monotone (property I) if its derivative is ≥ 0 exactly on the diagonal.

    Where: equation 3
    Printed: ≥ 0 ⇔ i = j

    'if', not 'exactly if'

    macro recall of [[0, 2], [1, 3]] (rows = true) has slope {off:g} in an error of the class
    without hits: as printed even macro recall fails

    Correct: ∂metric/∂m_ij ≥ 0 if i = j, and ≤ 0 if i ≠ j
    """
    slope = gradient(macro_recall, counts([[0.0, 2.0], [1.0, 3.0]])).dense()[:, :-1]
    off, right = float(slope[0, 1]), (np.diagonal(slope) >= 0).all()
    return judged(off < 0, corrected=off <= 0 and right, off=abs(off))


def claim_003_appendix_d_4() -> Outcome:
    """Macro F1 is prevalence invariant.

    Where: appendix D.4
    Printed: ✓ in the heading

    ✗, as table 5 and the sentence below it say

    {why}
    """
    f = profile("macro_f1").prevalence_invariance
    return judged(f.holds is not False, corrected=f.holds is False, why=f.evidence)


def claim_003_calibration() -> Outcome:
    """Calibration equips every metric with prevalence invariance (property IV).

    Where: section 5 and conclusion
    Printed: every metric

    {changes}

    gained (+) and lost (−) by calibration, which is defined where every class is true and changes
    more than IV; e.g. calibrated macro F1: {macro_f1}. A corollary: kappa@uniform,
    (macR − 1/n)/(1 − 1/n),
    {has}, V as {chance}
    """
    changes, invariant, more = [], [], []
    for m in (m for m in ROWS if m != "macro_recall"):
        even = profile(f"{m}@uniform")
        marks = [(SHORT[n], f.holds, even[n].holds) for n, f in profile(m).items()]
        gained = [s for s, before, after in marks if before is False and after is not False]
        lost = [s for s, before, after in marks if before is not False and after is False]
        invariant += [m] if "IV" in gained else []
        more += [m] if gained != ["IV"] or lost else []
        changes.append(f"{m} +{', +'.join(gained)}" + "".join(f", −{s}" for s in lost))
    row = table_row("kappa@uniform")
    has = "lacks one of the five" if _lacks(row) else "has all five properties"
    evidence = profile("macro_f1@uniform").monotonicity.evidence
    facts = {"changes": "; ".join(changes), "macro_f1": evidence, "has": has, "chance": row["V"]}
    return judged(len(invariant) == len(changes), remark=more, **facts)


def claim_003_geometric() -> Outcome:
    """The geometric mean of recall has all five properties.

    Where: section 5, geometric mean
    Printed: PI to PV
    """
    row = table_row("geometric_macro_recall")
    kind = profile("geometric_macro_recall").chance_correction.detail["kind"]
    return judged(not _lacks(row), _row_text(row), f"chance correction: {kind}")


def _lacks(row: dict[str, str]) -> bool:
    return any(mark.startswith("✗") for mark in row.values())


def claim_003_only_macro_recall() -> Outcome:
    """Of the metrics in table 5 only macro recall has all five properties and is invariant to
    prevalence.

    Where: conclusion, i
    Printed: only macro Recall

    {five}

    outside the table {besides} have all five too, as section 5 says of the geometric mean: every
    generalised mean of recall, with V not strict, c = 1/k for p ≤ 1 and k^(−1/p) for p ≥ 1
    (p = 2: {quadratic})
    """
    others = ("geometric_macro_recall", "harmonic_macro_recall", "macro_recall:p=2")
    five, besides = ([m for m in some if not _lacks(table_row(m))] for some in (ROWS, others))
    invariant = [m for m in ROWS if table_row(m)["IV"] == "✓"]
    quadratic = profile("macro_recall:p=2").chance_correction.detail["formula"]
    facts = {"five": ", ".join(five), "besides": ", ".join(besides), "quadratic": quadratic}
    return judged(five == invariant == ["macro_recall"], remark=besides, **facts)


def claim_003_conclusion_ii() -> Outcome:
    """Of the metrics of table 5 only kappa and MCC are not monotone.

    Where: conclusion, ii
    Printed: KAPPA and MCC
    """
    others = [m for m in ROWS if profile(m).monotonicity.holds is False]
    return judged(others == ["kappa", "mcc"], ", ".join(others), "by search")


def claim_003_conclusion_iii() -> Outcome:
    """All metrics but accuracy have chance correction (property V), macro F1 not strictly, and only
    MCC and kappa completely.

    Where: conclusion, iii
    Printed: all but accuracy
    """
    kinds = {m: profile(m).chance_correction.detail["kind"] for m in ROWS}
    complete = [m for m, kind in kinds.items() if kind == "complete"]
    without = [m for m, kind in kinds.items() if kind == "none"]
    good = without == ["accuracy"] and complete == ["kappa", "mcc"] and kinds["macro_f1"] == "bound"
    return judged(good, ", ".join(f"{m} {k}" for m, k in kinds.items()), "by search")


def claim_003_macro_f1_chance() -> Outcome:
    """Macro F1's best random classifier predicts each class as often as it is true: 1/n.

    Where: section 4, macro F1: chance, and appendix D.5
    Printed: 1/n at z = p

    {at:.4f} at z = p, at most {other:.4f} elsewhere

    300 class mixes × 200 random classifiers, 4 classes
    """
    rng = np.random.default_rng(0)
    p = rng.dirichlet(np.ones(4), 300)
    z = rng.dirichlet(np.ones(4), (300, 200))
    at = scores(macro_f1, p[:, :, None] * p[:, None, :])
    other = scores(macro_f1, p[:, None, :, None] * z[:, :, None, :])
    good = abs(at - 0.25).max() < 1e-12 and other.max() <= 0.25 + 1e-12
    return judged(good, at=at.mean(), other=other.max())

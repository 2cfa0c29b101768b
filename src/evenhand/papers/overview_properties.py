"""Opitz (2022): the property table, cell by cell, and what is concluded from it."""

from __future__ import annotations

from functools import lru_cache, partial

import numpy as np

from evenhand.core.gradient import gradient
from evenhand.core.metrics.macro import macro_recall
from evenhand.core.promises import NAMES
from evenhand.papers.claims import Outcome, claim, judged, state
from evenhand.papers.tried import counts
from evenhand.properties import check
from evenhand.properties.finding import Finding
from evenhand.properties.profile import Profile

SIZES = (2, 3)
SHORT = dict(zip(NAMES, ("I", "II", "III", "IV", "V"), strict=True))
KINDS = {"none": "", "bound": "", "strict": ", strict", "complete": ", complete"}


@lru_cache
def profile(metric: str) -> Profile:
    """The properties of a metric, by search."""
    return check(metric, sizes=SIZES)


def found(metric: str) -> str:
    """The row of table 5 as the search has it."""
    p = profile(metric)
    marks = [f"{SHORT[name]} {_mark(f)}" for name, f in p.items()]
    return ", ".join(marks)


def _mark(f: Finding) -> str:
    sign = "✗" if f.holds is False else "✓"
    if "formula" in f.detail:
        return f"{sign} {f.detail['formula']}{KINDS[f.detail['kind']]}"
    return f"{sign} (✓)" if f.holds is False and f.detail.get("after_calibration") else sign


def _row(metric: str, printed: str) -> Outcome:
    row = found(metric)
    p = profile(metric)
    wrong = [f"{SHORT[n]}: {f.evidence}" for n, f in p.items() if f.holds is False]
    return judged(row == printed, row, "; ".join(wrong) or str(p.monotonicity.tried))


def _claims() -> None:
    """One claim a row of table 5, calibration's ticks included."""
    rows = {
        "macro_recall": ("macro Recall", "✓", "✓", "✓", "✓", "✓ 1/k, strict"),
        "macro_precision": ("macro Prec.", "✓", "✓", "✓", "✗ (✓)", "✓ 1/k, strict"),
        "macro_f1": ("macro F1", "✓", "✓", "✓", "✗ (✓)", "✓ 1/k"),
        "f1_of_averages": ("macro F1′", "✓", "✓", "✗", "✗ (✓)", "✓ 1/k, strict"),
        "kappa": ("Kappa", "✗", "✓", "✗", "✗ (✓)", "✓ 0, complete"),
        "mcc": ("MCC", "✗", "✓", "✗", "✗ (✓)", "✓ 0, complete"),
        "accuracy": ("Accuracy", "✓", "✗", "✗", "✗", "✗"),
    }
    for metric, (name, *marks) in rows.items():
        printed = ", ".join(f"{s} {m}" for s, m in zip(SHORT.values(), marks, strict=True))
        row = partial(_row, metric, printed)
        id = f"003-table-5-{metric.replace('_', '-')}"
        state(id, "table 5", printed, f"The five properties of {name}.", row)


_claims()


@claim("003-eq-3", "equation 3", "≥ 0 ⇔ i = j")
def eq_3() -> Outcome:
    """A metric is monotone if its derivative is ≥ 0 exactly in the cells of the diagonal."""
    m = np.array([[0.0, 2.0], [1.0, 3.0]])
    slope = gradient(macro_recall, counts(m)).dense()[:, :-1]
    off = float(slope[0, 1])
    return judged(
        off < 0,
        "'if', not 'exactly if'",
        f"macro recall of [[0, 2], [1, 3]] (rows = true) has slope {abs(off):g} in an error of the "
        "class without hits: as printed even macro recall fails",
        corrected=off <= 0 and bool((np.diagonal(slope) >= 0).all()),
    )


@claim("003-mcc-two-classes", "table 5 and appendix F.1", "✗")
def mcc_two() -> Outcome:
    """MCC is not monotone."""
    f = profile("mcc").monotonicity
    two = check("mcc", sizes=(2,)).monotonicity
    return judged(
        f.holds is False and two.holds is False,
        "not for 3 or more classes; for 2 classes it is monotone",
        f"{f.evidence}; for 2 classes {two.tried}",
    )


@claim("003-kappa-monotone", "table 5 and appendix F.1", "✗")
def kappa_monotone() -> Outcome:
    """Kappa is not monotone."""
    f = profile("kappa").monotonicity
    return judged(f.holds is False, "✗", f"already for 2 classes: {f.evidence}")


@claim("003-macro-precision-strict", "section 4 and appendix C.5", "1/n, strict")
def strict_precision() -> Outcome:
    """Macro precision is strictly chance corrected."""
    return _strict("macro_precision")


@claim("003-f1-of-averages-strict", "section 4 and appendix E.5", "1/n, strict")
def strict_twin() -> Outcome:
    """The F1 of averages is strictly chance corrected."""
    return _strict("f1_of_averages")


def _strict(metric: str) -> Outcome:
    f = profile(metric).chance_correction
    return judged(
        f.detail["kind"] in ("strict", "complete"),
        f"{f.detail['formula']}; strict only for random classifiers that predict every class",
        f"{f.evidence}; one that leaves a class out scores less",
    )


@claim("003-appendix-d-4", "appendix D.4", "✓ in the heading")
def d_4() -> Outcome:
    """Macro F1 is prevalence invariant."""
    f = profile("macro_f1").prevalence_invariance
    return judged(
        f.holds is not False,
        "✗, as table 5 and the sentence below it say",
        f.evidence,
        corrected=True,
    )


@claim("003-calibration", "section 5 and conclusion", "every metric")
def calibration() -> Outcome:
    """Calibration gives every metric prevalence invariance."""
    names = ("accuracy", "macro_precision", "macro_f1", "f1_of_averages", "kappa", "mcc")
    held = {m: bool(profile(m).prevalence_invariance.detail["after_calibration"]) for m in names}
    return judged(all(held.values()), ", ".join(m for m, h in held.items() if h), "by search, each")


@claim("003-table-5-calibration", "table 5", "PIV only; not for accuracy")
def calibration_changes() -> Outcome:
    """What calibration changes is prevalence invariance, and only for the metrics marked (✓)."""
    names = ("accuracy", "kappa", "macro_precision", "macro_f1", "f1_of_averages", "mcc")
    changes = {}
    for m in names:
        a, b = profile(m), profile(f"{m}@uniform")
        gained = [SHORT[n] for n in NAMES if a[n].holds is False and b[n].holds is not False]
        lost = [SHORT[n] for n in NAMES if a[n].holds is not False and b[n].holds is False]
        changes[m] = (gained, lost)
    text = "; ".join(
        f"{m} gains {', '.join(g)}" + (f" and loses {', '.join(x)}" if x else "")
        for m, (g, x) in changes.items()
    )
    only = all(c == (["IV"], []) for m, c in changes.items() if m != "accuracy")
    f = profile("macro_f1@uniform").monotonicity
    return judged(
        only and changes["accuracy"] == ([], []), text, f"calibrated macro F1: {f.evidence}"
    )


@claim("003-only-accuracy-one", "section 4, accuracy", "only PI")
def accuracy_only() -> Outcome:
    """Accuracy has only the first property."""
    p = profile("accuracy")
    held = [SHORT[n] for n in NAMES if p[n].holds]
    return judged(held == ["I"], ", ".join(held), p.class_decomposability.evidence)


@claim("003-geometric", "section 5", "PI to PV")
def geometric() -> Outcome:
    """The geometric mean of recall has all five properties."""
    row = found("geometric_macro_recall")
    return judged("✗" not in row, row, "V as a bound: it is not strict")


@claim("003-only-macro-recall", "conclusion, i", "only macro Recall")
def only_recall() -> Outcome:
    """Only macro recall has all five properties and is invariant to prevalence."""
    others = ("geometric_macro_recall", "harmonic_macro_recall", "macro_recall:p=2")
    all_five = [m for m in others if "✗" not in found(m)]
    return judged(
        not all_five,
        f"so have {', '.join(all_five)}",
        "every generalised mean of recall, with V not strict: c = 1/k for p ≤ 1, k^(−1/p) for "
        f"p ≥ 1 (p = 2: {profile('macro_recall:p=2').chance_correction.detail['formula']})",
    )


@claim("003-conclusion-ii", "conclusion, ii", "KAPPA and MCC")
def conclusion_ii() -> Outcome:
    """Of the metrics of table 5 only kappa and MCC are not monotone."""
    names = ("macro_recall", "macro_precision", "macro_f1", "f1_of_averages", "accuracy")
    others = [m for m in (*names, "kappa", "mcc") if profile(m).monotonicity.holds is False]
    return judged(others == ["kappa", "mcc"], ", ".join(others), "by search")


@claim("003-conclusion-iii", "conclusion, iii", "all but accuracy")
def conclusion_iii() -> Outcome:
    """All metrics but accuracy are chance corrected, macro F1 not strictly, and only MCC and kappa
    completely.
    """
    names = ("macro_recall", "macro_precision", "macro_f1", "f1_of_averages", "kappa", "mcc")
    kinds = {m: profile(m).chance_correction.detail["kind"] for m in (*names, "accuracy")}
    complete = [m for m, kind in kinds.items() if kind == "complete"]
    good = kinds["accuracy"] == "none" and complete == ["kappa", "mcc"]
    good = good and kinds["macro_f1"] == "bound" and "none" not in [kinds[m] for m in names]
    return judged(good, ", ".join(f"{m} {k}" for m, k in kinds.items()), "by search")


@claim("003-macro-f1-chance", "section 4 and appendix D.5", "1/n at z = p")
def macro_f1_chance() -> Outcome:
    """Macro F1's best random classifier predicts each class as often as it is true: 1/n."""
    rng = np.random.default_rng(0)
    p = rng.dirichlet(np.ones(4), 300)
    z = rng.dirichlet(np.ones(4), (300, 200))
    at = (2 * p * p / (p + p)).mean(axis=-1)
    other = (2 * p[:, None] * z / (p[:, None] + z)).mean(axis=-1)
    return judged(
        bool(abs(at - 0.25).max() < 1e-12 and other.max() <= 0.25 + 1e-12),
        f"{at.mean():.4f} at z = p, at most {other.max():.4f} elsewhere",
        "300 class mixes × 200 random classifiers, 4 classes",
    )

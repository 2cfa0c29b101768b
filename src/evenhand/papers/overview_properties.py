"""Opitz (2022): the property table, cell by cell, and what is concluded from it."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache, partial

import numpy as np

from evenhand.core.gradient import gradient
from evenhand.core.metrics.macro import macro_f1, macro_recall
from evenhand.core.promises import NAMES
from evenhand.papers.claims import Outcome, claim, judged, state
from evenhand.papers.tried import counts, exact, on, table_text
from evenhand.properties import check
from evenhand.properties.content import mark
from evenhand.properties.finding import Finding
from evenhand.properties.profile import Profile

SIZES = (2, 3)
SHORT = dict(zip(NAMES, ("I", "II", "III", "IV", "V"), strict=True))


@lru_cache
def profile(metric: str) -> Profile:
    """The properties of a metric, by search."""
    return check(metric, sizes=SIZES)


def found(metric: str) -> dict[str, str]:
    """The row of table 5 as the search has it."""
    return {SHORT[name]: _mark(f) for name, f in profile(metric).items()}


def _mark(f: Finding) -> str:
    """As the laboratory marks it, with a tick for what was not refuted."""
    return mark(f if f.holds is False else replace(f, status="shown"))


def _said(row: dict[str, str]) -> str:
    return ", ".join(f"{s} {mark}" for s, mark in row.items())


def _row(metric: str, printed: dict[str, str]) -> Outcome:
    p, row = profile(metric), found(metric)
    evidence = {SHORT[name]: f.evidence for name, f in p.items()}
    disputed = [s for s in row if row[s] != printed[s]]
    lacking = [s for s, mark in row.items() if mark.startswith("✗")]
    why = [f"{s} is printed {printed[s]}, found {row[s]}: {evidence[s]}" for s in disputed]
    why += [f"{s}: {evidence[s]}" for s in lacking if not disputed]
    if "V" in disputed:
        one = exact(metric, LEFT_OUT)[0]
        why.append(f"one that never predicts a class scores less, {one} in {table_text(LEFT_OUT)}")
    return judged(
        not disputed,
        _said(row),
        "; ".join(why) or str(p.monotonicity.tried),
        remark=bool(p.monotonicity.detail.get("monotone_for")),
    )


def _accuracy(printed: dict[str, str]) -> Outcome:
    row, calibrated, recall = map(found, ("accuracy", "accuracy@uniform", "macro_recall"))
    bare = {s: mark.removesuffix(" (✓)") for s, mark in row.items()}
    return judged(
        bare == printed and calibrated == recall,
        _said(bare),
        f"{profile('accuracy').class_decomposability.evidence}; calibrated it is the table's row "
        f"'Macro Acc.', the same as macro Recall: {_said(calibrated)}",
    )


LEFT_OUT = np.array([[1, 0], [1, 0]])
"""A random classifier that never predicts the second of two equal classes, rows = true."""
ROWS = {
    "macro_recall": ("macro Recall", "B", "✓", "✓", "✓", "✓", "✓ 1/k, strict"),
    "macro_precision": ("macro Prec.", "C", "✓", "✓", "✓", "✗ (✓)", "✓ 1/k, strict"),
    "macro_f1": ("macro F1", "D", "✓", "✓", "✓", "✗ (✓)", "✓ 1/k"),
    "f1_of_averages": ("macro F1′", "E", "✓", "✓", "✗", "✗ (✓)", "✓ 1/k, strict"),
    "kappa": ("Kappa", "F", "✗", "✓", "✗", "✗ (✓)", "✓ 0, complete"),
    "mcc": ("MCC", "F", "✗", "✓", "✗", "✗ (✓)", "✓ 0, complete"),
    "accuracy": ("Accuracy", "A", "✓", "✗", "✗", "✗", "✗"),
}
"""Table 5: the name, its appendix, the five marks."""
OF = {
    "A": "accuracy",
    "B": "macro recall",
    "C": "macro precision",
    "D": "macro F1",
    "E": "macro F1: a doppelganger",
    "F": "kappa and MCC",
}
"""What each appendix proves the properties of."""
for _metric, (_name, _appendix, *_marks) in ROWS.items():
    _printed = dict(zip(SHORT.values(), _marks, strict=True))
    state(
        f"003-table-5-{_metric.replace('_', '-')}",
        f"section 4, {OF[_appendix]}, table 5 and appendix {_appendix}",
        _said(_printed),
        f"The five properties of {_name}.",
        partial(_accuracy, _printed) if _metric == "accuracy" else partial(_row, _metric, _printed),
    )


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


@claim("003-appendix-d-4", "appendix D.4", "✓ in the heading")
def d_4() -> Outcome:
    """Macro F1 is prevalence invariant."""
    f = profile("macro_f1").prevalence_invariance
    return judged(
        f.holds is not False,
        "✗, as table 5 and the sentence below it say",
        f.evidence,
        corrected=f.holds is False,
    )


@claim("003-calibration", "section 5 and conclusion", "every metric")
def calibration() -> Outcome:
    """Calibration equips every metric with prevalence invariance."""
    said, held, more = [], [], []
    for m in (m for m in ROWS if m != "macro_recall"):
        before, after = profile(m), profile(f"{m}@uniform")
        gained = [
            SHORT[n] for n in NAMES if before[n].holds is False and after[n].holds is not False
        ]
        lost = [SHORT[n] for n in NAMES if before[n].holds is not False and after[n].holds is False]
        held += [m] if "IV" in gained else []
        more += [m] if gained != ["IV"] or lost else []
        said.append(f"{m} +{', +'.join(gained)}" + "".join(f", −{s}" for s in lost))
    f = profile("macro_f1@uniform").monotonicity
    return judged(
        len(held) == len(said),
        "; ".join(said),
        "gained (+) and lost (−) by calibration, which changes more than IV; e.g. calibrated "
        f"macro F1: {f.evidence}",
        remark=bool(more),
    )


@claim("003-geometric", "section 5, geometric mean", "PI to PV")
def geometric() -> Outcome:
    """The geometric mean of recall has all five properties."""
    row = found("geometric_macro_recall")
    kind = profile("geometric_macro_recall").chance_correction.detail["kind"]
    return judged(not _lacks(row), _said(row), f"chance correction: {kind}")


def _lacks(row: dict[str, str]) -> bool:
    return any(mark.startswith("✗") for mark in row.values())


@claim("003-only-macro-recall", "conclusion, i", "only macro Recall")
def only_recall() -> Outcome:
    """Of the metrics in table 5 only macro recall has all five properties and is invariant to
    prevalence.
    """
    five = [m for m in ROWS if not _lacks(found(m))]
    invariant = [m for m in ROWS if found(m)["IV"] == "✓"]
    others = ("geometric_macro_recall", "harmonic_macro_recall", "macro_recall:p=2")
    besides = [m for m in others if not _lacks(found(m))]
    return judged(
        five == invariant == ["macro_recall"],
        ", ".join(five),
        f"outside the table {', '.join(besides)} have all five too, as section 5 says of the "
        "geometric mean: every generalised mean of recall, with V not strict, c = 1/k for p ≤ 1 "
        f"and k^(−1/p) for p ≥ 1 (p = 2: "
        f"{profile('macro_recall:p=2').chance_correction.detail['formula']})",
        remark=bool(besides),
    )


@claim("003-conclusion-ii", "conclusion, ii", "KAPPA and MCC")
def conclusion_ii() -> Outcome:
    """Of the metrics of table 5 only kappa and MCC are not monotone."""
    others = [m for m in ROWS if profile(m).monotonicity.holds is False]
    return judged(others == ["kappa", "mcc"], ", ".join(others), "by search")


@claim("003-conclusion-iii", "conclusion, iii", "all but accuracy")
def conclusion_iii() -> Outcome:
    """All metrics but accuracy are chance corrected, macro F1 not strictly, and only MCC and kappa
    completely.
    """
    kinds = {m: profile(m).chance_correction.detail["kind"] for m in ROWS}
    complete = [m for m, kind in kinds.items() if kind == "complete"]
    without = [m for m, kind in kinds.items() if kind == "none"]
    good = without == ["accuracy"] and complete == ["kappa", "mcc"] and kinds["macro_f1"] == "bound"
    return judged(good, ", ".join(f"{m} {k}" for m, k in kinds.items()), "by search")


@claim("003-macro-f1-chance", "section 4, macro F1: chance, and appendix D.5", "1/n at z = p")
def macro_f1_chance() -> Outcome:
    """Macro F1's best random classifier predicts each class as often as it is true: 1/n."""
    rng = np.random.default_rng(0)
    p = rng.dirichlet(np.ones(4), 300)
    z = rng.dirichlet(np.ones(4), (300, 200))
    at = on(macro_f1, p[:, :, None] * p[:, None, :])
    other = on(macro_f1, p[:, None, :, None] * z[:, :, None, :])
    return judged(
        bool(abs(at - 0.25).max() < 1e-12 and other.max() <= 0.25 + 1e-12),
        f"{at.mean():.4f} at z = p, at most {other.max():.4f} elsewhere",
        "300 class mixes × 200 random classifiers, 4 classes",
    )

"""Opitz (2022), appendix G: the shared task of table 8, from the scores that are printed."""

from __future__ import annotations

import numpy as np

from evenhand.core.metrics.agreement import kappa, mcc
from evenhand.core.metrics.macro import (
    geometric_macro_recall,
    harmonic_macro_recall,
    macro_recall,
)
from evenhand.papers.claims import Outcome, claim, judged
from evenhand.papers.compared import worst
from evenhand.papers.overview import calibrated
from evenhand.papers.simulations import ranks, spearman
from evenhand.papers.tried import Cells, on, with_recalls

COLUMNS = (
    "macro_recall",
    "geometric_macro_recall",
    "harmonic_macro_recall",
    "macro_f1",
    "macro_f1@uniform",
    "kappa",
    "mcc",
    "recall 1",
    "recall 2",
    "recall 3",
)
SYSTEMS = "ABCDEFGH"
TABLE = np.array(
    [
        [68.1, 66.8, 65.4, 65.4, 67.7, 46.5, 48.0, 82.9, 51.2, 70.2],
        [68.1, 66.5, 65.0, 66.0, 67.7, 47.3, 49.2, 87.8, 51.4, 65.2],
        [67.6, 66.8, 66.0, 66.0, 67.5, 47.2, 48.1, 81.7, 56.0, 65.2],
        [67.4, 66.5, 65.6, 65.1, 67.1, 46.3, 47.3, 80.3, 54.2, 67.6],
        [66.9, 66.8, 66.8, 66.0, 67.3, 47.0, 47.0, 69.8, 64.0, 66.8],
        [65.9, 65.6, 65.4, 64.5, 66.1, 45.0, 45.4, 73.5, 58.7, 65.6],
        [64.9, 64.2, 63.5, 63.4, 64.9, 43.0, 43.8, 77.4, 53.9, 63.5],
        [64.5, 64.5, 64.5, 63.7, 64.9, 43.6, 43.6, 65.3, 63.6, 64.5],
    ]
)
RECALLS = TABLE[:, 7:]
HALF = 0.05
"""Half a unit of the last printed digit."""
FIGURE = "appendix G, figure 2"
RECALL_METRICS = (macro_recall, geometric_macro_recall, harmonic_macro_recall)


def column(name: str) -> Cells:
    """The printed scores of the eight systems."""
    return np.asarray(TABLE[:, COLUMNS.index(name)])


def correlation(one: str, other: str) -> float:
    """Spearman correlation of two columns, in hundredths."""
    return 100 * spearman(column(one), column(other))


def placed() -> Cells:
    """Rank of each system in each column, 1 the best; ties share the mean."""
    return np.stack([ranks(-column(c)) for c in COLUMNS], axis=1)


def _mean(name: str, power: float, text: str) -> Outcome:
    def mean(r: Cells) -> Cells:
        if power == 0:
            return np.asarray(np.exp(np.log(r).mean(axis=1)))
        return np.asarray((r**power).mean(axis=1) ** (1 / power))

    low, high = mean(RECALLS - HALF) - HALF, mean(RECALLS + HALF) + HALF
    fits = (low <= column(name)) & (column(name) <= high)
    found = ", ".join(f"{s} {x:.2f}" for s, x in zip(SYSTEMS, mean(RECALLS), strict=True))
    return judged(bool(fits.all()), found, f"{text} of the printed recalls, with their rounding")


@claim("003-table-8-macr", "table 8", "68.1 … 64.5")
def macr() -> Outcome:
    """MacR of eight systems."""
    return _mean("macro_recall", 1, "the arithmetic mean")


@claim("003-table-8-gmacr", "table 8", "66.8 … 64.5")
def gmacr() -> Outcome:
    """GmacR of eight systems."""
    return _mean("geometric_macro_recall", 0, "the geometric mean")


@claim("003-table-8-hmacr", "table 8", "65.4 … 64.5")
def hmacr() -> Outcome:
    """HmacR of eight systems."""
    return _mean("harmonic_macro_recall", -1, "the harmonic mean")


@claim("003-table-8-winners", "appendix G", "A, B")
def winners() -> Outcome:
    """MacR puts systems A and B first."""
    first = [s for s, r in zip(SYSTEMS, placed()[:, 0], strict=True) if r <= 2]
    return judged(first == ["A", "B"], ", ".join(first), "table 8, first column")


@claim("003-table-8-spread", "appendix G", "5.8 and 36.4")
def spread() -> Outcome:
    """The spread of the three recalls of systems E and B."""
    e, b = (float(np.ptp(RECALLS[SYSTEMS.index(s)])) for s in "EB")
    return judged(f"{e:.1f} {b:.1f}" == "5.8 36.4", f"{e:.1f} and {b:.1f}", "table 8")


@claim("003-table-8-e", "appendix G", "E")
def system_e() -> Outcome:
    """The geometric and harmonic means of recall favour system E over B."""
    e, b = TABLE[SYSTEMS.index("E")], TABLE[SYSTEMS.index("B")]
    text = f"G {e[1]} > {b[1]}, H {e[2]} > {b[2]}"
    return judged(bool(e[1] > b[1] and e[2] > b[2]), text, "and macR the other way: 66.9 < 68.1")


@claim("003-figure-2-calibration", FIGURE, "only recall metrics agree", drawn=True)
def rank_calibrated(seed: int) -> Outcome:
    """The same metric before and after prevalence calibration: only recall metrics agree with each
    other in their rankings.
    """
    f1 = correlation("macro_f1", "macro_f1@uniform")
    kappa_too = correlation("kappa", "macro_recall")
    made = drawn(np.random.default_rng([seed, 8]))
    kept = max(worst(on(f, made), on(f, calibrated(made))) for f in RECALL_METRICS)
    mcc_too = _alike(on(mcc, made), on(mcc, calibrated(made)))
    return judged(
        max(f1, kappa_too, 100 * mcc_too) < 99.5 and kept < 1e-12,
        f"Spearman {f1:.0f} for macro F1, {kappa_too:.0f} for kappa (calibrated: as macR)",
        "the eight systems of table 8. Calibrated MCC is not printed: on tables drawn with the "
        f"same recalls it is {100 * mcc_too:.0f} on average for MCC, and recall metrics change by "
        f"{kept:.1g} at most",
    )


def _alike(a: Cells, b: Cells) -> float:
    """The mean Spearman correlation over draws."""
    return float(np.mean([spearman(x, y) for x, y in zip(a, b, strict=True)]))


@claim("003-figure-2-kappa", FIGURE, "Spearman's ρ 100, only after calibration", drawn=True)
def kappa_calibrated(seed: int) -> Outcome:
    """Kappa assigns the exact ranks of macR, but only after prevalence calibration."""
    made = drawn(np.random.default_rng([seed, 9]))
    base = on(macro_recall, made)
    after = [spearman(k, m) for k, m in zip(on(kappa, calibrated(made)), base, strict=True)]
    before = [spearman(k, m) for k, m in zip(on(kappa, made), base, strict=True)]
    printed = correlation("kappa", "macro_recall")
    return judged(
        min(after) > 1 - 1e-9 and printed < 99.5 and min(before) < 1 - 1e-9,
        f"{100 * min(after):.0f} after, {printed:.0f} before",
        f"after: {len(made)} sets of eight tables that have the recalls of table 8, with class "
        f"mixes and errors drawn at random (before calibration {100 * np.mean(before):.0f} on "
        "average); before: the columns of table 8",
    )


def drawn(rng: np.random.Generator) -> Cells:
    """A hundred sets of eight tables with the recalls of table 8, each set with one class mix."""
    return with_recalls(RECALLS / 100, rng.dirichlet(np.full(3, 3.0), (100, 1)), rng, 100, 8)


@claim("003-figure-2-recall-2", FIGURE, "Spearman's ρ ≤ 14", by_eye=True)
def recall_2() -> Outcome:
    """The recall of class 2 disagrees in its ranking with all other metrics."""
    rho = {c: correlation("recall 2", c) for c in COLUMNS if c != "recall 2"}
    top = max(rho, key=lambda c: rho[c])
    rest = max(r for c, r in rho.items() if c != top)
    return Outcome(
        "cannot be checked",
        f"eight systems of table 8: {rho[top]:.0f} with {top}, at most {rest:.0f} with the others",
        "which teams the figure ranks is not printed; for these eight alone it would not hold",
    )


@claim("003-figure-1", "section 1, figure 1", "increasing popularity", by_eye=True)
def books() -> Outcome:
    """Macro F1 becomes more popular in the Google books corpus."""
    return Outcome("cannot be checked", "nothing printed to compute from", "a curve, no numbers")


@claim("003-table-1", "section 1, table 1", "'the labels are imbalanced', …", by_eye=True)
def motivations() -> Outcome:
    """Papers give unclear reasons for the metric they select."""
    return Outcome(
        "cannot be checked", "nothing printed to compute from", "quotations from other papers"
    )


@claim("003-ranking-differs", "section 5, practice", "important differences")
def ranking() -> Outcome:
    """Metrics rank the systems of a shared task differently."""
    best = {c: SYSTEMS[int(np.argmax(column(c)))] for c in COLUMNS}
    moved = float(np.ptp(placed()[:, :7], axis=1).max())
    return judged(moved >= 2, f"a system moves by up to {moved:g} places", f"first: {best}")

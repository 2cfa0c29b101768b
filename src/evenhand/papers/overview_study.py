"""Opitz (2022), appendix G: the shared task of table 8, from the scores that are printed."""

from __future__ import annotations

import numpy as np

from evenhand.papers.claims import Outcome, claim, judged
from evenhand.papers.simulations import ranks, spearman
from evenhand.papers.tried import Cells

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


def correlations() -> Cells:
    """Spearman correlations of the columns, in hundredths."""
    k = len(COLUMNS)
    found = [[spearman(TABLE[:, i], TABLE[:, j]) for j in range(k)] for i in range(k)]
    return 100 * np.array(found)


def placed() -> Cells:
    """Rank of each system in each column, 1 the best; ties share the mean."""
    return np.stack([ranks(-column) for column in TABLE.T], axis=1)


def _mean(column: int, power: float, text: str) -> Outcome:
    def mean(r: Cells) -> Cells:
        if power == 0:
            return np.asarray(np.exp(np.log(r).mean(axis=1)))
        return np.asarray((r**power).mean(axis=1) ** (1 / power))

    low, high = mean(RECALLS - 0.05) - 0.05, mean(RECALLS + 0.05) + 0.05
    fits = (low <= TABLE[:, column]) & (TABLE[:, column] <= high)
    found = ", ".join(f"{s} {x:.2f}" for s, x in zip(SYSTEMS, mean(RECALLS), strict=True))
    return judged(bool(fits.all()), found, f"{text} of the printed recalls, with their rounding")


@claim("003-table-8-macr", "table 8", "68.1 … 64.5")
def macr() -> Outcome:
    """MacR of eight systems."""
    return _mean(0, 1, "the arithmetic mean")


@claim("003-table-8-gmacr", "table 8", "66.8 … 64.5")
def gmacr() -> Outcome:
    """GmacR of eight systems."""
    return _mean(1, 0, "the geometric mean")


@claim("003-table-8-hmacr", "table 8", "65.4 … 64.5")
def hmacr() -> Outcome:
    """HmacR of eight systems."""
    return _mean(2, -1, "the harmonic mean")


@claim("003-table-8-winners", "appendix G", "A, B")
def winners() -> Outcome:
    """MacR puts systems A and B first."""
    first = [s for s, r in zip(SYSTEMS, placed()[:, 0], strict=True) if r <= 2]
    return judged(first == ["A", "B"], ", ".join(first), "table 8, first column")


@claim("003-table-8-bold", "table 8", "E for macF1")
def bold() -> Outcome:
    """Bold face marks the best system of each column."""
    bolded = {0: "AB", 1: "ACE", 2: "E", 3: "E", 5: "B", 6: "B", 7: "B", 8: "E", 9: "A"}
    best = {
        i: "".join(s for s, x in zip(SYSTEMS, column, strict=True) if x == column.max())
        for i, column in enumerate(TABLE.T)
    }
    odd = {COLUMNS[i]: best[i] for i in best if bolded.get(i, "") != best[i]}
    return judged(
        all(set(bolded[i]) <= set(best[i]) for i in bolded) and not odd,
        "; ".join(f"{name}: {systems}" for name, systems in odd.items()),
        "in these columns the printed numbers tie, or the best is not marked; ties may be broken "
        "by digits that are not printed",
        corrected=all(set(bolded[i]) <= set(best[i]) for i in bolded),
    )


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


@claim("003-figure-2-calibration", "appendix G, figure 2", "only recall metrics agree")
def rank_calibrated() -> Outcome:
    """Metrics other than recall rank the systems differently before and after calibration."""
    rho = correlations()[3, 4]
    return judged(
        rho < 99.5,
        f"Spearman {rho:.0f} between macro F1 before and after",
        "eight systems; recall metrics do not change under calibration at all",
    )


@claim("003-figure-2-kappa", "appendix G, figure 2", "100")
def kappa_calibrated() -> Outcome:
    """Calibrated kappa ranks the systems exactly as macR does."""
    macro = RECALLS.mean(axis=1)
    found = 100 * spearman((macro / 100 - 1 / 3) / (1 - 1 / 3), macro)
    return judged(abs(found - 100) < 1e-9, f"{found:.0f}", "it is (macR − 1/3)/(1 − 1/3), a line")


@claim("003-figure-2-recall-2", "appendix G, figure 2", "Spearman ≤ 14")
def recall_2() -> Outcome:
    """The recall of class 2 ranks the systems unlike every other metric."""
    column = COLUMNS.index("recall 2")
    rho = {c: correlations()[column, i] for i, c in enumerate(COLUMNS) if i != column}
    top = max(rho, key=lambda c: float(rho[c]))
    return judged(
        rho[top] <= 14.5,
        f"{rho[top]:.0f} with {top}, at most "
        f"{max(r for c, r in rho.items() if c != top):.0f} with the others",
        "from the eight systems of table 8; what the figure itself rests on is not printed",
    )


@claim("003-ranking-differs", "section 5", "important differences")
def ranking() -> Outcome:
    """Metrics rank the systems of a shared task differently."""
    best = {c: SYSTEMS[int(np.argmax(column))] for c, column in zip(COLUMNS, TABLE.T, strict=True)}
    moved = float(np.ptp(placed()[:, :7], axis=1).max())
    return judged(moved >= 2, f"a system moves by up to {moved:g} places", f"first: {best}")

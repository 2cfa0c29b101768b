"""Opitz (2022), appendices: chance formulas, decomposition, prevalence."""

from __future__ import annotations

import numpy as np

from evenhand.core.metrics.macro import macro_f1, macro_precision, macro_recall
from evenhand.papers.claims import Outcome, claim, judged
from evenhand.papers.compared import compared, equal, same, worst
from evenhand.papers.notation import Printed
from evenhand.papers.overview import TABLE_2, TABLE_4
from evenhand.papers.tried import Cells, counts, exact, on, per_class


def _random_tables() -> tuple[Cells, Cells, Cells]:
    rng = np.random.default_rng(0)
    p, z = rng.dirichlet(np.ones(4), 500), rng.dirichlet(np.ones(4), 500)
    return p, z, p[:, :, None] * z[:, None, :]


@claim("003-eq-30", "equation 30", "1/n")
def eq_30() -> Outcome:
    """Macro recall of a random classifier is Σz_i/n."""
    _, _, m = _random_tables()
    return equal(on(macro_recall, m), 0.25, "500 random classifiers")


@claim("003-eq-31", "equation 31", "macP = 1/n Σ R_i = 1/n Σ p_i")
def eq_31() -> Outcome:
    """Macro precision, as the mean of R_i, of a random classifier."""
    p, _, m = _random_tables()
    precision, recall, _ = per_class(m)
    return judged(
        same(recall, p),
        "1/n Σ P_i",
        f"P_i = p_i to {worst(precision, p):.1g}, R_i differs by up to {worst(recall, p):.2g}",
        corrected=same(precision, p),
    )


@claim("003-eq-30-31-shares", "appendices B.5, C.5 and D.5", "p ∈ [0, 1]ⁿ such that Σ z_i = 1")
def shares() -> Outcome:
    """The class prevalences are normalised by a condition on the classifier's shares."""
    rng = np.random.default_rng(0)
    z, p = rng.dirichlet(np.ones(4), 500), rng.random((500, 4))
    loose = on(macro_precision, p[:, :, None] * z[:, None, :])
    bare = p.mean(axis=1)  # equation 31's Σp_i/n without the condition on p
    return judged(
        same(bare, 0.25),
        "Σ p_i = 1",
        f"with Σz_i = 1 alone, Σp_i/n is anything from {bare.min():.2f} to {bare.max():.2f}, not "
        f"macro precision ({loose.mean():.2f})",
        corrected=same(on(macro_precision, _random_tables()[2]), 0.25),
    )


@claim("003-eq-35", "equation 35", "1/n Σ 2p_iz_i/(p_i + z_i)")
def eq_35() -> Outcome:
    """Macro F1 of a random classifier."""
    p, z, m = _random_tables()
    return compared(
        (2 * p * z / (p + z)).mean(axis=1),
        None,
        on(macro_f1, m),
        "as printed",
        "500 random classifiers",
    )


@claim("003-eq-44", "equation 44", "0")
def eq_44() -> Outcome:
    """The numerator of kappa and MCC of a random classifier."""
    p, z, m = _random_tables()
    found = (p * z).sum(1) - (m.sum(axis=1) * m.sum(axis=2)).sum(axis=1)
    return judged(same(found, 0), f"at most {abs(found).max():.1g}", "500 random classifiers")


@claim(
    "003-appendix-b-3", "appendices B.3, C.3 and D.3", "row_1/Σcol; row_1/Σrow; 2row_1/(Σrow + col)"
)
def local() -> Outcome:
    """The class's score is a function of its row and column with row_1 in the numerator."""
    t = Printed.sample()
    below = np.stack([t.prevalence, t.bias, (t.bias + t.prevalence) / 2])
    printed, right = ((cell / below).mean(axis=-1) for cell in (t.m[:, :, 0], t.correct))
    cells = np.swapaxes(t.m, 1, 2)
    true = np.stack([on(f, cells) for f in (macro_recall, macro_precision, macro_f1)])
    return compared(printed, right, true, "the class's own cell, row_i")


@claim("003-appendix-b-4", "appendix B.4", "R′_i = R_i")
def b_4() -> Outcome:
    """Scaling a class's column leaves its recall."""
    t = Printed.sample()
    cells = np.swapaxes(t.m, 1, 2)
    a, b = (per_class(x)[1] for x in (cells, cells * np.array([1.0, 7.0, 0.2])[:, None]))
    return judged(same(a, b), f"largest change {worst(a, b):.1g}", "60 tables")


@claim("003-appendix-c-4", "appendix C.4", "5/8 ≠ 19/30")
def c_4() -> Outcome:
    """Macro precision of tables 2 and 4."""
    cells = np.stack([TABLE_2, TABLE_4])
    text = " and ".join(map(str, exact("macro_precision", cells)))
    parts = [f"{x:g}" for x in per_class(cells[0])[0]]
    good = text == "5/8 and 19/30" and parts == ["0.75", "0.5"]
    return judged(
        good, text, f"P of table 2: {', '.join(parts)}; {counts(cells).total.tolist()} items"
    )

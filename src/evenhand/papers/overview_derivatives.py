"""Opitz (2022): the appendices' derivatives and chance formulas, held against complex steps."""

from __future__ import annotations

import numpy as np

from evenhand.core.metrics.agreement import kappa, mcc
from evenhand.core.metrics.macro import f1_of_averages, macro_f1, macro_precision, macro_recall
from evenhand.papers.record import Outcome, claim, judged
from evenhand.papers.tools import Cells, Printed, counts, equal, on, per_class, same, worst
from evenhand.properties.subject import subject_of


def _compare(printed: Cells, right: Cells | None, true: Cells, fixed: str) -> Outcome:
    good = same(printed, true)
    text = f"60 tables of 3 classes: off by up to {worst(printed, true):.2g} as printed"
    if right is not None:
        text += f", {worst(right, true):.1g} as corrected"
    return judged(good, fixed, text, corrected=right is not None and same(right, true))


@claim(
    "003-appendix-b-1",
    "appendix B.1",
    "the derivative of macro recall",
    "−correct(j)/(n·prevalence(j)²); (prevalence(i) − correct(i))/(n·prevalence(i)²)",
)
def b_1() -> Outcome:
    t = Printed.sample()
    true = t.slope(macro_recall)
    wrong = -t.correct[:, None, :] / (t.n * t.prevalence[:, None, :] ** 2)
    hit = (t.prevalence - t.correct) / (t.n * t.prevalence**2)
    good = same(t.off(wrong), t.off(true)) and same(hit, t.on(true))
    return judged(good, "as printed", "60 tables of 3 classes, complex steps")


@claim(
    "003-appendix-c-1",
    "appendix C.1",
    "the derivative of macro precision",
    "−correct(i)/(n·bias(i)²); (bias(i) − correct(i))/(n·bias(i)²)",
)
def c_1() -> Outcome:
    t = Printed.sample()
    true = t.slope(macro_precision)
    wrong = -t.correct[:, :, None] / (t.n * t.bias[:, :, None] ** 2)
    hit = (t.bias - t.correct) / (t.n * t.bias**2)
    good = same(t.off(wrong), t.off(true)) and same(hit, t.on(true))
    return judged(good, "as printed", "60 tables of 3 classes, complex steps")


@claim(
    "003-eq-32",
    "equation 32",
    "the derivative of macro F1 in an error",
    "−2·correct(i)/(nZ_i²) − 2·correct(j)/(nZ_j²)",
)
def eq_32() -> Outcome:
    t = Printed.sample()
    z = t.bias + t.prevalence
    part = -2 * t.correct / (t.n * z**2)
    return _compare(
        t.off(part[:, :, None] + part[:, None, :]), None, t.off(t.slope(macro_f1)), "as printed"
    )


@claim(
    "003-eq-33-34",
    "equations 33 and 34",
    "the derivative of macro F1 in a hit",
    "2/(nZ_i) − 2correct(i)/(nZ_i²) + the same for j",
)
def eq_33() -> Outcome:
    t = Printed.sample()
    z = t.bias + t.prevalence
    part = 2 / (t.n * z) - 2 * t.correct / (t.n * z**2)
    return _compare(
        2 * part,  # j is i in a cell of the diagonal
        2 * (z - 2 * t.correct) / (t.n * z**2),
        t.on(t.slope(macro_f1)),
        "2(Z_i − 2·correct_i)/(nZ_i²)",
    )


@claim(
    "003-eq-36-37",
    "equations 36 and 37",
    "the derivative of the F1 of averages",
    "2(∂R̄ + ∂P̄)(R̄ + P̄ − P̄R̄)/(R̄ + P̄)",
)
def eq_36() -> Outcome:
    t = Printed.sample()
    cells = np.swapaxes(t.m, 1, 2)
    r, p = (on(f, cells)[:, None, None] for f in (macro_recall, macro_precision))
    dr, dp = t.slope(macro_recall), t.slope(macro_precision)
    return _compare(
        2 * (dr + dp) * (r + p - p * r) / (r + p),
        2 * (r**2 * dp + p**2 * dr) / (p + r) ** 2,
        t.slope(f1_of_averages),
        "2(R̄²·∂P̄ + P̄²·∂R̄)/(P̄ + R̄)², which is monotone all the same",
    )


def _agreement(t: Printed) -> dict[str, Cells]:
    s, c = t.m.sum(axis=(1, 2)), t.correct.sum(axis=1)
    b, p = t.bias, t.prevalence
    return {
        "s": s[:, None, None],
        "c": c[:, None, None],
        "pb": (p * b).sum(1)[:, None, None],
        "pp": (p * p).sum(1)[:, None, None],
        "bb": (b * b).sum(1)[:, None, None],
        "z": b[:, None, :] + p[:, :, None],
        "v": 2 * p[:, None, :] + 0 * t.m,
        "u": 2 * b[:, :, None] + 0 * t.m,
    }


@claim("003-eq-38", "equation 38", "kappa on counts", "(cs − p·b)/(s² − p·p)")
def eq_38() -> Outcome:
    t = Printed.sample()
    a = _agreement(t)
    top = a["c"] * a["s"] - a["pb"]
    true = on(kappa, np.swapaxes(t.m, 1, 2))[:, None, None]
    return _compare(
        top / (a["s"] ** 2 - a["pp"]),
        top / (a["s"] ** 2 - a["pb"]),
        true,
        "the denominator is s² − p·b",
    )


@claim(
    "003-eq-39",
    "equation 39",
    "the derivative of kappa in an error",
    "((c − z)D_K² − (2s − z)N_K)/D_K²",
)
def eq_39() -> Outcome:
    t = Printed.sample()
    a = _agreement(t)
    top, below = a["c"] * a["s"] - a["pb"], a["s"] ** 2 - a["pb"]
    drop = (2 * a["s"] - a["z"]) * top
    return _compare(
        t.off(((a["c"] - a["z"]) * below**2 - drop) / below**2),
        t.off(((a["c"] - a["z"]) * below - drop) / below**2),
        t.off(t.slope(kappa)),
        "(c − z)·D_K in the numerator",
    )


@claim("003-eq-40", "equation 40", "MCC on counts", "(cs − p·b)/√((s² − p·p)(s² − b·b))")
def eq_40() -> Outcome:
    t = Printed.sample()
    a = _agreement(t)
    found = (a["c"] * a["s"] - a["pb"]) / np.sqrt((a["s"] ** 2 - a["pp"]) * (a["s"] ** 2 - a["bb"]))
    return _compare(found, None, on(mcc, np.swapaxes(t.m, 1, 2))[:, None, None], "as printed")


@claim(
    "003-eq-41-43",
    "equations 41 to 43",
    "the derivative of MCC in an error",
    "(D_M²(c − z) − N_M(2s − v)√(s² − b·b) − N_M(2s − u)√(s² − p·p))/(2D_M³)",
)
def eq_41() -> Outcome:
    t = Printed.sample()
    a = _agreement(t)
    top = a["c"] * a["s"] - a["pb"]
    truth, guess = a["s"] ** 2 - a["pp"], a["s"] ** 2 - a["bb"]
    d, lead = np.sqrt(truth * guess), a["c"] - a["z"]
    v, u = 2 * a["s"] - a["v"], 2 * a["s"] - a["u"]
    printed = (d**2 * lead - top * v * np.sqrt(guess) - top * u * np.sqrt(truth)) / (2 * d**3)
    right = (2 * d**2 * lead - top * v * guess - top * u * truth) / (2 * d**3)
    return _compare(
        t.off(printed),
        t.off(right),
        t.off(t.slope(mcc)),
        "2D_M²(c − z), and no square roots in the others",
    )


@claim(
    "003-appendix-f-terms",
    "appendix F.1",
    "the derivatives of p·b, p·p and b·b in a cell",
    "bias(j) + prevalence(i); 2·prevalence(j); 2·bias(i)",
)
def terms() -> Outcome:
    t = Printed.sample()
    a = _agreement(t)
    i, j = 0, 2
    more = t.m.copy()
    more[:, i, j] += 1e-3
    b = _agreement(Printed(more))
    less = t.m.copy()
    less[:, i, j] -= 1e-3
    d = _agreement(Printed(less))
    found = [(b[n] - d[n])[:, 0, 0] / 2e-3 for n in ("pb", "pp", "bb")]
    printed = [a[n][:, i, j] for n in ("z", "v", "u")]
    most = max(worst(x, y) for x, y in zip(found, printed, strict=True))
    return judged(most < 1e-5, f"largest difference {most:.1g}", "60 tables, central differences")


@claim(
    "003-appendix-f-example",
    "tables 6 and 7",
    "MCC rises when ten errors are added",
    "0.0 → 0.07",
)
def tables_6_7() -> Outcome:
    before = np.array([[10, 1, 0], [43, 1, 0], [0, 0, 1]])  # rows = true
    after = before + np.array([[0, 0, 0], [0, 0, 10], [0, 0, 0]])
    found = subject_of("mcc").exact(np.stack([before, after]))
    assert found is not None
    a, b = (float(x) for x in found)
    return judged(found[0] == 0 and f"{b:.2f}" == "0.07", f"{a:g} → {b:.4f}", "0 exactly at first")


def _random_tables() -> tuple[Cells, Cells, Cells]:
    rng = np.random.default_rng(0)
    p, z = rng.dirichlet(np.ones(4), 500), rng.dirichlet(np.ones(4), 500)
    return p, z, p[:, :, None] * z[:, None, :]


@claim(
    "003-eq-30",
    "equation 30",
    "macro recall of a random classifier is Σz_i/n",
    "1/n",
)
def eq_30() -> Outcome:
    _, _, m = _random_tables()
    x = on(macro_recall, m)
    return equal(x, 0.25, "500 random classifiers")


@claim(
    "003-eq-31",
    "equation 31",
    "macro precision, as the mean of R_i, of a random classifier",
    "macP = 1/n Σ R_i = 1/n Σ p_i",
)
def eq_31() -> Outcome:
    p, _, m = _random_tables()
    precision, recall, _ = per_class(m)
    return judged(
        same(recall, p),
        "1/n Σ P_i",
        f"P_i = p_i to {worst(precision, p):.1g}, R_i differs by up to {worst(recall, p):.2g}",
        corrected=same(precision, p),
    )


@claim(
    "003-eq-30-31-shares",
    "appendices B.5, C.5 and D.5",
    "the class prevalences are normalised by a condition on the classifier's shares",
    "p ∈ [0, 1]ⁿ such that Σ z_i = 1",
)
def shares() -> Outcome:
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


@claim(
    "003-eq-35",
    "equation 35",
    "macro F1 of a random classifier",
    "1/n Σ 2p_iz_i/(p_i + z_i)",
)
def eq_35() -> Outcome:
    p, z, m = _random_tables()
    return _compare((2 * p * z / (p + z)).mean(axis=1), None, on(macro_f1, m), "as printed")


@claim(
    "003-eq-44",
    "equation 44",
    "the numerator of kappa and MCC of a random classifier",
    "0",
)
def eq_44() -> Outcome:
    p, z, m = _random_tables()
    found = (p * z).sum(1) - (m.sum(axis=1) * m.sum(axis=2)).sum(axis=1)
    return judged(same(found, 0), f"at most {abs(found).max():.1g}", "500 random classifiers")


@claim(
    "003-appendix-b-3",
    "appendices B.3, C.3 and D.3",
    "the class's score is a function of its row and column with row_1 in the numerator",
    "row_1/Σcol; row_1/Σrow; 2row_1/(Σrow + col)",
)
def local() -> Outcome:
    t = Printed.sample()
    first, own = t.m[:, :, 0], t.correct
    printed = (first / t.prevalence).mean(axis=1)
    right = (own / t.prevalence).mean(axis=1)
    return _compare(
        printed, right, on(macro_recall, np.swapaxes(t.m, 1, 2)), "the class's own cell, row_i"
    )


@claim(
    "003-appendix-b-4",
    "appendix B.4",
    "scaling a class's column leaves its recall",
    "R′_i = R_i",
)
def b_4() -> Outcome:
    t = Printed.sample()
    cells = np.swapaxes(t.m, 1, 2)
    a, b = (per_class(x)[1] for x in (cells, cells * np.array([1.0, 7.0, 0.2])[:, None]))
    return judged(same(a, b), f"largest change {worst(a, b):.1g}", "60 tables")


@claim(
    "003-appendix-c-4",
    "appendix C.4",
    "macro precision of tables 2 and 4",
    "5/8 ≠ 19/30",
)
def c_4() -> Outcome:
    cells = np.array([[[15, 10], [5, 10]], [[15, 10], [10, 20]]])
    found = subject_of("macro_precision").exact(cells)
    assert found is not None
    text = " and ".join(map(str, found))
    parts = [f"{x:g}" for x in per_class(cells[0])[0]]
    good = text == "5/8 and 19/30" and parts == ["0.75", "0.5"]
    return judged(
        good, text, f"P of table 2: {', '.join(parts)}; {counts(cells).total.tolist()} items"
    )

"""Opitz (2022): the appendices' derivatives and chance formulas, held against complex steps."""

from __future__ import annotations

import numpy as np

from evenhand.core.metrics.agreement import kappa, mcc
from evenhand.core.metrics.macro import f1_of_averages, macro_f1, macro_precision, macro_recall
from evenhand.papers.claims import Outcome, claim, judged
from evenhand.papers.compared import compared, same, worst
from evenhand.papers.notation import Printed
from evenhand.papers.tried import Cells, exact, on


@claim(
    "003-appendix-b-1",
    "appendix B.1",
    "−correct(j)/(n·prevalence(j)²); (prevalence(i) − correct(i))/(n·prevalence(i)²)",
)
def b_1() -> Outcome:
    """The derivative of macro recall."""
    t = Printed.sample()
    true = t.slope(macro_recall)
    wrong = -t.correct[:, None, :] / (t.n * t.prevalence[:, None, :] ** 2)
    hit = (t.prevalence - t.correct) / (t.n * t.prevalence**2)
    good = same(t.off(wrong), t.off(true)) and same(hit, t.on(true))
    return judged(good, "as printed", "60 tables of 3 classes, complex steps")


@claim(
    "003-appendix-c-1",
    "appendix C.1",
    "−correct(i)/(n·bias(i)²); (bias(i) − correct(i))/(n·bias(i)²)",
)
def c_1() -> Outcome:
    """The derivative of macro precision."""
    t = Printed.sample()
    true = t.slope(macro_precision)
    wrong = -t.correct[:, :, None] / (t.n * t.bias[:, :, None] ** 2)
    hit = (t.bias - t.correct) / (t.n * t.bias**2)
    good = same(t.off(wrong), t.off(true)) and same(hit, t.on(true))
    return judged(good, "as printed", "60 tables of 3 classes, complex steps")


@claim("003-eq-32", "equation 32", "−2·correct(i)/(nZ_i²) − 2·correct(j)/(nZ_j²)")
def eq_32() -> Outcome:
    """The derivative of macro F1 in an error."""
    t = Printed.sample()
    z = t.bias + t.prevalence
    part = -2 * t.correct / (t.n * z**2)
    return compared(
        t.off(part[:, :, None] + part[:, None, :]), None, t.off(t.slope(macro_f1)), "as printed"
    )


@claim("003-eq-33-34", "equations 33 and 34", "2/(nZ_i) − 2correct(i)/(nZ_i²) + the same for j")
def eq_33() -> Outcome:
    """The derivative of macro F1 in a hit."""
    t = Printed.sample()
    z = t.bias + t.prevalence
    part = 2 / (t.n * z) - 2 * t.correct / (t.n * z**2)
    return compared(
        2 * part,  # j is i in a cell of the diagonal
        2 * (z - 2 * t.correct) / (t.n * z**2),
        t.on(t.slope(macro_f1)),
        "2(Z_i − 2·correct_i)/(nZ_i²)",
    )


@claim("003-eq-36-37", "equations 36 and 37", "2(∂R̄ + ∂P̄)(R̄ + P̄ − P̄R̄)/(R̄ + P̄)")
def eq_36() -> Outcome:
    """The derivative of the F1 of averages."""
    t = Printed.sample()
    cells = np.swapaxes(t.m, 1, 2)
    r, p = (on(f, cells)[:, None, None] for f in (macro_recall, macro_precision))
    dr, dp = t.slope(macro_recall), t.slope(macro_precision)
    return compared(
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


@claim("003-eq-38", "equation 38", "(cs − p·b)/(s² − p·p)")
def eq_38() -> Outcome:
    """Kappa on counts."""
    t = Printed.sample()
    a = _agreement(t)
    top = a["c"] * a["s"] - a["pb"]
    true = on(kappa, np.swapaxes(t.m, 1, 2))[:, None, None]
    return compared(
        top / (a["s"] ** 2 - a["pp"]),
        top / (a["s"] ** 2 - a["pb"]),
        true,
        "the denominator is s² − p·b",
    )


@claim("003-eq-39", "equation 39", "((c − z)D_K² − (2s − z)N_K)/D_K²")
def eq_39() -> Outcome:
    """The derivative of kappa in an error."""
    t = Printed.sample()
    a = _agreement(t)
    top, below = a["c"] * a["s"] - a["pb"], a["s"] ** 2 - a["pb"]
    drop = (2 * a["s"] - a["z"]) * top
    return compared(
        t.off(((a["c"] - a["z"]) * below**2 - drop) / below**2),
        t.off(((a["c"] - a["z"]) * below - drop) / below**2),
        t.off(t.slope(kappa)),
        "(c − z)·D_K in the numerator",
    )


@claim("003-eq-40", "equation 40", "(cs − p·b)/√((s² − p·p)(s² − b·b))")
def eq_40() -> Outcome:
    """MCC on counts."""
    t = Printed.sample()
    a = _agreement(t)
    found = (a["c"] * a["s"] - a["pb"]) / np.sqrt((a["s"] ** 2 - a["pp"]) * (a["s"] ** 2 - a["bb"]))
    return compared(found, None, on(mcc, np.swapaxes(t.m, 1, 2))[:, None, None], "as printed")


@claim(
    "003-eq-41-43",
    "equations 41 to 43",
    "(D_M²(c − z) − N_M(2s − v)√(s² − b·b) − N_M(2s − u)√(s² − p·p))/(2D_M³)",
)
def eq_41() -> Outcome:
    """The derivative of MCC in an error."""
    t = Printed.sample()
    a = _agreement(t)
    top = a["c"] * a["s"] - a["pb"]
    truth, guess = a["s"] ** 2 - a["pp"], a["s"] ** 2 - a["bb"]
    d, lead = np.sqrt(truth * guess), a["c"] - a["z"]
    v, u = 2 * a["s"] - a["v"], 2 * a["s"] - a["u"]
    printed = (d**2 * lead - top * v * np.sqrt(guess) - top * u * np.sqrt(truth)) / (2 * d**3)
    right = (2 * d**2 * lead - top * v * guess - top * u * truth) / (2 * d**3)
    return compared(
        t.off(printed),
        t.off(right),
        t.off(t.slope(mcc)),
        "2D_M²(c − z), and no square roots in the others",
    )


@claim(
    "003-appendix-f-terms", "appendix F.1", "bias(j) + prevalence(i); 2·prevalence(j); 2·bias(i)"
)
def terms() -> Outcome:
    """The derivatives of p·b, p·p and b·b in a cell."""
    t = Printed.sample()
    a = _agreement(t)
    i, j = 0, 2
    step = np.zeros((3, 3))
    step[i, j] = 1e-3
    b, d = _agreement(Printed(t.m + step)), _agreement(Printed(t.m - step))
    found = [(b[n] - d[n])[:, 0, 0] / 2e-3 for n in ("pb", "pp", "bb")]
    printed = [a[n][:, i, j] for n in ("z", "v", "u")]
    most = max(worst(x, y) for x, y in zip(found, printed, strict=True))
    return judged(most < 1e-5, f"largest difference {most:.1g}", "60 tables, central differences")


@claim("003-appendix-f-example", "tables 6 and 7", "0.0 → 0.07")
def tables_6_7() -> Outcome:
    """MCC rises when ten errors are added."""
    before = np.array([[10, 1, 0], [43, 1, 0], [0, 0, 1]])  # rows = true
    after = before + np.array([[0, 0, 0], [0, 0, 10], [0, 0, 0]])
    a, b = exact("mcc", [before, after])
    good = a == 0 and f"{float(b):.2f}" == "0.07"
    return judged(good, f"{float(a):g} → {float(b):.4f}", "0 exactly at first")


@claim("003-appendix-f-argument", "appendix F.1, closing argument", "N → 0, but not (c − z)·D²")
def argument() -> Outcome:
    """Kappa and MCC are not monotone because there are tables with N = 0 and (c − z)·D² ≠ 0."""
    shown = Printed(np.array([[[10.0, 43, 0], [1, 1, 0], [0, 0, 1]]]))  # table 6
    other = Printed(np.array([[[1.0, 1], [1, 1]]]))
    a, b = _agreement(shown), _agreement(other)
    top = [float((x["c"] * x["s"] - x["pb"]).item()) for x in (a, b)]
    lead, less = a["c"] - a["z"], b["c"] - b["z"]
    rises = [float(shown.off(shown.slope(f)).max()) for f in (kappa, mcc)]
    falls = [float(other.off(other.slope(f)).max()) for f in (kappa, mcc)]
    return judged(
        top[0] == 0 and float(shown.off(lead).max()) > 0 and min(rises) > 0,
        f"table 6 has N = 0, c − z up to {shown.off(lead).max():g}, slopes of errors up to "
        f"{rises[0]:.2g} (kappa) and {rises[1]:.2g} (MCC)",
        f"what it needs is c > z: [[1, 1], [1, 1]] has N = {top[1]:g} and c − z = "
        f"{other.off(less).max():g}, and no error raises either metric",
        remark=top[1] == 0 and float(other.off(less).max()) < 0 and max(falls) < 0,
    )

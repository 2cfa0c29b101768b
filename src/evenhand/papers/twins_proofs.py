"""Opitz & Burst (2019): the steps of the proofs in appendices A and C."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from evenhand.core.twins import bound, extremal
from evenhand.papers.claims import Outcome, claim, judged
from evenhand.papers.compared import equal, same, worst
from evenhand.papers.tried import divided, gap, per_class, twins, twins_gap, with_every_class

Floats = NDArray[np.float64]
APPENDIX = "appendix C"


def _configurations(size: int = 500) -> tuple[Floats, Floats]:
    rng = np.random.default_rng(3)
    return rng.random((size, 4)) * 0.98 + 0.01, rng.random((size, 4)) * 0.98 + 0.01


def _parts(p: Floats, r: Floats) -> tuple[Floats, Floats, Floats]:
    """α, β and γ (with its factor 2) of the first class."""
    square = (p[:, :, None] * r[:, None, :] - r[:, :, None] * p[:, None, :]) ** 2
    terms = divided(square, (p + r)[:, :, None] * (p + r)[:, None, :])
    return (
        (p + r)[:, 1:].sum(axis=1),
        terms[:, 1:, 1:].sum(axis=(1, 2)),
        2 * terms[:, 0, 1:].sum(axis=1),
    )


def _delta(p: Floats, r: Floats) -> Floats:
    return np.asarray((r - p)[:, 1:].sum(axis=1))


@claim("000-appendix-a", "appendix A", "five lines")
def lines() -> Outcome:
    """Each line of the lemma's proof equals the next."""
    cells = with_every_class(3)
    p, r, _ = per_class(cells)
    keep = (p > 0).all(axis=1)
    p, r = p[keep], r[keep]
    n, both = p.shape[1], p + r
    sigma = n * both.sum(axis=1)
    a, b = twins(cells[keep])
    cross = p[:, :, None] * r[:, None, :]
    own = (p * r / both)[:, :, None] * both[:, None, :]
    second = 2 / sigma * cross.sum(axis=(1, 2)) - 2 / sigma * own.sum(axis=(1, 2))
    third = 2 / sigma * (cross - own).sum(axis=(1, 2))
    skew = (cross - np.swapaxes(cross, 1, 2)) ** 2 / (both[:, :, None] * both[:, None, :])
    upper = 2 / sigma * (skew * np.triu(np.ones((n, n)), 1)).sum(axis=(1, 2))
    last = 1 / sigma * skew.sum(axis=(1, 2))
    found = [worst(x, a - b) for x in (second, third, upper, last)]
    return judged(max(found) < 1e-12, f"largest difference {max(found):.1g}", f"{len(p):,} tables")


@claim("004-appendix-a", "appendix A, second line", "2/(n Σ_x P_x + R_x)")
def brackets() -> Outcome:
    """The first fraction has n·ΣP_x + R_x below the line, without brackets."""
    p, r = _configurations()
    n, both = p.shape[1], (p + r).sum(axis=1)
    cross, own = p.sum(axis=1) * r.sum(axis=1), (p * r / (p + r)).sum(axis=1) * both
    bare, right = (
        2 / below * cross - 2 / (n * both) * own
        for below in (n * p.sum(axis=1) + r[:, -1], n * both)
    )
    return judged(
        same(bare, gap(p, r)),
        "2/(n Σ_x (P_x + R_x)), as the other rendering has it",
        f"500 configurations: off by up to {worst(bare, gap(p, r)):.2g} without the brackets, "
        f"{worst(right, gap(p, r)):.1g} with them",
        corrected=same(right, gap(p, r)),
    )


@claim("000-appendix-c-gamma", f"{APPENDIX}, preliminaries", "γ without its factor 2")
def gamma() -> Outcome:
    """The gap is (β + γ)/(n(α + P + R)), with γ the sum over the other classes."""
    p, r = _configurations()
    alpha, beta, twice = _parts(p, r)
    below = p.shape[1] * (alpha + p[:, 0] + r[:, 0])
    bare, full = (beta + twice / 2) / below, (beta + twice) / below
    true = gap(p, r)
    return judged(
        same(bare, true),
        "the factor 2 belongs to γ",
        f"500 configurations: off by up to {worst(bare, true):.2g} without it, "
        f"{worst(full, true):.1g} with it",
        corrected=same(full, true),
    )


@claim(
    "000-appendix-c-boundary", f"{APPENDIX}, preliminaries", "{(0, 1), (1, 0)}^(2 × n)", by_eye=True
)
def boundary() -> Outcome:
    """The boundary set has one of (0, 1), (1, 0) for each class."""
    return Outcome("misprint", "exponent n", "2n pairs are 4n numbers, a configuration has 2n")


@claim("000-appendix-c-steps", f"{APPENDIX}, proof 1", "two steps", by_eye=True)
def steps() -> Outcome:
    """The boundary point is constructed in two steps."""
    return Outcome("misprint", "three steps", "(i), (ii) and (iii) follow")


@claim("000-eq-6", "equation 6", "equation 6")
def swap() -> Outcome:
    """Swapping P and R of a class changes the gap by a product of its skew and the others'."""
    p, r = _configurations()
    q, s = p.copy(), r.copy()
    q[:, 0], s[:, 0] = r[:, 0], p[:, 0]
    change = gap(q, s) - gap(p, r)
    total = p.shape[1] * (p + r).sum(axis=1)
    formula = 2 / total * (r[:, 0] - p[:, 0]) * _delta(p, r)
    return equal(change, formula, "500 configurations")


@claim("000-eq-7-8", "equations 7 and 8", "≥ 0")
def to_zero() -> Outcome:
    """After the swap, setting the smaller of P and R to 0 never lowers the gap."""
    p, r = _configurations(size=4000)
    delta, least = _delta(p, r), np.inf
    for smaller, larger, wanted in ((r, p, delta >= 0), (p, r, delta <= 0)):
        use = wanted & (smaller[:, 0] <= larger[:, 0])
        q, s = p[use].copy(), r[use].copy()
        (s if smaller is r else q)[:, 0] = 0
        least = min(least, float((gap(q, s) - gap(p[use], r[use])).min()))
    return judged(
        least > -1e-12, f"it changes by {least:.1g} or more", "4,000 configurations, both cases"
    )


@claim("000-appendix-c-ones", f"{APPENDIX}, step (ii)", "Σ P_i R_j")
def ones() -> Outcome:
    """Where each class has P = 0 or R = 0 the gap is 2ΣP_iR_j/(nΣ(P+R)), and setting what is not 0
    to 1 never lowers it.
    """
    p, r = _configurations(size=2000)
    side = np.random.default_rng(1).random(p.shape) < 0.5
    p, r = np.where(side, p, 0), np.where(side, 0, r)
    formula = 2 * p.sum(1) * r.sum(1) / (p.shape[1] * (p + r).sum(1))
    full = [np.where(x > 0, 1.0, 0.0) for x in (p, r)]
    higher = gap(full[0], full[1]) - gap(p, r)
    good = same(formula, gap(p, r)) and higher.min() > -1e-12
    return judged(
        bool(good), f"largest difference {worst(formula, gap(p, r)):.1g}", "2,000 configurations"
    )


@claim("000-appendix-c-derivative", f"{APPENDIX}, step (ii)", "Σ_ij x_i y_i")
def derivative() -> Outcome:
    """The derivative in x_i of Σx_iy_j/(Σx + Σy) has Σ x_i y_i in its numerator."""
    rng = np.random.default_rng(2)
    x, y = rng.random(4) + 0.1, rng.random(3) + 0.1
    step = 1e-30j
    stepped = np.concatenate([[x[0] + step], x[1:]])
    true = float(np.imag(stepped.sum() * y.sum() / (stepped.sum() + y.sum())) / 1e-30)
    sigma = x.sum() + y.sum()
    right = float((y.sum() * sigma - x.sum() * y.sum()) / sigma**2)
    printed = float((y.sum() * sigma - 3 * (x[:3] * y).sum()) / sigma**2)
    return judged(
        same(printed, true),
        "Σ_ij x_i y_j",
        f"slope {true:.6f}: {right:.6f} with Σx_iy_j, {printed:.6f} as printed",
        corrected=same(right, true),
    )


@claim("000-appendix-c-fill", f"{APPENDIX}, step (iii)", "2/n · r²/((r+s+1)(r+s))")
def fill() -> Outcome:
    """Setting P to 1 where both were 0 raises the gap by 2r²/(n(r+s+1)(r+s))."""
    most, tried = 0.0, 0
    for r in range(1, 5):
        for s in range(5):
            n = r + s + 2
            p = np.array([[1.0] * s + [0.0] * (r + 2)])
            q = p.copy()
            q[0, -1] = 1
            recall = np.array([[0.0] * s + [1.0] * r + [0.0] * 2])
            change = float((gap(q, recall) - gap(p, recall))[0])
            most = max(most, abs(change - 2 * r**2 / (n * (r + s + 1) * (r + s))))
            tried += 1
    return judged(most < 1e-12, f"largest difference {most:.1g}", f"{tried} values of r and s")


@claim("000-appendix-c-maximum", f"{APPENDIX}, proof 2", "1/2; 1/2 (1 − 1/n²)")
def maximum() -> Outcome:
    """On the boundary the gap is 2rs/n², largest where r and s are as equal as can be."""
    found = {}
    for n in range(2, 12):
        gaps = []
        for r in range(n + 1):
            p = np.array([[1.0] * (n - r) + [0.0] * r])
            gaps.append(float(gap(p, 1 - p)[0]))
        found[n] = max(abs(g - 2 * r * (n - r) / n**2) for r, g in enumerate(gaps)) < 1e-12 and (
            abs(max(gaps) - bound(n)) < 1e-12
        )
    return judged(all(found.values()), "as printed", "2 to 11 classes, every r")


@claim(
    "000-appendix-c-even",
    f"{APPENDIX}, proof 3",
    "the even table: z on both sides of the diagonal at its end",
)
def even() -> Outcome:
    """A sequence of tables with an even number of classes approaches the supremum."""
    z = 10**6
    printed = np.eye(6, dtype=np.int64)
    printed[1, 0] = printed[3, 4] = printed[4, 3] = z  # rows = predicted, as the display shows it
    displayed, blocks = twins_gap(printed.T), twins_gap(extremal(6, z))
    return judged(
        abs(displayed - 0.5) < 1e-4,
        "blocks (1 0; z 1) along the diagonal, as in the other rendering",
        f"for 6 classes and z = 10⁶ the gap is {displayed:.4f} as displayed, "
        f"{blocks:.4f} with the blocks",
        corrected=abs(blocks - 0.5) < 1e-4,
    )


@claim("004-appendix-c-even", f"{APPENDIX}, proof 3", "blocks (1 0; z 1)")
def even_blocks() -> Outcome:
    """A sequence of tables with an even number of classes approaches the supremum."""
    z = 10**6
    m = np.kron(np.eye(3, dtype=np.int64), np.array([[1, 0], [z, 1]]))
    found = twins_gap(m.T)
    p, r, _ = per_class(m.T)
    good = same(p[:2], [1, 1 / (1 + z)]) and same(r[:2], [1 / (1 + z), 1])
    good = good and abs(found - 0.5) < 1e-4
    return judged(good, f"gap {found:.6f}", "6 classes, z = 10⁶; P and R are as printed")


@claim("000-appendix-c-odd", f"{APPENDIX}, proof 3", "(…, 1, 1/(1+z), 1/(1+2z), 1, 1, 1/(1+z))")
def odd() -> Outcome:
    """A sequence of tables with an odd number of classes approaches the supremum."""
    z = 10**6
    m = np.eye(5, dtype=np.int64)
    m[1, 0] = m[3, 2] = m[3, 4] = z
    found = twins_gap(m.T)
    p, r, _ = per_class(m.T)
    pairs = np.stack([p, r], axis=1)[2:].reshape(-1)
    wanted = [1, 1 / (1 + z), 1 / (1 + 2 * z), 1, 1, 1 / (1 + z)]
    good = same(pairs, wanted) and abs(found - bound(5)) < 1e-4
    return judged(good, f"gap {found:.6f} of {bound(5):.6f}", "5 classes, z = 10⁶")

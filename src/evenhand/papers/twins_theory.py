"""Opitz & Burst (2019): definitions, theorem, lemma and what is said of them."""

from __future__ import annotations

import numpy as np

from evenhand.core.twins import bound, extremal, pair_terms
from evenhand.papers.claims import Outcome, claim, judged
from evenhand.papers.compared import equal, same, worst
from evenhand.papers.tried import (
    Cells,
    counts,
    divided,
    everything,
    exact,
    grid_tables,
    harmonic,
    per_class,
    table_text,
    twins,
    twins_gap,
)
from evenhand.papers.twins_numbers import TABLE_3, TABLE_4

SECTION = "section 2"


@claim("000-eq-1", "equation 1", "F1 = 2PR/(P + R)")
def eq_1() -> Outcome:
    """Precision, recall and F1 of a class, each 0 where its denominator is 0."""
    cells = everything(3)
    p, r, f = per_class(cells)
    found = harmonic(p, r)
    return judged(
        same(found, f),
        "2PR/(P + R) = 2·correct/(bias + prevalence)",
        f"{cells.shape[0]:,} tables of 3 classes, largest difference {worst(found, f):.1g}",
    )


@claim("000-theorem-1", f"{SECTION}, theorem 1", "F1′ ≥ F1")
def theorem_1() -> Outcome:
    """The F1 of averages is never below the mean of F1."""
    least, tried = 1.0, 0
    for cells in (grid_tables(2, 5), grid_tables(3, 2), everything(4)):
        a, b = twins(cells)
        least, tried = min(least, float((a - b).min())), tried + len(cells)
    return judged(
        least > -1e-14, f"smallest gap {max(least, 0.0):.1g}", f"{tried:,} tables of 2 to 4 classes"
    )


@claim("000-theorem-2", f"{SECTION}, theorem 2, and appendix B, step 2", "for every table")
def theorem_2() -> Outcome:
    """The gap is positive exactly when some class has P ≠ R, exactly when some classes are skewed
    one way and others the other way.
    """
    cells, gap, skewed, both = _conditions()
    broken = (gap != skewed) | (skewed != both)
    repaired = gap != _hit_classes_differ(cells)
    example = cells[np.flatnonzero(gap & ~both)[0]]
    slip = np.array([[1, 1], [0, 0]])
    p, r, _ = per_class(slip)
    every = np.diagonal(cells, axis1=1, axis2=2).all(axis=1)
    return judged(
        not broken.any(),
        f"broken by {broken.sum():,} of {len(cells):,} tables; 'two classes with hits differ in "
        f"prevalence/bias' by {repaired.sum()}",
        f"all 3 × 3 tables with cells 0–2 and a hit; e.g. {table_text(example)} (rows = true) has "
        f"a gap of {exact('f1_gap', example)[0]} without skew both ways; of the {every.sum():,} "
        f"tables in which every class has a hit, {(broken & every).sum()} break it. The proof "
        "slips in step 2: P > R ⇔ bias < prevalence only for classes with hits, "
        f"{table_text(slip)} (rows = true) has P = {p[0]:g}, R = {r[0]:g} and a class without",
    )


def _conditions() -> tuple[Cells, ...]:
    """Tables with a hit; which have a gap, a class with P ≠ R, and classes skewed both ways."""
    cells = grid_tables(3, 2)
    cells = cells[np.diagonal(cells, axis1=1, axis2=2).sum(axis=1) > 0]
    a, b = twins(cells)
    p, r, _ = per_class(cells)
    more, less = (p > r + 1e-12).any(axis=-1), (p < r - 1e-12).any(axis=-1)
    return cells, a - b > 1e-12, np.asarray(more | less), np.asarray(more & less)


def _hit_classes_differ(cells: Cells) -> Cells:
    c = counts(cells)
    with np.errstate(all="ignore"):
        ratio = np.where(c.correct > 0, c.prevalence / c.bias, np.nan)
    return np.asarray(np.nanmax(ratio, axis=-1) > np.nanmin(ratio, axis=-1))


@claim("000-theorem-2-proof-1", "appendix B, step 1", "(i) ⇒ (ii)")
def theorem_2_step_1() -> Outcome:
    """A positive gap needs a class with P ≠ R."""
    cells, gap, skewed, _ = _conditions()
    wrong = gap & ~skewed
    return judged(not wrong.any(), f"{wrong.sum()} exceptions", f"{len(cells):,} tables")


@claim("000-theorem-2-proof-3", "appendix B, step 3", "(iii) ⇒ (i)")
def theorem_2_step_3() -> Outcome:
    """Classes skewed both ways make the gap positive."""
    cells, gap, _, both = _conditions()
    wrong = both & ~gap
    return judged(not wrong.any(), f"{wrong.sum()} exceptions", f"{len(cells):,} tables")


@claim("000-theorem-3", f"{SECTION}, theorem 3", "0.5; 0.5 − 1/(2n²)")
def theorem_3() -> Outcome:
    """The supremum of the gap is 1/2 for an even number of classes and 1/2 − 1/(2n²) for an odd
    one.
    """
    over, short, tried = -1.0, 0.0, 0
    for k in range(2, 10):
        short = max(short, bound(k) - twins_gap(extremal(k, 10**7)))
    for k in (2, 3, 4):
        a, b = twins(everything(k))
        over = max(over, float((a - b).max()) - bound(k))
        tried += len(everything(k))
    return judged(
        over < 0 and short < 1e-5,
        f"approached to {short:.1g} for 2 to 9 classes, never reached",
        f"{tried:,} tables stay below it; the extremal tables with z = 10⁷ come that near",
    )


@claim("000-abstract", "abstract", "0.5")
def abstract() -> Outcome:
    """The two computations can differ by as much as 0.5."""
    found = twins_gap(extremal(2, 10**9))
    return judged(
        abs(found - 0.5) < 1e-8, f"{found:.9f}", "two classes, z = 10⁹: a supremum, no maximum"
    )


@claim("000-lemma", f"{SECTION}, lemma", "equation 4")
def lemma() -> Outcome:
    """The gap is a sum over pairs of classes of (P_x R_y − P_y R_x)²/((P_x+R_x)(P_y+R_y))."""
    most, tried = 0.0, 0
    for k in (2, 3, 4):
        cells = everything(k)
        a, b = twins(cells)
        most = max(most, worst(pair_terms(counts(cells)).sum(axis=(-1, -2)), a - b))
        tried += len(cells)
    return judged(most < 1e-12, f"largest difference {most:.1g}", f"{tried:,} tables")


@claim(
    "000-lemma-not-monotone", f"{SECTION}, after the lemma", "not necessarily increase monotonously"
)
def not_monotone() -> Outcome:
    """The gap does not necessarily increase monotonously when |P − R| of single classes grows."""
    before = np.array([[1, 3, 0], [0, 1, 3], [0, 3, 3]])  # rows = true
    after = before + np.array([[0, 0, 0], [0, 0, 0], [0, 1, 0]])
    cells = np.stack([before, after])
    p, r, _ = per_class(cells)
    apart = abs(p - r)
    one, two = exact("f1_gap", cells)
    return judged(
        bool((apart[1] >= apart[0] - 1e-12).all()) and two < one,
        f"gap {float(one):.4f} → {float(two):.4f}",
        f"{table_text(before)} → {table_text(after)} (rows = true): |P − R| of the classes goes "
        f"from {_three(apart[0])} to {_three(apart[1])}, and the gap from {one} to {two}",
    )


def _three(values: Cells) -> str:
    return ", ".join(f"{x:.3f}" for x in values)


@claim("000-lemma-extreme", f"{SECTION}, after the lemma", "F1 → 0, F1′ ≈ 0.5")
def extreme() -> Outcome:
    """The gap is largest where classes have (P, R) → (1, 0) and others (0, 1): every F1 → 0 while
    both averages are about 0.5.
    """
    m = extremal(4, 10**6)
    p, r, f = per_class(m)
    a, b = twins(m)
    good = f.max() < 1e-5 and abs(p.mean() - 0.5) < 1e-5 and abs(float(a) - 0.5) < 1e-5
    return judged(
        bool(good),
        f"F1 {float(b):.1g}, P̄ {p.mean():.4f}, R̄ {r.mean():.4f}, F1′ {float(a):.4f}",
        "the extremal table of 4 classes with z = 10⁶",
    )


@claim("000-insensitive", f"{SECTION}, end", "insensitive to which classes have which")
def insensitive() -> Outcome:
    """The F1 of averages is insensitive to which classes have the precision and which the recall,
    the mean of F1 is not.
    """
    cells = grid_tables(3, 2)
    p, r, _ = per_class(cells)
    both = np.round(np.concatenate([np.sort(p), np.sort(r)], axis=1), 9)
    _, alike = np.unique(both, axis=0, return_inverse=True)
    a, b = (_spread(x, alike.reshape(-1)) for x in twins(cells))
    return judged(
        bool(a.max() < 1e-12 < b.max()),
        f"it differs by {a.max():.1g} at most, the mean of F1 by up to {b.max():.2f}",
        f"{len(cells):,} tables of 3 classes in {len(a):,} groups that have the same three "
        f"precisions and the same three recalls, given to other classes; the mean of F1 differs "
        f"within {(b > 1e-12).sum():,} of them",
    )


def _spread(values: Cells, group: Cells) -> Cells:
    """Largest less smallest value of each group."""
    high, low = np.full(group.max() + 1, -np.inf), np.full(group.max() + 1, np.inf)
    np.maximum.at(high, group, values)
    np.minimum.at(low, group, values)
    return high - low


@claim("000-rare", "abstract", "only under rare circumstances")
def rare() -> Outcome:
    """Only under rare circumstances the two computations can be considered equivalent."""
    small = {f"{k} classes, cells 0–{m}": grid_tables(k, m) for k, m in ((2, 3), (2, 12), (3, 2))}
    rng = np.random.default_rng(0)
    large = {f"{k} classes, cells 0–99": rng.integers(0, 100, (20000, k, k)) for k in (2, 3)}
    shares = {name: _no_gap(cells) for name, cells in (small | large).items()}
    text = "; ".join(f"{name}: {100 * x:.2g} %" for name, x in shares.items())
    return judged(
        max(shares[name] for name in large) < 0.05,
        f"{100 * shares['2 classes, cells 0–99']:.1f} % of tables of 2 classes with cells up to 99 "
        f"have no gap, {100 * shares['3 classes, cells 0–99']:.2f} % of 3 classes",
        f"tables with a hit: {text}: rare, but for very small test sets",
        remark=max(shares[name] for name in small) > 0.1,
    )


def _no_gap(cells: Cells) -> float:
    a, b = twins(cells[np.trace(cells, axis1=1, axis2=2) > 0])
    return float((a - b < 1e-13).mean())


@claim("000-negligible", "section 4", "negligible")
def negligible() -> Outcome:
    """When precision and recall do not differ much within classes, the difference of the two macro
    F1s is negligible.
    """
    over, tried, near = -1.0, 0, dict.fromkeys((0.01, 0.05, 0.1), 0.0)
    for k in (2, 3, 4):
        cells = np.concatenate([everything(k), _mild(k)])
        p, r, _ = per_class(cells)
        apart = abs(p - r).max(axis=1)
        a, b = twins(cells)
        over, tried = max(over, float((a - b - apart / 2).max())), tried + len(cells)
        near = {d: max(g, float((a - b)[apart <= d].max())) for d, g in near.items()}
    return judged(
        over < 1e-12,
        "the gap is at most half the largest |P − R| of a class",
        f"{tried:,} tables of 2 to 4 classes; the largest gap where no |P − R| is above d: "
        + ", ".join(f"{g:.1g} (d = {d:g})" for d, g in near.items()),
    )


def _mild(k: int) -> Cells:
    """Classifiers that are mostly right, so that precision and recall are near each other."""
    rng = np.random.default_rng(k)
    return rng.integers(0, 20, (2000, k, k)) + np.diag(rng.integers(50, 100, k))


@claim("000-table-5", "table 5 (caption)", "0.505 and 0.0196; 0.0196 and 0.0196")
def sensitive() -> Outcome:
    """The F1 of averages is very sensitive to the kind of errors, the mean of F1 is not."""
    a, b = twins([TABLE_3, TABLE_4])
    good = abs(b[0] - b[1]) < 1e-12 < a[0] - a[1]
    return judged(
        bool(good),
        f"F1′ {a[0]:.3f} and {a[1]:.4f}; F1 {b[0]:.4f} and {b[1]:.4f}",
        "as many errors, of one kind or of both",
    )


@claim("000-cross-terms", "section 1, after equation 3", "P_x R_y for all x, y")
def cross_terms() -> Outcome:
    """The F1 of averages multiplies every class's precision with every other class's recall."""
    cells = everything(3)
    p, r, _ = per_class(cells)
    cross = divided(2 * (p[:, :, None] * r[:, None, :]).sum(axis=(1, 2)) / 3, (p + r).sum(axis=1))
    a, _ = twins(cells)
    return equal(cross, a, f"{len(cells):,} tables")

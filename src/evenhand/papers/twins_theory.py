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
    gap,
    grid_tables,
    harmonic,
    per_class,
    table_text,
    twins,
    twins_gap,
)

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


@claim("000-theorem-2", f"{SECTION}, theorem 2", "for every table")
def theorem_2() -> Outcome:
    """The gap is positive exactly when some class has P ≠ R, exactly when some classes are skewed
    one way and others the other way.
    """
    cells, gap, skewed, both = _conditions()
    broken = (gap != skewed) | (skewed != both)
    repaired = gap != _hit_classes_differ(cells)
    example = cells[np.flatnonzero(gap & ~both)[0]]
    every = np.diagonal(cells, axis1=1, axis2=2).all(axis=1)
    return judged(
        not broken.any(),
        f"broken by {broken.sum():,} of {len(cells):,} tables; 'two classes with hits differ in "
        f"prevalence/bias' by {repaired.sum()}",
        f"all 3 × 3 tables with cells 0–2 and a hit; e.g. {table_text(example)} (rows = true) has "
        f"a gap of {exact('f1_gap', example)[0]} without skew both ways; of the {every.sum():,} "
        f"tables in which every class has a hit, {(broken & every).sum()} break it",
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


@claim("000-theorem-2-proof-2", "appendix B, step 2", "(ii) ⇒ (iii)")
def theorem_2_step_2() -> Outcome:
    """A class with P ≠ R needs another that is skewed the other way."""
    cells, _, skewed, both = _conditions()
    wrong = skewed & ~both
    first = np.array([[1, 1], [0, 0]])
    p, r, _ = per_class(first)
    return judged(
        not wrong.any(),
        f"{wrong.sum():,} exceptions among {len(cells):,} tables",
        f"P > R ⇔ bias < prevalence only for classes with hits: {table_text(first)} (rows = true) "
        f"has P = {p[0]:g}, R = {r[0]:g} and a class without hits",
    )


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


@claim("000-lemma-not-monotone", f"{SECTION}, after the lemma", "does not necessarily increase")
def not_monotone() -> Outcome:
    """The gap need not grow when |P − R| of a single class grows."""
    p, r = np.array([0.9, 0.5]), np.array([0.3, 0.3])
    wider = np.array([0.9, 0.7])
    before, after = gap(p, r), gap(wider, r)
    return judged(
        bool(after < before),
        f"gap {before:.4f} → {after:.4f}",
        "P = (0.9, 0.5), R = (0.3, 0.3); then P = (0.9, 0.7): |P − R| of the second class grows",
    )


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


@claim("000-insensitive", f"{SECTION}, end", "insensitive")
def insensitive() -> Outcome:
    """The F1 of averages does not see which classes have the precision and which the recall."""
    rng = np.random.default_rng(0)
    p, r = rng.random((1000, 5)), rng.random((1000, 5))
    shuffled = rng.permuted(p, axis=1)
    a, b = (harmonic(x.mean(axis=1), r.mean(axis=1)) for x in (p, shuffled))
    return judged(
        same(a, b), f"largest change {worst(a, b):.1g}", "1,000 configurations, precisions shuffled"
    )


@claim("000-table-5", "table 5 (caption)", "0.505 and 0.0196; 0.0196 and 0.0196")
def sensitive() -> Outcome:
    """The F1 of averages is very sensitive to the kind of errors, the mean of F1 is not."""
    cells = np.array([[[100, 0], [10000, 100]], [[100, 5000], [5000, 100]]])
    a, b = twins(cells)
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

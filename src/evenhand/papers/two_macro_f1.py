"""Claims of Opitz & Burst (2019) on the two formulas of macro F1, and their program."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from decimal import Decimal
from functools import reduce
from itertools import combinations, product
from operator import add
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.core.metrics.macro import bound, extremal, pair_terms
from evenhand.papers.claims import (
    Cells,
    Outcome,
    claim,
    counts,
    divided,
    equal,
    exact,
    gap,
    grid_tables,
    harmonic,
    judged,
    per_class,
    same,
    sample_tables,
    table_text,
    twins,
    twins_gap,
    with_every_class,
    worst,
)

Matrix = Sequence[Sequence[float]]


def _over(a: float, b: float) -> float:
    return a / b if b else math.nan  # nothing but 0/0 occurs


def _sum(numbers: Iterable[float]) -> float:
    return reduce(add, numbers, 0.0)  # one after the other: `sum` may carry what is rounded off


def _harmonic(x: float, y: float) -> float:
    return 2 * _over(x * y, x + y)


def program_values(matrix: Matrix) -> dict[str, float]:
    """The four numbers that the program prints, by its labels.

    >>> program_values([[100, 10000], [0, 100]])["delta"]
    0.48534265191225007
    """
    n = len(matrix)
    p = [_over(row[i], _sum(row)) for i, row in enumerate(matrix)]
    r = [_over(matrix[i][i], _sum(row[i] for row in matrix)) for i in range(n)]
    benevolent = _harmonic(_sum(p) / n, _sum(r) / n)
    other = _sum(map(_harmonic, p, r)) / n
    total = _sum(a + b for a, b in zip(p, r, strict=True))
    terms = (
        _over(2 * (p[x] * r[y] - p[y] * r[x]) ** 2, n * (p[x] + r[x]) * (p[y] + r[y]) * total)
        for x, y in combinations(range(n), 2)
    )
    return {
        "macroF1 benevolent": benevolent,
        "macroF1 non-benevolent": other,
        "delta": benevolent - other,
        "delta calculated": _sum(terms),
    }


def printed(matrix: Matrix) -> str:
    """What the program prints.

    >>> print(printed([[100, 10000], [0, 100]]))
    ("macroF1 benevolent",0.504950495049505)
    ("macroF1 non-benevolent",1.96078431372549e-2)
    ("delta",0.48534265191225007)
    ("delta calculated",0.48534265191225007)
    """
    return "\n".join(f'("{name}",{digits(x)})' for name, x in program_values(matrix).items())


def digits(x: float) -> str:
    """A number as Haskell shows it: with a power of ten below 0.1 and from ten million.

    >>> digits(0.5), digits(0.0196), digits(12345678.0), digits(0.01), digits(-0.02)
    ('0.5', '1.96e-2', '1.2345678e7', '1.0e-2', '-2.0e-2')
    """
    if math.isnan(x):
        return "NaN"
    if x == 0 or 0.1 <= abs(x) < 10**7:
        return repr(float(x))
    head, _, power = f"{Decimal(repr(float(x))).normalize():e}".partition("e")
    return f"{head}{'' if '.' in head else '.0'}e{int(power)}"


# Worked tables and the program's output

# Rows = true here; the document prints the transpose.
TABLE_1 = [[5, 5], [10, 10]]
TABLE_2 = [[1, 9], [1, 19]]
TABLE_3 = [[100, 0], [10000, 100]]
TABLE_4 = [[100, 5000], [5000, 100]]


def _two(table: Any) -> tuple[float, float]:
    a, b = twins(np.array(table))
    return float(a), float(b)


@claim("000-table-1", "table 1", "F1′ 0.5, F1 0.49")
def table_1() -> Outcome:
    """Both macro F1s of a small table."""
    a, b = _two(TABLE_1)
    return judged(f"{a:.1f} {b:.2f}" == "0.5 0.49", f"F1′ {a:.4f}, F1 {b:.4f}", "1/2 and 17/35")


@claim("000-table-2-mean", "table 2", "F1 0.48")
def table_2_mean() -> Outcome:
    """The mean of F1 of a biased classifier."""
    _, b = _two(TABLE_2)
    return judged(f"{b:.2f}" == "0.48", f"F1 {b:.4f}", "23/48")


@claim("000-table-2", "table 2", "F1′ 0.55")
def table_2() -> Outcome:
    """The F1 of averages of a biased classifier."""
    digits, computed = f"{_two(TABLE_2)[0]:.2f}", f"F1′ {_two(TABLE_2)[0]:.4f}, so 0.56"
    cut = "231/416: cut off, not rounded"
    return judged(digits == "0.55", computed, cut, corrected=digits == "0.56")


@claim("000-tables-1-2", "section 3", "improves one, impairs the other")
def ranking() -> Outcome:
    """A bias towards one class raises the F1 of averages and lowers the mean of F1."""
    (a, b), (c, d) = _two(TABLE_1), _two(TABLE_2)
    return judged(c > a and d < b, f"F1′ {a:.4f} → {c:.4f}, F1 {b:.4f} → {d:.4f}", "tables 1 and 2")


@claim("000-table-3", "table 3", "F1′ 0.505, F1 0.0196, both classes' F1 0.0196")
def table_3() -> Outcome:
    """Errors of one kind only."""
    a, b = _two(TABLE_3)
    each = per_class(np.array(TABLE_3))[2]
    good = f"{a:.3f} {b:.4f}" == "0.505 0.0196" and all(f"{f:.4f}" == "0.0196" for f in each)
    return judged(good, f"F1′ {a:.6f}, F1 {b:.6f}", "51/101 and 1/51; both classes' F1 is 1/51")


@claim("000-table-4", "table 4", "F1′ = F1 = 0.0196")
def table_4() -> Outcome:
    """As many errors of both kinds."""
    a, b = _two(TABLE_4)
    return judged(f"{a:.4f} {b:.4f}" == "0.0196 0.0196", f"F1′ {a:.6f}, F1 {b:.6f}", "both 1/51")


@claim(
    "000-program-1",
    "appendix D, the program mf1",
    "0.504950495049505, 1.96078431372549e-2, 0.48534265191225007 twice",
)
def program_1() -> Outcome:
    """What the program prints for [[100, 10000], [0, 100]]."""
    gap = "0.48534265191225007"
    return _program(TABLE_3, "0.504950495049505", "1.96078431372549e-2", gap, gap)


@claim("000-program-2", "appendix D, the program mf1", "1.96078431372549e-2 twice, 0.0 twice")
def program_2() -> Outcome:
    """What the program prints for [[100, 5000], [5000, 100]]."""
    return _program(TABLE_4, "1.96078431372549e-2", "1.96078431372549e-2", "0.0", "0.0")


def _program(table: Any, *printed: str) -> Outcome:
    output = program_values(np.transpose(table).tolist())
    shown = tuple(map(digits, output.values()))
    a, b = _two(table)
    off = worst((a, b, a - b, pair_terms(counts(table)).sum()), tuple(output.values()))
    return judged(
        shown == printed and off < 1e-15,
        ", ".join(shown),
        f"the listing's operations in its order; our formulas differ by {off:.1g} at most",
    )


@claim("000-appendix-e-names", "appendix E", "P_x = …, R_x = …", by_eye=True)
def haskell() -> Outcome:
    """The listing is a Haskell program."""
    return Outcome(
        "misprint",
        "p_x = …, r_x = …",
        "in Haskell a variable begins with a small letter, a capital makes a constructor: as "
        "listed it does not compile",
    )


@claim("000-appendix-e-undefined", "appendix E", "prec, rec and harMean divide")
def undefined() -> Outcome:
    """The listing computes the scores of equation 1, which are 0 where a denominator is 0."""
    vote = [[3, 0], [1, 0]]  # rows = true
    shown, (a, b) = [*map(digits, program_values(np.transpose(vote).tolist()).values())], _two(vote)
    return judged(
        "NaN" not in shown,
        ", ".join(shown),
        f"for the majority vote [[3, 1], [0, 0]] (rows = predicted), whose two macro F1s are "
        f"{a:.4f} and {b:.4f} by equation 1: the listing divides 0 by 0",
    )


@claim("000-appendix-e-lemma", "appendix E", "2 · (P_x R_y − P_y R_x)²")
def pairs() -> Outcome:
    """The listing's sum over unordered pairs with a factor 2 is the lemma's over ordered ones."""
    m = np.array([[6, 1, 1], [1, 5, 2], [2, 3, 7]])
    terms = pair_terms(counts(m))
    half = 2 * float(np.triu(terms, 1).sum())
    a, b = _two(m)
    return judged(abs(half - (a - b)) < 1e-15, f"{half:.12f}", "[[6, 1, 1], [1, 5, 2], [2, 3, 7]]")


# Definitions, theorems and lemma

SECTION = "section 2"


@claim("000-eq-1", "equation 1", "F1 = 2PR/(P + R)")
def eq_1() -> Outcome:
    """Precision, recall and F1 of a class, each 0 where its denominator is 0."""
    p, r, f = per_class(sample_tables(3))
    off = f"{len(f):,} tables of 3 classes, largest difference {worst(harmonic(p, r), f):.1g}"
    return judged(same(harmonic(p, r), f), "2PR/(P + R) = 2·correct/(bias + prevalence)", off)


@claim("000-theorem-1", f"{SECTION}, theorem 1", "F1′ ≥ F1")
def theorem_1() -> Outcome:
    """The F1 of averages is never below the averaged F1, the mean of F1."""
    stacks = (grid_tables(2, 5), grid_tables(3, 2), sample_tables(4))
    least = min(float(np.subtract(*twins(cells)).min()) for cells in stacks)
    tried = f"{sum(map(len, stacks)):,} tables of 2 to 4 classes"
    return judged(least > -1e-14, f"smallest gap {max(least, 0.0):.1g}", tried)


@claim("000-theorem-2", f"{SECTION}, theorem 2, and appendix B, step 2", "for every table")
def theorem_2() -> Outcome:
    """The gap is positive exactly when some class has P ≠ R, exactly when some classes are skewed
    one way and others the other way.
    """
    cells, gap, skewed, both = _conditions(grid_tables(3, 2))
    broken = (gap != skewed) | (skewed != both)
    repaired = gap != _hit_classes_differ(cells)
    three, majority = np.array([[0, 0, 1], [0, 1, 0], [2, 0, 1]]), np.array([[3, 1], [0, 0]])
    _, (unskewed,), _, (ways,) = _conditions(three.T[None])
    (p, *_), (r, *_), _ = per_class(majority.T)
    every = np.diagonal(cells, axis1=1, axis2=2).all(axis=1)
    return judged(
        not broken.any() and not (unskewed and not ways),
        f"broken by {broken.sum():,} of {len(cells):,} tables; 'two classes with hits differ in "
        f"prevalence/bias' by {repaired.sum()}",
        f"all 3 × 3 tables with cells 0–2 and a hit; of the {every.sum():,} in which every class "
        f"has one, {(broken & every).sum()} break it. {table_text(three)} (rows = predicted), with "
        f"all classes true and predicted, has a gap of {exact('f1_gap', three.T)[0]} without skew "
        f"both ways; the majority vote {table_text(majority)} has P = {p:g}, R = {r:g} and a gap "
        f"of {exact('f1_gap', majority.T)[0]}. The proof slips in step 2: P > R ⇔ bias < "
        "prevalence only for classes with hits",
    )


def _conditions(cells: Cells) -> tuple[Cells, ...]:
    """Tables with a hit; which have a gap, a class with P ≠ R, and classes skewed both ways."""
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
    _, gap, skewed, _ = _conditions(grid_tables(3, 2))
    return _exceptions(gap & ~skewed)


@claim("000-theorem-2-proof-3", "appendix B, step 3", "(iii) ⇒ (i)")
def theorem_2_step_3() -> Outcome:
    """Classes skewed both ways make the gap positive."""
    _, gap, _, both = _conditions(grid_tables(3, 2))
    return _exceptions(both & ~gap)


def _exceptions(wrong: Cells) -> Outcome:
    return judged(not wrong.any(), f"{wrong.sum()} exceptions", f"{len(wrong):,} tables")


@claim("000-theorem-3", f"{SECTION}, theorem 3", "0.5; 0.5 − 1/(2n²)")
def theorem_3() -> Outcome:
    """The supremum of the gap is 1/2 for an even number of classes and 1/2 − 1/(2n²) for an odd
    one.
    """
    short = max(bound(k) - twins_gap(extremal(k, 10**7)) for k in range(2, 10))
    over = max(float(np.subtract(*twins(sample_tables(k))).max()) - bound(k) for k in (2, 3, 4))
    tried = sum(len(sample_tables(k)) for k in (2, 3, 4))
    return judged(
        over < 0 and short < 1e-5,
        f"approached to {short:.1g} for 2 to 9 classes, never reached",
        f"{tried:,} tables stay below it; the extremal tables with z = 10⁷ come that near",
    )


@claim("000-abstract", "abstract", "0.5")
def abstract() -> Outcome:
    """The two computations can differ by as much as 0.5."""
    largest, tried = twins_gap(extremal(2, 10**9)), "two classes, z = 10⁹: a supremum, no maximum"
    return judged(abs(largest - 0.5) < 1e-8, f"{largest:.9f}", tried)


@claim("000-lemma", f"{SECTION}, lemma", "equation 4")
def lemma() -> Outcome:
    """The gap Δ (delta) sums (P_x R_y − P_y R_x)²/((P_x+R_x)(P_y+R_y)) over pairs of classes."""
    stacks = [sample_tables(k) for k in (2, 3, 4)]
    sums = [pair_terms(counts(cells)).sum(axis=(-1, -2)) for cells in stacks]
    gaps = [np.subtract(*twins(cells)) for cells in stacks]
    return equal(np.concatenate(sums), np.concatenate(gaps), f"{sum(map(len, sums)):,} tables")


@claim(
    "000-lemma-not-monotone", f"{SECTION}, after the lemma", "not necessarily increase monotonously"
)
def not_monotone() -> Outcome:
    """The gap does not necessarily increase monotonously when |P − R| of single classes grows."""
    before = np.array([[1, 3, 0], [0, 1, 3], [0, 3, 3]])  # rows = true
    after = before + np.array([[0, 0, 0], [0, 0, 0], [0, 1, 0]])
    p, r, _ = per_class([before, after])
    apart = abs(p - r)
    one, two = exact("f1_gap", [before, after])
    return judged(
        bool((apart[1] >= apart[0] - 1e-12).all()) and two < one,
        f"gap {float(one):.4f} → {float(two):.4f}",
        f"{table_text(before)} → {table_text(after)} (rows = true): |P − R| of the classes goes "
        "from "
        + " to ".join(", ".join(f"{x:.3f}" for x in row) for row in apart)
        + f", and the gap from {one} to {two}",
    )


@claim("000-lemma-extreme", f"{SECTION}, after the lemma", "F1 → 0, F1′ ≈ 0.5")
def extreme() -> Outcome:
    """The gap is largest where classes have (P, R) → (1, 0) and others (0, 1): every F1 → 0 while
    both averages are about 0.5.
    """
    p, r, f = per_class(extremal(4, 10**6))
    a, b = twins(extremal(4, 10**6))
    return judged(
        f.max() < 1e-5 and abs(p.mean() - 0.5) < 1e-5 and abs(float(a) - 0.5) < 1e-5,
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
    _, group = np.unique(both, axis=0, return_inverse=True)
    a, b = (_spread(x, group.reshape(-1)) for x in twins(cells))
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


@claim("000-rare", "abstract", "only under rare circumstances", drawn=True)
def rare(seed: int) -> Outcome:
    """Only under rare circumstances the two computations can be considered equivalent."""
    small = {f"{k} classes, cells 0–{m}": grid_tables(k, m) for k, m in ((2, 3), (2, 12), (3, 2))}
    shares = {name: float((~_conditions(cells)[1]).mean()) for name, cells in small.items()}
    text = "; ".join(f"{name}: {100 * x:.2g} %" for name, x in shares.items())
    # one class alone has hits, or the errors of all classes with hits balance
    small_two, middle_two, two = (
        (2 * m * (m + 1) ** 2 + m**2 * (m + 1)) / ((m + 1) ** 4 - (m + 1) ** 2) for m in (3, 12, 99)
    )
    balanced = sum((100 - abs(s)) ** 3 for s in range(-99, 100)) / 100**6
    rng = np.random.default_rng(seed)
    cells = rng.integers(0, 100, (DRAWN, 3, 3))
    cells[:, 2, 2] = 0
    cells[:, [0, 1], [0, 1]] = rng.integers(1, 100, (DRAWN, 2))
    p, b = cells.sum(axis=2), cells.sum(axis=1)
    third = float((p[:, 0] * b[:, 1] == p[:, 1] * b[:, 0]).mean())
    three = (3 * 99 + 3 * 99**2 * third + 99**3 * balanced) / (100**3 - 1)
    return judged(
        max(two, three) < 0.05 and same([*shares.values()][:2], [small_two, middle_two]),
        f"{100 * two:.3f} % of tables of 2 classes with cells up to 99 have no gap, "
        f"{100 * three:.4f} % of 3 classes",
        "tables with a hit, counted by which classes have hits; the share of balance where two of "
        f"three have is from {DRAWN:,} draws, seed {seed}. {text}: rare, but for very small tests",
        remark=max(shares.values()) > 0.1,
    )


DRAWN = 1_000_000


@claim("000-negligible", "section 4", "negligible")
def negligible() -> Outcome:
    """When precision and recall do not differ much within classes, the difference of the two macro
    F1s is negligible.
    """
    over, tried, near = -1.0, 0, dict.fromkeys((0.01, 0.05, 0.1), 0.0)
    for k in (2, 3, 4):
        cells = np.concatenate([sample_tables(k), _mild(k)])
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
    return judged(
        abs(b[0] - b[1]) < 1e-12 < a[0] - a[1],
        f"F1′ {a[0]:.3f} and {a[1]:.4f}; F1 {b[0]:.4f} and {b[1]:.4f}",
        "as many errors, of one kind or of both",
    )


@claim("000-cross-terms", "section 1, after equation 3", "P_x R_y for all x, y")
def cross_terms() -> Outcome:
    """The F1 of averages multiplies every class's precision with every other class's recall."""
    cells = sample_tables(3)
    p, r, _ = per_class(cells)
    cross = divided(2 * (p[:, :, None] * r[:, None, :]).sum(axis=(1, 2)) / 3, (p + r).sum(axis=1))
    a, _ = twins(cells)
    return equal(cross, a, f"{len(cells):,} tables")


# Proofs in appendices A and C

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
    return equal([second, third, upper, last], [a - b] * 4, f"{len(p):,} tables")


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


@claim("000-appendix-c-realisable", f"{APPENDIX}, preliminaries", "not all q ∈ Q are realisable")
def realisable() -> Outcome:
    """Not all configurations of precisions and recalls are those of a confusion matrix."""
    cells = np.concatenate([grid_tables(3, 2), sample_tables(3)])
    p, r, _ = per_class(cells)
    return judged(
        bool(((p > 0) == (r > 0)).all()),
        "P_i = 1 with R_i = 0 is no table's: P_i > 0 needs a hit, and then R_i > 0",
        f"no class of {len(cells):,} tables of 3 classes has one of the two above 0 alone",
    )


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
    for smaller, larger, case in ((r, p, delta >= 0), (p, r, delta <= 0)):
        use = case & (smaller[:, 0] <= larger[:, 0])
        q, s = p[use].copy(), r[use].copy()
        (s if smaller is r else q)[:, 0] = 0
        least = min(least, float((gap(q, s) - gap(p[use], r[use])).min()))
    return judged(
        least > -1e-12,
        "it fell in none",
        f"4,000 random configurations, both cases; the smallest rise among them {least:.1g}",
    )


@claim("000-appendix-c-ones", f"{APPENDIX}, step (ii)", "Σ P_i R_j")
def set_to_one() -> Outcome:
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
    sum_x, sum_y, sigma = x.sum() + 1e-30j, y.sum(), x.sum() + y.sum()
    true = float(np.imag(sum_x * sum_y / (sum_x + sum_y)) / 1e-30)
    right, printed = (
        float((sum_y * sigma - products) / sigma**2)
        for products in (x.sum() * sum_y, 3 * (x[:3] * y).sum())
    )
    return judged(
        same(printed, true),
        "Σ_ij x_i y_j",
        f"slope {true:.6f}: {right:.6f} with Σx_iy_j, {printed:.6f} as printed",
        corrected=same(right, true),
    )


@claim("000-appendix-c-fill", f"{APPENDIX}, step (iii)", "2/n · r²/((r+s+1)(r+s))")
def fill() -> Outcome:
    """Setting P to 1 where both were 0 raises the gap by 2r²/(n(r+s+1)(r+s))."""
    changes, formula = [], []
    for r, s in product(range(1, 5), range(5)):
        p = np.array([[1.0] * s + [0.0] * (r + 1) + [x] for x in (0.0, 1.0)])
        before, after = gap(p, np.array([[0.0] * s + [1.0] * r + [0.0] * 2]))
        changes.append(after - before)
        formula.append(2 * r**2 / ((r + s + 2) * (r + s + 1) * (r + s)))
    return equal(changes, formula, f"{len(changes)} values of r and s")


@claim("000-appendix-c-maximum", f"{APPENDIX}, proof 2", "1/2; 1/2 (1 − 1/n²)")
def maximum() -> Outcome:
    """On the boundary the gap is 2rs/n², largest where r and s are as equal as can be."""
    holds = []
    for n in range(2, 12):
        r = np.arange(n + 1)
        p = np.tril(np.ones((n + 1, n)), -1)[::-1]
        holds.append(same(gap(p, 1 - p), 2 * r * (n - r) / n**2))
        holds.append(abs(gap(p, 1 - p).max() - bound(n)) < 1e-12)
    return judged(all(holds), "as printed", "2 to 11 classes, every r")


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
        "blocks (1 0; z 1) along the diagonal, as in the other rendering (004)",
        f"for 6 classes and z = 10⁶ the gap is {displayed:.4f} as displayed here, "
        f"{blocks:.4f} with the blocks: the text was damaged on its way here, it is no misprint",
        rendering=abs(blocks - 0.5) < 1e-4,
    )


@claim("004-appendix-c-even", f"{APPENDIX}, proof 3", "blocks (1 0; z 1)")
def even_blocks() -> Outcome:
    """A sequence of tables with an even number of classes approaches the supremum."""
    m, small = np.kron(np.eye(3, dtype=np.int64), [[1, 10**6], [0, 1]]), 1 / (1 + 10**6)
    largest, (p, r, _) = twins_gap(m), per_class(m)
    good = same(p[:2], [1, small]) and same(r[:2], [small, 1]) and abs(largest - 0.5) < 1e-4
    return judged(good, f"gap {largest:.6f}", "6 classes, z = 10⁶; P and R are as printed")


@claim("000-appendix-c-odd", f"{APPENDIX}, proof 3", "(…, 1, 1/(1+z), 1/(1+2z), 1, 1, 1/(1+z))")
def odd() -> Outcome:
    """A sequence of tables with an odd number of classes approaches the supremum."""
    z = 10**6
    m = np.eye(5, dtype=np.int64)
    m[1, 0] = m[3, 2] = m[3, 4] = z
    largest, (p, r, _) = twins_gap(m.T), per_class(m.T)
    pairs = np.stack([p, r], axis=1)[2:].reshape(-1)
    expected = [1, 1 / (1 + z), 1 / (1 + 2 * z), 1, 1, 1 / (1 + z)]
    good = same(pairs, expected) and abs(largest - bound(5)) < 1e-4
    return judged(good, f"gap {largest:.6f} of {bound(5):.6f}", "5 classes, z = 10⁶")


@claim("000-sharper-bound", f"{SECTION}, theorem 3", "not in the paper: ours")
def sharper_bound() -> Outcome:
    """The gap is at most half the mean of |P − R| over classes, and so small where precision and
    recall of every class are near each other.
    """
    stacks = [sample_tables(k) for k in (2, 3, 4)] + [grid_tables(3, 2)]
    room = []
    for cells in stacks:
        p, r, _ = per_class(cells)
        room.append(abs(p - r).mean(axis=-1) / 2 - np.subtract(*twins(cells)))
    p, r, _ = per_class(extremal(4, 10**6))
    reached = twins_gap(extremal(4, 10**6)) / float(abs(p - r).mean() / 2)
    return judged(
        min(float(x.min()) for x in room) > -1e-14,
        f"holds on {sum(map(len, room)):,} tables; the extremal one of 4 classes comes to "
        f"{100 * reached:.2f} % of it",
        "with A = (P + R)/2 and d = P − R a class's F1 is A − d²/(4A), at least A − |d|/2 because "
        "A ≥ |d|/2. The mean of F1 is thus at least Ā − mean|d|/2, and the F1 of averages, a "
        "harmonic mean of P̄ and R̄, is at most Ā",
    )

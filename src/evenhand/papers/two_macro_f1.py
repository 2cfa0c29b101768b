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

from evenhand.core.metrics.macro import bound, extremal, pair_terms
from evenhand.core.ratio import ratio
from evenhand.papers.claims import (
    CLOSE,
    WORKED,
    Cells,
    Floats,
    Outcome,
    counts,
    equal,
    exact,
    gap,
    grid_tables,
    harmonic,
    judged,
    per_class,
    read_by_eye,
    same,
    sample_tables,
    table_text,
    twins,
    twins_gap,
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


def _twins_of(table: Any, form: str, printed: str, fractions: str) -> Outcome:
    a, b = twins(table)
    *_, each = per_class(np.array(table))
    return judged(form.format(a, b, *each) == printed, f"F1′ {a:.6f}, F1 {b:.6f}", fractions)


def claim_000_table_1(printed: str) -> Outcome:
    """Both macro F1s of a small table.

    Where: table 1
    Printed: F1′ 0.5, F1 0.49
    """
    return _twins_of(TABLE_1, "F1′ {:.1f}, F1 {:.2f}", printed, "1/2, 17/35")


def claim_000_table_2_mean(printed: str) -> Outcome:
    """Both macro F1s of a biased classifier.

    Where: table 2
    Printed: F1 0.48
    """
    return _twins_of(TABLE_2, "F1 {1:.2f}", printed, "231/416, 23/48")


def claim_000_table_3(printed: str) -> Outcome:
    """Both macro F1s of errors of one kind.

    Where: table 3
    Printed: F1′ 0.505, F1 0.0196, classes' F1 0.0196, 0.0196
    """
    form = "F1′ {:.3f}, F1 {:.4f}, classes' F1 {:.4f}, {:.4f}"
    return _twins_of(TABLE_3, form, printed, "51/101, 1/51; classes' F1 1/51")


def claim_000_table_4(printed: str) -> Outcome:
    """Both macro F1s of as many errors of both kinds.

    Where: table 4
    Printed: F1′ 0.0196, F1 0.0196
    """
    return _twins_of(TABLE_4, "F1′ {:.4f}, F1 {:.4f}", printed, "both 1/51")


def claim_000_table_2() -> Outcome:
    """The F1 of averages of a biased classifier.

    Where: table 2
    Printed: F1′ 0.55

    F1′ {a:.4f}, so 0.56

    231/416: cut off, not rounded

    Correct: F1′ = 231/416 = 0.5553, so 0.56
    """
    a, _ = twins(TABLE_2)
    return judged(f"{a:.2f}" == "0.55", corrected=f"{a:.2f}" == "0.56", a=a)


def claim_000_tables_1_2() -> Outcome:
    """A bias towards one class raises the F1 of averages and lowers the mean of F1.

    Where: section 3
    Printed: improves one, impairs the other

    F1′ {a:.4f} → {c:.4f}, F1 {b:.4f} → {d:.4f}

    tables 1 and 2
    """
    (a, b), (c, d) = twins(TABLE_1), twins(TABLE_2)
    return judged(c > a and d < b, a=a, b=b, c=c, d=d)


def claim_000_program_1() -> Outcome:
    """What the program prints for [[100, 10000], [0, 100]].

    Where: appendix D, the program mf1
    Printed: 0.504950495049505, 1.96078431372549e-2, 0.48534265191225007 twice

    {shown}

    the listing's operations in its order; our formulas differ by {off:.1g} at most
    """
    gap = "0.48534265191225007"
    return _program(TABLE_3, "0.504950495049505", "1.96078431372549e-2", gap, gap)


def claim_000_program_2() -> Outcome:
    """What the program prints for [[100, 5000], [5000, 100]].

    Where: appendix D, the program mf1
    Printed: 1.96078431372549e-2 twice, 0.0 twice

    {shown}

    the listing's operations in its order; our formulas differ by {off:.1g} at most
    """
    return _program(TABLE_4, "1.96078431372549e-2", "1.96078431372549e-2", "0.0", "0.0")


def _program(table: Any, *printed: str) -> Outcome:
    output = program_values(np.transpose(table).tolist())
    shown = tuple(map(digits, output.values()))
    a, b = twins(table)
    off = worst((a, b, a - b, pair_terms(counts(table)).sum()), tuple(output.values()))
    return judged(shown == printed and off < 1e-15, shown=", ".join(shown), off=off)


def claim_000_appendix_e_names() -> Outcome:
    """The listing is a Haskell program.

    Where: appendix E
    Printed: P_x = …, R_x = …

    p_x = …, r_x = …

    in Haskell a variable begins with a small letter, a capital makes a constructor: as listed it
    does not compile
    """
    return read_by_eye("misprint")


def claim_000_appendix_e_undefined() -> Outcome:
    """The listing computes the scores of equation 1, which are 0 where a denominator is 0.

    Where: appendix E
    Printed: prec, rec and harMean divide

    {shown}

    for the majority vote [[3, 1], [0, 0]] (rows = predicted), whose two macro F1s are {a:.4f} and
    {b:.4f} by equation 1: the listing divides 0 by 0

    Correct: a/b = 0 where b = 0, as equation 1 has it
    """
    vote = [[3, 0], [1, 0]]  # rows = true
    a, b = twins(vote)
    shown = ", ".join(map(digits, program_values(np.transpose(vote).tolist()).values()))
    return judged("NaN" not in shown, shown=shown, a=a, b=b)


def claim_000_appendix_e_lemma() -> Outcome:
    """The listing's sum over unordered pairs with a factor 2 is the lemma's over ordered ones.

    Where: appendix E
    Printed: 2 · (P_x R_y − P_y R_x)²
    """
    half = 2 * float(np.triu(pair_terms(counts(WORKED)), 1).sum())
    a, b = twins(WORKED)
    return judged(abs(half - (a - b)) < 1e-15, f"{half:.12f}", table_text(WORKED))


# Definitions, theorems and lemma


def claim_000_eq_1(cells: Cells) -> Outcome:
    """Precision, recall and F1 of a class, each 0 where its denominator is 0.

    Where: equation 1
    Printed: F1 = 2PR/(P + R)
    """
    p, r, f = per_class(cells)
    off = f"{len(f):,} tables of 3 classes, largest difference {worst(harmonic(p, r), f):.1g}"
    return judged(same(harmonic(p, r), f), "2PR/(P + R) = 2·correct/(bias + prevalence)", off)


def claim_000_theorem_1() -> Outcome:
    """The F1 of averages is never below the averaged F1, the mean of F1.

    Where: section 2, theorem 1
    Printed: F1′ ≥ F1

    smallest gap {least:.1g}

    {tables:,} tables of 2 to 4 classes
    """
    stacks = (grid_tables(2, 5), grid_tables(3, 2), sample_tables(4))
    least = min(float(np.subtract(*twins(cells)).min()) for cells in stacks)
    return judged(least > -1e-14, least=max(least, 0.0), tables=sum(map(len, stacks)))


def claim_000_theorem_2() -> Outcome:
    """The gap is positive exactly when some class has P ≠ R, exactly when some classes are skewed
    one way and others the other way.

    Where: section 2, theorem 2, and appendix B, step 2
    Printed: for every table

    broken by {broken:,} of {tables:,} tables; 'two classes with hits differ in prevalence/bias' by
    {repaired}

    all 3 × 3 tables with cells 0–2 and a hit; of the {every:,} in which every class has one,
    {exceptions} break it. [[0, 0, 1], [0, 1, 0], [2, 0, 1]] (rows = predicted), with all classes
    true and predicted, has a gap of {gaps[0]} without skew both ways; the majority vote [[3, 1],
    [0, 0]] has P = {p:g}, R = {r:g} and a gap of {gaps[1]}. The proof slips in step 2: P > R ⇔ bias
    < prevalence only for classes with hits

    Correct: gap > 0 ⇔ two classes with hits differ in prevalence/bias; as printed where every
    class has a hit
    """
    cells, gap, skewed, both = _conditions(grid_tables(3, 2))
    broken = (gap != skewed) | (skewed != both)
    three, vote = np.array([[0, 0, 2], [0, 1, 0], [1, 0, 1]]), np.array([[3, 0], [1, 0]])
    _, (unskewed,), _, (ways,) = _conditions(three[None])
    (p, *_), (r, *_), _ = per_class(vote)
    gaps = [exact("f1_gap", m)[0] for m in (three, vote)]
    every = np.diagonal(cells, axis1=1, axis2=2).all(axis=1)
    masks = {"broken": broken, "every": every, "exceptions": broken & every}
    c = counts(cells)
    with np.errstate(all="ignore"):
        ratio = np.where(c.correct > 0, c.prevalence / c.bias, np.nan)
    masks["repaired"] = gap != (np.nanmax(ratio, axis=-1) > np.nanmin(ratio, axis=-1))
    sums = {name: mask.sum() for name, mask in masks.items()}
    holds = not broken.any() and not (unskewed and not ways)
    return judged(holds, tables=len(cells), gaps=gaps, p=p, r=r, **sums)


def _conditions(cells: Cells) -> tuple[Cells, ...]:
    """Tables with a hit; which have a gap, a class with P ≠ R, and classes skewed both ways."""
    cells = cells[np.diagonal(cells, axis1=1, axis2=2).sum(axis=1) > 0]
    a, b = twins(cells)
    p, r, _ = per_class(cells)
    more, less = (p > r + 1e-12).any(axis=-1), (p < r - 1e-12).any(axis=-1)
    return cells, a - b > 1e-12, np.asarray(more | less), np.asarray(more & less)


def claim_000_theorem_2_proof_1() -> Outcome:
    """A positive gap needs a class with P ≠ R.

    Where: appendix B, step 1
    Printed: (i) ⇒ (ii)
    """
    _, gap, skewed, _ = _conditions(grid_tables(3, 2))
    return _exceptions(gap & ~skewed)


def claim_000_theorem_2_proof_3() -> Outcome:
    """Classes skewed both ways make the gap positive.

    Where: appendix B, step 3
    Printed: (iii) ⇒ (i)
    """
    _, gap, _, both = _conditions(grid_tables(3, 2))
    return _exceptions(both & ~gap)


def _exceptions(wrong: Cells) -> Outcome:
    return judged(not wrong.any(), f"{wrong.sum()} exceptions", f"{len(wrong):,} tables")


def claim_000_theorem_3() -> Outcome:
    """The supremum of the gap is 1/2 for an even number of classes and 1/2 − 1/(2n²) for an odd
    one.

    Where: section 2, theorem 3
    Printed: 0.5; 0.5 − 1/(2n²)

    approached to {short:.1g} for 2 to 9 classes, never reached

    {tried:,} tables stay below it; the extremal tables with z = 10⁷ come that near
    """
    short = max(bound(k) - twins_gap(extremal(k, 10**7)) for k in range(2, 10))
    over = max(float(np.subtract(*twins(sample_tables(k))).max()) - bound(k) for k in (2, 3, 4))
    tried = sum(len(sample_tables(k)) for k in (2, 3, 4))
    return judged(over < 0 and short < 1e-5, short=short, tried=tried)


def claim_000_abstract() -> Outcome:
    """The two computations can differ by as much as 0.5.

    Where: abstract
    Printed: 0.5
    """
    largest, tried = twins_gap(extremal(2, 10**9)), "two classes, z = 10⁹: a supremum, no maximum"
    return judged(abs(largest - 0.5) < 1e-8, f"{largest:.9f}", tried)


def claim_000_lemma() -> Outcome:
    """The gap Δ (delta) sums (P_x R_y − P_y R_x)²/((P_x+R_x)(P_y+R_y)) over pairs of classes.

    Where: section 2, lemma
    Printed: equation 4
    """
    stacks = [sample_tables(k) for k in (2, 3, 4)]
    sums = [pair_terms(counts(cells)).sum(axis=(-1, -2)) for cells in stacks]
    gaps = [np.subtract(*twins(cells)) for cells in stacks]
    return equal(np.concatenate(sums), np.concatenate(gaps))


def claim_000_lemma_large() -> Outcome:
    """The gap is large when there are many classes with |P − R| far above 0.

    Where: section 2, after the lemma
    Printed: large when there are many classes with |P − R| ≫ 0

    mean gap {means} with 0, 1, 2 and 3 classes of 4 whose |P − R| is above 0.3

    {tables:,} tables of 4 classes
    """
    p, r, _ = per_class(sample_tables(4))
    far, gaps = (abs(p - r) > 0.3).sum(axis=1), np.subtract(*twins(sample_tables(4)))
    means = [float(gaps[far == n].mean()) for n in range(4)]
    words = ", ".join(f"{x:.4f}" for x in means)
    return judged(means == sorted(means) and means[-1] > 0.1, means=words, tables=len(gaps))


def claim_000_lemma_not_monotone() -> Outcome:
    """The gap does not necessarily increase monotonously when |P − R| of single classes grows.

    Where: section 2, after the lemma
    Printed: not necessarily increase monotonously

    gap {gaps[0]:.4f} → {gaps[1]:.4f}

    {both[0]} → {both[1]} (rows = true): |P − R| of the classes goes from {before[0]:.3f},
    {before[1]:.3f}, {before[2]:.3f} to {after[0]:.3f}, {after[1]:.3f}, {after[2]:.3f}, and the gap
    from {fractions[0]} to {fractions[1]}
    """
    both = [[1, 3, 0], [0, 1, 3], [0, 3, 3]], [[1, 3, 0], [0, 1, 3], [0, 4, 3]]  # rows = true
    p, r, _ = per_class(both)
    before, after = abs(p - r)
    fractions = exact("f1_gap", both)
    gaps = [*map(float, fractions)]
    facts: dict[str, Any] = {"both": both, "before": before, "after": after, "fractions": fractions}
    return judged((after >= before - 1e-12).all() and gaps[1] < gaps[0], gaps=gaps, **facts)


def claim_000_lemma_extreme() -> Outcome:
    """The gap is largest where classes have (P, R) → (1, 0) and others (0, 1): every F1 → 0 while
    both averages are about 0.5.

    Where: section 2, after the lemma
    Printed: F1 → 0, F1′ ≈ 0.5

    F1 {b:.1g}, P̄ {p:.4f}, R̄ {r:.4f}, F1′ {a:.4f}

    the extremal table of 4 classes with z = 10⁶
    """
    p, r, f = per_class(extremal(4, 10**6))
    a, b = twins(extremal(4, 10**6))
    good = f.max() < 1e-5 and abs(p.mean() - 0.5) < 1e-5 and abs(a - 0.5) < 1e-5
    return judged(good, p=p.mean(), r=r.mean(), a=a, b=b)


def claim_000_insensitive() -> Outcome:
    """The F1 of averages is insensitive to which classes have the precision and which the recall,
    the mean of F1 is not.

    Where: section 2, end
    Printed: insensitive to which classes have which

    it differs by {a:.1g} at most, the mean of F1 by up to {b:.2f}

    {tables:,} tables of 3 classes in {groups:,} groups that have the same three precisions and the
    same three recalls, given to other classes; the mean of F1 differs within {differing:,} of them
    """
    cells = grid_tables(3, 2)
    p, r, _ = per_class(cells)
    both = np.round(np.concatenate([np.sort(p), np.sort(r)], axis=1), 9)
    _, group, sizes = np.unique(both, axis=0, return_inverse=True, return_counts=True)
    groups = np.split(np.argsort(group.reshape(-1)), np.cumsum(sizes)[:-1])
    a, b = (np.array([np.ptp(x[same]) for same in groups]) for x in twins(cells))
    largest, differing = {"a": a.max(), "b": b.max()}, (b > 1e-12).sum()
    good = largest["a"] < 1e-12 < largest["b"]
    return judged(good, tables=len(cells), groups=len(sizes), differing=differing, **largest)


def claim_000_rare(seed: int) -> Outcome:
    """Only under rare circumstances the two computations can be considered equivalent.

    Where: abstract
    Printed: only under rare circumstances

    {two:.3f} % of tables of 2 classes with cells up to 99 have no gap, {three:.4f} % of 3 classes

    tables with a hit, counted by which classes have hits; the share of balance where two of three
    have is from {draws:,} draws, seed {seed}. {small}: rare, but for very small tests
    """
    small = {f"{k} classes, cells 0–{m}": grid_tables(k, m) for k, m in ((2, 3), (2, 12), (3, 2))}
    shares = {name: float((~_conditions(cells)[1]).mean()) for name, cells in small.items()}
    # one class alone has hits, or the errors of all classes with hits balance
    *of_two, two = (
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
    words = "; ".join(f"{name}: {100 * x:.2g} %" for name, x in shares.items())
    good = max(two, three) < 0.05 and same([*shares.values()][:2], of_two)
    facts: dict[str, Any] = {"two": 100 * two, "three": 100 * three, "draws": DRAWN}
    return judged(good, remark=max(shares.values()) > 0.1, seed=seed, small=words, **facts)


DRAWN = 1_000_000


def claim_000_negligible() -> Outcome:
    """When precision and recall do not differ much within classes, the difference of the two macro
    F1s is negligible.

    Where: section 4
    Printed: negligible

    the gap is at most half the largest |P − R| of a class

    {tried:,} tables of 2 to 4 classes; the largest gap where no |P − R| is above d: {near}
    """
    each = []
    for k in (2, 3, 4):
        rng = np.random.default_rng(k)  # classifiers that are mostly right, so that P is near R
        mild = rng.integers(0, 20, (2000, k, k)) + np.diag(rng.integers(50, 100, k))
        cells = np.concatenate([sample_tables(k), mild])
        p, r, _ = per_class(cells)
        each.append([abs(p - r).max(axis=1), np.subtract(*twins(cells))])
    d, g = np.concatenate(each, axis=1)
    near = ", ".join(f"{g[d <= x].max():.2g} (d = {x:g})" for x in (0.01, 0.05, 0.1))
    return judged((g - d / 2).max() < 1e-12, tried=len(g), near=near)


def claim_000_table_5() -> Outcome:
    """The F1 of averages is very sensitive to the kind of errors, the mean of F1 is not.

    Where: table 5 (caption)
    Printed: 0.505 and 0.0196; 0.0196 and 0.0196

    F1′ {a[0]:.3f} and {a[1]:.4f}; F1 {b[0]:.4f} and {b[1]:.4f}

    as many errors, of one kind or of both
    """
    a, b = twins([TABLE_3, TABLE_4])
    return judged(abs(b[0] - b[1]) < 1e-12 < a[0] - a[1], a=a, b=b)


def claim_000_cross_terms(cells: Cells) -> Outcome:
    """The F1 of averages multiplies every class's precision with every other class's recall.

    Where: section 1, after equation 3
    Printed: P_x R_y for all x, y
    """
    p, r, _ = per_class(cells)
    cross = ratio(2 * (p[:, :, None] * r[:, None, :]).sum(axis=(1, 2)) / 3, (p + r).sum(axis=1))
    return equal(cross, twins(cells)[0])


# Proofs in appendices A and C


def _configurations(size: int = 500) -> tuple[Floats, Floats]:
    rng = np.random.default_rng(3)
    return rng.random((size, 4)) * 0.98 + 0.01, rng.random((size, 4)) * 0.98 + 0.01


def _delta(p: Floats, r: Floats) -> Floats:
    return np.asarray((r - p)[:, 1:].sum(axis=1))


def claim_000_appendix_a(proper: Cells) -> Outcome:
    """Each line of the lemma's proof equals the next.

    Where: appendix A
    Printed: seven lines
    """
    p, r, _ = per_class(proper)
    keep = (p > 0).all(axis=1)
    p, r = p[keep], r[keep]
    n, both = p.shape[1], p + r
    a, b = twins(proper[keep])  # the first line
    cross, own = p[:, :, None] * r[:, None, :], (p * r)[:, :, None] * both[:, None, :]
    x, y = both[:, :, None], both[:, None, :]
    term = (cross * x - own) / x  # zero for x = y
    skew = (cross - np.swapaxes(cross, 1, 2)) ** 2 / (x * y)
    pairs, squares = (np.triu(z, 1) for z in (term + np.swapaxes(term, 1, 2), skew))
    halves = (cross - own / x, term, pairs, squares, skew / 2)  # lines 2 and 3, 4, 5, 6, 7
    sums = [2 * z.sum(axis=(1, 2)) / (n * both.sum(axis=1)) for z in halves]
    return equal(sums, [a - b] * len(sums))


def claim_004_appendix_a() -> Outcome:
    """The first fraction has n·ΣP_x + R_x below the line, without brackets.

    Where: appendix A, second line
    Printed: 2/(n Σ_x P_x + R_x)

    2/(n Σ_x (P_x + R_x)), as the other rendering (000) has it

    500 configurations: off by up to {bare:.2g} without the brackets, {right:.1g} with them

    Correct: 2/(n Σ_x (P_x + R_x))
    """
    p, r = _configurations()
    n, both = p.shape[1], (p + r).sum(axis=1)
    cross, own = p.sum(axis=1) * r.sum(axis=1), (p * r / (p + r)).sum(axis=1) * both
    bare, right = (
        worst(2 / below * cross - 2 / (n * both) * own, gap(p, r))
        for below in (n * p.sum(axis=1) + r[:, -1], n * both)
    )
    return judged(bare < CLOSE, rendering=right < CLOSE, bare=bare, right=right)


def claim_000_appendix_c_gamma() -> Outcome:
    """The gap is (β + γ)/(n(α + P + R)), with γ the sum over the other classes.

    Where: appendix C, preliminaries
    Printed: γ without its factor 2

    the factor 2 belongs to γ

    500 configurations: off by up to {bare:.2g} without it, {full:.1g} with it; equation 8 has γ
    with it (where its brace begins, the other rendering does not show)

    Correct: γ_i = 2 Σ (P_i R_x − P_x R_i)²/((P_i + R_i)(P_x + R_x)), over x ≠ i
    """
    p, r = _configurations()
    square = (p[:, :, None] * r[:, None, :] - r[:, :, None] * p[:, None, :]) ** 2
    terms = ratio(square, (p + r)[:, :, None] * (p + r)[:, None, :])
    beta, bare_gamma = terms[:, 1:, 1:].sum(axis=(1, 2)), terms[:, 0, 1:].sum(axis=1)
    below = p.shape[1] * (p + r).sum(axis=1)  # n(α + P + R)
    bare, full = (worst((beta + x * bare_gamma) / below, gap(p, r)) for x in (1, 2))
    return judged(bare < CLOSE, corrected=full < CLOSE, bare=bare, full=full)


def claim_000_appendix_c_boundary() -> Outcome:
    """The boundary set has one of (0, 1), (1, 0) for each class.

    Where: appendix C, preliminaries
    Printed: {(0, 1), (1, 0)}^(2 × n)

    Correct: Q* = {(0, 1), (1, 0)}ⁿ
    """
    return read_by_eye("misprint", "exponent n", "2n pairs are 4n numbers, a configuration has 2n")


def claim_000_appendix_c_realisable() -> Outcome:
    """Not all configurations of precisions and recalls are those of a confusion matrix.

    Where: appendix C, preliminaries
    Printed: not all q ∈ Q are realisable

    P_i = 1 with R_i = 0 is no table's: P_i > 0 needs a hit, and then R_i > 0

    no class of {tables:,} tables of 3 classes has one of the two above 0 alone
    """
    cells = np.concatenate([grid_tables(3, 2), sample_tables(3)])
    p, r, _ = per_class(cells)
    return judged(((p > 0) == (r > 0)).all(), tables=len(cells))


def claim_000_appendix_c_steps() -> Outcome:
    """The boundary point is constructed in two steps.

    Where: appendix C, proof 1
    Printed: two steps

    Correct: in three steps: (i), (ii), (iii)
    """
    return read_by_eye("misprint", "three steps", "(i), (ii) and (iii) follow")


def claim_000_eq_6() -> Outcome:
    """Swapping P and R of a class changes the gap by a product of its skew and the others'.

    Where: equation 6
    Printed: equation 6
    """
    p, r = _configurations()
    q, s = (np.c_[b[:, :1], a[:, 1:]] for a, b in ((p, r), (r, p)))
    total = p.shape[1] * (p + r).sum(axis=1)
    formula = 2 / total * (r[:, 0] - p[:, 0]) * _delta(p, r)
    return equal(gap(q, s) - gap(p, r), formula, "500 configurations")


def claim_000_eq_7_8() -> Outcome:
    """After the swap, setting the smaller of P and R to 0 never lowers the gap.

    Where: equations 7 and 8
    Printed: ≥ 0

    it fell in none

    4,000 random configurations, both cases; the smallest rise among them {least:.1g}
    """
    p, r = _configurations(size=4000)
    rises, others = [], np.arange(p.shape[1]) > 0
    for small, large, sign in ((r, p, 1), (p, r, -1)):  # the gap does not tell P from R
        use = (sign * _delta(p, r) >= 0) & (small[:, 0] <= large[:, 0])
        rises.append(gap(large[use], small[use] * others) - gap(large[use], small[use]))
    least = float(np.concatenate(rises).min())
    return judged(least > -1e-12, least=least)


def claim_000_appendix_c_ones() -> Outcome:
    """Where each class has P = 0 or R = 0 the gap is 2ΣP_iR_j/(nΣ(P+R)), and setting what is not 0
    to 1 never lowers it.

    Where: appendix C, step (ii)
    Printed: Σ P_i R_j

    largest difference {off:.1g}

    2,000 configurations
    """
    p, r = _configurations(size=2000)
    side = np.random.default_rng(1).random(p.shape) < 0.5
    p, r = np.where(side, p, 0), np.where(side, 0, r)
    formula = 2 * p.sum(1) * r.sum(1) / (p.shape[1] * (p + r).sum(1))
    full = gap(*(np.where(x > 0, 1.0, 0.0) for x in (p, r)))
    good = same(formula, gap(p, r)) and (full - gap(p, r)).min() > -1e-12
    return judged(good, off=worst(formula, gap(p, r)))


def claim_000_appendix_c_derivative() -> Outcome:
    """The derivative in x_i of Σx_iy_j/(Σx + Σy) has Σ x_i y_i in its numerator.

    Where: appendix C, step (ii)
    Printed: Σ_ij x_i y_i

    Σ_ij x_i y_j

    slope {true:.6f}: {right:.6f} with Σx_iy_j, {printed:.6f} as printed

    Correct: ((Σ_j y_j)S − Σ_ij x_i y_j)/S² > 0 with S = Σ_i x_i + Σ_j y_j
    """
    rng = np.random.default_rng(2)
    x, y = rng.random(4) + 0.1, rng.random(3) + 0.1
    a, b = x.sum(), y.sum()
    true = float(np.imag((a + 1e-30j) * b / (a + 1e-30j + b)) / 1e-30)
    products = {"right": a * b, "printed": 3 * (x[:3] * y).sum()}
    slopes = {name: (b * (a + b) - xy) / (a + b) ** 2 for name, xy in products.items()}
    holds, corrected = (same(slopes[name], true) for name in ("printed", "right"))
    return judged(holds, corrected=corrected, true=true, **slopes)


def claim_000_appendix_c_fill() -> Outcome:
    """Setting P to 1 where both were 0 raises the gap by 2r²/(n(r+s+1)(r+s)).

    Where: appendix C, step (iii)
    Printed: 2/n · r²/((r+s+1)(r+s))
    """
    sizes, changes = list(product(range(1, 5), range(5))), []
    for r, s in sizes:
        p = np.array([[1.0] * s + [0.0] * (r + 1) + [x] for x in (0.0, 1.0)])
        changes.append(np.diff(gap(p, np.array([[0.0] * s + [1.0] * r + [0.0] * 2])))[0])
    formula = [2 * r**2 / ((r + s + 2) * (r + s + 1) * (r + s)) for r, s in sizes]
    return equal(changes, formula, f"{len(changes)} values of r and s")


def claim_000_appendix_c_maximum() -> Outcome:
    """On the boundary the gap is 2rs/n², largest where r and s are as equal as can be.

    Where: appendix C, proof 2
    Printed: 1/2; 1/2 (1 − 1/n²)
    """
    holds = []
    for n in range(2, 12):
        r, p = np.arange(n + 1), np.tril(np.ones((n + 1, n)), -1)[::-1]
        gaps = gap(p, 1 - p)
        holds += [same(gaps, 2 * r * (n - r) / n**2), abs(gaps.max() - bound(n)) < 1e-12]
    return judged(all(holds), "as printed", "2 to 11 classes, every r")


def claim_000_appendix_c_even() -> Outcome:
    """A sequence of tables with an even number of classes approaches the supremum.

    Where: appendix C, proof 3
    Printed: the even table: z on both sides of the diagonal at its end

    blocks (1 0; z 1) along the diagonal, as in the other rendering (004)

    for 6 classes and z = 10⁶ the gap is {displayed:.4f} as displayed here, {blocks:.4f} with the
    blocks: the text was damaged on its way here, it is no misprint

    Correct: blocks (1 0; z 1) along the diagonal, 0 elsewhere
    """
    printed = np.eye(6, dtype=np.int64)  # rows = predicted, as the display shows it
    printed[1, 0] = printed[3, 4] = printed[4, 3] = 10**6
    displayed, blocks = twins_gap(printed.T), twins_gap(extremal(6, 10**6))
    near, repaired = (abs(x - 0.5) < 1e-4 for x in (displayed, blocks))
    return judged(near, rendering=repaired, displayed=displayed, blocks=blocks)


def claim_004_appendix_c_even() -> Outcome:
    """A sequence of tables with an even number of classes approaches the supremum.

    Where: appendix C, proof 3
    Printed: blocks (1 0; z 1)
    """
    m, small = np.kron(np.eye(3, dtype=np.int64), [[1, 10**6], [0, 1]]), 1 / (1 + 10**6)
    largest, (p, r, _) = twins_gap(m), per_class(m)
    good = same(p[:2], [1, small]) and same(r[:2], [small, 1]) and abs(largest - 0.5) < 1e-4
    return judged(good, f"gap {largest:.6f}", "6 classes, z = 10⁶; P and R are as printed")


def claim_000_appendix_c_odd() -> Outcome:
    """A sequence of tables with an odd number of classes approaches the supremum.

    Where: appendix C, proof 3
    Printed: (…, 1, 1/(1+z), 1/(1+2z), 1, 1, 1/(1+z))
    """
    z = 10**6
    m = np.eye(5, dtype=np.int64)
    m[1, 0] = m[3, 2] = m[3, 4] = z
    largest, (p, r, _) = twins_gap(m.T), per_class(m.T)
    pairs = np.stack([p, r], axis=1)[2:].reshape(-1)
    expected = [1, 1 / (1 + z), 1 / (1 + 2 * z), 1, 1, 1 / (1 + z)]
    good = same(pairs, expected) and abs(largest - bound(5)) < 1e-4
    return judged(good, f"gap {largest:.6f} of {bound(5):.6f}", "5 classes, z = 10⁶")


def claim_000_sharper_bound() -> Outcome:
    """The gap is at most half the mean of |P − R| over classes, and so small where precision and
    recall of every class are near each other.

    Where: section 2, theorem 3
    Printed: not in the paper: ours

    holds on {tables:,} tables; the extremal one of 4 classes comes to {percent:.4f} % of it

    with A = (P + R)/2 and d = P − R a class's F1 is A − d²/(4A), at least A − |d|/2 because
    A ≥ |d|/2. The mean of F1 is thus at least Ā − mean|d|/2, and the F1 of averages, a harmonic
    mean of P̄ and R̄, is at most Ā
    """
    room = []
    for cells in (*map(sample_tables, (2, 3, 4)), grid_tables(3, 2)):
        p, r, _ = per_class(cells)
        room.append(abs(p - r).mean(axis=-1) / 2 - np.subtract(*twins(cells)))
    p, r, _ = per_class(extremal(4, 10**6))
    reached = twins_gap(extremal(4, 10**6)) / float(abs(p - r).mean() / 2)
    percent = math.floor(10**6 * reached) / 10**4  # not rounded up to what is not reached
    least, tables = min(float(x.min()) for x in room), sum(map(len, room))
    return judged(least > -1e-14, tables=tables, percent=percent)

"""Claims of Opitz (2022): definitions, chance, and the shared task."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from importlib.resources import files
from itertools import product

import numpy as np

from evenhand.auditing.bounds import BiasBoxes, fit_totals
from evenhand.auditing.facts import Assumptions, ClassFacts, TableFacts, narrow_class
from evenhand.auditing.ranges import Range, total
from evenhand.core.margins import Counts, factors
from evenhand.core.metrics.accuracy import accuracy, micro_f1, micro_precision, micro_recall
from evenhand.core.metrics.agreement import kappa, mcc
from evenhand.core.metrics.macro import (
    f1_of_averages,
    geometric_macro_recall,
    harmonic_macro_recall,
    macro_f1,
    macro_precision,
    macro_recall,
)
from evenhand.core.metrics.per_class import bookmaker_gain
from evenhand.core.ratio import ratio
from evenhand.data.confusion import Confusion
from evenhand.papers.claims import (
    CLOSE,
    WORKED,
    Cells,
    Outcome,
    TransposedTables,
    compared,
    equal,
    exact,
    harmonic,
    judged,
    open_within,
    per_class,
    read_by_eye,
    same,
    scores,
    spearman,
    table_text,
    with_recalls,
    worst,
)
from evenhand.ranking.ranks import average_ranks

TABLE_2 = np.array([[15, 10], [5, 10]])  # rows = true; the document prints the transpose
TABLE_4 = np.array([[15, 10], [10, 20]])


def calibrated(cells: Cells) -> Cells:
    """Tables with all classes equally frequent."""
    return np.asarray(cells * factors(cells.sum(axis=-1))[..., None])


def claim_003_table_3_4() -> Outcome:
    """Scaling the column of class b by 2 gives table 4.

    Where: tables 2 to 4
    Printed: λ = (1, 2)

    {table} (rows = true)

    b occurs {occurs[0]} and {occurs[1]} times, as the captions say
    """
    m = TABLE_2 * np.array([1, 2])[:, None]
    occurs = TABLE_2.sum(axis=1)[1], m.sum(axis=1)[1]
    return judged((m == TABLE_4).all() and occurs == (15, 30), table=table_text(m), occurs=occurs)


def claim_003_eq_6(proper: Cells) -> Outcome:
    """A scaling matrix λ (lambda) with λ_ii = 1/(n·prevalence(i)) gives all classes equal
    prevalence without changing the proportions of intra-class error types.

    Where: equation 6, prevalence calibration
    Printed: λ_ii = 1/(n·prevalence(i))

    every prevalence is 1/3 to {shares:.1g}, proportions change by {proportions:.1g} at most

    {tables:,} tables in which every class is true; metric@uniform scores the same tables, to
    {ours:.1g}
    """
    scaled = proper / (3 * proper.sum(axis=2, keepdims=True))
    kinds = (x / x.sum(axis=2, keepdims=True) for x in (proper, scaled))
    shares, proportions = worst(scaled.sum(axis=2), 1 / 3), worst(*kinds)
    ours, tables = worst(scaled, calibrated(proper)), len(proper)
    good = max(shares, proportions, ours) < 1e-12
    return judged(good, shares=shares, proportions=proportions, ours=ours, tables=tables)


def claim_003_footnote_1() -> Outcome:
    """For predicted probability distributions a table may be set by summing them into the column of
    the true class.

    Where: footnote 1
    Printed: m_ij = Σ [s_2 = j]·f(s_1)_i

    the table that drawing each prediction gives on average, to {off:.1g}

    5 items of 3 classes, all 243 outcomes weighed by their chance; a soft table of ours is the same
    """
    true = np.array([0, 0, 1, 2, 2])
    shares = np.random.default_rng(0).dirichlet(np.ones(3), 5)
    outcomes = np.array(list(product(range(3), repeat=5)))
    chances = np.prod(shares[np.arange(5), outcomes], axis=1)
    expected = np.tensordot(chances, np.eye(3)[true].T @ np.eye(3)[outcomes], 1)
    summed = np.eye(3)[true].T @ shares
    ours = Confusion.from_probabilities(true.tolist(), shares, labels=range(3)).cells
    off = worst(summed, expected)
    return judged(max(off, worst(ours, summed)) < 1e-12, off=off)


def claim_003_micro(cells: Cells) -> Outcome:
    """Accuracy, micro precision, micro recall and micro F1 are one number.

    Where: equation 7 and appendix A
    Printed: equal
    """
    micros = [scores(m, cells) for m in (micro_precision, micro_recall, micro_f1)]
    return equal(micros, [scores(accuracy, cells)] * 3, f"{len(cells):,} tables, all classes")


def claim_003_bags() -> Outcome:
    """The chance that a random item of a random class is predicted right is macro recall.

    Where: section 4, macro recall: drawing items from class bags
    Printed: macR
    """
    chance = sum(Fraction(row[i], sum(row)) * Fraction(1, 3) for i, row in enumerate(WORKED))
    return judged(exact("macro_recall", WORKED) == [chance], str(chance), table_text(WORKED))


def claim_003_bookmaker(proper: Cells) -> Outcome:
    """Betting one unit an item at fair odds |S|/prevalence gains n|S|·macR − |S|.

    Where: section 4, macro recall: bookmaker metric, equations 9 to 13
    Printed: −|S| + n|S|·macR

    {bets} units on the worked example, bet by bet

    {tables:,} tables in which every class is true; a class that is not has no odds
    """
    s = sum(map(sum, WORKED))
    bets = sum(row[i] * Fraction(s, sum(row)) for i, row in enumerate(WORKED)) - s
    n = proper.sum(axis=(1, 2))
    formula = -n + 3 * n * scores(macro_recall, proper)
    good = same(formula, scores(bookmaker_gain, proper), 1e-6)
    good &= abs(float(bets) - float(scores(bookmaker_gain, WORKED))) < 1e-9
    return judged(good, bets=bets, tables=len(proper))


def claim_003_precision_spread(cells: Cells) -> Outcome:
    """Scaling classes can change macro precision by almost 1 − 1/n.

    Where: section 4, macro precision
    Printed: approaches 1 − 1/n

    within {off:.1g} of it for 2, 3 and 5 classes

    and below it in {tables:,} random scalings: the class that is scaled up most keeps its precision
    """

    def change(cells: Cells, factors: Cells) -> Cells:
        """How much lower macro precision is after scaling true rows."""
        return scores(macro_precision, cells) - scores(macro_precision, cells * factors)

    off = 0.0
    for hits in map(np.eye, (2, 3, 5)):
        first = hits[0][:, None]  # the class that is scaled up, with an error of each kind
        moved = change(hits * 1e6 + first * (1 - hits), 1 + 1e12 * first)
        off = max(off, abs(float(moved) - (1 - 1 / len(hits))))
    cells = cells[:2000]
    moved = change(cells, np.exp(np.random.default_rng(0).uniform(0, 9, (len(cells), 3, 1))))
    return judged(off < 1e-4 and abs(moved).max() < 1 - 1 / 3, off=off, tables=len(cells))


def claim_003_eq_19(cells: Cells) -> Outcome:
    """Macro F1 sees false positives and false negatives of a class only in their sum.

    Where: equation 19
    Printed: 2/n Σ correct/(bias + prevalence)
    """
    c, b, p = (np.diagonal(cells, axis1=1, axis2=2), cells.sum(axis=1), cells.sum(axis=2))
    formula = 2 / 3 * ratio(c, b + p).sum(axis=1)
    return equal(formula, scores(macro_f1, cells))


def claim_003_eq_21(cells: Cells) -> Outcome:
    """The F1 of averages is an inter-annotator agreement: the harmonic mean of macro recall and the
    transpose's macro recall.

    Where: section 4, macro F1: a doppelganger (macF1′), equation 21
    Printed: H(macR(m), macR(mᵀ))
    """
    a, b = scores(macro_recall, cells), scores(macro_recall, np.swapaxes(cells, 1, 2))
    return equal(harmonic(a, b), scores(f1_of_averages, cells))


def claim_003_eq_25(cells: Cells) -> Outcome:
    """The geometric mean of recall is the nth root of the chance that n items, one of every class,
    are all right.

    Where: equation 25
    Printed: ⁿ√(R_1 · … · R_n)
    """
    formula = np.prod(per_class(cells)[1], axis=-1) ** (1 / 3)
    return equal(formula, scores(geometric_macro_recall, cells))


# Appendices: chance, decomposition, prevalence


def _random_tables() -> tuple[Cells, Cells, Cells]:
    rng = np.random.default_rng(0)
    p, z = rng.dirichlet(np.ones(4), 500), rng.dirichlet(np.ones(4), 500)
    return p, z, p[:, :, None] * z[:, None, :]


def claim_003_eq_30() -> Outcome:
    """Macro recall of a random classifier is Σz_i/n.

    Where: equation 30
    Printed: 1/n
    """
    _, _, m = _random_tables()
    return equal(scores(macro_recall, m), 0.25, "500 random classifiers")


def claim_003_eq_31() -> Outcome:
    """Macro precision, as the mean of R_i, of a random classifier.

    Where: equation 31
    Printed: macP = 1/n Σ R_i = 1/n Σ p_i

    1/n Σ P_i

    P_i = p_i to {precision:.1g}, R_i differs by up to {recall:.2g}

    Correct: macP = 1/n Σ P_i = 1/n Σ p_i = 1/n
    """
    p, _, m = _random_tables()
    precision, recall = (worst(x, p) for x in per_class(m)[:2])
    return judged(recall < CLOSE, corrected=precision < CLOSE, precision=precision, recall=recall)


def claim_003_eq_30_31_shares() -> Outcome:
    """The class prevalences are normalised by a condition on the classifier's shares.

    Where: appendices B.5, C.5 and D.5
    Printed: p ∈ [0, 1]ⁿ such that Σ z_i = 1

    Σ p_i = 1

    with Σz_i = 1 alone, Σp_i/n is anything from {low:.2f} to {high:.2f}, not macro precision
    ({loose:.2f})
    """
    rng = np.random.default_rng(0)
    z, p = rng.dirichlet(np.ones(4), 500), rng.random((500, 4))
    loose = scores(macro_precision, p[:, :, None] * z[:, None, :]).mean()
    bare = p.mean(axis=1)  # equation 31's Σp_i/n without the condition on p
    right = same(scores(macro_precision, _random_tables()[2]), 0.25)
    return judged(same(bare, 0.25), corrected=right, low=bare.min(), high=bare.max(), loose=loose)


def claim_003_eq_35() -> Outcome:
    """Macro F1 of a random classifier.

    Where: equation 35
    Printed: 1/n Σ 2p_iz_i/(p_i + z_i)
    """
    p, z, m = _random_tables()
    formula, tried = (2 * p * z / (p + z)).mean(axis=1), "500 random classifiers"
    return compared(formula, None, scores(macro_f1, m), "as printed", tried)


def claim_003_eq_44() -> Outcome:
    """The numerator of kappa and MCC of a random classifier.

    Where: equation 44
    Printed: 0
    """
    p, z, m = _random_tables()
    top = (p * z).sum(1) - (m.sum(axis=1) * m.sum(axis=2)).sum(axis=1)
    return judged(same(top, 0), f"at most {abs(top).max():.1g}", "500 random classifiers")


def claim_003_appendix_b_3(t: TransposedTables) -> Outcome:
    """The class's score is a function of its row and column with row_1 in the numerator.

    Where: appendices B.3, C.3 and D.3
    Printed: row_1/Σcol; row_1/Σrow; 2row_1/(Σrow + col)

    Correct: row_i/Σcol; row_i/Σrow; 2row_i/(Σrow + Σcol)
    """
    below = np.stack([t.prevalence, t.bias, (t.bias + t.prevalence) / 2])
    printed, right = ((cell / below).mean(axis=-1) for cell in (t.m[:, :, 0], t.correct))
    true = np.stack([scores(f, t.cells) for f in (macro_recall, macro_precision, macro_f1)])
    return compared(printed, right, true, "the class's own cell, row_i")


def claim_003_appendix_b_4(t: TransposedTables) -> Outcome:
    """Scaling a class's column leaves its recall.

    Where: appendix B.4
    Printed: R′_i = R_i
    """
    scaled = t.cells * np.array([1.0, 7.0, 0.2])[:, None]
    a, b = (per_class(x)[1] for x in (t.cells, scaled))
    return judged(same(a, b), f"largest change {worst(a, b):.1g}", "60 tables")


def claim_003_appendix_c_4() -> Outcome:
    """Macro precision of tables 2 and 4.

    Where: appendix C.4
    Printed: 5/8 ≠ 19/30

    {a} and {b}

    P of table 2: {p[0]:g}, {p[1]:g}; {items[0]} and {items[1]} items
    """
    (a, b), p = exact("macro_precision", [TABLE_2, TABLE_4]), per_class(TABLE_2)[0]
    good = (a, b, *p) == (Fraction(5, 8), Fraction(19, 30), 0.75, 0.5)
    return judged(good, a=a, b=b, p=p, items=(TABLE_2.sum(), TABLE_4.sum()))


# Appendix G: the shared task of table 8

_PRINTED = (files("evenhand.papers") / "table_8.txt").read_text(encoding="utf-8")
_HEAD, *_ROWS = (line.split() for line in _PRINTED.splitlines())
COLUMNS = [heading.replace("recall_", "recall ") for heading in _HEAD[1:]]
SYSTEMS = [system for system, *_ in _ROWS]
TABLE = np.array([[float(cell.strip("*")) for cell in cells] for _, *cells in _ROWS])
BOLD = np.array([[cell.startswith("*") for cell in cells] for _, *cells in _ROWS])
"""What the document prints in bold."""
RANKS = average_ranks(TABLE.T).T
"""Rank of each system in each column, 1 the best; ties share the mean."""
RECALLS = TABLE[:, 7:]
HALF = 0.05
"""Half a unit of the last printed digit."""
RECALL_METRICS = (macro_recall, geometric_macro_recall, harmonic_macro_recall)


def printed_column(name: str) -> Cells:
    """The printed scores of the eight systems."""
    return np.asarray(TABLE[:, COLUMNS.index(name)])


def correlation(one: str, other: str) -> float:
    """Spearman correlation of two columns, in hundredths."""
    return 100 * spearman(printed_column(one), printed_column(other))


def _mean(name: str, power: float, text: str) -> Outcome:
    from scipy.stats import pmean

    mean = partial(pmean, p=power, axis=1)
    low, high = mean(RECALLS - HALF) - HALF, mean(RECALLS + HALF) + HALF
    fits = (low <= printed_column(name)) & (printed_column(name) <= high)
    values = ", ".join(f"{s} {x:.2f}" for s, x in zip(SYSTEMS, mean(RECALLS), strict=True))
    return judged(bool(fits.all()), values, f"{text} of the printed recalls, with their rounding")


def claim_003_table_8_macr() -> Outcome:
    """MacR of eight systems.

    Where: table 8
    Printed: 68.1 … 64.5
    """
    return _mean("macro_recall", 1, "the arithmetic mean")


def claim_003_table_8_gmacr() -> Outcome:
    """GmacR of eight systems.

    Where: table 8
    Printed: 66.8 … 64.5
    """
    return _mean("geometric_macro_recall", 0, "the geometric mean")


def claim_003_table_8_hmacr() -> Outcome:
    """HmacR of eight systems.

    Where: table 8
    Printed: 65.4 … 64.5
    """
    return _mean("harmonic_macro_recall", -1, "the harmonic mean")


def claim_003_table_8_winners() -> Outcome:
    """MacR puts systems A and B first.

    Where: appendix G
    Printed: A, B
    """
    first = ", ".join(np.array(SYSTEMS)[RANKS[:, 0] <= 2])
    return judged(first == "A, B", first, "table 8, first column")


def claim_003_table_8_spread() -> Outcome:
    """The spread of the three recalls of systems E and B.

    Where: appendix G
    Printed: 5.8 and 36.4
    """
    text = " and ".join(f"{np.ptp(RECALLS[SYSTEMS.index(s)]):.1f}" for s in "EB")
    return judged(text == "5.8 and 36.4", text, "table 8")


def claim_003_table_8_e() -> Outcome:
    """The geometric and harmonic means of recall favour system E over B.

    Where: appendix G
    Printed: E
    """
    e, b = TABLE[SYSTEMS.index("E")], TABLE[SYSTEMS.index("B")]
    text = f"G {e[1]} > {b[1]}, H {e[2]} > {b[2]}"
    return judged(bool(e[1] > b[1] and e[2] > b[2]), text, "and macR the other way: 66.9 < 68.1")


def claim_003_figure_2_calibration(seed: int) -> Outcome:
    """The same metric before and after prevalence calibration: only recall metrics agree with each
    other in their rankings.

    Where: appendix G, figure 2
    Printed: only recall metrics agree

    Spearman {f1:.0f} for macro F1, {kappa:.0f} for kappa (calibrated: as macR)

    the eight systems of table 8. Calibrated MCC is not printed: on tables drawn with the same
    recalls it is {mcc:.0f} on average for MCC, and recall metrics change by {change:.1g} at most
    """
    f1 = correlation("macro_f1", "macro_f1@uniform")
    of_kappa = correlation("kappa", "macro_recall")
    cells = drawn(np.random.default_rng([seed, 8]))
    change = max(worst(scores(f, cells), scores(f, calibrated(cells))) for f in RECALL_METRICS)
    of_mcc = 100 * float(np.mean(_correlations(scores(mcc, cells), scores(mcc, calibrated(cells)))))
    good = max(f1, of_kappa, of_mcc) < 99.5 and change < 1e-12
    return judged(good, f1=f1, kappa=of_kappa, mcc=of_mcc, change=change)


def _correlations(a: Cells, b: Cells) -> list[float]:
    """The Spearman correlation of each draw."""
    return [spearman(x, y) for x, y in zip(a, b, strict=True)]


def claim_003_figure_2_kappa(seed: int) -> Outcome:
    """Kappa assigns the exact ranks of macR, but only after prevalence calibration.

    Where: appendix G, figure 2
    Printed: Spearman's ρ 100, only after calibration

    {after:.0f} after, {printed:.0f} before

    after: {sets} sets of eight tables that have the recalls of table 8, with class mixes and errors
    drawn at random (before calibration {before:.0f} on average); before: the columns of table 8
    """
    cells = drawn(np.random.default_rng([seed, 9]))
    base = scores(macro_recall, cells)
    after, before = (_correlations(scores(kappa, x), base) for x in (calibrated(cells), cells))
    printed = correlation("kappa", "macro_recall")
    good = min(after) > 1 - 1e-9 and printed < 99.5 and min(before) < 1 - 1e-9
    last, first = 100 * min(after), 100 * np.mean(before)
    return judged(good, sets=len(cells), after=last, before=first, printed=printed)


def drawn(rng: np.random.Generator) -> Cells:
    """A hundred sets of eight tables with the recalls of table 8, each set with one class mix."""
    return with_recalls(RECALLS / 100, rng.dirichlet(np.full(3, 3.0), (100, 1)), rng, 100, 8)


def claim_003_figure_2_recall_2() -> Outcome:
    """The recall of class 2 disagrees in its ranking with all other metrics.

    Where: appendix G, figure 2
    Printed: Spearman's ρ ≤ 14

    eight systems of table 8: {highest:.0f} with {metric}, at most {rest:.0f} with the others

    which teams the figure ranks is not printed; for these eight alone it would not hold
    """
    rho = {c: correlation("recall 2", c) for c in COLUMNS if c != "recall 2"}
    *_, (rest, _), (highest, metric) = sorted((r, c) for c, r in rho.items())
    return open_within(rest <= 14, highest=highest, metric=metric, rest=rest)


def claim_003_figure_1() -> Outcome:
    """Macro F1 becomes more popular in the Google books corpus.

    Where: section 1, figure 1
    Printed: increasing popularity

    nothing printed to compute from

    a curve, no numbers
    """
    return read_by_eye("cannot be checked")


def claim_003_table_1() -> Outcome:
    """Papers give unclear reasons for the metric they select.

    Where: section 1, table 1
    Printed: 'the labels are imbalanced', …

    nothing printed to compute from

    quotations from other papers
    """
    return read_by_eye("cannot be checked")


def claim_003_ranking_differs() -> Outcome:
    """Metrics rank the systems of a shared task differently.

    Where: section 5, practice
    Printed: important differences

    a system moves by up to {moved:g} places

    first, ties at the printed digits included: {first}; of those that tie in macro_f1 the paper has
    {bold} in bold
    """
    best, names = TABLE.max(axis=0) == TABLE, np.array(SYSTEMS)
    first = "; ".join(f"{c} {', '.join(names[b])}" for c, b in zip(COLUMNS, best.T, strict=True))
    bold = names[BOLD[:, COLUMNS.index("macro_f1")]][0]
    moved = float(np.ptp(RANKS[:, :7], axis=1).max())
    return judged(moved >= 2, moved=moved, first=first, bold=bold)


# Table 8: what its recalls leave open

SIZES = (3972, 5937, 2375)
"""Negative, neutral and positive tweets of the test set, from the task's own paper."""


def claim_003_table_8_macro_f1_calibrated() -> Outcome:
    """macF1c, macro F1 after calibration, of eight systems.

    Where: table 8
    Printed: A 67.7, B 67.7, C 67.5, D 67.1, E 67.3, F 66.1, G 64.9, H 64.9

    {ranges}

    what the printed recalls allow, with equal classes, and errors spread over the other classes in
    any way
    """
    spread = np.array(list(product(np.linspace(0, 1, 5), repeat=3)))[..., None]
    hits, other = np.eye(3), np.roll(np.eye(3), 1, axis=1)  # the class itself, and the next
    errors = spread * other + (1 - spread) * (1 - hits - other)
    recalls = RECALLS[:, None, :, None] / 100  # systems × ways to spread the errors × cells
    scored = 100 * scores(macro_f1, recalls * hits + (1 - recalls) * errors)
    low, high = scored.min(axis=1), scored.max(axis=1)
    printed = printed_column("macro_f1@uniform")
    fits = (low - HALF <= printed) & (printed <= high + HALF)
    ranges = ", ".join(map("{} {:.1f}–{:.1f}".format, SYSTEMS, low, high))
    return open_within(fits.all(), ranges=ranges)


def claim_003_table_8_joint() -> Outcome:
    """The columns macF1, Kappa and MCC fit the recalls, and macF1 is the mean of F1. With the class
    sizes p of SemEval-2017 task 4A, kappa fixes p·b of the predictions b, and MCC fixes b·b.

    Where: table 8
    Printed: macF1, Kappa and MCC of eight systems

    all eight fit as the mean of F1, as the F1 of averages only {either} (A: {mean} against
    {averages}, printed {printed}); predictions of the classes, of those within rounding one choice:
    {biases}

    p = 3,972 / 5,937 / 2,375 (negative, neutral, positive: an outside fact, from the paper of
    SemEval-2017 task 4); c = Σ p_i R_i, p·b = (c·s − κs²)/(1 − κ), b·b = s² − (c·s − p·b)²/(MCC²(s²
    − p·p)) with s = Σ p_i: a plane and a sphere, on which three classes leave at most two b
    """
    recovered = {s: _recovered(row / 100) for s, row in zip(SYSTEMS, TABLE, strict=True)}
    biases = ", ".join(f"{s} {' / '.join(f'{x:,}' for x in b)}" for s, (b, _) in recovered.items())
    printed = dict(zip(SYSTEMS, printed_column("macro_f1"), strict=True))

    def fitting(name: str) -> tuple[list[str], str]:
        """The systems whose macro F1 the formula gives, and what it can be of system A."""
        fits = [s for s, (_, ranges) in recovered.items()
                if any(r.meets(_rounded(printed[s] / 100)) for r in ranges[name])]  # fmt: skip
        ranges = recovered["A"][1][name]
        return fits, f"{100 * float(ranges[0].low):.1f}–{100 * float(ranges[-1].high):.1f}"

    (every, mean), (either, averages) = map(fitting, ("macro_f1", "f1_of_averages"))
    good = every == SYSTEMS and all(bias for bias, _ in recovered.values()) and len(either) < 8
    facts = {"either": " and ".join(either), "printed": printed["A"], "biases": biases}
    return judged(good, mean=mean, averages=averages, **facts)


def _recovered(row: Cells) -> tuple[list[int], dict[str, list[Range]]]:
    """Predictions that give a row's kappa, MCC and macro F1 to all digits, none if there are none,
    and the ranges of both macro F1s that its kappa and MCC allow.
    """
    n, size = sum(SIZES), np.array(SIZES)
    of_kappa, of_mcc, *recalls = (_rounded(x) for x in row[5:])
    pairs = zip("123", recalls, SIZES, strict=True)
    classes = tuple(ClassFacts(i, recall=r, support=p) for i, r, p in pairs)
    facts = TableFacts(classes, {}, n, None, Assumptions())
    spans = [s for i in range(3) if (s := narrow_class(facts, i, n)[1]) is not None]
    boxes = BiasBoxes.search(fit_totals(spans, n, Range(0, n), False) or (), n, of_kappa, of_mcc)
    bias = (boxes.low + boxes.high) // 2
    bias[:, 2] = n - bias[:, 0] - bias[:, 1]
    hits = np.round(row[7:] * size).astype(int)
    c = Counts(np.broadcast_to(hits, bias.shape), bias, np.broadcast_to(size, bias.shape), n)
    off = [abs(f(c) - x) for f, x in zip((macro_f1, kappa, mcc), row[[3, 5, 6]], strict=True)]
    furthest = np.max(off, axis=0)
    best = int(furthest.argmin())
    recall = total(s.correct.times(Fraction(1, 3 * s.support)) for s in spans)
    return bias[best].tolist() if furthest[best] <= HALF / 100 else [], boxes.metrics(recall)


def _rounded(x: float) -> Range:
    """What a printed score may have been before rounding."""
    middle, half = Fraction(round(1000 * x), 1000), Fraction(1, 2000)
    return Range(middle - half, middle + half)

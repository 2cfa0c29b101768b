"""Opitz & Burst (2019): worked tables, printed program output, simulations."""

from __future__ import annotations

import re
from functools import partial
from typing import Any

import numpy as np

from evenhand.core.twins import pair_terms
from evenhand.papers.claims import Outcome, claim, judged, state
from evenhand.papers.simulations import RARE, axes, binary_tasks, figure_1a, peak, scores
from evenhand.papers.tried import counts, per_class, twins
from evenhand.simulate import even_errors, graded_mix, tables

# Rows = true here; the document prints the transpose.
TABLE_1 = [[5, 5], [10, 10]]
TABLE_2 = [[1, 9], [1, 19]]
TABLE_3 = [[100, 0], [10000, 100]]
TABLE_4 = [[100, 5000], [5000, 100]]
RUNS = 40


def _two(table: Any) -> tuple[float, float]:
    a, b = twins(np.array(table))
    return float(a), float(b)


@claim("000-table-1", "table 1", "F1′ 0.5, F1 0.49")
def table_1() -> Outcome:
    """Both macro F1s of a small table."""
    a, b = _two(TABLE_1)
    good = f"{a:.1f} {b:.2f}" == "0.5 0.49"
    return judged(good, f"F1′ {a:.4f}, F1 {b:.4f}", "1/2 and 17/35")


@claim("000-table-2-mean", "table 2", "F1 0.48")
def table_2_mean() -> Outcome:
    """The mean of F1 of a biased classifier."""
    _, b = _two(TABLE_2)
    return judged(f"{b:.2f}" == "0.48", f"F1 {b:.4f}", "23/48")


@claim("000-table-2", "table 2", "F1′ 0.55")
def table_2() -> Outcome:
    """The F1 of averages of a biased classifier."""
    a, _ = _two(TABLE_2)
    return judged(
        f"{a:.2f}" == "0.55",
        f"F1′ {a:.4f}, so 0.56",
        "231/416: cut off, not rounded",
        corrected=f"{a:.2f}" == "0.56",
    )


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
    "appendix D",
    "0.504950495049505, 1.96078431372549e-2, 0.48534265191225007 twice",
)
def program_1() -> Outcome:
    """What the program prints for [[100, 10000], [0, 100]]."""
    return _program(TABLE_3, 0.504950495049505, 1.96078431372549e-2, 0.48534265191225007)


@claim("000-program-2", "appendix D", "1.96078431372549e-2 twice, 0.0 twice")
def program_2() -> Outcome:
    """What the program prints for [[100, 5000], [5000, 100]]."""
    return _program(TABLE_4, 1.96078431372549e-2, 1.96078431372549e-2, 0.0)


def _program(table: Any, *printed: float) -> Outcome:
    a, b = _two(table)
    lemma = float(pair_terms(counts(table)).sum())
    found = (a, b, a - b, lemma)
    good = all(abs(x - y) <= 2e-16 for x, y in zip(found, (*printed, printed[-1]), strict=True))
    return judged(good, ", ".join(map(repr, found)), "double precision, to the last digit but one")


@claim("000-appendix-e-names", "appendix E", "P_x = …, R_x = …")
def haskell() -> Outcome:
    """The listing is a Haskell program."""
    names = ("P_x", "R_x", "P_y", "R_y")
    valid = [n for n in names if re.fullmatch(r"[a-z_][\w']*", n)]
    return judged(
        len(valid) == len(names),
        "p_x = …: a variable begins with a small letter",
        f"{len(valid)} of {len(names)} names are variables in Haskell, where a capital makes a "
        "constructor: as listed it does not compile",
        corrected=True,
    )


@claim("000-appendix-e-zero", "appendix E", "plain division")
def zero() -> Outcome:
    """The program computes equation 1, where 0/0 counts as 0."""
    m = np.array([[0.0, 1.0], [1.0, 0.0]])
    with np.errstate(invalid="ignore"):
        p, r = m.diagonal() / m.sum(axis=0), m.diagonal() / m.sum(axis=1)
        plain = float(np.mean(2 * p * r / (p + r)))
    a, b = _two(m)
    return judged(
        plain == b,
        f"F1′ {a:g}, F1 {b:g} by equation 1",
        f"[[0, 1], [1, 0]]: plain division gives {plain} for both",
    )


@claim("000-appendix-e-lemma", "appendix E", "2 · (P_x R_y − P_y R_x)²")
def pairs() -> Outcome:
    """The listing's sum over unordered pairs with a factor 2 is the lemma's over ordered ones."""
    m = np.array([[6, 1, 1], [1, 5, 2], [2, 3, 7]])
    terms = pair_terms(counts(m))
    half = 2 * float(np.triu(terms, 1).sum())
    a, b = _two(m)
    return judged(abs(half - (a - b)) < 1e-15, f"{half:.12f}", "[[6, 1, 1], [1, 5, 2], [2, 3, 7]]")


def _run_range(name: str, printed: float, unit: float) -> Outcome:
    found = np.array([figure_1a(seed)[name] for seed in range(RUNS)])
    low, high = found.min() - unit / 2, found.max() + unit / 2
    return judged(
        bool(low <= printed <= high),
        f"{found.mean():.3f} on average, {found.min():.3f} to {found.max():.3f}",
        f"{RUNS} runs of 1,000 data sets of 1,000 items",
    )


_RANDOM = "of a uniform random classifier at 95 : 5"
_OVER = "of the two macro F1s over random classifiers"
for _name, _value, _printed, _text in (
    ("f1_of_averages", 0.56, "about 0.56", f"best F1 of averages {_RANDOM}"),
    ("macro_f1", 0.41, "about 0.41", f"best mean of F1 {_RANDOM}"),
    ("rms", 0.13, "0.13", "root mean square of the gap"),
    ("pearson", 0.72, "0.72, p < 0.0001", f"correlation {_OVER}"),
    ("spearman", 0.69, "0.69, p < 0.0001", f"rank correlation {_OVER}"),
):
    _id = f"000-figure-1a-{_name.replace('_', '-')}"
    _check = partial(_run_range, _name, _value, 0.01)
    state(_id, "figure 1a", _printed, f"The {_text}.", _check)


@claim("000-figure-1a-rankings", "figure 1a", "different rankings")
def figure_rankings() -> Outcome:
    """The two macro F1s can rank random classifiers differently."""
    a, b = binary_tasks(1000, np.random.default_rng(0))
    flips = ((a[:, None] - a) * (b[:, None] - b) < 0).mean()
    return judged(bool(flips > 0), f"{100 * flips:.0f} % of the pairs change order", f"mix {RARE}")


def _peak(figure: int, k: int, printed: float, unit: float) -> Outcome:
    mean, single = peak(figure, k)
    return judged(
        mean <= printed + unit / 2 and single >= printed - unit / 2,
        f"{100 * mean:.2f} points at the mean of 12 runs, {100 * single:.2f} in a single run",
        "21 × 21 grid, 2,000 items: a single run's largest gap contains its noise",
    )


for _figure, _k, _value, _unit, _printed, _over in (
    ("2a", 4, 0.02, 0.01, "up to 2 points", "over class mixes"),
    ("2b", 13, 0.02, 0.01, "up to 2 points", "over class mixes"),
    ("3a", 4, 0.008, 0.001, "0.8 points", "on balanced data"),
    ("3b", 13, 0.017, 0.001, "1.7 points", "on balanced data"),
):
    _text = f"The largest gap {_over}, {_k} classes."
    _check = partial(_peak, int(_figure[0]), _k, _value, _unit)
    state(f"000-figure-{_figure}", f"figure {_figure}", _printed, _text, _check)


@claim("000-figure-2-edges", "section 3", "whenever accuracy is not 1 and the data set is skewed")
def edges() -> Outcome:
    """There is a gap whenever the classifier errs and the data are skewed, and none without
    either.
    """
    x, y = axes(4, 21)
    expected = graded_mix(4, y[:, None])[..., None] * even_errors(4, x[None, :])
    a, b = scores(expected)
    gaps = a - b
    inside, perfect, even = gaps[1:, :-1].min(), gaps[:, -1].max(), gaps[0].max()
    return judged(
        bool(max(perfect, even) < 1e-12 < inside),
        f"{100 * inside:.4f} points or more inside, 0 on the edges",
        "the expected tables of the 21 × 21 grid, 4 classes",
    )


@claim("000-figure-2-proportional", "section 3", "roughly proportional to x")
def proportional() -> Outcome:
    """Both macro F1s are roughly proportional to the probability of a correct prediction."""
    x, y = np.linspace(0.25, 1, 21), np.linspace(0, 1, 11)
    made = tables(
        graded_mix(4, y[:, None]),
        even_errors(4, x[None, :]),
        items=2000,
        draws=4,
        rng=np.random.default_rng(0),
    )
    found = [float(np.corrcoef(s.mean(axis=0).mean(axis=0), x)[0, 1]) for s in scores(made.cells)]
    return judged(min(found) > 0.99, f"correlations {found[0]:.4f} and {found[1]:.4f}", "4 classes")

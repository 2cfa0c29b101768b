"""Opitz & Burst (2019), section 3: what is said of the simulations, from fresh draws."""

from __future__ import annotations

from functools import partial

import numpy as np

from evenhand.papers.claims import Outcome, claim, judged, state
from evenhand.papers.simulations import (
    MIXES,
    RARE,
    SIZES,
    axes,
    binary_tasks,
    chance_of,
    figure_1a,
    grid,
    peaks,
    random_tasks,
    scores,
)
from evenhand.simulate import even_errors, graded_mix

RUNS = 40
TASKS = 1000


def _run_range(name: str, printed: float, seed: int) -> Outcome:
    found = np.array([figure_1a(seed, run)[name] for run in range(RUNS)])
    low, high = found.min() - 0.005, found.max() + 0.005  # printed to two digits
    return judged(
        bool(low <= printed <= high),
        f"{found.mean():.3f} on average, {found.min():.3f} to {found.max():.3f}",
        f"{RUNS} runs of 1,000 data sets of 1,000 items",
    )


def _correlation(name: str, printed: float, seed: int) -> Outcome:
    within = _run_range(name, printed, seed)
    least = min(abs(figure_1a(seed, run)[name]) for run in range(RUNS))
    p = chance_of(least, TASKS)
    return judged(
        within.verdict == "holds" and p < 0.0001,
        within.computed,
        f"{within.evidence}; p is {p:.1g} at the weakest correlation of them",
    )


_RANDOM = "of a uniform random classifier at 95 : 5"
_OVER = "of the two macro F1s over random classifiers"
for _name, _value, _printed, _judge, _text in (
    ("f1_of_averages", 0.56, "about 0.56", _run_range, f"maximum F1 of averages {_RANDOM}"),
    ("macro_f1", 0.41, "about 0.41", _run_range, f"maximum mean of F1 {_RANDOM}"),
    ("rms", 0.13, "0.13", _run_range, "root mean squared deviation (RMSD) of the two macro F1s"),
    ("pearson", 0.72, "0.72, p < 0.0001", _correlation, f"Pearson correlation {_OVER}"),
    ("spearman", 0.69, "0.69, p < 0.0001", _correlation, f"Spearman rank correlation {_OVER}"),
):
    _id = f"000-figure-1a-{_name.replace('_', '-')}"
    _check = partial(_judge, _name, _value)
    state(_id, "section 3, figure 1a", _printed, f"The {_text}.", _check, drawn=True)


@claim("000-figure-1a-benevolent", "section 3, figure 1a", "more benevolent", drawn=True)
def benevolent(seed: int) -> Outcome:
    """The F1 of averages is more benevolent towards random classifiers than the mean of F1."""
    a, b = binary_tasks(seed)
    return judged(
        bool((a > b).all()),
        f"higher in {(a > b).sum():,} of {len(a):,} tasks, by {(a - b).mean():.2f} on average",
        f"class mix {RARE}",
    )


@claim("000-figure-1a-rankings", "section 3, figure 1a", "different rankings", drawn=True)
def figure_rankings(seed: int) -> Outcome:
    """The two macro F1s can rank random classifiers differently."""
    a, b = binary_tasks(seed)
    flips = ((a[:, None] - a) * (b[:, None] - b) < 0).mean()
    return judged(
        bool(flips > 0), f"{100 * flips:.0f} % of the pairs change order", f"class mix {RARE}"
    )


@claim("000-figure-1b", "section 3, figure 1b", "see legend", drawn=True, by_eye=True)
def figure_1b(seed: int) -> Outcome:
    """The density of the gap of random classifiers under several class distributions."""
    gaps = {words: np.subtract(*random_tasks(mix, seed)) for words, mix in MIXES.items()}
    found = "; ".join(f"{words}: {g.mean():.3f}" for words, g in gaps.items())
    return Outcome(
        "cannot be checked", found, "the legend is not in the text: mean gaps of mixes of our own"
    )


def _rounded(x: float) -> float:
    """In points, to one digit."""
    return round(100 * x, 1)


@claim("000-figure-2", "section 3, figures 2a and 2b", "up to 2 percentage points", drawn=True)
def figure_2(seed: int) -> Outcome:
    """Differences up to 2 percentage points over class mixes, with 4 or 13 classes."""
    return _peak(2, SIZES, 2.0, seed)


@claim("000-figure-3a", "section 3, figure 3a", "up to 0.8 percentage points", drawn=True)
def figure_3a(seed: int) -> Outcome:
    """Differences of up to 0.8 percentage points on balanced data with 4 classes."""
    return _peak(3, (4,), 0.8, seed)


@claim("000-figure-3b", "section 3, figure 3b", "up to 1.7 percentage points", drawn=True)
def figure_3b(seed: int) -> Outcome:
    """Differences of up to 1.7 percentage points on balanced data with 13 classes."""
    return _peak(3, (13,), 1.7, seed)


def _peak(figure: int, sizes: tuple[int, ...], printed: float, seed: int) -> Outcome:
    found = {k: peaks(grid(figure, k, seed=seed)) for k in sizes}
    mean, single = (max(p[i] for p in found.values()) for i in (0, 1))
    text = "; ".join(
        f"{k} classes: {100 * m:.2f} at the mean of the tasks, {100 * s:.2f} in a single one"
        for k, (m, s) in found.items()
    )
    return judged(
        _rounded(mean) <= printed <= _rounded(single),
        text,
        "the largest on a 21 × 21 grid, points; 200 tasks of 2,000 items each. How many tasks the "
        "figure has a point is not said: between one (the median of 200) and all of them",
    )


@claim(
    "000-figure-2-edges",
    "section 3, figures 2a and 2b",
    "whenever accuracy is not 1 and the data set is skewed",
)
def edges() -> Outcome:
    """There is a gap whenever the classifier errs and the data are skewed, and none without
    either.
    """
    x, y = axes(4)
    expected = graded_mix(4, y[:, None])[..., None] * even_errors(4, x[None, :])
    a, b = scores(expected)
    gaps = a - b
    inside, perfect, even = gaps[1:, :-1].min(), gaps[:, -1].max(), gaps[0].max()
    return judged(
        bool(max(perfect, even) < 1e-12 < inside),
        f"{100 * inside:.1g} points or more inside, 0 on the edges",
        "the expected tables of the 21 × 21 grid, 4 classes",
    )


@claim("000-figure-2-proportional", "section 3, figures 2a and 2b", "roughly proportional to x")
def proportional() -> Outcome:
    """Both macro F1s are roughly proportional to the probability of a correct prediction."""
    x, y = axes(4)
    found = scores(graded_mix(4, y[:, None])[..., None] * even_errors(4, x[None, :]))
    least = [min(float(np.corrcoef(row, x)[0, 1]) for row in f) for f in found]
    off = [float(abs(f - x).max()) for f in found]
    return judged(
        min(least) > 0.99 and max(off) < 0.1,
        f"never more than {max(off):.2f} from x, correlation at least {min(least):.4f}",
        "the expected tables of the 21 × 21 grid, 4 classes, each class mix",
    )

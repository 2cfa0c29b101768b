"""Recalls of 0 and 1: do intervals at another class mix hold what n items of a class leave open?

For two classes every table of n items a class is scored and counts with its exact chance; for more
classes data sets are drawn. ``python -m studies.shift`` writes the table into docs/prevalence.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import comb

import numpy as np

import evenhand as eh
from evenhand.catalogue.binding import bind_all, evaluate
from evenhand.inference.intervals import IntervalSettings, estimates

METRICS = ("accuracy", "macro_f1", "mcc", "kappa", "precision:label=0", "precision:label=1")
ITEMS = (20, 50, 200)
SHARES = (0.01, 0.1, 0.5, 0.9, 0.99)
PAIRS = (
    *((a, b) for a in (0.7, 0.9) for b in (1, 0.995, 0.98, 0.95, 0.05, 0.02, 0)),
    (1, 1),
    (0.98, 0.98),
    (0.02, 0.98),
)
"""True recalls of the two classes, the second with the share."""
FIRST = (1, 0.98, 0.8, 0.02, 0)
"""True recalls of the first of more classes, the one with the share."""
SETS = 1000
WAYS = (IntervalSettings("auto"), IntervalSettings("delta", transform="range"))

Cell = tuple[float, float]
"""Coverage and mean width."""


def coverage(
    cells: np.ndarray, chance: np.ndarray, rates: np.ndarray, mix: np.ndarray
) -> Iterator[list[Cell]]:
    """For each metric, coverage and width each way; ``chance`` is truths × tables."""
    stack = eh.Confusion.from_matrix(cells)
    spelled = ",".join(f"{i}={p:.10g}" for i, p in enumerate(mix))
    names = [f"{m}@{spelled}" for m in METRICS]
    kernels = bind_all(names, stack)
    made = [estimates(stack, kernels, how) for how in WAYS]
    real = [eh.Confusion.from_matrix(r) for r in rates]
    for i, name in enumerate(names):
        for row, table in zip(chance, real, strict=True):
            true = float(evaluate(name, table))
            found = []
            for way in made:
                low, high = way[i].low, way[i].high
                holds = (low - 1e-9 <= true) & (true <= high + 1e-9)  # none is a miss
                width = np.nan_to_num(high - low)
                found.append((float(row @ holds), float(row @ width)))
            yield found


def two_classes(n: int) -> list[list[list[Cell]]]:
    """Metrics × (mixes and truths) × ways, over every table."""
    x, y = (a.reshape(-1) for a in np.meshgrid(*[np.arange(n + 1)] * 2, indexing="ij"))
    cells = np.stack([np.stack([x, n - x], -1), np.stack([n - y, y], -1)], -2)
    rates = np.array([[[a, 1 - a], [1 - b, b]] for a, b in PAIRS])
    chance = np.array([binomial(n, a)[x] * binomial(n, b)[y] for a, b in PAIRS])
    kept = chance.max(axis=0) > 1e-9  # of what is left out all together hardly matters
    parts = [
        list(coverage(cells[kept], chance[:, kept], rates, np.array([1 - p, p]))) for p in SHARES
    ]
    return _by_metric(parts, len(PAIRS))


def more_classes(k: int, n: int) -> list[list[list[Cell]]]:
    """The same over drawn tables of k classes, errors spread unevenly."""
    parts = []
    for share in SHARES[::2]:
        for j, recall in enumerate(FIRST):
            rng = np.random.default_rng([k, n, j])
            right = np.r_[recall, rng.uniform(0.5, 0.9, k - 1)]
            rates = np.diag(right)
            for i in range(k):
                rates[i, np.arange(k) != i] = (1 - right[i]) * rng.dirichlet(np.full(k - 1, 0.5))
            cells = np.stack([rng.multinomial(n, r, size=SETS) for r in rates], axis=1)
            mix = np.r_[share, np.full(k - 1, (1 - share) / (k - 1))]
            even = np.full((1, SETS), 1 / SETS)
            parts.append(list(coverage(cells, even, rates[None], mix)))
    return _by_metric(parts, 1)


def _by_metric(parts: list[list[list[Cell]]], truths: int) -> list[list[list[Cell]]]:
    each = range(len(METRICS))
    return [[c for p in parts for c in p[i * truths : (i + 1) * truths]] for i in each]


def binomial(n: int, p: float) -> np.ndarray:
    """The chance of every number of hits."""
    return np.array([comb(n, x) * p**x * (1 - p) ** (n - x) for x in range(n + 1)])


def page() -> list[str]:
    """The table, as Markdown."""
    lines = [
        "## Recalls of 0 and 1",
        "",
        "`make shift-study`: coverage of 95 % intervals at a class mix where a class is always, "
        "nearly always, nearly never or never right. For two classes every table of n items a "
        f"class counts with its exact chance ({len(PAIRS)} pairs of true recalls, a share of "
        "1, 10, 50, 90 and 99 %); for 3 and 8 classes, "
        f"{SETS:,} data sets a cell (true recalls of the class with a share of 1, 50 and 99 %: "
        f"{', '.join(map(str, FIRST))}; an error of ±1.4 points in each cell). *Square-and-add* is "
        "the default, *delta* the delta method on the scale of the range, which takes such recalls "
        "for certain; without an interval it counts as a miss. Precision is that of two classes.",
        "",
        "| classes | items a class | score | square-and-add: lowest | mean | below 93 % | width "
        "| delta: lowest | mean | below 93 % | width |",
        "| --- | ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for k in (2, 3, 8):
        for n in ITEMS:
            lines += rows(k, n)
    return lines


def rows(k: int, n: int) -> Iterator[str]:
    """One row a score, of k classes with n items each."""
    found = two_classes(n) if k == 2 else more_classes(k, n)
    merged = [*found[:4], found[4] + found[5]]
    for name, cells in zip((*METRICS[:4], "precision"), merged, strict=True):
        sides = " | ".join(_summary(np.array([c[w] for c in cells])) for w in (0, 1))
        yield f"| {k} | {n} | {name} | {sides} |"


def _summary(cells: np.ndarray) -> str:
    held, width = cells.T
    few = int(np.count_nonzero(held < 0.93 - 1e-9))
    return (
        f"{100 * held.min():.1f} % | {100 * held.mean():.1f} % | {few} of {len(held)} "
        f"| {width.mean():.3f}"
    )

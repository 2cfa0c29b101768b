"""Two classes: do the intervals of likelihood and odds ratios hold? Exactly, over every table.

``python -m studies.ratios`` prints a row a test and number of items: how often the 95 % intervals
of LR+, LR− and the diagnostic odds ratio hold what is true, every table of n diseased and n healthy
items with its exact chance. docs/two-classes.md has them.
"""

from __future__ import annotations

import numpy as np
from scipy.stats import binom

from evenhand.catalogue.binding import bind_all
from evenhand.data.confusion import Confusion
from evenhand.inference.intervals import IntervalSettings, estimates

TESTS = ((0.5, 0.5), (0.6, 0.7), (0.8, 0.8), (0.9, 0.85), (0.7, 0.95), (0.95, 0.95), (0.99, 0.9))
"""Sensitivity and specificity."""
ITEMS = (20, 50, 100, 200)
METRICS = ("positive_likelihood_ratio", "negative_likelihood_ratio", "diagnostic_odds_ratio")


def intervals(n: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """Ends of each ratio for every table of n diseased and n healthy items, (n + 1)² of them."""
    hits, right = (x.reshape(-1) for x in np.mgrid[: n + 1, : n + 1])
    cells = np.stack([hits, n - hits, n - right, right], axis=-1).reshape(-1, 2, 2)
    stack = Confusion.from_matrix(cells, labels=["diseased", "healthy"])
    kernels = bind_all([f"{m}:label=diseased" for m in METRICS], stack)
    return [(e.low, e.high) for e in estimates(stack, kernels, IntervalSettings())]


def true_ratios(sensitivity: float, specificity: float) -> tuple[float, float, float]:
    """LR+, LR− and the odds ratio."""
    up, down = sensitivity / (1 - specificity), (1 - sensitivity) / specificity
    return up, down, up / down


def main() -> None:
    print("| sensitivity | specificity | items | LR+ | LR− | odds ratio |")
    print("| ---: | ---: | ---: | ---: | ---: | ---: |")
    for n in ITEMS:
        ends, k = intervals(n), np.arange(n + 1)
        for test in TESTS:
            chance = np.outer(*(binom.pmf(k, n, p) for p in test)).reshape(-1)
            held = []
            for (low, high), true in zip(ends, true_ratios(*test), strict=True):
                with np.errstate(invalid="ignore"):
                    inside = (low <= true) & ((true <= high) | np.isnan(high))
                held.append(100 * float(chance[inside].sum()))
            shares = " | ".join(f"{x:.1f} %" for x in held)
            print(f"| {test[0]:g} | {test[1]:g} | {n} + {n} | {shares} |", flush=True)


if __name__ == "__main__":
    main()

"""``python -m studies.thresholds [data sets]``: does a chosen threshold do what is expected of it?

Data sets are drawn from populations in which the score of any threshold is known to three digits.
The table goes into docs/thresholds.md. Same seed, same page, whatever the machine.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import evenhand as eh
from benchmarks.harness import write

PAGE = Path("docs/thresholds.md")
POPULATIONS = ((2, 0.2, 100), (2, 0.1, 400), (2, 0.05, 1000), (2, 0.5, 200), (4, 0.15, 300))
"""Classes, the share of the one that has the threshold, items."""
SETS = 400
LARGE = 200_000


def drawn(rng: np.random.Generator, k: int, share: float, n: int) -> eh.SoftSample:
    """Items whose probabilities lean to the truth, and are surer than they should be."""
    truth = rng.choice(k, n, p=[share, *[(1 - share) / (k - 1)] * (k - 1)])
    logits = rng.normal(size=(n, k)) + 1.5 * (truth[:, None] == np.arange(k))
    p = np.exp(1.5 * logits)
    p /= p.sum(axis=1, keepdims=True)
    return eh.Sample.from_probabilities(truth, {"system": p}, labels=range(k))


def held(k: int, share: float, n: int, sets: int) -> np.ndarray:
    """Of each data set: optimism as it is and as estimated, its error, whether ends hold."""
    rng = np.random.default_rng([k, n])
    population, rows = drawn(rng, k, share, LARGE), []
    for seed in range(sets):
        found = eh.thresholds(drawn(rng, k, share, n), label=0, at=[0.5], seed=seed)
        truth = eh.macro_f1(population.decided(0, found.best))
        here, there, extra = found.chosen["macro_f1"], found.expected, found.optimism
        ends = (s.low <= truth <= s.high for s in (there, here))
        rows.append([here.value - truth, extra.value, extra.se, *ends])
    return np.array(rows, float)


def table(sets: int) -> str:
    """One row a population."""
    lines = [
        f"{sets} data sets each; points of macro_f1, and how often a 95 % interval holds the score "
        "of the chosen threshold in the population.",
        "",
        "| classes | share | items | optimism | estimated | its spread | error stated | "
        "held, expected | held, as if given |",
        "| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for k, share, n in POPULATIONS:
        x = held(k, share, n, sets)
        real, found, error, there, here = 100 * x.mean(axis=0)
        spread = 100 * x[:, 1].std(ddof=1)
        numbers = " | ".join(f"{v:.1f}" for v in (real, found, spread, error))
        lines.append(
            f"| {k} | {100 * share:.0f} % | {n:,} | {numbers} | {there:.0f} % | {here:.0f} % |"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    write(PAGE, "thresholds", table(int(sys.argv[1]) if len(sys.argv) > 1 else SETS))

"""Do intervals of areas under curves, the Brier score and log loss hold? (docs/probabilities.md)"""

import sys
from itertools import product

import numpy as np
from scipy.special import expit, logit
from scipy.stats import norm

import evenhand as eh

SIZES, SHARES, AREAS = (100, 300, 1000, 2000), (0.02, 0.1, 0.3, 0.5), (0.6, 0.8, 0.95, 0.99)
METRICS = ("roc_auc", "average_precision", "brier", "log_loss")
GRID = np.linspace(-12, 16, 400_001)


def posterior(x, gap, share):
    """How probable the positive class is, whose scores are as spread as the others', but higher."""
    return expit(gap * x - gap**2 / 2 + logit(share))


def truth(area, share):
    """The four metrics of the whole population."""
    gap = np.sqrt(2) * norm.ppf(area)
    p = posterior(GRID, gap, share)
    hits, alarms = share * norm.sf(GRID - gap), (1 - share) * norm.sf(GRID)
    precision = np.divide(hits, hits + alarms, out=np.ones(len(GRID)), where=hits + alarms > 0)
    density = share * norm.pdf(GRID - gap) + (1 - share) * norm.pdf(GRID)
    entropy = -p * np.log(np.maximum(p, 1e-300)) - (1 - p) * np.log1p(-np.minimum(p, 1 - 1e-16))
    means = (precision * norm.pdf(GRID - gap), density * p * (1 - p), density * entropy)
    return [area, *(np.trapezoid(x, GRID) for x in means)]


def covered(rng, n, share, area, repeats):
    """How often intervals hold, of those that there are, and how often items are said to be few."""
    known, gap = truth(area, share), np.sqrt(2) * norm.ppf(area)
    held, intervals, warned = np.zeros(4), np.zeros(4), 0
    for _ in range(repeats):
        y = (rng.random(n) < share).astype(int)
        if not 0 < y.sum() < n:
            continue
        p = posterior(rng.normal(size=n) + gap * y, gap, share)
        scores = eh.score(y, p, positive=1, metrics=METRICS, probabilities=True)
        warned += any("fewer than 50 true items" in x for x in scores.warnings)
        for i, name in enumerate(METRICS):
            if (interval := scores[name]).low is not None:
                intervals[i] += 1
                held[i] += interval.low <= known[i] <= interval.high
    return held / intervals, warned / repeats


def main(repeats: int = 400, seed: int = 43) -> None:
    """Print a row for each cell: how often 95 % intervals hold, in per cent, and are warned of."""
    print(f"{repeats} data sets a row, 95 % intervals, seed {seed}")
    print(f"| items | positive | area | {' | '.join(METRICS)} | warned |")
    print("|" + " --- |" * 8)
    for n, share, area in product(SIZES, SHARES, AREAS):
        rng = np.random.default_rng([seed, n, int(100 * share), int(100 * area)])
        held, warned = covered(rng, n, share, area, repeats)
        cells = " | ".join(f"{100 * x:.1f}" for x in (*held, warned))
        print(f"| {n:,} | {share:g} | {area:g} | {cells} |", flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))

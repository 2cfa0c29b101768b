"""``python -m studies.saerens 1000``: do intervals of Saerens' class mix hold the shares?

Items are normal around the middle of their class, so that the posterior is known; the classifier's
logits are a factor too large or too small. Labelled items have one mix, new ones another.
docs/prevalence.md has the table.
"""

from __future__ import annotations

import math
import os
import sys

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
import numpy as np

import evenhand as eh

LABELLED, NEW, REPLICATES = 600, 800, 200
MIXES = {
    3: ((0.5, 0.3, 0.2), (0.2, 0.3, 0.5)),
    4: ((0.4, 0.3, 0.2, 0.1), (0.1, 0.2, 0.3, 0.4)),
}
"""Of the labelled and of the new items."""
FACTORS = (2.0, 1.0, 0.5)


def drawn(
    rng: np.random.Generator,
    n: int,
    mix: tuple[float, ...],
    prior: tuple[float, ...],
    factor: float,
) -> tuple[np.ndarray, np.ndarray]:
    """True classes, and probabilities for the ``prior`` whose logits are ``factor`` times right."""
    k = len(mix)
    true = rng.choice(k, n, p=mix)
    centres = 2.0 * np.eye(k)
    logits = factor * (rng.normal(centres[true], 1.0) @ centres.T - 2.0 + np.log(prior))
    p = np.exp(logits - logits.max(axis=1, keepdims=True))
    return true, p / p.sum(axis=1, keepdims=True)


def study(k: int, factor: float, fitted: bool, times: int) -> np.ndarray:
    """How often each class's interval holds its share."""
    here, there = MIXES[k]
    held = np.zeros(k)
    for i in range(times):
        rng = np.random.default_rng([23, k, int(10 * factor), i])
        true, p = drawn(rng, LABELLED, here, here, factor)
        _, new = drawn(rng, NEW, there, here, factor)
        labels = list(range(k))
        data = (
            [eh.Sample.from_probabilities(true, {"m": p}, labels=labels)]
            if fitted
            else [eh.Confusion.from_labels(true, p.argmax(axis=1), labels=labels)]
        )
        estimate = eh.shift.estimate_prevalence(
            *data, predicted=new, metrics="accuracy", replicates=REPLICATES, seed=i
        )
        shares = [c.shares["saerens"] for c in estimate.classes]
        held += [v.low <= x <= v.high for v, x in zip(shares, there, strict=True)]
    return held / times


def main() -> None:
    """A row a design."""
    times = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    print("| classes | logits | temperature | shares covered | the class covered least |")
    print("| ---: | --- | --- | ---: | ---: |")
    for k in MIXES:
        for factor in FACTORS:
            for fitted in (True, False):
                held = study(k, factor, fitted, times)
                mean, least = held.mean(), held.min()
                error = math.sqrt(least * (1 - least) / times)
                print(
                    f"| {k} | × {factor:g} | {'fitted' if fitted else 'taken as 1'} "
                    f"| {100 * mean:.1f} % | {100 * least:.1f} ± {100 * error:.1f} % |",
                    flush=True,
                )


if __name__ == "__main__":
    main()

"""Agree: how often the interval of Krippendorff's alpha holds the alpha of very many items.

``python -m studies.agree 1000`` prints a line a class mix and number of items: annotators see the
true label and give it, or at a rate another drawn from the class mix; the share of data sets whose
interval holds it, the lowest of the rates, the mean width, and the share with a warning.
"""

from __future__ import annotations

import sys

import numpy as np

import evenhand as eh

MIXES = {
    "5 %": (0.95, 0.05),
    "10 %": (0.9, 0.1),
    "5 and 10 %": (0.85, 0.1, 0.05),
    "even": (0.5, 0.5),
}
SIZES, RATES, ANNOTATORS = (15, 30, 60, 100), (0.05, 0.15, 0.4), 3


def drawn(rng, n, mix, rate):
    """Ratings of n items, annotators in columns."""
    labels = len(mix)
    true = rng.choice(labels, n, p=mix)
    other = rng.choice(labels, (n, ANNOTATORS), p=mix)
    return np.where(rng.random((n, ANNOTATORS)) < rate, other, true[:, None])


def found(ratings):
    """The agreement of ratings in columns."""
    return eh.agree({i: ratings[:, i].tolist() for i in range(ANNOTATORS)})


def study(rng, n, mix, rate, times):
    """Shares of data sets that hold the truth, and that warn or give no interval; mean width."""
    expected = (1 - rate) ** 2  # two annotators give the true label, else labels of the mix
    held, warned, width = 0, 0, []
    for _ in range(times):
        result = found(drawn(rng, n, mix, rate))
        a = result.alpha
        warned += bool(result.warnings)
        if a.low is None:
            held += 1  # it says that it does not know
            continue
        held += a.low - 1e-12 <= expected <= a.high + 1e-12
        width.append(a.high - a.low)
    return held / times, warned / times, float(np.mean(width)) if width else float("nan")


def main() -> None:
    times = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    rng = np.random.default_rng(0)
    print("| rare class | items | alpha 0.90 | alpha 0.72 | alpha 0.36 | widths | warned |")
    print("| --- | ---: | ---: | ---: | ---: | --- | --- |")
    for name, mix in MIXES.items():
        for n in SIZES:
            rows = [study(rng, n, mix, rate, times) for rate in RATES]
            held = " | ".join(f"{100 * x[0]:.1f} %" for x in rows)
            widths = ", ".join(f"{x[2]:.2f}" for x in rows)
            warned = ", ".join(f"{100 * x[1]:.0f}" for x in rows)
            print(f"| {name} | {n} | {held} | {widths} | {warned} % |", flush=True)


if __name__ == "__main__":
    main()

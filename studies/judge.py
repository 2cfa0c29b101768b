"""Do corrected intervals hold? Judges of several kinds, and few human labels (docs/judges.md)."""

import sys

import numpy as np

import evenhand as eh

METRICS = ["macro_f1", "f1_of_averages", "accuracy", "kappa", "mcc"]
MIXES = {
    2: [0.8, 0.2],
    3: [0.6, 0.3, 0.1],
    8: [0.3, 0.2, 0.15, 0.1, 0.1, 0.06, 0.05, 0.04],
}
DESIGNS = [
    (2, 0.6, "towards", 150), (2, 0.8, "independent", 150), (2, 0.95, "against", 600),
    (2, 0.8, "towards", 50), (3, 0.6, "independent", 600), (3, 0.8, "towards", 150),
    (3, 0.95, "against", 150), (3, 0.95, "towards", 50), (8, 0.6, "towards", 150),
    (8, 0.8, "against", 600), (8, 0.95, "independent", 600), (8, 0.95, "against", 50),
]  # fmt: skip
"""Classes, how often the judge is right, where its errors lean to, and human labels."""
ITEMS = 3000


def draw(rng, k, right, lean, n):
    """Truth, a system that is right in three of four items by skill, and the judge's labels."""
    true = rng.choice(k, n, p=MIXES[k])
    pred = np.where(rng.random(n) < 0.75, true, rng.choice(k, n, p=MIXES[k]))
    wrong = rng.choice(k, n)
    if lean == "towards":
        wrong = np.where(rng.random(n) < 0.7, pred, wrong)
    if lean == "against":
        wrong = np.where(wrong == pred, (wrong + 1) % k, wrong)
    return true, pred, np.where(rng.random(n) < right, true, wrong)


def main(repeats: int = 400, seed: int = 44) -> None:
    """Print a row for each design: coverage and relative width, by metric."""
    rng = np.random.default_rng(seed)
    print(f"{repeats} data sets a row, {ITEMS:,} judged items, 95 % intervals, seed {seed}")
    print("| classes | judge | errors | labels | " + " | ".join(METRICS) + " | width |")
    print("|" + " --- |" * (5 + len(METRICS)))
    for k, right, lean, labels in DESIGNS:
        true, pred, _ = draw(rng, k, right, lean, 1_000_000)
        every = eh.score(true, pred, metrics=METRICS, interval=None)
        covered, width = np.zeros(len(METRICS)), 0.0
        for _ in range(repeats):
            true, pred, judge = draw(rng, k, right, lean, ITEMS)
            human = [int(t) if i < labels else None for i, t in enumerate(true)]
            scores = eh.score(human, pred.tolist(), judge=judge.tolist(), metrics=METRICS)
            for i, name in enumerate(METRICS):
                s = scores[name]
                covered[i] += s.low <= every[name].value <= s.high
            lead, alone = scores["macro_f1"], scores["macro_f1"].judged.human
            width += (lead.high - lead.low) / (alone.high - alone.low)
        cells = " | ".join(f"{100 * c / repeats:.1f}" for c in covered)
        row = f"| {k} | {right:.0%} | {lean} | {labels} | {cells} | {width / repeats:.2f} |"
        print(row, flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))

"""The laboratory: simulated grids, and the property table."""

from __future__ import annotations

from benchmarks.harness import Case, Timing

GRID = """
import numpy as np, evenhand as eh
s, rng = eh.simulate, np.random.default_rng(0)
k = {k}
x, y = np.linspace(1 / k, 1, 21), np.linspace(0, 1, 21)
mix, channel = s.graded_mix(k, y[:, None]), s.even_errors(k, x[None, :])
eh.f1_gap(s.tables(mix, channel, items=2000, draws=1, rng=rng))
"""
RUN = "eh.f1_gap(s.tables(mix, channel, items=2000, draws=200, rng=rng)).mean(axis=0)"

LOOP = """
import numpy as np
from sklearn.metrics import f1_score, precision_score, recall_score
rng, k = np.random.default_rng(0), {k}
mix = np.arange(1, k + 1) / np.arange(1, k + 1).sum()
def task(accuracy=0.6):
    true = rng.choice(k, 2000, p=mix)
    right = rng.random(2000) < accuracy
    pred = np.where(right, true, (true + rng.integers(1, k, 2000)) % k)
    kind = dict(average="macro", zero_division=0)
    p, r = precision_score(true, pred, **kind), recall_score(true, pred, **kind)
    return 2 * p * r / (p + r) - f1_score(true, pred, **kind)
"""

POINTS = 21 * 21 * 200


def cases() -> list[Case]:
    """The claims about simulations and properties."""
    return [
        *(
            Case(
                f"Figure 2's grid, {k} classes, 200 tasks of 2,000 items a point",
                "21 × 21 points of accuracy and class skew; scikit-learn does 100 of the "
                f"{POINTS:,} tasks, one by one.",
                (
                    Timing(
                        "evenhand, one stack of tables",
                        GRID.format(k=k),
                        RUN,
                        repeat=3,
                        units=POINTS,
                    ),
                    Timing(
                        "numpy and scikit-learn, a loop",
                        LOOP.format(k=k),
                        "[task() for _ in range(100)]",
                        repeat=3,
                        units=100,
                    ),
                ),
                "the grid in seconds, at least 50 times faster a task",
                unit="task",
            )
            for k in (4, 13)
        ),
        Case(
            "The five properties of every registered metric",
            "Tables of 2, 3 and 4 classes, counter-examples certified in exact fractions.",
            (
                Timing(
                    "eh.properties.table()",
                    "import evenhand as eh\nfrom evenhand.properties import table",
                    "table()",
                    repeat=1,
                ),
            ),
            "under two minutes on two cores",
            unit="table",
        ),
    ]

"""Another class mix: sweeps of every metric, and the mix of unlabelled predictions."""

from __future__ import annotations

from benchmarks.harness import Case, Timing

TABLE = """
import numpy as np, evenhand as eh
rng = np.random.default_rng(0)
cells = rng.poisson(20, (20, 20)) + 400 * np.eye(20, dtype=int)
shares = np.linspace(0.001, 0.999, 1000)
"""

SWEEP = TABLE + "eh.shift.sweep(cells, label=3, at=shares[:5], interval=None)"

LOOP = (
    TABLE
    + """
from sklearn import metrics
from sklearn.metrics import precision_recall_fscore_support as scores
true, pred = (x.ravel() for x in np.indices(cells.shape))
prevalence = cells.sum(axis=1)
rates = cells / prevalence[:, None]
def at(share):
    mix = prevalence.astype(float)
    mix[3] = 0
    mix *= (1 - share) / mix.sum()
    mix[3] = share
    w = (mix[:, None] * rates).ravel()
    for average in ("micro", "macro", "weighted"):
        scores(true, pred, sample_weight=w, average=average, zero_division=0)
    metrics.accuracy_score(true, pred, sample_weight=w)
    metrics.balanced_accuracy_score(true, pred, sample_weight=w)
    metrics.cohen_kappa_score(true, pred, sample_weight=w)
    metrics.matthews_corrcoef(true, pred, sample_weight=w)
"""
)

ESTIMATE = """
import numpy as np, evenhand as eh
rng = np.random.default_rng(0)
cells = rng.poisson(10, (10, 10)) + 300 * np.eye(10, dtype=int)
labels = rng.integers(0, 10, 100_000)
p = rng.dirichlet(np.full(10, 0.2), 10_000)
"""


def cases() -> list[Case]:
    """The claims about prevalence."""
    return [
        Case(
            "A sweep of 1,000 class mixes, all metrics, 20 classes",
            "One class from 0.1 % to 99.9 %. evenhand computes its 19 metrics at all points; "
            "scikit-learn gets the cells as items with sample weights, at 20 of the 1,000 points, "
            "and computes the 13 of them that it has. Times are for one point.",
            (
                Timing(
                    "evenhand, one vectorised pass",
                    SWEEP,
                    "eh.shift.sweep(cells, label=3, at=shares, interval=None)",
                    units=1000,
                ),
                Timing(
                    "evenhand, with an interval at every point",
                    SWEEP,
                    "eh.shift.sweep(cells, label=3, at=shares)",
                    repeat=3,
                    units=1000,
                ),
                Timing(
                    "scikit-learn, loop with sample weights",
                    LOOP,
                    "[at(s) for s in shares[::50]]",
                    repeat=3,
                    units=20,
                ),
            ),
            "at least 100 times faster a point",
            unit="point",
        ),
        Case(
            "The mix of unlabelled predictions, 10 classes",
            "Two estimates from labels, three with probabilities, 1,000 replicates of both "
            "samples (fewer where said), the test of fit and all metrics.",
            (
                Timing(
                    "100,000 labels",
                    ESTIMATE,
                    "eh.shift.estimate_prevalence(cells, predicted=labels)",
                    repeat=3,
                ),
                Timing(
                    "10,000 items with probabilities",
                    ESTIMATE,
                    "found = eh.shift.estimate_prevalence(cells, predicted=p)\n"
                    "note = f'{found.replicates} replicates'",
                    repeat=3,
                ),
            ),
            "seconds",
        ),
    ]

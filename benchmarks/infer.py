"""Intervals and paired comparison, beside loops over scikit-learn."""

from __future__ import annotations

from benchmarks.harness import Case, Timing

LABELS = """
import numpy as np
rng = np.random.default_rng(0)
true = rng.integers(0, 10, 100_000)
def system(share):
    return np.where(rng.random(len(true)) < share, true, rng.integers(0, 10, len(true)))
"""

ONE = (
    LABELS
    + """
import evenhand as eh
pred = system(0.7)
statement = lambda: eh.score(eh.Confusion.from_labels(true, pred), metrics=["macro_f1"],
                             interval="bootstrap", replicates=1000)
statement()
"""
)

ONE_LOOP = (
    LABELS
    + """
from sklearn.metrics import f1_score
pred = system(0.7)
def replicate():
    at = rng.integers(0, len(true), len(true))
    return f1_score(true[at], pred[at], average="macro")
"""
)

TEN = (
    LABELS
    + """
import evenhand as eh
sample = eh.Sample.from_labels(true, {f"s{i}": system(0.6 + 0.02 * i) for i in range(10)})
options = dict(metrics=["macro_f1"], tests="bootstrap")
eh.compare(sample, replicates=2, **options)
"""
)

TEN_LOOP = (
    LABELS
    + """
from sklearn.metrics import f1_score
systems = [system(0.6 + 0.02 * i) for i in range(10)]
def replicate():
    at = rng.integers(0, len(true), len(true))
    return [f1_score(true[at], p[at], average="macro") for p in systems]
"""
)

DELTA = """
import numpy as np
from evenhand.catalogue.binding import bind
from evenhand.inference.intervals import estimates
from evenhand.inference.intervals import IntervalSettings
from evenhand.data.confusion import Confusion
rng = np.random.default_rng(0)
table = Confusion.from_matrix(rng.poisson(20, (10, 10)) + 200 * np.eye(10, dtype=int))
how = IntervalSettings("delta", transform="range")
def interval(metric):
    return estimates(table, [bind(metric, table)], how)
interval("macro_f1")
"""

SPARSE = (
    DELTA
    + """
true = rng.integers(0, 5000, 200_000)
pred = np.where(rng.random(200_000) < 0.7, true, rng.integers(0, 5000, 200_000))
table = Confusion.from_labels(true, pred)
note = type(table.data).__name__
"""
)


def cases() -> list[Case]:
    """The claims about intervals and tests."""
    return [
        Case(
            "1,000 bootstrap replicates of macro_f1, 100,000 rows, 10 classes",
            "evenhand counts the rows, draws and scores, with the class table's intervals too; "
            "scikit-learn's loop is measured on 5 replicates.",
            (
                Timing("evenhand", ONE, "statement()", units=1000),
                Timing(
                    "scikit-learn, loop of f1_score",
                    ONE_LOOP,
                    "[replicate() for _ in range(5)]",
                    repeat=3,
                    units=5,
                ),
            ),
            "at least 1,000 times faster",
            unit="replicate",
        ),
        Case(
            "1,000 paired replicates of macro_f1, ten systems on 100,000 items",
            "All 45 pairs compared by the bootstrap; the loop is measured on 2 replicates.",
            (
                Timing(
                    "evenhand",
                    TEN,
                    "eh.compare(sample, replicates=1000, **options)",
                    repeat=3,
                    units=1000,
                ),
                Timing(
                    "scikit-learn, loop of f1_score",
                    TEN_LOOP,
                    "[replicate() for _ in range(2)]",
                    repeat=3,
                    units=2,
                ),
            ),
            "at least 100 times faster",
            unit="replicate",
        ),
        Case(
            "The delta interval from a table",
            "No items are touched; 5,000 sparse classes have about 65,000 non-empty cells.",
            (
                Timing("macro_f1, 10 classes", DELTA, "interval('macro_f1')", repeat=101),
                Timing("mcc, 10 classes", DELTA, "interval('mcc')", repeat=101),
                Timing("macro_f1, 5,000 sparse classes", SPARSE, "interval('macro_f1')"),
                Timing("mcc, 5,000 sparse classes", SPARSE, "interval('mcc')"),
            ),
            "under 1 ms for 10 classes and under 1 s for 5,000",
        ),
    ]

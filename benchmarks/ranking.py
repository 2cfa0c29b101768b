"""Leaderboards: a joint bootstrap of many systems beside a loop over scikit-learn."""

from __future__ import annotations

from benchmarks.harness import Case, Timing

LABELS = """
import numpy as np
rng = np.random.default_rng(0)
true = rng.choice(10, 50_000, p=np.arange(1, 11) / 55)
def system(share):
    return np.where(rng.random(len(true)) < share, true, rng.integers(0, 10, len(true)))
systems = {f"s{i:02}": system(0.6 + 0.004 * i) for i in range(50)}
"""

FIFTY = (
    LABELS
    + """
import evenhand as eh
from evenhand.catalogue.lists import default_metrics
core = [m for m in map(str, default_metrics()) if m != "f1_gap"]
def ranked(replicates):
    return eh.rank(true, systems, metrics=core, replicates=replicates)
ranked(2)
note = f"{len(core)} metrics"
"""
)

LOOP = (
    LABELS
    + """
from sklearn import metrics as sk
def scores(y, p):
    options = dict(zero_division=0)
    found = [sk.accuracy_score(y, p), sk.balanced_accuracy_score(y, p)]
    found += [sk.cohen_kappa_score(y, p), sk.matthews_corrcoef(y, p)]
    for average in ("micro", "macro", "weighted"):
        found += sk.precision_recall_fscore_support(y, p, average=average, **options)[:3]
    return found
some = list(systems.values())[:2]
def replicate():
    at = rng.integers(0, len(true), len(true))
    return [scores(true[at], p[at]) for p in some]
note = "13 of the metrics, on 2 systems and 1 replicate"
"""
)

TABLES = """
import numpy as np
import evenhand as eh
rng = np.random.default_rng(0)
def table(share):
    hit = share * np.eye(10) + (1 - share) / 10
    return eh.Confusion.from_matrix(rng.multinomial(1000, hit))
tables = {f"s{i:03}": table(0.5 + 0.002 * i) for i in range(200)}
"""

THOUSAND = """
import numpy as np
import evenhand as eh
rng = np.random.default_rng(0)
true = rng.integers(0, 5, 1000)
def system(share):
    return np.where(rng.random(1000) < share, true, rng.integers(0, 5, 1000))
systems = {f"s{i:04}": system(0.5 + 0.0004 * i) for i in range(1000)}
some = dict(list(systems.items())[:100])
eh.rank(true, {"a": true, "b": true}, replicates=2)
"""


def cases() -> list[Case]:
    """The claims about ranking."""
    return [
        Case(
            "50 systems × 50,000 items × 1,000 joint replicates × all core metrics",
            "evenhand counts, ranks every replicate under every metric, tests all 1,225 pairs; "
            "scikit-learn's loop is measured on a fraction (2 of 50 systems, 1 replicate, fewer "
            "metrics) and does nothing but score.",
            (
                Timing("evenhand", FIFTY, "ranked(1000)", repeat=1, units=50_000),
                Timing("scikit-learn, loop", LOOP, "replicate()", repeat=3, units=2),
            ),
            "at least 100 times faster",
            unit="system and replicate",
        ),
        Case(
            "200 systems from tables alone",
            "All core metrics and their calibrated versions: scores, intervals, ranks, "
            "correlations, flips, baselines.",
            (Timing("evenhand", TABLES, "eh.rank(tables)", repeat=3),),
            "under a second",
        ),
        Case(
            "1,000 systems × 1,000 items × 2,000 joint replicates × every metric",
            "36 metrics, each with tests, letters and places of 499,500 pairs of systems; beside "
            "it 100 systems, to show what of the time grows with the pairs.",
            (
                Timing("evenhand", THOUSAND, "eh.rank(true, systems)", repeat=1, units=1000),
                Timing(
                    "evenhand, 100 of them", THOUSAND, "eh.rank(true, some)", repeat=1, units=100
                ),
            ),
            "a system of 1,000 at most twice as long as one of 100",
            unit="system",
        ),
    ]

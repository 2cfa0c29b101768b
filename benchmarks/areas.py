"""The area under the ROC curve of many scores, beside scikit-learn and the sort that it needs."""

from __future__ import annotations

from functools import partial

from benchmarks.harness import Case, Timing

SCORES = """
import numpy as np, evenhand as eh
from sklearn.metrics import roc_auc_score
rng = np.random.default_rng(0)
true = (rng.random(10_000_000) < 0.3).astype(np.int64)
scores = rng.normal(size=len(true)) + true
for function in (eh.roc_auc, roc_auc_score):
    function(true[:100], scores[:100])
"""


def cases() -> list[Case]:
    """The claim about scores."""
    timing = partial(Timing, setup=SCORES, repeat=3, clock="process_time")
    scored = 'eh.score(true, scores, positive=1, metrics="roc_auc")'
    return [
        Case(
            "ROC AUC of 10 million scores",
            "Two classes, float64, hardly any ties; CPU time.",
            (
                timing("evenhand, score with DeLong's interval", statement=scored),
                timing("evenhand, roc_auc alone", statement="eh.roc_auc(true, scores)"),
                timing("scikit-learn, roc_auc_score", statement="roc_auc_score(true, scores)"),
                timing("numpy, sort of the scores", statement="np.sort(scores)"),
            ),
            "with its interval at most 3 times numpy's sort (not reached)",
        )
    ]

"""scikit-learn's functions, theirs and ours of the same name, by turns on the same data."""

from __future__ import annotations

from benchmarks.harness import Interleaved

DATA = """
import numpy as np, warnings
import sklearn.metrics as theirs
from evenhand.bridges import sklearn as ours
warnings.simplefilter("ignore")
rng = np.random.default_rng(0)
n = {n}
true = rng.integers(0, 10, n)
pred = np.where(rng.random(n) < 0.8, true, rng.integers(0, 10, n))
"""
TEXT = 'true, pred = ([f"class {i}" for i in side] for side in (true, pred))'
MANY = "true, pred = (rng.random((n // 10, 20)) < 0.2 for _ in range(2))"
CALLS = (
    ("f1_score", "integers", "", "average='macro'"),
    ("f1_score", "lists of text", TEXT, "average='macro'"),
    (
        "f1_score",
        "integers with weights",
        "weights = rng.random(n)",
        "average='macro', sample_weight=weights",
    ),
    (
        "f1_score",
        "indicators of 20 labels for a tenth of them",
        MANY,
        "average='samples', zero_division=0",
    ),
    ("classification_report", "integers", "", ""),
    ("confusion_matrix", "lists of text", TEXT, ""),
    ("matthews_corrcoef", "integers", "", ""),
    ("accuracy_score", "integers", "", ""),
)


def cases() -> list[Interleaved]:
    """One case a call and size."""
    return [_case(n, *call) for n in (1000, 300_000) for call in CALLS]


def _case(n: int, name: str, kind: str, more: str, options: str) -> Interleaved:
    call = f"{name}(true, pred{', ' * bool(options)}{options})"
    return Interleaved(
        f"{name} of {n:,} items, {kind}",
        f"10 classes; `{call}`, the two by turns in one process.",
        DATA.format(n=n) + more,
        {"evenhand": f"ours.{call}", "scikit-learn": f"theirs.{call}"},
        "the same number, sooner",
        rounds=21 if n <= 1000 else 5,
    )

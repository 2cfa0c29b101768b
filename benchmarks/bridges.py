"""scikit-learn's functions, theirs and ours of the same name, on the same data."""

from __future__ import annotations

from benchmarks.harness import Case, Timing

DATA = """
import numpy as np, warnings
from {module} import {name}
warnings.simplefilter("ignore")
rng = np.random.default_rng(0)
true = rng.integers(0, 10, {n})
pred = np.where(rng.random({n}) < 0.8, true, rng.integers(0, 10, {n}))
weights = rng.random({n})
many_true, many_pred = (rng.random(({n} // 10, 20)) < 0.2 for _ in range(2))
text_true, text_pred = ([f"class {{i}}" for i in side] for side in (true, pred))
{name}(true[:100], pred[:100]{first})
"""
MACRO = "average='macro'"
CALLS = (
    ("f1_score", "true, pred", MACRO),
    ("f1_score", "text_true, text_pred", MACRO),
    ("f1_score", "true, pred", f"{MACRO}, sample_weight=weights"),
    ("f1_score", "many_true, many_pred", "average='samples', zero_division=0"),
    ("classification_report", "true, pred", ""),
    ("confusion_matrix", "text_true, text_pred", ""),
    ("matthews_corrcoef", "true, pred", ""),
    ("accuracy_score", "true, pred", ""),
)
WORDS = {
    "true, pred": "integers",
    "text_true, text_pred": "lists of text",
    "many_true, many_pred": "a tenth as many items of 20 labels as booleans",
}


def cases() -> list[Case]:
    """One case a call and size."""
    return [_case(n, *call) for n in (1000, 1_000_000) for call in CALLS]


def _case(n: int, name: str, data: str, options: str) -> Case:
    call = f"{name}({data}{', ' * bool(options)}{options})"
    first = f", {MACRO}" if name == "f1_score" else ""
    modules = {"evenhand": "evenhand.bridges.sklearn", "scikit-learn": "sklearn.metrics"}
    timings = tuple(
        Timing(who, DATA.format(module=module, name=name, n=n, first=first), call, repeat=5)
        for who, module in modules.items()
    )
    weighted = ", weighted" if "sample_weight" in options else ""
    average = ", average='samples'" if "samples" in options else ""
    title = f"{name} of {n:,} items, {WORDS[data]}{weighted}{average}"
    return Case(title, "10 classes.", timings, "the same number, sooner")

"""What the tests of torch and JAX share: spellings, batches, and slopes by differences."""

from fractions import Fraction

import numpy as np

from evenhand.catalogue.lists import table_metrics

LABELS = ("ant", "bee", "cat", "dog")
K = len(LABELS)
METRICS = table_metrics()
SMOOTH = [m for m in METRICS.values() if m.smooth and m.better != "neither"]
SINGLE = [
    *(f"{m.name}:label=bee" if m.of_one_class else m.name for m in SMOOTH if "single" in m.tasks),
    *(f"{m.name}@uniform" for m in SMOOTH if m.name in ("macro_f1", "mcc", "kappa", "accuracy")),
    *(f"macro_recall:p={p}" for p in ("-inf", -2, 0, 0.5, 2, "inf")),
    "macro_fbeta:beta=2",
    "macro_jaccard",
    "weighted_jaccard",
    "micro_jaccard",
    "macro_f1@ant=0.1,bee=0.2,cat=0.3,dog=0.4",
    "f1:label=cat@uniform",
    "weighted_kappa:distance=quadratic",
]
MULTI = [f"{m.name}:label=bee" if m.of_one_class else m.name for m in SMOOTH if "multi" in m.tasks]
NOT_LOSSES = [m for m in METRICS.values() if not m.smooth or m.better == "neither"]

RANDOM = np.random.default_rng(11)
LOGITS = RANDOM.normal(0, 1.5, (12, K))
CODES = np.array([0, 0, 0, 0, 0, 1, 1, 1, 2, 2, 3, 3])
SETS = RANDOM.random((12, K)) < 0.4
"""A batch in which every class occurs; and batches that lack some."""
BATCHES = {
    "a class is never true": np.array([0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 2]),
    "one class only": np.zeros(12, int),
    "one item": np.array([2]),
}


def differences(loss, logits, h=1e-4):
    """Slopes of a loss in each of the logits: central differences, extrapolated (Richardson).

    ``loss`` takes a stack of batches and gives a value of each.
    """
    steps = np.eye(logits.size).reshape(-1, *logits.shape)
    sizes = np.array([h, -h, 2 * h, -2 * h]).reshape(4, 1, 1, 1)
    near, before, far, back = loss(logits + sizes * steps).reshape(4, -1)
    found = (4 * (near - before) / (2 * h) - (far - back) / (4 * h)) / 3
    return found.reshape(logits.shape)


def soft_macro_f1(codes, probabilities):
    """Macro F1 of a soft table over all classes, in fractions."""
    p = [[Fraction(v) for v in row] for row in probabilities]
    values = []
    for j in range(len(p[0])):
        hit = sum((row[j] for row, c in zip(p, codes, strict=True) if c == j), Fraction(0))
        said = sum((row[j] for row in p), Fraction(0))
        there = sum(c == j for c in codes)
        values.append(2 * hit / (said + there) if said + there else Fraction(0))
    return sum(values) / len(values)

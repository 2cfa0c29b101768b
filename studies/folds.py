"""``python -m studies.folds [data sets]``: do intervals over folds hold, naive and corrected?

Data sets are drawn from one population, classes as clouds in four directions. Two models see two
directions each, so that in expectation neither is better: whatever a test finds is false. What an
interval should hold is the expected mean over folds, known from all data sets together. The table
goes into docs/sklearn.md. Same seed, same page, whatever the machine.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from itertools import product
from pathlib import Path

import numpy as np

import evenhand as eh
from benchmarks.harness import write
from evenhand.inference.multiplicity import ResampledMean, resampled_mean

PAGE = Path("docs/sklearn.md")
DESIGNS = ((100, 10, 1), (300, 10, 1), (300, 5, 1), (300, 2, 5), (100, 10, 10))
"""Items, folds, repeats."""
SHARES = (0.5, 0.35, 0.15)
METRICS = ("accuracy", "macro_f1")
SETS = 1000
LEVEL = 0.95


def drawn(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Items of three classes, whose means lie apart alike in both pairs of directions."""
    y = rng.choice(3, n, p=SHARES)
    centres = np.array([[0.0, 0.0], [1.2, 0.0], [0.6, 1.0]])
    return np.tile(centres[y], 2) + rng.normal(size=(n, 4)), y


def nearest_mean(X: np.ndarray, y: np.ndarray, train: np.ndarray, test: np.ndarray) -> np.ndarray:
    """The class whose mean is nearest: a model that hardly changes with its training items."""
    known = [c for c in range(3) if (y[train] == c).any()]
    centres = np.array([X[train][y[train] == c].mean(axis=0) for c in known])
    return np.array(known)[((X[test][:, None] - centres) ** 2).sum(axis=2).argmin(axis=1)]


def nearest_item(X: np.ndarray, y: np.ndarray, train: np.ndarray, test: np.ndarray) -> np.ndarray:
    """The class of the nearest item: a model that changes a lot."""
    return y[train][((X[test][:, None] - X[train]) ** 2).sum(axis=2).argmin(axis=1)]


Model = Callable[[np.ndarray, np.ndarray, np.ndarray, np.ndarray], np.ndarray]
MODELS: dict[str, Model] = {"nearest mean": nearest_mean, "nearest item": nearest_item}


def validated(
    rng: np.random.Generator, model: Model, n: int, k: int, repeats: int
) -> eh.CrossValidated:
    """Both models on the same folds of one data set."""
    X, y = drawn(rng, n)
    rows, folds, said = [], [], {"A": [], "B": []}
    for _ in range(repeats):
        fold = rng.permutation(np.arange(n) % k)
        for f in range(k):
            train, test = np.flatnonzero(fold != f), np.flatnonzero(fold == f)
            rows.append(test)
            folds.append(np.full(len(test), f))
            said["A"].append(model(X[:, :2], y, train, test))
            said["B"].append(model(X[:, 2:], y, train, test))
    systems = {name: np.concatenate(parts).tolist() for name, parts in said.items()}
    return eh.cross_validated(
        y[np.concatenate(rows)].tolist(),
        systems,
        fold=np.concatenate(folds).tolist(),
        repeat=np.repeat(np.arange(repeats), n).tolist(),
        metrics=METRICS,
    )


def share_held(found: list[ResampledMean], truth: float) -> float:
    """How many intervals hold the truth."""
    intervals = [one.interval(LEVEL) for one in found]
    return float(np.mean([x.low <= truth <= x.high for x in intervals]))


def table(sets: int) -> str:
    """One row a design and metric."""
    lines = [
        f"{sets:,} data sets each; how often a 95 % interval over folds holds the expected mean, "
        "and how often two models that do not differ are told apart at 5 %.",
        "",
        "| model | items | folds | repeats | metric | held, naive | held, corrected | "
        "told apart, naive | told apart, corrected |",
        "| --- | ---: | ---: | ---: | --- |" + " ---: |" * 4,
    ]
    for (name, model), design in product(MODELS.items(), DESIGNS):
        rng = np.random.default_rng(design)
        found = [validated(rng, model, *design) for _ in range(sets)]
        ratio = found[0].test_to_train
        for metric in METRICS:
            values = np.array([one["A", metric].folds for one in found])
            apart = values - np.array([one["B", metric].folds for one in found])
            truth, cells = float(values.mean()), []
            for correction in (0.0, ratio):
                cells.append(share_held([resampled_mean(v, correction) for v in values], truth))
            for correction in (0.0, ratio):
                cells.append(1 - share_held([resampled_mean(v, correction) for v in apart], 0.0))
            numbers = " | ".join(f"{100 * c:.1f} %" for c in cells)
            lines.append(f"| {name} | {' | '.join(map(str, design))} | {metric} | {numbers} |")
            print(lines[-1], file=sys.stderr, flush=True)
    return "\n".join(lines)


if __name__ == "__main__":
    write(PAGE, "folds", table(int(sys.argv[1]) if len(sys.argv) > 1 else SETS))

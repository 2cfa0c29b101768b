"""``python -m studies.peers``: what other packages can do, asked of them: README's table.

A yes is code of that package that ran and gave the right answer here. A no is that none of its
public names speaks of it. ``make compare`` installs the packages and prints the table.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.metadata import version
from inspect import isclass, ismodule
from typing import Any

import numpy as np

import evenhand as eh

CELLS = np.array([[4, 1, 1], [6, 2, 2], [3, 0, 6]])
TRUE, PRED = (np.repeat(i.ravel(), CELLS.ravel()) for i in np.indices(CELLS.shape))
MEAN, AVERAGES = 0.4651, 0.5285
"""Both macro F1s of that table."""
PEERS = {
    "scikit-learn": "sklearn.metrics",
    "torchmetrics": "torchmetrics",
    "PyCM": "pycm",
    "evalstats": "evalstats",
    "confidenceinterval": "confidenceinterval",
}


def has_interval(interval: Any, value: float) -> bool:
    """Whether an interval holds a value and is wider than nothing."""
    low, high = map(float, interval)
    return low < value < high


def torch_interval() -> bool:
    """The bootstrap of torchmetrics, whose quantiles are an interval."""
    import torch
    from torchmetrics import BootStrapper
    from torchmetrics.classification import MulticlassF1Score

    torch.manual_seed(0)
    ends = torch.tensor([0.025, 0.975])
    metric = BootStrapper(MulticlassF1Score(num_classes=3), num_bootstraps=200, quantile=ends)
    metric.update(torch.tensor(PRED), torch.tensor(TRUE))
    return has_interval(metric.compute()["quantile"], MEAN)


def pycm_interval() -> bool | str:
    """PyCM has intervals for a list of metrics; macro F1 is not on it."""
    pycm = import_module("pycm")
    try:
        return bool(pycm.ConfusionMatrix(TRUE, PRED).CI("F1 Macro"))
    except pycm.pycmCIError:
        return "no"


def macro_f1(package: str) -> bool:
    """Whether its macro F1 is the mean of the classes' F1."""
    module = import_module(PEERS[package])
    if package == "PyCM":
        value = module.ConfusionMatrix(TRUE, PRED).F1_Macro
    elif package == "torchmetrics":
        tensor = import_module("torch").tensor
        f1_score = import_module("torchmetrics.functional.classification").multiclass_f1_score
        value = f1_score(tensor(PRED), tensor(TRUE), num_classes=3)
    elif package == "confidenceinterval":
        value = module.f1_score(TRUE, PRED, average="macro")[0]
    else:
        value = module.f1_score(TRUE, PRED, average="macro")
    return abs(float(value) - MEAN) < 1e-4


RIGHT = (TRUE == PRED).astype(float)


def of_means(function: str, *arguments: Any) -> Callable[[], str]:
    """Something that evalstats does for means of grades, and for no other metric."""

    def call() -> str:
        return "of means" if getattr(import_module("evalstats"), function)(*arguments) else ""

    return call


FEATURES: dict[str, tuple[str, dict[str, Callable[[], bool | str]]]] = {
    "macro F1 as the mean of F1": (
        r"f1",
        {p: lambda p=p: macro_f1(p) for p in PEERS if p != "evalstats"},  # type: ignore[misc]
    ),
    "the other macro F1, by a name of its own": (r"f1_?of|of_?averages|macro_f1_", {}),
    "an interval for macro F1": (
        r"interval|bootstrap|(^|_)ci(_|$)",
        {
            "torchmetrics": torch_interval,
            "PyCM": pycm_interval,
            "evalstats": of_means("mean_ci", RIGHT),
            "confidenceinterval": lambda: has_interval(
                import_module("confidenceinterval").f1_score(TRUE, PRED, average="macro")[1], MEAN
            ),
        },
    ),
    "paired tests of systems": (
        r"paired|pairwise_diff|mcnemar|permutation_test",
        {"evalstats": of_means("bayes_paired_diff_ci", RIGHT, 1 - RIGHT, 0.05)},
    ),
    "ranks with intervals and ties": (
        r"rank_?(interval|prob|boot)|bootstrap_rank|nemenyi",
        {
            "evalstats": of_means(
                "bootstrap_ranks", np.stack([RIGHT, 1 - RIGHT], 1), ["a", "b"], 200
            )
        },
    ),
    "metrics at another class mix": (r"prevalence|prior|class_mix|calibrate_p", {}),
    "few human labels and a judge": (
        r"judge|ppi",
        {
            "evalstats": of_means(
                "judge_debias_mean_ci", np.tile(RIGHT, 8), np.tile([1, 0, *[None] * 23], 8)
            )
        },
    ),
    "audits of published tables": (r"audit|consisten", {}),
}


def public_names(package: str) -> Iterator[str]:
    """The public names of a package and of its classes."""
    module = import_module(PEERS[package])
    for name, thing in vars(module).items():
        if not name.startswith("_") and not ismodule(thing):
            yield name
            if isclass(thing):
                yield from (n for n in vars(thing) if not n.startswith("_"))


def answer(feature: str, package: str) -> str:
    """``yes``, proved by running it; ``no``; or the names to look at."""
    pattern, proofs = FEATURES[feature]
    if package in proofs:
        worked = proofs[package]()
        return worked if isinstance(worked, str) else "yes" if worked else "wrong"
    names = sorted({n for n in public_names(package) if re.search(pattern, n, re.IGNORECASE)})
    return "no" if not names else f"? {', '.join(names[:4])}"


def main() -> None:
    """The table in Markdown."""
    scores = eh.score(TRUE, PRED)
    assert abs(scores["macro_f1"].value - MEAN) < 1e-4
    assert abs(scores["f1_of_averages"].value - AVERAGES) < 1e-4
    heads = [f"{p} {version(p.lower())}" for p in PEERS]
    print(f"| | evenhand | {' | '.join(heads)} |")
    print("| --- |" + " :-: |" * (len(PEERS) + 1))
    for feature in FEATURES:
        print(f"| {feature} | yes | {' | '.join(answer(feature, p) for p in PEERS)} |")


if __name__ == "__main__":
    main()

"""``python -m studies.packages [data sets]``: intervals and tests beside those of other packages.

Coverage and width of 95 % intervals, false findings and power of paired tests, and CPU time, on
the same data sets: evenhand, a bootstrap loop over scikit-learn's functions, confidenceinterval,
evalstats and torchmetrics' bootstrapper, each where it is installed. The tables go into
docs/intervals.md.
"""

from __future__ import annotations

import math
import os
import sys
import time
import warnings
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
import numpy as np

import evenhand as eh
from benchmarks.harness import write
from evenhand.catalogue.binding import bind_all, evaluate
from evenhand.data.confusion import Confusion
from evenhand.inference.bootstrap import bootstrap
from evenhand.inference.rows import rows_of
from studies.coverage import fresh_populations

PAGE = Path("docs/intervals.md")
METRICS = ("accuracy", "macro_f1", "macro_precision")
CELLS = (1, 4, 8, 13)
"""Populations of ``studies.coverage`` that are used."""
REPLICATES = 200
SLOW = {"torchmetrics": 5}
"""Packages that get one in so many of the data sets."""
Ends = dict[str, tuple[float, float]]


def ours(true: np.ndarray, pred: np.ndarray) -> Ends:
    """The default."""
    scores = eh.score(true, pred, metrics=list(METRICS))
    return {m: (scores[m].low, scores[m].high) for m in METRICS}


def loop(true: np.ndarray, pred: np.ndarray) -> Ends:
    """The middle 95 % of the scores of resampled items, as a loop would give them, all at once."""
    how: Any = {"interval": "bootstrap", "replicates": REPLICATES}
    scores = eh.score(true, pred, metrics=list(METRICS), **how)
    return {m: (scores[m].low, scores[m].high) for m in METRICS}


def looped(true: np.ndarray, pred: np.ndarray) -> None:
    """The loop itself over scikit-learn's functions, for its time."""
    from sklearn.metrics import precision_recall_fscore_support

    rng = np.random.default_rng(0)
    for _ in range(REPLICATES):
        at = rng.integers(0, len(true), len(true))
        precision_recall_fscore_support(true[at], pred[at], average="macro", zero_division=0)


def confidenceinterval(true: np.ndarray, pred: np.ndarray) -> Ends:
    """Its defaults: Wilson for accuracy, Takahashi's method for averages."""
    package = import_module("confidenceinterval")
    return {
        "accuracy": package.accuracy_score(true, pred)[1],
        "macro_f1": package.f1_score(true, pred, average="macro")[1],
        "macro_precision": package.precision_score(true, pred, average="macro")[1],
    }


def evalstats(true: np.ndarray, pred: np.ndarray) -> Ends:
    """Its default for the mean of right answers; it has no macro averages."""
    interval = import_module("evalstats").mean_ci((true == pred).astype(float))
    return {"accuracy": (interval.ci_low, interval.ci_high)}


def torchmetrics(true: np.ndarray, pred: np.ndarray) -> Ends:
    """The middle 95 % of its bootstrapper's draws of items."""
    import torch
    from torchmetrics.classification import (
        MulticlassAccuracy,
        MulticlassF1Score,
        MulticlassPrecision,
    )
    from torchmetrics.wrappers import BootStrapper

    torch.set_num_threads(1)
    torch.manual_seed(len(np.flatnonzero(true == pred)))
    k, tail, ends = int(true.max()) + 1, torch.tensor([0.025, 0.975]), {}
    averages = MulticlassAccuracy(k, average="micro"), MulticlassF1Score(k), MulticlassPrecision(k)
    for name, metric in zip(METRICS, averages, strict=True):
        how: Any = {"num_bootstraps": REPLICATES, "quantile": tail, "mean": False, "std": False}
        drawn = BootStrapper(metric, sampling_strategy="multinomial", **how)
        drawn.update(torch.tensor(pred), torch.tensor(true))
        low, high = drawn.compute()["quantile"].tolist()
        ends[name] = (low, high)
    return ends


def our_test(true: np.ndarray, a: np.ndarray, b: np.ndarray) -> tuple[bool, bool]:
    """Whether two systems differ on accuracy and on macro F1, each alone."""
    options: Any = {"replicates": REPLICATES}
    pairs = [eh.compare(true, a, b, metrics=[m], **options)[m] for m in METRICS[:2]]
    return pairs[0].p_adjusted < 0.05, pairs[1].p_adjusted < 0.05


def loop_test(true: np.ndarray, a: np.ndarray, b: np.ndarray) -> tuple[bool, bool]:
    """Whether 0 lies outside the middle 95 % of resampled differences."""
    sample = eh.Sample.from_labels(true, {"A": a, "B": b})
    kernels = bind_all(METRICS[:2], sample.tables())
    draws = bootstrap(rows_of(sample), kernels, count=REPLICATES)
    ends = [np.percentile(x[:, 0] - x[:, 1], [2.5, 97.5]) for x in draws]
    first, second = (bool(low > 0 or high < 0) for low, high in ends)
    return first, second


def evalstats_test(true: np.ndarray, a: np.ndarray, b: np.ndarray) -> tuple[bool, None]:
    """Its default for paired right answers."""
    package = import_module("evalstats")
    scores = np.stack([a == true, b == true]).astype(float)
    return package.pairwise_differences(scores, 0, 1, n_bootstrap=1000).p_value < 0.05, None


PACKAGES: dict[str, tuple[str, Callable[..., Ends], Callable[..., Any] | None]] = {
    "evenhand": ("evenhand", ours, our_test),
    "bootstrap loop over scikit-learn": ("sklearn", loop, loop_test),
    "confidenceinterval": ("confidenceinterval", confidenceinterval, None),
    "evalstats": ("evalstats", evalstats, evalstats_test),
    "torchmetrics' bootstrapper": ("torchmetrics", torchmetrics, None),
}


def drawn(rng: np.random.Generator, n: int, shares: np.ndarray) -> tuple[np.ndarray, ...]:
    """Truth, two systems that are equally good, and a third that makes a third fewer errors.

    Every class is true of some item.
    """
    k, truth = len(shares), shares.sum(axis=1)
    true = rng.choice(k, n, p=truth / truth.sum())
    while len(np.unique(true)) < k:
        true = rng.choice(k, n, p=truth / truth.sum())
    rates = (shares / truth[:, None]).cumsum(axis=1)
    a, b, c = ((rng.random(n)[:, None] > rates[true]).sum(axis=1).clip(max=k - 1) for _ in "abc")
    return true, a, b, np.where(rng.random(n) < 1 / 3, true, c)


def main() -> None:
    """Draw the data sets, ask every package, write the tables."""
    sets = next((int(a) for a in sys.argv[1:] if a.isdecimal()), 200)
    warnings.simplefilter("ignore")
    cells = [fresh_populations()[i] for i in CELLS]
    packages = {name: x for name, x in PACKAGES.items() if find_spec(x[0]) is not None}
    lines = [
        f"{sets:,} data sets a cell (standard error at 95 %: "
        f"{100 * math.sqrt(0.05 * 0.95 / sets):.1f}), {sets // SLOW['torchmetrics']:,} of them for "
        f"torchmetrics; {REPLICATES} replicates where a method draws. Coverage in percent, mean "
        "width, and milliseconds of CPU for all three metrics.",
        "",
        f"| cell | package | {' | '.join(f'`{m}` | width' for m in METRICS)} | ms |",
        f"| --- | --- |{' ---: |' * (2 * len(METRICS) + 1)}",
    ]
    tests = [
        "| cell | package | accuracy: false | power | macro F1: false | power | ms |",
        "| --- | --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    summary: dict[str, list[list[float]]] = {}
    for number, (name, n, shares) in enumerate(cells):
        whole = Confusion.from_matrix(shares)
        truth = {m: float(evaluate(m, whole)) for m in METRICS}
        data = [drawn(np.random.default_rng([number, i]), n, shares) for i in range(sets)]
        for package, (module, interval, test) in packages.items():
            asked = data[: sets // SLOW.get(module, 1)]
            start = time.process_time()
            ends = [interval(true, a) for true, a, _, _ in asked]
            spent = 1000 * (time.process_time() - start) / len(asked)
            if interval is loop:
                start = time.process_time()
                looped(*data[0][:2])
                spent = 1000 * (time.process_time() - start)
            row, held = [], []
            for m in METRICS:
                low, high = np.array([e.get(m, (np.nan, np.nan)) for e in ends]).T
                share = 100 * np.mean((low <= truth[m]) & (truth[m] <= high))
                held.append(float(share) if m in ends[0] else math.nan)
                width = f"{np.nanmean(high - low):.3f}" if m in ends[0] else "–"
                row += [f"{share:.1f}" if m in ends[0] else "–", width]
            summary.setdefault(package, []).append([*held, spent])
            lines.append(f"| {name} | {package} | {' | '.join(row)} | {spent:.1f} |")
            if test is None:
                continue
            start = time.process_time()
            false, power = (
                np.array([test(d[0], d[1], d[at]) for d in data], np.float64) for at in (2, 3)
            )
            spent = 2 * spent if test is loop_test else 500 * (time.process_time() - start) / sets
            shown = [
                "–" if np.isnan(x[:, j]).any() else f"{100 * x[:, j].mean():.1f}"
                for j in (0, 1)
                for x in (false, power)
            ]
            tests.append(f"| {name} | {package} | {' | '.join(shown)} | {spent:.1f} |")
            print(name, package, file=sys.stderr, flush=True)
    lines += ["", "Paired tests at 5 %: of two systems that are equally good (false findings), and"]
    lines[-1] += " of one that makes a third fewer errors (power)."
    lines += ["", *tests]
    write(PAGE, "packages", "\n".join(lines))
    write(PAGE, "packages in short", "\n".join(in_short(summary)))


def in_short(summary: dict[str, list[list[float]]]) -> list[str]:
    """The range of each package's coverage over the cells, and its mean time."""
    names = ["accuracy", "macro F1", "macro precision"]
    lines = [
        f"| 95 % intervals | {' | '.join(names)} | ms |",
        "| --- | ---: | ---: | ---: | ---: |",
    ]
    for package, cells in summary.items():
        *held, spent = np.array(cells).T
        row = ["–" if np.isnan(x).any() else f"{x.min():.0f} to {x.max():.0f} %" for x in held]
        time = f"{spent.mean():.0f}" if spent.mean() >= 0.5 else "<1"
        lines.append(f"| {package} | {' | '.join(row)} | {time} |")
    return lines


if __name__ == "__main__":
    main()

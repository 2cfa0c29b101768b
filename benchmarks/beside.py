"""Wrong digits found by evenhand and by mlscorecheck, on the tables that both can read.

    python -m benchmarks.beside        needs ``pip install mlscorecheck`` beside evenhand

One row with class sizes; one digit of one score is changed. Both are given the same rounded values,
mlscorecheck half a unit of the last decimal as its uncertainty. Time is that of the processor for
one row.
"""

from __future__ import annotations

import io
import logging
import resource
import sys
import time
from collections.abc import Callable
from contextlib import redirect_stdout
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN
from pathlib import Path

import numpy as np

from benchmarks.audit import Honest, a_table, printed, scores_of, with_a_wrong_digit
from benchmarks.harness import write
from evenhand.auditing.audit import audit

ROWS = 200
PAGE = Path("docs/audit.md")


@dataclass(frozen=True)
class Task:
    """Columns as evenhand and as mlscorecheck name them."""

    name: str
    columns: dict[str, str]
    decimals: int
    classes: int = 2
    items: int = 1000


ONE = {"precision[0]": "ppv", "recall[0]": "sens", "f1[0]": "f1"}
ACCURACY = {"accuracy": "acc"}
TASKS = (
    Task("2 classes; P, R, F1 of one, accuracy", ONE | ACCURACY, 4),
    Task("2 classes; P, R, F1 of one, accuracy", ONE | ACCURACY, 2),
    Task("2 classes; P, R, F1 of one", ONE, 4),
    Task(
        "2 classes; P, F1 of one, accuracy",
        {"precision[0]": "ppv", "f1[0]": "f1"} | ACCURACY,
        4,
    ),
    Task(
        "2 classes; both recalls, MCC, kappa",
        {"recall[0]": "sens", "recall[1]": "spec", "mcc": "mcc", "kappa": "kappa"},
        4,
    ),
    Task("2 classes; accuracy, macro recall", ACCURACY | {"macro_recall": "bacc"}, 4),
    Task(
        "5 classes, 60 items; accuracy, macro recall",
        ACCURACY | {"macro_recall": "sens"},
        4,
        classes=5,
        items=60,
    ),
)


def a_row(rng: np.random.Generator, task: Task) -> Honest:
    """An honest row of a table with class sizes."""
    share = rng.dirichlet(np.full(task.classes, 3.0))
    size = rng.multinomial(task.items - 5 * task.classes, share) + 5
    scores = scores_of(a_table(rng, size, outside=False), "listed", 0)
    row = {c: printed(scores[c], task.decimals, False, ROUND_HALF_EVEN) for c in task.columns}
    return Honest([row], {"support": {str(i): int(s) for i, s in enumerate(size)}}, "")


def ours(row: Honest, task: Task) -> bool:
    """Whether evenhand finds something."""
    return not audit(row.rows, **row.options).ok


def theirs(row: Honest, task: Task) -> bool:
    """Whether mlscorecheck calls it inconsistent."""
    from mlscorecheck.check.binary import check_1_testset_no_kfold
    from mlscorecheck.check.multiclass import check_1_testset_no_kfold_macro

    sizes = list(row.options["support"].values())
    scores = {task.columns[c]: float(v) for c, v in row.rows[0].items()}
    half = 0.5 * 10**-task.decimals
    if task.classes == 2:
        testset = {"p": sizes[0], "n": sizes[1]}
        found = check_1_testset_no_kfold(testset=testset, scores=scores, eps=half)
    else:  # its macro accuracy is the mean over classes of 'this class or not'
        k = task.classes
        scores["acc"] = 1 - 2 * (1 - scores["acc"]) / k
        found = check_1_testset_no_kfold_macro(
            testset=dict(enumerate(sizes)), scores=scores, eps=half, verbosity=0
        )
    return bool(found["inconsistency"])


def _busy() -> float:
    """Seconds of processor time so far, solvers that were started included."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def measured(check: Callable[[Honest, Task], bool], task: Task) -> tuple[int, int, float]:
    """Wrong rows found, honest rows blamed, and the median seconds of a row."""
    found = blamed = 0
    seconds = []
    for i in range(ROWS):
        rng = np.random.default_rng([11, i])
        honest = a_row(rng, task)
        wrong = with_a_wrong_digit(rng, honest)[0]
        for row in (honest, wrong):
            start = _busy()
            with redirect_stdout(io.StringIO()):
                verdict = check(row, task)
            seconds.append(_busy() - start)
            found += verdict and row is wrong
            blamed += verdict and row is honest
    return found, blamed, float(np.median(seconds))


def main() -> None:
    """Measure, print and write."""
    logging.disable(logging.CRITICAL)
    lines = [
        f"| class sizes known; {ROWS} rows with a wrong digit, {ROWS} without | decimals "
        "| evenhand: found | false | ms a row | mlscorecheck: found | false | ms a row |",
        "| --- |" + " ---: |" * 7,
    ]
    for task in TASKS:
        cells = []
        for check in (ours, theirs):
            found, blamed, seconds = measured(check, task)
            cells += [f"{found:,}", f"{blamed:,}", f"{1000 * seconds:.1f}"]
        lines.append(f"| {task.name} | {task.decimals} | {' | '.join(cells)} |")
        print(lines[-1], file=sys.stderr, flush=True)
    write(PAGE, "beside", "\n".join(lines))


if __name__ == "__main__":
    main()

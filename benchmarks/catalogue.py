"""Every statistic of a table, ours and PyCM's, in processor time."""

from __future__ import annotations

from benchmarks.harness import Case, Timing

STATISTICS = """
import numpy as np, warnings, evenhand as eh
warnings.simplefilter("ignore")
rng = np.random.default_rng(0)
"""
FEW_CLASSES = "cells = rng.integers(0, 50, (1000, 10, 10)) + 20 * np.eye(10, dtype=int)\n"
MANY_CLASSES = """
true = rng.integers(0, 2000, 50_000)
pred = np.where(rng.random(50_000) < 0.7, true, rng.integers(0, 2000, 50_000))
"""
BOUND = """
from evenhand.catalogue.binding import bind_all, values_of
from evenhand.catalogue.lists import of_family
kernels = bind_all(of_family("all"), table)
note = f"{len(kernels)} metrics"
"""
ALL = "values_of(kernels, table)"
OF_PYCM = """
from pycm import ConfusionMatrix
matrices = [{i: dict(enumerate(map(int, row))) for i, row in enumerate(m)} for m in cells[:20]]
"""
BY_PYCM = "found = ConfusionMatrix({}); found.overall_stat, found.class_stat"
CPU = {"clock": "process_time"}


def cases() -> list[Case]:
    """The claims about the catalogue."""
    return [
        Case(
            "All statistics of a stack of 1,000 tables of 10 classes",
            "Every metric of the catalogue without intervals, averages for those of one class; "
            "PyCM does 20 of the tables. Processor time.",
            (
                Timing(
                    "evenhand",
                    STATISTICS + FEW_CLASSES + "table = eh.Confusion.from_matrix(cells)" + BOUND,
                    ALL,
                    repeat=3,
                    units=1000,
                    **CPU,
                ),
                Timing(
                    "PyCM",
                    STATISTICS + FEW_CLASSES + OF_PYCM,
                    f"for m in matrices: {BY_PYCM.format('matrix=m')}",
                    repeat=3,
                    units=20,
                    **CPU,
                ),
            ),
            "at least 20 times faster a table",
            unit="table",
        ),
        Case(
            "All statistics of 2,000 classes",
            "50,000 items, 70 % of them right. Processor time.",
            (
                Timing(
                    "evenhand",
                    STATISTICS
                    + MANY_CLASSES
                    + "table = eh.Confusion.from_labels(true, pred)"
                    + BOUND,
                    ALL,
                    repeat=3,
                    **CPU,
                ),
                Timing(
                    "PyCM",
                    STATISTICS + MANY_CLASSES + "from pycm import ConfusionMatrix",
                    BY_PYCM.format("true.tolist(), pred.tolist()"),
                    repeat=1,
                    **CPU,
                ),
            ),
            "at least 50 times faster",
        ),
    ]

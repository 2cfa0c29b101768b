"""Scoring stacks of tables, and how long things take to start."""

from __future__ import annotations

from benchmarks.harness import Case, Timing

STACK = """
import numpy as np, evenhand as eh
rng = np.random.default_rng(0)
cells = rng.poisson(20, (100_000, 10, 10)) + 30 * np.eye(10, dtype=int)
table = eh.Confusion.from_matrix(cells)
eh.macro_f1(table[:10])
"""

LOOP = """
import numpy as np
from sklearn.metrics import f1_score
rng = np.random.default_rng(0)
cells = (rng.poisson(20, (100_000, 10, 10)) + 30 * np.eye(10, dtype=int))[:300]
true, pred = (x.ravel() for x in np.indices((10, 10)))
"""

LOOPED = "[f1_score(true, pred, sample_weight=m.ravel(), average='macro') for m in cells]"


def cases() -> list[Case]:
    """The claims about the core."""
    return [
        Case(
            "A stack of 100,000 tables of 10 classes, macro_f1",
            "Random tables; scikit-learn gets the counts of 300 of them as sample weights.",
            (
                Timing("evenhand, one vectorised call", STACK, "eh.macro_f1(table)", units=100_000),
                Timing(
                    "evenhand, margins counted again each time",
                    STACK,
                    "eh.macro_f1(eh.Confusion.from_matrix(cells))",
                    units=100_000,
                ),
                Timing("scikit-learn, loop of f1_score", LOOP, LOOPED, repeat=3, units=300),
            ),
            "at least 100 times faster a table",
            unit="table",
        ),
        Case(
            "Importing",
            "A fresh interpreter each time; the cost of starting Python itself is in every row.",
            (
                _process("import evenhand", "-c", "import evenhand"),
                _process("import numpy", "-c", "import numpy"),
                _process(
                    "import evenhand, and count and score a table",
                    "-c",
                    "import evenhand as eh; eh.macro_f1([1, 2, 2], [1, 2, 1])",
                ),
                _process("import sklearn.metrics", "-c", "import sklearn.metrics"),
            ),
            "import evenhand at most 50 ms more than import numpy",
            unit="process",
        ),
        Case(
            "The command line",
            "The example shared task: 2,000 lines, 5 classes.",
            (
                _process("evenhand --help", "-m", "evenhand", "--help"),
                _process(
                    "evenhand score gold.txt strong-a.txt",
                    "-m",
                    "evenhand",
                    "score",
                    "examples/shared-task/gold.txt",
                    "examples/shared-task/systems/strong-a.txt",
                ),
                _process("import sklearn.metrics", "-c", "import sklearn.metrics"),
            ),
            "help within 100 ms, scoring within 600 ms",
            unit="process",
        ),
    ]


def _process(name: str, *arguments: str) -> Timing:
    return Timing(
        name,
        "import subprocess, sys",
        f"subprocess.run([sys.executable, *{list(arguments)!r}], check=True, "
        "stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)",
        repeat=11,
    )

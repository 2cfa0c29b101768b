"""Scoring stacks of tables, and how long things take to start."""

from __future__ import annotations

from benchmarks.harness import Case, Interleaved, Timing

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

WIDE = """
import numpy as np, polars as pl, warnings, evenhand as eh
warnings.simplefilter("ignore")
rng = np.random.default_rng(0)
true = rng.integers(0, 100_000, 200_000)
pred = np.where(rng.random(200_000) < 0.7, true, rng.integers(0, 100_000, 200_000))
part = rng.integers(0, 1000, 200_000)
frame = pl.DataFrame({"true": true, "pred": pred, "part": part})
wide = eh.Confusion.from_frame(frame, true="true", pred="pred", by="part")
"""

WIDE_ROWS = (
    WIDE
    + """
from sklearn.metrics import f1_score
rows = [(true[part == i], pred[part == i]) for i in range(100)]
"""
)

TABLES = """
import numpy as np, evenhand as eh
rng = np.random.default_rng(0)
def table():
    true = rng.integers(0, 1000, 200)
    pred = np.where(rng.random(200) < 0.7, true, rng.integers(0, 1000, 200))
    return eh.Confusion.from_labels(true, pred, labels=range(1000))
tables = [table() for _ in range(1000)]
"""

SLICES = """
import numpy as np, polars as pl, evenhand as eh
rng = np.random.default_rng(0)
true = rng.integers(0, 5, 200_000)
pred = np.where(rng.random(200_000) < 0.7, true, rng.integers(0, 5, 200_000))
frame = pl.DataFrame({"true": true, "pred": pred, "part": rng.integers(0, 5000, 200_000)})
slices = eh.Confusion.from_frame(frame, true="true", pred="pred", by="part")
eh.score(slices[:2])
"""

FEW = """
import numpy as np, evenhand as eh
from sklearn.metrics import f1_score
rng = np.random.default_rng(0)
true = rng.integers(0, 5, 100)
pred = np.where(rng.random(100) < 0.7, true, rng.integers(0, 5, 100))
names = np.array(["bird", "cat", "dog", "fish", "horse"])
"""

FEW_LABELS = {
    "a list of text": "true, pred = names[true].tolist(), names[pred].tolist()",
    "an array of text": "true, pred = names[true], names[pred]",
    "an array of integers": "",
}

REPORTED = """
import numpy as np, warnings, evenhand as eh
from sklearn.metrics import classification_report
warnings.simplefilter("ignore")
rng = np.random.default_rng(0)
true = rng.integers(0, K, 20_000)
pred = np.where(rng.random(20_000) < 0.7, true, rng.integers(0, K, 20_000))
"""

LOOPED = "[f1_score(true, pred, sample_weight=m.ravel(), average='macro') for m in cells]"


def cases() -> list[Case | Interleaved]:
    """The claims about the core."""
    return [
        *(_few(form, code) for form, code in FEW_LABELS.items()),
        *(_reported(k) for k in (2, 10, 100, 500, 2000, 5000)),
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
            "1,000 slices × 100,000 classes from 200,000 rows, macro_f1",
            "All slices counted once before; scikit-learn scores 100 of them from their rows.",
            (
                Timing("evenhand", WIDE, "eh.macro_f1(wide)", repeat=3, units=1000),
                Timing(
                    "scikit-learn, loop of f1_score",
                    WIDE_ROWS,
                    "[f1_score(t, p, average='macro', zero_division=0) for t, p in rows]",
                    repeat=3,
                    units=100,
                ),
            ),
            "under 200 MB, and faster a slice",
            unit="slice",
        ),
        Case(
            "A stack of 1,000 tables of 1,000 labels, 200 items each",
            "All cells would be 8 GB.",
            (Timing("Confusion.stack", TABLES, "eh.Confusion.stack(tables)", repeat=3),),
            "under a second and 200 MB",
        ),
        Case(
            "score of 5,000 slices, every metric with its interval",
            "Five classes, 40 items a slice; the loop scores 50 of them one by one.",
            (
                Timing("evenhand, all at once", SLICES, "eh.score(slices)", repeat=3, units=5000),
                Timing(
                    "evenhand, slice by slice",
                    SLICES,
                    "[eh.score(t) for t in slices[:50]]",
                    repeat=3,
                    units=50,
                ),
            ),
            "all of them under 2 s",
            unit="slice",
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


def _few(form: str, code: str) -> Interleaved:
    hundred = "for _ in range(100): {}"
    return Interleaved(
        f"macro_f1 of 100 labels in {form}, a hundred times",
        "Five classes, counted and scored; the two by turns in one process.",
        FEW + code,
        {
            "evenhand": hundred.format("eh.macro_f1(eh.Confusion.from_labels(true, pred))"),
            "scikit-learn, f1_score": hundred.format("f1_score(true, pred, average='macro')"),
        },
        "at most 0.125 × scikit-learn's time",
        rounds=15,
    )


def _reported(k: int) -> Interleaved:
    return Interleaved(
        f"score of 20,000 labels of {k:,} classes, every metric with its interval",
        "Integer labels, counted and scored; all by turns in one process.",
        REPORTED.replace("K", str(k)),
        {
            "evenhand": "eh.score(eh.Confusion.from_labels(true, pred))",
            "scikit-learn, classification_report as text": "classification_report(true, pred)",
            "scikit-learn, classification_report as a dictionary": (
                "classification_report(true, pred, output_dict=True)"
            ),
        },
        "at most scikit-learn's time, which has no intervals",
        rounds=31,
    )


def _process(name: str, *arguments: str) -> Timing:
    return Timing(
        name,
        "import subprocess, sys",
        f"subprocess.run([sys.executable, *{list(arguments)!r}], check=True, "
        "stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)",
        repeat=11,
    )

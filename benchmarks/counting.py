"""Counting: arrays, strings, files and many classes, beside what people use today."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from benchmarks.growth import Growth
from benchmarks.harness import Case, Interleaved, Timing

DATA = Path("benchmarks/data")
ROWS = 10_000_000

INTEGERS = f"""
import numpy as np, evenhand as eh
rng = np.random.default_rng(0)
order = rng.permutation({{values}})
t, p = (order[rng.integers(0, len(order), {ROWS})] for _ in range(2))
from scipy.sparse import coo_array
eh.Confusion.from_labels(t[:1000], p[:1000])
note = ""
"""

STRINGS = """
import numpy as np, evenhand as eh
rng = np.random.default_rng(0)
def fresh():
    return ["".join(("label ", str(c))) for c in rng.integers(0, 10, {rows}).tolist()]
t, p = fresh(), fresh()
eh.Confusion.from_labels(t[:1000], p[:1000])
"""

OBJECTS = STRINGS + "\nt, p = np.array(t, object), np.array(p, object)\n"
TEN = (
    "10 classes. Threads as above. scikit-learn on one million of them, which favours it: it sorts."
)
SKLEARN = "\nfrom sklearn.metrics import confusion_matrix\n"
COUNT = "eh.Confusion.from_labels(t, p)"
PEER = "confusion_matrix(t, p)"
FLOOR = "t.sum() + p.sum()"

PARQUET = """
import polars as pl, evenhand as eh
frame = pl.scan_parquet("benchmarks/data/{rows}.parquet")
"""
OURS = "eh.Confusion.from_frame(frame, true='true', pred='pred')"
BY_HAND = "frame.group_by('true', 'pred').len().collect(engine='streaming')"

TEXT = """
import polars as pl
from evenhand.io.delimited import sheet
from evenhand.io.loading import read
from evenhand.io.columns import ReadOptions
path, lines = "benchmarks/data/{rows}-{name}.csv", "benchmarks/data/{rows}-{{}}.txt"
pair = [lines.format(c) for c in ("true", "pred")]
reading = ReadOptions((path,), true="true", pred=("pred",))
by_line = [pl.scan_lines(p, name=c) for p, c in zip(pair, ("true", "pred"))]
def group(frame):
    return frame.group_by("true", "pred").len().collect(engine="streaming")
"""

READ = """
import polars as pl
from evenhand.io.loading import read
from evenhand.io.columns import ReadOptions
path = "benchmarks/data/{name}"
reading = ReadOptions((path,), true="true", pred=("pred",))
def group(frame):
    return frame.group_by("true", "pred").len()
"""
PEERS = {
    "1000000.json": "pl.read_json(path)",
    "1000000.jsonl": "pl.read_ndjson(path, infer_schema_length=None)",
    "200000.xlsx": "pl.read_excel(path, engine='calamine')",
}

BARE = """
import json, tempfile, numpy as np, polars as pl
from evenhand.io.loading import read
from evenhand.io.columns import ReadOptions
rng = np.random.default_rng(0)
folder = tempfile.TemporaryDirectory()
paths = tuple(f"{folder.name}/{name}.json" for name in ("true", "pred"))
for path in paths:
    with open(path, "w") as file:
        json.dump([f"class {i}" for i in rng.integers(0, 10, 1_000_000)], file)
def peer(path):
    with open(path, "rb") as file:
        return pl.read_json(b'[{"label": ' + file.read() + b"}]").explode("label").to_series()
def group():
    true, pred = map(peer, paths)
    return pl.DataFrame({"true": true, "pred": pred}).group_by("true", "pred").len()
"""

MANY = f"""
import numpy as np, evenhand as eh
rng = np.random.default_rng(0)
t, p = (rng.integers(0, 1_000_000, {ROWS}) for _ in range(2))
"""

GROWING = """
import numpy as np, evenhand as eh
rng = np.random.default_rng(0)
k = {k}
counter = eh.Accumulator()
for start in range(0, k, 50):
    counter.update(np.arange(start, start + 50), np.arange(start, start + 50))
batches = rng.integers(0, k, (500, 2, 64))
def run():
    for t, p in batches:
        counter.update(t, p)
"""

ADDED = (
    GROWING
    + """
from sklearn.metrics import confusion_matrix
total = np.zeros((k, k), np.int64)
def run():
    for t, p in batches[:50]:
        total[:] += confusion_matrix(t, p, labels=np.arange(k))
"""
)


def parquet(rows: int) -> str:
    """A Parquet file of text labels in row groups of a million, made once."""
    path = DATA / f"{rows}.parquet"
    if not path.exists():
        DATA.mkdir(exist_ok=True)
        subprocess.run([sys.executable, "-m", "benchmarks.make_parquet", str(rows)], check=True)
    return PARQUET.format(rows=rows)


def csv_case(name: str, title: str) -> Case:
    """Counting a CSV file, beside Polars, which checks nothing."""
    setup = text(name)
    checked = "sum(part.rows for part in sheet(path, path, ',', header=True).parts())"
    by_hand = "group(pl.scan_csv(path, infer_schema=False))"
    return Case(
        title,
        "Columns id, true, pred and text; labels are stripped. The check runs in a thread of its "
        "own beside the reading.",
        (
            Timing("evenhand count", setup, "read(reading)", units=ROWS),
            Timing("the check alone", setup, checked, units=ROWS),
            Timing("a group-by in Polars that checks nothing", setup, by_hand, units=ROWS),
        ),
        "every row checked, at the cost shown",
        unit="row",
    )


def text(name: str = "plain") -> str:
    """Ten million rows of text, made once from the Parquet file of as many."""
    parquet(ROWS)
    if not (DATA / f"{ROWS}-pred.txt").exists():
        subprocess.run([sys.executable, "-m", "benchmarks.make_text", str(ROWS)], check=True)
    return TEXT.format(rows=ROWS, name=name)


def read_case(name: str, title: str, note: str) -> Interleaved:
    """Counting a file that Polars reads whole, by turns with that."""
    text()
    if not (DATA / name).exists():
        subprocess.run([sys.executable, "-m", "benchmarks.make_text", str(ROWS)], check=True)
    return Interleaved(
        title,
        f"Columns id, true, pred and text. {note}",
        READ.format(name=name),
        {"evenhand count": "read(reading)", "Polars reads and groups": f"group({PEERS[name]})"},
        "within 1.3 times of Polars, every row checked",
        5,
    )


def cases() -> list[Case | Growth | Interleaved]:
    """The claims about counting."""
    narrow = INTEGERS.format(values="10")
    wide = INTEGERS.format(values="rng.integers(-(10**12), 10**12, 10)")
    hundred = parquet(100_000_000)
    return [
        Case(
            "10 million pairs of int64, 10 shuffled classes, labels not given",
            "Threads: all cores for evenhand, one for the others.",
            (
                Timing("Confusion.from_labels", narrow, COUNT, units=ROWS),
                Timing("t.sum() + p.sum(): reading the data once", narrow, FLOOR, units=ROWS),
                Timing(
                    "sklearn.metrics.confusion_matrix",
                    narrow + SKLEARN,
                    PEER,
                    units=ROWS,
                ),
                Timing("Confusion.from_labels, 10 values spread wide", wide, COUNT, units=ROWS),
            ),
            "50 times faster than scikit-learn; 2.2 times reading the data, 12 times if far apart",
            unit="row",
        ),
        Case(
            "10 million distinct string objects in Python lists",
            TEN,
            (
                Timing("Confusion.from_labels", STRINGS.format(rows=ROWS), COUNT, units=ROWS),
                Timing(
                    "sklearn.metrics.confusion_matrix",
                    STRINGS.format(rows=10**6) + SKLEARN,
                    PEER,
                    units=10**6,
                ),
            ),
            "15 times faster",
            unit="row",
        ),
        Case(
            "10 million distinct string objects in object arrays",
            TEN,
            (
                Timing("Confusion.from_labels", OBJECTS.format(rows=ROWS), COUNT, units=ROWS),
                Timing(
                    "sklearn.metrics.confusion_matrix",
                    OBJECTS.format(rows=10**6) + SKLEARN,
                    PEER,
                    units=10**6,
                ),
            ),
            "60 times faster",
            unit="row",
        ),
        Case(
            "Parquet of 100 million rows, text labels, row groups of a million",
            "Both on all cores.",
            (
                Timing("Confusion.from_frame", hundred, OURS, units=10**8),
                Timing("the same group-by, written in Polars", hundred, BY_HAND, units=10**8),
            ),
            "peak memory under 500 MB, within 1.3 times of the group-by written by hand",
            unit="row",
        ),
        csv_case("plain", "CSV of 10 million rows, without quotes"),
        csv_case("quoted", "CSV of 10 million rows, a quoted field in each"),
        Case(
            "Two files of 10 million lines",
            "One label a line; labels are stripped.",
            (
                Timing("evenhand count", text(), "read(ReadOptions(tuple(pair)))", units=ROWS),
                Timing(
                    "a group-by in Polars that checks nothing",
                    text(),
                    'group(pl.concat(by_line, how="horizontal"))',
                    units=ROWS,
                ),
            ),
            "not slower than before the lines were checked by more than 10 %",
            unit="row",
        ),
        read_case(
            "1000000.json",
            "JSON array of a million objects",
            "Polars infers types from the first 100, evenhand from all.",
        ),
        Interleaved(
            "Two JSON arrays of a million labels",
            'Text, as in ["a", "b"]. Polars reads each as one list inside an object.',
            BARE,
            {"evenhand count": "read(ReadOptions(paths))", "Polars reads and groups": "group()"},
            "within 1.3 times of Polars, every label checked",
            5,
        ),
        read_case("1000000.jsonl", "JSON Lines of a million objects", "Both infer from all lines."),
        read_case("200000.xlsx", "Excel sheet of 200,000 rows", "Both by calamine."),
        Case(
            "A million classes, 10 million rows",
            "Integers; the table has as many cells as there are distinct pairs.",
            (
                Timing("Confusion.from_labels", MANY, COUNT),
                Timing(
                    "Confusion.from_labels, and macro_f1",
                    MANY,
                    "eh.macro_f1(eh.Confusion.from_labels(t, p))",
                ),
                Timing("sklearn.metrics.confusion_matrix", MANY + SKLEARN, PEER),
            ),
            "under 10 s and 1.2 GB",
        ),
        Case(
            "Accumulator, batches of 64 items",
            "500 batches after every class has come once; scikit-learn adds the tables of 50.",
            tuple(
                Timing(f"{name}, {k:,} classes", setup.format(k=k), "run()", 3, batches)
                for name, setup, batches in (
                    ("Accumulator.update", GROWING, 500),
                    ("sklearn.metrics.confusion_matrix, added up", ADDED, 50),
                )
                for k in (100, 1400, 2000)
            ),
            "an update of 2,000 classes within three times one of 100",
            unit="batch",
        ),
        Growth(
            "Parquet of more and more rows",
            "One file each, text labels, row groups of a million. Dashed: exactly linear.",
            tuple(Timing("", parquet(rows), OURS, units=rows) for rows in (10**7, 10**8, 10**9)),
            "time linear in rows, memory flat",
            "growth",
        ),
    ]

"""Counting files takes memory for the cells, not for the rows."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import evenhand

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs Linux"),
]

# Not ru_maxrss: a process inherits that from the one that started it.
PEAK = """
import re, sys
from evenhand.cli import group
try:
    group.main(sys.argv[1:])
finally:
    print(re.search(r"VmHWM:\\s*([0-9]+) kB", open("/proc/self/status").read())[1], file=sys.stderr)
"""


def megabytes(*arguments):
    """The peak memory of a count in a process of its own."""
    environment = {**os.environ, "PYTHONPATH": str(Path(evenhand.__file__).parents[1])}
    done = subprocess.run(
        [sys.executable, "-c", PEAK, *arguments], capture_output=True, text=True, check=True,
        env=environment,
    )  # fmt: skip
    return int(done.stderr.split()[-1]) / 1024


def labels(rows, seed):
    names = np.array([f"label {i}" for i in range(20)])
    return names[np.random.default_rng(seed).integers(0, 20, rows)]


@pytest.mark.parametrize("ending", ["txt", "csv", "tsv", "parquet"])
def test_ten_times_the_rows_are_not_ten_times_the_memory(here, ending):
    asked = ("gold.txt", "system.txt")
    if ending != "txt":
        asked = (f"x.{ending}", "--true", "gold", "--pred", "system")
    peaks = []
    for rows in (500_000, 5_000_000):
        frame = pl.DataFrame({"gold": labels(rows, 0), "system": labels(rows, 1)})
        if ending == "txt":
            for name in frame.columns:
                frame.select(name).write_csv(here / f"{name}.txt", include_header=False)
        elif ending == "parquet":
            frame.write_parquet(here / asked[0], row_group_size=250_000)
        else:
            frame.write_csv(here / asked[0], separator="\t" if ending == "tsv" else ",")
        peaks.append(megabytes("count", *asked, "--output", "t.json"))
    assert peaks[1] < peaks[0] + 150, peaks

"""``python -m benchmarks [GROUP…]``: run the groups named, or all, and write docs/benchmarks.md."""

from __future__ import annotations

import importlib
import os
import platform
import sys
from pathlib import Path

from benchmarks.harness import write

GROUPS = {
    "core": "Scoring and starting",
    "catalogue": "Every statistic",
    "counting": "Counting",
    "areas": "Scores of items",
    "infer": "Intervals and comparison",
    "ranking": "Ranking",
    "shift": "Prevalence",
    "lab": "Simulations and properties",
    "engines": "Dask and Spark",
    "bridges": "scikit-learn's functions by their names",
    "web": "The web page",
}
PAGE = Path("docs/benchmarks.md")


def main() -> None:
    """Run, print and write."""
    chosen = sys.argv[1:] or list(GROUPS)
    unknown = [g for g in chosen if g not in GROUPS]
    if unknown:
        sys.exit(f"no benchmark group {unknown[0]!r}; there are {', '.join(GROUPS)}")
    for group in chosen:
        cases = importlib.import_module(f"benchmarks.{group}").cases()
        machine = f"{os.cpu_count()} cores, Python {platform.python_version()}"
        parts = [
            f"## {GROUPS[group]}",
            "",
            f"`make bench` (here: `python -m benchmarks {group}`), {machine}. Each row is the "
            "median of several calls, all in one process that does nothing else.",
        ]
        for case in cases:
            print(f"{group}: {case.title} …", file=sys.stderr, flush=True)
            table = case.table()
            print(table, "\n", flush=True)
            parts += ["", table]
        write(PAGE, group, "\n".join(parts))


if __name__ == "__main__":
    main()

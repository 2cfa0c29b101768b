"""``python -m studies.plan``: are the items that are planned enough?

From populations that are known, and from pilots of them, test sets of the planned size are drawn:
how wide are their intervals, how often is the difference shown or the gate passed? The tables go
into docs/decisions.md. Same seed, same page.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from multiprocessing import Pool

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # the processes are the threads
import numpy as np

from benchmarks.harness import write
from evenhand.comparing.compare import compare
from evenhand.data.confusion import Confusion
from evenhand.deciding.gate import gate
from evenhand.deciding.plan import plan
from evenhand.scoring.score import score
from studies.gate import PAGE, Design, percent
from studies.special import joint_sample

METRICS = ("accuracy", "macro_f1")
SETS = 100
PART = 25
WHOLE = 10**7
"""Items of a population."""
TARGETS = {"width": 0.08, "difference": 0.03, "margin": 0.03}
PILOT = 300
"""Items of a pilot."""
DESIGNS = (
    Design("three classes", (0.4, 0.35, 0.25), 0.8, 0.1, 0.0, 0),
    Design("a class of 4 %", (0.6, 0.36, 0.04), 0.8, 0.1, 0.0, 0),
)
Cell = tuple[int, str, str]
"""A design, a metric and what is planned for."""


def population(cell: Cell) -> tuple[np.ndarray, np.ndarray]:
    """Shares of true × old × new, where they differ by what is planned for, and what is known.

    A plan for a difference takes the variance of systems that differ so.
    """
    at, metric, purpose = cell
    worse = -TARGETS["difference"] if purpose == "difference" else 0.0
    design = DESIGNS[at]
    mended = 0.4 if purpose == "difference" else design.mended
    design = Design(design.name, design.shares, design.quality, mended, 0.0, 0)
    joint = design.joint(design.broken(metric, worse))
    return joint, np.rint(joint * WHOLE).astype(np.int64)


def planned(cell: Cell, cells: np.ndarray) -> tuple[int, int, int]:
    """Items for these counts of true × old × new, and their ends."""
    _, metric, purpose = cell
    data = joint_sample(cells)
    data = Confusion.from_matrix(cells.sum(axis=2)) if purpose == "width" else data
    found = plan(data, metrics=metric, **{purpose: TARGETS[purpose]})
    return found.needed, found.low, found.high


def tried(job: tuple[Cell, int]) -> tuple[Cell, np.ndarray]:
    """Data sets, those where it is reached (or widths), pilots whose ends hold what is needed."""
    cell, part = job
    at, metric, purpose = cell
    joint, cells = population(cell)
    items = planned(cell, cells)[0]
    rng = np.random.default_rng([at, METRICS.index(metric), list(TARGETS).index(purpose), part])
    out = np.zeros(3)
    for counts, pilot in zip(_drawn(rng, items, joint), _drawn(rng, PILOT, joint), strict=True):
        _, low, high = planned(cell, pilot)
        out += 1, _reached(cell, counts), low <= items <= high
    return cell, out


def _drawn(rng: np.random.Generator, n: int, joint: np.ndarray) -> Iterator[np.ndarray]:
    return iter(rng.multinomial(n, joint.reshape(-1), PART).reshape(-1, *joint.shape))


def _reached(cell: Cell, counts: np.ndarray) -> float:
    _, metric, purpose = cell
    if purpose == "width":
        found = score(Confusion.from_matrix(counts.sum(axis=2)), metrics=metric)[metric]
        return (found.high or 0.0) - (found.low or 0.0)
    sample = joint_sample(counts, ("old", "new"))
    if purpose == "margin":
        return gate(sample, metrics=metric, margin=TARGETS[purpose]).passed
    pair = compare(sample, metrics=metric, tests=["delta", "mcnemar"])[metric]
    return (pair.p["mcnemar" if metric == "accuracy" else "delta"] or 0.0) < 0.05


def table(found: dict[Cell, np.ndarray]) -> list[str]:
    """A row a design, metric and purpose."""
    lines = [
        "| population | metric | planned for | items | reached | pilots of "
        f"{PILOT} items whose ends hold that number |",
        "| --- | --- | --- | ---: | ---: | ---: |",
    ]
    for cell, (sets, reached, held) in found.items():
        at, metric, purpose = cell
        items = planned(cell, population(cell)[1])[0]
        target = 100 * TARGETS[purpose]
        what = {
            "width": f"a width of {target:g} points",
            "difference": f"a difference of {target:g} points, shown in 80 %",
            "margin": f"a margin of {target:g} points, passed in 80 %",
        }[purpose]
        seen = (
            f"{100 * reached / sets:.1f} points" if purpose == "width" else percent(sets, reached)
        )
        lines.append(
            f"| {DESIGNS[at].name} | `{metric}` | {what} | {items:,} | {seen} | "
            f"{percent(sets, held)} |"
        )
    return lines


def main() -> None:
    """Run all cells on all cores, and write the table."""
    start = time.perf_counter()
    sets = int(sys.argv[1]) if len(sys.argv) > 1 else SETS
    cells = [(d, m, p) for d in range(len(DESIGNS)) for m in METRICS for p in TARGETS]
    results = {c: np.zeros(3) for c in cells}
    with Pool() as pool:
        jobs = [(c, p) for c in cells for p in range(max(1, sets // PART))]
        for cell, out in pool.imap_unordered(tried, jobs):
            results[cell] += out
    print(f"{time.perf_counter() - start:.0f} s", file=sys.stderr)
    text = [
        f"`make plan-study` makes this table: {sets:,} data sets a row, in percent, ± the "
        "Monte-Carlo standard error; widths are means.",
        "",
        *table(results),
    ]
    write(PAGE, "plan", "\n".join(text))


if __name__ == "__main__":
    main()

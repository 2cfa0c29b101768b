"""``python -m studies.gate``: how often does a gate pass a system that is worse by the margin?

A new system is an old one that mends some wrong answers and breaks some right ones, just so many
that in the population it is worse by the margin on one metric, or as good. The table goes into
docs/decisions.md. Same seed, same page.
"""

from __future__ import annotations

import math
import os
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from multiprocessing import Pool
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # the processes are the threads
import numpy as np
from scipy.optimize import brentq

from benchmarks.harness import write
from evenhand.catalogue.binding import evaluate
from evenhand.data.confusion import Confusion
from evenhand.data.sample import Sample
from evenhand.deciding.gate import Gate, gate
from evenhand.inference.wilson import quantile
from studies.special import joint_sample

PAGE = Path("docs/decisions.md")
METRICS = ("accuracy", "macro_f1", "mcc")
SETS = 2000
FEWER = 500
"""Data sets where systems are equally good."""
PART = 100
"""Data sets a job, so that jobs are small enough to share out."""
LEVEL = 0.95


@dataclass(frozen=True)
class Design:
    """Class shares, how often the old system is right, and which wrong answers the new one mends.

    ``clusters`` of ``size`` items: in a quarter of them the new system breaks four times as many.
    """

    name: str
    shares: tuple[float, ...]
    quality: float
    mended: float
    margin: float
    n: int
    size: int = 1
    slices: int = 1

    @property
    def k(self) -> int:
        return len(self.shares)

    def joint(self, broken: float) -> np.ndarray:
        """Shares of true × old × new."""
        k, right = self.k, np.eye(self.k, dtype=bool)
        old = np.where(right, self.quality, (1 - self.quality) / (k - 1))
        found = np.zeros((k, k, k))
        for t in range(k):
            for a in range(k):
                new = np.eye(k)[a] * (1 - self.mended) + np.eye(k)[t] * self.mended
                if a == t:
                    new = np.where(right[t], 1 - broken, broken / (k - 1))
                found[t, a] = self.shares[t] * old[t, a] * new
        return found

    @cache  # noqa: B019  (designs live as long as the study)
    def broken(self, metric: str, worse: float) -> float:
        """How many right answers the new system breaks to be worse by so much."""

        def off(broken: float) -> float:
            joint = self.joint(broken)
            tables = (Confusion.from_matrix(joint.sum(axis=axis)) for axis in (2, 1))
            old, new = (float(evaluate(metric, table)) for table in tables)
            return new - old + worse

        return float(brentq(off, 0.0, 0.5))

    def samples(self, metric: str, worse: float, rng: np.random.Generator) -> Iterator[Sample]:
        """Data sets; of slices only the first is worse."""
        broken = self.broken(metric, worse)
        if self.size == self.slices == 1:
            joint = self.joint(broken)
            for cells in rng.multinomial(self.n, joint.reshape(-1), PART):
                yield joint_sample(cells.reshape(joint.shape), ("old", "new"))
            return
        place = np.arange(self.n)
        part = place % self.slices
        level = np.where(part == 0, broken, self.broken(metric, 0.0))
        for _ in range(PART):
            hit = rng.random(self.n // self.size + 1) < 0.25
            rate = level if self.size == 1 else level * 4 * hit[place // self.size]
            true = rng.choice(self.k, self.n, p=self.shares)
            old = np.where(rng.random(self.n) < self.quality, true, self._other(true, rng))
            chance = rng.random(self.n)
            new = np.where((old != true) & (chance < self.mended), true, old)
            new = np.where((old == true) & (chance < rate), self._other(true, rng), new)
            cluster = place // self.size if self.size > 1 else None
            by = part if self.slices > 1 else None
            yield Sample.from_labels(true, {"old": old, "new": new}, cluster=cluster, by=by)

    def _other(self, true: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        return (true + rng.integers(1, self.k, len(true))) % self.k


DESIGNS = (
    Design("alike: few answers change", (0.4, 0.35, 0.25), 0.8, 0.05, 0.02, 500),
    Design("rare: a class of 4 %", (0.6, 0.36, 0.04), 0.8, 0.2, 0.05, 1000),
    Design("50 clusters of 10", (0.5, 0.3, 0.2), 0.8, 0.2, 0.05, 500, size=10),
    Design("4 slices, one of them worse", (0.5, 0.3, 0.2), 0.8, 0.2, 0.05, 2000, slices=4),
)


@dataclass(frozen=True)
class Cell:
    """A population on one metric: worse by the margin, or as good."""

    design: Design
    metric: str
    worse: bool

    def sets(self, most: int) -> int:
        return most if self.worse else min(most, FEWER)


def tried(job: tuple[Cell, int]) -> tuple[Cell, np.ndarray]:
    """Data sets, those that passed, and those that pass by difference and error alone."""
    cell, part = job
    d = cell.design
    code = [DESIGNS.index(d), METRICS.index(cell.metric), int(cell.worse), part]
    out = np.zeros(3)
    for sample in d.samples(cell.metric, d.margin * cell.worse, np.random.default_rng(code)):
        found = gate(sample, metrics=cell.metric, margin=d.margin, level=LEVEL)
        out += 1, found.passed, _plainly(found, d)
    return cell, out


def _plainly(found: Gate, design: Design) -> bool:
    """What difference and error say alone, without a correction of slices either."""
    freedom = design.n // design.size - 1 if design.size > 1 else math.inf
    z = quantile(LEVEL, freedom)
    return all(
        c.same or (c.se is not None and c.value - z * c.se > -found.margin) for c in found.checks
    )


def table(found: dict[Cell, np.ndarray]) -> list[str]:
    """A row a design and metric."""
    lines = [
        "| design | items | margin | metric | passes, worse by the margin | by the error alone "
        "| passes, as good |",
        "| --- | ---: | ---: | --- | ---: | ---: | ---: |",
    ]
    for cell, (sets, passed, plain) in found.items():
        if not cell.worse:
            continue
        d, equal = cell.design, found[Cell(cell.design, cell.metric, worse=False)]
        head = f"| {d.name} | {d.n:,} | {100 * d.margin:g} points | `{cell.metric}` "
        shares = (percent(*x) for x in ((sets, passed), (sets, plain), equal[:2]))
        lines.append(f"{head}| {' | '.join(shares)} |")
    return lines


def percent(tries: float, hits: float) -> str:
    """A share of data sets and its Monte-Carlo error."""
    share = hits / tries
    return f"{100 * share:.1f} ± {100 * math.sqrt(share * (1 - share) / tries):.1f}"


def main() -> None:
    """Run all cells on all cores, and write the table."""
    start = time.perf_counter()
    sets = int(sys.argv[1]) if len(sys.argv) > 1 else SETS
    cells = [Cell(d, m, w) for d in DESIGNS for m in METRICS for w in (True, False)]
    results = {c: np.zeros(3) for c in cells}
    with Pool() as pool:
        jobs = [(c, p) for c in cells for p in range(max(1, c.sets(sets) // PART))]
        for cell, out in pool.imap_unordered(tried, jobs):
            results[cell] += out
    print(f"{time.perf_counter() - start:.0f} s", file=sys.stderr)
    text = [
        f"`make gate-study` makes this table: {sets:,} data sets a row ({min(sets, FEWER)} where "
        "the systems are equally good), in percent, ± the Monte-Carlo standard error.",
        "",
        *table(results),
    ]
    write(PAGE, "gate", "\n".join(text))


if __name__ == "__main__":
    main()

"""``python -m studies.coverage``: do 95 % intervals hold the truth 95 % of the time?

Data sets are drawn from populations whose metrics are known; each method makes its interval for
each of them. The tables go into docs/intervals.md. Same seed, same page, whatever the machine.
"""

from __future__ import annotations

import math
import os
import sys
import time
from dataclasses import dataclass
from multiprocessing import Pool
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # the processes are the threads
import numpy as np

from benchmarks.harness import write
from evenhand.catalogue.binding import bind, evaluate
from evenhand.comparing.compare import compare
from evenhand.comparing.tested import TESTS
from evenhand.core.kernel import Kernel
from evenhand.infer.bca import acceleration, bca
from evenhand.infer.bootstrap import bootstrap, percentile
from evenhand.infer.interval import Estimate, Settings, estimates
from evenhand.infer.rows import rows_of
from evenhand.tables.confusion import Confusion
from evenhand.tables.sample import Sample

PAGE = Path("docs/intervals.md")
METRICS = (
    "accuracy",
    "macro_precision",
    "macro_recall",
    "macro_f1",
    "f1_of_averages",
    "kappa",
    "mcc",
    "f1_gap",
    "macro_f1@uniform",
)
PAIRED = ("accuracy", "macro_recall", "macro_f1", "f1_of_averages", "kappa", "mcc")
METHODS = ("wilson", "delta", "delta, range", "bootstrap", "bca")
CLASSES = (2, 3, 10, 50)
ITEMS = (200, 1000, 10_000)
MIXES = {"balanced": 1.0, "imbalanced": 50.0}
SETS = 2000
REPLICATES = 400
TEST_REPLICATES = 199
PART = 250
"""Data sets a job, so that jobs are small enough to share out."""


@dataclass(frozen=True)
class Cell:
    """One population and test size."""

    k: int
    mix: str
    n: int

    def population(self) -> np.ndarray:
        """Shares of true × predicted: recalls from 0.9 to 0.6, errors rather to large classes."""
        k = self.k
        rank = np.arange(k) / (k - 1)
        prevalence = MIXES[self.mix] ** -rank
        prevalence /= prevalence.sum()
        recall = 0.9 - 0.3 * rank
        pull = np.tile(0.5 * prevalence + 0.5 / k, (k, 1))
        np.fill_diagonal(pull, 0)
        rows = (1 - recall)[:, None] * pull / pull.sum(axis=1, keepdims=True)
        np.fill_diagonal(rows, recall)
        return prevalence[:, None] * rows


def covered(job: tuple[Cell, int]) -> tuple[Cell, np.ndarray]:
    """For each method and metric: intervals given, those below and above the truth, mean width."""
    cell, part = job
    rng = np.random.default_rng([0, cell.k, cell.n, list(MIXES).index(cell.mix), part])
    shares = cell.population()
    drawn = rng.multinomial(cell.n, shares.reshape(-1), PART).reshape(-1, cell.k, cell.k)
    table = Confusion.from_matrix(drawn)
    whole = Confusion.from_matrix(shares)
    truth = [float(evaluate(m, whole)) for m in METRICS]
    kernels = [bind(m, table) for m in METRICS]
    ends = {}
    for method in ("wilson", "delta", "delta, range"):
        name, _, transform = method.partition(", ")
        how = Settings(name, transform=transform or None)
        chosen = kernels[:1] if name == "wilson" else kernels
        ends[method] = [_own(e) for e in estimates(table, chosen, how)]
    ends["bootstrap"], ends["bca"] = _resampled(table, kernels)
    out = np.zeros((len(METHODS), len(METRICS), 4))
    for i, method in enumerate(METHODS):
        for j, (low, high) in enumerate(ends[method]):
            given = high - low > 1e-12
            below, above = given & (high < truth[j]), given & (low > truth[j])
            width = np.where(given, high - low, 0.0)
            out[i, j] += given.sum(), below.sum(), above.sum(), width.sum()
    return cell, out


def _own(e: Estimate) -> tuple[np.ndarray, np.ndarray]:
    """What the method itself gives: where it refuses, a fall-back is not its merit."""
    own = np.array([m is not None and m.instead_of is None for m in e.method])
    return np.where(own, e.low, np.nan), np.where(own, e.high, np.nan)


def _resampled(table: Confusion, kernels: list[Kernel]) -> list[list[tuple[np.ndarray, ...]]]:
    """Percentile and BCa ends of each metric, from the same draws."""
    ends = np.full((2, len(kernels), 2, len(table)), np.nan)
    for t, one in enumerate(table):
        rows, at = rows_of(one), [k.at(t) for k in kernels]
        drawn = np.concatenate(bootstrap(rows, at, count=REPLICATES), axis=1)
        observed = np.concatenate(rows.values(at, rows.weight[None]), axis=1)[0]
        bend = np.concatenate(acceleration(rows, at))
        ends[0, :, :, t] = np.transpose(percentile(drawn, 0.95))
        ends[1, :, :, t] = np.transpose(bca(drawn, observed, bend, 0.95))
    return [[tuple(metric) for metric in method] for method in ends]


@dataclass(frozen=True)
class Null:
    """Two systems that are equally good: exchangeable, or each other's mirror image."""

    k: int
    mix: str
    n: int
    mirrored: bool

    def joint(self) -> np.ndarray:
        """Shares of true × A × B: B repeats A's answer 60 % of the time where that is fair."""
        cell = Cell(self.k, self.mix, self.n)
        shares = cell.population()
        prevalence = shares.sum(axis=1)
        a = shares / prevalence[:, None]
        if self.mirrored:
            b = a[::-1, ::-1]
            joint = a[:, :, None] * b[:, None, :]
        else:
            joint = 0.4 * a[:, :, None] * a[:, None, :]
            joint[:, np.arange(self.k), np.arange(self.k)] += 0.6 * a
        return prevalence[:, None, None] * joint


def rejected(job: tuple[Null, int]) -> tuple[Null, np.ndarray]:
    """For each test and metric: data sets tested, and those where p ≤ 0.05."""
    null, part = job
    code = (null.k, null.n, list(MIXES).index(null.mix), int(null.mirrored), part)
    rng = np.random.default_rng([1, *code])
    shares = null.joint()
    out = np.zeros((len(TESTS), len(PAIRED), 2))
    for seed in range(PART):
        cells = rng.multinomial(null.n, shares.reshape(-1)).reshape(shares.shape)
        sample = Sample.from_joint(cells)
        how = {"tests": "all", "replicates": TEST_REPLICATES, "seed": seed}
        found = compare(sample, metrics=PAIRED, **how)
        for pair in found.pairs:
            for test, p in pair.p.items():
                if p is not None:
                    out[TESTS.index(test), PAIRED.index(pair.metric)] += 1, p <= 0.05
    return null, out


def spread(share: float, n: float) -> float:
    """Monte-Carlo standard error in points."""
    return 100 * math.sqrt(max(share * (1 - share), 0.0) / max(n, 1))


def coverage_table(k: int, found: dict[Cell, np.ndarray]) -> list[str]:
    """Coverage in percent, a row a metric and method, a column a mix and n."""
    cells = [Cell(k, mix, n) for mix in MIXES for n in ITEMS]
    head = [f"{c.mix}, n = {c.n:,}" for c in cells]
    lines = [
        f"#### {k} classes",
        "",
        f"| metric | method | {' | '.join(head)} |",
        f"| --- | --- |{' ---: |' * len(cells)}",
    ]
    for j, metric in enumerate(METRICS):
        for i, method in enumerate(METHODS):
            if method == "wilson" and metric != "accuracy":
                continue
            row = [_percent(found[c][i, j]) for c in cells]
            lines.append(f"| `{metric}` | {method} | {' | '.join(row)} |")
    return [*lines, ""]


def _percent(x: np.ndarray) -> str:
    given, below, above, _ = x
    if not given:
        return "–"
    share = 1 - (below + above) / given
    text = f"{100 * share:.1f} ± {spread(share, given):.1f}"
    refused = SETS - given
    return text + (f" ({100 * refused / SETS:.0f} % refused)" if refused >= SETS / 200 else "")


def summary_table(found: dict[Cell, np.ndarray]) -> list[str]:
    """The methods against each other: mean coverage, the worst cell, mean width against delta."""
    lines = [
        "| method | mean coverage | worst | cells below 93 % | mean width against delta |",
        "| --- | ---: | ---: | ---: | ---: |",
    ]
    delta = METHODS.index("delta")
    for i, method in enumerate(METHODS):
        shares, widths, where = [], [], []
        for cell, x in found.items():
            for j in range(len(METRICS)):
                given, below, above, width = x[i, j]
                if METRICS[j] == "f1_gap" or given < SETS / 2:
                    continue
                shares.append(1 - (below + above) / given)
                where.append(f"{METRICS[j]}, k = {cell.k}, {cell.mix}, n = {cell.n:,}")
                widths.append((width / given) / (x[delta, j, 3] / x[delta, j, 0]))
        worst = int(np.argmin(shares))
        low = sum(s < 0.93 for s in shares)
        lines.append(
            f"| {method} | {100 * np.mean(shares):.1f} % | {100 * shares[worst]:.1f} % "
            f"({where[worst]}) | {low} of {len(shares)} | {np.mean(widths):.3f} |"
        )
    return lines


def null_table(found: dict[Null, np.ndarray]) -> list[str]:
    """How often each test finds a difference that is not there."""
    nulls = list(found)
    head = [f"{'mirrored' if x.mirrored else x.mix}, k = {x.k}, n = {x.n:,}" for x in nulls]
    lines = [
        f"| metric | test | {' | '.join(head)} |",
        f"| --- | --- |{' ---: |' * len(nulls)}",
    ]
    for j, metric in enumerate(PAIRED):
        for i, test in enumerate(TESTS):
            row = []
            for x in nulls:
                n, hits = found[x][i, j]
                row.append(f"{100 * hits / n:.1f} ± {spread(hits / n, n):.1f}" if n else "–")
            if any(r != "–" for r in row):
                lines.append(f"| `{metric}` | {test} | {' | '.join(row)} |")
    return lines


def main() -> None:
    """Run all cells on all cores, and write the page."""
    start = time.perf_counter()
    sets = int(sys.argv[1]) if len(sys.argv) > 1 else SETS
    parts = range(max(1, sets // PART))
    cells = [Cell(k, mix, n) for k in CLASSES for mix in MIXES for n in ITEMS]
    nulls = [Null(k, m, n, False) for k in (3, 10) for m in MIXES for n in ITEMS[:2]]
    nulls += [Null(k, "balanced", n, True) for k in (3, 10) for n in ITEMS[:2]]
    covers = {c: np.zeros((len(METHODS), len(METRICS), 4)) for c in cells}
    rejects = {x: np.zeros((len(TESTS), len(PAIRED), 2)) for x in nulls}
    with Pool() as pool:
        big = sorted(cells, key=lambda c: -c.k * c.n)
        for cell, out in pool.imap_unordered(covered, [(c, p) for c in big for p in parts]):
            covers[cell] += out
        print(f"coverage: {time.perf_counter() - start:.0f} s", file=sys.stderr, flush=True)
        for null, out in pool.imap_unordered(rejected, [(x, p) for x in nulls for p in parts]):
            rejects[null] += out
    seconds = time.perf_counter() - start
    print(f"all: {seconds:.0f} s", file=sys.stderr, flush=True)
    text = [
        f"`make coverage-study` makes these tables: {sets:,} data sets a cell, {REPLICATES} "
        f"replicates a bootstrap ({TEST_REPLICATES} in tests), ± the Monte-Carlo standard error. "
        "*Refused* are data sets where the method itself gives no interval (no width: a metric at "
        "the end of its range); they are left out of the coverage.",
        "",
        "### The methods against each other",
        "",
        "Over all cells and metrics but the gap.",
        "",
        *summary_table(covers),
        "",
        "### Coverage of nominal 95 % intervals, in percent",
        "",
        *(line for k in CLASSES for line in coverage_table(k, covers)),
        "### Differences found where there are none, in percent of data sets (wanted: 5)",
        "",
        "*Mirrored*: B errs on the classes where A is right and the other way round, so that the "
        "metrics are equal but the systems not exchangeable. Elsewhere they are exchangeable.",
        "",
        *null_table(rejects),
    ]
    write(PAGE, "coverage", "\n".join(text))


if __name__ == "__main__":
    main()

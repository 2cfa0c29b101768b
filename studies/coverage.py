"""``python -m studies.coverage [fresh] [hard] [others] [usual] [sets]``: do 95 % intervals hold?

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
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # the processes are the threads
import numpy as np

from benchmarks.harness import write
from evenhand.catalogue.binding import bind, evaluate
from evenhand.core.kernel import Kernel
from evenhand.data.confusion import Confusion
from evenhand.inference.bootstrap import acceleration, bca, bootstrap, percentile
from evenhand.inference.intervals import Estimate, IntervalSettings, estimates
from evenhand.inference.rows import rows_of
from studies.hard import ANALYTIC, AVERAGES, DESIGNS, DRAWN, Design, with_errors
from studies.hard import covered as held
from studies.special import JOBS, KINDS, SLOW, Row, special

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
METHODS = ("auto", "delta, range", "bootstrap", "bca")
CLASSES = (2, 3, 10, 50)
ITEMS = (200, 1000, 10_000)
MIXES = {"balanced": 1.0, "imbalanced": 50.0}
SETS = 2000
REPLICATES = 400
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
        return with_errors(prevalence, 0.9 - 0.3 * rank)


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
    for method in ("auto", "delta, range"):
        name, _, transform = method.partition(", ")
        how = IntervalSettings(name, transform=transform or None)
        ends[method] = [_own(e) for e in estimates(table, kernels, how)]
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


def spread(share: float, n: float) -> float:
    """Monte-Carlo standard error in points."""
    return 100 * math.sqrt(max(share * (1 - share), 0.0) / max(n, 1))


def coverage_table(k: int, found: dict[Cell, np.ndarray], sets: int) -> list[str]:
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
            row = [_percent(found[c][i, j], sets) for c in cells]
            lines.append(f"| `{metric}` | {method} | {' | '.join(row)} |")
    return [*lines, ""]


def _percent(x: np.ndarray, sets: int) -> str:
    given, below, above, _ = x
    if not given:
        return "–"
    share = 1 - (below + above) / given
    text = f"{100 * share:.1f} ± {spread(share, given):.1f}"
    refused = sets // PART * PART - given
    return text + (f" ({100 * refused / sets:.0f} % refused)" if refused >= sets / 200 else "")


def summary_table(found: dict[Cell, np.ndarray], sets: int) -> list[str]:
    """The methods against each other: mean coverage, the worst cell, mean width against delta."""
    lines = [
        "| method | mean coverage | worst | cells below 93 % | mean width against delta |",
        "| --- | ---: | ---: | ---: | ---: |",
    ]
    delta = METHODS.index("delta, range")
    for i, method in enumerate(METHODS):
        shares, widths, where = [], [], []
        for cell, x in found.items():
            for j in range(len(METRICS)):
                given, below, above, width = x[i, j]
                if METRICS[j] == "f1_gap" or given < sets / 2:
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


def hard_table(found: dict[str, dict[Design, np.ndarray]]) -> list[str]:
    """The methods against each other on the hard cells, refusals counted as misses."""
    lines = [
        "| method | mean coverage | worst | cells below 93 % | width against delta |",
        "| --- | ---: | ---: | ---: | ---: |",
    ]
    base = found["delta, range"]
    for name, cells in found.items():
        shares = {
            f"{metric}, {design}": x[j, 1] / x[j, 0]
            for design, x in cells.items()
            for j, metric in enumerate(AVERAGES)
        }
        widths = [(x[:, 2] / x[:, 0]) / (base[d][:, 2] / base[d][:, 0]) for d, x in cells.items()]
        worst = min(shares, key=shares.__getitem__)
        low = sum(s < 0.93 for s in shares.values())
        lines.append(
            f"| {name} | {100 * np.mean(list(shares.values())):.1f} % | "
            f"{100 * shares[worst]:.1f} % ({worst}) | {low} of {len(shares)} | "
            f"{np.mean(widths):.2f} |"
        )
    return lines


def hard_cells(found: dict[str, dict[Design, np.ndarray]]) -> list[str]:
    """Every hard cell: the default and the plain delta method."""
    lines = [
        f"| cell | method | {' | '.join(f'`{m}`' for m in AVERAGES)} | warned |",
        f"| --- | --- |{' ---: |' * (len(AVERAGES) + 1)}",
    ]
    for design in DESIGNS:
        for name in ("auto", "delta, range"):
            x = found[name][design]
            row = [f"{100 * h / n:.1f} ± {spread(h / n, n):.1f}" for n, h, *_ in x]
            warned = f"{100 * x[0, 3] / x[0, 0]:.0f} %" if name == "auto" else ""
            lines.append(f"| {design} | {name} | {' | '.join(row)} | {warned} |")
    return lines


def special_tables(rows: list[Row]) -> list[str]:
    """A table for each kind: the cell, and coverage and width by method."""
    added: dict[tuple[str, str, str], np.ndarray] = {}
    for what, cell, method, *numbers in rows:
        key = (what, cell, method)
        added[key] = added.get(key, np.zeros(3)) + np.array(numbers)
    lines: list[str] = []
    for kind in dict.fromkeys(what for what, _, _ in added):
        methods = list(dict.fromkeys(m for what, _, m in added if what == kind))
        lines += [
            f"#### {kind[0].upper()}{kind[1:]}",
            "",
            f"| cell | {' | '.join(f'{m} | width' for m in methods)} |",
            f"| --- |{' ---: |' * (2 * len(methods))}",
        ]
        for cell in dict.fromkeys(c for what, c, _ in added if what == kind):
            row = []
            for method in methods:
                n, hits, width = added[kind, cell, method]
                row += [f"{100 * hits / n:.1f} ± {spread(hits / n, n):.1f}", f"{width / n:.4f}"]
            lines.append(f"| {cell} | {' | '.join(row)} |")
        lines.append("")
    return lines


def hard(pool: Any, sets: int) -> list[str]:
    """The hard cells, by every method."""
    slow = range(max(1, sets // 250))
    jobs = [(d, p, 50, True) for d in reversed(DESIGNS) for p in slow]
    jobs += [(d, p, PART, False) for d in DESIGNS for p in range(sets // PART)]
    found: dict[str, dict[Design, np.ndarray]] = {}
    for design, made in pool.imap_unordered(held, jobs):
        for name, out in made.items():
            added = found.setdefault(name, {})
            added[design] = added.get(design, 0) + out
    found = {name: {d: found[name][d] for d in DESIGNS} for name in (*ANALYTIC, *DRAWN)}
    return [
        f"{sets // PART * PART:,} data sets a cell, {50 * len(slow):,} where a method draws (200 "
        "times) or searches; a refused interval counts as a miss. *Warned* is the share of data "
        "sets with a warning of small classes. *Jackknife*, *pseudo-items* and *the larger of "
        "both* are the parts of `auto`, on the log-odds of the range and with a normal "
        "quantile. *Percentile* and *bootstrap-t* draw from the table, *smoothed bootstrap* and "
        "*simulated* (studentised, with the errors of `auto`) from the table with pseudo-items; "
        "*posterior* is Dirichlet's with 1/k a cell. *Calibrated* is `auto` with the reach that "
        "holds in 95 % of tables drawn from the one with pseudo-items (the quantile of conformal "
        "prediction), *likelihood* the empirical likelihood ratio (χ², one degree of freedom) of "
        "the table and of that with pseudo-items.",
        "",
        *hard_table(found),
        "",
        *hard_cells(found),
    ]


def others(pool: Any, sets: int) -> list[str]:
    """F1 of a class, the gap, clusters, differences, samples of one population."""
    parts, slow = range(sets // PART), range(max(1, sets // 200))
    jobs = [(name, 50, p) for name in SLOW for p in slow]
    jobs += [(name, PART, p) for name in JOBS if name not in SLOW for p in parts]
    rows = [row for found in pool.imap_unordered(special, jobs) for row in found]
    rows.sort(key=lambda row: list(KINDS).index(row[0]))
    return [
        f"{len(parts) * PART:,} data sets a cell, {50 * len(slow):,} of clusters, weights and "
        "differences.",
        "",
        *special_tables(rows),
    ]


def usual(pool: Any, sets: int) -> list[str]:
    """Cells of all sizes, by the methods that one can ask for."""
    cells = [Cell(k, mix, n) for k in CLASSES for mix in MIXES for n in ITEMS]
    covers = {c: np.zeros((len(METHODS), len(METRICS), 4)) for c in cells}
    jobs = [(c, p) for c in sorted(cells, key=lambda c: -c.k * c.n) for p in range(sets // PART)]
    for cell, out in pool.imap_unordered(covered, jobs):
        covers[cell] += out
    return [
        f"{sets // PART * PART:,} data sets a cell, {REPLICATES} replicates a bootstrap. *Refused* "
        "are data sets where the method itself gives no interval; here they are left out of the "
        "coverage. First over all cells and metrics but the gap:",
        "",
        *summary_table(covers, sets),
        "",
        *(line for k in CLASSES for line in coverage_table(k, covers, sets)),
    ]


FRESH = (
    (2, 60, "mild"), (2, 200, "rare"), (2, 400, "near"), (3, 80, "mild"), (3, 150, "never"),
    (3, 1200, "never"), (3, 400, "near"), (4, 250, "rare"), (5, 120, "never"), (5, 2000, "rare"),
    (6, 300, "mild"), (8, 400, "never"), (8, 3000, "near"), (12, 500, "rare"), (20, 160, "tiny"),
    (20, 1500, "never"),
)  # fmt: skip
"""Classes, items and kind of populations drawn at random: *rare* has a class of few items, found in
40 %; *never* one that is found in 8 % and often never predicted; *near* errs on 0.3 to 2 %; *tiny*
has eight items a class."""
FRESH_METRICS = (
    "macro_f1", "f1_of_averages", "macro_precision", "macro_recall", "kappa", "mcc", "weighted_f1",
    "weighted_precision",
)  # fmt: skip


def fresh_populations(seed: int = 23) -> list[tuple[str, int, np.ndarray]]:
    """Name, items and shares of true × predicted of each population of ``FRESH``."""
    rng, populations = np.random.default_rng(seed), []
    for k, n, kind in FRESH:
        share = rng.dirichlet(np.full(k, 3.0))
        if kind in ("rare", "never"):
            share[-1] = max(8, 0.02 * n) / n
        share = np.full(k, 1 / k) if kind == "tiny" else np.maximum(share, 6 / n)
        share /= share.sum()
        recall = rng.beta(8, 3, k)
        if kind == "near":
            recall = 1 - rng.uniform(0.003, 0.02, k)
        recall[-1] = {"rare": 0.4, "never": 0.08}.get(kind, recall[-1])
        pull = np.tile(share + 0.3 / k, (k, 1)) * rng.uniform(0.3, 1, (k, k))
        pull[:, -1] *= 0.02 if kind == "never" else 1.0
        np.fill_diagonal(pull, 0)
        rates = (1 - recall)[:, None] * pull / pull.sum(axis=1, keepdims=True) + np.diag(recall)
        populations.append((f"{k} classes, n = {n:,}, {kind}", n, share[:, None] * rates))
    return populations


def fresh(pool: Any, sets: int) -> list[str]:
    """Populations drawn at random, in data sets where every class is true of some item."""
    lines = [
        f"{sets:,} data sets a cell in which every class is true of some item; standard error at "
        f"95 %: {100 * math.sqrt(0.95 * 0.05 / sets):.1f}. *Rare* has a class of few items, found "
        "in 40 %; *never* one that is found in 8 % and often never predicted; *near* errs on 0.3 "
        "to 2 % of the items; *tiny* has eight items a class.",
        "",
        f"| cell | {' | '.join(f'`{m}`' for m in FRESH_METRICS)} |",
        f"| --- |{' ---: |' * len(FRESH_METRICS)}",
    ]
    for number, (name, n, shares) in enumerate(fresh_populations()):
        rng, k = np.random.default_rng([23, number]), len(shares)
        cells = rng.multinomial(n, shares.reshape(-1), 2 * sets).reshape(-1, k, k)
        table = Confusion.from_matrix(cells[(cells.sum(axis=2) > 0).all(axis=1)][:sets])
        kernels, whole = [bind(m, table) for m in FRESH_METRICS], Confusion.from_matrix(shares)
        row = []
        for metric, e in zip(
            FRESH_METRICS, estimates(table, kernels, IntervalSettings()), strict=True
        ):
            truth = float(evaluate(metric, whole))
            row.append(f"{100 * np.mean((e.low <= truth) & (truth <= e.high)):.1f}")
        lines.append(f"| {name} | {' | '.join(row)} |")
    return lines


SECTIONS = {"fresh": fresh, "hard": hard, "others": others, "usual": usual}


def main() -> None:
    """Run the sections named, or all, on all cores, and write them into the page."""
    named = [a for a in sys.argv[1:] if a in SECTIONS] or list(SECTIONS)
    sets = next((int(a) for a in sys.argv[1:] if a.isdecimal()), SETS)
    with Pool() as pool:
        for name in named:
            start = time.perf_counter()
            text = SECTIONS[name](pool, sets)
            write(PAGE, f"coverage, {name}", "\n".join(text).rstrip())
            print(f"{name}: {time.perf_counter() - start:.0f} s", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()

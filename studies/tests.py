"""``python -m studies.tests``: how often does a test find a difference that is not there?

Pairs of systems are drawn from populations where one metric is the same for both, though they
predict at different rates, and from others where it differs. Data sets and their swaps are one
stack of weights on the same rows. The tables go into docs/tests.md. Same seed, same page.
"""

from __future__ import annotations

import math
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache, partial
from multiprocessing import Pool
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # the processes are the threads
import numpy as np
from scipy.optimize import brentq

from benchmarks.harness import write
from evenhand.catalogue.binding import bind_all, evaluate, values_of
from evenhand.catalogue.lists import default_metrics
from evenhand.core.kernel import Kernel
from evenhand.data.confusion import Confusion
from evenhand.data.sample import Sample
from evenhand.inference.jackknife import score_covariances
from evenhand.inference.multiplicity import TIE, extreme_share, step_down, two_sided
from evenhand.inference.permutation import (
    PairedPermutations,
    correlation,
    mid_p,
    pair_of,
    studentised,
)
from evenhand.inference.rows import rows_of
from studies.special import joint_sample

PAGE = Path("docs/tests.md")
METRICS = ("accuracy", "macro_recall", "macro_precision", "macro_f1", "f1_of_averages", "mcc")
TESTS = ("default", "studentised", "plain swaps", "delta")
SETS = 2000
FEWER = 500
"""Data sets where only the power is asked for."""
DRAWS = 299
PART = 250
"""Data sets a job, so that jobs are small enough to share out."""
HELD = 1 << 21
"""Rows × ways weighed at once."""
SAME = 0.5
"""Share of items on which the systems err together as far as they can."""


@dataclass(frozen=True)
class Design:
    """Class shares, and how often each system predicts the last class."""

    name: str
    shares: tuple[float, ...]
    rates: tuple[float, float]

    @property
    def k(self) -> int:
        return len(self.shares)

    def system(self, quality: float, rate: float) -> np.ndarray:
        """Rows of P(predicted | true), right with this quality, tilted by the last class."""
        k = self.k
        rows = np.full((k, k), (1 - quality) / (k - 1))
        np.fill_diagonal(rows, quality)

        def tilted(tilt: float) -> np.ndarray:
            found = rows * np.exp(tilt * (np.arange(k) == k - 1))
            return found / found.sum(axis=1, keepdims=True)

        off = brentq(lambda tilt: np.array(self.shares) @ tilted(tilt)[:, -1] - rate, -30, 30)
        return tilted(off)

    def score(self, metric: str, rows: np.ndarray) -> float:
        """The metric of a system in the population."""
        return float(evaluate(metric, Confusion.from_matrix(np.array(self.shares)[:, None] * rows)))

    @cache  # noqa: B019  (designs live as long as the study)
    def joint(self, metric: str, apart: float) -> np.ndarray:
        """Shares of true × A × B, B better on the metric by ``apart``."""
        a = self.system(0.75, self.rates[0])
        wanted = self.score(metric, a) + apart

        def above(quality: float) -> float:
            return self.score(metric, self.system(quality, self.rates[1])) - wanted

        b = self.system(brentq(above, 1 / self.k + 0.05, 0.995), self.rates[1])
        return coupled(np.array(self.shares), a, b)


def coupled(shares: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """True × A × B: half independent, half as alike as the two systems' rates allow."""
    both = np.minimum(a, b)
    rest = 1 - both.sum(axis=1)
    joint = (a - both)[:, :, None] * (b - both)[:, None, :]
    joint = np.divide(joint, rest[:, None, None], where=rest[:, None, None] > 0, out=joint * 0)
    at = np.arange(a.shape[1])
    joint[:, at, at] += both
    whole = SAME * joint + (1 - SAME) * a[:, :, None] * b[:, None, :]
    return shares[:, None, None] * whole


def _large() -> tuple[float, ...]:
    found = 4.0 ** -(np.arange(20) / 19)
    return tuple((found / found.sum()).tolist())


DESIGNS = (
    Design("alike", (0.4, 0.35, 0.25), (0.25, 0.25)),
    Design("rates", (0.4, 0.35, 0.25), (0.02, 0.35)),
    Design("rare", (0.6, 0.37, 0.03), (0.01, 0.06)),
    Design("20 classes", _large(), (0.01, 0.15)),
)
ITEMS = (200, 500, 2000)


@dataclass(frozen=True)
class Cell:
    """A population and a test size; ``apart`` is the true difference."""

    design: Design
    metric: str
    n: int
    strong: bool

    @property
    def sets(self) -> int:
        return FEWER if self.strong else SETS

    @property
    def apart(self) -> float:
        return 1 / math.sqrt(self.n) if self.strong else 0.0


def outcomes(
    cells: np.ndarray, kernels: Callable[[Sample], list[Kernel]], rng: np.random.Generator
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """For each data set (true × A × B) differences and errors, as observed and after swaps."""
    k = cells.shape[1]
    start = 0
    while start < len(cells):
        size = max(1, min(64, HELD // (2 * int((cells[start] > 0).sum()) * DRAWS)))
        part = cells[start : start + size]
        start += size
        filled = (part > 0).any(axis=0)
        true, a, b = np.nonzero(filled)
        sample = Sample.from_labels(true, {"A": a, "B": b}, labels=range(k))
        rows = rows_of(sample)
        order = (rows.true, *rows.pred.T)
        counts = part[:, order[0], order[1], order[2]]
        swaps = PairedPermutations.from_pair(rows)
        moved = np.zeros((len(part), 1 + DRAWS, len(swaps.moving)))
        many = counts[:, None, swaps.moving]
        moved[:, 1:] = rng.binomial(many, 0.5, (len(part), DRAWS, many.shape[-1]))
        stays = np.repeat(counts[:, None].astype(float), 1 + DRAWS, axis=1)
        stays[:, :, swaps.moving] -= moved
        weights = np.concatenate([stays, moved], axis=2)
        weights = weights.reshape(-1, weights.shape[-1])
        bound, each = kernels(sample), swaps.most
        found = [
            swaps.differences(bound, weights[i : i + each]) for i in range(0, len(weights), each)
        ]
        gaps, errors = (
            np.concatenate(x).reshape(len(part), 1 + DRAWS, -1) for x in zip(*found, strict=True)
        )
        yield from zip(gaps, errors, strict=True)


def drawn(code: list[int], n: int, joint: np.ndarray) -> tuple[np.ndarray, np.random.Generator]:
    """Data sets of one job, and what goes on drawing."""
    rng = np.random.default_rng(code)
    return rng.multinomial(n, joint.reshape(-1), PART).reshape(-1, *joint.shape), rng


def rejected(job: tuple[Cell, int]) -> tuple[Cell, np.ndarray]:
    """For each test: data sets, those where p ≤ 0.05, and both without a rare-event warning."""
    cell, part = job
    code = [DESIGNS.index(cell.design), METRICS.index(cell.metric), cell.n, int(cell.strong), part]
    cells, rng = drawn(code, cell.n, cell.design.joint(cell.metric, cell.apart))
    chance = np.full(1 + DRAWS, 1 / (1 + DRAWS))
    bound = partial(_bound, (cell.metric,))
    out = np.zeros((len(TESTS), 4))
    each = zip(cells, outcomes(cells, bound, rng), enough(cells), strict=True)
    for counts, (gaps, errors), fine in each:
        s = studentised(gaps, errors)
        none = abs(gaps[0, 0]) <= TIE
        delta = 1.0 if none else float(two_sided(s[0, 0]))
        plain = np.abs(gaps)
        swapped = extreme_share(s[0], s, chance)[0]
        default = (
            accuracy_p(counts) if cell.metric == "accuracy" else max(swapped, steady(counts, bound))
        )
        for i, p in enumerate((default, swapped, extreme_share(plain[0], plain, chance)[0], delta)):
            found = p <= 0.05 + 1e-9
            out[i] += 1, found, fine, fine and found
    return cell, out


def accuracy_p(counts: np.ndarray) -> float:
    """McNemar's mid-p of the items that only one system gets right: accuracy's default."""
    at = np.arange(len(counts))
    right = counts[at, at].sum(axis=0), counts[at, :, at].sum(axis=0)
    both = counts[at, at, at]
    return mid_p(*(int(x.sum() - both.sum()) for x in right))


def steady(counts: np.ndarray, bound: Callable[[Sample], list[Kernel]]) -> float:
    """The p of an average by the error that holds where classes are small; of others 0."""
    sample = joint_sample(counts)
    (kernel,), rows = bound(sample), rows_of(sample)
    (varied,) = score_covariances(rows, [kernel])
    if len(varied.estimates) < 2:
        return 0.0
    first, second = values_of([kernel], sample.tables())[0]
    both = varied.between()
    error = math.sqrt(both.variance[0])
    if not error:
        return 0.0
    return float(two_sided((first - second) / error, float(both.df[0])))


def enough(cells: np.ndarray) -> np.ndarray:
    """Which data sets have 10 true items, 10 predictions and 5 hits of each class and system."""
    at = np.arange(cells.shape[1])
    fine = (cells.sum(axis=(2, 3)) >= 10).all(axis=1)
    for table in (cells.sum(axis=3), cells.sum(axis=2)):
        fine &= (table.sum(axis=1) >= 10).all(axis=1) & (table[:, at, at] >= 5).all(axis=1)
    return fine


def _bound(metrics: tuple[str, ...], sample: Sample) -> list[Kernel]:
    everything = metrics or tuple(default_metrics())
    return bind_all(everything, sample.tables(), classes="true")


@dataclass(frozen=True)
class Mirrored:
    """B is A with the classes turned round: all metrics are equal, the rates are not."""

    k: int
    n: int

    def joint(self) -> np.ndarray:
        design = Design("", (1 / self.k,) * self.k, (0.5 / self.k, 0.0))
        a = design.system(0.75, design.rates[0])
        return coupled(np.array(design.shares), a, a[::-1, ::-1])


def any_rejected(job: tuple[Mirrored, int]) -> tuple[Mirrored, np.ndarray]:
    """Data sets, and those where some metric is told apart: step-down, and no correction."""
    cell, part = job
    cells, rng = drawn([9, cell.k, cell.n, part], cell.n, cell.joint())
    chance = np.full(1 + DRAWS, 1 / (1 + DRAWS))
    out = np.zeros(3)
    bound = partial(_bound, ())
    for counts, (gaps, errors) in zip(cells, outcomes(cells, bound, rng), strict=True):
        sample = joint_sample(counts)
        alike = correlation(pair_of(rows_of(sample), 0, 1), bound(sample))
        statistics = studentised(gaps, errors)
        each = extreme_share(statistics[0], statistics, chance)
        out += 1, step_down(each, alike).min() <= 0.05 + 1e-9, each.min() <= 0.05 + 1e-9
    return cell, out


def _percent(tried: float, hits: float) -> str:
    if tried < PART / 5:
        return "–"
    share = hits / tried
    return f"{100 * share:.1f} ± {100 * math.sqrt(share * (1 - share) / tried):.1f}"


def level_table(found: dict[Cell, np.ndarray], strong: bool) -> list[str]:
    """A row a metric and test, a column a design and n."""
    columns = list(dict.fromkeys((c.design, c.n) for c in found if c.strong == strong))
    lines = [
        f"| metric | test | {' | '.join(f'{d.name}, n = {n:,}' for d, n in columns)} |",
        f"| --- | --- |{' ---: |' * len(columns)}",
    ]
    for metric in METRICS:
        mine = [found[Cell(d, metric, n, strong)] for d, n in columns]
        for i, test in enumerate(TESTS):
            lines.append(f"| `{metric}` | {test} | {_row(_percent(*x[i, :2]) for x in mine)} |")
        unwarned = _row(_percent(*x[0, 2:]) for x in mine)
        lines.append(f"| `{metric}` | default, unwarned | {unwarned} |")
    return lines


def _row(cells: Iterable[str]) -> str:
    return " | ".join(cells)


def family_table(found: dict[Mirrored, np.ndarray]) -> list[str]:
    lines = [
        "| classes | n | step-down | uncorrected |",
        "| ---: | ---: | ---: | ---: |",
    ]
    for cell, (tried, *hits) in found.items():
        row = " | ".join(_percent(tried, x) for x in hits)
        lines.append(f"| {cell.k} | {cell.n:,} | {row} |")
    return lines


def main() -> None:
    """Run all cells on all cores, and write the page."""
    start = time.perf_counter()
    sets = int(sys.argv[1]) if len(sys.argv) > 1 else SETS
    cells = [
        Cell(d, m, n, strong)
        for d in DESIGNS
        for strong in (False, True)
        for n in ITEMS
        for m in METRICS
        if n >= 25 * d.k
    ]
    mirrored = [Mirrored(k, n) for k in (3, 10) for n in ITEMS]
    results = {c: np.zeros((len(TESTS), 4)) for c in cells}
    family = {c: np.zeros(3) for c in mirrored}
    with Pool() as pool:
        jobs = [(c, p) for c in cells for p in range(max(1, min(sets, c.sets) // PART))]
        for cell, out in pool.imap_unordered(rejected, jobs):
            results[cell] += out
        print(f"single tests: {time.perf_counter() - start:.0f} s", file=sys.stderr, flush=True)
        again = [(c, p) for c in mirrored for p in range(max(1, sets // PART))]
        for one, found in pool.imap_unordered(any_rejected, again):
            family[one] += found
    print(f"all: {time.perf_counter() - start:.0f} s", file=sys.stderr, flush=True)
    text = [
        f"`make tests-study` makes these tables: {min(sets, SETS):,} data sets a cell ({FEWER} "
        f"for power), {DRAWS} draws a test, ± the Monte-Carlo "
        "standard error.",
        "",
        "### Differences found where there are none, in percent of data sets (wanted: 5)",
        "",
        *level_table(results, False),
        "",
        "### Power: differences of 1/√n found, in percent of data sets",
        "",
        *level_table(results, True),
        "",
        "### Any false finding among all metrics of a pair, in percent of data sets (wanted: 5)",
        "",
        "B is A with the classes turned round: all metrics are equal, the rates of prediction are "
        "not.",
        "",
        *family_table(family),
    ]
    write(PAGE, "tests", "\n".join(text))


if __name__ == "__main__":
    main()

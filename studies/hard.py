"""Hard cells: small classes, rare hits, rare predictions, many classes; and the methods for them.

Each cell is a population with a known value and a test size; each method makes its intervals of
averages over classes for many data sets drawn from it. A refused interval counts as a miss.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from evenhand.catalogue.binding import bind_all, evaluate, values_of, views_of
from evenhand.core.kernel import Kernel
from evenhand.data.confusion import Confusion
from evenhand.inference.bootstrap import percentile
from evenhand.inference.delta import few_classes, smoothed_estimate
from evenhand.inference.intervals import IntervalSettings, estimates
from evenhand.inference.jackknife import deletion_influence, score_errors
from evenhand.inference.rows import Rows, rows_of
from evenhand.inference.wilson import interval_around, interval_scale
from studies.likelihood import calibrated, likelihood

Ends = list[tuple[np.ndarray, np.ndarray]]

AVERAGES = ("macro_f1", "f1_of_averages", "macro_precision", "macro_recall")
Z = 1.959963984540054
DRAWS = 200


@dataclass(frozen=True)
class Design:
    """k classes, n items; ``small`` items are expected of each of the ``many`` last classes."""

    k: int
    n: int
    small: float
    many: int = 1
    recall: float | None = None

    def __str__(self) -> str:
        rare = f"{self.many} × {self.small:g} items" if self.many > 1 else f"{self.small:g} items"
        found = "" if self.recall is None else f", recall {self.recall:g}"
        return f"{self.k} classes, n = {self.n:,}, {rare}{found}"

    def population(self) -> np.ndarray:
        """Shares of true × predicted: recalls from 0.9 to 0.6, errors rather to large classes."""
        k = self.k
        prevalence = np.linspace(1, 0.6, k)
        prevalence[-self.many :] = self.small / self.n
        rest = prevalence[: -self.many]
        rest *= (1 - self.many * self.small / self.n) / rest.sum()
        recall = np.linspace(0.9, 0.6, k)
        if self.recall is not None:
            recall[-self.many :] = self.recall
        return with_errors(prevalence, recall)


def with_errors(prevalence: np.ndarray, recall: np.ndarray) -> np.ndarray:
    """Shares of true × predicted with these recalls, errors rather to large classes."""
    k = len(prevalence)
    pull = np.tile(0.5 * prevalence + 0.5 / k, (k, 1))
    np.fill_diagonal(pull, 0)
    rows = (1 - recall)[:, None] * pull / pull.sum(axis=1, keepdims=True)
    np.fill_diagonal(rows, recall)
    return prevalence[:, None] * rows


DESIGNS = (
    Design(3, 100, 4),
    Design(3, 200, 8),
    Design(3, 300, 5, recall=0.9),
    Design(3, 500, 18, recall=0.05),
    Design(10, 200, 4),
    Design(10, 300, 6, 3),
    Design(10, 1000, 7, 3),
    Design(10, 500, 9),
    Design(10, 1000, 18, recall=0.05),
    Design(30, 300, 6, 5),
    Design(30, 600, 9, 5),
    Design(30, 1000, 8, 10),
    Design(30, 1000, 18, 3, recall=0.05),
)


def auto(table: Confusion, kernels: list[Kernel]) -> Ends:
    """The default."""
    return [(e.low, e.high) for e in estimates(table, kernels, IntervalSettings())]


def delta(table: Confusion, kernels: list[Kernel]) -> Ends:
    """The delta method on the scale of the range."""
    found = estimates(table, kernels, IntervalSettings("delta", transform="range"))
    return [(e.low, e.high) for e in found]


def jackknife(table: Confusion, kernels: list[Kernel]) -> Ends:
    """The jackknife alone, on the scale of the range."""
    return _around(table, kernels, partial(_deletion_error, table))


def pseudo(table: Confusion, kernels: list[Kernel]) -> Ends:
    """The delta method at the smoothed table alone, on the scale of the range."""
    return _around(table, kernels, _smoothed_error)


def larger(table: Confusion, kernels: list[Kernel]) -> Ends:
    """The larger of these two errors, on the scale of the range, with a normal quantile."""
    return _around(
        table,
        kernels,
        lambda rows, k: np.fmax(_deletion_error(table, rows, k), _smoothed_error(rows, k)),
    )


def _smoothed_error(rows: Rows, kernel: Kernel) -> Any:
    return smoothed_estimate(rows, [kernel]).standard_error(rows, [kernel]).se[0]


def _deletion_error(table: Confusion, rows: Rows, kernel: Kernel) -> Any:
    counts = views_of([kernel], table).prepared(kernel)
    return rows.standard_error(deletion_influence(rows, kernel, counts))


def _around(table: Confusion, kernels: list[Kernel], error: Callable[[Rows, Kernel], Any]) -> Ends:
    rows, values = rows_of(table), values_of(kernels, table)
    return [
        interval_around(np.asarray(v), error(rows, k), Z, k, interval_scale("range", k))
        for v, k in zip(values, kernels, strict=True)
    ]


def drawn(table: Confusion, kernels: list[Kernel]) -> dict[str, Ends]:
    """The methods that draw, data set by data set, each from the table or from the smoothed one."""
    ends = {name: [_unknown(len(table)) for _ in kernels] for name in DRAWN}
    whole = np.asarray(table.cells, np.float64)
    more = np.stack([_with_pseudo_items(x) for x in whole])
    more *= (whole.sum(axis=(1, 2)) / more.sum(axis=(1, 2)))[:, None, None]
    for name, cells in (("likelihood", whole), ("likelihood, pseudo-items", more)):
        ends[name] = likelihood(cells, kernels)
    for t, cells in enumerate(np.asarray(table.cells, np.float64)):
        rng = np.random.default_rng([7, t])
        at = [k.at(t) for k in kernels]
        n, more = int(cells.sum()), _with_pseudo_items(cells)
        values, wider = ([float(evaluate_at(k, x)) for k in at] for x in (cells, more))
        plain = Confusion.from_matrix(rng.multinomial(n, (cells / n).reshape(-1), DRAWS)
                                      .reshape(-1, *cells.shape))  # fmt: skip
        loose = Confusion.from_matrix(rng.multinomial(n, (more / more.sum()).reshape(-1), DRAWS)
                                      .reshape(-1, *cells.shape))  # fmt: skip
        shares = rng.dirichlet(cells.reshape(-1) + 1 / cells.shape[0], DRAWS)
        posterior = Confusion.from_matrix(shares.reshape(-1, *cells.shape))
        one = Confusion.from_matrix(cells[None].astype(np.int64))
        for j, k in enumerate(at):
            error = float(_delta_errors(one, k)[0])
            sure = float(
                score_errors(rows_of(one), [k], [views_of([k], one).prepared(k)])[0].se[0, 0]
            )
            first, second, third = (evaluate_at(k, x.cells) for x in (plain, loose, posterior))
            turned = _turned(first, _delta_errors(plain, k), values[j])
            own = score_errors(rows_of(loose), [k], [views_of([k], loose).prepared(k)])[0].se[0]
            again = _turned(second, own, wider[j])
            for name, (low, high) in {
                "percentile": percentile(first, 0.95),
                "bootstrap-t": (values[j] - turned[1] * error, values[j] - turned[0] * error),
                "smoothed bootstrap": percentile(second, 0.95),
                "posterior": percentile(third, 0.95),
                "simulated": (values[j] - again[1] * sure, values[j] - again[0] * sure),
                "calibrated": calibrated(values[j], wider[j], loose, k, one),
            }.items():
                ends[name][j][0][t], ends[name][j][1][t] = low, high
    return ends


def evaluate_at(kernel: Kernel, cells: Any) -> np.ndarray:
    """A kernel's value on tables of cells."""
    from evenhand.core.margins import Counts

    return np.asarray(kernel.function(kernel.prepared(Counts.from_cells(np.asarray(cells)))))


def _delta_errors(tables: Confusion, kernel: Kernel) -> Any:
    """The delta method's error of every table."""
    rows = rows_of(tables)
    return rows.standard_error(rows.influences([kernel])[0])


def _turned(values: np.ndarray, errors: np.ndarray, centre: float) -> np.ndarray:
    """The middle 95 % of studentised deviations."""
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(errors > 0, (values - centre) / errors, np.nan)
    return np.nanquantile(t, [0.025, 0.975]) if np.isfinite(t).any() else np.full(2, np.nan)


def _with_pseudo_items(cells: np.ndarray) -> np.ndarray:
    """The smoothed table itself, written out: two more items for each true class."""
    k = len(cells)
    pull = np.tile(cells.sum(axis=0) + 1.0, (k, 1))
    np.fill_diagonal(pull, 0)
    extra = pull / pull.sum(axis=1, keepdims=True) + np.eye(k)
    return cells + extra * (cells.sum(axis=1, keepdims=True) > 0)


def _unknown(size: int) -> tuple[np.ndarray, np.ndarray]:
    return np.full(size, np.nan), np.full(size, np.nan)


ANALYTIC: dict[str, Callable[[Confusion, list[Kernel]], Ends]] = {
    "auto": auto,
    "delta, range": delta,
    "jackknife, range": jackknife,
    "pseudo-items, range": pseudo,
    "the larger of both, range": larger,
}
DRAWN = (
    "percentile",
    "bootstrap-t",
    "smoothed bootstrap",
    "posterior",
    "simulated",
    "calibrated",
    "likelihood",
    "likelihood, pseudo-items",
)


def covered(job: tuple[Design, int, int, bool]) -> tuple[Design, dict[str, np.ndarray]]:
    """By method: metrics × (data sets, intervals that hold the truth, mean width, warned)."""
    design, part, sets, slow = job
    shares = design.population()
    rng = np.random.default_rng([3, DESIGNS.index(design), part])
    size = (sets, design.k, design.k)
    table = Confusion.from_matrix(rng.multinomial(design.n, shares.reshape(-1), sets).reshape(size))
    whole = Confusion.from_matrix(shares)
    truth = [float(evaluate(m, whole)) for m in AVERAGES]
    kernels = bind_all(AVERAGES, table, classes="true")
    made = drawn(table, kernels) if slow else {n: m(table, kernels) for n, m in ANALYTIC.items()}
    found = {}
    few = few_classes([(k, True) for k in kernels], table, table.counts_over(None, 0.0))
    warned = few.any(axis=1).sum()
    for name, ends in made.items():
        out = np.zeros((len(AVERAGES), 4))
        for j, (low, high) in enumerate(ends):
            with np.errstate(invalid="ignore"):
                holds = (low <= truth[j]) & (truth[j] <= high) & (high - low > 1e-12)
            out[j] = sets, holds.sum(), np.nansum(high - low), warned
        found[name] = out
    return design, found

"""What is measured beside averages of one system: F1 of a class, the gap, clusters, pairs, a tail.

Each is a job that returns named rows of (data sets, intervals that hold the truth, sum of widths).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from evenhand.catalogue.binding import bind, bind_all, bind_classes, evaluate, values_of, views_of
from evenhand.core.kernel import Kernel
from evenhand.data.confusion import Confusion
from evenhand.data.counting import coded_sample
from evenhand.data.sample import Sample
from evenhand.inference.intervals import IntervalSettings, estimates
from evenhand.inference.jackknife import corrected, score_covariances
from evenhand.inference.rows import rows_of
from evenhand.inference.wilson import critical_value, interval_around
from studies.hard import AVERAGES, DESIGNS, Design, Z

Row = tuple[str, str, str, float, float, float]
"""What, the cell, the method; data sets, hits, sum of widths."""


def drawn_tables(shares: np.ndarray, n: int, sets: int, rng: np.random.Generator) -> Confusion:
    """Data sets of a population."""
    size = (sets, *shares.shape)
    return Confusion.from_matrix(rng.multinomial(n, shares.reshape(-1), sets).reshape(size))


def _held(low: np.ndarray, high: np.ndarray, truth: float) -> tuple[float, float, float]:
    with np.errstate(invalid="ignore"):
        holds = (low <= truth) & (truth <= high) & (high - low > 1e-12)
    return float(len(low)), float(holds.sum()), float(np.nansum(high - low))


def one_class(sets: int, part: int) -> Iterator[Row]:
    """F1 of the last class: Wilson's interval of its Jaccard index, against the delta method."""
    (kernel,) = [k for k in bind_classes() if k.name == "f1"]
    for k, items, recall in ((2, 5, 0.6), (2, 10, 0.9), (2, 20, 0.05), (3, 30, 0.5), (10, 8, 0.6)):
        design = Design(k, 300, items, recall=recall)
        shares, rng = design.population(), np.random.default_rng([11, k, items, part])
        table = drawn_tables(shares, design.n, sets, rng)
        truth = float(evaluate(f"f1:label={k - 1}", Confusion.from_matrix(shares)))
        for name, how in (
            ("auto", IntervalSettings()),
            ("delta, range", IntervalSettings("delta", transform="range")),
        ):
            (found,) = estimates(table, [kernel], how)
            yield (
                "F1 of a class",
                str(design),
                name,
                *_held(found.low[:, -1], found.high[:, -1], truth),
            )


def the_gap(sets: int, part: int) -> Iterator[Row]:
    """The gap as it is, and less its bias."""
    for k, n in ((2, 300), (3, 300), (10, 500), (30, 1000), (30, 5000)):
        design = Design(k, n, n / k)
        shares, rng = design.population(), np.random.default_rng([12, k, n, part])
        table = drawn_tables(shares, n, sets, rng)
        truth = float(evaluate("f1_gap", Confusion.from_matrix(shares)))
        kernel = bind("f1_gap", table)
        views = views_of([kernel], table)
        (value,) = values_of([kernel], table)
        (plain,) = estimates(table, [kernel], IntervalSettings("delta"))
        fixed = corrected(rows_of(table), kernel, np.asarray(value), views.prepared(kernel), 0.95)
        cell = f"{k} classes, n = {n:,}"
        yield "the gap", cell, "delta", *_held(plain.low, plain.high, truth)
        yield "the gap", cell, "corrected", *_held(fixed.low, fixed.high, truth)


def clusters(sets: int, part: int) -> Iterator[Row]:
    """Clusters of 20 items, in which half of the answers are the cluster's own."""
    shares = Design(3, 300, 60).population()
    prevalence = shares.sum(axis=1)
    channel = shares / prevalence[:, None]
    truth = [float(evaluate(m, Confusion.from_matrix(shares))) for m in AVERAGES]
    for number in (5, 10, 15, 20):
        rng = np.random.default_rng([13, number, part])
        ends: dict[str, list[list[tuple[float, float]]]] = {"auto": [], "normal, log-odds": []}
        for _ in range(sets):
            true, pred = _in_clusters(rng, prevalence, channel, number)
            labels, ids = range(3), np.repeat(np.arange(number), 20)
            sample = Sample.from_labels(true, {"A": pred}, cluster=ids, labels=labels)
            kernels = bind_all(AVERAGES, sample.tables(), classes="true")
            found = estimates(sample, kernels, IntervalSettings())
            ends["auto"].append([(e.low[0], e.high[0]) for e in found])
            plain = [interval_around(e.value, e.se, Z, e.kernel, "logit") for e in found]
            ends["normal, log-odds"].append([(low[0], high[0]) for low, high in plain])
        yield from _of_averages("clusters", f"{number} clusters", ends, truth)


def _in_clusters(
    rng: np.random.Generator,
    prevalence: np.ndarray,
    channel: np.ndarray,
    number: int,
    each: int = 20,
) -> tuple[np.ndarray, np.ndarray]:
    """Labels of the items of clusters; half of a cluster's items of a class share one answer."""
    k = len(prevalence)
    true = rng.choice(k, number * each, p=prevalence)
    pred = (rng.random(len(true))[:, None] > channel.cumsum(axis=1)[true]).sum(axis=1)
    own = (rng.random((number, k))[..., None] > channel.cumsum(axis=1)).sum(axis=-1)
    shared = own[np.repeat(np.arange(number), each), true]
    return true, np.minimum(np.where(rng.random(len(true)) < 0.5, shared, pred), k - 1)


def uneven(sets: int, part: int) -> Iterator[Row]:
    """Hard cells of items that weigh ½, 1 or 2, and of items in clusters of five."""
    for design in (*DESIGNS[:6], DESIGNS[8], DESIGNS[9]):
        shares = design.population()
        truth = [float(evaluate(m, Confusion.from_matrix(shares))) for m in AVERAGES]
        rng = np.random.default_rng([18, DESIGNS.index(design), part])
        ends: dict[tuple[str, str], list[list[tuple[float, float]]]] = {}
        for _ in range(sets):
            for what, data in _uneven(rng, shares, design.n):
                kernels = bind_all(AVERAGES, data.tables(), classes="true")
                for name, how in METHODS.items():
                    made = [(e.low[0], e.high[0]) for e in estimates(data, kernels, how)]
                    ends.setdefault((what, name), []).append(made)
        for (what, name), each in ends.items():
            for j, metric in enumerate(AVERAGES):
                low, high = np.array(each)[:, j].T
                yield what, f"{design}, {metric}", name, *_held(low, high, truth[j])


def _uneven(
    rng: np.random.Generator, shares: np.ndarray, n: int
) -> Iterator[tuple[str, Confusion | Sample]]:
    k = len(shares)
    true, pred = np.divmod(rng.choice(k * k, n, p=shares.reshape(-1)), k)
    weights = rng.choice([0.5, 1.0, 2.0], n)
    yield "weights", Confusion.from_labels(true, pred, weights=weights, labels=range(k))
    prevalence = shares.sum(axis=1)
    true, pred = _in_clusters(rng, prevalence, shares / prevalence[:, None], n // 5, each=5)
    ids = np.repeat(np.arange(n // 5), 5)
    sample = Sample.from_labels(true, {"A": pred}, cluster=ids, labels=range(k))
    yield "clusters of five", sample


def pairs(sets: int, part: int) -> Iterator[Row]:
    """Differences of two systems, the second a little worse and with more even errors."""
    for design in DESIGNS:
        joint, truth = _two_systems(design)
        rng = np.random.default_rng([14, DESIGNS.index(design), part])
        ends: dict[str, list[list[tuple[float, float]]]] = {"paired": [], "delta": []}
        for _ in range(sets):
            sample = _sample(rng, joint, design)
            tables = sample.tables()
            kernels = bind_all(AVERAGES, tables, classes="true")
            gaps = [float(v[0] - v[1]) for v in values_of(kernels, tables)]
            for name, halves in _halves(sample, kernels).items():
                ends[name].append([(g - h, g + h) for g, h in zip(gaps, halves, strict=True)])
        yield from _of_averages("differences", design, ends, truth)


def _of_averages(
    kind: str, design: str, ends: dict[str, list[list[tuple[float, float]]]], truth: list[float]
) -> Iterator[Row]:
    """How often the intervals of each method hold the truth, metric by metric."""
    for name, each in ends.items():
        for j, metric in enumerate(AVERAGES):
            low, high = np.array(each)[:, j].T
            yield kind, f"{design}, {metric}", name, *_held(low, high, truth[j])


def _halves(sample: Sample, kernels: list[Kernel]) -> dict[str, list[float]]:
    rows = rows_of(sample)
    found: dict[str, list[float]] = {"paired": [], "delta": []}
    influences = rows.influences(kernels)
    for psi, varied in zip(influences, score_covariances(rows, kernels), strict=True):
        both = varied.between()
        t = critical_value(0.95, both.df)[0]
        found["paired"].append(float(t * np.sqrt(both.variance[0])))
        found["delta"].append(float(Z * rows.standard_error(psi[0] - psi[1])))
    return found


def joint_sample(cells: np.ndarray, systems: tuple[str, str] = ("A", "B")) -> Sample:
    """The items of counts of true × prediction of the first system × of the second."""
    true, *pred = np.nonzero(cells)
    codes, null = np.stack(pred, axis=1), np.zeros((len(true), 2), bool)
    labels, times = tuple(range(len(cells))), cells[(true, *pred)]
    return coded_sample(labels, systems, (true, codes, null, None, times, None))


def _two_systems(design: Design) -> tuple[np.ndarray, list[float]]:
    """Shares of true × A × B, and the true differences."""
    shares = design.population()
    prevalence, k = shares.sum(axis=1), design.k
    a = shares / prevalence[:, None]
    recall = 0.95 * np.diag(a)
    off = a - np.diag(np.diag(a))
    off = 0.5 * off / off.sum(axis=1, keepdims=True) + 0.5 / (k - 1) * (1 - np.eye(k))
    b = (1 - recall)[:, None] * off
    np.fill_diagonal(b, recall)
    whole = [Confusion.from_matrix(prevalence[:, None] * x) for x in (a, b)]
    truth = [float(evaluate(m, whole[0]) - evaluate(m, whole[1])) for m in AVERAGES]
    return prevalence[:, None, None] * a[:, :, None] * b[:, None, :], truth


def _sample(rng: np.random.Generator, joint: np.ndarray, design: Design) -> Sample:
    place = rng.choice(joint.size, design.n, p=(joint / joint.sum()).reshape(-1))
    true, a, b = np.unravel_index(place, joint.shape)
    return Sample.from_labels(true, {"A": a, "B": b}, labels=range(design.k))


def long_tail(sets: int, part: int) -> Iterator[Row]:
    """Samples from one large population of 20 classes whose sizes fall like 1/rank."""
    k, size = 20, 200_000
    rng = np.random.default_rng(15)
    mix = 1 / np.arange(1, k + 1)
    mix /= mix.sum()
    recall = rng.beta(6, 3, k)
    pull = rng.dirichlet(np.full(k, 0.5), k) * (1 - np.eye(k)) + 1e-3 * (1 - np.eye(k))
    rows = (1 - recall)[:, None] * pull / pull.sum(axis=1, keepdims=True) + np.diag(recall)
    population = rng.multinomial(size, (mix[:, None] * rows).reshape(-1)).reshape(k, k) / size
    whole = Confusion.from_matrix(population)
    truth = [float(evaluate(m, whole)) for m in AVERAGES]
    for n in (300, 1000, 3000):
        table = drawn_tables(population, n, sets, np.random.default_rng([16, n, part]))
        kernels = bind_all(AVERAGES, table, classes="true")
        for name, how in (
            ("auto", IntervalSettings()),
            ("delta, range", IntervalSettings("delta", transform="range")),
        ):
            for metric, e, value in zip(
                AVERAGES, estimates(table, kernels, how), truth, strict=True
            ):
                yield "long tail", f"n = {n:,}, {metric}", name, *_held(e.low, e.high, value)


def few_predictions(sets: int, part: int) -> Iterator[Row]:
    """A class that is predicted a few times, mostly rightly or not."""
    cells = ((3, 1000, 0.081, 5, 0.6), (3, 1000, 0.081, 5, 0.95), (3, 500, 0.25, 10, 0.97),
             (10, 2000, 0.04, 5, 0.6), (20, 2000, 0.04, 5, 0.8))  # fmt: skip
    for k, n, share, predicted, precision in cells:
        shares = np.full((k, k), 0.25 * (1 - share) / (k - 1) / max(k - 2, 1))
        shares[:, -1] = predicted * (1 - precision) / n / (k - 1)
        shares[-1] = (share - predicted * precision / n) / (k - 1)
        np.fill_diagonal(shares, 0)
        rest = np.full(k - 1, (1 - share) / (k - 1)) - shares[:-1].sum(axis=1)
        np.fill_diagonal(shares, [*rest, predicted * precision / n])
        table = drawn_tables(shares, n, sets, np.random.default_rng([17, k, n, part]))
        kernels = bind_all(AVERAGES, table, classes="true")
        whole = Confusion.from_matrix(shares)
        cell = (
            f"{k} classes, n = {n:,}, {predicted} predictions of a class, precision {precision:g}"
        )
        for name, how in METHODS.items():
            for metric, e in zip(AVERAGES, estimates(table, kernels, how), strict=True):
                truth = float(evaluate(metric, whole))
                yield "few predictions", f"{cell}, {metric}", name, *_held(e.low, e.high, truth)


METHODS = {
    "auto": IntervalSettings(),
    "delta, range": IntervalSettings("delta", transform="range"),
}
KINDS = (
    "F1 of a class",
    "few predictions",
    "the gap",
    "clusters",
    "weights",
    "clusters of five",
    "differences",
    "long tail",
)
SLOW = ("pairs", "clusters", "uneven")

JOBS = {
    f.__name__: f for f in (one_class, few_predictions, the_gap, clusters, uneven, pairs, long_tail)
}


def special(job: tuple[str, int, int]) -> list[Row]:
    """The rows of one job: its name, the number of data sets, the part."""
    name, sets, part = job
    return list(JOBS[name](sets, part))

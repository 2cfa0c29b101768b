"""Laws: what a metric must hold, whatever its formula, tried on random tables."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from evenhand.catalogue.binding import bind, evaluate
from evenhand.catalogue.lists import lookup
from evenhand.catalogue.naming import AnyMetric, as_spec
from evenhand.catalogue.spelling import Spec
from evenhand.core.registry import Metric
from evenhand.errors import EvenhandError, MetricError
from evenhand.infer.gradients import NoGradientError, slopes
from evenhand.tables.confusion import Confusion
from evenhand.tables.sparse import coalesce

CLOSE = 1e-9
POLICIES = (0.0, 1.0, math.nan)
Cells: TypeAlias = NDArray[Any]
Broken: TypeAlias = Iterator[str]
"""What a law says of each table that breaks it."""


def check_metric(metric: AnyMetric, *, tables: int = 200, seed: int = 0) -> None:
    """Fail if a metric breaks a law that every metric of the catalogue holds.

    It is tried on random small tables: with classes that are never true or never predicted, with
    answers outside, with weights. Its record must say what it is; its values must lie in its
    range, be its best on perfect predictions, and not depend on the order of the classes (unless
    it is ``ordered``), on the size of the sample (as ``size`` says), on the tables beside it in a
    stack or on how cells are stored; 0/0 must be worth what is asked; its gradient must be had
    and be right (unless it is not ``smooth``). Each broken law is told with the smallest table
    that shows it.

    >>> check_metric("macro_f1"), check_metric("jaccard")
    (None, None)
    """
    __tracebackhide__ = True  # pytest then shows the line of the test
    spec = _spec(metric)
    tried = _tables(np.random.default_rng(seed), tables, spec)
    broken = [
        f"{name}: {told}"
        for name, law in LAWS.items()
        if (told := next(law(spec, tried), None)) is not None
    ]
    if broken:
        listed = "\n".join(f"  {line}" for line in broken)
        raise AssertionError(f"{spec} breaks {len(broken)} of {len(LAWS)} laws\n{listed}")


def _spec(metric: AnyMetric) -> Spec:
    """The metric with its record; one of a class is tried on the first."""
    record = getattr(metric, "metric", None)
    if isinstance(metric, str) and ":" not in metric and "@" not in metric:
        record = lookup(metric)
    if isinstance(record, Metric) and record.of_one_class:
        return Spec(record, label="0")
    spec = as_spec(metric)
    if not isinstance(spec, Spec):
        name = getattr(spec, "__name__", "function")
        raise MetricError(f"{name} has no record: put @evenhand.metric(…) over it")
    if "single" not in spec.metric.tasks:
        raise MetricError(f"{spec} is for multi-label data: the laws are about tables")
    return spec


@dataclass(frozen=True, eq=False)
class Tried:
    """A table and what 0/0 is worth."""

    table: Confusion
    undefined: float

    @property
    def cells(self) -> Cells:
        """Items of each true class (rows) by predicted class."""
        return np.asarray(self.table.cells)

    @property
    def outside(self) -> Cells:
        """Items of each true class whose prediction is no class."""
        return np.asarray(self.table.outside)

    def value(self, spec: Spec, table: Confusion | None = None) -> Any:
        """The metric there, or on ``table`` instead; text if it fails."""
        table = self.table if table is None else table
        try:
            with np.errstate(divide="raise", invalid="raise"):
                return evaluate(spec, table, undefined=self.undefined)
        except EvenhandError:
            raise
        except FloatingPointError:
            return "a division by 0: take evenhand.ratio(above, below, c.undefined)"
        except Exception as e:  # a user's function may fail in any way
            return f"{type(e).__name__}: {e}"

    def __str__(self) -> str:
        rows = "; ".join(" ".join(f"{x:g}" for x in row) for row in self.cells.tolist())
        lost = " ".join(f"{x:g}" for x in self.outside.tolist()) if self.outside.any() else ""
        return f"on {rows}{f', outside {lost}' if lost else ''} (0/0 is {self.undefined:g})"


def _tables(rng: np.random.Generator, n: int, spec: Spec) -> list[Tried]:
    """Random tables, the smallest first, so that the first to break a law is the one to show."""
    found: list[Tried] = []
    for i in range(n):
        k = int(rng.integers(1, 6))
        cells: Cells = rng.integers(0, 20, (k, k)) * (rng.random((k, k)) < rng.uniform(0.2, 1))
        cells[0, 0] += not cells.any()
        outside: Cells = rng.integers(0, 5, k) * (rng.random() < 0.3)
        if rng.random() < 0.3 and spec.metric.size != "matters":
            cells, outside = cells * 0.375, outside * 0.375
        table = Confusion.from_matrix(cells, outside=outside)
        found.append(Tried(table, POLICIES[i % 3]))
    return sorted(found, key=lambda t: (t.table.k, float(np.sum(t.table.cells))))


def _described(spec: Spec, tried: list[Tried]) -> Broken:
    m = spec.metric
    if not m.summary:
        yield "its function must have a docstring that says what it is"
    if not m.formula:
        yield "its record must have a formula"


def _number(spec: Spec, tried: list[Tried]) -> Broken:
    for t in tried:
        value = t.value(spec)
        if isinstance(value, str) or np.shape(value) != ():
            yield f"expected one number, got {_came(value)} {t}"
        elif math.isnan(float(value)) and not math.isnan(t.undefined):
            yield f"expected a number, got nan {t}"


def _range(spec: Spec, tried: list[Tried]) -> Broken:
    low, high = spec.metric.low, spec.metric.high
    for t in tried:
        value = _float(t.value(spec))
        if not math.isnan(value) and not low - CLOSE <= value <= high + CLOSE:
            yield f"expected {low:g} to {high:g}, got {value:g} {t}"


def _perfect(spec: Spec, tried: list[Tried]) -> Broken:
    best = spec.metric.best
    if spec.metric.better == "neither" or math.isinf(best):
        return
    for t in tried:
        items = 1 + np.asarray(t.table.prevalence)
        value = _float(t.value(spec, Confusion.from_matrix(np.diag(items))))
        if t.table.k > 1 and not _same(value, best):
            yield f"expected {best:g} where all is right, got {value:g} on {items.tolist()}"


def _order(spec: Spec, tried: list[Tried]) -> Broken:
    if spec.metric.ordered:
        return
    for t in tried:
        turned = list(range(t.table.k))[::-1]
        cells, outside = t.cells[np.ix_(turned, turned)], t.outside[turned]
        moved = Confusion.from_matrix(cells, labels=turned, outside=outside)
        yield from _apart(t, t.value(spec), t.value(spec, moved), "with classes in reverse")


def _size(spec: Spec, tried: list[Tried]) -> Broken:
    if spec.metric.size == "matters":
        return
    for t in tried:
        grown = Confusion.from_matrix(t.cells * 3, outside=t.outside * 3)
        times = 3 if spec.metric.size == "factor" else 1
        value = times * _float(t.value(spec))
        yield from _apart(t, value, t.value(spec, grown), "with every item three times")


def _batch(spec: Spec, tried: list[Tried]) -> Broken:
    by: dict[tuple[int, float], list[Tried]] = {}
    for t in tried:
        by.setdefault((t.table.k, t.undefined), []).append(t)
    for several in by.values():
        cells = np.stack([t.cells for t in several])
        stack = Confusion.from_matrix(cells, outside=np.stack([t.outside for t in several]))
        found = several[0].value(spec, stack)
        if isinstance(found, str) or np.shape(found) != (len(several),):
            came = _came(found)
            yield f"expected a value for each of {len(several)} tables at once, got {came}"
            continue
        for t, value in zip(several, found, strict=True):
            yield from _apart(t, t.value(spec), value, "among other tables")


def _sparse(spec: Spec, tried: list[Tried]) -> Broken:
    for t in tried:
        k = t.table.k
        data = coalesce(*t.table.data.entries(), k=k, shape=())
        thin = Confusion.of(t.table.labels, data, n=t.table.n)
        yield from _apart(t, t.value(spec), t.value(spec, thin), "with sparse cells")


def _gradient(spec: Spec, tried: list[Tried]) -> Broken:
    """Complex steps through the function, confirmed by a small change as of any function."""
    if not spec.metric.smooth or spec.metric.needs != "counts":
        return
    rng = np.random.default_rng(0)
    for k in (2, 3, 4):
        table = Confusion.from_matrix(rng.permutation(40)[: k * k].reshape(k, k) + 5)
        kernel = replace(bind(spec, table), record=None)
        try:
            slopes([(kernel, kernel.prepared(table.counts_over(None, 0.0)))])
        except NoGradientError as e:
            yield f"{e.note.reason}; or say smooth=False"
        except Exception as e:  # a user's function may fail in any way
            yield f"{type(e).__name__}: {e}; or say smooth=False"


def _came(value: Any) -> str:
    """What came in the place of numbers: an error in words, or something of another shape."""
    return value if isinstance(value, str) else f"shape {np.shape(value)}"


def _float(value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):  # told by another law
        return math.nan


def _same(a: float, b: float) -> bool:
    return bool(np.isclose(a, b, rtol=CLOSE, atol=CLOSE, equal_nan=True))


def _apart(t: Tried, a: Any, b: Any, how: str) -> Broken:
    one, other = _float(a), _float(b)
    if not _same(one, other):
        yield f"{one:g} becomes {other:g} {how}, {t}"


Law: TypeAlias = Callable[[Spec, list[Tried]], Broken]
LAWS: dict[str, Law] = {
    "described": _described,
    "a number": _number,
    "range": _range,
    "perfect is best": _perfect,
    "the order of classes is nothing": _order,
    "the size of the sample is nothing": _size,
    "a batch is a loop": _batch,
    "sparse is dense": _sparse,
    "gradient": _gradient,
}
"""Each law by name: a function that tells of the tables that break it, the smallest first."""

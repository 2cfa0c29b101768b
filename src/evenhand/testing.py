"""Assertions for the tests of a model, and laws to check a metric of your own by."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from evenhand.catalogue.binding import bind, evaluate
from evenhand.catalogue.lists import AnyMetric, Metrics, as_spec, lookup
from evenhand.catalogue.spelling import Spec
from evenhand.core.registry import Metric
from evenhand.data.cells import coalesce
from evenhand.data.confusion import Confusion
from evenhand.deciding.gate import gate
from evenhand.errors import EvenhandError, MetricError, real_number, whole_number
from evenhand.inference.rows import NoGradientError, slopes
from evenhand.options import SEED
from evenhand.scoring.score import score
from evenhand.scoring.scores import Score
from evenhand.text import key_text, level_text, number, visible


def assert_not_worse(
    *data: Any, margin: float, test: str = "noninferior", level: float = 0.95, **options: Any
) -> None:
    """Fail unless the new system is shown to be not worse than the old by more than the margin.

    Takes what :func:`evenhand.gate` takes, and fails with its verdict.

    >>> true, old = list("ab" * 100), list("ab" * 99 + "bb")
    >>> assert_not_worse(true, old, true, metrics="accuracy", margin=0.02)
    >>> assert_not_worse(true, true, old, metrics="accuracy", margin=0.004)
    Traceback (most recent call last):
        ...
    AssertionError: failed: it is not shown that new is not worse than old by more than 0.40 \
points on accuracy: difference −0.50 points, at least −2.2 (95 %); about 1,900 items let equally \
good systems pass 80 % of the time
    """
    __tracebackhide__ = True  # pytest then shows the line of the test
    verdict = not_worse(*data, margin=margin, test=test, level=level, **options)
    if not verdict.passed:  # an assert would be rewritten by pytest, words and all
        raise AssertionError(verdict.message)


def assert_at_least(
    *data: Any, metrics: Metrics = "macro_f1", value: float, level: float = 0.95, **options: Any
) -> None:
    """Fail unless every score asked for is shown to be at least ``value``, one-sided at ``level``.

    Takes what :func:`evenhand.score` takes. The lower end of the one-sided interval is that of the
    two-sided one whose level leaves out twice as much.

    >>> true, pred = list("ab" * 100), list("ab" * 95 + "ba" * 5)
    >>> assert_at_least(true, pred, metrics="accuracy", value=0.9)
    >>> assert_at_least(true, pred, metrics="accuracy", value=0.93)
    Traceback (most recent call last):
        ...
    AssertionError: it is not shown that accuracy is at least 0.93: 0.9500, at least 0.9181 (95 %)
    """
    __tracebackhide__ = True
    verdict = at_least(*data, metrics=metrics, value=value, level=level, **options)
    if not verdict.passed:
        raise AssertionError(verdict.message)


@dataclass(frozen=True)
class AssertionVerdict:
    """Whether something is shown, and in words what the items show."""

    passed: bool
    message: str


def not_worse(*data: Any, **options: Any) -> AssertionVerdict:
    """What :func:`assert_not_worse` goes by: the verdict of a gate, with every check of several."""
    result = gate(*data, **options)
    brief = result.passed or len(result.checks) == 1
    return AssertionVerdict(
        result.passed, result.message if brief else f"{result.message}\n\n{result}"
    )


def at_least(
    *data: Any, metrics: Metrics = "macro_f1", value: float, level: float = 0.95, **options: Any
) -> AssertionVerdict:
    """What :func:`assert_at_least` goes by: the score with the least lower end, in any slice.

    >>> true, pred = list("ab" * 100), list("ab" * 95 + "ba" * 5)
    >>> at_least(true, pred, metrics="accuracy", value=0.9).message
    'accuracy is at least 0.9: 0.9500, at least 0.9181 (95 %)'
    """
    real_number(level, "level", "between 0.5 and 1", lambda x: 0.5 < x < 1)
    real_number(value, "value", "a number", lambda x: not math.isnan(x))
    scores = score(*data, metrics=metrics, level=2 * level - 1, **options)
    each = [(part.key, lowest) for part in scores.slices or (scores,) for lowest in part.values()]
    key, lowest = min(each, key=lambda one: _low(one[1]))
    passed = _low(lowest) >= value
    where = "" if key is None else f" in slice {visible(key_text(key))}"
    least = "without an interval" if lowest.low is None else f"at least {number(lowest.low)}"
    words = f"{visible(lowest.metric)}{where} is at least {value:g}: {number(lowest.value)}, "
    words += f"{least} ({level_text(level)})"
    return AssertionVerdict(passed, words if passed else f"it is not shown that {words}")


def _low(score: Score) -> float:
    """The lower end of a score, the lowest there is where it is not known."""
    return -math.inf if score.low is None else score.low


# Laws that every metric must hold, tried on random tables.

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
    SEED.check(seed, "seed")
    tables = whole_number(tables, "tables", 1, 100_000)
    spec = _spec(metric)
    tried = _tables(np.random.default_rng(seed), tables, spec)
    broken = [
        f"{name}: {message}"
        for name, law in LAWS.items()
        if (message := next(law(spec, tried), None)) is not None
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
class LawTrial:
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


def _tables(rng: np.random.Generator, n: int, spec: Spec) -> list[LawTrial]:
    """Random tables, the smallest first, so that the first to break a law is the one to show."""
    trials: list[LawTrial] = []
    for i in range(n):
        k = int(rng.integers(1, 6))
        cells: Cells = rng.integers(0, 20, (k, k)) * (rng.random((k, k)) < rng.uniform(0.2, 1))
        cells[0, 0] += not cells.any()
        outside: Cells = rng.integers(0, 5, k) * (rng.random() < 0.3)
        if rng.random() < 0.3 and spec.metric.size != "matters":
            cells, outside = cells * 0.375, outside * 0.375
        table = Confusion.from_matrix(cells, outside=outside)
        trials.append(LawTrial(table, POLICIES[i % 3]))
    return sorted(trials, key=lambda t: (t.table.k, float(np.sum(t.table.cells))))


def _described(spec: Spec, tried: list[LawTrial]) -> Broken:
    m = spec.metric
    if not m.summary:
        yield "its function must have a docstring that says what it is"
    if not m.formula:
        yield "its record must have a formula"


def _number(spec: Spec, tried: list[LawTrial]) -> Broken:
    for t in tried:
        value = t.value(spec)
        if isinstance(value, str) or np.shape(value) != ():
            yield f"expected one number, got {_came(value)} {t}"
        elif math.isnan(float(value)) and not math.isnan(t.undefined):
            yield f"expected a number, got nan {t}"


def _range(spec: Spec, tried: list[LawTrial]) -> Broken:
    low, high = spec.metric.low, spec.metric.high
    for t in tried:
        value = _float(t.value(spec))
        if not math.isnan(value) and not low - CLOSE <= value <= high + CLOSE:
            yield f"expected {low:g} to {high:g}, got {value:g} {t}"


def _perfect(spec: Spec, tried: list[LawTrial]) -> Broken:
    best = spec.metric.best
    if spec.metric.better == "neither" or math.isinf(best):
        return
    for t in tried:
        items = 1 + np.asarray(t.table.prevalence)
        value = _float(t.value(spec, Confusion.from_matrix(np.diag(items))))
        if t.table.k > 1 and not _same(value, best):
            yield f"expected {best:g} where all is right, got {value:g} on {items.tolist()}"


def _order(spec: Spec, tried: list[LawTrial]) -> Broken:
    if spec.metric.ordered:
        return
    for t in tried:
        turned = list(range(t.table.k))[::-1]
        cells, outside = t.cells[np.ix_(turned, turned)], t.outside[turned]
        moved = Confusion.from_matrix(cells, labels=turned, outside=outside)
        yield from _apart(t, t.value(spec), t.value(spec, moved), "with classes in reverse")


def _size(spec: Spec, tried: list[LawTrial]) -> Broken:
    if spec.metric.size == "matters":
        return
    for t in tried:
        grown = Confusion.from_matrix(t.cells * 3, outside=t.outside * 3)
        times = 3 if spec.metric.size == "factor" else 1
        value = times * _float(t.value(spec))
        yield from _apart(t, value, t.value(spec, grown), "with every item three times")


def _batch(spec: Spec, tried: list[LawTrial]) -> Broken:
    by: dict[tuple[int, float], list[LawTrial]] = {}
    for t in tried:
        by.setdefault((t.table.k, t.undefined), []).append(t)
    for several in by.values():
        cells = np.stack([t.cells for t in several])
        stack = Confusion.from_matrix(cells, outside=np.stack([t.outside for t in several]))
        values = several[0].value(spec, stack)
        if isinstance(values, str) or np.shape(values) != (len(several),):
            came = _came(values)
            yield f"expected a value for each of {len(several)} tables at once, got {came}"
            continue
        for t, value in zip(several, values, strict=True):
            yield from _apart(t, t.value(spec), value, "among other tables")


def _sparse(spec: Spec, tried: list[LawTrial]) -> Broken:
    for t in tried:
        k = t.table.k
        data = coalesce(t.table.data.entries(), k=k, shape=())
        thin = Confusion.from_cells(t.table.labels, data, n=t.table.n)
        yield from _apart(t, t.value(spec), t.value(spec, thin), "with sparse cells")


def _gradient(spec: Spec, tried: list[LawTrial]) -> Broken:
    """The function can be differentiated."""
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


def _apart(t: LawTrial, a: Any, b: Any, change: str) -> Broken:
    one, other = _float(a), _float(b)
    if not _same(one, other):
        yield f"{one:g} becomes {other:g} {change}, {t}"


Law: TypeAlias = Callable[[Spec, list[LawTrial]], Broken]
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


__all__ = ["assert_at_least", "assert_not_worse", "check_metric"]


def __dir__() -> list[str]:
    return __all__

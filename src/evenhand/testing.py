"""Assertions for the tests of a model, and laws to check a metric of your own by."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import wraps
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
from evenhand.errors import EvenhandError, MetricError
from evenhand.inference.rows import NoGradientError, gradient_of
from evenhand.options import SEED, real_number, whole_number
from evenhand.scoring.score import score
from evenhand.text import key_text, level_text, number, visible


@dataclass(frozen=True)
class AssertionVerdict:
    """Whether something is shown, and in words what the items show."""

    passed: bool
    message: str


def not_worse(
    *data: Any, margin: float, test: str = "noninferior", level: float = 0.95, **options: Any
) -> AssertionVerdict:
    """Fail unless the new system is shown to be not worse than the old by more than the margin.

    Takes what :func:`evenhand.gate` takes, and fails with its verdict.

    >>> true, old = list("ab" * 100), list("ab" * 99 + "bb")
    >>> assert_not_worse(true, old, true, metrics="accuracy", margin=0.02)
    >>> assert_not_worse(true, true, old, metrics="accuracy", margin=0.004)
    Traceback (most recent call last):
        ...
    AssertionError: failed: new may be worse than old by more than 0.40 \
points on accuracy: difference −0.50 points, at least −2.2 (95 %); about 1,900 items would let \
equally good systems pass in 80 % of cases
    """
    result = gate(*data, margin=margin, test=test, level=level, **options)
    more = "" if result.passed or len(result.checks) == 1 else f"\n\n{result}"
    return AssertionVerdict(result.passed, result.message + more)


def at_least(
    *data: Any, metrics: Metrics = "macro_f1", value: float, level: float = 0.95, **options: Any
) -> AssertionVerdict:
    """Fail unless every score asked for is shown to be at least ``value``, one-sided at ``level``.

    Takes what :func:`evenhand.score` takes. The lower end of the one-sided interval is that of the
    two-sided one whose level leaves out twice as much; of several scores or slices the least
    decides.

    >>> true, pred = list("ab" * 100), list("ab" * 95 + "ba" * 5)
    >>> assert_at_least(true, pred, metrics="accuracy", value=0.9)
    >>> assert_at_least(true, pred, metrics="accuracy", value=0.93)
    Traceback (most recent call last):
        ...
    AssertionError: it is not shown that accuracy is at least 0.93: 0.9500, at least 0.9181 (95 %)
    """
    real_number(level, "level", "between 0.5 and 1", lambda x: 0.5 < x < 1)
    real_number(value, "value", "a number", lambda x: not math.isnan(x))
    scores = score(*data, metrics=metrics, level=2 * level - 1, **options)
    every = ((part.key, s) for part in scores.slices or (scores,) for s in part.values())
    where, least = min(every, key=lambda one: -math.inf if one[1].low is None else one[1].low)
    passed = least.low is not None and least.low >= value
    place = "" if where is None else f" in slice {visible(key_text(where))}"
    end = "without an interval" if least.low is None else f"at least {number(least.low)}"
    words = f"{visible(least.metric)}{place} is at least {value:g}: {number(least.value)}, "
    words += f"{end} ({level_text(level)})"
    return AssertionVerdict(passed, words if passed else f"it is not shown that {words}")


def _assertion(check: Callable[..., AssertionVerdict]) -> Callable[..., None]:
    """A check that fails a test."""

    @wraps(check)
    def asserted(*data: Any, **options: Any) -> None:
        __tracebackhide__ = True  # pytest then shows the line of the test
        verdict = check(*data, **options)
        if not verdict.passed:  # an assert would be rewritten by pytest, words and all
            raise AssertionError(verdict.message)

    asserted.__name__ = asserted.__qualname__ = f"assert_{check.__name__}"
    return asserted


assert_not_worse, assert_at_least = _assertion(not_worse), _assertion(at_least)


# Laws that every metric must hold, tried on random tables.

CLOSE = 1e-9
POLICIES = (0.0, 1.0, math.nan)
Cells: TypeAlias = NDArray[Any]


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
    broken: dict[str, str] = {}
    for law, message in _broken(spec, _trials(np.random.default_rng(seed), tables, spec)):
        broken.setdefault(law, message)  # the smallest table that shows it comes first
    if broken:
        listed = "\n".join(f"  {law}: {message}" for law, message in broken.items())
        raise AssertionError(f"{spec} breaks laws that every metric holds\n{listed}")


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

    def number(self, spec: Spec, table: Confusion | None = None) -> float:
        """The same as a number; NaN for anything else, which another law tells."""
        value = self.value(spec, table)
        return math.nan if isinstance(value, str) or np.shape(value) else float(value)

    def __str__(self) -> str:
        rows = "; ".join(" ".join(f"{x:g}" for x in row) for row in self.table.cells.tolist())
        outside = self.table.outside
        lost = f", outside {' '.join(f'{x:g}' for x in outside)}" if outside.any() else ""
        return f"on {rows}{lost} (0/0 is {self.undefined:g})"


def _trials(rng: np.random.Generator, n: int, spec: Spec) -> list[LawTrial]:
    """Random tables, the smallest first."""
    trials: list[LawTrial] = []
    for i in range(n):
        k = int(rng.integers(1, 6))
        cells: Cells = rng.integers(0, 20, (k, k)) * (rng.random((k, k)) < rng.uniform(0.2, 1))
        cells[0, 0] += not cells.any()
        outside: Cells = rng.integers(0, 5, k) * (rng.random() < 0.3)
        if rng.random() < 0.3 and spec.metric.size != "matters":
            cells, outside = cells * 0.375, outside * 0.375
        trials.append(LawTrial(Confusion.from_matrix(cells, outside=outside), POLICIES[i % 3]))
    return sorted(trials, key=lambda t: (t.table.k, float(np.sum(t.table.cells))))


def _broken(spec: Spec, trials: list[LawTrial]) -> Iterator[tuple[str, str]]:
    """Each law that is broken, and how."""
    m = spec.metric
    if not (m.summary and m.formula):
        yield "described", "its function must have a docstring, and its record a formula"
    by: dict[tuple[int, float], list[LawTrial]] = {}
    for t in trials:
        by.setdefault((t.table.k, t.undefined), []).append(t)
        value, one = t.value(spec), t.number(spec)
        if isinstance(value, str) or np.shape(value) != ():
            yield "a number", f"expected one number, got {_came(value)} {t}"
        elif math.isnan(one) and not math.isnan(t.undefined):
            yield "a number", f"expected a number, got nan {t}"
        if not math.isnan(one) and not m.low - CLOSE <= one <= m.high + CLOSE:
            yield "range", f"expected {m.low:g} to {m.high:g}, got {one:g} {t}"
        for law, change, table, expected in _changes(m, t, one):
            other = t.number(spec, table)
            if not _same(expected, other):
                yield law, f"{expected:g} becomes {other:g} {change}, {t}"
    for group in by.values():
        law, stack = "a batch is a loop", Confusion.stack(dict(enumerate(t.table for t in group)))
        values = group[0].value(spec, stack)
        if isinstance(values, str) or np.shape(values) != (len(group),):
            many = f"expected a value for each of {len(group)} tables at once"
            yield law, f"{many}, got {_came(values)}"
            continue
        for t, other in zip(group, values, strict=True):
            one = t.number(spec)
            if not _same(one, float(other)):
                yield law, f"{one:g} becomes {other:g} among other tables, {t}"
    yield from (("gradient", message) for message in _gradient(spec))


def _changes(m: Metric, t: LawTrial, value: float) -> Iterator[tuple[str, str, Confusion, float]]:
    """A law, a change of the table, the table after it, and the value that it then must have."""
    if m.better != "neither" and not math.isinf(m.best) and t.table.k > 1:
        perfect = Confusion.from_matrix(np.diag(1 + np.asarray(t.table.prevalence)))
        yield "perfect is best", "where all is right", perfect, m.best
    if not m.ordered:
        turned = t.table.select(t.table.labels[::-1])
        yield "the order of classes is nothing", "with classes in reverse", turned, value
    if m.size != "matters":
        grown = Confusion.from_matrix(t.table.cells * 3, outside=t.table.outside * 3)
        times, change = 3 if m.size == "factor" else 1, "with every item three times"
        yield "the size of the sample is nothing", change, grown, times * value
    data = coalesce(t.table.data.entries(), k=t.table.k, shape=())
    sparse = Confusion.from_cells(t.table.labels, data, n=t.table.n)
    yield "sparse is dense", "with sparse cells", sparse, value


def _gradient(spec: Spec) -> Iterator[str]:
    """The function can be differentiated."""
    if not spec.metric.smooth or spec.metric.needs != "counts":
        return
    rng = np.random.default_rng(0)
    for k in (2, 3, 4):
        table = Confusion.from_matrix(rng.permutation(40)[: k * k].reshape(k, k) + 5)
        kernel = replace(bind(spec, table), record=replace(spec.metric, own=True))
        try:
            gradient_of(kernel, kernel.prepared(table.counts_over(None, 0.0)))
        except NoGradientError as e:
            yield f"{e.note.reason}; or say smooth=False"
        except Exception as e:  # a user's function may fail in any way
            yield f"{type(e).__name__}: {e}; or say smooth=False"


def _came(value: Any) -> str:
    """What came in the place of numbers: an error in words, or something of another shape."""
    return value if isinstance(value, str) else f"shape {np.shape(value)}"


def _same(a: float, b: float) -> bool:
    return bool(np.isclose(a, b, rtol=CLOSE, atol=CLOSE, equal_nan=True))


__all__ = ["assert_at_least", "assert_not_worse", "check_metric"]


def __dir__() -> list[str]:
    return __all__

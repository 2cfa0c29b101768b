"""Random tables against exact fractions, through every way to a value.

A value must lie within 1e-12 of the exact one, relative to its size (:mod:`fuzz.exact`), or
within 1e-30, of kappa and MCC within 1e-16; and in the metric's range. Of counts every way must
give the same bits. One case is one table with all its metrics. Weights span up to 300 orders of
magnitude, and where they come near the smallest or the largest float a table may be refused.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from functools import cache
from math import isnan
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

import evenhand as eh
from evenhand.catalogue.lists import table_metrics
from evenhand.core.registry import Metric
from fuzz.exact import METRICS, OF_ONE_CLASS, Exact, Sized, calibrated, itself
from fuzz.multilabel import multilabel
from fuzz.outcome import RIGHT, Outcome, tried
from fuzz.settings import Asked, Rows, random_settings

BOUND = 1e-12
TINY = 1e-30
"""What a score below this is, nobody asks: products of shares so small have no digits left."""
TINY_DIFFERENCE = {"kappa": 1e-16, "mcc": 1e-16}
"""The same for sums of products that take each other's digits."""
SPARSE = 1500
"""Classes beyond which a table is kept sparse."""

SHRINKS = 3
"""Tables of one metric that a process makes smaller; it takes long, and more say no more."""
_shrinks: Counter[str] = Counter()


def tables(rng: Random, folder: Path) -> Iterator[Outcome]:
    """A stack of tables of one kind, scored at once; one of them by every other way too."""
    if rng.random() < 0.02:
        yield from multilabel(rng)
        return
    asked, make = random_settings(rng)
    made = [make() for _ in range(rng.randint(1, 48 if asked.k < 7 else 6))]
    stack = [rows for rows in made if any(map(any, rows))]  # of nothing there is no score
    if not stack:
        return
    values: dict[str, Any] = {}
    table = matrix(stack)
    for name, metric in singles().items():
        call = f"eh.{name} of a stack"
        found, failed = tried(
            call, lambda m=metric, n=name: function(n, table, asked, m), refusing=asked.far
        )
        if failed is None:
            values[name] = found
        else:
            yield replace(failed, cause=f"{call}: {failed.cause}")
    for i, rows in enumerate(stack):
        oracle = Exact(rows, asked.averaged(rows), asked.undefined, asked.listed)
        yield judged(
            rows,
            asked,
            {name: (v[i], expected(oracle, name, asked)) for name, v in values.items()},
        )
    chosen = rng.randrange(len(stack))
    alone = {name: v[chosen] for name, v in values.items()}
    yield from other_ways(rng, folder, stack[chosen], asked, alone)


@cache
def singles() -> dict[str, Metric]:
    """The metrics of single-label data that the oracle knows."""
    known = OF_ONE_CLASS.keys() | METRICS.keys()
    return {name: m for name, m in table_metrics().items() if "single" in m.tasks and name in known}


def matrix(stack: list[Rows]) -> eh.Confusion:
    """The tables as the package takes them."""
    whole = np.array(stack)
    return eh.Confusion.from_matrix(whole[..., :-1], outside=whole[..., -1])


def function(name: str, table: Any, asked: Asked, metric: Metric) -> Any:
    """The value of a metric function."""
    options = asked.parameters(metric)
    if metric.of_one_class:
        options["label"] = asked.k - 1
    return getattr(eh, name)(table, classes=asked.classes, undefined=asked.undefined, **options)


def expected(oracle: Exact, name: str, asked: Asked) -> Sized:
    """The exact value and its size."""
    options = asked.parameters(singles()[name])
    if name in OF_ONE_CLASS:
        return itself(OF_ONE_CLASS[name](oracle, **options)[asked.k - 1])
    return METRICS[name](oracle, **options)


def fault(name: str, got: float, wanted: Sized) -> str:
    """What is wrong with a value, if anything."""
    value, size = wanted
    if value is None or isnan(got):
        return "" if value is None and isnan(got) else f"got {got!r}, expected {shown(value)}"
    metric = singles()[name]
    if not metric.low <= got <= metric.high:
        return f"got {got!r}, out of the range {metric.low:g} to {metric.high:g}"
    exact = float(value)
    if abs(got - exact) > BOUND * float(size or 0) + TINY_DIFFERENCE.get(name, TINY):
        return f"got {got!r}, expected {exact!r}"
    return ""


def shown(value: Fraction | None) -> str:
    return "nan" if value is None else repr(float(value))


def judged(rows: Rows, asked: Asked, pairs: dict[str, tuple[float, Sized]]) -> Outcome:
    """One table right, or the first metric that is not, on the smallest table that shows it."""
    for name, (got, wanted) in pairs.items():
        if fault(name, float(got), wanted):
            small = shrunk(rows, asked, name)
            return Outcome("wrong", f"tables: {name}", described(small, asked, name))
    return RIGHT


def shrunk(rows: Rows, asked: Asked, name: str) -> Rows:
    """A simpler table on which the metric function still errs, or the table itself."""
    _shrinks[name] += 1
    if _shrinks[name] > SHRINKS or asked.k > 6 or not alone_fault(rows, asked, name):
        return rows
    for t in range(asked.k):
        for p in range(asked.k + 1):
            for simple in (0, 1, float(f"{float(rows[t][p]):.0e}")):
                tried_rows = [list(row) for row in rows]
                tried_rows[t][p] = simple
                if rows[t][p] != simple and alone_fault(tried_rows, asked, name):
                    rows = tried_rows
                    break
    return rows


def alone_fault(rows: Rows, asked: Asked, name: str) -> str:
    """What is wrong with the value of the table by itself; an empty one has none."""
    if not any(map(any, rows)):
        return ""
    try:
        got = function(name, matrix([rows])[0], asked, singles()[name])
    except Exception as e:
        return f"{type(e).__name__}: {e}"
    oracle = Exact(rows, asked.averaged(rows), asked.undefined, asked.listed)
    return fault(name, float(got), expected(oracle, name, asked))


def described(rows: Rows, asked: Asked, name: str) -> str:
    """How to see it."""
    options = {**asked.parameters(singles()[name])}
    if name in OF_ONE_CLASS:
        options["label"] = asked.k - 1
    cells, lost = [row[:-1] for row in rows], [row[-1] for row in rows]
    table = f"eh.Confusion.from_matrix({cells}, outside={lost})" if any(lost) else f"{cells}"
    more = "".join(f", {k}={v}" for k, v in options.items())
    call = f"eh.{name}({table}, classes={asked.classes!r}, undefined={asked.undefined}{more})"
    return f"{call}\n{alone_fault(rows, asked, name) or 'wrong in a stack only'}"


def other_ways(
    rng: Random, folder: Path, rows: Rows, asked: Asked, stacked: dict[str, Any]
) -> Iterator[Outcome]:
    """The same table alone, saved and reloaded, sparse, scored, calibrated."""
    table = matrix([rows])[0]
    ways: dict[str, Callable[[], Any]] = {
        "alone": lambda: table,
        "saved": lambda: reloaded(table, folder / "table.json"),
        "sparse": lambda: from_cells(rows, asked.k, SPARSE),
        "from labels": lambda: from_cells(rows, asked.k, None),
    }
    way = rng.choice(list(ways))
    empty = not sum(map(sum, rows))
    made, failed = tried(f"{way}: {rows}", ways[way], refusing=empty or asked.far)
    if failed is not None:
        yield failed
        return
    averaged = asked.averaged(rows)
    oracle = Exact(rows, averaged, asked.undefined, asked.listed)
    counts = table.data.weight.dtype.kind == "i"
    for name in rng.sample(list(stacked), min(6, len(stacked))):
        m = singles()[name]
        got, failed = tried(
            f"{way}: {name} of {rows}",
            lambda m=m, n=name: function(n, made, asked, m),
            refusing=asked.far,
        )
        if failed is not None:
            yield replace(failed, cause=f"{way}: {failed.cause}")
            continue
        same = not counts or way in ("sparse", "from labels") or same_bits(got, stacked[name])
        wrong = fault(name, got, expected(oracle, name, asked))
        if wrong or not same:
            said = wrong or f"got {got!r}, in a stack {stacked[name]!r}"
            yield Outcome("wrong", f"{way}: {name}", f"{described(rows, asked, name)}\n{said}")
            return
    yield RIGHT
    if not empty:
        yield by_score(rng, table, rows, asked, oracle)


def same_bits(a: float, b: float) -> bool:
    return a == b or (isnan(a) and isnan(b))


def reloaded(table: eh.Confusion, path: Path) -> eh.Confusion:
    table.save(str(path))
    return eh.Confusion.load(str(path))


def from_cells(rows: Rows, k: int, size: int | None) -> eh.Confusion:
    """The table counted from items: one each, or one a cell with its weight; −1 is outside."""
    cells = [(t, p if p < k else None, x) for t, row in enumerate(rows) for p, x in enumerate(row)]
    cells = [c for c in cells if c[2]]
    weights: list[Any] | None = [x for *_, x in cells]
    if weights and all(isinstance(x, int) for x in weights) and sum(weights) < 400:
        cells = [c for c in cells for _ in range(c[2])]
        weights = None
    labels = range(size or k)
    return eh.Confusion.from_labels(
        [t for t, *_ in cells], [p for _, p, _ in cells], labels=labels, weights=weights
    )


def by_score(rng: Random, table: eh.Confusion, rows: Rows, asked: Asked, oracle: Exact) -> Outcome:
    """The table by ``eh.score``, as observed or calibrated to equal shares."""
    names = [n for n in singles() if n not in OF_ONE_CLASS and not singles()[n].parameters]
    full = all(sum(row) for row in rows)
    few = asked.k < 10  # of many classes the fractions' denominators grow beyond all patience
    mix = "@uniform" if full and few and not asked.far and rng.random() < 0.5 else ""
    if mix:
        shares = [Fraction(1, asked.k)] * asked.k
        oracle = Exact(calibrated(rows, shares), oracle.averaged, asked.undefined, asked.listed)
    spelled = [f"{name}{mix}" for name in rng.sample(names, 8)]
    how = f"classes={asked.classes!r}, undefined={asked.undefined}"
    call = f"eh.score({rows}, metrics={spelled}, {how})"
    scores, failed = tried(
        call,
        lambda: eh.score(
            table, metrics=spelled, classes=asked.classes, undefined=asked.undefined, interval=None
        ),
        refusing=asked.far,
    )
    if failed is not None:
        return failed
    for spelling in spelled:
        name = spelling.partition("@")[0]
        wrong = fault(name, scores[spelling].value, METRICS[name](oracle))
        if wrong:
            return Outcome("wrong", f"score: {name}{mix}", f"{call}\n{spelling}: {wrong}")
    return RIGHT

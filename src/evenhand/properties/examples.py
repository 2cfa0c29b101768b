"""Examples: tables that show what two metrics make of the same errors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, TypeAlias

import numpy as np

from evenhand.catalogue.binding import evaluate
from evenhand.catalogue.lists import shown_in
from evenhand.catalogue.naming import AnyMetric, as_spec, name_of
from evenhand.catalogue.spelling import Spec
from evenhand.core.twins import extremal
from evenhand.errors import InputError, MetricError
from evenhand.notes.note import Note
from evenhand.properties.exact import TINY
from evenhand.properties.finding import Rows
from evenhand.properties.search import above, certain, differ, rows_of, systems_on
from evenhand.properties.subject import Cells, Floats, subject_of
from evenhand.results.cells import Cell
from evenhand.results.content import Content, Sheet, Words
from evenhand.results.grid import Grid
from evenhand.results.result import Result
from evenhand.results.text import listed, number
from evenhand.signature.fields import checked_seed
from evenhand.tables.confusion import Confusion

TESTS = 8
"""Class mixes that systems are drawn for."""
SYSTEMS = 500
"""Random systems on each of them, to choose two from."""

Goal: TypeAlias = Literal["disagree", "alike", "gap"]
Pair: TypeAlias = tuple[float, Cells, Cells]


@dataclass(frozen=True, eq=False, repr=False)
class Found(Result):
    """A table, or two of the same true classes, that show what was looked for.

    >>> found = find("gap", "f1_of_averages", "macro_f1", k=2, n=20)
    >>> [len(row) for row in found.first], found.second
    ([2, 2], None)
    """

    told = ("goal", "first", "second", "values")

    goal: Goal
    first: Rows
    second: Rows | None
    values: dict[str, tuple[float, ...]]
    cautions: tuple[Note, ...] = ()

    def content(self) -> Content:
        """The values of each table, then the tables."""
        said = "; ".join(f"{m} {listed(map(number, v))}" for m, v in self.values.items())
        rows: list[list[Cell]] = [[m, *each] for m, each in self.values.items()]
        tables = {"first table": self.first, "second table": self.second}
        there = {name: table for name, table in tables.items() if table is not None}
        grid = Grid(["metric", *there], rows)
        cells = [Words(f"{name}, rows = true: {[*map(list, t)]}") for name, t in there.items()]
        return Content(self.goal, [Words(said, "verdict"), Sheet(grid), *cells], lambda: grid)


def find(
    goal: Goal, one: AnyMetric, two: AnyMetric, *, k: int = 3, n: int = 60, seed: int = 0
) -> Found:
    """Tables of k classes and n items that show something about two metrics.

    ``disagree``: two systems on the same items, of which ``one`` prefers the first and ``two`` the
    second, by as much as was found (the smaller of both margins). ``alike``: ``one`` has the same
    value for both and ``two`` prefers the first by the most. ``gap``: one table whose two macro F1s
    are as far apart as the extremal tables (Opitz & Burst 2019) of about n items have them,
    whatever the metrics. Systems are drawn at random, the same ones for a ``seed``, for class mixes
    from even to very uneven; what is found is certified in fractions where the metrics can be.

    >>> import evenhand as eh
    >>> found = eh.properties.find("alike", "accuracy", "macro_f1", k=2, n=20)
    >>> {name: [round(v, 2) for v in values] for name, values in found.values.items()}
    {'accuracy': [0.95, 0.95], 'macro_f1': [0.82, 0.49]}
    """
    if goal not in ("disagree", "alike", "gap"):
        raise InputError(f"goal must be 'disagree', 'alike' or 'gap', got {goal!r}")
    if k < 2:
        raise InputError(f"k must be 2 or more classes, got {k}")
    if n < k:
        raise InputError(f"n must be {k} or more, an item of each class, got {n}")
    checked_seed(seed)
    if goal == "gap":
        return _apart(k, n)
    specs = [as_spec(one), as_spec(two)]
    names = list(map(name_of, specs))
    if names[0] == names[1]:
        raise InputError(f"two metrics are needed to be told apart, got {names[0]!r} twice")
    judged = _widest if goal == "disagree" else _stays
    rng = np.random.default_rng(seed)
    pairs = list[Pair]()
    for _ in range(TESTS):
        cells = systems_on(rng, k, n, SYSTEMS)
        stack = Confusion.from_matrix(cells)
        margin, i, j = judged(*(_signed(s, stack) for s in specs))
        pairs.append((margin, cells[i], cells[j]))
    for margin, *pair in sorted(pairs, key=lambda p: -p[0]):
        if margin > 0 and _is_certain(goal, specs, np.stack(pair)):
            return _found(goal, specs, *pair)
    said = "rank differently" if goal == "disagree" else "tell apart in that way"
    raise InputError(f"no tables were found that {names[0]} and {names[1]} {said}")


def _apart(k: int, n: int) -> Found:
    """The extremal table of k classes with about n items."""
    pairs = len(extremal(k, 0)) // 2 + k % 2
    z = max(0, (n - k) // pairs)
    return _found("gap", [Spec.parse(m) for m in shown_in("twins")], extremal(k, z))


def _found(goal: Goal, specs: Sequence[AnyMetric], *tables: Cells) -> Found:
    stack = Confusion.from_matrix(np.stack(tables))
    values = {name_of(s): tuple(map(float, np.asarray(evaluate(s, stack)))) for s in specs}
    first, *rest = map(rows_of, tables)
    return Found(goal, first, rest[0] if rest else None, values)


def _is_lower_better(metric: AnyMetric) -> bool:
    return isinstance(metric, Spec) and metric.metric.better == "lower"


def _signed(metric: AnyMetric, stack: Confusion) -> Floats:
    values = np.asarray(evaluate(metric, stack), float)
    return -values if _is_lower_better(metric) else values


def _widest(a: Floats, b: Floats) -> tuple[float, int, int]:
    """The pair that a and b order differently by the most: the smaller of both margins."""
    return _most(np.minimum(a[:, None] - a, b - b[:, None]))


def _stays(a: Floats, b: Floats) -> tuple[float, int, int]:
    """The pair that a holds for the same and b tells apart by the most."""
    return _most(np.where(differ(a[:, None], a), -np.inf, b[:, None] - b))


def _most(gain: Floats) -> tuple[float, int, int]:
    gain = np.where(np.isnan(gain), -np.inf, gain)
    i, j = np.unravel_index(int(gain.argmax()), gain.shape)
    return float(gain[i, j]), int(i), int(j)


def _is_certain(goal: Goal, specs: Sequence[AnyMetric], pair: Cells) -> bool:
    """Whether fractions say of both tables what floats said, where a metric has them."""

    def same(f: list[Fraction]) -> bool:
        return abs(f[0] - f[1]) <= TINY

    def first(f: list[Fraction]) -> bool:
        return above(f[0], f[1])

    def second(f: list[Fraction]) -> bool:
        return above(f[1], f[0])

    wanted = (first, second) if goal == "disagree" else (same, first)
    return all(_holds(s, pair, test) for s, test in zip(specs, wanted, strict=True))


def _holds(metric: AnyMetric, pair: Cells, test: Callable[[list[Fraction]], bool]) -> bool:
    """The test of the metric in fractions; true where it has none, or is of one named class."""
    try:
        subject = subject_of(metric)
    except MetricError:
        return True
    if not np.allclose(subject(pair), evaluate(metric, Confusion.from_matrix(pair)), rtol=1e-9):
        return True
    ordered = pair[::-1] if _is_lower_better(metric) else pair
    return certain(subject, ordered, test)

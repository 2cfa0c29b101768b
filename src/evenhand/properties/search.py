"""The search for tables that refute or show a property, or that two metrics score differently."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from itertools import permutations
from typing import Any, Literal, TypeAlias, TypeVar

import numpy as np

from evenhand.catalogue.binding import evaluate
from evenhand.catalogue.lists import TWINS, AnyMetric, as_spec, name_of
from evenhand.catalogue.spelling import Spec
from evenhand.core.metrics.macro import extremal
from evenhand.data.confusion import Confusion
from evenhand.errors import InputError, MetricError, choice, whole_number
from evenhand.options import SEED
from evenhand.properties.exact import DIGITS, TINY
from evenhand.properties.subject import Cells, Floats, Subject, subject_of
from evenhand.records import Record
from evenhand.results.document import Cell, Content, Grid, Paragraph, Table
from evenhand.results.result import Result
from evenhand.text import MINUS, listed, number
from evenhand.warnings import ResultWarning

Status = Literal["refuted", "shown", "derived", "not refuted", "not shown", "stated"]
Rows = tuple[tuple[int, ...], ...]


@dataclass(frozen=True, eq=False)
class ScoredTable(Record):
    """A table, what it is in the argument, and its score, as a fraction where there is one."""

    what: str
    table: Rows
    score: float
    exact: Fraction | None = None

    @property
    def shown(self) -> str:
        """The score for a reader: a fraction if that is short, else seven digits."""
        if self.exact is not None and self.exact.denominator < 10**6:
            return f"{MINUS * (self.exact < 0)}{abs(self.exact)}"
        return number(float(f"{self.score:.7g}"), None)

    @property
    def full(self) -> str:
        """The score for a machine: the fraction, or all digits."""
        return str(self.score if self.exact is None else self.exact)

    def to_dict(self) -> dict[str, Any]:
        """As in JSON."""
        exact = None if self.exact is None else str(self.exact)
        return {**self.select("what table score"), "exact": exact}


@dataclass(frozen=True, eq=False)
class TriedTables(Record):
    """What a search looked at."""

    tables: int
    classes: tuple[int, ...]
    method: str

    def __str__(self) -> str:
        classes = ", ".join(map(str, self.classes))
        return f"{self.tables:,} tables of {classes} classes: {self.method}"


@dataclass(frozen=True, eq=False)
class Finding(Record):
    """One property of one metric.

    ``refuted``: the tables in ``example`` show that it lacks the property. ``shown``: they show
    that it has it (only class sensitivity can be shown by an example). ``derived``: not refuted,
    and ``derivation`` says why it cannot be. ``not refuted`` and ``not shown``: the search found
    nothing, which proves nothing; ``holds`` is then ``None``. ``stated``: the catalogue says so,
    and nothing was searched. ``detail`` has what else is known: the exponent of the mean, what
    calibration changes, the best score of random classifiers.

    >>> import evenhand as eh
    >>> profile = eh.properties.check("accuracy", sizes=(2,))
    >>> profile["prevalence_invariance"].status
    'refuted'
    """

    json_fields = "holds status evidence example derivation tried"

    status: Status
    evidence: str
    tried: TriedTables
    example: tuple[ScoredTable, ...] = ()
    derivation: str | None = None
    detail: Mapping[str, Any] = field(default_factory=dict)
    lacking: bool = False

    @property
    def holds(self) -> bool | None:
        """Whether the metric has the property; ``None`` if the search cannot tell."""
        if self.status in ("derived", "stated"):
            return not self.lacking
        return {"refuted": False, "shown": True}.get(self.status)

    def to_dict(self) -> dict[str, Any]:
        """As in JSON."""
        return {**super().to_dict(), **self.detail}


# Tables to search

Change = TypeVar("Change")
Place = tuple[int, int]
"""A cell: true class, predicted class."""
SMALL = {2: 12, 3: 6, 4: 4}
"""All tables of k classes up to this many items are tried."""
SCATTERED = 400
"""Larger random tables of k classes."""
SAME = 1e-11
"""Floats closer than this are the same score until fractions say otherwise."""


@lru_cache
def small_tables(k: int) -> Cells:
    """Every table of up to so many items, up to renaming of classes, fewest items first."""
    rows = np.zeros((1, k * k), np.int64)
    stacks = []
    for _ in range(SMALL.get(k, 3)):
        rows = np.unique((rows[:, None] + np.eye(k * k, dtype=np.int64)).reshape(-1, k * k), axis=0)
        stacks.append(rows)
    cells = np.concatenate(stacks).reshape(-1, k, k)
    return cells[_is_canonical(cells)]


def _is_canonical(cells: Cells) -> Cells:
    """Where no renaming of the classes comes earlier in the order of cells."""
    k = cells.shape[-1]
    keep = np.ones(len(cells), bool)
    radix = (int(cells.max()) + 1) ** np.arange(k * k, dtype=object)
    if radix[-1] * cells.max() > 2**62:
        return keep
    weight = radix.astype(np.int64)
    own = cells.reshape(-1, k * k) @ weight
    for order in permutations(range(k)):
        renamed = cells[:, order][:, :, order].reshape(-1, k * k)
        keep &= own >= renamed @ weight
    return keep


@lru_cache
def all_small_tables(k: int) -> Cells:
    """Every table of up to so many items, for metrics that change when classes are renamed."""
    cells = small_tables(k)
    named = [cells[:, order][:, :, order] for order in permutations(range(k))]
    every = np.unique(np.concatenate(named).reshape(-1, k * k), axis=0)
    return every[np.argsort(every.sum(axis=1), kind="stable")].reshape(-1, k, k)


def scattered_tables(k: int, seed: int) -> Cells:
    """Random tables of up to some thousands of items: mild, skewed and with empty cells."""
    rng = np.random.default_rng([seed, k, 1])
    scale = np.exp(rng.uniform(0, 8, (SCATTERED, k, k)))
    skewed = np.floor(scale * rng.random((SCATTERED, k, k)))
    skewed[rng.random((SCATTERED, k, k)) < 0.25] = 0
    mild = rng.poisson(20, (SCATTERED, k, k)) + rng.poisson(30, (SCATTERED, 1, 1)) * np.eye(k)
    cells = np.where(rng.random((SCATTERED, 1, 1)) < 0.6, skewed, mild).astype(np.int64)
    return np.asarray(cells[cells.sum(axis=(1, 2)) > 0])


def systems_on(rng: np.random.Generator, k: int, n: int, many: int) -> Cells:
    """Tables of many random systems on the same n items, of a random class mix."""
    share = rng.dirichlet(np.full(k, rng.choice([0.3, 1.0, 5.0])))
    sizes = 1 + rng.multinomial(n - k, share)
    rows = rng.dirichlet(np.full(k, 0.4), (many, k))
    right = rng.beta(2, 1, (many, k, 1))
    rows = (1 - right) * rows + right * np.eye(k)
    return np.stack([rng.multinomial(s, rows[:, i]) for i, s in enumerate(sizes)], axis=1)


def tables_for(subject: Subject, k: int, seed: int, *, empty: bool = False) -> Cells:
    """All tables to try for a metric: those without an empty class first, by size, so that a
    counter-example depends on the value of 0/0 only where there is no other.
    """
    small = small_tables(k) if renaming(subject, k) is None else all_small_tables(k)
    cells = np.concatenate([small, scattered_tables(k, seed)])
    return domain(subject, _proper_first(cells), empty=empty)


def proper(cells: Cells) -> Cells:
    """Where every class is both true and predicted of some item: nothing is 0/0."""
    return np.asarray((cells.sum(axis=-1) > 0).all(axis=-1) & (cells.sum(axis=-2) > 0).all(axis=-1))


def _proper_first(cells: Cells) -> Cells:
    is_proper = proper(cells)
    return np.concatenate([cells[is_proper], cells[~is_proper]])


def domain(subject: Subject, cells: Cells, *, empty: bool = False) -> Cells:
    """The tables that the metric is defined for: to calibrate, every class must have items.

    Calibration to equal classes is of those that occur: ``empty`` allows classes without items.
    """
    if not subject.calibrate or (empty and subject.classes is None):
        return cells
    return np.asarray(cells[(cells.sum(axis=-1) > 0).all(axis=-1)])


def renaming(subject: Subject, k: int) -> tuple[Cells, Cells] | None:
    """A table whose score changes when its classes change names, if there is one."""
    cells = _proper_first(domain(subject, small_tables(k)))
    before = subject(cells)
    for order in list(permutations(range(k)))[1:]:
        other = cells[:, order][:, :, order]
        moved = np.flatnonzero(differ(before, subject(other)))
        if len(moved):
            return cells[moved[0]], other[moved[0]]
    return None


def differ(a: Cells, b: Cells) -> Cells:
    """Where two scores are not the same, and both are known."""
    with np.errstate(invalid="ignore"):
        return np.asarray(np.abs(a - b) > SAME * np.maximum(1, np.abs(a)))


def scored(subject: Subject, *named: tuple[str, Cells]) -> tuple[ScoredTable, ...]:
    """Tables with their names, their scores and, where there are, exact scores."""
    cells = np.stack([m for _, m in named])
    values = subject(cells)
    fractions: Sequence[Fraction | None] = subject.exact(cells) or [None] * len(named)
    return tuple(
        ScoredTable(what, rows_of(m), float(v), None if f is None else snapped(f))
        for (what, m), v, f in zip(named, values, fractions, strict=True)
    )


def snapped(value: Fraction) -> Fraction | None:
    """The simple fraction that a rounded value stands for; ``None`` if it is irrational."""
    near = value.limit_denominator(10**12)
    return near if abs(near - value) < Fraction(1, 10 ** (DIGITS - 20)) else None


def certain(subject: Subject, cells: Cells, test: Callable[[list[Fraction]], bool]) -> bool:
    """Whether the exact scores pass the test; true where there are none."""
    fractions = subject.exact(cells)
    return True if fractions is None else test(fractions)


def first_confirmed(
    candidates: Iterable[tuple[Change, Cells]], confirmed: Callable[[Change, int], bool]
) -> tuple[Change, int] | None:
    """The first table, of those where floats suspect a change to matter, that confirms it."""
    first: tuple[Change, int] | None = None
    for change, suspects in candidates:
        for i in map(int, np.flatnonzero(suspects)):
            if first is not None and i >= first[1]:
                break
            if confirmed(change, i):
                first = change, i
                break
    return first


def above(a: Fraction, b: Fraction) -> bool:
    """a > b, beyond the rounding of roots."""
    return a - b > TINY


def rows_of(m: Cells) -> Rows:
    """A table as plain numbers."""
    return tuple(tuple(int(x) for x in row) for row in m)


def shrunk(m: Cells, still: Callable[[Cells], bool]) -> Cells:
    """The table made smaller while it still shows the same, without making a class empty."""
    again, was_proper = True, bool(proper(m))
    while again:
        again = False
        for smaller in _smaller(m):
            if smaller.sum() and bool(proper(smaller)) >= was_proper and still(smaller):
                m, again = smaller, True
                break
    return m


def _smaller(m: Cells) -> Iterator[Cells]:
    for reduce in (lambda x: 0, lambda x: x // 2, lambda x: x * 3 // 4, lambda x: x - 1):
        for i in zip(*np.nonzero(m), strict=True):
            smaller = m.copy()
            smaller[i] = reduce(m[i])
            yield smaller


def one_more(cells: Cells, *places: Place) -> Cells:
    """Tables with one more item in each of these cells."""
    more = cells.copy()
    for true, pred in places:
        more[..., true, pred] += 1
    return more


def item_at(place: Place) -> str:
    """What one more item in a cell is, in words."""
    kind = "hit" if place[0] == place[1] else "error"
    return f"one more {kind}: true {place[0]}, predicted {place[1]}"


def places(k: int) -> list[Place]:
    """Every cell of a table."""
    return [(true, pred) for true in range(k) for pred in range(k)]


# Examples of two metrics

TESTS = 8
"""Class mixes that systems are drawn for."""
SYSTEMS = 500
"""Random systems on each of them, to choose two from."""

Goal: TypeAlias = Literal["disagree", "alike", "gap"]


@dataclass(frozen=True, eq=False, repr=False)
class Found(Result):
    """A table, or two of the same true classes, that show what was searched for.

    >>> example = find("gap", "f1_of_averages", "macro_f1", k=2, n=20)
    >>> [len(row) for row in example.first], example.second
    ([2, 2], None)
    """

    json_fields = "goal first second values"

    goal: Goal
    first: Rows
    second: Rows | None
    values: dict[str, tuple[float, ...]]
    cautions: tuple[ResultWarning, ...] = ()

    def content(self) -> Content:
        """The values of each table, then the tables."""
        verdict = "; ".join(f"{m} {listed(map(number, v))}" for m, v in self.values.items())
        rows: list[list[Cell]] = [[m, *each] for m, each in self.values.items()]
        tables = {"first table": self.first}
        if self.second is not None:
            tables["second table"] = self.second
        grid = Grid(["metric", *tables], rows)
        cells = [Paragraph(f"{name}, rows = true: {[*map(list, t)]}") for name, t in tables.items()]
        return Content(
            self.goal, [Paragraph(verdict, "verdict"), Table(grid), *cells], lambda: grid
        )


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
    >>> example = eh.properties.find("alike", "accuracy", "macro_f1", k=2, n=20)
    >>> {name: [round(v, 2) for v in values] for name, values in example.values.items()}
    {'accuracy': [0.95, 0.95], 'macro_f1': [0.82, 0.49]}
    """
    choice(goal, ("disagree", "alike", "gap"), "goal")
    k = whole_number(k, "k", 2, 100)
    n = whole_number(n, "n", k, 10**15)
    SEED.check(seed, "seed")
    if goal == "gap":
        return _show("gap", TWINS, extremal(k, max(0, (n - k) // (k // 2 + k % 2))))
    specs = [as_spec(one), as_spec(two)]
    names = list(map(name_of, specs))
    if names[0] == names[1]:
        raise InputError(f"two metrics are needed to be told apart, got {names[0]!r} twice")
    rng = np.random.default_rng(seed)
    pairs: list[tuple[float, Cells]] = []
    for _ in range(TESTS):
        cells = systems_on(rng, k, n, SYSTEMS)
        a, b = (_signed(s, Confusion.from_matrix(cells)) for s in specs)
        if goal == "disagree":  # the smaller of both margins
            margins = np.minimum(a[:, None] - a, b - b[:, None])
        else:
            margins = np.where(differ(a[:, None], a), -np.inf, b[:, None] - b)
        margins = np.where(np.isnan(margins), -np.inf, margins)
        pair = np.unravel_index(int(margins.argmax()), margins.shape)
        pairs.append((float(margins[pair]), cells[list(pair)]))
    signs = (1, -1) if goal == "disagree" else (0, 1)
    for margin, tables in sorted(pairs, key=lambda p: -p[0]):
        if margin > 0 and all(_has_sign(s, tables, x) for s, x in zip(specs, signs, strict=True)):
            return _show(goal, specs, *tables)
    reason = "rank differently" if goal == "disagree" else "tell apart in that way"
    raise InputError(f"no tables were found that {names[0]} and {names[1]} {reason}")


def _show(goal: Goal, specs: Sequence[AnyMetric], *tables: Cells) -> Found:
    stack = Confusion.from_matrix(np.stack(tables))
    values = {name_of(s): tuple(map(float, np.asarray(evaluate(s, stack)))) for s in specs}
    first, *rest = map(rows_of, tables)
    return Found(goal, first, rest[0] if rest else None, values)


def _is_lower_better(metric: AnyMetric) -> bool:
    return isinstance(metric, Spec) and metric.metric.better == "lower"


def _signed(metric: AnyMetric, stack: Confusion) -> Floats:
    values = np.asarray(evaluate(metric, stack), float)
    return -values if _is_lower_better(metric) else values


def _has_sign(metric: AnyMetric, pair: Cells, sign: int) -> bool:
    """Whether the scores differ in that direction, in fractions; true where there are none."""
    try:
        subject = subject_of(metric)
    except MetricError:
        return True
    if not np.allclose(subject(pair), evaluate(metric, Confusion.from_matrix(pair)), rtol=1e-9):
        return True
    ordered = pair[::-1] if _is_lower_better(metric) else pair
    return certain(subject, ordered, lambda f: above(f[0], f[1]) - above(f[1], f[0]) == sign)

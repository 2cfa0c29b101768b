"""The search for tables that refute or show a property, or that two metrics score differently."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache, lru_cache, partial
from itertools import permutations
from operator import itemgetter
from typing import Any, Literal, NamedTuple, TypeAlias, TypedDict

import numpy as np

from evenhand.catalogue.binding import evaluate
from evenhand.catalogue.lists import TWINS, AnyMetric, as_spec, name_of
from evenhand.catalogue.spelling import Spec
from evenhand.core.metrics.macro import extremal
from evenhand.data.confusion import Confusion
from evenhand.errors import InputError
from evenhand.options import SEED, choice, whole_number
from evenhand.properties.exact import DIGITS, TINY
from evenhand.properties.subject import Cells, Floats, Subject
from evenhand.records import Record
from evenhand.results.document import Content, Paragraph, Table
from evenhand.results.result import Result
from evenhand.text import MINUS, Cell, Grid, listed, number

Status = Literal["refuted", "shown", "derived", "not refuted", "not shown", "stated"]
Rows = tuple[tuple[int, ...], ...]


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


Example: TypeAlias = tuple[ScoredTable, ...]
"""Tables that show something."""


class TriedTables(Record):
    """What a search looked at."""

    tables: int
    classes: tuple[int, ...]
    method: str

    def __str__(self) -> str:
        classes = ", ".join(map(str, self.classes))
        return f"{self.tables:,} tables of {classes} classes: {self.method}"


class FindingDetail(TypedDict, total=False):
    """What else a search knows of a property."""

    monotone_for: list[int]
    after_calibration: bool | None
    exponent: float | None
    mean: str | None
    kind: str
    c: dict[int, float]
    formula: str
    strict_inside: bool
    everywhere: bool


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

    json_fields = "holds status evidence example derivation tried *detail"

    status: Status
    evidence: str
    tried: TriedTables
    example: Example = ()
    derivation: str | None = None
    detail: FindingDetail = field(default_factory=FindingDetail)
    lacking: bool = False

    @property
    def holds(self) -> bool | None:
        """Whether the metric has the property; ``None`` if the search cannot tell."""
        if self.status in ("derived", "stated"):
            return not self.lacking
        return {"refuted": False, "shown": True}.get(self.status)


# Tables to search

Place = tuple[int, int]
"""A cell: true class, predicted class."""
SMALL = {2: 12, 3: 6, 4: 4}
"""All tables of k classes up to this many items are tried."""
SCATTERED = 400
"""Larger random tables of k classes."""


@lru_cache
def ways(cells: int, items: int) -> Cells:
    """Every way to put so many items into so many cells, a row each."""
    if not items:
        return np.zeros((1, cells), np.int64)
    more = ways(cells, items - 1)[:, None] + np.eye(cells, dtype=np.int64)
    return np.unique(more.reshape(-1, cells), axis=0)


@lru_cache
def small_tables(k: int) -> Cells:
    """Every table of up to so many items, fewest items first."""
    sizes = range(1, SMALL.get(k, 3) + 1)
    return np.concatenate([ways(k * k, n) for n in sizes]).reshape(-1, k, k)


def scattered_tables(k: int, seed: int) -> Cells:
    """Random tables of up to some thousands of items: mild, skewed and with empty cells."""
    rng = np.random.default_rng([seed, k, 1])
    scale = np.exp(rng.uniform(0, 8, (SCATTERED, k, k)))
    skewed = np.floor(scale * rng.random((SCATTERED, k, k)))
    skewed[rng.random((SCATTERED, k, k)) < 0.25] = 0
    mild = rng.poisson(20, (SCATTERED, k, k)) + rng.poisson(30, (SCATTERED, 1, 1)) * np.eye(k)
    cells = np.where(rng.random((SCATTERED, 1, 1)) < 0.6, skewed, mild).astype(np.int64)
    return np.asarray(cells[cells.sum(axis=(1, 2)) > 0])


def proper(cells: Cells) -> Cells:
    """Where every class is both true and predicted of some item: nothing is 0/0."""
    return np.asarray((cells.sum(axis=-1) > 0).all(axis=-1) & (cells.sum(axis=-2) > 0).all(axis=-1))


def _domain(subject: Subject, cells: Cells) -> Cells:
    """The tables that the metric is defined for: calibration divides by each class's prevalence."""
    if subject.calibrate:
        cells = cells[(cells.sum(axis=-1) > 0).all(axis=-1)]
    return np.asarray(cells[np.argsort(~proper(cells), kind="stable")])


# Rules that tables may break

SAME = 1e-11
"""Floats closer than this are the same score until fractions say otherwise."""


class Change(NamedTuple):
    """What is done to a table, in words and as a function of a stack."""

    what: str
    apply: Callable[[Cells], Cells]


@cache
def adding(*places: Place) -> Change:
    """One more item in each of these cells."""

    def apply(cells: Cells) -> Cells:
        more = cells.copy()
        for true, pred in places:
            more[..., true, pred] += 1
        return more

    items = (
        f"one more {'hit' if true == pred else 'error'}: true {true}, predicted {pred}"
        for true, pred in places
    )
    return Change("; ".join(items) or "before", apply)


BEFORE = adding()


def places(k: int) -> list[Place]:
    """Every cell of a table."""
    return [(true, pred) for true in range(k) for pred in range(k)]


@dataclass(frozen=True, eq=False)
class Rule:
    """Changes of a table, and where their scores (… × changes) break what must hold of them.

    ``kind`` says what is changed, for the evidence. Scores that differ by no more than the second
    argument of ``broken`` are the same.
    """

    kind: str
    changes: tuple[Change, ...]
    broken: Callable[[Cells, Any], Cells]

    def tables(self, m: Cells) -> Cells:
        """The table after every change."""
        return np.stack([change.apply(m) for change in self.changes])

    def example(self, subject: Subject, m: Cells) -> Example:
        """The table after every change, with its score."""
        return scored(subject, (c.what for c in self.changes), self.tables(m))

    def breaks(self, subject: Subject, m: Cells) -> bool:
        """Whether a table certainly breaks the rule: in fractions, where there are any."""
        tables = self.tables(m)
        if not len(_domain(subject, m[None])) or not self.broken(subject(tables), SAME):
            return False
        fractions = subject.exact(tables)
        return fractions is None or bool(self.broken(np.array(fractions, object), TINY))


def differ(scores: Cells, same: Any) -> Cells:
    """Where the last two scores are not the same, and both are known."""
    a, b = scores[..., -2], scores[..., -1]
    with np.errstate(invalid="ignore"):
        return np.asarray(np.abs(a - b) > same * np.maximum(1, np.abs(a)))


@dataclass(frozen=True, eq=False)
class Search:
    """Tables to try for a metric, and their scores after changes, which rules share."""

    subject: Subject
    cells: Cells
    known: dict[Change, Floats] = field(default_factory=dict)

    def scores(self, rule: Rule) -> Floats:
        """The scores of the tables after each change of a rule, tables × changes."""
        for change in rule.changes:
            if change not in self.known:
                self.known[change] = self.subject(change.apply(self.cells))
        return np.stack([self.known[c] for c in rule.changes], axis=-1)

    def counterexample(self, rules: Iterable[Rule]) -> tuple[Rule, Example] | None:
        """The rule that the first table certainly breaks, and that table made smaller."""
        first: tuple[Rule, int] | None = None
        for rule in rules:
            suspects = rule.broken(self.scores(rule), SAME)[: None if first is None else first[1]]
            for i in np.flatnonzero(suspects).tolist():
                if rule.breaks(self.subject, self.cells[i]):
                    first = rule, i
                    break
        if first is None:
            return None
        rule, i = first
        smaller = shrunk(self.cells[i], partial(rule.breaks, self.subject))
        return rule, rule.example(self.subject, smaller)


@lru_cache(maxsize=16)
def search_of(subject: Subject, k: int, seed: int) -> Search:
    """All tables to try for a metric: those without an empty class first, by size, so that a
    counter-example depends on the value of 0/0 only where there is no other.
    """
    cells = np.concatenate([small_tables(k), scattered_tables(k, seed)])
    return Search(subject, _domain(subject, cells))


def first_broken(
    subject: Subject,
    classes: tuple[int, ...],
    seed: int,
    method: str,
    rules: Callable[[int], list[Rule]],
) -> tuple[TriedTables, tuple[Rule, Example] | None]:
    """What was tried, and the first table that breaks a rule, of the fewest classes."""
    tables = 0
    for i, k in enumerate(classes, 1):
        search, of_classes = search_of(subject, k, seed), rules(k)
        changes = {change for rule in of_classes for change in rule.changes}
        tables += len(search.cells) * len(changes - {BEFORE})
        if (broken := search.counterexample(of_classes)) is not None:
            return TriedTables(tables, classes[:i], method), broken
    return TriedTables(tables, classes, method), None


@lru_cache(maxsize=32)
def renaming(subject: Subject, k: int) -> Example | None:
    """A table whose score changes when its classes change names, if there is one."""

    def renamed(order: tuple[int, ...]) -> Rule:
        change = Change("classes renamed", lambda cells: cells[..., order, :][..., order])
        return Rule("renaming", (BEFORE, change), differ)

    rules = map(renamed, list(permutations(range(k)))[1:])
    broken = Search(subject, _domain(subject, small_tables(k))).counterexample(rules)
    return None if broken is None else broken[1]


def scored(subject: Subject, words: Iterable[str], tables: Cells) -> Example:
    """Tables with what they are, their scores and, where there are, exact scores."""
    fractions = subject.exact(tables)
    exact = [None] * len(tables) if fractions is None else map(snapped, fractions)
    rows = zip(words, tables, subject(tables), exact, strict=True)
    return tuple(ScoredTable(what, rows_of(m), float(v), f) for what, m, v, f in rows)


def snapped(value: Fraction) -> Fraction | None:
    """The simple fraction that a rounded value stands for; ``None`` if it is irrational."""
    near = value.limit_denominator(10**12)
    return near if abs(near - value) < Fraction(1, 10 ** (DIGITS - 20)) else None


def rows_of(m: Cells) -> Rows:
    """A table as plain numbers."""
    return tuple(tuple(int(x) for x in row) for row in m)


def shrunk(m: Cells, still: Callable[[Cells], bool]) -> Cells:
    """The table made smaller while it still shows the same, without making a class empty."""
    was_proper = bool(proper(m))
    while True:
        for smaller in _smaller(m):
            if smaller.sum() and bool(proper(smaller)) >= was_proper and still(smaller):
                m = smaller
                break
        else:
            return m


def _smaller(m: Cells) -> Iterator[Cells]:
    for reduce in (lambda x: 0, lambda x: x // 2, lambda x: x * 3 // 4, lambda x: x - 1):
        for i in zip(*np.nonzero(m), strict=True):
            smaller = m.copy()
            smaller[i] = reduce(m[i])
            yield smaller


# Examples of two metrics

TESTS = 8
"""Class mixes that systems are drawn for."""
SYSTEMS = 500
"""Random systems on each of them, to choose two from."""

Goal: TypeAlias = Literal["disagree", "alike", "gap"]


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

    def content(self) -> Content:
        """The values of each table, then the tables."""
        words = "; ".join(f"{m} {listed(map(number, v))}" for m, v in self.values.items())
        verdict = Paragraph(words, "verdict")
        rows: list[list[Cell]] = [[m, *each] for m, each in self.values.items()]
        tables = {"first table": self.first}
        if self.second is not None:
            tables["second table"] = self.second
        grid = Grid(["metric", *tables], rows)
        cells = [Paragraph(f"{name}, rows = true: {[*map(list, t)]}") for name, t in tables.items()]
        return Content(self.goal, [verdict, Table(grid), *cells], lambda: grid)


def systems_on(rng: np.random.Generator, k: int, n: int) -> Cells:
    """Tables of many random systems on the same n items, of a random class mix."""
    share = rng.dirichlet(np.full(k, rng.choice([0.3, 1.0, 5.0])))
    sizes = 1 + rng.multinomial(n - k, share)
    rows = rng.dirichlet(np.full(k, 0.4), (SYSTEMS, k))
    right = rng.beta(2, 1, (SYSTEMS, k, 1))
    rows = (1 - right) * rows + right * np.eye(k)
    return np.stack([rng.multinomial(s, rows[:, i]) for i, s in enumerate(sizes)], axis=1)


def find(
    goal: Goal, one: AnyMetric, two: AnyMetric, *, k: int = 3, n: int = 60, seed: int = 0
) -> Found:
    """Tables of k classes and n items that show something about two metrics.

    ``disagree``: two systems on the same items, of which ``one`` prefers the first and ``two`` the
    second, by as much as was found (the smaller of both margins). ``alike``: ``one`` has the same
    value for both and ``two`` prefers the first by the most. ``gap``: one table whose two macro F1s
    are as far apart as the extremal tables (Opitz & Burst 2019) of about n items have them,
    whatever the metrics. Systems are drawn at random, the same ones for a ``seed``, for class mixes
    from even to very uneven.

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
        raise InputError(f"expected two different metrics, got {names[0]!r} twice")
    better = [-1 if isinstance(s, Spec) and s.metric.better == "lower" else 1 for s in specs]
    rng = np.random.default_rng(seed)
    pairs: list[tuple[float, Cells]] = []
    for _ in range(TESTS):
        cells = systems_on(rng, k, n)
        stack = Confusion.from_matrix(cells)
        values = [np.asarray(evaluate(s, stack), float) for s in specs]
        a, b = (x * (v[:, None] - v) for v, x in zip(values, better, strict=True))
        margins = np.minimum(a, -b)  # the smaller of both
        if goal == "alike":
            margins = np.where(np.abs(a) > SAME * np.maximum(1, np.abs(values[0])), -np.inf, b)
        margins = np.where(np.isnan(margins), -np.inf, margins)
        pair = np.unravel_index(int(margins.argmax()), margins.shape)
        pairs.append((float(margins[pair]), cells[list(pair)]))
    margin, tables = max(pairs, key=itemgetter(0))
    if margin > 0:
        return _show(goal, specs, *tables)
    reason = "rank differently" if goal == "disagree" else "tell apart in that way"
    raise InputError(f"no tables were found that {names[0]} and {names[1]} {reason}")


def _show(goal: Goal, specs: Sequence[AnyMetric], *tables: Cells) -> Found:
    stack = Confusion.from_matrix(np.stack(tables))
    values = {name_of(s): tuple(map(float, np.asarray(evaluate(s, stack)))) for s in specs}
    first, *rest = map(rows_of, tables)
    return Found(goal, first, rest[0] if rest else None, values)

"""Search: tables to try, from the smallest on, and shrinking of what was found."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import permutations

import numpy as np

from evenhand.properties.exact import DIGITS, TINY
from evenhand.properties.finding import Rows, Scored
from evenhand.properties.subject import Cells, Subject

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
    most = SMALL.get(k, 3)
    rows = np.zeros((1, k * k), np.int64)
    found = []
    for _ in range(most):
        rows = np.unique((rows[:, None] + np.eye(k * k, dtype=np.int64)).reshape(-1, k * k), axis=0)
        found.append(rows)
    cells = np.concatenate(found).reshape(-1, k, k)
    return cells[_first_of_its_names(cells)]


def _first_of_its_names(cells: Cells) -> Cells:
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
    """Every table of up to so many items, for metrics that know classes apart."""
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
    """Tables of many systems on the same n items: all kinds of errors, a class mix from even to
    very uneven.
    """
    share = rng.dirichlet(np.full(k, rng.choice([0.3, 1.0, 5.0])))
    sizes = 1 + rng.multinomial(n - k, share)
    rows = rng.dirichlet(np.full(k, 0.4), (many, k))
    right = rng.beta(2, 1, (many, k, 1))
    rows = (1 - right) * rows + right * np.eye(k)
    return np.stack([rng.multinomial(s, rows[:, i]) for i, s in enumerate(sizes)], axis=1)


def tables_for(subject: Subject, k: int, seed: int, *, empty: bool = False) -> Cells:
    """All tables to try for a metric: those without an empty class first, by size, so that a
    counter-example rests on the worth of 0/0 only where there is no other.
    """
    small = small_tables(k) if renaming(subject, k) is None else all_small_tables(k)
    cells = np.concatenate([small, scattered_tables(k, seed)])
    return domain(subject, _proper_first(cells), empty=empty)


def proper(cells: Cells) -> Cells:
    """Where every class is both true and predicted of some item: nothing is 0/0."""
    return np.asarray((cells.sum(axis=-1) > 0).all(axis=-1) & (cells.sum(axis=-2) > 0).all(axis=-1))


def _proper_first(cells: Cells) -> Cells:
    whole = proper(cells)
    return np.concatenate([cells[whole], cells[~whole]])


def domain(subject: Subject, cells: Cells, *, empty: bool = False) -> Cells:
    """The tables that the metric is about; a stated mix has items of each of its classes.

    Calibration to equal classes is of those that occur: ``empty`` lets others be never true.
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


def scored(subject: Subject, *named: tuple[str, Cells]) -> tuple[Scored, ...]:
    """Tables with what they are, their scores and, where they can be had, exact ones."""
    cells = np.stack([m for _, m in named])
    values = subject(cells)
    fractions: Sequence[Fraction | None] = subject.exact(cells) or [None] * len(named)
    return tuple(
        Scored(what, rows_of(m), float(v), None if f is None else snapped(f))
        for (what, m), v, f in zip(named, values, fractions, strict=True)
    )


def snapped(value: Fraction) -> Fraction | None:
    """The simple fraction that a rounded value stands for; ``None`` if it is irrational."""
    near = value.limit_denominator(10**12)
    return near if abs(near - value) < Fraction(1, 10 ** (DIGITS - 20)) else None


def certain(subject: Subject, cells: Cells, test: Callable[[list[Fraction]], bool]) -> bool:
    """Whether the exact scores pass the test; true where there are none to ask."""
    fractions = subject.exact(cells)
    return True if fractions is None else test(fractions)


def above(a: Fraction, b: Fraction) -> bool:
    """a > b, beyond the rounding of roots."""
    return a - b > TINY


def rows_of(m: Cells) -> Rows:
    """A table as plain numbers."""
    return tuple(tuple(int(x) for x in row) for row in m)


def shrunk(m: Cells, still: Callable[[Cells], bool]) -> Cells:
    """The table made smaller for as long as it still shows the same, and has no empty class if
    it had none.
    """
    again, whole = True, bool(proper(m))
    while again:
        again = False
        for smaller in _smaller(m):
            if smaller.sum() and bool(proper(smaller)) >= whole and still(smaller):
                m, again = smaller, True
                break
    return m


def _smaller(m: Cells) -> Iterator[Cells]:
    for keep in (lambda x: 0, lambda x: x // 2, lambda x: x * 3 // 4, lambda x: x - 1):
        for i in np.ndindex(m.shape):
            if m[i]:
                smaller = m.copy()
                smaller[i] = keep(m[i])
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

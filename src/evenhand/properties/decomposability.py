"""III. Class decomposability: the metric is a generalised mean over classes of a class's score.

Necessary conditions, on raw counts: renaming classes changes nothing; cells that share no class
do not interact in some power of the metric, the same power everywhere; and neither do three
cells that have no class in common.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import product
from operator import itemgetter

import numpy as np

from evenhand.properties.exact import TINY, logarithm, power
from evenhand.properties.search import (
    Finding,
    Place,
    ScoredTable,
    TriedTables,
    domain,
    item_at,
    one_more,
    proper,
    renaming,
    scored,
    shrunk,
    tables_for,
)
from evenhand.properties.subject import Cells, Floats, Subject

METHOD = (
    "classes renamed; interactions of cells without a common class on all small tables, random "
    "larger ones and, in exact fractions, skewed ones"
)
SAME = 1e-9
SKEWED = 12
"""Tables of k classes on which an exponent is checked in exact fractions."""
TRIPLES = (((0, 1), (1, 2), (2, 0)), ((0, 1), (1, 2), (0, 2)))


SIMPLE = (1.0, 0.0, -1.0, 2.0, -2.0, 0.5, -0.5, 3.0, -3.0, 4.0, -4.0)
SIGNS = {4: (1, -1, -1, 1), 8: (-1, 1, 1, -1, 1, -1, -1, 1)}
"""Signs of the corners f00, f10, f01, f11 of a square, and of a cube in the same order."""


def contradicts(f: Cells, same: float | Fraction) -> Cells:
    """Where no finite exponent fits: an item's effect changes its sign with the other item.

    ``f`` has f00, f10, f01, f11 on its last axis. An effect that vanishes in one case only is
    a contradiction as well. Scores of 0 say nothing: where p ≤ 0, one class at 0 decides alone.
    """
    effects = [f[..., b] - f[..., a] for a, b in ((0, 1), (2, 3), (0, 2), (1, 3))]
    sign = [np.where(np.abs(x) > same, np.sign(x), 0) for x in effects]
    known = ((np.abs(f) < math.inf) & (np.abs(f) > same)).all(axis=-1)
    return np.asarray(known & ((sign[0] != sign[1]) | (sign[2] != sign[3])))


def sign_differs(f: list[Fraction]) -> bool:
    """The same of exact scores."""
    return bool(contradicts(np.array(f, object), TINY))


def extreme(f: Cells, same: float) -> tuple[Cells, Cells]:
    """Where four scores could be those of a smallest, and of a largest, of class values."""
    square = f.reshape(*f.shape[:-1], 2, 2)
    fits = []
    for end in (square.min(axis=(-1, -2), keepdims=True), square.max(axis=(-1, -2), keepdims=True)):
        at = np.abs(square - end) <= same  # the extreme value fills a row or a column
        fits.append(at.all(axis=-1).any(axis=-1) | at.all(axis=-2).any(axis=-1))
    return fits[0], fits[1]


def residual(f: Cells, p: float) -> Cells:
    """How far the signed sum of fᵖ is from 0, as a share of its largest term; 0 if undefined."""
    signs = np.array(SIGNS[f.shape[-1]])
    with np.errstate(all="ignore"):
        if p == 1:
            x = f / np.abs(f).max(axis=-1, keepdims=True)
        elif p == 0:
            x = np.log(f)
        else:
            largest = f.max(axis=-1, keepdims=True) if p > 0 else f.min(axis=-1, keepdims=True)
            x = (f / largest) ** p
        distance = np.abs((signs * x).sum(axis=-1))
    return np.where(np.isfinite(distance), distance, 0.0)


def excess(f: list[Fraction], p: float) -> Fraction:
    """The signed sum of fᵖ, exact for whole p; for p = 0 of logarithms."""
    if p <= 0 and min(f) <= 0:
        return Fraction(0)  # such a mean is 0 whatever the other classes do
    if p == 0:
        y = [logarithm(v) for v in f]
    elif p == int(p):
        top = max(map(abs, f)) or Fraction(1)
        y = [(v / top) ** int(p) for v in f]
    else:
        y = [power(v, p) for v in f]
    return sum((s * v for s, v in zip(SIGNS[len(f)], y, strict=True)), Fraction(0))


def solved(f: list[Fraction]) -> float | None:
    """The exponent that fits four scores ≥ 0, to about twelve digits; ``None`` if none does.

    Where both items move the score the same way in either case, there is at most one besides the
    trivial 0 (the signed sum of powers changes its sign at most twice).
    """
    if min(f) < 0 or max(f) == 0:
        return None
    for p in SIMPLE:
        if (p > 0 or min(f) > 0) and abs(excess(f, p)) < TINY:
            return p
    grid = np.concatenate([np.linspace(-60, -0.05, 600), np.linspace(0.05, 60, 600)])
    if min(f) == 0:
        grid = grid[grid > 0]
    y = _slope(f, grid)
    for i in np.flatnonzero(np.sign(y[:-1]) * np.sign(y[1:]) < 0):
        from scipy.optimize import brentq

        root = brentq(lambda p: _slope(f, np.array([p]))[0], grid[i], grid[i + 1], xtol=1e-15)
        return float(root)
    return None


def _slope(f: list[Fraction], p: Cells) -> Cells:
    """The signed sum of (fᵖ − 1)/p, which has no trivial zero at p = 0."""
    with np.errstate(divide="ignore"):
        x = np.log([float(v / max(f)) for v in f])
    p = np.where(p == 0, 1e-9, p)[:, None]
    return np.asarray((np.array(SIGNS[4]) * np.expm1(p * x) / p).sum(axis=-1))


def named(p: float) -> str:
    """The mean with this exponent, by its usual name."""
    known = {1.0: "arithmetic mean", 0.0: "geometric mean", -1.0: "harmonic mean"}
    known |= {math.inf: "largest value", -math.inf: "smallest value", 2.0: "quadratic mean"}
    return known.get(p, f"generalised mean with p = {p:.6g}")


@dataclass(frozen=True, eq=False)
class Corners:
    """The scores of a stack of tables with every combination of some items added."""

    cells: Cells
    places: tuple[Place, ...]
    scores: Floats

    @classmethod
    def add(cls, subject: Subject, cells: Cells, places: tuple[Place, ...]) -> Corners:
        """The scores of every table with none, some and all of the items added."""
        scores = np.stack([subject(m) for _, m in _corners(cells, places)], axis=-1)
        return cls(cells, places, scores)

    def example(self, subject: Subject, i: int) -> tuple[ScoredTable, ...]:
        """One table of the stack, for a reader."""
        return scored(subject, *_corners(self.cells[i], self.places))

    def exact(self, subject: Subject, i: int) -> list[Fraction]:
        """The scores of one table as fractions, from floats if need be."""
        return subject.exact(self.tables(i)) or [Fraction(float(v)) for v in self.scores[i]]

    def tables(self, i: int) -> Cells:
        """One table of the stack with none, some and all of the items added."""
        return np.stack([m for _, m in _corners(self.cells[i], self.places)])

    def suspects(self, p: float) -> Cells:
        """Tables whose scores do not seem to fit the exponent, ten at most."""
        usable = (p == 1) | (self.scores.min(axis=-1) > 0)
        return np.flatnonzero(usable & (residual(self.scores, p) > SAME))[:10]


def _corners(cells: Cells, places: tuple[Place, ...]) -> Iterator[tuple[str, Cells]]:
    for chosen in product((False, True), repeat=len(places)):
        added = [p for p, c in zip(places, reversed(chosen), strict=True) if c]
        what = "; ".join(item_at(p) for p in added) or "before"
        yield what, one_more(cells, *added)


def decomposability(subject: Subject, classes: tuple[int, ...], seed: int) -> Finding:
    """Look for a proof that the scores are no mean over classes."""
    for k in classes:
        pair = renaming(subject, k)
        if pair is not None:
            example = scored(subject, ("before", pair[0]), ("classes renamed", pair[1]))
            text = f"renaming the classes changes it: {example[0].shown} → {example[1].shown}"
            return Finding("refuted", text, TriedTables(2, (k,), METHOD), example)
    stacks = [
        Corners.add(subject, tables_for(subject, k, seed), places)
        for k in classes
        for places in _disjoint_cells(k)
    ]
    tried = TriedTables(sum(s.scores.size for s in stacks), classes, METHOD)
    known = [s.scores[np.isfinite(s.scores).all(axis=-1)] for s in stacks]
    ends = [p for p in (-math.inf, math.inf) if all(extreme(f, SAME)[p > 0].all() for f in known)]
    sign = _by_sign(subject, stacks)
    if sign is not None and not ends:
        text = (
            "it is no mean over classes, whatever the exponent: an item's effect depends on an "
            f"item of other classes, {sign[0].shown} → {sign[1].shown} but "
            f"{sign[2].shown} → {sign[3].shown}"
        )
        return Finding("refuted", text, tried, sign)
    exponent = min(ends) if ends else None
    if sign is None:
        power = _by_power(subject, stacks, seed, tried)
        if isinstance(power, Finding):
            return power
        exponent = power if power is not None else exponent
    fits = "" if exponent is None else f": all scores fit the {named(exponent)} over classes"
    return Finding(
        "not refuted",
        f"no interaction found between cells without a common class{fits}",
        tried,
        detail={"exponent": exponent, "mean": None if exponent is None else named(exponent)},
    )


def _disjoint_cells(k: int) -> list[tuple[Place, ...]]:
    """Pairs of cells without a common class, one of each kind."""
    pairs: list[tuple[Place, ...]] = [((0, 0), (1, 1))]
    if k > 2:
        pairs += [((1, 1), (2, 0)), ((0, 0), (1, 2))]
    if k > 3:
        pairs += [((0, 1), (2, 3))]
    return pairs


def _by_sign(subject: Subject, stacks: list[Corners]) -> tuple[ScoredTable, ...] | None:
    """The smallest table where one item's effect changes its sign with another item.

    Four scores; where a smallest or largest value still fits them, four more that it does not.
    """
    known: list[tuple[tuple[bool, int, int], Cells, tuple[Place, ...]]] = []
    for stack in stacks:
        for i in np.flatnonzero(contradicts(stack.scores, SAME))[:4]:
            if sign_differs(stack.exact(subject, i)):
                m = stack.cells[i]
                size = (not bool(proper(m)), m.shape[-1], int(m.sum()))
                known.append((size, m, stack.places))
                break
    if not known:
        return None
    _, m, places = min(known, key=itemgetter(0))
    m = shrunk(m, partial(_still_contradicts, subject, places=places))
    best = Corners.add(subject, m[None], places)
    example = _turned(best.example(subject, 0))
    for high in (False, True):
        if extreme(best.scores, SAME)[high][0]:
            example += _against_end(subject, stacks, high)
    return example


def _against_end(subject: Subject, stacks: list[Corners], high: bool) -> tuple[ScoredTable, ...]:
    """The first table that is no smallest, or no largest, value over classes."""
    for stack in stacks:
        for i in np.flatnonzero(~extreme(stack.scores, SAME)[high])[:1]:
            return stack.example(subject, int(i))
    return ()


def _turned(four: tuple[ScoredTable, ...]) -> tuple[ScoredTable, ...]:
    """The four tables in an order where an item's effect differs from pair to pair."""
    s = [x.score for x in four]
    effects = [np.sign(d) if abs(d) > SAME else 0 for d in (s[1] - s[0], s[3] - s[2])]
    return four if effects[0] != effects[1] else (four[0], four[2], four[1], four[3])


def _still_contradicts(subject: Subject, m: Cells, places: tuple[Place, ...]) -> bool:
    if not len(domain(subject, m[None])):
        return False
    four = Corners.add(subject, m[None], places)
    return bool(contradicts(four.scores, SAME)[0]) and sign_differs(four.exact(subject, 0))


def _by_power(
    subject: Subject, stacks: list[Corners], seed: int, tried: TriedTables
) -> float | Finding | None:
    """The exponent that all tables agree on, or the tables that do not agree."""
    first = next(_fitting(subject, stacks), None)
    if first is None:
        return None
    stack, i, p = first
    for other in (*stacks, *_skewed(subject, stacks, seed)):
        skewed = other.cells.max() > 10**5
        for j in map(int, range(SKEWED) if skewed else other.suspects(p)):
            if not np.isfinite(other.scores[j]).all():
                continue
            exact = other.exact(subject, j)
            # without fractions, only a difference that floats can tell counts
            clear = subject.exact(other.tables(j)) or residual(other.scores, p)[j] > 1e-7
            if _breaks(exact, p) and clear:
                q = _exponent(exact)
                text = (
                    "no one exponent fits: for the scores to be a mean over classes, one table "
                    f"asks for p = {p:.6g}, another for "
                    f"{'none at all' if q is None else f'p = {q:.6g}'}"
                )
                example = (*stack.example(subject, i), *other.example(subject, j))
                return Finding("refuted", text, tried, example)
    sizes = sorted({s.cells.shape[-1] for s in stacks if s.cells.shape[-1] > 2})
    for k, triple in product(sizes, TRIPLES):
        cube = Corners.add(subject, tables_for(subject, k, seed), triple)
        for j in map(int, cube.suspects(p)):
            if abs(excess(cube.exact(subject, j), p)) > Fraction(1, 10**7):
                power = f"the power p = {p:.6g} that pairs ask for"
                text = f"three items without a common class interact in {power}"
                return Finding("refuted", text, tried, cube.example(subject, j))
    return p


def _fitting(subject: Subject, stacks: list[Corners]) -> Iterator[tuple[Corners, int, float]]:
    """Tables whose scores fit one exponent, and which: those where both items move the score."""
    for stack in stacks:
        f = stack.scores
        moved = (np.abs(f[..., 1] - f[..., 0]) > SAME) & (np.abs(f[..., 2] - f[..., 0]) > SAME)
        positive = np.isfinite(f).all(axis=-1) & (f.min(axis=-1) > 0)
        for i in np.flatnonzero(moved & positive)[:20]:
            p = _exponent(stack.exact(subject, i))
            if p is not None:
                yield stack, int(i), p


def _exponent(f: list[Fraction]) -> float | None:
    """The exponent that fits four scores, as a short number if it is one."""
    p = solved(f)
    if p is None:
        return None
    short = round(p, 9) + 0.0  # without the sign of a zero
    return short if abs(short - p) < 1e-10 else p


def _breaks(f: list[Fraction], p: float) -> bool:
    """Whether the scores certainly rule the exponent out."""
    if p in SIMPLE:
        return abs(excess(f, p)) > Fraction(1, 10**25)
    q = solved(f)  # an exponent found by approximation is known to so many digits only
    return abs(excess(f, p)) > Fraction(1, 10**7) and (q is None or abs(q - p) > 1e-6)


def _skewed(subject: Subject, stacks: list[Corners], seed: int) -> Iterator[Corners]:
    """Tables with counts from 1 to a million, to be scored in fractions."""
    for stack in stacks:
        k = stack.cells.shape[-1]
        rng = np.random.default_rng([seed, k, 2])
        cells = np.floor(np.exp(rng.uniform(0, 14, (SKEWED, k, k)))).astype(np.int64)
        cells[:, 0, 0] = 10**6
        yield Corners.add(subject, cells, stack.places)

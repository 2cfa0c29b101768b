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
from functools import cache, cached_property
from itertools import compress, product
from typing import Any

import numpy as np

from evenhand.properties.exact import TINY, logarithm, power
from evenhand.properties.search import (
    Example,
    Finding,
    Place,
    Rule,
    Search,
    TriedTables,
    adding,
    first_broken,
    renaming,
    search_of,
)
from evenhand.properties.subject import Cells, Floats, Subject

METHOD = (
    "classes renamed; interactions of cells without a common class on all small tables, random "
    "larger ones and, in exact fractions, skewed ones"
)
SAME = 1e-9
SKEWED = 12
"""Tables of k classes on which an exponent is checked in exact fractions."""
DISJOINT = (((0, 0), (1, 1)), ((1, 1), (2, 0)), ((0, 0), (1, 2)), ((0, 1), (2, 3)))
"""Pairs of cells without a common class, one of each kind."""
TRIPLES = (((0, 1), (1, 2), (2, 0)), ((0, 1), (1, 2), (0, 2)))
"""Cells without a class in common to all three."""
SIMPLE = (1.0, 0.0, -1.0, 2.0, -2.0, 0.5, -0.5, 3.0, -3.0, 4.0, -4.0)
SIGNS = {4: (1, -1, -1, 1), 8: (-1, 1, 1, -1, 1, -1, -1, 1)}
"""Signs of the corners f00, f10, f01, f11 of a square, and of a cube in the same order."""


def contradicts(f: Cells, same: Any) -> Cells:
    """Where no finite exponent fits: an item's effect changes its sign with the other item.

    ``f`` has f00, f10, f01, f11 on its last axis. An effect that vanishes in one case only is
    a contradiction as well. Scores of 0 say nothing: where p ≤ 0, one class at 0 decides alone.
    """
    effects = [f[..., b] - f[..., a] for a, b in ((0, 1), (2, 3), (0, 2), (1, 3))]
    sign = [np.where(np.abs(x) > same, np.sign(x), 0) for x in effects]
    known = ((np.abs(f) < math.inf) & (np.abs(f) > same)).all(axis=-1)
    return np.asarray(known & ((sign[0] != sign[1]) | (sign[2] != sign[3])))


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
    f = np.where(np.abs(f) < 1e-14, 0.0, f)  # what rounding leaves of 0 is no score
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
        short = round(float(root), 9) + 0.0  # without the sign of a zero
        return short if abs(short - root) < 1e-10 else float(root)
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


@cache
def corners(*items: Place) -> Rule:
    """Tables with none, some and all of the items; of two, the signs of effects must stay."""
    some = product((False, True), repeat=len(items))
    return Rule("", tuple(adding(*compress(items, reversed(s))) for s in some), contradicts)


def squares(k: int) -> list[Rule]:
    """The pairs of items that tables of k classes have places for."""
    return [corners(*pair) for pair in DISJOINT if np.max(pair) < k]


@dataclass(frozen=True, eq=False)
class Corners:
    """Tables, and their scores with every combination of some items added."""

    search: Search
    rule: Rule

    @cached_property
    def scores(self) -> Floats:
        """The scores, tables × combinations."""
        return self.search.scores(self.rule)

    def example(self, i: int) -> Example:
        """One of the tables, for a reader."""
        return self.rule.example(self.search.subject, self.search.cells[i])

    def exact(self, i: int) -> list[Fraction] | None:
        """The scores of one of the tables as fractions, if there are any."""
        return self.search.subject.exact(self.rule.tables(self.search.cells[i]))

    def nearly_exact(self, i: int) -> list[Fraction]:
        """The same, from floats if need be."""
        return self.exact(i) or [Fraction(float(v)) for v in self.scores[i]]

    def suspects(self, p: float) -> list[int]:
        """Tables whose scores do not seem to fit the exponent, ten at most."""
        usable = (p == 1) | (self.scores.min(axis=-1) > 0)
        return list(map(int, np.flatnonzero(usable & (residual(self.scores, p) > SAME))[:10]))

    def exponents(self) -> Iterator[tuple[int, float]]:
        """Tables whose scores fit one exponent, and which: those that both items move."""
        f = self.scores
        moved = (np.abs(f[..., 1] - f[..., 0]) > SAME) & (np.abs(f[..., 2] - f[..., 0]) > SAME)
        positive = np.isfinite(f).all(axis=-1) & (f.min(axis=-1) > 0)
        for i in np.flatnonzero(moved & positive)[:20].tolist():
            if (p := solved(self.nearly_exact(i))) is not None:
                yield i, p


def decomposability(subject: Subject, classes: tuple[int, ...], seed: int) -> Finding:
    """Look for a proof that the scores are no mean over classes."""
    for k in classes:
        if (renamed := renaming(subject, k)) is not None:
            text = f"renaming the classes changes it: {renamed[0].shown} → {renamed[1].shown}"
            return Finding("refuted", text, TriedTables(2, (k,), METHOD), renamed)
    tried, broken = first_broken(subject, classes, seed, METHOD, squares)
    searches = [search_of(subject, k, seed) for k in classes]
    pairs = [Corners(s, rule) for s in searches for rule in squares(s.cells.shape[-1])]
    finite = [pair.scores[np.isfinite(pair.scores).all(axis=-1)] for pair in pairs]
    smallest, largest = np.all([[e.all() for e in extreme(f, SAME)] for f in finite], axis=0)
    exponent = -math.inf if smallest else math.inf if largest else None
    if broken is not None and exponent is None:
        return _refuted_by_sign(broken[1], pairs, tried)
    first = next(((pair, i, p) for pair in pairs for i, p in pair.exponents()), None)
    if broken is None and first is not None:
        exponent = first[-1]
        if (misfit := _misfit(pairs, *first, seed)) is not None:
            return Finding("refuted", misfit[0], tried, misfit[1])
    mean = None if exponent is None else named(exponent)
    fits = "" if mean is None else f": all scores fit the {mean} over classes"
    text = f"no interaction found between cells without a common class{fits}"
    return Finding("not refuted", text, tried, detail={"exponent": exponent, "mean": mean})


def _refuted_by_sign(example: Example, pairs: list[Corners], tried: TriedTables) -> Finding:
    """One item's effect changes its sign with another item: four scores; where a smallest or
    largest value still fits them, four more that it does not.
    """
    start, one, other, both = example
    effects = (one.score - start.score, both.score - other.score)
    first, second = (np.sign(d) if abs(d) > SAME else 0 for d in effects)
    if first == second:
        one, other = other, one  # so that an item's effect differs from pair to pair
    text = "it is no mean over classes, whatever the exponent: an item's effect depends on an item "
    text += f"of other classes, {start.shown} → {one.shown} but {other.shown} → {both.shown}"
    example = start, one, other, both
    for end, fits in enumerate(extreme(np.array([s.score for s in example]), SAME)):
        if fits:
            unfit = ((p, np.flatnonzero(~extreme(p.scores, SAME)[end])) for p in pairs)
            example += next((p.example(int(at[0])) for p, at in unfit if len(at)), ())
    return Finding("refuted", text, tried, example)


def _misfit(
    pairs: list[Corners], first: Corners, i: int, p: float, seed: int
) -> tuple[str, Example] | None:
    """Tables that do not fit the exponent of the first, and why, if there are any."""
    skewed = [Corners(_skewed(pair.search, seed), pair.rule) for pair in pairs]
    tables = [(pair, j) for pair in pairs for j in pair.suspects(p)]
    for pair, j in (*tables, *product(skewed, range(SKEWED))):
        if not np.isfinite(pair.scores[j]).all():
            continue
        scores = pair.nearly_exact(j)
        # without fractions, only a difference that floats can tell counts
        clear = pair.exact(j) or residual(pair.scores, p)[j] > 1e-7
        if clear and _breaks(scores, p):
            q = solved(scores)
            another = "none at all" if q is None else f"p = {q:.6g}"
            text = "no one exponent fits: for the scores to be a mean over classes, one table asks "
            text += f"for p = {p:.6g}, another for {another}"
            return text, (*first.example(i), *pair.example(j))
    searches = dict.fromkeys(pair.search for pair in pairs if pair.search.cells.shape[-1] > 2)
    for search, triple in product(searches, TRIPLES):
        cube = Corners(search, corners(*triple))
        for j in cube.suspects(p):
            if abs(excess(cube.nearly_exact(j), p)) > Fraction(1, 10**7):
                power_of_pairs = f"the power p = {p:.6g} that pairs ask for"
                text = f"three items without a common class interact in {power_of_pairs}"
                return text, cube.example(j)
    return None


def _breaks(f: list[Fraction], p: float) -> bool:
    """Whether the scores certainly rule the exponent out."""
    if p in SIMPLE:
        return abs(excess(f, p)) > Fraction(1, 10**25)
    q = solved(f)  # an exponent found by approximation is known to so many digits only
    return abs(excess(f, p)) > Fraction(1, 10**7) and (q is None or abs(q - p) > 1e-6)


def _skewed(search: Search, seed: int) -> Search:
    """Tables with counts from 1 to a million, to be scored in fractions."""
    k = search.cells.shape[-1]
    rng = np.random.default_rng([seed, k, 2])
    cells = np.floor(np.exp(rng.uniform(0, 14, (SKEWED, k, k)))).astype(np.int64)
    cells[:, 0, 0] = 10**6
    return Search(search.subject, cells)

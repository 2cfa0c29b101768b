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

import numpy as np

from evenhand.properties.exponent import (
    NICE,
    contradicts,
    excess,
    extreme,
    named,
    residual,
    sign_differs,
    solved,
)
from evenhand.properties.finding import Finding, Scored, Tried
from evenhand.properties.search import (
    SMALL,
    Place,
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
"""Tables of k classes on which an exponent is held against exact fractions."""
TRIPLES = (((0, 1), (1, 2), (2, 0)), ((0, 1), (1, 2), (0, 2)))


@dataclass(frozen=True, eq=False)
class Corners:
    """A stack of tables, and cells to add an item to: the scores of every combination."""

    cells: Cells
    places: tuple[Place, ...]
    scores: Floats

    @classmethod
    def of(cls, subject: Subject, cells: Cells, places: tuple[Place, ...]) -> Corners:
        """The scores of every table with none, some and all of the items added."""
        scores = np.stack([subject(m) for _, m in _corners(cells, places)], axis=-1)
        return cls(cells, places, scores)

    def example(self, subject: Subject, i: int) -> tuple[Scored, ...]:
        """One table of the stack, for a reader."""
        return scored(subject, *_corners(self.cells[i], self.places))

    def exact(self, subject: Subject, i: int) -> list[Fraction]:
        """Its scores as fractions, of floats if need be."""
        return subject.exact(self.tables(i)) or [Fraction(float(v)) for v in self.scores[i]]

    def tables(self, i: int) -> Cells:
        """One table of the stack with none, some and all of the items added."""
        return np.stack([m for _, m in _corners(self.cells[i], self.places)])


def _corners(cells: Cells, places: tuple[Place, ...]) -> Iterator[tuple[str, Cells]]:
    for chosen in product((False, True), repeat=len(places)):
        added = [p for p, c in zip(places, reversed(chosen), strict=True) if c]
        what = "; ".join(item_at(p) for p in added) or "before"
        yield what, one_more(cells, *added)


def decomposability(subject: Subject, classes: tuple[int, ...], seed: int) -> Finding:
    """Look for a proof that no mean over classes can be behind the scores."""
    for k in classes:
        pair = renaming(subject, k)
        if pair is not None:
            example = scored(subject, ("before", pair[0]), ("classes renamed", pair[1]))
            text = f"renaming the classes changes it: {example[0].shown} → {example[1].shown}"
            return Finding("refuted", text, Tried(2, (k,), METHOD), example)
    stacks = [
        Corners.of(subject, tables_for(subject, k, seed), places)
        for k in classes
        for places in _apart(k)
    ]
    tried = Tried(sum(s.scores.size for s in stacks), classes, METHOD)
    ends = {p for p in (-math.inf, math.inf) if all(_fits_end(s.scores, p) for s in stacks)}
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
        found = _by_power(subject, stacks, seed, tried)
        if isinstance(found, Finding):
            return found
        exponent = found if found is not None else exponent
    fits = "" if exponent is None else f": all scores fit the {named(exponent)} over classes"
    return Finding(
        "not refuted",
        f"no interaction found between cells without a common class{fits}",
        tried,
        detail={"exponent": exponent, "mean": None if exponent is None else named(exponent)},
    )


def _apart(k: int) -> list[tuple[Place, ...]]:
    """Pairs of cells without a common class, one of each kind."""
    pairs: list[tuple[Place, ...]] = [((0, 0), (1, 1))]
    if k > 2:
        pairs += [((1, 1), (2, 0)), ((0, 0), (1, 2))]
    if k > 3:
        pairs += [((0, 1), (2, 3))]
    return pairs


def _fits_end(f: Floats, p: float) -> bool:
    known = f[np.isfinite(f).all(axis=-1)]
    return bool(extreme(known, SAME)[p > 0].all())


def _by_sign(subject: Subject, stacks: list[Corners]) -> tuple[Scored, ...] | None:
    """The smallest table where one item's effect has another sign beside another item.

    Four scores; where a smallest or largest value would still fit them, four more against that.
    """
    best: tuple[tuple[bool, int, int], Corners] | None = None
    for stack in stacks:
        odd = np.flatnonzero(contradicts(stack.scores, SAME) & _is_small(stack.cells))
        for i in odd[:4]:
            if sign_differs(stack.exact(subject, i)):
                m = stack.cells[i]
                size = (not bool(proper(m)), m.shape[-1], int(m.sum()))
                if best is None or size < best[0]:
                    best = size, Corners.of(subject, m[None], stack.places)
                break
    for stack in stacks if best is None else ():
        for i in np.flatnonzero(contradicts(stack.scores, SAME))[:1]:
            at = stack.places
            if sign_differs(stack.exact(subject, i)):
                m = shrunk(stack.cells[i], partial(_still_odd, subject, places=at))
                best = (False, 0, 0), Corners.of(subject, m[None], at)
    if best is None:
        return None
    example = _turned(best[1].example(subject, 0))
    for high in (False, True):
        if extreme(best[1].scores, SAME)[high][0]:
            example += _against_end(subject, stacks, high)
    return example


def _is_small(cells: Cells) -> Cells:
    return np.asarray(cells.sum(axis=(1, 2)) <= max(SMALL.values()))


def _against_end(subject: Subject, stacks: list[Corners], high: bool) -> tuple[Scored, ...]:
    """The first table that is no smallest, or no largest, value over classes."""
    for stack in stacks:
        for i in np.flatnonzero(~extreme(stack.scores, SAME)[high])[:1]:
            return stack.example(subject, int(i))
    return ()


def _turned(four: tuple[Scored, ...]) -> tuple[Scored, ...]:
    """The four tables so that the first pair and the second differ in what the item does."""
    s = [x.score for x in four]
    if np.sign(_flat(s[1] - s[0])) != np.sign(_flat(s[3] - s[2])):
        return four
    return (four[0], four[2], four[1], four[3])


def _flat(x: float) -> float:
    return x if abs(x) > SAME else 0.0


def _still_odd(subject: Subject, m: Cells, places: tuple[Place, ...]) -> bool:
    if not len(domain(subject, m[None])):
        return False
    four = Corners.of(subject, m[None], places)
    return bool(contradicts(four.scores, SAME)[0]) and sign_differs(four.exact(subject, 0))


def _by_power(
    subject: Subject, stacks: list[Corners], seed: int, tried: Tried
) -> float | Finding | None:
    """The exponent that all tables agree on, or the tables that do not agree."""
    first = next(_asking(subject, stacks), None)
    if first is None:
        return None
    p = first[2]
    for other in (*stacks, *_skewed(subject, stacks, seed)):
        f = other.scores
        usable = np.isfinite(f).all(axis=-1) & ((p == 1) | (f.min(axis=-1) > 0))
        suspects = np.flatnonzero(usable & (residual(f, p) > SAME))
        checked = range(len(f)) if other.cells.max() > 10**5 else suspects[:10]
        for j in checked:
            exact = other.exact(subject, int(j))
            if _breaks(exact, p) and _sure(subject, other, int(j), p):
                return _disagree(subject, first, (other, int(j), _exponent(exact)), tried)
    for k in sorted({s.cells.shape[-1] for s in stacks if s.cells.shape[-1] > 2}):
        for triple in TRIPLES:
            cube = Corners.of(subject, tables_for(subject, k, seed), triple)
            suspects = np.flatnonzero(
                ((p == 1) | (cube.scores.min(axis=-1) > 0)) & (residual(cube.scores, p) > SAME)
            )
            for j in suspects[:10]:
                if abs(excess(cube.exact(subject, int(j)), p)) > Fraction(1, 10**7):
                    return _three_together(subject, cube, int(j), p, tried)
    return p


def _asking(subject: Subject, stacks: list[Corners]) -> Iterator[tuple[Corners, int, float]]:
    """Tables whose scores ask for an exponent, and which."""
    for stack in stacks:
        for i in np.flatnonzero(_informative(stack.scores))[:20]:
            p = _exponent(stack.exact(subject, i))
            if p is not None:
                yield stack, int(i), p


def _sure(subject: Subject, corners: Corners, i: int, p: float) -> bool:
    """Without fractions to go by, only a difference that floats can tell counts."""
    is_exact = subject.exact(corners.tables(i)) is not None
    return is_exact or bool(residual(corners.scores, p)[i] > 1e-7)


def _informative(f: Floats) -> Cells:
    """Where both items move a positive score."""
    moved = (np.abs(f[..., 1] - f[..., 0]) > SAME) & (np.abs(f[..., 2] - f[..., 0]) > SAME)
    return np.asarray(moved & np.isfinite(f).all(axis=-1) & (f.min(axis=-1) > 0))


def _exponent(f: list[Fraction]) -> float | None:
    """The exponent that four scores ask for, as a short number if it is one."""
    p = solved(f)
    if p is None:
        return None
    short = round(p, 9) + 0.0  # without the sign of a zero
    return short if abs(short - p) < 1e-10 else p


def _breaks(f: list[Fraction], p: float) -> bool:
    """Whether the scores certainly rule the exponent out."""
    if p in NICE:
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
        yield Corners.of(subject, cells, stack.places)


def _disagree(
    subject: Subject,
    one: tuple[Corners, int, float],
    two: tuple[Corners, int, float | None],
    tried: Tried,
) -> Finding:
    (a, i, p), (b, j, q) = one, two
    asks = "none at all" if q is None else f"p = {q:.6g}"
    text = (
        f"no one exponent fits: for the scores to be a mean over classes, one table asks for "
        f"p = {p:.6g}, another for {asks}"
    )
    example = (*a.example(subject, i), *b.example(subject, j))
    return Finding("refuted", text, tried, example)


def _three_together(subject: Subject, cube: Corners, i: int, p: float, tried: Tried) -> Finding:
    text = (
        f"three items without a common class interact in the power p = {p:.6g} that pairs ask for"
    )
    return Finding("refuted", text, tried, cube.example(subject, i))

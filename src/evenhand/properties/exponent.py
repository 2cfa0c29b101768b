"""Which exponent of a generalised mean some scores allow.

If a metric is a generalised mean over classes, then some power of it is a sum over classes. Two
cells that share no class touch different terms of the sum, so adding an item to one changes that
power by the same amount whether or not an item was added to the other:
f11ᵖ − f10ᵖ − f01ᵖ + f00ᵖ = 0, with the logarithm in the place of the power for p = 0.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from evenhand.properties.exact import TINY, logarithm, power
from evenhand.properties.subject import Cells

NICE = (1.0, 0.0, -1.0, 2.0, -2.0, 0.5, -0.5, 3.0, -3.0, 4.0, -4.0)
SIGNS = {4: (1, -1, -1, 1), 8: (-1, 1, 1, -1, 1, -1, -1, 1)}
"""Signs of the corners f00, f10, f01, f11 of a square, and of a cube in the like order."""


def contradicts(f: Cells, same: float) -> Cells:
    """Where no finite exponent can be: one item's effect changes its sign beside the other.

    ``f`` has f00, f10, f01, f11 on its last axis. An effect that vanishes in one case only is
    a contradiction as well. Scores of 0 say nothing: where p ≤ 0, one class at 0 decides alone.
    """
    effects = [f[..., b] - f[..., a] for a, b in ((0, 1), (2, 3), (0, 2), (1, 3))]
    sign = [np.where(np.abs(x) > same, np.sign(x), 0) for x in effects]
    known = (np.isfinite(f) & (np.abs(f) > same)).all(axis=-1)
    return np.asarray(known & ((sign[0] != sign[1]) | (sign[2] != sign[3])))


def sign_differs(f: list[Fraction]) -> bool:
    """The same of exact scores."""
    sign = [(d > TINY) - (d < -TINY) for d in (f[1] - f[0], f[3] - f[2], f[2] - f[0], f[3] - f[1])]
    return sign[0] != sign[1] or sign[2] != sign[3]


def extreme(f: Cells, same: float) -> tuple[Cells, Cells]:
    """Where four scores could be those of a smallest, and of a largest, of class values."""
    square = f.reshape(*f.shape[:-1], 2, 2)
    found = []
    for end in (square.min(axis=(-1, -2), keepdims=True), square.max(axis=(-1, -2), keepdims=True)):
        at = np.abs(square - end) <= same  # the extreme one decides a whole row or column
        found.append(at.all(axis=-1).any(axis=-1) | at.all(axis=-2).any(axis=-1))
    return found[0], found[1]


def residual(f: Cells, p: float) -> Cells:
    """How far the signed sum of fᵖ is from 0, as a share of its largest term; 0 if undefined."""
    signs = np.array(SIGNS[f.shape[-1]])
    with np.errstate(all="ignore"):
        if p == 1:
            x = f / np.abs(f).max(axis=-1, keepdims=True)
        elif p == 0:
            x = np.log(f)
        else:
            x = (
                f / (f.max(axis=-1, keepdims=True) if p > 0 else f.min(axis=-1, keepdims=True))
            ) ** p
        out = np.abs((signs * x).sum(axis=-1))
    return np.where(np.isfinite(out), out, 0.0)


def excess(f: list[Fraction], p: float) -> Fraction:
    """The signed sum of fᵖ, exact for whole p; for p = 0 of logarithms."""
    if p <= 0 and min(f) <= 0:
        return Fraction(0)  # such a mean is 0 whatever the others do: nothing to learn
    if p == 0:
        y = [logarithm(v) for v in f]
    elif p == int(p):
        top = max(map(abs, f)) or Fraction(1)
        y = [(v / top) ** int(p) for v in f]
    else:
        y = [power(v, p) for v in f]
    return sum((s * v for s, v in zip(SIGNS[len(f)], y, strict=True)), Fraction(0))


def solved(f: list[Fraction]) -> float | None:
    """The exponent that four scores ≥ 0 ask for, to about twelve digits; ``None`` if none.

    Where both items move the score the same way in either case, there is at most one beside the
    trivial 0 (the signed sum of powers changes its sign at most twice).
    """
    if min(f) < 0 or max(f) == 0:
        return None
    for p in NICE:
        if (p > 0 or min(f) > 0) and abs(excess(f, p)) < TINY:
            return p
    grid = np.concatenate([np.linspace(-60, -0.05, 600), np.linspace(0.05, 60, 600)])
    if min(f) == 0:
        grid = grid[grid > 0]
    y = _slope(f, grid)

    def at(p: float) -> float:
        return float(_slope(f, np.array([p]))[0])

    for i in np.flatnonzero(np.sign(y[:-1]) * np.sign(y[1:]) < 0):
        low, high = float(grid[i]), float(grid[i + 1])
        for _ in range(50):
            middle = (low + high) / 2
            same = (at(middle) > 0) == (at(low) > 0)
            low, high = (middle, high) if same else (low, middle)
        return (low + high) / 2
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

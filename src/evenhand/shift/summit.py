"""Summit: the last steps to the top of a likelihood over the simplex, and the proof of arrival.

EM slows down without end where a share goes to 0; an interior-point method does not. Over x ≥ 0
the top of Σ q·log(xR) − Σx has Σx = 1 by itself, so that positivity is the only constraint (Kim,
Carbonetto, Stephens & Anitescu 2020).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from evenhand.core.ratio import ratio
from evenhand.infer.design import Floats

TOP = 1e-12
"""Log-likelihood an item that the top may be missed by: shares are right to about its root."""
NEAR_TOP = 1e-7
"""The same for draws, of which only the spread is read."""
WORK = 5_000_000_000
"""Products a step, all problems together, up to which every problem is taken to the top."""
NUMBERS = 1 << 22
"""Rates of several problems worked on at a time: it bounds memory."""

INSIDE = 0.995
"""How much of the way to the edge of the simplex one step may go."""

STEPS = 100
"""Newton's steps at most."""


def shortfall(rates: Floats, shares: Floats, mix: Floats) -> Floats:
    """The log-likelihood (per item) that a mix can lack at most of the largest: max slope − 1.

    The likelihood is concave, so its slopes Σ_j q_j·R_ij/(πR)_j bound what any other mix gains;
    they are at most 1, and 1 where a share is positive, exactly at the top (Karush, Kuhn, Tucker).
    Problems are B × k × columns, B × columns and B × k.

    >>> rates, seen = np.array([[[0.8, 0.2], [0.1, 0.9]]]), np.array([[0.05, 0.95]])
    >>> [float(shortfall(rates, seen, np.array([m]))[0].round(6)) for m in ([0, 1.0], [0.1, 0.9])]
    [0.0, 0.059532]
    """
    share = _known(rates, shares)
    return np.asarray(_slopes(rates, share, mix).max(axis=-1) - share.sum(axis=-1))


def affordable(problems: int, k: int, columns: int) -> bool:
    """Whether time and memory allow to take so many problems to the top."""
    return problems * k * k * columns <= WORK and k * columns <= WORK // 100


def taken_up(
    rates: Callable[[slice], Floats], shares: Floats, mixes: Floats, *, lack: float
) -> Floats:
    """Mixes that EM left on the way, at the top as far as that can be afforded.

    ``rates`` makes those of some of the problems: all at once may not fit.
    """
    problems, columns = shares.shape
    k = mixes.shape[1]
    if not affordable(problems, k, columns):
        return mixes
    each = max(1, NUMBERS // (k * columns))
    parts = [slice(i, i + each) for i in range(0, problems, each)]
    return np.concatenate(
        [summit(rates(p), shares[p], mixes[p], tolerance=lack) for p in parts] or [mixes]
    )


def summit(rates: Floats, shares: Floats, mix: Floats, *, tolerance: float) -> Floats:
    """Mixes at the top, from mixes on the way: Newton's steps on slopes and edges together.

    Each problem steps until its :func:`shortfall` is below the tolerance, and keeps the better
    of what it came with and what it found.
    """
    k = rates.shape[-2]
    share = _known(rates, shares)
    best, lack = mix.copy(), shortfall(rates, shares, mix)
    at = np.flatnonzero(lack > tolerance)
    x = 0.9 * mix[at] + 0.1 / k
    edge = np.full_like(x, 1.0)  # what is missing of a slope of 1, where a share is 0
    for _ in range(STEPS):
        if not at.size:
            break
        rate, seen = rates[at], share[at]
        aim = 0.1 * (x * edge).mean(axis=1, keepdims=True)
        matrix = _bend(rate, seen, x) + _diagonal(edge / x + 1e-14)
        slope = _slopes(rate, seen, x) - 1 + aim / x
        step = np.linalg.solve(matrix, slope[..., None])[..., 0]
        turn = (aim - edge * step) / x - edge
        x = x + _room(x, step) * step
        edge = edge + _room(edge, turn) * turn
        found = x / x.sum(axis=1, keepdims=True)
        left = shortfall(rate, seen, found)
        better = left < lack[at]
        best[at[better]], lack[at[better]] = found[better], left[better]
        going = (lack[at] > tolerance) & np.isfinite(x).all(axis=1)
        at, x, edge = at[going], x[going], edge[going]
    return best


def _known(rates: Floats, shares: Floats) -> Floats:
    """Shares of the predictions that some class makes; what no class makes says nothing."""
    share = np.where(rates.any(axis=-2), shares, 0.0)
    return np.asarray(ratio(share, share.sum(axis=-1, keepdims=True)))


def _slopes(rates: Floats, share: Floats, x: Floats) -> Floats:
    """Slopes of the log-likelihood in the shares of the classes."""
    return np.asarray((rates @ _over(share, x, rates)[..., None])[..., 0])


def _bend(rates: Floats, share: Floats, x: Floats) -> Floats:
    """Minus the second derivatives, Σ_j q_j·R_ij·R_lj/(πR)_j²."""
    half = rates * _over(np.sqrt(share), x, rates)[:, None]
    return np.asarray(half @ np.swapaxes(half, -1, -2))


def _over(share: Floats, x: Floats, rates: Floats) -> Floats:
    expected = (x[:, None] @ rates)[:, 0]
    return np.asarray(np.divide(share, expected, out=np.zeros_like(share), where=expected > 0))


def _diagonal(x: Floats) -> Floats:
    return np.asarray(x[..., None] * np.eye(x.shape[-1]))


def _room(x: Floats, step: Floats) -> Floats:
    """The part of a step that leaves everything positive."""
    with np.errstate(divide="ignore", invalid="ignore"):
        most = np.where(step < 0, -INSIDE * x / step, np.inf).min(axis=1, keepdims=True)
    return np.asarray(np.minimum(most, 1.0))

"""I. Monotonicity: a right prediction never makes the score worse, a wrong one never better."""

from __future__ import annotations

from functools import partial

import numpy as np

from evenhand.core.gradient import gradient
from evenhand.properties.finding import Finding, Tried
from evenhand.properties.search import (
    SAME,
    Place,
    above,
    certain,
    domain,
    item_at,
    one_more,
    places,
    scattered_tables,
    scored,
    shrunk,
    tables_for,
)
from evenhand.properties.subject import Cells, Subject

METHOD = (
    "one item added to each cell of all small tables, of random larger ones, and where a "
    "derivative has the wrong sign"
)


def monotonicity(subject: Subject, classes: tuple[int, ...], seed: int) -> Finding:
    """Look for a hit that makes the score worse or an error that makes it better."""
    tables, spared = 0, []
    for k in classes:
        cells = tables_for(subject, k, seed, empty=True)
        tables += len(cells) * k * k
        found = _first(subject, cells) or _by_slope(subject, k, seed)
        if found is None:
            spared.append(k)
            continue
        m, at = found
        example = scored(subject, ("before", m), (item_at(at), one_more(m, at)))
        others = ", ".join(map(str, spared))
        also = f"; no such table was found for {others} classes" if spared else ""
        lowers = (at[0] == at[1]) == (subject.sign > 0)
        kind = f"more {'hit' if at[0] == at[1] else 'error'} {'lowers' if lowers else 'raises'}"
        return Finding(
            "refuted",
            f"one {kind} it: {example[0].shown} → {example[1].shown}{also}",
            Tried(tables, classes[: len(spared) + 1], METHOD),
            example,
            detail={"monotone_for": spared},
        )
    return Finding("not refuted", "no such item found", Tried(tables, classes, METHOD))


def _first(subject: Subject, cells: Cells) -> tuple[Cells, Place] | None:
    """The first table, in the order given, that breaks the rule, and the cell to add to."""
    k = cells.shape[-1]
    before = subject(cells)
    best: tuple[int, Place] | None = None
    for at in places(k):
        gained = subject.sign * (subject(one_more(cells, at)) - before)
        for i in np.flatnonzero(gained < -SAME if at[0] == at[1] else gained > SAME):
            if best is not None and i >= best[0]:
                break
            if _breaks(subject, cells[i], at):
                best = int(i), at
                break
    if best is None:
        return None
    m = shrunk(cells[best[0]], lambda x: _breaks(subject, x, best[1]))
    return m, best[1]


def _breaks(subject: Subject, m: Cells, at: Place) -> bool:
    """Whether one more item there certainly moves the score the wrong way.

    Calibration is to the classes that occur, so that one of them must be its true class.
    """
    if not len(domain(subject, m[None], empty=True)) or (subject.calibrate and not m[at[0]].any()):
        return False
    pair = np.stack([m, one_more(m, at)])
    before, after = subject(pair)
    hit = (at[0] == at[1]) == (subject.sign > 0)  # what must not lower the number
    if not (before - after > SAME if hit else after - before > SAME):
        return False
    return certain(subject, pair, lambda f: above(f[0], f[1]) if hit else above(f[1], f[0]))


def _by_slope(subject: Subject, k: int, seed: int) -> tuple[Cells, Place] | None:
    """Where a derivative has the wrong sign, a small enough step on a large table shows it."""
    if subject.calibrate or subject.of_matrix:
        return None
    cells = scattered_tables(k, seed + 1)
    try:
        slope = subject.sign * gradient(subject.function, subject.view(cells)).dense()[..., :-1]
    except Exception:  # a user's function need not be differentiable by complex steps
        return None
    scale = slope * cells.sum(axis=(1, 2))[:, None, None]
    wrong = np.where(np.eye(k, dtype=bool), -scale, scale)
    for i in np.argsort(-wrong.reshape(len(cells), -1).max(axis=1))[:20]:
        t, p = (int(x) for x in np.unravel_index(np.argmax(wrong[i]), (k, k)))
        for times in (1, 10, 100):
            if wrong[i, t, p] > 1e-9 and _breaks(subject, cells[i] * times, (t, p)):
                m = shrunk(cells[i] * times, partial(_breaks, subject, at=(t, p)))
                return m, (t, p)
    return None

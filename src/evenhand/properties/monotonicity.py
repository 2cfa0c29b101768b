"""I. Monotonicity, II. class sensitivity and IV. prevalence invariance."""

from __future__ import annotations

from functools import partial
from itertools import combinations

import numpy as np

from evenhand.core.derivatives import gradient
from evenhand.properties.exact import TINY
from evenhand.properties.search import (
    SAME,
    Finding,
    Place,
    ScoredTable,
    TriedTables,
    above,
    certain,
    differ,
    domain,
    first_confirmed,
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
        counterexample = _first(subject, cells) or _by_slope(subject, k, seed)
        if counterexample is None:
            spared.append(k)
            continue
        m, at = counterexample
        example = _with_items(subject, m, at)
        others = ", ".join(map(str, spared))
        also = f"; no such table was found for {others} classes" if spared else ""
        lowers = (at[0] == at[1]) == (subject.sign > 0)
        kind = f"more {'hit' if at[0] == at[1] else 'error'} {'lowers' if lowers else 'raises'}"
        return Finding(
            "refuted",
            f"one {kind} it: {example[0].shown} → {example[1].shown}{also}",
            TriedTables(tables, classes[: len(spared) + 1], METHOD),
            example,
            detail={"monotone_for": spared},
        )
    return Finding("not refuted", "no such item found", TriedTables(tables, classes, METHOD))


def _first(subject: Subject, cells: Cells) -> tuple[Cells, Place] | None:
    """The first table in order that breaks the rule, and the cell to add an item to."""
    before = subject(cells)

    def suspects(at: Place) -> Cells:
        gained = subject.sign * (subject(one_more(cells, at)) - before)
        return np.asarray(gained < -SAME if at[0] == at[1] else gained > SAME)

    candidates = ((at, suspects(at)) for at in places(cells.shape[-1]))
    first = first_confirmed(candidates, lambda at, i: _breaks(subject, cells[i], at))
    if first is None:
        return None
    at, i = first
    return shrunk(cells[i], partial(_breaks, subject, at=at)), at


def _breaks(subject: Subject, m: Cells, at: Place) -> bool:
    """Whether one more item there certainly moves the score the wrong way.

    Calibration is to the classes that occur, so that one of them must be its true class.
    """
    if not len(domain(subject, m[None], empty=True)) or (subject.calibrate and not m[at[0]].any()):
        return False
    pair = np.stack([m, one_more(m, at)])
    before, after = subject(pair)
    hit = (at[0] == at[1]) == (subject.sign > 0)  # which must not lower the score
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
    except Exception:  # a user's function need not be differentiable
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


# II. Class sensitivity: hits, or errors, of different classes can weigh differently.

SENSITIVITY_METHOD = (
    "one more hit of either class, one more error of either kind, on all small tables and "
    "random larger ones"
)


def sensitivity(subject: Subject, classes: tuple[int, ...], seed: int) -> Finding:
    """Look for two hits, or two errors, that change the score differently."""
    tables = 0
    for k in classes:
        cells = tables_for(subject, k, seed)
        tables += len(cells) * k * k
        after = {at: subject(one_more(cells, at)) for at in places(k)}
        candidates = (
            ((a, b), differ(after[a], after[b]))
            for a, b in combinations(places(k), 2)
            if (a[0] == a[1]) == (b[0] == b[1])
        )
        first = first_confirmed(candidates, partial(_weigh_differently, subject, cells))
        if first is not None:
            (a, b), i = first
            example = _with_items(subject, cells[i], a, b)
            kind = "hits" if a[0] == a[1] else "errors"
            return Finding(
                "shown",
                f"two {kind} weigh differently: {example[0].shown} → {example[1].shown} or "
                f"{example[2].shown}",
                TriedTables(tables, classes, SENSITIVITY_METHOD),
                example,
            )
    example = _equal_effects(subject, classes[0], seed)
    return Finding(
        "not shown",
        f"any hit, and any error, moves it alike, e.g. {example[0].shown} → {example[1].shown} "
        f"and {example[2].shown}",
        TriedTables(tables, classes, SENSITIVITY_METHOD),
        example,
    )


def _weigh_differently(subject: Subject, cells: Cells, pair: tuple[Place, Place], i: int) -> bool:
    """Whether one more item in either cell of a table certainly gives different scores."""
    tables = np.stack([one_more(cells[i], at) for at in pair])
    return certain(subject, tables, lambda f: abs(f[0] - f[1]) > TINY)


def _with_items(subject: Subject, m: Cells, *at: Place) -> tuple[ScoredTable, ...]:
    """A table, and the same with one more item in each of the cells in turn."""
    return scored(subject, ("before", m), *((item_at(x), one_more(m, x)) for x in at))


def _equal_effects(subject: Subject, k: int, seed: int) -> tuple[ScoredTable, ...]:
    """A table that a hit of either class moves in the same way."""
    cells = tables_for(subject, k, seed)
    unequal = np.flatnonzero(cells.sum(axis=-1).max(axis=-1) > cells.sum(axis=-1).min(axis=-1))
    m = cells[unequal[-1] if len(unequal) else 0]
    for i in unequal:  # the first where something moves
        if differ(subject(cells[i][None]), subject(one_more(cells[i], (0, 0))[None]))[0]:
            m = cells[i]
            break
    return _with_items(subject, m, (0, 0), (1, 1))


# IV. Prevalence invariance: the score stays when a class becomes more or less frequent.

INVARIANCE_METHOD = "one true row times 2, 3 and 1,000 in all small tables and random larger ones"
FACTORS = (2, 3, 1000)


def invariance(subject: Subject, classes: tuple[int, ...], seed: int) -> Finding:
    """Look for a true row whose scaling changes the score."""
    calibrated = subject.calibrated()
    after = None  # whether the calibrated metric passes the same search
    if calibrated is not None:
        stacks = (tables_for(calibrated, k, seed) for k in classes)
        after = all(_first_scaling(calibrated, cells) is None for cells in stacks)
    tables = 0
    for k in classes:
        cells = tables_for(subject, k, seed)
        tables += len(cells) * k * len(FACTORS)
        counterexample = _first_scaling(subject, cells)
        if counterexample is None:
            continue
        m, row, by = counterexample
        often = "twice" if by == 2 else f"{by:,} times"
        example = scored(subject, ("before", m), (f"true row {row} {often}", _scaled(m, row, by)))
        return Finding(
            "refuted",
            f"a class {often} as frequent changes it: {example[0].shown} → {example[1].shown}",
            TriedTables(tables, classes, INVARIANCE_METHOD),
            example,
            detail={"after_calibration": after},
        )
    return Finding(
        "not refuted",
        "no row whose scaling changes it was found",
        TriedTables(tables, classes, INVARIANCE_METHOD),
        detail={"after_calibration": after},
    )


def _first_scaling(subject: Subject, cells: Cells) -> tuple[Cells, int, int] | None:
    """The first table whose score changes with a row, that row and the factor."""
    before = subject(cells)
    candidates = (
        ((row, by), differ(before, subject(_scaled(cells, row, by))))
        for by in FACTORS
        for row in range(cells.shape[-1])
    )
    first = first_confirmed(candidates, lambda change, i: _moves(subject, cells[i], *change))
    if first is None:
        return None
    (row, by), i = first
    return shrunk(cells[i], lambda m: _moves(subject, m, row, by)), row, by


def _scaled(cells: Cells, row: int, by: int) -> Cells:
    scaled = cells.copy()
    scaled[..., row, :] *= by
    return scaled


def _moves(subject: Subject, m: Cells, row: int, by: int) -> bool:
    if not len(domain(subject, m[None])):
        return False
    pair = np.stack([m, _scaled(m, row, by)])
    values = subject(pair)
    if not differ(values[:1], values[1:])[0]:
        return False
    return certain(subject, pair, lambda f: abs(f[0] - f[1]) > TINY)

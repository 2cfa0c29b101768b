"""IV. Prevalence invariance: the score stays when a class becomes more or less frequent."""

from __future__ import annotations

import numpy as np

from evenhand.properties.exact import TINY
from evenhand.properties.finding import Finding, Tried
from evenhand.properties.search import certain, differ, domain, scored, shrunk, tables_for
from evenhand.properties.subject import Cells, Subject

METHOD = "one true row times 2, 3 and 1,000 in all small tables and random larger ones"
FACTORS = (2, 3, 1000)


def invariance(subject: Subject, classes: tuple[int, ...], seed: int) -> Finding:
    """Look for a true row whose scaling changes the score."""
    after = _after_calibration(subject, classes, seed)
    tables = 0
    for k in classes:
        cells = tables_for(subject, k, seed)
        tables += len(cells) * k * len(FACTORS)
        found = _first(subject, cells)
        if found is None:
            continue
        m, row, by = found
        often = "twice" if by == 2 else f"{by:,} times"
        example = scored(subject, ("before", m), (f"true row {row} {often}", _scaled(m, row, by)))
        return Finding(
            "refuted",
            f"a class {often} as frequent changes it: {example[0].shown} → {example[1].shown}",
            Tried(tables, classes, METHOD),
            example,
            detail={"after_calibration": after},
        )
    return Finding(
        "not refuted",
        "no row whose scaling changes it was found",
        Tried(tables, classes, METHOD),
        detail={"after_calibration": after},
    )


def _after_calibration(subject: Subject, classes: tuple[int, ...], seed: int) -> bool | None:
    """Whether the calibrated metric passes the same search; ``None`` if it is calibrated."""
    calibrated = subject.calibrated()
    if calibrated is None:
        return None
    return all(_first(calibrated, tables_for(calibrated, k, seed)) is None for k in classes)


def _first(subject: Subject, cells: Cells) -> tuple[Cells, int, int] | None:
    before = subject(cells)
    best: tuple[int, int, int] | None = None
    for by in FACTORS:
        for row in range(cells.shape[-1]):
            moved = differ(before, subject(_scaled(cells, row, by)))
            for i in np.flatnonzero(moved):
                if best is not None and i >= best[0]:
                    break
                if _moves(subject, cells[i], row, by):
                    best = int(i), row, by
                    break
    if best is None:
        return None
    first, row, by = best
    return shrunk(cells[first], lambda m: _moves(subject, m, row, by)), row, by


def _scaled(cells: Cells, row: int, by: int) -> Cells:
    out = cells.copy()
    out[..., row, :] *= by
    return out


def _moves(subject: Subject, m: Cells, row: int, by: int) -> bool:
    if not len(domain(subject, m[None])):
        return False
    pair = np.stack([m, _scaled(m, row, by)])
    values = subject(pair)
    if not differ(values[:1], values[1:])[0]:
        return False
    return certain(subject, pair, lambda f: abs(f[0] - f[1]) > TINY)

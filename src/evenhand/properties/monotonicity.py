"""I. Monotonicity, II. class sensitivity and IV. prevalence invariance."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np

from evenhand.properties.search import (
    BEFORE,
    SAME,
    Change,
    Finding,
    Place,
    Rule,
    ScoredTable,
    TriedTables,
    adding,
    differ,
    first_broken,
    places,
    tables_for,
)
from evenhand.properties.subject import Cells, Subject

METHOD = "one item added to each cell of all small tables and of random larger ones"


def monotonicity(subject: Subject, classes: tuple[int, ...], seed: int) -> Finding:
    """Look for a hit that makes the score worse or an error that makes it better."""

    def rules(k: int) -> dict[Place, Rule]:
        return {at: one_item(subject, at) for at in places(k)}

    tables, spared, broken = first_broken(subject, classes, seed, rules)
    if broken is None:
        return Finding("not refuted", "no such item found", TriedTables(tables, classes, METHOD))
    at, m = broken
    before, after = example = one_item(subject, at).example(subject, m)
    others = ", ".join(map(str, spared))
    also = f"; no such table was found for {others} classes" if spared else ""
    kind = "hit" if at[0] == at[1] else "error"
    does = "lowers" if after.score < before.score else "raises"
    text = f"one more {kind} {does} it: {before.shown} → {after.shown}{also}"
    tried = TriedTables(tables, classes[: len(spared) + 1], METHOD)
    return Finding("refuted", text, tried, example, detail={"monotone_for": spared})


def one_item(subject: Subject, at: Place) -> Rule:
    """One more hit makes the score no worse, one more error no better."""
    sign = subject.sign if at[0] == at[1] else -subject.sign

    def broken(scores: Cells, same: Any) -> Cells:
        return np.asarray(sign * (scores[..., 0] - scores[..., 1]) > same)

    return Rule((BEFORE, adding(at)), broken)


# II. Class sensitivity: hits, or errors, of different classes can weigh differently.

SENSITIVITY_METHOD = (
    "one more hit of either class, one more error of either kind, on all small tables and "
    "random larger ones"
)


def sensitivity(subject: Subject, classes: tuple[int, ...], seed: int) -> Finding:
    """Look for two hits, or two errors, that change the score differently."""

    def rules(k: int) -> dict[tuple[Place, Place], Rule]:
        pairs = combinations(places(k), 2)
        same_kind = ((a, b) for a, b in pairs if (a[0] == a[1]) == (b[0] == b[1]))
        return {(a, b): Rule((adding(a), adding(b)), differ) for a, b in same_kind}

    tables, _, broken = first_broken(subject, classes, seed, rules)
    tried = TriedTables(tables, classes, SENSITIVITY_METHOD)
    if broken is None:
        example = _equal_effects(subject, tables_for(subject, classes[0], seed))
        start, one, other = (s.shown for s in example)
        text = f"any hit, and any error, moves it alike, e.g. {start} → {one} and {other}"
        return Finding("not shown", text, tried, example)
    (a, b), m = broken
    example = _two_items(subject, m, a, b)
    start, one, other = (s.shown for s in example)
    kind = "hits" if a[0] == a[1] else "errors"
    text = f"two {kind} weigh differently: {start} → {one} or {other}"
    return Finding("shown", text, tried, example)


def _two_items(subject: Subject, m: Cells, a: Place, b: Place) -> tuple[ScoredTable, ...]:
    """A table, and the same with one more item in either cell."""
    return Rule((BEFORE, adding(a), adding(b)), differ).example(subject, m)


def _equal_effects(subject: Subject, cells: Cells) -> tuple[ScoredTable, ...]:
    """A table of unequal classes that a hit of either moves in the same way."""
    cells = cells[np.ptp(cells.sum(axis=-1), axis=-1) > 0]
    scores = np.stack([subject(cells), subject(adding((0, 0)).apply(cells))], axis=-1)
    moved = np.append(np.flatnonzero(differ(scores, SAME)), -1)
    return _two_items(subject, cells[moved[0]], (0, 0), (1, 1))


# IV. Prevalence invariance: the score stays when a class becomes more or less frequent.

INVARIANCE_METHOD = "one true row times 2, 3 and 1,000 in all small tables and random larger ones"
OFTEN = {2: "twice", 3: "3 times", 1000: "1,000 times"}


def invariance(subject: Subject, classes: tuple[int, ...], seed: int) -> Finding:
    """Look for a true row whose scaling changes the score."""

    def scaling(k: int) -> dict[tuple[int, int], Rule]:
        return {(row, by): _scaled_row(row, by) for by in OFTEN for row in range(k)}

    calibrated, passes = subject.calibrated(), None
    if calibrated is not None:
        passes = first_broken(calibrated, classes, seed, scaling)[-1] is None
    tables, _, broken = first_broken(subject, classes, seed, scaling)
    tried, detail = TriedTables(tables, classes, INVARIANCE_METHOD), {"after_calibration": passes}
    if broken is None:
        text = "no row whose scaling changes it was found"
        return Finding("not refuted", text, tried, detail=detail)
    (row, by), m = broken
    before, after = example = _scaled_row(row, by).example(subject, m)
    text = f"a class {OFTEN[by]} as frequent changes it: {before.shown} → {after.shown}"
    return Finding("refuted", text, tried, example, detail=detail)


def _scaled_row(row: int, by: int) -> Rule:
    """One true row as many times as large leaves the score."""

    def scaled(cells: Cells) -> Cells:
        return np.asarray(cells * np.where(np.arange(cells.shape[-1]) == row, by, 1)[:, None])

    return Rule((BEFORE, Change(f"true row {row} {OFTEN[by]}", scaled)), differ)

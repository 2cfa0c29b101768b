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
    counterexample,
    differ,
    places,
    tables_for,
)
from evenhand.properties.subject import Cells, Subject

METHOD = "one item added to each cell of all small tables and of random larger ones"


def monotonicity(subject: Subject, classes: tuple[int, ...], seed: int) -> Finding:
    """Look for a hit that makes the score worse or an error that makes it better."""
    tables, spared = 0, []
    for k in classes:
        cells = tables_for(subject, k, seed)
        tables += len(cells) * k * k
        rules = {at: one_item(subject, at) for at in places(k)}
        broken = counterexample(subject, cells, rules)
        if broken is None:
            spared.append(k)
            continue
        at, m = broken
        before, after = example = rules[at].example(subject, m)
        others = ", ".join(map(str, spared))
        also = f"; no such table was found for {others} classes" if spared else ""
        kind = "hit" if at[0] == at[1] else "error"
        does = "lowers" if after.score < before.score else "raises"
        return Finding(
            "refuted",
            f"one more {kind} {does} it: {before.shown} → {after.shown}{also}",
            TriedTables(tables, classes[: len(spared) + 1], METHOD),
            example,
            detail={"monotone_for": spared},
        )
    return Finding("not refuted", "no such item found", TriedTables(tables, classes, METHOD))


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
    tables = 0
    for k in classes:
        cells = tables_for(subject, k, seed)
        tables += len(cells) * k * k
        same_kind = (
            (a, b) for a, b in combinations(places(k), 2) if (a[0] == a[1]) == (b[0] == b[1])
        )
        rules = {(a, b): Rule((adding(a), adding(b)), differ) for a, b in same_kind}
        broken = counterexample(subject, cells, rules)
        if broken is not None:
            (a, b), m = broken
            example = _two_items(subject, m, a, b)
            kind = "hits" if a[0] == a[1] else "errors"
            return Finding(
                "shown",
                f"two {kind} weigh differently: {example[0].shown} → {example[1].shown} or "
                f"{example[2].shown}",
                TriedTables(tables, classes, SENSITIVITY_METHOD),
                example,
            )
    example = _equal_effects(subject, tables_for(subject, classes[0], seed))
    return Finding(
        "not shown",
        f"any hit, and any error, moves it alike, e.g. {example[0].shown} → {example[1].shown} "
        f"and {example[2].shown}",
        TriedTables(tables, classes, SENSITIVITY_METHOD),
        example,
    )


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
    calibrated, passes = subject.calibrated(), None
    if calibrated is not None:
        passes = all(_scaled_row(calibrated, k, seed)[1] is None for k in classes)
    tables = 0
    for k in classes:
        tried, broken = _scaled_row(subject, k, seed)
        tables += tried
        if broken is not None:
            often, (before, after) = broken
            text = f"a class {often} as frequent changes it: {before.shown} → {after.shown}"
            break
    else:
        text = "no row whose scaling changes it was found"
    return Finding(
        "not refuted" if broken is None else "refuted",
        text,
        TriedTables(tables, classes, INVARIANCE_METHOD),
        () if broken is None else broken[1],
        detail={"after_calibration": passes},
    )


def _scaled_row(
    subject: Subject, k: int, seed: int
) -> tuple[int, tuple[str, tuple[ScoredTable, ...]] | None]:
    """How many tables were tried, and the first whose score changes with a row, and how often."""

    def scaling(row: int, by: int) -> Rule:
        factors = np.where(np.arange(k) == row, by, 1)[:, None]
        change = Change(f"true row {row} {OFTEN[by]}", lambda cells: cells * factors)
        return Rule((BEFORE, change), differ)

    rules = {(row, by): scaling(row, by) for by in OFTEN for row in range(k)}
    cells = tables_for(subject, k, seed)
    broken = counterexample(subject, cells, rules)
    tried = len(cells) * len(rules)
    if broken is None:
        return tried, None
    key, m = broken
    return tried, (OFTEN[key[1]], rules[key].example(subject, m))

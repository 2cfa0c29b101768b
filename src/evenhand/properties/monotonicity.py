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
    adding,
    differ,
    first_broken,
    places,
    search_of,
)
from evenhand.properties.subject import Cells, Subject

METHOD = "one item added to each cell of all small tables and of random larger ones"


def monotonicity(subject: Subject, classes: tuple[int, ...], seed: int) -> Finding:
    """Look for a hit that makes the score worse or an error that makes it better."""

    def rule(at: Place) -> Rule:
        kind = "hit" if at[0] == at[1] else "error"
        sign = subject.sign if kind == "hit" else -subject.sign

        def worse(scores: Cells, same: Any) -> Cells:
            return np.asarray(sign * (scores[..., 0] - scores[..., 1]) > same)

        return Rule(kind, (BEFORE, adding(at)), worse)

    tried, broken = first_broken(
        subject, classes, seed, METHOD, lambda k: list(map(rule, places(k)))
    )
    if broken is None:
        return Finding("not refuted", "no such item found", tried)
    (of_kind, example), spared = broken, tried.classes[:-1]
    before, after = example
    does = "lowers" if after.score < before.score else "raises"
    text = f"one more {of_kind.kind} {does} it: {before.shown} → {after.shown}"
    if spared:
        text += f"; no such table was found for {', '.join(map(str, spared))} classes"
    return Finding("refuted", text, tried, example, detail={"monotone_for": list(spared)})


# II. Class sensitivity: hits, or errors, of different classes can weigh differently.

SENSITIVITY_METHOD = (
    "one more hit of either class, one more error of either kind, on all small tables and "
    "random larger ones"
)


def sensitivity(subject: Subject, classes: tuple[int, ...], seed: int) -> Finding:
    """Look for two hits, or two errors, that change the score differently."""

    def rules(k: int) -> list[Rule]:
        return [
            Rule("hits" if a[0] == a[1] else "errors", (BEFORE, adding(a), adding(b)), differ)
            for a, b in combinations(places(k), 2)
            if (a[0] == a[1]) == (b[0] == b[1])
        ]

    tried, broken = first_broken(subject, classes, seed, SENSITIVITY_METHOD, rules)
    if broken is not None:
        rule, example = broken
        start, one, other = (s.shown for s in example)
        text = f"two {rule.kind} weigh differently: {start} → {one} or {other}"
        return Finding("shown", text, tried, example)
    # a table of unequal classes that a hit of either moves in the same way
    search, two_hits = search_of(subject, classes[0], seed), rules(classes[0])[0]
    uneven = np.flatnonzero(np.ptp(search.cells.sum(axis=-1), axis=-1))
    moved = uneven[differ(search.scores(two_hits)[uneven, :2], SAME)]
    example = two_hits.example(subject, search.cells[[*moved, uneven[-1]][0]])
    start, one, other = (s.shown for s in example)
    text = f"any hit, and any error, moves it alike, e.g. {start} → {one} and {other}"
    return Finding("not shown", text, tried, example)


# IV. Prevalence invariance: the score stays when a class becomes more or less frequent.

INVARIANCE_METHOD = "one true row times 2, 3 and 1,000 in all small tables and random larger ones"
OFTEN = {2: "twice", 3: "3 times", 1000: "1,000 times"}


def invariance(subject: Subject, classes: tuple[int, ...], seed: int) -> Finding:
    """Look for a true row whose scaling changes the score."""

    def rules(k: int) -> list[Rule]:
        return [_scaled_row(row, by) for by in OFTEN for row in range(k)]

    calibrated, passes = subject.calibrated(), None
    if calibrated is not None:
        passes = first_broken(calibrated, classes, seed, INVARIANCE_METHOD, rules)[1] is None
    tried, broken = first_broken(subject, classes, seed, INVARIANCE_METHOD, rules)
    detail = {"after_calibration": passes}
    if broken is None:
        text = "no row whose scaling changes it was found"
        return Finding("not refuted", text, tried, detail=detail)
    rule, example = broken
    before, after = example
    text = f"a class {rule.kind} as frequent changes it: {before.shown} → {after.shown}"
    return Finding("refuted", text, tried, example, detail=detail)


def _scaled_row(row: int, by: int) -> Rule:
    """One true row as many times as large leaves the score."""

    def scaled(cells: Cells) -> Cells:
        return np.asarray(cells * np.where(np.arange(cells.shape[-1]) == row, by, 1)[:, None])

    return Rule(OFTEN[by], (BEFORE, Change(f"true row {row} {OFTEN[by]}", scaled)), differ)

"""I. Monotonicity, II. class sensitivity, IV. prevalence invariance and V. chance correction."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache, partial
from itertools import combinations, product
from typing import Any, NamedTuple

import numpy as np

from evenhand.properties.search import (
    BEFORE,
    SAME,
    Change,
    Finding,
    FindingDetail,
    Place,
    Rule,
    TriedTables,
    adding,
    differ,
    first_broken,
    places,
    renaming,
    scored,
    search_of,
    ways,
)
from evenhand.properties.subject import Cells, Floats, Subject
from evenhand.text import MINUS, number

MONOTONICITY_METHOD = "one item added to each cell of all small tables and of random larger ones"


def monotonicity(subject: Subject, classes: tuple[int, ...], seed: int) -> Finding:
    """Look for a hit that makes the score worse or an error that makes it better."""

    def rule(at: Place) -> Rule:
        kind = "hit" if at[0] == at[1] else "error"
        sign = subject.sign if kind == "hit" else -subject.sign

        def worse(scores: Cells, same: Any) -> Cells:
            return np.asarray(sign * (scores[..., 0] - scores[..., 1]) > same)

        return Rule(kind, (BEFORE, adding(at)), worse)

    tried, broken = first_broken(
        subject, classes, seed, MONOTONICITY_METHOD, lambda k: list(map(rule, places(k)))
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
    detail: FindingDetail = {"after_calibration": passes}
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


# V. Chance correction: the best score of random classifiers depends on nothing but k.

CHANCE_METHOD = (
    "random classifiers on a grid with its corners and edges, improved by local search, for "
    "class mixes from equal to 1 in 1,000"
)
CLOSE = 1e-6
CLEAR = 1e-3
PARTS = {2: 24, 3: 12, 4: 8}
"""By the number of classes: shares of predictions are multiples of 1 in so many."""


class _Chance(NamedTuple):
    """The scores of random classifiers with k classes, for each class mix; higher is better."""

    mixes: Cells
    shares: Cells
    scores: Floats
    best: Floats


def _same(scores: Floats) -> bool:
    """Whether all scores are the same, which may be infinite."""
    least, most = np.nanmin(scores), np.nanmax(scores)
    return bool(least == most or most - least < CLOSE)


def chance(subject: Subject, classes: tuple[int, ...], seed: int) -> Finding:
    """Look for class mixes with different best scores; else say what the best score is.

    It is strict if all random classifiers score it that predict every class: a share z_i = 0 is no
    more an exception than a prevalence p_i = 0, and macro precision divides by the one as macro
    recall does by the other.
    """
    by_classes = {k: _best_random(subject, k, seed) for k in classes}
    tried = TriedTables(sum(c.scores.size for c in by_classes.values()), classes, CHANCE_METHOD)
    for c in by_classes.values():
        if not _same(c.best):
            return _refuted(subject, c, tried)
    values = {k: subject.sign * float(c.best.max()) + 0.0 for k, c in by_classes.items()}
    everywhere = all(_same(c.scores) for c in by_classes.values())
    predicting = [(c.scores[:, (c.shares > 0).all(axis=-1)], c.best) for c in by_classes.values()]
    strict = all(_same(np.append(*scores)) for scores in predicting)
    complete = strict and np.ptp(list(values.values())) < CLOSE and len(values) > 1
    kind = "complete" if complete else "strict" if strict else "bound"
    formula, which = law(values), "" if everywhere else " that predicts each class"
    text = f"no random classifier scores {'above' if subject.sign > 0 else 'below'} {formula}"
    text = f"every random classifier{which} scores {formula}" if strict else text
    detail: FindingDetail = {
        "kind": kind,
        "c": values,
        "formula": formula,
        "strict_inside": strict,
        "everywhere": everywhere,
    }
    return Finding("not refuted", text, tried, detail=detail)


def _best_random(subject: Subject, k: int, seed: int) -> _Chance:
    mixes, shares = class_mixes(k), ways(k, PARTS.get(k, 6))
    if renaming(subject, k) is not None:  # which class is rare matters
        mixes = np.unique(np.concatenate([mixes, mixes[:, ::-1]]), axis=0)
    # macro F1 is at its best where predictions have the class mix
    every = np.concatenate([shares, mixes])
    scores = subject.sign * subject(_product(mixes[:, None], every[None]))
    best = np.nanmax(scores, axis=1)
    if np.ptp(best) >= CLOSE:
        best = _improved(subject, mixes, every[np.nanargmax(scores, axis=1)], best, seed)
    return _Chance(mixes, every, scores, best)


def _product(mix: Cells, share: Cells) -> Cells:
    return mix[..., :, None] * share[..., None, :]


@lru_cache
def class_mixes(k: int) -> Cells:
    """Class mixes as whole numbers: equal, one or more classes rare, and graded."""
    pairs = product((2, 3, 9, 99, 999), range(1, k))
    skewed = (np.where(np.arange(k) < rare, 1, often) for often, rare in pairs)
    return np.unique([np.ones(k, np.int64), np.arange(1, k + 1), *skewed], axis=0)


def _improved(subject: Subject, mixes: Cells, start: Cells, best: Floats, seed: int) -> Floats:
    """The best score of each class mix after a local search from its best random classifier."""
    k = mixes.shape[-1]
    rng = np.random.default_rng([seed, k, 3])
    z = start / start.sum(axis=-1, keepdims=True)
    for width in np.geomspace(0.2, 1e-5, 24):
        near = np.maximum(z[:, None] + width * rng.standard_normal((len(z), 48, k)), 0)
        near[near.sum(axis=-1) == 0] = 1
        near /= near.sum(axis=-1, keepdims=True)
        values = subject.sign * subject(_product(mixes[:, None], near))
        known = np.where(np.isnan(values), -np.inf, values)
        at = known.argmax(axis=1)
        better = known.max(axis=1) > best
        z[better] = near[better, at[better]]
        best = np.maximum(best, known.max(axis=1))
    return np.asarray(best)


def _refuted(subject: Subject, c: _Chance, tried: TriedTables) -> Finding:
    """Two class mixes: in one no random classifier tried gets what one gets in the other."""
    size = c.mixes.sum(axis=1)
    low = min(range(len(size)), key=lambda i: (round(float(c.best[i]), 6), size[i]))
    clear = np.flatnonzero(c.best > c.best[low] + CLEAR).tolist() or [int(np.argmax(c.best))]
    high = min(clear, key=size.item)
    shares = [c.shares[_simplest(c.scores[i], c.shares)] for i in (low, high)]
    mixes = [c.mixes[i] for i in (low, high)]
    words = [
        f"class mix {_ratio(mix)}, {article} random classifier: shares {_ratio(z)} of predictions"
        for article, mix, z in zip(("the best", "a"), mixes, shares, strict=True)
    ]
    tables = [_product(mix, z // np.gcd.reduce(z)) for mix, z in zip(mixes, shares, strict=True)]
    example = scored(subject, words, np.stack(tables))
    least = "least" if subject.sign > 0 else "most"
    text = (
        f"the best random classifier's score depends on the class mix: {example[0].shown} for "
        f"{_ratio(mixes[0])}, at {least} {example[1].shown} for {_ratio(mixes[1])}"
    )
    return Finding("refuted", text, tried, example, detail={"kind": "none"})


def _simplest(scores: Floats, shares: Cells) -> int:
    """Of the best random classifiers, the one with the smallest shares."""
    best = np.flatnonzero(scores > np.nanmax(scores) - 1e-9)
    reduced = [int((shares[i] // np.gcd.reduce(shares[i])).sum()) for i in best]
    return int(best[int(np.argmin(reduced))])


def _ratio(x: Cells) -> str:
    return ":".join(str(int(v)) for v in x // np.gcd.reduce(x))


def law(values: dict[int, float]) -> str:
    """c as a function of k, if one of the simple ones fits all values."""
    laws: dict[str, Callable[[int], float]] = {
        "0": lambda k: 0.0,
        "1/k": lambda k: 1 / k,
        "1": lambda k: 1.0,
        "1/2": lambda k: 0.5,
        "1 − 1/k": lambda k: 1 - 1 / k,
        "2/k − 1": lambda k: 2 / k - 1,
        "1/(2k)": lambda k: 0.5 / k,
        "(k − 1)/k²": lambda k: (k - 1) / k**2,
        "√(k − 1)/k": lambda k: math.sqrt(k - 1) / k,
        "⌊k²/4⌋/k": lambda k: k * k // 4 / k,
    }
    laws |= {f"k^(−1/{p:g})": partial(pow, exp=-1 / p) for p in (2, 3, 4, 1.5, 5, 10)}
    for text, rule in laws.items():
        if all(math.isclose(v, rule(k), abs_tol=CLOSE) for k, v in values.items()):
            return text
    first = next(iter(values.values()))
    if all(math.isclose(v, first, abs_tol=CLOSE) for v in values.values()):
        simple = Fraction(first).limit_denominator(100) if math.isfinite(first) else None
        near = simple is not None and math.isclose(simple, first, abs_tol=CLOSE)
        return str(simple).replace("-", MINUS) if near else number(float(f"{first:.6g}"), None)
    return ", ".join(f"{v:.6g} for k = {k}" for k, v in values.items())

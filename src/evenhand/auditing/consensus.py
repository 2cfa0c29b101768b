"""Consensus: the one formula behind a whole column of macro F1.

A mean of F1 fits almost any row of which only macro precision and recall are known, so counting
rows is not enough: forty-nine rows that equal 2PR/(P+R) to the last digit and one that does not
speak for the F1 of averages and one slip. Each formula is scored by how probable it makes the
column; nothing here enters a proof.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log

from evenhand.auditing.formulas import ALIKE, FORMULAS, Candidate
from evenhand.auditing.ranges import Range, hull

SLIP = 0.02
"""How often a printed value is taken to be a slip."""

GAP = 0.005
"""The least typical gap between the two macro F1s."""

Reported = tuple[Range, tuple[Candidate, ...]]
"""A row's macro F1 and the formulas held against it."""


def consensus(rows: Sequence[Reported]) -> str | None:
    """The formula that explains a table's macro F1 best; ``None`` if none explains any row."""
    names = list(dict.fromkeys(c.name for _, found in rows for c in found if c.fits))
    if not names:
        return None
    whole = [n for n in FORMULAS if n in names]
    fits = {n: sum(c.fits for _, found in rows for c in found if c.name == n) for n in names}
    best = max(whole, key=lambda n: _credit(n, rows), default=None)
    # Leaving a class out is a stretch: it must explain more rows than every plain formula.
    others = [n for n in names if n not in FORMULAS]
    most = max(others, key=lambda n: fits[n], default=None)
    if most is not None and fits[most] > max((fits[n] for n in whole), default=0):
        return most
    return best


def _credit(name: str, rows: Sequence[Reported]) -> float:
    """Log probability of the reported values if this formula made them."""
    credit = 0.0
    typical = _typical_gap(rows)
    for reported, found in rows:
        by_name = {c.name: c for c in found}
        unit = max(float(reported.width), 1e-12)
        one = by_name.get(name)
        if one is None or not one.fits:
            credit += log(SLIP * unit)
            continue
        width, twin = float(one.width), by_name.get("f1_of_averages")
        if name == "macro_f1" and twin is not None and one.width > ALIKE * twin.width:
            gap = _gap(reported, twin)
            credit += log(unit / (unit + typical)) - gap / typical
        else:
            credit += log(unit / (unit + width))
    return credit


def _gap(reported: Range, twin: Candidate) -> float:
    predicted = hull(twin.ranges)
    return max(0.0, float(predicted.low + predicted.high - reported.low - reported.high) / 2)


def _typical_gap(rows: Sequence[Reported]) -> float:
    gaps = [_gap(r, c) for r, found in rows for c in found if c.name == "f1_of_averages"]
    return max(GAP, sum(gaps) / len(gaps)) if gaps else GAP

"""Standings: numbers of all systems and metrics, handed out to one system each."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from evenhand.infer.quantile import reach
from evenhand.notes.interval import Interval, known
from evenhand.notes.method import Method
from evenhand.ranking.entries import Entries
from evenhand.ranking.leaderboard import Spread, Standing, Step, System
from evenhand.ranking.letters import letters
from evenhand.ranking.measure import Measured
from evenhand.ranking.ranks import rank_ends
from evenhand.ranking.stability import Stability

if TYPE_CHECKING:
    from evenhand.ranking.rank import Asked


def standings(
    entries: Entries,
    names: list[str],
    found: list[Measured],
    places: NDArray[np.int64],
    stable: list[Stability] | None,
    asked: Asked,
) -> tuple[System, ...]:
    """The systems best first by the first metric; equal ones in the order of their names."""
    which, level = entries.runs, asked.how.level
    sure = list(map(list, found))
    tests = [
        None if m.pairs is None else told(m.pairs.apart(level), p)
        for m, p in zip(found, places, strict=True)
    ]
    order = np.argsort(places[0], kind="stable").tolist()
    tables = entries.tables
    strange = np.where(tables.prevalence > 0, 0, tables.bias).sum(axis=-1) / tables.total
    lost = tables.outside.sum(axis=-1) / tables.total
    out = []
    for at, i in enumerate(order):
        own = {
            name: _standing(s[i], p, t, None if stable is None else stable[j], i)
            for j, (name, s, p, t) in enumerate(zip(names, sure, places, tests, strict=True))
        }
        runs = list(which.columns[i])
        after = order[at + 1] if at + 1 < len(order) else None
        out.append(
            System(
                name=which.systems[i],
                n=entries.items(runs),
                standings=own,
                signature=asked.signature(entries, runs),
                next=None if after is None else _step(found[0], i, after, which.systems, level),
                runs=_spread(found[0], entries, i) if which.several else None,
                never_true=float(strange[runs].mean()),
                outside=float(lost[runs].mean()),
            )
        )
    return tuple(out)


def _standing(
    score: Interval,
    places: NDArray[np.int64],
    tests: Told | None,
    stable: Stability | None,
    i: int,
) -> Standing:
    found = Standing(**vars(score), rank=int(places[i]))
    if tests is not None:
        low, high = int(tests.low[i]), int(tests.high[i])
        found = replace(found, group=tests.letters[i], rank_low=low, rank_high=high)
    return found if stable is None else replace(found, best_probability=float(stable.best[i]))


@dataclass(frozen=True, eq=False)
class Told:
    """What the paired tests tell of every system: the ends of its rank, and its letters."""

    low: NDArray[np.int64]
    high: NDArray[np.int64]
    letters: list[str]


def told(apart: NDArray[np.bool_], places: NDArray[np.int64]) -> Told:
    """Ranks and letters in the order of the systems, letters given out from the best down."""
    order = np.argsort(places, kind="stable")
    found = letters(apart[np.ix_(order, order)])
    return Told(*rank_ends(apart, places), [found[j] for j in np.argsort(order)])


def _step(m: Measured, i: int, j: int, systems: tuple[str, ...], level: float) -> Step:
    gap = float(m.value[i] - m.value[j])
    if m.pairs is None:
        return Step(gap, system=systems[j])
    p, at = m.pairs, m.pairs.at(i, j)
    half = reach(level, float(p.freedom[at])) * float(p.se[at])
    sure = Interval(gap, level=level, note="no width")
    if not math.isnan(gap + half):
        low, high = max(gap - half, -p.most), min(gap + half, p.most)
        sure = Interval(gap, float(p.se[at]), low, high, level, Method("delta"))
    raw, adjusted = known(p.p[at]), known(p.p_adjusted[at])
    return Step(**vars(sure), system=systems[j], p=raw, p_adjusted=adjusted)


def _spread(m: Measured, entries: Entries, i: int) -> Spread:
    which = entries.runs
    r = len(which.columns[i])
    return Spread(
        names=which.names[i],
        values=tuple(m.runs[list(which.columns[i])].tolist()),
        spread=float(m.spread[i]) if r > 1 else None,
        se_runs=float(m.spread[i]) / math.sqrt(r) if r > 1 else None,
        se_items=known(m.items[i]),
    )

"""II. Class sensitivity: hits, or errors, of different classes can weigh differently."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from evenhand.properties.exact import TINY
from evenhand.properties.finding import Finding, Scored, Tried
from evenhand.properties.search import (
    Place,
    certain,
    differ,
    item_at,
    one_more,
    places,
    scored,
    tables_for,
)
from evenhand.properties.subject import Subject

METHOD = (
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
        best: tuple[int, Place, Place] | None = None
        for a, b in combinations(places(k), 2):
            if (a[0] == a[1]) != (b[0] == b[1]):
                continue
            for i in np.flatnonzero(differ(after[a], after[b])):
                if best is not None and i >= best[0]:
                    break
                pair = np.stack([one_more(cells[i], a), one_more(cells[i], b)])
                if certain(subject, pair, lambda f: abs(f[0] - f[1]) > TINY):
                    best = int(i), a, b
                    break
        if best is not None:
            at, a, b = best
            m = cells[at]
            more = ((item_at(x), one_more(m, x)) for x in (a, b))
            example = scored(subject, ("before", m), *more)
            kind = "hits" if a[0] == a[1] else "errors"
            return Finding(
                "shown",
                f"two {kind} weigh differently: {example[0].shown} → {example[1].shown} or "
                f"{example[2].shown}",
                Tried(tables, classes, METHOD),
                example,
            )
    example = _alike(subject, classes[0], seed)
    return Finding(
        "not shown",
        f"any hit, and any error, moves it alike, e.g. {example[0].shown} → {example[1].shown} "
        f"and {example[2].shown}",
        Tried(tables, classes, METHOD),
        example,
    )


def _alike(subject: Subject, k: int, seed: int) -> tuple[Scored, ...]:
    cells = tables_for(subject, k, seed)
    unequal = np.flatnonzero(cells.sum(axis=-1).max(axis=-1) > cells.sum(axis=-1).min(axis=-1))
    m = cells[unequal[-1] if len(unequal) else 0]
    for i in unequal:  # the first where something moves
        if differ(subject(cells[i][None]), subject(one_more(cells[i], (0, 0))[None]))[0]:
            m = cells[i]
            break
    a, b = (0, 0), (1, 1)
    return scored(
        subject, ("before", m), (item_at(a), one_more(m, a)), (item_at(b), one_more(m, b))
    )

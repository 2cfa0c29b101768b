"""Opitz (2022), table 8: the columns that its recalls do not determine, as ranges."""

from __future__ import annotations

from functools import lru_cache, partial
from itertools import product

import numpy as np

from evenhand.core.metrics.agreement import kappa, mcc
from evenhand.core.metrics.macro import macro_f1
from evenhand.papers.claims import Outcome, open_within, state
from evenhand.papers.overview_study import HALF, RECALLS, SYSTEMS
from evenhand.papers.overview_study import column as printed_column
from evenhand.papers.tried import Cells, on


@lru_cache
def fitting() -> Cells:
    """Row-normalised tables with the printed recalls: systems × ways to spread the errors."""
    spread = np.array(list(product(np.linspace(0, 1, 5), repeat=3)))
    recalls = RECALLS[:, None, :] / 100
    made = np.zeros((len(RECALLS), len(spread), 3, 3))
    for i in range(3):
        made[..., i, i] = recalls[..., i]
        made[..., i, (i + 1) % 3] = (1 - recalls[..., i]) * spread[:, i]
        made[..., i, (i + 2) % 3] = (1 - recalls[..., i]) * (1 - spread[:, i])
    return made


def mixes() -> Cells:
    """Class mixes in steps of a twentieth, every class true."""
    steps = [(a, b, 20 - a - b) for a, b in product(range(1, 19), repeat=2) if a + b < 20]
    return np.array(steps) / 20


@lru_cache
def ranges(column: str) -> tuple[Cells, Cells]:
    """Lowest and highest score of each system: mixes × systems."""
    metric = {"macro_f1": macro_f1, "macro_f1@uniform": macro_f1, "kappa": kappa, "mcc": mcc}[
        column
    ]
    known = np.full((1, 3), 1 / 3) if column.endswith("@uniform") else mixes()
    scored = [100 * on(metric, fitting() * mix[:, None]) for mix in known]
    return np.array([s.min(axis=1) for s in scored]), np.array([s.max(axis=1) for s in scored])


def fits(column: str) -> Cells:
    """The class mixes under which every system can have its printed score."""
    low, high = ranges(column)
    printed = printed_column(column)
    return np.asarray(((low - HALF <= printed) & (printed <= high + HALF)).all(axis=1))


def _column(column: str) -> Outcome:
    low, high = ranges(column)
    found = ", ".join(
        f"{s} {a:.1f}–{b:.1f}"
        for s, a, b in zip(SYSTEMS, low.min(axis=0), high.max(axis=0), strict=True)
    )
    possible = fits(column)
    under = (
        "equal classes, and errors spread over the other classes in any way"
        if column.endswith("@uniform")
        else f"any class mix and errors spread in any way; {possible.sum()} of {len(low)} mixes "
        "allow all eight printed values"
    )
    return open_within(bool(possible.any()), found, f"what the printed recalls allow, with {under}")


for _name, _words in (
    ("macro_f1", "macF1"),
    ("macro_f1@uniform", "macF1c, macro F1 after calibration,"),
    ("kappa", "Kappa"),
    ("mcc", "MCC"),
):
    state(
        f"003-table-8-{_name.replace('_', '-').replace('@uniform', '-calibrated')}",
        "table 8",
        ", ".join(f"{s} {x}" for s, x in zip(SYSTEMS, printed_column(_name), strict=True)),
        f"{_words} of eight systems.",
        partial(_column, _name),
    )

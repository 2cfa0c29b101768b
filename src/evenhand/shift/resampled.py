"""Resampled: the labelled items drawn again within their classes, and the unlabelled ones."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from evenhand.core.ratio import ratio
from evenhand.infer.design import CodeDesign, Floats, grouped
from evenhand.infer.draw import drawn, replicates
from evenhand.infer.rates import rates_of
from evenhand.infer.rows import Rows
from evenhand.infer.smoothed import Smoothed
from evenhand.shift.unlabelled import Unlabelled

NUMBERS = 1_500_000
"""Rates drawn at most, all replicates together: it bounds time and memory for many classes."""
ITEMS = 20_000_000
"""Item weights drawn at most for class probabilities."""
FEWEST = 100
"""Replicates drawn at least, whatever they take."""


@dataclass(frozen=True, eq=False)
class Draws:
    """B replicates: rates (B × k × k + 1), shares of predictions (B × k + 1), labelled mixes.

    ``items`` are the distinct rows of class probabilities and ``times`` how often each came.
    """

    rates: Floats
    shares: Floats
    prior: Floats
    items: Floats | None = None
    times: Floats | None = None


def draw(
    rows: Rows, new: Unlabelled, cells: Floats, items: Floats, *, count: int, seed: int
) -> Draws:
    """Replicates of the labelled rows within their class, and of the unlabelled items.

    In every other draw two pseudo-items of each class weigh a gamma variate each, so that a recall
    of 0 or 1 varies too: of n items that were all right, the share of errors is drawn like
    Beta(1, n + 1). A class that a draw of clusters leaves empty keeps its observed row.
    """
    k = cells.shape[-2]
    design = rows.design
    assert isinstance(design, CodeDesign)
    code = design.true * (k + 1) + design.pred[:, 0]
    stratify = rows.cluster is None
    parts = [
        grouped(np.asarray(w, np.float64), code, k * (k + 1))
        for w in replicates(rows, count, seed=seed, stratify=stratify)
    ]
    found = np.concatenate(parts).reshape(-1, k, k + 1)
    empty = found.sum(axis=-1) == 0
    rng = np.random.default_rng([seed, 1])
    unit = ratio(cells.sum(axis=-1, keepdims=True), items[:, None])  # what one item weighs
    more = Smoothed.of_cells(ratio(cells, unit)).cells()
    found[::2] += unit * rng.standard_gamma(more, found[::2].shape)
    rates = rates_of(found)
    rates[empty] = np.broadcast_to(rates_of(cells), rates.shape)[empty]
    truth = cells.sum(axis=-1)
    n = max(int(truth.sum()), 1)
    prior = rng.multinomial(n, truth / truth.sum(), size=count) / n
    if new.probabilities is not None:
        items, guess, units = distinct(new.probabilities)
        times = drawn(rng, units, count).astype(np.float64)
        return Draws(rates, grouped(times, guess, k + 1) / units.sum(), prior, items, times)
    if new.n is None:
        return Draws(rates, np.broadcast_to(new.shares, (count, k + 1)), prior)
    return Draws(rates, rng.multinomial(new.n, new.shares, size=count) / new.n, prior)


def distinct(probabilities: Floats) -> tuple[Floats, Floats, Floats]:
    """Alike rows of probabilities together: the rows, what each predicts, how many they are.

    Only the spread of an estimate is read from them, so that many rows may be rounded.
    """
    guess = probabilities.argmax(axis=1)
    n = len(probabilities)
    digits = 12 if n <= 5_000 else 3 if n <= 50_000 else 2
    rows = np.column_stack([probabilities.round(digits), guess])
    kept, units = np.unique(rows, axis=0, return_counts=True)
    p = kept[:, :-1]
    p = p / p.sum(axis=1, keepdims=True)
    return p, kept[:, -1].astype(np.int64), units


def replicates_up_to(wanted: int, k: int, items: int) -> int:
    """Replicates that time and memory allow: those wanted, or fewer."""
    most = min(NUMBERS // max(k * (k + 1), 1), ITEMS // items if items else wanted)
    return min(wanted, max(FEWEST, most))

"""Case: a labelled and an unlabelled sample side by side."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from evenhand.infer.design import Floats
from evenhand.shift.draws import Draws, rates_of
from evenhand.shift.unlabelled import Unlabelled
from evenhand.tables.confusion import Confusion


@dataclass(frozen=True, eq=False)
class Case:
    """Both samples: the labelled rates, the new shares, and which classes can be told.

    ``true`` marks the classes with labelled items; ``prior`` is the mix that class
    probabilities were made for. ``draws`` are replicates of all of it, if there are any.
    """

    table: Confusion
    cells: Floats
    new: Unlabelled
    prior: Floats
    known_prior: bool
    draws: Draws | None

    @property
    def true(self) -> Floats:
        return np.asarray(self.cells.sum(axis=1) > 0)

    @property
    def told(self) -> Floats:
        """Kinds of prediction that the labelled data know; the others say nothing of the mix."""
        return np.asarray(self.cells[self.true].sum(axis=0) > 0)

    def known(self, shares: Floats) -> Floats:
        """Shares among the predictions of known kinds."""
        kept = np.where(self.told, shares, 0.0)
        whole = kept.sum(axis=-1, keepdims=True)
        return np.asarray(kept / np.where(whole > 0, whole, 1.0))

    @property
    def rates(self) -> Floats:
        """Rates of the classes that have labelled items."""
        return rates_of(self.cells)[self.true]

    def whole(self, mix: Floats) -> Floats:
        """Shares of those classes as shares of all: 0 for the others."""
        found = np.zeros((*mix.shape[:-1], len(self.cells)))
        found[..., self.true] = mix
        return found

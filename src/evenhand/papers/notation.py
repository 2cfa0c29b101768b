"""Notation: tables and their margins as Opitz (2022) writes them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from evenhand.core.arrays import Array
from evenhand.core.counts import Counts
from evenhand.core.gradient import gradient
from evenhand.papers.tried import Cells, counts


@dataclass(frozen=True, eq=False)
class Printed:
    """Tables as Opitz (2022) writes them: m[i, j] is predicted i, true j."""

    m: Cells

    @classmethod
    def sample(cls, k: int = 3) -> Printed:
        """Tables without an empty class or an empty cell, so that everything has a derivative."""
        rng = np.random.default_rng(7)
        return cls(rng.integers(1, 40, (60, k, k)).astype(np.float64))

    @property
    def n(self) -> int:
        """The number of classes."""
        return int(self.m.shape[-1])

    @property
    def correct(self) -> Cells:
        """Hits of each class."""
        return np.diagonal(self.m, axis1=-2, axis2=-1)

    @property
    def bias(self) -> Cells:
        """How often each class is predicted."""
        return np.asarray(self.m.sum(axis=-1))

    @property
    def prevalence(self) -> Cells:
        """How often each class is true."""
        return np.asarray(self.m.sum(axis=-2))

    def slope(self, metric: Callable[[Counts], Array]) -> Cells:
        """∂metric/∂m[i, j] by complex steps."""
        cells = np.swapaxes(self.m, -1, -2)
        return np.swapaxes(gradient(metric, counts(cells)).dense()[..., :-1], -1, -2)

    def off(self, x: Cells) -> Cells:
        """The entries off the diagonal."""
        return np.asarray(np.broadcast_to(x, self.m.shape)[:, ~np.eye(self.n, dtype=bool)])

    def on(self, x: Cells) -> Cells:
        """The entries on the diagonal."""
        return np.diagonal(np.broadcast_to(x, self.m.shape), axis1=-2, axis2=-1)

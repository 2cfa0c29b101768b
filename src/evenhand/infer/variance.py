"""The delta variance: what each row, or cluster of rows, adds to the error of a number.

Var = Σ w²·(g − ḡ)², with g the derivative of the metric in a row's weight and ḡ its weighted
mean; rows of a cluster are added before squaring, and C clusters count C/(C − 1). (van der Vaart
1998, ch. 3.) Roots of the squared weights are multiplied by slopes before squaring: of weights of
1e140 and their slopes of 1e-140 the squares would not fit a float, the products do.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from evenhand.errors import InputError
from evenhand.infer.design import Codes, Floats, grouped

UNKNOWN = (
    "a table of fractions without squared weights cannot know how its items vary: count the "
    "items with weights, or use Sample.from_probabilities for soft predictions"
)


def over(top: Floats, bottom: Floats, otherwise: float = 0.0) -> Floats:
    """``top / bottom``, and ``otherwise`` where there is nothing below."""
    if np.all(bottom):
        return np.asarray(top / bottom)
    shape = np.broadcast_shapes(np.shape(top), np.shape(bottom))
    found = np.full(shape, otherwise)
    np.divide(top, bottom, out=found, where=np.broadcast_to(bottom, shape) != 0)
    return found


def centred(psi: Floats, weight: Floats, group: Codes | None = None, size: int = 0) -> Floats:
    """Derivatives (rows, or … × rows) less their weighted mean, or that of the row's group."""
    if group is None:
        mean = (psi * weight).sum(axis=-1) / weight.sum()  # a product would round by place
        return np.asarray(psi - mean[..., None])
    whole = np.bincount(group, weight, minlength=size)
    sums = grouped((weight * psi).reshape(-1, psi.shape[-1]), group, len(whole))
    mean = sums / np.where(whole > 0, whole, 1.0)
    return np.asarray(psi - mean[:, group].reshape(psi.shape))


def norm(parts: Floats, of: Codes | None = None, size: int = 0) -> Floats:
    """The standard error that parts make together; with ``of``, that of each number they are of."""
    if of is None:
        return np.asarray(np.sqrt((parts**2).sum(axis=-1)))
    found = grouped(np.atleast_2d(parts**2), of, size)
    return np.asarray(np.sqrt(found).reshape(*parts.shape[:-1], size))


@dataclass(frozen=True, eq=False)
class Units:
    """What varies independently, rows or clusters of them, and how much a row's slope weighs.

    ``home`` is the table that each cluster is of, ``clusters`` how many each table has.
    """

    size: Floats
    cluster: Codes | None = None
    home: Codes | None = None
    clusters: Codes | None = None

    @classmethod
    def of(
        cls,
        weight: Floats,
        square: Floats | None,
        cluster: Codes | None = None,
        home: Codes | None = None,
    ) -> Units:
        """Clusters where there are any; rows by their sums of squared weights, which must be known.

        One cluster tells nothing about how clusters vary. ``home`` is given where clusters have
        codes from 0 on, each of one table of a stack.
        """
        if cluster is None:
            if square is None:
                raise InputError(UNKNOWN)
            return cls(np.sqrt(square))
        if home is None:
            names, cluster = np.unique(cluster, return_inverse=True)
            home = np.zeros(len(names), np.int64)
        clusters = np.bincount(home)
        if clusters.min() < 2:
            raise InputError(f"cluster must name at least 2 clusters, got {clusters.min()}")
        return cls(weight, cluster, home, clusters)

    @property
    def freedom(self) -> Floats:
        """Degrees of freedom of an error in each table: clusters less one, where there are any."""
        return np.array([math.inf]) if self.clusters is None else self.clusters - 1.0

    @property
    def _few(self) -> Floats:
        """C/(C − 1) under a root for each cluster, C being those of its table."""
        assert self.clusters is not None and self.home is not None
        return np.asarray(np.sqrt(self.clusters / (self.clusters - 1))[self.home])

    def parts(self, psi: Floats) -> Floats:
        """Parts of each number's error (… × units) from centred derivatives (… × rows)."""
        sized = psi * self.size
        if self.cluster is None:
            return np.asarray(sized)
        few = self._few
        added = grouped(sized.reshape(-1, psi.shape[-1]), self.cluster, len(few)) * few
        return added.reshape(*psi.shape[:-1], -1)

    def sparse_parts(
        self, row: Codes, of: Codes, psi: Floats, numbers: int
    ) -> tuple[Floats, Codes]:
        """The same where a row's weight moves few of the numbers: parts, and what each is of."""
        unit = row if self.cluster is None else self.cluster[row]
        at, place = np.unique(unit * numbers + of, return_inverse=True)
        parts = np.bincount(place, self.size[row] * psi)
        if self.cluster is not None:
            parts = parts * self._few[at // numbers]
        return parts, at % numbers

"""Reweighted: the same rows of data seen at many class mixes at once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from evenhand.core.counts import Counts
from evenhand.core.kernel import Kernel
from evenhand.core.ratio import ratio
from evenhand.errors import InputError
from evenhand.infer.design import CodeDesign, Codes, Floats
from evenhand.infer.gradients import slopes
from evenhand.infer.rows import Rows
from evenhand.infer.variance import centred, norm

CHUNK = 1 << 22
"""Numbers worked on at a time: it bounds memory, whatever the number of mixes."""


@dataclass(frozen=True, eq=False)
class Reweighted:
    """Systems on the same rows, and what they score when true classes are reweighted.

    A mix is one share a class; mixes are for all kernels (1 × P × k), or for each its own
    (kernels × P × k).
    """

    rows: Rows
    design: CodeDesign
    stratum: Codes

    @classmethod
    def of(cls, rows: Rows) -> Reweighted:
        """Rows of hard labels, one true class each."""
        if not isinstance(rows.design, CodeDesign) or rows.stratum is None:
            raise InputError("a sweep needs hard labels: soft and multi-label items have no rows")
        return cls(rows, rows.design, rows.stratum)

    @cached_property
    def prevalence(self) -> Floats:
        """Weight of each true class."""
        return np.bincount(self.stratum, self.rows.weight, minlength=self.design.k)

    @cached_property
    def rate(self) -> Floats:
        """Each row as a share of its true class."""
        return np.asarray(self.rows.weight / self.prevalence[self.stratum])

    def values(self, kernels: list[Kernel], mixes: Floats) -> Floats:
        """Each metric of each system at every mix, kernels × systems × P."""
        return np.stack([np.asarray(k.function(c), float).T for k, c in self._at(kernels, mixes)])

    def errors(self, kernels: list[Kernel], mixes: Floats, contrasts: Floats) -> Floats:
        """Standard errors of combinations of the systems, kernels × contrasts × P.

        By the delta method: the influence of a row of true class t is (π_t/n_t)·(g − ḡ_t), since
        rows of a class are shares of it, so that only their differences count.
        """
        shape = len(kernels), len(contrasts), mixes.shape[1]
        if self.rows.cluster is None and self.rows.square is None:
            return np.full(shape, np.nan)  # nobody knows how the items vary
        each = max(1, CHUNK // max(1, len(self.stratum) * shape[0] * shape[1]))
        starts = range(0, shape[2], each)
        parts = [self._errors(kernels, mixes[:, i : i + each], contrasts) for i in starts]
        return np.concatenate(parts, axis=2)

    def _errors(self, kernels: list[Kernel], mixes: Floats, contrasts: Floats) -> Floats:
        found, scale = slopes(self._at(kernels, mixes)), ratio(mixes, self.prevalence)
        design = self.design
        table = np.arange(mixes.shape[1])[:, None] * design.systems
        psi = np.zeros((len(kernels), len(contrasts), mixes.shape[1], len(self.stratum)))
        for s, column in enumerate(design.pred.T):
            of = np.flatnonzero(contrasts[:, s])
            times = contrasts[of, s][:, None, None]
            for own, g in zip(psi, found, strict=True):
                own[of] += times * g.at(table + s, design.true, column)
        psi = centred(psi, self.rate, self.stratum, design.k) * scale[:, None, :, self.stratum]
        return norm(self.rows.units.parts(psi))

    def _at(self, kernels: list[Kernel], mixes: Floats) -> list[tuple[Kernel, Counts]]:
        """Each kernel with the margins (P × systems × k) that it sees at the mixes."""
        size = mixes.shape[1]
        c = self.design.counts(mixes.reshape(-1, self.design.k)[:, self.stratum] * self.rate)
        if len(mixes) == 1:
            return [(k, k.prepared(c)) for k in kernels]
        parts = (slice(i, i + size) for i in range(0, len(kernels) * size, size))
        return [(k, k.prepared(c.at(part))) for k, part in zip(kernels, parts, strict=True)]


def mixes_along(prevalence: Floats, j: int, shares: Floats) -> Floats:
    """Mixes in which class ``j`` has these shares and the others keep theirs to each other.

    >>> mixes_along(np.array([50, 30, 20]), 0, np.array([0.0, 0.9])).round(6)
    array([[0.  , 0.6 , 0.4 ],
           [0.9 , 0.06, 0.04]])
    """
    rest = np.asarray(prevalence, np.float64).copy()
    rest[j] = 0.0
    found = (1 - shares)[..., None] * (rest / rest.sum())
    found[..., j] = shares
    return np.asarray(found)

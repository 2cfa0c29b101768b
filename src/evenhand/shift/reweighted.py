"""Reweighted: the same rows of data seen at many class mixes at once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from evenhand.core.counts import Counts
from evenhand.core.kernel import Kernel, Views
from evenhand.core.ratio import ratio
from evenhand.errors import InputError
from evenhand.infer.design import CodeDesign, Codes, Floats
from evenhand.infer.rows import Rows, slopes
from evenhand.infer.variance import centred, norm

CHUNK = 1 << 22
"""Numbers worked on at a time: it bounds memory, whatever the number of mixes."""


@dataclass(frozen=True, eq=False)
class Reweighted:
    """Systems on the same rows, and what they score when true classes are reweighted.

    A mix is one share a class; mixes come as P × k, and results are P × systems.
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

    def counts(self, mixes: Floats) -> Counts:
        """Margins (P × systems × k) at each of the mixes."""
        return self.design.counts(mixes[:, self.stratum] * self.rate)

    def values(self, kernels: list[Kernel], mixes: Floats) -> list[Floats]:
        """Each metric of each system at every mix; one calibrated elsewhere does not move."""
        found = []
        counts = self.counts(mixes)
        for kernel in kernels:
            c = counts if kernel.target is None else self.counts(self._fixed(kernel, mixes))
            found.append(np.asarray(kernel.function(kernel.prepared(c)), np.float64))
        return found

    def errors(self, kernel: Kernel, mixes: Floats, contrast: Floats) -> Floats:
        """Standard error at each mix of a combination of the systems, by the delta method.

        The influence of a row of true class t is (π_t/n_t)·(g − ḡ_t): rows of a class are shares
        of it, so that only their differences count.
        """
        if self.rows.cluster is None and self.rows.square is None:
            return np.full(len(mixes), np.nan)  # nobody knows how the items vary
        if kernel.target is not None:
            mixes = self._fixed(kernel, mixes)
        each = max(1, CHUNK // max(len(self.stratum), 1))
        parts = [
            self._errors(kernel, mixes[i : i + each], contrast) for i in range(0, len(mixes), each)
        ]
        return np.concatenate(parts)

    def _errors(self, kernel: Kernel, mixes: Floats, contrast: Floats) -> Floats:
        g = slopes(kernel, Views({kernel.view: self.counts(mixes)}))
        at = np.arange(len(mixes))[:, None] * self.design.systems
        psi = np.zeros((len(mixes), len(self.stratum)))
        for s in np.flatnonzero(contrast):
            psi += contrast[s] * g.at(at + s, self.design.true, self.design.pred[:, s])
        psi = centred(psi, self.rate, self.stratum, self.design.k)
        psi *= ratio(mixes, self.prevalence)[:, self.stratum]
        return norm(self.rows.units.parts(psi))

    def _fixed(self, kernel: Kernel, mixes: Floats) -> Floats:
        target = np.asarray(kernel.target).reshape(-1, self.design.k)[0]
        return np.broadcast_to(target, mixes.shape)


def mixes_along(prevalence: Floats, j: int, shares: Floats) -> Floats:
    """Mixes in which class ``j`` has these shares and the others keep theirs to each other.

    >>> mixes_along(np.array([50, 30, 20]), 0, np.array([0.0, 0.9])).round(6)
    array([[0.  , 0.6 , 0.4 ],
           [0.9 , 0.06, 0.04]])
    """
    rest = np.asarray(prevalence, np.float64).copy()
    rest[j] = 0.0
    found = (1 - shares)[:, None] * (rest / rest.sum())
    found[:, j] = shares
    return np.asarray(found)

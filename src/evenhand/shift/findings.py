"""Findings: what an estimate of the class mix cannot know, and what speaks against it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from evenhand.core.ratio import ratio
from evenhand.infer.few import FEW
from evenhand.notes.mix import (
    AboveOne,
    DrawsNearTop,
    Farthest,
    FewerReplicates,
    FewLabelled,
    IllConditionedRates,
    ItemsForgotten,
    Misfit,
    NewKinds,
    NotShownLikeliest,
    OutsideSimplex,
    SharesAlone,
    SingularRates,
    UnknownLabels,
)
from evenhand.notes.note import Note
from evenhand.shift.adjusted import SINGULAR, blind, reach
from evenhand.shift.cautions import never_labelled
from evenhand.shift.summit import affordable, shortfall

if TYPE_CHECKING:
    from evenhand.shift.case import Case
    from evenhand.shift.estimating import PrevalenceEstimate

LOUD = 10.0
"""An error in the shares multiplied by more than this is worth a warning."""
DOUBT = 0.01
"""A p below this is a warning that more than the mix has changed."""
UNPROVED = 1e-9
"""Log-likelihood an item that a mix may lack before it is no longer the most likely one."""
EDGE = 1e-3
"""How far outside the simplex an estimate is worth a word."""


def findings(found: PrevalenceEstimate, case: Case, fewer: bool) -> Iterable[Note]:
    """Notes: what may be the cause of others first."""
    yield from _unseen(found, case)
    yield from _misfit(found)
    yield from _outside(found)
    yield from _singular(case)
    yield from _unproved(found, case)
    if case.draws is None:
        yield ItemsForgotten()
    elif case.new.n is None:
        yield SharesAlone()
    if fewer:
        yield FewerReplicates(found.replicates)


def _unproved(found: PrevalenceEstimate, case: Case) -> Iterable[Note]:
    """A top that was not reached, or not shown to be."""
    shares, p = case.known(case.new.shares), case.new.probabilities
    problems = {"likelihood": (case.rates, shares, case.true)}
    if p is not None:
        odds = np.asarray(ratio(1.0, case.prior))
        even = np.full(len(p), 1 / len(p))
        problems["saerens"] = (odds[:, None] * p.T, even, np.ones(len(odds), bool))
    for method, (rates, seen, kept) in problems.items():
        mix = np.array([c.shares[method].value for c in found.classes])[kept]
        lack = float(shortfall(rates[None], seen[None], mix[None])[0])
        if lack > UNPROVED:
            yield NotShownLikeliest(method, lack)
    d = case.draws
    if d is not None and not affordable(len(d.rates), *case.rates.shape):
        yield DrawsNearTop()


def _misfit(found: PrevalenceEstimate) -> Iterable[Note]:
    worst = max(found.classes, key=lambda c: abs(c.measured - c.expected))
    farthest = Farthest(worst.label, worst.measured, worst.expected)  # at the chosen mix
    for method, fit in found.fits.items():
        if fit.p is not None and fit.p < DOUBT:
            yield Misfit(method, fit.p, farthest if method == found.method else None)
    above = [c for c in found.classes if c.precision_measured.value > 1 + 1e-9]
    if above:
        most = max(c.precision_measured.value for c in above)
        yield AboveOne(tuple(c.label for c in above), most)


def _outside(found: PrevalenceEstimate) -> Iterable[Note]:
    solved = [
        (c.label, c.shares["adjusted"].value) for c in found.classes if "adjusted" in c.shares
    ]
    out = tuple((label, share) for label, share in solved if not -EDGE <= share <= 1 + EDGE)
    if out:
        yield OutsideSimplex(out)


def _unseen(found: PrevalenceEstimate, case: Case) -> Iterable[Note]:
    labels, shares = found.labels, case.new.shares
    yield from never_labelled(case.table)
    few = tuple(v for v, n in zip(labels, case.cells.sum(axis=1), strict=True) if 0 < n < FEW)
    if few:
        yield FewLabelled(few, FEW)
    if case.new.strange:
        yield UnknownLabels(case.new.strange, float(shares[-1]))
    columns = np.flatnonzero(~case.told & (case.new.counts > 0))
    if len(columns):
        known = tuple(labels[i] for i in columns if i < len(labels))
        yield NewKinds(known, len(known) < len(columns), float(shares[columns].sum()))


def _singular(case: Case) -> Iterable[Note]:
    least = float(reach(case.rates))
    if least > 1 / LOUD:
        return
    v = blind(case.rates)
    labels = [case.table.labels[i] for i in np.flatnonzero(case.true)]
    alike = tuple(labels[i] for i in np.argsort(-np.abs(v), kind="stable") if abs(v[i]) > 0.3)
    yield SingularRates(alike) if least <= SINGULAR else IllConditionedRates(alike, 1 / least)

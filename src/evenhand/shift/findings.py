"""Findings: what an estimate of the class mix cannot know, and what speaks against it, in words."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from evenhand.errors import shown
from evenhand.infer.few import FEW
from evenhand.shift.adjusted import SINGULAR, blind, reach
from evenhand.shift.summit import affordable, shortfall

if TYPE_CHECKING:
    from evenhand.shift.case import Case
    from evenhand.shift.estimation import PrevalenceEstimate

LOUD = 10.0
"""An error in the shares multiplied by more than this is worth a warning."""
DOUBT = 0.01
"""A p below this is a warning that more than the mix has changed."""
UNPROVED = 1e-9
"""Log-likelihood an item that a mix may lack before it is no longer the most likely one."""
EDGE = 1e-3
"""How far outside the simplex an estimate is worth a word."""


def findings(found: PrevalenceEstimate, case: Case, fewer: bool) -> Iterable[str]:
    """Warnings: what may be the cause of others first."""
    yield from _unseen(found, case)
    yield from _misfit(found)
    yield from _outside(found)
    yield from _singular(case)
    yield from _unproved(found, case)
    if case.draws is None:
        yield (
            "no intervals: a weighted table has forgotten its items; give the labelled items "
            "themselves"
        )
    elif case.new.n is None:
        yield (
            "shares without a number of items: the intervals cover the labelled sample alone, "
            "and there is no test of fit"
        )
    if fewer:
        yield f"{found.replicates:,} replicates, not more: this many classes or items take long"


def _unproved(found: PrevalenceEstimate, case: Case) -> Iterable[str]:
    """A top that was not reached, or not shown to be."""
    shares, p = case.known(case.new.shares), case.new.probabilities
    problems = {"likelihood": (case.rates, shares, case.true)}
    if p is not None:
        odds = np.divide(1.0, case.prior, out=np.zeros(len(case.prior)), where=case.prior > 0)
        even = np.full(len(p), 1 / len(p))
        problems["saerens"] = (odds[:, None] * p.T, even, np.ones(len(odds), bool))
    for method, (rates, seen, kept) in problems.items():
        mix = np.array([c.shares[method].value for c in found.classes])[kept]
        lack = float(shortfall(rates[None], seen[None], mix[None])[0])
        if lack > UNPROVED:
            yield (
                f"the mix by {method} is not shown to be the most likely one: another may have a "
                f"log-likelihood larger by up to {lack:.1g} an item"
            )
    d = case.draws
    if d is not None and not affordable(len(d.rates), *case.rates.shape):
        yield "the intervals rest on draws that EM alone brought near the top: more takes too long"


def _misfit(found: PrevalenceEstimate) -> Iterable[str]:
    for method, fit in found.fits.items():
        if fit.p is None or fit.p >= DOUBT:
            continue
        why = "more than the class mix has changed"
        if method == "saerens":
            why += ", or the probabilities are not calibrated"
        elif method == "stated":
            why = "the stated mix does not hold, or more than the class mix has changed"
        worst = max(found.classes, key=lambda c: abs(c.measured - c.expected))
        detail = ""
        if method == found.method:
            detail = (
                f" (most of all {worst.label!r}: {100 * worst.measured:.3g} % of the predictions, "
                f"{100 * worst.expected:.3g} % expected)"
            )
        yield (
            f"the {'stated mix' if method == 'stated' else f'mix by {method}'} does not explain "
            f"the predictions, "
            f"p {_p(fit.p)}{detail}: {why}, and the expected scores are not to be trusted"
        )
    above = [c for c in found.classes if c.precision_measured.value > 1 + 1e-9]
    if above:
        c = max(above, key=lambda c: c.precision_measured.value)
        yield (
            f"precision of {shown([c.label for c in above])} by the measured share of predictions "
            f"is above 1 ({c.precision_measured.value:.4g}): fewer predictions than this mix must "
            "give"
        )


def _outside(found: PrevalenceEstimate) -> Iterable[str]:
    out = [
        f"{c.label!r} {c.shares['adjusted'].value:.4f}"
        for c in found.classes
        if "adjusted" in c.shares and not -EDGE <= c.shares["adjusted"].value <= 1 + EDGE
    ]
    if out:
        more = f" and {len(out) - 5:,} more" if len(out) > 5 else ""
        yield (
            f"the adjusted count leaves the simplex ({', '.join(out[:5])}{more}): no class mix "
            "gives exactly these shares; the likelihood stays inside"
        )


def _unseen(found: PrevalenceEstimate, case: Case) -> Iterable[str]:
    labels = found.labels
    never = [labels[i] for i in np.flatnonzero(~case.true)]
    if never:
        yield (
            f"no labelled item is truly {shown(never)}: nothing is known of such items, and their "
            "share is taken as 0"
        )
    few = [v for v, n in zip(labels, case.cells.sum(axis=1), strict=True) if 0 < n < FEW]
    if few:
        yield f"fewer than {FEW} labelled items of {shown(few)}: their rates are hardly known"
    strange = case.new.strange
    if strange:
        yield (
            f"predicted but unknown to the table: {shown(strange)}; counted as outside "
            f"({100 * case.new.shares[-1]:.3g} % of the predictions with those that are null)"
        )
    columns = np.flatnonzero(~case.told & (case.new.counts > 0))
    if len(columns):
        names = [repr(labels[i]) if i < len(labels) else "no class at all" for i in columns]
        share = 100 * float(case.new.shares[columns].sum())
        yield (
            f"{share:.3g} % of the new predictions are of a kind never predicted on the labelled "
            f"data ({', '.join(names[:5])}): they say nothing about the mix and are left aside"
        )


def _singular(case: Case) -> Iterable[str]:
    least = float(reach(case.rates))
    if least > 1 / LOUD:
        return
    v = blind(case.rates)
    labels = [case.table.labels[i] for i in np.flatnonzero(case.true)]
    most = [labels[i] for i in np.argsort(-np.abs(v), kind="stable") if abs(v[i]) > 0.3]
    alike = f"{shown(most)} are predicted too much alike"
    if least <= SINGULAR:
        yield (
            f"the rates are singular: {alike}, so that their shares cannot be told apart; there is "
            "no adjusted count, and the likelihood has many tops of which it gives one"
        )
    else:
        yield (
            f"the rates are ill-conditioned: {alike}; an error of 1 point in the shares of "
            f"predictions can move the mix by {1 / least:.3g} points"
        )


def _p(p: float) -> str:
    return f"= {p:.3f}" if p >= 0.001 else "< 0.001"

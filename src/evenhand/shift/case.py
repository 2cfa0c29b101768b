"""Case: a labelled and an unlabelled sample side by side, and the class mix by every method."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from evenhand.core.ratio import ratio
from evenhand.errors import InputError, Option, shown
from evenhand.infer.design import Floats
from evenhand.infer.rates import rates_of
from evenhand.infer.row_items import row_items
from evenhand.infer.rows import Rows
from evenhand.shift.adjusted import SINGULAR, adjusted, reach
from evenhand.shift.fit import UNTESTED, Fit, fit_of_estimate, fit_of_mix
from evenhand.shift.likelihood import likelihood
from evenhand.shift.resampled import Draws, distinct, draw, replicates_up_to
from evenhand.shift.saerens import saerens
from evenhand.shift.summit import NEAR_TOP
from evenhand.shift.unlabelled import Unlabelled
from evenhand.tables.confusion import Confusion

Estimate: TypeAlias = tuple[Floats, Floats | None]
"""Shares of all classes, and their replicates if there are any."""

METHODS = ("adjusted", "likelihood", "saerens")


@dataclass(frozen=True, eq=False)
class Case:
    """Both samples: the labelled rates, the new shares, and which classes can be told.

    ``prior`` is the mix that class probabilities were made for, ``known_prior`` whether that was
    said or is the labelled one. ``draws`` are replicates of all of it, if there are any.
    """

    table: Confusion
    cells: Floats
    new: Unlabelled
    prior: Floats
    known_prior: bool
    draws: Draws | None

    @classmethod
    def of(
        cls,
        rows: Rows,
        table: Confusion,
        new: Unlabelled,
        prior: Floats | None,
        count: int,
        seed: int,
    ) -> Case:
        """A system's rows and table beside the new predictions, drawn at most ``count`` times."""
        cells = np.asarray(table.data.dense().weight, np.float64)
        items = 0 if new.probabilities is None else len(distinct(new.probabilities)[0])
        draws = None
        if rows.cluster is not None or rows.items is not None:
            many = replicates_up_to(count, table.k, items)
            draws = draw(rows, new, cells, row_items(table, rows), count=many, seed=seed)
        known = prior is not None
        mix = cells.sum(axis=1) / cells.sum() if prior is None else prior
        found = cls(table, cells, new, mix, known, draws)
        if not found.known(new.shares).any():
            strange = shown(new.strange) if new.strange else "nothing but predictions of no class"
            raise InputError(
                f"none of the new predictions is of a kind that the labelled data have: "
                f"expected {shown(table.labels)}, got {strange}"
            )
        return found

    @property
    def true(self) -> Floats:
        """Classes that have labelled items."""
        return np.asarray(self.cells.sum(axis=1) > 0)

    @property
    def told(self) -> Floats:
        """Kinds of prediction that the labelled data know; the others say nothing of the mix."""
        return np.asarray(self.cells[self.true].sum(axis=0) > 0)

    def known(self, shares: Floats) -> Floats:
        """Shares among the predictions of known kinds."""
        kept = np.where(self.told, shares, 0.0)
        return np.asarray(ratio(kept, kept.sum(axis=-1, keepdims=True)))

    @property
    def rates(self) -> Floats:
        """Rates of the classes that have labelled items."""
        return rates_of(self.cells)[self.true]

    def whole(self, mix: Floats) -> Floats:
        """Shares of those classes as shares of all: 0 for the others."""
        found = np.zeros((*mix.shape[:-1], len(self.cells)))
        found[..., self.true] = mix
        return found

    def mixes(self) -> dict[str, Estimate]:
        """The mix by each method, and its replicates: shares of all classes."""
        shares, true, d = self.known(self.new.shares), self.true, self.draws
        found: dict[str, Estimate] = {}
        if reach(self.rates) > SINGULAR:
            many = (
                None if d is None else self.whole(adjusted(d.rates[:, true], self.known(d.shares)))
            )
            found["adjusted"] = (self.whole(adjusted(self.rates, shares)), many)
        best, many = likelihood(self.rates, shares), None
        if d is not None:
            drawn = likelihood(d.rates[:, true], self.known(d.shares), near=best, lack=NEAR_TOP)
            many = self.whole(drawn)
        found["likelihood"] = (self.whole(best), many)
        p = self.new.probabilities
        if p is not None:
            many = None
            if d is not None and d.items is not None and d.times is not None:
                prior = self.prior if self.known_prior else d.prior
                many = saerens(d.items, d.times, prior, lack=NEAR_TOP)
            found["saerens"] = (saerens(p, np.ones(len(p)), self.prior), many)
        return found

    def fits(self, mixes: dict[str, Estimate], seed: int) -> dict[str, Fit]:
        """How well each mix explains the new predictions."""
        d = self.draws
        rates, shares = rates_of(self.cells), self.new.shares
        found = {}
        for method, (mix, many) in mixes.items():
            if d is None or many is None:
                found[method] = UNTESTED
            elif method == "saerens":
                found[method] = fit_of_estimate(rates, shares, mix, d, many)
            elif method == "adjusted":
                continue  # it gives the shares by construction, in or out of the simplex
            else:
                true = self.true
                inner = replace(d, rates=d.rates[:, true])
                found[method] = fit_of_mix(
                    rates[true],
                    shares,
                    mix[true],
                    self.new.n,
                    inner,
                    seed=seed,
                    stated=method == "stated",
                )
        return found

    @property
    def amplification(self) -> float | None:
        """What an error in the shares of predictions is multiplied by in the mix."""
        least = float(reach(self.rates))
        return 1 / least if least > SINGULAR else None


def chosen_method(method: str | None, mixes: dict[str, Estimate]) -> str:
    """The method that the scores rest on: the one asked for, if there is a mix by it."""
    if method is None:
        return "stated" if "stated" in mixes else "likelihood"
    if method not in mixes:
        if method == "saerens":
            raise InputError("saerens needs class probabilities of the new items, got labels")
        if method in METHODS:
            other = Option("method", "likelihood")
            raise InputError("adjusted has no solution here: the rates are singular; use ", other)
        raise InputError(f"method must be one of {shown(METHODS)}, got {method!r}")
    return method

"""Estimators of the class mix of unlabelled data."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np

from evenhand.core.ratio import ratio
from evenhand.data.confusion import Confusion
from evenhand.data.factorize import factorize, is_frame
from evenhand.data.label_sets import holds_lists
from evenhand.data.labels import Labels, positions
from evenhand.data.probabilities import item_probabilities
from evenhand.errors import InputError, Option, is_name, shown
from evenhand.inference.bootstrap import drawn, replicates
from evenhand.inference.delta import PseudoItems, rates_of, row_items
from evenhand.inference.multiplicity import sampled
from evenhand.inference.rows import CodeDesign, Floats, Rows, divide, grouped


@dataclass(frozen=True, eq=False)
class Unlabelled:
    """Predictions of each class on new items, those of no known class last.

    ``counts`` sum to ``n``, or are shares where the number of items is unknown (``n`` is
    ``None``). ``probabilities`` are items × classes, if there are any. ``unknown`` are labels
    that were predicted but that the table does not know.
    """

    counts: Floats
    n: int | None
    probabilities: Floats | None = None
    unknown: tuple[Any, ...] = ()

    def __post_init__(self) -> None:
        if self.n == 0:
            raise InputError("unlabelled predictions must not be empty")

    @property
    def shares(self) -> Floats:
        """Shares of the predictions."""
        return np.asarray(self.counts / self.counts.sum())


def unlabelled(data: Any, labels: Labels) -> Unlabelled:
    """New predictions: labels, class probabilities, or a mapping of labels to counts or shares.

    The most probable class is what a system predicts from probabilities.

    >>> unlabelled(["a", "b", "b", None], ("a", "b")).counts
    array([1., 2., 1.])
    >>> unlabelled([[0.9, 0.1], [0.3, 0.7]], ("a", "b")).counts
    array([1., 1., 0.])
    """
    if isinstance(data, Unlabelled):
        return data
    if isinstance(data, Mapping):
        return _of_mapping(data, labels)
    rows = isinstance(data, list | tuple) and holds_lists(data)
    if rows or is_frame(data) or getattr(data, "ndim", 1) == 2:
        p, _ = item_probabilities(data, len(data), labels, "probabilities")
        guess = np.bincount(p.argmax(axis=1), minlength=len(labels) + 1).astype(np.float64)
        return Unlabelled(guess, len(p), p)
    codes = factorize(data, "unlabelled predictions")
    by_text: dict[Any, int] = {str(v): i for i, v in enumerate(labels)}
    by_value = {(type(v), v): i for i, v in enumerate(labels)}
    target = np.array([by_value.get((type(v), v), by_text.get(v, -1)) for v in codes.labels] + [-1])
    code = target[codes.codes]
    counts = np.bincount(np.where(code < 0, len(labels), code), minlength=len(labels) + 1)
    unknown = tuple(v for v, i in zip(codes.labels, target, strict=False) if i < 0)
    return Unlabelled(counts.astype(np.float64), len(codes), None, unknown)


def _of_mapping(data: Mapping[Any, Any], labels: Labels) -> Unlabelled:
    counts = np.zeros(len(labels) + 1)
    for i, value in zip(positions(data, labels, "predicted classes"), data.values(), strict=True):
        if not isinstance(value, int | float | np.number) or not value >= 0:
            raise InputError(f"counts of predictions must be numbers ≥ 0, got {value!r}")
        counts[i] = value
    if not np.isfinite(counts.sum()) or not counts.sum():
        raise InputError(f"counts of predictions must have a finite sum > 0, got {counts.sum()}")
    integral = all(isinstance(v, int | np.integer) for v in data.values())
    if not integral and abs(counts.sum() - 1) > 1e-6:
        raise InputError(
            "predicted classes must have whole counts, or shares that sum to 1, "
            f"got {shown(data.values())}"
        )
    return Unlabelled(counts, int(counts.sum()) if integral else None)


# Newton's method over the simplex, with a bound on what is missing of the maximum.

TOP = 1e-12
"""Log-likelihood an item that the top may be missed by: shares are right to about its root."""
BLOCK_RATES = 1 << 22
"""Rates of several problems worked on at a time: it bounds memory."""
STEP_SHARE = 0.995
"""How much of the way to the edge of the simplex one step may go."""
MAX_STEPS = 100
"""Newton's steps at most; a dozen are usual."""


def shortfall(rates: Floats, shares: Floats, mix: Floats) -> Floats:
    """The log-likelihood (per item) that a mix can lack at most of the largest: max slope − 1.

    The likelihood is concave, so its slopes Σ_j q_j·R_ij/(πR)_j bound what any other mix gains;
    they are at most 1, and 1 where a share is positive, exactly at the top (Karush, Kuhn, Tucker).
    Problems are B × k × columns, B × columns and B × k.

    >>> rates, seen = np.array([[[0.8, 0.2], [0.1, 0.9]]]), np.array([[0.05, 0.95]])
    >>> [float(shortfall(rates, seen, np.array([m]))[0].round(6)) for m in ([0, 1.0], [0.1, 0.9])]
    [0.0, 0.059532]
    """
    share = _known(rates, shares)
    return np.asarray(_slopes(rates, share, mix).max(axis=-1) - share.sum(axis=-1))


def newton(rates: Callable[[slice], Floats], shares: Floats, start: Floats) -> Floats:
    """The mixes of largest likelihood, by Newton's steps on slopes and edges together.

    ``rates`` makes those of some of the problems: all at once may not fit. Each problem steps until
    its :func:`shortfall` is below :data:`TOP`, and keeps the best mix that it came by.
    """
    problems, k = start.shape
    block = max(1, BLOCK_RATES // (k * shares.shape[1]))
    parts = (slice(i, i + block) for i in range(0, problems, block))
    mixes = [_newton(rates(p), shares[p], start[p]) for p in parts]
    return np.concatenate([np.zeros((0, k)), *mixes])


def _newton(rates: Floats, shares: Floats, start: Floats) -> Floats:
    k, share = rates.shape[-2], _known(rates, shares)
    best, lack = start.copy(), shortfall(rates, shares, start)
    at = np.flatnonzero(lack > TOP)
    x = 0.9 * start[at] + 0.1 / k
    edge = np.full_like(x, 0.1)  # what is missing of a slope of 1, where a share is 0
    rate, seen = rates[at], share[at]
    for _ in range(MAX_STEPS):
        if not at.size:
            break
        aim = 0.03 * (x * edge).mean(axis=1, keepdims=True)
        # minus the second derivatives, Σ_j q_j·R_ij·R_lj/(πR)_j²
        expected = (x[:, None] @ rate)[:, 0]
        over = divide(seen, expected)
        hessian = (rate * divide(over, expected)[:, None]) @ np.swapaxes(rate, -1, -2)
        matrix = hessian + (edge / x + 1e-14)[..., None] * np.eye(k)
        slope = (rate @ over[..., None])[..., 0] - 1 + aim / x
        step = np.linalg.solve(matrix, slope[..., None])[..., 0]
        turn = (aim - edge * step) / x - edge
        x = x + _step_size(x, step) * step
        edge = edge + _step_size(edge, turn) * turn
        candidate = x / x.sum(axis=1, keepdims=True)
        left = _slopes(rate, seen, candidate).max(axis=-1) - seen.sum(axis=-1)
        better = left < lack[at]
        best[at[better]], lack[at[better]] = candidate[better], left[better]
        going = (lack[at] > TOP) & np.isfinite(x).all(axis=1)
        if not going.all():
            at, x, edge, rate, seen = (y[going] for y in (at, x, edge, rate, seen))
    return best


def _known(rates: Floats, shares: Floats) -> Floats:
    """Shares of the predictions that some class makes; what no class makes says nothing."""
    share = np.where(rates.any(axis=-2), shares, 0.0)
    return np.asarray(ratio(share, share.sum(axis=-1, keepdims=True)))


def _slopes(rates: Floats, share: Floats, x: Floats) -> Floats:
    """Slopes of the log-likelihood in the shares of the classes, Σ_j q_j·R_ij/(πR)_j."""
    return np.asarray((rates @ divide(share, (x[:, None] @ rates)[:, 0])[..., None])[..., 0])


def _step_size(x: Floats, step: Floats) -> Floats:
    """The part of a step that leaves everything positive."""
    with np.errstate(divide="ignore", invalid="ignore"):
        most = np.where(step < 0, -STEP_SHARE * x / step, np.inf).min(axis=1, keepdims=True)
    return np.asarray(np.minimum(most, 1.0))


# Adjusted count.

SINGULAR = 1e-8
"""A mix moves the shares by less than this part of itself: it cannot be told from them."""


def adjusted(rates: Floats, shares: Floats) -> Floats:
    """Solve q = Rᵀπ with Σπ = 1, by least squares where an outside column leaves one over.

    Also called black-box shift estimation (Forman 2008; Lipton et al. 2018). The result may
    leave the simplex; where R is singular there is none (NaN).

    >>> adjusted(np.array([[0.8, 0.2], [0.1, 0.9]]), np.array([0.31, 0.69])).round(6)
    array([0.3, 0.7])
    """
    k = rates.shape[-2]
    if k == 1:
        return np.ones((*shares.shape[:-1], 1))
    basis = _directions(k)
    moves = np.swapaxes(basis.T @ rates, -1, -2)  # columns × (k − 1): what a change of mix does
    middle = shares - rates.mean(axis=-2)
    left, size, right = np.linalg.svd(moves, full_matrices=False)
    lost = size[..., -1:] <= SINGULAR
    part = (np.swapaxes(left, -1, -2) @ middle[..., None])[..., 0] / np.where(lost, 1.0, size)
    mix = 1 / k + (np.swapaxes(right, -1, -2) @ part[..., None])[..., 0] @ basis.T
    return np.where(lost, np.nan, mix)


def smallest_singular_value(rates: Floats) -> Floats:
    """How far the shares move, at least, when the mix moves by 1: σ_min of Rᵀ on mixes.

    Its inverse is what an error in the shares is multiplied by; 0 for singular rates.

    >>> float(smallest_singular_value(np.array([[0.8, 0.2], [0.1, 0.9]])).round(6))
    0.7
    """
    k = rates.shape[-2]
    if k == 1:
        return np.ones(rates.shape[:-2])
    return np.asarray(np.linalg.svd(_directions(k).T @ rates, compute_uv=False)[..., -1])


def least_visible_change(rates: Floats) -> Floats:
    """The change of mix that moves the shares least, largest entry 1."""
    basis = _directions(rates.shape[-2])
    _, _, right = np.linalg.svd((basis.T @ rates).T, full_matrices=True)
    v = basis @ right[-1]
    return np.asarray(v / np.abs(v).max())


@lru_cache(maxsize=16)
def _directions(k: int) -> Floats:
    """An orthonormal basis (k × k − 1) of the changes that a mix can undergo: they sum to 0."""
    full = np.linalg.qr(np.column_stack([np.ones(k), np.eye(k)[:, : k - 1]]))[0]
    return np.asarray(full[:, 1:])


# Maximum likelihood on class probabilities, and on the shares of predictions.


def saerens(probabilities: Floats, weight: Floats, prior: Floats) -> Floats:
    """The mix π that makes the items most likely: mean of log Σ_k post_k·π_k/prior_k.

    ``probabilities`` are items × k; ``weight`` says how often each item counts, once or in B
    ways (B × items); ``prior`` is the class mix that the probabilities were made for, one or B.
    (Saerens, Latinne & Decaestecker 2002, by Newton's steps instead of EM.) It takes the
    probabilities to be calibrated.

    >>> p = np.array([[0.9, 0.1], [0.9, 0.1], [0.2, 0.8]])
    >>> saerens(p, np.ones(3), np.array([0.5, 0.5])).round(4)
    array([0.8472, 0.1528])
    """
    k = probabilities.shape[1]
    many = np.atleast_2d(weight)
    share = many / many.sum(axis=1, keepdims=True)
    odds = np.broadcast_to(ratio(1.0, prior), (len(many), k))[..., None]
    start = np.full((len(many), k), 1 / k)
    mixes = newton(lambda part: odds[part] * probabilities.T, share, start)
    return mixes[0] if np.ndim(weight) == 1 else mixes


def likelihood(rates: Floats, shares: Floats, *, near: Floats | None = None) -> Floats:
    """The mix π that makes the shares of predictions q most likely: Σ_j q_j·log (πR)_j.

    ``rates`` are … × k × columns, rows summing to 1; ``shares`` … × columns, the outside column
    included. A prediction that no class makes says nothing about the mix and is left aside.
    ``near`` is a mix to begin close to, if one is known.

    >>> rates = np.array([[0.8, 0.2], [0.1, 0.9]])
    >>> likelihood(rates, np.array([0.31, 0.69])).round(6)
    array([0.3, 0.7])
    >>> float(likelihood(rates, np.array([0.05, 0.95]))[0]) < 1e-6  # at the edge, still inside
    True
    """
    k, columns = rates.shape[-2:]
    many, seen = rates.reshape(-1, k, columns), shares.reshape(-1, columns)
    start = np.full((len(many), k), 1 / k)
    if near is not None:
        start = 0.1 * start + 0.9 * near
    return newton(many.__getitem__, seen, start).reshape(rates.shape[:-1])


# Bootstrap replicates of the labelled and the new items.

MAX_RATES = 1_500_000
"""Rates drawn at most, all replicates together: it bounds time and memory for many classes."""
MAX_ITEM_WEIGHTS = 20_000_000
"""Item weights drawn at most for class probabilities."""
MIN_REPLICATES = 100
"""Replicates drawn at least, whatever they take."""


@dataclass(frozen=True, eq=False)
class MixDraws:
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
) -> MixDraws:
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
    cell_draws = np.concatenate(parts).reshape(-1, k, k + 1)
    empty = cell_draws.sum(axis=-1) == 0
    rng = np.random.default_rng([seed, 1])
    unit = ratio(cells.sum(axis=-1, keepdims=True), items[:, None])  # what one item weighs
    more = PseudoItems.of_cells(ratio(cells, unit)).cells()
    cell_draws[::2] += unit * rng.standard_gamma(more, cell_draws[::2].shape)
    rates = rates_of(cell_draws)
    rates[empty] = np.broadcast_to(rates_of(cells), rates.shape)[empty]
    truth = cells.sum(axis=-1)
    n = max(int(truth.sum()), 1)
    prior = rng.multinomial(n, truth / truth.sum(), size=count) / n
    if new.probabilities is not None:
        items, guess, units = distinct(new.probabilities)
        times = drawn(rng, units, count).astype(np.float64)
        return MixDraws(rates, grouped(times, guess, k + 1) / units.sum(), prior, items, times)
    if new.n is None:
        return MixDraws(rates, np.broadcast_to(new.shares, (count, k + 1)), prior)
    return MixDraws(rates, rng.multinomial(new.n, new.shares, size=count) / new.n, prior)


def distinct(probabilities: Floats) -> tuple[Floats, Floats, Floats]:
    """Alike rows of probabilities together: the rows, what each predicts, how many they are.

    Only the spread of an estimate is read from them, so that many rows may be rounded.
    """
    guess = probabilities.argmax(axis=1)
    n = len(probabilities)
    digits = 12 if n <= 5_000 else 3 if n <= 50_000 else 2
    rows = np.column_stack([probabilities.round(digits), guess])
    unique_rows, units = np.unique(rows, axis=0, return_counts=True)
    p = unique_rows[:, :-1]
    p = p / p.sum(axis=1, keepdims=True)
    return p, unique_rows[:, -1].astype(np.int64), units


def replicates_up_to(requested: int, k: int, items: int) -> int:
    """Replicates that time and memory allow: those wanted, or fewer."""
    most = min(MAX_RATES // max(k * (k + 1), 1), MAX_ITEM_WEIGHTS // items if items else requested)
    return min(requested, max(MIN_REPLICATES, most))


# Goodness of fit.

NO_DISTANCE = 1e-9
"""A distance below this is none: the mix gives the shares exactly."""


@dataclass(frozen=True)
class Fit:
    """How far the measured shares of predictions are from the expected ones.

    ``p`` is the chance of a distance as large if only the mix had changed; ``None`` where every
    mix fits, so that there is nothing to test.
    """

    distance: float
    p: float | None
    test: str | None


UNTESTED = Fit(math.nan, None, None)
"""Of a mix that gives the shares by construction, or of samples whose sizes nobody knows."""


def distance(measured: Floats, expected: Floats) -> Floats:
    """½·Σ (q − e)²/(q + e): 0 for equal shares, 1 for shares that exclude each other."""
    total = measured + expected
    return np.asarray(ratio((measured - expected) ** 2, total).sum(axis=-1) / 2)


def fit_of_mix(
    rates: Floats,
    shares: Floats,
    mix: Floats,
    n: int | None,
    draws: MixDraws,
    *,
    seed: int,
    stated: bool,
) -> Fit:
    """Both samples drawn as if only the mix had changed: how often is the distance as large?

    A stated mix is held; an estimated one is estimated again from every draw. ``rates`` are
    those of the classes that occur.
    """
    expected = mix @ rates
    seen = float(distance(shares, expected))
    if n is None or (seen < NO_DISTANCE and not stated):
        return Fit(seen, None, None)
    rng = np.random.default_rng([seed, 2])
    again = rng.multinomial(n, expected / expected.sum(), size=len(draws.rates)) / n
    mixes = np.broadcast_to(mix, (len(again), len(mix)))
    if not stated:
        mixes = likelihood(draws.rates, again, near=mix)
    under = distance(again, (mixes[:, None] @ draws.rates)[:, 0])
    return Fit(seen, sampled(under, seen), "parametric bootstrap")


def fit_of_estimate(
    rates: Floats, shares: Floats, mix: Floats, draws: MixDraws, mixes: Floats
) -> Fit:
    """Wald's test of measured minus expected shares, its covariance from the draws.

    For a mix that was estimated from more than the shares, as from class probabilities.
    """
    from scipy.special import chdtrc

    expected = mix @ rates
    gap = shares - expected
    drawn = draws.shares - (mixes[:, None] @ draws.rates)[:, 0]
    spread = np.atleast_2d(np.cov(drawn, rowvar=False))
    values, vectors = np.linalg.eigh(spread)
    nonzero = values > 1e-9 * max(float(values.max(initial=0)), 1e-12)
    if not nonzero.any():
        return Fit(float(distance(shares, expected)), None, None)
    score = float((((vectors.T @ gap)[nonzero]) ** 2 / values[nonzero]).sum())
    p = float(chdtrc(int(nonzero.sum()), score))
    return Fit(float(distance(shares, expected)), p, "Wald, bootstrap covariance")


# The estimation problem: labelled and new items.

Estimate: TypeAlias = tuple[Floats, Floats | None]
"""Shares of all classes, and their replicates if there are any."""


@dataclass(frozen=True, eq=False)
class QuantificationProblem:
    """Both samples: the labelled rates, the new shares, and which classes can be told.

    ``prior`` is the mix that class probabilities were made for, ``known_prior`` whether that was
    said or is the labelled one. ``draws`` are replicates of all of it, if there are any.
    """

    table: Confusion
    cells: Floats
    new: Unlabelled
    prior: Floats
    known_prior: bool
    draws: MixDraws | None

    @classmethod
    def from_samples(
        cls,
        rows: Rows,
        table: Confusion,
        new: Unlabelled,
        prior: Floats | None,
        count: int,
        seed: int,
    ) -> QuantificationProblem:
        """A system's rows and table beside the new predictions, drawn at most ``count`` times."""
        cells = np.asarray(table.data.dense().weight, np.float64)
        items = 0 if new.probabilities is None else len(distinct(new.probabilities)[0])
        draws = None
        if rows.cluster is not None or rows.items is not None:
            many = replicates_up_to(count, table.k, items)
            draws = draw(rows, new, cells, row_items(table, rows), count=many, seed=seed)
        known = prior is not None
        mix = cells.sum(axis=1) / cells.sum() if prior is None else prior
        problem = cls(table, cells, new, mix, known, draws)
        if not problem.known(new.shares).any():
            unknown = shown(new.unknown) if new.unknown else "nothing but predictions of no class"
            raise InputError(
                f"none of the new predictions is of a kind that the labelled data have: "
                f"expected {shown(table.labels)}, got {unknown}"
            )
        return problem

    @property
    def true(self) -> Floats:
        """Classes that have labelled items."""
        return np.asarray(self.cells.sum(axis=1) > 0)

    @property
    def known_columns(self) -> Floats:
        """Kinds of prediction that the labelled data know; the others say nothing of the mix."""
        return np.asarray(self.cells[self.true].sum(axis=0) > 0)

    def known(self, shares: Floats) -> Floats:
        """Shares among the predictions of known kinds."""
        known_shares = np.where(self.known_columns, shares, 0.0)
        return np.asarray(ratio(known_shares, known_shares.sum(axis=-1, keepdims=True)))

    @property
    def rates(self) -> Floats:
        """Rates of the classes that have labelled items."""
        return rates_of(self.cells)[self.true]

    def over_all_classes(self, mix: Floats) -> Floats:
        """Shares of those classes as shares of all: 0 for the others."""
        shares = np.zeros((*mix.shape[:-1], len(self.cells)))
        shares[..., self.true] = mix
        return shares

    def mixes(self) -> dict[str, Estimate]:
        """The mix by each method, and its replicates: shares of all classes."""
        shares, true, d = self.known(self.new.shares), self.true, self.draws
        mixes: dict[str, Estimate] = {}
        if smallest_singular_value(self.rates) > SINGULAR:
            many = (
                None
                if d is None
                else self.over_all_classes(adjusted(d.rates[:, true], self.known(d.shares)))
            )
            mixes["adjusted"] = (self.over_all_classes(adjusted(self.rates, shares)), many)
        best, many = likelihood(self.rates, shares), None
        if d is not None:
            drawn = likelihood(d.rates[:, true], self.known(d.shares), near=best)
            many = self.over_all_classes(drawn)
        mixes["likelihood"] = (self.over_all_classes(best), many)
        p = self.new.probabilities
        if p is not None:
            many = None
            if d is not None and d.items is not None and d.times is not None:
                prior = self.prior if self.known_prior else d.prior
                many = saerens(d.items, d.times, prior)
            mixes["saerens"] = (saerens(p, np.ones(len(p)), self.prior), many)
        return mixes

    def fits(self, mixes: dict[str, Estimate], seed: int) -> dict[str, Fit]:
        """How well each mix explains the new predictions."""
        d = self.draws
        rates, shares = rates_of(self.cells), self.new.shares
        fits = {}
        for method, (mix, many) in mixes.items():
            if d is None or many is None:
                fits[method] = UNTESTED
            elif method == "saerens":
                fits[method] = fit_of_estimate(rates, shares, mix, d, many)
            elif method == "adjusted":
                continue  # it gives the shares by construction, in or out of the simplex
            else:
                true = self.true
                inner = replace(d, rates=d.rates[:, true])
                fits[method] = fit_of_mix(
                    rates[true],
                    shares,
                    mix[true],
                    self.new.n,
                    inner,
                    seed=seed,
                    stated=method == "stated",
                )
        return fits

    @property
    def amplification(self) -> float | None:
        """What an error in the shares of predictions is multiplied by in the mix."""
        least = float(smallest_singular_value(self.rates))
        return 1 / least if least > SINGULAR else None


def chosen_method(method: str | None, mixes: dict[str, Estimate]) -> str:
    """The method that the scores rest on: the one asked for, if there is a mix by it."""
    if method is None:
        return "stated" if "stated" in mixes else "likelihood"
    if not is_name(method, mixes):
        if method == "saerens":
            raise InputError("saerens needs class probabilities of the new items, got labels")
        other = Option("method", "likelihood")
        raise InputError("adjusted has no solution here: the rates are singular; use ", other)
    return method

"""Estimators of the class mix of unlabelled data."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from evenhand.core.derivatives import PseudoItems
from evenhand.core.ratio import ratio
from evenhand.data.confusion import Confusion
from evenhand.data.factorize import factorize, holds_lists, is_frame
from evenhand.data.labels import Labels, positions
from evenhand.data.probabilities import item_probabilities
from evenhand.errors import InputError, Option, shown
from evenhand.inference.bootstrap import drawn, replicates
from evenhand.inference.delta import row_items
from evenhand.inference.multiplicity import sampled
from evenhand.inference.rows import Floats, Rows, divide, grouped, rates_of
from evenhand.options import is_name


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


# Temperature: probabilities that are too sure, or not sure enough.

COLDEST, HOTTEST = 0.05, 20.0


def tempered(probabilities: Floats, temperature: float) -> Floats:
    """Probabilities ∝ p^(1/T): flatter for T above 1, which leaves the most probable class.

    >>> tempered(np.array([[0.8, 0.2]]), 2.0).round(4)
    array([[0.6667, 0.3333]])
    """
    from scipy.special import softmax

    return np.asarray(softmax(np.log(np.maximum(probabilities, 1e-300)) / temperature, axis=1))


def temperature_of(
    probabilities: Floats, true: Floats, weight: Floats | None, odds: Floats
) -> tuple[float, float]:
    """The temperature at which labelled items are likeliest (Guo et al. 2017).

    With the standard error of its logarithm, √Σs²/Σh from the items' slopes s and curvatures h of
    the log-loss, which is convex in 1/T. ``odds`` are the classes' shares among these items over
    those that the probabilities were made for.
    """
    from scipy.optimize import minimize_scalar

    each = np.ones(len(true)) if weight is None else weight

    def losses(log_temperature: float) -> Floats:
        p = tempered(probabilities, math.exp(log_temperature)) * odds
        own = p[np.arange(len(p)), true] / p.sum(axis=1)
        return np.asarray(-each * np.log(np.maximum(own, 1e-300)))

    bounds, step = (math.log(COLDEST), math.log(HOTTEST)), 1e-3
    best = minimize_scalar(lambda x: losses(x).sum(), bounds=bounds, method="bounded").x
    below, at, above = (losses(best + d) for d in (-step, 0.0, step))
    curvature = float((below + above - 2 * at).sum()) / step**2
    error = math.sqrt((((above - below) / (2 * step)) ** 2).sum()) / max(curvature, 1e-9)
    return math.exp(best), min(error, bounds[1])


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
    slopes = (rates @ divide(share, (mix[:, None] @ rates)[:, 0])[..., None])[..., 0]
    return np.asarray(slopes.max(axis=-1) - share.sum(axis=-1))


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
    k, best, lack = rates.shape[-2], start.copy(), shortfall(rates, shares, start)
    at = np.flatnonzero(lack > TOP)
    x = 0.9 * start[at] + 0.1 / k
    edge = np.full_like(x, 0.1)  # what is missing of a slope of 1, where a share is 0
    rate, seen = rates[at], _known(rates, shares)[at]
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
        left = shortfall(rate, seen, candidate)
        better = left < lack[at]
        best[at[better]], lack[at[better]] = candidate[better], left[better]
        going = (lack[at] > TOP) & np.isfinite(x).all(axis=1)
        at, x, edge, rate, seen = (y[going] for y in (at, x, edge, rate, seen))
    return best


def _known(rates: Floats, shares: Floats) -> Floats:
    """Shares of the predictions that some class makes; what no class makes says nothing."""
    share = np.where(rates.any(axis=-2), shares, 0.0)
    return np.asarray(ratio(share, share.sum(axis=-1, keepdims=True)))


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
    basis = _directions(rates.shape[-2])
    solved = (shares - rates.mean(axis=-2))[..., None, :] @ np.linalg.pinv(basis.T @ rates)
    lost = smallest_singular_value(rates)[..., None] <= SINGULAR
    return np.where(lost, np.nan, 1 / len(basis) + solved[..., 0, :] @ basis.T)


def smallest_singular_value(rates: Floats) -> Floats:
    """How far the shares move, at least, when the mix moves by 1: σ_min of Rᵀ on mixes.

    Its inverse is what an error in the shares is multiplied by; 0 for singular rates.

    >>> float(smallest_singular_value(np.array([[0.8, 0.2], [0.1, 0.9]])).round(6))
    0.7
    """
    sizes = np.linalg.svd(_directions(rates.shape[-2]).T @ rates, compute_uv=False)
    return np.asarray(sizes.min(axis=-1, initial=1.0))


def least_visible_change(rates: Floats) -> Floats:
    """The change of mix that moves the shares least, largest entry 1."""
    basis = _directions(rates.shape[-2])
    v = basis @ np.linalg.svd(basis.T @ rates)[0][:, -1]
    return np.asarray(v / np.abs(v).max())


@lru_cache(maxsize=16)
def _directions(k: int) -> Floats:
    """An orthonormal basis (k × k − 1) of the changes that a mix can undergo: they sum to 0."""
    full = np.linalg.qr(np.column_stack([np.ones(k), np.eye(k)[:, : k - 1]]))[0]
    return np.asarray(full[:, 1:])


# Maximum likelihood on class probabilities, and on the shares of predictions.


def saerens(
    probabilities: Floats, weight: Floats, prior: Floats, powers: Floats | None = None
) -> Floats:
    """The mix π that makes the items most likely: mean of log Σ_k post_k·π_k/prior_k.

    ``probabilities`` are items × k; ``weight`` says how often each item counts, once or in B
    ways (B × items); ``prior`` is the class mix that the probabilities were made for, one or B;
    these are raised to B ``powers`` where their temperature is not sure.
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

    def rates(part: slice) -> Floats:
        p = probabilities.T if powers is None else probabilities.T ** powers[part, None, None]
        return np.asarray(odds[part] * p / p.sum(axis=-2, keepdims=True))

    mixes = newton(rates, share, start)
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


# Bootstrap replicates of the labelled and the new items.

MAX_RATES = 1_500_000
"""Rates drawn at most, all replicates together: it bounds time and memory for many classes."""
MAX_ITEM_WEIGHTS = 20_000_000
"""Item weights drawn at most for class probabilities."""
MIN_REPLICATES = 100
"""Replicates drawn at least, whatever they take."""


def draw_rates(
    rows: Rows, cells: Floats, items: Floats, count: int, seed: int, rng: np.random.Generator
) -> Floats:
    """Rates (B × k × k + 1) of the labelled rows, drawn anew within their class.

    In every other draw two pseudo-items of each class weigh a gamma variate each, so that a recall
    of 0 or 1 varies too: of n items that were all right, the share of errors is drawn like
    Beta(1, n + 1). A class that a draw of clusters leaves empty keeps its observed row.
    """
    k = len(cells)
    code = rows.true * (k + 1) + rows.pred[:, 0]
    parts = [np.zeros((0, k * (k + 1)))]
    for w in replicates(rows, count, seed=seed, stratify=rows.cluster is None):
        parts.append(grouped(np.asarray(w, np.float64), code, k * (k + 1)))
    draws = np.concatenate(parts).reshape(-1, k, k + 1)
    empty = draws.sum(axis=-1) == 0
    unit = ratio(cells.sum(axis=-1, keepdims=True), items[:, None])  # what one item weighs
    more = PseudoItems.of_cells(ratio(cells, unit)).cells()
    draws[::2] += unit * rng.standard_gamma(more, draws[::2].shape)
    rates = rates_of(draws)
    rates[empty] = np.broadcast_to(rates_of(cells), rates.shape)[empty]
    return rates


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


# The estimation problem: labelled and new items.


@dataclass(frozen=True, eq=False)
class QuantificationProblem:
    """Both samples, and replicates of both: the data are the first of 1 + B.

    ``rates`` are 1 + B × k × k + 1, ``shares`` of the predictions 1 + B × k + 1, ``labelled`` the
    mixes of the labelled items, 1 + B × k, and ``prior`` those that class probabilities were made
    for. ``items`` are the distinct rows of class probabilities, ``times`` how often each came in
    a replicate, and ``powers`` what a temperature is uncertain by. B is 0 where nobody knows how
    the labelled items vary.
    """

    table: Confusion
    cells: Floats
    new: Unlabelled
    rates: Floats
    shares: Floats
    labelled: Floats
    prior: Floats
    items: Floats | None = None
    times: Floats | None = None
    powers: Floats | None = None

    @classmethod
    def from_samples(
        cls,
        rows: Rows,
        table: Confusion,
        new: Unlabelled,
        prior: Floats | None,
        count: int,
        seed: int,
        unsure: float = 0.0,
    ) -> QuantificationProblem:
        """A system's rows and table beside the new predictions, drawn at most ``count`` times.

        ``unsure`` is the error of the logarithm of the probabilities' temperature.
        """
        cells, k = np.asarray(table.data.dense().weight, np.float64), table.k
        items, times, most = None, None, MAX_RATES // max(k * (k + 1), 1)
        if new.probabilities is not None:
            items, guess, units = distinct(new.probabilities)
            most = min(most, MAX_ITEM_WEIGHTS // len(items))
        count = min(count, max(MIN_REPLICATES, most))
        count = 0 if rows.cluster is None and rows.items is None else count
        rng = np.random.default_rng([seed, 1])
        rates = rates_of(cells)[None]
        if count:
            drawn_rates = draw_rates(rows, cells, row_items(table, rows), count, seed, rng)
            rates = np.concatenate([rates, drawn_rates])
        truth = cells.sum(axis=1)
        n, mix = max(int(truth.sum()), 1), truth / truth.sum()
        labelled = np.vstack([mix, rng.multinomial(n, mix, count) / n])
        shares = np.broadcast_to(new.shares, (1 + count, k + 1)).copy()
        if items is not None:
            times = drawn(rng, units, count).astype(np.float64)
            shares[1:] = grouped(times, guess, k + 1) / units.sum() if count else 0.0
        elif new.n is not None:
            shares[1:] = rng.multinomial(new.n, new.shares, count) / new.n
        prior_mixes = labelled if prior is None else np.broadcast_to(prior, labelled.shape)
        powers = np.exp(unsure * rng.standard_normal(count)) if unsure else None
        drawn_items = (items, times, powers)
        problem = cls(table, cells, new, rates, shares, labelled, prior_mixes, *drawn_items)
        if not problem.known(new.shares).any():
            unknown = shown(new.unknown) if new.unknown else "nothing but predictions of no class"
            raise InputError(
                f"none of the new predictions is of a kind that the labelled data have: "
                f"expected {shown(table.labels)}, got {unknown}"
            )
        return problem

    @property
    def replicates(self) -> int:
        """How often both samples were drawn anew."""
        return len(self.rates) - 1

    @property
    def true(self) -> Floats:
        """Classes that have labelled items."""
        return np.asarray(self.cells.sum(axis=1) > 0)

    @property
    def true_rates(self) -> Floats:
        """The observed rates of those classes."""
        return np.asarray(self.rates[0, self.true])

    @property
    def known_columns(self) -> Floats:
        """Kinds of prediction that the labelled data know; the others say nothing of the mix."""
        return np.asarray(self.cells[self.true].sum(axis=0) > 0)

    def known(self, shares: Floats) -> Floats:
        """Shares among the predictions of known kinds."""
        return _known(self.true_rates, shares)

    def mixes(self) -> dict[str, Floats]:
        """The mix by each method and that of every replicate (1 + B × k)."""
        rates, shares = self.rates[:, self.true], self.known(self.shares)
        mixes: dict[str, Floats] = {}
        if self.amplification is not None:
            mixes["adjusted"] = adjusted(rates, shares)
        best = likelihood(rates[:1], shares[:1])
        again = likelihood(rates[1:], shares[1:], near=best)
        mixes["likelihood"] = np.concatenate([best, again])
        for name, mix in mixes.items():
            mixes[name] = np.zeros((len(rates), len(self.cells)))
            mixes[name][:, self.true] = mix
        p = self.new.probabilities
        if p is not None and self.items is not None and self.times is not None:
            best = saerens(p, np.ones((1, len(p))), self.prior[:1])
            again = saerens(self.items, self.times, self.prior[1:], self.powers)
            mixes["saerens"] = np.concatenate([best, again])
        return mixes

    def fit(self, method: str, mixes: Floats, seed: int) -> Fit:
        """How well a mix explains the new predictions.

        Of a likelihood, or a stated mix that is held, both samples are drawn as if only the mix had
        changed: how often is the distance as large? Of a mix that was estimated from more than the
        shares, as from class probabilities, it is Wald's test of measured minus expected shares,
        its covariance from the replicates.
        """
        if not self.replicates:
            return UNTESTED
        from scipy.special import chdtrc

        rates, mix, n = self.rates[:, self.true], mixes[:, self.true], self.new.n
        expected = (mix[:, None] @ rates)[:, 0]
        apart = float(distance(self.shares[0], expected[0]))
        if method == "saerens":
            gap, *gaps = self.shares - expected
            values, vectors = np.linalg.eigh(np.atleast_2d(np.cov(gaps, rowvar=False)))
            nonzero = values > 1e-9 * max(float(values.max(initial=0)), 1e-12)
            if not nonzero.any():
                return Fit(apart, None, None)
            score = float((((vectors.T @ gap)[nonzero]) ** 2 / values[nonzero]).sum())
            return Fit(apart, float(chdtrc(nonzero.sum(), score)), "Wald, bootstrap covariance")
        if n is None or (apart < NO_DISTANCE and method != "stated"):
            return Fit(apart, None, None)
        rng = np.random.default_rng([seed, 2])
        again = rng.multinomial(n, expected[0] / expected[0].sum(), size=self.replicates) / n
        if method != "stated":
            mix = np.concatenate([mix[:1], likelihood(rates[1:], again, near=mix[0])])
        under = distance(again, (mix[1:, None] @ rates[1:])[:, 0])
        return Fit(apart, sampled(under, apart), "parametric bootstrap")

    @property
    def amplification(self) -> float | None:
        """What an error in the shares of predictions is multiplied by in the mix."""
        least = float(smallest_singular_value(self.true_rates))
        return 1 / least if least > SINGULAR else None


def chosen_method(method: str | None, mixes: Mapping[str, Floats]) -> str:
    """The method that the scores rest on: the one asked for, if there is a mix by it."""
    if method is None:
        return "stated" if "stated" in mixes else "likelihood"
    if not is_name(method, mixes):
        if method == "saerens":
            raise InputError("saerens needs class probabilities of the new items, got labels")
        other = Option("method", "likelihood")
        raise InputError("adjusted has no solution here: the rates are singular; use ", other)
    return method

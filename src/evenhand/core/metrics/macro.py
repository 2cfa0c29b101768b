"""Averages over classes: macro, where every class weighs the same, and weighted by prevalence."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from operator import itemgetter

import numpy as np

from evenhand.core.arrays import Array, namespace, not_below_zero
from evenhand.core.margins import Counts, generalised, harmonic
from evenhand.core.metrics.per_class import f1, f_rises, fbeta, precision, recall
from evenhand.core.properties import (
    MACRO_PRECISION,
    MICRO,
    Properties,
    derived,
    mean_of,
    recall_mean,
)
from evenhand.core.ratio import ratio
from evenhand.core.registry import metric

macro = partial(metric, default=True)


def _mean_of_f(beta: float = 1.0) -> Properties:
    """The properties of the mean of the classes' Fβ."""
    if beta == 0:
        return MACRO_PRECISION
    b = "" if beta == 1 else f", β = {beta:g}"
    return derived(
        "1/k",
        "the mean of (1+β²)π_i z_i/(β²π_i + z_i) is concave in z with equal slopes β²/(1+β²) at "
        f"z = π, where it is Σπ_i/k = 1/k{b}",
        "not strict: reached by predicting each class as often as true",
        monotonicity=f_rises(beta),
        class_decomposability=mean_of(f"(1+β²)·correct/(β²·prevalence + bias){b}"),
    )


def _f_of_averages(beta: float = 1.0) -> Properties:
    """The properties of the Fβ of macro precision and macro recall."""
    if beta == 0:
        return MACRO_PRECISION
    return derived(
        "1/k, strict",
        "a harmonic mean lies between R̄ = 1/k and P̄, which is 1/k when every class is predicted",
        MACRO_PRECISION.note,
        monotonicity="∂/∂m = (1+β²)(β²P̄²·∂R̄ + R̄²·∂P̄)/(β²P̄ + R̄)², and P̄ and R̄ both rise with "
        "hits and fall with errors",
    )


@macro(
    symbol="macF1",
    signature="mean-of-f1",
    aliases=("averaged_f1", "mean_of_f1"),
    properties=_mean_of_f(),
    words=("arithmetic mean over harmonic means", "non-benevolent"),
    title="Macro F1 (mean of F1)",
    short_title="Macro F1",
)
def macro_f1(c: Counts) -> Array:
    """Mean of the per-class F1: every class weighs the same.

    Formula: 1/k · Σ 2·correct / (bias + prevalence)
    Reference: Opitz & Burst 2019, eq. 2
    """
    return c.mean(f1(c))


@macro(
    symbol="macF1′",
    signature="f1-of-averages",
    aliases=("macro_f1_prime", "macro_f1_star"),
    properties=_f_of_averages(),
    words=(
        "harmonic mean over arithmetic means",
        "benevolent",
        "doppelganger",
        "name twin",
        "Macro-F1*",
        "F-score_M",
        "Fscore_M",
        "inter-annotator agreement",
    ),
    title="Macro F1 (F1 of averages)",
    short_title="F1 of averages",
)
def f1_of_averages(c: Counts) -> Array:
    """Harmonic mean of macro precision and macro recall: the other 'macro F1'.

    Formula: 2·P̄·R̄ / (P̄ + R̄), with P̄ = macro_precision, R̄ = macro_recall
    Reference: Opitz & Burst 2019, eq. 3; Sokolova & Lapalme 2009
    """
    return harmonic(macro_precision(c), macro_recall(c))


@macro(
    symbol="ΔF1",
    signature="f1-of-averages-minus-mean-of-f1",
    high=0.5,
    better="neither",
    biased=True,
    properties=derived(),
    words=("delta", "root mean squared deviation (RMSD)", "error type distribution"),
)
def f1_gap(c: Counts) -> Array:
    """How far the two 'macro F1' are apart; never negative, below 1/2.

    Formula: f1_of_averages − macro_f1
    Reference: Opitz & Burst 2019, eq. 4
    """
    return not_below_zero(f1_of_averages(c) - macro_f1(c))


@macro(
    symbol="macP",
    signature="mean-of-precision",
    properties=MACRO_PRECISION,
    words=("in the bias lies the issue", "prediction trustworthiness"),
)
def macro_precision(c: Counts) -> Array:
    """Mean of the per-class precision.

    Formula: 1/k · Σ correct / bias
    Reference: Opitz 2022, eq. 17
    """
    return c.mean(precision(c))


@macro(
    symbol="macR",
    signature="mean-of-recall",
    aliases=("macro_accuracy", "balanced_accuracy"),
    words=(
        "drawing items from class bags",
        "bookmaker metric",
        "prevalence-calibrated accuracy",
        "macAcc",
    ),
    properties=recall_mean,
)
def macro_recall(c: Counts, *, p: float = 1.0) -> Array:
    """Mean of the per-class recall; with p, its generalised mean.

    Formula: (1/k · Σ (correct / prevalence)ᵖ)^(1/p)
    Reference: Opitz 2022, eq. 8
    """
    return generalised(c, recall(c), p)


@macro(symbol="GmacR", signature="geometric-mean-of-recall", properties=recall_mean(0))
def geometric_macro_recall(c: Counts) -> Array:
    """Geometric mean of the per-class recall: one class missed altogether makes it 0.

    Formula: (Π correct / prevalence)^(1/k)
    Reference: Opitz 2022, eq. 25
    """
    return macro_recall(c, p=0)


@macro(symbol="HmacR", signature="harmonic-mean-of-recall", properties=recall_mean(-1))
def harmonic_macro_recall(c: Counts) -> Array:
    """Harmonic mean of the per-class recall: the weakest classes decide.

    Formula: k / Σ (prevalence / correct)
    Reference: Opitz 2022, eq. 4 and table 8
    """
    return macro_recall(c, p=-1)


@macro(
    symbol="macFβ",
    signature="mean-of-fbeta",
    properties=_mean_of_f,
    least={"beta": 0.0},
    variant_of="macro_f1",
    default=False,
    title="Macro Fβ (mean of Fβ)",
    short_title="Macro Fβ",
)
def macro_fbeta(c: Counts, *, beta: float = 1.0) -> Array:
    """Mean of the per-class Fβ; β > 1 favours recall.

    Formula: 1/k · Σ (1+β²)·correct / (β²·prevalence + bias)
    Reference: Sokolova & Lapalme 2009
    """
    return c.mean(fbeta(c, beta=beta))


@macro(
    symbol="macFβ′",
    signature="fbeta-of-averages",
    properties=_f_of_averages,
    least={"beta": 0.0},
    variant_of="f1_of_averages",
    default=False,
    title="Macro Fβ (Fβ of averages)",
    short_title="Fβ of averages",
)
def fbeta_of_averages(c: Counts, *, beta: float = 1.0) -> Array:
    """Fβ of macro precision and macro recall; β > 1 favours recall.

    Formula: (1+β²)·P̄·R̄ / (β²·P̄ + R̄)
    Reference: Sokolova & Lapalme 2009
    """
    return harmonic(macro_precision(c), macro_recall(c), beta)


# Averages weighted by prevalence

weighted = partial(
    metric,
    family="weighted",
    default=True,
    reference="scikit-learn, average='weighted'",
    properties=derived(),
)


@weighted(symbol="wP", signature="weighted-mean-of-precision", biased=True)
def weighted_precision(c: Counts) -> Array:
    """Mean of the per-class precision, weighted by how often the class is true.

    Formula: Σ prevalence·P / Σ prevalence
    """
    return c.mean(precision(c), c.prevalence)


@weighted(
    symbol="wR",
    signature="weighted-mean-of-recall",
    properties=MICRO,
    proportion=lambda c: (c.sum(c.correct), c.sum(c.prevalence)),
)
def weighted_recall(c: Counts) -> Array:
    """Mean of the per-class recall, weighted by how often the class is true.

    Formula: Σ prevalence·R / Σ prevalence
    """
    return c.mean(recall(c), c.prevalence)


@weighted(symbol="wF1", signature="weighted-mean-of-f1")
def weighted_f1(c: Counts) -> Array:
    """Mean of the per-class F1, weighted by how often the class is true.

    Formula: Σ prevalence·F1 / Σ prevalence
    """
    return c.mean(f1(c), c.prevalence)


@weighted(
    symbol="wF1′",
    signature="f1-of-weighted-averages",
    title="Weighted F1 (F1 of averages)",
    short_title="F1 of weighted averages",
)
def weighted_f1_of_averages(c: Counts) -> Array:
    """Harmonic mean of weighted precision and weighted recall.

    Formula: 2·P_w·R_w / (P_w + R_w), with the weighted precision and recall
    Reference: shipped as 'weighted F1' by several libraries
    """
    return harmonic(weighted_precision(c), weighted_recall(c))


# The gap between the two macro F1s

BLOCK = 1 << 14
"""Terms computed together, to stay in cache and to bound memory."""


def pair_terms(c: Counts) -> Array:
    """The contribution of each ordered pair of classes to the gap, as a k × k array.

    (P_x R_y − P_y R_x)² / ((P_x+R_x)(P_y+R_y)) / (k·Σ(P+R)) over the averaged classes
    (Opitz & Burst 2019, lemma). The array is symmetric and, where 0/0 counts as 0, sums to
    the gap; an unordered pair's share is twice its entry.
    """
    p, r, normaliser = _rates(c)
    return ratio(_terms(p, r), normaliser[..., None, None])


def _rates(c: Counts) -> tuple[Array, Array, Array]:
    """Precision and recall of the averaged classes, and what the terms of pairs are shares of."""
    p, r = c.listed(precision(c)), c.listed(recall(c))
    return p, r, c.sum(namespace(p).ones_like(p)) * c.sum(p + r)


def _terms(p: Array, r: Array, rows: slice = slice(None)) -> Array:
    x = (..., rows, None)
    skew = p[x] * r[..., None, :] - r[x] * p[..., None, :]
    both = p + r
    return ratio(skew**2, both[x] * both[..., None, :])


def largest_pairs(c: Counts, most: int | None = None) -> tuple[float, Array, Array, Array]:
    """The sum of all terms, and the pairs that contribute most: their classes and their terms.

    An unordered pair counts twice. Largest first, at most ``most``; rounding is left out. Terms
    are computed a block of rows at a time, of which only the largest so far are kept.
    """
    p, r, normaliser = _rates(c)
    k, rows = len(p), max(1, BLOCK // len(p))
    total, least = 0.0, np.inf if most == 0 else np.finfo(np.float64).tiny
    at, value = np.zeros(0, np.int64), np.zeros(0)
    for start in range(0, k, rows):
        terms = ratio(_terms(p, r, slice(start, start + rows)), normaliser)
        total += float(terms.sum())
        pairs = 2 * np.triu(terms, start + 1)  # each once
        above = np.flatnonzero(pairs >= least)
        at, value = np.append(at, start * k + above), np.append(value, pairs.flat[above])
        if most and len(value) > most:
            least = np.partition(value, -most)[-most]
            at, value = at[value >= least], value[value >= least]
    large = value > 1e-15 * value.max(initial=0)
    (x, y), value = np.divmod(at[large], k), value[large]
    order = np.lexsort((y, x, -value))[:most]
    return total, x[order], y[order], value[order]


def largest_of_each(c: Counts, most: int | None = None) -> list[tuple[float, Array, Array, Array]]:
    """:func:`largest_pairs` of every table of a stack."""
    flat = replace(c, undefined=0.0).flat()
    picks = map(itemgetter, range(len(flat.bias)))
    return [largest_pairs(flat.mapped(pick, pick), most) for pick in picks]


def bound(k: int) -> float:
    """Supremum of the gap over all tables of k classes: 1/2, or 1/2 − 1/(2k²) for odd k.

    >>> bound(2), bound(3)
    (0.5, 0.4444444444444444)
    """
    return 0.5 - (k % 2) / (2 * k * k)


def extremal(k: int, z: int) -> Array:
    """A table of k classes (rows = true) whose gap approaches :func:`bound` as z grows.

    Ones on the diagonal; classes pair up, and in each pair z items of one class are taken for
    the other. With an odd k the last three classes share: one is taken for both of the others.

    >>> extremal(3, 9)
    array([[1, 0, 0],
           [9, 1, 9],
           [0, 0, 1]])
    """
    if k < 2:
        raise ValueError(f"two formulas need at least 2 classes to differ, got {k}")
    m = np.eye(k, dtype=np.int64)
    for i in range(0, k - 1, 2):
        m[i + 1, i] = z
    if k % 2:
        m[k - 2, k - 1] = z
    return m

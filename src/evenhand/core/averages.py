"""Averages over classes of any metric of one class, and their values with one item left out."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.core.arrays import Array, floating, namespace
from evenhand.core.margins import Counts, across_classes, generalised
from evenhand.core.registry import Metric

_WORDS = {
    "macro": (
        "Mean of the {0.name} of each class: every class weighs the same.",
        "1/k · Σ {0.formula}",
        "mac{0.symbol}",
        "mean-of-{0.signature}",
    ),
    "micro": (
        "The {0.name} of the averaged classes thrown together.",
        "{0.formula}, each of TP, FP, FN, TN added up over the averaged classes",
        "mic{0.symbol}",
        "micro-{0.signature}",
    ),
    "weighted": (
        "Mean of the {0.name} of each class, weighted by how often the class is true.",
        "Σ prevalence·({0.formula}) / Σ prevalence",
        "w{0.symbol}",
        "weighted-mean-of-{0.signature}",
    ),
}
"""The summary, formula, symbol and signature of averages."""


def average(kind: str, each: Metric) -> Metric:
    """The record of an average over classes.

    >>> from evenhand.core.registry import find
    >>> record = average("macro", find("jaccard"))
    >>> record.name, record.summary
    ('macro_jaccard', 'Mean of the jaccard of each class: every class weighs the same.')
    """
    summary, formula, symbol, signature = (words.format(each) for words in _WORDS[kind])
    powers = kind == "macro" and each.low >= 0 and math.isfinite(each.high)
    function = {"macro": _macro, "micro": _micro, "weighted": _weighted}[kind](each.function)
    function.__name__, function.__doc__ = f"{kind}_{each.name}", summary
    return replace(
        each,
        name=function.__name__,
        function=function,
        symbol=symbol,
        formula=formula,
        signature=signature,
        aliases=tuple(f"{kind}_{alias}" for alias in each.aliases),
        classes="seen" if kind == "micro" else None,
        of_one_class=False,
        parameters={**each.parameters, **({"p": 1.0} if powers else {})},
        derivation=None,
        proportion=None,
        through=None,
        variant_of=None,
        words=(),
        family=kind,
    )


def _macro(each: Callable[..., Array]) -> Any:
    def mean(c: Counts, *, p: float = 1.0, **options: float) -> Array:
        x = each(c, **options)
        return generalised(c, x, p) if p != 1 else _mean(c, x)

    return mean


def _mean(c: Counts, x: Array, weights: Array | None = None) -> Array:
    """The mean; undefined where values are infinite both ways."""
    xp = namespace(x)
    if xp is np and not np.isinf(x).any():
        return c.mean(x, weights)
    high, low = (c.sum(xp.where(x == end, 1.0, 0.0)) > 0 for end in (math.inf, -math.inf))
    both = high & low
    mean = c.mean(xp.where(across_classes(both), 0.0, x), weights)
    return xp.where(both, c.undefined, mean)


def _weighted(each: Callable[..., Array]) -> Any:
    def mean(c: Counts, **options: float) -> Array:
        x = each(c, **options)
        never = c.prevalence == 0  # nothing times an infinite value is nothing
        return _mean(c, namespace(x).where(never, 0.0, x), c.prevalence)

    return mean


def _micro(each: Callable[..., Array]) -> Any:
    """The metric of one class that has the counts of all averaged classes together."""

    def micro(c: Counts, **options: float) -> Array:
        correct, bias, prevalence = (c.sum(x)[..., None] for x in (c.correct, c.bias, c.prevalence))
        errors = c.errors and (
            c.sum(c.false_negatives)[..., None],
            c.sum(c.false_positives)[..., None],
        )
        total = floating(c.total) * c.averaged_classes
        pooled = Counts(correct, bias, prevalence, total, undefined=c.undefined, errors=errors)
        return each(pooled, **options)[..., 0]

    return micro


# Leave one item out

Codes = NDArray[np.int64]


def leave_one_out(
    function: Callable[[Counts], Array], counts: Counts, table: Codes, true: Codes, pred: Codes
) -> NDArray[np.float64]:
    """The value of a macro average with one item less, for each cell that has some.

    ``counts`` has tables × classes; a cell is a table, a true and a predicted code (k: outside).
    Only the terms of an item's own classes change: reductions are those of the table with these
    terms exchanged.

    >>> from evenhand.core.metrics.macro import macro_recall
    >>> counts = Counts.from_cells(np.array([[[3, 1], [0, 2]]]))  # recalls 3/4 and 2/2
    >>> zero = np.zeros(2, np.int64)
    >>> leave_one_out(macro_recall, counts, zero, zero, np.array([0, 1])).round(4)  # 2/3, or 3/3
    array([0.8333, 1.    ])
    """
    inside, wrong = pred < counts.bias.shape[-1], true != pred
    flat = replace(counts.flat(), errors=None)
    size = flat.bias.size
    first = table * flat.bias.shape[-1]
    terms: list[Array] = []
    loss = np.array([[1, 1, 1], [0, 0, 1], [0, 1, 0]])[..., None, None]  # hit, miss, alarm
    with np.errstate(divide="ignore", invalid="ignore"):
        function(_TermCounts(**vars(flat), terms=terms))
        margins = (flat.correct, flat.bias, flat.prevalence)
        correct, bias, prevalence = (x - loss[:, i] for i, x in enumerate(margins))
        smaller = replace(flat, correct=correct, bias=bias, prevalence=prevalence)
        left_out = _LeaveOneOutCounts(
            **vars(smaller),
            terms=iter(terms),
            table=table,
            own=first + true + size * wrong,
            other=np.where(wrong & inside, 2 * size + first + pred, 3 * size),
        )
        return np.asarray(function(left_out), np.float64)


@dataclass(frozen=True, eq=False)
class _TermCounts(Counts):
    """Counts that record the terms of every reduction."""

    terms: list[Array] = field(kw_only=True)

    def sum(self, x: Array) -> Array:
        return self._record(self.listed(floating(x))).sum(axis=-1)

    def largest(self, x: Array) -> Array:
        x = self.listed(x, -np.inf)
        return self._record(np.where(np.isnan(x), -np.inf, x)).max(axis=-1)

    def scale(self, x: Array) -> Array:
        return self.largest(x)[..., None]

    def _record(self, x: Array) -> Any:
        x = np.broadcast_to(x, self.bias.shape)
        self.terms.append(x)
        return x


@dataclass(frozen=True, eq=False)
class _LeaveOneOutCounts(Counts):
    """The margins of every class with a hit, a miss or an alarm less; reductions are per cell.

    ``own`` and ``other`` index the terms that an item's true and predicted class then have, among
    3 × tables × classes; the index after the last is for none.
    """

    terms: Iterator[Array] = field(kw_only=True)
    table: Codes = field(kw_only=True)
    own: Codes = field(kw_only=True)
    other: Codes = field(kw_only=True)

    def sum(self, x: Array) -> Array:
        before = next(self.terms)
        moved = np.append(self.listed(floating(x)) - before, 0.0)
        return before.sum(axis=-1)[self.table] + moved[self.own] + moved[self.other]

    def scale(self, x: Array) -> Array:
        return next(self.terms).max(axis=-1)[..., None]

    def back(self, scale: Array) -> Array:
        return scale[..., 0][self.table]

    def largest(self, x: Array) -> Array:
        before, x = next(self.terms), self.listed(x, -np.inf)
        moved = np.append(np.where(np.isnan(x), -np.inf, x), -np.inf)
        largest = np.maximum(moved[self.own], moved[self.other])
        for i in np.argsort(-before, axis=-1)[:, :3].T:  # two of the three largest may be touched
            at = self.table * before.shape[-1] + i[self.table]
            touched = self.own % before.size == at
            touched |= (self.other < 3 * before.size) & (self.other % before.size == at)
            largest = np.where(touched, largest, np.maximum(largest, before.reshape(-1)[at]))
        return largest

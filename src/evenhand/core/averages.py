"""Averages: the macro, micro and weighted average of any metric of one class, by one mechanism."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from evenhand.core.arrays import Array, floating, namespace, real
from evenhand.core.class_promises import of_average
from evenhand.core.counts import Counts, column
from evenhand.core.means import generalised
from evenhand.core.promises import Properties
from evenhand.core.registry import Metric


def average(kind: str, each: Metric) -> Metric:
    """The record of an average over classes.

    >>> from evenhand.core.registry import find
    >>> found = average("macro", find("jaccard"))
    >>> found.name, found.summary
    ('macro_jaccard', 'Mean of the jaccard of each class: every class weighs the same.')
    """
    make, summary, formula, symbol, signature = {
        "macro": (
            _macro,
            f"Mean of the {each.name} of each class: every class weighs the same.",
            f"1/k · Σ {each.formula}",
            f"mac{each.symbol}",
            f"mean-of-{each.signature}",
        ),
        "micro": (
            _micro,
            f"The {each.name} of the averaged classes thrown together.",
            f"{each.formula}, each of TP, FP, FN, TN added up over the averaged classes",
            f"mic{each.symbol}",
            f"micro-{each.signature}",
        ),
        "weighted": (
            _weighted,
            f"Mean of the {each.name} of each class, weighted by how often the class is true.",
            f"Σ prevalence·({each.formula}) / Σ prevalence",
            f"w{each.symbol}",
            f"weighted-mean-of-{each.signature}",
        ),
    }[kind]
    promises = partial(_promised, kind, each) if each.properties is not None else None
    powers = kind == "macro" and each.low >= 0 and math.isfinite(each.high)
    function = make(each.function)
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
        example=None,
        properties=None if promises is None else promises(),
        promises=promises,
        proportion=None,
        through=None,
        variant_of=None,
        alike=kind == "macro" and not each.of_rest,
        shown={},
        words=(),
        family=kind,
    )


def _promised(kind: str, each: Metric, **options: Any) -> Properties:
    """What an average promises with these parameters, by what each class's value does."""
    own = {name: value for name, value in options.items() if name in each.parameters}
    of_each = each.promised(**own)
    assert of_each is not None
    return of_average(kind, each.name, of_each, each.formula, **options)


def _macro(each: Callable[..., Array]) -> Any:
    def mean(c: Counts, *, p: float = 1.0, **options: float) -> Array:
        x = each(c, **options)
        return generalised(c, x, p) if p != 1 else _mean(c, x)

    return mean


def _mean(c: Counts, x: Array, weights: Array | None = None) -> Array:
    """The mean; undefined of values of which one is endlessly high and one endlessly low."""
    xp = namespace(x)
    if xp is np and not np.isinf(x).any():
        return c.mean(x, weights)
    high, low = (c.sum(xp.where(real(x) == end, 1.0, 0.0)) > 0 for end in (math.inf, -math.inf))
    apart = high & low
    found = c.mean(xp.where(column(apart), 0.0, x), weights)
    return xp.where(apart, c.undefined, found)


def _weighted(each: Callable[..., Array]) -> Any:
    def mean(c: Counts, **options: float) -> Array:
        x = each(c, **options)
        never = real(c.prevalence) == 0  # nothing times an infinite value is nothing
        return _mean(c, namespace(x).where(never, 0.0, x), c.prevalence)

    return mean


def _micro(each: Callable[..., Array]) -> Any:
    """A class as large as all averaged ones together, among as many tables."""

    def thrown_together(c: Counts, **options: float) -> Array:
        correct, bias, prevalence = (c.sum(x)[..., None] for x in (c.correct, c.bias, c.prevalence))
        errors = c.errors and (c.sum(c.misses)[..., None], c.sum(c.alarms)[..., None])
        total = floating(c.total) * c.averaged_classes
        whole = Counts(correct, bias, prevalence, total, undefined=c.undefined, errors=errors)
        return each(whole, **options)[..., 0]

    return thrown_together

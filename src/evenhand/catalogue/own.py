"""Own: a metric of your own, with its record, in every list and command like ours."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from evenhand.catalogue.names import ambiguous, meant
from evenhand.catalogue.plugins import FAMILY
from evenhand.core.arrays import Array
from evenhand.core.registry import Better, Needs, Size, Task, add, find, own_metrics, recorded
from evenhand.errors import MetricError, shown

F = TypeVar("F", bound=Callable[..., Array])

_TASKS: dict[Needs, frozenset[Task]] = {
    "cells": frozenset({"single"}),
    "pairs": frozenset({"single"}),
    "items": frozenset({"multi"}),
}
"""The kinds of data that have what a metric needs; margins are there of both."""


def metric(
    *,
    symbol: str = "",
    formula: str = "",
    reference: str = "",
    low: float = 0.0,
    high: float = 1.0,
    better: Better = "higher",
    aliases: tuple[str, ...] = (),
    title: str = "",
    needs: Needs = "counts",
    of_one_class: bool = False,
    of_rest: bool = False,
    classes: str | None = None,
    least: Mapping[str, float] | None = None,
    most: Mapping[str, float] | None = None,
    choices: Mapping[str, tuple[str, ...]] | None = None,
    size: Size = "nothing",
    smooth: bool = True,
    ordered: bool = False,
) -> Callable[[F], F]:
    """Make a function of :class:`Counts` a metric, known by its name wherever metrics are named.

    Its keyword arguments are its parameters, its docstring says what it is. The fields are those
    of :class:`Metric`: range, which values are better, what it is of. A package that names such
    functions in the entry point group ``evenhand.metrics`` brings them wherever it is installed.

    ::

        @eh.metric(symbol="ER", formula="1 − Σ correct / total", better="lower")
        def error_rate(c):
            "Share of items that are wrong."
            return 1 - ratio(c.sum(c.correct), c.total, c.undefined)

        eh.score(y_true, y_pred, metrics="error_rate")

    A name must be free:

    >>> import evenhand as eh
    >>> @eh.metric(formula="1 − Σ correct / total", better="lower")
    ... def kappa(c):
    ...     "Share of items that are wrong."
    ...     return 1 - eh.ratio(c.sum(c.correct), c.total, c.undefined)
    Traceback (most recent call last):
    evenhand.errors.MetricError: the name 'kappa' is taken
    """

    def register(function: F) -> F:
        name = getattr(function, "__name__", "")
        if not name.isidentifier() or name.startswith("_"):
            raise MetricError(f"a metric is a function with a name, got {shown([name])}")
        if not low < high or math.isnan(low) or math.isnan(high):
            raise MetricError(f"low of {name} must be below high, got {low:g} and {high:g}")
        for known in (name, *aliases):
            _refuse_taken(known, name, function)
        record = recorded(
            function,
            symbol=symbol or name,
            formula=formula,
            signature=f"own-{name.replace('_', '-')}",
            reference=reference,
            low=low,
            high=high,
            better=better,
            aliases=tuple(aliases),
            title=title,
            needs=needs,
            tasks=_TASKS.get(needs, frozenset({"single", "multi"})),
            of_one_class=of_one_class,
            of_rest=of_rest,
            classes=classes,
            least=least or {},
            most=most or {},
            choices=choices or {},
            size=size,
            smooth=smooth,
            ordered=ordered,
            family=FAMILY,
            own=True,
        )
        add(record)
        function.metric = record  # type: ignore[attr-defined]
        return function

    return register


def _refuse_taken(known: str, name: str, function: Any) -> None:
    """A name must be free: of ours, of names that mean ours, and of others' functions."""
    for other in own_metrics():
        if other.name == name and _home(other.function) == _home(function):
            return  # the same, defined again
    if ambiguous(known) or meant(known) is not None or find(known) is not None:
        taken = find(known) or find((meant(known) or "").partition(":")[0])
        whose = f": it is {taken.name}" if taken is not None and taken.name != known else ""
        raise MetricError(f"the name {shown([known])} is taken{whose}")


def _home(function: Any) -> tuple[str, str]:
    return str(function.__module__), str(function.__qualname__)

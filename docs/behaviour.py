"""How a metric behaves, drawn: as the class mix changes, and as a classifier leans to a class."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

import evenhand as eh
from evenhand.catalogue.spelling import brief
from evenhand.charts.chart import Chart, ChartLayout, Spec
from evenhand.charts.confusion import curved
from evenhand.core.registry import Metric
from evenhand.records import Curve

AT = [i / 100 for i in range(1, 100)]
"""Shares; both classes are there."""
ITEMS = 100_000
RECALLS = {"recalls 90 % and 90 %": (0.9, 0.9), "90 % and 60 %": (0.9, 0.6), "guessing": (0.5, 0.5)}
SHARES = {"50 % of the items are of class a": 0.5, "10 %": 0.1, "1 %": 0.01}
APART = 2.0
"""Standard deviations between the scores that the classes get."""

Tables = NDArray[np.int64]


def cells(share: float, of_a: float, of_b: float) -> list[list[int]]:
    """Whole counts of a task with two classes: the share of a, and both recalls."""
    a = round(ITEMS * share)
    right_a, right_b = round(a * of_a), round((ITEMS - a) * of_b)
    return [[right_a, a - right_a], [ITEMS - a - right_b, right_b]]


def mixes(recalls: tuple[float, float]) -> Tables:
    """The same classifier as class a goes from absent to everything."""
    return np.array([cells(share, *recalls) for share in AT])


def leaning(share: float) -> Tables:
    """A classifier whose scores are normal, two standard deviations apart, its threshold moved so
    that it predicts class a for this or that share of the items."""
    return np.array([cells(share, *rates(share, wanted)) for wanted in AT])


def rates(share: float, wanted: float) -> tuple[float, float]:
    """Both recalls where a share of the items is taken for a: the threshold by halving."""
    low, high = -9.0, 11.0
    for _ in range(60):
        middle = (low + high) / 2
        taken = share * above(middle - APART) + (1 - share) * above(middle)
        low, high = (middle, high) if taken > wanted else (low, middle)
    return above(low - APART), 1 - above(low)


def above(x: float) -> float:
    """How much of a standard normal lies above x."""
    return math.erfc(x / math.sqrt(2)) / 2


def values(m: Metric, tables: Tables) -> tuple[float, ...]:
    """The metric of each table, of class a where it is one of a class."""
    one: dict[str, Any] = {"label": 0} if m.of_one_class else {}
    found = getattr(eh, m.name)(tables, **one)
    return tuple(np.where(np.isfinite(found), found, math.nan).tolist())


def behaviour(m: Metric) -> dict[str, Chart]:
    """Two charts by what they show; none of a metric that needs more than a table."""
    if m.needs in ("items", "scores") or "single" not in m.tasks:
        return {}
    return {
        "mix": chart(
            m,
            f"{brief(m.name)} as the class mix changes",
            "The recalls of two classes stay as they are; one class becomes more frequent.",
            "share of class a among the items",
            {name: mixes(recalls) for name, recalls in RECALLS.items()},
        ),
        "bias": chart(
            m,
            f"{brief(m.name)} as a classifier leans to one class",
            "One classifier, its threshold moved: it predicts class a never, or always.",
            "share of class a among the predictions",
            {name: leaning(share) for name, share in SHARES.items()},
        ),
    }


def chart(m: Metric, title: str, note: str, axis: str, tables: dict[str, Tables]) -> Chart:
    """Lines by name."""
    found = {name: values(m, stack) for name, stack in tables.items()}
    none = (None,) * len(AT)
    curves = {name: Curve(line, none, none) for name, line in found.items()}
    told = f"From {np.nanmin(list(found.values())):.3g} to {np.nanmax(list(found.values())):.3g}."

    def draw(layout: ChartLayout) -> Spec:
        return curved(curves, AT, axis, "share", layout, score=m.symbol)

    return Chart.drawn(draw, title, told, note)

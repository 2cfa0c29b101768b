"""Systems by classes: whose F1 falls where."""

from __future__ import annotations

from typing import Any

import numpy as np

from evenhand.catalogue.binding import per_class
from evenhand.count.several import stack_of
from evenhand.draw.chart import Chart
from evenhand.draw.layout import Layout
from evenhand.draw.marks import Spec, layered, named, shade, shaded, slant
from evenhand.draw.names import LONG, names
from evenhand.errors import InputError, shown
from evenhand.results.colours import LIGHT

SYSTEMS, CLASSES = 60, 50


def panel(data: Any, *, systems: list[str] | None = None, title: str | None = None) -> Chart:
    """The F1 of every class for every system, as shades: rows are systems, columns classes.

    Beyond 50 classes those with the most items are shown, beyond 60 systems the first.

    >>> import evenhand as eh
    >>> sample = eh.Sample.from_labels("aabb", {"A": list("aabb"), "B": list("abab")})
    >>> panel(sample).description
    'The lowest F1 is 0.50, of B on a and of B on b.'
    """
    tables = stack_of(data)
    there = [str(k) for k in tables.keys[0]]
    order = systems or there
    strange = [s for s in order if s not in there]
    if strange:
        raise InputError(f"systems must be among {shown(there)}, got {shown(strange)}")
    at = [there.index(s) for s in order][:SYSTEMS]
    f1 = np.asarray(per_class("f1", tables, undefined=0.0), np.float64)[at]
    size = np.asarray(tables.prevalence, np.float64)[at[0]]
    kept = np.sort(np.argsort(-size, kind="stable")[:CLASSES])
    columns = names([tables.labels[j] for j in kept], 20)
    lines = names(order[:SYSTEMS])
    f1 = f1[:, kept]

    def draw(layout: Layout) -> Spec:
        rows = names(order[:SYSTEMS], layout.name(LONG))
        values = [
            {
                "system": rows[i],
                "label": columns[j],
                "f1": f1[i, j],
                "text": f"{f1[i, j]:.2f}".replace("0.", "."),
                "tip": f"{lines[i]}, {columns[j]}: F1 {f1[i, j]:.3f}",
            }
            for i in range(len(lines))
            for j in range(len(columns))
        ]
        step = layout.cell(rows, len(columns), 150)
        high = 24 if len(lines) <= 30 else 15
        opacity = {"fillOpacity": shade("f1", 0.03, type="pow", exponent=2)}
        small: Spec = {} if high >= 16 else {"labelFontSize": 10}
        layer = shaded({"fill": LIGHT["green"]}, opacity, "datum.f1 > 0.8", min(step, high))
        x = named("label", columns, orient="bottom", **slant(columns, step))
        place = {"x": x, "y": named("system", rows, **small)}
        return layered(values, {"step": step}, {"step": high}, *layer, encoding=place)

    low = float(f1.min())
    worst = [f"of {lines[i]} on {columns[j]}" for i, j in np.argwhere(f1 == low)[:2]]
    said = f"The lowest F1 is {low:.2f}, {' and '.join(worst)}."
    return Chart.drawn(draw, title or "F1 of every class for every system", said)

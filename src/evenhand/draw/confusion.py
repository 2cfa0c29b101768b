"""The confusion heatmap, and the largest confusions as bars."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from evenhand.count.several import one_table
from evenhand.draw.chart import Chart
from evenhand.draw.layout import Layout
from evenhand.draw.marks import Spec, bars, layered, named, shade, shaded, slant
from evenhand.draw.names import checked_limit, names
from evenhand.errors import InputError
from evenhand.results.colours import LIGHT
from evenhand.results.text import amount, counted, hundredths, percent
from evenhand.tables.confusion import Confusion

MOST = 50
"""Classes that a heatmap shows; beyond, the largest confusions are listed."""
FEW, LARGEST = 12, 20
"""Classes up to which a phone has the heatmap; the confusions that are listed beyond."""

By = Literal["true", "pred", "all"]
SHOWN: dict[By | None, str] = {
    None: "counts",
    "true": "% of each true class",
    "pred": "% of each predicted class",
    "all": "% of all items",
}


def confusion(data: Any, *, normalise: By | None = "true", title: str | None = None) -> Chart:
    """Which class is taken for which: a heatmap, or beyond 50 classes the largest confusions.

    ``normalise`` is ``"true"`` for shares of each row (the diagonal is recall), ``"pred"`` for
    shares of each column (precision), ``"all"`` for shares of all items, ``None`` for counts.

    >>> confusion([[6, 1, 1], [1, 5, 2], [2, 3, 7]]).title
    'Confusions, % of each true class'
    """
    if normalise not in SHOWN:
        raise InputError(f"normalise must be 'true', 'pred', 'all' or None, got {normalise!r}")
    table = one_table(data)
    if table.k > MOST:
        return confusions(table, title=title)
    return Chart.drawn(
        lambda layout: _heatmap(table, normalise, layout),
        title or f"Confusions, {SHOWN[normalise]}",
        _said(table),
    )


def _heatmap(table: Confusion, normalise: By | None, layout: Layout) -> Spec:
    """The table in shades; on a phone beyond a few classes the largest confusions."""
    if layout.stacked and table.k > FEW:
        return _largest(table, LARGEST, layout)
    labels = names(table.labels, layout.name(24 if table.k <= 30 else 18))
    cells = np.asarray(table.cells, np.float64)
    lost = np.asarray(table.outside, np.float64)
    columns = list(labels)
    if lost.any():
        cells = np.column_stack([cells, lost])
        columns.append("no class")
    shares = cells
    if normalise is not None:
        shares = table.normalised(normalise).data.dense().weight[:, : len(columns)]
    step = layout.cell(labels, len(columns), 150)
    filled = np.argwhere(cells > 0)
    shades = shares
    if normalise not in ("true", "pred"):  # a root, or one large class would leave the rest white
        shades = np.sqrt(shares / (shares.max(initial=0) or 1))
    values = [
        {
            "true": labels[i],
            "pred": columns[j],
            "shade": float(shades[i, j]),
            "text": amount(cells[i, j]) if normalise is None else hundredths(shares[i, j]),
            "tip": f"true {labels[i]}, predicted {columns[j]}: {amount(cells[i, j])}"
            + ("" if normalise is None else f" ({percent(shares[i, j])})"),
        }
        for i, j in filled
    ]
    small: Spec = {} if step >= 16 else {"labelFontSize": 9}
    y = named("true", labels, title="true", **small)
    x = named("pred", columns, title="predicted", orient="bottom", **slant(columns, step), **small)
    opacity = {"fillOpacity": shade("shade", 0.06)}
    layer = shaded({"fill": LIGHT["blue"]}, opacity, "datum.shade > 0.62", step)
    size = {"step": step}, {"step": max(15, min(40, step))}
    return layered(values, *size, _grid(labels, y, x), *layer, encoding={"x": x, "y": y})


def confusions(data: Any, *, limit: int = LARGEST, title: str | None = None) -> Chart:
    """The largest confusions of one table: true class, predicted class, how often.

    >>> confusions([[6, 1, 1], [1, 5, 2], [2, 3, 7]]).title
    'Largest confusions'
    """
    table, most = one_table(data), checked_limit(limit)
    return Chart.drawn(
        lambda layout: _largest(table, most, layout), title or "Largest confusions", _said(table)
    )


def _largest(table: Confusion, limit: int, layout: Layout) -> Spec:
    found = worst(table, limit)
    labels = names([f"{a} → {b}" for a, b, _, _ in found], 48)
    values = [
        {
            "pair": name,
            "value": n,
            "text": f"{amount(n)} ({percent(share)})",
            "tip": f"true {name.replace(' → ', ', predicted ', 1)}: {amount(n)} of its items, "
            f"{percent(share)}",
        }
        for name, (_, _, n, share) in zip(labels, found, strict=True)
    ]
    axis = "items (share of the true class)"
    return bars(values, layout, title=axis, colour=LIGHT["orange"], name="true → predicted")


def worst(table: Confusion, limit: int) -> list[tuple[object, object, float, float]]:
    """True label, predicted label, weight, share of the true class; the largest first."""
    true, pred, weight = (np.asarray(x) for x in table.nonzero())
    wrong = true != pred
    true, pred, weight = true[wrong], pred[wrong], np.asarray(weight[wrong], np.float64)
    order = np.lexsort((pred, true, -weight))[:limit]
    size = np.asarray(table.prevalence, np.float64)
    labels = [*table.labels, "no class"]
    return [
        (labels[true[i]], labels[pred[i]], _whole(weight[i]), float(weight[i] / size[true[i]]))
        for i in order
    ]


def _whole(x: Any) -> float:
    """A count as the integer it is."""
    return int(x) if float(x).is_integer() else float(x)


def _said(table: Confusion) -> str:
    total = float(table.total)
    right = float(np.sum(table.correct)) / total if total else float("nan")
    text = f"{counted(table.k, 'class', 'classes')}; {percent(right)} of the items are right."
    found = worst(table, 1)
    if found:
        (a, b), n = names(found[0][:2]), found[0][2]
        text += f" Most often {a} is taken for {b}: {amount(n)}."
    return text


def _grid(labels: list[str], y: Spec, x: Spec) -> Spec:
    """A faint frame for the diagonal, so that the eye finds it in a wide table."""
    same = {"values": [{"true": v, "pred": v} for v in labels]}
    mark = {"type": "rect", "fill": None, "stroke": LIGHT["grey"], "strokeWidth": 1, "aria": False}
    return {"data": same, "mark": mark, "encoding": {"x": x, "y": y}}

"""The confusion heatmap, and the largest confusions as bars."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from evenhand.count.several import one_table
from evenhand.draw.chart import Chart, rows
from evenhand.draw.marks import Spec, bars, layered, named, shade, shaded, slant
from evenhand.draw.names import names
from evenhand.errors import InputError
from evenhand.results.colours import LIGHT
from evenhand.results.text import amount, counted, percent
from evenhand.tables.confusion import Confusion

MOST = 50
"""Classes that a heatmap shows; beyond, the largest confusions are listed."""
WRITTEN = 24
"""Classes up to which every cell has its number."""

By = Literal["true", "pred", "all"]
SHOWN: dict[By | None, str] = {
    None: "counts",
    "true": "shares of each true class",
    "pred": "shares of each predicted class",
    "all": "shares of all items",
}


def confusion(data: Any, *, normalise: By | None = "true", title: str | None = None) -> Chart:
    """Which class is taken for which: a heatmap, or beyond 50 classes the largest confusions.

    ``normalise`` is ``"true"`` for shares of each row (the diagonal is recall), ``"pred"`` for
    shares of each column (precision), ``"all"`` for shares of all items, ``None`` for counts.

    >>> confusion([[6, 1, 1], [1, 5, 2], [2, 3, 7]]).title
    'Confusions, shares of each true class'
    """
    if normalise not in SHOWN:
        raise InputError(f"normalise must be 'true', 'pred', 'all' or None, got {normalise!r}")
    table = one_table(data)
    if table.k > MOST:
        return confusions(table, title=title)
    labels = names(table.labels, 24 if table.k <= 30 else 18)
    cells = np.asarray(table.cells, np.float64)
    lost = np.asarray(table.outside, np.float64)
    columns = list(labels)
    if lost.any():
        cells = np.column_stack([cells, lost])
        columns.append("no class")
    shares = cells
    if normalise is not None:
        shares = table.normalised(normalise).data.dense().weight[:, : len(columns)]
    step = max(15, min(64, 720 // max(len(columns), 1)))
    filled = np.argwhere(cells > 0)
    texts = [_written(cells[i, j], shares[i, j], normalise, step) for i, j in filled]
    shades = shares
    if normalise not in ("true", "pred"):  # a root, or one large class would leave the rest white
        shades = np.sqrt(shares / (shares.max(initial=0) or 1))
    values = [
        {
            "true": labels[i],
            "pred": columns[j],
            "shade": float(shades[i, j]),
            "text": text,
            "tip": f"true {labels[i]}, predicted {columns[j]}: {amount(cells[i, j])}"
            + ("" if normalise is None else f" ({percent(shares[i, j])})"),
        }
        for text, (i, j) in zip(texts, filled, strict=True)
    ]
    y = named("true", labels, title="true", labelFontSize=11 if step >= 16 else 9)
    x = named("pred", columns, title="predicted", orient="bottom", **slant(columns, step))
    x["axis"]["labelFontSize"] = y["axis"]["labelFontSize"]
    opacity = {"fillOpacity": shade("shade", 0.06)}
    dark = "datum.shade > 0.62" * (step >= 26 and table.k <= WRITTEN)
    layer = shaded({"fill": LIGHT["blue"]}, opacity, dark, 11 if step >= 34 else 9)
    size = {"step": step}, {"step": max(15, min(40, step))}
    spec = layered(values, *size, _grid(labels, y, x), *layer, encoding={"x": x, "y": y})
    return Chart(spec, title or f"Confusions, {SHOWN[normalise]}", _said(table))


def confusions(data: Any, *, limit: int = 20, title: str | None = None) -> Chart:
    """The largest confusions of one table: true class, predicted class, how often.

    >>> confusions([[6, 1, 1], [1, 5, 2], [2, 3, 7]]).title
    'Largest confusions'
    """
    table = one_table(data)
    found = worst(table, limit)
    labels = names([f"{a} → {b}" for a, b, _, _ in found], 52)
    values = [
        {
            "pair": name,
            "n": n,
            "text": f"{amount(n)} ({percent(share)})",
            "tip": f"true {name.replace(' → ', ', predicted ', 1)}: {amount(n)} of its items, "
            f"{percent(share)}",
        }
        for name, (_, _, n, share) in zip(labels, found, strict=True)
    ]
    y = named("pair", labels, title="true → predicted")
    drawn = bars(y, "n", "items (share of the true class)", LIGHT["orange"])
    spec: Spec = {"data": rows(values), "height": {"step": 22}, **drawn}
    return Chart(spec, title or "Largest confusions", _said(table))


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


def _written(count: float, share: float, by: By | None, step: float) -> str:
    if by is None:
        return amount(count)
    text = f"{100 * share:.0f}"
    return ("<1" if text == "0" else text) + ("%" if step >= 34 else "")


def _grid(labels: list[str], y: Spec, x: Spec) -> Spec:
    """A faint frame for the diagonal, so that the eye finds it in a wide table."""
    same = {"values": [{"true": v, "pred": v} for v in labels]}
    mark = {"type": "rect", "fill": None, "stroke": LIGHT["grey"], "strokeWidth": 1, "aria": False}
    return {"data": same, "mark": mark, "encoding": {"x": x, "y": y}}

"""Charts of tables and probabilities: confusion, curves, reliability."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Literal

import numpy as np

from evenhand.charts.chart import (
    DASHES,
    SERIES,
    TIP,
    Chart,
    ChartLayout,
    Spec,
    bars,
    between,
    dashed,
    either,
    heat_map,
    layered,
    named,
    names,
    numbers,
    pixels,
    points,
    quantity,
    rule_at,
    series,
    silent,
    slant,
    text,
)
from evenhand.core.ratio import ratio
from evenhand.data.arguments import one_table
from evenhand.data.confusion import Confusion
from evenhand.data.sample import SoftSample
from evenhand.errors import InputError
from evenhand.inference.wilson import critical_value, wilson
from evenhand.options import choice, heading, instance, whole_number
from evenhand.records import Curve
from evenhand.results.page import LIGHT
from evenhand.text import amount, counted, hundredths, interval, percent

MOST = 50
"""Classes that a heatmap shows; beyond, the largest confusions are listed."""
MARGIN = 44
"""Pixels for the bars beside a heatmap."""
MAX_NARROW_CLASSES, MAX_CONFUSIONS = 12, 20
"""Classes up to which a phone has the heatmap; the confusions that are listed beyond."""

By = Literal["true", "pred", "all"]
NORMALISATIONS: dict[By | None, str] = {
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
    choice(normalise, NORMALISATIONS, "normalise")
    table = one_table(data)
    if table.k > MOST:
        return confusions(table, title=title)
    head = heading(title, f"Confusions, {NORMALISATIONS[normalise]}")
    return Chart.drawn(partial(_heatmap, table, normalise), head, _description(table))


def counts(data: Any, *, title: str | None = None) -> Chart:
    """The same with the number of items in each cell.

    >>> counts([[6, 1, 1], [1, 5, 2], [2, 3, 7]]).title
    'Confusions, counts'
    """
    return confusion(data, normalise=None, title=title)


def _heatmap(table: Confusion, normalise: By | None, layout: ChartLayout) -> Spec:
    """The table in shades; on a phone beyond a few classes the largest confusions."""
    if layout.stacked and table.k > MAX_NARROW_CLASSES:
        return _largest(table, MAX_CONFUSIONS, layout)
    labels = names(table.labels, layout.name(24 if table.k <= 30 else 18))
    cells = np.asarray(table.cells, np.float64)
    lost = np.asarray(table.outside, np.float64)
    columns = list(labels)
    if lost.any():
        cells = np.column_stack([cells, lost])
        columns.append("no class")
    of_true, of_pred, of_all = (
        ratio(cells, cells.sum(axis=axis, keepdims=True)) for axis in (1, 0, None)
    )
    shares = {None: cells, "true": of_true, "pred": of_pred, "all": of_all}[normalise]
    shades = of_pred if normalise == "pred" else of_true
    room = layout.cell(labels, len(columns), 999) - MARGIN / len(columns) - 1
    step = min(room, 115, max(64, 460 / len(columns)))
    values = [
        {
            "true": labels[i],
            "pred": columns[j],
            "hit": bool(i == j),
            "shade": float(shades[i, j]),
            "text": amount(cells[i, j]) if normalise is None else hundredths(shares[i, j]),
            "tip": f"true {labels[i]}, predicted {columns[j]}: {amount(cells[i, j])}"
            + ("" if normalise is None else f" ({percent(shares[i, j])})"),
        }
        for i, j in np.argwhere(cells > 0)
    ]
    y = named("true", labels, title="true")
    x = named("pred", columns, title="predicted", orient="bottom", **slant(columns, step))
    frame = silent("rect", {"x": x, "y": y}, fill=None, stroke=LIGHT["grey"], strokeWidth=1)
    framed = {"data": {"values": [{"true": v, "pred": v} for v in labels]}, **frame}
    colour = either("datum.hit", LIGHT["blue"], LIGHT["orange"])
    heat = heat_map(values, x, y, step, step, colour, framed)
    cell = {"encoding": heat.pop("encoding"), "layer": heat.pop("layer")}
    right = _margin("true", labels, cells.sum(axis=1), y)
    above = _margin("pred", columns, cells.sum(axis=0), x)
    return {**heat, "layer": [cell, right, above]}


def _margin(field: str, names: Sequence[str], sums: Any, scale: Spec) -> Spec:
    """How often each class is true, as bars at the right; or predicted, above."""
    words = {"true": "true", "pred": "predicted"}[field]
    most = float(sums.max(initial=0)) or 1.0
    values = [
        {field: name, "size": (MARGIN - 8) * float(n) / most, "tip": f"{name}: {amount(n)} {words}"}
        for name, n in zip(names, sums, strict=True)
    ]
    across, start, sign = ("x", "width + 4", "+") if field == "true" else ("y", "-4", "-")
    ends = {across: {"expr": start}, f"{across}2": {"expr": f"{start} {sign} datum.size"}}
    axis, thick = ("y", "height") if field == "true" else ("x", "width")
    mark = {"type": "bar", "color": LIGHT["grey"], thick: {"band": 0.6}, **ends}
    return {"data": {"values": values}, "mark": mark, "encoding": {axis: scale, **TIP}}


def confusions(data: Any, *, limit: int = MAX_CONFUSIONS, title: str | None = None) -> Chart:
    """The largest confusions of one table: true class, predicted class, how often.

    >>> confusions([[6, 1, 1], [1, 5, 2], [2, 3, 7]]).title
    'Largest confusions'
    """
    table, most = one_table(data), whole_number(limit, "limit", 1)
    head = heading(title, "Largest confusions")
    return Chart.drawn(partial(_largest, table, most), head, _description(table))


def _largest(table: Confusion, limit: int, layout: ChartLayout) -> Spec:
    pairs = worst(table, limit)
    labels, values = names([f"{a} → {b}" for a, b, _, _ in pairs], 48), list[Spec]()
    for name, (_, _, n, share) in zip(labels, pairs, strict=True):
        many, part = amount(n), percent(share)
        tip = f"true {name.replace(' → ', ', predicted ', 1)}: {many} of its items, {part}"
        values.append({"pair": name, "value": n, "text": f"{many} ({part})", "tip": tip})
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
    rows = zip(true[order], pred[order], weight[order].tolist(), strict=True)
    return [
        (labels[t], labels[p], int(w) if w.is_integer() else w, float(w / size[t]))
        for t, p, w in rows
    ]


def _description(table: Confusion) -> str:
    right = float(ratio(np.sum(table.correct), table.total, np.nan))
    text = f"{counted(table.k, 'class', 'classes')}; {percent(right)} of the items are right."
    for *pair, n, _ in worst(table, 1):
        a, b = names(pair)
        text += f" Most often {a} is taken for {b}: {amount(n)}."
    return text


# Curves with bands.

LEGEND = {
    "offset": 20,
    "symbolType": "stroke",
    "symbolSize": 300,
    "symbolOpacity": 1,
    "symbolStrokeWidth": 2.5,
}


def curved(
    curves: Mapping[str, Curve],
    at: Sequence[float],
    axis: str,
    place: str,
    layout: ChartLayout,
    *more: Spec,
    columns: int = 1,
    score: str | None = "score",
    legend: bool = True,
    percents: bool = True,
) -> Spec:
    """Lines by name over ``at``, from 0 to 1 on the axis if all are; ``place`` names a point of it.

    ``more`` are layers over them; ``columns`` such plots stand beside each other; without
    ``percents`` the axis has plain numbers.
    """
    axis_text = percent if percents else "{:g}".format
    values = [
        {
            "at": x,
            "value": v,
            "low": low,
            "high": high,
            "series": name,
            "tip": f"{name} at a {place} of {axis_text(x)}: {interval(v, low, high)}",
        }
        for name, c in curves.items()
        for x, v, low, high in zip(at, c.value, c.low, c.high, strict=True)
    ]
    lines = list(curves)
    across = int(layout.width // (pixels(lines) + 50)) or 1
    key = {**LEGEND, "columns": across} if legend else None
    colour = series("series", lines, SERIES[: len(lines)], legend=key)
    dash = series("series", lines, DASHES[: len(lines)], legend=key)
    ends = [0, 1] if 0 <= at[0] <= at[-1] <= 1 else [at[0], at[-1]]
    x = numbers("at", axis, domain=ends)
    shown = {"labelExpr": "format(datum.value * 100, '.0f') + ' %'"}
    if ends == [0, 1]:
        x["axis"]["values"] = [0, 0.25, 0.5, 0.75, 1]
        x["axis"] |= shown if percents else {"format": ".2f"}
    y = numbers("value", score)
    layer: list[Spec] = [
        between("y", y, {"x": x, "color": colour}, type="area", opacity=0.15),
        silent("line", {"x": x, "y": y, "color": colour, "strokeDash": dash}, strokeWidth=2),
        {
            "mark": {"type": "point", "size": 60, "color": LIGHT["ink"], "opacity": 0.01},
            "encoding": {"x": x, "y": y, **TIP},
            "transform": [{"filter": "round(datum.at * 100) % 10 == 0"}],
        },
    ]
    width = (layout.width - 20) // columns - 60
    return layered(values, width, min(260, int(0.7 * width)), *layer, *more)


def marked(at: float, words: str, *, line: int = 0) -> list[Spec]:
    """A rule at one place and its words: above the panel, or inside it from the bottom, on the
    side with room."""
    if not line:
        side = "left" if at < 0.2 else "right" if at > 0.8 else "center"
        return [rule_at(at), _words(at, words, y=-7, align=side, color=LIGHT["soft"])]
    left = at > 0.6
    place = {"align": "right" if left else "left", "dx": -4 if left else 4}
    rule = rule_at(at, color=LIGHT["ink"], strokeDash=[1, 0])
    more = {"y": "height", "dy": 8 - 14 * line, "color": LIGHT["ink"]}
    return [rule, _words(at, words, **place, **more)]


def _words(at: float, words: str, **place: object) -> Spec:
    shown = {"x": quantity("at"), "text": {"field": "words"}}
    return text(place, shown, data={"values": [{"at": at, "words": words}]})


# Reliability of probabilities.

BARS = 20
"""Of how many probabilities lie where."""


def reliability(
    sample: SoftSample, system: str | None = None, *, bins: int = 10, title: str | None = None
) -> Chart:
    """Probabilities against what came true, on the diagonal where they mean what they say.

    Of two classes the probabilities of the second count, else those of every class, in ``bins`` of
    about equal size. Where probabilities mean what they say, 95 % of the dots are in the band
    around the diagonal: of the shares of independent items with these probabilities.

    >>> import evenhand as eh
    >>> sample = eh.Sample.from_probabilities([0, 1, 1], {"A": [0.2, 0.6, 0.9]})
    >>> reliability(sample).title
    'Reliability of A'
    """
    instance(sample, SoftSample, "sample", "a Sample with probabilities")
    bins = whole_number(bins, "bins", 1, 1000)
    system = sample.systems[0] if system is None else system
    choice(system, sample.systems, "system")
    if sample.only_scores:
        raise InputError("reliability is of probabilities, got scores that are none")
    classes = np.arange(sample.k)[1 if sample.k == 2 else 0 :]
    p = sample.probability[sample.systems.index(system)][:, classes]
    is_true = sample.true[:, None] == classes
    weight = np.ones(sample.n) if sample.weight is None else sample.weight
    order = np.argsort(p, axis=None, kind="stable")
    flat, hit = p.reshape(-1)[order], is_true.reshape(-1)[order]
    mass = np.repeat(weight, len(classes))[order]
    values, error, band = [], 0.0, []
    for part in np.array_split(np.arange(len(flat)), bins):
        total = mass[part].sum() if len(part) else 0.0
        if not total:
            continue
        mean, share = (float((x[part] * mass[part]).sum() / total) for x in (flat, hit))
        error += abs(mean - share) * float(total / mass.sum())
        spread = (mass[part] ** 2 * flat[part] * (1 - flat[part])).sum()
        half = critical_value(0.95) * math.sqrt(max(spread, 0.0)) / total
        band.append({"p": mean, "low": max(0, mean - half), "high": min(1, mean + half)})
        row = {"p": mean, "share": share}
        if sample.weight is None:
            bounds = wilson(np.array(share * total), np.array(total), 0.95)
            row |= zip(("low", "high"), map(float, bounds), strict=True)
        tip = f"said {percent(mean)} on average, came true in {percent(share)} of {len(part):,}"
        values.append({**row, "tip": tip})
    x = numbers("p", "probability given", domain=[0, 1], nice=False)
    y = numbers("share", "share that came true", domain=[0, 1], nice=False)
    shade = between("y", y, {}, type="area", color=LIGHT["soft"], opacity=0.15)
    layer: list[Spec] = [
        {"data": {"values": band}, **shade},
        dashed({"p": 0, "share": 0}, {"p": 1, "share": 1}),
        between("y", y, {}, color=LIGHT["blue"], strokeWidth=1.5),
        points({}, color=LIGHT["blue"], size=55),
    ]

    many, _ = np.histogram(flat, np.linspace(0, 1, BARS + 1))
    bins_of = [
        {"p": i / BARS, "to": (i + 1) / BARS, "n": int(n), "tip": f"{n:,} probabilities"}
        for i, n in enumerate(many)
    ]
    high: Spec = {**numbers("n", "count", zero=True), "axis": {"tickCount": 2, "grid": False}}
    ends: Spec = {"x": x, "x2": {"field": "to"}, "y": high, "y2": {"datum": 0}}
    bar = {"type": "bar", "color": LIGHT["grey"], "binSpacing": 1}

    def draw(layout: ChartLayout) -> Spec:
        side = min(420, layout.width - 80)
        square = layered(values, side, side, *layer, encoding={"x": x, "y": y})
        histogram = layered(bins_of, side, 48, {"mark": bar}, encoding={**ends, **TIP})
        return {"vconcat": [square, histogram]}

    (name,) = names([system])
    description = f"On average {name} is off by {100 * error:.1f} points over {len(values)} bins."
    each = f"{len(flat) // bins:,}" if len(flat) % bins == 0 else f"about {len(flat) / bins:,.0f}"
    note = f"each dot: {each} probabilities; band: where 95 % of dots are if they are right"
    head = f"Reliability of {name}"
    return Chart.drawn(draw, heading(title, head), description, note)

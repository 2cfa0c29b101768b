"""Whether probabilities mean what they say."""

from __future__ import annotations

from functools import singledispatch
from typing import Any

import numpy as np

from evenhand.count.several import one_table
from evenhand.draw.chart import Chart
from evenhand.draw.layout import Layout
from evenhand.draw.marks import Spec, between, layered, numbers, points
from evenhand.draw.names import names
from evenhand.errors import InputError
from evenhand.infer.wilson import wilson
from evenhand.results.colours import LIGHT
from evenhand.results.text import percent
from evenhand.tables.sample import SoftSample


def reliability(
    data: Any, system: str | None = None, *, bins: int = 10, title: str | None = None
) -> Chart:
    """Probabilities against what came true, on the diagonal where they mean what they say.

    ``data`` is a sample with probabilities: every probability of every class, in ``bins`` of
    about equal size. A soft table alone has forgotten its items: then each class's expected
    share stands against its true share.

    >>> reliability([[6.5, 1.5], [2.5, 5.5]]).title
    'Expected against true share of each class'
    """
    return _reliability(data, system, bins, title)


@singledispatch
def _reliability(data: Any, system: str | None, bins: int, title: str | None) -> Chart:
    table = one_table(data)
    total = float(table.total)
    expected, true = (np.asarray(x, np.float64) / total for x in (table.bias, table.prevalence))
    labels = names(table.labels)
    values = [
        _dot(e, t, None, None, f"{label}: expected {percent(e)}, true {percent(t)}")
        for label, e, t in zip(labels, expected.tolist(), true.tolist(), strict=True)
    ]
    worst = int(np.argmax(np.abs(expected - true)))
    said = (
        f"{labels[worst]} is furthest off: expected {percent(float(expected[worst]))} of the "
        f"items, true of {percent(float(true[worst]))}."
    )
    top = float(max(expected.max(), true.max())) * 1.08
    axes = ("expected share", "true share")
    return _chart(values, axes, top, title or "Expected against true share of each class", said)


@_reliability.register
def _of_items(sample: SoftSample, system: str | None, bins: int, title: str | None) -> Chart:
    if bins < 1:
        raise InputError(f"bins must be at least 1, got {bins}")
    system = system or sample.systems[0]
    if system not in sample.systems:
        raise InputError(f"system must be one of {', '.join(sample.systems)}, got {system!r}")
    p = sample.probability[sample.systems.index(system)]
    came = sample.true[:, None] == np.arange(sample.k)
    weight = np.ones(sample.n) if sample.weight is None else sample.weight
    order = np.argsort(p, axis=None, kind="stable")
    flat, hit = p.reshape(-1)[order], came.reshape(-1)[order]
    mass = np.repeat(weight, sample.k)[order]
    values = []
    error = 0.0
    for part in np.array_split(np.arange(len(flat)), bins):
        whole = mass[part].sum() if len(part) else 0.0
        if not whole:
            continue
        said, share = (float((x[part] * mass[part]).sum() / whole) for x in (flat, hit))
        error += abs(said - share) * float(whole / mass.sum())
        ends = _ends(share, float(whole), bool(sample.weight is None))
        tip = f"said {percent(said)} on average, came true in {percent(share)} of {len(part):,}"
        values.append(_dot(said, share, *ends, tip))
    (name,) = names([system])
    said_text = f"On average {name} is off by {100 * error:.1f} points over {len(values)} bins."
    axes = ("probability given", "share that came true")
    return _chart(values, axes, 1.0, title or f"Reliability of {name}", said_text)


def _dot(said: float, came: float, low: float | None, high: float | None, tip: str) -> Spec:
    return {"said": said, "came": came, "low": low, "high": high, "tip": tip}


def _ends(share: float, n: float, plain: bool) -> tuple[float | None, float | None]:
    if not plain:
        return None, None
    low, high = wilson(np.array(share * n), np.array(n), 0.95)
    return float(low), float(high)


def _chart(
    values: list[dict[str, Any]], axes: tuple[str, str], top: float, title: str, said: str
) -> Chart:
    x, y = (numbers(f, t, domain=[0, top], nice=False)
            for f, t in zip(("said", "came"), axes, strict=True))  # fmt: skip
    line = [{"said": 0.0, "came": 0.0}, {"said": top, "came": top}]
    style: Spec = {"type": "line", "color": LIGHT["soft"], "strokeDash": [4, 3], "aria": False}
    layer: list[Spec] = [
        {"data": {"values": line}, "mark": style, "encoding": {"x": x, "y": y}},
        between("y", y, {"x": x}, color=LIGHT["blue"], strokeWidth=1.5),
        points({"x": x, "y": y}, color=LIGHT["blue"], size=55),
    ]

    def draw(layout: Layout) -> Spec:
        side = min(420, layout.width - 64)
        return layered(values, side, side, *layer)

    return Chart.drawn(draw, title, said)

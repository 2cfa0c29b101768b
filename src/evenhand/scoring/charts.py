"""Charts of one system: its classes, its metrics, what makes its two macro F1s differ."""

from __future__ import annotations

import math
from typing import Any

from evenhand.catalogue.lists import shown_in
from evenhand.draw.chart import Chart
from evenhand.draw.layout import Layout
from evenhand.draw.marks import (
    Spec,
    apart,
    bars,
    between,
    bounded,
    dots,
    layered,
    lines,
    numbers,
    points,
    series,
    undefined_last,
)
from evenhand.draw.names import checked_limit, merged_names, names
from evenhand.draw.theme import SERIES
from evenhand.errors import InputError
from evenhand.notes.interval import Interval
from evenhand.results.colours import LIGHT
from evenhand.results.sentence import called
from evenhand.results.text import amount, interval, percent
from evenhand.scoring.classes import PER_CLASS
from evenhand.scoring.content import merged
from evenhand.scoring.score import score
from evenhand.scoring.scores import Scores
from evenhand.scoring.twins import MOST, Twins, twins

CLASSES = 60
PAIRS = 12
SHAPES = ["triangle-right", "square", "circle"]
CALLED = {"precision": "precision", "recall": "recall", "f1": "F1"}


def classes(data: Any, *, limit: int = CLASSES, title: str | None = None) -> Chart:
    """Precision, recall and F1 of each class, with intervals; the classes with the lowest F1
    where there are more than ``limit``.

    >>> classes([[6, 1, 1], [1, 5, 2], [2, 3, 7]]).title
    'Precision, recall and F1 of each class'
    """
    scores = data if isinstance(data, Scores) else score(data)
    found = list(scores.classes)
    if len(found) > checked_limit(limit):
        found = sorted(found, key=lambda c: undefined_last(c.f1))[:limit]
    labels = names([c.label for c in found])
    values = []
    for label, c in zip(labels, found, strict=True):
        for name in PER_CLASS:
            b = c.intervals.get(name) or Interval(getattr(c, name))
            tip = f"{label}, {CALLED[name]} {interval(b.value, b.low, b.high)}; "
            tip += f"{amount(c.prevalence)} true, {amount(c.bias)} predicted"
            known = b.picked("value", "low", "high")
            values.append({"label": label, "metric": CALLED[name], **known, "tip": tip})
    order = list(CALLED.values())
    step = 12 if len(found) <= 25 else 8
    colour = series("metric", order, [SERIES[1], SERIES[0], SERIES[2]])
    shape = series("metric", order, SHAPES)
    offset: Spec = {"field": "metric", "type": "nominal", "sort": None, "scale": {"domain": order}}
    x = numbers("value", "score", domain=[0, 1])

    def draw(layout: Layout) -> Spec:
        y = apart(lines("label", labels, layout, above=3 * step // 2 + 8, title="class"), layout)
        return layered(
            values, layout.beside(labels), {"step": step, "for": "offset"},
            between("x", x, {"color": colour}, strokeWidth=1.5),
            points({"x": x, "color": colour, "shape": shape}, size=40),
            encoding={"y": y, "yOffset": offset},
        )  # fmt: skip

    note = ""
    if len(found) < len(scores.classes):
        note = f"the {len(found)} of {len(scores.classes):,} classes with the lowest F1"
    weak = min(found, key=lambda c: undefined_last(c.f1))
    (name,) = names([weak.label])
    words = "No F1 is defined here."
    if not math.isnan(weak.f1):
        words = f"The lowest F1 is {weak.f1:.3f}, that of {name}"
        words += f" ({amount(weak.prevalence)} true items)."
        if scores.signature.weights != "given":  # n is of items, prevalence of their weights
            words += f" It has {percent(float(weak.prevalence) / scores.n)} of the items."
    return Chart.drawn(draw, title or "Precision, recall and F1 of each class", words, note)


def scores(data: Any, *, title: str | None = None) -> Chart:
    """Every metric of one system side by side, with its interval; equal ones in one row.

    >>> scores([[6, 1, 1], [1, 5, 2], [2, 3, 7]], title="Three animals").title
    'Three animals'
    """
    found = data if isinstance(data, Scores) else score(data)
    known = [m for m, s in found.metrics.items() if bounded(m) and s.value == s.value]
    first = [m for m in shown_in("score") if m in known]
    groups = merged(found, dict.fromkeys((*first, *known)))
    labels, same = merged_names(groups, "Equal here")
    kept = [found.metrics[group[0]] for group in groups]
    values = [
        {
            "metric": label,
            **s.picked("value", "low", "high"),
            "text": f"{s.value:.3f}",
            "tip": f"{label} {interval(s.value, s.low, s.high, 4)}",
        }
        for label, s in zip(labels, kept, strict=True)
    ]
    x = numbers("value", "score and interval")
    said = "No metric is defined here."
    if kept:
        low, high = min(kept, key=lambda s: s.value), max(kept, key=lambda s: s.value)
        said = (
            f"The metrics go from {low.value:.3f} ({called(low.metric)}) to {high.value:.3f} "
            f"({called(high.metric)})."
        )
    head = title or "Every metric with its interval"
    return Chart.drawn(lambda room: dots(values, "metric", labels, x, room), head, said + same)


def gap(data: Any, *, limit: int = PAIRS, title: str | None = None) -> Chart:
    """The pairs of classes that make the gap between the two macro F1s, largest first.

    ``data`` is a table, or the result of ``eh.twins``.

    >>> gap([[100, 0], [10000, 100]]).description[:36]
    'The gap is 48.53 points (mean of F1 '
    """
    found = data if isinstance(data, Twins) else twins(data, pairs=checked_limit(limit))
    if found.gap_by_lemma is None:
        raise InputError(
            f"the gap has pair terms only where 0/0 counts as 0, and up to {MOST:,} classes"
        )
    pairs = found.pairs[:limit]
    single = list(dict.fromkeys(v for a, b, _ in pairs for v in (a, b)))
    name_of = dict(zip(single, names(single, 22), strict=True))
    labels = names([f"{name_of[a]} × {name_of[b]}" for a, b, _ in pairs], 48)
    values = [
        {
            "pair": name,
            "value": 100 * share * found.gap,
            "text": percent(share),
            "tip": f"{name}: {100 * share * found.gap:.2f} points, {percent(share)} of the gap",
        }
        for name, (_, _, share) in zip(labels, pairs, strict=True)
    ]
    how = {"title": "points of the gap (and share of it)", "colour": LIGHT["purple"], "name": ""}
    said = (
        f"The gap is {100 * found.gap:.2f} points (mean of F1 {found.macro_f1:.4f}, "
        f"F1 of averages {found.f1_of_averages:.4f}), at most {100 * found.bound:.1f} for so "
        "many classes."
    )
    head = title or "Pairs of classes behind the gap"
    return Chart.drawn(lambda layout: bars(values, layout, **how), head, said)

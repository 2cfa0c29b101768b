"""Charts of scores, groups and thresholds."""

from __future__ import annotations

import math
from functools import partial
from itertools import product
from typing import Any

from evenhand.catalogue.lists import HEADLINES
from evenhand.catalogue.spelling import brief, called
from evenhand.charts.chart import (
    SERIES,
    Chart,
    ChartLayout,
    Spec,
    apart,
    bars,
    between,
    bounded,
    checked_limit,
    dots,
    interval_row,
    layered,
    lines,
    merged_names,
    metric_names,
    named,
    names,
    numbers,
    points,
    series,
    shade,
    shaded,
    slant,
    text,
    undefined_last,
)
from evenhand.charts.confusion import curved, marked
from evenhand.errors import InputError, heading, instance
from evenhand.records import Interval
from evenhand.results.page import LIGHT
from evenhand.scoring.groups import Groups
from evenhand.scoring.macro_f1_gap import MOST_CLASSES, Twins, twins
from evenhand.scoring.score import score
from evenhand.scoring.scores import PER_CLASS, Scores, merged
from evenhand.scoring.thresholds import Thresholds
from evenhand.text import amount, counted, key_text, number, percent

MAX_CLASSES = 60
MAX_PAIRS = 12
NO_PAIRS = f"the gap has pair terms only where 0/0 counts as 0, and up to {MOST_CLASSES:,} classes"
SHAPES = ["triangle-right", "square", "circle"]
TITLES = {"precision": "precision", "recall": "recall", "f1": "F1"}


def classes(data: Any, *, limit: int = MAX_CLASSES, title: str | None = None) -> Chart:
    """Precision, recall and F1 of each class, with intervals; the classes with the lowest F1
    where there are more than ``limit``.

    >>> classes([[6, 1, 1], [1, 5, 2], [2, 3, 7]]).title
    'Precision, recall and F1 of each class'
    """
    scores = data if isinstance(data, Scores) else score(data)
    rows = list(scores.classes)
    if len(rows) > checked_limit(limit):
        rows = sorted(rows, key=lambda c: undefined_last(c.f1))[:limit]
    labels = names([c.label for c in rows])
    values = []
    for label, c in zip(labels, rows, strict=True):
        for name in PER_CLASS:
            b = c.intervals.get(name) or Interval(getattr(c, name))
            after = f"; {amount(c.prevalence)} true, {amount(c.bias)} predicted"
            row = interval_row(b, f"{label}, {TITLES[name]}", after, label=label)
            values.append({**row, "metric": TITLES[name]})
    order = list(TITLES.values())
    step = 12 if len(rows) <= 25 else 8
    colour = series("metric", order, [SERIES[1], SERIES[0], SERIES[2]])
    shape = series("metric", order, SHAPES)
    offset: Spec = {"field": "metric", "type": "nominal", "sort": None, "scale": {"domain": order}}
    x = numbers("value", "score", domain=[0, 1])

    def draw(layout: ChartLayout) -> Spec:
        y = apart(lines("label", labels, layout, above=3 * step // 2 + 8, title="class"), layout)
        return layered(
            values, layout.plot_width(labels), {"step": step, "for": "offset"},
            between("x", x, {"color": colour}, strokeWidth=1.5),
            points({"x": x, "color": colour, "shape": shape}, size=40),
            encoding={"y": y, "yOffset": offset},
        )  # fmt: skip

    note = ""
    if len(rows) < len(scores.classes):
        note = f"the {len(rows)} of {len(scores.classes):,} classes with the lowest F1"
    weak = min(rows, key=lambda c: undefined_last(c.f1))
    (name,) = names([weak.label])
    description = "No F1 is defined here."
    if not math.isnan(weak.f1):
        description = f"The lowest F1 is {weak.f1:.3f}, that of {name}"
        description += f" ({amount(weak.prevalence)} true items)."
        if scores.signature.weights != "given":  # n is of items, prevalence of their weights
            description += f" It has {percent(float(weak.prevalence) / scores.n)} of the items."
    head = heading(title, "Precision, recall and F1 of each class")
    return Chart.drawn(draw, head, description, note)


def scores(data: Any, *, title: str | None = None) -> Chart:
    """Every metric of one system side by side, with its interval; equal ones in one row.

    >>> scores([[6, 1, 1], [1, 5, 2], [2, 3, 7]], title="Three animals").title
    'Three animals'
    """
    result = data if isinstance(data, Scores) else score(data)
    known = [m for m, s in result.metrics.items() if bounded(m) and s.value == s.value]
    first = [m for m in HEADLINES if m in known]
    groups = merged(result, dict.fromkeys((*first, *known)))
    labels, same = merged_names(groups, "Equal here")
    shown = [result.metrics[group[0]] for group in groups]
    values = [
        interval_row(s, label, digits=4, metric=label)
        for label, s in zip(labels, shown, strict=True)
    ]
    description = "No metric is defined here."
    if shown:
        low, high = min(shown, key=lambda s: s.value), max(shown, key=lambda s: s.value)
        description = (
            f"The metrics go from {low.value:.3f} ({called(low.metric)}) to {high.value:.3f} "
            f"({called(high.metric)})."
        )
    draw = partial(dots, values, "metric", labels, numbers("value", "score and interval"))
    return Chart.drawn(draw, heading(title, "Every metric with its interval"), description + same)


def gap(data: Any, *, limit: int = MAX_PAIRS, title: str | None = None) -> Chart:
    """The pairs of classes that make the gap between the two macro F1s, largest first.

    ``data`` is a table, or the result of ``eh.twins``.

    >>> gap([[100, 0], [10000, 100]]).description[:36]
    'The gap is 48.53 points (mean of F1 '
    """
    result = data if isinstance(data, Twins) else twins(data, pairs=checked_limit(limit))
    if result.gap_by_lemma is None:
        raise InputError(NO_PAIRS)
    pairs = result.pairs[:limit]
    single = list(dict.fromkeys(v for a, b, _ in pairs for v in (a, b)))
    name_of = dict(zip(single, names(single, 22), strict=True))
    labels = names([f"{name_of[a]} × {name_of[b]}" for a, b, _ in pairs], 48)
    values = [
        {
            "pair": name,
            "value": 100 * share * result.gap,
            "text": percent(share),
            "tip": f"{name}: {100 * share * result.gap:.2f} points, {percent(share)} of the gap",
        }
        for name, (_, _, share) in zip(labels, pairs, strict=True)
    ]
    axis, colour = "points of the gap (and share of it)", LIGHT["purple"]
    description = (
        f"The gap is {100 * result.gap:.2f} points (mean of F1 {result.macro_f1:.4f}, "
        f"F1 of averages {result.f1_of_averages:.4f}), at most {100 * result.bound:.1f} for so "
        "many classes."
    )
    head = heading(title, "Pairs of classes behind the gap")
    draw = partial(bars, values, title=axis, colour=colour, name="")
    return Chart.drawn(draw, head, description)


MAX_LEMMA_CLASSES = 16


def lemma(data: Any, *, title: str | None = None, **options: Any) -> Chart:
    """The gap between the two macro F1s by pairs of classes, beside each class's precision and
    recall: a pair makes a gap where its points do not lie on one line from the origin.

    ``options`` are ``classes`` and ``undefined``; of many classes those with the largest terms.

    >>> lemma([[6, 1, 1], [1, 5, 2], [2, 3, 7]]).title
    'The lemma: what each pair of classes adds to the gap'
    """
    result = twins(data, pairs=None, **options)
    if result.gap_by_lemma is None:
        raise InputError(NO_PAIRS)
    terms = {(a, b): share * result.gap / 2 for a, b, share in result.pairs}
    rates = score(data, metrics="macro_f1", interval=None, **options).classes
    points_of = {c.label: (c.precision, c.recall) for c in rates if c.prevalence or c.bias}
    size = {v: sum(x for pair, x in terms.items() if v in pair) for v in points_of}
    ranked = sorted(points_of, key=lambda v: -size[v])[:MAX_LEMMA_CLASSES]
    classes = [v for v in points_of if v in ranked]
    labels = names(classes, 10)
    largest = max(terms.values(), default=0) or 1
    cells = []
    for (a, one), (b, other) in product(zip(classes, labels, strict=True), repeat=2):
        x = terms.get((a, b), terms.get((b, a), 0.0))
        row = {"one": one, "other": other, "shade": x / largest, "text": f"{100 * x:.2f}"}
        cells += [{**row, "tip": f"{one} and {other}: {100 * x:.2f} points"}] if a != b else []
    dots_of = [
        {"p": p, "r": r, "label": name, "tip": f"{name}: precision {p:.3f}, recall {r:.3f}"}
        for name, (p, r) in zip(labels, (points_of[v] for v in classes), strict=True)
    ]
    diagonal = {
        "data": {"values": [{"p": 0, "r": 0}, {"p": 1, "r": 1}]},
        "mark": {"type": "line", "color": LIGHT["soft"], "strokeDash": [3, 3], "aria": False},
    }

    def draw(layout: ChartLayout) -> Spec:
        step = min(56.0, (layout.width / (1 if layout.stacked else 2) - 110) / len(labels))
        y = named("one", labels, title=None)
        x = named("other", labels, title=None, orient="bottom", **slant(labels, step))
        shades = shaded({"fill": LIGHT["purple"]}, {"fillOpacity": shade("shade", 0.04)},
                        "datum.shade > 0.62", step)  # fmt: skip
        heat = layered(cells, {"step": step}, {"step": min(40, step)}, *shades,
                       encoding={"x": x, "y": y})  # fmt: skip
        heat["title"] = {"text": "points of the gap: all cells add up to it", "fontSize": 11}
        side = 240
        axes = {f: numbers(f, t, domain=[0, 1]) for f, t in (("p", "precision"), ("r", "recall"))}
        origin = {"x2": {"datum": 0}, "y2": {"datum": 0}}
        rays = {"mark": {"type": "rule", "color": LIGHT["blue"], "opacity": 0.3, "aria": False}}
        dots = points({}, size=50, color=LIGHT["blue"])
        written = text({"align": "left", "dx": 6, "dy": -4}, {"text": {"field": "label"}})
        square = layered(dots_of, side, side, diagonal, rays | {"encoding": origin}, dots, written,
                         encoding={"x": axes["p"], "y": axes["r"]})  # fmt: skip
        square["title"] = {"text": "classes", "fontSize": 11}
        return {"vconcat" if layout.stacked else "hconcat": [heat, square]}

    description = (
        f"The gap is {100 * result.gap:.2f} points of at most {100 * result.bound:.1f}; a pair "
        "adds to it where its classes differ in precision : recall."
    )
    few = len(classes) < len(points_of)
    note = f"the {len(classes)} of {len(points_of):,} classes with the largest terms" if few else ""
    head = heading(title, "The lemma: what each pair of classes adds to the gap")
    return Chart.drawn(draw, head, description, note)


MOST_GROUPS = 60


def groups(data: Any, *, metric: str | None = None, title: str | None = None) -> Chart:
    """The groups on one metric, worst first; ``data`` is what ``eh.groups`` gives.

    >>> import evenhand as eh
    >>> found = eh.groups(list("abab" * 9), list("abbb" * 9), by=list("xxyy" * 9))
    >>> groups(found, metric="accuracy").title
    'Groups by accuracy'
    """
    instance(data, Groups, "groups", "the result of eh.groups")
    gap = data[metric] if metric is not None else next(iter(data.values()))
    sign = 1 if gap.worst_score.value <= gap[gap.best].score.value else -1
    order = sorted(gap.groups, key=lambda g: undefined_last(sign * g.score.value))[:MOST_GROUPS]
    labels = names([key_text(g.key) for g in order])
    values = [
        interval_row(g.score, label, f"; {counted(g.n, 'item')}", group=label)
        for label, g in zip(labels, order, strict=True)
    ]
    worst, best = gap[gap.worst], gap[gap.best]
    description = (
        f"{brief(gap.metric)} is worst in {key_text(gap.worst)}, {number(worst.score.value, 3)}, "
        f"and best in {key_text(gap.best)}, {number(best.score.value, 3)}."
    )
    cut = len(gap.groups) > MOST_GROUPS
    note = f"the {MOST_GROUPS} worst of {len(gap.groups):,} groups" if cut else ""
    axis = numbers("value", f"{brief(gap.metric)} and interval")
    draw = partial(dots, values, "group", labels, axis)
    return Chart.drawn(draw, heading(title, f"Groups by {called(gap.metric)}"), description, note)


def thresholds(found: Thresholds, *, title: str | None = None) -> Chart:
    """Each metric along the threshold from which on a class is predicted, the best one marked.

    >>> import evenhand as eh
    >>> p = [[.9, .1], [.7, .3], [.6, .4], [.2, .8]]
    >>> thresholds(eh.thresholds([0, 0, 1, 1], p, labels=[0, 1], label=1)).title
    'Scores against the threshold of 1'
    """
    instance(found, Thresholds, "thresholds", "the result of eh.thresholds")
    (label,) = names([found.label])
    metrics = [m for m in found.curves if bounded(m)][: len(SERIES)] or [found.metric]
    titles = metric_names(metrics)
    curves = {name: found.curves[m] for m, name in zip(metrics, titles, strict=True)}
    flag = marked(found.best, f"best by {metric_names([found.metric], 30)[0]}, {found.best:g}")
    axis = f"threshold of {label}"
    chosen, argmax = found.chosen[found.metric].value, found.argmax[found.metric].value
    (lead,) = metric_names([found.metric])
    description = f"{lead} is best from {found.best:g} on: {number(chosen, 3)} on these items"
    if found.expected is not None:
        description += f", {number(found.expected.value, 3)} to be expected of new ones"
    description += f"; {number(argmax, 3)} with the most probable class."

    def draw(layout: ChartLayout) -> Spec:
        at = found.thresholds
        return curved(curves, at, axis, "threshold", layout, *flag, percents=False)

    head = heading(title, f"Scores against the threshold of {label}")
    return Chart.drawn(draw, head, description)

"""Charts of scores, groups and thresholds."""

from __future__ import annotations

import math
from collections.abc import Sequence, Sized
from functools import partial
from itertools import compress, permutations, product
from typing import Any, TypeAlias

from evenhand.catalogue.spelling import brief, called
from evenhand.charts.chart import (
    CHARACTER_WIDTH,
    SERIES,
    SIZE,
    TEXT,
    Chart,
    ChartLayout,
    Spec,
    bars,
    bounded,
    dashed,
    dots,
    grouped_dots,
    heat_map,
    interval_row,
    layered,
    metric_names,
    named,
    names,
    numbers,
    points,
    quantity,
    series,
    silent,
    slant,
    text,
    undefined_last,
)
from evenhand.charts.chart import (
    rows as rows_of,
)
from evenhand.charts.confusion import curved, marked
from evenhand.core.ratio import ratio
from evenhand.data.arguments import VerbArguments, form_of, refusal, table_of
from evenhand.data.confusion import Confusion
from evenhand.errors import InputError
from evenhand.options import flag, heading, instance, sequence, whole_number
from evenhand.records import Interval
from evenhand.results.page import LIGHT
from evenhand.scoring.groups import Groups
from evenhand.scoring.macro_f1_gap import MOST_CLASSES, Twins, twins
from evenhand.scoring.score import score
from evenhand.scoring.scores import ClassScore, Scores
from evenhand.scoring.thresholds import Thresholds
from evenhand.text import amount, counted, key_text, number, percent, width

MAX_CLASSES = 60
MAX_PAIRS = 12
NO_PAIRS = f"the gap has pair terms only where 0/0 counts as 0, and up to {MOST_CLASSES:,} classes"
TITLES = {"f1": "F1", "precision": "precision", "recall": "recall"}


def classes(data: Any, *, limit: int = MAX_CLASSES, title: str | None = None) -> Chart:
    """Precision, recall and F1 of each class, with intervals, the lowest F1 first and of
    more classes than ``limit`` only those.

    >>> classes([[6, 1, 1], [1, 5, 2], [2, 3, 7]]).title
    'Precision, recall and F1 of each class'
    """
    scores = data if isinstance(data, Scores) else score(data)
    every = sorted(scores.classes, key=lambda c: undefined_last(c.f1))
    rows = every[: whole_number(limit, "limit", 1)]
    labels = names([c.label for c in rows])
    values = []
    for label, c in zip(labels, rows, strict=True):
        after = f"; {amount(c.prevalence)} true, {amount(c.bias)} predicted"
        for name, metric in TITLES.items():
            x = c.intervals.get(name) or Interval(getattr(c, name))
            row = interval_row(x, f"{label}, {metric}", after, label=label, metric=metric)
            values.append(row)
    axis = numbers("value", "score", domain=[0, 1])

    def draw(layout: ChartLayout) -> Spec:
        parts = ("label", labels, "metric", list(TITLES.values()))
        return grouped_dots(values, *parts, axis, layout, title="class")

    note, weak, name = _first(rows, every, "classes with the lowest F1"), rows[0], labels[0]
    description = "No F1 is defined here."
    if not math.isnan(weak.f1):
        description = f"The lowest F1 is {weak.f1:.3f}, that of {name}"
        description += f" ({amount(weak.prevalence)} true items)."
        if scores.signature.weights != "given":  # n is of items, prevalence of their weights
            description += f" It has {percent(float(weak.prevalence) / scores.n)} of the items."
    head = heading(title, "Precision, recall and F1 of each class")
    return Chart.drawn(draw, head, description, note)


def _first(rows: Sized, every: Sized, what: str) -> str:
    """How many of them are drawn, unless all are."""
    return f"the {len(rows)} of {len(every):,} {what}" if len(rows) < len(every) else ""


def gap(data: Any, *, limit: int = MAX_PAIRS, title: str | None = None) -> Chart:
    """The pairs of classes that make the gap between the two macro F1s, largest first.

    ``data`` is a table, or the result of ``eh.twins``.

    >>> gap([[100, 0], [10000, 100]]).description[:36]
    'The gap is 48.53 points (mean of F1 '
    """
    result = data if isinstance(data, Twins) else twins(data, pairs=whole_number(limit, "limit", 1))
    if result.gap_by_lemma is None:
        raise InputError(NO_PAIRS)
    pairs = result.pairs[:limit]
    single = list(dict.fromkeys(v for a, b, _ in pairs for v in (a, b)))
    name_of = dict(zip(single, names(single, 22), strict=True))
    labels = names([f"{name_of[a]} × {name_of[b]}" for a, b, _ in pairs], 48)
    values = []
    for name, (_, _, share) in zip(labels, pairs, strict=True):
        points, text = 100 * share * result.gap, percent(share)
        tip = f"{name}: {points:.2f} points, {text} of the gap"
        values.append({"pair": name, "value": points, "text": text, "tip": tip})
    description = (
        f"The gap is {100 * result.gap:.2f} points (mean of F1 {result.macro_f1:.4f}, "
        f"F1 of averages {result.f1_of_averages:.4f}), at most {100 * result.bound:.1f} for so "
        "many classes."
    )
    head = heading(title, "Pairs of classes behind the gap")
    axis = "points of the gap (and share of it)"
    draw = partial(bars, values, title=axis, colour=LIGHT["purple"], name="")
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
    for (a, one), (b, other) in permutations(zip(classes, labels, strict=True), 2):
        x = terms.get((a, b), terms.get((b, a), 0.0))
        row = {"one": one, "other": other, "shade": x / largest, "text": f"{100 * x:.2f}"}
        cells.append({**row, "tip": f"{one} and {other}: {100 * x:.2f} points"})
    dots_of = [
        {"p": p, "r": r, "label": name, "tip": f"{name}: precision {p:.3f}, recall {r:.3f}"}
        for name, (p, r) in zip(labels, (points_of[v] for v in classes), strict=True)
    ]

    def draw(layout: ChartLayout) -> Spec:
        step = min(56.0, (layout.width / (1 if layout.stacked else 2) - 110) / len(labels))
        y = named("one", labels, title=None)
        x = named("other", labels, title=None, orient="bottom", **slant(labels, step))
        heat = heat_map(cells, x, y, step, min(40, step), LIGHT["purple"])
        heat["title"] = {"text": "points of the gap: all cells add up to it", "fontSize": SIZE}
        side = 240
        axes = {f: numbers(f, t, domain=[0, 1]) for f, t in (("p", "precision"), ("r", "recall"))}
        origin = {"x2": {"datum": 0}, "y2": {"datum": 0}}
        rays = silent("rule", origin, color=LIGHT["blue"], opacity=0.3)
        dots = points({}, size=50, color=LIGHT["blue"])
        written = text({"align": "left", "dx": 6, "dy": -4}, {"text": {"field": "label"}})
        diagonal = dashed({"p": 0, "r": 0}, {"p": 1, "r": 1})
        square = layered(dots_of, side, side, diagonal, rays, dots, written,
                         encoding={"x": axes["p"], "y": axes["r"]})  # fmt: skip
        square["title"] = {"text": "classes", "fontSize": SIZE}
        return {"vconcat" if layout.stacked else "hconcat": [heat, square]}

    description = (
        f"The gap is {100 * result.gap:.2f} points of at most {100 * result.bound:.1f}; a pair "
        "adds to it where its classes differ in precision : recall."
    )
    head = heading(title, "The lemma: what each pair of classes adds to the gap")
    note = _first(classes, points_of, "classes with the largest terms")
    return Chart.drawn(draw, head, description, note)


# The ring and the dots.

MAX_RING_NAMES = 12
"""Classes up to which all are named where there is room; beyond, the extremes first."""
RING_DOMAIN = [-0.05, 1.05]
"""Room for half a dot at the edges of the square."""
Box: TypeAlias = tuple[float, float, float, float]


def ring(
    data: Any,
    other: Any = None,
    *,
    systems: Sequence[str] = ("first", "second"),
    intervals: bool = False,
    title: str | None = None,
    **options: Any,
) -> Chart:
    """Both macro F1s at a glance: each class a dot at its recall and precision, its area how often
    it is true, and a ring at the average of the dots, over curves of equal F1.

    Macro F1 is the mean of the curves that the dots lie on, the F1 of averages the curve that the
    ring lies on. Above the diagonal a class is predicted too rarely, below it too often. ``other``
    is a second table, drawn beside the first, ``systems`` their names; ``intervals`` draws those
    of recall and precision; ``options`` are ``classes`` and ``undefined``.

    >>> ring([[6, 1, 1], [1, 5, 2], [2, 3, 7]]).description[:62]
    'Macro F1, the mean of the F1 of 3 classes, is 0.643; the F1 of'
    """
    tables: list[Any] = [
        table_of(VerbArguments("ring", (one,))) for one in (data, other) if one is not None
    ]
    for table in tables:
        if isinstance(table, Confusion) and table.shape:
            raise refusal("ring", form_of(table), "it draws one table, or two: stack['A'] is one")
        if table.soft:
            hint = "predictions are labels, such as the most probable classes"
            raise refusal("ring", "expected counts of probabilities", hint)
    averages = ["macro_f1", "f1_of_averages", "macro_recall", "macro_precision"]
    names = [key_text(s) for s in sequence(systems, "systems", "names")]
    if len(names) < len(tables):
        raise InputError(f"systems must name both tables, got {counted(len(names), 'name')}")
    kind, rule = "auto" if flag(intervals, "intervals") else None, options.get("classes", "task")
    parts, sentences = [], []
    for table, system in zip(tables, names, strict=False):
        result = score(table, metrics=averages, interval=kind, **options)
        rows = list(compress(result.classes, table.averaged(rule)))
        f1, of_averages = (number(result.metrics[m].value, 3) for m in averages[:2])
        parts.append((system, result, rows, [f"macro F1 {f1},", f"F1 of averages {of_averages}"]))
        sentences.append(
            f"{'' if other is None else f'{system}: '}Macro F1, the mean of the F1 of {len(rows)} "
            f"classes, is {f1}; the F1 of their average precision and recall is "
            f"{of_averages}.{_leaning(rows)}"
        )

    def draw(layout: ChartLayout) -> Spec:
        room = layout.width - 90 if layout.stacked else (layout.width - 60) // len(parts) - 80
        side, squares = min(420, room), []
        for system, result, rows, words in parts:
            own = [" ".join(words)] if side > 300 else words
            title = {"text": [*[system] * (other is not None), *own], "fontSize": SIZE}
            squares.append({**_square(result, rows, side, intervals), "title": title})
        narrow = {"subtitle": note}  # one square is narrower than what lines are folded for
        return {"vconcat" if layout.stacked else "hconcat": squares, "spacing": 30, "title": narrow}

    note = [
        "each dot is a class, its area how often it is true;",
        "the ring is the average of the dots",
    ]
    words = heading(title, "The ring and the dots")
    return Chart.drawn(draw, words, " ".join(sentences), " ".join(note))


def _leaning(rows: Sequence[ClassScore]) -> str:
    """The class with the lowest F1, and those that are predicted far too rarely or too often."""
    known = [c for c in rows if not math.isnan(c.f1)]
    if not known:
        return ""
    low = min(known, key=lambda c: c.f1)
    words = f" The lowest F1 is {low.f1:.3f}, that of {names([low.label])[0]}."
    for sign, often in ((-1, "rarely"), (1, "often")):
        worst = max(known, key=lambda c: sign * (c.bias - c.prevalence))
        if sign * (worst.bias - worst.prevalence) > 0:
            words += f" {names([worst.label])[0]} is predicted too {often}, "
            words += f"{amount(worst.bias)} times for {amount(worst.prevalence)} items."
    return words


def _square(result: Scores, rows: Sequence[ClassScore], side: int, intervals: bool) -> Spec:
    """The square of one system: curves, dots, the ring and the names that have room."""
    recall, precision = (result.metrics[m].value for m in ("macro_recall", "macro_precision"))
    shown = [c for c in rows if not math.isnan(c.precision + c.recall)]
    most = max((c.prevalence for c in shown), default=0) or 1
    largest = min(900.0, 9000 / max(len(shown), 1)) * (side / 420) ** 2
    labels = names([c.label for c in shown], 18)
    values = []
    for c, label in zip(shown, labels, strict=True):
        tip = f"{label}: recall {c.recall:.3f}, precision {c.precision:.3f}, F1 {number(c.f1, 3)}; "
        tip += f"{amount(c.prevalence)} true, {amount(c.bias)} predicted"
        area = max(24.0, largest * c.prevalence / most)
        ends = [c.intervals.get(m) or Interval(math.nan) for m in ("recall", "precision")]
        bounds = {f"{end}_{m}": getattr(i, end) for i, m in zip(ends, "rp", strict=True)
                  for end in ("low", "high")}  # fmt: skip
        values.append({"r": c.recall, "p": c.precision, "area": area, "tip": tip, **bounds})
    curves = ("macro F1: mean of the dots\u2019 curves", "F1 of averages: the ring\u2019s curve")
    own = [result.metrics[m].value for m in ("macro_f1", "f1_of_averages")]
    tenths = {f"{tenth / 10:.1f}": tenth / 10 for tenth in range(1, 10)}
    faint = [row for name, f1 in tenths.items() for row in _equal_f1(f1, name)]
    edge = [{"r": 1, "p": f / (2 - f), "text": name} for name, f in tenths.items()]
    bold = [row for f1, name in zip(own, curves, strict=True) for row in _equal_f1(f1, name)]
    axes = {"x": numbers("r", "recall", domain=RING_DOMAIN, nice=False),
            "y": numbers("p", "precision", domain=RING_DOMAIN, nice=False)}  # fmt: skip
    for axis in axes.values():
        axis["axis"] = {"values": [0, 0.5, 1], "grid": False}
    line: Spec = {"type": "line", "aria": False, "color": LIGHT["line"]}
    ordered: Spec = {"order": quantity("r")}
    colour = series("curve", curves, [LIGHT["blue"], LIGHT["orange"]], legend={"columns": 1})
    dash = series("curve", curves, [[1, 0], [6, 3]], legend={"columns": 1})
    ends_of = [
        silent("rule", {axis: quantity(f"low_{f}"), f"{axis}2": {"field": f"high_{f}"}},
               color=LIGHT["blue"], opacity=0.5)
        for axis, f in (("x", "r"), ("y", "p"))
    ]  # fmt: skip
    centre = {"r": recall, "p": precision}
    tip = f"average: recall {number(recall, 3)}, precision {number(precision, 3)}"
    writing = [
        {"data": {"values": [*edge, {"r": 1, "p": 1, "text": "F1"}]},
         **text({"align": "left", "dx": 6, "color": LIGHT["soft"]}, TEXT)},
        *({"data": {"values": [{"r": 0.25, "p": 0.25, "text": f"predicted too {often}"}]},
           **text({"angle": -45, "dy": dy, "color": LIGHT["soft"]}, TEXT)}
          for often, dy in (("rarely", -10), ("often", 11))),
    ]  # fmt: skip
    return layered(
        values, side, side,
        dashed({"r": 0, "p": 0}, {"r": 1, "p": 1}),
        {"data": {"values": faint},
         "mark": line, "encoding": {"detail": {"field": "curve"}, **ordered}},
        {"data": {"values": bold}, "mark": {**line, "strokeWidth": 2},
         "encoding": {"color": colour, "strokeDash": dash, **ordered}},
        *writing,
        *(ends_of if intervals else ()),
        points({"size": quantity("area", scale=None, legend=None)},
               color=LIGHT["blue"], fillOpacity=0.45, stroke=LIGHT["blue"]),
        {"data": rows_of([{**centre, "tip": tip}]),
         **points({}, filled=False, size=320, color=LIGHT["orange"], strokeWidth=4)},
        {"data": rows_of(_ring_names(values, labels, centre, side)), **text({}, TEXT)},
        encoding=axes,
    )  # fmt: skip


def _equal_f1(f1: float, curve: str) -> list[Spec]:
    """The curve of one F1: 1/r + 1/p is the same everywhere."""
    if not 0 < f1 < 1:
        return []
    far = math.log(2 / f1 - 1)
    steps = (far * (i / 12 - 1) for i in range(25))
    return [
        {"r": f1 / 2 * (1 + math.exp(u)), "p": f1 / 2 * (1 + math.exp(-u)), "curve": curve}
        for u in steps
    ]


def _ring_names(
    values: Sequence[Spec], labels: Sequence[str], centre: Spec, side: int
) -> list[Spec]:
    """Names at their dots, in the middle of their words, where nothing else stands.

    The extremes come first: the lowest and the highest F1, and what is furthest from the ring.
    """
    low, high = RING_DOMAIN
    scale = side / (high - low)

    def box(r: float, p: float, wide: float, tall: float) -> Box:
        x, y = scale * (r - low), scale * (high - p)
        return x - wide, y - tall, x + wide, y + tall

    dots = [(v["r"], v["p"], math.sqrt(v["area"] / math.pi) + 1) for v in values]
    occupied = [box(r, p, radius, radius) for r, p, radius in dots]
    occupied.append(box(centre["r"], centre["p"], 14, 14))
    occupied += [box(i / 20, i / 20, 14, 14) for i in range(2, 9)]  # the words on the diagonal
    f1 = [ratio(2 * r * p, r + p) for r, p, _ in dots]
    apart = [math.dist(dot[:2], (centre["r"], centre["p"])) for dot in dots]
    order = sorted(range(len(dots)), key=lambda i: -apart[i])
    if order:
        extremes = (min(order, key=f1.__getitem__), max(order, key=f1.__getitem__))
        order = list(dict.fromkeys((*extremes, *order)))[:MAX_RING_NAMES]
    placed = []
    sides = ((1, 0), (-1, 0), (0, -1), (0, 1), (1, -1), (-1, 1), (1, 1), (-1, -1))
    for i in order:
        (r, p, radius), wide, tall = dots[i], CHARACTER_WIDTH * width(labels[i]) / 2 + 2, 8
        for away, (dx, dy) in product((0, 8, 16, 24), sides):
            reach = (0.7 if dx and dy else 1) * radius + away
            at = r + dx * (reach + wide) / scale, p - dy * (reach + tall) / scale
            left, up, right, down = own = box(*at, wide, tall)
            inside = min(own) >= 0 and down <= side and right <= scale * (1 - low)
            if inside and not any(
                left < b[2] and b[0] < right and up < b[3] and b[1] < down for b in occupied
            ):
                occupied.append(own)
                placed.append({"r": at[0], "p": at[1], "text": labels[i]})
                break
    return placed


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
    note = _first(order, gap.groups, "groups that score worst")
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
    axis = numbers("value", f"{brief(gap.metric)} and interval")
    draw = partial(dots, values, "group", labels, axis)
    return Chart.drawn(draw, heading(title, f"Groups by {called(gap.metric)}"), description, note)


def thresholds(choice: Thresholds, *, title: str | None = None) -> Chart:
    """Each metric along the threshold from which on a class is predicted, the best one marked.

    >>> import evenhand as eh
    >>> p = [[.9, .1], [.7, .3], [.6, .4], [.2, .8]]
    >>> thresholds(eh.thresholds([0, 0, 1, 1], p, labels=[0, 1], label=1)).title
    'Scores against the threshold of 1'
    """
    instance(choice, Thresholds, "thresholds", "the result of eh.thresholds")
    (label,) = names([choice.label])
    metrics = [m for m in choice.curves if bounded(m)][: len(SERIES)] or [choice.metric]
    titles = metric_names(metrics)
    curves = {name: choice.curves[m] for m, name in zip(metrics, titles, strict=True)}
    if choice.level is not None:  # 0/0, where nothing is predicted, has no interval: the line ends
        curves |= {n: c.where_known() for n, c in curves.items() if n.startswith("Precision of ")}
    flag = marked(choice.best, f"best by {metric_names([choice.metric], 30)[0]}, {choice.best:g}")
    axis = f"threshold of {label}"
    chosen, argmax = choice.chosen[choice.metric].value, choice.argmax[choice.metric].value
    (lead,) = metric_names([choice.metric])
    description = f"{lead} is best from {choice.best:g} on: {number(chosen, 3)} on these items"
    if choice.expected is not None:
        description += f", {number(choice.expected.value, 3)} to be expected of new ones"
    description += f"; {number(argmax, 3)} with the most probable class."

    def draw(layout: ChartLayout) -> Spec:
        at = choice.thresholds
        return curved(curves, at, axis, "threshold", layout, *flag, percents=False)

    head = heading(title, f"Scores against the threshold of {label}")
    return Chart.drawn(draw, head, description)

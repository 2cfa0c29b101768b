"""Charts of a leaderboard."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

import numpy as np

from evenhand.catalogue.lists import RANKED
from evenhand.catalogue.spelling import called
from evenhand.charts.chart import (
    DASHES,
    NAME_COLUMNS,
    PADDING,
    SERIES,
    Chart,
    ChartLayout,
    Spec,
    dots,
    either,
    layered,
    merged_names,
    metric_names,
    named,
    names,
    numbers,
    pixels,
    points,
    series,
    text,
)
from evenhand.options import heading, instance, some_of
from evenhand.ranking.leaderboard import Leaderboard
from evenhand.ranking.ranks import share_letter
from evenhand.results.document import group_equal
from evenhand.results.page import LIGHT
from evenhand.text import counted, interval, level_text, number, percents

MAX_SYSTEMS = 100
"""Systems that are drawn."""


def leaderboard(
    board: Leaderboard, metric: str | None = None, *, title: str | None = None
) -> Chart:
    """Each system's score with its interval, best first; systems that share a letter tie.

    >>> import evenhand as eh
    >>> board = eh.rank("aabb", {"A": list("aabb"), "B": list("abab")}, replicates=9)
    >>> leaderboard(board).title
    'Systems by macro F1'
    """
    instance(board, Leaderboard, "leaderboard", "the result of eh.rank")
    (m,) = some_of([board.metric if metric is None else metric], board.metrics, "metric")
    (axis,) = metric_names([m])
    systems = sorted(board.systems, key=lambda s: s.standings[m].rank)[:MAX_SYSTEMS]
    labels = names([s.name for s in systems])
    standings = [s.standings[m] for s in systems]
    values = []
    for name, x in zip(labels, standings, strict=True):
        tip = f"{name}: rank {x.rank}, {interval(x.value, x.low, x.high, 4)}"
        if x.best_probability is not None:
            tip += f"; P(best) {percents(x.best_low, x.best_high)}"
            tip += f"; rank {x.rank_low} to {x.rank_high}"
        group, score = x.group or "", number(float(x.value), 3)
        values.append({
            "system": name, **x.select("value low high"), "text": f"{score}  {group}".rstrip(),
            "tied": share_letter(group, standings[0].group or ""), "tip": tip,
        })  # fmt: skip
    x_axis = numbers("value", f"{axis}, {level_text(board.level)} intervals")
    colour = either("datum.tied", LIGHT["blue"], LIGHT["soft"])
    note = "a shared letter: no significant difference; blue: ties with the first"
    description = f"{labels[0]} is first with {number(float(standings[0].value), 3)}"
    if (others := sum(bool(v["tied"]) for v in values) - 1) > 0:
        description += f"; {counted(others, 'other ties', 'others tie')} with it"
    draw = partial(dots, values, "system", labels, x_axis, colour=colour)
    head = heading(title, f"Systems by {called(m)}")
    return Chart.drawn(draw, head, f"{description}.", note * (board.replicates is not None))


# Ranks under other metrics.

USUAL_METRICS = (*RANKED, f"{RANKED[0]}@uniform")
"""Metrics that are drawn where none is named."""

MAX_LINES = 60
"""Systems that are drawn."""


def ranks(
    board: Leaderboard, metrics: Iterable[str] | None = None, *, title: str | None = None
) -> Chart:
    """A bump chart: each system's place under several metrics.

    Coloured are the first systems and those that move furthest. Systems that share a rank are
    drawn in the leaderboard's order, so that their names do not cover each other.

    >>> import evenhand as eh
    >>> board = eh.rank("aabb", {"A": list("aabb"), "B": list("abab")}, replicates=9)
    >>> ranks(board).title
    'Ranks under other metrics'
    """
    instance(board, Leaderboard, "ranks", "the result of eh.rank")
    if metrics is None:
        usual = [board.metric, *(m for m in USUAL_METRICS if m in board.metrics)]
        metrics = usual if len(set(usual)) > 1 else board.metrics[:9]
    requested = list(dict.fromkeys(some_of(metrics, board.metrics, "metrics")))
    groups = group_equal(requested, lambda m: tuple(s.standings[m].rank for s in board.systems))
    titles, same = merged_names(groups, "Metrics that order the systems alike are one", 34)
    shown, systems = [group[0] for group in groups], board.systems[:MAX_LINES]
    labels = names([s.name for s in systems])
    rank = {m: [s.standings[m].rank for s in systems] for m in shown}
    place = {m: np.argsort(np.argsort(rank[m], kind="stable")) + 1 for m in shown}
    move = np.ptp([place[m] for m in shown], axis=0).tolist()
    movers = sorted(range(len(systems)), key=lambda i: (-move[i], i))
    coloured = dict.fromkeys((0, 1, *movers[:4]))
    marked = [labels[i] for i in coloured if i < len(labels)]
    rest = [v for v in labels if v not in marked]
    paint = [*SERIES[: len(marked)], *[LIGHT["grey"]] * len(rest)]
    dash = [*DASHES[: len(marked)], *[[1, 0]] * len(rest)]
    colour = series("system", [*marked, *rest], paint, legend=None)
    stroke: Spec = {
        "color": colour,
        "strokeDash": series("system", [*marked, *rest], dash, legend=None),
        "strokeWidth": either({"field": "system", "oneOf": marked}, 2.5, 1),
        "detail": {"field": "system"},
    }
    name: Spec = {"text": {"field": "end", "type": "nominal"}, "color": {"value": LIGHT["ink"]}}
    scale = {"domain": [len(systems) + 0.5, 0.5], "nice": False, "zero": False}
    y: Spec = {"field": "place", "type": "quantitative", "scale": scale, "axis": None}

    def draw(layout: ChartLayout) -> Spec:
        short = names([s.name for s in systems], layout.name(NAME_COLUMNS))
        values = [
            {
                "system": labels[i],
                "metric": metric,
                "place": int(place[m][i]),
                "last": m == shown[-1] and not layout.stacked,
                "first": m == shown[0],
                "end": f"{rank[m][i]}  {short[i]}",
                "tip": f"{labels[i]}: rank {rank[m][i]} by {called(m)}",
            }
            for i in range(len(systems))
            for m, metric in zip(shown, titles, strict=True)
        ]
        layer = [
            {"mark": {"type": "line", "aria": False}, "encoding": stroke},
            points({"color": colour}, size=45),
            text({"align": "left", "dx": 10}, name, transform=[{"filter": "datum.last"}]),
            text({"align": "right", "dx": -10}, name, transform=[{"filter": "datum.first"}]),
        ]
        sides = pixels(f"{len(systems)}  {v}" for v in short) * (1 if layout.stacked else 2)
        step = min(180, (layout.width - PADDING - sides) / max(len(shown) - 0.6, 1))
        turned: Spec = {"labelAngle": -90 if layout.stacked else -30, "labelAlign": "left"}
        x = named("metric", titles, orient="top", **turned)
        x["scale"] |= {"paddingOuter": 0.2}
        high = (24 if len(systems) <= 30 else 16) * len(systems)
        return layered(values, {"step": step}, high, *layer, encoding={"x": x, "y": y})

    description = (
        f"{labels[0]} is first by {called(shown[0])}. {labels[movers[0]]} moves furthest: "
        f"{counted(move[movers[0]], 'place')} over {len(shown)} metrics."
    )
    return Chart.drawn(draw, heading(title, "Ranks under other metrics"), description + same)

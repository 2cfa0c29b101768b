"""What other metrics make of a leaderboard: ranks across metrics, and how metrics agree."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from evenhand.catalogue.lists import shown_in
from evenhand.draw.chart import Chart
from evenhand.draw.layout import PADDING, Layout, pixels
from evenhand.draw.marks import (
    Spec,
    apart,
    either,
    layered,
    lines,
    named,
    points,
    series,
    shade,
    shaded,
    text,
)
from evenhand.draw.names import LONG, merged_names, names
from evenhand.draw.theme import DASHES, SERIES
from evenhand.errors import InputError, shown
from evenhand.ranking.leaderboard import Leaderboard
from evenhand.results.alike import alike
from evenhand.results.colours import LIGHT
from evenhand.results.sentence import called
from evenhand.results.text import counted

KNOWN = (*shown_in("ranks"), f"{shown_in('ranks')[0]}@uniform")
"""Metrics that are drawn where none is named."""

MOST = 60
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
    if not isinstance(board, Leaderboard):
        raise InputError("ranks is for the result of eh.rank")
    wanted, headed, same = _distinct(board, _wanted(board, metrics, KNOWN))
    systems = board.systems[:MOST]
    labels = names([s.name for s in systems])
    place = {
        m: {i: p + 1 for p, i in enumerate(_order([s.standings[m].rank for s in systems]))}
        for m in wanted
    }
    move = [max(place[m][i] for m in wanted) - min(place[m][i] for m in wanted)
            for i in range(len(systems))]  # fmt: skip
    far = sorted(range(len(systems)), key=lambda i: (-move[i], i))[:4]
    chosen = [0, 1, *(i for i in far if i > 1)][: min(len(SERIES), len(systems))]
    marked = [labels[i] for i in chosen]
    rest = [v for v in labels if v not in marked]
    order = [*marked, *rest]
    paint = [*SERIES[: len(marked)], *([LIGHT["grey"]] * len(rest))]
    dash = [*DASHES[: len(marked)], *([[1, 0]] * len(rest))]
    colour = series("system", order, paint, legend=None)
    scale = {"domain": [len(systems) + 0.5, 0.5], "nice": False, "zero": False}
    y: Spec = {"field": "place", "type": "quantitative", "scale": scale, "axis": None}
    thick = either({"field": "system", "oneOf": marked}, 2.5, 1)
    name: Spec = {"text": {"field": "end", "type": "nominal"}, "color": {"value": LIGHT["ink"]}}
    stroke: Spec = {
        "color": colour,
        "strokeDash": series("system", order, dash, legend=None),
        "strokeWidth": thick,
        "detail": {"field": "system"},
    }

    def draw(layout: Layout) -> Spec:
        short = names([s.name for s in systems], layout.name(LONG))
        values = [
            {
                "system": labels[i],
                "metric": headed[m],
                "place": place[m][i],
                "last": m == wanted[-1] and not layout.stacked,
                "first": m == wanted[0],
                "end": f"{systems[i].standings[m].rank}  {short[i]}",
                "tip": f"{labels[i]}: rank {systems[i].standings[m].rank} by {called(m)}",
            }
            for i in range(len(systems))
            for m in wanted
        ]
        layer = [
            {"mark": {"type": "line", "aria": False}, "encoding": stroke},
            points({"color": colour}, size=45),
            text({"align": "left", "dx": 10}, name, transform=[{"filter": "datum.last"}]),
            text({"align": "right", "dx": -10}, name, transform=[{"filter": "datum.first"}]),
        ]
        sides = pixels(f"{len(systems)}  {v}" for v in short) * (1 if layout.stacked else 2)
        step = min(180, (layout.width - PADDING - sides) / max(len(wanted) - 0.6, 1))
        turned: Spec = {"labelAngle": -90 if layout.stacked else -30, "labelAlign": "left"}
        x = named("metric", [headed[m] for m in wanted], orient="top", **turned)
        x["scale"] |= {"paddingOuter": 0.2}
        high = (24 if len(systems) <= 30 else 16) * len(systems)
        return layered(values, {"step": step}, high, *layer, encoding={"x": x, "y": y})

    most = far[0]
    said = (
        f"{labels[0]} is first by {called(wanted[0])}. {labels[most]} moves furthest: "
        f"{counted(move[most], 'place')} over {len(wanted)} metrics."
    )
    return Chart.drawn(draw, title or "Ranks under other metrics", said + same)


def agreement(
    board: Leaderboard,
    kind: Literal["spearman", "kendall"] = "spearman",
    *,
    metrics: Iterable[str] | None = None,
    title: str | None = None,
) -> Chart:
    """How far metrics order the systems alike: rank correlations, 1 for the same order.

    >>> import evenhand as eh
    >>> board = eh.rank("aabb", {"A": list("aabb"), "B": list("abab")}, replicates=9)
    >>> agreement(board, "kendall").title
    'Agreement between metrics (Kendall)'
    """
    if not isinstance(board, Leaderboard):
        raise InputError("agreement is for the result of eh.rank")
    if kind not in board.correlation:
        raise InputError(f"kind must be 'spearman' or 'kendall', got {kind!r}")
    wanted, headed, same = _distinct(board, _wanted(board, metrics, board.metrics))
    r = board.correlation[kind]
    number = {m: str(i + 1) for i, m in enumerate(wanted)}
    rows = {m: f"{headed[m]} · {number[m]}" for m in wanted}
    values = [
        {
            "a": rows[a],
            "b": number[b],
            "r": r[a][b],
            "size": abs(r[a][b]),
            "text": f"{r[a][b]:.2f}".replace("1.00", "1").replace("0.", "."),
            "tip": f"{called(a)} and {called(b)}: {r[a][b]:.3f}",
        }
        for a in wanted
        for b in wanted
        if r[a][b] == r[a][b]
    ]
    fill = either("datum.r < 0", LIGHT["orange"], LIGHT["blue"])
    opacity = shade("size", 0.04, type="pow", exponent=2)

    def draw(layout: Layout) -> Spec:
        listed = list(rows.values())
        step = layout.cell([] if layout.stacked else listed, len(wanted), 60)
        layer = shaded({}, {"fill": fill, "fillOpacity": opacity}, "datum.size > 0.79", step)
        small: Spec = {} if step >= 18 else {"labelFontSize": 9}
        x = named("b", list(number.values()), labelAngle=0, orient="bottom", **small)
        y = apart(lines("a", listed, layout, above=19), layout) if layout.stacked else named(
            "a", listed)  # fmt: skip
        high = {"step": 42 if layout.stacked else 24}
        return layered(values, {"step": step}, high, *layer, encoding={"x": x, "y": y})

    off = [(r[a][b], a, b) for i, a in enumerate(wanted) for b in wanted[:i] if r[a][b] == r[a][b]]
    said = "Every pair of metrics orders the systems alike."
    if off and min(off)[0] < 1:
        low, a, b = min(off)
        one = called(b)
        said = f"{one[:1].upper()}{one[1:]} and {called(a)} agree least: {low:.3f}."
    head = title or f"Agreement between metrics ({kind.capitalize()})"
    return Chart.drawn(draw, head, said + same)


def _wanted(board: Leaderboard, metrics: Iterable[str] | None, usual: Sequence[str]) -> list[str]:
    if metrics is None:
        found = [board.metric, *(m for m in usual if m in board.metrics and m != board.metric)]
        return found if len(found) > 1 else list(board.metrics[:9])
    wanted = list(metrics)
    absent = [m for m in wanted if m not in board.metrics]
    if absent:
        raise InputError(f"the leaderboard has no {shown(absent)}")
    if not wanted:
        raise InputError("metrics must name at least one metric, got none")
    return wanted


def _distinct(board: Leaderboard, wanted: list[str]) -> tuple[list[str], dict[str, str], str]:
    """One metric for each order of the systems, what a chart calls it, and for which it stands."""
    groups = alike(wanted, lambda m: tuple(s.standings[m].rank for s in board.systems))
    labels, words = merged_names(groups, "Metrics that order the systems alike are one", 34)
    first = [group[0] for group in groups]
    return first, dict(zip(first, labels, strict=True)), words


def _order(places: list[int]) -> list[int]:
    return sorted(range(len(places)), key=lambda i: (places[i], i))

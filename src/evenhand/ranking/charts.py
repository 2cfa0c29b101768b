"""Charts of a leaderboard."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from evenhand.catalogue.lists import RANKED
from evenhand.catalogue.spelling import called
from evenhand.charts.chart import (
    DASHES,
    NAME_COLUMNS,
    PADDING,
    SERIES,
    TIP,
    Chart,
    ChartLayout,
    Spec,
    apart,
    between,
    either,
    ending,
    layered,
    lines,
    merged_names,
    metric_names,
    named,
    names,
    numbers,
    pixels,
    points,
    series,
    shade,
    shaded,
    text,
)
from evenhand.errors import InputError, choice, heading, instance, some_of
from evenhand.ranking.leaderboard import Leaderboard, Standing
from evenhand.ranking.ranks import share_letter
from evenhand.results.document import group_equal
from evenhand.results.page import LIGHT
from evenhand.text import counted, hundredths, interval, level_text, number, percent

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
    known = [x.value for x in standings if x.value == x.value]
    lower = bool(known) and known[0] < known[-1]  # the first is the best
    cut_off = _cut_off(standings)
    near = [x for x, cut in zip(standings, cut_off, strict=True) if not cut and x.value == x.value]
    ends = [e for x in near for e in (x.value, x.low, x.high) if e is not None]
    low, high = min(ends, default=0.0), max(ends, default=1.0)
    values = []
    for name, x, cut in zip(labels, standings, cut_off, strict=True):
        tip = f"{name}: rank {x.rank}, {interval(x.value, x.low, x.high, 4)}"
        if x.best_probability is not None:
            tip += f"; P(best) {percent(x.best_probability)}"
            tip += f"; rank {x.rank_low} to {x.rank_high}"
        group, text = x.group or "", number(float(x.value), 3)
        extent = {"at": high if lower else low} if cut else x.select("value low high")
        tied = share_letter(group, standings[0].group or "")
        values.append({"system": name, **extent, "group": group, "tied": tied, "text": text,
                       "both": f"{text}  {group}".rstrip(), "tip": tip})  # fmt: skip
    guesses = [scores[m] for scores in board.baselines.values() if scores.get(m) == scores.get(m)]
    guess = None if not guesses else min(guesses) if lower else max(guesses)
    guess_shown = guess is not None and low <= guess <= high
    edge = 0.02 * (high - low) or 0.05
    domain = {"domain": [low - edge, high + edge], "nice": False}
    x_axis = numbers("value", f"{axis}, {level_text(board.level)} intervals", **domain)
    colour = either("datum.tied", LIGHT["blue"], LIGHT["soft"])

    def draw(layout: ChartLayout) -> Spec:
        letters = int(pixels(v["group"] for v in values))
        inner = layout.plot_width(labels, right=0 if layout.stacked else 60 + letters)
        layer = [
            between("x", x_axis, {"color": colour}, strokeWidth=2),
            points({"x": x_axis, "color": colour}, size=55),
            points(
                {"x": {**x_axis, "field": "at"}}, size=70, color=LIGHT["soft"],
                shape=f"triangle-{'right' if lower else 'left'}",
            ),
        ]  # fmt: skip
        if layout.stacked:
            layer.append(ending("both", inner, layout))
        else:
            style = {"align": "left", "fontWeight": "bold"}
            layer += [ending("text", inner + 50, layout)]
            layer += [ending("group", inner + 60, layout, **style)]
        step = layout.step(24 if len(systems) <= 30 else 16)
        rows = {"encoding": {"y": lines("system", labels, layout)}, "layer": layer}
        both = [*([_guessing(guess, x_axis)] if guess_shown else []), rows]
        return layered(values, inner, {"step": step}, *both)

    side = "right" if lower else "left"
    notes = [
        "a shared letter: no significant difference; blue: ties with the first"
        * (board.replicates is not None),
        "dashed: the best guess" * guess_shown,
        f"triangle: further {side} than the axis goes" * any(cut_off),
    ]
    description = f"{labels[0]} is first with {values[0]['text']}"
    others = sum(bool(v["tied"]) for v in values) - 1
    if others > 0:
        description += f"; {counted(others, 'other ties', 'others tie')} with it"
    if guess is not None and not guess_shown:
        description += f"; the best guess scores {number(guess, 3)}"
    head = heading(title, f"Systems by {called(m)}")
    return Chart.drawn(draw, head, f"{description}.", "; ".join(n for n in notes if n))


def _cut_off(standings: Sequence[Standing]) -> list[bool]:
    """Who is so far behind that an axis for all would hardly tell the leaders apart: after a gap
    of more than a third of it, and not of the better half.

    >>> [_cut_off([Standing(x, rank=1) for x in (0.9, 0.8, last)])[2] for last in (0.76, 0.74)]
    [False, True]
    """
    known = [x for x in standings if x.value == x.value]
    low, high = ([getattr(x, end) if x.low is not None else x.value for x in known]
                 for end in ("low", "high"))  # fmt: skip
    gaps = {
        at: max(min(low[:at]) - max(high[at:]), min(low[at:]) - max(high[:at]))
        for at in range(max(2, (len(known) + 1) // 2), len(known))
    }
    n_near = max(gaps, key=lambda at: gaps[at], default=len(known))
    if gaps and 3 * gaps[n_near] <= max(high) - min(low):
        n_near = len(known)
    near = {id(x) for x in known[:n_near]}
    return [x.value == x.value and id(x) not in near for x in standings]


def _guessing(at: float | None, axis: Spec) -> Spec:
    return {
        "data": {"values": [{"at": at, "tip": f"guessing scores {number(at)}"}]},
        "mark": {"type": "rule", "color": LIGHT["orange"], "strokeDash": [4, 3]},
        "encoding": {"x": {**axis, "field": "at"}, **TIP},
    }


# Probability of each rank.

MAX_PLACES, MIN_PROBABILITY = 60, 0.0005
"""Systems that are drawn, and the chance below which a rank is left empty."""


def places(board: Leaderboard, *, title: str | None = None) -> Chart:
    """The probability that each system has each rank, by the chosen metric.

    >>> import evenhand as eh
    >>> board = eh.rank("aabb", {"A": list("aabb"), "B": list("abab")}, replicates=9)
    >>> places(board).title
    'Probability of each rank, by macro F1'
    """
    instance(board, Leaderboard, "places", "the result of eh.rank")
    if not board.rank_probability:
        raise InputError("tables alone have no probability of a rank: give the label files")
    systems = board.systems[:MAX_PLACES]
    size = min(len(board.systems), MAX_PLACES)
    labels = names([s.name for s in systems])

    def draw(layout: ChartLayout) -> Spec:
        rows = names([s.name for s in systems], layout.name(NAME_COLUMNS))
        values = [
            {
                "system": row,
                "rank": str(i + 1),
                "p": p,
                "text": hundredths(p),
                "tip": f"{label}: rank {i + 1} with a probability of {percent(p)}",
            }
            for row, label, s in zip(rows, labels, systems, strict=True)
            for i, p in enumerate(board.rank_probability[s.name][:size])
            if p >= MIN_PROBABILITY
        ]
        step = layout.cell(rows, size, 130)
        high = 24 if size <= 30 else 15
        axis: Spec = {"orient": "top", "labelAngle": 0 if step > 18 else -90}
        axis |= {} if step >= 14 else {"labelFontSize": 8}
        opacity = {"fillOpacity": shade("p", 0.05, type="sqrt")}
        layer = shaded({"fill": LIGHT["blue"]}, opacity, "datum.p > 0.4", min(step, high))
        x = named("rank", order, title="rank, probability in %", **axis)
        place = {"x": x, "y": named("system", rows)}
        return layered(values, {"step": step}, {"step": high}, *layer, encoding=place)

    order = [str(i + 1) for i in range(size)]
    first = board.rank_probability[systems[0].name][0]
    description = f"{labels[0]} is best with a probability of {percent(first)}."
    return Chart.drawn(
        draw, heading(title, f"Probability of each rank, by {called(board.metric)}"), description
    )


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
    shown, titles, same = _distinct(board, _shown_metrics(board, metrics, USUAL_METRICS))
    systems = board.systems[:MAX_LINES]
    labels = names([s.name for s in systems])
    place: dict[str, dict[int, int]] = {}
    for m in shown:
        rank = [s.standings[m].rank for s in systems]
        by_rank = sorted(range(len(systems)), key=rank.__getitem__)
        place[m] = {i: p + 1 for p, i in enumerate(by_rank)}
    move = [max(place[m][i] for m in shown) - min(place[m][i] for m in shown)
            for i in range(len(systems))]  # fmt: skip
    movers = sorted(range(len(systems)), key=lambda i: (-move[i], i))[:4]
    chosen = [0, 1, *(i for i in movers if i > 1)][: min(len(SERIES), len(systems))]
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

    def draw(layout: ChartLayout) -> Spec:
        short = names([s.name for s in systems], layout.name(NAME_COLUMNS))
        values = [
            {
                "system": labels[i],
                "metric": titles[m],
                "place": place[m][i],
                "last": m == shown[-1] and not layout.stacked,
                "first": m == shown[0],
                "end": f"{systems[i].standings[m].rank}  {short[i]}",
                "tip": f"{labels[i]}: rank {systems[i].standings[m].rank} by {called(m)}",
            }
            for i in range(len(systems))
            for m in shown
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
        x = named("metric", [titles[m] for m in shown], orient="top", **turned)
        x["scale"] |= {"paddingOuter": 0.2}
        high = (24 if len(systems) <= 30 else 16) * len(systems)
        return layered(values, {"step": step}, high, *layer, encoding={"x": x, "y": y})

    furthest = movers[0]
    description = (
        f"{labels[0]} is first by {called(shown[0])}. {labels[furthest]} moves furthest: "
        f"{counted(move[furthest], 'place')} over {len(shown)} metrics."
    )
    return Chart.drawn(draw, heading(title, "Ranks under other metrics"), description + same)


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
    instance(board, Leaderboard, "agreement", "the result of eh.rank")
    choice(kind, board.correlation, "kind")
    shown, titles, same = _distinct(board, _shown_metrics(board, metrics, board.metrics))
    r = board.correlation[kind]
    number = {m: str(i + 1) for i, m in enumerate(shown)}
    rows = {m: f"{titles[m]} · {number[m]}" for m in shown}
    values = [
        {
            "a": rows[a],
            "b": number[b],
            "r": r[a][b],
            "size": abs(r[a][b]),
            "text": f"{r[a][b]:.2f}".replace("1.00", "1").replace("0.", "."),
            "tip": f"{called(a)} and {called(b)}: {r[a][b]:.3f}",
        }
        for a in shown
        for b in shown
        if r[a][b] == r[a][b]
    ]
    fill = either("datum.r < 0", LIGHT["orange"], LIGHT["blue"])
    opacity = shade("size", 0.04, type="pow", exponent=2)

    def draw(layout: ChartLayout) -> Spec:
        listed = list(rows.values())
        step = layout.cell([] if layout.stacked else listed, len(shown), 60)
        layer = shaded({}, {"fill": fill, "fillOpacity": opacity}, "datum.size > 0.79", step)
        small: Spec = {} if step >= 18 else {"labelFontSize": 9}
        x = named("b", list(number.values()), labelAngle=0, orient="bottom", **small)
        y = apart(lines("a", listed, layout, above=19), layout) if layout.stacked else named(
            "a", listed)  # fmt: skip
        high = {"step": 42 if layout.stacked else 24}
        return layered(values, {"step": step}, high, *layer, encoding={"x": x, "y": y})

    off = [(r[a][b], a, b) for i, a in enumerate(shown) for b in shown[:i] if r[a][b] == r[a][b]]
    description = "Every pair of metrics orders the systems alike."
    if off and min(off)[0] < 1:
        low, a, b = min(off)
        one = called(b)
        description = f"{one[:1].upper()}{one[1:]} and {called(a)} agree least: {low:.3f}."
    head = heading(title, f"Agreement between metrics ({kind.capitalize()})")
    return Chart.drawn(draw, head, description + same)


def _shown_metrics(
    board: Leaderboard, metrics: Iterable[str] | None, usual: Sequence[str]
) -> list[str]:
    if metrics is None:
        shown = [board.metric, *(m for m in usual if m in board.metrics and m != board.metric)]
        return shown if len(shown) > 1 else list(board.metrics[:9])
    return some_of(metrics, board.metrics, "metrics")


def _distinct(board: Leaderboard, metrics: list[str]) -> tuple[list[str], dict[str, str], str]:
    """One metric for each order of the systems, what a chart calls it, and for which it stands."""
    groups = group_equal(metrics, lambda m: tuple(s.standings[m].rank for s in board.systems))
    labels, words = merged_names(groups, "Metrics that order the systems alike are one", 34)
    first = [group[0] for group in groups]
    return first, dict(zip(first, labels, strict=True)), words

"""A leaderboard as a forest plot: scores, intervals, tie groups."""

from __future__ import annotations

from collections.abc import Sequence

from evenhand.draw.chart import Chart
from evenhand.draw.layout import Layout, pixels
from evenhand.draw.marks import TIP, Spec, between, either, ending, layered, lines, numbers, points
from evenhand.draw.names import metric_names, names
from evenhand.errors import InputError
from evenhand.ranking.leaderboard import Leaderboard, Standing
from evenhand.ranking.letters import share
from evenhand.results.colours import LIGHT
from evenhand.results.sentence import called
from evenhand.results.text import counted, interval, level_text, number, percent

MOST = 100
"""Systems that are drawn."""


def leaderboard(
    board: Leaderboard, metric: str | None = None, *, title: str | None = None
) -> Chart:
    """Each system's score with its interval, best first; systems that share a letter are not
    told apart.

    >>> import evenhand as eh
    >>> board = eh.rank("aabb", {"A": list("aabb"), "B": list("abab")}, replicates=9)
    >>> leaderboard(board).title
    'Systems by macro F1 (mean of F1)'
    """
    if not isinstance(board, Leaderboard):
        raise InputError("leaderboard is for the result of eh.rank")
    m = metric or board.metric
    if m not in board.metrics:
        raise InputError(f"the leaderboard has no {m!r}")
    (axis,) = metric_names([m])
    systems = sorted(board.systems, key=lambda s: s.standings[m].rank)[:MOST]
    labels = names([s.name for s in systems])
    standings = [s.standings[m] for s in systems]
    far = _far(standings)
    near = [x for x, cut in zip(standings, far, strict=True) if not cut and x.value == x.value]
    ends = [e for x in near for e in (x.value, x.low, x.high) if e is not None]
    low, high = min(ends, default=0.0), max(ends, default=1.0)
    values = []
    for name, x, cut in zip(labels, standings, far, strict=True):
        tip = f"{name}: rank {x.rank}, {interval(x.value, x.low, x.high, 4)}"
        if x.best_probability is not None:
            tip += f"; truly the best with a chance of {percent(x.best_probability)}"
            tip += f"; rank {x.rank_low} to {x.rank_high}"
        group, text = x.group or "", number(float(x.value), 3)
        reach = {"at": high if board.lower else low} if cut else x.picked("value", "low", "high")
        tied = share(group, standings[0].group or "")
        values.append({"system": name, **reach, "group": group, "tied": tied, "text": text,
                       "both": f"{text}  {group}".rstrip(), "tip": tip})  # fmt: skip
    guesses = [scores[m] for scores in board.baselines.values() if scores.get(m) == scores.get(m)]
    guess = None if not guesses else min(guesses) if board.lower else max(guesses)
    seen = guess is not None and low <= guess <= high
    edge = 0.02 * (high - low) or 0.05
    domain = {"domain": [low - edge, high + edge], "nice": False}
    x_axis = numbers("value", f"{axis}, {level_text(board.level)} intervals", **domain)
    colour = either("datum.tied", LIGHT["blue"], LIGHT["soft"])

    def draw(layout: Layout) -> Spec:
        letters = int(pixels(v["group"] for v in values))
        inner = layout.beside(labels, right=0 if layout.stacked else 60 + letters)
        layer = [
            between("x", x_axis, {"color": colour}, strokeWidth=2),
            points({"x": x_axis, "color": colour}, size=55),
            points(
                {"x": {**x_axis, "field": "at"}}, size=70, color=LIGHT["soft"],
                shape=f"triangle-{'right' if board.lower else 'left'}",
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
        both = [*([_guessing(guess, x_axis)] if seen else []), rows]
        return layered(values, inner, {"step": step}, *both)

    side = "right" if board.lower else "left"
    notes = [
        "a shared letter: not told apart; blue: not told apart from the first"
        * (board.replicates is not None),
        "dashed: the best guess" * seen,
        f"triangle: further {side} than the axis goes" * any(far),
    ]
    said = f"{labels[0]} is first with {values[0]['text']}"
    others = sum(bool(v["tied"]) for v in values) - 1
    if others > 0:
        said += f"; {counted(others, 'other is', 'others are')} not told from it"
    if guess is not None and not seen:
        said += f"; the best guess scores {number(guess, 3)}"
    head = title or f"Systems by {called(m)}"
    return Chart.drawn(draw, head, f"{said}.", "; ".join(n for n in notes if n))


def _far(standings: Sequence[Standing]) -> list[bool]:
    """Who is so far behind that an axis for all would hardly tell the leaders apart: after a gap
    of more than a third of it, and not of the better half.

    >>> [_far([Standing(x, rank=1) for x in (0.9, 0.8, last)])[2] for last in (0.76, 0.74)]
    [False, True]
    """
    known = [x for x in standings if x.value == x.value]
    low, high = ([getattr(x, end) if x.low is not None else x.value for x in known]
                 for end in ("low", "high"))  # fmt: skip
    gaps = {
        at: max(min(low[:at]) - max(high[at:]), min(low[at:]) - max(high[:at]))
        for at in range(max(2, (len(known) + 1) // 2), len(known))
    }
    kept = max(gaps, key=lambda at: gaps[at], default=len(known))
    if gaps and 3 * gaps[kept] <= max(high) - min(low):
        kept = len(known)
    near = {id(x) for x in known[:kept]}
    return [x.value == x.value and id(x) not in near for x in standings]


def _guessing(at: float | None, axis: Spec) -> Spec:
    return {
        "data": {"values": [{"at": at, "tip": f"guessing scores {number(at)}"}]},
        "mark": {"type": "rule", "color": LIGHT["orange"], "strokeDash": [4, 3]},
        "encoding": {"x": {**axis, "field": "at"}, **TIP},
    }

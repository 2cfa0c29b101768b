"""A leaderboard as a forest plot: scores, intervals, tie groups."""

from __future__ import annotations

from evenhand.draw.chart import Chart
from evenhand.draw.marks import TIP, Spec, between, either, layered, named, numbers, points, text
from evenhand.draw.names import names
from evenhand.errors import InputError
from evenhand.ranking.leaderboard import Leaderboard
from evenhand.results.colours import LIGHT
from evenhand.results.text import counted, interval, percent

MOST = 100


def leaderboard(
    board: Leaderboard, metric: str | None = None, *, title: str | None = None
) -> Chart:
    """Each system's score with its interval, best first; systems that share a letter are not
    told apart.

    >>> import evenhand as eh
    >>> board = eh.rank("aabb", {"A": list("aabb"), "B": list("abab")}, replicates=9)
    >>> leaderboard(board).title
    'Systems by macro_f1'
    """
    if not isinstance(board, Leaderboard):
        raise InputError("leaderboard is for the result of eh.rank")
    m = metric or board.metric
    if m not in board.metrics:
        raise InputError(f"the leaderboard has no {m!r}")
    systems = sorted(board.systems, key=lambda s: s.standings[m].rank)[:MOST]
    labels = names([s.name for s in systems])
    values = []
    for name, s in zip(labels, systems, strict=True):
        x = s.standings[m]
        tip = f"{name}: rank {x.rank}, {interval(x.value, x.low, x.high, 4)}"
        if x.best_probability is not None:
            tip += f"; truly the best with a chance of {percent(x.best_probability)}"
            tip += f"; rank {x.rank_low} to {x.rank_high}"
        values.append(
            {
                "system": name,
                **x.picked("value", "low", "high"),
                "group": x.group or "",
                "tied": bool(x.group and set(x.group) & set(systems[0].standings[m].group or "")),
                "text": f"{x.value:.3f}",
                "tip": tip,
            }
        )
    guesses = [scores[m] for scores in board.baselines.values() if scores.get(m) == scores.get(m)]
    y = named("system", labels)
    x_axis = numbers("value", f"{m}, {100 * board.level:g} % intervals")
    colour = either("datum.tied", LIGHT["blue"], LIGHT["soft"])
    layer: list[Spec] = []
    if guesses:
        bar = max(guesses) if not board.lower else min(guesses)
        layer.append(
            {
                "data": {"values": [{"at": bar, "tip": f"guessing scores {bar:.4f}"}]},
                "mark": {"type": "rule", "color": LIGHT["orange"], "strokeDash": [4, 3]},
                "encoding": {"x": {**x_axis, "field": "at"}, **TIP},
            }
        )
    layer += [
        between("x", x_axis, {"y": y, "color": colour}, strokeWidth=2),
        points({"x": x_axis, "y": y, "color": colour}, size=55),
        _column("text", 470, y),
        _column("group", 490, y, align="left", fontWeight="bold"),
    ]
    spec = layered(values, 420, {"step": 24 if len(systems) <= 30 else 16}, *layer)
    notes = []
    if board.replicates is not None:
        notes.append("a shared letter: not told apart; blue: not told apart from the first")
    if guesses:
        notes.append("dashed: the best guess")
    if notes:
        spec["title"] = {"subtitle": "; ".join(notes)}
    said = f"{labels[0]} is first with {values[0]['text']}"
    tied = [v["system"] for v in values if v["tied"]]
    if len(tied) > 1:
        said += f"; {counted(len(tied) - 1, 'other is', 'others are')} not told from it"
    return Chart(spec, title or f"Systems by {m}", said + ".")


def _column(field: str, at: float, y: Spec, **mark: object) -> Spec:
    style = {"x": at, "align": "right", **mark}
    return text(style, {"y": y, "text": {"field": field, "type": "nominal"}})

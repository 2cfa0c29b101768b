"""The probability of each rank of each system."""

from __future__ import annotations

from evenhand.draw.chart import Chart
from evenhand.draw.marks import layered, named, shade, shaded
from evenhand.draw.names import names
from evenhand.errors import InputError
from evenhand.ranking.leaderboard import Leaderboard
from evenhand.results.colours import LIGHT
from evenhand.results.text import percent

MOST, LEAST = 60, 0.0005
"""Systems that are drawn, and the chance below which a rank is left empty."""


def places(board: Leaderboard, *, title: str | None = None) -> Chart:
    """The chance that each system truly has each rank, by the chosen metric.

    >>> import evenhand as eh
    >>> board = eh.rank("aabb", {"A": list("aabb"), "B": list("abab")}, replicates=9)
    >>> places(board).title
    'Probability of each rank, by macro_f1'
    """
    if not isinstance(board, Leaderboard):
        raise InputError("places is for the result of eh.rank")
    if not board.rank_probability:
        raise InputError("tables alone have no probability of a rank: give the label files")
    systems = board.systems[:MOST]
    size = min(len(board.systems), MOST)
    labels = names([s.name for s in systems])
    values = [
        {
            "system": label,
            "rank": str(i + 1),
            "p": p,
            "text": "<1" if p < 0.005 else f"{100 * p:.0f}",
            "tip": f"{label}: rank {i + 1} with a chance of {percent(p)}",
        }
        for label, s in zip(labels, systems, strict=True)
        for i, p in enumerate(board.rank_probability[s.name][:size])
        if p >= LEAST
    ]
    step = 30 if size <= 25 else 14
    order = [str(i + 1) for i in range(size)]
    axis = {"orient": "top", "labelAngle": 0 if size < 100 else -90}
    if step < 20:
        axis |= {"labelFontSize": 8}
    opacity = {"fillOpacity": shade("p", 0.05, type="sqrt")}
    layer = shaded({"fill": LIGHT["blue"]}, opacity, "datum.p > 0.4" * (step >= 20))
    x = named("rank", order, title="rank, chance in %", **axis)
    place = {"x": x, "y": named("system", labels)}
    high = {"step": 24 if step >= 20 else step}
    spec = layered(values, {"step": step}, high, *layer, encoding=place)
    first = board.rank_probability[systems[0].name][0]
    said = f"{labels[0]} is truly the best with a chance of {percent(first)}."
    return Chart(spec, title or f"Probability of each rank, by {board.metric}", said)

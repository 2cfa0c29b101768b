"""The probability of each rank of each system."""

from __future__ import annotations

from evenhand.draw.chart import Chart
from evenhand.draw.layout import Layout
from evenhand.draw.marks import Spec, layered, named, shade, shaded
from evenhand.draw.names import LONG, names
from evenhand.errors import InputError
from evenhand.ranking.leaderboard import Leaderboard
from evenhand.results.colours import LIGHT
from evenhand.results.sentence import called
from evenhand.results.text import hundredths, percent

MOST, LEAST = 60, 0.0005
"""Systems that are drawn, and the chance below which a rank is left empty."""


def places(board: Leaderboard, *, title: str | None = None) -> Chart:
    """The chance that each system truly has each rank, by the chosen metric.

    >>> import evenhand as eh
    >>> board = eh.rank("aabb", {"A": list("aabb"), "B": list("abab")}, replicates=9)
    >>> places(board).title
    'Probability of each rank, by macro F1 (mean of F1)'
    """
    if not isinstance(board, Leaderboard):
        raise InputError("places is for the result of eh.rank")
    if not board.rank_probability:
        raise InputError("tables alone have no probability of a rank: give the label files")
    systems = board.systems[:MOST]
    size = min(len(board.systems), MOST)
    labels = names([s.name for s in systems])

    def draw(layout: Layout) -> Spec:
        rows = names([s.name for s in systems], layout.name(LONG))
        values = [
            {
                "system": row,
                "rank": str(i + 1),
                "p": p,
                "text": hundredths(p),
                "tip": f"{label}: rank {i + 1} with a chance of {percent(p)}",
            }
            for row, label, s in zip(rows, labels, systems, strict=True)
            for i, p in enumerate(board.rank_probability[s.name][:size])
            if p >= LEAST
        ]
        step = layout.cell(rows, size, 130)
        high = 24 if size <= 30 else 15
        axis: Spec = {"orient": "top", "labelAngle": 0 if step > 18 else -90}
        axis |= {} if step >= 14 else {"labelFontSize": 8}
        opacity = {"fillOpacity": shade("p", 0.05, type="sqrt")}
        layer = shaded({"fill": LIGHT["blue"]}, opacity, "datum.p > 0.4", min(step, high))
        x = named("rank", order, title="rank, chance in %", **axis)
        place = {"x": x, "y": named("system", rows)}
        return layered(values, {"step": step}, {"step": high}, *layer, encoding=place)

    order = [str(i + 1) for i in range(size)]
    first = board.rank_probability[systems[0].name][0]
    said = f"{labels[0]} is truly the best with a chance of {percent(first)}."
    return Chart.drawn(draw, title or f"Probability of each rank, by {called(board.metric)}", said)

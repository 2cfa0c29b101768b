"""What makes the two macro F1s differ: the pairs of classes behind the gap."""

from __future__ import annotations

from typing import Any

from evenhand.errors import InputError
from evenhand.results.colours import LIGHT
from evenhand.results.text import percent
from evenhand.scoring.twins import MOST, Twins, twins
from evenhand.show.chart import Chart, rows
from evenhand.show.charts.marks import TIP, Spec, named, text
from evenhand.show.words import names


def gap(data: Any, *, limit: int = 12, title: str | None = None) -> Chart:
    """The pairs of classes that make the gap between the two macro F1s, largest first.

    ``data`` is a table, or the result of ``eh.twins``.

    >>> gap([[100, 0], [10000, 100]]).description[:36]
    'The gap is 48.53 points (macro_f1 0.'
    """
    found = data if isinstance(data, Twins) else twins(data, pairs=limit)
    if found.gap_by_lemma is None:
        raise InputError(
            f"the gap has pair terms only where 0/0 counts as 0, and up to {MOST:,} classes"
        )
    pairs = found.pairs[:limit]
    single = names({v: 0 for a, b, _ in pairs for v in (a, b)}, 22)
    called = dict(zip({v: 0 for a, b, _ in pairs for v in (a, b)}, single, strict=True))
    labels = names([f"{called[a]} × {called[b]}" for a, b, _ in pairs], 52)
    values = [
        {
            "pair": name,
            "points": 100 * share * found.gap,
            "text": percent(share),
            "tip": f"{name}: {100 * share * found.gap:.2f} points, {percent(share)} of the gap",
        }
        for name, (_, _, share) in zip(labels, pairs, strict=True)
    ]
    spec: Spec = {
        "data": rows(values),
        "width": 360,
        "height": {"step": 22} if pairs else 22,
        "encoding": {
            "y": named("pair", labels),
            "x": {
                "field": "points",
                "type": "quantitative",
                "title": "points of the gap (and share of it)",
                "axis": {"tickCount": 5},
            },
        },
        "layer": [
            {"mark": {"type": "bar", "color": LIGHT["purple"], "height": 13}, "encoding": TIP},
            text({"align": "left", "dx": 4}, {"text": {"field": "text", "type": "nominal"}}),
        ],
    }
    said = (
        f"The gap is {100 * found.gap:.2f} points (macro_f1 {found.macro_f1:.4f}, "
        f"f1_of_averages {found.f1_of_averages:.4f}), at most {100 * found.bound:.1f} for so "
        "many classes."
    )
    return Chart(spec, title or "Pairs of classes behind the gap", said)

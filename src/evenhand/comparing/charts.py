"""The chart of differences between systems."""

from __future__ import annotations

from evenhand.catalogue.lists import lookup
from evenhand.charts.chart import (
    Chart,
    ChartLayout,
    Spec,
    either,
    grouped_dots,
    merged_names,
    names,
    numbers,
    rule_at,
)
from evenhand.comparing.compare import Comparison, merged
from evenhand.options import heading, instance
from evenhand.text import counted, level_text

PAIRS = 6
"""Pairs of systems that are drawn."""


def differences(result: Comparison, *, title: str | None = None) -> Chart:
    """Each metric's difference between two systems with its interval, in points.

    >>> import evenhand as eh
    >>> differences(eh.compare(list("aabbab"), list("aabbaa"), list("ababab"))).title
    'A minus B, in points'
    """
    instance(result, Comparison, "comparison", "the result of eh.compare")
    pairs = list(dict.fromkeys(p.systems for p in result.pairs))[:PAIRS]
    pair_of = {pair: " − ".join(names(pair)) for pair in pairs}
    shown = [p for p in result.pairs if p.systems in pair_of and p.points]
    drawn = {p.metric for p in shown}
    groups = [group for group in merged(result.pairs) if group[0] in drawn]
    metrics, same = merged_names(groups, "Equal here")
    row = {group[0]: name for group, name in zip(groups, metrics, strict=True)}
    values: list[Spec] = []
    for p in (p for p in shown if p.metric in row):
        metric, pair = row[p.metric], pair_of[p.systems]
        low, high = (None if x is None else 100 * x for x in (p.low, p.high))
        tip = f"{metric}, {pair}: {p.effect:+.2f} points"
        tip += "" if low is None else f" [{low:.2f}, {high:.2f}]"
        tip += "" if p.p_adjusted is None else f", adjusted p {max(p.p_adjusted, 1e-4):.2g}"
        value = {"metric": metric, "pair": pair, "value": p.effect, "low": low, "high": high}
        values.append({**value, "clear": result._significant(p), "tip": tip})
    order = list(pair_of.values())
    one, two = names(pairs[0]) if len(pairs) == 1 else ("the first", "the second")
    axis = [f"points, {level_text(result.level)} intervals"]
    if all(lookup(m).better == "higher" for m in row):
        axis.append(f"← {two} better · {one} better →")
    x = numbers("value", axis)
    hollow = either("datum.clear", 1, 0)

    def draw(layout: ChartLayout) -> Spec:
        rows = ("metric", metrics, "pair", order)
        return grouped_dots(values, *rows, x, layout, rule_at(0), fillOpacity=hollow)

    note = "filled: significant after the correction; hollow: not"
    head = order[0] if len(order) == 1 else "Differences of systems"
    differing = sum(bool(v["clear"]) for v in values)
    description = f"{differing} of {counted(len(values), 'difference')} significant.{same}"
    head = heading(title, f"{head.replace(' − ', ' minus ', 1)}, in points")
    return Chart.drawn(draw, head, description, note)

"""Charts of differences: on every metric, and over the bootstrap replicates of one."""

from __future__ import annotations

from typing import Any

import numpy as np

from evenhand.catalogue.binding import bind, for_metrics, values_of
from evenhand.catalogue.lists import AnyMetric, name_of
from evenhand.catalogue.spelling import called
from evenhand.charts.chart import (
    SERIES,
    TIP,
    Chart,
    ChartLayout,
    Spec,
    apart,
    between,
    either,
    layered,
    lines,
    merged_names,
    names,
    numbers,
    rule_at,
    series,
    text,
)
from evenhand.comparing.compare import Comparison, merged
from evenhand.data.sample import Sample, SoftSample
from evenhand.errors import InputError, heading, instance, some_of
from evenhand.inference.bootstrap import bootstrap, percentile
from evenhand.inference.rows import rows_of
from evenhand.options import LEVEL, REPLICATES, SEED, UNDEFINED, Classes
from evenhand.results.page import LIGHT
from evenhand.text import counted, level_text, number, percent

PAIRS = 6
"""Pairs of systems that are drawn."""


def comparison(result: Comparison, *, title: str | None = None) -> Chart:
    """Each metric's difference between two systems with its interval, in points.

    >>> import evenhand as eh
    >>> comparison(eh.compare(list("aabbab"), list("aabbaa"), list("ababab"))).title
    'A minus B, in points'
    """
    instance(result, Comparison, "comparison", "the result of eh.compare")
    pairs = list(dict.fromkeys(p.systems for p in result.pairs))[:PAIRS]
    pair_of = {}
    for a, b in pairs:
        first, second = names([a, b])
        pair_of[a, b] = f"{first} − {second}"
    shown = [p for p in result.pairs if p.systems in pair_of and p.points]
    drawn = {p.metric for p in shown}
    groups = [group for group in merged(result.pairs) if group[0] in drawn]
    metrics, same = merged_names(groups, "Equal here")
    row = {group[0]: name for group, name in zip(groups, metrics, strict=True)}
    values: list[dict[str, Any]] = []
    for p in (p for p in shown if p.metric in row):
        metric, pair = row[p.metric], pair_of[p.systems]
        low, high = (None if x is None else 100 * x for x in (p.low, p.high))
        tip = f"{metric}, {pair}: {p.effect:+.2f} points"
        tip += "" if low is None else f" [{low:.2f}, {high:.2f}]"
        tip += "" if p.p_adjusted is None else f", adjusted p {max(p.p_adjusted, 1e-4):.2g}"
        value = {"metric": metric, "pair": pair, "value": p.effect, "low": low, "high": high}
        values.append({**value, "clear": result._significant(p), "tip": tip})
    order = list(pair_of.values())
    several = len(order) > 1
    legend = {"columns": 1} if several else None
    colour = series("pair", order, SERIES[: len(order)], legend=legend)
    x = numbers("value", f"points, {100 * result.level:g} % intervals")
    plain, clear = {**colour, "legend": None}, either("datum.clear", 1, 0)
    layer: list[Spec] = [
        rule_at(0, "x"),
        between("x", x, {"color": colour}, strokeWidth=1.5),
        {
            "mark": {"type": "point", "size": 55, "opacity": 1, "strokeWidth": 1.5},
            "encoding": {"x": x, "stroke": plain, "fill": plain, "fillOpacity": clear, **TIP},
        },
    ]

    def draw(layout: ChartLayout) -> Spec:
        height: Spec = {"step": layout.step(24)}
        encoding: Spec = {"y": lines("metric", metrics, layout)}
        if several:
            above = 5 * len(order) + 9
            offset = {"field": "pair", "type": "nominal", "scale": {"domain": order}}
            y = apart(lines("metric", metrics, layout, above=above), layout)
            encoding, height = {"y": y, "yOffset": offset}, {"step": 10, "for": "offset"}
        return layered(values, layout.plot_width(metrics), height, *layer, encoding=encoding)

    note = "filled: significant after the correction; hollow: not"
    head = order[0] if not several else "Differences of systems"
    differing = sum(bool(v["clear"]) for v in values)
    alt = f"{differing} of {counted(len(values), 'difference')} significant.{same}"
    head = heading(title, f"{head.replace(' − ', ' minus ', 1)}, in points")
    return Chart.drawn(draw, head, alt, note)


def difference(
    sample: Sample | SoftSample,
    first: str | None = None,
    second: str | None = None,
    metric: AnyMetric = "macro_f1",
    *,
    classes: Classes = "task",
    undefined: Any = 0,
    level: float = 0.95,
    replicates: int = 2000,
    seed: int = 0,
    title: str | None = None,
) -> Chart:
    """The paired bootstrap distribution of a difference.

    >>> import evenhand as eh
    >>> sample = eh.Sample.from_labels("aabbab", {"A": list("aabbaa"), "B": list("ababab")})
    >>> difference(sample, replicates=50).title
    'A minus B by macro F1, over 50 replicates'
    """
    instance(sample, (Sample, SoftSample), "sample", "a Sample of at least two systems")
    if len(sample.systems) < 2:
        raise InputError("difference is for a sample of at least two systems")
    LEVEL.check(level, "level")
    REPLICATES.check(replicates, "replicates")
    SEED.check(seed, "seed")
    a = sample.systems[0] if first is None else first
    b = sample.systems[1] if second is None else second
    if some_of([a, b], sample.systems, "systems") == [a, a]:
        raise InputError(f"systems must be two of {', '.join(sample.systems)}, got {a!r} twice")
    i, j = sample.systems.index(a), sample.systems.index(b)
    sample, (metric,) = for_metrics(sample, [metric])
    tables = sample.tables()
    kernel = bind(metric, tables, classes=classes, undefined=UNDEFINED.check(undefined))
    scores = np.asarray(values_of([kernel], tables)[0], np.float64)
    drawn = bootstrap(rows_of(sample), [kernel], count=replicates, seed=seed)[0]
    gaps, seen = 100 * (drawn[:, i] - drawn[:, j]), 100 * float(scores[i] - scores[j])
    gaps = gaps[np.isfinite(gaps)]
    if not len(gaps):
        raise InputError("the difference is undefined in every replicate")
    first, second = names([a, b])
    low, high = (float(x[0]) for x in percentile(gaps[:, None], level))
    wide = max(float(np.ptp(gaps)), 1e-9)
    edges = np.linspace(gaps.min() - 0.01 * wide, gaps.max() + 0.01 * wide, 41)
    counts, _ = np.histogram(gaps, edges)
    bins = zip(edges[:-1].tolist(), edges[1:].tolist(), counts.tolist(), strict=True)
    values = []
    for start, stop, n in (bin for bin in bins if bin[-1]):
        tip = f"{start:.2f} to {stop:.2f} points: {n} replicates"
        values.append({"from": start, "to": stop, "n": n, "above": start + stop > 0, "tip": tip})
    share = float(np.mean(gaps > 0) + np.mean(gaps == 0) / 2)
    x = numbers("from", "points of difference", nice=False)
    colour = either("datum.above", LIGHT["blue"], LIGHT["orange"])
    ends = {"values": [{"low": low, "high": high, "seen": seen, "words": f"{seen:+.2f}"}]}
    bars: Spec = {
        "x": {**x, "bin": {"binned": True}},
        "x2": {"field": "to"},
        "y": {"field": "n", "type": "quantitative", "title": "replicates"},
        "color": colour,
        **TIP,
    }
    reach: Spec = {
        "x": {"field": "low", "type": "quantitative"},
        "x2": {"field": "high"},
        "description": {"value": f"interval {low:.2f} to {high:.2f}"},
    }
    rule = {"type": "rule", "strokeWidth": 3, "color": LIGHT["ink"], "y": -6}
    at = {"x": {"field": "seen", "type": "quantitative"}, "text": {"field": "words"}}
    layer: list[Spec] = [
        {"mark": {"type": "bar", "binSpacing": 1}, "encoding": bars},
        rule_at(0, "x", strokeDash=[1, 0], strokeWidth=1.5, color=LIGHT["ink"]),
        {"data": ends, "mark": rule, "encoding": reach},
        text({"y": -16, "fontWeight": "bold"}, at, data=ends),
    ]
    alt = (
        f"{first} minus {second} is {seen:+.2f} points, {level_text(level)} of the replicates "
        f"lie from {number(low, 2)} to {number(high, 2)}; {first} is ahead in {percent(share)} "
        "of them."
    )
    head = f"{first} minus {second} by {called(name_of(metric))}, over {len(gaps):,} replicates"
    return Chart.drawn(
        lambda layout: layered(values, layout.width - 70, 180, *layer, title={"offset": 26}),
        heading(title, head),
        alt,
    )

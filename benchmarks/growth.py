"""How time and memory grow with the rows: a table and a small picture."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.harness import Result, Timing, calls, shown
from evenhand.charts.chart import Chart, rows
from evenhand.results.page import LIGHT

PICTURES = Path("docs/pictures")


@dataclass(frozen=True)
class Growth:
    """The same work on more and more rows; ``units`` of each timing are its rows."""

    title: str
    data: str
    timings: tuple[Timing, ...]
    claim: str
    picture: str

    def table(self) -> str:
        """Run all, draw them, and write them as Markdown, each against the first."""
        results = [t.run() for t in self.timings]
        failed = next((r.note for r in results if r.seconds is None), None)
        lines = [
            f"### {self.title}",
            "",
            f"{self.data} {calls(self.timings)} Wanted: {self.claim}.",
            "",
        ]
        if failed is not None:
            return "\n".join([*lines, f"Failed: {failed}"])
        chart = self.chart(results)
        chart.save(PICTURES / f"{self.picture}.svg")
        lines += [
            f"![{chart.description}](pictures/{self.picture}.svg)",
            "",
            "| rows | time | a row | rows, against the first | time | peak memory |",
            "| ---: | ---: | ---: | ---: | ---: | ---: |",
        ]
        first = results[0]
        for r in results:
            n, more = r.timing.units, r.timing.units / first.timing.units
            lines.append(
                f"| {n:,.0f} | {shown(_whole(r))} | {shown(_whole(r) / n)} | {more:.0f} × "
                f"| {_whole(r) / _whole(first):.1f} × | {r.peak:,.0f} MB |"
            )
        return "\n".join(lines)

    def chart(self, results: list[Result]) -> Chart:
        """Time on logarithmic axes, where a straight line is a power; memory from zero on."""
        values = [
            {"rows": r.timing.units, "seconds": _whole(r), "memory": r.peak, "linear": line}
            for r, line in zip(results, _straight(results), strict=True)
        ]
        across = {
            "field": "rows",
            "type": "quantitative",
            "scale": {"type": "log"},
            "title": "rows",
            "axis": {
                "labelExpr": "format(datum.value / 1e6, ',') + ' M'",
                "values": [r.timing.units for r in results],
            },
        }
        powers = [10.0**i for i in range(-3, 4)]
        time = {"scale": {"type": "log"}, "title": "seconds", "axis": {"values": powers}}
        panels = [
            _panel("seconds", across, time, "blue", straight=True),
            _panel("memory", across, {"title": "peak memory, MB"}, "orange"),
        ]
        last = results[-1]
        return Chart(
            {"data": rows(values), "hconcat": panels},
            f"{self.title}: time and memory",
            f"From {results[0].timing.units:,.0f} to {last.timing.units:,.0f} rows, time grows "
            f"{_whole(last) / _whole(results[0]):.0f}-fold, and peak memory from "
            f"{results[0].peak:.0f} to {last.peak:.0f} MB.",
        )


def _whole(result: Result) -> float:
    """Seconds of a whole call."""
    assert result.seconds is not None
    return result.seconds * result.timing.units


def _straight(results: list[Result]) -> list[float]:
    """Exactly linear growth that ends where the measurements end."""
    assert results[-1].seconds is not None
    return [results[-1].seconds * r.timing.units for r in results]


def _panel(
    field: str, across: dict[str, Any], up: dict[str, Any], colour: str, straight: bool = False
) -> dict[str, Any]:
    """One quantity over the rows, beside linear growth if asked for."""
    place = {"x": across, "y": {"field": field, "type": "quantitative", **up}}
    layers: list[dict[str, Any]] = [
        {
            "mark": {
                "type": "line",
                "color": LIGHT[colour],
                "point": {"filled": True, "size": 50, "color": LIGHT[colour]},
            },
            "encoding": place,
        }
    ]
    if straight:
        line = {"type": "line", "strokeDash": [4, 4], "color": LIGHT["grey"]}
        linear = {**place["y"], "field": "linear"}
        layers.insert(0, {"mark": line, "encoding": {"x": across, "y": linear}})
    return {"width": 220, "height": 140, "layer": layers}

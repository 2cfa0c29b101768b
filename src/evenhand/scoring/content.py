"""What scores say: the headline, the metrics that people ask for first, the classes."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING, Any

from evenhand.catalogue.lists import by_distance, chosen, shown_in, sums
from evenhand.catalogue.property_words import lacking
from evenhand.results.alike import alike, rounded
from evenhand.results.cells import Cell, MetricName, Sure
from evenhand.results.content import Block, Content, Heading, Pictures, Sheet, Words
from evenhand.results.grid import Grid
from evenhand.results.sentence import leading
from evenhand.results.text import POOLED, counted, level_text, number
from evenhand.scoring.cautions import POINT
from evenhand.signature.footnote import footnote
from evenhand.tables.labels import key_text

if TYPE_CHECKING:
    from evenhand.scoring.scores import Score, Scores

SHOWN_CLASSES = 50
BESIDE = 8
"""Slices up to which each has a column of its own."""
ACROSS = 3
"""Metrics that more slices have a column each of."""
ARGMAX = "most probable class"
"""The column of labels that probabilities were made into."""


def content_of(scores: Scores, *, full: bool, explain: bool) -> Content:
    """The headline, metrics, classes; with ``explain`` the twins and what is not promised."""
    names = list(scores.metrics)
    first = names
    if not full and not chosen(names):
        first = [m for m in (*shown_in("score"), *filter(by_distance, names)) if m in names]
    grown = sums(names)
    lead = scores.metrics[leading(names)]
    note, signed = footnote(lead.signature), str(scores.signature)
    rows = _merged(scores, first)
    level = next((s.level for s in _every(scores) if s.low is not None), None)
    kinds: dict[bool, list[list[str]]] = {}
    for group in rows:
        kinds.setdefault(group[0] in grown, []).append(group)
    blocks: list[Block] = [s for _, of in sorted(kinds.items()) for s in _sheets(scores, of, full)]
    if not scores.slices:
        grid = Sheet(scores.class_grid, most=SHOWN_CLASSES, rows="classes")
        blocks += [Heading("Classes"), grid]
    if explain:
        blocks += _explained(scores)
    if not scores.slices:
        blocks.append(Pictures([partial(_chart, scores)]))
    blocks.insert(0, Words(_headline(scores, lead), "verdict"))
    facts = [counted(scores.n, "item"), counted(len(scores.labels), "class", "classes")]
    if scores.outside:
        facts.append(counted(scores.outside, "prediction") + " outside")
    if scores.slices:
        facts.append(counted(len(scores.slices), "slice"))
    facts += [] if level is None else [f"{level_text(level)} intervals"]
    said = ", ".join(facts)
    seen = {name for group in rows for name in group} | ({"f1"} if not scores.slices else set())
    return Content(said, blocks, scores.data, signed, scores.warnings_on(seen), footnote=note)


def _headline(scores: Scores, lead: Score) -> str:
    """The first number; both macro F1s where they are not the same to a reader."""
    said = f"{lead.metric} {Sure(lead).text(4)}"
    if lead.metric != "macro_f1" or not scores.twins.gap > POINT:
        return said
    other = scores.metrics.get("f1_of_averages")
    value = number(scores.twins.f1_of_averages) if other is None else Sure(other).text(4)
    return f"{said}, f1_of_averages {value}"


def _merged(scores: Scores, first: list[str]) -> list[list[str]]:
    """The metrics to show, those that are the same number everywhere in one row."""
    every = dict.fromkeys((*first, *scores.metrics))
    return [group for group in merged(scores, every) if group[0] in first]


def merged(scores: Scores, names: Iterable[str]) -> list[list[str]]:
    """The metrics in groups that are the same number, with one interval, in every part."""

    def number(name: str) -> tuple[tuple[str, ...], ...]:
        each = (part.metrics[name] for part in _measured(scores))
        return tuple(rounded(s.value, s.low, s.high) for s in each)

    return alike(names, number)


def _measured(scores: Scores) -> Iterable[Scores]:
    yield from (part for _, part in scores.portions())
    yield from [] if scores.argmax is None else [scores.argmax]


def _every(scores: Scores) -> Iterable[Score]:
    for _, part in scores.portions():
        yield from part.metrics.values()


def _sheets(scores: Scores, rows: list[list[str]], full: bool) -> Iterable[Sheet]:
    """One row a metric; few slices beside each other, many below the whole, a row each."""
    if not scores.slices:
        yield Sheet(_grid(scores, rows, [([], scores)]), wide=100)
    elif len(scores.slices) <= BESIDE:
        yield _beside(scores, rows)
    elif full:
        yield Sheet(_grid(scores, rows, scores.portions()), wide=100)
    else:
        yield Sheet(_grid(scores, rows, [([], scores)]), POOLED, wide=100)
        yield _below(scores, rows)


def _beside(scores: Scores, rows: list[list[str]]) -> Sheet:
    parts = [*scores.slices, scores]
    head = ["metric", *(key_text(s.key) for s in scores.slices), POOLED]
    cells: list[list[Cell]] = [["items", *(number(p.n) for p in parts)]]
    cells += [[_named(names), *(Sure(p.metrics[names[0]]) for p in parts)] for names in rows]
    return Sheet(Grid(head, cells), wide=100)


def _below(scores: Scores, rows: list[list[str]]) -> Sheet:
    first = [names[0] for names in rows[:ACROSS]]
    cells: list[list[Cell]] = [
        [key_text(part.key), part.n, *(Sure(part.metrics[name]) for name in first)]
        for part in scores.slices
    ]
    head = ["slice", "items", *map(MetricName, first)]
    left = counted(len(rows) - ACROSS, "more metric")
    note = f"CSV and JSON have {left} of each slice." if len(rows) > ACROSS else ""
    return Sheet(Grid(head, cells), "Slices", most=60, rows="slices", note=note)


def _grid(
    scores: Scores, rows: list[list[str]], parts: Iterable[tuple[list[Cell], Scores]]
) -> Grid:
    """One row a metric; of several parts, one a part and metric."""
    sure = any(s.low is not None for s in _every(scores))
    head = ["metric", "value", *(["low", "high"] if sure else [])]
    cells: list[list[Cell]] = []
    for key, part in parts:
        for names in rows:
            s = part.metrics[names[0]]
            cells.append([*key, _named(names), s.value, *([s.low, s.high] if sure else [])])
    if scores.argmax is not None and not scores.slices:
        head.append(ARGMAX)
        for row, names in zip(cells, rows, strict=True):
            row.append(Sure(scores.argmax.metrics[names[0]]))
    return Grid(["slice"] * (len(cells[0]) > len(head)) + head, cells)


def _named(names: list[str]) -> MetricName:
    return MetricName(" = ".join(names))


def _explained(scores: Scores) -> list[Block]:
    """Both macro F1s, what the metrics do not promise, and the signature in words."""
    from evenhand.results.signature import explained_grid

    blocks = scores.twins.blocks()
    lines = lacking(scores.metrics, most=5)
    if lines:
        blocks.append(Heading("Not promised (evenhand properties NAME shows why)"))
        blocks.append(Words("  " + "\n  ".join(lines), "note"))
    signature = Sheet(explained_grid(scores.signature), wide=200)
    return [*blocks, Heading("How it was scored"), signature]


def _chart(scores: Scores) -> Any:
    from evenhand.scoring.charts import scores as chart

    return chart(scores)

"""The report of several systems."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from evenhand.comparing.charts import comparison, difference
from evenhand.comparing.compare import compare
from evenhand.draw.names import names
from evenhand.draw.panel import panel
from evenhand.ranking.charts.leaderboard import leaderboard
from evenhand.ranking.charts.places import places
from evenhand.ranking.charts.ranks import KNOWN, agreement, ranks
from evenhand.ranking.leaderboard import Leaderboard
from evenhand.results.grid import Cell, Grid, comma_separated
from evenhand.results.leaderboard import baseline_grid, metric_grid, slice_grid
from evenhand.results.text import chance, counted, ends, number, visible
from evenhand.sample import Sample
from evenhand.scoring.charts import gap
from evenhand.show.report.parts import (
    Block,
    Fact,
    Heading,
    Pictures,
    Report,
    Section,
    Table,
    Words,
)
from evenhand.show.report.shared import (
    FORMULAS,
    confusions_of,
    method_section,
    points,
    prevalence_section,
)
from evenhand.table import Confusion

MANY = 2000
FLIPS = 300
SCORED = ("scores", "ranks")
PAIR = 2000
"""Replicates of the comparison of the first two; the leaderboard has its own."""


def report_of_board(
    board: Leaderboard,
    tables: Confusion,
    sample: Sample | None,
    *,
    title: str,
    classes: Any = "task",
    undefined: Any = 0,
    seed: int = 0,
) -> Report:
    """Everything about several systems: what ``evenhand rank`` found, in words and pictures.

    ``tables`` is the stack of the systems' tables by name; ``sample`` their items, where known.
    """
    how = {"classes": classes, "undefined": undefined}
    pair = _first_two(board, sample)
    sections = [_standing(board), _formula(board, tables, how), _sure(board, pair, how, seed)]
    sections.append(_classes(board, tables))
    data: Any = pair if pair is not None else _table(tables, board.systems[0].name)
    found = None if data is None else prevalence_section(data, tables, board.metrics, **how)
    sections += [] if found is None else [found]
    sections += [_agreement(board), _method(board)]
    return Report(
        title=title,
        kind="Evaluation of several systems",
        verdict=_sentences(board.verdict),
        facts=list(_facts(board, tables)),
        sections=sections,
        signature=str(board.signature),
        data=slim(board.to_dict()),
        copies={
            "CSV": comma_separated(_short(board)),
            "LaTeX": board.to_latex(),
            "Markdown": board.to_markdown(),
        },
    )


def slim(data: dict[str, Any]) -> dict[str, Any]:
    """The JSON without what grows with the square of the systems; it names what it left out."""
    left = []
    if len(data["flips"]) > FLIPS:
        data = {**data, "flips": data["flips"][:FLIPS]}
        left.append(f"flips after the first {FLIPS}")
    if len(data["systems"]) > 20:
        kept = [{k: v for k, v in s.items() if k != "stability"} for s in data["systems"]]
        data = {**data, "systems": kept}
        left.append("stability of the other metrics")
    if len(data["systems"]) > 50:
        few = {data["metric"], *KNOWN}
        kept = [
            {**s, **{part: {m: v for m, v in s[part].items() if m in few} for part in SCORED}}
            for s in data["systems"]
        ]
        data = {**data, "systems": kept}
        left.append("scores and ranks of less usual metrics")
    return {**data, "left_out": left} if left else data


def _short(board: Leaderboard) -> Grid:
    grid = board.long_grid
    if len(grid.rows) <= MANY:
        return grid
    at = list(grid.columns).index("metric")
    kept = {board.metric, *KNOWN}
    return Grid(grid.columns, [r for r in grid.rows if r[at] in kept])


def _sentences(text: str) -> list[str]:
    """The verdict, a sentence a paragraph; it ends one by a full stop before a capital."""
    return [
        s for s in re.split(r"(?<=\.) (?=(?:By|The|Between|No|Pooled|Over) )", text) if s.strip()
    ]


def _first_two(board: Leaderboard, sample: Sample | None) -> Sample | None:
    if sample is None or any(s.runs is not None for s in board.systems):
        return None
    return _some(sample, [s.name for s in board.systems[:2]])


def _some(sample: Sample, wanted: list[str]) -> Sample | None:
    """The same items seen by these systems alone; rows that now look alike become one."""
    if any(w not in sample.systems for w in wanted):
        return None
    at = [sample.systems.index(w) for w in wanted]
    found = replace(
        sample, systems=tuple(wanted), pred=sample.pred[:, at], missing=sample.missing[at]
    )
    if sample.square is not None:
        return found  # weights may differ within what looks alike
    columns = [found.true, *found.pred.T]
    columns += [] if found.cluster is None else [found.cluster]
    rows, place = np.unique(np.stack(columns), axis=1, return_inverse=True)
    weight = np.bincount(place.reshape(-1), found.weight).astype(found.weight.dtype)
    return replace(
        found,
        true=rows[0],
        pred=rows[1 : 1 + len(at)].T,
        weight=weight,
        cluster=None if found.cluster is None else rows[-1],
    )


def _table(tables: Confusion, name: str) -> Confusion | None:
    keys = [str(k) for k in tables.keys[0]]
    return tables[keys.index(name)] if name in keys else None


def _facts(board: Leaderboard, tables: Confusion) -> Iterable[Fact]:
    m = board.metric
    first = board.systems[0]
    x = first.standings[m]
    yield Fact(f"first by {m}", names([first.name])[0])
    yield Fact(m, number(x.value, 3), ends(x.low, x.high))
    if x.best_probability is not None:
        yield Fact("best in", chance(x.best_probability), "of the replicates")
    if x.group is not None:
        tied = sum(bool(set(s.standings[m].group or "") & set(x.group)) for s in board.systems) - 1
        yield Fact("not told from it", str(tied), "systems" if tied != 1 else "system")
    winners = len({tuple(w) for w in board.winners.values()})
    yield Fact("winners", str(winners), f"over {counted(len(board.metrics), 'metric', 'metrics')}")
    yield Fact(
        "systems", f"{len(board.systems):,}", f"{len(board.failed)} left out" * bool(board.failed)
    )
    yield Fact("items", f"{board.n:,}", counted(tables.k, "class", "classes"))


def _standing(board: Leaderboard) -> Section:
    blocks: list[Block] = [Words(w, "warning") for w in board.warnings]
    blocks += [Words(f"left out {n}: {why}", "warning") for n, why in board.failed.items()]
    blocks += [Pictures([leaderboard(board)]), Table(board.grid, f"Systems by {board.metric}")]
    if board.replicates is not None:
        blocks.append(
            Words(
                "Rank interval and P(best): all systems scored on the same replicates. Systems "
                "that share a letter are not told apart by paired tests after Holm's correction; "
                "* marks a difference to the next that is. Ranks by metric: best to worst.",
                "note",
            )
        )
    if board.slices:
        blocks += [Heading("Slices"), Table(slice_grid(board), "Scores and ranks in each slice")]
    blocks += [Heading("What guessing would score"), Table(baseline_grid(board), "Guessing")]
    return Section("leaderboard", "Leaderboard", "Leaderboard", blocks)


def _formula(board: Leaderboard, tables: Confusion, how: dict[str, Any]) -> Section:
    blocks: list[Block] = [Words(FORMULAS)]
    t = board.twins
    if t is not None:
        (most,) = names([t.largest_gap_of])
        blocks.append(
            Words(
                f"{t.changed} of {len(board.systems)} systems change place between the two. The "
                f"gap is largest for {most}: {points(t.largest_gap)}."
            )
        )
    if all(m in board.metrics for m in ("macro_f1", "f1_of_averages")):
        rows: list[list[Cell]] = []
        for s in board.systems:
            a, b = s.standings["macro_f1"], s.standings["f1_of_averages"]
            gap_points = 100 * (b.value - a.value)
            rows.append([s.name, a.value, a.rank, b.value, b.rank, gap_points, a.rank - b.rank])
        head = ["system", "macro_f1", "rank", "f1_of_averages", "rank ", "gap, points", "moves"]
        blocks.append(Table(Grid(head, rows), "Both macro F1s of every system", 3))
    if t is not None and t.largest_gap > 1e-4:
        table = _table(tables, t.largest_gap_of)
        if table is not None and table.k <= MANY and str(how["undefined"]) == "0":
            (name,) = names([t.largest_gap_of])
            blocks.append(
                Pictures([gap(table, title=f"Pairs of classes behind the gap of {name}")])
            )
    return Section("formula", "Formula", "Which formula, and why it matters here", blocks)


def _sure(board: Leaderboard, pair: Sample | None, how: dict[str, Any], seed: int) -> Section:
    blocks: list[Block] = []
    if board.rank_probability:
        blocks.append(Words("How often each system takes each rank when the items are drawn anew."))
        blocks.append(Pictures([places(board)]))
    if pair is not None:
        a, b = names(pair.systems)
        blocks.append(Heading(f"The first two: {a} and {b}"))
        plain = [m for m in board.metrics if "@" not in m][:18]
        found = compare(pair, metrics=plain, level=board.level, replicates=PAIR, seed=seed, **how)
        apart = difference(pair, metric=board.metric, level=board.level, seed=seed, **how)
        blocks += [Words(v) for v in found.verdict]
        blocks.append(Pictures([apart, comparison(found)]))
        blocks.append(Table(found.grid, f"{a} minus {b} on every metric"))
    if not blocks:
        blocks.append(Words("Tables alone say nothing of how ranks vary: give the label files."))
    return Section("intervals", "Intervals", "How sure the order is", blocks)


def _classes(board: Leaderboard, tables: Confusion) -> Section:
    blocks: list[Block] = []
    keys = [str(k) for k in tables.keys[0]]
    order = [s.name for s in board.systems if s.name in keys] or keys
    blocks.append(Pictures([panel(tables, systems=order)]))
    best = _table(tables, order[0])
    if best is not None:
        blocks += confusions_of(best, order[0])
    return Section("classes", "Classes", "Class by class", blocks)


def _agreement(board: Leaderboard) -> Section:
    blocks: list[Block] = []
    if len(board.metrics) < 2:
        blocks.append(Words("Only one metric was asked for."))
        return Section("agreement", "Agreement", "Agreement between metrics", blocks)
    blocks.append(Pictures([ranks(board)]))
    if len(board.systems) > 2:
        blocks.append(Pictures([agreement(board)]))
    grid = metric_grid(board)
    blocks.append(Table(grid, f"Each order that some metric gives, against {board.metric}", 2))
    pairs = {f.systems for f in board.flips}
    if pairs:
        total = len(board.systems) * (len(board.systems) - 1) // 2
        sure = {f.systems for f in board.flips if f.significant == (True, True)}
        text = f"{len(pairs)} of {total} pairs of systems change places with the metric"
        if board.replicates is not None:
            text += f", {len(sure)} of them with both preferences significant"
        blocks.append(Words(text + "."))
    unbeaten = ", ".join(visible(s) for s in board.undominated[:12])
    blocks.append(Words(f"Beaten by no other on all metrics: {unbeaten}."))
    return Section("agreement", "Agreement", "Agreement between metrics", blocks)


def _method(board: Leaderboard) -> Section:
    said = [
        f"Systems are ordered by {board.metric}; equal scores share the smallest rank.",
        f"Intervals are at {100 * board.level:g} %: Wilson's for plain proportions, else the delta "
        "method on the scale of the metric's range.",
    ]
    if board.replicates is not None:
        said.append(
            f"Rank intervals and the chance of being best come from {board.replicates:,} joint "
            "bootstrap replicates; pairs are tested by the paired delta method with Holm's "
            "correction over all pairs."
        )
    return method_section(board.signature, said, ())

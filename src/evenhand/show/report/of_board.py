"""The report of several systems."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from evenhand.catalogue.naming import AnyMetric
from evenhand.comparing.charts import comparison
from evenhand.comparing.compare import Comparison
from evenhand.comparing.content import pairs_sheets
from evenhand.draw.chart import Chart
from evenhand.draw.names import names
from evenhand.draw.panel import panel
from evenhand.infer.rows import Data
from evenhand.ranking.charts.leaderboard import leaderboard
from evenhand.ranking.charts.places import places
from evenhand.ranking.charts.ranks import KNOWN, agreement, ranks
from evenhand.ranking.content import (
    flips_words,
    guessing_sheet,
    items_words,
    leaderboard_sheet,
    orders_sheet,
    scores_sheet,
    slices_sheet,
    unbeaten_words,
)
from evenhand.ranking.leaderboard import Leaderboard
from evenhand.ranking.shrink import FEWEST
from evenhand.ranking.verdict import orders_words
from evenhand.results.cells import Cell, Moved
from evenhand.results.content import Block, Fact, Heading, Pictures, Section, Sheet, Words
from evenhand.results.grid import Grid
from evenhand.results.sentence import Name, Sentence, called
from evenhand.results.text import counted, ends, named, number, percent, points
from evenhand.scoring.charts import PAIRS, gap
from evenhand.scoring.twins import twins
from evenhand.show.report.document import Report
from evenhand.show.report.first_two import compared_two, first_two
from evenhand.show.report.sections import (
    FORMULAS,
    MANY,
    confusions_data,
    confusions_of,
    copies,
    intervals_words,
    method_section,
    prevalence_section,
)
from evenhand.tables.confusion import Confusion

FLIPS = 300
"""Changes of order between metrics that the JSON of a report lists."""
SCORED = ("scores", "ranks")
"""What a system has of every metric in the JSON."""


def report_of_board(
    board: Leaderboard,
    tables: Confusion,
    data: Data | None,
    *,
    title: str | None = None,
    classes: Any = "task",
    undefined: Any = 0,
    metrics: Iterable[AnyMetric] = (),
    distance: Any = None,
    seed: int = 0,
) -> Report:
    """Everything about several systems: what ``evenhand rank`` found, in words and pictures.

    ``tables`` is the stack of the systems' tables by name; ``data`` their items, where known.
    ``metrics`` and ``distance`` are those that the leaderboard was made with.
    """
    how = {"classes": classes, "undefined": undefined}
    pair, both = first_two(board, data), _both_formulas(board)
    found, apart = None, None
    if pair is not None:
        found, apart = compared_two(board, pair, how, metrics, distance, seed)
    sections = [_standing(board), _formula(board, both, tables, how)]
    sections += [_sure(board, found, apart), _classes(board, tables)]
    best = _table(tables, board.systems[0].name)
    seen: Any = best if pair is None else pair
    swept = None if seen is None else prevalence_section(seen, tables, board.metrics, **how)
    sections += [] if swept is None else [swept]
    sections += [_agreement(board), _method(board)]
    facts = _slim(board.to_dict()) | {"twins_by_system": both}
    facts |= {} if best is None else {"confusions": confusions_data(best)}
    facts |= {} if found is None else {"comparison": found.to_dict()}
    content = board.content()
    return Report(
        title=title or f"{counted(len(board.systems), 'system')} by {called(board.metric)}",
        kind="Evaluation of several systems",
        verdict=board.sentences,
        numbers=list(_numbers(board, tables)),
        sections=sections,
        signature=str(board.signature),
        data=facts,
        rows=content.data(),
        copies=copies(content, _short(board, content.data())),
        cautions=board.cautions,
    )


def _slim(data: dict[str, Any]) -> dict[str, Any]:
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


def _short(board: Leaderboard, grid: Grid) -> Grid:
    """The data of the usual metrics alone, where there are many."""
    if len(grid.rows) <= MANY:
        return grid
    at, kept = list(grid.columns).index("metric"), {board.metric, *KNOWN}
    return Grid(grid.columns, [r for r in grid.rows if r[at] in kept])


def _table(tables: Confusion, name: str) -> Confusion | None:
    keys = [str(k) for k in tables.keys[0]]
    return tables[keys.index(name)] if name in keys else None


def _numbers(board: Leaderboard, tables: Confusion) -> Iterable[Fact]:
    m, first = board.metric, board.systems[0]
    x = first.standings[m]
    yield Fact("first", names([first.name])[0], f"by {called(m)}")
    yield Fact(called(m), number(x.value, 3), ends(x.low, x.high, 3))
    if x.best_probability is not None:
        yield Fact("truly the best", percent(x.best_probability), "chance, of these systems")
    if x.group is not None:
        tied = sum(bool(set(s.standings[m].group or "") & set(x.group)) for s in board.systems) - 1
        yield Fact("not told from it", str(tied), "systems" if tied != 1 else "system")
    winners = len({tuple(w) for w in board.winners.values()})
    yield Fact("winners", str(winners), f"over {orders_words(board)}")
    lost = f"{len(board.failed)} left out" * bool(board.failed)
    yield Fact("systems", f"{len(board.systems):,}", lost)
    many, _, _ = items_words(board).partition(" item")
    yield Fact("items", many, counted(tables.k, "class", "classes"))


def _standing(board: Leaderboard) -> Section:
    blocks: list[Block] = [Pictures([leaderboard(board)]), leaderboard_sheet(board)]
    blocks += [scores_sheet(board)] if len(board.metrics) > 1 else []
    blocks += [slices_sheet(board)] if board.slices else []
    return Section("leaderboard", "Leaderboard", "Leaderboard", [*blocks, guessing_sheet(board)])


def _both_formulas(board: Leaderboard) -> list[dict[str, Any]]:
    """Both macro F1s of every system, where both were asked for."""
    if not {"macro_f1", "f1_of_averages"} <= set(board.metrics):
        return []
    rows = [(s.name, s.standings["macro_f1"], s.standings["f1_of_averages"]) for s in board.systems]
    return [
        {
            "name": name,
            "macro_f1": a.value,
            "rank_macro_f1": a.rank,
            "f1_of_averages": b.value,
            "rank_f1_of_averages": b.rank,
            "gap_points": 100 * (b.value - a.value),
            "move": a.rank - b.rank,
        }
        for name, a, b in rows
    ]


def _formula(
    board: Leaderboard, both: list[dict[str, Any]], tables: Confusion, how: dict[str, Any]
) -> Section:
    blocks: list[Block] = [Words(FORMULAS)]
    t = board.twins
    if t is not None:
        (most,) = names([t.largest_gap_of])
        said = f"{t.changed} of {len(board.systems)} systems change place between the two. "
        largest = ("The gap is largest for ", Name(most), f": {points(t.largest_gap)}.")
        blocks.append(Words(Sentence(said, *largest)))
    if both:
        rows: list[list[Cell]] = [[*list(t.values())[:-1], Moved(t["move"])] for t in both]
        head = ["system", "macro_f1", "rank", "f1_of_averages", "rank ", "gap, points", "moves"]
        note = "Moves: places that f1_of_averages puts a system up (↑) or down (↓)."
        blocks.append(Sheet(Grid(head, rows), "Both macro F1s of every system", 3, note=note))
    if t is not None and t.largest_gap > 1e-4:
        table = _table(tables, t.largest_gap_of)
        found = None if table is None else twins(table, **how, pairs=PAIRS)
        if found is not None and found.gap_by_lemma is not None:
            chart = gap(found, title=f"Pairs of classes behind the gap of {most}")
            blocks.append(Pictures([chart]))
    return Section("formula", "Formula", "Which formula, and why it matters here", blocks)


def _sure(board: Leaderboard, found: Comparison | None, apart: Chart | None) -> Section:
    blocks: list[Block] = []
    if board.rank_probability:
        said = "The chance that each system truly has each rank, as far as these items tell."
        blocks += [Words(said), Pictures([places(board)])]
    if found is not None and apart is not None:
        a, b = names(found.systems)
        blocks.append(Heading(f"The first two: {a} and {b}"))
        blocks += [Words(v) for v in found.verdict]
        blocks.append(Pictures([apart, comparison(found)]))
        blocks += pairs_sheets(found, f"{a} minus {b}")
    if not blocks:
        blocks.append(Words("Tables alone say nothing of how ranks vary: give the label files."))
    return Section("intervals", "Intervals", "How sure the order is", blocks)


def _classes(board: Leaderboard, tables: Confusion) -> Section:
    keys = [str(k) for k in tables.keys[0]]
    order = [s.name for s in board.systems if s.name in keys] or keys
    best = confusions_of(tables[keys.index(order[0])], order[0])
    blocks = [Pictures([panel(tables, systems=order)]), *best]
    return Section("classes", "Classes", "Class by class", blocks)


def _agreement(board: Leaderboard) -> Section:
    blocks: list[Block] = [Words("Only one metric was asked for.")]
    if len(board.metrics) > 1:
        blocks = [Pictures([ranks(board)])]
        blocks += [Pictures([agreement(board)])] if len(board.systems) > 2 else []
        blocks += [orders_sheet(board), *flips_words(board), unbeaten_words(board)]
    return Section("agreement", "Agreement", "Agreement between metrics", blocks)


def _method(board: Leaderboard) -> Section:
    said = [
        f"Systems are ordered by {called(board.metric)}; equal scores share the smallest rank.",
        intervals_words(board.level, {m: x.method for m, x in board.systems[0].standings.items()}),
    ]
    if board.replicates is not None:
        said.append(
            f"What varies: {named(board.varies)}. The chance of being best comes from "
            f"{board.replicates:,} joint bootstrap replicates, scores shrunk towards each other "
            f"from {FEWEST} systems on; pairs are tested by paired standard errors with Holm's "
            "correction over all pairs, and rank intervals leave out the ranks that these exclude."
        )
    return method_section(board.signature, said, board.metrics)

"""What a leaderboard says: its tables and words, each of which a report may take for itself."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from evenhand.catalogue.lists import ranked_metrics, shown_in
from evenhand.catalogue.titles import brief, spoken
from evenhand.notes.interval import Interval
from evenhand.ranking.numbers import data_of
from evenhand.ranking.shrink import FEWEST
from evenhand.ranking.verdict import orders_words
from evenhand.results.alike import alike, rounded
from evenhand.results.cells import Cell, Ends, MetricName, Places, Share, Starred, Sure
from evenhand.results.content import Block, Content, Heading, Pictures, Sheet, Words
from evenhand.results.grid import Grid
from evenhand.results.reported import of_metric
from evenhand.results.sentence import called, joined
from evenhand.results.text import (
    counted,
    level_text,
    listed,
    named,
    number,
    shortened,
    visible,
)
from evenhand.signature.fields import IntervalField
from evenhand.signature.footnote import footnote
from evenhand.tables.labels import key_text

if TYPE_CHECKING:
    from evenhand.ranking.flips import Flip
    from evenhand.ranking.leaderboard import Leaderboard

SHOWN_FLIPS = 12
SHOWN_UNBEATEN = 12
SHOWN_SYSTEMS = 25
"""Systems up to which each order of them is written out."""

GUESSED = shown_in("guessing")
"""Metrics, beside the chosen one, on which readers know what guessing scores."""


def content_of(board: Leaderboard, *, long: bool = False, lead: str | None = None) -> Content:
    """The verdict, the leaderboard, its slices, what other metrics and guessing make of it."""
    title = (
        f"{counted(len(board.systems), 'system')} by {called(board.metric)}, {items_words(board)}"
    )
    if board.replicates is not None:
        title += f", {number(board.replicates)} joint replicates"
    blocks: list[Block] = [
        Words(joined("\n", board.sentences), "verdict"),
        leaderboard_sheet(board),
    ]
    if board.slices:
        blocks.append(slices_sheet(board))
    if len(board.metrics) > 1:
        blocks.append(orders_sheet(board))
        blocks += [Heading("Flips"), *flips_words(board), unbeaten_words(board)]
    blocks += [guessing_sheet(board), Pictures([partial(_chart, board)])]
    data, signed = partial(data_of, board, long=long), str(board.signature)
    note = footnote_of(board, lead)
    return Content(title, blocks, data, signed, board.warnings_on(_asked(board)), footnote=note)


def _asked(board: Leaderboard) -> set[str]:
    """The metrics that were asked for: where none was, the one that decides the order."""
    usual = {board.metric, *(m.name for m in ranked_metrics())}
    return {board.metric} if usual == set(board.metrics) else set(board.metrics)


def _chart(board: Leaderboard) -> Any:
    from evenhand.ranking.charts.leaderboard import leaderboard

    return leaderboard(board)


def footnote_of(board: Leaderboard, lead: str | None = None, *, intervals: bool = True) -> str:
    """Which score the leaderboard is of, or its ``lead``, with what its intervals came to."""
    own = board.systems[0]
    metric = board.metric
    if lead is not None and lead in own:
        metric = next(m for m in own if own[m] is own[lead])
    signed = of_metric(board.signature, metric)
    found = IntervalField.parse(signed.interval)
    standings = (s.standings[metric] for s in board.systems)
    method = next((x.method for x in standings if x.method is not None), None)
    if found is not None and method is not None:
        plain = replace(found, method=method.name, scale=method.scale, ranked=None)
        signed = replace(signed, interval=str(plain))
    return footnote(signed, intervals=intervals)


def items_words(board: Leaderboard) -> str:
    """How many items there are, from the fewest to the most where tables have their own."""
    least = min(s.n for s in board.systems)
    many = counted(board.n, "item")
    return many if least == board.n else f"{least:,} to {many} (each table has its own)"


def leaderboard_sheet(board: Leaderboard) -> Sheet:
    """The chosen metric: score, interval, rank interval, P(best), letters, difference to next."""
    name = f"Systems by {called(board.metric)} on {items_words(board)}"
    return Sheet(_leaderboard(board), name, rows="systems", note=" ".join(_legend(board)))


def _leaderboard(board: Leaderboard) -> Grid:
    joint, several = board.replicates is not None, len(board.metrics) > 1
    sure = any(s.standings[board.metric].low is not None for s in board.systems)
    runs = any(s.runs is not None for s in board.systems)
    strange, lost = (any(getattr(s, x) for s in board.systems) for x in ("never_true", "outside"))
    head = ["rank", "system", MetricName(board.metric)]
    head += [f"{level_text(board.level)} interval"] * sure
    head += ["runs", "sd of runs", "se of items"] * runs
    head += ["rank interval", "P(best)", "group"] * joint + ["to next"]
    head += ["ranks by metric"] * several + ["never true"] * strange + ["no class"] * lost
    rows: list[list[Cell]] = []
    for s in board.systems:
        x = s.standings[board.metric]
        row: list[Cell] = [x.rank, s.name, x.value]
        row += [Ends(x.low, x.high)] * sure
        if s.runs is not None:
            row += [len(s.runs.names), s.runs.spread, s.runs.se_items]
        if x.best_probability is not None:
            row += [Places(x.rank_low, x.rank_high), Share(x.best_probability), x.group]
        p = None if s.next is None else s.next.p_adjusted
        clear = p is not None and p < 1 - board.level
        row.append(None if s.next is None else Starred(s.next.difference, clear))
        row += [Places(s.best_rank, s.worst_rank)] * several
        rows.append([*row, *[Share(s.never_true)] * strange, *[Share(s.outside)] * lost])
    return Grid(head, rows)


def _legend(board: Leaderboard) -> Iterable[str]:
    """What the columns of the leaderboard mean."""
    if any(s.standings[board.metric].low is not None for s in board.systems):
        yield f"What varies: {named(board.varies)}."
    if board.replicates is not None:
        shrunk = ", shrunk towards each other" * (len(board.systems) >= FEWEST)
        yield (
            "P(best): the chance that the system is truly the best of these, from "
            f"{number(board.replicates)} joint replicates{shrunk}."
        )
        some = any(len(s.standings[board.metric].group or "") > 1 for s in board.systems)
        yield (
            f"Group: systems that share a letter{' (one may have several)' * some} are not told "
            f"apart at {level_text(1 - board.level)}, by paired standard errors after Holm; "
            "* marks a difference that is. Rank interval: after the systems that these tests tell "
            "to be better, and before those told to be worse."
        )
    if len(board.metrics) > 1:
        yield f"Ranks by metric: best to worst over {orders_words(board)}."
    if any(s.never_true for s in board.systems):
        yield "Never true: answers that are labels true of no item."
    if any(s.outside for s in board.systems):
        yield "No class: items without an answer that is a class."


def orders_sheet(board: Leaderboard) -> Sheet:
    """One row for each order that some metric gives: who is where, and who wins how surely."""
    few, joint = len(board.systems) <= SHOWN_SYSTEMS, board.replicates is not None
    head = ["metrics", *["ranks, in the order above"] * few, "winner", *["P(best)"] * joint]
    rows: list[list[Cell]] = []
    for places, metrics in board.orders.items():
        m, won = metrics[0], board.winners[metrics[0]]
        row: list[Cell] = [listed(map(_short, metrics), 1), *[" ".join(map(str, places))] * few]
        row.append(won[0] if len(won) == 1 else f"{len(won)} equal")
        chance = board[won[0]].standings[m].best_probability
        row += [] if chance is None else [Share(chance)]
        row += [board.correlation[kind][board.metric][m] for kind in ("spearman", "kendall")]
        rows.append(row)
    name = f"Ranks under every metric, correlated with {called(board.metric)}"
    return Sheet(Grid([*head, "Spearman", "Kendall"], rows), name, digits=2, rows="orders", wide=90)


def _short(metric: str) -> str:
    return spoken(visible(brief(metric)))


def scores_sheet(board: Leaderboard) -> Sheet:
    """One row a system: its score by every metric; those that are always equal stand together."""
    groups = alike(board.metrics, lambda m: rounded(*(s.standings[m].value for s in board.systems)))
    kept = [group[0] for group in groups]
    rows: list[list[Cell]] = [
        [s.name, *(s.standings[m].value for m in kept)] for s in board.systems
    ]
    same = "; ".join(" = ".join(map(called, group)) for group in groups if len(group) > 1)
    note = f"Equal for every system here: {same}." if same else ""
    name = "Score of every system by every metric"
    return Sheet(Grid(["system", *map(MetricName, kept)], rows), name, 3, rows="systems", note=note)


def slices_sheet(board: Leaderboard) -> Sheet:
    """One row a system: its score and rank in every slice, pooled, and their mean."""
    head = ["system", *(key_text(p.key) for p in board.slices), "pooled", "mean of slices"]
    means, parts = {m.name: m for m in board.mean_of_slices}, [p.parts for p in board.slices]
    rows: list[list[Cell]] = [["items", *(number(p.n) for p in board.slices), number(board.n), ""]]
    for s in board.systems:
        own = (system.standings[board.metric] for system in (*(p[s.name] for p in parts), s))
        row: list[Cell] = [Sure(Interval(x.value), x.rank) for x in own]
        mean = means[s.name]
        rows.append([s.name, *row, Sure(mean, mean.rank)])
    return Sheet(Grid(head, rows), f"Slices, {called(board.metric)} (rank)", rows="systems")


def guessing_sheet(board: Leaderboard) -> Sheet:
    """What guessing scores, on the metrics that readers know best."""
    wanted = [board.metric, *(m for m in board.metrics if m in GUESSED and m != board.metric)]
    rows: list[list[Cell]] = [
        [kind, *(scores[m] for m in wanted)] for kind, scores in board.baselines.items()
    ]
    return Sheet(Grid(["guessing", *map(MetricName, wanted)], rows), "What guessing would score")


def flips_words(board: Leaderboard) -> list[Words]:
    """How many pairs of systems change places with the metric; then which, the sure ones first."""
    if not board.flips:
        return [Words("none: every metric agrees on every pair of systems")]
    by: dict[tuple[str, str], list[Flip]] = {}
    for flip in board.flips:
        by.setdefault(flip.systems, []).append(flip)
    sure = {systems: sum(f.sure for f in flips) for systems, flips in by.items()}
    total = len(board.systems) * (len(board.systems) - 1) // 2
    said = f"{len(by):,} of {total:,} pairs of systems change places with the metric"
    if board.replicates is not None:
        said += f", {sum(n > 0 for n in sure.values()):,} of them with both preferences "
        said += "significant (marked *)"
    first = sorted(by, key=lambda systems: -sure[systems])[:SHOWN_FLIPS]
    lines = [f"  {_turned(systems, by[systems])}" for systems in first]
    more = len(by) - len(first)
    lines += [f"  … and {more:,} more pairs"] * (more > 0)
    return [Words(f"{said}:"), Words("\n".join(lines))]


def _turned(systems: tuple[str, str], flips: list[Flip]) -> str:
    """By which metric one system is ahead of another, and by which behind."""
    a, b = (shortened(visible(s), 30) for s in systems)
    one = _starred(flips[0].metrics[0], flips[0].significant[0])
    others = sorted(flips, key=lambda f: not f.significant[1])
    said = listed((_starred(f.metrics[1], f.significant[1]) for f in others), 3)
    return f"{a} > {b} by {one}, but {b} > {a} by {said}"


def _starred(metric: str, significant: bool | None) -> str:
    return called(metric) + "*" * bool(significant)


def unbeaten_words(board: Leaderboard) -> Words:
    """Systems that no other equals or beats on every metric, beating them on some."""
    names = listed(board.undominated, SHOWN_UNBEATEN)
    return Words(f"Beaten by no other on all metrics: {names}.")

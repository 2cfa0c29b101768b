"""A leaderboard in words and tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

from evenhand.catalogue.footnote import footnote
from evenhand.catalogue.lists import LEAD, ranked_metrics
from evenhand.catalogue.signature import IntervalField
from evenhand.catalogue.spelling import brief, called, spoken
from evenhand.errors import InputError, shown
from evenhand.ranking.stability import FEWEST, share
from evenhand.records import Interval
from evenhand.results.document import (
    Block,
    Cell,
    Content,
    Grid,
    Heading,
    IntervalCell,
    IntervalStyle,
    LimitsCell,
    MetricName,
    Paragraph,
    PlaceCell,
    PlacesCell,
    ShareCell,
    StarredCell,
    Table,
    group_equal,
    rounded,
)
from evenhand.results.result import of_metric
from evenhand.text import (
    POOLED,
    Sentence,
    counted,
    joined,
    key_text,
    level_text,
    listed,
    named,
    number,
    p_words,
    percent,
    sentence_named,
    shortened,
    visible,
)

if TYPE_CHECKING:
    from evenhand.ranking.leaderboard import Leaderboard, MeanOfSlices, Standing
    from evenhand.ranking.stability import Flip

STANDING = ("se", "low", "high", "rank_low", "rank_high", "best_probability", "group")


def _wide(board: Leaderboard) -> Grid:
    """One row a system: the chosen metric whole, then its score by the others and in slices."""
    others = [m for m in board.metrics if m != board.metric]
    head = ["rank", "system", board.metric, *STANDING, "never_true", "outside", *others]
    head += [f"{board.metric} in {key_text(p.key)}" for p in board.slices]
    head += ["mean_of_slices"] * bool(board.slices)
    means, parts = {m.name: m.value for m in board.mean_of_slices}, [p.parts for p in board.slices]
    rows: list[list[Cell]] = []
    for s in board.systems:
        x = s.standings[board.metric]
        row: list[Cell] = [x.rank, s.name, x.value, *_standing(x), s.never_true, s.outside]
        row += [s.standings[m].value for m in others]
        row += [p[s.name].standings[board.metric].value for p in parts]
        rows.append([*row, *([means[s.name]] if parts else [])])
    return Grid(head, rows)


def _standing(x: Standing) -> list[Cell]:
    """How sure a score is, and how stable its rank."""
    return [x.se, x.low, x.high, x.rank_low, x.rank_high, x.best_probability, x.group or ""]


def _long(board: Leaderboard) -> Grid:
    """Every number: one row a system and metric, and a slice where there are any."""
    head = ["system", "metric", "value", "rank", *STANDING, "never_true", "outside"]
    parts = [(POOLED, board), *((key_text(p.key), p) for p in board.slices)]
    rows: list[list[Cell]] = []
    for key, part in parts:
        for s in part.systems:
            for m, x in s.standings.items():
                row: list[Cell] = [s.name, m, x.value, x.rank, *_standing(x)]
                row += [s.never_true, s.outside]
                rows.append([*[key] * bool(board.slices), *row])
    return Grid(["slice"] * bool(board.slices) + head, rows)


# The verdict.


def sentences_of(board: Leaderboard) -> tuple[Sentence, ...]:
    """Who wins and how sure that is; whether the metric decides it; the twins; the baselines."""
    return (_winner(board), *_metrics(board), *_twins(board), *_guessing(board), *_slices(board))


def _winner(board: Leaderboard) -> Sentence:
    m = board.metric
    first = [s for s in board.systems if s.standings[m].rank == 1]
    top = first[0].standings[m]
    tied = len(first) > 1
    clauses = [f"By {called(m)}, ", sentence_named(s.name for s in first)]
    clauses.append(" are first, equal" if tied else " is first")
    if not tied and top.best_probability is not None:
        clauses.append(f", and truly the best with a chance of {percent(top.best_probability)}")
    if top.group is None:
        return Sentence(*clauses, ".")
    rest = (s for s in board.systems if s not in first)
    not_told_apart = [s.name for s in rest if share(s.standings[m].group or "", top.group)]
    pronoun = "them" if tied else "it"
    if not_told_apart:
        return Sentence(
            *clauses,
            f". The paired tests do not tell {pronoun} from ",
            sentence_named(not_told_apart),
            ".",
        )
    return Sentence(*clauses, f". The paired tests tell {pronoun} from every other system.")


def _metrics(board: Leaderboard) -> Iterable[Sentence]:
    if len(board.metrics) < 2:
        return
    by: dict[tuple[str, ...], list[str]] = {}
    for metric, *_ in board.orders.values():  # metrics that make the same order count once
        by.setdefault(tuple(board.winners[metric]), []).append(metric)
    if len(by) == 1:
        yield Sentence(f"The winner is the same under all {orders_words(board)}.")
        return
    ours = tuple(board.winners[board.metric])
    agree = by.pop(ours)
    ordered = sorted(by.items(), key=lambda p: -len(p[1]))
    others = (
        Sentence(sentence_named(names), f" in {len(ms)} (by {listed(map(called, ms), 3)})")
        for names, ms in ordered
    )
    orders = counted(len(board.orders), "different order")
    yield Sentence(
        f"The metric decides who wins: {counted(len(board.metrics), 'metric')} make {orders}, and ",
        sentence_named(ours), f" is first in {len(agree)} of them, ", joined(", ", others), ".",
    )  # fmt: skip


def orders_words(board: Leaderboard) -> str:
    """How many metrics there are, and how many orders they make: equal ones count once."""
    metrics, orders = len(board.metrics), len(board.orders)
    if orders == 1 < metrics:
        return f"{counted(metrics, 'metric')}, which all make the same order"
    same = "" if orders == metrics else f", which make {counted(orders, 'different order')}"
    return counted(metrics, "metric") + same


def _twins(board: Leaderboard) -> Iterable[Sentence]:
    if board.twins is not None:
        changed, total = board.twins.changed, len(board.systems)
        moved = f"{changed} of {total} systems change place" if changed > 1 else (
            f"{'one' if changed else 'none'} of {total} systems changes place")  # fmt: skip
        yield Sentence(f"Between the two formulas called 'macro F1', {moved}.")


def _guessing(board: Leaderboard) -> Iterable[Sentence]:
    lower = board.lower
    scores_by_kind = {kind: scores[board.metric] for kind, scores in board.baselines.items()}
    known = {kind: v for kind, v in scores_by_kind.items() if v == v}
    if not known:
        return
    kind = min(known, key=lambda k: known[k] if lower else -known[k])
    best_guess = known[kind]
    kinds: dict[str, list[str]] = {"No better than": [], "Not shown to be better than": []}
    for s in board.systems:
        x = s.standings[board.metric]
        worst = x.high if lower else x.low
        for claim, v in zip(kinds, (x.value, worst), strict=True):
            if v is not None and (v >= best_guess if lower else v <= best_guess):
                kinds[claim].append(s.name)
                break
    for claim, weak in kinds.items():
        if weak:
            yield Sentence(
                f"{claim} guessing ({kind}, {number(best_guess)}): ", sentence_named(weak), "."
            )


def _slices(board: Leaderboard) -> Iterable[Sentence]:
    if not board.slices:
        return
    pooled = {s.name for s in board.systems if s.standings[board.metric].rank == 1}
    mean = [m.name for m in board.mean_of_slices if m.rank == 1]
    if pooled == set(mean):
        yield Sentence("Pooled items and the mean of slices have the same winner.")
    else:
        sentence = "The mean of slices has another winner than the pooled items: "
        yield Sentence(sentence, sentence_named(mean), ".")
    if board.friedman is not None:
        f = board.friedman
        yield Sentence(
            f"Over {f.slices} slices Friedman's test gives {p_words(f.p)}; mean ranks that differ "
            f"by less than {number(f.critical_difference, 2)} are not told apart (Nemenyi)."
        )


# Tables and paragraphs, which a report uses too.

SHOWN_FLIPS = 12
SHOWN_UNBEATEN = 12
SHOWN_SYSTEMS = 25
"""Systems up to which each order of them is written out."""

GUESSED = ("accuracy", "macro_recall", "f1_of_averages", "kappa", "mcc")
"""Metrics, beside the chosen one, on which readers know what guessing scores."""


def content_of(board: Leaderboard, *, long: bool = False, lead: str | None = None) -> Content:
    """The verdict, the leaderboard, its slices, what other metrics and guessing make of it."""
    title = (
        f"{counted(len(board.systems), 'system')} by {called(board.metric)}, {items_words(board)}"
    )
    if board.replicates is not None:
        title += f", {number(board.replicates)} joint replicates"
    verdict = Paragraph(joined("\n", board.sentences), "verdict")
    blocks: list[Block] = [verdict, leaderboard_sheet(board)]
    if board.slices:
        blocks.append(slices_sheet(board))
    if len(board.metrics) > 1:
        blocks.append(orders_sheet(board))
        blocks += [Heading("Flips"), *flips_words(board), unbeaten_words(board)]
    blocks += [guessing_sheet(board), board.picture]
    data = partial(_long if long else _wide, board)
    usual = {board.metric, *(m.name for m in ranked_metrics())}  # unless others were requested
    shown = {board.metric} if usual == set(board.metrics) else set(board.metrics)
    warnings, note = board.warnings_on(shown), footnote_of(board, lead)
    return board.described(title, blocks, data, warnings=warnings, footnote=note)


def footnote_of(board: Leaderboard, lead: str | None = None, *, intervals: bool = True) -> str:
    """Which score the leaderboard is of, or its ``lead``, with what its intervals came to."""
    own = board.systems[0]
    metric = board.metric
    if lead is not None and lead in own:
        metric = next(m for m in own if own[m] is own[lead])
    signature = of_metric(board.signature, metric)
    interval = IntervalField.parse(signature.interval)
    standings = (s.standings[metric] for s in board.systems)
    method = next((x.method for x in standings if x.method is not None), None)
    if interval is not None and method is not None:
        plain = replace(interval, method=method.name, scale=method.scale, ranked=None)
        signature = replace(signature, interval=str(plain))
    return footnote(signature, intervals=intervals)


def items_words(board: Leaderboard) -> str:
    """How many items there are, from the fewest to the most where tables have their own."""
    least = min(s.n for s in board.systems)
    many = counted(board.n, "item")
    return many if least == board.n else f"{least:,} to {many} (each table has its own)"


def leaderboard_sheet(board: Leaderboard) -> Table:
    """The chosen metric: score, interval, rank interval, P(best), letters, difference to next."""
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
        row += [LimitsCell(x.low, x.high)] * sure
        if s.runs is not None:
            row += [len(s.runs.names), s.runs.spread, s.runs.se_items]
        if x.best_probability is not None:
            row += [PlacesCell(x.rank_low, x.rank_high), ShareCell(x.best_probability), x.group]
        p = None if s.next is None else s.next.p_adjusted
        clear = p is not None and p < 1 - board.level
        row.append(None if s.next is None else StarredCell(s.next.difference, clear))
        row += [PlacesCell(s.best_rank, s.worst_rank)] * several
        rows.append([*row, *[ShareCell(s.never_true)] * strange, *[ShareCell(s.outside)] * lost])
    name = f"Systems by {called(board.metric)} on {items_words(board)}"
    return Table(Grid(head, rows), name, rows="systems", note=" ".join(_legend(board)))


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


def orders_sheet(board: Leaderboard) -> Table:
    """One row for each order that some metric gives: who is where, and who wins how surely."""
    few, joint = len(board.systems) <= SHOWN_SYSTEMS, board.replicates is not None
    head = ["metrics", *["ranks, in the order above"] * few, "winner", *["P(best)"] * joint]
    rows: list[list[Cell]] = []
    for places, metrics in board.orders.items():
        m, won = metrics[0], board.winners[metrics[0]]
        names = listed((spoken(visible(brief(name))) for name in metrics), 1)
        row: list[Cell] = [names, *[" ".join(map(str, places))] * few]
        row.append(won[0] if len(won) == 1 else f"{len(won)} equal")
        chance = board[won[0]].standings[m].best_probability
        row += [] if chance is None else [ShareCell(chance)]
        row += [board.correlation[kind][board.metric][m] for kind in ("spearman", "kendall")]
        rows.append(row)
    name = f"Ranks under every metric, correlated with {called(board.metric)}"
    return Table(Grid([*head, "Spearman", "Kendall"], rows), name, digits=2, rows="orders", wide=90)


def scores_sheet(board: Leaderboard) -> Table:
    """One row a system: its score by every metric; those that are always equal stand together."""
    groups = group_equal(
        board.metrics, lambda m: rounded(*(s.standings[m].value for s in board.systems))
    )
    distinct = [group[0] for group in groups]
    rows: list[list[Cell]] = [
        [s.name, *(s.standings[m].value for m in distinct)] for s in board.systems
    ]
    same = "; ".join(" = ".join(map(called, group)) for group in groups if len(group) > 1)
    note = f"Equal for every system here: {same}." if same else ""
    name = "Score of every system by every metric"
    return Table(
        Grid(["system", *map(MetricName, distinct)], rows), name, 3, rows="systems", note=note
    )


def slices_sheet(board: Leaderboard) -> Table:
    """One row a system: its score and rank in every slice, pooled, and their mean."""
    head = ["system", *(key_text(p.key) for p in board.slices), "pooled", "mean of slices"]
    means, parts = {m.name: m for m in board.mean_of_slices}, [p.parts for p in board.slices]
    rows: list[list[Cell]] = [["items", *(number(p.n) for p in board.slices), number(board.n), ""]]
    for s in board.systems:
        own = (system.standings[board.metric] for system in (*(p[s.name] for p in parts), s))
        row: list[Cell] = [IntervalCell(Interval(x.value), x.rank) for x in own]
        mean = means[s.name]
        rows.append([s.name, *row, IntervalCell(mean, mean.rank)])
    return Table(Grid(head, rows), f"Slices, {called(board.metric)} (rank)", rows="systems")


def guessing_sheet(board: Leaderboard) -> Table:
    """What guessing scores, on the metrics that readers know best."""
    metrics = [board.metric, *(m for m in board.metrics if m in GUESSED and m != board.metric)]
    rows: list[list[Cell]] = [
        [kind, *(scores[m] for m in metrics)] for kind, scores in board.baselines.items()
    ]
    return Table(Grid(["guessing", *map(MetricName, metrics)], rows), "What guessing would score")


def flips_words(board: Leaderboard) -> list[Paragraph]:
    """How many pairs of systems change places with the metric; then which, the sure ones first."""
    if not board.flips:
        return [Paragraph("none: every metric agrees on every pair of systems")]
    by: dict[tuple[str, str], list[Flip]] = {}
    for flip in board.flips:
        by.setdefault(flip.systems, []).append(flip)
    n_sure = {systems: sum(f.sure for f in flips) for systems, flips in by.items()}
    total = len(board.systems) * (len(board.systems) - 1) // 2
    summary = f"{len(by):,} of {total:,} pairs of systems change places with the metric"
    if board.replicates is not None:
        summary += f", {sum(n > 0 for n in n_sure.values()):,} of them with both preferences "
        summary += "significant (marked *)"
    first = sorted(by, key=lambda systems: -n_sure[systems])[:SHOWN_FLIPS]
    lines = [f"  {_turned(systems, by[systems])}" for systems in first]
    more = len(by) - len(first)
    lines += [f"  … and {more:,} more pairs"] * (more > 0)
    return [Paragraph(f"{summary}:"), Paragraph("\n".join(lines))]


def _turned(systems: tuple[str, str], flips: list[Flip]) -> str:
    """By which metric one system is ahead of another, and by which behind."""
    a, b = (shortened(visible(s), 30) for s in systems)
    one = _starred(flips[0].metrics[0], flips[0].significant[0])
    others = sorted(flips, key=lambda f: not f.significant[1])
    other_metrics = listed((_starred(f.metrics[1], f.significant[1]) for f in others), 3)
    return f"{a} > {b} by {one}, but {b} > {a} by {other_metrics}"


def _starred(metric: str, significant: bool | None) -> str:
    return called(metric) + "*" * bool(significant)


def unbeaten_words(board: Leaderboard) -> Paragraph:
    """Systems that no other equals or beats on every metric, beating them on some."""
    names = listed(board.undominated, SHOWN_UNBEATEN)
    return Paragraph(f"Beaten by no other on all metrics: {names}.")


# The table as papers print it.

Columns: TypeAlias = Literal["auto", "metrics", "slices"]
MAX_METRIC_COLUMNS = 8
"""Metrics that have a column each unless they were chosen."""
MEAN = "Mean"
_INTERVAL_LEGEND = {
    "pm": "; ± is half the width of the {level} interval",
    "ends": "; in brackets the {level} interval",
    "small": "; in brackets the {level} interval",
    "none": "",
}


@dataclass(frozen=True)
class PaperColumn:
    """One number a system, their ranks, and which are not told apart from the best."""

    name: str
    values: Sequence[Interval]
    ranks: Sequence[int]
    tied: Sequence[bool]

    def cells(self, intervals: IntervalStyle) -> Iterable[PlaceCell]:
        """A cell a system: of the ranks that occur, the first two are marked."""
        marked = {rank: i + 1 for i, rank in enumerate(sorted(set(self.ranks))[:2])}
        for value, rank, tied in zip(self.values, self.ranks, self.tied, strict=True):
            yield PlaceCell(value, intervals, marked.get(rank), tied)


def paper_of(
    board: Leaderboard,
    *,
    columns: Columns = "auto",
    intervals: IntervalStyle = "pm",
    lead: str | None = None,
) -> Content:
    """One row a system, one column a slice or a metric, and what the marks mean."""
    for name, choice, kind in (
        ("columns", columns, Columns),
        ("intervals", intervals, IntervalStyle),
    ):
        if choice not in get_args(kind):
            raise InputError(f"{name} must be one of {shown(get_args(kind))}, got {choice!r}")
    by_slice = bool(board.slices) if columns == "auto" else columns == "slices"
    if by_slice and not board.slices:
        raise InputError("columns can be slices where there are some, or several data sets")
    paper_columns = list(_paper_slices(board) if by_slice else _paper_metrics(board))
    cells = [column.cells(intervals) for column in paper_columns]
    rows: list[list[Cell]] = [
        [s.name, *row] for s, row in zip(board.systems, zip(*cells, strict=True), strict=True)
    ]
    systems = counted(len(board.systems), "system")
    name = f"{systems} on {items_words(board)}"
    if by_slice:
        parts = counted(len(board.slices), "part")
        name = Sentence(MetricName(board.metric), f" of {name} in {parts}")
    sheet = Table(
        Grid(["system", *(c.name for c in paper_columns)], rows),
        name,
        rows="systems",
        note=" ".join(_paper_legend(board, paper_columns, intervals)),
    )
    title = f"{systems} by {called(board.metric)}"
    note = footnote_of(board, lead, intervals=intervals != "none")
    seen = {board.metric, *(c.name for c in paper_columns)}
    data, warnings = partial(_wide, board), board.warnings_on(seen)
    return board.described(title, [sheet], data, warnings=warnings, footnote=note)


def _paper_metrics(board: Leaderboard) -> Iterable[PaperColumn]:
    """The metrics that were chosen; of all there are, those that people ask for first."""
    names = board.metrics
    if len(names) > MAX_METRIC_COLUMNS:
        names = tuple(dict.fromkeys((board.metric, *(m for m in LEAD if m in names))))
    for name in names:
        yield _column(MetricName(name), board, name, board)


def _paper_slices(board: Leaderboard) -> Iterable[PaperColumn]:
    for part in board.slices:
        yield _column(key_text(part.key), part, board.metric, board)
    means = {m.name: m for m in board.mean_of_slices}
    yield _placed(MEAN, [means[s.name] for s in board.systems])


def _column(name: str, part: Leaderboard, metric: str, board: Leaderboard) -> PaperColumn:
    """A metric in one slice or in all, the systems in the order of the whole leaderboard."""
    own = part.parts
    return _placed(name, [own[s.name].standings[metric] for s in board.systems])


def _placed(name: str, standings: Sequence[Standing | MeanOfSlices]) -> PaperColumn:
    top = next(s.group or "" for s in standings if s.rank == 1)
    tied = [s.rank > 1 and share(s.group or "", top) for s in standings]
    return PaperColumn(name, standings, [s.rank for s in standings], tied)


def _paper_legend(
    board: Leaderboard, columns: Sequence[PaperColumn], intervals: IntervalStyle
) -> Iterable[str]:
    """What the marks mean."""
    legend = "Best in bold, second underlined"
    if any(any(column.tied) for column in columns):
        alpha = level_text(1 - board.level)
        legend += f"; † is not told apart from the best (paired standard errors, Holm, {alpha})"
    if any(value.low is not None for column in columns for value in column.values):
        legend += _INTERVAL_LEGEND[intervals].format(level=level_text(board.level))
    yield f"{legend}."
    if any(column.name == MEAN for column in columns):
        yield f"{MEAN}: over the parts, each weighing the same."

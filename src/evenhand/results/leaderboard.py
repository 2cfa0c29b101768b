"""A leaderboard as tables and text: for a terminal, for an overview paper."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from evenhand.results.grid import Cell, Grid, markdown, plain
from evenhand.results.text import counted, key_text, number, shortened, visible
from evenhand.results.text import markdown as escaped

if TYPE_CHECKING:
    from evenhand.ranking.leaderboard import Leaderboard, Standing, System

SHOWN_FLIPS = 12
SHOWN_SYSTEMS = 25


def leaderboard_grid(board: Leaderboard, digits: int = 4) -> Grid:
    """The chosen metric: score ± interval, rank interval, P(best), letters, difference to next."""
    joint = board.replicates is not None
    sure = any(s.standings[board.metric].low is not None for s in board.systems)
    runs = any(s.runs is not None for s in board.systems)
    head = ["rank", "system", board.metric]
    head += [f"{100 * board.level:g} % interval"] * sure
    head += ["runs", "sd of runs", "se of items"] * runs
    head += ["rank interval", "P(best)", "group", "to next"] if joint else ["to next"]
    head += ["ranks by metric"] * (len(board.metrics) > 1)
    strange, lost = (any(getattr(s, x) for s in board.systems) for x in ("never_true", "outside"))
    head += ["never true"] * strange + ["no class"] * lost
    rows: list[list[Cell]] = []
    for s in board.systems:
        x = s.standings[board.metric]
        row: list[Cell] = [x.rank, s.name, x.value]
        row += [interval(x, digits)] * sure
        if runs and s.runs is not None:
            row += [len(s.runs.names), s.runs.spread, s.runs.se_items]
        if joint:
            row += [_span(x.rank_low, x.rank_high), _chance(x.best_probability), x.group]
        row.append(_next(s, digits, board.level))
        row += [_span(s.best_rank, s.worst_rank)] * (len(board.metrics) > 1)
        row += [f"{100 * s.never_true:.1f} %"] * strange + [f"{100 * s.outside:.1f} %"] * lost
        rows.append(row)
    return Grid(head, rows, notes=[f"Signature: {board.signature}"])


def paper_grid(board: Leaderboard, digits: int = 4) -> Grid:
    """The leaderboard with a caption that explains its columns."""
    grid = leaderboard_grid(board, digits)
    text = f"Systems by {board.metric} on {number(board.n)} items."
    if board.replicates is not None:
        text += (
            f" Rank interval and P(best): joint bootstrap, {number(board.replicates)} replicates."
            f" Systems that share a letter are not told apart at {100 * (1 - board.level):.3g} %"
            " (paired delta method, Holm); * marks a difference that is."
        )
    if len(board.metrics) > 1:
        text += f" Ranks by metric: best to worst over {len(board.metrics)} metrics."
    if any(s.never_true for s in board.systems):
        text += " Never true: answers that are labels true of no item."
    if any(s.outside for s in board.systems):
        text += " No class: items without an answer that is a class."
    return Grid(grid.columns, grid.rows, caption=text, notes=grid.notes)


def metric_grid(board: Leaderboard) -> Grid:
    """One row for each order that some metric gives: who is where, and who wins how surely."""
    orders: dict[tuple[int, ...], list[str]] = {}
    for m in board.metrics:
        orders.setdefault(tuple(s.standings[m].rank for s in board.systems), []).append(m)
    few = len(board.systems) <= SHOWN_SYSTEMS
    joint = board.replicates is not None
    head = ["metrics", *(["ranks, in the order above"] * few), "winner", *(["P(best)"] * joint)]
    head += ["Spearman", "Kendall"]
    rows: list[list[Cell]] = []
    for places, metrics in orders.items():
        m = metrics[0]
        won = board.winners[m]
        row: list[Cell] = [_some(metrics), *([" ".join(map(str, places))] if few else [])]
        row.append(won[0] if len(won) == 1 else f"{len(won)} equal")
        if joint:
            row.append(_chance(board[won[0]].standings[m].best_probability))
        row += [board.correlation[kind][board.metric][m] for kind in ("spearman", "kendall")]
        rows.append(row)
    return Grid(head, rows)


def baseline_grid(board: Leaderboard) -> Grid:
    """What guessing scores, on the metrics that readers know best."""
    known = ("accuracy", "macro_recall", "f1_of_averages", "kappa", "mcc")
    wanted = [board.metric, *(m for m in board.metrics if m in known and m != board.metric)]
    rows: list[list[Cell]] = [
        [kind, *(scores[m] for m in wanted)] for kind, scores in board.baselines.items()
    ]
    return Grid(["guessing", *wanted], rows)


def slice_grid(board: Leaderboard) -> Grid:
    """One row a system: its score and rank in every slice, pooled, and their mean."""
    head = ["system", *(slice_name(p) for p in board.slices), "pooled", "mean of slices"]
    means = {m.name: m for m in board.mean_of_slices}
    rows: list[list[Cell]] = [["items", *(number(p.n) for p in board.slices), number(board.n), ""]]
    for s in board.systems:
        row: list[Cell] = [s.name]
        for part in (*board.slices, board):
            x = part[s.name].standings[board.metric]
            row.append(f"{number(x.value)} ({x.rank})")
        m = means[s.name]
        ends = "" if m.low is None else f" [{number(m.low)}, {number(m.high)}]"
        rows.append([*row, f"{number(m.value)}{ends} ({m.rank})"])
    return Grid(head, rows)


def leaderboard_text(board: Leaderboard, digits: int, *, fancy: bool = False) -> str:
    """The table, the verdict in words, and what other metrics make of it."""

    def title(text: str) -> str:
        return f"\x1b[1m{text}\x1b[0m" if fancy else text

    facts = f"{counted(len(board.systems), 'system', 'systems')} by {board.metric}"
    facts += f", {counted(board.n, 'item', 'items')}"
    if board.replicates is not None:
        facts += f", {number(board.replicates)} joint replicates"
    parts = [title(facts), plain(leaderboard_grid(board, digits), digits)]
    if board.replicates is not None:
        parts[-1] += "\n" + _legend(board)
    parts.append(title("Verdict") + "\n" + "\n".join(_wrapped(board.verdict)))
    if board.slices:
        parts.append(title(f"Slices, {board.metric} (rank)") + "\n" + plain(slice_grid(board)))
    if len(board.metrics) > 1:
        above = title("Ranks under every metric") + f" (correlated with {board.metric})"
        parts.append(above + "\n" + plain(metric_grid(board), 2, label_width=60))
        parts.append(title("Flips") + "\n" + "\n".join(_flips(board)))
        parts.append(
            title("Beaten by no other on all metrics") + ": "
            + ", ".join(map(visible, board.undominated))
        )  # fmt: skip
    parts.append(title("What guessing would score") + "\n" + plain(baseline_grid(board), digits))
    parts.append(f"signature  {board.signature}")
    return "\n\n".join(parts)


def leaderboard_markdown(board: Leaderboard, digits: int) -> str:
    """The tables for an overview paper or a wiki."""
    grid = paper_grid(board, digits)
    parts = [markdown(Grid(grid.columns, grid.rows, caption=grid.caption), digits)]
    parts.append(escaped(board.verdict))
    if board.slices:
        parts.append(markdown(slice_grid(board)))
    if len(board.metrics) > 1:
        parts.append(markdown(metric_grid(board), 2))
    parts.append(markdown(baseline_grid(board), digits))
    return "\n\n".join([*parts, *map(escaped, grid.notes)])


def slice_name(board: Leaderboard) -> str:
    """What a slice is called; the whole is pooled."""
    return "(pooled)" if board.slices else key_text(board.key)


def interval(x: Standing, digits: int) -> str:
    """``[0.8123, 0.8456]``, or nothing."""
    return "" if x.low is None else f"[{number(x.low, digits)}, {number(x.high, digits)}]"


def _legend(board: Leaderboard) -> str:
    several = any(len(s.standings[board.metric].group or "") > 1 for s in board.systems)
    some = " (a system may have several)" if several else ""
    return (
        f"group: systems that share a letter are not told apart at {100 * (1 - board.level):.3g} %,"
        f" paired, after Holm{some}; * a difference that is"
    )


def _flips(board: Leaderboard) -> Iterable[str]:
    if not board.flips:
        yield "none: every metric agrees on every pair of systems"
        return
    by: dict[tuple[str, str], list[str]] = {}
    sure: dict[tuple[str, str], int] = {}
    first: dict[tuple[str, str], str] = {}
    for f in board.flips:
        mark = "*" if f.significant[1] else ""
        by.setdefault(f.systems, []).append(f.metrics[1] + mark)
        first[f.systems] = f.metrics[0] + ("*" if f.significant[0] else "")
        sure[f.systems] = sure.get(f.systems, 0) + (f.significant == (True, True))
    real = sum(n > 0 for n in sure.values())
    total = len(board.systems) * (len(board.systems) - 1) // 2
    text = f"{len(by)} of {total} pairs of systems change places with the metric"
    if board.replicates is not None:
        text += f", {real} of them with both preferences significant (marked *)"
    yield text + (":" if by else ".")
    for systems in sorted(by, key=lambda s: -sure[s])[:SHOWN_FLIPS]:
        a, b = (shortened(visible(s), 30) for s in systems)
        metrics = sorted(by[systems], key=lambda m: not m.endswith("*"))
        yield f"  {a} > {b} by {first[systems]}, but {b} > {a} by {_some(metrics, 4)}"
    if len(by) > SHOWN_FLIPS:
        yield f"  … and {len(by) - SHOWN_FLIPS:,} more pairs (--format json)"


def _some(names: list[str], few: int = 3) -> str:
    if len(names) <= few:
        return ", ".join(names)
    return f"{', '.join(names[: few - 1])} and {len(names) - few + 1} more"


def _span(low: int | None, high: int | None) -> str:
    return "" if low is None else f"{low}" if low == high else f"{low}–{high}"


def _chance(share: float | None) -> str:
    return "" if share is None else f"{share:.3f}"


def _next(s: System, digits: int, level: float) -> str:
    if s.next is None:
        return ""
    p = s.next.p_adjusted
    return number(s.next.difference, digits) + ("*" if p is not None and p < 1 - level else "")


def _wrapped(text: str, columns: int = 100) -> list[str]:
    import textwrap

    return textwrap.wrap(text, columns, break_long_words=False, break_on_hyphens=False)

"""A leaderboard as papers print it: systems by data sets or by metrics, best in bold."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

from evenhand.catalogue.lists import shown_in
from evenhand.errors import InputError, shown
from evenhand.notes.interval import Interval
from evenhand.ranking.content import footnote_of, items_words
from evenhand.ranking.letters import share
from evenhand.ranking.numbers import data_of
from evenhand.results.cells import Beside, Cell, MetricName, Placed
from evenhand.results.content import Content, Sheet
from evenhand.results.grid import Grid
from evenhand.results.sentence import Sentence, called
from evenhand.results.text import counted, level_text
from evenhand.tables.labels import key_text

if TYPE_CHECKING:
    from evenhand.ranking.leaderboard import Leaderboard, MeanOfSlices, Standing

Columns: TypeAlias = Literal["auto", "metrics", "slices"]
MOST = 8
"""Metrics that have a column each unless they were chosen."""
MEAN = "Mean"
_BESIDE = {
    "pm": "; ± is half the width of the {level} interval",
    "ends": "; in brackets the {level} interval",
    "small": "; in brackets the {level} interval",
    "none": "",
}


@dataclass(frozen=True)
class Column:
    """One number a system, their ranks, and which are not told apart from the best."""

    name: str
    values: Sequence[Interval]
    ranks: Sequence[int]
    tied: Sequence[bool]

    def cells(self, beside: Beside) -> Iterable[Placed]:
        """A cell a system: of the ranks that occur, the first two are marked."""
        marked = {rank: i + 1 for i, rank in enumerate(sorted(set(self.ranks))[:2])}
        for value, rank, tied in zip(self.values, self.ranks, self.tied, strict=True):
            yield Placed(value, beside, marked.get(rank), tied)


def paper_of(
    board: Leaderboard,
    *,
    columns: Columns = "auto",
    intervals: Beside = "pm",
    lead: str | None = None,
) -> Content:
    """One row a system, one column a slice or a metric, and what the marks mean."""
    for name, given, kind in (("columns", columns, Columns), ("intervals", intervals, Beside)):
        if given not in get_args(kind):
            raise InputError(f"{name} must be one of {shown(get_args(kind))}, got {given!r}")
    by_slice = bool(board.slices) if columns == "auto" else columns == "slices"
    if by_slice and not board.slices:
        raise InputError("columns can be slices where there are some, or several data sets")
    found = list(_slices(board) if by_slice else _metrics(board))
    cells = [column.cells(intervals) for column in found]
    rows: list[list[Cell]] = [
        [s.name, *row] for s, row in zip(board.systems, zip(*cells, strict=True), strict=True)
    ]
    systems = counted(len(board.systems), "system")
    name = f"{systems} on {items_words(board)}"
    if by_slice:
        parts = counted(len(board.slices), "part")
        name = Sentence(MetricName(board.metric), f" of {name} in {parts}")
    sheet = Sheet(
        Grid(["system", *(c.name for c in found)], rows),
        name,
        rows="systems",
        note=" ".join(_legend(board, found, intervals)),
    )
    said, signed = f"{systems} by {called(board.metric)}", str(board.signature)
    note = footnote_of(board, lead, intervals=intervals != "none")
    seen = {board.metric, *(c.name for c in found)}
    data, warnings = partial(data_of, board), board.warnings_on(seen)
    return Content(said, [sheet], data, signed, warnings, footnote=note)


def _metrics(board: Leaderboard) -> Iterable[Column]:
    """The metrics that were chosen; of all there are, those that people ask for first."""
    names = board.metrics
    if len(names) > MOST:
        names = tuple(dict.fromkeys((board.metric, *(m for m in shown_in("lead") if m in names))))
    for name in names:
        yield _column(MetricName(name), board, name, board)


def _slices(board: Leaderboard) -> Iterable[Column]:
    for part in board.slices:
        yield _column(key_text(part.key), part, board.metric, board)
    means = {m.name: m for m in board.mean_of_slices}
    ordered = [means[s.name] for s in board.systems]
    yield _placed(MEAN, ordered)


def _column(name: str, part: Leaderboard, metric: str, board: Leaderboard) -> Column:
    """A metric in one slice or in all, the systems in the order of the whole leaderboard."""
    own = part.parts
    return _placed(name, [own[s.name].standings[metric] for s in board.systems])


def _placed(name: str, found: Sequence[Standing | MeanOfSlices]) -> Column:
    top = next(s.group or "" for s in found if s.rank == 1)
    tied = [s.rank > 1 and share(s.group or "", top) for s in found]
    return Column(name, found, [s.rank for s in found], tied)


def _legend(board: Leaderboard, found: Sequence[Column], intervals: Beside) -> Iterable[str]:
    """What the marks mean."""
    said = "Best in bold, second underlined"
    if any(any(column.tied) for column in found):
        alpha = level_text(1 - board.level)
        said += f"; † is not told apart from the best (paired standard errors, Holm, {alpha})"
    if any(value.low is not None for column in found for value in column.values):
        said += _BESIDE[intervals].format(level=level_text(board.level))
    yield f"{said}."
    if any(column.name == MEAN for column in found):
        yield f"{MEAN}: over the parts, each weighing the same."

"""Every number of a leaderboard, as data frames and CSV have them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evenhand.results.cells import Cell
from evenhand.results.grid import Grid
from evenhand.results.text import POOLED
from evenhand.tables.labels import key_text

if TYPE_CHECKING:
    from evenhand.ranking.leaderboard import Leaderboard, Standing

STANDING = ("se", "low", "high", "rank_low", "rank_high", "best_probability", "group")


def data_of(board: Leaderboard, *, long: bool = False) -> Grid:
    """The numbers of a leaderboard, one row a system; or, ``long``, every number there is."""
    return _long(board) if long else _wide(board)


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

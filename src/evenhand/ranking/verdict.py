"""The verdict: what a leaderboard shows, in a few sentences."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from evenhand.ranking.letters import share
from evenhand.results import text
from evenhand.results.text import counted, number, p_words, percent, visible

if TYPE_CHECKING:
    from evenhand.ranking.leaderboard import Leaderboard


def sentences_of(board: Leaderboard) -> tuple[str, ...]:
    """Who wins and how sure that is; whether the metric decides it; the twins; the baselines."""
    return (_winner(board), *_metrics(board), *_twins(board), *_guessing(board), *_slices(board))


def _winner(board: Leaderboard) -> str:
    m = board.metric
    first = [s for s in board.systems if s.standings[m].rank == 1]
    top = first[0].standings[m]
    said = f"By {visible(m)} {named(s.name for s in first)} "
    said += "is first" if len(first) == 1 else "are first, equal"
    if len(first) == 1 and top.best_probability is not None:
        said += f", and truly the best with a chance of {percent(top.best_probability)}"
    if top.group is None:
        return f"{said}."
    rest = (s for s in board.systems if s not in first)
    near = [s.name for s in rest if share(s.standings[m].group or "", top.group)]
    if near:
        return f"{said}; the paired tests do not tell it from {named(near)}."
    return f"{said}; the paired tests tell it from every other system."


def _metrics(board: Leaderboard) -> Iterable[str]:
    if len(board.metrics) < 2:
        return
    by: dict[tuple[str, ...], list[str]] = {}
    for metric, *_ in board.orders.values():  # metrics that make the same order count once
        by.setdefault(tuple(board.winners[metric]), []).append(metric)
    if len(by) == 1:
        yield f"The winner is the same under all {orders_words(board)}."
        return
    ours = tuple(board.winners[board.metric])
    agree = by.pop(ours)
    ordered = sorted(by.items(), key=lambda p: -len(p[1]))
    others = [f"{named(names)} under {named(metrics)}" for names, metrics in ordered]
    yield (
        f"The formula decides the winner: {named(ours)} in {len(agree)} of the "
        f"{len(board.orders)} orders that {len(board.metrics)} metrics make, "
        f"but {'; '.join(others)}."
    )


def orders_words(board: Leaderboard) -> str:
    """How many metrics there are, and how many orders they make: equal ones count once."""
    metrics, orders = len(board.metrics), len(board.orders)
    same = "" if orders == metrics else f", which make {counted(orders, 'different order')}"
    return counted(metrics, "metric") + same


def _twins(board: Leaderboard) -> Iterable[str]:
    if board.twins is not None:
        yield (
            "Between the two formulas called 'macro F1', macro_f1 and f1_of_averages, "
            f"{board.twins.changed} of {len(board.systems)} systems change place."
        )


def _guessing(board: Leaderboard) -> Iterable[str]:
    lower = board.lower
    found = {kind: scores[board.metric] for kind, scores in board.baselines.items()}
    known = {kind: v for kind, v in found.items() if v == v}
    if not known:
        return
    kind = min(known, key=lambda k: known[k] if lower else -known[k])
    bar = known[kind]
    scores = {s.name: s.standings[board.metric].value for s in board.systems}
    weak = [name for name, v in scores.items() if (v >= bar if lower else v <= bar)]
    if weak:
        yield f"No better than guessing ({kind}, {number(bar)}): {named(weak)}."


def _slices(board: Leaderboard) -> Iterable[str]:
    if not board.slices:
        return
    pooled = {s.name for s in board.systems if s.standings[board.metric].rank == 1}
    mean = [m.name for m in board.mean_of_slices if m.rank == 1]
    if pooled == set(mean):
        yield "Pooled items and the mean of slices have the same winner."
    else:
        yield f"The mean of slices has another winner than the pooled items: {named(mean)}."
    if board.friedman is not None:
        f = board.friedman
        yield (
            f"Over {f.slices} slices Friedman's test gives {p_words(f.p)}; mean ranks that differ "
            f"by less than {number(f.critical, 2)} are not told apart (Nemenyi)."
        )


def named(names: Iterable[str]) -> str:
    """A few names in a sentence, the rest by number; nothing in them repaints a screen."""
    return text.named(map(visible, names))

"""The verdict: what a leaderboard shows, in a few sentences."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from evenhand.ranking.letters import share
from evenhand.results.sentence import Sentence, called, joined, named
from evenhand.results.text import counted, listed, number, p_words, percent

if TYPE_CHECKING:
    from evenhand.ranking.leaderboard import Leaderboard


def sentences_of(board: Leaderboard) -> tuple[Sentence, ...]:
    """Who wins and how sure that is; whether the metric decides it; the twins; the baselines."""
    return (_winner(board), *_metrics(board), *_twins(board), *_guessing(board), *_slices(board))


def _winner(board: Leaderboard) -> Sentence:
    m = board.metric
    first = [s for s in board.systems if s.standings[m].rank == 1]
    top = first[0].standings[m]
    many = len(first) > 1
    said = [f"By {called(m)}, ", named(s.name for s in first)]
    said.append(" are first, equal" if many else " is first")
    if not many and top.best_probability is not None:
        said.append(f", and truly the best with a chance of {percent(top.best_probability)}")
    if top.group is None:
        return Sentence(*said, ".")
    rest = (s for s in board.systems if s not in first)
    near = [s.name for s in rest if share(s.standings[m].group or "", top.group)]
    them = "them" if many else "it"
    if near:
        return Sentence(*said, f". The paired tests do not tell {them} from ", named(near), ".")
    return Sentence(*said, f". The paired tests tell {them} from every other system.")


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
        Sentence(named(names), f" in {len(ms)} (by {listed(map(called, ms), 3)})")
        for names, ms in ordered
    )
    orders = counted(len(board.orders), "different order")
    yield Sentence(
        f"The metric decides who wins: {counted(len(board.metrics), 'metric')} make {orders}, and ",
        named(ours), f" is first in {len(agree)} of them, ", joined(", ", others), ".",
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
        changed, of = board.twins.changed, len(board.systems)
        moved = f"{changed} of {of} systems change place" if changed > 1 else (
            f"{'one' if changed else 'none'} of {of} systems changes place")  # fmt: skip
        yield Sentence(f"Between the two formulas called 'macro F1', {moved}.")


def _guessing(board: Leaderboard) -> Iterable[Sentence]:
    lower = board.lower
    found = {kind: scores[board.metric] for kind, scores in board.baselines.items()}
    known = {kind: v for kind, v in found.items() if v == v}
    if not known:
        return
    kind = min(known, key=lambda k: known[k] if lower else -known[k])
    bar = known[kind]
    kinds: dict[str, list[str]] = {"No better than": [], "Not shown to be better than": []}
    for s in board.systems:
        x = s.standings[board.metric]
        worst = x.high if lower else x.low
        for said, v in zip(kinds, (x.value, worst), strict=True):
            if v is not None and (v >= bar if lower else v <= bar):
                kinds[said].append(s.name)
                break
    for said, weak in kinds.items():
        if weak:
            yield Sentence(f"{said} guessing ({kind}, {number(bar)}): ", named(weak), ".")


def _slices(board: Leaderboard) -> Iterable[Sentence]:
    if not board.slices:
        return
    pooled = {s.name for s in board.systems if s.standings[board.metric].rank == 1}
    mean = [m.name for m in board.mean_of_slices if m.rank == 1]
    if pooled == set(mean):
        yield Sentence("Pooled items and the mean of slices have the same winner.")
    else:
        said = "The mean of slices has another winner than the pooled items: "
        yield Sentence(said, named(mean), ".")
    if board.friedman is not None:
        f = board.friedman
        yield Sentence(
            f"Over {f.slices} slices Friedman's test gives {p_words(f.p)}; mean ranks that differ "
            f"by less than {number(f.critical, 2)} are not told apart (Nemenyi)."
        )

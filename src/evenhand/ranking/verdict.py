"""The verdict: what a leaderboard shows, in a few sentences."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from evenhand.ranking.letters import share
from evenhand.results.text import chance, visible

if TYPE_CHECKING:
    from evenhand.ranking.leaderboard import Leaderboard

FEW = 6


def verdict(board: Leaderboard) -> str:
    """Who wins and how sure that is; whether the metric decides it; the twins; the baselines."""
    parts = [_winner(board), _metrics(board), _twins(board), *_guessing(board), *_slices(board)]
    return " ".join(p for p in parts if p)


def _winner(board: Leaderboard) -> str:
    m = board.metric
    first = [s for s in board.systems if s.standings[m].rank == 1]
    top = first[0].standings[m]
    names = listed(s.name for s in first)
    text = f"By {m} {names} {'is first' if len(first) == 1 else 'are first, equal'}"
    if len(first) == 1 and top.best_probability is not None:
        text += f", and best in {chance(top.best_probability)} of the replicates"
    if top.group is None:
        return text + "."
    near = [
        s.name
        for s in board.systems
        if s not in first and share(s.standings[m].group or "", top.group)
    ]
    if near:
        return text + f"; the paired tests do not tell it from {listed(near)}."
    return text + "; the paired tests tell it from every other system."


def _metrics(board: Leaderboard) -> str:
    if len(board.metrics) < 2:
        return ""
    by: dict[tuple[str, ...], list[str]] = {}
    for metric, names in board.winners.items():
        by.setdefault(tuple(names), []).append(metric)
    if len(by) == 1:
        return f"The winner is the same under all {len(board.metrics)} metrics."
    ours = tuple(board.winners[board.metric])
    agree = by.pop(ours)
    texts = [
        f"{listed(names)} under {listed(metrics)}"
        for names, metrics in sorted(by.items(), key=lambda p: -len(p[1]))
    ]
    return (
        f"The formula decides the winner: {listed(ours)} under {len(agree)} of "
        f"{len(board.metrics)} metrics, but {'; '.join(texts)}."
    )


def _twins(board: Leaderboard) -> str:
    t = board.twins
    if t is None:
        return ""
    return (
        f"Between the two formulas called 'macro F1', macro_f1 and f1_of_averages, {t.changed} of "
        f"{len(board.systems)} systems change place."
    )


def _guessing(board: Leaderboard) -> Iterable[str]:
    lower = board.lower
    found = {kind: scores[board.metric] for kind, scores in board.baselines.items()}
    known = {kind: v for kind, v in found.items() if v == v}
    if not known:
        return
    kind = min(known, key=lambda k: known[k] if lower else -known[k])
    bar = known[kind]
    weak = [
        s.name
        for s in board.systems
        if (s.standings[board.metric].value >= bar if lower else
            s.standings[board.metric].value <= bar)
    ]  # fmt: skip
    if weak:
        yield f"No better than guessing ({kind}, {bar:.4f}): {listed(weak)}."


def _slices(board: Leaderboard) -> Iterable[str]:
    if not board.slices:
        return
    pooled = {s.name for s in board.systems if s.standings[board.metric].rank == 1}
    mean = {m.name for m in board.mean_of_slices if m.rank == 1}
    if pooled == mean:
        yield "Pooled items and the mean of slices have the same winner."
    else:
        yield f"The mean of slices has another winner than the pooled items: {listed(mean)}."
    if board.friedman is not None:
        f = board.friedman
        yield (
            f"Over {f.slices} slices Friedman's test gives p = {f.p:.2g}; mean ranks that differ "
            f"by less than {f.critical:.2f} are not told apart (Nemenyi)."
        )


def listed(names: Iterable[str]) -> str:
    """A few names in a sentence, the rest by number."""
    found = [visible(n) for n in names]
    if len(found) > FEW:
        found = [*found[: FEW - 1], f"{len(found) - FEW + 1} more"]
    return found[0] if len(found) == 1 else f"{', '.join(found[:-1])} and {found[-1]}"

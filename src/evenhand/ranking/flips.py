"""Flips: pairs of systems that change places with the metric."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.infer.pairs import Pairs
from evenhand.notes.record import Record


@dataclass(frozen=True)
class Flip(Record):
    """The first metric prefers the first system, the second metric the second.

    ``differences`` are first system minus second on each metric; ``significant`` says of each
    preference whether the paired test confirms it, ``None`` where there was none.
    """

    systems: tuple[str, str]
    metrics: tuple[str, str]
    differences: tuple[float, float]
    significant: tuple[bool | None, bool | None]

    @property
    def sure(self) -> bool:
        """Whether both preferences are confirmed."""
        return all(self.significant)

    def to_dict(self) -> dict[str, Any]:
        """As in JSON."""
        return dict(vars(self))  # of which there may be very many


def flips(
    systems: tuple[str, ...],
    metrics: list[str],
    ranks: NDArray[np.int64],
    values: NDArray[Any],
    pairs: list[Pairs] | None,
    *,
    level: float,
) -> list[Flip]:
    """Where another metric turns the order of the first one round, in the order of the systems.

    ``ranks`` and ``values`` are metrics × systems, the chosen metric first. Metrics that make the
    same order of all systems count once, by one whose preference is confirmed where there is one.
    A pair that is equal by the first metric, but on which others disagree, is listed with the
    first two that do.
    """
    order = np.argsort(ranks[0], kind="stable")
    places = ranks[:, order]
    first, second = np.triu_indices(len(order), 1)
    ahead = np.stack([np.sign(p[second] - p[first]) for p in places.astype(np.int32)])
    ahead = ahead.astype(np.int8)  # 1 where the first is ahead
    other, at = np.nonzero((ahead[0] > 0) & (ahead < 0))
    (equal,) = np.nonzero((ahead[0] == 0) & (ahead > 0).any(axis=0) & (ahead < 0).any(axis=0))
    one = np.concatenate([np.zeros_like(at), (ahead[:, equal] > 0).argmax(axis=0)])
    other = np.concatenate([other, (ahead[:, equal] < 0).argmax(axis=0)])
    at = np.concatenate([at, equal])
    apart = None if pairs is None else np.stack([p.apart(level) for p in pairs])
    a, b = order[first[at]], order[second[at]]
    unsure = np.zeros(len(at), bool) if apart is None else ~apart[other, a, b]
    _, kind = np.unique(ranks, axis=0, return_inverse=True)
    sort = np.lexsort((other, unsure, kind.reshape(-1)[other], at))
    alike = np.stack([at, kind.reshape(-1)[other]])[:, sort]
    new = np.ones(len(at), bool)
    new[1:] = (alike[:, 1:] != alike[:, :-1]).any(axis=0)
    kept = sort[new]
    kept = kept[np.lexsort((other[kept], one[kept], at[kept]))]  # pairs in their systems' order
    one, other, at, a, b = (x[kept] for x in (one, other, at, a, b))
    sure: list[Any] = [(None, None)] * len(at)
    if apart is not None:
        sure = list(zip(apart[one, a, b].tolist(), apart[other, a, b].tolist(), strict=True))
    gaps = [(values[m, a] - values[m, b]).tolist() for m in (one, other)]
    names = [[systems[i] for i in x.tolist()] for x in (a, b)]
    chosen = [[metrics[m] for m in x.tolist()] for x in (one, other)]
    rows = zip(zip(*names, strict=True), zip(*chosen, strict=True), zip(*gaps, strict=True), sure,
               strict=True)  # fmt: skip
    return [Flip(*row) for row in rows]

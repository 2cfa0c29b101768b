"""Flips: pairs of systems that change places with the metric."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.ranking.pairs import Pairs


@dataclass(frozen=True)
class Flip:
    """The first metric prefers the first system, the second metric the second.

    ``differences`` are first system minus second on each metric; ``significant`` says of each
    preference whether the paired test confirms it, ``None`` where there was none.
    """

    systems: tuple[str, str]
    metrics: tuple[str, str]
    differences: tuple[float, float]
    significant: tuple[bool | None, bool | None]

    def to_dict(self) -> dict[str, Any]:
        """As in JSON."""
        return {
            "systems": self.systems,
            "metrics": self.metrics,
            "differences": self.differences,
            "significant": self.significant,
        }


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

    ``ranks`` and ``values`` are metrics × systems, the chosen metric first. A pair that is equal
    there, but on which others disagree, is listed with the first two that do.
    """
    apart = None if pairs is None else [p.apart(level) for p in pairs]

    def flip(a: int, b: int, m: int, o: int) -> Flip:
        sure = (None, None) if apart is None else (bool(apart[m][a, b]), bool(apart[o][a, b]))
        return Flip(
            (systems[a], systems[b]),
            (metrics[m], metrics[o]),
            (float(values[m, a] - values[m, b]), float(values[o, a] - values[o, b])),
            sure,
        )

    order = np.argsort(ranks[0], kind="stable")
    places = ranks[:, order]
    ahead = np.sign(places[:, None, :] - places[:, :, None])  # 1 where the first is ahead
    turned = np.triu(ahead[0] > 0) & (ahead < 0)
    equal = np.triu(ahead[0] == 0) & (ahead > 0).any(axis=0) & (ahead < 0).any(axis=0)
    found = [(x, y, 0, o) for o, x, y in np.argwhere(turned)]
    found += [
        (x, y, int(np.argmax(ahead[:, x, y] > 0)), int(np.argmax(ahead[:, x, y] < 0)))
        for x, y in np.argwhere(equal)
    ]
    return [flip(order[x], order[y], m, o) for x, y, m, o in sorted(found)]

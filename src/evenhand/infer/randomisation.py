"""Randomisation: would so large a difference be left if the systems swapped answers?

Each item's two predictions change places or not, and the difference of the scores is divided by its
delta error, both taken anew after each swap. The quotient makes it a test of equal *scores*: the
plain difference asks whether the systems are exchangeable, and finds or hides differences where
they predict at different rates. (Noreen 1989; studentised: Janssen 1997, Chung & Romano 2013.)
"""

from __future__ import annotations

import numpy as np

from evenhand.core.kernel import Kernel
from evenhand.infer.design import Floats
from evenhand.infer.pvalue import TIE, reached
from evenhand.infer.rows import Rows
from evenhand.infer.stacked import Stacked
from evenhand.infer.swaps import Swaps

BLOCK = 1 << 22
"""Rows × draws whose weights are held at once."""

RARE = 10
"""Draws that reach a statistic below which its p is hardly known."""


class Randomisation:
    """Two systems on some metrics after every way to swap, or after as many as were drawn.

    ``differences`` and ``errors`` are outcomes × metrics, the first outcome is what was observed;
    ``chance`` is the probability of each.
    """

    def __init__(self, pair: Rows, kernels: list[Kernel], *, seed: int = 0) -> None:
        self._swaps, self._kernels = Swaps.of(pair), kernels
        self._stacked = Stacked(self._swaps.rows, self._swaps.heft)
        self._rng = np.random.default_rng(seed)
        self.exact = self._swaps.few
        swaps, self.chance = self._swaps.every() if self.exact else self._swaps.none()
        parts = [self._after(swaps[i : i + self._each]) for i in range(0, len(swaps), self._each)]
        self.differences, self.errors = _joined(parts)

    @property
    def draws(self) -> int:
        """Outcomes beside the one observed."""
        return len(self.chance) - 1

    @property
    def cost(self) -> int:
        """Numbers that one more draw takes."""
        return len(self._swaps.heft) * len(self._kernels)

    def draw(self, count: int) -> None:
        """Draw until there are ``count`` draws, unless all ways were gone through."""
        more, units = 0 if self.exact else count - self.draws, self._swaps.units
        if more <= 0:
            return
        sizes = [min(self._each, more - i) for i in range(0, more, self._each)]
        drawn = (self._rng.binomial(units, 0.5, (size, len(units))) for size in sizes)
        parts = [(self.differences, self.errors), *map(self._after, drawn)]
        self.differences, self.errors = _joined(parts)
        self.chance = np.full(len(self.errors), 1 / len(self.errors))

    @property
    def statistics(self) -> Floats:
        """|difference| / error, outcomes × metrics."""
        return studentised(self.differences, self.errors)

    @property
    def tested(self) -> Floats:
        """Which metrics have a test: none without a value, or with a slope without end."""
        gap, error = np.abs(self.differences[0]), self.errors[0]
        return np.asarray((gap <= TIE) | (~np.isnan(gap) & np.isfinite(error)))

    @property
    def rare(self) -> bool:
        """Whether some statistic was reached so seldom that more draws would tell it better."""
        s = self.statistics
        seldom = float(reached(s[0], s, self.chance).min(initial=1.0))
        return not self.exact and seldom * len(self.chance) < 1 + RARE

    @property
    def p(self) -> list[float | None]:
        """Two-sided p of each metric by itself; ``None`` where it has no test."""
        s = self.statistics
        each = reached(s[0], s, self.chance).tolist()
        return [p if known else None for p, known in zip(each, self.tested.tolist(), strict=True)]

    @property
    def floor(self) -> Floats:
        """The least p that each metric could have had."""
        if not self.exact:
            return np.full(len(self._kernels), 1 / len(self.chance))
        s = self.statistics
        return reached(s.max(axis=0), s, self.chance)

    @property
    def _each(self) -> int:
        return max(1, min(BLOCK // len(self._swaps.heft), self._stacked.most))

    def _after(self, swaps: Floats) -> tuple[Floats, Floats]:
        return self._stacked.differences(self._kernels, self._swaps.weights(swaps))


def studentised(differences: Floats, errors: Floats) -> Floats:
    """|difference| / error; 0 without a difference, infinite where only the error is 0.

    What is undefined is infinite too, so that it counts as reached.

    >>> studentised(np.array([0.5, 0.0, -0.5, 0.5]), np.array([0.1, 0.0, 0.0, np.inf])).tolist()
    [5.0, 0.0, inf, 0.0]
    """
    size = np.abs(differences)
    with np.errstate(divide="ignore", invalid="ignore"):
        found = size / errors
    found[np.isnan(found)] = np.inf
    found[size <= TIE] = 0.0
    return np.asarray(found)


def _joined(parts: list[tuple[Floats, Floats]]) -> tuple[Floats, Floats]:
    gaps, errors = (np.concatenate(x) for x in zip(*parts, strict=True))
    return gaps, errors

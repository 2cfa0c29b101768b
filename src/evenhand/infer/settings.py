"""Settings: how intervals are to be made."""

from __future__ import annotations

from dataclasses import dataclass

from evenhand.errors import InputError, shown
from evenhand.infer.quantile import reach
from evenhand.infer.rows import Data
from evenhand.signature.fields import (
    Draws,
    IntervalField,
    checked_level,
    checked_replicates,
    checked_seed,
)

METHODS = ("auto", "delta", "jackknife", "bootstrap", "bca", "wilson")


@dataclass(frozen=True)
class Settings:
    """How an interval is to be made.

    ``auto`` is Wilson's interval for plain proportions, square-and-add for metrics at a stated
    class mix, the jackknife for averages that weigh classes alike, and the delta method for
    everything else; the last two on Wilson's scale, as if the value were a share of as many
    decisions as tell as much, but plain and cut at the ends of the range for metrics that are
    neither better high nor low: see docs/intervals.md and docs/prevalence.md for why.
    """

    method: str = "auto"
    level: float = 0.95
    replicates: int = 2000
    seed: int = 0
    transform: str | None = None
    stratify: bool = False

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise InputError(
                f"interval must be one of {shown(METHODS)} or None, got {self.method!r}"
            )
        checked_level(self.level)
        checked_replicates(self.replicates)
        checked_seed(self.seed)
        if self.transform is not None and self.method != "delta":
            raise InputError(f"transform goes with interval='delta', not {self.method!r}")

    @property
    def z(self) -> float:
        """The normal quantile of the level."""
        return reach(self.level)

    @property
    def drawn(self) -> Draws | None:
        """The draws, where the method is one that draws."""
        resamples = self.method in ("bootstrap", "bca")
        return Draws(self.replicates, self.seed) if resamples else None

    def signed(self, data: Data) -> IntervalField:
        """The interval field of a signature of these data."""
        return IntervalField(
            self.method,
            self.level,
            self.transform,
            stratified=self.stratify,
            clusters=data.cluster is not None,
            drawn=self.drawn,
        )

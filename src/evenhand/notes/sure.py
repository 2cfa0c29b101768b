"""Notes on intervals and tests: where there are none, and where they promise too much."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from evenhand.notes.note import Note


@dataclass(frozen=True)
class NoWidth(Note):
    """Numbers whose interval would have no width, which is not certainty."""

    names: tuple[str, ...]
    of: Literal["score", "class", "difference"] = "score"


@dataclass(frozen=True)
class UnknownVariance(Note):
    """A table of fractions does not say how its items vary."""


@dataclass(frozen=True)
class NoGradient(Note):
    """A metric of the user's own whose gradient cannot be had."""

    metric: str
    reason: str


@dataclass(frozen=True)
class FewTrueItems(Note):
    """Classes with few true items: intervals of averages over classes are too narrow there."""

    labels: tuple[Any, ...]
    few: int


@dataclass(frozen=True)
class ZeroOverZero(Note):
    """A 0/0 that delta intervals take as fixed."""

    worth: float
    metrics: tuple[str, ...]


@dataclass(frozen=True)
class FewClusters(Note):
    """Too few clusters to rely on how clusters vary."""

    clusters: int

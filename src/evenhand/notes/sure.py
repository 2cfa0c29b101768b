"""Notes on intervals and tests: where there are none, and where they promise too much."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import replace
from typing import Any, Literal

from evenhand.notes.note import Note


class FewTelling(Note):
    """Few items on which not all annotators gave the commonest label: agreement rests on them."""

    items: int
    n: int


class NoWidth(Note):
    """Numbers whose interval would have no width, which is not certainty.

    ``metrics`` are those that they are of, one each, where their names say more than that.
    """

    names: tuple[str, ...]
    of: Literal["score", "class", "difference"] = "score"
    metrics: tuple[str, ...] = ()

    def concerning(self, metrics: Container[str]) -> Note | None:
        pairs = zip(self.names, self.metrics or self.names, strict=True)
        kept = [pair for pair in pairs if pair[1] in metrics]
        if not kept:
            return None
        names, of = map(tuple, zip(*kept, strict=True))
        return replace(self, names=names, metrics=of if self.metrics else ())


class UnknownVariance(Note):
    """A table of fractions does not say how its items vary."""


class NoGradient(Note):
    """A metric whose gradient cannot be had."""

    about = "metric"

    metric: str
    reason: str


class FewTrueItems(Note):
    """Classes with few true items: intervals of averages over classes may be too narrow there.

    ``metrics`` are such averages; empty: any that is shown.
    """

    labels: tuple[Any, ...]
    few: int
    metrics: tuple[str, ...] = ()

    def concerning(self, metrics: Container[str]) -> Note | None:
        return self if _some(self.metrics, metrics) else None


class FewHits(Note):
    """Classes with true items enough, but few predictions or hits: as with few items.

    ``systems`` are those that have so few, where there are several.
    """

    labels: tuple[Any, ...]
    few: int
    hits: int
    systems: tuple[str, ...] = ()
    metrics: tuple[str, ...] = ()

    def concerning(self, metrics: Container[str]) -> Note | None:
        return self if _some(self.metrics, metrics) else None


def _some(own: tuple[str, ...], metrics: Container[str]) -> bool:
    """Whether one of a note's own metrics is among those; a note without any is of all."""
    return not own or any(m in metrics for m in own)


class Biased(Note):
    """Numbers that few items push one way: they have no interval as they are."""

    about = "names"

    names: tuple[str, ...]


class OneCluster(Note):
    """Slices whose items are all of one cluster, which tells nothing of others."""

    keys: tuple[Any, ...]


class SameAnswers(Note):
    """Systems that never differ, on so few items that they may differ by more than the margin.

    In so many slices, the least of which has so many items; 0: on all items. ``metric`` is that
    which sees no more than they agree on; of answers that are all the same it is empty.
    """

    items: int
    slices: int
    share: float
    level: float
    metric: str = ""


class ZeroOverZero(Note):
    """A 0/0 that delta intervals take as fixed."""

    about = "metrics"

    worth: float
    metrics: tuple[str, ...]


class FewClusters(Note):
    """Too few clusters to rely on how clusters vary."""

    clusters: int


class ChosenHere(Note):
    """A threshold that was chosen on the items it is scored on, and what that adds to a metric."""

    label: Any
    threshold: float
    metric: str
    value: float
    expected: float
    optimism: float
    se: float | None


class UnknownOptimism(Note):
    """A threshold chosen on its items, too few, or of too few clusters, to say what it adds."""

    label: Any
    threshold: float
    metric: str


class FoldsLackClasses(Note):
    """Folds in which some class is true of no item: averages run over the others there."""

    lacking: int
    folds: int
    labels: tuple[Any, ...]

"""What a command is asked, as records: where labels are, how they are scored, where results go."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypedDict

from evenhand.errors import InputError
from evenhand.files.reading import Reading


@dataclass(frozen=True)
class Source(Reading):
    """Where the labels are, and how they are read: files, or a matrix that is counted already."""

    matrix: str | None = None
    rows: str = "true"
    tables: bool = False

    @property
    def name(self) -> str:
        """What a heading calls it: its files, or that of the matrix if it has one."""
        matrix = str(self.matrix)
        return " × ".join(self.files) or (matrix if os.path.isfile(matrix) else "matrix")


@dataclass(frozen=True, kw_only=True)
class Averaging:
    """Which classes an average runs over, and what 0/0 is worth there."""

    average: str
    classes: tuple[str, ...]
    exclude: tuple[str, ...]
    undefined: str
    rule: str | Sequence[Any] | None = None
    """What a signature says in place of the first three."""

    def over(self, data: Any) -> str | Sequence[Any]:
        """The rule or the list of classes of the data that an average runs over."""
        if self.rule or not (self.classes or self.exclude):
            return self.rule or self.average
        from evenhand.tables.labels import positions

        table = data.tables()
        if self.classes:
            kept = [table.labels[i] for i in positions(self.classes, table.labels, "--classes")]
        else:
            mask = table.averaged(self.average).reshape(-1, table.k).any(axis=0)
            kept = [v for v, m in zip(table.labels, mask, strict=True) if m]
        out = {table.labels[i] for i in positions(self.exclude, table.labels, "--exclude")}
        kept = [v for v in kept if v not in out]
        if not kept:
            raise InputError("--exclude leaves no class to average over")
        return kept


class How(TypedDict):
    """What all that score with intervals are told, by the names of their arguments."""

    classes: str | Sequence[Any]
    undefined: str
    level: float
    replicates: int
    seed: int
    distance: Any


@dataclass(frozen=True, kw_only=True)
class Judging(Averaging):
    """What is scored, over which classes, and at which level it is judged without draws."""

    metrics: tuple[str, ...]
    level: float
    distance: str | None = None

    @property
    def apart(self) -> Any:
        """How far apart the classes are, where that was said."""
        if self.distance is None:
            return None
        from evenhand.files.distances import read_distance

        return read_distance(self.distance)


@dataclass(frozen=True, kw_only=True)
class Scoring(Judging):
    """What is scored, over which classes, and how sure it is."""

    replicates: int
    seed: int
    interval: str | None = "auto"
    transform: str | None = None
    stratify: bool = False

    @property
    def drawn(self) -> bool:
        """Whether the intervals come from draws of items."""
        return self.interval in ("bootstrap", "bca")

    def how(self, data: Any) -> How:
        """How the data are scored."""
        return How(
            classes=self.over(data),
            undefined=self.undefined,
            level=self.level,
            replicates=self.replicates,
            seed=self.seed,
            distance=self.apart,
        )


@dataclass(frozen=True)
class Output:
    """Where a result goes and how it is written, and whether it is drawn too."""

    style: str
    path: str | None
    digits: int
    plot: str | None = None
    chart: str = ""
    layout: str = "full"
    called: Mapping[str, str] = field(default_factory=dict)
    footnote: bool = False

    def __post_init__(self) -> None:
        """Refuse a file that cannot be a chart before any work is done."""
        if self.plot is not None:
            from evenhand.draw.chart import ending_of
            from evenhand.draw.render import require

            if ending_of(self.plot) != ".json":
                require()

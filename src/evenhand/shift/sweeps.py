"""Sweep: the curve of every metric as one class goes from rare to common."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from evenhand.labels import Label
from evenhand.results import grid as grids
from evenhand.results import shift as words
from evenhand.results.grid import Cell, Grid
from evenhand.results.json import SCHEMA, record
from evenhand.results.result import Collection, Record, Result
from evenhand.signature import Signature


@dataclass(frozen=True, eq=False)
class Curve(Record):
    """One metric of one system at every share, with intervals where there are any.

    >>> import evenhand as eh
    >>> found = eh.shift.sweep([[80, 20], [10, 90]], label=0, metrics="accuracy", at=[0.1, 0.5])
    >>> [round(v, 6) for v in found["accuracy"].value]
    [0.89, 0.85]
    """

    value: tuple[float, ...]
    low: tuple[float | None, ...]
    high: tuple[float | None, ...]


@dataclass(frozen=True, eq=False)
class Crossing(Record):
    """A share of the class at which two systems change places on a metric.

    ``below`` leads at smaller shares, ``above`` at larger ones. From ``low`` to ``high`` the
    interval of their difference holds 0; ``None`` where that goes on to the end of the sweep.

    >>> import evenhand as eh
    >>> one, other = [[90, 10], [30, 70]], [[70, 30], [10, 90]]
    >>> found = eh.shift.sweep(one, label=0, against=other, metrics="accuracy")
    >>> round(found.crossings[0].share, 6), found.crossings[0].above
    (0.5, 'first')
    """

    metric: str
    share: float
    low: float | None
    high: float | None
    below: str
    above: str


@dataclass(frozen=True, eq=False)
class Sweep(Collection[tuple[str, str], Curve], Result):
    """Every metric of one or two systems while one class goes from rare to common.

    >>> import evenhand as eh
    >>> found = eh.shift.sweep([[80, 20], [10, 90]], label=0, metrics="accuracy", at=[0.1, 0.5])
    >>> list(found), found.observed
    ([('system', 'accuracy')], 0.5)
    """

    signature: Signature
    n: int
    label: Label
    observed: float
    shares: tuple[float, ...]
    systems: tuple[str, ...]
    curves: dict[str, dict[str, Curve]]
    crossings: tuple[Crossing, ...]
    leads: dict[str, str | None]
    level: float
    warnings: tuple[str, ...]

    @property
    def parts(self) -> dict[tuple[str, str], Curve]:
        """The curve of each system on each metric, by both names."""
        return {(s, m): c for s, curves in self.curves.items() for m, c in curves.items()}

    def to_dict(self) -> dict[str, Any]:
        """Exactly what ``evenhand shift --sweep --format json`` prints."""
        content = {
            "schema": SCHEMA,
            "signature": str(self.signature),
            "n": self.n,
            "label": self.label,
            "observed": self.observed,
            "level": self.level,
            "shares": self.shares,
            "systems": [
                {"name": name, "metrics": {m: vars(c) for m, c in curves.items()}}
                for name, curves in self.curves.items()
            ],
            "warnings": list(self.warnings),
        }
        if len(self.systems) == 2:
            content["crossings"] = [vars(c) for c in self.crossings]
            content["leads"] = self.leads
        return record(content)

    @cached_property
    def grid(self) -> Grid:
        """One row a share, one column a metric and system: a selection of round shares."""
        return words.sweep_grid(self)

    @cached_property
    def crossing_grid(self) -> Grid:
        """One row a metric and change of places."""
        return words.crossing_grid(self)

    @cached_property
    def long_grid(self) -> Grid:
        """Every number, one a row: what CSV, data frames and plots take."""
        rows: list[list[Cell]] = [
            [name, metric, share, *ends]
            for name, curves in self.curves.items()
            for metric, c in curves.items()
            for share, *ends in zip(self.shares, c.value, c.low, c.high, strict=True)
        ]
        return Grid(["system", "metric", "share", "value", "low", "high"], rows)

    def to_pandas(self) -> Any:
        """A pandas frame, one number a row."""
        frame = grids.to_pandas(self.long_grid)
        return frame.astype(dict.fromkeys(("share", "value", "low", "high"), float))

    def to_polars(self) -> Any:
        """A Polars frame, one number a row."""
        return grids.to_polars(self.long_grid, text=("system", "metric"))

    def to_markdown(self, *, digits: int = 4) -> str:
        """Where the systems change places, and the curves at round shares."""
        parts = [grids.markdown(self.grid, digits)]
        if len(self.systems) == 2:
            parts.insert(0, grids.markdown(self.crossing_grid, digits))
        return "\n\n".join(parts)

    def to_latex(self, *, digits: int = 4) -> str:
        """The curves at round shares as a booktabs table."""
        return grids.latex(self.grid, digits)

    def __repr__(self) -> str:
        return grids.plain(self.grid)

    def _repr_html_(self) -> str:
        return grids.html_table(self.grid)

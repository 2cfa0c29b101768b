"""Comparison: the result of comparing systems, and the forms it takes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from evenhand.results import compare as words
from evenhand.results import grid as grids
from evenhand.results.grid import Cell, Grid
from evenhand.results.json import SCHEMA, record
from evenhand.results.result import Collection, Record, Result
from evenhand.signature import Signature


@dataclass(frozen=True, eq=False)
class Pair(Record):
    """Two systems on one metric: first minus second, how sure, and by which tests.

    ``points`` says that the difference is spoken of in hundredths of the metric's range.

    >>> import evenhand as eh
    >>> found = eh.compare(list("aabb"), list("aabb"), list("abbb"), metrics="accuracy")
    >>> found["accuracy"].values
    (1.0, 0.75)
    """

    systems: tuple[str, str]
    metric: str
    values: tuple[float, float]
    difference: float
    points: bool
    se: float | None
    low: float | None
    high: float | None
    p: dict[str, float | None]
    p_adjusted: float | None = None
    needed: int | None = None

    @property
    def effect(self) -> float:
        """The difference in points, where the metric has a bounded range."""
        return 100 * self.difference if self.points else self.difference

    def to_dict(self) -> dict[str, Any]:
        """As in JSON."""
        return {
            "systems": self.systems,
            "metric": self.metric,
            "values": self.values,
            "difference": self.difference,
            "effect": self.effect,
            "se": self.se,
            "low": self.low,
            "high": self.high,
            "p": self.p,
            "p_adjusted": self.p_adjusted,
            "needed": self.needed,
        }


@dataclass(frozen=True, eq=False)
class Comparison(Collection[tuple[str, str, str], Pair], Result):
    """Every pair of systems on every metric.

    >>> import evenhand as eh
    >>> found = eh.compare(list("aabb"), list("aabb"), list("abbb"), metrics="accuracy")
    >>> list(found), found["A", "B"].difference
    ([('A', 'B', 'accuracy')], 0.25)
    """

    systems: tuple[str, ...]
    n: int
    level: float
    power: float | None
    pairs: tuple[Pair, ...]
    signature: Signature
    signatures: dict[str, Signature]
    warnings: tuple[str, ...]

    @property
    def parts(self) -> dict[tuple[str, str, str], Pair]:
        """Each pair of systems on each metric, by the three names."""
        return {(*p.systems, p.metric): p for p in self.pairs}

    @property
    def verdict(self) -> tuple[str, ...]:
        """What the result does and does not show: a sentence for each pair, then the limits."""
        return tuple(words.verdict(self))

    def to_dict(self) -> dict[str, Any]:
        """Exactly what ``evenhand compare --format json`` prints."""
        return record(
            {
                "schema": SCHEMA,
                "signature": str(self.signature),
                "systems": self.systems,
                "n": self.n,
                "level": self.level,
                "power": self.power,
                "pairs": [p.to_dict() for p in self.pairs],
                "verdict": list(self.verdict),
                "warnings": list(self.warnings),
            }
        )

    @cached_property
    def grid(self) -> Grid:
        """One row a pair and metric, for people."""
        return words.comparison_grid(self)

    @cached_property
    def long_grid(self) -> Grid:
        """Every number: what CSV and data frames hold."""
        tests = list(dict.fromkeys(t for p in self.pairs for t in p.p))
        head = ["first", "second", "metric", "first_value", "second_value", "difference"]
        head += ["effect", "se", "low", "high", *(f"p_{t}" for t in tests), "p_adjusted", "needed"]
        rows: list[list[Cell]] = [
            [
                *p.systems,
                p.metric,
                *p.values,
                p.difference,
                p.effect,
                p.se,
                p.low,
                p.high,
                *(p.p.get(t) for t in tests),
                p.p_adjusted,
                p.needed,
            ]
            for p in self.pairs
        ]
        return Grid(head, rows)

    def to_pandas(self) -> Any:
        """A pandas frame, one row a pair and metric."""
        return grids.to_pandas(self.long_grid)

    def to_polars(self) -> Any:
        """A Polars frame, one row a pair and metric."""
        return grids.to_polars(self.long_grid, text=("first", "second", "metric"))

    def to_markdown(self, *, digits: int = 4) -> str:
        """The table, what it shows, and the signature."""
        return "\n\n".join([grids.markdown(self.grid, digits), *map(words.escaped, self.verdict)])

    def to_latex(self, *, digits: int = 4) -> str:
        """A booktabs table with the signature in its caption."""
        return grids.latex(self.grid, digits)

    def __repr__(self) -> str:
        return "\n".join([grids.plain(self.grid), *self.verdict])

    def _repr_html_(self) -> str:
        return grids.html_table(self.grid)

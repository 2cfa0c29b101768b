"""Leaderboard: the result of ranking systems, and the forms it takes."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from evenhand.ranking.flips import Flip
from evenhand.ranking.friedman import Friedman
from evenhand.ranking.verdict import verdict
from evenhand.results import grid as grids
from evenhand.results import leaderboard as words
from evenhand.results.grid import Cell, Grid
from evenhand.results.json import SCHEMA, record
from evenhand.results.result import Collection, Measured, Record, Result
from evenhand.signature import Signature


@dataclass(frozen=True, eq=False)
class Standing(Measured):
    """One system on one metric: score, interval, rank, and how stable the rank is.

    Without joint data there is no rank interval, no chance of being best and no group.

    >>> import evenhand as eh
    >>> board = eh.rank(list("aabb"), list("aabb"), list("abbb"), replicates=99)
    >>> board["B"]["accuracy"].value, board["B"]["accuracy"].rank
    (0.75, 2)
    """

    value: float
    se: float | None
    low: float | None
    high: float | None
    method: str | None
    rank: int
    rank_low: int | None = None
    rank_high: int | None = None
    best_probability: float | None = None
    group: str | None = None

    def score(self) -> dict[str, Any]:
        """The score and its interval, as in JSON."""
        return {name: getattr(self, name) for name in ("value", "se", "low", "high", "method")}

    def stability(self) -> dict[str, Any]:
        """The rest, as in JSON."""
        return {
            name: getattr(self, name)
            for name in ("rank_low", "rank_high", "best_probability", "group")
        }


@dataclass(frozen=True, eq=False)
class Spread(Record):
    """Several runs of a system on one metric: what they vary by, and what the items do."""

    names: tuple[str, ...]
    values: tuple[float, ...]
    spread: float | None
    se_runs: float | None
    se_items: float | None

    def to_dict(self) -> dict[str, Any]:
        """As in JSON."""
        return dict(vars(self))


@dataclass(frozen=True, eq=False)
class Step(Record):
    """How far a system is ahead of the next one, on the chosen metric."""

    system: str
    difference: float
    low: float | None
    high: float | None
    p: float | None
    p_adjusted: float | None

    def to_dict(self) -> dict[str, Any]:
        """As in JSON."""
        return dict(vars(self))


@dataclass(frozen=True, eq=False)
class System(Collection[str, Standing], Record):
    """One system of a leaderboard, on every metric.

    >>> import evenhand as eh
    >>> board = eh.rank(list("aabb"), list("aabb"), list("abbb"), replicates=99)
    >>> board["A"].name, float(board["A"]["accuracy"])
    ('A', 1.0)
    """

    name: str
    standings: dict[str, Standing]
    signature: Signature
    next: Step | None = None
    runs: Spread | None = None
    never_true: float = 0.0
    """Share of its answers that are labels true of no item."""
    outside: float = 0.0
    """Share of items that it gave no class at all."""

    of_metrics = True

    @property
    def parts(self) -> dict[str, Standing]:
        """The standing on each metric."""
        return self.standings

    @property
    def best_rank(self) -> int:
        """Its best rank under any metric."""
        return min(s.rank for s in self.standings.values())

    @property
    def worst_rank(self) -> int:
        """Its worst rank under any metric."""
        return max(s.rank for s in self.standings.values())

    def to_dict(self, metric: str) -> dict[str, Any]:
        """As in JSON, the chosen metric's stability first."""
        return {
            "name": self.name,
            "scores": {m: s.score() for m, s in self.standings.items()},
            "ranks": {m: s.rank for m, s in self.standings.items()},
            **self.standings[metric].stability(),
            "best_rank": self.best_rank,
            "worst_rank": self.worst_rank,
            "next": None if self.next is None else self.next.to_dict(),
            "stability": {m: s.stability() for m, s in self.standings.items()},
            "runs": None if self.runs is None else self.runs.to_dict(),
            "never_true": self.never_true,
            "outside": self.outside,
            "signature": str(self.signature),
        }


@dataclass(frozen=True, eq=False)
class TwinPlaces(Record):
    """What becomes of the order between the two formulas called 'macro F1'."""

    changed: int
    systems: tuple[str, ...]
    largest_gap: float
    largest_gap_of: str

    def to_dict(self) -> dict[str, Any]:
        """As in JSON."""
        return dict(vars(self))


@dataclass(frozen=True, eq=False)
class MeanOfSlices(Measured):
    """A system's mean over slices on the chosen metric, every slice weighing the same."""

    name: str
    value: float
    low: float | None
    high: float | None
    rank: int


@dataclass(frozen=True, eq=False)
class Leaderboard(Collection[str, System], Result):
    """Systems best first, how sure that order is, and what other metrics make of it.

    >>> import evenhand as eh
    >>> board = eh.rank(list("aabb"), list("aabb"), list("abbb"), replicates=99)
    >>> list(board), board["B"]["macro_f1"].rank
    (['A', 'B'], 2)
    """

    metric: str
    metrics: tuple[str, ...]
    n: int
    level: float
    replicates: int | None
    systems: tuple[System, ...]
    correlation: dict[str, dict[str, dict[str, float]]]
    flips: tuple[Flip, ...]
    undominated: tuple[str, ...]
    twins: TwinPlaces | None
    baselines: dict[str, dict[str, float]]
    signature: Signature
    warnings: tuple[str, ...]
    key: Any = None
    lower: bool = False
    slices: tuple[Leaderboard, ...] = ()
    mean_of_slices: tuple[MeanOfSlices, ...] = ()
    friedman: Friedman | None = None
    failed: dict[str, str] = field(default_factory=dict)
    rank_probability: dict[str, tuple[float, ...]] = field(default_factory=dict)

    @property
    def parts(self) -> dict[str, System]:
        """The systems by name, best first."""
        return {s.name: s for s in self.systems}

    @property
    def winners(self) -> dict[str, list[str]]:
        """Who is first under each metric; several where they are equal."""
        return {m: [s.name for s in self.systems if s.standings[m].rank == 1] for m in self.metrics}

    @cached_property
    def verdict(self) -> str:
        """In words: who wins, how sure that is, and whether the metric decides it."""
        return verdict(self)

    def to_dict(self) -> dict[str, Any]:
        """Exactly what ``evenhand rank --format json`` prints."""
        found = {
            "schema": SCHEMA,
            "signature": str(self.signature),
            "metric": self.metric,
            "n": self.n,
            "level": self.level,
            "replicates": self.replicates,
            "systems": [s.to_dict(self.metric) for s in self.systems],
            "correlation": self.correlation,
            "flips": [f.to_dict() for f in self.flips],
            "undominated": self.undominated,
            "winners": self.winners,
            "twins": None if self.twins is None else self.twins.to_dict(),
            "baselines": self.baselines,
            "verdict": self.verdict,
            "failed": self.failed,
            "warnings": self.warnings,
        }
        if self.slices:
            parts = [{"key": p.key, **p.to_dict()} for p in self.slices]
            found["slices"] = [{k: v for k, v in p.items() if k != "schema"} for p in parts]
            found["mean_of_slices"] = [dict(vars(m)) for m in self.mean_of_slices]
            found["friedman"] = None if self.friedman is None else self.friedman.to_dict()
        return record(found)

    @cached_property
    def grid(self) -> Grid:
        """The chosen metric's leaderboard, for people."""
        return words.leaderboard_grid(self)

    @cached_property
    def long_grid(self) -> Grid:
        """Every number: what CSV and data frames hold."""
        head = ["slice"] * bool(self.slices) + ["system", "metric", "value", "se", "low", "high"]
        head += ["rank", "rank_low", "rank_high", "best_probability", "group"]
        head += ["never_true", "outside"]
        rows: list[list[Cell]] = []
        for board in [self, *self.slices] if self.slices else [self]:
            first: list[Cell] = [words.slice_name(board)] * bool(self.slices)
            for s in board.systems:
                for m, x in s.standings.items():
                    row = [*first, s.name, m, x.value, x.se, x.low, x.high, x.rank]
                    row += [x.rank_low, x.rank_high, x.best_probability, x.group]
                    rows.append([*row, s.never_true, s.outside])
        return Grid(head, rows)

    def to_pandas(self) -> Any:
        """A pandas frame, one row a system and metric."""
        frame = grids.to_pandas(self.long_grid)
        text = ("slice", "system", "metric", "group")
        return frame.astype({c: float for c in frame.columns if c not in text})

    def to_polars(self) -> Any:
        """A Polars frame, one row a system and metric."""
        return grids.to_polars(self.long_grid, text=("slice", "system", "metric", "group"))

    def to_markdown(self, *, digits: int = 4) -> str:
        """The leaderboard, the ranks under every metric, the verdict and the signature."""
        return words.leaderboard_markdown(self, digits)

    def to_latex(self, *, digits: int = 4) -> str:
        """A booktabs table for an overview paper, with the signature in its caption."""
        return grids.latex(words.paper_grid(self, digits), digits)

    def __repr__(self) -> str:
        return "\n".join([grids.plain(self.grid), self.verdict])

    def _repr_html_(self) -> str:
        return grids.html_table(self.grid)

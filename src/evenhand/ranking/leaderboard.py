"""The result of a ranking."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from math import isnan
from typing import Any

from evenhand.catalogue.signature import Signature
from evenhand.inference.prediction_powered import JudgedInterval
from evenhand.ranking.content import Columns, content_of, paper_of, sentences_of
from evenhand.ranking.ranks import Flip
from evenhand.records import Interval, Record
from evenhand.results.document import Content, group_equal, rounded
from evenhand.results.operating_points import OperatingPoint
from evenhand.results.result import Collection, Entry, ReportedResult, Result, in_format, of_metric
from evenhand.text import Grid, IntervalStyle, MetricName
from evenhand.warnings import LeftOut, ResultWarning

STABILITY = "rank_low rank_high best_probability best_low best_high group"
"""How sure a rank is, as in JSON."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Standing(Entry, JudgedInterval):
    """One system on one metric: score, interval, rank, and how stable the rank is.

    ``rank_low`` to ``rank_high`` are the ranks that the paired tests leave to it, all systems'
    together right at the level; ``best_probability`` is P(best), the probability
    that it is the best of them, between ``best_low`` and ``best_high`` by how far apart the true
    scores are taken to be. Tables alone have no rank interval, no P(best) and no group.

    >>> import evenhand as eh
    >>> board = eh.rank(list("aabb"), list("aabb"), list("abbb"), replicates=99)
    >>> board["B"]["accuracy"].value, board["B"]["accuracy"].rank
    (0.75, 2)
    """

    rank: int
    rank_low: int | None = None
    rank_high: int | None = None
    best_probability: float | None = None
    best_low: float | None = None
    best_high: float | None = None
    group: str | None = None


@dataclass(frozen=True, eq=False)
class RunSpread(Record):
    """Several runs of a system on one metric: what they vary by, and what the items do."""

    names: tuple[str, ...]
    values: tuple[float, ...]
    spread: float | None
    se_runs: float | None
    se_items: float | None


@dataclass(frozen=True, eq=False, kw_only=True)
class RankStep(Interval):
    """How far a system is ahead of the next one, on the chosen metric."""

    json_fields = "system difference low high p p_adjusted"

    system: str
    p: float | None = None
    p_adjusted: float | None = None

    @property
    def difference(self) -> float:
        """The system's score less the next one's."""
        return self.value


@dataclass(frozen=True, eq=False)
class System(Collection[str, Standing], Entry):
    """One system of a leaderboard, on every metric.

    >>> import evenhand as eh
    >>> board = eh.rank(list("aabb"), list("aabb"), list("abbb"), replicates=99)
    >>> board["A"].name, float(board["A"]["accuracy"])
    ('A', 1.0)
    """

    name: str
    n: int
    """Items in its table: of tables alone, each has its own."""
    standings: dict[str, Standing]
    signature: Signature
    next: RankStep | None = None
    runs: RunSpread | None = None
    never_true: float = 0.0
    """Share of its answers that are labels true of no item."""
    outside: float = 0.0
    """Share of items that it gave no class at all."""
    win_rate: float | None = None
    """Of grades: the mean share of common items on which it beats another system, ties half."""

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

    def grid(self) -> Grid:
        """One row a metric, or several that are one number: score, interval, rank."""
        own = self.standings
        groups = group_equal(
            own, lambda m: (own[m].rank, *rounded(own[m].value, own[m].low, own[m].high))
        )
        first = ((" = ".join(group), own[group[0]]) for group in groups)
        rows = [[MetricName(name), x.value, x.low, x.high, x.rank] for name, x in first]
        return Grid([self.name, "value", "low", "high", "rank"], rows)

    def to_dict(self) -> dict[str, Any]:
        """As in JSON, the stability on the first metric, the chosen one, before that on others."""
        return {
            **self.select("name n"),
            "scores": {m: s.measured() for m, s in self.standings.items()},
            "ranks": {m: s.rank for m, s in self.standings.items()},
            **next(iter(self.standings.values())).select(STABILITY),
            **self.select("best_rank worst_rank next"),
            "stability": {m: s.select(STABILITY) for m, s in self.standings.items()},
            **self.select("runs never_true outside win_rate"),
            "signature": str(self.signature),
        }


@dataclass(frozen=True, eq=False)
class FormulaRanks(Record):
    """What becomes of the order between the two formulas called 'macro F1'."""

    changed: int
    systems: tuple[str, ...]
    largest_gap: float
    largest_gap_of: str


@dataclass(frozen=True, eq=False, kw_only=True)
class MeanOfSlices(Interval):
    """A system's mean over slices on the chosen metric, every slice weighing the same.

    Systems that share a letter of ``group`` have means that do not differ significantly.
    """

    json_fields = "name value low high rank group"

    name: str
    rank: int
    group: str | None = None


@dataclass(frozen=True, eq=False, repr=False)
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
    varies: tuple[str, ...]
    """What intervals and tests take to be other ones another time: items or clusters, and runs."""
    level: float
    replicates: int | None
    systems: tuple[System, ...]
    correlation: dict[str, dict[str, dict[str, float]]]
    flips: tuple[Flip, ...]
    twins: FormulaRanks | None
    baselines: dict[str, dict[str, float]]
    signature: Signature
    cautions: tuple[ResultWarning, ...] = ()
    key: Any = None
    lower: bool = False
    slices: tuple[Leaderboard, ...] = ()
    mean_of_slices: tuple[MeanOfSlices, ...] = ()
    telling: int | None = None
    """Items on which not all systems say the same, where items are known."""
    operating_points: tuple[OperatingPoint, ...] = ()
    """What the systems decide, where an area under a curve is among the metrics."""

    drawn_by = "ranking.charts.leaderboard"
    json_fields = """signature metric n varies level replicates systems correlation flips winners
    twins baselines resolution operating_points verdict failed"""

    @property
    def parts(self) -> dict[str, System]:
        """The systems by name, best first."""
        return {s.name: s for s in self.systems}

    def reported(self) -> Iterable[ReportedResult]:
        """Every system on every metric, of the whole and of each slice."""
        for part in (self, *self.slices):
            for s in part.systems:
                for name, standing in s.standings.items():
                    signature, level = of_metric(s.signature, name), part.level
                    yield ReportedResult(name, standing, s.n, signature, level, s.name, part.key)

    @property
    def defined(self) -> int:
        """Systems whose score by the chosen metric is defined."""
        return sum(not isnan(s.standings[self.metric].value) for s in self.systems)

    @property
    def orders(self) -> dict[tuple[int, ...], list[str]]:
        """The different orders that metrics give: the systems' ranks, and which metrics agree."""
        orders: dict[tuple[int, ...], list[str]] = {}
        for m in self.metrics:
            orders.setdefault(tuple(s.standings[m].rank for s in self.systems), []).append(m)
        return orders

    @property
    def winners(self) -> dict[str, list[str]]:
        """Who is first under each metric; several where they are equal."""
        return {m: [s.name for s in self.systems if s.standings[m].rank == 1] for m in self.metrics}

    @property
    def resolution(self) -> dict[str, int] | None:
        """How many steps to the next system are significant, and items that tell systems apart."""
        if self.telling is None:
            return None
        steps = [s.next.p_adjusted for s in self.systems if s.next is not None]
        separable = sum(p is not None and p < 1 - self.level for p in steps)
        items = self.n if self.samples_note is None else self.samples_note.items
        counts = (separable, len(steps), self.telling, items)
        return dict(zip(("separable", "neighbours", "telling", "items"), counts, strict=True))

    @property
    def failed(self) -> dict[str, str]:
        """Systems that were left out, and why."""
        return {n.system: n.reason for n in self.cautions if isinstance(n, LeftOut)}

    @cached_property
    def sentences(self) -> tuple[str, ...]:
        """In words: who is first, who ties, and whether the metric decides it."""
        return sentences_of(self)

    @property
    def verdict(self) -> str:
        """The same as one text."""
        return " ".join(self.sentences)

    def to_json_object(self) -> dict[str, Any]:
        """What ``evenhand rank --format json`` prints."""
        means = self.select("mean_of_slices") if self.slices else {}
        return super().to_json_object() | means

    def content(self, *, long: bool = False, explain: bool = True) -> Content:
        """The verdict, the leaderboard, its slices; unless ``explain`` is false, what other
        metrics and guessing say of it.

        Data frames and CSV have one row a system; ``long``, one a number.
        """
        return content_of(self, long=long, explain=explain)

    def __str__(self) -> str:
        return in_format(self.content(explain=False), "table")

    def paper(  # type: ignore[override]
        self, *, columns: Columns = "auto", intervals: IntervalStyle = "pm"
    ) -> Content:
        """Systems by slices, or by metrics, with what is best and what ties with it.

        ``intervals`` stand as ``pm`` (±), ``ends``, ``small`` or ``none``.
        """
        return paper_of(self, columns=columns, intervals=intervals)

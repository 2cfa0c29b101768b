"""Sweep: the curve of every metric as one class goes from rare to common."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from evenhand.notes.interval import Interval
from evenhand.notes.note import Note
from evenhand.notes.record import Record
from evenhand.results.cells import Cell, Exact
from evenhand.results.content import Block, Content, Pictures, Sheet, Words
from evenhand.results.grid import Grid
from evenhand.results.result import Collection, Result
from evenhand.results.text import counted, named, number, percent, shortened
from evenhand.shift.extrapolation import ASSUMED
from evenhand.signature.line import Signature
from evenhand.tables.labels import Label

ROUND = (0.001, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 0.999)
FEW_SHARES = 20
"""Shares up to which a table shows all of them; of more, the round ones."""
BESIDE = 6
"""Curves beside each other in a table: as many as fit a line."""


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


@dataclass(frozen=True, eq=False, kw_only=True)
class Crossing(Interval):
    """A share of the class at which two systems change places on a metric.

    ``below`` leads at smaller shares, ``above`` at larger ones. From ``low`` to ``high`` the
    interval of their difference holds 0; ``None`` where that goes on to the end of the sweep.

    >>> import evenhand as eh
    >>> one, other = [[90, 10], [30, 70]], [[70, 30], [10, 90]]
    >>> found = eh.shift.sweep(one, label=0, against=other, metrics="accuracy")
    >>> round(found.crossings[0].share, 6), found.crossings[0].above
    (0.5, 'first')
    """

    told = ("metric", "share", "low", "high", "below", "above")

    metric: str
    below: str
    above: str

    @property
    def share(self) -> float:
        """The share itself."""
        return self.value


@dataclass(frozen=True, eq=False, repr=False)
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
    level: float | None
    cautions: tuple[Note, ...] = ()

    @property
    def parts(self) -> dict[tuple[str, str], Curve]:
        """The curve of each system on each metric, by both names."""
        return {(s, m): c for s, curves in self.curves.items() for m, c in curves.items()}

    @property
    def metrics(self) -> list[str]:
        """The names of the metrics."""
        return list(next(iter(self.curves.values())))

    def facts(self) -> dict[str, Any]:
        """What ``evenhand shift --sweep --format json`` prints."""
        curves = self.picked("curves")["curves"]
        return {
            **self.picked("signature", "n", "label", "observed", "level", "shares"),
            "systems": [{"name": name, "metrics": own} for name, own in curves.items()],
            **(self.picked("crossings", "leads") if len(self.systems) == 2 else {}),
        }

    def content(self) -> Content:
        """The headline, where two systems change places, the curves at round shares."""
        label = shortened(repr(self.label), 40)
        title = (
            f"{counted(self.n, 'item')}; share of {label} from {percent(self.shares[0])} to "
            f"{percent(self.shares[-1])} (here {percent(self.observed)}), the other classes in "
            "proportion"
        )
        blocks: list[Block] = [Words(self._headline(), "verdict")]
        blocks += self._changes()
        blocks += self._curves()
        blocks += [Words(ASSUMED, "note"), Pictures([self._chart])]
        return Content(title, blocks, self._data, str(self.signature), self.warnings)

    def _chart(self) -> Any:
        from evenhand.shift.charts import prevalence

        return prevalence(self)

    def _headline(self) -> str:
        """Who leads where on the metric that counts most; of one system, how far it goes."""
        judged = {c.metric for c in self.crossings} | set(self.leads)
        names = [m for m in self.metrics if m in judged] or self.metrics
        lead = "macro_f1" if "macro_f1" in names else names[0]
        changes = [c for c in self.crossings if c.metric == lead]
        if changes:
            places = [f"{c.below} leads below {percent(c.share)}" for c in changes]
            return f"by {lead} {', '.join(places)}, {changes[-1].above} above"
        if lead in self.leads:
            leader = self.leads[lead]
            who = "they are equal" if leader is None else f"{leader} leads"
            return f"by {lead} {who} at every share"
        known = sorted(v for v in self.curves[self.systems[0]][lead].value if v == v)
        if not known:
            return f"{lead} is undefined at every share"
        return f"{lead} lies between {number(known[0])} and {number(known[-1])}"

    def _changes(self) -> Iterable[Block]:
        """The changes of places as a table, and a sentence on the metrics without one."""
        if self.crossings:
            yield Sheet(
                self.crossing_grid,
                note="From low to high the difference is not clear of 0; empty: as far as the "
                "sweep goes.",
            )
        by: dict[str | None, list[str]] = {}
        for metric, leader in self.leads.items():
            by.setdefault(leader, []).append(metric)
        for leader, metrics in by.items():
            who = "They are equal" if leader is None else f"{leader} leads"
            yield Words(f"{who} at every share on {named(metrics, len(metrics))}.")

    @property
    def crossing_grid(self) -> Grid:
        """One row a change of places."""
        head = ["metric", "change at", "low", "high", "leads below", "leads above"]
        return Grid(head, [list(c.to_dict().values()) for c in self.crossings])

    def _curves(self) -> Iterable[Block]:
        """The curves at round shares, a few beside each other."""
        curves = [
            (metric if len(self.systems) == 1 else f"{metric} ({name})", self.curves[name][metric])
            for metric in self.metrics
            for name in self.systems
        ]
        at = [
            i
            for i, share in enumerate(self.shares)
            if len(self.shares) <= FEW_SHARES or any(abs(share - r) < 1e-9 for r in ROUND)
        ]
        for start in range(0, len(curves), BESIDE):
            beside = curves[start : start + BESIDE]
            rows: list[list[Cell]] = [
                [Exact(float(f"{self.shares[i]:.6g}")), *(c.value[i] for _, c in beside)]
                for i in at
            ]
            yield Sheet(Grid(["share", *(name for name, _ in beside)], rows))
        if len(at) < len(self.shares):
            many = counted(len(self.shares), "share")
            sure = any(low is not None for _, c in curves for low in c.low)
            rest = "all of them, with intervals" if sure else "all of them"
            yield Words(f"{many} were computed; CSV has {rest}.", "note")

    def _data(self) -> Grid:
        """Every number, one a row."""
        rows: list[list[Cell]] = [
            [name, metric, share, *ends]
            for name, curves in self.curves.items()
            for metric, c in curves.items()
            for share, *ends in zip(self.shares, c.value, c.low, c.high, strict=True)
        ]
        return Grid(["system", "metric", "share", "value", "low", "high"], rows)

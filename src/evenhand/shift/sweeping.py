"""Sweep one class from rare to common: every metric's curve, and who leads where."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from evenhand.catalogue.binding import bind_all, refuse_cells
from evenhand.catalogue.lists import default_metrics
from evenhand.catalogue.naming import Metrics, named, several
from evenhand.catalogue.policy import Undefined, policy
from evenhand.catalogue.spelling import escaped
from evenhand.count.given import Given
from evenhand.errors import InputError
from evenhand.infer.design import Floats
from evenhand.infer.settings import Settings
from evenhand.notes.curve import Curve
from evenhand.notes.mix import Unpaired
from evenhand.notes.note import Note
from evenhand.results.cells import Cell, Exact
from evenhand.results.content import Block, Content, Pictures, Sheet, Words
from evenhand.results.grid import Grid
from evenhand.results.result import Collection, Result
from evenhand.results.sentence import leading
from evenhand.results.text import counted, number, percent, shortened
from evenhand.results.text import named as listing
from evenhand.shift.cautions import ASSUMED, mix_notes, table_notes, taken_as_certain
from evenhand.shift.crossing import Crossing, places
from evenhand.shift.curves import Swept
from evenhand.shift.reweighted import mixes_along
from evenhand.signature.build import signature_of
from evenhand.signature.fields import IntervalField
from evenhand.signature.footnote import footnote
from evenhand.signature.line import Signature
from evenhand.tables.confusion import Classes
from evenhand.tables.labels import Label, positions, rule_or_list

SHARES = np.unique(
    np.r_[0.001, 0.002, 0.005, np.arange(1, 100) / 100, 0.995, 0.998, 0.999].round(6)
)
"""Round shares from rare to common, closer to each other at the ends."""
ROUND = (0.001, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 0.999)
FEW_SHARES = 20
"""Shares up to which a table shows all of them; of more, the round ones."""
BESIDE = 6
"""Curves beside each other in a table: as many as fit a line."""


def sweep(
    *data: Any,
    label: Any,
    metrics: Metrics | None = None,
    against: Any = None,
    names: tuple[str, str] = ("first", "second"),
    at: Iterable[float] | None = None,
    classes: Classes = "task",
    undefined: Undefined = 0,
    distance: Any = None,
    interval: str | None = "auto",
    level: float = 0.95,
    y_true: Any = None,
    y_pred: Any = None,
    true: str | None = None,
    pred: str | Sequence[str] | None = None,
    labels: Iterable[Any] | None = None,
    weights: Any = None,
    cluster: Any = None,
    drop_null_truth: bool = False,
) -> Sweep:
    """Every metric as the class ``label`` goes from rare to common, the others in proportion.

    The data are those of one system in any form, or a sample of two; ``against`` is another
    table, and then ``names`` are what the two are called. With two systems also the shares at
    which they change places. ``at`` are the shares, by default 105 from 0.001 to 0.999.
    ``interval`` is ``"auto"`` (square-and-add), ``"delta"`` or ``None``: values alone, which is
    much quicker.

    >>> found = sweep([[80, 20], [10, 90]], label=0, metrics="accuracy", at=[0.1, 0.5])
    >>> [round(v, 6) for v in found.curves["system"]["accuracy"].value]
    [0.89, 0.85]
    """
    beside = (labels, weights, cluster, None, drop_null_truth)
    given = Given("sweep", data, y_true, y_pred, true, pred, *beside)
    swept = Swept.of(given, against, names)
    systems, tables = swept.systems, swept.tables
    if interval not in (None, "auto", "delta"):
        raise InputError(f"interval of a sweep must be 'auto', 'delta' or None, got {interval!r}")
    rule = rule_or_list(classes)
    worth = policy(undefined)
    how = Settings("auto", level)
    j = positions([label], tables.labels, "class to sweep")[0]
    truth = np.asarray(tables.prevalence, np.float64).reshape(-1, tables.k)[0]
    if not truth[j] or truth[j] == truth.sum():
        raise InputError(
            f"class to sweep must be true of some items and not of all, "
            f"got {label!r} with {truth[j]:g} of {truth.sum():g}"
        )
    shares = SHARES if at is None else _checked(at)
    mixes = mixes_along(truth, j, shares)
    pairs = named(several(metrics, default_metrics, distance=distance))
    kernels = bind_all((m for _, m in pairs), tables, classes=rule, undefined=worth)
    refuse_cells(kernels)
    sure = None if interval is None else how
    limits = None if interval == "delta" else swept.limited(level, len(shares))
    found = swept.curves(kernels, mixes, sure, limits)
    names_of = [name for name, _ in pairs]
    changes: tuple[Crossing, ...] = ()
    leads: dict[str, str | None] = {}
    if len(systems) == 2:
        bound, along = dict(zip(names_of, kernels, strict=True)), partial(mixes_along, truth, j)
        changes, leads = places(swept, bound, found, shares, along, limits, how)
    grouped = any(s.rows.cluster is not None for s in swept.sides)
    written = "none" if interval is None else str(IntervalField(interval, level, clusters=grouped))
    signature = signature_of(tables, classes=rule, undefined=worth, interval=written)
    one = tables if not tables.shape else tables[0]
    notes: list[Note] = [*mix_notes(one, mixes), *table_notes(tables, rule, worth)]
    if sure is not None and limits is None:
        notes += taken_as_certain(tables, mixes)
    if len(swept.sides) == 2:
        notes.append(Unpaired())
    return Sweep(
        signature=replace(
            signature,
            prevalence=f"sweep.{escaped(str(tables.labels[j]))}",
            n=str(int(np.max(tables.n))),
        ),
        n=int(np.max(tables.n)),
        label=tables.labels[j],
        observed=float(truth[j] / truth.sum()),
        shares=tuple(shares.tolist()),
        systems=systems,
        curves={
            system: dict(zip(names_of, own, strict=True))
            for system, own in zip(systems, zip(*found, strict=True), strict=True)
        },
        crossings=changes,
        leads=leads,
        level=None if sure is None else level,
        cautions=tuple(notes),
    )


def _checked(at: Iterable[float]) -> Floats:
    try:
        found = np.array(sorted(at), np.float64)
    except (TypeError, ValueError):
        found = np.array([np.nan])
    if not len(found) or not np.all((found >= 0) & (found <= 1)):
        raise InputError(
            f"shares of a sweep must be numbers from 0 to 1, got {shortened(repr(at), 60)}"
        )
    return found


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
        signed, said = str(self.signature), footnote(self.signature, metric=leading(self.metrics))
        return Content(title, blocks, self._data, signed, self.warnings, footnote=said)

    def _chart(self) -> Any:
        from evenhand.shift.charts import prevalence

        return prevalence(self)

    def _headline(self) -> str:
        """Who leads where on the metric that counts most; of one system, how far it goes."""
        judged = {c.metric for c in self.crossings} | set(self.leads)
        lead = leading([m for m in self.metrics if m in judged] or self.metrics)
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
            yield Words(f"{who} at every share on {listing(metrics, len(metrics))}.")

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

"""How sure the scores are: the intervals of one scoring, ready to be handed out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from math import prod

from evenhand.errors import shown
from evenhand.evaluate import AnyMetric, Kernel, Table, bind, bind_classes
from evenhand.infer.few import few_classes, few_text
from evenhand.infer.interval import (
    UNKNOWN,
    Estimate,
    Settings,
    estimates,
    knows,
    tables_of,
    zero_over_zero,
)
from evenhand.infer.rows import Data
from evenhand.notes.method import Method
from evenhand.scoring.classes import PER_CLASS, Column, Four
from evenhand.settings import IntervalField
from evenhand.table import Classes


@dataclass(frozen=True)
class Sure:
    """Intervals of every metric and class, for each system or slice; maybe none at all."""

    metrics: dict[str, Estimate]
    classes: dict[str, Estimate]
    asked: IntervalField | None = None
    notes: tuple[str, ...] = ()

    @property
    def signature(self) -> str:
        """The interval field of the settings' signature."""
        return "none" if self.asked is None else str(self.asked)

    def of_metric(self, name: str, tables: int) -> Four:
        """se, low, high and method of a metric, table by table."""
        if name not in self.metrics:
            nothing: Column = [None] * tables
            return nothing, nothing, nothing, nothing
        return self.metrics[name].columns()

    def signed(self, method: Method | None) -> str:
        """The interval field of a metric's signature: what ``auto`` came to, and the settings."""
        if method is None or self.asked is None:
            return "none"
        return str(replace(self.asked, method=method.name, scale=method.scale))

    def of_classes(self, tables: int) -> list[dict[str, Four]]:
        """The intervals of the classes of each table, as columns."""
        found = {name: e.columns() for name, e in self.classes.items()}
        return [
            {name: (se[i], low[i], high[i], method[i])
             for name, (se, low, high, method) in found.items()}
            for i in range(tables)
        ]  # fmt: skip

    def warnings(self, table: Table) -> list[list[str]]:
        """What a reader must know about the intervals of each table."""
        tables = prod(table.shape)
        few = few_classes([(e.kernel, e.known) for e in self.metrics.values()], table)
        fixed = [(e.kernel, zero_over_zero(e, table)) for e in self.metrics.values()]
        empty = [(name, e.empty) for name, e in self.metrics.items() if not e.note]
        blank = [(name, e.empty) for name, e in self.classes.items() if not e.note]
        found: list[list[str]] = []
        for i in range(tables):
            mine = [
                *_without([name for name, none in empty if none[i]], WIDTHLESS),
                *_without(
                    [
                        f"{name} of {table.labels[j]!r}"
                        for name, none in blank
                        for j in none[i].nonzero()[0].tolist()
                    ]
                ),
            ]
            classes = [table.labels[j] for j in few[i].nonzero()[0].tolist()]
            if classes:
                mine.append(few_text(classes))
            held = [kernel for kernel, which in fixed if which[i]]
            if held:
                mine.append(
                    f"some class's ratio is 0/0 and counts as {held[0].undefined:g}: the delta "
                    f"intervals of {shown([k.name for k in held])} take it as fixed"
                )
            found.append([*mine, *self.notes])
        return found


WIDTHLESS = (
    ", which a perfect score, a constant one or an infinite slope gives, and that is not certainty"
)


def _without(names: list[str], reason: str = "") -> Iterable[str]:
    if names:
        yield f"no interval for {listed(names)}: it would have no width{reason}"


UNSURE = Sure({}, {})


def listed(names: list[str], limit: int = 4) -> str:
    """The first few names and how many more there are."""
    more = len(names) - limit
    return ", ".join(names[:limit]) + (f" and {more:,} more" if more > 0 else "")


def sure_of(
    data: Data,
    metrics: list[tuple[str, AnyMetric]],
    *,
    classes: Classes,
    undefined: float,
    how: Settings | None,
) -> Sure:
    """The intervals of all metrics and classes of ``data``."""
    if how is None:
        return UNSURE
    if how.method == "auto" and not knows(data):
        return Sure({}, {}, notes=(f"{UNKNOWN} (score a Sample, or count the items with weights)",))
    table = tables_of(data)
    mask = table.averaged(classes)  # once: a list of many classes takes long to look up
    kernels: list[Kernel] = [
        bind(m, table, classes=classes, undefined=undefined, averaged=mask) for _, m in metrics
    ]
    per_class = [bind_classes(m, undefined) for m in PER_CLASS]
    found = estimates(data, [*kernels, *per_class], how)
    wrong = [e.no_gradient for e in found if e.no_gradient is not None]
    names = [name for name, _ in metrics]
    return Sure(
        dict(zip(names, found[: len(names)], strict=True)),
        dict(zip(PER_CLASS, found[len(names) :], strict=True)),
        how.signed(data),
        tuple(f"no gradient of {note.metric}: {note.reason}" for note in wrong),
    )

"""How sure the scores are: the intervals of one scoring, ready to be handed out."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import prod

from evenhand.catalogue.binding import AnyMetric, Kernel, Table, bind, bind_classes
from evenhand.infer.few import FEW, few_classes
from evenhand.infer.interval import (
    Estimate,
    Settings,
    estimates,
    zero_over_zero,
)
from evenhand.infer.rows import Data
from evenhand.notes.method import Method
from evenhand.notes.note import Note
from evenhand.notes.sure import FewTrueItems, NoWidth, UnknownVariance, ZeroOverZero
from evenhand.scoring.classes import PER_CLASS, Column, Four
from evenhand.signature.fields import IntervalField
from evenhand.tables.confusion import Classes


@dataclass(frozen=True)
class Sure:
    """Intervals of every metric and class, for each system or slice; maybe none at all."""

    metrics: dict[str, Estimate]
    classes: dict[str, Estimate]
    asked: IntervalField | None = None
    notes: tuple[Note, ...] = ()

    @property
    def signature(self) -> str:
        """The interval field of the settings' signature."""
        return "none" if self.asked is None else str(self.asked)

    @property
    def level(self) -> float | None:
        """The level of the intervals."""
        return None if self.asked is None else self.asked.level

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

    def cautions(self, table: Table) -> list[list[Note]]:
        """What a reader must know about the intervals of each table."""
        few = few_classes([(e.kernel, e.known) for e in self.metrics.values()], table)
        fixed = [(e.kernel, zero_over_zero(e, table)) for e in self.metrics.values()]
        empty = [(name, e.empty) for name, e in self.metrics.items() if not e.note]
        blank = [(name, e.empty) for name, e in self.classes.items() if not e.note]
        found: list[list[Note]] = []
        for i in range(prod(table.shape)):
            mine: list[Note] = []
            flat = [name for name, none in empty if none[i]]
            if flat:
                mine.append(NoWidth(tuple(flat)))
            flat = [
                f"{name} of {table.labels[j]!r}"
                for name, none in blank
                for j in none[i].nonzero()[0].tolist()
            ]
            if flat:
                mine.append(NoWidth(tuple(flat), "class"))
            classes = tuple(table.labels[j] for j in few[i].nonzero()[0].tolist())
            if classes:
                mine.append(FewTrueItems(classes, FEW))
            held = [kernel for kernel, which in fixed if which[i]]
            if held:
                mine.append(ZeroOverZero(held[0].undefined, tuple(k.name for k in held)))
            found.append([*mine, *self.notes])
        return found


UNSURE = Sure({}, {})


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
    if how.method == "auto" and not data.varies:
        return Sure({}, {}, notes=(UnknownVariance(),))
    table = data.tables()
    mask = table.averaged(classes)  # once: a list of many classes takes long to look up
    kernels: list[Kernel] = [
        bind(m, table, classes=classes, undefined=undefined, averaged=mask) for _, m in metrics
    ]
    per_class = [bind_classes(m, undefined) for m in PER_CLASS]
    found = estimates(data, [*kernels, *per_class], how)
    notes = tuple(e.no_gradient for e in found if e.no_gradient is not None)
    names = [name for name, _ in metrics]
    return Sure(
        dict(zip(names, found[: len(names)], strict=True)),
        dict(zip(PER_CLASS, found[len(names) :], strict=True)),
        how.signed(data),
        notes,
    )

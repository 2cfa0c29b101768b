"""How sure the scores are: the intervals of one scoring, ready to be handed out."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import prod

from evenhand.catalogue.binding import AnyMetric, Table, bind_all, bind_classes, views_of
from evenhand.core.kernel import Views
from evenhand.core.twins import TWINS
from evenhand.infer.few import FEW, few_classes
from evenhand.infer.interval import (
    Estimate,
    Settings,
    bare,
    estimates,
    zero_over_zero,
)
from evenhand.infer.rows import Data
from evenhand.notes.method import Method
from evenhand.notes.note import Note
from evenhand.notes.sure import FewTrueItems, NoWidth, UnknownVariance, ZeroOverZero
from evenhand.scoring.classes import PER_CLASS, Four
from evenhand.signature.fields import IntervalField
from evenhand.tables.confusion import Classes


@dataclass(frozen=True)
class Sure:
    """Every metric, class and macro F1 of each system or slice; maybe without intervals."""

    metrics: dict[str, Estimate]
    classes: dict[str, Estimate]
    twins: tuple[Estimate, Estimate]
    views: Views
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

    def signed(self, method: Method | None) -> str:
        """The interval field of a metric's signature: what ``auto`` came to, and the settings."""
        if method is None or self.asked is None:
            return "none"
        return str(replace(self.asked, method=method.name, scale=method.scale))

    def of_classes(self, tables: int) -> list[dict[str, Four]]:
        """The intervals of the classes of each table, as columns; nothing where none are known."""
        if self.asked is None:
            return [{} for _ in range(tables)]
        found = {name: e.columns() for name, e in self.classes.items()}
        return [
            {name: (se[i], low[i], high[i], method[i])
             for name, (se, low, high, method) in found.items()}
            for i in range(tables)
        ]  # fmt: skip

    def cautions(self, table: Table) -> list[list[Note]]:
        """What a reader must know about the intervals of each table."""
        if self.asked is None:
            return [list(self.notes) for _ in range(prod(table.shape))]
        each = list(self.metrics.values())
        few = few_classes([(e.kernel, e.known) for e in each], table)
        fixed = list(zip(self.metrics, zero_over_zero(each, self.views), strict=True))
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
            held = tuple(name for name, which in fixed if which[i])
            if held:
                mine.append(ZeroOverZero(each[0].kernel.undefined, held))
            found.append([*mine, *self.notes])
        return found


def sure_of(
    data: Data,
    metrics: list[tuple[str, AnyMetric]],
    *,
    classes: Classes,
    undefined: float,
    how: Settings | None,
) -> Sure:
    """All metrics and classes of ``data``, with the intervals that are asked for."""
    table, names = data.tables(), [name for name, _ in metrics]
    wanted = [*(metric for _, metric in metrics), *TWINS]
    *kernels, mean, averages = bind_all(wanted, table, classes=classes, undefined=undefined)
    kernels += bind_classes(PER_CLASS, undefined)
    views = views_of([*kernels, mean], table)
    unknown = how is not None and how.method == "auto" and not data.varies
    if how is None or unknown:
        found, asked = bare(kernels, table, views), None
    else:
        found, asked = estimates(data, kernels, how, views), how.signed(data)
    notes: list[Note] = [e.no_gradient for e in found if e.no_gradient is not None]
    known = {e.kernel.name: e for e in found if e.kernel.record is not None}
    extra = [k for k in (mean, averages) if k.name not in known]
    known |= zip((k.name for k in extra), bare(extra, table, views), strict=True)
    return Sure(
        dict(zip(names, found, strict=False)),
        dict(zip(PER_CLASS, found[len(names) :], strict=True)),
        (known[mean.name], known[averages.name]),
        views,
        asked,
        (UnknownVariance(),) if unknown else tuple(notes),
    )

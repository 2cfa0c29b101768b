"""How sure the scores are: the intervals of one scoring, ready to be handed out."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

import numpy as np

from evenhand.catalogue.binding import Table, bind_all, bind_classes, views_of
from evenhand.catalogue.lists import TWINS
from evenhand.catalogue.naming import AnyMetric
from evenhand.core.counts import Counts
from evenhand.core.kernel import Views
from evenhand.infer.design import Codes, Floats
from evenhand.infer.few import clusters_of, few_classes, few_notes, so_few
from evenhand.infer.interval import (
    Estimate,
    bare,
    estimates,
    zero_over_zero,
)
from evenhand.infer.jackknife import biased
from evenhand.infer.rows import Data
from evenhand.infer.settings import Settings
from evenhand.notes.note import Note
from evenhand.notes.sure import Biased, NoWidth, UnknownVariance, ZeroOverZero
from evenhand.scoring.classes import PER_CLASS, Four
from evenhand.signature.fields import IntervalField
from evenhand.tables.confusion import Classes


@dataclass(frozen=True)
class Sure:
    """Every metric and class of each system or slice, maybe without intervals.

    ``twins`` are the values of both macro F1s, ``mean`` the margins that the first is of,
    ``clusters`` how many each table has, if items are not alone.
    """

    metrics: dict[str, Estimate]
    classes: dict[str, Estimate]
    twins: list[Floats]
    mean: Counts
    views: Views
    clusters: Codes | None = None
    asked: IntervalField | None = None
    notes: tuple[Note, ...] = ()

    @property
    def level(self) -> float | None:
        """The level of the intervals."""
        return None if self.asked is None else self.asked.level

    def columns(self) -> tuple[list[Four], dict[str, Four]]:
        """The intervals of the metrics, table by table; those of the classes, where any are."""
        each = [e.columns() for e in (*self.metrics.values(), *self.classes.values())]
        n = len(self.metrics)
        return each[:n], {} if self.asked is None else dict(zip(PER_CLASS, each[n:], strict=True))

    def cautions(self, table: Table) -> list[list[Note]]:
        """What a reader must know about the intervals of each table."""
        if self.asked is None:
            return [list(self.notes) for _ in range(prod(table.shape))]
        each = list(self.metrics.values())
        few = few_classes([(e.kernel, ~np.isnan(e.low)) for e in each], table, self.mean)
        fixed = list(zip(self.metrics, zero_over_zero(each, self.views), strict=True))
        empty, blank = (
            [(name, ~np.isnan(e.value) & np.isnan(e.low)) for name, e in of.items() if not e.note]
            for of in (self.metrics, self.classes)
        )
        found: list[list[Note]] = []
        for i in range(prod(table.shape)):
            mine: list[Note] = []
            flat = [name for name, none in empty if none[i]]
            pushed = tuple(n for n in flat if self._biased(n, len(few))[i])
            if len(flat) > len(pushed):
                mine.append(NoWidth(tuple(n for n in flat if n not in pushed)))
            if pushed:
                mine.append(Biased(pushed))
            points = [
                (f"{name} of {table.labels[j]!r}", name)
                for name, none in blank
                for j in none[i].nonzero()[0].tolist()
            ]
            if points:
                called, of = zip(*points, strict=True)
                mine.append(NoWidth(called, "class", of))
            if few[i].any():
                mine += few_notes(few[i], table.labels)
            held = tuple(name for name, which in fixed if which[i])
            if held:
                mine.append(ZeroOverZero(each[0].kernel.undefined, held))
            grouped = [] if self.clusters is None else so_few(int(self.clusters[i]))
            found.append([*mine, *self.notes, *grouped])
        return found

    def _biased(self, metric: str, tables: int) -> Floats:
        return np.broadcast_to(biased(self.metrics[metric].kernel), tables)


def sure_of(
    data: Data,
    table: Table,
    metrics: list[tuple[str, AnyMetric]],
    *,
    classes: Classes,
    undefined: float,
    how: Settings | None,
) -> Sure:
    """All metrics and classes of ``data``, whose tables are given, with the intervals asked for."""
    names = [name for name, _ in metrics]
    wanted = [*(metric for _, metric in metrics), *TWINS]
    *kernels, mean, averages = bind_all(wanted, table, classes=classes, undefined=undefined)
    kernels += bind_classes(undefined)
    views = views_of([*kernels, mean], table)
    unknown = how is not None and how.method == "auto" and not data.varies
    if how is None or unknown:
        found, asked = bare(kernels, views), None
    else:
        found, asked = estimates(data, kernels, how, table, views), how.signed(data)
    clusters = clusters_of(data)
    notes: list[Note] = [e.no_gradient for e in found if e.no_gradient is not None]
    known = {e.kernel.name: e.value for e in found if e.kernel.record is not None}
    extra = [k for k in (mean, averages) if k.name not in known]
    known |= zip([k.name for k in extra], views.values(extra), strict=True)
    return Sure(
        dict(zip(names, found, strict=False)),
        dict(zip(PER_CLASS, found[len(names) :], strict=True)),
        [known[mean.name], known[averages.name]],
        views.of(mean),
        views,
        clusters,
        asked,
        (UnknownVariance(),) if unknown else tuple(notes),
    )

"""How sure the scores are: the intervals of one scoring, ready to be handed out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from evenhand.errors import shown
from evenhand.evaluate import AnyMetric, Kernel, Table, bind, bind_classes
from evenhand.infer.design import Floats
from evenhand.infer.few import too_few
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
from evenhand.scoring.classes import NOTHING, PER_CLASS, Bounds, Column, Four
from evenhand.table import Classes


@dataclass(frozen=True)
class Sure:
    """Intervals of every metric and class, for each system or slice; maybe none at all."""

    metrics: dict[str, Estimate]
    classes: dict[str, Estimate]
    signature: str = "none"
    notes: tuple[str, ...] = ()

    def of_metric(self, name: str, i: int) -> Bounds:
        """The interval of a metric of the i-th table."""
        if name not in self.metrics:
            return NOTHING
        return Bounds(*(column[0] for column in _bounds(self.metrics[name], slice(i, i + 1))))

    def signed(self, name: str, i: int) -> str:
        """The interval field of a metric's signature: what ``auto`` came to, and the settings."""
        method = self.of_metric(name, i).method
        if method is None:
            return "none"
        rest = self.signature.partition(".")[2]
        return f"{method.partition(' (')[0].replace(', ', '-')}.{rest}"

    def of_classes(self, i: int) -> dict[str, Four]:
        """The intervals of the classes of the i-th table, as columns."""
        return {name: _bounds(e, i) for name, e in self.classes.items()}

    def warnings(self, i: int, table: Table) -> Iterable[str]:
        """What a reader must know about the intervals of the i-th table."""
        none = [name for name, e in self.metrics.items() if e.empty[i] and not e.note]
        if none:
            yield (
                f"no interval for {listed(none)}: it would have no width, which a perfect "
                "score, a constant one or an infinite slope gives, and that is not certainty"
            )
        blank = [
            f"{name} of {table.labels[j]!r}"
            for name, e in self.classes.items()
            if name != "f1" or "wilson" not in self.signature
            for j in e.empty[i].nonzero()[0].tolist()
        ]
        if blank:
            yield f"no interval for {listed(blank)}: it would have no width"
        given = [e for e in self.metrics.values() if not np.isnan(e.low[i])]
        yield from too_few([e.kernel.at(i) for e in given], table)
        delta = [e.kernel.at(i) for e in given if "delta" in e.method[i]]
        fixed = zero_over_zero(delta, table)
        if fixed:
            yield (
                f"some class's ratio is 0/0 and counts as {delta[0].undefined:g}: the delta "
                f"intervals of {shown(fixed)} take it as fixed"
            )
        yield from self.notes


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
    notes = [e.note for e in found if e.note]
    names = [name for name, _ in metrics]
    return Sure(
        dict(zip(names, found[: len(names)], strict=True)),
        dict(zip(PER_CLASS, found[len(names) :], strict=True)),
        how.signature(),
        tuple(notes),
    )


def _bounds(e: Estimate, at: int | slice) -> Four:
    """se, low, high and method, ``None`` where there is no interval."""
    se, low, high, method = (x[at] for x in (e.se, e.low, e.high, e.method))
    none = np.isnan(low)
    unsure = none | np.isnan(se) | (se == 0)  # an error of 0 is not known
    return _known(se, unsure), _known(low, none), _known(high, np.isnan(high)), _known(method, none)


def _known(x: Floats, unknown: Floats) -> Column:
    found = x.astype(object)
    found[unknown] = None
    return list(found)

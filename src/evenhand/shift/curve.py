"""Sweep one class from rare to common, and see who leads where."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from evenhand.catalogue.binding import Kernel, Metrics, bind, named, several
from evenhand.catalogue.lists import default_metrics
from evenhand.catalogue.policy import Undefined, policy
from evenhand.catalogue.spelling import escaped
from evenhand.count.given import Given, system_of
from evenhand.errors import InputError
from evenhand.infer.design import Floats
from evenhand.infer.interval import Settings
from evenhand.infer.rows import rows_of
from evenhand.infer.transform import around, chosen
from evenhand.infer.width import telling
from evenhand.notes.interval import Intervals, by
from evenhand.notes.mix import NoShare, Unpaired
from evenhand.notes.note import Note
from evenhand.shift.cautions import mix_notes, table_notes
from evenhand.shift.crossing import EQUAL, crossings
from evenhand.shift.expected import one_system
from evenhand.shift.mixes import Mixes, mixes_along
from evenhand.shift.sweeps import Crossing, Curve, Sweep
from evenhand.signature.build import signature_of
from evenhand.signature.fields import IntervalField
from evenhand.tables.confusion import Classes, Confusion
from evenhand.tables.labels import positions, rule_or_list
from evenhand.tables.merge import on_same_labels

SHARES = np.unique(
    np.r_[0.001, 0.002, 0.005, np.arange(1, 100) / 100, 0.995, 0.998, 0.999].round(6)
)
"""Round shares from rare to common, closer to each other at the ends."""


def sweep(
    *data: Any,
    label: Any,
    metrics: Metrics | None = None,
    against: Any = None,
    names: tuple[str, str] = ("first", "second"),
    at: Iterable[float] | None = None,
    classes: Classes = "task",
    undefined: Undefined = 0,
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
    ``interval`` is ``"auto"`` or ``"delta"``, which are the same here, or ``None``: values alone,
    which is much quicker.

    >>> found = sweep([[80, 20], [10, 90]], label=0, metrics="accuracy", at=[0.1, 0.5])
    >>> [round(v, 6) for v in found.curves["system"]["accuracy"].value]
    [0.89, 0.85]
    """
    beside = (labels, weights, cluster, None, drop_null_truth)
    given = Given("sweep", data, y_true, y_pred, true, pred, *beside)
    systems, sides, tables = _systems(given, against, names)
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
    shares = SHARES if at is None else _shares(at)
    mixes = mixes_along(truth, j, shares)
    pairs = named(several(metrics, default_metrics()))
    kernels = [bind(m, tables, classes=rule, undefined=worth) for _, m in pairs]
    curves: dict[str, dict[str, Curve]] = {name: {} for name in systems}
    found: list[Crossing] = []
    leads: dict[str, str | None] = {}
    metric_names = [name for name, _ in pairs]
    sure = None if interval is None else how
    gaps = _curves(sides, kernels, mixes, sure, systems, metric_names, curves)
    if len(systems) == 2:
        for (name, _), kernel, gap in zip(pairs, kernels, gaps, strict=True):
            if kernel.record is not None and kernel.record.better == "neither":
                continue  # no value of it is ahead of another
            difference = partial(_difference, sides, kernel, truth, j)
            better = -1.0 if kernel.record and kernel.record.better == "lower" else 1.0
            for share, low, high, first in crossings(difference, shares, gap, how.z):
                order = systems if first == (better > 0) else systems[::-1]
                found.append(
                    Crossing(
                        share, None, low, high, level,
                        metric=name, below=order[0], above=order[1],
                    )
                )  # fmt: skip
            if not any(c.metric == name for c in found):
                leads[name] = _leader(systems, better * gap)
    grouped = any(s.rows.cluster is not None for s in sides)
    written = "none" if sure is None else str(IntervalField("delta", level, clusters=grouped))
    signature = signature_of(tables, classes=rule, undefined=worth, interval=written)
    one = tables if not tables.shape else tables[0]
    notes: list[Note] = [
        note for note in mix_notes(one, np.asarray(mixes[0])) if not isinstance(note, NoShare)
    ]  # a share of 0 is where a sweep begins, not what somebody asks for
    notes += table_notes(tables, rule, worth)
    if len(sides) == 2:
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
        curves=curves,
        crossings=tuple(found),
        leads=leads,
        level=None if sure is None else level,
        cautions=tuple(notes),
    )


def _systems(
    given: Given, against: Any, names: tuple[str, str]
) -> tuple[tuple[str, ...], list[Mixes], Confusion]:
    """Names of the systems, their rows (together where they share items), and their tables."""
    two = not isinstance(given.pred, str)  # two systems on the same items are a sample
    data = system_of(given, items=two and given.of_frame, margins=True)
    if len(getattr(data, "systems", ())) == 2 and against is None:
        tables = data.tables()
        return data.systems, [Mixes.of(rows_of(data))], tables
    one, table = one_system(Given("sweep", (data,)))
    name = one.systems[0] if one.systems else "system"
    if against is None:
        return (name,), [Mixes.of(rows_of(one))], table
    _, other = one_system(Given("sweep", (against,)))
    table, other = on_same_labels([table, other])
    empty = np.flatnonzero((table.prevalence > 0) != (other.prevalence > 0))
    if len(empty):
        raise InputError(
            f"both tables must have items of the same true classes, "
            f"only one has {table.labels[empty[0]]!r}"
        )
    return (
        names,
        [Mixes.of(rows_of(t)) for t in (table, other)],
        Confusion.stack([table, other], names),
    )


def _curves(
    sides: list[Mixes],
    kernels: list[Kernel],
    mixes: Floats,
    how: Settings | None,
    systems: tuple[str, ...],
    names: list[str],
    into: dict[str, dict[str, Curve]],
) -> list[Floats]:
    """Fill in every curve; first minus second system of each metric, where there are two."""
    values = [np.concatenate(v, axis=1) for v in zip(*_each(sides, kernels, mixes), strict=True)]
    for name, kernel, v in zip(names, kernels, values, strict=True):
        for s, system in enumerate(systems):
            side = sides[min(s, len(sides) - 1)]
            place = s if len(sides) == 1 else 0
            contrast = np.eye(side.design.systems)[place]
            own = kernel.at(s) if len(sides) == 2 else kernel
            low = high = (None,) * len(mixes)
            if how is not None:
                se = side.errors(own, mixes, contrast)
                ends = around(v[:, s], se, how.z, kernel, chosen("range", kernel))
                sure = Intervals(v[:, s], se, *telling(*ends), by(None, se))
                _, low, high, _ = map(tuple, sure.columns())
            into[system][name] = Curve(tuple(v[:, s].tolist()), low, high)
    return [v[:, 0] - v[:, -1] for v in values]


def _each(sides: list[Mixes], kernels: list[Kernel], mixes: Floats) -> Iterable[list[Floats]]:
    for s, side in enumerate(sides):
        yield side.values([k.at(s) if len(sides) == 2 else k for k in kernels], mixes)


def _difference(
    sides: list[Mixes], kernel: Kernel, truth: Floats, j: int, shares: Floats
) -> tuple[Floats, Floats]:
    mixes = mixes_along(truth, j, shares)
    if len(sides) == 1:
        v = sides[0].values([kernel], mixes)[0]
        return v[:, 0] - v[:, 1], sides[0].errors(kernel, mixes, np.array([1.0, -1.0]))
    both = [s.values([kernel.at(i)], mixes)[0][:, 0] for i, s in enumerate(sides)]
    errors = [s.errors(kernel.at(i), mixes, np.ones(1)) for i, s in enumerate(sides)]
    return both[0] - both[1], np.hypot(*errors)


def _leader(systems: tuple[str, ...], gap: Floats) -> str | None:
    """The system that is ahead wherever they differ; ``None`` if they never do."""
    known = gap[np.abs(gap) > EQUAL]
    return None if not len(known) else systems[0 if known[0] > 0 else 1]


def _shares(at: Iterable[float]) -> Floats:
    shares = np.asarray(sorted(at), np.float64)
    if not len(shares) or not np.all((shares >= 0) & (shares <= 1)):
        raise InputError("shares of a sweep must be numbers from 0 to 1")
    return shares

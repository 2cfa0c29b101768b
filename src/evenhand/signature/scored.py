"""Scored: the signatures of every metric on every table of a scoring, in one go."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from evenhand.catalogue.binding import Table
from evenhand.catalogue.naming import AnyMetric
from evenhand.catalogue.spelling import Spec
from evenhand.notes.method import Method
from evenhand.signature.build import averages, described, signatures_of, signed
from evenhand.signature.fields import IntervalField
from evenhand.signature.line import Signature
from evenhand.tables.confusion import Classes


def signed_scores(
    table: Table,
    metrics: Iterable[tuple[str, AnyMetric, list[Method | None]]],
    asked: IntervalField | None,
    *,
    classes: Classes,
    undefined: float,
) -> tuple[list[Signature], list[list[Signature]]]:
    """The settings' signature of every table, and for each metric its own on every table.

    With each metric stands the method of its interval on each table: what ``auto`` came to.
    """
    said: dict[Method | None, str] = {None: "none"}
    interval = "none" if asked is None else str(asked)
    settings = signatures_of(table, classes=classes, undefined=undefined, interval=interval)
    found = []
    for name, metric, methods in metrics:
        averaged, fixed = [s.classes for s in settings], {"metric": name, "formula": "own-function"}
        if isinstance(metric, Spec):
            fixed = described(metric)
            if metric.metric.classes is not None:
                averaged = averages(table, classes, metric)
        for m in methods:
            if m not in said and m is not None and asked is not None:
                said[m] = str(replace(asked, method=m.name, scale=m.scale))
        rows = zip(settings, averaged, methods, strict=True)
        found.append([signed(s, fixed, classes=c, interval=said[m]) for s, c, m in rows])
    return settings, found

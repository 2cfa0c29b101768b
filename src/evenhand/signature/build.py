"""Build: the signature of a metric and its settings on a table."""

from __future__ import annotations

from math import prod
from typing import cast

import numpy as np

from evenhand.catalogue.binding import Table
from evenhand.catalogue.spelling import Spec, escaped, stated
from evenhand.signature.digest import digest, labels_hash
from evenhand.signature.line import Signature
from evenhand.tables.confusion import Classes, Confusion
from evenhand.tables.labels import positions

LISTED = 60
"""Characters up to which listed classes are written out; beyond, a hash stands for them."""


def signature_of(
    table: Table,
    spec: Spec | None = None,
    *,
    classes: Classes = "task",
    undefined: float = 0.0,
    interval: str = "none",
) -> Signature:
    """The signature of one metric on one table; without a metric, of the settings alone.

    A stack is of systems and taken as one thing: their items and predictions add up. Rows without
    truth are those of each: if they differ, from the fewest to the most.
    """
    lost = (float(np.sum(x)) for x in (table.outside, table.missing))
    averaged, n = _range(averages(table, classes)), int(np.sum(table.n))
    policies = _policies(table, undefined, interval)
    few, most = float(np.min(table.dropped)), float(np.max(table.dropped))
    settings = _settings(policies, averaged, n, digest(table), *lost, most)
    if few < most:
        settings = signed(settings, dropped=f"{few:.10g}-{settings.dropped}")
    return settings if spec is None else signed_metric(settings, spec, table, classes)


def signed_metric(settings: Signature, spec: Spec, table: Table, classes: Classes) -> Signature:
    """The signature of a metric on a table whose settings are signed; classes may be its own."""
    own = {}
    if spec.metric.classes is not None:
        own["classes"] = _range(averages(table, classes, spec))
    return signed(settings, described(spec), **own)


def signatures_of(
    table: Table, *, classes: Classes = "task", undefined: float = 0.0, interval: str = "none"
) -> list[Signature]:
    """The settings' signature of every table of a stack; of one table, a list of one."""
    if not table.shape:
        return [signature_of(table, classes=classes, undefined=undefined, interval=interval)]
    policies = _policies(table, undefined, interval)
    begun = labels_hash(table.labels)  # once: there may be many
    rows = zip(
        averages(table, classes),
        np.ravel(table.n).tolist(),
        cast(Confusion, table),
        table.outside.sum(axis=-1).tolist(),
        np.ravel(table.missing).tolist(),
        np.ravel(table.dropped).tolist(),
        strict=True,
    )
    return [
        _settings(policies, averaged, n, digest(one, begun), *lost)
        for averaged, n, one, *lost in rows
    ]


def _policies(table: Table, undefined: float, interval: str) -> dict[str, str]:
    return {
        "undefined": f"{undefined:g}",
        "prevalence": _prevalence(None),
        "weights": table.weighing,
        "interval": interval,
    }


def _settings(
    policies: dict[str, str], averaged: str, n: float, table: str, *lost: float
) -> Signature:
    """The signature of settings on a table, given by its digest and what it has lost."""
    handled = ("outside", "errors"), ("missing", "errors"), ("dropped", "left-out")
    amounts = {name: _amount(x, how) for (name, how), x in zip(handled, lost, strict=True)}
    return Signature(classes=averaged, n=str(int(n)), table=table, **amounts, **policies)


def described(spec: Spec) -> dict[str, str]:
    """What a metric puts into the signature of its settings, whatever the table."""
    return {
        "metric": spec.name,
        "formula": spec.metric.signed,
        "parameters": _parameters(spec),
        "prevalence": _prevalence(spec),
    }


def signed(settings: Signature, *parts: dict[str, str], **fields: str) -> Signature:
    """The signature of the settings with other fields; quicker than ``replace``."""
    found = dict(vars(settings))
    for part in (*parts, fields):
        found.update(part)
    return Signature(**found)


def averages(table: Table, classes: Classes, spec: Spec | None = None) -> list[str]:
    """What each table's averages run over: ``seen.3``, ``listed.2.cat,dog``."""
    if isinstance(classes, str):
        classes = (spec and spec.metric.classes) or classes
        rule, mask = table.rule(classes), table.averaged(classes)
        sizes = np.asarray(mask).sum(axis=-1).reshape(-1)
        return [f"{rule}.{size}" for size in sizes.tolist()]
    named = [table.labels[i] for i in sorted(set(positions(classes, table.labels)))]
    written = ",".join(escaped(str(v)) for v in named)
    if written.startswith("#"):  # a hash stands there for labels
        written = f"\\{written}"
    if len(written) > LISTED:
        written = f"#{labels_hash(named).hexdigest()[:12]}"
    return [f"listed.{len(named)}.{written}"] * max(1, prod(table.shape))


def _range(found: list[str]) -> str:
    """What the tables of a stack are averaged over, in one word: ``true.2-3``."""
    if len(set(found)) == 1:
        return found[0]
    rule = found[0].partition(".")[0]
    sizes = [int(f.partition(".")[2]) for f in found]
    return f"{rule}.{min(sizes)}-{max(sizes)}"


def _parameters(spec: Spec) -> str:
    values = {**spec.metric.parameters, **dict(spec.parameters)}
    said = {k: v if isinstance(v, str) else f"{v:g}" for k, v in values.items()}
    if spec.distance is not None:
        said["distance"] = f"{escaped(spec.distance.name)}#{spec.distance.digest}"
    return ",".join(f"{name}={value}" for name, value in said.items())


def _prevalence(spec: Spec | None) -> str:
    if spec is None or spec.prevalence is None:
        return "observed"
    if not spec.prevalence:
        return "uniform"
    return stated(spec.prevalence)


def _amount(value: float, handling: str) -> str:
    return f"{value:.10g}.{handling}" if value else "0"

"""Plugins: metrics of installed packages, read when a name is unknown or a list is asked for."""

from __future__ import annotations

import warnings
from dataclasses import replace
from functools import cache
from typing import Any

from evenhand.core.registry import Metric, add, find, own_metrics
from evenhand.errors import EvenhandWarning

GROUP = "evenhand.metrics"
"""The entry points of packages that bring metrics."""
FAMILY = "own"
"""The family that metrics of users are listed in."""


def plugged(name: str) -> Metric | None:
    """The metric of that name that an installed package brings, or an average of one."""
    load()
    return find(name)


def added() -> dict[str, Metric]:
    """The metrics that are not ours, by name: those of packages, and those defined by now."""
    load()
    return {m.name: m for m in own_metrics()}


@cache
def load() -> None:
    """Load every package's metrics, once; one that is broken is a warning and nothing more."""
    from importlib.metadata import entry_points

    broken: list[str] = []
    for entry in sorted(entry_points(group=GROUP), key=lambda e: (e.name, e.value)):
        brought = f"{entry.dist.name} {entry.dist.version}" if entry.dist else entry.value
        try:
            _take(entry.load(), brought)
        except (Exception, SystemExit) as e:  # a stranger's module may fail in any way
            said = str(e) if str(e) and isinstance(e, Exception) else f"{type(e).__name__}: {e}"
            reason = said.splitlines()[0]
            broken.append(f"the metric {entry.name!r} of {brought} is left out: {reason}")
    for line in broken:
        warnings.warn(line, EvenhandWarning, stacklevel=3)


def _take(function: Any, brought: str) -> None:
    record = getattr(function, "metric", None)
    if not isinstance(record, Metric) or record.name not in {m.name for m in own_metrics()}:
        came = getattr(function, "__name__", type(function).__name__)
        raise TypeError(f"it must be a function under @evenhand.metric(…), got {came}")
    function.metric = replace(record, origin=brought)
    add(function.metric)

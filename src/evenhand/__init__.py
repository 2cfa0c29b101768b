"""evenhand: even-handed evaluation of classifiers.

>>> import evenhand as eh
>>> table = eh.Confusion.from_labels(["cat", "dog", "dog"], ["cat", "dog", "cat"])
>>> eh.macro_f1(table), eh.f1_of_averages(table)
(0.6666666666666666, 0.75)

Names load when first used, so that importing the package costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from evenhand._version import __version__

if TYPE_CHECKING:
    from evenhand import properties, shift, simulate
    from evenhand.auditing.audit import audit
    from evenhand.catalogue import metrics
    from evenhand.core.counts import Counts
    from evenhand.count.accumulate import Accumulator
    from evenhand.errors import EvenhandError, EvenhandWarning, InputError, MetricError
    from evenhand.infer.compare import compare
    from evenhand.infer.comparison import Comparison
    from evenhand.multilabel import MultiLabel
    from evenhand.ranking.leaderboard import Leaderboard
    from evenhand.ranking.rank import rank
    from evenhand.sample import Sample
    from evenhand.scoring.score import score
    from evenhand.scoring.twins import twins
    from evenhand.show import plot
    from evenhand.signature import Signature
    from evenhand.table import Confusion

_HOMES = {
    "Accumulator": "count.accumulate",
    "Comparison": "infer.comparison",
    "Confusion": "table",
    "Counts": "core.counts",
    "EvenhandError": "errors",
    "EvenhandWarning": "errors",
    "InputError": "errors",
    "Leaderboard": "ranking.leaderboard",
    "MetricError": "errors",
    "MultiLabel": "multilabel",
    "Sample": "sample",
    "Signature": "signature",
    "audit": "auditing.audit",
    "compare": "infer.compare",
    "metrics": "catalogue",
    "rank": "ranking.rank",
    "score": "scoring.score",
    "twins": "scoring.twins",
}

_ROOMS = {
    "plot": "show.plot",
    "properties": "properties",
    "shift": "shift",
    "simulate": "simulate",
}
"""Modules that are public as a whole, and where they live."""

__all__ = [
    "Accumulator",
    "Comparison",
    "Confusion",
    "Counts",
    "EvenhandError",
    "EvenhandWarning",
    "InputError",
    "Leaderboard",
    "MetricError",
    "MultiLabel",
    "Sample",
    "Signature",
    "__version__",
    "audit",
    "compare",
    "metrics",
    "plot",
    "properties",
    "rank",
    "score",
    "shift",
    "simulate",
    "twins",
]


def __getattr__(name: str) -> Any:
    """A public name from its home, or a metric from the registry."""
    value: Any
    if name in _ROOMS:
        value = import_module(f"evenhand.{_ROOMS[name]}")
    elif name in _HOMES:
        value = getattr(import_module(f"evenhand.{_HOMES[name]}"), name)
    elif name.startswith("_"):
        raise AttributeError(f"module 'evenhand' has no attribute {name!r}")
    else:
        from evenhand.core.registry import find
        from evenhand.functions import metric_function

        record = find(name)
        if record is None:
            raise AttributeError(f"module 'evenhand' has no attribute {name!r}")
        value = metric_function(record)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    from evenhand.core.registry import all_metrics

    return sorted([*__all__, *(m.name for m in all_metrics())])

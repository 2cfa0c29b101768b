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
    from evenhand import papers, properties, shift, simulate
    from evenhand.auditing.audit import Audit, audit
    from evenhand.auditing.which import Which, which
    from evenhand.catalogue.lists import metrics
    from evenhand.comparing.compare import Comparison, compare
    from evenhand.comparing.pair import Pair
    from evenhand.core.counts import Counts
    from evenhand.core.registry import Metric
    from evenhand.count.accumulate import Accumulator
    from evenhand.errors import EvenhandError, EvenhandWarning, InputError, MetricError
    from evenhand.looking.looking import Look, look
    from evenhand.notes.interval import Interval
    from evenhand.ranking.leaderboard import Leaderboard, Standing, System
    from evenhand.ranking.rank import rank
    from evenhand.scoring.classes import ClassScore
    from evenhand.scoring.score import score
    from evenhand.scoring.scores import Score, Scores
    from evenhand.scoring.twins import Twins, extremal, gap_bound, twins
    from evenhand.show import plot
    from evenhand.show.report.document import Report
    from evenhand.show.report.report import report
    from evenhand.signature.line import Signature
    from evenhand.tables.confusion import Confusion
    from evenhand.tables.multilabel import MultiLabel
    from evenhand.tables.sample import Sample, SoftSample
    from evenhand.typed import *  # noqa: F403

_HOMES = {
    "Accumulator": "count.accumulate",
    "Audit": "auditing.audit",
    "ClassScore": "scoring.classes",
    "Comparison": "comparing.compare",
    "Confusion": "tables.confusion",
    "Counts": "core.counts",
    "EvenhandError": "errors",
    "EvenhandWarning": "errors",
    "InputError": "errors",
    "Interval": "notes.interval",
    "Leaderboard": "ranking.leaderboard",
    "Look": "looking.looking",
    "Metric": "core.registry",
    "MetricError": "errors",
    "MultiLabel": "tables.multilabel",
    "Pair": "comparing.pair",
    "Report": "show.report.document",
    "Sample": "tables.sample",
    "Score": "scoring.scores",
    "Scores": "scoring.scores",
    "Signature": "signature.line",
    "SoftSample": "tables.sample",
    "Standing": "ranking.leaderboard",
    "System": "ranking.leaderboard",
    "Twins": "scoring.twins",
    "Which": "auditing.which",
    "audit": "auditing.audit",
    "compare": "comparing.compare",
    "extremal": "scoring.twins",
    "gap_bound": "scoring.twins",
    "look": "looking.looking",
    "metrics": "catalogue.lists",
    "rank": "ranking.rank",
    "report": "show.report.report",
    "score": "scoring.score",
    "twins": "scoring.twins",
    "which": "auditing.which",
}

_ROOMS = {
    "papers": "papers",
    "plot": "show.plot",
    "properties": "properties",
    "shift": "shift",
    "simulate": "simulate",
}
"""Modules that are public as a whole, and where they live."""

__all__ = [
    "Accumulator",
    "Audit",
    "ClassScore",
    "Comparison",
    "Confusion",
    "Counts",
    "EvenhandError",
    "EvenhandWarning",
    "InputError",
    "Interval",
    "Leaderboard",
    "Look",
    "Metric",
    "MetricError",
    "MultiLabel",
    "Pair",
    "Report",
    "Sample",
    "Score",
    "Scores",
    "Signature",
    "SoftSample",
    "Standing",
    "System",
    "Twins",
    "Which",
    "__version__",
    "audit",
    "compare",
    "extremal",
    "gap_bound",
    "look",
    "metrics",
    "papers",
    "plot",
    "properties",
    "rank",
    "report",
    "score",
    "shift",
    "simulate",
    "twins",
    "which",
]


if not TYPE_CHECKING:  # to whom every name is known

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
            from evenhand.scoring.callables import metric_function

            record = find(name)
            if record is None:
                raise AttributeError(f"module 'evenhand' has no attribute {name!r}")
            value = metric_function(record)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    from evenhand.core.registry import all_metrics

    return sorted([*__all__, *(m.name for m in all_metrics())])

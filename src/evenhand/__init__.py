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

from evenhand._version import __version__ as __version__

if TYPE_CHECKING:
    from evenhand import papers as papers
    from evenhand import properties as properties
    from evenhand import shift as shift
    from evenhand import simulate as simulate
    from evenhand.auditing.audit import Audit as Audit
    from evenhand.auditing.audit import audit as audit
    from evenhand.auditing.documents import Audits as Audits
    from evenhand.auditing.documents import audits as audits
    from evenhand.auditing.which import Which as Which
    from evenhand.auditing.which import which as which
    from evenhand.catalogue.lists import metrics as metrics
    from evenhand.catalogue.own import metric as metric
    from evenhand.comparing.compare import Comparison as Comparison
    from evenhand.comparing.compare import compare as compare
    from evenhand.comparing.pair import Pair as Pair
    from evenhand.core.counts import Counts as Counts
    from evenhand.core.ratio import ratio as ratio
    from evenhand.core.registry import Metric as Metric
    from evenhand.count.accumulate import Accumulator as Accumulator
    from evenhand.deciding.check import Check as Check
    from evenhand.deciding.gating import Gate as Gate
    from evenhand.deciding.gating import gate as gate
    from evenhand.deciding.need import Need as Need
    from evenhand.deciding.planning import Plan as Plan
    from evenhand.deciding.planning import plan as plan
    from evenhand.errors import EvenhandError as EvenhandError
    from evenhand.errors import EvenhandWarning as EvenhandWarning
    from evenhand.errors import InputError as InputError
    from evenhand.errors import MetricError as MetricError
    from evenhand.looking.looking import Look as Look
    from evenhand.looking.looking import look as look
    from evenhand.notes.curve import Curve as Curve
    from evenhand.notes.interval import Interval as Interval
    from evenhand.ranking.leaderboard import Leaderboard as Leaderboard
    from evenhand.ranking.leaderboard import Standing as Standing
    from evenhand.ranking.leaderboard import System as System
    from evenhand.ranking.rank import rank as rank
    from evenhand.scoring.agreeing import Agreement as Agreement
    from evenhand.scoring.agreeing import agree as agree
    from evenhand.scoring.classes import ClassScore as ClassScore
    from evenhand.scoring.gaps import Gap as Gap
    from evenhand.scoring.gaps import Group as Group
    from evenhand.scoring.grouping import Groups as Groups
    from evenhand.scoring.grouping import groups as groups
    from evenhand.scoring.interpreting import Bets as Bets
    from evenhand.scoring.interpreting import Readings as Readings
    from evenhand.scoring.interpreting import readings as readings
    from evenhand.scoring.score import score as score
    from evenhand.scoring.scores import Score as Score
    from evenhand.scoring.scores import Scores as Scores
    from evenhand.scoring.thresholding import Thresholds as Thresholds
    from evenhand.scoring.thresholding import thresholds as thresholds
    from evenhand.scoring.twins import Twins as Twins
    from evenhand.scoring.twins import extremal as extremal
    from evenhand.scoring.twins import gap_bound as gap_bound
    from evenhand.scoring.twins import twins as twins
    from evenhand.show import plot as plot
    from evenhand.show.report.document import Report as Report
    from evenhand.show.report.report import report as report
    from evenhand.signature.line import Signature as Signature
    from evenhand.tables.confusion import Confusion as Confusion
    from evenhand.tables.distance import Distance as Distance
    from evenhand.tables.multilabel import MultiLabel as MultiLabel
    from evenhand.tables.sample import Sample as Sample
    from evenhand.tables.sample import SoftSample as SoftSample
    from evenhand.typed import *  # noqa: F403
    from evenhand.validating.differences import FoldDifference as FoldDifference
    from evenhand.validating.folds import CrossValidated as CrossValidated
    from evenhand.validating.folds import cross_validated as cross_validated
    from evenhand.validating.scores import FoldScore as FoldScore

_NAMES = {
    "auditing.audit": ("Audit", "audit"),
    "auditing.documents": ("Audits", "audits"),
    "auditing.which": ("Which", "which"),
    "catalogue.lists": ("metrics",),
    "catalogue.own": ("metric",),
    "comparing.compare": ("Comparison", "compare"),
    "comparing.pair": ("Pair",),
    "core.counts": ("Counts",),
    "core.ratio": ("ratio",),
    "core.registry": ("Metric",),
    "count.accumulate": ("Accumulator",),
    "deciding.check": ("Check",),
    "deciding.gating": ("Gate", "gate"),
    "deciding.need": ("Need",),
    "deciding.planning": ("Plan", "plan"),
    "errors": ("EvenhandError", "EvenhandWarning", "InputError", "MetricError"),
    "looking.looking": ("Look", "look"),
    "notes.curve": ("Curve",),
    "notes.interval": ("Interval",),
    "ranking.leaderboard": ("Leaderboard", "Standing", "System"),
    "ranking.rank": ("rank",),
    "scoring.agreeing": ("Agreement", "agree"),
    "scoring.classes": ("ClassScore",),
    "scoring.gaps": ("Gap", "Group"),
    "scoring.grouping": ("Groups", "groups"),
    "scoring.interpreting": ("Bets", "Readings", "readings"),
    "scoring.score": ("score",),
    "scoring.scores": ("Score", "Scores"),
    "scoring.thresholding": ("Thresholds", "thresholds"),
    "scoring.twins": ("Twins", "extremal", "gap_bound", "twins"),
    "show.report.document": ("Report",),
    "show.report.report": ("report",),
    "signature.line": ("Signature",),
    "tables.confusion": ("Confusion",),
    "tables.distance": ("Distance",),
    "tables.multilabel": ("MultiLabel",),
    "tables.sample": ("Sample", "SoftSample"),
    "validating.differences": ("FoldDifference",),
    "validating.folds": ("CrossValidated", "cross_validated"),
    "validating.scores": ("FoldScore",),
}
"""Public names by where they live."""

_HOMES = {name: home for home, names in _NAMES.items() for name in names}

_ROOMS = {
    "papers": "papers",
    "plot": "show.plot",
    "properties": "properties",
    "shift": "shift",
    "simulate": "simulate",
}
"""Modules that are public as a whole, and where they live."""

__all__ = sorted([*_HOMES, *_ROOMS, "__version__"])


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
            from evenhand.catalogue.names import record_of
            from evenhand.scoring.callables import metric_function

            record = record_of(name)
            if record is None:
                raise AttributeError(f"module 'evenhand' has no attribute {name!r}")
            value = metric_function(record)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    from evenhand.core.registry import all_metrics

    return sorted([*__all__, *(m.name for m in all_metrics())])

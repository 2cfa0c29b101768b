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
    from evenhand.auditing.audit import Audits as Audits
    from evenhand.auditing.audit import Which as Which
    from evenhand.auditing.audit import which as which
    from evenhand.catalogue.lists import metrics as metrics
    from evenhand.catalogue.names import metric as metric
    from evenhand.catalogue.signature import Signature as Signature
    from evenhand.comparing.compare import Comparison as Comparison
    from evenhand.comparing.tests import Pair as Pair
    from evenhand.core.margins import Counts as Counts
    from evenhand.core.ratio import ratio as ratio
    from evenhand.core.registry import Metric as Metric
    from evenhand.data.arguments import Accumulator as Accumulator
    from evenhand.data.confusion import Confusion as Confusion
    from evenhand.data.distances import Distance as Distance
    from evenhand.data.multilabel import MultiLabel as MultiLabel
    from evenhand.data.sample import Sample as Sample
    from evenhand.data.sample import SoftSample as SoftSample
    from evenhand.deciding.gate import Check as Check
    from evenhand.deciding.gate import Gate as Gate
    from evenhand.deciding.plan import LabelNeed as LabelNeed
    from evenhand.deciding.plan import LabelPlan as LabelPlan
    from evenhand.deciding.plan import LabelStratum as LabelStratum
    from evenhand.deciding.plan import Need as Need
    from evenhand.deciding.plan import Plan as Plan
    from evenhand.errors import EvenhandError as EvenhandError
    from evenhand.errors import EvenhandWarning as EvenhandWarning
    from evenhand.errors import InputError as InputError
    from evenhand.errors import MetricError as MetricError
    from evenhand.looking import Look as Look
    from evenhand.ranking.leaderboard import Leaderboard as Leaderboard
    from evenhand.ranking.leaderboard import Standing as Standing
    from evenhand.ranking.leaderboard import System as System
    from evenhand.records import Curve as Curve
    from evenhand.records import Interval as Interval
    from evenhand.reporting import plot as plot
    from evenhand.reporting.report import Report as Report
    from evenhand.scoring.agreement import Agreement as Agreement
    from evenhand.scoring.groups import Gap as Gap
    from evenhand.scoring.groups import Group as Group
    from evenhand.scoring.groups import Groups as Groups
    from evenhand.scoring.macro_f1_gap import Twins as Twins
    from evenhand.scoring.macro_f1_gap import extremal as extremal
    from evenhand.scoring.macro_f1_gap import gap_bound as gap_bound
    from evenhand.scoring.score import expected as expected
    from evenhand.scoring.scores import ClassScore as ClassScore
    from evenhand.scoring.scores import Score as Score
    from evenhand.scoring.scores import Scores as Scores
    from evenhand.scoring.thresholds import Thresholds as Thresholds
    from evenhand.typed import *  # noqa: F403
    from evenhand.validating import CrossValidated as CrossValidated
    from evenhand.validating import FoldDifference as FoldDifference
    from evenhand.validating import FoldScore as FoldScore

_NAMES = {
    "auditing.audit": ("Audit", "Audits", "Which", "audit", "audits", "which"),
    "catalogue.lists": ("metrics",),
    "catalogue.names": ("metric",),
    "catalogue.signature": ("Signature",),
    "comparing.compare": ("Comparison", "compare"),
    "comparing.tests": ("Pair",),
    "core.margins": ("Counts",),
    "core.ratio": ("ratio",),
    "core.registry": ("Metric",),
    "data.arguments": ("Accumulator",),
    "data.confusion": ("Confusion",),
    "data.distances": ("Distance",),
    "data.multilabel": ("MultiLabel",),
    "data.sample": ("Sample", "SoftSample"),
    "deciding.gate": ("Check", "Gate", "gate"),
    "deciding.plan": ("LabelNeed", "LabelPlan", "LabelStratum", "Need", "Plan", "plan"),
    "errors": ("EvenhandError", "EvenhandWarning", "InputError", "MetricError"),
    "looking": ("Look", "Looks", "look"),
    "ranking.leaderboard": ("Leaderboard", "Standing", "System"),
    "ranking.rank": ("rank",),
    "records": ("Curve", "Interval"),
    "reporting.report": ("Report", "report"),
    "scoring.agreement": ("Agreement", "agree"),
    "scoring.groups": ("Gap", "Group", "Groups", "groups"),
    "scoring.macro_f1_gap": ("Twins", "extremal", "gap_bound", "twins"),
    "scoring.score": ("expected", "score"),
    "scoring.scores": ("ClassScore", "Score", "Scores"),
    "scoring.thresholds": ("Thresholds", "thresholds"),
    "validating": ("CrossValidated", "FoldDifference", "FoldScore", "cross_validated"),
}
"""Public names by where they live."""

_HOMES = {name: home for home, names in _NAMES.items() for name in names}

_ROOMS = {
    "papers": "papers",
    "plot": "reporting.plot",
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
            from evenhand.scoring.metric_functions import metric_function

            record = record_of(name)
            if record is None:
                raise AttributeError(f"module 'evenhand' has no attribute {name!r}")
            value = metric_function(record)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    from evenhand.core.registry import all_metrics

    return sorted([*__all__, *(m.name for m in all_metrics())])

"""Reported: a score of a system as a leaderboard elsewhere takes it, whatever result holds it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from evenhand.catalogue.naming import AnyMetric, as_spec
from evenhand.catalogue.spelling import Spec
from evenhand.errors import MetricError
from evenhand.notes.interval import Interval
from evenhand.signature.build import described, signed
from evenhand.signature.line import Signature

ALONE = "system"
"""What one system is called that has no name."""


@dataclass(frozen=True, eq=False)
class Reported:
    """One metric of one system: how sure it is, on how many items, and which score it was.

    ``key`` is the slice, ``said`` what else a reader must know of it.
    """

    metric: str
    sure: Interval
    n: int
    signature: Signature
    level: float | None = None
    system: str = ALONE
    key: Any = None
    said: str = ""

    @property
    def spec(self) -> Spec | None:
        """The metric's spelling; none of a user's own function."""
        return spec_of(self.metric)


def spec_of(metric: AnyMetric) -> Spec | None:
    """A metric as it is spelled, if it has a record."""
    try:
        spec = as_spec(metric)
    except MetricError:
        return None
    return spec if isinstance(spec, Spec) else None


def of_metric(settings: Signature, metric: str) -> Signature:
    """The signature of one metric where a result has that of its settings."""
    spec = spec_of(metric)
    if spec is None:
        return signed(settings, {"metric": metric, "formula": "own-function"})
    return signed(settings, described(spec))

"""Guide: which metric has the properties that somebody needs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from evenhand.catalogue.lists import default_metrics, shown_in
from evenhand.catalogue.recommended import advice_on
from evenhand.catalogue.spelling import Spec
from evenhand.catalogue.titles import title
from evenhand.core.promises import NAMES, Properties
from evenhand.core.registry import Metric

MOST = 3
"""How many metrics are named."""
Cost: TypeAlias = Literal["same", "misses", "alarms", "recall"]
COSTS = {
    "same": "misses and false alarms weigh the same",
    "misses": "a miss weighs more than a false alarm",
    "alarms": "a false alarm weighs more than a miss",
    "recall": "it asks how much of each class is found, and nothing else",
}
BETA = {"misses": 2, "alarms": 0.5}
WEIGHING = ("macro_fbeta", "fbeta_of_averages")
"""Metrics that know what errors cost."""
BOTH = (
    "each error is a miss of one class and a false alarm of another, so that over all items they "
    "cannot cost differently"
)


@dataclass(frozen=True)
class Needed:
    """What must hold of a metric: every class alike or every item, whatever the class mix, what
    errors cost, guessing worth the same everywhere.
    """

    classes: bool = True
    mix: bool = True
    cost: Cost = "same"
    chance: bool = False

    def reasons(self, metric: Metric, p: Properties, calibrated: bool) -> list[str] | None:
        """Why a metric serves; none if it lacks something."""
        alike = p.class_sensitivity and metric.alike
        if self.classes != alike:
            return None
        said = [
            "every class weighs the same" if alike else "a class weighs as much as it has items"
        ]
        if self.mix:
            how = "calibrated to an even mix, it" if calibrated else "it"
            said.append(f"{how} stays when classes become more or less frequent")
        if not alike:
            said += [] if self.cost == "same" else [BOTH]
        elif _weighs(metric) != ("beta" if self.cost in BETA else self.cost):
            return None
        else:
            said.append(COSTS[self.cost])
        if self.chance:
            if not p.chance_correction:
                return None
            said.append("guessing scores the same on every test set")
        return said


def _weighs(metric: Metric) -> str | None:
    """Which errors cost more to a mean over classes."""
    if "beta" in metric.parameters:
        return "beta"
    if metric.name.endswith("recall"):
        return "recall"
    return "same" if "f1" in metric.name else None


def advice(needed: Needed) -> list[dict[str, Any]]:
    """Metrics that serve, the plainest first, each with its reasons and what it promises."""
    found: list[dict[str, Any]] = []
    for spec in _asked(needed):
        options: dict[str, Any] = dict(spec.parameters)
        plain = spec.metric.promised(**options)
        if plain is None:
            continue
        calibrate = needed.mix and not plain.prevalence_invariance
        promised = spec.metric.promised(calibrate=calibrate, **options) or plain
        why = needed.reasons(spec.metric, promised, calibrate)
        if why is not None:
            name = f"{spec}@uniform" if calibrate else str(spec)
            found.append({
                "metric": name,
                "title": title(name),
                "why": _sentence(why),
                "properties": {p: getattr(promised, p) or False for p in NAMES},
                "recommended": [str(a) for a in advice_on([name])],
            })  # fmt: skip
    plainest = sorted(found, key=lambda one: "@" in one["metric"])
    return plainest[:MOST]


def _asked(needed: Needed) -> list[Spec]:
    """The metrics to choose from: those that people are shown first, and means of recall; or those
    that weigh the kinds of errors as they cost."""
    beta = BETA.get(needed.cost) if needed.classes else None
    if beta is not None:
        return [Spec.parse(f"{name}:beta={beta:g}") for name in WEIGHING]
    first = [name for name in shown_in("score") if name != "micro_f1"]  # that is accuracy here
    known = [spec for spec in default_metrics() if spec.metric.better == "higher"]
    return [s for s in known if s.metric.name in first or s.metric.name.endswith("macro_recall")]


def _sentence(parts: list[str]) -> str:
    text = "; ".join(parts)
    return f"{text[:1].upper()}{text[1:]}."

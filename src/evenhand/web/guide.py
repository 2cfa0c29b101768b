"""Guide: which metric has the properties that somebody needs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from evenhand.catalogue.lists import default_metrics
from evenhand.catalogue.spelling import Spec
from evenhand.core.promises import Properties
from evenhand.core.registry import Metric

ADVICE = 3
"""How many metrics are named."""
AUTHORS = {
    "macro_f1": (
        "Opitz & Burst 2019 recommend this macro F1, the mean of F1: say that it is this one."
    ),
    "macro_recall": (
        "Opitz 2022 recommends it with accuracy beside it, and the recall of every class shown."
    ),
}


@dataclass(frozen=True)
class Needed:
    """What must hold of a metric."""

    classes: bool = True
    mix: bool = True
    errors: bool = True
    chance: bool = True

    def reasons(self, metric: Metric, p: Properties, calibrated: bool) -> list[str] | None:
        """Why a metric serves; none if it lacks something."""
        said = []
        if self.classes != (p.class_sensitivity and metric.alike):
            return None
        said.append("every class weighs the same" if self.classes else "every item weighs the same")
        if self.mix:
            if not p.prevalence_invariance and not calibrated:
                return None
            how = "calibrated to an even mix, it" if calibrated else "it"
            said.append(f"{how} stays when classes become more or less frequent")
        if self.errors and metric.name.endswith("recall"):
            return None
        if self.chance:
            if not p.chance_correction:
                return None
            said.append("guessing scores the same on every test set")
        return said


def advice(needed: Needed) -> list[dict[str, Any]]:
    """Metrics that serve, the plainest first, each with its reasons."""
    found: list[dict[str, Any]] = []
    for calibrated in (False, True):
        for spec in default_metrics():
            name = f"{spec.metric.name}@uniform" if calibrated else spec.metric.name
            promised = Spec.parse(name).metric.promised(calibrate=calibrated)
            if promised is None or spec.metric.better != "higher":
                continue
            why = needed.reasons(spec.metric, promised, calibrated)
            if why is not None:
                said = f"{_sentence(why)} {AUTHORS.get(spec.metric.name, '')}".strip()
                found.append({"metric": name, "why": said})
    return found[:ADVICE]


def _sentence(parts: list[str]) -> str:
    text = "; ".join(parts)
    return f"{text[:1].upper()}{text[1:]}."

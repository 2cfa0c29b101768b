"""``--like SIGNATURE``: the settings of another score, repeated."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import click

from evenhand.errors import InputError
from evenhand.infer.interval import METHODS
from evenhand.settings import ClassesText, IntervalText
from evenhand.signature import OF_THE_SYSTEM, Signature, difference_text

SCALES = ("logit", "fisher", "range")
"""Scales of a delta interval that a signature may name."""


@dataclass(frozen=True)
class Repeated:
    """What a signature asks for; ``None`` where it says nothing."""

    signature: Signature
    metrics: tuple[str, ...]
    classes: Any
    undefined: str | None
    interval: dict[str, Any]


def repeated(text: str, context: click.Context) -> Repeated:
    """The settings that a signature names; an option that says the same thing is one too many."""
    signature = Signature.parse(text)
    classes = ClassesText.parse(signature.classes) if signature.classes else None
    said = {
        "metrics": signature.metric,
        "average": signature.classes,
        "classes": signature.classes,
        "exclude": signature.classes,
        "undefined": signature.undefined,
        **dict.fromkeys(("interval", "level", "replicates", "seed"), signature.interval),
    }
    for name, value in said.items():
        if value and context.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE:
            option = "metric" if name == "metrics" else name
            raise click.UsageError(f"--like says what --{option} says: leave one out.")
    rule: Any = None
    if classes is not None:
        rules = {"true": "true", "seen": "seen", "given": "task", "listed": classes.labels}
        if classes.rule not in rules:
            raise InputError(
                f"classes of a signature are true, seen, given or listed, got {signature.classes!r}"
            )
        rule = rules[classes.rule]
    return Repeated(
        signature,
        (signature.metric,) if signature.metric else (),
        rule,
        signature.undefined or None,
        _interval(signature.interval),
    )


def _interval(text: str) -> dict[str, Any]:
    """The options of ``score`` that make such an interval; none where it says nothing."""
    if text == "none":
        return {"interval": None}
    found = IntervalText.parse(text)
    if found is None:
        return {}
    method, _, transform = found.method.partition("-")
    if method not in METHODS or transform not in ("", *SCALES):
        return {}
    options = {
        "interval": method,
        "level": float(found.level) / 100,
        "transform": transform or None,
        "stratify": found.stratified,
    }
    drawn = {"replicates": found.replicates, "seed": found.seed}
    return {**options, **{name: value for name, value in drawn.items() if value is not None}}


def unrepeated(wanted: Repeated, scores: Any) -> list[str]:
    """What the new score does not share with the signature, in words."""
    made = scores.signature
    if wanted.metrics:
        made = next(iter(scores.metrics.values())).signature
    given = {name for name, value in wanted.signature.items() if value}
    unlike = {
        name: both for name, both in wanted.signature.differences(made).items() if name in given
    }
    settings = {k: v for k, v in unlike.items() if k not in OF_THE_SYSTEM and k != "n"}
    notes = []
    if settings:
        notes.append(f"not repeated from --like (wanted, got): {difference_text(settings)}")
    if wanted.classes is None and wanted.signature.classes:
        notes.append("--like names its classes by a hash only: give them with --classes")
    data = {k: v for k, v in unlike.items() if k not in settings}
    if data:
        notes.append(f"other data than in --like (wanted, got): {difference_text(data)}")
    return notes

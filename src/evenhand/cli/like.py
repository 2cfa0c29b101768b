"""``--like SIGNATURE``: the settings of another score, repeated."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import click

from evenhand.errors import InputError
from evenhand.infer.interval import METHODS
from evenhand.infer.transform import TRANSFORMS
from evenhand.notes.note import Note
from evenhand.notes.reading import ClassesByHash, ClustersWanted, NotRepeated, OtherData
from evenhand.settings import ClassesText, IntervalField
from evenhand.signature import OF_THE_SYSTEM, Signature

OF_INTERVAL = ("interval", "transform", "level", "replicates", "seed", "stratify")
"""Options that the interval of a signature says."""


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
        **dict.fromkeys(OF_INTERVAL, signature.interval),
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
    found = IntervalField.parse(text)
    if found is None or found.method not in METHODS:
        return {}
    method, scale = found.method, found.scale
    if scale == "cut":
        method, scale = "auto", None  # which alone cuts
    if scale not in (None, *TRANSFORMS):
        return {}
    options = {
        "interval": method,
        "level": found.level,
        "transform": scale,
        "stratify": found.stratified,
    }
    return options if found.drawn is None else {**options, **vars(found.drawn)}


def _but_for_clusters(wanted: str, made: str) -> bool:
    """Whether only the wanted interval is one by clusters, and nothing else sets two apart."""
    one, other = IntervalField.parse(wanted), IntervalField.parse(made)
    return bool(one and other and one.clusters and replace(one, clusters=False) == other)


def unrepeated(wanted: Repeated, scores: Any) -> list[Note]:
    """What the new score does not share with the signature."""
    made = scores.signature
    if wanted.metrics:
        made = next(iter(scores.metrics.values())).signature
    given = {name for name, value in wanted.signature.items() if value}
    unlike = {
        name: both for name, both in wanted.signature.differences(made).items() if name in given
    }
    notes: list[Note] = []
    if "interval" in unlike and _but_for_clusters(*unlike["interval"]):
        del unlike["interval"]
        notes.append(ClustersWanted())
    settings = [(k, *v) for k, v in unlike.items() if k not in OF_THE_SYSTEM and k != "n"]
    if settings:
        notes.append(NotRepeated(tuple(settings)))
    if wanted.classes is None and wanted.signature.classes:
        notes.append(ClassesByHash())
    data = [(k, *v) for k, v in unlike.items() if k in OF_THE_SYSTEM or k == "n"]
    if data:
        notes.append(OtherData(tuple(data)))
    return notes

"""``--like SIGNATURE``: the settings of another score, repeated."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import click

from evenhand.cli.options import said
from evenhand.cli.records import Scoring
from evenhand.errors import InputError
from evenhand.infer.settings import METHODS
from evenhand.infer.transform import TRANSFORMS
from evenhand.notes.note import Note
from evenhand.notes.reading import ClassesByHash, ClustersWanted, NotRepeated, OtherData
from evenhand.signature.fields import ClassesText, IntervalField
from evenhand.signature.line import OF_THE_SYSTEM, Signature

OPTIONS = {
    "metric": ("metrics",),
    "classes": ("average", "classes", "exclude"),
    "undefined": ("undefined",),
    "interval": ("interval", "transform", "level", "replicates", "seed", "stratify"),
}
"""The options that say what a field of a signature says."""


def repeated(signature: Signature, scoring: Scoring) -> Scoring:
    """The settings that a signature names; an option that says the same thing is one too many."""
    classes = ClassesText.parse(signature.classes) if signature.classes else None
    given = dict(signature.items())
    for field, options in OPTIONS.items():
        for name in options:
            if field in given and said(name):
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
    return replace(
        _with_interval(signature.interval, scoring),
        metrics=(signature.metric,) if signature.metric else scoring.metrics,
        rule=rule,
        undefined=signature.undefined or scoring.undefined,
    )


def _with_interval(text: str, scoring: Scoring) -> Scoring:
    """The settings that make such an interval; as they are where it says nothing."""
    if text == "none":
        return replace(scoring, interval=None)
    found = IntervalField.parse(text)
    if found is None:
        return scoring
    method, scale = found.method, found.scale
    if scale == "cut" or method in ("jackknife", "smoothed", "mover"):
        method, scale = "auto", None  # which knows where they belong
    if method not in METHODS or scale not in (None, *TRANSFORMS):
        return scoring
    drawn = found.drawn or scoring
    return replace(
        scoring,
        interval=method,
        level=found.level,
        transform=scale,
        stratify=found.stratified,
        replicates=drawn.replicates,
        seed=drawn.seed,
    )


def _but_for_clusters(wanted: str, made: str) -> bool:
    """Whether only the wanted interval is one by clusters, and nothing else sets two apart."""
    one, other = IntervalField.parse(wanted), IntervalField.parse(made)
    if one is None or other is None or not one.clusters:
        return False
    method = "jackknife" if one.method == "smoothed" else one.method  # as items alone have it
    return replace(one, clusters=False, method=method) == other


def unrepeated(wanted: Signature, scoring: Scoring, scores: Any) -> list[Note]:
    """What the new score does not share with the signature."""
    made = scores.signature
    if wanted.metric:
        made = next(iter(scores.metrics.values())).signature
    given = {name for name, value in wanted.items() if value}
    unlike = {name: both for name, both in wanted.differences(made).items() if name in given}
    notes: list[Note] = []
    if "interval" in unlike and _but_for_clusters(*unlike["interval"]):
        del unlike["interval"]
        notes.append(ClustersWanted())
    settings = [(k, *v) for k, v in unlike.items() if k not in OF_THE_SYSTEM and k != "n"]
    if settings:
        notes.append(NotRepeated(tuple(settings)))
    if scoring.rule is None and wanted.classes:
        notes.append(ClassesByHash())
    data = [(k, *v) for k, v in unlike.items() if k in OF_THE_SYSTEM or k == "n"]
    if data:
        notes.append(OtherData(tuple(data)))
    return notes

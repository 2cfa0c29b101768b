"""Property words: what the five properties mean to a metric, and which metrics lack one."""

from __future__ import annotations

from collections.abc import Iterable

from evenhand.catalogue.spelling import Spec
from evenhand.core.registry import Metric, find
from evenhand.errors import MetricError, shown

_PROPERTIES = {
    "monotonicity": (
        "a right prediction never lowers it, a wrong one never raises it",
        "a wrong prediction can raise it, or a right one lower it",
        "an error can raise it, or a hit lower it",
    ),
    "class_sensitivity": (
        "errors on different classes can weigh differently",
        "every error weighs the same, whatever its class",
        "blind to the class that an error is of",
    ),
    "class_decomposability": (
        "it is a mean over classes of a score of each class",
        "it is no mean over classes",
        "no mean over classes",
    ),
    "prevalence_invariance": (
        "it stays when a class becomes more or less frequent",
        "it changes when a class becomes more or less frequent",
        "changes when the class mix does, though no item is judged otherwise",
    ),
    "chance_correction": (
        "the best random classifier scores {}",
        "the best random classifier's score depends on the class mix",
        "what guessing scores depends on the class mix",
    ),
}
"""What each property means to a metric that has it, to one that has not, and that in few words."""

_LOWER = (
    "a right prediction never raises it, a wrong one never lowers it",
    "a wrong prediction can lower it, or a right one raise it",
    "an error can lower it, or a hit raise it",
)
"""Monotonicity of a metric whose low values are better."""


def property_called(word: str) -> str:
    """The property that a word is the beginning of, monotone and invariant as well."""
    sought = {"monotone": "monotonicity", "invariant": "prevalence_invariance"}.get(word, word)
    near = [p for p in _PROPERTIES if p.startswith(sought.replace("-", "_"))]
    if len(near) != 1:
        raise MetricError(f"a property is one of {shown(_PROPERTIES)}, got {shown([word])}")
    return near[0]


def lacking(names: Iterable[str], most: int | None = None) -> list[str]:
    """What the metrics named do not promise: for each property, those that lack it.

    ``most`` is how many are listed before "and 3 more".

    >>> lacking(["accuracy", "kappa"])[0]
    'an error can raise it, or a hit lower it: kappa'
    """
    lack: dict[str, list[str]] = {}
    for name in names:
        try:
            spec = Spec(known) if (known := find(name)) else Spec.parse(name)
        except MetricError:
            continue  # a user's own function: `evenhand properties` can tell
        found = spec.metric.promised(calibrate=spec.prevalence is not None, **spec.options)
        for missing in found.lacks() if found else ():
            words = _worded(spec.metric, missing)[2]
            lack.setdefault(words, []).append(name)
    order = [said[2] for said in (*_PROPERTIES.values(), _LOWER)]
    return [f"{words}: {_listed(lack[words], most)}" for words in order if words in lack]


def _worded(metric: Metric, name: str) -> tuple[str, str, str]:
    """What a property means to a metric, by which end of it is better."""
    lower = metric.better == "lower" and name == "monotonicity"
    return _LOWER if lower else _PROPERTIES[name]


def _listed(names: list[str], most: int | None) -> str:
    more = 0 if most is None else len(names) - most
    return ", ".join(names[:most]) + (f" and {more} more" if more > 0 else "")


def property_lines(metric: Metric) -> list[tuple[str, str]]:
    """Each of the five properties, with yes or no and what it means."""
    p = metric.properties
    if p is None:
        return []
    lines = []
    for name in _PROPERTIES:
        if_so, if_not, _ = _worded(metric, name)
        has = getattr(p, name)
        said = f"yes: {if_so.format(has)}" if has else f"no: {if_not}"
        lines.append((name.replace("_", " "), said))
    return [*lines, ("note", p.note)] if p.note else lines

"""Explain: a signature in words."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from evenhand.catalogue.lists import metrics
from evenhand.catalogue.spelling import Spec
from evenhand.errors import MetricError
from evenhand.signature.fields import ClassesText, IntervalField, whole

if TYPE_CHECKING:
    from evenhand.signature.line import Signature

_UNDEFINED = {
    "0": "0/0 counts as 0",
    "1": "0/0 counts as 1",
    "nan": "a class with 0/0 is left out of the mean",
}
_PREVALENCE = {
    "observed": "class frequencies as observed",
    "uniform": "calibrated so that all classes are equally frequent",
}
_WEIGHTS = {
    "none": "every item counts once",
    "given": "items are weighted",
    "unknown": "a table of fractions whose item weights are not known",
}
_RULES = {
    "seen": ("occur in the truth or the predictions", "occurs in the truth or the predictions"),
    "true": ("occur in the truth", "occurs in the truth"),
    "given": ("were given as those of the task", "was given as that of the task"),
}
"""What classes of a rule do, and what one does."""
_SCALES = {
    None: "",
    "logit": " on the scale of log-odds",
    "fisher": " on Fisher's scale",
    "range": " on the scale of the metric's range",
    "score": " on Wilson's scale",
    "cut": ", cut to its range",
    "runs": " with the spread of runs",
}
_METHODS = {
    "auto": "the method that suits each metric",
    "wilson": "Wilson's method",
    "smoothed": "the delta method where no class is certain",
}
_GATES = {
    "noninferior": "of non-inferiority",
    "superior": "of superiority",
    "equivalent": "of equivalence",
}
"""Tests of a gate, which are one-sided."""


def explained(signature: Signature) -> list[tuple[str, str]]:
    """Each field that is there, with what it means."""
    return [(name, meaning(name, value)) for name, value in signature.items()]


def meaning(field: str, value: str) -> str:
    """What a field means with this value."""
    return _WORDS[field](value)


def _metric(value: str) -> str:
    try:
        spec = Spec.parse(value)
    except MetricError as e:
        return f"{value} (not known here: {e})"
    return f"{spec}: {spec.metric.summary}"


def _formula(value: str) -> str:
    known = [m.formula for m in metrics().values() if m.signed == value]
    return f"{value.replace('-', ' ')}{f': {known[0]}' if known else ''}"


def _classes(value: str) -> str:
    found = ClassesText.parse(value)
    one = found.number == "1"
    many, classes = ("one", "class") if one else (found.number, "classes")
    if found.rule in _RULES:
        return f"averages run over the {many} {classes} that {_RULES[found.rule][one]}"
    if found.labels is not None:
        return f"averages run over {many} listed {classes}: {', '.join(found.labels)}"
    which = f", whose names have the hash {found.digest}" if found.digest else ""
    return f"averages run over {many} listed {classes}{which}"


def _items(value: str) -> str:
    number = f"{whole(value):,}" if value.isdigit() else value
    return f"{number} item" if number == "1" else f"{number} items"


def _amount(value: str, what: str) -> str:
    number, _, handling = value.rpartition(".") if not value.isdigit() else (value, "", "")
    handled = {"errors": ", counted as errors", "left-out": ", left out"}.get(handling, "")
    return f"no {what}" if number == "0" else f"{number or value} {what}{handled}"


def method_words(name: str, scale: str | None) -> str:
    """How intervals are made, and on which scale.

    >>> method_words("jackknife", "score"), method_words("wilson", None)
    ("jackknife on Wilson's scale", "Wilson's method")
    """
    said = _METHODS.get(name, name.replace("_", " "))
    return said + _SCALES.get(scale, f"-{scale}")


def _interval(value: str) -> str:
    if value == "none":
        return "no interval"
    found = IntervalField.parse(value)
    if found is None:
        return value
    method = method_words(found.method, found.scale)
    level = f"{f'{100 * found.level:.12f}'.rstrip('0').rstrip('.')} %"
    text = f"{level} interval by {method}"
    if found.tests and found.tests[0] in _GATES:
        text = f"one-sided test {_GATES[found.tests[0]]} at {level} by the paired difference"
    elif found.tests:
        text = f"{level} interval by paired standard errors, tests by {', '.join(found.tests)}"
    if found.stratified:
        text += ", within true classes"
    if found.clusters:
        text += ", by clusters of items"
    if found.drawn is not None:
        text += f", {found.drawn.replicates:,} replicates, seed {found.drawn.seed}"
    if found.margin is not None:
        text += f", held against a margin of {found.margin:.12g}"
    if found.ranked is None:
        return text
    drawn = f"{found.ranked.replicates:,} replicates, seed {found.ranked.seed}"
    ranks = f"chances of being best by a joint bootstrap of {drawn}"
    return f"{text}; {ranks}; ranks and ties by paired standard errors and Holm"


def _mix(value: str) -> str:
    head, _, label = value.partition(".")
    if head == "sweep" and label and "=" not in value:
        return f"the class {label} swept from rare to common, the others in proportion"
    if value.startswith("estimated-") and "=" not in value:
        return f"at class frequencies estimated from unlabelled data ({value[10:]})"
    return f"calibrated to stated class frequencies {value}"


_WORDS: dict[str, Callable[[str], str]] = {
    "metric": _metric,
    "formula": _formula,
    "parameters": lambda v: v.replace(",", ", "),
    "classes": _classes,
    "undefined": lambda v: _UNDEFINED.get(v, f"0/0 counts as {v}"),
    "prevalence": lambda v: _PREVALENCE.get(v) or _mix(v),
    "weights": lambda v: _WEIGHTS.get(v, v),
    "n": _items,
    "outside": lambda v: _amount(v, "predictions that are no class"),
    "missing": lambda v: _amount(v, "predictions that are missing altogether"),
    "dropped": lambda v: _amount(v, "rows without a true label"),
    "interval": _interval,
    "table": lambda v: f"the table and its label order have the hash {v}",
    "version": lambda v: f"made by evenhand {v}",
}

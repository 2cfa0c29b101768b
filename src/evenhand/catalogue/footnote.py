"""A signature in words."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal

from evenhand.catalogue.lists import metrics
from evenhand.catalogue.signature import IntervalField, Signature
from evenhand.catalogue.spelling import Spec, described, listed, spec_of
from evenhand.core.registry import find
from evenhand.errors import MetricError

_UNDEFINED = {
    "0": "0/0 counts as 0",
    "1": "0/0 counts as 1",
    "nan": "a class with 0/0 is left out of the mean",
}
_PREVALENCE = {
    "observed": "class frequencies as observed",
    "uniform": "calibrated to equal classes",
}
_WEIGHTS = {
    "none": "every item counts once",
    "given": "items are weighted",
    "unknown": "a table of fractions whose item weights are not known",
}
_RULES = {
    "seen": "that occur{s} in the truth or the predictions",
    "true": "that occur{s} in the truth",
    "given": "given as the task's",
}
"""Rules that choose classes."""
_SCALES = {
    None: "",
    "logit": " on the scale of log-odds",
    "fisher": " on Fisher's scale",
    "range": " on the scale of the metric's range",
    "score": " on Wilson's scale",
    "effective": " at an effective sample size",
    "log": " on the scale of logarithms",
    "log+half": " on the scale of logarithms, with half a count more in each cell",
    "cut": ", cut to its range",
    "runs": " with the spread of runs",
}
_METHODS = {
    "auto": "the method that suits each metric",
    "wilson": "Wilson's method",
    "ppi": "prediction-powered inference",
    "inverted": "the inverted error rates of the judge",
}
_GATES = {
    "noninferior": "of non-inferiority",
    "superior": "of superiority",
    "equivalent": "of equivalence",
}
"""One-sided tests of a gate."""


def explained(signature: Signature) -> list[tuple[str, str]]:
    """The fields of a signature with their meaning."""
    return [(name, _WORDS[name](value)) for name, value in signature.items()]


def _metric(value: str) -> str:
    try:
        spec = Spec.parse(value)
    except MetricError as e:
        return f"{value} (not known here: {e})"
    return f"{spec}: {described(spec.name)[1]}."


def _formula(value: str) -> str:
    known = [m.formula for m in metrics().values() if m.signed == value]
    return f"{value.replace('-', ' ')}{f': {known[0]}' if known else ''}"


def _classes(value: str) -> str:
    rule, number, which = [*value.split(".", 2), "", ""][:3]
    is_one = number == "1"
    number, classes = ("one", "class") if is_one else (number, "classes")
    if rule in _RULES:
        which = _RULES[rule].format(s="s" * is_one)
        return f"averages run over the {number} {classes} {which}"
    if rule == "positive" and which:
        return f"of the class {listed(which)[0]} against the other"
    names = f": {', '.join(listed(which))}" if which else ""
    if which.startswith("#"):
        names = f", whose names have the hash {which[1:]}"
    return f"averages run over {number} listed {classes}{names}"


def _items(value: str) -> str:
    number = f"{Decimal(value):,}" if value.isdecimal() else value
    return f"{number} item" if number == "1" else f"{number} items"


def _amount(value: str, what: str) -> str:
    number, _, handling = value.rpartition(".")
    handled = {"errors": ", counted as errors", "left-out": ", left out"}.get(handling, "")
    return f"no {what}" if value == "0" else f"{number or value} {what}{handled}"


def method_words(name: str, scale: str | None) -> str:
    """The method of intervals and its scale in words.

    >>> method_words("wilson", "effective")
    "Wilson's method at an effective sample size"
    """
    return _METHODS.get(name, name.replace("_", " ")) + _SCALES.get(scale, f"-{scale}")


def _interval(value: str) -> str:
    if value == "none":
        return "no interval"
    field = IntervalField.parse(value)
    if field is None:
        return value
    method = method_words(field.method, field.scale)
    level = f"{f'{100 * field.level:.12f}'.rstrip('0').rstrip('.')} %"
    text = f"{level} interval by {method}"
    if field.tests and field.tests[0] in _GATES:
        text = f"one-sided test {_GATES[field.tests[0]]} at {level} by the paired difference"
    elif field.tests:
        by = "Tango's method" if field.tests[0] == "mcnemar" else "paired standard errors"
        text = f"{level} interval by {by}, p by {', '.join(field.tests)}"
        if field.tests[0] == "randomisation":
            text += " or difference/error, the larger"
    if field.stratified:
        text += ", within true classes"
    if field.clusters:
        text += ", by clusters of items"
    if field.drawn is not None:
        text += f", {field.drawn.replicates:,} replicates, seed {field.drawn.seed}"
    for name, x in field.further:
        words = "tested against a margin of" if name == "margin" else name.replace("_", " ")
        text += f", {words} {x:.12g}"
    if field.ranked is None:
        return text
    drawn = f"{field.ranked.replicates:,} replicates, seed {field.ranked.seed}"
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


# Footnotes

MOST = 430
"""Approximate characters of a footnote."""
_REMARK = re.compile("[:;] ")
"""The end of the formula in a summary."""
OF_DATA = ("table", "version")
"""The fields that are printed if the whole signature is too long."""


def footnote(
    signature: Signature, *, metric: str = "", prefix: str = "", intervals: bool = True
) -> str:
    """A sentence with the metric, its formula, class rule, 0/0, interval, items and signature.

    ``metric`` is the metric if the signature is of several, ``prefix`` a text before its title.
    Without ``intervals`` their method is left out.

    >>> one = Signature(metric="macro_f1", classes="true.3", undefined="0", n="28", version="1")
    >>> print(footnote(one))
    Macro F1 (mean of F1): Mean of the per-class F1; averages run over the 3 classes that \
occur in the truth; 0/0 counts as 0; 28 items (evenhand 1, m:macro_f1|c:true.3|u:0|n:28|v:1).
    """
    signature = replace(signature, metric=signature.metric or metric)
    sure = ("interval",) if intervals else ()
    record = find(signature.metric.partition(":")[0])
    of_scores = record is not None and record.needs == "scores"
    fields = (*(() if of_scores else ("undefined",)), *_unusual(signature), *sure, "n")
    known = ((name, getattr(signature, name)) for name in fields)
    parts = [prefix + _footnote_metric(signature.metric)] if signature.metric else []
    parts += _footnote_classes(signature)
    parts += [_WORDS[name](value) for name, value in known if value]
    words, short = _shortened("; ".join(parts), MOST - 70), signature.short
    words = words if signature.metric else words[:1].upper() + words[1:]
    if len(words) + len(short) > MOST - 30:
        short = replace(Signature(version=""), **{f: getattr(signature, f) for f in OF_DATA}).short
    return f"{words} (evenhand {signature.version}, {short})."


def _footnote_classes(signature: Signature) -> list[str]:
    """The averaged classes of a metric that is an average."""
    if not signature.classes or ":label=" in signature.metric:
        return []
    spec = spec_of(signature.metric)  # a user's own may be an average
    averages = spec is None or spec.metric.averages
    return [_classes(signature.classes) if averages else "all classes count"]


def _footnote_metric(name: str) -> str:
    title, summary = described(name)
    called = _shortened(title, 120)
    formula = _REMARK.split(summary.removeprefix(f"{called}: "))[0]
    return f"{called}: {formula}" if summary else called


def _unusual(signature: Signature) -> list[str]:
    """Fields that are mentioned only if they differ from the usual value."""
    usual = {"prevalence": "observed", "weights": "none", "outside": "0", "dropped": "0"}
    return [name for name, value in usual.items() if getattr(signature, name) not in ("", value)]


def _shortened(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"

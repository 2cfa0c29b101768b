"""Metrics as people spell them, and their titles."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeAlias

from evenhand.core.registry import Metric, Parameter, find
from evenhand.data.distances import Distance
from evenhand.errors import MetricError, shown
from evenhand.text import visible

Prevalence: TypeAlias = tuple[tuple[str, float], ...]

EXPECTED = "expected_"
"""The prefix of metrics of class probabilities."""
TERMS = {"sensitivity": "Sensitivity", "ppv": "PPV", "youden": "Youden's J"}
"""Names of recall, precision and informedness that stay where people write them."""
_SPECIAL = re.compile(r"([\\:@,=]|^\s|\s\Z)")
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)


@dataclass(frozen=True)
class Spec:
    """A metric with its parameters, the class it is of, and the prevalence it is calibrated to.

    ``prevalence`` is ``None`` as observed, ``()`` for uniform, or the stated shares; ``distance``
    is the distance that the parameter of that name stands for, if it is not a word. An
    ``expected`` metric is of class probabilities and is spelled ``expected_macro_f1``. ``term`` is
    another name that it goes by, one of ``TERMS``.
    """

    metric: Metric
    parameters: tuple[tuple[str, Parameter], ...] = ()
    label: str | None = None
    prevalence: Prevalence | None = None
    distance: Distance | None = None
    expected: bool = False
    term: str = ""

    def __post_init__(self) -> None:
        if self.parameters:
            parameters = checked_parameters(self.metric, dict(self.parameters))
            object.__setattr__(self, "parameters", tuple(sorted(parameters.items())))

    @classmethod
    def parse(cls, text: str) -> Spec:
        """Read one spelling.

        >>> str(Spec.parse("averaged_f1@uniform")), Spec.parse("macro_fbeta:beta=2").parameters
        ('macro_f1@uniform', (('beta', 2.0),))
        """
        from evenhand.catalogue.names import record_of, spelling_of, unknown

        if not isinstance(text, str):
            raise MetricError(f"a metric is named by text, got {type(text).__name__}")
        head, at, target = _cut(text, "@")
        written_name, colon, options = _cut(head, ":")
        name = _plain(written_name)
        record = find(name)
        mix = f"@{target}" if at else ""
        if record is None and (spelling := spelling_of(name)) is not None:
            own, _, fixed = spelling.partition(":")
            more = ",".join(filter(None, (fixed, options)))
            spec = cls.parse(own + (f":{more}" if more else "") + mix)
            return replace(spec, term=name.lower()) if name.lower() in TERMS else spec
        if record is None and name.startswith(EXPECTED):
            plain = cls.parse(text.lstrip().removeprefix(EXPECTED))
            if plain.metric.needs == "scores":
                raise MetricError(f"{plain} is of probabilities as it is: leave out {EXPECTED}")
            return replace(plain, expected=True)
        record = record or record_of(name)
        if record is None:
            raise unknown(name)
        parameters = dict(_pairs(options, text)) if colon else {}
        variant = record.by_distance.get(parameters.get("distance", ""))
        if variant is not None:
            return cls.parse(variant + mix)
        has_label = record.of_one_class or record.needs == "scores"
        label = parameters.pop("label", None) if has_label else None
        for key in parameters:
            if key not in record.parameters:
                takes = [*record.parameters, *(["label"] if has_label else [])]
                raise MetricError(
                    f"{record.name} takes {shown(takes) if takes else 'no parameters'}, "
                    f"got {shown([key])} in {shown([text])}{_hint(options)}"
                )
        if record.of_one_class and label is None:
            raise MetricError(
                f"{record.name} is of one class: write {record.name}:label=NAME, "
                f"or macro_{record.name} for their mean, got {shown([text])}"
            )
        values = checked_parameters(record, parameters)
        changed = {k: v for k, v in values.items() if v != record.parameters[k]}
        prevalence = prevalence_of(target, text) if at else None
        return cls(record, tuple(changed.items()), label, prevalence)

    @property
    def of_probabilities(self) -> bool:
        """Whether it is of class probabilities or scores, not of the labels decided for."""
        return self.expected or self.metric.needs == "scores"

    @property
    def options(self) -> dict[str, Any]:
        """Parameters for the metric's function."""
        return dict(self.parameters)

    def __str__(self) -> str:
        return self.name

    @cached_property
    def name(self) -> str:
        """The spelling, which is its name in results."""
        options = [f"{key}={written(value)}" for key, value in self.parameters]
        if self.label is not None:
            options.append(f"label={escaped(self.label)}")
        text = EXPECTED * self.expected + (self.term or self.metric.name)
        text += ":" + ",".join(options) if options else ""
        mix = "" if self.prevalence is None else f"@{stated(self.prevalence) or 'uniform'}"
        return text + mix


def checked_parameters(metric: Metric, values: Mapping[str, Any]) -> dict[str, Parameter]:
    """The values of a metric's parameters as numbers or words, checked."""
    parameters = dict[str, Parameter]()
    for name, value in values.items():
        words, low, high = metric.choices.get(name), metric.least.get(name), metric.most.get(name)
        if words is not None:
            parameters[name] = value
            fits = value in words or (name == "distance" and bool(metric.distances))
            must_be = " or ".join(words)
        else:
            try:
                number = float(value)
            except (TypeError, ValueError, OverflowError):
                number = math.nan
            parameters[name] = number
            fits = not math.isnan(number) and (high is None or number <= high)
            fits = fits and (low is None or low <= number < math.inf)
            must_be = "a number" if low is None else f"a finite number ≥ {low:g}"
            must_be += "" if high is None else f" and ≤ {high:g}"
        if not fits:
            got = shown([value]) if isinstance(value, str) else value
            raise MetricError(f"{name} of {metric.name} must be {must_be}, got {got}")
    return parameters


def escaped(label: str) -> str:
    """A label as it is written inside a spelling."""
    return _SPECIAL.sub(r"\\\1", label)


def written(value: Parameter) -> str:
    """A word as it is, or a number with as few digits as it needs."""
    if isinstance(value, str):
        return escaped(value)
    short = f"{value:g}"
    return short if float(short) == value else repr(value)


def stated(prevalence: Prevalence) -> str:
    """Shares of classes as they are written inside a spelling."""
    return ",".join(f"{escaped(v)}={written(share)}" for v, share in prevalence)


def listed(text: str) -> list[str]:
    """The labels of ``a,b,…``, each escaped as :func:`escaped` does.

    >>> listed("a\\\\,b,c")
    ['a,b', 'c']
    """
    return [_unescaped(part) for part in _split(text, ",")]


def _cut(text: str, mark: str) -> tuple[str, bool, str]:
    """Text before and after the first unescaped ``mark``."""
    parts = _split(text, mark, limit=1)
    return (parts[0], True, parts[1]) if len(parts) == 2 else (text, False, "")


def _split(text: str, mark: str, limit: int = -1) -> list[str]:
    """Parts between unescaped ``mark``s; escapes stay for :func:`_plain`."""
    if mark not in text:
        return [text]
    parts: list[str] = []
    start = 0
    for match in re.finditer(rf"\\.|{re.escape(mark)}", text, re.DOTALL):
        if len(parts) == limit:
            break
        if match[0] == mark:
            parts.append(text[start : match.start()])
            start = match.end()
    return [*parts, text[start:]]


def _plain(text: str) -> str:
    """Text without its escapes, and without spaces around it that are not escaped."""
    inner = text.lstrip()
    end = inner.rstrip()
    is_escaped = (len(end) - len(end.rstrip("\\"))) % 2  # the space after an odd one
    return _unescaped(inner[: len(end) + is_escaped])


def _unescaped(text: str) -> str:
    return _ESCAPE.sub(r"\1", text)


def _pairs(text: str, spelling: str) -> list[tuple[str, str]]:
    """The pairs of ``NAME=VALUE,…``, a part of a spelling."""
    parts = [_cut(part, "=") for part in _split(text, ",")]
    pairs = [(_plain(key), _plain(value)) for key, _, value in parts]
    twice = [k for k, times in Counter(k for k, _ in pairs).items() if times > 1]
    if twice or not all(is_pair for _, is_pair, _ in parts):
        text = f"{shown([text])} in {shown([spelling])}{_hint(text)}"
        raise MetricError(f"expected NAME=VALUE, each name once, got {text}")
    return pairs


def _hint(text: str, mark: str = ",") -> str:
    """A hint for text that may have been split at a mark by mistake."""
    return f"; inside a label write \\{mark} for {mark}" if mark in text else ""


def prevalence_of(text: str, spelling: str) -> Prevalence:
    """A class mix from text: ``uniform``, which is ``()``, ``a=0.2,b=0.8`` or ``a=20%,b=80%``."""
    if text.strip() == "uniform":
        return ()
    if not text.strip():
        raise MetricError(f"expected uniform or CLASS=SHARE,…, got nothing in {shown([spelling])}")
    shares = []
    for label, share in _pairs(text, spelling):
        try:
            number = float(share.removesuffix("%"))
        except ValueError:
            number = math.nan
        if math.isnan(number):
            got = f"{shown([share])}{_hint(share, '=')}"
            raise MetricError(f"prevalence of {shown([label])} must be a number, got {got}")
        shares.append((label, number / 100 if share.endswith("%") else number))
    return tuple(shares)


def spec_of(name: str) -> Spec | None:
    """A metric as it is spelled; ``None`` of a user's own function."""
    record = find(name)
    try:
        return Spec.parse(name) if record is None else Spec(record)
    except MetricError:
        return None


# Titles

_WRITTEN = {
    **{word: word.upper() for word in ("f1", "mcc", "npv", "csi", "iba", "kl", "ac1", "pabak")},
    **{word: word.upper() for word in ("a", "b", "c", "p", "q", "s", "v", "y")},
    **{name: f"{name.capitalize()}'s" for name in
       ("scott", "bennett", "gwet", "krippendorff", "aickin", "bangdiwala", "pearson", "yule")},
    **{name: name.capitalize() for name in ("jaccard", "tversky", "rand", "hamming")},
    "fbeta": "Fβ",
    "gmean": "G-mean",
    "fowlkes": "Fowlkes and",
    "mallows": "Mallows",
    "cramers": "Cramér's",
}  # fmt: skip
"""Words of a metric's name that are not written in lower case."""
_PROPER = {*_WRITTEN.values(), "Cohen's", "Fowlkes", "Brier"}
"""Words that keep their capital in a sentence."""


def title(name: str) -> str:
    """The title of a metric; a user's function has its name.

    >>> title("macro_f1"), title("macro_recall@uniform"), title("f1:label=spam")
    ('Macro F1 (mean of F1)', 'Macro recall with equal classes', 'F1 of spam')
    """
    return described(name)[0]


def brief(name: str) -> str:
    """The short title of a metric, as charts, tables and sentences have it.

    >>> brief("macro_f1"), brief("f1_of_averages"), brief("macro_f1@uniform"), brief("mcc")
    ('Macro F1', 'F1 of averages', 'Macro F1 with equal classes', 'MCC')
    """
    spec = spec_of(name)
    return name if spec is None else _titled(spec, spec.metric.short_title or _title(spec.metric))


def spoken(text: str) -> str:
    """A title inside a sentence: without its capital, unless it begins with a name.

    >>> spoken("Macro recall"), spoken("Cohen's kappa"), spoken("F1 gap")
    ('macro recall', "Cohen's kappa", 'F1 gap')
    """
    is_name = text.partition(" ")[0].rstrip(",") in _PROPER or not text[1:2].islower()
    return text if is_name else text[0].lower() + text[1:]


def described(name: str) -> tuple[str, str]:
    """A metric's title and its summary.

    >>> described("mcc")
    ('MCC', 'Matthews correlation coefficient of any number of classes')
    """
    spec = spec_of(name)
    return (name, "") if spec is None else in_words(spec)


def in_words(spec: Spec) -> tuple[str, str]:
    """The title and the summary of a metric as it is spelled."""
    summary = spec.metric.summary.rstrip(".")
    if spec.expected:
        summary = f"Of class probabilities, {spoken(summary)}"
    return _titled(spec, _title(spec.metric)), summary


def _titled(spec: Spec, text: str) -> str:
    """The title ``text`` of a metric with its parameters, its class and its class mix."""
    text = TERMS.get(spec.term, text)
    if spec.parameters:
        text += f", {', '.join(f'{key} = {written(value)}' for key, value in spec.parameters)}"
    if spec.label is not None:
        text += f" of {spec.label}"
    if spec.prevalence is not None:
        mix = f"class mix {stated(spec.prevalence)}" if spec.prevalence else "equal classes"
        text += f" with {mix}"
    return f"Expected {spoken(text)}" if spec.expected else text


def _title(metric: Metric) -> str:
    if metric.title:
        return metric.title
    text = " ".join(_WRITTEN.get(word, word) for word in metric.name.split("_"))
    return text[0].upper() + text[1:]


def called(metric: str) -> str:
    """A metric inside a sentence, as people say it.

    >>> called("macro_f1"), called("accuracy"), called("mcc"), called("f1:label=spam")
    ('macro F1', 'accuracy', 'MCC', 'F1 of spam')
    """
    return spoken(visible(brief(metric)))

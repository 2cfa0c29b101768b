"""How a metric is spelled: ``macro_fbeta:beta=2``, ``f1:label=spam``, ``macro_f1@uniform``.

A name, then ``:`` and parameters, then ``@`` and the prevalence to calibrate to. It is parsed,
never evaluated. A backslash makes the next character plain text: ``f1:label=a\\@b``.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

from evenhand.core.registry import Metric, Parameter, find
from evenhand.errors import MetricError, shown
from evenhand.tables.distance import Distance

Prevalence: TypeAlias = tuple[tuple[str, float], ...]

_SPECIAL = re.compile(r"([\\:@,=]|^\s|\s\Z)")
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)


@dataclass(frozen=True)
class Spec:
    """A metric with its parameters, the class it is of, and the prevalence it is calibrated to.

    ``prevalence`` is ``None`` as observed, ``()`` for uniform, or the stated shares; ``distance``
    is what the parameter of that name stands for, where it is no word.
    """

    metric: Metric
    parameters: tuple[tuple[str, Parameter], ...] = ()
    label: str | None = None
    prevalence: Prevalence | None = None
    distance: Distance | None = None

    def __post_init__(self) -> None:
        if self.parameters:
            found = checked_parameters(self.metric, dict(self.parameters))
            object.__setattr__(self, "parameters", tuple(sorted(found.items())))

    @classmethod
    def parse(cls, text: str) -> Spec:
        """Read one spelling.

        >>> str(Spec.parse("averaged_f1@uniform")), Spec.parse("macro_fbeta:beta=2").parameters
        ('macro_f1@uniform', (('beta', 2.0),))
        """
        if not isinstance(text, str):
            raise MetricError(f"a metric is named by text, got {type(text).__name__}")
        head, at, target = _cut(text, "@")
        name, colon, options = _cut(head, ":")
        record = find(_plain(name))
        if record is None:
            from evenhand.catalogue.names import meant, unknown
            from evenhand.catalogue.plugins import plugged

            spelling = meant(_plain(name))
            if spelling is not None:
                own, _, fixed = spelling.partition(":")
                more = ",".join(filter(None, (fixed, options)))
                return cls.parse(own + (f":{more}" if more else "") + (f"@{target}" if at else ""))
            record = plugged(_plain(name))
            if record is None:
                raise unknown(_plain(name))
        label, parameters = None, dict[str, Parameter]()
        for key, value in _pairs(options, text) if colon else ():
            if key == "distance" and value in record.by_distance:
                variant = record.by_distance[value]
                return cls.parse(variant + (f"@{target}" if at else ""))
            if key == "label" and record.of_one_class:
                label = value
            elif key in record.parameters:
                parameters[key] = (
                    value if key in record.choices else _number(value, f"{key} of {record.name}")
                )
            else:
                takes = [*record.parameters, *(["label"] if record.of_one_class else [])]
                raise MetricError(
                    f"{record.name} takes {shown(takes) if takes else 'no parameters'}, "
                    f"got {shown([key])} in {shown([text])}{_hint(options)}"
                )
        if record.of_one_class and label is None:
            raise MetricError(
                f"{record.name} is of one class: write {record.name}:label=NAME, "
                f"or macro_{record.name} for their mean, got {shown([text])}"
            )
        given = checked_parameters(record, parameters)
        other = {k: v for k, v in given.items() if v != record.parameters[k]}
        prevalence = prevalence_of(target, text) if at else None
        return cls(record, tuple(other.items()), label, prevalence)

    @property
    def options(self) -> dict[str, Any]:
        """Parameters for the metric's function."""
        return dict(self.parameters)

    def __str__(self) -> str:
        return self.name

    @cached_property
    def name(self) -> str:
        """Its spelling, which results call it by."""
        options = [f"{key}={written(value)}" for key, value in self.parameters]
        if self.label is not None:
            options.append(f"label={escaped(self.label)}")
        text = self.metric.name + (":" + ",".join(options) if options else "")
        if self.prevalence is None:
            return text
        if not self.prevalence:
            return f"{text}@uniform"
        return f"{text}@" + stated(self.prevalence)


def checked_parameters(metric: Metric, given: Mapping[str, Any]) -> dict[str, Parameter]:
    """Parameters of a metric as numbers or words that it has a value for."""
    words = {name: given[name] for name in metric.choices if name in given}
    for name, value in words.items():
        if value not in metric.choices[name] and not (name == "distance" and metric.distances):
            known = " or ".join(metric.choices[name])
            raise MetricError(f"{name} of {metric.name} must be {known}, got {shown([value])}")
    found = dict[str, float]()
    for name, value in given.items():
        if name in words:
            continue
        try:
            found[name] = float(value)
        except (TypeError, ValueError, OverflowError):
            found[name] = math.nan
        least = metric.least.get(name)
        if least is not None and not found[name] >= least:
            raise MetricError(f"{name} of {metric.name} must be ≥ {least:g}, got {value}")
        most = metric.most.get(name)
        if most is not None and found[name] > most:
            raise MetricError(f"{name} of {metric.name} must be ≤ {most:g}, got {value}")
        if least is not None and math.isinf(found[name]):
            raise MetricError(f"{name} of {metric.name} must be finite, got {value}")
        if math.isnan(found[name]):
            raise MetricError(f"{name} of {metric.name} must be a number, got {value}")
    return found | words


def escaped(label: str) -> str:
    """A label as it is written inside a spelling."""
    return _SPECIAL.sub(r"\\\1", label)


def written(value: Parameter) -> str:
    """A word as it is, a number as short as it can be without becoming another number."""
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
    for found in re.finditer(rf"\\.|{re.escape(mark)}", text, re.DOTALL):
        if len(parts) == limit:
            break
        if found[0] == mark:
            parts.append(text[start : found.start()])
            start = found.end()
    return [*parts, text[start:]]


def _plain(text: str) -> str:
    """Text without its escapes, and without spaces around it that are not escaped."""
    text = text.lstrip()
    inner = text.rstrip()
    slashes = len(inner) - len(inner.rstrip("\\"))
    if slashes % 2:  # the last of them makes a space plain text
        inner = text[: len(inner) + 1]
    return _unescaped(inner)


def _unescaped(text: str) -> str:
    return _ESCAPE.sub(r"\1", text)


def _pairs(text: str, whole: str) -> list[tuple[str, str]]:
    found = []
    for part in _split(text, ","):
        key, equals, value = _cut(part, "=")
        if not equals:
            raise MetricError(
                f"expected NAME=VALUE, got {shown([part])} in {shown([whole])}{_hint(text)}"
            )
        found.append((_plain(key), _plain(value)))
    twice = sorted(k for k, times in Counter(k for k, _ in found).items() if times > 1)
    if twice:
        raise MetricError(
            f"{shown(twice)} is given more than once in {shown([whole])}{_hint(text)}"
        )
    return found


def _hint(text: str, mark: str = ",") -> str:
    """What may be amiss in text that a mark has parted."""
    return f"; inside a label write \\{mark} for {mark}" if mark in text else ""


def _number(text: str, what: str) -> float:
    try:
        value = float(text)
    except ValueError:
        hint = _hint(text, "=")
        raise MetricError(f"{what} must be a number, got {shown([text])}{hint}") from None
    if math.isnan(value):
        raise MetricError(f"{what} must be a number, got {shown([text])}")
    return value


def prevalence_of(text: str, whole: str) -> Prevalence:
    """A class mix as it is written: ``uniform``, which is ``()``, or ``a=0.2,b=0.8``."""
    if text.strip() == "uniform":
        return ()
    if not text.strip():
        raise MetricError(f"expected uniform or CLASS=SHARE,…, got nothing in {shown([whole])}")
    return tuple((k, _number(v, f"prevalence of {shown([k])}")) for k, v in _pairs(text, whole))

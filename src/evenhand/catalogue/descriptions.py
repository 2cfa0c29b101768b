"""What metrics mean, which properties they have, and what papers recommend."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from evenhand.catalogue.names import text_rows
from evenhand.catalogue.spelling import spec_of
from evenhand.core.registry import AVERAGES, Metric, find
from evenhand.errors import MetricError, shown


class Meaning(NamedTuple):
    """What a number means, when to use it and when not; empty if unknown."""

    means: str = ""
    use: str = ""
    avoid: str = ""


AVERAGED = {
    "macro": (
        "draw a class: the {name} to expect of it ({means})",
        "every class matters the same; {use}",
        "classes have a handful of items; {avoid}",
    ),
    "micro": (
        "{name} of the decisions on all averaged classes together ({means})",
        "every decision matters the same; {use}",
        "every class is averaged, where it says no more than accuracy; {avoid}",
    ),
    "weighted": (
        "draw an item: the {name} to expect of its class ({means})",
        "classes are to weigh as often as they are true; {use}",
        "test sets of different class mixes are compared; {avoid}",
    ),
}
"""The meaning of averages over classes, from that of the metric of one class."""


@cache
def meanings() -> dict[str, Meaning]:
    """The meaning of every metric of this package, from ``meanings.txt``.

    >>> meanings()["mean_cost"].means
    'what the errors cost, an item'
    """
    return {name: Meaning(*texts) for name, *texts in text_rows("meanings.txt")}


def meaning(metric: Metric) -> Meaning:
    """The meaning of a metric; that of an average follows from the metric of one class.

    >>> from evenhand.core.registry import find
    >>> meaning(find("macro_false_negative_rate")).means
    'draw a class: the false_negative_rate to expect of it (the chance that an item of the class is missed)'
    """  # noqa: E501
    own = meanings().get(metric.name)
    if own is not None or metric.own:
        return own or Meaning()
    kind, _, name = metric.name.partition("_")
    each = find(name) if kind in AVERAGES else None
    if each is None or each.own:
        return Meaning()
    of_class = meaning(each)._asdict()
    return Meaning(*(words.format(name=name, **of_class) for words in AVERAGED[kind]))


def meaning_lines(metric: Metric) -> list[tuple[str, str]]:
    """What a metric's number means, when to use it and when not, with headings."""
    return list(zip(("means", "use it where", "not where"), meaning(metric), strict=True))


# The five properties

_PROPERTIES = {
    "monotonicity": (
        "a right prediction never lowers it, a wrong one never raises it",
        "a wrong prediction can raise it, or a right one lower it",
        "a wrong prediction can raise it, or a right one lower it",
    ),
    "class_sensitivity": (
        "errors on different classes can weigh differently",
        "every error weighs the same, whatever its class",
        "every error counts the same, whatever its class",
    ),
    "class_decomposability": (
        "it is a mean over classes of a score of each class",
        "it is no mean over classes",
        "not a mean over classes",
    ),
    "prevalence_invariance": (
        "it stays when a class becomes more or less frequent",
        "it changes when a class becomes more or less frequent",
        "changes with the class mix alone",
    ),
    "chance_correction": (
        "the best random classifier scores {}",
        "the best random classifier's score depends on the class mix",
        "guessing scores otherwise at another class mix",
    ),
}
"""Sentences for a metric that has a property and for one that has not, and a short form."""

_LOWER = (
    "a right prediction never raises it, a wrong one never lowers it",
    "a wrong prediction can lower it, or a right one raise it",
    "a wrong prediction can lower it, or a right one raise it",
)
"""Monotonicity of a metric whose low values are better."""


OF_AVERAGES = ("monotonicity", "class_sensitivity", "class_decomposability")
"""Properties that nobody expects of the score of one class."""


def property_in(words: Sequence[str]) -> str | None:
    """The property that words name as Opitz (2022) does, if any.

    >>> property_in(["PIV"]), property_in(["property", "I"]), property_in(["chance", "correction"])
    ('prevalence_invariance', 'monotonicity', 'chance_correction')
    """
    text = " ".join(words)
    number = re.fullmatch(r"(?:P|[Pp]roperty )(I|II|III|IV|V)", text)
    if number:
        return list(_PROPERTIES)[("I", "II", "III", "IV", "V").index(number[1])]
    name = re.sub(r"[\s-]", "_", text.lower())
    return name if name in _PROPERTIES else None


def property_called(word: str) -> str:
    """The property of a word, which may be a prefix, monotone or invariant."""
    prefix = {"monotone": "monotonicity", "invariant": "prevalence_invariance"}.get(word, word)
    matches = [p for p in _PROPERTIES if p.startswith(prefix.replace("-", "_"))]
    if len(matches) != 1:
        raise MetricError(f"a property is one of {shown(_PROPERTIES)}, got {shown([word])}")
    return matches[0]


def lacking(
    names: Iterable[str],
    most: int | None = None,
    *,
    classes: int = 0,
    called: Mapping[str, str] = {},
) -> list[str]:
    """The metrics that lack a property, for each property that some lack.

    ``most`` is the number of names before "and 3 more"; some properties hold for two ``classes``,
    and some are of averages alone.

    >>> lacking(["accuracy", "kappa"])[0]
    'a wrong prediction can raise it, or a right one lower it: kappa'
    """
    lack: dict[str, list[str]] = {}
    for name in names:
        if (spec := spec_of(name)) is None:
            continue  # a user's own function: `evenhand properties` can tell
        metric = spec.metric
        own = metric.properties_with(calibrate=spec.prevalence is not None, **spec.options)
        expected = OF_AVERAGES if metric.of_one_class else ()
        if classes == 2 and own and own.of_two:
            expected = (*expected, "prevalence_invariance")
        for missing in own.lacks() if own else ():
            if missing not in expected:
                words = _worded(metric, missing)[2]
                lack.setdefault(words, []).append(called.get(name, name))
    order = [short for _, _, short in (*_PROPERTIES.values(), _LOWER)]
    return [f"{words}: {_listed(lack[words], most)}" for words in order if words in lack]


def _worded(metric: Metric, name: str) -> tuple[str, str, str]:
    """The sentences of a property for a metric, whose low values may be better."""
    lower = metric.better == "lower" and name == "monotonicity"
    return _LOWER if lower else _PROPERTIES[name]


def _listed(names: list[str], most: int | None) -> str:
    more = 0 if most is None else len(names) - most
    return ", ".join(names[:most]) + (f" and {more} more" if more > 0 else "")


def property_lines(metric: Metric) -> list[tuple[str, str]]:
    """Each of the five properties, with yes or no and what it means."""
    p = metric.properties
    if p is None and metric.needs in ("items", "scores"):
        return []
    if p is None:
        spelling = f"{metric.name}:label=a" if metric.of_one_class else metric.name
        return [("properties", f"not derived: evenhand properties {spelling} searches for them")]
    lines = []
    for name in _PROPERTIES:
        if_so, if_not, _ = _worded(metric, name)
        has = getattr(p, name)
        answer = f"yes: {if_so.format(has)}" if has else f"no: {if_not}"
        if name == "prevalence_invariance" and p.of_two and not has:
            answer = f"yes for two classes ({p.of_two}); for more {answer}"
        lines.append((name.replace("_", " "), answer))
    return [*lines, ("note", p.note)] if p.note else lines


# Recommendations of the papers


@dataclass(frozen=True)
class Advice:
    """A recommendation, its source, and the metrics that it is about.

    >>> str(ADVICE[1])
    "Say which of the two formulas a 'macro F1' is (Opitz & Burst 2019, section 4)."
    """

    words: str
    source: str
    about: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.words} ({self.source})."


ADVICE = tuple(
    Advice(words, source, tuple(about.split(", ")))
    for words, source, about in text_rows("advice.txt")
)
"""The recommendations, in the order of the choices that a reader makes."""


def advice_on(names: Iterable[str]) -> list[Advice]:
    """The recommendations about metrics, whatever their parameters and class mix.

    >>> [a.source for a in advice_on(["kappa@uniform", "geometric_macro_recall"])]
    ['Opitz 2022, section 5', 'Opitz 2022, section 5']
    """
    known = {name.partition("@")[0].partition(":")[0] for name in names}
    return [a for a in ADVICE if known.intersection(a.about)]

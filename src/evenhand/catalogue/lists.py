"""Lists: every metric the package knows, those of a family, a list or a search."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import get_args

from evenhand.catalogue.names import OTHERS, ambiguous, record_of, unknown
from evenhand.catalogue.plugins import FAMILY, added
from evenhand.catalogue.property_words import property_called
from evenhand.catalogue.searching import having
from evenhand.catalogue.spelling import Spec
from evenhand.core.registry import Metric, Role, Task, all_metrics, find
from evenhand.errors import MetricError, shown

_ALL = {m.name: m for m in all_metrics()}
"""Ours; users' own are asked for where lists are."""


def metrics() -> dict[str, Metric]:
    """Every metric by name, in the order of the catalogue; those of installed packages last.

    >>> metrics()["macro_f1"].signature
    'mean-of-f1'
    """
    return _ALL | added()


def default_metrics(task: Task = "single") -> list[Spec]:
    """The metrics that are scored where none is named."""
    return [Spec(m) for m in _ALL.values() if task in m.tasks and m.default]


def ranked_metrics() -> list[Spec]:
    """The metrics that systems are ordered by where none is named.

    Every one with a direction, and each calibrated to equal classes.
    """
    plain = [m for m in default_metrics() if m.metric.better != "neither"]
    return plain + [replace(m, prevalence=()) for m in plain]


def families() -> tuple[str, ...]:
    """The families of our metrics, in the order of the catalogue."""
    return tuple(dict.fromkeys(m.family for m in _ALL.values()))


def of_family(
    word: str, task: Task = "single", fits: Callable[[Metric], bool] = lambda m: True
) -> list[Spec] | None:
    """The metrics of a family, or ``all``, that data of a task have; ``None`` if it is neither.

    Of metrics of one class it is the macro average. Only what ``fits`` the data and the verb is
    kept; what only a tree or a matrix of costs makes more than accuracy is left out.

    >>> [str(m) for m in of_family("gain")], [str(m) for m in of_family("odds")][:1]
    (['bookmaker_gain'], ['macro_positive_likelihood_ratio'])
    """
    if word not in ("all", FAMILY) and word not in families():
        return None
    known = metrics() if word in ("all", FAMILY) else _ALL
    found = [m for m in known.values() if word in ("all", m.family) and task in m.tasks]
    found = [m for m in found if "ordinal" in m.distances or not m.distances]
    if word == "all":
        found.sort(key=lambda m: m.of_one_class)
    whole = {m.name: m for m in found if not m.of_one_class}
    means = (find(f"macro_{m.name}") for m in found if m.of_one_class)
    kept = whole | {m.name: m for m in means if m is not None}
    return [Spec(m) for m in kept.values() if fits(m)]


def chosen(names: Sequence[str]) -> bool:
    """Whether the metrics were asked for, and are not those that are scored unless others are.

    >>> chosen(["macro_f1"]), chosen([m.name for m in default_metrics("multi")])
    (True, False)
    """
    usual = ([m.name for m in default_metrics(task)] for task in get_args(Task))
    return [n for n in names if not by_distance(n)] not in usual


def by_distance(name: str) -> bool:
    """Whether a metric asks how far apart classes are.

    >>> by_distance("weighted_kappa:distance=quadratic"), by_distance("kappa")
    (True, False)
    """
    return bool((m := _known(name)) and m.distances)


def sums(names: Iterable[str]) -> set[str]:
    """Those of the metrics that are no shares or coefficients: they grow with the items.

    >>> sums(["macro_f1", "bookmaker_gain@uniform"])
    {'bookmaker_gain@uniform'}
    """
    return {name for name in names if (m := _known(name)) and not math.isfinite(m.high - m.low)}


def _known(name: str) -> Metric | None:
    """The metric of a spelling; of a user's own function, none."""
    if name in _ALL:
        return _ALL[name]
    try:
        return Spec.parse(name).metric
    except MetricError:
        return None


def shown_in(role: Role) -> tuple[str, ...]:
    """The metrics of a list that people are shown, in its order.

    >>> shown_in("twins")
    ('macro_f1', 'f1_of_averages')
    """
    return tuple(m.name for m in _shown(role))


def _shown(role: Role) -> list[Metric]:
    found = [m for m in _ALL.values() if role in m.shown]
    return sorted(found, key=lambda m: m.shown[role])


ONE_CLASS = tuple(_shown("classes"))
"""The metrics of which results show a value for each class."""

TWINS = tuple(map(Spec, _shown("twins")))
"""The two formulas that are called 'macro F1'."""


def lookup(name: str) -> Metric:
    """The metric called ``name``, by its name or an alias."""
    return find(name) or Spec.parse(name).metric


def search(names: Sequence[str]) -> list[Metric]:
    """The metrics named; names that are none are words to look for in what is said of metrics.

    >>> [m.name for m in search(["mcc", "class", "bags"])]
    ['mcc', 'macro_recall']
    """
    for name in filter(ambiguous, names):
        raise unknown(name)
    named = {name: m for name in names if (m := record_of(name))}
    words = [name for name in names if name not in named]
    known = metrics()
    texts = {m.name: _text(m) for m in known.values()}
    found = having(words, texts, whole=True) if words else []
    if words and not found:
        return [*named.values(), *map(lookup, words)]
    return list({m.name: m for m in (*named.values(), *(known[name] for name in found))}.values())


def picked(
    names: Sequence[str] = (),
    words: Sequence[str] = (),
    *,
    family: str | None = None,
    per_class: bool = False,
    having_property: str | None = None,
) -> list[Metric]:
    """The metrics of the catalogue that are named, if any are, and that all else holds of.

    >>> [m.name for m in picked(family="micro", having_property="monotone")][:2]
    ['accuracy', 'micro_precision']
    """
    found = search(names) if names else list(metrics().values())
    if words:
        told = {m.name: f"{m.name}; {_text(m)}; {OTHERS.get(m.name, '')}" for m in found}
        there = having(words, told)
        found = [m for m in found if m.name in there]
    if family is not None:
        listed = (*families(), FAMILY)
        if family not in listed:
            raise MetricError(f"a family is one of {shown(listed, 20)}, got {shown([family])}")
        found = [m for m in found if m.family == family]
    if per_class:
        found = [m for m in found if m.of_one_class]
    if having_property is not None:
        name = property_called(having_property)
        found = [m for m in found if m.properties is not None and getattr(m.properties, name)]
    return found


def _text(m: Metric) -> str:
    return "; ".join((m.symbol, *m.words, m.summary, m.formula, m.reference))

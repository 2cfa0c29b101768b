"""Lists of metrics, their names, and the distances they take."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from functools import partial
from itertools import count
from typing import Any, TypeAlias, cast, get_args

from evenhand.catalogue.descriptions import property_called
from evenhand.catalogue.names import (
    FAMILY,
    added,
    ambiguous,
    having,
    names_elsewhere,
    record_of,
    spelling_of,
    unknown,
)
from evenhand.catalogue.spelling import EXPECTED, Spec, escaped, spec_of
from evenhand.core.arrays import Array
from evenhand.core.contingency import distances
from evenhand.core.margins import Counts
from evenhand.core.registry import FAMILIES, Metric, Task, all_metrics, find, score_metrics
from evenhand.data.distances import Distance, as_distance
from evenhand.data.labels import Label
from evenhand.errors import InputError, MetricError, Option, quoted, shown
from evenhand.warnings import Alphabetical

_OWN = {m.name: m for m in all_metrics()}
"""The metrics of this package by name."""
_OF_SCORES = {m.name: m for m in score_metrics()}
"""Those of probabilities and other scores of items."""


def metrics() -> dict[str, Metric]:
    """Every metric by name, in the order of the catalogue; those of installed packages last.

    >>> metrics()["macro_f1"].signature, metrics()["roc_auc"].needs
    ('mean-of-f1', 'scores')
    """
    return _OWN | _OF_SCORES | added()


def table_metrics() -> dict[str, Metric]:
    """The metrics of tables and label sets, without those of probabilities and scores."""
    return {name: m for name, m in metrics().items() if m.needs != "scores"}


def default_metrics(task: Task = "single") -> list[Spec]:
    """The metrics that are scored if none is named."""
    return [Spec(m) for m in _OWN.values() if task in m.tasks and m.default]


def default_score_metrics(only_scores: bool = False) -> list[Spec]:
    """The metrics of probabilities that are scored beside those of labels if none is named.

    Of scores that are no probabilities, those of their order.
    """
    defaults = (m for m in _OF_SCORES.values() if m.default)
    return [Spec(m) for m in defaults if m.of_order or not only_scores]


def ranked_metrics() -> list[Spec]:
    """The metrics that systems are ranked by if none is named.

    These are the default ones with a direction, and each calibrated to equal classes.
    """
    plain = [m for m in default_metrics() if m.metric.better != "neither"]
    return plain + [replace(m, prevalence=()) for m in plain]


def compared_metrics() -> list[Spec]:
    """The metrics that systems are compared on if none is named, the usual ones first.

    These are the default ones with a direction and a finite range.
    """
    usual = [m for m in default_metrics() if m.metric.better != "neither" and not sums([m.name])]
    places = {name: i for i, name in enumerate(HEADLINES)}
    return sorted(usual, key=lambda m: places.get(m.name, len(places)))


def of_family(
    word: str, task: Task = "single", fits: Callable[[Metric], bool] = lambda m: True
) -> list[Spec] | None:
    """The metrics of a family, or of ``all``, for a task; ``None`` if there is no such family.

    Metrics of one class stand for their macro average. Metrics that do not ``fits`` the data, or
    that need a tree or a matrix of costs, are left out.

    >>> [str(m) for m in of_family("gain")], [str(m) for m in of_family("odds")][:1]
    (['bookmaker_gain'], ['macro_positive_likelihood_ratio'])
    """
    if word not in ("all", FAMILY, *FAMILIES):
        return None
    known = table_metrics() if word in ("all", FAMILY) else _OWN
    members = [m for m in known.values() if word in ("all", m.family) and task in m.tasks]
    members = [m for m in members if "ordinal" in m.distances or not m.distances]
    overall = {m.name: m for m in members if not m.of_one_class}
    means = (find(f"macro_{m.name}") for m in members if m.of_one_class)
    unique = overall | {m.name: m for m in means if m is not None}
    return [Spec(m) for m in unique.values() if fits(m)]


def chosen(names: Sequence[str]) -> bool:
    """Whether the metrics are not the default ones.

    >>> chosen(["macro_f1"]), chosen([m.name for m in default_metrics("multi")])
    (True, False)
    """
    defaults = [[m.name for m in default_metrics(task)] for task in get_args(Task)]
    of_scores = {m.name for m in default_score_metrics()}
    plain = [n.removeprefix(EXPECTED) for n in names if not by_distance(n) and n not in of_scores]
    return plain not in defaults


def by_distance(name: str) -> bool:
    """Whether a metric, as results name it, depends on distances between classes.

    >>> by_distance("weighted_kappa:distance=quadratic"), by_distance("kappa")
    (True, False)
    """
    record = _OWN.get(re.split("[:@]", name.removeprefix(EXPECTED))[0])
    return record is not None and bool(record.distances)


def sums(names: Iterable[str]) -> set[str]:
    """Those of the metrics of tables that have no finite range, as they grow with the items.

    >>> sums(["macro_f1", "bookmaker_gain@uniform"])
    {'bookmaker_gain@uniform'}
    """
    records = {name: _OWN.get(name) or getattr(spec_of(name), "metric", None) for name in names}
    of_tables = ((name, m) for name, m in records.items() if m is not None and m.needs != "scores")
    return {name for name, m in of_tables if not m.bounded}


def by_growth(groups: list[list[str]]) -> tuple[list[list[str]], list[list[str]]]:
    """Groups of equal metrics: shares and coefficients, and :func:`sums` over the items."""
    grown = sums(group[0] for group in groups)
    return [g for g in groups if g[0] not in grown], [g for g in groups if g[0] in grown]


ONE_CLASS = tuple(_OWN[name] for name in ("precision", "recall", "f1"))
"""The metrics that results show for each class."""

TWINS = tuple(Spec(_OWN[name]) for name in ("macro_f1", "f1_of_averages"))
"""The two formulas that are called 'macro F1'."""

HEADLINES = (
    "macro_f1", "f1_of_averages", "macro_precision", "macro_recall", "accuracy", "micro_f1",
    "weighted_f1", "kappa", "mcc", "samples_f1", "subset_accuracy",
)  # fmt: skip
"""The metrics of one system that people are shown unless they ask for others."""

SCORE_HEADLINES = ("roc_auc", "average_precision", "brier", "log_loss")
"""Those of probabilities."""

LEAD = ("macro_f1", "f1_of_averages", "accuracy", "kappa", "mcc")
"""The metrics of groups and of the head of a report."""

RANKED = (
    "macro_f1", "f1_of_averages", "weighted_f1", "accuracy", "macro_precision", "macro_recall",
    "kappa", "mcc",
)  # fmt: skip
"""The metrics that several systems are shown with unless people ask for others."""


POSITIVE = {
    "sensitivity": "sensitivity",
    "specificity": "specificity",
    "PPV": "ppv",
    "NPV": "npv",
    "positive likelihood ratio (LR+)": "positive_likelihood_ratio",
    "negative likelihood ratio (LR−)": "negative_likelihood_ratio",
    "diagnostic odds ratio": "diagnostic_odds_ratio",
    "Youden's J": "youden",
    "F1": "f1",
}
"""What people call the metrics of the positive class of two, and how these are spelled."""


def of_positive(label: Label) -> dict[str, Spec]:
    """The metrics of a positive class, under the names that two-class tasks have for them.

    >>> [str(spec) for spec in of_positive("spam").values()][:3]
    ['sensitivity:label=spam', 'specificity:label=spam', 'ppv:label=spam']
    """
    return {term: as_spec(of_class(name, label)) for term, name in POSITIVE.items()}  # type: ignore[misc]


def terms(names: Iterable[str]) -> dict[str, str]:
    """What people call metrics of a positive class, if all are of one, by spelling.

    >>> terms(["ppv:label=spam", "npv:label=spam"]), terms(["ppv:label=spam", "mcc"])
    ({'ppv:label=spam': 'PPV', 'npv:label=spam': 'NPV'}, {})
    """
    names = list(names)
    labels = {label for name in names for _, mark, label in [name.partition(":label=")] if mark}
    called = {f"{name}:label={v}": term for v in labels for term, name in POSITIVE.items()}
    known = len(labels) == 1 and called.keys() >= set(names)
    return {name: called[name] for name in names} if known else {}


def of_class(metric: AnyMetric, label: Label | None) -> AnyMetric:
    """A metric of one class that names none, of the class given; others as they are.

    >>> of_class("fbeta:beta=2@uniform", "spam"), of_class("macro_f1", "spam")
    ('fbeta:beta=2,label=spam@uniform', 'macro_f1')
    """
    if label is None or not isinstance(metric, str):
        return metric
    head, at, mix = metric.partition("@")
    labelled = f"{head}{',' if ':' in head else ':'}label={escaped(str(label))}{at}{mix}"
    spec = spec_of(metric)
    names_none = spec is None or (spec.metric.of_one_class and spec.label is None)
    return labelled if names_none and spec_of(labelled) is not None else metric


def lookup(name: str) -> Metric:
    """The metric called ``name``, by its name or an alias."""
    return find(name) or Spec.parse(name).metric


def search(names: Sequence[str]) -> list[Metric]:
    """The metrics of some names; other names are words to search descriptions for.

    >>> [m.name for m in search(["mcc", "class", "bags"])]
    ['mcc', 'macro_recall']
    """
    for name in filter(ambiguous, names):
        raise unknown(name)
    if len(names) > 1 and (phrase := record_of(" ".join(names))):
        return [phrase]
    named = {name: m for name in names if (m := record_of(name) or _calibrated(name))}
    words = [name for name in names if name not in named]
    known = metrics()
    texts = {m.name: _text(m) for m in known.values()}
    matches = having(words, texts, whole_words=True) if words else []
    if words and not matches:
        return [*named.values(), *map(lookup, words)]
    unique = {m.name: m for m in (*named.values(), *(known[name] for name in matches))}
    return list(unique.values())


def _calibrated(name: str) -> Metric | None:
    """The metric of a name that means it after calibration, such as Kappa_c."""
    metric, calibrated, _ = (spelling_of(name) or "").partition("@")
    return record_of(metric) if calibrated else None


def filtered_metrics(
    names: Sequence[str] = (),
    words: Sequence[str] = (),
    *,
    family: str | None = None,
    per_class: bool = False,
    having_property: str | None = None,
) -> list[Metric]:
    """The metrics of the catalogue that fit names, words and all other conditions.

    >>> [m.name for m in filtered_metrics(family="micro", having_property="monotone")][:2]
    ['accuracy', 'micro_precision']
    """
    records = search(names) if names else list(metrics().values())
    if words:
        texts = {
            m.name: f"{m.name}; {_text(m)}; {names_elsewhere().get(m.name, '')}" for m in records
        }
        matches = having(words, texts)
        records = [m for m in records if m.name in matches]
    if family is not None:
        known = dict.fromkeys((*(m.family for m in metrics().values()), FAMILY))
        if family not in known:
            raise MetricError(f"a family is one of {shown(known, 20)}, got {shown([family])}")
        records = [m for m in records if m.family == family]
    if per_class:
        records = [m for m in records if m.of_one_class]
    if having_property is not None:
        name = property_called(having_property)
        records = [m for m in records if m.properties is not None and getattr(m.properties, name)]
    return records


def _text(m: Metric) -> str:
    return "; ".join((m.symbol, *m.words, m.summary, m.formula, m.reference))


# Distances between classes

DISTANCE = "distance"
"""The parameter of metrics that depend on distances."""


def usual(distance: str | Distance) -> list[Spec]:
    """The metrics that are scored with a distance if none is named.

    >>> [m.name for m in usual("linear")][:3]
    ['weighted_kappa', 'weighted_kappa:distance=quadratic', 'krippendorff_alpha_ordinal']
    """
    records = [m for m in table_metrics().values() if _kind(distance) in m.distances]
    specs = [_at(Spec(m), distance) for m in records if m.variant_of is None]
    if distance != "linear":
        return specs
    squared = Spec(metrics()["weighted_kappa"], ((DISTANCE, "quadratic"),))
    return [specs[0], squared, *specs[1:]]


def with_distance(spec: Spec, distance: Any) -> Spec:
    """One metric with a distance, which it must depend on."""
    other = spec.metric.by_distance.get(distance) if isinstance(distance, str) else None
    if other is not None:
        return Spec.parse(other)
    far = as_distance(distance)
    if isinstance(far, str):
        return replace(spec, parameters=(*spec.parameters, (DISTANCE, far)))
    return spec if far is None else _at(spec, far)


def in_order(metrics: Iterable[Any], labels: Sequence[Label]) -> list[Alphabetical]:
    """A warning if metrics depend on the order of classes, and it is alphabetical.

    >>> [note.labels for note in in_order([Spec.parse("weighted_kappa")], ("high", "low", "mid"))]
    [('high', 'low', 'mid')]
    """
    specs = [m for m in metrics if isinstance(m, Spec) and m.options.get(DISTANCE) != "flat"]
    names = tuple(m.name for m in specs if m.metric.ordered and m.distance is None)
    return [Alphabetical(names, tuple(labels))] if names and alphabetical(labels) else []


def alphabetical(labels: Sequence[Any]) -> bool:
    """Whether more than two labels are in alphabetical and not in numerical order.

    >>> alphabetical(["high", "low", "mid"]), alphabetical(["low", "mid", "high"])
    (True, False)
    >>> alphabetical(["1", "10", "2"]), alphabetical(["1", "2", "3"]), alphabetical([1, 2, 3])
    (True, False, False)
    """
    if len(labels) < 3 or list(labels) != sorted(map(str, labels)):
        return False
    try:
        numbers = list(map(float, labels))
    except ValueError:
        return True
    return numbers != sorted(numbers)


def _kind(distance: str | Distance) -> str:
    return distance.kind if isinstance(distance, Distance) else "ordinal"


def _at(spec: Spec, distance: str | Distance) -> Spec:
    """A metric with a distance, if it depends on one."""
    record = spec.metric
    other = record.by_distance.get(_kind(distance))
    if other is not None:
        return replace(spec, metric=lookup(other))
    if DISTANCE not in record.parameters:
        return spec
    others = tuple(pair for pair in spec.parameters if pair[0] != DISTANCE)
    if isinstance(distance, Distance):
        return replace(spec, parameters=(*others, (DISTANCE, distance.name)), distance=distance)
    if "ordinal" not in record.distances and distance != record.parameters[DISTANCE]:
        takes = {"matrix": "a matrix of costs", "tree": "a tree of classes"}[record.distances[0]]
        raise MetricError(f"{record.name} needs {takes}, and {distance} is an order of classes")
    if distance not in record.choices[DISTANCE] or distance == record.parameters[DISTANCE]:
        return spec
    return replace(spec, parameters=(*others, (DISTANCE, distance)))


def measured(spec: Spec, labels: Sequence[Label]) -> tuple[Metric, dict[str, Any]]:
    """A metric's record and its options, with the distances of these classes.

    Its upper limit becomes the largest distance, if infinite; a distance that is no order may
    take a weighted kappa below −1.
    """
    record, options = spec.metric, spec.options
    if spec.distance is None:
        word = options.get(DISTANCE, record.parameters[DISTANCE])
        if word not in record.choices[DISTANCE]:
            words = " or ".join(record.choices[DISTANCE])
            raise MetricError(
                f"distance of {record.name} must be {words}, or what is given by ",
                Option("distance"),
                f", got {shown([word])}",
            )
        far = distances(word, len(labels))
    else:
        far = spec.distance.over(labels)
    if far.shared is None and record.distances == ("tree",):
        raise MetricError(f"{record.name} needs a tree of classes, got another distance")
    share: Any = record.proportion
    return replace(
        record,
        proportion=share and partial(share, distance=far),
        low=-math.inf if record.low < 0 and spec.distance else record.low,
        high=float(far.far.max()) if math.isinf(record.high) else record.high,
    ), {**options, DISTANCE: far}


# Lists of metrics

AnyMetric: TypeAlias = str | Spec | Callable[[Counts], Array]
Metrics: TypeAlias = AnyMetric | Iterable[AnyMetric]


def as_spec(metric: AnyMetric) -> Spec | Callable[[Counts], Array]:
    """The spec of a metric's name or spelling; a user's function of ``Counts`` as it is."""
    if isinstance(metric, Spec):
        return metric
    if isinstance(metric, type):
        raise MetricError(f"a metric must be a name or a function, got {quoted(metric)}")
    if callable(metric):
        record = getattr(metric, "metric", None)  # of a public function, such as eh.macro_f1
        return Spec.parse(record.name) if isinstance(record, Metric) else metric
    return Spec.parse(metric)


def several(
    metrics: Metrics | None,
    otherwise: Callable[[], Iterable[AnyMetric]],
    task: Task = "single",
    *,
    fits: Callable[[Metric], bool] = lambda m: True,
    distance: Any = None,
    positive: Label | None = None,
    or_none: bool = False,
) -> list[AnyMetric]:
    """The metrics of an option, one or a list of them, or by default those of ``otherwise``.

    A family's name, or ``all``, stands for those of its metrics that fit data and verb. Metrics
    that depend on distances get the ``distance``, and are added to the default ones; metrics of
    one class without a label are of the ``positive`` class. An empty list is allowed with
    ``or_none``.
    """
    far = None if distance is None else as_distance(distance)
    if metrics is None:
        return [*otherwise(), *(usual(far) if far is not None else ())]
    without_axis = getattr(metrics, "ndim", 1) == 0
    if isinstance(metrics, str | bytes) or not isinstance(metrics, Iterable) or without_axis:
        metrics = [cast(AnyMetric, metrics)]
    members: list[AnyMetric] = []
    for metric in metrics:
        metric = of_class(metric, positive)
        family = of_family(metric, task, fits) if isinstance(metric, str) else None
        members += [metric] if family is None else family
        if family is not None and metric in ("all", "distance") and far is not None:
            members += usual(far)
    if not members and not or_none:
        raise InputError("metrics must name at least one metric, got none")
    if far is None:
        return members
    specs = [as_spec(at_distance(m, far)) for m in members]
    unique = {m.name if isinstance(m, Spec) else i: m for i, m in enumerate(specs)}
    return list(unique.values())


def at_distance(metric: AnyMetric, distance: Any) -> AnyMetric:
    """A metric with a distance, if it depends on one and its spelling has none."""
    far = as_distance(distance)
    if far is None:
        return metric
    spec = as_spec(metric)
    if not isinstance(spec, Spec):
        return spec
    own = spec.options.get(DISTANCE)
    stated = isinstance(metric, str) and f"{DISTANCE}=" in metric
    same = not stated if own is None else isinstance(far, Distance) and own == far.name
    return _at(spec, far) if same else spec


def name_of(metric: AnyMetric) -> str:
    """A metric's name in results: its spelling, or the name of a user's function."""
    spec = as_spec(metric)
    return spec.name if isinstance(spec, Spec) else getattr(spec, "__name__", "function")


def named(metrics: Iterable[AnyMetric]) -> list[tuple[str, AnyMetric]]:
    """Each metric under its name; functions that share one are numbered apart."""
    specs: dict[str, AnyMetric] = {}
    for metric in metrics:
        spec = as_spec(metric)
        name = name_of(spec)
        if name in specs and not isinstance(spec, Spec) and specs[name] is not spec:
            name = next(f"{name} {i}" for i in count(2) if f"{name} {i}" not in specs)
        specs[name] = spec
    return list(specs.items())


def leading(metrics: Collection[str]) -> str:
    """The metric that a headline speaks of: macro F1 if it is there, else the first.

    >>> leading(["accuracy", "macro_f1"]), leading(["accuracy", "mcc"]), leading([])
    ('macro_f1', 'accuracy', '')
    """
    first = (m for m in ("macro_f1", "expected_macro_f1") if m in metrics)
    return next(first, next(iter(metrics), ""))

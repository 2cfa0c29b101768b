"""The record of a metric, and the registry of metrics by name."""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, TypeAlias

from evenhand.core.arrays import Array
from evenhand.core.properties import Properties, calibrated

Needs = Literal["counts", "cells", "pairs", "items", "scores"]
"""What a metric is of: margins, cells that hold something, all cells, items, or their scores."""
Parameter: TypeAlias = float | str
Task = Literal["single", "multi"]
Better = Literal["higher", "lower", "neither"]
Size = Literal["nothing", "factor", "matters"]
"""What twice as many items of the same kind do to a metric: nothing, twice its value, something."""
AVERAGES = ("macro", "micro", "weighted")
"""Families whose metrics run over the classes that a rule or a list chooses."""
Proportion = Callable[[Any], tuple[Array, Array]]
Derivation: TypeAlias = Properties | Callable[..., Properties | None]


@dataclass(frozen=True)
class Metric:
    """A metric: a pure function with its names, parameters, range and properties.

    What it is called: ``signature`` is its formula in a signature, ``title`` what papers call it,
    where its name does not say it, ``short_title`` the same in a sentence or a column, ``words``
    what documents say of it: they find it, but do not name it. ``family`` says which others it is
    listed with, ``default`` that it is scored where no metric is named.

    Its parameters: one in ``least`` is finite and at least that, one in ``most`` at most that, one
    in ``choices`` a word of these. With their defaults it is the metric it is a ``variant_of``.
    ``distances`` are the kinds of distance between classes with which it is scored though no metric
    is named, ``by_distance`` says which metric it is when classes are that far apart.

    What it looks at: ``classes`` is a rule of its own for the classes it averages; ``all_classes``
    says of one that is listed with averages that it looks at all classes nevertheless,
    ``one_vs_rest`` that a class's value also depends on how many items concern other classes,
    ``ordered`` that the order of the classes matters, ``of_order`` that it is of the order of
    scores, which need be no probabilities, ``is_mean`` that it is a mean over items of a number of
    each, ``size`` what the number of items does to it.

    What is known of it: ``derivation`` are its five properties, or a function of its parameters
    that gives them; ``None`` where nobody has derived them. ``proportion``, for a share of items,
    gives the hits and the trials that it is the ratio of, by class if it is of one; ``through`` is
    what it makes of the share, where it grows with one without being it. ``smooth`` says that it
    has a gradient, ``biased`` that small samples of more than five classes push it one way.

    ``own`` says that it is a user's, ``origin`` which installed package brought it.

    >>> import evenhand as eh
    >>> eh.metrics()["macro_f1"].formula
    '1/k · Σ 2·correct / (bias + prevalence)'
    """

    name: str
    function: Callable[..., Array]
    symbol: str
    formula: str
    signature: str
    reference: str
    low: float = 0.0
    high: float = 1.0
    better: Better = "higher"
    aliases: tuple[str, ...] = ()
    needs: Needs = "counts"
    tasks: frozenset[Task] = frozenset({"single", "multi"})
    classes: str | None = None
    of_one_class: bool = False
    all_classes: bool = False
    parameters: Mapping[str, Parameter] = field(default_factory=dict)
    choices: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    derivation: Derivation | None = None
    proportion: Proportion | None = None
    through: Callable[[Array], Array] | None = None
    least: Mapping[str, float] = field(default_factory=dict)
    most: Mapping[str, float] = field(default_factory=dict)
    variant_of: str | None = None
    biased: bool = False
    words: tuple[str, ...] = ()
    title: str = ""
    short_title: str = ""
    default: bool = False
    family: str = ""
    one_vs_rest: bool = False
    size: Size = "nothing"
    smooth: bool = True
    ordered: bool = False
    of_order: bool = False
    is_mean: bool = False
    distances: tuple[str, ...] = ()
    by_distance: Mapping[str, str] = field(default_factory=dict)
    own: bool = False
    origin: str = ""

    @classmethod
    def of_function(cls, function: Callable[..., Array], name: str) -> Metric:
        """The record of a user's function of which nothing is known."""
        return cls(name, function, "", "", "", "", -math.inf, math.inf, own=True)

    def properties_with(self, *, calibrate: bool = False, **options: Any) -> Properties | None:
        """Its properties with these parameters, calibrated or not, where they are known."""
        known = self.derivation(**options) if callable(self.derivation) else self.derivation
        if not calibrate or known is None:
            return known
        return calibrated(known, judges=self.better != "neither")

    @property
    def properties(self) -> Properties | None:
        """Its properties with its default parameters, where they are known."""
        return self.properties_with()

    @cached_property
    def summary(self) -> str:
        """First sentence of the docstring."""
        return (inspect.getdoc(self.function) or "").split("\n\n")[0].replace("\n", " ")

    @cached_property
    def signed(self) -> str:
        """Its formula in a signature, with the package that brought it."""
        return " of ".join(filter(None, (self.signature, self.origin)))

    @cached_property
    def bounded(self) -> bool:
        """Whether its range has two ends."""
        return math.isfinite(self.low) and math.isfinite(self.high)

    @cached_property
    def averages(self) -> bool:
        """Whether it depends on which classes are averaged, if nothing else is known of it."""
        is_average = self.family in AVERAGES or "average" in self.parameters
        return (self.own or is_average) and not self.all_classes

    @cached_property
    def equal_weights(self) -> bool:
        """Whether classes weigh the same whatever their size."""
        return self.family == "macro" and self.of_own_counts

    @cached_property
    def of_own_counts(self) -> bool:
        """Whether it averages values of classes that depend on the class's own counts alone."""
        return self.family in ("macro", "weighted") and not self.one_vs_rest

    @property
    def worst(self) -> float:
        """The end of the range that a good system stays away from."""
        return self.high if self.better == "lower" else self.low

    @property
    def best(self) -> float:
        """The end of the range that a good system reaches."""
        return self.low if self.better == "lower" else self.high


FAMILIES = (
    "micro", "one_class", "macro", "weighted", "agreement", "information", "detection",
    "association", "distance", "gain", "odds", "items",
)  # fmt: skip
"""Families of metrics in the order of the catalogue."""
_METRICS: dict[str, Metric] = {}
_ALIASES: dict[str, str] = {}
_AVERAGES: dict[str, Metric] = {}
"""Averages of metrics of one class that somebody has named."""
_OWN: dict[str, Metric] = {}
"""Metrics of users, apart from ours, so that no list of ours depends on who has added some."""
_DOCUMENTED = re.compile(
    r"^ *Formula: (?P<formula>.+?)(?:\n *Reference: (?P<reference>.+))?\Z", re.S | re.M
)


def metric(
    *, signature: str = "", properties: Derivation | None = None, family: str = "", **fields: Any
) -> Callable[[Callable[..., Array]], Callable[..., Array]]:
    """Register a function as a metric; its keyword arguments become its parameters.

    The docstring ends in its formula, and its reference unless that is the family's.
    """

    def register(function: Callable[..., Array]) -> Callable[..., Array]:
        documented = _DOCUMENTED.search(function.__doc__ or "")
        texts = documented.groupdict() if documented else {}
        own = {name: " ".join(text.split()) for name, text in texts.items() if text}
        fields.setdefault("proportion", getattr(function, "proportion", None))
        record = recorded(
            function,
            signature=signature or function.__name__.replace("_", "-"),
            derivation=properties,
            family=family or function.__module__.rpartition(".")[2],
            **fields | own,
        )
        for known in (record.name, *record.aliases):
            if known in _METRICS or known in _ALIASES:
                raise ValueError(f"two metrics are called {known!r}")
        _METRICS[record.name] = record
        _ALIASES.update(dict.fromkeys(record.aliases, record.name))
        return function

    return register


def recorded(function: Callable[..., Array], **fields: Any) -> Metric:
    """The record of a function: its name, and its keyword arguments as parameters.

    Its tasks follow from what it needs, unless they are stated; margins exist for both.
    """
    by_needs: dict[str, tuple[Task, ...]] = {"counts": ("single", "multi"), "items": ("multi",)}
    tasks = fields.pop("tasks", None) or by_needs.get(fields.get("needs", "counts"), ("single",))
    parameters: dict[str, Parameter] = {
        p.name: p.default if isinstance(p.default, str) else float(p.default)
        for p in inspect.signature(function).parameters.values()
        if p.kind is p.KEYWORD_ONLY
    }
    name, tasks = function.__name__, frozenset(tasks)
    return Metric(name=name, function=function, parameters=parameters, tasks=tasks, **fields)


def add(record: Metric) -> None:
    """A user's metric; one of the same name takes its place."""
    _OWN[record.name] = record
    _ALIASES.update(dict.fromkeys(record.aliases, record.name))
    for kind in AVERAGES:
        _AVERAGES.pop(f"{kind}_{record.name}", None)


def find(name: str) -> Metric | None:
    """The metric called ``name`` or known by that alias, if there is one.

    An average of a metric of one class is one by its name: ``macro_jaccard``.
    """
    _load()
    record = _called(name)
    if record is not None:
        return record
    kind, _, base = name.partition("_")
    each = _called(base)
    if kind not in AVERAGES or each is None or not each.of_one_class:
        return None
    from evenhand.core.averages import average

    name = f"{kind}_{each.name}"
    if name not in _METRICS and name not in _AVERAGES:
        _AVERAGES[name] = average(kind, each)
    return _METRICS.get(name) or _AVERAGES[name]


def _called(name: str) -> Metric | None:
    name = _ALIASES.get(name, name)
    return _METRICS.get(name) or _OWN.get(name)


def all_metrics() -> Iterator[Metric]:
    """Every metric of tables of ours, in the order of the catalogue."""
    _load()
    of_tables = (m for m in _METRICS.values() if m.needs != "scores")
    return iter(sorted(of_tables, key=lambda m: FAMILIES.index(m.family)))


def score_metrics() -> list[Metric]:
    """The metrics of probabilities and other scores of items."""
    _load()
    return [m for m in _METRICS.values() if m.needs == "scores"]


def own_metrics() -> list[Metric]:
    """The metrics that users have added so far."""
    return list(_OWN.values())


def _load() -> None:
    import evenhand.core.metrics  # noqa: F401  (importing it fills the registry)

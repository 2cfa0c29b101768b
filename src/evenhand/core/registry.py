"""The Metric record, and the one place where metrics are looked up by name."""

from __future__ import annotations

import difflib
import inspect
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from evenhand.core.arrays import Array
from evenhand.core.promises import Properties, calibrated

Needs = Literal["counts", "items"]
Task = Literal["single", "multi"]
Better = Literal["higher", "lower", "neither"]
Role = Literal["twins", "lead", "score", "ranks", "guessing", "sweep", "mix", "shift"]
"""A list that metrics are shown in: the two macro F1s; the headline of one system and those that
people are shown of it unless they ask for others; the ranks and the guesses of several; the sweep
and the even mix of a report; the charts of other mixes."""
Proportion = Callable[[Any], tuple[Array, Array]]


@dataclass(frozen=True)
class Metric:
    """A metric: a pure function, and everything the rest of the package must know of it.

    ``example`` is its value on the worked example that the docstrings show. ``proportion``, for
    a metric that is a share of items, gives the hits and the trials that it is the ratio of;
    ``through`` is what it makes of the share, where it grows with one without being it.
    ``properties`` holds for the default parameters, ``promises`` gives them for others. A
    parameter in ``least`` is finite and at least that; with the default of its parameters a metric
    is the one it is a ``variant_of``. ``alike`` says that classes weigh the same whatever their
    size, ``biased`` that small samples of more than five classes push it one way, ``shown`` in
    which lists it stands and at which place. ``words`` are what documents say of it: they find
    it, but do not name it. ``title`` is what papers call it, where its name does not say it.

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
    parameters: Mapping[str, float] = field(default_factory=dict)
    example: float | None = None
    properties: Properties | None = None
    promises: Callable[..., Properties] | None = None
    proportion: Proportion | None = None
    through: Callable[[Array], Array] | None = None
    least: Mapping[str, float] = field(default_factory=dict)
    variant_of: str | None = None
    alike: bool = False
    biased: bool = False
    shown: Mapping[Role, int] = field(default_factory=dict)
    words: tuple[str, ...] = ()
    title: str = ""

    def promised(self, *, calibrate: bool = False, **options: float) -> Properties | None:
        """What is known of its properties with these parameters, calibrated or not."""
        found = self.promises(**options) if options and self.promises else self.properties
        return calibrated(self.name, found) if calibrate else found

    @property
    def summary(self) -> str:
        """First sentence of the docstring."""
        return (inspect.getdoc(self.function) or "").split("\n\n")[0].replace("\n", " ")

    @property
    def bounded(self) -> bool:
        """Whether its range has two ends."""
        return math.isfinite(self.low) and math.isfinite(self.high)

    @property
    def worst(self) -> float:
        """The end of the range that a good system stays away from."""
        return self.high if self.better == "lower" else self.low

    @property
    def best(self) -> float:
        """The end of the range that a good system reaches."""
        return self.low if self.better == "lower" else self.high


_METRICS: dict[str, Metric] = {}
_ALIASES: dict[str, str] = {}


def metric(
    *,
    signature: str = "",
    tasks: tuple[Task, ...] = ("single", "multi"),
    properties: Properties | Callable[..., Properties] | None = None,
    **fields: Any,
) -> Callable[[Callable[..., Array]], Callable[..., Array]]:
    """Register a function as a metric; its keyword arguments become its parameters."""

    def register(function: Callable[..., Array]) -> Callable[..., Array]:
        parameters = {
            p.name: float(p.default)
            for p in inspect.signature(function).parameters.values()
            if p.kind is p.KEYWORD_ONLY
        }
        name = function.__name__
        record = Metric(
            name=name,
            function=function,
            signature=signature or name.replace("_", "-"),
            tasks=frozenset(tasks),
            parameters=parameters,
            properties=properties() if callable(properties) else properties,
            promises=properties if callable(properties) else None,
            **fields,
        )
        for known in (name, *record.aliases):
            if known in _METRICS or known in _ALIASES:
                raise ValueError(f"two metrics are called {known!r}")
        _METRICS[name] = record
        _ALIASES.update(dict.fromkeys(record.aliases, name))
        return function

    return register


def find(name: str) -> Metric | None:
    """The metric called ``name`` or known by that alias, if there is one."""
    _load()
    return _METRICS.get(_ALIASES.get(name, name))


def nearest(name: str) -> list[str]:
    """Names that look like ``name``, for an error message."""
    _load()
    return difflib.get_close_matches(name.lower(), [*_METRICS, *_ALIASES], n=3)


def all_metrics() -> Iterator[Metric]:
    """Every metric, in the order of the catalogue."""
    _load()
    return iter(_METRICS.values())


def _load() -> None:
    import evenhand.core.metrics  # noqa: F401  (importing it fills the registry)

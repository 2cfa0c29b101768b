"""Records that every layer shares: frozen data, intervals and the methods behind them."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from itertools import chain, repeat
from operator import attrgetter
from typing import Any, ClassVar, Literal, Self, TypeAlias, dataclass_transform

import numpy as np
from numpy.typing import NDArray

from evenhand.core.arrays import ReadOnly, read_only, same

_ATOMS = frozenset({float, int, str, bool, type(None)})
"""Types of values that go into a dictionary unchanged, tested first for speed."""


HELPERS = frozenset({
    "blocks", "cautions", "class_grid", "content", "data", "described", "drawn_by", "grid",
    "headline", "items_text", "json_fields", "lower", "metric_tables", "minus", "noted",
    "of_metrics", "paper", "parts", "parts_in", "picture", "reported", "select", "sentences",
    "sheet", "shown", "telling", "testable", "to_json_object", "varies", "warning_lines",
    "warnings_on", "with_slices", "without_classes",
})  # fmt: skip
"""Names that records and results have for each other, which completion does not offer."""


@dataclass_transform(frozen_default=True, eq_default=False, field_specifiers=(field,))
class Record:
    """Frozen data that are equal by value, where NaN is equal to NaN.

    Every subclass is a frozen dataclass without saying so.

    ``json_fields`` names the keys of its JSON in their order; if it is empty, every field is one.
    A key is that attribute, or another (``key=path.to.it``), or some keys of it (``key(one two)``);
    a path of ``.`` is the record itself. ``key?`` is left out where it is ``None``, of ``*key``
    there are the keys inside. The JSON Schemas are made from the types of these attributes.
    """

    json_fields: ClassVar[str] = ""

    def __init_subclass__(cls, **settings: Any) -> None:
        super().__init_subclass__()
        dataclass(frozen=True, eq=False, **settings)(cls)

    def to_dict(self) -> dict[str, Any]:
        """The record as a dictionary, with the keys of its JSON."""
        return self.select(self.json_fields or " ".join(vars(self)))

    def select(self, names: str) -> dict[str, Any]:
        """Some attributes by name; records inside them become dictionaries.

        >>> Interval(0.5, low=0.4).select("value low")
        {'value': 0.5, 'low': 0.4}
        """
        return _select(self, names)

    def __dir__(self) -> list[str]:
        """What users use, for completion."""
        return [name for name in super().__dir__() if name not in HELPERS]

    def __eq__(self, other: object) -> bool:
        return same(self, other) if type(self) is type(other) else NotImplemented

    def __hash__(self) -> int:
        hashable = tuple(v for v in vars(self).values() if type(v) in (str, int, bool))
        return hash((type(self).__name__, hashable))


KEY = re.compile(r"(\*?\w+)(\?)?(?:=([\w.]+))?(?:\(([^()]*)\))?")
"""A key of ``json_fields``: its name, whether it may be missing, where it is from, keys inside."""


@cache
def _keys(names: str) -> tuple[tuple[str, str, Callable[[Any], Any], str], ...]:
    """Each key, whether it may be missing, what gets its value, and the keys inside that."""
    parts = KEY.findall(names)
    return tuple((key, opt, _at(path or key.lstrip("*")), inner) for key, opt, path, inner in parts)


def _at(path: str) -> Callable[[Any], Any]:
    """What gets an attribute, or one inside it; nothing has no attributes."""
    first, _, rest = path.partition(".")
    if not rest:
        return attrgetter(first) if first else lambda value: value
    outer, inner = attrgetter(first), _at(rest)
    return lambda value: None if (own := outer(value)) is None else inner(own)


def _select(record: Any, names: str) -> dict[str, Any]:
    chosen: dict[str, Any] = {}
    for key, optional, at, inner in _keys(names):
        value = at(record)
        if key.startswith("*"):
            chosen |= value
        elif value is not None or not optional:
            chosen[key] = value if type(value) in _ATOMS else _plain(value, inner)
    return chosen


def _plain(value: Any, names: str = "") -> Any:
    if isinstance(value, dict):
        return {k: _plain(v, names) for k, v in value.items()}
    if type(value) is tuple:
        return tuple(_plain(v, names) for v in value)
    if names:
        return _select(value, names)
    return value.to_dict() if isinstance(value, Record) else value


# Methods of intervals

Name: TypeAlias = Literal[
    "delta",
    "jackknife",
    "mover",
    "bootstrap",
    "bca",
    "wilson",
    "tango",
    "resampled t",
    "ppi",
    "inverted",
]
Scale: TypeAlias = Literal[
    "logit", "fisher", "score", "effective", "log", "log+half", "cut", "runs"
]


class Method(str):
    """The method of an interval: a text with the parts it is made of.

    ``scale`` is the scale of a delta interval (log-odds, Fisher's z, Wilson's score), or says that
    Wilson's interval is that of an effective sample size (``effective``), that it was cut at the
    ends of the metric's range (``cut``) or contains the variance of runs.
    ``instead_of`` is the requested method, if its interval would have no width.

    >>> Method("delta", "logit"), Method("delta", "logit").name
    ('delta, logit', 'delta')
    >>> Method("wilson", instead_of="bootstrap")
    'wilson (bootstrap has no width)'
    """

    __slots__ = ("instead_of", "name", "scale")

    name: Name
    scale: Scale | None
    instead_of: str | None

    def __new__(
        cls, name: Name, scale: Scale | None = None, instead_of: str | None = None
    ) -> Method:
        text = f"{name}, {scale}" if scale else str(name)
        method = super().__new__(cls, f"{text} ({instead_of} has no width)" if instead_of else text)
        method.name, method.scale, method.instead_of = name, scale, instead_of
        return method

    def __getnewargs__(self) -> tuple[Name, Scale | None, str | None]:  # type: ignore[override]
        return self.name, self.scale, self.instead_of


# Intervals

Floats: TypeAlias = NDArray[Any]
Missing: TypeAlias = Literal["no width", "unknown variance", "no gradient", "no proportion"]
"""Why a number has no interval although one was requested."""

MEASURED = "value se low high method"
ENDS = "value low high"


class Interval(Record):
    """A number with its standard error and confidence limits; ``None`` where one is unknown.

    An undefined value is NaN. ``note`` says why there is no interval although one was requested.
    ``float()`` of an interval is its value.

    >>> import evenhand as eh
    >>> shifted = eh.shift.extrapolate([[80, 20], [10, 90]], to="0=0.1,1=0.9", metrics="accuracy")
    >>> shifted["accuracy"].value, shifted["accuracy"].low < shifted["accuracy"].high
    (0.89, True)
    """

    json_fields: ClassVar[str] = MEASURED

    value: float
    se: float | None = None
    low: float | None = None
    high: float | None = None
    level: float | None = None
    method: Method | None = None
    note: Missing | None = None

    def __float__(self) -> float:
        return self.value


@dataclass(frozen=True, eq=False)
class Intervals(ReadOnly):
    """Many intervals as arrays of one shape, NaN where a number is unknown.

    ``method`` is an array of :class:`Method` or ``None``; ``note`` says why no number has an
    interval.
    """

    value: Floats
    se: Floats
    low: Floats
    high: Floats
    method: Floats
    level: float | None = None
    note: Missing | None = None

    @classmethod
    def bare(cls, value: Floats, note: Missing | None = None, **more: Any) -> Self:
        """Numbers without intervals."""
        unknown = np.full(np.shape(value), np.nan)
        methods = np.full(np.shape(value), None)
        return cls(value, unknown, unknown, unknown, methods, note=note, **more)

    @cached_property
    def known(self) -> NDArray[np.bool_]:
        """Where there is an interval."""
        known: NDArray[np.bool_] = read_only(np.asarray(~np.isnan(self.low)))
        return known

    @property
    def ends(self) -> tuple[list[Any], list[Any]]:
        """The low and the high ends as lists, ``None`` where unknown."""
        none = np.array(None)
        unknown = np.isnan(self.low)
        low, high = (np.where(np.isnan(x) | unknown, none, x) for x in (self.low, self.high))
        return low.tolist(), high.tolist()

    @staticmethod
    def by_table(several: Iterable[Intervals]) -> list[list[Intervals]]:
        """Those of each table, of each of ``several``."""
        tables = []
        for x in several:
            columns = (x.value, x.se, x.low, x.high, x.method, repeat(x.level), repeat(x.note))
            tables.append(list(map(Intervals, *columns)))
        return tables

    def __iter__(self) -> Iterator[Interval]:
        """The intervals one by one."""
        for row in zip(*(np.ravel(x).tolist() for x in self._arrays), strict=True):
            yield self._interval(*row)

    def at(self, i: int) -> Interval:
        """One of the intervals."""
        return self._interval(*(x.item(i) for x in self._arrays))

    @property
    def _arrays(self) -> tuple[Floats, ...]:
        return self.value, self.se, self.low, self.high, self.method

    def _interval(self, value: float, se: float, low: float, high: float, method: Any) -> Interval:
        if math.isnan(low):
            note = None if math.isnan(value) else self.note or ("no width" if self.level else None)
            return Interval(value, level=self.level, note=note)
        error = None if math.isnan(se) or se == 0 else se
        return Interval(value, error, low, known(high), self.level, method)


def known(x: Any) -> float | None:
    """A number, unless it is NaN."""
    return None if math.isnan(x) else float(x)


class Curve(Record):
    """One metric along an axis, with intervals where there are any.

    >>> import evenhand as eh
    >>> sweep = eh.shift.sweep([[80, 20], [10, 90]], label=0, metrics="accuracy", at=[0.1, 0.5])
    >>> [round(v, 6) for v in sweep["accuracy"].value]
    [0.89, 0.85]
    """

    value: tuple[float, ...]
    low: tuple[float | None, ...]
    high: tuple[float | None, ...]

    def where_known(self) -> Curve:
        """The same without values that have no interval."""
        pairs = zip(self.value, self.low, strict=True)
        return replace(self, value=tuple(math.nan if low is None else v for v, low in pairs))

    @classmethod
    def from_intervals(cls, intervals: Intervals) -> Curve:
        """The curve through intervals in order."""
        return cls(tuple(intervals.value.tolist()), *map(tuple, intervals.ends))

    @classmethod
    def joined(cls, parts: Iterable[Curve]) -> Curve:
        """Parts of a curve as one."""
        columns = zip(*((c.value, c.low, c.high) for c in parts), strict=True)
        return cls(*(tuple(chain.from_iterable(column)) for column in columns))

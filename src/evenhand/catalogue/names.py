"""Metrics by name: aliases, plugins, users' own, searching."""

from __future__ import annotations

import math
import re
import unicodedata
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from importlib.resources import files
from typing import Any, TypeVar

from evenhand.core.arrays import Array
from evenhand.core.registry import (
    AVERAGES,
    Better,
    Metric,
    Needs,
    Size,
    add,
    all_metrics,
    find,
    own_metrics,
    recorded,
    score_metrics,
)
from evenhand.errors import EvenhandWarning, MetricError, shown

GROUP = "evenhand.metrics"
"""The group of entry points by which packages add metrics."""
FAMILY = "own"
"""The family of users' metrics."""


def added() -> dict[str, Metric]:
    """The metrics of users and of installed packages, by name."""
    load()
    return {m.name: m for m in own_metrics()}


@cache
def load() -> None:
    """Load the metrics of installed packages once; a broken one gives a warning."""
    from importlib.metadata import entry_points

    broken: list[str] = []
    for entry in sorted(entry_points(group=GROUP), key=lambda e: (e.name, e.value)):
        origin = f"{entry.dist.name} {entry.dist.version}" if entry.dist else entry.value
        try:
            _set_origin(entry.load(), origin)
        except (Exception, SystemExit) as e:  # another's module may fail in any way
            error = str(e) if str(e) and isinstance(e, Exception) else f"{type(e).__name__}: {e}"
            reason = error.splitlines()[0]
            broken.append(f"the metric {entry.name!r} of {origin} is left out: {reason}")
    for line in broken:
        warnings.warn(line, EvenhandWarning, stacklevel=3)


def _set_origin(function: Any, origin: str) -> None:
    record = getattr(function, "metric", None)
    if not isinstance(record, Metric) or record.name not in {m.name for m in own_metrics()}:
        got = getattr(function, "__name__", type(function).__name__)
        raise TypeError(f"it must be a function under @evenhand.metric(…), got {got}")
    function.metric = replace(record, origin=origin)
    add(function.metric)


# Searching texts

_SEARCHED = str.maketrans({"-": " ", "_": " ", "′": "'", "’": "'", "‘": "'"})


def _plain(text: str) -> str:
    return text.lower().translate(_SEARCHED)


def having(words: Sequence[str], *kinds: Mapping[str, str], whole_words: bool = False) -> list[str]:
    """The names of the texts that contain the words as a phrase, else those with all words.

    Words may be prefixes, unless ``whole_words``: 'calibrat' finds 'calibration'. Of several
    ``kinds`` of texts, the first with a match counts.

    >>> texts = {"a": "figure 2a, skewed data", "b": "figure 3a of 2 figures"}
    >>> having(["figure", "2"], texts), having(["2", "figure"], texts)
    (['a'], ['b'])
    >>> having(["2", "skew"], texts), having(["2", "skew"], texts, whole_words=True)
    (['a'], [])
    """

    def matches(phrase: str, texts: Mapping[str, str]) -> list[str]:
        pattern = re.compile(rf"(?<!\w){re.escape(phrase)}" + r"(?!\w)" * whole_words)
        return [name for name, text in texts.items() if pattern.search(_plain(text))]

    terms = [_plain(w).strip() for w in words]
    for texts in kinds:
        if names := matches(" ".join(terms), texts):
            return names
    for texts in kinds:
        each = [matches(term, texts) for term in terms]
        if names := [name for name in texts if all(name in some for some in each)]:
            return names
    return []


# Names in other libraries and papers


def text_rows(name: str) -> list[list[str]]:
    """The rows of a file of texts of this package, whose columns are separated by ``|``."""
    text = (files("evenhand.catalogue") / name).read_text(encoding="utf-8")
    return [line.split(" | ") for line in text.splitlines()]


@cache
def names_elsewhere() -> dict[str, str]:
    """By metric, or spelling: names in scikit-learn, PyCM, caret, yardstick, torchmetrics, papers.

    >>> names_elsewhere()["false_negative_rate"]
    'FNR, miss rate'
    """
    return {row[0]: row[1] for row in text_rows("names.txt")}


_FOLDED = str.maketrans(dict.fromkeys("′’‘`´ʹ", "'") | dict.fromkeys(" \t-‐‑‒–—−\u00a0", None))


def folded(name: str) -> str:
    """A name without case, spaces, hyphens and kinds of prime.

    >>> folded("Macro-F1’") == folded("macro F1'")
    True
    """
    return unicodedata.normalize("NFC", name).casefold().translate(_FOLDED)


@cache
def _known() -> dict[str, str]:
    """Spellings by folded name; our own names have precedence, then symbols, then others'."""
    spellings: dict[str, str] = {}
    records = list(all_metrics())
    own = [(name, m.name) for m in (*records, *score_metrics()) for name in (m.name, *m.aliases)]
    symbols = [(m.symbol, m.name) for m in records]
    others = [(n, to) for to, names in names_elsewhere().items() for n in names.split(", ")]
    for name, spelling in (*own, *symbols, *others):
        spellings.setdefault(folded(name), spelling)
    for name, spelling in (*own, *others):
        spellings.setdefault(folded(name.replace("_", " ")), spelling)
    return spellings


@cache
def _ambiguous() -> dict[str, str]:
    """Names that can mean several metrics or are misleading, with what each would compute."""
    texts = text_rows("ambiguous.txt")
    rows = [(name, choices) for names, choices in texts for name in names.split(", ")]
    return {folded(x): choices for n, choices in rows for x in (n, n.replace("_", " "))}


def spelling_of(name: str) -> str | None:
    """The spelling of the metric that ``name`` is an alias of, if there is one.

    >>> spelling_of("TPR"), spelling_of("macF1'"), spelling_of("PPV_Macro"), spelling_of("QWK")
    ('recall', 'f1_of_averages', 'macro_precision', 'weighted_kappa:distance=quadratic')
    """
    key = folded(name)
    if key in _ambiguous():
        return None
    if key in _known():
        return _known()[key]
    for kind in AVERAGES:
        for base in (key.removeprefix(kind), key.removesuffix(kind)):
            average = find(f"{kind}_{_known().get(base.strip('_'))}") if base != key else None
            if average is not None:
                return average.name
    return None


def record_of(name: str) -> Metric | None:
    """The metric of a name or alias, if it needs no parameter, also of an installed package."""
    if (record := find(name) or find(spelling_of(name) or "")) is None:
        load()
    return record or find(name)


def ambiguous(name: str) -> bool:
    """Whether a name can mean several metrics."""
    return folded(name) in _ambiguous()


def unknown(name: str) -> MetricError:
    """The error for a name that no metric has, with what it may mean."""
    choices = _ambiguous().get(folded(name))
    if choices:
        return MetricError(f"{shown([name])} can mean {choices}")
    base, _, label = name.partition("_")
    record = record_of(base) if label else None
    near = nearest(name)
    if record is not None and record.of_one_class and set(near) <= {record.name}:
        near = [f"{record.name}:label={label}"]
    hint = f"; did you mean {' or '.join(near)}?" if near else "; metrics lists them all"
    return MetricError(f"no metric is called {shown([name])}{hint}")


def nearest(name: str) -> list[str]:
    """Metrics with similar names; a name with a prime is never another one without."""
    import difflib

    key = folded(name)
    if "'" not in key:
        own = [n for m in (*all_metrics(), *added().values()) for n in (m.name, *m.aliases)]
        in_order = {"_".join(sorted(n.split("_"))): n for n in reversed(own)}
        words = difflib.get_close_matches("_".join(sorted(key.split("_"))), in_order, n=1)
        return difflib.get_close_matches(key, own, n=3) or [in_order[w] for w in words]
    near = difflib.get_close_matches(key, [n for n in _known() if "'" in n], n=3)
    return list(dict.fromkeys(_known()[n] for n in near))


# Metrics of users

F = TypeVar("F", bound=Callable[..., Array])


def metric(
    *,
    symbol: str = "",
    formula: str = "",
    reference: str = "",
    low: float = 0.0,
    high: float = 1.0,
    better: Better = "higher",
    aliases: tuple[str, ...] = (),
    title: str = "",
    needs: Needs = "counts",
    of_one_class: bool = False,
    one_vs_rest: bool = False,
    classes: str | None = None,
    least: Mapping[str, float] | None = None,
    most: Mapping[str, float] | None = None,
    choices: Mapping[str, tuple[str, ...]] | None = None,
    size: Size = "nothing",
    smooth: bool = True,
    ordered: bool = False,
) -> Callable[[F], F]:
    """Make a function of :class:`Counts` a metric, known by its name wherever metrics are named.

    Its keyword arguments are its parameters, its docstring says what it is. The fields are those
    of :class:`Metric`: range, which values are better, what it is of. A package that names such
    functions in the entry point group ``evenhand.metrics`` brings them wherever it is installed.

    ::

        @eh.metric(symbol="ER", formula="1 − Σ correct / total", better="lower")
        def error_rate(c):
            "Share of items that are wrong."
            return 1 - ratio(c.sum(c.correct), c.total, c.undefined)

        eh.score(y_true, y_pred, metrics="error_rate")

    A name must be free:

    >>> import evenhand as eh
    >>> @eh.metric(formula="1 − Σ correct / total", better="lower")
    ... def kappa(c):
    ...     "Share of items that are wrong."
    ...     return 1 - eh.ratio(c.sum(c.correct), c.total, c.undefined)
    Traceback (most recent call last):
    evenhand.errors.MetricError: the name 'kappa' is taken
    """
    fields = {k: v for k, v in locals().items() if k not in ("symbol", "aliases") and v is not None}

    def register(function: F) -> F:
        name = getattr(function, "__name__", "")
        if not name.isidentifier() or name.startswith("_"):
            raise MetricError(f"a metric is a function with a name, got {shown([name])}")
        if not low < high or math.isnan(low) or math.isnan(high):
            raise MetricError(f"low of {name} must be below high, got {low:g} and {high:g}")
        for known in (name, *aliases):
            _refuse_taken(known, name, function)
        record = recorded(
            function,
            **fields,
            symbol=symbol or name,
            signature=f"own-{name.replace('_', '-')}",
            aliases=tuple(aliases),
            family=FAMILY,
            own=True,
        )
        add(record)
        function.metric = record  # type: ignore[attr-defined]
        return function

    return register


def _refuse_taken(known: str, name: str, function: Any) -> None:
    """Refuse a name or alias that another metric has."""
    home = (function.__module__, function.__qualname__)
    for m in own_metrics():
        if m.name == name and (m.function.__module__, m.function.__qualname__) == home:
            return  # the same, defined again
    if ambiguous(known) or spelling_of(known) is not None or find(known) is not None:
        other = find(known) or find((spelling_of(known) or "").partition(":")[0])
        whose = f": it is {other.name}" if other is not None and other.name != known else ""
        raise MetricError(f"the name {shown([known])} is taken{whose}")

"""Errors, and the checks of arguments that raise them."""

from __future__ import annotations

import operator
import os
import sys
import warnings
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, time, timedelta
from decimal import Decimal
from numbers import Real
from typing import Any


@dataclass(frozen=True)
class Option:
    """An option that a message names, as Python spells it; the command line spells it otherwise."""

    name: str
    value: str = ""

    def __str__(self) -> str:
        return f"{self.name}={self.value!r}" if self.value else self.name


@dataclass(frozen=True)
class Command:
    """The command that was run with further options, or another ``verb`` on the same data.

    ``first`` is a file and the one that it is to come before.
    """

    options: tuple[Option, ...]
    verb: str = ""
    first: tuple[str, ...] = ()

    def __str__(self) -> str:
        if self.first:
            return f"give {self.first[0]} before {self.first[1]}"
        named = ", ".join(str(o) if o.value else f"{o.name}=True" for o in self.options)
        return f"{self.verb}(…, {named})" if self.verb else named


class EvenhandError(Exception):
    """Base of every error that evenhand raises on purpose; its arguments make up one sentence.

    >>> issubclass(InputError, EvenhandError) and issubclass(MetricError, EvenhandError)
    True
    >>> error = InputError("3 items lack one; ", Option("missing", "wrong"), " counts them")
    >>> error.message(lambda option: f"--{option.name} {option.value}")
    '3 items lack one; --missing wrong counts them'
    """

    def __str__(self) -> str:
        return self.message()

    def message(self, spell: Callable[[Option | Command], str] = str) -> str:
        """The sentence, options and commands spelled as the reader gives them; one line always."""
        parts = (spell(p) if isinstance(p, Option | Command) else str(p) for p in self.args)
        return "".join(parts).replace("\n", r"\n")


class InputError(EvenhandError, ValueError):
    """Data that cannot be counted or scored as they are.

    >>> import evenhand as eh
    >>> eh.macro_f1(["a"], ["a", "b"])
    Traceback (most recent call last):
    evenhand.errors.InputError: y_true and y_pred must have the same length, got 1 and 2
    """


class NoRowsError(InputError):
    """Data without a single item."""


class FormError(InputError, TypeError):
    """Data in a form that a verb does not take, or too many or few of them."""


class UnknownNameError(EvenhandError, KeyError):
    """A name that a collection does not have.

    >>> import evenhand as eh
    >>> eh.score([[1]], metrics="macro_f1")["mcc"]
    Traceback (most recent call last):
    evenhand.errors.UnknownNameError: 'mcc' is not one of 'macro_f1'
    """


class MetricError(EvenhandError, ValueError):
    """A metric's name, parameters or calibration that make no sense here.

    >>> import evenhand as eh
    >>> eh.score([[1]], metrics="macro_f")
    Traceback (most recent call last):
    evenhand.errors.MetricError: no metric is called 'macro_f'; did you mean macro_f1...
    """


class EvenhandWarning(UserWarning):
    """Something that a reader of the score ought to know.

    >>> issubclass(EvenhandWarning, UserWarning)
    True
    """


def warn(text: str) -> None:
    """Show a warning at the line that called evenhand."""
    frame: Any = sys._getframe(1)
    level = 2
    while frame.f_back is not None and str(frame.f_globals.get("__name__")).startswith("evenhand"):
        frame, level = frame.f_back, level + 1
    warnings.warn(text, EvenhandWarning, stacklevel=level)


def shown(values: Iterable[object], limit: int = 5) -> str:
    """The first few of ``values`` for a message: ``'a', 'b', 'c' and 7 more``."""
    rows = list(values)
    if not rows:
        return "nothing"
    text = ", ".join(_short(v) for v in rows[:limit])
    more = len(rows) - limit
    return f"{text} and {more:,} more" if more > 0 else text


def _short(value: object) -> str:
    text = str(value) if isinstance(value, date | time | timedelta | Decimal) else repr(value)
    return text if len(text) <= 60 else f"{text[:59]}…"


def quoted(value: object) -> str:
    """A value for a message: as Python writes it if that is short, else its type.

    >>> quoted("95"), quoted([1, 2]), quoted(ValueError), quoted(range(10).__iter__())
    ("'95'", '[1, 2]', 'the class ValueError', 'a range_iterator')
    """
    if isinstance(value, type):
        return f"the class {value.__name__}"
    if value is None or isinstance(value, str | bytes | int | float | complex):
        return _short(value)
    name = type(value).__name__
    text = repr(value) if isinstance(value, list | tuple | dict | set | frozenset) else ""
    if text and "\n" not in text and len(text) <= 60:
        return text
    return f"{'an' if name[0] in 'aeinouAEIOU' else 'a'} {name}"


def nearest(name: Any, names: Iterable[Any]) -> str:
    """What may have been meant by a name, for the end of a message.

    >>> nearest("predicton", ["gold", "prediction"]), nearest("x", ["gold"])
    ("; did you mean 'prediction'?", '')
    """
    from difflib import get_close_matches

    close = get_close_matches(str(name), list(map(str, names)), 1, cutoff=0.75)
    return f"; did you mean {close[0]!r}?" if close else ""


_ELSEWHERE = {
    "average": "the name of the metric says it: macro_f1, micro_f1, weighted_f1, f1 for each class",
    "pos_label": "a class is named in the metric: f1:label=NAME, or label= of eh.f1",
    "sample_weight": "write weights=",
    "zero_division": "write undefined=",
    "normalize": "accuracy is a share; eh.count has the counts",
}
"""The keywords of scikit-learn, and what is written here."""


def unexpected(function: str, keyword: str, known: Iterable[str]) -> TypeError:
    """The error for a keyword that a function does not take, with what may have been meant.

    >>> print(unexpected("macro_f1", "sample_weight", []))
    macro_f1() got an unexpected keyword argument 'sample_weight'; write weights=
    """
    hint = _ELSEWHERE.get(keyword)
    hint = f"; {hint}" if hint else nearest(keyword, known)
    return TypeError(f"{function}() got an unexpected keyword argument {keyword!r}{hint}")


def is_name(value: object, names: Collection[str]) -> bool:
    """Whether ``value`` is a text and one of the names."""
    return isinstance(value, str) and value in names


def choice(value: Any, allowed: Collection[str | None], what: str) -> Any:
    """``value``, if it is one of the allowed words."""
    if not (value is None or isinstance(value, str)) or value not in allowed:
        *others, last = map(repr, allowed)
        words = f"{', '.join(others)} or {last}" if others else last
        words = f"one of {words}" if len(others) > 2 else words
        hint = nearest(value, filter(None, allowed))
        raise InputError(f"{what} must be {words}, got {quoted(value)}{hint}")
    return value


def sequence(values: Any, what: str, each: str = "values") -> list[Any]:
    """``values`` as a list: any iterable but a text."""
    with suppress(TypeError):
        if not isinstance(values, str | bytes | type):
            return list(values)
    raise InputError(f"{what} must be a list of {each}, got {quoted(values)}")


def some_of(values: Any, allowed: Collection[str], what: str) -> list[str]:
    """A list of one or more allowed names."""
    names = [values] if isinstance(values, str) else sequence(values, what, "names")
    unknown = [v for v in names if not is_name(v, allowed)]
    if unknown or not names:
        got = ", ".join(map(quoted, unknown[:5])) or "none"
        hint = nearest(unknown[0], allowed) if unknown else ""
        raise InputError(f"{what} must be among {shown(allowed, 12)}, got {got}{hint}")
    return names


def mapping(values: Any, what: str, each: str) -> Mapping[Any, Any]:
    """``values``, if they are a mapping that is not empty."""
    if not isinstance(values, Mapping) or not values:
        raise InputError(f"{what} must map {each}, got {quoted(values)}")
    return values


def whole_number(value: Any, what: str, low: int, high: int | None = None) -> int:
    """``value``, if it is a whole number from ``low`` to ``high``."""
    try:
        number = low - 1 if hasattr(value, "__len__") else int(operator.index(value))
    except TypeError:
        number = low - 1
    if number < low or (high is not None and number > high):
        ends = f"≥ {low}" if high is None else f"from {low} to {high:,}"
        raise InputError(f"{what} must be a whole number {ends}, got {quoted(value)}")
    return number


def is_number(value: Any) -> bool:
    """Whether ``value`` is one real number, of Python or as an array without axes."""
    return isinstance(value, Real) or (
        getattr(value, "shape", None) == ()
        and getattr(getattr(value, "dtype", None), "kind", "-") in "iufb"
    )


def real_number(value: Any, what: str, words: str, fits: Callable[[Any], bool]) -> Any:
    """``value``, if it is one real number that ``fits``; ``words`` say which do."""
    if not is_number(value) or not fits(value):
        raise InputError(f"{what} must be {words}, got {quoted(value)}")
    return value


def flag(value: Any, what: str) -> bool:
    """``value``, if it is true or false."""
    if isinstance(value, bool | int) or type(value).__name__ in ("bool", "bool_"):
        return bool(value)
    raise InputError(f"{what} must be True or False, got {quoted(value)}")


def heading(title: Any, usual: str) -> str:
    """A chart's title, or the ``usual`` one if there is none."""
    return instance("" if title is None else title, str, "title", "text") or usual


def instance(value: Any, kind: type | tuple[type, ...], what: str, words: str) -> Any:
    """``value``, if it is of a type; ``words`` name that type."""
    if not isinstance(value, kind):
        raise InputError(f"{what} must be {words}, got {quoted(value)}")
    return value


def callback(value: Any, what: str) -> Any:
    """``value``, if it can be called or is ``None``."""
    if value is not None and not callable(value):
        raise InputError(f"{what} must be a function or None, got {quoted(value)}")
    return value


def file_name(path: Any, what: str = "path") -> str:
    """The name of a file as text."""
    if not isinstance(path, str | os.PathLike) or not isinstance(os.fspath(path), str):
        raise InputError(f"{what} must be the name of a file, got {quoted(path)}")
    return os.fspath(path)

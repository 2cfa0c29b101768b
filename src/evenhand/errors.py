"""Errors, and how values are quoted in them."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date, time, timedelta
from decimal import Decimal
from typing import Any


@dataclass(frozen=True)
class Option:
    """An option that a message names, as Python spells it; the command line spells it otherwise."""

    name: str
    value: str | float = ""

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


def warn(text: str, kind: type[Warning] = EvenhandWarning) -> None:
    """Show a warning at the line that called evenhand."""
    frame: Any = sys._getframe(1)
    level = 2
    while frame.f_back is not None and str(frame.f_globals.get("__name__")).startswith("evenhand"):
        frame, level = frame.f_back, level + 1
    warnings.warn(text, kind, stacklevel=level)


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
    "normalize": "accuracy is a share: times the number of items it is the count",
    "confidence_level": "write level=",
    "alpha": "write level=1 − alpha",
    "n_resamples": "write replicates=",
    "random_state": "write seed=",
}
"""The keywords of scikit-learn and SciPy, and what is written here."""


def unexpected(function: str, keyword: str, known: Iterable[str]) -> TypeError:
    """The error for a keyword that a function does not take, with what may have been meant.

    >>> print(unexpected("macro_f1", "sample_weight", []))
    macro_f1() got an unexpected keyword argument 'sample_weight'; write weights=
    """
    hint = _ELSEWHERE.get(keyword)
    hint = f"; {hint}" if hint else nearest(keyword, known)
    return TypeError(f"{function}() got an unexpected keyword argument {keyword!r}{hint}")

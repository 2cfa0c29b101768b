"""The errors users meet: one base, few children."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date, time, timedelta
from decimal import Decimal


@dataclass(frozen=True)
class Option:
    """An option that a message names, as Python spells it; every other door has its own way."""

    name: str
    value: str = ""

    def __str__(self) -> str:
        return f"{self.name}={self.value!r}" if self.value else self.name


class EvenhandError(Exception):
    """Base of every error that evenhand raises on purpose; its arguments make up one sentence.

    >>> issubclass(InputError, EvenhandError) and issubclass(MetricError, EvenhandError)
    True
    >>> error = InputError("3 items lack one; ", Option("missing", "wrong"), " counts them")
    >>> error.said(lambda option: f"--{option.name} {option.value}")
    '3 items lack one; --missing wrong counts them'
    """

    def __str__(self) -> str:
        return self.said()

    def said(self, spell: Callable[[Option], str] = str) -> str:
        """The sentence, its options spelled as the reader gives them."""
        return "".join(spell(p) if isinstance(p, Option) else str(p) for p in self.args)


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


def shown(values: Iterable[object], limit: int = 5) -> str:
    """The first few of ``values`` for a message: ``'a', 'b', 'c' and 7 more``."""
    listed = list(values)
    if not listed:
        return "nothing"
    text = ", ".join(_short(v) for v in listed[:limit])
    more = len(listed) - limit
    return f"{text} and {more:,} more" if more > 0 else text


def _short(value: object, width: int = 60) -> str:
    text = str(value) if isinstance(value, date | time | timedelta | Decimal) else repr(value)
    return text if len(text) <= width else f"{text[: width - 1]}…"

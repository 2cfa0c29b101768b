"""Labels: their kinds, their order, and the words when they do not fit together."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import InputError, shown

Label: TypeAlias = str | int | float | bool
Labels: TypeAlias = tuple[Label, ...]

_WHOLE = re.compile(r"[+-]?[0-9]{1,300}")
_KINDS: tuple[tuple[str, tuple[type, ...]], ...] = (
    ("bool", (bool, np.bool_)),
    ("int", (int, np.integer)),
    ("float", (float, np.floating)),
    ("str", (str,)),
    ("bytes", (bytes,)),
)


def kind_of_type(t: type) -> str | None:
    """``bool``, ``int``, ``float``, ``str``, ``bytes``, or ``None`` for what is no label."""
    return next((name for name, types in _KINDS if issubclass(t, types)), None)


def is_null(value: object) -> bool:
    """Whether ``value`` stands for nothing: None, NaN, pandas' NA or NaT."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, float | np.floating) and math.isnan(value)


def plain(value: Any) -> Label:
    """A label as the Python value that it is, whatever library wrapped it."""
    if isinstance(value, bytes):
        try:
            return bytes(value).decode("utf-8")
        except UnicodeDecodeError:
            raise InputError(f"labels must be text in UTF-8, got {value!r}") from None
    if isinstance(value, np.longdouble):
        return narrowed(value)
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, str):
        return str.__str__(value)
    # An IntEnum is the number that it stands for.
    return int(value) if isinstance(value, int) and not isinstance(value, bool) else value


def narrowed(value: np.longdouble) -> float:
    """A long float as one of 64 bits, which it must be: more digits would be lost."""
    if np.longdouble(float(value)) != value:
        raise InputError(f"labels must be floats of 64 bits, got the longer {value!r}")
    return float(value)


def kind_of(values: Iterable[object], what: str) -> str | None:
    """The one kind that all ``values`` have; nulls aside; ``None`` if there are no others."""
    return one_kind({type(v) for v in values if not is_null(v)}, what)


def one_kind(types: Iterable[type], what: str) -> str | None:
    """The one kind of label that all ``types`` are, bytes read as text."""
    kinds: dict[str, type] = {}
    for t in sorted(types, key=lambda t: t.__name__):
        kind = kind_of_type(t)
        if kind is None:
            raise InputError(
                f"{what} must be text, integers, booleans or floats, got {t.__name__}; "
                "convert such labels to text first"
            )
        kinds["str" if kind == "bytes" else kind] = t
    if len(kinds) > 1:
        names = " and ".join(sorted(kinds))
        raise InputError(
            f"{what} must be of one type, got {names}; 1, '1', 1.0 and True are different labels"
        )
    return next(iter(kinds), None)


def read_as(labels: Iterable[Any], kind: str | None) -> list[Any]:
    """Labels given as text, as labels of a kind."""
    given = list(labels)
    makers: dict[str, Callable[[str], Label]] = {"int": int, "float": float, "bool": _boolean}
    make = makers.get(kind or "str", str)
    try:
        return [make(v) if isinstance(v, str) else v for v in given]
    except ValueError:
        raise InputError(f"labels must be {kind} as the truth is, got {shown(given)}") from None


def _boolean(text: str) -> bool:
    if text.lower() not in ("true", "false"):
        raise ValueError
    return text.lower() == "true"


def same_kind(a: str | None, b: str | None, what_a: str, what_b: str) -> str | None:
    """The kind that two sides share."""
    if a and b and a != b:
        hint = ""
        if {a, b} == {"int", "float"}:
            hint = " (pandas turns integers into floats where values are missing: use Int64)"
        raise InputError(
            f"{what_a} and {what_b} must have labels of one type, got {a} and {b}; "
            f"1, '1', 1.0 and True are different labels{hint}"
        )
    return a or b


def ordered(labels: Iterable[Label]) -> list[Label]:
    """Labels in the natural order of their type; text that is all whole numbers, as numbers.

    >>> ordered(["10", "2", "-1"]), ordered(["10", "2", "x"])
    (['-1', '2', '10'], ['10', '2', 'x'])
    """
    found = sorted(labels)
    if all(isinstance(v, str) and _WHOLE.fullmatch(v) for v in found):
        found.sort(key=int)
    return found


def is_ordered(labels: Sequence[Label]) -> bool:
    """Whether labels stand in their natural order; text that is whole numbers may also as text."""
    return list(labels) in (ordered(labels), sorted(labels))


def listed(labels: Iterable[Any], what: str) -> list[Any]:
    """``labels`` as a list."""
    if not hasattr(labels, "__iter__"):
        raise InputError(f"{what} must be a list of labels, got {labels!r}")
    return list(labels)


RULES = ("task", "true", "seen")
"""Rules for the classes of an average; a list of labels is the other way to choose them."""


def checked_rule(classes: str) -> str:
    """The name of a rule that there is."""
    if classes not in RULES:
        rules = ", ".join(map(repr, RULES))
        raise InputError(f"classes must be {rules} or a list of labels, got {classes!r}")
    return classes


def rule_or_list(classes: str | Iterable[Any]) -> str | list[Any]:
    """The classes of an average: the name of a rule, or a list of labels."""
    return classes if isinstance(classes, str) else listed(classes, "classes")


def among(classes: Iterable[Any], labels: Labels) -> NDArray[np.bool_]:
    """Which of the labels are listed; at least one must be."""
    wanted = listed(classes, "classes")
    if not wanted:
        raise InputError("classes must name at least one label, got none")
    mask = np.zeros(len(labels), bool)
    mask[positions(wanted, labels)] = True
    return mask


def in_order(values: Iterable[Any], what: str) -> list[Any]:
    """``values`` as a list, if they have an order of their own to be listed in."""
    if isinstance(values, set | frozenset | Mapping):
        raise InputError(f"{what} must be in order, got a {type(values).__name__}: give a list")
    return listed(values, what)


def checked(labels: Iterable[Any], *, length: int | None = None) -> Labels:
    """``labels`` as a tuple: one kind, no nulls, none twice, as many as the table has classes."""
    given = in_order(labels, "labels")
    if not given:
        raise InputError("labels must name at least one class, got none")
    missing = [v for v in given if is_null(v)]
    if missing:
        raise InputError(f"labels must not be null, got {shown(missing)}")
    kind_of(given, "labels")
    result = tuple(plain(v) for v in given)
    twice = sorted(v for v, times in Counter(result).items() if times > 1)
    if twice:
        raise InputError(f"labels must be distinct, got {shown(twice)} more than once")
    if length is not None and len(result) != length:
        raise InputError(
            f"labels must have length {length} (one per row of the matrix), got {len(result)}"
        )
    return result


def positions(wanted: Iterable[Any], labels: Sequence[Label], what: str = "classes") -> list[int]:
    """Where each of ``wanted`` stands in ``labels``; a typed label or the text that shows it."""
    at: dict[Any, int] = {(type(v), v): i for i, v in enumerate(labels)}
    text = {str(v): i for i, v in enumerate(labels)}
    found, unknown = [], []
    for w in listed(wanted, what):
        value = plain(w)
        index = at.get((type(value), value))
        if index is None and isinstance(value, str):
            index = text.get(value)
        if index is None:
            unknown.append(value)
        else:
            found.append(index)
    if unknown and isinstance(wanted, str):
        raise InputError(f"{what} must be a list of labels, got the text {wanted!r}")
    if unknown:
        raise InputError(f"{what} must be among {shown(labels, 8)}, got {shown(unknown)}")
    return found


def key_text(key: object) -> str:
    """The key of a slice as a heading."""
    if isinstance(key, tuple):
        return ", ".join(map(key_text, key))
    return "(empty)" if key is None else str(key)

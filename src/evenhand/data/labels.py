"""Labels: their types, their order, and checks that they fit together."""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import InputError, Option, nearest, shown
from evenhand.options import label_list
from evenhand.warnings import PositiveClass, ResultWarning

Label: TypeAlias = str | int | float | bool
Labels: TypeAlias = tuple[Label, ...]


@dataclass(frozen=True, eq=False, kw_only=True)
class Counting:
    """How items are counted: the classes to expect, and what stands beside each item.

    ``weights``, ``cluster`` and ``by`` (slices) have a value per item, or name columns of a frame;
    ``counts`` are how many equal items a row stands for. ``names`` are what errors call the truth
    and the predictions of each system.
    """

    labels: Iterable[Any] | None = None
    weights: Any = None
    counts: Any = None
    cluster: Any = None
    by: Any = None
    drop_null_truth: bool = False
    names: Sequence[str] = ()


INTEGER_TEXT = re.compile(r"[+-]?[0-9]{1,300}")
_PRINTED_INTEGER = re.compile(r"-?(0|[1-9][0-9]{0,300})(\.0)?")
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
    """Whether ``value`` is None, NaN, or pandas' NA or NaT."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, float | np.floating) and math.isnan(value)


def plain(value: Any) -> Label:
    """A label as a plain Python value."""
    if isinstance(value, bytes):
        try:
            return bytes(value).decode("utf-8")
        except UnicodeDecodeError:
            raise InputError(f"labels must be text in UTF-8, got {value!r}") from None
    if isinstance(value, np.floating):
        return float(value)
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, str):
        return str.__str__(value)
    # An IntEnum is the number that it stands for.
    return int(value) if isinstance(value, int) and not isinstance(value, bool) else value


def no_labels(what: str, kind: object) -> InputError:
    """The error for values of a kind that no label has."""
    return InputError(
        f"{what} must be text, integers, booleans or floats, got {kind}; "
        "convert such labels to text first"
    )


def kind_of(values: Iterable[object], what: str) -> str | None:
    """The kind of all ``values`` that are not null; ``None`` if there are none."""
    return one_kind({type(v) for v in values if not is_null(v)}, what)


def one_kind(types: Iterable[type], what: str) -> str | None:
    """The kind of label that all ``types`` are, where bytes are text."""
    kinds: dict[str, type] = {}
    for t in sorted(types, key=lambda t: t.__name__):
        kind = kind_of_type(t)
        if kind is None:
            raise no_labels(what, t.__name__)
        kinds["str" if kind == "bytes" else kind] = t
    if len(kinds) > 1:
        names = " and ".join(sorted(kinds))
        raise InputError(
            f"{what} must be of one type, got {names}; 1, '1', 1.0 and True are different labels"
        )
    return next(iter(kinds), None)


def read_as(labels: Iterable[Any], kind: str | None) -> list[Any]:
    """Labels that may be given as text, as labels of a kind."""
    values = list(labels)
    flags = {"true": True, "false": False}
    types: dict[str, Callable[[str], Label]] = {"int": int, "float": float}
    convert = (lambda v: flags[v.lower()]) if kind == "bool" else types.get(kind or "", str)
    try:
        return [convert(v) if isinstance(v, str) else v for v in values]
    except (ValueError, KeyError):
        raise InputError(f"labels must be {kind} as the truth is, got {shown(values)}") from None


def same_kind(a: str | None, b: str | None, what_a: str, what_b: str) -> str | None:
    """The kind that two sides share."""
    if a and b and a != b:
        hint = "1, '1' and True are different labels"
        if {a, b} == {"int", "float"}:
            hint = "floats are integers only where all of them are whole and below 2^53"
        elif "float" in (a, b):
            hint = "class probabilities are arrays of numbers from 0 to 1: score(y_true, p)"
        raise InputError(
            f"{what_a} and {what_b} must have labels of one type, got {a} and {b}; {hint}"
        )
    return a or b


Spellings: TypeAlias = dict[tuple[type, Label], Label]
"""New labels by the type and value of the old ones: 1, 1.0 and True are equal in Python."""


def common_spellings(columns: Sequence[Iterable[Label]]) -> Spellings:
    """One spelling of numbers and booleans that columns write differently: 1 and 1.0, True, true.

    pandas writes integers as floats once a value is missing. If the first column, the truth, has
    two spellings of one value, or another of a value that is not true, they are different labels.
    ``1`` and ``"1"`` are always different.

    >>> common_spellings([["0", "1"], ["0.0", "2.0"]])
    {(<class 'str'>, '0.0'): '0', (<class 'str'>, '2.0'): '2'}
    >>> common_spellings([["1", "1.0"], ["1.0"]]), common_spellings([["1", "0"], ["1", "1.0"]])
    ({}, {(<class 'str'>, '1.0'): '1'})
    """
    values = [list(column) for column in columns]
    types = {type(v) for column in values for v in column}
    spellings: Spellings = {}
    if types == {int, float} and all(_integer(v) is not None for c in values for v in c):
        spellings |= _common(values, _integer, int)
    if types == {str}:
        spellings |= _common(values, _integer, str)
    if types in ({str}, {bool, str}):
        flags = [v for column in values for v in sorted(column) if _flag(v) is not None]
        texts = (v for column in values for v in column if isinstance(v, str))
        if flags and isinstance(flags[0], bool) and all(_flag(v) is not None for v in texts):
            spellings |= _common(values, _flag, bool)
        else:
            first = next((v for v in flags if isinstance(v, str)), "true")
            style = next((f for f in (str.upper, str.title) if f(first) == first), str.lower)
            spellings |= _common(values, _flag, lambda flag: style(str(flag)))
    return spellings


def _common(
    columns: Sequence[Sequence[Label]],
    value: Callable[[Label], int | None],
    spelling: Callable[[Any], Label],
) -> Spellings:
    """One spelling of each value, if columns differ in some and the first has one of each."""
    spellings: dict[int, set[tuple[type, Label]]] = {}
    for column in columns:
        known = [(x, (type(v), v)) for v in column if (x := value(v)) is not None]
        twice = Counter(x for x, _ in known)
        if any(times > 1 and x not in spellings for x, times in twice.items()):
            return {}
        for x, old in known:
            spellings.setdefault(x, set()).add(old)
    if all(len(variants) < 2 for variants in spellings.values()):
        return {}
    pairs = ((x, old) for x in sorted(spellings) for old in sorted(spellings[x], key=str))
    new = {old: spelling(x) for x, old in pairs}
    return {old: label for old, label in new.items() if old != (type(label), label)}


def _integer(label: Label) -> int | None:
    """The integer that a label is, as a number or as text."""
    if isinstance(label, str):
        return int(label.removesuffix(".0")) if _PRINTED_INTEGER.fullmatch(label) else None
    if isinstance(label, float):
        return int(label) if label.is_integer() and abs(label) < 1 << 53 else None
    return int(label)


def _flag(label: Label) -> bool | None:
    """The truth value that a label is, as a boolean or as text in any case."""
    if isinstance(label, str):
        return {"true": True, "false": False}.get(label.casefold())
    return label if isinstance(label, bool) else None


def folded(label: Label) -> str:
    """A label without case, spaces and invisible characters, in one Unicode form.

    >>> folded("Not  Spam") == folded("not\u00adspam ")
    True
    """
    text = unicodedata.normalize("NFKC", str(label)).casefold()
    visible = text if text.isascii() else (c for c in text if unicodedata.category(c) != "Cf")
    return "".join("".join(visible).split())


def lookalikes(labels: Iterable[Label]) -> tuple[str, ...]:
    """Texts that differ only in case, spaces, Unicode form or a decimal 0, side by side.

    >>> lookalikes(["neg", "pos", "Neg ", "1", "1.0"])
    ('1', '1.0', 'Neg ', 'neg')
    """
    groups: dict[str | int, list[str]] = {}
    for text in labels:
        if isinstance(text, str):
            number = _integer(text)
            groups.setdefault(folded(text) if number is None else number, []).append(text)
    return tuple(
        v for group in sorted(map(sorted, groups.values())) if len(group) > 1 for v in group
    )


def ordered(labels: Iterable[Label]) -> list[Label]:
    """Labels in the natural order of their type; text that is all whole numbers, as numbers.

    >>> ordered(["10", "2", "-1"]), ordered(["10", "2", "x"])
    (['-1', '2', '10'], ['10', '2', 'x'])
    """
    values = sorted(labels)
    if all(isinstance(v, str) and INTEGER_TEXT.fullmatch(v) for v in values):
        values.sort(key=int)
    return values


def is_ordered(labels: Sequence[Label]) -> bool:
    """Whether labels are in their natural order; integers as text may also be sorted as text."""
    return list(labels) in (ordered(labels), sorted(labels))


def among(classes: Iterable[Any], labels: Labels) -> NDArray[np.bool_]:
    """Mask of the labels that are among ``classes``, which must not be empty."""
    listed_classes = label_list(classes, "classes")
    if not listed_classes:
        raise InputError("classes must name at least one label, got none")
    mask = np.zeros(len(labels), bool)
    mask[positions(listed_classes, labels)] = True
    return mask


def in_order(values: Iterable[Any], what: str) -> list[Any]:
    """``values`` as a list, if their type has an order."""
    if isinstance(values, set | frozenset | Mapping):
        raise InputError(f"{what} must be in order, got a {type(values).__name__}: give a list")
    return label_list(values, what)


def checked(
    labels: Iterable[Any], *, length: int | None = None, each: str = "row of the matrix"
) -> Labels:
    """``labels`` as a tuple of one kind, without nulls and duplicates, of a certain ``length``."""
    values = in_order(labels, "labels")
    if not values:
        raise InputError("labels must name at least one class, got none")
    missing = [v for v in values if is_null(v)]
    if missing:
        raise InputError(f"labels must not be null, got {shown(missing)}")
    kind_of(values, "labels")
    names = tuple(plain(v) for v in values)
    twice = sorted(v for v, times in Counter(names).items() if times > 1)
    if twice:
        raise InputError(f"labels must be distinct, got {shown(twice)} more than once")
    if length is not None and len(names) != length:
        raise InputError(f"labels must have length {length} (one per {each}), got {len(names)}")
    return names


def positions(
    classes: Iterable[Any], labels: Sequence[Label], what: str | Option = "classes"
) -> list[int]:
    """The index of each class in ``labels``; a class is a label or its text."""
    by_text: dict[Any, int] = {(str, str(v)): i for i, v in enumerate(labels)}
    places = by_text | {(type(v), v): i for i, v in enumerate(labels)}
    values = [plain(v) for v in label_list(classes, str(what))]
    indices = [places.get((type(v), v)) for v in values]
    unknown = [v for v, i in zip(values, indices, strict=True) if i is None]
    if unknown and isinstance(classes, str):
        raise InputError(f"{what} must be a list of labels, got the text {classes!r}")
    if unknown:
        hint = nearest(unknown[0], labels)
        raise InputError(what, f" must be among {shown(labels, 8)}, got {shown(unknown)}{hint}")
    return [i for i in indices if i is not None]


# Two classes

_PAIRS = (
    "1 0", "1 -1", "true false", "t f", "yes no", "y n", "positive negative", "pos neg", "spam ham",
    "diseased healthy", "case control", "abnormal normal",
)  # fmt: skip
"""Positive and negative labels that are called so."""


def positive_label(labels: Labels) -> Label | None:
    """The positive of two labels that can only be meant so: ``1`` of 0 and 1, ``spam`` of ham.

    >>> positive_label((0, 1)), positive_label(("No", "Yes")), positive_label(("not red", "red"))
    (1, 'Yes', 'red')
    >>> positive_label(("cat", "dog")), positive_label(("a", "b", "c"))
    (None, None)
    """
    if len(labels) != 2:
        return None
    for label, other in (labels, labels[::-1]):
        a, b = (str(v).casefold().strip().removesuffix(".0") for v in (label, other))
        if f"{a} {b}" in _PAIRS or re.fullmatch(rf"(not?|non)[ _-]?{re.escape(a)}", b):
            return label
    return None


def stated_positive(
    label: Any, labels: Labels, notes: Iterable[ResultWarning] = ()
) -> Label | None:
    """The label of the data that was stated to be the positive one, by an option or the data."""
    if label is None:
        label = next((note.label for note in notes if isinstance(note, PositiveClass)), None)
    return None if label is None else labels[positions([label], labels, Option("positive"))[0]]

"""Forms of JSON: what has been seen in a place, as a pattern that knows it and as a column's type.

A file of a million objects has few forms: they are learnt from the lines that no pattern knows yet.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, NoReturn

from evenhand.errors import InputError, shown

EXACT = 1 << 53
"""Up to here, decimals tell integers apart."""
_INTEGERS = ("integers", "integers too large to be decimals", "integers beyond 64 bits")
_S = r"[ \t\r\n]*"
_PAIR = r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
_ESCAPE = rf'\\["\\/bfnrt]|\\u(?:[0-9abcefABCEF][0-9a-fA-F]|[dD][0-7])[0-9a-fA-F]{{2}}|{_PAIR}'
_PATTERNS = {
    "text": rf'"(?:[^"\\\x00-\x1f]|{_ESCAPE})*"',
    "integers": r"-?(?:0|[1-9][0-9]{0,14})",
    "integers too large to be decimals": r"-?(?:[1-9][0-9]{15,17}|[1-8][0-9]{18})",
    "decimals": r"-?(?:0|[1-9][0-9]{0,99})(?:\.[0-9]+(?:[eE][-+]?[0-9]{1,2})?|[eE][-+]?[0-9]{1,2})",
    "booleans": "true|false",
    "null": "null",
}
"""What certainly is a value of a kind; what is none of these may be one all the same."""


class Object(list[tuple[str, Any]]):
    """The pairs of a JSON object, twins included."""


@dataclass
class Form:
    """The values of one place: their kinds, the form of what is in lists, and of each field.

    ``orders`` are the orders of keys that objects have; all but the first may lack.

    >>> form = Form()
    >>> form.add(1), form.add(2.5)
    (None, None)
    >>> form.dtype
    Float64
    >>> form.add("a")
    >>> form.dtype, form.words
    (None, 'decimals and integers and text')
    """

    kinds: set[str] = field(default_factory=set)
    inner: Form | None = None
    fields: dict[str, Form] = field(default_factory=dict)
    orders: list[list[str]] = field(default_factory=list)

    def add(self, value: Any) -> None:
        """Take another value in."""
        self.kinds.add(_kind(value))
        if isinstance(value, Object):
            for key, inner in value:
                self.fields.setdefault(key, Form()).add(inner)
            self._place([key for key, _ in value])
        elif isinstance(value, list):
            self.inner = self.inner or Form()
            for inner in value:
                self.inner.add(inner)

    def _place(self, keys: list[str]) -> None:
        """Make room for the keys in an order that has them, or in one of their own."""
        for i, order in enumerate(self.orders):
            both = _merged(order, keys) if order[:1] == keys[:1] else []
            if both and len(set(both)) == len(both):
                self.orders[i] = both
                return
        if len(set(keys)) == len(keys):
            self.orders.append(keys)

    @property
    def pattern(self) -> str:
        """A pattern of values such as these, each of them certainly JSON with every key once."""
        found = [_PATTERNS[kind] for kind in sorted(self.kinds) if kind in _PATTERNS]
        if self.inner is not None:
            each = self.inner.pattern
            found.append(rf"\[{_S}(?:{each}(?:{_S},{_S}{each})*{_S})?\]")
        for order in self.orders:
            first, *others = (self._pair(key) for key in order) if order else ("",)
            found.append(rf"\{{{_S}{first}{''.join(rf'(?:,{_S}{p})?' for p in others)}\}}")
        return f"(?:{'|'.join(found)})"

    def _pair(self, key: str) -> str:
        import polars as pl

        spelled = {pl.escape_regex(json.dumps(key, ensure_ascii=a)) for a in (False, True)}
        return rf"(?:{'|'.join(sorted(spelled))}){_S}:{_S}{self.fields[key].pattern}{_S}"

    @property
    def dtype(self) -> Any:
        """The one type of a column of such values, or ``None``; of objects, of the fields so."""
        import polars as pl

        kinds = self.kinds - {"null"}
        if kinds <= {*_INTEGERS}:
            whole = pl.Int128() if "integers beyond 64 bits" in kinds else pl.Int64()
            return whole if kinds else pl.Null()
        if kinds <= {"integers", "decimals"}:
            return pl.Float64()
        if len(kinds) > 1:
            return None
        if self.inner is not None:
            of = self.inner.dtype
            return None if of is None else pl.List(of)
        if self.fields or kinds == {"objects"}:
            types = {key: form.dtype for key, form in self.fields.items()}
            return pl.Struct({key: dtype for key, dtype in types.items() if dtype is not None})
        return {"text": pl.String(), "booleans": pl.Boolean()}.get(*kinds)

    @property
    def words(self) -> str:
        """The kinds, in words; of lists, what is in them."""
        kinds = self.kinds - {"null"}
        if kinds == {"lists"} and self.inner is not None:
            return self.inner.words
        if "decimals" not in kinds:
            kinds = {"integers" if kind in _INTEGERS else kind for kind in kinds}
        return " and ".join(sorted(kinds))


def _kind(value: Any) -> str:
    """What a value is."""
    if isinstance(value, int) and not isinstance(value, bool):
        limits = (EXACT, (1 << 63) - 1, (1 << 127) - 1)
        known = zip(limits, _INTEGERS, strict=True)
        return next((kind for most, kind in known if abs(value) <= most), "endless integers")
    kinds = {Object: "objects", list: "lists", str: "text", float: "decimals", bool: "booleans"}
    return "null" if value is None else kinds[type(value)]


def _merged(order: list[str], keys: list[str]) -> list[str]:
    """Both in one order; what they do not have in the same order comes twice."""
    found, rest = [], keys
    for key in order:
        at = rest.index(key) + 1 if key in rest else 0
        found += rest[:at] or [key]
        rest = rest[at:]
    return found + rest


def parsed(text: str, where: str) -> Any:
    """What a text of JSON holds, read strictly: whole characters, numbers of JSON."""
    try:
        found = json.loads(
            text, object_pairs_hook=Object, parse_constant=_no_number, parse_float=_decimal
        )
    except json.JSONDecodeError as e:
        line = f"line {e.lineno}, " if e.lineno > 1 else ""
        got = f"{e.msg} ({line}character {e.colno})"
        raise InputError(f"{where}: expected JSON, got {got}") from None
    except (ValueError, RecursionError) as e:
        raise InputError(f"{where}: expected JSON, got {e}") from None
    if "\\u" in text and not is_text(found):
        raise InputError(f"{where}: expected text, got half a character{_place_of(found)}")
    return found


def parsed_object(text: str, where: str) -> Object:
    """The same, if it is an object."""
    found = parsed(text, where)
    if not isinstance(found, Object):
        raise InputError(f"{where}: expected a JSON object, got {shown([found])}")
    return found


def _place_of(found: Any) -> str:
    pairs = found if isinstance(found, Object) else ()
    return next((f" at {k!a}" for k, v in pairs if not (is_text(k) and is_text(v))), "")


def _no_number(text: str) -> NoReturn:
    """Refuse what Python would take for a number."""
    raise ValueError(f"{text}, which is no number of JSON")


def _decimal(text: str) -> float:
    found = float(text)
    return _no_number(text[:20]) if abs(found) == float("inf") else found


def is_text(value: Any) -> bool:
    """Whether all text in a value is text: half of a surrogate pair is none."""
    if isinstance(value, list | tuple):
        return all(map(is_text, value))
    return not isinstance(value, str) or not any("\ud800" <= c <= "\udfff" for c in value)


def keys_twice(found: Object) -> list[str]:
    """The keys that an object has more than once, or under which one does."""
    keys = [key for key, _ in found]
    again = (keys.count(key) > 1 or _any_twice(value) for key, value in found)
    return list(dict.fromkeys(key for key, twice in zip(keys, again, strict=True) if twice))


def _any_twice(value: Any) -> bool:
    if isinstance(value, Object):
        return bool(keys_twice(value))
    return isinstance(value, list) and any(map(_any_twice, value))

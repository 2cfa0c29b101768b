"""JSON that any reader understands: undefined is null, infinities are strings, never NaN."""

from __future__ import annotations

import json
import re
from json.encoder import encode_basestring
from math import isfinite, isnan
from typing import Any

SCHEMA = 1

_UNSAFE = re.compile("[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")
"""What JSON allows raw and a terminal or an encoder does not take well."""

_PLAIN = frozenset({str, int, bool, type(None)})


def encodable(value: Any) -> Any:
    """``value`` in plain JSON types, arrays as lists."""
    if type(value) in _PLAIN:  # asked first, as a result may hold millions
        return value
    if type(value) is float:
        if isfinite(value):
            return value
        return None if isnan(value) else "inf" if value > 0 else "-inf"
    if isinstance(value, dict):
        return {str(k): encodable(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [encodable(v) for v in value]
    if hasattr(value, "tolist"):
        return encodable(value.tolist())
    if isinstance(value, float):
        return encodable(float(value))
    return value if isinstance(value, str | int) else str(value)


def record(content: dict[str, Any]) -> dict[str, Any]:
    """A result's ``to_dict``: plain JSON types throughout."""
    return {name: encodable(value) for name, value in content.items()}


def dumps(value: Any) -> str:
    """One JSON document; what a terminal would obey is escaped, and nothing is lost."""
    return _UNSAFE.sub(lambda m: f"\\u{ord(m[0]):04x}", _written(value, "\n"))


def _written(value: Any, line: str) -> str:
    """``value`` as the standard library writes it with an indent of two, which it does in Python.

    ``line`` is a line's end with the indent of the next one.
    """
    kind = type(value)
    if kind is float and isfinite(value):
        return repr(value)
    if kind is str:
        return encode_basestring(value)
    if kind is dict:
        inner = line + "  "
        entries = [f"{encode_basestring(str(k))}: {_written(v, inner)}" for k, v in value.items()]
        return f"{{{inner}{f',{inner}'.join(entries)}{line}}}" if entries else "{}"
    if kind is list or kind is tuple:
        inner = line + "  "
        entries = [_written(v, inner) for v in value]
        return f"[{inner}{f',{inner}'.join(entries)}{line}]" if entries else "[]"
    if kind is int:
        return repr(value)
    if value is None:
        return "null"
    plain = encodable(value)
    if plain is value:  # a boolean, or of some type that is text or a number too
        return json.dumps(value, ensure_ascii=False)
    return _written(plain, line)

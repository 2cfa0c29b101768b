"""JSON that any reader understands: undefined is null, infinities are strings, never NaN."""

from __future__ import annotations

import json
import math
import re
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
        if math.isfinite(value):
            return value
        return None if math.isnan(value) else "inf" if value > 0 else "-inf"
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
    text = json.dumps(encodable(value), ensure_ascii=False, indent=2, allow_nan=False)
    return _UNSAFE.sub(lambda m: f"\\u{ord(m[0]):04x}", text)

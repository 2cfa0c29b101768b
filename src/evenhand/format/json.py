"""JSON that any reader understands: undefined is null, infinities are strings, never NaN."""

from __future__ import annotations

import json
import math
from typing import Any

SCHEMA = 1


def encodable(value: Any) -> Any:
    """``value`` in plain JSON types, arrays as lists."""
    if isinstance(value, dict):
        return {str(k): encodable(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [encodable(v) for v in value]
    if hasattr(value, "tolist"):
        return encodable(value.tolist())
    if isinstance(value, float):
        if math.isnan(value):
            return None
        if math.isinf(value):
            return "inf" if value > 0 else "-inf"
    return value


def record(content: dict[str, Any]) -> dict[str, Any]:
    """A result's ``to_dict``: plain JSON types throughout."""
    return {name: encodable(value) for name, value in content.items()}


def dumps(value: Any) -> str:
    """One JSON document."""
    return json.dumps(encodable(value), ensure_ascii=False, indent=2, allow_nan=False)

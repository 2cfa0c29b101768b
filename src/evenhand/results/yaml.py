"""YAML as others read it: mappings, lists and plain values, every text in quotes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any


def dumps(value: Any) -> str:
    """One document; texts are written as in JSON, which is YAML too, so that none is misread.

    >>> print(dumps({"version": 2, "on": True, "columns": [{"title": "no", "index": 0}]}))
    version: 2
    on: True
    columns:
      - title: "no"
        index: 0
    """
    return "\n".join(_lines(value))


def _lines(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, part in value.items():
            if isinstance(part, dict | list) and part:
                yield f"{key}:"
                yield from (f"  {line}" for line in _lines(part))
            else:
                yield f"{key}: {_plain(part)}"
    else:
        for part in value:
            if isinstance(part, dict | list) and part:
                first, *rest = _lines(part)
                yield f"- {first}"
                yield from (f"  {line}" for line in rest)
            else:
                yield f"- {_plain(part)}"


def _plain(value: Any) -> str:
    if isinstance(value, bool):
        return str(value)
    if value is None:
        return "null"
    if isinstance(value, int | float):
        return repr(value)
    return json.dumps(value, ensure_ascii=True)

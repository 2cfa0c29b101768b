"""Exact names of columns, for Polars, which takes some names for patterns."""

from __future__ import annotations

import re
from typing import Any


def exact(name: str) -> str:
    """What finds the column of just that name: ``*`` and ``^…$`` would find others."""
    pattern = name == "*" or (name.startswith("^") and name.endswith("$"))
    return f"^{re.escape(name)}$" if pattern else name


def values_of(frame: Any, name: str) -> Any:
    """A column without its name, by which Polars' methods of a series would look for it again."""
    return frame[name].alias("")

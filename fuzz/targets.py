"""The targets by name, and which share of the cases each has by default."""

from __future__ import annotations

from fuzz.outcome import Target
from fuzz.tables import tables

TARGETS: dict[str, Target] = {"tables": tables}
SHARES = {"tables": 0.6, "signatures": 0.25, "saved": 0.12, "text": 0.018, "commands": 0.012}

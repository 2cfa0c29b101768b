"""The targets by name, and which share of the cases each has by default."""

from __future__ import annotations

from fuzz.commands import commands
from fuzz.outcome import Target
from fuzz.saved import saved
from fuzz.signatures import signatures
from fuzz.tables import tables
from fuzz.text import text

TARGETS: dict[str, Target] = {
    "tables": tables,
    "signatures": signatures,
    "saved": saved,
    "text": text,
    "commands": commands,
}
SHARES = {"tables": 0.55, "signatures": 0.325, "saved": 0.1, "text": 0.015, "commands": 0.01}
"""So that all take about as long."""

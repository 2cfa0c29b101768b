"""The targets by name, and which share of the cases each has by default."""

from __future__ import annotations

from fuzz.calls import calls
from fuzz.commands import commands
from fuzz.drop_in import drop_in
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
    "drop_in": drop_in,
    "calls": calls,
}
SHARES = {
    "tables": 0.52,
    "signatures": 0.32,
    "saved": 0.1,
    "text": 0.015,
    "commands": 0.01,
    "drop_in": 0.015,
    "calls": 0.02,
}
"""So that all take about as long."""

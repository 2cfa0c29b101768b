"""What a gate shows, in sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evenhand.deciding.check import POWER, Check
from evenhand.results.text import counted, level_text, number, percent, points, visible
from evenhand.tables.labels import key_text

if TYPE_CHECKING:
    from evenhand.deciding.gating import Gate


def line(gate: Gate) -> str:
    """The decision in one line: what was to be shown, and the check that decides."""
    c = gate.decides
    many = len(gate.checks)
    if gate.passed:
        others = f" and {counted(many - 1, 'other check')}" if many > 1 else ""
        return f"passed: {_claim(gate, c)} on {_where(c)}{others}: {_seen(gate, c)}"
    failed = sum(not x.passed for x in gate.checks)
    head = f"failed ({failed} of {counted(many, 'check')}): " if many > 1 else "failed: "
    if c.same:
        return f"{head}{_names(gate)} have {_seen(gate, c)}: neither is better"
    if c.outcome == "unknown":
        return f"{head}it cannot be decided on {_where(c)}: {_why(c)}"
    if c.outcome == "refuted":
        return f"{head}{_against(gate, c)} on {_where(c)}: {_seen(gate, c)}"
    more = ""
    if c.needed is not None and c.needed > c.n:
        few = counted(float(f"{c.needed:.2g}"), "item")
        more = f"; about {few} let equally good systems pass {percent(POWER)} of the time"
    return f"{head}it is not shown that {_claim(gate, c)} on {_where(c)}: {_seen(gate, c)}{more}"


def check_words(check: Check) -> str:
    """The outcome of a check in a table."""
    return f"{check.outcome} (same answers)" if check.same else check.outcome


def deciding_words(gate: Gate) -> str:
    """How the checks were made and what they are worth."""
    first = (
        "Low and high end one-sided intervals of the difference by score tests on the same items"
    )
    slices = len({key_text(c.slice) for c in gate.checks if c.slice is not None})
    if slices:
        first += f"; over {counted(slices, 'slice')} they are corrected by Holm's step-down"
    return (
        f"{first}. All must pass: a new system that fails one at the margin passes the gate in at "
        f"most {level_text(1 - gate.level)} of cases. It speaks of items like these."
    )


def _names(gate: Gate) -> str:
    return f"{visible(gate.new)} and {visible(gate.old)}"


def _size(gate: Gate, check: Check) -> str:
    return points(gate.margin) if check.points else number(gate.margin, 4)


def _claim(gate: Gate, check: Check) -> str:
    new, old, size = visible(gate.new), visible(gate.old), _size(gate, check)
    if gate.test == "equivalent":
        return f"{new} is within {size} of {old}"
    if gate.test == "noninferior":
        return f"{new} is not worse than {old} by more than {size}"
    return f"{new} is better than {old}{f' by more than {size}' if gate.margin else ''}"


def _against(gate: Gate, check: Check) -> str:
    new, old, size = visible(gate.new), visible(gate.old), _size(gate, check)
    if gate.test == "equivalent":
        return f"{new} differs from {old} by more than {size}"
    if gate.test == "noninferior":
        return f"{new} is worse than {old} by more than {size}"
    return f"{new} is not better than {old}{f' by more than {size}' if gate.margin else ''}"


def _where(check: Check) -> str:
    inside = "" if check.slice is None else f" in slice {visible(key_text(check.slice))}"
    return f"{visible(check.metric)}{inside}"


def _seen(gate: Gate, check: Check) -> str:
    if check.same:
        where = "" if check.alike == check.n else f" that concern {visible(check.metric)}"
        return f"the same answer on {counted(check.alike or 0, 'item')}{where}"
    assert check.low is not None and check.high is not None and check.level is not None
    low, high = (_signed(check, x, unit=False) for x in (check.low, check.high))
    ends = f"between {low} and {high}"
    if gate.test != "equivalent":
        least = (check.better == "higher") != (check.outcome == "refuted")
        ends = f"at least {low}" if least else f"at most {high}"
    return f"difference {_signed(check, check.value)}, {ends} ({level_text(_rounded(check.level))})"


def _signed(check: Check, x: float, *, unit: bool = True) -> str:
    text = points(x) if check.points else number(x, 4)
    text = text if text.startswith("−") or not x else f"+{text}"
    return text if unit else text.removesuffix(" points").removesuffix(" point")


def _why(check: Check) -> str:
    if check.value != check.value:
        return "the metric is undefined there"
    return "the difference has no error, as of too few items or clusters, or an infinite slope"


def _rounded(level: float) -> float:
    """A level that a correction has left, in as many digits as tell it from 1."""
    return 1 - float(f"{1 - level:.2g}")

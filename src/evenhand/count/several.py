"""Several: whether a verb was given one system or more, and in which form it takes them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from evenhand.count.forms import refusal, what_came
from evenhand.count.given import Given, by_column, systems_of, table_of
from evenhand.errors import InputError, shown
from evenhand.tables.confusion import Confusion
from evenhand.tables.sample import Sample, SoftSample
from evenhand.tables.systems import Systems


def of_several(given: Given) -> bool:
    """Whether the data are of more than one system."""
    if given.of_frame:
        one = isinstance(given.pred, str) or not hasattr(given.pred, "__len__")
        return not one and len(given.pred or ()) > 1
    data = given.positional
    if len(data) == 2 and isinstance(data[1], Mapping):
        return len(data[1]) > 1
    if len(data) != 1:
        return len(data) > 2 or (len(data) == 2 and by_column(*data))
    (whole,) = data
    if isinstance(whole, Systems):
        return len(whole.systems) > 1
    return isinstance(whole, Mapping) or (isinstance(whole, Confusion) and bool(whole.shape))


def sample_of(given: Given) -> Sample | SoftSample:
    """At least two systems on the same items, not their tables alone."""
    found = systems_of(given)
    if not isinstance(found, Sample | SoftSample):
        raise refusal(given.verb, what_came((found,)))
    return found


def at_baseline(systems: Sequence[str], baseline: str | None) -> int | None:
    """Where the system stands that the others are held against, if one is named."""
    if baseline is None:
        return None
    if baseline not in systems:
        raise InputError(f"baseline must be one of {shown(systems)}, got {baseline!r}")
    return systems.index(baseline)


def stack_of(data: Any) -> Confusion:
    """The tables of a sample's systems, or a stack of tables by system as it is."""
    tables = data.tables() if isinstance(data, Systems) else data
    if not isinstance(tables, Confusion) or len(tables.shape) != 1:
        raise InputError("panel is for a sample, or for a stack of tables by system")
    return tables


def one_table(data: Any) -> Confusion:
    """One table with labels, from whatever was given."""
    table = table_of(Given("confusion", (data,)))
    if isinstance(table, Confusion) and table.shape == (1,):
        table = table[0]
    if not isinstance(table, Confusion) or table.shape:
        raise InputError("this chart is for one table; index the stack, or choose a system")
    return table

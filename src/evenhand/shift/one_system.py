"""System: the data of one system, and the table that a class mix is of."""

from __future__ import annotations

from typing import Any

from evenhand.count.forms import one_of, refusal, refuse_empty, what_came
from evenhand.count.given import Given, system_of
from evenhand.tables.confusion import Confusion


def one_system(given: Given, *, items: bool = False) -> tuple[Any, Confusion]:
    """The data of one system, and its table."""
    data = one_of(given.verb, system_of(given, items=items, margins=True))
    table = data.tables() if getattr(data, "task", None) == "single" else None
    if table is None:
        hint = "a class mix needs a single-label table with its cells"
        raise refusal(given.verb, what_came((data,)), hint)
    if data.systems:
        table = table[0]
    if table.shape:
        raise refusal(given.verb, what_came((data,)), "a class mix is of one table")
    refuse_empty(table)
    return data, table

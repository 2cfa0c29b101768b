"""Words on rankings, comparisons and pairs of classes."""

from __future__ import annotations

from evenhand.errors import shown
from evenhand.notes.ranks import (
    LeftOut,
    ManyPairs,
    NoFriedman,
    OneRunOnly,
    OtherItems,
    TablesAlone,
    UndefinedFor,
)
from evenhand.results.text import listed
from evenhand.results.words.say import says


@says(ManyPairs)
def _many_pairs(note: ManyPairs) -> str:
    return f"more than {note.classes:,} classes: their pairs are not looked at"


@says(TablesAlone)
def _tables_alone(note: TablesAlone) -> str:
    return (
        "tables alone: without the items, no rank intervals, no chance of being best, no tests "
        "between systems (give the label files)"
    )


@says(OtherItems, "the tables do not have the same true labels")
def _other_items(note: OtherItems) -> str:
    return (
        "the tables do not have the same true labels, so the systems were not scored on the same "
        "items: differences may come from the items"
    )


@says(OneRunOnly)
def _one_run_only(note: OneRunOnly) -> str:
    return f"{shown(note.systems)}: one run only, so the spread between runs is not in its interval"


@says(UndefinedFor, "metrics are undefined for some system, which then ranks last,")
def _undefined_for(note: UndefinedFor) -> str:
    return f"undefined for some system, which then ranks last: {listed(note.metrics)}"


@says(NoFriedman)
def _no_friedman(note: NoFriedman) -> str:
    return (
        f"no Friedman test: it needs at least {note.slices_needed} slices and "
        f"{note.systems_needed} systems with a score in each, got {note.slices} and {note.systems}"
    )


@says(LeftOut)
def _left_out(note: LeftOut) -> str:
    return f"left out {note.system}: {note.reason}"

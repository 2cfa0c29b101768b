"""Words on reported scores."""

from __future__ import annotations

from evenhand.errors import shown
from evenhand.notes.audit import Undecided
from evenhand.results.text import counted
from evenhand.results.words.say import says


@says(Undecided)
def _undecided(note: Undecided) -> str:
    return (
        f"unknown for {counted(len(note.systems), 'row')} ({shown(note.systems)}) whether a table "
        "exists: the margins allow more tables than were searched (a larger limit searches more)"
    )

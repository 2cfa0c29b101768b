"""Notes on pictures."""

from __future__ import annotations

from evenhand.notes.note import Note


class NotDrawn(Note):
    """Figures whose data and specifications were written, but for want of a renderer no picture."""

"""Counted: what PyCM, caret or scikit-learn have printed, as the table that it was made from."""

from __future__ import annotations

from itertools import chain, islice

from evenhand.errors import InputError
from evenhand.files.blocks import blocks
from evenhand.files.printed.printouts import TITLES, read_printouts
from evenhand.files.printed.recovered import is_report, of_margins, recovered
from evenhand.notes.note import Note
from evenhand.notes.reading import CountsRecovered
from evenhand.tables.confusion import Confusion

HEAD, LARGEST = 1 << 16, 1 << 24
"""Bytes by which a print-out is known, and bytes that one may have."""


def counted(path: str, name: str) -> tuple[Confusion, tuple[Note, ...]] | None:
    """The table of a print-out, and how it was found; ``None`` for every other text."""
    pieces = blocks(path, name, HEAD)
    head = next((block.text for block in pieces), b"")
    if not (is_report(head.decode()) or any(title.encode() in head for title in TITLES)):
        return None
    text = b"".join(chain([head], (b.text for b in islice(pieces, LARGEST // HEAD)))).decode()
    if is_report(text):
        labels, cells = recovered(text, name)
        return Confusion.from_matrix(cells, labels=labels), (CountsRecovered(name),)
    found = read_printouts(text, name)
    if len(found) > 1:
        raise InputError(f"{name} has {len(found)} confusion matrices, expected one")
    if not found:
        return None
    one = found[0]
    labels = list(one.labels)
    if one.cells:
        return Confusion.from_matrix(one.cells, labels=labels, rows=one.rows), ()
    if not one.margins:
        raise InputError(
            f"{name}: expected a matrix, or TP, TOP and P of every class; "
            "give the labels, or the matrix itself"
        )
    cells = of_margins(one.margins, name)
    return Confusion.from_matrix(cells, labels=labels), (CountsRecovered(name),)

"""Lines: text cut into cells that spaces separate, with the places that they take."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise

_NUMBER = r"(?:[+\-−]?(?:\d+(?:[.,]\d+)?|[.,]\d+)(?:[eE][+\-]?\d+)?(?:\s?%)?)"
_SPREAD = r"(?:\s?(?:±|\+/[-−])\s?[\d.,]+(?:\s?%)?)?"
_BESIDE = _SPREAD + r"(?:\s?[(\[][^()\[\]\n]{0,40}\d[^()\[\]\n]{0,40}[)\]])?"
_MARKS = r"[*†‡§¶⁺⁻\u00aa\u00b2\u00b3\u00b9\u00ba\u2070-\u207f\u1d43-\u1d6a]*"
VALUE = re.compile(
    rf"(?<!\S){_MARKS}(?:{_NUMBER}{_MARKS}{_BESIDE}|[-–—−?]{{1,3}}|n/?a|NaN|N/?A){_MARKS}(?!\S)"
)
_PIECE = re.compile(r"\S+(?: \S+)*")
_ENDS_IN_WORDS = re.compile(r"[A-Za-z.,;:!]$")
"""What prose ends in and a value does not: most lines need no closer look."""
_UNKNOWN = re.compile(r"(?:n/?a|nan)$", re.IGNORECASE)
"""The values that end so all the same."""
LONGEST = 20_000
"""Characters of a line that may belong to a table."""


@dataclass(frozen=True)
class Piece:
    """Some text and the places of the line that it takes."""

    text: str
    start: int
    end: int

    @property
    def middle(self) -> float:
        """Half-way between its ends."""
        return (self.start + self.end) / 2


@dataclass(frozen=True)
class Line:
    """A line cut into cells; ``values`` of them, at its end, are values."""

    number: int
    pieces: tuple[Piece, ...]
    values: int

    @property
    def is_data(self) -> bool:
        """Whether it has the values of a row."""
        return self.values >= 2 or (self.values == 1 and len(self.pieces) > 1)

    @property
    def is_close(self) -> bool:
        """Whether one space separates its cells, so that their places tell nothing."""
        return all(b.start - a.end == 1 for a, b in pairwise(self.pieces))


def cut(line: str, number: int) -> Line:
    """A line in cells."""
    if len(line) > LONGEST:
        return Line(number, (), 0)
    pieces = [Piece(m[0], m.start(), m.end()) for m in _PIECE.finditer(line)]
    cells: list[Piece] = []
    for piece in pieces:
        split = with_values(piece)
        few = len(pieces) > 1 and len(split) == 2 and not VALUE.fullmatch(split[0].text)
        cells += [piece] if few else split  # a name may end in a number
    joined: list[Piece] = []
    for cell in cells:  # a spread that stands apart from its value
        apart = re.fullmatch(r"(?:±|\+/-)\s?[\d.,]+%?|[(\[][\d.,;–\-\s%±]+[)\]]|%", cell.text)
        if apart and joined and VALUE.fullmatch(joined[-1].text):
            joined[-1] = Piece(f"{joined[-1].text} {cell.text}", joined[-1].start, cell.end)
        else:
            joined.append(cell)
    values = 0
    while values < len(joined) and VALUE.fullmatch(joined[-1 - values].text):
        values += 1
    return Line(number, tuple(joined), values)


def with_values(piece: Piece) -> list[Piece]:
    """A piece as what it begins with and the values that it ends with."""
    if _ENDS_IN_WORDS.search(piece.text) and not _UNKNOWN.search(piece.text):
        return [piece]
    found = [Piece(m[0], piece.start + m.start(), piece.start + m.end())
             for m in VALUE.finditer(piece.text)]  # fmt: skip
    kept: list[Piece] = []
    end = piece.end
    for value in reversed(found):
        if piece.text[value.end - piece.start : end - piece.start].strip():
            break
        kept.insert(0, value)
        end = value.start
    name = piece.text[: end - piece.start].rstrip()
    return [*([Piece(name, piece.start, piece.start + len(name))] if name else []), *kept]


def is_numbered(row: Line) -> bool:
    """Whether its name seems to end in a number."""
    first, second = row.pieces[:2]
    close = second.start - first.end == 1
    return close and second.text.isdigit() and not VALUE.fullmatch(first.text)


def fitted(row: Line, width: int) -> Line:
    """A row with one cell too many, whose name ends in a number, with that number in its name."""
    if len(row.pieces) == width + 1 and width and is_numbered(row):
        first, second = row.pieces[:2]
        name = Piece(f"{first.text} {second.text}", first.start, second.end)
        return Line(row.number, (name, *row.pieces[2:]), row.values - 1)
    return row

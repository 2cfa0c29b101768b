"""Aligned text: tables copied from a PDF or a terminal, their columns kept apart by spaces.

A line of a table ends in values. Cells are what runs of spaces or tabs separate; where a copy has
left one space only, the values at the end of the line are cells and what is before them is one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median_low

from evenhand.errors import InputError
from evenhand.files.printed.table import PrintedTable, one_line

_NUMBER = r"(?:[+\-−]?(?:\d+(?:[.,]\d+)?|[.,]\d+)(?:[eE][+\-]?\d+)?(?:\s?%)?)"
_SPREAD = r"(?:\s?(?:±|\+/[-−])\s?[\d.,]+(?:\s?%)?)?"
_BESIDE = _SPREAD + r"(?:\s?[(\[][^()\[\]\n]{0,40}\d[^()\[\]\n]{0,40}[)\]])?"
_MARKS = r"[*†‡§¶⁺⁻\u00aa\u00b2\u00b3\u00b9\u00ba\u2070-\u207f\u1d43-\u1d6a]*"
_VALUE = re.compile(
    rf"(?<!\S){_MARKS}(?:{_NUMBER}{_MARKS}{_BESIDE}|[-–—−?]{{1,3}}|n/?a|NaN|N/?A){_MARKS}(?!\S)"
)
_PIECE = re.compile(r"\S+(?: \S+)*")
_RULE = re.compile(r"[\s\-=_─━═.·+|]*")
_TITLE = re.compile(r"\s*(?:table|tab\.)\s*\S{0,12}?\s*[:.\-–—|]", re.IGNORECASE)
HEADS = 3
"""Lines above the values that may name columns."""
LONGEST = 2_000
"""Characters of a line that may belong to a table."""
WIDEST = 12
"""Columns under one heading."""
NEAR = 4
"""Places by which the middle of a heading may miss that of its columns."""


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


def read_aligned(text: str, where: str) -> list[PrintedTable]:
    """Every table whose columns are kept apart by spaces."""
    raw = [line.expandtabs(8) for line in text.replace("\u00a0", " ").splitlines()]
    tabs = "\t" in text
    lines = [_cut(line, i, tabs) for i, line in enumerate(raw, 1)]
    found, at = [], 0
    for first, last in _blocks(raw, lines):
        heads = _headings(raw, lines, at, first)
        rows = [line for line in lines[first : last + 1] if line.pieces and _says(raw, line)]
        caption = _caption(raw, at, heads[0].number - 1 if heads else first, last)
        found.append(_table(heads, rows, caption, where))
        at = last + 1
    return found


def _says(raw: Sequence[str], line: Line) -> bool:
    return _RULE.fullmatch(raw[line.number - 1]) is None


def _cut(line: str, number: int, tabs: bool) -> Line:
    """A line in cells."""
    if len(line) > LONGEST:
        return Line(number, (), 0)
    pieces = [Piece(m[0], m.start(), m.end()) for m in _PIECE.finditer(line)]
    cells: list[Piece] = []
    for piece in pieces:
        split = _values(piece)
        few = len(pieces) > 1 and len(split) == 2 and not _VALUE.fullmatch(split[0].text)
        cells += [piece] if few else split  # a name may end in a number
    joined: list[Piece] = []
    for cell in cells:  # a spread that stands apart from its value
        apart = re.fullmatch(r"(?:±|\+/-)\s?[\d.,]+%?|[(\[][\d.,;–\-\s%±]+[)\]]|%", cell.text)
        if apart and joined and _VALUE.fullmatch(joined[-1].text):
            joined[-1] = Piece(f"{joined[-1].text} {cell.text}", joined[-1].start, cell.end)
        else:
            joined.append(cell)
    values = 0
    while values < len(joined) and _VALUE.fullmatch(joined[-1 - values].text):
        values += 1
    return Line(number, tuple(joined), values)


def _values(piece: Piece) -> list[Piece]:
    """A piece as what it begins with and the values that it ends with."""
    found = [Piece(m[0], piece.start + m.start(), piece.start + m.end())
             for m in _VALUE.finditer(piece.text)]  # fmt: skip
    kept: list[Piece] = []
    end = piece.end
    for value in reversed(found):
        if piece.text[value.end - piece.start : end - piece.start].strip():
            break
        kept.insert(0, value)
        end = value.start
    name = piece.text[: end - piece.start].rstrip()
    return [*([Piece(name, piece.start, piece.start + len(name))] if name else []), *kept]


def _blocks(raw: Sequence[str], lines: Sequence[Line]) -> list[tuple[int, int]]:
    """The first and the last line of each stretch of rows.

    Between rows may be rules, blank lines, and a line that names those below it.
    """
    found: list[tuple[int, int]] = []
    gap: list[int] = []
    for i, line in enumerate(lines):
        if line.is_data and not _TITLE.match(raw[i]):
            words = [j for j in gap if not _RULE.fullmatch(raw[j])]
            if found and len(words) <= 1 and not any(_is_head(raw[j], lines[j]) for j in words):
                found[-1] = found[-1][0], i
            else:
                found.append((i, i))
            gap = []
        else:
            gap.append(i)
    return [(a, b) for a, b in found if b > a or len(lines[a].pieces) > 2]


def _is_head(text: str, line: Line) -> bool:
    """Whether a line without values may name columns and not what is below it."""
    return len(line.pieces) > 1 or len(text.split()) > 4 or _TITLE.match(text) is not None


def _headings(raw: Sequence[str], lines: Sequence[Line], after: int, first: int) -> list[Line]:
    """The lines right above the rows that name columns."""
    found: list[Line] = []
    for i in range(first - 1, after - 1, -1):
        if _RULE.fullmatch(raw[i]):
            if found and not raw[i].strip():
                break
            continue
        apart = len(lines[i].pieces) > 1  # or it stands over some columns but not the first
        apart = apart or (bool(found) and raw[i].startswith(" " * (found[0].pieces[0].end + 1)))
        if _TITLE.match(raw[i]) or len(found) == HEADS or (found and not apart):
            break
        found.insert(0, lines[i])
    return found


def _caption(raw: Sequence[str], after: int, head: int, last: int) -> str:
    """The title above the headings, which may go on for some lines; or below the rows."""
    for i in range(head - 1, max(after, head - 8) - 1, -1):
        if _TITLE.match(raw[i]):
            return one_line(" ".join(raw[i:head]))
    below = next((line for line in raw[last + 1 : last + 4] if line.strip()), "")
    return one_line(below) if _TITLE.match(below) else ""


def _table(heads: list[Line], rows: list[Line], caption: str, where: str) -> PrintedTable:
    width = _width(heads, rows)
    rows = [_fitted(row, width) for row in rows]
    named = len(heads[-1].pieces) if heads else 0
    for row in rows:
        if 1 < named < len(row.pieces) - 1:
            raise InputError(
                f"{where}, line {row.number}: expected at most {named + 1} fields under {named} "
                f"headings, got {len(row.pieces)}"
            )
    full = [line for line in (*rows, *heads[-1:]) if len(line.pieces) == width]
    if not full:
        raise InputError(
            f"{where}, line {rows[0].number}: expected {width} fields as in the line that names "
            f"them, got {len(rows[0].pieces)}"
        )
    columns = [
        Piece(
            "", *(median_low(getattr(r.pieces[j], end) for r in full) for end in ("start", "end"))
        )
        for j in range(width)
    ]
    tops = [_named(line, columns) for line in heads[-1:]]
    for line in reversed(heads[:-1]):
        tops.insert(0, _over(line.pieces, _united(columns, heads[-1]), tops[-1]))
    cells, spans = [], set()
    for i, row in enumerate(rows):
        if len(row.pieces) == 1 and not row.values:
            spans.add(i + len(tops))
            cells.append((row.pieces[0].text, *[""] * (width - 1)))
        else:
            cells.append(_placed(_parted(row, columns), columns, where))
    lines = tuple(line.number for line in (*heads, *rows))
    return PrintedTable((*tops, *cells), caption, lines, len(tops), frozenset(spans))


def _width(heads: list[Line], rows: list[Line]) -> int:
    """How many columns there are: as the headings say, or as most rows have."""
    counts = [len(row.pieces) for row in rows if row.is_data]
    most = max(set(counts), key=lambda c: (counts.count(c), c))
    named = len(heads[-1].pieces) if heads else 0
    if named == 1:
        named = len(heads[-1].pieces[0].text.split())
    # A name that ends in a number has been taken for two cells.
    surplus = [row for row in rows if len(row.pieces) == most and row.values > named - 1]
    if named == most - 1 and len(surplus) == counts.count(most) and all(map(_numbered, surplus)):
        return most - 1
    return max(most, named) if heads and len(heads[-1].pieces) > 1 else most


def _numbered(row: Line) -> bool:
    """Whether its name seems to end in a number."""
    first, second = row.pieces[:2]
    close = second.start - first.end == 1
    return close and second.text.isdigit() and not _VALUE.fullmatch(first.text)


def _fitted(row: Line, width: int) -> Line:
    """A row with one cell too many, whose name ends in a number, with that number in its name."""
    if len(row.pieces) == width + 1 and width and _numbered(row):
        first, second = row.pieces[:2]
        name = Piece(f"{first.text} {second.text}", first.start, second.end)
        return Line(row.number, (name, *row.pieces[2:]), row.values - 1)
    return row


def _parted(row: Line, columns: Sequence[Piece]) -> Line:
    """A row with a cell too few whose name reaches under the first column of values."""
    split = _values(row.pieces[0])
    if len(row.pieces) < len(columns) and len(split) == 2 and split[1].start >= columns[1].start:
        return Line(row.number, (*split, *row.pieces[1:]), row.values + 1)
    return row


def _named(line: Line, columns: Sequence[Piece]) -> tuple[str, ...]:
    """The names of the columns, the first of which may have none; else one text for all."""
    texts = [p.text for p in line.pieces]
    if len(texts) == 1 and len(columns) > 1:
        return texts[0], *[""] * (len(columns) - 1)
    if len(texts) == len(columns) - 1:
        return _placed(line, columns, "") if line.pieces[0].start < columns[0].end else ("", *texts)
    return tuple(texts) if len(texts) == len(columns) else _placed(line, columns, "")


def _placed(line: Line, columns: Sequence[Piece], where: str) -> tuple[str, ...]:
    """The cells of a line with gaps, each in the column that it stands under."""
    if len(line.pieces) == len(columns):
        return tuple(p.text for p in line.pieces)
    cells = [""] * len(columns)
    for piece in line.pieces:
        shared = [min(piece.end, c.end) - max(piece.start, c.start) for c in columns]
        off = [abs(piece.end - c.end) for c in columns]
        j = min(range(len(columns)), key=lambda j: (-min(shared[j], 1), off[j]))
        if where and (cells[j] or shared[j] < 1):
            raise InputError(
                f"{where}, line {line.number}: expected {len(columns)} fields as in the other "
                f"rows, got {len(line.pieces)}: write – where nothing is printed"
            )
        cells[j] = one_line(f"{cells[j]} {piece.text}")
    return tuple(cells)


def _united(columns: Sequence[Piece], heads: Line) -> Sequence[Piece]:
    """The places of columns and of their names together."""
    if len(heads.pieces) != len(columns):
        return columns
    pairs = zip(columns, heads.pieces, strict=True)
    return [Piece("", min(c.start, h.start), max(c.end, h.end)) for c, h in pairs]


def _over(
    labels: Sequence[Piece], columns: Sequence[Piece], below: Sequence[str]
) -> tuple[str, ...]:
    """Headings over several columns: over those whose middle is theirs, or whose start is.

    No two columns under one heading have the same name; as many columns as possible have one.
    """
    taken = (
        _repeated(labels, columns, below)
        or _ranges(labels, columns, below, "middle")
        or _ranges(labels, columns, below, "start")
    )
    texts = [""] * len(columns)
    for label, (a, b) in zip(labels, taken, strict=False):
        texts[a:b] = [label.text] * (b - a)
    return tuple(texts)


def _repeated(
    labels: Sequence[Piece], columns: Sequence[Piece], below: Sequence[str]
) -> list[tuple[int, int]]:
    """Columns whose names repeat once for each heading, each heading somewhere over its own."""
    for size in range(len(below) // len(labels), 1, -1):
        for start in range(len(below) - size * len(labels) + 1):
            found = [(start + i * size, start + (i + 1) * size) for i in range(len(labels))]
            alike = {tuple(below[a:b]) for a, b in found}
            if len(alike) == 1 < len(labels) and len(set(alike.pop())) == size:
                over = zip(labels, found, strict=True)
                if all(columns[a].start <= p.middle <= columns[b - 1].end for p, (a, b) in over):
                    return found
    return []


def _ranges(
    labels: Sequence[Piece], columns: Sequence[Piece], below: Sequence[str], by: str
) -> list[tuple[int, int]]:
    """The columns of each heading, from the first to that after the last; none if they miss."""
    best: dict[int, tuple[float, list[tuple[int, int]]]] = {0: (0.0, [])}
    for label in labels:
        after: dict[int, tuple[float, list[tuple[int, int]]]] = {}
        for a in range(len(columns)):
            if columns[a].start > label.middle + NEAR:
                break
            if columns[min(a + WIDEST, len(columns)) - 1].end < label.start - NEAR:
                continue
            before = max((v for k, v in best.items() if k <= a), default=None)
            last = min(a + WIDEST, len(columns)) if a else 1  # names of rows stand alone
            for b in range(a + 1, last + 1):
                over = Piece("", columns[a].start, columns[b - 1].end)
                off = abs(getattr(over, by) - getattr(label, by))
                if before is None or off > NEAR or len(set(below[a:b])) < b - a:
                    continue
                total = before[0] + (b - a) - off / 2
                if b not in after or total > after[b][0]:
                    after[b] = total, [*before[1], (a, b)]
        best = after
    return max(best.values(), default=(0.0, []))[1]

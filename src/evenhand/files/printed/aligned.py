"""Aligned text: tables copied from a PDF or a terminal, their columns kept apart by spaces.

A line of a table ends in values. Cells are what runs of spaces or tabs separate; where a copy has
left one space only, the values at the end of the line are cells and what is before them is one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from statistics import median_low

from evenhand.errors import InputError, shown
from evenhand.files.printed.lines import Line, Piece, cut, fitted, is_numbered, with_values
from evenhand.files.printed.over import over
from evenhand.files.printed.table import PrintedTable, one_line

_RULE = re.compile(r"[\s\-=_─━═.·+|]*")
_TITLE = re.compile(r"\s*(?:table|tab\.)\s*\S{0,12}?\s*[:.\-–—|]", re.IGNORECASE)
_SPREAD = re.compile(r"±\s?[\d.,]+%?")
HEADS = 3
"""Lines above the values that may name columns."""


def read_aligned(text: str, where: str) -> list[PrintedTable]:
    """Every table whose columns are kept apart by spaces, and what cannot be read as one."""
    raw = [line.expandtabs(8) for line in text.replace("\u00a0", " ").splitlines()]
    lines = [cut(line, i) for i, line in enumerate(raw, 1)]
    _take_spreads(raw, lines)
    found, at = [], 0
    for first, last in _blocks(raw, lines):
        heads = _headings(raw, lines, at, first)
        rows = [line for line in lines[first : last + 1] if line.pieces and _says(raw, line)]
        caption = _caption(raw, at, heads[0].number - 1 if heads else first, last)
        try:
            found.append(_table(heads, rows, caption, where))
        except InputError as e:  # prose with numbers in it, or a table: others may be read
            found.append(PrintedTable((), caption, (first + 1,), unread=str(e)))
        at = last + 1
    return found


def _take_spreads(raw: list[str], lines: list[Line]) -> None:
    """Put the spreads that stand on a line of their own to the values above them."""
    for i in range(1, len(lines)):
        row, spreads = lines[i - 1], lines[i].pieces
        alone = [p.text.lstrip("±") for p in spreads if _SPREAD.fullmatch(p.text)]
        if not spreads or len(alone) < len(spreads) or row.values != len(spreads):
            continue
        kept, values = row.pieces[: -row.values], row.pieces[-row.values :]
        joined = [
            Piece(f"{v.text} ±{s}", v.start, v.end) for v, s in zip(values, alone, strict=True)
        ]
        lines[i - 1] = Line(row.number, (*kept, *joined), row.values)
        lines[i], raw[i] = Line(lines[i].number, (), 0), ""


def _says(raw: Sequence[str], line: Line) -> bool:
    return _RULE.fullmatch(raw[line.number - 1]) is None


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
        if not found and _names_part(raw, lines, i, first):
            continue
        apart = len(lines[i].pieces) > 1  # or it stands over some columns but not the first
        apart = apart or (bool(found) and raw[i].startswith(" " * (found[0].pieces[0].end + 1)))
        if _TITLE.match(raw[i]) or len(found) == HEADS or (found and not apart):
            break
        found.insert(0, lines[i])
    return found


def _names_part(raw: Sequence[str], lines: Sequence[Line], i: int, first: int) -> bool:
    """Whether a line right above the rows names these, its own headings standing above it."""
    words, values = len(raw[i].split()), lines[first].values
    above = next((lines[j] for j in range(i - 1, -1, -1) if not _RULE.fullmatch(raw[j])), None)
    return (
        len(lines[i].pieces) == 1
        and words < values
        and above is not None
        and len(above.pieces) >= values
        and not above.is_data
    )


def _caption(raw: Sequence[str], after: int, head: int, last: int) -> str:
    """The title above the headings, which may go on for some lines; or below the rows."""
    for i in range(head - 1, max(after, head - 8) - 1, -1):
        if _TITLE.match(raw[i]):
            return one_line(" ".join(raw[i:head]))
    below = next((line for line in raw[last + 1 : last + 4] if line.strip()), "")
    return one_line(below) if _TITLE.match(below) else ""


def _table(heads: list[Line], rows: list[Line], caption: str, where: str) -> PrintedTable:
    width = _width(heads, rows)
    rows = [fitted(row, width) for row in rows]
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
        tops.insert(0, over(line.pieces, _united(columns, heads[-1]), tops[-1]))
        if not any(tops[0]):
            raise InputError(
                f"{where}, line {line.number}: expected headings over the columns that they are "
                f"of, got {shown([p.text for p in line.pieces])} where it cannot be told"
            )
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
    if named == most - 1 and len(surplus) == counts.count(most) and all(map(is_numbered, surplus)):
        return most - 1
    return max(most, named) if heads and len(heads[-1].pieces) > 1 else most


def _parted(row: Line, columns: Sequence[Piece]) -> Line:
    """A row with a cell too few whose name reaches under the first column of values."""
    split = with_values(row.pieces[0])
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
    if line.pieces[0].text == "accuracy" and line.is_close:  # which has no precision and no recall
        texts = [p.text for p in line.pieces]
        return (texts[0], *[""] * (len(columns) - len(texts)), *texts[1:])
    cells = [""] * len(columns)
    for piece in line.pieces:
        shared = [min(piece.end, c.end) - max(piece.start, c.start) for c in columns]
        off = [abs(piece.end - c.end) for c in columns]
        j = min(range(len(columns)), key=lambda j: (-min(shared[j], 1), off[j]))
        if where and (cells[j] or shared[j] < 1 or line.is_close):
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

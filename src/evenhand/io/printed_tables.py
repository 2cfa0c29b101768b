"""Tables in text: rows and columns by alignment."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median_low

from evenhand.errors import InputError, shown

WIDEST = 2_000
"""Columns that a table may have: beyond, something else was taken for one."""

_SPACES = re.compile(r"\s+")


@dataclass(frozen=True)
class PrintedTable:
    """Cells without mark-up; what spans several is in each of them.

    ``lines`` are the lines of the document that the rows begin on. ``heads`` are the rows that
    name columns, if the document tells, and ``spans`` those rows that are one cell all across.
    ``unread`` says why what looks like a table could not be read; it then has no rows.
    """

    rows: tuple[tuple[str, ...], ...]
    caption: str = ""
    lines: tuple[int, ...] = ()
    heads: int | None = None
    spans: frozenset[int] = frozenset()
    unread: str = ""

    @property
    def width(self) -> int:
        """How many columns it has."""
        return max((len(row) for row in self.rows), default=0)


@dataclass
class Cell:
    """A cell as a document has it: its text, the columns and the rows it takes."""

    text: str
    across: int = 1
    down: int = 1


def laid_out(
    rows: Sequence[tuple[int, Sequence[Cell]]],
    where: str,
    *,
    caption: str = "",
    heads: int | None = None,
    covered: bool = False,
) -> PrintedTable:
    """The rows with something in them, each with its line; every cell at each place that it takes.

    ``covered``: a place below a cell that takes several rows still has a cell of its own, as in
    LaTeX; in HTML it has none. A cell that takes rows upwards has a negative ``down``.
    """
    grid: list[list[str | None]] = [[] for _ in rows]
    for i, (line, cells) in enumerate(rows):
        j = 0
        for cell in cells:
            while not covered and j < len(grid[i]) and grid[i][j] is not None:
                j += 1
            if j + cell.across > WIDEST:
                raise InputError(f"{where}, line {line}: expected at most {WIDEST:,} columns")
            up = range(i + cell.down + 1, i) if cell.down < 0 else range(0)
            down = range(i, min(i + max(cell.down, 1), len(rows)))
            for k in [k for k in (*up, *down) if k >= 0]:
                for m in range(j, j + cell.across):
                    grid[k] += [None] * (m + 1 - len(grid[k]))
                    if not grid[k][m] or (k == i and cell.text):
                        grid[k][m] = cell.text
            j += cell.across
    width = max(map(len, grid), default=0)
    full = [i for i, row in enumerate(grid) if any(text and text.strip() for text in row)]
    return PrintedTable(
        tuple(tuple(t or "" for t in [*grid[i], *[""] * (width - len(grid[i]))]) for i in full),
        caption,
        tuple(rows[i][0] for i in full),
        None if heads is None else bisect_left(full, heads),
        frozenset(n for n, i in enumerate(full) if len(rows[i][1]) == 1 < rows[i][1][0].across),
    )


def one_line(text: str) -> str:
    """The text with every run of white space as one space."""
    return _SPACES.sub(" ", text).strip()


# Lines: text cut into cells that spaces separate, with the places that they take.

_NUMBER = r"(?:[+\-−]?(?:\d+(?:[.,]\d+)?|[.,]\d+)(?:[eE][+\-]?\d+)?(?:\s?%)?)"
_SPREAD = r"(?:\s?(?:±|\+/[-−])\s?[\d.,]+(?:\s?%)?)?"
_BESIDE = _SPREAD + r"(?:\s?[(\[][^()\[\]\n]{0,40}\d[^()\[\]\n]{0,40}[)\]])?"
_MARKS = r"[*†‡§¶⁺⁻\u00aa\u00b2\u00b3\u00b9\u00ba\u2070-\u207f\u1d43-\u1d6a]*"
VALUE = re.compile(
    rf"(?<!\S){_MARKS}(?:{_NUMBER}{_MARKS}{_BESIDE}|±\s?[\d.,]+%?|[-–—−?]{{1,3}}|n/?a|NaN|N/?A)"
    rf"{_MARKS}(?!\S)"
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
        last = joined[-1].text if joined else "±"
        if apart and not last.startswith("±") and VALUE.fullmatch(last):
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
    numbers = [Piece(m[0], piece.start + m.start(), piece.start + m.end())
             for m in VALUE.finditer(piece.text)]  # fmt: skip
    ending: list[Piece] = []
    end = piece.end
    for value in reversed(numbers):
        if piece.text[value.end - piece.start : end - piece.start].strip():
            break
        ending.insert(0, value)
        end = value.start
    name = piece.text[: end - piece.start].rstrip()
    return [*([Piece(name, piece.start, piece.start + len(name))] if name else []), *ending]


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


# Over: which columns a heading stands over, in text whose columns are kept apart by spaces.

OVER_WIDEST = 12
"""Columns under one heading."""
NEAR = 4
"""Places by which the middle of a heading may miss that of its columns."""


def over(
    labels: Sequence[Piece], columns: Sequence[Piece], below: Sequence[str]
) -> tuple[str, ...]:
    """Headings over several columns: over those whose middle is theirs, or whose start is.

    No two columns under one heading have the same name; as many columns as possible have one. No
    column has any where it cannot be told.
    """
    spans = (
        _by_names(labels, columns, below)
        or _ranges(labels, columns, below, "middle")
        or _ranges(labels, columns, below, "start")
    )
    texts = [""] * len(columns)
    for label, (a, b) in zip(labels, spans, strict=False):
        texts[a:b] = [label.text] * (b - a)
    return tuple(texts)


def _by_names(
    labels: Sequence[Piece], columns: Sequence[Piece], below: Sequence[str]
) -> list[tuple[int, int]]:
    """Columns whose names repeat for each heading; the last may have but some of them."""
    for start in range(len(below)):
        spans: list[tuple[int, int]] = []
        a = start
        for b in range(start + 1, len(below) + 1):
            if b == len(below) or below[b] in below[a:b]:
                spans.append((a, b))
                a = b
        first, *others = (below[slice(*span)] for span in spans)
        if len(spans) != len(labels) or not others or any(names != first for names in others[:-1]):
            continue
        size = sum(name in first for name in others[-1])  # what follows has no heading
        spans[-1] = (spans[-1][0], spans[-1][0] + size)
        pairs = zip(labels, spans, strict=True)
        if all(columns[a].start <= p.middle <= columns[b - 1].end + NEAR for p, (a, b) in pairs):
            return spans if size and len(first) > 1 else []
    return []


def _ranges(
    labels: Sequence[Piece], columns: Sequence[Piece], below: Sequence[str], by: str
) -> list[tuple[int, int]]:
    """The columns of each heading, from the first to that after the last; none if they miss."""
    ends = [c.end for c in columns]
    best: dict[int, tuple[float, list[tuple[int, int]]]] = {0: (0.0, [])}
    for label in labels:
        after: dict[int, tuple[float, list[tuple[int, int]]]] = {}
        first = max(bisect_left(ends, label.start - NEAR) - OVER_WIDEST, 0)
        for a in range(first, len(columns)):
            if columns[a].start > label.middle + NEAR:
                break
            before = max((v for k, v in best.items() if k <= a), default=None)
            # Names of rows stand alone, and have one heading.
            last = min(a + OVER_WIDEST, len(columns)) if a else int(not below[0])
            for b in range(a + 1, last + 1):
                under = Piece("", columns[a].start, columns[b - 1].end)
                off = abs(getattr(under, by) - getattr(label, by))
                if before is None or off > NEAR or len(set(below[a:b])) < b - a:
                    continue
                total = before[0] + (b - a) - off
                if b not in after or total > after[b][0]:
                    after[b] = total, [*before[1], (a, b)]
        best = after
    return max(best.values(), default=(0.0, []))[1]


# Aligned text: tables copied from a PDF or a terminal, their columns kept apart by spaces.

_RULE = re.compile(r"[\s\-=_─━═.·+|]*")
_TITLE = re.compile(r"\s*(?:table|tab\.)\s*\S{0,12}?\s*[:.\-–—|]", re.IGNORECASE)
HEADS = 3
"""Lines above the values that may name columns."""


def read_aligned(text: str, where: str) -> list[PrintedTable]:
    """Every table whose columns are kept apart by spaces, and what cannot be read as one."""
    raw = [line.expandtabs(8) for line in text.replace("\u00a0", " ").splitlines()]
    lines = [cut(line, i) for i, line in enumerate(raw, 1)]
    tables, at = [], 0
    for first, last in _blocks(raw, lines):
        heads = _headings(raw, lines, at, first)
        rows = [line for line in lines[first : last + 1] if line.pieces and _says(raw, line)]
        caption = _caption(raw, at, heads[0].number - 1 if heads else first, last)
        try:
            tables.append(_table(heads, rows, caption, where))
        except InputError as e:  # prose with numbers in it, or a table: others may be read
            tables.append(PrintedTable((), caption, (first + 1,), unread=str(e)))
        at = last + 1
    return tables


def _says(raw: Sequence[str], line: Line) -> bool:
    return _RULE.fullmatch(raw[line.number - 1]) is None


def _blocks(raw: Sequence[str], lines: Sequence[Line]) -> list[tuple[int, int]]:
    """The first and the last line of each stretch of rows.

    Between rows may be rules, blank lines, and a line that names those below it.
    """
    stretches: list[tuple[int, int]] = []
    gap: list[int] = []
    for i, line in enumerate(lines):
        if line.is_data and not _TITLE.match(raw[i]):
            words = [j for j in gap if not _RULE.fullmatch(raw[j])]
            if stretches and len(words) <= 1 and not any(_is_head(raw[j], lines[j]) for j in words):
                stretches[-1] = stretches[-1][0], i
            else:
                stretches.append((i, i))
            gap = []
        else:
            gap.append(i)
    return [(a, b) for a, b in stretches if b > a or len(lines[a].pieces) > 2]


def _is_head(text: str, line: Line) -> bool:
    """Whether a line without values may name columns and not what is below it."""
    return len(line.pieces) > 1 or len(text.split()) > 4 or _TITLE.match(text) is not None


def _headings(raw: Sequence[str], lines: Sequence[Line], after: int, first: int) -> list[Line]:
    """The lines right above the rows that name columns."""
    heads: list[Line] = []
    for i in range(first - 1, after - 1, -1):
        if _RULE.fullmatch(raw[i]):
            if heads and not raw[i].strip():
                break
            continue
        if not heads and _names_part(raw, lines, i, first):
            continue
        apart = len(lines[i].pieces) > 1  # or it stands over some columns but not the first
        apart = apart or (bool(heads) and raw[i].startswith(" " * (heads[0].pieces[0].end + 1)))
        if _TITLE.match(raw[i]) or len(heads) == HEADS or (heads and not apart):
            break
        heads.insert(0, lines[i])
    return heads


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
        Piece("", median_low(c.start for c in cells), median_low(c.end for c in cells))
        for cells in zip(*(line.pieces for line in full), strict=True)
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
    if len(texts) == len(columns) - 1 and line.pieces[0].start >= columns[0].end:
        return "", *texts
    return _placed(line, columns, "")


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

"""HTML: the tables of a page, each with its caption; a table in a table is one of its own."""

from __future__ import annotations

from html.parser import HTMLParser

from evenhand.errors import InputError
from evenhand.files.printed.table import WIDEST, Cell, PrintedTable, laid_out, one_line

DEEPEST = 50
"""Tables inside tables."""

_UNREAD = ("script", "style", "sup", "template", "del", "noscript")
_PARTS = ("br", "p", "div", "li")


class _Table:
    """A table that is being read."""

    def __init__(self) -> None:
        self.rows: list[tuple[int, list[Cell]]] = []
        self.named: list[bool] = []
        self.caption: list[str] = []
        self.into: list[str] | None = None
        self.in_head = False

    def row(self, line: int) -> None:
        self.close()
        self.rows.append((line, []))
        self.named.append(True)

    def cell(self, line: int, across: int, down: int, *, names: bool) -> None:
        self.close()
        if not self.rows:
            self.row(line)
        self.rows[-1][1].append(Cell("", across, down))
        self.named[-1] &= names or self.in_head
        self.into = []

    def close(self) -> None:
        """What was said belongs to the last cell."""
        if self.into is not None and self.rows and self.rows[-1][1]:
            self.rows[-1][1][-1].text = one_line("".join(self.into))
        self.into = None

    def found(self, where: str) -> PrintedTable:
        self.close()
        heads = next((i for i, named in enumerate(self.named) if not named), len(self.named))
        caption = one_line("".join(self.caption))
        return laid_out(self.rows, where, caption=caption, heads=heads or None)


class _Page(HTMLParser):
    """The tables of a page in the order in which they begin."""

    def __init__(self, where: str) -> None:
        super().__init__(convert_charrefs=True)
        self.where, self.unread = where, 0
        self.tables: list[_Table] = []
        self.open: list[_Table] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        line = self.getpos()[0]
        if tag == "table":
            if len(self.open) >= DEEPEST:
                raise InputError(f"{self.where}, line {line}: more than {DEEPEST} tables deep")
            self.tables.append(_Table())
            self.open.append(self.tables[-1])
        elif tag in _UNREAD:
            self.unread += 1
        if not self.open:
            return
        table = self.open[-1]
        if tag == "thead":
            table.in_head = True
        elif tag == "tbody":
            table.in_head = False
        elif tag == "tr":
            table.row(line)
        elif tag in ("td", "th"):
            given = dict(attrs)
            across, down = (_size(given.get(name)) for name in ("colspan", "rowspan"))
            table.cell(line, across, down, names=tag == "th")
        elif tag == "caption":
            table.close()
            table.into = table.caption
        elif tag in _PARTS and table.into is not None:
            table.into.append(" ")

    def handle_endtag(self, tag: str) -> None:
        if tag in _UNREAD:
            self.unread = max(self.unread - 1, 0)
        if not self.open:
            return
        if tag == "table":
            self.open.pop().close()
        elif tag in ("td", "th", "tr"):
            self.open[-1].close()
        elif tag == "caption":
            self.open[-1].into = None
        elif tag == "thead":
            self.open[-1].in_head = False

    def handle_data(self, data: str) -> None:
        if self.open and not self.unread and self.open[-1].into is not None:
            self.open[-1].into.append(data)


def _size(text: str | None) -> int:
    """How many columns or rows a cell takes."""
    plain = (text or "").strip()
    return min(max(int(plain), 1), WIDEST) if plain.isascii() and plain.isdigit() else 1


def read_html(text: str, where: str) -> list[PrintedTable]:
    """Every table of the page."""
    page = _Page(where)
    page.feed(text)
    page.close()
    return [table.found(where) for table in page.tables]

"""A page of its own: one file to publish, with pictures where they can be drawn."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from itertools import count
from typing import Any

from evenhand._version import __version__
from evenhand.results.cells import Cell, Shown
from evenhand.results.content import (
    Block,
    Code,
    Content,
    Facts,
    Heading,
    Numbers,
    Pictures,
    Section,
    Sheet,
    Words,
    leads,
)
from evenhand.results.grid import said
from evenhand.results.grid import written as cell_written
from evenhand.results.json import dumps
from evenhand.results.page import figure, page, prose
from evenhand.results.paper import titled
from evenhand.results.sentence import in_lines
from evenhand.results.text import html_text
from evenhand.results.writers.html import LOOKS, facts

LONG = 60
"""A text cell beyond this many characters may break over lines."""
KEY = 24
"""The same for what a row is called by."""
HEAD = 16
"""The same for a heading."""
TALL = 40
"""Rows beyond which a table scrolls downwards too."""
MANY = 14
"""Columns beyond which paper has the first ten."""


def written(content: Content, digits: int = 4) -> str:
    """The page: what it is and what it comes to, the rest, data to copy."""
    content = titled(content)
    drawn = (f"c{i}" for i in count())
    head = [b for b in content.blocks if leads(b)]
    blocks = [b for b in content.blocks if not leads(b)]
    verdict = "".join(_words(Words(b.text)) for b in head if isinstance(b, Words))
    told = f'<div class="verdict" id="verdict">{verdict}</div>' if verdict else ""
    numbers = "".join(_numbers(b) for b in head if isinstance(b, Numbers))
    warned = "".join(f'<p class="warning">{html_text(w)}</p>' for w in content.warnings)
    body = "".join(_block(b, drawn, digits) for b in blocks)
    data, signed = _data(content), content.signature and not content.kind  # reports explain it
    noted = f'<p class="note">{html_text(content.footnote)}</p>' if content.footnote else ""
    kind = f'<p class="kind">{html_text(content.kind)}</p>' if content.kind else ""
    shell = (
        '<a class="skip" href="#main">Skip to the content</a>\n'
        f"<header>{kind}<h1>{html_text(content.title)}</h1>"
        f"{told}{numbers}{warned}</header>\n"
        f'{_nav(blocks, bool(data))}<main id="main">'
        f"{body}{noted}{_code(Code(content.signature)) if signed else ''}{data}</main>\n"
        f"<footer><p>Made by evenhand {__version__}: even-handed evaluation of classifiers. "
        "This file needs no network.</p></footer>"
    )
    return page(content.title, shell)


def _nav(blocks: Iterable[Block], data: bool) -> str:
    links = [(b.name, b.short) for b in blocks if isinstance(b, Section)]
    if not links:
        return ""
    links += [("data", "Data")] * data
    listed = "".join(f'<li><a href="#{name}">{html_text(short)}</a></li>' for name, short in links)
    return f'<nav aria-label="Sections"><ul tabindex="0">{listed}</ul></nav>\n'


def _numbers(block: Numbers) -> str:
    found = []
    for f in block.facts:
        kind = "value" if len(f.value) <= 7 else "value text"
        detail = f'<dd class="detail">{html_text(f.detail)}</dd>' if f.detail else ""
        found.append(
            f'<div><dt>{html_text(f.name)}</dt><dd class="{kind}">{html_text(f.value)}</dd>'
            f"{detail}</div>"
        )
    return f'<dl class="facts">{"".join(found)}</dl>' if found else ""


def _block(block: Block, names: Iterator[str], digits: int) -> str:
    if isinstance(block, Section):
        inner = "".join(_block(b, names, digits) for b in block.blocks)
        head = f'<h2 id="{block.name}-title">{html_text(block.title)}</h2>'
        at = f'id="{block.name}" aria-labelledby="{block.name}-title"'
        return f"<section {at}>{head}{inner}</section>\n"
    if isinstance(block, Sheet):
        return table(block, digits)
    return _pictures(block, names) if isinstance(block, Pictures) else _PLAIN[type(block)](block)


def _words(block: Words) -> str:
    kind = "" if block.kind == "text" else f' class="{block.kind}"'
    lines = in_lines(block.text, prose, "<b>{}</b>".format)
    return "".join(f"<p{kind}>{line}</p>" for line in lines)


def _code(block: Code) -> str:
    return f'<p class="signature"><code>{html_text(block.text)}</code></p>'


_PLAIN: dict[type, Callable[[Any], str]] = {
    Words: _words,
    Heading: lambda block: f"<h3>{html_text(block.text)}</h3>",
    Code: _code,
    Facts: facts,
    Numbers: _numbers,
}


def _pictures(block: Pictures, names: Iterator[str]) -> str:
    """The drawings, or their words where nothing can be drawn."""
    charts = block.drawn()
    if not all(c.drawable for c in charts):
        said = ((html_text(c.title), html_text(c.description)) for c in charts)
        return "".join(f"<p><b>{title}.</b> {text}</p>" for title, text in said)
    return "".join(figure(c, next(names)) for c in charts)


def table(block: Sheet, digits: int) -> str:
    """A table that scrolls in its own frame, its key column staying, and can be sorted."""
    grid = block.grid
    right = grid.rights
    key = right.index(False) if False in right else 0
    head = "".join(
        f'<th scope="col"{_kind(r, "", j == key, len(c) > HEAD and j != key)}>{html_text(c)}</th>'
        for j, (c, r) in enumerate(zip(grid.columns, right, strict=True))
    )
    own = block.digits or digits
    rows = "".join(f"<tr>{_row(row, right, key, own)}</tr>" for row in grid.rows)
    label = html_text(block.name or f"Table of {', '.join(grid.columns)}")
    caption = f"<caption><span>{label}</span></caption>" if block.name else ""
    below = f'<p class="note">{html_text(block.note)}</p>' if block.note else ""
    tall = " tall" * (len(grid.rows) > TALL)
    kinds = "sortable" + " filtered" * (block.rows == "systems")
    kinds += " many" * (len(grid.columns) > MANY)
    return (
        f'<div class="scroll{tall}" tabindex="0" role="region" aria-label="{label}">'
        f'<table class="{kinds}">{caption}'
        f"<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>{below}"
    )


def _row(row: Iterable[Cell], right: list[bool], key: int, digits: int) -> str:
    cells = []
    for j, (value, r) in enumerate(zip(row, right, strict=True)):
        text = said(value, digits)
        order = value.sort if isinstance(value, Shown) else value
        known = isinstance(order, int | float) and order == order
        sort = f' data-sort="{order!r}"' if known else ""
        tag = 'th scope="row"' if j == key and text.strip() else "td"
        shown = cell_written(value, digits, html_text, LOOKS)
        cells.append(f"<{tag}{_kind(r, text, j == key)}{sort}>{shown}</{tag[:2]}>")
    return "".join(cells)


def _kind(right: bool, text: str, key: bool, wordy: bool = False) -> str:
    kinds = ["right"] * right + ["long"] * (len(text) > (KEY if key else LONG)) + ["key"] * key
    kinds += ["wordy"] * wordy
    return f' class="{" ".join(kinds)}"' if kinds else ""


def embedded(data: object) -> str:
    """JSON that no parser of HTML takes for markup."""
    text = json.dumps(json.loads(dumps(data)), ensure_ascii=True, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _data(content: Content) -> str:
    """Data to copy: the JSON in a data block, the others in view on request."""
    if content.json is None:
        return ""
    buttons = ['<button type="button" data-copy="json" hidden>Copy JSON</button>']
    shown = []
    for name, text in content.copies:
        at = f"copy-{name.lower()}"
        buttons.append(f'<button type="button" data-copy="{at}" hidden>Copy {name}</button>')
        kept = "\n".join(html_text(line) for line in text.split("\n"))
        shown.append(
            f'<details><summary>{name}</summary><pre id="{at}" tabindex="0">{kept}</pre></details>'
        )
    return (
        '<section id="data" aria-labelledby="data-title"><h2 id="data-title">Data to copy</h2>'
        "<p>The JSON in this file is what <code>to_json()</code> gives.</p>"
        f'<div class="copy">{"".join(buttons)}</div>'
        f'<p class="note" id="said" role="status"></p>{"".join(shown)}'
        f'<script type="application/json" id="json">{embedded(content.json)}</script></section>'
    )

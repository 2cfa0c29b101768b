"""HTML pages that need no network: the frame of every page, and results as pages."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.resources import files
from itertools import count

from evenhand._version import __version__
from evenhand.results.document import (
    Block,
    Code,
    Content,
    FactList,
    Heading,
    KeyNumbers,
    Paragraph,
    Picture,
    Pictures,
    Section,
    Table,
    leads,
)
from evenhand.results.latex import titled
from evenhand.results.result import encodable
from evenhand.text import (
    Cell,
    ExactCell,
    Grid,
    LimitsCell,
    Looks,
    ShadedCell,
    ShownCell,
    cell_text,
    counted,
    html_text,
    in_lines,
)
from evenhand.text import written as cell_written

ROLES = {
    "ink": ("#1b1f24", "#e6edf3"),
    "soft": ("#57606a", "#9ea7b3"),
    "line": ("#d0d7de", "#3d444d"),
    "paper": ("#ffffff", "#12161c"),
    "blue": ("#08519c", "#79b8ff"),
    "orange": ("#c2410c", "#ff9e64"),
    "green": ("#00745a", "#4cd3a5"),
    "purple": ("#8e3a80", "#e6a3da"),
    "gold": ("#8a6100", "#e3b341"),
    "teal": ("#0e7490", "#5cc8dc"),
    "grey": ("#8c959f", "#6e7681"),
}
"""Each role on white, and on a dark page, told from the paper at 4.5 to 1 or better, bar lines."""

LIGHT = {role: light for role, (light, _) in ROLES.items()}
DARK = {role: dark for role, (_, dark) in ROLES.items()}


# The frame of every page: one file under a strict Content-Security-Policy.


@cache
def _asset(name: str) -> str:
    return files("evenhand.results").joinpath("assets", name).read_text(encoding="utf-8")


def style() -> str:
    """The style sheet, with the colours of the theme in it."""
    text = _asset("style.css")
    for mark, colours in (("LIGHT", LIGHT), ("DARK", DARK)):
        text = text.replace(mark, " ".join(f"--{role}: {c};" for role, c in colours.items()))
    return text


def hashed(text: str) -> str:
    """What a Content-Security-Policy calls this script or style."""
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(digest).decode('ascii')}'"


def page(title: str, body: str, *, script: bool = True) -> str:
    """A whole document around ``body``, which must be escaped already; ``title`` is not yet."""
    css, js = style(), _asset("script.js")
    policy = f"default-src 'none'; style-src {hashed(css)}; base-uri 'none'; form-action 'none'"
    policy += f"; script-src {hashed(js)}" if script else ""
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">\n'
        f'<meta name="generator" content="evenhand {__version__}">\n'
        f"<title>{html_text(title)}</title>\n<style>{css}</style>\n</head>\n<body>\n{body}\n"
        + (f"<script>{js}</script>\n" if script else "")
        + "</body>\n</html>\n"
    )


def prose(text: str) -> str:
    """Words that break over lines, a number not from its unit."""
    return html_text(text).replace(" %", "&nbsp;%")


def figure(chart: Picture, name: str, heading: str = "p") -> str:
    """A chart in a page between its title and its words, which stand alone where it cannot be
    drawn; ``name`` is its own in that page.
    """
    note = f'<p class="note">{prose(chart.note)}.</p>' if chart.note else ""
    title, drawing = html_text(chart.title), chart.inline(name)
    if not drawing:
        return f"<p><b>{title}.</b> {html_text(chart.description)}</p>"
    return (
        f'<figure><{heading} class="title">{title}</{heading}>{note}'
        f'<div class="canvas">{drawing}</div>'
        f"<figcaption>{prose(chart.description)}</figcaption></figure>"
    )


def chart_page(chart: Picture) -> str:
    """A page with one chart."""
    return page(chart.title, f"<main>{figure(chart, 'chart', 'h1')}</main>", script=False)


# Results in HTML: pages with charts where they can be drawn, and pieces of a notebook.

LOOKS: Looks = {
    "bold": "<b>{}</b>",
    "underlined": "<u>{}</u>",
    "small": "<small>{}</small>",
    "marked": "<mark>{}</mark>",
    "lowered": "<sub>{}</sub>",
}
LONG = 60
"""A text cell beyond this many characters may break over lines."""
KEY = 24
"""The same for what a row is called by."""
HEAD = 16
"""The same for a heading."""
TALL = 40
"""Rows beyond which a table scrolls downwards too."""
WALL = 240
"""Characters of a note under a table from which on it folds."""
MANY = 14
"""Columns beyond which paper has the first ten."""
NOTEBOOK_ROWS = 200
"""Rows that a notebook shows of a table: a hundred thousand would freeze the browser."""
SHORT = 60
"""Characters of a signature that need not fold."""


def written(content: Content, digits: int = 4) -> str:
    """The page: what it is and what it comes to, the rest, data to copy."""
    content = titled(content)
    drawn = (f"c{i}" for i in count())
    head = [b for b in content.blocks if leads(b)]
    blocks = [b for b in content.blocks if not leads(b)]
    verdict = "".join(_paragraph(Paragraph(b.text)) for b in head if isinstance(b, Paragraph))
    verdict_html = f'<div class="verdict" id="verdict">{verdict}</div>' if verdict else ""
    numbers = "".join(_numbers(b) for b in head if isinstance(b, KeyNumbers))
    warned = "".join(map(_paragraph, content.warned))
    body = "".join(_block(b, digits, drawn) for b in blocks)
    data, signed = _data(content), content.signature and not content.kind  # reports explain it
    noted = _paragraph(Paragraph(content.footnote, "note")) if content.footnote else ""
    kind = f'<p class="kind">{html_text(content.kind)}</p>' if content.kind else ""
    shell = (
        '<a class="skip" href="#main">Skip to the content</a>\n'
        f"<header>{kind}<h1>{html_text(content.title)}</h1>"
        f"{verdict_html}{numbers}{warned}</header>\n"
        f'{_nav(blocks, bool(data))}<main id="main">'
        f"{body}{noted}{_code(content.signature) if signed else ''}{data}</main>\n"
        f"<footer><p>Made by evenhand {__version__}: even-handed evaluation of classifiers. "
        "This file needs no network.</p></footer>"
    )
    return page(content.title, shell)


def notebook(content: Content, digits: int = 4) -> str:
    """A piece of a page with a style of its own, without pictures."""
    foot = f"<p>{html_text(content.footnote)}</p>" if content.footnote else ""
    body = "".join(_block(b, digits) for b in content.parts)
    return framed(f"<p><b>{html_text(content.title)}</b></p>{body}{foot}", content.signature)


def framed(body: str, signature: str = "") -> str:
    """HTML for a notebook; a long signature folds, so that it does not stand in the way."""
    if signature:
        code = f"<code>{html_text(signature)}</code>"
        folded = f"<details><summary>signature</summary>{code}</details>"
        body += f"<p>{code}</p>" if len(signature) <= SHORT else folded
    notebook_style = _asset("notebook.css").replace("\n", "")  # it needs no other, light or dark
    return f'<div class="evenhand"><style>{notebook_style}</style>{body}</div>'


def _nav(blocks: Iterable[Block], data: bool) -> str:
    links = [(b.name, b.short) for b in blocks if isinstance(b, Section)]
    if not links:
        return ""
    links += [("data", "Data")] * data
    listed = "".join(f'<li><a href="#{name}">{html_text(short)}</a></li>' for name, short in links)
    return f'<nav aria-label="Sections"><ul tabindex="0">{listed}</ul></nav>\n'


def _numbers(block: KeyNumbers) -> str:
    items = []
    for f in block.facts:
        kind = "value" if len(f.value) <= 7 else "value text"
        detail = f'<dd class="detail">{html_text(f.detail)}</dd>' if f.detail else ""
        items.append(
            f'<div><dt>{html_text(f.name)}</dt><dd class="{kind}">{html_text(f.value)}</dd>'
            f"{detail}</div>"
        )
    return f'<dl class="facts">{"".join(items)}</dl>' if items else ""


def _block(block: Block, digits: int, names: Iterator[str] | None = None) -> str:
    """A block; charts have these ``names``, and a notebook has none."""
    if isinstance(block, Section):
        inner = "".join(_block(b, digits, names) for b in block.blocks)
        head = f'<h2 id="{block.name}-title">{html_text(block.title)}</h2>'
        at = f'id="{block.name}" aria-labelledby="{block.name}-title"'
        return f"<section {at}>{head}{inner}</section>\n"
    if isinstance(block, Table):
        return table(block, digits, cut=names is None)
    if isinstance(block, Pictures):
        charts = zip(block.drawn(), names, strict=False) if names is not None else ()
        return "".join(figure(chart, name) for chart, name in charts)
    if isinstance(block, Paragraph):
        return _paragraph(block)
    if isinstance(block, FactList):
        terms = (f"<dt>{html_text(n)}</dt><dd>{html_text(t)}</dd>" for n, t in block.pairs)
        return f"<dl>{''.join(terms)}</dl>"
    if isinstance(block, KeyNumbers):
        return _numbers(block)
    if isinstance(block, Code | Heading):
        return _code(block.text) if isinstance(block, Code) else f"<h3>{html_text(block.text)}</h3>"
    return ""


def _paragraph(block: Paragraph) -> str:
    kind = "" if block.kind == "text" else f' class="{block.kind}"'
    lines = in_lines(block.text, prose, "<b>{}</b>".format)
    return "".join(f"<p{kind}>{line}</p>" for line in lines)


def _code(text: str) -> str:
    return f'<p class="signature"><code>{html_text(text)}</code></p>'


def table(block: Table, digits: int, *, cut: bool = False) -> str:
    """A table that scrolls in its own frame, its key column staying, and can be sorted.

    Where it is ``cut``, as in a notebook, it has its first rows, and no number all its digits.
    """
    grid, notes = block.shown(NOTEBOOK_ROWS if cut else len(block.grid.rows))
    if cut:
        rows = [[c.value if isinstance(c, ExactCell) else c for c in row] for row in grid.rows]
        grid = Grid(grid.columns, rows)
    right = grid.rights
    key = right.index(False) if False in right else 0
    head = "".join(
        f'<th scope="col"{_kind(r, "", j == key, len(c) > HEAD and j != key)}>{html_text(c)}</th>'
        for j, (c, r) in enumerate(zip(grid.columns, right, strict=True))
    )
    own = block.digits or digits
    body = "".join(f"<tr>{_row(row, right, key, own, not cut)}</tr>" for row in grid.rows)
    unnamed = f"Table of {', '.join(grid.columns)}, {counted(len(grid.rows), 'row')}"
    label = html_text(block.name or unnamed)
    caption = f"<caption><span>{label}</span></caption>" if block.name else ""
    below = "".join(map(_note, notes))
    inner = f"{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    if cut:
        return f"<table>{inner}{below}"
    tall = " tall" * (len(grid.rows) > TALL)
    kinds = "sortable" + " filtered" * (block.rows == "systems")
    kinds += " many" * (len(grid.columns) > MANY)
    return (
        f'<div class="scroll{tall}" tabindex="0" role="region" aria-label="{label}">'
        f'<table class="{kinds}">{inner}</div>{below}'
    )


def _note(text: str) -> str:
    """What stands below a table; a wall of words folds."""
    if len(text) <= WALL:
        return f'<p class="note">{html_text(text)}</p>'
    start = html_text(text[: text.rfind(" ", 0, 60)])
    return f'<details class="note"><summary>{start} …</summary><p>{html_text(text)}</p></details>'


def _row(row: Iterable[Cell], right: list[bool], key: int, digits: int, sortable: bool) -> str:
    cells = []
    for j, (value, r) in enumerate(zip(row, right, strict=True)):
        text = cell_text(value, digits)
        order = value.sort if isinstance(value, ShownCell) else value
        known = sortable and isinstance(order, int | float) and order == order
        sort = f' data-sort="{order!r}"' if known else ""
        tag = 'th scope="row"' if j == key and text.strip() else "td"
        shown = cell_written(value, digits, html_text, LOOKS)
        kind = _kind(r, text, j == key)
        if isinstance(value, ShadedCell):
            tone = "43 123 208" if value.hit else "226 102 31"  # blue, orange
            kind = f' class="right" style="background:rgb({tone}/{0.6 * value.share:.2f})"'
        if isinstance(value, LimitsCell) and not sortable:
            shown += _bar(value.low, value.high)
        cells.append(f"<{tag}{kind}{sort}>{shown}</{tag[:2]}>")
    return "".join(cells)


def _bar(low: float | None, high: float | None) -> str:
    """An interval of a score as a bar from 0 to 1."""
    if low is None or high is None or not 0 <= low <= high <= 1:
        return ""
    size = f"margin-left:{100 * low:.1f}%;width:{100 * (high - low):.1f}%"
    return f'<i class="bar"><b style="{size}"></b></i>'


def _kind(right: bool, text: str, key: bool, wordy: bool = False) -> str:
    kinds = ["right"] * right + ["long"] * (len(text) > (KEY if key else LONG)) + ["key"] * key
    kinds += ["wordy"] * wordy
    return f' class="{" ".join(kinds)}"' if kinds else ""


def embedded(data: object) -> str:
    """JSON that no parser of HTML takes for markup."""
    text = json.dumps(encodable(data), ensure_ascii=True, separators=(",", ":"))
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
        lines = "\n".join(html_text(line) for line in text.split("\n"))
        shown.append(
            f'<details><summary>{name}</summary><pre id="{at}" tabindex="0">{lines}</pre></details>'
        )
    return (
        '<section id="data" aria-labelledby="data-title"><h2 id="data-title">Data to copy</h2>'
        "<p>The JSON in this file is what <code>to_json()</code> gives.</p>"
        f'<div class="copy">{"".join(buttons)}</div>'
        f'<p class="note" id="said" role="status"></p>{"".join(shown)}'
        f'<script type="application/json" id="json">{embedded(content.json)}</script></section>'
    )

"""A report as one HTML page."""

from __future__ import annotations

import json
from collections.abc import Iterable
from itertools import count

from evenhand._version import __version__
from evenhand.results.grid import Grid
from evenhand.results.json import dumps
from evenhand.results.page import figure, page
from evenhand.results.text import html_text, number
from evenhand.show.report.parts import (
    Block,
    Code,
    Fact,
    Heading,
    Pictures,
    Report,
    Section,
    Table,
    Words,
)

LONG = 60
"""A text cell beyond this many characters may break over lines."""


def written(report: Report) -> str:
    """The page: verdict, facts, sections, data to copy."""
    drawn = (f"c{i}" for i in count())
    sections = "".join(_section(s, drawn) for s in report.sections)
    links = [(s.name, s.short) for s in report.sections] + [("data", "Data")]
    nav = "".join(f'<li><a href="#{name}">{html_text(short)}</a></li>' for name, short in links)
    verdict = "".join(f"<p>{html_text(v)}</p>" for v in report.verdict)
    body = (
        '<a class="skip" href="#main">Skip to the content</a>\n'
        f'<header><p class="kind">{html_text(report.kind)}</p><h1>{html_text(report.title)}</h1>'
        f'<div class="verdict" id="verdict">{verdict}</div>{_facts(report.facts)}</header>\n'
        f'<nav aria-label="Sections"><ul tabindex="0">{nav}</ul></nav>\n<main id="main">'
        f"{sections}{_data(report)}</main>\n"
        f"<footer><p>Made by evenhand {__version__}: even-handed evaluation of classifiers. "
        "This file needs no network.</p></footer>"
    )
    return page(report.title, body)


def _facts(facts: Iterable[Fact]) -> str:
    found = []
    for f in facts:
        kind = "value" if len(f.value) <= 7 else "value text"
        detail = f'<dd class="detail">{html_text(f.detail)}</dd>' if f.detail else ""
        found.append(
            f'<div><dt>{html_text(f.name)}</dt><dd class="{kind}">{html_text(f.value)}</dd>'
            f"{detail}</div>"
        )
    return f'<dl class="facts">{"".join(found)}</dl>' if found else ""


def _section(section: Section, drawn: Iterable[str]) -> str:
    names = iter(drawn)
    body = "".join(_block(b, names) for b in section.blocks)
    head = f'<h2 id="{section.name}-title">{html_text(section.title)}</h2>'
    return (
        f'<section id="{section.name}" aria-labelledby="{section.name}-title">{head}{body}'
        "</section>\n"
    )


def _block(block: Block, names: Iterable[str]) -> str:
    if isinstance(block, Words):
        kind = "" if block.kind == "text" else f' class="{block.kind}"'
        return f"<p{kind}>{html_text(block.text)}</p>"
    if isinstance(block, Heading):
        return f"<h3>{html_text(block.text)}</h3>"
    if isinstance(block, Code):
        return f'<p class="signature"><code>{html_text(block.text)}</code></p>'
    if isinstance(block, Table):
        return table(block)
    assert isinstance(block, Pictures)
    drawn = [figure(c, name) for c, name in zip(block.charts, names, strict=False)]
    return "".join(drawn) if len(drawn) == 1 else f'<div class="pictures">{"".join(drawn)}</div>'


def table(block: Table) -> str:
    """A table that scrolls in its own frame and can be sorted."""
    grid = block.grid
    right = [grid.numeric(j) for j in range(len(grid.columns))]
    head = "".join(
        f'<th scope="col"{_kind(r, "")}>{html_text(c)}</th>'
        for c, r in zip(grid.columns, right, strict=True)
    )
    rows = "".join(f"<tr>{_row(grid, row, right, block.digits)}</tr>" for row in grid.rows)
    label = html_text(block.name)
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{label}">'
        f'<table class="sortable"><caption>{label}</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>"
    )


def _row(grid: Grid, row: Iterable[object], right: list[bool], digits: int) -> str:
    cells = []
    for value, r in zip(row, right, strict=True):
        if isinstance(value, str):
            cells.append(f"<td{_kind(r, value)}>{html_text(value)}</td>")
            continue
        assert value is None or isinstance(value, int | float)
        known = value is not None and value == value
        sort = f' data-sort="{value!r}"' if known else ""
        cells.append(f"<td{_kind(r, '')}{sort}>{number(value, digits)}</td>")
    return "".join(cells)


def _kind(right: bool, text: str) -> str:
    kinds = ["right"] * right + ["long"] * (len(text) > LONG)
    return f' class="{" ".join(kinds)}"' if kinds else ""


def embedded(data: object) -> str:
    """JSON that no parser of HTML takes for markup."""
    text = json.dumps(json.loads(dumps(data)), ensure_ascii=True, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _data(report: Report) -> str:
    """Data to copy: the JSON in a data block, the others in view on request."""
    buttons = ['<button type="button" data-copy="json" hidden>Copy JSON</button>']
    shown = []
    for name, text in report.copies.items():
        at = f"copy-{name.lower()}"
        buttons.append(f'<button type="button" data-copy="{at}" hidden>Copy {name}</button>')
        shown.append(
            f"<details><summary>{name}</summary>"
            f'<pre id="{at}" tabindex="0">{_kept(text)}</pre></details>'
        )
    return (
        '<section id="data" aria-labelledby="data-title"><h2 id="data-title">Data to copy</h2>'
        "<p>The JSON in this file is what <code>--format json</code> prints.</p>"
        f'<div class="copy">{"".join(buttons)}</div>'
        f'<p class="note" id="said" role="status"></p>{"".join(shown)}'
        f'<script type="application/json" id="json">{embedded(report.data)}</script></section>'
    )


def _kept(text: str) -> str:
    """Several lines of text, each escaped."""
    return "\n".join(html_text(line) for line in text.split("\n"))

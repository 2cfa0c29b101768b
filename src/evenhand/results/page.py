"""The shell of every page: one file, no network, a strict Content-Security-Policy."""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from importlib.resources import files

from evenhand._version import __version__
from evenhand.results.colours import DARK, LIGHT
from evenhand.results.content import Picture
from evenhand.results.text import html_text


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
    css, js = style(), _asset("script.js") if script else ""
    policy = f"default-src 'none'; style-src {hashed(css)}; base-uri 'none'; form-action 'none'"
    if script:
        policy += f"; script-src {hashed(js)}"
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
    """A chart in a page between its title and its words; ``name`` is its own in that page."""
    note = f'<p class="note">{prose(chart.note)}.</p>' if chart.note else ""
    title = html_text(chart.title)
    return (
        f'<figure><{heading} class="title">{title}</{heading}>{note}'
        f'<div class="canvas">{chart.inline(name)}</div>'
        f"<figcaption>{prose(chart.description)}</figcaption></figure>"
    )


def chart_page(chart: Picture) -> str:
    """A page with one chart."""
    body = f"<main>{figure(chart, 'chart', 'h1')}</main>"
    return page(chart.title, body, script=False)

"""Drawing: from a specification to SVG, PNG and PDF, by vl-convert, without a network."""

from __future__ import annotations

import re
from importlib.util import find_spec
from typing import Any

from evenhand.draw.theme import SIZE
from evenhand.errors import InputError
from evenhand.results.colours import LIGHT

VERSION = "5.20"
"""Of Vega-Lite; the newest that every vl-convert from 1.7 on brings along."""


def available() -> bool:
    """Whether charts can be drawn here."""
    return find_spec("vl_convert") is not None


def require() -> None:
    """An error that says what to install, before any work is done for a drawing."""
    _converter()


def _converter() -> Any:
    try:
        import vl_convert
    except ImportError:
        raise InputError(
            "drawing a chart needs vl-convert: pip install 'evenhand[plot]' (.json needs nothing)"
        ) from None
    return vl_convert


def _drawn(kind: str, spec: dict[str, Any], **how: Any) -> Any:
    convert = getattr(_converter(), f"vegalite_to_{kind}")
    return convert(spec, vl_version=VERSION, allowed_base_urls=[], **how)


def svg(spec: dict[str, Any]) -> str:
    """An SVG document."""
    return _lighter(_drawn("svg", spec))


def png(spec: dict[str, Any], scale: float) -> bytes:
    """A PNG image."""
    return bytes(_drawn("png", spec, scale=scale))


def pdf(spec: dict[str, Any]) -> bytes:
    """A PDF document of one page."""
    return bytes(_drawn("pdf", spec))


_TAG = re.compile(r"<[^<>]+>")
_LABEL = re.compile(r'^<(path|rect|line|circle)\b(.*?) aria-label="([^"]*)"(.*?)/>$', re.DOTALL)
_NOISE = re.compile(
    rf' (?:font-size="{SIZE}px"|font-weight="normal"|stroke-width="1"'
    r'|role="graphics-(?:symbol|object|document)"|aria-roledescription="[^"]*"'
    r'|aria-hidden="true"|aria-label="[^"]*"|pointer-events="none"|font-family="[^"]*"'
    r'|opacity="1"|class="(?:mark-|role-|background|foreground)[^"]*")'
)
_TITLE = re.compile(r"<title>[^<]*</title>")
_EMPTY = re.compile(r'^<path d="M0,0h0v0h0Z"|^<path [^<>]*display="none"')
_WORDS = re.compile(r' font-family="[^"]*" font-size="[^"]*"')
_FONT = re.compile(r' font-family="[^"]*"')
_LONG = re.compile(r"\d+\.\d{2,}")
_PATH = re.compile(r'(?<= d=")[^"]+')
_CIRCLE = re.compile(
    r'^<path( .*?)? d="M([\d.]+),0A\2,\2,0,1,1,-\2,0A\2,\2,0,1,1,\2,0Z?"', re.DOTALL
)


def _lighter(text: str) -> str:
    """A drawing without what no reader uses, and each mark's words as its title.

    Only tags are touched: between them stand labels, which are nobody's to change.
    """
    head, brace, body = text.partition(">")
    font = _FONT.search(body)
    words = f'{font[0]} font-size="{SIZE}px"' if font else ""
    return head + words + brace + _TAG.sub(lambda m: _lighter_tag(m[0]), body)


def _lighter_tag(tag: str) -> str:
    if _EMPTY.search(_NOISE.sub("", tag)):
        return ""
    said = _LABEL.match(tag)
    if said is None:
        return _shorter(tag)
    name, before, words, after = said.groups()
    mark = _shorter(f"<{name}{before}{after}")
    return f"{mark}><title>{words}</title></{mark[1:].partition(' ')[0]}>"


def _shorter(tag: str) -> str:
    """A tag without noise, its numbers as long as an eye can tell, circles as such."""
    tag = _CIRCLE.sub(r'<circle\1 r="\2"', _NOISE.sub("", tag))
    tag = _PATH.sub(lambda path: _LONG.sub(_tenths, path[0]), tag)
    return _LONG.sub(_rounded, tag)


def _tenths(number: re.Match[str]) -> str:
    return f"{float(number[0]):.1f}".removesuffix(".0")


def _rounded(number: re.Match[str]) -> str:
    return f"{float(number[0]):.2f}".rstrip("0").rstrip(".")


SCALE = 1.34
"""A page's column against the widest drawing: there, type has the size of the page's."""


def inline(drawing: str, description: str, name: str, kind: str) -> str:
    """A drawing for a page: colours as variables of the page, ids of its own, words for all.

    ``description``, ``name`` and ``kind``, its class, must be escaped already. A phone has nothing
    to hover with, so that marks of a narrow drawing go without words.
    """
    head, _, body = drawing.partition(">")
    font = _WORDS.search(head)
    w, h = size(drawing)
    shown = f'width="{SCALE * float(w):.0f}" height="{SCALE * float(h):.0f}"'
    body = re.sub(r'<rect width="[\d.]+" height="[\d.]+" fill="[^"]*"/>', "", body, count=1)
    body = _TAG.sub(lambda m: _themed(m[0], name), body)
    if kind == "narrow":
        body = _TITLE.sub("", body)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="{kind}" role="img"'
        f' aria-label="{description}" {shown} viewBox="0 0 {w} {h}"{font[0] if font else ""}>{body}'
    )


def size(drawing: str) -> tuple[str, str]:
    """Width and height of a drawing, as it writes them."""
    found = re.search(r'width="([\d.]+)" height="([\d.]+)"', drawing.partition(">")[0])
    assert found is not None
    return found[1], found[2]


_ROLES = {colour: f"var(--{role})" for role, colour in LIGHT.items()} | {"white": "var(--paper)"}
_COLOUR = re.compile(r'(?<=(?:fill|roke)=")[^"]+')  # of a stroke too: what is behind has one width


def _themed(tag: str, name: str) -> str:
    tag = _COLOUR.sub(lambda m: _ROLES.get(m[0].lower(), m[0]), tag)
    tag = re.sub(r' id="([^"]+)"', rf' id="{name}-\1"', tag)
    return re.sub(r"url\(#([^)]+)\)", rf"url(#{name}-\1)", tag)

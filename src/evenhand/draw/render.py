"""Drawing: from a specification to SVG, PNG and PDF, by vl-convert, without a network."""

from __future__ import annotations

import re
from importlib.util import find_spec
from typing import Any

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
    r' (?:role="graphics-(?:symbol|object|document)"|aria-roledescription="[^"]*"'
    r'|aria-hidden="true"|aria-label="[^"]*"|pointer-events="none"|font-family="[^"]*"'
    r'|opacity="1"|class="(?:mark-|role-|background|foreground)[^"]*")'
)
_EMPTY = re.compile(r'^<path d="M0,0h0v0h0Z"|^<path [^<>]*display="none"')
_FONT = re.compile(r' font-family="[^"]*"')
_LONG = re.compile(r"\d+\.\d{3,}")


def _lighter(text: str) -> str:
    """A drawing without what no reader uses, and each mark's words as its title.

    Only tags are touched: between them stand labels, which are nobody's to change.
    """
    head, brace, body = text.partition(">")
    font = _FONT.search(body)
    return head + (font[0] if font else "") + brace + _TAG.sub(lambda m: _lighter_tag(m[0]), body)


def _lighter_tag(tag: str) -> str:
    if _EMPTY.search(_NOISE.sub("", tag)):
        return ""
    said = _LABEL.match(tag)
    if said is None:
        return _LONG.sub(_rounded, _NOISE.sub("", tag))
    name, before, words, after = said.groups()
    rest = _LONG.sub(_rounded, _NOISE.sub("", before + after))
    return f"<{name}{rest}><title>{words}</title></{name}>"


def _rounded(number: re.Match[str]) -> str:
    return f"{float(number[0]):.2f}"


def inline(drawing: str, description: str, name: str) -> str:
    """A drawing for a page: colours as variables of the page, ids of its own, words for all.

    ``description`` and ``name`` must be escaped already.
    """
    head, _, body = drawing.partition(">")
    font = _FONT.search(head)
    w, h = size(drawing)
    body = re.sub(r'<rect width="[\d.]+" height="[\d.]+" fill="[^"]*"/>', "", body, count=1)
    body = _TAG.sub(lambda m: _themed(m[0], name), body)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{description}"'
        f' width="{w}" height="{h}" viewBox="0 0 {w} {h}"{font[0] if font else ""}>{body}'
    )


def size(drawing: str) -> tuple[str, str]:
    """Width and height of a drawing, as it writes them."""
    found = re.search(r'width="([\d.]+)" height="([\d.]+)"', drawing.partition(">")[0])
    assert found is not None
    return found[1], found[2]


_ROLES = {colour: f"var(--{role})" for role, colour in LIGHT.items()} | {"white": "var(--paper)"}
_COLOUR = re.compile(r'(?<=(?:fill|roke)=")[^"]+')


def _themed(tag: str, name: str) -> str:
    tag = _COLOUR.sub(lambda m: _ROLES.get(m[0].lower(), m[0]), tag)
    tag = re.sub(r' id="([^"]+)"', rf' id="{name}-\1"', tag)
    return re.sub(r"url\(#([^)]+)\)", rf"url(#{name}-\1)", tag)

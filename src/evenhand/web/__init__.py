"""The web page and its API, and the page as a file that needs no server.

``evenhand.web.create_app()`` is an application for any ASGI server, with ``evenhand.web.Settings``.
"""

from __future__ import annotations

import base64
import json
from importlib import import_module
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from evenhand.catalogue.lists import HEADLINES, lookup
from evenhand.catalogue.spelling import described
from evenhand.results.page import embedded, style
from evenhand.text import html_text

if TYPE_CHECKING:
    from evenhand.web.app import create_app as create_app
    from evenhand.web.work import Settings as Settings

_HOMES = {"create_app": "app", "Settings": "work"}


def __getattr__(name: str) -> Any:
    """What people deploy, loaded when it is asked for: it needs the extra ``web``."""
    if name not in _HOMES:
        raise AttributeError(f"module 'evenhand.web' has no attribute {name!r}")
    return getattr(import_module(f"evenhand.web.{_HOMES[name]}"), name)


def page_files() -> dict[str, str]:
    """The page's files by their names, the style sheet of reports among them."""
    here = files("evenhand.web").joinpath("page")
    contents = {f.name: f.read_text(encoding="utf-8") for f in here.iterdir() if f.is_file()}
    return {**contents, "report.css": style()}


def metric_facts(name: str) -> dict[str, Any]:
    """What a reader is told of a metric beside its number."""
    record = lookup(name)
    title, says = described(name)
    bounded = record.bounded
    return {
        "title": title,
        "says": says,
        "low": record.low if bounded else None,
        "high": record.high if bounded else None,
        "better": record.better,
        "headline": record.name in HEADLINES,
    }


POLICY = """<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src \
'unsafe-inline'; script-src 'unsafe-inline' data:; img-src data:; base-uri 'none'; form-action \
'none'">
"""


def static_page(address: str = "") -> str:
    """Play as one file without a server or a network; ``address`` is where it will stand."""
    contents = page_files()
    single = [name for name in HEADLINES if "single" in lookup(name).tasks]
    facts = embedded({name: metric_facts(name) for name in single})
    data = {"presets.json": embedded(json.loads(contents["presets.json"])), "facts.json": facts}
    scripts = {
        f"page/{name}": "data:text/javascript;base64,"
        + base64.b64encode(text.replace('"/page/', '"page/').encode()).decode()
        for name, text in contents.items()
        if name.endswith(".js")
    }
    parts = [f'<script type="importmap">{json.dumps({"imports": scripts})}</script>']
    parts += [
        f'<script type="application/json" id="page/{name}">{text}</script>'
        for name, text in data.items()
    ]
    parts += ['<script type="module">import "page/main.js";</script>']
    page = contents["index.html"]
    for name in ("report.css", "page.css"):
        link = f'<link rel="stylesheet" href="/page/{name}">'
        page = page.replace(link, f"<style>{contents[name]}</style>")
    page = page.replace('<script type="module" src="/page/main.js"></script>\n', "")
    at = html_text(address)
    page = page.replace('content="picture.png"', f'content="{at}picture.png"', 1)
    page = page.replace("<title>", f"{POLICY}<title>", 1)
    without = 'data-alone data-without="evaluate audit learn finder"'
    page = page.replace("<body>", f'<body {without} data-address="{at}">', 1)
    return page.replace("</body>", "".join(parts) + "</body>", 1)

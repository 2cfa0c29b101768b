"""Pages: the page, its files, and the documentation of the API; nothing from elsewhere."""

from __future__ import annotations

from importlib.resources import files
from pathlib import PurePath

from fastapi import FastAPI
from fastapi.responses import HTMLResponse, Response

from evenhand.results.page import style
from evenhand.web.describing import described
from evenhand.web.guards import refused

KINDS = {".html": "text/html", ".js": "text/javascript", ".css": "text/css"}


def add_pages(app: FastAPI, api: str) -> None:
    """The page and its files, read once; the documentation, made from the description."""
    here = files("evenhand.web").joinpath("page")
    found = {f.name: f.read_text(encoding="utf-8") for f in here.iterdir() if f.is_file()}
    found["report.css"] = style()
    off = " ".join(part for part in ("evaluate", "audit") if not getattr(app.state.settings, part))
    found["index.html"] = found["index.html"].replace("<body>", f'<body data-without="{off}">', 1)

    def file(name: str) -> Response:
        if name not in found:
            return refused(404, f"there is no {name!r}")
        return Response(found[name], media_type=KINDS[PurePath(name).suffix])

    @app.get("/", include_in_schema=False)
    async def index() -> Response:
        return file("index.html")

    @app.get("/page/{name}", include_in_schema=False)
    async def part(name: str) -> Response:
        return file(name)

    @app.get(f"{api}/docs", include_in_schema=False)
    async def docs() -> Response:
        return HTMLResponse(described(app.openapi(), f"{api}/openapi.json"))

"""Site: the page, its files, and what only the page asks for."""

from __future__ import annotations

import asyncio
import shlex
from collections.abc import Sequence
from dataclasses import replace
from importlib.resources import files
from typing import Annotated, Any, Literal
from urllib.parse import quote

from fastapi import APIRouter, FastAPI, File, Form, Query, Request, UploadFile
from fastapi.responses import Response
from starlette.concurrency import run_in_threadpool

from evenhand.draw.confusion import confusion
from evenhand.results.json import dumps
from evenhand.results.page import style
from evenhand.web import asked
from evenhand.web.answers import MEDIA, FieldError, at_most, table_of
from evenhand.web.guards import refused
from evenhand.web.guide import Needed, advice
from evenhand.web.settings import Settings
from evenhand.web.uploads import folder, keep
from evenhand.web.work import Done

KINDS = {".html": "text/html", ".js": "text/javascript", ".css": "text/css"}
REPORT = "report.html"
Text = Annotated[str, Form(max_length=500)]


def add_page(app: FastAPI) -> None:
    """The page and its files, read once."""
    here = files("evenhand.web").joinpath("page")
    found = {f.name: f.read_text(encoding="utf-8") for f in here.iterdir() if f.is_file()}
    found["report.css"] = style()

    def file(name: str) -> Response:
        if name not in found:
            return refused(404, f"there is no {name!r}")
        ending = name[name.rindex(".") :]
        return Response(found[name], media_type=KINDS[ending])

    @app.get("/", include_in_schema=False)
    async def index() -> Response:
        return file("index.html")

    @app.get("/page/{name}", include_in_schema=False)
    async def part(name: str) -> Response:
        return file(name)


def add_page_api(app: FastAPI, api: str, refusals: Any) -> None:
    """What the page asks for: the guide, the papers, and files."""
    settings: Settings = app.state.settings
    router = APIRouter(prefix=api, tags=["page"], responses=refusals)

    @router.get("/guide")
    async def guide(
        classes: bool = True, mix: bool = True, errors: bool = True, chance: bool = False
    ) -> Response:
        """Metrics with the properties that are needed."""
        return _json({"advice": advice(Needed(classes, mix, errors, chance))})

    @router.get("/papers")
    async def papers(
        word: Annotated[list[Annotated[str, Query(max_length=100)]], Query(max_length=20)] = [],  # noqa: B006
    ) -> Response:
        """The claims of the founding documents, recomputed."""
        if any(w.startswith("-") for w in word):
            raise FieldError("word", "a word must not begin with a dash")
        return _said(await _command(app, ["papers", *word, "--format", "json"], "."), "json")

    @router.post("/picture")
    async def picture(body: asked.Play) -> Response:
        """The table as an SVG picture."""
        table = table_of(body, settings)
        drawn = await run_in_threadpool(lambda: confusion(table).to_svg())
        return Response(drawn, media_type="image/svg+xml")

    if settings.evaluate:

        @router.post("/look")
        async def look(file: Annotated[UploadFile, File()]) -> Response:
            """What a file is, and which of its columns look like labels."""
            with folder() as place:
                (name,) = await keep([file], "file", place)
                return _said(
                    await _command(app, ["look", name, "--format", "json"], str(place)), "json"
                )

        @router.post("/evaluate")
        async def evaluate(
            request: Request,
            runs: Annotated[list[UploadFile], File()],
            gold: Annotated[UploadFile | None, File()] = None,
            true: Text = "",
            pred: Text = "",
            id: Text = "",
            metric: Text = "macro_f1",
            format: Annotated[Literal["html", "csv", "latex", "json"], Form()] = "html",
        ) -> Response:
            """Scores of one system or a leaderboard of several, from files."""
            at_most("runs", len(runs), settings.files)
            options = {"--true": true, "--pred": pred, "--id": id}
            with folder() as place:
                names = await keep([gold] if gold else [], "gold", place)
                names += await keep(runs, "runs", place)
                asked = _arguments(names, options, metric, format)
                job = asyncio.create_task(_command(app, asked, str(place)))
                done = await _unless_gone(request, job)
                if (place / REPORT).is_file():
                    done = replace(done, out=(place / REPORT).read_bytes())
            answer = _said(done, format)
            answer.headers["X-Command"] = quote(shlex.join(["evenhand", *asked]))
            return answer

    app.include_router(router)


def _arguments(names: Sequence[str], options: dict[str, str], metric: str, form: str) -> list[str]:
    """What the command line would be given: a report to look at, else one table of numbers."""
    several = len(names) > 2
    verb = "report" if form == "html" else "rank" if several else "score"
    found = [verb, *names]
    for option, text in options.items():
        parts = text.split(",") if option == "--pred" and len(names) == 1 else [text]
        found += [f"{option}={part.strip()}" for part in parts if part.strip()]
    if verb == "rank":
        found.append(f"--metric={metric}")
    return [*found, f"--output={REPORT}" if verb == "report" else f"--format={form}"]


async def _command(app: FastAPI, arguments: Sequence[str], place: str) -> Done:
    done: Done = await app.state.work.run(("evenhand.web.command", *arguments), b"", place)
    return done


async def _unless_gone(request: Request, job: asyncio.Task[Done]) -> Done:
    """The job's end; it is killed if nobody waits for it any more."""
    while True:
        done, _ = await asyncio.wait({job}, timeout=0.5)
        if done:
            return job.result()
        if await request.is_disconnected():
            job.cancel()


def _said(done: Done, form: str) -> Response:
    """What a command printed, or the one line that says why not."""
    if done.code in (0, 1) and done.out:
        return Response(done.out, media_type=MEDIA[form])
    lines = done.err.decode("utf-8", "replace").strip().splitlines()
    if done.code == 2 and lines:
        return refused(422, lines[-1].removeprefix("evenhand: error: "))
    return refused(503, "the job was ended before it was done: it needed too much memory")


def _json(value: Any) -> Response:
    return Response(dumps(value), media_type=MEDIA["json"])

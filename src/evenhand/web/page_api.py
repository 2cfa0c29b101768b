"""Page API: what only the page asks for, and files that commands read."""

from __future__ import annotations

import asyncio
import re
import shlex
from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Annotated, Any, Literal
from urllib.parse import quote

from fastapi import APIRouter, FastAPI, File, Form, Query, Request, UploadFile
from fastapi.responses import Response
from starlette.concurrency import run_in_threadpool

from evenhand.auditing.columns import CHECKED
from evenhand.catalogue.titles import title
from evenhand.draw.confusion import MOST, confusion
from evenhand.results.json import dumps
from evenhand.web import asked
from evenhand.web.answers import MEDIA, FieldError, at_most, table_of
from evenhand.web.guards import failed, refused
from evenhand.web.guide import Cost, Needed, advice
from evenhand.web.presets import presets
from evenhand.web.settings import Settings
from evenhand.web.uploads import REPORT, folder, keep
from evenhand.web.work import Done, Told

Text = Annotated[str, Form(max_length=500)]
Word = Annotated[str, Query(max_length=100)]
JOB = re.compile(r"[0-9a-f-]{32,64}")
"""What a page calls its own work: nobody else can guess it."""
COLUMNS = ("true", "pred", "id", "system", "weights", "cluster")
"""Columns that may be chosen."""


def add_page_api(app: FastAPI, api: str, refusals: Any) -> None:
    """What the page asks for: presets, the guide, the papers, pictures, and files."""
    settings: Settings = app.state.settings
    router = APIRouter(
        prefix=api, tags=["page"], responses=refusals, default_response_class=Response
    )
    steps: dict[str, str] = {}

    @router.get("/presets")
    async def tables() -> Response:
        """Tables to begin with."""
        return _json({"presets": [asdict(p) for p in presets()]})

    @router.get("/guide")
    async def guide(
        classes: bool = True, mix: bool = True, cost: Cost = "same", chance: bool = False
    ) -> Response:
        """Metrics with the properties that are needed."""
        return _json({"advice": advice(Needed(classes, mix, cost, chance))})

    @router.get("/papers")
    async def papers(
        word: Annotated[list[Word], Query(max_length=20)] = [],  # noqa: B006
    ) -> Response:
        """The claims of the founding documents, recomputed."""
        for w in word:
            _plain("word", w)
            if w.startswith("-"):
                raise FieldError("word", "a word must not begin with a dash")
        with folder() as place:
            return _said(
                await _command(app, ["papers", *word, "--format=json"], str(place)), "json"
            )

    @router.post("/picture")
    async def picture(body: asked.Play, format: Literal["svg", "png"] = "svg") -> Response:
        """The table as a picture."""
        at_most("matrix", len(body.matrix), MOST)
        chart = confusion(table_of(body, settings), normalise=None, title="Confusions")
        if format == "png":
            return Response(await run_in_threadpool(chart.to_png), media_type="image/png")
        return Response(await run_in_threadpool(chart.to_svg), media_type="image/svg+xml")

    if settings.audit:

        @router.get("/headings")
        async def headings() -> Response:
            """What a column of a table to audit may be taken for."""
            return _json({"headings": [{"name": n, "title": t} for n, t in _headings()]})

    if settings.evaluate:

        @router.post("/look")
        async def look(file: Annotated[UploadFile, File()]) -> Response:
            """What a file is, and which of its columns look like labels."""
            with folder() as place:
                (name,) = await keep([file], "file", place)
                return _said(await _command(app, ["look", name, "--format=json"], place), "json")

        @router.get("/progress")
        async def progress(job: Annotated[str, Query(max_length=64)]) -> Response:
            """How far a job is whose name one has given oneself, as ``X-Job``."""
            return _json({"step": steps.get(job)})

        @router.post("/evaluate")
        async def evaluate(
            request: Request,
            runs: Annotated[list[UploadFile], File()],
            gold: Annotated[UploadFile | None, File()] = None,
            true: Text = "",
            pred: Text = "",
            id: Text = "",
            system: Text = "",
            weights: Text = "",
            cluster: Text = "",
            metric: Text = "macro_f1",
            what: Annotated[Literal["scores", "comparison"], Form()] = "scores",
            format: Annotated[Literal["html", "csv", "latex", "json"], Form()] = "html",
        ) -> Response:
            """Scores of one system, a leaderboard of several or their comparison, from files."""
            at_most("runs", len(runs), settings.files)
            given = (true, pred, id, system, weights, cluster)
            job = request.headers.get("x-job", "")
            with folder() as place:
                names = await keep([gold] if gold else [], "gold", place)
                names += await keep(runs, "runs", place)
                columns = dict(zip(COLUMNS, given, strict=True))
                for field, text in {**columns, "metric": metric}.items():
                    _plain(field, text)
                asked = _arguments(names, columns, metric, what, format)

                def told(step: str) -> None:
                    if JOB.fullmatch(job):
                        steps[job] = step

                work = asyncio.create_task(_command(app, asked, place, told))
                try:
                    done = await _unless_gone(request, work)
                finally:
                    steps.pop(job, None)
                if (place / REPORT).is_file():
                    done = replace(done, out=(place / REPORT).read_bytes())
            answer = _said(done, format)
            answer.headers["X-Command"] = quote(shlex.join(["evenhand", *asked]))
            return answer

    app.include_router(router)


def _plain(field: str, text: str) -> None:
    """No process can be given a text with a null character."""
    if "\0" in text:
        raise FieldError(field, f"{field} must not have a null character")


def _arguments(
    names: Sequence[str], columns: dict[str, str], metric: str, what: str, form: str
) -> list[str]:
    """What the command line would be given: a page to look at, else one table of numbers."""
    systems = [p.strip() for p in columns["pred"].split(",")] if len(names) == 1 else []
    several = len(names) > 2 or len(systems) > 1 or bool(columns["system"].strip())
    compares = what == "comparison" and several
    verb = "compare" if compares else "report" if form == "html" else "rank" if several else "score"
    found = [verb, *names]
    for column, text in columns.items():
        parts = systems if column == "pred" and systems else [text.strip()]
        found += [f"--{column}={part}" for part in parts if part]
    if several and not compares:
        found.append(f"--by-metric={metric}")
    return [*found, f"--output={REPORT}" if form == "html" else f"--format={form}"]


def _headings() -> list[tuple[str, str]]:
    """What a column may be taken for, and in words; a macro F1 is first of all a question."""
    found = [("macro_f1", "Macro F1, either formula"), ("mean_of_f1", title("macro_f1"))]
    rest = [m for m in CHECKED if m not in ("macro_f1", "reported_macro_f1", "balanced_accuracy")]
    return [*found, *((m, title(m)) for m in rest), ("n", "Number of items"), ("name", "Name")]


async def _command(
    app: FastAPI, arguments: Sequence[str], place: Any, told: Told | None = None
) -> Done:
    command = ("evenhand.web.command", *arguments)
    done: Done = await app.state.work.run(command, b"", str(place), told)
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
    return failed(done)


def _json(value: Any) -> Response:
    return Response(dumps(value), media_type=MEDIA["json"])

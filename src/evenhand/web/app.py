"""The web application: its pages and its API."""

from __future__ import annotations

import asyncio
import json
import re
import shlex
import socket
import sys
import threading
import webbrowser
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from importlib.resources import files
from pathlib import Path, PurePath
from typing import Annotated, Any, Literal, TypeAlias
from urllib.parse import quote

import uvicorn
from fastapi import APIRouter, Body, FastAPI, File, Form, Query, Request, UploadFile
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, Response
from fastapi.routing import APIRoute
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException

from evenhand._version import __version__
from evenhand.auditing.headers import CHECKED
from evenhand.catalogue.descriptions import advice_on
from evenhand.catalogue.lists import HEADLINES, default_metrics
from evenhand.catalogue.spelling import Spec, title
from evenhand.charts.confusion import MOST as CONFUSION_MOST
from evenhand.charts.confusion import confusion
from evenhand.core.metrics.macro import extremal
from evenhand.core.properties import NAMES, Properties
from evenhand.core.registry import Metric
from evenhand.errors import EvenhandError, InputError
from evenhand.papers.overview import TABLE_2, TABLE_4
from evenhand.papers.two_macro_f1 import TABLE_1 as EVEN
from evenhand.papers.two_macro_f1 import TABLE_2 as BIASED
from evenhand.papers.two_macro_f1 import TABLE_3 as ONE_KIND
from evenhand.papers.two_macro_f1 import TABLE_4 as BOTH_KINDS
from evenhand.results.document import Cell, Grid, Table
from evenhand.results.page import style, table
from evenhand.results.result import dumps
from evenhand.text import html_text
from evenhand.web import answers
from evenhand.web.answers import (
    MEDIA,
    REPORT,
    VERBS,
    FieldError,
    at_most,
    catalogue,
    clear_folders,
    folder,
    is_quick,
    keep,
    table_of,
    written,
)
from evenhand.web.job import REFUSED, misfit, why
from evenhand.web.work import (
    BusyError,
    Guard,
    JobResult,
    Progress,
    Settings,
    TooLongError,
    WorkQueue,
    failed,
    is_loopback,
    refused,
)

EXAMPLES: dict[str, Any] = {
    "score": {"matrix": [[6, 1, 1], [1, 5, 2], [2, 3, 7]], "labels": ["bird", "cat", "dog"]},
    "play": {"matrix": [[6, 1], [1, 5]], "mix": {"0": 0.1, "1": 0.9}},
    "find": {"goal": "disagree", "one": "accuracy", "two": "macro_f1"},
    "twins": {"matrix": [[100, 0], [10000, 100]]},
    "calibrate": {"matrix": [[80, 20], [10, 90]], "labels": ["a", "b"], "to": {"a": 0.1, "b": 0.9}},
    "sweep": {"matrix": [[80, 20], [10, 90]], "labels": ["a", "b"], "label": "a", "at": [0.1, 0.9]},
    "compare": {"true": ["a", "b", "a"], "systems": {"A": ["a", "b", "b"], "B": ["a", "a", "a"]}},
    "rank": {"true": ["a", "b", "a"], "systems": {"A": ["a", "b", "b"], "B": ["a", "a", "a"]}},
    "audit": {"text": "| Model | P | R | F1 |\n|---|---|---|---|\n| ours | 70.0 | 50.0 | 90.0 |"},
    "which": {"precision": "0.725", "recall": "0.5667", "f1": "0.6042"},
    "picture": {"matrix": [[6, 1], [1, 5]], "labels": ["a", "b"]},
}
"""One request to each address that takes JSON."""


def described(openapi: Mapping[str, Any], at: str) -> str:
    """The page: every address, what it takes and what it answers."""
    title = f"The API of {openapi['info']['title']}"
    parts = "".join(
        _address(path, method, operation, openapi)
        for path, methods in openapi["paths"].items()
        for method, operation in methods.items()
    )
    links = " ".join(f'<a href="#{_name(path)}">{_name(path)}</a>' for path in openapi["paths"])
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{html_text(title)}</title>\n"
        '<link rel="stylesheet" href="/page/report.css">\n'
        '<link rel="stylesheet" href="/page/page.css">\n<link rel="icon" href="data:,">\n'
        '</head>\n<body>\n<header class="top">'
        '<p class="brand"><a href="/">evenhand</a></p></header>'
        f"\n<main><section><h1>{html_text(title)}</h1>\n<p>JSON in, JSON out, with the keys of the "
        f'command line. The same for programs: <a href="{at}">{at}</a>. Answers to what cannot be '
        "taken have a status of 400 to 422 and say which field it is; 503 and 504 say that there "
        f'was too much to do, or too little time.</p>\n<p class="bar">{links}</p>\n'
        f"{parts}</section></main>\n</body>\n</html>\n"
    )


def _name(path: str) -> str:
    return html_text(path.rsplit("/", 1)[-1])


def _address(
    path: str, method: str, operation: Mapping[str, Any], openapi: Mapping[str, Any]
) -> str:
    name = _name(path)
    rows: list[list[Cell]] = [[*field] for field in _fields(operation, openapi)]
    fields = Table(Grid(["field", "takes", "default"], rows), f"Fields of {name}")
    example = ""
    if name in EXAMPLES:
        body = json.dumps(EXAMPLES[name], ensure_ascii=False)
        example = f'<pre tabindex="0"><code>{html_text(body)}</code></pre>'
    summary = (operation.get("description") or "").split("\n\n")[0]
    return (
        f'<h2 id="{name}" class="address"><code>{method.upper()} {html_text(path)}</code></h2>'
        f"<p>{html_text(summary)}</p>{example}{table(fields, 4) if rows else ''}"
    )


def _fields(
    operation: Mapping[str, Any], openapi: Mapping[str, Any]
) -> Iterator[tuple[str, str, str]]:
    """Each field of the address and of the body: its name, what it takes, its default."""
    for one in operation.get("parameters", ()):
        yield one["name"], f"in the address: {_kind(one['schema'])}", _default(one["schema"])
    for content in operation.get("requestBody", {}).get("content", {}).values():
        schema = content["schema"]
        ref = schema.get("$ref") or next((r["$ref"] for r in schema.get("allOf", ())), "")
        shape = openapi["components"]["schemas"].get(ref.rsplit("/", 1)[-1], schema)
        needed = shape.get("required", ())
        for field, part in shape.get("properties", {}).items():
            yield field, _kind(part), "needed" if field in needed else _default(part)


def _kind(schema: Mapping[str, Any]) -> str:
    """What a field takes, in words."""
    if "enum" in schema:
        return " or ".join(json.dumps(e) for e in schema["enum"])
    if "const" in schema:
        return json.dumps(schema["const"])
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(map(_kind, schema["anyOf"])))
    if schema.get("format") == "binary" or "contentMediaType" in schema:
        return "file"
    kind = str(schema.get("type", "anything"))
    if kind == "array":
        return f"list of ({_kind(schema.get('items', {}))})"
    if kind == "object":
        inner = schema.get("additionalProperties")
        return f"object of ({_kind(inner)})" if isinstance(inner, Mapping) else kind
    low = schema.get("minimum", schema.get("exclusiveMinimum"))
    high = schema.get("maximum", schema.get("exclusiveMaximum"))
    span = f" {low:g} to {high:g}" if low is not None and high is not None else ""
    return f"{kind}{span}"


def _default(schema: Mapping[str, Any]) -> str:
    return json.dumps(schema["default"]) if "default" in schema else ""


# The page, its files, and the documentation of the API.

KINDS = {".html": "text/html", ".js": "text/javascript", ".css": "text/css"}


def add_pages(app: FastAPI, api: str) -> None:
    """The page and its files, read once; the documentation, made from the description."""
    here = files("evenhand.web").joinpath("page")
    contents = {f.name: f.read_text(encoding="utf-8") for f in here.iterdir() if f.is_file()}
    contents["report.css"] = style()
    off = " ".join(part for part in ("evaluate", "audit") if not getattr(app.state.settings, part))
    contents["index.html"] = contents["index.html"].replace(
        "<body>", f'<body data-without="{off}">', 1
    )

    def file(name: str) -> Response:
        if name not in contents:
            return refused(404, f"there is no {name!r}")
        return Response(contents[name], media_type=KINDS[PurePath(name).suffix])

    @app.get("/", include_in_schema=False)
    async def index() -> Response:
        return file("index.html")

    @app.get("/page/{name}", include_in_schema=False)
    async def part(name: str) -> Response:
        return file(name)

    @app.get(f"{api}/docs", include_in_schema=False)
    async def docs() -> Response:
        return HTMLResponse(described(app.openapi(), f"{api}/openapi.json"))


# The guide: metrics with the properties that somebody needs.

MOST = 3
"""How many metrics are named."""
Cost: TypeAlias = Literal["same", "misses", "alarms", "recall"]
COSTS = {
    "same": "misses and false alarms weigh the same",
    "misses": "a miss weighs more than a false alarm",
    "alarms": "a false alarm weighs more than a miss",
    "recall": "it asks how much of each class is found, and nothing else",
}
BETA = {"misses": 2, "alarms": 0.5}
WEIGHING = ("macro_fbeta", "fbeta_of_averages")
"""Metrics that know what errors cost."""
BOTH = (
    "each error is a miss of one class and a false alarm of another, so that over all items they "
    "cannot cost differently"
)


@dataclass(frozen=True)
class GuideNeed:
    """What must hold of a metric: every class alike or every item, whatever the class mix, what
    errors cost, guessing worth the same everywhere.
    """

    classes: bool = True
    mix: bool = True
    cost: Cost = "same"
    chance: bool = False

    def reasons(self, metric: Metric, p: Properties, calibrated: bool) -> list[str] | None:
        """Why a metric serves; none if it lacks something."""
        even = p.class_sensitivity and metric.equal_weights
        if self.classes != even:
            return None
        reasons = [
            "every class weighs the same" if even else "a class weighs as much as it has items"
        ]
        if self.mix:
            subject = "calibrated to an even mix, it" if calibrated else "it"
            reasons.append(f"{subject} stays when classes become more or less frequent")
        if not even:
            reasons += [] if self.cost == "same" else [BOTH]
        elif _weighs(metric) != ("beta" if self.cost in BETA else self.cost):
            return None
        else:
            reasons.append(COSTS[self.cost])
        if self.chance:
            if not p.chance_correction:
                return None
            reasons.append("guessing scores the same on every test set")
        return reasons


def _weighs(metric: Metric) -> str | None:
    """Which errors cost more to a mean over classes."""
    if "beta" in metric.parameters:
        return "beta"
    if metric.name.endswith("recall"):
        return "recall"
    return "same" if "f1" in metric.name else None


def advice(needed: GuideNeed) -> list[dict[str, Any]]:
    """Metrics that serve, the plainest first, each with its reasons and what it promises."""
    advised: list[dict[str, Any]] = []
    for spec in _candidates(needed):
        options: dict[str, Any] = dict(spec.parameters)
        plain = spec.metric.properties_with(**options)
        if plain is None:
            continue
        calibrate = needed.mix and not plain.prevalence_invariance
        known = spec.metric.properties_with(calibrate=calibrate, **options) or plain
        why = needed.reasons(spec.metric, known, calibrate)
        if why is not None:
            name = f"{spec}@uniform" if calibrate else str(spec)
            advised.append({
                "metric": name,
                "title": title(name),
                "why": _sentence(why),
                "properties": {p: getattr(known, p) or False for p in NAMES},
                "recommended": [str(a) for a in advice_on([name])],
            })  # fmt: skip
    plainest = sorted(advised, key=lambda one: "@" in one["metric"])
    return plainest[:MOST]


def _candidates(needed: GuideNeed) -> list[Spec]:
    """The metrics to choose from: those that people are shown first, and means of recall; or those
    that weigh the kinds of errors as they cost."""
    beta = BETA.get(needed.cost) if needed.classes else None
    if beta is not None:
        return [Spec.parse(f"{name}:beta={beta:g}") for name in WEIGHING]
    first = [name for name in HEADLINES if name != "micro_f1"]  # that is accuracy here
    known = [spec for spec in default_metrics() if spec.metric.better == "higher"]
    return [s for s in known if s.metric.name in first or s.metric.name.endswith("macro_recall")]


def _sentence(parts: list[str]) -> str:
    text = "; ".join(parts)
    return f"{text[:1].upper()}{text[1:]}."


# Example tables to begin with.

LARGE = 1000
"""Items of each confusion of the extremal tables."""


@dataclass(frozen=True)
class Preset:
    """A table, or two, with what to see in it; rows are true."""

    name: str
    says: str
    labels: tuple[str, ...]
    first: list[list[int]]
    second: list[list[int]] | None = None


@cache
def presets() -> tuple[Preset, ...]:
    """In the order in which somebody learns from them.

    >>> [p.name for p in presets()][:2]
    ['bird, cat, dog', 'accuracy stays, macro F1 falls']
    """
    return (
        Preset(
            "bird, cat, dog",
            "28 animals. Make a mistake more frequent and see which metrics mind.",
            ("bird", "cat", "dog"),
            [[6, 1, 1], [1, 5, 2], [2, 3, 7]],
        ),
        Preset(
            "accuracy stays, macro F1 falls",
            "Both tables have 960 of 1,000 right; the second has given up on the rare class.",
            ("common", "rare"),
            [[925, 25], [15, 35]],
            [[950, 0], [40, 10]],
        ),
        Preset(
            "doppelgangers: the two macro F1s disagree",
            "The second table leans towards b: the F1 of averages rewards that, the mean of F1 "
            "does not (Opitz & Burst 2019, tables 1 and 2).",
            ("a", "b"),
            EVEN,
            BIASED,
        ),
        Preset(
            "errors of one kind, and of both",
            "As many errors: of one kind in the first table, of both in the second. One macro F1 "
            "falls from 0.5 to 0.02, the other stays (Opitz & Burst 2019, tables 3 and 4).",
            ("a", "b"),
            ONE_KIND,
            BOTH_KINDS,
        ),
        *(
            Preset(
                f"extremal: {k} classes",
                "The two macro F1s are nearly as far apart as they can be "
                "(Opitz & Burst 2019, theorem 3).",
                tuple("abcd"[:k]),
                extremal(k, LARGE).tolist(),
            )
            for k in (2, 3, 4)
        ),
        Preset(
            "prevalence scaling: b twice as frequent",
            "The same classifier where b is twice as frequent: recalls stay, precisions do not "
            "(Opitz 2022, tables 2 to 4).",
            ("a", "b"),
            TABLE_2.tolist(),
            TABLE_4.tolist(),
        ),
    )


# Addresses that only the page uses: examples, the guide, the papers, uploaded files.

Text = Annotated[str, Form(max_length=500)]
Word = Annotated[str, Query(max_length=100)]
JOB = re.compile(r"[0-9a-f-]{32,64}")
"""What a page calls its own work: nobody else can guess it."""
COLUMNS = ("true", "pred", "id", "system", "sample", "weights", "cluster")
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
        return _json({"advice": advice(GuideNeed(classes, mix, cost, chance))})

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
            done = await _command(app, ["papers", *word, "--format=json"], place)
        return _command_response(done, "json")

    @router.post("/picture")
    async def picture(body: answers.PlayBody, format: Literal["svg", "png"] = "svg") -> Response:
        """The table as a picture."""
        at_most("matrix", len(body.matrix), CONFUSION_MOST)
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
                done = await _command(app, ["look", name, "--format=json"], place)
            return _command_response(done, "json")

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
            sample: Text = "",
            weights: Text = "",
            cluster: Text = "",
            metric: Text = "macro_f1",
            what: Annotated[Literal["scores", "comparison"], Form()] = "scores",
            format: Annotated[Literal["html", "csv", "latex", "json"], Form()] = "html",
        ) -> Response:
            """Scores of one system, a leaderboard of several or their comparison, from files."""
            at_most("runs", len(runs), settings.files)
            chosen_columns = (true, pred, id, system, sample, weights, cluster)
            job = request.headers.get("x-job", "")
            with folder() as place:
                names = await keep([gold] if gold else [], "gold", place)
                names += await keep(runs, "runs", place)
                columns = dict(zip(COLUMNS, chosen_columns, strict=True))
                for field, text in {**columns, "metric": metric}.items():
                    _plain(field, text)
                arguments = _arguments(names, columns, metric, what, format)

                def report_progress(step: str) -> None:
                    if JOB.fullmatch(job):
                        steps[job] = step

                work = asyncio.create_task(_command(app, arguments, place, report_progress))
                try:
                    done = await _unless_gone(request, work)
                finally:
                    steps.pop(job, None)
                if (place / REPORT).is_file():
                    done = replace(done, out=(place / REPORT).read_bytes())
            answer = _command_response(done, format)
            answer.headers["X-Command"] = quote(shlex.join(["evenhand", *arguments]))
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
    arguments = [verb, *names]
    for column, text in columns.items():
        parts = systems if column == "pred" and systems else [text.strip()]
        arguments += [f"--{column}={part}" for part in parts if part]
    if several and not compares:
        arguments.append(f"--by-metric={metric}")
    return [*arguments, f"--output={REPORT}" if form == "html" else f"--format={form}"]


def _headings() -> list[tuple[str, str]]:
    """What a column may be taken for, and in words; a macro F1 is first of all a question."""
    first = [("macro_f1", "Macro F1, either formula"), ("mean_of_f1", title("macro_f1"))]
    rest = [m for m in CHECKED if m not in ("macro_f1", "reported_macro_f1", "balanced_accuracy")]
    return [*first, *((m, title(m)) for m in rest), ("n", "Number of items"), ("name", "Name")]


async def _command(
    app: FastAPI, arguments: Sequence[str], place: Path, report_progress: Progress | None = None
) -> JobResult:
    work: WorkQueue = app.state.work
    return await work.run(("evenhand.web.command", *arguments), b"", str(place), report_progress)


async def _unless_gone(request: Request, job: asyncio.Task[JobResult]) -> JobResult:
    """The job's end; it is killed if nobody waits for it any more."""
    while True:
        done, _ = await asyncio.wait({job}, timeout=0.5)
        if done:
            return job.result()
        if await request.is_disconnected():
            job.cancel()


def _command_response(done: JobResult, form: str) -> Response:
    """What a command printed, or the one line that says why not."""
    if done.code in (0, 1) and done.out:
        return Response(done.out, media_type=MEDIA[form])
    lines = done.err.decode("utf-8", "replace").strip().splitlines()
    if done.code == 2 and lines:
        return refused(422, lines[-1].removeprefix("evenhand: error: "))
    return failed(done)


def _json(value: Any) -> Response:
    return Response(dumps(value), media_type=MEDIA["json"])


# The application: the API under ``/api/v1`` and the page.

API = "/api/v1"
SMALL = 1 << 18
"""Bytes of a request up to which it is read where others are answered."""


def create_app(settings: Settings | None = None) -> FastAPI:
    """The application, for ``evenhand serve`` and for any server that speaks ASGI.

    Without settings, those of the environment are taken.
    """
    settings = Settings.from_environment() if settings is None else settings
    app = FastAPI(
        title="evenhand",
        version=__version__,
        summary="Even-handed evaluation of classifiers.",
        openapi_url=f"{API}/openapi.json",
        docs_url=None,
        redoc_url=None,
    )
    app.state.settings = settings
    app.state.work = WorkQueue(settings)
    for verb in VERBS:
        if verb != "audit" or settings.audit:
            _add(app, verb)

    @app.get(f"{API}/metrics", tags=["catalogue"], responses=REFUSALS)
    async def metrics(
        name: Annotated[list[Annotated[str, Query(max_length=200)]], Query(max_length=100)] = [],  # noqa: B006
    ) -> Response:
        """The catalogue of metrics; with names or words, those that they find."""
        result = await run_in_threadpool(catalogue, name)
        return Response(result.to_json(), media_type=MEDIA["json"])

    add_page_api(app, API, REFUSALS)
    add_pages(app, API)
    clear_folders()
    app.add_exception_handler(RequestValidationError, _unfit)
    app.add_exception_handler(EvenhandError, _unanswerable)
    app.add_exception_handler(TooLongError, _late)
    app.add_exception_handler(BusyError, _late)
    app.add_exception_handler(HTTPException, _not_here)
    app.add_middleware(Guard, settings=settings)
    return app


REFUSALS: dict[int | str, dict[str, Any]] = {
    code: {"description": description, "content": {"application/json": {"schema": {
        "type": "object", "required": ["error"], "properties": {"error": {
            "type": "object", "required": ["message"],
            "properties": {"message": {"type": "string"}, "field": {"type": "string"}}}}}}}}
    for code, description in (
        (400, "Not JSON"), (403, "From another page"), (413, "Too large"), (421, "Another host"),
        (422, "A field cannot be taken as it is"), (503, "Too busy"), (504, "Took too long"),
    )
}  # fmt: skip


def _add(app: FastAPI, verb: str) -> None:
    """The address of a verb, which takes and gives JSON."""
    shape, answer = VERBS[verb]

    async def endpoint(
        body: Any, form: Annotated[answers.Form, Query(alias="format")] = "json"
    ) -> Response:
        if is_quick(verb, body):
            settings: Settings = app.state.settings
            text = await run_in_threadpool(lambda: written(answer(body, settings), form))
            return Response(text, media_type=MEDIA[form])
        return await worked(app, verb, form, body.model_dump_json(exclude_unset=True).encode())

    endpoint.__annotations__["body"] = Annotated[shape, Body()]
    endpoint.__doc__ = shape.__doc__
    endpoint.__name__ = verb
    app.router.add_api_route(
        f"{API}/{verb}", endpoint, methods=["POST"], tags=["verbs"], responses=REFUSALS,
        response_class=Response, route_class_override=_route(app, verb),
    )  # fmt: skip


def _route(app: FastAPI, verb: str) -> type[APIRoute]:
    """A route whose large requests are read in a process of their own, unopened here, so that
    nobody waits for another's."""

    class Route(APIRoute):
        def get_route_handler(self) -> Any:
            usual = super().get_route_handler()

            async def handle(request: Request) -> Response:
                content = await request.body()
                form = request.query_params.get("format", "json")
                if len(content) <= SMALL or form not in MEDIA:
                    answer: Response = await usual(request)
                    return answer
                return await worked(app, verb, form, content)

            return handle

    return Route


async def worked(app: FastAPI, verb: str, form: str, content: bytes) -> Response:
    """The answer of a process of its own."""
    done = await app.state.work.run(("evenhand.web.job", verb, form), content)
    if done.code == REFUSED:
        refusal = json.loads(done.out)
        return refused(422, refusal["message"], refusal["field"])
    if done.code != 0:
        return failed(done)
    return Response(done.out, media_type=MEDIA[form])


async def _unfit(request: Request, error: Any) -> Response:
    errors = error.errors()
    if errors[0]["type"] == "json_invalid":
        reason = errors[0]["ctx"]["error"]
        return refused(400, f"expected JSON, got something else: {reason}", "body")
    return refused(422, *misfit(errors))


async def _unanswerable(request: Request, error: Any) -> Response:
    return refused(422, *why(error))


async def _late(request: Request, error: Any) -> Response:
    return refused(504 if isinstance(error, TooLongError) else 503, str(error))


async def _not_here(request: Request, error: Any) -> Response:
    return refused(error.status_code, str(error.detail))


# The server of ``evenhand serve``.


def serve(host: str, port: int, *, browser: bool = True) -> None:
    """Listen until Ctrl-C; the address is said on standard error."""
    settings = Settings.from_environment()
    if not is_loopback(host):
        print(
            f"warning: {host} can be reached by others, who can then use this machine's time; "
            "it asks nobody for a password",
            file=sys.stderr,
        )
        everywhere = host in ("0.0.0.0", "::")
        names = (host, socket.gethostname(), socket.getfqdn()) if everywhere else (host,)
        settings = replace(settings, hosts=(*settings.hosts, *names))
    listening = _listening(host, port)
    name = f"[{host}]" if ":" in host else host
    address = f"http://{name}:{listening.getsockname()[1]}/"
    print(f"evenhand is at {address} (Ctrl-C stops it)", file=sys.stderr, flush=True)
    if browser:
        threading.Timer(0.5, webbrowser.open, [address]).start()
    config = uvicorn.Config(
        create_app(settings), log_level="warning", server_header=False, timeout_keep_alive=30
    )
    uvicorn.Server(config).run(sockets=[listening])


def _listening(host: str, port: int) -> socket.socket:
    try:
        kind = socket.AF_INET6 if ":" in host else socket.AF_INET
        # said to be TCP, or no answer leaves before the last one was confirmed: 40 ms
        listener = socket.socket(kind, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen()  # who comes before the application is ready waits
    except OSError as e:
        raise InputError(f"{host}:{port} cannot be listened at: {e.strerror or e}") from None
    return listener

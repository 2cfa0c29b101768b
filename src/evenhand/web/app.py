"""The web application: its pages and its API."""

from __future__ import annotations

import asyncio
import json
import shlex
import socket
import sys
import threading
import webbrowser
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePath
from typing import Annotated, Any, Literal, TypeAlias
from urllib.parse import quote

import uvicorn
from fastapi import APIRouter, Depends, FastAPI, File, Form, Query, Request, UploadFile
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, Response
from pydantic import Field, create_model
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException

from evenhand._version import __version__
from evenhand.auditing.headers import CHECKED
from evenhand.catalogue.descriptions import advice_on
from evenhand.catalogue.lists import HEADLINES, default_metrics
from evenhand.catalogue.spelling import Spec, title
from evenhand.charts.confusion import MOST as CONFUSION_MOST
from evenhand.charts.confusion import confusion
from evenhand.core.properties import NAMES, Properties
from evenhand.core.registry import Metric
from evenhand.errors import InputError
from evenhand.io.logs import log_format
from evenhand.results.document import Block, Code, Content, Paragraph, Section, Table
from evenhand.results.result import dumps, in_format
from evenhand.text import Cell, Grid, html_text
from evenhand.web import answers, page_files
from evenhand.web.answers import (
    MEDIA,
    REFUSALS,
    REPORT,
    VERBS,
    FieldError,
    at_most,
    catalogue,
    folder,
    keep,
    refusal,
    written,
)
from evenhand.web.work import REFUSED, Guard, Settings, WorkQueue, failed, is_loopback, refused

API = "/api/v1"
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


def documentation(openapi: Mapping[str, Any]) -> str:
    """A page of every address, what it takes and what it answers."""
    about = (
        "JSON in, JSON out, with the keys of the command line; for programs the same stands at "
        f"{API}/openapi.json. Answers to what cannot be taken have a status of 400 to 422 and say "
        "which field it is; 503 and 504 say that there was too much to do, or too little time."
    )
    sections = [
        _address(path, method, operation, openapi)
        for path, methods in openapi["paths"].items()
        for method, operation in methods.items()
    ]
    title = f"The API of {openapi['info']['title']}"
    return in_format(Content(title, [Paragraph(about), *sections], lambda: Grid([], [])), "html")


def _address(
    path: str, method: str, operation: Mapping[str, Any], openapi: Mapping[str, Any]
) -> Section:
    """An address: what it does, an example of what it takes, and the fields of that."""
    name = path.rsplit("/", 1)[-1]
    fields = {f["name"]: f["schema"] for f in operation.get("parameters", ())}
    for content in operation.get("requestBody", {}).get("content", {}).values():
        reference = content["schema"].get("$ref", "").rsplit("/", 1)[-1]
        schema = openapi["components"]["schemas"].get(reference, content["schema"])
        fields |= schema.get("properties", {})
    rows: list[list[Cell]] = [
        [field, json.dumps(schema, ensure_ascii=False)] for field, schema in fields.items()
    ]
    blocks: list[Block] = [Paragraph((operation.get("description") or "").split("\n\n")[0])]
    if name in EXAMPLES:
        blocks.append(Code(json.dumps(EXAMPLES[name], ensure_ascii=False)))
    if rows:
        blocks.append(Table(Grid(["field", "JSON Schema"], rows), f"Fields of {name}"))
    return Section(name, name, f"{method.upper()} {path}", blocks)


# The page, its files, and the documentation of the API.

KINDS = {".html": "text/html", ".js": "text/javascript", ".css": "text/css",
         ".json": "application/json"}  # fmt: skip


def add_pages(app: FastAPI) -> None:
    """The page and its files, read once; the documentation, made from the description."""
    contents, settings = page_files(), app.state.settings
    off = " ".join(part for part in ("evaluate", "audit") if not getattr(settings, part))
    body = f'<body data-without="{off}" data-address="{html_text(settings.address)}">'
    contents["index.html"] = contents["index.html"].replace("<body>", body, 1)

    @app.get("/", include_in_schema=False)
    @app.get("/page/{name}", include_in_schema=False)
    async def part(name: str = "index.html") -> Response:
        if name not in contents:
            return refused(404, f"there is no {name!r}")
        return Response(contents[name], media_type=KINDS[PurePath(name).suffix])

    @app.get("/favicon.ico", include_in_schema=False)
    async def icon() -> Response:
        return Response(status_code=204)

    @app.get(f"{API}/docs", include_in_schema=False)
    async def docs() -> Response:
        own = {"Content-Security-Policy": "frame-ancestors 'none'"}  # the page itself says the rest
        return HTMLResponse(documentation(app.openapi()), headers=own)


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
OWN = {
    "macro_f1": "of the two formulas called macro F1 it resists biased classifiers better",
    "macro_recall": "the share of each class that is found, averaged",
    "geometric_macro_recall": "a class that is missed altogether makes it 0",
    "harmonic_macro_recall": "the classes that are found worst decide",
    "accuracy": "the share of items that is right",
    "weighted_f1": "precision counts too, by the items of each class",
    "kappa": "agreement beyond chance",
    "mcc": "a correlation, of which no class can have all the weight",
    "accuracy@uniform": "with equal classes accuracy is macro recall",
    "kappa@uniform": "macro recall from 0 for guessing to 1",
}
"""What one metric has and the others named do not."""
SAME_AS = {"accuracy@uniform": "macro_recall"}
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
        cost = "beta" if self.cost in BETA else self.cost
        if self.classes != even or (even and _weighs(metric) != cost):
            return None
        if self.chance and not p.chance_correction:
            return None
        subject = "calibrated to an even mix, it" if calibrated else "it"
        guess, _, kind = (p.chance_correction or "").partition(", ")
        reasons = {
            "every class weighs the same": even,
            "a class weighs as much as it has items": not even and not calibrated,
            f"{subject} stays when classes become more or less frequent": self.mix,
            COSTS[self.cost]: even,
            BOTH: not even and cost != "same",
            f"guessing scores {'' if kind else 'at most '}{guess} on every test set": self.chance,
        }
        return [words for words, holds in reasons.items() if holds]


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
    stated: set[str] = set()
    for spec in _candidates(needed):
        options: dict[str, Any] = dict(spec.parameters)
        plain = spec.metric.properties_with(**options)
        if plain is None:
            continue
        calibrate = needed.mix and not plain.prevalence_invariance
        known = spec.metric.properties_with(calibrate=calibrate, **options) or plain
        reasons = needed.reasons(spec.metric, known, calibrate)
        if reasons is None:
            continue
        name = f"{spec}@uniform" if calibrate else str(spec)
        own = OWN.get(name, OWN.get(str(spec), ""))
        why = "; ".join(words for words in (own, *reasons) if words and words not in stated)
        stated.update(reasons)
        name = SAME_AS.get(name, name)
        advised.append({
            "metric": name,
            "title": title(name),
            "why": f"{why[:1].upper()}{why[1:]}.",
            "properties": {p: getattr(known, p) or False for p in NAMES},
            "recommended": [str(a) for a in advice_on([name])],
        })  # fmt: skip
    return sorted(advised, key=lambda one: "@" in one["metric"])[:MOST]


def _candidates(needed: GuideNeed) -> list[Spec]:
    """The metrics to choose from: those that people are shown first, and means of recall; or those
    that weigh the kinds of errors as they cost."""
    beta = BETA.get(needed.cost) if needed.classes else None
    if beta is not None:
        return [Spec.parse(f"macro_fbeta:beta={beta:g}")]
    first = {*HEADLINES} - {"micro_f1", "f1_of_averages"}  # accuracy; not advised
    if needed.mix:  # with equal classes that is macro F1
        first.remove("weighted_f1")
    known = [spec for spec in default_metrics() if spec.metric.better == "higher"]
    return [s for s in known if s.metric.name in first or s.metric.name.endswith("macro_recall")]


# Addresses that only the page uses: the guide, the papers, uploaded files.

HARNESS = "lm-evaluation-harness"
Text = Annotated[str, Field(max_length=500, pattern=r"^[^\x00]*$")]
Word = Annotated[str, Query(max_length=100)]
OPTIONS = ["true", "pred", "probabilities", "positive", "decide", "score", "score_range", "id",
           "system", "sample", "weights", "cluster", "scorer", "filter", "missing", "delimiter",
           "encoding", "kind", "separator", "labels"]  # fmt: skip
"""What may be said of the columns of files, of logs, and of how they are read."""
FLAGS = ["by_row", "no_header", "ignore_case", "drop_null_truth", "keep_going"]


class EvaluateForm(
    create_model(  # type: ignore[misc]
        "ReadingForm",
        **dict.fromkeys(OPTIONS, (Text, "")),
        **dict.fromkeys(FLAGS, (bool, False)),
    )
):
    """Files of labels, what their columns are, and what is wanted of them."""

    runs: list[UploadFile]
    gold: UploadFile | None = None
    metric: Text = ""
    what: Literal["scores", "comparison"] = "scores"
    format: Literal["html", "csv", "latex", "json"] = "html"

    def arguments(self, names: Sequence[str]) -> list[str]:
        """What the command line would be given: a page to look at, else one table of numbers."""
        columns = {name: [getattr(self, name).strip()] for name in OPTIONS}
        if len(names) == 1:
            columns |= {name: columns[name][0].split(",") for name in ("pred", "score")}
        several = len(self.runs) > 1 or max(map(len, columns.values())) > 1 or bool(self.system)
        compares, page = self.what == "comparison" and several, self.format == "html"
        verb = "compare" if compares else "report" if page else "rank" if several else "score"
        arguments = [verb, *names]
        for name, parts in columns.items():
            option = f"--{name.replace('_', '-')}"
            arguments += [f"{option}={part.strip()}" for part in parts if part]
        flags = FLAGS if several else FLAGS[:-1]  # one file cannot be left out
        arguments += [f"--{name.replace('_', '-')}" for name in flags if getattr(self, name)]
        if several and not compares and self.metric:
            arguments.append(f"--by-metric={self.metric}")
        return [*arguments, f"--output={REPORT}" if page else f"--format={self.format}"]


def _called(place: Path, name: str) -> str:
    """A file as a command takes it: a log that is called after its folder, which is ours here, by
    its own name."""
    return f"{Path(name).stem}={name}" if log_format(str(place / name)) == HARNESS else name


def add_page_api(app: FastAPI) -> None:
    """What the page asks for: the guide, the papers, pictures, and files."""
    settings: Settings = app.state.settings
    router = APIRouter(
        prefix=API, tags=["page"], responses=REFUSED_BODIES, default_response_class=Response
    )

    @router.get("/guide")
    async def guide(needed: Annotated[GuideNeed, Depends()]) -> Response:
        """Metrics with the properties that are needed."""
        return Response(dumps({"advice": advice(needed)}), media_type=MEDIA["json"])

    @router.get("/papers")
    async def papers(
        request: Request,
        word: Annotated[list[Word], Query(max_length=20)] = [],  # noqa: B006
    ) -> Response:
        """The claims of the founding documents, recomputed."""
        if any("\0" in w or w.startswith("-") for w in word):
            raise FieldError("word", "a word must not begin with a dash or have a null character")
        with folder() as place:
            return await _command(request, ["papers", *word, "--format=json"], place)

    @router.post("/picture")
    async def picture(body: answers.PlayBody, format: Literal["svg", "png"] = "svg") -> Response:
        """The table as a picture."""
        at_most("matrix", len(body.matrix), CONFUSION_MOST)
        chart = confusion(body.table(settings), normalise=None, title="Confusions")
        if format == "png":
            return Response(await run_in_threadpool(chart.to_png), media_type="image/png")
        return Response(await run_in_threadpool(chart.to_svg), media_type="image/svg+xml")

    if settings.audit:

        @router.get("/headings")
        async def headings() -> Response:
            """What a column of a table to audit may be taken for."""
            choices = [{"name": n, "title": t} for n, t in _headings()]
            return Response(dumps({"headings": choices}), media_type=MEDIA["json"])

    if settings.evaluate:

        @router.post("/look")
        async def look(request: Request, file: Annotated[UploadFile, File()]) -> Response:
            """What a file is, and which of its columns look like labels."""
            with folder() as place:
                (name,) = await keep([file], place)
                return await _command(request, ["look", name, "--format=json"], place)

        @router.post("/evaluate")
        async def evaluate(
            request: Request, form: Annotated[EvaluateForm, Form(media_type="multipart/form-data")]
        ) -> Response:
            """Scores of one system, a leaderboard of several or their comparison, from files."""
            at_most("runs", len(form.runs), settings.files)
            with folder() as place:
                uploads = [form.gold, *form.runs] if form.gold else form.runs
                names = [_called(place, name) for name in await keep(uploads, place)]
                arguments = form.arguments(names)
                answer = await _command(request, arguments, place, form.format)
            answer.headers["X-Command"] = quote(shlex.join(["evenhand", *arguments]))
            return answer

    app.include_router(router)


def _headings() -> list[tuple[str, str]]:
    """What a column may be taken for, and in words; a macro F1 is first of all a question."""
    first = [("macro_f1", "Macro F1, either formula"), ("mean_of_f1", title("macro_f1"))]
    rest = [m for m in CHECKED if m not in ("macro_f1", "reported_macro_f1", "balanced_accuracy")]
    return [*first, *((m, title(m)) for m in rest), ("n", "Number of items"), ("name", "Name")]


async def _command(
    request: Request, arguments: Sequence[str], place: Path, form: str = "json"
) -> Response:
    """What a command printed or wrote, or the one line that says why not.

    It is killed if nobody waits for it any more.
    """
    work: WorkQueue = request.app.state.work
    job = asyncio.create_task(work.run(("command", *arguments), b"", str(place)))
    while not (await asyncio.wait({job}, timeout=0.5))[0]:
        if await request.is_disconnected():
            job.cancel()
    done, page = job.result(), place / REPORT
    content = page.read_bytes() if page.is_file() else done.out
    if done.code in (0, 1) and content:
        return Response(content, media_type=MEDIA[form])
    lines = done.err.decode("utf-8", "replace").strip().splitlines()
    if done.code == 2 and lines:
        return refused(422, lines[-1].removeprefix("evenhand: error: "))
    return failed(done)


# The application: the API under ``/api/v1`` and the page.

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

    @app.get(f"{API}/metrics", tags=["catalogue"], responses=REFUSED_BODIES)
    async def metrics(
        name: Annotated[list[Annotated[str, Query(max_length=200)]], Query(max_length=100)] = [],  # noqa: B006
    ) -> Response:
        """The catalogue of metrics; with names or words, those that they find."""
        result = await run_in_threadpool(catalogue, name)
        return Response(result.to_json(), media_type=MEDIA["json"])

    add_page_api(app)
    add_pages(app)
    for error in (*REFUSALS, RequestValidationError, HTTPException):
        app.add_exception_handler(error, _refused)
    app.add_middleware(Guard, settings=settings)
    return app


REFUSED_BODIES: dict[int | str, dict[str, Any]] = {
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
    """The address of a verb, which takes and gives JSON.

    Large requests are read in a process of their own, so that nobody waits for another's.
    """
    shape, settings = VERBS[verb], app.state.settings

    async def endpoint(
        request: Request, form: Annotated[answers.Form, Query(alias="format")] = "json"
    ) -> Response:
        content = await request.body()
        if len(content) <= SMALL:
            body = shape.model_validate_json(content)
            if body.is_quick:
                text = await run_in_threadpool(lambda: written(body.answer(settings), form))
                return Response(text, media_type=MEDIA[form])
        done = await app.state.work.run(("answer", verb, form), content)
        if done.code == REFUSED:
            return refused(*json.loads(done.out))
        return Response(done.out, media_type=MEDIA[form]) if done.code == 0 else failed(done)

    schema = {"application/json": {"schema": shape.model_json_schema()}}
    app.add_api_route(
        f"{API}/{verb}", endpoint, methods=["POST"], tags=["verbs"], responses=REFUSED_BODIES,
        name=verb, description=shape.__doc__, response_class=Response,
        openapi_extra={"requestBody": {"required": True, "content": schema}},
    )  # fmt: skip


async def _refused(request: Request, error: Any) -> Response:
    if isinstance(error, HTTPException):
        return refused(error.status_code, str(error.detail))
    return refused(*refusal(error))


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

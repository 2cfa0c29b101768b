"""App: the API under ``/api/v1``, its description, and the page."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Annotated, Any

from fastapi import Body, FastAPI, Query, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException

from evenhand._version import __version__
from evenhand.errors import EvenhandError, MetricError
from evenhand.web.answers import MEDIA, VERBS, Form, catalogue, is_quick, written
from evenhand.web.guards import Guard, refused
from evenhand.web.job import REFUSED
from evenhand.web.settings import Settings
from evenhand.web.site import add_page, add_page_api
from evenhand.web.uploads import sweep
from evenhand.web.work import BusyError, TooLongError, Work

API = "/api/v1"
FORM = Query(alias="format", description="How the answer is written, as by the command line.")


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
    app.state.work = Work(settings)
    for verb in VERBS:
        if verb != "audit" or settings.audit:
            _add(app, verb)

    @app.get(f"{API}/metrics", tags=["catalogue"], responses=REFUSALS)
    async def metrics(
        name: Annotated[list[Annotated[str, Query(max_length=200)]], Query(max_length=100)] = [],  # noqa: B006
    ) -> Response:
        """The catalogue of metrics; with names or words, those that they find."""
        found = await run_in_threadpool(catalogue, name)
        return Response(found.to_json(), media_type=MEDIA["json"])

    add_page_api(app, API, REFUSALS)
    add_page(app)
    sweep()
    app.add_exception_handler(RequestValidationError, _unfit)
    app.add_exception_handler(EvenhandError, _unanswerable)
    app.add_exception_handler(TooLongError, _too_long)
    app.add_exception_handler(BusyError, _busy)
    app.add_exception_handler(HTTPException, _not_here)
    app.add_middleware(Guard, settings=settings)
    return app


REFUSALS: dict[int | str, dict[str, Any]] = {
    code: {"description": said, "content": {"application/json": {"schema": {
        "type": "object", "required": ["error"], "properties": {"error": {
            "type": "object", "required": ["message"],
            "properties": {"message": {"type": "string"}, "field": {"type": "string"}}}}}}}}
    for code, said in (
        (400, "Not JSON"), (403, "From another page"), (413, "Too large"), (421, "Another host"),
        (422, "A field cannot be taken as it is"), (503, "Too busy"), (504, "Took too long"),
    )
}  # fmt: skip


def _add(app: FastAPI, verb: str) -> None:
    """The address of a verb, which takes and gives JSON."""
    shape, answer = VERBS[verb]

    async def endpoint(
        body: Any, form: Annotated[Form, Query(alias="format")] = "json"
    ) -> Response:
        settings: Settings = app.state.settings
        if is_quick(verb, body):
            said = await run_in_threadpool(lambda: written(answer(body, settings), form))
            return Response(said, media_type=MEDIA[form])
        given = body.model_dump_json(exclude_unset=True).encode()
        done = await app.state.work.run(("evenhand.web.job", verb, form), given)
        if done.code == REFUSED:
            why = json.loads(done.out)
            return refused(422, why["message"], why["field"])
        if done.code != 0:
            return refused(503, "the job was ended before it was done: it needed too much memory")
        return Response(done.out, media_type=MEDIA[form])

    endpoint.__annotations__["body"] = Annotated[shape, Body()]
    endpoint.__doc__ = shape.__doc__
    endpoint.__name__ = verb
    app.post(f"{API}/{verb}", tags=["verbs"], responses=REFUSALS)(endpoint)


def _place(where: Sequence[Any]) -> str:
    """Where in the request something stands: ``matrix.0.1``."""
    return ".".join(str(w) for w in where if w != "body") or "body"


async def _unfit(request: Request, error: Any) -> Response:
    """The first of what does not fit, by its field."""
    first = error.errors()[0]
    field = _place([w for w in first["loc"] if not str(w).startswith(("constrained", "list["))])
    if first["type"] == "json_invalid":
        return refused(400, f"expected JSON, got something else: {first['ctx']['error']}", "body")
    return refused(422, first["msg"].removeprefix("Value error, "), field)


async def _unanswerable(request: Request, error: Any) -> Response:
    """What the library says of data that it cannot score."""
    field = getattr(error, "field", None)
    if field is None and isinstance(error, MetricError):
        field = "metrics"
    return refused(422, str(error), field)


async def _too_long(request: Request, error: Any) -> Response:
    return refused(504, str(error))


async def _busy(request: Request, error: Any) -> Response:
    return refused(503, str(error))


async def _not_here(request: Request, error: Any) -> Response:
    return refused(error.status_code, str(error.detail))

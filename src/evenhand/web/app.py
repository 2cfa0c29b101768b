"""App: the API under ``/api/v1``, its description, and the page."""

from __future__ import annotations

import json
from typing import Annotated, Any

from fastapi import Body, FastAPI, Query, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from fastapi.routing import APIRoute
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException

from evenhand._version import __version__
from evenhand.errors import EvenhandError
from evenhand.web.answers import MEDIA, VERBS, Form, catalogue, is_quick, written
from evenhand.web.guards import Guard, failed, refused
from evenhand.web.job import REFUSED, misfit, why
from evenhand.web.page_api import add_page_api
from evenhand.web.pages import add_pages
from evenhand.web.settings import Settings
from evenhand.web.uploads import sweep
from evenhand.web.work import BusyError, TooLongError, Work

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
    add_pages(app, API)
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
        if is_quick(verb, body):
            settings: Settings = app.state.settings
            said = await run_in_threadpool(lambda: written(answer(body, settings), form))
            return Response(said, media_type=MEDIA[form])
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
                given = await request.body()
                form = request.query_params.get("format", "json")
                if len(given) <= SMALL or form not in MEDIA:
                    answer: Response = await usual(request)
                    return answer
                return await worked(app, verb, form, given)

            return handle

    return Route


async def worked(app: FastAPI, verb: str, form: str, given: bytes) -> Response:
    """The answer of a process of its own."""
    done = await app.state.work.run(("evenhand.web.job", verb, form), given)
    if done.code == REFUSED:
        said = json.loads(done.out)
        return refused(422, said["message"], said["field"])
    if done.code != 0:
        return failed(done)
    return Response(done.out, media_type=MEDIA[form])


async def _unfit(request: Request, error: Any) -> Response:
    errors = error.errors()
    if errors[0]["type"] == "json_invalid":
        said = errors[0]["ctx"]["error"]
        return refused(400, f"expected JSON, got something else: {said}", "body")
    return refused(422, *misfit(errors))


async def _unanswerable(request: Request, error: Any) -> Response:
    return refused(422, *why(error))


async def _too_long(request: Request, error: Any) -> Response:
    return refused(504, str(error))


async def _busy(request: Request, error: Any) -> Response:
    return refused(503, str(error))


async def _not_here(request: Request, error: Any) -> Response:
    return refused(error.status_code, str(error.detail))

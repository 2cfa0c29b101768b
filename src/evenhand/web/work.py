"""Settings of the server, jobs in processes of their own, and checks of requests."""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import os
import signal
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, fields
from typing import Any
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from evenhand.errors import InputError
from evenhand.results.result import dumps

LOOPBACK = ("127.0.0.1", "::1", "localhost")
PREFIX = "EVENHAND_WEB_"


@dataclass(frozen=True)
class Settings:
    """Limits, addresses and what is enabled; each is also ``EVENHAND_WEB_`` and its name.

    ``hosts`` are the names under which the page may be asked for; others are refused, so that no
    foreign page can reach a server on somebody's own machine under a name of its own; ``address``
    is where others open the page, which links to copy begin with. ``body`` are
    the bytes of one request, ``json`` those of one that brings no files. ``seconds`` is how long
    one job may take, ``jobs`` how many run at once, ``memory`` what each may hold, ``unpacked``
    what each may write.

    >>> Settings.from_environment({"EVENHAND_WEB_CLASSES": "50"}).classes
    50
    """

    hosts: tuple[str, ...] = LOOPBACK
    address: str = ""
    body: int = 64 << 20
    json: int = 16 << 20
    unpacked: int = 512 << 20
    files: int = 100
    classes: int = 500
    items: int = 2_000_000
    replicates: int = 20_000
    metrics: int = 500
    systems: int = 200
    seconds: float = 60.0
    jobs: int = 2
    waiting: int = 32
    memory: int = 2 << 30
    evaluate: bool = True
    audit: bool = True

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] | None = None) -> Settings:
        """The defaults, with what the environment says instead."""
        environment = os.environ if environment is None else environment
        known = {PREFIX + f.name.upper(): f.name for f in fields(cls)}
        unknown = sorted(
            name for name in environment if name.startswith(PREFIX) and name not in known
        )
        if unknown:
            raise InputError(f"{unknown[0]} is no setting; there are {', '.join(known)}")
        return cls(
            **{known[n]: _read(n, known[n], text) for n, text in environment.items() if n in known}
        )

    def to_environment(self) -> dict[str, str]:
        """The same settings for another process."""
        return {PREFIX + f.name.upper(): _written(getattr(self, f.name)) for f in fields(self)}


def _written(value: Any) -> str:
    if isinstance(value, tuple):
        return ",".join(value)
    return str(int(value) if isinstance(value, bool) else value)


def _read(name: str, field: str, text: str) -> Any:
    """A setting as text, in the type of its default."""
    default = getattr(Settings, field)
    if isinstance(default, tuple):
        return tuple(part.strip() for part in text.split(",") if part.strip())
    if isinstance(default, str):
        return text
    if isinstance(default, bool):
        if text not in ("0", "1"):
            raise InputError(f"{name} must be 0 or 1, got {text!r}")
        return text == "1"
    try:
        value = type(default)(text)
    except ValueError:
        value = -1
    if not value > 0:
        raise InputError(f"{name} must be a positive number, got {text!r}")
    return value


# Jobs: processes with a limit of time and memory, which can be killed.

ENDED = "the job was ended before it was done: it needed too much memory"
FAILED = "this should have worked, and did not: please report it"
_MEMORY = (b"MemoryError", b"allocate", b"failed to map segment", b"can't start new thread")
REFUSED = 3
"""Exit code of a job whose request cannot be answered; standard output says why."""


@dataclass(frozen=True)
class JobResult:
    """How a job ended: its exit code, or none if it was killed from outside; what it wrote."""

    code: int | None
    out: bytes
    err: bytes

    @property
    def starved(self) -> bool:
        """Whether it did not end by itself, or for want of memory."""
        return self.code is None or any(word in self.err for word in _MEMORY)


class WorkQueue:
    """Processes, a few at once; others wait for their turn."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.turn = asyncio.Semaphore(settings.jobs)
        self.inside = 0

    async def run(
        self, arguments: Sequence[str], content: bytes = b"", place: str | None = None
    ) -> JobResult:
        """Run ``python -m evenhand.web.job …`` in a folder; cancelling the task kills it."""
        async with self._counted(), self.turn:
            process = await asyncio.create_subprocess_exec(
                sys.executable, "-P", "-m", "evenhand.web.job", *arguments,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                cwd=place,
                env=_environment(self.settings, place),
                start_new_session=True,
            )  # fmt: skip
            try:
                async with asyncio.timeout(self.settings.seconds):
                    out, err = await process.communicate(content)
            except TimeoutError:
                raise HTTPException(
                    504, f"stopped after {self.settings.seconds:g} seconds"
                ) from None
            finally:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.killpg(process.pid, signal.SIGKILL)
                await process.wait()
        code = process.returncode
        return JobResult(None if code is None or code < 0 else code, out, err)

    @asynccontextmanager
    async def _counted(self) -> AsyncIterator[None]:
        if self.inside >= self.settings.jobs + self.settings.waiting:
            raise HTTPException(503, "too many jobs are waiting; try again in a moment")
        self.inside += 1
        try:
            yield
        finally:
            self.inside -= 1


def _environment(settings: Settings, place: str | None) -> dict[str, str]:
    """What a job sees of the environment: nothing that is not needed to run Python here."""
    inherited = ("PATH", "PYTHONPATH", "LANG", "LC_ALL", "TMPDIR", "SYSTEMROOT")
    environment = {k: v for k, v in os.environ.items() if k in inherited}
    if "PYTHONPATH" in environment:  # a job runs elsewhere
        paths = environment["PYTHONPATH"].split(os.pathsep)
        environment["PYTHONPATH"] = os.pathsep.join(map(os.path.abspath, paths))
    if place is not None:  # what it writes on the way goes with the folder, however it ends
        environment["TMPDIR"] = place
    return {**environment, **settings.to_environment(), "NO_COLOR": "1"}


# Checks of requests: their host, origin and size; headers of every response.

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "connect-src 'self'; font-src 'none'; frame-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Cache-Control": "no-store",
}


def refused(status: int, message: str, field: str | None = None) -> Response:
    """An answer that says what was wrong, and in which field."""
    error: dict[str, Any] = {"message": message}
    if field is not None:
        error["field"] = field
    return Response(dumps({"error": error}), status, media_type="application/json")


def failed(done: JobResult) -> Response:
    """An answer for a job that ended without one."""
    return refused(503, ENDED) if done.starved else refused(500, FAILED)


class Guard:
    """Lets a request through if its host and origin are our own and its body is not too large."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self.app = app
        self.settings = settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def answer(message: Message) -> None:
            if message["type"] == "http.response.start":
                for name, value in HEADERS.items():
                    MutableHeaders(scope=message).setdefault(name, value)
            await send(message)

        headers = Headers(scope=scope)
        refusal = self._foreign(headers, scope) or self._too_much(headers)
        if refusal is not None:
            await refusal(scope, receive, answer)
            return
        most, seen = self._most(headers), 0

        async def measured() -> Message:
            nonlocal seen
            message = await receive()
            seen += len(message.get("body", b""))
            if seen > most:
                raise HTTPException(413, _too_large(most))
            return message

        await self.app(scope, measured, answer)

    def _foreign(self, headers: Headers, scope: Scope) -> Response | None:
        """What to answer to a request that is not for us, or not from our own page.

        A link to the page may stand anywhere: to follow one is no request of the other page's.
        """
        host = headers.get("host", "")
        if not self._own(host):
            return refused(421, "this server is not known by the name that was asked for", "Host")
        origin = headers.get("origin")
        if origin is not None and urlsplit(origin).netloc != host:
            return refused(403, "requests from other pages are refused", "Origin")
        follows = (
            scope["method"] == "GET"
            and scope["path"] == "/"
            and headers.get("sec-fetch-mode") == "navigate"
            and headers.get("sec-fetch-dest") == "document"
        )
        if headers.get("sec-fetch-site", "none") not in ("none", "same-origin") and not follows:
            return refused(403, "requests from other pages are refused", "Sec-Fetch-Site")
        return None

    def _too_much(self, headers: Headers) -> Response | None:
        """What to answer to a request that says itself that it is too large."""
        size, most = headers.get("content-length", "0"), self._most(headers)
        if not (size.isascii() and size.isdecimal() and len(size) < 20) or int(size) > most:
            return refused(413, _too_large(most), "body")
        return None

    def _most(self, headers: Headers) -> int:
        """The bytes that a request may have: files are kept on disk, JSON in memory."""
        files = headers.get("content-type", "").startswith("multipart/form-data")
        return self.settings.body if files else min(self.settings.json, self.settings.body)

    def _own(self, host: str) -> bool:
        with contextlib.suppress(ValueError):
            return (urlsplit(f"//{host}").hostname or "") in self.settings.hosts
        return False


def _too_large(most: int) -> str:
    return f"a request must have at most {most:,} bytes"


def is_loopback(host: str) -> bool:
    """Whether an address can be reached from this machine alone."""
    with contextlib.suppress(ValueError):
        return ipaddress.ip_address(host).is_loopback
    return host == "localhost"

"""Guards: who may ask, how much at once, and what every answer says of itself."""

from __future__ import annotations

import ipaddress
from typing import Any
from urllib.parse import urlsplit

from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from evenhand.results.json import dumps
from evenhand.web.settings import Settings
from evenhand.web.work import ENDED, FAILED, Done

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
TOGETHER = "too much is being sent at once; try again in a moment"


def refused(status: int, message: str, field: str | None = None) -> Response:
    """An answer that says what was wrong, and in which field."""
    error: dict[str, Any] = {"message": message}
    if field is not None:
        error["field"] = field
    return Response(dumps({"error": error}), status, media_type="application/json")


def failed(done: Done) -> Response:
    """An answer for a job that ended without one."""
    return refused(503, ENDED) if done.starved else refused(500, FAILED)


class Guard:
    """Lets a request through if its host and origin are our own and its body is not too large,
    alone and with those of all others that are being answered.
    """

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self.app = app
        self.settings = settings
        self.held = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def answer(message: Message) -> None:
            if message["type"] == "http.response.start":
                have = {name.lower() for name, _ in message.get("headers", ())}
                more = [(k.lower().encode(), v.encode()) for k, v in HEADERS.items()]
                own = [pair for pair in more if pair[0] not in have]
                message = {**message, "headers": [*message.get("headers", ()), *own]}
            await send(message)

        headers = {k.decode("latin-1"): v.decode("latin-1") for k, v in scope["headers"]}
        no = self._stranger(headers, scope) or self._too_much(headers)
        if no is not None:
            await no(scope, receive, answer)
            return
        most, seen = self._most(headers), 0

        async def measured() -> Message:
            nonlocal seen
            message = await receive()
            size = len(message.get("body", b""))
            seen += size
            self.held += size
            if seen > most:
                raise HTTPException(413, _too_large(most))
            if self.held > self.settings.together:
                raise HTTPException(503, TOGETHER)
            return message

        try:
            await self.app(scope, measured, answer)
        finally:
            self.held -= seen

    def _stranger(self, headers: dict[str, str], scope: Scope) -> Response | None:
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

    def _too_much(self, headers: dict[str, str]) -> Response | None:
        """What to answer to a request that says itself that it is too large."""
        size, most = headers.get("content-length", "0"), self._most(headers)
        if not (size.isascii() and size.isdecimal() and len(size) < 20) or int(size) > most:
            return refused(413, _too_large(most), "body")
        if self.held + int(size) > self.settings.together:
            return refused(503, TOGETHER, "body")
        return None

    def _most(self, headers: dict[str, str]) -> int:
        """The bytes that a request may have: files are kept on disk, JSON in memory."""
        files = headers.get("content-type", "").startswith("multipart/form-data")
        return self.settings.body if files else min(self.settings.json, self.settings.body)

    def _own(self, host: str) -> bool:
        try:
            name = urlsplit(f"//{host}").hostname or ""
        except ValueError:
            return False
        return name in self.settings.hosts


def _too_large(most: int) -> str:
    return f"a request must have at most {most:,} bytes"


def is_loopback(host: str) -> bool:
    """Whether an address can be reached from this machine alone."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False

"""Ask an application as a server would: one request in, the whole answer out."""

import asyncio
import json
from dataclasses import dataclass
from urllib.parse import urlencode


@dataclass(frozen=True)
class Answer:
    status: int
    headers: dict
    body: bytes

    @property
    def text(self):
        return self.body.decode()

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def error(self):
        return self.json["error"]


class Client:
    def __init__(self, app):
        self.app = app

    def get(self, path, headers=(), **query):
        return asyncio.run(self.ask("GET", path, b"", headers, query))

    def post(self, path, body, headers=(), **query):
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        headers = {"content-type": "application/json", **dict(headers)}
        return asyncio.run(self.ask("POST", path, content, headers, query))

    def send(self, path, fields, files):
        """A form with files: name, file's name, content."""
        return asyncio.run(self.sent(path, fields, files))

    async def sent(self, path, fields, files, headers=()):
        mark = b"----part"
        parts = [
            b'Content-Disposition: form-data; name="%b"\r\n\r\n%b' % (k.encode(), v.encode())
            for k, v in fields.items()
        ]
        parts += [
            b'Content-Disposition: form-data; name="%b"; filename="%b"\r\n\r\n%b'
            % (field.encode(), name.encode(), content)
            for field, name, content in files
        ]
        body = b"".join(b"--%b\r\n%b\r\n" % (mark, part) for part in parts) + b"--%b--\r\n" % mark
        kind = {"content-type": f"multipart/form-data; boundary={mark.decode()}"}
        return await self.ask("POST", path, body, {**kind, **dict(headers)}, {})

    async def ask(self, method, path, content, headers, query):
        given = {"host": "localhost:8000", "content-length": str(len(content)), **dict(headers)}
        scope = {
            "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": method,
            "scheme": "http", "path": path, "raw_path": path.encode(), "root_path": "",
            "query_string": urlencode(query, doseq=True).encode(),
            "headers": [(k.lower().encode(), v.encode()) for k, v in given.items()],
            "client": ("127.0.0.1", 1), "server": ("127.0.0.1", 8000),
        }  # fmt: skip
        sent = []
        given = iter([{"type": "http.request", "body": content, "more_body": False}])

        async def receive():
            try:
                return next(given)
            except StopIteration:
                await asyncio.sleep(3600)

        async def send(message):
            sent.append(message)

        await self.app(scope, receive, send)
        start, *rest = sent
        found = {k.decode(): v.decode() for k, v in start["headers"]}
        return Answer(start["status"], found, b"".join(m.get("body", b"") for m in rest))

"""Processes that are killed: the server goes on, and nothing is left behind."""

import http.client
import os
import signal
import socket
import time
from contextlib import closing
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.web.browsing import children, serving

SLOW = b"a\nb\nc\nd\n" * 100_000
"""Labels enough for a report that takes a while."""


@pytest.fixture(autouse=True)
def spare(tmp_path, monkeypatch):
    """A folder of temporary files that no other test or program writes to."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))


def left():
    return [p.name for p in Path(os.environ["TMPDIR"]).glob("*evenhand-web-*")]


def form(*files):
    parts = [
        b'--mark\r\nContent-Disposition: form-data; name="%b"; filename="%b"\r\n\r\n%b\r\n' % f
        for f in files
    ]
    return b"".join(parts) + b"--mark--\r\n"


def upload(body, path="/api/v1/evaluate", size=None):
    return (
        f"POST {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
        f"Content-Type: multipart/form-data; boundary=mark\r\n"
        f"Content-Length: {len(body) if size is None else size}\r\n\r\n"
    ).encode() + body


def connected(address):
    at = urlsplit(address)
    return socket.create_connection((at.hostname, at.port), timeout=60)


def answer(held):
    found = http.client.HTTPResponse(held)
    found.begin()
    return found.status, found.read().decode()


def healthy(address):
    at = urlsplit(address)
    with closing(http.client.HTTPConnection(at.hostname, at.port, timeout=60)) as connection:
        connection.request("GET", "/api/v1/guide", headers={"Host": "localhost"})
        return connection.getresponse().status == 200


def until(found):
    """What comes, however long it takes."""
    while not (value := found()):
        time.sleep(0.05)
    return value


def test_a_job_that_is_killed_is_said_and_leaves_nothing():
    body = form((b"gold", b"g.txt", SLOW), (b"runs", b"r.txt", SLOW[2:] + b"a\n"))
    with serving() as (address, process), connected(address) as held:
        held.sendall(upload(body))
        job = until(lambda: [p for p, args in children(process.pid) if "evenhand.web.job" in args])
        assert left()
        os.kill(job[0], signal.SIGKILL)
        status, said = answer(held)
        assert (status, "ended before it was done" in said) == (503, True)
        assert left() == []
        assert healthy(address)


def test_a_client_that_goes_away_ends_its_job():
    body = form((b"gold", b"g.txt", SLOW), (b"runs", b"r.txt", SLOW[2:] + b"a\n"))
    with serving() as (address, process):
        with connected(address) as held:
            held.sendall(upload(body))
            until(lambda: children(process.pid))
        until(lambda: not children(process.pid))
        until(lambda: not left())
        assert healthy(address)


def test_half_an_upload_leaves_nothing():
    body = form((b"gold", b"g.txt", SLOW), (b"runs", b"r.txt", SLOW))
    with serving() as (address, _):
        with connected(address) as held:
            held.sendall(upload(body)[: len(body) // 2])
            time.sleep(0.3)  # whether it has come to the server or not
        assert healthy(address)
        until(lambda: not left())

"""The web page: how long an answer takes, alone and in a crowd, and a minute of load."""

from __future__ import annotations

import http.client
import json
import random
import re
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

CLIENTS = 32
ALONE, EACH = 200, 10
"""Requests of a client that is alone, and of each of many."""
SECONDS = 60


def table(k: int, seed: int = 0) -> list[list[int]]:
    """A table of k classes."""
    draw = random.Random(seed)
    return [[draw.randint(0, 9) + 60 * (i == j) for j in range(k)] for i in range(k)]


@dataclass(frozen=True)
class Server:
    """``evenhand serve`` at a free port."""

    host: str
    port: int
    pid: int
    started: float

    def connect(self) -> http.client.HTTPConnection:
        """One client's connection, kept open."""
        return http.client.HTTPConnection(self.host, self.port, timeout=120)

    @property
    def memory(self) -> float:
        """What it holds, in MB; none where the system does not say."""
        status = Path(f"/proc/{self.pid}/status")
        found = re.search(r"VmRSS:\s+(\d+)", status.read_text()) if status.exists() else None
        return int(found[1]) / 1024 if found else float("nan")


@contextmanager
def served() -> Iterator[Server]:
    """A server that has answered once."""
    command = [sys.executable, "-m", "evenhand", "serve", "--port", "0", "--no-browser"]
    start = time.perf_counter()
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        line = next(line for line in process.stderr if "evenhand is at" in line)
        at = urlsplit(re.search(r"http://\S+", line)[0])  # type: ignore[index]
        found = Server(str(at.hostname), int(at.port or 0), process.pid, 0.0)
        ask(found.connect(), "GET", "/")
        try:
            yield Server(found.host, found.port, found.pid, time.perf_counter() - start)
        finally:
            process.terminate()


def ask(connection: http.client.HTTPConnection, method: str, path: str, body: object = None) -> int:
    """One request; its status."""
    content = None if body is None else json.dumps(body)
    connection.request(method, path, content, {"Content-Type": "application/json"})
    answer = connection.getresponse()
    answer.read()
    return answer.status


def timed(server: Server, path: str, body: object, *, clients: int, requests: int) -> list[float]:
    """Seconds of each request, with so many clients asking without a pause."""
    times: list[float] = []
    together = threading.Barrier(clients)

    def client() -> None:
        connection = server.connect()
        ask(connection, "POST", path, body)
        own = []
        together.wait()
        for _ in range(requests):
            start = time.perf_counter()
            status = ask(connection, "POST", path, body)
            own.append(time.perf_counter() - start)
            assert status == 200, status
        times.extend(own)

    _all(client, clients)
    return times


def _all(client: Callable[[], None], clients: int) -> None:
    threads = [threading.Thread(target=client) for _ in range(clients)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()


class Latency:
    """How long an answer takes."""

    title = "An answer of the web page"

    def table(self) -> str:
        """Median and 99th percentile, alone and with many clients."""
        lines = []
        with served() as server:
            for name, path, body in (
                ("`/api/v1/score`, 10 classes", "/api/v1/score", {"matrix": table(10)}),
                ("`/api/v1/play`, 10 classes", "/api/v1/play", {"matrix": table(10)}),
                ("`/api/v1/play`, 3 classes", "/api/v1/play", {"matrix": table(3)}),
            ):
                for clients, requests in ((1, ALONE), (CLIENTS, EACH)):
                    times = timed(server, path, body, clients=clients, requests=requests)
                    many = "alone" if clients == 1 else f"{clients} clients"
                    last = statistics.quantiles(times, n=100)[98]
                    lines.append(
                        f"| {name} | {many} | {1e3 * statistics.median(times):.1f} | "
                        f"{1e3 * last:.1f} | {len(times):,} |"
                    )
            started = server.started
        return "\n".join(
            [
                f"### {self.title}",
                "",
                "A change in Play should be answered within 50 ms on one's own machine. One "
                "process; every client asks without a pause. From starting the command to the "
                f"first page: {started:.1f} s.",
                "",
                "| request | clients | median, ms | 99th percentile, ms | requests |",
                "| --- | --- | ---: | ---: | ---: |",
                *lines,
            ]
        )


class Load:
    """A minute of many clients."""

    title = f"{SECONDS} seconds of {CLIENTS} clients"

    def table(self) -> str:
        """Requests of all kinds, how many failed, and what the server held meanwhile."""
        kinds: list[tuple[str, str, object]] = [
            ("POST", "/api/v1/play", {"matrix": table(4), "other": table(4, 1)}),
            ("POST", "/api/v1/score", {"matrix": table(10)}),
            ("POST", "/api/v1/twins", {"matrix": table(6)}),
            ("POST", "/api/v1/which", {"precision": "0.725", "recall": "0.5667", "f1": "0.6042"}),
            ("GET", "/api/v1/metrics", None),
            ("GET", "/page/play.js", None),
            ("GET", "/", None),
        ]
        done: list[int] = []
        with served() as server:
            end = time.monotonic() + SECONDS

            def client() -> None:
                draw, connection = random.Random(threading.get_ident()), server.connect()
                while time.monotonic() < end:
                    method, path, body = draw.choice(kinds)
                    try:
                        done.append(ask(connection, method, path, body))
                    except (OSError, http.client.HTTPException):
                        done.append(0)
                        connection = server.connect()

            held: list[tuple[float, float]] = []

            def watch() -> None:
                begun = time.monotonic()
                while time.monotonic() < end:
                    held.append((time.monotonic() - begun, server.memory))
                    time.sleep(1)

            watcher = threading.Thread(target=watch)
            watcher.start()
            _all(client, CLIENTS)
            watcher.join()
        failed = sum(status != 200 for status in done)
        steps = [held[min(len(held) - 1, i * len(held) // 6)] for i in range(7)]
        return "\n".join(
            [
                f"### {self.title}",
                "",
                f"Requests of {len(kinds)} kinds in random order, none waiting for another: "
                f"{len(done):,} answered, {failed:,} of them not with 200.",
                "",
                "| second | " + " | ".join(f"{t:.0f}" for t, _ in steps) + " |",
                "| --- |" + " ---: |" * len(steps),
                "| memory of the server, MB | " + " | ".join(f"{m:.0f}" for _, m in steps) + " |",
            ]
        )


def cases() -> tuple[Latency, Load]:
    """What is measured of the web page."""
    return Latency(), Load()

"""Serving: the page at an address of this machine, until it is stopped."""

from __future__ import annotations

import socket
import sys
import threading
import webbrowser
from dataclasses import replace

import uvicorn

from evenhand.errors import InputError
from evenhand.web.app import create_app
from evenhand.web.guards import is_loopback
from evenhand.web.settings import Settings


def serve(host: str, port: int, *, browser: bool = True) -> None:
    """Listen until Ctrl-C; the address is said on standard error."""
    settings = Settings.from_environment()
    if not is_loopback(host):
        print(
            f"warning: {host} can be reached by others, who can then use this machine's time; "
            "it asks nobody for a password",
            file=sys.stderr,
        )
        settings = replace(settings, hosts=(*settings.hosts, *_names(host)))
    listening = _listening(host, port)
    at = listening.getsockname()[1]
    shown = f"[{host}]" if ":" in host else host
    address = f"http://{shown}:{at}/"
    print(f"evenhand is at {address} (Ctrl-C stops it)", file=sys.stderr, flush=True)
    if browser:
        threading.Timer(0.5, webbrowser.open, [address]).start()
    quiet = uvicorn.Config(
        create_app(settings), log_level="warning", server_header=False, timeout_keep_alive=30
    )
    uvicorn.Server(quiet).run(sockets=[listening])


def _names(host: str) -> tuple[str, ...]:
    """What a machine may be called that listens at an address of its own."""
    if host in ("0.0.0.0", "::"):
        return (host, socket.gethostname(), socket.getfqdn())
    return (host,)


def _listening(host: str, port: int) -> socket.socket:
    try:
        kind = socket.AF_INET6 if ":" in host else socket.AF_INET
        # said to be TCP, or no answer leaves before the last one was confirmed: 40 ms
        found = socket.socket(kind, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        found.bind((host, port))
        found.listen()  # who comes before the application is ready waits
    except OSError as e:
        raise InputError(f"{host}:{port} cannot be listened at: {e.strerror or e}") from None
    return found

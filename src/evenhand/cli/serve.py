"""``evenhand serve``: the web page, on one's own machine."""

from __future__ import annotations

import click

from evenhand.cli import names, options
from evenhand.errors import InputError


@names.command(short_help="The web page, on your own machine.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8765,
    show_default=True,
    help="Where to listen; 0 takes any that is free.",
)
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="The address to listen at; any but this machine's own can be reached by others.",
)
@options.flag("--no-browser", help="Do not open the page.")
def command(port: int, host: str, no_browser: bool) -> None:
    """Start the web page and open it: change a table and watch every metric, score files, audit a
    published table, choose a metric. Files stay on this machine. Stop it with Ctrl-C.

    \b
    evenhand serve
    evenhand serve --port 9000 --no-browser
    """
    try:
        import fastapi  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError:
        raise InputError("the web page needs: pip install 'evenhand[web]'") from None
    from evenhand.web.serving import serve

    serve(host, port, browser=not no_browser)

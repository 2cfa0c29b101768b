"""Command: ``python -m evenhand.web.command …`` is ``evenhand …`` within a server's limits."""

from __future__ import annotations

import contextlib
import runpy
import sys

from evenhand.web.settings import Settings


def limit(settings: Settings) -> None:
    """Hold this process to the memory and the size of files it may have, where the system can."""
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_DATA, (settings.memory, settings.memory))
        resource.setrlimit(resource.RLIMIT_FSIZE, (settings.unpacked, settings.unpacked))


if __name__ == "__main__":
    limit(Settings.from_environment())
    sys.argv[0] = "evenhand"
    runpy.run_module("evenhand", run_name="__main__")

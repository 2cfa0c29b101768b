"""``python -m evenhand.web.command …`` is ``evenhand …`` within a server's limits."""

from __future__ import annotations

import contextlib
import runpy
import sys
from pathlib import Path

from evenhand.web.work import Settings


def limit(settings: Settings) -> None:
    """Hold this process to the memory and the size of files it may have, where the system can."""
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_DATA, (settings.memory, settings.memory))
        resource.setrlimit(resource.RLIMIT_FSIZE, (settings.unpacked, settings.unpacked))


def too_large(most: int) -> str | None:
    """The file here that is larger than it may be, unpacked, if there is one."""
    from evenhand.io import sources as archives
    from evenhand.io.delimited import GZIP, ZSTD, pieces

    archives.LIMIT = most
    for path in sorted(p for p in Path.cwd().iterdir() if p.is_file()):
        with path.open("rb") as file:
            packed = file.read(4).startswith((GZIP, ZSTD))
        left = most
        for part in pieces(str(path)) if packed else ():
            left -= len(part)
            if left < 0:
                return path.name
    return None


if __name__ == "__main__":
    settings = Settings.from_environment()
    limit(settings)
    if (name := too_large(settings.unpacked)) is not None:
        most = f"{settings.unpacked:,} bytes"
        print(f"evenhand: error: {name} holds more than {most}, unpacked", file=sys.stderr)
        sys.exit(2)
    sys.argv[0] = "evenhand"
    runpy.run_module("evenhand", run_name="__main__")

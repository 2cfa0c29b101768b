"""``python -m evenhand.web.job …``: work of the server in a process of its own, within its limits.

``answer VERB FORM`` answers a request, read from standard input; ``command …`` is ``evenhand …``.
"""

from __future__ import annotations

import contextlib
import runpy
import sys
from pathlib import Path

from evenhand.web.work import REFUSED, Settings


def limit(settings: Settings) -> None:
    """Hold this process to the memory and the size of files it may have, where the system can."""
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_DATA, (settings.memory, settings.memory))
        resource.setrlimit(resource.RLIMIT_FSIZE, (settings.unpacked, settings.unpacked))


def answer(settings: Settings, verb: str, form: str) -> int:
    """Answer a request on standard output, or say there why that cannot be."""
    from evenhand.results.result import dumps
    from evenhand.web.answers import REFUSALS, VERBS, refusal, written

    try:
        body = VERBS[verb].model_validate_json(sys.stdin.buffer.read())
        sys.stdout.write(written(body.answer(settings), form))
    except REFUSALS as error:
        sys.stdout.write(dumps(refusal(error)))
        return REFUSED
    return 0


def command(settings: Settings, *arguments: str) -> int:
    """Run a command, unless one of its files is larger than it may be, unpacked."""
    from evenhand.io import sources as archives
    from evenhand.io.delimited import GZIP, ZSTD, pieces

    archives.LIMIT = settings.unpacked
    for path in sorted(p for p in Path.cwd().iterdir() if p.is_file()):
        with path.open("rb") as file:
            packed = file.read(4).startswith((GZIP, ZSTD))
        left = settings.unpacked
        for part in pieces(str(path)) if packed else ():
            left -= len(part)
            if left < 0:
                most = f"{settings.unpacked:,} bytes, unpacked"
                print(f"evenhand: error: {path.name} holds more than {most}", file=sys.stderr)
                return 2
    sys.argv = ["evenhand", *arguments]
    runpy.run_module("evenhand", run_name="__main__")
    return 0


if __name__ == "__main__":
    own_settings = Settings.from_environment()
    limit(own_settings)
    work = answer if sys.argv[1] == "answer" else command
    sys.exit(work(own_settings, *sys.argv[2:]))

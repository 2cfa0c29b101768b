"""Work: one job in a process of its own, with a limit of time and memory, that can be killed."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from evenhand.web.settings import Settings

STEP = b"\x1e"
"""What a line of progress begins with; ``cli/progress.py`` writes them where it is asked to."""
ENDED = "the job was ended before it was done: it needed too much memory"
FAILED = "this should have worked, and did not: please report it"
_MEMORY = (b"MemoryError", b"allocate", b"failed to map segment", b"can't start new thread")
MOST = 1 << 20
"""Bytes of standard error that are kept."""
Told = Callable[[str], None]


class TooLongError(Exception):
    """A job that took longer than it may."""


class BusyError(Exception):
    """More jobs than are done or wait at once."""


@dataclass(frozen=True)
class Done:
    """How a job ended: its exit code, or none if it was killed from outside; what it wrote."""

    code: int | None
    out: bytes
    err: bytes

    @property
    def starved(self) -> bool:
        """Whether it did not end by itself, or for want of memory."""
        return self.code is None or any(word in self.err for word in _MEMORY)


class Work:
    """Processes, a few at once; others wait for their turn."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.turn = asyncio.Semaphore(settings.jobs)
        self.inside = 0

    async def run(
        self,
        arguments: Sequence[str],
        given: bytes = b"",
        place: str | None = None,
        told: Told | None = None,
    ) -> Done:
        """Run ``python -m …`` in a folder; cancelling the task kills the process.

        ``told`` hears how far it is.
        """
        told = told or _ignored
        told("waiting for its turn")
        async with self._counted(), self.turn:
            told("starting")
            process = await asyncio.create_subprocess_exec(
                sys.executable, "-P", "-m", *arguments,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                cwd=place,
                env=_environment(self.settings, place),
                start_new_session=True,
            )  # fmt: skip
            try:
                async with asyncio.timeout(self.settings.seconds):
                    out, err, _, _ = await asyncio.gather(
                        _all(process.stdout),
                        _heard(process.stderr, told),
                        _fed(process.stdin, given),
                        process.wait(),
                    )
            except TimeoutError:
                raise TooLongError(f"stopped after {self.settings.seconds:g} seconds") from None
            finally:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.killpg(process.pid, signal.SIGKILL)
                await process.wait()
        code = process.returncode
        return Done(None if code is None or code < 0 else code, out, err)

    @asynccontextmanager
    async def _counted(self) -> AsyncIterator[None]:
        if self.inside >= self.settings.jobs + self.settings.waiting:
            raise BusyError("too many jobs are waiting; try again in a moment")
        self.inside += 1
        try:
            yield
        finally:
            self.inside -= 1


def _ignored(said: str) -> None:
    """For work that nobody watches."""


async def _all(stream: asyncio.StreamReader | None) -> bytes:
    return b"" if stream is None else await stream.read()


async def _fed(stream: asyncio.StreamWriter | None, given: bytes) -> None:
    """Write what a job reads; one that has ended needs no more."""
    if stream is None:
        return
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):
        stream.write(given)
        await stream.drain()
    stream.close()


async def _heard(stream: asyncio.StreamReader | None, told: Told) -> bytes:
    """What a job says on standard error, its steps apart."""
    kept, rest = b"", b""
    while stream is not None and (part := await stream.read(1 << 16)):
        *lines, rest = (rest + part).split(b"\n")
        for line in lines:
            if line.startswith(STEP):
                told(line[1:].decode("utf-8", "replace"))
            else:
                kept = (kept + line + b"\n")[-MOST:]
    return kept + rest


def _environment(settings: Settings, place: str | None) -> dict[str, str]:
    """What a job sees of the environment: nothing that is not needed to run Python here."""
    kept = ("PATH", "PYTHONPATH", "LANG", "LC_ALL", "TMPDIR", "SYSTEMROOT")
    found = {k: v for k, v in os.environ.items() if k in kept}
    if "PYTHONPATH" in found:  # a job runs elsewhere
        paths = found["PYTHONPATH"].split(os.pathsep)
        found["PYTHONPATH"] = os.pathsep.join(map(os.path.abspath, paths))
    if place is not None:  # what it writes on the way goes with the folder, however it ends
        found["TMPDIR"] = place
    return {**found, **settings.to_environment(), "NO_COLOR": "1", "EVENHAND_PROGRESS": "1"}

"""Work: one job in a process of its own, with a limit of time and memory, that can be killed."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from evenhand.web.settings import Settings


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


class Work:
    """Processes, a few at once; others wait for their turn."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.turn = asyncio.Semaphore(settings.jobs)
        self.inside = 0

    async def run(
        self, arguments: Sequence[str], given: bytes = b"", place: str | None = None
    ) -> Done:
        """Run ``python -m …``; cancelling the task kills the process."""
        async with self._counted(), self.turn:
            process = await asyncio.create_subprocess_exec(
                sys.executable, "-P", "-m", *arguments,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                cwd=place,
                env=_environment(self.settings),
                start_new_session=True,
            )  # fmt: skip
            try:
                async with asyncio.timeout(self.settings.seconds):
                    out, err = await process.communicate(given)
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


def _environment(settings: Settings) -> dict[str, str]:
    """What a job sees of the environment: nothing that is not needed to run Python here."""
    kept = ("PATH", "PYTHONPATH", "LANG", "LC_ALL", "TMPDIR", "SYSTEMROOT")
    found = {k: v for k, v in os.environ.items() if k in kept}
    if "PYTHONPATH" in found:  # a job runs elsewhere
        paths = found["PYTHONPATH"].split(os.pathsep)
        found["PYTHONPATH"] = os.pathsep.join(map(os.path.abspath, paths))
    return {**found, **settings.to_environment(), "NO_COLOR": "1"}

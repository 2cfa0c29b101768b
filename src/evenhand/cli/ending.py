"""Ending when told to: a command that is terminated leaves nothing half done behind."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

GRACE = 2.0
"""Seconds in which a command may put its things away itself."""


class EndedError(BaseException):
    """Somebody sent SIGTERM."""


@contextmanager
def ending() -> Iterator[None]:
    """Let SIGTERM be an error, so that files are closed and cleared as after any other.

    Python hears of it only when Polars returns, which may take minutes: a thread is told at once,
    and clears the files away itself where the command is too busy to do so.
    """
    if os.name != "posix" or signal.getsignal(signal.SIGTERM) != signal.SIG_DFL:
        yield
        return
    told, tell = os.pipe()
    os.set_blocking(tell, False)
    signal.set_wakeup_fd(tell, warn_on_full_buffer=False)
    signal.signal(signal.SIGTERM, _raise)
    signal.signal(signal.SIGUSR1, lambda *_: None)
    threading.Thread(target=_wait, args=(told,), daemon=True).start()
    try:
        yield
    except EndedError:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGTERM)


def _raise(*_: Any) -> NoReturn:
    raise EndedError


def _wait(told: int) -> None:
    from evenhand.files.leftovers import clear

    while signal.SIGTERM not in os.read(told, 1):
        pass
    # Another thread may have got the signal: one that means nothing wakes the first from waiting.
    signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGUSR1)
    time.sleep(GRACE)
    clear()
    os._exit(128 + signal.SIGTERM)

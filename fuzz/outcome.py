"""What comes of a case, and how a call is tried."""

from __future__ import annotations

import signal
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from evenhand.errors import EvenhandError, EvenhandWarning

KINDS = ("right", "refused", "wrong", "traceback", "hang")
FAILURES = frozenset(KINDS[2:])
SECONDS = 10
"""How much time of the processor one call may take before it counts as hanging: what else the
machine does is no fault of the call, and a process that waits for ever is ended from outside."""


@dataclass(frozen=True)
class Outcome:
    """One case: its kind, and for a failure the cause it is grouped by and how to see it."""

    kind: str
    cause: str = ""
    detail: str = ""


RIGHT, REFUSED = Outcome("right"), Outcome("refused")
Target = Callable[[Random, Path], Iterator[Outcome]]


class HangError(BaseException):
    """A call that took too long; no handler for ordinary errors may swallow it."""


@contextmanager
def watchdog(seconds: float = SECONDS) -> Iterator[None]:
    """Stop what runs longer than that; one inside another takes its place meanwhile."""

    def bark(*_: Any) -> None:
        raise HangError(f"no answer within {seconds:g} s of computing")

    before = signal.signal(signal.SIGPROF, bark)
    left, _ = signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
        signal.setitimer(signal.ITIMER_PROF, left)


@contextmanager
def strict_warnings() -> Iterator[None]:
    """Notes of the package are its business; any other warning would reach a user's screen."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", EvenhandWarning)
        yield


def tried(
    detail: str, function: Callable[[], Any], *, refusing: bool = True
) -> tuple[Any, Outcome | None]:
    """The value of a call, or what came of it instead: refused in one line, or a failure.

    ``refusing`` says whether a refusal is an answer here.
    """
    try:
        return function(), None
    except EvenhandError as e:
        fault = fault_of_message(str(e), detail)
        if fault is None and not refusing:
            fault = Outcome("wrong", "refused what is right", f"{detail}\n{e}")
        return None, fault or REFUSED
    except (HangError, KeyboardInterrupt, SystemExit):
        raise
    except BaseException as e:  # a panic of compiled code is no Exception
        return None, crash(e, detail)


def fault_of_message(message: str, detail: str) -> Outcome | None:
    """A refusal is one line that says something."""
    if not message.strip():
        return Outcome("wrong", "an empty error", detail)
    if "\n" in message:
        return Outcome("wrong", "an error of several lines", f"{detail}\n{message}")
    return None


def crash(error: BaseException, detail: str) -> Outcome:
    """A traceback, named for what was raised where in the package."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [f for f in frames if "evenhand" in Path(f.filename).parts] or frames
    where = f"{'/'.join(Path(ours[-1].filename).parts[-2:])}:{ours[-1].lineno}" if ours else "?"
    message = (str(error).splitlines() or [""])[0][:160]
    cause = f"{type(error).__name__} at {where}"
    return Outcome("traceback", cause, f"{detail}\n{type(error).__name__}: {message}")


def hang(error: HangError, detail: str) -> Outcome:
    """A call that did not end."""
    return Outcome("hang", detail.splitlines()[0][:80], f"{detail}\n{error}")

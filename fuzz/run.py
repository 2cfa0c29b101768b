"""Run targets over two processes, so that a hang or a crash costs one case and no more."""

from __future__ import annotations

import multiprocessing
import os
import resource
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from pathlib import Path
from random import Random
from typing import Any

from fuzz.outcome import FAILURES, HangError, Outcome, crash, hang, strict_warnings, watchdog
from fuzz.targets import TARGETS

PROCESSES = 2
PATIENCE = 120
"""Seconds without a word after which a process is ended: a watchdog cannot stop compiled code."""
MEMORY = 4 << 30
KEPT = 3
"""Failures of one cause that are kept with their details."""


@dataclass
class Tally:
    """What came of the cases of one target; failures by cause, with the seeds of the first."""

    kinds: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0
    causes: Counter[tuple[str, str]] = field(default_factory=Counter)
    first: dict[tuple[str, str], list[tuple[str, str]]] = field(default_factory=dict)

    @property
    def cases(self) -> int:
        return self.kinds.total()

    @property
    def failures(self) -> int:
        return sum(self.kinds[k] for k in FAILURES)

    def add(self, seed: str, outcomes: list[Outcome], seconds: float = 0.0) -> None:
        """Count the outcomes of one seed."""
        self.seconds += seconds
        for o in outcomes:
            self.kinds[o.kind] += 1
            if o.kind in FAILURES:
                key = (o.kind, o.cause)
                self.causes[key] += 1
                kept = self.first.setdefault(key, [])
                if len(kept) < KEPT:
                    kept.append((seed, o.detail))


def outcomes_of(target: str, seed: str, folder: Path) -> list[Outcome]:
    """The cases that one seed makes; the same ones every time."""
    found: list[Outcome] = []
    try:
        with watchdog(), strict_warnings():
            found.extend(TARGETS[target](Random(f"{target} {seed}"), folder))
    except HangError as e:
        found.append(hang(e, f"{target} {seed}"))
    except Exception as e:
        found.append(crash(e, f"{target} {seed}"))
    return found


def work(pipe: Connection, target: str, seed: int, start: int, cases: int) -> None:
    """Every other seed from ``start`` on until so many cases are done, each one reported."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # compiled code writes its panics there
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    with tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
        at, done = start, 0
        while done < cases:
            begun = time.perf_counter()
            outcomes = outcomes_of(target, f"{seed}.{at}", Path(folder))
            done += len(outcomes)
            pipe.send((at, outcomes, time.perf_counter() - begun))
            at += PROCESSES
    pipe.send(None)


@dataclass
class Worker:
    """A process, what it has still to do, and when it was last heard."""

    target: str
    seed: int
    at: int
    cases: int
    process: Any = None
    pipe: Any = None
    heard: float = 0.0

    def start(self) -> None:
        self.pipe, other = multiprocessing.Pipe(duplex=False)
        arguments = (other, self.target, self.seed, self.at, self.cases)
        self.process = multiprocessing.get_context("spawn").Process(target=work, args=arguments)
        self.process.start()
        other.close()
        self.heard = time.monotonic()

    def stop(self) -> None:
        self.process.kill()
        self.process.join()
        self.pipe.close()


def run(target: str, cases: int, seed: int) -> Tally:
    """So many cases of one target, from the seed."""
    tally = Tally()
    share = -(-cases // PROCESSES)
    workers = [Worker(target, seed, i, share) for i in range(PROCESSES)]
    for w in workers:
        w.start()
    try:
        for _ in ticks():
            if not workers:
                break
            wait([w.pipe for w in workers], timeout=1)
            workers = [w for w in workers if not finished(w, tally)]
            progress(target, tally, cases)
    finally:
        for w in workers:
            w.stop()
    print(file=sys.stderr)
    return tally


def ticks() -> Iterator[None]:
    while True:
        yield


def finished(worker: Worker, tally: Tally) -> bool:
    """Take what a process has to say; one that died or fell silent goes on after that case."""
    try:
        while worker.pipe.poll():
            said = worker.pipe.recv()
            worker.heard = time.monotonic()
            if said is None:
                worker.process.join()
                return True
            at, outcomes, seconds = said
            tally.add(f"{worker.seed}.{at}", outcomes, seconds)
            worker.at, worker.cases = at + PROCESSES, worker.cases - len(outcomes)
    except EOFError:
        lost(worker, tally, Outcome("traceback", "the process died", "the process died"))
    if time.monotonic() - worker.heard > PATIENCE:
        lost(worker, tally, Outcome("hang", "the process hung", f"no word in {PATIENCE} s"))
    return False


def lost(worker: Worker, tally: Tally, outcome: Outcome) -> None:
    """Count the case that a process was lost to, and start another after it."""
    worker.stop()
    tally.add(f"{worker.seed}.{worker.at}", [outcome])
    worker.at, worker.cases = worker.at + PROCESSES, max(worker.cases - 1, 1)
    worker.start()


def progress(target: str, tally: Tally, cases: int) -> None:
    """One line that is written over."""
    text = f"\r{target}: {tally.cases:,} of {cases:,}, {tally.failures:,} failures "
    if sys.stderr.isatty():
        sys.stderr.write(text)
        sys.stderr.flush()

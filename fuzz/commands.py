"""Random command lines, made from the declarations of the commands themselves.

Whatever the options and files are, a command ends with 0, 1 or 2, says one line if it is 2,
writes JSON that is JSON and no raw control characters, and leaves its input files as they were.
"""

from __future__ import annotations

import contextlib
import shlex
import shutil
from collections.abc import Iterator
from fnmatch import fnmatch
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import click

from evenhand.cli import every_command
from fuzz.cli import Ran, invoke
from fuzz.files import pool
from fuzz.outcome import REFUSED, RIGHT, HangError, Outcome, hang, watchdog
from fuzz.values import COLUMN_OPTIONS, COLUMNS, FIT, SHARES, STARTS, TEXTS, WHOLE
from fuzz.words import AWKWARD, HOSTILE, damaged, label

BATCH = 6


def commands(rng: Random, folder: Path) -> Iterator[Outcome]:
    """Some command lines in a folder full of files."""
    work = folder / "commands"
    names = pool(work)
    before = {name: (work / name).read_bytes() for name in names}
    with contextlib.chdir(work):
        for _ in range(BATCH):
            yield smallest(random_line(rng, names), work, before)


def smallest(arguments: list[str], work: Path, before: dict[str, bytes]) -> Outcome:
    """What comes of a command line, and if it is a failure of as few arguments as show it."""
    found = run_line(arguments, work, before)
    if found.kind not in ("wrong", "traceback"):
        return found
    for at in reversed(range(1, len(arguments))):
        fewer = arguments[:at] + arguments[at + 1 :]
        again = run_line(fewer, work, before)
        if (again.kind, again.cause) == (found.kind, found.cause):
            arguments, found = fewer, again
    return found


def run_line(arguments: list[str], work: Path, before: dict[str, bytes]) -> Outcome:
    """What comes of one command line; the folder is as before when it is over."""
    shown = "evenhand " + " ".join(map(quoted, arguments))
    try:
        with watchdog():
            ran = invoke(arguments, stdin=b"a\nb\n")
    except HangError as e:
        return hang(e, shown)
    changed = [name for name in mended(work, before) if is_input(name, arguments)]
    if changed:
        return Outcome("wrong", f"{arguments[0]} changed {changed[0]}", f"{shown}\n{changed}")
    return judged(ran, shown)


def is_input(name: str, arguments: list[str]) -> bool:
    """Whether a file is named, or matched by a pattern, other than as where to write."""
    written = ("--output", "--plot")
    pairs = zip(["", *arguments], arguments, strict=False)
    read = [a for before, a in pairs if before not in written and not a.startswith(written)]
    return any(fnmatch(name, a.partition("=")[2] or a) or name == a for a in read)


def judged(ran: Ran, shown: str) -> Outcome:
    return ran.fault(shown) or (REFUSED if ran.code == 2 else RIGHT)


def quoted(argument: str) -> str:
    """An argument as a shell takes it, in one line."""
    return shlex.quote(argument) if argument.isprintable() else f"$'{argument!r}'"


def mended(work: Path, before: dict[str, bytes]) -> list[str]:
    """The input files that changed, which are put back; what is new is removed."""
    changed = []
    for path in work.iterdir():
        if path.name not in before:
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    for name, raw in before.items():
        path = work / name
        if not path.exists() or path.read_bytes() != raw:
            changed.append(name)
            path.write_bytes(raw)
    return changed


@cache
def declared(name: str) -> click.Command:
    return dict(every_command())[name]


def random_line(rng: Random, names: list[str]) -> list[str]:
    """A command that makes sense with some options more, or one that need not make any."""
    name = rng.choice(list(STARTS))
    parameters = declared(name).params
    options = [p for p in parameters if isinstance(p, click.Option)]
    line = shlex.split(rng.choice(STARTS[name]))
    if rng.random() < 0.2 and name not in ("properties", "papers"):
        line = [
            rng.choice((*names, "nope.csv", ".", "*.txt", "", "-"))
            for _ in range(rng.randint(0, 3))
        ]
    for option in rng.sample(options, min(len(options), rng.choice((0, 1, 1, 2, 3, 5)))):
        line += random_option(rng, option, names)
    if "--replicates" in {p.opts[0] for p in options} and "--replicates" not in line:
        line += ["--replicates", "20"]
    if rng.random() < 0.03:
        line.insert(rng.randint(0, len(line)), rng.choice((*HOSTILE, *AWKWARD, "--nope", "--help")))
    return [
        *name.split(),
        *(a.replace("\0", "").replace("\ud800", "") for a in line),
    ]  # as a shell would


def random_option(rng: Random, option: click.Option, names: list[str]) -> list[str]:
    """An option with a value: fit, extreme or hostile."""
    name = option.opts[0]
    if option.is_flag:
        return [name]
    value = random_value(rng, option, names)
    return [f"{name}={value}"] if value.startswith("-") or rng.random() < 0.2 else [name, value]


def random_value(rng: Random, option: click.Option, names: list[str]) -> str:
    name, kind = option.opts[0], option.type
    if rng.random() < 0.03:
        return label(rng, 0.5)
    if isinstance(kind, click.Choice):
        return rng.choice((*map(str, kind.choices),) * 4 + ("x",))
    if isinstance(kind, click.types.FloatParamType):
        return rng.choice(FIT["float"] if rng.random() < 0.6 else SHARES)
    if isinstance(kind, click.types.IntParamType):
        return rng.choice(FIT["int"] if rng.random() < 0.6 else WHOLE)
    if name in COLUMN_OPTIONS:
        return rng.choice(COLUMNS)
    known: tuple[Any, ...] = TEXTS.get(name, (*AWKWARD, *HOSTILE))
    value = rng.choice((*known, *known, rng.choice(names)))
    return damaged(rng, value) if rng.random() < 0.1 else value

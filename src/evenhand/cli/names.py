"""What the words of a command line name: files to read, files to write, columns.

Each kind is a type of parameter, so that one look before a command runs can tell whether it would
write over what it reads.
"""

from __future__ import annotations

import os
import shlex
import stat
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from glob import escape, glob, has_magic
from typing import Any

import click

from evenhand.errors import EvenhandError, InputError, Option


class Named(click.ParamType):  # type: ignore[type-arg]
    """Text that names something, so that it cannot be empty."""

    def __init__(self, name: str) -> None:
        self.name = name

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The text as it is."""
        if not value:
            self.fail(f"a {self.name} must have a name, got an empty text", param, ctx)
        return value


class Size(click.FloatRange):
    """A number of the size of scores: 0.01, or as a percentage, 1%."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The number."""
        if not isinstance(value, str) or not value.rstrip().endswith("%"):
            return super().convert(value, param, ctx)
        hundredths: Any = value.rstrip()[:-1]
        return round(super().convert(hundredths, param, ctx) / 100, 15)


class Input(Named):
    """A file to read, a pattern or a folder of such; or text that stands for itself."""

    def files(self, name: str) -> list[str | int]:
        """The files behind a name, as paths or, for standard input, its number."""
        from evenhand.files.parts import split_part

        if name == "-":
            return [0]
        name = split_part(name)[0] if "#" in name else name
        if os.path.isdir(name):
            return [*glob(os.path.join(escape(name), "**", "*.parquet"), recursive=True)]
        if has_magic(name) and not os.path.exists(name):
            return [*glob(name, recursive=True)]
        return [name]


class Module(Input):
    """A module beside us whose function is meant, ``module:function``; else no file."""

    def files(self, name: str) -> list[str | int]:
        """The module's file."""
        module, colon, _ = name.partition(":")
        return [module.replace(".", os.sep) + ".py"] if colon else []


class Output(click.ParamType):  # type: ignore[type-arg]
    """A file to write, and others that are written beside it, by what is added to its name."""

    name = "file"

    def __init__(self, *beside: str) -> None:
        self.beside = ("", *beside)

    def files(self, name: str) -> list[str]:
        """All that is written."""
        return [] if name in ("", "-") else [name + end for end in self.beside]


COLUMN, FILE = Named("column"), Input("file")


class Command(click.Command):
    """A command that never writes over what it reads, nor takes one of two answers for both."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Refuse an option given twice that can mean but one thing: click would take the last."""
        order: list[click.Parameter] = []
        with suppress(click.UsageError):  # said below, with all that click knows
            *_, order = self.make_parser(ctx).parse_args(list(args))
        for param, times in Counter(p for p in order if isinstance(p, click.Option)).items():
            if times > 1 and not (param.multiple or param.is_flag or param.count):
                ctx.fail(f"{param.opts[0]} is given {times} times, expected once.")
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run it, if what it writes is no input and goes to different files."""
        read = {
            facts: name
            for param, text in _given(ctx, Input)
            for name in param.type.files(text)  # type: ignore[attr-defined]
            if (facts := _facts(name))
        }
        written: dict[str, str] = {}
        for param, text in _given(ctx, Output):
            option = param.opts[0]
            for path in param.type.files(text):  # type: ignore[attr-defined]
                if _facts(path) in read:
                    raise InputError(f"{path} is one of the files to read: name another {option}")
                place = os.path.realpath(path)
                other = written.setdefault(place, option)
                if other != option:
                    raise InputError(f"{path} cannot be both {other} and {option}")
        try:
            return super().invoke(ctx)
        except EvenhandError as error:
            raise click.ClickException(error.said(spelled)) from error


def spelled(option: Option) -> str:
    """An option as the command at hand has it: ``--missing wrong``, ``--id COL``."""
    context = click.get_current_context(silent=True)
    known = {p.name: p for p in context.command.params} if context else {}
    param, value = known.get(option.name), option.value and shlex.quote(option.value)
    if not isinstance(param, click.Option):
        return f"--{option.name.replace('_', '-')} {value}".rstrip()
    value = value or ("" if param.is_flag else param.metavar or "VALUE")
    return f"{param.opts[0]} {value}".rstrip()


command = partial(click.command, cls=Command)
"""As ``click.command``, for a command of ours."""


def _given(ctx: click.Context, kind: type) -> Iterator[tuple[click.Parameter, str]]:
    """The values of all parameters of one kind."""
    for param in ctx.command.params:
        if isinstance(param.type, kind):
            yield from ((param, text) for text in _texts(ctx.params.get(str(param.name))))


def _texts(value: Any) -> Iterator[str]:
    """The texts of an option, given once or often, each time with one or several."""
    if isinstance(value, str):
        yield value
    else:
        for part in value or ():
            yield from _texts(part)


def _facts(name: str | int) -> tuple[int, int] | None:
    """What two names of one file share; ``None`` for what is no file that could be lost."""
    try:
        found = os.stat(sys.stdin.fileno() if name == 0 else name)
    except (OSError, ValueError, AttributeError):  # nothing there, or nothing that could be
        return None
    return (found.st_dev, found.st_ino) if stat.S_ISREG(found.st_mode) else None

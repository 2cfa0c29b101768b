"""The command line: a group of commands a file, loaded only when one of them runs."""

from __future__ import annotations

import codecs
import io
import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any, NoReturn

import click

from evenhand._version import __version__
from evenhand.cli.output import clear_at_termination
from evenhand.errors import EvenhandError, EvenhandWarning, nearest

GROUPS = {
    "Evaluate": {
        "score": "one system: metrics with intervals, both macro F1s, classes",
        "compare": "systems on the same items: differences, intervals, tests",
        "rank": "a leaderboard: intervals, ranks, ties, P(best)",
        "report": "one system or several as one HTML file to publish",
    },
    "Decide": {
        "gate": "may NEW replace OLD? an exit code for CI",
        "plan": "how many items a test set needs",
        "shift": "scores if classes become more or less frequent",
        "calibrate": "every metric as observed and with equal classes",
    },
    "Check": {
        "audit": "published scores: which formula, which cannot be true",
        "which": "the formula behind one precision, recall and macro F1",
        "agree": "agreement of annotators: Krippendorff's alpha, Cohen's kappa",
    },
    "Understand": {
        "twins": "the two formulas called 'macro F1', and what makes their gap",
        "metrics": "the catalogue: formulas, ranges, properties, names",
        "properties": "the five properties of a metric, with counter-examples",
        "papers": "the founding papers: claims recomputed, figures redrawn",
        "signature": "a signature in words, or how two differ",
    },
    "Data": {
        "look": "what files are, and the command to run on them",
        "count": "labels into a table to keep, add and pass on",
        "merge": "saved tables, added up",
    },
    "Share": {
        "serve": "the web page: change a table, score files, audit",
        "publish": "a shared task on Codabench; records for leaderboards",
    },
}
"""The commands by group, each with a line of help; a group has a module of its name."""
COMMANDS = {name: words for names in GROUPS.values() for name, words in names.items()}
MODULES = {name: group.lower() for group, names in GROUPS.items() for name in names}


class Commands(click.Group):
    """A group whose commands are imported when called, so that help is quick.

    Whatever is wrong with an input or its options ends in one line and exit code 2.
    """

    def main(self, *args: Any, **extra: Any) -> Any:
        try:
            with warnings_in_lines():
                code = super().main(*args, **{**extra, "standalone_mode": False})
        except click.exceptions.NoArgsIsHelpError as error:
            error.show()
            sys.exit(error.exit_code)
        except click.UsageError as error:
            where = f"{error.ctx.command_path if error.ctx else 'evenhand'} --help"
            if isinstance(error, click.MissingParameter) and error.ctx:
                examples = (error.ctx.command.help or "").rpartition("\b\n")[2].splitlines()
                where = f"{examples[0].strip()}; {where}" if examples else where
            fail(f"{error.format_message().rstrip('.')} ({where})")
        except (click.ClickException, EvenhandError) as error:
            fail(str(error))
        except OSError as error:  # a file that went away, a name too long, a folder shut
            where = f"{error.filename}: " if error.filename else ""
            fail(f"{where}{error.strerror or error}")
        except click.Abort:
            sys.exit(130)
        sys.exit(code if isinstance(code, int) else 0)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        module = import_module(f"evenhand.cli.{MODULES[name]}")
        command: click.Command = getattr(module, f"{name}_command")
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS and all(map(os.path.exists, args)):
            from evenhand.cli.data import run_on

            return args[0], click.Command(args[0], callback=lambda: run_on(args)), []
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            if os.path.exists(args[0]):
                absent = [arg for arg in args if not os.path.exists(arg)]
                if not absent[0].startswith("-"):
                    fail(f"{absent[0]} does not exist")
                ctx.fail(f"Options follow a command: evenhand score {' '.join(args)}")
            ctx.fail(f"No command or file is called {args[0]!r}{nearest(args[0], COMMANDS)}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for title, commands in GROUPS.items():
            with formatter.section(title):
                formatter.write_dl([(name.ljust(10), words) for name, words in commands.items()])


@click.group(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="COMMAND --help explains a command; evenhand FILE… finds and runs one.",
)
@click.version_option(__version__, prog_name="evenhand")
def group() -> None:
    """Even-handed evaluation of classifiers and language models: which metric, how sure, and what
    it hides.

    \b
    evenhand score gold.txt pred.txt
    evenhand rank gold.txt runs/*.txt
    evenhand rank logs/  (of Inspect, lm-evaluation-harness, promptfoo, …)
    evenhand look answers.csv

    GOLD: the true label of each item; PRED: a system's; FILE: both in columns.
    """


def every_command() -> Iterator[tuple[str, click.Command]]:
    """Every command by its words, those of ``publish`` by two."""
    for name in COMMANDS:
        command = group.get_command(click.Context(group), name)
        inner = command.commands if isinstance(command, click.Group) else {"": command}
        for own, leaf in inner.items():
            yield f"{name} {own}".rstrip(), leaf  # type: ignore[misc]


def fail(message: str) -> NoReturn:
    """Say what is wrong in one line, and end."""
    from evenhand.text import visible

    click.echo(f"evenhand: error: {visible(message)}", err=True)
    sys.exit(2)


@contextmanager
def warnings_in_lines() -> Iterator[None]:
    """Say a warning of ours in one line, as those of results."""
    with warnings.catch_warnings():
        usual = warnings.showwarning

        def show(message: Any, category: type[Warning], *where: Any, **more: Any) -> None:
            if issubclass(category, EvenhandWarning):
                from evenhand.cli.output import warn

                warn([f"warning: {message}"])
            else:
                usual(message, category, *where, **more)

        warnings.showwarning = show
        yield


PLAIN = str.maketrans({"−": "-", "–": "-", "…": "...", "×": "x", "’": "'", "≤": "<=", "≥": ">="})
"""What stands for characters that a console does not have."""


def plain_characters(error: UnicodeError) -> tuple[str, int]:
    r"""What a console cannot show, in characters that it can; else as JSON escapes it.

    >>> codecs.register_error("evenhand.plain", plain_characters)
    >>> "−1 😀".encode("cp1252", "evenhand.plain")
    b'-1 \\ud83d\\ude00'
    """
    import json

    assert isinstance(error, UnicodeEncodeError)
    text = error.object[error.start : error.end].translate(PLAIN)
    escaped = (c if c.isascii() else json.dumps(c)[1:-1] for c in text)
    return "".join(escaped), error.end


def plain_ascii(name: str) -> codecs.CodecInfo | None:
    """ASCII by a name of its own: to a stream of ASCII by that name click writes UTF-8."""
    ascii = codecs.lookup("ascii")
    own = codecs.CodecInfo(*ascii, ascii.incrementalencoder, ascii.incrementaldecoder, name=name)
    return own if name == "evenhand_ascii" else None


def main() -> None:
    """Run the command line."""
    codecs.register_error("evenhand.plain", plain_characters)
    codecs.register(plain_ascii)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and not stream.encoding.lower().startswith("utf"):
            ascii = codecs.lookup(stream.encoding).name == "ascii"
            own = "evenhand_ascii" if ascii else stream.encoding
            stream.reconfigure(encoding=own, errors="evenhand.plain")
    clear_at_termination()
    group.main(prog_name="evenhand")

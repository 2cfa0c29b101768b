"""The command line: one command a file, each loaded only when it runs."""

from __future__ import annotations

import os
import sys
from importlib import import_module

import click

from evenhand._version import __version__

COMMANDS = {
    "score": "Score one system: every metric, both macro F1s, per class.",
    "twins": "The two formulas called 'macro F1', their gap and what makes it.",
    "audit": "Reported scores: which formula was used, which numbers cannot be true.",
    "which": "Which formula gave one reported precision, recall and macro F1.",
    "signature": "A signature in words, or where two differ.",
    "metrics": "The catalogue of metrics: formula, range, properties.",
}


class Commands(click.Group):
    """A group whose commands are imported when called, so that help is quick."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        command: click.Command = import_module(f"evenhand.cli.{name}").command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            import difflib

            near = difflib.get_close_matches(args[0], COMMANDS, n=1)
            hint = f" Did you mean {near[0]}?" if near else ""
            ctx.fail(f"No such command {args[0]!r}.{hint}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="evenhand COMMAND --help explains a command, with an example.",
)
@click.version_option(__version__, prog_name="evenhand")
def group() -> None:
    """Even-handed evaluation of classifiers.

    \b
    evenhand score gold.txt pred.txt
    evenhand score answers.csv --true gold --pred system
    evenhand twins 2 100 10000 0 100
    """


def main() -> None:
    """Run a command; a bad input ends in one line and exit code 2, never in a traceback."""
    from evenhand.errors import EvenhandError

    try:
        group.main(prog_name="evenhand", standalone_mode=True)
    except EvenhandError as error:
        from evenhand.format.text import visible

        click.echo(f"evenhand: error: {visible(str(error))}", err=True)
        sys.exit(2)
    except BrokenPipeError:
        # The reader (head, less) has gone; nothing is wrong, and nothing more can be said.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)

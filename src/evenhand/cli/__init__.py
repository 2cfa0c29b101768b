"""The command line: a group of commands a file, loaded only when one of them runs."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any, NoReturn

import click

from evenhand._version import __version__
from evenhand.cli.output import ending
from evenhand.errors import EvenhandError, EvenhandWarning

COMMANDS = {
    "score": "Score one system: every metric with its interval, both macro F1s, per class.",
    "compare": "Compare systems on the same items: differences, intervals, tests.",
    "gate": "Gate a release: may NEW take the place of OLD? Exit code 0 or 1, one line, a summary.",
    "plan": "Plan a test set: items for an interval of a width, or to show a difference.",
    "rank": "Rank systems: a leaderboard, how sure it is, and what other metrics make of it.",
    "report": "A report of one system or several as one HTML file: verdict, pictures, data.",
    "codabench": "A bundle for a shared task on Codabench, its scoring program with all wheels.",
    "export": "Scores as records for leaderboards elsewhere: Every Eval Ever, the hub.",
    "calibrate": "Every metric as observed and at another class mix, side by side.",
    "shift": "Scores elsewhere: another class mix, a sweep, or the mix of unlabelled data.",
    "twins": "The two formulas called 'macro F1', their gap and what makes it.",
    "readings": "Macro recall and the F1 of averages in words: class bags, bets, annotators.",
    "agree": "Annotators: Krippendorff's alpha of any number of them, ratings missing or not.",
    "look": "What a file is: format, columns, which look like labels, what to run next.",
    "count": "Count labels into a table to keep, add and pass on.",
    "merge": "Add up saved tables.",
    "audit": "Reported scores: which formula was used, which numbers cannot be true.",
    "which": "Which formula gave one reported precision, recall and macro F1.",
    "signature": "A signature in words, or where two differ.",
    "properties": "The five properties of a metric, yours too, with counter-examples.",
    "papers": "The founding documents: claims recomputed, figures redrawn.",
    "serve": "The web page: change a table, score files, audit, choose a metric.",
    "metrics": "The catalogue of metrics: formula, range, properties.",
}

MODULES = {
    name: module
    for module, names in {
        "evaluate": ("score", "compare", "rank", "report"),
        "decide": ("gate", "plan", "shift", "calibrate"),
        "check": ("audit", "which", "agree"),
        "understand": ("twins", "metrics", "properties", "papers", "signature", "readings"),
        "data": ("look", "count", "merge"),
        "share": ("serve", "codabench", "export"),
    }.items()
    for name in names
}
"""The module of each command."""


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
            where = error.ctx.command_path if error.ctx else "evenhand"
            fail(f"{error.format_message().rstrip('.')} ({where} --help)")
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

                warn([str(message)])
            else:
                usual(message, category, *where, **more)

        warnings.showwarning = show
        yield


def main() -> None:
    """Run the command line."""
    with ending():
        group.main(prog_name="evenhand")

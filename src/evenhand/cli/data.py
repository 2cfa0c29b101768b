"""The commands look, count and merge."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evenhand import errors
from evenhand.cli import options, sources
from evenhand.cli import output as out
from evenhand.cli.options import Flags, OutputOptions, SourceOptions, refuse
from evenhand.errors import EvenhandError, Option
from evenhand.io.logs import is_log

if TYPE_CHECKING:
    from evenhand.looking import Look

TRUTH = re.compile(r"gold|truth|true|ref|key|test|label")
"""What files of true labels are called."""
KEPT = "Where the {} goes, in JSON; without it, to the screen."
PLACEHOLDERS = frozenset({"GOLD", "PRED", "COL", "-"})
"""What stands in a command for what is not known, or cannot be read twice."""
CHOSEN = frozenset({"--by-row", "--cluster"})
"""Options of a reading that is not the only one where a command without them is refused."""
MANY_LINES = 20
"""Lines from which on labels are fewer than half as many."""
MOST_PRINTED = 100_000
"""Bytes of the largest file that is tried as a document with a table of scores."""


@options.command()
@options.files(required=True, metavar="FILE…")
@sources.layout
@options.output()
def look_command(flags: Flags, output: OutputOptions) -> None:
    """What files are: format, encoding, columns, which look like labels, and what to run next.

    Columns have their type, the number of distinct values and examples. What they are taken for
    (truth, predictions, ids, systems, runs, samples, clusters, weights) goes by names, by how full
    and how distinct they are, and by labels that they share; what is unsure is said. A command
    that is complete was tried: it reads the files.

    \b
    evenhand look answers.csv
    evenhand look gold.csv runs/*.csv
    evenhand look 'results.xlsx#sheet' --format json
    """
    from evenhand.looking import looks_of

    layout = {name: flags.values[name] for name in ("no_header", "delimiter", "encoding")}
    looks, commands, problems = looked(flags.files, **layout)
    if len(looks) == 1:
        out.show(replace(looks[0], command=next(iter(commands), "")), output)
    else:
        out.show(looks_of(looks, commands), output)
    out.warn(f"warning: {p}" for p in problems)


def looked(files: Sequence[str], **layout: Any) -> tuple[tuple[Look, ...], list[str], list[str]]:
    """What the files are; the command for them all, or those to choose from; why none reads them,
    if that is so.
    """
    from evenhand.looking import look

    looks = tuple(look(file, **layout) for file in files)
    stated = (Option(name, "" if v is True else v) for name, v in layout.items() if v)
    further = " ".join(["", *map(options.spelled, stated)])
    two = len(files) == 2
    if len(files) == 1 and (lines := prose(looks[0])):
        return looks, [], [lines]
    if len(files) == 1:
        proposed = [next_command(looks[0], files[0])]
        if proposed[0].startswith("evenhand audit") and len(looks[0].columns) == 1:
            looks = (replace(looks[0], kind="text, a table of scores", columns=()),)
    elif all(map(is_log, files)):
        proposed = [shlex.join(["evenhand", "compare" if two else "rank", *files])]
    else:
        verb, firsts = "score" if two else "rank", truths(looks)
        orders = [[files[i], *files[:i], *files[i + 1 :]] for i in firsts]
        proposed = [shlex.join(["evenhand", verb, *order]) + further for order in orders]
    tried = dict.fromkeys(command for line in proposed for command in working(line))
    if any("--by-row" not in shlex.split(command) for command in tried):
        return looks, list(tried), []
    refusal = failing(shlex.split(proposed[0])[1:])
    return looks, [], [f"they cannot be read together: {refusal.message}"] if refusal else []


def truths(looks: Sequence[Look]) -> list[int]:
    """Which of several files may hold the truth: one by its name or columns, else the first two."""
    from evenhand.data.roles import PRED, TRUE

    named = [i for i, x in enumerate(looks) if TRUTH.search(Path(x.file).stem.lower())]
    by_role = [i for i, x in enumerate(looks) if x.of(TRUE) and not x.of(PRED)]
    return next(([*only] for only in (named, by_role) if len(only) == 1), [0, 1])


def working(line: str) -> list[str]:
    """The command itself if it reads its files; else those that its error proposes and that do."""
    words = shlex.split(line)[1:]
    if PLACEHOLDERS.intersection(words) or words[0] == "audit":  # which has been tried
        return [line]
    refusal = failing(words)
    if refusal is None:
        return [line]
    return [p for p in refusal.proposed if failing(shlex.split(p)[1:]) is None]


@dataclass(frozen=True)
class Refusal:
    """The error of a command: its message, why it is one, and the commands that it proposes."""

    message: str
    reason: str
    proposed: tuple[str, ...] = ()

    @property
    def is_choice(self) -> bool:
        """Whether more than one reading is possible, or only one that takes a choice to make."""
        taken = {word for line in self.proposed for word in shlex.split(line)}
        return len(self.proposed) > 1 or bool(taken & CHOSEN)


def failing(words: Sequence[str]) -> Refusal | None:
    """The refusal of a command that does not read its files."""
    names = {f.name for f in fields(SourceOptions)}
    try:
        with context_of(words) as context:
            source = SourceOptions(**{k: v for k, v in context.params.items() if k in names})
            try:
                read = partial(sources.data_from, soft=True)
                (read if words[0] == "score" else sources.entries_from)(source)
            except EvenhandError as error:
                message = error.message(options.spelled)
                parts = (p for p in error.args if isinstance(p, errors.Command))
                proposed = tuple(dict.fromkeys(map(options.spelled, parts)))
                reason = message.split(": evenhand ")[0].split(": say which")[0]
                return Refusal(message, reason, proposed)
    except click.ClickException as error:
        return Refusal(error.message, error.message)
    return None


def context_of(words: Sequence[str]) -> click.Context:
    """A command line as click reads it."""
    root = click.get_current_context().find_root()
    command = root.command.get_command(root, words[0])  # type: ignore[attr-defined]
    context: click.Context = command.make_context(words[0], list(words[1:]), parent=root)
    return context


def next_command(about: Look, file: str) -> str:
    """The command line that scores the file, as far as it is known."""
    from evenhand.data.roles import PRED, TRUE

    chosen = [options.spelled(option) for option in about.options]
    name, systems = shlex.quote(file), about.of(PRED)
    if os.path.isdir(file):
        return f"evenhand rank {name}"
    if has_printed_scores(file):
        return f"evenhand audit {name}"
    if about.members:
        parts = ["rank", "GOLD", name]
    elif systems and not about.of(TRUE):
        parts = ["score", "GOLD", name]
    elif about.kind == "a saved table" or about.kind.startswith("a log of ") or chosen:
        several = len(systems) > 1 or any(o.name == "system" for o in about.options)
        parts = ["rank" if several else "score", name, *chosen]
    elif len(about.columns) > 1 and not about.of(TRUE):
        parts = ["score", name, "--true COL --pred COL"]
    else:
        parts = ["score", name, "PRED"]
    return " ".join(["evenhand", *parts])


def prose(about: Look) -> str:
    """Why a file of lines can hardly be one of labels; empty where it can."""
    from evenhand.io.sources import KINDS
    from evenhand.text import counted

    if about.kind != KINDS["lines"].words or not about.columns or not about.rows:
        return ""
    distinct = about.columns[0].distinct
    if about.rows < MANY_LINES or distinct <= about.rows / 2 or has_printed_scores(about.file):
        return ""
    return f"{distinct:,} of {counted(about.rows, 'line')} differ: these are hardly labels"


def has_printed_scores(file: str) -> bool:
    """Whether a file is a table of scores, as papers print them."""
    from evenhand.auditing.audit import audit

    if not os.path.isfile(file) or os.path.getsize(file) > MOST_PRINTED:
        return False
    try:
        return any(row.formula or row.findings for row in audit(file).systems)
    except EvenhandError:
        return False


def numbered(proposed: Sequence[str], looks: Sequence[Look]) -> list[str]:
    """Those of proposed commands that read their files, columns of one name by their numbers."""
    commands = [shlex.split(line) for line in proposed]
    for words in commands:
        about = next((x for x in looks if x.file == words[2]), None)
        at = words.index("--true") + 1 if "--true" in words else 0
        if about is not None and at:
            words[at] = about.by_number.get(words[at], words[at])
    return [shlex.join(words) for words in commands if failing(words[1:]) is None]


def choice_in(words: Sequence[str]) -> Refusal | None:
    """Why a command makes a choice that the same one without options leaves to the user."""
    plain = [*takewhile(lambda word: not word.startswith("--"), words)]
    if plain == words or PLACEHOLDERS.intersection(words):
        return None
    refusal = failing(plain)
    if not (refusal and refusal.is_choice):
        return None
    one = failing(["score", *plain[1:]]) if len(plain) == 2 else None
    return one if one and len(one.proposed) > 1 else refusal


def run_on(files: Sequence[str]) -> None:
    """``evenhand FILE…``: run what can alone be meant, and say what; else show what there is."""
    from evenhand.looking import looks_of

    looks, commands, problems = looked(files)
    words = shlex.split(commands[0])[1:] if commands else []
    if commands and (refusal := choice_in(words)):
        commands = numbered(refusal.proposed, looks)
        problems = [f"{refusal.reason}: more than one reading fits"]
        if len(commands) < 2:
            commands, problems = [], [refusal.message]
    if len(commands) != 1 or PLACEHOLDERS.intersection(words):
        click.echo(str(looks_of(looks, commands)))
        out.warn(f"warning: {p}" for p in problems)
        raise click.exceptions.Exit(2)
    out.line(f"running: {commands[0]}", to_stderr=True)
    with context_of(words) as context:
        context.command.invoke(context)


# ``evenhand count``: labels into a table to keep.


@options.command(usual="true pred label id by labels map weights probabilities missing output")
@options.files(required=True, metavar="[GOLD PRED | FILE…]")
@sources.one
@options.written("--output -o", KEPT.format("table"))
def count_command(source: SourceOptions, flags: Flags) -> None:
    """Count labels into a table that score, merge and all other commands take.

    With --true and --pred any number of files, patterns and folders of Parquet are counted, one
    after the other; without them, or with --id, GOLD and PRED. Folders named lang=de around
    Parquet files are a column lang. The table remembers what it counted, so that nothing is
    added twice.

    \b
    evenhand count gold.txt pred.txt --output table.json
    evenhand count 'logs/*.parquet' --true gold --pred system --output part.json
    evenhand count answers.csv --true gold --pred system -o table.json
    """
    from evenhand.errors import InputError, NoRowsError
    from evenhand.io.items import renamed
    from evenhand.io.loading import count_part, parts_of
    from evenhand.io.saved import Saved, add_up
    from evenhand.warnings import EmptyFiles, ResultWarning, lines

    output = flags.output
    refuse(source.matrix, "A --matrix is counted already; score takes it as it is.")
    if output is not None and not (output and Path(output).parent.is_dir()):
        name = output or "an output without a name"
        raise InputError(f"{name} cannot be written: no such folder")
    refuse(len(source.pred) > 1, "count keeps the table of one system: expected one --pred.")
    clusters = "A table keeps no items and so no clusters: leave out --cluster, or score the files."
    refuse(source.cluster, clusters)
    source = sources.deciding(source)
    joined = source.id is not None and len(source.files) == 2
    columns = bool(source.true and (source.pred or source.probabilities) and not joined)
    parts = parts_of(list(source.files), columns)
    notes: list[ResultWarning] = []
    empty: list[str] = []

    def counted(advance: Callable[[int], None]) -> Iterator[tuple[str, Saved]]:
        for part in parts:
            try:
                loaded = count_part(source, part)
                notes.extend(loaded.notes)
                yield " and ".join(part), loaded.data
            except NoRowsError:
                if len(parts) == 1:
                    raise
                empty.extend(part)
            advance(1)

    with out.progress("counting", len(parts)) as advance:
        total = add_up(counted(advance))
    table, renamings = renamed(total.table, source)
    out.keep(table, total.sources, output)
    passed = [EmptyFiles(tuple(empty), len(parts))] if empty else []
    kinds = dict.fromkeys((*notes, *passed, *renamings))
    out.warn(lines(kinds))


# ``evenhand merge``: saved tables, added up.


@options.command()
@options.files(required=True, metavar="TABLE…")
@options.written("--output -o", KEPT.format("sum"))
def merge_command(flags: Flags) -> None:
    """Add up tables that count saved; a source that two of them count is an error.

    \b
    evenhand merge monday.json tuesday.json
    evenhand merge part*.json --output all.json
    evenhand merge part*.json | evenhand score -
    """
    from evenhand.io.saved import Saved, add_up, load

    def tables(advance: Callable[[int], None]) -> Iterator[tuple[str, Saved]]:
        for name in flags.files:
            yield name, load(name)
            advance(1)

    with out.progress("merging", len(flags.files)) as advance:
        merged = add_up(tables(advance))
    out.keep(merged.table, merged.sources, flags.output)

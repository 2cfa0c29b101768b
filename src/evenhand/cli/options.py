"""Options of commands: their types, the records they fill, and checks before a command runs."""

from __future__ import annotations

import csv
import inspect
import math
import os
import shlex
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import MISSING, dataclass, fields, replace
from functools import partial, reduce, wraps
from glob import glob
from math import inf
from pathlib import Path
from typing import Any, TypeAlias, get_args

import click
from click import UsageError
from click.core import ParameterSource

from evenhand import errors
from evenhand.errors import EvenhandError, InputError
from evenhand.io.columns import ReadOptions
from evenhand.options import (
    Choice,
    ClassDistance,
    ClassRule,
    Declaration,
    Group,
    Margin,
    MetricNames,
    Number,
    Options,
    SystemName,
    ValueObject,
    WholeNumber,
    Words,
    YesNo,
    ZeroDivision,
)

ARGUMENTS, HELP_ALL = "evenhand.arguments", "evenhand.help_all"
"""Where the words of the command line at hand are kept, and that all options are to be shown."""
GROUPS = ("Options", *get_args(Group), "Help")
"""The groups of options, as help lists them."""
EXAMPLES = 3
"""Examples in a command's short help."""


class NamedParam(click.ParamType):  # type: ignore[type-arg]
    """Text that names something, so that it cannot be empty."""

    def __init__(self, name: str) -> None:
        self.name = name

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Refuse an empty text."""
        if not value:
            self.fail(f"a {self.name} must have a name, got an empty text", param, ctx)
        return value


class SizeParam(click.FloatRange):
    """A number of the size of scores: 0.01, or as a percentage, 1%."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The number."""
        if not isinstance(value, str) or not value.rstrip().endswith("%"):
            return super().convert(value, param, ctx)
        hundredths: Any = value.rstrip()[:-1]
        return round(super().convert(hundredths, param, ctx) / 100, 15)


class MarginParam(SizeParam):
    """A size, or that of a slice: ``0.02``, ``IS=0.05``."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The slice, ``None`` for all others, and the number."""
        if isinstance(value, tuple):
            return value
        slice_, equal, number = str(value).rpartition("=")
        return slice_ if equal else None, super().convert(number, param, ctx)


class InputPath(NamedParam):
    """A file to read, a pattern or a folder of such; or text that stands for itself."""


AVERAGES = ("macro", "micro", "weighted", "samples")
"""What other libraries call averages."""


class WordParam(click.Choice):  # type: ignore[type-arg]
    """One of a few words; the nearest is named where another was meant."""

    def get_invalid_choice_message(self, value: Any, ctx: click.Context | None) -> str:
        """What may be said instead."""
        message = super().get_invalid_choice_message(value, ctx).rstrip(".")
        if value in AVERAGES and "seen" in self.choices:
            return f"{message}; the name of the metric says it: --metric {value}_f1"
        return message + errors.nearest(value, self.choices)


class OutputPath(click.ParamType):  # type: ignore[type-arg]
    """A file to write."""

    name = "file"


COLUMN, FILE = NamedParam("column"), InputPath("file")


class CheckedCommand(click.Command):
    """A command that does not write over its inputs, and takes an option once.

    ``--help`` has the ``usual`` options and three examples, ``--help-all`` everything.
    """

    def __init__(self, *arguments: Any, usual: str = "", **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        # Here too, since click keeps the option as it was first asked for.
        self.context_settings["help_option_names"] = ["-h", "--help"]
        self.usual = {f"--{name}" for name in usual.split()}
        settings = {"is_flag": True, "is_eager": True, "expose_value": False}
        settings |= {"callback": _help_all, "help": "Show all options, and more examples."}
        self.params.append(click.Option(["--help-all"], **settings))

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """What the command does, then examples: the first paragraph and three, or all."""
        text, _, examples = inspect.cleandoc(self.help or "").rpartition("\b\n")
        lines = examples.splitlines()
        if HELP_ALL not in ctx.meta:
            text, lines = text.partition("\n\n")[0], lines[:EXAMPLES]
        formatter.write_paragraph()
        with formatter.indentation():
            formatter.write_text(text.strip())
        with formatter.section("Examples"):
            formatter.write("".join(f"  {line}\n" for line in lines))

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The usual options in one list, or all by group."""
        rows: dict[str, list[tuple[str, str]]] = {}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx) if isinstance(param, click.Option) else None
            if record and HELP_ALL in ctx.meta:
                rows.setdefault(getattr(param, "group", "Help"), []).append(record)
            elif record and not (self.usual and self.usual.isdisjoint(param.opts)):
                rows.setdefault("Options", []).append(record)
        for title in sorted(rows, key=GROUPS.index):
            with formatter.section(title):
                formatter.write_dl(rows[title], col_max=26)
        hidden = len(self.params) - 1 - len(rows.get("Options", ()))
        if self.usual and HELP_ALL not in ctx.meta and hidden > 0:
            formatter.write_paragraph()
            formatter.write_text(f"{ctx.command_path} --help-all shows all options.")

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Refuse an option given twice that can mean but one thing: click would take the last."""
        ctx.meta[ARGUMENTS] = list(args)
        order: list[click.Parameter] = []
        with suppress(UsageError):  # said below, with all that click knows
            *_, order = self.make_parser(ctx).parse_args(list(args))
        for param, times in Counter(p for p in order if isinstance(p, click.Option)).items():
            if times > 1 and not (param.multiple or param.is_flag or param.count):
                ctx.fail(f"{param.opts[0]} is given {times} times, expected once.")
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run it, if what it writes is no input."""
        read = [path for name in _texts(ctx, InputPath) for path in _matching(name)]
        for path in _texts(ctx, OutputPath):
            if os.path.isfile(path) and any(os.path.samefile(path, other) for other in read):
                raise InputError(f"{path} is one of the files to read: name another to write")
        try:
            return super().invoke(ctx)
        except EvenhandError as error:
            raise click.ClickException(error.message(spelled)) from error


def _help_all(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if value:
        ctx.meta[HELP_ALL] = True
        click.echo(ctx.get_help(), color=ctx.color)
        ctx.exit()


def spelled(option: errors.Option | errors.Command) -> str:
    """An option as the command at hand has it, ``--missing wrong``, or the complete command."""
    context = click.get_current_context(silent=True)
    if isinstance(option, errors.Command):
        verb = option.verb or (context.info_name if context else "")
        arguments = list(context.meta.get(ARGUMENTS, ()) if context else ())
        if option.first and set(option.first) <= set(arguments):
            arguments.remove(option.first[0])
            arguments.insert(arguments.index(option.first[1]), option.first[0])
        options = dict.fromkeys(map(spelled, option.options))
        line = shlex.join(arguments)
        further = [words for words in options if f" {words} " not in f"{line} "]
        return " ".join(["evenhand", str(verb), line, *further])
    known = {p.name: p for p in context.command.params} if context else {}
    param, value = known.get(option.name), option.value and shlex.quote(str(option.value))
    if not isinstance(param, click.Option):
        return f"--{option.name.replace('_', '-')} {value}".rstrip()
    value = value or ("" if param.is_flag else param.metavar or "VALUE")
    return f"{param.opts[0]} {value}".rstrip()


def _texts(ctx: click.Context, kind: type) -> Iterator[str]:
    """The values of all parameters of a type, given once or often, alone or several together."""
    values = [ctx.params.get(str(p.name)) for p in ctx.command.params if isinstance(p.type, kind)]
    while values:
        value = values.pop()
        if isinstance(value, str):
            yield value
        else:
            values += value or ()


def _matching(name: str) -> list[str]:
    """The files of that name or pattern, of which one sheet or a system's name may be said."""
    from evenhand.io.delimited import parse_name, split_sheet

    if any(mark in name for mark in "#="):
        name = split_sheet(parse_name(name).name)[0]
    return [path for path in (name, *glob(name, recursive=True)) if os.path.isfile(path)]


# Options as records: where the labels are, how they are scored, where results go.


@dataclass(frozen=True)
class SourceOptions(ReadOptions):
    """Where the labels are, and how they are read: files, or a matrix that is counted already."""

    matrix: str | None = None
    rows: str = "true"
    tables: bool = False

    @property
    def name(self) -> str:
        """What a heading calls it: its files, or that of the matrix if it has one."""
        matrix = str(self.matrix)
        return " × ".join(self.files) or (matrix if os.path.isfile(matrix) else "matrix")


class Flags(ValueObject):
    """The values of a command's flags by name, and the record of the verb's options among them."""

    record: type[Options]
    values: Mapping[str, Any]

    def __getattr__(self, name: str) -> Any:
        if name not in self.values:
            raise AttributeError(f"the command has no flag for {name!r}")
        return self.values[name]

    def replace(self, **changes: Any) -> Flags:
        """The flags with other values."""
        return Flags(self.record, {**self.values, **changes})

    @property
    def drawn(self) -> bool:
        """Whether the intervals come from draws of items."""
        return self.values.get("interval") in ("bootstrap", "bca")

    def arguments(self, data: Any, record: type[Options] | None = None) -> dict[str, Any]:
        """The options of the command's verb, or of another, as it takes them with these data."""
        known = (record or self.record).declared()
        chosen = {name: self.values[name] for name in known if name in self.values}
        if "classes" in chosen:
            chosen["classes"] = self.over(data)
        for name in {"metrics", "by_metric"} & chosen.keys():  # by default those of the data
            chosen[name] = chosen[name] if on_command_line(name) else None
        if chosen.get("distance") is not None:
            from evenhand.io.matrices import read_distance

            chosen["distance"] = read_distance(self.distance)
        return chosen

    def over(self, data: Any) -> str | Sequence[Any]:
        """The rule or the list of classes of the data that an average runs over."""
        if data is None or not (self.classes or self.exclude):
            return str(self.average)
        from evenhand.catalogue.binding import for_metrics
        from evenhand.data.labels import positions

        table = for_metrics(data, ())[0].tables()
        if self.classes:
            chosen = [table.labels[i] for i in positions(self.classes, table.labels, "--classes")]
        else:
            mask = table.averaged(self.average).reshape(-1, table.k).any(axis=0)
            chosen = [v for v, m in zip(table.labels, mask, strict=True) if m]
        out = {table.labels[i] for i in positions(self.exclude, table.labels, "--exclude")}
        chosen = [v for v in chosen if v not in out]
        if not chosen:
            raise InputError("--exclude leaves no class to average over")
        return chosen


class OutputOptions(ValueObject):
    """Where a result goes and how it is written, and whether it is drawn too."""

    style: str
    path: str | None
    digits: int | None
    percent: bool = False
    plot: str | None = None
    paper: str | None = None
    chart: str = ""
    layout: str = "full"
    title: str | None = None
    latex_label: str | None = None
    footnote: bool = False

    def __post_init__(self) -> None:
        """Refuse a file that cannot be a chart before any work is done."""
        if self.plot is not None:
            from evenhand.charts.chart import ending_of, require

            if ending_of(self.plot, self.paper) != ".json":
                require()


# Options that several commands share, gathered into these records.

Function: TypeAlias = Callable[..., Any]
Option: TypeAlias = Callable[[Function], Function]

FORMATS = ("table", "json", "csv", "markdown", "latex", "html")


def together(*options: Option) -> Option:
    """Several options as one decorator, listed in the help in this order."""

    def decorate(function: Function) -> Function:
        return reduce(lambda inner, option: option(inner), reversed(options), function)

    return decorate


class GroupedOption(click.Option):
    """An option with the group in which help lists it: what is read, unless it says otherwise."""

    def __init__(self, *arguments: Any, group: Group = "Input", **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self.group = group


def option(flags: str, help: str, metavar: str | None = None, **settings: Any) -> Option:
    """An option by its flags and the name of its value, which spaces separate."""
    default = settings.get("default")
    is_shown = default is not None and not isinstance(default, bool) and not callable(default)
    settings["show_default"] = is_shown
    return click.option(*flags.split(), help=help, metavar=metavar, cls=GroupedOption, **settings)


def command(
    record: type[Options] = Options, *, usual: str = "", name: str | None = None
) -> Callable[[Function], click.Command]:
    """A command: its function is given its flags and, if it has such parameters, what they say of
    the data (``source``) and of where the result goes (``output``). ``usual`` are the options that
    its short help has.
    """

    def decorate(function: Function) -> click.Command:
        records = {"source": SourceOptions, "output": OutputOptions}
        own = [name for name in records if name in inspect.signature(function).parameters]

        @wraps(function)
        def run(**values: Any) -> Any:
            arguments: dict[str, Any] = {}
            for name in own:
                names = [f.name for f in fields(records[name]) if f.name in values]
                arguments[name] = records[name](**{n: values.pop(n) for n in names})
            if "source" in arguments and "positive" in values:
                positive = values["positive"]
                arguments["source"] = replace(arguments["source"], positive_class=positive)
            elif "source" in arguments and arguments["source"].positive_class is not None:
                from evenhand.catalogue.lists import of_class

                positive = arguments["source"].positive_class
                values["metrics"] = [of_class(m, positive) for m in values.get("metrics") or ()]
                if "by_metric" in values:
                    values["by_metric"] = of_class(values["by_metric"], positive)
            return function(**arguments, flags=Flags(record, values))

        return click.command(name, cls=CheckedCommand, usual=usual)(run)

    return decorate


def refuse(wrong: object, message: str) -> None:
    """Refuse options or inputs that do not go together."""
    if wrong:
        raise UsageError(message)


def on_command_line(name: str) -> bool:
    """Whether the command line says it, and not a default."""
    source = click.get_current_context().get_parameter_source(name)
    return source is ParameterSource.COMMANDLINE


def choice(flags: str, among: Sequence[str], help: str, **settings: Any) -> Option:
    """An option that is one of a few words, the first unless given."""
    return option(flags, help, **{"type": WordParam(among), "default": among[0], **settings})


def number(flags: str, default: int, help: str, least: int = 1, **settings: Any) -> Option:
    """An option that is a whole number."""
    return option(flags, help, type=click.IntRange(least), default=default, **settings)


of_metrics, of_output = partial(option, group="Metrics"), partial(option, group="Output")
flag = partial(option, is_flag=True)
file = partial(option, type=FILE, metavar="FILE")
mix = partial(file, metavar="uniform|FILE|A=0.2,B=0.8")
label = partial(option, multiple=True, metavar="LABEL")
column = partial(option, type=COLUMN, metavar="COL")
written = partial(of_output, type=OutputPath(), metavar="FILE")
files = partial(click.argument, "files", type=FILE, nargs=-1)
"""By what they are: a yes, a file to read, a class mix, labels, a column, a file to write, and the
files of a command."""


def by_ending(known: Mapping[str, str], path: str | None, otherwise: str) -> str:
    """The format that a file's ending asks for, which must be one that is written."""
    ending = Path(path or "").suffix.lower()
    words = f"{path} must end in one of {', '.join(known)}, or say what it is with --format."
    refuse(ending and ending not in known, words)
    return known.get(ending, otherwise)


def _style() -> str:
    from evenhand.results.result import ENDINGS

    context = click.get_current_context()
    path = context.params.get("path")
    if context.info_name == "papers" and (path or "").endswith((".svg", ".png", ".pdf")):
        return "table"  # a figure is drawn there
    return by_ending(ENDINGS, path, "table")


plot = together(
    written("--plot", "Also draw it: .svg, .png, .pdf, .html, .json (needs evenhand[plot])."),
    of_output(
        "--width paper", "Draw for a paper: column, page or such as 3.3in; type of 8 pt.", "WIDTH"
    ),
)


def number_pair(text: str | None) -> tuple[float, float] | None:
    """Two numbers, the lower one first."""
    if text is None:
        return None
    try:
        low, high = map(float, text.split(","))
    except ValueError:
        low = high = 0.0
    if not low < high < math.inf:
        raise click.BadParameter(f"expected two numbers such as 1,5, got {text!r}.")
    return low, high


def label_list(text: str | None) -> tuple[str, ...] | None:
    """Labels of one option: separated by commas, quoted where they hold one."""
    if text is None:
        return None
    try:
        fields = next(csv.reader([text], skipinitialspace=True, strict=True))
    except csv.Error as e:
        raise UsageError(f"Expected labels separated by commas, got {text!r}: {e}.") from None
    return tuple(v.strip() for v in fields)


def pairs(ctx: click.Context, param: click.Parameter, texts: Sequence[str]) -> dict[str, str]:
    """The values of an option NAME=VALUE by name; of NAME=VALUE,… each text has several."""
    several = str(param.metavar).endswith(",…")
    values: dict[str, str] = {}
    for part in (p for text in texts for p in (label_list(text) or () if several else [text])):
        name, _, value = (x.strip() for x in part.rpartition("="))
        refuse(not name or not value, f"{param.opts[0]} takes {param.metavar}, got {part!r}.")
        refuse(name in values, f"{param.opts[0]} gives {name!r} twice.")
        values[name] = value
    return values


by_name = partial(label, callback=pairs)
printed = together(
    of_output("--percent", "Scores in percent, e.g. 83.43; JSON and CSV never.", is_flag=True),
    choice("--layout", ("full", "paper"), "Everything, or the tables of a paper.", group="Output"),
    of_output("--title", "Title of the result, and caption in LaTeX.", "TEXT"),
    of_output("--latex-label", "Label of the table in LaTeX, e.g. tab:main.", "NAME"),
)
footnote = of_output("--footnote", "Only the footnote of a paper: which score it is.", is_flag=True)


def output(*charts: str) -> Option:
    """Where a result goes; with charts, --plot and which of them it draws."""
    drawing = [plot, choice("--chart", charts or [""], "What --plot draws.", group="Output")]
    kinds: dict[str, Any] = {"type": WordParam(FORMATS), "default": _style}
    unless = "[default: as the ending of --output says, else table]"
    digits = {"type": click.IntRange(0, 17)}
    return together(
        *drawing[: 2 * bool(charts)],
        of_output("--format style", f"How to write the result  {unless}", **kinds),
        written("--output -o path", "Write to FILE, not to the screen."),
        of_output("--digits", DIGITS, "N", **digits),
    )


DIGITS = "Decimals of a score (4, in percent 2); JSON and CSV have all."
AVERAGE = ("average", "classes", "exclude")
"""The flags of the option ``classes``."""


def declared(record: type[Options], *names: str) -> Option:
    """The flags of a record's options, or of some of them."""
    known, defaults = record.declared(), {f.name: f.default for f in fields(record)}
    flags = [n for n in names or known if known[n].help]
    return together(*(_flag(n, known[n], defaults[n]) for n in flags))


def _flag_name(option: str) -> str:
    return f"--{option.replace('_', '-')}"


def _flag(name: str, declaration: Declaration, default: Any) -> Option:
    """The flag of an option, or the three of the classes of an average."""
    kind, help = declaration.kind, declaration.help_with(_flag_name)
    default = default if declaration.usual is None else declaration.usual
    flags = f"{_flag_name(name)} {name}"
    settings: dict[str, Any] = {"metavar": declaration.metavar, "group": declaration.group}
    match kind:
        case ClassRule():
            of_labels = partial(label, group="Metrics")
            return together(
                choice("--average", kind.words, help, group="Metrics"),
                of_labels("--classes", "Average over these classes only (repeatable)."),
                of_labels("--exclude", "Leave this class out of the averages (repeatable)."),
            )
        case MetricNames() if name == "metrics":
            flags = f"--metric {name}"
            settings |= {"multiple": True, "metavar": "METRIC"}
            default = default and [default]
        case YesNo():
            settings["is_flag"] = True
            if kind.no:
                flags = f"--{kind.no} {name}" if default else flags.replace(" ", f"/--{kind.no} ")
            settings |= {"flag_value": False} if default else {}
            if default is False:
                default = None
        case Number():
            size = MarginParam if isinstance(kind, Margin) else SizeParam
            number_type = size if kind.size else click.FloatRange
            high = None if kind.high == inf or kind.size else kind.high
            settings["type"] = number_type(kind.low, high, not kind.with_low, high is not None)
            settings |= {
                "metavar": declaration.metavar or "NUMBER",
                "multiple": size is MarginParam,
            }
        case WholeNumber():
            settings |= {"type": click.IntRange(kind.low), "metavar": declaration.metavar or "N"}
        case Choice():
            settings["type"] = WordParam([*kind.words, *["none"] * kind.none])
            settings["callback"] = lambda *a: None if a[-1] == "none" else a[-1]
        case ZeroDivision():
            settings["type"], default = WordParam(kind.words), str(default)
        case Words():
            settings |= {"type": WordParam([*kind.words, "all"]), "multiple": True}
            default = [default]
        case SystemName():
            settings |= {"type": NamedParam("system"), "metavar": "NAME"}
        case ClassDistance():
            settings["type"] = FILE
    if default is MISSING:
        settings["required"] = True
    elif default is not None:
        settings["default"] = default
    return option(flags, help, **settings)

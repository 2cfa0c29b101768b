"""Options of commands: their types, the records they fill, and checks before a command runs."""

from __future__ import annotations

import inspect
import os
import shlex
import stat
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import MISSING, dataclass, field, fields, replace
from functools import partial, wraps
from glob import escape, glob, has_magic
from math import inf
from pathlib import Path
from typing import Any, TypeAlias, get_args

import click
from click.core import ParameterSource

from evenhand import errors
from evenhand.catalogue.signature import OF_THE_SYSTEM, ClassesText, IntervalField, Signature
from evenhand.errors import EvenhandError, InputError
from evenhand.io.columns import ReadOptions
from evenhand.options import (
    METHODS,
    TRANSFORMS,
    Choice,
    ClassDistance,
    ClassRule,
    Declaration,
    Group,
    MetricNames,
    Number,
    Options,
    SystemName,
    Whole,
    Words,
    YesNo,
    ZeroDivision,
)
from evenhand.warnings import ClassesByHash, ClustersWanted, NotRepeated, OtherData, ResultWarning

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


class InputPath(NamedParam):
    """A file to read, a pattern or a folder of such; or text that stands for itself."""

    def files(self, name: str) -> list[str | int]:
        """The files behind a name, as paths or, for standard input, its number."""
        from evenhand.io.delimited import parse_name, split_part

        if name == "-":
            return [0]
        name = split_part(parse_name(name).name)[0] if any(c in name for c in "#=") else name
        if os.path.isdir(name):
            return [*glob(os.path.join(escape(name), "**", "*.parquet"), recursive=True)]
        if has_magic(name) and not os.path.exists(name):
            return [*glob(name, recursive=True)]
        return [name]


class FunctionParam(InputPath):
    """A module beside us whose function is meant, ``module:function``; else no file."""

    def files(self, name: str) -> list[str | int]:
        """The module's file."""
        module, colon, _ = name.partition(":")
        return [module.replace(".", os.sep) + ".py"] if colon else []


class OutputPath(click.ParamType):  # type: ignore[type-arg]
    """A file to write."""

    name = "file"

    def files(self, name: str) -> list[str]:
        """What is written."""
        return [] if name in ("", "-") else [name]


COLUMN, FILE = NamedParam("column"), InputPath("file")


class CheckedCommand(click.Command):
    """A command that refuses to write over its inputs, and an option that is given twice.

    ``--help`` has the ``usual`` options and three examples, ``--help-all`` everything.
    """

    def __init__(self, *arguments: Any, usual: str = "", **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self.usual = {f"--{name}" for name in usual.split()}
        every = "Show all options, and more examples."
        self.params.append(
            click.Option(
                ["--help-all"],
                is_flag=True,
                is_eager=True,
                expose_value=False,
                callback=self._help_all,
                help=every,
            )
        )

    def _help_all(self, ctx: click.Context, param: click.Parameter, value: bool) -> None:
        if value:
            ctx.meta[HELP_ALL] = True
            click.echo(ctx.get_help(), color=ctx.color)
            ctx.exit()

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
            record = param.get_help_record(ctx)
            if record and HELP_ALL in ctx.meta:
                rows.setdefault(group_of(param), []).append(record)
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
        with suppress(click.UsageError):  # said below, with all that click knows
            *_, order = self.make_parser(ctx).parse_args(list(args))
        for param, times in Counter(p for p in order if isinstance(p, click.Option)).items():
            if times > 1 and not (param.multiple or param.is_flag or param.count):
                ctx.fail(f"{param.opts[0]} is given {times} times, expected once.")
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run it, if what it writes is no input and goes to different files."""
        read = {
            _identity(name)
            for param, text in _values_of_type(ctx, InputPath)
            for name in param.type.files(text)  # type: ignore[attr-defined]
        } - {None}
        written: dict[str, str] = {}
        for param, text in _values_of_type(ctx, OutputPath):
            option = param.opts[0]
            for path in param.type.files(text):  # type: ignore[attr-defined]
                if _identity(path) in read:
                    raise InputError(f"{path} is one of the files to read: name another {option}")
                other = written.setdefault(os.path.realpath(path), option)
                if other != option:
                    raise InputError(f"{path} cannot be both {other} and {option}")
        try:
            return super().invoke(ctx)
        except EvenhandError as error:
            raise click.ClickException(error.message(spelled)) from error


def spelled(option: errors.Option | errors.Command) -> str:
    """An option as the command at hand has it, ``--missing wrong``, or the complete command."""
    context = click.get_current_context(silent=True)
    if isinstance(option, errors.Command):
        verb = option.verb or (context.info_name if context else "")
        arguments = list(context.meta.get(ARGUMENTS, ()) if context else ())
        if option.first and set(option.first) <= set(arguments):
            arguments.remove(option.first[0])
            arguments.insert(arguments.index(option.first[1]), option.first[0])
        options = map(spelled, option.options)
        return " ".join(["evenhand", str(verb), shlex.join(arguments), *options])
    known = {p.name: p for p in context.command.params} if context else {}
    param, value = known.get(option.name), option.value and shlex.quote(option.value)
    if not isinstance(param, click.Option):
        return f"--{option.name.replace('_', '-')} {value}".rstrip()
    value = value or ("" if param.is_flag else param.metavar or "VALUE")
    return f"{param.opts[0]} {value}".rstrip()


def _values_of_type(ctx: click.Context, kind: type) -> Iterator[tuple[click.Parameter, str]]:
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


def _identity(name: str | int) -> tuple[int, int] | None:
    """The device and number of a file, which all its names share; ``None`` for no file."""
    try:
        status = os.stat(sys.stdin.fileno() if name == 0 else name)
    except (OSError, ValueError, AttributeError):  # nothing there, or nothing that could be
        return None
    return (status.st_dev, status.st_ino) if stat.S_ISREG(status.st_mode) else None


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


@dataclass(frozen=True)
class Flags:
    """The values of a command's flags by name, and the record of the verb's options among them.

    ``rule`` stands for what a signature says in place of --average, --classes and --exclude.
    """

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
        if "metrics" in chosen:
            chosen["metrics"] = self.metrics or None
        if chosen.get("distance") is not None:
            from evenhand.io.matrices import read_distance

            chosen["distance"] = read_distance(self.distance)
        return chosen

    def over(self, data: Any) -> str | Sequence[Any]:
        """The rule or the list of classes of the data that an average runs over."""
        rule: str | Sequence[Any] = self.values.get("rule") or self.average
        if self.values.get("rule") or data is None or not (self.classes or self.exclude):
            return rule
        from evenhand.catalogue.binding import for_metrics
        from evenhand.data.labels import positions

        table = for_metrics(data, ())[0].tables()
        if self.classes:
            chosen = [table.labels[i] for i in positions(self.classes, table.labels, "--classes")]
        else:
            mask = table.averaged(rule).reshape(-1, table.k).any(axis=0)
            chosen = [v for v, m in zip(table.labels, mask, strict=True) if m]
        out = {table.labels[i] for i in positions(self.exclude, table.labels, "--exclude")}
        chosen = [v for v in chosen if v not in out]
        if not chosen:
            raise InputError("--exclude leaves no class to average over")
        return chosen


@dataclass(frozen=True)
class OutputOptions:
    """Where a result goes and how it is written, and whether it is drawn too."""

    style: str
    path: str | None
    digits: int
    percent: bool = False
    plot: str | None = None
    chart: str = ""
    layout: str = "full"
    called: Mapping[str, str] = field(default_factory=dict)
    footnote: bool = False

    def __post_init__(self) -> None:
        """Refuse a file that cannot be a chart before any work is done."""
        if self.plot is not None:
            from evenhand.charts.chart import ending_of, require

            if ending_of(self.plot) != ".json":
                require()


# Options that several commands share, gathered into these records.

Function: TypeAlias = Callable[..., Any]
Option: TypeAlias = Callable[[Function], Function]

FORMATS = ("table", "json", "csv", "markdown", "latex", "html")


def together(*options: Option, group: Group | None = None) -> Option:
    """Several options as one decorator, listed in the help in this order, in a group of it."""

    def decorate(function: Function) -> Function:
        before = len(getattr(function, "__click_params__", ()))
        for option in reversed(options):
            function = option(function)
        for param in function.__click_params__[before:]:  # type: ignore[attr-defined]
            vars(param).setdefault("group", group)
        return function

    return decorate


def group_of(param: click.Parameter) -> str:
    """The group in which help lists an option: one of its command alone says what is read."""
    help_itself = "--help" in param.opts or "--help-all" in param.opts
    return "Help" if help_itself else getattr(param, "group", None) or "Input"


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
            return function(**arguments, flags=Flags(record, values))

        return click.command(name, cls=CheckedCommand, usual=usual)(run)

    return decorate


def on_command_line(name: str) -> bool:
    """Whether the command line says it, and not a default."""
    source = click.get_current_context().get_parameter_source(name)
    return source is ParameterSource.COMMANDLINE


flag = partial(click.option, is_flag=True)
file = partial(click.option, type=FILE, metavar="FILE")
mix = partial(file, metavar="uniform|FILE|A=0.2,B=0.8")
label = partial(click.option, multiple=True, metavar="LABEL")
column = partial(click.option, type=COLUMN, metavar="COL")
written = partial(click.option, "--output", "-o", type=OutputPath(), metavar="FILE")
files = partial(click.argument, "files", type=FILE, nargs=-1)
"""By what they are: a yes, a file to read, a class mix, labels, a column, a file to write, and the
files of a command."""


def choice(*flags: str, among: Sequence[str], help: str) -> Option:
    """An option that is one of a few words, the first unless given."""
    choices = click.Choice(among)
    return click.option(*flags, type=choices, default=among[0], show_default=True, help=help)


def number(
    flag: str, default: int, help: str, *, least: int = 1, metavar: str | None = None
) -> Option:
    """An option that is a whole number."""
    kind = click.IntRange(least)
    return click.option(
        flag, type=kind, default=default, show_default=True, metavar=metavar, help=help
    )


def by_ending(known: Mapping[str, str], path: str | None, otherwise: str) -> str:
    """The format that a file's ending asks for, which must be one that is written."""
    ending = Path(path or "").suffix.lower()
    if ending and ending not in known:
        raise click.UsageError(
            f"{path} must end in one of {', '.join(known)}, or say what it is with --format."
        )
    return known.get(ending, otherwise)


def _style() -> str:
    from evenhand.results.result import ENDINGS

    context = click.get_current_context()
    path = context.params.get("path")
    if context.info_name == "papers" and (path or "").endswith((".svg", ".png", ".pdf")):
        return "table"  # a figure is drawn there
    return by_ending(ENDINGS, path, "table")


plot = together(
    click.option(
        "--plot",
        type=OutputPath(),
        metavar="FILE",
        help="Also draw it: FILE ends in .svg, .png, .pdf, .html or .json (needs evenhand[plot]).",
    ),
    group="Output",
)


def pairs(ctx: click.Context, param: click.Parameter, texts: Sequence[str]) -> dict[str, str]:
    """The values of an option NAME=VALUE by name."""
    values: dict[str, str] = {}
    for text in texts:
        name, _, value = text.rpartition("=")
        if not name or not value:
            raise click.UsageError(f"Expected {param.opts[0]} {param.metavar}, got {text!r}.")
        if name in values:
            raise click.UsageError(f"{param.opts[0]} gives {name!r} twice.")
        values[name] = value
    return values


def _by_metric(*arguments: Any) -> dict[str, str]:
    """The values of an option METRIC=VALUE, whatever the spelling of the metric."""
    names = pairs(*arguments)
    if not names:
        return names
    from evenhand.catalogue.spelling import Spec

    return {str(Spec.parse(metric)): name for metric, name in names.items()}


printed = together(
    flag("--percent", help="Scores in percent, e.g. 83.43; JSON and CSV never."),
    choice(
        "--layout",
        among=("full", "paper"),
        help="Everything there is to say, or the tables that a paper has, metrics by title.",
    ),
    click.option(
        "--name",
        "called",
        multiple=True,
        metavar="METRIC=TEXT",
        callback=_by_metric,
        help="Call a metric so in tables, e.g. macro_f1='F$_1$' for LaTeX (repeatable).",
    ),
    group="Output",
)
footnote = together(
    flag("--footnote", help="Only the sentence for a footnote: which score this is, in --format."),
    group="Output",
)


def output(*charts: str) -> Option:
    """Where a result goes; with charts, --plot and which of them it draws."""
    drawing = (plot, choice("--chart", among=charts, help="What --plot draws.")) if charts else ()
    return together(
        *drawing,
        click.option(
            "--format",
            "style",
            type=click.Choice(FORMATS),
            default=_style,
            help="How to write the result  [default: as the ending of --output says, else table]",
        ),
        written("path", help="Write to FILE, not to the screen."),
        click.option(
            "--digits",
            type=click.IntRange(0, 17),
            metavar="N",
            default=4,
            show_default=True,
            help="Decimals of a score; JSON and CSV always have all.",
        ),
        group="Output",
    )


AVERAGE = ("average", "classes", "exclude")
"""The flags of the option ``classes``."""


class _AsFlags(dict[str, str]):
    """Options that a help text names, as flags."""

    def __missing__(self, name: str) -> str:
        return f"--{name.replace('_', '-')}"


def declared(record: type[Options], *names: str) -> Option:
    """The flags of a record's options, or of some of them."""
    known, defaults = record.declared(), {f.name: f.default for f in fields(record)}
    flags = [n for n in names or known if known[n].help]
    return together(
        *(together(_flag(n, known[n], defaults[n]), group=known[n].group) for n in flags)
    )


def _flag(name: str, declaration: Declaration, default: Any) -> Option:
    """The flag of an option, or the three of the classes of an average."""
    kind, help = declaration.kind, declaration.help.format_map(_AsFlags())
    default = default if declaration.usual is None else declaration.usual
    flags = [f"--{name.replace('_', '-')}", name]
    settings: dict[str, Any] = {"metavar": declaration.metavar}
    match kind:
        case ClassRule():
            return together(
                choice("--average", among=("task", "true", "seen"), help=help),
                label("--classes", help="Average over these classes only (repeatable)."),
                label("--exclude", help="Leave this class out of the averages (repeatable)."),
            )
        case MetricNames() if name == "metrics":
            flags, settings = ["--metric", name], {"multiple": True, "metavar": "SPEC"}
            default = default and [default]
        case YesNo():
            settings = {"is_flag": True}
            default = None
        case Number(size=True):
            settings = {"type": SizeParam(kind.low, min_open=not kind.with_low)}
            settings["metavar"] = "NUMBER"
        case Number():
            high = None if kind.high == inf else kind.high
            settings["type"] = click.FloatRange(kind.low, high, not kind.with_low, high is not None)
        case Whole():
            settings["type"] = click.IntRange(kind.low)
        case Choice():
            settings["type"] = click.Choice([*kind.words, *["none"] * kind.none])
            settings["callback"] = lambda *a: None if a[-1] == "none" else a[-1]
        case ZeroDivision():
            settings["type"], default = click.Choice(kind.words), str(default)
        case Words():
            settings |= {"type": click.Choice([*kind.words, "all"]), "multiple": True}
            default = [default]
        case SystemName():
            settings = {"type": NamedParam("system"), "metavar": "NAME"}
        case ClassDistance():
            settings["type"] = FILE
    if default is MISSING:
        settings["required"] = True
    elif default is not None:
        settings |= {"default": default, "show_default": True}
    return click.option(*flags, help=help, **settings)


# ``--like SIGNATURE``: the settings of another score.


def repeated(signature: Signature, flags: Flags) -> Flags:
    """The settings that a signature names; an option that says the same thing is one too many."""
    stated = dict(signature.items())
    for name, declaration in flags.record.declared().items():
        for own in AVERAGE if name == "classes" else (name,):
            if declaration.signed in stated and on_command_line(own):
                option = "metric" if name == "metrics" else own
                raise click.UsageError(f"--like says what --{option} says: leave one out.")
    rule: Any = None
    if signature.classes:
        classes = ClassesText.parse(signature.classes)
        rules = {"true": "true", "seen": "seen", "given": "task", "listed": classes.labels}
        if classes.rule not in rules:
            raise InputError(
                f"classes of a signature are true, seen, given or listed, got {signature.classes!r}"
            )
        rule = rules[classes.rule]
    return flags.replace(
        **_stated_interval(signature.interval),
        metrics=(signature.metric,) if signature.metric else flags.metrics,
        rule=rule,
        undefined=signature.undefined or flags.undefined,
    )


def _stated_interval(text: str) -> dict[str, Any]:
    """The options that make such an interval; none where it says nothing that can be repeated."""
    if text == "none":
        return {"interval": None}
    field = IntervalField.parse(text)
    if field is None:
        return {}
    method, scale = field.method, field.scale
    if scale == "cut" or method in ("jackknife", "smoothed", "mover"):
        method, scale = "auto", None  # which knows where they belong
    if method not in METHODS or scale not in (None, *TRANSFORMS):
        return {}
    drawn = {} if field.drawn is None else vars(field.drawn)
    own = {"interval": method, "level": field.level, "transform": scale}
    return {**own, "stratify": field.stratified, **drawn}


def _but_for_clusters(expected: str, actual: str) -> bool:
    """Whether only the wanted interval is one by clusters, and nothing else sets two apart."""
    one, other = IntervalField.parse(expected), IntervalField.parse(actual)
    if one is None or other is None or not one.clusters:
        return False
    method = "jackknife" if one.method == "smoothed" else one.method  # as items alone have it
    return replace(one, clusters=False, method=method) == other


def unrepeated(signature: Signature, flags: Flags, scores: Any) -> list[ResultWarning]:
    """What the new score does not share with the signature."""
    actual = scores.signature
    if signature.metric:
        actual = next(iter(scores.metrics.values())).signature
    stated = {name for name, value in signature.items() if value}
    unlike = {name: both for name, both in signature.differences(actual).items() if name in stated}
    notes: list[ResultWarning] = []
    if "interval" in unlike and _but_for_clusters(*unlike["interval"]):
        del unlike["interval"]
        notes.append(ClustersWanted())
    settings = [(k, *v) for k, v in unlike.items() if k not in OF_THE_SYSTEM and k != "n"]
    if settings:
        notes.append(NotRepeated(tuple(settings)))
    if flags.rule is None and signature.classes:
        notes.append(ClassesByHash())
    data = [(k, *v) for k, v in unlike.items() if k in OF_THE_SYSTEM or k == "n"]
    if data:
        notes.append(OtherData(tuple(data)))
    return notes

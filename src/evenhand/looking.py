"""Looking: what a file is, before anything is counted."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Any

from evenhand.data.roles import (
    CLUSTER,
    ID,
    PRED,
    ROLES,
    TRUE,
    WEIGHT,
    ColumnProfile,
    as_run,
    infer,
    names_predictions,
    repeated_items,
)
from evenhand.errors import InputError, Option
from evenhand.io.delimited import USUAL, InputFile, TextLayout, parse_name
from evenhand.io.items import explained
from evenhand.io.logs import log_files, log_format
from evenhand.io.scratch import Scratch
from evenhand.io.sources import (
    KINDS,
    MAGIC_KINDS,
    Source,
    height,
    is_archive,
    is_stream,
    opened,
    spooled,
    unpacked,
)
from evenhand.options import LayoutOptions, file_name, instance, with_options
from evenhand.results.document import Block, Code, Content, FactList, Paragraph, Table
from evenhand.results.result import Collection, Result
from evenhand.text import Cell, Grid, counted, listed
from evenhand.warnings import EncodingGuessed, RolesUnsure, TruthOrPredictions

GRADES = re.compile(r"(.*[ _.-])?(scores?|grades?|rewards?|correct)")
"""Names of columns that grade answers."""


def _is_grade(column: ColumnProfile) -> bool:
    with suppress(ValueError):
        return all(0 <= float(x) <= 1 for x in column.values or column.examples)
    return False


class Look(Result):
    """What a file is: its kind, encoding, rows and columns, and the options that read it.

    ``command`` is what to run next, where there is a command line to run it.

    >>> print(Look("gold.txt", "text, one label per line", "utf-8", 2).content().title)
    gold.txt
    """

    file: str
    kind: str
    encoding: str = ""
    rows: int | None = None
    columns: tuple[ColumnProfile, ...] = ()
    members: tuple[str, ...] = ()
    layout: TextLayout = USUAL
    command: str = ""

    json_fields = """file kind encoding rows columns members command header
    delimiter=layout.delimiter"""

    @property
    def header(self) -> bool:
        """Whether the first line names the columns, as far as is known."""
        return self.layout.header is not False

    def of(self, role: str) -> list[str]:
        """The columns that look like that: ``truth``, ``predictions``, ``ids``, ``systems``, …"""
        instance(role, str, "role", "text")
        return [c.name for c in self.columns if c.role == role]

    def _options(self, name: str, role: str, most: int | None = None) -> list[Option]:
        """The option that names the columns of a role, by number where two have one name."""
        return [Option(name, self.by_number.get(c, c)) for c in self.of(role)[:most]]

    @property
    def by_number(self) -> dict[str, str]:
        """The numbers of columns whose name another has too."""
        stems = [c.name.split("_duplicated_")[0] for c in self.columns]
        numbers = enumerate(stems)
        return {self.columns[i].name: str(i + 1) for i, s in numbers if stems.count(s) > 1}

    @property
    def grades(self) -> list[str]:
        """The columns of grades from 0 to 1, where no column is truth or predictions."""
        if self.of(TRUE) or self.of(PRED):
            return []
        return [c.name for c in self.columns if GRADES.fullmatch(c.name.lower()) and _is_grade(c)]

    @property
    def options(self) -> list[Option]:
        """What has to be said to read it, where it holds all that is scored."""
        if self.of(TRUE) and self.of(PRED):
            options = [*self._options("true", TRUE), *self._options("pred", PRED)]
            labels = next(c.values for c in self.columns if c.role == TRUE)
            usual = self._options("cluster", CLUSTER, 1)
        elif self.grades:
            options, labels = [Option("score", self.grades[0])], None
            usual = self._options("id", ID, 1)
        else:  # the others are in another file
            return []
        rest = [c for c in self.columns if c.role not in (TRUE, PRED)]
        repeated = repeated_items(rest, labels or frozenset(), clustered=False)
        options += repeated.options if repeated else usual
        options += self._options("weights", WEIGHT) + [Option("no_header")] * (not self.header)
        layout = (("delimiter", self.layout.delimiter), ("encoding", self.layout.encoding))
        return options + [Option(name, value) for name, value in layout if value]

    def content(self) -> Content:
        """What it is, its columns a row each, and what to run next."""
        size = "" if self.rows is None else f", {counted(self.rows, 'row')}"
        facts = [("format", self.kind), ("encoding", self.encoding)]
        facts += [("header", "no")] * (not self.header) + [
            ("files", listed(self.members) * bool(self.members))
        ]
        looks = [f"{role}: {listed(names)}" for role in ROLES if (names := self.of(role))]
        blocks: list[Block] = [
            Paragraph(f"{self.kind}{size}{'; ' if looks else ''}{'; '.join(looks)}", "verdict"),
            FactList([(name, text) for name, text in facts if text]),
        ]
        title = f"Columns of {self.members[0]}" if self.members else "Columns"
        blocks += [Table(self._data(), title, rows="columns")] if self.columns else []
        blocks += [Paragraph("run next"), Code(self.command)] if self.command else []
        return Content(self.file, blocks, self._data, warnings=self.warning_lines)

    def _data(self) -> Grid:
        heads = ["number", "column", "type", "looks like", "examples", "distinct", "missing"]
        rows: list[list[Cell]] = [
            [c.number, c.name, c.type, c.role, listed(c.examples), c.distinct, c.missing]
            for c in self.columns
        ]
        return Grid(heads, rows)


class Looks(Collection[str, Look], Result):
    """What several files are, and the command for them all, or those to choose from.

    >>> looks = Looks((Look("gold.txt", "text"), Look("run.txt", "text")), ("evenhand score …",))
    >>> looks["run.txt"].kind
    'text'
    """

    files: tuple[Look, ...]
    commands: tuple[str, ...]

    json_fields = "files commands"

    @property
    def parts(self) -> dict[str, Look]:
        """The files by name."""
        return {x.file: x for x in self.files}

    def content(self) -> Content:
        """A row a file, and what to run next."""
        blocks: list[Block] = [Table(self._data(), rows="files", wide=60)]
        what = "run next" if len(self.commands) == 1 else "run one of"
        blocks += [Paragraph(what)] * bool(self.commands) + [*map(Code, self.commands)]
        title, warnings = counted(len(self.files), "file"), self.warning_lines
        return Content(title, blocks, self._data, warnings=warnings)

    def _data(self) -> Grid:
        roles = (TRUE, PRED, ID)
        rows: list[list[Cell]] = [
            [x.file, x.kind, x.rows, *(listed(x.of(r), 2) if x.of(r) else "" for r in roles)]
            for x in self.files
        ]
        return Grid(["file", "format", "rows", *roles], rows)


def looks_of(files: Sequence[Look], commands: Sequence[str]) -> Looks:
    """Several files with the warnings of each."""
    every = dict.fromkeys(note for x in files for note in x.cautions)
    return Looks(tuple(files), tuple(commands), cautions=tuple(every))


@with_options(LayoutOptions)
def look(file: Any, options: LayoutOptions) -> Look:
    """What a file is: format, encoding, columns, which of them look like truth and predictions.

    Text without a header, between other marks or in other encodings is recognised, and ``options``
    are what reads it so.

    >>> import tempfile, evenhand as eh
    >>> with tempfile.NamedTemporaryFile(suffix=".csv") as file:
    ...     _ = file.write(b"gold;system\\na;a\\nb;a\\n")
    ...     file.flush()
    ...     found = eh.look(file.name)
    >>> found.kind, found.of("truth"), found.of("predictions"), found.layout.delimiter
    ('CSV', ['gold'], ['system'], ';')
    """
    name = file_name(file, "file")
    layout = TextLayout(False if options.no_header else None, options.delimiter, options.encoding)
    if os.path.isdir(name) and (logs := dict(log_files(name))):
        formats = ", ".join(dict.fromkeys(logs.values()))
        return Look(name, f"a folder of {counted(len(logs), 'log')} of {formats}")
    log = log_format(name)
    if log is not None:
        return Look(name, f"a log of {log}")
    with Scratch() as scratch:
        inner = unpacked(name, name, scratch) if is_archive(name) else []
        if len(inner) > 1:
            return _archive(name, inner, layout)
        at = spooled(name, scratch.place()) if is_stream(name) else None
        name = "standard input" if name == "-" else name
        with _opened(replace(parse_name(name), path=at), layout) as source:
            return _looked(name, source)


@contextmanager
def _opened(file: InputFile, layout: TextLayout) -> Iterator[Source]:
    """A file with its columns, if it has several."""
    with opened(file, columns=True, layout=layout) as source, explained(source):
        one = source.kind in ("csv", "tsv") and len(source.schema) == 1
        if not one:
            yield source
            return
    with opened(file, layout=layout) as source, explained(source):
        yield source


def _archive(name: str, members: list[InputFile], layout: TextLayout) -> Look:
    """An archive of runs, which are taken to be alike: columns are those of the first."""
    first, about = members[0], Look(name, "an archive", layout=layout)
    with (
        suppress(InputError),  # which will be said when it is read
        _opened(first, layout) as source,
    ):
        runs = as_run(_looked(first.name, source).columns) if source.has_columns else ()
        about = replace(about, columns=tuple(runs), layout=source.layout)
    return replace(about, members=tuple(m.name.removeprefix(f"{name}/") for m in members))


def _looked(name: str, source: Source) -> Look:
    if source.kind == "saved":
        return Look(name, KINDS["saved"].words, layout=source.layout)
    columns: Sequence[ColumnProfile] = source.profiled(source.frame)
    notes = tuple(source.notes)
    if source.has_columns:
        roles = infer(columns)
        columns = roles.columns
        stem = os.path.basename(name).lower()
        is_truth = re.search(r"gold|truth|true|ref|key|test", stem)
        is_run = re.search(r"run|pred|team|sys|submi|output|answer|model", stem)
        if not roles.with_role(TRUE) and any(names_predictions(c.name) for c in columns):
            columns = as_run(columns)
        elif roles.with_role(TRUE) and not roles.with_role(PRED) and not is_truth:
            notes = (*notes, TruthOrPredictions(roles.with_role(TRUE)[0]))
            columns = as_run(columns) if is_run else columns
        elif roles.unsure:
            notes = (*notes, RolesUnsure(roles.unsure))
    guessed = (n.encoding for n in source.notes if isinstance(n, EncodingGuessed))
    return Look(
        name,
        KINDS[source.kind].words,
        "" if source.kind in MAGIC_KINDS else next(guessed, source.layout.encoding or "utf-8"),
        height(source.frame),
        tuple(columns),
        layout=source.layout,
        cautions=notes,
    )

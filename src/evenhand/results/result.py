"""Results: frozen data that say themselves as JSON and as a document."""

from __future__ import annotations

import csv
import io
import json
import re
from abc import ABC, abstractmethod
from collections.abc import (
    Callable,
    Container,
    ItemsView,
    Iterable,
    Iterator,
    KeysView,
    Mapping,
    Sequence,
    ValuesView,
)
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from importlib import import_module
from math import isfinite, isnan
from os import PathLike
from pathlib import Path
from typing import (
    TYPE_CHECKING,
    Any,
    ClassVar,
    Generic,
    Self,
    TypeVar,
    get_args,
)

import numpy as np

from evenhand.catalogue.signature import Signature, metric_fields
from evenhand.catalogue.spelling import Spec, spec_of
from evenhand.data.labels import is_null
from evenhand.errors import InputError, MetricError, UnknownNameError, nearest, quoted, shown
from evenhand.options import file_name, whole_number
from evenhand.records import Interval, Record
from evenhand.results.document import Block, Content, Paragraph, Pictures, Table, leads
from evenhand.results.latex import Layout, in_percent, renamed, spelled, tabled
from evenhand.results.latex import sentence as latex_sentence
from evenhand.text import (
    POOLED,
    Cell,
    Grid,
    ShadedCell,
    aligned,
    cell_text,
    counted,
    csv_cell,
    html_text,
    key_text,
    markdown,
    number,
    visible,
)
from evenhand.warnings import FilesRead, ResultWarning, SamplesOfItems, lines, of_slices

if TYPE_CHECKING:
    from evenhand.data.confusion import Confusion
    from evenhand.data.multilabel import MultiLabel

SCHEMA = 1

_UNSAFE = re.compile("[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")
"""What JSON allows raw and a terminal or an encoder does not take well."""

_PLAIN = frozenset({str, int, bool, type(None)})


def encodable(value: Any) -> Any:
    """``value`` in plain JSON types, arrays as lists."""
    if type(value) in _PLAIN:  # asked first, as a result may hold millions
        return value
    if type(value) is float:
        if isfinite(value):
            return value
        return None if isnan(value) else "inf" if value > 0 else "-inf"
    if isinstance(value, dict):
        return {str(k): encodable(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [encodable(v) for v in value]
    if hasattr(value, "tolist"):
        return encodable(value.tolist())
    if isinstance(value, float):
        return encodable(float(value))
    return value if isinstance(value, str | int) else str(value)


def dumps(value: Any) -> str:
    """One JSON document; what a terminal would obey is escaped, and nothing is lost."""
    import orjson

    plain = encodable(value)
    try:
        text = orjson.dumps(plain, option=orjson.OPT_INDENT_2).decode("utf-8")
    except TypeError:  # an integer beyond 64 bits, or half a character
        text = json.dumps(plain, ensure_ascii=False, indent=2)
    return _UNSAFE.sub(lambda m: f"\\u{ord(m[0]):04x}", text)


# Write: content in any format, by the writer of that format.

WRITERS = {
    "table": "terminal",
    "csv": "result.csv_text",
    "markdown": "markdown",
    "latex": "latex",
    "html": "page",
    "notebook": "page.notebook",
}
"""Each format and the module that writes it, with the function if it is not ``written``."""

ENDINGS = {
    ".json": "json",
    ".csv": "csv",
    ".md": "markdown",
    ".tex": "latex",
    ".html": "html",
    ".txt": "table",
}

DIGITS = range(18)
"""Decimals that a number may be written with, as on the command line."""


def in_format(content: Content, style: str, digits: int = 4, **options: Any) -> str:
    """The content as ``--format`` names it."""
    digits = whole_number(digits, "digits", 0, DIGITS[-1])
    module, _, name = WRITERS[style].partition(".")
    writer = import_module(f"evenhand.results.{module}")
    text: str = getattr(writer, name or "written")(content, digits, **options)
    return text


def alone(sentence: str, style: str) -> str:
    """A sentence alone, as the format writes text; a program gets it as a value."""
    if style == "json":
        return dumps({"footnote": sentence})
    escape = {"markdown": markdown, "html": html_text, "latex": latex_sentence}.get(style, visible)
    return escape(sentence)


def conclusion(content: Content) -> str:
    """What it comes to, in words; nothing where no sentence says so."""
    return next((b.text for b in content.blocks if isinstance(b, Paragraph) and leads(b)), "")


def line(content: Content) -> str:
    """What it is and what it comes to, in a line."""
    return visible("; ".join([content.title, *conclusion(content).splitlines()[:1]]))


def style_of(path: str | PathLike[str]) -> str:
    """The format that a file's ending asks for."""
    name = Path(file_name(path))
    if name.suffix.lower() not in ENDINGS:
        raise InputError(f"a result must end in one of {', '.join(ENDINGS)}, got {name.name!r}")
    return ENDINGS[name.suffix.lower()]


def whole_text(text: str, path: str | PathLike[str]) -> None:
    """The text in a file, whole or not at all."""
    from evenhand.io.scratch import atomic_write

    with atomic_write(path) as part:
        part.write_text(text.rstrip("\n") + "\n", encoding="utf-8")


def csv_text(content: Content, digits: int = 4) -> str:
    """Comma-separated values of every number in all its digits; those not known are empty."""
    grid, out = content.data(), io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(grid.columns)
    safe = cache(csv_cell)  # labels and signatures stand in many rows

    def cell(c: Cell) -> str:
        if c is None or c != c:
            return ""
        return repr(c) if isinstance(c, int | float) else safe(cell_text(c, digits))

    writer.writerows(map(cell, row) for row in grid.rows)
    return out.getvalue().rstrip("\n")


def frame_columns(content: Content) -> dict[str, list[Any]]:
    """The data by column: numbers as floats, unknown ones ``None``; else text."""
    grid = content.data()
    columns: dict[str, list[Any]] = {}
    for j, name in enumerate(grid.columns):
        cells: list[Any] = [row[j] for row in grid.rows]
        text = any(isinstance(x, str) for x in cells)
        columns[name] = cells if text else [None if x is None else float(x) for x in cells]
    return columns


# Reported: a score of a system as a leaderboard elsewhere takes it, whatever result holds it.

ALONE = "system"
"""What one system is called that has no name."""


@dataclass(frozen=True, eq=False)
class ReportedResult:
    """One metric of one system: how sure it is, on how many items, and which score it was.

    ``key`` is the slice, ``note`` what else a reader must know of it.
    """

    metric: str
    sure: Interval
    n: int
    signature: Signature
    level: float | None = None
    system: str = ALONE
    key: Any = None
    note: str = ""

    @property
    def spec(self) -> Spec | None:
        """The metric's spelling; none of a user's own function."""
        return spec_of(self.metric)


def of_metric(settings: Signature, metric: str) -> Signature:
    """The signature of one metric where a result has that of its settings."""
    spec = spec_of(metric)
    if spec is None:
        return replace(settings, metric=metric, formula="own-function")
    return replace(settings, **metric_fields(spec))


# Result: what every result can do, what those that are collections can, and what their parts.

K = TypeVar("K")
V = TypeVar("V")


class Result(Record, ABC, repr=False):
    """Frozen data that can say themselves: as a dictionary, and as content for every format."""

    drawn_by: ClassVar[str] = ""

    cautions: tuple[ResultWarning, ...] = field(default=(), kw_only=True)

    def __init_subclass__(cls, **settings: Any) -> None:
        super().__init_subclass__(repr=False, **settings)

    def to_json_object(self) -> dict[str, Any]:
        """What the JSON holds, but for what every result has there."""
        return self.select(self.json_fields)

    def _slices(self) -> dict[str, Any]:
        """The slices that a result has, each as JSON has it; their warnings are those of all."""
        slices: tuple[Any, ...] = getattr(self, "slices", ())
        each = [{"key": s.key, **s.to_json_object(), **warned(())} for s in slices]
        return {"slices": each} if each else {}

    def with_slices(self, slices: Iterable[Any]) -> Self:
        """The same with the results of slices and the warnings that they have beyond its own."""
        parts = tuple(slices)
        inside = of_slices(self.cautions, [(s.key, s.cautions) for s in parts]) if parts else ()
        return replace(self, slices=parts, cautions=(*self.cautions, *inside))  # type: ignore[call-arg]

    def _portions(self) -> list[tuple[str, Self]]:
        """The slices and then the whole, each with its name."""
        slices: tuple[Any, ...] = getattr(self, "slices", ())
        return [*((key_text(s.key), s) for s in slices), (POOLED, self)]

    def _in_slices(self, head: Sequence[str], rows: Callable[[Any], Iterable[list[Cell]]]) -> Grid:
        """The rows of the whole, or of every slice and the whole, each behind its name."""
        portions = self._portions()
        sliced = len(portions) > 1
        cells = [[*[name] * sliced, *row] for name, part in portions for row in rows(part)]
        return Grid(["slice"] * sliced + list(head), cells)

    def items_text(self, n: int) -> str:
        """So many items; of several samples each, how many of both."""
        note = self.samples_note
        samples = "" if note is None else f", {counted(note.samples, 'sample')}"
        return counted(n if note is None else note.items, "item") + samples

    @property
    def samples_note(self) -> SamplesOfItems | None:
        """How many items and samples there are, if items have several."""
        return next((c for c in self.cautions if isinstance(c, SamplesOfItems)), None)

    def _samples_each(self, n: int) -> float:
        """The samples of an item, where there are ``n`` answers; 1 without several samples."""
        note = self.samples_note
        return 1.0 if note is None else n / note.items

    @property
    def unit(self) -> str:
        """What the rows of slices are counted in."""
        return "items" if self.samples_note is None else "samples"

    @property
    def picture(self) -> Pictures:
        """Its chart, by the function that ``drawn_by`` names; made when it is drawn."""
        module, _, name = self.drawn_by.rpartition(".")
        return Pictures([lambda: getattr(import_module(f"evenhand.{module}"), name)(self)])

    def described(
        self, title: str, blocks: Sequence[Block], data: Callable[[], Grid], **more: Any
    ) -> Content:
        """Content with its signature and its warnings."""
        signature = str(getattr(self, "signature", ""))
        if "warnings" not in more:
            more["warnings"] = self.warning_lines
        return Content(title, blocks, data, signature, **more)

    @abstractmethod
    def content(self) -> Content:
        """Words, tables and charts in order of importance."""

    def reported(self) -> Iterable[ReportedResult]:
        """The scores of systems that it holds, as leaderboards elsewhere take them."""
        return ()

    @property
    def verdict(self) -> str | tuple[str, ...]:
        """What it comes to: the sentences that it begins with, or what it is if it has none."""
        content = self.content()
        return conclusion(content) or content.title

    @cached_property
    def warnings(self) -> tuple[str, ...]:
        """What a reader must know, a sentence each."""
        return tuple(note.sentence for note in self.cautions if not note.is_record)

    @property
    def warning_lines(self) -> tuple[str, ...]:
        """The same as people read them: what is a warning, and what a note."""
        return lines(self.cautions)

    def warnings_on(self, metrics: Container[str]) -> tuple[str, ...]:
        """Lines of those of them that concern the ``metrics`` that are shown."""
        return lines(self.cautions, metrics)

    def noted(self, *notes: ResultWarning) -> Self:
        """The same with further notes before its own, none of them twice."""
        return replace(self, cautions=tuple(dict.fromkeys((*notes, *self.cautions))))

    def to_dict(self) -> dict[str, Any]:
        """Exactly what the command prints with ``--format json``."""
        facts = self.to_json_object()
        read = {key: value for key, value in _read(self).items() if key not in facts}
        slices = self._slices()
        content = {"schema": SCHEMA, **facts, **slices, **read, **warned(self.cautions)}
        return {name: encodable(value) for name, value in content.items()}

    def to_json(self) -> str:
        """The JSON text that the command prints."""
        return dumps(self.to_dict())

    def shown(
        self,
        *,
        layout: Layout = "full",
        percent: bool = False,
        title: str | None = None,
        label: str | None = None,
        **options: Any,
    ) -> Content:
        """Its content, whole or as a paper has it, with scores in ``percent``, a ``title``, and the
        ``label`` of its table in LaTeX.

        Whatever else is given goes to :meth:`content`, or to :meth:`paper`.
        """
        if layout not in get_args(Layout):
            raise InputError(f"layout must be one of {shown(get_args(Layout))}, got {layout!r}")
        describe: Any = self.paper if layout == "paper" else self.content
        content: Content = describe(**options)
        content = in_percent(content) if percent else content
        if label is not None and not re.fullmatch(r"[\w:.-]+", label, re.ASCII):
            raise InputError(f"label must be letters, digits, : . _ or -, got {label!r}")
        if title is not None:
            content = replace(content, title=title, caption=title)
        content = replace(content, label=label or "")
        return renamed(content) if layout == "paper" else content

    def paper(self, **options: Any) -> Content:
        """What a paper has of it: the tables."""
        describe: Any = self.content
        return tabled(describe(**options))

    def to_csv(self, **options: Any) -> str:
        """Every number as comma-separated text with full precision."""
        return in_format(self.shown(**options), "csv")

    def to_pandas(self, **options: Any) -> Any:
        """A pandas frame of every number."""
        import pandas as pd

        return pd.DataFrame(frame_columns(self.shown(**options)))

    def to_polars(self, **options: Any) -> Any:
        """A Polars frame of every number."""
        import polars as pl

        return pl.DataFrame(frame_columns(self.shown(**options)), strict=False)

    def to_markdown(self, *, digits: int = 4, **options: Any) -> str:
        """Words and tables in Markdown; ``options`` are those of :meth:`shown`."""
        return in_format(self.shown(**options), "markdown", digits)

    def to_latex(self, *, digits: int = 4, **options: Any) -> str:
        """Booktabs tables for a paper, words as comments; ``options`` as in :meth:`shown`."""
        return in_format(self.shown(**options), "latex", digits)

    def to_html(self, *, digits: int = 4, **options: Any) -> str:
        """A page of its own that needs no network; ``options`` are those of :meth:`shown`."""
        return in_format(self.shown(**options), "html", digits)

    def save(self, path: str | PathLike[str], *, digits: int = 4, **options: Any) -> None:
        """Write the result whole; the ending says how: .json, .csv, .md, .tex, .html or .txt."""
        style = style_of(path)
        shown = "" if style == "json" else in_format(self.shown(**options), style, digits)
        whole_text(shown or self.to_json(), path)

    def __str__(self) -> str:
        return in_format(self.content(), "table")

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {line(self.content())}>"

    def _repr_html_(self) -> str:
        return in_format(self.content(), "notebook")


class Entry(Record):
    """Frozen data that a notebook shows as a table: a row a fact, but for those unknown.

    >>> import evenhand as eh
    >>> [row[0] for row in eh.score([[6, 1], [1, 5]], metrics="mcc")["mcc"].grid().rows]
    ['metric', 'value', 'se', 'low', 'high', 'method', 'signature']
    """

    def grid(self) -> Grid:
        """Its facts, a row each."""
        cells = {name: _cell(value) for name, value in self.to_dict().items()}
        rows = [[name, cell] for name, cell in cells.items() if cell is not None]
        return Grid([type(self).__name__, ""], rows)

    def _repr_html_(self) -> str:
        from evenhand.results.page import framed, table

        grid, signed = self.grid(), str(getattr(self, "signature", None) or "")
        shown = [row for row in grid.rows if not signed or row[0] != "signature"]
        return framed(table(Table(replace(grid, rows=shown)), 4, cut=True), signed)


def warned(cautions: tuple[ResultWarning, ...]) -> dict[str, Any]:
    """The notes as JSON has them: a sentence each, and as many codes with their facts."""
    notes = [note for note in cautions if not note.is_record]
    return {
        "warnings": [note.sentence for note in notes],
        "warning_codes": [note.to_dict() for note in notes],
    }


def _read(result: Result) -> dict[str, Any]:
    """What was read from files, of several data sets together, and how many samples of items."""
    facts: dict[str, Any] = {}
    for note in result.cautions:
        if isinstance(note, FilesRead):
            now = note.select("files columns matched_by layout")
            before = facts.setdefault("read", now)
            if before is not now:
                before["files"] += now["files"]
                before |= {key: before[key] | now[key] for key in ("columns", "layout")}
        elif isinstance(note, SamplesOfItems):
            facts |= {"items": note.items, "samples": note.samples}
    return facts


class Collection(Generic[K, V], ABC):
    """A mapping of names to parts: metrics in scores, systems in a leaderboard.

    A metric may be named by an alias or in any spelling. Where names have several parts, as
    those of a pair of systems on a metric, a part is enough if it fits one name only.
    """

    of_metrics: ClassVar[bool] = False

    parts_in: ClassVar[str] = "metrics"
    """The attribute that holds the parts; where they are in a row, also that which names each."""

    @property
    def parts(self) -> Mapping[K, V]:
        """The parts by name."""
        attribute, _, name = self.parts_in.partition(" by ")
        parts: Any = getattr(self, attribute)
        return {getattr(part, name): part for part in parts} if name else parts

    def __getitem__(self, name: Any) -> V:
        """The part called ``name``."""
        parts = self.parts
        try:
            if name in parts:
                return parts[name]
            if is_null(name):
                raise TypeError
        except TypeError:  # nothing that cannot be hashed or is null is a name
            raise UnknownNameError(f"{quoted(name)} is not one of {shown(parts)}") from None
        names = [(n, spelled(n)) for n in (name if isinstance(name, tuple) else (name,))]
        if len(names) == 1 and names[0][1] in parts:
            return parts[names[0][1]]
        fits = [key for key in parts if isinstance(key, tuple) and _within(names, key)]
        if len(fits) == 1:
            return parts[fits[0]]
        if fits:
            raise UnknownNameError(f"{name!r} fits {len(fits)} of them: {shown(fits, 3)}")
        if self.of_metrics and isinstance(name, str):
            try:
                Spec.parse(name)
            except MetricError as e:  # which says what else might be meant
                raise UnknownNameError(str(e)) from None
        raise UnknownNameError(f"{name!r} is not one of {shown(parts)}{nearest(name, parts)}")

    def get(self, name: Any, default: Any = None) -> Any:
        """The part called ``name``, or ``default`` if there is none."""
        try:
            return self[name]
        except UnknownNameError:
            return default

    def __contains__(self, name: object) -> bool:
        return self.get(name, self) is not self

    def __iter__(self) -> Iterator[K]:
        return iter(self.parts)

    def _ipython_key_completions_(self) -> list[K]:
        """The names that ``result["<tab>`` completes to."""
        return list(self.parts)

    def __len__(self) -> int:
        return len(self.parts)

    def __bool__(self) -> bool:
        return True

    def keys(self) -> KeysView[K]:
        """The names."""
        return self.parts.keys()

    def values(self) -> ValuesView[V]:
        """The parts."""
        return self.parts.values()

    def items(self) -> ItemsView[K, V]:
        """Names and parts."""
        return self.parts.items()


def _within(names_of_parts: list[tuple[Any, Any]], key: tuple[Any, ...]) -> bool:
    """Whether the parts wanted, under one of two names each, stand in a name, in that order."""
    rest = iter(key)
    return all(any(at in names for at in rest) for names in names_of_parts)


def _cell(value: Any) -> Cell:
    """A fact as a cell: a number or text as it is, several in a row, of other parts how many."""
    if isinstance(value, dict) and all(isinstance(v, int | float) for v in value.values()):
        return ", ".join(f"{name} {number(v)}" for name, v in value.items())
    if isinstance(value, list | tuple) and all(isinstance(v, str | int | float) for v in value):
        return ", ".join(v if isinstance(v, str) else number(v) for v in value)
    if isinstance(value, dict | list | tuple):
        return counted(len(value), "part")
    return value if value is None or isinstance(value, int | float) else str(value)


# How tables show themselves: in a terminal and in a notebook.

SHOWN = 20
"""Classes up to which a table is written out whole."""


def confusion_text(table: Confusion) -> str:
    """The cells with their margins; a line of facts where they would not fit."""
    if table.shape or table.k > SHOWN:
        return _summary(table)
    return aligned(_grid(table), digits=3, label_width=20)[0]


def confusion_html(table: Confusion) -> str:
    """The same as an HTML table."""
    if table.shape or table.k > SHOWN:
        return f"<p>{html_text(_summary(table))}</p>"
    from evenhand.results import page

    grid = _grid(table)
    for i, row in enumerate(grid.rows[:-1]):
        total: Any = row[-1]
        for j, n in enumerate(row[1:-1], 1):
            share = float(n / total) if total else 0.0
            row[j] = ShadedCell(n, cell_text(n, 3), share, i == j - 1)  # type: ignore[arg-type, index]
    return page.framed(page.table(Table(grid), 3, cut=True))


def _summary(table: Confusion) -> str:
    noun = "table" if table.shape == (1,) else "tables"
    stack = f"stack of {' × '.join(map(str, table.shape))} {noun}, " if table.shape else ""
    total = np.asarray(table.total, dtype=float).sum()
    lost = np.asarray(table.outside, dtype=float).sum()
    outside = f", {lost:,g} outside" if lost else ""
    classes = counted(table.k, "class", "classes")
    return f"Confusion({stack}{classes}, total {total:,g}{outside})"


def _grid(table: Confusion) -> Grid:
    lost = bool(np.any(table.outside))
    head = ["true \\ predicted", *map(str, table.labels), *["outside"] * lost, "total"]
    cells = np.column_stack([table.cells, *[table.outside] * lost])
    cells = np.column_stack([cells, cells.sum(axis=1)])
    rows = zip([*table.labels, "total"], [*cells.tolist(), cells.sum(axis=0).tolist()], strict=True)
    return Grid(head, [[str(v), *row] for v, row in rows])


def multilabel_text(table: MultiLabel) -> str:
    """Margins of each label."""
    facts = f"MultiLabel({counted(table.n, 'item')}, {counted(table.k, 'label')})"
    if table.k > SHOWN:
        return facts
    margins = np.column_stack([table.prevalence, table.bias, table.correct]).tolist()
    rows = [[str(v), *row] for v, row in zip(table.labels, margins, strict=True)]
    grid = Grid(["label", "true", "predicted", "correct"], rows)
    return f"{facts}\n{aligned(grid)[0]}"

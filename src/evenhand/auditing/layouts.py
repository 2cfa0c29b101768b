"""Layouts: which cell of a printed table is which score of which system.

Systems stand below each other, with a class over each group of columns; or classes do, as in the
report of a library, with a system over each group; or metrics do, with systems across.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from evenhand.auditing.columns import PER_CLASS, Column, column
from evenhand.auditing.headers import (
    SPLITS,
    Heading,
    combined,
    is_class,
    is_name,
    meaning,
    read_heading,
    segmented,
    unsaid,
)
from evenhand.auditing.values import is_value, read_value
from evenhand.errors import InputError, Option, shown
from evenhand.files.printed.table import PrintedTable

USED = ("metric", "precision", "recall", "f1", "support", "n", "correct")
HEADS = 5
"""Rows at the top that may name columns."""
_NO_SYSTEM = frozenset({"average", "avg", "avg.", "mean", "median", "std", "std.", "stdev", "δ",
                        "delta", "diff", "diff.", "difference", "improvement", "gain"})  # fmt: skip
_QUESTION = column("macro_f1")
"""An F1 of all classes, whichever formula it is."""
_Named = tuple[str, int, Sequence[str]]
"""A row with its name and its line."""
_SAID_BY_LIBRARY = {"avg / total": "weighted"}
"""How an older scikit-learn names what it weights by class size."""


@dataclass(frozen=True)
class Asked:
    """What a user says of a table: what some headings mean, or what all columns are, in their
    order; and names of classes.
    """

    meanings: Mapping[str, str] = field(default_factory=dict)
    columns: Sequence[str] = ()
    labels: Collection[str] = ()


@dataclass(frozen=True)
class Record:
    """One system: its name, the line it is on, and its cells by heading."""

    name: str
    line: int
    cells: Mapping[str, str]


@dataclass(frozen=True)
class Laid:
    """A table with one system a row, whatever it looked like; ``unsaid`` are averages unnamed."""

    caption: str
    columns: Mapping[str, Column]
    records: tuple[Record, ...]
    unused: tuple[str, ...] = ()
    unsaid: tuple[str, ...] = ()


def laid(table: PrintedTable, where: str, asked: Asked) -> list[Laid]:
    """The systems of a table; of several tables where its groups of columns are data sets."""
    table = _segmented(table)
    if asked.columns:
        return _systems_down(_Body(_named(table, asked.columns, where), where, asked))
    table = replace(table, heads=_heads(table, asked))
    body = _Body(table, where, asked)
    if not body.used:
        turned = _turned(body)
        if turned is None:
            return []
        return laid(turned, where, asked)
    return [_classes_down(body)] if body.has_classes_down else _systems_down(body)


class _Body:
    """A table whose headings are known."""

    def __init__(self, table: PrintedTable, where: str, asked: Asked) -> None:
        heads = table.heads or 1
        self.table, self.where, self.asked = table, where, asked
        self.told = bool(table.spans)
        self.levels = [list(level) for level in zip(*_filled(table.rows[:heads]), strict=True)]
        self.columns = [_asked(levels, asked) or meaning(levels) for levels in self.levels]
        rows = zip(table.rows[heads:], table.lines[heads:], strict=True)
        self.rows = [
            (row, line) for i, (row, line) in enumerate(rows, heads) if i not in table.spans
        ]
        self.labels = self._labels()
        self.used = [
            j for j, c in enumerate(self.columns) if c.kind in USED and j not in self.labels
        ]

    def _labels(self) -> list[int]:
        """The columns that name rows: so called, or at the left and without a number."""
        found = [j for j, c in enumerate(self.columns) if c.kind == "name"]
        for j, c in enumerate(self.columns):
            if c.kind in USED and (j or self._scores(j)):
                break
            top = self.levels[j][-1] if self.levels[j] else ""
            if j == 0 or is_class(top) or not any(is_value(row[j]) for row, _ in self.rows):
                found.append(j)
            else:
                break
        return list(dict.fromkeys(found))

    def _scores(self, j: int) -> bool:
        return any(is_value(row[j]) for row, _ in self.rows)

    @property
    def class_column(self) -> int | None:
        """The column that names classes, if one is so called."""
        return next((j for j in self.labels if any(map(is_class, self.levels[j]))), None)

    @property
    def has_classes_down(self) -> bool:
        """Whether rows are classes and averages, and columns their scores."""
        if self.class_column is not None:
            return True
        of_classes = [j for j in self.used if self._heading(j).part in (*PER_CLASS, "support")]
        if not of_classes or len(of_classes) < len(self.used) or not self.labels:
            return False
        named = any(is_name(text) for text in self.levels[self.labels[0]])
        sized = any(self._heading(j).part == "support" for j in of_classes)
        averages = {_average(row[self.labels[-1]]) for row, _ in self.rows} - {"", "some"}
        return bool(averages) or (sized and not named)

    def _heading(self, j: int) -> Heading:
        return combined([t for t in dict.fromkeys(self.levels[j]) if t.strip()])

    def headings(self) -> dict[int, Heading]:
        """What each column that is used says."""
        return {j: self._heading(j) for j in self.used}


def _average(label: str) -> str:
    """The average that the name of a row says, or "accuracy"; nothing for a class."""
    if label.strip().casefold() in _SAID_BY_LIBRARY:
        return _SAID_BY_LIBRARY[label.strip().casefold()]
    heading = read_heading(label)
    if heading.rest or heading.part not in ("", "accuracy", *PER_CLASS):
        return ""
    if heading.part in PER_CLASS and not heading.average:
        return ""
    return heading.part if heading.part == "accuracy" else heading.average


def _heads(table: PrintedTable, asked: Asked) -> int:
    """How many rows name columns: as the document says, and further down while rows do so."""
    last = max(table.heads or 1, 1)
    for i, row in enumerate(table.rows[:HEADS]):
        said = [t for t in row[1:] or row if t.strip()]
        if i in table.spans or any(map(is_value, said)):
            continue
        known = any(_asked([t], asked) or read_heading(t).part for t in said)
        if known and i >= last and len(set(said)) > 1:
            last = i + 1
    return min(last, max(len(table.rows) - 1, 1))


def _filled(rows: Sequence[Sequence[str]]) -> list[list[str]]:
    """Headings over several cells, of which a spreadsheet has only the first, over all of them."""
    found = [list(row) for row in rows]
    for i, row in enumerate(found[:-1]):
        below = found[i + 1]
        if any(a and a == b for a, b in pairwise(row)):
            continue  # the document tells
        seen: set[str] = set()
        for j in range(1, len(row)):
            heading = read_heading(below[j])
            alone = heading.average or heading.part not in (*PER_CLASS, "support")
            if row[j] or below[j] in seen or alone:
                seen = {below[j]} if row[j] else set()
            elif row[j - 1] and seen:
                row[j] = row[j - 1]
                seen.add(below[j])
    return found


def _segmented(table: PrintedTable) -> PrintedTable:
    """Headings that a copy has run together, told apart by what they mean."""
    first = table.rows[0]
    if table.heads != 1 or any(first[1:]) or len(first) < 2 or " " not in first[0]:
        return table
    return replace(table, rows=(tuple(segmented(first[0], len(first))), *table.rows[1:]))


def _asked(levels: Sequence[str], asked: Asked) -> Column | None:
    """What the user says that a column holds."""
    said = [t.strip() for t in dict.fromkeys(levels) if t.strip()]
    for text in (" ".join(said), *reversed(said)):
        for given, means in asked.meanings.items():
            if given.strip().casefold() == text.casefold():
                found = column(means)
                header = found.header if found.kind in PER_CLASS else " ".join(said)
                return replace(found, header=header)
    return None


def _named(table: PrintedTable, names: Sequence[str], where: str) -> PrintedTable:
    """The table under the names that the user gives its columns."""
    if len(names) != table.width:
        raise InputError(
            f"{where} has {table.width} columns, got {len(names)} names for them in ",
            Option("columns"),
        )
    heads = 0
    while heads < len(table.rows) and (
        heads in table.spans or not any(map(is_value, table.rows[heads]))
    ):
        heads += 1
    rows = (tuple(names), *table.rows[heads:])
    spans = frozenset(i - heads + 1 for i in table.spans if i >= heads)
    return PrintedTable(rows, table.caption, (0, *table.lines[heads:]), 1, spans)


def _turned(body: _Body) -> PrintedTable | None:
    """A table whose rows are metrics, with its rows and columns changed; none if they are not."""
    labels = body.labels or [0]
    said = [meaning([row[j] for j in labels]) for row, _ in body.rows]
    known = [c for c in said if c.kind in USED]
    if not known or 2 * len(known) < len(said):
        return None
    heads = body.table.heads or 1
    kept = [i for i in range(len(body.table.rows)) if i not in body.table.spans]
    order = [*labels, *(j for j in range(body.table.width) if j not in labels)]
    rows = tuple(tuple(body.table.rows[i][j] for i in kept) for j in order)
    rows = tuple((" ".join(dict.fromkeys(filter(None, row[:heads]))), *row[heads:]) for row in rows)
    line = body.table.lines[0]
    return PrintedTable(rows, body.table.caption, (line,) * len(rows), len(labels))


def _systems_down(body: _Body) -> list[Laid]:
    """One table; or one for each data set, as if its name did not stand over the columns."""
    caption, records = body.table.caption, _records(body)
    groups = _data_sets(body, records)
    if not groups:
        levels = {j: body.levels[j] for j in body.used}
        return [_of_columns(body, levels, records, caption)]
    found = []
    for group, inside in groups.items():
        levels = {j: [t for t in body.levels[j] if t.strip() != group] for j in inside}
        found.append(
            _of_columns(body, levels, records, f"{caption}: {group}" if caption else group)
        )
    return [one for one in found if one.columns]


def _of_columns(
    body: _Body, levels: Mapping[int, Sequence[str]], records: Sequence[_Named], caption: str
) -> Laid:
    """The records under some columns. Beside classes, an average that is not named is not known."""
    found = {j: _asked(said, body.asked) or meaning(said) for j, said in levels.items()}
    columns = {j: c for j, c in found.items() if c.kind in USED}
    vague = [j for j in columns if unsaid(levels[j]) and not _asked(levels[j], body.asked)]
    if any(c.kind in PER_CLASS for c in columns.values()):
        for j in [j for j in vague if columns[j].of != _QUESTION.of]:
            del columns[j]
            vague.remove(j)
    meant = [(c.kind, c.of) for c in columns.values()]
    twice = [" ".join(dict.fromkeys(levels[j])) for j, c in columns.items()
             if meant.count((c.kind, c.of)) > 1]  # fmt: skip
    if twice:
        raise InputError(
            f"{body.where}: expected each column once, got {shown(dict.fromkeys(twice))}"
        )
    left = [c.header for j, c in enumerate(body.columns)
            if j not in columns and j not in body.labels[:1] and c.header.strip()]  # fmt: skip
    kept = [r for r in records if len(records) == 1 or r[0].casefold() not in _NO_SYSTEM]
    left += [f"row {r[0]}" for r in records if r not in kept]
    return Laid(
        caption,
        {c.header: c for c in columns.values()},
        tuple(Record(name, line, {c.header: row[j] for j, c in columns.items()})
              for name, line, row in kept),
        tuple(dict.fromkeys(left)),
        tuple(columns[j].header for j in vague),
    )  # fmt: skip


def _records(body: _Body) -> list[_Named]:
    """Each row with its name, under the heading of its part where names come twice."""
    named = [j for j in body.labels if body.columns[j].kind == "name"] or body.labels
    found: list[_Named] = []
    for row, line in body.rows:
        if body.told and not any(c.strip() for j, c in enumerate(row) if j not in body.labels):
            continue  # a heading inside the table
        found.append((row[named[0]].strip() if named else "", line, row))
    names = [name for name, _, _ in found]
    if len(set(names)) < len(names) and len(named) > 1:
        found = [(" ".join(dict.fromkeys(filter(None, (row[j].strip() for j in named)))), line, row)
                 for _, line, row in found]  # fmt: skip
    return found


def _data_sets(body: _Body, records: Sequence[_Named]) -> dict[str, list[int]]:
    """Groups of columns that are no classes: parts of the data, or data sets, by name.

    So are groups with an accuracy of their own, and groups whose F1 is mostly not 2PR/(P+R), unless
    an average beside them says that they are classes.
    """
    groups: dict[str, list[int]] = {}
    for j, levels in enumerate(body.levels):
        said = [t.strip() for t in dict.fromkeys(levels) if t.strip()]
        if len(said) > 1 and j not in body.labels and not read_heading(said[0]).part:
            heading = combined(said)
            if heading.part and heading.rest and not heading.average:
                groups.setdefault(said[0], []).append(j)
    if not groups or any(_asked(body.levels[j], body.asked) for js in groups.values() for j in js):
        return {}
    if any(group in body.asked.labels for group in groups):
        return {}
    if all(g.casefold() in SPLITS for g in groups):
        return groups
    if any(combined(body.levels[j]).is_whole for js in groups.values() for j in js):
        return groups
    averages = (_QUESTION.of, "macro_precision", "macro_recall", "weighted_f1", "micro_f1")
    if any(c.kind == "metric" and c.of in averages for c in body.columns):
        return {}
    checks = list(_products(groups.values(), body, records))
    return groups if 2 * checks.count(False) > len(checks) else {}


def _products(
    groups: Iterable[Sequence[int]], body: _Body, records: Sequence[_Named]
) -> Iterable[bool]:
    """Of every group of every row with precision, recall and F1: whether F1 is 2PR/(P+R)."""
    for group in groups:
        at = {combined(body.levels[j]).part: j for j in group}
        if not all(part in at for part in PER_CLASS):
            continue
        for _, _, row in records:
            texts = [read_value(row[at[part]]).text.rstrip("% ") for part in PER_CLASS]
            try:
                p, r, f = (float(t.replace(",", ".").replace("−", "-")) for t in texts)
            except ValueError:
                continue
            unit = 10.0 ** -min(len(t.replace(",", ".").partition(".")[2]) for t in texts)
            yield abs(f - (2 * p * r / (p + r) if p + r else 0)) <= 1.5 * unit


def _classes_down(body: _Body) -> Laid:
    """A table of classes: each system's rows as one, each system being a group of columns or
    what another column names.
    """
    at = body.class_column if body.class_column is not None else body.labels[-1]
    naming = [j for j in body.labels if body.columns[j].kind == "name" and j != at]
    headings = body.headings()
    columns: dict[str, Column] = {}
    systems: dict[str, dict[str, str]] = {}
    lines: dict[str, int] = {}
    vague: dict[str, None] = {}
    for row, line in body.rows:
        label = row[at].strip()
        for j in sorted(headings, key=lambda j: headings[j].part != "f1"):
            name = " ".join(filter(None, [*(row[k].strip() for k in naming), headings[j].rest]))
            found = _of_row(label, headings[j])
            if found is None or not row[j].strip():
                continue
            if found.kind == "metric" and found.of == _QUESTION.of and _average(label) == "some":
                vague[found.header] = None
            text = " ".join(t for t in dict.fromkeys(body.levels[j]) if t and t != headings[j].rest)
            columns.setdefault(found.header, replace(found, printed=f"{label} {text}"))
            systems.setdefault(name, {}).setdefault(found.header, row[j])
            lines.setdefault(name, line)
    records = tuple(Record(name, lines[name], cells) for name, cells in systems.items())
    used = {*body.used, at, *naming}
    unused = [c.header for j, c in enumerate(body.columns) if j not in used and c.header.strip()]
    return Laid(body.table.caption, columns, records, tuple(dict.fromkeys(unused)), tuple(vague))


def _of_row(label: str, heading: Heading) -> Column | None:
    """What a column holds in the row of a class or of an average."""
    average, part = _average(label), heading.part
    if not label:
        return None
    if part == "support":
        return (
            column("n") if average or label.casefold() == "total" else column(f"support[{label}]")
        )
    if part not in PER_CLASS:
        return None
    if average == "accuracy":
        return column("accuracy")
    if average == "some":
        return _QUESTION if part == "f1" else None
    if average:
        said = read_heading(label).part
        return column(f"{average}_{said if said in PER_CLASS else part}")
    return column(f"{part}[{label}]")

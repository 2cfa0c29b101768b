"""What a file shows of itself: its layout, and what its columns hold."""

from __future__ import annotations

import codecs
import csv
import re
from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import islice, starmap
from typing import Any, TypeAlias

from evenhand.data.factorize import escape_column, trim, values_of
from evenhand.data.matching import ID_NAMES, words
from evenhand.errors import InputError, shown
from evenhand.io.delimited import (
    HEAD,
    MARKS,
    TAB,
    TSV,
    ZSTD,
    DelimiterStyle,
    TextLayout,
    blocks,
    unreadable,
    with_line_feeds,
)
from evenhand.io.tabular import first_rows
from evenhand.records import Record

Rows: TypeAlias = list[list[str]]
FIRST = 1000
"""Rows that are looked at."""
HEADING = re.compile(
    r"((.*[_ .-])?(id|ids|idx|guid|uuid|key)|index|nr|no|qid|(doc|item|tweet|question|text|user)id"
    r"|item|question|prompt|patient|(gold|true|predicted|model|human)?[_ .-]?(labels?|class"
    r"|category|target|answers?)|gold|truth|y_true|y_pred|y|(.*[_ .-])?pred(s|icted|ictions?)?"
    r"|output|choice|response|guess|hypothesis|reference|expected|model|system|run|epoch|sample|fold|seed"
    r"|text|tweet|sentence|comment|content|title|document|weights?|score|confidence|prob(ability)?"
    r"|author|user|lang(uage)?|annotator|cluster|group)",
    re.IGNORECASE,
)
"""What people call the columns of such files."""
LABEL_HEADING = re.compile(
    r"((gold|true|predicted)?[_ .-]?labels?|gold|truth|target|class|category|y_true|y_pred"
    r"|pred(s|icted|ictions?)?)",
    re.IGNORECASE,
)
"""What people write above labels, one a line."""
_NUMBER = re.compile(r"[-+]?[0-9]*\.?[0-9]+(?:[eE][-+]?[0-9]+)?")
_NOTHING = {"", "na", "n/a", "nan", "null", "none", "-", "?"}


@dataclass(frozen=True)
class Preview:
    """The first rows of a file: the names of its columns, and the values in them."""

    names: frozenset[str] = frozenset()
    values: frozenset[str] = frozenset()

    @classmethod
    def from_rows(cls, rows: Rows, header: bool | None) -> Preview:
        """That of rows, of which the first may be a header."""
        names = frozenset(rows[0]) if header and rows else frozenset[str]()
        values = (field for row in rows[1 if header else 0 :] for field in row)
        return cls(names, frozenset(values) - {""})


NOTHING = Preview()


def guess_encoding(head: bytes) -> str | None:
    """The encoding of text that is not in UTF-8 and has no mark, if its first bytes show it."""
    if head.startswith(ZSTD):
        return None
    if b"\0" in head:
        for encoding, zeros in (("utf-16-le", 1), ("utf-16-be", 0)):
            if 4 * head[zeros::2].count(0) > len(head) and 0 not in head[1 - zeros :: 2]:
                text = head.decode(encoding, "ignore")
                return encoding if "\n" in text and _is_plain(text) else None
        return None
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head, final=len(head) < HEAD)
    except UnicodeDecodeError:
        unmixed = head.decode("utf-8", "ignore").isascii() and not re.search(rb"[\xfe\xff]", head)
        if unmixed and _is_plain(head.decode("cp1252", "replace")):
            return "cp1252"
    return None


def _is_plain(text: str) -> bool:
    """Whether a text has no signs of control and none that could not be read."""
    return not re.search(r"[\x00-\x08\x0e-\x1f\x7f\ufffd]", text)


def first_text(path: str, name: str) -> bytes:
    """The first lines of a text file."""
    import polars as pl

    try:
        return next((block.text for block in blocks(path, name, HEAD)), b"")
    except (pl.exceptions.PolarsError, OSError) as e:
        raise unreadable(name, e) from None


def rows_in(text: bytes, mark: str | None) -> Rows:
    """The first rows of a text, as far as they are complete; without a mark, lines."""
    if mark is None:
        return [[_bare(line)] for line in text.decode().splitlines()[:FIRST]]
    style = TSV if mark == "\t" else DelimiterStyle(mark.encode(), True)
    rows: Rows = []
    with suppress(csv.Error, UnicodeDecodeError):
        for row in islice(style.reader(text.decode().splitlines(keepends=True)), FIRST):
            rows.append([_bare(field) for field in row])
    return rows


def _bare(field: str) -> str:
    return field.strip().removeprefix('"').removesuffix('"').strip()


def _is_table(rows: Rows) -> bool:
    """Whether all rows have as many fields as the first, and more than one."""
    width = len(rows[0]) if rows else 0
    return width > 1 and any(rows[0][1:]) and all(len(row) == width for row in rows if row)


def find_mark(text: bytes, usual: str, wanted: str | None = None) -> str:
    """What separates the fields of a text: what is wanted, or usual, where it makes columns."""
    marks = [mark for mark in dict.fromkeys((wanted, usual, *MARKS)) if mark]
    tables = {mark: rows_in(text, mark) for mark in marks}
    for mark, rows in tables.items():
        if _is_table(rows):
            return mark
    several = (mark for mark, rows in tables.items() if rows and len(rows[0]) > 1)
    return next(several, marks[0])


def evident_mark(head: bytes, wanted: str | None) -> str | None:
    """What separates the fields of a text that nobody would take for one label a line."""
    text = with_line_feeds(head)
    text = text[: text.rfind(b"\n") + 1] or text
    for mark in filter(None, dict.fromkeys((wanted, "\t", *MARKS))):
        rows = [row for row in rows_in(text, mark) if row]
        if len(rows) > 1 and _is_table(rows) and (mark in (wanted, "\t") or _has_ids(rows)):
            return mark
    return None


def _has_ids(rows: Rows) -> bool:
    """Whether columns have headings, or one has values all different and another has not."""
    if sum(bool(HEADING.fullmatch(field)) for field in rows[0]) > 1:
        return True
    distinct = [len(set(column)) == len(rows) for column in zip(*rows, strict=True)]
    return len(rows) > 3 and any(distinct) and not all(distinct)


def has_header(
    rows: Rows,
    name: str,
    wanted: bool | None,
    names: Collection[str] = (),
    like: Preview = NOTHING,
) -> bool:
    """Whether the first row names the columns of the others.

    It does if it has ``names`` that the columns are known by. It is data if its values come again
    in their columns, continue their numbers or ids, or are values of the file it goes with.
    """
    first = rows[0]
    known = {name.casefold() for name in names if not name.isdecimal()}
    if wanted is not False and known & {field.casefold() for field in first}:
        return True
    known |= {name.casefold() for name in like.names}
    rest = [row for row in rows[1:] if len(row) == len(first)]
    if len(first) > 1 and any(map(HEADING.fullmatch, first)):
        rest = [row for row in rest if row != first]  # the headers of files one after the other
    columns = list(zip(*rest, strict=True)) or [()] * len(first)
    pairs = list(zip(first, columns, strict=True))
    headings = [
        (field, column)
        for field, column in pairs
        if (HEADING.fullmatch(field) or field.casefold() in known) and field not in column
    ]
    if any(starmap(_is_above, headings)):
        return True
    if not any(_continues(field, column, like) for field, column in pairs):
        return bool(headings) or wanted is not False or any(starmap(_is_above, pairs))
    if wanted is None and headings:
        raise InputError(
            f"{name}: its first row ({shown(first)}) may be a header or data: say which with "
            f"{name}::header=yes or {name}::header=no"
        )
    return False


def _is_above(field: str, column: Sequence[str]) -> bool:
    """Whether a field is a name without digits and all below it have some."""
    return bool(column) and not _has_digit(field) and all(map(_has_digit, column))


def _has_digit(text: str) -> bool:
    return any(map(str.isdigit, text))


def _continues(field: str, column: Sequence[str], like: Preview) -> bool:
    """Whether a field is a value as those below it: one of them, a number, an id of their form."""
    if field.casefold() in _NOTHING:
        return False
    if field in column:
        return True
    if field in like.values - like.names and (not column or not like.values.isdisjoint(column)):
        return True
    if not column:
        return False
    if _NUMBER.fullmatch(field):
        values = [value for value in column if value.casefold() not in _NOTHING]
        numbers = bool(values) and all(map(_NUMBER.fullmatch, values))
        return numbers and ("." in field or any(value.isdigit() for value in values))
    form = _form(field)
    return "9" in form and all(_form(value) == form for value in column)


def _form(text: str) -> str:
    """A text with its numbers and words of any length as one sign each."""
    return re.sub(r"[^\W\d_]+", "a", re.sub(r"[0-9]+", "9", text))


def detected(
    path: str,
    name: str,
    kind: str,
    layout: TextLayout,
    names: Collection[str] = (),
    like: Preview = NOTHING,
    sheet: str | None = None,
) -> TextLayout:
    """The layout of a file: what is set for it, what it shows, and what is set where it fits."""
    fixed = layout.fixed
    if kind == "lines":
        if "header" in fixed:
            return layout
        return replace(layout, header=_line_heads(first_text(path, name), like) or None)
    if kind == "excel":
        rows = first_rows(path, name, sheet, FIRST)
    elif kind in ("csv", "tsv"):
        text, usual, mark = first_text(path, name), "\t" if kind == "tsv" else ",", layout.mark
        if mark is None or "delimiter" not in fixed:
            mark = find_mark(text, usual, mark)
        spelled = TAB if mark == "\t" else mark
        layout = replace(layout, delimiter=None if mark == usual else spelled)
        rows = [row for row in rows_in(text, mark) if row]
    else:
        return layout
    if "header" in fixed or not rows:
        return replace(layout, header=layout.header is not False)
    return replace(layout, header=has_header(rows, name, layout.header, names, like))


def _line_heads(text: bytes, like: Preview) -> bool:
    """Whether the first of some lines is what people write above labels, and no label."""
    first, *others = (line for (line,) in rows_in(text, None) or [[""]])
    heads = LABEL_HEADING.fullmatch(first) is not None
    return heads and len(others) > 1 and first not in others and first not in like.values


# Roles: which columns hold truth, predictions, ids, systems, runs, samples, clusters, weights.

TRUE, PRED, ID, WEIGHT, JUDGE = "truth", "predictions", "ids", "weights", "judge"
SYSTEM, RUN, SAMPLE, FOLD = "systems", "runs", "samples", "folds"
EPOCH, CLUSTER = "epochs", "clusters"
ROLES = (TRUE, PRED, ID, SYSTEM, RUN, SAMPLE, FOLD, EPOCH, CLUSTER, JUDGE, WEIGHT)
"""All of them, in the order in which people read of them."""
FEW, MANY = 200, 10_000
"""Distinct values that labels may have, in a column of any name and in one that is named so."""
ROLES_FIRST = 100_000
"""Rows that are looked at where nothing says which column is what."""

_NUMBERED = r"( ?(id|ids|idx|index|name|nr|no|num|number))?"
_NAMES = {
    SYSTEM: r"(system|model|team|engine|classifier|llm|submission|participant|method|approach|"
    r"variant|config|configuration)" + _NUMBERED,
    RUN: r"(run|seed|trial|replicate|repetition|repeat)" + _NUMBERED,
    SAMPLE: r"(sample|draw|attempt|generation)" + _NUMBERED,
    FOLD: r"(cv )?(fold|split)" + _NUMBERED,
    EPOCH: r"(epoch|step|iteration|checkpoint|ckpt)" + _NUMBERED,
    CLUSTER: r"(cluster|document|user|author|speaker|patient|subject|session|conversation|"
    r"dialog|dialogue|thread|group|site|hospital)" + _NUMBERED,
    WEIGHT: r"(.* )?(w|weight|weights)",
    ID: ID_NAMES,
    JUDGE: r"(.* )?(judge|judged|judgement|judgment|grader|grade|graded|verdict)( .*)?|"
    r"(is )?correct",
}
"""Names in small letters, their words apart, by the role they are of."""
_TRUTHS = (
    r"(.* )?(category|categories|class|classes|annotation|topic|type|tag)( .*)?",
    r"(.* )?(labels?|annotated|annotator|y)( .*)?",
    r"(.* )?(gold|golds|golden|truth|true|target|targets|reference|expected|human|ytrue|"
    r"correct (answer|class|choice|option|label))( .*)?|answer key",
)
"""Names of truth, the weakest first."""
_GUESSES = (
    r".*(system|model|run|sys|hyp).*",
    r"(.* )?(system|model|run|answers?|choices?|outputs?|response|guess|hypothesis|hyp|hat)( .*)?",
    r"(.* )?(pred|preds|predict|prediction|predictions|predicted|ypred)( .*)?",
)
"""Names of predictions, the weakest first."""
_ROLES_NUMBER = r"^\s*[-+]?[0-9]*\.?[0-9]+(?:[eE][-+]?[0-9]+)?\s*$"


@dataclass(frozen=True)
class ColumnProfile(Record):
    """A column: its name and number, what it holds, and what it looks like.

    ``values`` are its labels, if its values are few and come again.
    """

    json_fields = "name number type distinct missing examples role"

    name: str
    number: int
    type: str
    distinct: int
    missing: int
    examples: tuple[str, ...]
    role: str = ""
    rows: int = 0
    values: frozenset[str] | None = None

    @property
    def is_key(self) -> bool:
        """Whether every row has a value of its own."""
        return self.distinct == self.rows > 1 and not self.missing and self.type != "decimals"

    @property
    def truth_name(self) -> int:
        """How much the name is that of truth, from 0 to 3."""
        strength = _strength(self.name, _TRUTHS)
        return strength if strength > self.guess_name else 0

    @property
    def guess_name(self) -> int:
        """How much the name is that of predictions, from 0 to 3."""
        return _strength(self.name, _GUESSES)

    def named(self, role: str) -> bool:
        """Whether the name is one of that role."""
        return names_role(self.name, role)


@dataclass(frozen=True)
class Roles:
    """Columns with their roles, and the names of those whose role is a guess."""

    columns: tuple[ColumnProfile, ...]
    unsure: tuple[str, ...] = ()

    def of(self, role: str) -> list[str]:
        """The columns of that role."""
        return [c.name for c in self.columns if c.role == role]


def profile(frame: Any, name: str, number: int) -> ColumnProfile:
    """What a column of a lazy frame holds."""
    import polars as pl

    column = trim(frame.select(pl.col(escape_column(name)).alias("")), [""]).collect(
        engine="streaming"
    )
    values = values_of(column, "")
    distinct = values.unique(maintain_order=True).drop_nulls()
    examples = tuple(str(v) for v in distinct.head(3).to_list())
    named = max(_strength(name, _TRUTHS), _strength(name, _GUESSES)) > 1
    few = 0 < len(distinct) <= (MANY if named else FEW) and not values.dtype.is_nested()
    again = named or len(distinct) < len(values) or len(values) <= 2
    labels = frozenset(map(str, distinct.to_list())) if few and again else None
    missing, kind = values.null_count(), _type(values)
    return ColumnProfile(
        name, number, kind, len(distinct), missing, examples, rows=len(values), values=labels
    )


def _type(values: Any) -> str:
    dtype = values.dtype
    if str(dtype) == "String":
        full = values.drop_nulls()
        return (
            "text like numbers" if len(full) and full.str.contains(_ROLES_NUMBER).all() else "text"
        )
    if dtype.is_nested():
        return "lists" if "List" in str(dtype) else "objects"
    kinds = (("integers", dtype.is_integer()), ("decimals", dtype.is_float()))
    return next((word for word, fits in kinds if fits), str(dtype).lower())


def names_role(name: str, *roles: str) -> bool:
    """Whether a column of that name may be of one of the roles.

    >>> names_role("Model_Name", SYSTEM), names_role("model", SAMPLE)
    (True, False)
    """
    return any(re.fullmatch(_NAMES[role], words(name)) for role in roles)


def infer(columns: Sequence[ColumnProfile]) -> Roles:
    """The role of each column of one file, by name, distinctness, fullness and shared labels.

    Truth is the best named of the columns that share labels with another; where names do not
    tell, it is the first of them, which is a guess.
    """
    roles = {c.name: role_by_name(c) for c in columns}
    free = [c for c in columns if c.values is not None and roles[c.name] in ("", JUDGE, SYSTEM)]
    truth, certain = _truth(free)
    if truth is None:
        return Roles(tuple(replace(c, role=roles[c.name]) for c in columns))
    roles[truth.name] = TRUE
    guesses = [c for c in free if c is not truth and within(c, truth.values)]
    guesses = [c for c in guesses if roles[c.name] != JUDGE] or guesses
    roles |= {c.name: PRED for c in guesses}
    unsure = [] if certain else [truth.name]
    unsure += [c.name for c in guesses if c.truth_name or roles[c.name] == JUDGE]
    return Roles(tuple(replace(c, role=roles[c.name]) for c in columns), tuple(unsure))


def role_by_name(column: ColumnProfile) -> str:
    """The role that the name says, if what the column holds allows it."""
    number = column.type in ("integers", "decimals", "text like numbers")
    for role in _NAMES:
        if not column.named(role):
            continue
        if role in (SYSTEM, CLUSTER):
            fits = 1 < column.distinct <= column.rows / 2
        elif role in (RUN, SAMPLE, FOLD, EPOCH):
            fits = 1 < column.distinct < column.rows
        elif role == WEIGHT:
            fits = number
        elif role == JUDGE and words(column.name).endswith("correct"):
            fits = {_roles_bare(v) for v in column.values or ("",)} <= {"0", "1", "true", "false"}
        else:
            fits = role == JUDGE or column.is_key or not _strength(column.name, _TRUTHS)
        if fits and column.type not in ("lists", "objects"):
            return role
    return ""


def _truth(columns: Sequence[ColumnProfile]) -> tuple[ColumnProfile | None, bool]:
    """The column that is truth, if one is, and whether that is certain."""
    shared = {
        c: any(o is not c and (within(o, c.values) or within(c, o.values)) for o in columns)
        for c in columns
    }
    guesses = any(c.guess_name > 1 for c in columns)
    named = [c for c in columns if c.truth_name and not c.named(JUDGE)]
    named = [c for c in named if c.truth_name == 3 or shared[c] or not guesses]
    weights = {c: (c.truth_name == 3, shared[c], c.truth_name, -c.missing) for c in named}
    ranked = sorted(named, key=lambda c: weights[c], reverse=True)
    if ranked:
        tied = len(ranked) > 1 and weights[ranked[0]] == weights[ranked[1]]
        return ranked[0], not tied
    if guesses:
        others = [c for c in columns if c.guess_name < 2 and shared[c] and not c.named(JUDGE)]
        return next(iter(others), None), len(others) == 1
    return next((c for c in columns if not c.guess_name and shared[c]), None), False


def labels_of(
    columns: Iterable[ColumnProfile], known: frozenset[str] | None = None, *, truth: bool
) -> list[ColumnProfile]:
    """The columns of a file of truth or of predictions alone that may hold its labels.

    Those of the best name; columns that share no label with those ``known`` are none. A copy of
    the truth beside predictions is not taken for them, nor one value throughout for the truth.
    """
    fits = [c for c in columns if c.values is not None or _listed(c)]
    fits = [c for c in fits if known is None or c.values is None or within(c, known)]
    allowed = ("",) if known is None else ("", SYSTEM)
    fits = [c for c in fits if role_by_name(c) in allowed]
    if truth:
        fits = [c for c in fits if c.distinct > 1] or fits
    elif known is not None:
        fits = [c for c in fits if c.truth_name < 3] or fits
    strengths = {c: (c.truth_name, c.guess_name) for c in fits}
    for side in (0, 1) if truth else (1, 0):
        best = max((strength[side] for strength in strengths.values()), default=0)
        if best:
            return [c for c, strength in strengths.items() if strength[side] == best]
    return fits


def as_run(columns: Sequence[ColumnProfile]) -> list[ColumnProfile]:
    """The columns of a file of predictions alone: its one column of labels is theirs.

    Where names say nothing, the ids are the one column of words or numbers that are all different.
    """
    bare = [replace(c, role="" if c.role in (TRUE, PRED) else c.role) for c in columns]
    plain = [c for c in bare if not c.role and not c.missing]
    labels = labels_of(plain, None, truth=False)
    ids = [c for c in plain if c.is_key and not any(" " in e for e in c.examples)]
    ids = [] if any(c.role == ID for c in bare) else ids
    return [replace(c, role=PRED if labels == [c] else ID if ids == [c] else c.role) for c in bare]


def _strength(name: str, patterns: Sequence[str]) -> int:
    bare = words(name)
    fits = (i for i, p in enumerate(patterns, 1) if re.fullmatch(p, bare))
    return max(fits, default=0)


def _listed(column: ColumnProfile) -> bool:
    """Whether a column of lists is called as labels are."""
    return column.type == "lists" and bool(column.truth_name or column.guess_name)


def within(column: ColumnProfile, labels: frozenset[str] | None) -> bool:
    """Whether at least half of the labels of a column are among others, ``1.0`` for ``1``."""
    if not column.values or not labels:
        return False
    values, others = ({_roles_bare(v) for v in side} for side in (column.values, labels))
    return 2 * len(values & others) >= len(values)


def _roles_bare(label: str) -> str:
    """A label as it is written where no value is missing: ``1`` for ``1.0``, ``true``."""
    whole = re.sub(r"^(-?[0-9]+)\.0$", r"\1", label)
    return whole.lower() if whole.lower() in ("true", "false") else whole

"""Checks of files that can be read, but hardly as they are meant."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import fields
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from evenhand.data.cells import Numbers
from evenhand.data.confusion import Confusion
from evenhand.data.counting import TOTALS
from evenhand.data.factorize import escape_column, trim, values_of
from evenhand.data.label_checks import is_number, misspelt_truth, refuse_renamed
from evenhand.data.labels import Label, Labels, folded
from evenhand.data.matching import EVERY_ROW, words
from evenhand.data.multilabel import AnyTable
from evenhand.data.roles import names_predictions
from evenhand.errors import Command, InputError, Option, shown
from evenhand.io.columns import ReadOptions
from evenhand.io.delimited import TextLayout, parse_name
from evenhand.io.detection import HEADING
from evenhand.io.items import TRUE_COLUMN, Items, LabelPlace, Renaming, begins_with_zero
from evenhand.io.sources import Source, bare_suffix, is_stream
from evenhand.text import counted
from evenhand.warnings import (
    EqualToTruth,
    FileLayout,
    HeaderCounted,
    LayoutFound,
    ResultWarning,
    SortedRows,
)

_TRUTH = re.compile(
    r"(.* )?(gold|truth)( .*)?|((answer|dev|eval|test) )?(keys?|labels|refs?|reference|y true)"
)
"""Names of files of truth, in words."""
_MAY_BE_TRUTH = re.compile(
    rf"{_TRUTH.pattern}|(.* )?(annotated|annotations?|dev|eval|expected|human|keys?|labels|refs?|"
    r"references?|targets?|test|true|val|valid|validation|y)( .*)?"
)
_RUN = re.compile(
    r"(.* )?(guess|model|out|outputs?|preds?|predicted|predictions?|run|system)( .*)?"
)
_LIST = re.compile(r"\[.*\]|\{.*\}|\(.*,.*\)", re.DOTALL)
_MARKS = "|;,"
_FOOTER = re.compile(
    rf"{TOTALS.pattern}|((macro|micro|weighted) )?"
    r"(accuracy|precision|recall|f1( score)?|avg|average)"
)
"""What is written before a sum or a score below the items."""
_NOTE = re.compile(
    r"(#|--).*|(?i:eof|end|mean|average|avg|accuracy|totals?|source:.*|exported.*"
    r"|\(?[0-9,]+ rows affected\)?)"
)
"""What stands for an id in a last row that is a note below the items."""
_NUMBER = re.compile(r"[0-9.,]+%?$")
_STRAY = re.compile(
    r"#( .*)?|-{3,}|={3,}|_{3,}|BEGIN|END|EOF|\(?[0-9]+ (rows?|items?|lines?|records?)\)?"
    r"|(gold|true|predicted)?[_ .-]?labels?|y_true|y_pred|pred(s|icted|ictions?)?"
)
"""Lines that are no labels: a comment, a rule, a mark, a number of rows, a heading."""
_ID_AND_LABEL = re.compile(r"(\S+?)([:=]|\s+)(\S+)")
AS_THEY_ARE = ("; texts are taken as they are where ", Option("labels"), " names the classes")
FEW = 10
"""Items from which on a pattern in them is no chance."""
NO_LABEL = ("na", "n/a", "#n/a", "nan", "?", "-100")
"""What stands for no label."""
MOST_ROWS = 200_000
"""Rows among which copies are looked for."""


def refuse_order(options: ReadOptions) -> None:
    """Refuse a file that is named as the truth after one that is not; a system's name is no such.

    After one that is named as predictions, a name that only may be that of truth is enough.

    >>> refuse_order(ReadOptions(files=("a.txt", "gold.txt")))
    Traceback (most recent call last):
    evenhand.errors.InputError: the truth comes first, and gold.txt ...
    """
    files = [parse_name(name) for name in options.files]
    stems = ["" if file.system else words(Path(file.name).stem) for file in files]
    is_told = options.true or options.pred or is_stream(files[0].name)
    if is_told or _MAY_BE_TRUTH.fullmatch(stems[0]):
        return
    truth = _MAY_BE_TRUTH if _RUN.fullmatch(stems[0]) else _TRUTH
    for file, stem, name in list(zip(files, stems, options.files, strict=True))[1:]:
        if truth.fullmatch(stem) and not _RUN.fullmatch(stem):
            raise InputError(
                f"the truth comes first, and {file.name} is named as if it were that: ",
                Command((), first=(name, options.files[0])),
                f"; if it holds predictions, give their system a name: {stem.split()[0]}={name}",
            )


def refuse_copies(paths: Sequence[str]) -> None:
    """Refuse two files with the same bytes, of which some lines differ: items would count twice."""
    known: dict[tuple[int, bytes, str], str] = {}
    sizes = [Path(path).stat().st_size for path in paths]
    for path, size in zip(paths, sizes, strict=True):
        if sizes.count(size) < 2:
            continue
        with open(path, "rb") as file:
            varied = len(set(file.read(1 << 16).split(b"\n"))) > FEW
            file.seek(0)
            digest = hashlib.file_digest(file, "sha256").digest()
        folders = "/".join(part for part in Path(path).parts if "=" in part)
        other = known.setdefault((size, digest, folders), path)
        if varied and other != path:
            raise InputError(
                f"{other} and {path} hold the same bytes, and items would count twice: leave one "
                "out"
            )


def refuse_packed_labels(labels: Sequence[Label], *, lines: bool) -> None:
    """Refuse true labels that are several in one text, or an id and a label in one line."""
    texts = [v for v in labels if isinstance(v, str)]

    def refusal(reason: str, option: str, value: str) -> InputError:
        return InputError(f"{reason}: ", Command((Option(option, value),)), *AS_THEY_ARE)

    pairs = [pair for v in texts if lines and (pair := _ID_AND_LABEL.fullmatch(v))]
    marks = {pair[2].strip() for pair in pairs}
    few, many = sorted(len({pair[i] for pair in pairs}) for i in (1, 3))
    are_pairs = len(pairs) == len(texts) == many >= max(FEW, 2 * few) and len(marks) == 1
    is_wide = are_pairs and few > 1 and any(len(pair[2]) > 1 for pair in pairs)
    if is_wide or (lines and all(re.fullmatch(r'"[^"]*"( "[^"]*")+', v) for v in texts)):
        raise InputError(
            f"lines such as {texts[0]!r} look like columns set apart by spaces: put one comma or "
            "tab between them",
            *AS_THEY_ARE,
        )
    lists = [v for v in texts if _LIST.fullmatch(v)]
    if 2 * len(lists) > len(texts) and any("," in v for v in lists):
        raise refusal(f"labels such as {lists[0]!r} look like lists", "kind", "multi-label")
    spaced = [v for v in texts if " " in v]
    if len({tuple(sorted(v.split())) for v in spaced}) < len(spaced):
        reason = f"{spaced[0]!r} looks like several labels, which come in another order too"
        raise refusal(reason, "separator", " ")
    alone = {v for v in texts if not any(mark in v for mark in _MARKS)}
    for mark in _MARKS:
        joint = [v for v in texts if mark in v]
        fits = [v for v in joint if alone & {part.strip() for part in v.split(mark)}]
        parts = {part.strip() for v in texts for part in v.split(mark)}
        if fits and 2 * len(fits) > len(joint) and len(parts) < len(texts):
            raise refusal(f"{fits[0]!r} looks like several labels", "separator", mark)
    if are_pairs and few > 1:
        reason = f"lines such as {texts[0]!r} look like an id and a label"
        raise refusal(reason, "delimiter", marks.pop() or " ")


# Checks of what was counted: files that fit together, and yet can hardly be meant.


def checked_items(items: Items, data: Any, *, is_part: bool) -> Iterator[ResultWarning]:
    """Warnings of items once they are counted; what can hardly be meant is refused.

    What ``is_part`` of what is counted may look strange where all of it does not.
    """
    margins = LabelMargins.from_data(items, data)
    chosen = {f.name for f in fields(items.options) if getattr(items.options, f.name)}
    chosen |= {*items.truth.source.layout.fixed, *["part"] * is_part}
    for check, exceptions in CHECKS.items():
        if chosen.isdisjoint(exceptions):
            yield from check(items, margins) or ()


class LabelMargins(NamedTuple):
    """The amounts of each class in ``tables``, of predictions by system, all slices together."""

    tables: Any
    labels: Labels
    true: Numbers
    predicted: Numbers
    right: Numbers
    answered: Numbers

    @classmethod
    def from_data(cls, items: Items, data: Any) -> LabelMargins:
        """Those of the systems of the items, and which of them predict anything."""
        table: AnyTable = data.tables()
        systems = len(items.systems)
        true, predicted, right, outside = (
            np.asarray(x).reshape(systems, -1, len(table.labels)).sum(axis=1)
            for x in (table.prevalence, table.bias, table.correct, table.outside)
        )
        missing = np.asarray(table.missing).reshape(systems, -1).sum(axis=1)
        answered = predicted.any(axis=1) | (outside.sum(axis=1) > missing)
        return cls(table, table.labels, true[0], predicted, right, answered)

    @property
    def items(self) -> dict[Label, Any]:
        """How many items each label is true of, if of any."""
        return {v: n for v, n in zip(self.labels, self.true, strict=True) if n}


def refuse_truth_itself(items: Items, _: LabelMargins) -> None:
    """Refuse a system that is the truth, by whatever name of its file."""
    gold, options = _identities(items.truth.source), items.options
    for place in items.systems.values():
        if place.column == items.truth.column and gold & _identities(place.source):
            advice: tuple[str | Option, ...] = ()
            if len(items.systems) > 2 and not options.keep_going:
                advice = ("; ", Option("keep_going"), " goes on without it")
            raise InputError(f"{place} is the truth itself, expected predictions", *advice)


def refuse_zero(items: Items, _: LabelMargins) -> None:
    """Refuse files of numbers that begin with 0, which pandas writes above a column too."""
    gold, *runs = items.sources
    if begins_with_zero(gold) and any(map(begins_with_zero, runs)):
        raise InputError(
            f"{gold.name} and its runs begin with 0, an item or pandas' heading of the column: ",
            *(Command((Option("no_header"),)), " or ", Command((Option("label", "0"),))),
        )


def _identities(source: Source) -> set[tuple[int, int]]:
    """What all names of a file share."""
    return {(facts.st_dev, facts.st_ino) for facts in map(os.stat, source.paths)}


def _system_places(items: Items) -> list[str]:
    """Where the predictions of each system stand."""
    is_long = items.options.system is not None
    return [f"{p}, system {name!r}" if is_long else str(p) for name, p in items.systems.items()]


def refuse_packed(items: Items, margins: LabelMargins) -> None:
    """Refuse true labels that are several in one text, where there are some."""
    lines, amount = not items.truth.source.has_columns, margins.true.sum()
    if amount < FEW:
        return
    refuse_packed_labels(list(margins.items), lines=lines)
    texts = [v for v in margins.items if re.search(r"[^\w\s-]", str(v))]
    if lines and 5 * len(texts) >= 4 * amount >= 8 * FEW:
        text = f"{items.truth} has lines such as {texts[0]!r} that hardly come again, as labels do"
        raise InputError(f"{text}: give a table with a column of labels", *AS_THEY_ARE)


def names_apart(items: Items, margins: LabelMargins) -> tuple[ResultWarning, ...]:
    """A warning of misspelt true labels; a class of two names is refused."""
    if not isinstance(margins.tables, Confusion) or margins.tables.soft:
        return ()
    rename = (Option("mapping"), " gives it one name")
    refuse_renamed(margins.tables, _system_places(items), rename)
    return misspelt_truth(margins.tables)


def refuse_strange_labels(items: Items, margins: LabelMargins) -> None:
    """Refuse a system that predicts labels, but none that is true of any item.

    Classes that a person lists are known, true or not. Without any prediction there is no label
    to be strange.
    """
    _, labels, true, predicted, _, answered = margins
    known = np.ones_like(true, bool) if items.options.labels else true > 0
    shared: Any = (known & (predicted > 0)).any(axis=1)
    for i in np.flatnonzero(true.any() & answered & ~(shared & ~_are_scores(margins))):
        left, right = (
            [v for v, n in zip(labels, x, strict=True) if n] for x in (true, predicted[i])
        )
        came = shown(right) if right else "none of the classes listed"
        text = (
            f"{_system_places(items)[i]} shares {'hardly a' if shared[i] else 'no'} label with "
            f"{items.truth}: expected such as {shown(left)}, got {came}"
        )
        hint: tuple[str | Option, ...] = ("; ", Option("mapping"), " gives labels other names")
        expected, got = ({float(str(v)) for v in side if is_number(v)} for side in (left, right))
        if all(map(is_number, right)) and got <= expected:
            text += "; they are the same numbers, written differently"
        elif any(str(v) not in ("0", "1") for v in right) and all(map(_is_fraction, right)):
            hint = ("; numbers for classes are read with ", Option("probabilities"))
        elif {str(v).casefold() for v in left} & {str(v).casefold() for v in right}:
            hint = ("; they differ in case, which ", Option("ignore_case"), " ignores")
        elif set(map(folded, left)) & set(map(folded, right)):
            text += "; they differ in spaces or Unicode form"
        raise InputError(text, *hint)


def refuse_no_labels(items: Items, margins: LabelMargins) -> None:
    """Refuse what stands for no label, and classes that are numbered otherwise than the truth's."""
    numbers = {
        i: int(str(v)) for i, v in enumerate(margins.labels) if re.fullmatch("[0-9]{1,6}", str(v))
    }
    true = {number for i, number in numbers.items() if margins.true[i]}
    for place, amounts in zip(items.systems.values(), margins.predicted, strict=True):
        predicted = {number for i, number in numbers.items() if amounts[i]}
        if len(true) > 1 and predicted in ({n - 1 for n in true}, {n + 1 for n in true}):
            raise InputError(
                f"{place} has the classes {shown(sorted(predicted))} and {items.truth} has "
                f"{shown(sorted(true))}: they are numbered from different numbers; ",
                Option("labels"),
                " names the classes if not",
            )
    never = margins.predicted.sum(axis=0) == 0
    for label, n, is_odd in zip(margins.labels, margins.true, never, strict=True):
        if n and is_odd and str(label).casefold() in NO_LABEL:
            raise InputError(
                f"{items.truth} has {label!r} for {counted(n, 'item')}, which no system "
                "predicts: leave it empty if they have no label, or name the classes with ",
                Option("labels"),
            )


def _are_scores(margins: LabelMargins) -> Any:
    """Whether most labels that a system predicts for two classes 0 and 1 lie between them."""
    is_flag = np.array([_is_fraction(v) and float(v) in (0, 1) for v in margins.labels])
    between = np.array([_is_fraction(v) for v in margins.labels]) & ~is_flag
    many = ((margins.predicted > 0) & between).sum(axis=1) > 2
    return many & (is_flag | (margins.true == 0)).all()


def _is_fraction(label: Label) -> bool:
    """Whether a label is a number from 0 to 1, as probabilities are."""
    with suppress(ValueError):
        return 0 <= float(label) <= 1
    return False


def refuse_stray_rows(items: Items, margins: LabelMargins) -> None:
    """Refuse a first or last row that is no item: a second heading, a total, a print-out's end.

    It has the one label that comes once where all others come often, in the predictions too; or
    it is named as totals, or is a frequent one cut short.
    """
    labels, amounts = list(margins.labels), margins.items
    once = [v for v, n in amounts.items() if n == 1]
    often = len(once) == 1 and min((n for n in amounts.values() if n > 1), default=0) >= FEW
    frames = items.frame.select(items.columns), items.truth.source.frame
    for place, is_last in (("first", False), ("last", True)) if once else ():
        row, cells = (_end(frame, is_last=is_last) for frame in frames)
        guesses = [v for v in row[1:] if v is not None and v in labels]
        sizes = [n[labels.index(v)] for v, n in zip(guesses, margins.predicted, strict=False)]
        first, *others = map(str, row)
        totals = first.isdecimal() and any(TOTALS.fullmatch(words(str(v))) for v in cells)
        footer = _FOOTER.fullmatch(words(first)) and all(map(_NUMBER.match, others))
        alone = often and all(n == 1 for n in sizes)
        likes = (str(v).startswith(first) for v, n in amounts.items() if n >= FEW)
        is_cut = len(first) > 1 and not any(map(str.isdecimal, first)) and any(likes)
        if row[0] in once and (alone or (is_last and (totals or footer or is_cut))):
            raise InputError(
                f"{items.truth}: the {place} row ({', '.join(map(str, cells))}) is no item, as its "
                "label comes once: take it out, or name the classes with ",
                Option("labels"),
            )


def _end(frame: Any, *, is_last: bool) -> tuple[Any, ...]:
    """The first or the last row of a lazy frame."""
    rows = (frame.tail(1) if is_last else frame.head(1)).collect()
    return tuple(trim(rows, rows.columns).row(0))


def refuse_note(items: Items, margins: LabelMargins) -> None:
    """Refuse a last row that has a note for an id, where the first ids have numbers in them."""
    import polars as pl

    frame = items.truth.source.frame
    if margins.true.sum() > MOST_ROWS:
        return
    schema = frame.collect_schema().names()
    ends = trim(pl.concat([frame.head(FEW), frame.tail(1)]).collect(), schema)
    for column in schema if len(ends) > 2 else ():
        if column == items.truth.column or ends[column].dtype.is_nested():
            continue
        *first, _, last = map(str, ends[column])
        if _NOTE.fullmatch(last) and all(
            any(map(str.isdecimal, v)) and not _NOTE.fullmatch(v) for v in first
        ):
            raise InputError(
                f"{items.truth}: the last row ({', '.join(map(str, ends.row(-1)))}) is no item, as "
                f"it has a note in {column!r}: take it out of all files, or name the classes with ",
                Option("labels"),
            )


def refuse_marks(items: Items, margins: LabelMargins) -> None:
    """Refuse a few true labels that are no labels, and that all systems have on the same rows.

    They are headings, comments, rules, marks, or numbers of rows or of the items of a class.
    """
    truth, labels, true = items.truth, margins.labels, margins.true
    heads = {p.column for p in (truth, *items.systems.values()) if p.source.has_header}
    known = {str(v).casefold() for v in labels}

    def is_mark(label: Label) -> bool:
        name, colon, number = str(label).partition(":")
        is_sum = colon and name.casefold() in known and not number.strip(" 0123456789")
        is_head = label in heads and _is_heading(truth, label)
        return is_head or bool(is_sum) or _STRAY.fullmatch(str(label)) is not None

    right, predicted = margins.right, margins.predicted
    marks = np.array(list(map(is_mark, labels)), bool)
    numbers = np.array([str(v).isdecimal() for v in labels], bool)
    few = 0 < FEW * true[numbers].sum() <= true.sum()
    if few and (true == right)[:, numbers].all():
        ends = [list(map(str, row)) for row in truth.source.frame.tail(FEW).collect().rows()]
        heads = {f"{v}:" for v in known}
        sums = {v for row in ends if not heads.isdisjoint(map(str.casefold, row)) for v in row}
        marks |= numbers & np.array([str(v) in sums for v in labels], bool)
    amount = true[marks].sum()
    all_or_none = ((right == 0) | (right == true))[:, marks].all()
    same = (predicted[:, marks].sum(axis=1) == amount).all() and all_or_none
    if 0 < amount <= true.sum() / FEW and same:
        strays = [v for v, is_stray in zip(labels, marks, strict=True) if is_stray]
        strays = [v for v in strays if v in margins.items]
        at, _ = items.first_row(TRUE_COLUMN, lambda column: column.is_in(strays))
        raise InputError(
            f"{truth}{at}: {shown(strays)} is no item, and every system has it on the same "
            "rows: take it out, or name the classes with ",
            Option("labels"),
        )


def refuse_repeated_truth(items: Items, _: LabelMargins) -> None:
    """Refuse true labels that repeat as a block: those of several systems, or of copied rows."""
    truth = items.frame.select(TRUE_COLUMN).head(MOST_ROWS).collect().to_series()
    rows = len(truth)
    if rows == MOST_ROWS or truth.dtype.is_nested():
        return
    sizes = (m for m in range(1, rows // 2 + 1) if rows % m == 0)
    size = next((m for m in sizes if truth[m:].eq_missing(truth[:-m]).all()), rows)
    if 2 * FEW < size < rows and 2 * truth[:size].n_unique() <= size:
        raise InputError(
            f"{items.truth} has the same {size:,} true labels {rows // size} times, one after the "
            "other: several systems or samples of an item need ",
            *(Option("system"), ", ", Option("sample"), " or ", Option("cluster"), *EVERY_ROW),
        )


def sorted_rows(items: Items, _: LabelMargins) -> Iterator[ResultWarning]:
    """A warning of predictions that are sorted by label and not as the truth, matched by row.

    Labels that hardly repeat are sorted in any order.
    """
    is_matched = len(items.sources) < 2 or items.options.id is not None
    if is_matched or items.frame.collect_schema()[TRUE_COLUMN].is_nested():
        return
    true, *guesses = items.frame.select(items.columns).head(MOST_ROWS).collect()
    names = [
        system
        for system, column in zip(items.systems, guesses, strict=True)
        if (column != column.shift()).sum() == (k := column.n_unique()) - 1 > 0
        and 2 * k <= len(column) > 2 * FEW
        and (column != true).any()
    ]
    if names:
        yield SortedRows(tuple(names), items.truth.source.name)


def equal_to_truth(items: Items, margins: LabelMargins) -> Iterator[ResultWarning]:
    """A warning of the systems whose every label is that of the truth.

    It is refused if its column is called as that of the truth, and another may hold predictions.
    """
    true, predicted, right = margins.true, margins.predicted, margins.right
    equal = ((right == true) & (right == predicted)).all(axis=1)
    names = tuple(name for name, same in zip(items.systems, equal, strict=True) if same)
    for place in map(items.systems.__getitem__, names):
        others = [c.name for c in place.source.profiles if names_predictions(c.name)]
        if others and place.column == items.truth.column and place.column not in others:
            raise InputError(
                f"{place} is the truth on every item, and {shown(others)} may hold the "
                "predictions: leave out ",
                Option("label"),
                ", or say which with ",
                Option("pred"),
            )
    if names and true.any():
        yield EqualToTruth(names)


def headers_counted(items: Items, margins: LabelMargins) -> Iterator[ResultWarning]:
    """A warning of files of a label per line whose first occurs nowhere else, as does a header."""
    rename, sides = Renaming(items.options), [margins.true, *margins.predicted]
    sources = [place.source for place in (items.truth, *items.systems.values())]
    firsts = [s.rows[0][0] if s.kind == "lines" and not s.has_header else "" for s in sources]
    headers: dict[str, str] = {}
    for source, first, amounts in zip(sources, firsts, sides, strict=True):
        if not first or rename(first) not in margins.labels:
            continue
        code = margins.labels.index(rename(first))
        own = [side for side, other in zip(sides, firsts, strict=True) if other == first]
        alone = amounts[code] == 1 and sum(side[code] for side in sides) == len(own)
        others = [np.delete(side, code) for side in own]
        if alone and all(n.any() and n[n > 0].min() > 1 for n in others):  # all come again
            headers[source.name] = first
    if headers:
        yield HeaderCounted(tuple(headers.items()))


def refuse_rule(items: Items, margins: LabelMargins) -> None:
    """Refuse a table in Markdown with its line of dashes."""
    source = items.truth.source
    if source.delimiter == "|" and any(re.fullmatch(":?-{3,}:?", str(v)) for v in margins.labels):
        raise InputError(f"{source.name} is a table in Markdown: take out the line of dashes")


def refuse_heading(items: Items, margins: LabelMargins) -> None:
    """Refuse a true label that is the heading of its column: a header among the rows."""
    column = items.truth.column
    amount = margins.items.get(column or "0", 0) if items.truth.source.has_header else 0
    if column in (None, "0") or not amount:
        return
    if (amount == 1 or HEADING.fullmatch(column)) and _is_heading(items.truth, column):
        raise InputError(
            f"{items.truth}: the heading is a true label too, of {counted(amount, 'item')}: take "
            "out the header among the rows, or say that it is a label with "
            f"{items.truth.source.name}::header=yes"
        )


def _is_heading(truth: LabelPlace, label: Label) -> bool:
    """Whether a label called as its column may be a heading: another cell of its row is one too."""
    import polars as pl

    schema = truth.source.schema
    if truth.column not in schema or len(schema) == 1:
        return True
    is_label = pl.col(escape_column(str(truth.column))).cast(pl.String).str.strip_chars() == str(
        label
    )
    rows = truth.source.frame.filter(is_label).head(MOST_ROWS).collect()
    others = [c for c, dtype in schema.items() if c != truth.column and dtype == pl.String]
    cells = ((c, str(v).strip()) for c in others for v in {*values_of(rows, c)})
    return any(v == c or HEADING.fullmatch(v) for c, v in cells)


CHECKS: dict[Callable[[Items, LabelMargins], Iterable[ResultWarning] | None], tuple[str, ...]] = {
    refuse_truth_itself: (),
    refuse_zero: ("no_header",),
    refuse_rule: (),
    refuse_heading: ("header",),
    refuse_stray_rows: ("labels", "weights", "system", "probabilities"),
    refuse_note: ("labels", "by_row"),
    refuse_marks: ("labels", "weights", "probabilities", "header"),
    refuse_packed: ("kind", "separator", "labels"),
    refuse_strange_labels: ("part",),
    refuse_no_labels: ("part", "labels", "probabilities"),
    names_apart: ("part", "labels"),
    refuse_repeated_truth: ("part", "by_row", "by", "cluster", "system", "probabilities"),
    sorted_rows: ("part", "by_row", "kind", "separator", "probabilities"),
    equal_to_truth: ("part",),
    headers_counted: ("weights",),
}
"""The checks in their order, and the options that say that what they refuse is meant."""


def layouts_found(items: Items) -> Iterator[ResultWarning]:
    """A warning of the files whose layout is not as their names and the options say."""
    expected = items.options.layout
    files = [layout for file in items.sources if (layout := _unexpected(file, expected))]
    if files:
        yield LayoutFound(tuple(files))


def _unexpected(source: Source, expected: TextLayout) -> FileLayout | None:
    """What of a file's layout is not as its name and the options say."""
    layout, fields = source.layout, dict[str, Any]()
    header = source.kind != "lines" and expected.header is not False
    if source.kind in ("csv", "tsv", "excel", "lines") and bool(layout.header) != header:
        fields["header"] = bool(layout.header)
    if source.kind in ("csv", "tsv"):
        marks = {".tsv": "\t", ".tab": "\t", ".csv": ",", ".txt": "", ".labels": ""}
        usual = expected.delimiter_char or marks.get(bare_suffix(source.name), ",\t")
        if str(source.delimiter) not in usual:
            fields["delimiter"] = source.delimiter
    if layout.encoding != expected.encoding:
        fields["encoding"] = layout.encoding
    fields = {name: v for name, v in fields.items() if name not in layout.fixed}
    if fields.get("header") and source.kind == "lines":
        fields["heading"] = source.rows[0][0]
    return FileLayout(source.name, **fields) if fields else None

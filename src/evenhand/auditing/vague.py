"""Vague: precision, recall and F1 under headings that do not say which average, or which class.

They are told by what they do. Where F1 is 2PR/(P+R) in every row they may be of one class, micro
averages or an F1 of averages: no formula can be told. Where recall is accuracy they are weighted.
Else they are macro averages, and F1 is the question.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from evenhand.auditing.columns import PER_CLASS, Column, column
from evenhand.auditing.printed import is_number, read_number
from evenhand.auditing.ranges import Range, harmonic
from evenhand.auditing.values import read_value

QUESTION = column("macro_f1")
"""An F1 of all classes, whichever formula it is."""
ONE = "?"
"""The name of a class that nobody names."""

Rows = Sequence[Sequence[str]]


def told(
    columns: Mapping[int, Column], vague: Mapping[int, str], rows: Rows, *, sized: bool
) -> tuple[dict[int, Column], str]:
    """The columns with those that are ``vague``, each a part, as what they do says, and what that
    is: "one", "weighted", "macro", or nothing where they are not used.

    They are not used beside an average that has a name, or if sizes of classes are given that
    they may be of; beside classes, F1 alone is.
    """
    rest = {j: c for j, c in columns.items() if j not in vague}
    at = {part: j for j, part in vague.items()}
    twice = len(at) < len(vague)
    if not vague or twice:
        return dict(columns), "macro" if vague else ""
    if {c.of for c in rest.values() if c.kind == "metric"} & {columns[j].of for j in vague}:
        return rest, ""
    if any(c.kind in PER_CLASS for c in rest.values()):
        return rest | {j: columns[j] for j in at.values() if columns[j].of == QUESTION.of}, "macro"
    if all(part in at for part in PER_CLASS) and all(products(rows, at)):
        if sized:
            return rest, ""
        ones = {j: _named(f"{part}[{ONE}]", columns[j]) for part, j in at.items()}
        return rest | ones, "one"
    accuracy = next((j for j, c in rest.items() if c.of == "accuracy"), None)
    named = any("macro" in c.of or "weighted" in c.of for c in rest.values())
    if (
        accuracy is not None
        and "recall" in at
        and not named
        and _alike(rows, accuracy, at["recall"])
    ):
        weighted = {
            j: _named(f"weighted_{part}", columns[j]) for part, j in at.items() if part != "f1"
        }
        return dict(columns) | weighted, "weighted"
    return dict(columns), "macro"


def _named(name: str, was: Column) -> Column:
    found = column(name)
    header = found.header if found.kind in PER_CLASS else was.header
    return replace(found, header=header, printed=was.header)


def products(rows: Rows, at: Mapping[str, int]) -> Iterable[bool]:
    """Of every row with precision, recall and F1: whether F1 can be 2PR/(P+R)."""
    for row in rows:
        found = [_range(row[at[part]]) for part in PER_CLASS]
        if all(found):
            p, r, f = (x for x in found if x is not None)
            yield harmonic(p, r).meets(f)


def _alike(rows: Rows, one: int, other: int) -> bool:
    """Whether two columns have the same values in every row, as far as they are printed."""
    pairs = [(_range(row[one]), _range(row[other])) for row in rows]
    return all(a.meets(b) for a, b in pairs if a is not None and b is not None)


def _range(text: str) -> Range | None:
    found = read_value(text).text
    value = read_number(found) if is_number(found) else None
    return None if value is None else value.range(1)

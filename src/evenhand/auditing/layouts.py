"""Layouts: which cell of a printed table is which score of which system.

Systems stand below each other, with a class over each group of columns; or classes do, as in the
report of a library, with a system over each group; or metrics do, with systems across.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain

from evenhand.auditing.beside import meanings
from evenhand.auditing.classes_down import classes_down
from evenhand.auditing.columns import PER_CLASS
from evenhand.auditing.headed import USED, Asked, Headed, asked_for, heads_of, named, parted, turned
from evenhand.auditing.headers import SPLITS, combined, distinct, read_heading, unsaid
from evenhand.auditing.laid import Laid, Record
from evenhand.auditing.vague import QUESTION, products, told
from evenhand.auditing.values import is_value
from evenhand.errors import InputError, shown
from evenhand.files.printed.table import PrintedTable

_NO_SYSTEM = frozenset({"average", "avg", "avg.", "mean", "median", "std", "std.", "stdev", "δ",
                        "delta", "diff", "diff.", "difference", "improvement", "gain", "p-value",
                        "p value", "p", "sd"})  # fmt: skip
_SIDES = frozenset({"pos", "positive", "neg", "negative", "neu", "neutral", "none", "favor",
                    "favour", "against", "hate", "offensive", "yes", "no"})  # fmt: skip
"""Names that classes have, and data sets have not."""
_Named = tuple[str, int, Sequence[str]]
"""A row with its name and its line."""


def laid(table: PrintedTable, where: str, asked: Asked) -> list[Laid]:
    """The systems of a table; of several tables where its groups of columns are data sets."""
    table = parted(table)
    if asked.columns:
        return _systems_down(Headed(named(table, asked.columns, where), where, asked))
    body = Headed(replace(table, heads=heads_of(table, asked)), where, asked)
    if not body.used and (parts := _systems_down(body)):
        return parts
    if (not body.used or body.has_scores_down) and (other := turned(body)) is not None:
        body = Headed(other, where, asked)
    return [classes_down(body)] if body.has_classes_down else _systems_down(body)


def _systems_down(body: Headed) -> list[Laid]:
    """One table; or one for each data set, as if its name did not stand over the columns."""
    caption, records = body.table.caption, _records(body)
    groups = _data_sets(body, records)
    if not groups:
        levels = {j: body.levels[j] for j in body.used}
        one = _of_columns(body, levels, records, caption)
        return [one] if one.columns else []
    found = []
    for group, inside in groups.items():
        levels = {j: [t for t in body.levels[j] if t.strip() != group] for j in inside}
        title = f"{caption}: {group}" if caption else group
        found.append(_of_columns(body, levels, records, title, chain(*groups.values())))
    return [one for one in found if one.columns]


def _of_columns(
    body: Headed,
    levels: Mapping[int, Sequence[str]],
    records: Sequence[_Named],
    caption: str,
    apart: Iterable[int] = (),
) -> Laid:
    """The records under some columns, others being a table ``apart``."""
    meant = meanings(levels)
    found = {j: asked_for(said, body.asked) or meant[j] for j, said in levels.items()}
    columns = {j: c for j, c in found.items() if c.kind in USED and c.header.strip() != "#"}
    vague = {j: combined(levels[j]).part for j in columns
             if unsaid(levels[j]) and not asked_for(levels[j], body.asked)}  # fmt: skip
    rows = [row for _, _, row in records]
    columns, taken = told(columns, vague, rows, sized=bool(body.asked.labels))
    kinds = [(c.kind, c.of) for c in columns.values()]
    twice = [" ".join(distinct(levels[j])) for j, c in columns.items()
             if kinds.count((c.kind, c.of)) > 1]  # fmt: skip
    if twice:
        raise InputError(
            f"{body.where}: expected each column once, got {shown(dict.fromkeys(twice))}"
        )
    naming = [j for j in body.labels if all(row[j].strip() in name for name, _, row in records)]
    used = {*columns, *body.labels[:1], *naming, *apart}
    left = [c.printed or c.header for j, c in enumerate(body.columns) if j not in used]
    kept = [r for r in records if len(records) == 1 or _is_system(r[0], [r[2][j] for j in columns])]
    left += [f"row {r[0]}" for r in records if r not in kept]
    return Laid(
        caption,
        {c.header: c for c in columns.values()},
        tuple(Record(name, line, {c.header: row[j] for j, c in columns.items()})
              for name, line, row in kept),
        tuple(h for h in dict.fromkeys(left) if h.strip()),
        tuple(" ".join(distinct(levels[j])) for j in vague if j in columns),
        taken,
    )  # fmt: skip


def _is_system(name: str, cells: Sequence[str]) -> bool:
    """Whether a row is of a system, and not a mean of others, their differences or their test."""
    values = [c for c in cells if is_value(c)]
    if len(values) > 1 and all(v.strip().startswith(("+", "-", "−")) for v in values):
        return False
    return name.casefold().split("±")[0].strip() not in _NO_SYSTEM


def _records(body: Headed) -> list[_Named]:
    """Each row with its name, under the heading of its part where names come twice."""
    named = [j for j in body.labels if body.columns[j].kind == "name"] or body.labels
    found: list[_Named] = []
    for row, line in body.rows:
        if not any(c.strip() for j, c in enumerate(row) if j not in body.labels):
            continue  # a heading inside the table, or nothing
        found.append((row[named[0]].strip() if named else "", line, row))
    names = [name for name, _, _ in found]
    if len(set(names)) < len(names) and len(named) > 1:
        found = [(" ".join(dict.fromkeys(filter(None, (row[j].strip() for j in named)))), line, row)
                 for _, line, row in found]  # fmt: skip
    return found


def _data_sets(body: Headed, records: Sequence[_Named]) -> dict[str, list[int]]:
    """Groups of columns that are no classes: parts of the data, or data sets, by name.

    So are groups with an accuracy of their own, and groups whose F1 is often not 2PR/(P+R), unless
    an average beside them says that they are classes.
    """
    groups: dict[str, list[int]] = {}
    for j, levels in enumerate(body.levels):
        said = [text.strip() for text in distinct(levels)]
        top = read_heading(said[0]) if len(said) > 1 and j not in body.labels else None
        if top and not top.part and not top.average and combined(said).part:
            groups.setdefault(said[0], []).append(j)
    if not groups or any(
        asked_for(body.levels[j], body.asked) for js in groups.values() for j in js
    ):
        return {}
    if any(group in body.asked.labels for group in groups):
        return {}
    if all(g.casefold() in SPLITS for g in groups):
        return groups
    if all(g.casefold().strip(".") in _SIDES for g in groups):
        return {}
    averages = (QUESTION.of, "macro_precision", "macro_recall", "weighted_f1", "micro_f1")
    if any(c.kind == "metric" and c.of in averages for c in body.columns):
        return {}
    headings = [[combined(body.levels[j]) for j in js] for js in groups.values()]
    whole = [any(h.is_whole or h.average for h in of_group) for of_group in headings]
    rows = [row for _, _, row in records]
    parts = [{combined(body.levels[j]).part: j for j in js} for js in groups.values()]
    checks = [ok for at in parts if all(p in at for p in PER_CLASS) for ok in products(rows, at)]
    return groups if 2 * sum(whole) > len(whole) or 10 * checks.count(False) > len(checks) else {}

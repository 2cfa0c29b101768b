"""Classes down: a table whose rows are classes and averages, as the reports of libraries are."""

from __future__ import annotations

from dataclasses import replace

from evenhand.auditing.columns import PER_CLASS, Column, column
from evenhand.auditing.headed import Headed, average_of, is_over_items
from evenhand.auditing.headers import Heading, distinct, read_heading
from evenhand.auditing.laid import Laid, Record
from evenhand.auditing.printed import is_number, read_number
from evenhand.auditing.vague import QUESTION
from evenhand.auditing.values import is_value


def classes_down(body: Headed) -> Laid:
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
    most = max((sum(is_value(row[j]) for j in headings) for row, _ in body.rows), default=0)
    left: list[str] = []
    over_items = False
    for row, line in body.rows:
        label = row[at].strip()
        if is_over_items(label):
            left.append(f"row {label}")
            over_items = True
            continue
        if not average_of(label) and sum(is_value(row[j]) for j in headings) < min(most, 2):
            left += [f"row {label}"] if any(row[j].strip() for j in headings) else []
            continue  # another score among the classes
        for j in sorted(headings, key=lambda j: headings[j].part != "f1"):
            name = " ".join(filter(None, [*(row[k].strip() for k in naming), headings[j].rest]))
            found = _of_row(label, headings[j])
            if found is not None and found.kind == "n" and average_of(label) == "accuracy":
                # a frame of the report repeats the accuracy under every heading
                found = None if any(_alike(row[k], row[j]) for k in headings if k != j) else found
            if found is None or not row[j].strip():
                unsaid = row[j].strip() and average_of(label) == "some"
                left += [f"{label} {' '.join(distinct(body.levels[j]))}"] if unsaid else []
                continue
            if found.kind == "metric" and found.of == QUESTION.of and average_of(label) == "some":
                vague[found.header] = None
            text = " ".join(t for t in distinct(body.levels[j]) if t != headings[j].rest)
            columns.setdefault(found.header, replace(found, printed=f"{label} {text}"))
            systems.setdefault(name, {}).setdefault(found.header, row[j])
            lines.setdefault(name, line)
    records = tuple(Record(name, lines[name], cells) for name, cells in systems.items())
    used = {*body.used, at, *naming}
    unused = [c.header for j, c in enumerate(body.columns) if j not in used and c.header.strip()]
    unused = list(dict.fromkeys([*unused, *left]))
    return Laid(
        body.table.caption, columns, records, tuple(unused), tuple(vague), "macro", over_items
    )


def _alike(one: str, other: str) -> bool:
    """Whether two cells hold one number, with as many zeros at its end as it may have."""
    texts = [t.strip() for t in (one, other)]
    if not all(is_number(t) for t in texts):
        return texts[0] == texts[1]
    a, b = (read_number(t) for t in texts)
    return a is not None and b is not None and a.value == b.value


def _of_row(label: str, heading: Heading) -> Column | None:
    """What a column holds in the row of a class or of an average."""
    average, part = average_of(label), heading.part
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
        return QUESTION if part == "f1" else None
    if average:
        said = read_heading(label).part
        return column(f"{average}_{said if said in PER_CLASS else part}")
    return column(f"{part}[{label}]")

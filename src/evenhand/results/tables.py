"""How tables show themselves: in a terminal and in a notebook."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from evenhand.results.cells import Cell
from evenhand.results.grid import Grid
from evenhand.results.text import counted, html_text
from evenhand.results.writers import html, terminal

if TYPE_CHECKING:
    from evenhand.tables.confusion import Confusion
    from evenhand.tables.multilabel import MultiLabel

SHOWN = 20
"""Classes up to which a table is written out whole."""


def confusion_text(table: Confusion) -> str:
    """The cells with their margins; a line of facts where they would not fit."""
    if table.shape or table.k > SHOWN:
        return _summary(table)
    return terminal.plain(_grid(table), digits=3, label_width=20)


def confusion_html(table: Confusion) -> str:
    """The same as an HTML table."""
    if table.shape or table.k > SHOWN:
        return f"<p>{html_text(_summary(table))}</p>"
    return html.plain(_grid(table), digits=3)


def _summary(table: Confusion) -> str:
    stack = ""
    if table.shape:
        noun = "table" if table.shape == (1,) else "tables"
        stack = f"stack of {' × '.join(map(str, table.shape))} {noun}, "
    total = np.asarray(table.total, dtype=float).sum()
    lost = np.asarray(table.outside, dtype=float).sum()
    outside = f", {lost:,g} outside" if lost else ""
    classes = counted(table.k, "class", "classes")
    return f"Confusion({stack}{classes}, total {total:,g}{outside})"


def _grid(table: Confusion) -> Grid:
    lost = bool(np.any(table.outside))
    head = ["true \\ predicted", *map(str, table.labels), *(["outside"] if lost else []), "total"]
    rows: list[list[Cell]] = []
    for i, label in enumerate(table.labels):
        tail = [table.outside[i].item()] if lost else []
        rows.append([str(label), *table.cells[i].tolist(), *tail, _item(table.prevalence[i])])
    tail = [_item(table.outside.sum())] if lost else []
    rows.append(["total", *(_item(b) for b in table.bias), *tail, _item(table.total)])
    return Grid(head, rows)


def _item(x: object) -> Cell:
    return x.item() if hasattr(x, "item") else x  # type: ignore[return-value]


def multilabel_text(table: MultiLabel) -> str:
    """Margins of each label."""
    facts = f"MultiLabel({counted(table.n, 'item')}, {counted(table.k, 'label')})"
    if table.k > SHOWN:
        return facts
    rows = [
        [str(v), _item(p), _item(b), _item(c)]
        for v, p, b, c in zip(
            table.labels, table.prevalence, table.bias, table.correct, strict=True
        )
    ]
    return f"{facts}\n{terminal.plain(Grid(['label', 'true', 'predicted', 'correct'], rows))}"

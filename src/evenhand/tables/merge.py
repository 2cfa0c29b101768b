"""Merging: bring tables onto the same labels and the same keys."""

from __future__ import annotations

import operator
from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

import evenhand.tables.cells as cell
from evenhand.errors import InputError
from evenhand.tables.labels import Labels, is_ordered, one_kind, ordered, same_kind
from evenhand.tables.sparse import SparseCells
from evenhand.tables.weights import Numbers

if TYPE_CHECKING:
    from evenhand.tables.confusion import Confusion
    from evenhand.tables.sample import Sample


def beside(change: Callable[..., Any], *tables: Confusion) -> dict[str, Any]:
    """What is counted beside the cells (items, missing and dropped ones), of all the tables."""
    names = ("n", "missing", "dropped")
    return {name: change(*(getattr(t, name) for t in tables)) for name in names}


def added(table: Confusion, other: Confusion) -> Confusion:
    """Cells added up, on the labels and keys of both."""
    a, b = on_same_labels([table, other])
    a, b = on_same_keys(a, b)
    return a.of(
        a.labels,
        cell.add(a.data, b.data),
        keys=a.keys,
        axes=a.axes if a.axes == b.axes else (),
        **beside(operator.add, a, b),
    )


def shared_kind(known: str | None, table: Confusion | Sample) -> str | None:
    """The kind of a table's labels, which must be the one ``known`` of other tables, if any."""
    kind = one_kind(set(map(type, table.labels)), "labels")
    return same_kind(known, kind, "one table", "another")


def united(tables: Sequence[Confusion | Sample]) -> Labels:
    """The labels of all tables, which must be of one kind; in their natural order if all are."""
    shared = None
    for t in tables:
        shared = shared_kind(shared, t)
    union = dict.fromkeys(v for t in tables for v in t.labels)
    return tuple(ordered(union) if all(is_ordered(t.labels) for t in tables) else union)


def on_same_labels(tables: list[Confusion]) -> list[Confusion]:
    """The tables, each on the union of all labels; a shared order is kept."""
    first = tables[0].labels
    if all(
        t.labels == first and list(map(type, t.labels)) == list(map(type, first)) for t in tables
    ):
        return tables
    labels = united(tables)
    place = {v: i for i, v in enumerate(labels)}
    moved = []
    for t in tables:
        to = np.array([place[v] for v in t.labels])
        data = t.data if isinstance(t.data, SparseCells) else cell.fitting(t.data, len(labels))
        moved.append(replace(t, labels=labels, data=data.remap(to, to, len(labels))))
    return moved


def pooled(stack: Confusion) -> Confusion:
    """The tables of a stack's first axis added up."""
    added = beside(lambda x: np.asarray(np.sum(x, axis=0)), stack)
    return replace(
        stack, data=stack.data.pooled(), keys=stack.keys[1:], axes=stack.axes[1:], **added
    )


def on_same_keys(a: Confusion, b: Confusion) -> tuple[Confusion, Confusion]:
    """Two stacks with the same first-axis keys: what one lacks is an empty table there."""
    if a.keys == b.keys:
        return a, b
    if len(a.shape) != len(b.shape) or a.keys[1:] != b.keys[1:]:
        raise InputError(
            f"tables to add must have the same axes, got shapes {a.shape} and {b.shape}"
        )
    keys = tuple(dict.fromkeys((*a.keys[0], *b.keys[0])))
    return _with_keys(a, keys), _with_keys(b, keys)


def _with_keys(t: Confusion, keys: tuple[Hashable, ...]) -> Confusion:
    place = {k: i for i, k in enumerate(keys)}
    to = np.array([place[k] for k in t.keys[0]])

    def spread(x: Numbers) -> Numbers:
        out = np.zeros((len(keys), *t.shape[1:]), np.asarray(x).dtype)
        out[to] = x
        return out

    data = t.data.spread(to, len(keys))
    return replace(t, data=data, keys=(keys, *t.keys[1:]), **beside(spread, t))

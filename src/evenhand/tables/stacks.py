"""Stacks: tables side by side along a first axis, and tables chosen from them.

The functions are methods of :class:`Confusion`.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

import evenhand.tables.cells as cell
from evenhand.core.arrays import seal
from evenhand.errors import InputError, UnknownNameError, shown
from evenhand.tables.labels import in_order
from evenhand.tables.merge import beside, on_same_labels

if TYPE_CHECKING:
    from evenhand.tables.confusion import Confusion


def chosen(table: Confusion, index: Any) -> Confusion:
    """A table or part of a stack: by position (integers, slices, masks) or by key."""
    if not table.shape:
        raise TypeError("one table cannot be indexed; a stack can")
    if isinstance(index, str | tuple | bool) or index is None:
        return table.at(index)
    if isinstance(index, int | np.integer):
        if not -len(table) <= index < len(table):
            raise IndexError(f"position must be below {len(table)}, got {index}")
        keys, axes = table.keys[1:], table.axes[1:]
    else:
        wanted = np.arange(len(table))[index]
        keys = (tuple(table.keys[0][i] for i in wanted), *table.keys[1:])
        axes = table.axes
    at = int(index) if isinstance(index, np.integer) else index
    items = beside(lambda x: seal(np.asarray(np.asarray(x)[at])), table)
    return replace(table, data=table.data.take(at), keys=keys, axes=axes, **items)


def at(table: Confusion, key: Hashable) -> Confusion:
    """The table of a stack with this key."""
    if key not in table.keys[0]:
        raise UnknownNameError(f"{key!r} is not one of {shown(table.keys[0])}")
    return table[table.keys[0].index(key)]


def stack(
    tables: Mapping[Hashable, Confusion] | Sequence[Confusion], keys: Any = None
) -> Confusion:
    """Tables side by side along a new first axis, on the union of their labels."""
    parts = list(tables.values()) if isinstance(tables, Mapping) else list(tables)
    if keys is None:
        keys = tables if isinstance(tables, Mapping) else range(len(parts))
    named = keys if isinstance(keys, Mapping) else in_order(keys, "keys")
    return joined(parts, tuple(named), new_axis=True)


def concat(stacks: Sequence[Confusion]) -> Confusion:
    """Stacks one after another along their first axis, on the union of their labels."""
    parts = list(stacks)
    if any(not s.shape for s in parts):
        raise InputError("concat is for stacks; use stack() for single tables")
    return joined(parts, tuple(k for s in parts for k in s.keys[0]), new_axis=False)


def joined(parts: list[Confusion], keys: tuple[Hashable, ...], *, new_axis: bool) -> Confusion:
    """Tables side by side along a new first axis, or stacks along the one they have."""
    if not parts:
        raise InputError("a stack must have at least one table, got none")
    strange = [type(p).__name__ for p in parts if not hasattr(p, "labels")]
    if strange:
        raise InputError(f"a stack is made of tables, got {shown(strange)}")
    inner = [p.keys if new_axis else p.keys[1:] for p in parts]
    if any(k != inner[0] for k in inner):
        raise InputError("tables of a stack must have the same keys on their other axes")
    length = len(parts) if new_axis else sum(len(p) for p in parts)
    if len(keys) != length or len(set(keys)) != length:
        raise InputError(f"keys must be {length} different ones, got {shown(keys)}")
    same = on_same_labels(parts)
    axes = parts[0].axes if all(p.axes == parts[0].axes for p in parts) else ()
    together = np.stack if new_axis else np.concatenate
    return same[0].of(
        same[0].labels,
        cell.join([p.data for p in same], new_axis=new_axis),
        keys=(keys, *inner[0]),
        axes=("", *axes) if new_axis else axes,
        **beside(lambda *x: together(x), *same),
    )

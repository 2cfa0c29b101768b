"""Strays: labels that a system predicts and that are true of no item."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from evenhand.errors import shown
from evenhand.evaluate import Table, evaluate
from evenhand.labels import Label
from evenhand.table import Classes, Confusion

NAMED = 5
"""Systems whose strays are told of one by one."""


@dataclass(frozen=True)
class Stray:
    """A label that is never true, how much was predicted of it, and the true label it resembles.

    ``like`` differs from it in case, spaces or Unicode form only.
    """

    label: Label
    items: float
    like: Label | None = None


def strays_of(table: Table) -> list[tuple[Stray, ...]]:
    """The strays of every table of a stack, most frequent first; of one table, a list of one."""
    shape = (-1, table.k)
    bias, prevalence = (np.asarray(x).reshape(shape) for x in (table.bias, table.prevalence))
    stray = (prevalence == 0) & (bias > 0)
    found: list[list[Stray]] = [[] for _ in stray]
    known: list[dict[str, Label]] = []
    if stray.any():
        known = [_by_fold(table, row) for row in prevalence > 0]
    for i, j in zip(*(x.tolist() for x in stray.nonzero()), strict=True):
        label = table.labels[j]
        found[i].append(Stray(label, float(bias[i, j]), known[i].get(folded(label))))
    return [tuple(sorted(row, key=lambda s: -s.items)) for row in found]


def _by_fold(table: Table, there: Iterable[bool]) -> dict[str, Label]:
    labels = [v for v, is_there in zip(table.labels, there, strict=True) if is_there]
    return {folded(v): v for v in labels if isinstance(v, str)}


def folded(label: Label) -> str:
    """What is left of a label without case, spaces and ways of writing the same character.

    >>> folded("Not  Spam") == folded("not spam ")
    True
    """
    return "".join(unicodedata.normalize("NFKC", str(label)).casefold().split())


def merged(strays: Iterable[Stray]) -> tuple[Stray, ...]:
    """Strays of several tables as those of one, most frequent first."""
    items: dict[Label, float] = {}
    like: dict[Label, Label | None] = {}
    for s in strays:
        items[s.label] = items.get(s.label, 0) + s.items
        like[s.label] = like.get(s.label) if s.like is None else s.like
    found = (Stray(label, n, like[label]) for label, n in items.items())
    return tuple(sorted(found, key=lambda s: -s.items))


def stray_words(strays: Sequence[Stray]) -> str:
    """One sentence on labels that are never true."""
    items, names = sum(s.items for s in strays), shown(s.label for s in strays)
    text = f"{items:,g} prediction(s) are of labels that are never true ({names})"
    alike = [f"{s.label!r} and {s.like!r}" for s in strays if s.like is not None]
    if alike:
        text += f"; {', '.join(alike[:3])} differ in case, spaces or Unicode form only"
        folds = all(str(s.label).casefold() == str(s.like).casefold() for s in strays if s.like)
        text += f": is that meant? ({'--ignore-case' if folds else '--map'} joins them)"
    return text


def told(metric: str, rule: str, value: float, other_rule: str, other: float) -> str:
    """What a metric is over the classes of two rules."""
    return (
        f"; {metric} is {float(value):.4f} over the classes {rule} and {float(other):.4f} over "
        f"those {other_rule}"
    )


def stray_sentences(
    table: Table, classes: Classes, worth: float, values: Sequence[float] | None = None
) -> list[str | None]:
    """On each table's labels that are never true, with macro F1 over the classes of two rules.

    ``values`` are its macro F1, where that is known.
    """
    strays = strays_of(table)
    if not any(strays) or not isinstance(classes, str) or table.rule(classes) == "given":
        return [None] * len(strays)
    mine, rule = table.rule(classes), "true" if table.rule(classes) == "seen" else "seen"

    def over(rule: str) -> list[float]:
        found = evaluate("macro_f1", table, undefined=worth, averaged=table.averaged(rule))
        return list(np.asarray(found).reshape(-1).tolist())

    rows = zip(strays, over(mine) if values is None else values, over(rule), strict=True)
    return [
        f"{stray_words(row)}{told('macro_f1', mine, value, rule, other)}" if row else None
        for row, value, other in rows
    ]


def stray_warnings(tables: Confusion, classes: Classes, worth: float) -> list[str]:
    """The same for several systems, of which a few are named."""
    said = stray_sentences(tables, classes, worth)
    names = tables.keys[0] if tables.shape else ("",)
    found = [text if not tables.shape else f"{name}: {text}"
             for name, text in zip(names, said, strict=True) if text]  # fmt: skip
    more = len(found) - NAMED
    rest = [f"{more:,} more systems predict labels that are never true"] if more > 0 else []
    return [*found[:NAMED], *rest]

"""Checks of what was counted: labels that differ in spelling or name, and can hardly be meant."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import islice, zip_longest
from math import prod

import numpy as np

from evenhand.data.confusion import Confusion
from evenhand.data.labels import Label, folded
from evenhand.errors import InputError, Option
from evenhand.text import counted
from evenhand.warnings import MisspeltTruth, ResultWarning

MANY = 500
"""True labels among which a misspelt one is sought."""
FEW = 5
"""Items from which on two names for one class are no chance."""
FREQUENT = 20
"""The most frequent true labels, of which others may be misspellings."""
RARE = 0.1
"""A true label with at most this share of the items of a similar one may be a misspelling."""


def misspelt(label: Label, known: Iterable[str]) -> str | None:
    """The label of which another may be a misspelling, and not a neighbour as ``class 12``.

    >>> misspelt("sprot", ["sport"]), misspelt("class 9", ["class 10"]), misspelt("b-x", ["b-y"])
    ('sport', None, None)
    """
    from difflib import get_close_matches

    text = label if isinstance(label, str) else ""
    for close in get_close_matches(text, list(islice(known, MANY)), 1, cutoff=0.8):
        plain, other = (re.sub(r"\d+", "", t) for t in (text, close))
        changed = sum(a != b for a, b in zip_longest(plain, other))
        if plain[:1] == other[:1] and changed > (len(plain) == len(other)):
            return close
    return None


def refuse_renamed(
    tables: Confusion, places: Sequence[str], rename: tuple[str | Option, ...]
) -> None:
    """Refuse a system that calls a class otherwise than the truth.

    Such a class is never predicted, and on most of its items stands a label that is never true
    and seldom stands elsewhere. ``places`` are what the systems' labels are called, ``rename``
    says how labels get other names.
    """
    table, true, pred, weight, _ = tables.data.entries()
    system, k = table // (prod(tables.shape) // len(places)), tables.k
    true, pred = system * (k + 1) + true, system * (k + 1) + pred
    prevalence, bias = (np.bincount(c, weight, len(places) * (k + 1)) for c in (true, pred))
    odd = (bias[true] == 0) & (prevalence[pred] == 0) & (pred % (k + 1) < k)
    if not odd.any():
        return
    pairs, at = np.unique(np.stack([true, pred])[:, odd], axis=1, return_inverse=True)
    both = np.bincount(at.ravel(), weight[odd])
    least = np.maximum(prevalence[pairs[0]], bias[pairs[1]]) / 2
    both[both <= least] = 0
    largest = int(both.argmax())
    if both[largest] < FEW * np.sum(tables.total) / np.sum(tables.n):
        return
    old, new = pairs[:, largest]
    label, other = (tables.labels[i % (k + 1)] for i in (old, new))
    both_numbers = is_number(label) and is_number(other)
    is_same = both_numbers and float(str(label)) == float(str(other))
    advice = () if is_same else ("; if not, list all classes with ", Option("labels"))
    raise InputError(
        f"{places[old // (k + 1)]}: {label!r} is true of {counted(prevalence[old], 'item')} and "
        f"never predicted, and {other!r}, which is never true, stands on {both[largest]:,.10g} of "
        "them: if that is one class, ",
        *rename,
        *advice,
    )


def is_number(label: Label) -> bool:
    """Whether a label is a number, in any of its spellings: ``+1``, ``01``, ``1.0``."""
    return re.fullmatch(r"[-+]?[0-9]+(\.[0-9]*)?", str(label)) is not None


def misspelt_truth(tables: Confusion) -> tuple[ResultWarning, ...]:
    """A warning of rare true labels that may be misspellings of frequent ones."""
    prevalence = np.asarray(tables.prevalence).reshape(-1, tables.k).sum(axis=0)
    items = {v: n for v, n in zip(tables.labels, prevalence.tolist(), strict=True) if n}
    texts = sorted((v for v in items if isinstance(v, str)), key=items.__getitem__, reverse=True)
    pairs: list[tuple[str, str]] = []
    for label in texts[:MANY]:
        frequent = [v for v in texts[:FREQUENT] if items[label] <= RARE * items[v]]
        likely = misspelt(label, frequent)
        if likely and folded(likely) != folded(label):  # of which another warning speaks
            pairs.append((label, likely))
    return (MisspeltTruth(tuple(pairs)),) if pairs else ()

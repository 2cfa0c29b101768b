"""Cautions: what a reader must know of tables that are seen at another class mix."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from evenhand.catalogue.strays import notes_by_system, weighted
from evenhand.core.ratio import ratio
from evenhand.infer.few import FEW, FEW_HITS, rare_classes, true_items
from evenhand.notes.data import NoClass
from evenhand.notes.mix import (
    FewItems,
    FewToLearnFrom,
    LessThanAnItem,
    NeverLabelled,
    NoShare,
    TakenAsCertain,
)
from evenhand.notes.note import Note
from evenhand.notes.sure import FewHits
from evenhand.tables.confusion import Classes, Confusion
from evenhand.tables.weights import Numbers

ASSUMED = (
    "This holds if only the class mix changes: the items of each class must be like those here."
)
SHOWN_CLASSES = 50


def never_labelled(table: Confusion) -> Iterable[Note]:
    """One note if some class has no items."""
    never = _which(table, np.asarray(table.prevalence) == 0)
    if never:
        yield NeverLabelled(never)


def mix_notes(table: Confusion, mixes: Numbers) -> Iterable[Note]:
    """On the classes of a table that is seen at another mix, or at many of a sweep."""
    yield from never_labelled(table)
    swept = mixes.ndim > 1
    target = mixes.max(axis=0) if swept else mixes
    gone = _which(table, (target == 0) & (np.asarray(table.prevalence) > 0))
    if gone and not swept:  # a share of 0 is where a sweep begins, not what somebody asks for
        yield NoShare(gone)
    rare = zip(table.labels, true_items(table).tolist(), target.tolist(), strict=True)
    few = tuple(FewItems(v, n, p) for v, n, p in rare if 0 < n < FEW and p > 0)
    if few:
        yield FewToLearnFrom(few, swept)
    seldom = rare_classes(table, table.counts_over(None, 0.0))[0] == 1
    if (seldom & (target > 0)).any():
        yield FewHits(_which(table, seldom & (target > 0)), FEW, FEW_HITS)
    faint = () if swept or not table.varies else _which(table, _faint(table, mixes))
    if faint:
        yield LessThanAnItem(faint)


def _faint(table: Confusion, mix: Numbers) -> Numbers:
    """Classes whose predictions at the mix a single item of another class would more than double.

    That item of class i weighs mᵢ/nᵢ, and the predictions of j have a share of Σ mᵢ·Rᵢⱼ.
    """
    scale = np.asarray(ratio(mix, true_items(table)))
    cells = np.asarray(table.data.dense().weight)[..., : table.k]
    share = np.asarray(ratio(mix, table.prevalence)) @ cells
    others = np.where(np.eye(table.k) > 0, 0.0, scale[:, None]).max(axis=0)
    return np.asarray((mix > 0) & (share < others))


def taken_as_certain(tables: Confusion, mixes: Numbers) -> Iterable[Note]:
    """One note if a class that has a share is all right, or all wrong, in some table."""
    correct, true = (
        np.asarray(x).reshape(-1, tables.k) for x in (tables.correct, tables.prevalence)
    )
    end = ((correct == 0) | (correct == true)) & (true > 0)
    found = end.any(axis=0) & (np.atleast_2d(mixes) > 0).any(axis=0)
    if found.any():
        yield TakenAsCertain(_which(tables, found))


def table_notes(tables: Confusion, classes: Classes, worth: float) -> Iterable[Note]:
    """On labels that are never true and on predictions that are no class, by system."""
    yield from notes_by_system(tables, classes, worth)
    lost = np.asarray(tables.outside.sum(axis=-1)).reshape(-1)
    if not lost.any():
        return
    named = zip(map(str, tables.keys[0]) if tables.shape else (), lost.tolist(), strict=False)
    yield NoClass(
        float(lost.sum()),
        int(np.sum(tables.missing)),
        weighted(tables),
        tuple((name, items) for name, items in named if items),
    )


def _which(table: Confusion, chosen: Numbers) -> tuple[object, ...]:
    return tuple(table.labels[i] for i in np.flatnonzero(chosen))

"""Parting: the groups of one system's items, and for each the rest of them, ready to be scored."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np

from evenhand.catalogue.binding import bind_all
from evenhand.catalogue.naming import AnyMetric
from evenhand.count.forms import one_of, refusal, what_came
from evenhand.count.given import Given, system_of
from evenhand.errors import InputError, Option, shown
from evenhand.infer.design import Floats
from evenhand.infer.gradients import NoGradientError
from evenhand.infer.rows import rows_of
from evenhand.infer.slices import of_clusters
from evenhand.infer.variance import centred
from evenhand.notes.note import Note
from evenhand.tables.confusion import Confusion
from evenhand.tables.merge import pooled
from evenhand.tables.sample import Sample


@dataclass(frozen=True, eq=False)
class Parts:
    """Groups by key and the rest of each, as stacks that ``score`` takes.

    Without clusters they are tables, whose errors are independent. With clusters, or where groups
    share items, they are samples whose clusters have the same codes in every part.
    """

    keys: tuple[Hashable, ...]
    groups: Confusion | Sample
    rests: Confusion | Sample
    notes: tuple[Note, ...] = ()

    @property
    def tables(self) -> Confusion:
        """The table of each group."""
        if isinstance(self.groups, Confusion):
            return self.groups
        return Confusion.stack({i: p.tables()[0] for i, (_, p) in enumerate(self.groups.slices)})

    def correlations(self, metrics: Sequence[AnyMetric], **how: Any) -> Floats:
        """How the errors of all parts go together: metrics × 2G × 2G, groups before rests."""
        size = 2 * len(self.keys)
        alone = np.broadcast_to(np.eye(size), (len(metrics), size, size))
        if isinstance(self.groups, Confusion) or isinstance(self.rests, Confusion):
            return alone
        parts = [p for _, p in (*self.groups.slices, *self.rests.slices)]
        most = max(int(p.cluster.max()) for p in parts if p.cluster is not None) + 1
        found = np.zeros((len(metrics), size, most))
        for i, part in enumerate(parts):
            rows = rows_of(part)
            kernels = bind_all(metrics, part.tables(), **how)
            for m, kernel in enumerate(kernels):
                try:
                    (psi,) = rows.influences([kernel])[0]
                except NoGradientError:
                    continue
                moved = centred(psi, rows.weight) * rows.weight
                found[m, i] = np.bincount(cast(Any, rows.cluster), moved, minlength=most)
        products = found @ found.transpose(0, 2, 1)
        sizes = np.sqrt(np.diagonal(products, axis1=1, axis2=2))
        both = sizes[:, :, None] * sizes[:, None, :]
        none = np.zeros_like(products)
        return np.asarray(np.divide(products, both, out=none, where=both > 0))


def parts_of(given: Given, by: Any) -> Parts:
    """The groups of the data: slices, or whatever masks of items name."""
    if isinstance(by, Mapping):
        return _overlapping(given, by)
    found = one_of("groups", system_of(replace(given, by=by)))
    if found.task != "single" or found.soft:
        raise refusal("groups", what_came((found,)), "groups need items of one label each")
    if isinstance(found, Confusion):
        if len(found.shape) != 1 or found.axes[0] == "system":
            raise InputError("groups need slices of the items: say which by ", Option("by"))
        return _of_tables(Confusion.stack(dict(found.sliced()[1])))
    if not found.slices:
        raise InputError("groups need slices of the items: say which by ", Option("by"))
    kept, notes = of_clusters(found.slices)
    if found.cluster is None:
        return _of_tables(Confusion.stack({key: part.tables()[0] for key, part in kept}))
    keys = tuple(key for key, _ in kept)
    _enough(keys)
    rests = [(key, joined(p for other, p in kept if other != key)) for key in keys]
    whole = joined(part for _, part in kept)
    return Parts(
        keys,
        replace(whole, slices=tuple(kept)),
        replace(whole, slices=tuple(rests)),
        tuple(notes),
    )


def _enough(keys: Sequence[Hashable]) -> None:
    if len(keys) < 2:
        raise InputError(f"groups need at least two of them to compare, got {shown(keys)}")


def _of_tables(stack: Confusion) -> Parts:
    keys = stack.keys[0]
    _enough(keys)
    at = range(len(keys))
    rests = [pooled(stack[[j for j in at if j != i]]) for i in at]
    return Parts(keys, stack, Confusion.stack(rests))


def _overlapping(given: Given, by: Mapping[Any, Any]) -> Parts:
    """Groups that may share items: each a mask, one truth an item."""
    _enough(list(by))
    masks = np.array([np.asarray(list(mask)) for mask in by.values()])
    if masks.dtype != bool or masks.ndim != 2:
        raise InputError("groups by name must each have a true or false for every item")
    if given.of_frame or given.drop_null_truth:
        raise InputError("groups by name go with columns of labels, not with a frame")
    cluster = np.arange(masks.shape[1]) if given.cluster is None else given.cluster
    kinds = [tuple(map(bool, column)) for column in masks.T]
    given = replace(given, cluster=cluster, by=kinds)
    found = one_of("groups", system_of(given))
    if not isinstance(found, Sample):
        raise refusal("groups", what_came((found,)), "groups need items of one label each")
    sides = []
    for wanted in (True, False):
        parts = []
        for g, key in enumerate(by):
            kept = [p for kind, p in found.slices if cast(Any, kind)[g] is wanted]
            if not kept:
                raise InputError(f"the group {key!r} must have some items and leave others")
            parts.append((key, joined(kept)))
        sides.append(replace(found, slices=tuple(parts)))
    return Parts(tuple(by), sides[0], sides[1])


def joined(parts: Iterable[Sample]) -> Sample:
    """The rows of samples of different items, whose clusters have the same codes, as one."""
    every = list(parts)
    first = every[0]
    plain = all(p.square is None for p in every)
    return replace(
        first,
        true=np.concatenate([p.true for p in every]),
        pred=np.concatenate([p.pred for p in every]),
        weight=np.concatenate([p.weight for p in every]),
        square=None if plain else np.concatenate([p.squares for p in every]),
        cluster=np.concatenate([cast(Any, p.cluster) for p in every]),
        n=sum(p.n for p in every),
        missing=np.sum([p.missing for p in every], axis=0),
        dropped=sum(p.dropped for p in every),
        slices=(),
    )

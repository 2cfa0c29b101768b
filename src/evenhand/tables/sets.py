"""Sets: several data sets that the same systems were run on, as one sample with a slice each."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from evenhand.errors import InputError, shown
from evenhand.tables.merge import united
from evenhand.tables.sample import Sample


def beside(sets: Mapping[Hashable, Sample]) -> Sample:
    """The items of all data sets, each of which is a slice; clusters of one are not of another.

    >>> one = Sample.from_labels("ab", {"A": list("ab"), "B": list("aa")})
    >>> two = Sample.from_labels("bc", {"B": list("bc"), "A": list("cc")})
    >>> both = beside({"one": one, "two": two})
    >>> both.labels, both.systems, [(key, part.n) for key, part in both.slices]
    (('a', 'b', 'c'), ('A', 'B'), [('one', 2), ('two', 2)])
    """
    given: list[Any] = list(sets.values())
    strange = [type(s).__name__ for s in given if not isinstance(s, Sample)]
    if strange or not given:
        raise InputError(f"data sets must be samples of labels, by name, got {shown(strange)}")
    systems = given[0].systems
    for key, sample in sets.items():
        lacking = set(systems) ^ set(sample.systems)
        if lacking:
            raise InputError(
                f"every system must be in every data set; {key} and the first differ in "
                f"{shown(sorted(lacking))}"
            )
    labels = united(given)
    place = {v: i for i, v in enumerate(labels)}
    parts = {}
    for key, s in sets.items():
        to = np.array([*(place[v] for v in s.labels), -1])  # −1 is no class, here and there
        own = [s.systems.index(name) for name in systems]
        moved: dict[str, Any] = {
            "true": to[s.true],
            "pred": to[s.pred][:, own],
            "missing": s.missing[own],
        }
        parts[key] = replace(s, labels=labels, systems=systems, slices=(), **moved)
    return replace(_whole(list(parts.values())), slices=tuple(parts.items()))


def _whole(parts: list[Sample]) -> Sample:
    """All rows of samples that have the same labels and systems."""
    first = parts[0]
    clusters = [p.cluster for p in parts if p.cluster is not None]
    cluster = None
    if len(clusters) == len(parts):
        sizes = np.cumsum([0, *(int(c.max(initial=-1)) + 1 for c in clusters)])
        cluster = np.concatenate([c + size for c, size in zip(clusters, sizes, strict=False)])
    elif clusters:
        raise InputError("clusters must be known of every data set, or of none")
    plain = all(p.square is None for p in parts)
    return replace(
        first,
        true=np.concatenate([p.true for p in parts]),
        pred=np.concatenate([p.pred for p in parts]),
        weight=np.concatenate([p.weight for p in parts]),
        square=None if plain else np.concatenate([p.squares for p in parts]),
        cluster=cluster,
        n=sum(p.n for p in parts),
        missing=np.sum([p.missing for p in parts], axis=0),
        dropped=sum(p.dropped for p in parts),
    )

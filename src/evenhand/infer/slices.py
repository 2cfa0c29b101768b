"""Slices that can be compared: those whose clusters vary."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from evenhand.notes.sure import OneCluster


def of_clusters(slices: Iterable[tuple[Any, Any]]) -> tuple[list[Any], list[OneCluster]]:
    """The slices, by key, but for those of one cluster; and one note on these.

    >>> from evenhand import Sample
    >>> beside = {"cluster": [1, 1, 2, 3], "by": list("xxyy")}
    >>> sample = Sample.from_labels("abab", {"A": list("aaab")}, **beside)
    >>> kept, notes = of_clusters(sample.slices)
    >>> [key for key, _ in kept], notes[0].keys
    (['y'], ('x',))
    """
    kept, alone = [], []
    for key, part in slices:
        if part.cluster is not None and len(np.unique(part.cluster)) < 2:
            alone.append(key)
        else:
            kept.append((key, part))
    return kept, [OneCluster(tuple(alone))] if alone else []

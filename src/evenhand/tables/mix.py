"""A class mix as people state it, made into one share a class."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from evenhand.errors import InputError, shown
from evenhand.tables.labels import Labels, positions
from evenhand.tables.weights import Numbers


def shares(stated: Mapping[Any, float], labels: Labels, prevalence: Numbers) -> Numbers:
    """The stated shares in the order of ``labels``.

    They must be given for every class that occurs and sum to 1; a class that is never true in
    one of the tables cannot be given more than 0.
    """
    at = positions(stated, labels, "classes of the prevalence")
    found = np.zeros(len(labels))
    for i, share in zip(at, stated.values(), strict=True):
        if not _is_share(share):
            raise InputError(f"prevalence must be numbers ≥ 0, got {share} for {labels[i]!r}")
        found[i] = share
    rows = np.asarray(prevalence).reshape(-1, len(labels))
    given = set(at)
    left = [labels[i] for i in np.flatnonzero((rows > 0).any(axis=0)) if i not in given]
    if left:
        raise InputError(f"prevalence must be given for every class, missing {shown(left)}")
    if abs(found.sum() - 1) > 1e-6:
        raise InputError(f"prevalence must sum to 1, got {found.sum():.6g}")
    never = [labels[i] for i in np.flatnonzero((rows == 0).any(axis=0) & (found > 0))]
    if never:
        raise InputError(
            f"prevalence of {shown(never)} cannot be set: no item is truly of that class"
        )
    return np.asarray(found / found.sum())


def _is_share(value: Any) -> bool:
    try:
        return math.isfinite(value) and value >= 0
    except TypeError:
        return False

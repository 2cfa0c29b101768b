"""A class mix as people state it: ``uniform``, ``a=0.2,b=0.8``, or shares by label."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np

from evenhand.cells import Numbers
from evenhand.errors import InputError, shown
from evenhand.infer.few import FEW, true_items
from evenhand.labels import Labels
from evenhand.spelling import Prevalence, prevalence_of, stated
from evenhand.table import Confusion

Mix: TypeAlias = Mapping[Any, float] | str | None


def target_of(table: Confusion, mix: Mix) -> Numbers:
    """The share of each class of ``table`` that is meant; ``None`` is ``uniform``."""
    if isinstance(mix, str) and not mix.strip():
        raise InputError("prevalence must be uniform or CLASS=SHARE,…, got nothing")
    if isinstance(mix, str):
        mix = dict(prevalence_of(mix, mix)) or None
    if mix is not None and not isinstance(mix, Mapping):
        raise InputError(
            "prevalence must be 'uniform', 'a=0.2,b=0.8' or a mapping of labels to shares, "
            f"got {type(mix).__name__}"
        )
    return table.target(mix)


def written(labels: Labels, target: Numbers, mix: Mix) -> str:
    """The mix as a signature says it."""
    if mix is None or mix == "uniform":
        return "uniform"
    shares: Prevalence = tuple(
        (str(v), float(f"{p:.10g}")) for v, p in zip(labels, target.tolist(), strict=True)
    )
    return stated(shares)


def mix_warnings(table: Confusion, target: Numbers, *, emptied: bool = True) -> list[str]:
    """What a reader must know of a table that is seen at another mix.

    ``emptied``: also which classes the mix leaves no items.
    """
    found = []
    names = np.array([repr(v) for v in table.labels], object)
    never = names[np.asarray(table.prevalence) == 0]
    if len(never):
        found.append(
            f"{_few(never)} never true in the labelled data: nothing is known of "
            "such items, and their share is taken as 0"
        )
    gone = names[(target == 0) & (np.asarray(table.prevalence) > 0)]
    if emptied and len(gone):
        found.append(
            f"{_few(gone)} given a share of 0: no recall there, 0/0 in the "
            "averages; leave such a class out with classes= (--exclude)"
        )
    items = true_items(table)
    rare = [
        f"{name} ({n:g} items, to be {100 * p:.3g} %)"
        for name, n, p in zip(names, items, target, strict=True)
        if 0 < n < FEW and p > 0
    ]
    if rare:
        found.append(f"few items to learn from: {', '.join(rare[:5])}{_more(rare)}")
    return found


def _few(names: Numbers) -> str:
    listed = ", ".join(names[:5]) + _more(names)
    return f"class {listed} is" if len(names) == 1 else f"classes {listed} are"


def _more(names: Any) -> str:
    return f" and {len(names) - 5:,} more" if len(names) > 5 else ""


def no_intervals(names: list[str]) -> str:
    """Why some values stand without an interval."""
    return (
        f"no interval for {shown(names)}: it would have no width, which a perfect or constant "
        "score gives, and that is not certainty"
    )

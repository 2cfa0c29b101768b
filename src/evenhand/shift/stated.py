"""A class mix as people state it: ``uniform``, ``a=0.2,b=0.8``, or shares by label."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from evenhand.catalogue.spelling import Prevalence, prevalence_of, stated
from evenhand.errors import InputError
from evenhand.tables.confusion import Confusion
from evenhand.tables.labels import Labels
from evenhand.tables.weights import Numbers

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

"""Prevalence: scale the true rows of a table, and calibrate it to a wanted class mix."""

from __future__ import annotations

from evenhand.core.arrays import Array, namespace
from evenhand.core.ratio import ratio


def factors(prevalence: Array, target: Array | None = None) -> Array:
    """λ_i = target_i / prevalence_i, by which each true row is multiplied.

    Without a target all classes that occur become equally frequent: 1/(k·prevalence_i)
    (Opitz 2022, eq. 6). A class that is never true has nothing to scale: its factor is 0.
    """
    return ratio(uniform(prevalence) if target is None else target, prevalence)


def uniform(prevalence: Array) -> Array:
    """The class mix in which all classes that occur are equally frequent."""
    xp = namespace(prevalence)
    occurs = xp.where(prevalence > 0, 1.0, 0.0)
    return ratio(occurs, xp.sum(occurs, axis=-1, keepdims=True))

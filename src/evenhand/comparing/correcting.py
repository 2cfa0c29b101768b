"""Correcting: what is left of the p values when many differences are tested.

A pair of systems is a family: the same swaps test all its metrics, so that they are corrected
together by step-down over their largest statistics. Over families it is Bonferroni's step-down,
which is Holm's where each has one metric. Other tests are families of their own, one for all
metrics that come to the same test. The two steps together keep the chance of any false finding
below the level, as both only gain where hypotheses fall away (Romano & Wolf 2005, Goeman & Solari
2010).
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace

from evenhand.comparing.pair import Pair
from evenhand.infer.pvalue import over_families


@dataclass(frozen=True)
class Tested:
    """A pair whose test is not corrected yet: its ``family``, its ``p`` there, and the least p that
    the test could have given."""

    pair: Pair
    family: Hashable
    p: float | None
    least: float = 0.0


def corrected(tested: Sequence[Tested], level: float) -> tuple[Pair, ...]:
    """The pairs, corrected together.

    The least p that one could have had is its own times the families that are not all told apart:
    those it would still face if it were as small as it can be.
    """
    given = [(i, t.p, t) for i, t in enumerate(tested) if t.p is not None]
    names = {f: i for i, f in enumerate(dict.fromkeys(t.family for *_, t in given))}
    p = over_families([p for _, p, _ in given], [names[t.family] for *_, t in given]).tolist()
    undecided = {t.family for (*_, t), fixed in zip(given, p, strict=True) if fixed >= 1 - level}
    pairs = [t.pair for t in tested]
    for (i, _, t), fixed in zip(given, p, strict=True):
        least = min(1.0, max(1, len(undecided)) * t.least)
        pairs[i] = replace(t.pair, p_adjusted=fixed, p_least=least)
    return tuple(pairs)

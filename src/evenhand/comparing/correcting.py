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


def corrected(tested: Sequence[Tested]) -> tuple[Pair, ...]:
    """The pairs, corrected together."""
    given = [(i, t.p, t) for i, t in enumerate(tested) if t.p is not None]
    names = {f: i for i, f in enumerate(dict.fromkeys(t.family for *_, t in given))}
    p, faced = over_families([p for _, p, _ in given], [names[t.family] for *_, t in given])
    pairs = [t.pair for t in tested]
    for (i, _, t), fixed, families in zip(given, p.tolist(), faced.tolist(), strict=True):
        least = min(1.0, families * t.least)
        pairs[i] = replace(t.pair, p_adjusted=fixed, p_least=least)
    return tuple(pairs)

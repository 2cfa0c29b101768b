"""The bookmaker's view of macro recall."""

from __future__ import annotations

import math

from evenhand.core.arrays import Array, floating
from evenhand.core.counts import Counts
from evenhand.core.promises import GAIN
from evenhand.core.ratio import ratio
from evenhand.core.registry import metric


@metric(
    symbol="gain",
    formula="s·(Σ correct / prevalence − 1), over the classes that are true of some item",
    low=-math.inf,
    high=math.inf,
    tasks=("single",),
    reference="Opitz 2022, eq. 9-13",
    properties=GAIN,
    words=("bookmaker", "fair odds"),
    example=26.833333333333332,
    default=True,
    size="factor",
    precision=1e-14,
)
def bookmaker_gain(c: Counts) -> Array:
    """What betting one unit on every prediction would win at fair odds s/prevalence."""
    return floating(c.total) * (c.whole.sum(ratio(c.correct, c.prevalence)) - 1)

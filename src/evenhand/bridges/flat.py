"""Flat: scores as the dict of numbers that loggers take."""

from __future__ import annotations

import math

from evenhand.scoring.scores import Scores


def flat(scores: Scores) -> dict[str, float]:
    """Each metric's value under its name, and the ends of its interval as ``_low`` and ``_high``.

    An end that is not known is NaN, so that a logger's columns are the same every time.

    >>> import evenhand as eh
    >>> found = flat(eh.score(["a", "b", "b"], ["a", "b", "a"], metrics="macro_f1"))
    >>> list(found), round(found["macro_f1"], 4)
    (['macro_f1', 'macro_f1_low', 'macro_f1_high'], 0.6667)
    """
    found = dict[str, float]()
    for name, score in scores.metrics.items():
        for end, value in (("", score.value), ("_low", score.low), ("_high", score.high)):
            found[name + end] = math.nan if value is None else float(value)
    return found

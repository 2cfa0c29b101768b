"""Assertions on models: a failure says what the items show and what they do not."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from evenhand.catalogue.naming import Metrics
from evenhand.deciding.gating import gate
from evenhand.errors import InputError
from evenhand.results.text import level_text, number, visible
from evenhand.scoring.score import score
from evenhand.scoring.scores import Score
from evenhand.tables.labels import key_text


def assert_not_worse(
    *data: Any, margin: float, test: str = "noninferior", level: float = 0.95, **how: Any
) -> None:
    """Fail unless the new system is shown to be not worse than the old by more than the margin.

    Takes what :func:`evenhand.gate` takes, and fails with its verdict.

    >>> true, old = list("ab" * 100), list("ab" * 99 + "bb")
    >>> assert_not_worse(true, old, true, metrics="accuracy", margin=0.02)
    >>> assert_not_worse(true, true, old, metrics="accuracy", margin=0.004)
    Traceback (most recent call last):
        ...
    AssertionError: failed: it is not shown that new is not worse than old by more than 0.40 \
points on accuracy: difference −0.50 points, at least −2.2 (95 %); about 1,900 items let equally \
good systems pass 80 % of the time
    """
    __tracebackhide__ = True  # pytest then shows the line of the test
    found = not_worse(*data, margin=margin, test=test, level=level, **how)
    if not found.passed:  # an assert would be rewritten by pytest, words and all
        raise AssertionError(found.message)


def assert_at_least(
    *data: Any, metrics: Metrics = "macro_f1", value: float, level: float = 0.95, **how: Any
) -> None:
    """Fail unless every score asked for is shown to be at least ``value``, one-sided at ``level``.

    Takes what :func:`evenhand.score` takes. The lower end of the one-sided interval is that of the
    two-sided one whose level leaves out twice as much.

    >>> true, pred = list("ab" * 100), list("ab" * 95 + "ba" * 5)
    >>> assert_at_least(true, pred, metrics="accuracy", value=0.9)
    >>> assert_at_least(true, pred, metrics="accuracy", value=0.93)
    Traceback (most recent call last):
        ...
    AssertionError: it is not shown that accuracy is at least 0.93: 0.9500, at least 0.9181 (95 %)
    """
    __tracebackhide__ = True
    found = at_least(*data, metrics=metrics, value=value, level=level, **how)
    if not found.passed:
        raise AssertionError(found.message)


@dataclass(frozen=True)
class Verdict:
    """Whether something is shown, and in words what the items show."""

    passed: bool
    message: str


def not_worse(*data: Any, **how: Any) -> Verdict:
    """What :func:`assert_not_worse` goes by: the verdict of a gate, with every check of several."""
    found = gate(*data, **how)
    whole = found.passed or len(found.checks) == 1
    return Verdict(found.passed, found.message if whole else f"{found.message}\n\n{found}")


def at_least(
    *data: Any, metrics: Metrics = "macro_f1", value: float, level: float = 0.95, **how: Any
) -> Verdict:
    """What :func:`assert_at_least` goes by: the score with the least lower end, in any slice.

    >>> at_least(list("ab" * 100), list("ab" * 95 + "ba" * 5), metrics="accuracy", value=0.9)
    Verdict(passed=True, message='accuracy is at least 0.9: 0.9500, at least 0.9181 (95 %)')
    """
    if not 0.5 < level < 1:
        raise InputError(f"level must be between 0.5 and 1, got {level}")
    scores = score(*data, metrics=metrics, level=2 * level - 1, **how)
    each = [(part.key, found) for part in scores.slices or (scores,) for found in part.values()]
    key, found = min(each, key=lambda one: _low(one[1]))
    passed = _low(found) >= value
    where = "" if key is None else f" in slice {visible(key_text(key))}"
    words = f"{visible(found.metric)}{where} is at least {value:g}: {number(found.value)}, "
    words += f"{_least(found.low)} ({level_text(level)})"
    return Verdict(passed, words if passed else f"it is not shown that {words}")


def _low(found: Score) -> float:
    """The lower end of a score, the lowest there is where it is not known."""
    return -math.inf if found.low is None else found.low


def _least(low: float | None) -> str:
    return "without an interval" if low is None else f"at least {number(low)}"

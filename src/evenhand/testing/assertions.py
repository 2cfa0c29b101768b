"""Assertions on models: a failure says what the items show and what they do not."""

from __future__ import annotations

from typing import Any

from evenhand.deciding.gating import gate
from evenhand.errors import InputError
from evenhand.results.text import level_text, number, visible
from evenhand.scoring.score import score


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
    found = gate(*data, margin=margin, test=test, level=level, **how)
    assert found.passed, _whole(found.message, found, len(found.checks))


def assert_at_least(
    *data: Any, metric: Any = "macro_f1", value: float, level: float = 0.95, **how: Any
) -> None:
    """Fail unless the score is shown to be at least ``value``, one-sided at ``level``.

    Takes what :func:`evenhand.score` takes. The lower end of the one-sided interval is that of the
    two-sided one whose level leaves out twice as much.

    >>> true, pred = list("ab" * 100), list("ab" * 95 + "ba" * 5)
    >>> assert_at_least(true, pred, metric="accuracy", value=0.9)
    >>> assert_at_least(true, pred, metric="accuracy", value=0.93)
    Traceback (most recent call last):
        ...
    AssertionError: it is not shown that accuracy is at least 0.93: 0.9500, at least 0.9181 (95 %)
    """
    __tracebackhide__ = True
    if not 0.5 < level < 1:
        raise InputError(f"level must be between 0.5 and 1, got {level}")
    scores = score(*data, metrics=[metric], level=2 * level - 1, **how)
    for of in scores.slices or (scores,):
        (found,) = of.values()
        low = found.low if found.low is not None else float("nan")
        where = "" if of.key is None else f" in slice {visible(str(of.key))}"
        assert low >= value, (
            f"it is not shown that {visible(found.metric)}{where} is at least {value:g}: "
            f"{number(found.value)}, {_least(found.low)} ({level_text(level)})"
        )


def _least(low: float | None) -> str:
    return "without an interval" if low is None else f"at least {number(low)}"


def _whole(message: str, found: Any, checks: int) -> str:
    """The verdict, and below it every check where there are several."""
    return message if checks == 1 else f"{message}\n\n{found}"

"""Check: one thing that must be shown of a new system beside an old one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

from evenhand.core.registry import Better
from evenhand.errors import InputError, shown
from evenhand.infer.margin import above, ends
from evenhand.infer.power import items_for
from evenhand.infer.quantile import quantile
from evenhand.infer.varied import Apart
from evenhand.infer.width import tells
from evenhand.notes.interval import Interval
from evenhand.notes.method import Method
from evenhand.results.result import Entry

Test: TypeAlias = Literal["noninferior", "superior", "equivalent"]
TESTS: tuple[Test, ...] = ("noninferior", "superior", "equivalent")
Outcome: TypeAlias = Literal["passed", "refuted", "not shown", "unknown"]
POWER = 0.8
"""The chance with which the items needed let systems pass that are equally good."""


def checked_test(test: str) -> Test:
    """The test, if there is one of that name."""
    if test not in TESTS:
        raise InputError(f"test must be one of {shown(TESTS)}, got {test!r}")
    return test


@dataclass(frozen=True)
class Claim:
    """What must be shown of new minus old: that it lies above, or between, these."""

    test: Test
    margin: float
    better: Better

    @property
    def bounds(self) -> tuple[float | None, float | None]:
        """Between which the difference must lie."""
        if self.test == "equivalent":
            return -self.margin, self.margin
        edge = self.margin if self.test == "superior" else -self.margin
        return (edge, None) if self.better == "higher" else (None, -edge)

    def p(self, d: float, of: Apart) -> float:
        """The larger p of a difference beyond either bound (Berger 1982)."""
        low, high = self.bounds
        each = [] if low is None else [above(d, of.se, low, of.freedom, of.size)]
        each += [] if high is None else [above(-d, of.se, -high, of.freedom, of.size)]
        return max(each)

    def refuted(self, least: float, most: float) -> bool:
        """Whether a difference that lies between these is outside the bounds."""
        low, high = self.bounds
        return (low is not None and most <= low) or (high is not None and least >= high)


@dataclass(frozen=True, eq=False, kw_only=True)
class Check(Entry, Interval):
    """New minus old on one metric, of all items or of a slice, and what it shows.

    ``low`` and ``high`` end one-sided intervals at ``level``, which for slices is that which the
    correction leaves. ``alike`` are items on which the two give the same answer, if they never
    differ on what the metric sees. ``needed`` are items with which it would be shown of systems
    that are equally good.

    >>> import evenhand as eh
    >>> found = eh.gate(list("abab"), list("abbb"), list("abab"), metrics="accuracy", margin=0.1)
    >>> found["accuracy"].difference, found["accuracy"].outcome
    (0.25, 'not shown')
    """

    told = ("slice", "n", "metric", "values", "difference", "se", "low", "high", "level", "p",
            "outcome", "needed")  # fmt: skip

    metric: str
    n: int
    values: tuple[float, float]
    points: bool
    better: Better
    outcome: Outcome = "unknown"
    p: float | None = None
    slice: Any = None
    alike: int | None = None
    needed: int | None = None

    @property
    def difference(self) -> float:
        """The new system's value less the old one's."""
        return self.value

    @property
    def passed(self) -> bool:
        """Whether it is shown."""
        return self.outcome == "passed"

    @property
    def same(self) -> bool:
        """Whether the two give the same answers, as far as the metric sees."""
        return self.alike is not None


@dataclass(frozen=True)
class Measured:
    """A difference that is not judged yet; it can be no larger than ``most``, either way."""

    claim: Claim
    check: Check
    apart: Apart
    most: float = math.inf

    @property
    def p(self) -> float | None:
        """That of the claim, where the difference has an error."""
        if self.check.same or not tells(self.apart.se, self.check.value):
            return None
        return self.claim.p(self.check.value, self.apart)

    def judged(self, level: float) -> Check:
        """What it shows at this level."""
        check, p, of = self.check, self.p, self.apart
        if check.same:
            fine = self.claim.test != "superior"
            return replace(check, outcome="passed" if fine else "not shown")
        if p is None:
            return check
        low, high = ends(check.value, of.se, level, of.freedom, of.size, self.most)
        outcome: Outcome = "passed" if p < 1 - level else "not shown"
        if self.claim.refuted(low, high):
            outcome = "refuted"
        if outcome == "not shown" and self.claim.test != "superior":
            both = POWER if self.claim.test == "noninferior" else (1 + POWER) / 2
            z = quantile(level, of.freedom) + quantile(both)
            check = replace(check, needed=items_for(check.n, of.se, self.claim.margin, z))
        sure: Any = {"se": of.se, "low": low, "high": high, "level": level, "p": p}
        return replace(check, **sure, method=Method("delta"), outcome=outcome)


def stepped(measured: Sequence[Measured], level: float) -> list[Check]:
    """All of them at levels that let each be read by itself: Holm's step-down.

    Each has the level at which the steps came to it, or stopped: so the ends of its interval
    say the same as its p.
    """
    levels = [level] * len(measured)
    tested = sorted((m.p, i) for i, m in enumerate(measured) if m.p is not None)
    left, stopped = len(tested), False
    for p, i in tested:
        levels[i] = 1 - (1 - level) / left
        stopped = stopped or p >= 1 - levels[i]
        left -= not stopped
    return [m.judged(at) for m, at in zip(measured, levels, strict=True)]

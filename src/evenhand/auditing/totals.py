"""Totals: how the classes' margins add up.

Predictions add up to n (to at most n with abstentions), hits to the reported ones, and the
errors of and about one class are no more than all errors.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import ceil, floor

from evenhand.auditing.facts import Assumptions, Conflict, Facts
from evenhand.auditing.ranges import UNIT, Range, total
from evenhand.auditing.spans import Span

ROUNDS = 4
_EQUAL = ("accuracy", "micro_recall", "weighted_recall")
_EQUAL_INSIDE = ("micro_precision", "micro_f1")


def hit_rates(told: Assumptions) -> tuple[str, ...]:
    """The names under which the share of hits goes."""
    return _EQUAL if told.abstentions or told.several else _EQUAL + _EQUAL_INSIDE


def accuracy(facts: Facts, n: int | None) -> tuple[Range | None, list[Conflict]]:
    """The share of hits, from all the names it goes by, which must agree.

    Accuracy, micro and weighted recall are one number; so are micro precision and micro F1
    when nothing is outside. With n known it is a whole number of items.
    """
    names = hit_rates(facts.assumptions)
    found: Range | None = None
    conflicts = []
    if facts.correct is not None and n:
        found = facts.correct.times(Fraction(1, n))
    first = "correct / n"
    for name in names if facts.assumptions.complete else ("accuracy",):
        reported = facts.metrics.get(name)
        if reported is None:
            continue
        column = facts.header("metric", name)
        both = reported if found is None else found.meet(reported)
        if both is None:
            why = f"it equals {first} when every class is averaged and nothing is outside"
            conflicts.append(Conflict(column, found or UNIT, why))
            continue
        if found is None:
            first = name
        if n is not None:
            items = n * facts.assumptions.runs
            low, high = ceil(both.low * items), floor(both.high * items)
            if low > high:
                near = Range(Fraction(high, items), Fraction(low, items))
                conflicts.append(Conflict(column, near, facts.assumptions.gives_none(n)))
                continue
            both = Range(Fraction(low, items), Fraction(high, items))
        found = both
    return found, conflicts


def fitted(
    spans: Sequence[Span], n: int, hits: Range | None, abstentions: bool
) -> tuple[Span, ...] | None:
    """The margins that also add up; ``None`` where none do."""
    found = list(spans)
    wanted = Range(0, n) if hits is None else Range(ceil(hits.low), floor(hits.high))
    bias, correct = total(s.bias for s in found), total(s.correct for s in found)
    for _ in range(ROUNDS):
        before = list(found)
        for i in range(len(found)):
            if bias.low > n or correct.low > wanted.high or correct.high < wanted.low:
                return None
            if bias.high < n and not abstentions:
                return None
            one = found[i]
            most = n - (bias.low - one.bias.low)
            least = 0 if abstentions else n - (bias.high - one.bias.high)
            c = Range(
                wanted.low - (correct.high - one.correct.high),
                wanted.high - (correct.low - one.correct.low),
            )
            errors = n - max(correct.low, wanted.low)
            kept = one.within(c, Range(least, most), errors)
            if kept is None:
                return None
            if kept is not one:
                found[i] = kept
                bias, correct = total(s.bias for s in found), total(s.correct for s in found)
        if found == before:
            break
    return tuple(found)


def sizes_conflict(facts: Facts) -> Conflict | None:
    """n against the sum of the classes' sizes."""
    supports = facts.supports
    if supports is None or facts.n is None or sum(supports) == facts.n:
        return None
    size = sum(supports)
    why = f"a wrong total: the classes' sizes add up to {size:,}"
    return Conflict(facts.header("n"), Range(size, size), why)


def _precision(correct: Range, bias: Range) -> Range:
    """What precision would be with so many predictions of the class."""
    if bias.high <= 0:
        return UNIT
    high = Fraction(correct.high) / bias.low if bias.low > 0 else 1
    return Range(Fraction(correct.low) / bias.high, high).meet(UNIT) or UNIT


def adding_up(facts: Facts, spans: Sequence[Span], n: int) -> Conflict | None:
    """Predictions of all classes against n."""
    bias = total(s.bias for s in spans)
    if bias.low <= n and (bias.high >= n or facts.assumptions.abstentions):
        return None
    at = max(range(len(spans)), key=lambda i: spans[i].bias.high)
    label = facts.classes[at].label
    kind = "precision" if facts.classes[at].precision is not None else "f1"
    rest = total(s.bias for i, s in enumerate(spans) if i != at)
    made = f"{bias.low:,}" if bias.low == bias.high else f"{bias.low:,} to {bias.high:,}"
    return Conflict(
        facts.header(kind, label),
        _precision(spans[at].correct, Range(n - rest.high, n - rest.low)),
        f"precision and recall make {made} predictions over all classes, and there are {n:,} items",
    )

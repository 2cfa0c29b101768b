"""Agreement: where kappa and MCC can lie, from the margins that the classes can have."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from evenhand.auditing.ranges import Number, Range, divided, root, total
from evenhand.auditing.spans import Span


def agreement(
    spans: Sequence[Span], n: int, accuracy: Range | None, abstentions: bool
) -> dict[str, Range]:
    """Bounds of kappa and MCC of n items; what cannot be bounded is left out."""
    found: dict[str, Range] = {}
    hits = total(s.correct for s in spans)
    hits = hits if accuracy is None else hits.meet(accuracy.times(n)) or hits
    chance = _product(spans, n, abstentions)
    top = hits.times(n) - chance
    if n * n > chance.high:
        low = Fraction(n * hits.low - chance.high) / (n * n - chance.high)
        high = Fraction(n * hits.high - chance.low) / (n * n - chance.low)
        found["kappa"] = Range(max(low, Fraction(-1)), high)
    truth = n * n - sum(s.support**2 for s in spans)
    squares = _squares(spans, n)
    if truth > 0 and n * n > squares.high:
        slow = root(truth * (n * n - squares.high)).low
        fast = root(truth * (n * n - squares.low)).high
        bounds = [divided(t, b) for t in (top.low, top.high) for b in (slow, fast)]
        found["mcc"] = Range(max(min(bounds), Fraction(-1)), min(max(bounds), Fraction(1)))
    return found


def _product(spans: Sequence[Span], n: int, abstentions: bool) -> Range:
    """Bounds of Σ prevalence·bias, where bias adds up to n."""
    base = sum(s.support * s.bias.low for s in spans)
    left = n - sum(s.bias.low for s in spans)

    def filled(order: Sequence[Span]) -> Number:
        gain: Number = 0
        rest = left
        for s in order:
            take = min(max(rest, 0), s.bias.width)
            gain, rest = gain + take * s.support, rest - take
        return gain

    rising = sorted(spans, key=lambda s: s.support)
    low = base if abstentions else base + filled(rising)
    return Range(low, base + filled(rising[::-1]))


def _squares(spans: Sequence[Span], n: int) -> Range:
    """Bounds of Σ bias², predictions outside the classes being one more category."""
    low = sum(s.bias.low**2 for s in spans)
    outside = max(n - sum(s.bias.low for s in spans), 0)
    return Range(low, min(n * n, sum(s.bias.high**2 for s in spans) + outside**2))

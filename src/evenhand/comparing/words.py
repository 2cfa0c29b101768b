"""What a comparison shows, in sentences."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from evenhand.catalogue.lists import shown_in
from evenhand.comparing.pair import Pair
from evenhand.results.sentence import Name, Sentence, called, joined
from evenhand.results.text import counted, level_text, number, points, visible

if TYPE_CHECKING:
    from evenhand.comparing.compare import Comparison

LIMITS = (
    "It speaks of items like these: not of other data, other training runs, "
    "or whether a difference matters."
)
FEW = 4
"""Metrics up to which each is named."""
KNOWN = shown_in("ranks")
"""Metrics that readers know best."""
KINDS = ("above", "below", "better", "worse", "apart", "not apart", "unable", "untested")
"""What may be said of two systems on a metric, in the order in which it is."""


def sentences(found: Comparison) -> tuple[str, ...]:
    """What the result does and does not show: sentences for each pair, then the limits."""
    by_systems: dict[tuple[str, str], list[Pair]] = {}
    for pair in found.pairs:
        by_systems.setdefault(pair.systems, []).append(pair)
    each = (line for pairs in by_systems.values() for line in _of_pair(found, pairs))
    return (*each, " ".join(_limits(found)))


def needed_words(power: float) -> str:
    """What the items needed are."""
    return (
        f"Items needed: test size for a power of {power:g} at this level, for the observed "
        "difference and [in brackets] for the ends of its interval, where the true one may be "
        "anywhere. Where these are more than ten times apart there is no number, only the range."
    )


def _of_pair(found: Comparison, pairs: list[Pair]) -> Iterable[str]:
    a, b = (Name(visible(s)) for s in pairs[0].systems)
    kinds: dict[str, list[Pair]] = {}
    for pair in pairs:
        kinds.setdefault(_kind(found, pair), []).append(pair)
    parts: list[Sentence] = []
    for kind, of in sorted(kinds.items(), key=lambda each: KINDS.index(each[0])):
        both = "they" if parts else Sentence(a, " and ", b)
        if kind == "not apart" and len(of) == len(pairs) > FEW:
            parts.append(Sentence(both, f" are told apart on none of {len(of)} metrics"))
            if found.baseline is not None:
                parts.append(_nevertheless(next(p for p in of if p.metric == found.lead), a))
            continue
        told = {"above": (a, " scores above ", b), "below": (a, " scores below ", b),
                "better": (a, " is better than ", b), "worse": (a, " is worse than ", b),
                "apart": (both, " differ"), "not apart": (both, " are not told apart"),
                "unable": ("the test could not have told them apart",) if parts
                else ("The test could not have told ", both, " apart"),
                "untested": (both, " have no test")}[kind]  # fmt: skip
        size: Callable[[Pair], str] = _measured
        if kind in ("not apart", "unable", "untested"):
            size = _metric if found.baseline is None else _directed
        parts.append(Sentence(*told, f" on {_on(of, len(pairs), size)}"))
    yield Sentence(joined("; ", parts), ".")
    if found.margin is not None:
        yield _within(found.margin, a, b, pairs)


def _nevertheless(pair: Pair, new: Name) -> Sentence:
    """Which way the difference goes that may be chance."""
    size, on = _size(pair, abs(pair.value)), f"on {called(pair.metric)}"
    if not pair.value or pair.better == "neither":
        return Sentence(f"{on} they differ by {size}")
    return Sentence(new, f" is {_way(pair)} by {size} {on}, which may be chance")


def _on(of: list[Pair], total: int, said: Callable[[Pair], str]) -> str:
    """Metrics by name; of many how many, and those that readers know best."""
    if len(of) > FEW:
        known = [p for m in KNOWN for p in of if p.metric == m][: FEW - 1]
        many = f"all {total} metrics" if len(of) == total else f"{len(of)} of {total} metrics"
        return f"{many}, {_on(known, total, said)} among them" if known else many
    return ", ".join(map(said, of))


def _kind(found: Comparison, pair: Pair) -> str:
    if found.told_apart(pair):
        if pair.better == "neither":
            return "apart"
        if found.baseline is not None:
            return _way(pair)
        return "above" if pair.value > 0 else "below"
    if pair.p_adjusted is None:
        return "untested"
    return "not apart" if found.testable(pair) else "unable"


def _metric(pair: Pair) -> str:
    return called(pair.metric)


def _within(margin: float, a: str, b: str, pairs: list[Pair]) -> str:
    size = points(margin) if all(p.points for p in pairs) else number(margin, 3)
    shown: dict[str, list[Pair]] = {}
    for p in pairs:
        shown.setdefault(_standing(p, a, b), []).append(p)
    each = (f"{text} on {_on(of, len(pairs), _metric)}" for text, of in shown.items())
    return f"Within a margin of {size}, {'; '.join(each)}."


def _standing(p: Pair, a: str, b: str) -> str:
    """What is shown of two systems beside the margin."""
    if p.margin is None:
        return "nothing can be said"
    if p.margin.equivalent:
        return f"{a} and {b} are equivalent"
    if not p.margin.not_worse:
        return "nothing is shown"
    first, second = (a, b) if p.margin.not_worse[0] == p.systems[0] else (b, a)
    return f"{first} is not worse than {second}"


def _measured(p: Pair) -> str:
    return f"{called(p.metric)} (by {_size(p, abs(p.value))})"


def _size(p: Pair, difference: float) -> str:
    return points(difference) if p.points else number(difference, 3)


def _way(p: Pair) -> str:
    """What the first is beside the second, on a metric that is better high or low."""
    return "better" if (p.value > 0) == (p.better == "higher") else "worse"


def _directed(p: Pair) -> str:
    """The difference with its sign, and which way that is."""
    if p.better == "neither" or not p.value:
        return f"{called(p.metric)} ({'+' * (p.value > 0)}{_size(p, p.value)})"
    return f"{called(p.metric)} ({_way(p)} by {_size(p, abs(p.value))})"


def _limits(found: Comparison) -> Iterable[str]:
    yield f"This is at {level_text(1 - found.level)}{_correction(found)}."
    if found.slices:
        yield f"Slices are corrected together, over {counted(len(found.slices), 'slice')}."
    if found.margin is not None:
        yield "Margins are tested one by one at this level, without a correction."
    kinds = {_kind(found, p) for p in found.pairs}
    if "not apart" in kinds:
        yield "Not told apart is not equal: any difference inside the interval fits the data."
    if "unable" in kinds:
        yield "A test could not have told if too few answers differ, or its draws are too few."
    yield LIMITS


def _correction(found: Comparison) -> str:
    """How the p values were corrected, and over what."""
    pairs = len({p.systems for p in found.pairs})
    metrics = len(found.pairs) // max(pairs, 1)
    if len(found.pairs) < 2:
        return ""
    if found.corrected != "randomisation" or metrics == 1:
        return f", after Holm's correction over {counted(found.families, 'distinct test')}"
    of = f"{metrics:,} metrics"
    if pairs > 1:
        of = f"{counted(pairs, 'pair')} of systems and the {of} of each"
    return f", after step-down correction over {of}"

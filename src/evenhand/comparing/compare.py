"""Comparing systems on the same items."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import islice, product
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from evenhand.catalogue.binding import bind_all, for_metrics, values_of
from evenhand.catalogue.footnote import footnote
from evenhand.catalogue.lists import (
    as_spec,
    compared_metrics,
    in_order,
    several,
)
from evenhand.catalogue.signature import (
    ReplicateField,
    Signature,
    paired_signature,
    signed_metric,
)
from evenhand.catalogue.spelling import Spec, called, title
from evenhand.comparing.tests import (
    STATED,
    CompareRequest,
    Family,
    Pair,
    corrected,
    items_needed,
    tested_pairs,
)
from evenhand.data.arguments import VerbArguments, at_baseline, refuse_empty, sample_of, verb
from evenhand.data.sample import Sample, SoftSample
from evenhand.inference.delta import paired_cautions
from evenhand.inference.noninferiority import refuse_wide
from evenhand.inference.rows import of_clusters
from evenhand.options import CompareOptions
from evenhand.results.document import (
    Block,
    Content,
    Heading,
    Paragraph,
    Table,
    group_equal,
    rounded,
)
from evenhand.results.result import Collection, Result
from evenhand.text import (
    MINUS,
    Cell,
    Grid,
    MetricName,
    Name,
    PValueCell,
    Sentence,
    counted,
    joined,
    key_text,
    level_text,
    number,
    p_words,
    percent,
    points,
    visible,
)
from evenhand.warnings import Copies, NoWidth, ResultWarning

Outcome: TypeAlias = Literal[
    "better", "worse", "different", "no significant difference", "untestable", "untested"
]
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)
FEW = 4
"""Metrics up to which each is named."""
USUAL_POWER = 0.8
"""The power of the items needed, if none is stated."""
RAISED = (
    "p is the larger of two, by randomisation and by difference/error, which is safer for averages "
    "over rarely predicted classes."
)


# Sentences.


def _rule(result: Comparison) -> str:
    """Which metric decides, at which level, after which correction."""
    name = visible(title(result.metric))
    holm = f", corrected over {result.families} pairs (Holm)" if result.families > 1 else ""
    return f"{name} decides, at the {level_text(1 - result.level)} level{holm}"


def _decision(result: Comparison, pair: Pair) -> str:
    """What the test says of two systems on the metric that decides."""
    a, b = (Name(visible(s)) for s in pair.systems)
    no = "no" if len(result.primary) == 1 else "No"
    metric, outcome = called(pair.metric), result._outcome(pair)
    if outcome == "untested":
        return Sentence(a, " and ", b, f" have no test on {metric}.")
    if outcome == "untestable":
        reason = "too few answers differ, or too few replicates are drawn"
        return Sentence(f"{no} difference between ", a, " and ", b,
                        f" could be significant on {metric}: {reason}.")  # fmt: skip
    assert pair.p_adjusted is not None
    holm = f", Holm over {result.families} pairs" if result.families > 1 else ""
    p = f"{p_words(pair.p_adjusted)}{holm}"
    if outcome == "no significant difference":
        span = _signed(pair, pair.value)
        if pair.low is not None and pair.high is not None:
            span = f"{_signed(pair, pair.low, unit=False)} to {_signed(pair, pair.high)}"
        return Sentence(f"{no} significant difference between ", a, " and ", b,
                        f" ({metric} {span}, {p}){_more_items(result, pair)}.")  # fmt: skip
    if outcome == "different":
        return Sentence(a, " and ", b, " differ significantly ",
                        f"({metric} {_signed(pair, pair.value)}, {p}).")  # fmt: skip
    first, second, verb, difference = _ordered(result, pair)
    return Sentence(first, f" is significantly {verb} than ", second,
                    f" ({metric} {_signed(pair, difference)}, {p}).")  # fmt: skip


def _ordered(result: Comparison, pair: Pair) -> tuple[Name, Name, str, float]:
    """The better system before the other, or any before the baseline, with the difference."""
    a, b = (Name(visible(s)) for s in pair.systems)
    better = result._outcome(pair) == "better"
    if better or result.baseline is not None:
        return a, b, "better" if better else "worse", pair.value
    return b, a, "better", -pair.value


def _more_items(result: Comparison, pair: Pair) -> str:
    """How many items would show a stated difference, if these are too few."""
    power = result.power or USUAL_POWER
    required = items_needed(pair, result.n, result.level, result.margin, power)
    if required is None or required.items <= result.n:
        return ""
    items = counted(float(f"{required.items:.2g}"), "item")
    size = points(required.difference).replace(".0 ", " ")
    return f"; {items} would show a difference of {size} in {percent(power)} of cases"


def _others(result: Comparison, pairs: list[Pair]) -> str:
    """What the tests say of two systems on the metrics of the second family."""
    a, b = (Name(visible(s)) for s in pairs[0].systems)
    outcomes: dict[str, list[Pair]] = {}
    for pair in pairs:
        outcomes.setdefault(result._outcome(pair), []).append(pair)
    parts: list[Sentence] = []
    words: tuple[str, ...]
    for outcome in OUTCOMES:
        group = outcomes.get(outcome, [])
        if not group:
            continue
        significant = outcome in ("better", "worse", "different")
        where = _on(group, len(pairs), "other metrics", "all" if significant else "any of the")
        no, both = ("no", ()) if parts else ("No", (" between ", a, " and ", b))
        if outcome in ("better", "worse"):
            first, second, verb, _ = _ordered(result, group[0])
            words = (first, f" is significantly {verb} than ", second, f" on {where}")
        elif outcome == "different":
            words = (
                "they" if parts else Sentence(a, " and ", b),
                f" differ significantly on {where}",
            )
        elif outcome == "untested":
            words = (f"{no} test", *both, f" on {where}")
        elif outcome == "untestable":
            words = (f"{no} difference", *both, f" could be significant on {where}")
        else:
            words = (f"{no} significant difference", *both, f" on {where}")
        parts.append(Sentence(*words))
    return Sentence(joined("; ", parts), ".")


def _on(group: list[Pair], total: int, metrics: str = "metrics", every: str = "all") -> str:
    """Metrics by name; if many, their number."""
    if len(group) > FEW:
        many = f"{every} {total}" if len(group) == total else f"{len(group)} of {total}"
        return f"{many} {metrics}"
    return ", ".join(called(p.metric) for p in group)


def _second_family(result: Comparison) -> Iterable[str]:
    """The other metrics, whose tests are corrected apart from those that decide."""
    by_systems: dict[tuple[str, str], list[Pair]] = {}
    for pair in result.pairs:
        if pair.family == "secondary":
            by_systems.setdefault(pair.systems, []).append(pair)
    if not by_systems:
        return
    count = len(next(iter(by_systems.values())))
    over = f" over {len(by_systems)} pairs" if len(by_systems) > 1 else ""
    yield (
        f"The {count} other metrics are a second family, corrected together{over}."
        if count > 1
        else f"The other metric is a second family, corrected by itself{over}."
    )
    for pairs in by_systems.values():
        yield _others(result, pairs)


def _within(margin: float, pairs: list[Pair]) -> str:
    """What is shown about two systems within the margin."""
    a, b = map(visible, pairs[0].systems)
    size = points(margin) if all(p.points for p in pairs) else number(margin, 3)
    shown: dict[str, list[Pair]] = {}
    for p in pairs:
        shown.setdefault(_standing(p, a, b), []).append(p)
    each = (f"{text} on {_on(group, len(pairs))}" for text, group in shown.items())
    return f"Within a margin of {size}, {'; '.join(each)}."


def _standing(p: Pair, a: str, b: str) -> str:
    if p.margin is None:
        return "nothing can be said"
    if p.margin.equivalent:
        return f"{a} and {b} are equivalent"
    if not p.margin.not_worse:
        return "nothing is shown"
    first, second = (a, b) if p.margin.not_worse[0] == p.systems[0] else (b, a)
    return f"{first} is not worse than {second}"


def _signed(p: Pair, difference: float, *, unit: bool = True) -> str:
    """A difference with its sign, in points for metrics with a bounded range."""
    text = f"{100 * difference:+.1f}" if p.points else f"{difference:+.3f}"
    return text.replace("-", MINUS) + " points" * (unit and p.points)


def _limits(result: Comparison) -> Iterable[str]:
    if result.slices:
        yield f"Slices are corrected together, over {counted(len(result.slices), 'slice')}."
    if result.margin is not None:
        yield "Margins are tested one by one, without a correction."
    if any(result._outcome(p) == "no significant difference" for p in result.pairs):
        yield (
            "No significant difference does not mean equal: any difference inside the interval "
            "fits the data."
        )


# Tables.


def merged(pairs: Iterable[Pair]) -> list[list[str]]:
    """Groups of metrics that are equal on every pair."""
    by: dict[str, list[Pair]] = {}
    for p in pairs:
        by.setdefault(p.metric, []).append(p)

    def number(name: str) -> tuple[tuple[str, ...], ...]:
        return tuple(rounded(*p.values, p.low, p.high, p.p_adjusted) for p in by[name])

    return group_equal(by, number)


def pairs_sheets(result: Comparison, minus: str = "") -> list[Table]:
    """A table of the metric that decides, and one of the others.

    ``minus`` is the name of the difference.
    """
    minus = minus or result.minus
    tables = []
    for family in get_args(Family):
        pairs = [p for p in result.pairs if p.family == family]
        name = f"{minus} on {called(result.metric)}, which decides"
        if family == "secondary":
            name = f"{minus} on other metrics, the second family"
        tables += [_pairs_sheet(result, pairs, name)] if pairs else []
    return tables


def _pairs_sheet(result: Comparison, pairs: list[Pair], name: str) -> Table:
    """One row per pair of systems and metric; with several tests, the p of each."""
    several = len(result.systems) > 2
    tests = result.tests if len(result.tests) > 1 else ()
    first, second = ("first", "second") if several else pairs[0].systems
    groups = merged(pairs)
    title = {group[0]: MetricName(" = ".join(group)) for group in groups}
    systems = dict.fromkeys(p.systems for p in pairs)
    corrected = result.families > 1 or pairs[0].family == "secondary"
    grid = Grid.from_records(
        [result.parts[(*pair, group[0])] for pair, group in product(systems, groups)],
        *["systems:minus"] * several,
        ("metric", lambda p: title[p.metric]),
        "difference",
        ("p adjusted" if corrected else "p", lambda p: PValueCell(p.p_adjusted)),
        "low, high",
        (first, lambda p: p.values[0]),
        (second, lambda p: p.values[1]),
        *((f"p {test}", partial(_p_of, test)) for test in tests),
        *[("not worse", _not_worse)] * (result.margin is not None),
        *[("items needed", _items)] * (result.power is not None),
    )
    raised = result.corrected == "randomisation" and any(result._raised(p) for p in pairs)
    return Table(grid, name, rows="comparisons", wide=100, note=RAISED * raised)


def _p_of(test: str, pair: Pair) -> Cell:
    return PValueCell(pair.p.get(test))


def _not_worse(pair: Pair) -> Cell:
    return ", ".join(pair.margin.not_worse) if pair.margin else None


def _items(pair: Pair) -> Cell:
    return pair.needed.items if pair.needed else None


def slices_sheets(result: Comparison) -> Iterable[Table]:
    """Tables of slices by the same families, one row per metric, slice and pair."""
    head = ["metric", "slice", "items", *["systems"] * (len(result.systems) > 2), "difference"]
    every = [p for part in result.slices for p in part.pairs]
    for family in get_args(Family):
        rows: list[list[Cell]] = []
        for group, s in product(merged(p for p in every if p.family == family), result.slices):
            for p in (p for p in s.pairs if p.metric == group[0]):
                row: list[Cell] = [MetricName(" = ".join(group)), key_text(s.key), s.n]
                row += [" − ".join(p.systems)] * (len(result.systems) > 2)
                rows.append([*row, p.value, PValueCell(p.p_adjusted), p.low, p.high])
        if rows:
            grid = Grid([*head, "p adjusted", "low", "high"], rows)
            scope = f"{called(result.metric)}, which decides, in every slice"
            if family == "secondary":
                scope = "other metrics, the second family, in every slice"
            yield Table(grid, f"{result.minus} on {scope}", most=60, rows="comparisons", wide=100)


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Collection[tuple[str, str, str], Pair], Result):
    """Every pair of systems on every metric.

    ``metric`` is the one that decides, ``corrected`` the test, ``families`` the number of pairs of
    systems that it is corrected over. The other metrics are a second family, corrected by itself.

    >>> import evenhand as eh
    >>> comparison = eh.compare(list("aabb"), list("aabb"), list("abbb"), metrics="accuracy")
    >>> list(comparison), comparison["A", "B"].difference
    ([('A', 'B', 'accuracy')], 0.25)
    """

    json_fields = """signature systems baseline n level metric corrected families margin power pairs
    verdict"""

    drawn_by = "comparing.charts.comparison"

    systems: tuple[str, ...]
    n: int
    level: float
    metric: str
    corrected: str
    tests: tuple[str, ...]
    families: int
    margin: float | None
    power: float | None
    pairs: tuple[Pair, ...]
    signature: Signature
    signatures: dict[str, Signature]
    baseline: str | None = None
    cautions: tuple[ResultWarning, ...] = ()
    key: Any = None
    slices: tuple[Comparison, ...] = ()

    @property
    def parts(self) -> dict[tuple[str, str, str], Pair]:
        """Each pair of systems on each metric, by the three names."""
        return {(*p.systems, p.metric): p for p in self.pairs}

    @cached_property
    def verdict(self) -> tuple[str, ...]:
        """The metric that decides, a sentence for each pair, the other metrics, the limits."""
        lines = [_decision(self, pair) for pair in self.primary]
        if len(lines) == 1:
            lines = [Sentence(_rule(self), ": ", *lines)]
        else:
            lines.insert(0, f"{_rule(self)}.")
        if self.margin is not None:
            for pair in self.primary:
                of_systems = [p for p in self.pairs if p.systems == pair.systems]
                lines.append(_within(self.margin, of_systems))
        limits = " ".join(_limits(self))
        return (*lines, *_second_family(self), *[limits] * bool(limits))

    @property
    def primary(self) -> list[Pair]:
        """The pairs on the metric that decides."""
        return [p for p in self.pairs if p.family == "primary"]

    def _outcome(self, pair: Pair) -> Outcome:
        """Whether the first system is significantly better or worse after the correction."""
        if pair.p_adjusted is None:
            return "untested"
        if not self._significant(pair):
            return "no significant difference" if self.testable(pair) else "untestable"
        if pair.better == "neither":
            return "different"
        return "better" if (pair.value > 0) == (pair.better == "higher") else "worse"

    def _significant(self, pair: Pair) -> bool:
        """Whether the difference is significant after the correction."""
        return pair.p_adjusted is not None and pair.p_adjusted < 1 - self.level

    def _raised(self, pair: Pair) -> bool:
        """Whether the p that decides is not the randomisation's, but that of difference/error."""
        randomised, delta = pair.p.get("randomisation"), pair.p.get("delta")
        return randomised is not None and delta is not None and delta > randomised

    def testable(self, pair: Pair) -> bool:
        """Whether it could be: not with few draws, or if too few answers differ."""
        return pair.p_least is not None and pair.p_least < 1 - self.level

    def content(self) -> Content:
        """The verdict, every pair on every metric, the test sizes needed."""
        title = f"{counted(self.n, 'item')}, {counted(len(self.systems), 'system')}, "
        others = "first minus second" if self.baseline is None else f"others minus {self.baseline}"
        title += f"{level_text(self.level)} intervals of the difference ({others})"
        blocks: list[Block] = [Paragraph(joined("\n", self.verdict), "verdict")]
        blocks += pairs_sheets(self)
        if self.power is not None:
            size = points(self.margin or STATED)
            blocks.append(
                Paragraph(
                    f"Items needed: the test size that shows a difference of {size} in "
                    f"{percent(self.power)} of cases.",
                    "note",
                )
            )
        if self.slices:
            blocks += [Heading("Slices"), *slices_sheets(self)]
        own = self.signatures.get(self.metric, self.signature)
        citation = footnote(own, metric=self.metric, prefix="Differences in ")
        return self.described(title, [*blocks, self.picture], self._data, footnote=citation)

    def _data(self) -> Grid:
        """All numbers, one row per pair and metric."""
        head = [
            "first",
            "second",
            "metric",
            "first_value",
            "second_value",
            "difference",
            "effect",
            "se",
            "low",
            "high",
        ]
        tests = tuple(dict.fromkeys(t for p in self.pairs for t in p.p))
        head += [*(f"p_{t}" for t in tests), "p_adjusted", "p_least", "family"]
        head += ["margin_low", "margin_high", "equivalent", "needed"]

        def rows(part: Comparison) -> Iterable[list[Cell]]:
            for p in part.pairs:
                row: list[Cell] = [*p.systems, p.metric, *p.values, p.value, p.effect]
                row += [p.se, p.low, p.high, *(p.p.get(t) for t in tests)]
                m, items = p.margin, p.needed
                row += [p.p_adjusted, p.p_least, p.family]
                row += [None] * 3 if m is None else [m.low, m.high, str(m.equivalent).lower()]
                yield [*row, None if items is None else items.items]

        return self._in_slices(head, rows)

    @property
    def minus(self) -> str:
        """The name of the differences."""
        if len(self.systems) > 2:
            return "First minus second"
        return " minus ".join(self.pairs[0].systems)


@verb(CompareOptions)
def compare(arguments: VerbArguments, options: CompareOptions) -> Comparison:
    """Test the difference of every pair of systems on every metric, on the same items.

    Takes true labels and two or more systems' predictions, true labels and a mapping of names
    to predictions, a frame with the columns ``true`` and ``pred`` (a list), a ``Sample``, or a
    joint table of counts (true × A × B). Each difference has an interval by its
    standard error on the same items and p values by ``tests`` (names, or ``"all"``). The first of
    ``metrics`` decides (macro F1 unless named), by the first test, corrected over the pairs (Holm);
    the other metrics are a second family, corrected together. ``replicates`` is a minimum: where
    the correction needs more draws, it gets them. ``margin`` asks also whether a system is not
    worse than the other by more than that, ``power`` how many items would show a difference of the
    margin, or of 2 points. ``by`` compares in slices of the items too, which are corrected
    together, apart from the whole. With a ``baseline`` only pairs with that system are compared,
    the other less the baseline.

    >>> found = compare("aabbbabab", {"A": list("aabbbabaa"), "B": list("ababbbaab")},
    ...                 metrics=["accuracy"], tests="all")
    >>> round(found["accuracy"].difference, 4), round(found["accuracy"].p["mcnemar"], 5)
    (0.3333, 0.21875)
    """
    specs = several(options.metrics, compared_metrics, distance=options.distance)
    sample, specs = for_metrics(sample_of(arguments, soft=True), specs)
    request = CompareRequest(
        [as_spec(m) for m in specs], options, at_baseline(sample.systems, options.baseline)
    )
    result = compared(sample, request).noted(
        *sample.notes, *map(Copies, sample.copies()), *in_order(request.metrics, sample.labels)
    )
    testable, single = of_clusters(sample.slices)
    parts = [_TestedPart(part, request, len(testable)) for _, part in testable]
    tested = [replace(t, group=(i, t.group)) for i, p in enumerate(parts) for t in p.tested]
    pairs = iter(corrected(tested, options.level))
    slices = [
        part.result(tuple(islice(pairs, len(part.tested))), key)
        for (key, _), part in zip(testable, parts, strict=True)
    ]
    result = result.with_slices(slices)
    return replace(result, cautions=(*result.cautions, *single))


def compared(sample: Sample | SoftSample, request: CompareRequest) -> Comparison:
    """The comparison of all items, without slices."""
    part = _TestedPart(sample, request)
    return part.result(corrected(part.tested, request.options.level))


class _TestedPart:
    """All items, or one of so many slices: tables, metrics, the tests before their correction."""

    def __init__(
        self, sample: Sample | SoftSample, request: CompareRequest, slices: int = 1
    ) -> None:
        self.sample, self.request, self.tables = sample, request, sample.tables()
        refuse_empty(self.tables, "compare")
        self.kernels = bind_all(request.metrics, self.tables, **request.options.binding)
        refuse_wide(request.options.margin, self.kernels)
        values = [np.asarray(v, np.float64) for v in values_of(self.kernels, self.tables)]
        self.tested = tested_pairs(sample, self.kernels, values, request, slices)

    def result(self, pairs: tuple[Pair, ...], key: Any = None) -> Comparison:
        """The comparison with these corrected pairs."""
        sample, tables, request = self.sample, self.tables, self.request
        options, systems = request.options, sample.systems
        drawn = ReplicateField(options.replicates, options.seed)
        signature = paired_signature(sample, tables, options, request.tests, drawn)
        specs = [m for m in request.metrics if isinstance(m, Spec)]
        signatures = [signed_metric(signature, spec, tables, options.classes) for spec in specs]
        known = {p.metric for p in pairs if p.low is not None}
        unknown = tuple(dict.fromkeys(p.metric for p in pairs if p.low is None))
        sure = [k for k in self.kernels if k.name in known]
        return Comparison(
            systems=systems,
            n=sample.n,
            level=options.level,
            metric=self.kernels[0].name,
            corrected=request.tests[0],
            tests=request.tests,
            families=len(
                {
                    t.pair.systems
                    for t in self.tested
                    if t.p is not None and t.pair.family == "primary"
                }
            ),
            margin=options.margin,
            power=options.power,
            pairs=pairs,
            signature=signature,
            signatures={s.metric: s for s in signatures},
            baseline=None if request.baseline is None else systems[request.baseline],
            cautions=(
                *([NoWidth(unknown, "difference")] if unknown else ()),
                *paired_cautions(sample, tables, sure, **options.binding),
            ),
            key=key,
        )

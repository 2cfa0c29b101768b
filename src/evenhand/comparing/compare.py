"""Comparing systems on the same items."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import islice, product
from typing import Any

import numpy as np

from evenhand.catalogue.binding import bind_all, for_metrics, values_of
from evenhand.catalogue.footnote import footnote
from evenhand.catalogue.lists import (
    HEADLINES,
    RANKED,
    as_spec,
    chosen,
    default_metrics,
    in_order,
    several,
    sums,
)
from evenhand.catalogue.signature import (
    IntervalField,
    ReplicateField,
    Signature,
    signature_of,
    signed_metric,
)
from evenhand.catalogue.spelling import Spec, called
from evenhand.comparing.tests import CompareRequest, Pair, TestedMetric, corrected, tested_pairs
from evenhand.core.kernel import Kernel
from evenhand.data.arguments import VerbArguments, at_baseline, refuse_empty, sample_of, verb
from evenhand.data.confusion import Confusion
from evenhand.data.sample import Sample, SoftSample
from evenhand.inference.delta import paired_cautions
from evenhand.inference.noninferiority import refuse_wide
from evenhand.inference.rows import of_clusters
from evenhand.options import CompareOptions
from evenhand.results.document import (
    Block,
    Cell,
    Content,
    Grid,
    Heading,
    MetricName,
    Paragraph,
    ProbabilityCell,
    Table,
    group_equal,
    rounded,
)
from evenhand.results.result import Collection, Result
from evenhand.text import (
    POOLED,
    Name,
    Sentence,
    counted,
    joined,
    key_text,
    level_text,
    number,
    points,
    visible,
)
from evenhand.warnings import Copies, NoWidth, ResultWarning

LIMITS = (
    "It speaks of items like these: not of other data, other training runs, "
    "or whether a difference matters."
)
FEW = 4
"""Metrics up to which each is named."""
KNOWN = RANKED
"""Metrics that readers know best."""
KINDS = ("above", "below", "better", "worse", "apart", "not apart", "unable", "untested")
"""Verdicts on two systems on a metric, in the order of sentences."""


def sentences(result: Comparison) -> tuple[str, ...]:
    """The verdict on each pair, then its limits."""
    by_systems: dict[tuple[str, str], list[Pair]] = {}
    for pair in result.pairs:
        by_systems.setdefault(pair.systems, []).append(pair)
    lines = (line for pairs in by_systems.values() for line in _of_pair(result, pairs))
    return (*lines, " ".join(_limits(result)))


def needed_words(power: float) -> str:
    """What the items needed mean."""
    return (
        f"Items needed: test size for a power of {power:g} at this level, for the observed "
        "difference and [in brackets] for the ends of its interval, where the true one may be "
        "anywhere. Where these are more than ten times apart there is no number, only the range."
    )


def _of_pair(result: Comparison, pairs: list[Pair]) -> Iterable[str]:
    a, b = (Name(visible(s)) for s in pairs[0].systems)
    kinds: dict[str, list[Pair]] = {}
    for pair in pairs:
        kinds.setdefault(_kind(result, pair), []).append(pair)
    parts: list[Sentence] = []
    for kind, group in sorted(kinds.items(), key=lambda each: KINDS.index(each[0])):
        both = "they" if parts else Sentence(a, " and ", b)
        if kind == "not apart" and len(group) == len(pairs) > FEW:
            parts.append(Sentence(both, f" are told apart on none of {len(group)} metrics"))
            if result.baseline is not None:
                parts.append(_insignificant(next(p for p in group if p.metric == result.lead), a))
            continue
        words = {"above": (a, " scores above ", b), "below": (a, " scores below ", b),
                "better": (a, " is better than ", b), "worse": (a, " is worse than ", b),
                "apart": (both, " differ"), "not apart": (both, " are not told apart"),
                "unable": ("the test could not have told them apart",) if parts
                else ("The test could not have told ", both, " apart"),
                "untested": (both, " have no test")}[kind]  # fmt: skip
        size: Callable[[Pair], str] = _measured
        if kind in ("not apart", "unable", "untested"):
            size = _metric if result.baseline is None else _directed
        parts.append(Sentence(*words, f" on {_on(group, len(pairs), size)}"))
    yield Sentence(joined("; ", parts), ".")
    if result.margin is not None:
        yield _within(result.margin, a, b, pairs)


def _insignificant(pair: Pair, new: Name) -> Sentence:
    """The direction of a difference that is not significant."""
    size, on = _size(pair, abs(pair.value)), f"on {called(pair.metric)}"
    if not pair.value or pair.better == "neither":
        return Sentence(f"{on} they differ by {size}")
    return Sentence(new, f" is {_way(pair)} by {size} {on}, which may be chance")


def _on(group: list[Pair], total: int, describe: Callable[[Pair], str]) -> str:
    """Metrics by name; if many, their number and those that readers know best."""
    if len(group) > FEW:
        known = [p for m in KNOWN for p in group if p.metric == m][: FEW - 1]
        many = f"all {total} metrics" if len(group) == total else f"{len(group)} of {total} metrics"
        return f"{many}, {_on(known, total, describe)} among them" if known else many
    return ", ".join(map(describe, group))


def _kind(result: Comparison, pair: Pair) -> str:
    if result.told_apart(pair):
        if pair.better == "neither":
            return "apart"
        if result.baseline is not None:
            return _way(pair)
        return "above" if pair.value > 0 else "below"
    if pair.p_adjusted is None:
        return "untested"
    return "not apart" if result.testable(pair) else "unable"


def _metric(pair: Pair) -> str:
    return called(pair.metric)


def _within(margin: float, a: str, b: str, pairs: list[Pair]) -> str:
    size = points(margin) if all(p.points for p in pairs) else number(margin, 3)
    shown: dict[str, list[Pair]] = {}
    for p in pairs:
        shown.setdefault(_standing(p, a, b), []).append(p)
    each = (f"{text} on {_on(group, len(pairs), _metric)}" for text, group in shown.items())
    return f"Within a margin of {size}, {'; '.join(each)}."


def _standing(p: Pair, a: str, b: str) -> str:
    """What is shown about two systems within the margin."""
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
    """Whether the first is better or worse, on a metric that is better high or low."""
    return "better" if (p.value > 0) == (p.better == "higher") else "worse"


def _directed(p: Pair) -> str:
    """The metric with the difference and its direction."""
    if p.better == "neither" or not p.value:
        return f"{called(p.metric)} ({'+' * (p.value > 0)}{_size(p, p.value)})"
    return f"{called(p.metric)} ({_way(p)} by {_size(p, abs(p.value))})"


def _limits(result: Comparison) -> Iterable[str]:
    yield f"This is at {level_text(1 - result.level)}{_correction(result)}."
    if result.slices:
        yield f"Slices are corrected together, over {counted(len(result.slices), 'slice')}."
    if result.margin is not None:
        yield "Margins are tested one by one at this level, without a correction."
    kinds = {_kind(result, p) for p in result.pairs}
    if "not apart" in kinds:
        yield "Not told apart is not equal: any difference inside the interval fits the data."
    if "unable" in kinds:
        yield "A test could not have told if too few answers differ, or its draws are too few."
    yield LIMITS


def _correction(result: Comparison) -> str:
    """How the p values were corrected, and over what."""
    pairs = len({p.systems for p in result.pairs})
    metrics = len(result.pairs) // max(pairs, 1)
    if len(result.pairs) < 2:
        return ""
    if result.corrected != "randomisation" or metrics == 1:
        return f", after Holm's correction over {counted(result.families, 'distinct test')}"
    scope = f"{metrics:,} metrics"
    if pairs > 1:
        scope = f"{counted(pairs, 'pair')} of systems and the {scope} of each"
    return f", after step-down correction over {scope}"


# Tables.


def merged(pairs: Sequence[Pair]) -> list[list[str]]:
    """Groups of metrics that are equal on every pair, the usual ones first.

    Metrics that were chosen keep their order.
    """
    by: dict[str, list[Pair]] = {}
    for p in pairs:
        by.setdefault(p.metric, []).append(p)
    usual = [] if chosen(list(by)) else [m for m in HEADLINES if m in by]

    def number(name: str) -> tuple[tuple[str, ...], ...]:
        return tuple(rounded(*p.values, p.low, p.high, p.p_adjusted) for p in by[name])

    return group_equal(dict.fromkeys((*usual, *by)), number)


def pairs_sheets(result: Comparison, minus: str = "") -> list[Table]:
    """Tables of the metrics that are shares or coefficients, and of those that grow with items.

    ``minus`` is the name of the difference.
    """
    minus = minus or _minus(result)
    shares, gains = _kinds(result.pairs)
    tables = ((f"{minus} on every metric", shares), (f"{minus}, of gains over items", gains))
    return [_pairs_sheet(result, groups, name) for name, groups in tables if groups]


def _kinds(pairs: Sequence[Pair]) -> tuple[list[list[str]], list[list[str]]]:
    """Groups of equal metrics: shares or coefficients, and gains over the items."""
    groups = merged(pairs)
    gains = sums(group[0] for group in groups)
    return [g for g in groups if g[0] not in gains], [g for g in groups if g[0] in gains]


def _pairs_sheet(result: Comparison, groups: list[list[str]], name: str) -> Table:
    """One row per pair of systems and metric; with several tests, the p of each."""
    several, sized = len(result.systems) > 2, result.power is not None
    within = result.margin is not None
    tests = result.tests if len(result.tests) > 1 else ()
    head = ["systems"] * several + ["metric"]
    head += [*(["first", "second"] if several else result.pairs[0].systems)]
    head += ["difference", "low", "high"]
    head += [*(f"p {t}" for t in tests), "p adjusted" if len(result.pairs) > 1 else "p"]
    head += [*["not worse"] * within, *["items needed"] * sized]
    rows: list[list[Cell]] = []
    systems = dict.fromkeys(p.systems for p in result.pairs)
    for pair, group in product(systems, groups):
        p = result.parts[(*pair, group[0])]
        row: list[Cell] = [" − ".join(p.systems)] * several
        row += [MetricName(" = ".join(group)), *p.values, p.value, p.low, p.high]
        row += [ProbabilityCell(x) for x in (*(p.p.get(t) for t in tests), p.p_adjusted)]
        row += [", ".join(p.margin.not_worse) if p.margin else None] * within
        rows.append([*row, *[str(p.needed) if p.needed else None] * sized])
    return Table(Grid(head, rows), name, rows="comparisons", wide=100)


def slices_sheets(result: Comparison) -> list[Table]:
    """Tables of slices by the same kinds of metrics."""
    name = f"{_minus(result)} in every slice"
    shares, gains = _kinds([p for part in result.slices for p in part.pairs])
    tables = ((name, shares), (f"{name}, of gains over items", gains))
    return [_slices_sheet(result, groups, name) for name, groups in tables if groups]


def _slices_sheet(result: Comparison, groups: list[list[str]], name: str) -> Table:
    """One row per metric, slice and pair of systems."""
    several = len(result.systems) > 2
    head = ["metric", "slice", "items", *["systems"] * several, "difference", "low", "high"]
    rows: list[list[Cell]] = []
    for group in groups:
        title = MetricName(" = ".join(group))
        for s in result.slices:
            for p in (p for p in s.pairs if p.metric == group[0]):
                row: list[Cell] = [title, key_text(s.key), s.n]
                row += [" − ".join(p.systems)] * several
                rows.append([*row, p.value, p.low, p.high, ProbabilityCell(p.p_adjusted)])
    grid = Grid([*head, "p adjusted"], rows)
    return Table(grid, name, most=60, rows="comparisons", wide=100)


def _minus(result: Comparison) -> str:
    if len(result.systems) > 2:
        return "First minus second"
    return " minus ".join(result.pairs[0].systems)


def every_number(result: Comparison) -> Grid:
    """All numbers, one row per pair and metric; with slices, one in each and in all items."""
    head = ["slice"] * bool(result.slices)
    head += ["first", "second", "metric", "first_value", "second_value", "difference", "effect"]
    head += ["se", "low", "high", *(f"p_{t}" for t in result.tests), "p_adjusted", "p_least"]
    head += ["margin_low", "margin_high", "equivalent", "needed", "needed_low", "needed_high"]
    rows: list[list[Cell]] = []
    parts = [([key_text(s.key)], s) for s in result.slices]
    for key, part in (*parts, ([POOLED] if result.slices else [], result)):
        for p in part.pairs:
            row: list[Cell] = [*key, *p.systems, p.metric, *p.values, p.value, p.effect]
            row += [p.se, p.low, p.high, *(p.p.get(t) for t in result.tests)]
            row += [p.p_adjusted, p.p_least]
            m, items = p.margin, p.needed
            row += [None] * 3 if m is None else [m.low, m.high, str(m.equivalent).lower()]
            row += [None] * 3 if items is None else [items.items, items.low, items.high]
            rows.append(row)
    return Grid(head, rows)


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Collection[tuple[str, str, str], Pair], Result):
    """Every pair of systems on every metric.

    ``corrected`` names the test that decides, ``families`` the number of tests in its correction:
    pairs of systems for the randomisation, which corrects within them too.

    >>> import evenhand as eh
    >>> comparison = eh.compare(list("aabb"), list("aabb"), list("abbb"), metrics="accuracy")
    >>> list(comparison), comparison["A", "B"].difference
    ([('A', 'B', 'accuracy')], 0.25)
    """

    json_fields = "signature systems baseline n level corrected families margin power pairs verdict"

    drawn_by = "comparing.charts.comparison"

    systems: tuple[str, ...]
    n: int
    level: float
    corrected: str
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

    @property
    def tests(self) -> tuple[str, ...]:
        """The tests of some pair."""
        return tuple(dict.fromkeys(t for p in self.pairs for t in p.p))

    @cached_property
    def sentences(self) -> tuple[str, ...]:
        """The verdict: a sentence for each pair, then the limits."""
        return sentences(self)

    @property
    def verdict(self) -> tuple[str, ...]:
        """The same, by the name that it has in JSON."""
        return self.sentences

    def told_apart(self, pair: Pair) -> bool:
        """Whether the difference is significant after the correction."""
        return pair.p_adjusted is not None and pair.p_adjusted < 1 - self.level

    def testable(self, pair: Pair) -> bool:
        """Whether it could be: not with few draws, or if too few answers differ."""
        return pair.p_least is not None and pair.p_least < 1 - self.level

    def content(self) -> Content:
        """The verdict, every pair on every metric, the test sizes needed."""
        title = f"{counted(self.n, 'item')}, {counted(len(self.systems), 'system')}, "
        others = "first minus second" if self.baseline is None else f"others minus {self.baseline}"
        title += f"{level_text(self.level)} intervals of the difference ({others})"
        blocks: list[Block] = [Paragraph(joined("\n", self.sentences), "verdict")]
        blocks += pairs_sheets(self)
        if self.power is not None:
            blocks.append(Paragraph(needed_words(self.power), "note"))
        if self.slices:
            blocks += [Heading("Slices"), *slices_sheets(self)]
        own = self.signatures.get(self.lead, self.signature)
        citation = footnote(own, metric=self.lead, prefix="Differences in ")
        data = partial(every_number, self)
        return self.described(title, [*blocks, self.picture], data, footnote=citation)

    @property
    def lead(self) -> str:
        """The first metric of sentences: macro F1, if it is there."""
        names = [p.metric for p in self.pairs]
        return "macro_f1" if "macro_f1" in names else names[0]


@verb(CompareOptions)
def compare(arguments: VerbArguments, options: CompareOptions) -> Comparison:
    """Test the difference of every pair of systems on every metric, on the same items.

    Takes true labels and two or more systems' predictions, true labels and a mapping of names
    to predictions, a frame with the columns ``true`` and ``pred`` (a list), a ``Sample``, or a
    joint table of counts (true × A × B). Each difference has an interval by its
    standard error on the same items and p values by ``tests`` (names, or ``"all"``), of which the
    first is corrected for all metrics and pairs. ``replicates`` is a minimum: where the
    correction needs more draws, it gets them. ``margin`` asks also whether a system is not worse
    than the other by more than that, ``power`` how many items would show such a difference. ``by``
    compares in slices of the items too, which are corrected together, apart from the whole. With a
    ``baseline`` only pairs with that system are compared, the other less the baseline.

    >>> found = compare("aabbbabab", {"A": list("aabbbabaa"), "B": list("ababbbaab")},
    ...                 metrics=["accuracy"], tests="all")
    >>> round(found["accuracy"].difference, 4), round(found["accuracy"].p["mcnemar"], 5)
    (0.3333, 0.21875)
    """
    specs = several(options.metrics, default_metrics, distance=options.distance)
    sample, specs = for_metrics(sample_of(arguments, soft=True), specs)
    request = CompareRequest(
        [as_spec(m) for m in specs], options, at_baseline(sample.systems, options.baseline)
    )
    result = compared(sample, request).noted(
        *sample.notes, *map(Copies, sample.copies()), *in_order(request.metrics, sample.labels)
    )
    testable, single = of_clusters(sample.slices)
    parts = [_TestedPart.from_sample(part, request, len(testable)) for _, part in testable]
    tested = [replace(t, family=(i, t.family)) for i, p in enumerate(parts) for t in p.tested]
    pairs = iter(corrected(tested, options.level))
    slices = [
        replace(part.result(tuple(islice(pairs, len(part.tested))), request), key=key)
        for (key, _), part in zip(testable, parts, strict=True)
    ]
    result = result.with_slices(slices)
    return replace(result, cautions=(*result.cautions, *single))


def compared(sample: Sample | SoftSample, request: CompareRequest) -> Comparison:
    """The comparison of all items, without slices."""
    part = _TestedPart.from_sample(sample, request)
    return part.result(corrected(part.tested, request.options.level), request)


@dataclass(frozen=True, eq=False)
class _TestedPart:
    """All items or a slice: tables, metrics, and the tests before their correction."""

    sample: Sample | SoftSample
    tables: Confusion
    kernels: list[Kernel]
    tested: list[TestedMetric]

    @classmethod
    def from_sample(
        cls, sample: Sample | SoftSample, request: CompareRequest, slices: int = 1
    ) -> _TestedPart:
        """The tests of a sample that is one of so many slices."""
        tables = sample.tables()
        refuse_empty(tables, "compare")
        kernels = bind_all(request.metrics, tables, **request.options.binding)
        refuse_wide(request.options.margin, kernels)
        values = [np.asarray(v, np.float64) for v in values_of(kernels, tables)]
        return cls(sample, tables, kernels, tested_pairs(sample, kernels, values, request, slices))

    def result(self, pairs: tuple[Pair, ...], request: CompareRequest) -> Comparison:
        """The comparison with these corrected pairs."""
        sample, tables = self.sample, self.tables
        options, binding = request.options, request.options.binding
        draws = ReplicateField(options.replicates, options.seed)
        interval = IntervalField(
            "paired",
            options.level,
            tests=request.tests,
            clusters=sample.cluster is not None,
            drawn=draws,
            further=options.further,
        )
        signature = signature_of(tables, **binding, interval=str(interval))
        signature = replace(signature, n=str(sample.n))
        specs = [m for m in request.metrics if isinstance(m, Spec)]
        signatures = [signed_metric(signature, spec, tables, options.classes) for spec in specs]
        known = {p.metric for p in pairs if p.low is not None}
        unknown = tuple(dict.fromkeys(p.metric for p in pairs if p.low is None))
        sure = [k for k in self.kernels if k.name in known]
        return Comparison(
            systems=sample.systems,
            n=sample.n,
            level=request.options.level,
            corrected=request.corrected,
            families=len({t.family for t in self.tested if t.p is not None}),
            margin=request.options.margin,
            power=request.options.power,
            pairs=pairs,
            signature=signature,
            signatures={s.metric: s for s in signatures},
            baseline=None if request.baseline is None else sample.systems[request.baseline],
            cautions=(
                *([NoWidth(unknown, "difference")] if unknown else ()),
                *paired_cautions(sample, tables, sure, **binding),
            ),
        )

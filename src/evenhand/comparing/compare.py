"""Comparing systems on the same items."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cached_property, partial
from itertools import islice
from types import SimpleNamespace
from typing import Any, Literal, TypeAlias, get_args

from evenhand.catalogue.binding import for_metrics, usual_metrics
from evenhand.catalogue.lists import (
    as_spec,
    compared_metrics,
    in_order,
    several,
)
from evenhand.catalogue.signature import (
    ReplicateField,
    Signature,
    footnote,
    paired_signature,
    signed_metric,
)
from evenhand.catalogue.spelling import Spec, called, title
from evenhand.comparing.tests import (
    CompareRequest,
    Family,
    Pair,
    PairedTests,
    corrected,
)
from evenhand.data.arguments import VerbArguments, at_baseline, sample_of, verb
from evenhand.errors import InputError, shown
from evenhand.inference.delta import paired_cautions
from evenhand.inference.noninferiority import needed
from evenhand.inference.prediction_powered import (
    human_alone,
    judged_data,
)
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
from evenhand.results.operating_points import (
    OperatingPoint,
    operating_points,
    operating_table,
)
from evenhand.results.result import Collection, Result, in_format
from evenhand.text import (
    MINUS,
    Cell,
    Grid,
    Name,
    Sentence,
    counted,
    group_by,
    joined,
    judged_columns,
    level_text,
    listed,
    number,
    p_cell,
    p_words,
    percent,
    points,
    visible,
    width,
)
from evenhand.warnings import Copies, NoWidth

Outcome: TypeAlias = Literal[
    "better", "worse", "different", "no significant difference", "untestable", "untested"
]
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)
SIGNIFICANT = OUTCOMES[:3]
FEW = 4
"""Metrics up to which each is named."""
LONG = 14
"""Columns of a terminal up to which the names of two systems head their values."""
FEW_ROWS = 12
"""Rows of other metrics up to which several pairs have them where no explanation is asked for."""
FEW_PAIRS = 6
"""Pairs of systems up to which each has a sentence where no explanation is asked for."""
STATED, POWER = 0.02, 0.8
"""The difference that more items would show, unless there is a margin, and how often."""
RAISED = (
    "p is the larger of two: of the randomisation test, and of the difference over its standard "
    "error. That is safer where classes are rarely predicted."
)
EXACT = "p is McNemar's mid-p and the interval is Tango's."


# Sentences.


def _rule(result: Comparison) -> str:
    """Which metric is the main one, its level, and what its tests are corrected over."""
    name = visible(title(result.metric))
    holm = f", with Holm's correction for {result.families} pairs" if result.families > 1 else ""
    return f"{name} is the primary metric, tested at the {level_text(1 - result.level)} level{holm}"


CLAIMS: dict[Outcome, tuple[str, str]] = {
    "different": ("Significant difference", ""),
    "no significant difference": ("No significant difference", ""),
    "untestable": ("No difference", " could be significant"),
    "untested": ("No test", ""),
}
"""What an outcome without a better system says, before and after the systems."""


def _claim(result: Comparison, pair: Pair, *, inside: bool, named: bool = True) -> Sentence:
    """What the test says of two systems; ``inside`` a sentence, or without their names."""
    outcome, swapped = result._outcome(pair), result._swapped(pair)
    first, second = (Name(visible(s)) for s in pair.systems[:: -1 if swapped else 1])
    if outcome in CLAIMS:
        start, end = CLAIMS[outcome]
        start = start[0].lower() + start[1:] if inside else start
        return Sentence(start, *[" between ", first, " and ", second] * named, end)
    verb = "better" if outcome == "better" or swapped else "worse"
    return Sentence(first, f" is significantly {verb} than ", second)


def _decision(result: Comparison, pair: Pair) -> str:
    """What the test says of two systems on the metric that decides."""
    claim = _claim(result, pair, inside=len(result.primary) == 1)
    metric, outcome, more = called(pair.metric), result._outcome(pair), ""
    if outcome in ("untested", "untestable") or pair.p_adjusted is None:
        reason = ": too few answers differ, or too few replicates are drawn"
        reason = reason * (outcome == "untestable") or ": no item of both" * (pair.items == 0)
        return Sentence(claim, f" on {metric}", reason, ".")
    holm = f", Holm over {result.families} pairs" if result.families > 1 else ""
    span = _signed(pair, -pair.value if result._swapped(pair) else pair.value)
    if outcome == "no significant difference":
        if pair.low is not None and pair.high is not None:
            span = f"{_signed(pair, pair.low, unit=False)} to {_signed(pair, pair.high)}"
        if pair.se and pair.points and pair.judged is None:
            stated, n = result.margin or STATED, result._items_of(pair)
            required = needed(stated, pair.se, n, power=POWER, level=result.level)
            each = result._samples_each(result.n)
            items = counted(float(f"{required / each:.2g}"), "item")
            shown = f"a difference of {points(stated).replace('.0 ', ' ')} in {percent(POWER)}"
            example = "for example, " * (result.margin is None)
            more = f"; {example}{items} would show {shown} of cases" * (required > n)
    return Sentence(claim, f" ({metric} {span}, {p_words(pair.p_adjusted)}{holm}){more}.")


def _summary(result: Comparison) -> Iterable[str]:
    """How many of many pairs differ significantly, and which do not."""
    by_outcome = group_by(result.primary, result._outcome)
    significant = sum(len(by_outcome.pop(o, ())) for o in SIGNIFICANT)
    metric, pairs = called(result.metric), counted(len(result.primary), "pair")
    yield f"{_rule(result)}."
    yield f"{significant:,} of {pairs} differ significantly on {metric}."
    for outcome, others in by_outcome.items():
        names = listed((visible(" − ".join(p.systems)) for p in others), 2 * FEW_PAIRS)
        yield f"{''.join(CLAIMS[outcome])}: {names}."


def _others(result: Comparison, pairs: list[Pair]) -> str:
    """What the tests say of two systems on the other metrics."""
    by_outcome, parts = group_by(pairs, result._outcome), list[Sentence]()
    for outcome in (o for o in OUTCOMES if o in by_outcome):
        group = by_outcome[outcome]
        every = "all" if outcome in SIGNIFICANT else "any of the"
        claim = _claim(result, group[0], inside=bool(parts), named=not parts)
        parts.append(Sentence(claim, f" on {_on(group, len(pairs), 'other metrics', every)}"))
    return Sentence(joined("; ", parts), ".")


def _on(group: list[Pair], total: int, metrics: str = "metrics", every: str = "all") -> str:
    """Metrics by name; if many, their number."""
    if len(group) <= FEW:
        return ", ".join(called(p.metric) for p in group)
    return f"{every if len(group) == total else f'{len(group)} of'} {total} {metrics}"


def _second_family(result: Comparison) -> Iterable[str]:
    """The other metrics, whose tests are corrected apart from those that decide."""
    secondary = [p for p in result.pairs if p.family == "secondary"]
    by_systems = list(group_by(secondary, lambda p: p.systems).values())
    if not by_systems:
        return
    first, several = by_systems[0], len(by_systems) > 1
    over = f", over {len(by_systems)} pairs" * several
    names = f"p values of the {len(first)} other metrics are adjusted"
    names = names if len(first) > 1 else "other metric is tested"
    yield f"The {names} separately from the primary metric{over}."
    if several and set(map(result._outcome, secondary)) == {"no significant difference"}:
        metrics = _on(first, len(first), "other metrics", "any of the")
        yield f"No significant difference between systems on {metrics}."
    else:
        yield from (_others(result, pairs) for pairs in by_systems)


def _within(margin: float, pairs: list[Pair]) -> str:
    """What is shown about two systems within the margin."""
    size = points(margin) if all(p.points for p in pairs) else number(margin, 3)

    def claim(p: Pair) -> str:
        names = [visible(s) for s in p.systems]
        if p.margin is None:
            return f"nothing can be said about {' and '.join(names)}"
        if p.margin.equivalent:
            return f"{' and '.join(names)} are equivalent"
        if not p.margin.not_worse:
            return f"nothing is demonstrated about {' and '.join(names)}"
        return " is not worse than ".join(names[:: 1 if p.systems[0] in p.margin.not_worse else -1])

    shown = group_by(pairs, claim).items()
    each = (f"{text} on {_on(group, len(pairs))}" for text, group in shown)
    return f"Within a margin of {size}, {'; '.join(each)}."


def _signed(p: Pair, difference: float, *, unit: bool = True) -> str:
    """A difference with its sign, in points for metrics with a bounded range."""
    text = f"{100 * difference:+.1f}" if p.points else f"{difference:+.3f}"
    return text.replace("-", MINUS) + " points" * (unit and p.points)


def _limits(result: Comparison) -> Iterable[str]:
    metrics = list(dict.fromkeys(called(p.metric) for p in result.pairs if result._contrary(p)))
    if metrics:
        where = ", ".join(metrics) if len(metrics) <= FEW else f"{len(metrics)} metrics"
        yield (
            f"On {where} interval and p disagree: p is corrected for several tests, or is that of "
            "another test. Go by p."
        )
    tested = sum(any(p.p_adjusted is not None for p in s.pairs) for s in result.slices)
    if tested:
        yield f"Slices are corrected together, over {counted(tested, 'slice')}."
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
    by = group_by(pairs, lambda p: p.metric)
    return group_equal(
        by, lambda name: tuple(rounded(*p.values, p.low, p.high, p.p_adjusted) for p in by[name])
    )


def pairs_sheets(
    result: Comparison,
    minus: str = "",
    slices: Sequence[Comparison] = (),
    *,
    others: bool = True,
) -> Iterable[Table]:
    """A table of the primary metric and, with ``others``, of the others: one for each pair if they
    are many and there are no ``slices``.

    ``minus`` is the name of the difference.
    """
    sliced = bool(slices)
    if len(result.systems) > 2:
        minus = minus or "First minus second"
    for family in get_args(Family)[: 1 + others]:
        own = [(s, p) for s in slices or [result] for p in s.pairs if p.family == family]
        parts, scope = [own] * bool(own), "the other metrics"
        if family == "primary":
            scope = f"{called(result.metric)}, the primary metric"
        elif not sliced and len({p.metric for _, p in own}) > FEW:
            parts, minus = list(group_by(own, lambda x: x[1].systems).values()), ""
        for part in parts:
            name = f"{minus or ' minus '.join(part[0][1].systems)} on {scope}"
            yield from _pairs_sheet(result, part, name, sliced=sliced)


def _pairs_sheet(
    result: Comparison, own: list[tuple[Comparison, Pair]], name: str, *, sliced: bool = False
) -> Iterable[Table]:
    """The pairs of one family, and each test's p if there are several."""
    primary, first = own[0][1].family == "primary", own[0][1].systems
    several = len({p.systems for _, p in own}) > 1
    long = sum(map(width, first)) > LONG * (1 + primary)
    named = ("first", "second") if several or long else first
    rows = [
        SimpleNamespace(**vars(p) | {"metric": " = ".join(group)}, key=s.key, n=s._items_of(p))
        for group in merged(p for _, p in own)
        for s, p in own
        if p.metric == group[0]
    ]
    pairs = [p for _, p in own if not sliced]
    tests = dict.fromkeys(test for p in pairs for test in p.p)
    systems = ["systems:minus"] * several
    corrected = sliced or result.families > 1 or not primary
    grid = Grid.from_records(
        rows,
        *systems,
        *["metric:metric"] * (not several or not primary),  # else the name of the table says it
        *[f"slice=key:key, {result.unit}=n"] * sliced,
        "difference=value",
        ("adj. p" if corrected else "p", lambda p: p_cell(p.p_adjusted)),
        "low, high",
        *[("not worse", _not_worse)] * bool(pairs and result.margin is not None),
        *[(name, lambda p, i=i: p.values[i]) for i, name in enumerate(named) if pairs],
        *judged_columns(pairs),
        *["items"] * any(p.items is not None for p in pairs),
    )
    notes = []
    if result.corrected == "randomisation":
        p_values = ((p.p.get("delta"), p.p.get("randomisation")) for p in pairs)
        notes += [RAISED] * any(a is not None and b is not None and a > b for a, b in p_values)
    exact = {p.metric for p in pairs if p.method == "tango"}
    if exact and result.corrected in ("randomisation", "delta"):
        metric = "accuracy" if "accuracy" in exact else min(exact)
        notes.append(f"For {called(metric)}, {EXACT}")
    name, most = f"{name}{', in every slice' * sliced}", 60 if sliced else None
    yield Table(grid, name, most=most, rows="comparisons", wide=100, note=" ".join(notes))
    if len(result.tests) > 1 and pairs:
        each = [(test, lambda p, test=test: p_cell(p.p.get(test))) for test in tests]
        grid = Grid.from_records(rows, *systems, "metric:metric", *each)
        yield Table(grid, "p by test, not corrected")


def _not_worse(pair: Any) -> Cell:
    return ", ".join(pair.margin.not_worse) if pair.margin else None


class Comparison(Collection[tuple[str, str, str], Pair], Result):
    """Every pair of systems on every metric.

    ``metric`` is the one that decides, ``corrected`` the test, ``families`` the number of pairs of
    systems that it is corrected over. The other metrics are corrected together, apart from it.

    >>> import evenhand as eh
    >>> comparison = eh.compare(list("aabb"), list("aabb"), list("abbb"), metrics="accuracy")
    >>> list(comparison), comparison["A", "B"].difference
    ([('A', 'B', 'accuracy')], 0.25)
    """

    json_fields = """signature systems baseline n level metric corrected families margin pairs
    operating_points verdict"""

    drawn_by = "comparing.charts.differences"

    systems: tuple[str, ...]
    n: int
    level: float
    metric: str
    corrected: str
    tests: tuple[str, ...]
    families: int
    margin: float | None
    pairs: tuple[Pair, ...]
    signature: Signature
    signatures: dict[str, Signature]
    baseline: str | None = None
    key: Any = None
    slices: tuple[Comparison, ...] = ()
    operating_points: tuple[OperatingPoint, ...] = ()

    @property
    def parts(self) -> dict[tuple[str, str, str], Pair]:
        """Each pair of systems on each metric, by the three names."""
        return {(*p.systems, p.metric): p for p in self.pairs}

    @cached_property
    def verdict(self) -> tuple[str, ...]:
        """The metric that decides, a sentence for each pair, the other metrics, the limits."""
        return self._sentences()

    def _sentences(self, *, others: bool = True) -> tuple[str, ...]:
        """The verdict, with what it says of the ``others`` or without."""
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
        return (*lines, *(_second_family(self) if others else ()), *[limits] * bool(limits))

    @property
    def abridged(self) -> bool:
        """Whether the other metrics of so many pairs are shown only to explain the comparison."""
        rows = len(self.pairs) - len(self.primary)
        return len(self.primary) > 1 and rows > FEW_ROWS

    @property
    def primary(self) -> list[Pair]:
        """The pairs on the metric that decides."""
        return [p for p in self.pairs if p.family == "primary"]

    def _items_of(self, pair: Pair) -> int:
        """The items that a pair is compared on."""
        return self.n if pair.items is None else pair.items

    def _outcome(self, pair: Pair) -> Outcome:
        """Whether the first system is significantly better or worse after the correction."""
        if pair.p_adjusted is None:
            return "untested"
        if not self._significant(pair):
            return "no significant difference" if self.testable(pair) else "untestable"
        if pair.better == "neither":
            return "different"
        return "better" if (pair.value > 0) == (pair.better == "higher") else "worse"

    def _swapped(self, pair: Pair) -> bool:
        """Whether the second system is named first: it is better, and there is no baseline."""
        return self.baseline is None and self._outcome(pair) == "worse"

    def _significant(self, pair: Pair) -> bool:
        """Whether the difference is significant after the correction."""
        return pair.p_adjusted is not None and pair.p_adjusted < 1 - self.level

    def _contrary(self, pair: Pair) -> bool:
        """Whether the interval leaves out 0 and p is not significant, or the other way round."""
        if pair.low is None or pair.high is None or pair.p_adjusted is None:
            return False
        return (pair.low > 0 or pair.high < 0) != self._significant(pair)

    def testable(self, pair: Pair) -> bool:
        """Whether it could be: not with few draws, or if too few answers differ."""
        return pair.p_least is not None and pair.p_least < 1 - self.level

    def content(self, *, explain: bool = True) -> Content:
        """The verdict, and every pair on every metric.

        Unless ``explain``, several pairs have no tables of the other metrics, many no sentences.
        """
        fewest, items = min(map(self._items_of, self.pairs)), self.items_text(self.n)
        items = items if fewest == self.n else f"{fewest:,} to {items} (each pair has its own)"
        title = f"{items}, {counted(len(self.systems), 'system')}, "
        minus = "first minus second" if self.baseline is None else f"others minus {self.baseline}"
        title += f"{level_text(self.level)} intervals of the difference ({minus})"
        others, few = explain or not self.abridged, explain or len(self.primary) <= FEW_PAIRS
        verdict = self._sentences(others=others) if few else _summary(self)
        blocks: list[Block] = [Paragraph(joined("\n", verdict), "verdict")]
        blocks += pairs_sheets(self, others=others)
        blocks += operating_table(self.operating_points)
        if self.slices:
            blocks += [Heading("Slices"), *pairs_sheets(self, slices=self.slices)]
        own = self.signatures.get(self.metric, self.signature)
        citation = footnote(own, metric=self.metric, prefix="Differences in ")
        return self.described(title, [*blocks, self.picture], self._data, footnote=citation)

    def __str__(self) -> str:
        return in_format(self.content(explain=False), "table")

    def _data(self) -> Grid:
        """All numbers, one row per pair and metric."""
        tests = dict.fromkeys(t for p in self.pairs for t in p.p)
        head = ["first", "second", "metric", "first_value", "second_value"]
        head += ["difference", "effect", "se", "low", "high"]
        head += [*(f"p_{t}" for t in tests), "p_adjusted", "p_least", "family"]
        head += ["margin_low", "margin_high", "equivalent"]

        def rows(part: Comparison) -> Iterable[list[Cell]]:
            for p in part.pairs:
                row: list[Cell] = [*p.systems, p.metric, *p.values, p.value, p.effect]
                row += [p.se, p.low, p.high, *(p.p.get(t) for t in tests)]
                m = p.margin
                ends = [m.low, m.high, str(m.equivalent).lower()] if m else [None] * 3
                yield [*row, p.p_adjusted, p.p_least, p.family, *ends]

        return self._in_slices(head, rows)


@verb(CompareOptions)
def compare(arguments: VerbArguments, options: CompareOptions) -> Comparison:
    """Test the difference of every pair of systems on every metric, on the same items.

    Takes true labels and two or more systems' predictions, true labels and a mapping of names to
    predictions, a frame with the columns ``true`` and ``pred`` (a list), or a ``Sample``. Each
    difference has an interval by its standard error on the same items and p values by ``tests``
    (names, or ``"all"``). The first of ``metrics`` decides (macro F1 unless named), by the first
    test, corrected over the pairs (Holm); the other metrics are corrected
    together, apart from it. ``replicates`` is a minimum: a correction that needs more, gets them.
    ``margin`` asks also whether a system is not worse than the other by more than that. ``by``
    compares in slices of the items too, which are corrected together, apart from the whole. With a
    ``baseline`` only pairs with that system are compared, the other less the baseline.

    >>> found = compare("aabbbabab", {"A": list("aabbbabaa"), "B": list("ababbbaab")},
    ...                 metrics=["accuracy"], tests="all")
    >>> round(found["accuracy"].difference, 4), round(found["accuracy"].p["mcnemar"], 5)
    (0.3333, 0.21875)
    """
    data, judged, warnings = judged_data(arguments, options, sample_of)
    usual = partial(usual_metrics, data, compared_metrics)
    sample, specs = for_metrics(data, several(options.metrics, usual, distance=options.distance))
    baseline = at_baseline(sample.systems, options.baseline)
    request = CompareRequest(list(map(as_spec, specs)), options, baseline, judged is not None)
    part = PairedTests(sample, request, judged=judged)
    result = _comparison(part, corrected(part.pairs, options.level)).noted(
        *sample.notes,
        *map(Copies, sample.copies()),
        *in_order(request.metrics, sample.labels),
        *warnings,
        *human_alone((t.pair.metric, t.pair.judged) for t in part.pairs),
    )
    if not result.n:
        raise InputError(f"{shown(sample.systems)} have no item in common")
    testable, single = of_clusters(sample.slices)
    by_key = {} if judged is None else dict(judged.slices)
    parts = [PairedTests(part, request, len(testable), by_key.get(k)) for k, part in testable]
    tested = [replace(t, group=(i, t.group)) for i, p in enumerate(parts) for t in p.pairs]
    pairs = iter(corrected(tested, options.level))
    slices = [
        _comparison(part, tuple(islice(pairs, len(part.pairs))), key)
        for (key, _), part in zip(testable, parts, strict=True)
    ]
    result = result.with_slices(slices)
    return replace(result, cautions=(*result.cautions, *single))


def _comparison(part: PairedTests, pairs: tuple[Pair, ...], key: Any = None) -> Comparison:
    """The comparison with these corrected pairs."""
    sample, tables, request = part.sample, part.tables, part.request
    options, systems = request.options, sample.systems
    drawn = ReplicateField(options.replicates, options.seed)
    signature = paired_signature(sample, tables, options, request.tests, drawn)
    common = [p.items for p in pairs if p.items is not None]
    signature = replace(signature, n=str(max(common))) if common else signature
    specs = [m for m in request.metrics if isinstance(m, Spec)]
    signatures = [signed_metric(signature, spec, tables, options.classes) for spec in specs]
    if request.tests[0] == "randomisation":
        exact = {p.metric for p in pairs if p.method == "tango"}
        own = signature.interval.replace("-randomisation", "-mcnemar", 1)
        signatures = [replace(s, interval=own) if s.metric in exact else s for s in signatures]
    known = {p.metric for p in pairs if p.low is not None}
    unknown = tuple(dict.fromkeys(p.metric for p in pairs if p.low is None and p.items != 0))
    sure = [k for k in part.kernels if k.name in known]
    decisive = [t for t in part.pairs if t.pair.family == "primary"]
    return Comparison(
        systems=systems,
        n=max(common, default=part.n),
        level=options.level,
        metric=part.kernels[0].name,
        corrected=request.tests[0],
        tests=request.tests,
        families=len({t.pair.systems for t in decisive if t.p is not None}),
        margin=options.margin,
        pairs=pairs,
        signature=signature,
        signatures={s.metric: s for s in signatures},
        baseline=None if request.baseline is None else systems[request.baseline],
        cautions=(
            *([NoWidth(unknown, "difference")] if unknown else ()),
            *paired_cautions(sample, tables, sure, **options.binding),
        ),
        key=key,
        operating_points=operating_points(sample, request.metrics, systems),
    )

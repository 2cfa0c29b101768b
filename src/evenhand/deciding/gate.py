"""Gates: whether a new system may replace an old one."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal, Self, TypeAlias

import numpy as np

from evenhand.catalogue.binding import bind_all, for_metrics, main_metric, values_of
from evenhand.catalogue.lists import in_order, several
from evenhand.catalogue.signature import Signature, footnote, paired_signature
from evenhand.catalogue.spelling import called
from evenhand.core.kernel import Kernel
from evenhand.core.registry import Better
from evenhand.data.arguments import (
    VerbArguments,
    at_baseline,
    form_of,
    refusal,
    refuse_empty,
    sample_of,
    verb,
)
from evenhand.data.sample import Sample, SoftSample
from evenhand.errors import InputError, Option
from evenhand.inference.delta import paired_cautions
from evenhand.inference.jackknife import DifferenceError, difference_errors
from evenhand.inference.multiplicity import holm
from evenhand.inference.noninferiority import above, ends, items_for, refuse_wide
from evenhand.inference.prediction_powered import (
    JUDGED,
    JudgedInterval,
    JudgedSample,
    JudgedScore,
    corrected_pairs,
    human_alone,
    judged_data,
)
from evenhand.inference.rows import of_clusters, rows_of
from evenhand.inference.wilson import farthest, is_informative, quantile
from evenhand.options import GateOptions
from evenhand.records import Method
from evenhand.results.document import Block, Content, Paragraph, Table
from evenhand.results.result import Collection, Entry, Result
from evenhand.text import (
    POOLED,
    Grid,
    TextCell,
    counted,
    group_by,
    judged_columns,
    key_text,
    level_text,
    listed,
    number,
    percent,
    points,
    visible,
)
from evenhand.warnings import ResultWarning, SameAnswers, of_slices

Test: TypeAlias = Literal["noninferior", "superior", "equivalent"]
Outcome: TypeAlias = Literal["passed", "refuted", "not demonstrated", "unknown", "too few items"]
Verdict: TypeAlias = Literal["passed", "failed", "too few items to judge"]
WORST_FIRST = ("refuted", "not demonstrated", "unknown", "too few items", "passed")
POWER = 0.8
"""The probability that equally good systems pass with the items needed."""
NO_ERROR = "the difference has no standard error, as with too few items or clusters"


class Check(Entry, JudgedInterval, kw_only=True):
    """New minus old on one metric, of all items or of a slice, and whether it is shown.

    ``low`` and ``high`` end one-sided intervals at ``level``, for slices the corrected one.
    ``agreeing`` counts items on which both give the same answer, if they never differ in what the
    metric uses. ``p_adjusted`` is corrected as the interval is. ``needed`` are items with which
    equally good systems would pass. A slice of too few items is not judged.

    >>> import evenhand as eh
    >>> gate = eh.gate(list("abab"), list("abbb"), list("abab"), metrics="accuracy", margin=0.1)
    >>> gate["accuracy"].difference, gate["accuracy"].outcome
    (0.25, 'not demonstrated')
    """

    json_fields = (
        "slice n metric values difference se low high level margin p p_adjusted outcome needed "
        f"{JUDGED}"
    )

    metric: str
    n: int
    values: tuple[float, float]
    points: bool
    better: Better
    margin: float = 0.0
    outcome: Outcome = "unknown"
    p: float | None = None
    p_adjusted: float | None = None
    slice: Any = None
    agreeing: int | None = None
    needed: int | None = None

    @property
    def difference(self) -> float:
        """The new system's value less the old one's."""
        return self.value

    @property
    def slice_name(self) -> str:
        """The slice, or what all items are called beside slices."""
        return POOLED if self.slice is None else key_text(self.slice)

    @property
    def place(self) -> str:
        """What it is of: the metric, and the slice if it is of one."""
        inside = "" if self.slice is None else f" in slice {visible(key_text(self.slice))}"
        return called(self.metric) + inside

    @property
    def passed(self) -> bool:
        """Whether the claim is shown."""
        return self.outcome == "passed"

    @property
    def same(self) -> bool:
        """Whether both systems give the same answers, as far as the metric uses them."""
        return self.agreeing is not None

    def size(self, x: float, *, sign: bool = False, unit: bool = True) -> str:
        """A margin or a difference in words, in points where the metric has a range."""
        text = points(x) if self.points else number(x, 4)
        text = f"+{text}" if sign and x and not text.startswith("−") else text
        return text if unit else text.removesuffix(" points").removesuffix(" point")


@dataclass(frozen=True)
class MeasuredDifference:
    """A difference before its test; it lies between −``most`` and ``most``."""

    test: Test
    check: Check
    errors: DifferenceError
    most: float = math.inf

    @property
    def bounds(self) -> tuple[float, float]:
        """The bounds between which the difference must be shown to lie."""
        edge = self.check.margin if self.test == "superior" else -self.check.margin
        if self.test == "equivalent":
            return edge, -edge
        return (edge, math.inf) if self.check.better == "higher" else (-math.inf, -edge)

    @property
    def p(self) -> float | None:
        """The larger p of a difference beyond either bound (Berger 1982), if it has an error."""
        d, errors, (low, high) = self.check.value, self.errors, self.bounds
        few = self.check.outcome == "too few items"
        if few or self.check.same or not is_informative(errors.se, d):
            return None
        sides = [(x, null) for x, null in ((d, low), (-d, -high)) if math.isfinite(null)]
        return max(above(x, errors.se, null, errors.df, errors.size) for x, null in sides)

    def judged(self, level: float) -> Check:
        """The check at this level."""
        check, p, errors = self.check, self.p, self.errors
        if check.same and check.outcome != "too few items":
            equal: Outcome = "not demonstrated" if self.test == "superior" else "passed"
            return replace(check, outcome=equal)
        if p is None:
            return check
        low, high = ends(check.value, errors.se, level, errors.df, errors.size, self.most)
        outcome: Outcome = "passed" if p < 1 - level else "not demonstrated"
        if high <= self.bounds[0] or low >= self.bounds[1]:
            outcome = "refuted"
        if outcome == "not demonstrated" and self.test != "superior" and check.judged is None:
            both = POWER if self.test == "noninferior" else (1 + POWER) / 2
            z = quantile(level, errors.df) + quantile(both)
            check = replace(check, needed=items_for(check.n, errors.se, check.margin, z))
        interval: Any = {"se": errors.se, "low": low, "high": high, "level": level, "p": p}
        return replace(check, **interval, p_adjusted=p, method=Method("delta"), outcome=outcome)


def stepped(measured: Sequence[MeasuredDifference], level: float) -> list[Check]:
    """The checks by Holm's step-down, each at the level at which the steps reached it or stopped.

    So the ends of its interval agree with its p.
    """
    levels = [level] * len(measured)
    tested = sorted((m.p, i) for i, m in enumerate(measured) if m.p is not None)
    left, stopped = len(tested), False
    for p, i in tested:
        levels[i] = 1 - (1 - level) / left
        stopped = stopped or p >= 1 - levels[i]
        left -= not stopped
    checks = [m.judged(at) for m, at in zip(measured, levels, strict=True)]
    for (_, i), adjusted in zip(tested, holm([p for p, _ in tested]), strict=True):
        checks[i] = replace(checks[i], p_adjusted=adjusted)
    return checks


# Sentences.

CLAIMS = {
    "noninferior": ("{new} is not worse than {old}{by}", "{new} is worse than {old}{by}"),
    "superior": ("{new} is better than {old}{by}", "{new} is not better than {old}{by}"),
    "equivalent": ("{new} is within {size} of {old}", "{new} differs from {old}{by}"),
}
"""What is shown by a test that passes, and by one that is refuted."""
DOUBTS = {
    "noninferior": "{new} may be worse than {old}{by}",
    "superior": "{new} may be no better than {old}{by}",
    "equivalent": "{new} may differ from {old}{by}",
}
"""What a test leaves open that is neither."""


def _observed(gate: Gate, check: Check) -> str:
    """The observed difference and its end, or that there is none."""
    if check.same:
        where = "" if check.agreeing == check.n else f" that concern {called(check.metric)}"
        return f"the same answer on {counted(check.agreeing or 0, 'item')}{where}"
    assert check.low is not None and check.high is not None and check.level is not None
    low, high = (check.size(x, sign=True, unit=False) for x in (check.low, check.high))
    ends = f"between {low} and {high}"
    if gate.test != "equivalent":
        least = (check.better == "higher") != (check.outcome == "refuted")
        ends = f"at least {low}" if least else f"at most {high}"
    level = 1 - float(f"{1 - check.level:.2g}")  # the digits that distinguish it from 1
    sure = level_text(level) + ", Holm" * (check.level != gate.level)
    return f"difference {check.size(check.value, sign=True)}, {ends} ({sure})"


# Differences of new and old on every metric.


def _measured(
    sample: Sample | SoftSample,
    specs: Sequence[Any],
    options: GateOptions,
    old: int,
    margin: float,
    key: Any = None,
    testable: bool = True,
    judged: JudgedSample | None = None,
) -> tuple[list[MeasuredDifference], tuple[ResultWarning, ...]]:
    """All items, or the slice of a ``key``; without errors if it is not ``testable``.

    Where there is a judge, the sample is that by human labels, and the differences are corrected.
    """
    tables = sample.tables()
    if sample.n:  # as a slice without an item that both were asked has not
        refuse_empty(tables, "compare")
    kernels = bind_all(specs, tables, **options.binding)
    refuse_wide(margin, kernels)
    errors = [DifferenceError(math.nan, 0.0, 0.0)] * len(kernels)
    if testable and sample.n:
        errors = difference_errors(rows_of(sample), kernels)
    values, alone = values_of(kernels, tables), list[JudgedScore | None]([None] * len(kernels))
    if judged is not None:
        humans = [np.asarray(v, np.float64) for v in values]
        values, covariances, alone[:] = corrected_pairs(
            judged, kernels, humans, [(1 - old, old)], options.level, options.binding
        )
        errors = [
            replace(e, se=math.sqrt(c.between().variance[0]), size=0.0)
            for e, c in zip(errors, covariances, strict=True)
        ]
    measured, same_answers = [], sample.equal_items(0, 1) if sample.n else None
    for kernel, value, error, own in zip(kernels, values, errors, alone, strict=True):
        if kernel.record.better == "neither" and options.test != "equivalent":
            raise InputError(
                f"{kernel.name} is better neither high nor low: what can be shown of it is "
                f"'equivalent', not {options.test!r}"
            )
        scores = float(value[old]), float(value[1 - old])
        agreeing = None if judged is not None else same_answers
        check = Check(
            value=scores[1] - scores[0],
            judged=own,
            slice=key,
            metric=kernel.name,
            n=sample.n if judged is None else judged.sample.n,
            values=scores,
            points=kernel.record.bounded,
            better=kernel.record.better,
            margin=margin,
            outcome="too few items" if sample.n < options.min_items else "unknown",
            agreeing=_concerned(sample, kernel) if agreeing is None else agreeing,
        )
        measured.append(MeasuredDifference(options.test, check, error, farthest(kernel)))
    return measured, paired_cautions(sample, tables, kernels, **options.binding)


def _concerned(sample: Sample | SoftSample, kernel: Kernel) -> int | None:
    """Items that concern the metric's class, if the two systems never differ on it."""
    if not kernel.record.of_one_class or kernel.over_cells:
        return None
    return sample.equal_items(0, 1, kernel.averaged)


class Gate(Collection[Any, Check], Result):
    """Whether a new system may replace an old one: every check must pass.

    Checks are of all items on each metric, then of each slice on each metric. ``verdict`` is
    "passed", "failed", or "too few items to judge" where all others passed.

    >>> import evenhand as eh
    >>> true, old = list("ab" * 100), list("ab" * 99 + "bb")
    >>> gate = eh.gate(true, old, true, metrics="accuracy", margin=0.02)
    >>> gate.passed, gate["accuracy"].difference
    (True, 0.005)
    """

    old: str
    new: str
    n: int
    test: Test
    margin: float
    level: float
    checks: tuple[Check, ...]
    signature: Signature
    min_items: int = 0

    json_fields = """passed verdict message test margin min_items level old new n
    slice=decides.slice metric=decides.metric difference=decides.difference low=decides.low
    high=decides.high p=decides.p checks signature"""

    @property
    def parts(self) -> dict[Any, Check]:
        """Each check: by its metric, or by its slice and metric."""
        return {c.metric if c.slice is None else (c.slice, c.metric): c for c in self.checks}

    @property
    def passed(self) -> bool:
        """Whether every check passed."""
        return all(c.passed for c in self.checks)

    def __bool__(self) -> bool:
        """Whether it passed, so that ``assert eh.gate(…)`` means what it says."""
        return self.passed

    @property
    def verdict(self) -> Verdict:
        """The decision in a word or two."""
        outcomes = {c.outcome for c in self.checks} - {"passed"}
        few = outcomes == {"too few items"}
        return "passed" if not outcomes else "too few items to judge" if few else "failed"

    @property
    def decides(self) -> Check:
        """The check that decides: the worst, or if all passed the one with the largest p."""

        def order(c: Check) -> Any:
            return WORST_FIRST.index(c.outcome), -(c.p or 0.0), c.slice is not None

        return min(self.checks, key=order)

    def noted(self, *notes: ResultWarning) -> Self:
        """The same with further notes; what is needed are items, also where these have samples."""
        gate = super().noted(*notes)
        each = gate._samples_each(self.n) / self._samples_each(self.n)
        checks = (replace(c, needed=c.needed and math.ceil(c.needed / each)) for c in self.checks)
        return replace(gate, checks=tuple(checks))

    @property
    def message(self) -> str:
        """The decision in one line: the claim, and the check that decides."""
        c, checks, margin = self.decides, len(self.checks), self.decides.margin
        roles, where = {"new": self.new, "old": self.old}, c.place
        new, old = (
            visible(name) if name == role else f"{visible(name)} ({role})"
            for role, name in roles.items()
        )
        by = f" by more than {c.size(c.margin)}" if c.margin else ""
        words = {"new": new, "old": old, "by": by, "size": c.size(c.margin)}
        texts = (*CLAIMS[self.test], DOUBTS[self.test])
        claim, opposite, doubt = (f"{text.format(**words)} on {where}" for text in texts)
        passed = sum(x.passed for x in self.checks)
        if self.passed:
            others = f" and {counted(checks - 1, 'other check')}" if checks > 1 else ""
            text = f"passed: {claim}{others}: {_observed(self, c)}"
        elif self.verdict != "failed":
            margin = self.margin
            few = sorted({(x.n, x.slice_name) for x in self.checks if not x.passed})
            slices = listed(f"{visible(name)} ({n:,})" for n, name in few)
            rest = f"; {counted(passed, 'other check')} passed" if passed else ""
            text = (
                f"{self.verdict}: fewer than {counted(self.min_items, 'item')} in {slices}{rest}, "
                f"with a margin of {c.size(margin)}"
            )
        else:
            failed = [x for x in self.checks if not x.passed and x.outcome != "too few items"]
            which = f" ({len(failed)} of {counted(checks, 'check')})" * (checks > 1)
            text = f"failed{which}: "
            if c.same:
                text += f"{new} and {old} have {_observed(self, c)}: neither is better"
            elif c.outcome == "unknown":
                reason = "the metric is undefined there" if math.isnan(c.value) else NO_ERROR
                reason = reason if c.n else "no item of both"
                text += f"it cannot be decided on {where}: {reason}"
            else:
                text += f"{opposite if c.outcome == 'refuted' else doubt}: {_observed(self, c)}"
            if c.needed is not None and c.needed > c.n / self._samples_each(self.n):
                items, often = counted(float(f"{c.needed:.2g}"), "item"), percent(POWER)
                there = "" if c.slice is None else f" in {visible(key_text(c.slice))}"
                text += f"; about {items}{there} would let equally good systems pass in {often} of "
                text += "cases"
        return text + self._margins(margin)

    def _margins(self, stated: float) -> str:
        """The margins that are not the one stated."""
        others = {x.slice_name: x.size(x.margin) for x in self.checks if x.margin != self.margin}
        texts = [f"{size} in {visible(name)}" for name, size in others.items()]
        texts += [f"{self.checks[0].size(self.margin)} elsewhere"] * (stated != self.margin)
        return f"; margin {listed(texts)}" if texts else ""

    def content(self) -> Content:
        """The decision, then every check."""
        size = self.checks[0].size(self.margin)
        title = f"{self.old} → {self.new}, {counted(self.n, 'item')}, margin {size}, one-sided at "
        title += level_text(self.level)
        slices = len({c.slice_name for c in self.checks if c.slice is not None})
        corrected = f", with Holm's correction over {counted(slices, 'slice')}"
        note = (
            "Each end of an interval is one-sided, by a score test on the same "
            f"items{corrected * bool(slices)}. All checks must pass: a new system that is worse by "
            f"the margin passes in at most {level_text(1 - self.level)} of cases."
        )
        if self.min_items:
            note += f" Fewer than {counted(self.min_items, 'item')} are not judged."
        grid = Grid.from_records(
            self.checks,
            *["slice=slice_name, items=n"] * bool(slices),
            "metric:metric",
            (self.old, lambda c: c.values[0]),
            (self.new, lambda c: c.values[1]),
            "difference=value, low, high",
            *["margin"] * any(c.margin != self.margin for c in self.checks),
            ("outcome", lambda c: c.outcome + " (same answers)" * c.same),
            ("adj. p" if slices else "p", "p_adjusted:p"),
            *judged_columns(self.checks),
        )
        sheet = Table(grid, f"{self.new} minus {self.old}", most=60, rows="checks")
        blocks: list[Block] = [Paragraph(self.message, "verdict"), sheet, Paragraph(note, "note")]
        scope, metric = f"Differences (margin {self.margin:g}) in ", self.decides.metric
        citation = footnote(self.signature, metric=metric, prefix=scope)
        return self.described(title, blocks, self._data, footnote=citation)

    @property
    def failures(self) -> Table | None:
        """The checks that did not pass, differences in points, if they are more than one."""
        failed = [c for c in self.checks if not c.passed]
        if len(failed) < 2:
            return None
        sliced, several = any(c.slice is not None for c in failed), len({c.outcome for c in failed})

        def ends(c: Check) -> str:
            low, high = (c.size(x, sign=True, unit=False) for x in (c.low, c.high) if x is not None)
            return f"{low} to {high}"

        grid = Grid.from_records(
            failed,
            *["slice=slice_name"] * sliced,
            "metric:metric",
            ("difference", lambda c: TextCell(c.value, c.size(c.value, sign=True, unit=False))),
            ("interval", lambda c: None if c.low is None else ends(c)),
            ("margin", lambda c: TextCell(c.margin, c.size(c.margin, unit=False))),
            *["outcome"] * (several > 1),
            ("adj. p" if sliced else "p", "p_adjusted:p"),
        )
        holm = "; those of slices by Holm's correction" * sliced
        note = f"Each end of an interval is one-sided, and so is p{holm}."
        unit = " in points" * all(c.points for c in failed)
        name = f"Failed checks: {self.new} minus {self.old}{unit}"
        name += f" ({failed[0].outcome})" * (several == 1)
        return Table(grid, name, most=60, rows="checks", note=note)

    def _data(self) -> Grid:
        return Grid.from_records(
            self.checks,
            "slice=slice_name, items=n, metric",
            ("old", lambda c: c.values[0]),
            ("new", lambda c: c.values[1]),
            "difference=value, se, low, high, level, margin, p, p_adjusted, outcome, needed",
        )


@verb(GateOptions)
def gate(arguments: VerbArguments, options: GateOptions) -> Gate:
    """Decide whether a new system is shown to be not worse than an old one by more than a margin.

    Takes true labels and the predictions of the old and of the new system, or what ``compare``
    takes of two systems, the old one first unless ``baseline`` names it. ``test`` says what must
    be shown: ``"noninferior"`` (new − old > −margin), ``"superior"`` (new − old > margin, which may
    be 0) or ``"equivalent"`` (−margin < new − old < margin); for a metric that is better low, new
    and old change places. It must be shown on every one of ``metrics`` (macro F1 unless named) and
    in every slice of ``by``, one-sided at ``level`` by a score test of the paired difference;
    slices are corrected together. ``slice_margins`` are margins of slices that have their own, and
    a slice of fewer than ``min_items`` is not judged: if all else passes, the ``verdict`` is "too
    few items to judge". Systems that give the same answer on every item are equivalent.

    >>> true = list("aabb" * 200)
    >>> old = ["a" if i % 5 == 0 else v for i, v in enumerate(true)]
    >>> new = ["a" if i % 7 == 0 else v for i, v in enumerate(true)]
    >>> print(gate(true, old, new, margin=0.05).message)
    passed: new is not worse than old by more than 5.0 points on macro F1: difference +2.8 points, \
at least +0.54 (95 %)
    """
    if len(arguments.data) == 3:
        true, old_labels, new_labels = arguments.data
        arguments = replace(arguments, data=(true, {"old": old_labels, "new": new_labels}))
    data, judged, warnings = judged_data(arguments, options, sample_of)
    chosen = several(options.metrics, lambda: [main_metric(data)], distance=options.distance)
    sample, specs = for_metrics(data, chosen)
    if len(sample.systems) != 2:
        raise refusal("gate", form_of(sample))
    sample = sample.common() if isinstance(sample, SoftSample) else sample
    margin, level = options.margin, options.level
    if margin == 0 and options.test != "superior":
        raise InputError(
            "margin must be a number above 0, got 0; with ", Option("test", "superior"),
            " it may be 0: then NEW must be shown to be better",
        )  # fmt: skip
    old = at_baseline(sample.systems, options.baseline) or 0
    margins = options.margins(key for key, _ in sample.slices)
    measure = partial(_measured, specs=specs, options=options, old=old)
    measured, cautions = measure(sample, margin=margin, judged=judged)
    testable, by_key = dict(of_clusters(sample.slices)[0]), dict(judged.slices if judged else ())
    slices = [
        measure(part, margin=margins[k], key=k, testable=k in testable, judged=by_key.get(k))
        for k, part in sample.slices
    ]
    checks = [m.judged(level) for m in measured]
    by_metric = [stepped([own[m] for own, _ in slices], level) for m in range(len(checks))]
    checks += [check for row in zip(*by_metric, strict=True) for check in row]
    each_notes = ((key, notes) for (key, _), (_, notes) in zip(sample.slices, slices, strict=True))
    return Gate(
        old=sample.systems[old],
        new=sample.systems[1 - old],
        n=sample.n if judged is None else judged.sample.n,
        test=options.test,
        margin=margin,
        level=level,
        checks=tuple(checks),
        min_items=options.min_items,
        signature=paired_signature(sample, sample.tables(), options, (options.test,)),
        cautions=(
            *sample.notes,
            *in_order(specs, sample.labels),
            *warnings,
            *human_alone((c.metric, c.judged) for c in checks),
            *cautions,
            *of_slices(cautions, each_notes),
            *_few_items(checks, options),
        ),
    )


def _few_items(checks: Iterable[Check], options: GateOptions) -> Iterator[SameAnswers]:
    """Warnings where the two systems never differ on a few items only."""
    level = options.level
    judged: Any = [c for c in checks if c.agreeing and c.outcome != "too few items"]
    unseen = {c.agreeing: 1 - (1 - level) ** (1 / c.agreeing) for c in judged}
    few = (c for c in judged if unseen[c.agreeing] > c.margin and options.test != "superior")
    for metric, group in group_by(few, lambda c: "" if c.agreeing == c.n else c.metric).items():
        n = min(c.agreeing for c in group)
        slices = len({c.slice_name for c in group if c.slice is not None})
        yield SameAnswers(n, slices, unseen[n], level, metric)

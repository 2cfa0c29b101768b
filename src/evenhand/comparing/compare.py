"""Compare: are two systems different, on every metric, on the same items?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from evenhand.catalogue.binding import bind_all, values_of
from evenhand.catalogue.distances import in_order
from evenhand.catalogue.lists import default_metrics
from evenhand.catalogue.naming import Metrics, as_spec, several
from evenhand.catalogue.policy import Undefined, policy
from evenhand.catalogue.spelling import Spec
from evenhand.comparing.content import every_number, pairs_sheets, slices_sheets
from evenhand.comparing.correcting import Tested, corrected
from evenhand.comparing.pair import Pair
from evenhand.comparing.tested import Asked, checked_tests, tested_pairs
from evenhand.comparing.words import needed_words, sentences
from evenhand.core.kernel import Kernel
from evenhand.count.forms import refuse_empty
from evenhand.count.given import Given
from evenhand.count.several import at_baseline, sample_of
from evenhand.infer.cautions import paired_cautions
from evenhand.infer.margin import checked_margin, refuse_wide
from evenhand.infer.power import checked_power
from evenhand.infer.rows import rows_of
from evenhand.infer.settings import Settings
from evenhand.infer.slices import of_clusters
from evenhand.notes.data import Copies
from evenhand.notes.note import Note
from evenhand.notes.slices import of_slices
from evenhand.notes.sure import NoWidth
from evenhand.results.content import Block, Content, Heading, Pictures, Words
from evenhand.results.result import Collection, Result, warned
from evenhand.results.sentence import joined
from evenhand.results.text import counted, level_text
from evenhand.signature.build import signature_of, signed_metric
from evenhand.signature.footnote import footnote
from evenhand.signature.line import Signature
from evenhand.tables.confusion import Classes, Confusion
from evenhand.tables.labels import rule_or_list
from evenhand.tables.sample import Sample, SoftSample


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Collection[tuple[str, str, str], Pair], Result):
    """Every pair of systems on every metric.

    ``corrected`` names the test that decides, ``families`` is over how many tests it is corrected:
    pairs of systems for the randomisation, which corrects within them too.

    >>> import evenhand as eh
    >>> found = eh.compare(list("aabb"), list("aabb"), list("abbb"), metrics="accuracy")
    >>> list(found), found["A", "B"].difference
    ([('A', 'B', 'accuracy')], 0.25)
    """

    told = (
        "signature",
        "systems",
        "baseline",
        "n",
        "level",
        "corrected",
        "families",
        "margin",
        "power",
        "pairs",
        "verdict",
    )

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
    cautions: tuple[Note, ...] = ()
    key: Any = None
    slices: tuple[Comparison, ...] = ()

    def facts(self) -> dict[str, Any]:
        """What ``evenhand compare --format json`` prints."""
        found = self.picked(*self.told)
        if self.slices:
            found["slices"] = [{"key": s.key, **s.facts(), **warned(())} for s in self.slices]
        return found

    @property
    def parts(self) -> dict[tuple[str, str, str], Pair]:
        """Each pair of systems on each metric, by the three names."""
        return {(*p.systems, p.metric): p for p in self.pairs}

    @property
    def tests(self) -> tuple[str, ...]:
        """The tests that some pair was put to."""
        return tuple(dict.fromkeys(t for p in self.pairs for t in p.p))

    @cached_property
    def sentences(self) -> tuple[str, ...]:
        """What the result does and does not show: a sentence for each pair, then the limits."""
        return sentences(self)

    @property
    def verdict(self) -> tuple[str, ...]:
        """The same, by the name that it has in JSON."""
        return self.sentences

    def told_apart(self, pair: Pair) -> bool:
        """Whether the test says that the two differ, after the correction."""
        return pair.p_adjusted is not None and pair.p_adjusted < 1 - self.level

    def testable(self, pair: Pair) -> bool:
        """Whether the test could have said so: not with few draws, or if too few answers differ."""
        return pair.p_least is not None and pair.p_least < 1 - self.level

    def content(self) -> Content:
        """The verdict, every pair on every metric, the test sizes needed."""
        title = f"{counted(self.n, 'item')}, {counted(len(self.systems), 'system')}, "
        others = "first minus second" if self.baseline is None else f"others minus {self.baseline}"
        title += f"{level_text(self.level)} intervals of the difference ({others})"
        blocks: list[Block] = [Words(joined("\n", self.sentences), "verdict")]
        blocks += pairs_sheets(self)
        if self.power is not None:
            blocks.append(Words(needed_words(self.power), "note"))
        if self.slices:
            blocks += [Heading("Slices"), *slices_sheets(self)]
        blocks.append(Pictures([self._chart]))
        signed, lead = str(self.signature), self.lead
        own = self.signatures.get(lead, self.signature)
        said = footnote(own, metric=lead, of="Differences in ")
        data = partial(every_number, self)
        return Content(title, blocks, data, signed, self.warnings, footnote=said)

    @property
    def lead(self) -> str:
        """The metric that is spoken of first."""
        names = [p.metric for p in self.pairs]
        return "macro_f1" if "macro_f1" in names else names[0]

    def _chart(self) -> Any:
        from evenhand.comparing.charts import comparison

        return comparison(self)


def compare(
    *data: Any,
    metrics: Metrics | None = None,
    classes: Classes = "task",
    undefined: Undefined = 0,
    distance: Any = None,
    level: float = 0.95,
    replicates: int = 2000,
    seed: int = 0,
    tests: str | Iterable[str] = "randomisation",
    margin: float | None = None,
    power: float | None = None,
    baseline: str | None = None,
    y_true: Any = None,
    y_pred: Any = None,
    true: str | None = None,
    pred: str | Sequence[str] | None = None,
    labels: Iterable[Any] | None = None,
    weights: Any = None,
    cluster: Any = None,
    by: Any = None,
    drop_null_truth: bool = False,
) -> Comparison:
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
    beside = (labels, weights, cluster, by, drop_null_truth)
    sample = sample_of(Given("compare", data, y_true, y_pred, true, pred, *beside))
    asked = Asked(
        [as_spec(m) for m in several(metrics, default_metrics, distance=distance)],
        rule_or_list(classes),
        policy(undefined),
        Settings("bootstrap", level, replicates, seed),
        checked_tests(tests),
        checked_power(power),
        checked_margin(margin),
        at_baseline(sample.systems, baseline),
    )
    whole = compared(sample, asked).noted(
        *map(Copies, sample.copies()), *in_order(asked.metrics, sample.labels)
    )
    kept, alone = of_clusters(sample.slices)
    parts = [(key, *_tested(part, asked, len(kept))) for key, part in kept]
    every = [
        replace(t, family=(i, t.family)) for i, (*_, tested) in enumerate(parts) for t in tested
    ]
    fixed = iter(corrected(every, level))
    slices = [
        replace(_result(part, tested, tuple(next(fixed) for _ in tested), asked), key=key)
        for key, part, tested in parts
    ]
    inside = of_slices(whole.cautions, ((s.key, s.cautions) for s in slices))
    cautions = (*whole.cautions, *inside, *alone)
    return replace(whole, slices=tuple(slices), cautions=cautions)


def compared(sample: Sample | SoftSample, asked: Asked) -> Comparison:
    """The comparison of all items, without slices."""
    part, tested = _tested(sample, asked)
    return _result(part, tested, corrected(tested, asked.how.level), asked)


@dataclass(frozen=True, eq=False)
class _Part:
    """Items that are compared: their tables, and the metrics bound to them."""

    sample: Sample | SoftSample
    tables: Confusion
    kernels: list[Kernel]


def _tested(
    sample: Sample | SoftSample, asked: Asked, slices: int = 1
) -> tuple[_Part, list[Tested]]:
    tables = sample.tables()
    refuse_empty(tables, "compare")
    kernels = bind_all(asked.metrics, tables, classes=asked.classes, undefined=asked.worth)
    refuse_wide(asked.margin, kernels)
    values = [np.asarray(v, np.float64) for v in values_of(kernels, tables)]
    rows = rows_of(sample)
    found = tested_pairs(rows, sample.systems, sample.n, kernels, values, asked, slices)
    return _Part(sample, tables, kernels), found


def _result(part: _Part, tested: list[Tested], pairs: tuple[Pair, ...], asked: Asked) -> Comparison:
    sample, tables, kernels = part.sample, part.tables, part.kernels
    signed = asked.how.signed(sample)
    interval = str(replace(signed, method="paired", tests=asked.tests, margin=asked.margin))
    named, worth = asked.classes, asked.worth
    whole = signature_of(tables, classes=named, undefined=worth, interval=interval)
    whole = replace(whole, n=str(sample.n))
    specs = [m for m in asked.metrics if isinstance(m, Spec)]
    signs = [signed_metric(whole, spec, tables, named) for spec in specs]
    sure = {p.metric for p in pairs if p.low is not None}
    return Comparison(
        systems=sample.systems,
        n=sample.n,
        level=asked.how.level,
        corrected=asked.corrected,
        families=len({t.family for t in tested if t.p is not None}),
        margin=asked.margin,
        power=asked.power,
        pairs=pairs,
        signature=whole,
        signatures={s.metric: s for s in signs},
        baseline=None if asked.baseline is None else sample.systems[asked.baseline],
        cautions=(
            *_unsure(pairs),
            *paired_cautions(sample, tables, [k for k in kernels if k.name in sure], named, worth),
        ),
    )


def _unsure(pairs: Iterable[Pair]) -> Iterable[Note]:
    """One note on the metrics on which some difference has no interval."""
    flat = tuple(dict.fromkeys(p.metric for p in pairs if p.low is None))
    if flat:
        yield NoWidth(flat, "difference")

"""Compare: are two systems different, on every metric, on the same items?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from evenhand.catalogue.binding import Metrics, as_spec, bind_all, several, values_of
from evenhand.catalogue.lists import default_metrics
from evenhand.catalogue.policy import Undefined, policy
from evenhand.catalogue.spelling import Spec
from evenhand.catalogue.strays import lost_by_system, notes_by_system
from evenhand.comparing.content import every_number, pairs_sheet, slices_sheet
from evenhand.comparing.tested import TESTS, Asked, Pair, adjusted, checked_tests, tested_pairs
from evenhand.core.kernel import Kernel
from evenhand.count.forms import refuse_empty
from evenhand.count.given import Given
from evenhand.count.several import sample_of
from evenhand.infer.design import Floats
from evenhand.infer.few import few_clusters, too_few
from evenhand.infer.interval import Settings
from evenhand.infer.rows import rows_of
from evenhand.infer.slices import of_clusters
from evenhand.notes.note import Note
from evenhand.notes.slices import of_slices
from evenhand.notes.sure import NoWidth
from evenhand.results.content import Block, Content, Heading, Pictures, Words
from evenhand.results.result import Collection, Result, warned
from evenhand.results.text import counted, level_text, number, points, visible
from evenhand.signature.build import signature_of, signed_metric
from evenhand.signature.line import Signature
from evenhand.tables.confusion import Classes, Confusion
from evenhand.tables.labels import rule_or_list
from evenhand.tables.sample import Sample, SoftSample

LIMITS = (
    "It speaks of items like these: not of other data, other training runs, "
    "or whether a difference matters."
)


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Collection[tuple[str, str, str], Pair], Result):
    """Every pair of systems on every metric.

    >>> import evenhand as eh
    >>> found = eh.compare(list("aabb"), list("aabb"), list("abbb"), metrics="accuracy")
    >>> list(found), found["A", "B"].difference
    ([('A', 'B', 'accuracy')], 0.25)
    """

    told = ("signature", "systems", "n", "level", "power", "pairs", "verdict")

    systems: tuple[str, ...]
    n: int
    level: float
    power: float | None
    pairs: tuple[Pair, ...]
    signature: Signature
    signatures: dict[str, Signature]
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

    @property
    def sentences(self) -> tuple[str, ...]:
        """What the result does and does not show: a sentence for each pair, then the limits."""
        by_systems: dict[tuple[str, str], list[Pair]] = {}
        for pair in self.pairs:
            by_systems.setdefault(pair.systems, []).append(pair)
        return (*(self._shown(*each) for each in by_systems.items()), " ".join(self._limits()))

    @property
    def verdict(self) -> tuple[str, ...]:
        """The same, by the name that it has in JSON."""
        return self.sentences

    def told_apart(self, pair: Pair) -> bool:
        """Whether the test says that the two differ, after the correction."""
        return pair.p_adjusted is not None and pair.p_adjusted < 1 - self.level

    def _shown(self, systems: tuple[str, str], pairs: list[Pair]) -> str:
        a, b = map(visible, systems)
        clear = [p for p in pairs if self.told_apart(p)]
        parts = []
        for where, sign in (("above", 1), ("below", -1)):
            metrics = ", ".join(_measured(p) for p in clear if sign * p.value > 0)
            parts += [f"{a} scores {where} {b} on {metrics}"] if metrics else []
        unclear = ", ".join(visible(p.metric) for p in pairs if not self.told_apart(p))
        if unclear:
            them = "they" if parts else f"{a} and {b}"
            parts.append(f"{them} are not told apart on {unclear}")
        return f"{'; '.join(parts)}."

    def _limits(self) -> Iterable[str]:
        many = len(self.pairs)
        over = f", after Holm's correction over {many:,} comparisons" if many > 1 else ""
        yield f"This is at {level_text(1 - self.level)}{over}."
        if self.slices:
            of_slices = sum(len(s.pairs) for s in self.slices)
            yield f"Slices are corrected together, over {counted(of_slices, 'comparison')}."
        if not all(map(self.told_apart, self.pairs)):
            yield "Not told apart is not equal: any difference inside the interval fits the data."
        yield LIMITS

    def content(self) -> Content:
        """The verdict, every pair on every metric, the test sizes needed."""
        title = f"{counted(self.n, 'item')}, {counted(len(self.systems), 'system')}, "
        title += f"{level_text(self.level)} intervals of the difference (first minus second)"
        blocks: list[Block] = [Words("\n".join(self.sentences), "verdict"), pairs_sheet(self)]
        if self.power is not None:
            blocks.append(
                Words(
                    f"Items needed: test size for a power of {self.power:g} at this level, taking "
                    "the observed difference for the true one.",
                    "note",
                )
            )
        if self.slices:
            blocks += [Heading("Slices"), slices_sheet(self)]
        blocks.append(Pictures([self._chart]))
        return Content(
            title, blocks, partial(every_number, self), str(self.signature), self.warnings
        )

    def _chart(self) -> Any:
        from evenhand.comparing.charts import comparison

        return comparison(self)


def _measured(p: Pair) -> str:
    size = points(abs(p.value)) if p.points else number(abs(p.value), 3)
    return f"{visible(p.metric)} (by {size})"


def compare(
    *data: Any,
    metrics: Metrics | None = None,
    classes: Classes = "task",
    undefined: Undefined = 0,
    level: float = 0.95,
    replicates: int = 2000,
    seed: int = 0,
    tests: Iterable[str] = TESTS,
    adjust: str = "randomisation",
    power: float | None = None,
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
    joint table of counts (true × A × B). Each difference has
    an interval by the paired delta method and p values by ``tests``; those of ``adjust`` are
    corrected by Holm over all metrics and pairs. ``power`` adds the test size needed. ``by``
    compares in slices of the items too, which are corrected together, apart from the whole.

    >>> found = compare("aabbbabab", {"A": list("aabbbabaa"), "B": list("ababbbaab")},
    ...                 metrics=["accuracy"])
    >>> round(found["accuracy"].difference, 4), round(found["accuracy"].p["mcnemar"], 5)
    (0.3333, 0.21875)
    """
    beside = (labels, weights, cluster, by, drop_null_truth)
    sample = sample_of(Given("compare", data, y_true, y_pred, true, pred, *beside))
    how = Settings("bootstrap", level, replicates, seed)
    chosen = checked_tests(tests, adjust)
    named = rule_or_list(classes)
    wanted = [as_spec(m) for m in several(metrics, default_metrics)]
    asked = Asked(wanted, named, policy(undefined), how, chosen, adjust, power)
    whole = compared(sample, asked)[0]
    slices, alone = of_clusters(sample.slices)
    parts = [(key, compared(part, asked)[0]) for key, part in slices]
    return _sliced(whole, parts, adjust).noted(*alone)


def _sliced(whole: Comparison, parts: list[tuple[Any, Comparison]], adjust: str) -> Comparison:
    """The comparison of all items with those of its slices, their tests corrected together."""
    each = len(whole.pairs)
    fixed = adjusted([p for _, part in parts for p in part.pairs], adjust)
    slices = [
        replace(part, key=key, pairs=fixed[i * each : (i + 1) * each])
        for i, (key, part) in enumerate(parts)
    ]
    inside = of_slices(whole.cautions, ((key, part.cautions) for key, part in parts))
    return replace(whole, slices=tuple(slices), cautions=(*whole.cautions, *inside))


def compared(sample: Sample | SoftSample, asked: Asked) -> tuple[Comparison, dict[str, Floats]]:
    """The comparison, and by metric the replicates (draws × systems) that it was drawn from."""
    tables = sample.tables()
    refuse_empty(tables, "compare")
    kernels = bind_all(asked.metrics, tables, classes=asked.classes, undefined=asked.worth)
    values = [np.asarray(v, np.float64) for v in values_of(kernels, tables)]
    pairs, drawn = tested_pairs(rows_of(sample), sample.systems, sample.n, kernels, values, asked)
    result = _result(sample, tables, adjusted(pairs, asked.adjust), kernels, asked)
    return result, dict(zip((k.name for k in kernels), drawn, strict=False))


def _result(
    sample: Sample | SoftSample,
    tables: Confusion,
    pairs: tuple[Pair, ...],
    kernels: list[Kernel],
    asked: Asked,
) -> Comparison:
    interval = str(replace(asked.how.signed(sample), method="paired", tests=asked.tests))
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
        power=asked.power,
        pairs=pairs,
        signature=whole,
        signatures={s.metric: s for s in signs},
        cautions=(
            *notes_by_system(tables, named, worth),
            *lost_by_system(tables),
            *_unsure(pairs),
            *too_few([k for k in kernels if k.name in sure], tables),
            *few_clusters(sample.cluster),
        ),
    )


def _unsure(pairs: Iterable[Pair]) -> Iterable[Note]:
    """One note on the metrics on which some difference has no interval."""
    flat = tuple(dict.fromkeys(p.metric for p in pairs if p.low is None))
    if flat:
        yield NoWidth(flat, "difference")

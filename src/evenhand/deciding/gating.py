"""Gate: may a new system take the place of an old one?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from evenhand.catalogue.distances import in_order
from evenhand.catalogue.naming import Metrics, as_spec, several
from evenhand.catalogue.policy import Undefined, policy
from evenhand.count.forms import form_of, refusal
from evenhand.count.given import Given
from evenhand.count.several import at_baseline, sample_of
from evenhand.deciding.check import Check, Test, checked_test, stepped
from evenhand.deciding.measuring import Asked, Part
from evenhand.deciding.words import check_words, deciding_words, line
from evenhand.errors import InputError, Option
from evenhand.infer.margin import checked_margin
from evenhand.infer.slices import of_clusters
from evenhand.notes.note import Note
from evenhand.notes.slices import of_slices
from evenhand.notes.sure import SameAnswers
from evenhand.results.cells import Cell, Chance, MetricName
from evenhand.results.content import Block, Content, Sheet, Words
from evenhand.results.grid import Grid
from evenhand.results.result import Collection, Result
from evenhand.results.text import POOLED, counted, level_text
from evenhand.signature.build import signature_of
from evenhand.signature.fields import IntervalField, checked_level
from evenhand.signature.footnote import footnote
from evenhand.signature.line import Signature
from evenhand.tables.confusion import Classes, Confusion
from evenhand.tables.labels import key_text, rule_or_list
from evenhand.tables.sample import Sample, SoftSample


@dataclass(frozen=True, eq=False, repr=False)
class Gate(Collection[Any, Check], Result):
    """Whether a new system may take the place of an old one: every check must pass.

    Checks are of all items on each metric, then of each slice on each metric.

    >>> import evenhand as eh
    >>> true, old = list("ab" * 100), list("ab" * 99 + "bb")
    >>> found = eh.gate(true, old, true, metrics="accuracy", margin=0.02)
    >>> found.passed, found["accuracy"].difference
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
    cautions: tuple[Note, ...] = ()

    @property
    def parts(self) -> dict[Any, Check]:
        """Each check: by its metric, or by its slice and metric."""
        return {c.metric if c.slice is None else (c.slice, c.metric): c for c in self.checks}

    @property
    def passed(self) -> bool:
        """Whether every check passed."""
        return all(c.passed for c in self.checks)

    @property
    def decides(self) -> Check:
        """The check that decides: the first worst of those that failed, or the nearest to it."""
        order = ("refuted", "not shown", "unknown", "passed")
        return min(
            self.checks, key=lambda c: (order.index(c.outcome), -(c.p or 0.0), c.slice is not None)
        )

    @property
    def message(self) -> str:
        """The decision in one line."""
        return line(self)

    def facts(self) -> dict[str, Any]:
        """What ``evenhand gate --format json`` prints: the decision, and the check that decides."""
        first = self.picked("passed", "message", "test", "margin", "level", "old", "new", "n")
        decides = self.decides.picked("slice", "metric", "difference", "low", "high", "p")
        return {**first, **decides, **self.picked("checks", "signature")}

    def content(self) -> Content:
        """The decision, then every check."""
        title = f"{self.old} → {self.new}, {counted(self.n, 'item')}, one-sided at "
        blocks: list[Block] = [Words(self.message, "verdict"), self._sheet()]
        blocks.append(Words(deciding_words(self), "note"))
        said = footnote(
            self.signature,
            metric=self.decides.metric,
            of=f"Differences (margin {self.margin:g}) in ",
        )
        title, signed = title + level_text(self.level), str(self.signature)
        return Content(title, blocks, self._data, signed, self.warnings, footnote=said)

    def _sheet(self) -> Sheet:
        sliced = any(c.slice is not None for c in self.checks)
        head = ["slice", "items"] * sliced + ["metric", self.old, self.new, "difference"]
        head += ["low", "high", "p", "outcome"]
        rows: list[list[Cell]] = []
        for c in self.checks:
            row: list[Cell] = [_slice_text(c), c.n] * sliced
            row += [MetricName(c.metric), *c.values, c.value, c.low, c.high, Chance(c.p)]
            row.append(check_words(c))
            rows.append(row)
        return Sheet(Grid(head, rows), f"{self.new} minus {self.old}", most=60, rows="checks")

    def _data(self) -> Grid:
        head = ["slice", "items", "metric", "old", "new", "difference", "se", "low", "high"]
        head += ["level", "p", "outcome", "needed"]
        rows: list[list[Cell]] = [
            [_slice_text(c), c.n, c.metric, *c.values, c.value, c.se, c.low, c.high, c.level, c.p,
             c.outcome, c.needed] for c in self.checks
        ]  # fmt: skip
        return Grid(head, rows)


def _slice_text(check: Check) -> str:
    return POOLED if check.slice is None else key_text(check.slice)


def gate(
    *data: Any,
    margin: float,
    test: str = "noninferior",
    baseline: str | None = None,
    metrics: Metrics | None = None,
    classes: Classes = "task",
    undefined: Undefined = 0,
    distance: Any = None,
    level: float = 0.95,
    y_true: Any = None,
    y_pred: Any = None,
    true: str | None = None,
    pred: str | Sequence[str] | None = None,
    labels: Iterable[Any] | None = None,
    weights: Any = None,
    cluster: Any = None,
    by: Any = None,
    drop_null_truth: bool = False,
) -> Gate:
    """Decide whether a new system is shown to be not worse than an old one by more than a margin.

    Takes true labels and the predictions of the old and of the new system, or what ``compare``
    takes of two systems, the old one first unless ``baseline`` names it. ``test`` says what must
    be shown: ``"noninferior"`` (new − old > −margin), ``"superior"`` (new − old > margin, which may
    be 0) or ``"equivalent"`` (−margin < new − old < margin); for a metric that is better low, new
    and old change places. It must be shown on every one of ``metrics`` (macro F1 unless named) and
    in every slice of ``by``, one-sided at ``level`` by a score test of the paired difference;
    slices are corrected together. Systems that give the same answer on every item are equivalent.

    >>> true = list("aabb" * 200)
    >>> old = ["a" if i % 5 == 0 else v for i, v in enumerate(true)]
    >>> new = ["a" if i % 7 == 0 else v for i, v in enumerate(true)]
    >>> print(gate(true, old, new, margin=0.05).message)
    passed: new is not worse than old by more than 5.0 points on macro_f1: difference +2.8 points, \
at least +0.55 (95 %)
    """
    if len(data) == 3:
        data = (data[0], {"old": data[1], "new": data[2]})
    beside = (labels, weights, cluster, by, drop_null_truth)
    sample = sample_of(Given("gate", data, y_true, y_pred, true, pred, *beside))
    if len(sample.systems) != 2:
        raise refusal("gate", form_of(sample))
    what = checked_test(test)
    if margin == 0 and what != "superior":
        raise InputError(
            "margin must be a number above 0, got 0; with ", Option("test", "superior"),
            " it may be 0: then NEW must be shown to be better",
        )  # fmt: skip
    if margin != 0:
        checked_margin(margin)
    asked = Asked(
        [as_spec(m) for m in several(metrics, lambda: ["macro_f1"], distance=distance)],
        rule_or_list(classes),
        policy(undefined),
        what,
        margin,
        level,
        at_baseline(sample.systems, baseline) or 0,
    )
    checked_level(level)
    whole = Part.of(sample, asked)
    kept, _ = of_clusters(sample.slices)
    testable = [key for key, _ in kept]
    slices = [(key, Part.of(p, asked, key, key in testable)) for key, p in sample.slices]
    checks = [m.judged(level) for m in whole.measured]
    by_metric = [stepped([p.measured[m] for _, p in slices], level) for m in range(len(checks))]
    checks += [check for row in zip(*by_metric, strict=True) for check in row]
    inside = of_slices(whole.cautions, ((key, p.cautions) for key, p in slices))
    return Gate(
        old=sample.systems[asked.old],
        new=sample.systems[1 - asked.old],
        n=sample.n,
        test=asked.test,
        margin=margin,
        level=level,
        checks=tuple(checks),
        signature=_signature(sample, whole.tables, asked),
        cautions=(
            *in_order(asked.metrics, sample.labels),
            *whole.cautions,
            *inside,
            *_few_items(checks, asked),
        ),
    )


def _few_items(checks: Iterable[Check], asked: Asked) -> Iterator[SameAnswers]:
    """A note where the two never differ, on so few items that this says little."""
    if asked.test == "superior":
        return
    unseen = {c.alike: 1 - (1 - asked.level) ** (1 / c.alike) for c in checks if c.alike}
    few: dict[str, list[Check]] = {}
    for c in checks:
        if c.alike and unseen[c.alike] > asked.margin:
            few.setdefault("" if c.alike == c.n else c.metric, []).append(c)
    for metric, found in few.items():
        n = min(c.alike or 0 for c in found)
        slices = len({key_text(c.slice) for c in found if c.slice is not None})
        yield SameAnswers(n, slices, unseen[n], asked.level, metric)


def _signature(sample: Sample | SoftSample, tables: Confusion, asked: Asked) -> Signature:
    clusters = sample.cluster is not None
    how = IntervalField(
        "paired", asked.level, tests=(asked.test,), clusters=clusters, margin=asked.margin
    )
    found = signature_of(tables, classes=asked.classes, undefined=asked.worth, interval=str(how))
    return replace(found, n=str(sample.n))

"""Cross-validation: scores over folds, and differences of systems."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from evenhand.catalogue.binding import (
    bind_all,
    table_warnings,
    values_of,
)
from evenhand.catalogue.lists import as_spec, default_metrics, in_order, named, several
from evenhand.catalogue.signature import Signature, signature_of
from evenhand.core.kernel import Kernel
from evenhand.data.arguments import (
    COUNTED,
    VerbArguments,
    by_column,
    by_name,
    refusal,
    table_of,
    verb,
    what_came,
)
from evenhand.data.confusion import Confusion
from evenhand.data.confusion import pooled as pooled_table
from evenhand.errors import InputError, real_number, sequence
from evenhand.inference.multiplicity import resampled_mean
from evenhand.inference.wilson import extent
from evenhand.options import CrossValidationOptions
from evenhand.records import Floats, Interval
from evenhand.results.document import (
    Block,
    Cell,
    Content,
    Grid,
    IntervalCell,
    Paragraph,
    ProbabilityCell,
    Table,
)
from evenhand.results.result import ALONE, Collection, ReportedResult, Result, of_metric
from evenhand.text import counted, level_text, number
from evenhand.warnings import FoldsLackClasses, NoWidth, ResultWarning


def systems(arguments: VerbArguments, fold: Any, repeat: Any) -> dict[str, VerbArguments]:
    """The data of each system, sliced by fold, or by repetition and fold."""
    if arguments.of_frame:
        by = fold if repeat is None else [repeat, fold]
        names = [arguments.pred] if isinstance(arguments.pred, str) else list(arguments.pred or ())
        return {name: replace(arguments, pred=name, by=by) for name in names}
    data = arguments.positional
    if len(data) < 2 or any(isinstance(d, COUNTED) for d in data):
        raise refusal(arguments.verb, what_came(data))
    predictions: Mapping[str, Any] = {ALONE: data[1]}
    if len(data) > 2 or isinstance(data[1], Mapping) or by_column(*data):
        predictions = by_name(arguments, data)[1]
    if not predictions:
        raise refusal(arguments.verb, what_came(data))
    n = len(sequence(data[0], "y_true", "labels"))
    by = _keys("fold", fold, n)
    if repeat is not None:
        by = list(zip(_keys("repeat", repeat, n), by, strict=True))
    plain = replace(arguments, y_true=None, y_pred=None, by=by)
    return {str(name): replace(plain, data=(data[0], p)) for name, p in predictions.items()}


def _keys(name: str, values: Any, n: int) -> list[Any]:
    """One key per item."""
    keys = sequence(values, name, "values, one an item")
    if len(keys) != n:
        raise InputError(f"{name} must have {n:,} entries, one an item, got {len(keys):,}")
    return keys


def folds_of(arguments: VerbArguments) -> Confusion:
    """One table per fold."""
    table = table_of(arguments)
    if not isinstance(table, Confusion) or len(table.shape) != 1:
        raise InputError("cross_validated takes items with one label each, got label sets")
    if len(table) < 2:
        raise InputError("fold must name at least two folds, got one")
    return table


def repetitions(stack: Confusion, repeated: bool) -> Floats:
    """The repetition of each fold as a code."""
    keys: list[Any] = [*stack.keys[0]]
    place = {run: i for i, run in enumerate(dict.fromkeys(key[0] for key in keys if repeated))}
    return np.array([place[key[0]] if repeated else 0 for key in keys])


def _test_train_ratio(stack: Confusion, items: Floats, train: float | None) -> float:
    """Test items per training item, averaged over folds."""
    tested = np.asarray(stack.n, np.float64)
    if train is not None:
        real_number(train, "train", "a number of items above 0", lambda x: x > 0)
        return float(np.mean(tested) / train)
    others = items - tested
    if not others.all():
        raise InputError("repeat must have at least two folds in each, got one; or give train=")
    return float(np.mean(tested / others))


@dataclass(frozen=True, eq=False, kw_only=True)
class FoldScore(Interval):
    """A metric over folds: ``value`` is the mean of ``folds``, ``pooled`` that of all items.

    >>> import evenhand as eh
    >>> scores = eh.cross_validated(list("aabbab"), list("abbbaa"), fold=[1, 1, 1, 2, 2, 2],
    ...                             metrics="macro_f1")
    >>> round(scores["macro_f1"].pooled, 4), round(scores["macro_f1"].value, 4)
    (0.6667, 0.6667)
    """

    json_fields = "system metric pooled value se low high method folds"

    system: str
    metric: str
    pooled: float
    folds: tuple[float, ...]


@dataclass(frozen=True, eq=False, kw_only=True)
class FoldDifference(Interval):
    """A difference of two systems over the same folds: first minus second, and its p.

    >>> import evenhand as eh
    >>> scores = eh.cross_validated(list("aabb"), list("aabb"), list("abbb"), fold=[1, 2, 1, 2],
    ...                             metrics="accuracy")
    >>> scores.differences[0].systems, scores.differences[0].folds
    (('A', 'B'), (0.0, 0.5))
    """

    json_fields = "systems metric pooled value se low high method p folds"

    systems: tuple[str, str]
    metric: str
    pooled: float
    folds: tuple[float, ...]
    p: float | None


def _difference(a: FoldScore, b: FoldScore, ratio: float, level: float) -> FoldDifference:
    values: Floats = np.subtract(a.folds, b.folds)
    mean = resampled_mean(values, ratio)
    return FoldDifference(
        **mean.measured(level),
        systems=(a.system, b.system),
        metric=a.metric,
        pooled=a.pooled - b.pooled,
        folds=tuple(values.tolist()),
        p=mean.p if mean.se > 0 else None,
    )


POOLED_OR_MEAN = (
    "pooled: the metric of all folds' predictions together, a score of a set of models. mean of "
    "folds: the mean of the metric fold by fold; its interval is the corrected resampled t, since "
    "folds share training items. Of averages over classes the two differ; say which is reported."
)


@dataclass(frozen=True, eq=False, repr=False)
class CrossValidated(Collection[tuple[str, str], FoldScore], Result):
    """Every metric over folds, and every pair of systems.

    ``n`` are the items, each tested once in every repetition; ``test_to_train`` is the number of
    test items per training item.

    >>> import evenhand as eh
    >>> scores = eh.cross_validated(list("aabb"), list("aaba"), fold=[1, 2, 1, 2],
    ...                             metrics=["accuracy", "mcc"])
    >>> list(scores), scores["accuracy"].pooled
    ([('system', 'accuracy'), ('system', 'mcc')], 0.75)
    """

    json_fields = "signature systems n folds repeats test_to_train level scores differences"

    systems: tuple[str, ...]
    n: int
    folds: int
    repeats: int
    test_to_train: float
    level: float
    scores: tuple[FoldScore, ...]
    differences: tuple[FoldDifference, ...]
    signature: Signature
    cautions: tuple[ResultWarning, ...] = ()

    @property
    def parts(self) -> dict[tuple[str, str], FoldScore]:
        """Each score by system and metric; either is enough where it fits one only."""
        return {(s.system, s.metric): s for s in self.scores}

    def reported(self) -> Iterable[ReportedResult]:
        """The mean of folds of every system on every metric."""
        folds = f"mean of {counted(self.folds, 'fold')}"
        for s in self.scores:
            note = f"{folds}; pooled {s.pooled:.6g}"
            signature = of_metric(self.signature, s.metric)
            yield ReportedResult(s.metric, s, self.n, signature, self.level, s.system, note=note)

    def content(self) -> Content:
        """The first score, every score, every difference, what the two numbers are."""
        first, level = self.scores[0], level_text(self.level)
        name = f"{first.system}, " * (len(self.systems) > 1) + first.metric
        lead = f"{name}: pooled {number(first.pooled)}, mean of folds {IntervalCell(first).text(4)}"
        title = f"{counted(self.n, 'item')}, {counted(self.folds, 'fold')}"
        if self.repeats > 1:
            title += f" in {counted(self.repeats, 'repeat')}"
        blocks: list[Block] = [Paragraph(lead, "verdict"), self._score_sheet()]
        if self.differences:
            blocks.append(self._difference_sheet())
        blocks.append(Paragraph(POOLED_OR_MEAN, "note"))
        title += f", {counted(len(self.systems), 'system')}, {level} intervals"
        return self.described(title, blocks, self._data)

    def _score_sheet(self) -> Table:
        alone = len(self.systems) == 1
        head = ["system"] * (not alone)
        head += ["metric", "pooled", "mean of folds", "low", "high", "lowest", "highest"]
        rows: list[list[Cell]] = []
        for s in self.scores:
            name: list[Cell] = [] if alone else [s.system]
            ends: list[Cell] = [min(s.folds), max(s.folds)]
            rows.append([*name, s.metric, s.pooled, s.value, s.low, s.high, *ends])
        return Table(Grid(head, rows), "Scores over folds", rows="scores")

    def _difference_sheet(self) -> Table:
        head = ["systems", "metric", "pooled", "mean of folds", "low", "high", "p"]
        rows: list[list[Cell]] = []
        for d in self.differences:
            ends = (d.pooled, d.value, d.low, d.high)
            rows.append([" − ".join(d.systems), d.metric, *ends, ProbabilityCell(d.p)])
        return Table(Grid(head, rows), "Differences over the same folds", rows="differences")

    def _data(self) -> Grid:
        head = ["system", "second", "metric", "pooled", "mean", "se", "low", "high", "p"]
        rows: list[list[Cell]] = [
            [s.system, None, s.metric, s.pooled, s.value, s.se, s.low, s.high, None]
            for s in self.scores
        ]
        rows += [
            [*d.systems, d.metric, d.pooled, d.value, d.se, d.low, d.high, d.p]
            for d in self.differences
        ]
        return Grid(head, rows)


@verb(CrossValidationOptions, without=("cluster", "by", "by_row"))
def cross_validated(arguments: VerbArguments, options: CrossValidationOptions) -> CrossValidated:
    """Score the predictions of cross-validation: pooled, and as the mean of folds.

    Takes true labels and predictions of one system or several, or a frame with the columns
    ``true`` and ``pred``. ``fold`` says for each item in which fold it was tested, ``repeat`` in
    which repetition, where items were tested several times (then they stand there as often); of a
    frame, both are names of columns. ``train`` is how many items a model was trained on, where
    that is not all others of the repetition.

    The interval of a mean of folds is the corrected resampled t (Nadeau & Bengio 2003): error² =
    (1/J + n_test/n_train) · s². Two systems are compared by the same on their differences. It is
    about training on other data, where the intervals of ``score`` are about other test items.

    >>> scores = cross_validated(list("aabbab"), {"A": list("aabbaa"), "B": list("abbbba")},
    ...                          fold=[1, 1, 2, 2, 3, 3], metrics="accuracy")
    >>> scores["A"].pooled, scores["A"].folds, round(scores.differences[0].value, 4)
    (0.8333333333333334, (1.0, 1.0, 0.5), 0.3333)
    """
    level, repeat, binding = options.level, options.repeat, options.binding
    requested = several(options.metrics, default_metrics, distance=options.distance)
    specs = [as_spec(m) for m in requested]
    of_systems = systems(arguments, options.fold, repeat)
    stacks = {name: folds_of(own) for name, own in of_systems.items()}
    first = next(iter(stacks.values()))
    runs = repetitions(first, repeat is not None)
    sizes = np.bincount(runs, np.asarray(first.n))
    n, ratio = int(sizes.max()), _test_train_ratio(first, sizes[runs], options.train)
    pooled = Confusion.stack({name: pooled_table(stack) for name, stack in stacks.items()})
    pooled_values = [values for _, values in _values(pooled, specs, binding)]
    scores = []
    for i, (system, stack) in enumerate(stacks.items()):
        metrics_of = zip(named(specs), _values(stack, specs, binding), pooled_values, strict=True)
        for (name, _), (kernel, values), of_all in metrics_of:
            interval = resampled_mean(values, ratio).measured(level, *extent(kernel))
            folds, value = tuple(values.tolist()), float(of_all[i])
            scores.append(
                FoldScore(**interval, system=system, metric=name, pooled=value, folds=folds)
            )
    pairs = (pair for pair in combinations(scores, 2) if pair[0].metric == pair[1].metric)
    differences = tuple(_difference(a, b, ratio, level) for a, b in pairs)
    return CrossValidated(
        systems=tuple(stacks),
        n=n,
        folds=len(first),
        repeats=len(sizes),
        test_to_train=ratio,
        level=level,
        scores=tuple(scores),
        differences=differences,
        signature=replace(signature_of(pooled, **binding), n=str(n)),
        cautions=(
            *in_order(specs, pooled.labels),
            *table_warnings(pooled, options.classes, options.zero_division),
            *_lacking(first, options.classes),
            *_without_width(scores),
            *_without_width(differences, "difference"),
        ),
    )


def _without_width(scores: Iterable[Any], *kind: Any) -> Iterable[ResultWarning]:
    """A warning of the metrics that have no interval."""
    metrics = tuple(dict.fromkeys(s.metric for s in scores if s.low is None))
    if metrics:
        yield NoWidth(metrics, *kind)


def _lacking(stack: Confusion, classes: Any) -> Iterable[ResultWarning]:
    """A warning if the classes averaged in some folds are not those of all items."""
    if isinstance(classes, str):
        true: Floats = np.asarray(stack.prevalence > 0)
        lost = true.any(axis=0) & ~true
        if lost.any():
            labels = tuple(stack.labels[i] for i in np.flatnonzero(lost.any(axis=0)))
            yield FoldsLackClasses(int(lost.any(axis=1).sum()), len(stack), labels)


def _values(
    stack: Confusion, specs: list[Any], options: dict[str, Any]
) -> list[tuple[Kernel, Floats]]:
    """Each metric with its value on each table."""
    kernels = bind_all(specs, stack, **options)
    return [
        (kernel, np.broadcast_to(np.asarray(values, np.float64), len(stack)))
        for kernel, values in zip(kernels, values_of(kernels, stack), strict=True)
    ]

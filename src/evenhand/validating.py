"""Cross-validation: scores over folds, and differences of systems."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import combinations
from typing import Any, cast

import numpy as np

from evenhand.catalogue.binding import (
    bind_all,
    table_warnings,
    values_of,
)
from evenhand.catalogue.lists import as_spec, default_metrics, in_order, named, several
from evenhand.catalogue.signature import Signature, signature_of
from evenhand.catalogue.spelling import brief
from evenhand.data.arguments import (
    COUNTED,
    VerbArguments,
    form_of,
    of_several,
    refusal,
    sample_of,
    system_of,
    verb,
)
from evenhand.data.confusion import Confusion
from evenhand.data.confusion import pooled as pooled_table
from evenhand.errors import InputError
from evenhand.inference.multiplicity import resampled_mean
from evenhand.inference.wilson import extent
from evenhand.options import CrossValidationOptions, real_number, sequence
from evenhand.records import Floats, Interval
from evenhand.results.document import Content, Paragraph, Table
from evenhand.results.result import ALONE, Collection, ReportedResult, Result, of_metric
from evenhand.text import Grid, IntervalCell, counted, level_text, number
from evenhand.warnings import FoldsLackClasses, NoWidth, ResultWarning


def stacks_of(arguments: VerbArguments, fold: Any, repeat: Any) -> dict[str, Confusion]:
    """The tables of each system, one per fold, or per repetition and fold."""
    columns = {"fold": fold} if repeat is None else {"repeat": repeat, "fold": fold}
    by: Any = fold if repeat is None else [repeat, fold]
    if not arguments.of_frame:
        data = arguments.positional
        if len(data) < 2 or any(isinstance(d, COUNTED) for d in data):
            raise refusal(arguments.verb, form_of(*data))
        n = len(sequence(data[0], "y_true", "labels"))
        keys = [sequence(values, name, "values, one per item") for name, values in columns.items()]
        for name, column in zip(columns, map(len, keys), strict=True):
            if column != n:
                raise InputError(f"{name} must have {n:,} entries, one per item, got {column:,}")
        by = keys[0] if repeat is None else list(zip(*keys, strict=True))
    arguments = replace(arguments, by=by)
    counted = sample_of(arguments) if of_several(arguments) else system_of(arguments)
    stacks: dict[str, Any] = {ALONE: counted}
    if counted.systems:
        folds = [(key, part.tables()) for key, part in counted.slices]
        stacks = {
            name: Confusion.stack({key: tables[i] for key, tables in folds})
            for i, name in enumerate(counted.systems)
        }
    for stack in stacks.values():
        if not isinstance(stack, Confusion):
            raise InputError("cross_validated takes items with one label each, got label sets")
        if len(stack) < 2:
            raise InputError("fold must name at least two folds, got one")
    return stacks


def _test_train_ratio(stack: Confusion, items: Floats, train: float | None) -> float:
    """Test items per training item, averaged over folds; ``items`` are all of a repetition."""
    if train is not None:
        real_number(train, "train", "a number of items above 0", lambda x: x > 0)
        return float(np.mean(stack.n) / train)
    others = items - stack.n
    if not others.all():
        raise InputError("repeat must have at least two folds in each, got one; or give train=")
    return float(np.mean(stack.n / others))


class FoldScore(Interval, kw_only=True):
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


class FoldDifference(Interval, kw_only=True):
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
    mean, systems = resampled_mean(values, ratio), (a.system, b.system)
    more: Any = {"metric": a.metric, "pooled": a.pooled - b.pooled, "folds": tuple(values.tolist())}
    p = mean.p if mean.se > 0 else None
    return FoldDifference(**vars(mean.interval(level)), **more, systems=systems, p=p)


POOLED_OR_MEAN = (
    "Pooled: the metric of all folds' predictions together. Mean of folds: the mean of the metric "
    "fold by fold; its interval is the corrected resampled t, since folds share training items. "
    "For averages over classes the two differ: say which one you report."
)


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
        name = f"{first.system}, " * (len(self.systems) > 1) + brief(first.metric)
        lead = f"{name}: pooled {number(first.pooled)}, mean of folds {IntervalCell(first).text(4)}"
        title = f"{counted(self.n, 'item')}, {counted(self.folds, 'fold')}"
        if self.repeats > 1:
            title += f" in {counted(self.repeats, 'repeat')}"
        title += f", {counted(len(self.systems), 'system')}, {level} intervals"
        columns = "metric, pooled, mean of folds=value, low, high"
        scores = Grid.from_records(
            self.scores,
            *["system"] * (len(self.systems) > 1),
            columns,
            ("lowest", lambda s: min(s.folds)),
            ("highest", lambda s: max(s.folds)),
        )
        differences = Grid.from_records(self.differences, f"systems:minus, {columns}, p:p")
        tables = [Table(scores, "Scores over folds", rows="scores")]
        if self.differences:
            name = "Differences over the same folds"
            tables.append(Table(differences, name, rows="differences"))
        note = Paragraph(POOLED_OR_MEAN, "note")
        return self.described(title, [Paragraph(lead, "verdict"), *tables, note], self._data)

    def _data(self) -> Grid:
        numbers = "metric, pooled, mean=value, se, low, high"
        scores = Grid.from_records(self.scores, f"system, {numbers}")
        pairs = Grid.from_records(self.differences, f"systems, {numbers}, p")
        rows = [[system, None, *row, None] for system, *row in scores.rows]
        rows += [[*cast(Any, systems), *row] for systems, *row in pairs.rows]
        return Grid(["system", "second", *pairs.columns[1:]], rows)


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
    stacks = stacks_of(arguments, options.fold, repeat)
    first = next(iter(stacks.values()))
    keys: Any = first.keys[0]
    repeats = [None if repeat is None else key[0] for key in keys]
    run = np.array([list(dict.fromkeys(repeats)).index(key) for key in repeats])
    sizes = np.bincount(run, np.asarray(first.n))
    n, ratio = int(sizes.max()), _test_train_ratio(first, sizes[run], options.train)
    pooled = Confusion.stack({name: pooled_table(stack) for name, stack in stacks.items()})
    pooled_values = values_of(bind_all(specs, pooled, **binding), pooled)
    scores = []
    for i, (system, stack) in enumerate(stacks.items()):
        kernels = bind_all(specs, stack, **binding)
        each = zip(named(specs), kernels, values_of(kernels, stack), pooled_values, strict=True)
        for (name, _), kernel, values, of_all in each:
            values = np.broadcast_to(np.asarray(values, np.float64), len(stack))
            interval = resampled_mean(values, ratio).interval(level, *extent(kernel))
            value = np.broadcast_to(of_all, len(stacks))[i]
            more: Any = {"metric": name, "pooled": float(value), "folds": tuple(values.tolist())}
            scores.append(FoldScore(**vars(interval), system=system, **more))
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
    if metrics := tuple(dict.fromkeys(s.metric for s in scores if s.low is None)):
        yield NoWidth(metrics, *kind)


def _lacking(stack: Confusion, classes: Any) -> Iterable[ResultWarning]:
    """A warning if the classes averaged in some folds are not those of all items."""
    true: Floats = np.asarray(stack.prevalence > 0)
    lost = true.any(axis=0) & ~true
    if isinstance(classes, str) and lost.any():
        labels = tuple(stack.labels[i] for i in np.flatnonzero(lost.any(axis=0)))
        yield FoldsLackClasses(int(lost.any(axis=1).sum()), len(stack), labels)

"""Cross-validated: scores of folds, pooled and averaged apart."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from evenhand.catalogue.binding import bind_all, values_of
from evenhand.catalogue.distances import in_order
from evenhand.catalogue.lists import default_metrics
from evenhand.catalogue.naming import Metrics, as_spec, named, several
from evenhand.catalogue.policy import Undefined, policy
from evenhand.catalogue.strays import lost_by_system, notes_by_system
from evenhand.core.kernel import Kernel
from evenhand.count.given import Given
from evenhand.notes.interval import Floats
from evenhand.notes.note import Note
from evenhand.notes.sure import FoldsLackClasses, NoWidth
from evenhand.results.cells import Cell, Sure
from evenhand.results.content import Block, Content, Sheet, Words
from evenhand.results.grid import Grid
from evenhand.results.reported import Reported, of_metric
from evenhand.results.result import Collection, Result
from evenhand.results.text import counted, level_text, number
from evenhand.signature.build import signature_of
from evenhand.signature.fields import checked_level
from evenhand.signature.line import Signature
from evenhand.tables.confusion import Classes, Confusion
from evenhand.tables.labels import rule_or_list
from evenhand.validating import differences, splits
from evenhand.validating.differences import FoldDifference
from evenhand.validating.scores import FoldScore, fold_score

POOLED_OR_MEAN = (
    "pooled: the metric of all folds' predictions together, a score of a set of models. mean of "
    "folds: the mean of the metric fold by fold; its interval is the corrected resampled t, since "
    "folds share training items. Of averages over classes the two differ; say which is reported."
)


@dataclass(frozen=True, eq=False, repr=False)
class CrossValidated(Collection[tuple[str, str], FoldScore], Result):
    """Every metric over folds, and every pair of systems.

    ``n`` are the items, each tested once in every repetition; ``test_to_train`` is how many are
    tested for each that is trained on.

    >>> import evenhand as eh
    >>> found = eh.cross_validated(list("aabb"), list("aaba"), fold=[1, 2, 1, 2],
    ...                            metrics=["accuracy", "mcc"])
    >>> list(found), found["accuracy"].pooled
    ([('system', 'accuracy'), ('system', 'mcc')], 0.75)
    """

    told = ("signature", "systems", "n", "folds", "repeats", "test_to_train", "level", "scores",
            "differences")  # fmt: skip

    systems: tuple[str, ...]
    n: int
    folds: int
    repeats: int
    test_to_train: float
    level: float
    scores: tuple[FoldScore, ...]
    differences: tuple[FoldDifference, ...]
    signature: Signature
    cautions: tuple[Note, ...] = ()

    @property
    def parts(self) -> dict[tuple[str, str], FoldScore]:
        """Each score by system and metric; either is enough where it fits one only."""
        return {(s.system, s.metric): s for s in self.scores}

    def reported(self) -> Iterable[Reported]:
        """The mean of folds of every system on every metric."""
        folds = f"mean of {counted(self.folds, 'fold')}"
        for s in self.scores:
            said = f"{folds}; pooled {s.pooled:.6g}"
            signature = of_metric(self.signature, s.metric)
            yield Reported(s.metric, s, self.n, signature, self.level, s.system, said=said)

    def content(self) -> Content:
        """The first score, every score, every difference, what the two numbers are."""
        first, level = self.scores[0], level_text(self.level)
        name = f"{first.system}, " * (len(self.systems) > 1) + first.metric
        lead = f"{name}: pooled {number(first.pooled)}, mean of folds {Sure(first).text(4)}"
        title = f"{counted(self.n, 'item')}, {counted(self.folds, 'fold')}"
        if self.repeats > 1:
            title += f" in {counted(self.repeats, 'repeat')}"
        blocks: list[Block] = [Words(lead, "verdict"), self._score_sheet()]
        if self.differences:
            blocks.append(differences.sheet(self.differences))
        blocks.append(Words(POOLED_OR_MEAN, "note"))
        title += f", {counted(len(self.systems), 'system')}, {level} intervals"
        return Content(title, blocks, self._data, str(self.signature), self.warnings)

    def _score_sheet(self) -> Sheet:
        alone = len(self.systems) == 1
        head = ["system"] * (not alone)
        head += ["metric", "pooled", "mean of folds", "low", "high", "lowest", "highest"]
        rows: list[list[Cell]] = []
        for s in self.scores:
            name: list[Cell] = [] if alone else [s.system]
            ends: list[Cell] = [min(s.folds), max(s.folds)]
            rows.append([*name, s.metric, s.pooled, s.value, s.low, s.high, *ends])
        return Sheet(Grid(head, rows), "Scores over folds", rows="scores")

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


def cross_validated(
    *data: Any,
    fold: Any,
    repeat: Any = None,
    train: float | None = None,
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
    drop_null_truth: bool = False,
) -> CrossValidated:
    """Score the predictions of cross-validation: pooled, and as the mean of folds.

    Takes true labels and predictions of one system or several, or a frame with the columns
    ``true`` and ``pred``. ``fold`` says for each item in which fold it was tested, ``repeat`` in
    which repetition, where items were tested several times (then they stand there as often); of a
    frame, both are names of columns. ``train`` is how many items a model was trained on, where
    that is not all others of the repetition.

    The interval of a mean of folds is the corrected resampled t (Nadeau & Bengio 2003): error² =
    (1/J + n_test/n_train) · s². Two systems are compared by the same on their differences. It is
    about training on other data, where the intervals of ``score`` are about other test items.

    >>> found = cross_validated(list("aabbab"), {"A": list("aabbaa"), "B": list("abbbba")},
    ...                         fold=[1, 1, 2, 2, 3, 3], metrics="accuracy")
    >>> found["A"].pooled, found["A"].folds, round(found.differences[0].value, 4)
    (0.8333333333333334, (1.0, 1.0, 0.5), 0.3333)
    """
    given = Given("cross_validated", data, y_true, y_pred, true, pred, labels, weights)
    given = replace(given, drop_null_truth=drop_null_truth)
    worth, chosen = policy(undefined), rule_or_list(classes)
    checked_level(level)
    specs = [as_spec(m) for m in several(metrics, default_metrics, distance=distance)]
    stacks = {
        name: splits.folds_of(one) for name, one in splits.systems(given, fold, repeat).items()
    }
    first = next(iter(stacks.values()))
    runs = splits.repetitions(first, repeat is not None)
    sizes = np.bincount(runs, np.asarray(first.n))
    n, ratio = int(sizes.max()), splits.test_to_train(first, sizes[runs], train)
    pooled = Confusion.stack({name: pooled_table(stack) for name, stack in stacks.items()})
    whole = _values(pooled, specs, chosen, worth)
    scores = [
        fold_score(system, name, kernel, values, float(whole[m][1][i]), ratio, level)
        for i, (system, stack) in enumerate(stacks.items())
        for m, ((name, _), (kernel, values)) in enumerate(
            zip(named(specs), _values(stack, specs, chosen, worth), strict=True)
        )
    ]
    apart = differences.differences(scores, ratio, level)
    flat = tuple(dict.fromkeys(s.metric for s in scores if s.low is None))
    unlike = tuple(dict.fromkeys(d.metric for d in apart if d.low is None))
    return CrossValidated(
        systems=tuple(stacks),
        n=n,
        folds=len(first),
        repeats=len(sizes),
        test_to_train=ratio,
        level=level,
        scores=tuple(scores),
        differences=apart,
        signature=replace(signature_of(pooled, classes=chosen, undefined=worth), n=str(n)),
        cautions=(
            *in_order(specs, pooled.labels),
            *notes_by_system(pooled, chosen, worth),
            *lost_by_system(pooled),
            *_lacking(first, chosen),
            *([NoWidth(flat)] if flat else ()),
            *([NoWidth(unlike, "difference")] if unlike else ()),
        ),
    )


def _lacking(stack: Confusion, classes: Any) -> Iterable[Note]:
    """A note where the rule for the classes comes to others in some folds than in all."""
    if isinstance(classes, str):
        true: Floats = np.asarray(stack.prevalence > 0)
        lost = true.any(axis=0) & ~true
        if lost.any():
            labels = tuple(stack.labels[i] for i in np.flatnonzero(lost.any(axis=0)))
            yield FoldsLackClasses(int(lost.any(axis=1).sum()), len(stack), labels)


def pooled_table(stack: Confusion) -> Confusion:
    """All tables of a stack as one."""
    first, *rest = stack
    return sum(rest, start=first)


def _values(
    stack: Confusion, specs: list[Any], classes: Any, undefined: float
) -> list[tuple[Kernel, Floats]]:
    """Each metric made ready, and its value on each table."""
    kernels = bind_all(specs, stack, classes=classes, undefined=undefined)
    return [
        (kernel, np.broadcast_to(np.asarray(found, np.float64), len(stack)))
        for kernel, found in zip(kernels, values_of(kernels, stack), strict=True)
    ]

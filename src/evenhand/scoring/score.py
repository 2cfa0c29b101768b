"""Score: every metric of one system, with what a reader must know beside it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, cast

import numpy as np

from evenhand.catalogue.binding import Table
from evenhand.catalogue.distances import in_order
from evenhand.catalogue.lists import default_metrics
from evenhand.catalogue.naming import AnyMetric, Metrics, named, several
from evenhand.catalogue.policy import Undefined, policy
from evenhand.catalogue.spelling import Spec
from evenhand.count.forms import one_of, refusal, refuse_empty, what_came
from evenhand.count.given import Counted, Given, system_of
from evenhand.infer.rows import Data
from evenhand.infer.settings import Settings
from evenhand.infer.slices import of_clusters
from evenhand.notes.data import EmptiedClass
from evenhand.notes.note import Note
from evenhand.notes.slices import of_slices
from evenhand.notes.sure import FewClusters
from evenhand.scoring.cautions import cautions_of, lost_of
from evenhand.scoring.classes import MARGINS, ClassScores, Four, at
from evenhand.scoring.scores import Score, Scores
from evenhand.scoring.sure import sure_of
from evenhand.scoring.twins import twins_of
from evenhand.signature.line import Signature
from evenhand.signature.scored import signed_scores
from evenhand.tables.confusion import Classes, Confusion
from evenhand.tables.labels import rule_or_list
from evenhand.tables.merge import pooled
from evenhand.tables.sample import Sample, SoftSample
from evenhand.tables.slices import Slices

BLOCK = 1 << 16
"""Tables × classes of a stack that are scored at once."""


def score(
    *data: Any,
    metrics: Metrics | None = None,
    classes: Classes = "task",
    undefined: Undefined = 0,
    distance: Any = None,
    interval: str | None = "auto",
    level: float = 0.95,
    replicates: int = 2000,
    seed: int = 0,
    transform: str | None = None,
    stratify: bool = False,
    y_true: Any = None,
    y_pred: Any = None,
    true: str | None = None,
    pred: str | Sequence[str] | None = None,
    labels: Iterable[Any] | None = None,
    weights: Any = None,
    cluster: Any = None,
    by: Any = None,
    drop_null_truth: bool = False,
) -> Scores:
    """Score one system, whole or in slices, on the metrics named; by default on all.

    The data are true and predicted labels, a table, a sample, a matrix, or a frame with the
    columns ``true`` and ``pred``. ``weights``, ``cluster`` and ``by`` (slices) have one value
    an item, or name a column of the frame.

    ``interval`` is ``"delta"``, ``"jackknife"``, ``"bootstrap"``, ``"bca"``, ``"wilson"``,
    ``None``, or ``"auto"``: Wilson for plain proportions, the jackknife for averages that weigh
    classes alike, else the delta method on Wilson's scale.
    Of probabilities the scores are those of the soft table; ``argmax`` has those of the most
    probable classes.
    ``distance`` says how far apart classes are: ``"ordinal"`` (in the order of ``labels``), a
    matrix of costs, a mapping of each class to the one above it, or a ``Distance``. Metrics to
    which that matters then see it, and are scored unasked.
    ``transform`` ("logit", "fisher", "range" or "score") keeps a delta interval inside its range;
    ``stratify`` resamples within true classes, for data whose class mix was fixed by design.

    >>> cells = [[6, 1, 1], [1, 5, 2], [2, 3, 7]]
    >>> found = score(cells, metrics=["macro_f1", "f1_of_averages"])
    >>> round(found["macro_f1"].value, 6), round(found.twins.gap, 6)
    (0.643494, 0.003209)
    >>> round(found["macro_f1"].se, 6), found["macro_f1"].method
    (0.09581, 'jackknife, score')
    """
    drawn = weights is not None and interval in ("bootstrap", "bca")
    beside = (labels, weights, cluster, by, drop_null_truth)
    given = Given("score", data, y_true, y_pred, true, pred, *beside)
    # a table has added up the weights that a bootstrap draws
    found: Counted = one_of("score", system_of(given, items=drawn))
    how = None
    if interval is not None:
        how = Settings(interval, level, replicates, seed, transform, stratify)
    worth = policy(undefined)
    made = found.tables()
    otherwise, counted = partial(default_metrics, found.task), made.weighing == "none"
    specs = named(
        several(
            metrics,
            otherwise,
            found.task,
            fits=lambda m: counted or m.size != "matters",
            distance=distance,
        )
    )
    ask = Asked(specs, rule_or_list(classes), worth, how)
    order = in_order((m for _, m in specs), made.labels)
    if found.systems or not made.shape:
        whole = ask.whole(found, made).noted(*order)
        if not found.soft:
            return whole
        usual = cast(SoftSample, found).decided()
        return replace(whole, argmax=ask.whole(usual, usual.tables()))
    if len(made.shape) > 1:
        raise refusal("score", what_came((made,)), "of several leading axes it takes one at a time")
    stack = cast(Confusion, made)
    every = pooled(stack)
    if np.any((stack.n == 0) & (stack.dropped > 0)):  # rows that were left out make no slice
        stack = Confusion.stack(dict(stack.sliced()[1]))
    refuse_empty(stack)
    step = max(1, BLOCK // stack.k)
    blocks = (stack[i : i + step] for i in range(0, len(stack), step))
    parts = [s for block in blocks for s in ask.scores(block, block, block, block.keys[0])]
    return _sliced(ask.one(every, every).noted(*order), parts)


def _sliced(whole: Scores, parts: Sequence[Scores]) -> Scores:
    """The scores of the whole with those of its slices, and what is to be known of these."""
    if not parts:
        return whole
    inside = of_slices(whole.cautions, ((p.key, p.cautions) for p in parts))
    return replace(whole, slices=tuple(parts), cautions=(*whole.cautions, *inside))


@dataclass(frozen=True)
class Asked:
    """What is to be scored, settled before any data are looked at."""

    specs: list[tuple[str, AnyMetric]]
    classes: Classes
    worth: float
    how: Settings | None

    @property
    def averages(self) -> list[str]:
        """The metrics that weigh the classes alike, at the mix observed."""
        plain = ((n, m) for n, m in self.specs if isinstance(m, Spec) and m.prevalence is None)
        return [name for name, spec in plain if spec.metric.alike]

    def whole(self, data: Data, stack: Table) -> Scores:
        """The scores of one system's data, with those of its slices."""
        found, slices = self.one(data, stack), data.slices
        return _sliced(found, self.parts(slices)) if slices else found

    def parts(self, slices: Sequence[tuple[Any, Any]]) -> list[Scores]:
        """The scores of slices, all at once where one stack can hold them."""
        if not slices:
            return []
        drawn = self.how is not None and self.how.drawn is not None
        mixed = any(isinstance(m, Spec) and m.prevalence is not None for _, m in self.specs)
        if drawn or mixed or not Slices.fit(slices):
            return [self.one(part, part.tables(), key) for key, part in slices]
        several, alone = of_clusters(slices)
        single = [pair for pair in slices if pair[0] in alone[0].keys] if alone else []
        found = {s.key: s for s in self._stacked(several)}
        for s in replace(self, how=None)._stacked(single):
            found[s.key] = s.noted(FewClusters(1))  # which tells nothing of others
        return [found[key] for key, _ in slices]

    def _stacked(self, slices: Sequence[tuple[Any, Sample]]) -> Iterable[Scores]:
        step = max(1, BLOCK // len(slices[0][1].labels)) if slices else 1
        for i in range(0, len(slices), step):
            block = Slices.of(slices[i : i + step])
            stack = block.tables()
            refuse_empty(stack)
            yield from self.scores(block, stack, stack, block.keys)

    def one(self, data: Data, stack: Table, key: Any = None) -> Scores:
        """The scores of one system's data, or of a slice of them; ``stack`` are their tables."""
        table = cast(Confusion, stack)[0] if data.systems else stack
        refuse_empty(table)
        if key is None or data.cluster is None or len(np.unique(data.cluster)) > 1:
            return self.scores(data, stack, table, (key,))[0]
        (found,) = replace(self, how=None).scores(data, stack, table, (key,))
        return found.noted(FewClusters(1))  # which tells nothing of others

    def scores(
        self, data: Data, stack: Table, table: Table, keys: Iterable[Any] = (None,)
    ) -> list[Scores]:
        """The scores of one table, or of every table of a stack.

        ``stack`` are the tables of ``data``: the same, or those of a sample of one system.
        """
        options: Any = {"classes": self.classes, "undefined": self.worth}
        sure = sure_of(data, stack, self.specs, **options, how=self.how)
        of_metrics, of_classes = sure.columns()
        rows = [(*named, four[3]) for named, four in zip(self.specs, of_metrics, strict=True)]
        settings, signs = signed_scores(table, rows, sure.asked, **options)
        metrics = [
            _scores(name, e.value.tolist(), four, own, sure.level)
            for (name, e), four, own in zip(sure.metrics.items(), of_metrics, signs, strict=True)
        ]
        columns = {name: getattr(sure.mean, name) for name in MARGINS}
        columns |= {name: e.value for name, e in sure.classes.items()}
        k = len(table.labels)
        values = {n: np.asarray(x).reshape(-1, k).tolist() for n, x in columns.items()}
        plain = [replace(s, interval="none") for s in settings]
        pairs = twins_of(sure.mean, table.labels, sure.twins, plain, pairs=3)
        lost = lost_of(table)
        emptied = list(_emptied(self.specs, self.worth))
        cautions = cautions_of(table, self.classes, self.worth, pairs, lost, self.averages)
        unsure = sure.cautions(table)
        return [
            Scores(
                signature=settings[i],
                n=n,
                labels=table.labels,
                **lost[i]._asdict(),
                metrics={s.metric: s for s in (column[i] for column in metrics)},
                classes=ClassScores(
                    table.labels,
                    {name: x[i] for name, x in values.items()},
                    {name: at(four, i) for name, four in of_classes.items()},
                    sure.level,
                ),
                twins=pairs[i],
                cautions=(*cautions[i], *emptied, *unsure[i]),
                key=key,
            )
            for i, (key, n) in enumerate(zip(keys, np.ravel(table.n).tolist(), strict=True))
        ]


def _scores(
    name: str, values: list[float], four: Four, signs: list[Signature], level: float | None
) -> list[Score]:
    """One metric of every table."""
    rows = zip(values, *four, signs, strict=True)
    return [
        Score(v, e, a, b, level if m else None, m, metric=name, signature=signature)
        for v, e, a, b, m, signature in rows
    ]


def _emptied(specs: list[tuple[str, AnyMetric]], worth: float) -> Iterable[Note]:
    """A class whose share is set to 0 has no recall any more: its 0/0 takes the policy."""
    for name, metric in specs:
        shares = metric.prevalence if isinstance(metric, Spec) else None
        gone = tuple(label for label, share in shares or () if share == 0)
        if gone:
            yield EmptiedClass(name, gone, worth)

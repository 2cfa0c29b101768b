"""Scoring one system."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np

from evenhand.catalogue import binding
from evenhand.catalogue.binding import (
    bind_all,
    bind_classes,
    for_metrics,
    of_grades,
    stray_notes,
    usual_metrics,
    views_of,
    weighted,
)
from evenhand.catalogue.lists import (
    TWINS,
    AnyMetric,
    as_spec,
    default_metrics,
    default_score_metrics,
    in_order,
    named,
    of_positive,
    several,
)
from evenhand.catalogue.signature import signed_scores
from evenhand.catalogue.spelling import Spec
from evenhand.data.arguments import (
    Counted,
    VerbArguments,
    form_of,
    one_of,
    one_table,
    refusal,
    refuse_empty,
    system_of,
    verb,
    with_positive_last,
)
from evenhand.data.confusion import Confusion, pooled
from evenhand.data.labels import Label, positive_label, stated_positive
from evenhand.data.multilabel import AnyTable
from evenhand.data.sample import SampleSlices, SoftSample
from evenhand.inference.intervals import Estimate, IntervalSettings, estimates, interval_warnings
from evenhand.inference.prediction_powered import judged_of
from evenhand.inference.rows import (
    Data,
    of_clusters,
)
from evenhand.options import Classes, ScoreOptions
from evenhand.scoring.judged import judged_scores, scores_by_rates
from evenhand.scoring.macro_f1_gap import twins_of
from evenhand.scoring.scores import (
    MARGINS,
    PER_CLASS,
    POINT,
    ClassScores,
    Score,
    Scores,
)
from evenhand.warnings import (
    EmptiedClass,
    FewClusters,
    NoClass,
    ResultWarning,
    RowsDropped,
    TwoFormulas,
    UnknownVariance,
)

MOST_RANKED = 1 << 22
"""Items × classes up to which areas under the curves of more than two classes are unasked for."""
BLOCK = 1 << 16
"""Tables × classes of a stack that are scored at once."""


@verb(ScoreOptions)
def score(arguments: VerbArguments, options: ScoreOptions) -> Scores:
    """Score one system, whole or in slices, on the metrics named; by default on all.

    The data are true and predicted labels, a table, a sample, a matrix, or a frame with the
    columns ``true`` and ``pred``. ``weights``, ``cluster`` and ``by`` (slices) have one value
    an item, or name a column of the frame.

    ``interval`` is ``"delta"``, ``"jackknife"``, ``"bootstrap"``, ``"bca"``, ``"wilson"``,
    ``None``, or ``"auto"``: Wilson's interval, for plain proportions as it is and for other metrics
    at an effective sample size.
    Of probabilities (items × classes) the scores are those of the most probable classes;
    ``expected_macro_f1`` and its like are of the probabilities themselves, which a soft table adds
    up.
    ``distance`` says how far apart classes are: ``"ordinal"`` (in the order of ``labels``), a
    matrix of costs, a mapping of each class to the one above it, or a ``Distance``. Metrics to
    which that matters then see it, and are scored unasked.
    ``positive`` names the positive class: sensitivity, specificity, predictive values, likelihood
    ratios and the like are scored, and ``"sensitivity"`` is a name of a metric and of a score.
    Without it, one of two labels such as 1 and 0 or yes and no is taken for it and said.
    ``transform`` ("logit", "fisher", "range" or "score") keeps a delta interval inside its range;
    ``stratify`` resamples within true classes, for data whose class mix was fixed by design.
    ``expected`` scores class probabilities as they are, not the labels that they decide for.
    ``judge`` has labels of all items by a model or a crowd, where ``y_true`` has human labels of
    some (``None`` elsewhere): the scores are the judge's, corrected by the human labels, which must
    be of a random sample, or chosen with the probabilities ``label_probability``.

    >>> cells = [[6, 1, 1], [1, 5, 2], [2, 3, 7]]
    >>> items_or_table = score(cells, metrics=["macro_f1", "f1_of_averages"])
    >>> round(items_or_table["macro_f1"].value, 6), round(items_or_table.twins.gap, 6)
    (0.643494, 0.003209)
    >>> round(items_or_table["macro_f1"].se, 6), items_or_table["macro_f1"].method
    (0.09581, 'wilson, effective')
    """
    drawn = arguments.weights is not None and options.interval in ("bootstrap", "bca")
    # a table has added up the weights that a bootstrap draws
    judged, settings = judged_of(arguments, options), IntervalSettings.from_options(options)
    arguments = with_positive_last(arguments, options.positive)
    items_or_table: Counted = (
        one_of("score", system_of(arguments, items=drawn, soft=True))
        if judged is None
        else judged.by_human()
    )
    tables = items_or_table.tables()
    soft = items_or_table if isinstance(items_or_table, SoftSample) else None
    scored, multi = tables.item_scores, items_or_table.task == "multi"
    more = [] if scored is None else default_score_metrics(scored.only_scores or multi)
    if scored is not None and tables.k > 2 and scored.scores.size > MOST_RANKED:
        more = [m for m in more if "average" not in m.metric.parameters]
    stated = stated_positive(options.positive, tables.labels, tables.notes)
    first = () if stated is None else of_positive(stated).values()
    requested = several(
        options.metrics,
        lambda: usual_metrics(
            items_or_table, lambda: [*first, *default_metrics(items_or_table.task), *more]
        ),
        items_or_table.task,
        fits=lambda m: tables.weighing == "none" or m.size != "matters",
        distance=options.distance,
        positive=stated,
    )
    if options.expected:
        requested = list(map(binding.expected, requested))
    if soft is not None and stated == tables.labels[0]:  # areas are of the second unless said
        requested = [_of_label(m, stated) for m in requested]
    if soft is None:
        items_or_table, requested = for_metrics(items_or_table, requested)
    elif soft.graded and options.metrics is not None:
        requested = of_grades(requested)
    unasked = options.metrics is None and items_or_table.task == "single"
    positive = positive_label(tables.labels) if stated is None and unasked else stated
    specs = named(requested)
    order = (*items_or_table.notes, *in_order(dict(specs).values(), tables.labels))
    request = ScoreRequest(specs, options.classes, float(options.undefined), settings, positive)
    if judged is not None:
        return judged_scores(request, judged).noted(*order)
    if options.judge_table is not None:
        return scores_by_rates(request, items_or_table, one_table(options.judge_table))
    if soft is not None:
        return request.of_probabilities(soft).noted(*order)
    if items_or_table.systems or not tables.shape:
        return request.with_slices(items_or_table, tables).noted(*order)
    if len(tables.shape) > 1:
        raise refusal("score", form_of(tables), "of several leading axes it takes one at a time")
    stack = cast(Confusion, tables)
    every = pooled(stack)
    if np.any((stack.n == 0) & (stack.dropped > 0)):  # rows that were left out make no slice
        stack = Confusion.stack(dict(stack.sliced()[1]))
    step = max(1, BLOCK // stack.k)
    blocks = (stack[i : i + step] for i in range(0, len(stack), step))
    parts = [s for block in blocks for s in request.scores(block, block, block.keys[0])]
    return request.one(every, every).noted(*order).with_slices(parts)


def expected(*data: Any, **options: Any) -> Scores:
    """Score class probabilities as they are: the expected value of every metric.

    The same as :func:`score` with ``expected=True``; metrics are called ``expected_macro_f1`` and
    so on, since labels that are decided for score otherwise.

    >>> p = [[0.75, 0.25], [0.5, 0.5], [0.25, 0.75]]
    >>> expected(["a", "a", "b"], p, metrics="accuracy")["expected_accuracy"].value
    0.6666666666666666
    """
    return score(*data, expected=True, **options)


def _of_label(metric: AnyMetric, label: Label) -> AnyMetric:
    """A metric of scores, if it is averaged over classes and of none, of the one of a label."""
    spec = as_spec(metric)
    if not isinstance(spec, Spec) or spec.label is not None or spec.metric.needs != "scores":
        return spec
    return replace(spec, label=str(label)) if "average" in spec.metric.parameters else spec


def _with_metrics(scores: Scores, more: Scores, names: Sequence[str]) -> Scores:
    """The scores with further metrics and the notes on these, slice by slice."""
    metrics = scores.metrics | more.metrics
    slices = (_with_metrics(a, b, names) for a, b in zip(scores.slices, more.slices, strict=True))
    notes = (note for note in more.cautions if hasattr(note, note.about))
    return replace(
        scores,
        metrics={name: metrics[name] for name in names},
        slices=tuple(slices),
        cautions=tuple(dict.fromkeys((*scores.cautions, *notes))),
    )


@dataclass(frozen=True)
class ScoreRequest:
    """What is to be scored, settled before any data are looked at."""

    specs: list[tuple[str, AnyMetric]]
    classes: Classes
    zero_division: float
    settings: IntervalSettings | None
    positive: Label | None = None
    by_class: bool = True

    def with_slices(self, data: Data, stack: AnyTable) -> Scores:
        """The scores of one system's data, with those of its slices."""
        return self.one(data, stack).with_slices(self.parts(data.slices))

    def of_probabilities(self, soft: SoftSample) -> Scores:
        """The scores of the labels decided for, with those expected of the probabilities."""
        expected = [p for p in self.specs if isinstance(p[1], Spec) and p[1].of_probabilities]
        if soft.graded:  # which are decided for nothing
            graded = replace(self, specs=expected, by_class=False)
            return graded.with_slices(soft, soft.tables()).without_classes()
        labels = soft.decided()
        rest = [pair for pair in self.specs if pair not in expected]
        scores = replace(self, specs=rest).with_slices(labels, labels.tables()).noted(*labels.notes)
        if not expected:
            return scores
        more = replace(self, specs=expected, by_class=False).with_slices(soft, soft.tables())
        return _with_metrics(scores, more, [name for name, _ in self.specs])

    def parts(self, slices: Sequence[tuple[Any, Any]]) -> list[Scores]:
        """The scores of slices, all at once where one stack can hold them."""
        if not slices:
            return []
        drawn = self.settings is not None and self.settings.drawn is not None
        mixed = any(isinstance(m, Spec) and m.prevalence is not None for _, m in self.specs)
        if drawn or mixed or not SampleSlices.fit(slices):
            return [self.one(part, part.tables(), key) for key, part in slices]
        several, at_once = of_clusters(slices)[0], dict[Any, Scores]()
        step = max(1, BLOCK // len(slices[0][1].labels))
        for i in range(0, len(several), step):
            block = SampleSlices(several[i : i + step])
            stack = block.tables()
            at_once |= {s.key: s for s in self.scores(block, stack, block.keys)}
        return [at_once.get(key) or self.one(part, part.tables(), key) for key, part in slices]

    def one(self, data: Data, stack: AnyTable, key: Any = None) -> Scores:
        """The scores of one system's data, or of a slice of them; ``stack`` are their tables."""
        if key is None or data.cluster is None or len(np.unique(data.cluster)) > 1:
            return self.scores(data, stack, (key,))[0]
        (scores,) = replace(self, settings=None).scores(data, stack, (key,))
        return scores.noted(FewClusters(1))  # which tells nothing of others

    def scores(self, data: Data, table: AnyTable, keys: Sequence[Any] = (None,)) -> list[Scores]:
        """The scores of one table, or of every table of a stack: those of the data."""
        names, metrics = zip(*self.specs, strict=True) if self.specs else ((), ())
        specs = [(name, spec) for name, spec in self.specs if isinstance(spec, Spec)]
        averaged = [n for n, m in specs if m.prevalence is None and m.metric.equal_weights]
        gone = ((n, tuple(v for v, share in m.prevalence or () if share == 0)) for n, m in specs)
        emptied = [EmptiedClass(n, labels, self.zero_division) for n, labels in gone if labels]
        lead = next((m for m in ("macro_f1", *averaged) if m in averaged), None)
        options: Any = {"classes": self.classes, "undefined": self.zero_division}
        refuse_empty(cast(Confusion, table)[0] if data.systems else table)
        settings = self.settings
        unknown = settings is not None and settings.method == "auto" and not data.varies
        settings = None if unknown else settings
        *kernels, mean, averages = bind_all([*metrics, *TWINS], table, **options)
        kernels += bind_classes(self.zero_division) if self.by_class else []
        views = views_of([*kernels, mean], table)
        margins, both = views.prepared(mean), views.values([mean, averages])
        estimated = estimates(data, kernels, settings, table, views)
        signed = None if settings is None else settings.signed(data)
        unsure: list[list[ResultWarning]] = [[]] * len(keys)
        if settings is not None:
            unsure = interval_warnings(data, table, names, estimated, margins, views)
        known = np.ravel(both[0]).tolist() if lead == "macro_f1" else None
        of_metrics, of_classes = estimated[: len(names)], estimated[len(names) :]
        intervals, class_intervals = list(map(list, of_metrics)), Estimate.by_table(of_classes)
        signatures, by_metric = signed_scores(table, self.specs, of_metrics, signed, **options)
        strays = stray_notes(table, self.classes, self.zero_division, known, lead)
        notes: list[ResultWarning] = [UnknownVariance()] * unknown
        notes += [e.no_gradient for e in estimated if e.no_gradient is not None]
        plain = [replace(s, interval="none") for s in signatures]
        pairs = twins_of(margins, table.labels, both, plain, 3)
        arrays = {name: getattr(margins, name) for name in MARGINS}
        arrays |= {name: e.value for name, e in zip(PER_CLASS, of_classes, strict=False)}
        values = {n: np.reshape(x, (-1, len(table.labels))).tolist() for n, x in arrays.items()}
        sizes = (table.n, table.outside.sum(axis=-1), table.missing, table.dropped)
        rows = zip(keys, strays, pairs, *(np.ravel(x).tolist() for x in sizes), strict=True)
        formulas, several = any(m.metric.name in averaged for m in TWINS), []
        for i, (key, stray, twins, n, outside, missing, dropped) in enumerate(rows):
            cautions = [] if stray is None else [stray]
            if formulas and twins.gap > POINT:
                cautions.append(TwoFormulas(twins.macro_f1, twins.f1_of_averages))
            if outside:
                cautions.append(NoClass(outside, missing, weighted(table)))
            if dropped:
                cautions.append(RowsDropped(dropped))
            scores = {
                name: Score(**vars(own[i]), metric=name, signature=signed_as[i])
                for name, own, signed_as in zip(names, intervals, by_metric, strict=True)
            }
            sure = zip(PER_CLASS, class_intervals, strict=False) if settings is not None else ()
            classes = ClassScores(
                table.labels,
                {name: x[i] for name, x in values.items()},
                {name: tables[i] for name, tables in sure},
            )
            several.append(
                Scores(
                    *(signatures[i], n, table.labels, outside, missing, dropped),
                    *(scores, classes, twins, key),
                    positive=self.positive,
                    cautions=(*cautions, *emptied, *unsure[i], *notes),
                )
            )
        return several

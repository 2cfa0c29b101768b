"""Scores by a judge's labels, corrected by human labels for some of the items."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from evenhand.catalogue.binding import bind, bind_all
from evenhand.catalogue.signature import IntervalField
from evenhand.core.kernel import Kernel
from evenhand.data.arguments import VerbArguments, system_of
from evenhand.data.sample import Sample
from evenhand.errors import InputError
from evenhand.inference.prediction_powered import (
    HUMAN_LABELS,
    Correction,
    JudgedRows,
    JudgedSample,
    limits,
)
from evenhand.inference.rows import NoGradientError
from evenhand.options import ScoreOptions
from evenhand.records import Method
from evenhand.scoring.scores import JudgedScore, Score, Scores
from evenhand.warnings import ResultWarning

if TYPE_CHECKING:
    from evenhand.scoring.score import ScoreRequest

ENOUGH_LABELS = 200
"""Human labels from which on corrected intervals hold (docs/judges.md)."""
DOUBTFUL = 0.01
"""The p value below which human labels are taken for no random sample."""
SHARED = ("macro_f1", "f1_of_averages", "macro_f1_gap")
"""The metrics that have the λ of macro F1, so that the gap is their difference."""


class FewHumanLabels(ResultWarning):
    """Human labels that are too few for a corrected interval to hold."""

    template = "only {labels} human labels: below {few} the corrected intervals may be too narrow"

    labels: int
    few: int


class UnlikeSample(ResultWarning):
    """Items with a human label that are unlike the others by the judge's labels."""

    template = """the judge's labels of the human-labelled items differ from those of the others
    (p = {p:.2g}): human labels must be a random sample, or chosen with known probabilities"""

    p: float


class HumanAlone(ResultWarning):
    """Metrics that a judge cannot correct here."""

    template = "{metrics:names}: by the human labels alone, a judge cannot correct it here"
    about = "metrics"

    metrics: tuple[str, ...]


def judged_of(arguments: VerbArguments, options: ScoreOptions) -> JudgedSample | None:
    """The data with the judge's labels as truth and the human labels as one more system, if any."""
    if arguments.data and isinstance(arguments.data[0], JudgedSample):
        return arguments.data[0]
    judge, probability = options.judge, options.label_probability
    if judge is None:
        if probability is not None:
            raise InputError("label_probability goes with judge=")
        return None
    if probability is not None:
        if arguments.weights is not None:
            raise InputError("label_probability goes without weights: both weigh items")
        arguments = replace(arguments, weights=probability)
    if arguments.of_frame:
        pred = [arguments.pred] if isinstance(arguments.pred, str) else list(arguments.pred or ())
        arguments = replace(arguments, true=judge, pred=[*pred, str(arguments.true)])
    else:
        if len(arguments.positional) != 2:
            raise InputError("score with judge= takes human labels and predictions, or a frame")
        y_true, y_pred = arguments.positional
        data = (judge, {"system": y_pred, HUMAN_LABELS: y_true})
        arguments = replace(arguments, data=data, y_true=None, y_pred=None)
    sample = system_of(arguments, items=True)
    if not isinstance(sample, Sample) or len(sample.systems) != 2:
        raise InputError("score with judge= takes labels, one true and one predicted an item")
    return JudgedSample(sample, designed=probability is not None)


def judged_scores(request: ScoreRequest, judged: JudgedSample) -> Scores:
    """The corrected scores of one system, with those of its slices."""
    slices = [(key, JudgedSample(part, judged.designed)) for key, part in judged.sample.slices]
    known = [(key, part) for key, part in slices if part.labels]
    if len(slices) > 1 and len(known) == 1:
        raise InputError(
            f"all human labels are of one slice, {known[0][0]!r}, and tell nothing of the others: "
            "score that slice alone, or label items of each"
        )
    parts = [replace(_one(request, part), key=key) for key, part in known]
    return _one(request, judged).with_slices(parts)


def _one(request: ScoreRequest, judged: JudgedSample) -> Scores:
    if not 0 < judged.labels < judged.sample.n:
        which = "every item has" if judged.labels else "no item has"
        raise InputError(f"with a judge some items must have a human label, not all: {which} one")
    by_human, by_judge = judged.by_human(), judged.by_judge()
    human, judge = (request.one(s, s.tables()) for s in (by_human, by_judge))
    rows, table = JudgedRows(judged), by_human.table(by_human.systems[0])
    options: Any = {"classes": request.classes, "undefined": request.zero_division}
    common = rows.power(bind("macro_f1", table, **options))
    corrected = rows.table(common)
    scores = replace(request, settings=None).one(corrected, corrected)
    metrics, alone = dict[str, Score](), list[str]()
    kernels = bind_all([metric for _, metric in request.specs], table, **options)
    for (name, _), kernel in zip(request.specs, kernels, strict=True):
        own, cheap = human.metrics[name], judge.metrics[name]
        correction = _correction(rows, kernel, own, common)
        if correction is None:
            alone.append(name)
        metrics[name] = _corrected(own, cheap, kernel, correction, judged)
    notes: list[ResultWarning] = [HumanAlone(tuple(alone))] * bool(alone)
    if judged.labels < ENOUGH_LABELS:
        notes.append(FewHumanLabels(judged.labels, ENOUGH_LABELS))
    if not judged.designed and (p := rows.sampled_alike()) < DOUBTFUL:
        notes.append(UnlikeSample(p))
    return replace(
        scores,
        metrics=metrics,
        missing=judge.missing,
        signature=human.signature,
        cautions=tuple(dict.fromkeys((*human.cautions, *notes))),
    )


def _correction(rows: JudgedRows, kernel: Kernel, human: Score, common: float) -> Correction | None:
    """The correction of a metric; none where human labels must stand alone."""
    shared = kernel.name in SHARED
    if human.se is None or kernel.over_cells or kernel.over_items:
        return None
    try:
        power = common if shared else rows.power(kernel)
        correction = rows.corrected(kernel, power) if power else None
    except NoGradientError:
        return None
    if correction is None or not np.isfinite(correction.share[0]):
        return None
    return correction if shared or correction.share[0] < 1 else None


def _corrected(
    human: Score, judge: Score, kernel: Kernel, correction: Correction | None, judged: JudgedSample
) -> Score:
    """A metric by human labels, corrected, with what the judge and the human labels say alone."""
    labels, signature = float(judged.labels), human.signature
    if correction is None:
        return replace(human, judged=JudgedScore(judge, human, 0.0, labels))
    se, low, high = limits(human, correction, kernel)
    power, share = correction.power, float(correction.share[0])
    method = Method("ppi", "effective" if kernel.bounded else None)
    if (field := IntervalField.parse(signature.interval)) is not None:
        further = (("labels", labels), ("judged", judged.sample.n), ("lambda", round(power, 4)))
        field = replace(field, method=method.name, scale=method.scale, further=further)
        signature = replace(signature, interval=str(field))
    return replace(
        human, value=float(correction.value[0]), se=se, low=low, high=high, method=method,
        signature=signature, judged=JudgedScore(judge, human, power, labels / share**2),
    )  # fmt: skip

"""Scores by a judge's labels, corrected by human labels for some of the items."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from evenhand.catalogue.binding import bind_all
from evenhand.catalogue.signature import IntervalField
from evenhand.data.cells import DenseCells
from evenhand.data.confusion import Confusion
from evenhand.data.sample import Sample
from evenhand.errors import InputError, shown
from evenhand.inference.prediction_powered import (
    JudgedSample,
    JudgedScore,
    human_alone,
    judged_rows,
    judged_warnings,
    limits,
)
from evenhand.inference.rows import Floats, NoGradientError, Rows
from evenhand.inference.wilson import critical_value, interval_around, interval_scale
from evenhand.records import Method
from evenhand.scoring.scores import Score, Scores
from evenhand.warnings import ResultWarning, TwoFormulas

if TYPE_CHECKING:
    from evenhand.scoring.score import ScoreRequest


class JudgeRates(ResultWarning):
    """Scores that rest on a judge's error rates elsewhere."""

    template = """corrected by the judge's error rates on {items:item} elsewhere: right only if,
    given the truth, its errors do not depend on the system's"""

    items: int


def judged_scores(request: ScoreRequest, judged: JudgedSample) -> Scores:
    """The corrected scores of one system, with those of its slices."""
    overall = _one(request, judged)
    return overall.with_slices(replace(_one(request, p), key=key) for key, p in judged.slices)


def _one(request: ScoreRequest, judged: JudgedSample) -> Scores:
    options: Any = {"classes": request.classes, "undefined": request.zero_division}
    rows = judged_rows(judged, options)
    notes = list(judged_warnings(judged, rows))
    by_human, by_judge = judged.by_human(), judged.by_judge()
    human, judge = (request.one(s, s.tables()) for s in (by_human, by_judge))
    corrected = rows.table(rows.common)
    scores = replace(request, settings=None).one(corrected, corrected)
    metrics = dict[str, Score]()
    kernels = bind_all([metric for _, metric in request.specs], by_human.tables(), **options)
    for (name, _), kernel in zip(request.specs, kernels, strict=True):
        own, cheap, labels = human.metrics[name], judge.metrics[name], float(judged.labels)
        correction = None if own.se is None else rows.correction(kernel)
        if correction is None:
            metrics[name] = replace(own, judged=JudgedScore(cheap, own, 0.0, labels))
            continue
        se, low, high = limits(own, correction, kernel)
        power, share = correction.power, float(correction.share[0])
        method = Method("ppi", "effective" if kernel.record.bounded else None)
        signature = own.signature
        if (field := IntervalField.parse(signature.interval)) is not None:
            further = (("labels", labels), ("judged", judged.sample.n), ("lambda", round(power, 4)))
            field = replace(field, method=method.name, scale=method.scale, further=further)
            signature = replace(signature, interval=str(field))
        metrics[name] = replace(
            own, value=float(correction.value[0]), se=se, low=low, high=high, method=method,
            signature=signature, judged=JudgedScore(cheap, own, power, labels / share**2),
        )  # fmt: skip
    notes[:0] = human_alone((name, s.judged) for name, s in metrics.items())
    of_labels = (c for c in human.cautions if not isinstance(c, TwoFormulas))
    of_values = (c for c in scores.cautions if isinstance(c, TwoFormulas))
    return replace(
        scores,
        metrics=metrics,
        missing=judge.missing,
        signature=human.signature,
        judge_power=rows.common,
        cautions=tuple(dict.fromkeys((*of_values, *of_labels, *notes))),
    )


# Where only error rates are known.

LEAST_SINGULAR = 0.1
"""The smallest singular value of error rates that can be inverted."""


def scores_by_rates(request: ScoreRequest, data: Any, judge: Confusion) -> Scores:
    """Scores by a judge's labels alone, corrected by its table of true × judged labels elsewhere.

    With R the rows of that table as shares and Q the table of judge × system, that of
    truth × system is T = (Rᵀ)⁻¹Q, if the judge's errors do not depend on the system's, given the
    truth. A metric's slope is (Rᵀ)⁻ᵀg in Q, with g that in T, and −TgᵀR⁻ᵀ in R, whose rows and Q
    are multinomial. (Rogan & Gladen 1978.)
    """
    table = data.tables()[0] if data.systems else data.tables()
    table = table[0] if table.shape else table
    plain = not data.slices and data.cluster is None and table.weighing == "none"
    if not isinstance(data, Sample | Confusion) or not plain:
        raise InputError("judge_table takes unweighted labels of one system, without slices")
    lacking = [label for label in table.labels if label not in judge.labels]
    if lacking or np.any(judge.outside) or not np.all(judge.prevalence):
        raise InputError(
            "judge_table must have items of every class, and a judge's label for each; it has "
            f"{shown(judge.labels)}, and the data {shown(table.labels)}"
        )
    at, k = [judge.labels.index(label) for label in table.labels], judge.k
    observed = np.zeros((k, k + 1))
    observed[np.ix_(at, [*at, k])] = table.data.dense().weight
    observed /= table.n
    sizes = np.asarray(judge.prevalence, np.float64)
    rates = np.asarray(judge.cells, np.float64) / sizes[:, None]
    least = float(np.linalg.svd(rates, compute_uv=False)[-1])
    if least < LEAST_SINGULAR:
        raise InputError(
            "judge_table cannot be inverted: the judge hardly tells some classes apart (smallest "
            f"singular value {least:.2g}, at least {LEAST_SINGULAR:g} is needed)"
        )
    inverse = np.linalg.inv(rates.T)
    cells = inverse @ observed
    corrected = Confusion.from_cells(judge.labels, DenseCells(cells * table.n), n=table.n)
    margins = (corrected.correct, corrected.prevalence, corrected.bias)
    if min(np.min(x) for x in margins) < -1e-9 * table.n:
        raise InputError(
            "judge_table does not fit these labels: corrected by its rates, some class would have "
            "fewer than no items"
        )
    scores = replace(request, settings=None).one(corrected, corrected)
    if request.settings is None:
        return scores
    true, pred = (x.reshape(-1) for x in np.indices(cells.shape))
    rows = Rows(k, true, pred[:, None], cells.reshape(-1))
    options: Any = {"classes": request.classes, "undefined": request.zero_division}
    metrics, level = dict(scores.metrics), request.settings.level
    for (name, _), kernel in zip(
        request.specs, bind_all([m for _, m in request.specs], corrected, **options), strict=True
    ):
        try:
            slope = rows.influences([kernel])[0].reshape(cells.shape)
        except NoGradientError:
            continue
        in_cells, in_rates = inverse.T @ slope, -cells @ slope.T @ inverse
        variance = _variance(observed, in_cells).sum() / table.n
        variance += (np.array([*map(_variance, rates, in_rates)]) / sizes).sum()
        score, se, z = metrics[name], np.sqrt(variance), critical_value(level)
        scale = interval_scale("score", kernel)
        low, high = interval_around(np.asarray(score.value), se, z, kernel, scale)
        ends: Any = {"se": float(se), "low": low.item(), "high": high.item(), "level": level}
        method = Method("inverted", "effective" if kernel.record.bounded else None)
        metrics[name] = replace(score, **ends, method=method)
    return replace(scores, metrics=metrics).noted(JudgeRates(int(judge.n)))


def _variance(shares: Floats, values: Floats) -> Any:
    """The variance of values that are drawn with these shares."""
    return (shares * (values - (shares * values).sum()) ** 2).sum()

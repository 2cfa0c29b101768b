"""report: data of one system or several as a report to publish."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from evenhand.catalogue.naming import AnyMetric, Metrics, several
from evenhand.catalogue.policy import Undefined
from evenhand.count.forms import one_of
from evenhand.count.given import Given, system_of, systems_of
from evenhand.count.several import of_several
from evenhand.ranking.rank import rank
from evenhand.scoring.score import score
from evenhand.show.report.document import Report
from evenhand.show.report.of_board import report_of_board
from evenhand.show.report.of_scores import report_of_scores
from evenhand.tables.confusion import Classes
from evenhand.tables.labels import rule_or_list


def report(
    *data: Any,
    title: str | None = None,
    by_metric: AnyMetric = "macro_f1",
    metrics: Metrics | None = None,
    classes: Classes = "task",
    undefined: Undefined = 0,
    distance: Any = None,
    level: float = 0.95,
    replicates: int = 2000,
    seed: int = 0,
    y_true: Any = None,
    y_pred: Any = None,
    true: str | None = None,
    pred: str | Sequence[str] | None = None,
    labels: Iterable[Any] | None = None,
    weights: Any = None,
    cluster: Any = None,
    by: Any = None,
    drop_null_truth: bool = False,
) -> Report:
    """A report on one system, or on several that are ranked by ``by_metric``.

    Takes whatever ``score`` takes (one system), or ``rank`` (several). The result has
    ``to_html``, ``to_markdown`` and ``save``; ``by`` adds slices. Pictures need
    ``pip install 'evenhand[plot]'``.

    >>> made = report(list("aabbab"), list("aabbbb"), metrics="macro_f1")
    >>> made.title
    'How good is the system?'
    """
    beside = (labels, weights, cluster, by, drop_null_truth)
    given = Given("report", data, y_true, y_pred, true, pred, *beside)
    rule = rule_or_list(classes)
    how: dict[str, Any] = {"classes": rule, "undefined": undefined}
    far: dict[str, Any] = {"distance": distance}
    drawn: dict[str, Any] = {"level": level, "replicates": replicates, "seed": seed}
    if not of_several(given):
        found = one_of("report", system_of(given))
        scores = score(found, metrics=metrics, **how, **drawn, **far)
        table = found.tables()[0] if found.systems else found
        name = title or "How good is the system?"
        return report_of_scores(scores, table, found, title=name, **how)
    whole = systems_of(given)
    wanted = [by_metric, *several(metrics, list, or_none=True)]
    asked = None if metrics is None else wanted
    board = rank(whole, by_metric=by_metric, metrics=asked, **how, **drawn, **far)
    same: dict[str, Any] = {"metrics": wanted, "seed": seed, **how, **far}
    return report_of_board(board, whole.tables(), whole, title=title, **same)

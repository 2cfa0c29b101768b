"""report: data of one system or several as a report to publish."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from evenhand.catalogue.binding import AnyMetric, Metrics, name_of, several
from evenhand.catalogue.policy import Undefined
from evenhand.count.forms import one_of
from evenhand.count.given import Given, by_column, system_of, systems_of
from evenhand.ranking.rank import rank
from evenhand.scoring.score import score
from evenhand.show.report.of_board import report_of_board
from evenhand.show.report.of_scores import report_of_scores
from evenhand.show.report.result import Report
from evenhand.tables.confusion import Classes, Confusion
from evenhand.tables.labels import rule_or_list
from evenhand.tables.sample import Sample, Systems


def report(
    *data: Any,
    title: str | None = None,
    by_metric: AnyMetric = "macro_f1",
    metrics: Metrics | None = None,
    classes: Classes = "task",
    undefined: Undefined = 0,
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
    drawn: dict[str, Any] = {"level": level, "replicates": replicates, "seed": seed}
    if not _several(given):
        found = one_of("report", system_of(given))
        scores = score(found, metrics=metrics, **how, **drawn)
        table = found.tables()
        if isinstance(found, Systems) and isinstance(table, Confusion):
            table = table[0]
        return report_of_scores(scores, table, title=title or "How good is the system?", **how)
    whole = systems_of(given)
    wanted = None if metrics is None else [by_metric, *several(metrics, list)]
    board = rank(whole, by_metric=by_metric, metrics=wanted, **how, **drawn)
    return report_of_board(
        board,
        whole.tables(),
        whole if isinstance(whole, Sample) else None,
        title=title or f"{len(board.systems)} systems by {name_of(by_metric)}",
        seed=seed,
        **how,
    )


def _several(given: Given) -> bool:
    """Whether the data are of more than one system."""
    if given.of_frame:
        one = isinstance(given.pred, str) or not hasattr(given.pred, "__len__")
        return not one and len(given.pred or ()) > 1
    data = given.positional
    if len(data) == 2 and isinstance(data[1], Mapping):
        return len(data[1]) > 1
    if len(data) != 1:
        return len(data) > 2 or (len(data) == 2 and by_column(*data))
    (whole,) = data
    if isinstance(whole, Systems):
        return len(whole.systems) > 1
    return isinstance(whole, Mapping) or (isinstance(whole, Confusion) and bool(whole.shape))

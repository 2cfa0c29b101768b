"""Answers: each verb of the library, asked by a request's fields."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, TypeAlias

from evenhand.auditing.documents import audits, single
from evenhand.auditing.which import which
from evenhand.catalogue.lists import metrics, search
from evenhand.comparing.compare import compare
from evenhand.errors import InputError
from evenhand.properties.examples import find
from evenhand.ranking.rank import rank
from evenhand.results.catalogue import Catalogue
from evenhand.results.result import Result
from evenhand.results.write import text
from evenhand.scoring.score import score
from evenhand.scoring.twins import twins
from evenhand.shift.extrapolating import extrapolate
from evenhand.shift.sweeping import sweep
from evenhand.tables.confusion import Confusion
from evenhand.tables.sample import Sample
from evenhand.web import asked
from evenhand.web.playing import play
from evenhand.web.settings import Settings


class FieldError(InputError):
    """A field that cannot be taken as it is."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


def score_of(body: asked.Score, most: Settings) -> Result:
    """What ``evenhand score`` says."""
    data: Confusion | Sample
    if body.cluster is None:
        data = table_of(body, most)
    elif body.matrix is not None:
        raise FieldError("cluster", "a cluster is of items: give true and pred, not a matrix")
    else:
        true, pred = _both(body, most)
        data = _panel(true, {"system": pred}, body, most)
    return score(data, interval=body.interval, **_how(body, most))


def played(body: asked.Play, most: Settings) -> Result:
    """What the page shows of a table that is being changed."""
    other = start = None
    if body.other is not None:
        other = _matrix(body.other, "other", body.labels, most, body.rows)
    if body.start is not None:
        start = _matrix(body.start, "start", None, most, body.rows)
    kept = ("classes", "undefined", "level", "metrics")
    how = {k: v for k, v in _how(body, most).items() if k in kept}
    return play(table_of(body, most), other, body.mix, start=start, **how)


def found(body: asked.Find, most: Settings) -> Result:
    """Tables that show what two metrics make of the same errors."""
    return find(body.goal, body.one, body.two, k=body.k, n=body.n, seed=body.seed)


def twins_of(body: asked.Twins, most: Settings) -> Result:
    """What ``evenhand twins`` says."""
    return twins(table_of(body, most), classes=body.classes, undefined=body.undefined)


def calibrated(body: asked.Calibrate, most: Settings) -> Result:
    """What ``evenhand calibrate`` says."""
    return extrapolate(table_of(body, most), to=body.to, interval=body.interval, **_how(body, most))


def swept(body: asked.Sweep, most: Settings) -> Result:
    """What ``evenhand shift --sweep`` says."""
    other = None
    if body.against is not None:
        other = _matrix(body.against, "against", body.labels, most, body.rows)
    how = {k: v for k, v in _how(body, most).items() if k not in ("replicates", "seed")}
    return sweep(
        table_of(body, most),
        label=body.label,
        at=body.at,
        against=other,
        interval=body.interval,
        **how,
    )


def compared(body: asked.Compare, most: Settings) -> Result:
    """What ``evenhand compare`` says."""
    return compare(_sample(body, most), tests=body.tests, margin=body.margin, **_how(body, most))


def ranked(body: asked.Rank, most: Settings) -> Result:
    """What ``evenhand rank`` says."""
    return rank(_sample(body, most), by_metric=body.metric, **_how(body, most))


def audited(body: asked.Audit, most: Settings) -> Result:
    """What ``evenhand audit`` says; the text is a document, never the name of one."""
    return single(
        audits(
            body.text + "\n",
            support=body.support,
            meanings=body.map,
            columns=body.columns,
            runs=body.runs,
            abstentions=body.abstentions,
            complete=not body.more_classes,
            rerank=body.rerank,
        )
    )


def which_of(body: asked.Which, most: Settings) -> Result:
    """What ``evenhand which`` says."""
    return which(body.precision, body.recall, body.f1, runs=body.runs)


def catalogue(names: list[str]) -> Result:
    """What ``evenhand metrics`` says."""
    return Catalogue(tuple(search(names) if names else metrics().values()))


Form: TypeAlias = Literal["json", "csv", "markdown", "latex", "html"]
MEDIA: dict[str, str] = {
    "json": "application/json",
    "csv": "text/csv",
    "markdown": "text/markdown",
    "latex": "text/x-tex",
    "html": "text/html",
}


def written(result: Result, form: str) -> str:
    """A result as the command line would print it with ``--format``."""
    return result.to_json() if form == "json" else text(result.content(), form)


VERBS: dict[str, tuple[type[asked.Body], Callable[[Any, Settings], Result]]] = {
    "score": (asked.Score, score_of),
    "play": (asked.Play, played),
    "find": (asked.Find, found),
    "twins": (asked.Twins, twins_of),
    "calibrate": (asked.Calibrate, calibrated),
    "sweep": (asked.Sweep, swept),
    "compare": (asked.Compare, compared),
    "rank": (asked.Rank, ranked),
    "audit": (asked.Audit, audited),
    "which": (asked.Which, which_of),
}
"""Each verb: what it is asked with, and what answers."""


def is_quick(verb: str, body: Any) -> bool:
    """Whether the answer takes no longer than starting a process for it would."""
    if verb in ("which", "find"):
        return True
    if verb not in ("score", "play", "twins", "calibrate", "sweep"):
        return False
    if getattr(body, "interval", None) in ("bootstrap", "bca"):
        return False
    return len(body.matrix or ()) <= 100 and len(body.true or ()) <= 100_000


def _how(body: asked.Rules, most: Settings) -> dict[str, Any]:
    at_most("replicates", body.replicates, most.replicates)
    return body.how()


def table_of(body: asked.One, most: Settings) -> Confusion:
    """The table that is given, or counted from labels."""
    if body.matrix is not None:
        if body.true is not None or body.pred is not None or body.weights is not None:
            raise FieldError("matrix", "give a matrix, or true and pred (with weights), not both")
        return _matrix(body.matrix, "matrix", body.labels, most, body.rows)
    true, pred = _both(body, most)
    table = Confusion.from_labels(true, pred, labels=body.labels, weights=body.weights)
    at_most("labels", table.k, most.classes)
    return table


def _matrix(
    cells: list[list[float]], field: str, labels: list[Any] | None, most: Settings, rows: Any
) -> Confusion:
    at_most(field, len(cells), most.classes)
    for i, row in enumerate(cells):
        if len(row) != len(cells):
            raise FieldError(
                f"{field}.{i}",
                f"a row must have {len(cells)} counts, as there are rows, got {len(row)}",
            )
    return Confusion.from_matrix(cells, labels=labels, rows=rows)


def _both(body: asked.One, most: Settings) -> tuple[list[Any], list[Any]]:
    for field, given in (("true", body.true), ("pred", body.pred)):
        if given is None:
            raise FieldError(field, f"expected matrix, or true and pred, got no {field}")
        at_most(field, len(given), most.items)
    return body.true or [], body.pred or []


def _sample(body: asked.Several, most: Settings) -> Sample:
    at_most("systems", len(body.systems), most.systems)
    at_most("true", len(body.true), most.items)
    return _panel(body.true, body.systems, body, most)


def _panel(true: Any, systems: Any, body: asked.Score | asked.Several, most: Settings) -> Sample:
    sample = Sample.from_labels(
        true, systems, labels=body.labels, weights=body.weights, cluster=body.cluster
    )
    at_most("labels", sample.k, most.classes)
    return sample


def at_most(field: str, many: int, most: int) -> None:
    """Refuse more than a server takes."""
    if many > most:
        raise FieldError(field, f"at most {most:,} are taken here, got {many:,}")

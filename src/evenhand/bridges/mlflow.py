"""Logging to MLflow: scores, intervals, signatures, the table and the report."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from evenhand.bridges.tensors import tool
from evenhand.catalogue.lists import AnyMetric, Metrics, as_spec, name_of
from evenhand.catalogue.spelling import Spec
from evenhand.data.arguments import VerbArguments, table_of
from evenhand.errors import InputError, MetricError
from evenhand.reporting.report import report
from evenhand.scoring.score import score
from evenhand.scoring.scores import Scores

FORBIDDEN = re.compile(r"[^\w\-./ ]", re.ASCII)
"""What the name of a metric must not have there."""


def key(name: str) -> str:
    """A metric's spelling as MLflow can call it.

    >>> key("macro_f1@uniform"), key("macro_fbeta:beta=2")
    ('macro_f1_at_uniform', 'macro_fbeta_beta_2')
    """
    return FORBIDDEN.sub("_", name.replace("@", "_at_"))


def log(
    *data: Any,
    metrics: Metrics | None = None,
    title: str | None = None,
    prefix: str = "",
    step: int | None = None,
    run_id: str | None = None,
    folder: str = "evenhand",
    **options: Any,
) -> Scores:
    """Score one system and log all of it to the active run, or to the run of ``run_id``.

    Metrics are logged by name, with ``_low`` and ``_high`` where the interval has them; the
    signatures as tags; and under ``folder`` ``scores.json`` (all that ``eh.score`` says),
    ``table.json`` (which ``eh.Confusion.load`` reads), ``confusion.txt`` and ``report.html``.
    ``prefix`` stands before the names, as ``"test_"``. Other options are those that ``eh.score``
    and ``eh.report`` share, as ``classes``, ``labels`` or ``level``. The scores are given back.
    """
    mlflow = tool("mlflow", "log", "mlflow")
    scores = score(*data, metrics=metrics, **options)
    if scores.slices:
        raise InputError("log takes one system, got a stack of tables")
    page = report(*data, metrics=metrics, title=title, **options)
    labels, weights = options.get("labels"), options.get("weights")
    table: Any = table_of(VerbArguments("log", data, labels=labels, weights=weights))
    numbers, signatures = _numbers(scores, prefix)
    mlflow.log_metrics(numbers, step=step, run_id=run_id)
    with tempfile.TemporaryDirectory() as place:
        home = Path(place)
        scores.save(home / "scores.json")
        page.save(home / "report.html")
        (home / "confusion.txt").write_text(f"{table!r}\n", encoding="utf-8")
        if table.task == "single":
            table.save(str(home / "table.json"))
        mlflow.log_artifacts(place, artifact_path=folder, run_id=run_id)
    tags = {"evenhand.signature": str(scores.signature), **signatures}
    if run_id is None:
        mlflow.set_tags(tags)
    else:
        client = mlflow.MlflowClient()
        for name, value in tags.items():
            client.set_tag(run_id, name, value)
    return scores


def _numbers(scores: Scores, prefix: str) -> tuple[dict[str, float], dict[str, str]]:
    """What is logged by name, and the signature of each metric."""
    numbers, signatures = dict[str, float](), dict[str, str]()
    for name, s in scores.metrics.items():
        own = prefix + key(name)
        if own in numbers:
            raise InputError(f"two metrics would be logged as {own!r}")
        ends = (("", s.value), ("_low", s.low), ("_high", s.high))
        numbers |= {own + end: float(v) for end, v in ends if v is not None}
        signatures[f"evenhand.signature.{own}"] = str(s.signature)
    return numbers, signatures


def metric_function(metric: AnyMetric, **options: Any) -> Callable[..., Any]:
    """The ``eval_fn`` of ``mlflow.models.make_metric``: the value, and the ends of its interval.

    Options are those of ``eh.score``.
    """
    name = key(name_of(metric))

    def eval_fn(predictions: Any, targets: Any) -> Any:
        """The score of the predictions, as MLflow calls it."""
        values = tool("mlflow.metrics", "metric", "mlflow").MetricValue
        (s,) = score(list(targets), list(predictions), metrics=metric, **options).values()
        ends = {name: s.value, "low": s.low, "high": s.high}
        return values(aggregate_results={k: v for k, v in ends.items() if v is not None})

    eval_fn.__name__ = name
    return eval_fn


def metric(metric: AnyMetric, **options: Any) -> Any:
    """A metric for ``mlflow.models.evaluate(extra_metrics=[…])``, of any spelling.

    It is logged by its name, the ends of its interval as ``NAME/low`` and ``NAME/high``. Options
    are those of ``eh.score``.
    """
    models = tool("mlflow.models", "metric", "mlflow")
    spec = as_spec(metric)
    better = spec.metric.better if isinstance(spec, Spec) else "higher"
    if better == "neither":
        raise MetricError(f"{spec} cannot be compared: neither high nor low is better")
    return models.make_metric(
        eval_fn=metric_function(spec, **options),
        greater_is_better=better == "higher",
        name=key(name_of(spec)),
        long_name=name_of(spec),
        metric_details=spec.metric.summary if isinstance(spec, Spec) else None,
    )

"""Records: scores as Every Eval Ever keeps them, a JSON file for each system."""

from __future__ import annotations

import hashlib
import math
import time
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from os import PathLike
from pathlib import Path
from typing import Any, Literal, get_args

from evenhand._version import __version__
from evenhand.bridges.leaderboards.systems import as_part, save, scores_by_system
from evenhand.catalogue.spelling import written
from evenhand.catalogue.titles import described
from evenhand.core.registry import Metric
from evenhand.errors import InputError, shown
from evenhand.results.json import dumps
from evenhand.results.reported import ALONE, Reported
from evenhand.results.result import Result
from evenhand.tables.labels import key_text

SCHEMA = "0.3.0"
"""The version of Every Eval Ever's schema that records are made by."""

Relationship = Literal["first_party", "third_party", "collaborative", "other"]


@dataclass(frozen=True)
class Data:
    """The test items: a name, and where they are to be had: on the hub, or at addresses."""

    name: str
    hub: str | None = None
    split: str | None = None
    url: tuple[str, ...] = ()

    def source(self) -> dict[str, Any]:
        """As Every Eval Ever has it."""
        if self.hub:
            split = {"hf_split": self.split} if self.split else {}
            return {"source_type": "hf_dataset", "hf_repo": self.hub, **split}
        if self.url:
            return {"source_type": "url", "url": list(self.url)}
        return {"source_type": "other"}


def every_eval_ever(
    result: Result,
    *,
    dataset: str,
    organization: str,
    model: str | Mapping[str, str] | None = None,
    hub: str | None = None,
    split: str | None = None,
    url: str | tuple[str, ...] = (),
    relationship: Relationship = "other",
    system: str = ALONE,
    evaluated: datetime | None = None,
) -> dict[str, dict[str, Any]]:
    """A record of Every Eval Ever 0.3 for each system of a result.

    ``dataset`` names the test items, ``hub`` (with ``split``) or ``url`` say where they are;
    ``organization`` says who publishes the scores, ``relationship`` who they are to the makers of
    the model. ``model`` is the model's id, such as ``maker/name``, or one for each system; without
    it a system's name is its id, and ``system`` the name of a lone one. ``evaluated`` is when it
    was scored, now unless told, and part of the record's id. A metric without a value is left
    out, with a warning.

    >>> import evenhand as eh
    >>> scores = eh.score([[6, 1], [1, 5]], metrics="macro_f1")
    >>> found = every_eval_ever(scores, dataset="toy", organization="us", model="us/m")["system"]
    >>> one = found["evaluation_results"][0]
    >>> one["metric_config"]["metric_id"], round(one["score_details"]["score"], 4)
    ('macro_f1', 0.8452)
    """
    if relationship not in get_args(Relationship):
        known = shown(get_args(Relationship))
        raise InputError(f"relationship must be one of {known}, got {relationship!r}")
    data = Data(dataset, hub, split, (url,) if isinstance(url, str) else tuple(url))
    at = str(int(evaluated.timestamp() if evaluated else time.time()))
    found = {}
    for name, scores in scores_by_system(result, system).items():
        named = _model(model, name)
        found[name] = {
            "schema_version": SCHEMA,
            "evaluation_id": f"{dataset}/{named}/{at}",
            "evaluation_timestamp": at,
            "retrieved_timestamp": at,
            "source_metadata": {
                "source_name": "evenhand",
                "source_type": "evaluation_run",
                "source_organization_name": organization,
                "evaluator_relationship": relationship,
            },
            "eval_library": {"name": "evenhand", "version": __version__},
            "model_info": {
                "name": name,
                "id": named,
                **({"developer": named.partition("/")[0]} if "/" in named else {}),
                "additional_details": {
                    "deployment_type": "unknown",
                    "model_availability": "unknown",
                },
            },
            "evaluation_results": [_result(r, data) for r in scores],
        }
    return found


def _result(r: Reported, data: Data) -> dict[str, Any]:
    where = "" if r.key is None else f"[{key_text(r.key)}]"
    parts = {} if r.key is None else {"slice": key_text(r.key)}
    details = {**parts, **({"note": r.said} if r.said else {})}
    return {
        "evaluation_result_id": f"{data.name}{where}/{r.metric}",
        "evaluation_name": f"{data.name}{where}",
        "source_data": {"dataset_name": data.name, **data.source()},
        "metric_config": _metric(r),
        "score_details": {
            "score": r.sure.value,
            **({"details": details} if details else {}),
            "uncertainty": _uncertainty(r),
        },
    }


def _metric(r: Reported) -> dict[str, Any]:
    title, summary = described(r.metric)
    parameters: dict[str, Any] = {"signature": str(r.signature)}
    found: dict[str, Any] = {"metric_id": r.metric, "metric_name": title}
    if r.spec is None:
        return {**found, "metric_parameters": parameters, "lower_is_better": False}
    record = r.spec.metric
    parameters |= dict(r.spec.parameters)
    if r.spec.label is not None:
        parameters["label"] = r.spec.label
    if r.spec.prevalence is not None:
        mix = ",".join(f"{k}={written(v)}" for k, v in r.spec.prevalence)
        parameters["prevalence"] = mix or "uniform"
    return {
        **found,
        "evaluation_description": summary,
        "metric_kind": record.name,
        "metric_unit": _unit(record),
        "metric_parameters": parameters,
        "lower_is_better": record.better == "lower",
        "score_type": "continuous",
        "min_score": _end(record.low),
        "max_score": _end(record.high),
    }


def _unit(record: Metric) -> str:
    if not record.bounded:
        return "points"
    return "proportion" if (record.low, record.high) == (0, 1) else "coefficient"


def _end(x: float) -> float | str:
    return x if math.isfinite(x) else ("Infinity" if x > 0 else "-Infinity")


def _uncertainty(r: Reported) -> dict[str, Any]:
    sure, found = r.sure, dict[str, Any]()
    method = {} if sure.method is None else {"method": str(sure.method)}
    if sure.se is not None:
        found["standard_error"] = {"value": sure.se, **method}
    if sure.low is not None and sure.high is not None:
        level = {} if r.level is None else {"confidence_level": r.level}
        found["confidence_interval"] = {"lower": sure.low, "upper": sure.high, **level, **method}
    return {**found, "num_samples": r.n}


def _model(model: str | Mapping[str, str] | None, system: str) -> str:
    if isinstance(model, Mapping):
        if system not in model:
            raise InputError(f"model must name every system, got none for {shown([system])}")
        return model[system]
    return model or system


def save_every_eval_ever(records: Mapping[str, Any], folder: str | PathLike[str]) -> list[Path]:
    """Write records where a datastore has them: ``data/DATASET/MAKER/MODEL/UUID.json``.

    A record's file follows from its id, so that writing it again takes the old one's place.
    """
    paths = []
    for record in records.values():
        maker, _, name = str(record["model_info"]["id"]).rpartition("/")
        first = record["evaluation_results"][0]["source_data"]["dataset_name"]
        digest = hashlib.sha256(record["evaluation_id"].encode()).digest()[:16]
        file = f"{uuid.UUID(bytes=digest, version=4)}.json"
        parts = map(as_part, (first, maker or "unknown", name))
        paths.append(save(dumps(record), Path(folder, "data", *parts, file)))
    return paths

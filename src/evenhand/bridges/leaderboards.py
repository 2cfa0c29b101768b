"""Scores as records for other leaderboards: Every Eval Ever."""

from __future__ import annotations

import hashlib
import math
import re
import time
import uuid
from collections.abc import Mapping
from datetime import datetime
from os import PathLike
from pathlib import Path
from typing import Any, Literal, get_args

from evenhand._version import __version__
from evenhand.catalogue.spelling import described, written
from evenhand.errors import InputError, shown, warn
from evenhand.options import choice
from evenhand.results.result import ALONE, ReportedResult, Result, dumps, whole_text
from evenhand.text import key_text


def scores_by_system(result: Result, alone: str) -> dict[str, list[ReportedResult]]:
    """The scores that have a value, of each system that has some."""
    every: dict[str, list[ReportedResult]] = {}
    for r in result.reported():
        every.setdefault(alone if r.system == ALONE else r.system, []).append(r)
    systems = {name: [r for r in own if math.isfinite(r.sure.value)] for name, own in every.items()}
    if not any(systems.values()):
        raise InputError(
            f"{type(result).__name__} holds no scores of a system: export what score, rank, "
            "cross_validated or shift.extrapolate give"
        )
    lost = [r.metric for own in every.values() for r in own if not math.isfinite(r.sure.value)]
    if lost:
        words = f"left out, since a record needs a number: {shown(dict.fromkeys(lost))}"
        empty = [name for name, scores in systems.items() if not scores]
        words += f", and with it all of {shown(empty)}" if empty else ""
        warn(words)
    return {name: scores for name, scores in systems.items() if scores}


# Every Eval Ever: a JSON record for each system.

SCHEMA = "0.3.0"
"""The version of Every Eval Ever's schema that records are made by."""

Relationship = Literal["first_party", "third_party", "collaborative", "other"]


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
    choice(relationship, get_args(Relationship), "relationship")
    source: dict[str, Any] = {"dataset_name": dataset, "source_type": "other"}
    if hub:
        source |= {"source_type": "hf_dataset", "hf_repo": hub, **_known(hf_split=split or None)}
    elif url:
        source |= {"source_type": "url", "url": [url] if isinstance(url, str) else list(url)}
    at = str(int(evaluated.timestamp() if evaluated else time.time()))
    records = {}
    for name, scores in scores_by_system(result, system).items():
        if isinstance(model, Mapping) and name not in model:
            raise InputError(f"model must name every system, got none for {shown([name])}")
        model_id = model[name] if isinstance(model, Mapping) else model or name
        records[name] = {
            "schema_version": SCHEMA,
            "evaluation_id": f"{dataset}/{model_id}/{at}",
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
                "id": model_id,
                **({"developer": model_id.partition("/")[0]} if "/" in model_id else {}),
                "additional_details": dict.fromkeys(
                    ("deployment_type", "model_availability"), "unknown"
                ),
            },
            "evaluation_results": [_result(r, source) for r in scores],
        }
    return records


def _result(r: ReportedResult, source: dict[str, Any]) -> dict[str, Any]:
    part = None if r.key is None else key_text(r.key)
    name = source["dataset_name"] + ("" if part is None else f"[{part}]")
    details = _known(slice=part, note=r.note or None)
    return {
        "evaluation_result_id": f"{name}/{r.metric}",
        "evaluation_name": name,
        "source_data": source,
        "metric_config": _metric(r),
        "score_details": {
            "score": r.sure.value,
            **_known(details=details or None),
            "uncertainty": _uncertainty(r),
        },
    }


def _known(**fields: Any) -> dict[str, Any]:
    """The fields that are known."""
    return {name: value for name, value in fields.items() if value is not None}


def _metric(r: ReportedResult) -> dict[str, Any]:
    title, summary = described(r.metric)
    config: dict[str, Any] = {"metric_id": r.metric, "metric_name": title}
    signature, spec = {"signature": str(r.signature)}, r.spec
    if spec is None:
        return {**config, "metric_parameters": signature, "lower_is_better": False}
    record, mix = spec.metric, None
    if spec.prevalence is not None:
        mix = ",".join(f"{k}={written(v)}" for k, v in spec.prevalence) or "uniform"
    unit = "proportion" if (record.low, record.high) == (0, 1) else "coefficient"
    low, high = ("Infinity" if x == math.inf else "-Infinity" if x == -math.inf else x
                 for x in (record.low, record.high))  # fmt: skip
    return {
        **config,
        "evaluation_description": summary,
        "metric_kind": record.name,
        "metric_unit": unit if record.bounded else "points",
        "metric_parameters": {
            **signature,
            **dict(spec.parameters),
            **_known(label=spec.label, prevalence=mix),
        },
        "lower_is_better": record.better == "lower",
        "score_type": "continuous",
        "min_score": low,
        "max_score": high,
    }


def _uncertainty(r: ReportedResult) -> dict[str, Any]:
    sure, parts = r.sure, dict[str, Any]()
    method = _known(method=None if sure.method is None else str(sure.method))
    if sure.se is not None:
        parts["standard_error"] = {"value": sure.se, **method}
    if sure.low is not None and sure.high is not None:
        ends = {"lower": sure.low, "upper": sure.high}
        parts["confidence_interval"] = {**ends, **_known(confidence_level=r.level), **method}
    return {**parts, "num_samples": r.n}


def save_every_eval_ever(records: Mapping[str, Any], folder: str | PathLike[str]) -> list[Path]:
    """Write records where a datastore has them: ``data/DATASET/MAKER/MODEL/UUID.json``.

    A record's file follows from its id, so that writing it again takes the old one's place.
    """
    paths = []
    for record in records.values():
        maker, _, name = str(record["model_info"]["id"]).rpartition("/")
        dataset = record["evaluation_results"][0]["source_data"]["dataset_name"]
        digest = hashlib.sha256(record["evaluation_id"].encode()).digest()[:16]
        file = f"{uuid.UUID(bytes=digest, version=4)}.json"
        names = (dataset, maker or "unknown", name)
        # names that any system takes, none of them that of the folder of records
        parts = [re.sub(r'[<>:"/\\|?*\x00-\x1f\x7f]', "_", x).rstrip(". ") or "_" for x in names]
        path = Path(folder, "data", *("data_" if x == "data" else x for x in parts), file)
        path.parent.mkdir(parents=True, exist_ok=True)
        whole_text(dumps(record), path)
        paths.append(path)
    return paths

"""JSON Schemas of every command's output, learnt from outputs of every kind: docs/schemas/*.json.

What is a key and what is a name (of a metric, a label, a system) cannot be told by looking, so
``NAMED`` lists the objects whose keys are names. Numbers may be ``null`` where they are
undefined, and ``"inf"`` or ``"-inf"``; whatever is not in the schema of an object is not in it.
What a key means stands in docs/json.md, from whose tables the descriptions are taken.
"""

from __future__ import annotations

import json
import re
from contextlib import chdir
from pathlib import Path
from typing import Any

from click.testing import CliRunner
from executed import words
from map import world

from evenhand.cli import group

DOCS = Path(__file__).parent
DRAFT = "https://json-schema.org/draft/2020-12/schema"
NUMBER = {"anyOf": [{"type": ["number", "null"]}, {"enum": ["inf", "-inf"]}]}
FEW = "--metric macro_f1 --metric accuracy"
SOFT = "x.csv --true gold --probabilities p_"
AREAS = "answers.csv answers.csv y.csv --true gold --probabilities p_ --by-row --weights weight"
COLUMNS = "answers.csv --true gold"
ALL = "all.csv --true human --judge judge --pred system"

OUTPUTS = {
    "score": [
        f"score gold.txt pred.txt {FEW}",
        "score gold.txt pred.txt --interval none",
        f"score {COLUMNS} --pred system --by language --cluster document {FEW}",
        f"score {COLUMNS} --pred system --weights weight {FEW}",
        f"score {COLUMNS} --pred system --weights weight --positive spam {FEW}",
        f"score {SOFT} {FEW} --metric expected_macro_f1",
        "score --matrix '3 0; 0 1' --metric bookmaker_odds:label=a --labels a,b",
        "score gold.txt stray.txt",
        f"score samples.csv --true gold --pred answer --sample sample --id id {FEW}",
        f"score {ALL} {FEW}",
    ],
    "score-thresholds": [
        f"score {SOFT} --thresholds spam --metric f1:label=spam",
        f"score {SOFT} --thresholds ham {FEW}",
        f"score few.csv --true gold --probabilities p_ --thresholds ham {FEW}",
    ],
    "twins": [
        "twins gold.txt pred.txt",
        f"twins {COLUMNS} --pred system --by language",
        "twins many.txt guessed.txt",
    ],
    "compare": [
        f"compare gold.txt a.txt b.txt --margin 0.01 --tests all {FEW}",
        f"compare {COLUMNS} --pred a --pred b --pred old --baseline old --by language {FEW}",
        f"compare gold.txt a.txt copy.txt {FEW}",
        f"compare gold.txt new.txt a.txt --margin 0.1 {FEW}",
        f"compare gold.txt pred.txt a.txt {FEW}",
        "compare a-graded.csv part-graded.csv --score correct --id question",
        f"compare {ALL} --pred other {FEW}",
        f"compare {AREAS} --metric roc_auc",
    ],
    "rank": [
        f"rank gold.txt systems/alpha.txt systems/beta.txt pred.txt {FEW} --metric f1_of_averages",
        f"rank {COLUMNS} --pred a --pred b --by language {FEW}",
        f"rank gold.txt pred.txt broken.txt a.txt --keep-going {FEW}",
        f"rank --tables one.json two.json {FEW}",
        f"rank gold.txt a.txt copy.txt stray.txt {FEW}",
        f"rank gold.txt eager.txt cautious.txt a.txt {FEW} --metric macro_recall",
        f"rank {COLUMNS} --pred eager --pred cautious --pred b --by language {FEW}",
        f"rank long.csv --true gold --pred answer --system system --id id --run run {FEW}",
        "rank a-graded.csv part-graded.csv --score correct --id question",
        f"rank {ALL} --pred other {FEW}",
        f"rank {AREAS} --by-metric roc_auc",
    ],
    "gate": [
        "gate gold.txt old.txt new.txt --margin 0.01",
        f"gate {COLUMNS} --pred old --pred new --margin 0.02 --by language --cluster user",
        "gate gold.txt new.txt old.txt --margin 0.01 --test equivalent",
        f"gate {ALL} --pred other --margin 0.1",
    ],
    "plan": [
        f"plan gold.txt pilot.txt --width 0.05 {FEW}",
        "plan gold.txt old.txt new.txt --difference 0.02 --power 0.9",
        "plan gold.txt old.txt new.txt --margin 0.01",
        "plan many.txt guessed.txt --width 0.1",
        "plan --recalls spam=0.8,ham=0.95 --mix spam=0.05,ham=0.95 --width 0.05",
        f"plan {COLUMNS} --pred pilot --cluster document --width 0.1",
    ],
    "plan-judge": [
        f"plan {ALL} --width 0.15 --metric accuracy --metric mcc",
        f"plan {ALL} --pred other --difference 0.1 --metric accuracy",
    ],
    "score-groups": [
        f"score {COLUMNS} --pred system --by language --groups {FEW} --metric kappa",
        f"score {COLUMNS} --pred system --by language --groups --cluster document {FEW}",
    ],
    "calibrate": [f"calibrate gold.txt pred.txt {FEW}", "calibrate gold.txt pred.txt"],
    "shift": [
        f"shift gold.txt pred.txt --to spam=0.01,ham=0.99 {FEW}",
        f"shift gold.txt pred.txt --to spam=0.01,ham=0.99 --interval none {FEW}",
    ],
    "shift-sweep": [
        f"shift gold.txt pred.txt --sweep spam {FEW}",
        f"shift gold.txt eager.txt --sweep spam --against cautious.txt {FEW}",
        f"shift gold.txt pred.txt --sweep spam --against new.txt --interval none {FEW}",
    ],
    "shift-unlabelled": [
        f"shift gold.txt pred.txt --unlabelled live.txt {FEW}",
        f"shift many.txt guessed.txt --unlabelled guessed.txt {FEW}",
        f"shift {SOFT} --decide argmax --unlabelled live.txt {FEW}",
    ],
    "shift-alert": [
        f"shift gold.txt pred.txt --unlabelled live.txt --alert 0.02 {FEW}",
        f"shift many.txt guessed.txt --unlabelled guessed.txt --alert 0.02 {FEW}",
    ],
    "audit": [
        "audit table.csv",
        "audit table.csv --rerank",
        "audit open.csv",
        "audit classes.csv --rerank",
        "audit wrong.csv",
    ],
    "audit-tables": ["audit two.tex", "audit two.tex --rerank"],
    "which": [
        "which --precision 0.725 --recall 0.5667 --f1 0.6042",
        "which --precision 0.725 --recall 0.5667 --f1 0.9",
    ],
    "look": ["look answers.csv", "look gold.txt", "look runs.zip"],
    "signature": ["signature 'm:macro_f1|c:true.3|u:0'"],
    "signature-differences": ["signature 'm:macro_f1|n:28' 'm:macro_f1|n:27'"],
    "properties": [
        "properties accuracy kappa macro_recall",
        "properties mymetrics:macro_jaccard",
        "properties",
    ],
    "papers": ["papers 001", "papers 000-theorem-2", "papers 002"],
    "metrics": ["metrics", "metrics macro_f1", "metrics --per-class"],
    "agree": ["agree ratings.csv --id item", "agree ratings.csv --id item --distance ordinal"],
    "saved-table": [
        "count gold.txt pred.txt --output saved.json",
        f"count {COLUMNS} --pred system --by language --weights weight --output saved.json",
    ],
}
"""Commands whose outputs are of one kind, by its name."""

NAMED = [
    "metrics",
    "scores",
    "ranks",
    "winners",
    "spearman",
    "spearman/*",
    "kendall",
    "kendall/*",
    "majority",
    "uniform",
    "prevalence",
    "p",
    "share",
    "fit",
    "chosen",
    "argmax",
    "curves",
    "leads",
    "failed",
    "fields",
    "differences",
    "c",
    "stability",
    "parameters",
]
"""Objects whose keys are names: of metrics, systems, tests, methods, fields."""
WITHIN = ("slices",)
"""Where documents hold documents of their own kind."""


def closed(properties: dict[str, Any], required: list[str]) -> dict[str, Any]:
    """An object with these keys and no others."""
    return {
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }


INTERVAL = {
    "value": NUMBER,
    "se": NUMBER,
    "low": NUMBER,
    "high": NUMBER,
    "method": {"type": ["string", "null"]},
}
_ALONE = closed(dict.fromkeys(("value", "low", "high"), NUMBER), ["value", "low", "high"])
JUDGED = {"judge": _ALONE, "human": _ALONE, "lambda": NUMBER, "effective_labels": NUMBER}
"""What an interval has besides where a judge corrects it."""
_TEXT, _TEXTS = {"type": "string"}, {"type": "array", "items": {"type": "string"}}
_ROLES = ("true", "id", "system", "run", "sample", "weights", "cluster")
_LISTS = {"pred": _TEXTS, "by": _TEXTS}
_MAYBE = {"type": ["string", "null"]}
_LAYOUT = {
    "format": _TEXT,
    "header": {"type": ["boolean", "null"]},
    "delimiter": _MAYBE,
    "encoding": _MAYBE,
}
READ = {
    "files": _TEXTS,
    "columns": {
        "type": "object",
        "additionalProperties": closed({**dict.fromkeys(_ROLES, _TEXT), **_LISTS}, []),
    },
    "matched_by": _MAYBE,
    "layout": {"type": "object", "additionalProperties": closed(_LAYOUT, list(_LAYOUT))},
}
"""What was read from files: the same in every output."""
LABELS = ("judge", "label", "labels", "key", "keys", "classes", "true", "pred")
"""Values that are labels, of whatever type."""


def learnt(values: list[Any], place: str) -> dict[str, Any]:
    """The schema of values that stand in one place."""
    name = place.rpartition("/")[2]
    if name == "warning_codes":
        code = {"type": "object", "properties": {"code": {"type": "string"}}, "required": ["code"]}
        return {"type": "array", "items": code}
    some = [v for v in values if v is not None]
    kinds = {kind(v) for v in some}
    if name in LABELS and kinds <= {"string", "integer", "number"}:
        return {"type": ["boolean", "null", "number", "string"]}
    parts = [part for k in sorted(kinds) for part in [of_kind(k, some, place)]]
    if {"number", "integer"} & kinds and kinds <= {"number", "integer", "string"}:
        numeric = "number" in kinds or len(some) < len(values) or "string" in kinds
        words = {v for v in some if isinstance(v, str)} - {"inf", "-inf"}
        parts = [NUMBER if numeric else {"type": "integer"}]
        parts += [{"type": "string"}] if words else []
    elif len(some) < len(values):
        parts.append({"type": "null"})
    return parts[0] if len(parts) == 1 else {"anyOf": parts} if parts else {}


def kind(value: Any) -> str:
    """JSON's name for the type of a value."""
    names = {bool: "boolean", int: "integer", float: "number", str: "string", list: "array"}
    return names.get(type(value), "object")


def of_kind(wanted: str, values: list[Any], place: str) -> dict[str, Any]:
    """The schema of those values that are of a kind."""
    found = [v for v in values if kind(v) == wanted]
    if wanted == "array":
        return {"type": "array", "items": learnt([v for one in found for v in one], place)}
    if wanted != "object":
        return {"type": wanted}
    keys = list(dict.fromkeys(key for one in found for key in one))
    if set(INTERVAL) - {"value"} <= set(keys) <= {*INTERVAL, *JUDGED}:
        return {"$ref": f"#/$defs/{'interval' if 'value' in keys else 'bounds'}"}
    if set(keys) == set(READ):
        return {"$ref": "#/$defs/read"}
    name = place.partition("/")[2]
    if any(name == n or name.endswith(f"/{n}") for n in NAMED):
        inner = [v for one in found for v in one.values()]
        return {"type": "object", "additionalProperties": learnt(inner, f"{place}/*")}
    inside = {k: learnt([o[k] for o in found if k in o], f"{place}/{k}") for k in keys}
    always = [key for key in keys if key != "read" and all(key in one for one in found)]
    return closed(inside, always)


def outputs(name: str) -> list[Any]:
    """The documents of a kind, in a folder that has what the commands name."""
    found = []
    for command in OUTPUTS[name]:
        given = [*words(command), *([] if "--output" in command else ["--format", "json"])]
        done = CliRunner().invoke(group, given)
        if done.exit_code not in (0, 1):
            raise ValueError(f"{command}: {done.stderr}")
        saved = Path("saved.json").read_text(encoding="utf-8") if "--output" in command else ""
        found.append(json.loads(saved or done.stdout))
    return found


def described(name: str) -> dict[str, str]:
    """What docs/json.md says of the keys of a kind, in its tables."""
    page = (DOCS / "json.md").read_text(encoding="utf-8")
    heads = {re.sub(r"[^a-z]+", "-", h.lower()): text for h, text in SECTION.findall(page)}
    told = {}
    for keys, text in ROW.findall(heads.get(name, "")):
        told |= {key: text.strip() for key in re.findall(r"`(\w+)`", keys)}
    return told


SECTION = re.compile(r"^## (.*)\n((?:(?!^## ).*\n)*)", re.MULTILINE)
ROW = re.compile(r"^\| ((?:`\w+`(?:, )?)+) \| (.*) \|$", re.MULTILINE)


def schema(name: str, documents: list[Any]) -> dict[str, Any]:
    """The schema of a kind of document; those inside it are of the same kind."""
    nested = {key for d in documents for key in WITHIN if "signature" in str(d.get(key))}
    inner = [part for d in documents for key in nested if key in d for part in listed(d[key])]
    pool = [{k: v for k, v in d.items() if k not in nested} for d in [*documents, *inner]]
    found = learnt(pool, name)
    inside = found["properties"]
    if "schema" in inside:
        inside["schema"] = {"const": 1}
    for key in sorted(nested):
        each = {"$ref": "#/$defs/document"}
        inside[key] = {"type": "array", "items": each}
    files = {"read": closed(READ, list(READ))} if "read" in inside else {}
    for key in ("items", "samples") if files else ():  # with --sample, in every command
        inside.setdefault(key, {"type": "integer"})
    told = described(name)
    for key, text in told.items():
        if key in inside:
            inside[key] = {"description": text, **inside[key]}
    more = JUDGED if any("--judge" in command for command in OUTPUTS[name]) else {}
    bounds = {key: part for key, part in INTERVAL.items() if key != "value"}
    return {
        "$schema": DRAFT,
        "title": f"evenhand {name}",
        "$ref": "#/$defs/document",
        "required": ["schema"] if "schema" in inside else [],
        "$defs": {
            "document": found,
            "interval": closed(INTERVAL | more, list(INTERVAL)),
            "bounds": closed(bounds, list(bounds)),
            **files,
        },
    }


def listed(value: Any) -> list[Any]:
    """A list as it is, anything else as a list of one."""
    return value if isinstance(value, list) else [value]


def schemas() -> dict[str, str]:
    """Every schema by the name of its file."""
    with world() as names, chdir(names["home"]):
        made = {name: schema(name, outputs(name)) for name in OUTPUTS}
    return {
        f"schemas/{name}.json": json.dumps(found, ensure_ascii=False, indent=1) + "\n"
        for name, found in made.items()
    }

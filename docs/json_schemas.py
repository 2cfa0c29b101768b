"""JSON Schemas of every command's output, made from the types of the results: docs/schemas/*.json.

A result names the keys of its JSON in ``json_fields``; what a key holds is the type of that
attribute. What a key means stands in docs/json.md, from whose tables the descriptions are taken.
"""

from __future__ import annotations

import dataclasses
import inspect
import json
import re
from collections.abc import Collection, Iterable, Mapping
from fractions import Fraction
from pathlib import Path
from types import NoneType, UnionType
from typing import (
    Any,
    ClassVar,
    Literal,
    NotRequired,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

from click.testing import CliRunner
from executed import words

import evenhand as eh
from evenhand.catalogue.signature import Signature
from evenhand.cli import group
from evenhand.data.labels import Label
from evenhand.io.saved import SavedTable
from evenhand.records import KEY, Method
from evenhand.results.metric_pages import Catalogue, Differences, Explained
from evenhand.results.result import Result
from evenhand.scoring.samples import ItemSamples
from evenhand.warnings import FilesRead

DOCS = Path(__file__).parent
DRAFT = "https://json-schema.org/draft/2020-12/schema"
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

RESULTS: dict[str, Any] = {
    "score": eh.Scores,
    "score-thresholds": eh.Thresholds,
    "twins": eh.Twins,
    "compare": eh.Comparison,
    "rank": eh.Leaderboard,
    "gate": eh.Gate,
    "plan": eh.Plan,
    "plan-judge": eh.LabelPlan,
    "score-groups": eh.Groups,
    "calibrate": eh.shift.Extrapolation,
    "shift": eh.shift.Extrapolation,
    "shift-sweep": eh.shift.Sweep,
    "shift-unlabelled": eh.shift.PrevalenceEstimate,
    "shift-alert": eh.shift.Drift,
    "audit": eh.Audit,
    "audit-tables": eh.Audits,
    "which": eh.Which,
    "look": eh.Look,
    "signature": Explained,
    "signature-differences": Differences,
    "properties": eh.properties.Profiles,
    "papers": eh.papers.Claims,
    "metrics": Catalogue,
    "agree": eh.Agreement,
    "saved-table": SavedTable,
}
"""The type of each kind of output."""

NUMBER = {"anyOf": [{"type": ["number", "null"]}, {"enum": ["inf", "-inf"]}]}
PLAIN: dict[Any, dict[str, Any]] = {
    Any: {},
    float: NUMBER,
    bool: {"type": "boolean"},
    int: {"type": "integer"},
    str: {"type": "string"},
    Method: {"type": "string"},
    NoneType: {"type": "null"},
    Signature: {"type": "string"},
    Fraction: {"type": "string"},
    Label: {"type": ["boolean", "null", "number", "string"]},
}
"""Types that have no parts. Undefined numbers are ``null``, infinite ones a text."""
READ = ("files", "columns", "matched_by", "layout")
"""What is said of files that were read: the same in every output."""


def closed(properties: dict[str, Any], optional: Iterable[str] = ()) -> dict[str, Any]:
    """An object with these keys and no others."""
    return {
        "type": "object",
        "properties": properties,
        "required": [key for key in properties if key not in optional],
        "additionalProperties": False,
    }


class Schema:
    """The schema of one kind of output; records and typed dictionaries in it have names."""

    def __init__(self) -> None:
        self.definitions: dict[str, Any] = {}

    def of_type(self, kind: Any, keys: str = "") -> dict[str, Any]:
        """What values of a type look like, of a record perhaps some keys alone."""
        if kind in PLAIN:
            return PLAIN[kind]
        origin, inside = get_origin(kind), get_args(kind)
        if origin is Literal:
            return {"enum": list(inside)}
        if origin in (Union, UnionType):
            parts = [self.of_type(part, keys) for part in inside]
            unique = [part for i, part in enumerate(parts) if part not in parts[:i]]
            return {"anyOf": unique} if len(unique) > 1 else unique[0]
        if origin in (ClassVar, NotRequired):
            return self.of_type(inside[0], keys)
        if origin is not None and issubclass(origin, Mapping):
            return {"type": "object", "additionalProperties": self.of_type(inside[1], keys)}
        if origin is not None and issubclass(origin, tuple) and inside[-1] is not ...:
            each = [self.of_type(part, keys) for part in inside]
            return {"type": "array", "prefixItems": each, "items": False}
        if origin is not None and issubclass(origin, Collection):
            return {"type": "array", "items": self.of_type(inside[0], keys)}
        return self.named(kind, keys)

    def named(self, kind: type, keys: str = "") -> dict[str, Any]:
        """A reference to the schema of a record, made when it is first met."""
        name = re.sub(r"\W+", "_", f"{kind.__name__} {keys}".strip())
        if name not in self.definitions:
            self.definitions[name] = {}
            self.definitions[name] = self.of_record(kind, keys)
        return {"$ref": f"#/$defs/{name}"}

    def of_record(self, kind: Any, keys: str = "") -> dict[str, Any]:
        """An object with the keys of a record or of a typed dictionary."""
        if is_typeddict(kind):
            types = get_type_hints(kind, include_extras=True)
            optional = [k for k, t in types.items() if get_origin(t) is NotRequired]
            optional += [] if kind.__total__ else types
            return closed({k: self.of_type(t) for k, t in types.items()}, optional)
        names = keys or kind.json_fields or " ".join(f.name for f in dataclasses.fields(kind))
        properties, optional = dict[str, Any](), list[str]()
        for key, missing, path, inner in KEY.findall(names):
            if key.startswith("*"):
                more = self.of_record(type_of(kind, key[1:]))
                properties |= more["properties"]
                optional += more["properties"]
                continue
            properties[key] = self.of_type(type_of(kind, path or key), inner)
            optional += [key] * bool(missing)
        return closed(properties, optional)

    def of_result(self, kind: Any) -> dict[str, Any]:
        """The object of a result: what is said of every result, too, and its slices."""
        if not issubclass(kind, Result):
            return self.of_record(kind)
        if kind is eh.Audits:
            each = self.of_result(eh.Audit)
            each["properties"]["caption"] = PLAIN[str]
            each["required"].append("caption")
            self.definitions["Audit"] = each
            own = closed({"tables": {"type": "array", "items": {"$ref": "#/$defs/Audit"}}})
        else:
            own = self.of_record(kind)
        files = {key: self.of_type(type_of(FilesRead, key)) for key in READ}
        more = {"schema": {"const": 1}, "read": closed(files)}
        more |= dict.fromkeys(("items", "samples"), PLAIN[int])
        code = {"type": "object", "properties": {"code": PLAIN[str]}, "required": ["code"]}
        more["warnings"] = {"type": "array", "items": PLAIN[str]}
        more["warning_codes"] = {"type": "array", "items": code}
        if any(field.name == "slices" for field in dataclasses.fields(kind)):
            more["key"] = {}
            more["slices"] = {"type": "array", "items": {"$ref": "#/$defs/document"}}
        own["properties"] = more | own["properties"]
        own["required"] += ["warnings", "warning_codes"]
        return own


def type_of(kind: Any, path: str) -> Any:
    """The type of an attribute, a field or a property, or of one inside it."""
    for name in filter(None, path.split(".")):
        optional = get_origin(kind) in (Union, UnionType) and NoneType in get_args(kind)
        owner = next(t for t in get_args(kind) if t is not NoneType) if optional else kind
        value = inspect.getattr_static(owner, name, None)
        getter = getattr(value, "fget", None) or getattr(value, "func", None)
        if getter is not None:
            kind = hints(getter)["return"]
        elif isinstance(value, str) and name not in hints(owner):
            kind = str
        else:
            kind = hints(owner)[name]
        kind = kind | None if optional else kind
    return kind


def hints(owner: Any) -> dict[str, Any]:
    """The types that a class or a function states, also those imported for type checkers alone."""
    return get_type_hints(owner, localns={"ItemSamples": ItemSamples, "Signature": Signature})


def outputs(name: str) -> list[Any]:
    """The documents of a kind, in a folder that has what the commands name."""
    documents = []
    for command in OUTPUTS[name]:
        arguments = [*words(command), *([] if "--output" in command else ["--format", "json"])]
        result = CliRunner().invoke(group, arguments)
        if result.exit_code not in (0, 1):
            raise ValueError(f"{command}: {result.stderr}")
        saved = Path("saved.json").read_text(encoding="utf-8") if "--output" in command else ""
        documents.append(json.loads(saved or result.stdout))
    return documents


def described(name: str) -> dict[str, str]:
    """What docs/json.md says of the keys of a kind, in its tables."""
    page = (DOCS / "json.md").read_text(encoding="utf-8")
    heads = {re.sub(r"[^a-z]+", "-", h.lower()): text for h, text in SECTION.findall(page)}
    meanings = {}
    for keys, text in ROW.findall(heads.get(name, "")):
        meanings |= {key: text.strip() for key in re.findall(r"`(\w+)`", keys)}
    return meanings


SECTION = re.compile(r"^## (.*)\n((?:(?!^## ).*\n)*)", re.MULTILINE)
ROW = re.compile(r"^\| ((?:`\w+`(?:, )?)+) \| (.*) \|$", re.MULTILINE)


def schema_text(name: str) -> str:
    """The schema of a kind of output, as its file has it."""
    schemas = Schema()
    document = schemas.of_result(RESULTS[name])
    for key, text in described(name).items():
        if key in document["properties"]:
            document["properties"][key] = {"description": text, **document["properties"][key]}
    schema = {
        "$schema": DRAFT,
        "title": f"evenhand {name}",
        "$ref": "#/$defs/document",
        "required": ["schema"] if "schema" in document["properties"] else [],
        "$defs": {"document": document, **schemas.definitions},
    }
    return json.dumps(schema, ensure_ascii=False, indent=1) + "\n"

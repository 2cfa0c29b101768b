"""JSON Schemas: every output and every result fits its own, and every key is explained."""

import json
import re
from contextlib import chdir

import jsonschema
import pytest
from click.testing import CliRunner

from evenhand.cli import COMMANDS, group
from tests.golden.__main__ import RECORDED
from tests.pages import DOCS, places, script
from tests.results.samples import FRIENDLY, HOSTILE, every_result

MADE = script("json_schemas")
FILES = sorted((DOCS / "schemas").glob("*.json"))
KINDS = {
    "scores": "score",
    "scores of probabilities": "score",
    "slices": "score",
    "thresholds": "score-thresholds",
    "twins": "twins",
    "twins of slices": "twins",
    "comparison": "compare",
    "comparison of slices": "compare",
    "comparison with a baseline": "compare",
    "gate": "gate",
    "gate of slices": "gate",
    "plan": "plan",
    "plan of labels": "plan-judge",
    "board": "rank",
    "extrapolation": "shift",
    "sweep": "shift-sweep",
    "estimate": "shift-unlabelled",
    "drift": "shift-alert",
    "audit": "audit",
    "audits": "audit-tables",
    "which": "which",
    "profiles": "properties",
    "claims": "papers",
    "look": "look",
    "catalogue": "metrics",
    "explained": "signature",
    "differences": "signature-differences",
}
WITHOUT = {"merge", "report", "serve", "count", "publish"}
"""Commands that print no JSON of ours: count and merge save tables, which have a schema too."""


def validator(name):
    found = json.loads((DOCS / "schemas" / f"{name}.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(found)
    return jsonschema.Draft202012Validator(found)


def test_every_command_has_one():
    commands = {given.split()[0] for outputs in MADE.OUTPUTS.values() for given in outputs}
    assert commands | WITHOUT == set(COMMANDS)
    assert {path.stem for path in FILES} == set(MADE.OUTPUTS)


@pytest.mark.parametrize("name", MADE.OUTPUTS)
def test_what_commands_print_fits(name):
    with places().world() as names, chdir(names["home"]):
        for document in MADE.outputs(name):
            validator(name).validate(document)


DOCUMENT = re.compile(r"^\$ evenhand (\w+).*\n.*\n(schema: .+\n(?:\w+: .+\n)+)", re.MULTILINE)
"""A recorded command whose output is JSON, a line for each key."""


def test_what_was_recorded_fits():
    """Every recorded JSON of a command is of one of the kinds that the command prints."""
    kinds = {command: [] for command in COMMANDS}
    for name, lines in MADE.OUTPUTS.items():
        kinds[lines[0].split()[0]].append(validator(name))
    recorded = 0
    for path in RECORDED.glob("*.txt"):
        for command, lines in DOCUMENT.findall(path.read_text(encoding="utf-8")):
            pairs = (line.partition(": ")[::2] for line in lines.splitlines())
            document = {key: json.loads(value) for key, value in pairs}
            assert any(kind.is_valid(document) for kind in kinds[command]), lines
            recorded += 1
    assert recorded > 90


@pytest.mark.parametrize("labels", [FRIENDLY, HOSTILE], ids=["friendly", "hostile"])
@pytest.mark.parametrize("kind", KINDS)
def test_what_python_returns_fits(kind, labels):
    validator(KINDS[kind]).validate(every_result(tuple(labels))[kind].to_dict())


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("score", lambda d: d["metrics"]["macro_f1"].update(value="high")),
        ("score", lambda d: d.update(more=1)),
        ("score", lambda d: d.pop("schema")),
        ("score", lambda d: d["classes"][0].pop("recall")),
        ("gate", lambda d: d.update(passed="yes")),
        ("rank", lambda d: d["systems"][0].update(rank_low=None, extra=[])),
    ],
)
def test_what_is_otherwise_does_not_fit(name, change):
    with places().world() as names, chdir(names["home"]):
        given = MADE.words(MADE.OUTPUTS[name][0])
        document = json.loads(CliRunner().invoke(group, [*given, "--format", "json"]).stdout)
    check = validator(name)
    check.validate(document)
    change(document)
    assert not check.is_valid(document)


def keys(part):
    """Every key that a schema knows, names of metrics and the like left out."""
    for name, inside in part.get("properties", {}).items():
        yield name
        yield from keys(inside)
    for inside in [*part.get("anyOf", ()), part.get("items"), part.get("additionalProperties")]:
        if isinstance(inside, dict):
            yield from keys(inside)


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_every_key_is_explained(path):
    """In docs/json.md, by its name in code."""
    told = (DOCS / "json.md").read_text(encoding="utf-8")
    known = set(re.findall(r"\w+", " ".join(re.findall(r"`[^`]+`", told))))
    found = json.loads(path.read_text(encoding="utf-8"))
    assert {key for part in found["$defs"].values() for key in keys(part)} - known == set()


def test_every_key_that_is_explained_exists():
    """In the tables of docs/json.md."""
    for name in MADE.OUTPUTS:
        found = json.loads((DOCS / "schemas" / f"{name}.json").read_text(encoding="utf-8"))
        inside = {key for part in found["$defs"].values() for key in keys(part)}
        assert set(MADE.described(name)) <= inside, name

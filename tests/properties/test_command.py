"""properties: five formats, and what a user sees."""

import csv
import io
import json

import pytest
from click.testing import CliRunner

import evenhand as eh
from evenhand.catalogue.spelling import Spec
from evenhand.cli import group
from evenhand.core.properties import NAMES
from evenhand.properties import profile
from evenhand.results.latex import latex
from evenhand.text import html_text, markdown


def run(*arguments):
    return CliRunner().invoke(group, list(map(str, arguments)))


def test_json():
    result = run("properties", "kappa", "macro_recall", "--format", "json", "--classes", 2)
    found = json.loads(result.stdout)
    assert found["schema"] == 1 and found["classes"] == [2]
    assert list(found["metrics"]) == ["kappa", "macro_recall"]
    kappa = found["metrics"]["kappa"]
    assert list(kappa) == list(NAMES)
    assert kappa["monotonicity"]["holds"] is False
    assert kappa["monotonicity"]["evidence"].startswith("one more error raises it")
    assert kappa["monotonicity"]["example"][0] == {
        "what": "before",
        "table": [[0, 1], [1, 0]],
        "score": -1.0,
        "exact": "-1",
    }
    assert found == eh.properties.table(metrics=["kappa", "macro_recall"], sizes=(2,)).to_dict()


def test_text():
    text = run("properties", "mcc", "--classes", 2, "--classes", 3).stdout
    rows = [line.split() for line in text.splitlines()]
    assert ["mcc", "✗", "✓", "✗", "✗", "(✓)", "✓", "0,", "complete"] in rows
    assert "[[0, 0, 1], [0, 0, 1], [1, 1, 0]]  −3/5  (before)" in text
    assert "because c·s = s²·Σπ_i z_i = p·b" in text


@pytest.mark.parametrize("style", ["markdown", "latex", "html"])
def test_every_format_has_the_evidence(style):
    text = run("properties", "mcc", "--classes", 2, "--format", style).stdout
    said = ("[[0, 1], [1, 1]]  −1/2  (before)", "because c·s = s²·Σπ_i z_i = p·b")
    escape = {"markdown": markdown, "latex": latex, "html": html_text}[style]
    assert all(escape(sentence) in text for sentence in said)


def test_a_profile_is_a_result():
    found = eh.properties.check("kappa", sizes=(2,))
    assert repr(found).startswith("<Profile: kappa; has class sensitivity and chance correction;")
    whole = eh.properties.table(metrics="kappa", sizes=(2,)).to_dict()["metrics"]["kappa"]
    assert {name: found.to_dict()[name] for name in NAMES} == whole
    assert found.to_pandas()["property"].tolist() == list(NAMES)


@pytest.mark.parametrize("style", ["csv", "markdown", "latex"])
def test_other_formats(style):
    text = run("properties", "accuracy", "--classes", 2, "--format", style).stdout
    assert "accuracy" in text
    if style == "csv":
        rows = list(csv.DictReader(io.StringIO(text)))
        assert [r["property"] for r in rows] == list(NAMES)
        assert [r["holds"] for r in rows] == ["true", "false", "false", "false", "false"]


@pytest.mark.parametrize("arguments", [["nothing"], ["no.module:f"], ["mcc", "--classes", "9"]])
def test_errors_are_one_line(arguments):
    result = run("properties", *arguments)
    assert result.exit_code == 2
    assert result.stderr.startswith("evenhand: error: ") and result.stderr.count("\n") == 1


def test_without_a_metric_the_catalogue_speaks(monkeypatch):
    monkeypatch.setattr(profile, "check", None)  # no search
    result = run("properties", "--format", "json")
    found = json.loads(result.stdout)["metrics"]
    assert list(found) == eh.properties.registered()
    for name, parts in found.items():
        promised = Spec.parse(name).metric.properties_with(**Spec.parse(name).options)
        assert {p: bool(getattr(promised, p)) for p in NAMES} == {
            p: parts[p]["holds"] for p in NAMES
        }
        assert {parts[p]["status"] for p in NAMES} == {"stated"}
    text = run("properties").stdout
    rows = [line.split() for line in text.splitlines()]
    assert ["mcc", "✗", "✓", "✗", "✗", "(✓)", "✓", "0,", "complete"] in rows
    assert "evenhand properties mcc" in text


@pytest.mark.parametrize("options", [("--seed", 1), ("--classes", 2), ("mcc", "--all")])
def test_options_of_a_search_are_not_passed_over(options):
    result = run("properties", *options)
    assert result.exit_code == 2 and "--all" in result.stderr


@pytest.mark.slow
def test_the_complete_table():
    assert len(eh.properties.table().profiles) >= 20

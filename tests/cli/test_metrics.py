"""metrics: the catalogue."""

import csv
import io
import json
import re

import pytest

from evenhand.catalogue.lists import table_metrics
from evenhand.core.registry import score_metrics

EVERY = [*table_metrics(), *(m.name for m in score_metrics())]
"""The metrics of labels, and after them those of probabilities."""


def test_every_metric_is_listed(run):
    title, _, head, *lines = run("metrics").stdout.splitlines()
    assert title == f"{len(EVERY)} metrics"
    assert head.split()[:2] == ["metric", "symbol"]
    assert [line.split()[0] for line in lines] == EVERY


def test_no_formula_is_cut(run):
    assert "…" not in run("metrics").stdout


def test_one_metric_in_words(run):
    text = run("metrics", "averaged_f1").stdout
    assert text.startswith("macro_f1 (macF1)\n\nMean of the per-class F1")
    assert "prevalence invariance  no: it changes when" in text
    assert "aliases                averaged_f1, mean_of_f1" in text


def test_several_metrics(run):
    title, kappa, _, f1, explained = run("metrics", "kappa", "f1").stdout.split("\n\n")
    assert title == "2 metrics"
    assert kappa.startswith("kappa (κ)\n") and f1.startswith("f1 (F1)\n")
    assert ["write", "f1:label=NAME"] in [line.split() for line in explained.splitlines()]


def test_json(run):
    found = json.loads(run("metrics", "--format", "json").stdout)
    assert found["schema"] == 1
    assert list(found["metrics"]) == EVERY
    assert found["metrics"]["bookmaker_gain"]["range"] == ["-inf", "inf"]
    assert found["metrics"]["subset_accuracy"]["properties"] is None


def test_csv(run):
    rows = list(csv.DictReader(io.StringIO(run("metrics", "--format", "csv").stdout)))
    assert [r["metric"] for r in rows] == EVERY
    ends = {r["metric"]: (r["low"], r["high"]) for r in rows}
    assert (ends["mcc"], ends["bookmaker_gain"]) == (("-1.0", "1.0"), ("-inf", "inf"))


@pytest.mark.parametrize("style", ["markdown", "latex", "html"])
def test_for_papers(run, style):
    text = run("metrics", "mcc", "--format", style).stdout
    assert "MCC" in text
    assert "kappa" not in text


def test_unknown(fails):
    assert re.fullmatch(
        r"no metric is called 'macro_f'; did you mean macro_f1 or micro_f1 or macro_fbeta\? "
        r"\(of the papers: [1-9]\d* claims, evenhand papers macro_f\)",
        fails("metrics", "macro_f"),
    )


@pytest.mark.parametrize(
    ("words", "metric"),
    [
        ("benevolent", "f1_of_averages"),
        ("non-benevolent", "macro_f1"),
        ("doppelganger", "f1_of_averages"),
        ("macF1'", "f1_of_averages"),
        ("F-score_M", "f1_of_averages"),
        ("class bags", "macro_recall"),
        ("bookmaker", "bookmaker_gain"),
        ("bookmaker metric", "macro_recall"),
        ("inter-annotator", "f1_of_averages"),
        ("RMSD", "f1_gap"),
        ("bias", "macro_precision"),
        ("prevalence", "macro_recall"),
    ],
)
def test_words_of_the_papers_find_their_metric(run, words, metric):
    found = json.loads(run("metrics", *words.split(), "--format", "json").stdout)["metrics"]
    assert metric in found and len(found) < len(table_metrics())


def test_names_are_names_and_not_words(run):
    assert run("metrics", "kappa").stdout.startswith("kappa (κ)")
    found = json.loads(run("metrics", "mcc", "class", "bags", "--format", "json").stdout)
    assert list(found["metrics"]) == ["mcc", "macro_recall"]
    assert "class bags" in run("metrics", "macro_recall").stdout


@pytest.mark.parametrize(
    ("name", "example"),
    [
        ("jaccard", "0.466667 on 6 1 1; 1 5 2; 2 3 7 (of the third class)"),
        ("macro_jaccard", "0.476263 on 6 1 1; 1 5 2; 2 3 7"),  # (6/11 + 5/12 + 7/15) / 3
        ("samples_f1", "0.75 on the label sets a and a b, predicted as a and b c"),
    ],
)
def test_an_example_says_what_it_is_of(run, name, example):
    lines = dict(
        line.split(maxsplit=1) for line in run("metrics", name).stdout.splitlines() if line
    )
    assert lines["example"] == example

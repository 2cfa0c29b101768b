"""The sentence for a footnote, of every command that has one."""

import json

import pytest

from evenhand.catalogue.signature import Signature

LINES = {
    "score": [],
    "rank": ["b.txt", "--replicates", 50],
    "compare": ["b.txt", "--replicates", 50],
    "gate": ["b.txt", "--margin", 0.1],
    "calibrate": [],
    "shift --to": ["--to", "x=0.2,y=0.8"],
    "shift --sweep": ["--sweep", "x"],
    "shift --unlabelled": ["--unlabelled", "b.txt", "--replicates", 50],
}


@pytest.fixture
def said(run, write):
    for name, labels in (("gold", "xyxyxxyy"), ("a", "xyyyxxyx"), ("b", "xyxyxyxy")):
        write(f"{name}.txt", "\n".join(labels * 20) + "\n")

    def of(line, *more):
        found = run(line.split()[0], "gold.txt", "a.txt", *LINES[line], "--footnote", *more)
        assert found.exit_code in (0, 1), found.output
        return found.stdout

    return of


@pytest.mark.parametrize("line", LINES)
def test_a_footnote_says_which_score_it_was(said, line):
    text = said(line)
    assert text.count("\n") == 1 and len(text) < 500
    of = "Differences" if line in ("compare", "gate") else "Macro F1 (mean of F1)"
    assert text.startswith(of) and "Mean of the per-class F1" in text
    assert "the 2 classes that occur in the truth" in text and "0/0 counts as 0" in text
    assert "160 items" in text and "95 %" in text
    short = text.rstrip("\n).").rpartition(", ")[2]
    assert Signature.parse(short).metric == "macro_f1"
    assert all(len(said(line, "--format", style)) < 500 for style in ("latex", "markdown"))
    assert json.loads(said(line, "--format", "json")) == {"footnote": text.strip()}


def test_a_gate_says_its_margin_and_what_was_tested(said):
    assert "Differences (margin 0.1) in" in said("gate")
    assert "one-sided test of non-inferiority at 95 %" in said("gate")
    assert "one-sided test of equivalence" in said("gate", "--test", "equivalent")
    assert "in Accuracy: Share of items predicted right" in said("gate", "--metric", "accuracy")


def test_a_metric_that_is_no_average_says_so(said):
    text = said("score", "--metric", "accuracy")
    assert "averages" not in text and "; all classes count; 0/0 counts as 0" in text
    assert "averaged over" in said("score", "--metric", "micro_f1")
    assert "classes" not in said("score", "--metric", "f1:label=x").partition("(evenhand")[0]


def test_a_ranking_speaks_of_the_metric_that_it_is_by(said):
    assert said("rank", "--by-metric", "mcc").startswith("MCC: Matthews")
    assert "|i:wilson-effective.95|" in said("rank", "--by-metric", "mcc")
    assert said("rank", "--metric", "mcc", "--by-metric", "kappa").startswith("Cohen's kappa: ")
    assert said("rank", "--metric", "averaged_f1").startswith("Macro F1 (mean of F1)")
    assert said("rank", "--by-metric", "mcc", "--layout", "paper").startswith("MCC: ")


def test_without_intervals_none_is_spoken_of(said):
    assert "interval" in said("rank", "--layout", "paper").partition("(evenhand")[0]
    text = said("rank", "--layout", "paper", "--intervals", "none")
    assert "interval" not in text.partition("(evenhand")[0]

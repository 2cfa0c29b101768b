"""What the authors recommend stands where people choose."""

from pathlib import Path

import pytest
from click.testing import CliRunner

import evenhand as eh
from evenhand.catalogue.descriptions import ADVICE, advice_on
from evenhand.catalogue.lists import table_metrics
from evenhand.cli import group

GUIDE = Path(__file__).parents[2] / "docs" / "choosing.md"
SAID = {
    "macro_f1": ["Report the mean of F1", "Say which of the two formulas", "Calibrate prevalence"],
    "f1_of_averages": ["Report the mean of F1", "Say which of the two formulas"],
    "accuracy": ["Report macro recall together with accuracy"],
    "macro_recall": [
        "Report macro recall together with accuracy",
        "Show the recall of every class",
    ],
    "mcc": ["Calibrate prevalence"],
    "geometric_macro_recall": ["Take the geometric mean"],
}


def flat(text):
    return " ".join(text.replace("\\", "").split())


def test_advice_is_about_metrics_that_there_are():
    assert {name for a in ADVICE for name in a.about} <= set(table_metrics())


@pytest.mark.parametrize("metric", SAID)
def test_the_catalogue_gives_it(metric):
    shown = flat(CliRunner().invoke(group, ["metrics", metric]).stdout)
    assert all(f"recommended {words}" in shown for words in SAID[metric])
    assert table_metrics()[metric].name == metric


def test_what_nobody_speaks_of_has_none():
    assert advice_on(["weighted_f1", "mine"]) == []
    assert "recommended" not in CliRunner().invoke(group, ["metrics", "weighted_f1"]).stdout


@pytest.mark.parametrize(
    "data", [(list("aabbc"), list("abbbc")), (list("aabbc"), list("abbbc"), list("aabbb"))]
)
def test_the_method_of_a_report_gives_what_concerns_its_metrics(data):
    told = flat(eh.report(*data, metrics=["macro_f1", "macro_recall", "accuracy"]).to_markdown())
    method = told[told.index("Method and signature") :]
    for a in advice_on(["macro_f1", "macro_recall", "accuracy"]):
        assert str(a) in method
    assert "geometric mean of recall where" not in method


def test_the_guide_gives_all_of_it():
    told = flat(GUIDE.read_text(encoding="utf-8"))
    assert all(f"- {a}" in told for a in ADVICE)

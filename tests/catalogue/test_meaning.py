"""What numbers mean, and when to use them: every metric has a sentence of its own for each."""

import json

import pytest
from click.testing import CliRunner

from evenhand.catalogue.descriptions import Meaning, meaning, meaning_lines, meanings
from evenhand.catalogue.lists import table_metrics
from evenhand.cli import group
from evenhand.core.registry import find, score_metrics
from tests.laws.strategies import averages


def test_every_metric_has_its_three_sentences_and_no_other_name_has():
    assert set(meanings()) == {*table_metrics(), *(m.name for m in score_metrics())}
    for name, said in meanings().items():
        assert len(said) == 3 and all(len(words) > 10 for words in said), name
    assert len({said.means for said in meanings().values()}) == len(meanings())


def test_the_readings_of_the_papers_are_there():
    said = dict(meaning_lines(table_metrics()["macro_recall"]))
    assert "draw a class" in said["means"] and "bookmaker" in said["means"]
    assert "annotators" in dict(meaning_lines(table_metrics()["f1_of_averages"]))["means"]


def test_averages_say_what_their_class_metric_says():
    for m in averages():
        each = meanings()[m.name.partition("_")[2]]
        found = meaning(m)
        assert each.means in found.means and each.use in found.use and each.avoid in found.avoid
        assert "{" not in "".join(found)


@pytest.mark.parametrize("name", ["gwet_ac1", "weighted_jaccard"])
def test_json_and_the_command_line_say_it(name):
    found = json.loads(CliRunner().invoke(group, ["metrics", name, "--format", "json"]).stdout)
    told = found["metrics"][name]
    expected = meaning(find(name))
    assert Meaning(told["means"], told["use"], told["avoid"]) == expected
    shown = " ".join(CliRunner().invoke(group, ["metrics", name]).stdout.split())
    assert expected.means in shown and expected.avoid in shown

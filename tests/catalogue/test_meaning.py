"""What numbers mean, and when to use them: every family has a word, every word a metric."""

import evenhand as eh
from evenhand.catalogue.lists import families
from evenhand.catalogue.meaning import MEANINGS, USES, said_of


def test_every_family_says_when_it_is_used():
    assert set(USES) == set(families()) and set(MEANINGS) <= set(eh.metrics())


def test_the_readings_of_the_papers_are_there():
    said = dict(said_of(eh.metrics()["macro_recall"]))
    assert "bag" in said["means"] and "bookmaker" in said["means"]
    assert "annotators" in dict(said_of(eh.metrics()["f1_of_averages"]))["means"]

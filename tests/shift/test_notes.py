"""What results on class mixes tell their reader, as typed notes."""

import numpy as np
import pytest

import evenhand as eh
from evenhand.shift import warnings as mixes
from evenhand.warnings import NeverTrue, NoClass, NoGradient, NoWidth, UnknownVariance

LOST = eh.Confusion.from_matrix([[60, 10], [4, 30]], labels="ab", outside=[3, 2])
NEVER = eh.Confusion.from_matrix([[8, 1, 1], [2, 20, 0], [0, 0, 0]], labels="abc")
ONE = {"metrics": ["macro_f1"]}
NEW = {"a": 30, "b": 40}


def kinds(found):
    return [type(note) for note in found.cautions]


@pytest.mark.parametrize(
    "verb",
    [
        lambda table: eh.shift.extrapolate(table, **ONE),
        lambda table: eh.shift.sweep(table, label="a", at=[0.5], **ONE),
        lambda table: eh.shift.estimate_prevalence(table, predicted=NEW, replicates=50, **ONE),
    ],
)
def test_abstentions_and_labels_that_are_never_true_are_told(verb):
    (note,) = [n for n in verb(LOST).cautions if isinstance(n, NoClass)]
    assert note == NoClass(5.0)
    assert NeverTrue in kinds(verb(NEVER)) and mixes.NeverLabelled(("c",)) in verb(NEVER).cautions


def test_of_two_systems_each_is_named():
    sound = eh.Confusion.from_matrix([[60, 10], [4, 30]], labels="ab")
    found = eh.shift.sweep(sound, label="a", against=LOST, at=[0.5], names=("old", "new"), **ONE)
    assert found.cautions == (NoClass(5.0, systems=(("new", 5.0),)), mixes.Unpaired())
    both = eh.shift.sweep(NEVER, label="a", against=NEVER, at=[0.5], names=("old", "new"), **ONE)
    assert [n.system for n in both.cautions if isinstance(n, NeverTrue)] == ["old", "new"]


def test_a_share_of_0_is_told_where_it_was_asked_for():
    asked = eh.shift.extrapolate(LOST, to={"a": 0, "b": 1}, **ONE)
    assert mixes.NoShare(("a",)) in asked.cautions
    assert mixes.NoShare not in kinds(eh.shift.sweep(LOST, label="a", at=[0, 0.5], **ONE))


def test_why_there_is_no_interval():
    assert kinds(eh.shift.extrapolate([[50, 0], [0, 50]], **ONE)) == []
    flat = eh.shift.extrapolate([[50, 0], [0, 50]], interval="delta", **ONE)
    assert kinds(flat) == [NoWidth]
    few, unknown = eh.shift.extrapolate([[0.5, 0.1], [0.1, 0.3]], **ONE).cautions
    assert unknown == UnknownVariance()
    assert few.classes[0] == mixes.FewItems(0, 0.6, 0.5)

    def own_median(c):
        return np.median(c.correct, axis=-1) / c.total

    found = eh.shift.extrapolate([[50, 10], [20, 50]], metrics=[own_median])
    assert kinds(found) == [NoGradient] and found.observed["own_median"].note == "no gradient"
    assert found["own_median"].low < found["own_median"].value < found["own_median"].high


def test_a_recall_of_1_that_an_interval_takes_for_certain_is_told():
    sure = [[50, 0], [10, 40]]
    note = mixes.TakenAsCertain((0,))
    for how in ("delta", "bootstrap"):
        found = eh.shift.extrapolate(sure, interval=how, replicates=50, **ONE)
        assert note in found.cautions
    assert note not in eh.shift.extrapolate(sure, **ONE).cautions
    assert note in eh.shift.sweep(sure, label=1, at=[0.5], interval="delta", **ONE).cautions
    assert note not in eh.shift.sweep(sure, label=1, at=[0.5], **ONE).cautions
    many = np.full((30, 30), 1) + 40 * np.eye(30, dtype=int)
    many[3] = 70 * np.eye(30, dtype=int)[3]
    note = mixes.TakenAsCertain((3,))  # so many classes at so many shares take too long
    assert note in eh.shift.sweep(many, label=1, **ONE).cautions
    assert note not in eh.shift.sweep(many, label=1, at=[0.5], **ONE).cautions


def test_few_items_are_told_with_the_largest_share_of_a_sweep():
    few = [[4, 1], [10, 40]]
    (note,) = eh.shift.sweep(few, label=0, at=[0.2, 0.6], **ONE).cautions
    assert note == mixes.FewToLearnFrom((mixes.FewItems(0, 5.0, 0.6),), up_to=True)


def test_more_hits_than_predictions_are_told():
    """0.5 · 0.8 of the items are hits of class 0, and 0.1 are predicted."""
    cells, note = [[80, 20], [10, 90]], mixes.PrecisionAboveOne((0,))
    mix, predicted = {0: 0.5, 1: 0.5}, {0: 100, 1: 900}
    for found in (
        eh.shift.extrapolate(cells, to=mix, predicted=predicted, **ONE),
        eh.shift.estimate_prevalence(cells, to=mix, predicted=predicted, **ONE),
    ):
        assert note in found.cautions
    assert "precision of 0 is above 1" in note.sentence
    assert note not in eh.shift.estimate_prevalence(cells, predicted=predicted, **ONE).cautions


def test_codes_stand_beside_the_sentences():
    found = eh.shift.estimate_prevalence(LOST, predicted={"a": 5, "b": 970}, replicates=200, **ONE)
    said = found.to_dict()
    assert len(said["warnings"]) == len(said["warning_codes"]) == len(found.warnings) > 2
    misfit = next(code for code in said["warning_codes"] if code["code"] == "misfit")
    assert misfit["method"] == "likelihood" and misfit["farthest"]["label"] == "b"
    assert "but the predictions speak against that" in repr(found)
    stated = eh.shift.estimate_prevalence(
        LOST, predicted=NEW, to={"a": 0.1, "b": 0.9}, replicates=200, **ONE
    )
    assert "stated mix: p = 0.0050 (parametric bootstrap): speaks against it" in repr(stated)


def test_classes_may_be_left_out():
    found = eh.shift.extrapolate(LOST, **ONE)
    full, calibrated = found.content(), found.content(classes=False)
    assert len(full.sheets) == 2 and len(calibrated.sheets) == 1
    assert "expected at equal classes" in full.title
    assert "calibrated to equal classes" in calibrated.title
    assert full.data() == calibrated.data()


def test_a_crossing_is_an_interval():
    one, other = [[90, 10], [30, 70]], [[70, 30], [10, 90]]
    found = eh.shift.sweep(one, label=0, against=other, metrics="accuracy", level=0.9)
    (c,) = found.crossings
    assert float(c) == c.share == c.value and c.level == 0.9
    assert list(found.to_dict()["crossings"][0]) == [
        "metric", "share", "low", "high", "below", "above",
    ]  # fmt: skip
    assert "by accuracy second leads below 50 %, first above" in repr(found)


def test_a_class_that_one_item_more_would_double_is_told():
    """Of 1 in 1,000 items 0.9 are right, of the others 1 in 50 might as well be taken for it."""
    sure = [[45, 5], [0, 50]]
    rare, even = {0: 0.001, 1: 0.999}, {0: 0.5, 1: 0.5}
    note = mixes.LessThanAnItem((0,))
    assert note in eh.shift.extrapolate(sure, to=rare, **ONE).cautions
    assert note not in eh.shift.extrapolate(sure, to=even, **ONE).cautions
    assert note not in eh.shift.extrapolate(np.multiply(sure, 100), to={0: 0.1, 1: 0.9}).cautions

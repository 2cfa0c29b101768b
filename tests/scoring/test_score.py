"""score: the same values as the functions, and what a reader must know beside them."""

import math

import numpy as np
import pytest

import evenhand as eh
from evenhand.catalogue.binding import evaluate

BIRDS = eh.Confusion.from_matrix(
    [[6, 1, 1], [1, 5, 2], [2, 3, 7]], labels=["bird", "cat", "dog"], outside=[1, 0, 2]
)


def test_every_metric_by_default():
    found = eh.score(BIRDS)
    assert " ".join(found.metrics) == (
        "accuracy micro_precision micro_recall micro_f1 macro_f1 f1_of_averages f1_gap "
        "macro_precision macro_recall geometric_macro_recall harmonic_macro_recall "
        "weighted_precision weighted_recall weighted_f1 weighted_f1_of_averages kappa mcc "
        "bookmaker_gain"
    )
    for name, score in found.metrics.items():
        assert score.value == pytest.approx(float(evaluate(name, BIRDS)), abs=1e-15)
        assert score.signature.metric == name
    assert {"macro_f1", "f1_of_averages", "mcc", "kappa", "f1_gap"} <= set(found.metrics)
    assert not {"precision", "hamming_loss", "macro_fbeta"} & set(found.metrics)


def test_spelled_metrics_and_functions():
    def hits(c):
        return c.correct.sum(axis=-1)

    found = eh.score(
        BIRDS, metrics=["macro_fbeta:beta=2", "f1:label=dog", "accuracy@uniform", hits]
    )
    assert list(found.metrics) == ["macro_fbeta:beta=2", "f1:label=dog", "accuracy@uniform", "hits"]
    assert found["f1:label=dog"].value == pytest.approx(2 * 7 / (10 + 14))
    assert found["accuracy@uniform"].value == pytest.approx(eh.macro_recall(BIRDS))
    assert found["hits"].value == 18


def test_classes_and_margins():
    found = eh.score(BIRDS)
    assert found.n == 31
    assert found.outside == 3
    dog = found.classes[2]
    assert (dog.label, dog.correct, dog.bias, dog.prevalence) == ("dog", 7, 10, 14)
    assert (dog.precision, dog.recall) == pytest.approx((0.7, 0.5))
    assert dog.f1 == pytest.approx(14 / 24)


def test_classes_are_made_when_looked_at_and_are_a_sequence():
    found = eh.score(BIRDS).classes
    bird, cat, dog = found
    assert len(found) == 3
    assert (found[0], found[-1], found[np.int64(1)]) == (bird, dog, cat)
    assert found[1:] == (cat, dog) and found[::-1] == (dog, cat, bird)
    assert found == (bird, cat, dog) and found == eh.score(BIRDS).classes
    assert found != eh.score(BIRDS, interval=None).classes
    assert cat in found
    assert repr(found) == repr((bird, cat, dog))
    with pytest.raises(IndexError):
        found[3]


def test_a_class_says_the_same_in_every_form():
    found = eh.score(BIRDS)
    rows = {(r[0], r[1]): r[2:7] for r in found.content().data().rows}
    for c, shown, written in zip(
        found.classes, found.class_grid.rows, found.to_dict()["classes"], strict=True
    ):
        f1 = c.intervals["f1"]
        assert written == c.to_dict()
        assert shown[1:] == [
            *(c.precision, c.recall, c.f1, f1.low, f1.high),
            *(c.prevalence, c.bias, c.correct),
        ]
        assert rows["f1", c.label] == [c.f1, f1.se, f1.low, f1.high, f1.method]
        assert rows["bias", c.label] == [c.bias, None, None, None, ""]
    assert all(type(x) is int for x in (dict(written)["correct"], dict(written)["bias"]))


def test_classes_without_intervals():
    found = eh.score(BIRDS, interval=None)
    assert found.classes[0].intervals == {}
    assert "intervals" not in found.to_dict()["classes"][0]
    assert {len(row) for row in found.class_grid.rows} == {7}


def test_a_wide_gap_is_a_warning():
    wide = eh.score([[100, 0], [10000, 100]])
    assert any("differ here by 48.5 points" in w for w in wide.warnings)
    assert not any("macro F1" in w for w in eh.score([[6, 1], [1, 5]]).warnings)


def test_a_stray_class_is_a_warning_with_both_values():
    cells = [[8, 1, 1], [2, 8, 0], [0, 0, 0]]
    over_seen, over_true = (16 / 20 + 16 / 19) / 3, (16 / 20 + 16 / 19) / 2
    stray = "1 prediction is of labels that never occur in the truth (2); macro_f1 is "
    task, seen = (
        f"{x:.4f} over {rule}"
        for x, rule in ((over_true, "the true classes"), (over_seen, "all classes seen"))
    )
    for classes, value, said in (
        ("task", over_true, f"{task}, {over_seen:.4f} over all classes seen"),
        ("true", over_true, f"{task}, {over_seen:.4f} over all classes seen"),
        ("seen", over_seen, f"{seen}, {over_true:.4f} over the true classes"),
    ):
        found = eh.score(cells, classes=classes)
        assert found["macro_f1"].value == pytest.approx(value)
        assert f"{stray}{said}" in found.warnings
    alone = stray.partition(";")[0]  # no rule to choose where classes are listed
    assert alone in eh.score(cells, classes=[0, 1]).warnings
    assert not any("never occur" in w for w in eh.score(cells, classes=[0, 1, 2]).warnings)


def test_outside_and_dropped_rows_are_said():
    table = eh.Confusion.from_labels(
        ["a", "a", "b", None], ["a", None, "?", "b"], labels="ab", drop_null_truth=True
    )
    text = " ".join(eh.score(table).warnings)
    assert "2 predictions are outside the classes (1 of them missing)" in text
    assert "1 row without a true label" in text


def test_a_stack_has_slices_and_the_whole():
    cells = np.array([[[6, 1], [1, 5]], [[2, 3], [3, 7]]])
    stack = eh.Confusion.from_matrix(cells)
    found = eh.score(stack, metrics=["macro_f1", "mcc"])
    assert [part.key for part in found.slices] == [0, 1]
    for part, one in zip(found.slices, cells, strict=True):
        assert part["mcc"].value == pytest.approx(eh.mcc(one))
    assert found["macro_f1"].value == pytest.approx(eh.macro_f1(cells.sum(axis=0)))
    assert found.n == cells.sum()


def test_policies_reach_every_value():
    cells = [[3, 0], [1, 0]]
    found = eh.score(cells, undefined=1)
    assert found["macro_precision"].value == pytest.approx((0.75 + 1) / 2)
    assert found.classes[1].precision == 1
    assert found.signature.undefined == "1"
    assert math.isnan(eh.score(cells, undefined="nan")["mcc"].value)


def test_nothing_to_score():
    with pytest.raises(eh.InputError, match="holds no items"):
        eh.score([[0, 0], [0, 0]])
    with pytest.raises(eh.InputError, match="got bare margins"):
        eh.score(BIRDS.counts())

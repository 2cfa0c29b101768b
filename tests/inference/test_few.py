"""Classes with few true items: one warning where an average over classes has an interval."""

import json

import numpy as np
import pytest
from click.testing import CliRunner

import evenhand as eh
from evenhand.cli import group
from evenhand.inference.delta import true_items
from studies.coverage import Cell

SMALL = eh.Confusion.from_matrix([[90, 9, 1], [2, 6, 1], [1, 1, 2]], labels=["a", "x", "y"])
SAID = "2 classes have fewer than 10 true items ('x', 'y'): intervals of averages may be too narrow"
MICRO = ["accuracy", "micro_f1", "weighted_f1", "kappa", "mcc", "f1:label=x"]


def few(found):
    return [w for w in found.warnings if "true items" in w]


@pytest.mark.parametrize("method", ["auto", "delta", "bootstrap", "bca"])
def test_one_warning_a_result_names_the_classes(method):
    found = eh.score(
        SMALL, metrics=["macro_f1", "macro_recall", "f1_gap"], interval=method, replicates=99
    )
    assert few(found) == [SAID]
    assert few(eh.score(SMALL)) == [SAID]
    assert SAID in found.to_dict()["warnings"]


@pytest.mark.parametrize("metric", ["macro_fbeta:beta=2", "balanced_accuracy", "accuracy@uniform"])
def test_every_metric_that_weighs_small_classes_up_is_warned_of(metric):
    assert few(eh.score(SMALL, metrics=[metric])) == [SAID]


def test_no_warning_where_no_interval_is_given():
    assert few(eh.score(SMALL, metrics=["macro_f1"], interval=None)) == []
    assert few(eh.score(SMALL.cells / SMALL.total, metrics=["macro_f1"])) == []
    perfect = eh.score([[5, 0], [0, 5]], metrics=["macro_f1"], interval="delta")
    assert perfect["macro_f1"].low is None
    assert few(perfect) == []


@pytest.mark.parametrize("metric", MICRO)
def test_no_warning_where_small_classes_do_not_weigh_up(metric):
    assert few(eh.score(SMALL, metrics=[metric])) == []


def test_only_averaged_classes_count():
    assert few(eh.score(SMALL, metrics=["macro_f1"], classes=["a"])) == []
    (said,) = few(eh.score(SMALL, metrics=["macro_f1"], classes=["a", "y"]))
    assert said.startswith("1 class has fewer than 10 true items ('y'): ")


def test_ten_are_enough_and_none_are_not_few():
    assert few(eh.score([[8, 2], [3, 9]], metrics=["macro_f1"])) == []
    never_true = eh.score([[18, 2, 1], [3, 9, 1], [0, 0, 0]], metrics=["macro_f1"])
    assert few(never_true) == []


def test_few_predictions_or_hits_are_said_too():
    """A class of 18 items of which one was found, and one that was hardly ever predicted."""
    found = eh.score([[80, 5, 15], [17, 1, 0], [9, 0, 50]], metrics=["macro_f1"])
    assert [w for w in found.warnings if "correct ones" in w] == [
        "1 class has fewer than 10 predictions or 5 correct ones (1): intervals of averages may "
        "be too narrow"
    ]
    never = eh.score([[80, 5, 15], [17, 20, 0], [30, 20, 9]], metrics=["macro_f1"], classes=[0, 1])
    assert not [w for w in never.warnings if "correct ones" in w]


def test_many_classes_are_cut_short():
    true = np.repeat(np.arange(1200), 3)
    pred = np.where(np.arange(3600) % 5 == 0, 0, true)
    (said,) = few(eh.score(eh.Confusion.from_labels(true, pred), metrics=["macro_f1"]))
    assert said.startswith(
        "1,200 classes have fewer than 10 true items (0, 1, 2, 3, 4 and 1,195 more): "
    )


def test_hostile_labels_are_quoted_and_cut():
    labels = ["\x1b[31mred", "l" * 500]
    table = eh.Confusion.from_matrix([[5, 1], [2, 6]], labels=labels)
    (said,) = few(eh.score(table, metrics=["macro_f1"]))
    assert r"'\x1b[31mred', 'lll" in said
    assert "\x1b" not in said and len(said) < 220


def test_each_slice_has_its_own():
    large = eh.Confusion.from_matrix([[40, 8], [9, 31]], labels=["a", "x"])
    small = eh.Confusion.from_matrix([[40, 8], [2, 3]], labels=["a", "x"])
    found = eh.score(eh.Confusion.stack([large, small], ["l", "s"]), metrics=["macro_f1"])
    assert few(found.slices[0]) == []
    assert len(few(found.slices[1])) == 1
    assert [w for w in found.warnings if "true items" in w] == [
        f"in 1 slice (s): {few(found.slices[1])[0]}"
    ]


def test_multi_label_data():
    true, pred = [{"a"}] * 15 + [{"b"}] * 3, [{"a"}] * 12 + [{"a", "b"}] * 5 + [set()]
    found = eh.score(eh.MultiLabel.from_indicators(true, pred))
    assert [w.partition(":")[0] for w in few(found)] == [
        "1 class has fewer than 10 true items ('b')"
    ]


def test_weighted_items_count_as_many_as_equal_ones_would():
    true, pred = ["a"] * 20 + ["b"] * 10, ["a"] * 17 + ["b"] * 11 + ["a"] * 2
    alike = eh.Confusion.from_labels(true, pred, weights=[0.1] * 30)
    assert true_items(alike) == pytest.approx([20, 10])
    assert few(eh.score(alike, metrics=["macro_f1"])) == []
    uneven = eh.Confusion.from_labels(true, pred, weights=[1.0] * 29 + [9.0])
    assert true_items(uneven) == pytest.approx([20, 18**2 / (9 + 81)])
    assert len(few(eh.score(uneven, metrics=["macro_f1"]))) == 1


def test_weighted_label_sets_count_alike():
    true, pred = [{"a"}, {"a", "b"}, {"b"}], [{"a"}, {"b"}, {"a"}]
    multi = eh.MultiLabel.from_indicators(true, pred, weights=[1.0, 1.0, 3.0])
    assert true_items(multi) == pytest.approx([2, 16 / 10])


def rows(*sizes):
    true = np.repeat(["a", "x", "y"][: len(sizes)], sizes)
    rng = np.random.default_rng(3)
    return true, {s: np.where(rng.random(len(true)) < 0.7, true, "a") for s in "AB"}


def test_comparisons_and_rankings_say_it_too():
    options = {"metrics": ["macro_f1"], "replicates": 99}
    for compared in (
        eh.compare(*rows(60, 9, 4), **options),
        eh.rank(*rows(60, 9, 4), replicates=9),
    ):
        assert few(compared) == [SAID]
    for compared in (
        eh.compare(*rows(60, 19, 14), **options),
        eh.rank(*rows(60, 19, 14), replicates=9),
    ):
        assert few(compared) == []
    alone = eh.compare(*rows(60, 9, 4), metrics=["accuracy"], replicates=99)
    assert few(alone) == []


def test_the_command_says_it_on_stderr():
    def run(*options):
        matrix = ("--matrix", "90 9 1; 2 6 1; 1 1 2", "--labels", "a,x,y")
        return CliRunner().invoke(group, ["score", *matrix, *options])

    assert f"warning: {SAID}\n" in run().stderr
    assert SAID in json.loads(run("--format", "json").stdout)["warnings"]
    assert "true items" not in run("--interval", "none").stderr
    assert "true items" not in run("--metric", "accuracy").stderr


@pytest.mark.parametrize(
    "cell",
    [Cell(10, "imbalanced", 200), Cell(50, "balanced", 200), Cell(50, "imbalanced", 200),
     Cell(50, "imbalanced", 1000)],
    ids=str,
)  # fmt: skip
def test_where_the_study_finds_too_little_coverage_every_data_set_is_warned(cell):
    shares = cell.population().reshape(-1)
    drawn = np.random.default_rng(cell.k).multinomial(cell.n, shares, 100)
    tables = eh.Confusion.from_matrix(drawn.reshape(-1, cell.k, cell.k))
    for scores in eh.score(tables, metrics=["macro_f1@uniform"]).slices:
        assert any("fewer than 10 true items" in str(w) for w in scores.warnings)

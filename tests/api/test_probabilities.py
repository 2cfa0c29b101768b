"""Soft tables: what the probabilities must be."""

import re

import numpy as np
import pandas as pd
import polars as pl
import pytest

import evenhand as eh
from evenhand import Confusion, InputError

NAN = float("nan")


@pytest.mark.parametrize(
    ("y_true", "probabilities", "message"),
    [
        (
            ["a", "b"],
            [[0.5, 0.5]],
            "probabilities must have shape (2, 2) (items × labels), got (1, 2)",
        ),
        (["a", "b"], [0.5] * 3, "probabilities must have shape (2, 2) (items × labels), got (3,)"),
        (["a", "b"], [0.5, 1.5], "got [-0.5, 1.5] at item 1"),
        (["a", "b"], [[1, 0], [0.2, 0.7]], "sum to 1 for every item, got [0.2, 0.7] at item 1"),
        (
            ["a", "b"],
            [[-0.2, 1.2], [0, 1]],
            "must be ≥ 0 and sum to 1 for every item, got [-0.2, 1.2]",
        ),
        (["a", "b"], [[NAN, 1], [0, 1]], "got [nan, 1.0] at item 0"),
        (["a", "b"], [["x", "y"], ["z", "w"]], "probabilities must "),
        (["a", "b"], [[0.5, 0.5], [1]], "probabilities must "),
        (["a", "c"], [[1, 0], [0, 1]], "y_true must hold only the given labels 'a', 'b', got 'c'"),
        (["a", None], [[1, 0], [0, 1]], "y_true must not be null, got 1 null"),
        (
            [1, 2],
            [[1, 0], [0, 1]],
            "labels and y_true must have labels of one type, got str and int",
        ),
    ],
)
def test_refused(y_true, probabilities, message):
    with pytest.raises(InputError, match=re.escape(message)):
        Confusion.from_probabilities(y_true, probabilities, labels=["a", "b"])


@pytest.mark.parametrize("verb", [eh.score, eh.macro_f1, Confusion.from_probabilities])
@pytest.mark.parametrize(
    ("y_true", "probabilities", "message"),
    [
        (
            ["a", "b"],
            [[0.2, 0.3, 0.5]] * 2,
            "probabilities have 3 columns but y_true has 2 ('a', 'b'): say which classes they are "
            "of with labels=model.classes_",
        ),
        (
            ["a", "b", "c"],
            [0.1, 0.5, 0.9],
            "probabilities are one number an item, for two classes, but y_true has 3 "
            "('a', 'b', 'c'): say which classes they are of with labels=[NEGATIVE, POSITIVE]",
        ),
        (["a", "a"], [0.1, 0.9], "but y_true has 1 ('a'): say which classes"),
    ],
)
def test_classes_that_the_truth_does_not_tell(verb, y_true, probabilities, message):
    with pytest.raises(InputError, match=re.escape(message)):
        verb(y_true, probabilities)


def test_each_item_adds_its_probabilities_to_its_true_row():
    table = Confusion.from_probabilities(
        list("aab"), [[0.75, 0.25], [0.5, 0.5], [0, 1]], labels="ab"
    )
    assert table.cells.tolist() == [[1.25, 0.75], [0, 1]]
    assert (table.n, table.total) == (3, 3)


def test_weights_multiply():
    table = Confusion.from_probabilities(["a"], [[0.75, 0.25]], labels="ab", weights=[4])
    assert table.cells.tolist() == [[3, 1], [0, 0]]


def test_certain_probabilities_are_the_hard_table():
    true, pred = list("abcab"), list("aacbb")
    sure = [[float(p == v) for v in "abc"] for p in pred]
    soft = Confusion.from_probabilities(true, sure, labels="abc")
    assert soft.cells.tolist() == Confusion.from_labels(true, pred).cells.tolist()


def test_the_columns_of_a_frame_are_found_by_name():
    frame = pd.DataFrame({"b": [0.9, 0.2], "a": [0.1, 0.8]})
    table = Confusion.from_probabilities(["a", "b"], frame, labels=["a", "b"])
    assert table.cells.tolist() == [[0.1, 0.9], [0.8, 0.2]]


RANDOM = np.random.default_rng(3)
TRUE = RANDOM.choice(["ant", "bee", "cat"], 120)
P = RANDOM.dirichlet(np.ones(3), 120) + (TRUE[:, None] == np.array(["ant", "bee", "cat"]))
P /= P.sum(axis=1, keepdims=True)


def test_the_headline_is_that_of_scikit_learn_on_the_most_probable_class():
    from sklearn.metrics import f1_score

    wanted = f1_score(TRUE, np.array(["ant", "bee", "cat"])[P.argmax(axis=1)], average="macro")
    found = eh.score(TRUE, P)
    assert found["macro_f1"].value == pytest.approx(wanted, abs=1e-12)
    assert not any(name.startswith("expected_") for name in found)
    assert eh.macro_f1(TRUE, P) == found["macro_f1"].value
    assert eh.rank(TRUE, {"A": P, "B": P[::-1]}, metrics=[], replicates=9)["A"][
        "macro_f1"
    ].value == pytest.approx(wanted, abs=1e-12)
    soft = eh.score(Confusion.from_probabilities(TRUE, P))
    assert all(name.startswith("expected_") for name in soft)
    assert soft["expected_macro_f1"].value < wanted - 0.1
    again = eh.score(TRUE, P, metrics="expected_macro_f1")
    assert again["expected_macro_f1"].value == pytest.approx(soft["expected_macro_f1"].value)


@pytest.mark.parametrize(
    "of",
    [
        np.asarray,
        np.ndarray.tolist,
        np.float32,
        pd.DataFrame,
        pl.DataFrame,
    ],
)
def test_every_form_of_an_array(of):
    values = of(P)
    labels = ["ant", "bee", "cat"]
    if hasattr(values, "columns"):
        values.columns = labels
    names = ["macro_f1", "accuracy"]  # those of probabilities have their digits
    assert eh.score(TRUE, values, metrics=names) == eh.score(TRUE, P, labels=labels, metrics=names)


@pytest.mark.parametrize("of", [np.asarray, np.ndarray.tolist, pd.Series, pl.Series])
def test_one_column_of_scores(of):
    from sklearn.metrics import f1_score

    score = RANDOM.random(120)
    true = TRUE == "bee"
    found = eh.score(true, of(score))
    wanted = f1_score(true, score > 0.5, average="macro")
    assert found["macro_f1"].value == pytest.approx(wanted, abs=1e-12)
    assert found.warnings[0] == "'True' is predicted above a probability of 0.5"
    assert found == eh.score(true, np.column_stack([1 - score, score]))
    other = eh.score(true, of(score), labels=[True, False])
    assert other["accuracy"].value == pytest.approx(1 - found["accuracy"].value)


def test_numbers_that_are_labels_are_labels():
    for true, pred in (([0.5, 1.0], [0.5, 0.5]), ([0, 1, 1], [0, 1, 0]), ([0.0, 1.0], [0.0, 1.0])):
        assert not eh.score(true, pred).warnings or "probab" not in eh.score(true, pred).warnings[0]
        assert eh.accuracy(true, pred) == np.mean(np.array(true) == np.array(pred))


@pytest.mark.parametrize(
    ("rounded", "rows"),
    [
        (P.round(2), 28),
        (P.astype(np.float16), 1),
        (P.astype(np.float16).astype(str).astype(float), 1),
        (P.astype(np.float32), 0),
    ],
    ids=["decimals", "half", "printed half", "single"],
)
def test_rows_that_rounding_has_moved_are_divided_by_their_sum(rounded, rows):
    found = eh.Sample.from_probabilities(TRUE, {"A": rounded, "B": rounded})
    assert found.probability.sum(axis=-1) == pytest.approx(np.ones((2, 120)), abs=1e-6)
    assert [note.code for note in found.notes] == ["renormalised"] * (rows > 0)
    board = eh.rank(found, metrics=[], replicates=9)
    assert sum("not 1: rescaled" in w for w in board.warnings) == (rows > 0)
    for note in found.notes:
        assert note.total == 240 and note.rows >= rows and 0.98 <= note.low <= note.high <= 1.02


def test_what_no_rounding_explains():
    moved = P.round(4)
    moved[5] = [0.5, 0.25, 0.2]
    message = re.escape("got [0.5, 0.25, 0.2] at item 5 (sum 0.95)")
    with pytest.raises(InputError, match=message):
        eh.score(TRUE, moved)


def test_labels_and_expected_values_are_not_mixed():
    with pytest.raises(eh.MetricError, match="ask for them one after the other"):
        eh.compare(TRUE, P, P[::-1], metrics=["macro_f1", "expected_macro_f1"])
    with pytest.raises(eh.MetricError, match="expected_macro_f1 needs class probabilities"):
        eh.score(TRUE, TRUE, metrics="expected_macro_f1")
    with pytest.raises(eh.MetricError, match="expected_mcc needs class probabilities, got decided"):
        eh.thresholds(TRUE, P, label="bee", by_metric="expected_mcc")


def test_expected_values_have_names_of_their_own():
    scores, soft = eh.expected(TRUE, P), eh.score(Confusion.from_probabilities(TRUE, P))
    assert {name for name in scores if name.startswith("expected_")} == set(soft)
    for name in soft:
        assert scores[name].value == pytest.approx(soft[name].value, abs=1e-12)
    one = eh.score(TRUE, P, metrics="macro_f1", expected=True)
    assert list(one) == ["expected_macro_f1"] and one["expected_macro_f1"].low is not None
    assert "metric:expected_macro_f1" in str(one["expected_macro_f1"].signature)
    with pytest.raises(eh.MetricError, match="needs class probabilities, got decided labels"):
        eh.expected(TRUE, TRUE)


def test_metrics_of_probabilities_are_listed():
    assert {"roc_auc", "brier", "log_loss", "macro_f1"} <= set(eh.metrics())


def test_a_soft_table_stays_one(tmp_path):
    table = Confusion.from_probabilities(TRUE, P)
    table.save(tmp_path / "soft.json")
    for same in (Confusion.load(tmp_path / "soft.json"), table + table, Confusion.stack([table])[0],
                 table.select(["ant", "bee"]), table.relabel({"cat": "bee"})):  # fmt: skip
        assert same.soft
        with pytest.raises(InputError, match="cannot stand with tables of labels"):
            Confusion.stack([same, Confusion.from_labels(TRUE, TRUE)])
        assert list(eh.score(same, metrics="macro_f1")) == ["expected_macro_f1"]

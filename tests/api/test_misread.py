"""Calls that are plain to a person, and once gave a confident wrong number; and honest likes."""

import numpy as np
import pandas as pd
import pytest

import evenhand as eh
from evenhand.errors import InputError


def test_ratings_written_as_decimals_by_one_annotator_are_the_same():
    found = eh.agree([["0", "1"] * 30, ["0.0", "1.0"] * 30])
    assert found.alpha.value == 1 and found.labels == ("0", "1")
    assert eh.agree([["1", "1.0", "2"] * 9, ["1", "2", "2"] * 9]).labels == ("1", "1.0", "2")


TABLE = pd.DataFrame([[80, 20], [10, 90]], ["ham", "spam"], ["ham", "spam"])


def test_totals_of_a_frame_are_no_class():
    true, pred = ["ham"] * 100 + ["spam"] * 100, ["ham"] * 80 + ["spam"] * 20 + ["ham"] * 10
    pred += ["spam"] * 90
    crossed = pd.crosstab(pd.Series(true, name="true"), pd.Series(pred, name="p"), margins=True)
    found = eh.score(crossed)
    assert found["macro_f1"] == eh.score(TABLE)["macro_f1"] and found.n == 200
    assert found.warnings == ("'All' of the table was left out: it holds the sums of the others",)
    odd = crossed.copy()
    odd.loc["All", "All"] = 7
    assert eh.score(odd).n == 607


def test_an_index_called_as_predictions_has_them():
    frame = TABLE.rename_axis(index="predicted", columns="true")
    table = eh.Confusion.from_matrix(frame)
    assert table == eh.Confusion.from_matrix(TABLE, rows="pred")
    with pytest.raises(InputError, match="says what its rows are: leave out rows='true'"):
        eh.Confusion.from_matrix(frame, rows="true")
    other = TABLE.rename_axis(index="true", columns="predicted")
    assert eh.Confusion.from_matrix(other) == eh.Confusion.from_matrix(TABLE)


# Probabilities: the columns of scikit-learn are in the order of text


def test_number_like_labels_of_probabilities_need_their_order():
    labels = [str(i % 12) for i in range(60)]
    classes = sorted(set(labels))
    p = np.eye(12)[[classes.index(v) for v in labels]]
    with pytest.raises(InputError, match=r"labels=model\.classes_"):
        eh.score(labels, p)
    with pytest.raises(InputError, match=r"labels=model\.classes_"):
        eh.Confusion.from_probabilities(labels, p)
    assert eh.score(labels, p, labels=classes)["macro_f1"].value == 1
    nine = [str(i % 9) for i in range(60)]
    assert eh.score(nine, np.eye(9)[[int(v) for v in nine]])["macro_f1"].value == 1
    numbers = [i % 12 for i in range(60)]
    assert eh.score(numbers, np.eye(12)[numbers])["macro_f1"].value == 1


# The index of pandas beside the predictions

INDEX = [f"i{k}" for k in range(20)]
Y = pd.Series(["a", "b"] * 10, index=INDEX)
P = pd.Series(["b", "b"] * 5 + ["a", "b"] * 5, index=INDEX)


@pytest.mark.parametrize("option", ["weights", "cluster", "by"])
def test_weights_clusters_and_slices_in_another_order_are_refused(option):
    values = pd.Series([9.0] * 10 + [1.0] * 10, index=INDEX)
    with pytest.raises(InputError, match=f"y_true and {option} have 20 of 20 index values"):
        eh.score(Y, P, **{option: values[::-1]})
    same = eh.score(Y, P, **{option: values})
    assert same.to_dict() == eh.score(list(Y), list(P), **{option: values.tolist()}).to_dict()


# What people pass by mistake


def test_mistakes_are_one_clear_line():
    y, p = list(Y), list(P)
    gold, run = pd.DataFrame({"id": INDEX, "label": y}), pd.DataFrame({"id": INDEX, "pred": p})
    unclear = pd.DataFrame({"id": INDEX, "first": y, "second": p})
    for verb, data in ((eh.score, (unclear, run)), (eh.compare, (unclear, run, run))):
        with pytest.raises(InputError, match="of frames must name their columns of labels: true="):
            verb(*data)
    with pytest.raises(InputError, match="got a zip"):
        eh.score(zip(y, p, strict=True))
    with pytest.raises(InputError, match="a Scores"):
        eh.score(eh.score(y, p), p)
    sets = pd.DataFrame({"a": [1, 0, 1], "b": [0, 1, 1]})
    assert eh.score(sets, sets)["micro_f1"].value == 1
    with pytest.warns(eh.EvenhandWarning, match="matched by 'id'"):
        assert eh.score(gold, run, true="label", pred="pred").n == 20

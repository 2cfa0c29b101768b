"""Python data that say how they are meant: an index, categories, sums, shares, spellings."""

import numpy as np
import pytest

import evenhand as eh

pd = pytest.importorskip("pandas")
TRUE = pd.Series(list("aabbc"), index=list("vwxyz"))
PRED = pd.Series(list("ababc"), index=list("vwxyz"))
SHARES = pd.DataFrame(np.eye(3)[[0, 1, 0, 1, 2]], columns=list("abc"), index=PRED.index)
REFUSED = r"y_pred.loc\[y_true.index\] brings them together, .to_numpy\(\) of both takes them as"


def counted(true, pred):
    counter = eh.Accumulator()
    counter.update(true, pred)
    return counter.table


@pytest.mark.parametrize(
    "verb",
    [eh.score, eh.macro_f1, eh.twins, eh.Confusion.from_labels, counted],
)
def test_another_order_is_refused(verb):
    with pytest.raises(eh.InputError, match=REFUSED):
        verb(TRUE, PRED[::-1])


@pytest.mark.parametrize(
    "index",
    [[5, 4, 3, 2, 1], list("zyxwv"), [1, 1, 2, 2, 3], [9, 4, 3, 2, 1]],
    ids=["numbers as text", "text", "repeated", "most in common"],
)
def test_indexes_that_tell_an_order(index):
    true = TRUE.set_axis(index[::-1])
    with pytest.raises(eh.InputError, match="of 5 index values in common, in different orders"):
        eh.score(true, PRED.set_axis(list(map(str, index))))


def test_the_index_of_whatever_stands_beside_the_truth():
    weights = pd.Series([1.0] * 5, index=TRUE.index)[::-1]
    with pytest.raises(eh.InputError, match=r"y_true and weights have 5 of 5 index values"):
        eh.score(TRUE, PRED, weights=weights)
    with pytest.raises(eh.InputError, match="y_true and cluster have"):
        eh.score(TRUE, PRED, cluster=weights)
    with pytest.raises(eh.InputError, match="y_true and probabilities have"):
        eh.score(TRUE, SHARES[::-1])
    with pytest.raises(eh.InputError, match="y_true and probabilities have"):
        eh.Confusion.from_probabilities(TRUE, SHARES[::-1])
    with pytest.raises(eh.InputError, match="y_true and y_pred have"):
        eh.score(TRUE.map(lambda v: [v]), PRED.map(lambda v: [v])[::-1])
    with pytest.raises(eh.InputError, match="one and other have"):
        eh.agree({"one": TRUE, "other": PRED[::-1]})


def test_another_order_is_refused_by_system_and_in_frames():
    with pytest.raises(eh.InputError, match="y_true and B have 5 of 5 index values in common, in"):
        eh.rank(TRUE, {"A": PRED, "B": PRED[::-1]})
    gold, run = TRUE.to_frame("label"), PRED[::-1].to_frame("pred")
    with pytest.raises(eh.InputError, match="index values in common, in different orders"):
        eh.score(gold, run, true="label", pred="pred")
    value = eh.score(gold, run, true="label", pred="pred", by_row=True)["macro_f1"].value
    assert value == eh.macro_f1(TRUE.to_numpy(), PRED[::-1].to_numpy())


def test_rows_of_a_default_index_are_numbered_by_it():
    """Predictions that were put into another order after they were made."""
    true, pred = TRUE.reset_index(drop=True), PRED.reset_index(drop=True)
    with pytest.raises(eh.InputError, match=REFUSED):
        eh.macro_f1(true, pred[::-1])


@pytest.mark.filterwarnings("error")
def test_predictions_with_a_default_index_are_taken_as_they_stand():
    right = eh.macro_f1(list(TRUE), list(PRED))
    fresh = PRED.reset_index(drop=True)
    assert eh.macro_f1(TRUE, PRED) == eh.macro_f1(TRUE, fresh) == right
    assert eh.macro_f1(TRUE.set_axis([3, 1, 4, 0, 2]), fresh) == right  # as a split leaves it
    assert eh.macro_f1(TRUE.set_axis([30, 10, 41, 5, 92]), PRED.set_axis([7, 8, 5, 3, 1])) == right


def test_categories_have_an_order_that_columns_may_not_have():
    true = pd.Series(pd.Categorical(list("aabbc"), categories=list("cab")))
    message = r"in the order 'c', 'a', 'b' of y_true or sorted: say which with labels=\[…\]"
    with pytest.raises(eh.InputError, match=message):
        eh.score(true, SHARES.to_numpy())
    by_name = eh.accuracy(true, SHARES.reset_index(drop=True))
    assert by_name == eh.accuracy(true, SHARES.to_numpy(), labels=list("abc")) == 0.6


@pytest.mark.parametrize("data", [pd.DataFrame, np.array, list])
def test_sums_of_a_table_are_left_out(data):
    scores = eh.score(data([[40, 5, 45], [3, 52, 55], [43, 57, 100]]))
    assert scores["accuracy"].value == 0.92
    assert "of the table was left out: it holds the sums" in scores.warnings[0]


@pytest.mark.parametrize("whole", [1, 100])
def test_shares_of_true_classes_are_no_counts(whole):
    cells = np.array([[0.805, 0.195], [0.01, 0.99]]) * whole
    with pytest.raises(eh.InputError, match=f"got rows that all sum to {whole}: shares of each"):
        eh.score(cells)
    assert eh.score([[81, 19], [1, 99]]).n == 200


def test_true_labels_that_differ_in_case_alone():
    scores = eh.score(["neg", "pos", "Neg", "pos"], ["neg", "pos", "neg", "pos"])
    said = "'Neg', 'neg' differ only in case, spaces or Unicode form, and were counted as different"
    assert any(said in w for w in scores.warnings)


def test_an_array_of_items_is_no_array_of_annotators():
    ratings = np.array([list("aab"), list("abb")] * 20)
    with pytest.raises(eh.InputError, match="got 40 rows of 3: if rows are items, transpose"):
        eh.agree(ratings)
    assert eh.agree(ratings.T).alpha.value < 1


def test_a_threshold_on_scores_below_minus_one():
    soft = eh.Sample.from_probabilities(["a", "b"], {"A": [-4.0, 5.0]})
    assert soft.decided("b", 6.0).table("A").correct.tolist() == [1, 0]
    assert soft.decided("b", 3.0).table("A").correct.tolist() == [1, 1]


def test_rows_that_an_index_calls_otherwise_are_said_to_be_taken_as_they_stand():
    true, other = TRUE.reset_index(drop=True), PRED.set_axis([30, 10, 41, 15, 92])
    with pytest.warns(eh.EvenhandWarning, match="y_true and y_pred have no index value in common"):
        assert eh.score(true, other).n == 5
    with pytest.warns(eh.EvenhandWarning, match="no index value in common"):
        eh.rank(true, {"A": other, "B": other}, replicates=20)
    shuffled = PRED.set_axis([3, 1, 4, 0, 2])
    with pytest.warns(eh.EvenhandWarning, match="the index of y_pred counts its rows in another"):
        eh.score(list(TRUE), shuffled)
    with pytest.warns(eh.EvenhandWarning, match="the index of y_true counts its rows in another"):
        eh.score(shuffled, list(TRUE))


def test_an_array_of_one_column_is_that_column():
    true, pred = np.array([[0], [1], [2]]), np.array([[0], [1], [1]])
    assert eh.score(true, pred) == eh.score([0, 1, 2], [0, 1, 1])
    assert eh.macro_f1([0, 1, 2], pred) == eh.macro_f1(true, [0, 1, 1])

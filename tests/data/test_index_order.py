"""The index of pandas: the same on both sides in another order is no order to count by."""

import pytest

import evenhand as eh

pd = pytest.importorskip("pandas")
TRUE = pd.Series(list("aabbc"), index=list("vwxyz"))
PRED = pd.Series(list("ababc"), index=list("vwxyz"))


@pytest.mark.parametrize("verb", [eh.score, eh.macro_f1, eh.twins])
def test_another_order_is_refused(verb):
    with pytest.raises(eh.InputError, match=r"y_pred.reindex\(y_true.index\) brings them together"):
        verb(TRUE, PRED[::-1])


def test_another_order_is_refused_by_system_and_in_frames():
    with pytest.raises(eh.InputError, match="y_true and B have the same index in different orders"):
        eh.rank(TRUE, {"A": PRED, "B": PRED[::-1]})
    gold, run = TRUE.to_frame("label"), PRED[::-1].to_frame("pred")
    with pytest.raises(eh.InputError, match="have the same index in different orders"):
        eh.score(gold, run, true="label", pred="pred")
    value = eh.score(gold, run, true="label", pred="pred", by_row=True)["macro_f1"].value
    assert value == eh.macro_f1(TRUE.to_numpy(), PRED[::-1].to_numpy())


def test_numbers_of_rows_are_warned_of():
    with pytest.warns(eh.EvenhandWarning, match="in different orders: rows are taken as they"):
        eh.macro_f1(TRUE.reset_index(drop=True), PRED.reset_index(drop=True)[::-1].sort_values())


def test_the_same_order_and_another_index_are_taken_as_they_stand():
    right = eh.macro_f1(list(TRUE), list(PRED))
    assert eh.macro_f1(TRUE, PRED) == eh.macro_f1(TRUE, PRED.reset_index(drop=True)) == right

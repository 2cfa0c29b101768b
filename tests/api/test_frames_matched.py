"""Rows of several frames belong together by the ids that they share."""

import random

import pandas as pd
import polars as pl
import pytest

import evenhand as eh
from evenhand.errors import EvenhandWarning, InputError

N = 200


@pytest.fixture(scope="module")
def frames():
    """A frame of truth, and two of predictions in another order; and what they are in order."""
    rng = random.Random(11)
    gold = pd.DataFrame({"id": range(N), "label": [rng.choice("abc") for _ in range(N)]})
    runs = {}
    for name, share in (("A", 0.7), ("B", 0.4)):
        answers = [t if rng.random() < share else rng.choice("abc") for t in gold["label"]]
        runs[name] = pd.DataFrame({"ID": range(N), "answer": answers})
    shuffled = {name: run.sample(frac=1, random_state=3) for name, run in runs.items()}
    return gold, shuffled, {name: list(run["answer"]) for name, run in runs.items()}


COLUMNS = {"true": "label", "pred": "answer"}


@pytest.mark.parametrize(
    "made", [lambda f: f, pl.from_pandas, lambda f: pl.from_pandas(f).lazy(), None]
)
def test_ids_in_both_frames_match_the_rows(frames, made):
    gold, runs, answers = frames
    first = runs["A"]
    made = made or (lambda f: f.set_index(f.columns[0]))
    with pytest.warns(EvenhandWarning, match="^items are matched by 'id'; by_row=True refuses"):
        found = eh.score(made(gold), made(first), **COLUMNS, metrics="macro_f1")
    right = eh.score(list(gold["label"]), answers["A"], metrics="macro_f1")
    assert found["macro_f1"].value == right["macro_f1"].value
    by_row = eh.score(gold, first, **COLUMNS, metrics="macro_f1", by_row=True)
    wrong = eh.score(list(gold["label"]), list(first["answer"]), metrics="macro_f1")
    assert by_row["macro_f1"].value == wrong["macro_f1"].value != right["macro_f1"].value


def test_several_systems(frames):
    gold, runs, answers = frames
    truth = list(gold["label"])
    with pytest.warns(EvenhandWarning):
        found = eh.compare(gold, runs, **COLUMNS, metrics="accuracy")
    assert found == eh.compare(truth, answers, metrics="accuracy")
    with pytest.warns(EvenhandWarning):
        board = eh.rank(gold, runs, **COLUMNS, metrics="accuracy", by_metric="accuracy")
    assert board == eh.rank(truth, answers, metrics="accuracy", by_metric="accuracy")


def test_what_cannot_be_matched(frames):
    gold, runs, _ = frames
    with pytest.raises(InputError, match=r"^'system' lacks 3 ids of the truth: "):
        eh.score(gold, runs["A"].head(-3), **COLUMNS)
    with pytest.raises(InputError, match=r"^the frame of 'system' has columns 'ID', 'answer', exp"):
        eh.score(gold, runs["A"], true="label", pred="label")
    both = [f.assign(qid=f.iloc[:, 0] + 1000) for f in (gold, runs["A"])]
    with pytest.raises(InputError, match=r"by 'id' or 'qid': leave one out, or by_row=True$"):
        eh.score(*both, **COLUMNS)


@pytest.mark.parametrize("column", ["text", "label"])
def test_a_shared_column_that_contradicts_the_ids(column):
    values = list("aabbcdccb")
    gold = pl.DataFrame({"id": range(9), "text": values, "label": list("xyxyxxyyz")})
    turned = gold.select("id", pl.col(column).reverse(), prediction="label")
    names = {"true": "label", "pred": "prediction"}
    with pytest.raises(InputError, match=rf"'{column}', but \d+ stand on other rows"):
        eh.score(gold, turned, **names)
    with pytest.raises(InputError, match=r"leave .* out, or by_row=True$"):
        eh.rank(gold, {"A": turned, "B": turned}, **names)
    if column == "label":
        with pytest.raises(InputError, match="truth in 'label', but 6 stand on"):
            eh.score(gold, turned.drop("id"), **names)
    with pytest.warns(EvenhandWarning, match="^items are matched by 'id'"):
        assert eh.score(gold, turned.drop(column), **names).n == 9
    assert eh.score(gold, turned, **names, by_row=True).n == 9


def test_a_copy_of_the_truth_that_differs_is_said():
    gold = pl.DataFrame({"id": range(6), "label": list("xyxyxy")})
    run = gold.with_columns(prediction="label", label=pl.Series(list("xyxyxx")))
    names, matched = {"true": "label", "pred": "prediction"}, "^items are matched by 'id'"
    differs = "'label' differs from the truth on 1 item"
    with pytest.warns(EvenhandWarning, match=matched), pytest.warns(EvenhandWarning, match=differs):
        assert eh.score(gold, run, **names)["accuracy"].value == 1
    with pytest.warns(EvenhandWarning, match=matched), pytest.warns(EvenhandWarning, match=differs):
        eh.compare(gold, {"A": run, "B": run.drop("label")}, **names, replicates=20)


def test_columns_that_only_one_reading_fits(frames):
    gold, runs, answers = frames
    read, matched = "^columns read: 'label' as truth, 'answer' as pred", "^items are matched"
    with pytest.warns(EvenhandWarning, match=matched), pytest.warns(EvenhandWarning, match=read):
        found = eh.score(gold, runs["A"], metrics="macro_f1")
    right = eh.score(list(gold["label"]), answers["A"], metrics="macro_f1")
    assert found["macro_f1"].value == right["macro_f1"].value
    with pytest.warns(EvenhandWarning, match=matched), pytest.warns(EvenhandWarning, match=read):
        board = eh.compare(gold, runs, metrics="accuracy")
    assert board == eh.compare(list(gold["label"]), answers, metrics="accuracy")
    two = runs["A"].assign(response=runs["A"]["answer"])
    with pytest.raises(InputError, match="must name their columns of labels"):
        eh.score(gold, two)

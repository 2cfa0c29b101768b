"""Scores over folds: by hand, by scipy, in every form, and what is refused."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import stats

import evenhand as eh
from evenhand.errors import InputError
from evenhand.inference.multiplicity import resampled_mean

RNG = np.random.default_rng(5)
TRUE = RNG.choice(["a", "b", "c"], 120, p=[0.6, 0.3, 0.1]).tolist()
A = [t if RNG.random() < 0.8 else str(RNG.choice(list("abc"))) for t in TRUE]
B = [t if RNG.random() < 0.6 else str(RNG.choice(list("abc"))) for t in TRUE]
FOLD = [i % 6 for i in range(120)]
REPEAT = [i // 60 for i in range(120)]


def test_pooled_and_mean_of_folds_are_apart():
    """Fold 1: aab/abb, fold 2: bab/baa; F1s by hand."""
    found = eh.cross_validated(
        list("aabbab"), list("abbbaa"), fold=[1, 1, 1, 2, 2, 2], metrics=["macro_f1", "accuracy"]
    )
    one = found["macro_f1"]
    assert one.folds == pytest.approx(((2 / 3 + 2 / 3) / 2, (2 / 3 + 2 / 3) / 2))
    assert one.pooled == pytest.approx((2 * 2 / 6 + 2 * 2 / 6) / 2)
    skewed = eh.cross_validated(list("aaab"), list("aaaa"), fold=[1, 1, 2, 2], metrics="macro_f1")[
        "macro_f1"
    ]
    assert skewed.value == pytest.approx((1 + (2 / 3) / 2) / 2)  # fold 1 has but one class
    assert skewed.pooled == pytest.approx((6 / 7) / 2)


def test_the_interval_is_nadeau_and_bengios():
    found = eh.cross_validated(TRUE, A, fold=FOLD, metrics="macro_f1", level=0.9)["macro_f1"]
    truth, guess, fold = map(np.array, (TRUE, A, FOLD))
    values = [
        eh.score(truth[fold == i], guess[fold == i], interval=None)["macro_f1"].value
        for i in range(6)
    ]
    assert found.folds == tuple(values)
    se = np.sqrt((1 / 6 + 20 / 100) * np.var(values, ddof=1))
    low, high = stats.t.interval(0.9, 5, np.mean(values), se)
    assert (found.value, found.se) == pytest.approx((np.mean(values), se), abs=1e-12)
    assert (found.low, found.high) == pytest.approx((low, min(high, 1)), abs=1e-12)
    assert found.method == "resampled t"


def test_without_correction_it_is_students_test():
    x = RNG.normal(size=9)
    found = resampled_mean(x, 0.0)
    wanted = stats.ttest_1samp(x, 0)
    assert found.p == pytest.approx(wanted.pvalue, abs=1e-12)
    interval = found.interval(0.95)
    ends = (interval.low, interval.high)
    assert ends == pytest.approx(list(wanted.confidence_interval()), abs=1e-12)


def test_repeats_count_what_their_own_folds_were_trained_on():
    found = eh.cross_validated(TRUE, A, fold=FOLD, repeat=REPEAT, metrics="accuracy")
    assert (found.folds, found.repeats) == (12, 2)
    assert found.test_to_train == pytest.approx(10 / 50)
    values = np.array(found["accuracy"].folds)
    assert found["accuracy"].se == pytest.approx(np.sqrt((1 / 12 + 1 / 5) * values.var(ddof=1)))


def test_pairs_are_of_the_same_folds():
    found = eh.cross_validated(TRUE, {"A": A, "B": B}, fold=FOLD, metrics=["accuracy", "mcc"])
    assert [(d.systems, d.metric) for d in found.differences] == [
        (("A", "B"), "accuracy"),
        (("A", "B"), "mcc"),
    ]
    for d in found.differences:
        a, b = found["A", d.metric], found["B", d.metric]
        assert d.folds == tuple(np.subtract(a.folds, b.folds))
        se = np.sqrt((1 / 6 + 1 / 5) * np.var(d.folds, ddof=1))
        assert d.p == pytest.approx(2 * stats.t.sf(abs(np.mean(d.folds)) / se, 5), abs=1e-12)
        assert d.pooled == a.pooled - b.pooled


COLUMNS = {"gold": TRUE, "A": A, "B": B, "fold": FOLD, "run": REPEAT}
FRAME = {"true": "gold", "pred": ["A", "B"], "fold": "fold", "repeat": "run"}
HOW = {"metrics": ["macro_f1", "accuracy"]}


@pytest.mark.parametrize(
    "found",
    [
        lambda: eh.cross_validated(TRUE, A, B, fold=FOLD, repeat=REPEAT, **HOW),
        lambda: eh.cross_validated(pd.DataFrame(COLUMNS), **FRAME, **HOW),
        lambda: eh.cross_validated(pl.LazyFrame(COLUMNS), **FRAME, **HOW),
        lambda: eh.cross_validated(
            y_true=np.array(TRUE), y_pred=pd.DataFrame({"A": A, "B": B}),
            fold=pl.Series(FOLD), repeat=np.array(REPEAT), **HOW,
        ),
    ],
    ids=["columns", "pandas", "lazy", "names"],
)  # fmt: skip
def test_every_form_gives_the_same(found):
    wanted = eh.cross_validated(TRUE, {"A": A, "B": B}, fold=FOLD, repeat=REPEAT, **HOW)
    assert found() == wanted


def test_no_spread_is_not_certainty():
    found = eh.cross_validated(list("abab"), {"A": list("abab"), "B": list("abab")},
                               fold=[1, 1, 2, 2], metrics="accuracy")  # fmt: skip
    assert (found["A"].value, found["A"].low, found["A"].note) == (1, None, "no width")
    assert found.differences[0].p is None
    assert [c["code"] for c in found.to_dict()["warning_codes"]] == ["no_width", "no_width"]


def test_folds_without_a_class_are_named():
    found = eh.cross_validated(list("aabb"), list("aaba"), fold=[1, 1, 2, 2], metrics="macro_f1")
    (code,) = (c for c in found.to_dict()["warning_codes"] if c["code"] == "folds_lack_classes")
    assert code == {"code": "folds_lack_classes", "lacking": 2, "folds": 2, "labels": ["a", "b"]}
    listed = eh.cross_validated(
        list("aabb"), list("aaba"), fold=[1, 1, 2, 2], metrics="macro_f1", classes=["a", "b"]
    )
    assert listed["macro_f1"].folds == pytest.approx((1 / 2, 1 / 3))
    assert "folds_lack_classes" not in str(listed.to_dict())


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: eh.cross_validated(TRUE, A, fold=[1]), "fold must have 120 entries, one per item"),
        (
            lambda: eh.cross_validated(TRUE, A, fold="fold"),
            "fold must be a list of values, one per item",
        ),
        (lambda: eh.cross_validated(TRUE, A, fold=[1] * 120), "at least two folds, got one"),
        (
            lambda: eh.cross_validated(TRUE, A, fold=REPEAT, repeat=REPEAT),
            "repeat must have at least two folds in each",
        ),
        (lambda: eh.cross_validated(TRUE, A, fold=FOLD, train=0), "train must be a number"),
        (lambda: eh.cross_validated([[1, 0], [0, 1]], fold=[1, 2]), "cross_validated takes"),
        (
            lambda: eh.cross_validated([{"a"}, {"b"}], [{"a"}, {"a"}], fold=[1, 2]),
            "items with one label each, got label sets",
        ),
        (lambda: eh.cross_validated(TRUE, A, fold=FOLD, level=2), "level"),
    ],
)
def test_what_is_refused(call, message):
    with pytest.raises(InputError, match=message):
        call()


def test_training_size_can_be_told():
    found = eh.cross_validated(TRUE, A, fold=FOLD, train=40, metrics="accuracy")
    assert found.test_to_train == 20 / 40

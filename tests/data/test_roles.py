"""Which column is what, by names in any case, distinctness, fullness and shared labels."""

import polars as pl
import pytest

from evenhand.data.roles import infer, labels_of, profile

N = 40
ABC = [("a", "b", "c")[i % 3] for i in range(N)]
OTHER = [("a", "c", "b")[i % 3] for i in range(N)]
TOPIC = [("law", "art")[i % 2] for i in range(N)]
IDS = [f"q{i}" for i in range(N)]


def roles(**columns):
    frame = pl.LazyFrame(columns)
    return infer([profile(frame, c, i) for i, c in enumerate(columns, 1)])


def named(**columns):
    return {c.name: c.role for c in roles(**columns).columns if c.role}


@pytest.mark.parametrize("truth", ["label", "Gold", "TRUTH", "target", "y_true", "goldLabel"])
@pytest.mark.parametrize(
    "pred", ["prediction", "Pred", "predicted", "answer", "choice", "OUTPUT", "y_pred"]
)
def test_names_in_any_case(truth, pred):
    both = {"category": TOPIC, pred: OTHER, truth: ABC}
    assert named(**both) == {pred: "predictions", truth: "truth"}
    assert roles(**both).unsure == ()


@pytest.mark.parametrize("name", ["id", "ID", "tweet_id", "tweetId", "question", "item", "qid"])
def test_names_of_ids(name):
    assert named(**{name: IDS, "gold": ABC, "pred": OTHER})[name] == "ids"


def test_what_is_no_truth():
    assert named(judge_label=ABC, human_label=ABC, system=OTHER) == {
        "judge_label": "judge", "human_label": "truth", "system": "predictions",
    }  # fmt: skip
    assert named(category=TOPIC, x=ABC, prediction=OTHER) == {
        "x": "truth", "prediction": "predictions",
    }  # fmt: skip
    assert named(label_id=ABC, text=IDS) == {"label_id": "truth"}


def test_several_systems_and_samples():
    found = named(
        question_id=[i // 4 for i in range(N)],
        model=["x", "x", "y", "y"] * 10,
        sample=[0, 1] * 20,
        gold=ABC,
        answer=OTHER,
        seed=[1, 2] * 20,
        epoch=[1, 2] * 20,
        fold=[1, 2] * 20,
        user=["u", "v"] * 20,
        weight=[0.5, 1.0] * 20,
    )
    assert found == {
        "question_id": "ids", "model": "systems", "sample": "samples", "gold": "truth",
        "answer": "predictions", "seed": "runs", "epoch": "epochs", "fold": "folds",
        "user": "clusters", "weight": "weights",
    }  # fmt: skip


def test_what_is_unsure():
    assert roles(one=ABC, two=OTHER).unsure == ("one",)
    assert roles(gold=ABC, label=OTHER).unsure == ("label",)


def test_labels_of_a_file_alone():
    frame = pl.LazyFrame({"1": IDS, "2": ABC, "3": TOPIC})
    columns = [profile(frame, c, i) for i, c in enumerate("123", 1)]
    assert [c.name for c in labels_of(columns, truth=False)] == ["2", "3"]
    assert [c.name for c in labels_of(columns, frozenset("ab"), truth=False)] == ["2"]

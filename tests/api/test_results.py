"""Scores: look-up, frames, dictionaries, and what they warn of."""

import copy
import json
import pickle

import pandas as pd
import polars as pl
import pytest

import evenhand as eh
from evenhand import Confusion
from evenhand.errors import InputError
from evenhand.results.result import Collection
from tests.results.samples import FRIENDLY, every_result

TABLE = Confusion.from_matrix([[6, 1, 1], [1, 5, 2], [2, 3, 7]], labels=["bird", "cat", "dog"])
SCORES = eh.score(TABLE, metrics=["macro_f1", "macro_fbeta:beta=2", "f1:label=dog"])
SLICED = eh.score(
    Confusion.stack({None: TABLE, ("en", 2): TABLE, "all": TABLE}), metrics=["macro_f1"]
)


def test_a_score_is_found_by_any_of_its_names():
    for name in ("macro_f1", "averaged_f1", "mean_of_f1"):
        assert SCORES[name].value == eh.macro_f1(TABLE)
    assert SCORES["macro_fbeta:beta=2.0"].metric == "macro_fbeta:beta=2"
    with pytest.raises(KeyError, match="mcc"):
        SCORES["mcc"]
    with pytest.raises(KeyError, match="did you mean macro_f1"):
        SCORES["macro_f"]


def test_each_score_has_the_signature_of_its_metric():
    assert str(SCORES["macro_f1"].signature).startswith("metric:macro_f1|formula:mean-of-f1|")


def test_other_classes_are_another_signature():
    ones, others = (eh.score(TABLE, metrics=["macro_f1"], classes=[c]) for c in ("cat", "dog"))
    assert str(ones.signature) != str(others.signature)


def test_two_functions_do_not_share_a_name():
    found = eh.score(TABLE, metrics=[lambda c: c.mean(c.correct), lambda c: c.mean(c.bias)])
    assert sorted(s.value for s in found.metrics.values()) == [6, pytest.approx(28 / 3)]


def test_every_slice_has_its_key_and_the_whole_has_none():
    found = SLICED.to_dict()
    assert "key" not in found
    assert [s["key"] for s in found["slices"]] == [None, ["en", 2], "all"]


def test_the_pooled_row_is_no_slice():
    names = SLICED.to_polars()["slice"].unique(maintain_order=True).to_list()
    assert names == ["(empty)", "en, 2", "all", "all (pooled)"]


def test_pooled_is_the_sum():
    assert SLICED.n == 84
    assert SLICED["macro_f1"].value == pytest.approx(eh.macro_f1(TABLE))


def test_frames_hold_every_number():
    frame = SCORES.to_pandas()
    assert isinstance(frame, pd.DataFrame)
    assert [str(frame[c].dtype) for c in ("value", "se", "low", "high")] == ["float64"] * 4
    assert len(frame) == 3 + 3 * 6
    assert frame.query("metric == 'f1' and label == 'dog'").value.item() == pytest.approx(14 / 22)
    other = SCORES.to_polars()
    assert isinstance(other, pl.DataFrame)
    assert other["value"].to_list() == frame.value.to_list()


def test_a_dictionary_is_plain_json():
    assert json.loads(json.dumps(SCORES.to_dict(), allow_nan=False)) == SCORES.to_dict()


def test_results_travel():
    assert pickle.loads(pickle.dumps(SCORES)) == SCORES
    assert pickle.loads(pickle.dumps(TABLE)).cells.tolist() == TABLE.cells.tolist()
    assert copy.deepcopy(TABLE).labels == TABLE.labels
    assert pickle.loads(pickle.dumps(eh.macro_f1)) is eh.macro_f1


def warned(table, **options):
    return eh.score(table, metrics=["macro_f1"], **options).warnings


def test_nothing_to_warn_of():
    assert warned([[50, 10], [10, 50]]) == ()


def test_a_perfect_score_is_not_certain():
    perfect = eh.score([[5, 0], [0, 5]], metrics=["macro_f1"])["macro_f1"]
    assert 0.3 < perfect.low < 0.8 and perfect.high == 1
    (message,) = [w for w in warned([[5, 0], [0, 5]], interval="delta") if "macro_f1" in w]
    assert "no interval for macro_f1: its standard error is 0 or infinite" in message


def test_a_gap_of_more_than_a_point_is_warned_of():
    (message,) = warned([[100, 0], [10000, 100]])
    assert "differ here by 48.5 points" in message
    assert "macro_f1 0.0196, f1_of_averages 0.5050" in message


def test_strays_are_warned_of_with_both_values():
    found = warned(Confusion.from_labels(["a", "b"], ["a", "c"]))
    assert (
        "1 prediction is of labels that never occur in the truth ('c'); macro_f1 is 0.5000 "
        "over the true classes, 0.3333 over all classes seen"
    ) in found


def test_outside_missing_and_dropped_are_warned_of():
    table = Confusion.from_labels(["a", "a", None], ["a", None, "a"], drop_null_truth=True)
    found = " ".join(warned(table))
    assert "1 prediction missing, counted as errors" in found
    assert "1 row without a true label was dropped" in found


@pytest.mark.parametrize("digits", [-1, 2.5, "4"])
def test_digits_are_a_whole_number(digits):
    for write in (SCORES.to_markdown, SCORES.to_latex, SCORES.to_html):
        with pytest.raises(InputError, match="digits must be a whole number from 0 to 17, got"):
            write(digits=digits)


HELPERS = {"cautions", "content", "parts", "picture", "json_fields", "noted", "select"}


@pytest.mark.parametrize(("name", "result"), every_result(tuple(FRIENDLY)).items())
def test_completion_offers_what_users_use(name, result):
    """Names for other results stay out of ``dir``; what is offered is there; names complete."""
    offered = set(dir(result))
    assert not HELPERS & offered and {"to_dict", "save", "warnings", "verdict"} <= offered
    assert all(hasattr(result, attribute) for attribute in offered)
    sentences = [result.verdict] if isinstance(result.verdict, str) else result.verdict
    assert sentences and all(isinstance(v, str) and v for v in sentences)
    if isinstance(result, Collection):
        keys = result._ipython_key_completions_()
        assert keys == list(result) and all(key in result for key in keys[:3])


def test_a_verdict_is_what_the_text_begins_with():
    scores = eh.score([[6, 1, 1], [1, 5, 2], [2, 3, 7]], metrics="macro_f1")
    assert scores.verdict == "macro_f1 0.6435 [0.4407, 0.8052]" and scores.verdict in repr(scores)
    assert "\nmacro_f1  0.6435  [0.4407, 0.8052]\n" in str(scores)  # once, in its table
    groups = eh.groups(list("abab" * 30), list("abbb" * 30), by=list("xxyy" * 30))
    assert groups.worst == "y" == groups["accuracy"].worst and groups.verdict in str(groups)

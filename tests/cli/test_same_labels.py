"""1 and 1.0, True and true: one label in every verb and kind of data; an empty one is missing."""

import json

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import evenhand as eh
from evenhand import Confusion, InputError, Sample
from evenhand.warnings import CaseApart

GOLD = [0, 1, 1, 0, 1, 0, 1, 1]
PRED = [0, 1, None, 0, 0, 0, 1, 1]
CELLS = [[3, 0, 0], [1, 3, 1]]  # the last column: missing
SAID = "labels written differently were taken as one: "
FLOATS = SAID + "0.0 is 0, 1.0 is 1"
TEXTS = SAID + "'0.0' is '0', '1.0' is '1'"


def cells(table):
    return np.column_stack([table.cells, table.outside]).tolist()


def as_floats(labels):
    return [np.nan if v is None else float(v) for v in labels]


@pytest.mark.parametrize(
    "hold", [list, np.array, pd.Series, pl.Series, pa.array, lambda v: np.array(v, object)]
)
def test_integers_and_floats_in_memory(hold):
    table = Confusion.from_labels(hold(GOLD), hold(as_floats(PRED)))
    assert table.labels == (0, 1) and list(map(type, table.labels)) == [int, int]
    assert cells(table) == CELLS and table.missing == 1
    sample = Sample.from_labels(hold(GOLD), {"A": hold(as_floats(PRED)), "B": hold(GOLD)})
    assert sample.table("A") == table
    turned = Confusion.from_labels(hold([float(v) for v in GOLD]), hold(GOLD))
    assert turned.labels == (0, 1) and list(map(type, turned.labels)) == [int, int]


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
def test_integers_and_floats_in_frames(make):
    frame = make({"gold": GOLD, "one": GOLD, "other": [v if v is None else float(v) for v in PRED]})
    table = Confusion.from_frame(frame, true="gold", pred="other")
    assert cells(table) == CELLS and table.missing == 1 and table.labels == (0, 1)
    stack = Confusion.from_frame(frame, true="gold", pred=["one", "other"])
    assert cells(stack["other"]) == CELLS and stack["one"].correct.tolist() == [3, 5]
    found = eh.rank(frame, true="gold", pred=["one", "other"], replicates=100)
    assert found["other"]["accuracy"].value == 0.75 and found.warnings[0] == FLOATS


@pytest.mark.parametrize(
    ("true", "pred", "labels"),
    [
        (["0", "1", "1"], ["0.0", "1.0", "2.0"], ("0", "1", "2")),
        (["0.0", "1.0", "1.0"], ["0", "1", "1"], ("0", "1")),
        (["1", "2", "2.5"], ["1.0", "2.0", "2.5"], ("1", "2", "2.5")),
        (["1", "2", "2"], ["1.0", "1", "2"], ("1", "2")),  # the truth has one spelling
        (["-1", "x", "x"], ["-1.0", "x", "x"], ("-1", "x")),
        (["True", "False", "True"], ["true", "false", "true"], ("False", "True")),
        (["false", "true", "true"], ["FALSE", "TRUE", "maybe"], ("false", "maybe", "true")),
        ([True, False, True], ["true", "False", "true"], (False, True)),
        ([True, False, True], ["true", "maybe", "true"], ("false", "maybe", "true")),
        (["True", "no", "no"], [True, False, True], ("False", "True", "no")),
    ],
)
def test_spellings(true, pred, labels):
    table = Confusion.from_labels(true, pred)
    assert table.labels == labels and len(table.notes) == 1


@pytest.mark.parametrize(
    ("true", "pred"),
    [
        (["1", "1.0", "2"], ["1.0", "1", "2"]),  # the truth tells them apart
        (["1", "2", "2"], ["01", "2.00", "+1"]),  # other words than pandas writes
        (["1.0", "0.0"], ["1.0", "0.0"]),  # nothing differs
        ([1.0, 0.5], [1.0, 0.5]),
    ],
)
def test_what_stays_apart(true, pred):
    table = Confusion.from_labels(true, pred)
    apart = (CaseApart(("1", "1.0")),) if {"1", "1.0"} <= {*true} else ()  # in the truth alone
    assert set(table.labels) == {*true, *pred} and table.notes == apart


def test_labels_of_one_truth_that_differ_in_case_stay_apart_and_are_named():
    table = Confusion.from_labels(["True", "true", "x"], ["true", "x", "x"])
    assert set(table.labels) == {"True", "true", "x"}
    assert table.notes == (CaseApart(("True", "true")),)


def test_labels_listed_are_spelled_alike():
    table = Confusion.from_labels([0.0, 1.0], [0.0, 1.0], labels=[1, 0])
    assert table.labels == (1, 0) and table.correct.tolist() == [1, 1]
    table = Confusion.from_labels(["0", "1"], ["0.0", "1.0"], labels=["1.0", "0.0"])
    assert table.labels == ("1", "0") and table.correct.tolist() == [1, 1]


def test_an_empty_prediction_is_missing():
    table = Confusion.from_labels(["a", "b"], ["a", ""])
    assert table.labels == ("a", "b") and table.missing == 1 and table.outside.tolist() == [0, 1]
    sample = Sample.from_labels(["a", "b"], {"A": ["a", ""], "B": ["", ""]})
    assert sample.labels == ("a", "b") and sample.missing.tolist() == [1, 2]
    named = Confusion.from_labels(["a", ""], ["a", ""])  # unless some item is truly labelled so
    assert named.labels == ("", "a") and named.missing == 0
    with pytest.raises(InputError, match="must have labels of one type"):
        Confusion.from_labels([1, 2], ["", "x"])


def text(labels, ending="\n"):
    return "".join(f"{'' if v is None else v}{ending}" for v in labels)


@pytest.fixture
def files(write):
    """Predictions with one missing, as pandas writes them, in every kind of file."""
    floats = [None if v is None else float(v) for v in PRED]
    rows = [{"label": v} for v in floats]
    write("gold.txt", text(GOLD))
    write("gold.csv", "id,label\n" + "".join(f"{i},{v}\n" for i, v in enumerate(GOLD)))
    write("old.txt", text([*GOLD[:-1], 0]))
    write("old.csv", "id,label\n" + "".join(f"{i},{v}\n" for i, v in enumerate([*GOLD[:-1], 0])))
    write("new.txt", text(floats))
    write("new.csv", "id,label\n" + "".join(
        f"{i},{'' if v is None else v}\n" for i, v in enumerate(floats)))  # fmt: skip
    write("new.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    write("new.json", json.dumps(rows))


PAIRS = [
    ("gold.txt", "new.txt", ()),
    ("gold.csv", "new.csv", ("--label", "label")),
    ("gold.csv", "new.csv", ("--label", "label", "--id", "id")),
    ("gold.csv", "new.jsonl", ("--label", "label")),
    ("gold.csv", "new.json", ("--label", "label")),
]


@pytest.mark.parametrize(("gold", "new", "options"), PAIRS)
def test_files_through_score(run, files, gold, new, options):
    result = run("score", gold, new, *options, "--format", "json", "--interval", "none")
    assert result.exit_code == 0, result.stderr
    told = json.loads(result.stdout)
    assert told["labels"] == ["0", "1"] and told["missing"] == told["outside"] == 1
    assert told["metrics"]["accuracy"]["value"] == 0.75
    assert TEXTS in told["warnings"]
    assert {"code": "same_labels", "spellings": [["0.0", "0"], ["1.0", "1"]]} in told[
        "warning_codes"
    ]


@pytest.mark.parametrize("command", ["rank", "compare", "gate", "report"])
@pytest.mark.parametrize(("gold", "old", "new"), [("gold.txt", "old.txt", "new.txt")])
def test_files_through_every_verb(run, files, command, gold, old, new):
    more = {"gate": ("--margin", "0.5"), "report": ("-o", "r.html"), "rank": ("--replicates", 50)}
    result = run(command, gold, old, new, *more.get(command, ()))
    assert result.exit_code in (0, 1), result.stderr
    assert TEXTS in result.stderr


def test_a_map_sees_one_spelling(run, files, write):
    write("map.csv", "0,no\n1,yes\n")
    for command in (("score", "gold.txt", "new.txt"), ("rank", "gold.txt", "old.txt", "new.txt")):
        told = json.loads(run(*command, "--map", "map.csv", "--format", "json").stdout)
        assert TEXTS in told["warnings"]
    assert {s["name"]: s["scores"]["accuracy"]["value"] for s in told["systems"]} == {
        "old": 0.875,
        "new": 0.75,
    }

"""Who is an annotator: a column with another value in every row only names the items."""

import json

import pandas as pd
import pytest

import evenhand as eh
from evenhand.errors import InputError

ANNA = ["yes", "no", "yes", "no", "yes", "maybe", "no", "yes"]
BEN = ["yes", "no", "no", "no", "yes", "maybe", "yes", "yes"]
PLAIN = eh.agree({"anna": ANNA, "ben": BEN})
COLUMNS = {
    "patient": [101, 102, 103, 104, 105, 106, 107, 108],
    "id": [1, 2, 3, 4, 5, 6, 7, 8],
    "note": [f"seen on day {i}" for i in range(8)],
}


@pytest.mark.parametrize("name", COLUMNS)
def test_a_column_of_distinct_values_is_no_annotator(name):
    found = eh.agree(pd.DataFrame({name: COLUMNS[name], "anna": ANNA, "ben": BEN}))
    assert found.alpha == PLAIN.alpha and round(found.alpha.value, 4) == 0.6053
    assert found.annotators == ("anna", "ben")
    assert found.to_dict()["annotators"] == ["anna", "ben"]
    assert found.warnings[0] == (
        f"'{name}': a different value in every row, so taken as ids, not as an annotator"
    )


def test_ratings_that_all_differ_are_ratings():
    frame = pd.DataFrame({"x": [1.5, 2.25, 3.0, 4.75], "y": [1.25, 2.5, 3.5, 4.5]})
    found = eh.agree(frame, distance="interval")
    assert (
        found.annotators == ("x", "y")
        and found.warnings
        == eh.agree({"x": list(frame["x"]), "y": list(frame["y"])}, distance="interval").warnings
    )


def test_named_annotators_are_taken_at_their_word():
    found = eh.agree({"id": [1, 2, 3], "anna": [1, 2, 2]})
    assert found.annotators == ("id", "anna")


def test_one_annotator_beside_names_is_too_few():
    with pytest.raises(InputError, match="'id' has another value in every row"):
        eh.agree(pd.DataFrame({"id": range(8), "anna": ANNA}))


def test_files(run, tmp_path):
    frame = pd.DataFrame({"patient": COLUMNS["patient"], "anna": ANNA, "ben": BEN})
    frame.to_csv(tmp_path / "r.csv", index=False)
    made = run("agree", tmp_path / "r.csv", "--format", "json")
    told = json.loads(made.stdout)
    assert told["alpha"]["value"] == PLAIN.alpha.value
    assert told["annotators"] == ["anna", "ben"]
    assert told["warning_codes"][0]["code"] == "no_annotators"
    frame.to_json(tmp_path / "r.jsonl", orient="records", lines=True)
    assert json.loads(run("agree", tmp_path / "r.jsonl", "--format", "json").stdout) == told


def test_lists_are_no_labels(run, tmp_path):
    path = tmp_path / "r.json"
    path.write_text('[{"a": ["x", "y"], "b": ["x"]}, {"a": ["y"], "b": ["y"]}]')
    made = run("agree", path)
    assert made.exit_code == 2 and made.stdout == ""
    assert made.stderr == (
        f"evenhand: error: {path}, column 'a' must hold one label per item, got List(String); "
        "say which columns are annotators with --pred COL\n"
    )
    with pytest.raises(InputError, match="ratings must be lists of at least two annotators"):
        eh.agree({"a": [["x"], ["y"]], "b": [["x"], ["y"]]})

"""The API answers what the library says, and refuses by field what it cannot take."""

import json

import pytest

import evenhand as eh
from evenhand.catalogue.lists import table_metrics

CELLS = [[6, 1, 1], [1, 5, 2], [2, 3, 7]]
LABELS = ["bird", "cat", "dog"]
TRUE, A, B = list("aabbbabab"), list("aabbbabaa"), list("ababbbaab")
TABLE = eh.Confusion.from_matrix(CELLS, labels=LABELS)


@pytest.mark.parametrize(
    ("verb", "body", "wanted"),
    [
        ("score", {"matrix": CELLS, "labels": LABELS}, lambda: eh.score(TABLE)),
        ("score", {"true": TRUE, "pred": A}, lambda: eh.score(TRUE, A)),
        (
            "score",
            {"true": TRUE, "pred": A, "metrics": ["macro_f1@uniform"], "interval": None},
            lambda: eh.score(TRUE, A, metrics=["macro_f1@uniform"], interval=None),
        ),
        (
            "score",
            {"true": TRUE, "pred": A, "cluster": [1, 1, 2, 2, 3, 3, 4, 4, 5]},
            lambda: eh.score(TRUE, A, cluster=[1, 1, 2, 2, 3, 3, 4, 4, 5]),
        ),
        (
            "score",
            {"matrix": [[15, 5], [10, 10]], "labels": ["a", "b"], "rows": "pred"},
            lambda: eh.score(
                eh.Confusion.from_matrix([[15, 5], [10, 10]], labels="ab", rows="pred")
            ),
        ),
        ("twins", {"matrix": CELLS, "labels": LABELS}, lambda: eh.twins(TABLE)),
        (
            "calibrate",
            {"matrix": CELLS, "labels": LABELS, "to": {"bird": 0.2, "cat": 0.3, "dog": 0.5}},
            lambda: eh.shift.extrapolate(TABLE, to="bird=0.2,cat=0.3,dog=0.5"),
        ),
        (
            "sweep",
            {"matrix": CELLS, "labels": LABELS, "label": "cat", "at": [0.1, 0.5]},
            lambda: eh.shift.sweep(TABLE, label="cat", at=[0.1, 0.5], interval=None),
        ),
        (
            "which",
            {"precision": "0.725", "recall": "0.5667", "f1": "0.6042"},
            lambda: eh.which("0.725", "0.5667", "0.6042"),
        ),
    ],
)
def test_an_answer_is_what_the_library_says(client, verb, body, wanted):
    found = client.post(f"/api/v1/{verb}", body)
    assert found.status == 200
    assert found.json == json.loads(wanted().to_json())


def test_jobs_answer_as_the_library_does(client):
    both = {"true": TRUE, "systems": {"A": A, "B": B}}
    found = client.post("/api/v1/rank", both | {"metrics": ["accuracy"]})
    wanted = eh.rank(TRUE, {"A": A, "B": B}, metrics=["accuracy"])
    assert found.json == json.loads(wanted.to_json())
    text = "| Model | P | R | F1 |\n|---|---|---|---|\n| ours | 70.0 | 50.0 | 90.0 |\n"
    found = client.post("/api/v1/audit", {"text": text})
    assert found.json == json.loads(eh.audit(text).to_json())
    how = {"metrics": ["accuracy"], "interval": "bootstrap", "replicates": 50}
    found = client.post("/api/v1/score", {"matrix": CELLS} | how)
    wanted = eh.score(CELLS, **how)
    assert found.json == json.loads(wanted.to_json())


@pytest.mark.parametrize("form", ["csv", "markdown", "latex", "html"])
def test_other_forms_are_those_of_the_library(client, form):
    found = client.post("/api/v1/score", {"matrix": CELLS, "labels": LABELS}, format=form)
    assert found.status == 200
    assert found.text == getattr(eh.score(TABLE), f"to_{form}")()


@pytest.mark.parametrize(
    ("body", "field", "said"),
    [
        ({"matrix": [[1, -1], [0, 1]]}, "matrix.0.1", "greater than or equal to 0"),
        ({"matrix": [[1, 2], [1]]}, None, "matrix must have rows of one length"),
        ({"matrix": [["a"]]}, "matrix.0.0", "should be a valid integer"),
        ({"matrix": [[True]]}, "matrix.0.0", "should be a valid integer"),
        ({"matrix": [[10**400]]}, "matrix.0.0", "less than or equal to 1000000000000000"),
        ({"matrix": []}, "matrix", "at least 1"),
        ({}, "true", "expected matrix, or true and pred"),
        ({"true": ["a"]}, "pred", "expected matrix, or true and pred"),
        ({"true": ["a"], "pred": [1.5]}, "pred.0", "should be a valid string"),
        ({"true": ["a"], "pred": ["a"], "matrix": [[1]]}, "matrix", "not both"),
        ({"matrix": [[1]], "cluster": ["a"]}, "cluster", "give true and pred, not a matrix"),
        ({"matrix": [[1]], "classes": "all"}, "classes", "'task', 'true', 'seen'"),
        (
            {"true": [*range(501)], "pred": [*range(501)], "cluster": [*range(501)]},
            "labels",
            "at most 500 are taken here, got 501",
        ),
        ({"matrix": [[1]], "metrics": ["nope"]}, "metrics", "no metric is called"),
        ({"matrix": [[1]], "metrics": ["os:system"]}, "metrics", "no metric is called 'os'"),
        ({"matrix": [[1]], "foo": 1}, "foo", "not permitted"),
        ({"matrix": [[1]], "interval": "magic"}, "interval", "interval must be one of"),
        ({"matrix": [[1]], "replicates": 10**6, "interval": "bootstrap"}, "replicates", "at most"),
        ({"matrix": [[0] * 501] * 501}, "matrix", "at most 500 are taken here, got 501"),
        ({"matrix": [[0, 0], [0, 0]]}, None, "holds no items"),
        ({"matrix": [[1, 2], [2, 1]], "labels": ["a"]}, None, "labels must have length 2"),
    ],
)
def test_what_cannot_be_taken_is_said_by_its_field(client, body, field, said):
    found = client.post("/api/v1/score", body)
    assert found.status == 422
    assert found.error.get("field") == field
    assert said in found.error["message"]


@pytest.mark.parametrize(
    ("content", "status", "field"),
    [
        (b"{", 400, "body"),
        (b"[1]", 422, "body"),
        (b"null", 422, "body"),
        (b'{"matrix": [[NaN, 1], [1, 1]]}', 422, "matrix.0.0"),
        (b'{"matrix": [[1e999, 1], [1, 1]]}', 422, "matrix.0.0"),
        (b"\xff\xfe", 400, "body"),
    ],
)
def test_what_is_no_table_of_numbers(client, content, status, field):
    found = client.post("/api/v1/score", content)
    assert (found.status, found.error["field"]) == (status, field)


def test_a_text_to_audit_is_never_a_path(client, tmp_path):
    table = tmp_path / "secret.csv"
    table.write_text("name,macro_f1,macro_precision,macro_recall\nours,0.9,0.5,0.5\n")
    found = client.post("/api/v1/audit", {"text": str(table)})
    assert found.status == 422
    assert "ours" not in found.text


def test_hostile_labels_stay_text(client):
    label = '<script>alert("x")</script>'
    page = client.post(
        "/api/v1/score", {"matrix": [[3, 1], [1, 3]], "labels": [label, "b"]}, format="html"
    )
    assert "<script>alert" not in page.text
    assert "&lt;script&gt;alert" in page.text


def test_play_has_the_numbers_of_the_library(client):
    other = [[5, 2, 1], [1, 6, 1], [2, 2, 8]]
    body = {"matrix": CELLS, "labels": LABELS, "other": other}
    found = client.post("/api/v1/play", body).json
    whole, wanted = found["score"], json.loads(eh.score(TABLE).to_json())
    for name, score in whole.pop("metrics").items():  # errors add up in another order
        told = wanted["metrics"][name]
        assert score.pop("se") == pytest.approx(told.pop("se"), rel=1e-14), name
        assert score == told
    assert whole == {key: value for key, value in wanted.items() if key != "metrics"}
    even = eh.shift.extrapolate(TABLE, to="uniform", interval=None)
    assert found["calibrated"]["macro_f1"] == even["macro_f1"].value
    tenfold = eh.score(eh.Confusion.from_matrix([[10 * x for x in row] for row in CELLS]))
    assert found["tenfold"]["macro_f1"]["low"] == tenfold["macro_f1"].low
    assert found["mixed"] is None
    better = {m: facts["better"] for m, facts in found["metrics"].items()}
    assert (better["macro_f1"], better["f1_gap"]) == ("higher", "neither")


def test_play_moves_both_tables_to_a_mix(client):
    """Both are what ``extrapolate`` says of them."""
    first, second, mix = [[5, 5], [10, 10]], [[1, 9], [1, 19]], {"a": 0.7, "b": 0.3}
    body = {"matrix": first, "labels": ["a", "b"], "other": second, "mix": mix}
    found = client.post("/api/v1/play", body).json
    one, two = (
        eh.shift.extrapolate(eh.Confusion.from_matrix(m, labels=["a", "b"]), to=mix)
        for m in (first, second)
    )
    for name, there in found["mixed"].items():
        expected = one[name]
        ends = {"value": expected.value, "low": expected.low, "high": expected.high}
        assert there == pytest.approx(ends, rel=1e-14), name
        assert found["other"][name] == two[name].value


def test_a_mix_is_left_out_where_a_class_is_never_true(client):
    body = {"matrix": [[3, 1], [1, 3]], "other": [[0, 0], [2, 2]], "mix": {"0": 0.2, "1": 0.8}}
    found = client.post("/api/v1/play", body).json
    assert found["mixed"] is None
    assert found["other"]["accuracy"] == 0.5
    assert found["calibrated"]["accuracy"] == 0.75
    empty = client.post("/api/v1/play", {**body, "other": [[0, 0], [0, 0]]}).json
    assert empty["other"] is None


@pytest.mark.parametrize(("one", "two"), [("macro_f1", "f1_of_averages"), ("accuracy", "kappa")])
def test_tables_that_are_found_are_ranked_differently(client, one, two):
    found = client.post("/api/v1/find", {"one": one, "two": two, "n": 40}).json
    first, second = (eh.Confusion.from_matrix(found[t]) for t in ("first", "second"))
    assert first.prevalence.tolist() == second.prevalence.tolist()
    assert first.prevalence.sum() == 40
    values = {m: [eh.score(t, metrics=m)[m].value for t in (first, second)] for m in (one, two)}
    assert values[one][0] > values[one][1]
    assert values[two][0] < values[two][1]


def test_the_catalogue_is_that_of_the_command_line(client):
    assert list(client.get("/api/v1/metrics").json["metrics"]) == list(table_metrics())
    assert list(client.get("/api/v1/metrics", name=["mcc", "kappa"]).json["metrics"]) == [
        "mcc",
        "kappa",
    ]
    assert client.get("/api/v1/metrics", name="mxqz").status == 422


@pytest.mark.parametrize(
    ("asked", "named"),
    [
        ({"cost": "recall"}, "macro_recall"),
        ({"mix": False}, "macro_f1"),
        ({"mix": True}, "macro_f1@uniform"),
        ({"mix": False, "cost": "misses"}, "macro_fbeta:beta=2"),
        ({"cost": "alarms"}, "macro_fbeta:beta=0.5@uniform"),
        ({"classes": False, "mix": False}, "accuracy"),
        ({"classes": False, "mix": False, "chance": True}, "kappa"),
    ],
)
def test_the_guide_names_a_metric_with_the_properties(client, asked, named):
    found = client.get("/api/v1/guide", **{k: str(v).lower() for k, v in asked.items()}).json
    assert found["advice"][0]["metric"] == named

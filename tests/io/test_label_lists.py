"""Multi-label data in JSON Lines and Parquet: lists of labels."""

import json

import numpy as np
import polars as pl
import pytest

import evenhand as eh

COLUMNS = ("--true", "gold", "--pred", "system")
ROWS = [
    ({"a", "b"}, {"a"}, 1),
    ({"b"}, {"b", "c"}, 2),
    (set(), {"a"}, 4),
    ({"c"}, set(), 8),
]


def by_hand(weigh=False):
    """For each label: hits, predictions, truths."""
    found = {}
    for label in "abc":
        hits = bias = true = 0
        for gold, system, weight in ROWS:
            worth = weight if weigh else 1
            hits += worth * (label in gold and label in system)
            bias += worth * (label in system)
            true += worth * (label in gold)
        found[label] = (hits, bias, true)
    return found


@pytest.fixture
def answers(write):
    lines = [
        json.dumps({"id": i, "gold": sorted(gold), "system": sorted(system), "w": w})
        for i, (gold, system, w) in enumerate(ROWS)
    ]
    return write("x.jsonl", "\n".join(lines))


@pytest.fixture
def scored(run):
    def call(*arguments):
        done = run("score", *arguments, "--format", "json")
        assert done.exit_code == 0, done.output
        record = json.loads(done.stdout)
        return record["n"], {
            c["label"]: (c["correct"], c["bias"], c["prevalence"]) for c in record["classes"]
        }

    return call


def test_one_file(scored, answers):
    assert scored(answers, *COLUMNS) == (4, by_hand())


def test_weights(scored, answers):
    assert scored(answers, *COLUMNS, "--weights", "w") == (4, by_hand(weigh=True))


def test_parquet(scored, write):
    frame = pl.DataFrame({"gold": [sorted(g) for g, _, _ in ROWS],
                          "system": [sorted(p) for _, p, _ in ROWS]})  # fmt: skip
    assert scored(write("x.parquet", frame), *COLUMNS) == (4, by_hand())


def test_labels_given(scored, answers):
    _, found = scored(answers, *COLUMNS, "--labels", "c,b,a,z")
    assert list(found) == ["c", "b", "a", "z"]
    assert found["z"] == (0, 0, 0)


@pytest.fixture
def apart(write):
    gold = [{"id": i, "labels": sorted(g)} for i, (g, _, _) in enumerate(ROWS)]
    pred = [{"id": i, "labels": sorted(p)} for i, (_, p, _) in enumerate(ROWS)]
    return (
        write("g.jsonl", "\n".join(map(json.dumps, gold))),
        write("p.jsonl", "\n".join(map(json.dumps, pred[::-1]))),
        write("q.jsonl", "\n".join(map(json.dumps, pred[2:0:-1]))),
    )


def test_two_files_joined(scored, apart):
    assert scored(*apart[:2], "--label", "labels", "--id", "id") == (4, by_hand())


def test_a_missing_answer_is_an_empty_list(scored, fails, apart):
    asked = (apart[0], apart[2], "--label", "labels", "--id", "id")
    assert "q.jsonl lacks 2 ids of g.jsonl: 0, 3" in fails("score", *asked)
    n, found = scored(*asked, "--missing", "wrong")
    assert n == 4
    assert found == {"a": (0, 1, 1), "b": (1, 1, 2), "c": (0, 1, 1)}


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"gold": ["a"], "system": None}, "column 'system', row 2: expected a list of labels"),
        ({"gold": ["a", None], "system": ["a"]}, "column 'gold', row 2: expected a list of labels"),
        ({"gold": None, "system": ["a"]}, "column 'gold', row 2: expected a list of labels"),
        ({"gold": "a", "system": ["a"]}, "x.jsonl"),
    ],
)  # fmt: skip
def test_bad_rows(write, fails, row, message):
    good = {"gold": ["a"], "system": ["b"]}
    name = write("x.jsonl", f"{json.dumps(good)}\n{json.dumps(row)}\n")
    assert message in fails("score", name, *COLUMNS)


@pytest.mark.parametrize(
    ("rows", "column", "kinds"),
    [
        ([([1, "1"], ["1"])], "gold", "integers"),
        ([([1], ["1"]), (["1"], ["1"])], "gold", "integers"),
        ([(["a"], ["1"]), (["a"], [1])], "system", "integers"),
        ([(["a"], ["2.5"]), (["a"], [2.5])], "system", "decimals"),
        ([(["true", True], ["a"])], "gold", "booleans"),
        ([(["1"], ["1"])] * 3000 + [([], []), ([1], ["1"])], "gold", "integers"),
    ],
    ids=["one list", "across rows", "predictions", "floats", "booleans", "late"],
)
def test_labels_of_several_types_are_not_merged(write, fails, rows, column, kinds):
    lines = [json.dumps({"gold": gold, "system": system}) for gold, system in rows]
    assert fails("score", write("x.jsonl", "\n".join(lines)), *COLUMNS) == (
        f"x.jsonl, column '{column}' must be of one type, got {kinds} and text; "
        "1, '1', 1.0 and True are different labels"
    )


def test_truth_and_predictions_of_two_types(write, fails):
    name = write("x.jsonl", '{"gold": [1], "system": ["1"]}\n')
    assert fails("score", name, *COLUMNS) == (
        "x.jsonl, column 'gold' and x.jsonl, column 'system' must have labels of one type, "
        "got int and str; 1, '1' and True are different labels"
    )


def test_two_files_of_two_types(write, fails):
    gold = write("g.jsonl", '{"labels": [1]}\n{"labels": ["2"]}\n')
    pred = write("p.jsonl", '{"labels": ["1"]}\n{"labels": ["2"]}\n')
    message = "g.jsonl, column 'labels' must be of one type, got integers and text"
    assert message in fails("score", gold, pred, "--label", "labels")
    assert message in fails("score", pred, gold, "--label", "labels")


@pytest.mark.parametrize("labels", [["1", "2"], [1, 2], [0.5, 1.5], [True, False]])
def test_labels_of_one_type_keep_it(scored, write, labels):
    lines = [{"gold": labels, "system": labels[:1]}, {"gold": [], "system": labels[1:]}]
    n, found = scored(write("x.jsonl", "\n".join(map(json.dumps, lines))), *COLUMNS)
    assert (n, found) == (2, {labels[0]: (1, 1, 1), labels[1]: (0, 1, 1)})
    assert {type(label) for label in found} == {type(labels[0])}


@pytest.mark.parametrize("gold", [[["a"]], [{"a": 1}]])
def test_lists_of_no_labels(write, fails, gold):
    name = write("x.jsonl", json.dumps({"gold": gold, "system": ["a"]}))
    assert "x.jsonl, column 'gold' must hold lists of labels, got List(" in fails(
        "score", name, *COLUMNS
    )


def test_lists_against_labels(write, fails):
    name = write("x.jsonl", '{"gold": ["a"], "system": "a"}\n')
    assert fails("score", name, *COLUMNS).endswith("must both hold lists of labels, or neither")


def test_slices_clusters_and_new_names(write, run):
    """As the same sets in Python, sliced, clustered and renamed by hand."""
    rng = np.random.default_rng(7)
    sets = [[list(rng.choice(["a", "b", "C"], rng.integers(0, 4), False)) for _ in range(60)] * 2
            for _ in range(2)]  # fmt: skip
    lang, doc = rng.choice(["de", "en"], 120).tolist(), rng.integers(0, 30, 120).tolist()
    frame = pl.DataFrame({"gold": sets[0], "system": sets[1], "lang": lang, "doc": doc})
    frame.write_parquet("x.parquet")
    write("m.csv", "a,b\n")
    asked = ("score", "x.parquet", *COLUMNS, "--format", "json", "--metric", "macro_f1")
    asked += ("--metric", "samples_f1")

    def found(*more):
        return json.loads(run(*asked, *more).stdout)

    def alike(one, *sides, **beside):
        other = json.loads(eh.score(*sides, metrics=["macro_f1", "samples_f1"], **beside).to_json())
        assert one["signature"] == other["signature"]
        for m, theirs in other["metrics"].items():
            ours, method = dict(one["metrics"][m]), theirs.pop("method")
            assert ours.pop("method") == method
            assert ours == pytest.approx(theirs, abs=1e-12)

    sliced = found("--by", "lang", "--cluster", "doc")
    alike(sliced, *sets, cluster=doc)
    assert [s["key"] for s in sliced["slices"]] == ["de", "en"]
    for part in sliced["slices"]:
        at = [i for i, key in enumerate(lang) if key == part["key"]]
        chosen = ([x[i] for i in at] for x in (*sets, doc))
        gold, system, cluster = chosen
        alike(part, gold, system, cluster=cluster)
    new = [[{{"a": "b"}.get(v, v).lower() for v in s} for s in side] for side in sets]
    alike(found("--map", "m.csv", "--ignore-case"), *new)


def test_it_cannot_be_kept_as_a_table(fails, answers):
    message = "multi-label data cannot be saved as a table; score them directly"
    assert fails("count", answers, *COLUMNS) == message


def test_labels_given_for_lists_of_integers(write, run):
    text = '{"id": 1, "l": [1]}\n{"id": 2, "l": [1, 2]}\n'
    files = write("x.jsonl", text), write("y.jsonl", text)
    options = ("--id", "id", "--label", "l", "--labels", "1,2,3", "--kind", "multi-label")
    found = json.loads(run("score", *files, *options, "--format", "json").stdout)
    assert found["metrics"]["subset_accuracy"]["value"] == 1

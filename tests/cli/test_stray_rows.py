"""Files with a row, a quote, a column or a block of rows too many, which a person sees at once."""

import json
import random

import pytest

DRAW = random.Random(0)
CLASSES = ["pos", "neg", "neu"]
IDS = list(range(1, 121))
GOLD = [DRAW.choices(CLASSES, [3, 2, 1])[0] for _ in IDS]
PRED = [v if DRAW.random() < 0.72 else DRAW.choice(CLASSES) for v in GOLD]
WORSE = [v if DRAW.random() < 0.5 else DRAW.choice(CLASSES) for v in GOLD]
ORDER = random.Random(5).sample(range(120), 120)
CODES = {"pos": 0, "neg": 1, "neu": 2}
TRUTH = ["id,label", *(f"{i},{v}" for i, v in zip(IDS, GOLD, strict=True))]
RUN = ["id,prediction", *(f"{IDS[k]},{PRED[k]}" for k in ORDER)]
BOTH = ["id,gold,system", *(f"{i},{t},{p}" for i, t, p in zip(IDS, GOLD, PRED, strict=True))]


def rows(*columns):
    return [",".join(map(str, row)) for row in zip(*columns, strict=True)]


TEXT = ["fine"] * 120
TEXT[10], TEXT[15] = '"he said', 'bye"'
SETS = ["pos neg", "neg pos", "neg"]
LONG = [1234567890123456000 + 3 * i for i in IDS]
PAIRS = ["p,p", "p,q", "q,q"]
CASES = {
    "a title": (
        {"g.csv": ["Gold labels,", *TRUTH], "p.csv": ["Run 3,", *RUN]},
        "g.csv: its second row ('id', 'label') names the columns: take out what stands above it",
    ),
    "what Excel writes first": (
        {"g.csv": ["sep=,", *TRUTH], "p.csv": ["sep=,", *RUN]},
        "g.csv: its second row ('id', 'label') names the columns",
    ),
    "a comment in one file": (
        {"g.csv": TRUTH, "p.csv": ["# team 7,run 2", *RUN]},
        "p.csv: its second row ('id', 'prediction') names the columns",
    ),
    "two headers": (
        {"a.csv": ["Item,Human,Machine", "id,label,prediction", *BOTH[1:]]},
        "a.csv: its second row ('id', 'label', 'prediction') names the columns",
    ),
    "types below the header": (
        {"g.csv": [TRUTH[0], "int,str", *TRUTH[1:]], "p.csv": [RUN[0], "int,str", *RUN[1:]]},
        "g.csv, column 'label': the first row (int, str) is no item, as its label comes once",
    ),
    "a sum": (
        {"g.csv": [*TRUTH, "Gesamt,120"], "p.csv": [*RUN, "Gesamt,120"]},
        "g.csv, column 'label': the last row (Gesamt, 120) is no item",
    ),
    "a number of rows": (
        {"g.txt": [*GOLD, "(120 rows)"], "p.txt": [*PRED, "(120 rows)"]},
        "g.txt: the last row ((120 rows)) is no item",
    ),
    "a label that is cut": (
        {"g.txt": [*GOLD, "po"], "p.txt": [*PRED, "pos"]},
        "g.txt: the last row (po) is no item",
    ),
    "a heading of lines": (
        {"g.txt": ["Sentiment", *GOLD], "p.txt": ["Sentiment", *PRED]},
        "g.txt: the first row (Sentiment) is no item",
    ),
    "a quote that is not closed": (
        {"a.csv": ["id,label,prediction,text", *rows(IDS, GOLD, PRED, TEXT)]},
        "a.csv: a quote before 'he said' takes in 5 rows after line 12: take it out or double it",
    ),
    "counts by language": (
        {"a.csv": ["lang,gold,pred,n", *(f"{x},{y},9" for x in "ed" for y in PAIRS)]},
        "a.csv has every pair of labels once, with a number in 'n'",
    ),
    "epochs": (
        {"a.csv": ["epoch,label,prediction", *rows([1] * 120 + [2] * 120, GOLD * 2, WORSE + PRED)]},
        "a.csv, column 'label' has the same 120 true labels 2 times, one after the other",
    ),
    "copies": (
        {"g.txt": GOLD * 4, "p.txt": PRED * 4},
        "g.txt has the same 120 true labels 4 times, one after the other",
    ),
    "ids that lost digits": (
        {
            "g.csv": ["id,label", *rows(LONG, GOLD)],
            "p.jsonl": [
                json.dumps({"id": int(float(LONG[k])), "prediction": PRED[k]}) for k in ORDER
            ],
        },
        "p.jsonl has 'id' for ids, which are not those of g.csv in 'id'",
    ),
    "dates written differently": (
        {
            "g.csv": ["date,label", *(f"2026-{k // 28 + 1:02}-{k % 28 + 1:02},{v}"
                                      for k, v in enumerate(GOLD))],
            "p.csv": ["date,prediction", *(f"{k % 28 + 1:02}/{k // 28 + 1:02}/2026,{PRED[k]}"
                                           for k in ORDER)],
        },
        "p.csv has 'date' for ids, which are not those of g.csv in 'date'",
    ),
    "numbers for names": (
        {
            "g.csv": ["id,label", *(f"doc{i},{v}" for i, v in zip(IDS, GOLD, strict=True))],
            "p.csv": ["nr,prediction", *(f"{IDS[k]},{PRED[k]}" for k in ORDER)],
        },
        "p.csv has 'nr' for ids, which are not those of g.csv in 'id'",
    ),
    "two tables side by side": (
        {
            "a.csv": [
                "id,label,,id,prediction",
                *(f"{IDS[m]},{GOLD[m]},,{IDS[k]},{PRED[k]}" for m, k in enumerate(ORDER)),
            ]
        },
        "a.csv has the ids of 'id' in 'id_duplicated_0' in another order",
    ),
    "items to train on": (
        {
            "a.csv": [
                "id,split,label,prediction",
                *rows(IDS, ["train", "Test"] * 60, GOLD, PRED),
            ]
        },
        "a.csv has items to train on and to test on, by 'split': evenhand score a.csv",
    ),
    "a row without an id": (
        {"a.csv": [*BOTH, ",accuracy,0.8167"]},
        "a.csv, column 'id': 1 row without an id",
    ),
    "labels in any order": (
        {
            "g.csv": ["id,label", *(f"{i},{SETS[i % 3]}" for i in IDS)],
            "p.csv": ["id,prediction", *(f"{i},{SETS[i % 3 - 2]}" for i in IDS)],
        },
        "'neg pos' looks like several labels",
    ),
    "no label": (
        {
            "g.csv": ["id,label", *(f"{i},{v if i % 8 else 'NA'}" for i, v in
                                    zip(IDS, GOLD, strict=True))],
            "p.csv": RUN,
        },
        "g.csv, column 'label' has 'NA' for 15 items, which no system predicts",
    ),
    "classes from another number": (
        {
            "g.csv": ["id,label", *rows(IDS, [CODES[v] for v in GOLD])],
            "p.csv": ["id,prediction", *rows(IDS, [CODES[v] + 1 for v in PRED])],
        },
        "p.csv, column 'prediction' has the classes 1, 2, 3 and g.csv, column 'label' has 0, 1, 2",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_what_a_person_sees_is_refused(write, fails, name):
    files, message = CASES[name]
    names = [write(file, "\n".join(lines) + "\n") for file, lines in files.items()]
    assert fails("score", *names).startswith(message)


def test_the_same_files_without_it_are_read(write, run):
    pairs = (
        (("g.csv", TRUTH), ("p.csv", RUN)),
        (("a.csv", BOTH),),
        (("g.txt", GOLD), ("p.txt", PRED)),
    )
    for files in pairs:
        names = [write(file, "\n".join(lines) + "\n") for file, lines in files]
        done = run("score", *names, "--format", "json")
        found = json.loads(done.stdout)
        assert (found["n"], round(found["metrics"]["macro_f1"]["value"], 4)) == (120, 0.8126)


def test_what_is_meant_can_be_said(write, run):
    once = [write("g.txt", "\n".join([*GOLD, "odd"])), write("p.txt", "\n".join([*PRED, "odd"]))]
    named = run("score", *once, "--labels", "pos,neg,neu,odd", "--format", "json")
    assert json.loads(named.stdout)["n"] == 121
    twice = [write("g2.txt", "\n".join(GOLD * 2)), write("p2.txt", "\n".join(PRED + WORSE))]
    assert run("score", *twice, "--by-row").exit_code == 0


def test_texts_over_several_lines_are_texts(write, run):
    """Lines in quotes with as many commas as rows have are text, unless they begin as rows do."""
    texts = [f'"first, second {i}\nthird, {i}, fourth, fifth"' for i in IDS]
    name = write("a.csv", "\n".join(["id,label,prediction,text", *rows(IDS, GOLD, PRED, texts)]))
    assert json.loads(run("score", name, "--format", "json").stdout)["n"] == 120


def test_rows_that_are_each_sorted_are_said(write, run):
    gold = write("g.txt", "a\n" * 60 + "b\n" * 60)
    pred = write("p.txt", "a\n" * 70 + "b\n" * 50)
    found = json.loads(run("score", gold, pred, "--format", "json").stdout)
    assert "sorted_rows" in [w["code"] for w in found["warning_codes"]]
    found = json.loads(run("score", gold, pred, "--by-row", "--format", "json").stdout)
    assert "sorted_rows" not in [w["code"] for w in found["warning_codes"]]
    mixed = write("q.txt", "a\nb\n" * 60)
    columns = write("p.csv", "label,time\n" + "a,3\n" * 70 + "b,5\n" * 50)
    for run_sorted in (pred, columns):
        found = json.loads(run("score", mixed, run_sorted, "--format", "json").stdout)
        assert "sorted_rows" in [w["code"] for w in found["warning_codes"]]
    found = json.loads(run("score", gold, mixed, "--format", "json").stdout)
    assert "sorted_rows" not in [w["code"] for w in found["warning_codes"]]


def test_numbers_that_are_no_probabilities_by_class(write, fails):
    ranked = [
        json.dumps({"label": t, "labels": sorted(CLASSES, key=lambda v: v != p),
                    "scores": [0.8, 0.1, 0.1]})
        for t, p in zip(GOLD, PRED, strict=True)
    ]  # fmt: skip
    name = write("a.jsonl", "\n".join(ranked))
    options = ("--true", "label", "--labels", "pos,neg,neu")
    message = fails("score", name, *options, "--probabilities", "scores")
    assert message == (
        "a.jsonl, column 'scores' has its numbers from the largest on in every row: not by class"
    )
    two = [["neg", "pos"][v == "pos"] for v in GOLD]
    name = write("a.csv", "\n".join(["label,prediction,confidence", *rows(two, two, [0.9] * 120)]))
    options = ("--true", "label", "--labels", "neg,pos")
    message = fails("score", name, *options, "--probabilities", "confidence")
    assert message.startswith(
        "a.csv, column 'confidence' goes with the predictions in 'prediction'"
    )
    name = write("b.csv", "\n".join(["label,probs", *rows(two, ['"[0.9, 0.1]"'] * 120)]))
    message = fails("score", name, *options, "--probabilities", "probs")
    assert message.startswith("b.csv, column 'probs' has lists as text")


def test_the_truth_beside_probabilities_is_found(write, run):
    soft = [[0.8 if v == p else 0.1 for v in CLASSES] for p in PRED]
    lines = ["id,label,p_pos,p_neg,p_neu", *rows(IDS, GOLD, *zip(*soft, strict=True))]
    done = run(
        "score", write("a.csv", "\n".join(lines)), "--probabilities", "p_", "--format", "json"
    )
    assert round(json.loads(done.stdout)["metrics"]["macro_f1"]["value"], 4) == 0.8126


def test_columns_of_other_roles_are_no_systems(write, run):
    columns = (IDS, [i % 5 for i in IDS], [CODES[v] for v in WORSE], [CODES[v] for v in GOLD],
               [CODES[v] for v in PRED], [CODES[v] for v in WORSE])  # fmt: skip
    name = write("a.csv", "\n".join(["id,fold,annotator1,gold,A,B", *rows(*columns)]))
    found = json.loads(run("rank", name, "--format", "json", "--replicates", "20").stdout)
    assert [s["name"] for s in found["systems"]] == ["A", "B"]


def test_parts_with_other_spellings_are_not_added(write, fails):
    for name, mark in (("1.csv", ""), ("2.csv", ".0")):
        numbers = [[f"{CODES[v]}{mark}" for v in side] for side in (GOLD, PRED)]
        write(name, "\n".join(["gold,system", *rows(*numbers)]))
    message = fails("count", "1.csv", "2.csv", "--true", "gold", "--pred", "system")
    assert "labels are written differently in the parts, such as '0.0', '1.0', '2.0'" in message


def test_numbers_of_rows_in_their_order_go_with_texts(write, run):
    texts = [f"a text {i}" for i in IDS]
    gold = write("g.csv", "\n".join(["text,label", *rows(texts, GOLD)]))
    pred = write("p.csv", "\n".join(["id,prediction", *rows(range(120), PRED)]))
    found = json.loads(run("score", gold, pred, "--format", "json").stdout)
    assert round(found["metrics"]["macro_f1"]["value"], 4) == 0.8126

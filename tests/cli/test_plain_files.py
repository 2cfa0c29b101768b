"""Files that are plain to a person: the right score, or one line that says why not."""

import csv
import io
import json
import random

import pytest

KINDS = "neg", "neu", "pos"
TEXT = "hello {}, are you there?".format


@pytest.fixture
def plain(run, write):
    """Write two files of columns, the second in another order; the macro F1 of each reading."""
    rng = random.Random(11)

    def call(gold, guess, kinds=KINDS, command="score", options=()):
        true = [rng.choice(kinds) for _ in range(90)]
        pred = [t if rng.random() < 0.7 else rng.choice(kinds) for t in true]
        for name, columns in (("gold.csv", gold), ("run.csv", guess)):
            rows = [[column(i, true[i], pred[i]) for column in columns.values()] for i in range(90)]
            if name == "run.csv":
                rng.shuffle(rows)
            text = io.StringIO()
            csv.writer(text, lineterminator="\n").writerows([list(columns), *rows])
            write(name, text.getvalue())
        write("gold.txt", "".join(f"{t}\n" for t in true))
        write("run.txt", "".join(f"{p}\n" for p in pred))
        more = ("--metric", "macro_f1", "--format", "json")
        right = run("score", "gold.txt", "run.txt", *more)
        result = run(command, "gold.csv", "run.csv", *options, *more)
        value = json.loads(right.stdout)["metrics"]["macro_f1"]["value"]
        if result.exit_code:
            return value, result.stderr
        return value, json.loads(result.stdout)["metrics"]["macro_f1"]["value"]

    return call


def true(i, t, p):
    return t


def pred(i, t, p):
    return p


def number(i, t, p):
    return f"t{i:03d}"


@pytest.mark.parametrize("names", [("doc", "document"), ("hash", "sha"), ("url", "link")])
def test_ids_of_any_two_names(plain, names):
    right, value = plain({names[0]: number, "label": true}, {names[1]: number, "prediction": pred})
    assert value == right


def test_text_of_two_names(plain):
    text = lambda i, t, p: TEXT(i)  # noqa: E731
    right, value = plain({"input": text, "target": true}, {"prompt": text, "output": pred})
    assert value == right


def test_a_column_of_one_name_that_shares_nothing_is_no_id(plain):
    gold = {"tweet_id": number, "time": lambda i, t, p: f"2024-{i}", "label": true}
    guess = {"ID": number, "time": lambda i, t, p: f"2025-{i}", "prediction": pred}
    right, value = plain(gold, guess)
    assert value == right


def test_ids_that_became_decimals(plain):
    gold, guess = (lambda i, t, p: i), (lambda i, t, p: float(i))
    right, value = plain({"id": gold, "label": true}, {"id": guess, "label": pred})
    assert value == right


@pytest.mark.parametrize(
    "columns",
    [
        {"user": lambda i, t, p: f"u{i // 3}"},
        {"doc": lambda i, t, p: f"d{i // 3}", "sentence": lambda i, t, p: i % 3},
        {"text": lambda i, t, p: TEXT(min(i, 87))},
        {"text": lambda i, t, p: TEXT(i), "language": lambda i, t, p: "de" if i % 3 else "en"},
    ],
)
def test_rows_in_another_order_are_not_taken_as_they_stand(plain, columns):
    right, answer = plain({**columns, "label": true}, {**columns, "label": pred})
    refused = "in different orders: both need a column of ids"
    assert answer == right or refused in answer


def test_ids_of_two_names_that_share_nothing(plain):
    guess = {"path": lambda i, t, p: f"audio/t{i:03d}.wav", "label": pred}
    _, answer = plain({"filename": number, "label": true}, guess)
    assert "share 0 of 90 values of 'filename' and 'path': gold.csv has 't000' for " in answer


@pytest.mark.parametrize(
    ("gold", "copy", "guess"),
    [("label", "gold_label", "label"), ("sentiment", "gold", "sentiment")],
)
def test_a_copy_of_the_truth_in_a_run_is_not_its_predictions(plain, gold, copy, guess):
    right, value = plain({"id": number, gold: true}, {"id": number, copy: true, guess: pred})
    assert value == right


def test_the_correct_answer_is_the_truth_beside_an_answer(plain):
    gold = {"id": number, "answer": lambda i, t, p: KINDS[i % 3], "correct_answer": true}
    right, value = plain(gold, {"id": number, "answer": pred})
    assert value == right


def test_a_topic_is_not_the_truth_of_another_question(plain):
    topic = {"id": number, "topic": lambda i, t, p: "abcde"[i % 5]}
    right, value = plain({**topic, "sentiment": true}, {"id": number, "prediction": pred})
    assert value == right
    kind = {"id": number, "type": lambda i, t, p: i % 2}
    right, value = plain({**kind, "stance": true}, {"id": number, "stance": pred}, (0, 1))
    assert value == right
    _, answer = plain({**kind, "stance": true}, {"id": number, "prediction": pred}, (0, 1))
    for column in ("type", "stance"):
        assert f"--true {column} --pred prediction" in answer


@pytest.mark.parametrize(("before", "option"), [("", "neg,neu,pos"), ("p_", "p_")])
def test_a_column_for_each_class_is_its_probability(plain, before, option):
    shares = {f"{before}{k}": lambda i, t, p, k=k: 0.6 if p == k else 0.2 for k in KINDS}
    gold = {"id": number, "label": true}
    _, answer = plain(gold, {"id": number, **shares})
    assert f"--true label --probabilities {option}" in answer
    options = ("--true", "label", "--probabilities", option)
    right, value = plain(gold, {"id": number, **shares}, options=options)
    assert value == right


@pytest.fixture
def shuffled(write, run):
    """Ninety items as true and predicted labels, in two orders, and their macro F1."""
    rng = random.Random(12)
    rows = [(f"t{i}", t, t if i % 4 else "neg") for i, t in enumerate(rng.choices(KINDS, k=90))]
    write("gold.txt", "".join(f"{t}\n" for _, t, _ in rows))
    write("run.txt", "".join(f"{p}\n" for *_, p in rows))
    more = ("--metric", "macro_f1", "--format", "json")
    right = run("score", "gold.txt", "run.txt", *more)
    return rows, rng.sample(rows, 90), json.loads(right.stdout)["metrics"]["macro_f1"]["value"]


def by_column(rows, at):
    columns = {"id": [row[0] for row in rows], "label": [row[at] for row in rows]}
    return {name: dict(enumerate(values)) for name, values in columns.items()}


@pytest.mark.parametrize(
    "form",
    [
        by_column,
        lambda rows, at: {"model": "m", "predictions": {row[0]: row[at] for row in rows}},
        lambda rows, at: [{"meta": {"id": row[0]}, "label": row[at]} for row in rows],
        lambda rows, at: [{"id": row[0], "output": {"label": row[at], "p": 0.5}} for row in rows],
    ],
)
def test_json_in_another_order(shuffled, write, run, form):
    gold, guess, right = shuffled
    for name, text in (("g.json", form(gold, 1)), ("r.json", form(guess, 2))):
        write(name, json.dumps(text, indent=1))
    result = run("score", "g.json", "r.json", "--metric", "macro_f1", "--format", "json")
    assert result.exit_code == 0, result.stderr
    assert json.loads(result.stdout)["metrics"]["macro_f1"]["value"] == right


@pytest.mark.parametrize("header", ["id,label\n", ""])
def test_numbered_rows_in_another_order(shuffled, write, fails, header):
    _, guess, _ = shuffled
    write("r.csv", header + "".join(f"{i[1:]},{p}\n" for i, _, p in guess))
    assert "numbers its rows in" in fails("score", "gold.txt", "r.csv")
    write("g.csv", "label\n" + "".join(f"{t}\n" for _, t, _ in shuffled[0]))
    assert "g.csv has no ids: sort r.csv by" in fails("score", "g.csv", "r.csv")


@pytest.mark.parametrize(
    ("header", "row", "answer"),
    [
        (
            "id,gender,Anna,Ben",
            "{i},{g},{a},{b}",
            "'gender' and 'Anna', 'Ben' share no label, so not all are annotators: name the "
            "columns of annotators alone",
        ),
        (
            "id,annotator,label",
            "{h},{g},{a}",
            "column 'annotator' names annotators, one row per rating: say which columns are item, "
            "annotator and label",
        ),
    ],
)
def test_columns_that_are_no_annotators(write, fails, header, row, answer):
    labels = [
        {"i": i, "h": i // 2, "g": "mf"[i % 2], "a": "xy"[i % 3 % 2], "b": "yx"[i % 4 % 2]}
        for i in range(20)
    ]
    write("r.csv", "\n".join([header, *(row.format(**label) for label in labels)]) + "\n")
    assert fails("agree", "r.csv") == answer


def test_labels_that_became_decimals_are_those_of_the_truth(plain):
    correct = lambda i, t, p: i % 2  # noqa: E731
    guess = {"id": number, "correct": correct, "pred": lambda i, t, p: float(p)}
    right, value = plain({"id": number, "class": true}, guess, (1, 2, 3))
    assert value == right


def test_look_takes_no_mark_of_being_correct_for_a_system(write, run):
    rows = [(i, i % 2, i % 3 % 2) for i in range(40)]
    lines = "".join(f"{i},{t},{p},{int(t == p)}\n" for i, t, p in rows)
    write("a.csv", f"id,target,output,correct\n{lines}")
    assert "evenhand score a.csv --true target --pred output\n" in run("look", "a.csv").stdout


def test_methods_on_the_same_texts_are_systems(write, fails):
    rows = ((TEXT(i), m, KINDS[i % 3], KINDS[i % 4 % 3]) for i in range(40) for m in "AB")
    write("a.csv", "text;method;gold;pred\n" + "".join(";".join(row) + "\n" for row in rows))
    assert "--true gold --pred pred --system method" in fails("score", "a.csv")


def test_numbers_of_two_names_need_a_word_which_is_enough(plain):
    count = lambda i, t, p: i  # noqa: E731
    gold, guess = {"doc": count, "label": true}, {"nummer": count, "label": pred}
    _, answer = plain(gold, guess)
    assert "share 90 of 90 values of 'doc' and 'nummer': evenhand score" in answer
    right, value = plain(gold, guess, options=("--id", "doc"))
    assert value == right


def test_two_columns_of_a_run_for_one_of_the_truth(plain):
    count, other = (lambda i, t, p: i), (lambda i, t, p: i * 7 % 90)
    _, answer = plain({"uid": count, "label": true}, {"idx": other, "qid": count, "label": pred})
    assert "has 'idx' or 'qid' for 'uid' of gold.csv: call the column of ids 'uid' in" in answer
    guess = {"idx": other, "uid": count, "label": pred}
    right, value = plain({"uid": count, "label": true}, guess)
    assert value == right

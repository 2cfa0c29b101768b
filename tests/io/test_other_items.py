"""Rows in another order that no single column of ids brings together, and two tasks in a file."""

import datetime
import json
import uuid

import pandas as pd
import pytest

import evenhand as eh
from evenhand.errors import InputError

pytestmark = pytest.mark.filterwarnings("ignore")

N = 24
TRUE = ["pos" if k % 3 else "neg" for k in range(N)]
PRED = [("neg" if y == "pos" else "pos") if k % 6 == 0 else y for k, y in enumerate(TRUE)]
DOC, SENT = [f"d{k // 6}" for k in range(N)], [k % 6 for k in range(N)]
TEXT = [f"text {1 if k in (2, 5) else k}" for k in range(N)]
USER, TIME = [f"u{k % 6}" for k in range(N)], [f"10:0{k // 6}" for k in range(N)]
WITHIN = [*range(6, 12), *range(6), *range(18, 24), *range(12, 18)]
JOINED = [f"{d}-{s}" for d, s in zip(DOC, SENT, strict=True)]
LAST = [*reversed(range(N))]
WORDS = [
    f"number {k * 7919 % 997} of the {'best' if k % 2 else 'worst'} films ever" for k in range(N)
]
TOKENS = [f"Well, {k}, it's a caf\u00e9" for k in range(N)]
CASES = {
    "names": ({"doc": DOC, "sent": SENT}, {"document": DOC, "number": SENT}, LAST),
    "times": ({"user": USER, "time": TIME}, {"user_id": USER, "timestamp": TIME}, LAST),
    "within": (
        {"doc": [f"d{k // 12}" for k in range(N)], "sent": [k % 12 for k in range(N)]},
        {"document": [f"d{k // 12}" for k in range(N)], "sentence_no": [k % 12 for k in range(N)]},
        WITHIN,
    ),
    "texts": ({"sentence": TEXT}, {"input": TEXT}, LAST),
    "joined": ({"doc": DOC, "sent": SENT}, {"id": JOINED}, LAST),
    "three": (
        {
            "corpus": [f"c{k // 12}" for k in range(N)],
            "doc": [k // 6 % 2 for k in range(N)],
            "sent": SENT,
        },
        {
            "no": SENT,
            "collection": [f"c{k // 12}" for k in range(N)],
            "document": [k // 6 % 2 for k in range(N)],
        },
        LAST,
    ),
    "cut": ({"text": WORDS}, {"input": [text[:30] + "…" for text in WORDS]}, LAST),
    "prompts": ({"text": WORDS}, {"prompt": [f"Which is it? {text}" for text in WORDS]}, LAST),
    "tokens": (
        {"text": TOKENS},
        {"input": [text.lower().replace(",", " ,") for text in TOKENS]},
        LAST,
    ),
    "pairs of texts": (
        {
            "premise": [f"a premise {k // 3}" for k in range(N)],
            "hypothesis": [f"one of {k % 9}" for k in range(N)],
        },
        {
            "context": [f"a premise {k // 3}" for k in range(N)],
            "response_text": [f"one of {k % 9}" for k in range(N)],
        },
        LAST,
    ),
    "sections": (
        {"section": [f"{k // 6}.{k % 6}0" for k in range(N)]},
        {"name": [f"{k // 6}.{k % 6}0" for k in range(N)]},
        LAST,
    ),
    "index": ({"index": range(N), "text": JOINED}, {"index": range(N), "input": JOINED}, LAST),
}


def frames(case, order=None):
    """The truth and a run whose rows stand in another order."""
    keys, own, other = CASES[case]
    gold, run = pd.DataFrame({**keys, "label": TRUE}), pd.DataFrame({**own, "prediction": PRED})
    run = run.iloc[other if order is None else order].reset_index(drop=True)
    return gold, run.assign(index=range(N)) if "index" in own else run


def command(verb, write, gold, run):
    files = [write("g.csv", gold.to_csv(index=False)), write("a.csv", run.to_csv(index=False))]
    files += [write("b.csv", run.to_csv(index=False))] * (verb not in ("score", "report"))
    return [verb, *files, *["--margin", "5%"] * (verb == "gate")]


@pytest.mark.parametrize("verb", ["score", "rank", "compare", "gate", "report"])
@pytest.mark.parametrize("case", CASES)
def test_ids_under_other_names_in_another_order(write, fails, run, case, verb):
    gold, answers = frames(case)
    error = fails(*command(verb, write, gold, answers))
    keys, own, _ = CASES[case]
    for side, columns in zip(error.split(" has in ")[1:], (own, keys), strict=True):
        assert all(repr(c) in side for c in columns if c != "index")
    assert error.startswith("a.csv has in ")
    assert error.endswith(
        ", in another order: both need one column of ids that are all different; --by-row takes "
        "rows as they stand"
    )


@pytest.mark.parametrize("verb", ["score", "rank"])
@pytest.mark.parametrize("case", CASES)
def test_rows_in_the_same_order_are_scored(write, run, case, verb):
    gold, answers = frames(case)
    assert run(*command(verb, write, gold, answers), "--by-row").exit_code == 0
    assert run(*command(verb, write, *frames(case, range(N)))).exit_code == 0
    systems = answers if verb == "score" else {"a": answers, "b": answers}
    with pytest.raises(InputError, match="in another order: both need one column of ids"):
        getattr(eh, verb)(gold, systems)


def test_grids_of_numbers_are_no_ids(write, run):
    page, line = [k // 8 for k in range(N)], [k % 8 for k in range(N)]
    gold = pd.DataFrame({"page": page, "line": line, "label": TRUE})
    answers = pd.DataFrame({"batch": [k // 6 for k in range(N)], "slot": SENT, "prediction": PRED})
    assert run(*command("score", write, gold, answers)).exit_code == 0


def test_a_column_named_as_predictions_is_no_truth(write, run):
    days = [f"2024-01-0{1 + k % 9}" for k in range(N)]
    gold = pd.DataFrame({"predicted_at": days, "class": TRUE})
    answers = pd.DataFrame({"predicted_at": days, "predicted_class": PRED})
    result = run(*command("score", write, gold, answers), "--format", "json")
    assert json.loads(result.stdout)["metrics"]["accuracy"]["value"] == 20 / 24


@pytest.mark.parametrize("verb", ["score", "rank", "compare", "gate", "report"])
def test_two_tasks_of_the_same_names(write, fails, run, verb):
    topics, ids = ["news" if k % 2 else "sports" for k in range(N)], [f"q{k}" for k in range(N)]
    gold = pd.DataFrame({"id": ids, "sentiment": TRUE, "topic": topics})
    answers = pd.DataFrame({"id": ids, "topic": topics[::-1], "sentiment": PRED})
    error = fails(*command(verb, write, gold, answers))
    for task in ("sentiment", "topic"):
        assert f"--true {task} --pred {task}" in error
    told = ["--true", "sentiment", "--pred", "sentiment"]
    assert run(*command(verb, write, gold, answers), *told).exit_code in (0, 1)
    same = answers.assign(sentiment=TRUE)
    assert run(*command(verb, write, gold, same)).exit_code in (0, 1)
    if verb in ("score", "rank"):
        systems = answers if verb == "score" else {"a": answers, "b": answers}
        with pytest.raises(InputError, match="true='topic', pred='topic' or true='sentiment'"):
            getattr(eh, verb)(gold, systems)


DAYS = pd.date_range("2024-01-01", periods=N)
HOURS = pd.date_range("2024-01-01", periods=N, freq="h")
MONTHS = pd.period_range("2000-01", periods=N, freq="M")
UUIDS = [uuid.UUID(int=k * 10**30) for k in range(N)]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (DAYS, [d.date().isoformat() for d in DAYS]),
        (DAYS, [datetime.date(d.year, d.month, d.day) for d in DAYS]),
        (HOURS, list(map(str, HOURS))),
        (MONTHS, list(map(str, MONTHS))),
        (UUIDS, list(map(str, UUIDS))),
        (list(map(str, UUIDS)), UUIDS),
    ],
)
def test_ids_of_other_types_match_by_their_text(one, other):
    gold = pd.DataFrame({"date": one, "label": TRUE})
    run = pd.DataFrame({"date": other, "prediction": PRED}).iloc[::-1].reset_index(drop=True)
    assert eh.score(gold, run)["accuracy"].value == 20 / 24
    assert eh.rank(gold, {"a": run, "b": run}, metrics="accuracy", by_metric="accuracy").n == N


def test_dates_in_another_spelling_are_refused(write, fails):
    gold = pd.DataFrame({"date": DAYS.strftime("%Y-%m-%d"), "label": TRUE})
    run = pd.DataFrame({"date": DAYS.strftime("%d.%m.%Y"), "prediction": PRED}).iloc[::-1]
    run = run.reset_index(drop=True)
    with pytest.raises(InputError, match="share 0 of 24 values of 'date', which have "):
        eh.score(gold, run)
    assert "an id must be written alike in both" in fails(*command("score", write, gold, run))


def test_pairs_of_ids_and_labels_are_no_label_sets():
    ids = [f"q{k}" for k in range(N)]
    one, other = list(zip(ids, TRUE, strict=True)), list(zip(ids, PRED, strict=True))[::-1]
    with pytest.raises(InputError, match="pairs of an id and a label: pass a frame of each"):
        eh.score(one, other)
    with pytest.raises(InputError, match="pairs of an id and a label: pass a frame of each"):
        eh.rank(one, {"a": other, "b": other})
    assert eh.score([("a", "b"), ("b", "c")], [("a", "b"), ("b", "c")])["micro_f1"].value == 1


def test_an_annotator_is_no_truth_beside_the_column_of_the_run(write, run, fails):
    other = TRUE[1:] + TRUE[:1]
    gold = pd.DataFrame({"category": TRUE, "annotator_2": other})
    result = run(*command("score", write, gold, pd.DataFrame({"category": PRED})), "--format=json")
    assert json.loads(result.stdout)["metrics"]["accuracy"]["value"] == 20 / 24
    gold = pd.DataFrame({"answer": TRUE, "annotator_2": other})
    error = fails(*command("score", write, gold, pd.DataFrame({"response": PRED})))
    assert "--true answer --pred response" in error


def test_texts_of_their_own_are_no_labels(write, fails):
    texts = {"premise": TEXT, "hypothesis": [f"it {k}" for k in range(N)]}
    gold = pd.DataFrame({**texts, "answer": TRUE, "stance": TRUE[1:] + TRUE[:1]})
    error = fails(*command("score", write, gold, pd.DataFrame({**texts, "response": PRED})))
    assert "--true answer --pred response" in error and "--true hypothesis" not in error


def test_an_answer_beside_predictions_may_be_the_truth(write, fails):
    frame = pd.DataFrame({"answer": TRUE, "flag": TRUE[1:] + TRUE[:1], "prediction": PRED})
    error = fails("score", write("x.csv", frame.to_csv(index=False)))
    assert "--true answer --pred prediction" in error

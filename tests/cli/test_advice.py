"""Files that are plain to a person: they are read, or the error says once what is right."""

import json

import pandas as pd
import pytest

import evenhand as eh
from evenhand.errors import InputError

N = 100
IDS = [f"q{k:02}" for k in range(N)]
TRUE = ["silver" if k % 3 else "bronze" for k in range(N)]
PRED = [t if k % 5 else "bronze" for k, t in enumerate(TRUE)]
RIGHT = sum(t == p for t, p in zip(TRUE, PRED, strict=True)) / N


@pytest.fixture
def table(write):
    """Write columns to a file."""

    def call(name, mark=",", **columns):
        rows = [list(columns), *zip(*columns.values(), strict=True)]
        return write(name, "".join(f"{mark.join(map(str, row))}\n" for row in rows))

    return call


@pytest.fixture
def accuracy(run):
    """The accuracy of the first system."""

    def call(*arguments):
        result = run(*arguments, "--metric", "accuracy", "--format", "json")
        assert result.exit_code == 0, result.output
        found = json.loads(result.stdout)
        return found.get("metrics", found.get("systems", [{}])[0].get("scores"))["accuracy"][
            "value"
        ]

    return call


@pytest.mark.parametrize("verb", ["rank", "report"])
def test_a_choice_is_shown_once(table, fails, verb):
    other = TRUE[1:] + TRUE[:1]
    name = table("x.csv", id=IDS, ann1=PRED, ann2=other, majority=TRUE, bert=PRED[1:] + PRED[:1])
    error = fails(verb, name)
    assert error.count("--true majority") == 1 and error.count("--true ann1") == 1


@pytest.mark.parametrize("verb", ["score", "rank"])
def test_two_tasks_under_names_that_say_nothing(table, fails, verb):
    stance = ["for" if k % 2 else "against" for k in range(N)]
    gold = table("g.csv", id=IDS, polarity=TRUE, stance=stance)
    files = [table(f"{n}.csv", id=IDS, polarity=PRED, stance=stance[::-1]) for n in "ab"]
    error = fails(verb, gold, *files[: 2 - (verb == "score")])
    assert "--true polarity --pred polarity or " in error
    assert error.endswith("--true stance --pred stance")


@pytest.mark.parametrize("verb", ["score", "rank", "report"])
def test_several_annotators_of_an_item(table, fails, verb):
    columns = {"id": sorted(IDS * 3), "annotator": ["w1", "w2", "w3"] * N}
    gold = table("g.csv", **columns, label=[t for t in TRUE for _ in range(3)])
    error = fails(verb, gold, table("a.csv", id=IDS, prediction=PRED))
    assert error.endswith(
        "g.csv: 'id' comes more than once (100 values in 300 rows): the truth has one row an item: "
        "give it the label of most annotators, or that of one"
    )


@pytest.mark.parametrize("verb", ["score", "rank"])
def test_a_summary_beside_the_rows(table, accuracy, verb):
    gold = table("g.csv", id=IDS, label=TRUE)
    rest = [""] * (N - 2)
    summary = {"class": ["silver", "bronze", *rest], "count": [60, 40, *rest]}
    runs = [table(f"{n}.csv", id=IDS[::-1], label=PRED[::-1], **summary) for n in "ab"]
    assert accuracy(verb, gold, *runs[: 2 - (verb == "score")]) == RIGHT


@pytest.mark.parametrize("mark", [";", "\t"])
def test_decimal_commas_of_probabilities(table, accuracy, mark):
    gold = table("g.tsv", mark, id=IDS, label=TRUE)
    shares = {"silver": ["0,9" if p == "silver" else "0,2" for p in PRED]}
    run = table("a.tsv", mark, id=IDS, **shares, bronze=["0,1" if p == "0,9" else "0,8"
                                                         for p in shares["silver"]])  # fmt: skip
    options = ["--true", "label", "--probabilities", "bronze,silver", "--decide", "argmax"]
    assert accuracy("score", gold, run, *options) == RIGHT


def test_a_class_that_is_called_as_its_column(table, accuracy, fails):
    true, pred = (["gold" if k % 25 == 3 else v for k, v in enumerate(c)] for c in (TRUE, PRED))
    right = sum(t == p for t, p in zip(true, pred, strict=True)) / N
    files = table("g.csv", id=IDS, gold=true), table("a.csv", id=IDS, pred=pred)
    assert accuracy("score", *files) == right
    ids = [*IDS[:50], "id", *IDS[50:]]
    table("g.csv", id=ids, gold=[*true[:50], "gold", *true[50:]])
    table("a.csv", id=ids, pred=[*pred[:50], "pred", *pred[50:]])
    assert "the heading is a true label too" in fails("score", *files)


def test_some_labels_that_are_numbers_are_not_the_same_numbers(table, fails):
    gold = table("g.csv", id=IDS, label=[("1", "2", "x")[k % 3] for k in range(N)])
    error = fails(
        "score", gold, table("a.csv", id=IDS, pred=[("+1", "z")[k % 2] for k in range(N)])
    )
    assert "they are the same numbers" not in error


@pytest.mark.parametrize("verb", ["score", "rank", "compare", "gate", "report"])
@pytest.mark.parametrize(
    ("gold", "answers"),
    [
        (("label",), ("second_choice", "bert")),
        (("label",), ("truncated", "label")),
        (("label",), ("flag", "target")),
        (("target_hit", "label"), ("prediction",)),
        (("human", "label"), ("prediction",)),
    ],
)
def test_a_name_with_a_word_of_a_role_is_a_doubt(table, fails, verb, gold, answers):
    other = TRUE[1:] + TRUE[:1]
    true, pred = gold[-1], answers[-1]
    first = {"id": IDS, **dict.fromkeys(gold, other), true: TRUE}
    second = {"id": IDS[::-1], **dict.fromkeys(answers, other), pred: PRED[::-1]}
    names = "a" if verb in ("score", "report") else "ab"
    files = table("g.csv", **first), *[table(f"{n}.csv", **second) for n in names]
    error = fails(verb, *files, *["--margin", "5%"] * (verb == "gate"))
    assert f"--true {true} --pred {pred}" in error
    if verb == "score":
        with pytest.raises(InputError, match="must name"):
            eh.score(pd.DataFrame(first), pd.DataFrame(second))


@pytest.mark.parametrize("pred", ["bert_prediction", "predicted_label", "model_answer"])
def test_a_name_of_words_for_predictions_alone_is_none(table, accuracy, pred):
    other = TRUE[1:] + TRUE[:1]
    gold = table("g.csv", id=IDS, label=TRUE, note=other)
    run = table("a.csv", id=IDS[::-1], **{pred: PRED[::-1]}, seen=other)
    assert accuracy("score", gold, run) == RIGHT


@pytest.mark.parametrize("verb", ["score", "rank"])
@pytest.mark.parametrize(
    "note", ["# end", "-- end", "EOF", "mean", "accuracy", "(12 rows affected)", "Source: lab 3"]
)
def test_a_note_below_the_items_of_all_files(table, fails, verb, note):
    names = "a" if verb == "score" else "ab"
    ids, n = [*IDS[:12], note], 12
    files = [table(f"{name}.csv", id=ids, pred=[*PRED[:n], "silver"]) for name in names]
    error = fails(verb, table("g.csv", id=ids, label=[*TRUE[:n], "silver"]), *files)
    assert f"the last row ({note}, silver) is no item" in error


def test_quoted_fields_with_spaces_between_are_columns(write, fails):
    gold, run = (
        "".join(f'"{k}" "{i}" "{v}"\n' for k, (i, v) in enumerate(zip(IDS, column, strict=True)))
        for column in (TRUE, PRED)
    )
    error = fails("score", write("g.txt", gold), write("p.txt", run))
    assert "look like columns set apart by spaces: put one comma or tab between them" in error

"""Lists in files: sets of labels, sequences of tokens, text that a mark parts."""

import json

import numpy as np
import pytest

import evenhand as eh

COLUMNS = ("--true", "t", "--pred", "p")
TAGS = ("O", "B", "I")


@pytest.fixture
def sentences(write):
    """Tagged sentences of different lengths, their tokens one after the other, and their places.

    Sentences have the order of their text, whatever their order in the file.
    """
    rng = np.random.default_rng(5)
    rows = []
    for n in rng.integers(1, 9, 60):
        gold = rng.choice(TAGS, n)
        rows.append(
            [gold.tolist(), *(np.where(rng.random(n) < r, gold, "O").tolist() for r in (0.8, 0.6))]
        )
    text = "\n".join(json.dumps(dict(zip("tpq", row, strict=True))) for row in rows)
    tokens = [[tag for row in rows for tag in row[i]] for i in range(3)]
    order = sorted(range(len(rows)), key=lambda i: ["\0".join(side) for side in rows[i]])
    cluster = [order.index(i) for i, row in enumerate(rows) for _ in row[0]]
    return write("x.jsonl", text), tokens, cluster


def scored(run, *arguments):
    return json.loads(run("score", *arguments, "--format", "json", "--metric", "macro_f1").stdout)


def test_tags_are_items_and_their_sentence_is_a_cluster(run, sentences):
    name, (gold, first, _), cluster = sentences
    found = scored(run, name, *COLUMNS, "--kind", "tokens")
    wanted = eh.score(gold, first, cluster=cluster, metrics="macro_f1")
    assert found["metrics"] == json.loads(wanted.to_json())["metrics"]
    assert found["n"] == len(gold)


def test_a_cluster_of_ones_own_goes_before(run, write):
    rows = [{"t": ["O", "B"], "p": ["O", "O"], "doc": i // 2} for i in range(8)]
    name = write("x.jsonl", "\n".join(map(json.dumps, rows)))
    found = scored(run, name, *COLUMNS, "--kind", "tokens", "--cluster", "doc")
    wanted = eh.score(
        ["O", "B"] * 8, ["O", "O"] * 8, cluster=[i // 4 for i in range(16)], metrics="macro_f1"
    )
    assert found["metrics"] == json.loads(wanted.to_json())["metrics"]


def test_systems_are_compared_on_tokens(run, sentences):
    name, (gold, first, second), cluster = sentences
    asked = ("--metric", "accuracy", "--replicates", "20", "--format", "json")
    found = run("compare", name, *COLUMNS, "--pred", "q", "--kind", "tokens", *asked)
    systems = {"p": first, "q": second}
    wanted = eh.compare(gold, systems, cluster=cluster, metrics="accuracy", replicates=20)
    printed = json.loads(found.stdout)
    assert printed.pop("read")["files"] == [name]
    assert printed == json.loads(wanted.to_json())
    assert run("rank", name, *COLUMNS, "--pred", "q", "--kind", "tokens", *asked).exit_code == 0


def test_one_sentence_has_no_clusters(run, write):
    name = write("x.jsonl", json.dumps({"t": list("OOBO") * 5, "p": list("OBBO") * 5}))
    found = scored(run, name, *COLUMNS, "--kind", "tokens")
    wanted = eh.score(list("OOBO") * 5, list("OBBO") * 5, metrics="macro_f1")
    assert found["metrics"] == json.loads(wanted.to_json())["metrics"]


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (
            [(["O", "B", "O"], ["O", "O", "B"])],
            "has lists that repeat a label, such as ['O', 'B', 'O']",
        ),
        ([(["a"], ["b"]), (["a", "b"], ["b", "a"])], "hold lists of one length in every row"),
    ],
)
def test_what_may_be_a_sequence_is_asked_about(run, fails, write, rows, said):
    lines = (json.dumps({"t": t, "p": p}) for t, p in rows)
    name = write("x.jsonl", "\n".join(lines))
    message = fails("score", name, *COLUMNS)
    assert said in message
    assert message.endswith("Say --kind multi-label or --kind tokens")
    sets = scored(run, name, *COLUMNS, "--kind", "multi-label")
    wanted = eh.score(*([set(row[i]) for row in rows] for i in range(2)), metrics="macro_f1")
    assert sets["metrics"] == json.loads(wanted.to_json())["metrics"]


def test_sequences_of_two_lengths(fails, write):
    rows = [{"t": ["O"], "p": ["O"]}, {"t": ["O", "B"], "p": ["O"]}]
    name = write("x.jsonl", "\n".join(map(json.dumps, rows)))
    assert fails("score", name, *COLUMNS, "--kind", "tokens") == (
        "row 2: x.jsonl, column 'p' has 1 tokens and x.jsonl, column 't' 2: a sequence must be as "
        "long in both"
    )


def test_an_empty_sentence_has_no_tokens(run, write):
    rows = [{"t": ["O"], "p": ["O"]}, {"t": [], "p": []}, {"t": ["B"], "p": ["O"]}]
    name = write("x.jsonl", "\n".join(map(json.dumps, rows)))
    assert scored(run, name, *COLUMNS, "--kind", "tokens")["n"] == 2


def test_text_parted_into_sets(run, write):
    name = write("x.csv", "t,p\na|b,b | a\na,\n,b|c\n")
    found = scored(run, name, *COLUMNS, "--separator", "|")
    wanted = eh.score(
        [{"a", "b"}, {"a"}, set()], [{"a", "b"}, set(), {"b", "c"}], metrics="macro_f1"
    )
    assert found["metrics"] == json.loads(wanted.to_json())["metrics"]
    gold, pred = write("gold.txt", "a|b\na\n\n"), write("pred.txt", "b|a\n\nb|c\n")
    assert scored(run, gold, pred, "--separator", "|")["metrics"] == found["metrics"]


def test_text_parted_into_tokens(run, write):
    gold, pred = write("gold.txt", "O B  I\nO O\n"), write("pred.txt", "O B O\nO O\n")
    found = scored(run, gold, pred, "--separator", " ", "--kind", "tokens")
    wanted = eh.score(list("OBIOO"), list("OBOOO"), cluster=[0, 0, 0, 1, 1], metrics="macro_f1")
    assert found["metrics"] == json.loads(wanted.to_json())["metrics"]


def test_no_lists(fails, write):
    name = write("x.csv", "t,p\na,b\n")
    assert fails("score", name, *COLUMNS, "--kind", "multi-label") == (
        "x.csv, column 't' must hold lists of labels, or text that --separator MARK parts, got "
        "String"
    )
    name = write("x.jsonl", '{"t": [1], "p": [1]}')
    assert "must hold text to be parted with --separator MARK" in fails(
        "score", name, *COLUMNS, "--separator", "|"
    )


def test_lists_in_python_are_sets():
    with pytest.raises(
        eh.InputError, match="y_true must be a list of label sets, got a label twice at item 1"
    ):
        eh.score([["a", "b"], ["O", "O"]], [["a"], ["O"]])

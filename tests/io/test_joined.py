"""Two files joined by id: every item once, and what is amiss is counted and named."""

from collections import Counter

import numpy as np
import polars as pl
import pytest

AGAIN = "; several rows per item need --system{0}, --sample COL, --run{1} or --cluster COL"
BY_ID = ("--label", "label", "--id", "id")


def both(write, gold, pred, kinds=("csv", "csv")):
    names = []
    for side, rows, kind in zip(("gold", "pred"), (gold, pred), kinds, strict=True):
        frame = pl.DataFrame({"id": list(rows), "label": list(rows.values())}, strict=False)
        names.append(write(f"{side}.{kind}", frame))
    return names


@pytest.mark.parametrize("kinds", [("csv", "csv"), ("parquet", "jsonl"), ("tsv", "arrow")])
def test_in_different_orders(write, count, kinds):
    random = np.random.default_rng(0)
    ids = [f"item {i}" for i in range(500)]
    gold = dict(zip(ids, random.choice(list("abc"), 500).tolist(), strict=True))
    pred = {i: str(random.choice(list("abcd"))) for i in random.permutation(ids).tolist()}
    expected = Counter((gold[i], pred[i]) for i in ids)
    assert count(*both(write, gold, pred, kinds), *BY_ID).cells == expected


def test_columns_of_different_names(write, count):
    write("gold.tsv", "id\tgold\tlang\n1\ta\ten\n2\tb\tde\n")
    write("run.jsonl", '{"id": "2", "answer": "b"}\n{"id": "1", "answer": "x"}\n')
    asked = ("gold.tsv", "run.jsonl", "--id", "id", "--true", "gold", "--pred", "answer")
    assert count(*asked).cells == {("a", "x"): 1, ("b", "b"): 1}
    assert count(*asked, "--by", "lang").cells == {("de", "b", "b"): 1, ("en", "a", "x"): 1}


@pytest.mark.parametrize("name", ["true", "pred", "line", "gold"])
def test_what_stands_beside_may_be_called_anything(write, count, name):
    write("gold.csv", f"id,label,{name}\n1,a,0.5\n2,b,2\n")
    write("pred.csv", "id,label\n2,b\n1,b\n")
    found = count("gold.csv", "pred.csv", *BY_ID, "--weights", name)
    assert found.cells == {("a", "b"): 0.5, ("b", "b"): 2}
    sliced = count("gold.csv", "pred.csv", *BY_ID, "--by", name)
    assert sliced.cells == {("0.5", "a", "b"): 1, ("2", "b", "b"): 1}


def test_slices_by_the_truth_itself(write, count):
    write("gold.csv", "id,true\n1,a\n2,b\n")
    write("pred.csv", "id,pred\n2,b\n1,b\n")
    asked = ("--true", "true", "--pred", "pred", "--by", "true")
    found = count("gold.csv", "pred.csv", *asked, "--id", "id")
    assert found.cells == {("a", "a", "b"): 1, ("b", "b", "b"): 1}


def test_ids_may_be_the_labels(write, count):
    names = both(write, {"a": "x", "b": "y"}, {"b": "x", "a": "x"})
    found = count(*names, "--label", "id", "--id", "id")
    assert found.cells == {("a", "a"): 1, ("b", "b"): 1}


GOLD = {str(i): "ab"[i % 2] for i in range(10)}
LACKING = {i: v for i, v in GOLD.items() if int(i) % 3}
MORE = {**GOLD, **{f"x{i}": "a" for i in range(7)}}


def test_missing_ids_are_counted_and_named(write, fails):
    assert fails("count", *both(write, GOLD, LACKING), *BY_ID) == (
        "pred.csv lacks 4 ids of gold.csv: '0', '3', '6', '9'; "
        "--missing wrong counts them as errors"
    )


def test_missing_ids_may_count_as_wrong(write, count, run):
    names = both(write, GOLD, LACKING)
    found = count(*names, *BY_ID, "--missing", "wrong")
    assert (found.n, found.missing) == (10, 4)
    assert found.cells == {("a", "a"): 3, ("b", "b"): 3, ("a", None): 2, ("b", None): 2}
    done = run("score", *names, *BY_ID, "--missing", "wrong")
    assert "4 predictions missing" in done.stderr


def test_extra_ids_are_an_error_whatever_is_missing(write, fails):
    for more in ((), ("--missing", "wrong")):
        assert fails("count", *both(write, GOLD, MORE), *BY_ID, *more) == (
            "pred.csv has 7 ids not in gold.csv: 'x0', 'x1', 'x2', 'x3', 'x4' and 2 more"
        )


@pytest.mark.parametrize("bad", ["gold", "pred"])
def test_ids_more_than_once(write, fails, bad):
    names = both(write, GOLD, GOLD)
    write(f"{bad}.csv", "id,label\n" + "\n".join(f"{i},a" for i in [*GOLD, 3, 3, 5]))
    message = fails("count", *names, *BY_ID)
    assert message == f"{bad}.csv has 2 ids more than once: '3', '5'" + AGAIN.format("", "")


@pytest.mark.parametrize("bad", ["gold", "pred"])
@pytest.mark.parametrize("more", [(), ("--missing", "wrong")])
def test_rows_without_an_id(write, fails, bad, more):
    names = both(write, GOLD, GOLD)
    write(f"{bad}.csv", "id,label\n" + "\n".join(f"{i},a" for i in [*GOLD, "", ""]))
    assert fails("count", *names, *BY_ID, *more) == f"{bad}.csv, column id: 2 rows without an id"


def test_ids_as_text_and_as_integers(write, count, fails):
    gold, pred = {"1": "a", "2": "b"}, {2: "b", 1: "a"}
    assert count(*both(write, gold, pred, ("csv", "parquet")), *BY_ID).cells == {
        ("a", "a"): 1, ("b", "b"): 1,
    }  # fmt: skip
    padded = both(write, {"01": "a", "2": "b"}, pred, ("csv", "parquet"))
    assert "pred.parquet has 1 id not in gold.csv: '1'" in fails("count", *padded, *BY_ID)


def test_an_empty_answer_is_missing_too(write, count):
    found = count(*both(write, {"1": "a", "2": "b"}, {"2": None, "1": "a"}), *BY_ID)
    assert (found.cells, found.missing) == ({("a", "a"): 1, ("b", None): 1}, 1)


def test_lines_have_no_ids(write, fails):
    names = write("g.txt", "a\n"), write("p.txt", "a\n")
    assert fails("count", *names, "--id", "id") == "g.txt has no columns to join by 'id'"


def test_columns_in_files_whose_names_do_not_tell(write, count):
    gold, pred = "id\tlabel\n1\ta\n2\tb\n", "id\tlabel\n2\tb\n1\tb\n"
    for ending in ("dat", "txt", "tsv"):
        names = write(f"g.{ending}", gold), write(f"p.{ending}", pred)
        found = count(*names, "--label", "label", "--id", "id").cells
        assert found == {("a", "b"): 1, ("b", "b"): 1}
        assert count(names[0], "-", "--label", "label", "--id", "id", input=pred).cells == found


def test_lines_have_no_columns_to_name(write, fails):
    names = write("g.txt", "a\n"), write("p.txt", "a\n")
    message = "g.txt holds one label per line: it has no columns to name"
    assert fails("count", *names, "--label", "nope") == message
    assert fails("count", names[0], "--true", "x", "--pred", "y") == message


def test_no_such_id(write, fails):
    message = fails("count", *both(write, GOLD, GOLD), "--label", "label", "--id", "key")
    assert message == "gold.csv has columns 'id', 'label', expected 'key' too"


def test_ids_of_one_file_are_looked_at(write, fails, run):
    name = write("one.csv", "id,gold,x,y\n1,a,a,b\n2,b,b,b\n")
    columns = ("--true", "gold", "--pred", "x", "--id", "id")
    assert run("score", name, *columns).exit_code == 0
    write("one.csv", "id,gold,x,y\n1,a,a,b\n1,b,b,b\n")
    two = ("--pred", "y")
    asked = {
        "score": ((), "", ""),
        "compare": (two, " COL", ""),
        "rank": (two, " COL", " COL|PATTERN"),
    }
    for command, (more, *said) in asked.items():
        wanted = "one.csv has 1 id more than once: '1'" + AGAIN.format(*said)
        assert fails(command, name, *columns, *more) == wanted


def test_one_column_is_not_both(write, fails):
    name, _ = both(write, GOLD, GOLD)
    for command in ("count", "score"):
        message = fails(command, name, "--true", "label", "--pred", "label")
        assert message == (
            f"{name}: column 'label' cannot hold both truth and predictions; what two files call "
            "alike is named by --label COL"
        )

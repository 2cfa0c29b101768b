"""``evenhand merge``: saved tables, added up once."""

import json
import os

import pytest

import evenhand as eh


@pytest.fixture
def parts(run, write):
    made = []
    for i, (gold, pred) in enumerate((("a\nb\n", "a\na\n"), ("c\na\n", "a\na\n"), ("b\n", "d\n"))):
        names = write(f"g{i}.txt", gold), write(f"p{i}.txt", pred)
        made.append(f"part{i}.{('json', 'txt', 'json')[i]}")
        assert run("count", *names, "--output", made[-1]).exit_code == 0
    return made


CELLS = [[2, 0, 0, 0], [1, 0, 0, 1], [1, 0, 0, 0], [0, 0, 0, 0]]


@pytest.mark.parametrize("output", ["all.json", "all"])
def test_sum(run, parts, output):
    done = run("merge", *parts, "--output", output)
    assert (done.exit_code, done.output) == (0, "")
    table = eh.Confusion.load(output)
    assert table.labels == ("a", "b", "c", "d")
    assert table.cells.tolist() == CELLS


def test_to_the_screen(run, parts):
    for more in ((), ("--output", "-")):
        record = json.loads(run("merge", *parts, *more).stdout)
        assert sum(record["cells"]["weight"]) == sum(record["n"]) == 5
        assert len(record["sources"]) == 6


def test_in_any_order_and_in_steps(run, parts):
    run("merge", parts[2], parts[1], "--output", "two.json")
    run("merge", "two.json", parts[0], "--output", "all.json")
    assert eh.Confusion.load("all.json").cells.tolist() == CELLS


def test_one_part_is_itself(run, parts):
    run("merge", parts[0], "--output", "one.json")
    assert eh.Confusion.load("one.json").cells.tolist() == [[1, 0], [1, 0]]


def test_not_onto_one_of_the_parts(fails, parts):
    before = eh.Confusion.load(parts[0]).cells.tolist()
    message = f"{parts[0]} is one of the files to read: name another to write"
    assert fails("merge", *parts, "--output", parts[0]) == message
    assert eh.Confusion.load(parts[0]).cells.tolist() == before


def test_the_same_part_twice(fails, run, parts):
    message = "would be counted twice: 'g0.txt"
    said = fails("merge", parts[0], parts[1], parts[0])
    assert said.endswith("would be counted twice: 'g0.txt', 'p0.txt'")
    run("merge", *parts[:2], "--output", "two.json")
    assert fails("merge", "two.json", parts[0]).startswith(f"{parts[0]}: 2 sources {message[:7]}")
    os.rename(parts[0], "renamed.json")
    assert message in fails("merge", "renamed.json", "two.json")
    assert not os.path.exists("all.json")


def test_the_same_labels_counted_again(fails, run, parts):
    run("count", "g0.txt", "p0.txt", "--output", "again.json")
    assert "would be counted twice" in fails("merge", parts[0], "again.json")


def test_slices_unite(run, write):
    for i, language in enumerate(("en", "de")):
        name = write(f"x{i}.csv", f"gold,system,lang\na,a,{language}\nb,a,fr\n")
        run("count", name, "--true", "gold", "--pred", "system", "--by", "lang",
            "--output", f"x{i}.json")  # fmt: skip
    run("merge", "x0.json", "x1.json", "--output", "all.json")
    table = eh.Confusion.load("all.json")
    assert {key: int(table.at(key).n) for key in table.keys[0]} == {"en": 1, "fr": 2, "de": 1}


def test_a_stack_and_a_table(fails, run, parts, write):
    name = write("x.csv", "gold,system,lang\na,a,en\n")
    run("count", name, "--true", "gold", "--pred", "system", "--by", "lang", "--output", "x.json")
    assert "tables to add must have the same axes" in fails("merge", parts[0], "x.json")


def test_labels_of_different_types(fails, run, parts, write):
    name = write("x.jsonl", '{"gold": 1, "system": 1}\n')
    run("count", name, "--true", "gold", "--pred", "system", "--output", "x.json")
    message = fails("merge", parts[0], "x.json")
    assert message.startswith("x.json: ")
    assert "labels of one type, got str and int" in message


def test_refused(fails, parts):
    assert "Missing argument" in fails("merge")
    assert fails("merge", "g0.txt") == "g0.txt is no saved table"
    assert fails("merge", "nowhere.json") == "nowhere.json does not exist"
    assert "no/all.json cannot be written" in fails("merge", *parts, "--output", "no/all.json")

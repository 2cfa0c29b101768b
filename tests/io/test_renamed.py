"""Labels renamed, merged and folded after counting, and the reader told so."""

import json

import pytest

GOLD, PRED = "cat\nDog\nbird\ncat\n", "Cat\ndog\nbird\ndog\n"


@pytest.fixture
def files(write):
    return write("g.txt", GOLD), write("p.txt", PRED)


MAPS = {
    "m.csv": "Cat,cat\nDog,dog\n",
    "m.tsv": "Cat\tcat\nDog\tdog\n",
    "m.txt": "Cat,cat\nDog,dog",
    "m.json": '{"Cat": "cat", "Dog": "dog"}',
    "windows.csv": "\ufeffCat,cat\r\nDog,dog\r\n",
    "spaces.csv": " Cat , cat \n\nDog,dog\n",
    "quoted.csv": '"Cat","cat"\n"Dog",dog\n',
    "again.csv": "Cat,cat\nCat,cat\nDog,dog\n",
}


@pytest.mark.parametrize("name", MAPS)
def test_a_map(write, count, files, name):
    found = count(*files, "--map", write(name, MAPS[name]))
    assert found.cells == {
        ("cat", "cat"): 1, ("dog", "dog"): 1, ("bird", "bird"): 1, ("cat", "dog"): 1,
    }  # fmt: skip
    assert found.said == f"note: {name} renamed 2 of 5 true and predicted labels, leaving 3\n"


def test_a_map_merges(write, count, files):
    name = write("m.csv", "cat,pet\nCat,pet\nDog,pet\ndog,pet\n")
    assert count(*files, "--map", name).cells == {("pet", "pet"): 3, ("bird", "bird"): 1}


def test_a_map_may_swap(write, count, files):
    name = write("m.csv", "cat,dog\ndog,cat\n")
    assert count(*files, "--map", name).cells[("dog", "cat")] == 1


@pytest.mark.parametrize("more", [(), ("--cluster", "doc")], ids=["table", "sample"])
def test_a_map_into_the_names_of_the_truth_is_for_predictions(write, run, more):
    gold = write("g.csv", "doc,label\n" + "".join(f"{i},{i % 3}\n" for i in range(12)))
    pred = write("p.csv", "prediction\n" + "".join(f"{i % 3 + 1}\n" for i in range(12)))
    new = write("m.csv", "1,0\n2,1\n3,2\n")
    result = run("score", gold, pred, "--map", new, "--format", "json", *more)
    assert json.loads(result.stdout)["metrics"]["accuracy"]["value"] == 1
    assert "m.csv renamed 3 of 3 predicted labels, leaving 3" in result.stderr


def test_a_map_of_labels_with_commas(write, count):
    name = write("g.csv", 'gold,system\n"a, b","a, b"\n')
    new = write("m.csv", '"a, b",c\n')
    assert count(name, "--true", "gold", "--pred", "system", "--map", new).cells == {("c", "c"): 1}


def test_a_map_that_hits_nothing_says_so(write, count, files):
    found = count(*files, "--map", write("m.csv", "x,y\n"))
    assert found.said == "note: m.csv renamed 0 of 5 true and predicted labels, leaving 5\n"


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("m.csv", "", "m.csv names no labels"),
        ("m.csv", "a\n", "m.csv, line 1: expected OLD,NEW, got 'a'"),
        ("m.csv", "a,b\nc,d,e\n", "m.csv, line 2: expected OLD,NEW, got 'c,d,e'"),
        ("m.csv", "a,\n", "m.csv, line 1: expected OLD,NEW, got 'a,'"),
        ("m.csv", ",b\n", "m.csv, line 1: expected OLD,NEW, got ',b'"),
        ("m.csv", "a,b\na,c\n", "m.csv, line 2: 'a' already has another name"),
        ("m.json", "[1]", "m.json must be a JSON object of old names and new names"),
        ("m.json", '{"a": 1}', "m.json, 'a': expected a new name for 'a', got 1"),
        ("m.json", '{"a": ', "m.json, line 1: expected JSON"),
        ("m.json", '{"a": "b", "a": "c"}', "m.json, 'a': 'a' already has another name"),
        ("m.csv", 'a,b\n"c"x,d\n', "m.csv, line 2: ',' expected after '\"'"),
        ("m.csv", b"\xff,a\n", "m.csv, line 1: expected UTF-8 text, got byte 0xff"),
        ("m.csv", b"\0", "m.csv is a binary file, expected text"),
    ],
)
def test_a_bad_map(write, fails, files, name, content, message):
    assert message in fails("count", *files, "--map", write(name, content))


def test_no_map(fails, files):
    assert fails("count", *files, "--map", "nowhere.csv") == "nowhere.csv does not exist"


def test_case_is_folded(count, files):
    found = count(*files, "--ignore-case")
    assert found.cells == {
        ("cat", "cat"): 1, ("dog", "dog"): 1, ("bird", "bird"): 1, ("cat", "dog"): 1,
    }  # fmt: skip
    assert found.said == "note: ignoring case merged 5 labels into 3\n"


def test_case_beyond_ascii(write, count):
    name, other = write("g.txt", "STRASSE\nÄ\n"), write("p.txt", "straße\nä\n")
    assert count(name, other, "--ignore-case").cells == {("strasse", "strasse"): 1, ("ä", "ä"): 1}


def test_nothing_to_fold_is_no_news(write, count):
    files = write("g.txt", "a\nb\n"), write("p.txt", "a\nb\n")
    assert count(*files, "--ignore-case").said == ""


def test_a_map_and_then_case(write, count, files):
    found = count(*files, "--map", write("m.csv", "bird,CAT\n"), "--ignore-case")
    assert found.cells == {("cat", "cat"): 2, ("dog", "dog"): 1, ("cat", "dog"): 1}


def test_a_map_of_integers(write, count):
    name = write("x.jsonl", '{"gold": 1, "system": 2}\n{"gold": 3, "system": 3}\n')
    found = count(name, "--true", "gold", "--pred", "system", "--map", write("m.csv", "2,1\n"))
    assert found.cells == {("1", "1"): 1, ("3", "3"): 1}


def test_the_labels_given_are_those_after_renaming(write, count, fails, files):
    new = write("m.csv", "Cat,pet\ncat,pet\nDog,pet\ndog,pet\n")
    found = count(*files, "--map", new, "--labels", "pet,bird,fish")
    assert found.cells == {("pet", "pet"): 3, ("bird", "bird"): 1}
    message = fails("count", *files, "--map", new, "--labels", "pet")
    assert message == "the truth must hold only the given labels 'pet', got 'bird'"
    swapped = count(*files[::-1], "--ignore-case", "--labels", "DOG,bird,Cat")
    assert swapped.cells == {
        ("dog", "dog"): 1, ("bird", "bird"): 1, ("cat", "cat"): 1, ("dog", "cat"): 1,
    }  # fmt: skip


def test_predictions_outside_the_labels_given_after_renaming(write, count):
    gold, pred = write("g.txt", "a\nb\n"), write("p.txt", "A\nx\n")
    found = count(gold, pred, "--ignore-case", "--labels", "a,b")
    assert (found.cells, found.n, found.missing) == ({("a", "a"): 1, ("b", None): 1}, 2, 0)


def test_labels_of_a_matrix_are_its_own(write, run):
    new = write("m.csv", "x,y\n")
    found = run("score", "--matrix", "3 1; 0 2", "--labels", "x,z", "--map", new)
    assert found.exit_code == 0 and "\ny " in found.stdout and "\nz " in found.stdout


def test_integers_keep_their_type_when_case_is_ignored(write, count):
    name = write("x.jsonl", '{"gold": 1, "system": 2}\n')
    options = ("--true", "gold", "--pred", "system", "--ignore-case", "--labels", "2,1")
    assert count(name, *options).cells == {(1, 2): 1}


@pytest.mark.parametrize("command", ["score", "compare", "rank", "twins"])
def test_labels_are_folded_in_every_command(write, run, command):
    gold, one, two = (
        write("g.txt", "Cat\ndog\n"),
        write("x.txt", "cat\nDog\n"),
        write("y.txt", "DOG\ndog\n"),
    )
    files = (gold, one, two) if command in ("compare", "rank") else (gold, one)
    found = run(command, *files, "--ignore-case", "--labels", "Cat,DOG")
    assert found.exit_code == 0, found.output
    assert "got" in run(command, *files, "--ignore-case", "--labels", "Cat").stderr


def test_labels_of_saved_tables_in_rank(write, run, fails, files):
    run("count", *files, "--output", "t.json")
    run("count", *files[::-1], "--output", "u.json")
    rank = ("rank", "--tables", "t.json", "u.json", "--replicates", "10")
    assert (
        fails(*rank, "--labels", "x,y") == "t.json is a saved table: its labels are counted already"
    )
    assert "got 'cat', 'dog', 'bird'" in fails(*rank, "--ignore-case", "--labels", "x,y")
    assert run(*rank, "--ignore-case", "--labels", "dog,cat,bird").exit_code == 0

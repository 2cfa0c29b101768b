"""Files that fit together by their form, and contradict each other in what they hold."""

import json
import zipfile

import pytest

GOLD = "id,text,label\n" + "".join(f"{i},text {i % 5},{'pn'[i % 2]}\n" for i in range(8))
COMMON = "{0} and {1} have the same values of 'text', but "


@pytest.fixture
def score(here, run):
    """The JSON of a score."""

    def call(*arguments):
        result = run("score", *arguments, "--format", "json")
        assert result.exit_code == 0, result.output
        return json.loads(result.stdout)

    return call


@pytest.mark.parametrize("verb", ["score", "rank"])
def test_zero_above_numbers_may_be_a_heading(write, fails, verb):
    gold, run = write("g.csv", "0\n1\n1\n0\n1\n"), write("p.csv", "0\n0\n1\n0\n0\n")
    error = fails(verb, gold, run, *[write("q.csv", "0\n1\n1\n0\n0\n")] * (verb == "rank"))
    assert "g.csv and its runs begin with 0, an item or pandas' heading of the column: " in error
    assert "--no-header or " in error and error.endswith("--label 0")


def test_both_ways_to_go_on_work(write, score):
    gold, run = write("g.csv", "0\n1\n1\n0\n1\n"), write("p.csv", "0\n0\n1\n0\n0\n")
    assert score(gold, run, "--no-header")["n"] == 5
    assert score(gold, run, "--label", "0")["n"] == 4
    assert score(write("g.txt", "0\n1\n0\n"), write("p.txt", "0\n1\n1\n"))["n"] == 3


def test_zero_above_one_of_two(write, fails, score):
    gold, run = write("g.csv", "0\n1\n1\n0\n"), write("p.csv", "1\n1\n0\n")
    error = fails("score", gold, run)
    assert error.endswith("the first of g.csv, 0, may be its heading: g.csv::header=yes")
    assert score("g.csv::header=yes", run)["n"] == 3


def test_an_index_without_a_name_is_the_id(write, score):
    found = score(
        write("g.csv", ",0\n0,1\n1,1\n2,0\n3,1\n"), write("p.csv", ",0\n3,0\n2,0\n1,1\n0,0\n")
    )
    assert (found["n"], found["metrics"]["accuracy"]["value"]) == (4, 0.5)
    assert any("matched by the column without a name, 4 ids" in w for w in found["warnings"])


@pytest.mark.parametrize("verb", ["score", "rank"])
@pytest.mark.parametrize("key", ["id", "Unnamed: 0", ""])
def test_a_column_of_both_that_contradicts_the_ids(write, fails, score, verb, key):
    gold = write("g.csv", GOLD.replace("id", key, 1))
    rows = [f"{i},text {(3 * i) % 8 % 5},p" for i in range(8)]
    run = write("p.csv", "\n".join([f"{key},text,prediction", *rows]) + "\n")
    error = fails(verb, gold, run, *[write("q.csv", "id,prediction\n0,p\n")] * (verb == "rank"))
    assert COMMON.format(gold, run) in error
    if key == "id" and verb == "score":
        assert "--id id or " in error and error.endswith("--by-row")
        assert score(gold, run, "--id", "id")["n"] == 8
        assert score(gold, run, "--by-row")["n"] == 8


def test_a_copy_of_the_truth_on_other_rows(write, fails, score):
    gold = write("g.csv", GOLD)
    labels = "ppnnpnpn"
    rows = [f"{i},{label},p" for i, label in enumerate(labels)]
    run = write("p.csv", "\n".join(["id,label,prediction", *rows]) + "\n")
    error = fails("score", gold, run)
    assert "p.csv has the labels of g.csv in 'label', but 2 stand on other rows if 'id' " in error
    assert score(gold, run, "--id", "id")["n"] == 8
    lines = write("g.txt", "".join(f"{'pn'[i % 2]}\n" for i in range(8)))
    rows = "".join(f"{label},{label}\n" for label in labels)
    error = fails("score", lines, write("q.csv", "gold,prediction\n" + rows))
    assert "q.csv has the labels of g.txt in 'gold', but 2 stand on other rows: " in error


def test_a_copy_of_the_truth_with_other_labels(write, score):
    rows = [f"{i},{'pn'[i % 2 and i != 3]},p" for i in range(8)]
    run = write("p.csv", "\n".join(["id,label,prediction", *rows]) + "\n")
    found = score(write("g.csv", GOLD), run)
    assert "p.csv: 'label' differs from g.csv on 1 item; those of g.csv count" in found["warnings"]


def test_systems_in_turn_under_any_name(write, fails, run):
    truth = "ppnpnnpn"
    rows = [f"{a},{t},{'pn'[(i + (a == 'b')) % 3 > 1]}" for i, t in enumerate(truth) for a in "ab"]
    name = write("x.csv", "\n".join(["Algorithm,label,pred", *rows]) + "\n")
    error = fails("score", name)
    assert "has the values of 'Algorithm' in turn, each time with one truth: " in error
    assert "rank x.csv --true label --pred pred --system Algorithm" in error
    result = run("rank", name, "--true", "label", "--pred", "pred", "--system", "Algorithm")
    assert result.exit_code == 0
    other = write(
        "y.csv",
        "\n".join(["Group,label,pred", *(f"{'ab'[i % 2]},{t},p" for i, t in enumerate("pnpnnpnp"))])
        + "\n",
    )
    assert run("score", other).exit_code == 0


@pytest.mark.parametrize(
    ("pair", "words"),
    [
        ("0001 1", "g.csv has '0001' for '1' of p.csv"),
        ("Doc1 DOC1", "g.csv has 'Doc1' for 'DOC1' of p.csv"),
        ("data/1.txt 1.txt", "g.csv has 'data/1.txt' for '1.txt' of p.csv"),
        ("1.txt 1", "g.csv has '1.txt' for '1' of p.csv"),
    ],
)
def test_ids_that_are_written_otherwise(write, fails, pair, words):
    one, other = (text.replace("1", "{}") for text in pair.split())
    gold = write("g.csv", "id,label\n" + "".join(f"{one.format(i)},a\n" for i in range(1, 8)))
    rows = "".join(f"{other.format(i)},a\n" for i in (3, 2, 1, 4, 5, 7, 6))
    error = fails("score", gold, write("p.csv", "id,prediction\n" + rows))
    assert words in error and "--by-row" not in error


def test_zeros_before_some_ids(write, fails):
    gold = write("g.csv", "id,label\n" + "".join(f"{i:02},{'ab'[i % 2]}\n" for i in range(1, 25)))
    run = write("p.csv", "id,prediction\n" + "".join(f"{i},a\n" for i in range(24, 0, -1)))
    error = fails("score", gold, run)
    assert error.startswith("p.csv has 9 ids not in g.csv: ")
    assert error.endswith("; g.csv has '01' for '1'")
    assert "; g.csv has '01' for '1'" in fails("rank", gold, run, write("q.csv", "id,x\n01,a\n"))


def test_a_heading_of_lines_is_named(write, score):
    gold, run = "gold\nsilver\ngold\nbronze\n" * 2, "silver\ngold\nbronze\n" * 2
    found = score(write("g.txt", "label\n" + gold), write("p.txt", run + "gold\nsilver\n"))
    assert "file layout: g.txt (with a header ('label'))" in found["warnings"]


def test_one_spelling_of_the_truth_is_that_of_mixed_predictions(write, score):
    found = score(write("g.txt", "0\n1\n0\n1\n1\n1\n"), write("p.txt", "0.0\n1.0\n0\n1\n0\n1\n"))
    assert found["labels"] == ["0", "1"]
    line = "labels written differently were taken as one: '0.0' is '0', '1.0' is '1'"
    assert line in found["warnings"]


@pytest.mark.parametrize("last", ["accuracy,0.5", "Total,4", "macro avg,50%"])
def test_a_footer_is_no_item(write, fails, last):
    name = write("x.csv", f"label,pred\na,a\nb,a\na,b\nb,b\n{last}\n")
    assert f"the last row ({last.replace(',', ', ')}) is no item" in fails("score", name)


def test_a_confusion_matrix_is_no_table_of_items(write, fails, run):
    plain = write("m.csv", ",bird,cat,dog\nbird,5,1,0\ncat,1,4,2\ndog,0,1,6\n")
    named = write("n.csv", ",pred_bird,pred_cat\ntrue_bird,5,1\ntrue_cat,2,4\n")
    for name in (plain, named):
        line = f"{name} looks like a confusion matrix: give it with --matrix {name}"
        assert fails("score", name).endswith(line)
    found = json.loads(run("score", "--matrix", named, "--format", "json").stdout)
    assert [(c["label"], c["prevalence"]) for c in found["classes"]] == [("bird", 6), ("cat", 6)]
    turned = write("t.csv", ",true_bird,true_cat\npred_bird,5,1\npred_cat,2,4\n")
    found = json.loads(run("score", "--matrix", turned, "--format", "json").stdout)
    assert [c["prevalence"] for c in found["classes"]] == [7, 5]


def test_a_name_of_its_own_in_every_line(write, fails):
    gold, run = write("g.txt", "dog\ncat\ncat\n"), '{"109":"dog"}\n{"110":"cat"}\n{"111":"cat"}\n'
    error = fails("score", gold, write("p.jsonl", run))
    assert "p.jsonl has one field in every row, each time of another name" in error


@pytest.mark.parametrize("names", ["gold_label,label", "answer,model_answer"])
def test_the_plain_reading_comes_first(write, fails, names):
    true, pred = names.split(",")
    error = fails("score", write("x.csv", f"id,{pred},{true}\n1,a,a\n2,b,a\n3,a,b\n4,b,b\n"))
    first, _ = error.split(" or evenhand ")
    assert first.endswith(f"--true {true} --pred {pred}")


def test_scored_labels_are_predictions(write, score):
    name = write("x.csv", "id,Scored Labels,Class\n1,a,a\n2,b,a\n3,a,b\n4,b,b\n")
    columns = score(name)["read"]["columns"][name]
    assert (columns["true"], columns["pred"]) == ("Class", ["Scored Labels"])


def test_words_about_runs_are_no_runs(here, write, run):
    write("g.csv", "id,label\n1,a\n2,b\n3,a\n")
    for name in ("one", "two"):
        with zipfile.ZipFile(here / f"{name}.zip", "w") as archive:
            archive.writestr("pred.csv", f"id,prediction\n3,a\n1,{'ab'[name == 'two']}\n2,b\n")
            archive.writestr("README.md", "# How these were made\n")
            archive.writestr("LICENSE", "public domain\n")
    result = run("rank", "g.csv", "one.zip", "two.zip", "--format", "json")
    found = json.loads(result.stdout)
    assert [s["name"] for s in found["systems"]] == ["one/pred", "two/pred"]
    line = "one.zip: 'README.md', 'LICENSE' left out, as no files of labels"
    assert line in found["warnings"]
    assert (
        line in json.loads(run("score", "g.csv", "one.zip", "--format", "json").stdout)["warnings"]
    )


@pytest.mark.parametrize("end", [b"\n\n", b",\n", b",\n,\n", b",\r\n,", b",\n" * 60_000])
def test_rows_without_anything_at_the_end_are_no_items(here, score, end):
    gold = b"id,label\n1,a\n2,b\n3,\n"
    (here / "g.csv").write_bytes(gold.replace(b"3,", b"3,a") + end)
    (here / "p.csv").write_bytes(b"id,prediction\n3,\n2,b\n1,a\n" + end)
    assert score("g.csv", "p.csv")["missing"] == 1
    quoted = b'id,prediction\n3,a"b" c\n2,"b ""a"""\n1,a\n'
    (here / "p.csv").write_bytes(quoted + end)
    assert score("g.csv", "p.csv")["n"] == 3

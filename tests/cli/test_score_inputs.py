"""What score reads: lines, columns, matrices."""

import json

import pytest

COLUMNS = ("--true", "gold", "--pred", "system")
CELLS = "6 1 1; 1 5 2; 2 3 7"
MACRO_F1 = 0.64349376114082


@pytest.fixture
def scored(run):
    """The JSON of a run."""

    def call(*arguments):
        result = run("score", *arguments, "--format", "json")
        assert result.exit_code == 0, result.stderr
        return json.loads(result.stdout) | {"read": None}  # which tells files apart

    return call


def margins(found):
    return {c["label"]: (c["prevalence"], c["bias"], c["correct"]) for c in found["classes"]}


def test_two_files_of_lines(scored, lines):
    found = scored(*lines)
    assert (found["n"], found["labels"]) == (4, ["a", "b"])
    assert margins(found) == {"a": (2, 3, 2), "b": (2, 1, 1)}
    assert found["metrics"]["accuracy"]["value"] == 0.75


@pytest.mark.parametrize(
    "content",
    [
        b"a\r\nb\r\nb\r\na\r\n",
        b"\xef\xbb\xbfa\nb\nb\na\n",
        b"a\nb\nb\na",
        b" a \n\tb\nb\t\na\n",
    ],
    ids=["CRLF", "BOM", "no newline at the end", "spaces around"],
)
def test_the_same_lines_however_written(scored, write, lines, content):
    assert scored(write("other.txt", content), lines[1]) == scored(*lines)


def test_labels_that_look_like_something_else(scored, write):
    odd = ["01", "1", "NA", "null", "None", "nan", "True", "1e3", "#x", "a b", "a,b", '"q"']
    found = scored(*(write(name, "\n".join(odd)) for name in ("odd.txt", "also.txt")))
    assert sorted(found["labels"]) == sorted(odd)
    assert found["metrics"]["accuracy"]["value"] == 1


def test_columns_of_a_csv(scored, answers):
    found = scored(answers, *COLUMNS)
    assert margins(found) == {"a": (2, 3, 2), "b": (3, 1, 1)}
    assert (found["n"], found["outside"], found["missing"]) == (5, 1, 1)


def test_columns_of_a_tsv(scored, write, answers, here):
    tabbed = write("answers.tsv", (here / answers).read_text().replace(",", "\t"))
    assert scored(tabbed, *COLUMNS) == scored(answers, *COLUMNS)


@pytest.mark.parametrize(
    "content",
    [
        "\ufeffgold,system\r\na,a\r\nb,a\r\n",
        'gold,system\n"a","a"\nb,a',
        "gold,system\n a , a\nb,a\n",
        "extra,gold,system\n,a,a\n1,b,a\n",
    ],
    ids=["BOM and CRLF", "quotes", "spaces", "another column"],
)
def test_the_same_columns_however_written(scored, write, content):
    found = scored(write("t.csv", content), *COLUMNS)
    assert margins(found) == {"a": (1, 2, 1), "b": (1, 0, 0)}


def test_text_columns_are_not_guessed_at(scored, write):
    rows = "".join(f"{v},{v}\n" for v in ("01", "1", "1.0", "NA", "null", "true", "1e3"))
    found = scored(write("t.csv", f"gold,system\n{rows}"), *COLUMNS)
    assert len(found["labels"]) == 7
    assert (found["outside"], found["metrics"]["accuracy"]["value"]) == (0, 1)


def test_a_comma_inside_quotes(scored, write):
    found = scored(write("t.csv", 'gold,system\n"a,b","a,b"\nc,c\n'), *COLUMNS)
    assert found["labels"] == ["a,b", "c"]


def test_weights(scored, answers):
    found = scored(answers, *COLUMNS, "--weights", "weight")
    assert margins(found) == {"a": (2, 2.5, 2), "b": (3.5, 2, 2)}
    assert found["n"] == 5
    assert "weights:given" in found["signature"]
    assert found["metrics"]["accuracy"]["value"] == pytest.approx(4 / 5.5)


def test_by_one_column(scored, answers):
    found = scored(answers, *COLUMNS, "--by", "language")
    assert [(s["key"], s["n"]) for s in found["slices"]] == [("de", 3), ("en", 2)]
    assert [s["metrics"]["accuracy"]["value"] for s in found["slices"]] == [pytest.approx(1 / 3), 1]
    assert found["n"] == 5
    assert found["metrics"]["accuracy"]["value"] == 0.6


def test_by_two_columns(scored, answers):
    found = scored(answers, *COLUMNS, "--by", "language", "--by", "source")
    keys = [s["key"] for s in found["slices"]]
    assert keys == [["de", "news"], ["de", "web"], ["en", "news"], ["en", "web"]]


def test_by_an_empty_value_is_a_slice_too(scored, write):
    name = write("t.csv", "gold,system,by\na,a,x\nb,b,\n")
    assert [s["key"] for s in scored(name, *COLUMNS, "--by", "by")["slices"]] == ["x", None]


def test_slices_of_weighted_rows_sum_to_the_whole(scored, answers):
    found = scored(answers, *COLUMNS, "--by", "language", "--weights", "weight")
    whole = scored(answers, *COLUMNS, "--weights", "weight")
    assert margins(found) == margins(whole)
    assert found["metrics"] == whole["metrics"]


def test_a_matrix_as_text(scored):
    found = scored("--matrix", CELLS)
    assert found["metrics"]["macro_f1"]["value"] == pytest.approx(MACRO_F1, abs=1e-14)
    assert (found["labels"], found["n"]) == ([0, 1, 2], 28)


@pytest.mark.parametrize(
    "content",
    [
        ",bird,cat,dog\nbird,6,1,1\ncat,1,5,2\ndog,2,3,7\n",
        "true\tbird\tcat\tdog\nbird\t6\t1\t1\ncat\t1\t5\t2\ndog\t2\t3\t7\n",
        "bird,cat,dog\n6,1,1\n1,5,2\n2,3,7\n",
        "\ufeffbird cat dog\r\n6 1 1\r\n1 5 2\r\n2 3 7",
    ],
    ids=["rows named", "tabs", "columns named", "spaces, BOM, CRLF"],
)
def test_a_matrix_file_with_labels(scored, write, content):
    found = scored("--matrix", write("m.csv", content))
    assert found["labels"] == ["bird", "cat", "dog"]
    assert found["metrics"]["macro_f1"]["value"] == pytest.approx(MACRO_F1, abs=1e-14)


def test_a_matrix_file_without_labels(scored, write):
    name = write("m.txt", "6 1 1\n1 5 2\n2 3 7\n")
    assert scored("--matrix", name)["labels"] == [0, 1, 2]
    assert scored("--matrix", name, "--labels", "bird,cat,dog")["labels"] == ["bird", "cat", "dog"]


@pytest.mark.parametrize(
    "text", ["6,1,1;1,5,2;2,3,7", "[[6, 1, 1], [1, 5, 2], [2, 3, 7]]", "6 1 1\n1 5 2\n2 3 7"]
)
def test_other_ways_to_write_a_matrix(scored, text):
    assert scored("--matrix", text) == scored("--matrix", CELLS)


def test_a_matrix_whose_rows_are_predictions(scored):
    turned = scored("--matrix", "6 1 2; 1 5 3; 1 2 7", "--rows", "pred")
    assert turned == scored("--matrix", CELLS)


def test_labels_give_classes_and_order(scored, lines):
    found = scored(*lines, "--labels", "b, a,never")
    assert found["labels"] == ["b", "a", "never"]
    assert found["metrics"]["macro_f1"] == scored(*lines)["metrics"]["macro_f1"]


def test_a_prediction_outside_the_labels(scored, write, lines):
    other = write("other.txt", "a\nb\nwhat?\na\n")
    found = scored(lines[0], other, "--labels", "a,b")
    assert (found["outside"], found["missing"]) == (1, 0)
    assert any(
        "1 prediction is outside the classes, counted as errors" in w for w in found["warnings"]
    )


def test_a_quoted_label_may_hold_a_comma(scored, write):
    files = [write(name, "a,b\nc\n") for name in ("g.txt", "p.txt")]
    assert scored(*files, "--labels", 'c,"a,b"')["labels"] == ["c", "a,b"]


def test_a_matrix_longer_than_any_file_name(run):
    text = ";".join(" ".join("1" for _ in range(40)) for _ in range(40))
    result = run("score", "--matrix", text, "--metric", "accuracy", "--format", "json")
    assert (result.exit_code, json.loads(result.stdout)["n"]) == (0, 1600)


def test_a_mix_longer_than_any_file_name(fails):
    text = ",".join(f"class{i}=0.01" for i in range(100))
    assert "classes of the prevalence must be among 'a', 'b', got 'class0'" in fails(
        "calibrate", "--matrix", "6 1; 1 5", "--labels", "a,b", "--to", text
    )


def test_a_file_name_that_is_too_long(fails):
    assert "File name too long" in fails("score", "x" * 300, "y" * 300)


def test_a_report_takes_what_score_takes(run, write):
    """The columns of a file need not be named where one reading fits."""
    name = write("answers.csv", "gold,pred\na,a\nb,b\nb,a\n")
    found = run("report", name, "--format", "markdown", "--output", "-")
    assert found.exit_code == 0, found.output
    assert found.stdout.startswith("# How good is answers.csv?")

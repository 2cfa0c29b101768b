"""twins: the paper's program, and every other input of score."""

import csv
import io
import json

import pytest

TABLE_3 = ("twins", 2, 100, 10000, 0, 100)
TABLE_2 = ("twins", 2, 1, 1, 9, 19)
TABLE_1 = ("twins", 2, 5, 10, 5, 10)


def shown(result):
    assert result.exit_code == 0, result.stderr
    (rows,) = (b for b in result.stdout.split("\n\n") if b.startswith("quantity "))
    return {row.split()[0]: row.split()[1] for row in rows.splitlines()}


def test_the_papers_numbers_to_all_printed_digits(run):
    """Opitz & Burst 2019, table 3 and appendix D."""
    found = json.loads(run(*TABLE_3, "--format", "json").stdout)
    assert found["f1_of_averages"] == 0.504950495049505
    assert found["macro_f1"] == 1.96078431372549e-2
    assert found["gap"] == 0.48534265191225007
    assert found["bound"] == 0.5


def test_four_digits_are_shown(run):
    found = shown(run(*TABLE_3))
    assert (found["f1_of_averages"], found["macro_f1"]) == ("0.5050", "0.0196")
    assert (found["gap"], found["bound"]) == ("0.4853", "0.5000")


@pytest.mark.parametrize(
    ("table", "averages", "mean"), [(TABLE_1, "0.50", "0.49"), (TABLE_2, "0.56", "0.48")]
)
def test_the_papers_small_tables(run, table, averages, mean):
    """Tables 1 and 2; the paper cuts 0.5553 to 0.55."""
    found = shown(run(*table))
    assert f"{float(found['f1_of_averages']):.2f}" == averages
    assert f"{float(found['macro_f1']):.2f}" == mean


def test_rows_are_predicted_as_in_the_paper_unless_told(run):
    cells = ("twins", 3, 1, 2, 3, 4, 5, 6, 7, 8, 9, "--format", "json")
    as_matrix = (
        "twins",
        "--matrix",
        "1 2 3; 4 5 6; 7 8 9",
        "--labels",
        "a,b,c",
        *("--classes", "a", "--classes", "b", "--classes", "c"),
        "--format",
        "json",
    )
    assert run(*cells).stdout == run(*as_matrix, "--rows", "pred").stdout
    assert run(*cells, "--rows", "true").stdout == run(*as_matrix).stdout


def test_the_papers_form_lists_all_its_classes(run):
    """Opitz & Burst average over all n rows, also over a class that is true of no item."""
    found = json.loads(run("twins", 2, 3, 1, 0, 0, "--format", "json").stdout)
    assert found["macro_f1"] == pytest.approx((6 / 7 + 0) / 2)
    assert "classes:listed.2.a,b" in found["signature"]
    task = run("twins", 2, 3, 1, 0, 0, "--rows", "true", "--average", "task", "--format", "json")
    assert json.loads(task.stdout)["macro_f1"] == pytest.approx(6 / 7)


def test_rows_decide_which_classes_are_true(run):
    """Both formulas are the same for a table and its transpose; the classes are not."""
    cells = ("twins", 2, 1, 1, 0, 0, "--average", "true", "--format", "json")
    assert json.loads(run(*cells).stdout)["bound"] == 0.5
    assert json.loads(run(*cells, "--rows", "true").stdout)["bound"] == 0


def test_json_keys(run):
    found = json.loads(run(*TABLE_3, "--format", "json").stdout)
    assert list(found) == [
        "schema", "signature", "macro_f1", "f1_of_averages",
        "gap", "gap_by_lemma", "bound", "corrected", "pairs", "warnings", "warning_codes",
    ]  # fmt: skip
    assert found["pairs"] == [{"classes": ["a", "b"], "share": 1.0}]
    assert found["gap_by_lemma"] == pytest.approx(found["gap"], abs=1e-15)


def test_pairs_come_largest_first_and_share_the_whole_gap(run):
    found = json.loads(run("twins", 4, *range(1, 17), "--format", "json").stdout)
    shares = [p["share"] for p in found["pairs"]]
    assert shares == sorted(shares, reverse=True)
    assert sum(shares) == pytest.approx(1)
    assert len(shares) == 6


def test_pairs_can_be_limited(run):
    text = run("twins", 4, *range(1, 17), "--pairs", 2).stdout
    assert "… and 4 more pairs" in text
    assert "share of the gap" not in run("twins", 4, *range(1, 17), "--pairs", 0).stdout


def test_labels_name_the_classes(run):
    assert "spam   ham              100 %" in run(*TABLE_3, "--labels", "spam,ham").stdout


def test_csv(run):
    rows = csv.DictReader(io.StringIO(run(*TABLE_3, "--format", "csv").stdout))
    values = {r["quantity"]: r["value"] for r in rows}
    assert float(values["gap"]) == 0.48534265191225007


def test_markdown_and_latex(run):
    assert "| gap | 0.4853 | 48.5 points" in run(*TABLE_3, "--format", "markdown").stdout
    tex = run(*TABLE_3, "--format", "latex").stdout
    assert r"gap & 0.4853 & 48.5 points of at most 50.0 \\" in tex
    assert r"\caption{Pairs of classes.}" in tex


def test_label_files_and_columns(run, lines, answers):
    assert shown(run("twins", *lines))["macro_f1"] == "0.7333"
    result = run("twins", answers, "--true", "gold", "--pred", "system")
    assert shown(result)["macro_f1"] == "0.6500"
    assert result.stderr == "warning: 1 prediction missing, counted as errors\n"


def test_the_lemma_is_left_out_where_it_does_not_hold(run):
    result = run(*TABLE_3, "--undefined", "nan", "--format", "json")
    found = json.loads(result.stdout)
    assert found["gap_by_lemma"] is None
    assert found["pairs"] == []


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        ((2, 100, 10000, 0), "Expected 4 cells after K = 2, got 3"),
        ((2, 1, 2, 3, 4, 5), "Expected 4 cells after K = 2, got 5"),
        ((2,), "Expected 4 cells after K = 2, got 0"),
        ((0,), "Expected the number of classes first, got 0"),
        ((2.5, 1, 2, 3, 4), "Expected the number of classes first, got 2.5"),
        ((2, 1, 2, 3, "x"), "Expected a number in place 5, got 'x'"),
        ((2, 1, 2, "²", 4), "Expected a number in place 4, got '²'"),
        ((2, 1, 2, 3, 4, "--true", "x"), "Bare numbers are a matrix"),
        ((2, 1, 2, 3, 4, "--matrix", "1 2; 3 4"), "Bare numbers are a matrix"),
        ((2, 1, 2, 3, 4, "--labels", "a"), "labels must have length 2"),
        (("--", 2, -1, 2, 3, 4), "matrix must hold counts ≥ 0, got -1"),
        ((2, 0, 0, 0, 0), "holds no items"),
        ((), "got 0 files"),
    ],
)
def test_refused(fails, cells, message):
    assert message in fails("twins", *cells)


def test_slices(run, answers):
    columns = ("--true", "gold", "--pred", "system")
    whole = json.loads(run("twins", answers, *columns, "--format", "json").stdout)
    found = json.loads(
        run("twins", answers, *columns, "--by", "language", "--format", "json").stdout
    )
    slices = found.pop("slices")
    assert found.pop("read")["columns"].popitem()[1].pop("by") == ["language"]
    assert found == {name: whole[name] for name in whole if name != "read"}
    scored = json.loads(
        run("score", answers, *columns, "--by", "language", "--format", "json").stdout
    )
    assert [s["key"] for s in slices] == [s["key"] for s in scored["slices"]]
    for one, other in zip(slices, scored["slices"], strict=True):
        assert {name: one[name] for name in other["twins"]} == other["twins"]
    assert "Slices" in run("twins", answers, *columns, "--by", "language").stdout


def test_clusters_change_nothing_there(fails, answers):
    columns = ("--true", "gold", "--pred", "system", "--cluster", "language")
    assert "--cluster changes intervals, and twins has none" in fails("twins", answers, *columns)


def test_a_large_table_has_classes_beyond_the_alphabet(run):
    cells = [1 + (i * 7) % 5 for i in range(27 * 27)]
    found = json.loads(run("twins", 27, *cells, "--format", "json").stdout)
    names = {name for p in found["pairs"] for name in p["classes"]}
    assert len(names) == 27


def test_very_many_classes_have_no_pairs(run, write):
    gold = [f"c{i // 3}" for i in range(6003)]
    pred = ["c0" if i % 7 == 0 else v for i, v in enumerate(gold)]
    result = run("twins", write("g.txt", "\n".join(gold)), write("p.txt", "\n".join(pred)))
    assert "macro_f1" in result.stdout and "share of the gap" not in result.stdout
    assert "note: more than 2,000 classes: their pairs are not listed" in result.stderr


def test_lists_of_labels(run, write):
    name = write("lists.jsonl", '{"g": ["a"], "p": ["a", "b"]}\n{"g": ["b"], "p": ["b"]}\n')
    done = run("twins", name, "--true", "g", "--pred", "p", "--format", "json")
    assert (done.exit_code, done.stderr) == (0, "")
    assert json.loads(done.stdout)["macro_f1"] == pytest.approx((1 + 2 / 3) / 2)


def test_numbers_without_end(fails):
    long = "9" * 5000
    assert "Expected the number of classes first, got 9999" in fails("twins", long, 1, 2, 3)
    assert fails("twins", 2, long, 1, 2, 3) == "matrix must hold finite counts, got inf at (0, 0)"

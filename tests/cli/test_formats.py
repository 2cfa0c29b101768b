"""The five formats of a result."""

import csv
import io
import json

import pytest

MATRIX = ("score", "--matrix", "6 1 1; 1 5 2; 2 3 7", "--labels", "bird,cat,dog")
ONE = (*MATRIX, "--metric", "macro_f1")
CLASSES = {"label", "correct", "bias", "prevalence", "precision", "recall", "f1"}
SCORE = {
    "signature", "n", "orientation", "labels", "outside", "missing", "dropped", "metrics",
    "classes", "twins", "notes", "warnings", "warning_codes",
}  # fmt: skip


def loads(result):
    def refuse(constant):
        raise AssertionError(f"JSON must not hold {constant}")

    assert result.exit_code == 0
    return json.loads(result.stdout, parse_constant=refuse)


def test_json_keys(run):
    found = loads(run(*MATRIX, "--format", "json"))
    assert set(found) == {"schema", *SCORE}
    assert found["schema"] == 1
    assert found["orientation"] == "rows = true, columns = predicted"
    for score in found["metrics"].values():
        assert list(score) == ["value", "se", "low", "high", "method"]
    assert all(set(c) == {*CLASSES, "intervals"} for c in found["classes"])
    assert set(found["twins"]) == {"macro_f1", "f1_of_averages", "gap", "bound"}


def test_json_of_slices(run, answers):
    columns = ("--true", "gold", "--pred", "system", "--by", "language")
    found = loads(run("score", answers, *columns, "--format", "json"))
    assert set(found) == {"schema", "slices", "read", *SCORE}
    assert all(set(s) == {"key", *SCORE} for s in found["slices"])


def test_json_is_what_to_dict_gives(run):
    import evenhand as eh

    table = eh.Confusion.from_matrix(
        [[6, 1, 1], [1, 5, 2], [2, 3, 7]], labels=["bird", "cat", "dog"]
    )
    assert loads(run(*MATRIX, "--format", "json")) == eh.score(table).to_dict()


def test_json_of_the_undefined_is_null(run, lines):
    options = ("--labels", "a,b,c", "--classes", "c", "--undefined", "nan", "--format", "json")
    found = loads(run("score", *lines, *options))
    assert found["metrics"]["macro_f1"]["value"] is None
    assert found["classes"][2]["f1"] is None
    assert found["twins"] == {"macro_f1": None, "f1_of_averages": None, "gap": None, "bound": 0.0}


def test_csv_parses_back_to_every_digit(run):
    found = loads(run(*MATRIX, "--format", "json"))
    rows = list(csv.DictReader(io.StringIO(run(*MATRIX, "--format", "csv").stdout)))
    assert list(rows[0]) == [
        "metric", "label", "value", "se", "low", "high", "method", "signature",
    ]  # fmt: skip
    values = {r["metric"]: float(r["value"]) for r in rows if not r["label"]}
    assert values == {name: s["value"] for name, s in found["metrics"].items()}
    recalls = {r["label"]: float(r["value"]) for r in rows if r["metric"] == "recall"}
    assert recalls == {c["label"]: c["recall"] for c in found["classes"]}


def test_csv_of_slices(run, answers):
    columns = ("--true", "gold", "--pred", "system", "--by", "language")
    rows = list(
        csv.DictReader(io.StringIO(run("score", answers, *columns, "--format", "csv").stdout))
    )
    found = {r["slice"]: float(r["value"]) for r in rows if r["metric"] == "accuracy"}
    assert found == {"en": 1, "de": pytest.approx(1 / 3), "all (pooled)": 0.6}


def test_csv_leaves_the_undefined_empty(run, lines):
    options = ("--labels", "a,b,c", "--classes", "c", "--undefined", "nan", "--format", "csv")
    rows = csv.DictReader(io.StringIO(run("score", *lines, *options).stdout))
    assert next(r["value"] for r in rows if r["metric"] == "macro_f1") == ""


def test_markdown(run):
    blocks = (
        run(*ONE, "--interval", "none", "--format", "markdown").stdout.rstrip("\n").split("\n\n")
    )
    (classes,) = (b for b in blocks if b.startswith("| class |"))
    (metrics,) = (b for b in blocks if b.startswith("| metric |"))
    assert classes.splitlines()[:3] == [
        "| class | precision | recall | F1 | true | predicted | correct |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: |",
        "| bird | 0.6667 | 0.7500 | 0.7059 | 8 | 9 | 6 |",
    ]
    assert metrics == "| metric | value |\n| --- | ---: |\n| macro\\_f1 | 0.6435 |"
    assert blocks[:2] == ["**matrix: 28 items, 3 classes**", "> macro\\_f1 0.6435"]
    assert blocks[-1].startswith("`classes:true.3|")


def test_latex(run):
    text = run(*ONE, "--interval", "none", "--format", "latex", "--digits", 3).stdout
    assert text.startswith(
        "% \\usepackage{booktabs,graphicx}\n% matrix: 28 items, 3 classes\n% macro\\_f1 0.6435\n"
    )
    tables = text[text.index("\\begin{table}") :]
    assert tables.startswith(
        "\\begin{table}\n\\centering\n\\caption{matrix: 28 items, 3 classes.}\n"
    )
    assert text.count("m:macro\\_f1$|$ f:mean-of-f1$|$ c:true.3") == 1
    assert "\\begin{tabular}{lr}\n\\toprule\nmetric & value \\\\\n\\midrule\n" in text
    assert "Macro F1 & 0.643 \\\\\n\\bottomrule\n" in text
    assert "bird & 0.667 & 0.750 & 0.706 & 8 & 9 & 6 \\\\\n" in text


@pytest.mark.parametrize("style", ["table", "json", "csv", "markdown", "latex"])
def test_every_format_ends_in_one_newline_and_has_no_colour(run, style):
    text = run(*ONE, "--format", style).stdout
    assert text.endswith("\n")
    assert not text.endswith("\n\n")
    assert "\x1b" not in text


@pytest.mark.parametrize("style", ["table", "json", "csv", "markdown", "latex"])
def test_hostile_labels(run, write, style):
    bad = "\x1b[31m<script>\u202e|=1\x9b"
    result = run(
        "score",
        write("g.txt", f"{bad}\na\n"),
        write("p.txt", f"{bad}\na\n"),
        "--metric",
        f"f1:label={bad.replace('=', chr(92) + '=')}",
        "--format",
        style,
    )
    assert result.exit_code == 0
    for raw in ("\x1b", "\u202e", "\x9b"):
        assert raw not in result.output
    if style == "json":
        assert bad in json.loads(result.stdout)["labels"]
